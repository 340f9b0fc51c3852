//! Errors on samples whose part is left out as a whole, or is judged by earlier ones alone; laws and noise kept.
//!
//! With A = K + N for samples, each for itself, f₋G − y = −((A⁻¹)_GG)⁻¹ α_G on a part G. In terms of their groups of equal inputs,
//! s_i = w_i/w_g,
//!
//! ```text
//! (A⁻¹)_ij = (w_i/ν)(δ_ij − s_j) + s_i s_j (A⁻¹)_gg  in one group,   s_i s_j (A⁻¹)_gh  otherwise,
//! α_i = (w_i/ν)(y_i − ȳ_g) + s_i α_g.
//! ```
//!
//! No block is larger than A, and all of them together cost no more than a factor of it. Blocks of time are judged by the
//! solutions for the samples before them, whose matrices together cost about one more.

use super::law::WideKernel;
use super::samples::RowGroups;
use crate::linalg::{Matrix, dot, solve_positive_definite};

/// Which samples are left out together.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SampleParts {
    /// The group of each sample.
    Groups(Vec<usize>),
    /// The block of time of each sample; nothing judges the first.
    Blocks(Vec<usize>),
}

impl SampleParts {
    /// Of the samples with these numbers.
    pub(super) fn select(&self, samples: &[usize]) -> SampleParts {
        let picked = |numbers: &[usize]| samples.iter().map(|&at| numbers[at]).collect();
        match self {
            SampleParts::Groups(groups) => SampleParts::Groups(picked(groups)),
            SampleParts::Blocks(blocks) => SampleParts::Blocks(picked(blocks)),
        }
    }

    /// Whether a sample is left out once.
    pub(super) fn is_judged(&self, sample: usize) -> bool {
        match self {
            SampleParts::Groups(_) => true,
            SampleParts::Blocks(blocks) => blocks[sample] > 0,
        }
    }
}

/// f₋G(x_i) − y_i of every sample, G its part, from A⁻¹ and α of the groups; `None` where a block is not numerically definite.
pub(super) fn errors_without_parts(
    rows: &RowGroups,
    inverse: &Matrix,
    alpha: &[f64],
    noise: f64,
    part_of: &[usize],
) -> Option<Vec<f64>> {
    let entry = |i: usize, j: usize| {
        let (one, other) = (&rows.samples[i], &rows.samples[j]);
        let (s, t) = (rows.share(one), rows.share(other));
        let apart = if i == j { 1.0 - t } else { -t };
        let within = if one.group == other.group { one.weight / noise * apart } else { 0.0 };
        within + s * t * inverse[(one.group, other.group)]
    };
    let coefficient = |i: usize| {
        let sample = &rows.samples[i];
        let (g, share) = (sample.group, rows.share(sample));
        sample.weight / noise * (sample.y - rows.y[g]) + share * alpha[g]
    };
    let mut members = vec![vec![]; part_of.iter().max().map_or(0, |most| most + 1)];
    part_of.iter().enumerate().for_each(|(sample, &part)| members[part].push(sample));
    let mut errors = vec![0.0; rows.samples.len()];
    for members in members.iter().filter(|members| !members.is_empty()) {
        let block = Matrix::from_fn(members.len(), members.len(), |a, b| entry(members[a], members[b]));
        let alpha: Vec<f64> = members.iter().map(|&i| coefficient(i)).collect();
        let solved = solve_positive_definite(&block, &alpha)?;
        members.iter().zip(solved).for_each(|(&i, e)| errors[i] = -e);
    }
    Some(errors)
}

/// f(x_i) − y_i of every sample, f the solution for all earlier blocks; 0 of the first block. `None` where a matrix is not
/// numerically definite.
pub(super) fn errors_forward(kernel: &WideKernel, noise: f64, rows: &RowGroups, blocks: &[usize]) -> Option<Vec<f64>> {
    let mut errors = vec![0.0; rows.samples.len()];
    for block in 1..=blocks.iter().copied().max()? {
        let now: Vec<usize> = (0..blocks.len()).filter(|&sample| blocks[sample] == block).collect();
        let earlier: Vec<usize> = (0..blocks.len()).filter(|&sample| blocks[sample] < block).collect();
        if now.is_empty() || earlier.is_empty() {
            continue;
        }
        let known = rows.of_samples(&earlier);
        let alpha = solution(kernel, noise, &known)?;
        let groups: Vec<usize> = now.iter().map(|&sample| rows.samples[sample].group).collect();
        let f = kernel.predictions(&rows.X.select_rows(&groups), &known.X, &alpha);
        now.iter().zip(f).for_each(|(&sample, f)| errors[sample] = f - rows.samples[sample].y);
    }
    Some(errors)
}

/// α of these groups.
pub(super) fn solution(kernel: &WideKernel, noise: f64, rows: &RowGroups) -> Option<Vec<f64>> {
    let mut A = kernel.tiles(&kernel.rows(&rows.X));
    A.add_to_diagonal(&rows.noise(noise));
    let mut alpha = rows.y.clone();
    A.factored()?.solve_in_place(&mut alpha);
    dot(&alpha, &alpha).is_finite().then_some(alpha)
}

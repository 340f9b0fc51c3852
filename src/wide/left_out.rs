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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Data, Dependence};
    use crate::random::{Purpose, Stream};
    use crate::wide::{KernelLayer, LayerLaw};

    /// Weighted rows, some of them equal, also across groups.
    fn rows(dependence: Dependence) -> RowGroups {
        let mut stream = Stream::new(5, Purpose::Probe, 12);
        let mut X = Matrix::from_fn(60, 2, |_, _| stream.normal());
        let mut y: Vec<f64> = (0..60).map(|i| X[(i, 0)] * X[(i, 1)] + 0.1 * stream.normal()).collect();
        for i in [7, 20, 33] {
            let first = X.row(0).to_vec();
            X.row_mut(i).copy_from_slice(&first);
        }
        y[20] = y[0];
        let weights = (0..60).map(|i| 1.0 + (i % 3) as f64).collect();
        let data = Data::builder(X, y).weights(Some(weights)).dependence(Some(dependence)).build().unwrap();
        RowGroups::new(&data)
    }

    fn kernel() -> WideKernel {
        let layer = |law, signal| KernelLayer { law, signal, scales: vec![1.5, 3.0], bias: 0.7 };
        let affine = KernelLayer { law: LayerLaw::Affine, signal: 0.3, scales: vec![], bias: 0.0 };
        WideKernel { layers: vec![layer(LayerLaw::RoughByInput, 0.5), layer(LayerLaw::Relu, 1.0), affine] }
    }

    /// The error on a sample of the solution for others.
    fn error_by(rows: &RowGroups, kernel: &WideKernel, noise: f64, others: &[usize], sample: usize) -> f64 {
        let known = rows.of_samples(others);
        let alpha = solution(kernel, noise, &known).unwrap();
        let sample = rows.samples[sample];
        kernel.predictions(&rows.X.select_rows(&[sample.group]), &known.X, &alpha)[0] - sample.y
    }

    #[test]
    fn errors_without_groups_are_those_of_solutions_for_the_other_groups() {
        let (rows, kernel, noise) = (rows(Dependence::Groups((0..60).map(|i| (i * i) % 13).collect())), kernel(), 0.02);
        let Some(SampleParts::Groups(groups)) = rows.parts.clone() else { panic!("rows in groups") };
        let mut A = kernel.tiles(&kernel.rows(&rows.X));
        A.add_to_diagonal(&rows.noise(noise));
        let factor = A.factored().unwrap();
        let mut alpha = rows.y.clone();
        factor.solve_in_place(&mut alpha);
        let inverse = factor.inverted().inverse().to_matrix();
        let errors = errors_without_parts(&rows, &inverse, &alpha, noise, &groups).unwrap();
        for sample in 0..rows.samples.len() {
            let others: Vec<usize> = (0..rows.samples.len()).filter(|&at| groups[at] != groups[sample]).collect();
            let expected = error_by(&rows, &kernel, noise, &others, sample);
            assert!((errors[sample] - expected).abs() < 1e-9, "sample {sample}: {} {expected}", errors[sample]);
        }
    }

    #[test]
    fn errors_in_time_are_those_of_solutions_for_earlier_samples() {
        let (rows, kernel, noise) = (rows(Dependence::Times((0..60).map(|i| (i * 7) % 60).collect())), kernel(), 0.02);
        let Some(SampleParts::Blocks(blocks)) = rows.parts.clone() else { panic!("rows in time") };
        let errors = errors_forward(&kernel, noise, &rows, &blocks).unwrap();
        for sample in 0..rows.samples.len() {
            let earlier: Vec<usize> = (0..rows.samples.len()).filter(|&at| blocks[at] < blocks[sample]).collect();
            let expected = if earlier.is_empty() { 0.0 } else { error_by(&rows, &kernel, noise, &earlier, sample) };
            assert!((errors[sample] - expected).abs() < 1e-9, "sample {sample}: {} {expected}", errors[sample]);
        }
    }
}

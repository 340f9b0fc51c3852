//! The landscape of the population risk of quadratic networks: every critical level, and starts below the lowest.
//!
//! Students f(x) = Σ v_j (w_j·x)² of width m against labels xᵀM*x, x ~ N(0, I), M* = Q Diag(s) Qᵀ. With
//! A = WᵀDW − M* and G = 2A + tr(A)·I the gradient is 2DWG, so G vanishes on the row space R of W. There M* + ½·(−tr A)
//! equals M: R is spanned by eigenvectors of M*, and for the set S of their numbers
//!
//! ```text
//! M_S = Σ_{i∈S} (s_i + t_S) q_i q_iᵀ,   t_S = Σ_{i∉S} s_i/(|S| + 2),   L_S = Σ_{i∉S} s_i² + (Σ_{i∉S} s_i)²/(|S| + 2).
//! ```
//!
//! With v = 1 the Hessian there is diagonal in the directions a qᵀ: curvature −4(s_i + t_S) along a q_iᵀ with i ∉ S and
//! aᵀW = 0, 4(s_j − s_i) along the rotation of row j ∈ S towards q_i, and none below 0 elsewhere. A set occurs only if
//! there are enough output weights of each sign for the s_i + t_S, none of which is 0. This is NEW in this project;
//! positive definiteness is not needed for it, but everything called a barrier needs v = 1 and M* ⪰ 0.
//!
//! Equal eigenvalues make families: only how many of them are in S matters, so one set stands for all of the same
//! counts, the first of equal numbers first, and [`CriticalPoint::copies`] says for how many.

mod levels;
mod search;
mod slice;
mod start;

pub use levels::{Level, Levels};
pub(crate) use slice::descent_path;
pub(crate) use slice::{PathEnd, Plane, Slice, SlicePath};
pub use start::{moment_matrix, paper_scale, scaled_identity, spectral_start, trace_scale};

use crate::error::{Error, Result};
use crate::linalg::{Matrix, symmetric_eigen};

/// Eigenvalues closer than this share of the largest are taken as equal, and smaller ones as zero.
const EQUAL: f64 = 1e-12;

/// M* by its eigenpairs, and the output weights of the student.
///
/// ```
/// use shallows::landscape::{Landscape, Levels};
/// use shallows::linalg::Matrix;
///
/// // The teacher 3x₁² + 2x₂² + x₃², students with three units.
/// let landscape = Landscape::of_spectrum(&[3.0, 2.0, 1.0], 3)?;
/// let barrier = landscape.barrier().expect("below it every student has full rank");
/// assert!((barrier - 1.25).abs() < 1e-9);
/// // One critical level for each set of eigenvectors that is kept; the lowest is the optimum.
/// let Levels::All(levels) = landscape.levels(10)? else { panic!("three inputs are few") };
/// assert_eq!((levels.len(), levels[0].level), (8, 0.0));
/// // A set that leaves something out is a saddle, with a way down.
/// let saddle = landscape.critical_point(&[0, 1]).expect("a critical point");
/// assert!(landscape.escape(&saddle).is_some());
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Landscape {
    /// s, from the largest.
    spectrum: Vec<f64>,
    /// q_i, as rows.
    directions: Matrix,
    v: Vec<f64>,
}

/// What a critical point looks like. [`Landscape`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct CriticalPoint {
    /// S: numbers of eigenvalues of M*, counted from 0, the largest first.
    pub subset: Vec<usize>,
    /// t_S
    pub shift: f64,
    /// L_S
    pub level: f64,
    /// How many eigenvalues of the Hessian are negative; known where all output weights are positive.
    pub index: Option<u64>,
    /// The most negative of them, or 0; known where all output weights are 1.
    pub curvature: Option<f64>,
    /// For how many sets it stands, where eigenvalues are equal.
    pub copies: f64,
}

impl Landscape {
    /// Of students with output weights v against labels xᵀM*x; M* is symmetric.
    pub fn new(M_star: &Matrix, v: Vec<f64>) -> Result<Self> {
        let d = M_star.rows();
        if M_star.cols() != d {
            return Err(Error::Shape { what: "columns of M*", expected: d, found: M_star.cols() });
        }
        let finite = M_star.as_slice().iter().chain(&v).all(|x| x.is_finite());
        let eigen = if finite && d > 0 { symmetric_eigen(M_star) } else { None };
        let (mut values, Q) = eigen.ok_or(Error::NotFinite { what: "M* and the output weights" })?;
        values.reverse();
        let directions = Matrix::from_fn(d, d, |i, a| Q[(a, d - 1 - i)]);
        merge_equal(&mut values);
        Ok(Landscape { spectrum: values, directions, v })
    }

    /// Of students of width m with output weights 1 against M* = Diag(s); s in any order.
    pub fn of_spectrum(s: &[f64], m: usize) -> Result<Self> {
        if s.is_empty() || s.iter().any(|s| !s.is_finite()) {
            return Err(Error::NotFinite { what: "the eigenvalues of M*" });
        }
        let mut order: Vec<usize> = (0..s.len()).collect();
        order.sort_by(|&a, &b| s[b].total_cmp(&s[a]));
        let mut spectrum: Vec<f64> = order.iter().map(|&i| s[i]).collect();
        merge_equal(&mut spectrum);
        let directions = Matrix::from_fn(s.len(), s.len(), |i, a| if order[i] == a { 1.0 } else { 0.0 });
        Ok(Landscape { spectrum, directions, v: vec![1.0; m] })
    }

    /// d
    pub fn inputs(&self) -> usize {
        self.spectrum.len()
    }

    /// m
    pub fn width(&self) -> usize {
        self.v.len()
    }

    /// The eigenvalues of M*, the largest first.
    pub fn spectrum(&self) -> &[f64] {
        &self.spectrum
    }

    /// The output weights of the student.
    pub fn outputs(&self) -> &[f64] {
        &self.v
    }

    /// q_i
    pub fn direction(&self, i: usize) -> &[f64] {
        self.directions.row(i)
    }

    /// M* ⪰ 0.
    pub fn is_semidefinite(&self) -> bool {
        self.spectrum.last().is_some_and(|s| *s >= 0.0)
    }

    /// v = 1 and M* ⪰ 0: what every claim about barriers needs.
    pub fn has_barriers(&self) -> bool {
        self.is_semidefinite() && self.v.iter().all(|v| *v == 1.0)
    }

    /// The least risk over W of rank at most r, for r = 0, …, min(m, d); `None` unless v = 1 and M* ⪰ 0.
    ///
    /// Let N be the kernel of M = WᵀW, of dimension at least d − r. On N the matrix A is −M*, whose trace and norm there are
    /// at least those of the d − r smallest s_i (Ky Fan, Cauchy); with σ = −tr_N A the rest B has
    /// ‖B‖_F² + ½(tr B − σ)² ≥ τ²/r + ½(τ − σ)² ≥ σ²/(r + 2) for τ = tr B. Equality at S = {the r largest}.
    pub fn barriers(&self) -> Option<Vec<f64>> {
        self.has_barriers().then(|| {
            let d = self.inputs();
            (0..=d.min(self.width())).map(|r| level(&self.spectrum[r..], r)).collect()
        })
    }

    /// The barrier that full-rank descent must not start above: that of rank d − 1; 0 if M* is singular.
    pub fn barrier(&self) -> Option<f64> {
        let least = *self.spectrum.last()?;
        let d = self.inputs() as f64;
        self.has_barriers().then(|| (d + 2.0) / (d + 1.0) * least * least)
    }

    /// The critical point of a set of numbers below d; `None` when the set does not occur.
    pub fn critical_point(&self, subset: &[usize]) -> Option<CriticalPoint> {
        let mut inside = vec![false; self.inputs()];
        subset.iter().for_each(|&i| inside[i] = true);
        let outside: Vec<f64> = (0..self.inputs()).filter(|&i| !inside[i]).map(|i| self.spectrum[i]).collect();
        let subset: Vec<usize> = (0..self.inputs()).filter(|&i| inside[i]).collect();
        let size = subset.len();
        let shift = outside.iter().sum::<f64>() / (size as f64 + 2.0);
        if !self.admits(subset.iter().map(|&i| self.spectrum[i] + shift)) {
            return None;
        }
        let level = level(&outside, size);
        let copies = self.copies(&inside);
        let (index, curvature) = (self.index(&inside, shift), self.curvature(&inside, shift));
        Some(CriticalPoint { subset, shift, level, index, curvature, copies })
    }

    /// Whether there are units of the right signs for these eigenvalues of M, none of which may be 0.
    fn admits(&self, values: impl Iterator<Item = f64>) -> bool {
        let (mut positive, mut negative) = self.signs();
        for value in values {
            let left = if value > 0.0 { &mut positive } else { &mut negative };
            if *left == 0 || value == 0.0 {
                return false;
            }
            *left -= 1;
        }
        true
    }

    /// How many output weights are positive, and negative.
    fn signs(&self) -> (usize, usize) {
        let count = |sign: fn(&f64) -> bool| self.v.iter().filter(|v| sign(v)).count();
        (count(|v| *v > 0.0), count(|v| *v < 0.0))
    }

    /// Congruence by Diag(v)^½ keeps the signs of the Hessian's eigenvalues, so v > 0 is enough.
    fn index(&self, inside: &[bool], shift: f64) -> Option<u64> {
        if self.v.iter().any(|v| !(*v > 0.0)) {
            return None;
        }
        let s = &self.spectrum;
        let size = inside.iter().filter(|x| **x).count();
        let outside = || (0..s.len()).filter(|&i| !inside[i]);
        let free = outside().filter(|&i| s[i] + shift > 0.0).count();
        let above = |j: usize| outside().filter(|&i| s[j] < s[i]).count();
        let turns: usize = (0..s.len()).filter(|&j| inside[j]).map(above).sum();
        Some(((self.width() - size) * free + turns) as u64)
    }

    fn curvature(&self, inside: &[bool], shift: f64) -> Option<f64> {
        let known = self.v.iter().all(|v| *v == 1.0);
        known.then(|| self.way_down(inside, shift).map_or(0.0, |way| way.curvature))
    }

    /// The steepest way down: which row moves towards which q_i.
    fn way_down(&self, inside: &[bool], shift: f64) -> Option<WayDown> {
        let s = &self.spectrum;
        let size = inside.iter().filter(|x| **x).count();
        let towards = (0..s.len()).find(|&i| !inside[i])?;
        let free = -4.0 * (s[towards] + shift);
        if self.width() > size {
            return (free < 0.0).then_some(WayDown { row: size, towards, curvature: free });
        }
        let last = (0..s.len()).rev().find(|&j| inside[j])?;
        let curvature = 4.0 * (s[last] - s[towards]);
        (curvature < 0.0).then_some(WayDown { row: size - 1, towards, curvature })
    }

    fn copies(&self, inside: &[bool]) -> f64 {
        let mut copies = 1.0;
        let mut start = 0;
        for group in self.spectrum.chunk_by(|a, b| a == b) {
            let chosen = inside[start..start + group.len()].iter().filter(|x| **x).count();
            copies *= (0..chosen).fold(1.0, |product, i| product * (group.len() - i) as f64 / (i + 1) as f64);
            start += group.len();
        }
        copies
    }

    /// W_S, m×d: one row √(s_i + t_S) q_i for each i ∈ S (over √|v_j|, on units of the right sign), zeros below.
    pub fn representative(&self, point: &CriticalPoint) -> Matrix {
        let mut W = Matrix::zeros(self.width(), self.inputs());
        let units = |sign: f64| (0..self.width()).filter(move |&j| self.v[j] * sign > 0.0);
        let (mut positive, mut negative) = (units(1.0), units(-1.0));
        for &i in &point.subset {
            let value = self.spectrum[i] + point.shift;
            let unit = if value > 0.0 { positive.next() } else { negative.next() };
            if let Some(j) = unit {
                let length = (value / self.v[j]).sqrt();
                W.row_mut(j).iter_mut().zip(self.direction(i)).for_each(|(w, q)| *w = length * q);
            }
        }
        W
    }

    /// The unit direction of the most negative curvature at [`Landscape::representative`], m×d; `None` at a minimum, and
    /// where output weights are not 1.
    pub fn escape(&self, point: &CriticalPoint) -> Option<Matrix> {
        if self.v.iter().any(|v| *v != 1.0) {
            return None;
        }
        let mut inside = vec![false; self.inputs()];
        point.subset.iter().for_each(|&i| inside[i] = true);
        let way = self.way_down(&inside, point.shift)?;
        let mut U = Matrix::zeros(self.width(), self.inputs());
        U.row_mut(way.row).copy_from_slice(self.direction(way.towards));
        Some(U)
    }
}

struct WayDown {
    row: usize,
    towards: usize,
    curvature: f64,
}

/// Σ s² + (Σ s)²/(|S| + 2) over what is outside S.
fn level(outside: &[f64], size: usize) -> f64 {
    let (sum, squares) = outside.iter().fold((0.0, 0.0), |(sum, squares), s| (sum + s, squares + s * s));
    squares + sum * sum / (size as f64 + 2.0)
}

/// Eigenvalues that differ by rounding become equal, and those that are rounding become zero.
fn merge_equal(values: &mut [f64]) {
    let scale = values.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
    values.iter_mut().filter(|s| s.abs() <= EQUAL * scale).for_each(|s| *s = 0.0);
    for i in 1..values.len() {
        if values[i - 1] - values[i] <= EQUAL * scale {
            values[i] = values[i - 1];
        }
    }
}

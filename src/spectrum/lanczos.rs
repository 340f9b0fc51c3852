//! Lanczos' method with full reorthogonalisation.
//!
//! After m steps the orthonormal q_1, …, q_m span {b, Ab, …, A^{m−1}b}, and QᵀAQ = T is tridiagonal. An eigenpair (θ, s)
//! of T gives the Ritz pair (θ, Qs) with ‖AQs − θQs‖ = β_m|s_m|, known without forming the vector. Each new vector is made
//! orthogonal to all earlier ones twice, so that no eigenvalue appears as a ghost of one already found.

use std::ops::RangeInclusive;

use crate::linalg::{Matrix, add_scaled, dot, norm, symmetric_eigen};
use crate::random::{Purpose, Stream};

/// out ← A·x
pub(super) type Multiply<'a> = &'a (dyn Fn(&[f64], &mut [f64]) + Sync);

/// The basis so far, and T.
pub(super) struct Lanczos<'a> {
    multiply: Multiply<'a>,
    basis: Vec<Vec<f64>>,
    /// The diagonal of T.
    alpha: Vec<f64>,
    /// Beside the diagonal; the last entry couples to the vector to come.
    beta: Vec<f64>,
    next: Vec<f64>,
}

/// A Ritz pair: value, coefficients in the basis, ‖Ax − θx‖.
pub(super) struct Ritz {
    pub(super) value: f64,
    /// The distance to the next Ritz value.
    gap: f64,
    pub(super) coefficients: Vec<f64>,
    pub(super) residual: f64,
}

impl Ritz {
    /// How far θ is from the end of the spectrum, as far as can be seen: at most the residual, and its square over the gap
    /// where there is one.
    pub(super) fn error(&self) -> f64 {
        let by_gap = self.residual * self.residual / self.gap;
        if by_gap < self.residual { by_gap } else { self.residual }
    }
}

/// A vector with a part in every direction, the same for the same n.
pub(super) fn probe(n: usize) -> Vec<f64> {
    let mut start = vec![0.0; n];
    Stream::new(0, Purpose::Probe, n as u64).fill_normal(&mut start);
    start
}

impl<'a> Lanczos<'a> {
    pub(super) fn new(multiply: Multiply<'a>, start: Vec<f64>) -> Self {
        Lanczos { multiply, basis: vec![], alpha: vec![], beta: vec![], next: unit(start) }
    }

    /// The number of steps done.
    pub(super) fn steps(&self) -> usize {
        self.basis.len()
    }

    /// One step; false when the space is invariant and its Ritz pairs are eigenpairs.
    pub(super) fn step(&mut self) -> bool {
        let n = self.next.len();
        let mut image = vec![0.0; n];
        (self.multiply)(&self.next, &mut image);
        self.alpha.push(dot(&self.next, &image));
        self.basis.push(std::mem::take(&mut self.next));
        for _ in 0..2 {
            for q in &self.basis {
                let along = dot(q, &image);
                add_scaled(&mut image, -along, q);
            }
        }
        let size = self.alpha.iter().chain(&self.beta).fold(0.0_f64, |most, x| most.max(x.abs()));
        let beta = norm(&image);
        // Also ends what is not finite.
        let goes_on = beta > n as f64 * f64::EPSILON * size && self.steps() < n;
        self.beta.push(if goes_on { beta } else { 0.0 });
        image.iter_mut().for_each(|x| *x /= beta);
        self.next = image;
        goes_on
    }

    /// The Ritz pairs at the bottom and at the top. `None` when T is not finite.
    pub(super) fn ends(&self) -> Option<(Ritz, Ritz)> {
        let m = self.steps();
        let T = Matrix::from_fn(m, m, |i, j| match i.abs_diff(j) {
            0 => self.alpha[i],
            1 => self.beta[i.min(j)],
            _ => 0.0,
        });
        let (values, S) = symmetric_eigen(&T)?;
        let pair = |at: usize, next: usize| Ritz {
            value: values[at],
            gap: (values[at] - values[next.min(m - 1)]).abs(),
            coefficients: S.column(at),
            residual: (self.beta[m - 1] * S[(m - 1, at)]).abs(),
        };
        values.iter().all(|value| value.is_finite()).then(|| (pair(0, 1), pair(m - 1, m.saturating_sub(2))))
    }

    /// Steps until `enough` says so of the pairs at the ends, or the space is invariant; within the given numbers.
    pub(super) fn run(
        &mut self,
        steps: RangeInclusive<usize>,
        enough: impl Fn(&Ritz, &Ritz) -> bool,
    ) -> Option<(Ritz, Ritz)> {
        let (least, most) = steps.into_inner();
        let mut check = FIRST_CHECK.max(least);
        loop {
            let last = !self.step() || self.steps() >= most;
            if last || self.steps() >= check {
                let (bottom, top) = self.ends()?;
                if last || enough(&bottom, &top) {
                    return Some((bottom, top));
                }
                check = self.steps() + (self.steps() / CHECKS).max(2);
            }
        }
    }

    /// The vector of a Ritz pair, of unit length.
    pub(super) fn vector(&self, ritz: &Ritz) -> Vec<f64> {
        let mut x = vec![0.0; self.basis.first().map_or(0, Vec::len)];
        self.basis.iter().zip(&ritz.coefficients).for_each(|(q, s)| add_scaled(&mut x, *s, q));
        unit(x)
    }
}

/// T is decomposed first after this many steps, and then each time it has grown by one part in so many.
const FIRST_CHECK: usize = 6;
const CHECKS: usize = 8;

fn unit(mut x: Vec<f64>) -> Vec<f64> {
    let length = norm(&x);
    x.iter_mut().for_each(|x| *x /= length);
    x
}

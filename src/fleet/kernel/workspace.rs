//! The memory of one run: every array begins on a cache line and is padded to whole vectors.

use super::curves::{ActivationCurve, stretch};
use super::vector::{Real, Vector};
use super::{Ran, Rungs, Task};
use crate::optimise::StopReason;
use crate::watch::Watch;

/// Bytes of a cache line.
const LINE: usize = 64;
/// `store_sums` writes so many numbers at once; a row of weights has room for all but the first behind its end.
pub(super) const AT_ONCE: usize = 4;

/// Numbers that begin on a cache line.
pub(super) struct Buffer<R> {
    storage: Vec<R>,
    offset: usize,
}

impl<R: Real> Buffer<R> {
    /// At least `length` zeros, and whole vectors.
    fn zeros(length: usize) -> Self {
        let line = LINE / size_of::<R>();
        let storage: Vec<R> = vec![R::nearest(0.0); length.next_multiple_of(line) + line];
        let offset = storage.as_ptr().align_offset(LINE);
        Buffer { storage, offset }
    }

    #[inline(always)]
    pub(super) fn pointer(&self) -> *const R {
        self.storage[self.offset..].as_ptr()
    }

    #[inline(always)]
    pub(super) fn pointer_mut(&mut self) -> *mut R {
        self.storage[self.offset..].as_mut_ptr()
    }

    fn numbers(&self) -> &[R] {
        &self.storage[self.offset..]
    }

    fn numbers_mut(&mut self) -> &mut [R] {
        &mut self.storage[self.offset..]
    }
}

/// A network, its data, and what an iteration writes.
pub(super) struct Workspace<'a, V: Vector> {
    /// The units that do something; those with a fixed output weight of 0 do not.
    live: Vec<usize>,
    pub(super) d: usize,
    /// Vectors of samples.
    pub(super) vectors: usize,
    /// From one input or unit to the next, in samples.
    pub(super) stride: usize,
    /// From one unit to the next, in weights.
    pub(super) width: usize,
    /// Where v begins in θ.
    pub(super) outputs: usize,
    /// The numbers of θ that move.
    moving: usize,
    pub(super) trains_outputs: bool,
    pub(super) curve: ActivationCurve<V::Real>,
    /// 1/c, by which output weights are smaller: see [`stretch`].
    pub(super) shrink: V::Real,
    /// cX, a column after the other.
    pub(super) X: Buffer<V::Real>,
    pub(super) y: Buffer<V::Real>,
    /// The weight of each sample; 0 where there is none.
    pub(super) omega: Buffer<V::Real>,
    /// W, a row after the other, and v.
    pub(super) theta: Buffer<V::Real>,
    kept: Buffer<V::Real>,
    pub(super) gradient: Buffer<V::Real>,
    /// z of each unit, φ'(z) where that is dear, then sφ'(z).
    pub(super) slopes: Buffer<V::Real>,
    /// φ(z) of each unit, where v is trained.
    pub(super) values: Buffer<V::Real>,
    /// s = ω∘r.
    pub(super) signal: Buffer<V::Real>,
    /// Looked at within a pass, where a pass is long.
    watch: Option<Watch<'a>>,
    /// Whether a pass was left before its end: what it should have written means nothing.
    pub(super) is_cut: bool,
}

impl<'a, V: Vector> Workspace<'a, V> {
    pub(super) fn new(task: &Task<'a>) -> Self {
        let (n, d) = (task.X.rows(), task.X.cols());
        let live: Vec<usize> = (0..task.v.len()).filter(|&l| task.trains_outputs || task.v[l] != 0.0).collect();
        let k = live.len();
        let vectors = n.div_ceil(V::LANES);
        let stride = vectors * V::LANES;
        let width = d + AT_ONCE - 1;
        let outputs = (k * width).next_multiple_of(LINE / size_of::<V::Real>());
        let total = outputs + k + AT_ONCE - 1;
        let c = stretch(task.activation);
        let mut X = Buffer::zeros(d * stride);
        (0..n * d)
            .for_each(|at| X.numbers_mut()[at % d * stride + at / d] = V::Real::nearest(c * task.X.as_slice()[at]));
        let column = |from: &[f64]| {
            let mut to = Buffer::zeros(stride);
            to.numbers_mut().iter_mut().zip(from).for_each(|(to, from)| *to = V::Real::nearest(*from));
            to
        };
        let mut theta = Buffer::zeros(total);
        for (at, &l) in live.iter().enumerate() {
            let row = theta.numbers_mut()[at * width..].iter_mut();
            row.zip(task.W.row(l)).for_each(|(to, from)| *to = V::Real::nearest(*from));
            theta.numbers_mut()[outputs + at] = V::Real::nearest(task.v[l]);
        }
        Workspace {
            d,
            vectors,
            stride,
            width,
            outputs,
            moving: if task.trains_outputs { total } else { k * width },
            trains_outputs: task.trains_outputs,
            curve: ActivationCurve::new(task.activation),
            shrink: V::Real::nearest(1.0 / c),
            X,
            y: column(task.y),
            omega: column(task.omega),
            theta,
            kept: Buffer::zeros(total),
            gradient: Buffer::zeros(total),
            slopes: Buffer::zeros(k * stride),
            values: Buffer::zeros(if task.trains_outputs { k * stride } else { 0 }),
            signal: Buffer::zeros(stride),
            watch: task.has_long_passes().then_some(task.watch),
            is_cut: false,
            live,
        }
    }

    /// Whether a pass is to be left here.
    #[inline(always)]
    pub(super) fn must_end(&mut self) -> bool {
        self.is_cut |= self.watch.is_some_and(|watch| watch.is_over());
        self.is_cut
    }

    /// k.
    #[inline(always)]
    pub(super) fn units(&self) -> usize {
        self.live.len()
    }

    /// Σωᵢyᵢ².
    pub(super) fn label_energy(&self) -> f64 {
        let double = |x: V::Real| -> f64 { x.into() };
        let terms = self.omega.numbers().iter().zip(self.y.numbers());
        terms.map(|(omega, y)| double(*omega) * double(*y) * double(*y)).sum()
    }

    /// θ ← θ − η∇.
    #[inline(always)]
    pub(super) unsafe fn step(&mut self, eta: V::Real) {
        let (theta, gradient, eta) = (self.theta.pointer_mut(), self.gradient.pointer(), V::splat(eta));
        for at in (0..self.moving).step_by(V::LANES) {
            eta.fnma(V::load(gradient.add(at)), V::load(theta.add(at))).store(theta.add(at));
        }
    }

    /// The point that [`Workspace::step_from_kept`] starts from is this one.
    #[inline(always)]
    pub(super) unsafe fn keep(&mut self) {
        let (theta, kept) = (self.theta.pointer(), self.kept.pointer_mut());
        for at in (0..self.moving).step_by(V::LANES) {
            V::load(theta.add(at)).store(kept.add(at));
        }
    }

    /// θ ← kept − η∇; false, with θ as it was kept, when rounding leaves nothing of the step.
    #[inline(always)]
    pub(super) unsafe fn step_from_kept(&mut self, eta: V::Real) -> bool {
        let (theta, kept) = (self.theta.pointer_mut(), self.kept.pointer());
        let (gradient, eta) = (self.gradient.pointer(), V::splat(eta));
        for at in (0..self.moving).step_by(V::LANES) {
            eta.fnma(V::load(gradient.add(at)), V::load(kept.add(at))).store(theta.add(at));
        }
        self.theta.numbers()[..self.moving] != self.kept.numbers()[..self.moving]
    }

    /// θ ← kept.
    pub(super) fn restore(&mut self) {
        self.theta.numbers_mut()[..self.moving].copy_from_slice(&self.kept.numbers()[..self.moving]);
    }

    /// What the run has come to.
    pub(super) fn finish(&self, task: &Task<'_>, rungs: Rungs, iterations: usize, reason: StopReason) -> Ran {
        let double = |x: V::Real| -> f64 { x.into() };
        let (mut W, mut v) = (task.W.clone(), task.v.to_vec());
        for (at, &l) in self.live.iter().enumerate() {
            let row = &self.theta.numbers()[at * self.width..];
            W.row_mut(l).iter_mut().zip(row).for_each(|(to, from)| *to = double(*from));
            v[l] = double(self.theta.numbers()[self.outputs + at]);
        }
        Ran { W, v, crossings: rungs.crossings, iterations, reason }
    }
}

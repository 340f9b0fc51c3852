//! The three passes of an iteration.

use super::abreast;
use super::curves::{self, ActivationCurve};
use super::vector::{Real, Vector};
use super::workspace::{AT_ONCE, Workspace};

/// The next tile of those that share `rest` evenly, each of at most `most`. Larger ones than that are not compiled:
/// the guards below are constants.
#[inline(always)]
fn fair_share(rest: usize, most: usize) -> usize {
    rest.div_ceil(rest.div_ceil(most))
}

#[inline(always)]
unsafe fn zero<V: Vector>() -> V {
    V::splat(V::Real::nearest(0.0))
}

/// z of every unit and sample, in tiles of units × vectors of samples.
///
/// # Safety
/// As for [`Vector`], and so for all that follows; the workspace is one that [`Workspace::new`] made.
#[inline(always)]
pub(super) unsafe fn forward<V: Vector>(work: &mut Workspace<'_, V>) {
    let mut at = 0;
    while at < work.vectors && !work.must_end() {
        let vectors = fair_share(work.vectors - at, V::TILE_VECTORS);
        let mut l = 0;
        while l < work.units() {
            let units = fair_share(work.units() - l, V::TILE_UNITS);
            match units {
                2 if V::TILE_UNITS >= 2 => forward_units::<V, 2>(work, l, at, vectors),
                3 if V::TILE_UNITS >= 3 => forward_units::<V, 3>(work, l, at, vectors),
                4 if V::TILE_UNITS >= 4 => forward_units::<V, 4>(work, l, at, vectors),
                5 if V::TILE_UNITS >= 5 => forward_units::<V, 5>(work, l, at, vectors),
                6 if V::TILE_UNITS >= 6 => forward_units::<V, 6>(work, l, at, vectors),
                _ => forward_units::<V, 1>(work, l, at, vectors),
            }
            l += units;
        }
        at += vectors;
    }
}

#[inline(always)]
unsafe fn forward_units<V: Vector, const U: usize>(work: &mut Workspace<'_, V>, l: usize, at: usize, vectors: usize) {
    match vectors {
        2 if V::TILE_VECTORS >= 2 => forward_tile::<V, U, 2>(work, l, at),
        3 if V::TILE_VECTORS >= 3 => forward_tile::<V, U, 3>(work, l, at),
        4 if V::TILE_VECTORS >= 4 => forward_tile::<V, U, 4>(work, l, at),
        _ => forward_tile::<V, U, 1>(work, l, at),
    }
}

#[inline(always)]
unsafe fn forward_tile<V: Vector, const U: usize, const R: usize>(work: &mut Workspace<'_, V>, l: usize, at: usize) {
    let (d, stride, width) = (work.d, work.stride, work.width);
    let X = work.X.pointer().add(at * V::LANES);
    let W = work.theta.pointer().add(l * width);
    let Z = work.slopes.pointer_mut().add(l * stride + at * V::LANES);
    let mut sums = [[zero::<V>(); R]; U];
    for j in 0..d {
        let mut x = [zero::<V>(); R];
        for r in 0..R {
            x[r] = V::load(X.add(j * stride + r * V::LANES));
        }
        for u in 0..U {
            let w = V::splat(*W.add(u * width + j));
            for r in 0..R {
                sums[u][r] = w.fma(x[r], sums[u][r]);
            }
        }
    }
    for u in 0..U {
        for r in 0..R {
            sums[u][r].store(Z.add(u * stride + r * V::LANES));
        }
    }
}

/// From z: φ and, where it is dear, φ'; the residuals; s; sφ'. Returns Σωᵢrᵢ².
#[inline(always)]
pub(super) unsafe fn activate<V: Vector>(work: &mut Workspace<'_, V>) -> f64 {
    if work.trains_outputs { activate_curve::<V, true>(work) } else { activate_curve::<V, false>(work) }
}

#[inline(always)]
unsafe fn activate_curve<V: Vector, const OUTPUTS: bool>(work: &mut Workspace<'_, V>) -> f64 {
    match work.curve {
        ActivationCurve::Relu => residuals::<V, { curves::RELU }, OUTPUTS>(work),
        ActivationCurve::Softplus => residuals::<V, { curves::SOFTPLUS }, OUTPUTS>(work),
        ActivationCurve::Quadratic { .. } => residuals::<V, { curves::QUADRATIC }, OUTPUTS>(work),
        ActivationCurve::Tanh => residuals::<V, { curves::TANH }, OUTPUTS>(work),
        ActivationCurve::Erf => residuals::<V, { curves::ERF }, OUTPUTS>(work),
        ActivationCurve::Hermite { .. } => residuals::<V, { curves::HERMITE }, OUTPUTS>(work),
    }
}

#[inline(always)]
unsafe fn residuals<V: Vector, const KIND: u8, const OUTPUTS: bool>(work: &mut Workspace<'_, V>) -> f64 {
    let mut energy = zero::<V>();
    let mut at = 0;
    while at < work.vectors && !work.must_end() {
        let vectors = fair_share(work.vectors - at, V::ABREAST);
        energy = match vectors {
            2 if V::ABREAST >= 2 => residuals_abreast::<V, KIND, OUTPUTS, 2>(work, at * V::LANES, energy),
            3 if V::ABREAST >= 3 => residuals_abreast::<V, KIND, OUTPUTS, 3>(work, at * V::LANES, energy),
            4 if V::ABREAST >= 4 => residuals_abreast::<V, KIND, OUTPUTS, 4>(work, at * V::LANES, energy),
            _ => residuals_abreast::<V, KIND, OUTPUTS, 1>(work, at * V::LANES, energy),
        };
        at += vectors;
    }
    energy.sum()
}

/// For R vectors of samples; returns the energy with theirs added.
#[inline(always)]
unsafe fn residuals_abreast<V: Vector, const KIND: u8, const OUTPUTS: bool, const R: usize>(
    work: &mut Workspace<'_, V>,
    at: usize,
    mut energy: V,
) -> V {
    let (k, stride) = (work.units(), work.stride);
    let v = work.theta.pointer().add(work.outputs);
    // Of no use, and perhaps not there, where v is not trained.
    let values = work.values.pointer_mut().wrapping_add(at);
    let slopes = work.slopes.pointer_mut().add(at);
    let mut f = [zero::<V>(); R];
    for l in 0..k {
        let mut z = [zero::<V>(); R];
        for r in 0..R {
            z[r] = V::load(slopes.add(l * stride + r * V::LANES));
        }
        let phi = if curves::is_cheap(KIND) {
            curves::value::<V, KIND, R>(&work.curve, z)
        } else {
            let (phi, dphi) = curves::jet::<V, KIND, R>(&work.curve, z);
            for r in 0..R {
                dphi[r].store(slopes.add(l * stride + r * V::LANES));
            }
            phi
        };
        let v = V::splat(work.shrink * *v.add(l));
        for r in 0..R {
            if OUTPUTS {
                phi[r].store(values.add(l * stride + r * V::LANES));
            }
            f[r] = v.fma(phi[r], f[r]);
        }
    }
    let (y, omega) = (work.y.pointer().add(at), work.omega.pointer().add(at));
    let signal = work.signal.pointer_mut().add(at);
    let mut s = [zero::<V>(); R];
    for r in 0..R {
        let residual = f[r].sub(V::load(y.add(r * V::LANES)));
        s[r] = V::load(omega.add(r * V::LANES)).mul(residual);
        energy = residual.fma(s[r], energy);
        s[r].store(signal.add(r * V::LANES));
    }
    for l in 0..k {
        let here = slopes.add(l * stride);
        let mut kept = [zero::<V>(); R];
        for r in 0..R {
            kept[r] = V::load(here.add(r * V::LANES));
        }
        let scaled = if curves::is_cheap(KIND) {
            curves::slope_times::<V, KIND, R>(&work.curve, kept, s)
        } else {
            abreast::mul(s, kept)
        };
        for r in 0..R {
            scaled[r].store(here.add(r * V::LANES));
        }
    }
    energy
}

/// The gradient, in tiles of units × inputs.
#[inline(always)]
pub(super) unsafe fn pull_back<V: Vector>(work: &mut Workspace<'_, V>) {
    let mut l = 0;
    while l < work.units() && !work.must_end() {
        let units = fair_share(work.units() - l, V::TILE_UNITS);
        match units {
            2 if V::TILE_UNITS >= 2 => pull_back_units::<V, 2>(work, l),
            3 if V::TILE_UNITS >= 3 => pull_back_units::<V, 3>(work, l),
            4 if V::TILE_UNITS >= 4 => pull_back_units::<V, 4>(work, l),
            5 if V::TILE_UNITS >= 5 => pull_back_units::<V, 5>(work, l),
            6 if V::TILE_UNITS >= 6 => pull_back_units::<V, 6>(work, l),
            _ => pull_back_units::<V, 1>(work, l),
        }
        l += units;
    }
    if work.trains_outputs {
        pull_back_outputs(work);
    }
}

#[inline(always)]
unsafe fn pull_back_units<V: Vector, const U: usize>(work: &mut Workspace<'_, V>, l: usize) {
    let mut j = 0;
    while j < work.d {
        let inputs = fair_share(work.d - j, AT_ONCE);
        match inputs {
            1 => pull_back_tile::<V, U, 1>(work, l, j),
            2 => pull_back_tile::<V, U, 2>(work, l, j),
            3 => pull_back_tile::<V, U, 3>(work, l, j),
            _ => pull_back_tile::<V, U, 4>(work, l, j),
        }
        j += inputs;
    }
}

#[inline(always)]
unsafe fn pull_back_tile<V: Vector, const U: usize, const D: usize>(work: &mut Workspace<'_, V>, l: usize, j: usize) {
    let stride = work.stride;
    let X = work.X.pointer().add(j * stride);
    let slopes = work.slopes.pointer().add(l * stride);
    let v = work.theta.pointer().add(work.outputs + l);
    let gradient = work.gradient.pointer_mut().add(l * work.width + j);
    let mut sums = [[zero::<V>(); AT_ONCE]; U];
    for at in (0..stride).step_by(V::LANES) {
        let mut x = [zero::<V>(); D];
        for input in 0..D {
            x[input] = V::load(X.add(input * stride + at));
        }
        for u in 0..U {
            let g = V::load(slopes.add(u * stride + at));
            for input in 0..D {
                sums[u][input] = g.fma(x[input], sums[u][input]);
            }
        }
    }
    for u in 0..U {
        V::store_sums(sums[u], work.shrink * *v.add(u), gradient.add(u * work.width));
    }
}

/// ∂L/∂v.
#[inline(always)]
unsafe fn pull_back_outputs<V: Vector>(work: &mut Workspace<'_, V>) {
    let (k, stride) = (work.units(), work.stride);
    let gradient = work.gradient.pointer_mut().add(work.outputs);
    for l in (0..k).step_by(AT_ONCE) {
        let mut sums = [zero::<V>(); AT_ONCE];
        for u in 0..AT_ONCE.min(k - l) {
            sums[u] = product_sum(work.values.pointer().add((l + u) * stride), work.signal.pointer(), stride);
        }
        V::store_sums(sums, work.shrink, gradient.add(l));
    }
}

/// The lanes of Σ aᵢbᵢ.
#[inline(always)]
unsafe fn product_sum<V: Vector>(a: *const V::Real, b: *const V::Real, length: usize) -> V {
    let (mut even, mut odd) = (zero::<V>(), zero());
    let mut at = 0;
    while at + V::LANES < length {
        even = V::load(a.add(at)).fma(V::load(b.add(at)), even);
        odd = V::load(a.add(at + V::LANES)).fma(V::load(b.add(at + V::LANES)), odd);
        at += 2 * V::LANES;
    }
    if at < length {
        even = V::load(a.add(at)).fma(V::load(b.add(at)), even);
    }
    even.add(odd)
}

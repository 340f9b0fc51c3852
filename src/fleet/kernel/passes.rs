//! The three passes of an iteration.

use super::super::{
    ABREAST, LANES, Real, TILE_UNITS, TILE_VECTORS, Vector, abreast, add, fma, load, mul, splat, store, store_sums,
    sub, sum,
};
use super::curves::{self, Curve};
use super::workspace::{AT_ONCE, Workspace};

/// The next tile of those that share `rest` evenly, each of at most `most`. Larger ones than that are not compiled:
/// the guards below are constants.
#[inline(always)]
fn fair_share(rest: usize, most: usize) -> usize {
    rest.div_ceil(rest.div_ceil(most))
}

/// z of every unit and sample, in tiles of units × vectors of samples.
///
/// # Safety
/// As for [`super::train`], and so for all that follows; the workspace is one that [`Workspace::new`] made.
#[inline(always)]
pub(in super::super::super) unsafe fn forward(work: &mut Workspace<'_>) {
    let mut at = 0;
    while at < work.vectors && !work.must_end() {
        let vectors = fair_share(work.vectors - at, TILE_VECTORS);
        let mut l = 0;
        while l < work.units() {
            let units = fair_share(work.units() - l, TILE_UNITS);
            match units {
                2 if TILE_UNITS >= 2 => forward_units::<2>(work, l, at, vectors),
                3 if TILE_UNITS >= 3 => forward_units::<3>(work, l, at, vectors),
                4 if TILE_UNITS >= 4 => forward_units::<4>(work, l, at, vectors),
                5 if TILE_UNITS >= 5 => forward_units::<5>(work, l, at, vectors),
                6 if TILE_UNITS >= 6 => forward_units::<6>(work, l, at, vectors),
                _ => forward_units::<1>(work, l, at, vectors),
            }
            l += units;
        }
        at += vectors;
    }
}

#[inline(always)]
unsafe fn forward_units<const U: usize>(work: &mut Workspace<'_>, l: usize, at: usize, vectors: usize) {
    match vectors {
        2 if TILE_VECTORS >= 2 => forward_tile::<U, 2>(work, l, at),
        3 if TILE_VECTORS >= 3 => forward_tile::<U, 3>(work, l, at),
        4 if TILE_VECTORS >= 4 => forward_tile::<U, 4>(work, l, at),
        _ => forward_tile::<U, 1>(work, l, at),
    }
}

#[inline(always)]
unsafe fn forward_tile<const U: usize, const R: usize>(work: &mut Workspace<'_>, l: usize, at: usize) {
    let (d, stride, width) = (work.d, work.stride, work.width);
    let X = work.X.pointer().add(at * LANES);
    let W = work.theta.pointer().add(l * width);
    let Z = work.slopes.pointer_mut().add(l * stride + at * LANES);
    let mut sums = [[splat(0.0); R]; U];
    for j in 0..d {
        let mut x = [splat(0.0); R];
        for r in 0..R {
            x[r] = load(X.add(j * stride + r * LANES));
        }
        for u in 0..U {
            let w = splat(*W.add(u * width + j));
            for r in 0..R {
                sums[u][r] = fma(w, x[r], sums[u][r]);
            }
        }
    }
    for u in 0..U {
        for r in 0..R {
            store(Z.add(u * stride + r * LANES), sums[u][r]);
        }
    }
}

/// From z: φ and, where it is dear, φ'; the residuals; s; sφ'. Returns Σωᵢrᵢ².
#[inline(always)]
pub(in super::super::super) unsafe fn activate(work: &mut Workspace<'_>) -> f64 {
    if work.trains_outputs { activate_curve::<true>(work) } else { activate_curve::<false>(work) }
}

#[inline(always)]
unsafe fn activate_curve<const OUTPUTS: bool>(work: &mut Workspace<'_>) -> f64 {
    match work.curve {
        Curve::Relu => residuals::<{ curves::RELU }, OUTPUTS>(work),
        Curve::Softplus => residuals::<{ curves::SOFTPLUS }, OUTPUTS>(work),
        Curve::Quadratic { .. } => residuals::<{ curves::QUADRATIC }, OUTPUTS>(work),
        Curve::Tanh => residuals::<{ curves::TANH }, OUTPUTS>(work),
        Curve::Erf => residuals::<{ curves::ERF }, OUTPUTS>(work),
        Curve::Hermite { .. } => residuals::<{ curves::HERMITE }, OUTPUTS>(work),
    }
}

#[inline(always)]
unsafe fn residuals<const KIND: u8, const OUTPUTS: bool>(work: &mut Workspace<'_>) -> f64 {
    let mut energy = splat(0.0);
    let mut at = 0;
    while at < work.vectors && !work.must_end() {
        let vectors = fair_share(work.vectors - at, ABREAST);
        energy = match vectors {
            2 if ABREAST >= 2 => residuals_abreast::<KIND, OUTPUTS, 2>(work, at * LANES, energy),
            3 if ABREAST >= 3 => residuals_abreast::<KIND, OUTPUTS, 3>(work, at * LANES, energy),
            4 if ABREAST >= 4 => residuals_abreast::<KIND, OUTPUTS, 4>(work, at * LANES, energy),
            _ => residuals_abreast::<KIND, OUTPUTS, 1>(work, at * LANES, energy),
        };
        at += vectors;
    }
    sum(energy)
}

/// For R vectors of samples; returns the energy with theirs added.
#[inline(always)]
unsafe fn residuals_abreast<const KIND: u8, const OUTPUTS: bool, const R: usize>(
    work: &mut Workspace<'_>,
    at: usize,
    mut energy: Vector,
) -> Vector {
    let (k, stride) = (work.units(), work.stride);
    let v = work.theta.pointer().add(work.outputs);
    // Of no use, and perhaps not there, where v is not trained.
    let values = work.values.pointer_mut().wrapping_add(at);
    let slopes = work.slopes.pointer_mut().add(at);
    let mut f = [splat(0.0); R];
    for l in 0..k {
        let mut z = [splat(0.0); R];
        for r in 0..R {
            z[r] = load(slopes.add(l * stride + r * LANES));
        }
        let phi = if curves::is_cheap(KIND) {
            curves::value::<KIND, R>(&work.curve, z)
        } else {
            let (phi, dphi) = curves::jet::<KIND, R>(&work.curve, z);
            for r in 0..R {
                store(slopes.add(l * stride + r * LANES), dphi[r]);
            }
            phi
        };
        let v = splat(work.shrink * *v.add(l));
        for r in 0..R {
            if OUTPUTS {
                store(values.add(l * stride + r * LANES), phi[r]);
            }
            f[r] = fma(v, phi[r], f[r]);
        }
    }
    let (y, omega) = (work.y.pointer().add(at), work.omega.pointer().add(at));
    let signal = work.signal.pointer_mut().add(at);
    let mut s = [splat(0.0); R];
    for r in 0..R {
        let residual = sub(f[r], load(y.add(r * LANES)));
        s[r] = mul(load(omega.add(r * LANES)), residual);
        energy = fma(residual, s[r], energy);
        store(signal.add(r * LANES), s[r]);
    }
    for l in 0..k {
        let here = slopes.add(l * stride);
        let mut kept = [splat(0.0); R];
        for r in 0..R {
            kept[r] = load(here.add(r * LANES));
        }
        let scaled = if curves::is_cheap(KIND) {
            curves::slope_times::<KIND, R>(&work.curve, kept, s)
        } else {
            abreast::mul(s, kept)
        };
        for r in 0..R {
            store(here.add(r * LANES), scaled[r]);
        }
    }
    energy
}

/// The gradient, in tiles of units × inputs.
#[inline(always)]
pub(in super::super::super) unsafe fn pull_back(work: &mut Workspace<'_>) {
    let mut l = 0;
    while l < work.units() && !work.must_end() {
        let units = fair_share(work.units() - l, TILE_UNITS);
        match units {
            2 if TILE_UNITS >= 2 => pull_back_units::<2>(work, l),
            3 if TILE_UNITS >= 3 => pull_back_units::<3>(work, l),
            4 if TILE_UNITS >= 4 => pull_back_units::<4>(work, l),
            5 if TILE_UNITS >= 5 => pull_back_units::<5>(work, l),
            6 if TILE_UNITS >= 6 => pull_back_units::<6>(work, l),
            _ => pull_back_units::<1>(work, l),
        }
        l += units;
    }
    if work.trains_outputs {
        pull_back_outputs(work);
    }
}

#[inline(always)]
unsafe fn pull_back_units<const U: usize>(work: &mut Workspace<'_>, l: usize) {
    let mut j = 0;
    while j < work.d {
        let inputs = fair_share(work.d - j, AT_ONCE);
        match inputs {
            1 => pull_back_tile::<U, 1>(work, l, j),
            2 => pull_back_tile::<U, 2>(work, l, j),
            3 => pull_back_tile::<U, 3>(work, l, j),
            _ => pull_back_tile::<U, 4>(work, l, j),
        }
        j += inputs;
    }
}

#[inline(always)]
unsafe fn pull_back_tile<const U: usize, const D: usize>(work: &mut Workspace<'_>, l: usize, j: usize) {
    let stride = work.stride;
    let X = work.X.pointer().add(j * stride);
    let slopes = work.slopes.pointer().add(l * stride);
    let v = work.theta.pointer().add(work.outputs + l);
    let gradient = work.gradient.pointer_mut().add(l * work.width + j);
    let mut sums = [[splat(0.0); AT_ONCE]; U];
    for at in (0..stride).step_by(LANES) {
        let mut x = [splat(0.0); D];
        for input in 0..D {
            x[input] = load(X.add(input * stride + at));
        }
        for u in 0..U {
            let g = load(slopes.add(u * stride + at));
            for input in 0..D {
                sums[u][input] = fma(g, x[input], sums[u][input]);
            }
        }
    }
    for u in 0..U {
        store_sums(gradient.add(u * work.width), work.shrink * *v.add(u), sums[u]);
    }
}

/// ∂L/∂v.
#[inline(always)]
unsafe fn pull_back_outputs(work: &mut Workspace<'_>) {
    let (k, stride) = (work.units(), work.stride);
    let gradient = work.gradient.pointer_mut().add(work.outputs);
    for l in (0..k).step_by(AT_ONCE) {
        let mut sums = [splat(0.0); AT_ONCE];
        for u in 0..AT_ONCE.min(k - l) {
            sums[u] = product_sum(work.values.pointer().add((l + u) * stride), work.signal.pointer(), stride);
        }
        store_sums(gradient.add(l), work.shrink, sums);
    }
}

/// The lanes of Σ aᵢbᵢ.
#[inline(always)]
unsafe fn product_sum(a: *const Real, b: *const Real, length: usize) -> Vector {
    let (mut even, mut odd) = (splat(0.0), splat(0.0));
    let mut at = 0;
    while at + LANES < length {
        even = fma(load(a.add(at)), load(b.add(at)), even);
        odd = fma(load(a.add(at + LANES)), load(b.add(at + LANES)), odd);
        at += 2 * LANES;
    }
    if at < length {
        even = fma(load(a.add(at)), load(b.add(at)), even);
    }
    add(even, odd)
}

//! The inner loops: kernels between one row and a panel of [`TILE_SIDE`] others, and the derivatives of their weighted sums.
//!
//! One generic body is compiled for each set of instructions and each law, and the compiler vectorises it, as for the
//! activations (`activation/dispatch.rs`). A panel of 128 rows of ten inputs has 10 KiB and stays in the first-level cache
//! while the rows of the tile pass by. Operations per pair, d inputs: 3d + 19 rough by input (difference, absolute value, sum;
//! an exponential), 2d + 20 other differences, d + 30 relu.
//!
//! Loops are over indices: iterators of the standard library are not compiled for the instructions, and would be called.
//!
//! A result depends on its two rows and on the instructions alone, not on the panel in which they are.

// A call into code compiled for instructions that the processor has just been found to have; and the loops over indices.
#![allow(unsafe_code, clippy::needless_range_loop)]

use std::f64::consts::{FRAC_1_PI, FRAC_2_PI, PI};
use std::ops::Range;

use super::law::LayerLaw;
use super::rows::LayerRows;
use crate::activation::Instructions;
use crate::activation::arcs::{arccosine, arcsine};
use crate::activation::arithmetic::{fma, select};
use crate::activation::elementary::exponential_of_negative;
use crate::linalg::TILE_SIDE as WIDTH;

const ROUGH_BY_INPUT: u8 = LayerLaw::RoughByInput as u8;
const ROUGH: u8 = LayerLaw::Rough as u8;
const T3: u8 = LayerLaw::T3 as u8;
const T5: u8 = LayerLaw::T5 as u8;
const RELU: u8 = LayerLaw::Relu as u8;
const ERF: u8 = LayerLaw::Erf as u8;
const QUADRATIC: u8 = LayerLaw::Quadratic as u8;
const AFFINE: u8 = LayerLaw::Affine as u8;

/// Partial sums of a derivative; enough to hide the latency of an addition.
const LANES: usize = 16;
/// Columns whose sums stay in registers while the inputs pass by.
const ABREAST: usize = 32;
/// 1 − c² of the arcsine kernel is at least this when it divides.
const LEAST_COMPLEMENT: f64 = 1e-15;

/// Some rows against a panel of columns.
struct Pass<'a> {
    rows: &'a LayerRows,
    block: Range<usize>,
    columns: &'a LayerRows,
    panel: usize,
}

/// Σ_ij w_ij ∂(sκ)_ij by ln s, and by the coordinates: for differences by ln ℓ_l, for products the bracket of `rows.rs`.
pub(super) struct LayerSums {
    pub(super) signal: f64,
    pub(super) coordinates: Vec<f64>,
}

/// Add s·κ between the rows of `block` and one panel to the first `WIDTH` columns of `out`, whose rows are `stride` apart.
pub(super) fn add_kernel(
    rows: &LayerRows,
    block: Range<usize>,
    columns: &LayerRows,
    panel: usize,
    out: &mut [f64],
    stride: usize,
) {
    let pass = Pass { rows, block, columns, panel };
    match Instructions::best() {
        // SAFETY: `best` names instructions that this processor has.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => unsafe { add_avx512(&pass, out, stride) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => unsafe { add_avx2(&pass, out, stride) },
        _ => add_by_law::<false>(&pass, out, stride),
    }
}

/// s·κ between one row and one column.
pub(super) fn kernel_value(rows: &LayerRows, i: usize, columns: &LayerRows, j: usize) -> f64 {
    let mut out = [0.0; WIDTH];
    add_kernel(rows, i..i + 1, columns, j / WIDTH, &mut out, WIDTH);
    out[j % WIDTH]
}

/// Add to `sums` what the weights of a tile, row after row, make of the derivatives.
pub(super) fn add_derivatives(
    rows: &LayerRows,
    block: Range<usize>,
    panel: usize,
    weights: &[f64],
    sums: &mut LayerSums,
) {
    let pass = Pass { rows, block, columns: rows, panel };
    match Instructions::best() {
        // SAFETY: `best` names instructions that this processor has.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => unsafe { derive_avx512(&pass, weights, sums) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => unsafe { derive_avx2(&pass, weights, sums) },
        _ => derive_by_law::<false>(&pass, weights, sums),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
fn add_avx512(pass: &Pass<'_>, out: &mut [f64], stride: usize) {
    add_by_law::<true>(pass, out, stride);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn add_avx2(pass: &Pass<'_>, out: &mut [f64], stride: usize) {
    add_by_law::<true>(pass, out, stride);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
fn derive_avx512(pass: &Pass<'_>, weights: &[f64], sums: &mut LayerSums) {
    derive_by_law::<true>(pass, weights, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn derive_avx2(pass: &Pass<'_>, weights: &[f64], sums: &mut LayerSums) {
    derive_by_law::<true>(pass, weights, sums);
}

#[inline(always)]
fn add_by_law<const FMA: bool>(pass: &Pass<'_>, out: &mut [f64], stride: usize) {
    match pass.rows.law {
        LayerLaw::RoughByInput => add::<FMA, ROUGH_BY_INPUT>(pass, out, stride),
        LayerLaw::Rough => add::<FMA, ROUGH>(pass, out, stride),
        LayerLaw::T3 => add::<FMA, T3>(pass, out, stride),
        LayerLaw::T5 => add::<FMA, T5>(pass, out, stride),
        LayerLaw::Relu => add::<FMA, RELU>(pass, out, stride),
        LayerLaw::Erf => add::<FMA, ERF>(pass, out, stride),
        LayerLaw::Quadratic => add::<FMA, QUADRATIC>(pass, out, stride),
        LayerLaw::Affine => add::<FMA, AFFINE>(pass, out, stride),
    }
}

#[inline(always)]
fn derive_by_law<const FMA: bool>(pass: &Pass<'_>, weights: &[f64], sums: &mut LayerSums) {
    match pass.rows.law {
        LayerLaw::RoughByInput => derive::<FMA, ROUGH_BY_INPUT>(pass, weights, sums),
        LayerLaw::Rough => derive::<FMA, ROUGH>(pass, weights, sums),
        LayerLaw::T3 => derive::<FMA, T3>(pass, weights, sums),
        LayerLaw::T5 => derive::<FMA, T5>(pass, weights, sums),
        LayerLaw::Relu => derive::<FMA, RELU>(pass, weights, sums),
        LayerLaw::Erf => derive::<FMA, ERF>(pass, weights, sums),
        LayerLaw::Quadratic => derive::<FMA, QUADRATIC>(pass, weights, sums),
        LayerLaw::Affine => derive::<FMA, AFFINE>(pass, weights, sums),
    }
}

#[inline(always)]
fn add<const FMA: bool, const LAW: u8>(pass: &Pass<'_>, out: &mut [f64], stride: usize) {
    let Pass { rows, columns, panel, .. } = *pass;
    let width = WIDTH.min(columns.n - panel * WIDTH);
    let sizes: &[f64; WIDTH] = &columns.sizes.as_chunks().0[panel];
    let panel = columns.panel(panel);
    for at in 0..pass.block.len() {
        let i = pass.block.start + at;
        let mut values = [0.0; WIDTH];
        distances::<FMA, LAW>(rows.row(i), panel, &mut values);
        let factor = rows.signal * rows.sizes[i];
        for j in 0..WIDTH {
            let value = factor * kappa::<FMA, LAW>(values[j]);
            values[j] = if LAW >= RELU { value * sizes[j] } else { value };
        }
        let out = &mut out[at * stride..][..width];
        if width == WIDTH {
            for j in 0..WIDTH {
                out[j] += values[j];
            }
        } else {
            for j in 0..width {
                out[j] += values[j];
            }
        }
    }
}

/// Σ|z − z'|, Σ(z − z')² or b·b' with every column of a panel.
#[inline(always)]
fn distances<const FMA: bool, const LAW: u8>(row: &[f64], panel: &[[f64; WIDTH]], out: &mut [f64; WIDTH]) {
    let dimension = row.len();
    let panel = &panel[..dimension];
    for at in 0..WIDTH / ABREAST {
        let mut sums = [0.0; ABREAST];
        for l in 0..dimension {
            let (x, z) = (row[l], &panel[l]);
            for j in 0..ABREAST {
                sums[j] = further::<FMA, LAW>(x, z[at * ABREAST + j], sums[j]);
            }
        }
        for j in 0..ABREAST {
            out[at * ABREAST + j] = sums[j];
        }
    }
}

#[inline(always)]
fn further<const FMA: bool, const LAW: u8>(x: f64, z: f64, sum: f64) -> f64 {
    match LAW {
        ROUGH_BY_INPUT => sum + (x - z).abs(),
        ROUGH | T3 | T5 => fma::<FMA>(x - z, x - z, sum),
        _ => fma::<FMA>(x, z, sum),
    }
}

/// c, which rounding may have moved past ±1.
#[inline(always)]
fn cosine(c: f64) -> f64 {
    let c = select(c > 1.0, 1.0, c);
    select(c < -1.0, -1.0, c)
}

/// κ, or h for products.
#[inline(always)]
fn kappa<const FMA: bool, const LAW: u8>(s: f64) -> f64 {
    match LAW {
        ROUGH_BY_INPUT => exponential_of_negative::<FMA>(-s),
        ROUGH => exponential_of_negative::<FMA>(-s.sqrt()),
        T3 => {
            let a = (3.0 * s).sqrt();
            (1.0 + a) * exponential_of_negative::<FMA>(-a)
        }
        T5 => {
            let a = (5.0 * s).sqrt();
            (1.0 + a + (5.0 / 3.0) * s) * exponential_of_negative::<FMA>(-a)
        }
        RELU => {
            let c = cosine(s);
            let sine = ((1.0 - c) * (1.0 + c)).sqrt();
            FRAC_1_PI * fma::<FMA>(PI - arccosine::<FMA>(c), c, sine)
        }
        ERF => FRAC_2_PI * arcsine::<FMA>(cosine(s)),
        QUADRATIC => fma::<FMA>(2.0 * s, s, 1.0),
        _ => s,
    }
}

/// κ, what multiplies |Δ_l| or Δ_l² or b_l b'_l in its derivative, and e.
#[inline(always)]
fn slopes<const FMA: bool, const LAW: u8>(s: f64) -> (f64, f64, f64) {
    match LAW {
        ROUGH_BY_INPUT => {
            let value = exponential_of_negative::<FMA>(-s);
            (value, value, 0.0)
        }
        ROUGH => {
            let r = s.sqrt();
            let value = exponential_of_negative::<FMA>(-r);
            (value, select(s > 0.0, value / r, 0.0), 0.0)
        }
        T3 => {
            let a = (3.0 * s).sqrt();
            let tail = exponential_of_negative::<FMA>(-a);
            ((1.0 + a) * tail, 3.0 * tail, 0.0)
        }
        T5 => {
            let a = (5.0 * s).sqrt();
            let tail = exponential_of_negative::<FMA>(-a);
            ((1.0 + a + (5.0 / 3.0) * s) * tail, (5.0 / 3.0) * (1.0 + a) * tail, 0.0)
        }
        RELU => {
            let c = cosine(s);
            let sine = FRAC_1_PI * ((1.0 - c) * (1.0 + c)).sqrt();
            let slope = FRAC_1_PI * (PI - arccosine::<FMA>(c));
            (fma::<FMA>(slope, c, sine), slope, 0.5 * sine)
        }
        ERF => {
            let c = cosine(s);
            let complement = (1.0 - c) * (1.0 + c);
            let slope = FRAC_2_PI / select(complement > LEAST_COMPLEMENT, complement, LEAST_COMPLEMENT).sqrt();
            (FRAC_2_PI * arcsine::<FMA>(c), slope, -0.5 * c * slope)
        }
        QUADRATIC => (fma::<FMA>(2.0 * s, s, 1.0), 4.0 * s, 1.0),
        _ => (s, 0.0, 0.0),
    }
}

#[inline(always)]
fn derive<const FMA: bool, const LAW: u8>(pass: &Pass<'_>, weights: &[f64], out: &mut LayerSums) {
    let Pass { rows, columns, panel, .. } = *pass;
    let width = WIDTH.min(columns.n - panel * WIDTH);
    let sizes: &[f64; WIDTH] = &columns.sizes.as_chunks().0[panel];
    let panel = columns.panel(panel);
    let (mut signal, mut by_column, mut halves) = ([0.0; LANES], [0.0; WIDTH], [0.0; WIDTH]);
    let mut lanes = vec![[0.0; LANES]; rows.dimension];
    let mut squares = vec![0.0; rows.dimension];
    for at in 0..pass.block.len() {
        let i = pass.block.start + at;
        let (row, mut weighted) = (rows.row(i), [0.0; WIDTH]);
        weighted[..width].copy_from_slice(&weights[at * width..][..width]);
        let mut first = [0.0; WIDTH];
        distances::<FMA, LAW>(row, panel, &mut first);
        let factor = rows.signal * rows.sizes[i];
        for j in 0..WIDTH {
            let weight = factor * weighted[j] * if LAW >= RELU { sizes[j] } else { 1.0 };
            let (value, slope, half) = slopes::<FMA, LAW>(first[j]);
            weighted[j] = weight * value;
            first[j] = weight * slope;
            halves[j] = weight * half;
        }
        for j in 0..WIDTH {
            signal[j % LANES] += weighted[j];
        }
        if LAW != AFFINE {
            along::<FMA, LAW>(row, panel, &first, &mut lanes);
        }
        if LAW >= RELU {
            let mut of_row = [0.0; LANES];
            for j in 0..WIDTH {
                of_row[j % LANES] += halves[j];
                by_column[j] += halves[j];
            }
            let mut sum = 0.0;
            for part in of_row {
                sum += part;
            }
            for l in 0..row.len() {
                squares[l] += sum * row[l] * row[l];
            }
        }
    }
    out.signal += signal.iter().sum::<f64>();
    for (l, (lanes, square)) in lanes.iter().zip(&squares).enumerate() {
        let columns = panel[l].iter().zip(&by_column).map(|(b, e)| e * b * b);
        out.coordinates[l] += lanes.iter().sum::<f64>() + square + if LAW >= RELU { columns.sum() } else { 0.0 };
    }
}

/// Σ_j first_j |Δ_l|, first_j Δ_l² or first_j b_l b'_l, for every coordinate l.
#[inline(always)]
fn along<const FMA: bool, const LAW: u8>(
    row: &[f64],
    panel: &[[f64; WIDTH]],
    first: &[f64; WIDTH],
    lanes: &mut [[f64; LANES]],
) {
    let dimension = row.len();
    let (panel, lanes) = (&panel[..dimension], &mut lanes[..dimension]);
    for l in 0..dimension {
        let (x, z, mut sums) = (row[l], &panel[l], lanes[l]);
        for chunk in 0..WIDTH / LANES {
            for j in 0..LANES {
                let z = z[chunk * LANES + j];
                let term = match LAW {
                    ROUGH_BY_INPUT => (x - z).abs(),
                    ROUGH | T3 | T5 => (x - z) * (x - z),
                    _ => x * z,
                };
                sums[j] = fma::<FMA>(first[chunk * LANES + j], term, sums[j]);
            }
        }
        lanes[l] = sums;
    }
}

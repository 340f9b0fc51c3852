//! The smallest and the largest eigenpair of a symmetric matrix.
//!
//! A small matrix is decomposed. For a large one the largest pair comes from Lanczos' method, and the smallest from the
//! same method on (A + sI)⁻¹ through one Cholesky factorisation, where the end of the spectrum that matters stands far
//! from the rest: s = 0 if A is positive definite, else just enough. A shift that turns out to lie far from the end of a
//! crowded spectrum is replaced by one next to it. Only if all that fails is the matrix decomposed after all.
//!
//! The smallest value is accurate to about n·u·max|λ|, as with a full decomposition: that much of A is rounding already.

use std::ops::{Range, RangeInclusive};

use super::lanczos::{Lanczos, Multiply, Ritz, probe};
use crate::linalg::{Matrix, Tiles, dot, for_row_blocks, norm, symmetric_eigen};

/// The two ends of a spectrum. An eigenvalue lies within each residual of its value. [`extremes`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Extremes {
    /// λ_min.
    pub smallest: f64,
    /// Its eigenvector x, of unit length.
    pub smallest_vector: Vec<f64>,
    /// ‖Ax − λ_min x‖, as computed.
    pub smallest_residual: f64,
    /// λ_max.
    pub largest: f64,
    /// Its eigenvector, of unit length.
    pub largest_vector: Vec<f64>,
    /// ‖Ax − λ_max x‖, as computed.
    pub largest_residual: f64,
}

/// Up to this size a full decomposition is no slower.
const SMALL: usize = 160;
/// Steps with A itself: the largest eigenvalue of a kernel matrix needs about ten or fifty. The first few are far cheaper
/// than a factorisation, and show where the smallest eigenvalue is about.
const DIRECT_STEPS: RangeInclusive<usize> = 32..=160;
/// Steps with one inverse: not much cheaper than factoring again next to the end of the spectrum.
const INVERSE_STEPS: usize = 24;
/// Factorisations tried before the matrix is decomposed.
const FACTORISATIONS: usize = 10;
/// By how much a shift grows that was not enough.
const GROWTH: f64 = 32.0;
/// An eigenvector is good enough at this residual, relative to the norm of what is iterated with.
const VECTOR_TOLERANCE: f64 = 1e-10;
/// Numbers between these can be squared.
const COMFORTABLE: Range<f64> = 1e-100..1e100;

/// The extreme eigenpairs of a symmetric matrix, of which both triangles are read; `None` when it is empty or not finite.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::spectrum::extremes;
///
/// let ends = extremes(&Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])).expect("finite");
/// assert!((ends.smallest - 1.0).abs() < 1e-12 && (ends.largest - 3.0).abs() < 1e-12);
/// ```
pub fn extremes(A: &Matrix) -> Option<Extremes> {
    let n = A.rows();
    let size = A.as_slice().iter().fold(0.0_f64, |most, x| if x.is_nan() { f64::INFINITY } else { most.max(x.abs()) });
    if n == 0 || size.is_infinite() {
        return None;
    }
    if size > 0.0 && !COMFORTABLE.contains(&size) {
        return scaled(A, size);
    }
    let multiply = |x: &[f64], out: &mut [f64]| product(A, x, out);
    let (smallest, largest) = if n <= SMALL { None } else { iterated(A, &multiply) }.or_else(|| decomposed(A))?;
    Some(with_residuals(&multiply, smallest, largest))
}

/// The same for an operator that can only be applied, from at most `steps` applications. `multiply(x, out)` writes A·x.
///
/// The values lie within the spectrum, so that the smallest is no lower and the largest no higher than the truth;
/// the residuals say how far they may be from *an* eigenvalue. With n = 0 or results that are not finite, NaN.
///
/// ```
/// use shallows::spectrum::extremes_of_operator;
///
/// // diag(1, 2, …, 10), which is never written down.
/// let ends = extremes_of_operator(10, &|x, out| (0..10).for_each(|i| out[i] = (i + 1) as f64 * x[i]), 50);
/// assert!((ends.smallest - 1.0).abs() < 1e-8 && (ends.largest - 10.0).abs() < 1e-8);
/// ```
pub fn extremes_of_operator(n: usize, multiply: &(dyn Fn(&[f64], &mut [f64]) + Sync), steps: usize) -> Extremes {
    let mut lanczos = Lanczos::new(multiply, probe(n));
    let tolerance = n as f64 * f64::EPSILON;
    let enough = |bottom: &Ritz, top: &Ritz| {
        bottom.residual.max(top.residual) <= tolerance * bottom.value.abs().max(top.value.abs())
    };
    let found = if n == 0 { None } else { lanczos.run(1..=steps.clamp(1, n), enough) };
    match found {
        Some((bottom, top)) => with_residuals(multiply, lanczos.vector(&bottom), lanczos.vector(&top)),
        None => Extremes {
            smallest: f64::NAN,
            smallest_vector: vec![f64::NAN; n],
            smallest_residual: f64::NAN,
            largest: f64::NAN,
            largest_vector: vec![f64::NAN; n],
            largest_residual: f64::NAN,
        },
    }
}

/// For numbers whose squares overflow or vanish: through a multiple of A by a power of two.
fn scaled(A: &Matrix, size: f64) -> Option<Extremes> {
    // Subnormal numbers have no finite reciprocal.
    let factor = 2f64.powi(-(size.log2() as i32).max(-1000));
    let B = Matrix::from_vec(A.rows(), A.cols(), A.as_slice().iter().map(|x| x * factor).collect());
    let mut found = extremes(&B)?;
    let values = [&mut found.smallest, &mut found.smallest_residual, &mut found.largest, &mut found.largest_residual];
    values.into_iter().for_each(|value| *value /= factor);
    Some(found)
}

/// out ← A·x, in parallel.
fn product(A: &Matrix, x: &[f64], out: &mut [f64]) {
    for_row_blocks(out, 1, |rows, out| out.iter_mut().zip(rows).for_each(|(out, i)| *out = dot(A.row(i), x)));
}

/// Rayleigh quotients and residuals of two unit vectors.
fn with_residuals(multiply: Multiply<'_>, smallest_vector: Vec<f64>, largest_vector: Vec<f64>) -> Extremes {
    let measured = |x: &[f64]| {
        let mut image = vec![0.0; x.len()];
        multiply(x, &mut image);
        let value = dot(x, &image) / dot(x, x);
        image.iter_mut().zip(x).for_each(|(image, x)| *image -= value * x);
        (value, norm(&image))
    };
    let (smallest, smallest_residual) = measured(&smallest_vector);
    let (largest, largest_residual) = measured(&largest_vector);
    Extremes { smallest, smallest_vector, smallest_residual, largest, largest_vector, largest_residual }
}

/// The first and the last eigenvector by a full decomposition.
fn decomposed(A: &Matrix) -> Option<(Vec<f64>, Vec<f64>)> {
    let (_, Q) = symmetric_eigen(A)?;
    Some((Q.column(0), Q.column(A.rows() - 1)))
}

/// The same by iteration, or `None` where that does not converge.
fn iterated(A: &Matrix, multiply: Multiply<'_>) -> Option<(Vec<f64>, Vec<f64>)> {
    let n = A.rows();
    let tolerance = n as f64 * f64::EPSILON;
    let mut lanczos = Lanczos::new(multiply, probe(n));
    let good = |ritz: &Ritz, size: f64| ritz.error() <= tolerance * size && ritz.residual <= VECTOR_TOLERANCE * size;
    let size = |bottom: &Ritz, top: &Ritz| bottom.value.abs().max(top.value.abs());
    let (bottom, top) = lanczos.run(DIRECT_STEPS, |bottom, top| good(top, size(bottom, top)))?;
    let size = size(&bottom, &top);
    let end = |ritz: &Ritz, sign: f64| {
        let start = lanczos.vector(ritz);
        if good(ritz, size) {
            return Some(start);
        }
        by_inversion(A, sign, Guess { value: sign * ritz.value, error: ritz.residual, size }, start)
    };
    Some((end(&bottom, 1.0)?, end(&top, -1.0)?))
}

/// What is known of the smallest eigenvalue before anything is factored.
struct Guess {
    /// No lower than the truth.
    value: f64,
    error: f64,
    /// About ‖A‖.
    size: f64,
}

/// The eigenvector of the smallest eigenvalue of ±A, from Lanczos' method on (±A + sI)⁻¹.
fn by_inversion(A: &Matrix, sign: f64, guess: Guess, start: Vec<f64>) -> Option<Vec<f64>> {
    let n = A.rows();
    let rounding = n as f64 * f64::EPSILON * guess.size;
    let mut base = -guess.value;
    let mut margin = (2.0 * guess.error).max(8.0 * rounding);
    // What may be positive definite is first taken to be.
    if guess.value > -rounding && margin > guess.value {
        (base, margin) = (0.0, 0.0);
    }
    let mut start = start;
    // The Ritz vector is poor in what the inverse will bring forward; a little of everything keeps it from missing any.
    start.iter_mut().zip(probe(n)).for_each(|(x, noise)| *x += noise / (n as f64).sqrt());
    for _ in 0..FACTORISATIONS {
        let shift = base + margin;
        let Some(factor) = shifted(A, sign, shift).factored() else {
            margin = (GROWTH * margin).max(8.0 * rounding);
            continue;
        };
        let solve = |x: &[f64], out: &mut [f64]| {
            out.copy_from_slice(x);
            factor.solve_in_place(out);
        };
        let mut lanczos = Lanczos::new(&solve, start);
        // An eigenvalue 1/μ of ±A + sI is off by the error of μ over μ².
        let good = |top: &Ritz| {
            let relative = (rounding * top.value).max(n as f64 * f64::EPSILON);
            top.error() <= relative * top.value && top.residual <= VECTOR_TOLERANCE * top.value
        };
        let (_, top) = lanczos.run(1..=INVERSE_STEPS, |_, top| good(top))?;
        start = lanczos.vector(&top);
        if good(&top) {
            return Some(start);
        }
        base = shift - 1.0 / top.value;
        margin = (4.0 * top.residual / (top.value * top.value)).max(8.0 * rounding);
    }
    None
}

/// ±A + sI, tile by tile.
fn shifted(A: &Matrix, sign: f64, shift: f64) -> Tiles {
    Tiles::from_fn(A.rows(), |rows, cols, tile| {
        for (i, out) in rows.clone().zip(tile.chunks_exact_mut(cols.len())) {
            out.iter_mut().zip(&A.row(i)[cols.clone()]).for_each(|(out, a)| *out = sign * a);
            if cols.contains(&i) {
                out[i - cols.start] += shift;
            }
        }
    })
}

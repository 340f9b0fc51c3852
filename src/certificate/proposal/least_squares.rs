//! The dual point of a claim without decay and with both signs: the residual of least squares, which is orthogonal to every
//! product of inputs, however many of these are dependent.

use shallows_verify::optimum::function::QuadraticFunction;
use shallows_verify::rows::ProofRows;

use crate::data::scaling;
use crate::linalg::{Matrix, QuadraticRows, QuadraticStep, dot};

/// The first steps find the function, the later ones what its digits do not hold.
const REPETITIONS: usize = 3;

/// The quadratic function of x̂ with the least squares, if there are few rows.
pub(super) fn least_squares(
    rows: &ProofRows<'_>,
    linear: bool,
    intercept: bool,
    sign: f64,
) -> Option<QuadraticFunction> {
    let (n, d) = (rows.n(), rows.d());
    if n > QuadraticRows::MOST_ROWS {
        return None;
    }
    let omega = rows.weighted(&vec![1.0; n]);
    let X = Matrix::from_row_fn(n, d, |i, out| out.copy_from_slice(&rows.row(i)));
    let normal = Normal::of(&X, &omega, linear && intercept);
    let space = QuadraticRows::new(normal.rows(&X), &omega, linear, intercept)?;
    let mut function = QuadraticFunction::zero(d);
    for repetition in 0..2 * REPETITIONS {
        let missing: Vec<f64> = function.residuals(rows, sign).iter().map(|r| -sign * r).collect();
        let step = normal.undone(&space.fitted(&missing));
        let part = match repetition {
            0..REPETITIONS => &mut function,
            _ => function.low.get_or_insert_with(|| Box::new(QuadraticFunction::zero(d))),
        };
        for (a, row) in part.M.iter_mut().enumerate() {
            row.iter_mut().zip(step.M.row(a)).for_each(|(m, step)| *m += step);
        }
        part.b.iter_mut().zip(&step.b).for_each(|(b, step)| *b += step);
        part.c += step.c;
    }
    function.check(d).ok().map(|()| function)
}

/// z = (x̂ − μ)/s
struct Normal {
    mean: Vec<f64>,
    scale: Vec<f64>,
}

impl Normal {
    fn of(X: &Matrix, omega: &[f64], may_centre: bool) -> Normal {
        let columns = scaling::locations_and_scales(X.as_slice(), X.cols(), omega, may_centre);
        let mean = columns.iter().map(|(mean, _)| if may_centre { *mean } else { 0.0 });
        let scale = columns.iter().map(|(_, scale)| if scale.is_finite() && *scale > 0.0 { *scale } else { 1.0 });
        Normal { mean: mean.collect(), scale: scale.collect() }
    }

    fn rows(&self, X: &Matrix) -> Matrix {
        Matrix::from_fn(X.rows(), X.cols(), |i, j| (X[(i, j)] - self.mean[j]) / self.scale[j])
    }

    /// A function of z as one of x̂.
    fn undone(&self, step: &QuadraticStep) -> QuadraticStep {
        let Normal { mean, scale } = self;
        let d = mean.len();
        let M = Matrix::from_fn(d, d, |a, b| step.M[(a, b)] / (scale[a] * scale[b]));
        let slopes: Vec<f64> = step.b.iter().zip(scale).map(|(b, scale)| b / scale).collect();
        let moved = M.times_vector(mean);
        QuadraticStep {
            b: slopes.iter().zip(&moved).map(|(b, moved)| b - 2.0 * moved).collect(),
            c: step.c - dot(&slopes, mean) + dot(&moved, mean),
            square: step.square,
            M,
        }
    }
}

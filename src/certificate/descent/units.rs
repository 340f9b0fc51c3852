//! Hidden units on all rows: φ, φ' and how far they can be off. The bounds are those in the header of `jacobian`.

use std::ops::Range;

use crate::activation::{Activation, Bound, Kinked, Smooth};
use crate::certificate::arithmetic::{TINY, U, add_up, mul_up};
use crate::data::Data;
use crate::linalg::{Destination, Matrix, for_row_blocks, multiply};
use crate::network::Network;

/// φ and φ' of some units on all rows, with error bounds.
pub(in crate::certificate) struct EvaluatedUnits {
    pub v: Vec<f64>,
    pub values: Matrix,
    pub slopes: Matrix,
    pub value_errors: Matrix,
    pub slope_errors: Matrix,
}

impl EvaluatedUnits {
    pub(crate) fn new(network: &Network, data: &Data, range: Range<usize>) -> EvaluatedUnits {
        let (n, d, units) = (data.n(), data.d(), range.len());
        let W = Matrix::from_row_fn(units, d, |l, out| out.copy_from_slice(network.W.row(range.start + l)));
        let absolute = |A: &Matrix| {
            Matrix::from_row_fn(A.rows(), d, |i, out| {
                out.iter_mut().zip(A.row(i)).for_each(|(out, x)| *out = x.abs());
            })
        };
        let Z = products(&data.X, &W);
        let sizes = products(&absolute(&data.X), &absolute(&W));
        let mut block = EvaluatedUnits {
            v: network.v[range].to_vec(),
            values: Matrix::zeros(n, units),
            slopes: Matrix::zeros(n, units),
            value_errors: Matrix::zeros(n, units),
            slope_errors: Matrix::zeros(n, units),
        };
        network.activation.slopes(Z.as_slice(), block.values.as_mut_slice(), block.slopes.as_mut_slice());
        let accuracy = Accuracy::new(&network.activation);
        for i in 0..n {
            for l in 0..units {
                let off = add_up(mul_up(1.02 * (d + 1) as f64 * U, sizes[(i, l)]), mul_up((d + 1) as f64, TINY));
                let (value, slope) = (block.values[(i, l)], block.slopes[(i, l)]);
                let (of_value, of_slope) = accuracy.errors(Z[(i, l)], off, value, slope);
                (block.value_errors[(i, l)], block.slope_errors[(i, l)]) = (of_value, of_slope);
            }
        }
        block
    }
}

/// X·Wᵀ, rows in parallel.
pub(in crate::certificate) fn products(X: &Matrix, W: &Matrix) -> Matrix {
    let mut Z = Matrix::zeros(X.rows(), W.rows());
    for_row_blocks(Z.as_mut_slice(), W.rows(), |rows, out| {
        multiply(out, X.view_rows(rows), W.view().t(), Destination::Replace)
    });
    Z
}

/// How far computed values of φ and φ' can be off.
enum Accuracy {
    /// M, and an absolute error besides the relative one.
    Smooth { curvature: f64, absolute: f64 },
    /// The jump of φ' at 0, and sup|φ'|.
    Kinked { jump: f64, slope: f64 },
}

impl Accuracy {
    fn new(activation: &Activation) -> Accuracy {
        match activation {
            Activation::Kinked(kinked) => Accuracy::Kinked { jump: jump(*kinked), slope: slope_bound(activation) },
            Activation::Smooth(smooth) => {
                let absolute = if matches!(smooth, Smooth::Erf | Smooth::Gelu) { 32.0 * U } else { TINY };
                Accuracy::Smooth { curvature: curvature_bound(activation), absolute }
            }
        }
    }

    /// Bounds on the errors of φ(ẑ) and φ'(ẑ) as values at z, where |ẑ − z| ≤ off.
    fn errors(&self, z: f64, off: f64, value: f64, slope: f64) -> (f64, f64) {
        match self {
            Accuracy::Smooth { curvature, absolute } => {
                let of_slope = add_up(mul_up(12.0 * U, slope.abs()), *absolute);
                let bent = mul_up(*curvature, off);
                let steepest = add_up(add_up(slope.abs(), of_slope), bent);
                let of_value = add_up(mul_up(12.0 * U, value.abs()), *absolute);
                (add_up(mul_up(steepest, off), of_value), add_up(bent, of_slope))
            }
            Accuracy::Kinked { jump, slope } => {
                let of_value = add_up(mul_up(*slope, off), mul_up(2.0 * U, value.abs()));
                (of_value, if z.abs() > off { 0.0 } else { *jump })
            }
        }
    }
}

/// |φ'(0+) − φ'(0−)|, from above.
pub(in crate::certificate) fn jump(kinked: Kinked) -> f64 {
    match kinked {
        Kinked::Relu => 1.0,
        Kinked::LeakyRelu { slope } => (1.0 - slope).abs().next_up(),
        Kinked::Abs => 2.0,
    }
}

/// sup|φ'|; ∞ where there is none.
pub(in crate::certificate) fn slope_bound(activation: &Activation) -> f64 {
    match activation.slope_bound() {
        Bound::Finite(bound) => bound,
        Bound::Unbounded => f64::INFINITY,
    }
}

/// sup|φ''|; ∞ where there is none.
pub(in crate::certificate) fn curvature_bound(activation: &Activation) -> f64 {
    match activation {
        Activation::Smooth(smooth) => match smooth.curvature_bound() {
            Bound::Finite(bound) => bound,
            Bound::Unbounded => f64::INFINITY,
        },
        Activation::Kinked(_) => f64::INFINITY,
    }
}

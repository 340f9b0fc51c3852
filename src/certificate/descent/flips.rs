//! How much the Jacobian of a network with a kinked activation can change near the start: the units that can change
//! sides, counted row by row.

use super::jacobian::{AtStart, weights};
use super::units::{jump, products};
use crate::activation::Activation;
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::arithmetic::{U, add_up, mul_down, mul_up, sqrt_up, sub_down};
use crate::data::Data;
use crate::linalg::Matrix;
use crate::network::Network;

/// For each row the sums of the m smallest (w_l·xᵢ)², m = 1, 2, …, from below.
#[derive(Clone)]
pub(in crate::certificate) struct Flips {
    /// Row i: the sums, ascending.
    sums: Matrix,
    /// ‖xᵢ‖² from above, and wᵢ.
    squares: Vec<f64>,
    weights: Vec<f64>,
    /// jump·max|v|; none for a smooth activation.
    height: Option<f64>,
}

impl Flips {
    pub(crate) fn new(network: &Network, data: &Data) -> Flips {
        let (n, d, k) = (data.n(), data.d(), network.width());
        let height = match &network.activation {
            Activation::Kinked(kinked) => {
                let largest = network.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
                Some(mul_up(jump(*kinked), largest))
            }
            Activation::Smooth(_) => None,
        };
        let absolute = |A: &Matrix| Matrix::from_fn(A.rows(), d, |i, j| A[(i, j)].abs());
        let (Z, sizes) = (products(&data.X, &network.W), products(&absolute(&data.X), &absolute(&network.W)));
        let sums = Matrix::from_row_fn(if height.is_some() { n } else { 0 }, k, |i, out| {
            for (l, out) in out.iter_mut().enumerate() {
                let least = sub_down(Z[(i, l)].abs(), mul_up(1.02 * (d + 1) as f64 * U, sizes[(i, l)])).max(0.0);
                *out = mul_down(least, least).max(0.0);
            }
            out.sort_by(f64::total_cmp);
            let mut sum = 0.0;
            for out in out.iter_mut() {
                sum = (sum + *out).next_down().max(0.0);
                *out = sum;
            }
        });
        let square = |i: usize| data.X.row(i).iter().fold(0.0, |sum, x| add_up(sum, mul_up(*x, *x)));
        Flips { sums, squares: (0..n).map(square).collect(), weights: weights(data), height }
    }

    /// The same with all output weights multiplied by c > 0.
    pub(crate) fn scaled(&self, c: f64) -> Flips {
        Flips { height: self.height.map(|height| mul_up(c, height)), ..self.clone() }
    }

    pub(crate) fn is_kinked(&self) -> bool {
        self.height.is_some()
    }

    /// sup‖J − J₀‖ over ‖W − W₀‖ ≤ R, from above; NaN for a smooth activation or a radius that is no number.
    pub(crate) fn perturbation(&self, at: &AtStart, radius: f64) -> f64 {
        let Some(height) = self.height.filter(|_| radius.is_finite()) else { return f64::NAN };
        let (mut most, mut total) = (0, 0.0);
        for i in 0..self.sums.rows() {
            let reach = mul_up(mul_up(radius, radius), self.squares[i]);
            let count = self.sums.row(i).partition_point(|sum| *sum <= reach);
            most = most.max(count);
            total = add_up(total, mul_up(mul_up(self.weights[i], count as f64), self.squares[i]));
        }
        let spectral = mul_up(at.inputs.high, sqrt_up(most as f64));
        mul_up(height, spectral.min(sqrt_up(total)))
    }

    /// ‖v‖₂
    pub(crate) fn output_norm(network: &Network) -> Enclosure {
        let high = crate::certificate::arithmetic::norm_up(network.v.iter().copied());
        Enclosure { low: 0.0, high }
    }
}

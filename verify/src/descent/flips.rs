//! How much the Jacobian of a network with a kinked activation can change near the start: the units that can change
//! sides, counted row by row.

use super::{MOST_ROWS, StartRows, check_start};
use crate::arithmetic::{TINY, U, add_up, dot_and_size, mul_down, mul_up, norm_up, sqrt_up, sub_down};
use crate::error::Result;
use crate::matrix::{Matrix, fill_rows};
use crate::network::Network;
use crate::rows::Rows;

/// For each row the sums of the m smallest (w_l·xᵢ)², m = 1, 2, …, from below.
#[derive(Clone, Debug)]
pub struct Flips {
    /// Row i: the sums, ascending.
    sums: Matrix,
    /// ‖xᵢ‖² from above, and wᵢ.
    squares: Vec<f64>,
    weights: Vec<f64>,
    /// jump·max|v|; none for a smooth activation.
    height: Option<f64>,
    /// Whether there are not too many rows and units to look at.
    examined: bool,
}

/// Beyond this many rows times units nothing is looked at.
const MOST_SUMS: usize = 1 << 28;

impl Flips {
    /// For a network without biases and affine part.
    pub fn new(network: &Network, rows: Rows) -> Result<Flips> {
        check_start(network, rows)?;
        let rows = StartRows::new(rows)?;
        let (n, d, k) = (rows.n(), rows.d(), network.width());
        let largest = network.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let height = network.activation.jump().map(|jump| mul_up(jump, largest));
        let examined = n <= MOST_ROWS && n.saturating_mul(k) <= MOST_SUMS;
        let looked_at = if height.is_some() && examined { n } else { 0 };
        let sums = fill_rows(looked_at, k, &|range, out| {
            for (i, out) in range.zip(out.chunks_exact_mut(k)) {
                write_sums(network, rows.row(i), d, out);
            }
        });
        let square = |i: usize| rows.row(i).iter().fold(0.0, |sum, x| add_up(sum, mul_up(*x, *x)));
        let squares = (0..n).map(square).collect();
        let sums = Matrix::from_vec(looked_at, k, sums).unwrap_or_default();
        Ok(Flips { sums, squares, weights: rows.w, height, examined })
    }

    /// Whether φ has a kink.
    pub fn is_kinked(&self) -> bool {
        self.height.is_some()
    }

    /// sup‖J − J₀‖ over ‖W − W₀‖ ≤ R, from above, for ‖X‖ at most `inputs`; NaN for a smooth activation, a radius that
    /// is no number, and too many rows or units.
    pub fn perturbation(&self, inputs: f64, radius: f64) -> f64 {
        let Some(height) = self.height.filter(|_| radius.is_finite() && self.examined) else { return f64::NAN };
        let (mut most, mut total) = (0, 0.0);
        for i in 0..self.sums.rows() {
            let reach = mul_up(mul_up(radius, radius), self.squares[i]);
            let count = self.sums.row(i).partition_point(|sum| *sum <= reach);
            // What is no number excludes nothing.
            let count = if reach.is_finite() { count } else { self.sums.cols() };
            most = most.max(count);
            total = add_up(total, mul_up(mul_up(self.weights[i], count as f64), self.squares[i]));
        }
        if most == 0 {
            return 0.0;
        }
        let spectral = mul_up(inputs, sqrt_up(most as f64));
        mul_up(height, spectral.min(sqrt_up(total)))
    }
}

/// The sums of the smallest squares of a row.
fn write_sums(network: &Network, x: &[f64], d: usize, out: &mut [f64]) {
    let dots = (d + 1) as f64;
    for (l, out) in out.iter_mut().enumerate() {
        let (z, size) = dot_and_size(x, network.W.row(l));
        let off = add_up(mul_up(1.02 * dots * U, size), mul_up(dots, TINY));
        // NaN becomes 0: such a unit may be on either side.
        let least = sub_down(z.abs(), off).max(0.0);
        *out = mul_down(least, least).max(0.0);
    }
    out.sort_by(f64::total_cmp);
    let mut sum = 0.0;
    for out in out.iter_mut() {
        sum = (sum + *out).next_down().max(0.0);
        *out = sum;
    }
}

/// ‖v‖₂ from above.
pub(crate) fn output_norm(network: &Network) -> f64 {
    norm_up(network.v.iter().copied())
}

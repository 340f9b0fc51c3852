//! The residuals of a quadratic network on rows, each with a bound on its error, and its objective.
//!
//! rᵢ = Σ_l v_l(w_l·xᵢ)² + c + b·xᵢ − yᵢ. With a_il = Σ_t|x_it||w_lt|, plain arithmetic is off by at most
//!
//! ```text
//! δᵢ = 1.01(2d+k+4)u Σ_l|v_l|a_il² + 1.01(d+4)u Σ_t|b_t x_it| + 4u(|f̂ᵢ| + |c| + |r̂ᵢ| + Σ_t|b_t x_it|)
//! ```
//!
//! and pairs of floats (each dot product a compensated sum, squared exactly but for terms of size u²) by at most
//! 16(d+2)²u² Σ_l|v_l|a_il² besides the rounding of the final sum. Pairs cost twenty times as much and are used unless there
//! is too much to do. Underflow is covered by d·2⁻¹⁰⁵⁰(a_il+1)²|v_l| per unit.

use crate::arithmetic::{
    CompensatedSum, Enclosure, TINY, U, add_down, add_up, div_down, div_up, dot_and_size, inflated, mul_down, mul_up,
    sub_down, two_product,
};
use crate::matrix::fill_rows;
use crate::network::Network;
use crate::rows::ProofRows;

/// Beyond n·d·(k + 1) of this, plain arithmetic must do.
const MOST_WIDE_PRODUCTS: f64 = 1e8;

/// r̂ᵢ and δᵢ for every row that counts, in the inputs as given.
pub fn residuals(network: &Network, rows: &ProofRows<'_>) -> Vec<(f64, f64)> {
    let products = rows.n() as f64 * rows.d() as f64 * (network.width() + 1) as f64;
    let residual = if products > MOST_WIDE_PRODUCTS { plain_residual } else { wide_residual };
    let pairs = fill_rows(rows.n(), 2, &|range, out| {
        for (out, i) in out.chunks_exact_mut(2).zip(range) {
            let (value, error) = residual(network, rows.raw(i), rows.y[i]);
            out.copy_from_slice(&[value, error]);
        }
    });
    pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

/// ½Σωᵢrᵢ² + τΣ_l|v_l|‖w_l‖², given the residuals. Errors that are NaN give an enclosure that proves nothing.
pub(crate) fn objective(network: &Network, rows: &ProofRows<'_>, residuals: &[(f64, f64)], decay: f64) -> Enclosure {
    let (mut low, mut high) = (0.0, 0.0);
    for ((value, error), w) in residuals.iter().zip(&rows.w) {
        let (most, least) = (add_up(value.abs(), *error), sub_down(value.abs(), *error).max(0.0));
        high = add_up(high, mul_up(*w, mul_up(most, most)));
        low = add_down(low, mul_down(*w, mul_down(least, least)).max(0.0)).max(0.0);
    }
    let penalty = penalty(network, decay);
    let half_mean = Enclosure { low: 0.5 * div_down(low, rows.total.high), high: 0.5 * div_up(high, rows.total.low) };
    let low = add_down(half_mean.low, penalty.low).max(0.0);
    let high = add_up(half_mean.high, penalty.high).next_up();
    if high.is_finite() { Enclosure { low, high } } else { Enclosure { low: 0.0, high: f64::INFINITY } }
}

/// τ Σ_l|v_l|‖w_l‖².
fn penalty(network: &Network, decay: f64) -> Enclosure {
    if decay == 0.0 {
        return Enclosure::exactly(0.0);
    }
    let (mut low, mut high) = (0.0, 0.0);
    for (l, v) in network.v.iter().enumerate() {
        for w in network.W.row(l) {
            low = add_down(low, mul_down(v.abs(), mul_down(*w, *w).max(0.0)).max(0.0)).max(0.0);
            high = add_up(high, mul_up(v.abs(), mul_up(*w, *w)));
        }
    }
    Enclosure { low: mul_down(decay, low).max(0.0), high: mul_up(decay, high) }
}

/// |v|(a+1)²·d·2⁻¹⁰⁵⁰
fn underflow(v: f64, a: f64, d: usize) -> f64 {
    v.abs() * (a + 1.0) * (a + 1.0) * (d as f64 * 1024.0 * TINY)
}

fn plain_residual(network: &Network, x: &[f64], y: f64) -> (f64, f64) {
    let (k, d) = (network.width(), x.len());
    let (mut f, mut size, mut lost) = (0.0, 0.0, 0.0);
    for (l, v) in network.v.iter().enumerate() {
        let (z, a) = dot_and_size(network.W.row(l), x);
        f += v * (z * z);
        size += v.abs() * (a * a);
        lost += underflow(*v, a, d);
    }
    let c = network.intercept.unwrap_or(0.0);
    let (linear, linear_size) = network.linear.as_ref().map_or((0.0, 0.0), |b| dot_and_size(b, x));
    let f = f + (c + linear);
    let r = f - y;
    let last = 4.0 * (f.abs() + c.abs() + r.abs() + linear_size);
    let error = 1.01 * (2 * d + k + 4) as f64 * size + 1.01 * (d + 4) as f64 * linear_size + last;
    (r, add_up(inflated(U * error, 4 * d + k + 16), add_up(inflated(lost, k + 8), TINY * (d + k + 4) as f64)))
}

fn wide_residual(network: &Network, x: &[f64], y: f64) -> (f64, f64) {
    let (k, d) = (network.width(), x.len());
    let (mut sum, mut slack) = (CompensatedSum::default(), 0.0);
    sum.add(-y);
    sum.add(network.intercept.unwrap_or(0.0));
    for (b, x) in network.linear.iter().flatten().zip(x) {
        sum.add_product(*b, *x);
    }
    for (l, v) in network.v.iter().enumerate() {
        let (mut dot, mut a) = (CompensatedSum::default(), 0.0);
        for (w, x) in network.W.row(l).iter().zip(x) {
            dot.add_product(*w, *x);
            a += (w * x).abs();
        }
        let (high, low, _) = dot.wide();
        let (square, lost) = two_product(high, high);
        sum.add_product(*v, square);
        sum.add(v * (lost + 2.0 * high * low));
        let count = (d + 2) as f64;
        // u²|v| alone may underflow where u²|v|a² does not.
        slack += 16.0 * count * count * U * U * (v.abs() * (a * a)) + underflow(*v, a, d);
    }
    let (value, error) = sum.value();
    (value, add_up(error, inflated(slack, 4 * d + k + 16)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;

    #[test]
    fn the_exact_residual_lies_within_both_bounds() {
        let mut state = 9_u64;
        let mut next = |most: i64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as i64 % (2 * most + 1) - most
        };
        for _ in 0..2000 {
            // 24 bits each: the residual has up to 120 and is no double.
            let [w, x, v] = [1 << 23, 1 << 23, 1 << 20].map(|most| [next(most), next(most)]);
            let (c, y) = (next(1 << 40), next(1 << 40));
            let floats = |numbers: [i64; 2]| numbers.map(|x| x as f64).to_vec();
            let W = Matrix::from_fn(2, 2, |l, j| w[j] as f64 + l as f64);
            let network = Network { W, v: floats(v), intercept: Some(c as f64), ..Network::zero(2) };
            let unit = |l: i64| {
                let z = i128::from(w[0] + l) * i128::from(x[0]) + i128::from(w[1] + l) * i128::from(x[1]);
                i128::from(v[l as usize]) * z * z
            };
            let exact = unit(0) + unit(1) + i128::from(c - y);
            for (residual, sharp) in [(plain_residual as fn(&Network, &[f64], f64) -> _, false), (wide_residual, true)]
            {
                let (value, error): (f64, f64) = residual(&network, &floats(x), y as f64);
                // A double of this size is a whole number.
                let off = (exact - value as i128).unsigned_abs() as f64;
                assert!(off <= error, "{off} {error}");
                assert!(!sharp || error <= 1e-15 * (value.abs() + 1e26));
            }
        }
    }
}

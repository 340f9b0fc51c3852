//! The objective of a given network, from above and from below.
//!
//! rᵢ = Σ_l v_l(w_l·xᵢ)² + c + b·xᵢ − yᵢ. With a_il = Σ_t|x_it||w_lt|, plain arithmetic is off by at most
//!
//! ```text
//! δᵢ = 1.01(2d+k+4)u Σ_l|v_l|a_il² + 1.01(d+4)u Σ_t|b_t x_it| + 4u(|f̂ᵢ| + |c| + |r̂ᵢ| + Σ_t|b_t x_it|)
//! ```
//!
//! and pairs of floats (each dot product a compensated sum, squared exactly but for terms of size u²) by at most
//! 16(d+2)²u² Σ_l|v_l|a_il² besides the rounding of the final sum. Pairs cost twenty times as much and are used when
//! plain arithmetic is not good enough. Underflow is covered by d·2⁻¹⁰⁵⁰(a_il+1)²|v_l| per unit.

use crate::activation::vectorised;
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::arithmetic::lanes::{self, DotsAndSizes, WIDTH};
use crate::certificate::arithmetic::rows::ProofRows;
use crate::certificate::arithmetic::{
    CompensatedSum, TINY, U, add_down, add_up, div_down, div_up, dot_and_size, inflated, mul_down, mul_up,
};
use crate::certificate::arithmetic::{power_of_two, sub_down, two_product};
use crate::linalg::{Matrix, for_row_blocks};
use crate::network::Network;

/// The objective of a network on rows that have not been scaled.
pub(in crate::certificate) fn objective(
    network: &Network,
    rows: &ProofRows<'_>,
    decay: f64,
    exponents: &[i32],
) -> Enclosure {
    evaluated(network, rows, decay, exponents).0
}

/// The objective, and the residuals in working precision, as a dual point needs them.
pub(in crate::certificate) fn evaluated(
    network: &Network,
    rows: &ProofRows<'_>,
    decay: f64,
    exponents: &[i32],
) -> (Enclosure, Vec<f64>) {
    /// Plain arithmetic is good enough for large work when its relative uncertainty is below this.
    const GOOD_ENOUGH: f64 = 1e-9;
    /// Pairs of floats are not tried beyond this many products.
    const MOST_PRODUCTS: f64 = 4e9;
    let penalty = penalty(network, decay, exponents);
    let R = plain_residuals(network, rows);
    let plain = enclosure(rows, &R, penalty);
    let products = products(network, rows);
    let good = plain.high - plain.low <= GOOD_ENOUGH * plain.low;
    if products > MOST_PRODUCTS || (products > MOST_GUESSED_PRODUCTS && good) {
        return (plain, R.column(0));
    }
    let R = wide_residuals(network, rows);
    let wide = enclosure(rows, &R, penalty);
    let high = if wide.high <= plain.high { wide.high } else { plain.high };
    (Enclosure { low: plain.low.max(wide.low), high }, R.column(0))
}

/// Beyond this many products plain residuals will do if they are good enough.
const MOST_GUESSED_PRODUCTS: f64 = 1e8;

/// r̂ᵢ and δᵢ for every row, as sharp as the amount of work allows.
pub(in crate::certificate) fn residuals(network: &Network, rows: &ProofRows<'_>) -> Matrix {
    let large = products(network, rows) > MOST_GUESSED_PRODUCTS;
    if large { plain_residuals(network, rows) } else { wide_residuals(network, rows) }
}

/// n·d·(k + 1)
pub(in crate::certificate) fn products(network: &Network, rows: &ProofRows<'_>) -> f64 {
    rows.n() as f64 * rows.d() as f64 * (network.width() + 1) as f64
}

/// r̂ᵢ and δᵢ for every row, in plain arithmetic.
fn plain_residuals(network: &Network, rows: &ProofRows<'_>) -> Matrix {
    let (k, d) = (network.width(), rows.d());
    let mut R = Matrix::zeros(rows.n(), 2);
    for_row_blocks(R.as_mut_slice(), 2, |range, out| {
        let (mut X, mut dots, mut sizes) = (vec![], vec![0.0; k * WIDTH], vec![0.0; k * WIDTH]);
        for start in range.clone().step_by(WIDTH) {
            let some = start..range.end.min(start + WIDTH);
            lanes::transposed(&rows.X.as_slice()[some.start * d..some.end * d], d, WIDTH, &mut X);
            vectorised(DotsAndSizes { X: &X, W: &network.W, dots: &mut dots, sizes: &mut sizes });
            let sums = summed(network, &dots, &sizes, d);
            for (at, i) in some.enumerate() {
                let (value, error) = plain_residual(network, rows.X.row(i), rows.y[i], sums[at]);
                out[2 * (i - range.start)..][..2].copy_from_slice(&[value, error]);
            }
        }
    });
    R
}

/// r̂ᵢ and δᵢ for every row, in pairs of floats.
pub(in crate::certificate) fn wide_residuals(network: &Network, rows: &ProofRows<'_>) -> Matrix {
    Matrix::from_row_fn(rows.n(), 2, |i, out| {
        let (value, error) = wide_residual(network, rows.X.row(i), rows.y[i]);
        out.copy_from_slice(&[value, error]);
    })
}

/// ½Σωᵢ(|r̂ᵢ| ± δᵢ)² + penalty. NaN errors give an enclosure that proves nothing.
fn enclosure(rows: &ProofRows<'_>, R: &Matrix, penalty: Enclosure) -> Enclosure {
    let (mut low, mut high) = (0.0, 0.0);
    for i in 0..rows.n() {
        let (size, error, w) = (R[(i, 0)].abs(), R[(i, 1)], rows.w[i]);
        let (most, least) = (add_up(size, error), sub_down(size, error).max(0.0));
        high = add_up(high, mul_up(w, mul_up(most, most)));
        low = add_down(low, mul_down(w, mul_down(least, least)).max(0.0)).max(0.0);
    }
    let half_mean = Enclosure { low: 0.5 * div_down(low, rows.total.high), high: 0.5 * div_up(high, rows.total.low) };
    let low = add_down(half_mean.low, penalty.low).max(0.0);
    let high = add_up(half_mean.high, penalty.high).next_up();
    if high.is_finite() { Enclosure { low, high } } else { Enclosure { low: 0.0, high: f64::INFINITY } }
}

/// τ Σ_l|v_l|‖S w_l‖².
fn penalty(network: &Network, decay: f64, exponents: &[i32]) -> Enclosure {
    let (mut low, mut high) = (0.0, 0.0);
    for (l, v) in network.v.iter().enumerate() {
        for (w, e) in network.W.row(l).iter().zip(exponents) {
            let size = w.abs() * power_of_two(*e);
            let (least, most) = (size.next_down().max(0.0), size.next_up());
            low = add_down(low, mul_down(v.abs(), mul_down(least, least).max(0.0)).max(0.0)).max(0.0);
            high = add_up(high, mul_up(v.abs(), mul_up(most, most)));
        }
    }
    if decay == 0.0 {
        return Enclosure { low: 0.0, high: 0.0 };
    }
    Enclosure { low: mul_down(decay, low).max(0.0), high: mul_up(decay, high) }
}

/// |v|(a+1)²·d·2⁻¹⁰⁵⁰
fn underflow(v: f64, a: f64, d: usize) -> f64 {
    v.abs() * (a + 1.0) * (a + 1.0) * (d as f64 * 1024.0 * TINY)
}

/// What the units add up to on one row.
#[derive(Clone, Copy, Default)]
struct UnitTotals {
    /// Σ_l v_l z_l²
    f: f64,
    /// Σ_l |v_l| a_l²
    size: f64,
    underflow: f64,
}

/// The sums over the units, in their order, for each of the rows side by side.
fn summed(network: &Network, dots: &[f64], sizes: &[f64], d: usize) -> [UnitTotals; WIDTH] {
    let mut sums = [UnitTotals::default(); WIDTH];
    let units = dots.as_chunks::<WIDTH>().0.iter().zip(sizes.as_chunks::<WIDTH>().0);
    for ((z, a), v) in units.zip(&network.v) {
        for (sums, (z, a)) in sums.iter_mut().zip(z.iter().zip(a)) {
            sums.f += v * (z * z);
            sums.size += v.abs() * (a * a);
            sums.underflow += underflow(*v, *a, d);
        }
    }
    sums
}

fn plain_residual(network: &Network, x: &[f64], y: f64, units: UnitTotals) -> (f64, f64) {
    let (k, d) = (network.width(), x.len());
    let UnitTotals { f, size, underflow } = units;
    let c = network.intercept.unwrap_or(0.0);
    let (linear, linear_size) = network.linear.as_ref().map_or((0.0, 0.0), |b| dot_and_size(b, x));
    let f = f + (c + linear);
    let r = f - y;
    let last = 4.0 * (f.abs() + c.abs() + r.abs() + linear_size);
    let error = 1.01 * (2 * d + k + 4) as f64 * size + 1.01 * (d + 4) as f64 * linear_size + last;
    (r, add_up(inflated(U * error, 4 * d + k + 16), add_up(inflated(underflow, k + 8), TINY * (d + k + 4) as f64)))
}

fn wide_residual(network: &Network, x: &[f64], y: f64) -> (f64, f64) {
    let (k, d) = (network.width(), x.len());
    let mut sum = CompensatedSum::default();
    let mut slack = 0.0;
    sum.add(-y);
    sum.add(network.intercept.unwrap_or(0.0));
    for (b, x) in network.linear.iter().flatten().zip(x) {
        sum.add_product(*b, *x);
    }
    for l in 0..k {
        let v = network.v[l];
        let mut dot = CompensatedSum::default();
        let mut a = 0.0;
        for (w, x) in network.W.row(l).iter().zip(x) {
            dot.add_product(*w, *x);
            a += (w * x).abs();
        }
        let (high, low, _) = dot.wide();
        let (square, lost) = two_product(high, high);
        sum.add_product(v, square);
        sum.add(v * (lost + 2.0 * high * low));
        let count = (d + 2) as f64;
        slack += 16.0 * count * count * U * U * v.abs() * (a * a) + underflow(v, a, d);
    }
    let (value, error) = sum.value();
    (value, add_up(error, inflated(slack, 4 * d + k + 16)))
}

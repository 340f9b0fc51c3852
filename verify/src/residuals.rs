//! The residuals of a quadratic network on rows, each with a bound on its error, and its objective from above and from below.
//!
//! rᵢ = Σ_l v_l(w_l·xᵢ)² + c + b·xᵢ − yᵢ. With a_il = Σ_t|x_it||w_lt|, plain arithmetic is off by at most
//!
//! ```text
//! δᵢ = 1.01(2d+k+4)u Σ_l|v_l|a_il² + 1.01(d+4)u Σ_t|b_t x_it| + 4u(|f̂ᵢ| + |c| + |r̂ᵢ| + Σ_t|b_t x_it|)
//! ```
//!
//! whatever the order of the sums: w_l·xᵢ is off by at most d·u·a_il, its square by 2d·u·a_il² and two roundings, and the
//! sum over the units adds k more. Pairs of floats (each dot product a compensated sum, squared exactly but for terms of
//! size u²) are off by at most 16(d+2)²u² Σ_l|v_l|a_il² besides the rounding of the final sum. Pairs cost twenty times as
//! much and are used when plain arithmetic is not good enough. Underflow is covered by d·2⁻¹⁰⁵⁰(a_il+1)²|v_l| per unit.

use crate::arithmetic::{
    CompensatedSum, Enclosure, TINY, U, add_down, add_up, div_down, div_up, inflated, mul_down, mul_up, power_of_two,
    sub_down, two_product,
};
use crate::matrix::fill_rows;
use crate::network::Network;
use crate::rows::ProofRows;

/// Rows side by side in plain arithmetic.
const WIDTH: usize = 8;
/// Beyond this many products plain residuals will do if they are good enough.
const MANY_PRODUCTS: f64 = 1e8;
/// Pairs of floats are not tried beyond this many products.
const MOST_PRODUCTS: f64 = 4e9;
/// Plain arithmetic is good enough for large work when its relative uncertainty is below this.
const GOOD_ENOUGH: f64 = 1e-9;

/// ½Σωᵢrᵢ² + τΣ_l|v_l|‖S w_l‖² of a network on the given rows, whatever the coordinates of the proof.
pub fn objective(network: &Network, rows: &ProofRows<'_>, decay: f64, exponents: &[i32]) -> Enclosure {
    let penalty = penalty(network, decay, exponents);
    let plain = half_mean_square(rows, plain_residuals(network, rows).as_chunks().0, penalty);
    let products = products(network, rows);
    let good = plain.high - plain.low <= GOOD_ENOUGH * plain.low;
    if products > MOST_PRODUCTS || (products > MANY_PRODUCTS && good) {
        return plain;
    }
    let wide = half_mean_square(rows, wide_residuals(network, rows).as_chunks().0, penalty);
    let high = if wide.high <= plain.high { wide.high } else { plain.high };
    Enclosure { low: plain.low.max(wide.low), high }
}

/// r̂ᵢ and δᵢ for every row that counts, in the inputs as given, as sharp as the amount of work allows.
pub fn residuals(network: &Network, rows: &ProofRows<'_>) -> Vec<[f64; 2]> {
    let large = products(network, rows) > MANY_PRODUCTS;
    let R = if large { plain_residuals(network, rows) } else { wide_residuals(network, rows) };
    R.as_chunks::<2>().0.to_vec()
}

/// n·d·(k + 1)
fn products(network: &Network, rows: &ProofRows<'_>) -> f64 {
    rows.n() as f64 * rows.d() as f64 * (network.width() + 1) as f64
}

/// r̂ᵢ and δᵢ for every row, one after the other, in plain arithmetic.
fn plain_residuals(network: &Network, rows: &ProofRows<'_>) -> Vec<f64> {
    fill_rows(rows.n(), 2, &|range, out| {
        let mut X = vec![[0.0; WIDTH]; rows.d()];
        for (out, start) in out.chunks_mut(2 * WIDTH).zip(range.clone().step_by(WIDTH)) {
            let end = range.end.min(start + WIDTH);
            for (at, i) in (start..end).enumerate() {
                X.iter_mut().zip(rows.raw(i)).for_each(|(lanes, x)| lanes[at] = *x);
            }
            let units = unit_totals(network, &X);
            let linear = network.linear.as_ref().map_or(([0.0; WIDTH], [0.0; WIDTH]), |b| dots_and_sizes(b, &X));
            for (at, (out, y)) in out.chunks_exact_mut(2).zip(&rows.y[start..end]).enumerate() {
                let (value, error) = plain_residual(network, *y, units[at], (linear.0[at], linear.1[at]));
                out.copy_from_slice(&[value, error]);
            }
        }
    })
}

/// w·x and Σ|w_t x_t| for some rows x side by side.
#[inline]
fn dots_and_sizes(w: &[f64], X: &[[f64; WIDTH]]) -> ([f64; WIDTH], [f64; WIDTH]) {
    let (mut dots, mut sizes) = ([0.0; WIDTH], [0.0; WIDTH]);
    for (w, x) in w.iter().zip(X) {
        for lane in 0..WIDTH {
            let product = w * x[lane];
            dots[lane] += product;
            sizes[lane] += product.abs();
        }
    }
    (dots, sizes)
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
fn unit_totals(network: &Network, X: &[[f64; WIDTH]]) -> [UnitTotals; WIDTH] {
    let mut totals = [UnitTotals::default(); WIDTH];
    for (l, v) in network.v.iter().enumerate() {
        let (dots, sizes) = dots_and_sizes(network.W.row(l), X);
        for (totals, (z, a)) in totals.iter_mut().zip(dots.iter().zip(sizes)) {
            totals.f += v * (z * z);
            totals.size += v.abs() * (a * a);
            totals.underflow += underflow(*v, a, X.len());
        }
    }
    totals
}

/// |v|(a+1)²·d·2⁻¹⁰⁵⁰
fn underflow(v: f64, a: f64, d: usize) -> f64 {
    v.abs() * (a + 1.0) * (a + 1.0) * (d as f64 * 1024.0 * TINY)
}

fn plain_residual(network: &Network, y: f64, units: UnitTotals, linear: (f64, f64)) -> (f64, f64) {
    let (k, d) = (network.width(), network.inputs());
    let UnitTotals { f, size, underflow } = units;
    let c = network.intercept.unwrap_or(0.0);
    let (linear, linear_size) = linear;
    let f = f + (c + linear);
    let r = f - y;
    let last = 4.0 * (f.abs() + c.abs() + r.abs() + linear_size);
    let error = 1.01 * (2 * d + k + 4) as f64 * size + 1.01 * (d + 4) as f64 * linear_size + last;
    (r, add_up(inflated(U * error, 4 * d + k + 16), add_up(inflated(underflow, k + 8), TINY * (d + k + 4) as f64)))
}

/// r̂ᵢ and δᵢ for every row, one after the other, in pairs of floats.
fn wide_residuals(network: &Network, rows: &ProofRows<'_>) -> Vec<f64> {
    fill_rows(rows.n(), 2, &|range, out| {
        for (out, i) in out.chunks_exact_mut(2).zip(range) {
            let (value, error) = wide_residual(network, rows.raw(i), rows.y[i]);
            out.copy_from_slice(&[value, error]);
        }
    })
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
    for (l, v) in network.v.iter().enumerate() {
        let mut dot = CompensatedSum::default();
        let mut a = 0.0;
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

/// ½Σωᵢ(|r̂ᵢ| ± δᵢ)² + penalty. Errors that are NaN give an enclosure that proves nothing.
pub(crate) fn half_mean_square(rows: &ProofRows<'_>, R: &[[f64; 2]], penalty: Enclosure) -> Enclosure {
    let (mut low, mut high) = (0.0, 0.0);
    for ([r, error], w) in R.iter().zip(&rows.w) {
        let (most, least) = (add_up(r.abs(), *error), sub_down(r.abs(), *error).max(0.0));
        high = add_up(high, mul_up(*w, mul_up(most, most)));
        low = add_down(low, mul_down(*w, mul_down(least, least).max(0.0)).max(0.0)).max(0.0);
    }
    let half_mean = Enclosure { low: 0.5 * div_down(low, rows.total.high), high: 0.5 * div_up(high, rows.total.low) };
    let low = add_down(half_mean.low, penalty.low).max(0.0);
    let high = add_up(half_mean.high, penalty.high).next_up();
    if high.is_finite() { Enclosure { low, high } } else { Enclosure { low: 0.0, high: f64::INFINITY } }
}

/// τ Σ_l|v_l|‖S w_l‖²
pub(crate) fn penalty(network: &Network, decay: f64, exponents: &[i32]) -> Enclosure {
    if decay == 0.0 {
        return Enclosure::exactly(0.0);
    }
    let size = size(network, exponents);
    Enclosure { low: mul_down(decay, size.low).max(0.0), high: mul_up(decay, size.high) }
}

/// Σ_l|v_l|‖S w_l‖²
pub fn size(network: &Network, exponents: &[i32]) -> Enclosure {
    let (mut low, mut high) = (0.0, 0.0);
    for (l, v) in network.v.iter().enumerate() {
        for (w, e) in network.W.row(l).iter().zip(exponents) {
            // A product of zero is exactly zero; one by a power of two is rounded only where it under- or overflows.
            if *v == 0.0 || *w == 0.0 {
                continue;
            }
            let scaled = w.abs() * power_of_two(*e);
            let exact = scaled * power_of_two(-e) == w.abs();
            let (least, most) = if exact { (scaled, scaled) } else { (scaled.next_down().max(0.0), scaled.next_up()) };
            low = add_down(low, mul_down(v.abs(), mul_down(least, least).max(0.0)).max(0.0)).max(0.0);
            high = add_up(high, mul_up(v.abs(), mul_up(most, most)));
        }
    }
    Enclosure { low, high }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::rows::Rows;

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
            let (inputs, labels) = (floats(x), [y as f64]);
            let rows = ProofRows::new(Rows::new(&inputs, 2, &labels, None).unwrap(), 1.0).unwrap();
            for (residuals, sharp) in
                [(plain_residuals(&network, &rows), false), (wide_residuals(&network, &rows), true)]
            {
                let [value, error] = [residuals[0], residuals[1]];
                // A double of this size is a whole number.
                let off = (exact - value as i128).unsigned_abs() as f64;
                assert!(off <= error, "{off} {error}");
                assert!(!sharp || error <= 1e-15 * (value.abs() + 1e26));
            }
        }
    }
}

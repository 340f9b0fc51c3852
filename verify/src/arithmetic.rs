//! Floating point with proofs: directed rounding, compensated sums, tree sums, positive definiteness.
//!
//! Everything that decides a verdict is made of what is in this file. u = 2⁻⁵³, round to nearest, no fused multiply-add, no
//! reordering: the same inputs give the same bits on every machine. NaN fails every test.
//!
//! **Directed rounding.** A result of +, −, ×, ÷, √ is within half a unit in the last place of the exact value, also
//! when it underflows; so the next float above it is an upper bound, the next below a lower one. An overflow gives an
//! infinity, whose neighbour below is still a lower bound.
//!
//! **Compensated sums** ([`CompensatedSum`]). sum and correction hold Σ exactly up to the rounding of the correction: with N terms
//! of total size A, each rounding error of the running sum is at most u·(1+Nu)A and each product's at most u of the
//! product, both are found exactly [Knuth; Dekker], and adding up at most 3N of them loses at most 3Nu·(N+2)uA·1.01.
//! So |Σ − (sum + correction)| ≤ 4(N+2)²u²A + N·2⁻¹⁰⁶⁰ while Nu ≤ 10⁻³; the last term covers products that underflow (a
//! wide factor a + lost that has underflowed itself adds 2⁻¹⁰⁶⁰|b|).
//!
//! **Tree sums** ([`crate::matrix::tree`]). Blocks of 64 rows, added in a binary tree: a term meets at most m = 64 + depth roundings,
//! so an entry of fl(Σ θᵢ xᵢxᵢᵀ) is off by at most (m+2)u Σ|θᵢ||xᵢ||xᵢ|ᵀ [Higham, ASNA 2002, §3.1], a matrix with
//! non-negative entries that is positive semidefinite, so its norm is at most its trace.
//!
//! **Positive definiteness** ([`proves_definite`]). Rump, BIT 46 (2006) 433–452, Corollary 2.4; Rump and Jeannerod,
//! SIAM J. Matrix Anal. Appl. 35 (2014) 684–698, Theorem 4.4: floating Cholesky R̂ of Ã has
//! ‖Ã − R̂ᵀR̂‖ ≤ (d+1)u/(1−(d+1)u)·tr Ã + underflow =: c at most. When it runs to completion on Ã with the off-diagonal
//! of A and Ã_ii ≤ A_ii − c − rad, every symmetric A' with ‖A' − A‖ ≤ rad is ⪰ Ã + cI ≻ 0.

mod cholesky;
mod enclosure;
mod exact;
pub mod lanes;
mod rayleigh;

use std::ops::Range;

use crate::matrix::{BLOCK, Matrix, tree, tree_roundings};
use cholesky::completes;
pub use enclosure::{Enclosure, larger};
pub use exact::{ExactSum, equal_products};
pub use rayleigh::{largest_quotient, rayleigh};

/// The unit roundoff.
pub const U: f64 = f64::EPSILON / 2.0;
/// What one underflow can lose, with ample room: 2⁻¹⁰⁶⁰.
pub const TINY: f64 = f64::MIN_POSITIVE / (1_u64 << 38) as f64;
/// a + b from above.
#[inline]
pub fn add_up(a: f64, b: f64) -> f64 {
    (a + b).next_up()
}

/// a + b from below.
#[inline]
pub fn add_down(a: f64, b: f64) -> f64 {
    (a + b).next_down()
}

/// a − b from below.
#[inline]
pub fn sub_down(a: f64, b: f64) -> f64 {
    (a - b).next_down()
}

/// a·b from above.
#[inline]
pub fn mul_up(a: f64, b: f64) -> f64 {
    (a * b).next_up()
}

/// a·b from below.
#[inline]
pub fn mul_down(a: f64, b: f64) -> f64 {
    (a * b).next_down()
}

/// a/b from above.
#[inline]
pub fn div_up(a: f64, b: f64) -> f64 {
    (a / b).next_up()
}

/// a/b from below.
#[inline]
pub fn div_down(a: f64, b: f64) -> f64 {
    (a / b).next_down()
}

/// √a from above.
pub fn sqrt_up(a: f64) -> f64 {
    a.sqrt().next_up()
}

/// √a from below.
pub fn sqrt_down(a: f64) -> f64 {
    a.sqrt().next_down()
}

/// x·x: the standard `powi` may be rounded differently from machine to machine.
pub fn square(x: f64) -> f64 {
    x * x
}

/// ‖x‖₂ from above.
pub fn norm_up(x: impl IntoIterator<Item = f64>) -> f64 {
    sqrt_up(x.into_iter().fold(0.0, |sum, x| add_up(sum, mul_up(x, x))))
}

/// From above: a non-negative quantity computed with at most k roundings, underflow aside.
pub fn inflated(x: f64, k: usize) -> f64 {
    mul_up(x, 1.0 + 2.0 * (k as f64 + 1.0) * U)
}

/// 2^e for −1022 ≤ e ≤ 1023.
pub fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((e.clamp(-1022, 1023) + 1023) as u64) << 52)
}

/// The e with 2^e ≤ |x| < 2^(e+1); 0 for what is zero, subnormal or not finite.
pub fn exponent(x: f64) -> i32 {
    if x.is_normal() { ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023 } else { 0 }
}

/// a + b = s + e exactly.
#[inline]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let z = s - a;
    (s, (a - (s - z)) + (b - z))
}

/// 2²⁷ + 1 splits 53 bits into 26 and 26.
pub const SPLITTER: f64 = 134_217_729.0;

/// a·b = p + e exactly, unless it over- or underflows.
#[inline]
pub fn two_product(a: f64, b: f64) -> (f64, f64) {
    let halves = |x: f64| {
        let t = SPLITTER * x;
        let high = t - (t - x);
        (high, x - high)
    };
    let p = a * b;
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    (p, a2 * b2 - (((p - a1 * b1) - a2 * b1) - a1 * b2))
}

/// A sum in twice the working precision that knows its own error.
#[derive(Clone, Copy, Default)]
pub struct CompensatedSum {
    /// The running sum.
    pub sum: f64,
    /// What its roundings lost.
    pub correction: f64,
    /// Σ of the magnitudes of the terms.
    pub size: f64,
    /// The number of terms.
    pub terms: f64,
    /// What underflow of wide factors can lose.
    pub underflow: f64,
}

impl CompensatedSum {
    /// Add x.
    #[inline]
    pub fn add(&mut self, x: f64) {
        let (sum, lost) = two_sum(self.sum, x);
        self.sum = sum;
        self.correction += lost;
        self.size += x.abs();
        self.terms += 1.0;
    }

    /// Add a·b.
    #[inline]
    pub fn add_product(&mut self, a: f64, b: f64) {
        let (product, lost) = two_product(a, b);
        self.add(product);
        self.correction += lost;
    }

    /// Add (a + lost)·b, where |lost| ≤ u|a|.
    #[inline]
    pub fn add_wide_product(&mut self, (a, lost): (f64, f64), b: f64) {
        self.add_product(a, b);
        self.correction += lost * b;
        self.underflow += TINY * (1.0 + b.abs());
    }

    /// Add what another sum holds: one more term, and all of its roundings.
    #[inline]
    pub fn merge(&mut self, other: CompensatedSum) {
        self.add(other.sum);
        self.correction += other.correction;
        self.size += other.size;
        self.terms += other.terms;
        self.underflow += other.underflow;
    }

    /// The sum as high + low, and a bound on |Σ − high − low|.
    #[inline]
    pub fn wide(&self) -> (f64, f64, f64) {
        let (high, low) = two_sum(self.sum, self.correction);
        let count = self.terms + 2.0;
        let underflow = add_up(mul_up(self.terms, TINY), self.underflow);
        let error = add_up(mul_up(4.0 * U * count * U * count, self.size), underflow);
        // The factors above and the size itself carry a few relative roundings, and N of them.
        (high, low, mul_up(error, 1.001))
    }

    /// The sum in working precision, and a bound on its error.
    #[inline]
    pub fn value(&self) -> (f64, f64) {
        let (high, low, error) = self.wide();
        (high, add_up(low.abs(), error))
    }

    /// Σ from above.
    #[inline]
    pub fn up(&self) -> f64 {
        let (high, low, error) = self.wide();
        add_up(high, add_up(low, error))
    }

    /// Σ from below.
    #[inline]
    pub fn down(&self) -> f64 {
        let (high, low, error) = self.wide();
        add_down(high, sub_down(low, error))
    }

    /// |Σ| from above.
    pub fn abs_up(&self) -> f64 {
        self.up().max(-self.down())
    }
}

/// Σ aᵢ bᵢ in four lanes, a fixed order.
#[inline]
pub fn plain_dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    let (a_chunks, a_rest) = a.as_chunks::<4>();
    let (b_chunks, b_rest) = b.as_chunks::<4>();
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        (0..4).for_each(|lane| lanes[lane] += a[lane] * b[lane]);
    }
    let rest = a_rest.iter().zip(b_rest).fold(0.0, |sum, (a, b)| sum + a * b);
    ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + rest
}

/// Σ aᵢbᵢ and Σ |aᵢbᵢ| in four lanes each, a fixed order.
#[inline]
pub fn dot_and_size(a: &[f64], b: &[f64]) -> (f64, f64) {
    let (mut sums, mut sizes) = ([0.0; 4], [0.0; 4]);
    let (a_chunks, a_rest) = a.as_chunks::<4>();
    let (b_chunks, b_rest) = b.as_chunks::<4>();
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..4 {
            let product = a[lane] * b[lane];
            sums[lane] += product;
            sizes[lane] += product.abs();
        }
    }
    for (a, b) in a_rest.iter().zip(b_rest) {
        sums[0] += a * b;
        sizes[0] += (a * b).abs();
    }
    let total = |lanes: [f64; 4]| (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    (total(sums), total(sizes))
}

/// The upper triangle of Σ cᵢ zᵢzᵢᵀ for the d entries each of a few rows z, every term (cᵢ zᵢₐ) zᵢᵦ added by itself.
fn write_gram(out: &mut [f64], d: usize, z: &[f64], c: &[f64]) {
    /// Entries of a row of the triangle done together, and rows.
    const WIDTH: usize = 8;
    const ROWS: usize = 2;
    let stride = d.next_multiple_of(WIDTH).max(1);
    let (mut padded, mut scaled) = (vec![0.0; c.len() * stride], vec![0.0; c.len() * stride]);
    let rows = padded.chunks_exact_mut(stride).zip(scaled.chunks_exact_mut(stride));
    for ((padded, scaled), (z, c)) in rows.zip(z.chunks_exact(d.max(1)).zip(c)) {
        padded[..d].copy_from_slice(z);
        scaled.iter_mut().zip(z).for_each(|(scaled, z)| *scaled = c * z);
    }
    for a in (0..d).step_by(ROWS) {
        for b in (a / WIDTH * WIDTH..d).step_by(WIDTH) {
            let (mut first, mut second) = ([0.0; WIDTH], [0.0; WIDTH]);
            for (scaled, z) in scaled.chunks_exact(stride).zip(padded.chunks_exact(stride)) {
                let (s, t, z) = (scaled[a], scaled[a + 1], &z[b..b + WIDTH]);
                for lane in 0..WIDTH {
                    first[lane] += s * z[lane];
                    second[lane] += t * z[lane];
                }
            }
            let width = WIDTH.min(d - b);
            out[a * d + b..][..width].copy_from_slice(&first[..width]);
            if a + 1 < d {
                out[(a + 1) * d + b..][..width].copy_from_slice(&second[..width]);
            }
        }
    }
}

/// The upper triangle of Σ cᵢ zᵢzᵢᵀ, mirrored; `fill` writes the zᵢ of some rows, one after another, and their cᵢ.
pub fn weighted_gram(n: usize, d: usize, fill: impl Fn(Range<usize>, &mut [f64], &mut [f64]) + Sync) -> Matrix {
    let add = |left: &mut Vec<f64>, right: Vec<f64>| left.iter_mut().zip(right).for_each(|(a, b)| *a += b);
    let chunk = rows_of_a_tree(n, d);
    let mut upper = vec![0.0; d * d];
    for start in (0..n).step_by(chunk) {
        let leaf = |rows: Range<usize>| {
            let count = rows.len();
            let (mut sum, mut z, mut c) = (vec![0.0; d * d], vec![0.0; count * d], vec![0.0; count]);
            fill(start + rows.start..start + rows.end, &mut z, &mut c);
            write_gram(&mut sum, d, &z, &c);
            sum
        };
        add(&mut upper, tree(chunk.min(n - start), &leaf, &add));
    }
    Matrix::from_fn(d, d, |i, j| upper[i.min(j) * d + i.max(j)])
}

/// All rows, or so few that the branches of a tree, each of which holds d² numbers, do not fill the memory.
fn rows_of_a_tree(n: usize, d: usize) -> usize {
    const LARGE: usize = 1024;
    if d > LARGE { 4 * BLOCK } else { n.max(1) }
}

/// The additions that a term of [`weighted_gram`] meets at most; the first is one to zero.
pub fn gram_roundings(n: usize, d: usize) -> usize {
    let chunk = rows_of_a_tree(n, d);
    tree_roundings(chunk.min(n)) + n.div_ceil(chunk) - n.min(1)
}

/// True only if every symmetric A' with ‖A' − A‖ ≤ rad is positive definite. Only the lower triangle is read.
pub fn proves_definite(A: &Matrix, rad: f64) -> bool {
    let d = A.rows();
    let diagonal = |i: usize| A[(i, i)];
    let sound = rad >= 0.0 && A.as_slice().iter().all(|x| x.is_finite()) && (0..d).all(|i| diagonal(i) > 0.0);
    if !sound {
        return false;
    }
    let trace = (0..d).fold(0.0, |sum, i| add_up(sum, diagonal(i)));
    let largest = (0..d).map(diagonal).fold(0.0, f64::max);
    let count = (d + 1) as f64;
    let relative = div_up(mul_up(count * U, trace), 1.0 - count * U);
    let underflow = mul_up(mul_up(TINY * d as f64, 2.0 * count), add_up(1.0, largest));
    let shift = add_up(add_up(relative, underflow), rad);
    let mut L = A.clone();
    for i in 0..d {
        L[(i, i)] = sub_down(A[(i, i)], shift);
    }
    completes(&mut L)
}

/// True only if every eigenvalue of every symmetric A' with ‖A' − A‖ ≤ rad is above μ.
pub fn proves_above(A: &Matrix, mu: f64, rad: f64) -> bool {
    let mut shifted = A.clone();
    for i in 0..A.rows() {
        shifted[(i, i)] = sub_down(A[(i, i)], mu);
    }
    proves_definite(&shifted, rad)
}

/// True only if every eigenvalue of every symmetric A' with ‖A' − A‖ ≤ rad is below λ.
pub fn proves_below(A: &Matrix, lambda: f64, rad: f64) -> bool {
    let d = A.rows();
    let entry = |i: usize, j: usize| if i == j { sub_down(lambda, A[(i, j)]) } else { -A[(i, j)] };
    proves_definite(&Matrix::from_fn(d, d, entry), rad)
}

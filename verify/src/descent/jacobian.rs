//! The Jacobian at a given start, with proved bounds: σ_min, ‖J₀‖, the first residual, and what the Lipschitz constants
//! of the theorems are made of.
//!
//! The loss is ½Σ wᵢrᵢ² (wᵢ = 1 without weights), so rows of J and r are multiplied by √wᵢ. z = XWᵀ and a = |X||W|ᵀ are computed
//! in plain arithmetic with any order of summation (Higham, ASNA 2002, §3.1); φ and φ' of what z may be are between two proved
//! bounds, and φ̂, φ̂' are the middles of these:
//!
//! ```text
//! |ẑ_il − z_il| ≤ 1.02(d+1)u a_il
//! |φ̂'_il − φ'(z_il)| ≤ e_il,   |φ̂_il − φ(z_il)| ≤ ε_il          half the distance of the bounds
//! ‖J − Ĵ‖ ≤ E_J = (Σᵢ wᵢ(‖xᵢ‖² Σ_l v_l²e_il² + Σ_l ε_il²))^½      the first term for ∂f/∂W, the second for ∂f/∂v
//! ‖K̂ − ĴĴᵀ‖ ≤ 1.02(m + d + 16)u tr K̂                          K̂ = √w√wᵀ∘(fl(P̂P̂ᵀ)∘fl(XXᵀ) + fl(Φ̂Φ̂ᵀ)), P̂ = φ̂'·v
//! ```
//!
//! where m is the number of additions that a term of P̂P̂ᵀ meets at most: 512/4 + 4 for the four lanes of a block of 512 units, and one for each
//! block. The last line holds because entry (i, j) is off by at most that many u times √(K_ii K_jj), by Cauchy and Schwarz. Underflow,
//! at most 2⁻¹⁰⁷⁴ in each operation, comes on top: an entry of S = fl(P̂P̂ᵀ) loses at most k(2 + 2max|p̂|) of those and one
//! of G = fl(XXᵀ) at most d, so that of S∘G loses at most 4k(1 + max S)max(1, G) + d·max S + 1, that of the values
//! 4k(1 + max fl(Φ̂Φ̂ᵀ)), and the weights multiply all that; a spectral norm is at most n times the largest entry, and
//! 2⁻¹⁰⁶⁰ is 2¹⁴ times what is lost at most. With μ and λ of the proof, each confirmed by one Cholesky factorisation of
//! K̂ − μI and λI − K̂, σ_min(J) ≥ √μ − E_J and ‖J‖ ≤ √λ + E_J. From the other side any Rayleigh quotient will do, and
//! diagonal entries are some. Where λ is not confirmed the trace is used.

use super::{MOST_ROWS, SpectrumProof, StartRows, check_range, check_start};
use crate::arithmetic::{
    Enclosure, TINY, U, add_down, add_up, dot_and_size, mul_down, mul_up, norm_up, plain_dot, proves_above,
    proves_below, rayleigh, sqrt_down, sqrt_up, sub_down,
};
use crate::elementary::middle_and_radius;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, share};
use crate::network::Network;
use crate::rows::{Ball, Rows};

/// Hidden units of a block.
const UNITS: usize = 512;
/// Rows that a thread takes at once.
const SHARE: usize = 8;

/// Which derivatives are columns of J.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JacobianPart {
    /// ∂f/∂W
    Hidden,
    /// ∂f/∂v
    Output,
    /// Both.
    Both,
}

/// What is known about a network at its start, on given rows.
#[derive(Clone, Copy, Debug)]
pub struct AtStart {
    /// σ_min(J₀)
    pub sigma: Enclosure,
    /// ‖J₀‖
    pub norm: Enclosure,
    /// ‖r₀‖
    pub residual: Enclosure,
    /// ‖Diag(√w)X‖
    pub inputs: Enclosure,
    /// max‖xᵢ‖
    pub longest: Enclosure,
    /// max|v_l|
    pub largest_output: f64,
    /// max‖w_l‖, from above
    pub longest_unit: f64,
    /// Whether the spectrum was looked at.
    pub examined: bool,
}

/// K = J₀J₀ᵀ on the rows that count: the matrix whose extreme eigenvalues a proof bounds. A writer looks for μ and λ with
/// an eigensolver, and gives the radius and a little for the shift of the test away.
pub fn jacobian_gram(network: &Network, rows: Rows, part: JacobianPart) -> Result<Ball> {
    check_start(network, rows)?;
    let rows = &given_rows(rows, part)?;
    if rows.n() > MOST_ROWS {
        return Err(Error::Range { what: "rows", least: 1.0, most: MOST_ROWS as f64, found: rows.n() as f64 });
    }
    Ok(UnitSums::new(network, rows, part, true).ball(network, rows))
}

/// Weights of rows have no part in whether the output layer can fit any labels.
fn given_rows(rows: Rows<'_>, part: JacobianPart) -> Result<StartRows<'_>> {
    if part == JacobianPart::Output { StartRows::unweighted(rows) } else { StartRows::new(rows) }
}

impl AtStart {
    /// Bounds for a network without biases and affine part, from the numbers of a proof.
    pub fn new(network: &Network, rows: Rows, part: JacobianPart, proof: &SpectrumProof) -> Result<AtStart> {
        check_start(network, rows)?;
        let rows = &given_rows(rows, part)?;
        let (n, d) = (rows.n(), rows.d());
        check_proof(proof, n)?;
        let columns = match part {
            JacobianPart::Hidden => d,
            JacobianPart::Output => 1,
            JacobianPart::Both => d + 1,
        };
        // With fewer columns than rows nothing need be looked at.
        let full = network.width().saturating_mul(columns) >= n;
        let examined = n <= MOST_ROWS && full;
        let sums = UnitSums::new(network, rows, part, examined);
        let unknown = Enclosure { low: 0.0, high: f64::INFINITY };
        let (mut sigma, mut norm) = (unknown, unknown);
        if examined {
            let ball = sums.ball(network, rows);
            (sigma, norm) = extremes(&ball, proof);
            sigma = widened(sigma, sums.jacobian_error);
            norm = widened(norm, sums.jacobian_error);
        }
        if !full {
            sigma = Enclosure::exactly(0.0);
        }
        let lengths: Vec<Enclosure> = (0..n).map(|i| length(rows.row(i))).collect();
        let longest = lengths.iter().fold(Enclosure::exactly(0.0), |most, length| most.max(*length));
        Ok(AtStart {
            sigma,
            norm,
            residual: residual(network, rows, &sums),
            inputs: input_norm(rows, &lengths, proof.inputs),
            longest,
            largest_output: network.v.iter().fold(0.0, |most, v| most.max(v.abs())),
            longest_unit: (0..network.width()).map(|l| norm_up(network.W.row(l).iter().copied())).fold(0.0, f64::max),
            examined,
        })
    }
}

fn check_proof(proof: &SpectrumProof, n: usize) -> Result<()> {
    check_range("the smallest eigenvalue in the proof", proof.smallest, 0.0, f64::MAX)?;
    check_range("the largest eigenvalue in the proof", proof.largest.unwrap_or(0.0), 0.0, f64::MAX)?;
    check_range("the bound on the inputs in the proof", proof.inputs.unwrap_or(0.0), 0.0, f64::MAX)?;
    let found = proof.direction.as_ref().map_or(n, Vec::len);
    if found == n { Ok(()) } else { Err(Error::Shape { what: "the direction in the proof", expected: n, found }) }
}

/// σ_min and the norm of Ĵ, from what is known about ĴĴᵀ.
fn extremes(ball: &Ball, proof: &SpectrumProof) -> (Enclosure, Enclosure) {
    let Ball { center, radius } = ball;
    let diagonal = || (0..center.rows()).map(|i| center[(i, i)]);
    let smallest =
        if proof.smallest > 0.0 && proves_above(center, proof.smallest, *radius) { proof.smallest } else { 0.0 };
    let quotient = proof.direction.as_ref().map_or(f64::INFINITY, |x| rayleigh(center, x).high);
    let least = diagonal().fold(quotient, f64::min);
    let trace = diagonal().fold(0.0, add_up);
    // Ĵ Ĵᵀ is positive semidefinite: its norm is at most its trace.
    let unproved = add_up(trace, mul_up(center.rows() as f64, *radius));
    let largest = proof.largest.filter(|lambda| *lambda < unproved && proves_below(center, *lambda, *radius));
    let most = diagonal().fold(0.0, f64::max);
    let sigma = Enclosure { low: smallest, high: add_up(least, *radius) }.sqrt();
    let norm = Enclosure { low: sub_down(most, *radius).max(0.0), high: largest.unwrap_or(unproved) }.sqrt();
    (sigma, norm)
}

/// Both ends moved by `off`, not below 0.
fn widened(value: Enclosure, off: f64) -> Enclosure {
    let moved = value + Enclosure { low: -off, high: off };
    Enclosure { low: moved.low.max(0.0), high: moved.high }
}

/// ‖x‖
pub(super) fn length(x: &[f64]) -> Enclosure {
    let square = x.iter().fold(0.0_f64, |sum, x| add_down(sum, mul_down(*x, *x).max(0.0)).max(0.0));
    Enclosure { low: sqrt_down(square).max(0.0), high: norm_up(x.iter().copied()) }
}

/// Sums over the hidden units.
struct UnitSums {
    /// Σ_l p̂_il p̂_jl, the lower triangle; empty where it was not asked for.
    slopes: Matrix,
    /// Σ_l φ̂_il φ̂_jl
    values: Matrix,
    part: JacobianPart,
    blocks: usize,
    /// E_J
    jacobian_error: f64,
    /// f̂ᵢ
    outputs: Vec<f64>,
    /// A bound on |f̂ᵢ − f(xᵢ)|
    output_errors: Vec<f64>,
}

/// What a block of units gives for a row besides p̂ and φ̂.
const EXTRA: usize = 3;

impl UnitSums {
    fn new(network: &Network, rows: &StartRows, part: JacobianPart, matrices: bool) -> UnitSums {
        let (n, k) = (rows.n(), network.width());
        let square = |wanted: bool| if wanted && matrices { Matrix::zeros(n, n) } else { Matrix::zeros(0, 0) };
        let mut sums = UnitSums {
            slopes: square(part != JacobianPart::Output),
            values: square(part != JacobianPart::Hidden),
            part,
            blocks: k.div_ceil(UNITS),
            jacobian_error: 0.0,
            outputs: vec![0.0; n],
            output_errors: vec![0.0; n],
        };
        let mut squares = vec![0.0; n];
        for start in (0..k).step_by(UNITS) {
            sums.add(network, rows, start, UNITS.min(k - start), &mut squares);
        }
        let total = squares.iter().zip(&rows.w).fold(0.0, |sum, (square, w)| add_up(sum, mul_up(*w, *square)));
        sums.jacobian_error = sqrt_up(total);
        sums
    }

    /// The additions that a term of P̂P̂ᵀ or Φ̂Φ̂ᵀ meets at most.
    fn additions(&self) -> usize {
        UNITS / 4 + 4 + self.blocks
    }

    /// Add some units; `squares` collects ‖xᵢ‖²Σ v_l²e_il² (hidden) and Σ ε_il² (output).
    fn add(&mut self, network: &Network, rows: &StartRows, start: usize, units: usize, squares: &mut [f64]) {
        let width = 2 * units + EXTRA;
        let mut block = vec![0.0; rows.n() * width];
        let parts: Vec<(usize, &mut [f64])> = block.chunks_mut(SHARE * width).enumerate().collect();
        share(parts, &|(part, out)| {
            for (at, out) in out.chunks_exact_mut(width).enumerate() {
                self.evaluate(network, rows.row(part * SHARE + at), start, units, out);
            }
        });
        add_products(&mut self.slopes, &|i| &block[i * width..][..units]);
        add_products(&mut self.values, &|i| &block[i * width + units..][..units]);
        for (i, row) in block.chunks_exact(width).enumerate() {
            let [square, output, error] = [0, 1, 2].map(|at| row[2 * units + at]);
            squares[i] = add_up(squares[i], square);
            self.outputs[i] += output;
            self.output_errors[i] = add_up(self.output_errors[i], error);
        }
    }

    /// p̂ and φ̂ of some units in a row, what they add to E_J², and to f̂ and its error.
    fn evaluate(&self, network: &Network, x: &[f64], start: usize, units: usize, out: &mut [f64]) {
        let (hidden, output) = (self.part != JacobianPart::Output, self.part != JacobianPart::Hidden);
        let dots = (x.len() + 1) as f64;
        // A term of f meets at most one rounding for each unit of its block and each block.
        let roundings = 1.02 * (UNITS + self.blocks + 4) as f64 * U;
        let (mut of_slopes, mut of_values, mut f, mut error) = (0.0, 0.0, 0.0, 0.0);
        for l in 0..units {
            let (z, size) = dot_and_size(x, network.W.row(start + l));
            let off = add_up(mul_up(1.02 * dots * U, size), mul_up(dots, TINY));
            let z = Enclosure { low: add_down(z, -off), high: add_up(z, off) };
            let v = network.v[start + l];
            let (value, value_error) = middle_and_radius(network.activation.value(z));
            out[units + l] = value;
            of_values = add_up(of_values, mul_up(value_error, value_error));
            f += v * value;
            error = add_up(error, add_up(mul_up(v.abs(), value_error), mul_up(roundings, (v * value).abs())));
            if hidden {
                let (slope, slope_error) = middle_and_radius(network.activation.slope(z));
                out[l] = v * slope;
                of_slopes = add_up(of_slopes, mul_up(mul_up(v, v), mul_up(slope_error, slope_error)));
            }
        }
        let norm = norm_up(x.iter().copied());
        let of_slopes = if hidden { mul_up(mul_up(norm, norm), of_slopes) } else { 0.0 };
        out[2 * units] = add_up(of_slopes, if output { of_values } else { 0.0 });
        (out[2 * units + 1], out[2 * units + 2]) = (f, add_up(error, mul_up(units as f64, TINY)));
    }

    /// K with its radius.
    fn ball(&self, network: &Network, rows: &StartRows) -> Ball {
        let (n, d) = (rows.n(), rows.d());
        let mut inner = if self.part == JacobianPart::Output { Matrix::zeros(0, 0) } else { Matrix::zeros(n, n) };
        add_products(&mut inner, &|i| rows.row(i));
        let roots: Vec<f64> = rows.w.iter().map(|w| w.sqrt()).collect();
        let center = Matrix::from_fn(n, n, |i, j| {
            // One triangle decides both, so that the matrix is symmetric to the bit.
            let (a, b) = (i.max(j), i.min(j));
            let hidden = if self.part == JacobianPart::Output { 0.0 } else { self.slopes[(a, b)] * inner[(a, b)] };
            let output = if self.part == JacobianPart::Hidden { 0.0 } else { self.values[(a, b)] };
            (hidden + output) * (roots[a] * roots[b])
        });
        let trace = (0..n).fold(0.0, |sum, i| add_up(sum, center[(i, i)]));
        let roundings = (self.additions() + d + 16) as f64;
        let diagonal = |A: &Matrix| (0..A.rows()).map(|i| A[(i, i)]).fold(1.0, f64::max);
        let [slopes, inputs, values] = [&self.slopes, &inner, &self.values].map(diagonal);
        let heaviest = rows.w.iter().copied().fold(1.0, f64::max);
        let count = n as f64 * (network.width() + d + 2) as f64;
        let one = mul_up(mul_up(count, TINY), heaviest);
        let underflow = mul_up(one, add_up(mul_up(slopes, inputs), values));
        Ball { center, radius: add_up(mul_up(1.02 * roundings * U, trace), underflow) }
    }
}

/// The lower triangle of sum += A·Aᵀ for the given rows of A, where there is a sum; what is above has no meaning.
fn add_products<'a>(sum: &mut Matrix, row: &(dyn Fn(usize) -> &'a [f64] + Sync)) {
    let n = sum.rows();
    if n == 0 {
        return;
    }
    let parts: Vec<(usize, &mut [f64])> = sum.as_mut_slice().chunks_mut(SHARE * n).enumerate().collect();
    share(parts, &|(part, out)| {
        let first = part * SHARE;
        let last = first + out.len() / n;
        for j in 0..last {
            let other = row(j);
            for i in first.max(j)..last {
                out[(i - first) * n + j] += plain_dot(row(i), other);
            }
        }
    });
}

/// Whether the second half of the units takes away exactly what the first half gives: then f = 0.
fn is_antisymmetric(network: &Network) -> bool {
    let half = network.width() / 2;
    network.width().is_multiple_of(2)
        && (0..half).all(|l| network.v[l] == -network.v[l + half] && network.W.row(l) == network.W.row(l + half))
}

/// ‖r₀‖
fn residual(network: &Network, rows: &StartRows, sums: &UnitSums) -> Enclosure {
    let cancels = is_antisymmetric(network);
    let (mut low, mut high) = (0.0, 0.0);
    for (i, (y, w)) in rows.rows.y.iter().zip(&rows.w).enumerate() {
        let (f, off) = if cancels { (0.0, 0.0) } else { (sums.outputs[i], sums.output_errors[i]) };
        let size = (f - y).abs();
        let off = add_up(off, if cancels { 0.0 } else { 4.0 * U * add_up(f.abs(), y.abs()) });
        let (most, least) = (add_up(size, off), sub_down(size, off).max(0.0));
        high = add_up(high, mul_up(*w, mul_up(most, most)));
        low = add_down(low, mul_down(*w, mul_down(least, least).max(0.0)).max(0.0)).max(0.0);
    }
    Enclosure { low, high }.sqrt()
}

/// ‖Diag(√w)X‖, at most √Λ if that is confirmed and (Σ wᵢ‖xᵢ‖²)^½ in any case.
pub(super) fn input_norm(rows: &StartRows, lengths: &[Enclosure], claimed: Option<f64>) -> Enclosure {
    let (n, d) = (rows.n(), rows.d());
    let squares = || lengths.iter().zip(&rows.w).map(|(length, w)| *w * length.squared());
    let most = squares().fold(0.0, |sum, square| add_up(sum, square.high));
    let least = squares().fold(0.0, |least, square| square.low.max(least));
    let proves = |bound: f64| {
        if d <= n {
            let Ball { center, radius } = rows.rows.outer_sum(&rows.w);
            proves_below(&center, bound, radius)
        } else {
            let Ball { center, radius } = inner_products(rows);
            proves_below(&center, bound, radius)
        }
    };
    let high = claimed.filter(|bound| *bound < most && n.min(d) <= MOST_ROWS && proves(*bound)).unwrap_or(most);
    Enclosure { low: least, high }.sqrt()
}

/// Diag(√w)XXᵀDiag(√w), of which the header says how far it is off.
fn inner_products(rows: &StartRows) -> Ball {
    let (n, d) = (rows.n(), rows.d());
    let roots: Vec<f64> = rows.w.iter().map(|w| w.sqrt()).collect();
    let mut inner = Matrix::zeros(n, n);
    add_products(&mut inner, &|i| rows.row(i));
    let center = Matrix::from_fn(n, n, |i, j| inner[(i.max(j), i.min(j))] * (roots[i] * roots[j]));
    let trace = (0..n).fold(0.0, |sum, i| add_up(sum, center[(i, i)]));
    // What XXᵀ loses is multiplied by the weights, what √w√wᵀ loses by XXᵀ.
    let heaviest = rows.w.iter().copied().fold(1.0, f64::max);
    let longest = (0..n).map(|i| inner[(i, i)]).fold(1.0, f64::max);
    let underflow = mul_up(mul_up(n as f64 * (d + 1) as f64, TINY), mul_up(heaviest, longest));
    Ball { center, radius: add_up(mul_up(1.02 * (d + 12) as f64 * U, trace), underflow) }
}

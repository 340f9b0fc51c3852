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
//! K̂ − μI and λI − K̂, σ_min(J) ≥ √μ − E_J and ‖J‖ ≤ √λ + E_J. From the other side any Rayleigh quotient will do:
//! diagonal entries are some, that of the direction in the proof is one, and for the largest that of a vector from a hundred multiplications. Where λ is not confirmed the trace is used.

use super::{MOST_ROWS, SpectrumProof, StartRows, check_start};
use crate::arithmetic::{
    Enclosure, TINY, U, add_down, add_up, dot_and_size, largest_quotient, mul_down, mul_up, norm_up, plain_dot,
    proves_above, proves_below, rayleigh, sqrt_down, sqrt_up, sub_down,
};
use crate::elementary::middle_and_radius;
use crate::error::{Error, Result, check_range};
use crate::matrix::{Matrix, share};
use crate::network::Network;
use crate::rows::{Ball, Rows};

/// Hidden units of a block.
const UNITS: usize = 512;
/// Beyond this many operations no matrix is formed.
const MOST_WORK: f64 = 4e12;
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
#[non_exhaustive]
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
    /// Whether μ of the proof was confirmed.
    pub confirms_smallest: bool,
    /// Whether λ of the proof was confirmed.
    pub confirms_largest: bool,
}

/// The sums over hidden units that J₀J₀ᵀ of either layer, of both, and the first residual are made of: computed once, for a
/// writer who looks for a proof as well as for the theorems that judge it.
pub struct StartMatrices<'a> {
    network: &'a Network,
    rows: StartRows<'a>,
    sums: UnitSums,
}

/// K = J₀J₀ᵀ on the rows that count: the matrix whose extreme eigenvalues a proof bounds. A writer looks for μ and λ with
/// an eigensolver, and gives the radius and a little for the shift of the test away.
pub fn jacobian_gram(network: &Network, rows: Rows, part: JacobianPart) -> Result<Ball> {
    StartMatrices::summed(network, rows, part, true)?.gram(part)
}

impl<'a> StartMatrices<'a> {
    /// For a network without biases and affine part; with [`JacobianPart::Both`] also for either layer.
    pub fn new(network: &'a Network, rows: Rows<'a>, part: JacobianPart) -> Result<StartMatrices<'a>> {
        StartMatrices::summed(network, rows, part, false)
    }

    /// With products also where there are fewer columns than rows, or not.
    fn summed(network: &'a Network, rows: Rows<'a>, part: JacobianPart, always: bool) -> Result<StartMatrices<'a>> {
        check_start(network, rows)?;
        let rows = StartRows::new(rows)?;
        let examined = is_bearable(network, &rows) && (always || is_full(network, &rows, part));
        let sums = UnitSums::new(network, &rows, part, examined);
        Ok(StartMatrices { network, rows, sums })
    }

    /// K of some derivatives, which must be among those that were asked for.
    pub fn gram(&self, part: JacobianPart) -> Result<Ball> {
        let n = self.rows.n();
        if n > MOST_ROWS {
            return Err(Error::Range { what: "rows", least: 1.0, most: MOST_ROWS as f64, found: n as f64 });
        }
        self.check_part(part)?;
        if self.sums.slopes.rows().max(self.sums.values.rows()) < n {
            let (must_be, found) = ("at least as many columns as there are rows", "fewer".into());
            return Err(Error::Unsuitable { what: "the Jacobian", must_be, found });
        }
        Ok(self.sums.ball(self.network, &self.rows, &self.weights(part), part))
    }

    /// Weights of rows have no part in whether the output layer can fit any labels.
    fn weights(&self, part: JacobianPart) -> Vec<f64> {
        if part == JacobianPart::Output { vec![1.0; self.rows.n()] } else { self.rows.w.clone() }
    }

    fn check_part(&self, part: JacobianPart) -> Result<()> {
        let found = self.sums.part;
        if found == part || found == JacobianPart::Both {
            return Ok(());
        }
        let (must_be, found) = ("among those that were summed", format!("{part:?}"));
        Err(Error::Unsuitable { what: "the derivatives", must_be, found })
    }

    /// Bounds from the numbers of a proof.
    pub fn at_start(&self, part: JacobianPart, proof: &SpectrumProof) -> Result<AtStart> {
        let StartMatrices { network, rows, sums } = self;
        let n = rows.n();
        check_proof(proof, n)?;
        self.check_part(part)?;
        // With fewer columns than rows nothing need be looked at.
        let full = is_full(network, rows, part);
        let (examined, weights) = (is_bearable(network, rows) && full, self.weights(part));
        let mut found = ProvedExtremes::unknown();
        if examined {
            let off = sums.jacobian_error(part, &weights);
            found = extremes(&sums.ball(network, rows, &weights, part), proof);
            found.sigma = widened(found.sigma, off);
            found.norm = widened(found.norm, off);
        }
        if !full {
            found.sigma = Enclosure::exactly(0.0);
        }
        let lengths: Vec<Enclosure> = (0..n).map(|i| length(rows.row(i))).collect();
        let longest = lengths.iter().fold(Enclosure::exactly(0.0), |most, length| most.max(*length));
        let longest_unit = |l: usize| norm_up(network.W.row(l).iter().copied());
        Ok(AtStart {
            sigma: found.sigma,
            norm: found.norm,
            residual: residual(network, &rows.rows.y, &weights, sums),
            inputs: input_norm(rows, &weights, &lengths, proof.inputs),
            longest,
            largest_output: network.v.iter().fold(0.0, |most, v| most.max(v.abs())),
            longest_unit: (0..network.width()).map(longest_unit).fold(0.0, f64::max),
            examined,
            confirms_smallest: found.confirms_smallest,
            confirms_largest: found.confirms_largest,
        })
    }
}

/// Whether an n×n matrix of sums over the units is not too much work.
fn is_bearable(network: &Network, rows: &StartRows) -> bool {
    let n = rows.n() as f64;
    rows.n() <= MOST_ROWS && n * n * network.width() as f64 <= MOST_WORK
}

/// Whether J has at least as many columns as rows.
fn is_full(network: &Network, rows: &StartRows, part: JacobianPart) -> bool {
    let columns = match part {
        JacobianPart::Hidden => rows.d(),
        JacobianPart::Output => 1,
        JacobianPart::Both => rows.d() + 1,
    };
    network.width().saturating_mul(columns) >= rows.n()
}

impl AtStart {
    /// Bounds for a network without biases and affine part, from the numbers of a proof.
    pub fn new(network: &Network, rows: Rows, part: JacobianPart, proof: &SpectrumProof) -> Result<AtStart> {
        StartMatrices::new(network, rows, part)?.at_start(part, proof)
    }
}

fn check_proof(proof: &SpectrumProof, n: usize) -> Result<()> {
    check_range("the smallest eigenvalue in the proof", proof.smallest, 0.0, f64::MAX)?;
    check_range("the largest eigenvalue in the proof", proof.largest.unwrap_or(0.0), 0.0, f64::MAX)?;
    check_range("the bound on the inputs in the proof", proof.inputs.unwrap_or(0.0), 0.0, f64::MAX)?;
    let found = proof.direction.as_ref().map_or(n, Vec::len);
    if found == n { Ok(()) } else { Err(Error::Shape { what: "the direction in the proof", expected: n, found }) }
}

/// σ_min and the norm of Ĵ, and what of the proof they rest on.
struct ProvedExtremes {
    sigma: Enclosure,
    norm: Enclosure,
    confirms_smallest: bool,
    confirms_largest: bool,
}

impl ProvedExtremes {
    fn unknown() -> ProvedExtremes {
        let unknown = Enclosure { low: 0.0, high: f64::INFINITY };
        ProvedExtremes { sigma: unknown, norm: unknown, confirms_smallest: false, confirms_largest: false }
    }
}

/// What is known about Ĵ from ĴĴᵀ.
fn extremes(ball: &Ball, proof: &SpectrumProof) -> ProvedExtremes {
    let Ball { center, radius } = ball;
    let diagonal = || (0..center.rows()).map(|i| center[(i, i)]);
    let confirms_smallest = proof.smallest > 0.0 && proves_above(center, proof.smallest, *radius);
    let smallest = if confirms_smallest { proof.smallest } else { 0.0 };
    let quotient = proof.direction.as_ref().map_or(f64::INFINITY, |x| rayleigh(center, x).high);
    let least = diagonal().fold(quotient, f64::min);
    let trace = diagonal().fold(0.0, add_up);
    // Ĵ Ĵᵀ is positive semidefinite: its norm is at most its trace.
    let unproved = add_up(trace, mul_up(center.rows() as f64, *radius));
    let largest = proof.largest.filter(|lambda| *lambda < unproved && proves_below(center, *lambda, *radius));
    let most = diagonal().fold(largest_quotient(center), f64::max);
    ProvedExtremes {
        sigma: Enclosure { low: smallest, high: add_up(least, *radius) }.sqrt(),
        norm: Enclosure { low: sub_down(most, *radius).max(0.0), high: largest.unwrap_or(unproved) }.sqrt(),
        confirms_smallest,
        confirms_largest: largest.is_some(),
    }
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
    /// ‖xᵢ‖²Σ_l v_l²e_il²
    slope_errors: Vec<f64>,
    /// Σ_l ε_il²
    value_errors: Vec<f64>,
    /// f̂ᵢ
    outputs: Vec<f64>,
    /// A bound on |f̂ᵢ − f(xᵢ)|
    output_errors: Vec<f64>,
}

/// What a block of units gives for a row besides p̂ and φ̂.
const EXTRA: usize = 4;

impl UnitSums {
    fn new(network: &Network, rows: &StartRows, part: JacobianPart, matrices: bool) -> UnitSums {
        let (n, k) = (rows.n(), network.width());
        let square = |wanted: bool| if wanted && matrices { Matrix::zeros(n, n) } else { Matrix::zeros(0, 0) };
        let mut sums = UnitSums {
            slopes: square(part != JacobianPart::Output),
            values: square(part != JacobianPart::Hidden),
            part,
            blocks: k.div_ceil(UNITS),
            slope_errors: vec![0.0; n],
            value_errors: vec![0.0; n],
            outputs: vec![0.0; n],
            output_errors: vec![0.0; n],
        };
        for start in (0..k).step_by(UNITS) {
            sums.add(network, rows, start, UNITS.min(k - start));
        }
        sums
    }

    /// E_J
    fn jacobian_error(&self, part: JacobianPart, weights: &[f64]) -> f64 {
        let (hidden, output) = (part != JacobianPart::Output, part != JacobianPart::Hidden);
        let square = |i: usize| {
            add_up(if hidden { self.slope_errors[i] } else { 0.0 }, if output { self.value_errors[i] } else { 0.0 })
        };
        sqrt_up(weights.iter().enumerate().fold(0.0, |sum, (i, w)| add_up(sum, mul_up(*w, square(i)))))
    }

    /// The additions that a term of P̂P̂ᵀ or Φ̂Φ̂ᵀ meets at most.
    fn additions(&self) -> usize {
        UNITS / 4 + 4 + self.blocks
    }

    /// Add some units.
    fn add(&mut self, network: &Network, rows: &StartRows, start: usize, units: usize) {
        // A matrix needs all rows at once, and there are not too many then.
        for first in (0..rows.n()).step_by(MOST_ROWS) {
            self.add_some(network, rows, first, start, units);
        }
    }

    fn add_some(&mut self, network: &Network, rows: &StartRows, first: usize, start: usize, units: usize) {
        let width = 2 * units + EXTRA;
        let mut block = vec![0.0; MOST_ROWS.min(rows.n() - first) * width];
        let parts: Vec<(usize, &mut [f64])> = block.chunks_mut(SHARE * width).enumerate().collect();
        share(parts, &|(part, out)| {
            for (at, out) in out.chunks_exact_mut(width).enumerate() {
                self.evaluate(network, rows.row(first + part * SHARE + at), start, units, out);
            }
        });
        add_products(&mut self.slopes, &|i| &block[i * width..][..units]);
        add_products(&mut self.values, &|i| &block[i * width + units..][..units]);
        for (i, row) in (first..).zip(block.chunks_exact(width)) {
            let [of_slopes, of_values, output, error] = [0, 1, 2, 3].map(|at| row[2 * units + at]);
            self.slope_errors[i] = add_up(self.slope_errors[i], of_slopes);
            self.value_errors[i] = add_up(self.value_errors[i], of_values);
            self.outputs[i] += output;
            self.output_errors[i] = add_up(self.output_errors[i], error);
        }
    }

    /// p̂ and φ̂ of some units in a row, what they add to E_J², and to f̂ and its error.
    fn evaluate(&self, network: &Network, x: &[f64], start: usize, units: usize, out: &mut [f64]) {
        let hidden = self.part != JacobianPart::Output;
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
        out[2 * units..].copy_from_slice(&[of_slopes, of_values, f, add_up(error, mul_up(units as f64, TINY))]);
    }

    /// K with its radius.
    fn ball(&self, network: &Network, rows: &StartRows, weights: &[f64], part: JacobianPart) -> Ball {
        let (n, d) = (rows.n(), rows.d());
        let mut inner = if part == JacobianPart::Output { Matrix::zeros(0, 0) } else { Matrix::zeros(n, n) };
        add_products(&mut inner, &|i| rows.row(i));
        let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        let center = Matrix::from_fn(n, n, |i, j| {
            // One triangle decides both, so that the matrix is symmetric to the bit.
            let (a, b) = (i.max(j), i.min(j));
            let hidden = if part == JacobianPart::Output { 0.0 } else { self.slopes[(a, b)] * inner[(a, b)] };
            let output = if part == JacobianPart::Hidden { 0.0 } else { self.values[(a, b)] };
            (hidden + output) * (roots[a] * roots[b])
        });
        let trace = (0..n).fold(0.0, |sum, i| add_up(sum, center[(i, i)]));
        let roundings = (self.additions() + d + 16) as f64;
        let diagonal = |A: &Matrix| (0..A.rows()).map(|i| A[(i, i)]).fold(1.0, f64::max);
        let [slopes, inputs, values] = [&self.slopes, &inner, &self.values].map(diagonal);
        let heaviest = weights.iter().copied().fold(1.0, f64::max);
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
fn residual(network: &Network, y: &[f64], weights: &[f64], sums: &UnitSums) -> Enclosure {
    let cancels = is_antisymmetric(network);
    let (mut low, mut high) = (0.0, 0.0);
    for (i, (y, w)) in y.iter().zip(weights).enumerate() {
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
pub(super) fn input_norm(rows: &StartRows, weights: &[f64], lengths: &[Enclosure], claimed: Option<f64>) -> Enclosure {
    let (n, d) = (rows.n(), rows.d());
    let squares = || lengths.iter().zip(weights).map(|(length, w)| *w * length.squared());
    let most = squares().fold(0.0, |sum, square| add_up(sum, square.high));
    let least = squares().fold(0.0, |least, square| square.low.max(least));
    let Some((bound, ball)) =
        claimed.filter(|_| n.min(d) <= MOST_ROWS).map(|bound| (bound, smaller_gram(rows, weights)))
    else {
        return Enclosure { low: least, high: most }.sqrt();
    };
    let low = sub_down(largest_quotient(&ball.center), ball.radius).max(least);
    let high = if bound < most && proves_below(&ball.center, bound, ball.radius) { bound } else { most };
    Enclosure { low, high }.sqrt()
}

/// XᵀDiag(w)X, or Diag(√w)XXᵀDiag(√w) where that is smaller: the matrix whose largest eigenvalue `inputs` of a proof bounds.
pub fn input_gram(rows: Rows) -> Result<Ball> {
    let rows = StartRows::new(rows)?;
    let found = rows.n().min(rows.d());
    if found > MOST_ROWS {
        return Err(Error::Range { what: "rows and inputs", least: 1.0, most: MOST_ROWS as f64, found: found as f64 });
    }
    Ok(smaller_gram(&rows, &rows.w))
}

fn smaller_gram(rows: &StartRows, weights: &[f64]) -> Ball {
    if rows.d() <= rows.n() { rows.rows.outer_sum(weights) } else { inner_products(rows, weights) }
}

/// Diag(√w)XXᵀDiag(√w), of which the header says how far it is off.
fn inner_products(rows: &StartRows, weights: &[f64]) -> Ball {
    let (n, d) = (rows.n(), rows.d());
    let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
    let mut inner = Matrix::zeros(n, n);
    add_products(&mut inner, &|i| rows.row(i));
    let center = Matrix::from_fn(n, n, |i, j| inner[(i.max(j), i.min(j))] * (roots[i] * roots[j]));
    let trace = (0..n).fold(0.0, |sum, i| add_up(sum, center[(i, i)]));
    // What XXᵀ loses is multiplied by the weights, what √w√wᵀ loses by XXᵀ.
    let heaviest = weights.iter().copied().fold(1.0, f64::max);
    let longest = (0..n).map(|i| inner[(i, i)]).fold(1.0, f64::max);
    let underflow = mul_up(mul_up(n as f64 * (d + 1) as f64, TINY), mul_up(heaviest, longest));
    Ball { center, radius: add_up(mul_up(1.02 * (d + 12) as f64 * U, trace), underflow) }
}

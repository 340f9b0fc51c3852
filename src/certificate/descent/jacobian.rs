//! The Jacobian at a given start, with proved bounds: σ_min, ‖J₀‖, the first residual, and what the Lipschitz constants
//! of the theorems are made of.
//!
//! The loss is ½Σ wᵢrᵢ² (wᵢ = 1 without weights), so rows of J and r are multiplied by √wᵢ. With z = XWᵀ,
//! a = |X||W|ᵀ and M = sup|φ''|, in plain arithmetic with any order of summation and with or without fused
//! multiply-add (Higham, ASNA 2002, §3.1):
//!
//! ```text
//! |ẑ_il − z_il| ≤ ζ_il = 1.01(d+1)u a_il
//! |φ̂'_il − φ'(z_il)| ≤ e_il = Mζ_il + ε'_il       ε' = 12u|φ̂'| (and 32u for erf and gelu): the error of φ' itself
//! |φ̂_il − φ(z_il)| ≤ (|φ̂'_il| + ε'_il + Mζ_il)ζ_il + ε_il
//! ‖J − Ĵ‖ ≤ E_J = (Σᵢ wᵢ‖xᵢ‖² Σ_l v_l²e_il²)^½
//! ‖K̂ − ĴĴᵀ‖ ≤ 1.01(k + blocks + d + 16)u tr K̂     K̂ = √w√wᵀ∘fl(P̂P̂ᵀ)∘fl(XXᵀ), P̂ = φ̂'·v
//! ```
//!
//! the last because entry (i, j) is off by at most that many u times √(K_ii K_jj), by Cauchy and Schwarz. Underflow,
//! at most 2⁻¹⁰⁷⁴ in each operation, comes on top: an entry of S = fl(P̂P̂ᵀ) loses at most k(2 + 2max|p̂|) of those and one
//! of G = fl(XXᵀ) at most d, so that of S∘G loses at most 4k(1 + max S)max(1, G) + d·max S + 1, that of the values
//! 4k(1 + max fl(Φ̂Φ̂ᵀ)), and the weights multiply all that; a spectral norm is at most n times the largest entry, and
//! 2⁻¹⁰⁶⁰ is 2¹⁴ times what is lost at most. So
//! σ_min(J) ≥ √λ_min(ĴĴᵀ) − E_J, and ‖J‖ ≤ √λ_max + E_J. The errors of φ, φ' are those documented in `activation`:
//! within 4 ulp, measured against 150 digits; this is the one thing here that is tested and not proved. A kinked
//! activation has an exact φ' unless |ẑ| ≤ ζ, where it may be off by its jump.

use std::borrow::Cow;

use super::units::EvaluatedUnits;
use crate::certificate::arithmetic::eigenvalue::{self, EnclosedExtremes};
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::arithmetic::rows::{Ball, ProofRows};
use crate::certificate::arithmetic::{TINY, U, add_down, add_up, mul_down, mul_up, norm_up, sqrt_up, sub_down};
use crate::data::Data;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::linalg::{Destination, Matrix, for_row_blocks, multiply};
use crate::network::Network;

/// Distinct rows up to which the n×n matrix of the Jacobian is formed.
pub(in crate::certificate) const MOST_ROWS: usize = 5000;
/// Hidden units of a block.
const UNITS: usize = 512;

/// What is known about a network at its start, on given rows.
#[derive(Clone, Copy, Debug)]
pub(in crate::certificate) struct AtStart {
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

impl AtStart {
    /// The same network with all output weights multiplied by c > 0; only where f = 0 at the start.
    pub(crate) fn scaled(&self, c: f64) -> AtStart {
        AtStart { sigma: c * self.sigma, norm: c * self.norm, largest_output: mul_up(c, self.largest_output), ..*self }
    }
}

/// Which derivatives are columns of J.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::certificate) enum JacobianPart {
    /// ∂f/∂W
    Hidden,
    /// ∂f/∂v
    Output,
    /// Both.
    Both,
}

/// Bounds for a network without biases and affine part.
pub(in crate::certificate) fn at_start(network: &Network, data: &Data, part: JacobianPart) -> AtStart {
    let (n, d) = (data.n(), data.d());
    let norms: Vec<f64> = (0..n).map(|i| norm_up(data.X.row(i).iter().copied())).collect();
    let longest = norms.iter().copied().fold(0.0, f64::max);
    // Every sum and product of a norm rounded up is at most 3u above the exact one; the root halves that.
    let margin = 1.0 - (2 * d + 16) as f64 * U;
    let longest = Enclosure { low: (longest * margin).next_down().max(0.0), high: longest };
    let weights = weights(data);
    // With fewer columns than rows nothing need be looked at.
    let parameters =
        network.width() * if part == JacobianPart::Output { 1 } else { d + usize::from(part == JacobianPart::Both) };
    let examined = n <= MOST_ROWS && parameters >= n;
    let (mut sigma, mut norm) =
        (Enclosure { low: 0.0, high: f64::INFINITY }, Enclosure { low: 0.0, high: f64::INFINITY });
    let sums = UnitSums::new(network, data, &weights, &norms, part, examined);
    if examined {
        let EnclosedExtremes { smallest, largest } = eigenvalue::extremes(&sums.ball(network, data, &weights));
        let off = sums.jacobian_error;
        sigma = widened(smallest.sqrt(), off);
        norm = widened(largest.sqrt(), off);
    }
    if parameters < n {
        sigma = Enclosure::exactly(0.0);
    }
    AtStart {
        sigma,
        norm,
        residual: residual(network, data, &weights, &sums),
        inputs: input_norm(data),
        longest,
        largest_output: network.v.iter().fold(0.0, |most, v| most.max(v.abs())),
        longest_unit: (0..network.width()).map(|l| norm_up(network.W.row(l).iter().copied())).fold(0.0, f64::max),
        examined,
    }
}

/// w
pub(in crate::certificate) fn weights(data: &Data) -> Vec<f64> {
    data.weights.clone().unwrap_or_else(|| vec![1.0; data.n()])
}

/// Both ends moved by `off`, not below 0.
fn widened(value: Enclosure, off: f64) -> Enclosure {
    let moved = value + Enclosure { low: -off, high: off };
    Enclosure { low: moved.low.max(0.0), high: moved.high }
}

/// Sums over the hidden units.
struct UnitSums {
    /// Σ_l p̂_il p̂_jl, lower and upper; empty where it was not asked for.
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

impl UnitSums {
    fn new(
        network: &Network,
        data: &Data,
        weights: &[f64],
        norms: &[f64],
        part: JacobianPart,
        matrices: bool,
    ) -> UnitSums {
        let (n, k) = (data.n(), network.width());
        let size = |wanted: bool| if wanted && matrices { n } else { 0 };
        let mut sums = UnitSums {
            slopes: Matrix::zeros(size(part != JacobianPart::Output), size(part != JacobianPart::Output)),
            values: Matrix::zeros(size(part != JacobianPart::Hidden), size(part != JacobianPart::Hidden)),
            part,
            blocks: k.div_ceil(UNITS),
            jacobian_error: 0.0,
            outputs: vec![0.0; n],
            output_errors: vec![0.0; n],
        };
        let mut squares = vec![0.0; n];
        for start in (0..k).step_by(UNITS) {
            let block = EvaluatedUnits::new(network, data, start..k.min(start + UNITS));
            sums.add(&block, k, &mut squares, norms);
        }
        let total = squares.iter().zip(weights).fold(0.0, |sum, (square, w)| add_up(sum, mul_up(*w, *square)));
        sums.jacobian_error = sqrt_up(total);
        sums
    }

    /// Add the units of a block; `squares` collects ‖xᵢ‖²Σ v_l²e_il² (hidden) and Σ ε_il² (output).
    fn add(&mut self, block: &EvaluatedUnits, k: usize, squares: &mut [f64], norms: &[f64]) {
        let (n, units) = (block.slopes.rows(), block.v.len());
        let scaled = Matrix::from_row_fn(n, units, |i, out| {
            out.iter_mut().zip(block.slopes.row(i)).zip(&block.v).for_each(|((out, slope), v)| *out = slope * v);
        });
        add_product(&mut self.slopes, &scaled);
        add_product(&mut self.values, &block.values);
        let (hidden, output) = (self.part != JacobianPart::Output, self.part != JacobianPart::Hidden);
        // A term of f meets at most one rounding for each unit and each block.
        let roundings = 1.01 * (k + self.blocks + 4) as f64 * U;
        let rows = Matrix::from_row_fn(n, 3, |i, out| {
            let (mut of_slopes, mut of_values) = (0.0, 0.0);
            for (l, v) in block.v.iter().enumerate() {
                let (slope_error, value_error) = (block.slope_errors[(i, l)], block.value_errors[(i, l)]);
                of_slopes = add_up(of_slopes, mul_up(mul_up(*v, *v), mul_up(slope_error, slope_error)));
                of_values = add_up(of_values, mul_up(value_error, value_error));
                let term = v * block.values[(i, l)];
                out[1] += term;
                out[2] = add_up(out[2], add_up(mul_up(v.abs(), value_error), mul_up(roundings, term.abs())));
            }
            let of_slopes = if hidden { mul_up(mul_up(norms[i], norms[i]), of_slopes) } else { 0.0 };
            out[0] = add_up(of_slopes, if output { of_values } else { 0.0 });
        });
        for i in 0..n {
            squares[i] = add_up(squares[i], rows[(i, 0)]);
            self.outputs[i] += rows[(i, 1)];
            self.output_errors[i] = add_up(self.output_errors[i], rows[(i, 2)]);
        }
    }

    /// K with its radius.
    fn ball(&self, network: &Network, data: &Data, weights: &[f64]) -> Ball {
        let (n, d) = (data.n(), data.d());
        let mut inner = Matrix::zeros(n, n);
        if self.part != JacobianPart::Output {
            add_product(&mut inner, &data.X);
        }
        let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        let center = Matrix::from_row_fn(n, n, |i, out| {
            for (j, out) in out.iter_mut().enumerate() {
                // One triangle decides both, so that the matrix is symmetric to the bit.
                let (a, b) = (i.max(j), i.min(j));
                let hidden = if self.part == JacobianPart::Output { 0.0 } else { self.slopes[(a, b)] * inner[(a, b)] };
                let output = if self.part == JacobianPart::Hidden { 0.0 } else { self.values[(a, b)] };
                *out = (hidden + output) * (roots[a] * roots[b]);
            }
        });
        let trace = (0..n).fold(0.0, |sum, i| add_up(sum, center[(i, i)]));
        let roundings = (network.width() + self.blocks + d + 16) as f64;
        let diagonal = |A: &Matrix| (0..A.rows()).map(|i| A[(i, i)]).fold(1.0, f64::max);
        let [slopes, inputs, values] = [&self.slopes, &inner, &self.values].map(diagonal);
        let heaviest = weights.iter().copied().fold(1.0, f64::max);
        let one = mul_up(mul_up((n * (network.width() + d + 2)) as f64, TINY), heaviest);
        let underflow = mul_up(one, add_up(mul_up(slopes, inputs), values));
        Ball { center, radius: add_up(mul_up(1.02 * roundings * U, trace), underflow) }
    }
}

/// The lower triangle of sum += A·Aᵀ, where there is a sum; what is above has no meaning.
fn add_product(sum: &mut Matrix, A: &Matrix) {
    let n = sum.rows();
    for_row_blocks(sum.as_mut_slice(), n, |rows, out| {
        let columns = rows.end;
        let mut product = vec![0.0; rows.len() * columns];
        multiply(&mut product, A.view_rows(rows), A.view_rows(0..columns).t(), Destination::Replace);
        for (row, product) in out.chunks_exact_mut(n).zip(product.chunks_exact(columns)) {
            row[..columns].iter_mut().zip(product).for_each(|(sum, x)| *sum += x);
        }
    });
}

/// Whether the second half of the units takes away exactly what the first half gives: then f = 0.
pub(in crate::certificate) fn is_antisymmetric(network: &Network) -> bool {
    let half = network.width() / 2;
    network.width().is_multiple_of(2)
        && (0..half).all(|l| network.v[l] == -network.v[l + half] && network.W.row(l) == network.W.row(l + half))
}

/// ‖r₀‖
fn residual(network: &Network, data: &Data, weights: &[f64], sums: &UnitSums) -> Enclosure {
    let cancels = is_antisymmetric(network);
    let (mut low, mut high) = (0.0, 0.0);
    for (i, (y, w)) in data.y.iter().zip(weights).enumerate() {
        let (f, off) = if cancels { (0.0, 0.0) } else { (sums.outputs[i], sums.output_errors[i]) };
        let size = (f - y).abs();
        let off = add_up(off, if cancels { 0.0 } else { 4.0 * U * add_up(f.abs(), y.abs()) });
        let (most, least) = (add_up(size, off), sub_down(size, off).max(0.0));
        high = add_up(high, mul_up(*w, mul_up(most, most)));
        low = add_down(low, mul_down(*w, mul_down(least, least).max(0.0)).max(0.0)).max(0.0);
    }
    Enclosure { low, high }.sqrt()
}

/// ‖Diag(√w)X‖
pub(in crate::certificate) fn input_norm(data: &Data) -> Enclosure {
    let (n, d) = (data.n(), data.d());
    let weights = &weights(data);
    if n.min(d) > MOST_ROWS {
        let square = |i: usize| data.X.row(i).iter().fold(0.0, |sum, x| add_up(sum, mul_up(*x, *x)));
        let squares = (0..n).map(|i| mul_up(weights[i], square(i)));
        return Enclosure { low: 0.0, high: sqrt_up(squares.fold(0.0, add_up)) };
    }
    if d <= n {
        // All rows, also those of weight zero: the weights are one for each.
        let (X, shifts) = (Cow::Borrowed(&data.X), vec![0; d]);
        let rows = ProofRows { X, y: vec![], w: vec![], total: Enclosure::exactly(1.0), shifts };
        return eigenvalue::extremes(&rows.outer_sum(weights)).largest.sqrt();
    }
    let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
    let mut inner = Matrix::zeros(n, n);
    add_product(&mut inner, &data.X);
    let center = Matrix::from_fn(n, n, |i, j| inner[(i.max(j), i.min(j))] * (roots[i] * roots[j]));
    let trace = (0..n).fold(0.0, |sum, i| add_up(sum, center[(i, i)]));
    // As for the Jacobian: what G loses is multiplied by the weights, what √w√wᵀ loses by G.
    let heaviest = weights.iter().copied().fold(1.0, f64::max);
    let longest = (0..n).map(|i| inner[(i, i)]).fold(1.0, f64::max);
    let underflow = mul_up(mul_up((n * (d + 1)) as f64, TINY), mul_up(heaviest, longest));
    let radius = add_up(mul_up(1.02 * (d + 12) as f64 * U, trace), underflow);
    eigenvalue::extremes(&Ball { center, radius }).largest.sqrt()
}

/// A network f(x) = vᵀφ(Wx), without biases and affine part but zeros, and rows that fit it.
pub(in crate::certificate) fn check_start(network: &Network, data: &Data) -> Result<()> {
    network.check()?;
    let rest = network.bias.iter().flatten().chain(&network.intercept).chain(network.linear.iter().flatten());
    if let Some(value) = rest.into_iter().find(|value| **value != 0.0) {
        return Err(Error::unsuitable("every bias and the affine part", "zero for this theorem", value));
    }
    if network.width() == 0 {
        return Err(Error::parameter(Parameter::Width, Requirement::CountFrom(1), 0));
    }
    let (expected, found) = (network.inputs(), data.d());
    if expected == found { Ok(()) } else { Err(Error::Shape { what: "inputs of the network", expected, found }) }
}

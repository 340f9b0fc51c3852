//! Two networks that agree on every row and differ elsewhere: what it means that rows do not determine a network.
//!
//! The first is given, or the one of least Frobenius norm (in columns scaled to size about 1) that fits the labels best.
//! The second is M + δN for an open direction N. Where M is positive definite, so is M + δN for
//! δ < 1/λ_max(−M^(−½)NM^(−½)), and both have v ≥ 0 [Theorem 2.6 (b)]; N and −N are tried, and the one that allows more
//! is taken. Elsewhere the signs are whatever the eigenvalues say. Corollary 2.7 (b) of the paper wants v ≥ 0 without
//! asking for rank M = d, and is false: on the rows e₁, e₂ nothing but M = 0 has v ≥ 0 and agrees with M = 0.
//!
//! N is an estimate; what is said about the two networks is not. Their difference on each row is enclosed in twice the
//! working precision, with a proven bound; where it is not negligible there is no rival.
//!
//! For x ~ N(0, I) the population risk of one against the other is, with A = δN and an affine part b·x + c,
//!
//! ```text
//! ½E(xᵀAx + b·x + c)² = ‖A‖_F² + ½(tr A + c)² + ½‖b‖²,
//! ```
//!
//! Gamarnik, Kızıldağ, Zadik (2019), Theorem 2.9 (b), where λ_max(δM) must read max|λ|: the bound is for either sign.

use std::f64::consts::FRAC_1_SQRT_2;

use shallows_verify::Monomial;
use shallows_verify::arithmetic::{add_up, power_of_two, sub_down};
use shallows_verify::residuals::residuals;
use shallows_verify::rows::{ProofRows, Rows};

use super::scaled::ScaledRows;
use super::span::{Direction, Echelon, Span, most_rows, symmetric};
use crate::activation::Activation;
use crate::certificate::convert::{flat_weights, for_checker};
use crate::data::Data;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::linalg::{Matrix, add_scaled, dot, norm, orthonormal_columns, symmetric_eigen, values_of_rows};
use crate::network::{Network, QuadraticForm, Signs};

/// Two networks that agree on the rows and differ elsewhere. [`rival`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Rival {
    /// The given network, or the one of least norm that fits the labels best.
    pub first: Network,
    /// The same values on every row, and another function.
    pub second: Network,
    /// The signs of the output weights of both: `Positive`, or `Any`.
    pub signs: Signs,
    /// The open direction by which they differ.
    pub form: String,
    /// Where they differ: of the points tried, all of a typical row's size, the one where they differ most.
    pub point: Vec<f64>,
    /// second − first there, towards zero: they differ by at least this, which is proved.
    pub difference: f64,
    /// At least |second − first| on every row, which is proved.
    pub on_rows: f64,
    /// The root mean square error of the first network on the rows.
    pub error: f64,
    /// ½E(second − first)² for x ~ N(0, I).
    pub risk: f64,
}

/// A coordinate is not worth telling below this share of the largest entry of its column.
const UNTOLD: f64 = 1e-6;

impl Rival {
    /// The coordinates of the point that are not negligible beside the columns of X, for readers.
    pub fn telling_coordinates(&self, X: &Matrix) -> Vec<usize> {
        let largest = |j: usize| X.column(j).iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        (0..self.point.len()).filter(|&j| self.point[j].abs() > UNTOLD * largest(j)).collect()
    }
}

/// More than this share of the spread of the labels, or of the difference elsewhere, is not agreement.
const NEGLIGIBLE: f64 = 1e-9;
/// Eigenvalues above this share of the largest are positive.
const POSITIVE: f64 = 1e-9;
/// How much of the room that v ≥ 0 leaves is used.
const SHARE_OF_ROOM: f64 = 0.99;

/// A pair of networks that the rows cannot tell apart; `None` when nothing is open, or none was found.
///
/// With `Signs::Positive` both have v ≥ 0, which takes a first network with positive definite M; with `Signs::Any` they
/// have so where the first allows it.
///
/// ```
/// use shallows::Data;
/// use shallows::certificate::{Signs, determined, rival};
/// use shallows::linalg::Matrix;
///
/// // Two rows cannot determine the three coefficients of x·Mx: some pair of networks agrees on them and differs elsewhere.
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[1.0, 1.0])?;
/// let (_, span) = determined(&data, false)?;
/// let pair = rival(&data, &span, None, Signs::Any)?.expect("something is open");
/// let point = Matrix::from_rows(&[pair.point.clone()]);
/// assert_ne!(pair.first.predict(&point)?, pair.second.predict(&point)?);
/// assert!(pair.on_rows < 1e-9 * pair.difference.abs());
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn rival(data: &Data, span: &Span, of: Option<&Network>, signs: Signs) -> Result<Option<Rival>> {
    let weights = flat_weights(data);
    let rows = &ScaledRows::new(Rows::new(data.X.as_slice(), data.d(), &data.y, Some(&weights))?, span.affine)?;
    let size = data.d() + usize::from(span.affine);
    if let Some(direction) = span.open.iter().find(|direction| direction.matrix.rows() != size) {
        let (what, found) = ("inputs of the open directions", direction.matrix.rows());
        return Err(Error::Shape { what, expected: size, found });
    }
    if signs == Signs::Negative {
        return Err(Error::parameter(Parameter::Signs, Requirement::OneOf(&["any", "positive"]), "negative"));
    }
    if span.open.is_empty() {
        return Ok(None);
    }
    let (form, first) = match of {
        Some(network) => {
            let width = network.inputs();
            if width != data.d() {
                return Err(Error::Shape { what: "inputs of the network", expected: data.d(), found: width });
            }
            network.check()?;
            (scaled(QuadraticForm::of(network)?, &rows.shifts), network.clone())
        }
        None => {
            let form = least_norm(rows);
            let Some(network) = factored(&form, &rows.shifts, Signs::Any) else { return Ok(None) };
            (form, network)
        }
    };
    let search = RivalSearch { data, rows, signs, form, first };
    Ok(span.open.iter().find_map(|direction| search.along(direction)))
}

struct RivalSearch<'a> {
    data: &'a Data,
    rows: &'a ScaledRows,
    signs: Signs,
    /// The first network as a function of scaled inputs.
    form: QuadraticForm,
    first: Network,
}

impl RivalSearch<'_> {
    /// A rival in this direction, if it is one.
    fn along(&self, direction: &Direction) -> Option<Rival> {
        let rows = self.rows;
        let N = scaled(unlifted(&direction.matrix, rows.affine), &rows.shifts);
        let (point, value) = farthest(&N, typical_norm(rows))?;
        let spread = spread(&rows.y);
        let wanted = spread / value.abs();
        let positive = self.first.v.iter().all(|v| *v >= 0.0);
        let room = if positive { room(&self.form.M, &N.M) } else { None };
        let (delta, signs) = match room {
            Some([plus, minus]) if plus >= minus => (wanted.min(SHARE_OF_ROOM * plus), Signs::Positive),
            Some([_, minus]) => (-wanted.min(SHARE_OF_ROOM * minus), Signs::Positive),
            None if self.signs == Signs::Any => (wanted, Signs::Any),
            None => return None,
        };
        let second = factored(&sum(&self.form, delta, &N), &rows.shifts, signs)?;
        let raw = point.iter().zip(&rows.shifts).map(|(x, h)| x * power_of_two(-h));
        let rival = self.measured(second, signs, direction, raw.collect())?;
        let least = NEGLIGIBLE * spread.min(rival.difference.abs());
        (rival.on_rows <= least).then_some(rival)
    }

    /// What is proved about two networks.
    fn measured(&self, second: Network, signs: Signs, direction: &Direction, point: Vec<f64>) -> Option<Rival> {
        let difference = difference(&self.first, &second)?;
        let (X, d) = (self.data.X.as_slice(), self.data.d());
        let on_rows = values(&difference, X, d, self.data.weights.as_deref())?;
        let on_rows = on_rows.into_iter().map(|[value, error]| add_up(value.abs(), error));
        let on_rows = on_rows.fold(0.0, |most: f64, x| if x.is_nan() { f64::INFINITY } else { most.max(x) });
        let &[value, error] = values(&difference, &point, d, None)?.first()?;
        let least = sub_down(value.abs(), error);
        let form = QuadraticForm::of(&difference).ok()?;
        let rival = Rival {
            error: self.error_of_first()?,
            first: self.first.clone(),
            second,
            signs,
            form: direction.form.clone(),
            point,
            difference: least.max(0.0).copysign(value),
            on_rows,
            risk: risk(&form),
        };
        (least > 0.0 && rival.risk.is_finite()).then_some(rival)
    }

    fn error_of_first(&self) -> Option<f64> {
        let weights = flat_weights(self.data);
        let values = self.first.predict(&self.data.X).ok()?;
        let residuals = values.iter().zip(&self.data.y).zip(&weights).map(|((f, y), w)| w * (f - y));
        let count: f64 = weights.iter().sum();
        Some(norm(&residuals.collect::<Vec<f64>>()) / count.sqrt())
    }
}

/// f at rows that count, each with a proved bound on its error.
fn values(network: &Network, X: &[f64], d: usize, weights: Option<&[f64]>) -> Option<Vec<[f64; 2]>> {
    let zeros = vec![0.0; X.len() / d.max(1)];
    let rows = ProofRows::new(Rows::new(X, d, &zeros, weights).ok()?, 1.0).ok()?;
    Some(residuals(&for_checker(network).ok()?, &rows))
}

/// x ↦ second − first as one network.
fn difference(first: &Network, second: &Network) -> Option<Network> {
    let mut negative = Network { bias: None, ..first.clone() };
    negative.v.iter_mut().for_each(|v| *v = -*v);
    negative.linear.iter_mut().flatten().for_each(|b| *b = -*b);
    negative.intercept = negative.intercept.map(|c| -c);
    second.clone().merge(&negative).ok()
}

/// ½E f² for x ~ N(0, I).
fn risk(form: &QuadraticForm) -> f64 {
    let trace: f64 = (0..form.M.rows()).map(|a| form.M[(a, a)]).sum();
    let linear = form.linear.as_ref().map_or(0.0, |b| dot(b, b));
    let M = form.M.as_slice();
    dot(M, M) + 0.5 * (trace + form.intercept.unwrap_or(0.0)).powi(2) + 0.5 * linear
}

/// The function of least norm among those of least squares; a guess.
fn least_norm(rows: &ScaledRows) -> QuadraticForm {
    let (columns, d) = (rows.columns(), rows.X.cols());
    let which = rows.some(most_rows(columns.len()));
    let labels: Vec<f64> = which.iter().map(|&i| rows.y[i]).collect();
    let (mut fitted, mut open) = Echelon::new(rows, &which, &columns, Some(&labels)).fitted_and_open();
    // In coordinates where the Euclidean norm is the Frobenius norm: ‖M‖² = Σ c_aa² + ½Σ c_ab².
    let unit = |column: &Monomial| match *column {
        Monomial::Product(a, b) if a != b => FRAC_1_SQRT_2,
        Monomial::Input(_) => FRAC_1_SQRT_2,
        _ => 1.0,
    };
    let unit: Vec<f64> = columns.iter().map(unit).collect();
    let times = |c: &mut Vec<f64>| c.iter_mut().zip(&unit).for_each(|(c, unit)| *c *= unit);
    times(&mut fitted);
    open.iter_mut().for_each(times);
    if !open.is_empty() {
        let Q = orthonormal_columns(&Matrix::from_rows(&open).transposed());
        for _ in 0..2 {
            let along = Q.transposed().times_vector(&fitted);
            add_scaled(&mut fitted, -1.0, &Q.times_vector(&along));
        }
    }
    fitted.iter_mut().zip(&unit).for_each(|(c, unit)| *c /= unit);
    unlifted(&symmetric(&columns, &fitted, d, rows.affine), rows.affine)
}

/// The function of a matrix of (1, x), or of x.
fn unlifted(M: &Matrix, affine: bool) -> QuadraticForm {
    let first = usize::from(affine);
    let d = M.rows() - first;
    QuadraticForm {
        M: Matrix::from_fn(d, d, |a, b| M[(a + first, b + first)]),
        linear: affine.then(|| (1..=d).map(|j| 2.0 * M[(0, j)]).collect()),
        intercept: affine.then(|| M[(0, 0)]),
    }
}

/// The same as a function of x̂ = 2^h x.
fn scaled(form: QuadraticForm, shifts: &[i32]) -> QuadraticForm {
    let factor: Vec<f64> = shifts.iter().map(|h| power_of_two(-h)).collect();
    let QuadraticForm { M, linear, intercept } = form;
    let d = M.rows();
    QuadraticForm {
        M: Matrix::from_fn(d, d, |a, b| factor[a] * M[(a, b)] * factor[b]),
        linear: linear.map(|b| b.iter().zip(&factor).map(|(b, factor)| b * factor).collect()),
        intercept,
    }
}

/// M + δN, each part where one of them has it.
fn sum(form: &QuadraticForm, delta: f64, N: &QuadraticForm) -> QuadraticForm {
    let mut M = form.M.clone();
    add_scaled(M.as_mut_slice(), delta, N.M.as_slice());
    let linear = match (&form.linear, &N.linear) {
        (None, None) => None,
        (left, right) => {
            let mut linear = left.clone().unwrap_or_else(|| vec![0.0; M.rows()]);
            right.iter().for_each(|b| add_scaled(&mut linear, delta, b));
            Some(linear)
        }
    };
    let intercept = match (form.intercept, N.intercept) {
        (None, None) => None,
        (left, right) => Some(left.unwrap_or(0.0) + delta * right.unwrap_or(0.0)),
    };
    QuadraticForm { M, linear, intercept }
}

/// A network for raw inputs with one unit for each eigenvalue of the allowed sign.
fn factored(form: &QuadraticForm, shifts: &[i32], signs: Signs) -> Option<Network> {
    let d = form.M.rows();
    let (values, Q) = symmetric_eigen(&form.M)?;
    let units: Vec<usize> =
        (0..d).rev().filter(|&l| if signs == Signs::Positive { values[l] > 0.0 } else { values[l] != 0.0 }).collect();
    let factor: Vec<f64> = shifts.iter().map(|h| power_of_two(*h)).collect();
    let W = Matrix::from_fn(units.len(), d, |l, a| values[units[l]].abs().sqrt() * Q[(a, units[l])] * factor[a]);
    let v = units.iter().map(|&l| values[l].signum()).collect();
    let mut network = Network::new(Activation::SQUARE, W, v).ok()?;
    let linear = form.linear.as_ref();
    network.linear = linear.map(|b| b.iter().zip(&factor).map(|(b, factor)| b * factor).collect());
    network.intercept = form.intercept;
    network.check().ok().map(|()| network)
}

/// How far M + δN and M − δN stay positive semidefinite; `None` where M is not positive definite.
fn room(M: &Matrix, N: &Matrix) -> Option<[f64; 2]> {
    let (values, Q) = symmetric_eigen(M)?;
    let d = values.len();
    let definite = values[0] > POSITIVE * values[d - 1] && values[0] > 0.0;
    if !definite {
        return None;
    }
    let half = Matrix::from_fn(d, d, |a, l| Q[(a, l)] / values[l].sqrt());
    let (relative, _) = symmetric_eigen(&half.transposed().times(N).times(&half))?;
    let limit = |largest: f64| if largest > 0.0 { 1.0 / largest } else { f64::INFINITY };
    Some([limit(-relative[0]), limit(relative[d - 1])])
}

/// Of the points along the axes of N and along its slope, at a typical size, the one where |N| is largest, and N there.
/// Where N vanishes at that size (rows on a sphere), half and twice of it and the origin are tried.
fn farthest(N: &QuadraticForm, size: f64) -> Option<(Vec<f64>, f64)> {
    let d = N.M.rows();
    let (_, Q) = symmetric_eigen(&N.M)?;
    let mut axes: Vec<Vec<f64>> = (0..d).map(|l| Q.column(l)).collect();
    let slope = N.linear.as_ref().map(|b| (b, norm(b))).filter(|(_, length)| *length > 0.0);
    axes.extend(slope.map(|(b, length)| b.iter().map(|b| b / length).collect()));
    let value = |x: &[f64]| {
        let linear = N.linear.as_ref().map_or(0.0, |b| dot(b, x));
        dot(x, &N.M.times_vector(x)) + linear + N.intercept.unwrap_or(0.0)
    };
    let along = |radius: f64| {
        let points = axes.iter().flat_map(move |axis| [radius, -radius].map(|r| (axis, r)));
        let points = points.map(|(axis, r)| axis.iter().map(|x| r * x).collect::<Vec<f64>>());
        let values = points.map(|x| (value(&x), x)).filter(|(value, _)| value.is_finite());
        values.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs())).map(|(value, x)| (x, value))
    };
    let typical = along(size)?;
    let others = [0.0, 0.5, 2.0].into_iter().filter_map(|share| along(share * size));
    let best = others.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    let chosen = if typical.1.abs() > 1e-3 * best.1.abs() { typical } else { best };
    (chosen.1 != 0.0).then_some(chosen)
}

/// The root mean square of ‖x̂ᵢ‖; 1 where all rows are zero.
fn typical_norm(rows: &ScaledRows) -> f64 {
    let n = rows.X.rows();
    let norms = values_of_rows(n, |i| norm(rows.X.row(i)));
    let size = norm(&norms) / (n as f64).sqrt();
    if size > 0.0 { size } else { 1.0 }
}

/// The standard deviation of the labels; their size where they are constant, 1 where they are zero.
fn spread(y: &[f64]) -> f64 {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let deviations: Vec<f64> = y.iter().map(|y| y - mean).collect();
    let deviation = norm(&deviations) / (y.len() as f64).sqrt();
    let size = y.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
    if deviation > 1e-12 * size {
        deviation
    } else if size > 0.0 {
        size
    } else {
        1.0
    }
}

//! The way down from a saddle of a quadratic network, and how far to go.
//!
//! For φ(z) = z², fixed output weights v and P(W) = ½Σωᵢrᵢ² + τΣ_j|v_j|‖w_j‖², with D = Diag(v),
//! S = Σ ωᵢrᵢ xᵢxᵢᵀ and qᵢ = xᵢᵀWᵀDUxᵢ:
//!
//! ```text
//! ∇P = 2DWS + 2τ|D|W          curvature along U = 2⟨UᵀDU, S⟩ + 2τΣ|v_j|‖u_j‖² + 4Σωᵢqᵢ²
//! ```
//!
//! Where λ_min(S) < −τ let b be its eigenvector and I the units with v_j > 0 (where λ_max(S) > τ: v_j < 0). A vector a
//! on I with aᵀDW = 0 makes every qᵢ of U = abᵀ zero, and the curvature 2(aᵀDa)(bᵀSb) + 2τaᵀ|D|a is negative
//! [Soltanolkotabi, Javanmard, Lee 2019, §6.2, with the coefficient of Σωq² corrected to 4]. At a stationary point with
//! |I| ≥ d there is such an a, since W_I(S ± τI) = 0 leaves W_I short of rank d. Elsewhere the best a for this b is
//! tried too: the lowest eigenvector of 2(bᵀSb)D + 2τ|D| + 4DWGWᵀD, G = Σωᵢ(b·xᵢ)²xᵢxᵢᵀ, whose value is the full
//! curvature. The direction is one of negative curvature, not always the most negative one.
//!
//! Where no eigenvalue of S is beyond its limit, the Hessian is positive semidefinite, and W with ∇P = 0 is a global
//! minimiser over all networks whose units have the signs of v (convexity in M = WᵀDW).
//!
//! Along U the objective is a quartic, P(W + tU) = c₀ + c₁t + c₂t² + c₃t³ + c₄t⁴: one pass gives its coefficients, the
//! roots of a cubic its minimum.

use super::quadratic::residual_moments;
use crate::activation::Activation;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::{self, Matrix, dot, norm, right_singular, symmetric_eigen};
use crate::network::{Network, QuadraticForm, weighted_product};

/// What the curvature at a point allows. [`escape`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub enum Outlook {
    /// A direction of negative curvature.
    Down(Escape),
    /// There is none, and W is a global minimiser if ∇P = 0.
    Optimal,
    /// An eigenvalue of S is beyond its limit, but no direction U = abᵀ along its eigenvector goes down.
    Blocked {
        /// |I|, the units of the sign that would have to move.
        units: usize,
        /// d: with so many, every stationary point would have a way out.
        needed: usize,
    },
}

/// A direction of negative curvature. [`escape`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Escape {
    /// U = abᵀ, k×d, of Frobenius norm 1 up to rounding.
    pub U: Matrix,
    /// The curvature of P along U, estimated.
    pub curvature: f64,
    /// The eigenvalue of S that gives b.
    pub eigenvalue: f64,
}

/// The coefficients c₀, …, c₄ of t ↦ P(W + tU). [`escape`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartic(pub [f64; 5]);

/// Singular values below this share of the largest are rounding of zero.
const NUMERICAL_ZERO: f64 = 1e-12;
/// At least so many units of I take part, those with the largest |v_j|; more than 2d add little to the choice of a.
const MOST_UNITS: usize = 400;

/// A direction of negative curvature of P at W, or why there is none.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::risk::{Outlook, Quartic, escape};
/// use shallows::{Activation, Data, Network};
///
/// // W = 0 is stationary, but no minimum.
/// let data = Data::from_rows(&[[1.0]], &[1.0])?;
/// let network = Network::new(Activation::SQUARE, Matrix::from_rows(&[[0.0]]), vec![1.0])?;
/// let Outlook::Down(way) = escape(&network, &data, 0.0)? else { panic!("there is a way down") };
/// let quartic = Quartic::along(&network, &data, 0.0, &way.U)?;
/// assert!(quartic.change(quartic.minimiser()) < 0.0);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn escape(network: &Network, data: &Data, decay: f64) -> Result<Outlook> {
    let form = checked_form(network, data)?;
    let d = data.d();
    let S = Matrix::from_vec(d, d, residual_moments(data, &form).second);
    let (values, vectors) = symmetric_eigen(&S).ok_or(Error::NotFinite { what: "the entries of S" })?;
    let mut outlook = Outlook::Optimal;
    for (sign, at) in [(1.0, 0), (-1.0, d - 1)] {
        let mut units: Vec<usize> = (0..network.width()).filter(|&j| sign * network.v[j] > 0.0).collect();
        if units.is_empty() || !(sign * values[at] < -decay) {
            continue;
        }
        let blocked = Outlook::Blocked { units: units.len(), needed: d };
        units.sort_by(|&i, &j| network.v[j].abs().total_cmp(&network.v[i].abs()));
        units.truncate(MOST_UNITS.max(2 * d));
        let corner = Corner { network, data, decay, units, b: vectors.column(at), eigenvalue: values[at] };
        outlook = match (outlook, corner.lowest()) {
            (Outlook::Down(best), Some(found)) if best.curvature <= found.curvature => Outlook::Down(best),
            (_, Some(found)) => Outlook::Down(found),
            (Outlook::Down(best), None) => Outlook::Down(best),
            (_, None) => blocked,
        };
    }
    Ok(outlook)
}

/// The units of one sign and the eigenvector they may move along.
struct Corner<'a> {
    network: &'a Network,
    data: &'a Data,
    decay: f64,
    units: Vec<usize>,
    b: Vec<f64>,
    eigenvalue: f64,
}

impl Corner<'_> {
    /// The lowest negative curvature among U = abᵀ with a from the null space and the best a.
    fn lowest(&self) -> Option<Escape> {
        let A = Matrix::from_fn(self.units.len(), self.data.d(), |at, c| {
            let j = self.units[at];
            self.network.v[j] * self.network.W[(j, c)]
        });
        let form = self.form(&A);
        let curvature = |a: &[f64]| dot(a, &form.times_vector(a)) / dot(a, a);
        let candidates = [self.in_null_space(&A), lowest_eigenvector(&form)];
        let best = candidates.into_iter().flatten().map(|a| (curvature(&a), a)).min_by(|x, y| x.0.total_cmp(&y.0));
        let (curvature, a) = best.filter(|(curvature, _)| *curvature < 0.0)?;
        let mut U = Matrix::zeros(self.network.width(), self.data.d());
        let length = norm(&a) * norm(&self.b);
        for (a, &j) in a.iter().zip(&self.units) {
            U.row_mut(j).iter_mut().zip(&self.b).for_each(|(u, b)| *u = a * b / length);
        }
        Some(Escape { U, curvature, eigenvalue: self.eigenvalue })
    }

    /// The a of largest aᵀ|D|a with aᵀDW = 0.
    fn in_null_space(&self, A: &Matrix) -> Option<Vec<f64>> {
        let (values, V) = right_singular(&A.transposed())?;
        let count = self.units.len();
        let rank = values.iter().filter(|s| **s > NUMERICAL_ZERO * values[0]).count();
        if rank == count {
            return None;
        }
        let N = Matrix::from_fn(count, count - rank, |i, j| V[(i, rank + j)]);
        let sizes: Vec<f64> = self.units.iter().map(|&j| -self.network.v[j].abs()).collect();
        Some(N.times_vector(&lowest_eigenvector(&weighted_product(&N, &sizes, &N))?))
    }

    /// The curvature of abᵀ as a quadratic form in a.
    fn form(&self, A: &Matrix) -> Matrix {
        let (data, omega) = (self.data, self.data.omega());
        let along = linalg::values_of_rows(data.n(), |i| omega[i] * dot(&self.b, data.X.row(i)).powi(2));
        let G = weighted_product(&data.X, &along, &data.X);
        let mut form = A.times(&G).times(&A.transposed());
        form.as_mut_slice().iter_mut().for_each(|x| *x *= 4.0);
        for (at, &j) in self.units.iter().enumerate() {
            let v = self.network.v[j];
            form[(at, at)] += 2.0 * (v * self.eigenvalue + self.decay * v.abs());
        }
        form
    }
}

fn lowest_eigenvector(A: &Matrix) -> Option<Vec<f64>> {
    symmetric_eigen(A).map(|(_, vectors)| vectors.column(0))
}

/// The function of a quadratic network that fits the data; hidden biases must be zero.
fn checked_form(network: &Network, data: &Data) -> Result<QuadraticForm> {
    network.check()?;
    if data.d() != network.inputs() {
        let (expected, found) = (network.inputs(), data.d());
        return Err(Error::Shape { what: "inputs of the network", expected, found });
    }
    let zero_bias = network.bias.iter().flatten().all(|u| *u == 0.0);
    if network.activation != Activation::SQUARE || !zero_bias {
        let requirement = "quadratic, without hidden biases";
        return Err(Error::unsuitable("the network", requirement, &network.activation));
    }
    let M = weighted_product(&network.W, &network.v, &network.W);
    Ok(QuadraticForm { M, linear: network.linear.clone(), intercept: network.intercept })
}

impl Quartic {
    /// Of P along U, in one pass over the data.
    pub fn along(network: &Network, data: &Data, decay: f64, U: &Matrix) -> Result<Quartic> {
        let form = checked_form(network, data)?;
        let form_of = |M: Matrix| QuadraticForm { M, linear: None, intercept: None };
        // xᵀWᵀDUx does not see that WᵀDU is not symmetric.
        let first = form_of(weighted_product(&network.W, &network.v, U));
        let second = form_of(weighted_product(U, &network.v, U));
        let (omega, d) = (data.omega(), data.d());
        let mut c = linalg::sum_over_rows(
            (data.n(), 5),
            || [0.0; 5],
            |c, rows| {
                let mut scratch = vec![0.0; rows.len() * d];
                let mut values = |form: &QuadraticForm| form.values(&data.X, rows.clone(), &mut scratch);
                let (f, q, p) = (values(&form), values(&first), values(&second));
                for (at, i) in rows.clone().enumerate() {
                    let (r, q, p, omega) = (f[at] - data.y[i], q[at], p[at], omega[i]);
                    let terms = [0.5 * r * r, 2.0 * r * q, 2.0 * q * q + r * p, 2.0 * q * p, 0.5 * p * p];
                    c.iter_mut().zip(terms).for_each(|(c, term)| *c += omega * term);
                }
            },
            |c, next| c.iter_mut().zip(next).for_each(|(c, next)| *c += next),
        );
        for (j, v) in network.v.iter().enumerate() {
            let (w, u) = (network.W.row(j), U.row(j));
            let terms = [dot(w, w), 2.0 * dot(w, u), dot(u, u)];
            c.iter_mut().zip(terms).for_each(|(c, term)| *c += decay * v.abs() * term);
        }
        Ok(Quartic(c))
    }

    /// P(W + tU) − P(W).
    pub fn change(&self, t: f64) -> f64 {
        let [_, c1, c2, c3, c4] = self.0;
        t * (c1 + t * (c2 + t * (c3 + t * c4)))
    }

    /// The t of the least value, either sign; 0 where there is none below P(W).
    pub fn minimiser(&self) -> f64 {
        let [_, c1, c2, c3, c4] = self.0;
        let stationary = real_roots([c1, 2.0 * c2, 3.0 * c3, 4.0 * c4]);
        stationary.into_iter().fold(0.0, |best, t| if self.change(t) < self.change(best) { t } else { best })
    }
}

/// The real roots of a₀ + a₁t + a₂t² + a₃t³ where it changes sign: by bisection between those of its derivative.
fn real_roots(a: [f64; 4]) -> Vec<f64> {
    let Some(degree) = (1..4).rev().find(|&degree| a[degree] != 0.0) else { return vec![] };
    let value = |t: f64| a[0] + t * (a[1] + t * (a[2] + t * a[3]));
    // Cauchy: no root is farther out.
    let reach = 1.0 + (0..degree).map(|at| (a[at] / a[degree]).abs()).fold(0.0, f64::max);
    if !reach.is_finite() {
        return vec![];
    }
    let mut ends = vec![-reach];
    if degree > 1 {
        ends.extend(real_roots([a[1], 2.0 * a[2], 3.0 * a[3], 0.0]).into_iter().filter(|t| t.abs() < reach));
    }
    ends.push(reach);
    ends.windows(2).filter_map(|pair| bisected(&value, pair[0], pair[1])).collect()
}

/// Where a function changes sign between two points, to the last float; `None` where it does not.
fn bisected(value: &dyn Fn(f64) -> f64, mut low: f64, mut high: f64) -> Option<f64> {
    /// A bracket of floats is used up after this many halvings, whatever its length.
    const MOST_HALVINGS: usize = 2200;
    let rises = value(high) > 0.0;
    if (value(low) > 0.0) == rises {
        return None;
    }
    for _ in 0..MOST_HALVINGS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        let beyond = (value(middle) > 0.0) == rises;
        (low, high) = if beyond { (low, middle) } else { (middle, high) };
    }
    Some(if value(low).abs() < value(high).abs() { low } else { high })
}

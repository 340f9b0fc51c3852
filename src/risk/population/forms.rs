//! Closed forms of ½E(f − f*)², x ~ N(0, I), for activations other than z².
//!
//! ```text
//! αz² + βz + γ   A = αM − α*M*, θ and δ the differences of the linear and the constant parts:
//!                ½[2‖A‖_F² + (tr A)² + ‖θ‖² + δ² + 2δ tr A]
//! relu           ½[v*ᵀK(W*,W*)v* + vᵀK(W,W)v − 2v*ᵀK(W*,W)v],  K(u,w) = (|u||w|/2π)(sin θ + (π − θ)cos θ)
//!                ∇_u K = (1/2π)(|w| sin θ·u/|u| + (π − θ)w)
//!                along (u̇, ẇ), with û = u/|u|: (1/2π)[(|w|̇ sin θ)û + |w| sin θ·û̇ + (π − θ)ẇ + |w|θ̇(cos θ·û − ŵ)]
//! any, unit rows ½Σ_k ‖φ̂*_k Σ v*_i w*_i^{⊗k} − φ̂_k Σ v_j w_j^{⊗k}‖²
//! ```

use crate::activation::{Activation, Correlation, Kinked, Smooth};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, add_scaled, dot, norm};
use crate::network::{Network, weighted_product};

/// The risk of one network against another of the same kind: both αz² + βz + γ (with affine parts and any coefficients
/// of their own), or both relu.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::risk::population::population_risk;
/// use shallows::{Activation, Network};
///
/// let network = |v: f64| Network::new(Activation::SQUARE, Matrix::identity(1), vec![v]);
/// // ½E(x²)² = 3/2
/// assert!((population_risk(&network(2.0)?, &network(1.0)?)? - 1.5).abs() < 1e-12);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn population_risk(student: &Network, teacher: &Network) -> Result<f64> {
    check_pair(student, teacher)?;
    match (Polynomial::of(student), Polynomial::of(teacher)) {
        (Some(student), Some(teacher)) => Ok(student.risk_against(&teacher)),
        _ => Ok(relu_population_risk(student, teacher)?.value),
    }
}

fn check_pair(student: &Network, teacher: &Network) -> Result<()> {
    student.check()?;
    teacher.check()?;
    let (expected, found) = (teacher.inputs(), student.inputs());
    if expected != found {
        return Err(Error::Shape { what: "inputs of the student", expected, found });
    }
    let biased = |network: &Network| network.bias.iter().flatten().any(|u| *u != 0.0);
    if biased(student) || biased(teacher) {
        let (what, requirement) = ("networks with a closed form of the population risk", "without hidden biases");
        return Err(Error::unsuitable(what, requirement, "with them"));
    }
    Ok(())
}

/// xᵀMx + bᵀx + c
struct Polynomial {
    M: Matrix,
    linear: Vec<f64>,
    constant: f64,
}

impl Polynomial {
    fn of(network: &Network) -> Option<Polynomial> {
        let Activation::Smooth(Smooth::Quadratic { alpha, beta, gamma }) = network.activation else { return None };
        let mut M = weighted_product(&network.W, &network.v, &network.W);
        M.as_mut_slice().iter_mut().for_each(|m| *m *= alpha);
        let mut linear = network.linear.clone().unwrap_or_else(|| vec![0.0; network.inputs()]);
        for (j, v) in network.v.iter().enumerate() {
            add_scaled(&mut linear, beta * v, network.W.row(j));
        }
        let constant = gamma * network.v.iter().sum::<f64>() + network.intercept.unwrap_or(0.0);
        Some(Polynomial { M, linear, constant })
    }

    fn risk_against(mut self, teacher: &Polynomial) -> f64 {
        add_scaled(self.M.as_mut_slice(), -1.0, teacher.M.as_slice());
        add_scaled(&mut self.linear, -1.0, &teacher.linear);
        let delta = self.constant - teacher.constant;
        let trace: f64 = (0..self.M.rows()).map(|i| self.M[(i, i)]).sum();
        // (δ + tr A)² = δ² + 2δ tr A + (tr A)²
        super::risk_of(&self.M) + 0.5 * (dot(&self.linear, &self.linear) + delta * delta + 2.0 * delta * trace)
    }
}

/// The risk of a relu network, and its derivatives. [`relu_population_risk`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct ReluRisk {
    /// ½E r²
    pub value: f64,
    /// In W, k×d. A unit with w = 0 has the derivative 0, as φ'(0) = 0 gives it.
    pub gradient_W: Matrix,
    /// In v.
    pub gradient_v: Vec<f64>,
}

/// Of a relu network against a relu teacher of any width, neither with biases or affine part.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::risk::population::relu_population_risk;
/// use shallows::{Activation, Network};
///
/// let network = |v: f64| Network::new(Activation::RELU, Matrix::identity(1), vec![v]);
/// // ½E relu(x)² = ¼
/// let risk = relu_population_risk(&network(2.0)?, &network(1.0)?)?;
/// assert!((risk.value - 0.25).abs() < 1e-12 && (risk.gradient_v[0] - 0.5).abs() < 1e-12);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn relu_population_risk(student: &Network, teacher: &Network) -> Result<ReluRisk> {
    check_relu_pair(student, teacher)?;
    let d = student.inputs();
    let mut out = ReluRisk { value: 0.0, gradient_W: Matrix::zeros(student.width(), d), gradient_v: vec![] };
    for (j, v) in student.v.iter().enumerate() {
        let (mut own, mut other) = (0.0, 0.0);
        let mut slope = vec![0.0; d];
        let terms = (student, 1.0, &mut own);
        for (network, sign, sum) in [terms, (teacher, -1.0, &mut other)] {
            for (l, weight) in network.v.iter().enumerate() {
                *sum += weight * add_pair(student.W.row(j), network.W.row(l), sign * weight, &mut slope);
            }
        }
        out.value += v * (0.5 * own - other);
        out.gradient_v.push(own - other);
        add_scaled(out.gradient_W.row_mut(j), *v, &slope);
    }
    for (i, v) in teacher.v.iter().enumerate() {
        let row = |(l, weight): (usize, &f64)| weight * relu_kernel(teacher.W.row(i), teacher.W.row(l)).0;
        out.value += 0.5 * v * teacher.v.iter().enumerate().map(row).sum::<f64>();
    }
    Ok(out)
}

/// The derivative of [`relu_population_risk`]'s gradient in W along U: the Hessian in W times U, with v fixed.
pub(crate) fn relu_population_product(student: &Network, teacher: &Network, U: &Matrix) -> Result<Matrix> {
    check_relu_pair(student, teacher)?;
    let (expected, found) = (student.width(), U.rows());
    if (expected, student.inputs()) != (found, U.cols()) {
        return Err(Error::Shape { what: "rows of the direction", expected, found });
    }
    let mut out = Matrix::zeros(U.rows(), U.cols());
    let still = vec![0.0; U.cols()];
    for (j, v) in student.v.iter().enumerate() {
        let (u, u_dot) = (student.W.row(j), U.row(j));
        for (l, weight) in student.v.iter().enumerate() {
            add_turn((u, u_dot), (student.W.row(l), U.row(l)), v * weight, out.row_mut(j));
        }
        for (l, weight) in teacher.v.iter().enumerate() {
            add_turn((u, u_dot), (teacher.W.row(l), &still), -v * weight, out.row_mut(j));
        }
    }
    Ok(out)
}

/// Add weight times the derivative of ∇_u K(u, w) along (u̇, ẇ). Where u and w are parallel its last term is 0: θ̇ stays
/// bounded there.
fn add_turn((u, u_dot): (&[f64], &[f64]), (w, w_dot): (&[f64], &[f64]), weight: f64, out: &mut [f64]) {
    let (long_u, long_w) = (norm(u), norm(w));
    if long_u == 0.0 || long_w == 0.0 {
        return;
    }
    let scaled = |x: &[f64], length: f64| x.iter().map(|x| x / length).collect::<Vec<f64>>();
    let rotation = |unit: &[f64], moved: &[f64], length: f64| {
        let mut turn = scaled(moved, length);
        add_scaled(&mut turn, -dot(unit, moved) / length, unit);
        turn
    };
    let (unit_u, unit_w) = (scaled(u, long_u), scaled(w, long_w));
    let (turn_u, turn_w) = (rotation(&unit_u, u_dot, long_u), rotation(&unit_w, w_dot, long_w));
    let between = Correlation::of(&unit_u, &unit_w);
    let (sine, rest) = (between.angle().sin(), std::f64::consts::PI - between.angle());
    let weight = weight / TURN;
    add_scaled(out, weight * dot(&unit_w, w_dot) * sine, &unit_u);
    add_scaled(out, weight * long_w * sine, &turn_u);
    add_scaled(out, weight * rest, w_dot);
    if sine > 0.0 {
        let angle_dot = -(dot(&turn_u, &unit_w) + dot(&unit_u, &turn_w)) / sine;
        add_scaled(out, weight * long_w * angle_dot * between.rho(), &unit_u);
        add_scaled(out, -weight * long_w * angle_dot, &unit_w);
    }
}

fn check_relu_pair(student: &Network, teacher: &Network) -> Result<()> {
    check_pair(student, teacher)?;
    for network in [student, teacher] {
        let affine = network.intercept.is_some_and(|c| c != 0.0) || network.linear.iter().flatten().any(|b| *b != 0.0);
        if network.activation != Activation::Kinked(Kinked::Relu) || affine {
            let found = format!("{}{}", network.activation, if affine { " with an affine part" } else { "" });
            let requirement = "both quadratic, or both relu without an affine part";
            return Err(Error::unsuitable("networks with a closed form of the population risk", requirement, found));
        }
    }
    Ok(())
}

/// K(u, w); weight·∇_u K is added to `slope`.
fn add_pair(u: &[f64], w: &[f64], weight: f64, slope: &mut [f64]) -> f64 {
    let (kernel, along_u, along_w) = relu_kernel(u, w);
    add_scaled(slope, weight * along_u, u);
    add_scaled(slope, weight * along_w, w);
    kernel
}

const TURN: f64 = 2.0 * std::f64::consts::PI;

/// K(u, w) and the factors of u and w in ∇_u K; zeros when u or w is 0.
fn relu_kernel(u: &[f64], w: &[f64]) -> (f64, f64, f64) {
    let (long_u, long_w) = (norm(u), norm(w));
    if long_u == 0.0 || long_w == 0.0 {
        return (0.0, 0.0, 0.0);
    }
    let direction = |x: &[f64], length: f64| x.iter().map(|x| x / length).collect::<Vec<f64>>();
    let between = Correlation::of(&direction(u, long_u), &direction(w, long_w));
    let (sine, rest) = (between.angle().sin(), std::f64::consts::PI - between.angle());
    let kernel = long_u * long_w / TURN * (sine + rest * between.rho());
    (kernel, long_w * sine / long_u / TURN, rest / TURN)
}

/// How far from 1 the norm of a unit row may be.
const UNIT: f64 = 1e-9;

/// The terms of order below `count` of the Hermite sum, for networks with unit rows and any activations: exact for
/// Hermite combinations of lower degree, else a lower bound, since no term is negative.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::risk::population::{hermite_population_risk, population_risk};
/// use shallows::{Activation, Network};
///
/// let network = |v: f64| Network::new(Activation::SQUARE, Matrix::identity(1), vec![v]);
/// // Three terms are all there are for z².
/// let exact = population_risk(&network(2.0)?, &network(1.0)?)?;
/// assert!((hermite_population_risk(&network(2.0)?, &network(1.0)?, 3)? - exact).abs() < 1e-12);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn hermite_population_risk(student: &Network, teacher: &Network, count: usize) -> Result<f64> {
    check_pair(student, teacher)?;
    for network in [student, teacher] {
        let affine = network.intercept.is_some() || network.linear.is_some();
        let off = (0..network.width()).map(|j| (norm(network.W.row(j)) - 1.0).abs()).fold(0.0, f64::max);
        if affine || !(off <= UNIT) {
            let found = if affine { "an affine part".into() } else { format!("a row of a norm {off:.1e} away from 1") };
            return Err(Error::unsuitable("the networks of a Hermite sum", "hidden units with unit rows alone", found));
        }
    }
    let (own, other) = (student.activation.hermite(count), teacher.activation.hermite(count));
    let products = |P: &Network, Q: &Network| P.W.times(&Q.W.transposed());
    let [SS, ST, TT] = [products(student, student), products(student, teacher), products(teacher, teacher)];
    let form = |left: &[f64], G: &Matrix, right: &[f64], k: usize| -> f64 {
        let row =
            |(i, v): (usize, &f64)| v * G.row(i).iter().zip(right).map(|(rho, v)| v * rho.powi(k as i32)).sum::<f64>();
        left.iter().enumerate().map(row).sum()
    };
    let (v, v_star) = (&student.v, &teacher.v);
    let term = |k: usize| {
        let (a, b) = (own[k], other[k]);
        a * a * form(v, &SS, v, k) - 2.0 * a * b * form(v, &ST, v_star, k) + b * b * form(v_star, &TT, v_star, k)
    };
    Ok(0.5 * (0..count).map(term).sum::<f64>())
}

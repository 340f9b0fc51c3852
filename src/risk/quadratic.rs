//! The loss of f(x) = Σ v_j (w_j·x)² + c + bᵀx through M = Wᵀ Diag(v) W.
//!
//! f(x) = xᵀMx + c + bᵀx, and with S = Σ ω_i r_i x_i x_iᵀ (the gradient in M), D = Diag(v):
//!
//! ```text
//! ∇_W = 2 D W S                      ∇_v,j = w_jᵀ S w_j
//! along (U, q):   Ṁ = UᵀDW + WᵀDU + Wᵀ Diag(q) W,   Ṡ = Σ ω_i ṙ_i x_i x_iᵀ
//! H_W = 2 D U S + 2 D W Ṡ + 2 Diag(q) W S            H_v,j = 2 u_jᵀ S w_j + w_jᵀ Ṡ w_j
//! ```
//!
//! One pass over the data costs 2nd² multiply-adds whatever the width.

use crate::data::Data;
use crate::linalg::{self, Destination, Matrix, View, add_scaled, dot, multiply};
use crate::network::{Layout, Network, QuadraticForm, weighted_product};

/// The derivative of the network's function along (U, q, ċ, ḃ).
fn along(network: &Network, layout: &Layout, direction: &[f64]) -> QuadraticForm {
    let (k, d) = (network.width(), network.inputs());
    let mut M = Matrix::zeros(d, d);
    if !layout.W.is_empty() {
        let U = Matrix::from_vec(k, d, direction[layout.W.clone()].to_vec());
        let half = weighted_product(&U, &network.v, &network.W);
        M = Matrix::from_fn(d, d, |a, b| half[(a, b)] + half[(b, a)]);
    }
    if !layout.v.is_empty() {
        let part = weighted_product(&network.W, &direction[layout.v.clone()], &network.W);
        add_scaled(M.as_mut_slice(), 1.0, part.as_slice());
    }
    let intercept = direction[layout.intercept.clone()].first().copied();
    let linear = (!layout.linear.is_empty()).then(|| direction[layout.linear.clone()].to_vec());
    QuadraticForm { M, linear, intercept }
}

/// The function of a network that is known to be quadratic.
fn form_of(network: &Network) -> QuadraticForm {
    let M = weighted_product(&network.W, &network.v, &network.W);
    QuadraticForm { M, linear: network.linear.clone(), intercept: network.intercept }
}

/// Σ ω r² of a quadratic function on data, and the moments Σ ω r x xᵀ, Σ ω r x, Σ ω r.
pub(crate) struct ResidualMoments {
    pub energy: f64,
    /// d×d, row after row.
    pub second: Vec<f64>,
    pub first: Vec<f64>,
    pub zeroth: f64,
}

/// One pass over the data.
pub(crate) fn residual_moments(data: &Data, form: &QuadraticForm) -> ResidualMoments {
    let PassSums { energy, of_residual: SignalMoments { second, first, zeroth }, .. } =
        pass(data, &data.omega(), form, None, true);
    ResidualMoments { energy, second, first, zeroth }
}

/// Sums over the data of a signal s: Σ s x xᵀ, Σ s x, Σ s.
struct SignalMoments {
    second: Vec<f64>,
    first: Vec<f64>,
    zeroth: f64,
}

impl SignalMoments {
    fn zeros(d: usize) -> Self {
        SignalMoments { second: vec![0.0; d * d], first: vec![0.0; d], zeroth: 0.0 }
    }

    fn add_block(&mut self, X: &Matrix, rows: std::ops::Range<usize>, s: &[f64], scratch: &mut [f64]) {
        let d = X.cols();
        let scaled = &mut scratch[..rows.len() * d];
        for (at, i) in rows.clone().enumerate() {
            scaled[at * d..][..d].iter_mut().zip(X.row(i)).for_each(|(out, x)| *out = s[at] * x);
            add_scaled(&mut self.first, s[at], X.row(i));
        }
        self.zeroth += s.iter().sum::<f64>();
        let scaled = View::new(scaled, rows.len(), d);
        multiply(&mut self.second, scaled.t(), X.view_rows(rows), Destination::Add);
    }

    fn add(&mut self, next: &SignalMoments) {
        add_scaled(&mut self.second, 1.0, &next.second);
        add_scaled(&mut self.first, 1.0, &next.first);
        self.zeroth += next.zeroth;
    }
}

/// Σ ω r².
pub(super) fn energy(data: &Data, omega: &[f64], network: &Network) -> f64 {
    pass(data, omega, &form_of(network), None, false).energy
}

/// The gradient of ½Σ ω r²; returns Σ ω r².
pub(super) fn gradient(data: &Data, omega: &[f64], network: &Network, layout: &Layout, out: &mut [f64]) -> f64 {
    let sums = pass(data, omega, &form_of(network), None, true);
    let S = Matrix::from_vec(data.d(), data.d(), sums.of_residual.second);
    let WS = network.W.times(&S);
    write_rows(&mut out[layout.W.clone()], &network.v, &WS, Destination::Replace);
    for (j, out) in out[layout.v.clone()].iter_mut().enumerate() {
        *out = dot(WS.row(j), network.W.row(j));
    }
    out[layout.intercept.clone()].fill(sums.of_residual.zeroth);
    if !layout.linear.is_empty() {
        out[layout.linear.clone()].copy_from_slice(&sums.of_residual.first);
    }
    sums.energy
}

/// The Hessian of ½Σ ω r² times a direction.
pub(super) fn hessian_product(
    data: &Data,
    omega: &[f64],
    network: &Network,
    layout: &Layout,
    direction: &[f64],
    out: &mut [f64],
) {
    let (k, d) = (network.width(), data.d());
    let along = along(network, layout, direction);
    let sums = pass(data, omega, &form_of(network), Some(&along), true);
    let S = Matrix::from_vec(d, d, sums.of_residual.second);
    let S_dot = Matrix::from_vec(d, d, sums.of_change.second);
    let (WS, WS_dot) = (network.W.times(&S), network.W.times(&S_dot));
    write_rows(&mut out[layout.W.clone()], &network.v, &WS_dot, Destination::Replace);
    if !layout.v.is_empty() {
        write_rows(&mut out[layout.W.clone()], &direction[layout.v.clone()], &WS, Destination::Add);
    }
    for (j, out) in out[layout.v.clone()].iter_mut().enumerate() {
        *out = dot(WS_dot.row(j), network.W.row(j));
    }
    if !layout.W.is_empty() {
        let U = Matrix::from_vec(k, d, direction[layout.W.clone()].to_vec());
        write_rows(&mut out[layout.W.clone()], &network.v, &U.times(&S), Destination::Add);
        for (j, out) in out[layout.v.clone()].iter_mut().enumerate() {
            *out += 2.0 * dot(WS.row(j), U.row(j));
        }
    }
    out[layout.intercept.clone()].fill(sums.of_change.zeroth);
    if !layout.linear.is_empty() {
        out[layout.linear.clone()].copy_from_slice(&sums.of_change.first);
    }
}

/// What one pass over the data gathers.
struct PassSums {
    energy: f64,
    of_residual: SignalMoments,
    of_change: SignalMoments,
}

fn pass(data: &Data, omega: &[f64], form: &QuadraticForm, along: Option<&QuadraticForm>, moments: bool) -> PassSums {
    let d = data.d();
    let scratch_length = data.n().min(linalg::BLOCK_ROWS) * d;
    let zero = || {
        let sums = PassSums { energy: 0.0, of_residual: SignalMoments::zeros(d), of_change: SignalMoments::zeros(d) };
        (sums, vec![0.0; scratch_length])
    };
    let (sums, _) = linalg::sum_over_rows(
        (data.n(), 2 * d * d),
        zero,
        |(sums, scratch), rows| {
            let mut s = form.values(&data.X, rows.clone(), scratch);
            for (s, i) in s.iter_mut().zip(rows.clone()) {
                let r = *s - data.y[i];
                sums.energy += omega[i] * r * r;
                *s = omega[i] * r;
            }
            if moments {
                sums.of_residual.add_block(&data.X, rows.clone(), &s, scratch);
            }
            if let Some(along) = along {
                let mut s_dot = along.values(&data.X, rows.clone(), scratch);
                s_dot.iter_mut().zip(&omega[rows.clone()]).for_each(|(s, omega)| *s *= omega);
                sums.of_change.add_block(&data.X, rows, &s_dot, scratch);
            }
        },
        |(sums, _), (next, _)| {
            sums.energy += next.energy;
            sums.of_residual.add(&next.of_residual);
            sums.of_change.add(&next.of_change);
        },
    );
    sums
}

/// Row j of `out` becomes, or grows by, 2·weights_j·(row j of A). Does nothing when `out` is empty.
fn write_rows(out: &mut [f64], weights: &[f64], A: &Matrix, into: Destination) {
    for ((out, weight), j) in out.chunks_exact_mut(A.cols().max(1)).zip(weights).zip(0..) {
        if into == Destination::Replace {
            out.fill(0.0);
        }
        add_scaled(out, 2.0 * weight, A.row(j));
    }
}

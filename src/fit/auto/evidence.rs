//! One network trained by Levenberg–Marquardt, with decays that the data choose.
//!
//! Minimised is β·½Σ nω_i r_i² + Σ_g α_g·½‖θ_g‖², one group g for the weights of each input (irrelevant inputs are
//! decayed away), for hidden biases, output weights and the linear part. Between steps the hyperparameters follow the
//! evidence (MacKay 1992; Foresee and Hagan 1997): with H = βnJᵀΩJ + A and γ_g = N_g − α_g tr_g H⁻¹, the number of
//! parameters of the group that the data determine,
//!
//! ```text
//! α_g ← γ_g/‖θ_g‖²,   β ← (n − Σγ)/Σ nω_i r_i²
//! ```
//!
//! plainly at first, then in geometric mean with the value before, which keeps groups from collapsing.

use super::Limit;
use crate::data::Data;
use crate::linalg::{self, Matrix};
use crate::network::{Layers, Network};
use crate::risk::{Decay, EmpiricalRisk, LeastSquares};

/// Updates that are taken plainly.
const PLAIN_UPDATES: usize = 5;
/// Steps before the first update.
const FIRST_UPDATE: usize = 3;
const FIRST_DECAY: f64 = 0.1;
const FIRST_PRECISION: f64 = 20.0;
const DECAYS: std::ops::RangeInclusive<f64> = 1e-4..=1e6;
const PRECISIONS: std::ops::RangeInclusive<f64> = 1e-2..=1e8;
/// More damping than this leaves no step.
const MOST_DAMPING: f64 = 1e12;

/// Train from this start on a standardised table; all parts of the network are there.
pub(super) fn train(table: &Data, start: &Network, iterations: usize, limit: &Limit<'_>) -> Option<Network> {
    let n = table.n() as f64;
    let risk = EmpiricalRisk::new(table, start, Layers::Both, Decay::None).ok()?;
    let groups = groups(&risk, start);
    let count = 1 + groups.iter().copied().max().unwrap_or(0);
    let mut alpha = vec![FIRST_DECAY; count];
    let mut beta = FIRST_PRECISION;
    let mut theta = start.parameters(Layers::Both);
    let mut damping = 1e-2;
    for iteration in 0..iterations {
        if limit.is_over() {
            break;
        }
        let (rho, J) = risk.linearised(&theta);
        let JJ = linalg::gram(&J);
        let energy = n * linalg::dot(&rho, &rho);
        if iteration >= FIRST_UPDATE {
            let H = hessian(&JJ, n * beta, &alpha, &groups, 0.0);
            let (inverse, _) = linalg::invert_positive_definite(&H)?;
            let plain = iteration < FIRST_UPDATE + PLAIN_UPDATES;
            update(&inverse, &theta, &groups, (n, energy), plain, (&mut alpha, &mut beta));
        }
        let penalty = |theta: &[f64]| theta.iter().zip(&groups).map(|(t, &g)| alpha[g] * t * t).sum::<f64>();
        let value = 0.5 * (beta * energy + penalty(&theta));
        let mut gradient = vec![0.0; theta.len()];
        (0..rho.len()).for_each(|i| linalg::add_scaled(&mut gradient, n * beta * rho[i], J.row(i)));
        gradient.iter_mut().zip(theta.iter().zip(&groups)).for_each(|(g, (t, &group))| *g += alpha[group] * t);
        let accepted = loop {
            let H = hessian(&JJ, n * beta, &alpha, &groups, damping);
            let trial = linalg::solve_positive_definite(&H, &gradient)
                .map(|step| theta.iter().zip(&step).map(|(t, s)| t - s).collect::<Vec<f64>>());
            if let Some(trial) = trial {
                let energy = n * 2.0 * risk_value(&risk, &trial);
                let now = 0.5 * (beta * energy + penalty(&trial));
                if now < value {
                    theta = trial;
                    damping = (damping / 5.0).max(1e-10);
                    break true;
                }
            }
            damping *= 4.0;
            if damping > MOST_DAMPING {
                break false;
            }
        };
        if !accepted {
            break;
        }
    }
    let network = risk.network_at(&theta);
    network.check().is_ok().then_some(network)
}

fn risk_value(risk: &EmpiricalRisk<'_>, theta: &[f64]) -> f64 {
    use crate::risk::Objective;
    risk.value(theta).objective
}

/// The group of each parameter: inputs 0..d, biases d, outputs d+1, linear part d+2, intercept d+3.
fn groups(risk: &EmpiricalRisk<'_>, network: &Network) -> Vec<usize> {
    let (layout, d) = (risk.layout(), network.inputs());
    let mut groups = vec![0; layout.len()];
    layout.W.clone().for_each(|at| groups[at] = at % d);
    groups[layout.bias.clone()].fill(d);
    groups[layout.v.clone()].fill(d + 1);
    groups[layout.linear.clone()].fill(d + 2);
    groups[layout.intercept.clone()].fill(d + 3);
    groups
}

/// βnJᵀΩJ + A + damping, relative to the diagonal's unit of β.
fn hessian(JJ: &Matrix, factor: f64, alpha: &[f64], groups: &[usize], damping: f64) -> Matrix {
    let mut H = JJ.clone();
    H.as_mut_slice().iter_mut().for_each(|h| *h *= factor);
    for (j, &group) in groups.iter().enumerate() {
        H[(j, j)] += alpha[group] + damping * factor;
    }
    H
}

fn update(
    inverse: &Matrix,
    theta: &[f64],
    groups: &[usize],
    (n, energy): (f64, f64),
    plain: bool,
    (alpha, beta): (&mut [f64], &mut f64),
) {
    let mut determined = vec![0.0; alpha.len()];
    let mut squares = vec![0.0; alpha.len()];
    for (j, &group) in groups.iter().enumerate() {
        determined[group] += 1.0 - alpha[group] * inverse[(j, j)];
        squares[group] += theta[j] * theta[j];
    }
    let blend = |old: f64, new: f64| if plain { new } else { (old * new).sqrt() };
    let total: f64 = determined.iter().sum();
    for (group, alpha) in alpha.iter_mut().enumerate() {
        let new = determined[group].max(1e-3) / squares[group].max(1e-12);
        *alpha = blend(*alpha, new).clamp(*DECAYS.start(), *DECAYS.end());
    }
    let free = (n - total).max(0.05 * n);
    *beta = blend(*beta, free / energy.max(1e-12)).clamp(*PRECISIONS.start(), *PRECISIONS.end());
}

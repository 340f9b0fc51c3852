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
//! plainly at first or not at all, then in geometric mean with the value before, which keeps groups from collapsing.

use crate::data::Data;
use crate::linalg::{self, Matrix};
use crate::network::{Layers, Network};
use crate::risk::{Decay, EmpiricalRisk, LeastSquares, Objective};
use crate::watch::Watch;

/// How soon the hyperparameters follow the data. On some tables the one, on others the other predicts better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// Early, and at first plainly.
    Brisk,
    /// Late, and always in geometric mean.
    Patient,
}

impl Pace {
    /// Steps before the first update, while the start says more about the weights than the data; and updates that are
    /// taken plainly.
    fn steps(self) -> (usize, usize) {
        match self {
            Pace::Brisk => (3, 5),
            Pace::Patient => (5, 0),
        }
    }
}

/// α and β before the first update: noise of a fifth of the target's deviation.
const FIRST_DECAY: f64 = 0.1;
const FIRST_PRECISION: f64 = 20.0;
/// Hyperparameters stay in these ranges: a group that collapses does not take the numbers with it.
const DECAYS: (f64, f64) = (1e-4, 1e6);
const PRECISIONS: (f64, f64) = (1e-2, 1e8);
/// A group has at least this many determined parameters, and its squares at least that sum.
const FEWEST_DETERMINED: f64 = 1e-3;
const LEAST_SQUARES: f64 = 1e-12;
/// At least this share of the rows is left for the noise.
const FREE_ROWS: f64 = 0.05;
/// The damping, relative to βn: where it starts, how it falls after a step and grows after a failure, its range.
const FIRST_DAMPING: f64 = 1e-2;
const SHRINK: f64 = 5.0;
const GROW: f64 = 4.0;
const DAMPINGS: (f64, f64) = (1e-10, 1e12);

/// α for each group, and β.
struct Hyperparameters {
    alpha: Vec<f64>,
    beta: f64,
}

/// Where a run is.
struct RunPosition {
    theta: Vec<f64>,
    damping: f64,
}

/// Train from this start on a standardised table; all parts of the network are there.
pub(super) fn train(
    table: &Data,
    start: &Network,
    (pace, iterations): (Pace, usize),
    watch: Watch<'_>,
) -> Option<Network> {
    let (first_update, plain_updates) = pace.steps();
    let risk = EmpiricalRisk::new(table, start, Layers::Both, Decay::None).ok()?;
    let groups = groups(&risk, start);
    let count = 1 + groups.iter().copied().max().unwrap_or(0);
    let mut hyper = Hyperparameters { alpha: vec![FIRST_DECAY; count], beta: FIRST_PRECISION };
    let mut at = RunPosition { theta: start.parameters(Layers::Both), damping: FIRST_DAMPING };
    for iteration in 0..iterations {
        if watch.is_over() {
            break;
        }
        let (rho, J) = risk.linearised(&at.theta);
        let JJ = linalg::gram(&J);
        if iteration >= first_update {
            let (inverse, _) = linalg::invert_positive_definite(&hyper.hessian(&JJ, &groups, rho.len(), 0.0))?;
            let plain = iteration < first_update + plain_updates;
            hyper.update(&inverse, &at.theta, &groups, &rho, plain);
        }
        if !step(&risk, &hyper, &groups, (&rho, &J, &JJ), &mut at) {
            break;
        }
    }
    let network = risk.network_at(&at.theta);
    network.check().is_ok().then_some(network)
}

/// One step downhill; false when there is none.
fn step(
    risk: &EmpiricalRisk<'_>,
    hyper: &Hyperparameters,
    groups: &[usize],
    (rho, J, JJ): (&[f64], &Matrix, &Matrix),
    at: &mut RunPosition,
) -> bool {
    let n = rho.len();
    let factor = n as f64 * hyper.beta;
    let penalty = |theta: &[f64]| theta.iter().zip(groups).map(|(t, &g)| hyper.alpha[g] * t * t).sum::<f64>();
    let value = 0.5 * (factor * linalg::dot(rho, rho) + penalty(&at.theta));
    let mut gradient = vec![0.0; at.theta.len()];
    rho.iter().enumerate().for_each(|(i, r)| linalg::add_scaled(&mut gradient, factor * r, J.row(i)));
    gradient.iter_mut().zip(at.theta.iter().zip(groups)).for_each(|(g, (t, &group))| *g += hyper.alpha[group] * t);
    while at.damping <= DAMPINGS.1 {
        let H = hyper.hessian(JJ, groups, n, at.damping);
        if let Some(back) = linalg::solve_positive_definite(&H, &gradient) {
            let trial: Vec<f64> = at.theta.iter().zip(&back).map(|(t, s)| t - s).collect();
            if factor * risk.value(&trial).objective + 0.5 * penalty(&trial) < value {
                *at = RunPosition { theta: trial, damping: (at.damping / SHRINK).max(DAMPINGS.0) };
                return true;
            }
        }
        at.damping *= GROW;
    }
    false
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

impl Hyperparameters {
    /// βnJᵀΩJ + A + βn·damping.
    fn hessian(&self, JJ: &Matrix, groups: &[usize], n: usize, damping: f64) -> Matrix {
        let factor = n as f64 * self.beta;
        let mut H = JJ.clone();
        H.as_mut_slice().iter_mut().for_each(|h| *h *= factor);
        for (j, &group) in groups.iter().enumerate() {
            H[(j, j)] += self.alpha[group] + damping * factor;
        }
        H
    }

    fn update(&mut self, inverse: &Matrix, theta: &[f64], groups: &[usize], rho: &[f64], plain: bool) {
        let n = rho.len() as f64;
        let mut determined = vec![0.0; self.alpha.len()];
        let mut squares = vec![0.0; self.alpha.len()];
        for (j, &group) in groups.iter().enumerate() {
            determined[group] += 1.0 - self.alpha[group] * inverse[(j, j)];
            squares[group] += theta[j] * theta[j];
        }
        let blend = |old: f64, new: f64| if plain { new } else { (old * new).sqrt() };
        let total: f64 = determined.iter().sum();
        for (group, alpha) in self.alpha.iter_mut().enumerate() {
            let new = determined[group].max(FEWEST_DETERMINED) / squares[group].max(LEAST_SQUARES);
            *alpha = blend(*alpha, new).clamp(DECAYS.0, DECAYS.1);
        }
        let energy = n * linalg::dot(rho, rho);
        let free = (n - total).max(FREE_ROWS * n);
        self.beta = blend(self.beta, free / energy.max(LEAST_SQUARES)).clamp(PRECISIONS.0, PRECISIONS.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    #[test]
    fn inputs_without_influence_are_decayed_away_and_noise_is_not_fitted() {
        let (n, d, k) = (200, 3, 6);
        let mut stream = Stream::new(3, Purpose::Probe, 9);
        let X = Matrix::from_fn(n, d, |_, _| stream.normal());
        let noise = 0.2;
        let y = (0..n).map(|i| (2.0 * X[(i, 0)]).tanh() + noise * stream.normal()).collect();
        let table = Data::builder(X, y).names((0..d).map(|j| format!("x{j}")).collect()).build().unwrap();
        let W = Matrix::from_fn(k, d, |_, _| stream.normal());
        let bias = Some((0..k).map(|_| stream.normal()).collect());
        let v = (0..k).map(|_| 0.3 * stream.normal()).collect();
        let activation = "tanh".parse().unwrap();
        let start = Network { activation, W, v, bias, intercept: Some(0.0), linear: Some(vec![0.0; d]) };
        let network = train(&table, &start, (Pace::Brisk, 60), Watch::silent()).unwrap();
        let truth: Vec<f64> = (0..n).map(|i| (2.0 * table.X[(i, 0)]).tanh()).collect();
        let f = network.predict(&table.X).unwrap();
        let error = (f.iter().zip(&truth).map(|(f, t)| (f - t).powi(2)).sum::<f64>() / n as f64).sqrt();
        // Fitting the noise with all 34 parameters would leave an error of noise·√(34/200).
        assert!(error < 0.7 * noise * (34.0_f64 / 200.0).sqrt(), "{error}");
        let size = |j: usize| network.W.column(j).iter().map(|w| w * w).sum::<f64>().sqrt();
        assert!(size(1) < 0.2 * size(0) && size(2) < 0.2 * size(0), "{} {} {}", size(0), size(1), size(2));
    }
}

//! Proofs for theorems about random starts: eigenvalues of matrices of angles between rows.

use shallows_verify::descent::{MOST_TERMS, PowerSeries, kernel_gram, slope_coefficients};
use shallows_verify::rows::Rows;
use shallows_verify::theorem::{sgd_converges, wide_enough};

use super::descent::{proposed_inputs, proposed_smallest, usable_step};
use crate::activation::{Activation, Bound};
use crate::certificate::file::ProvedClaim;
use crate::error::Result;

/// The part of the longest step that is claimed, so that rows that are not quite unit vectors do no harm.
const SHORTER: f64 = 1.0 - 1e-6;

/// λ(X) for unit rows, as far as the first terms of its series show it; 0 where nothing is known.
fn smallest(rows: Rows<'_>, series: Option<PowerSeries>) -> f64 {
    let ball = series.and_then(|series| kernel_gram(rows, &series).ok());
    ball.map_or(0.0, |ball| proposed_smallest(&ball))
}

/// `wide-enough` with the longest step that it allows.
pub(in crate::certificate) fn wide_enough(
    activation: &Activation,
    rows: Rows<'_>,
    width: usize,
) -> Result<ProvedClaim> {
    let name = activation.to_string();
    let known = name.parse().ok().and_then(|activation| slope_coefficients(&activation, MOST_TERMS));
    let series = known.map(|coefficients| PowerSeries::below(&coefficients));
    let inputs = proposed_inputs(rows);
    let proof = wide_enough::Proof { smallest: smallest(rows, series), terms: MOST_TERMS, inputs };
    let claim = wide_enough::Claim { activation: name, width, step: longest_step(activation, rows, inputs) };
    let judgement = wide_enough::judge(rows, &claim, &proof)?;
    ProvedClaim::new(&claim, &proof, judgement)
}

/// `sgd-converges`.
pub(in crate::certificate) fn sgd_converges(
    activation: &Activation,
    rows: Rows<'_>,
    width: usize,
) -> Result<ProvedClaim> {
    let proof = sgd_converges::Proof { smallest: smallest(rows, Some(PowerSeries::square())) };
    let claim = sgd_converges::Claim { activation: activation.to_string(), width };
    let judgement = sgd_converges::judge(rows, &claim, &proof)?;
    ProvedClaim::new(&claim, &proof, judgement)
}

/// η = n/(2B²‖y‖²‖X‖²), a little less.
fn longest_step(activation: &Activation, rows: Rows<'_>, inputs: Option<f64>) -> f64 {
    let number = |bound: Bound| match bound {
        Bound::Finite(bound) => bound,
        Bound::Unbounded => f64::INFINITY,
    };
    let curvature = match activation {
        Activation::Smooth(smooth) => number(smooth.curvature_bound()),
        Activation::Kinked(_) => f64::INFINITY,
    };
    let bound = number(activation.slope_bound()).max(curvature);
    let labels: f64 = rows.labels().iter().map(|y| y * y).sum();
    let squares = || rows.inputs().iter().map(|x| x * x).sum::<f64>();
    let inputs = inputs.unwrap_or_else(squares);
    usable_step(SHORTER * rows.n() as f64 / (2.0 * bound * bound * labels * inputs))
}

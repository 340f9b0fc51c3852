//! Which weights are behind samples, and what supports them.

use serde_json::{Value, json};

use crate::activation::{Activation, Symmetry};
use crate::certificate::{Certificate, designed_landscape};
use crate::data::Data;
use crate::error::{Error, RequestProblem, Result};
use crate::network::Network;
use crate::recover::designed::{largest_mu, smallest_lambda_general};
use crate::recover::{
    Alignment, DRAWS, Doubt, INPUT_LEVEL, InputTests, Pair, Recovery, Settings, Stage, Test, Unit, Verdict, align,
    normalised, recover,
};

/// The answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was found.
    pub recovery: Recovery,
    /// Beside the teacher, where there is one.
    pub matched: Option<Alignment>,
    /// What is proved about the designed objective of the recovered units.
    pub certificate: Option<Certificate>,
    /// Whether w and −w are the same unit.
    pub is_even: bool,
    document: Value,
}

/// Look for the weights behind samples, and compare them with a teacher's.
pub fn answer(
    data: &Data,
    teacher: Option<&Network>,
    settings: &Settings<'_>,
    report: &mut dyn FnMut(Stage),
) -> Result<Answer> {
    if let Some(teacher) = teacher.filter(|teacher| teacher.inputs() != data.d()) {
        let (expected, found) = (teacher.inputs(), data.d());
        return Err(Error::Request(RequestProblem::TeacherInputs { expected, found }));
    }
    let recovery = recover(data, settings, report)?;
    let matched = match (teacher, &recovery.network) {
        (Some(teacher), Some(found)) => Some(compared(found, teacher)?),
        _ => None,
    };
    let certificate = recovered(&recovery).map(|network| landscape_of(network, &recovery)).transpose()?.flatten();
    let is_even = settings.activation.symmetry() == Symmetry::Even;
    let mut answer = Answer { recovery, matched, certificate, is_even, document: Value::Null };
    answer.document = answer.put_together(data, settings);
    Ok(answer)
}

/// The network that the held-out rows support.
fn recovered(recovery: &Recovery) -> Option<&Network> {
    recovery.network.as_ref().filter(|_| recovery.verdict == Verdict::Recovered)
}

/// What is proved about the designed objective F of the recovered units, where they have length one and positive
/// output weights, as F wants them.
fn landscape_of(network: &Network, recovery: &Recovery) -> Result<Option<Certificate>> {
    if !matches!(network.activation, Activation::Kinked(_))
        || network.bias.is_some()
        || network.v.iter().any(|v| *v <= 0.0)
    {
        return Ok(None);
    }
    let sigma_4 = recovery.information.coefficient(4);
    let (mu, lambda) = (largest_mu(&network.v), smallest_lambda_general(&network.v, sigma_4));
    Ok(Some(designed_landscape(network, sigma_4, mu, lambda)?))
}

/// The units beside the teacher's; those of positively homogeneous activations at length one.
fn compared(found: &Network, teacher: &Network) -> Result<Alignment> {
    let (found, teacher) = (normalised(found.clone()), normalised(teacher.clone()));
    align((&found.W, &found.v), (&teacher.W, &teacher.v))
}

impl Answer {
    /// The network that the held-out rows support.
    pub fn network(&self) -> Option<&Network> {
        recovered(&self.recovery)
    }

    /// What a script reads.
    pub fn document(&self) -> Value {
        self.document.clone()
    }

    fn put_together(&self, data: &Data, settings: &Settings<'_>) -> Value {
        let recovery = &self.recovery;
        let (verdict, reason) = match &recovery.verdict {
            Verdict::Recovered => ("recovered", None),
            Verdict::NotRecovered(doubt) => ("not-recovered", Some(doubt.to_string())),
            Verdict::Refused(refusal) => ("refused", Some(refusal.reason().to_owned())),
        };
        json!({
            "verdict": verdict,
            "reason": reason,
            "exact": recovery.evidence.as_ref().is_some_and(|evidence| evidence.is_exact()),
            "interrupted": matches!(recovery.verdict, Verdict::NotRecovered(Doubt::Interrupted)),
            "activation": settings.activation.to_string(),
            "units": recovery.units.iter().map(of_unit).collect::<Vec<_>>(),
            "intercept": recovery.network.as_ref().and_then(|network| network.intercept),
            "linear": recovery.network.as_ref().and_then(|network| network.linear.clone()),
            "data": { "rows": data.n(), "distinct_rows": recovery.rows, "inputs": data.d(), "hash": data.hash() },
            "hermite": recovery.information.coefficients,
            "inputs": recovery.tests.as_ref().map(|tests| of_inputs(tests, recovery.whitened)),
            "rank": recovery.rank.as_ref().map(|rank| json!({
                "rank": rank.rank, "eigenvalues": rank.eigenvalues, "noise": rank.noise, "draws": DRAWS,
            })),
            "evidence": recovery.evidence.as_ref().map(|evidence| json!({
                "training_error": evidence.training_error,
                "held_out_error": evidence.held_out_error,
                "held_out_rows": evidence.held_out_rows,
                "noise": evidence.noise,
                "excess": evidence.excess,
                "unseen": evidence.unseen,
                "linear_left": evidence.left.map(|left| left.linear),
                "quadratic_left": evidence.left.map(|left| left.quadratic),
            })),
            "warnings": recovery.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "certificates": self.certificate.iter().map(|certificate| certificate.document()).collect::<Vec<_>>(),
            "match": self.matched.as_ref().map(|matched| of_match(matched, self.is_even)),
            "seed": settings.seed,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

fn of_unit(unit: &Unit) -> Value {
    json!({
        "weights": unit.weights,
        "bias": unit.bias,
        "norm": unit.norm,
        "norm_error": unit.norm_error,
        "output_weight": unit.output,
        "output_weight_error": unit.output_error,
        "direction_error": unit.direction_error,
    })
}

fn of_inputs(tests: &InputTests, whitened: bool) -> Value {
    let test = |test: Test| json!({ "statistic": test.statistic, "p": test.p });
    json!({
        "mean": test(tests.mean),
        "covariance": test(tests.covariance),
        "skewness": tests.skewness.map(test),
        "kurtosis": test(tests.kurtosis),
        "level": INPUT_LEVEL,
        "objections": tests.objections(INPUT_LEVEL),
        "whitened": whitened,
    })
}

fn of_match(matched: &Alignment, is_even: bool) -> Value {
    let pair = |pair: &Pair| {
        json!({
            "unit": pair.unit,
            "teacher": pair.teacher,
            "sign_right": is_even || !pair.flipped,
            "angle": pair.angle,
            "weight_error": pair.weight_error,
            "output_error": pair.output_error,
        })
    };
    json!({
        "error": matched.error.as_ref().ok(),
        "error_undefined": matched.error.as_ref().err().map(ToString::to_string),
        "output_error": matched.output_error,
        "signs_right": is_even || matched.pairs.iter().all(|pair| !pair.flipped),
        "units": matched.pairs.iter().map(pair).collect::<Vec<_>>(),
        "extra": matched.extra,
        "missing": matched.missing,
    })
}

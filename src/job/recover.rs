//! `recover`: which weights are behind samples, and what supports them.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};

use super::given::{GivenModel, GivenRows};
use super::words;
use crate::activation::{Activation, Symmetry};
use crate::certificate::{Certificate, Judgement};
use crate::data::{Data, Roles};
use crate::error::{Error, RequestProblem, Result};
use crate::file::{Destinations, FileRole};
use crate::model::Model;
use crate::network::Network;
use crate::recover::designed::{largest_mu, smallest_lambda_general};
use crate::recover::{
    Alignment, DRAWS, Doubt, Evidence, Finding, INPUT_LEVEL, InputTests, Pair, RecoveredUnit, Recovery,
    RecoverySettings, Test, align, normalised, recover,
};
use crate::watch::Watch;

/// What is asked for, and where files are.
///
/// ```no_run
/// use shallows::activation::Activation;
/// use shallows::job::given::GivenRows;
/// use shallows::job::recover::RecoverJob;
/// use shallows::recover::RecoverySettings;
/// use shallows::watch::Watch;
///
/// let settings = RecoverySettings::new(Activation::RELU);
/// let job = RecoverJob { rows: GivenRows::File("planted.csv".into()), ..RecoverJob::of(settings) };
/// println!("{}", job.run(Watch::silent())?.document());
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecoverJob {
    /// The rows; their columns are taken as they are, for weights of scaled or encoded columns would not be the planted ones.
    pub rows: GivenRows,
    /// What its columns are for.
    pub roles: Roles,
    /// The model of the planted network, to compare with.
    pub teacher: Option<GivenModel>,
    /// What is looked for, and how.
    pub settings: RecoverySettings,
    /// Where the recovered network is written.
    pub output: Option<PathBuf>,
    /// Where to write what is proved about the designed objective of the recovered units, which anybody can verify.
    pub certificate: Option<PathBuf>,
}

/// What was found, and what supports it. [`RecoverJob`] shows its use.
#[derive(Clone, Debug)]
pub struct RecoverOutcome {
    /// What was found.
    pub recovery: Recovery,
    /// Beside the teacher, where there is one.
    pub matched: Option<Alignment>,
    /// What is proved about the designed objective of the recovered units; nothing where they are not as it wants them.
    pub certificates: Vec<Judgement>,
    /// The same with the proofs, for a file.
    pub certificate: Option<Certificate>,
    /// The file of the certificate, where it was written.
    pub certificate_path: Option<PathBuf>,
    /// φ
    pub activation: Activation,
    /// Of everything random.
    pub seed: u64,
    /// Rows of the table.
    pub rows: usize,
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// The name of the target.
    pub target: String,
    /// The fingerprint of the samples.
    pub hash: String,
    /// The file of the recovered network, where it was written.
    pub saved: Option<PathBuf>,
    /// How long it took.
    pub seconds: f64,
}

/// Where a recovered network goes unless it is said: called like the table, in the current folder.
///
/// ```
/// use std::path::Path;
/// use shallows::job::recover::recovered_path;
///
/// assert_eq!(recovered_path(Path::new("data/t.csv")), Path::new("t.recovered.safetensors"));
/// assert_eq!(recovered_path(Path::new("-")), Path::new("planted.recovered.safetensors"));
/// ```
pub fn recovered_path(table: &Path) -> PathBuf {
    let stem = table.file_stem().filter(|_| table != Path::new("-"));
    Path::new(stem.unwrap_or("planted".as_ref())).with_extension("recovered.safetensors")
}

impl RecoverJob {
    /// Without rows as yet.
    pub fn of(settings: RecoverySettings) -> Self {
        let (rows, roles) = (GivenRows::default(), Roles::default());
        RecoverJob { rows, roles, teacher: None, settings, output: None, certificate: None }
    }

    /// Take the rows, look for the weights, and write the network that the held-out rows support. The first report says
    /// that reading is over.
    ///
    /// # Errors
    /// When a file cannot be read or written, or the samples are none.
    pub fn run(mut self, watch: Watch<'_>) -> Result<RecoverOutcome> {
        let since = Instant::now();
        Destinations::default()
            .may_read(FileRole::Table, self.rows.file())
            .may_read(FileRole::Teacher, self.teacher.as_ref().and_then(GivenModel::file))
            .may_write(FileRole::Model, self.output.as_ref())
            .may_write(FileRole::Certificate, self.certificate.as_ref())
            .check()?;
        let samples = std::mem::take(&mut self.rows).unchanged(&self.roles)?;
        let teacher = self.teacher.as_ref().map(GivenModel::load).transpose()?;
        let teacher = teacher.as_ref().map(|teacher| teacher.only()).transpose()?;
        let mut outcome = self.run_on(&samples.data, teacher, watch)?;
        if let (Some(model), Some(path)) = (outcome.model()?, self.output) {
            model.save(&path)?;
            outcome.saved = Some(path);
        }
        if let (Some(certificate), Some(path)) = (&outcome.certificate, self.certificate) {
            certificate.save(&path)?;
            outcome.certificate_path = Some(path);
        }
        outcome.seconds = since.elapsed().as_secs_f64();
        Ok(outcome)
    }

    /// Look for the weights behind these samples, and compare them with a teacher's; nothing is read or written.
    ///
    /// # Errors
    /// When the samples are none, or the teacher has other inputs.
    pub fn run_on(&self, data: &Data, teacher: Option<&Network>, watch: Watch<'_>) -> Result<RecoverOutcome> {
        let since = Instant::now();
        if let Some(teacher) = teacher.filter(|teacher| teacher.inputs() != data.d()) {
            let (expected, found) = (teacher.inputs(), data.d());
            return Err(Error::Request(RequestProblem::TeacherInputs { expected, found }));
        }
        let recovery = recover(data, &self.settings, watch)?;
        let matched = match (teacher, &recovery.network) {
            (Some(teacher), Some(found)) => Some(compared(found, teacher)?),
            _ => None,
        };
        let judged = recovered(&recovery).map(|network| landscape_of(network, &recovery)).transpose()?.flatten();
        let (certificate, certificates) =
            judged.map_or((None, vec![]), |(certificate, judgements)| (Some(certificate), judgements));
        Ok(RecoverOutcome {
            recovery,
            matched,
            certificates,
            certificate,
            certificate_path: None,
            activation: self.settings.activation.clone(),
            seed: self.settings.seed,
            rows: data.n(),
            inputs: data.names.clone(),
            target: data.target.clone(),
            hash: data.hash(),
            saved: None,
            seconds: since.elapsed().as_secs_f64(),
        })
    }
}

/// The network that the held-out rows support.
fn recovered(recovery: &Recovery) -> Option<&Network> {
    recovery.network.as_ref().filter(|_| recovery.finding == Finding::Recovered)
}

/// What is proved about the designed objective F of the recovered units, where they have length one and positive
/// output weights, as F wants them.
fn landscape_of(network: &Network, recovery: &Recovery) -> Result<Option<(Certificate, Vec<Judgement>)>> {
    if !matches!(network.activation, Activation::Kinked(_))
        || network.bias.is_some()
        || network.v.iter().any(|v| *v <= 0.0)
    {
        return Ok(None);
    }
    let sigma_4 = recovery.information.coefficient(4);
    let (mu, lambda) = (largest_mu(&network.v), smallest_lambda_general(&network.v, sigma_4));
    Certificate::judged_recovery(network, sigma_4, mu, lambda).map(Some)
}

/// The units beside the teacher's; those of positively homogeneous activations at length one.
fn compared(found: &Network, teacher: &Network) -> Result<Alignment> {
    let (found, teacher) = (normalised(found.clone()), normalised(teacher.clone()));
    align((&found.W, &found.v), (&teacher.W, &teacher.v))
}

impl RecoverOutcome {
    /// The network that the held-out rows support.
    pub fn network(&self) -> Option<&Network> {
        recovered(&self.recovery)
    }

    /// That network with the names of the columns.
    ///
    /// # Errors
    /// When the names do not fit, which they do.
    pub fn model(&self) -> Result<Option<Model>> {
        let model =
            |network: &Network| Model::new(network.clone(), self.inputs.clone(), self.target.clone(), self.seed);
        self.network().map(model).transpose()
    }

    /// Whether w and −w are the same unit.
    pub fn is_even(&self) -> bool {
        self.activation.symmetry() == Symmetry::Even
    }

    /// What a script reads.
    pub fn document(&self) -> Value {
        let recovery = &self.recovery;
        let (verdict, reason) = match &recovery.finding {
            Finding::Recovered => ("recovered", None),
            Finding::NotRecovered(doubt) => ("not-recovered", Some(doubt.to_string())),
            Finding::Refused(refusal) => ("refused", Some(refusal.reason().to_owned())),
        };
        json!({
            "verdict": verdict,
            "reason": reason,
            "exact": recovery.evidence.as_ref().is_some_and(|evidence| evidence.is_exact()),
            "interrupted": matches!(recovery.finding, Finding::NotRecovered(Doubt::Interrupted)),
            "activation": self.activation.to_string(),
            "units": recovery.units.iter().map(unit_document).collect::<Vec<_>>(),
            "intercept": recovery.network.as_ref().and_then(|network| network.intercept),
            "linear": recovery.network.as_ref().and_then(|network| network.linear.clone()),
            "data": {
                "rows": self.rows, "distinct_rows": recovery.rows, "inputs": self.inputs.len(), "hash": self.hash,
            },
            "hermite": recovery.information.coefficients,
            "inputs": recovery.tests.as_ref().map(|tests| inputs_document(tests, recovery.whitened)),
            "rank": recovery.rank.as_ref().map(|rank| json!({
                "rank": rank.rank, "eigenvalues": rank.eigenvalues, "noise": rank.noise, "draws": DRAWS,
            })),
            "evidence": recovery.evidence.as_ref().map(evidence_document),
            "warnings": recovery.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "certificates": self.certificates.iter().map(Judgement::document).collect::<Vec<_>>(),
            "certificate": { "path": self.certificate_path.as_ref().map(words::path) },
            "match": self.matched.as_ref().map(|matched| match_document(matched, self.is_even())),
            "seed": self.seed,
            "version": env!("CARGO_PKG_VERSION"),
            "model": self.saved.as_ref().map(|path| json!({ "path": words::path(path) })),
            "seconds": self.seconds,
        })
    }
}

fn evidence_document(evidence: &Evidence) -> Value {
    json!({
        "training_error": evidence.training_error,
        "held_out_error": evidence.held_out_error,
        "held_out_rows": evidence.held_out_rows,
        "noise": evidence.noise,
        "excess": evidence.excess,
        "unseen": evidence.unseen,
        "linear_left": evidence.left.map(|left| left.linear),
        "quadratic_left": evidence.left.map(|left| left.quadratic),
    })
}

fn unit_document(unit: &RecoveredUnit) -> Value {
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

fn inputs_document(tests: &InputTests, whitened: bool) -> Value {
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

fn match_document(matched: &Alignment, is_even: bool) -> Value {
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
        "largest_angle": matched.largest_angle(),
        "output_error": matched.output_error,
        "signs_right": is_even || matched.flipped() == 0,
        "units": matched.pairs.iter().map(pair).collect::<Vec<_>>(),
        "extra": matched.extra,
        "missing": matched.missing,
    })
}

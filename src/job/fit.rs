//! `fit`: from a table to a network, what it is worth, and what is proved about it.
//!
//! | file | part |
//! |---|---|
//! | `document.rs` | what a script reads |
//! | `files.rs` | where model, certificate, report and figures go |
//! | `findings.rs` | what a report shows beside: learning curve, importances, interactions |
//! | `learning_curve.rs` | how the error falls as rows are added |
//! | `residuals.rs` | observed against predicted, drawn |
//! | `scores.rs` | errors of the network and of what it is compared with |

mod document;
mod files;
mod findings;
mod learning_curve;
mod residuals;
mod scores;

use std::path::PathBuf;
use std::time::{Duration, Instant};

pub use files::{FitFiles, beside_model, model_path};
pub use findings::{FitFindings, Headline, HeadlineBasis, OutOfFold, quadratic};
pub use learning_curve::LearningCurve;
pub use residuals::figure as residual_figure;
pub use scores::{FitScores, FoldScores, MeanAndError, ModelScores};

use crate::certificate::file::CertifiedPart;
use crate::certificate::{Certificate, Source, check_tolerance};
use crate::data::{ColumnSummary, Data, Reading, Samples, TargetScale};
use crate::error::{Error, Parameter, Requirement, Result};
use crate::fit::{self, Fit, LogTrial, Outcome, Request, Training, USUAL_TOLERANCE};
use crate::job::given::GivenRows;
use crate::job::words;
use crate::model::Model;
use crate::network::Network;
use crate::watch::{Progress, Stage, Watch};

/// What certificates speak about.
const CERTIFIABLE: Requirement = Requirement::OnlyWith(&["a fit that has a network at its global optimum"]);

/// What is to be learned from samples.
///
/// ```
/// use shallows::data::Samples;
/// use shallows::job::fit::FitRequest;
/// use shallows::{Data, Quadratic, Watch};
///
/// let data = Data::from_rows(&[[0.2, 1.0], [0.5, -1.0], [1.5, 0.3], [0.9, 2.0]], &[1.0, 0.3, 2.2, 4.1])?;
/// let request = FitRequest { fit: Quadratic::new().decay(0.01).into(), ..FitRequest::default() };
/// let outcome = request.run_on(Samples::of_data(data), Watch::silent())?;
/// assert!(outcome.certificate.is_some());
/// assert!(outcome.document().is_object());
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FitRequest {
    /// The network, and how it is found.
    pub fit: Request,
    /// End after about this long; the result then depends on the machine.
    pub budget: Option<Duration>,
    /// Also fit so many times without one part of the rows.
    pub folds: Option<usize>,
    /// The relative gap up to which a quadratic network counts as optimal; the usual one when `None`. Refused where nothing
    /// can be certified.
    pub tolerance: Option<f64>,
    /// Also look for the learning curve, the importances and the interactions. A report has them in any case.
    pub findings: bool,
}

/// A request about rows, and where files go.
///
/// ```
/// use shallows::data::Reading;
/// use shallows::job::fit::{FitFiles, FitJob, FitRequest, beside_model, model_path};
/// use shallows::job::predict::PredictJob;
/// use shallows::{Quadratic, Watch};
///
/// let folder = tempfile::tempdir().unwrap();
/// let table = folder.path().join("t.csv");
/// std::fs::write(&table, "x,y\n0,1\n1,4\n2,13\n3,28\n4,49\n").unwrap();
/// let model = folder.path().join("t.safetensors");
/// let request = FitRequest { fit: Quadratic::new().decay(1e-6).into(), ..FitRequest::default() };
/// let files = FitFiles { model: Some(model.clone()), ..FitFiles::default() };
/// FitJob { rows: table.clone().into(), reading: Reading::default(), request, files }.run(Watch::silent())?;
///
/// let job = PredictJob { model: model.into(), rows: table.into(), ..PredictJob::default() };
/// let predictions = job.run(Watch::silent())?.predictions;
/// assert!((predictions[4] - 49.0).abs() < 0.1);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FitJob {
    /// The rows.
    pub rows: GivenRows,
    /// How they become samples.
    pub reading: Reading,
    /// What is to be learned.
    pub request: FitRequest,
    /// Where everything goes.
    pub files: FitFiles,
}

/// What came of it. [`FitRequest`] shows its use.
#[derive(Clone, Debug)]
pub struct FitOutcome {
    /// What was asked.
    pub request: FitRequest,
    /// All rows with a target, and how they came about.
    pub samples: Samples,
    /// The network.
    pub fit: Fit,
    /// The network with the recipe for its inputs.
    pub model: Model,
    /// What is proved about it, or about the quadratic network beside it.
    pub certificate: Option<Certificate>,
    /// The affine function that the network is compared with.
    pub linear: Network,
    /// Errors in the units of the target.
    pub scores: FitScores,
    /// Errors on parts left out.
    pub folds: Option<FoldScores>,
    /// What the logarithm of a skewed target would bring; `None` where the target is not skewed, or there was no time.
    pub log_trial: Option<LogTrial>,
    /// What a report shows beside, where it was asked for.
    pub findings: Option<FitFindings>,
    /// What the columns of the table hold; only for a report.
    pub columns: Vec<ColumnSummary>,
    /// Where the table was.
    pub table: Option<PathBuf>,
    /// Where everything is.
    pub files: FitFiles,
    /// How long it took, the report apart.
    pub elapsed: Duration,
    /// Rows that were learned from, where they are not all.
    train: Option<Data>,
    /// Rows that judge.
    test: Option<Data>,
}

impl FitJob {
    /// Take the rows, learn, prove what can be proved, and write what is to be written; the page of a report is left to
    /// whoever tells the outcome.
    pub fn run(mut self, watch: Watch<'_>) -> Result<FitOutcome> {
        let since = Instant::now();
        self.files.check(&self.rows, &self.reading)?;
        self.check()?;
        let roles = &mut self.reading.roles;
        roles.keep_constants = !self.request.fit.is_affine_free();
        roles.centre = self.request.fit.is_shift_free();
        let table = self.rows.file().map(ToOwned::to_owned);
        let (samples, columns) = self.samples()?;
        let mut outcome = self.request.fitted(samples, self.request.limited(watch, since))?;
        (outcome.table, outcome.columns) = (table, columns);
        outcome.save(&self.files)?;
        outcome.elapsed = since.elapsed();
        if let Some(path) = &self.files.residuals {
            residual_figure(&outcome.fit.network, outcome.train(), outcome.test())?.save(path)?;
        }
        if self.request.findings || self.files.report.is_some() {
            outcome.findings = Some(FitFindings::new(&outcome, watch)?);
        }
        Ok(outcome)
    }

    /// A certificate is not asked for where none can be.
    fn check(&self) -> Result<()> {
        self.request.check()?;
        match &self.files.certificate {
            Some(path) if !self.request.fit.is_certifiable() => {
                Err(Error::parameter(Parameter::CertificateFile, CERTIFIABLE, words::path(path)))
            }
            _ => Ok(()),
        }
    }

    /// What is learned from, and for a report what the columns hold. The rows are given away, since large tables would not
    /// fit twice.
    fn samples(&mut self) -> Result<(Samples, Vec<ColumnSummary>)> {
        let rows = std::mem::take(&mut self.rows);
        if self.files.report.is_none() {
            return Ok((rows.learned(&self.reading)?, vec![]));
        }
        let (table, roles) = rows.table(&self.reading.roles)?;
        Ok((Reading { roles, ..self.reading.clone() }.learned(&table)?, table.summaries()))
    }
}

impl FitRequest {
    /// Learn from samples in memory; nothing is written.
    pub fn run_on(&self, samples: Samples, watch: Watch<'_>) -> Result<FitOutcome> {
        let mut outcome = self.fitted(samples, watch)?;
        if self.findings {
            outcome.findings = Some(FitFindings::new(&outcome, watch)?);
        }
        Ok(outcome)
    }

    /// What applies to this fit, and is in its range.
    fn check(&self) -> Result<()> {
        self.fit.check()?;
        match self.tolerance {
            Some(tolerance) if !self.fit.is_certifiable() => {
                Err(Error::parameter(Parameter::GapTolerance, CERTIFIABLE, tolerance))
            }
            Some(tolerance) => check_tolerance(tolerance),
            None => Ok(()),
        }
    }

    /// The network, its scores and what is proved about it.
    fn fitted(&self, samples: Samples, watch: Watch<'_>) -> Result<FitOutcome> {
        self.check()?;
        let since = Instant::now();
        let limited = self.limited(watch, since);
        let (selected, test, scored) = (samples.train(), samples.test(), samples.scored());
        let train = selected.as_ref().unwrap_or(&samples.data);
        self.folds.map(|folds| fit::check_folds(train, folds)).transpose()?;
        watch.report(Progress::Began(Stage::Fitting));
        let fit = fit::fit(train, &self.fit, limited)?;
        let linear = fit::affine_fit(train)?;
        let scale = samples.recipe.target_scale();
        let folds = self.folds.map(|folds| fit::cross_validate(train, folds, scale, &self.fit, limited)).transpose()?;
        let certificate =
            fit.certified(train, &Source::of_samples(&samples), self.tolerance.unwrap_or(USUAL_TOLERANCE))?;
        let (target, seed) = (samples.target.clone(), self.fit.common().seed);
        let log_trial =
            (!limited.is_over() && is_skewed(train, scale)).then(|| LogTrial::new(train, scale, seed)).flatten();
        let model = fit.model(&samples.recipe, target, seed, scored.as_ref(), samples.weight.is_some())?;
        let model = Model { dependence: samples.dependence.clone(), ..model };
        let scores = FitScores::new(&fit, &linear, train, test.as_ref(), scale)?;
        Ok(FitOutcome {
            request: self.clone(),
            fit,
            model,
            certificate,
            linear,
            scores,
            folds: folds.map(|parts| FoldScores { parts }),
            log_trial,
            findings: None,
            columns: vec![],
            table: None,
            files: FitFiles::default(),
            elapsed: since.elapsed(),
            train: selected,
            test,
            samples,
        })
    }
}

impl FitRequest {
    /// A watch that ends with the budget.
    fn limited<'a>(&self, watch: Watch<'a>, since: Instant) -> Watch<'a> {
        let end = self.budget.and_then(|budget| since.checked_add(budget));
        end.map_or(watch, |end| watch.until(end))
    }
}

impl FitOutcome {
    /// The rows that were learned from.
    pub fn train(&self) -> &Data {
        self.train.as_ref().unwrap_or(&self.samples.data)
    }

    /// The rows that judge.
    pub fn test(&self) -> Option<&Data> {
        self.test.as_ref()
    }

    /// On which scale the target was fitted.
    pub fn target_scale(&self) -> TargetScale {
        self.samples.recipe.target_scale()
    }

    /// Whether the logarithm of the target predicts it better than what was fitted, on rows left out.
    pub fn is_log_better(&self) -> bool {
        self.log_trial.is_some_and(|trial| trial.is_better(&self.fit))
    }

    /// Whether the target is positive and skewed.
    pub fn is_skewed(&self) -> bool {
        is_skewed(self.train(), self.target_scale())
    }

    /// The certified quadratic network, where something else was chosen.
    pub fn quadratic_beside(&self) -> Option<&Network> {
        quadratic_beside(&self.fit)
    }

    /// What of the network the certificate is about; `None` where there is none.
    pub fn certified_part(&self) -> Option<CertifiedPart> {
        self.certificate.as_ref()?.certified_part(self.train(), &self.model).ok()
    }

    /// The hash of all rows with a target.
    pub fn data_hash(&self) -> String {
        // Hashing a large table takes a while; where all rows were learned from, the certificate has done it.
        match &self.certificate {
            Some(record) if self.train().n() == self.samples.data.n() => record.data_hash().to_owned(),
            _ => self.samples.data.hash(),
        }
    }

    /// Write model and certificate.
    fn save(&mut self, files: &FitFiles) -> Result<()> {
        self.files = files.clone();
        files.model.iter().try_for_each(|path| self.model.save(path))?;
        match (&self.certificate, &files.certificate) {
            (Some(record), Some(path)) => record.save(path),
            _ => {
                self.files.certificate = None;
                Ok(())
            }
        }
    }
}

/// Whether targets on a scale are worth a look at their logarithms.
fn is_skewed(data: &Data, scale: TargetScale) -> bool {
    let targets: Vec<f64> = data.y.iter().map(|y| scale.original(*y)).collect();
    scale != TargetScale::Log && TargetScale::is_log_worth_a_try(&targets)
}

fn quadratic_beside(fit: &Fit) -> Option<&Network> {
    match &fit.training {
        Training::Combined(combination) if combination.outcome != Outcome::Quadratic => {
            combination.quadratic.as_ref().map(|found| &found.network)
        }
        _ => None,
    }
}

//! `check`: what theory promises for a table before any training.

mod document;
mod measured;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Instant;

use super::given::GivenRows;
use crate::activation::{Activation, Kinked, Smooth};
use crate::certificate::descent::frame::{RADIUS, RowScaling};
use crate::certificate::descent::plan::{PlannedStart, PreparedRows};
use crate::certificate::descent::promises::promised;
use crate::certificate::descent::{DescentPlan, Start};
use crate::certificate::file::ProvedClaim;
use crate::certificate::{
    Certificate, Judgement, Promises, Rival, Search, Signs, Source, Span, Theorem, Verdict, find_scale, find_width,
    rival, rows_claims,
};
use crate::data::{Data, Reading, Roles, Samples};
use crate::error::{CertificateProblem, Error, Parameter, RequestProblem, Requirement, Result};
use crate::file::{Destinations, FileRole};
use crate::model::Model;
use crate::network::Network;
use crate::watch::{Progress, Stage, Watch};

/// A larger certificate is not written.
const MOST_CERTIFICATE_BYTES: usize = 64 << 20;
/// Theorems about rows in form and a width, whatever the start.
const WITHOUT_START: [Theorem; 3] = [Theorem::WideEnough, Theorem::SgdConverges, Theorem::SeparatedData];
/// What a weight takes in a file, about.
const NUMBER_BYTES: usize = 32;

pub use measured::{CheckMeasurements, NearestPair, RepeatCounts};

/// What is asked. The network is f(x) = Σ v_l φ(w_l·x) with ±scale as output weights.
///
/// ```
/// use shallows::Data;
/// use shallows::job::check::{CheckRequest, Searched, Sought};
/// use shallows::data::Samples;
/// use shallows::Watch;
///
/// let data = Data::from_rows(&[[1.0, 0.2], [0.1, 1.0], [-0.7, 0.4]], &[1.0, -1.0, 0.5])?;
/// let request = CheckRequest { width: Some(16), sought: Sought::Scale, ..CheckRequest::default() };
/// let outcome = request.run_on(Samples::of_data(data), Watch::silent())?;
/// // At the scale that was found, zero error is promised, with a plan for it.
/// assert!(matches!(outcome.searched, Searched::Scale(Some(_))));
/// assert!(outcome.judged.plan.is_some());
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// φ.
    pub activation: Activation,
    /// What is done to the rows; by their norms when `None`.
    pub rows: Option<RowScaling>,
    /// The norm of the longest row when they are scaled; the usual one when `None`. Refused where they are not.
    pub radius: Option<f64>,
    /// k; four times as many hidden weights as rows when `None`.
    pub width: Option<usize>,
    /// The size of the output weights; the published one when `None`.
    pub scale: Option<f64>,
    /// How the start is drawn.
    pub start: Start,
    /// Of the start.
    pub seed: u64,
    /// What is looked for.
    pub sought: Sought,
    /// The plan trains both layers instead of the hidden one.
    pub both_layers: bool,
    /// The plan is done when ‖r‖ has fallen to this share.
    pub tolerance: f64,
    /// Quadratic networks have an intercept and a linear part.
    pub affine: bool,
    /// Where the rows do not determine a quadratic network, show two.
    pub rival: bool,
    /// The theorems that are asked for; convergence of the planned run when empty.
    pub theorems: Vec<Theorem>,
}

/// What is looked for. [`CheckRequest`] shows its use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sought {
    /// Nothing: width and scale are what they are.
    #[default]
    Nothing,
    /// The smallest width with a proof.
    Width,
    /// The smallest output scale with a proof.
    Scale,
}

/// What was looked for, and what was found. [`CheckRequest`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Searched {
    /// Nothing was.
    Nothing,
    /// A width.
    Width(Option<usize>),
    /// An output scale.
    Scale(Option<f64>),
}

/// A request about rows, and where files go.
///
/// ```
/// use shallows::Watch;
/// use shallows::job::check::{CheckJob, CheckRequest, Sought};
/// use shallows::job::execute::ExecuteJob;
///
/// let folder = tempfile::tempdir().unwrap();
/// let [table, plan, model, curves] = ["t.csv", "p.json", "m.safetensors", "m.svg"].map(|name| folder.path().join(name));
/// std::fs::write(&table, "a,b,y\n1,0.2,1\n0.1,1,-1\n-0.7,0.4,0.5\n").unwrap();
/// let request = CheckRequest { width: Some(16), sought: Sought::Scale, ..CheckRequest::default() };
/// let job = CheckJob { rows: table.clone().into(), request, plan: Some(plan.clone()), ..CheckJob::default() };
/// assert!(job.run(Watch::silent())?.files.plan.is_some());
///
/// // Ten iterations of the plan: what was proved holds on the way.
/// let (model, curves) = (Some(model), Some(curves));
/// let job = ExecuteJob { rows: table.into(), plan: plan.into(), iterations: Some(10), model, curves, ..ExecuteJob::default() };
/// let outcome = job.run(Watch::silent())?;
/// assert!(outcome.run.comparisons.iter().all(|comparison| comparison.violated.is_none()));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CheckJob {
    /// The rows.
    pub rows: GivenRows,
    /// What its columns are for.
    pub roles: Roles,
    /// What is asked; a rival is looked for also where its file is named.
    pub request: CheckRequest,
    /// Where to write the plan.
    pub plan: Option<PathBuf>,
    /// Where to write the second of two networks that agree on every row; the first is written beside it.
    pub rival: Option<PathBuf>,
    /// Where to write what was judged, with the proofs; where theorems are asked for, those. `determined` is about the rows as
    /// they are given, the others about rows in form: where both are to be written, `determined` goes beside.
    pub certificate: Option<PathBuf>,
}

/// What came of it. [`CheckRequest`] shows its use.
#[derive(Clone, Debug)]
pub struct CheckOutcome {
    /// What was asked.
    pub request: CheckRequest,
    /// The samples as they were given.
    pub samples: Samples,
    /// The rows in form.
    pub prepared: PreparedRows,
    /// Of the network that was judged.
    pub width: usize,
    /// Of the network that was judged.
    pub scale: f64,
    /// What was looked for.
    pub searched: Searched,
    /// Whether the search was interrupted.
    pub interrupted: bool,
    /// What the theorems say.
    pub judged: JudgedStart,
    /// What was read and written.
    pub files: CheckFiles,
    measured: OnceLock<CheckMeasurements>,
    since: Instant,
}

/// What the theorems say about a start. [`CheckRequest`] shows its use.
#[derive(Clone, Debug)]
pub struct JudgedStart {
    /// What is proved, refuted or left open.
    pub certificates: Vec<Judgement>,
    /// A start and a step with a proof.
    pub plan: Option<DescentPlan>,
    /// What the rows determine of a quadratic network.
    pub span: Option<Span>,
    /// Two networks that agree on every row.
    pub rival: Option<Rival>,
    /// The network at the start.
    pub start: Network,
    /// The judgements about rows in form, with their proofs.
    claims: Vec<ProvedClaim>,
    /// `determined`, which is about the rows as they are given.
    determined: Vec<ProvedClaim>,
}

/// What was read and written. [`CheckJob`] shows its use.
#[derive(Clone, Debug, Default)]
pub struct CheckFiles {
    /// The table.
    pub table: Option<PathBuf>,
    /// The plan.
    pub plan: Option<PathBuf>,
    /// The second and the first of two networks that agree on every row.
    pub rivals: Option<[PathBuf; 2]>,
    /// The certificate.
    pub certificate: Option<PathBuf>,
    /// The certificate about the rows as they are given, where the other one is about a start.
    pub determined: Option<PathBuf>,
}

impl Sought {
    /// What two switches ask for.
    ///
    /// # Errors
    /// When they ask for both.
    ///
    /// ```
    /// use shallows::job::check::Sought;
    ///
    /// assert_eq!(Sought::of_switches(false, true)?, Sought::Scale);
    /// assert!(Sought::of_switches(true, true).is_err());
    /// # Ok::<(), shallows::Error>(())
    /// ```
    pub fn of_switches(find_width: bool, find_scale: bool) -> Result<Self> {
        match (find_width, find_scale) {
            (false, false) => Ok(Sought::Nothing),
            (true, false) => Ok(Sought::Width),
            (false, true) => Ok(Sought::Scale),
            (true, true) => Err(Error::Request(RequestProblem::SearchTwice)),
        }
    }
}

impl Default for CheckRequest {
    fn default() -> Self {
        CheckRequest {
            activation: Activation::Smooth(Smooth::Softplus { sharpness: 1.0 }),
            rows: None,
            radius: None,
            width: None,
            scale: None,
            start: Start::Antisymmetric,
            seed: 0,
            sought: Sought::Nothing,
            both_layers: false,
            tolerance: 1e-6,
            affine: false,
            rival: false,
            theorems: vec![],
        }
    }
}

impl CheckRequest {
    /// What can be seen without looking at the samples.
    pub fn check(&self) -> Result<()> {
        if let Some(radius) = self.radius.filter(|radius| !(*radius > 0.0 && radius.is_finite())) {
            return Err(Error::parameter(Parameter::Radius, Requirement::Positive, radius));
        }
        self.rows.map_or(Ok(()), |rows| self.check_radius(rows))?;
        if self.affine && !self.is_quadratic() {
            return Err(Error::parameter(Parameter::Affine, Requirement::OnlyWith(&["quadratic networks"]), true));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(Error::parameter(Parameter::Tolerance, Requirement::Between(0.0, 1.0), self.tolerance));
        }
        let activation = || self.activation.to_string();
        let problem = if self.rival && !self.is_quadratic() {
            RequestProblem::Rival { activation: activation() }
        } else if self.both_layers && matches!(self.activation, Activation::Kinked(_)) {
            RequestProblem::BothLayers { activation: activation() }
        } else if self.sought == Sought::Scale && self.start == Start::Random {
            RequestProblem::ScaleOfRandomStart
        } else if self.sought != Sought::Nothing && self.scale.is_some()
            || self.sought == Sought::Width && self.width.is_some()
        {
            RequestProblem::SearchTwice
        } else {
            return Ok(());
        };
        Err(Error::Request(problem))
    }

    /// Only rows that are scaled have a radius.
    fn check_radius(&self, rows: RowScaling) -> Result<()> {
        match self.radius {
            Some(radius) if rows != RowScaling::Scaled => {
                Err(Error::parameter(Parameter::Radius, Requirement::OnlyWith(&["rows that are scaled"]), radius))
            }
            _ => Ok(()),
        }
    }

    /// αz², the activation that `determined` speaks about.
    fn is_quadratic(&self) -> bool {
        matches!(self.activation, Activation::Smooth(Smooth::Quadratic { alpha, beta: 0.0, gamma: 0.0 }) if alpha != 0.0)
    }

    /// Whether a theorem is asked for, which all are where none is named.
    fn asks_for(&self, theorem: Theorem) -> bool {
        self.theorems.is_empty() || self.theorems.contains(&theorem)
    }

    /// Theorems that were asked for and do not speak about this activation.
    fn check_theorems(&self, certificates: &[Judgement]) -> Result<()> {
        let unknown = self.theorems.iter().find(|theorem| certificates.iter().all(|found| found.theorem != **theorem));
        let Some(id) = unknown else { return Ok(()) };
        let known = certificates.iter().map(|found| found.theorem.id()).collect();
        let (theorem, activation) = (id.to_string(), self.activation.to_string());
        Err(Error::Request(RequestProblem::Theorem { theorem, activation, known }))
    }

    /// Judge samples in memory; nothing is written. An interrupted search ends with what it has found.
    pub fn run_on(&self, samples: Samples, watch: Watch<'_>) -> Result<CheckOutcome> {
        let since = Instant::now();
        self.check()?;
        let data = &samples.data;
        data.check_fittable()?;
        let rows = self.rows.unwrap_or_else(|| RowScaling::automatic(&data.X));
        self.check_radius(rows)?;
        let prepared = PreparedRows::new(data, rows, self.radius.unwrap_or(RADIUS), &self.activation)?;
        let distinct = &prepared.distinct.data;
        let search = Search { activation: &self.activation, data: distinct, start: self.start, seed: self.seed };
        let usual = 2 * (2 * distinct.n()).div_ceil(distinct.d()).max(2);
        let searched = self.searched(&search, usual, watch)?;
        let interrupted = self.sought == Sought::Width && watch.is_interrupted();
        let width = match searched {
            Searched::Width(Some(width)) => width,
            _ => self.width.unwrap_or(usual),
        };
        let scale = match searched {
            Searched::Scale(Some(scale)) => 2.0 * scale,
            _ => self.scale.unwrap_or_else(|| search.published_scale(width)),
        };
        watch.report(Progress::Began(Stage::Judging));
        let judged = self.judged(data, &prepared, &search.network(width, scale)?, (rows, scale))?;
        Ok(CheckOutcome {
            request: self.clone(),
            samples,
            prepared,
            width,
            scale,
            searched,
            interrupted,
            judged,
            files: CheckFiles::default(),
            measured: OnceLock::new(),
            since,
        })
    }

    /// What the theorems say about a start with this output scale.
    fn judged(
        &self,
        data: &Data,
        prepared: &PreparedRows,
        network: &Network,
        (rows, scale): (RowScaling, f64),
    ) -> Result<JudgedStart> {
        let distinct = &prepared.distinct.data;
        let Promises { hidden, both, mut claims, .. } = promised(network, distinct, self.tolerance)?;
        if self.activation == Activation::Kinked(Kinked::Relu) {
            claims.extend(rows_claims(&[Theorem::SeparatedData], distinct, false)?.0);
        }
        let of_given: &[Theorem] = if self.is_quadratic() { &[Theorem::Determined] } else { &[] };
        let (determined, span) = rows_claims(of_given, data, self.affine)?;
        let two = match &span {
            Some(span) if self.rival => rival(data, span, None, Signs::Any)?,
            _ => None,
        };
        let certificates: Vec<Judgement> =
            claims.iter().chain(&determined).map(|claim| claim.judgement().clone()).collect();
        self.check_theorems(&certificates)?;
        let about = |theorem| PlannedStart {
            theorem,
            data: &prepared.hash,
            rows,
            radius: self.radius.unwrap_or(RADIUS),
            activation: &self.activation,
            width: network.width(),
            start: self.start,
            scale,
            seed: self.seed,
            both_layers: self.both_layers,
        };
        let proven = if self.both_layers { both } else { hidden };
        let plan = proven
            .map(|(theorem, proven)| DescentPlan::new(about(theorem), proven, prepared.samples as f64, self.tolerance));
        Ok(JudgedStart { certificates, plan, span, rival: two, claims, determined, start: network.clone() })
    }

    fn searched(&self, search: &Search<'_>, usual: usize, watch: Watch<'_>) -> Result<Searched> {
        match self.sought {
            Sought::Nothing => Ok(Searched::Nothing),
            Sought::Width => {
                watch.report(Progress::Began(Stage::Searching));
                find_width(search, watch).map(Searched::Width)
            }
            Sought::Scale => {
                watch.report(Progress::Began(Stage::Scaling));
                find_scale(search, self.width.unwrap_or(usual)).map(Searched::Scale)
            }
        }
    }
}

impl CheckJob {
    /// The file of a second certificate, where there may be one.
    fn certificate_beside(&self) -> Option<PathBuf> {
        let request = &self.request;
        let determined = request.is_quadratic() && request.asks_for(Theorem::Determined);
        let start =
            request.theorems.iter().any(|theorem| *theorem != Theorem::Determined) || request.theorems.is_empty();
        self.certificate.as_deref().filter(|_| determined && start).map(determined_beside)
    }

    /// Take the rows, judge the start, and write the plan, the certificates and the rivals where files are named.
    pub fn run(self, watch: Watch<'_>) -> Result<CheckOutcome> {
        let since = Instant::now();
        Destinations::default()
            .may_read(FileRole::Table, self.rows.file())
            .may_write(FileRole::Plan, self.plan.as_ref())
            .may_write(FileRole::Certificate, self.certificate.as_ref())
            .may_write(FileRole::DeterminedCertificate, self.certificate_beside())
            .may_write(FileRole::Rival, self.rival.as_ref())
            .may_write(FileRole::FirstRival, self.rival.as_deref().map(first_rival))
            .check()?;
        let request = CheckRequest { rival: self.request.rival || self.rival.is_some(), ..self.request };
        request.check()?;
        let table = self.rows.file().map(ToOwned::to_owned);
        let samples = self.rows.learned(&Reading { roles: self.roles, ..Reading::default() })?;
        let mut outcome = request.run_on(samples, watch)?;
        outcome.since = since;
        outcome.files.table = table;
        if let (Some(path), Some(plan)) = (&self.plan, &outcome.judged.plan) {
            plan.save(path)?;
            outcome.files.plan = Some(path.clone());
        }
        if let Some(path) = &self.certificate {
            outcome.save_certificates(path)?;
        }
        if let (Some(path), Some([first, second])) = (&self.rival, outcome.rivals()?) {
            let beside = first_rival(path);
            second.save(path)?;
            first.save(&beside)?;
            outcome.files.rivals = Some([path.clone(), beside]);
        }
        Ok(outcome)
    }
}

/// Beside the second network, with `.first` before the ending.
fn first_rival(second: &Path) -> PathBuf {
    beside(second, "first", "safetensors")
}

/// Beside the certificate of a start, with `.determined` before the ending.
fn determined_beside(certificate: &Path) -> PathBuf {
    beside(certificate, "determined", "json")
}

/// The same path with a word before its ending, or before this one where it has none.
fn beside(path: &Path, word: &str, ending: &str) -> PathBuf {
    let ending = path.extension().unwrap_or(ending.as_ref());
    path.with_extension(word).with_added_extension(ending)
}

impl CheckOutcome {
    /// Whether what was asked for is proved.
    pub fn is_proved(&self) -> bool {
        let certificates = &self.judged.certificates;
        let holds = |theorem: Theorem| {
            certificates.iter().any(|found| found.theorem == theorem && found.verdict() == Verdict::Holds)
        };
        if !self.request.theorems.is_empty() {
            return self.request.theorems.iter().all(|theorem| holds(*theorem));
        }
        let found = !matches!(self.searched, Searched::Width(None) | Searched::Scale(None));
        found && (self.judged.plan.is_some() || holds(Theorem::Determined))
    }

    /// The numbers of the rows and the activation that the theorems are made of. They are computed when first asked for,
    /// once: who wants a plan only does not wait for them.
    pub fn measured(&self) -> &CheckMeasurements {
        self.measured.get_or_init(|| CheckMeasurements::new(self))
    }

    /// Two networks that agree on every row, as models that take the columns of the table.
    pub fn rivals(&self) -> Result<Option<[Model; 2]>> {
        let Some(rival) = &self.judged.rival else { return Ok(None) };
        let Samples { recipe, data, .. } = &self.samples;
        let model =
            |network: &Network| Model::new(network.clone(), recipe.clone(), data.target.clone(), self.request.seed);
        Ok(Some([model(&rival.first)?, model(&rival.second)?]))
    }

    /// What was asked for about the start, with the proofs, as a file holds it: the network at the start is part of it where a
    /// theorem is about it.
    ///
    /// # Errors
    /// When the network is too large for a file.
    pub fn certificate(&self) -> Result<Option<Certificate>> {
        let CheckOutcome { request, samples, prepared, judged, .. } = self;
        let claims = self.asked(&judged.claims);
        if claims.is_empty() {
            return Ok(None);
        }
        // Where every claim is about rows and widths alone, a start would only be ballast, and a wide one too much of it.
        let about_start = |claim: &ProvedClaim| !WITHOUT_START.contains(&claim.judgement().theorem);
        let start = claims.iter().any(about_start).then_some(&judged.start);
        let numbers = start.map_or(0, |start| start.width().saturating_mul(start.inputs() + 1));
        if numbers.saturating_mul(NUMBER_BYTES) > MOST_CERTIFICATE_BYTES {
            let most = MOST_CERTIFICATE_BYTES as u64;
            return Err(Error::Certificate { path: None, problem: CertificateProblem::TooLarge { most } });
        }
        let form = Some(prepared.frame.form(request.activation.symmetry()));
        let source = Source { form, ..Source::of_samples(samples) };
        let rows = Some((&prepared.distinct.data, &source));
        Certificate::of_claims(claims, start, None, rows).map(Some)
    }

    /// Whether the rows as they are given determine a quadratic network, with the proof, where that was asked for.
    ///
    /// # Errors
    /// When the samples do not fit their source, which they do.
    pub fn determined_certificate(&self) -> Result<Option<Certificate>> {
        let claims = self.asked(&self.judged.determined);
        if claims.is_empty() {
            return Ok(None);
        }
        let source = Source::of_samples(&self.samples);
        Certificate::of_claims(claims, None, None, Some((&self.samples.data, &source))).map(Some)
    }

    /// Those of the claims that were asked for.
    fn asked(&self, claims: &[ProvedClaim]) -> Vec<ProvedClaim> {
        claims.iter().filter(|claim| self.request.asks_for(claim.judgement().theorem)).cloned().collect()
    }

    /// Write what was asked for into this file, or, where it is about two kinds of rows, into this file and one beside.
    fn save_certificates(&mut self, path: &Path) -> Result<()> {
        let (start, determined) = (self.certificate()?, self.determined_certificate()?);
        let second = if start.is_some() { determined_beside(path) } else { path.to_owned() };
        start.iter().try_for_each(|certificate| certificate.save(path))?;
        determined.iter().try_for_each(|certificate| certificate.save(&second))?;
        self.files.determined = (start.is_some() && determined.is_some()).then_some(second);
        self.files.certificate = Some(path.to_owned());
        Ok(())
    }

    /// How long it has taken until now, in seconds.
    pub fn seconds(&self) -> f64 {
        self.since.elapsed().as_secs_f64()
    }
}

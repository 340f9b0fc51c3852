//! `landscape`: every critical level of a planted quadratic network, the barrier, what a start may expect.

mod drawing;
mod planted;

pub use planted::{ChosenStart, PlantedTeacher, quadratic};

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use serde_json::{Value, json};

use super::given::{GivenModel, GivenRows};
use super::words;
use crate::certificate::{Certificate, Judgement, Theorem, Verdict};
use crate::data::{Data, Roles};
use crate::draw::{Figure, file_names};
use crate::error::{Error, Parameter, RequestProblem, Requirement, Result};
use crate::file::{Destinations, FileRole, make_folder};
use crate::landscape::{CriticalPoint, Landscape, Levels};
use crate::network::{Network, QuadraticForm};
use crate::risk::{Objective, PopulationRisk};
use crate::watch::Watch;

/// A landscape and where its figures and its certificate go.
///
/// ```
/// use shallows::job::landscape::{LandscapeJob, LandscapeRequest, Origin};
/// use shallows::watch::Watch;
///
/// let teacher = Origin::Drawn { inputs: None, width: None, spectrum: Some(vec![3.0, 2.0, 1.0]) };
/// let job = LandscapeJob { request: LandscapeRequest::new(teacher), folder: None, certificate: None };
/// let outcome = job.run(Watch::silent())?;
/// assert!((outcome.landscape.barrier().unwrap() - 1.25).abs() < 1e-9);
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LandscapeJob {
    /// What is asked.
    pub request: LandscapeRequest,
    /// Where figures go; made where it is missing. None are drawn without.
    pub folder: Option<PathBuf>,
    /// Where to write what is proved, which anybody can verify.
    pub certificate: Option<PathBuf>,
}

impl LandscapeJob {
    /// Read, compute, draw and write.
    ///
    /// # Errors
    /// When what is asked makes no sense, or a file cannot be read or written.
    pub fn run(self, watch: Watch<'_>) -> Result<LandscapeOutcome> {
        let since = Instant::now();
        self.planned().check()?;
        self.request.check()?;
        self.folder.iter().try_for_each(|folder| make_folder(folder))?;
        let mut outcome = self.request.run(watch)?;
        self.certificate.iter().try_for_each(|path| outcome.certificate.save(path))?;
        outcome.path.clone_from(&self.certificate);
        if let Some(folder) = &self.folder {
            for (name, figure) in outcome.figures(watch)? {
                outcome.files.extend(figure.save_in(folder, name)?);
            }
        }
        outcome.seconds = since.elapsed().as_secs_f64();
        Ok(outcome)
    }

    /// Everything that is read and written.
    fn planned(&self) -> Destinations {
        let LandscapeRequest { teacher, start, rows, .. } = &self.request;
        Destinations::default()
            .may_read(FileRole::Teacher, teacher.file())
            .may_read(FileRole::Start, start.file())
            .may_read(FileRole::Table, rows.as_ref().and_then(GivenRows::file))
            .may_fill_with(FileRole::Figures, self.folder.as_ref(), FIGURES.iter().flat_map(|name| file_names(name)))
            .may_write(FileRole::Certificate, self.certificate.as_ref())
    }
}

/// Everything that is drawn.
const FIGURES: [&str; 5] = ["levels", "line", "descent", "slice", "slice-data"];

/// What is asked. The teacher is f*(x) = Σ v_l (w_l·x)², the inputs are Gaussian, the risk of a student is ½E(f − f*)².
/// [`LandscapeJob`] shows its use.
#[derive(Clone, Debug)]
pub struct LandscapeRequest {
    /// The teacher.
    pub teacher: Origin,
    /// Units of the student, where it is narrower or wider than the teacher; its output weights are 1.
    pub student_width: Option<usize>,
    /// Where descent would start.
    pub start: Beginning,
    /// Rows of the teacher that the starts trace and spectral look at; the usual number when `None`. Refused for other
    /// starts, and where rows are given.
    pub samples: Option<u64>,
    /// Rows to look at instead; also for slices of the empirical risk.
    pub rows: Option<GivenRows>,
    /// Their column y; the last when `None`.
    pub target: Option<String>,
    /// Levels to show; with many inputs as many from each end.
    pub levels: usize,
    /// Everything random comes from it.
    pub seed: u64,
}

/// Where a teacher comes from. [`LandscapeJob`] shows its use.
#[derive(Clone, Debug)]
pub enum Origin {
    /// It is there.
    Given(GivenModel),
    /// It is drawn.
    Drawn {
        /// d; as many as there are eigenvalues when `None`.
        inputs: Option<usize>,
        /// m; as many as inputs when `None`.
        width: Option<usize>,
        /// Eigenvalues of W*ᵀW*; W* has standard normal entries when `None`.
        spectrum: Option<Vec<f64>>,
    },
}

/// Where descent would start.
///
/// ```
/// use shallows::job::landscape::Beginning;
///
/// assert!(matches!("spectral".parse(), Ok(Beginning::Spectral)));
/// ```
#[derive(Clone, Debug)]
pub enum Beginning {
    /// √(m+4d)·[I; 0]
    Paper,
    /// √m·[I; 0]
    Width,
    /// √γ·[I; 0], γ = mean(y)/d
    Trace,
    /// ½ mean(y(xxᵀ − I)), made positive semidefinite.
    Spectral,
    /// W = 0
    Zero,
    /// These weights.
    Given {
        /// W₀ and v.
        model: GivenModel,
        /// What they are called.
        name: String,
    },
}

impl Origin {
    /// Its file, where it is in one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Origin::Given(model) => model.file(),
            Origin::Drawn { .. } => None,
        }
    }
}

fn read_quadratic(model: &GivenModel, what: &str) -> Result<Network> {
    let what = model.file().map_or_else(|| what.to_owned(), |path| format!("{}: {what}", path.display()));
    quadratic(&*model.load_quadratic()?, &what)
}

/// The columns of rows as they are, the last one the target unless named, and what the rows are called.
fn named_samples(rows: GivenRows, target: Option<String>) -> Result<(Data, String)> {
    let name = rows.name();
    let samples = rows.unchanged(&Roles { target, ..Roles::default() })?;
    Ok((samples.data, name))
}

impl FromStr for Beginning {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Ok(match name {
            "paper" => Beginning::Paper,
            "width" => Beginning::Width,
            "trace" => Beginning::Trace,
            "spectral" => Beginning::Spectral,
            "zero" => Beginning::Zero,
            _ => return Err(Error::Request(RequestProblem::Start(name.to_owned()))),
        })
    }
}

impl Beginning {
    /// A name, or the file of a model, which is read when it is needed.
    ///
    /// # Errors
    /// When it is neither.
    pub fn named_or_file(text: &str) -> Result<Self> {
        let path = Path::new(text);
        match text.parse() {
            Ok(named) => Ok(named),
            Err(unknown) if path.extension().is_none() && !path.exists() => Err(unknown),
            Err(_) => Ok(Beginning::Given { model: path.to_owned().into(), name: path.display().to_string() }),
        }
    }

    /// Its file, where it is in one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Beginning::Given { model, .. } => model.file(),
            _ => None,
        }
    }

    /// Whether it looks at samples.
    fn looks_at_samples(&self) -> bool {
        matches!(self, Beginning::Trace | Beginning::Spectral)
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Beginning::Paper => "paper",
            Beginning::Width => "width",
            Beginning::Trace => "trace",
            Beginning::Spectral => "spectral",
            Beginning::Zero => "zero",
            Beginning::Given { name, .. } => name,
        }
    }
}

/// What was found. [`LandscapeJob`] shows its use.
#[derive(Clone, Debug)]
pub struct LandscapeOutcome {
    /// What was asked.
    pub request: LandscapeRequest,
    /// The rows that were given, and what they are called.
    pub data: Option<(Data, String)>,
    /// The teacher.
    pub planted: PlantedTeacher,
    /// Its critical points.
    pub landscape: Landscape,
    /// L
    pub risk: PopulationRisk,
    /// Where descent starts.
    pub start: ChosenStart,
    /// L(W₀)
    pub start_risk: f64,
    /// All levels, or the ends.
    pub levels: Levels,
    /// The levels to show, each with its point.
    pub shown: Vec<CriticalPoint>,
    /// What is proved about this teacher, this start, and teachers like it.
    pub certificates: Vec<Judgement>,
    /// The same with the proofs, for a file.
    pub certificate: Certificate,
    /// The file of the certificate, where it was written.
    pub path: Option<PathBuf>,
    /// Figures that were written.
    pub files: Vec<PathBuf>,
    /// How long it took.
    pub seconds: f64,
}

/// More levels than this are not read by anybody.
const MOST_LEVELS: usize = 100_000;
/// Rows that a start looks at, unless another number is asked for.
pub(super) const SAMPLES: u64 = 10_000;
/// More samples than this are not waited for by anybody.
const MOST_SAMPLES: u64 = 100_000_000;

impl LandscapeRequest {
    /// About this teacher, with the start that its samples suggest and 16 levels.
    pub fn new(teacher: Origin) -> Self {
        LandscapeRequest {
            teacher,
            student_width: None,
            start: Beginning::Trace,
            samples: None,
            rows: None,
            target: None,
            levels: 16,
            seed: 0,
        }
    }

    /// Rows of the teacher that starts look at.
    fn samples(&self) -> u64 {
        self.samples.unwrap_or(SAMPLES)
    }

    /// What can be seen without looking at the teacher.
    pub fn check(&self) -> Result<()> {
        let (levels, samples) = (self.levels, self.samples());
        if let Some(samples) = self.samples.filter(|_| self.rows.is_some() || !self.start.looks_at_samples()) {
            let requirement = Requirement::OnlyWith(&["the starts trace and spectral of a teacher without data"]);
            return Err(Error::parameter(Parameter::StartSamples, requirement, samples));
        }
        if levels > MOST_LEVELS || samples == 0 || samples > MOST_SAMPLES {
            return Err(Error::Request(RequestProblem::Extent { levels, samples }));
        }
        Ok(())
    }

    /// Everything but the figures; nothing is written.
    ///
    /// # Errors
    /// When what is asked makes no sense.
    pub fn run(mut self, _watch: Watch<'_>) -> Result<LandscapeOutcome> {
        let since = Instant::now();
        self.check()?;
        let planted = PlantedTeacher::new(&self)?;
        let data = self.rows.take().map(|rows| named_samples(rows, self.target.clone())).transpose()?;
        if let Some((data, _)) = data.as_ref().filter(|(data, _)| data.d() != planted.network.inputs()) {
            let (expected, found) = (planted.network.inputs(), data.d());
            return Err(Error::Request(RequestProblem::TeacherInputs { expected, found }));
        }
        let start = ChosenStart::new(&self, &planted, data.as_ref())?;
        let M_star = QuadraticForm::of(&planted.network)?.M;
        let landscape = Landscape::new(&M_star, start.network.v.clone())?;
        let risk = PopulationRisk::of_teacher(&planted.network, start.network.v.clone())?;
        let levels = landscape.levels(self.levels.max(1))?;
        let gamma = start.scale.filter(|_| planted.is_gaussian && start.is_fixed);
        let (certificate, certificates) = Certificate::judged_start(&start.network, &planted.network, gamma)?;
        Ok(LandscapeOutcome {
            start_risk: risk.value(start.network.W.as_slice()).objective,
            shown: shown(&landscape, &levels, self.levels),
            certificates,
            certificate,
            path: None,
            request: self,
            data,
            planted,
            landscape,
            risk,
            start,
            levels,
            files: vec![],
            seconds: since.elapsed().as_secs_f64(),
        })
    }
}

/// The lowest levels; of many inputs also the highest.
fn shown(landscape: &Landscape, levels: &Levels, most: usize) -> Vec<CriticalPoint> {
    match levels {
        Levels::All(levels) => levels.iter().take(most).filter_map(|level| landscape.point_of(level)).collect(),
        Levels::Ends { lowest, highest } => lowest.iter().chain(highest.iter().rev()).cloned().collect(),
    }
}

impl LandscapeOutcome {
    /// The highest level that is not above the start, and the lowest that is.
    pub fn neighbours(&self) -> (Option<f64>, Option<f64>) {
        let Levels::All(levels) = &self.levels else { return (None, None) };
        let at = levels.partition_point(|level| level.level <= self.start_risk);
        (at.checked_sub(1).map(|at| levels[at].level), levels.get(at).map(|level| level.level))
    }

    /// What a theorem says here, where it was asked.
    pub fn judgement(&self, theorem: Theorem) -> Option<&Judgement> {
        self.certificates.iter().find(|judgement| judgement.theorem == theorem)
    }

    /// Whether descent from the start that never rises and ends at stationary points is proved to end at the teacher.
    pub fn is_safe(&self) -> bool {
        self.judgement(Theorem::SafeStart).is_some_and(|judgement| judgement.verdict() == Verdict::Holds)
    }

    /// All figures, each with its name.
    pub fn figures(&self, watch: Watch<'_>) -> Result<Vec<(&'static str, Figure)>> {
        drawing::figures(self, watch)
    }

    /// What a script reads.
    pub fn document(&self) -> Value {
        let count = match &self.levels {
            Levels::All(levels) => Some(levels.len()),
            Levels::Ends { .. } => None,
        };
        let level = |point: &CriticalPoint| {
            json!({
                "subset": point.subset.iter().map(|i| i + 1).collect::<Vec<_>>(), "level": point.level,
                "index": point.index, "curvature": point.curvature, "shift": point.shift, "copies": point.copies,
            })
        };
        let (below, next) = self.neighbours();
        json!({
            "inputs": self.landscape.inputs(), "width": self.landscape.width(), "spectrum": self.landscape.spectrum(),
            "barrier": self.landscape.barrier(), "barriers": self.landscape.barriers(),
            "critical_levels": count, "levels": self.shown.iter().map(level).collect::<Vec<_>>(),
            "start": {
                "name": self.request.start.name(), "about": self.start.about, "gamma": self.start.scale,
                "risk": self.start_risk, "level_below": below, "level_above": next, "safe": self.is_safe(),
            },
            "certificates": self.certificates.iter().map(Judgement::document).collect::<Vec<_>>(),
            "certificate": { "path": self.path.as_ref().map(words::path) },
            "seed": self.request.seed,
            "version": env!("CARGO_PKG_VERSION"),
            "figures": self.files.iter().map(words::path).collect::<Vec<_>>(),
            "seconds": self.seconds,
        })
    }
}

//! The landscape of a planted quadratic network: every critical level, the barrier, what a start may expect.

mod drawing;
mod planted;

pub use planted::{Planted, Start, quadratic};

use std::str::FromStr;

use serde_json::{Value, json};

use crate::certificate::{Certificate, Verdict, energy_barrier, safe_start, safe_start_gaussian};
use crate::data::Data;
use crate::draw::Figure;
use crate::error::{Error, RequestProblem, Result};
use crate::landscape::{CriticalPoint, Landscape, Levels};
use crate::network::{Network, Quadratic};
use crate::risk::{Objective, PopulationRisk};

/// What is asked. The teacher is f*(x) = Σ v_j (w_j·x)², the inputs are Gaussian, the risk of a student is ½E(f − f*)².
#[derive(Clone, Debug)]
pub struct Question {
    /// The teacher.
    pub teacher: Origin,
    /// Units of the student, where it is narrower or wider than the teacher; its output weights are 1.
    pub student_width: Option<usize>,
    /// Where descent would start.
    pub start: Beginning,
    /// Rows of the teacher that starts look at.
    pub samples: u64,
    /// Samples to look at instead, and what they are called; also for slices of the empirical risk.
    pub data: Option<(Data, String)>,
    /// Levels to show; with many inputs as many from each end.
    pub levels: usize,
    /// Everything random comes from it.
    pub seed: u64,
}

/// Where a teacher comes from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// It is there.
    Given(Network),
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
        network: Network,
        /// What they are called.
        name: String,
    },
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
    /// On the command line.
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

/// The answer.
#[derive(Clone, Debug)]
pub struct Answer<'a> {
    /// What was asked.
    pub question: &'a Question,
    /// The teacher.
    pub planted: Planted,
    /// Its critical points.
    pub landscape: Landscape,
    /// L
    pub risk: PopulationRisk,
    /// Where descent starts.
    pub start: Start,
    /// L(W₀)
    pub start_risk: f64,
    /// All levels, or the ends.
    pub levels: Levels,
    /// The levels to show, each with its point.
    pub shown: Vec<CriticalPoint>,
    /// What is proved about this teacher, this start, and teachers like it.
    pub certificates: Vec<Certificate>,
}

/// More levels than this are not read by anybody.
const MOST_LEVELS: usize = 100_000;
/// More samples than this are not waited for by anybody.
const MOST_SAMPLES: u64 = 100_000_000;

impl Question {
    /// What can be seen without looking at the teacher.
    pub fn check(&self) -> Result<()> {
        let Question { levels, samples, .. } = *self;
        if levels > MOST_LEVELS || samples == 0 || samples > MOST_SAMPLES {
            return Err(Error::Request(RequestProblem::Extent { levels, samples }));
        }
        Ok(())
    }

    /// The answer.
    pub fn answer(&self) -> Result<Answer<'_>> {
        self.check()?;
        let planted = Planted::new(self)?;
        if let Some((data, _)) = self.data.as_ref().filter(|(data, _)| data.d() != planted.network.inputs()) {
            let (expected, found) = (planted.network.inputs(), data.d());
            return Err(Error::Request(RequestProblem::TeacherInputs { expected, found }));
        }
        let start = Start::new(self, &planted)?;
        let M_star = Quadratic::of(&planted.network)?.M;
        let landscape = Landscape::new(&M_star, start.network.v.clone())?;
        let risk = PopulationRisk::of_teacher(&planted.network, start.network.v.clone())?;
        let levels = landscape.levels(self.levels.max(1))?;
        Ok(Answer {
            question: self,
            start_risk: risk.value(start.network.W.as_slice()).objective,
            shown: shown(&landscape, &levels, self.levels),
            certificates: certificates(&planted, &start)?,
            planted,
            landscape,
            risk,
            start,
            levels,
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

fn certificates(planted: &Planted, start: &Start) -> Result<Vec<Certificate>> {
    let Network { W, .. } = &planted.network;
    let mut certificates = vec![energy_barrier(&planted.network)?, safe_start(&start.network, &planted.network)?];
    if let Some(gamma) = start.scale.filter(|_| planted.is_gaussian && start.is_fixed) {
        certificates.push(safe_start_gaussian((W.rows(), W.cols()), gamma)?);
    }
    Ok(certificates)
}

impl Answer<'_> {
    /// The highest level that is not above the start, and the lowest that is.
    pub fn neighbours(&self) -> (Option<f64>, Option<f64>) {
        let Levels::All(levels) = &self.levels else { return (None, None) };
        let at = levels.partition_point(|level| level.level <= self.start_risk);
        (at.checked_sub(1).map(|at| levels[at].level), levels.get(at).map(|level| level.level))
    }

    /// Everything there is to be drawn, each figure with its name.
    pub fn figures(&self) -> Result<Vec<(&'static str, Figure)>> {
        drawing::figures(self)
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
        let safe = self.certificates.get(1).is_some_and(|certificate| certificate.verdict() == Verdict::Holds);
        json!({
            "inputs": self.landscape.inputs(), "width": self.landscape.width(), "spectrum": self.landscape.spectrum(),
            "barrier": self.landscape.barrier(), "barriers": self.landscape.barriers(),
            "critical_levels": count, "levels": self.shown.iter().map(level).collect::<Vec<_>>(),
            "start": {
                "name": self.question.start.name(), "about": self.start.about, "gamma": self.start.scale,
                "risk": self.start_risk, "level_below": below, "level_above": next, "safe": safe,
            },
            "certificates": self.certificates.iter().map(Certificate::document).collect::<Vec<_>>(),
            "seed": self.question.seed,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

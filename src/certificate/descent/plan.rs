//! A plan: a start and a step for which convergence was proved before any step is taken.
//!
//! A plan names the rows, the start and the step, and the numbers a theorem proved for them, about gradient descent and
//! nothing else: with ½Σ wᵢrᵢ² as the loss, s the length of the path so far and ‖r‖² = Σ wᵢrᵢ² they are
//!
//! ```text
//! ‖r_τ‖ ≤ rate^τ ‖r_0‖,   ‖θ_τ − θ_0‖ ≤ s_τ ≤ path,   slope·s_τ − bend·s_τ² + ‖r_τ‖ ≤ ‖r_0‖.
//! ```

use std::fmt::{self, Display};
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::frame::{RowFrame, RowScaling};
use super::promises::guarantee;
use crate::activation::Activation;
use crate::certificate::{Guarantee, Theorem};
use crate::data::{Data, Distinct};
use crate::error::{Error, Parameter, PlanProblem, Requirement, Result};
use crate::file::{read_at_most, write_atomically};
use crate::linalg::Matrix;
use crate::network::{Layers, Network};
use crate::random::{Purpose, Stream};

const FORMAT: &str = "shallows plan";
const FORMAT_VERSION: u64 = 1;
/// A larger file is not read.
const MOST_BYTES: u64 = 1 << 20;
/// Numbers of a plan and of its proof may differ by this much between machines.
const SAME: f64 = 1e-9;
/// More hidden weights are not drawn.
const MOST_WEIGHTS: usize = 1 << 28;

/// How W₀ and v are chosen: hidden weights are standard normal, output weights ±scale.
///
/// ```
/// use shallows::Activation;
/// use shallows::certificate::descent::Start;
/// use shallows::linalg::Matrix;
///
/// // Units in pairs that cancel: the network is zero at the start, whatever the scale.
/// let network = Start::Antisymmetric.network(&Activation::TANH, 8, 2, 3.0, 1)?;
/// assert!(network.predict(&Matrix::from_rows(&[[0.3, -1.0]]))?[0].abs() < 1e-12);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// W₀ = [W_h; W_h] and v = scale·[1; −1], so that f starts at 0.
    Antisymmetric,
    /// Independent rows; the first half of v is scale, the second −scale.
    Random,
}

impl Start {
    /// The network at the start. The first units do not depend on how many there are.
    pub fn network(
        self,
        activation: &Activation,
        width: usize,
        inputs: usize,
        scale: f64,
        seed: u64,
    ) -> Result<Network> {
        if width < 2 || !width.is_multiple_of(2) {
            return Err(Error::parameter(Parameter::StartWidth, Requirement::Even, width));
        }
        if width.saturating_mul(inputs) > MOST_WEIGHTS {
            let (name, weights) = (Parameter::HiddenWeights, width.saturating_mul(inputs));
            return Err(Error::parameter(name, Requirement::CountUpTo(MOST_WEIGHTS), weights));
        }
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(Error::parameter(Parameter::OutputScale, Requirement::Positive, scale));
        }
        let half = width / 2;
        // Unit l of the first half and unit l of the second are drawn next to each other.
        let index = |l: usize| match self {
            Start::Antisymmetric => l % half,
            Start::Random => 2 * (l % half) + l / half,
        };
        let W = Matrix::from_row_fn(width, inputs, |l, row| {
            let mut stream = Stream::new(seed, Purpose::Start, index(l) as u64);
            row.iter_mut().for_each(|w| *w = stream.normal());
        });
        let v = (0..width).map(|l| if l < half { scale } else { -scale }).collect();
        Network::new(activation.clone(), W, v)
    }
}

/// What a theorem proved about gradient descent from a start, on the loss ½Σ wᵢrᵢ². [`DescentPlan`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proven {
    /// The step η.
    pub step: f64,
    /// ‖r_0‖, from above.
    pub residual: f64,
    /// ‖r_{τ+1}‖ ≤ rate·‖r_τ‖.
    pub rate: f64,
    /// The whole path is at most this long.
    pub path: f64,
    /// The energy inequality: slope·s − bend·s² + ‖r‖ ≤ ‖r_0‖.
    pub slope: f64,
    /// See `slope`.
    pub bend: f64,
}

impl Proven {
    /// The iterations after which ‖r_τ‖ ≤ tolerance·‖r_0‖ is certain; `None` without a rate.
    pub fn iterations(&self, tolerance: f64) -> Option<f64> {
        (self.rate < 1.0).then(|| if self.rate <= 0.0 { 1.0 } else { (tolerance.ln() / self.rate.ln()).ceil() })
    }
}

/// A start and a step with a proof, as saved in a file.
///
/// ```
/// use shallows::certificate::descent::{DescentPlan, PlannedStart, PreparedRows, RowScaling, Start};
/// use shallows::certificate::{Search, find_scale, promises};
/// use shallows::activation::Activation;
/// use shallows::data::Data;
/// use shallows::linalg::Matrix;
///
/// let data = Data::builder(Matrix::identity(3), vec![0.6, -0.8, 0.3]).build()?;
/// let activation: Activation = "softplus".parse()?;
/// let rows = PreparedRows::new(&data, RowScaling::Raw, 1.0, &activation)?;
///
/// // The smallest output scale with a proof, and twice that to be well inside.
/// let search = Search { activation: &activation, data: &rows.distinct.data, start: Start::Antisymmetric, seed: 1 };
/// let scale = 2.0 * find_scale(&search, 8)?.expect("eight units do for three rows");
/// let (theorem, proven) = promises(&search.network(8, scale)?, search.data)?.hidden.expect("proved");
///
/// let start = PlannedStart {
///     theorem,
///     data: &rows.hash,
///     rows: RowScaling::Raw,
///     radius: 1.0,
///     activation: &activation,
///     width: 8,
///     start: Start::Antisymmetric,
///     scale,
///     seed: 1,
///     both_layers: false,
/// };
/// let plan = DescentPlan::new(start, proven, rows.samples as f64, 1e-6);
/// assert_eq!(plan.proved_again(&data)?.proven, proven);
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescentPlan {
    format: String,
    format_version: u64,
    /// The version of this crate that made it.
    pub version: String,
    /// The theorem behind it.
    pub theorem: Theorem,
    /// The hash of the samples, before anything was done to their rows.
    pub data: String,
    /// What is done to their rows.
    pub rows: RowScaling,
    /// The norm that the longest row is given, where rows are scaled.
    pub radius: f64,
    /// φ.
    pub activation: String,
    /// k.
    pub width: usize,
    /// How W₀ and the signs of v are chosen.
    pub start: Start,
    /// |v_l|
    pub scale: f64,
    /// Of the start.
    pub seed: u64,
    /// Whether v is trained too.
    pub both_layers: bool,
    /// η on the loss (1/2n)Σr²: n times that of `proven`.
    pub step: f64,
    /// What was proved. Executing the plan proves it again.
    pub proven: Proven,
    /// What counts as done: ‖r_τ‖ ≤ tolerance·‖r_0‖.
    pub tolerance: f64,
    /// Iterations after which that is certain.
    pub iterations: CertainIterations,
}

/// After how many iterations something is certain: a whole number, or never where there is no rate.
///
/// ```
/// use shallows::certificate::descent::plan::CertainIterations;
///
/// assert_eq!(CertainIterations::from(Some(120.0)).to_string(), "120");
/// assert_eq!(CertainIterations::from(None).to_string(), "infinitely many");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CertainIterations(Option<f64>);

impl CertainIterations {
    /// The number, where there is one.
    pub fn number(self) -> Option<f64> {
        self.0
    }
}

impl From<Option<f64>> for CertainIterations {
    fn from(number: Option<f64>) -> Self {
        CertainIterations(number)
    }
}

impl fmt::Display for CertainIterations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(number) => write!(f, "{number}"),
            None => f.write_str("infinitely many"),
        }
    }
}

impl DescentPlan {
    /// Fill in the form; `samples` is n.
    pub fn new(about: PlannedStart<'_>, proven: Proven, samples: f64, tolerance: f64) -> DescentPlan {
        let PlannedStart { theorem, data, rows, radius, activation, width, start, scale, seed, both_layers } = about;
        DescentPlan {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            version: env!("CARGO_PKG_VERSION").into(),
            theorem,
            data: data.into(),
            rows,
            radius,
            activation: activation.to_string(),
            width,
            start,
            scale,
            seed,
            both_layers,
            step: samples * proven.step,
            proven,
            tolerance,
            iterations: proven.iterations(tolerance).into(),
        }
    }

    /// φ, read back.
    pub fn activation(&self) -> Result<Activation> {
        Activation::from_str(&self.activation)
    }

    /// The network at the start, for rows of this many inputs.
    pub fn network(&self, inputs: usize) -> Result<Network> {
        self.start.network(&self.activation()?, self.width, inputs, self.scale, self.seed)
    }

    /// What moves.
    pub fn layers(&self) -> Layers {
        if self.both_layers { Layers::Both } else { Layers::Hidden }
    }

    /// Prove it again on these samples, as they were given; nothing in the file is believed.
    pub fn proved_again(&self, data: &Data) -> Result<ProvedStart> {
        let rows = PreparedRows::new(data, self.rows, self.radius, &self.activation()?)?;
        if rows.hash != self.data {
            let (stored, found) = (self.data.clone(), rows.hash);
            return Err(problem(PlanProblem::OtherData { stored, found }));
        }
        let network = self.network(rows.distinct.data.d())?;
        let Guarantee { judgement, proven } = guarantee(&network, &rows.distinct.data, self.layers())?;
        let Some(proven) = proven else {
            return Err(not_proved("claim", "a proof", format!("{}: {}", judgement.theorem, judgement.verdict())));
        };
        self.check_theorem(judgement.theorem, &proven)?;
        self.check_numbers(&proven, rows.samples as f64)?;
        Ok(ProvedStart { network, rows, proven })
    }

    /// The theorem, the tolerance and the end that were promised.
    fn check_theorem(&self, theorem: Theorem, proven: &Proven) -> Result<()> {
        if self.theorem != theorem {
            return Err(not_proved("theorem", self.theorem, theorem));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(not_proved("tolerance", self.tolerance, "one between 0 and 1 only"));
        }
        let unlimited = |iterations: Option<f64>| iterations.unwrap_or(f64::INFINITY);
        let [stored, certain] = [self.iterations.number(), proven.iterations(self.tolerance)].map(unlimited);
        // A rate that differs in its last digits may move the last iteration.
        if stored == certain || (stored - certain).abs() <= 1.0 + SAME * certain {
            return Ok(());
        }
        Err(not_proved("number of iterations", stored, certain))
    }

    fn check_numbers(&self, proven: &Proven, samples: f64) -> Result<()> {
        let stored = &self.proven;
        let numbers = [
            ("step", stored.step, proven.step),
            ("residual", stored.residual, proven.residual),
            ("rate", stored.rate, proven.rate),
            ("path", stored.path, proven.path),
            ("slope", stored.slope, proven.slope),
            ("bend", stored.bend, proven.bend),
            ("step on the mean", self.step, proven.step * samples),
        ];
        let differs = |(_, stored, found): &&(&str, f64, f64)| !((stored - found).abs() <= SAME * found.abs());
        match numbers.iter().find(differs) {
            None => Ok(()),
            Some((field, stored, found)) => Err(not_proved(field, stored, found)),
        }
    }

    /// The text of the file.
    pub fn to_json(&self) -> Result<String> {
        let text =
            serde_json::to_string_pretty(self).map_err(|error| problem(PlanProblem::NotPlan(error.to_string())))?;
        Ok(text + "\n")
    }

    /// Write it to a file; never half of it.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let text = self.to_json()?;
        write_atomically(path.as_ref(), |file| file.write_all(text.as_bytes()))
    }

    /// Read it from a file.
    pub fn load(path: impl AsRef<Path>) -> Result<DescentPlan> {
        let too_long = || problem(PlanProblem::NotPlan("it is longer than a plan can be".into()));
        Self::from_json(&read_at_most(path.as_ref(), MOST_BYTES)?.ok_or_else(too_long)?)
    }

    /// Read what such a file holds.
    pub fn from_json(text: &[u8]) -> Result<DescentPlan> {
        let not = |reason: String| problem(PlanProblem::NotPlan(reason));
        let plan: DescentPlan = serde_json::from_slice(text).map_err(|error| not(error.to_string()))?;
        if plan.format != FORMAT || plan.format_version != FORMAT_VERSION {
            return Err(not(format!("its format is {:?}, version {}", plan.format, plan.format_version)));
        }
        Ok(plan)
    }
}

/// Samples as the theorems about descent see them. [`DescentPlan`] shows its use.
#[derive(Clone, Debug)]
pub struct PreparedRows {
    /// What was done to their rows.
    pub frame: RowFrame,
    /// The distinct rows, and which were not.
    pub distinct: Distinct,
    /// n
    pub samples: usize,
    /// The hash of the samples as they were given.
    pub hash: String,
}

impl PreparedRows {
    /// Bring the rows into form and merge those that no network with this activation tells apart.
    pub fn new(data: &Data, rows: RowScaling, radius: f64, activation: &Activation) -> Result<PreparedRows> {
        let frame = RowFrame::new(rows, radius, data)?;
        let distinct = frame.apply(data).distinct(activation.symmetry());
        Ok(PreparedRows { frame, distinct, samples: data.n(), hash: data.hash() })
    }
}

/// A plan that was proved again: what its execution begins with. [`DescentPlan`] shows its use.
#[derive(Clone, Debug)]
pub struct ProvedStart {
    /// W₀ and v.
    pub network: Network,
    /// The rows in form.
    pub rows: PreparedRows,
    /// What was proved.
    pub proven: Proven,
}

/// What a plan is about. [`DescentPlan`] shows its use.
pub struct PlannedStart<'a> {
    /// See [`DescentPlan`].
    pub theorem: Theorem,
    /// See [`DescentPlan`].
    pub data: &'a str,
    /// See [`DescentPlan`].
    pub rows: RowScaling,
    /// See [`DescentPlan`].
    pub radius: f64,
    /// See [`DescentPlan`].
    pub activation: &'a Activation,
    /// See [`DescentPlan`].
    pub width: usize,
    /// See [`DescentPlan`].
    pub start: Start,
    /// See [`DescentPlan`].
    pub scale: f64,
    /// See [`DescentPlan`].
    pub seed: u64,
    /// See [`DescentPlan`].
    pub both_layers: bool,
}

fn not_proved(field: &'static str, stored: impl Display, found: impl Display) -> Error {
    let (stored, found) = (stored.to_string(), found.to_string());
    problem(PlanProblem::NotProved { field, stored, found })
}

fn problem(problem: PlanProblem) -> Error {
    Error::Plan(problem)
}

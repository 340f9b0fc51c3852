//! How one run is made from its sizes and its seed.

use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::expression::Expression;
use super::grid::{Axis, GridCell, Symbol};
use super::specification::Specification;
use crate::activation::Activation;
use crate::data::Data;
use crate::data::teacher::{Design, Hidden, Outputs, Teacher};
use crate::error::{Error, Parameter, Requirement, Result, SpecificationProblem};
use crate::fleet::{Job, Precision};
use crate::linalg::{BLOCK_ROWS, Matrix, norm};
use crate::network::{Layers, Network};
use crate::optimise::Step;
use crate::random::{Purpose, Stream};
use crate::watch::Watch;

/// The planted network behind the labels. [`Labels`] shows its use.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Planted {
    /// φ of the teacher.
    #[serde(serialize_with = "as_text")]
    pub activation: Activation,
    /// Its units.
    pub width: Expression,
    /// Its hidden weights; the rank is an expression.
    #[serde(serialize_with = "hidden_name")]
    pub hidden: Hidden<Expression>,
    /// Its output weights.
    #[serde(serialize_with = "outputs_name")]
    pub outputs: Outputs,
}

/// Where the labels come from.
///
/// ```
/// use std::path::Path;
/// use shallows::lab::{Labels, Specification, StartOutputs};
///
/// let text = "trials = 2\n[grid]\nn = 20\nk = 4\nd = 2\n[teacher]\nwidth = \"k/2\"\n[student]\nactivation = \"tanh\"\n\
///             outputs = \"ones\"\n[training]\nstep = \"adaptive\"\neta = 0.1\niterations = 10\n";
/// let specification = Specification::parse(text, Path::new("mine.toml"))?;
/// let Labels::Planted(teacher) = &specification.labels else { panic!("labels are planted unless said") };
/// assert_eq!(teacher.width.at(specification.cells()[0]), 2.0);
/// assert_eq!(specification.outputs, StartOutputs::Ones);
/// assert!(specification.step.adaptive);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Labels {
    /// A planted network.
    Planted(Planted),
    /// y ~ N(0, 1), independent of the inputs.
    Random,
}

/// Output weights at the start. [`Labels`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StartOutputs {
    /// ±1 with equal probability.
    Signs,
    /// All 1.
    Ones,
    /// ±‖y‖/√(kn): as many positive as negative, and for odd k one zero \[OS, footnote 1\].
    Os,
}

/// The step of descent. [`Labels`] shows its use.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepRule {
    /// Whether it grows while the loss falls and is halved when the loss would rise.
    pub adaptive: bool,
    /// η.
    pub eta: Expression,
    /// Whether η belongs to ½Σr² rather than to (1/2n)Σr².
    pub sum: bool,
}

/// The samples of a run and what is behind them.
pub(super) struct RunProblem {
    pub data: Data,
    pub teacher: Option<Network>,
}

/// The seed of a planted network: of the specification's seed, the sizes and the number of the network, and of nothing
/// else, so that a wider grid or more trials leave it as it is. 63 bits, for SQLite's signed integers.
///
/// ```
/// use shallows::lab::{GridCell, network_seed};
///
/// let cell = GridCell { n: 100, k: 20, d: 10 };
/// assert_ne!(network_seed(1, cell, 0), network_seed(1, cell, 1));
/// ```
pub fn network_seed(seed: u64, cell: GridCell, network: usize) -> u64 {
    let mut hash = Sha256::new();
    hash.update(b"shallows sweep 1\n");
    for number in [seed, cell.n as u64, cell.k as u64, cell.d as u64, network as u64] {
        hash.update(number.to_le_bytes());
    }
    hash.finalize().iter().take(8).fold(0, |word, byte| word << 8 | u64::from(*byte)) >> 1
}

impl Specification {
    /// The samples of a planted network; nothing where the watch was over meanwhile.
    pub(super) fn problem(&self, cell: GridCell, seed: u64, watch: Watch<'_>) -> Result<Option<RunProblem>> {
        let teacher = self.teacher(cell, seed)?;
        let Some(mut data) = sampled(&teacher, cell.n, watch)? else { return Ok(None) };
        if self.labels == Labels::Random {
            let label = |i| Stream::new(seed, Purpose::Noise, i as u64).normal();
            data.y = (0..cell.n).map(label).collect();
            return Ok(Some(RunProblem { data, teacher: None }));
        }
        Ok(Some(RunProblem { data, teacher: Some(teacher.network) }))
    }

    /// The planted network and the law of its samples.
    fn teacher(&self, cell: GridCell, seed: u64) -> Result<Teacher> {
        let (activation, shape, hidden, outputs) = match &self.labels {
            Labels::Planted(planted) => {
                let whole = |expression: &Expression| expression.at(cell).round().clamp(0.0, 1e9) as usize;
                let (hidden, outputs) = (planted.hidden.with_rank(whole), planted.outputs.clone());
                (planted.activation.clone(), (whole(&planted.width), cell.d), hidden, outputs)
            }
            // Only its inputs are used.
            Labels::Random => (Activation::SQUARE, (1, cell.d), Hidden::Gaussian, Outputs::Ones),
        };
        let mut teacher = Teacher::plant(activation, shape, &hidden, &outputs, seed)?;
        teacher.noise = self.noise;
        teacher.design = self.inputs.clone();
        Ok(teacher)
    }

    /// W₀ and v₀.
    fn start(&self, cell: GridCell, y: &[f64], seed: u64, start: usize) -> Result<Network> {
        let GridCell { n, k, d } = cell;
        let scale = self.scale.at(cell);
        let stream = |part: u64| Stream::new(seed, Purpose::Start, 2 * start as u64 + part);
        let mut weights = stream(0);
        let W = Matrix::from_fn(k, d, |_, _| scale * weights.normal());
        let v = match self.outputs {
            StartOutputs::Ones => vec![1.0; k],
            StartOutputs::Signs => {
                let mut signs = stream(1);
                (0..k).map(|_| signs.sign()).collect()
            }
            StartOutputs::Os => {
                let size = norm(y) / (k as f64 * n as f64).sqrt();
                let half = k / 2;
                let weight = |j: usize| match j {
                    j if j < half => size,
                    j if j < 2 * half => -size,
                    _ => 0.0,
                };
                (0..k).map(weight).collect()
            }
        };
        Network::new(self.activation.clone(), W, v)
    }

    /// The run from one start.
    pub(super) fn job<'a>(&self, cell: GridCell, data: &'a Data, seed: u64, start: usize) -> Result<Job<'a>> {
        let eta = self.step.eta.at(cell) * if self.step.sum { cell.n as f64 } else { 1.0 };
        Ok(Job {
            data,
            start: self.start(cell, &data.y, seed, start)?,
            layers: if self.trains_outputs { Layers::Both } else { Layers::Hidden },
            precision: self.precision,
            step: if self.step.adaptive { Step::Adaptive(eta) } else { Step::Fixed(eta) },
            iterations: self.iterations,
            tolerance: self.tolerance,
            long_run: self.verdict,
        })
    }

    /// The first size of a cell whose expression gives none.
    pub(super) fn size_refusal(&self, cell: GridCell) -> Option<SpecificationProblem> {
        let listed: Vec<String> = Symbol::ALL
            .into_iter()
            .filter(|symbol| matches!(self.grid.axis(*symbol), Axis::Values(_)))
            .map(|symbol| format!("{} = {}", symbol.name(), cell.value(symbol)))
            .collect();
        Symbol::ALL.into_iter().find_map(|symbol| {
            let Axis::Derived(expression) = self.grid.axis(symbol) else { return None };
            let value = expression.at(cell);
            if (1.0..=MOST_NUMBERS as f64).contains(&value.round()) {
                return None;
            }
            let at = if listed.is_empty() { String::new() } else { format!(" at {}", listed.join(", ")) };
            let (key, expression) = (format!("grid.{}", symbol.name()), expression.to_string());
            Some(SpecificationProblem::Size { key, expression, value, at })
        })
    }

    /// The largest scale, noise and output weight: with any of them the first loss is still a finite number.
    pub(super) fn largest(&self) -> f64 {
        match self.precision {
            Precision::Double => 1e100,
            Precision::Single => 1e15,
        }
    }

    /// Why a cell cannot be trained: the key and the reason.
    pub(super) fn refusal(&self, cell: GridCell) -> Option<(&'static str, String)> {
        let GridCell { n, k, d } = cell;
        if n as u128 * (d as u128 + k as u128) + k as u128 * d as u128 > MOST_NUMBERS {
            return Some(("grid", format!("one run would hold more than {MOST_NUMBERS} numbers")));
        }
        if self.verdict && n as u128 * k as u128 * (d as u128 + 1) > MOST_NUMBERS {
            return Some(("training.verdict", format!("the verdict would hold more than {MOST_NUMBERS} numbers")));
        }
        if let Labels::Planted(planted) = &self.labels {
            let width = planted.width.at(cell).round();
            if !(width >= 1.0 && width * d as f64 <= MOST_NUMBERS as f64) {
                return Some(("teacher.width", format!("the teacher would have {width} units")));
            }
            let rank = match &planted.hidden {
                Hidden::Orthogonal => width,
                Hidden::Rank(rank) => rank.at(cell).round(),
                Hidden::Gaussian | Hidden::Spectrum(_) | Hidden::Given(_) => 1.0,
            };
            if !(rank >= 1.0 && rank <= width.min(d as f64)) {
                let reason = format!("{rank} independent rows do not fit into {width} units of {d} inputs");
                return Some(("teacher.hidden", reason));
            }
        }
        let (scale, largest) = (self.scale.at(cell), self.largest());
        if !(scale >= 0.0 && scale <= largest) {
            let reason = format!("the scale would be {}, and may be 0 to {largest:e}", short(scale));
            return Some(("student.scale", reason));
        }
        let eta = self.step.eta.at(cell);
        (!(eta > 0.0 && eta <= largest)).then(|| {
            let reason = format!("the step would be {}, and must be above 0 and at most {largest:e}", short(eta));
            ("training.eta", reason)
        })
    }
}

/// A number of any size in few characters.
pub(super) fn short(x: f64) -> String {
    let plain = x.to_string();
    if plain.len() <= 12 { plain } else { format!("{x:e}") }
}

/// Rows of a planted network that are drawn between two looks at a flag, so that few million products lie between.
/// Whole blocks of rows: then it makes no difference to any bit.
fn rows_at_once(teacher: &Network) -> usize {
    let products = teacher.inputs().saturating_mul(teacher.width() + 1);
    (PRODUCTS_AT_ONCE / products.max(1)).next_multiple_of(BLOCK_ROWS).max(BLOCK_ROWS)
}

/// The first n rows; nothing where the watch was over meanwhile.
fn sampled(teacher: &Teacher, n: usize, watch: Watch<'_>) -> Result<Option<Data>> {
    let rows = rows_at_once(&teacher.network);
    let mut parts = Vec::new();
    for start in (0..n).step_by(rows) {
        if watch.is_over() {
            return Ok(None);
        }
        parts.push(teacher.sample(start as u64..n.min(start + rows) as u64)?);
    }
    if parts.len() < 2 {
        return Ok(parts.pop());
    }
    let d = teacher.network.inputs();
    let numbers: Vec<f64> = parts.iter().flat_map(|part| part.X.as_slice()).copied().collect();
    let y = parts.iter().flat_map(|part| &part.y).copied().collect();
    let names = parts.swap_remove(0).names;
    Data::builder(Matrix::from_vec(n, d, numbers), y).names(names).build().map(Some)
}

/// Products of a few hundredths of a second.
const PRODUCTS_AT_ONCE: usize = 1 << 25;

/// Numbers that a run may hold: half a gigabyte.
const MOST_NUMBERS: u128 = 1 << 26;

/// A value that is written as its name.
pub(super) fn as_text<S: Serializer>(value: &Activation, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&value.to_string())
}

/// f32 and f64, as specifications call them.
pub(super) fn precision_name<S: Serializer>(
    precision: &Precision,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(match precision {
        Precision::Double => "f64",
        Precision::Single => "f32",
    })
}

/// gaussian and sphere, as specifications call them.
pub(super) fn design_name<S: Serializer>(design: &Design, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    match design {
        Design::Gaussian => serializer.serialize_str("gaussian"),
        Design::Sphere => serializer.serialize_str("sphere"),
        Design::Covariance(_) => Err(S::Error::custom("a specification has no covariance")),
    }
}

/// The hidden weights of a teacher, as specifications call them.
fn hidden_name<S: Serializer>(hidden: &Hidden<Expression>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    match hidden {
        Hidden::Gaussian => serializer.serialize_str("gaussian"),
        Hidden::Orthogonal => serializer.serialize_str("orthonormal"),
        Hidden::Rank(rank) => serializer.collect_map([("rank", rank)]),
        Hidden::Spectrum(_) | Hidden::Given(_) => Err(S::Error::custom("a specification has no weights")),
    }
}

/// The output weights of a teacher, as specifications call them.
fn outputs_name<S: Serializer>(outputs: &Outputs, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    match outputs {
        Outputs::Ones => serializer.serialize_str("ones"),
        Outputs::Signs => serializer.serialize_str("signs"),
        Outputs::Uniform(low, high) => serializer.collect_map([("uniform", [low, high])]),
        Outputs::Given(_) => Err(S::Error::custom("a specification has no weights")),
    }
}

/// The planted output weights of a text.
pub(super) fn planted_outputs(text: &str) -> Option<Outputs> {
    let parts: Vec<&str> = text.split(':').collect();
    match parts[..] {
        ["ones"] => Some(Outputs::Ones),
        ["signs"] => Some(Outputs::Signs),
        ["uniform", low, high] => {
            let (low, high): (f64, f64) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
            (low <= high && (high - low).is_finite()).then_some(Outputs::Uniform(low, high))
        }
        _ => None,
    }
}

/// The planted hidden weights of a text; the rank is an expression.
pub(super) fn planted_hidden(text: &str) -> Result<Hidden<Expression>> {
    match text.split_once(':') {
        None if text == "gaussian" => Ok(Hidden::Gaussian),
        None if text == "orthonormal" => Ok(Hidden::Orthogonal),
        Some(("rank", rank)) => Ok(Hidden::Rank(Expression::parse(rank)?)),
        _ => {
            let requirement = Requirement::OneOf(&["gaussian", "orthonormal", "rank:R"]);
            Err(Error::parameter(Parameter::PlantedHidden, requirement, text))
        }
    }
}

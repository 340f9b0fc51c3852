//! The laws that the targets make most likely, in two stages: first one scale for all inputs of a layer, then one for every
//! column of the table, centred on the common one.
//!
//! The numbers of evaluations are small on purpose: errors on other rows stop falling after 20 to 50 evaluations, while the
//! evidence still rises. Bounds and priors keep scales of no influence from running away.

use std::ops::Range;
use std::str::FromStr;

use super::evidence::{LogParameters, LogPrior, ParameterKind, WideEvidence};
use super::law::{LayerLaw, WideKernel};
use super::samples::RowGroups;
use crate::error::{Error, Parameter, Requirement, Result, excerpt};
use crate::optimise::{BoundedSearch, bounded_lbfgs};
use crate::random::{Split, Stream};
use crate::watch::Watch;

/// Layers that are tried together, each set with an affine part. [`WideNetwork`](super::WideNetwork) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LayerSet {
    /// Rough by input, and relu.
    RoughRelu,
    /// Rough by input, erf, and t with 5 degrees of freedom.
    RoughErf,
    /// Rough by input, rough, relu, and t with 5 degrees of freedom.
    RoughMixed,
    /// Rough by input, on ranks in place of values.
    Ranks,
    /// Quadratic alone.
    QuadraticAlone,
}

impl LayerSet {
    /// All of them.
    pub const ALL: [LayerSet; 5] =
        [LayerSet::RoughRelu, LayerSet::RoughErf, LayerSet::RoughMixed, LayerSet::Ranks, LayerSet::QuadraticAlone];
    /// Their names.
    pub(crate) const NAMES: [&'static str; 5] = {
        let [a, b, c, d, e] = LayerSet::ALL;
        [a.name(), b.name(), c.name(), d.name(), e.name()]
    };

    /// The layers besides the affine one.
    pub fn laws(self) -> Vec<LayerLaw> {
        match self {
            LayerSet::RoughRelu => vec![LayerLaw::RoughByInput, LayerLaw::Relu],
            LayerSet::RoughErf => vec![LayerLaw::RoughByInput, LayerLaw::Erf, LayerLaw::T5],
            LayerSet::RoughMixed => vec![LayerLaw::RoughByInput, LayerLaw::Rough, LayerLaw::Relu, LayerLaw::T5],
            LayerSet::Ranks => vec![LayerLaw::RoughByInput],
            LayerSet::QuadraticAlone => vec![LayerLaw::Quadratic],
        }
    }

    /// Whether inputs are replaced by their ranks.
    pub fn is_by_rank(self) -> bool {
        self == LayerSet::Ranks
    }

    /// The set of this name.
    pub fn from_name(name: &str) -> Option<LayerSet> {
        LayerSet::ALL.into_iter().find(|set| set.name() == name)
    }

    /// As in model files.
    pub const fn name(self) -> &'static str {
        match self {
            LayerSet::RoughRelu => "rough-relu",
            LayerSet::RoughErf => "rough-erf",
            LayerSet::RoughMixed => "rough-mixed",
            LayerSet::Ranks => "ranks",
            LayerSet::QuadraticAlone => "quadratic",
        }
    }
}

impl FromStr for LayerSet {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let requirement = Requirement::OneOf(&LayerSet::NAMES);
        LayerSet::from_name(name).ok_or_else(|| Error::parameter(Parameter::LayerSet, requirement, excerpt(name)))
    }
}

/// Rows of the evidence: more would cost the cube of their number. With many inputs fewer, so that a matrix and its derivatives cost
/// no more than with 40.
const MOST_ROWS: usize = 1500;
const MANY_INPUTS: usize = 40;
const FEWEST_OF_MANY: usize = 300;
/// What an entry of a kernel matrix costs besides its inputs, in inputs.
pub(crate) const OWN_WORK: usize = 8;
/// Below, the columns share their scale.
const FEWEST_ROWS_FOR_COLUMNS: usize = 40;
/// Evaluations of each stage.
const EVALUATIONS: [usize; 2] = [15, 35];

/// A stage ends where a step gains less in −ln p.
const LEAST_GAIN: f64 = 0.05;
/// No logarithm moves further in a first try of a step.
const LONGEST_STEP: f64 = 2.0;

/// Where the search starts, in logarithms.
const AFFINE_START: f64 = -2.0;
const NOISE_START: f64 = -3.0;
const FIRST_SIGNAL_START: f64 = 0.0;
const OTHER_SIGNAL_START: f64 = -0.7;

/// Spreads of the priors: of signals, affine part and biases; of a common scale; of the scale of a column.
const SPREAD: f64 = 3.0;
const COMMON_SPREAD: f64 = 1.5;
const COLUMN_SPREAD: f64 = 1.0;

/// Bounds of the logarithms.
const AFFINE_BOUNDS: [f64; 2] = [-12.0, 5.0];
const NOISE_BOUNDS: [f64; 2] = [-18.0, 1.5];
const SIGNAL_BOUNDS: [f64; 2] = [-10.0, 6.0];
/// Beyond e^2.5, β² is most of the kernel of relu, and the proof has to cope with a constant that coefficients cancel.
const BIAS_BOUNDS: [f64; 2] = [-4.0, 2.5];
/// A scale may move this far from its centre.
const SCALE_REACH: f64 = 5.0;

/// Where the search begins: prior, bounds and start of every logarithm.
struct SearchSpace {
    start: Vec<f64>,
    priors: Vec<LogPrior>,
    bounds: Vec<[f64; 2]>,
}

/// The number of rows that laws are learnt from.
pub(crate) fn rows_learnt_from(rows: usize, inputs: usize) -> usize {
    let share = (MANY_INPUTS + OWN_WORK) as f64 / (inputs + OWN_WORK) as f64;
    let most = if share < 1.0 { (MOST_ROWS as f64 * share.sqrt()) as usize } else { MOST_ROWS };
    rows.min(most.max(FEWEST_OF_MANY))
}

/// The kernel and the noise of the most likely laws of a set.
pub(super) fn learnt(
    set: LayerSet,
    rows: &RowGroups,
    columns: Vec<Range<usize>>,
    seed: u64,
    watch: Watch<'_>,
) -> (WideKernel, f64) {
    let most = rows_learnt_from(rows.len(), columns.last().map_or(0, |column| column.end));
    let subset = (rows.len() > most).then(|| {
        let mut chosen = Stream::of_split(seed, Split::Evidence).permutation(rows.len());
        chosen.truncate(most);
        chosen.sort_unstable();
        rows.select(&chosen)
    });
    let rows = subset.as_ref().unwrap_or(rows);
    let common = LogParameters { laws: set.laws(), columns, common: true };
    let theta = most_likely(&common, rows, first_space(&common), EVALUATIONS[0], watch);
    if rows.len() < FEWEST_ROWS_FOR_COLUMNS || common.columns.len() < 2 {
        return common.kernel(&theta);
    }
    let each = LogParameters { common: false, ..common.clone() };
    let space = second_space(&common, &theta, &each);
    each.kernel(&most_likely(&each, rows, space, EVALUATIONS[1], watch))
}

/// The kernel and the noise from which the search starts.
pub(super) fn starting(set: LayerSet, columns: Vec<Range<usize>>) -> (WideKernel, f64) {
    let common = LogParameters { laws: set.laws(), columns, common: true };
    common.kernel(&first_space(&common).start)
}

fn most_likely(
    parameters: &LogParameters,
    rows: &RowGroups,
    space: SearchSpace,
    evaluations: usize,
    watch: Watch<'_>,
) -> Vec<f64> {
    let evidence = WideEvidence { parameters, rows, priors: &space.priors };
    let mut evaluate = |theta: &[f64], gradient: &mut [f64]| evidence.evaluate(theta, gradient);
    let options = BoundedSearch { evaluations, least_gain: LEAST_GAIN, longest_step: LONGEST_STEP };
    bounded_lbfgs(&mut evaluate, space.start, &space.bounds, options, watch)
}

fn first_space(parameters: &LogParameters) -> SearchSpace {
    let inputs = parameters.columns.last().map_or(1, |column| column.end) as f64;
    let mut space = SearchSpace { start: vec![], priors: vec![], bounds: vec![] };
    for kind in parameters.kinds() {
        let (start, spread, bounds) = match kind {
            ParameterKind::Affine => (AFFINE_START, SPREAD, AFFINE_BOUNDS),
            ParameterKind::Noise => (NOISE_START, f64::INFINITY, NOISE_BOUNDS),
            ParameterKind::Signal(0) => (FIRST_SIGNAL_START, SPREAD, SIGNAL_BOUNDS),
            ParameterKind::Signal(_) => (OTHER_SIGNAL_START, SPREAD, SIGNAL_BOUNDS),
            ParameterKind::Bias(_) => (0.0, SPREAD, BIAS_BOUNDS),
            ParameterKind::InputScale(layer, _) => {
                // Distances grow with d where they are sums of sizes, with √d otherwise.
                let power = if parameters.laws[layer] == LayerLaw::RoughByInput { 1.0 } else { 0.5 };
                let start = power * inputs.ln();
                (start, COMMON_SPREAD, [start - SCALE_REACH, start + SCALE_REACH])
            }
        };
        space.start.push(start);
        space.priors.push(LogPrior { centre: start, spread });
        space.bounds.push(bounds);
    }
    space
}

/// The second stage starts where the first ended; only the scales have a new centre.
fn second_space(common: &LogParameters, theta: &[f64], each: &LogParameters) -> SearchSpace {
    let first = first_space(common);
    let kinds = common.kinds();
    let mut space = SearchSpace { start: vec![], priors: vec![], bounds: vec![] };
    for kind in each.kinds() {
        let (shared, is_scale) = match kind {
            ParameterKind::InputScale(layer, _) => (ParameterKind::InputScale(layer, 0), true),
            other => (other, false),
        };
        let Some(at) = kinds.iter().position(|kind| *kind == shared) else { continue };
        space.start.push(theta[at]);
        if is_scale {
            space.priors.push(LogPrior { centre: theta[at], spread: COLUMN_SPREAD });
            space.bounds.push([theta[at] - SCALE_REACH, theta[at] + SCALE_REACH]);
        } else {
            space.priors.push(first.priors[at]);
            space.bounds.push(first.bounds[at]);
        }
    }
    space
}

//! Given samples of a one-hidden-layer network with Gaussian inputs, find its weights.
//!
//! ```text
//! y = Σ v_i φ(w_i·x) + noise,   x ~ N(μ, Σ)        →        w_i, v_i
//! ```
//!
//! [`recover()`] goes through these steps; each is a file here and can be had alone.
//!
//! 1. [`Information`]: which degrees of φ carry information. Without degrees 2 and 4 nothing is tried.
//! 2. [`input_tests`]: are the inputs Gaussian? [`Whitening`]: inputs of another mean and covariance.
//! 3. [`Moments`] of degree 0, 1, 2 and 4; the [`Rank`] of the second says how many units stand out.
//! 4. A start: [`directions`] from a joint diagonalisation, sharpened on the samples; lengths, signs and output weights.
//! 5. Least squares with the true φ, to machine precision where there is no noise.
//! 6. [`Evidence`]: rows that were held out decide. What they do not support is reported as not recovered, with the
//!    [`Doubt`].
//!
//! [`designed`] has the objectives of Ge, Lee and Ma (2018) whose minima are the weights; [`align`] compares with a
//! teacher.

mod alignment;
mod attempt;
mod challenge;
mod confidence;
mod decomposition;
pub mod designed;
mod evidence;
mod frame;
mod information;
mod inputs;
mod moments;
mod output;
mod rank;
mod refinement;
mod regression;
mod start;
mod tensor;
mod units;
mod whitening;

pub use alignment::{Alignment, Pair, Undefined, align, assignment, error_of, recovery_error};
pub use confidence::RecoveredUnit;
pub use decomposition::directions;
pub use evidence::{Doubt, Evidence, Left};
pub use information::{Information, OddPart, RecoveryOutlook, Refusal, SignsFrom};
pub use inputs::{InputTests, MOST_SKEWNESS_INPUTS, Test, input_tests};
pub use moments::{Moments, fourth_moment};
pub use output::{OutputLayer, TeacherRows, from_first_moment, from_samples, from_second_moment};
pub use rank::{DRAWS, Rank, rank};
pub use refinement::normalised;
pub use regression::{Regression, feature_count};
pub use tensor::SymmetricTensor;
pub use whitening::Whitening;

use crate::activation::{Activation, Symmetry};
use crate::data::Data;
use crate::error::Result;
use crate::linalg::{Matrix, dot, norm};
use crate::network::Network;
use crate::watch::{Progress, Stage, Watch};
use attempt::StartSearch;
use frame::{FEWEST_HELD_OUT, HELD_OUT_SHARE, RecoveryFrame};
use start::StartSetting;

/// What is looked for, and how.
///
/// ```
/// use shallows::activation::Activation;
/// use shallows::data::teacher::{Hidden, Outputs, Teacher};
/// use shallows::recover::{Finding, RecoverySettings, recover};
/// use shallows::watch::Watch;
///
/// let teacher = Teacher::plant(Activation::RELU, (2, 4), &Hidden::Orthogonal, &Outputs::Ones, 1)?;
/// let data = teacher.sample(0..2000)?;
/// let recovery = recover(&data, &RecoverySettings::new(Activation::RELU), Watch::silent())?;
/// assert_eq!(recovery.finding, Finding::Recovered);
/// assert_eq!(recovery.units.len(), 2);
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecoverySettings {
    /// φ
    pub activation: Activation,
    /// The number of units, or `None` to read it off the second moments.
    pub units: Option<usize>,
    /// What is taken to be the law of the inputs.
    pub law: Law,
    /// Parts of the network besides W and v.
    pub parts: Parts,
    /// Of the held-out rows, the bootstrap and the random starts.
    pub seed: u64,
}

impl RecoverySettings {
    /// Everything is read off the samples; W and v are all there is.
    pub fn new(activation: Activation) -> Self {
        RecoverySettings { activation, units: None, law: Law::Tested, parts: Parts::default(), seed: 0 }
    }
}

/// Which parts besides W and v the network may have. [`recover`] shows its use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Hidden biases u.
    pub biases: bool,
    /// The intercept c.
    pub intercept: bool,
    /// The linear part b. Where the odd part of φ is linear it hides the signs of the units.
    pub linear: bool,
}

/// The law of the inputs. [`recover`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// N(0, I) where nothing speaks against it, else N(μ, Σ) with the mean and covariance of the rows.
    Tested,
    /// N(0, I), whatever the rows say.
    Standard,
    /// N(μ, Σ) with the mean and covariance of the rows.
    Whitened,
}

/// What a recovery came to. [`recover`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The held-out rows support the weights.
    Recovered,
    /// They do not, or there was nothing to be found.
    NotRecovered(Doubt),
    /// The activation does not allow it.
    Refused(Refusal),
}

/// What the user should know besides the finding. [`recover`] shows its use.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Warning {
    /// A test of the inputs.
    #[error("{}: the theory does not cover such inputs, and only the held-out rows support the result", .0.join(", "))]
    NotGaussian(Vec<&'static str>),
    /// The inputs were taken for N(0, I) although they are not.
    #[error("{}, but the inputs were taken as they are: have them whitened", .0.join(", "))]
    NotStandard(Vec<&'static str>),
    /// The rank test and the wish disagree.
    #[error("{wanted} units were asked for, but {seen} stand out in the second moments")]
    OtherRank {
        /// Asked for.
        wanted: usize,
        /// The rank.
        seen: usize,
    },
    /// Equal rows.
    #[error("{0} rows repeat the inputs of others and were left out")]
    RepeatedRows(usize),
    /// A free linear part, or two opposite units, which together have one.
    #[error(
        "the signs of the units are a convention: with a linear part or two opposite units, this activation makes the same function of w and −w"
    )]
    SignsHidden,
}

/// Everything that was found. [`recover`] shows its use.
#[derive(Clone, Debug)]
pub struct Recovery {
    /// Whether the weights are supported.
    pub finding: Finding,
    /// The best network found, in the units of the inputs; what the finding is about.
    pub network: Option<Network>,
    /// Its units with standard errors, the largest first; empty where there are none.
    pub units: Vec<RecoveredUnit>,
    /// Of φ.
    pub information: Information,
    /// Of the inputs; `None` where there are too few rows.
    pub tests: Option<InputTests>,
    /// Whether the inputs were whitened.
    pub whitened: bool,
    /// Of the second moments.
    pub rank: Option<Rank>,
    /// From held-out rows.
    pub evidence: Option<Evidence>,
    /// What else should be known.
    pub warnings: Vec<Warning>,
    /// Distinct rows.
    pub rows: usize,
}

/// The level at which the inputs are tested.
pub(crate) const INPUT_LEVEL: f64 = 1e-3;

/// Find the weights behind samples. Once the watch is over, the finding is [`Doubt::Interrupted`].
///
/// ```
/// use shallows::data::teacher::{Hidden, Outputs, Teacher};
/// use shallows::recover::{Finding, Law, RecoverySettings, align, recover};
/// use shallows::{Activation, Watch};
///
/// let teacher = Teacher::plant(Activation::RELU, (2, 3), &Hidden::Orthogonal, &Outputs::Ones, 1)?;
/// let settings = RecoverySettings { law: Law::Standard, units: Some(2), ..RecoverySettings::new(Activation::RELU) };
/// let recovery = recover(&teacher.sample(0..4000)?, &settings, Watch::silent())?;
/// assert_eq!(recovery.finding, Finding::Recovered);
/// let found = recovery.network.expect("what was recovered");
/// let matched = align((&found.W, &found.v), (&teacher.network.W, &teacher.network.v))?;
/// assert!(matched.pairs.iter().all(|pair| pair.angle < 1e-6));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn recover(data: &Data, settings: &RecoverySettings, watch: Watch<'_>) -> Result<Recovery> {
    let information = Information::of(&settings.activation);
    let mut recovery = Recovery {
        finding: Finding::NotRecovered(Doubt::Interrupted),
        network: None,
        units: vec![],
        tests: None,
        whitened: false,
        rank: None,
        evidence: None,
        warnings: vec![],
        rows: data.n(),
        information,
    };
    if let RecoveryOutlook::Refused(refusal) = recovery.information.outlook {
        recovery.finding = Finding::Refused(refusal);
        return Ok(recovery);
    }
    watch.report(Progress::Began(Stage::Inputs));
    data.check_fittable()?;
    let distinct = data.distinct(Symmetry::None);
    recovery.rows = distinct.firsts.len();
    if recovery.rows < data.n() {
        recovery.warnings.push(Warning::RepeatedRows(data.n() - recovery.rows));
    }
    let needed = rows_needed(data.d());
    if let Some(doubt) = impossible(settings, recovery.rows, data.d(), needed) {
        recovery.finding = Finding::NotRecovered(doubt);
        return Ok(recovery);
    }
    let whitening = look_at_inputs(&mut recovery, &data.X.select_rows(&distinct.firsts), settings.law)?;
    let frame = RecoveryFrame::new(data, &distinct.firsts, &whitening, settings.seed)?;
    look_for_units(&mut recovery, &frame, settings, watch)?;
    let Some(network) = recovery.network.take() else { return Ok(recovery) };
    finish(&mut recovery, data, &frame, network, watch)?;
    Ok(recovery)
}

/// The fewest rows that are tried: 1.25 for each polynomial of degree 2, and those to be held out.
fn rows_needed(d: usize) -> usize {
    let training = feature_count(d) * 5 / 4 + 1;
    training + FEWEST_HELD_OUT.max(training / (HELD_OUT_SHARE - 1) + 1)
}

fn impossible(settings: &RecoverySettings, rows: usize, d: usize, needed: usize) -> Option<Doubt> {
    match settings.units {
        Some(units) if units > d => Some(Doubt::TooManyUnits { units, inputs: d }),
        _ if rows < needed => Some(Doubt::FewRows { rows, inputs: d, needed }),
        _ => None,
    }
}

/// Test the inputs, choose their frame, and warn.
fn look_at_inputs(recovery: &mut Recovery, X: &Matrix, law: Law) -> Result<Whitening> {
    let tests = input_tests(X)?;
    let objections = tests.objections(INPUT_LEVEL);
    let moved = tests.mean.rejects(INPUT_LEVEL) || tests.covariance.rejects(INPUT_LEVEL);
    recovery.whitened = law == Law::Whitened || law == Law::Tested && moved;
    if moved && !recovery.whitened {
        recovery.warnings.push(Warning::NotStandard(objections));
    } else if !tests.gaussian(INPUT_LEVEL) {
        // Whitening mends the first two.
        let kept = objections.into_iter().skip(usize::from(tests.mean.rejects(INPUT_LEVEL)));
        let kept = kept.skip(usize::from(tests.covariance.rejects(INPUT_LEVEL)));
        recovery.warnings.push(Warning::NotGaussian(kept.collect()));
    }
    recovery.tests = Some(tests);
    if recovery.whitened { Whitening::of(X) } else { Ok(Whitening::identity(X.cols())) }
}

fn look_for_units(
    recovery: &mut Recovery,
    frame: &RecoveryFrame,
    settings: &RecoverySettings,
    watch: Watch<'_>,
) -> Result<()> {
    watch.report(Progress::Began(Stage::Moments));
    let y = &frame.training.y;
    let moments = Moments::of(&frame.centred, y)?;
    if watch.is_over() {
        return Ok(());
    }
    recovery.rank = rank(&frame.centred, y, &moments.regression, settings.seed);
    let seen = recovery.rank.as_ref().map_or(0, |rank| rank.rank);
    let widths = widths(settings.units, seen, frame.mean.len());
    warn_about_units(recovery, settings, seen);
    if widths.is_empty() {
        recovery.finding = Finding::NotRecovered(Doubt::NothingSeen);
    }
    if widths.is_empty() || watch.is_over() {
        return Ok(());
    }
    let centred = without_affine_part(frame, &moments);
    let setting = StartSetting {
        data: &frame.training,
        centred: &centred,
        mean: &frame.mean,
        moments: &moments,
        information: &recovery.information,
        activation: &settings.activation,
        parts: settings.parts,
        seed: settings.seed,
        watch,
    };
    let mut search = StartSearch::new(&setting, &frame.held_out, settings.units.is_none());
    search.run(&widths)?;
    recovery.finding = search.finding(&widths);
    if let Some(best) = search.best {
        recovery.evidence = Some(best.evidence);
        recovery.network = Some(best.network);
    }
    Ok(())
}

fn warn_about_units(recovery: &mut Recovery, settings: &RecoverySettings, seen: usize) {
    if let Some(wanted) = settings.units.filter(|&wanted| wanted != seen) {
        recovery.warnings.push(Warning::OtherRank { wanted, seen });
    }
    if settings.parts.linear && recovery.information.odd_part == OddPart::Linear {
        recovery.warnings.push(Warning::SignsHidden);
    }
}

/// The samples with centred inputs, and y less its affine part.
fn without_affine_part(frame: &RecoveryFrame, moments: &Moments) -> Data {
    let y = &frame.training.y;
    let (constant, linear) = (moments.regression.constant(), moments.regression.linear());
    let rest = |i: usize| y[i] - constant - dot(linear, frame.centred.row(i));
    Data { X: frame.centred.clone(), y: (0..y.len()).map(rest).collect(), ..frame.training.clone() }
}

/// The numbers of units to try, in order.
fn widths(wanted: Option<usize>, seen: usize, d: usize) -> Vec<usize> {
    match wanted {
        Some(units) => vec![units],
        // A weak unit drowns, a noise stands out now and then.
        None if seen > 0 => [seen, seen + 1, seen - 1].into_iter().filter(|m| (1..=d).contains(m)).collect(),
        None => vec![],
    }
}

/// Refit to all rows, bring the network back to the units of the inputs, and look at its units.
fn finish(
    recovery: &mut Recovery,
    data: &Data,
    frame: &RecoveryFrame,
    network: Network,
    watch: Watch<'_>,
) -> Result<()> {
    let supported = recovery.finding == Finding::Recovered;
    let network = if supported { refinement::refine(&frame.all, network, watch)? } else { network };
    let mut raw = network;
    raw.W = frame.whitening.raw_weights(&raw.W)?.0;
    if let Some(linear) = &mut raw.linear {
        let row = Matrix::from_rows(&[&linear[..]]);
        *linear = frame.whitening.raw_weights(&row)?.0.into_vec();
    }
    watch.report(Progress::Began(Stage::Errors));
    let raw = sorted(&refinement::balanced(raw));
    let interrupted = watch.is_over();
    let units = if interrupted { None } else { confidence::units(&raw, data)? };
    let exact = recovery.evidence.as_ref().is_some_and(Evidence::is_exact);
    if supported {
        let doubt = match &units {
            None if interrupted => Some(Doubt::Interrupted),
            None => Some(Doubt::Singular),
            Some(_) if exact => None,
            // That units of some size are visible was settled in the frame.
            Some(units) => evidence::doubt_about(units, 0.0),
        };
        if let Some(doubt) = doubt {
            recovery.finding = Finding::NotRecovered(doubt);
        }
    }
    recovery.units = units.unwrap_or_default();
    let hidden = recovery.warnings.contains(&Warning::SignsHidden);
    if !hidden && recovery.information.odd_part == OddPart::Linear && evidence::has_opposites(&frame.whitening, &raw) {
        recovery.warnings.push(Warning::SignsHidden);
    }
    recovery.network = Some(refinement::normalised(raw));
    Ok(())
}

/// The units in the order of |v|‖w‖, the largest first.
fn sorted(network: &Network) -> Network {
    let size = |j: usize| network.v[j].abs() * norm(network.W.row(j));
    let mut order: Vec<usize> = (0..network.width()).collect();
    order.sort_by(|&i, &j| size(j).total_cmp(&size(i)));
    network.select_units(&order)
}

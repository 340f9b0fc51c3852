//! What speaks for recovered weights: rows that were not used to find them.
//!
//! Without noise the evidence is plain: a network that reproduces the labels of rows it has never seen to ten digits is
//! the one that made them, or one that cannot be told from it there. With noise more is asked for:
//!
//! * the error on the held-out rows is that of the training rows, up to chance (4 standard deviations);
//! * the residuals hold no linear and no quadratic function of the inputs that would stand out of the noise (the bootstrap
//!   test of [`super::rank`]): a missing unit or a wrong sign would show there;
//! * there are ten rows for each weight: with fewer, a wrong network hides in what it calls noise;
//! * every unit is determined: the standard errors of its direction and its size are small; it is needed, and another one
//!   does not predict held-out rows better.
//!
//! This is evidence, not proof: no test can exclude other weights that make the same labels up to the noise.

use super::alignment::unit_rows;
use super::challenge::{residuals, weights};
use super::rank::structure;
use super::{RecoveredUnit, Whitening};
use crate::activation::Activation;
use crate::data::Data;
use crate::error::Result;
use crate::linalg::{Matrix, norm};
use crate::network::Network;

/// How well a network does on the rows it was fitted to and on others.
///
/// ```
/// use shallows::data::teacher::{Hidden, Outputs, Teacher};
/// use shallows::recover::Evidence;
///
/// let teacher = Teacher::plant("relu".parse()?, (2, 3), &Hidden::Orthogonal, &Outputs::Ones, 1)?;
/// let evidence = Evidence::of(&teacher.network, &teacher.sample(0..200)?, &teacher.sample(200..300)?, 1)?;
/// // The teacher itself reproduces its labels.
/// assert!(evidence.is_exact() && evidence.doubt().is_none());
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// ‖f − y‖/‖y − ȳ‖ on the rows it was fitted to.
    pub training_error: f64,
    /// The same on the rows held out.
    pub held_out_error: f64,
    /// The number of rows it was fitted to.
    pub rows: usize,
    /// The number of weights that were fitted.
    pub weights: usize,
    /// The number of rows held out.
    pub held_out_rows: usize,
    /// The standard deviation of the residuals, corrected for the number of weights.
    pub noise: f64,
    /// (held-out mean square − noise²) in standard deviations of what chance makes of it.
    pub excess: f64,
    /// About the size |v|‖w‖ below which a unit that is far from the others would not be seen in this noise: where its part
    /// of degree two and more is worth no more than its weights (Schwarz's criterion). 0 without noise.
    pub unseen: f64,
    /// What is left in the residuals; `None` where the labels are reproduced exactly.
    pub left: Option<Left>,
}

/// Linear and quadratic functions in the residuals, as shares of the largest that random signs made of noise: above 1
/// they stand out. [`Evidence`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    /// Of linear functions.
    pub linear: f64,
    /// Of quadratic functions.
    pub quadratic: f64,
}

/// Why weights were not recovered. [`Evidence`] shows its use.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Doubt {
    /// The labels of held-out rows are missed by more than those of training rows.
    #[error(
        "the error on held-out rows ({held_out:.2e} of the spread of y) is larger than on the others ({training:.2e}): the weights fit the rows, not the function"
    )]
    Overfitted {
        /// On training rows.
        training: f64,
        /// On held-out rows.
        held_out: f64,
    },
    /// Too few rows to tell noise from a wrong network.
    #[error(
        "the labels are not reproduced exactly, and {rows} rows are too few to tell noise from a wrong network with {weights} weights: give at least {ROWS_PER_WEIGHT} for each"
    )]
    FewRowsForNoise {
        /// Used for fitting.
        rows: usize,
        /// Fitted.
        weights: usize,
    },
    /// A linear or quadratic function stands out of the residuals.
    #[error(
        "what the network leaves unexplained ({share:.2e} of the spread of y) is not noise: it holds a {kind} function of the inputs"
    )]
    Structure {
        /// Linear or quadratic.
        kind: &'static str,
        /// ‖f − y‖/‖y − ȳ‖ on held-out rows.
        share: f64,
    },
    /// The noise leaves a unit undetermined.
    #[error("unit {unit} is not determined by these rows: its direction has a standard error of {degrees:.0} degrees")]
    Direction {
        /// Counted from 1.
        unit: usize,
        /// Standard error of the direction.
        degrees: f64,
    },
    /// The noise leaves the size of a unit undetermined.
    #[error("unit {unit} is not determined by these rows: its size is {size:.2e} ± {error:.1e}")]
    Size {
        /// Counted from 1.
        unit: usize,
        /// Output weight times length.
        size: f64,
        /// Its standard error.
        error: f64,
    },
    /// The standard errors could not be computed.
    #[error("the weights are not determined by these rows: the equations for their standard errors are singular")]
    Singular,
    /// Another unit predicts better.
    #[error(
        "a network with one unit more fits better than chance allows ({deviations:.1} standard deviations on held-out rows, {gain:.1} in Schwarz's criterion): what is left is not noise"
    )]
    AnotherUnit {
        /// By which the mean square error on held-out rows is smaller.
        deviations: f64,
        /// Positive where the larger network is preferred.
        gain: f64,
    },
    /// The noise hides units.
    #[error(
        "the noise is too strong for so few rows: a unit of size {unseen:.1e} would not be seen beside one of {largest:.1e}"
    )]
    Blind {
        /// The size of a unit that would not be seen.
        unseen: f64,
        /// The size of the largest unit.
        largest: f64,
    },
    /// A unit that is not needed.
    #[error("a network without unit {unit} fits as well, for the number of its weights: ask for fewer units")]
    Superfluous {
        /// Counted from 1.
        unit: usize,
    },
    /// A unit without effect.
    #[error("unit {unit} has no effect on the labels: ask for fewer units")]
    Idle {
        /// Counted from 1.
        unit: usize,
    },
    /// Two units in one direction.
    #[error("units {first} and {second} coincide: only their sum is determined; ask for fewer units")]
    Coincidence {
        /// Counted from 1.
        first: usize,
        /// Counted from 1.
        second: usize,
    },
    /// Too few rows.
    #[error("{rows} rows are too few: {inputs} inputs need at least {needed}, and better several times as many")]
    FewRows {
        /// There are.
        rows: usize,
        /// d.
        inputs: usize,
        /// The fewest that are tried.
        needed: usize,
    },
    /// No eigenvalue of the second moments stands out.
    #[error("no unit stands out from the noise in the second moments: more rows are needed, or there are no units")]
    NothingSeen,
    /// More units than inputs.
    #[error("{units} units on {inputs} inputs are too many to tell apart: at most {inputs}")]
    TooManyUnits {
        /// Asked for.
        units: usize,
        /// d.
        inputs: usize,
    },
    /// No start could be made.
    #[error("the moments of degree 2 and 4 do not hold {units} independent directions")]
    NoStart {
        /// Looked for.
        units: usize,
    },
    /// Stopped before the end.
    #[error("interrupted before weights were found")]
    Interrupted,
}

/// Labels are reproduced exactly below this relative error; rounding leaves about 10⁻¹⁵, and noise cannot be that small.
const EXACT: f64 = 1e-9;
/// Hermite degrees that make up a mean square to a per cent.
const DEGREES: usize = 64;
/// Rows for each weight without which what is left is not taken for noise.
const ROWS_PER_WEIGHT: usize = 10;
/// Standard deviations that chance is given.
const CHANCE: f64 = 4.0;
/// The largest standard error of a direction, in radians, and of a size, as a share of it.
const DIRECTION: f64 = 0.15;
const SIZE: f64 = 0.2;
/// Units of this share of the largest must be visible.
const BLIND: f64 = 0.3;

impl Doubt {
    /// The unit, from 0, without which the doubt might not be.
    pub(super) fn unit(&self) -> Option<usize> {
        match self {
            Doubt::Direction { unit, .. }
            | Doubt::Size { unit, .. }
            | Doubt::Idle { unit }
            | Doubt::Superfluous { unit } => Some(unit - 1),
            Doubt::Coincidence { second, .. } => Some(second - 1),
            _ => None,
        }
    }
}

impl Evidence {
    /// Look at a network that was fitted to `training`.
    pub fn of(network: &Network, training: &Data, held_out: &Data, seed: u64) -> Result<Self> {
        let parameters = weights(network);
        let here = residuals(network, training)?;
        let there = residuals(network, held_out)?;
        let freedom = training.n().saturating_sub(parameters).max(1) as f64;
        let variance = here.iter().map(|r| r * r).sum::<f64>() / freedom;
        let (rows, square) = (there.len() as f64, there.iter().map(|r| r * r).sum::<f64>());
        let mean = square / rows;
        let spread = (there.iter().map(|r| (r * r - mean).powi(2)).sum::<f64>() / (rows * rows)).sqrt();
        let per_unit = parameters as f64 / network.width().max(1) as f64;
        let rows_here = training.n() as f64;
        let [constant, first] = [0, 1].map(|degree| network.activation.hermite(2)[degree]);
        let curved = mean_square(&network.activation) - constant * constant - first * first;
        let mut evidence = Evidence {
            unseen: (variance * per_unit * rows_here.ln() / (rows_here * curved)).sqrt(),
            training_error: norm(&here) / deviation(&training.y),
            held_out_error: norm(&there) / deviation(&held_out.y),
            rows: training.n(),
            weights: parameters,
            held_out_rows: held_out.n(),
            noise: variance.sqrt(),
            // The variance on the training rows is itself an estimate.
            excess: (mean - variance) / spread.hypot(variance * (2.0 / freedom).sqrt()),
            left: None,
        };
        if evidence.is_exact() {
            evidence.unseen = 0.0;
        } else {
            evidence.left = Some(structure(&training.X, &here, seed)?);
        }
        Ok(evidence)
    }

    /// Whether the labels of rows never seen are reproduced up to rounding.
    pub fn is_exact(&self) -> bool {
        self.held_out_error <= EXACT && self.training_error <= EXACT
    }

    /// What speaks against the network, before its units are looked at.
    pub fn doubt(&self) -> Option<Doubt> {
        if self.is_exact() {
            return None;
        }
        let Some(left) = self.left else { return Some(Doubt::Singular) };
        let Evidence { rows, weights, .. } = *self;
        let share = self.held_out_error;
        // Written so that NaN is a doubt.
        if !(left.linear <= 1.0) {
            return Some(Doubt::Structure { kind: "linear", share });
        }
        if !(left.quadratic <= 1.0) {
            return Some(Doubt::Structure { kind: "quadratic", share });
        }
        if !(self.excess <= CHANCE) {
            return Some(Doubt::Overfitted { training: self.training_error, held_out: share });
        }
        (rows < ROWS_PER_WEIGHT * weights).then_some(Doubt::FewRowsForNoise { rows, weights })
    }
}

/// A unit smaller than this share of the largest has no effect that could be told from rounding.
const IDLE: f64 = 1e-7;

/// A unit without effect.
pub(super) fn idle(network: &Network) -> Option<Doubt> {
    let size = |j: usize| network.v[j].abs() * norm(network.W.row(j));
    let largest = (0..network.width()).map(size).fold(0.0, f64::max);
    (0..network.width()).find(|&j| !(size(j) > IDLE * largest)).map(|j| Doubt::Idle { unit: j + 1 })
}

/// What speaks against the units themselves: with noise, each must be determined.
pub(super) fn doubt_about(units: &[RecoveredUnit], unseen: f64) -> Option<Doubt> {
    let largest = units.iter().map(|unit| (unit.output * unit.norm).abs()).fold(0.0, f64::max);
    if !(unseen <= BLIND * largest) {
        return Some(Doubt::Blind { unseen, largest });
    }
    units.iter().enumerate().find_map(|(i, unit)| {
        let size = unit.output * unit.norm;
        let relative = (unit.output_error / unit.output).hypot(unit.norm_error / unit.norm);
        if !(unit.direction_error <= DIRECTION) {
            let degrees = unit.direction_error.to_degrees();
            return Some(Doubt::Direction { unit: i + 1, degrees });
        }
        (!(relative <= SIZE)).then(|| Doubt::Size { unit: i + 1, size, error: (relative * size).abs() })
    })
}

/// Directions closer than this, in radians, are one.
const SAME_DIRECTION: f64 = 1e-4;

/// Two units of one direction; the inputs have covariance I.
pub(super) fn coincidence(network: &Network) -> Option<Doubt> {
    let pair = closest_pair(&network.W, 1.0).filter(|(apart, ..)| !(*apart > SAME_DIRECTION));
    pair.map(|(_, first, second)| Doubt::Coincidence { first: first + 1, second: second + 1 })
}

/// Whether two units are opposite, or so nearly that together they may pass for a linear function.
pub(super) fn has_opposites(whitening: &Whitening, network: &Network) -> bool {
    let Ok((B, _)) = whitening.whitened_weights(&network.W) else { return false };
    closest_pair(&B, -1.0).is_some_and(|(apart, ..)| apart < DIRECTION)
}

/// The smallest ‖b_i − s·b_j‖ of the directions of two rows, and the rows.
fn closest_pair(B: &Matrix, sign: f64) -> Option<(f64, usize, usize)> {
    let units = unit_rows(B);
    let pairs = (0..B.rows()).flat_map(|i| (0..i).map(move |j| (j, i)));
    let apart = |(j, i): (usize, usize)| {
        let difference: Vec<f64> = units.row(i).iter().zip(units.row(j)).map(|(a, b)| a - sign * b).collect();
        (norm(&difference), j, i)
    };
    pairs.map(apart).min_by(|a, b| a.0.total_cmp(&b.0))
}

/// E φ(g)², as the sum of squared Hermite coefficients.
fn mean_square(activation: &Activation) -> f64 {
    activation.hermite(DEGREES).iter().map(|c| c * c).sum()
}

/// ‖y − ȳ‖
fn deviation(y: &[f64]) -> f64 {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    norm(&y.iter().map(|y| y - mean).collect::<Vec<f64>>())
}

//! How much work goes into an automatic fit.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::covariance::Layer;
use super::evidence::Pace;
use crate::activation::{Activation, Kinked, Smooth};
use crate::error::{Error, Parameter, Requirement};

/// How much time an automatic fit may take: about 1 : 5 : 15. [`Combination`](crate::fit::Combination) shows its use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// One wide layer and one small committee.
    Quick,
    /// All candidates.
    #[default]
    Normal,
    /// All candidates with larger committees.
    Best,
}

impl Effort {
    const NAMES: [(&str, Effort); 3] = [("quick", Effort::Quick), ("normal", Effort::Normal), ("best", Effort::Best)];
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Effort::NAMES.iter().find(|(_, effort)| effort == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl FromStr for Effort {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let known = Effort::NAMES.iter().find(|(name, _)| *name == text).map(|(_, effort)| *effort);
        known.ok_or_else(|| Error::parameter(Parameter::Effort, Requirement::OneOf(&["quick", "normal", "best"]), text))
    }
}

/// What is trained.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Learner {
    Affine,
    Wide {
        layer: Layer,
        /// All inputs have the same scale.
        common: bool,
    },
    /// By Levenberg–Marquardt with evidence.
    Evidence {
        activation: Smooth,
        pace: Pace,
    },
    /// By L-BFGS with this decay.
    Relu {
        decay: f64,
    },
}

impl Learner {
    pub(super) fn activation(&self) -> Activation {
        match self {
            Learner::Affine => Activation::SQUARE,
            Learner::Wide { layer, .. } => layer.activation(),
            Learner::Evidence { activation, .. } => Activation::Smooth(activation.clone()),
            Learner::Relu { .. } => Activation::Kinked(Kinked::Relu),
        }
    }

    /// Whether its networks are averaged.
    pub(super) fn is_committee(&self) -> bool {
        matches!(self, Learner::Evidence { .. } | Learner::Relu { .. })
    }

    /// In words.
    pub(super) fn name(&self, workload: &Workload) -> String {
        match self {
            Learner::Affine => "affine".into(),
            Learner::Wide { layer, common } => {
                let scale = if *common { ", one scale" } else { "" };
                format!("{} random {} units{scale}", workload.wide_units, layer.activation())
            }
            Learner::Evidence { pace, .. } => {
                let slowly = if *pace == Pace::Patient { ", patient" } else { "" };
                format!("committee of {}×{}{slowly}", workload.evidence_units, self.activation())
            }
            Learner::Relu { decay } => format!("committee of {}×relu, decay {decay:e}", workload.relu_units),
        }
    }
}

/// The sizes of everything, from the size of the table and the effort alone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Workload {
    pub effort: Effort,
    rows: usize,
    inputs: usize,
    pub folds: usize,
    /// Rows that candidates are compared on.
    pub compared_rows: usize,
    /// Rows that the scales of wide layers are learnt from.
    pub scale_rows: usize,
    pub scale_iterations: usize,
    /// Units of a wide layer, on part of the rows and on all of them.
    pub fold_units: usize,
    pub wide_units: usize,
    pub wide_rows: usize,
    pub evidence_units: usize,
    pub evidence_rows: usize,
    pub evidence_iterations: usize,
    pub relu_units: usize,
    pub relu_rows: usize,
    pub relu_iterations: usize,
}

/// Up to so many rows a wide layer solves a system with a row for each of them, beyond with one for each unit.
pub(in crate::fit) const FEW_ROWS: usize = 2500;
/// Choosing by cross-validation is not safe with fewer.
const SAFE_ROWS: usize = 40;
/// A step of Levenberg–Marquardt costs P³ for P parameters; with more than this, other candidates do more for the time.
const MOST_PARAMETERS: usize = 700;
/// Multiply-adds that a step of Levenberg–Marquardt, and an evaluation of a relu network, may take.
const MOST_STEP_WORK: usize = 4_000_000_000;
const MOST_GRADIENT_WORK: usize = 50_000_000;
/// Hidden weights of a wide layer at most, …
const MOST_WIDE_NUMBERS: usize = 4_000_000;
/// … and units at least, for it to behave like a wide one.
const FEWEST_WIDE_UNITS: usize = 400;
/// Multiply-adds of one pass over the data, and inputs, up to which the path of quadratic networks takes minutes.
const MOST_PASS_WORK: usize = 3_000_000_000;
const MOST_QUADRATIC_INPUTS: usize = 600;

impl Workload {
    /// The plan for this effort, or for the next lower ones where there is not the time for it.
    pub(super) fn within(n: usize, d: usize, effort: Effort, time: Option<Duration>) -> Self {
        let workload = Workload::for_table(n, d, effort);
        let lower = match effort {
            Effort::Best => Some(Effort::Normal),
            Effort::Normal => Some(Effort::Quick),
            Effort::Quick => None,
        };
        match (lower, time) {
            (Some(lower), Some(time)) if workload.seconds() > time.as_secs_f64() => {
                Workload::within(n, d, lower, Some(time))
            }
            _ => workload,
        }
    }

    /// About how long it takes, from what the pieces took on one core of a server of 2024 (AMD EPYC, 4 GHz).
    fn seconds(&self) -> f64 {
        /// For an evaluation of the evidence of scales per cubed row, for a wide layer per multiply-add, for a step of
        /// Levenberg–Marquardt per multiply-add, for a gradient of a relu network per weight and row.
        const EVALUATION: f64 = 1.1e-10;
        const WIDE: f64 = 4.5e-11;
        const STEP: f64 = 5.3e-11;
        const GRADIENT: f64 = 5.5e-10;
        let rows = self.rows.min(self.compared_rows) as f64;
        let at_most = |most: usize| rows.min(most as f64);
        let parameters = (self.evidence_units * (self.inputs + 2) + self.inputs + 1) as f64;
        let work_of_run = |learner: &Learner| match learner {
            Learner::Affine => 0.0,
            Learner::Wide { .. } => {
                let (wide, units) = (at_most(self.wide_rows), self.wide_units as f64);
                EVALUATION * self.scale_iterations as f64 * at_most(self.scale_rows).powi(3)
                    + WIDE * wide * units * wide.min(units)
            }
            Learner::Evidence { pace, .. } => {
                let step = at_most(self.evidence_rows) * parameters.powi(2) + parameters.powi(3);
                STEP * self.evidence_steps(*pace) as f64 * step
            }
            Learner::Relu { .. } => {
                let weights = (self.relu_units * self.inputs) as f64;
                GRADIENT * self.relu_iterations as f64 * at_most(self.relu_rows) * weights
            }
        };
        let runs = |learner: &Learner| (self.folds * self.repeats(learner) + self.refits(learner)) as f64;
        let work: f64 = self.learners().iter().map(|learner| runs(learner) * work_of_run(learner)).sum();
        work / rayon::current_num_threads() as f64
    }

    fn for_table(n: usize, d: usize, effort: Effort) -> Self {
        let few = n < FEW_ROWS;
        // About three rows for every two parameters.
        let units = if few { (n * 2 / (3 * (d + 2))).clamp(6, 40) } else { 50 };
        let evidence_units = units.min((MOST_PARAMETERS - (d + 1).min(MOST_PARAMETERS)) / (d + 2));
        let parameters = evidence_units * (d + 2) + d + 1;
        let relu_units = (n / 4).clamp(50, 200);
        let most_units = MOST_WIDE_NUMBERS / d;
        Workload {
            effort,
            rows: n,
            inputs: d,
            folds: match (few, effort) {
                (true, Effort::Best) => 10,
                (true, _) => 5,
                (false, _) => 3,
            },
            compared_rows: 30_000,
            scale_rows: if effort == Effort::Quick { 500 } else { 1000 },
            scale_iterations: if effort == Effort::Quick { 15 } else { 25 },
            fold_units: if few { 6000 } else { 1500 }.min(most_units),
            wide_units: match (few, effort) {
                (true, Effort::Quick) => 3000,
                (true, Effort::Normal) => 6000,
                (true, Effort::Best) => 12_000,
                (false, _) => 2000,
            }
            .min(most_units),
            wide_rows: 20_000,
            evidence_units,
            evidence_rows: (MOST_STEP_WORK / parameters.pow(2)).max(1000),
            evidence_iterations: if n > 10_000 { 40 } else { 70 },
            relu_units,
            relu_rows: (MOST_GRADIENT_WORK / (relu_units * d)).max(1000),
            relu_iterations: 700,
        }
    }

    /// Whether the weights of the combination can be chosen by cross-validation.
    pub(super) fn is_stacked(&self) -> bool {
        self.rows >= SAFE_ROWS
    }

    /// Whether a path of quadratic networks can be afforded.
    pub(super) fn quadratic_is_possible(&self) -> bool {
        let pass = self.rows.min(self.compared_rows).saturating_mul(self.inputs.saturating_pow(2));
        self.inputs <= MOST_QUADRATIC_INPUTS && pass <= MOST_PASS_WORK
    }

    /// The candidates besides the quadratic network; the affine model is the first.
    pub(super) fn learners(&self) -> Vec<Learner> {
        /// From here on the scales of single inputs can be told from so few rows.
        const ROWS_FOR_SCALES: usize = 20;
        let wide = |layer, common| (self.wide_units >= FEWEST_WIDE_UNITS).then_some(Learner::Wide { layer, common });
        let mut learners = vec![Learner::Affine];
        if !self.is_stacked() {
            learners.extend(wide(Layer::Relu, true));
            learners.extend(wide(Layer::Relu, false).filter(|_| self.rows >= ROWS_FOR_SCALES));
            return learners;
        }
        learners.extend(wide(Layer::Relu, false));
        let evidence = self.evidence_units >= 3;
        let committee = |activation, pace| evidence.then_some(Learner::Evidence { activation, pace });
        learners.extend(committee(Smooth::Tanh, Pace::Brisk));
        if self.effort != Effort::Quick {
            let decays: &[f64] =
                if self.effort == Effort::Best { &[3e-4, 1e-5, 1e-4, 1e-3] } else { &[3e-4, 1e-5, 1e-4] };
            learners.extend(decays.iter().map(|&decay| Learner::Relu { decay }));
            learners.extend(wide(Layer::Cosine, false));
            learners.extend(committee(Smooth::Softplus { sharpness: 1.0 }, Pace::Brisk));
        }
        if self.effort == Effort::Best {
            learners.extend(committee(Smooth::Tanh, Pace::Patient));
        }
        learners
    }

    /// Steps of Levenberg–Marquardt.
    pub(super) fn evidence_steps(&self, pace: Pace) -> usize {
        match pace {
            Pace::Brisk => self.evidence_iterations,
            Pace::Patient => 2 * self.evidence_iterations,
        }
    }

    /// Trainings per fold.
    pub(super) fn repeats(&self, learner: &Learner) -> usize {
        match (learner, self.effort) {
            (Learner::Evidence { activation: Smooth::Tanh, .. } | Learner::Relu { .. }, Effort::Normal) => 2,
            (learner, Effort::Best) if learner.is_committee() => 2,
            _ => 1,
        }
    }

    /// Trainings on all rows.
    pub(super) fn refits(&self, learner: &Learner) -> usize {
        match (learner.is_committee(), self.effort) {
            (false, _) => 1,
            (true, Effort::Quick) => 2,
            (true, Effort::Normal) => 6,
            (true, Effort::Best) => 20,
        }
    }
}

//! What is taken: the combination, or a simpler model that is as good within the noise; among these the affine function comes
//! first, then the quadratic network, then one infinitely wide network, about which as much is proved.
//!
//! The combination is ahead of a simpler model by a number of standard errors of the mean difference of squared errors on rows left
//! out. Where one row dominates the squares, that number would tend to 1 however much better the combination is on every other
//! row. So no difference counts more than the largest one of the other 98 % of the rows ([`Lead`]): a row, or two of a
//! hundred, cannot decide in either direction, and units do not matter. The weights of the combination are those of the
//! least squares of all rows, whole: a candidate that is far off on some rows gets little weight.
//!
//! | preferred | taken |
//! |---|---|
//! | balanced | the affine function or the quadratic network, the first that the combination is not clearly ahead of; then the best of all single models, unless the combination is far ahead of it |
//! | accuracy | the one of the least error on rows left out |
//! | proof | of the quadratic and the infinitely wide network the one of the least error |

use super::compare::Candidate;
use super::preference::Preference;
use super::stack::{self, Lead};
use super::wide::{self, WideCandidate};
use super::workload::{Effort, Learner, Workload};
use crate::linalg::{self, Matrix};

/// Standard errors by which the combination must be ahead of the affine model and of the quadratic network. More would keep the
/// affine model of many a table on whose other rows it is worse.
const AHEAD: f64 = 1.0;
/// Standard errors by which it must be ahead of the best single model, the infinitely wide networks with their proofs among them; any
/// lead will do where time is no object: the members of the combination keep their proofs.
const FAR_AHEAD: f64 = 2.0;
const AHEAD_AT_ALL: f64 = f64::MIN_POSITIVE;
/// Errors below this share of the spread of the target are rounding: nothing is ahead of them.
pub(super) const ROUNDING: f64 = 1e-6;
/// Candidates below this weight are left out.
const LEAST_WEIGHT: f64 = 0.01;

/// What the automatic fit took. [`Combination`](crate::fit::Combination) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The affine model.
    Affine,
    /// The quadratic network.
    Quadratic,
    /// One infinitely wide network.
    Wide,
    /// The combination.
    Combined,
}

impl Outcome {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Affine => "affine",
            Outcome::Quadratic => "quadratic",
            Outcome::Wide => "wide",
            Outcome::Combined => "combined",
        }
    }
}

/// What learner of function a contender is. [`Combination`](crate::fit::Combination) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The affine model.
    Affine,
    /// An infinitely wide network.
    Wide,
    /// A committee of trained networks.
    Committee,
    /// The quadratic network.
    Quadratic,
    /// The combination of the others.
    Combination,
}

/// One candidate and what came of it. [`Combination`](crate::fit::Combination) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// What learner of function it is.
    pub family: Family,
    /// What it is, in words.
    pub name: String,
    /// Its out-of-fold RMSE, in the units of the target.
    pub rmse: f64,
    /// Its share in the combination; none for the combination itself.
    pub weight: Option<f64>,
}

/// The residuals of all candidates on rows left out, the quadratic network last where there is one.
pub(super) struct CandidateComparison<'a> {
    candidates: &'a [Candidate],
    wide: &'a [WideCandidate],
    workload: &'a Workload,
    omega: &'a [f64],
    /// The deviation of the target.
    spread: f64,
    residuals: Vec<Vec<f64>>,
    quadratic: Option<QuadraticResiduals<'a>>,
    prefer: Preference,
}

/// Of the quadratic network, on rows left out.
#[derive(Clone, Copy)]
pub(super) struct QuadraticResiduals<'a> {
    pub residuals: &'a [f64],
    /// Whether the network on all rows is at its optimum.
    pub is_complete: bool,
}

/// The models that may be taken in place of the combination: their places, and how far it is ahead of them.
struct SimplerModels {
    affine: Option<(usize, Lead)>,
    quadratic: Option<(usize, Lead)>,
    /// The best one.
    wide: Option<(usize, Lead)>,
}

impl SimplerModels {
    /// From the simplest on.
    fn leads(&self) -> impl Iterator<Item = (Outcome, usize, Lead)> {
        let models = [(Outcome::Affine, self.affine), (Outcome::Quadratic, self.quadratic), (Outcome::Wide, self.wide)];
        models.into_iter().filter_map(|(outcome, model)| model.map(|(at, lead)| (outcome, at, lead)))
    }

    fn all(&self) -> impl Iterator<Item = (Outcome, usize)> {
        self.leads().map(|(outcome, at, _)| (outcome, at))
    }
}

/// The weights of the candidates, and what follows from them.
pub(super) struct Decision {
    pub weights: Vec<f64>,
    pub contenders: Vec<Contender>,
    pub ahead_of_affine: Option<Lead>,
    pub ahead_of_quadratic: Option<Lead>,
    /// Over the best infinitely wide network.
    pub ahead_of_wide: Option<Lead>,
    /// The place of that network among the wide candidates.
    pub best_wide: Option<usize>,
    rmse: f64,
    pub outcome: Outcome,
}

impl Decision {
    /// The out-of-fold RMSE of what was taken.
    pub(super) fn rmse(&self) -> f64 {
        self.rmse
    }
}

impl<'a> CandidateComparison<'a> {
    pub(super) fn new(
        candidates: &'a [Candidate],
        wide: &'a [WideCandidate],
        quadratic: Option<QuadraticResiduals<'a>>,
        (workload, prefer): (&'a Workload, Preference),
        (omega, spread): (&'a [f64], f64),
    ) -> Self {
        let mut residuals: Vec<Vec<f64>> = candidates.iter().map(Candidate::mean_residuals).collect();
        residuals.extend(wide.iter().map(|candidate| candidate.residuals.clone()));
        residuals.extend(quadratic.map(|quadratic| quadratic.residuals.to_vec()));
        CandidateComparison { candidates, wide, workload, omega, spread, residuals, quadratic, prefer }
    }

    /// The number of candidates.
    pub(super) fn len(&self) -> usize {
        self.residuals.len()
    }

    /// The place of the affine model among them.
    pub(super) fn affine(&self) -> Option<usize> {
        self.candidates.iter().position(|candidate| candidate.learner == Learner::Affine)
    }

    /// The place of the quadratic network among them.
    pub(super) fn quadratic(&self) -> Option<usize> {
        self.quadratic.map(|_| self.candidates.len() + self.wide.len())
    }

    /// The out-of-fold RMSE of a candidate.
    pub(super) fn rmse(&self, at: usize) -> f64 {
        self.rmse_of(&self.residuals[at])
    }

    fn rmse_of(&self, residuals: &[f64]) -> f64 {
        stack::moment(self.omega, residuals, residuals).sqrt()
    }

    /// In words.
    pub(super) fn name(&self, at: usize) -> String {
        match (self.candidates.get(at), self.wide_place(at)) {
            (Some(candidate), _) => candidate.learner.name(self.workload),
            (None, Some(place)) => wide::name(&self.wide[place].network),
            (None, None) => "quadratic network".into(),
        }
    }

    fn family(&self, at: usize) -> Family {
        match self.candidates.get(at).map(|candidate| &candidate.learner) {
            Some(Learner::Affine) => Family::Affine,
            Some(Learner::Evidence { .. } | Learner::Relu { .. }) => Family::Committee,
            None if self.wide_place(at).is_some() => Family::Wide,
            None => Family::Quadratic,
        }
    }

    /// The place of a candidate among the wide ones.
    pub(super) fn wide_place(&self, at: usize) -> Option<usize> {
        at.checked_sub(self.candidates.len()).filter(|place| *place < self.wide.len())
    }

    /// The wide candidate of the least error.
    fn best_wide(&self, allowed: &[bool]) -> Option<usize> {
        let wide = (0..self.len()).filter(|&at| allowed[at] && self.wide_place(at).is_some());
        wide.min_by(|&a, &b| self.rmse(a).total_cmp(&self.rmse(b)))
    }

    /// Decide among the candidates that are allowed, at least one.
    pub(super) fn decision(&self, allowed: &[bool]) -> Decision {
        let weights = self.weights(allowed);
        let mut combined = vec![0.0; self.omega.len()];
        weights.iter().zip(&self.residuals).for_each(|(w, r)| linalg::add_scaled(&mut combined, *w, r));
        let lead = |at: usize| Lead::over(&self.residuals[at], &combined, self.omega);
        let best_wide = self.best_wide(allowed);
        let quadratic = self.quadratic().filter(|&at| allowed[at]);
        let simpler = SimplerModels {
            affine: self.affine().map(|at| (at, lead(at))),
            quadratic: quadratic.map(|at| (at, lead(at))),
            wide: best_wide.map(|at| (at, lead(at))),
        };
        let (outcome, taken) = self.taken(&simpler, self.rmse_of(&combined));
        let [ahead_of_affine, ahead_of_quadratic, ahead_of_wide] =
            [simpler.affine, simpler.quadratic, simpler.wide].map(|model| model.map(|(_, lead)| lead));
        let rmse = taken.map_or_else(|| self.rmse_of(&combined), |at| self.rmse(at));
        let best_wide = best_wide.and_then(|at| self.wide_place(at));
        let contender = |at: usize| Contender {
            family: self.family(at),
            name: self.name(at),
            rmse: self.rmse(at),
            weight: Some(weights[at]),
        };
        let combination = Contender {
            family: Family::Combination,
            name: "combination".into(),
            rmse: self.rmse_of(&combined),
            weight: None,
        };
        let contenders = (0..self.len()).map(contender).chain([combination]).collect();
        Decision { weights, contenders, ahead_of_affine, ahead_of_quadratic, ahead_of_wide, best_wide, rmse, outcome }
    }

    /// What is taken, and its place unless that is the combination.
    fn taken(&self, simpler: &SimplerModels, combined: f64) -> (Outcome, Option<usize>) {
        let preferred = match self.prefer {
            Preference::Balanced => None,
            Preference::Accuracy => Some(self.best_of(simpler.all(), Some(combined))),
            Preference::Proof => {
                let provable = simpler.all().filter(|(outcome, at)| match outcome {
                    Outcome::Quadratic => self.quadratic.is_some_and(|quadratic| quadratic.is_complete),
                    other => *other == Outcome::Wide && self.wide_place(*at).is_some(),
                });
                Some(self.best_of(provable, None))
            }
        };
        // Where nothing can be proved, the usual rule.
        preferred.flatten().unwrap_or_else(|| self.balanced(simpler))
    }

    /// The model of the least error, the combination where it is below that; `None` without any.
    fn best_of(
        &self,
        models: impl Iterator<Item = (Outcome, usize)>,
        combined: Option<f64>,
    ) -> Option<(Outcome, Option<usize>)> {
        let best = models.map(|(outcome, at)| (outcome, Some(at), self.rmse(at)));
        let combined = combined.map(|rmse| (Outcome::Combined, None, rmse));
        let least = best.chain(combined).reduce(|a, b| if b.2 < a.2 { b } else { a });
        least.map(|(outcome, at, _)| (outcome, at))
    }

    /// The affine model or the quadratic network, if the combination is not clearly ahead of it; then the best single model, if the
    /// combination is not far ahead of that; else the combination.
    fn balanced(&self, simpler: &SimplerModels) -> (Outcome, Option<usize>) {
        let is_kept = |at: usize, lead: Lead, enough: f64| {
            self.rmse(at) <= ROUNDING * self.spread || !(lead.standard_errors >= enough)
        };
        let mut simplest = simpler.leads().filter(|(outcome, ..)| *outcome != Outcome::Wide);
        if let Some((outcome, at, _)) = simplest.find(|&(_, at, lead)| is_kept(at, lead, AHEAD)) {
            return (outcome, Some(at));
        }
        let far = if self.workload.effort == Effort::Best { AHEAD_AT_ALL } else { FAR_AHEAD };
        let best = simpler.leads().min_by(|a, b| self.rmse(a.1).total_cmp(&self.rmse(b.1)));
        let kept = best.filter(|&(_, at, lead)| is_kept(at, lead, far));
        kept.map_or((Outcome::Combined, None), |(outcome, at, _)| (outcome, Some(at)))
    }

    fn weights(&self, allowed: &[bool]) -> Vec<f64> {
        if !self.workload.is_stacked() {
            return self.best_wide_alone(allowed);
        }
        let places: Vec<usize> = (0..self.len()).filter(|&at| allowed[at]).collect();
        let all = self.second_moments();
        let moments = Matrix::from_fn(places.len(), places.len(), |a, b| all[(places[a], places[b])]);
        let mut weights = vec![0.0; self.len()];
        places.iter().zip(pruned(stack::weights(&moments))).for_each(|(&at, weight)| weights[at] = weight);
        weights
    }

    /// Too few rows to weigh candidates: the best wide one, the affine model where there is none.
    fn best_wide_alone(&self, allowed: &[bool]) -> Vec<f64> {
        let taken = self.best_wide(allowed).unwrap_or(0);
        (0..self.len()).map(|at| f64::from(at == taken)).collect()
    }

    /// Σ ω e_a e_b. A committee of two repeats stands for the larger one that will be used: ¼·mean e² + ¾·mean e₁e₂.
    fn second_moments(&self) -> Matrix {
        let moment = |a: &[f64], b: &[f64]| stack::moment(self.omega, a, b);
        Matrix::from_fn(self.len(), self.len(), |a, b| {
            if a != b {
                return moment(&self.residuals[a], &self.residuals[b]);
            }
            match self.candidates.get(a).map(|candidate| candidate.residuals.as_slice()) {
                Some([first, second]) => {
                    let single = 0.5 * (moment(first, first) + moment(second, second));
                    0.25 * single + 0.75 * moment(first, second)
                }
                _ => moment(&self.residuals[a], &self.residuals[a]),
            }
        })
    }
}

fn pruned(weights: Vec<f64>) -> Vec<f64> {
    let kept: f64 = weights.iter().filter(|w| **w >= LEAST_WEIGHT).sum();
    weights.into_iter().map(|w| if w >= LEAST_WEIGHT { w / kept } else { 0.0 }).collect()
}

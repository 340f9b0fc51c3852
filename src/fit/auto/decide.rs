//! What is taken: the combination, or a simpler model that is as good within the noise.
//!
//! The combination must be ahead of the simpler model by some standard errors of the mean difference of squared errors.
//! Where one row dominates the squares, that number tends to 1 however much better the combination is on every row. So
//! there is a second way: the RMSE is lower by 5 %, and the differences of the squared errors, ranked by
//! size, are on its side (Wilcoxon's signed ranks), which no single row decides. On small noisy tables, where the
//! combination is rarely lower by so much, the second way is as narrow as the first.

use super::compare::Candidate;
use super::stack::{self, Lead};
use super::workload::Learner;
use super::workload::Workload;
use crate::linalg::{self, Matrix};

/// Standard errors by which the combination must be ahead of the affine model, …
const AHEAD_OF_AFFINE: f64 = 2.5;
/// … and of the quadratic one.
const AHEAD_OF_QUADRATIC: f64 = 2.0;
/// Candidates below this weight are left out.
const LEAST_WEIGHT: f64 = 0.01;

/// What the automatic fit took. [`Combination`](crate::fit::Combination) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The affine model.
    Affine,
    /// The quadratic network.
    Quadratic,
    /// The combination.
    Combined,
}

impl Outcome {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Affine => "affine",
            Outcome::Quadratic => "quadratic",
            Outcome::Combined => "combined",
        }
    }
}

/// What learner of function a contender is. [`Combination`](crate::fit::Combination) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The affine model.
    Affine,
    /// Random units with fitted output weights.
    RandomUnits,
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
    workload: &'a Workload,
    omega: &'a [f64],
    residuals: Vec<Vec<f64>>,
    has_quadratic: bool,
}

/// The weights of the candidates, and what follows from them.
pub(super) struct Decision {
    pub weights: Vec<f64>,
    pub contenders: Vec<Contender>,
    pub ahead_of_affine: Option<Lead>,
    pub ahead_of_quadratic: Option<Lead>,
    pub outcome: Outcome,
}

impl Decision {
    /// The out-of-fold RMSE of what was taken.
    pub(super) fn rmse(&self) -> f64 {
        let family = match self.outcome {
            Outcome::Affine => Family::Affine,
            Outcome::Quadratic => Family::Quadratic,
            Outcome::Combined => Family::Combination,
        };
        self.contenders.iter().find(|contender| contender.family == family).map_or(f64::NAN, |found| found.rmse)
    }
}

impl<'a> CandidateComparison<'a> {
    pub(super) fn new(
        candidates: &'a [Candidate],
        quadratic: Option<&[f64]>,
        workload: &'a Workload,
        omega: &'a [f64],
    ) -> Self {
        let mut residuals: Vec<Vec<f64>> = candidates.iter().map(Candidate::mean_residuals).collect();
        residuals.extend(quadratic.map(<[f64]>::to_vec));
        CandidateComparison { candidates, workload, omega, residuals, has_quadratic: quadratic.is_some() }
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
        self.has_quadratic.then_some(self.candidates.len())
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
        self.candidates.get(at).map_or("quadratic network".into(), |candidate| candidate.learner.name(self.workload))
    }

    fn family(&self, at: usize) -> Family {
        match self.candidates.get(at).map(|candidate| &candidate.learner) {
            Some(Learner::Affine) => Family::Affine,
            Some(Learner::Wide { .. }) => Family::RandomUnits,
            Some(Learner::Evidence { .. } | Learner::Relu { .. }) => Family::Committee,
            None => Family::Quadratic,
        }
    }

    /// Decide among the candidates that are allowed, at least one.
    pub(super) fn decision(&self, allowed: &[bool]) -> Decision {
        let weights = self.weights(allowed);
        let mut combined = vec![0.0; self.omega.len()];
        weights.iter().zip(&self.residuals).for_each(|(w, r)| linalg::add_scaled(&mut combined, *w, r));
        let lead = |at: usize| Lead::over(&self.residuals[at], &combined, self.omega);
        let ahead_of_affine = self.affine().map(lead);
        let ahead_of_quadratic = self.quadratic().filter(|&at| allowed[at]).map(lead);
        let outcome = match (ahead_of_affine, ahead_of_quadratic) {
            (Some(ahead), _) if !ahead.is_clear(AHEAD_OF_AFFINE) => Outcome::Affine,
            (_, Some(ahead)) if !ahead.is_clear(AHEAD_OF_QUADRATIC) => Outcome::Quadratic,
            _ => Outcome::Combined,
        };
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
        Decision { weights, contenders, ahead_of_affine, ahead_of_quadratic, outcome }
    }

    fn weights(&self, allowed: &[bool]) -> Vec<f64> {
        if !self.workload.is_stacked() {
            return self.equal_among_wide(allowed);
        }
        let places: Vec<usize> = (0..self.len()).filter(|&at| allowed[at]).collect();
        let all = self.second_moments();
        let moments = Matrix::from_fn(places.len(), places.len(), |a, b| all[(places[a], places[b])]);
        let mut weights = vec![0.0; self.len()];
        places.iter().zip(pruned(stack::weights(&moments))).for_each(|(&at, weight)| weights[at] = weight);
        weights
    }

    /// Too few rows to choose: the wide layers in equal shares, the affine model where there is none.
    fn equal_among_wide(&self, allowed: &[bool]) -> Vec<f64> {
        let wide = |at: usize| self.family(at) == Family::RandomUnits && allowed[at];
        let count = (0..self.len()).filter(|&at| wide(at)).count();
        let mut weights: Vec<f64> = (0..self.len()).map(|at| if wide(at) { 1.0 / count as f64 } else { 0.0 }).collect();
        if count == 0 {
            weights[0] = 1.0;
        }
        weights
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

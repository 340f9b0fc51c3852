//! The network of a decision: committees refitted on all rows and averaged with the members of the folds, infinitely wide
//! networks as they are; and whether it is as good on the rows it was trained on as it was on rows left out.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::committee;
use super::compare::{Candidate, Member, StandardisedRows};
use super::decide::{CandidateComparison, Decision, Outcome, ROUNDING};
use super::wide::WideCandidate;
use super::{AutoSetting, affine};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::fit::Scores;
use crate::linalg::{self, map_in_order};
use crate::model::{Function, WideMember};
use crate::network::{Network, NetworkSum};
use crate::watch::{Progress, Stage, Watch};

/// Committees below this weight are not refitted on all rows.
const REFIT_WEIGHT: f64 = 0.05;
/// A member whose held-out error is this many times the median of its committee is dropped.
const ROGUE: f64 = 3.0;
/// A network whose error on the rows it was trained on is this many times its error on rows left out is not the network
/// that was compared: something went wrong when it was trained again.
const DISAGREES: f64 = 1.5;
/// The same where the affine model is as good on these rows.
const DISAGREES_BESIDE_AFFINE: f64 = 1.05;

/// A candidate that was compared, but whose network on all rows is not what was compared.
/// [`Combination`](crate::fit::Combination) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct RefusedCandidate {
    /// The candidate, in words.
    pub name: String,
    /// Its out-of-fold RMSE.
    pub rmse: f64,
    /// The RMSE of its network on the rows it was trained on.
    pub training_rmse: f64,
    /// That of the affine function on these rows, where the network should have come as close to them.
    pub affine_rmse: Option<f64>,
}

/// What networks are made from.
pub(super) struct Workshop<'a> {
    pub candidates: &'a [Candidate],
    /// Infinitely wide networks, fitted to all rows.
    pub wide: &'a [WideCandidate],
    /// The quadratic network, trained on all rows.
    pub quadratic: Option<&'a Network>,
    pub data: &'a Data,
    /// The rows that were compared on.
    pub compared: &'a Data,
    pub whole: &'a StandardisedRows,
    pub setting: &'a AutoSetting,
    pub watch: Watch<'a>,
}

/// A decision with its network, and the candidates that were refused on the way.
pub(super) struct Made {
    pub network: Function,
    pub decision: Decision,
    pub refusals: Vec<RefusedCandidate>,
}

impl Workshop<'_> {
    /// The network of the best decision that keeps its word: a candidate whose network on all rows is far worse than it
    /// was out of fold is refused, and the decision is made again among the others.
    pub(super) fn make(&self, comparison: &CandidateComparison<'_>) -> Result<Made> {
        let mut allowed = vec![true; comparison.len()];
        let mut trained: Vec<Option<Vec<Network>>> = vec![None; comparison.len()];
        let mut refusals = vec![];
        let affine = self.affine_error()?;
        loop {
            let decision = comparison.decision(&allowed);
            let network = self.network(&decision, &mut trained)?;
            let error = Scores::of(&network, self.compared)?.rmse;
            let is_last = allowed.iter().filter(|is_allowed| **is_allowed).count() == 1;
            if decision.outcome == Outcome::Affine || is_last || self.agrees(error, decision.rmse(), affine) {
                network.check()?;
                return Ok(Made { network, decision, refusals });
            }
            let (at, refusal) = self.culprit(&decision, comparison, &trained)?;
            allowed[at] = false;
            refusals.push(refusal);
        }
    }

    /// Whether a network is as good on the rows as it was out of fold. One that is no better than the affine model, which it
    /// was ahead of out of fold, has to be nearly as good: it may be what a run that ended early left of it.
    fn agrees(&self, training: f64, out_of_fold: f64, affine: f64) -> bool {
        let factor = if training < affine { DISAGREES } else { DISAGREES_BESIDE_AFFINE };
        training <= factor * out_of_fold + ROUNDING * self.whole.scaling.target_deviation
    }

    fn affine(&self) -> Result<Network> {
        match affine::ridge(&self.whole.table) {
            Some(ridge) => Ok(ridge.unstandardised(&self.whole.scaling)),
            None => crate::fit::affine_fit(self.data),
        }
    }

    /// The error of the affine model on the rows that were compared on.
    fn affine_error(&self) -> Result<f64> {
        Ok(Scores::of(&self.affine()?, self.compared)?.rmse)
    }

    /// The candidate in a decision whose network exceeds its out-of-fold error the most.
    fn culprit(
        &self,
        decision: &Decision,
        comparison: &CandidateComparison<'_>,
        trained: &[Option<Vec<Network>>],
    ) -> Result<(usize, RefusedCandidate)> {
        let mut worst: Option<(f64, usize, RefusedCandidate)> = None;
        let taken = |at: usize| match decision.outcome {
            Outcome::Quadratic => comparison.quadratic() == Some(at),
            Outcome::Wide => decision.best_wide.is_some() && comparison.wide_place(at) == decision.best_wide,
            Outcome::Affine | Outcome::Combined => decision.weights[at] > 0.0,
        };
        for at in (0..comparison.len()).filter(|&at| Some(at) != comparison.affine() && taken(at)) {
            let training_rmse = match comparison.wide_place(at) {
                Some(place) => Scores::of(&self.wide[place].network, self.compared)?.rmse,
                None => self.training_rmse(trained[at].as_deref())?,
            };
            let rmse = comparison.rmse(at);
            let excess = training_rmse / rmse;
            if worst.as_ref().is_none_or(|(most, ..)| !(excess <= *most)) {
                worst = Some((
                    excess,
                    at,
                    RefusedCandidate { name: comparison.name(at), rmse, training_rmse, affine_rmse: None },
                ));
            }
        }
        let nothing = || Error::NotFinite { what: "the predictions of a combination for this table" };
        worst.map(|(_, at, refusal)| (at, refusal)).ok_or_else(nothing)
    }

    /// The error of the mean of these networks on the rows that were compared on; of the quadratic network without any.
    fn training_rmse(&self, networks: Option<&[Network]>) -> Result<f64> {
        let quadratic = || self.quadratic.map_or(&[][..], std::slice::from_ref);
        let networks = networks.unwrap_or_else(quadratic);
        let share = 1.0 / networks.len() as f64;
        let mean = NetworkSum::weighted(networks.iter().map(|network| (share, network)))?;
        Ok(Scores::of(&mean, self.compared)?.rmse)
    }

    fn network(&self, decision: &Decision, trained: &mut [Option<Vec<Network>>]) -> Result<Function> {
        let best_wide = decision.best_wide.map(|place| &self.wide[place].network);
        match (decision.outcome, self.quadratic) {
            (Outcome::Affine, _) => Ok(self.affine()?.into()),
            (Outcome::Quadratic, Some(quadratic)) => Ok(quadratic.clone().into()),
            _ => match best_wide.filter(|_| decision.outcome == Outcome::Wide) {
                Some(network) => Ok(network.clone().into()),
                None => self.combination(decision, trained),
            },
        }
    }

    fn combination(&self, decision: &Decision, trained: &mut [Option<Vec<Network>>]) -> Result<Function> {
        let weights = &decision.weights;
        let used: Vec<usize> = (0..self.candidates.len()).filter(|&at| weights[at] > 0.0).collect();
        self.train_on_all_rows(&used, weights, trained);
        let first_wide = self.candidates.len();
        let last = first_wide + self.wide.len();
        let weight = weights.get(last).copied().filter(|weight| *weight > 0.0);
        let mut terms: Vec<(f64, &Network)> = weight.zip(self.quadratic).into_iter().collect();
        for at in used {
            let networks = trained[at].as_deref().unwrap_or_default();
            let share = weights[at] / networks.len() as f64;
            terms.extend(networks.iter().map(|network| (share, network)));
        }
        let wide = self.wide.iter().zip(&weights[first_wide..last]).filter(|(_, weight)| **weight > 0.0);
        let wide = wide.map(|(candidate, weight)| WideMember { weight: *weight, network: candidate.network.clone() });
        let finite = (!terms.is_empty()).then(|| NetworkSum::weighted(terms)).transpose()?;
        Function::combined(finite, wide.collect())
    }

    /// The networks of candidates that have not been trained on all rows yet.
    fn train_on_all_rows(&self, used: &[usize], weights: &[f64], trained: &mut [Option<Vec<Network>>]) {
        let (candidates, workload) = (self.candidates, &self.setting.workload);
        let open: Vec<usize> = used.iter().copied().filter(|&at| trained[at].is_none()).collect();
        let refits = |at: usize| {
            let light = candidates[at].learner.is_committee() && weights[at] < REFIT_WEIGHT;
            if light { 0 } else { workload.refits(&candidates[at].learner) }
        };
        // One refit of each before the second of any, in case time runs out.
        let most = open.iter().map(|&at| refits(at)).max().unwrap_or(0);
        let jobs: Vec<(usize, usize)> = (0..most)
            .flat_map(|refit| open.iter().map(move |&at| (at, refit)))
            .filter(|&(at, refit)| refit < refits(at))
            .collect();
        let refitted = self.refitted(&jobs);
        for at in open {
            let own = jobs.iter().zip(&refitted).filter(|((of, _), _)| *of == at);
            let mut networks: Vec<Network> = own.filter_map(|(_, network)| network.clone()).collect();
            if candidates[at].learner.is_committee() || networks.is_empty() {
                networks.extend(sound_members(&candidates[at]));
            }
            trained[at] = Some(networks);
        }
    }

    fn refitted(&self, jobs: &[(usize, usize)]) -> Vec<Option<Network>> {
        let (done, total) = (AtomicUsize::new(0), jobs.len());
        map_in_order(total, |job| {
            let (at, refit) = jobs[job];
            if self.watch.is_over() {
                return None;
            }
            let start = (self.setting.seed, ((at + 1) << 32 | refit) as u64);
            let (learner, table) = (&self.candidates[at].learner, &self.whole.table);
            let outcome = committee::train(learner, table, &self.setting.workload, start, self.watch);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            self.watch.report(Progress::Counted { stage: Stage::Refitting, done, total });
            let network = outcome?.unstandardised(&self.whole.scaling);
            network.check().is_ok().then_some(network)
        })
    }
}

/// The members of the folds without the rogue ones.
fn sound_members(candidate: &Candidate) -> Vec<Network> {
    let members: Vec<&Member> = candidate.members.iter().flatten().collect();
    let error = |member: &Member| linalg::dot(&member.residuals, &member.residuals) / member.residuals.len() as f64;
    let mut errors: Vec<f64> = members.iter().map(|member| error(member)).collect();
    errors.sort_by(f64::total_cmp);
    let median = errors[errors.len() / 2];
    let sound = members.into_iter().filter(|member| error(member) <= ROGUE * median);
    sound.map(|member| member.network.clone()).collect()
}

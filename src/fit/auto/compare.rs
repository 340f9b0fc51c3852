//! Candidates, each trained outside every fold.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::AutoSetting;
use super::committee;
use super::workload::{Learner, Workload};
use crate::data::Data;
use crate::data::scaling::{self, Centring};
use crate::error::Result;
use crate::fit::folds::Folds;
use crate::linalg::{self, map_in_order};
use crate::network::{Network, Standardisation};
use crate::watch::{Progress, Stage, Watch};

/// A standardised part of the rows.
pub(super) struct StandardisedRows {
    pub table: Data,
    pub scaling: Standardisation,
}

impl StandardisedRows {
    /// Part of the rows may have one and the same target, even when all have not.
    pub(super) fn of(data: &Data) -> Result<StandardisedRows> {
        let mut scaling = scaling::lenient_standardisation(data, Centring { inputs: true, target: true });
        if !scaling.target_deviation.is_finite() {
            scaling.target_deviation = 1.0;
        }
        Ok(StandardisedRows { table: scaling::standardised(data, &scaling)?, scaling })
    }

    /// For each fold, the rows of all others.
    pub(super) fn without_each_fold(data: &Data, folds: &Folds) -> Result<Vec<StandardisedRows>> {
        (0..folds.len()).map(|fold| StandardisedRows::of(&data.select(&folds.others(fold)))).collect()
    }
}

/// One run of one candidate on the rows outside one fold.
pub(super) struct Member {
    pub network: Network,
    /// f(x) − y on the rows of the fold.
    pub residuals: Vec<f64>,
}

impl Member {
    /// With its errors on the rows of the fold; `None` where they are not finite.
    fn new(trained: &Network, scaling: &Standardisation, fold: &Data) -> Option<Member> {
        let network = trained.unstandardised(scaling);
        let f = network.predict(&fold.X).ok()?;
        let residuals: Vec<f64> = f.iter().zip(&fold.y).map(|(f, y)| f - y).collect();
        let sound = residuals.iter().all(|r| r.is_finite()) && network.check().is_ok();
        sound.then_some(Member { network, residuals })
    }
}

/// A candidate with all its members: by repeat, then by fold.
pub(super) struct Candidate {
    pub learner: Learner,
    pub members: Vec<Vec<Member>>,
    /// Out-of-fold residuals of each repeat.
    pub residuals: Vec<Vec<f64>>,
}

impl Candidate {
    /// Their mean over the repeats.
    pub(super) fn mean_residuals(&self) -> Vec<f64> {
        let share = 1.0 / self.residuals.len() as f64;
        let mut mean = vec![0.0; self.residuals[0].len()];
        self.residuals.iter().for_each(|residuals| linalg::add_scaled(&mut mean, share, residuals));
        mean
    }
}

/// Train every candidate outside every fold.
pub(super) fn cross_validated(
    data: &Data,
    folds: &Folds,
    parts: &[StandardisedRows],
    setting: &AutoSetting,
    watch: Watch<'_>,
) -> Vec<Candidate> {
    let (workload, learners) = (&setting.workload, setting.learners.clone());
    let jobs: Vec<(usize, usize, usize)> = (0..learners.len())
        .flat_map(|at| (0..workload.repeats(&learners[at])).map(move |repeat| (at, repeat)))
        .flat_map(|(at, repeat)| (0..folds.len()).map(move |fold| (at, repeat, fold)))
        .collect();
    let left: Vec<Data> = (0..folds.len()).map(|fold| data.select(folds.left_out(fold))).collect();
    let (done, total) = (AtomicUsize::new(0), jobs.len());
    let trained = map_in_order(total, |job| {
        let (at, repeat, fold) = jobs[job];
        // The first, which is the affine model in most cases, is always there.
        if watch.is_over() && at > 0 {
            return None;
        }
        let StandardisedRows { table, scaling } = &parts[fold];
        let start = (setting.seed, ((at * 64 + repeat) * 64 + fold) as u64);
        let outcome = committee::train(&learners[at], table, workload, start, watch);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        watch.report(Progress::Counted { stage: Stage::Choosing, done, total });
        Member::new(&outcome?, scaling, &left[fold])
    });
    gathered_candidates(trained, learners, workload, folds)
}

/// The candidates from their members in the order of the jobs; those without a whole repeat are left out.
fn gathered_candidates(
    trained: Vec<Option<Member>>,
    learners: Vec<Learner>,
    workload: &Workload,
    folds: &Folds,
) -> Vec<Candidate> {
    let mut trained = trained.into_iter();
    let mut candidates: Vec<Candidate> = vec![];
    for learner in learners {
        let repeats = (0..workload.repeats(&learner)).map(|_| trained.by_ref().take(folds.len()).collect::<Vec<_>>());
        // A repeat counts when every row was left out once.
        let members: Vec<Vec<Member>> = repeats.filter_map(|by_fold| by_fold.into_iter().collect()).collect();
        if members.is_empty() {
            continue;
        }
        let gathered = |by_fold: &Vec<Member>| {
            folds.gathered(&by_fold.iter().map(|member| member.residuals.clone()).collect::<Vec<_>>())
        };
        let residuals = members.iter().map(gathered).collect();
        candidates.push(Candidate { learner, members, residuals });
    }
    candidates
}

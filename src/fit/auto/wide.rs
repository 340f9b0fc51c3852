//! Infinitely wide networks among the candidates.
//!
//! Of few rows they are learnt again without each fold that the committees are compared on. Otherwise their errors on rows
//! left out come from the solution itself, laws and noise kept: of the same folds where the table is small, of single rows
//! where it is large.

use super::combine::RefusedCandidate;
use super::workload::Workload;
use crate::data::Data;
use crate::fit::Scores;
use crate::fit::folds::Folds;
use crate::fit::wide::{Expected, kept_laws_residuals, relearnt_residuals};
use crate::linalg::map_tasks;
use crate::random::{Split, Stream};
use crate::watch::Watch;
use crate::wide::WideNetwork;

/// A wide network and its errors f(x) − y on the rows that are compared on, each without that row.
pub(super) struct WideCandidate {
    pub network: WideNetwork,
    pub residuals: Vec<f64>,
}

/// The wide networks of a table; those whose predictions are not what their errors on rows left out promise are refused.
pub(super) fn candidates(
    data: &Data,
    (compared, folds): (Option<&[usize]>, &Folds),
    (workload, seed): (&Workload, u64),
    watch: Watch<'_>,
) -> (Vec<WideCandidate>, Vec<RefusedCandidate>) {
    let sets = workload.wide_sets();
    let learnt = WideRows::new(data, workload.wide_rows, seed);
    let networks = match (sets.as_slice(), workload.is_small()) {
        ([], _) => vec![],
        (sets, true) => WideNetwork::all(data, &data.columns, sets, seed, watch),
        (sets, false) => {
            let rows = learnt.data();
            WideNetwork::best(rows, &rows.columns, sets, seed, watch).into_iter().collect()
        }
    };
    let expected = Expected::of(learnt.data());
    let (sound, broken): (Vec<WideNetwork>, Vec<WideNetwork>) =
        networks.into_iter().partition(|network| expected.is_met(network));
    let refused = |network: &WideNetwork| RefusedCandidate {
        name: name(network),
        rmse: network.left_out_error,
        training_rmse: Scores::of(network, learnt.data()).map_or(f64::INFINITY, |scores| scores.rmse),
        affine_rmse: expected.affine_ahead(network),
    };
    let refusals = broken.iter().map(refused).collect();
    let residuals = match workload.learns_laws_again() {
        true => relearnt_residuals(&sound, data, folds, seed, watch),
        false => map_tasks(sound.len(), |at| match workload.is_small() {
            true => kept_laws_residuals(&sound[at], data, folds, seed),
            // Of many rows that depend on each other, no single row is left out.
            false if data.dependence.is_some() => {
                let some = compared.map(|rows| data.select(rows));
                let across = sound[at].errors_across(some.as_ref().unwrap_or(data), &folds.parts(), seed);
                across.map(|by_fold| folds.gathered(&by_fold))
            }
            false => Some(learnt.residuals(&sound[at], data, compared)),
        }),
    };
    let candidate = |(network, residuals): (WideNetwork, Option<Vec<f64>>)| {
        let residuals = residuals?;
        residuals.iter().all(|r| r.is_finite()).then_some(WideCandidate { network, residuals })
    };
    (sound.into_iter().zip(residuals).filter_map(candidate).collect(), refusals)
}

/// In words.
pub(super) fn name(network: &WideNetwork) -> String {
    format!("infinitely wide, {}", network.set.name())
}

/// The rows that a wide network is fitted to: all, or as many as it can have.
struct WideRows<'a> {
    all: &'a Data,
    /// The numbers of the rows, ascending, and the rows.
    some: Option<(Vec<usize>, Data)>,
}

impl<'a> WideRows<'a> {
    fn new(all: &'a Data, most: usize, seed: u64) -> Self {
        let some = (all.n() > most).then(|| {
            let mut rows = Stream::of_split(seed, Split::Evidence).permutation(all.n());
            rows.truncate(most);
            rows.sort_unstable();
            let data = all.select(&rows);
            (rows, data)
        });
        WideRows { all, some }
    }

    fn data(&self) -> &Data {
        self.some.as_ref().map_or(self.all, |(_, data)| data)
    }

    /// Errors on the rows that are compared on: of rows it knows as if they had been left out, of others as they are.
    fn residuals(&self, network: &WideNetwork, data: &Data, compared: Option<&[usize]>) -> Vec<f64> {
        let every: Vec<usize>;
        let compared = match compared {
            Some(rows) => rows,
            None => {
                every = (0..data.n()).collect();
                &every
            }
        };
        let Some((known, _)) = &self.some else { return compared.iter().map(|&i| network.left_out[i]).collect() };
        let asked = data.select(compared);
        let plain = network.predict(&asked.X).into_iter().zip(&asked.y).map(|(f, y)| f - y);
        let residual = |(row, plain): (&usize, f64)| known.binary_search(row).map_or(plain, |at| network.left_out[at]);
        compared.iter().zip(plain).map(residual).collect()
    }
}

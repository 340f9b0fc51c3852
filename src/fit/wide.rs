//! Infinitely wide networks: the set of layers that predicts rows left out best, refused where the network that is
//! returned is not the one that was compared.

use std::borrow::Cow;

use super::auto::FEW_ROWS;
use super::folds::{self, Folds};
use super::request::Wide;
use super::{Fit, Scores, Training, affine_fit};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::map_tasks;
use crate::random::{Split, Stream};
use crate::watch::Watch;
use crate::wide::{LayerSet, WideNetwork};

/// How a wide network was chosen.
///
/// ```
/// use shallows::Data;
/// use shallows::fit::{Training, Wide};
///
/// let x: Vec<[f64; 1]> = (0..40).map(|i| [i as f64 / 5.0]).collect();
/// let y: Vec<f64> = x.iter().map(|x| x[0].sin()).collect();
/// let fit = Wide::new().fit(&Data::from_rows(&x, &y)?)?;
/// let Training::Wide(training) = &fit.training else { panic!("a wide network") };
/// let taken = training.compared.iter().find(|one| one.set == training.set).expect("the set was compared");
/// assert!(training.compared.iter().all(|other| taken.rmse <= other.rmse));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WideTraining {
    /// The set that was taken.
    pub set: LayerSet,
    /// The sets that were compared.
    pub compared: Vec<ComparedSet>,
    /// ln p of the targets under the laws and the noise that were taken: see [`WideNetwork::log_evidence`].
    pub log_evidence: Option<f64>,
}

/// A set of layers and its error. [`WideTraining`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparedSet {
    /// The layers.
    pub set: LayerSet,
    /// The RMSE on rows left out, in the units of the target.
    pub rmse: f64,
}

/// A network whose error on the rows it was trained on is this many times its error on rows left out is not what was
/// compared.
const DISAGREES: f64 = 1.5;
/// Errors below this share of the spread of the target are rounding.
const ROUNDING: f64 = 1e-6;

/// Of more rows so many are enough to see whether a network is what was compared.
const MOST_JUDGED_ROWS: usize = 5000;

/// Up to so many rows the laws are learnt again without each fold: from few rows they are learnt too well, which errors
/// with the laws kept do not show.
pub(super) const RELEARNT_ROWS: usize = 500;
const FOLDS: usize = 5;

/// Fit.
pub(super) fn fit(data: &Data, request: &Wide, watch: Watch<'_>) -> Result<Fit> {
    let (network, compared) = match data.n() <= FEW_ROWS {
        true => of_few(data, request, watch),
        false => of_many(data, request, watch),
    }
    .ok_or(Error::NotFinite { what: "the predictions of every wide network of this table" })?;
    Ok(Fit {
        objective: objective(&network, data),
        decay: network.decay(),
        training: Training::Wide(Box::new(WideTraining {
            set: network.set,
            compared,
            log_evidence: network.log_evidence(data),
        })),
        network: network.into(),
        tried: vec![],
        calibration: None,
        partial: watch.is_over(),
    })
}

/// The network of every set, compared on folds where there are rows for them.
fn of_few(data: &Data, request: &Wide, watch: Watch<'_>) -> Option<(WideNetwork, Vec<ComparedSet>)> {
    let seed = request.common.seed;
    let networks = WideNetwork::all(data, &data.columns, &request.sets, seed, watch);
    let is_compared = data.n() >= folds::FEWEST_ROWS && networks.len() > 1;
    let folds = is_compared.then(|| Folds::deal_apart(data, FOLDS, seed));
    let residuals = match &folds {
        None => vec![None; networks.len()],
        Some(folds) => match data.n() <= RELEARNT_ROWS {
            true => relearnt_residuals(&networks, data, folds, seed, watch),
            false => map_tasks(networks.len(), |at| kept_laws_residuals(&networks[at], data, folds, seed)),
        },
    };
    let omega = folds.as_ref().map_or_else(|| data.omega(), |folds| folds.judged_omega(data));
    let mean = |r: &Vec<f64>| r.iter().zip(&omega).map(|(r, w)| w * r * r).sum::<f64>().sqrt();
    // Where there was no time for folds, single rows are left out with the laws kept.
    let rmse = residuals.iter().zip(&networks).map(|(r, one)| r.as_ref().map_or(one.left_out_error, mean));
    let rmse: Vec<f64> = rmse.collect();
    let compared: Vec<ComparedSet> =
        networks.iter().zip(&rmse).map(|(one, rmse)| ComparedSet { set: one.set, rmse: *rmse }).collect();
    // What is worse than the affine function is still what was asked for, where no network is better.
    let expected = Expected::of(data);
    let best = |is_sound: &dyn Fn(&WideNetwork) -> bool| {
        let sound = networks.iter().zip(&rmse).filter(|(network, _)| is_sound(network));
        sound.reduce(|a, b| if b.1 < a.1 { b } else { a }).map(|(network, _)| network.clone())
    };
    let best = best(&|network| expected.is_met(network)).or_else(|| best(&|network| expected.is_as_claimed(network)));
    Some((best?, compared))
}

/// The network of the best set by rows left out with the laws kept; of the next best, where it is not what was compared.
fn of_many(data: &Data, request: &Wide, watch: Watch<'_>) -> Option<(WideNetwork, Vec<ComparedSet>)> {
    let (mut sets, mut compared, mut worse) = (request.sets.clone(), vec![], None);
    let expected = Expected::of(data);
    while let Some((network, errors)) = WideNetwork::chosen(data, &data.columns, &sets, request.common.seed, watch) {
        if compared.is_empty() {
            compared = errors.into_iter().map(|(set, rmse)| ComparedSet { set, rmse }).collect();
        }
        if expected.is_met(&network) {
            return Some((network, compared));
        }
        sets.retain(|set| *set != network.set);
        worse = worse.or(expected.is_as_claimed(&network).then_some(network));
    }
    // What is worse than the affine function is still what was asked for, where no network is better.
    Some((worse?, compared))
}

/// P in units of the squared deviation of the target; without its second term where the network was fitted to a part of the
/// table.
fn objective(network: &WideNetwork, data: &Data) -> f64 {
    let fit_alone = || Scores::of(network, data).map_or(f64::NAN, |scores| 0.5 * scores.rmse.powi(2));
    let objective = network.duality_gap(data, &network.alpha).map_or_else(fit_alone, |gap| gap.objective);
    objective / network.target_deviation.powi(2)
}

/// Errors f(x) − y on the rows of each fold of networks with the same layers, learnt anew without the fold; `None` where
/// something was stopped or is not definite.
pub(super) fn relearnt_residuals(
    networks: &[WideNetwork],
    data: &Data,
    folds: &Folds,
    seed: u64,
    watch: Watch<'_>,
) -> Vec<Option<Vec<f64>>> {
    let parts: Vec<(Data, Data)> =
        (0..folds.len()).map(|fold| (data.select(&folds.others(fold)), data.select(folds.left_out(fold)))).collect();
    let errors = map_tasks(networks.len() * folds.len(), |job| {
        let (set, (others, left)) = (networks[job / folds.len()].set, &parts[job % folds.len()]);
        let network = (!watch.is_over()).then(|| WideNetwork::fitted(others, &others.columns, set, seed, watch))??;
        Some(network.predict(&left.X).iter().zip(&left.y).map(|(f, y)| f - y).collect::<Vec<f64>>())
    });
    let gathered = |by_fold: &[Option<Vec<f64>>]| {
        Some(folds.gathered(&by_fold.iter().cloned().collect::<Option<Vec<Vec<f64>>>>()?))
    };
    errors.chunks(folds.len().max(1)).map(gathered).collect()
}

/// The same of one network, its laws and its noise kept.
pub(super) fn kept_laws_residuals(network: &WideNetwork, data: &Data, folds: &Folds, seed: u64) -> Option<Vec<f64>> {
    match folds.are_exchangeable() {
        true => network.errors_of_folds(data, &folds.by_row()),
        false => Some(folds.gathered(&network.errors_across(data, &folds.parts(), seed)?)),
    }
}

/// What a network's own predictions on the rows it was fitted to have to be: a factor of an ill-conditioned matrix may have
/// lost what it makes largest.
pub(super) struct Expected<'a> {
    rows: Cow<'a, Data>,
    /// The error of the affine function on them; none where there are no more rows than parameters, and it comes close to any targets.
    affine: Option<f64>,
    /// How much larger it would be if it did not come closer to the targets the fewer rows there are for each of its parameters.
    correction: f64,
}

impl<'a> Expected<'a> {
    pub(super) fn of(data: &'a Data) -> Self {
        let rows = judged(data);
        let count = data.weights.as_ref().map_or(data.n(), |weights| weights.iter().filter(|w| **w > 0.0).count());
        let free = count.saturating_sub(data.d() + 1);
        let rmse = || affine_fit(data).and_then(|affine| Scores::of(&affine, rows.as_ref())).map(|scores| scores.rmse);
        let affine = if free > 0 { rmse().ok() } else { None };
        Expected { rows, affine, correction: (count as f64 / free as f64).sqrt() }
    }

    /// The error on the rows, where it is no worse than what was claimed on rows left out.
    fn claimed_rmse(&self, network: &WideNetwork) -> Option<f64> {
        let claimed = DISAGREES * network.left_out_error + ROUNDING * network.target_deviation;
        let Scores { rmse, .. } = Scores::of(network, self.rows.as_ref()).ok()?;
        (rmse.is_finite() && rmse <= claimed).then_some(rmse)
    }

    fn is_as_claimed(&self, network: &WideNetwork) -> bool {
        self.claimed_rmse(network).is_some()
    }

    /// Whether the error is as claimed, and no worse than that of the affine function.
    pub(super) fn is_met(&self, network: &WideNetwork) -> bool {
        let affine = self.affine.map_or(f64::INFINITY, |affine| self.correction * affine);
        let most = DISAGREES * affine + ROUNDING * network.target_deviation;
        self.claimed_rmse(network).is_some_and(|rmse| rmse <= most)
    }

    /// The error of the affine function, where that is the reason why a network is not what was expected.
    pub(super) fn affine_ahead(&self, network: &WideNetwork) -> Option<f64> {
        self.affine.filter(|_| self.is_as_claimed(network) && !self.is_met(network))
    }
}

/// The rows that predictions are judged on: all, or so many that it takes little time.
fn judged(data: &Data) -> Cow<'_, Data> {
    if data.n() <= MOST_JUDGED_ROWS {
        return Cow::Borrowed(data);
    }
    let mut rows = Stream::of_split(0, Split::Comparison).permutation(data.n());
    rows.truncate(MOST_JUDGED_ROWS);
    Cow::Owned(data.select(&rows))
}

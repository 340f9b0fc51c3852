//! Infinitely wide networks: the set of layers that predicts rows left out best, refused where the network that is
//! returned is not the one that was compared.

use super::auto::FEW_ROWS;
use super::folds::{self, Folds};
use super::request::Wide;
use super::{Fit, Scores, Training, affine_fit};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::map_tasks;
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

/// Up to so many rows the laws are learnt again without each fold: from few rows they are learnt too well, which errors
/// with the laws kept do not show.
pub(super) const RELEARNT_ROWS: usize = 500;
const FOLDS: usize = 5;

/// Fit.
pub(super) fn fit(data: &Data, request: &Wide, watch: Watch<'_>) -> Result<Fit> {
    let seed = request.common.seed;
    let networks = WideNetwork::all(data, &data.columns, &request.sets, seed, watch);
    let residuals = match data.n() {
        n if n < folds::FEWEST_ROWS || n > FEW_ROWS || networks.len() < 2 => vec![None; networks.len()],
        n => {
            let folds = Folds::deal_apart(data, FOLDS, seed);
            match n <= RELEARNT_ROWS {
                true => relearnt_residuals(&networks, data, &folds, seed, watch),
                false => map_tasks(networks.len(), |at| networks[at].errors_of_folds(data, &folds.by_row())),
            }
        }
    };
    let omega = data.omega();
    let mean = |r: &Vec<f64>| r.iter().zip(&omega).map(|(r, w)| w * r * r).sum::<f64>().sqrt();
    // Where there was no time for folds, and on large tables, single rows are left out with the laws kept.
    let rmse = residuals.iter().zip(&networks).map(|(r, one)| r.as_ref().map_or(one.left_out_error, mean));
    let rmse: Vec<f64> = rmse.collect();
    let compared: Vec<ComparedSet> =
        networks.iter().zip(&rmse).map(|(one, rmse)| ComparedSet { set: one.set, rmse: *rmse }).collect();
    let sound = networks.into_iter().zip(rmse).filter(|(network, _)| agrees(network, data));
    let nothing = || Error::NotFinite { what: "the predictions of every wide network of this table" };
    let (network, _) = sound.reduce(|a, b| if b.1 < a.1 { b } else { a }).ok_or_else(nothing)?;
    let gap = network.duality_gap(data, &network.alpha);
    let unit = network.target_deviation.powi(2);
    Ok(Fit {
        objective: gap.objective / unit,
        decay: network.decay(),
        training: Training::Wide(Box::new(WideTraining { set: network.set, compared })),
        network: network.into(),
        tried: vec![],
        calibration: None,
        partial: watch.is_over(),
    })
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

/// Whether the network's own predictions on the rows it was fitted to are as good as what was claimed on rows left out, and
/// no worse than those of the affine function: a factor of an ill-conditioned matrix may have lost what it makes largest.
pub(super) fn agrees(network: &WideNetwork, data: &Data) -> bool {
    let Ok(Scores { rmse, .. }) = Scores::of(network, data) else { return false };
    let claimed = DISAGREES * network.left_out_error + ROUNDING * network.target_deviation;
    let affine =
        affine_fit(data).and_then(|affine| Scores::of(&affine, data)).map_or(f64::INFINITY, |affine| affine.rmse);
    rmse.is_finite() && rmse <= claimed && rmse <= DISAGREES * affine + ROUNDING * network.target_deviation
}

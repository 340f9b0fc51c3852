//! What a report shows beside the scores: the error on new rows, a learning curve, importances, interactions.

use serde_json::{Value, json};

use super::{FitOutcome, FitScores, LearningCurve};
use crate::data::{Data, TargetScale};
use crate::error::Result;
use crate::fit::explain::{Effects, Interactions};
use crate::fit::{Family, Fit, Scores, Training};
use crate::job::explain::{LayerExplanation, NamedFigure, effect_figures, ranking};
use crate::job::importance::RankedImportances;
use crate::network::Network;
use crate::watch::Watch;

/// Shuffles of each column for the importances.
const REPEATS: usize = 5;

/// What a report shows beside the scores; errors are in the units of what was fitted.
///
/// ```
/// use shallows::data::Samples;
/// use shallows::job::fit::{FitFindings, FitRequest, HeadlineBasis, quadratic, residual_figure};
/// use shallows::{Data, Quadratic, Watch};
///
/// let rows: Vec<[f64; 1]> = (0..30).map(|i| [i as f64 / 10.0]).collect();
/// let y: Vec<f64> = rows.iter().map(|[x]| x * x).collect();
/// let data = Data::from_rows(&rows, &y)?;
/// let request = FitRequest { fit: Quadratic::new().decay(1e-6).into(), ..FitRequest::default() };
/// let outcome = request.run_on(Samples::of_data(data.clone()), Watch::silent())?;
/// let findings = FitFindings::new(&outcome, Watch::silent())?;
/// // No rows were held out: the headline speaks about the training rows and says so.
/// assert_eq!(findings.headline.basis, HeadlineBasis::Training);
/// assert!(findings.headline.rmse < findings.headline.linear_rmse && findings.headline.gain > 0.0);
/// assert!(quadratic(&outcome.fit).is_some());
/// assert!(residual_figure(&outcome.fit.network, &data, None).is_ok());
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FitFindings {
    /// The error that says most about new rows.
    pub headline: Headline,
    /// The standard deviation of what was fitted, on the rows of the headline.
    pub spread: f64,
    /// The same on the rows that were learned from.
    pub training_spread: f64,
    /// Errors in the units of what was fitted.
    pub scores: FitScores,
    /// Errors on rows left out in cross-validation.
    pub out_of_fold: Option<OutOfFold>,
    /// `None` where there are too few rows.
    pub learning_curve: Option<LearningCurve>,
    /// On held-out rows, where there are any.
    pub importances: RankedImportances,
    /// The polynomial that the network is; `None` where it has other units than quadratic ones.
    pub interactions: Option<Interactions>,
    /// What columns do to the network; only for a report, and only where it is no polynomial.
    pub effects: Option<Effects>,
    /// What its layers do, where it has infinitely wide ones; only for a report.
    pub layers: Option<LayerExplanation>,
}

/// The error that says most about new rows, and that of the affine function. [`FitFindings`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Headline {
    /// Of the network.
    pub rmse: f64,
    /// Of the affine function.
    pub linear_rmse: f64,
    /// The share of the variance that the network explains, 1 − (rmse/spread)²; `None` where the target does not vary.
    pub r2: Option<f64>,
    /// The share of the error of the affine function that the network saves, 1 − rmse/linear_rmse; negative where it is worse.
    pub gain: f64,
    /// Where they come from.
    pub basis: HeadlineBasis,
}

/// Which rows an error was measured on. [`FitFindings`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadlineBasis {
    /// Rows that were held out.
    HeldOut,
    /// Rows that were left out in cross-validation.
    CrossValidation,
    /// The rows that were learned from: the error is too good.
    Training,
}

/// RMSEs on rows left out in cross-validation. [`FitFindings`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutOfFold {
    /// Of the affine candidate.
    pub affine: f64,
    /// Of the quadratic candidate.
    pub quadratic: Option<f64>,
    /// Of what was chosen.
    pub network: f64,
}

/// Of an automatic fit.
pub(super) fn out_of_fold(training: &Training) -> Option<OutOfFold> {
    let Training::Combined(combination) = training else { return None };
    let affine = combination.rmse_of(Family::Affine)?;
    Some(OutOfFold { affine, quadratic: combination.rmse_of(Family::Quadratic), network: combination.rmse })
}

impl FitFindings {
    /// Of a finished fit; the learning curve fits up to fourteen networks.
    pub fn new(outcome: &FitOutcome, watch: Watch<'_>) -> Result<FitFindings> {
        let (fit, train, test) = (&outcome.fit, outcome.train(), outcome.test());
        let seed = outcome.request.fit.common().seed;
        let judged = test.unwrap_or(train);
        let scores = FitScores::new(fit, &outcome.linear, train, test, TargetScale::Identity)?;
        let (out_of_fold, spread) = (out_of_fold(&fit.training), deviation(judged));
        let importances = RankedImportances::new(&outcome.model, judged, REPEATS, seed)?;
        let polynomial = Interactions::of(&fit.network);
        let model = &outcome.model;
        let interactions = match polynomial.whole {
            true => Some(polynomial.folded(&model.recipe)?.with_rows(&train.X)?),
            false => None,
        };
        let (mut effects, mut layers) = (None, None);
        if outcome.files.report.is_some() && interactions.is_none() {
            let order = ranking(model, &importances);
            effects = Effects::of(&model.network, &model.recipe, &train.X, Some(&order), seed, watch)?;
            layers = LayerExplanation::of(model, &train.X, seed)?;
        }
        Ok(FitFindings {
            headline: Headline::new(&scores, out_of_fold, spread),
            spread,
            training_spread: deviation(train),
            scores,
            out_of_fold,
            learning_curve: LearningCurve::new(fit, train, test, seed, watch)?,
            importances,
            interactions,
            effects,
            layers,
        })
    }

    /// The curves of so many columns on one page, and maps of the strongest pairs.
    pub fn effect_figures(&self, target: &str, most: usize) -> Vec<NamedFigure> {
        self.effects.as_ref().map_or(vec![], |effects| effect_figures(effects, target, most))
    }

    /// Say it in the document of the fit.
    pub(super) fn add_to(&self, document: &mut Value) {
        document["headline"] = self.headline.document();
        document["learning_curve"] = json!(self.learning_curve.as_ref().map(LearningCurve::document));
        document["importance"] = self.importances.document();
    }
}

impl Headline {
    fn new(scores: &FitScores, out_of_fold: Option<OutOfFold>, spread: f64) -> Headline {
        let FitScores { network, linear, .. } = scores;
        let (rmse, linear_rmse, basis) = match (&network.test, &linear.test, out_of_fold) {
            (Some((_, network)), Some((_, linear)), _) => (network.rmse, linear.rmse, HeadlineBasis::HeldOut),
            (_, _, Some(out)) => (out.network, out.affine, HeadlineBasis::CrossValidation),
            _ => (network.train.1.rmse, linear.train.1.rmse, HeadlineBasis::Training),
        };
        let r2 = (spread > 0.0).then(|| 1.0 - (rmse / spread).powi(2));
        Headline { rmse, linear_rmse, r2, gain: 1.0 - rmse / linear_rmse, basis }
    }

    fn document(&self) -> Value {
        let Headline { rmse, linear_rmse, r2, gain, basis } = self;
        json!({ "rmse": rmse, "linear_rmse": linear_rmse, "r2": r2, "gain": gain, "basis": basis.id() })
    }
}

impl HeadlineBasis {
    /// As a value of JSON.
    pub fn id(self) -> &'static str {
        match self {
            HeadlineBasis::HeldOut => "held-out",
            HeadlineBasis::CrossValidation => "cross-validation",
            HeadlineBasis::Training => "training",
        }
    }
}

/// The quadratic network: the one that was fitted, or the one beside it. [`FitFindings`] shows its use.
pub fn quadratic(fit: &Fit) -> Option<&Network> {
    match &fit.training {
        Training::Combined(combination) => combination.quadratic.as_ref().map(|found| &found.network),
        Training::Global(_) => fit.network.only(),
        Training::Local { .. } | Training::Wide(_) => None,
    }
}

/// The standard deviation of the target.
fn deviation(data: &Data) -> f64 {
    let omega = data.omega();
    let mean: f64 = omega.iter().zip(&data.y).map(|(w, y)| w * y).sum();
    Scores::of_predictions(&vec![mean; data.n()], data).rmse
}

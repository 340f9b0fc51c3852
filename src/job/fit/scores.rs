//! Errors of the network and of what it is compared with.

use serde_json::{Value, json};

use super::quadratic_beside;
use crate::data::{Data, TargetScale};
use crate::error::Result;
use crate::fit::{Fit, Scores};
use crate::network::{Network, Predict};

/// Errors of the network, of the affine function, and of the certified quadratic network where something else was chosen.
/// [`FitFindings`](crate::job::fit::FitFindings) shows its use.
#[derive(Clone, Debug)]
pub struct FitScores {
    /// Of what was chosen.
    pub network: ModelScores,
    /// Of the least-squares affine function.
    pub linear: ModelScores,
    /// Of the certified quadratic network, where it was not chosen.
    pub quadratic: Option<ModelScores>,
}

/// Errors of one function, each with the number of rows. [`FitFindings`](crate::job::fit::FitFindings) shows its use.
#[derive(Clone, Debug)]
pub struct ModelScores {
    /// On the rows that were learned from.
    pub train: (usize, Scores),
    /// On the rows that were held out.
    pub test: Option<(usize, Scores)>,
}

/// Errors on parts left out.
///
/// ```
/// use shallows::fit::Scores;
/// use shallows::job::fit::FoldScores;
///
/// let part = |rmse| Scores { rmse, mae: rmse, r2: None };
/// let folds = FoldScores { parts: vec![part(1.0), part(3.0)] };
/// assert_eq!((folds.rmse().mean, folds.rmse().standard_error), (2.0, 1.0));
/// ```
#[derive(Clone, Debug)]
pub struct FoldScores {
    /// One for each part.
    pub parts: Vec<Scores>,
}

/// A mean over parts and its standard error. [`FoldScores`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanAndError {
    /// Over the parts.
    pub mean: f64,
    /// The standard deviation of the parts divided by the root of their number.
    pub standard_error: f64,
}

impl FitScores {
    /// In the original units of a target on this scale.
    pub(super) fn new(
        fit: &Fit,
        linear: &Network,
        train: &Data,
        test: Option<&Data>,
        scale: TargetScale,
    ) -> Result<Self> {
        Ok(FitScores {
            network: ModelScores::new(&fit.network, train, test, scale)?,
            linear: ModelScores::new(linear, train, test, scale)?,
            quadratic: quadratic_beside(fit)
                .map(|network| ModelScores::new(network, train, test, scale))
                .transpose()?,
        })
    }
}

impl ModelScores {
    fn new(f: &impl Predict, train: &Data, test: Option<&Data>, scale: TargetScale) -> Result<Self> {
        let scores = |data: &Data| Ok::<_, crate::error::Error>((data.n(), Scores::in_original_units(f, data, scale)?));
        Ok(ModelScores { train: scores(train)?, test: test.map(scores).transpose()? })
    }

    /// Those of the rows that were fitted, and of the held-out rows where there are any.
    pub(super) fn documents(&self) -> (Value, Option<Value>) {
        let document = |(rows, scores): &(usize, Scores)| json!({ "rows": rows, "rmse": scores.rmse, "mae": scores.mae, "r2": scores.r2 });
        (document(&self.train), self.test.as_ref().map(document))
    }

    /// The same in one document.
    pub(super) fn document(&self) -> Value {
        let (train, test) = self.documents();
        let mut document = json!({ "train": train });
        if let Some(test) = test {
            document["test"] = test;
        }
        document
    }
}

impl FoldScores {
    /// The root mean square errors.
    pub fn rmse(&self) -> MeanAndError {
        mean_and_error(self.parts.iter().map(|scores| scores.rmse).collect())
    }

    /// The mean absolute errors.
    pub fn mae(&self) -> MeanAndError {
        mean_and_error(self.parts.iter().map(|scores| scores.mae).collect())
    }

    /// R² on the parts whose target varies.
    pub fn r2(&self) -> MeanAndError {
        mean_and_error(self.parts.iter().filter_map(|scores| scores.r2).collect())
    }
}

fn mean_and_error(values: Vec<f64>) -> MeanAndError {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    MeanAndError { mean, standard_error: (variance / count).sqrt() }
}

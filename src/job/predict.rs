//! `predict`: predictions of a saved network for the rows of a table.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::given::{GivenModel, GivenRows};
use super::words;
use crate::data::{DependenceColumn, write_columns};
use crate::error::{Error, RequestProblem, Result};
use crate::file::{Destinations, FileRole};
use crate::linalg::Matrix;
use crate::model::Model;
use crate::model::check_predictions;
use crate::watch::Watch;

/// What is asked for. [`FitJob`](crate::job::fit::FitJob) shows its use.
#[derive(Clone, Debug, Default)]
pub struct PredictJob {
    /// The network.
    pub model: GivenModel,
    /// The rows; the target may be among their columns.
    pub rows: GivenRows,
    /// Columns that the rows lack, each with a value for every row.
    pub fill: Vec<(String, String)>,
    /// Leave columns aside that the model does not know.
    pub ignore_extra: bool,
    /// The share of new targets that intervals are to cover.
    pub interval: Option<f64>,
    /// Also give the posterior standard deviation of every prediction; for one infinitely wide network.
    pub deviation: bool,
    /// Where to write the predictions; `None` and `-` are standard output.
    pub output: Option<PathBuf>,
}

/// What came of it. [`FitJob`](crate::job::fit::FitJob) shows its use.
#[derive(Clone, Debug)]
pub struct PredictOutcome {
    /// In the units of the target, one for each row.
    pub predictions: Vec<f64>,
    /// Where they were asked for.
    pub intervals: Option<PredictedIntervals>,
    /// Posterior standard deviations and what they are, where they were asked for.
    pub deviations: Option<(Vec<f64>, String)>,
    /// What was remarkable about the rows.
    pub remarks: Vec<String>,
    /// Where the predictions were written.
    pub path: Option<PathBuf>,
}

/// Intervals for the rows of a table.
///
/// ```
/// use shallows::data::Recipe;
/// use shallows::job::predict::PredictJob;
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Model, Network, Watch};
///
/// let folder = tempfile::tempdir().unwrap();
/// let [model, table] = ["m.safetensors", "t.csv"].map(|name| folder.path().join(name));
/// std::fs::write(&table, "x\n1\n").unwrap();
/// let network = Network::new(Activation::RELU, Matrix::identity(1), vec![3.0])?;
/// Model::new(network, Recipe::plain(vec!["x".into()]), "y".into(), 0)?.save(&model)?;
/// // A model without calibration promises no intervals.
/// let job = PredictJob { model: model.into(), rows: table.into(), interval: Some(0.9), ..PredictJob::default() };
/// assert!(job.run(Watch::silent()).is_err());
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PredictedIntervals {
    /// The share of new targets that they are to cover.
    pub level: f64,
    /// Their lower ends.
    pub lower: Vec<f64>,
    /// Their upper ends.
    pub upper: Vec<f64>,
    /// The share that is proved.
    pub guarantee: f64,
    /// How they are made and what is proved of them.
    pub statement: String,
    /// The column that says of which rows: of a new group, or of later ones.
    pub dependence: Option<DependenceColumn>,
}

impl PredictJob {
    /// Take the model and the rows, predict, and write the predictions to a file where one is named.
    pub fn run(self, _watch: Watch<'_>) -> Result<PredictOutcome> {
        Destinations::default()
            .may_read(FileRole::Model, self.model.file())
            .may_read(FileRole::Table, self.rows.file())
            .may_write(FileRole::Predictions, self.output.as_ref())
            .check()?;
        let (model, name) = (self.model.load()?, self.rows.name());
        let inputs = self.rows.inputs(&model, &self.fill)?;
        let unknown: Vec<String> = inputs.ignored.into_iter().filter(|name| *name != model.target).collect();
        if !unknown.is_empty() && !self.ignore_extra {
            let path = name.into();
            return Err(Error::Request(RequestProblem::UnknownColumns { path, unknown }));
        }
        let predictions = model.predict(&inputs.X)?;
        check_predictions(&predictions)?;
        let intervals = self.interval.map(|level| PredictedIntervals::new(&model, &inputs.X, level)).transpose()?;
        let deviations = self.deviation.then(|| model.deviations(&inputs.X)).transpose()?;
        let path = self.output.filter(|path| path != Path::new("-"));
        let mut remarks = inputs.remarks;
        remarks.extend(intervals.as_ref().and_then(|intervals| intervals.outside(&predictions)));
        let outcome = PredictOutcome { predictions, intervals, deviations, remarks, path };
        outcome.path.iter().try_for_each(|path| outcome.write(path))?;
        Ok(outcome)
    }
}

impl PredictedIntervals {
    fn new(model: &Model, X: &Matrix, level: f64) -> Result<Self> {
        let (lower, upper) = model.finite_intervals(X, level)?.into_iter().unzip();
        let calibration = model.calibration()?;
        let (guarantee, statement) = (calibration.guarantee(level), model.interval_statement(level)?);
        let dependence = model.dependence.clone();
        Ok(PredictedIntervals { level, lower, upper, guarantee, statement, dependence })
    }

    /// How many predictions lie outside their own interval, which is made around predictions without some rows.
    fn outside(&self, predictions: &[f64]) -> Option<String> {
        let ends = self.lower.iter().zip(&self.upper);
        let outside =
            predictions.iter().zip(ends).filter(|(f, (lower, upper))| !(*lower <= *f && *f <= *upper)).count();
        let of = match outside {
            0 => return None,
            1 => "1 prediction lies outside its".to_owned(),
            many => format!("{many} predictions lie outside their"),
        };
        Some(format!(
            "{of} own interval: intervals come from networks that leave rows out, and these predict something else there"
        ))
    }
}

impl PredictOutcome {
    /// Write the columns `prediction`, with intervals `lower` and `upper`, and `deviation` where it was asked for; `-` is standard output.
    pub fn write(&self, path: &Path) -> Result<()> {
        let (mut names, mut columns) = (vec!["prediction".to_owned()], vec![self.predictions.clone()]);
        if let Some(intervals) = &self.intervals {
            names.extend(["lower".to_owned(), "upper".to_owned()]);
            columns.extend([intervals.lower.clone(), intervals.upper.clone()]);
        }
        if let Some((deviations, _)) = &self.deviations {
            names.push("deviation".to_owned());
            columns.push(deviations.clone());
        }
        write_columns(path, &names, &columns)
    }

    /// What a script reads; the numbers themselves where they are in no file.
    pub fn document(&self) -> Value {
        let mut document = json!({ "rows": self.predictions.len(), "remarks": self.remarks });
        if let Some(intervals) = &self.intervals {
            let PredictedIntervals { level, guarantee, statement, dependence, .. } = intervals;
            document["interval"] = json!({
                "level": level, "guarantee": guarantee, "statement": statement, "of": dependence,
            });
        }
        if let Some((_, statement)) = &self.deviations {
            document["deviation"] = json!({ "statement": statement });
        }
        match &self.path {
            Some(path) => document["path"] = json!(words::path(path)),
            None => {
                document["predictions"] = json!(self.predictions);
                if let Some(intervals) = &self.intervals {
                    document["lower"] = json!(intervals.lower);
                    document["upper"] = json!(intervals.upper);
                }
                if let Some((deviations, _)) = &self.deviations {
                    document["deviations"] = json!(deviations);
                }
            }
        }
        document
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_outside_their_own_intervals_are_counted() {
        let intervals = PredictedIntervals {
            level: 0.9,
            lower: vec![0.0, 1.0, 2.0],
            upper: vec![1.0, 2.0, 3.0],
            guarantee: 0.8,
            statement: String::new(),
            dependence: None,
        };
        assert_eq!(intervals.outside(&[0.0, 1.5, 3.0]), None);
        assert!(intervals.outside(&[0.5, 0.9, 2.5]).unwrap().starts_with("1 prediction lies outside its own interval"));
        assert!(
            intervals.outside(&[-1.0, 1.5, 3.1]).unwrap().starts_with("2 predictions lie outside their own interval")
        );
    }
}

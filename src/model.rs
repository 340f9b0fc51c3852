//! A trained network with the recipe for its inputs, and the file it lives in.
//!
//! The file is one safetensors file (`model/file.rs`). It is not trusted: no claim of its header is acted upon before
//! it has been held against the bytes that are there.

mod container;
mod file;
mod finite;
mod function;
pub mod interval;
#[cfg(feature = "onnx")]
pub mod onnx;
mod tensor;

use std::fs::File;
use std::io;
use std::path::Path;

use serde_json::{Value, json};

pub use finite::{DrawnMember, FiniteForm, RankedNetwork};
pub use function::{Function, WIDE, WideMember};
pub(crate) use interval::Intervals;
pub use interval::{Calibration, IntervalDoubt};

use crate::activation::Activation;
use crate::data::{DependenceColumn, Recipe, TargetScale};
use crate::error::{Error, ModelProblem, Result};
use crate::file::write_atomically;
use crate::linalg::Matrix;
use crate::network::Network;
use crate::wide::{KernelLayer, RankCurve};

/// A network that knows its columns and what becomes of them.
///
/// ```
/// use std::path::Path;
/// use shallows::data::Recipe;
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Model, Network, Table};
///
/// let network = Network::new(Activation::SQUARE, Matrix::identity(1), vec![3.0])?;
/// let model = Model::new(network, Recipe::plain(vec!["x".into()]), "y".into(), 0)?;
/// // A model file is safetensors; what is read back is the same.
/// let again = Model::from_bytes(&model.to_bytes()?)?;
/// let table = Table::read_csv("x\n2\n".as_bytes(), Path::new("t.csv"))?;
/// assert_eq!(again.predict(&again.recipe.inputs(&table)?.X)?, [12.0]);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The function: one hidden layer, of one activation or of several, finite or infinitely wide.
    pub network: Function,
    /// How the columns of a table become its inputs.
    pub recipe: Recipe,
    /// The name of what is predicted.
    pub target: String,
    /// The seed of the run.
    pub seed: u64,
    /// The version of this crate that trained it; empty for a file from elsewhere.
    pub version: String,
    /// What prediction intervals need, where there are to be any.
    pub calibration: Option<Calibration>,
    /// The column by which rows of the fit were left out together, or judged by earlier ones.
    pub dependence: Option<DependenceColumn>,
}

impl Model {
    /// A model trained by this version of the crate.
    pub fn new(network: impl Into<Function>, recipe: impl Into<Recipe>, target: String, seed: u64) -> Result<Self> {
        let (network, recipe, version) = (network.into(), recipe.into(), env!("CARGO_PKG_VERSION").into());
        let model = Model { network, recipe, target, seed, version, calibration: None, dependence: None };
        model.check()?;
        Ok(model)
    }

    /// The network is sound, and so is the calibration; every input has a name of its own.
    pub fn check(&self) -> Result<()> {
        self.network.check()?;
        self.check_names()
            .and_then(|()| self.check_calibration())
            .map_err(|problem| Error::Model { path: None, problem })
    }

    /// The names of the inputs, in the order of the columns of W.
    pub fn inputs(&self) -> Vec<String> {
        self.recipe.input_names()
    }

    /// The network, where all hidden units have one activation and are finitely many.
    pub fn only(&self) -> Result<&Network> {
        let problem = || match self.network.width() {
            None => ModelProblem::InfinitelyWide,
            Some(_) => ModelProblem::SeveralActivations { activations: self.network.activations().join(", ") },
        };
        self.network.only().ok_or_else(|| Error::Model { path: None, problem: problem() })
    }

    /// Predictions in the units of the target, for rows of its inputs.
    pub fn predict(&self, X: &Matrix) -> Result<Vec<f64>> {
        let scale = self.recipe.target_scale();
        Ok(self.network.predict(X)?.into_iter().map(|f| scale.original(f)).collect())
    }

    /// Intervals in the units of the target; see [`Calibration::intervals`].
    pub fn intervals(&self, X: &Matrix, level: f64) -> Result<Intervals> {
        interval::check_level(level)?;
        let scale = self.recipe.target_scale();
        let intervals = self.calibration()?.intervals(&self.network, X, level)?;
        Ok(intervals.into_iter().map(|(lower, upper)| (scale.original(lower), scale.original(upper))).collect())
    }

    /// The same, refused where an end would be infinite.
    pub fn finite_intervals(&self, X: &Matrix, level: f64) -> Result<Intervals> {
        let intervals = self.intervals(X, level)?;
        if !self.calibration()?.is_enough_for(level) {
            return Err(Error::InfiniteIntervals { level });
        }
        match intervals.iter().position(|(lower, upper)| !(lower.is_finite() && upper.is_finite())) {
            Some(row) => Err(Error::FarOutside { what: "interval", row }),
            None => Ok(intervals),
        }
    }

    /// The posterior standard deviation of f for rows of its inputs, on the scale on which f was fitted, and what it is.
    ///
    /// # Errors
    /// Where the model is not one infinitely wide network.
    pub fn deviations(&self, X: &Matrix) -> Result<(Vec<f64>, String)> {
        let problem = || Error::Model { path: None, problem: ModelProblem::NoDeviation };
        let network = self.network.only_wide().ok_or_else(problem)?;
        let expected = network.inputs();
        if X.cols() != expected {
            return Err(Error::Shape { what: "columns", expected, found: X.cols() });
        }
        let of = match self.recipe.target_scale() {
            TargetScale::Log => self.recipe.target_name(&self.target),
            TargetScale::Identity | TargetScale::Centred(_) => "the prediction".to_owned(),
        };
        let noise = network.noise.sqrt() * network.unit;
        let (some, all) = (network.deviation_centres(), network.centres.rows());
        let part = match some < all {
            true => format!(". It is that of {some} of the {all} rows of the network, which is at least that of all"),
            false => String::new(),
        };
        let statement = format!(
            "deviation is the posterior standard deviation of {of}, if the laws of the network hold, in a unit in which errors on \
             rows left out are as large as they should be; a new target has noise of deviation {noise:.4} besides{part}. No \
             coverage is proved of it"
        );
        Ok((network.deviations(X), statement))
    }

    /// What prediction intervals rest on.
    pub fn calibration(&self) -> Result<&Calibration> {
        self.calibration.as_ref().ok_or(Error::Model { path: None, problem: ModelProblem::NotCalibrated })
    }

    /// How intervals are made and what is proved of them, in words.
    pub fn interval_statement(&self, level: f64) -> Result<String> {
        Ok(self.calibration()?.statement(level, self.dependence.as_ref()))
    }

    /// There is a name for each input, and the target is not among the columns.
    fn check_names(&self) -> std::result::Result<(), ModelProblem> {
        let (names, inputs) = (self.inputs(), self.network.inputs());
        if names.len() != inputs {
            return Err(ModelProblem::NameCount { names: names.len(), inputs });
        }
        self.recipe.check().map_err(|error| ModelProblem::Recipe { reason: error.to_string() })?;
        let mut columns = self.recipe.columns().iter().map(|step| &step.name).chain(&names);
        match columns.find(|name| **name == self.target) {
            Some(name) => Err(ModelProblem::RepeatedName { name: name.clone() }),
            None => Ok(()),
        }
    }

    /// Scores are absolute values, and each fold was predicted by a function of the same inputs.
    fn check_calibration(&self) -> std::result::Result<(), ModelProblem> {
        let sound = |scores: &[f64]| !scores.is_empty() && scores.iter().all(|r| r.is_finite() && *r >= 0.0);
        let sound = match &self.calibration {
            None => true,
            Some(Calibration::Split(scores) | Calibration::SplitInTime(scores)) => sound(scores),
            Some(Calibration::SplitByGroup(groups)) => !groups.is_empty() && groups.iter().all(|scores| sound(scores)),
            Some(Calibration::Forward(forward)) => {
                forward.is_sound() && forward.network.inputs() == self.network.inputs()
            }
            Some(Calibration::Jackknife(jackknife, _)) => {
                jackknife.is_sound() && jackknife.network.inputs() == self.network.inputs()
            }
            Some(Calibration::Cross(folds)) => {
                folds.len() > 1
                    && folds
                        .iter()
                        .all(|(f, scores)| f.check().is_ok() && f.inputs() == self.network.inputs() && sound(scores))
            }
        };
        if sound { Ok(()) } else { Err(ModelProblem::Calibration) }
    }

    /// Write the model to a file; a file of that name is replaced, and never by half a model.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let bytes = self.to_bytes()?;
        write_atomically(path, |file| file.write_all(&bytes))
    }

    /// Read a model from a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(path, None)
    }

    /// Read a model from a file that may not say which activation its weights belong to.
    pub fn load_with(path: impl AsRef<Path>, activation: Option<Activation>) -> Result<Self> {
        let path = path.as_ref();
        let read = || {
            let file = File::open(path)?;
            let about = file.metadata()?;
            let bytes = if about.is_file() { about.len() } else { 0 };
            if bytes > container::MOST_BYTES {
                return Ok(Err(ModelProblem::TooLarge { bytes, most: container::MOST_BYTES }));
            }
            file::read(file, activation)
        };
        let model = read().map_err(|source: io::Error| Error::Io { path: path.into(), source })?;
        model.map_err(|problem| Error::Model { path: Some(path.into()), problem })
    }

    /// Read a model from a file; one from elsewhere that does not say which activation it has is taken for a quadratic network.
    pub fn load_quadratic(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::load(path).or_else(|error| Self::load_with(path, Some(Activation::SQUARE)).map_err(|_| error))
    }

    /// Whether the file came from elsewhere, so that it says nothing about its columns.
    pub fn is_foreign(&self) -> bool {
        self.version.is_empty()
    }

    /// Read a model from the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::from_bytes_with(bytes, None)
    }

    /// Read a model from bytes that may not say which activation the weights belong to.
    pub fn from_bytes_with(bytes: &[u8], activation: Option<Activation>) -> Result<Self> {
        let model = file::read(bytes, activation).unwrap_or_else(|error| Err(container::not_safetensors(error)));
        model.map_err(|problem| Error::Model { path: None, problem })
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.check()?;
        file::bytes(self)
    }

    /// The model as JSON to read; every number has as many digits as it takes to get the same f64 back.
    pub fn to_json(&self) -> Value {
        let networks = self.network.networks();
        let mut document = json!({
            "formula": self.formula(),
            "width": self.network.width(),
            "inputs": self.inputs(),
            "recipe": self.recipe,
            "target": self.target,
            "target_scale": self.recipe.target_scale().name(),
            "target_centre": self.recipe.target_scale().centre(),
            "seed": self.seed,
            "version": self.version,
        });
        if !self.network.wide().is_empty() {
            document["wide"] = self.network.wide().iter().map(wide_json).collect();
        }
        match (networks, &mut document) {
            ([network], Value::Object(document)) => {
                if let Value::Object(group) = group_json(network) {
                    document.extend(group);
                }
            }
            ([], _) => {}
            (several, document) => document["groups"] = several.iter().map(group_json).collect(),
        }
        let affine = networks.first().map(|first| [("c", json!(first.intercept)), ("b", json!(first.linear))]);
        for (name, part) in affine.into_iter().flatten().filter(|(_, part)| !part.is_null()) {
            document[name] = part;
        }
        document
    }

    /// What a script reads about the laws of the infinitely wide networks: layers, noise, and what becomes of inputs and target
    /// before, one entry for each network.
    ///
    /// ```
    /// use shallows::data::Recipe;
    /// use shallows::wide::{LayerSet, WideNetwork};
    /// use shallows::{Data, Model, Watch};
    ///
    /// let data = Data::from_rows(&[[0.0], [1.0], [2.0], [4.0]], &[0.0, 1.0, 4.0, 2.0])?;
    /// let wide = WideNetwork::fitted(&data, &data.columns, LayerSet::RoughRelu, 0, Watch::silent()).expect("definite");
    /// let model = Model::new(wide, Recipe::plain(vec!["x".into()]), "y".into(), 0)?;
    /// assert_eq!(model.laws()[0]["layers"][0]["law"], "rough-by-input");
    /// # Ok::<(), shallows::Error>(())
    /// ```
    pub fn laws(&self) -> Vec<Value> {
        self.network.wide().iter().map(laws_json).collect()
    }

    /// What is predicted, as a formula.
    pub(super) fn formula(&self) -> String {
        let finite = match self.network.networks().len() {
            0 => None,
            1 => Some("v·φ(W x + u) + c + b·x"),
            _ => Some("Σ_g v_g·φ_g(W_g x + u_g) + c + b·x"),
        };
        let wide = match (self.network.only_wide(), self.network.wide()) {
            (Some(_), _) => Some("mean + Σ_i α_i κ(z(x), z_i)"),
            (None, []) => None,
            (None, _) => Some("Σ_m weight_m·(mean_m + Σ_i α_mi κ_m(z_m(x), z_mi))"),
        };
        let sum = finite.into_iter().chain(wide).collect::<Vec<_>>().join(" + ");
        match self.recipe.target_scale() {
            TargetScale::Identity => format!("f(x) = {sum}"),
            TargetScale::Centred(_) => format!("f(x) = {sum} + target centre"),
            TargetScale::Log => format!("f(x) = exp({sum})"),
        }
    }
}

/// Predictions are numbers, unless a row is far outside of what the network knows.
///
/// ```
/// use shallows::model::check_predictions;
///
/// assert!(check_predictions(&[1.0, 2.0]).is_ok());
/// assert!(check_predictions(&[1.0, f64::INFINITY]).is_err());
/// ```
pub fn check_predictions(predictions: &[f64]) -> Result<()> {
    match predictions.iter().position(|f| !f.is_finite()) {
        Some(row) => Err(Error::FarOutside { what: "prediction", row }),
        None => Ok(()),
    }
}

/// The hidden units of one activation.
fn group_json(network: &Network) -> Value {
    let rows: Vec<&[f64]> = (0..network.width()).map(|j| network.W.row(j)).collect();
    let mut group = json!({ "activation": network.activation.to_string(), "W": rows, "v": network.v });
    if let Some(u) = &network.bias {
        group["u"] = json!(u);
    }
    group
}

/// What a script reads about a wide network without its rows.
fn laws_json(member: &WideMember) -> Value {
    let WideMember { weight, network } = member;
    json!({
        "weight": weight, "set": network.set.name(), "mean": network.target_mean, "noise": network.noise,
        "target_deviation": network.target_deviation, "unit": network.unit, "decay": network.decay(), "kept": network.transform.kept,
        "input_mean": network.transform.mean, "input_deviation": network.transform.deviation,
        "left_out_error": network.left_out_error,
        "layers": network.kernel.layers.iter().map(layer_json).collect::<Vec<_>>(),
    })
}

/// A wide network: its laws, what becomes of its inputs, and its coefficients with the rows that they belong to.
fn wide_json(member: &WideMember) -> Value {
    let network = &member.network;
    let mut document = laws_json(member);
    document["centres"] = (0..network.centres.rows()).map(|g| network.centres.row(g)).collect();
    document["alpha"] = json!(network.alpha);
    if let Some(curves) = &network.transform.ranks {
        let curve = |curve: &RankCurve| json!({ "values": curve.values, "ranks": curve.ranks });
        document["ranks"] = curves.iter().map(curve).collect();
    }
    document
}

fn layer_json(layer: &KernelLayer) -> Value {
    let KernelLayer { law, signal, scales, bias } = layer;
    json!({ "law": law.name(), "signal": signal, "scales": scales, "bias": bias })
}

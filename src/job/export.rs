//! `export`: a saved network in another format.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::given::GivenModel;
use super::words;
use crate::activation::Activation;
use crate::error::{Error, Parameter, RequestProblem, Requirement, Result};
use crate::file::{Destinations, FileRole, write_atomically};
use crate::model::{DrawnMember, FiniteForm, Model};
use crate::watch::Watch;

/// What is asked for.
///
/// ```
/// use shallows::data::Recipe;
/// use shallows::job::export::{ExportFormat, ExportJob};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Model, Network, Watch};
///
/// let folder = tempfile::tempdir().unwrap();
/// let model = folder.path().join("m.safetensors");
/// let network = Network::new(Activation::RELU, Matrix::identity(1), vec![3.0])?;
/// Model::new(network, Recipe::plain(vec!["x".into()]), "y".into(), 0)?.save(&model)?;
///
/// let format = Some(ExportFormat::Json);
/// let job =
///     ExportJob { model: model.into(), format, precision: None, activation: None, width: None, seed: None, output: None };
/// assert!(String::from_utf8_lossy(&job.run(Watch::silent())?.content).contains("relu"));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExportJob {
    /// The network.
    pub model: GivenModel,
    /// The format; by the ending of the output when `None`, and JSON without an output.
    pub format: Option<ExportFormat>,
    /// Of the numbers in an ONNX file; double when `None`. Refused for other formats, whose numbers are exact.
    pub precision: Option<ExportPrecision>,
    /// For a file from elsewhere that does not say which activation it has.
    pub activation: Option<Activation>,
    /// Units of the finite networks that take the place of infinitely wide ones; these stay as they are when `None`.
    pub width: Option<usize>,
    /// Of these units; that of the model when `None`. Refused without a width.
    pub seed: Option<u64>,
    /// Where to write; `None` and `-` are standard output.
    pub output: Option<PathBuf>,
}

/// The numbers in an ONNX file. [`ExportJob`] shows its use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum ExportPrecision {
    /// Single; weights are rounded.
    #[serde(rename = "f32")]
    Single,
    /// Double; weights are exact.
    #[default]
    #[serde(rename = "f64")]
    Double,
}

/// A format that a model can be written in. [`ExportJob`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// Text that people can read.
    Json,
    /// A graph that other programs can run.
    Onnx,
    /// Tensors that other programs can read.
    Safetensors,
}

/// What came of it. [`ExportJob`] shows its use.
#[derive(Clone, Debug)]
pub struct ExportOutcome {
    /// The bytes of the file.
    pub content: Vec<u8>,
    /// Where they were written.
    pub path: Option<PathBuf>,
    /// What was drawn, where a width was given.
    pub finite: Option<FiniteForm>,
}

impl ExportPrecision {
    /// As it is spelt where it is chosen.
    pub fn name(self) -> &'static str {
        match self {
            ExportPrecision::Single => "f32",
            ExportPrecision::Double => "f64",
        }
    }
}

impl ExportJob {
    /// Take the model, and write it in the other format where a file is named.
    pub fn run(&self, _watch: Watch<'_>) -> Result<ExportOutcome> {
        let format = self.format()?;
        if let Some(precision) = self.precision.filter(|_| format != ExportFormat::Onnx) {
            let onnx = Requirement::OnlyWith(&["the format onnx"]);
            return Err(Error::parameter(Parameter::Precision, onnx, precision.name()));
        }
        if let Some(seed) = self.seed.filter(|_| self.width.is_none()) {
            return Err(Error::parameter(Parameter::UnitSeed, Requirement::OnlyWith(&["a width"]), seed));
        }
        Destinations::default()
            .may_read(FileRole::Model, self.model.file())
            .may_write(FileRole::Export, self.output.as_ref())
            .check()?;
        let model = self.model.load_with(self.activation.clone())?;
        let draw = |width| FiniteForm::drawn(&model, width, self.seed.unwrap_or(model.seed));
        let finite = self.width.map(draw).transpose()?;
        let ordinary = || match &finite {
            None => Ok(Arc::clone(&model)),
            Some(form) => {
                let problem = Error::Request(RequestProblem::RanksInFiniteForm);
                form.model(&model).map(Arc::new).ok_or(problem)
            }
        };
        let content = match format {
            ExportFormat::Json => format!("{:#}\n", ordinary()?.to_json()).into_bytes(),
            ExportFormat::Onnx => onnx(&model, finite.as_ref(), self.precision.unwrap_or_default())?,
            ExportFormat::Safetensors => ordinary()?.to_bytes()?,
        };
        let path = self.output.clone().filter(|path| path != Path::new("-"));
        path.iter().try_for_each(|path| write_atomically(path, |out| out.write_all(&content)))?;
        Ok(ExportOutcome { content, path, finite })
    }

    /// The format that was asked for, or that the ending of the output says.
    fn format(&self) -> Result<ExportFormat> {
        let refuse = |problem| Err(Error::Request(problem));
        match (self.format, &self.output) {
            (Some(format), None) if format != ExportFormat::Json => refuse(RequestProblem::BinaryWithoutFile),
            (Some(format), _) => Ok(format),
            (None, None) => Ok(ExportFormat::Json),
            (None, Some(path)) if path == Path::new("-") => Ok(ExportFormat::Json),
            (None, Some(path)) => {
                let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
                match ending.as_deref() {
                    Some("json") => Ok(ExportFormat::Json),
                    Some("onnx") => Ok(ExportFormat::Onnx),
                    Some("safetensors") => Ok(ExportFormat::Safetensors),
                    _ => refuse(RequestProblem::ExportFormat { path: path.clone() }),
                }
            }
        }
    }
}

#[cfg(feature = "onnx")]
fn onnx(model: &Model, finite: Option<&FiniteForm>, precision: ExportPrecision) -> Result<Vec<u8>> {
    use crate::model::onnx::{GraphPrecision, finite_onnx, onnx};
    let precision = match precision {
        ExportPrecision::Single => GraphPrecision::F32,
        ExportPrecision::Double => GraphPrecision::F64,
    };
    match finite {
        Some(form) => finite_onnx(model, form, precision),
        None => onnx(model, precision),
    }
}

#[cfg(not(feature = "onnx"))]
fn onnx(_model: &Model, _finite: Option<&FiniteForm>, _precision: ExportPrecision) -> Result<Vec<u8>> {
    Err(Error::Request(RequestProblem::OnnxNotBuilt))
}

impl ExportOutcome {
    /// What a script reads.
    pub fn document(&self) -> Value {
        let mut document = json!({ "path": self.path.as_ref().map(words::path), "bytes": self.content.len() });
        if let Some(form) = &self.finite {
            document["finite"] = finite_document(form);
        }
        document
    }

    /// What the finite form has in place of the wide networks, and how much that changes, a line for each.
    ///
    /// Of other exports there is nothing to say.
    pub fn finite_words(&self) -> Option<String> {
        let form = self.finite.as_ref()?;
        let mut lines = vec![];
        for DrawnMember { units, objective, wide_objective, .. } in &form.members {
            let units: Vec<String> = units.iter().map(|(law, units)| format!("{units} {}", law.name())).collect();
            let units = if units.is_empty() { "no unit".to_owned() } else { units.join(", ") };
            let (objective, wide) = (words::brief(*objective), words::brief(*wide_objective));
            lines.push(format!("{units}: objective {objective}, infinitely wide {wide}"));
        }
        let (root_mean_square, largest) = form.difference();
        let share = |size: f64| words::brief(size / form.target_deviation());
        let (root_mean_square, largest) = (share(root_mean_square), share(largest));
        lines.push(format!(
            "at the rows of the fit {root_mean_square} deviations of the target from the infinitely wide model (root mean \
             square), at most {largest}; seed {}",
            form.seed
        ));
        Some(lines.join("\n"))
    }
}

fn finite_document(form: &FiniteForm) -> Value {
    let (root_mean_square, largest) = form.difference();
    let deviation = form.target_deviation();
    let member = |member: &DrawnMember| {
        let units: serde_json::Map<String, Value> =
            member.units.iter().map(|(law, units)| (law.name().to_owned(), json!(units))).collect();
        json!({
            "set": member.set.name(), "weight": member.weight, "units": units, "objective": member.objective,
            "wide_objective": member.wide_objective,
        })
    };
    json!({
        "width": form.width(), "seed": form.seed, "target_deviation": deviation,
        "difference": { "root_mean_square": root_mean_square, "largest": largest },
        "relative_difference": { "root_mean_square": root_mean_square / deviation, "largest": largest / deviation },
        "networks": form.members.iter().map(member).collect::<Vec<_>>(),
    })
}

//! The file of a model. Its tensors are f64:
//!
//! | tensor | shape | |
//! |---|---|---|
//! | `W` | k×d | hidden weights |
//! | `v` | k | output weights |
//! | `u` | k | hidden biases, where there are any |
//! | `c` | 1 | the intercept, where there is one |
//! | `b` | d | the linear part, where there is one |
//! | `calibration` | m | the scores of rows that had no part in the fit, where intervals rest on them |
//!
//! With several activations there are `W.tanh`, `v.tanh`, `W.relu`, …, and `c` and `b` once. Where intervals rest on
//! cross-validation, the function of the first fold has the tensors `fold1.W`, `fold1.v`, … and its scores are
//! `fold1.calibration`.
//!
//! A wide network has, each with the prefix `wide1.`, `wide2.`, …:
//!
//! | tensor | shape | |
//! |---|---|---|
//! | `centres` | n×k | the distinct rows of the table that it was fitted to, as its kernel sees them |
//! | `weights` | n | how much each of them counts |
//! | `alpha` | n | the coefficients |
//! | `left_out` | rows | the errors on rows left out |
//! | `values`, `ranks` | m | the curves of ranks, one after the other, where ranks take the place of values |
//!
//! Where intervals rest on a wide network whose rows are left out in turn, it has the prefix `jackknife.` and a further
//! tensor `scored`, which is 1 for the rows that are left out and 0 for the others; `groups` in the metadata has their groups, where
//! groups are left out. Where they rest on rows that earlier ones have judged, it has the prefix `forward.` and a tensor `scores`.
//!
//! Everything else is one JSON document, the metadata entry `shallows`: format, activations, recipe, target, seed,
//! version, kind of calibration, the laws of wide networks. The recipe says on which scale the target is, where that is not its own. (One entry, because the library that writes the header keeps entries in
//! no particular order, and the same model shall give the same bytes.)
//!
//! A file from elsewhere with `W` and `v` in f64 or f32 is a model too, once the metadata entry `activation`
//! or the caller says to which activation the weights belong. Its inputs are then called x1 … xd, its target y.

mod wide;

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};

use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorView};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::container;
use super::interval::{Calibration, IntervalDoubt};
use super::tensor::Tensor;
use super::{Function, Model};
use crate::activation::Activation;
use crate::data::{DependenceColumn, Recipe};
use crate::error::{Error, ModelProblem, Result};
use crate::linalg::Matrix;
use crate::network::{Network, NetworkSum};
use wide::{CurveTensors, JackknifeTensors, WideDescription};

/// The metadata entry we write, and the format it has.
const ENTRY: &str = "shallows";
/// What has no wide networks is written in the format before, which earlier versions read.
const FORMAT: u64 = 3;
const FINITE_FORMAT: u64 = 2;
/// The metadata entry a file from elsewhere may have.
const FOREIGN_ACTIVATION: &str = "activation";
/// The longest activation we read: some two hundred Hermite coefficients in full precision, and ample room.
const MOST_ACTIVATION_BYTES: usize = 1 << 16;

/// What fails here is the file.
pub(super) type FileResult<T> = std::result::Result<T, ModelProblem>;

/// What the metadata entry holds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelDescription {
    format: u64,
    activations: Vec<String>,
    recipe: Recipe,
    target: String,
    seed: u64,
    version: String,
    calibration: Option<CalibrationKind>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    wide: Vec<WideDescription>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dependence: Option<DependenceColumn>,
}

/// The kind of a calibration.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum CalibrationKind {
    Split,
    /// How many scores each group has.
    SplitByGroup(Vec<usize>),
    SplitInTime,
    /// The wide network of the latest rows.
    Forward(Box<WideDescription>),
    /// The activations of each fold's function.
    Cross(Vec<Vec<String>>),
    /// The wide network whose rows are left out in turn.
    Jackknife {
        network: Box<WideDescription>,
        doubt: Option<IntervalDoubt>,
        /// The group of each row that is left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        groups: Option<Vec<usize>>,
    },
}

/// The metadata entry of format 1: one activation, no calibration.
#[derive(Deserialize)]
struct FirstDescription {
    activation: String,
    inputs: Vec<String>,
    target: String,
    seed: u64,
    version: String,
}

impl From<FirstDescription> for ModelDescription {
    fn from(first: FirstDescription) -> Self {
        let FirstDescription { activation, inputs, target, seed, version } = first;
        let (activations, recipe) = (vec![activation], Recipe::plain(inputs));
        ModelDescription {
            format: 1,
            activations,
            recipe,
            target,
            seed,
            version,
            calibration: None,
            wide: vec![],
            dependence: None,
        }
    }
}

/// A tensor to write: name, shape, numbers.
pub(super) type NamedTensor<'a> = (String, Vec<usize>, &'a [f64]);

/// The bytes of the file of a model that passed its check.
pub(super) fn bytes(model: &Model) -> Result<Vec<u8>> {
    let names = |f: &NetworkSum| f.activations().map(Activation::to_string).collect::<Vec<_>>();
    let (finite, wide) = (model.network.finite(), model.network.wide());
    let mut parts = finite.map_or(vec![], |finite| function_parts("", finite));
    let curves: Vec<CurveTensors> = wide.iter().map(|member| CurveTensors::of(&member.network)).collect();
    for (at, (member, curves)) in wide.iter().zip(&curves).enumerate() {
        parts.extend(wide::parts(&wide::prefix(at), &member.network, curves));
    }
    let jackknife = match &model.calibration {
        Some(Calibration::Jackknife(jackknife, _)) => Some(JackknifeTensors::of(jackknife)),
        _ => None,
    };
    let forward_curves = match &model.calibration {
        Some(Calibration::Forward(forward)) => Some(CurveTensors::of(&forward.network)),
        _ => None,
    };
    let by_group = match &model.calibration {
        Some(Calibration::SplitByGroup(groups)) => groups.concat(),
        _ => vec![],
    };
    let calibration = model.calibration.as_ref().map(|calibration| match calibration {
        Calibration::Jackknife(one, doubt) => {
            parts.extend(jackknife.iter().flat_map(|tensors| tensors.parts(one)));
            let network = Box::new(WideDescription::of_network(1.0, &one.network));
            CalibrationKind::Jackknife { network, doubt: *doubt, groups: one.groups.clone() }
        }
        Calibration::Forward(forward) => {
            let curves = forward_curves.iter();
            parts.extend(curves.flat_map(|curves| wide::parts(wide::FORWARD, &forward.network, curves)));
            parts.push((format!("{}scores", wide::FORWARD), vec![forward.scores.len()], &forward.scores));
            CalibrationKind::Forward(Box::new(WideDescription::of_network(1.0, &forward.network)))
        }
        Calibration::SplitByGroup(groups) => {
            parts.push(("calibration".into(), vec![by_group.len()], &by_group));
            CalibrationKind::SplitByGroup(groups.iter().map(Vec::len).collect())
        }
        Calibration::SplitInTime(scores) => {
            parts.push(("calibration".into(), vec![scores.len()], scores));
            CalibrationKind::SplitInTime
        }
        Calibration::Split(scores) => {
            parts.push(("calibration".into(), vec![scores.len()], scores));
            CalibrationKind::Split
        }
        Calibration::Cross(folds) => {
            for (at, (f, scores)) in folds.iter().enumerate() {
                let prefix = fold_prefix(at);
                parts.extend(function_parts(&prefix, f));
                parts.push((format!("{prefix}calibration"), vec![scores.len()], scores));
            }
            CalibrationKind::Cross(folds.iter().map(|(f, _)| names(f)).collect())
        }
    });
    let is_finite = wide.is_empty() && jackknife.is_none() && forward_curves.is_none();
    let description = ModelDescription {
        format: if is_finite { FINITE_FORMAT } else { FORMAT },
        activations: finite.map_or(vec![], names),
        recipe: model.recipe.clone(),
        target: model.target.clone(),
        seed: model.seed,
        version: model.version.clone(),
        calibration,
        wide: wide.iter().map(WideDescription::of).collect(),
        dependence: model.dependence.clone(),
    };
    let text = serde_json::to_string(&description).map_err(internal)?;
    let bytes: Vec<Vec<u8>> = parts.iter().map(|(_, _, numbers)| little_endian(numbers)).collect();
    let views: std::result::Result<Vec<_>, _> = parts
        .iter()
        .zip(&bytes)
        .map(|((name, shape, _), bytes)| Ok((name, TensorView::new(Dtype::F64, shape.clone(), bytes)?)))
        .collect();
    let metadata = HashMap::from([(ENTRY.to_string(), text)]);
    views.and_then(|views| safetensors::serialize(views, Some(metadata))).map_err(internal)
}

fn fold_prefix(at: usize) -> String {
    format!("fold{}.", at + 1)
}

/// What follows the letter of a tensor, to tell several activations apart.
pub(super) fn suffix(activation: &Activation, groups: usize) -> String {
    if groups > 1 { format!(".{activation}") } else { String::new() }
}

/// The tensors of a function.
fn function_parts<'a>(prefix: &str, f: &'a NetworkSum) -> Vec<NamedTensor<'a>> {
    let networks = f.networks();
    let mut parts = vec![];
    for network in networks {
        let (k, d) = (network.width(), network.inputs());
        let name = |letter: &str| format!("{prefix}{letter}{}", suffix(&network.activation, networks.len()));
        parts.push((name("W"), vec![k, d], network.W.as_slice()));
        parts.push((name("v"), vec![k], network.v.as_slice()));
        parts.extend(network.bias.as_ref().map(|u| (name("u"), vec![k], u.as_slice())));
    }
    let first = &networks[0];
    let intercept = first.intercept.as_ref().map(std::slice::from_ref);
    parts.extend(intercept.map(|c| (format!("{prefix}c"), vec![1], c)));
    parts.extend(first.linear.as_ref().map(|b| (format!("{prefix}b"), vec![b.len()], b.as_slice())));
    parts
}

/// Read a model.
pub(super) fn read(file: impl Read, activation: Option<Activation>) -> io::Result<FileResult<Model>> {
    let parts = container::parts(file)?;
    Ok(parts.and_then(|(header, weights)| interpret(&header, &weights, activation)))
}

/// The model that a header and its weights describe.
fn interpret(header: &Metadata, weights: &[u8], given: Option<Activation>) -> FileResult<Model> {
    let tensors = Tensors { header, weights };
    let description = description(header)?;
    let functions = functions(description.as_ref())?;
    tensors.refuse_unknown(&functions, description.as_ref())?;
    let model = match description {
        Some(description) => tensors.described(description, &functions, given)?,
        None => tensors.foreign(foreign_activation(header, given)?)?,
    };
    model.check_names()?;
    model.check_calibration()?;
    Ok(model)
}

/// A sum of finite networks in the file.
struct FileFunction {
    prefix: String,
    activations: Vec<Activation>,
    /// Whether scores belong to it.
    scored: bool,
}

/// The functions in a file of ours, the model's first; none in a file from elsewhere.
fn functions(description: Option<&ModelDescription>) -> FileResult<Vec<FileFunction>> {
    let Some(description) = description else { return Ok(vec![]) };
    use CalibrationKind::{Split, SplitByGroup, SplitInTime};
    let scored = matches!(description.calibration, Some(Split | SplitByGroup(_) | SplitInTime));
    let has_none = description.activations.is_empty() && !description.wide.is_empty();
    let activations = if has_none { vec![] } else { self::activations(&description.activations)? };
    let mut functions = vec![FileFunction { prefix: String::new(), activations, scored }];
    if let Some(CalibrationKind::Cross(folds)) = &description.calibration {
        for (at, texts) in folds.iter().enumerate() {
            let activations = self::activations(texts)?;
            functions.push(FileFunction { prefix: fold_prefix(at), activations, scored: true });
        }
    }
    Ok(functions)
}

/// What our metadata entry says; none in a file from elsewhere.
fn description(header: &Metadata) -> FileResult<Option<ModelDescription>> {
    let Some(text) = header.metadata().as_ref().and_then(|metadata| metadata.get(ENTRY)) else {
        return Ok(None);
    };
    let unreadable = |error: serde_json::Error| ModelProblem::Metadata { reason: error.to_string() };
    let value: Value = serde_json::from_str(text).map_err(unreadable)?;
    // A later format may lack fields of this one: look at its number first.
    match value.get("format").and_then(Value::as_u64) {
        Some(found) if found > FORMAT => Err(ModelProblem::Format { found, known: FORMAT }),
        Some(1) => serde_json::from_value(value).map(FirstDescription::into).map(Some).map_err(unreadable),
        _ => serde_json::from_value(value).map(Some).map_err(unreadable),
    }
}

/// The activation of a file from elsewhere.
fn foreign_activation(header: &Metadata, given: Option<Activation>) -> FileResult<Activation> {
    match header.metadata().as_ref().and_then(|metadata| metadata.get(FOREIGN_ACTIVATION)) {
        Some(text) => agreed(&[parse(text)?], given).map(|one| one[0].clone()),
        None => given.ok_or(ModelProblem::NoActivation),
    }
}

fn parse(text: &str) -> FileResult<Activation> {
    let unknown = || ModelProblem::Activation { text: text.to_owned() };
    let text = Some(text).filter(|text| text.len() <= MOST_ACTIVATION_BYTES).ok_or_else(unknown)?;
    text.parse().map_err(|_| unknown())
}

/// The activations of a file, which the caller must not contradict.
fn agreed(file: &[Activation], given: Option<Activation>) -> FileResult<&[Activation]> {
    match given {
        Some(given) if *file != [given.clone()] => {
            let file = file.iter().map(Activation::to_string).collect::<Vec<_>>().join(" + ");
            Err(ModelProblem::OtherActivation { file, given: given.to_string() })
        }
        _ => Ok(file),
    }
}

/// The activations of a function, at least one and all different.
fn activations(texts: &[String]) -> FileResult<Vec<Activation>> {
    let parsed = texts.iter().map(|text| parse(text)).collect::<FileResult<Vec<Activation>>>()?;
    let repeated = |(at, one): (usize, &Activation)| parsed[..at].contains(one);
    if parsed.is_empty() || parsed.iter().enumerate().any(repeated) {
        let reason = "a function needs at least one activation, and each only once".to_owned();
        return Err(ModelProblem::Metadata { reason });
    }
    Ok(parsed)
}

/// The tensors of a file.
pub(super) struct Tensors<'a> {
    pub header: &'a Metadata,
    pub weights: &'a [u8],
}

impl<'a> Tensors<'a> {
    pub(super) fn get(&self, name: String) -> Option<Tensor<'a>> {
        self.header.info(&name).map(|info| Tensor { name, info, weights: self.weights })
    }

    pub(super) fn required(&self, name: String) -> FileResult<Tensor<'a>> {
        self.get(name.clone()).ok_or(ModelProblem::MissingTensor { name })
    }

    /// A tensor we have no use for could have been meant to change the function.
    fn refuse_unknown(&self, functions: &[FileFunction], description: Option<&ModelDescription>) -> FileResult<()> {
        let mut known: HashSet<String> = HashSet::new();
        if functions.is_empty() {
            known.extend(["W", "v", "u", "c", "b"].map(str::to_owned));
        }
        for FileFunction { prefix, activations, scored } in functions {
            known.extend(["c", "b"].map(|name| format!("{prefix}{name}")));
            known.extend(scored.then(|| format!("{prefix}calibration")));
            for suffix in activations.iter().map(|activation| suffix(activation, activations.len())) {
                known.extend(["W", "v", "u"].map(|letter| format!("{prefix}{letter}{suffix}")));
            }
        }
        let wide = description.map_or(&[][..], |description| &description.wide);
        known.extend(wide.iter().enumerate().flat_map(|(at, member)| member.tensors(&wide::prefix(at))));
        if let Some(CalibrationKind::Jackknife { network, .. }) = description.and_then(|one| one.calibration.as_ref()) {
            known.extend(network.tensors(wide::JACKKNIFE));
            known.insert(format!("{}scored", wide::JACKKNIFE));
        }
        if let Some(CalibrationKind::Forward(network)) = description.and_then(|one| one.calibration.as_ref()) {
            known.extend(network.tensors(wide::FORWARD));
            known.insert(format!("{}scores", wide::FORWARD));
        }
        match self.header.offset_keys().into_iter().find(|name| !known.contains(name)) {
            Some(name) => Err(ModelProblem::UnknownTensor { name }),
            None => Ok(()),
        }
    }

    /// A model of ours.
    fn described(
        &self,
        description: ModelDescription,
        functions: &[FileFunction],
        given: Option<Activation>,
    ) -> FileResult<Model> {
        let ModelDescription { recipe, target, seed, version, calibration, wide, dependence, .. } = description;
        let (first, names) = (agreed(&functions[0].activations, given)?, recipe.input_names().len());
        let d = if first.is_empty() { names } else { self.columns(first, Some(names))? };
        let finite = (!first.is_empty()).then(|| self.function("", first, d)).transpose()?;
        let member = |(at, member): (usize, WideDescription)| self.wide_member(&wide::prefix(at), member, d);
        let wide = wide.into_iter().enumerate().map(member).collect::<FileResult<Vec<_>>>()?;
        let unsound = |error: Error| ModelProblem::Metadata { reason: error.to_string() };
        let network = Function::combined(finite, wide).map_err(unsound)?;
        let fold =
            |fold: &FileFunction| Ok((self.function(&fold.prefix, &fold.activations, d)?, self.scores(&fold.prefix)?));
        let calibration = match calibration {
            None => None,
            Some(CalibrationKind::Jackknife { network, doubt, groups }) => {
                Some(Calibration::Jackknife(Box::new(self.jackknife(*network, d, groups)?), doubt))
            }
            Some(CalibrationKind::Forward(network)) => Some(Calibration::Forward(Box::new(self.forward(*network, d)?))),
            Some(CalibrationKind::SplitByGroup(sizes)) => {
                Some(Calibration::SplitByGroup(grouped(&sizes, &self.scores("")?)?))
            }
            Some(CalibrationKind::SplitInTime) => Some(Calibration::SplitInTime(self.scores("")?)),
            Some(CalibrationKind::Split) => Some(Calibration::Split(self.scores("")?)),
            Some(CalibrationKind::Cross(_)) => {
                Some(Calibration::Cross(functions[1..].iter().map(fold).collect::<FileResult<_>>()?))
            }
        };
        Ok(Model { network, recipe, target, seed, version, calibration, dependence })
    }

    /// A model from elsewhere.
    fn foreign(&self, activation: Activation) -> FileResult<Model> {
        let d = self.columns(std::slice::from_ref(&activation), None)?;
        let network = self.function("", &[activation], d)?.into();
        let recipe = Recipe::plain((1..=d).map(|i| format!("x{i}")).collect());
        Ok(Model {
            network,
            recipe,
            target: "y".into(),
            seed: 0,
            version: String::new(),
            calibration: None,
            dependence: None,
        })
    }

    /// d, by the first W; `names` are the inputs that the metadata names.
    fn columns(&self, activations: &[Activation], names: Option<usize>) -> FileResult<usize> {
        let W = self.required(format!("W{}", suffix(&activations[0], activations.len())))?;
        let &[k, d] = W.info.shape.as_slice() else { return Err(W.wrong_shape("k×d".into())) };
        // Without hidden units no number of W stands behind the claim of d columns.
        if k == 0 && self.header.info("b").is_none() && names != Some(d) {
            return Err(W.wrong_shape("at least one row".into()));
        }
        Ok(d)
    }

    /// A function of d inputs.
    fn function(&self, prefix: &str, activations: &[Activation], d: usize) -> FileResult<NetworkSum> {
        let linear = self.get(format!("{prefix}b")).map(|b| b.vector(d)).transpose()?;
        let intercept = self.get(format!("{prefix}c")).map(|c| c.vector(1)).transpose()?;
        let group = |activation: &Activation| self.group(prefix, activation, activations.len(), d);
        let mut networks = activations.iter().map(group).collect::<FileResult<Vec<Network>>>()?;
        networks[0].linear = linear;
        networks[0].intercept = intercept.and_then(|c| c.first().copied());
        // Shapes agree and numbers are finite, so this is a sum.
        NetworkSum::new(networks).map_err(|error| ModelProblem::Metadata { reason: error.to_string() })
    }

    /// The units of one activation.
    fn group(&self, prefix: &str, activation: &Activation, groups: usize, d: usize) -> FileResult<Network> {
        let name = |letter: &str| format!("{prefix}{letter}{}", suffix(activation, groups));
        let W = self.required(name("W"))?;
        let k = match W.info.shape.as_slice() {
            &[k, columns] if columns == d => k,
            _ => return Err(W.wrong_shape(format!("k×{d}"))),
        };
        let v = self.required(name("v"))?.vector(k)?;
        let bias = self.get(name("u")).map(|u| u.vector(k)).transpose()?;
        let W = Matrix::from_vec(k, d, W.numbers()?);
        Ok(Network { activation: activation.clone(), W, v, bias, intercept: None, linear: None })
    }

    fn scores(&self, prefix: &str) -> FileResult<Vec<f64>> {
        let scores = self.required(format!("{prefix}calibration"))?;
        let &[m] = scores.info.shape.as_slice() else { return Err(scores.wrong_shape("[m]".into())) };
        scores.vector(m)
    }
}

/// The scores of each group, one after the other.
fn grouped(sizes: &[usize], scores: &[f64]) -> FileResult<Vec<Vec<f64>>> {
    if sizes.iter().try_fold(0_usize, |sum, size| sum.checked_add(*size)) != Some(scores.len()) {
        return Err(ModelProblem::Calibration);
    }
    let mut rest = scores;
    let group = |size: &usize| {
        let (own, others) = rest.split_at(*size);
        rest = others;
        own.to_vec()
    };
    Ok(sizes.iter().map(group).collect())
}

/// What cannot happen to a model that passes its check, said rather than panicked.
fn internal(error: impl ToString) -> Error {
    Error::Model { path: None, problem: ModelProblem::Metadata { reason: error.to_string() } }
}

fn little_endian(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

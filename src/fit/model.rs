//! A trained network with the names of its columns, and the file it lives in.
//!
//! The file is one safetensors file. Its tensors are f64:
//!
//! | tensor | shape | |
//! |---|---|---|
//! | `W` | k×d | hidden weights |
//! | `v` | k | output weights |
//! | `u` | k | hidden biases, where there are any |
//! | `c` | 1 | the intercept, where there is one |
//! | `b` | d | the linear part, where there is one |
//!
//! Everything else is one JSON document, the metadata entry `shallows`: format, activation, names of the
//! inputs, target, seed, version. (One entry, because the library that writes the header keeps entries in no
//! particular order, and the same model shall give the same bytes.)
//!
//! A file from elsewhere with `W` and `v` in f64 or f32 is a model too, once the metadata entry `activation`
//! or the caller says to which activation the weights belong. Its inputs are then called x1 … xd, its target y.
//!
//! A file is not trusted: no claim of its header is acted upon before it has been held against the bytes
//! that are there.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo, TensorView};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::activation::Activation;
use crate::error::{Error, ModelProblem, Result};
use crate::file::write_atomically;
use crate::linalg::Matrix;
use crate::network::Network;

/// A network that knows its columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The function.
    pub network: Network,
    /// The names of the inputs, in the order of the columns of W.
    pub inputs: Vec<String>,
    /// The name of what is predicted.
    pub target: String,
    /// The seed of the training.
    pub seed: u64,
    /// The version of this crate that trained it; empty for a file from elsewhere.
    pub version: String,
}

/// The metadata entry we write, and the format it has.
const ENTRY: &str = "shallows";
const FORMAT: u64 = 1;
/// The metadata entry a file from elsewhere may have.
const FOREIGN_ACTIVATION: &str = "activation";
/// A larger file is not read: half a billion weights are no one-hidden-layer model of a table.
const MOST_BYTES: u64 = 4 << 30;
/// The longest header that the safetensors format allows.
const MOST_HEADER_BYTES: u64 = 100_000_000;
/// The longest activation we read: some two hundred Hermite coefficients in full precision, and ample room.
const MOST_ACTIVATION_BYTES: usize = 1 << 16;

/// What the metadata entry holds.
#[derive(Serialize, Deserialize)]
struct Description {
    format: u64,
    activation: String,
    inputs: Vec<String>,
    target: String,
    seed: u64,
    version: String,
}

impl Model {
    /// A model trained by this version of the crate.
    pub fn new(network: Network, inputs: Vec<String>, target: String, seed: u64) -> Result<Self> {
        let model = Model { network, inputs, target, seed, version: env!("CARGO_PKG_VERSION").into() };
        model.check()?;
        Ok(model)
    }

    /// The network is sound, and every column has a name of its own.
    pub fn check(&self) -> Result<()> {
        self.network.check()?;
        self.check_names().map_err(|problem| Error::Model { path: None, problem })
    }

    fn check_names(&self) -> std::result::Result<(), ModelProblem> {
        if self.inputs.len() != self.network.inputs() {
            return Err(ModelProblem::NameCount { names: self.inputs.len(), inputs: self.network.inputs() });
        }
        let mut seen = HashSet::new();
        match self.inputs.iter().chain([&self.target]).find(|name| !seen.insert(name.as_str())) {
            Some(name) => Err(ModelProblem::RepeatedName { name: name.clone() }),
            None => Ok(()),
        }
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
            Ok(if bytes > MOST_BYTES { Err(ModelProblem::TooLarge { bytes, most: MOST_BYTES }) } else { parts(file)? })
        };
        let parts = read().map_err(|source: io::Error| Error::Io { path: path.into(), source })?;
        let model = parts.and_then(|(header, weights)| interpret(&header, &weights, activation));
        model.map_err(|problem| Error::Model { path: Some(path.into()), problem })
    }

    /// Read a model from the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::from_bytes_with(bytes, None)
    }

    /// Read a model from bytes that may not say which activation the weights belong to.
    pub fn from_bytes_with(bytes: &[u8], activation: Option<Activation>) -> Result<Self> {
        let parts = parts(bytes).unwrap_or_else(|error| Err(not_safetensors(error)));
        let model = parts.and_then(|(header, weights)| interpret(&header, &weights, activation));
        model.map_err(|problem| Error::Model { path: None, problem })
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.check()?;
        let description = Description {
            format: FORMAT,
            activation: self.network.activation.to_string(),
            inputs: self.inputs.clone(),
            target: self.target.clone(),
            seed: self.seed,
            version: self.version.clone(),
        };
        let text = serde_json::to_string(&description).map_err(internal)?;
        let tensors = self.tensors();
        let bytes: Vec<Vec<u8>> = tensors.iter().map(|(_, _, numbers)| little_endian(numbers)).collect();
        let views: std::result::Result<Vec<_>, _> = tensors
            .iter()
            .zip(&bytes)
            .map(|((name, shape, _), bytes)| Ok((*name, TensorView::new(Dtype::F64, shape.clone(), bytes)?)))
            .collect();
        let metadata = HashMap::from([(ENTRY.to_string(), text)]);
        views.and_then(|views| safetensors::serialize(views, Some(metadata))).map_err(internal)
    }

    /// Name, shape and numbers of the parts there are.
    fn tensors(&self) -> Vec<(&'static str, Vec<usize>, &[f64])> {
        let network = &self.network;
        let (k, d) = (network.width(), network.inputs());
        let mut tensors = vec![("W", vec![k, d], network.W.as_slice()), ("v", vec![k], network.v.as_slice())];
        tensors.extend(network.bias.as_ref().map(|u| ("u", vec![k], u.as_slice())));
        tensors.extend(network.intercept.as_ref().map(|c| ("c", vec![1], std::slice::from_ref(c))));
        tensors.extend(network.linear.as_ref().map(|b| ("b", vec![d], b.as_slice())));
        tensors
    }

    /// The model as JSON to read; every number has as many digits as it takes to get the same f64 back.
    pub fn to_json(&self) -> Value {
        let network = &self.network;
        let rows: Vec<&[f64]> = (0..network.width()).map(|j| network.W.row(j)).collect();
        let mut document = json!({
            "formula": "f(x) = v·φ(W x + u) + c + b·x",
            "activation": network.activation.to_string(),
            "width": network.width(),
            "inputs": self.inputs,
            "target": self.target,
            "seed": self.seed,
            "version": self.version,
            "W": rows,
            "v": network.v,
        });
        let optional = [("u", json!(network.bias)), ("c", json!(network.intercept)), ("b", json!(network.linear))];
        for (name, part) in optional.into_iter().filter(|(_, part)| !part.is_null()) {
            document[name] = part;
        }
        document
    }
}

/// The header and the bytes of the weights, as far as the header claims them and not further.
fn parts(mut file: impl Read) -> io::Result<std::result::Result<(Metadata, Vec<u8>), ModelProblem>> {
    let up_to = |file: &mut dyn Read, most: u64| -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let prefix = up_to(&mut file, 8)?;
    let Some(length) = prefix.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)) else {
        let problem = not_safetensors("it is shorter than the length of a header");
        return Ok(Err(if prefix.is_empty() { ModelProblem::Empty } else { problem }));
    };
    if length > MOST_HEADER_BYTES {
        return Ok(Err(not_safetensors("the first eight bytes are not the length of a header")));
    }
    let header = up_to(&mut file, length)?;
    if (header.len() as u64) < length {
        return Ok(Err(not_safetensors("the header is cut off")));
    }
    let metadata: Metadata = match serde_json::from_slice(&header) {
        Ok(metadata) => metadata,
        Err(error) => return Ok(Err(not_safetensors(error))),
    };
    let expected = metadata.data_len() as u64;
    if expected > MOST_BYTES {
        return Ok(Err(ModelProblem::TooLarge { bytes: expected, most: MOST_BYTES }));
    }
    let weights = up_to(&mut file, expected + 1)?;
    let found = weights.len() as u64;
    Ok(if found == expected { Ok((metadata, weights)) } else { Err(ModelProblem::Length { expected, found }) })
}

/// The model that a header and its weights describe.
fn interpret(header: &Metadata, weights: &[u8], given: Option<Activation>) -> std::result::Result<Model, ModelProblem> {
    let known = ["W", "v", "u", "c", "b"];
    if let Some(name) = header.offset_keys().iter().find(|name| !known.contains(&name.as_str())) {
        return Err(ModelProblem::UnknownTensor { name: name.clone() });
    }
    let description = description(header)?;
    let activation = activation(header, description.as_ref(), given)?;
    let tensor = |name: &'static str| header.info(name).map(|info| Tensor { name, info, weights });
    let required = |name| tensor(name).ok_or(ModelProblem::MissingTensor { name });

    let W = required("W")?;
    let &[k, d] = W.info.shape.as_slice() else {
        return Err(W.wrong_shape("k×d".into()));
    };
    let v = required("v")?.vector(k)?;
    let bias = tensor("u").map(|u| u.vector(k)).transpose()?;
    let intercept = tensor("c").map(|c| c.vector(1)).transpose()?.and_then(|c| c.first().copied());
    let linear = tensor("b").map(|b| b.vector(d)).transpose()?;
    // Without hidden units no number of W stands behind the claim of d columns.
    let names = description.as_ref().map(|description| description.inputs.len());
    if k == 0 && linear.is_none() && names != Some(d) {
        return Err(W.wrong_shape("at least one row".into()));
    }
    let network = Network { activation, W: Matrix::from_vec(k, d, W.numbers()?), v, bias, intercept, linear };
    let model = match description {
        Some(Description { inputs, target, seed, version, .. }) => Model { network, inputs, target, seed, version },
        None => {
            let inputs = (1..=d).map(|i| format!("x{i}")).collect();
            Model { network, inputs, target: "y".into(), seed: 0, version: String::new() }
        }
    };
    model.check_names()?;
    Ok(model)
}

/// What our metadata entry says; none in a file from elsewhere.
fn description(header: &Metadata) -> std::result::Result<Option<Description>, ModelProblem> {
    let Some(text) = header.metadata().as_ref().and_then(|metadata| metadata.get(ENTRY)) else {
        return Ok(None);
    };
    let unreadable = |error: serde_json::Error| ModelProblem::Metadata { reason: error.to_string() };
    let value: Value = serde_json::from_str(text).map_err(unreadable)?;
    // A later format may lack fields of this one: look at its number first.
    match value.get("format").and_then(Value::as_u64) {
        Some(found) if found > FORMAT => Err(ModelProblem::Format { found, known: FORMAT }),
        _ => serde_json::from_value(value).map(Some).map_err(unreadable),
    }
}

/// The activation, from the file or from the caller, who must not contradict each other.
fn activation(
    header: &Metadata,
    description: Option<&Description>,
    given: Option<Activation>,
) -> std::result::Result<Activation, ModelProblem> {
    let foreign = || header.metadata().as_ref().and_then(|metadata| metadata.get(FOREIGN_ACTIVATION));
    let Some(text) = description.map(|description| &description.activation).or_else(foreign) else {
        return given.ok_or(ModelProblem::NoActivation);
    };
    let unknown = || ModelProblem::Activation { text: text.clone() };
    if text.len() > MOST_ACTIVATION_BYTES {
        return Err(unknown());
    }
    let file: Activation = text.parse().map_err(|_| unknown())?;
    match given {
        Some(given) if given != file => {
            Err(ModelProblem::OtherActivation { file: file.to_string(), given: given.to_string() })
        }
        _ => Ok(file),
    }
}

/// A tensor whose place in the file has been checked by the header's reader.
struct Tensor<'a> {
    name: &'static str,
    info: &'a TensorInfo,
    weights: &'a [u8],
}

impl Tensor<'_> {
    /// The numbers of a vector of this length; a row or a column of a matrix will do.
    fn vector(&self, length: usize) -> std::result::Result<Vec<f64>, ModelProblem> {
        let fits = match self.info.shape.as_slice() {
            [] => length == 1,
            [one] => *one == length,
            [row, column] => (*row == 1 && *column == length) || (*row == length && *column == 1),
            _ => false,
        };
        if fits { self.numbers() } else { Err(self.wrong_shape(format!("[{length}]"))) }
    }

    fn numbers(&self) -> std::result::Result<Vec<f64>, ModelProblem> {
        let (start, end) = self.info.data_offsets;
        let bytes = self.weights.get(start..end).unwrap_or_default();
        let numbers: Vec<f64> = match self.info.dtype {
            Dtype::F64 => bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect(),
            Dtype::F32 => bytes.as_chunks().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes))).collect(),
            other => return Err(ModelProblem::TensorType { name: self.name, found: other.to_string() }),
        };
        let finite = numbers.iter().all(|x| x.is_finite());
        if finite { Ok(numbers) } else { Err(ModelProblem::NotFinite { name: self.name }) }
    }

    fn wrong_shape(&self, expected: String) -> ModelProblem {
        let found = self.info.shape.iter().copied().take(8).collect();
        ModelProblem::TensorShape { name: self.name, expected, found }
    }
}

fn not_safetensors(reason: impl ToString) -> ModelProblem {
    ModelProblem::NotSafetensors { reason: reason.to_string() }
}

/// What cannot happen to a model that passes its check, said rather than panicked.
fn internal(error: impl ToString) -> Error {
    Error::Model { path: None, problem: ModelProblem::Metadata { reason: error.to_string() } }
}

fn little_endian(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

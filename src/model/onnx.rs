//! A model as an ONNX graph, for runtimes that know nothing of us: columns of a table in, predictions out.
//!
//! | | name | type | shape |
//! |---|---|---|---|
//! | input | of a column of numbers | double; NaN is a gap | N |
//! | input | of a column of dates | double: microseconds since the beginning of 1970-01-01; NaN is a gap | N |
//! | input | of a column of words | string; the empty string is a gap | N |
//! | output | `prediction` | double | N |
//!
//! There is an input for every column that the recipe uses, in the order of the table of the fit, so that the columns of a
//! frame run as they are. Numbers of the table and predictions are doubles in both precisions, as tables hold them: single
//! precision has seven digits, too few for years, times and densities from which a centre is taken, or to which one is added. The
//! network between them has the precision that was asked for. The recipe is in the graph (`onnx/columns.rs`):
//! gaps are filled and told, words become 0/1 inputs, numbers lose their centres, and e^f is taken where ln y was fitted. A column
//! of which only the gaps count is one of words, whatever it holds; numbers that are names of categories are written as
//! words. The texts that mean a gap in a file (`NA`, `nan`, …) mean one in a column of words.
//!
//! What a graph cannot do: it refuses nothing and says nothing. Where `predict` would refuse a row (a gap in a column of a model
//! that has learnt nothing to fill it with, an infinite number) the prediction is NaN; words that were not there in the fit, and gaps
//! in columns that had none, are taken as `predict` takes them, without the remark. It does not remove space around words.
//!
//! The weights of a finite network keep the names and shapes they have in a model file, with a `_` after them where a column
//! has that name. An infinitely wide network is in the graph as it is, with its centres and kernels (`onnx/wide.rs`); it takes memory
//! in proportion to the rows times the centres, so that long tables are best fed in parts. In single precision its digits are
//! those that its coefficients leave: what they add up to is smaller than they are. A calibration is left out.
//!
//! The names of the inputs that the recipe makes, the recipe, the target, the activations and the seed are in the model's
//! metadata. Operator set 17 (of `ai.onnx.ml` 3, where there are words), intermediate representation 8. Activations and
//! kernels are composed of operators that CPU runtimes have in double precision too (`onnx/activation.rs`), the
//! same for both precisions.

mod activation;
mod columns;
mod dates;
mod graph;
mod proto;
mod wide;

use prost::Message;

use self::graph::{Graph, GraphEdge, TABLE_OPERATORS};
use self::proto::{GraphProto, ModelProto, OperatorSetProto, StringEntryProto, ValueInfoProto};
use super::file::suffix;
use super::{FiniteForm, Model, RankedNetwork, WIDE, WideMember};
use crate::data::TargetScale;
use crate::error::Result;
use crate::network::{Network, NetworkSum};

/// The operator sets we write, and the version of the representation that came with them.
const OPERATOR_SET: i64 = 17;
const TABLE_OPERATOR_SET: i64 = 3;
const REPRESENTATION: i64 = 8;

/// The type of the numbers of the network in the graph. [`onnx`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphPrecision {
    /// Single; weights are rounded.
    F32,
    /// Double; weights are exact.
    F64,
}

/// The bytes of an ONNX file. Runtimes refuse files of 2 GiB and more.
///
/// # Errors
/// If the model does not pass its check, or a number in it is too large for the precision.
///
/// ```
/// use shallows::data::Recipe;
/// use shallows::linalg::Matrix;
/// use shallows::model::onnx::{GraphPrecision, onnx};
/// use shallows::{Activation, Model, Network};
///
/// let network = Network::new(Activation::TANH, Matrix::identity(2), vec![3.0, 1.0])?;
/// let model = Model::new(network, Recipe::plain(vec!["a".into(), "b".into()]), "y".into(), 0)?;
/// let bytes = onnx(&model, GraphPrecision::F64)?;
/// assert!(bytes.windows(4).any(|name| name == b"Tanh"));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn onnx(model: &Model, precision: GraphPrecision) -> Result<Vec<u8>> {
    model.check()?;
    let Model { network, .. } = model;
    let formula = model.formula();
    let function = GraphFunction { networks: network.networks(), ranked: &[], wide: network.wide(), formula };
    graph_of(&function, model, precision)
}

/// The same with a finite network in place of the infinitely wide ones of a model. [`FiniteForm`] shows its use.
///
/// # Errors
/// As for [`onnx`].
pub fn finite_onnx(model: &Model, form: &FiniteForm, precision: GraphPrecision) -> Result<Vec<u8>> {
    if let Some(model) = form.model(model) {
        return onnx(&model, precision);
    }
    model.check()?;
    let networks = form.network.as_ref().map_or(&[][..], NetworkSum::networks);
    let formula = "f(x) = Σ_g v_g·φ_g(W_g z_g + u_g) + c + b·x, z_g the inputs or their ranks".to_owned();
    graph_of(&GraphFunction { networks, ranked: &form.ranked, wide: &[], formula }, model, precision)
}

/// What is exported besides the recipe.
struct GraphFunction<'a> {
    /// Networks of the inputs of the model; the first has the affine part.
    networks: &'a [Network],
    /// Networks of inputs that are transformed in another way than by shifts and factors.
    ranked: &'a [RankedNetwork],
    /// Infinitely wide networks.
    wide: &'a [WideMember],
    /// In a line.
    formula: String,
}

/// The graph of a function of the inputs that the recipe of a model makes.
fn graph_of(function: &GraphFunction<'_>, model: &Model, precision: GraphPrecision) -> Result<Vec<u8>> {
    let columns = model.recipe.columns().iter().map(|step| step.name.clone());
    let mut graph = Graph::new(precision, columns.collect());
    let X = graph.recipe(&model.recipe);
    // 0 where all inputs are numbers, NaN elsewhere: no operator shall make a number of what is none.
    let zeros = graph.node("Sub", &[&X, &X]);
    let zeros = graph.row_sums(&zeros);
    let zeros = graph.in_precision(&zeros);
    let mut terms = vec![zeros];
    let inputs = graph.in_precision(&X);
    for network in function.networks {
        let suffix = suffix(&network.activation, function.networks.len());
        graph.finite(&inputs, network, [&suffix, ""], &mut terms);
    }
    for (at, RankedNetwork { transform, network }) in function.ranked.iter().enumerate() {
        let Some(z) = graph.transformed(&X, transform) else { continue };
        let z = graph.in_precision(&z);
        let prefix = format!(".ranked{}", at + 1);
        for network in network.networks() {
            let suffix = format!("{prefix}.{}", network.activation);
            graph.finite(&z, network, [&suffix, &prefix], &mut terms);
        }
    }
    let mut constant = model.recipe.target_scale().centre().unwrap_or(0.0);
    for WideMember { weight, network } in function.wide {
        let z = graph.transformed(&X, &network.transform);
        let (further, mean) = graph.wide(z.as_ref(), network, *weight);
        terms.extend(further);
        constant += mean;
    }
    let mut terms = terms.into_iter();
    let first = terms.next().unwrap_or(inputs);
    let sum = terms.fold(first, |sum, term| graph.node("Add", &[&sum, &term]));
    let f = graph.along_axis_1("Squeeze", &sum);
    let mut f = graph.as_double(&f);
    if constant != 0.0 {
        let constant = graph.doubles(&[], &[constant]);
        f = graph.node("Add", &[&f, &constant]);
    }
    let prediction = match model.recipe.target_scale() {
        TargetScale::Identity | TargetScale::Centred(_) => f,
        TargetScale::Log => graph.node("Exp", &[&f]),
    };
    let output = graph.name_output(&prediction, "prediction");
    graph.check()?;
    Ok(document(graph, output, function, model).encode_to_vec())
}

impl Graph {
    /// Add v·φ(X Wᵀ + u), b·x and c to the terms; the names of their tensors have these endings, that of the units and that
    /// of the affine part.
    fn finite(&mut self, X: &GraphEdge, network: &Network, endings: [&str; 2], terms: &mut Vec<GraphEdge>) {
        let (k, d) = (network.width(), network.inputs());
        let name = |letter: &str| format!("{letter}{}", endings[usize::from("bc".contains(letter))]);
        if k > 0 {
            let W = self.tensor(&name("W"), &[k, d], network.W.as_slice());
            let v = self.tensor(&name("v"), &[k], &network.v);
            let bias = network.bias.as_ref().map(|u| self.tensor(&name("u"), &[k], u));
            let z = self.projection(X, &W, bias.as_ref());
            let phi = self.activation(&network.activation, &z);
            terms.push(self.product(&phi, &v));
        }
        if let Some(linear) = &network.linear {
            let b = self.tensor(&name("b"), &[d], linear);
            terms.push(self.linear(X, &b));
        }
        if let Some(intercept) = network.intercept {
            terms.push(self.tensor(&name("c"), &[1], &[intercept]));
        }
    }
}

/// The file.
fn document(graph: Graph, output: ValueInfoProto, function: &GraphFunction<'_>, model: &Model) -> ModelProto {
    let entry = |key: &str, value: String| StringEntryProto { key: key.into(), value };
    let set = |domain: &str, version| OperatorSetProto { domain: domain.into(), version };
    let with_words = graph.nodes.iter().any(|node| node.domain == TABLE_OPERATORS);
    let ranked = function.ranked.iter().flat_map(|ranked| ranked.network.networks());
    let mut activations: Vec<String> =
        function.networks.iter().chain(ranked).map(|network| network.activation.to_string()).collect();
    activations.extend((!function.wide.is_empty()).then(|| WIDE.to_owned()));
    let opset_import =
        [set("", OPERATOR_SET)].into_iter().chain(with_words.then(|| set(TABLE_OPERATORS, TABLE_OPERATOR_SET)));
    ModelProto {
        ir_version: REPRESENTATION,
        producer_name: "shallows".into(),
        producer_version: model.version.clone(),
        doc_string: format!("prediction = f(x), x what the recipe makes of a row; {}", function.formula),
        opset_import: opset_import.collect(),
        metadata_props: vec![
            entry("activation", activations.join(" + ")),
            entry("inputs", serde_json::json!(model.inputs()).to_string()),
            entry("recipe", serde_json::json!(model.recipe).to_string()),
            entry("target", model.target.clone()),
            entry("target_scale", model.recipe.target_scale().name().into()),
            entry("seed", model.seed.to_string()),
        ],
        graph: Some(GraphProto {
            input: graph.inputs,
            output: vec![output],
            node: graph.nodes,
            name: "shallows".into(),
            initializer: graph.tensors,
        }),
    }
}

//! A model as an ONNX graph, for runtimes that know nothing of us.
//!
//! | | name | shape |
//! |---|---|---|
//! | input | `inputs` | N×d, the columns in the model's order |
//! | output | `prediction` | N |
//!
//! The names of the inputs, the recipe that makes them from the columns of a table, the target, the
//! activation and the seed are in the model's metadata. The weights
//! keep the names and shapes they have in a model file; a calibration is left out. A prediction is in the units of the
//! target: where ln y was fitted, the graph ends with Exp. Operator set 17, intermediate
//! representation 8.
//!
//! Activations are composed of operators that CPU runtimes have in double precision too (`onnx/activation.rs`), the
//! same for both precisions.

mod activation;
mod proto;

use prost::Message;

use self::proto::{
    AttributeProto, DimensionProto, GraphProto, ModelProto, NodeProto, OperatorSetProto, ShapeProto, StringEntryProto,
    TensorProto, TensorTypeProto, TypeProto, ValueInfoProto,
};
use super::Model;
use super::file::suffix;
use crate::data::TargetScale;
use crate::error::{Error, Result};
use crate::network::Network;

/// The operator set we write, and the version of the representation that came with it.
const OPERATOR_SET: i64 = 17;
const REPRESENTATION: i64 = 8;

/// The type of the numbers in the graph. [`onnx`] shows its use.
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
    let networks = model.network.networks();
    let d = model.network.inputs();
    let mut graph = Graph::new(precision);
    let inputs = GraphEdge("inputs".into());
    let mut terms = Vec::new();
    for network in networks.iter().filter(|network| network.width() > 0) {
        terms.push(graph.units(&inputs, network, &suffix(&network.activation, networks.len())));
    }
    let affine = &networks[0];
    // A constant alone would not have the shape N: it then rests on a linear part of zeros.
    let zeros = terms.is_empty().then(|| vec![0.0; d]);
    if let Some(linear) = affine.linear.as_ref().or(zeros.as_ref()) {
        let b = graph.tensor("b", &[d], linear);
        terms.push(graph.product(&inputs, &b));
    }
    if let Some(intercept) = affine.intercept {
        terms.push(graph.tensor("c", &[1], &[intercept]));
    }
    let mut terms = terms.into_iter();
    let first = terms.next().unwrap_or(inputs);
    let sum = terms.fold(first, |sum, term| graph.node("Add", &[&sum, &term]));
    let f = graph.along_axis_1("Squeeze", &sum);
    let prediction = match model.recipe.target_scale() {
        TargetScale::Identity => f,
        TargetScale::Centred(centre) => {
            let centre = graph.tensor("target_centre", &[1], &[centre]);
            graph.node("Add", &[&f, &centre])
        }
        TargetScale::Log => graph.node("Exp", &[&f]),
    };
    graph.name_output(&prediction, "prediction");
    Ok(graph.into_model(model)?.encode_to_vec())
}

/// The name of a value that flows through the graph.
#[derive(Clone, PartialEq)]
struct GraphEdge(String);

/// A graph under construction.
struct Graph {
    precision: GraphPrecision,
    nodes: Vec<NodeProto>,
    tensors: Vec<TensorProto>,
    /// The largest number that had to be stored.
    largest: f64,
}

impl Graph {
    fn new(precision: GraphPrecision) -> Self {
        Graph { precision, nodes: vec![], tensors: vec![], largest: 0.0 }
    }

    /// An operator applied to values.
    fn node(&mut self, operator: &str, inputs: &[&GraphEdge]) -> GraphEdge {
        let output = format!("{}_{}", operator.to_lowercase(), self.nodes.len());
        self.nodes.push(NodeProto {
            input: inputs.iter().map(|edge| edge.0.clone()).collect(),
            output: vec![output.clone()],
            name: output.clone(),
            op_type: operator.into(),
            attribute: vec![],
        });
        GraphEdge(output)
    }

    /// φ(X Wᵀ + u) v, the units of one activation; the names of their tensors end in `suffix`.
    fn units(&mut self, inputs: &GraphEdge, network: &Network, suffix: &str) -> GraphEdge {
        let (k, d) = (network.width(), network.inputs());
        let name = |letter: &str| format!("{letter}{suffix}");
        let W = self.tensor(&name("W"), &[k, d], network.W.as_slice());
        let v = self.tensor(&name("v"), &[k], &network.v);
        let bias = network.bias.as_ref().map(|u| self.tensor(&name("u"), &[k], u));
        let z = self.projection(inputs, &W, bias.as_ref());
        let phi = self.activation(&network.activation, &z);
        self.product(&phi, &v)
    }

    /// X Wᵀ + u.
    fn projection(&mut self, inputs: &GraphEdge, W: &GraphEdge, bias: Option<&GraphEdge>) -> GraphEdge {
        let operands: Vec<&GraphEdge> = [inputs, W].into_iter().chain(bias).collect();
        let z = self.node("Gemm", &operands);
        let transposed = AttributeProto { name: "transB".into(), i: 1, kind: proto::ATTRIBUTE_INT };
        self.nodes.iter_mut().filter(|node| node.name == z.0).for_each(|node| node.attribute.push(transposed.clone()));
        z
    }

    /// The product of a matrix and a vector, as a matrix of one column: onnxruntime refuses to multiply a
    /// matrix without rows by a vector, and a table may have no rows.
    fn product(&mut self, matrix: &GraphEdge, vector: &GraphEdge) -> GraphEdge {
        let column = self.along_axis_1("Unsqueeze", vector);
        self.node("MatMul", &[matrix, &column])
    }

    /// Add or take away the second axis.
    fn along_axis_1(&mut self, operator: &str, x: &GraphEdge) -> GraphEdge {
        let axis = GraphEdge(format!("axis_{}", self.tensors.len()));
        let raw_data = 1_i64.to_le_bytes().to_vec();
        self.tensors.push(TensorProto { dims: vec![1], data_type: proto::DATA_INT64, name: axis.0.clone(), raw_data });
        self.node(operator, &[x, &axis])
    }

    /// A tensor of weights.
    fn tensor(&mut self, name: &str, shape: &[usize], numbers: &[f64]) -> GraphEdge {
        let largest = numbers.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        self.largest = self.largest.max(largest);
        let raw_data = match self.precision {
            GraphPrecision::F32 => numbers.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect(),
            GraphPrecision::F64 => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
        };
        let dims = shape.iter().map(|size| *size as i64).collect();
        self.tensors.push(TensorProto { dims, data_type: self.data_type(), name: name.into(), raw_data });
        GraphEdge(name.into())
    }

    /// A number.
    fn number(&mut self, x: f64) -> GraphEdge {
        let name = format!("number_{}", self.tensors.len());
        self.tensor(&name, &[], &[x])
    }

    fn data_type(&self) -> i32 {
        match self.precision {
            GraphPrecision::F32 => proto::DATA_FLOAT,
            GraphPrecision::F64 => proto::DATA_DOUBLE,
        }
    }

    /// Give a value the name under which it leaves the graph.
    fn name_output(&mut self, edge: &GraphEdge, name: &str) {
        for node in &mut self.nodes {
            node.output.iter_mut().filter(|output| **output == edge.0).for_each(|output| *output = name.into());
        }
    }

    fn value(&self, name: &str, dims: Vec<DimensionProto>) -> ValueInfoProto {
        let tensor = TensorTypeProto { elem_type: self.data_type(), shape: Some(ShapeProto { dim: dims }) };
        ValueInfoProto { name: name.into(), kind: Some(TypeProto { tensor_type: Some(tensor) }) }
    }

    fn into_model(self, model: &Model) -> Result<ModelProto> {
        if self.precision == GraphPrecision::F32 && !(self.largest as f32).is_finite() {
            return Err(Error::Precision { what: "the weights of the network", largest: self.largest });
        }
        let activations = model.network.activations();
        let rows = DimensionProto { dim_value: None, dim_param: Some("N".into()) };
        let columns = DimensionProto { dim_value: Some(model.network.inputs() as i64), dim_param: None };
        let entry = |key: &str, value: String| StringEntryProto { key: key.into(), value };
        let graph = GraphProto {
            input: vec![self.value("inputs", vec![rows.clone(), columns])],
            output: vec![self.value("prediction", vec![rows])],
            node: self.nodes,
            name: "shallows".into(),
            initializer: self.tensors,
        };
        Ok(ModelProto {
            ir_version: REPRESENTATION,
            producer_name: "shallows".into(),
            producer_version: model.version.clone(),
            doc_string: format!("prediction = f(x), one row of inputs per prediction; {}", model.formula()),
            graph: Some(graph),
            opset_import: vec![OperatorSetProto { domain: String::new(), version: OPERATOR_SET }],
            metadata_props: vec![
                entry("activation", activations.join(" + ")),
                entry("inputs", serde_json::json!(model.inputs()).to_string()),
                entry("recipe", serde_json::json!(model.recipe).to_string()),
                entry("target", model.target.clone()),
                entry("target_scale", model.recipe.target_scale().name().into()),
                entry("seed", model.seed.to_string()),
            ],
        })
    }
}

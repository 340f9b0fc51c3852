//! A graph under construction: operators, tensors, names.

use std::collections::HashSet;

use super::GraphPrecision;
use super::proto::{self, AttributeProto, DimensionProto, NodeProto, TensorProto};
use super::proto::{ShapeProto, TensorTypeProto, TypeProto, ValueInfoProto};
use crate::error::{Error, Result};

/// The operators for tables that come with the standard, words among them.
pub(super) const TABLE_OPERATORS: &str = "ai.onnx.ml";

/// The name of a value that flows through the graph.
#[derive(Clone, PartialEq)]
pub(super) struct GraphEdge(String);

/// A graph under construction. Numbers of a table are double, whatever the precision of the network.
pub(super) struct Graph {
    pub(super) precision: GraphPrecision,
    pub(super) nodes: Vec<NodeProto>,
    pub(super) tensors: Vec<TensorProto>,
    pub(super) inputs: Vec<ValueInfoProto>,
    /// Names that columns have.
    taken: HashSet<String>,
    /// The largest number that had to be stored in single precision.
    largest: f64,
}

impl Graph {
    /// A graph whose own names differ from these.
    pub(super) fn new(precision: GraphPrecision, taken: HashSet<String>) -> Self {
        Graph { precision, nodes: vec![], tensors: vec![], inputs: vec![], taken, largest: 0.0 }
    }

    /// A name that no column has.
    pub(super) fn free_name(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.taken.contains(&name) {
            name.push('_');
        }
        name
    }

    /// An operator applied to values.
    pub(super) fn node(&mut self, operator: &str, inputs: &[&GraphEdge]) -> GraphEdge {
        self.node_with(operator, inputs, vec![])
    }

    /// The same with attributes.
    pub(super) fn node_with(
        &mut self,
        operator: &str,
        inputs: &[&GraphEdge],
        attributes: Vec<AttributeProto>,
    ) -> GraphEdge {
        let name = self.free_name(&format!("{}_{}", operator.to_lowercase(), self.nodes.len()));
        self.push(operator, inputs, attributes, vec![name.clone()]);
        GraphEdge(name)
    }

    fn push(&mut self, operator: &str, inputs: &[&GraphEdge], attribute: Vec<AttributeProto>, output: Vec<String>) {
        self.nodes.push(NodeProto {
            input: inputs.iter().map(|edge| edge.0.clone()).collect(),
            name: output.first().cloned().unwrap_or_default(),
            output,
            op_type: operator.into(),
            attribute,
            domain: String::new(),
        });
    }

    /// X Wᵀ + u.
    pub(super) fn projection(&mut self, inputs: &GraphEdge, W: &GraphEdge, bias: Option<&GraphEdge>) -> GraphEdge {
        let operands: Vec<&GraphEdge> = [inputs, W].into_iter().chain(bias).collect();
        self.node_with("Gemm", &operands, vec![integer("transB", 1)])
    }

    /// The product of a matrix and a vector, as a matrix of one column: onnxruntime refuses to multiply a
    /// matrix without rows by a vector, and a table may have no rows.
    ///
    /// The matrix must not be a product or quotient with a constant of one element: onnxruntime 1.31 takes that into the product
    /// of matrices as a factor in single precision, whatever the type of the matrices.
    pub(super) fn product(&mut self, matrix: &GraphEdge, vector: &GraphEdge) -> GraphEdge {
        let column = self.along_axis_1("Unsqueeze", vector);
        self.node("MatMul", &[matrix, &column])
    }

    /// x·b of every row, as a column. Not a product of matrices, for the reason above: x may be scaled by one deviation.
    pub(super) fn linear(&mut self, x: &GraphEdge, b: &GraphEdge) -> GraphEdge {
        let products = self.node("Mul", &[x, b]);
        self.row_sums(&products)
    }

    /// Add or take away the second axis.
    pub(super) fn along_axis_1(&mut self, operator: &str, x: &GraphEdge) -> GraphEdge {
        let axis = self.integers(&[1]);
        self.node(operator, &[x, &axis])
    }

    /// The sum of every row, as a column.
    pub(super) fn row_sums(&mut self, x: &GraphEdge) -> GraphEdge {
        let axis = self.integers(&[1]);
        self.node_with("ReduceSum", &[x, &axis], vec![integer("keepdims", 1)])
    }

    /// Columns side by side.
    pub(super) fn side_by_side(&mut self, parts: &[GraphEdge]) -> GraphEdge {
        match parts {
            [one] => one.clone(),
            _ => self.node_with("Concat", &parts.iter().collect::<Vec<_>>(), vec![integer("axis", 1)]),
        }
    }

    /// The columns of a matrix, each as a matrix of one column.
    pub(super) fn columns(&mut self, x: &GraphEdge, count: usize) -> Vec<GraphEdge> {
        if count == 1 {
            return vec![x.clone()];
        }
        let name = |at: usize| self.free_name(&format!("split_{}_{at}", self.nodes.len()));
        let parts: Vec<String> = (0..count).map(name).collect();
        self.push("Split", &[x], vec![integer("axis", 1)], parts.clone());
        parts.into_iter().map(GraphEdge).collect()
    }

    /// Some columns of a matrix, in this order.
    pub(super) fn chosen_columns(&mut self, x: &GraphEdge, which: &[usize]) -> GraphEdge {
        let which = self.integers(&which.iter().map(|column| *column as i64).collect::<Vec<_>>());
        self.node_with("Gather", &[x, &which], vec![integer("axis", 1)])
    }

    /// Doubles in the precision of the network.
    pub(super) fn in_precision(&mut self, x: &GraphEdge) -> GraphEdge {
        match self.precision {
            GraphPrecision::F64 => x.clone(),
            GraphPrecision::F32 => self.node_with("Cast", &[x], vec![integer("to", self.data_type().into())]),
        }
    }

    /// Doubles; truth values become 0 and 1.
    pub(super) fn as_double(&mut self, x: &GraphEdge) -> GraphEdge {
        self.node_with("Cast", &[x], vec![integer("to", proto::DATA_DOUBLE.into())])
    }

    /// A tensor of weights in the precision of the network.
    pub(super) fn tensor(&mut self, name: &str, shape: &[usize], numbers: &[f64]) -> GraphEdge {
        let raw_data = match self.precision {
            GraphPrecision::F32 => {
                self.largest = numbers.iter().fold(self.largest, |most, x| most.max(x.abs()));
                numbers.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect()
            }
            GraphPrecision::F64 => little_endian(numbers),
        };
        self.stored(name, shape, self.data_type(), raw_data)
    }

    /// A number.
    pub(super) fn number(&mut self, x: f64) -> GraphEdge {
        let name = format!("number_{}", self.tensors.len());
        self.tensor(&name, &[], &[x])
    }

    /// Doubles, whatever the precision of the network.
    pub(super) fn doubles(&mut self, shape: &[usize], numbers: &[f64]) -> GraphEdge {
        let name = format!("double_{}", self.tensors.len());
        self.stored(&name, shape, proto::DATA_DOUBLE, little_endian(numbers))
    }

    /// Whole numbers.
    pub(super) fn integers(&mut self, numbers: &[i64]) -> GraphEdge {
        let name = format!("integers_{}", self.tensors.len());
        let raw_data = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.stored(&name, &[numbers.len()], proto::DATA_INT64, raw_data)
    }

    fn stored(&mut self, name: &str, shape: &[usize], data_type: i32, raw_data: Vec<u8>) -> GraphEdge {
        let name = self.free_name(name);
        let dims = shape.iter().map(|size| *size as i64).collect();
        self.tensors.push(TensorProto { dims, data_type, name: name.clone(), raw_data });
        GraphEdge(name)
    }

    pub(super) fn data_type(&self) -> i32 {
        match self.precision {
            GraphPrecision::F32 => proto::DATA_FLOAT,
            GraphPrecision::F64 => proto::DATA_DOUBLE,
        }
    }

    /// A column of the table, which enters the graph under its own name.
    pub(super) fn column_of_table(&mut self, name: &str, data_type: i32) -> GraphEdge {
        // An empty name means nothing at all in a graph.
        let name = if name.is_empty() { self.free_name("column") } else { name.to_owned() };
        self.inputs.push(value(&name, data_type));
        GraphEdge(name)
    }

    /// Give a value the name under which it leaves the graph.
    pub(super) fn name_output(&mut self, edge: &GraphEdge, name: &str) -> ValueInfoProto {
        let name = self.free_name(name);
        for node in &mut self.nodes {
            node.output.iter_mut().filter(|output| **output == edge.0).for_each(|output| *output = name.clone());
        }
        value(&name, proto::DATA_DOUBLE)
    }

    /// Single precision holds every number of it.
    pub(super) fn check(&self) -> Result<()> {
        match (self.largest as f32).is_finite() {
            true => Ok(()),
            false => Err(Error::Precision { what: "the weights of the network", largest: self.largest }),
        }
    }
}

/// N values of a type.
fn value(name: &str, data_type: i32) -> ValueInfoProto {
    let rows = DimensionProto { dim_value: None, dim_param: Some("N".into()) };
    let tensor = TensorTypeProto { elem_type: data_type, shape: Some(ShapeProto { dim: vec![rows] }) };
    ValueInfoProto { name: name.into(), kind: Some(TypeProto { tensor_type: Some(tensor) }) }
}

/// An attribute that is a whole number.
pub(super) fn integer(name: &str, i: i64) -> AttributeProto {
    AttributeProto { name: name.into(), i, kind: proto::ATTRIBUTE_INT, ..AttributeProto::default() }
}

fn little_endian(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

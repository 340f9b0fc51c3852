//! The exact test vectors, and how numbers are read from them.

use serde_json::Value;
use shallows::linalg::Matrix;

/// vectors.json.
pub fn vectors() -> Value {
    serde_json::from_str(include_str!("vectors.json")).unwrap()
}

/// A list of numbers.
pub fn vector(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// A list of rows.
pub fn matrix(value: &Value) -> Matrix {
    Matrix::from_rows(&value.as_array().unwrap().iter().map(vector).collect::<Vec<_>>())
}

//! The front door: data in, trained network out; model files and their export.

pub mod model;
pub mod onnx;

pub use model::Model;

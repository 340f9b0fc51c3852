//! Recovery: given samples of a one-hidden-layer network with Gaussian inputs, find its weights.

pub mod designed;
mod tensor;

pub use tensor::SymmetricTensor;

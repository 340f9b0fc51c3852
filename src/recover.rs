//! Recovery: given samples of a one-hidden-layer network with Gaussian inputs, find its weights.

mod tensor;

pub use tensor::SymmetricTensor;

//! Given samples of a one-hidden-layer network with Gaussian inputs, find its weights.

mod inputs;
mod tails;
mod whitening;

pub use inputs::{InputTests, MOST_SKEWNESS_INPUTS, Test, input_tests};
pub use whitening::Whitening;

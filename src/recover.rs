//! Given samples of a one-hidden-layer network with Gaussian inputs, find its weights.

mod alignment;
mod information;
mod inputs;
mod output;
mod tails;
mod whitening;

pub use alignment::{Alignment, Pair, Undefined, align, assignment, error_of, recovery_error};
pub use information::{Information, OddPart, Outlook, Refusal, SignsFrom};
pub use inputs::{InputTests, MOST_SKEWNESS_INPUTS, Test, input_tests};
pub use output::{OutputLayer, Rows, from_first_moment, from_samples, from_second_moment};
pub use whitening::Whitening;

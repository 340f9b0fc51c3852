//! Given samples of a one-hidden-layer network with Gaussian inputs, find its weights.

mod alignment;
mod decomposition;
pub mod designed;
mod information;
mod inputs;
mod moments;
mod output;
mod rank;
mod refinement;
mod regression;
mod tails;
mod tensor;
mod units;
mod whitening;

pub use alignment::{Alignment, Pair, Undefined, align, assignment, error_of, recovery_error};
pub use decomposition::directions;
pub use information::{Information, OddPart, Outlook, Refusal, SignsFrom};
pub use inputs::{InputTests, MOST_SKEWNESS_INPUTS, Test, input_tests};
pub use moments::{Moments, fourth_moment};
pub use output::{OutputLayer, Rows, from_first_moment, from_samples, from_second_moment};
pub use rank::{Rank, rank};
pub use regression::{Regression, feature_count};
pub use tensor::SymmetricTensor;
pub use whitening::Whitening;

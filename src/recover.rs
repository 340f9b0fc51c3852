//! Find the weights of a planted network from samples with Gaussian inputs.

mod decomposition;
mod moments;
mod rank;
mod refinement;
mod regression;
mod tensor;
mod units;

pub use decomposition::directions;
pub use moments::{Moments, fourth_moment};
pub use rank::{Rank, rank};
pub use regression::{Regression, feature_count};
pub use tensor::SymmetricTensor;

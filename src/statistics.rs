//! Laws, intervals and curves of chance: what experiments and tests of samples share.
//!
//! | file | what is there |
//! |---|---|
//! | `tails.rs` | tails of the normal, gamma, χ² and F laws |
//! | `intervals.rs` | Wilson's interval of a share; means and slopes with Student's interval |
//! | `logistic.rs` | a logistic curve through shares of successes, and its bootstrap |

pub mod intervals;
pub mod logistic;
pub(crate) mod tails;

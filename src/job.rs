//! What is asked about planted networks, starts and sweeps, and the answer as one document.
//!
//! Each file takes a question in the words of its verb, puts the rooms above to work and holds what they found. Whoever
//! tells it, the command or the Python package, tells this: there is one place where an answer is put together.
//!
//! | file | question |
//! |---|---|
//! | `check.rs` | what does theory promise before any training? |
//! | `recover.rs` | which weights are behind these samples? |
//! | `landscape.rs` | what does the landscape of a planted quadratic network look like? |
//! | `sweep.rs`, `plot.rs`, `replay.rs` | grids of runs; drawn; one of them again |
//! | `figure.rs` | published figures, reproduced |
//! | `words.rs` | numbers and paths in sentences and documents |

pub mod check;
pub mod figure;
pub mod landscape;
pub mod plot;
pub mod recover;
pub mod replay;
pub mod sweep;
pub mod words;

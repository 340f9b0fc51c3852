//! One type for each verb: a request, its run, and what came of it.
//!
//! A job holds everything that is asked for, what it is given, in files or in memory, and where files go; `run` reads, works
//! and writes; the outcome is typed and has one `document()`. The command's words, its `--json`, the page of a report and the objects of the Python package all tell the same outcome.
//!
//! | file | verb |
//! |---|---|
//! | `fit.rs` | learn a network from a table, measure it, prove what can be proved |
//! | `execute.rs` | run a plan of `check`, proved against observed (`fit --plan`) |
//! | `predict.rs` | predictions of a saved network |
//! | `explain.rs` | what a saved network says about its inputs |
//! | `export.rs` | a saved network in another format |
//! | `check.rs` | what theory promises before any training |
//! | `descent.rs` | the same for samples in memory, in a few words |
//! | `certify.rs`, `verify.rs` | what is proved about a saved network, and whether that is right |
//! | `theorems.rs` | the catalogue |
//! | `teach.rs` | samples of a planted network |
//! | `recover.rs` | which weights are behind samples |
//! | `landscape.rs` | the landscape of a planted quadratic network |
//! | `sweep.rs`, `plot.rs`, `replay.rs` | grids of runs; drawn; one of them again |
//! | `figure.rs` | published figures, reproduced |
//!
//! Shared: `given.rs` (rows, models and certificates, in files or in memory), `certificates.rs` (the outcome of `certify` and `verify`), `importance.rs` (importances and interactions, drawn),
//! `options.rs` (every option of every verb), `progress.rs` (reports as documents), `words.rs` (numbers and paths in sentences and documents).

pub mod certificates;
pub mod certify;
pub mod check;
pub mod descent;
pub mod execute;
pub mod explain;
pub mod export;
#[cfg(feature = "lab")]
pub mod figure;
pub mod fit;
pub mod given;
pub mod importance;
pub mod landscape;
pub mod options;
#[cfg(feature = "lab")]
pub mod plot;
pub mod predict;
pub mod progress;
pub mod recover;
#[cfg(feature = "lab")]
pub mod replay;
#[cfg(feature = "lab")]
pub mod sweep;
pub mod teach;
pub mod theorems;
pub mod verify;
pub mod words;

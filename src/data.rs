//! Tables from files, and the samples a network learns from.
//!
//! A [`Table`] is what a file holds: named columns of numbers and words, with gaps, read from CSV, NPY, Parquet or Feather.
//! [`Data`] is what learning sees: inputs X, a target y, perhaps weights, all of them numbers. Between the two stands a
//! [`Recipe`], learned from training rows and kept with the model: what becomes of words and of gaps. Nothing is guessed
//! on the way: a cell that could mean two things is an error that names the file, the line and the column. Samples may
//! also come from a planted network, a [`teacher`].

mod array;
mod cell_numbers;
mod column;
#[cfg(feature = "compressed")]
mod compressed;
mod csv;
mod decimal;
pub(crate) mod dependence;
mod describe;
mod distinct;
#[cfg(feature = "arrow")]
mod feather;
mod gap_words;
mod index;
mod merged;
mod notes;
mod npy;
mod number;
#[cfg(feature = "parquet")]
mod parquet;
mod reading;
pub mod recipe;
mod samples;
pub(crate) mod scaling;
pub(crate) mod split;
mod table;
pub mod teacher;
#[cfg(feature = "arrow")]
mod temporal;
mod text_kind;
mod time_order;
mod unread;
#[cfg(feature = "arrow")]
mod untrusted;
mod write;

pub use array::{Array, scaled};
pub use column::{Cell, Column};
#[cfg(feature = "onnx")]
pub(crate) use column::{gap_texts, spellings};
pub use dependence::{Dependence, DependenceColumn};
pub use describe::{ColumnContent, ColumnSummary};
pub use distinct::Distinct;
pub use reading::{Holdout, Reading, RowSplit, Samples};
pub use recipe::{Inputs, Recipe, Roles, TargetScale};
pub use samples::{Data, DataBuilder};
pub use table::{FrameIndex, Table};
pub use write::write_columns;

//! Tables from files, and the samples a network learns from.
//!
//! A [`Table`] is what a file holds: named columns of finite numbers, read from CSV, NPY or Parquet. [`Data`]
//! is what learning sees: inputs X, a target y, perhaps weights. Nothing is guessed, filled in or skipped on
//! the way: a cell that is not a finite number is an error that names the file, the line and the column.
//! Samples may also come from a planted network, a [`teacher`].

mod csv;
mod npy;
mod number;
#[cfg(feature = "parquet")]
mod parquet;
mod samples;
mod table;
pub mod teacher;
mod write;

pub use samples::Data;
pub use table::{Inputs, Table};
pub use write::write_columns;

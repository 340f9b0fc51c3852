//! Fits, explanations, and the files they are saved in.

#![allow(clippy::unwrap_used, non_snake_case)]

mod automatic;
mod dependence;
mod effects;
mod explain;
mod exports;
mod global;
mod local;
mod model_files;
mod wide;

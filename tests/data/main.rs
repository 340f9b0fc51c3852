//! Samples: tables, arrays, recipes, repeated rows, scales of the target.

#![allow(clippy::unwrap_used, non_snake_case)]

mod arrays;
mod as_they_come;
mod dialects;
#[cfg(all(feature = "parquet", feature = "compressed"))]
mod formats;
mod new_tables;
mod recipe;
mod repeats;
mod tables;
mod target_scale;

//! Samples: tables, arrays, recipes, repeated rows, scales of the target.

#![allow(clippy::unwrap_used, non_snake_case)]

mod arrays;
mod as_they_come;
mod dialects;
mod recipe;
mod repeats;
mod tables;
mod target_scale;

//! Sweeps, studies and drawings.

#![allow(clippy::unwrap_used, non_snake_case)]

mod drawings;
mod dynamics;
mod statistics;
mod studies;
mod sweep;

//! The command as a user runs it: in an empty folder, through its own binary.

#![allow(clippy::unwrap_used)]

mod automatic;
mod certificates;
mod check;
mod chosen;
mod dependence;
mod destinations;
mod explain;
mod figure;
mod intervals;
mod journeys;
mod landscape;
mod paths;
mod recover;
mod refusals;
mod support;
mod sweep;
mod tables;
mod target_scale;
mod theorems;
mod wide;

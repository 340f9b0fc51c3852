//! The numbers: activations, networks, risks, optimisers, convex programs, spectra, landscapes, fleets, wide networks.

#![allow(clippy::unwrap_used, non_snake_case)]

mod activation_accuracy;
mod activation_laws;
mod convex;
mod fleet;
mod landscape;
mod network;
mod optimise;
mod population;
#[path = "../references/mod.rs"]
mod references;
mod risk;
mod spectrum;
mod support;
mod wide;

//! Infinitely wide networks: their layers and inputs, the rows as groups, the kernel with bounds on its error.

pub mod groups;
pub mod kernel;
pub mod network;

pub use network::{LayerLaw, RankCurve, WideLayer, WideNetwork};

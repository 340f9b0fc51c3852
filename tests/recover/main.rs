//! Recovering planted weights.

#![allow(clippy::unwrap_used, non_snake_case)]

mod alignment;
mod certificate;
mod inputs;
mod landscapes;
mod moments;
mod objectives;
mod output;
mod recovery;
#[path = "../references/mod.rs"]
mod references;
mod support;

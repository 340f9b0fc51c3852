//! Judgements, certificates and plans: what breaks each hypothesis, and that nothing false is proved.

#![allow(clippy::unwrap_used, non_snake_case)]

mod descent_soundness;
mod determined;
mod exact_rank;
mod exactly;
mod files;
mod landscape_soundness;
mod plans;
mod quadratic_points;
#[path = "../references/mod.rs"]
mod references;
mod saved;
mod separated_data;
mod soundness;
mod starts;
mod support;
mod theorems;

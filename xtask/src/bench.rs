//! `cargo xtask bench`.

use std::path::Path;

use crate::run::Result;

/// Measure.
pub fn run(_name: Option<&str>, _json: Option<&Path>, _quick: bool) -> Result<()> {
    Err("not yet".into())
}

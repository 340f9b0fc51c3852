//! `--signs`, as several verbs take it.

use clap::ValueEnum;
use shallows::network::Signs;

/// The signs that output weights may have.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SignsArg {
    /// Both
    Any,
    /// v ≥ 0
    Positive,
    /// v ≤ 0
    Negative,
}

impl From<SignsArg> for Signs {
    fn from(signs: SignsArg) -> Self {
        match signs {
            SignsArg::Any => Signs::Any,
            SignsArg::Positive => Signs::Positive,
            SignsArg::Negative => Signs::Negative,
        }
    }
}

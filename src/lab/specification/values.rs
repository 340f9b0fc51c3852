//! The values that keys of a specification may have: names, ranges of numbers, and what the reader of TOML says of others.

use toml::Value;

use super::super::protocol::StartOutputs;
use crate::data::teacher::Design;
use crate::fleet::Precision;

/// A value from a list of names; the first is the default.
pub(super) type Names<T> = &'static [(&'static str, T)];

pub(super) const INPUTS: Names<Design> = &[("gaussian", Design::Gaussian), ("sphere", Design::Sphere)];
/// Whether they are planted.
pub(super) const LABELS: Names<bool> = &[("planted", true), ("random", false)];
pub(super) const START_OUTPUTS: Names<StartOutputs> =
    &[("signs", StartOutputs::Signs), ("ones", StartOutputs::Ones), ("os", StartOutputs::Os)];
/// Whether v is trained.
pub(super) const TRAIN: Names<bool> = &[("both", true), ("hidden", false)];
/// Whether it adapts.
pub(super) const STEPS: Names<bool> = &[("adaptive", true), ("fixed", false)];
/// Whether it is ½Σr².
pub(super) const LOSSES: Names<bool> = &[("mean", false), ("sum", true)];
pub(super) const PRECISIONS: Names<Precision> = &[("f64", Precision::Double), ("f32", Precision::Single)];
pub(super) const RULES: Names<RuleName> =
    &[("descent", RuleName::Descent), ("verdict", RuleName::LongRun), ("recovers-teacher", RuleName::RecoversTeacher)];

/// A rule without its numbers.
#[derive(Clone)]
pub(super) enum RuleName {
    Descent,
    LongRun,
    RecoversTeacher,
}

/// Where a number must lie.
#[derive(Clone, Copy)]
pub(super) enum NumberRange {
    NotNegative,
    UpToOne,
}

impl NumberRange {
    pub(super) fn contains(self, x: f64) -> bool {
        match self {
            NumberRange::NotNegative => x >= 0.0,
            NumberRange::UpToOne => (0.0..=1.0).contains(&x),
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            NumberRange::NotNegative => "a number of at least 0",
            NumberRange::UpToOne => "a number from 0 to 1",
        }
    }
}

/// A finite number of either kind.
pub(super) fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Float(value) => Some(*value).filter(|x| x.is_finite()),
        _ => None,
    }
}

/// `1..=25` or `10..=100 step 10`.
pub(super) fn range(text: &str) -> Option<(i64, i64, usize)> {
    let (ends, step) = match text.split_once("step") {
        Some((ends, step)) => (ends, step.trim().parse().ok().filter(|step| *step > 0)?),
        None => (text, 1),
    };
    let (first, last) = ends.split_once("..=")?;
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?, step))
}

/// What the reader of TOML says, without the names of types.
pub(super) fn in_words(message: &str) -> String {
    let words = [
        (" as i128, expected i64", ", expected a whole number below 2^63 in magnitude"),
        (" as u128, expected i64", ", expected a whole number below 2^63 in magnitude"),
        ("floating point `", "number `"),
        ("integer `", "whole number `"),
        ("expected i64", "expected a whole number"),
        ("expected a boolean", "expected true or false"),
        ("expected a string", "expected a text in quotation marks"),
        ("struct RawGrid", "the table [grid]"),
        ("struct RawData", "the table [data]"),
        ("struct RawTeacher", "the table [teacher]"),
        ("struct RawStudent", "the table [student]"),
        ("struct RawTraining", "the table [training]"),
        ("struct RawSuccess", "the table [success]"),
        ("struct RawRefine", "the table [refine]"),
    ];
    words.into_iter().fold(message.to_owned(), |message, (from, to)| message.replace(from, to))
}

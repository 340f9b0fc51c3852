//! The tables of the file as they are written, each value with its place.

use serde::Deserialize;
use toml::{Spanned, Value};

type Place<T> = Option<Spanned<T>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Raw {
    pub name: Option<String>,
    pub seed: Place<i64>,
    pub trials: Place<i64>,
    pub starts: Place<i64>,
    pub grid: Spanned<RawGrid>,
    pub data: Option<RawData>,
    pub teacher: Place<RawTeacher>,
    pub student: Spanned<RawStudent>,
    pub training: Spanned<RawTraining>,
    pub success: Option<RawSuccess>,
    pub refine: Option<RawRefine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawGrid {
    pub n: Spanned<Value>,
    pub k: Spanned<Value>,
    pub d: Spanned<Value>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawData {
    pub inputs: Place<String>,
    pub labels: Place<String>,
    pub noise: Place<Value>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTeacher {
    pub activation: Place<String>,
    pub width: Place<Value>,
    pub hidden: Place<String>,
    pub outputs: Place<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStudent {
    pub activation: Spanned<String>,
    pub scale: Place<Value>,
    pub outputs: Place<String>,
    pub train: Place<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTraining {
    pub step: Place<String>,
    pub eta: Place<Value>,
    pub loss: Place<String>,
    pub iterations: Spanned<i64>,
    pub tolerance: Place<Value>,
    pub precision: Place<String>,
    pub verdict: Place<bool>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSuccess {
    pub rule: Place<String>,
    pub tolerance: Place<Value>,
    pub within: Place<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRefine {
    pub axis: Spanned<String>,
    pub trials: Spanned<i64>,
    pub values: Place<Value>,
}

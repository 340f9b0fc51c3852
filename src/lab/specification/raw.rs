//! The tables of the file as they are written, each value with its place.

use serde::Deserialize;
use toml::{Spanned, Value};

type OptionalKey<T> = Option<Spanned<T>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Raw {
    pub name: Option<String>,
    pub seed: OptionalKey<i64>,
    pub trials: OptionalKey<i64>,
    pub starts: OptionalKey<i64>,
    pub grid: Spanned<RawGrid>,
    pub data: Option<RawData>,
    pub teacher: OptionalKey<RawTeacher>,
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
    pub inputs: OptionalKey<String>,
    pub labels: OptionalKey<String>,
    pub noise: OptionalKey<Value>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTeacher {
    pub activation: OptionalKey<String>,
    pub width: OptionalKey<Value>,
    pub hidden: OptionalKey<String>,
    pub outputs: OptionalKey<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStudent {
    pub activation: Spanned<String>,
    pub scale: OptionalKey<Value>,
    pub outputs: OptionalKey<String>,
    pub train: OptionalKey<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTraining {
    pub step: OptionalKey<String>,
    pub eta: OptionalKey<Value>,
    pub loss: OptionalKey<String>,
    pub iterations: Spanned<i64>,
    pub tolerance: OptionalKey<Value>,
    pub precision: OptionalKey<String>,
    pub verdict: OptionalKey<bool>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSuccess {
    pub rule: OptionalKey<String>,
    pub tolerance: OptionalKey<Value>,
    pub within: OptionalKey<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRefine {
    pub axis: Spanned<String>,
    pub trials: Spanned<i64>,
    pub values: OptionalKey<Value>,
}

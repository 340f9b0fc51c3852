//! What a file says against what is computed: equal, or refused with the first place where they differ.

use serde::Serialize;
use serde_json::Value;

use super::problem;
use crate::error::{CertificatePart, CertificateProblem, Result};

/// A part of a certificate as a document.
pub(super) fn value(part: &impl Serialize) -> Result<Value> {
    serde_json::to_value(part)
        .map_err(|error| problem(CertificateProblem::NotCertificate { reason: error.to_string() }))
}

/// Refuse a key of a part whose stored value cannot be.
pub(super) fn refuse_unless(
    sound: bool,
    (part, key): (CertificatePart, &str),
    stored: &impl std::fmt::Debug,
    found: &str,
) -> Result<()> {
    if sound {
        return Ok(());
    }
    let (field, stored, found) = (below(part.key(), key), format!("{stored:?}"), found.to_owned());
    Err(problem(CertificateProblem::Mismatch { part, field, stored, found }))
}

/// Equal, or an error that names the first place where they differ.
pub(super) fn compare(part: CertificatePart, stored: &Value, found: &Value) -> Result<()> {
    match first_difference(part.key(), stored, found) {
        None => Ok(()),
        Some((field, stored, found)) => Err(problem(CertificateProblem::Mismatch { part, field, stored, found })),
    }
}

/// The place of a key below another place.
fn below(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}

/// The first place where two documents differ, and what stands there in each.
pub(super) fn first_difference(place: &str, stored: &Value, found: &Value) -> Option<(String, String, String)> {
    match (stored, found) {
        (Value::Object(left), Value::Object(right)) => left.keys().chain(right.keys()).find_map(|key| {
            let part = |of: &serde_json::Map<String, Value>| of.get(key).cloned().unwrap_or_default();
            first_difference(&below(place, key), &part(left), &part(right))
        }),
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let mut pairs = left.iter().zip(right).enumerate();
            pairs.find_map(|(at, (left, right))| first_difference(&format!("{place}[{at}]"), left, right))
        }
        _ if stored == found => None,
        _ => Some((place.to_owned(), stored.to_string(), found.to_string())),
    }
}

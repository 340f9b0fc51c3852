//! What the plots of sweeps share.

use super::super::counts::{By, CellCount};
use super::super::threshold::Threshold;
use super::StudyFinding;
use crate::draw::{Colour, Measured, Measurements, Upright, short_number};
use crate::statistics::logistic::Curve;

/// Points of a fitted curve.
const POINTS: usize = 200;

/// The share of successes of a cell, with Wilson's interval.
pub(crate) fn mark(x: f64, count: &CellCount, by: By) -> Measured {
    let (y, low, high) = count.share(by);
    Measured { x, y, low, high }
}

/// The fitted curve between two values; empty where there is none.
pub(crate) fn fitted(threshold: &Threshold, from: f64, to: f64) -> Vec<(f64, f64)> {
    let at = |i: usize| from + (to - from) * i as f64 / POINTS as f64;
    (0..=POINTS).filter_map(|i| threshold.curve.at(at(i)).map(|p| (at(i), p))).collect()
}

/// A threshold as an upright line with its interval.
pub(crate) fn upright(name: &str, threshold: &Threshold, colour: Colour) -> Upright {
    let label = format!("{name} {}", half_words(threshold));
    Upright { x: threshold.half, span: Some((threshold.low, threshold.high)), label, colour, dashed: false }
}

/// `= 11.2 [10.9, 11.4]`; `in [54, 55]` where failures and successes do not overlap.
pub(super) fn half_words(threshold: &Threshold) -> String {
    let [low, high] = [threshold.low, threshold.high].map(short_number);
    match threshold.curve {
        Curve::Separated { .. } => format!("in [{low}, {high}]"),
        _ => format!("= {} [{low}, {high}]", short_number(threshold.half)),
    }
}

/// A threshold as a finding; `scale` takes it to other units.
pub(super) fn finding(what: String, threshold: &Threshold, scale: f64, published: Option<f64>) -> StudyFinding {
    let [value, low, high] = [threshold.half, threshold.low, threshold.high].map(|x| scale * x);
    let is_gap = matches!(threshold.curve, Curve::Separated { .. });
    let what = if threshold.is_beyond { format!("{what}, beyond the cells") } else { what };
    StudyFinding { what, value, low, high, published, is_gap }
}

/// A dashed line for what is compared with.
pub(super) fn dashed(x: f64, label: &str, colour: Colour) -> Upright {
    Upright { x, span: None, label: label.to_owned(), colour, dashed: true }
}

/// A dashed curve for what is compared with.
pub(super) fn dashed_curve(name: &str, curve: Vec<(f64, f64)>, colour: Colour) -> Measurements {
    Measurements { name: name.to_owned(), colour, marks: vec![], curve, dashed: true }
}

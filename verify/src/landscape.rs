//! What theorems about landscapes of quadratic networks are made of: one point on rows, and planted networks.

pub mod planted;
pub mod point;
pub(crate) mod smallest;

use crate::arithmetic::{Enclosure, add_up, mul_down, mul_up, sub_down};
use crate::error::{Error, Result};
use crate::judgement::{Check, Fact};

/// With a larger tolerance hardly anything would be claimed: a gap of 1 is that of a lower bound of zero.
const LARGEST_TOLERANCE: f64 = 0.1;

/// A number must be positive.
pub(crate) fn positive(hypothesis: &'static str, value: Enclosure) -> Check {
    match value {
        Enclosure { high, .. } if high <= 0.0 => Check::count(hypothesis, -1),
        // Where nothing is known from above, the bound stands for the margin.
        Enclosure { low, high } if low > 0.0 => {
            Check::between(hypothesis, low, if high == f64::INFINITY { low } else { high })
        }
        // Not to be told from 0: the margin may be anything up to `high`.
        Enclosure { high, .. } if high.is_finite() => {
            Check { hypothesis: hypothesis.into(), margin: 0.5 * high, error: high }
        }
        _ => Check::open(hypothesis),
    }
}

/// gap ≤ tolerance·scale and gap < P: that P cannot fall by more than itself is no news.
pub(crate) fn within_and_below(
    hypothesis: &'static str,
    tolerance: f64,
    scale: Enclosure,
    gap: Enclosure,
    objective: Enclosure,
) -> Check {
    let least = sub_down(mul_down(tolerance, scale.low).max(0.0), gap.high);
    let most = add_up(mul_up(tolerance, scale.high), -gap.low);
    let (least_spare, most_spare) = (sub_down(objective.low, gap.high), add_up(objective.high, -gap.low));
    // Refuted whatever the gap may be at most.
    if let Some(margin) = [most, most_spare].into_iter().find(|margin| *margin < 0.0) {
        return Check { hypothesis: hypothesis.into(), margin, error: 0.0 };
    }
    if [least, most, least_spare, most_spare].iter().any(|margin| !margin.is_finite()) {
        return Check::open(hypothesis);
    }
    Check::between(hypothesis, least.min(least_spare), most.min(most_spare))
}

/// As every theorem with a tolerance wants it.
pub(crate) fn check_tolerance(found: f64) -> Result<()> {
    let what = "the tolerance";
    if found > 0.0 && found <= LARGEST_TOLERANCE {
        return Ok(());
    }
    Err(Error::Range { what, least: 0.0, most: LARGEST_TOLERANCE, found })
}

/// Finite and at least 0.
pub(crate) fn check_not_negative(what: &'static str, found: f64) -> Result<()> {
    if found >= 0.0 && found.is_finite() {
        Ok(())
    } else {
        Err(Error::Range { what, least: 0.0, most: f64::MAX, found })
    }
}

/// What is not finite bounds nothing.
pub(crate) fn finite(mut facts: Vec<Fact>) -> Vec<Fact> {
    facts.retain(|fact| fact.value.is_finite());
    facts
}

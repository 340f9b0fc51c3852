//! What theorems about landscapes of quadratic networks are made of: one point on rows, and planted networks.

pub mod planted;
pub mod point;
pub(crate) mod smallest;

use crate::arithmetic::{Enclosure, add_up, mul_down, mul_up, sub_down};
use crate::error::{Result, check_range};
use crate::judgement::Check;

/// With a larger tolerance hardly anything would be claimed: a gap of 1 is that of a lower bound of zero.
const LARGEST_TOLERANCE: f64 = 0.1;

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
    check_range("the tolerance", found, f64::MIN_POSITIVE, LARGEST_TOLERANCE)
}

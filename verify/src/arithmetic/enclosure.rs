//! Numbers between two bounds, and the formulas of the theorems in them.
//!
//! Every operation rounds outwards, so the result contains what exact arithmetic gives for any numbers within the
//! operands. A NaN on either side stays one, and decides nothing.

use std::ops::{Add, Div, Mul, Sub};

use super::{sqrt_down, sqrt_up};

/// A number proved to be at least `low` and at most `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enclosure {
    /// At most the number.
    pub low: f64,
    /// At least the number.
    pub high: f64,
}

impl Enclosure {
    /// A number known exactly.
    pub fn exactly(value: f64) -> Enclosure {
        Enclosure { low: value, high: value }
    }

    /// √ of a number that is not negative; the part below 0 is rounding.
    pub fn sqrt(self) -> Enclosure {
        Enclosure { low: sqrt_down(self.low.max(0.0)).max(0.0), high: sqrt_up(self.high) }
    }

    /// The same times itself, which is not negative.
    pub fn squared(self) -> Enclosure {
        let square = self * self;
        Enclosure { low: square.low.max(0.0), high: square.high }
    }

    /// The larger of the two numbers.
    pub fn max(self, other: Enclosure) -> Enclosure {
        Enclosure { low: larger(self.low, other.low), high: larger(self.high, other.high) }
    }

    /// The smaller of the two numbers.
    pub fn min(self, other: Enclosure) -> Enclosure {
        Enclosure { low: -larger(-self.low, -other.low), high: -larger(-self.high, -other.high) }
    }

    /// The least and the most of the given numbers, moved outwards by one float; NaN if one of them is.
    fn around(numbers: [f64; 4]) -> Enclosure {
        if numbers.iter().any(|x| x.is_nan()) {
            return Enclosure { low: f64::NAN, high: f64::NAN };
        }
        let low = numbers.iter().fold(f64::INFINITY, |least, x| least.min(*x));
        let high = numbers.iter().fold(f64::NEG_INFINITY, |most, x| most.max(*x));
        Enclosure { low: low.next_down(), high: high.next_up() }
    }
}

/// The maximum, NaN if one of the two is.
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

impl Add for Enclosure {
    type Output = Enclosure;
    fn add(self, other: Enclosure) -> Enclosure {
        Enclosure { low: (self.low + other.low).next_down(), high: (self.high + other.high).next_up() }
    }
}

impl Sub for Enclosure {
    type Output = Enclosure;
    fn sub(self, other: Enclosure) -> Enclosure {
        Enclosure { low: (self.low - other.high).next_down(), high: (self.high - other.low).next_up() }
    }
}

impl Mul for Enclosure {
    type Output = Enclosure;
    fn mul(self, other: Enclosure) -> Enclosure {
        let (a, b) = (self, other);
        Enclosure::around([a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high])
    }
}

impl Div for Enclosure {
    type Output = Enclosure;
    fn div(self, other: Enclosure) -> Enclosure {
        let (a, b) = (self, other);
        if b.low > 0.0 || b.high < 0.0 {
            return Enclosure::around([a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high]);
        }
        // The divisor may be zero.
        Enclosure { low: f64::NAN, high: f64::NAN }
    }
}

impl Mul<Enclosure> for f64 {
    type Output = Enclosure;
    fn mul(self, other: Enclosure) -> Enclosure {
        Enclosure::exactly(self) * other
    }
}

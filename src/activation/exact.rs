//! Exact sums of products, for the rare points where twice the working precision is not enough.

use super::arithmetic::{two_product, two_sum};

/// m and e with x = m·2ᵉ and 1 ≤ |m| < 2, for finite x ≠ 0.
pub(super) fn mantissa_and_exponent(x: f64) -> (f64, i64) {
    const UP: i32 = 64;
    let (x, lift) = if x.abs() < f64::MIN_POSITIVE { (x * 2f64.powi(UP), UP) } else { (x, 0) };
    let biased = (x.to_bits() >> 52) & 0x7ff;
    let mantissa = f64::from_bits((x.to_bits() & !(0x7ff << 52)) | (1023 << 52));
    (mantissa, biased as i64 - 1023 - i64::from(lift))
}

/// An exact sum of doubles: components that do not overlap, smallest first (Shewchuk).
#[derive(Default)]
pub(super) struct ExactSum(Vec<f64>);

impl ExactSum {
    pub(super) fn add(&mut self, x: f64) {
        let mut carry = x;
        for component in &mut self.0 {
            (carry, *component) = two_sum(carry, *component);
        }
        self.0.push(carry);
        self.0.retain(|&component| component != 0.0);
    }

    /// Adds c·mᵖ for p ≤ 2.
    pub(super) fn add_product(&mut self, c: f64, m: f64, power: i64) {
        match power {
            0 => self.add(c),
            1 => {
                let (high, low) = two_product::<false>(c, m);
                self.add(low);
                self.add(high);
            }
            _ => {
                let (high, low) = two_product::<false>(m, m);
                self.add_product(low, c, 1);
                self.add_product(high, c, 1);
            }
        }
    }

    /// The sum to within an ulp.
    pub(super) fn rounded(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The sum as N doubles, each the rounded remainder of those before: about 53·N digits.
    pub(super) fn leading<const N: usize>(mut self) -> [f64; N] {
        std::array::from_fn(|_| {
            let part = self.rounded();
            self.add(-part);
            part
        })
    }
}

//! A few compensated sums side by side, in loops that a compiler turns into vectors.
//!
//! Lanes never meet: each does what [`CompensatedSum`] does, operation for operation, so that what is proved there holds
//! for every lane.

use super::{CompensatedSum, SPLITTER, TINY};

/// Sums side by side.
pub const LANES: usize = 4;
/// One number for each.
pub type Lanes = [f64; LANES];

#[inline(always)]
fn each(f: impl Fn(usize) -> f64) -> Lanes {
    let mut out = [0.0; LANES];
    for lane in 0..LANES {
        out[lane] = f(lane);
    }
    out
}

#[inline(always)]
fn two_sums(a: Lanes, b: Lanes) -> (Lanes, Lanes) {
    let s = each(|i| a[i] + b[i]);
    let z = each(|i| s[i] - a[i]);
    (s, each(|i| (a[i] - (s[i] - z[i])) + (b[i] - z[i])))
}

/// a·b = p + e exactly in every lane, unless it over- or underflows.
#[inline(always)]
pub fn two_products(a: Lanes, b: Lanes) -> (Lanes, Lanes) {
    let halves = |x: Lanes| {
        let t = each(|i| SPLITTER * x[i]);
        let high = each(|i| t[i] - (t[i] - x[i]));
        (high, each(|i| x[i] - high[i]))
    };
    let p = each(|i| a[i] * b[i]);
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    (p, each(|i| a2[i] * b2[i] - (((p[i] - a1[i] * b1[i]) - a2[i] * b1[i]) - a1[i] * b2[i])))
}

/// Sums in twice the working precision.
#[derive(Clone, Copy, Default)]
pub struct LaneSums {
    sum: Lanes,
    correction: Lanes,
    size: Lanes,
    underflow: Lanes,
    terms: f64,
}

impl LaneSums {
    /// Add x.
    #[inline(always)]
    pub fn add(&mut self, x: Lanes) {
        let (sum, lost) = two_sums(self.sum, x);
        self.sum = sum;
        self.correction = each(|i| self.correction[i] + lost[i]);
        self.size = each(|i| self.size[i] + x[i].abs());
        self.terms += 1.0;
    }

    /// Add a·b.
    #[inline(always)]
    pub fn add_products(&mut self, a: Lanes, b: Lanes) {
        let (products, lost) = two_products(a, b);
        self.add(products);
        self.correction = each(|i| self.correction[i] + lost[i]);
    }

    /// Add (a + lost)·b, where |lost| ≤ u|a|.
    #[inline(always)]
    pub fn add_wide_products(&mut self, (a, lost): (Lanes, Lanes), b: Lanes) {
        self.add_products(a, b);
        self.correction = each(|i| self.correction[i] + lost[i] * b[i]);
        self.underflow = each(|i| self.underflow[i] + TINY * (1.0 + b[i].abs()));
    }

    /// The sum of one lane.
    pub fn lane(&self, i: usize) -> CompensatedSum {
        let LaneSums { sum, correction, size, underflow, terms } = self;
        CompensatedSum { sum: sum[i], correction: correction[i], size: size[i], underflow: underflow[i], terms: *terms }
    }

    /// The sum of all lanes.
    pub fn total(&self) -> CompensatedSum {
        let mut total = self.lane(0);
        (1..LANES).for_each(|i| total.merge(self.lane(i)));
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_has_the_bits_of_a_sum_of_its_own() {
        let (mut lanes, mut single) = (LaneSums::default(), [CompensatedSum::default(); LANES]);
        let mut x = 0.37_f64;
        for step in 0..200 {
            x = (x * 1.618_033_988 + 0.1).fract();
            let a = each(|i| (x - 0.5) * 10_f64.powi((step * 7 + i as i32) % 30 - 15));
            let b = each(|i| x * (i as f64 - 1.5));
            lanes.add(a);
            lanes.add_products(a, b);
            lanes.add_wide_products(two_products(a, a), b);
            for (i, single) in single.iter_mut().enumerate() {
                single.add(a[i]);
                single.add_product(a[i], b[i]);
                single.add_wide_product(super::super::two_product(a[i], a[i]), b[i]);
            }
        }
        for (i, single) in single.iter().enumerate() {
            assert_eq!(lanes.lane(i).wide(), single.wide());
        }
    }
}

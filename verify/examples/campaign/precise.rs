//! Real numbers to about 500 bits, whatever their size, and the few functions that kernels need: by other formulas than the
//! checker's.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use dashu_int::IBig;

/// Bits that are kept.
const BITS: i64 = 512;

/// m·2^e
#[derive(Clone, Debug)]
pub struct Precise {
    m: IBig,
    e: i64,
}

fn bits(m: &IBig) -> i64 {
    let magnitude = if *m < IBig::ZERO { -m } else { m.clone() };
    use dashu_int::ops::BitTest;
    magnitude.bit_len() as i64
}

impl Precise {
    fn new(m: IBig, e: i64) -> Precise {
        let excess = bits(&m) - BITS;
        if excess > 0 { Precise { m: m >> excess as usize, e: e + excess } } else { Precise { m, e } }
    }

    pub fn zero() -> Precise {
        Precise { m: IBig::ZERO, e: 0 }
    }

    pub fn whole(k: i64) -> Precise {
        Precise { m: IBig::from(k), e: 0 }
    }

    /// A double, which must be finite.
    pub fn from(x: f64) -> Precise {
        assert!(x.is_finite(), "{x} is no number");
        let bits = x.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, (bits & ((1 << 52) - 1)) as i64);
        let (m, e) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        Precise { m: IBig::from(if x.is_sign_negative() { -m } else { m }), e }
    }

    pub fn is_zero(&self) -> bool {
        self.m == IBig::ZERO
    }

    pub fn is_negative(&self) -> bool {
        self.m < IBig::ZERO
    }

    /// The size is about 2 to this.
    pub fn exponent(&self) -> i64 {
        bits(&self.m) + self.e
    }

    /// A double near it; infinite or zero beyond their range.
    pub fn to_f64(&self) -> f64 {
        let excess = (bits(&self.m) - 60).max(0);
        let top = i64::try_from(&self.m >> excess as usize).expect("60 bits");
        let e = (self.e + excess).clamp(-3000, 3000) as i32;
        let third = e / 3;
        top as f64 * 2_f64.powi(third) * 2_f64.powi(third) * 2_f64.powi(e - 2 * third)
    }

    pub fn abs(&self) -> Precise {
        if self.is_negative() { -self.clone() } else { self.clone() }
    }

    pub fn times_power(&self, e: i64) -> Precise {
        Precise { m: self.m.clone(), e: self.e + e }
    }

    pub fn sqrt(&self) -> Precise {
        if self.m <= IBig::ZERO {
            return Precise::zero();
        }
        let mut shift = 2 * BITS - bits(&self.m);
        shift += (self.e - shift).rem_euclid(2);
        let n = if shift >= 0 { &self.m << shift as usize } else { &self.m >> (-shift) as usize };
        let mut root = IBig::ONE << (bits(&n) as usize).div_ceil(2);
        loop {
            let next = (&root + &n / &root) >> 1;
            if next >= root {
                return Precise::new(root, (self.e - shift) / 2);
            }
            root = next;
        }
    }

    /// e^{−t}, t ≥ 0.
    pub fn exp_of_minus(t: &Precise) -> Precise {
        if *t > Precise::whole(100_000) {
            return Precise::zero();
        }
        let halvings = (t.exponent() + 10).max(0);
        let small = -t.times_power(-halvings);
        let mut sum = Precise::whole(1);
        let mut term = Precise::whole(1);
        for j in 1..60 {
            term = &(&term * &small) / &Precise::whole(j);
            sum = &sum + &term;
        }
        (0..halvings).fold(sum, |x, _| &x * &x)
    }

    /// arctan x
    fn arctangent(x: &Precise) -> Precise {
        const HALVINGS: i64 = 12;
        let one = Precise::whole(1);
        let mut small = x.clone();
        for _ in 0..HALVINGS {
            let root = (&one + &(&small * &small)).sqrt();
            small = &small / &(&one + &root);
        }
        let square = -(&small * &small);
        let mut power = small;
        let mut sum = Precise::zero();
        for j in 0..30 {
            sum = &sum + &(&power / &Precise::whole(2 * j + 1));
            power = &power * &square;
        }
        sum.times_power(HALVINGS)
    }

    pub fn pi() -> Precise {
        Precise::arctangent(&Precise::whole(1)).times_power(2)
    }

    /// The angle whose cosine is p/r and whose sine is q/r, q ≥ 0 or p ≥ 0: arctan of q/(r + p), twice.
    pub fn angle(p: &Precise, q: &Precise, r: &Precise) -> Precise {
        let below = r + p;
        if below.is_zero() || below.is_negative() {
            return Precise::pi();
        }
        Precise::arctangent(&(q / &below)).times_power(1)
    }
}

impl PartialEq for Precise {
    fn eq(&self, other: &Precise) -> bool {
        (self - other).is_zero()
    }
}

impl PartialOrd for Precise {
    fn partial_cmp(&self, other: &Precise) -> Option<Ordering> {
        (self - other).m.partial_cmp(&IBig::ZERO)
    }
}

impl Neg for Precise {
    type Output = Precise;
    fn neg(self) -> Precise {
        Precise { m: -self.m, e: self.e }
    }
}

impl Add for &Precise {
    type Output = Precise;
    fn add(self, other: &Precise) -> Precise {
        let (a, b) = if self.e >= other.e { (self, other) } else { (other, self) };
        if a.is_zero() {
            return b.clone();
        }
        // What is below the last bit of the larger is not seen.
        if a.e - b.e > 4 * BITS && a.exponent() - b.exponent() > 2 * BITS {
            return a.clone();
        }
        Precise::new((&a.m << (a.e - b.e) as usize) + &b.m, b.e)
    }
}

impl Sub for &Precise {
    type Output = Precise;
    fn sub(self, other: &Precise) -> Precise {
        self + &-other.clone()
    }
}

impl Mul for &Precise {
    type Output = Precise;
    fn mul(self, other: &Precise) -> Precise {
        Precise::new(&self.m * &other.m, self.e + other.e)
    }
}

impl Div for &Precise {
    type Output = Precise;
    fn div(self, other: &Precise) -> Precise {
        let shift = BITS + bits(&other.m);
        Precise::new((&self.m << shift as usize) / &other.m, self.e - other.e - shift)
    }
}

//! φ, φ', φ'' of every activation at one point: the bodies that `dispatch` runs over slices. Polynomials have files of their own.
//!
//! A body is branch-free; where that is impossible (the cosine of a huge number, a polynomial next to its root) it
//! reports the point as hard and `rescue` answers instead, one point at a time.
//!
//! The logistic family is written in u = e^{−|p|} ≤ 1, p = bz: nothing overflows, and what is small is small because
//! u or 1 − u is, which both are known to full relative accuracy. The rounding error of bz is carried into the
//! exponential: at |p| = 700 it would otherwise cost 10 bits.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use super::arithmetic::{fast_two_sum, fma, select, two_product};
use super::elementary::{
    ERF_NEAR, Exponential, REDUCTION_LIMIT, erf, erf_near, far_sine_cosine, gaussian, log1p_ratio, scaled_erfc,
    sine_cosine,
};

/// The number of points a body is run over at once: one register of the widest path.
pub(super) const LANES: usize = 8;

/// φ, φ', φ'' at [`LANES`] points, and whether any of the points is hard.
pub(super) type JetBlock = ([[f64; LANES]; 3], bool);

/// One activation, with whatever can be prepared before the first point.
pub(super) trait Jet {
    /// Whether a point costs so little that blocks do not pay. Then no point is hard.
    const CHEAP: bool = false;

    /// φ, φ', φ'' at z, and whether the point is hard.
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool);

    /// The first `ORDERS` of them at several points; the bits are those of [`Jet::at`].
    #[inline(always)]
    fn block<const FMA: bool, const ORDERS: usize>(&self, z: &[f64; LANES]) -> JetBlock {
        let mut jets = [[0.0; LANES]; 3];
        let mut hard = false;
        for lane in 0..LANES {
            let (jet, flag) = self.at::<FMA>(z[lane]);
            for order in 0..ORDERS {
                jets[order][lane] = jet[order];
            }
            hard |= flag;
        }
        (jets, hard)
    }

    /// φ, φ', φ'' at a hard point.
    fn rescue<const FMA: bool>(&self, z: f64) -> [f64; 3] {
        self.at::<FMA>(z).0
    }
}

/// A constant, or NaN where z is NaN.
#[inline(always)]
pub(super) fn constant(value: f64, z: f64) -> f64 {
    select(z.is_nan(), z, value)
}

/// max(z, 0)
pub(super) struct Relu;

impl Jet for Relu {
    const CHEAP: bool = true;

    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        let side = select(z > 0.0, 1.0, 0.0);
        ([select(z <= 0.0, 0.0, z), constant(side, z), constant(0.0, z)], false)
    }
}

/// z for z > 0, slope·z otherwise
pub(super) struct LeakyRelu {
    pub(super) slope: f64,
}

impl Jet for LeakyRelu {
    const CHEAP: bool = true;

    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        // 0·(−∞) would be NaN.
        let left = select(self.slope == 0.0, constant(0.0, z), self.slope * z);
        let side = select(z > 0.0, 1.0, self.slope);
        ([select(z > 0.0, z, left), constant(side, z), constant(0.0, z)], false)
    }
}

/// |z|
pub(super) struct Abs;

impl Jet for Abs {
    const CHEAP: bool = true;

    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        let side = select(z > 0.0, 1.0, select(z < 0.0, -1.0, z));
        ([z.abs(), side, constant(0.0, z)], false)
    }
}

/// Beyond, e^{−|p|} vanishes whatever the sharpness, and the rounding error of p is void.
const LOGISTIC_LIMIT: f64 = 1400.0;
/// Below, tanh and its kin are linear in p to a relative 2⁻¹⁰⁰.
const LOGISTIC_LINEAR: f64 = 1.0 / (1u64 << 50) as f64;

/// What the logistic functions of p = bz share.
struct Logistic {
    /// p, rounded
    p: f64,
    /// u = e^{−|p|}
    u: Exponential,
    /// 1 + u, rounded
    sum: f64,
    /// The rounding error of `sum`.
    sum_low: f64,
}

impl Logistic {
    #[inline(always)]
    fn new<const FMA: bool>(b: f64, z: f64) -> Self {
        let (p, low) = two_product::<FMA>(b, z);
        let low = select(p.abs() < LOGISTIC_LIMIT, low, 0.0);
        let u = Exponential::new::<FMA>(-p.abs(), select(p > 0.0, -low, low));
        let (sum, sum_low) = fast_two_sum(1.0, u.value());
        Logistic { p, u, sum, sum_low }
    }

    /// 1/(1 + e^{−p})
    #[inline(always)]
    fn sigmoid(&self) -> f64 {
        select(self.p < 0.0, self.u.value(), 1.0) / self.sum
    }

    /// scale·u/(1 + u)²
    #[inline(always)]
    fn slope<const FMA: bool>(&self, scale: f64) -> f64 {
        self.u.times::<FMA>(scale / self.square::<FMA>())
    }

    /// −sign(p)·scale·u(1 − u)/(1 + u)³
    #[inline(always)]
    fn curvature<const FMA: bool>(&self, scale: &RoundedFactor) -> f64 {
        let (square, square_low) = two_product::<FMA>(self.sum, self.sum);
        let square_low = fma::<FMA>(2.0 * self.sum, self.sum_low, square_low);
        let (cube, cube_low) = two_product::<FMA>(square, self.sum);
        let cube_low = cube_low + fma::<FMA>(square_low, self.sum, square * self.sum_low);
        // To first order in the low parts: scale/(1 + u)³ is quotient·(1 + change).
        let quotient = scale.value / cube;
        let change = fma::<FMA>(-cube_low, quotient * scale.inverse, scale.lost);
        let (complement, complement_low) = self.u.complement();
        let low = fma::<FMA>(complement, change, complement_low);
        self.u.times::<FMA>(fma::<FMA>(quotient, complement, quotient * low)).copysign(-self.p)
    }

    /// (1 + u)²
    #[inline(always)]
    fn square<const FMA: bool>(&self) -> f64 {
        fma::<FMA>(self.sum, self.sum, 2.0 * self.sum * self.sum_low)
    }
}

/// A factor that is a rounded product.
struct RoundedFactor {
    value: f64,
    inverse: f64,
    /// What rounding took away, relative to the value.
    lost: f64,
}

impl RoundedFactor {
    /// x², and x⁻².
    fn square(x: f64) -> Self {
        let (value, low) = two_product::<false>(x, x);
        RoundedFactor { value, inverse: 1.0 / value, lost: low / value }
    }
}

/// log(1 + e^{bz})/b
pub(super) struct Softplus {
    b: f64,
    /// 1/b, rounded, and what was lost.
    inverse: (f64, f64),
}

impl Softplus {
    pub(super) fn new(b: f64) -> Self {
        let inverse = 1.0 / b;
        Softplus { b, inverse: (inverse, (-inverse).mul_add(b, 1.0) / b) }
    }
}

impl Jet for Softplus {
    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        let logistic = Logistic::new::<FMA>(self.b, z);
        let ratio = log1p_ratio::<FMA>(logistic.u.value());
        let excess = logistic.u.times::<FMA>(fma::<FMA>(ratio, self.inverse.0, ratio * self.inverse.1));
        ([select(z <= 0.0, 0.0, z) + excess, logistic.sigmoid(), logistic.slope::<FMA>(self.b)], false)
    }
}

/// 1/(1 + e^{−bz})
pub(super) struct Sigmoid {
    b: f64,
    square: RoundedFactor,
}

impl Sigmoid {
    pub(super) fn new(b: f64) -> Self {
        Sigmoid { b, square: RoundedFactor::square(b) }
    }
}

impl Jet for Sigmoid {
    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        let b = self.b;
        let logistic = Logistic::new::<FMA>(b, z);
        // For tiny p the product bz may have lost bits to the subnormals that b³z has not.
        let linear = -(b * b * b * 0.125) * z;
        let curvature = logistic.curvature::<FMA>(&self.square);
        let curvature = select(logistic.p.abs() < LOGISTIC_LINEAR, linear, curvature);
        ([logistic.sigmoid(), logistic.slope::<FMA>(b), curvature], false)
    }
}

/// tanh z, from the logistic functions of 2z
pub(super) struct Tanh;

impl Jet for Tanh {
    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        let logistic = Logistic::new::<FMA>(2.0, z);
        let tanh = (logistic.u.complement().0 / logistic.sum).copysign(z);
        let eight = RoundedFactor { value: 8.0, inverse: 0.125, lost: 0.0 };
        ([tanh, logistic.slope::<FMA>(4.0), logistic.curvature::<FMA>(&eight)], false)
    }
}

/// Beyond, e^{−z²} vanishes and erf is ±1.
const ERF_LIMIT: f64 = 28.0;
/// Beyond, e^{−z²/2} vanishes.
const GELU_LIMIT: f64 = 40.0;
/// 1/√(2π), the height of the normal density.
const NORMAL_HEIGHT: f64 = 0.3989422804014327;

/// erf z
pub(super) struct Erf;

impl Jet for Erf {
    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        let t = select(z.abs() > ERF_LIMIT, ERF_LIMIT, z.abs());
        let (_, density) = gaussian::<FMA>(t, 1.0);
        let slope = density.times::<FMA>(FRAC_2_SQRT_PI);
        let curvature = density.times::<FMA>(2.0 * FRAC_2_SQRT_PI * t);
        ([erf::<FMA>(t, density).copysign(z), slope, curvature.copysign(-z)], false)
    }
}

/// zΦ(z), with Φ(−t) = ½ − ½ erf(t/√2) for small t = |z| and ½ e^{−t²/2}·e^{t²/2}erfc(t/√2) for large
pub(super) struct Gelu;

impl Jet for Gelu {
    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        let t = select(z.abs() > GELU_LIMIT, GELU_LIMIT, z.abs());
        let ((square, square_low), density) = gaussian::<FMA>(t, 0.5);
        let x = t * FRAC_1_SQRT_2;
        let ratio = 0.5 * scaled_erfc::<FMA>(x);
        let near = 0.5 - 0.5 * erf_near::<FMA>(x);
        let below = select(x < ERF_NEAR, near, density.times::<FMA>(ratio));
        let left = select(x < ERF_NEAR, -t * near, density.times::<FMA>(-t * ratio));
        // Φ(−t) − t·density(t): the slope at −t, and one minus the slope at t.
        let near = near - density.times::<FMA>(NORMAL_HEIGHT * t);
        let slope = select(x < ERF_NEAR, near, density.times::<FMA>(fma::<FMA>(-t, NORMAL_HEIGHT, ratio)));
        let right = z * (1.0 - below);
        let curvature = density.times::<FMA>(NORMAL_HEIGHT * ((2.0 - square) - square_low));
        ([select(z < 0.0, left, right), select(z < 0.0, slope, 1.0 - slope), curvature], false)
    }
}

/// cos z
pub(super) struct Cos;

impl Jet for Cos {
    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        let (sine, cosine) = sine_cosine::<FMA>(z);
        ([cosine, -sine, -cosine], z.abs() > REDUCTION_LIMIT)
    }

    #[cold]
    fn rescue<const FMA: bool>(&self, z: f64) -> [f64; 3] {
        if z.is_infinite() {
            return [f64::NAN; 3];
        }
        let (sine, cosine) = far_sine_cosine(z);
        [cosine, -sine, -cosine]
    }
}

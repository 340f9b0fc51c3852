//! Activations: their names, and enclosures of φ and φ'.
//!
//! φ and φ' of a number between two bounds are those of the middle, moved by sup|φ'| and sup|φ''| times the distance of the ends.
//! Where these are infinite the formula is evaluated in the bounds themselves. With e = e^{−b|z|}:
//!
//! | φ | φ | φ' | sup\|φ'\| | sup\|φ''\| |
//! |---|---|---|---|---|
//! | softplus | max(z, 0) + ln(1 + e)/b | 1/(1 + e) or e/(1 + e) | 1 | b/4 |
//! | sigmoid | 1/(1 + e) or e/(1 + e) | b·e/(1 + e)² | b/4 | b²/(6√3), at σ = ½ ± 1/√12 |
//! | tanh | | 4e/(1 + e)², b = 2 | 1 | 4/(3√3), at tanh z = 1/√3 |
//! | erf | | (2/√π)e^{−z²} | 2/√π | √(8/(πe)), at z = 1/√2 |
//! | gelu | zΦ(z), Φ(z) = (1 + erf(z/√2))/2 | Φ(z) + zD(z), D the density | Φ(√2) + √2D(√2) | 2D(0) |
//!
//! For gelu, φ''(z) = (2 − z²)D(z) vanishes at ±√2 only, φ' is between 0 and 1 far away and φ'(−√2) = 1 − φ'(√2) ≥ −0.13; and |2 − z²|D(z) ≤ 2D(0), for beyond √2 its largest
//! value is 2D(2). Hermite polynomials come from h_{r+1} = (z·h_r − √r·h_{r−1})/√(r + 1), and h_r' = √r·h_{r−1}.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};
use std::fmt;
use std::str::FromStr;

use crate::arithmetic::{Enclosure, larger, mul_up};
use crate::elementary::{cos, decreasing, erf, exp, increasing, lipschitz, ln_1p, sin, tanh};

/// An activation function.
///
/// ```
/// use shallows_verify::Activation;
///
/// let softplus: Activation = "softplus:2".parse().map_err(|()| "not a name")?;
/// assert_eq!(softplus, Activation::Softplus { sharpness: 2.0 });
/// assert_eq!(softplus.to_string(), "softplus:2");
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Activation {
    /// αz² + βz + γ
    Quadratic {
        /// α
        alpha: f64,
        /// β
        beta: f64,
        /// γ
        gamma: f64,
    },
    /// log(1 + e^{bz})/b
    Softplus {
        /// b
        sharpness: f64,
    },
    /// 1/(1 + e^{−bz})
    Sigmoid {
        /// b
        sharpness: f64,
    },
    /// tanh z
    Tanh,
    /// erf z
    Erf,
    /// zΦ(z)
    Gelu,
    /// cos z
    Cos,
    /// Σ_r c_r h_r(z), h_r the normalised Hermite polynomials; at most 64 of them
    Hermite {
        /// c_0, c_1, …
        coefficients: Vec<f64>,
    },
    /// max(z, 0)
    Relu,
    /// z for z > 0, slope·z otherwise
    LeakyRelu {
        /// For z ≤ 0.
        slope: f64,
    },
    /// |z|
    Abs,
}

/// The slope of `leaky-relu` when none is given.
const DEFAULT_SLOPE: f64 = 0.01;
/// Most coefficients of a Hermite series.
const MOST_COEFFICIENTS: usize = 64;
/// The least and the largest magnitude of a parameter.
const MAGNITUDES: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

impl Activation {
    /// z²
    pub const SQUARE: Activation = Activation::Quadratic { alpha: 1.0, beta: 0.0, gamma: 0.0 };

    /// φ of a number between two bounds.
    ///
    /// ```
    /// use shallows_verify::Activation;
    /// use shallows_verify::arithmetic::Enclosure;
    ///
    /// let z = Enclosure { low: 0.5, high: 0.75 };
    /// let value = Activation::Tanh.value(z);
    /// assert!(value.low <= 0.5_f64.tanh() && value.high >= 0.75_f64.tanh());
    /// ```
    pub fn value(&self, z: Enclosure) -> Enclosure {
        let slopes = self.slope_bound();
        match self {
            Activation::Quadratic { alpha, beta, gamma } => {
                *alpha * z.squared() + *beta * z + Enclosure::exactly(*gamma)
            }
            Activation::Softplus { sharpness } => lipschitz(|z| softplus(*sharpness, z), slopes, z),
            Activation::Sigmoid { sharpness } => lipschitz(|z| sigmoid(*sharpness, z), slopes, z),
            Activation::Tanh => lipschitz(tanh, slopes, z),
            Activation::Erf => lipschitz(erf, slopes, z),
            Activation::Gelu => lipschitz(|z| Enclosure::exactly(z) * normal(z), slopes, z),
            Activation::Cos => lipschitz(cos, slopes, z),
            Activation::Hermite { coefficients } => hermite(coefficients.iter().copied().map(Enclosure::exactly), z),
            Activation::Relu => Enclosure { low: larger(z.low, 0.0), high: larger(z.high, 0.0) },
            Activation::LeakyRelu { slope } => hinge(*slope, z),
            Activation::Abs => hinge(-1.0, z),
        }
    }

    /// φ' of a number between two bounds; both slopes and what is between them where a kink may be met.
    pub fn slope(&self, z: Enclosure) -> Enclosure {
        let bends = self.curvature_bound();
        let kink = |left: f64, right: f64| match z {
            Enclosure { low, .. } if low > 0.0 => Enclosure::exactly(right),
            Enclosure { high, .. } if high < 0.0 => Enclosure::exactly(left),
            // A slope from the left; that of |z| at 0 is 0.
            Enclosure { high: 0.0, .. } if left != -1.0 => Enclosure::exactly(left),
            Enclosure { low, high } if low.is_nan() || high.is_nan() => Enclosure { low: f64::NAN, high: f64::NAN },
            _ => Enclosure { low: left.min(right), high: left.max(right) },
        };
        match self {
            Activation::Quadratic { alpha, beta, .. } => 2.0 * (*alpha * z) + Enclosure::exactly(*beta),
            Activation::Softplus { sharpness } => lipschitz(|z| sigmoid(*sharpness, z), bends, z),
            Activation::Sigmoid { sharpness } => lipschitz(|z| *sharpness * bell(*sharpness, z), bends, z),
            Activation::Tanh => lipschitz(|z| 4.0 * bell(2.0, z), bends, z),
            Activation::Erf => lipschitz(|z| TWO_BY_ROOT_PI * gaussian(z), bends, z),
            Activation::Gelu => lipschitz(gelu_slope, bends, z),
            Activation::Cos => {
                let sine = lipschitz(sin, bends, z);
                Enclosure { low: -sine.high, high: -sine.low }
            }
            Activation::Hermite { coefficients } => {
                let derived = coefficients.iter().enumerate().skip(1).map(|(r, c)| *c * count(r).sqrt());
                hermite(derived, z)
            }
            Activation::Relu => kink(0.0, 1.0),
            Activation::LeakyRelu { slope } => kink(*slope, 1.0),
            Activation::Abs => kink(-1.0, 1.0),
        }
    }

    /// sup|φ'|, never below it; ∞ where there is none.
    pub fn slope_bound(&self) -> f64 {
        match self {
            Activation::Quadratic { .. } => f64::INFINITY,
            Activation::Softplus { .. } | Activation::Tanh | Activation::Cos | Activation::Relu | Activation::Abs => {
                1.0
            }
            Activation::Sigmoid { sharpness } => mul_up(0.25, *sharpness),
            Activation::Erf => TWO_BY_ROOT_PI.high,
            Activation::Gelu => GELU_SLOPE,
            Activation::Hermite { coefficients } => match degree(coefficients) {
                0 => 0.0,
                1 => coefficients[1].abs(),
                _ => f64::INFINITY,
            },
            Activation::LeakyRelu { slope } => slope.abs().max(1.0),
        }
    }

    /// sup|φ''|, never below it; ∞ where there is none.
    pub fn curvature_bound(&self) -> f64 {
        match self {
            Activation::Quadratic { alpha, .. } => mul_up(2.0, alpha.abs()),
            Activation::Softplus { sharpness } => mul_up(0.25, *sharpness),
            Activation::Sigmoid { sharpness } => mul_up(mul_up(*sharpness, *sharpness), SIGMOID_CURVATURE),
            Activation::Tanh => TANH_CURVATURE,
            Activation::Erf => ERF_CURVATURE,
            Activation::Gelu => GELU_CURVATURE,
            Activation::Cos => 1.0,
            Activation::Hermite { coefficients } => match degree(coefficients) {
                0 | 1 => 0.0,
                2 => mul_up(coefficients[2].abs(), count(2).sqrt().high),
                _ => f64::INFINITY,
            },
            Activation::Relu | Activation::LeakyRelu { .. } | Activation::Abs => f64::INFINITY,
        }
    }

    /// |φ'(0+) − φ'(0−)| where φ is piecewise linear with a kink at 0, from above; none where φ is smooth.
    pub fn jump(&self) -> Option<f64> {
        match self {
            Activation::Relu => Some(1.0),
            Activation::LeakyRelu { slope } => Some((1.0 - slope).abs().next_up()),
            Activation::Abs => Some(2.0),
            _ => None,
        }
    }
}

/// Φ(√2) + √2·D(√2) = 1.12890414518515478634…
const GELU_SLOPE: f64 = 1.128904145185155;
/// 2/√(2π) = 0.79788456080286535588…
const GELU_CURVATURE: f64 = 0.7978845608028654;
/// √(8/(πe)) = 0.96788289807657339919…
const ERF_CURVATURE: f64 = 0.9678828980765735;
/// 4/(3√3) = 0.76980035891950101934…
const TANH_CURVATURE: f64 = 0.769800358919501;
/// 1/(6√3) = 0.09622504486493762742…
const SIGMOID_CURVATURE: f64 = 0.09622504486493763;
/// 2/√π; the constant is off by half a unit in the last place at most.
const TWO_BY_ROOT_PI: Enclosure = Enclosure { low: FRAC_2_SQRT_PI.next_down(), high: FRAC_2_SQRT_PI.next_up() };
/// 1/√2, likewise.
const HALF_ROOT: Enclosure = Enclosure { low: FRAC_1_SQRT_2.next_down(), high: FRAC_1_SQRT_2.next_up() };

fn count(r: usize) -> Enclosure {
    Enclosure::exactly(r as f64)
}

/// The highest r with c_r ≠ 0, or 0.
fn degree(coefficients: &[f64]) -> usize {
    coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0)
}

/// e^{−b|z|}
fn decay(b: f64, z: f64) -> Enclosure {
    let exponent = if b == 1.0 || b == 2.0 { Enclosure::exactly(b * z.abs()) } else { b * Enclosure::exactly(z.abs()) };
    let found = decreasing(|x| exp(-x), exponent);
    Enclosure { low: found.low, high: found.high.min(1.0) }
}

fn softplus(b: f64, z: f64) -> Enclosure {
    increasing(ln_1p, decay(b, z)) / Enclosure::exactly(b) + Enclosure::exactly(larger(z, 0.0))
}

/// 1/(1 + e^{−bz})
fn sigmoid(b: f64, z: f64) -> Enclosure {
    let (one, e) = (Enclosure::exactly(1.0), decay(b, z));
    let ratio = if z < 0.0 { e / (one + e) } else { one / (one + e) };
    Enclosure { low: larger(ratio.low, 0.0), high: ratio.high }
}

/// e/(1 + e)², e = e^{−b|z|}
fn bell(b: f64, z: f64) -> Enclosure {
    let e = decay(b, z);
    let ratio = e / (Enclosure::exactly(1.0) + e).squared();
    Enclosure { low: larger(ratio.low, 0.0), high: ratio.high }
}

/// e^{−z²}
fn gaussian(z: f64) -> Enclosure {
    decreasing(|square| exp(-square), Enclosure::exactly(z).squared())
}

/// Φ(z), the normal distribution.
fn normal(z: f64) -> Enclosure {
    let of_argument = lipschitz(erf, TWO_BY_ROOT_PI.high, z * HALF_ROOT);
    0.5 * (Enclosure::exactly(1.0) + of_argument)
}

/// Φ(z) + zD(z), D(z) = e^{−z²/2}/√(2π) = (1/√2)(2/√π)e^{−z²/2}/2.
fn gelu_slope(z: f64) -> Enclosure {
    let bell = decreasing(|square| exp(-square), 0.5 * Enclosure::exactly(z).squared());
    normal(z) + 0.5 * (z * (HALF_ROOT * TWO_BY_ROOT_PI * bell))
}

/// z for z > 0, slope·z otherwise.
fn hinge(slope: f64, z: Enclosure) -> Enclosure {
    if z.low >= 0.0 {
        return z;
    }
    let left = slope * Enclosure { low: z.low, high: -larger(-z.high, 0.0) };
    if z.high <= 0.0 {
        return left;
    }
    // Values on both sides, and 0 between them.
    Enclosure { low: -larger(-left.low, 0.0), high: larger(left.high, z.high) }
}

/// Σ c_r h_r(z)
fn hermite(coefficients: impl Iterator<Item = Enclosure>, z: Enclosure) -> Enclosure {
    let (mut before, mut now, mut sum) = (count(0), count(1), count(0));
    for (r, c) in coefficients.enumerate() {
        if (c.low, c.high) != (0.0, 0.0) {
            sum = sum + c * now;
        }
        let next = (z * now - count(r).sqrt() * before) / count(r + 1).sqrt();
        (before, now) = (now, next);
    }
    sum
}

/// The shortest text that reads back as the same number.
fn number(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

fn list(values: &[f64]) -> String {
    values.iter().map(|&value| number(value)).collect::<Vec<_>>().join(",")
}

impl fmt::Display for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Activation::Quadratic { alpha: 1.0, beta: 0.0, gamma: 0.0 } => f.write_str("quadratic"),
            Activation::Quadratic { alpha, beta, gamma } => write!(f, "quadratic:{}", list(&[*alpha, *beta, *gamma])),
            Activation::Softplus { sharpness: 1.0 } => f.write_str("softplus"),
            Activation::Softplus { sharpness } => write!(f, "softplus:{}", number(*sharpness)),
            Activation::Sigmoid { sharpness: 1.0 } => f.write_str("sigmoid"),
            Activation::Sigmoid { sharpness } => write!(f, "sigmoid:{}", number(*sharpness)),
            Activation::Tanh => f.write_str("tanh"),
            Activation::Erf => f.write_str("erf"),
            Activation::Gelu => f.write_str("gelu"),
            Activation::Cos => f.write_str("cos"),
            Activation::Hermite { coefficients } => write!(f, "hermite:{}", list(coefficients)),
            Activation::Relu => f.write_str("relu"),
            Activation::LeakyRelu { slope } if *slope == DEFAULT_SLOPE => f.write_str("leaky-relu"),
            Activation::LeakyRelu { slope } => write!(f, "leaky-relu:{}", number(*slope)),
            Activation::Abs => f.write_str("abs"),
        }
    }
}

impl FromStr for Activation {
    type Err = ();

    fn from_str(text: &str) -> Result<Activation, ()> {
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let numbers =
            |rest: &str| rest.split(',').map(|x| x.parse::<f64>().map_err(|_| ())).collect::<Result<Vec<f64>, ()>>();
        let parameters = rest.map(numbers).transpose()?;
        let sound = |x: &f64| *x == 0.0 || MAGNITUDES.contains(&x.abs());
        if !parameters.iter().flatten().all(sound) {
            return Err(());
        }
        match (name, parameters.as_deref()) {
            ("quadratic", None) => Ok(Activation::SQUARE),
            ("quadratic", Some(&[alpha, beta, gamma])) if alpha != 0.0 => {
                Ok(Activation::Quadratic { alpha, beta, gamma })
            }
            ("softplus", None) => Ok(Activation::Softplus { sharpness: 1.0 }),
            ("softplus", Some(&[sharpness])) if sharpness > 0.0 => Ok(Activation::Softplus { sharpness }),
            ("sigmoid", None) => Ok(Activation::Sigmoid { sharpness: 1.0 }),
            ("sigmoid", Some(&[sharpness])) if sharpness > 0.0 => Ok(Activation::Sigmoid { sharpness }),
            ("tanh", None) => Ok(Activation::Tanh),
            ("erf", None) => Ok(Activation::Erf),
            ("gelu", None) => Ok(Activation::Gelu),
            ("cos", None) => Ok(Activation::Cos),
            ("relu", None) => Ok(Activation::Relu),
            ("leaky-relu", None) => Ok(Activation::LeakyRelu { slope: DEFAULT_SLOPE }),
            ("leaky-relu", Some(&[slope])) => Ok(Activation::LeakyRelu { slope }),
            ("abs", None) => Ok(Activation::Abs),
            ("hermite", Some(coefficients)) if coefficients.len() <= MOST_COEFFICIENTS => {
                Ok(Activation::Hermite { coefficients: coefficients.to_vec() })
            }
            _ => Err(()),
        }
    }
}

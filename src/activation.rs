//! Activations: φ, φ', φ'', their bounds, Hermite coefficients and kernels.
//!
//! | file | what is there |
//! |---|---|
//! | `activation.rs` | the activations, their derivatives over slices, their bounds |
//! | `name.rs` | constructors that check parameters; names, printed and read back |
//! | `hermite.rs` | φ̂_r = E φ(g)h_r(g) for standard normal g |
//! | `kernel.rs` | E φ(x·w)φ(y·w) and E φ'(x·w)φ'(y·w) for unit x, y and standard normal w |
//! | `averages.rs`, `tail.rs`, `parity.rs` | E φ'(σg) and E φ''(σg), the tail of the Hermite series, what of φ is odd |
//! | `dispatch.rs` | runs a body over slices with the instructions the processor has |
//! | `jets.rs`, `polynomial.rs`, `series.rs` | the bodies: φ, φ', φ'' at one point |
//! | `elementary.rs`, `arcs.rs`, `reduction.rs` | exp, log, sin, cos, erf; asin, acos; huge numbers modulo π/2 |
//! | `arithmetic.rs`, `exact.rs` | products and sums with their rounding errors, and without |
//!
//! To add an activation: a member of [`Smooth`] or [`Kinked`], a body in `jets.rs`, its name, its bounds, its Hermite
//! coefficients, and a line in [`Activation::examples`]; the law tests then pick it up.
//!
//! # Accuracy
//!
//! Against references of 150 digits φ, φ' and φ'' lie within 4 ulp, over all doubles, tails and subnormals included, on
//! every [`Instructions`]. Two exceptions: erf and gelu lie within 4 ulp or 10⁻¹⁵, and within a relative 10⁻¹³ in their tails
//! (gelu' crosses zero near −0.75); Hermite sums whose coefficients differ by thirty orders of magnitude have the bound
//! stated in `series.rs`. The worst that was measured, in ulp (paths with fused multiply–add / portable), in 7000
//! arguments per activation, and for polynomials in 2000 and the neighbours of their roots:
//!
//! | | φ | φ' | φ'' |
//! |---|---|---|---|
//! | relu, leaky-relu, abs | 0.5 | 0 | 0 |
//! | quadratic and Hermite sums, next to their roots too | 0.5 | 0.5 | 0.5 |
//! | softplus | 2.1 / 2.4 | 1.9 / 1.9 | 2.2 / 2.9 |
//! | sigmoid | 2.2 / 2.2 | 2.4 / 2.6 | 2.6 / 2.9 |
//! | tanh | 2.0 / 2.1 | 2.2 / 2.2 | 2.2 / 3.0 |
//! | erf | 1.4 / 1.4 | 1.0 / 1.2 | 1.4 / 1.7 |
//! | gelu | 3.4 / 3.2 | 2·10⁻¹⁶ absolute | 2.2 / 2.6 |
//! | cos | 0.8 / 0.9 | 0.7 / 0.7 | 0.8 / 0.9 |
//!
//! # Special values
//!
//! φ(NaN), φ'(NaN) and φ''(NaN) are NaN for every activation, also where the derivative is a constant. At ±∞ each takes
//! its limit; cos(±∞) and its derivatives are NaN. At a kink φ' is the derivative from the left for relu and leaky-relu
//! (0 and the slope) and 0 for |z|; φ'' = 0, its value almost everywhere.

pub(crate) mod arcs;
pub(crate) mod arithmetic;
mod averages;
mod dispatch;
pub(crate) mod elementary;
mod exact;
mod hermite;
mod jets;
mod kernel;
mod name;
mod parity;
mod polynomial;
mod reduction;
mod series;
mod tail;

use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

pub use averages::{Case, SlopeCase, average_curvature, average_slope, curvature_case, slope_case};
pub use dispatch::Instructions;
pub(crate) use elementary::{ERF, ERF_NEAR, ROUNDER, SCALED_ERFC, SCALED_ERFC_CENTRE};
pub use kernel::{Correlation, Kernel};
pub use parity::OddPart;
pub use tail::{Tail, series_tail};

/// An activation function.
///
/// ```
/// use shallows::activation::{Activation, Bound};
///
/// let relu: Activation = "relu".parse()?;
/// let mut phi = [0.0; 3];
/// relu.values(&[-1.0, 0.5, 2.0], &mut phi);
/// assert_eq!(phi, [0.0, 0.5, 2.0]);
/// assert_eq!(relu.slope_bound(), Bound::Finite(1.0));
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Activation {
    /// Twice continuously differentiable.
    Smooth(Smooth),
    /// Piecewise linear with a kink at 0: φ' is a choice there and φ'' exists only elsewhere.
    Kinked(Kinked),
}

/// The activations with two continuous derivatives.
///
/// [`Activation::softplus`] and its like check parameters; the promises of this module hold for those they accept.
///
/// ```
/// use shallows::activation::{Bound, Smooth};
///
/// assert_eq!(Smooth::Tanh.slope_bound(), Bound::Finite(1.0));
/// // What an unbounded slope would cost a proof: the theorems about descent ask for a finite curvature instead.
/// let square = Smooth::Quadratic { alpha: 1.0, beta: 0.0, gamma: 0.0 };
/// assert_eq!((square.slope_bound(), square.curvature_bound()), (Bound::Unbounded, Bound::Finite(2.0)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Smooth {
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
}

/// The piecewise linear activations.
///
/// ```
/// use shallows::activation::{Activation, Kinked};
///
/// let leaky = Activation::Kinked(Kinked::LeakyRelu { slope: 0.1 });
/// assert_eq!(leaky, "leaky-relu:0.1".parse()?);
/// let (mut phi, mut dphi) = ([0.0; 2], [0.0; 2]);
/// leaky.slopes(&[-2.0, 2.0], &mut phi, &mut dphi);
/// assert_eq!((phi, dphi), ([-0.2, 2.0], [0.1, 1.0]));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kinked {
    /// max(z, 0)
    Relu,
    /// z for z > 0, slope·z otherwise
    LeakyRelu {
        /// The slope on the negative side.
        slope: f64,
    },
    /// |z|
    Abs,
}

/// What φ(−z) is.
///
/// ```
/// use shallows::activation::{Activation, Symmetry};
///
/// assert_eq!(Activation::COS.symmetry(), Symmetry::Even);
/// assert_eq!(Activation::TANH.symmetry(), Symmetry::Odd);
/// assert_eq!(Activation::GELU.symmetry(), Symmetry::None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// φ(z)
    Even,
    /// −φ(z)
    Odd,
    /// Neither.
    None,
}

/// A supremum over the real line. [`Smooth`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Attained or approached.
    Finite(f64),
    /// There is none.
    Unbounded,
}

impl Activation {
    /// z².
    pub const SQUARE: Activation = Activation::Smooth(Smooth::Quadratic { alpha: 1.0, beta: 0.0, gamma: 0.0 });
    /// max(z, 0).
    pub const RELU: Activation = Activation::Kinked(Kinked::Relu);
    /// |z|.
    pub const ABS: Activation = Activation::Kinked(Kinked::Abs);
    /// tanh z.
    pub const TANH: Activation = Activation::Smooth(Smooth::Tanh);
    /// erf z.
    pub const ERF: Activation = Activation::Smooth(Smooth::Erf);
    /// zΦ(z).
    pub const GELU: Activation = Activation::Smooth(Smooth::Gelu);
    /// cos z.
    pub const COS: Activation = Activation::Smooth(Smooth::Cos);

    /// φ(z) for every z.
    ///
    /// # Panics
    /// When the slices differ in length, as everywhere below.
    pub fn values(&self, z: &[f64], phi: &mut [f64]) {
        dispatch::evaluate(self, Instructions::best(), z, [phi]);
    }

    /// φ(z) and φ'(z) for every z.
    pub fn slopes(&self, z: &[f64], phi: &mut [f64], dphi: &mut [f64]) {
        dispatch::evaluate(self, Instructions::best(), z, [phi, dphi]);
    }

    /// φ(z), φ'(z) and φ''(z) for every z; φ'' = 0 for the kinked, which is its value almost everywhere.
    pub fn curvatures(&self, z: &[f64], phi: &mut [f64], dphi: &mut [f64], ddphi: &mut [f64]) {
        dispatch::evaluate(self, Instructions::best(), z, [phi, dphi, ddphi]);
    }

    /// [`Activation::values`] with given instructions, for tests and timings.
    #[doc(hidden)]
    pub fn values_on(&self, instructions: Instructions, z: &[f64], phi: &mut [f64]) {
        dispatch::evaluate(self, instructions, z, [phi]);
    }

    /// [`Activation::slopes`] with given instructions, for tests and timings.
    #[doc(hidden)]
    pub fn slopes_on(&self, instructions: Instructions, z: &[f64], phi: &mut [f64], dphi: &mut [f64]) {
        dispatch::evaluate(self, instructions, z, [phi, dphi]);
    }

    /// [`Activation::curvatures`] with given instructions, for tests and timings.
    #[doc(hidden)]
    pub fn curvatures_on(
        &self,
        instructions: Instructions,
        z: &[f64],
        phi: &mut [f64],
        dphi: &mut [f64],
        ddphi: &mut [f64],
    ) {
        dispatch::evaluate(self, instructions, z, [phi, dphi, ddphi]);
    }

    /// sup|φ'|, rounded up where it is irrational: never below the true supremum.
    pub fn slope_bound(&self) -> Bound {
        match self {
            Activation::Smooth(smooth) => smooth.slope_bound(),
            Activation::Kinked(Kinked::LeakyRelu { slope }) => Bound::Finite(slope.abs().max(1.0)),
            Activation::Kinked(Kinked::Relu | Kinked::Abs) => Bound::Finite(1.0),
        }
    }

    /// Whether φ is even or odd. A network without biases and affine part has the same symmetry.
    pub fn symmetry(&self) -> Symmetry {
        let of_powers = |even: bool, odd: bool| match (even, odd) {
            (true, false) => Symmetry::Even,
            (false, true) => Symmetry::Odd,
            // The zero function is both.
            (false, false) => Symmetry::Even,
            (true, true) => Symmetry::None,
        };
        match self {
            Activation::Smooth(Smooth::Quadratic { alpha, beta, gamma }) => {
                of_powers(*alpha != 0.0 || *gamma != 0.0, *beta != 0.0)
            }
            Activation::Smooth(Smooth::Hermite { coefficients }) => {
                let any = |parity: usize| coefficients.iter().skip(parity).step_by(2).any(|c| *c != 0.0);
                of_powers(any(0), any(1))
            }
            Activation::Smooth(Smooth::Tanh | Smooth::Erf) => Symmetry::Odd,
            Activation::Smooth(Smooth::Cos) | Activation::Kinked(Kinked::Abs) => Symmetry::Even,
            Activation::Kinked(Kinked::LeakyRelu { slope }) if *slope == 1.0 => Symmetry::Odd,
            Activation::Kinked(Kinked::LeakyRelu { slope }) if *slope == -1.0 => Symmetry::Even,
            Activation::Kinked(Kinked::Relu | Kinked::LeakyRelu { .. })
            | Activation::Smooth(Smooth::Softplus { .. } | Smooth::Sigmoid { .. } | Smooth::Gelu) => Symmetry::None,
        }
    }

    /// One or more members of every family, for tests that loop over all there are.
    pub fn examples() -> Vec<Activation> {
        let relu = Activation::RELU.hermite(5);
        let softplus = |sharpness| Activation::Smooth(Smooth::Softplus { sharpness });
        let sigmoid = |sharpness| Activation::Smooth(Smooth::Sigmoid { sharpness });
        let leaky = |slope| Activation::Kinked(Kinked::LeakyRelu { slope });
        let series = |coefficients| Activation::Smooth(Smooth::Hermite { coefficients });
        vec![
            Activation::SQUARE,
            Activation::Smooth(Smooth::Quadratic { alpha: -0.75, beta: 1.3, gamma: 0.4 }),
            Activation::RELU,
            leaky(name::DEFAULT_SLOPE),
            leaky(-0.3),
            Activation::ABS,
            softplus(1.0),
            softplus(0.3),
            softplus(7.0),
            sigmoid(1.0),
            sigmoid(0.3),
            sigmoid(7.0),
            Activation::TANH,
            Activation::ERF,
            Activation::GELU,
            Activation::COS,
            series(vec![0.0, 0.0, relu[2], 0.0, relu[4]]),
            series(vec![0.5, -0.25, 0.0, 1.0]),
        ]
    }
}

/// sup|gelu'|, attained at √2: Φ(√2) + √2·density(√2) = 1.12890414518515478634…, rounded up.
const GELU_SLOPE: f64 = 1.1289041451851547f64.next_up();
/// sup|gelu''|, attained at 0: 2/√(2π) = 0.79788456080286535588…, rounded up.
const GELU_CURVATURE: f64 = 0.7978845608028654;
/// sup|erf''|, attained at 1/√2: √(8/(πe)) = 0.96788289807657339919…, rounded up.
const ERF_CURVATURE: f64 = 0.9678828980765734f64.next_up();
/// sup|tanh''| = 4/(3√3) = 0.76980035891950101934…, rounded up.
const TANH_CURVATURE: f64 = 0.769800358919501;
/// sup|sigmoid''| = 1/(6√3) = 0.09622504486493762741…, rounded up.
const SIGMOID_CURVATURE: f64 = 0.09622504486493763;

impl Smooth {
    /// sup|φ'|, rounded up.
    pub fn slope_bound(&self) -> Bound {
        match self {
            Smooth::Quadratic { alpha: 0.0, beta, .. } => Bound::Finite(beta.abs()),
            Smooth::Quadratic { .. } => Bound::Unbounded,
            Smooth::Softplus { .. } | Smooth::Tanh | Smooth::Cos => Bound::Finite(1.0),
            Smooth::Sigmoid { sharpness } => Bound::Finite(sharpness / 4.0),
            Smooth::Erf => Bound::Finite(FRAC_2_SQRT_PI.next_up()),
            Smooth::Gelu => Bound::Finite(GELU_SLOPE),
            Smooth::Hermite { coefficients } => match degree(coefficients) {
                0 => Bound::Finite(0.0),
                1 => Bound::Finite(coefficients[1].abs()),
                _ => Bound::Unbounded,
            },
        }
    }

    /// sup|φ''|, rounded up where it is irrational: never below the true supremum.
    pub fn curvature_bound(&self) -> Bound {
        match self {
            Smooth::Quadratic { alpha, .. } => Bound::Finite(2.0 * alpha.abs()),
            Smooth::Softplus { sharpness } => Bound::Finite(sharpness / 4.0),
            Smooth::Sigmoid { sharpness } => {
                Bound::Finite(((sharpness * sharpness).next_up() * SIGMOID_CURVATURE).next_up())
            }
            Smooth::Tanh => Bound::Finite(TANH_CURVATURE),
            Smooth::Erf => Bound::Finite(ERF_CURVATURE),
            Smooth::Gelu => Bound::Finite(GELU_CURVATURE),
            Smooth::Cos => Bound::Finite(1.0),
            Smooth::Hermite { coefficients } => match degree(coefficients) {
                0 | 1 => Bound::Finite(0.0),
                2 => Bound::Finite((coefficients[2].abs() * SQRT_2.next_up()).next_up()),
                _ => Bound::Unbounded,
            },
        }
    }
}

/// The highest r with c_r ≠ 0, or 0.
fn degree(coefficients: &[f64]) -> usize {
    coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0)
}

//! Activations: φ, φ', φ'', their bounds, Hermite coefficients and kernels.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// An activation function.
#[derive(Clone, Debug, PartialEq)]
pub enum Activation {
    /// Twice continuously differentiable.
    Smooth(Smooth),
    /// Piecewise linear with a kink at 0: φ' is a choice there and φ'' exists only elsewhere.
    Kinked(Kinked),
}

/// The activations with two continuous derivatives.
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
    /// Σ_r c_r h_r(z), h_r the normalised Hermite polynomials
    Hermite {
        /// c_0, c_1, …
        coefficients: Vec<f64>,
    },
}

/// The piecewise linear activations.
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

/// A supremum over the real line.
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

    /// φ(z) for every z.
    pub fn values(&self, z: &[f64], phi: &mut [f64]) {
        for (z, phi) in z.iter().zip(phi) {
            *phi = self.jet(*z).0;
        }
    }

    /// φ(z) and φ'(z) for every z.
    pub fn slopes(&self, z: &[f64], phi: &mut [f64], dphi: &mut [f64]) {
        for i in 0..z.len() {
            (phi[i], dphi[i], _) = self.jet(z[i]);
        }
    }

    /// φ(z), φ'(z) and φ''(z) for every z; φ'' = 0 for the kinked, which is its value almost everywhere.
    pub fn curvatures(&self, z: &[f64], phi: &mut [f64], dphi: &mut [f64], ddphi: &mut [f64]) {
        for i in 0..z.len() {
            (phi[i], dphi[i], ddphi[i]) = self.jet(z[i]);
        }
    }

    fn jet(&self, z: f64) -> (f64, f64, f64) {
        match self {
            Activation::Smooth(Smooth::Quadratic { alpha, beta, gamma }) => {
                ((alpha * z + beta) * z + gamma, 2.0 * alpha * z + beta, 2.0 * alpha)
            }
            Activation::Smooth(Smooth::Tanh) => {
                let t = z.tanh();
                (t, 1.0 - t * t, -2.0 * t * (1.0 - t * t))
            }
            Activation::Smooth(Smooth::Softplus { sharpness: b }) => {
                let s = 1.0 / (1.0 + (-b * z).exp());
                (z.max(0.0) + (-(b * z).abs()).exp().ln_1p() / b, s, b * s * (1.0 - s))
            }
            Activation::Kinked(Kinked::Relu) => {
                if z > 0.0 {
                    (z, 1.0, 0.0)
                } else {
                    (0.0, 0.0, 0.0)
                }
            }
            _ => (f64::NAN, f64::NAN, f64::NAN),
        }
    }

    /// sup|φ'|.
    pub fn slope_bound(&self) -> Bound {
        match self {
            Activation::Smooth(Smooth::Quadratic { .. }) => Bound::Unbounded,
            _ => Bound::Finite(1.0),
        }
    }
}

impl fmt::Display for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl FromStr for Activation {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        match name {
            "tanh" => Ok(Activation::Smooth(Smooth::Tanh)),
            "softplus" => Ok(Activation::Smooth(Smooth::Softplus { sharpness: 1.0 })),
            "relu" => Ok(Activation::Kinked(Kinked::Relu)),
            "quadratic" => Ok(Activation::SQUARE),
            _ => Err(Error::UnknownActivation { name: name.into(), known: String::new() }),
        }
    }
}

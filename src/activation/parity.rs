//! What of an activation is odd, and which activations are polynomials.

use super::{Activation, Kinked, Smooth, Symmetry};

/// (σ(z) − σ(−z))/2, which tells b from −b. [`Information`](crate::recover::Information) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OddPart {
    /// 0: b and −b are the same unit.
    Zero,
    /// cz: units b and −b differ by a linear function, so a free linear part in the model hides the signs.
    Linear,
    /// Anything else.
    Curved,
}

impl Activation {
    /// The degree, for polynomials.
    pub(crate) fn polynomial_degree(&self) -> Option<usize> {
        match self {
            Activation::Smooth(Smooth::Quadratic { alpha, beta, .. }) => {
                Some(if *alpha != 0.0 { 2 } else { usize::from(*beta != 0.0) })
            }
            Activation::Smooth(Smooth::Hermite { coefficients }) => {
                Some(coefficients.iter().rposition(|c| *c != 0.0).unwrap_or(0))
            }
            Activation::Kinked(Kinked::LeakyRelu { slope }) if *slope == 1.0 => Some(1),
            _ => None,
        }
    }

    /// Whether φ − φ(0) is odd.
    pub(crate) fn is_odd_plus_constant(&self) -> bool {
        match self {
            Activation::Smooth(Smooth::Sigmoid { .. }) => true,
            Activation::Smooth(Smooth::Hermite { coefficients }) => {
                coefficients.iter().skip(2).step_by(2).all(|c| *c == 0.0)
            }
            _ => self.symmetry() == Symmetry::Odd,
        }
    }

    /// relu(z) − relu(−z) = z, and so for leaky-relu with another factor, softplus and gelu.
    pub(crate) fn odd_part(&self) -> OddPart {
        match (self.symmetry(), self) {
            (Symmetry::Even, _) => OddPart::Zero,
            (_, Activation::Kinked(_))
            | (_, Activation::Smooth(Smooth::Quadratic { .. } | Smooth::Softplus { .. } | Smooth::Gelu)) => {
                OddPart::Linear
            }
            (_, Activation::Smooth(Smooth::Hermite { coefficients })) => {
                let curved = coefficients.iter().skip(3).step_by(2).any(|c| *c != 0.0);
                if curved { OddPart::Curved } else { OddPart::Linear }
            }
            (_, Activation::Smooth(Smooth::Sigmoid { .. } | Smooth::Tanh | Smooth::Erf | Smooth::Cos)) => {
                OddPart::Curved
            }
        }
    }
}

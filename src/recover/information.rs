//! What an activation lets the moments of Gaussian data see.
//!
//! With y = Σ a_i σ(b_i·x), ‖b_i‖ = 1 and x ~ N(0, I) the part of degree r of y is σ̂_r Σ a_i b_i^{⊗r}: where σ̂_r = 0,
//! degree r says nothing. The directions are found from two even degrees: M = Σ a_i b_i b_iᵀ, which makes the b_i
//! orthogonal, and the tensor Σ a_i b_i^{⊗4}, whose components are then unique. Their signs come from an odd degree.
//!
//! | σ | what is determined |
//! |---|---|
//! | relu, leaky-relu, softplus, gelu | b_i and a_i; the odd part of σ is linear, so the signs only if y has no linear part of its own |
//! | cos, \|z\| | ±b_i and a_i: b and −b are the same unit, nothing is lost |
//! | αz² + βz + γ | only M and Σ a_i b_i: other units with the same M are the same network |
//! | tanh, erf, sigmoid, any odd function plus a constant | the even degrees vanish: refused |
//! | z, constants | only Σ a_i b_i: other units with the same sum are the same network |

pub use crate::activation::OddPart;

use crate::activation::Activation;

/// The degrees looked at are 0 to 4.
const DEGREES: usize = 5;
/// [`Activation::hermite`] is right to about 10⁻¹⁵ of the largest coefficient; what is below a few times that may be 0.
const NEGLIGIBLE: f64 = 1e-14;

/// σ̂_0, …, σ̂_4, and what follows from them.
///
/// ```
/// use shallows::Activation;
/// use shallows::recover::{Information, OddPart, RecoveryOutlook, Refusal, SignsFrom};
///
/// let relu = Information::of(&Activation::RELU);
/// assert_eq!(relu.odd_part, OddPart::Linear);
/// assert!(matches!(relu.outlook, RecoveryOutlook::Directions(SignsFrom::FirstMoment | SignsFrom::Nothing)));
/// // Odd activations have no even degree to look at.
/// assert_eq!(Information::of(&Activation::TANH).outlook, RecoveryOutlook::Refused(Refusal::Odd));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Information {
    /// σ̂_0, …, σ̂_4, those that count as zero set to zero.
    pub coefficients: [f64; 5],
    /// Coefficients no larger than this count as zero.
    pub negligible: f64,
    /// What the odd part of σ is.
    pub odd_part: OddPart,
    /// What can be recovered.
    pub outlook: RecoveryOutlook,
}

/// What can be recovered. [`Information`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryOutlook {
    /// Directions from degrees 2 and 4.
    Directions(SignsFrom),
    /// Nothing by this way.
    Refused(Refusal),
}

/// How b is told from −b. [`Information`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignsFrom {
    /// From E yx = σ̂_1 Σ a_i b_i.
    FirstMoment,
    /// By regression on σ(b_i·x) and σ(−b_i·x), because σ̂_1 = 0.
    Regression,
    /// Not at all: σ is even, and b and −b are the same unit.
    Nothing,
}

/// Why nothing can be recovered from degrees 2 and 4. [`Information`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// σ(z) = cz + c'.
    Affine,
    /// σ is a polynomial of degree 2.
    Quadratic,
    /// σ is an odd function plus a constant.
    Odd,
    /// σ̂_2 = 0 only.
    NoSecondDegree,
    /// σ̂_4 = 0 only.
    NoFourthDegree,
    /// σ̂_2 = σ̂_4 = 0, although σ has an even part.
    NoEvenDegree,
}

impl Refusal {
    /// One sentence.
    pub fn reason(self) -> &'static str {
        match self {
            Refusal::Affine => {
                "the activation is affine: only the sum of a_i b_i is determined, and other units with the same sum are the same network"
            }
            Refusal::Quadratic => {
                "the activation is a quadratic polynomial: only the sum of a_i b_i b_iᵀ (and of a_i b_i) is determined, and other units with the same sums are the same network"
            }
            Refusal::Odd => {
                "the activation is an odd function plus a constant: the moments of degree 2 and 4, from which directions are found, are zero"
            }
            Refusal::NoSecondDegree => {
                "the Hermite coefficient of degree 2 is zero up to rounding: there is no matrix of second moments to make the directions orthogonal"
            }
            Refusal::NoFourthDegree => {
                "the Hermite coefficient of degree 4 is zero up to rounding: there is no tensor of fourth moments to tell directions apart"
            }
            Refusal::NoEvenDegree => {
                "the Hermite coefficients of degree 2 and 4 are zero up to rounding: the moments from which directions are found vanish"
            }
        }
    }
}

impl Information {
    /// Look at an activation.
    pub fn of(activation: &Activation) -> Information {
        let found = activation.hermite(DEGREES);
        let negligible = NEGLIGIBLE * found.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
        let coefficients: [f64; 5] = std::array::from_fn(|r| if found[r].abs() > negligible { found[r] } else { 0.0 });
        let odd_part = activation.odd_part();
        let [_, first, second, _, fourth] = coefficients;
        let outlook = match (second != 0.0, fourth != 0.0) {
            (true, true) => RecoveryOutlook::Directions(match (odd_part, first != 0.0) {
                (OddPart::Zero, _) => SignsFrom::Nothing,
                (_, true) => SignsFrom::FirstMoment,
                (_, false) => SignsFrom::Regression,
            }),
            (second, fourth) => RecoveryOutlook::Refused(refusal(activation, second, fourth)),
        };
        Information { coefficients, negligible, odd_part, outlook }
    }

    /// σ̂_r for r ≤ 4, 0 where it counts as that.
    pub fn coefficient(&self, degree: usize) -> f64 {
        self.coefficients.get(degree).copied().unwrap_or(0.0)
    }
}

/// Why not, where degree 2 or 4 is missing. What is said of the function itself is read off it, not off its
/// coefficients: five zeros do not make a polynomial.
fn refusal(activation: &Activation, second: bool, fourth: bool) -> Refusal {
    match (activation.polynomial_degree(), activation.is_odd_plus_constant()) {
        (Some(0 | 1), _) => Refusal::Affine,
        (Some(2), _) => Refusal::Quadratic,
        (_, true) => Refusal::Odd,
        _ if second => Refusal::NoFourthDegree,
        _ if fourth => Refusal::NoSecondDegree,
        _ => Refusal::NoEvenDegree,
    }
}

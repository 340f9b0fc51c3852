//! Objectives designed so that their minima are the teacher's weights, and the two that are not.
//!
//! For labels y = Σ a_i σ(b_i·x) with unit b_i and x ~ N(0, I), let M = Σ a_i b_i b_iᵀ and T = Σ a_i b_i⊗b_i⊗b_i⊗b_i.
//! With the Hermite coefficients σ̂_k of the activation,
//!
//! ```text
//! E y(xxᵀ − I) = √2 σ̂_2 M          E y H₄(x) = √24 σ̂_4 T
//! ```
//!
//! so that a [`Target`] is known exactly from a teacher and approximately from samples. Everything here is a function of
//! a Target alone; the population form of an objective and its form on samples differ in nothing but where M and T came
//! from. With the rows b_j of the variable B, c₁ = √6|σ̂_4| and c₂ = |σ̂_4|/(2√6),
//!
//! ```text
//! P' = Σ_{j≠k} T(b_j,b_j,b_k,b_k)                                          on unit rows; has spurious minima
//! G  = c₁ P' − μc₂ Σ_j T(b_j,b_j,b_j,b_j) + λ Σ_j (‖b_j‖² − 1)²            for orthonormal teachers
//! F  = c₁ P' − μc₂ Σ_j T(b_j,b_j,b_j,b_j) + λ Σ_j (b_jᵀM b_j − 1)²         for independent rows
//! f  = ½E (ŷ − y)²   of a student with the teacher's activation
//! f' = ½E (ŷ − y)²   of a student with the activation σ̂_2h_2 + σ̂_4h_4, less what does not depend on the student:
//!      ½σ̂_2²‖M − Σ_j a_j b_j b_jᵀ‖² + ½σ̂_4²‖T − Σ_j a_j b_j⊗b_j⊗b_j⊗b_j‖²      on unit rows
//! ```
//!
//! | here | what |
//! |---|---|
//! | [`Target`] | M and T, of a teacher or from moments; [`TargetWhitening`] |
//! | [`Designed`] | P', G, F |
//! | [`Matching`] | f', with output weights that are fixed or free |
//! | [`PlainRisk`], [`SeriesRisk`] | f: of relu in closed form, of any activation as a sum |
//! | [`UnitRows`] | an objective on unit rows as one on all rows, by normalisation |
//! | [`largest_mu`] and the rest | the parameters of G and F, and how their minima are read |
//!
//! Conventions. Our f and f' are half of those of Ge, Lee and Ma (2018), who have no ½ in the square. P', G and F are
//! expectations of y times polynomials, where no such factor arises; their constants are those of the paper corrected
//! (c₁ and c₂ are printed twice as large; h₄ = H₄/√24).

mod landscape;
mod matching;
mod plain;
mod reading;
mod sampled;
mod series;
mod spheres;
mod target;

pub use landscape::Designed;
pub use matching::Matching;
pub use plain::PlainRisk;
pub use reading::{
    Units, largest_mu, minimal_row_norm, read_general, read_orthonormal, smallest_lambda_general,
    smallest_lambda_orthonormal,
};
pub use series::SeriesRisk;
pub use spheres::UnitRows;
pub use target::{Target, TargetWhitening};

use crate::error::{Error, Parameter, Requirement, Result};

/// Refuse a number that is not positive.
fn check_positive(name: Parameter, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::parameter(name, Requirement::Positive, value))
}

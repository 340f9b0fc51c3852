//! The theorems: one file for each, named by its id, and nothing else in the folder.
//!
//! What a theorem says is written once, in the constant `THEOREM` of its file; the command, THEOREMS.md and the documentation
//! show that text. The header of the file holds the proof.

pub(crate) mod approximate_minimum;
pub(crate) mod approximate_recovery;
pub(crate) mod both_layers_converge;
pub(crate) mod descent_converges;
pub(crate) mod descent_converges_printed;
pub(crate) mod designed_landscape;
pub(crate) mod determined;
pub(crate) mod energy_barrier;
pub(crate) mod full_rank_stationary;
pub(crate) mod global_optimum;
pub(crate) mod planted_quadratic;
pub(crate) mod random_features;
pub(crate) mod relu_descent_converges;
pub(crate) mod relu_descent_converges_printed;
pub(crate) mod safe_start;
pub(crate) mod safe_start_gaussian;
pub(crate) mod separated_data;
pub(crate) mod sgd_converges;
pub(crate) mod strict_saddle;
pub(crate) mod wide_enough;
pub(crate) mod wide_optimum;
pub(crate) mod wide_quadratic;

pub use approximate_minimum::{Competitors, approximate_minimum};
pub use approximate_recovery::{Range, approximate_recovery};
pub use both_layers_converge::both_layers_converge;
pub use descent_converges::{Guarantee, descent_converges};
pub use descent_converges_printed::descent_converges_printed;
pub use designed_landscape::designed_landscape;
pub use determined::determined;
pub use energy_barrier::energy_barrier;
pub use full_rank_stationary::full_rank_stationary;
pub(crate) use global_optimum::check_tolerance;
pub use global_optimum::{Claim, ProvedOptimum, Witness, global_optimum, prove_optimum};
pub use planted_quadratic::{planted_quadratic, planted_quadratic_by};
pub use random_features::random_features;
pub use relu_descent_converges::relu_descent_converges;
pub use relu_descent_converges_printed::relu_descent_converges_printed;
pub use safe_start::safe_start;
pub use safe_start_gaussian::safe_start_gaussian;
pub use separated_data::separated_data;
pub use sgd_converges::sgd_converges;
pub use strict_saddle::strict_saddle;
pub use wide_enough::wide_enough;
pub use wide_optimum::{WideClaim, wide_optimum};
pub use wide_quadratic::wide_quadratic;

pub use shallows_verify::Theorem;
pub use shallows_verify::theorem::TheoremText;

use crate::error::{Error, Result};

/// The theorem of this name.
///
/// ```
/// use shallows::certificate::{Theorem, theorem_named};
///
/// assert_eq!(theorem_named("wide-quadratic")?, Theorem::WideQuadratic);
/// assert!(theorem_named("no-such-theorem").is_err());
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn theorem_named(id: &str) -> Result<Theorem> {
    id.parse()
        .map_err(|_| Error::UnknownTheorem { name: id.to_owned(), known: Theorem::ALL.map(Theorem::id).join(", ") })
}

/// A published theorem that no computation can certify, and why.
///
/// ```
/// use shallows::Watch;
/// use shallows::job::theorems::TheoremsJob;
///
/// let outcome = TheoremsJob::default().run(Watch::silent())?;
/// let reasons: Vec<&str> = outcome.not_certifiable.iter().flatten().map(|one| one.reason).collect();
/// assert!(reasons.iter().any(|reason| reason.contains("not given")));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotCertifiable {
    /// What it says, in short.
    pub title: &'static str,
    /// Why it is not certified.
    pub reason: &'static str,
    /// Where it is.
    pub source: &'static str,
}

/// Theorems of the sources that are not certified.
pub(crate) fn not_certifiable() -> Vec<NotCertifiable> {
    vec![
        NotCertifiable {
            title: "Gradient descent from a random start succeeds once √(kd) ≥ c(B²/μ_φ²)(1+δ)κ(X)n",
            reason: "The constant c is not given, and μ_φ = 0 makes it say nothing about sigmoid, tanh and erf. \
                     wide-enough has the explicit constant of its proof, with λ(X) itself.",
            source: "Oymak and Soltanolkotabi (2020), Theorem 2.1 and Corollary 2.2",
        },
        NotCertifiable {
            title: "The same for relu once k ≥ C(1+δ)²n‖X‖⁶/λ(X)⁴, or k ≥ C(1+ν)²n⁹‖X‖⁶/δ⁴ for separated data",
            reason: "The constants C are not given. relu-descent-converges judges one given start instead; \
                     separated-data certifies the bound on λ(X).",
            source: "Oymak and Soltanolkotabi (2020), Theorems 2.3, 2.5 and 6.3, Corollary 2.4",
        },
        NotCertifiable {
            title: "k ≥ C log²(n)n/λ̃(X) random features have full row rank",
            reason: "The constant C is not given. random-features judges the features at hand.",
            source: "Oymak and Soltanolkotabi (2020), Theorem 3.2",
        },
        NotCertifiable {
            title: "Gradient descent on both layers converges from a start close to a planted network",
            reason: "The constants b, c, c₀, C, C₀ are not given, and the planted network is not known. \
                     both-layers-converge judges one given start.",
            source: "Soltanolkotabi, Javanmard and Lee (2019), Theorem 2.5",
        },
        NotCertifiable {
            title: "Designed objectives recover planted weights from polynomially many samples",
            reason: "The polynomial is not given.",
            source: "Ge, Lee and Ma (2018), Theorems 2.7 and C.1",
        },
        NotCertifiable {
            title: "Where F has the term ½δ‖B‖², for fewer units than inputs, parameters can be chosen for any accuracy",
            reason: "How ε, δ, τ₀, μ and λ are to be chosen is not given. designed-landscape and approximate-recovery are about F \
                     itself, which does not see the complement of the teacher's span.",
            source: "Ge, Lee and Ma (2018), Theorem A.5",
        },
    ]
}

/// THEOREMS.md.
///
/// ```
/// let text = shallows::certificate::markdown();
/// assert!(text.starts_with("# Theorems") && text.contains("## `global-optimum`"));
/// ```
pub fn markdown() -> String {
    let mut text = String::from(
        "# Theorems\n\nThe theorems that certificates, checks and landscapes rest on. This file is generated from the source, and a \
         test compares the two.\n",
    );
    for theorem in Theorem::ALL {
        let TheoremText { id, title, claim, hypotheses, evidence, limits, source } = theorem.text();
        let hypotheses: String = hypotheses.iter().map(|one| format!("\n- {one}")).collect();
        text += &format!(
            "\n## `{id}`: {title}\n\n**Claim.** {claim}\n\n**Hypotheses.**\n{hypotheses}\n\n**Evidence.** {evidence}\n\n\
             **Limits.** {limits}\n\n**Source.** {source}\n"
        );
    }
    text += "\n## Not certifiable\n\nTheorems of the sources that no computation can certify as they are published.\n";
    for NotCertifiable { title, reason, source } in not_certifiable() {
        text += &format!("\n- **{title}.** {reason} ({source}.)\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_theorem_is_found_by_its_id_in_text_and_in_json() {
        for theorem in Theorem::ALL {
            assert_eq!(theorem_named(theorem.id()).ok(), Some(theorem));
            assert_eq!(serde_json::to_value(theorem).ok(), Some(theorem.id().into()));
        }
        let error = theorem_named("no-such-theorem").map_err(|error| error.to_string());
        assert_eq!(error, Err("there is no theorem called \"no-such-theorem\"".to_owned()));
    }
}

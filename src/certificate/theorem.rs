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
pub use global_optimum::{Claim, Class, Measure, Optimum, Witness, global_optimum};
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
pub use wide_quadratic::wide_quadratic;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// What a theorem says and what it takes to believe it.
///
/// ```
/// use shallows::certificate::Theorem;
///
/// let text = Theorem::WideQuadratic.text();
/// assert_eq!(text.id, "wide-quadratic");
/// assert!(text.hypotheses.len() >= 2 && text.source.contains("Soltanolkotabi"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TheoremText {
    /// The same in file names, commands, JSON and documentation.
    pub id: &'static str,
    /// One line.
    pub title: &'static str,
    /// What is proved when every hypothesis holds.
    pub claim: &'static str,
    /// What is checked.
    pub hypotheses: &'static [&'static str],
    /// How it is checked.
    pub evidence: &'static str,
    /// What is not said.
    pub limits: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

/// The theorems that can be applied, one member for each; its text is in the file of that name.
///
/// ```
/// use shallows::certificate::Theorem;
///
/// let theorem: Theorem = "wide-quadratic".parse()?;
/// assert_eq!(theorem, Theorem::WideQuadratic);
/// assert_eq!(theorem.text().hypotheses.len(), 2);
/// assert!(theorem.is_about_saved_networks() && !Theorem::Determined.is_about_saved_networks());
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theorem {
    /// How far a quadratic network is from the best one.
    GlobalOptimum,
    /// Wide quadratic networks have no bad minima.
    WideQuadratic,
    /// Every local minimum is global, and its error is known in advance.
    PlantedQuadratic,
    /// A way down: this point is not a local minimum.
    StrictSaddle,
    /// How far a quadratic network is from any competitor of a given size.
    ApproximateMinimum,
    /// A stationary point of full rank is a global minimum.
    FullRankStationary,
    /// Gradient descent on the hidden layer reaches zero error.
    DescentConverges,
    /// Gradient descent on the hidden layer reaches zero error, as published.
    DescentConvergesPrinted,
    /// Gradient descent on the hidden layer of a relu network reaches zero error.
    ReluDescentConverges,
    /// Gradient descent on the hidden layer of a relu network reaches zero error, as published.
    ReluDescentConvergesPrinted,
    /// Gradient descent on both layers reaches zero error.
    BothLayersConverge,
    /// Random features suffice: the output layer alone reaches zero error.
    RandomFeatures,
    /// The network is wide enough for gradient descent from a random start.
    WideEnough,
    /// Separated rows have a positive relu kernel.
    SeparatedData,
    /// Stochastic gradient descent converges, as far as constants are explicit.
    SgdConverges,
    /// Rows that determine a quadratic network.
    Determined,
    /// Rank-deficient networks cannot come close to a planted quadratic one.
    EnergyBarrier,
    /// Descent from this start ends at the planted network.
    SafeStart,
    /// Descent from a scaled identity ends at the planted network for most Gaussian teachers.
    SafeStartGaussian,
    /// The designed objective F has no minima but the teacher.
    DesignedLandscape,
    /// Nearly stationary points of F without much negative curvature are near the teacher.
    ApproximateRecovery,
}

impl Theorem {
    /// All of them, in the order of the documentation.
    pub const ALL: [Theorem; 21] = [
        Theorem::GlobalOptimum,
        Theorem::WideQuadratic,
        Theorem::PlantedQuadratic,
        Theorem::StrictSaddle,
        Theorem::ApproximateMinimum,
        Theorem::FullRankStationary,
        Theorem::DescentConverges,
        Theorem::DescentConvergesPrinted,
        Theorem::ReluDescentConverges,
        Theorem::ReluDescentConvergesPrinted,
        Theorem::BothLayersConverge,
        Theorem::RandomFeatures,
        Theorem::WideEnough,
        Theorem::SeparatedData,
        Theorem::SgdConverges,
        Theorem::Determined,
        Theorem::EnergyBarrier,
        Theorem::SafeStart,
        Theorem::SafeStartGaussian,
        Theorem::DesignedLandscape,
        Theorem::ApproximateRecovery,
    ];

    /// What it says, in the one place where that is written.
    pub fn text(self) -> &'static TheoremText {
        match self {
            Theorem::GlobalOptimum => &global_optimum::THEOREM,
            Theorem::WideQuadratic => &wide_quadratic::THEOREM,
            Theorem::PlantedQuadratic => &planted_quadratic::THEOREM,
            Theorem::StrictSaddle => &strict_saddle::THEOREM,
            Theorem::ApproximateMinimum => &approximate_minimum::THEOREM,
            Theorem::FullRankStationary => &full_rank_stationary::THEOREM,
            Theorem::DescentConverges => &descent_converges::THEOREM,
            Theorem::DescentConvergesPrinted => &descent_converges_printed::THEOREM,
            Theorem::ReluDescentConverges => &relu_descent_converges::THEOREM,
            Theorem::ReluDescentConvergesPrinted => &relu_descent_converges_printed::THEOREM,
            Theorem::BothLayersConverge => &both_layers_converge::THEOREM,
            Theorem::RandomFeatures => &random_features::THEOREM,
            Theorem::WideEnough => &wide_enough::THEOREM,
            Theorem::SeparatedData => &separated_data::THEOREM,
            Theorem::SgdConverges => &sgd_converges::THEOREM,
            Theorem::Determined => &determined::THEOREM,
            Theorem::EnergyBarrier => &energy_barrier::THEOREM,
            Theorem::SafeStart => &safe_start::THEOREM,
            Theorem::SafeStartGaussian => &safe_start_gaussian::THEOREM,
            Theorem::DesignedLandscape => &designed_landscape::THEOREM,
            Theorem::ApproximateRecovery => &approximate_recovery::THEOREM,
        }
    }

    /// The same in file names, commands, JSON and documentation.
    pub fn id(self) -> &'static str {
        self.text().id
    }

    /// Whether it speaks about one network on given rows, so that a [`Certificate`](super::Certificate) can hold it.
    pub fn is_about_saved_networks(self) -> bool {
        use Theorem::{
            ApproximateMinimum, FullRankStationary, GlobalOptimum, PlantedQuadratic, StrictSaddle, WideQuadratic,
        };
        matches!(
            self,
            GlobalOptimum | WideQuadratic | PlantedQuadratic | StrictSaddle | ApproximateMinimum | FullRankStationary
        )
    }

    /// A hypothesis, by its place in the text.
    pub(super) fn hypothesis(self, at: usize) -> &'static str {
        self.text().hypotheses[at]
    }
}

impl fmt::Display for Theorem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

impl FromStr for Theorem {
    type Err = Error;

    fn from_str(id: &str) -> Result<Theorem> {
        let known = Theorem::ALL.into_iter().find(|theorem| theorem.id() == id);
        known.ok_or_else(|| Error::UnknownTheorem {
            name: id.to_owned(),
            known: Theorem::ALL.map(Theorem::id).join(", "),
        })
    }
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
            assert_eq!(theorem.id().parse().ok(), Some(theorem));
            assert_eq!(serde_json::to_value(theorem).ok(), Some(theorem.id().into()));
        }
        let error = "no-such-theorem".parse::<Theorem>().map_err(|error| error.to_string());
        assert_eq!(error, Err("there is no theorem called \"no-such-theorem\"".to_owned()));
    }
}

//! The theorems there are, as the command, the file THEOREMS.md and the documentation list them.

pub mod approximate_minimum;
pub mod approximate_recovery;
pub mod both_layers_converge;
pub mod descent_converges;
pub mod descent_converges_printed;
pub mod designed_landscape;
pub mod determined;
pub mod energy_barrier;
pub mod full_rank_stationary;
pub mod global_optimum;
pub mod planted_quadratic;
pub mod random_features;
pub mod relu_descent_converges;
pub mod relu_descent_converges_printed;
pub mod safe_start;
pub mod safe_start_gaussian;
pub mod separated_data;
pub mod sgd_converges;
pub mod strict_saddle;
pub mod wide_enough;
pub mod wide_quadratic;

/// What a theorem says and what it takes to believe it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theorem {
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

/// All of them.
pub fn theorems() -> Vec<Theorem> {
    vec![
        global_optimum::THEOREM,
        wide_quadratic::THEOREM,
        planted_quadratic::THEOREM,
        strict_saddle::THEOREM,
        approximate_minimum::THEOREM,
        full_rank_stationary::THEOREM,
        descent_converges::THEOREM,
        descent_converges_printed::THEOREM,
        relu_descent_converges::THEOREM,
        relu_descent_converges_printed::THEOREM,
        both_layers_converge::THEOREM,
        random_features::THEOREM,
        wide_enough::THEOREM,
        separated_data::THEOREM,
        sgd_converges::THEOREM,
        determined::THEOREM,
        energy_barrier::THEOREM,
        safe_start::THEOREM,
        safe_start_gaussian::THEOREM,
        designed_landscape::THEOREM,
        approximate_recovery::THEOREM,
    ]
}

/// A published theorem that no computation can certify, and why.
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
pub fn not_certifiable() -> Vec<NotCertifiable> {
    vec![
        NotCertifiable {
            title: "Gradient descent from a random start succeeds once √(kd) ≥ c(B²/μ_φ²)(1+δ)κ(X)n",
            reason: "The constant c is not given, and μ_φ = 0 makes it say nothing about sigmoid, tanh and erf. \
                     wide-enough has the explicit constant of its proof, with λ(X) itself.",
            source: "Oymak and Soltanolkotabi (2019), Theorem 2.1 and Corollary 2.2",
        },
        NotCertifiable {
            title: "The same for relu once k ≥ C(1+δ)²n‖X‖⁶/λ(X)⁴, or k ≥ C(1+ν)²n⁹‖X‖⁶/δ⁴ for separated data",
            reason: "The constants C are not given. relu-descent-converges judges one given start instead; \
                     separated-data certifies the bound on λ(X).",
            source: "Oymak and Soltanolkotabi (2019), Theorems 2.3, 2.5 and 6.3, Corollary 2.4",
        },
        NotCertifiable {
            title: "k ≥ C log²(n)n/λ̃(X) random features have full row rank",
            reason: "The constant C is not given. random-features judges the features at hand.",
            source: "Oymak and Soltanolkotabi (2019), Theorem 3.2",
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
            source: "Ge, Lee and Ma (2017), Theorems 2.7 and C.1",
        },
        NotCertifiable {
            title: "Where F has the term ½δ‖B‖², for fewer units than inputs, parameters can be chosen for any accuracy",
            reason: "How ε, δ, τ₀, μ and λ are to be chosen is not given. designed-landscape and approximate-recovery speak about F \
                     itself, which does not see the complement of the teacher's span.",
            source: "Ge, Lee and Ma (2017), Theorem A.5",
        },
    ]
}

/// THEOREMS.md.
pub fn markdown() -> String {
    let mut text = String::from(
        "# Theorems\n\nThe theorems that certificates, checks and landscapes rest on. This file is generated from the source, and a \
         test compares the two.\n",
    );
    for theorem in theorems() {
        let Theorem { id, title, claim, hypotheses, evidence, limits, source } = theorem;
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

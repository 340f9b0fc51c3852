//! The theorems there are, as the command, the file THEOREMS.md and the documentation list them.

use super::{determined, global_optimum, separated_data, wide_quadratic};

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
    vec![global_optimum::THEOREM, wide_quadratic::THEOREM, determined::THEOREM, separated_data::THEOREM]
}

/// THEOREMS.md.
pub fn markdown() -> String {
    let mut text = String::from(
        "# Theorems\n\nWhat `shallows certify` and `shallows verify` can prove. This file is written by \
         `shallows theorems --markdown`.\n",
    );
    for theorem in theorems() {
        let Theorem { id, title, claim, hypotheses, evidence, limits, source } = theorem;
        let hypotheses: String = hypotheses.iter().map(|one| format!("\n- {one}")).collect();
        text += &format!(
            "\n## `{id}`: {title}\n\n**Claim.** {claim}\n\n**Hypotheses.**\n{hypotheses}\n\n**Evidence.** {evidence}\n\n\
             **Limits.** {limits}\n\n**Source.** {source}\n"
        );
    }
    text
}

//! The theorems: one file for each, named by its id, and nothing else in the folder.
//!
//! What a theorem says is written once, in the constant `THEOREM` of its file; the command, THEOREMS.md and the documentation
//! show that text. The header of the file holds the proof.

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
pub mod wide_optimum;
pub mod wide_quadratic;

use std::fmt;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::certificate::Subject;
use crate::error::{Error, Result};
use crate::judgement::Judgement;

/// What a theorem says and what it takes to believe it.
///
/// ```
/// use shallows_verify::Theorem;
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
/// use shallows_verify::Theorem;
///
/// let theorem: Theorem = "wide-quadratic".parse()?;
/// assert_eq!(theorem, Theorem::WideQuadratic);
/// assert_eq!(theorem.text().hypotheses.len(), 2);
/// # Ok::<(), shallows_verify::theorem::UnknownTheorem>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theorem {
    /// How far a quadratic network is from the best one.
    GlobalOptimum,
    /// How far an infinitely wide network is from the best one.
    WideOptimum,
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
    pub const ALL: [Theorem; 22] = [
        Theorem::GlobalOptimum,
        Theorem::WideOptimum,
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
            Theorem::WideOptimum => &wide_optimum::THEOREM,
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

    /// Judge a claim of a certificate; `claim` and `proof` are JSON as FORMAT.md says for the theorem.
    pub fn judge(self, subject: &Subject<'_>, claim: &str, proof: &str) -> Result<Judgement> {
        let (rows, network, teacher) = (|| subject.rows(), || subject.network(), || subject.teacher());
        match self {
            Theorem::GlobalOptimum => global_optimum::judge(network()?, rows()?, &read(claim)?, &read(proof)?),
            Theorem::WideOptimum => wide_optimum::judge(rows()?, &read(claim)?, &read(proof)?),
            Theorem::WideQuadratic => wide_quadratic::judge(network()?, &read(claim)?, &read(proof)?),
            Theorem::PlantedQuadratic => {
                planted_quadratic::judge(network()?, subject.teacher, rows()?, &read(claim)?, &read(proof)?)
            }
            Theorem::StrictSaddle => strict_saddle::judge(network()?, rows()?, &read(claim)?, &read(proof)?),
            Theorem::ApproximateMinimum => {
                approximate_minimum::judge(network()?, rows()?, &read(claim)?, &read(proof)?)
            }
            Theorem::FullRankStationary => {
                full_rank_stationary::judge(network()?, rows()?, &read(claim)?, &read(proof)?)
            }
            Theorem::SeparatedData => separated_data::judge(rows()?, &read(claim)?, &read(proof)?),
            Theorem::Determined => determined::judge(rows()?, &read(claim)?, &read(proof)?),
            Theorem::EnergyBarrier => energy_barrier::judge(teacher()?, &read(claim)?, &read(proof)?),
            Theorem::SafeStart => safe_start::judge(network()?, teacher()?, &read(claim)?, &read(proof)?),
            Theorem::SafeStartGaussian => safe_start_gaussian::judge(&read(claim)?, &read(proof)?),
            Theorem::DesignedLandscape => designed_landscape::judge(teacher()?, &read(claim)?, &read(proof)?),
            Theorem::ApproximateRecovery => approximate_recovery::judge(&read(claim)?, &read(proof)?),
            Theorem::DescentConverges => descent_converges::judge(network()?, rows()?, &read(claim)?, &read(proof)?),
            Theorem::DescentConvergesPrinted => {
                descent_converges_printed::judge(network()?, rows()?, &read(claim)?, &read(proof)?)
            }
            Theorem::ReluDescentConverges => {
                relu_descent_converges::judge(network()?, rows()?, &read(claim)?, &read(proof)?)
            }
            Theorem::ReluDescentConvergesPrinted => {
                relu_descent_converges_printed::judge(network()?, rows()?, &read(claim)?, &read(proof)?)
            }
            Theorem::BothLayersConverge => {
                both_layers_converge::judge(network()?, rows()?, &read(claim)?, &read(proof)?)
            }
            Theorem::RandomFeatures => random_features::judge(network()?, rows()?, &read(claim)?, &read(proof)?),
            Theorem::WideEnough => wide_enough::judge(rows()?, &read(claim)?, &read(proof)?),
            Theorem::SgdConverges => sgd_converges::judge(rows()?, &read(claim)?, &read(proof)?),
        }
    }

    /// A hypothesis, by its place in the text.
    pub fn hypothesis(self, at: usize) -> &'static str {
        self.text().hypotheses[at]
    }
}

/// A claim or a proof, whose keys must be just those of the theorem.
fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Error::Certificate { place: "claim or proof".into(), problem: error.to_string() })
}

impl fmt::Display for Theorem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

impl FromStr for Theorem {
    type Err = UnknownTheorem;

    fn from_str(id: &str) -> std::result::Result<Theorem, UnknownTheorem> {
        Theorem::ALL.into_iter().find(|theorem| theorem.id() == id).ok_or(UnknownTheorem)
    }
}

/// No theorem has this id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownTheorem;

impl fmt::Display for UnknownTheorem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no theorem of that name")
    }
}

impl std::error::Error for UnknownTheorem {}

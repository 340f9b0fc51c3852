//! Rows that determine a quadratic network.
//!
//! # Proof
//! xᵀMx is linear in M, so two M agree on the rows exactly if their difference is orthogonal to every xᵢxᵢᵀ: M is determined
//! if and only if these span all symmetric matrices, of dimension D. That is so when the D products x_a x_b (with an affine
//! part also 1 and x_a: the rows are then (1, x)) are independent on the rows. W is determined up to what leaves
//! Σ v_l w_l w_lᵀ unchanged.

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::determined::dimension;
use crate::determined::independence::proves_independent;
use crate::determined::relations::deficit;
use crate::determined::rival::is_rival;
use crate::error::Result;
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::optimum::basis::MOST_COLUMNS;
use crate::rows::{ProofRows, Rows};

pub use crate::determined::independence::Independence;
pub use crate::determined::relations::Vanishing;
pub use crate::determined::rival::Rival;
pub use crate::monomial::Monomial;
pub use crate::relation::Relation;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "determined",
    title: "Rows that determine a quadratic network",
    claim: "Any two quadratic networks f(x) = Σ_l v_l(w_l·x)², of any width and signs, that agree on these rows are the \
            same function; in particular a network that interpolates planted labels is the planted function. With an \
            affine part the same for f(x) + c + b·x.",
    hypotheses: &[
        "at least D rows differ by more than their sign",
        "no exact relation among the inputs and their products is shown",
        "the D products of two inputs are linearly independent on the rows: rank − D ≥ 0",
    ],
    evidence: "D = d(d+1)/2, or (d+1)(d+2)/2 with an affine part, where 1 counts as an input and signs matter. Rows \
               are counted; relations, and networks that agree on the rows, are verified in every row in exact \
               arithmetic; independence is proved by Rump's \
               Cholesky test on the Gram matrix of the products, if need be in a better basis. Beyond D = 5000 only \
               counts and relations decide.",
    limits: "About functions, not weights. Where the span is strict, a second network of any signs exists always; with \
             v ≥ 0 it need not (rows e₁, e₂ and M* = 0: Corollary 2.7 (b) lacks the hypothesis rank M* = d). Rows of \
             weight zero do not count. Near-dependence beyond the reach of doubles is undecided.",
    source: "Gamarnik, Kızıldağ, Zadik (2019), Theorems 2.6 (a) and 2.8 (b), Corollary 2.7 (a); the same argument for \
             any signs.",
};

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Whether networks may have an affine part.
    pub affine: bool,
}

/// What proves it, or what refutes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// How the products are proved independent.
    #[serde(deserialize_with = "Option::deserialize")]
    pub independence: Option<Independence>,
    /// Inputs that are combinations of inputs before them.
    pub relations: Vec<Relation>,
    /// Inputs that take few values together; no input in two groups.
    pub groups: Vec<Vec<usize>>,
    /// Quadratic functions that are zero on every row.
    pub vanishing: Vec<Vanishing>,
    /// Two networks that agree on every row and differ elsewhere.
    #[serde(deserialize_with = "Option::deserialize")]
    pub rival: Option<Rival>,
}

/// Prove, refute or leave open that the rows determine a quadratic network.
///
/// ```
/// use shallows_verify::theorem::determined::{Claim, Independence, Proof, judge};
/// use shallows_verify::{Rows, Verdict};
///
/// // Three numbers make a symmetric 2×2 matrix; the third row tells x·y apart from x² and y².
/// let independence = Some(Independence { shifts: vec![0, 0], rows: None, passes: 0 });
/// let proof = Proof { independence, relations: vec![], groups: vec![], vanishing: vec![], rival: None };
/// let X = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
/// let judge = |n: usize| judge(Rows::new(&X[..2 * n], 2, &vec![0.0; n], None)?, &Claim { affine: false }, &proof);
/// assert_eq!((judge(3)?.verdict(), judge(2)?.verdict()), (Verdict::Holds, Verdict::Fails));
/// # Ok::<(), shallows_verify::Error>(())
/// ```
pub fn judge(rows: Rows<'_>, claim: &Claim, proof: &Proof) -> Result<Judgement> {
    let affine = claim.affine;
    let proof_rows = ProofRows::new(rows, 1.0)?;
    let (n, needed) = (proof_rows.n(), dimension(rows.d(), affine));
    let all: Vec<usize> = (0..rows.d()).collect();
    let distinct = proof_rows.joint_values(&all, !affine, usize::MAX);
    let proved = match &proof.independence {
        Some(independence) => {
            let columns = if needed <= MOST_COLUMNS { Monomial::all(rows.d(), affine) } else { vec![] };
            proves_independent(&proof_rows, &columns, independence)? && columns.len() == needed
        }
        None => false,
    };
    let by_relations = deficit(&proof_rows, affine, &proof.relations, &proof.groups, &proof.vanishing)?;
    let has_rival = proof.rival.as_ref().map_or(Ok(false), |rival| is_rival(&proof_rows, affine, rival))?;
    let deficit = by_relations.max(usize::from(has_rival));
    let rank = distinct.min(needed.saturating_sub(deficit));
    let checks = checks(needed, distinct, deficit, rank, proved);
    let fact = |name, value: usize, side, about| Fact { name, value: value as f64, side, about };
    let facts = vec![
        fact("needed", needed, Side::Exactly, "D, the dimension of all quadratic functions"),
        fact("distinct", distinct, Side::Exactly, "the rows that differ by more than their sign"),
        fact("rank", rank, Side::AtMost, "the dimension of the span"),
    ];
    Ok(Judgement::new(Theorem::Determined, checks, facts, |verdict| {
        let networks = if affine { "quadratic networks with affine part" } else { "quadratic networks" };
        match verdict {
            Verdict::Holds => format!(
                "any two {networks} that agree on these {n} rows are the same function: the {needed} products are \
                 independent there"
            ),
            Verdict::Fails => format!(
                "two {networks} can agree on these {n} rows and differ elsewhere: such a function has {needed} numbers, \
                 and the rows span at most {rank} dimensions"
            ),
            Verdict::Undecided => format!("neither proved nor refuted that the {needed} products are independent"),
        }
    }))
}

fn checks(needed: usize, distinct: usize, deficit: usize, rank: usize, proved: bool) -> Vec<Check> {
    let [rows, relations, independent] = [0, 1, 2].map(|at| THEOREM.hypotheses[at]);
    let needed = needed as i64;
    vec![
        Check::count(rows, distinct as i64 - needed),
        Check::count(relations, -(deficit as i64)),
        match rank as i64 - needed {
            _ if proved => Check::count(independent, 0),
            missing if missing < 0 => Check::count(independent, missing),
            _ => Check::open(independent),
        },
    ]
}

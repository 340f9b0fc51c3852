//! Every local minimum is global, and its error is known in advance.
//!
//! # Proof
//! `wide-quadratic` makes local minima global. Independent xᵢxᵢᵀ mean that some symmetric M has xᵢᵀMxᵢ = yᵢ − c −
//! b·xᵢ for all i, and d units of each sign represent any M: the global minimum is 0. The Gram matrix of the xᵢxᵢᵀ is
//! (XXᵀ)∘(XXᵀ). With v ≥ 0 and d positive entries let W be a local minimum, so ∇L = 2DWS = 0. Either the rows with
//! v_j > 0 have rank d, and S = 0; or some a ≠ 0 on them has aᵀDW = 0, the curvature along abᵀ is 2(aᵀDa)(bᵀSb) ≥ 0, and
//! S ⪰ 0. In both cases L(M) − L(M*) ≤ ⟨S, M − M*⟩ = −⟨S, M*⟩ ≤ 0 for every M* ⪰ 0. Full row rank of X∗X, "for almost
//! every X" and d ≤ n ≤ cd² in the published theorem are not needed there.

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::arithmetic::{TINY, U, add_up, exponent, inflated, mul_up, plain_dot, power_of_two, proves_definite};
use crate::error::{Result, check_not_negative};
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::landscape::point::LossPoint;

use crate::matrix::{Matrix, fill_rows};
use crate::network::Network;
use crate::rows::{ProofRows, Rows};
use crate::words::no_less;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "planted-quadratic",
    title: "Every local minimum is global, and its error is known in advance",
    claim: "With φ(z) = z², v fixed and no decay, every local minimum of W ↦ L(W) = ½Σωᵢrᵢ² fits the given inputs exactly \
            (L = 0), whatever their labels, and every other stationary point has a direction of negative curvature. With \
            a planted network at hand, whose output weights have one sign: every local minimum has L ≤ L(planted).",
    hypotheses: &[
        "there is no decay",
        "v has at least d positive entries",
        "v has at least d negative entries",
        "no row is zero or equal to another up to its sign, and n ≤ d(d+1)/2",
        "the matrices xᵢxᵢᵀ are linearly independent",
        "the planted output weights have one sign",
        "at least d output weights have that sign, and none the other",
        "the planted network has the same affine part",
    ],
    evidence: "Counts, and λ_min((XXᵀ)∘(XXᵀ)) > 0 by Rump's Cholesky test after scaling each row by a power of two. Where a \
               planted network is given, the last three hypotheses take the place of the second to the fifth.",
    limits: "About the landscape, not about the point where a run stopped. With v ≥ 0 and labels that are not planted it is \
             false (d = n = 1, y = −1). Rows of weight zero do not count.",
    source: "Soltanolkotabi, Javanmard, Lee (2019), Theorems 2.1 (second part) and 2.2: n ≥ d and, with planted labels, the \
             condition on X are not needed.",
};

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// τ, which must be zero.
    pub decay: f64,
}

/// Nothing: counts and one factorisation decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {}

/// Beyond this many rows independence is not tried.
const MOST_ROWS: usize = 6000;

/// Prove that every local minimum in W fits these inputs exactly, whatever the labels; or, where a planted network is given,
/// that it fits them at least as well as that.
///
/// ```
/// use shallows_verify::theorem::planted_quadratic::{Claim, Proof, judge};
/// use shallows_verify::{Matrix, Network, Rows, Verdict};
///
/// // One row and a unit of each sign: every local minimum fits it exactly, whatever its label.
/// let network = Network { W: Matrix::zeros(2, 1), v: vec![1.0, -1.0], ..Network::zero(1) };
/// let rows = Rows::new(&[2.0], 1, &[7.0], None)?;
/// assert_eq!(judge(&network, None, rows, &Claim { decay: 0.0 }, &Proof {})?.verdict(), Verdict::Holds);
/// # Ok::<(), shallows_verify::Error>(())
/// ```
pub fn judge(
    network: &Network,
    teacher: Option<&Network>,
    rows: Rows<'_>,
    claim: &Claim,
    _: &Proof,
) -> Result<Judgement> {
    network.check_kind(rows.d())?;
    check_not_negative("the decay", claim.decay)?;
    match teacher {
        Some(planted) => by_planted(planted, network, rows, claim.decay),
        None => by_rows(network, rows, claim.decay),
    }
}

/// Every local minimum is zero, because the products of the rows are independent.
fn by_rows(network: &Network, rows: Rows<'_>, decay: f64) -> Result<Judgement> {
    let rows = ProofRows::new(rows, 1.0)?;
    let (n, d) = (rows.n(), rows.d());
    let [positive, negative] = network.sign_counts();
    let all: Vec<usize> = (0..d).collect();
    let spare = (rows.joint_values(&all, true, usize::MAX) as i64).min((d * (d + 1) / 2) as i64) - n as i64;
    let independent = spare >= 0 && n <= MOST_ROWS && independent(&rows);
    let [h0, h1, h2, h3, h4] = [0, 1, 2, 3, 4].map(|at| THEOREM.hypotheses[at]);
    let checks = vec![
        no_decay(h0, decay),
        Check::count(h1, positive - d as i64),
        Check::count(h2, negative - d as i64),
        Check::count(h3, spare),
        match (independent, spare < 0) {
            (true, _) => Check::count(h4, 0),
            (false, true) => Check::count(h4, -1),
            (false, false) => Check::open(h4),
        },
    ];
    Ok(Judgement::new(Theorem::PlantedQuadratic, checks, vec![], |verdict| match verdict {
        Verdict::Holds => format!(
            "every local minimum in W fits all {n} rows exactly, whatever their labels, and every other stationary point \
             has a direction of negative curvature"
        ),
        Verdict::Fails => "the theorem does not apply: a hypothesis is refuted".into(),
        Verdict::Undecided => "neither proved nor refuted that the products of the rows are independent".into(),
    }))
}

/// Every local minimum is at most the loss of the planted network.
fn by_planted(planted: &Network, network: &Network, rows: Rows<'_>, decay: f64) -> Result<Judgement> {
    let d = rows.d() as i64;
    let loss = LossPoint::new(planted, rows, 0.0)?.objective.high;
    let ([positive, negative], [ours, others]) = (planted.sign_counts(), network.sign_counts());
    let (ours, others) = if negative > positive { (others, ours) } else { (ours, others) };
    // The argument compares functions with the same affine part.
    let affine = |network: &Network| {
        let linear = network.linear.clone().unwrap_or_else(|| vec![0.0; network.inputs()]);
        (network.intercept.unwrap_or(0.0), linear)
    };
    let same = affine(planted) == affine(network);
    let [h0, h5, h6, h7] = [0, 5, 6, 7].map(|at| THEOREM.hypotheses[at]);
    let checks = vec![
        no_decay(h0, decay),
        Check::count(h5, -positive.min(negative)),
        Check::count(h6, if others > 0 { -others } else { ours - d }),
        Check::count(h7, if same { 0 } else { -1 }),
    ];
    let facts = vec![Fact { name: "loss", value: loss, side: Side::AtMost, about: "L of the planted network" }];
    Ok(Judgement::new(Theorem::PlantedQuadratic, checks, facts, |verdict| match verdict {
        Verdict::Holds if loss.is_finite() => format!(
            "every local minimum in W has a loss of at most {}, that of the planted network, and every other \
             stationary point has a direction of negative curvature",
            no_less(loss)
        ),
        Verdict::Holds => "every local minimum in W has a loss of at most that of the planted network".into(),
        _ => "the theorem does not apply: a hypothesis is refuted".into(),
    }))
}

fn no_decay(hypothesis: &str, decay: f64) -> Check {
    Check::count(hypothesis, if decay == 0.0 { 0 } else { -1 })
}

/// True only if (XXᵀ)∘(XXᵀ) is positive definite.
///
/// With rows scaled to a largest entry in [1, 2), a dot product is off by (d+2)u‖xᵢ‖‖xⱼ‖ at most, its square by
/// (2d+8)u‖xᵢ‖²‖xⱼ‖², and a matrix with entries at most ε aᵢaⱼ has norm at most εΣaᵢ².
fn independent(rows: &ProofRows<'_>) -> bool {
    let (n, d) = (rows.n(), rows.d());
    let scaled = |i: usize| {
        let x = rows.raw(i);
        let factor = power_of_two(-exponent(x.iter().fold(0.0, |most: f64, x| most.max(x.abs()))));
        let exact = x.iter().all(|x| x * factor / factor == *x && (x * factor).is_finite());
        exact.then(|| x.iter().map(|x| x * factor).collect::<Vec<f64>>())
    };
    let Some(X) = (0..n).map(scaled).collect::<Option<Vec<_>>>() else { return false };
    let products = fill_rows(n, n, &|range, out| {
        for (out, i) in out.chunks_exact_mut(n).zip(range) {
            for (j, out) in out.iter_mut().enumerate().take(i + 1) {
                let product = plain_dot(&X[i], &X[j]);
                *out = product * product;
            }
        }
    });
    let Some(K) = Matrix::from_vec(n, n, products) else { return false };
    let trace = (0..n).fold(0.0, |sum, i| add_up(sum, K[(i, i)]));
    let relative = mul_up((2 * d + 12) as f64 * 1.01 * U, inflated(trace, 2 * d + 8));
    let underflow = mul_up(TINY, 64.0 * (n * n) as f64 * (d * d) as f64);
    proves_definite(&K, add_up(relative, underflow))
}

//! Every local minimum is global, and its error is known in advance.
//!
//! # Proof
//! `wide-quadratic` makes local minima global. Independent xᵢxᵢᵀ mean that some symmetric M has xᵢᵀMxᵢ = yᵢ − c −
//! b·xᵢ for all i, and d units of each sign represent any M: the global minimum is 0. The Gram matrix of the xᵢxᵢᵀ is
//! (XXᵀ)∘(XXᵀ). With v ≥ 0 and d positive entries let W be a local minimum, so ∇L = 2DWS = 0. Either the rows with
//! v_j > 0 have rank d, and S = 0; or some a ≠ 0 on them has aᵀDW = 0, the curvature along abᵀ is 2(aᵀDa)(bᵀSb) ≥ 0, and
//! S ⪰ 0. In both cases L(M) − L(M*) ≤ ⟨S, M − M*⟩ = −⟨S, M*⟩ ≤ 0 for every M* ⪰ 0. Full row rank of X∗X, "for almost
//! every X" and d ≤ n ≤ cd² in the published theorem are not needed there.

use std::collections::HashSet;

use crate::certificate::arithmetic::rows::ProofRows;
use crate::certificate::arithmetic::{
    TINY, U, add_up, exponent, inflated, mul_up, plain_dot, power_of_two, proves_definite,
};
use crate::certificate::landscape::point::LossPoint;
use crate::certificate::words::no_less;
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::data::Data;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::network::Network;

/// Beyond this many rows independence is not tried.
const MOST_ROWS: usize = 6000;

/// Prove that every local minimum in W fits these inputs exactly, whatever the labels.
///
/// ```
/// use shallows::certificate::{Verdict, planted_quadratic};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Data, Network};
///
/// // One row and a unit of each sign: every local minimum fits it exactly, whatever its label.
/// let data = Data::from_rows(&[[2.0]], &[7.0])?;
/// let network = Network::new(Activation::SQUARE, Matrix::from_rows(&[[1.0], [1.0]]), vec![1.0, -1.0])?;
/// assert_eq!(planted_quadratic(&network, &data, 0.0)?.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn planted_quadratic(network: &Network, data: &Data, decay: f64) -> Result<Judgement> {
    // The point itself does not matter, but what is wrong with it does.
    let rows = LossPoint::new(network, data, decay)?.rows;
    let (n, d) = (rows.n(), rows.d());
    let [positive, negative] = signs(network);
    let spare = distinct(&rows) as i64 - n as i64;
    let spare = spare.min((d * (d + 1) / 2) as i64 - n as i64);
    let independent = spare >= 0 && n <= MOST_ROWS && independent(&rows);
    let [h0, h1, h2, h3, h4] = [0, 1, 2, 3, 4].map(|at| Theorem::PlantedQuadratic.text().hypotheses[at]);
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

/// Prove that every local minimum in W fits these rows at least as well as a planted network, whose output weights have
/// one sign.
///
/// ```
/// use shallows::certificate::{Verdict, planted_quadratic_by};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Data, Network};
///
/// let network = |v: f64| Network::new(Activation::SQUARE, Matrix::identity(2), vec![v, v]);
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], &[1.0, 1.0, 2.0])?;
/// assert_eq!(planted_quadratic_by(&network(1.0)?, &network(0.5)?, &data, 0.0)?.verdict(), Verdict::Holds);
/// // Output weights of the other sign cannot reach what was planted.
/// assert_eq!(planted_quadratic_by(&network(1.0)?, &network(-0.5)?, &data, 0.0)?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn planted_quadratic_by(planted: &Network, network: &Network, data: &Data, decay: f64) -> Result<Judgement> {
    let d = LossPoint::new(network, data, decay)?.rows.d() as i64;
    let teacher = LossPoint::new(planted, data, 0.0)?;
    let ([positive, negative], [ours, others]) = (signs(planted), signs(network));
    let (ours, others) = if negative > positive { (others, ours) } else { (ours, others) };
    // The argument compares functions with the same affine part.
    let affine = |network: &Network| {
        let linear = network.linear.clone().unwrap_or_else(|| vec![0.0; network.inputs()]);
        (network.intercept.unwrap_or(0.0), linear)
    };
    let same = affine(planted) == affine(network);
    let loss = teacher.objective.high;
    let [h0, h5, h6] = [0, 5, 6].map(|at| Theorem::PlantedQuadratic.text().hypotheses[at]);
    let checks = vec![
        no_decay(h0, decay),
        Check::count(h5, -positive.min(negative)),
        Check::count(h6, if others > 0 { -others } else { ours - d }),
        Check::count("the planted network has the same affine part", if same { 0 } else { -1 }),
    ];
    let facts = vec![Fact { name: "loss", value: loss, side: Side::Exactly, about: "L of every local minimum, from above" }];
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

/// How many output weights are positive, and negative.
fn signs(network: &Network) -> [i64; 2] {
    [1.0, -1.0].map(|sign| network.v.iter().filter(|v| sign * **v > 0.0).count() as i64)
}

/// The rows that are not zero and differ by more than their sign.
fn distinct(rows: &ProofRows<'_>) -> usize {
    let key = |i: usize| {
        let x = rows.X.row(i);
        let first = x.iter().find(|x| **x != 0.0)?;
        // −0 and +0 are the same number.
        Some(x.iter().map(|x| (x * first.signum() + 0.0).to_bits()).collect::<Vec<u64>>())
    };
    (0..rows.n()).filter_map(key).collect::<HashSet<_>>().len()
}

/// True only if (XXᵀ)∘(XXᵀ) is positive definite.
///
/// With rows scaled to a largest entry in [1, 2), a dot product is off by (d+2)u‖xᵢ‖‖xⱼ‖ at most, its square by
/// (2d+8)u‖xᵢ‖²‖xⱼ‖², and a matrix with entries at most ε aᵢaⱼ has norm at most εΣaᵢ².
fn independent(rows: &ProofRows<'_>) -> bool {
    let (n, d) = (rows.n(), rows.d());
    let scaled = |i: usize| {
        let x = rows.X.row(i);
        let factor = power_of_two(-exponent(x.iter().fold(0.0, |most: f64, x| most.max(x.abs()))));
        let exact = x.iter().all(|x| x * factor / factor == *x && (x * factor).is_finite());
        exact.then(|| x.iter().map(|x| x * factor).collect::<Vec<f64>>())
    };
    let Some(X) = (0..n).map(scaled).collect::<Option<Vec<_>>>() else { return false };
    let K = Matrix::from_row_fn(n, n, |i, out| {
        for (j, out) in out.iter_mut().enumerate().take(i + 1) {
            let product = plain_dot(&X[i], &X[j]);
            *out = product * product;
        }
    });
    let trace = (0..n).fold(0.0, |sum, i| add_up(sum, K[(i, i)]));
    let relative = mul_up((2 * d + 12) as f64 * 1.01 * U, inflated(trace, 2 * d + 8));
    let underflow = mul_up(TINY, 64.0 * (n * n) as f64 * (d * d) as f64);
    proves_definite(&K, add_up(relative, underflow))
}

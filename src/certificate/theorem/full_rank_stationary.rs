//! A stationary point of full rank is a global minimum.
//!
//! # Proof
//! With s the common sign (any, if τ = 0) and T = S + sτI, S = Σωᵢrᵢxᵢxᵢᵀ, row l of ∇P is 2v_lTw_l. So the
//! matrix with rows ∇_lP/(2v_l) is W_IT, and σ_min(W_I)‖T‖ ≤ ‖W_IT‖_F = g. As in `approximate-minimum`,
//! P(W) − P(M̂) ≤ ½⟨W, ∇P⟩ − ⟨S, M̂⟩ − τ‖M̂‖_*, and −⟨S, M̂⟩ = −⟨T, M̂⟩ + sτ tr M̂ ≤ ‖T‖‖M̂‖_* + τ‖M̂‖_*.
//! The same for the population risk of Gaussian inputs and a planted M*, which is not computed here: G = 2A + tr(A)I,
//! A = M − M*, takes the place of S (∇L = 2DWG); ‖G‖_F² = 4‖A‖_F² + (4 + d)(tr A)², and so
//! L = ‖A‖_F² + ½(tr A)² ≤ ¼‖G‖_F² ≤ ¼g²/σ_min(W_I)².

use super::approximate_minimum::{finite_or_open, given_size};
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::arithmetic::{add_up, div_up, mul_up};
use crate::certificate::landscape::point::{LossPoint, least_singular_value};
use crate::certificate::optimum::measure::{check_tolerance, within_and_below};
use crate::certificate::words::{no_less, no_more};
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// Prove that a network of full rank is within `tolerance` of every competitor up to a size.
///
/// ```
/// use shallows::certificate::{Verdict, full_rank_stationary};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Data, Network};
///
/// // The least squares line in x²: y = 3x² leaves ±0.01 that no quadratic network removes.
/// let data = Data::from_rows(&[[1.0], [-1.0]], &[3.01, 2.99])?;
/// let network = Network::new(Activation::SQUARE, Matrix::from_rows(&[[1.0]]), vec![3.0])?;
/// assert_eq!(full_rank_stationary(&network, &data, 0.0, None, 1e-6)?.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn full_rank_stationary(
    network: &Network,
    data: &Data,
    decay: f64,
    size: Option<f64>,
    tolerance: f64,
) -> Result<Judgement> {
    check_tolerance(tolerance)?;
    let point = LossPoint::new(network, data, decay)?;
    let R = given_size(&point, size)?;
    let d = network.inputs();
    let count = |sign: f64| network.v.iter().filter(|v| sign * **v > 0.0).count() as i64;
    let minority = if decay == 0.0 { 0 } else { count(1.0).min(count(-1.0)) };
    let alive = |j: &usize| network.v[*j] != 0.0 && network.W.row(*j).iter().any(|w| *w != 0.0);
    let units: Vec<usize> = (0..network.width()).filter(alive).collect();
    // Rows of zeros change neither the rank nor σ_min.
    let sigma = least_singular_value(&network.W.select_rows(&units));
    let (radial, slope) = (point.half_radial(), point.slope_per_output());
    let bound = add_up(radial.high, mul_up(R, div_up(slope, sigma)));
    let rank = if sigma > 0.0 { Check::count(Theorem::FullRankStationary.text().hypotheses[2], 0) } else { Check::open(Theorem::FullRankStationary.text().hypotheses[2]) };
    let gap = Enclosure { low: radial.low, high: bound };
    let checks = vec![
        Check::count(Theorem::FullRankStationary.text().hypotheses[0], -minority),
        Check::count(Theorem::FullRankStationary.text().hypotheses[1], units.len() as i64 - d as i64),
        rank,
        finite_or_open(within_and_below(Theorem::FullRankStationary.text().hypotheses[3], tolerance, point.scale(), gap, point.objective)),
    ];
    let fact = |name, value, about: &'static str| {
        let side = if about.contains("at least") { Side::AtLeast } else { Side::AtMost };
        Fact { name, value, side, about }
    };
    let mut facts = vec![
        fact("size", R, "R, the largest ‖M̂‖_* of a competitor"),
        fact("least_singular_value", sigma, "σ_min(W_I), from below"),
        fact("slope", slope, "g, from above"),
        fact("gradient", point.gradient_norm(), "‖∇P(W)‖, from above"),
        fact("objective", point.objective.high, "P(W), from above"),
        fact("bound", bound, "P(W) − P(M̂), from above"),
    ];
    facts.retain(|fact| fact.value.is_finite());
    Ok(Judgement::new(Theorem::FullRankStationary, checks, facts, |verdict| statement(verdict, R, bound)))
}

fn statement(verdict: Verdict, R: f64, bound: f64) -> String {
    match verdict {
        Verdict::Holds => format!(
            "W has full rank and a gradient so small that no quadratic network of any width and signs with ‖M‖_* ≤ {} \
             and the same affine part has an objective lower by more than {}",
            no_more(R),
            no_less(bound)
        ),
        Verdict::Fails => "the theorem does not apply: a hypothesis is refuted".into(),
        Verdict::Undecided => {
            "neither proved nor refuted that W has full rank and a gradient that is small enough".into()
        }
    }
}

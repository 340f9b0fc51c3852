//! Wide quadratic networks have no bad minima.

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::error::Result;
use crate::judgement::{Check, Judgement, Verdict};
use crate::network::Network;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "wide-quadratic",
    title: "Wide quadratic networks have no bad minima",
    claim: "With φ(z) = z² and v fixed, every local minimum of W ↦ L(W) is global, and every other stationary point \
            has a direction of negative curvature.",
    hypotheses: &["v has at least d positive entries", "v has at least d negative entries"],
    evidence: "Two integer margins. No tolerance is involved.",
    limits: "About the landscape, not about the point where a run stopped: pair it with global-optimum, which bounds \
             the gap of one given W.",
    source: "Soltanolkotabi, Javanmard, Lee (2019), Theorem 2.1. Their L is ours.",
};

/// Nothing: the theorem speaks about the output weights of the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {}

/// Nothing: signs are counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {}

/// Count the signs of the output weights. A zero counts for neither.
///
/// ```
/// use shallows_verify::theorem::wide_quadratic::{Claim, Proof, judge};
/// use shallows_verify::{Matrix, Network, Verdict};
///
/// let network = |v: [f64; 2]| Network { W: Matrix::zeros(2, 1), v: v.to_vec(), ..Network::zero(1) };
/// assert_eq!(judge(&network([1.0, -1.0]), &Claim {}, &Proof {})?.verdict(), Verdict::Holds);
/// assert_eq!(judge(&network([1.0, 0.0]), &Claim {}, &Proof {})?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows_verify::Error>(())
/// ```
pub fn judge(network: &Network, _: &Claim, _: &Proof) -> Result<Judgement> {
    network.check_kind(network.inputs())?;
    let d = network.inputs() as i64;
    let [positive, negative] = network.sign_counts();
    let checks =
        vec![Check::count(THEOREM.hypotheses[0], positive - d), Check::count(THEOREM.hypotheses[1], negative - d)];
    Ok(Judgement::new(Theorem::WideQuadratic, checks, vec![], |verdict| {
        match verdict {
            Verdict::Holds => "with these output weights every local minimum in W is global",
            _ => "the theorem does not apply: too few output weights of one sign",
        }
        .into()
    }))
}

//! Stochastic gradient descent converges, as far as the published theorem has explicit constants.
//!
//! # Note
//! ν = 16 and η̄ = 1 in the notation of the paper.

use std::f64::consts::SQRT_2;

use super::descent_converges::{finite, positive};
use crate::activation::{Activation, Smooth};
use crate::certificate::arithmetic::eigenvalue;
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::arithmetic::rows::Ball;
use crate::certificate::arithmetic::{U, add_up, mul_up};
use crate::certificate::descent::jacobian::{MOST_ROWS, input_norm, weights};
use crate::certificate::descent::kernel::{distance_from_unit, has_repeats};
use crate::certificate::descent::units::{curvature_bound, slope_bound};
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::data::Data;
use crate::spectrum;

/// ν of the theorem: the event has probability about 1 − 4/ν.
const NU: f64 = 16.0;
/// |μ_φ| below this may be rounding.
const ZERO: f64 = 1e-12;

/// Apply the theorem to rows and a width.
///
/// ```
/// use shallows::certificate::{Verdict, sgd_converges};
/// use shallows::{Activation, Data};
///
/// // A constant of the theorem was not published, so the best that can be said is: undecided.
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[1.0, -1.0])?;
/// assert_eq!(sgd_converges(&Activation::softplus(1.0)?, &data, 1000).verdict(), Verdict::Undecided);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn sgd_converges(activation: &Activation, data: &Data, width: usize) -> Judgement {
    judged(activation, data, width, input_norm(data))
}

/// The same with ‖X‖ at hand.
pub(in crate::certificate) fn judged(
    activation: &Activation,
    data: &Data,
    width: usize,
    inputs: Enclosure,
) -> Judgement {
    let hypotheses = Theorem::SgdConverges.text().hypotheses;
    let n: f64 = weights(data).iter().sum();
    let bound = slope_bound(activation).max(curvature_bound(activation));
    // φ' is even.
    let zero = matches!(activation, Activation::Smooth(Smooth::Sigmoid { .. } | Smooth::Tanh | Smooth::Erf));
    let mean = if zero { 0.0 } else { SQRT_2 * activation.hermite(3)[2] };
    let square = khatri_rao_eigenvalue(data);
    let checks = vec![
        finite(hypotheses[0], bound),
        Check { hypothesis: hypotheses[1].into(), margin: distance_from_unit(&data.X), error: 0.0 },
        if zero {
            Check::count(hypotheses[2], -1)
        } else {
            Check { hypothesis: hypotheses[2].into(), margin: mean.abs(), error: ZERO }
        },
        positive(hypotheses[3], square),
        Check { hypothesis: hypotheses[4].into(), margin: f64::NAN, error: f64::NAN },
    ];
    let (sigma, norm) = (square.sqrt().low, inputs.high);
    let labels: f64 = data.y.iter().zip(data.omega()).map(|(y, omega)| n * omega * y * y).sum();
    let step = mean.powi(2) / (9.0 * NU * bound.powi(4)) * n / labels * square.low / norm.powi(2);
    let rate = 1.0 - mean.powi(4) * square.low.powi(2) / (144.0 * n * NU * bound.powi(4) * norm.powi(2));
    let parameters = (width * data.d()) as f64;
    let probability = 1.0 - 4.0 / NU * (3.0 * bound * norm / (mean.abs() * sigma)).powf(1.0 / parameters);
    let fact = |name, value, about: &'static str| {
        let side = if about.contains("at least") { Side::AtLeast } else { Side::AtMost };
        Fact { name, value, side, about }
    };
    let facts = vec![
        fact("sigma_khatri_rao", sigma, "σ_min(X∗X) is at least this"),
        fact("step", step, "η of the theorem on the loss ½Σr²"),
        fact("rate", rate, "of E‖r‖² in every step, if the theorem applies"),
        fact("probability", probability.max(0.0), "of the event, at least, if the theorem applies"),
    ];
    Judgement::new(Theorem::SgdConverges, checks, facts, |verdict| match verdict {
        Verdict::Fails if zero => "the theorem says nothing about this activation: E gφ'(g) = 0".into(),
        Verdict::Fails => "the theorem does not apply".into(),
        _ => "never decided: the theorem has a constant that is not given".into(),
    })
}

/// λ_min((XXᵀ)∘(XXᵀ)), which is 0 for more rows than d(d+1)/2, and where rows are repeated.
fn khatri_rao_eigenvalue(data: &Data) -> Enclosure {
    let (n, d) = (data.n(), data.d());
    if n > d * (d + 1) / 2 || has_repeats(data) {
        return Enclosure::exactly(0.0);
    }
    if n > MOST_ROWS {
        return Enclosure { low: 0.0, high: f64::INFINITY };
    }
    let center = spectrum::khatri_rao_gram(&data.X, 2);
    let trace = (0..n).fold(0.0, |sum, i| add_up(sum, center[(i, i)]));
    let radius = add_up(mul_up(2.02 * (d + 8) as f64 * U, trace), f64::MIN_POSITIVE);
    eigenvalue::extremes(&Ball { center, radius }).smallest
}

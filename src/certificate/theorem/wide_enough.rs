//! The network is wide enough for gradient descent from a random start, with a stated probability.

use super::descent_converges::{finite, positive};
use crate::activation::Activation;
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::descent::jacobian::{input_norm, weights};
use crate::certificate::descent::kernel::{ROUNDED, distance_from_unit, hidden_eigenvalue};
use crate::certificate::descent::units::{curvature_bound, slope_bound};
use crate::certificate::words::at_least;
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::data::Data;

/// Apply the theorem to rows and a width.
///
/// ```
/// use shallows::certificate::{Verdict, wide_enough};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[1.0, -1.0])?;
/// let softplus = Activation::softplus(1.0)?;
/// assert_eq!(wide_enough(&softplus, &data, 10_000_000).verdict(), Verdict::Holds);
/// assert_eq!(wide_enough(&softplus, &data, 10).verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn wide_enough(activation: &Activation, data: &Data, width: usize) -> Judgement {
    judged(activation, data, width, input_norm(data))
}

/// The same with ‖X‖ at hand.
pub(in crate::certificate) fn judged(
    activation: &Activation,
    data: &Data,
    width: usize,
    inputs: Enclosure,
) -> Judgement {
    let hypotheses = Theorem::WideEnough.text().hypotheses;
    let n: f64 = weights(data).iter().sum();
    let bound = slope_bound(activation).max(curvature_bound(activation));
    let lambda = hidden_eigenvalue(activation, data);
    let [B, k, one] = [bound, width as f64, 1.0].map(Enclosure::exactly);
    let rows = Enclosure::exactly(n);
    // ‖X‖ of the directions, as λ(X) is.
    let inputs = inputs * ROUNDED;
    let need = 32.0 * (B * (one + 2.0 * B) * rows.sqrt() * inputs);
    let logarithm = Enclosure { low: n.ln() * (1.0 - 1e-15), high: n.ln() * (1.0 + 1e-15) };
    let second = 20.0 * (logarithm * B.squared() * inputs.squared());
    let margins = [k.sqrt() * lambda - need, k * lambda - second];
    let unit = distance_from_unit(&data.X);
    let mut checks = vec![
        finite(hypotheses[0], bound),
        Check::count(hypotheses[1], if width.is_multiple_of(2) { 0 } else { -1 }),
        Check { hypothesis: hypotheses[2].into(), margin: unit, error: 0.0 },
        positive(hypotheses[3], lambda),
    ];
    checks.extend(
        hypotheses[4..].iter().zip(margins).map(|(words, margin)| Check::between(*words, margin.low, margin.high)),
    );
    let width_needed =
        (need / Enclosure::exactly(lambda.low)).squared().high.max((second / Enclosure::exactly(lambda.low)).high);
    let probability = least_probability(n, inputs);
    let facts = vec![
        Fact { name: "eigenvalue", value: lambda.low, side: Side::AtLeast, about: "λ(X) is at least this" },
        Fact { name: "width", value: width_needed, side: Side::Exactly, about: "a width that suffices" },
        Fact { name: "probability", value: probability, side: Side::AtLeast, about: "of success, at least, if the theorem applies" },
    ];
    Judgement::new(Theorem::WideEnough, checks, facts, |verdict| match verdict {
        Verdict::Holds => {
            format!("gradient descent from a random start succeeds with probability at least {}", at_least(probability))
        }
        _ if !bound.is_finite() => "about activations with two bounded derivatives only".into(),
        _ if !width.is_multiple_of(2) => "about even widths only: half of the output weights have each sign".into(),
        _ if unit < 0.0 => "about unit rows only: scale the rows to unit norm".into(),
        _ if !(lambda.low > 0.0) => "not proved: λ(X) cannot be told from 0".into(),
        _ => format!("not wide enough for this theorem, which asks for about {width_needed:.1e} units"),
    })
}

/// 1 − 1/n − exp(−n/(2‖X‖²)), from below.
fn least_probability(n: f64, inputs: Enclosure) -> f64 {
    let exponent = (0.5 * Enclosure::exactly(n) / inputs.squared()).low;
    // exp is good to 4 ulp, and each of the two differences to half of one.
    (1.0 - 1.0 / n - (-exponent).exp() - 8.0 * f64::EPSILON).max(0.0)
}

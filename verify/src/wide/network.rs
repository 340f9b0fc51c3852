//! A network with infinitely many hidden units, as a file holds it.
//!
//! f(x) = a + Σ_g α_g κ(z(x), z_g), κ = Σ s·κ_layer over the layers. With r² = Σ((z_j − z'_j)/ℓ_j)² and ã = (z/ℓ, β):
//!
//! | law | κ_layer |
//! |---|---|
//! | rough-by-input | exp(−Σ\|z_j − z'_j\|/ℓ_j) |
//! | rough | e^{−r} |
//! | t3 | (1 + b)e^{−b}, b = √3·r |
//! | t5 | (1 + b + b²/3)e^{−b}, b = √5·r |
//! | relu | ‖ã‖‖ã'‖(√(1 − c²) + (π − arccos c)c)/π, c the cosine of the angle between ã and ã'; 0 where one is zero |
//! | erf | (2/π)arcsin(2ã·ã'/√((1 + 2‖ã‖²)(1 + 2‖ã'‖²))) |
//! | quadratic | ‖ã‖²‖ã'‖² + 2(ã·ã')², with β = 0 |
//! | affine | 1 + z·z' |
//!
//! Each is E φ(w·z + u)φ(w·z' + u) for an activation φ and a law of the hidden weights (w, u), so it is positive semidefinite, and its Hilbert space
//! consists of the functions ∫ a(w,u)φ(w·z + u)dμ with a square integrable: wide networks with any output weights. Norm and kernel belong together.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, check_finite, check_range, check_shape};

/// An activation and a law of hidden weights. [`WideNetwork`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayerLaw {
    /// √2 cos(w·z + u), the w_j independent Cauchy.
    RoughByInput,
    /// √2 cos(w·z + u), w multivariate Cauchy.
    Rough,
    /// √2 cos(w·z + u), w multivariate t with 3 degrees of freedom.
    T3,
    /// √2 cos(w·z + u), w multivariate t with 5 degrees of freedom.
    T5,
    /// √2 relu(w·z + u), w and u normal.
    Relu,
    /// erf(w·z + u), w and u normal.
    Erf,
    /// (w·z)², w normal.
    Quadratic,
    /// c + b·z, c and b standard normal.
    Affine,
}

impl LayerLaw {
    /// Whether the kernel depends on z − z' alone.
    pub fn is_stationary(self) -> bool {
        matches!(self, LayerLaw::RoughByInput | LayerLaw::Rough | LayerLaw::T3 | LayerLaw::T5)
    }

    /// Whether β is one more coordinate.
    pub fn has_bias(self) -> bool {
        matches!(self, LayerLaw::Relu | LayerLaw::Erf)
    }
}

/// One layer: s·κ. [`WideNetwork`] shows its use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WideLayer {
    /// Which.
    pub law: LayerLaw,
    /// s
    pub signal: f64,
    /// ℓ_j of every input kept; none for the affine layer.
    pub scales: Vec<f64>,
    /// β; means nothing where the law has no bias.
    pub bias: f64,
}

/// A piecewise linear function of an input. [`WideNetwork`] shows its use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankCurve {
    /// Ascending.
    pub values: Vec<f64>,
    /// What they become, not descending.
    pub ranks: Vec<f64>,
}

/// A network with infinitely many hidden units.
///
/// ```
/// use shallows_verify::wide::{LayerLaw, RankCurve, WideLayer, WideNetwork};
///
/// let curve = RankCurve { values: vec![1.0, 3.0], ranks: vec![0.0, 1.0] };
/// let layer = WideLayer { law: LayerLaw::Rough, signal: 1.0, scales: vec![2.0], bias: 0.0 };
/// let network = WideNetwork {
///     kept: vec![1],
///     ranks: Some(vec![curve]),
///     mean: vec![0.5],
///     deviation: vec![0.25],
///     offset: 7.0,
///     layers: vec![layer],
///     alpha: vec![1.0],
/// };
/// // The second of two inputs, halfway up the curve.
/// assert_eq!((network.check(2), network.inputs(&[9.0, 2.5])?), (Ok(()), vec![1.0]));
/// # Ok::<(), shallows_verify::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WideNetwork {
    /// The inputs that are used, ascending.
    pub kept: Vec<usize>,
    /// What takes the place of each input kept, if anything does.
    #[serde(deserialize_with = "Option::deserialize")]
    pub ranks: Option<Vec<RankCurve>>,
    /// What is subtracted.
    pub mean: Vec<f64>,
    /// What is then divided by.
    pub deviation: Vec<f64>,
    /// a
    pub offset: f64,
    /// The layers.
    pub layers: Vec<WideLayer>,
    /// One coefficient for each group of rows.
    pub alpha: Vec<f64>,
}

/// Limits that leave room for products of a few numbers.
const LEAST: f64 = 1e-100;
const MOST: f64 = 1e100;
/// So many inputs and layers at most: bounds count their roundings.
const MOST_INPUTS: usize = 1_000_000;
pub(super) const MOST_LAYERS: usize = 16;

impl WideNetwork {
    /// Lengths that fit d inputs and each other, numbers in their ranges.
    pub fn check(&self, d: usize) -> Result<()> {
        let count = self.kept.len();
        let unsuitable = |what, must_be, found: String| Err(Error::Unsuitable { what, must_be, found });
        if !is_ascending(&self.kept) || self.kept.last().is_some_and(|last| *last >= d) || count > MOST_INPUTS {
            return unsuitable("the inputs kept", "ascending and fewer than there are", format!("{count} of {d}"));
        }
        check_shape("means of the inputs kept", count, self.mean.len())?;
        check_shape("deviations of the inputs kept", count, self.deviation.len())?;
        check_finite("means of the inputs kept", &self.mean)?;
        let positive = |x: &f64| check_range("a deviation of an input", *x, f64::MIN_POSITIVE, f64::MAX);
        self.deviation.iter().try_for_each(positive)?;
        check_finite("the offset", [&self.offset])?;
        check_finite("the coefficients", &self.alpha)?;
        if let Some(curves) = &self.ranks {
            check_shape("curves of ranks", count, curves.len())?;
            curves.iter().try_for_each(RankCurve::check)?;
        }
        if self.layers.is_empty() || self.layers.len() > MOST_LAYERS {
            return unsuitable("the number of layers", "between 1 and 16", self.layers.len().to_string());
        }
        self.layers.iter().try_for_each(|layer| layer.check(count))
    }

    /// z(x): every operation is one of doubles, rounded to nearest. An error where it is not finite.
    pub fn inputs(&self, x: &[f64]) -> Result<Vec<f64>> {
        let standardised = |(at, j): (usize, &usize)| {
            let x = self.ranks.as_ref().map_or(x[*j], |curves| curves[at].rank(x[*j]));
            // −0 + 0 = +0: the same number has the same bits.
            (x - self.mean[at]) / self.deviation[at] + 0.0
        };
        let z: Vec<f64> = self.kept.iter().enumerate().map(standardised).collect();
        check_finite("the inputs of the wide network", &z)?;
        Ok(z)
    }
}

impl WideLayer {
    fn check(&self, inputs: usize) -> Result<()> {
        let expected = if self.law == LayerLaw::Affine { 0 } else { inputs };
        check_shape("scales of a layer", expected, self.scales.len())?;
        check_range("the signal of a layer", self.signal, LEAST, MOST)?;
        check_range("the bias of a layer", self.bias, 0.0, MOST)?;
        self.scales.iter().try_for_each(|scale| check_range("a scale of a layer", *scale, LEAST, MOST))
    }
}

impl RankCurve {
    fn check(&self) -> Result<()> {
        check_shape("ranks of a curve", self.values.len(), self.ranks.len())?;
        check_finite("values of a curve", &self.values)?;
        check_finite("ranks of a curve", &self.ranks)?;
        let sorted = is_ascending(&self.values) && self.ranks.is_sorted() && !self.values.is_empty();
        let (what, must_be, found) = ("a curve of ranks", "sorted and not empty", "anything else".into());
        if sorted { Ok(()) } else { Err(Error::Unsuitable { what, must_be, found }) }
    }

    /// Linear between the values, flat beyond them.
    fn rank(&self, x: f64) -> f64 {
        let after = self.values.partition_point(|value| *value < x);
        match (after.checked_sub(1), self.values.get(after)) {
            (_, Some(value)) if *value == x => self.ranks[after],
            (None, _) => self.ranks[0],
            (Some(before), None) => self.ranks[before],
            (Some(before), Some(value)) => {
                let share = (x - self.values[before]) / (value - self.values[before]);
                self.ranks[before] + share * (self.ranks[after] - self.ranks[before])
            }
        }
    }
}

fn is_ascending<T: PartialOrd>(numbers: &[T]) -> bool {
    numbers.windows(2).all(|pair| pair[0] < pair[1])
}

//! **Shares.** A wide network is a sum over its layers, f = mean + Σ_ℓ f_ℓ, and a combination adds those of its members and
//! its finite networks. Over some rows
//!
//! ```text
//! share_ℓ = cov(f_ℓ, f)/var(f),    Σ_ℓ share_ℓ = 1,
//! ```
//!
//! since covariance is linear. Layers are not orthogonal: where two nearly cancel each other, one has more than all of the
//! variance and the other less than none. The deviation of each part says how large it is by itself.

use crate::error::Result;
use crate::linalg::{Matrix, add_scaled};
use crate::model::Function;

/// How much of what a function does each of its layers does.
///
/// ```
/// use shallows::fit::explain::VarianceShares;
/// use shallows::wide::{LayerSet, WideNetwork};
/// use shallows::{Data, Watch};
///
/// let x: Vec<[f64; 1]> = (0..30).map(|i| [i as f64 / 5.0]).collect();
/// let y: Vec<f64> = x.iter().map(|x| x[0].sin()).collect();
/// let data = Data::from_rows(&x, &y)?;
/// let network = WideNetwork::fitted(&data, &data.columns, LayerSet::RoughRelu, 0, Watch::silent()).expect("definite");
/// let found = VarianceShares::of(&network.into(), &data.X)?;
/// let names: Vec<&str> = found.parts.iter().map(|part| part.name.as_str()).collect();
/// assert_eq!(names, ["rough-by-input", "relu", "affine"]);
/// let sum: f64 = found.parts.iter().filter_map(|part| part.share).sum();
/// assert!((sum - 1.0).abs() < 1e-9);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VarianceShares {
    /// Finite networks first, then the layers of every wide one.
    pub parts: Vec<VariancePart>,
    /// The standard deviation of f over the rows.
    pub deviation: f64,
    /// How many rows.
    pub rows: usize,
}

/// A layer, or a finite network. [`VarianceShares`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct VariancePart {
    /// The wide network that the layer belongs to; `None` for a finite network.
    pub member: Option<usize>,
    /// The law of the layer, or the activation.
    pub name: String,
    /// The standard deviation of the part over the rows.
    pub deviation: f64,
    /// cov(f_ℓ, f)/var(f); `None` where f does not vary.
    pub share: Option<f64>,
}

/// A finite network without units.
const AFFINE: &str = "affine";
/// Deviations below this share of the largest of a part are rounding.
const ROUNDING: f64 = 1e-12;

impl VarianceShares {
    /// Over these rows.
    ///
    /// # Errors
    /// When X does not have the inputs of the function.
    pub fn of(f: &Function, X: &Matrix) -> Result<VarianceShares> {
        let mut parts: Vec<(Option<usize>, String, Vec<f64>)> = vec![];
        for network in f.networks() {
            let network_only: Function = network.clone().into();
            let name = if network.width() > 0 { network.activation.to_string() } else { AFFINE.to_owned() };
            parts.push((None, name, network_only.predict(X)?));
        }
        for (at, member) in f.wide().iter().enumerate() {
            let layers = &member.network.kernel.layers;
            for (layer, mut values) in layers.iter().zip(member.network.by_layer(X)) {
                values.iter_mut().for_each(|f| *f *= member.weight);
                parts.push((Some(at), layer.law.name().to_owned(), values));
            }
        }
        let mut sum = vec![0.0; X.rows()];
        for (.., values) in &mut parts {
            centre(values);
            add_scaled(&mut sum, 1.0, values);
        }
        let deviations: Vec<f64> = parts.iter().map(|(.., values)| product(values, values).sqrt()).collect();
        let variance = product(&sum, &sum);
        let varies = variance.sqrt() > ROUNDING * deviations.iter().copied().fold(0.0, f64::max);
        let part = |((member, name, values), deviation): ((Option<usize>, String, Vec<f64>), f64)| VariancePart {
            member,
            name,
            deviation,
            share: varies.then(|| product(&values, &sum) / variance),
        };
        let parts = parts.into_iter().zip(deviations).map(part).collect();
        Ok(VarianceShares { parts, deviation: variance.sqrt(), rows: X.rows() })
    }
}

/// Subtract the mean.
fn centre(values: &mut [f64]) {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter_mut().for_each(|x| *x -= mean);
}

/// The mean product.
fn product(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>() / x.len().max(1) as f64
}

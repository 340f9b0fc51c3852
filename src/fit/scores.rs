//! How good predictions are.

use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// Errors of predictions in the units of the target, weighted like the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// √(Σ ω r²).
    pub rmse: f64,
    /// Σ ω |r|.
    pub mae: f64,
    /// 1 − Σ ω r² / Σ ω (y − ȳ)²; `None` when all labels are equal.
    pub r2: Option<f64>,
}

impl Scores {
    /// Of a network on data.
    pub fn of(network: &Network, data: &Data) -> Result<Self> {
        Ok(Self::of_predictions(&network.predict(&data.X)?, data))
    }

    /// Of given predictions.
    pub fn of_predictions(f: &[f64], data: &Data) -> Self {
        let omega = data.omega();
        let weighted = |term: &dyn Fn(usize) -> f64| (0..data.n()).map(|i| omega[i] * term(i)).sum::<f64>();
        let mean = weighted(&|i| data.y[i]);
        let energy = weighted(&|i| (f[i] - data.y[i]).powi(2));
        let spread = weighted(&|i| (data.y[i] - mean).powi(2));
        Scores {
            rmse: energy.sqrt(),
            mae: weighted(&|i| (f[i] - data.y[i]).abs()),
            r2: (spread > 0.0).then(|| 1.0 - energy / spread),
        }
    }
}

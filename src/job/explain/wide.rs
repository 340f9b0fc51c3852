//! What a wide network says about its layers, told.

use serde_json::{Value, json};

use crate::error::Result;
use crate::fit::explain::{ColumnScale, LayerScales, VariancePart, VarianceShares, sampled_rows};
use crate::linalg::Matrix;
use crate::model::{Function, Model};

/// The layers of the wide networks of a model: how much each does, and how far a column must move to matter to it.
/// [`ExplainJob`](super::ExplainJob) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerExplanation {
    /// Over the rows that were given, or the model's own.
    pub shares: VarianceShares,
    /// Of every layer.
    pub scales: Vec<LayerScales>,
}

/// More rows than this say nothing new.
const MOST_ROWS: usize = 5000;

impl LayerExplanation {
    /// Over some rows, or a sample of them where there are many; `None` for a model without wide networks.
    pub(in crate::job) fn of(model: &Model, X: &Matrix, seed: u64) -> Result<Option<Self>> {
        if model.network.wide().is_empty() {
            return Ok(None);
        }
        let scales = LayerScales::of(&model.network, &model.recipe);
        let sample = sampled_rows(X, MOST_ROWS, seed);
        Ok(Some(LayerExplanation { shares: VarianceShares::of(&model.network, sample.as_ref().unwrap_or(X))?, scales }))
    }

    /// What a script reads.
    pub(super) fn document(&self) -> Value {
        let VarianceShares { parts, deviation, rows } = &self.shares;
        let part = |part: &VariancePart| {
            json!({
                "network": part.member.map(|at| at + 1), "part": part.name, "share": part.share,
                "deviation": part.deviation,
            })
        };
        let column = |one: &ColumnScale| {
            json!({
                "column": one.column, "scale": one.scale, "unit": one.unit.name(), "swing": one.swing,
                "has_influence": one.has_influence,
            })
        };
        let layer = |layer: &LayerScales| {
            json!({
                "network": layer.member + 1, "weight": layer.weight, "layer": layer.law.name(),
                "columns": layer.columns.iter().map(column).collect::<Vec<_>>(),
            })
        };
        json!({
            "rows": rows, "deviation": deviation, "shares": parts.iter().map(part).collect::<Vec<_>>(),
            "scales": self.scales.iter().map(layer).collect::<Vec<_>>(),
        })
    }
}

/// The rows that the wide networks of a function were fitted to, where they tell the function everything it asks for.
pub(super) fn own_rows(f: &Function) -> Option<Matrix> {
    let sees_all = |at: &usize| f.wide()[*at].network.transform.kept.len() == f.inputs();
    let by_value = |at: &usize| f.wide()[*at].network.transform.ranks.is_none();
    let all = || 0..f.wide().len();
    let chosen = all().find(|at| sees_all(at) && by_value(at)).or_else(|| all().find(by_value)).or(all().next())?;
    // Inputs that did not vary are unknown: wide networks do not see them, finite ones may.
    (f.finite().is_none() || sees_all(&chosen)).then(|| f.wide()[chosen].network.raw_centres())
}

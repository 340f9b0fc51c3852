//! What a network needs of its inputs, ranked and drawn: for `explain` and for the report of a fit.

use std::ops::Range;

use serde_json::{Value, json};

use crate::data::Data;
use crate::draw::{self, Bar, Figure, MOST_COLUMNS};
use crate::error::Result;
use crate::fit::explain::{Importance, Importances, Interactions, importances};
use crate::linalg::Matrix;
use crate::model::Model;

use super::words::number;

/// Characters of a target that the title of a figure shows.
const LONGEST_TITLE: usize = 40;

/// By how much the error grows when a column is shuffled, the most important column first.
///
/// ```
/// use shallows::data::Recipe;
/// use shallows::fit::affine_fit;
/// use shallows::job::importance::RankedImportances;
/// use shallows::{Data, Model};
///
/// let rows: Vec<[f64; 2]> = (0..40).map(|i| [(i * i % 7) as f64, i as f64]).collect();
/// let y: Vec<f64> = rows.iter().map(|row| row[1]).collect();
/// let data = Data::from_rows(&rows, &y)?;
/// let model = Model::new(affine_fit(&data)?, Recipe::plain(data.names.clone()), "y".into(), 0)?;
/// assert_eq!(RankedImportances::new(&model, &data, 5, 1)?.columns[0], "x2");
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RankedImportances {
    /// In the order of `columns`.
    pub found: Importances,
    /// The columns of the table.
    pub columns: Vec<String>,
}

impl RankedImportances {
    /// Of a model on rows with a target, each column shuffled so many times.
    pub fn new(model: &Model, data: &Data, repeats: usize, seed: u64) -> Result<Self> {
        let (names, ranges): (Vec<&str>, Vec<Range<usize>>) = model.recipe.groups().into_iter().unzip();
        let mut found = importances(&model.network, data, &ranges, repeats, seed)?;
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|&g, &h| found.groups[h].increase.total_cmp(&found.groups[g].increase));
        found.groups = order.iter().map(|&g| found.groups[g]).collect();
        Ok(RankedImportances { found, columns: order.iter().map(|&g| names[g].to_owned()).collect() })
    }

    /// What a script reads.
    pub fn document(&self) -> Value {
        let found = &self.found;
        let group = |(name, group): (&String, &Importance)| json!({ "column": name, "increase": group.increase, "standard_error": group.standard_error });
        json!({
            "rmse": found.rmse, "rows": found.rows, "repeats": found.repeats,
            "columns": self.columns.iter().zip(&found.groups).map(group).collect::<Vec<_>>(),
        })
    }

    /// A bar for each of the most important columns.
    pub fn bars(&self, most: usize) -> Figure {
        let found = &self.found;
        let bars: Vec<Bar> = self
            .columns
            .iter()
            .zip(&found.groups)
            .take(most)
            .map(|(name, group)| Bar { name: name.clone(), value: group.increase, error: Some(group.standard_error) })
            .collect();
        let caption = format!(
            "increase of the RMSE ({}) when the column is shuffled: mean of {} ± standard error, {} rows",
            number(found.rmse),
            found.repeats,
            found.rows
        );
        draw::bars("What the network needs", &caption, &bars)
    }
}

/// The matrix of a quadratic network, in standard deviations where rows are known.
///
/// ```
/// use shallows::draw::Ground;
/// use shallows::fit::explain::Interactions;
/// use shallows::job::importance::interaction_map;
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Network};
///
/// let network = Network::new(Activation::SQUARE, Matrix::identity(2), vec![1.0, -1.0])?;
/// let figure = interaction_map(&Interactions::of(&network.into()), &["size".into(), "age".into()], "price");
/// assert!(figure.svg(Ground::White).contains("age"));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn interaction_map(interactions: &Interactions, names: &[String], target: &str) -> Figure {
    let matrix = interactions.comparable();
    let d = matrix.rows();
    let reach = |a: usize| matrix.row(a).iter().map(|x| x.abs()).fold(0.0, f64::max);
    let mut shown: Vec<usize> = (0..d).collect();
    if d > MOST_COLUMNS {
        shown.sort_by(|&a, &b| reach(b).total_cmp(&reach(a)));
        shown.truncate(MOST_COLUMNS);
        shown.sort_unstable();
    }
    let part = Matrix::from_fn(shown.len(), shown.len(), |a, b| matrix[(shown[a], shown[b])]);
    let names: Vec<String> = shown.iter().map(|&a| names[a].clone()).collect();
    let some = if d > shown.len() { format!(", the {} strongest of {d} inputs", shown.len()) } else { String::new() };
    let legend = match interactions.spread {
        Some(_) => format!("M_ab·σ_a·σ_b, in units of the target{some}"),
        None => format!("M_ab, which depends on the units of the columns{some}"),
    };
    let target: String = target.chars().take(LONGEST_TITLE).collect();
    draw::heat_map(&format!("What pairs of inputs do to {target}"), &legend, &names, &part)
}

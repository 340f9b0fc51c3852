//! Samples from an array in memory, which is not copied where every column is an input.

use super::reading::{RowSplit, Samples};
use super::recipe::{Recipe, Roles, TargetScale};
use super::samples::Data;
use crate::error::{CellProblem, Error, Place, Result};
use crate::linalg::Matrix;

/// Finite numbers in memory, with a target and perhaps weights.
#[derive(Clone, Debug)]
pub struct Array {
    /// A row for each sample; may be shared with somebody else.
    pub X: Matrix,
    /// One for each column.
    pub names: Vec<String>,
    /// The target of each row.
    pub y: Vec<f64>,
    /// Its name.
    pub target: String,
    /// How much each row counts; their name is that of the roles.
    pub weights: Option<Vec<f64>>,
}

impl Roles {
    /// The samples of an array by a recipe that is learned from all its rows.
    pub fn learned_array(&self, array: Array) -> Result<Samples> {
        let Array { X, names, y, target, weights } = array;
        let (n, columns) = (X.rows(), X.cols());
        let lengths = [("targets", n, y.len()), ("weights", n, weights.as_ref().map_or(n, Vec::len))];
        for (what, expected, found) in lengths.into_iter().chain([("names of columns", columns, names.len())]) {
            if expected != found {
                return Err(Error::Shape { what, expected, found });
            }
        }
        let y = scaled(y, self.target_scale, &target)?;
        let counts = |i: &usize| weights.as_ref().is_none_or(|weights| weights[*i] != 0.0);
        let recipe = Recipe::learn_numbers(&X, &names, self, &(0..n).filter(counts).collect::<Vec<usize>>())?;
        let (inputs, fitted) = (recipe.input_names(), recipe.target_name(&target));
        let X = match recipe.positions().filter(|positions| positions.len() < columns) {
            None => X,
            Some(positions) => Matrix::from_fn(n, inputs.len(), |i, j| X[(i, positions[j])]),
        };
        let data = Data::builder(X, y).names(inputs).target(fitted).weights(weights).build()?;
        let (weight, split, used, table_rows) = (self.weight.clone(), RowSplit::default(), None, n);
        Ok(Samples { data, target, weight, recipe, split, used, table_rows })
    }
}

/// The target on its scale; an error where a number has no place on it.
pub fn scaled(y: Vec<f64>, scale: TargetScale, target: &str) -> Result<Vec<f64>> {
    match y.iter().position(|y| scale == TargetScale::Log && !(*y > 0.0)) {
        Some(row) => Err(Error::Cell {
            path: "y".into(),
            place: Place::Row(row),
            column: target.to_owned(),
            problem: CellProblem::NotPositive { value: y[row] },
        }),
        None => Ok(y.into_iter().map(|y| scale.scaled(y)).collect()),
    }
}

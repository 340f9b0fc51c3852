//! Samples from an array in memory, which is not copied where every column is an input.

use super::reading::Samples;
use super::recipe::{NumberInput, Recipe, Roles, TargetScale};
use crate::error::{CellProblem, Error, Place, Result};
use crate::linalg::Matrix;

/// Finite numbers in memory, with a target and perhaps weights.
///
/// ```
/// use shallows::data::{Array, Roles};
/// use shallows::linalg::Matrix;
///
/// // The second column never changes: it is no input.
/// let X = Matrix::from_rows(&[[1.0, 7.0], [2.0, 7.0], [3.0, 7.0]]);
/// let names = vec!["size".into(), "always seven".into()];
/// let array = Array { X, names, y: vec![1.0, 2.0, 4.0], target: "y".into(), weights: None };
/// let samples = Roles::default().learned_array(array)?;
/// assert_eq!(samples.recipe.input_names(), ["size"]);
/// # Ok::<(), shallows::Error>(())
/// ```
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
        let counts = |i: &usize| weights.as_ref().is_none_or(|weights| weights[*i] != 0.0);
        let counted: Vec<usize> = (0..n).filter(counts).collect();
        let scale = self.learned_scale(counted.iter().map(|&i| y[i]));
        let y = scaled(y, scale, &target)?;
        let recipe = Recipe::learn_numbers(&X, &names, self, &counted)?.with_target_scale(scale);
        let X = match recipe.number_inputs() {
            None => X,
            Some(inputs) => NumberInput::matrix(&inputs, X),
        };
        let data = recipe.samples(X, y, &target, weights)?;
        Ok(Samples::whole(data, target, self.weight.clone(), recipe, n))
    }
}

/// The target on its scale; an error where a number has no place on it.
///
/// ```
/// use shallows::data::{TargetScale, scaled};
///
/// assert_eq!(scaled(vec![1.0, 2.0], TargetScale::Log, "price")?, [0.0, 2.0_f64.ln()]);
/// assert!(scaled(vec![1.0, 0.0], TargetScale::Log, "price").is_err());
/// # Ok::<(), shallows::Error>(())
/// ```
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

//! Which rows and columns of a table a certificate speaks about.

use shallows_verify::form::RowForm;

use crate::data::{Recipe, Roles, Samples, Table};
use crate::error::{Error, RequestProblem, Result};
use crate::model::Model;

/// Which rows and columns of a table were used.
///
/// ```
/// use shallows::certificate::Source;
///
/// // The default: all rows of the data, with the target of the data.
/// let source = Source::default();
/// assert!(source.rows.is_none() && source.target.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The column of weights, if there was one.
    pub weight: Option<String>,
    /// The rows that were used, counted from 0, in this order; all when `None`.
    pub rows: Option<Vec<usize>>,
    /// The number of rows of the table; up to the last that is used when `None`.
    pub table_rows: Option<usize>,
    /// How the columns became the inputs and the target; they are both when `None`.
    pub recipe: Option<Recipe>,
    /// The column of the target; the target of the data when `None`.
    pub target: Option<String>,
    /// What is done to the rows after the recipe; nothing when `None`.
    pub form: Option<RowForm>,
}

impl Source {
    /// The rows of a table that have a target, by the recipe of a model. The target is that of the model, where the table has
    /// it, or the last column, unless named.
    pub fn of_model(
        model: &Model,
        table: &Table,
        target: Option<&str>,
        weight: Option<&str>,
    ) -> Result<(Samples, Source)> {
        let named = table.named && table.names.contains(&model.target);
        let target = target.map(str::to_owned).or(named.then(|| model.target.clone()));
        let roles = Roles { target, weight: weight.map(str::to_owned), ..Roles::default() };
        // A file from elsewhere does not name its inputs: they are the columns of the table, in order.
        let samples = match model.is_foreign() {
            true => roles.unchanged(table)?,
            false => roles.by_recipe(table, model.recipe.clone())?,
        };
        check_inputs(model, samples.data.d())?;
        let source = Source::of_samples(&samples);
        Ok((samples, source))
    }

    /// The rows and columns that samples came from.
    pub fn of_samples(samples: &Samples) -> Source {
        Source {
            weight: samples.weight.clone(),
            rows: samples.used.clone(),
            table_rows: Some(samples.table_rows),
            recipe: Some(samples.recipe.clone()),
            target: Some(samples.target.clone()),
            form: None,
        }
    }
}

/// A certificate speaks about as many inputs as the network has.
///
/// ```
/// use shallows::certificate::file::check_inputs;
/// use shallows::data::Recipe;
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Model, Network};
///
/// let network = Network::new(Activation::SQUARE, Matrix::identity(1), vec![3.0])?;
/// let model = Model::new(network, Recipe::plain(vec!["x".into()]), "y".into(), 0)?;
/// assert!(check_inputs(&model, 1).is_ok() && check_inputs(&model, 2).is_err());
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn check_inputs(model: &Model, found: usize) -> Result<()> {
    let expected = model.network.inputs();
    if expected == found {
        return Ok(());
    }
    Err(Error::Request(RequestProblem::ModelInputs { expected, found }))
}

//! Samples from Python: an array that is not copied, the columns of a frame, or a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use shallows::certificate::file::check_inputs;
use shallows::certificate::{Certificate, Source};
use shallows::data as library;
use shallows::data::{Array, Column, Data, Reading, Recipe, Roles, Table, scaled};
use shallows::error::{CertificateProblem, Error, Result};
use shallows::linalg::Matrix;
use shallows::model::Model;

use crate::arrays::{Cells, INPUTS, SharedArray, columns_of, rows, vector};

/// Where the inputs are.
#[derive(FromPyObject)]
pub enum Inputs<'py> {
    /// Without gaps or with NaN for them.
    Array(PyReadonlyArray2<'py, f64>),
    /// Of a frame.
    Columns(Vec<Cells<'py>>),
    /// With the target and everything else.
    File(PathBuf),
}

/// What the package calls samples: an object with these attributes.
#[derive(FromPyObject)]
pub struct Given<'py> {
    #[pyo3(attribute("X"))]
    inputs: Inputs<'py>,
    names: Vec<String>,
    count: usize,
    y: Option<PyReadonlyArray1<'py, f64>>,
    target: Option<String>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    weight: Option<String>,
}

/// The same, ready to leave the interpreter.
pub struct Samples {
    inputs: Held,
    /// Of the columns.
    names: Vec<String>,
    /// Rows; 0 for a file.
    count: usize,
    /// None where the target is one of the columns.
    y: Option<Vec<f64>>,
    /// Its name.
    pub target: Option<String>,
    weights: Option<Vec<f64>>,
    /// Their name.
    pub weight: Option<String>,
}

enum Held {
    Array { entries: Arc<SharedArray>, columns: usize },
    Columns(Vec<Column>),
    File(PathBuf),
}

impl Given<'_> {
    pub fn samples(&self) -> PyResult<Samples> {
        let inputs = match &self.inputs {
            Inputs::Array(X) => {
                let (entries, columns) = rows(X)?;
                Held::Array { entries, columns }
            }
            Inputs::Columns(columns) => Held::Columns(columns.iter().map(Cells::column).collect()),
            Inputs::File(path) => Held::File(path.clone()),
        };
        Ok(Samples {
            inputs,
            names: self.names.clone(),
            count: self.count,
            y: self.y.as_ref().map(vector),
            target: self.target.clone(),
            weights: self.weights.as_ref().map(vector),
            weight: self.weight.clone(),
        })
    }
}

impl Samples {
    /// What errors and accounts call them.
    pub fn name(&self) -> String {
        match &self.inputs {
            Held::File(path) => path.display().to_string(),
            _ => INPUTS.into(),
        }
    }

    /// All columns as a table; `names` are those of the columns of an array.
    fn table(self, names: Option<Vec<String>>) -> Result<Table> {
        let (mut columns, mut names) = match self.inputs {
            Held::File(path) => return Table::read(&path),
            Held::Columns(columns) => (columns, self.names),
            Held::Array { entries, columns } => (columns_of(&entries, columns), names.unwrap_or(self.names)),
        };
        for (numbers, name) in [(self.y, self.target), (self.weights, self.weight)] {
            if let (Some(numbers), Some(name)) = (numbers, name) {
                // What is given apart stands for a column of that name.
                if let Some(at) = names.iter().position(|other| *other == name) {
                    columns.remove(at);
                    names.remove(at);
                }
                columns.push(Column::of_numbers(numbers));
                names.push(name);
            }
        }
        Table::of_columns(Path::new(INPUTS), Some(names), columns, self.count)
    }

    /// The samples by a recipe that is learned from them.
    pub fn learned(self, drop: Vec<String>, categorical: Vec<String>) -> Result<library::Samples> {
        let roles =
            Roles { target: self.target.clone(), weight: self.weight.clone(), drop, categorical, ..Roles::default() };
        if let (Held::Array { entries, .. }, Some(y), Some(target)) = (&self.inputs, &self.y, &self.target)
            && roles.drop.is_empty()
            && roles.categorical.is_empty()
            && entries.iter().all(|x| x.is_finite())
        {
            let X = shared(entries, self.names.len())?;
            let (y, target) = (y.clone(), target.clone());
            return roles.learned_array(Array { X, names: self.names, y, target, weights: self.weights });
        }
        Reading { roles, ..Reading::default() }.learned(&self.table(None)?)
    }

    /// What `f` makes of the columns as they are, but for some that are left out.
    pub fn unchanged<R>(self, drop: &[String], f: impl FnOnce(&Data) -> Result<R>) -> Result<R> {
        let roles = Roles { target: self.target.clone(), drop: drop.to_vec(), ..Roles::default() };
        if let (Held::Array { entries, .. }, Some(y), Some(target)) = (&self.inputs, &self.y, &self.target)
            && drop.is_empty()
        {
            let X = shared(entries, self.names.len())?;
            return f(&Data::builder(X, y.clone()).names(self.names.clone()).target(target.clone()).build()?);
        }
        f(&roles.unchanged(&self.table(None)?)?.data)
    }

    /// What `f` makes of the samples by the recipe of a model.
    pub fn by_model<R>(mut self, model: &Model, f: impl FnOnce(&Data, &Source) -> Result<R>) -> Result<R> {
        let target = match (&self.inputs, &self.target) {
            (Held::Array { .. }, _) => Some(model.target.clone()),
            (Held::Columns(_), None) if self.y.is_some() => Some(model.target.clone()),
            (_, given) => given.clone(),
        };
        if self.y.is_some() {
            self.target = target.clone();
        }
        if let (Held::Array { columns, .. }, Some(target)) = (&self.inputs, &target) {
            let recipe = self.recipe_for(model, *columns)?;
            let (weight, target) = (self.weight.clone(), Some(target.clone()));
            let source = Source { weight, rows: None, recipe: Some(recipe.clone()), target };
            return self.by_recipe(&recipe, None, |data| {
                check_inputs(model, data.d())?;
                f(data, &source)
            });
        }
        let weight = self.weight.clone();
        let table = self.table(None)?;
        let (samples, source) = Source::of_model(model, &table, target.as_deref(), weight.as_deref())?;
        std::mem::drop(table);
        f(&samples.data, &source)
    }

    /// That of the model; one from elsewhere takes the columns as they are.
    fn recipe_for(&self, model: &Model, columns: usize) -> Result<Recipe> {
        if model.is_foreign() {
            check_inputs(model, columns)?;
            return Ok(Recipe::plain(self.names.clone()));
        }
        check_columns(&model.recipe, columns)?;
        Ok(model.recipe.clone())
    }

    /// What `f` makes of the samples that a certificate speaks about.
    pub fn by_record<R>(mut self, record: &Certificate, f: impl FnOnce(&Data) -> Result<R>) -> Result<R> {
        let Source { recipe, rows, weight, target } = record.source();
        let refused = |what: &'static str, stored: Option<String>, found: &str| {
            let found = found.to_owned();
            Err(Error::Certificate { path: None, problem: CertificateProblem::Subject { what, stored, found } })
        };
        match (&self.y, &self.target) {
            (Some(_), _) => self.target = target,
            (None, Some(given)) if Some(given) != target.as_ref() => return refused("target", target, given),
            _ => {}
        }
        match (&self.weights, &self.weight) {
            (Some(_), _) if weight.is_some() => self.weight = weight,
            (Some(_), given) => return refused("weight", weight, given.as_deref().unwrap_or("weights")),
            (None, Some(given)) if Some(given) != weight.as_ref() => return refused("weight", weight, given),
            _ => {}
        }
        match (&self.inputs, recipe) {
            (Held::Array { columns, .. }, Some(recipe)) => {
                check_columns(&recipe, *columns)?;
                self.by_recipe(&recipe, rows.as_deref(), f)
            }
            _ => f(&record.data(&self.table(None)?)?),
        }
    }

    /// The rows of an array by a recipe, without a copy where its columns are the inputs.
    fn by_recipe<R>(self, recipe: &Recipe, rows: Option<&[usize]>, f: impl FnOnce(&Data) -> Result<R>) -> Result<R> {
        let target = self.target.clone().unwrap_or_default();
        let whole = |columns: usize| recipe.positions().is_some_and(|positions| positions.len() == columns);
        match (&self.inputs, &self.y) {
            (Held::Array { entries, columns }, Some(y))
                if whole(*columns) && rows.is_none() && entries.iter().all(|x| x.is_finite()) =>
            {
                let y = scaled(y.clone(), recipe.target_scale(), &target)?;
                let names = recipe.input_names();
                let X = shared(entries, names.len())?;
                f(&Data::builder(X, y)
                    .names(names)
                    .target(recipe.target_name(&target))
                    .weights(self.weights)
                    .build()?)
            }
            _ => {
                let (weight, names) = (self.weight.clone(), recipe.columns().iter().map(|step| step.name.clone()));
                let table = self.table(Some(names.collect()))?;
                f(&recipe.data(&table, &target, weight.as_deref(), rows)?)
            }
        }
    }
}

fn check_columns(recipe: &Recipe, found: usize) -> Result<()> {
    let expected = recipe.columns().len();
    if expected == found {
        return Ok(());
    }
    Err(Error::InputCount { path: INPUTS.into(), expected, found })
}

/// The rows of an array of so many columns, not copied.
pub fn shared(entries: &Arc<SharedArray>, columns: usize) -> Result<Matrix> {
    let rows = entries.len() / columns.max(1);
    if rows * columns != entries.len() {
        return Err(Error::Shape { what: "columns of X", expected: columns, found: entries.len() });
    }
    Ok(Matrix::shared(rows, columns, entries.clone()))
}

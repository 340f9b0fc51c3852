//! Rows in memory: an array that is not copied, or columns of numbers and words.

use std::path::Path;

use crate::certificate::file::{check_inputs, other_table};
use crate::certificate::{Certificate, Source};
use crate::data::recipe::NumberInput;
use crate::data::{Array, Column, Data, DependenceColumn, Inputs, Reading, Recipe, Roles, Samples, Table, scaled};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::model::Model;

/// What errors call the inputs.
pub(super) const NAME: &str = "X";
/// What weights are called that nobody has named.
pub(super) const WEIGHTS: &str = "weight";
/// What a target is called that nobody has named.
const TARGET: &str = "y";

/// Inputs, and perhaps a target and weights apart from them. [`GivenRows`](super::GivenRows) shows its use.
#[derive(Clone, Debug)]
pub struct MemoryRows {
    /// The inputs; with the target among them where it is not given apart.
    pub inputs: MemoryInputs,
    /// The target of each row.
    pub y: Option<Vec<f64>>,
    /// How much each row counts.
    pub weights: Option<Vec<f64>>,
    /// Which rows depend on each other, where that is no column of the inputs: what the column is for, and its cells.
    pub dependence: Option<Box<(DependenceColumn, Column)>>,
}

/// Where inputs are.
///
/// ```
/// use shallows::data::Column;
/// use shallows::job::given::{GivenRows, MemoryInputs, MemoryRows};
/// use shallows::job::predict::PredictJob;
/// use shallows::{Data, Model, Quadratic, Watch};
///
/// let data = Data::from_rows(&[[1.0], [2.0], [3.0], [4.0]], &[1.0, 4.0, 9.0, 16.0])?;
/// let fit = Quadratic::new().decay(0.0).fit(&data)?;
/// let model = Model::new(fit.network, vec!["a".into()], "y".into(), 0)?;
/// // Columns are found by name; the target of the model is ignored.
/// let columns = vec![Column::of_numbers(vec![9.0, 9.0]), Column::of_numbers(vec![5.0, 6.0])];
/// let inputs = MemoryInputs::Columns { columns, names: vec!["y".into(), "a".into()], rows: 2 };
/// let rows = GivenRows::Memory(MemoryRows { inputs, y: None, weights: None, dependence: None });
/// let outcome = PredictJob { model: model.into(), rows, ..PredictJob::default() }.run(Watch::silent())?;
/// assert!((outcome.predictions[1] - 36.0).abs() < 1e-6);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum MemoryInputs {
    /// Numbers; NaN is a gap.
    Array {
        /// A row for each sample; may be shared with somebody else.
        X: Matrix,
        /// One for each column. A model that was fitted elsewhere finds its columns by position.
        names: Vec<String>,
    },
    /// Numbers and words, found by name.
    Columns {
        /// All of one length.
        columns: Vec<Column>,
        /// One for each column.
        names: Vec<String>,
        /// How long they are.
        rows: usize,
    },
}

/// Rows whose target and weights have a name.
pub(super) struct NamedRows {
    rows: MemoryRows,
    target: Option<String>,
    weight: Option<String>,
}

impl MemoryRows {
    /// Inputs called x1, x2, …, without a target.
    pub fn of_array(X: Matrix) -> Self {
        let names = (1..=X.cols()).map(|j| format!("x{j}")).collect();
        MemoryRows { inputs: MemoryInputs::Array { X, names }, y: None, weights: None, dependence: None }
    }

    /// With a target.
    pub fn with_target(self, y: Vec<f64>) -> Self {
        MemoryRows { y: Some(y), ..self }
    }

    /// With names for what is given apart from the inputs, and for columns that stand for it.
    pub(super) fn named(self, target: Option<&str>, weight: Option<&str>) -> NamedRows {
        let [target, weight] = [target, weight].map(|name| name.map(str::to_owned));
        let target = target.or_else(|| self.y.as_ref().map(|_| TARGET.to_owned()));
        let weight = weight.or_else(|| self.weights.as_ref().map(|_| WEIGHTS.to_owned()));
        NamedRows { rows: self, target, weight }
    }

    /// All columns, and what they are for.
    pub(super) fn table(self, roles: &Roles) -> Result<(Table, Roles)> {
        let rows = self.named(roles.target.as_deref(), roles.weight.as_deref());
        let mut roles = Roles { target: rows.target.clone(), weight: rows.weight.clone(), ..roles.clone() };
        if let Some((column, _)) = rows.rows.dependence.as_deref() {
            // What is not among the inputs does not become one.
            roles.drop.push(column.name().to_owned());
            roles.dependence = Some(column.clone());
        }
        Ok((rows.table(None)?, roles))
    }

    pub(super) fn learned(self, reading: &Reading) -> Result<Samples> {
        let Reading { roles, holdout, calibrate, .. } = reading;
        let every_row = holdout.is_none() && calibrate.is_none();
        match self {
            MemoryRows { inputs: MemoryInputs::Array { X, names }, y: Some(y), weights, dependence: None }
                if every_row && roles.takes_numbers_as_they_are() && is_whole(roles, &weights) && is_finite(&X) =>
            {
                let weight = weights.as_ref().map(|_| roles.weight.clone().unwrap_or(WEIGHTS.into()));
                let target = roles.target.clone().unwrap_or(TARGET.into());
                Roles { weight, ..roles.clone() }.learned_array(Array { X, names, y, target, weights })
            }
            rows => {
                let apart = rows.dependence.as_deref().map(|(column, _)| column.name().to_owned());
                let (table, roles) = rows.table(roles)?;
                let samples = Reading { roles, ..reading.clone() }.learned(&table)?;
                Ok(match apart {
                    Some(name) => Samples { recipe: samples.recipe.clone().without_column(&name), ..samples },
                    None => samples,
                })
            }
        }
    }

    pub(super) fn unchanged(self, roles: &Roles) -> Result<Samples> {
        match self {
            MemoryRows { inputs: MemoryInputs::Array { X, names }, y: Some(y), weights, dependence: None }
                if is_whole(roles, &weights) =>
            {
                let weight = weights.as_ref().map(|_| roles.weight.clone().unwrap_or(WEIGHTS.into()));
                let target = roles.target.clone().unwrap_or(TARGET.into());
                let data = Data::builder(X, y).names(names).target(target).weights(weights).build()?;
                Ok(Samples { weight, ..Samples::of_data(data) })
            }
            rows => {
                let (table, roles) = rows.table(roles)?;
                roles.unchanged(&table)
            }
        }
    }

    /// An array has the columns of the model, and what is given apart is what the model predicts.
    pub(super) fn by_model(self, model: &Model, target: Option<&str>, weight: Option<&str>) -> Result<Samples> {
        let is_array = matches!(self.inputs, MemoryInputs::Array { .. });
        let own = is_array || (target.is_none() && self.y.is_some());
        let target = if own { Some(model.target.as_str()) } else { target };
        let rows = self.named(target, weight);
        if !is_array {
            let (target, weight) = (rows.target.clone(), rows.weight.clone());
            return Ok(Source::of_model(model, &rows.table(None)?, target.as_deref(), weight.as_deref())?.0);
        }
        let recipe = rows.rows.recipe_for(model)?;
        let (target, weight) = (model.target.clone(), rows.weight.clone());
        let data = rows.by_recipe(&recipe, None)?;
        check_inputs(model, data.d())?;
        let table_rows = data.n();
        Ok(Samples::whole(data, target, weight, recipe, table_rows))
    }

    /// That of the model; one from elsewhere takes the columns as they are.
    fn recipe_for(&self, model: &Model) -> Result<Recipe> {
        let (found, names) = self.shape();
        if model.is_foreign() {
            check_inputs(model, found)?;
            return Ok(Recipe::plain(names.to_vec()));
        }
        check_columns(&model.recipe, found)?;
        Ok(model.recipe.clone())
    }

    /// The number of columns, and their names.
    fn shape(&self) -> (usize, &[String]) {
        match &self.inputs {
            MemoryInputs::Array { X, names } => (X.cols(), names),
            MemoryInputs::Columns { columns, names, .. } => (columns.len(), names),
        }
    }

    pub(super) fn by_certificate(self, certificate: &Certificate, source: Source) -> Result<Data> {
        let Source { recipe, rows: selected, table_rows, weight, target, .. } = source;
        let has_weights = self.weights.is_some();
        let columns = self.shape().0;
        let found = match &self.inputs {
            MemoryInputs::Array { X, .. } => X.rows(),
            MemoryInputs::Columns { rows, .. } => *rows,
        };
        let is_array = matches!(self.inputs, MemoryInputs::Array { .. });
        let rows = self.named(target.as_deref(), weight.as_deref().filter(|_| has_weights));
        match recipe.filter(|_| is_array) {
            Some(recipe) => {
                recipe.check()?;
                check_columns(&recipe, columns)?;
                if let Some(expected) = table_rows.filter(|expected| *expected != found) {
                    return Err(other_table(expected, found));
                }
                certificate.in_form(rows.by_recipe(&recipe, selected.as_deref())?)
            }
            None => certificate.data(&rows.table(None)?),
        }
    }

    /// The inputs of a network, without a copy where they are the columns of an array.
    pub(super) fn inputs(self, recipe: &Recipe) -> Result<Inputs> {
        let MemoryInputs::Array { X, .. } = &self.inputs else { return recipe.inputs(&self.input_table()?) };
        check_columns(recipe, X.cols())?;
        let inputs = |X: Matrix| Inputs { X, ignored: vec![], remarks: vec![] };
        match recipe.number_inputs().filter(|_| is_finite(X)) {
            Some(numbers) => Ok(inputs(NumberInput::matrix(&numbers, X.clone()))),
            None => recipe.inputs(&self.input_table()?),
        }
    }

    /// The inputs alone; the columns of an array have no names.
    pub(super) fn input_table(self) -> Result<Table> {
        match self.inputs {
            MemoryInputs::Array { X, .. } => Table::of_columns(Path::new(NAME), None, columns_of(&X), X.rows()),
            MemoryInputs::Columns { columns, names, rows } => {
                Table::of_columns(Path::new(NAME), Some(names), columns, rows)
            }
        }
    }
}

impl NamedRows {
    /// All columns; `names` are those of the columns of an array. What is given apart replaces a column of its name.
    pub(super) fn table(self, names: Option<Vec<String>>) -> Result<Table> {
        let NamedRows { rows: MemoryRows { inputs, y, weights, dependence }, target, weight } = self;
        let (mut columns, mut names, rows) = match inputs {
            MemoryInputs::Array { X, names: own } => (columns_of(&X), names.unwrap_or(own), X.rows()),
            MemoryInputs::Columns { columns, names, rows } => (columns, names, rows),
        };
        let numbers = [(y, target), (weights, weight)];
        let mut apart: Vec<(Column, String)> =
            numbers.into_iter().filter_map(|(numbers, name)| Some((Column::of_numbers(numbers?), name?))).collect();
        apart.extend(dependence.map(|given| (given.1, given.0.name().to_owned())));
        for (column, name) in apart {
            if let Some(at) = names.iter().position(|other| *other == name).filter(|at| *at < columns.len()) {
                columns.remove(at);
                names.remove(at);
            }
            columns.push(column);
            names.push(name);
        }
        Table::of_columns(Path::new(NAME), Some(names), columns, rows)
    }

    /// The same, the columns of an array being those of a recipe.
    pub(super) fn table_of(self, recipe: &Recipe) -> Result<Table> {
        if matches!(self.rows.inputs, MemoryInputs::Array { .. }) {
            check_columns(recipe, self.rows.shape().0)?;
        }
        self.table(Some(recipe.columns().iter().map(|step| step.name.clone()).collect()))
    }

    /// The rows of an array by a recipe, without a copy where its columns are the inputs.
    fn by_recipe(self, recipe: &Recipe, selected: Option<&[usize]>) -> Result<Data> {
        let target = self.target.clone().unwrap_or_default();
        let numbers = recipe.number_inputs();
        match (self.rows, numbers) {
            (MemoryRows { inputs: MemoryInputs::Array { X, .. }, y: Some(y), weights, .. }, Some(numbers))
                if selected.is_none() && is_finite(&X) =>
            {
                let X = NumberInput::matrix(&numbers, X);
                let y = scaled(y, recipe.target_scale(), &target)?;
                let (names, target) = (recipe.input_names(), recipe.target_name(&target));
                Data::builder(X, y).names(names).target(target).weights(weights).build()
            }
            (rows, _) => {
                let weight = self.weight.clone();
                let table = NamedRows { rows, target: self.target, weight: self.weight }.table_of(recipe)?;
                recipe.data(&table, &target, weight.as_deref(), selected)
            }
        }
    }
}

/// An array without names must have the columns of the fit.
fn check_columns(recipe: &Recipe, found: usize) -> Result<()> {
    let expected = recipe.columns().len();
    if expected == found { Ok(()) } else { Err(Error::InputCount { path: NAME.into(), expected, found }) }
}

/// Whether every column of an array is an input, and the weights are given apart where there are any.
fn is_whole(roles: &Roles, weights: &Option<Vec<f64>>) -> bool {
    roles.drop.is_empty() && roles.dependence.is_none() && (roles.weight.is_none() || weights.is_some())
}

fn columns_of(X: &Matrix) -> Vec<Column> {
    (0..X.cols()).map(|j| Column::of_numbers(X.column(j))).collect()
}

fn is_finite(X: &Matrix) -> bool {
    X.as_slice().iter().all(|x| x.is_finite())
}

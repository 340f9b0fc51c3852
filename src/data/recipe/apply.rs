//! A recipe applied to a table.

use std::collections::{HashMap, HashSet};

use super::{ColumnStep, Gaps, Recipe, TargetScale, Treatment};
use crate::data::column::{Cell, Column, name_of};
use crate::data::samples::Data;
use crate::data::table::Table;
use crate::error::{CellProblem, Error, Result, excerpt};
use crate::linalg::{Matrix, try_map_tasks};

/// The inputs of a network, from a table.
///
/// ```
/// use std::path::Path;
/// use shallows::Table;
/// use shallows::data::Reading;
///
/// let read = |text: &str| Table::read_csv(text.as_bytes(), Path::new("paint.csv"));
/// let recipe = Reading::default().learned(&read("a,y\n1,1\n2,4\n3,9\n")?)?.recipe;
/// // Columns are found by name; others are ignored, and named.
/// let inputs = recipe.inputs(&read("b,a\n5,7\n")?)?;
/// assert_eq!((inputs.X.row(0), inputs.ignored), (&[7.0][..], vec!["b".to_owned()]));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// A column for each input of the network.
    pub X: Matrix,
    /// The columns of the table that the recipe does not know.
    pub ignored: Vec<String>,
    /// What the training rows did not have, in words.
    pub remarks: Vec<String>,
}

impl Recipe {
    /// The inputs for every row of a table.
    ///
    /// Columns are found by name, whatever their order; further columns, such as the target, are ignored and listed.
    /// Columns of an array have no names: they are taken by position, and there must be as many as the recipe has learned from.
    pub fn inputs(&self, table: &Table) -> Result<Inputs> {
        let (expected, found) = (self.columns.len(), table.names.len());
        if !table.named && expected != found {
            return Err(Error::InputCount { path: table.path.clone(), expected, found });
        }
        let places = if table.named { self.places(table)? } else { (0..found).map(Some).collect() };
        let known: HashSet<&str> = self.columns.iter().map(|step| step.name.as_str()).collect();
        let ignored = table.names.iter().filter(|name| table.named && !known.contains(name.as_str()));
        let (X, remarks) = self.expand(table, &places, None)?;
        Ok(Inputs { X, ignored: ignored.cloned().collect(), remarks })
    }

    /// Where the inputs stand in a row of finite numbers, one for each column, in order; `None` where an input is more
    /// than a number of the row.
    pub fn positions(&self) -> Option<Vec<usize>> {
        let mut positions = vec![];
        for (j, step) in self.columns.iter().enumerate() {
            match step.treatment {
                Treatment::Number { gaps: Gaps::Never, .. } => positions.push(j),
                Treatment::Dropped(_) => {}
                _ => return None,
            }
        }
        Some(positions)
    }

    /// Samples from the rows of a table with these numbers, or from all: inputs, target, weights, all found by name.
    /// Their target is on the scale of the recipe, and is called so.
    pub fn data(&self, table: &Table, target: &str, weight: Option<&str>, rows: Option<&[usize]>) -> Result<Data> {
        if let Some(&row) = rows.into_iter().flatten().find(|row| **row >= table.rows()) {
            return Err(Error::NoRow { path: table.path.clone(), row, rows: table.rows() });
        }
        let y = self.scaled_target(table, table.position(target)?, rows)?;
        let weights = weight.map(|name| table.needed_numbers(table.position(name)?, "a weight", rows)).transpose()?;
        let (X, _) = self.expand(table, &self.places(table)?, rows)?;
        Data::builder(X, y).names(self.input_names()).target(self.target_name(target)).weights(weights).build()
    }

    /// Refuse a gap in a column that had none when the recipe was learned: what was proved is about rows without.
    pub fn refuse_new_gaps(&self, table: &Table, rows: Option<&[usize]>) -> Result<()> {
        let had_none = |step: &ColumnStep| {
            matches!(
                step.treatment,
                Treatment::Number { gaps: Gaps::Never, .. } | Treatment::Category { gaps: Gaps::Never, .. }
            )
        };
        let n = rows.map_or(table.rows(), <[usize]>::len);
        for (step, place) in self.columns.iter().zip(self.places(table)?) {
            let Some(j) = place.filter(|_| had_none(step)) else { continue };
            let mut counted = (0..n).map(|i| rows.map_or(i, |rows| rows[i]));
            if let Some(i) = counted.find(|&i| i < table.rows() && table.columns[j].is_missing(i)) {
                return Err(table.cell_error(i, j, CellProblem::Missing));
            }
        }
        Ok(())
    }

    /// Column j on the scale of the target; an error where a number has no place on it.
    fn scaled_target(&self, table: &Table, j: usize, rows: Option<&[usize]>) -> Result<Vec<f64>> {
        let mut y = table.needed_numbers(j, "the target", rows)?;
        let scale = self.target_scale;
        if let Some(at) = y.iter().position(|y| scale == TargetScale::Log && !(*y > 0.0)) {
            let row = rows.map_or(at, |rows| rows[at]);
            return Err(table.cell_error(row, j, CellProblem::NotPositive { value: y[at] }));
        }
        y.iter_mut().for_each(|y| *y = scale.scaled(*y));
        Ok(y)
    }

    /// Where the columns are that are used.
    fn places(&self, table: &Table) -> Result<Vec<Option<usize>>> {
        let positions = table.positions();
        let used = |step: &&ColumnStep| !matches!(step.treatment, Treatment::Dropped(_));
        let absent = |step: &&ColumnStep| !positions.contains_key(step.name.as_str());
        let missing: Vec<String> =
            self.columns.iter().filter(used).filter(absent).map(|step| step.name.clone()).collect();
        if !missing.is_empty() {
            let expected = self.columns.iter().filter(used).count();
            return Err(Error::MissingInputs { path: table.path.clone(), expected, missing });
        }
        Ok(self.columns.iter().map(|step| positions.get(step.name.as_str()).copied()).collect())
    }

    /// X, a row for each row asked for, and what the training rows did not have.
    fn expand(&self, table: &Table, places: &[Option<usize>], rows: Option<&[usize]>) -> Result<(Matrix, Vec<String>)> {
        let n = rows.map_or(table.rows(), <[usize]>::len);
        let row = |i: usize| rows.map_or(i, |rows| rows[i]);
        if !self.is_plain() {
            self.check_size(n)?;
        }
        let mut fillers = Vec::new();
        let mut width = 0;
        for (step, place) in self.columns.iter().zip(places) {
            let inputs = width..width + step.inputs().len();
            width = inputs.end;
            if let Some(j) = place.filter(|_| !inputs.is_empty()) {
                table.readable(j)?;
                fillers.push((inputs, j, Filler::new(step, &table.columns[j])));
            }
        }
        let remarks = try_map_tasks(fillers.len(), |at| {
            let (_, j, filler) = &fillers[at];
            filler.check((0..n).map(row)).map_err(|(i, problem)| table.cell_error(i, *j, problem))
        })?;
        let X = Matrix::from_row_fn(n, width, |i, out| {
            fillers.iter().for_each(|(inputs, _, filler)| filler.fill(row(i), &mut out[inputs.clone()]));
        });
        Ok((X, remarks.into_iter().flatten().collect()))
    }
}

/// One column on its way.
struct Filler<'a> {
    step: &'a ColumnStep,
    column: &'a Column,
    /// What each word does.
    slots: HashMap<&'a str, Slot>,
    /// The same by the column's own numbering of its words.
    by_level: Vec<Slot>,
}

/// What a word does.
#[derive(Clone, Copy, PartialEq)]
enum Slot {
    /// This input is 1.
    Input(usize),
    /// The word for which all inputs are 0.
    Reference,
    /// As all other words.
    Unseen,
}

impl<'a> Filler<'a> {
    fn new(step: &'a ColumnStep, column: &'a Column) -> Self {
        let mut slots = HashMap::new();
        if let Treatment::Category { reference, levels, .. } = &step.treatment {
            slots.insert(reference.as_str(), Slot::Reference);
            slots.extend(levels.iter().enumerate().map(|(at, level)| (level.as_str(), Slot::Input(at))));
        }
        let slot = |word: &String| slots.get(word.as_str()).copied().unwrap_or(Slot::Unseen);
        let by_level = column.levels().iter().map(slot).collect();
        Filler { step, column, slots, by_level }
    }

    /// What the word in a row does; a gap is the reference.
    fn slot(&self, i: usize) -> Slot {
        match self.column.cell(i) {
            Cell::Missing => Slot::Reference,
            Cell::Number(x) => self.slots.get(name_of(x).as_str()).copied().unwrap_or(Slot::Unseen),
            Cell::Word(_) => self.column.word(i).map_or(Slot::Unseen, |level| self.by_level[level]),
        }
    }

    /// Write the inputs of a row, which are 0 before.
    fn fill(&self, i: usize, inputs: &mut [f64]) {
        let gaps = match &self.step.treatment {
            Treatment::Number { median, gaps } => {
                let x = self.column.number(i);
                inputs[0] = if x.is_nan() { median.unwrap_or(x) } else { x };
                *gaps
            }
            Treatment::Category { levels, other, gaps, .. } => {
                match self.slot(i) {
                    Slot::Input(at) => inputs[at] = 1.0,
                    Slot::Unseen if *other => inputs[levels.len()] = 1.0,
                    Slot::Unseen | Slot::Reference => {}
                }
                *gaps
            }
            Treatment::GapsOnly => Gaps::Input,
            Treatment::Dropped(_) => return,
        };
        if gaps == Gaps::Input
            && self.column.is_missing(i)
            && let Some(last) = inputs.last_mut()
        {
            *last = 1.0;
        }
    }

    /// Whether the rows can be filled, and what the training rows did not have, in words.
    fn check(&self, rows: impl Iterator<Item = usize>) -> std::result::Result<Option<String>, (usize, CellProblem)> {
        let (mut gaps, mut unseen, mut example) = (0, 0, None);
        for i in rows {
            match (self.column.cell(i), &self.step.treatment) {
                (Cell::Missing, Treatment::Number { median: None, .. }) => return Err((i, CellProblem::Missing)),
                (Cell::Missing, _) => gaps += 1,
                (Cell::Word(text), Treatment::Number { .. }) => {
                    return Err((i, CellProblem::NotLikeTraining { text: text.to_owned() }));
                }
                (_, Treatment::Category { .. }) if self.slot(i) == Slot::Unseen => {
                    unseen += 1;
                    example = example.or(Some(i));
                }
                _ => {}
            }
        }
        let (never, gap, other) = match &self.step.treatment {
            Treatment::Number { median, gaps } => {
                (*gaps == Gaps::Never, format!("the median {}", median.unwrap_or(f64::NAN)), String::new())
            }
            Treatment::Category { reference, other, gaps, .. } => {
                let rest = excerpt(if *other { super::OTHER } else { reference });
                (*gaps == Gaps::Never, excerpt(reference), rest)
            }
            Treatment::GapsOnly | Treatment::Dropped(_) => (false, String::new(), String::new()),
        };
        let mut parts = Vec::new();
        if never && gaps > 0 {
            parts.push(format!("{gaps} missing, taken as {gap}"));
        }
        if let Some(i) = example {
            let word = match self.column.cell(i) {
                Cell::Number(x) => name_of(x),
                Cell::Word(word) => word.to_owned(),
                Cell::Missing => String::new(),
            };
            parts.push(format!("{unseen} rare or unknown, such as {}, taken as {other}", excerpt(&word)));
        }
        Ok((!parts.is_empty()).then(|| format!("column {}: {}", excerpt(&self.step.name), parts.join("; "))))
    }
}

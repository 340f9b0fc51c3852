//! A recipe applied to a table.

use std::collections::{HashMap, HashSet};

use super::{Gaps, Recipe, Step, Treatment};
use crate::data::column::{Cell, Column, name_of};
use crate::data::samples::Data;
use crate::data::table::Table;
use crate::error::{CellProblem, Error, Result, excerpt};
use crate::linalg::Matrix;

/// The inputs of a network, from a table.
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
    /// Columns of an array have no names: they are taken by position, and there must be as many as in the training.
    pub fn inputs(&self, table: &Table) -> Result<Inputs> {
        let (expected, found) = (self.columns.len(), table.names.len());
        if !table.named && expected != found {
            return Err(Error::InputCount { path: table.path.clone(), expected, found });
        }
        let places = if table.named { self.places(table)? } else { (0..found).map(Some).collect() };
        let known: HashSet<&str> = self.columns.iter().map(|step| step.name.as_str()).collect();
        let ignored = table.names.iter().filter(|name| table.named && !known.contains(name.as_str()));
        let mut remarks = Vec::new();
        let X = self.expand(table, &places, None, &mut remarks)?;
        Ok(Inputs { X, ignored: ignored.cloned().collect(), remarks })
    }

    /// Samples from the rows of a table with these numbers, or from all: inputs, target, weights, all found by name.
    pub fn data(&self, table: &Table, target: &str, weight: Option<&str>, rows: Option<&[usize]>) -> Result<Data> {
        if let Some(&row) = rows.into_iter().flatten().find(|row| **row >= table.rows()) {
            return Err(Error::NoRow { path: table.path.clone(), row, rows: table.rows() });
        }
        let y = table.needed_numbers(table.position(target)?, "the target", rows)?;
        let weights = weight.map(|name| table.needed_numbers(table.position(name)?, "a weight", rows)).transpose()?;
        let X = self.expand(table, &self.places(table)?, rows, &mut Vec::new())?;
        Data::new(X, y, self.input_names(), target.to_owned(), weights)
    }

    /// Where the columns are that are used.
    fn places(&self, table: &Table) -> Result<Vec<Option<usize>>> {
        let positions = table.positions();
        let used = |step: &&Step| !matches!(step.treatment, Treatment::Dropped(_));
        let absent = |step: &&Step| !positions.contains_key(step.name.as_str());
        let missing: Vec<String> =
            self.columns.iter().filter(used).filter(absent).map(|step| step.name.clone()).collect();
        if !missing.is_empty() {
            let expected = self.columns.iter().filter(used).count();
            return Err(Error::MissingInputs { path: table.path.clone(), expected, missing });
        }
        Ok(self.columns.iter().map(|step| positions.get(step.name.as_str()).copied()).collect())
    }

    /// X, a row for each row asked for.
    fn expand(
        &self,
        table: &Table,
        places: &[Option<usize>],
        rows: Option<&[usize]>,
        remarks: &mut Vec<String>,
    ) -> Result<Matrix> {
        let n = rows.map_or(table.rows(), <[usize]>::len);
        if !self.is_plain() {
            self.check_size(n)?;
        }
        let row = |i: usize| rows.map_or(i, |rows| rows[i]);
        let mut X = Matrix::zeros(n, self.input_names().len());
        let mut start = 0;
        for (step, place) in self.columns.iter().zip(places) {
            let width = step.inputs().len();
            if let Some(j) = place.filter(|_| width > 0) {
                table.readable(j)?;
                let mut filler = Filler::new(step, &table.columns[j]);
                for i in 0..n {
                    let inputs = &mut X.row_mut(i)[start..start + width];
                    filler.fill(row(i), inputs).map_err(|problem| table.cell_error(row(i), j, problem))?;
                }
                remarks.extend(filler.remark());
            }
            start += width;
        }
        Ok(X)
    }
}

/// One column on its way.
struct Filler<'a> {
    step: &'a Step,
    column: &'a Column,
    /// Which input is 1, by word.
    slots: HashMap<&'a str, Option<usize>>,
    /// The same by the column's own numbering of its words.
    by_level: Vec<Slot>,
    unexpected_gaps: usize,
    unseen: usize,
    first_unseen: Option<String>,
}

/// What a word does.
#[derive(Clone, Copy)]
enum Slot {
    /// This input is 1, or none for the reference.
    Known(Option<usize>),
    /// As all other words.
    Unseen,
}

impl<'a> Filler<'a> {
    fn new(step: &'a Step, column: &'a Column) -> Self {
        let mut slots = HashMap::new();
        if let Treatment::Category { reference, levels, .. } = &step.treatment {
            slots.insert(reference.as_str(), None);
            slots.extend(levels.iter().enumerate().map(|(at, level)| (level.as_str(), Some(at))));
        }
        let slot = |word: &String| slots.get(word.as_str()).map_or(Slot::Unseen, |slot| Slot::Known(*slot));
        let by_level = column.levels().iter().map(slot).collect();
        Filler { step, column, slots, by_level, unexpected_gaps: 0, unseen: 0, first_unseen: None }
    }

    /// Write the inputs of a row, which are 0 before.
    fn fill(&mut self, i: usize, inputs: &mut [f64]) -> std::result::Result<(), CellProblem> {
        let gap = self.column.is_missing(i);
        match &self.step.treatment {
            Treatment::Number { median, gaps } => {
                inputs[0] = match self.column.cell(i) {
                    Cell::Number(x) => x,
                    Cell::Missing => median.ok_or(CellProblem::Missing)?,
                    Cell::Word(text) => return Err(CellProblem::NotLikeTraining { text: text.to_owned() }),
                };
                self.note_gap(gap, *gaps, inputs);
            }
            Treatment::Category { levels, other, gaps, .. } => {
                let slot = match self.column.cell(i) {
                    Cell::Missing => Slot::Known(None),
                    Cell::Number(x) => {
                        self.slots.get(name_of(x).as_str()).map_or(Slot::Unseen, |slot| Slot::Known(*slot))
                    }
                    Cell::Word(_) => self.column.word(i).map_or(Slot::Unseen, |level| self.by_level[level]),
                };
                let at = match slot {
                    Slot::Known(at) => at,
                    Slot::Unseen => {
                        self.note_unseen(i);
                        other.then_some(levels.len())
                    }
                };
                at.into_iter().for_each(|at| inputs[at] = 1.0);
                self.note_gap(gap, *gaps, inputs);
            }
            Treatment::GapsOnly => inputs[0] = f64::from(u8::from(gap)),
            Treatment::Dropped(_) => {}
        }
        Ok(())
    }

    /// The last input says where the gaps are, if there is such an input.
    fn note_gap(&mut self, gap: bool, gaps: Gaps, inputs: &mut [f64]) {
        if let Some(last) = inputs.last_mut().filter(|_| gap && gaps == Gaps::Input) {
            *last = 1.0;
        }
        self.unexpected_gaps += usize::from(gap && gaps == Gaps::Never);
    }

    fn note_unseen(&mut self, i: usize) {
        self.unseen += 1;
        if self.first_unseen.is_none() {
            self.first_unseen = Some(match self.column.cell(i) {
                Cell::Number(x) => name_of(x),
                Cell::Word(word) => word.to_owned(),
                Cell::Missing => String::new(),
            });
        }
    }

    /// What the training rows did not have, in words.
    fn remark(self) -> Option<String> {
        let mut parts = Vec::new();
        match &self.step.treatment {
            Treatment::Number { median: Some(median), .. } if self.unexpected_gaps > 0 => {
                parts.push(format!("{} missing, taken as the median {median}", self.unexpected_gaps));
            }
            Treatment::Category { reference, other, .. } => {
                if self.unexpected_gaps > 0 {
                    parts.push(format!("{} missing, taken as {}", self.unexpected_gaps, excerpt(reference)));
                }
                if let Some(word) = &self.first_unseen {
                    let taken = if *other { super::OTHER } else { reference };
                    let (count, word, taken) = (self.unseen, excerpt(word), excerpt(taken));
                    parts.push(format!("{count} rare or unknown, such as {word}, taken as {taken}"));
                }
            }
            _ => {}
        }
        (!parts.is_empty()).then(|| format!("column {}: {}", excerpt(&self.step.name), parts.join("; ")))
    }
}

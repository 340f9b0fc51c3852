//! Rows that depend on each other: those of one group, or those that follow each other in time.
//!
//! What is left out of a fit to judge it must not be known to it by other rows. Rows of one patient know each other, so a
//! group is left out as a whole; the rows of tomorrow know those of today, so that only earlier rows may teach what is
//! said about later ones. [`Data`](super::Data) carries which rows belong together, and every place that leaves rows out
//! takes it from there.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::column::{Cell, Column};
use super::table::Table;
use super::time_order::time_order;
use crate::error::{CellProblem, DataProblem, Error, Result};

/// The column that says which rows depend on each other.
///
/// ```
/// use std::path::Path;
/// use shallows::Table;
/// use shallows::data::{Dependence, DependenceColumn, Reading, Roles};
///
/// let text = "patient,dose,y\nann,1,2\nbob,2,4\nann,3,7\nbob,4,8\n";
/// let table = Table::read_csv(text.as_bytes(), Path::new("trial.csv"))?;
/// let roles = Roles { dependence: Some(DependenceColumn::Group("patient".into())), ..Roles::default() };
/// let samples = Reading { roles, ..Reading::default() }.learned(&table)?;
/// // The patient is no input, since new patients have other names.
/// assert_eq!(samples.recipe.input_names(), ["dose"]);
/// assert_eq!(samples.data.dependence, Some(Dependence::Groups(vec![0, 1, 0, 1])));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DependenceColumn {
    /// Rows with one value in this column belong together; it is no input.
    Group(String),
    /// Rows are judged by those before them; the column stays an input.
    Time(String),
}

impl DependenceColumn {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            DependenceColumn::Group(name) | DependenceColumn::Time(name) => name,
        }
    }

    /// What it is for.
    pub(crate) fn role(&self) -> &'static str {
        match self {
            DependenceColumn::Group(_) => "the group",
            DependenceColumn::Time(_) => "the time",
        }
    }

    /// What these rows of a table say; rows are numbered as in the list.
    pub(super) fn read(&self, table: &Table, rows: &[usize]) -> Result<Dependence> {
        let j = table.position(self.name())?;
        table.readable_for(j, Some(self.role()))?;
        if let Some(&row) = rows.iter().find(|&&i| table.columns[j].is_missing(i)) {
            let problem = CellProblem::DependenceMissing { role: self.role() };
            return Err(table.cell_error(row, j, problem));
        }
        match self {
            DependenceColumn::Group(_) => Ok(Dependence::Groups(group_numbers(&table.columns[j], rows))),
            DependenceColumn::Time(_) => Ok(Dependence::Times(time_order(table, j, rows)?)),
        }
    }
}

/// Which rows depend on each other: a number for each row. [`DependenceColumn`] shows its use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// Rows with one number are left out together.
    Groups(Vec<usize>),
    /// Rows are judged by rows with smaller numbers alone; rows with one number are of one time.
    Times(Vec<usize>),
}

impl Dependence {
    /// The number of each row.
    pub fn numbers(&self) -> &[usize] {
        match self {
            Dependence::Groups(numbers) | Dependence::Times(numbers) => numbers,
        }
    }

    /// Of the rows with these numbers, in this order.
    ///
    /// ```
    /// use shallows::data::Dependence;
    ///
    /// let groups = Dependence::Groups(vec![0, 1, 0, 2]);
    /// assert_eq!((groups.select(&[3, 0]), groups.count()), (Dependence::Groups(vec![2, 0]), 3));
    /// ```
    pub fn select(&self, rows: &[usize]) -> Dependence {
        let picked = |numbers: &[usize]| rows.iter().map(|&i| numbers[i]).collect();
        match self {
            Dependence::Groups(groups) => Dependence::Groups(picked(groups)),
            Dependence::Times(times) => Dependence::Times(picked(times)),
        }
    }

    /// How many different groups or times there are.
    pub fn count(&self) -> usize {
        let mut numbers = self.numbers().to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.len()
    }

    /// Two groups, or two times, are the fewest of which one can be judged by others.
    pub(super) fn check(&self, column: &DependenceColumn) -> Result<()> {
        match self.count() {
            0 | 1 => {
                let (name, role) = (column.name().to_owned(), column.role());
                Err(Error::Data(DataProblem::OneDependence { name, role }))
            }
            _ => Ok(()),
        }
    }
}

/// A number for each row, equal for equal cells, in the order in which they first occur.
fn group_numbers(column: &Column, rows: &[usize]) -> Vec<usize> {
    let mut known: HashMap<(Option<usize>, u64), usize> = HashMap::new();
    let mut number = |&i: &usize| {
        let next = known.len();
        let key = match column.cell(i) {
            // 0.0 + x turns −0 into 0, which is the same number.
            Cell::Number(x) => (None, (0.0 + x).to_bits()),
            _ => (column.word(i), 0),
        };
        *known.entry(key).or_insert(next)
    };
    rows.iter().map(&mut number).collect()
}

/// The rows of each group, in the order in which groups first occur.
pub(crate) fn rows_by_number(numbers: &[usize]) -> Vec<Vec<usize>> {
    let (mut rows, mut place): (Vec<Vec<usize>>, HashMap<usize, usize>) = (vec![], HashMap::new());
    for (i, number) in numbers.iter().enumerate() {
        let at = *place.entry(*number).or_insert(rows.len());
        if at == rows.len() {
            rows.push(vec![]);
        }
        rows[at].push(i);
    }
    rows
}

/// The block of each row: at most so many blocks of about as many counted rows, each later than the one before; rows of one
/// time are in one block. At least two blocks where counted rows are of two times.
pub(crate) fn time_blocks(times: &[usize], counts: impl Fn(usize) -> bool, blocks: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by_key(|&i| times[i]);
    let total = (0..times.len()).filter(|&i| counts(i)).count().max(1);
    let (mut block_of, mut before) = (vec![0; times.len()], 0);
    let (mut last, mut block) = (None, 0);
    for rows in order.chunk_by(|&a, &b| times[a] == times[b]) {
        let size = rows.iter().filter(|&&i| counts(i)).count();
        // The middle of these rows decides.
        let wanted = ((2 * before + size) * blocks / (2 * total)).min(blocks - 1);
        before += size;
        if last.is_some_and(|last| last != wanted) {
            block += 1;
        }
        last = Some(wanted);
        rows.iter().for_each(|&i| block_of[i] = block);
    }
    block_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_of_one_size_where_times_differ_and_ties_stay_together() {
        let times: Vec<usize> = (0..12).rev().collect();
        let blocks = time_blocks(&times, |_| true, 4);
        assert_eq!(blocks, [3, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0]);
        assert_eq!(time_blocks(&[5, 5, 5, 5, 5, 9], |_| true, 4), [0, 0, 0, 0, 0, 1]);
        assert_eq!(time_blocks(&[0, 1, 1, 1, 1, 1], |_| true, 2), [0, 1, 1, 1, 1, 1]);
        // Rows that do not count make no block larger.
        assert_eq!(time_blocks(&[0, 1, 2, 3, 4, 5], |i| i > 1, 2), [0, 0, 0, 0, 1, 1]);
    }

    #[test]
    fn equal_cells_are_one_group_whatever_they_hold() {
        let column = Column::of_texts([Some("a"), Some("0"), Some("-0"), Some("b"), Some("a")]);
        assert_eq!(group_numbers(&column, &[0, 1, 2, 3, 4]), [0, 1, 1, 2, 0]);
        assert_eq!(rows_by_number(&[7, 2, 7]), [vec![0, 2], vec![1]]);
    }
}

//! From a table to samples: the roles of its columns, the rows that are set aside, the recipe, the numbers.
//!
//! ```text
//! Table → Roles → rows with a target → split → Recipe → Data
//! ```
//!
//! The journey is the same for every job and every front end, and is written here only.
//!
//! ```
//! use std::path::Path;
//! use shallows::data::{Column, Holdout, Reading, Table};
//!
//! let columns = vec![Column::of_numbers((0..10).map(f64::from).collect()), Column::of_numbers(vec![1.0; 10])];
//! let table = Table::of_columns(Path::new("memory"), Some(vec!["y".into(), "x".into()]), columns, 10)?;
//! let roles = shallows::data::Roles { target: Some("y".into()), keep_constants: true, ..Default::default() };
//! let reading = Reading { roles, holdout: Some(Holdout::Share(0.2)), ..Reading::default() };
//! let samples = reading.learned(&table)?;
//! assert_eq!((samples.data.n(), samples.split.test.map(|rows| rows.len())), (10, Some(2)));
//! # Ok::<(), shallows::error::Error>(())
//! ```

use std::collections::HashSet;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::dependence::{Dependence, DependenceColumn, rows_by_number};
use super::gap_words::with_infinities;
use super::notes::notes;
use super::recipe::{Recipe, Roles};
use super::samples::Data;
use super::split::{Aside, SplitRows, deal};
use super::table::Table;
use crate::data::column::{Cell, name_of};
use crate::error::{Error, RequestProblem, Result, excerpt};

/// How a table becomes samples to learn from. [`Recipe`](crate::data::Recipe) shows its use.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// What the columns are for.
    pub roles: Roles,
    /// Rows that judge the fit and have no part in it.
    pub holdout: Option<Holdout>,
    /// A share of the other rows that calibrates intervals and has no part in the fit.
    pub calibrate: Option<f64>,
    /// Of the rows that are drawn by chance.
    pub seed: u64,
}

/// Which rows are held out. [`Samples`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub enum Holdout {
    /// This share of the rows, drawn from the seed.
    Share(f64),
    /// The rows listed in this file by their numbers, counted from 0.
    File(PathBuf),
}

/// Samples of a table, and how they came about.
///
/// ```
/// use std::path::Path;
/// use shallows::Table;
/// use shallows::data::{Holdout, Reading};
///
/// let text: String = (1..=20).map(|i| format!("{i},{}\n", i * i)).collect();
/// let table = Table::read_csv(format!("x,y\n{text}").as_bytes(), Path::new("squares.csv"))?;
/// let reading = Reading { holdout: Some(Holdout::Share(0.25)), seed: 1, ..Reading::default() };
/// let samples = reading.learned(&table)?;
/// let [train, test] = [samples.train(), samples.test()].map(|part| part.map(|data| data.n()));
/// assert_eq!((train, test), (Some(15), Some(5)));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Samples {
    /// All rows with a target.
    pub data: Data,
    /// The column that is predicted.
    pub target: String,
    /// The column of weights.
    pub weight: Option<String>,
    /// How the columns became the inputs.
    pub recipe: Recipe,
    /// What the rows of `data` are used for.
    pub split: RowSplit,
    /// The rows of the table that are learned from; all when `None`.
    pub used: Option<Vec<usize>>,
    /// The rows of the table that judge the fit; none when `None`.
    pub held_out: Option<Vec<usize>>,
    /// Rows of the table, with a target or without.
    pub table_rows: usize,
    /// What a person should know about how the table was read and understood.
    pub remarks: Vec<String>,
    /// The column that says which rows depend on each other.
    pub dependence: Option<DependenceColumn>,
}

/// What rows are used for; all of them to learn from where no list is given. [`Samples`] shows its use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowSplit {
    /// To learn from.
    pub train: Option<Vec<usize>>,
    /// To judge the fit.
    pub test: Option<Vec<usize>>,
    /// To calibrate intervals.
    pub scored: Option<Vec<usize>>,
}

impl Reading {
    /// Samples by a recipe that is learned from the rows that are not set aside.
    pub fn learned(&self, table: &Table) -> Result<Samples> {
        let gap_words = with_infinities(&self.roles.gap_words);
        let roles = &Roles { gap_words, ..self.roles.clone() };
        let (target, labelled) = (roles.target(table)?, roles.labelled(table)?);
        let dependence = roles.dependence_of(table, &labelled)?;
        let split = self.split(table, &labelled, dependence.as_ref())?;
        let in_table = |rows: &Vec<usize>| rows.iter().map(|&at| labelled[at]).collect::<Vec<usize>>();
        let training = split.train.as_ref().map(in_table);
        let recipe = Recipe::learn(table, roles, training.as_ref().unwrap_or(&labelled))?;
        let notes = notes(table, roles, &target, &recipe);
        let held_out = split.test.as_ref().map(in_table);
        let samples = roles.gathered(table, target, labelled, recipe)?;
        let samples = Samples { split, used: training.or(samples.used), held_out, remarks: notes, ..samples };
        samples.check_dependence()?;
        Ok(samples)
    }

    /// Deal the rows with a target out; those of a hold-out file are numbered as in the table.
    fn split(&self, table: &Table, labelled: &[usize], dependence: Option<&Dependence>) -> Result<RowSplit> {
        let held_out = self.holdout.as_ref().map(|holdout| -> Result<SplitRows> {
            let split = holdout.split((labelled, dependence), table.rows(), self.seed)?;
            holdout.check(table, &self.roles, (labelled, dependence), &split)?;
            Ok(split)
        });
        let (mut train, test) = held_out.transpose()?.map_or((None, None), |(train, test)| (Some(train), Some(test)));
        let mut scored = None;
        if let Some(share) = self.calibrate {
            if self.roles.weight.is_some() {
                return Err(Error::Request(RequestProblem::CalibrationOfWeights));
            }
            let rows = train.unwrap_or_else(|| (0..labelled.len()).collect());
            let (rest, aside) = deal((&rows, dependence), share, self.seed, Aside::Calibration)?;
            (train, scored) = (Some(rest), Some(aside));
        }
        Ok(RowSplit { train, test, scored })
    }
}

impl Roles {
    /// Samples by a recipe that is known, from all rows with a target.
    pub fn by_recipe(&self, table: &Table, recipe: Recipe) -> Result<Samples> {
        let roles = Roles { gap_words: recipe.gap_words().to_vec(), ..self.clone() };
        let (target, labelled) = (roles.target(table)?, roles.labelled(table)?);
        roles.gathered(table, target, labelled, recipe)
    }

    /// Samples of the columns as they are, but for the target, the weights, those left out and an index that names the rows.
    pub fn unchanged(&self, table: &Table) -> Result<Samples> {
        let target = self.target(table)?;
        let naming = table.index.unnamed.iter().filter(|&&j| names_rows(table, j));
        let index: Vec<&String> = naming.map(|&j| &table.names[j]).collect();
        let taken = |name: &String| {
            *name == target || Some(name) == self.weight.as_ref() || self.drop.contains(name) || index.contains(&name)
        };
        let names = table.names.iter().filter(|name| !taken(name)).cloned().collect();
        let labelled = self.labelled(table)?;
        self.gathered(table, target, labelled, Recipe::plain(names))
    }

    /// Which of these rows of a table depend on each other.
    fn dependence_of(&self, table: &Table, rows: &[usize]) -> Result<Option<Dependence>> {
        let with_gaps = table.with_gaps(&self.gap_words)?;
        self.dependence.as_ref().map(|column| column.read(&with_gaps, rows)).transpose()
    }

    fn gathered(&self, table: &Table, target: String, labelled: Vec<usize>, recipe: Recipe) -> Result<Samples> {
        let table_rows = table.rows();
        let numbers = self.dependence_of(table, &labelled)?;
        let used = (labelled.len() < table_rows).then_some(labelled);
        let data = recipe.data(table, &target, self.weight.as_deref(), used.as_deref())?;
        let data = Data { dependence: numbers, ..data };
        let samples = Samples::whole(data, target, self.weight.clone(), recipe, table_rows);
        Ok(Samples { used, remarks: table.remarks.clone(), dependence: self.dependence.clone(), ..samples })
    }
}

impl Samples {
    /// All rows of a table, to learn from.
    pub(crate) fn whole(
        data: Data,
        target: String,
        weight: Option<String>,
        recipe: Recipe,
        table_rows: usize,
    ) -> Samples {
        let (split, remarks) = (RowSplit::default(), vec![]);
        Samples {
            data,
            target,
            weight,
            recipe,
            split,
            used: None,
            held_out: None,
            table_rows,
            remarks,
            dependence: None,
        }
    }

    /// Samples that are in memory: every column is an input as it is, and all rows are learned from.
    pub fn of_data(data: Data) -> Samples {
        let (target, recipe, table_rows) = (data.target.clone(), Recipe::plain(data.names.clone()), data.n());
        let weight = data.weights.as_ref().map(|_| "weight".to_owned());
        Samples::whole(data, target, weight, recipe, table_rows)
    }

    /// The rows to learn from, where they are not all.
    pub fn train(&self) -> Option<Data> {
        self.selected(self.split.train.as_ref())
    }

    /// The rows that judge the fit.
    pub fn test(&self) -> Option<Data> {
        self.selected(self.split.test.as_ref())
    }

    /// The rows that calibrate intervals.
    pub fn scored(&self) -> Option<Data> {
        self.selected(self.split.scored.as_ref())
    }

    fn selected(&self, rows: Option<&Vec<usize>>) -> Option<Data> {
        rows.map(|rows| self.data.select(rows))
    }

    /// At least two groups or times to learn from, so that one can be judged by others; rows of weight 0 do not count.
    fn check_dependence(&self) -> Result<()> {
        let Some((column, numbers)) = self.dependence.as_ref().zip(self.data.dependence.as_ref()) else {
            return Ok(());
        };
        let counts = |row: &usize| self.data.weights.as_ref().is_none_or(|weights| weights[*row] > 0.0);
        let rows = self.split.train.clone().unwrap_or_else(|| (0..self.data.n()).collect());
        let counted: Vec<usize> = rows.into_iter().filter(counts).collect();
        numbers.select(&counted).check(column)
    }

    /// How many groups or times there are.
    pub fn dependence_count(&self) -> Option<usize> {
        self.data.dependence.as_ref().map(Dependence::count)
    }

    /// That groups say nothing, in words; `None` where they do.
    pub fn lone_groups(&self) -> Option<String> {
        let Some(DependenceColumn::Group(name)) = &self.dependence else { return None };
        let all_differ = self.dependence_count() == Some(self.data.n());
        all_differ.then(|| format!("every row has a {} of its own: the fit is that without groups", excerpt(name)))
    }

    /// What depends on what, in words; `None` where every row stands for itself.
    pub fn dependence_words(&self) -> Option<String> {
        let count = self.dependence_count()?;
        Some(match self.dependence.as_ref()? {
            DependenceColumn::Group(name) => format!("{count} groups by {}, left out as a whole", excerpt(name)),
            DependenceColumn::Time(name) => format!("{count} times by {}, judged by earlier ones alone", excerpt(name)),
        })
    }

    /// What was done on reading the table, and how many rows nothing can be learned from, in words; `None` where there is
    /// nothing to say.
    pub fn remark(&self) -> Option<String> {
        let rows = match self.table_rows.saturating_sub(self.data.n()) {
            0 => None,
            1 => Some("1 row".to_owned()),
            rows => Some(format!("{rows} rows")),
        };
        let rows = rows.map(|rows| format!("{rows} without {} left out", excerpt(&self.target)));
        let remarks: Vec<String> = self.remarks.iter().cloned().chain(rows).collect();
        (!remarks.is_empty()).then(|| remarks.join("; "))
    }
}

/// Whether no two cells of a column are equal.
fn names_rows(table: &Table, j: usize) -> bool {
    let mut seen = HashSet::new();
    (0..table.rows()).all(|i| seen.insert(table.columns[j].text(i)))
}

impl FromStr for Holdout {
    type Err = Infallible;

    /// A number is a share, anything else a file.
    fn from_str(text: &str) -> std::result::Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| Holdout::File(text.into()), Holdout::Share))
    }
}

impl Holdout {
    /// The file of row numbers, where it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Holdout::Share(_) => None,
            Holdout::File(path) => Some(path),
        }
    }

    /// The rows to learn from and the rows held out, as positions in `labelled`, the rows of the table with a target.
    fn split(
        &self,
        (labelled, dependence): (&[usize], Option<&Dependence>),
        table_rows: usize,
        seed: u64,
    ) -> Result<SplitRows> {
        let positions: Vec<usize> = (0..labelled.len()).collect();
        let (train, test): SplitRows = match self {
            Holdout::Share(share) => deal((&positions, dependence), *share, seed, Aside::Holdout)?,
            Holdout::File(path) => {
                let held = listed(path, table_rows)?;
                positions.into_iter().partition(|&at| !held[labelled[at]])
            }
        };
        if train.len() < 2 || test.is_empty() {
            return Err(Error::Request(RequestProblem::Holdout { train: train.len(), test: test.len() }));
        }
        Ok((train, test))
    }
}

impl Holdout {
    /// Rows of a file that part a group, or come before rows that are learned from, would not judge what they are to judge.
    fn check(
        &self,
        table: &Table,
        roles: &Roles,
        (labelled, dependence): (&[usize], Option<&Dependence>),
        (train, test): &SplitRows,
    ) -> Result<()> {
        let (Holdout::File(path), Some(dependence)) = (self, dependence) else { return Ok(()) };
        let path = path.clone();
        match dependence {
            Dependence::Groups(groups) => {
                let mut is_held = vec![false; groups.len()];
                test.iter().for_each(|&at| is_held[at] = true);
                let is_parted = |rows: &Vec<usize>| rows.iter().any(|&at| is_held[at] != is_held[rows[0]]);
                let parted: Vec<usize> = rows_by_number(groups)
                    .iter()
                    .filter(|rows| is_parted(rows))
                    .map(|rows| labelled[rows[0]])
                    .collect();
                let column = roles.dependence.as_ref().map_or("", DependenceColumn::name).to_owned();
                let j = table.position(&column)?;
                let name = |&row: &usize| match table.columns[j].cell(row) {
                    Cell::Number(x) => name_of(x),
                    Cell::Word(word) => excerpt(word),
                    Cell::Missing => String::new(),
                };
                let examples: Vec<String> = parted.iter().take(PARTED_EXAMPLES).map(name).collect();
                let problem = RequestProblem::HoldoutParts { path, column, groups: parted.len(), examples };
                if parted.is_empty() { Ok(()) } else { Err(Error::Request(problem)) }
            }
            Dependence::Times(times) => {
                let first = test.iter().min_by_key(|&&at| times[at]);
                let last = train.iter().max_by_key(|&&at| times[at]);
                match first.zip(last).filter(|(first, last)| times[**first] < times[**last]) {
                    Some((first, last)) => {
                        let (held, learned) = (labelled[*first], labelled[*last]);
                        Err(Error::Request(RequestProblem::HoldoutEarlier { path, held, learned }))
                    }
                    None => Ok(()),
                }
            }
        }
    }
}

/// Groups on both sides that an error names.
const PARTED_EXAMPLES: usize = 3;

/// For each row of a table, whether a file of row numbers lists it.
fn listed(path: &Path, rows: usize) -> Result<Vec<bool>> {
    let refuse = |reason: String| Error::Request(RequestProblem::HoldoutFile { path: path.to_owned(), reason });
    let text = std::fs::read_to_string(path).map_err(|source| refuse(source.to_string()))?;
    let mut held = vec![false; rows];
    for (line, words) in text.lines().enumerate() {
        for word in words.split_whitespace() {
            let row = word.parse::<usize>().ok().filter(|row| *row < rows).ok_or_else(|| {
                let (path, word) = (path.to_owned(), word.to_owned());
                Error::Request(RequestProblem::HoldoutRow { path, line: line + 1, word, rows })
            })?;
            held[row] = true;
        }
    }
    Ok(held)
}

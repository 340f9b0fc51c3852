//! A table of numbers: what CSV, NPY and Parquet files have in common once they are read.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use super::{csv, npy};
use crate::error::{Error, Result, TableProblem};
use crate::linalg::Matrix;

/// Named columns of finite numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Where it came from; `-` is standard input.
    pub path: PathBuf,
    /// The names of the columns, all different.
    pub names: Vec<String>,
    /// Whether the file gave the names. An array has none, and gets x1, x2, …
    pub named: bool,
    /// The numbers, a column for each name, inputs and target alike.
    pub columns: Matrix,
}

/// The inputs of a model, picked from a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// A column for each input of the model, in the model's order.
    pub X: Matrix,
    /// The columns of the table that the model does not use.
    pub ignored: Vec<String>,
}

/// What a file name says about the file.
pub(super) enum Format {
    Csv,
    Npy,
    Parquet,
}

impl Format {
    /// By extension; `-`, the standard streams, is CSV.
    pub(super) fn of(path: &Path) -> Result<Format> {
        if path == Path::new("-") {
            return Ok(Format::Csv);
        }
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("csv" | "tsv" | "txt") => Ok(Format::Csv),
            Some("npy") => Ok(Format::Npy),
            Some("parquet" | "pq") => Ok(Format::Parquet),
            other => {
                let extension = other.map_or(String::new(), |extension| format!(".{extension}"));
                Err(Error::table(path, TableProblem::UnknownFormat { extension }))
            }
        }
    }
}

impl Table {
    /// A table with names that are all different and not empty, and at least one row.
    ///
    /// # Panics
    /// If there is not one name for each column.
    pub fn new(path: &Path, names: Vec<String>, named: bool, columns: Matrix) -> Result<Table> {
        assert_eq!(names.len(), columns.cols(), "a name for each column");
        check_names(path, &names)?;
        if columns.rows() == 0 {
            return Err(Error::table(path, TableProblem::NoRows));
        }
        Ok(Table { path: path.to_owned(), names, named, columns })
    }

    /// Read a file: `.csv`, `.tsv` and `.txt` as text, `.npy`, `.parquet` and `.pq`; `-` is CSV on standard input.
    pub fn read(path: &Path) -> Result<Table> {
        let format = Format::of(path)?;
        if path == Path::new("-") {
            return Table::read_csv(std::io::stdin().lock(), path);
        }
        let file = File::open(path).map_err(|source| Error::io(path, source))?;
        match format {
            Format::Csv => Table::read_csv(file, path),
            Format::Npy => npy::read(file, path),
            #[cfg(feature = "parquet")]
            Format::Parquet => super::parquet::read(file, path),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => Err(Error::table(path, TableProblem::NotBuilt)),
        }
    }

    /// Read CSV text from anywhere; `path` is what errors call it.
    pub fn read_csv(text: impl Read, path: &Path) -> Result<Table> {
        const BUFFER_BYTES: usize = 1 << 18;
        csv::read(BufReader::with_capacity(BUFFER_BYTES, text), path)
    }

    /// The position of a column, or an error that suggests the most similar name.
    pub fn position(&self, name: &str) -> Result<usize> {
        self.names.iter().position(|known| known == name).ok_or_else(|| Error::NoColumn {
            path: self.path.clone(),
            name: name.to_owned(),
            nearest: nearest(name, &self.names).cloned(),
            known: self.names.clone(),
        })
    }

    /// The inputs of a model with these names, in its order.
    ///
    /// Columns are found by name, whatever their order; further columns, such as the target, are ignored and
    /// listed. Columns of an array have no names: they are taken by position, and there must be as many as inputs.
    pub fn inputs_for(&self, names: &[String]) -> Result<Inputs> {
        if !self.named {
            let (expected, found) = (names.len(), self.names.len());
            return if expected == found {
                Ok(Inputs { X: self.columns.clone(), ignored: Vec::new() })
            } else {
                Err(Error::InputCount { path: self.path.clone(), expected, found })
            };
        }
        let places: Vec<Option<usize>> =
            names.iter().map(|name| self.names.iter().position(|known| known == name)).collect();
        let missing: Vec<String> =
            names.iter().zip(&places).filter(|(_, place)| place.is_none()).map(|(name, _)| name.clone()).collect();
        if !missing.is_empty() {
            return Err(Error::MissingInputs { path: self.path.clone(), expected: names.len(), missing });
        }
        let places: Vec<usize> = places.into_iter().flatten().collect();
        let ignored = self.names.iter().filter(|name| !names.contains(name)).cloned().collect();
        Ok(Inputs { X: self.pick(&places), ignored })
    }

    /// The columns at these positions, in this order.
    pub(super) fn pick(&self, places: &[usize]) -> Matrix {
        Matrix::from_row_fn(self.columns.rows(), places.len(), |i, out| {
            let row = self.columns.row(i);
            out.iter_mut().zip(places).for_each(|(out, &place)| *out = row[place]);
        })
    }
}

/// Names must be there and differ, or columns could not be told apart later.
fn check_names(path: &Path, names: &[String]) -> Result<()> {
    if names.is_empty() {
        return Err(Error::table(path, TableProblem::Empty));
    }
    if let Some(at) = names.iter().position(String::is_empty) {
        return Err(Error::table(path, TableProblem::UnnamedColumn { position: at + 1 }));
    }
    match first_repeated(names) {
        Some(name) => Err(Error::table(path, TableProblem::DuplicateName { name: name.clone() })),
        None => Ok(()),
    }
}

/// The first name that occurred before.
pub(super) fn first_repeated<'a>(names: impl IntoIterator<Item = &'a String>) -> Option<&'a String> {
    let mut seen = HashSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}

/// Columns stored one after another, as a matrix; `columns` are of one length.
#[cfg(feature = "parquet")]
pub(super) fn from_columns(rows: usize, columns: &[Vec<f64>]) -> Matrix {
    Matrix::from_fn(rows, columns.len(), |i, j| columns[j][i])
}

/// The most similar name, if at most a third of its letters have to change.
fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a String> {
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let wanted = letters(name);
    let (distance, best) =
        known.iter().map(|known| (edit_distance(&wanted, &letters(known)), known)).min_by_key(|pair| pair.0)?;
    (distance <= 1 + wanted.len() / 3).then_some(best)
}

/// The least number of insertions, deletions and replacements that turn a into b.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_single_letter_changes() {
        let distance = |a: &str, b: &str| edit_distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }

    #[test]
    fn only_similar_names_are_suggested() {
        let known = ["age".to_owned(), "roof_area".to_owned()];
        assert_eq!(nearest("Agee", &known), Some(&known[0]));
        assert_eq!(nearest("roofarea", &known), Some(&known[1]));
        assert_eq!(nearest("temperature", &known), None);
    }
}

//! A table: what CSV, NPY, Parquet and Feather files have in common once they are read.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use shallows_verify::table::{Commas, GapCells};

use super::cell_numbers::CellNumbers;
use super::column::{Builder, Column};
#[cfg(feature = "compressed")]
use super::compressed::{self, Compression};
use super::decimal;
use super::unread::UnreadCells;
use super::{csv, npy};
use crate::error::{CellExample, CellProblem, Error, ManyCells, Place, Result, TableProblem};
use crate::linalg::{Matrix, try_map_tasks};

/// Named columns of numbers and words, with gaps.
///
/// ```
/// use std::path::Path;
/// use shallows::data::{Cell, Table};
///
/// let table = Table::read_csv("colour,y\nred,1\n,2.5\n".as_bytes(), Path::new("paint.csv"))?;
/// assert_eq!((table.rows(), table.names.len()), (2, 2));
/// assert_eq!((table.columns[0].cell(1), table.columns[1].cell(1)), (Cell::Missing, Cell::Number(2.5)));
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Where it came from; `-` is standard input.
    pub path: PathBuf,
    /// The names of the columns, all different.
    pub names: Vec<String>,
    /// Whether the file gave the names. An array has none, and gets x1, x2, …
    pub named: bool,
    /// A column for each name, inputs and target alike.
    pub columns: Vec<Column>,
    /// The columns that are the index of a data frame.
    pub index: FrameIndex,
    /// What was done on reading that a person should know: lines skipped, moments rounded.
    pub remarks: Vec<String>,
    rows: usize,
    lines: Option<Lines>,
    commas: Commas,
}

/// The columns that are the index of a data frame, each by its place.
///
/// ```
/// use std::path::Path;
/// use shallows::Table;
///
/// let table = Table::read_csv(",Unnamed: 0,a,y\n0,7,1,2\n1,8,3,4\n".as_bytes(), Path::new("t.csv"))?;
/// assert_eq!((table.names[0].as_str(), &table.index.unnamed[..]), ("index", &[0, 1][..]));
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameIndex {
    /// Those that the file does not name, or that have a name which programs put in the place of none: often no more than the
    /// numbers of the rows.
    pub unnamed: Vec<usize>,
    /// Those with a name of their own, where the file says that they are the index.
    pub named: Vec<usize>,
}

impl FrameIndex {
    /// Whether the column at this place is one of them.
    pub(super) fn contains(&self, place: usize) -> bool {
        self.unnamed.contains(&place) || self.named.contains(&place)
    }
}

/// On which line of a text each row starts: two further down than its number says, and more after rows that go over
/// several lines. Each pair is a row and how many lines further down it and those after it are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Lines(Vec<(usize, u64)>);

impl Lines {
    /// The header, and counting from 1.
    const BEFORE: u64 = 2;

    /// Note that a row starts on a line; rows come in order.
    pub(super) fn note(&mut self, row: usize, line: u64) {
        let further = line.saturating_sub(row as u64 + Lines::BEFORE);
        if self.0.last().map_or(0, |(_, known)| *known) != further {
            self.0.push((row, further));
        }
    }

    fn line_of(&self, row: usize) -> u64 {
        let after = self.0.partition_point(|(start, _)| *start <= row);
        row as u64 + Lines::BEFORE + if after == 0 { 0 } else { self.0[after - 1].1 }
    }
}

/// What a file name says about the file.
pub(super) enum TableFormat {
    Csv,
    Gzip,
    Zstandard,
    Npy,
    Parquet,
    Feather,
}

impl TableFormat {
    /// By extension; `-`, the standard streams, is CSV.
    pub(super) fn of(path: &Path) -> Result<TableFormat> {
        if path == Path::new("-") {
            return Ok(TableFormat::Csv);
        }
        let extension = lower_extension(path);
        let is_text = |extension: &str| matches!(extension, "csv" | "tsv" | "txt" | "psv");
        let inner = || path.file_stem().map(|stem| lower_extension(Path::new(stem))).unwrap_or_default();
        match extension.as_str() {
            text if is_text(text) => Ok(TableFormat::Csv),
            "gz" if is_text(&inner()) => Ok(TableFormat::Gzip),
            "zst" if is_text(&inner()) => Ok(TableFormat::Zstandard),
            "npy" => Ok(TableFormat::Npy),
            "parquet" | "pq" => Ok(TableFormat::Parquet),
            "feather" | "arrow" | "ipc" => Ok(TableFormat::Feather),
            _ => {
                let dotted = |extension: String| if extension.is_empty() { extension } else { format!(".{extension}") };
                let inner = if matches!(extension.as_str(), "gz" | "zst") { dotted(inner()) } else { String::new() };
                let extension = inner + &dotted(extension);
                Err(Error::table(path, TableProblem::UnknownFormat { extension }))
            }
        }
    }
}

/// What follows the last dot, in small letters; nothing where there is no dot.
fn lower_extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

impl Table {
    /// A table with names that are all different and not empty, and at least one row.
    ///
    /// # Panics
    /// If there is not one name for each column.
    pub(super) fn new(path: &Path, names: Vec<String>, columns: Vec<Column>, rows: usize) -> Result<Table> {
        assert_eq!(names.len(), columns.len(), "a name for each column");
        check_names(path, &names)?;
        if rows == 0 {
            return Err(Error::table(path, TableProblem::NoRows));
        }
        let (path, index, remarks) = (path.to_owned(), FrameIndex::default(), vec![]);
        Ok(Table { path, names, named: true, columns, index, remarks, rows, lines: None, commas: Commas::Thousands })
    }

    /// A table from columns in memory, all of one length; `source` is what errors call it. Without names, columns are
    /// called x1, x2, … and found by position.
    pub fn of_columns(source: &Path, names: Option<Vec<String>>, columns: Vec<Column>, rows: usize) -> Result<Table> {
        let named = names.is_some();
        let names = names.unwrap_or_else(|| (1..=columns.len()).map(|j| format!("x{j}")).collect());
        if names.len() != columns.len() {
            return Err(Error::Shape { what: "names of columns", expected: columns.len(), found: names.len() });
        }
        let table = Table::new(source, names, columns, rows)?;
        for column in &table.columns {
            if let Some(length) = column.length().filter(|length| *length != rows) {
                return Err(Error::Shape { what: "rows of a column", expected: rows, found: length });
            }
        }
        Ok(if named { table } else { table.without_names() })
    }

    /// The names are ours, not the file's.
    pub(super) fn without_names(self) -> Table {
        Table { named: false, ..self }
    }

    /// The rows are those of a text.
    pub(super) fn with_lines(self, lines: Lines) -> Table {
        Table { lines: Some(lines), ..self }
    }

    /// What commas in its numbers are.
    pub(super) fn with_commas(self, commas: Commas) -> Table {
        Table { commas, ..self }
    }

    /// These columns are the index.
    pub(super) fn with_index(self, index: FrameIndex) -> Table {
        Table { index, ..self }
    }

    /// What a person should know about how it was read.
    pub(super) fn with_remarks(self, remarks: Vec<String>) -> Table {
        Table { remarks, ..self }
    }

    /// Read a file: `.csv`, `.tsv`, `.psv` and `.txt` as text, with `.gz` or `.zst` after it as compressed text; `.npy`,
    /// `.parquet` and `.pq`, `.feather`, `.arrow` and `.ipc`. `-` is CSV on standard input.
    pub fn read(path: &Path) -> Result<Table> {
        let format = TableFormat::of(path)?;
        if path == Path::new("-") {
            return Table::read_csv(std::io::stdin().lock(), path);
        }
        let file = File::open(path).map_err(|source| Error::io(path, source))?;
        match format {
            TableFormat::Csv => Table::read_csv(file, path),
            TableFormat::Npy => npy::read(file, path),
            #[cfg(feature = "compressed")]
            TableFormat::Gzip => compressed::read(file, Compression::Gzip, path),
            #[cfg(feature = "compressed")]
            TableFormat::Zstandard => compressed::read(file, Compression::Zstandard, path),
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => super::parquet::read(file, path),
            #[cfg(feature = "arrow")]
            TableFormat::Feather => super::feather::read(file, path),
            #[allow(unreachable_patterns)]
            _ => Err(Error::table(path, TableProblem::NotBuilt)),
        }
    }

    /// Read CSV text from anywhere; `path` is what errors call it.
    pub fn read_csv(text: impl Read, path: &Path) -> Result<Table> {
        const BUFFER_BYTES: usize = 1 << 18;
        csv::read(BufReader::with_capacity(BUFFER_BYTES, text), path)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
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

    /// The positions of the columns by name.
    pub(super) fn positions(&self) -> HashMap<&str, usize> {
        self.names.iter().enumerate().map(|(j, name)| (name.as_str(), j)).collect()
    }

    /// Add a column with the same text in each cell.
    pub fn fill(&mut self, name: &str, text: &str) -> Result<()> {
        let mut column = Builder::default();
        (0..self.rows).for_each(|_| column.push_text(text));
        self.names.push(name.to_owned());
        self.columns.push(column.finish());
        check_names(&self.path, &self.names)
    }

    /// All cells as numbers, for a table that holds nothing else.
    pub fn matrix(&self) -> Result<Matrix> {
        let columns: Vec<Vec<f64>> =
            (0..self.names.len()).map(|j| self.needed_numbers(j, "a matrix", None)).collect::<Result<_>>()?;
        Ok(Matrix::from_row_fn(self.rows, columns.len(), |i, out| {
            out.iter_mut().zip(&columns).for_each(|(out, column)| *out = column[i]);
        }))
    }

    /// Column j of these rows, or of all, where every cell must be a number; `role` is what they are needed for.
    pub(super) fn needed_numbers(&self, j: usize, role: &'static str, rows: Option<&[usize]>) -> Result<Vec<f64>> {
        self.readable_for(j, Some(role))?;
        let column = &self.columns[j];
        let cells = CellNumbers::of_role(self, j);
        let count = rows.map_or(self.rows, <[usize]>::len);
        let rows = || (0..count).map(|at| rows.map_or(at, |rows| rows[at]));
        let numbers: Vec<f64> = rows().map(|i| cells.at(i)).collect();
        let gaps = rows().filter(|&i| column.is_missing(i));
        if let Some(error) = self.cells_error(j, gaps, |_| CellProblem::Missing) {
            return Err(error);
        }
        let problem = |i: usize| match cells.problem(i) {
            CellProblem::NotANumber { text } | CellProblem::NotFinite { text } => CellProblem::Needed { text, role },
            problem => problem,
        };
        let wrong = rows().zip(&numbers).filter(|(_, x)| x.is_nan()).map(|(i, _)| i);
        self.cells_error(j, wrong, problem).map_or(Ok(numbers), Err)
    }

    /// Refuse a column that holds neither numbers nor words, or cells that cannot be read.
    pub(super) fn readable(&self, j: usize) -> Result<()> {
        self.readable_for(j, None)
    }

    /// The same of a column that is no input but has a role.
    pub(super) fn readable_for(&self, j: usize, role: Option<&'static str>) -> Result<()> {
        if let Some(kind) = &self.columns[j].unreadable {
            let (column, kind) = (self.names[j].clone(), kind.clone());
            return Err(Error::table(&self.path, TableProblem::ColumnKind { column, kind }));
        }
        self.unread_error(j, role).map_or(Ok(()), Err)
    }

    /// That cells of a column cannot be read.
    fn unread_error(&self, j: usize, role: Option<&'static str>) -> Option<Error> {
        let in_role = |problem: &CellProblem| match problem.clone() {
            CellProblem::NotExact { text, .. } => CellProblem::NotExact { text, role },
            problem => problem,
        };
        let UnreadCells { count, first } = &self.columns[j].unread;
        let examples =
            first.iter().map(|(i, problem)| CellExample { place: self.place(*i), problem: in_role(problem) });
        self.examples_error(j, *count, examples.collect(), vec![])
    }

    /// Something is wrong with a cell.
    pub(super) fn cell_error(&self, i: usize, j: usize, problem: CellProblem) -> Error {
        let (path, place, column) = (self.path.clone(), self.place(i), self.names[j].clone());
        Error::Cell { path, place, column, problem }
    }

    /// Something is wrong with these cells of a column, if there are any: how many, the first three, and what else they hold.
    /// That some cannot be read comes first: they look like gaps.
    pub(super) fn cells_error(
        &self,
        j: usize,
        rows: impl Iterator<Item = usize>,
        problem: impl Fn(usize) -> CellProblem,
    ) -> Option<Error> {
        let (mut count, mut examples, mut different) = (0, vec![], vec![]);
        for i in rows {
            if different.len() < ManyCells::DIFFERENT {
                let problem = problem(i);
                if count < ManyCells::EXAMPLES {
                    examples.push(CellExample { place: self.place(i), problem: problem.clone() });
                }
                if !different.contains(&problem) {
                    different.push(problem);
                }
            }
            count += 1;
        }
        let found = self.examples_error(j, count, examples, different)?;
        Some(self.unread_error(j, None).unwrap_or(found))
    }

    /// So many cells of a column, of which these are the first; none where there are none.
    fn examples_error(
        &self,
        j: usize,
        count: usize,
        examples: Vec<CellExample>,
        different: Vec<CellProblem>,
    ) -> Option<Error> {
        let CellExample { place, problem } = examples.first()?.clone();
        let (path, column) = (self.path.clone(), self.names[j].clone());
        Some(match count {
            1 => Error::Cell { path, place, column, problem },
            _ => Error::Cells(Box::new(ManyCells { path, column, problem, count, examples, different })),
        })
    }

    fn place(&self, i: usize) -> Place {
        self.lines.as_ref().map_or(Place::Row(i), |lines| Place::Line(lines.line_of(i)))
    }

    /// The same with gaps in place of these texts. What is left may show that commas are decimal.
    pub(super) fn with_gaps<'a>(&'a self, gap_words: &[String]) -> Result<Cow<'a, Table>> {
        if gap_words.is_empty() {
            return Ok(Cow::Borrowed(self));
        }
        let gaps = GapCells::new(gap_words, self.commas == Commas::Decimal);
        let columns = try_map_tasks(self.columns.len(), |j| Ok::<_, Error>(self.columns[j].with_gaps(&gaps)))?;
        let mut table = Table { columns, ..self.without_columns() };
        decimal::settle(&table.path, &table.names, &mut table.columns, &mut table.commas)?;
        Ok(Cow::Owned(table))
    }

    /// Everything but the cells.
    fn without_columns(&self) -> Table {
        let Table { path, names, index, remarks, lines, .. } = self;
        let (path, names, lines) = (path.clone(), names.clone(), lines.clone());
        Table { path, names, columns: vec![], index: index.clone(), remarks: remarks.clone(), lines, ..*self }
    }

    /// Whether a column of these has words.
    pub(crate) fn has_words(&self, names: &HashSet<&str>) -> bool {
        let named = self.names.iter().zip(&self.columns).filter(|(name, _)| names.contains(name.as_str()));
        named.into_iter().any(|(_, column)| !column.levels().is_empty())
    }

    /// The same cells, to be read by the checker alone.
    pub(crate) fn for_checker(&self) -> Result<shallows_verify::table::Table> {
        let columns = try_map_tasks(self.columns.len(), |j| Ok::<_, Error>(self.columns[j].for_checker(self.rows)))?;
        Ok(shallows_verify::table::Table::new(self.names.clone(), columns, self.rows)?.with_commas(self.commas)?)
    }

    /// Whether commas in its numbers can be nothing but separators of thousands.
    pub(super) fn has_thousands(&self) -> bool {
        self.commas == Commas::Thousands
    }

    /// Whether commas in the words of column j may be no separators of thousands: in a text whose columns they do not separate,
    /// unless a column has points, or two commas or a point in one of the words show what commas are.
    pub(super) fn has_open_commas(&self, j: usize) -> bool {
        let shows = |word: &String| word.contains(',') && (word.matches(',').count() > 1 || word.contains('.'));
        let is_shown = || {
            self.columns.iter().any(|column| column.points)
                || self.commas == Commas::Open && self.columns[j].levels().iter().any(shows)
        };
        self.commas != Commas::Thousands && !is_shown()
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
    fn lines_are_counted_over_rows_of_several_lines() {
        let mut lines = Lines::default();
        for (row, line) in [(0, 2), (1, 3), (2, 7), (3, 8), (4, 10)] {
            lines.note(row, line);
        }
        assert_eq!([0, 1, 2, 3, 4, 5].map(|row| lines.line_of(row)), [2, 3, 7, 8, 10, 11]);
    }

    #[test]
    fn only_similar_names_are_suggested() {
        let known = ["age".to_owned(), "roof_area".to_owned()];
        assert_eq!(nearest("Agee", &known), Some(&known[0]));
        assert_eq!(nearest("roofarea", &known), Some(&known[1]));
        assert_eq!(nearest("temperature", &known), None);
    }
}

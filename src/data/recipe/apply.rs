//! A recipe applied to a table.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::filler::Filler;
use super::{ColumnStep, Gaps, Recipe, TargetScale, Treatment};
use crate::data::cell_numbers::CellNumbers;
use crate::data::samples::Data;
use crate::data::table::Table;
use crate::error::{CellProblem, Error, Result, excerpt};
use crate::linalg::{Matrix, for_row_blocks, try_map_tasks};

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

/// An input that is a number of the row, less a centre.
///
/// ```
/// use shallows::data::recipe::NumberInput;
/// use shallows::linalg::Matrix;
///
/// let inputs = [NumberInput { column: 1, centre: 1990.0 }];
/// let X = NumberInput::matrix(&inputs, Matrix::from_rows(&[[7.0, 1989.0], [8.0, 1995.0]]));
/// assert_eq!(X.as_slice(), [-1.0, 5.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberInput {
    /// Where the number stands.
    pub column: usize,
    /// What is taken from it.
    pub centre: f64,
}

impl NumberInput {
    /// The inputs of all rows; the rows themselves where the inputs are their numbers.
    pub fn matrix(inputs: &[NumberInput], X: Matrix) -> Matrix {
        if inputs.len() == X.cols() && inputs.iter().all(|input| input.centre == 0.0) {
            return X;
        }
        Matrix::from_fn(X.rows(), inputs.len(), |i, j| X[(i, inputs[j].column)] - inputs[j].centre)
    }
}

impl Recipe {
    /// The inputs for every row of a table.
    ///
    /// Columns are found by name, whatever their order; further columns, such as the target, are ignored and listed, but for the
    /// index of a data frame, which is remarked on.
    /// Columns of an array have no names: they are taken by position, and there must be as many as the recipe has learned from.
    pub fn inputs(&self, table: &Table) -> Result<Inputs> {
        let with_gaps = table.with_gaps(&self.gap_words)?;
        let (expected, found) = (self.columns.len(), with_gaps.names.len());
        if !table.named && expected != found {
            return Err(Error::InputCount { path: table.path.clone(), expected, found });
        }
        let places = if table.named { self.places(&with_gaps)? } else { (0..found).map(Some).collect() };
        let (table, truths) = self.with_truths(with_gaps, &places);
        let known: HashSet<&str> = self.columns.iter().map(|step| step.name.as_str()).collect();
        let is_unknown = |at: &usize| table.named && !known.contains(table.names[*at].as_str());
        let (index, ignored): (Vec<usize>, Vec<usize>) =
            (0..found).filter(is_unknown).partition(|at| table.index.contains(*at));
        if !self.is_plain() {
            self.check_size(table.rows())?;
        }
        let checked = self.checked_fillers(&table, &places, None)?;
        checked.refuse_unknown_words(&table)?;
        let X = checked.matrix(table.rows(), |i| i);
        let mut remarks = [truths, checked.remarks].concat();
        // A part of a data frame is written with the numbers of its rows even where the whole was not.
        let left_aside =
            |at: usize| format!("the index {:?}, which the model was not fitted to, is left aside", table.names[at]);
        remarks.extend(index.into_iter().map(left_aside));
        Ok(Inputs { X, ignored: ignored.into_iter().map(|at| table.names[at].clone()).collect(), remarks })
    }

    /// The same cells, but true and false in place of 1 and 0 in columns that have had nothing but true and false; and that in
    /// words. What a certificate is about is read without this.
    fn with_truths<'a>(&self, mut table: Cow<'a, Table>, places: &[Option<usize>]) -> (Cow<'a, Table>, Vec<String>) {
        let mut remarks = vec![];
        for (step, place) in self.columns.iter().zip(places) {
            let Some(j) = place.filter(|_| step.treatment.is_truth()) else { continue };
            let Some((column, count)) = table.columns[j].digits_as_truths(table.rows()) else { continue };
            let cells = if count == 1 { "1 cell".to_owned() } else { format!("{count} cells") };
            remarks.push(format!("column {}: {cells} with 1 or 0 taken as true or false", excerpt(&step.name)));
            table.to_mut().columns[j] = column;
        }
        (table, remarks)
    }

    /// How the inputs come from a row of finite numbers, one for each column, in order; `None` where an input is more
    /// than a number of the row.
    pub fn number_inputs(&self) -> Option<Vec<NumberInput>> {
        if !self.gap_words.is_empty() {
            return None;
        }
        let mut inputs = vec![];
        for (column, step) in self.columns.iter().enumerate() {
            match step.treatment {
                Treatment::Number { gaps: Gaps::Never, .. } => inputs.push(NumberInput { column, centre: 0.0 }),
                Treatment::Centred { centre, gaps: Gaps::Never, .. } => inputs.push(NumberInput { column, centre }),
                Treatment::Dropped(_) => {}
                _ => return None,
            }
        }
        Some(inputs)
    }

    /// Samples from the rows of a table with these numbers, or from all: inputs, target, weights, all found by name.
    /// Their target is on the scale of the recipe, and is called so.
    pub fn data(&self, table: &Table, target: &str, weight: Option<&str>, rows: Option<&[usize]>) -> Result<Data> {
        if let Some(&row) = rows.into_iter().flatten().find(|row| **row >= table.rows()) {
            return Err(Error::NoRow { path: table.path.clone(), row, rows: table.rows() });
        }
        let with_gaps = table.with_gaps(&self.gap_words)?;
        let table = with_gaps.as_ref();
        let y = self.scaled_target(table, table.position(target)?, rows)?;
        let weights = weight.map(|name| table.needed_numbers(table.position(name)?, "a weight", rows)).transpose()?;
        let X = self.expand(table, &self.places(table)?, rows)?;
        self.samples(X, y, target, weights)
    }

    /// Samples of inputs that this recipe has made.
    pub(in crate::data) fn samples(
        &self,
        X: Matrix,
        y: Vec<f64>,
        target: &str,
        weights: Option<Vec<f64>>,
    ) -> Result<Data> {
        let columns = self.groups().into_iter().map(|(_, inputs)| inputs).collect();
        let named = Data::builder(X, y).names(self.input_names()).target(self.target_name(target));
        named.weights(weights).columns(columns).build()
    }

    /// The same of all rows of a table that nobody else needs, after [`Recipe::refuse_new_gaps`]. Where the inputs are its
    /// columns, it is given back while X is filled, so that a large table is not held twice.
    pub(crate) fn data_of(&self, mut table: Table, target: &str, weight: Option<&str>) -> Result<Data> {
        let has_words = |step: &ColumnStep| {
            let place = table.names.iter().position(|name| *name == step.name);
            place.is_some_and(|j| !table.columns[j].levels().is_empty())
        };
        if !self.is_plain() || self.columns.iter().any(has_words) {
            return self.data(&table, target, weight, None);
        }
        let y = self.scaled_target(&table, table.position(target)?, None)?;
        let weights = weight.map(|name| table.needed_numbers(table.position(name)?, "a weight", None)).transpose()?;
        let places = self.places(&table)?;
        let used: Vec<usize> =
            self.checked_fillers(&table, &places, None)?.fillers.iter().map(|(_, j, _)| *j).collect();
        let n = table.rows();
        let columns = used.iter().map(|j| std::mem::take(&mut table.columns[*j]).into_numbers()).collect();
        drop(table);
        let X = transposed(columns, n);
        self.samples(X, y, target, weights)
    }

    /// Refuse a gap in a column that had none when the recipe was learned: what was proved is about rows without.
    pub fn refuse_new_gaps(&self, table: &Table, rows: Option<&[usize]>) -> Result<()> {
        let had_none = |step: &ColumnStep| {
            matches!(
                step.treatment,
                Treatment::Number { gaps: Gaps::Never, .. }
                    | Treatment::Centred { gaps: Gaps::Never, .. }
                    | Treatment::Category { gaps: Gaps::Never, .. }
                    | Treatment::Date { gaps: Gaps::Never, .. }
                    | Treatment::Ordered { gaps: Gaps::Never, .. }
            )
        };
        let with_gaps = table.with_gaps(&self.gap_words)?;
        let table = with_gaps.as_ref();
        let n = rows.map_or(table.rows(), <[usize]>::len);
        for (step, place) in self.columns.iter().zip(self.places(table)?) {
            let Some(j) = place.filter(|_| had_none(step)) else { continue };
            let counted = (0..n).map(|i| rows.map_or(i, |rows| rows[i]));
            let gaps = counted.filter(|&i| i < table.rows() && table.columns[j].is_missing(i));
            table.cells_error(j, gaps, |_| CellProblem::Missing).map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    /// Column j on the scale of the target; an error where a number has no place on it.
    fn scaled_target(&self, table: &Table, j: usize, rows: Option<&[usize]>) -> Result<Vec<f64>> {
        let mut y = table.needed_numbers(j, "the target", rows)?;
        let scale = self.target_scale;
        let wrong = (0..y.len()).filter(|at| scale == TargetScale::Log && !(y[*at] > 0.0));
        let wrong = wrong.map(|at| rows.map_or(at, |rows| rows[at]));
        let cells = CellNumbers::of_role(table, j);
        let problem = |i: usize| CellProblem::NotPositive { value: cells.at(i) };
        table.cells_error(j, wrong, problem).map_or(Ok(()), Err)?;
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

    /// X, a row for each row asked for.
    fn expand(&self, table: &Table, places: &[Option<usize>], rows: Option<&[usize]>) -> Result<Matrix> {
        let n = rows.map_or(table.rows(), <[usize]>::len);
        let row = |i: usize| rows.map_or(i, |rows| rows[i]);
        if !self.is_plain() {
            self.check_size(n)?;
        }
        Ok(self.checked_fillers(table, places, rows)?.matrix(n, row))
    }

    /// The columns that become inputs, with a check that they can.
    fn checked_fillers<'a>(
        &'a self,
        table: &'a Table,
        places: &[Option<usize>],
        rows: Option<&[usize]>,
    ) -> Result<CheckedFillers<'a>> {
        let n = rows.map_or(table.rows(), <[usize]>::len);
        let row = |i: usize| rows.map_or(i, |rows| rows[i]);
        let mut fillers = Vec::new();
        let mut width = 0;
        for (step, place) in self.columns.iter().zip(places) {
            let inputs = width..width + step.inputs().len();
            width = inputs.end;
            if let Some(j) = place.filter(|_| !inputs.is_empty()) {
                table.readable(j)?;
                fillers.push((inputs, j, Filler::new(step, table, j)));
            }
        }
        let remarks = try_map_tasks(fillers.len(), |at| {
            let (_, j, filler) = &fillers[at];
            let wrong = (0..n).map(row).filter(|&i| filler.problem(i).is_some());
            let problem = |i: usize| filler.problem(i).unwrap_or(CellProblem::Missing);
            table.cells_error(*j, wrong, problem).map_or(Ok(()), Err)?;
            Ok(filler.remark((0..n).map(row)))
        })?;
        Ok(CheckedFillers { fillers, width, remarks: remarks.into_iter().flatten().collect() })
    }
}

/// Columns on their way.
struct CheckedFillers<'a> {
    /// Each with its inputs and its place in the table.
    fillers: Vec<(Range<usize>, usize, Filler<'a>)>,
    /// The number of inputs.
    width: usize,
    /// What the training rows did not have.
    remarks: Vec<String>,
}

impl CheckedFillers<'_> {
    /// So many rows, each from the row of the table that is named.
    fn matrix(&self, n: usize, row: impl Fn(usize) -> usize + Sync) -> Matrix {
        Matrix::from_row_fn(n, self.width, |i, out| {
            self.fillers.iter().for_each(|(inputs, _, filler)| filler.fill(row(i), &mut out[inputs.clone()]));
        })
    }

    /// Refuse a column of words of which none is known. That is for new rows: rows held out from a fit may all have a word of
    /// their own.
    fn refuse_unknown_words(&self, table: &Table) -> Result<()> {
        let n = table.rows();
        let refusals = try_map_tasks(self.fillers.len(), |at| {
            let (_, j, filler) = &self.fillers[at];
            let words = (0..n).filter(|&i| !table.columns[*j].is_missing(i));
            let refusal = || table.cells_error(*j, words, |i| filler.unknown_word(i));
            if filler.knows_nothing(0..n) { refusal().map_or(Ok(()), Err) } else { Ok(()) }
        });
        refusals.map(|_| ())
    }
}

/// The matrix with these columns of n numbers. From the last rows to the first, what is written is given back.
fn transposed(mut columns: Vec<Vec<f64>>, n: usize) -> Matrix {
    /// Rows between two times of giving back.
    const ROWS: usize = 1 << 15;
    let d = columns.len();
    let mut X = Matrix::zeros(n, d);
    for start in (0..n).step_by(ROWS).rev() {
        let some = &mut X.as_mut_slice()[start * d..n.min(start + ROWS) * d];
        for_row_blocks(some, d, |range, out| {
            for (row, i) in out.chunks_exact_mut(d.max(1)).zip(range) {
                row.iter_mut().zip(&columns).for_each(|(x, column)| *x = column[start + i]);
            }
        });
        for column in &mut columns {
            column.truncate(start);
            column.shrink_to_fit();
        }
    }
    X
}

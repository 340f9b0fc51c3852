//! One error type for the whole library: the values inside, the sentence written once, and a way out.

use std::path::{Path, PathBuf};

mod cell;
mod certificate;
mod data;
mod date;
mod destination;
mod hint;
mod lab;
mod model;
mod parameter;
mod plan;
mod recover;
mod request;
mod table;
mod text;

pub(crate) use cell::is_gap_like;
pub use cell::{CellExample, CellProblem, ManyCells, Place};
pub use certificate::CertificateProblem;
pub use data::{DataProblem, RecipeProblem};
pub use date::{DateDoubt, DateStart};
pub use destination::{DestinationProblem, FileRole};
pub use hint::{Hint, StoreRemedy, TextGuess};
pub use lab::{ExpressionProblem, SpecificationProblem, StoreProblem};
pub use model::ModelProblem;
pub use parameter::{Parameter, Requirement};
pub use plan::PlanProblem;
pub use recover::RecoverProblem;
pub use request::RequestProblem;
pub use table::TableProblem;
pub use text::{cut, excerpt};
pub(crate) use text::{list, shown};

/// The result of everything that can fail.
///
/// ```
/// fn half(text: &str) -> shallows::Result<shallows::Activation> {
///     text.trim().parse()
/// }
/// assert!(half(" relu ").is_ok() && half("sine").is_err());
/// ```
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong. `Display` is one sentence; [`Error::hint`] says what to do about it.
///
/// ```
/// use shallows::{Data, Error};
///
/// let error = Data::from_rows(&[[1.0], [2.0]], &[3.0]).unwrap_err();
/// assert!(matches!(error, Error::Shape { expected: 2, found: 1, .. }));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be opened, read or written.
    #[error("{}: {source}", shown(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Two things that must agree in size do not.
    #[error("{what}: expected {expected}, found {found}")]
    Shape {
        /// What was being matched, in words.
        what: &'static str,
        /// The size that was needed.
        expected: usize,
        /// The size that was given.
        found: usize,
    },
    /// A NaN or an infinity where a number is needed.
    #[error("{what} must be finite, but hold a NaN or an infinity")]
    NotFinite {
        /// What was looked at, in the plural.
        what: &'static str,
    },
    /// Two networks that cannot be put side by side in one hidden layer.
    #[error("a {left} network and a {right} network do not merge into one")]
    DifferentActivations {
        /// Of the first.
        left: String,
        /// Of the second.
        right: String,
    },
    /// A run that left the numbers.
    #[error("{method} diverged after {iteration} iterations: the loss is no longer a finite number")]
    Diverged {
        /// The optimiser.
        method: &'static str,
        /// When.
        iteration: usize,
    },
    /// A parameter outside its allowed range.
    #[error("{name} {}", requirement.refusal(value))]
    Parameter {
        /// Which.
        name: Parameter,
        /// What it must be.
        requirement: Requirement,
        /// What it was.
        value: String,
    },
    /// Something given that a method or a theorem does not apply to.
    #[error("{what} must be {requirement}, not {found}")]
    Unsuitable {
        /// A network, a point, a matrix: no parameter that is set.
        what: &'static str,
        /// What the mathematics asks of it.
        requirement: &'static str,
        /// What it is.
        found: String,
    },
    /// An activation that does not exist.
    #[error("there is no activation called \"{name}\"")]
    UnknownActivation {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A theorem that is not in the catalogue.
    #[error("there is no theorem called {}", excerpt(name))]
    UnknownTheorem {
        /// What was asked for.
        name: String,
        /// Those there are.
        known: String,
    },
    /// A file is not a table of numbers.
    #[error("{}: {problem}", shown(path))]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: TableProblem,
    },
    /// One cell of a table is not a number to compute with.
    #[error("{} {place}, column {}: {problem}", shown(path), excerpt(column))]
    Cell {
        /// The file.
        path: PathBuf,
        /// The line or row.
        place: Place,
        /// The column's name.
        column: String,
        /// What is wrong with it.
        problem: CellProblem,
    },
    /// Several cells of a column have the same problem.
    #[error("{0}")]
    Cells(Box<ManyCells>),
    /// A column was asked for that the table does not have.
    #[error("{} has no column {}", shown(path), excerpt(name))]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        name: String,
        /// The column with the most similar name, if one is similar.
        nearest: Option<String>,
        /// The columns there are.
        known: Vec<String>,
    },
    /// Columns that a model needs are not in the table.
    #[error("the model expects {expected} inputs, but {} lacks {}", shown(path), list(missing))]
    MissingInputs {
        /// The file.
        path: PathBuf,
        /// How many inputs the model has.
        expected: usize,
        /// The names that are not there.
        missing: Vec<String>,
    },
    /// A table without names has the wrong number of columns for a model.
    #[error("the model expects {expected} inputs, but {} has {found} columns", shown(path))]
    InputCount {
        /// The file.
        path: PathBuf,
        /// How many inputs the model has.
        expected: usize,
        /// How many columns the table has.
        found: usize,
    },
    /// A row was asked for that the table does not have.
    #[error("there is no row {row} in {}, which has {rows}", shown(path))]
    NoRow {
        /// The file.
        path: PathBuf,
        /// What was asked for, counted from 0.
        row: usize,
        /// How many there are.
        rows: usize,
    },
    /// A row for which a network has no finite answer.
    #[error("the {what} for row {row} is not finite")]
    FarOutside {
        /// What was asked for.
        what: &'static str,
        /// The row, from 0.
        row: usize,
    },
    /// Intervals for which there are too few scores.
    #[error("intervals of level {level} would be infinite: the model was calibrated on too few rows or groups")]
    InfiniteIntervals {
        /// What was asked for.
        level: f64,
    },
    /// A recipe that cannot be applied.
    #[error("{0}")]
    Recipe(RecipeProblem),
    /// Samples that cannot be learned from.
    #[error("{0}")]
    Data(DataProblem),
    /// A file that is not a model, or a damaged one.
    #[error("{}: {problem}", path.as_ref().map_or("the model".into(), |path| shown(path)))]
    Model {
        /// The file; none when the bytes came from elsewhere.
        path: Option<PathBuf>,
        /// What is wrong with it.
        problem: ModelProblem,
    },
    /// A file that is not a certificate, or one that does not hold what it says.
    #[error("{}: {problem}", path.as_ref().map_or("the certificate".into(), |path| shown(path)))]
    Certificate {
        /// The file; none when it came from elsewhere.
        path: Option<PathBuf>,
        /// What is wrong with it.
        problem: CertificateProblem,
    },
    /// A file that is not a plan, or one that cannot be executed.
    #[error("{0}")]
    Plan(PlanProblem),
    /// Samples in which no weights can be looked for.
    #[error("{0}")]
    Recover(RecoverProblem),
    /// A request that makes no sense.
    #[error("{0}")]
    Request(RequestProblem),
    /// An output that would replace another file of the request, or that cannot be written.
    #[error("{0}")]
    Destination(DestinationProblem),
    /// An expression that cannot be read.
    #[error("{}, character {column}: {problem}", excerpt(text))]
    Expression {
        /// All of it.
        text: String,
        /// Where, counted from 1.
        column: usize,
        /// What is wrong there.
        problem: ExpressionProblem,
    },
    /// A specification that cannot be swept.
    #[error("{} line {line}, column {column}: {problem}", shown(path))]
    Specification {
        /// The file.
        path: PathBuf,
        /// As editors count.
        line: usize,
        /// The same, in characters.
        column: usize,
        /// What is wrong there.
        problem: Box<SpecificationProblem>,
    },
    /// The file that holds the results of a sweep.
    #[error("{}: {problem}", shown(path))]
    Store {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: StoreProblem,
    },
    /// Numbers that single precision cannot hold.
    #[error("{what} do not fit in single precision: the largest is {largest:e}")]
    Precision {
        /// What was converted, in the plural.
        what: &'static str,
        /// The largest absolute value among them.
        largest: f64,
    },
    /// A name that does not say how a figure is to be written, or says what cannot be.
    #[error("{}: {}", shown(path), if *built { "the ending says neither SVG nor PNG" } else { "PNG is not built in" })]
    FigureFormat {
        /// The file.
        path: PathBuf,
        /// Whether all formats are there.
        built: bool,
    },
    /// A figure that is too large to be painted.
    #[error("a figure of {width:.0} × {height:.0} pixels cannot be painted")]
    Figure {
        /// From left to right.
        width: f64,
        /// From top to bottom.
        height: f64,
    },
}

impl Error {
    /// A file that is not a table, with the reason.
    pub(crate) fn table(path: &Path, problem: TableProblem) -> Self {
        Error::Table { path: path.to_owned(), problem }
    }

    /// A parameter that is not what it must be.
    pub(crate) fn parameter(name: Parameter, requirement: Requirement, value: impl ToString) -> Self {
        Error::Parameter { name, requirement, value: value.to_string() }
    }

    /// Something that a method or a theorem does not apply to.
    pub(crate) fn unsuitable(what: &'static str, requirement: &'static str, found: impl ToString) -> Self {
        Error::Unsuitable { what, requirement, found: found.to_string() }
    }

    /// What the system said about a file.
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        Error::Io { path: path.to_owned(), source }
    }

    /// A way out, where one is known, as a value that each front end puts into words.
    ///
    /// ```
    /// use shallows::activation::Activation;
    ///
    /// let error = "sine".parse::<Activation>().unwrap_err();
    /// let words = error.hint().and_then(|hint| hint.shared_words().map(str::to_owned));
    /// assert!(words.is_some_and(|words| words.contains("softplus")));
    /// ```
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Error::Io { source, .. } => io_hint(source.kind()).map(Hint::plain),
            Error::Table { problem, .. } => Some(problem.hint()),
            Error::Cell { column, problem, .. } => Some(problem.hint(column)),
            Error::Cells(cells) => Some(cells.hint()),
            Error::Data(problem) => Some(problem.hint()),
            Error::Model { problem, .. } => Some(problem.hint()),
            Error::Certificate { problem, .. } => Some(problem.hint()),
            Error::Plan(problem) => Some(problem.hint()),
            Error::Recover(problem) => Some(problem.hint()),
            Error::Request(problem) => Some(problem.hint()),
            Error::Destination(problem) => Some(problem.hint()),
            Error::Specification { problem, .. } => Some(problem.hint()),
            Error::Store { problem, .. } => Some(problem.hint()),
            Error::Diverged { .. } => Some(Hint::SmallerStep),
            Error::MissingInputs { missing, .. } => {
                Some(Hint::SupplyInput { column: missing.first().cloned().unwrap_or_default() })
            }
            _ => self.plain_hint(),
        }
    }

    /// A way out that is the same for every front end.
    fn plain_hint(&self) -> Option<Hint> {
        let words = match self {
            Error::UnknownActivation { known, .. } | Error::UnknownTheorem { known, .. } => format!("one of {known}"),
            Error::NoColumn { nearest: Some(name), .. } => format!("did you mean {}?", excerpt(name)),
            Error::NoColumn { known, .. } => format!("its columns are {}", list(known)),
            Error::InputCount { .. } => {
                "an array has no names: give exactly the input columns, in the order of training".into()
            }
            Error::Recipe(_) => "the file was altered or damaged, or two columns need other names".into(),
            Error::NoRow { .. } => "rows are counted from 0: is this the table it was made for?".into(),
            Error::Expression { .. } => "numbers, n, k, d, + - * / ^, sqrt(…) and parentheses, as in k*d/n".into(),
            Error::Precision { .. } => "export in double precision".into(),
            Error::FigureFormat { built: true, .. } => "end it in .svg or .png".into(),
            Error::FigureFormat { built: false, .. } => "end it in .svg, or build with the feature png".into(),
            Error::Figure { .. } => "write it as SVG".into(),
            Error::FarOutside { .. } => {
                "the inputs of that row are far outside the range the model was fitted on".into()
            }
            Error::InfiniteIntervals { .. } => {
                "ask for a lower level, or calibrate with more rows (at least level/(1 − level) of them)".into()
            }
            _ => return None,
        };
        Some(Hint::plain(words))
    }
}

fn io_hint(kind: std::io::ErrorKind) -> Option<&'static str> {
    use std::io::ErrorKind;
    match kind {
        ErrorKind::NotFound => Some("check the spelling and the folder"),
        ErrorKind::PermissionDenied => Some("check who may read and write there"),
        ErrorKind::IsADirectory => Some("this is a folder: name a file in it"),
        ErrorKind::StorageFull => Some("free some space, or write somewhere else"),
        _ => None,
    }
}

impl From<shallows_verify::Error> for Error {
    fn from(error: shallows_verify::Error) -> Error {
        match error {
            shallows_verify::Error::Shape { what, expected, found } => Error::Shape { what, expected, found },
            shallows_verify::Error::NotFinite { what } => Error::NotFinite { what },
            shallows_verify::Error::NoRows => Error::Data(DataProblem::WeightSum { sum: 0.0 }),
            shallows_verify::Error::Unsuitable { what, must_be, found } => {
                Error::Unsuitable { what, requirement: must_be, found }
            }
            shallows_verify::Error::OtherFormat { version } => {
                Error::Certificate { path: None, problem: CertificateProblem::Format { found: version } }
            }
            other => Error::Certificate { path: None, problem: CertificateProblem::Checker(other) },
        }
    }
}

//! What can be wrong with a sweep: its specification, an expression in it, the file that holds its results.

use super::hint::{Hint, StoreRemedy};
use super::text::{cut, excerpt};

/// Characters of a reader's complaint that a message shows.
const LONGEST_REASON: usize = 160;

/// What can be wrong with an expression such as `k*d/n`.
///
/// ```
/// use shallows::error::{Error, ExpressionProblem};
///
/// let error = Error::Expression { text: "k*q".into(), column: 3, problem: ExpressionProblem::UnknownName("q".into()) };
/// assert!(error.to_string().starts_with("\"k*q\", character 3: "));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExpressionProblem {
    /// Something else must stand here.
    #[error("{} where {expected} should be", excerpt(found))]
    Unexpected {
        /// What stands there.
        found: String,
        /// What should.
        expected: &'static str,
    },
    /// It ends too early.
    #[error("it ends where {expected} should be")]
    Ends {
        /// What is missing.
        expected: &'static str,
    },
    /// A name that means nothing.
    #[error("there is no {}", excerpt(.0))]
    UnknownName(String),
    /// Longer or deeper than anybody writes.
    #[error("it is too long or too deeply nested")]
    TooLong,
}

/// What can be wrong with the specification of a sweep.
///
/// ```
/// use shallows::error::SpecificationProblem;
///
/// let problem = SpecificationProblem::Syntax("expected a value".into());
/// assert!(problem.to_string().contains("expected a value"));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpecificationProblem {
    /// Not TOML, a key that does not exist, a value of the wrong kind.
    #[error("{}", cut(.0, LONGEST_REASON))]
    Syntax(String),
    /// A value that cannot be.
    #[error("{key} must be {requirement}, not {}", cut(value, 60))]
    Value {
        /// The key, with its table.
        key: String,
        /// What it must be.
        requirement: String,
        /// What it is.
        value: String,
    },
    /// A text that stands for a value and cannot be read.
    #[error("{key}: {reason}")]
    Text {
        /// The key, with its table.
        key: String,
        /// Why.
        reason: String,
    },
    /// A cell of the grid that cannot be trained.
    #[error("{key}: at n = {n}, k = {k}, d = {d}, {reason}")]
    Cell {
        /// The key that asks for it.
        key: String,
        /// Samples.
        n: usize,
        /// Units.
        k: usize,
        /// Inputs.
        d: usize,
        /// Why.
        reason: String,
    },
    /// A size of a cell that its expression does not give.
    #[error("{key}: {} {}{at}", excerpt(expression), size_words(*value))]
    Size {
        /// The key.
        key: String,
        /// What stands there.
        expression: String,
        /// Its value.
        value: f64,
        /// The sizes that it is derived from, in words.
        at: String,
    },
    /// More runs than anybody waits for.
    #[error(
        "{cells} cells with {networks} networks and {starts} starts each are {trials} runs: at most {most} are done"
    )]
    TooMany {
        /// Of the grid.
        cells: usize,
        /// Per cell, those of the refinement aside.
        networks: usize,
        /// Per network.
        starts: usize,
        /// Their product and those of the refinement.
        trials: u128,
        /// The limit.
        most: u128,
    },
}

impl SpecificationProblem {
    /// A way out.
    pub fn hint(&self) -> Hint {
        match self {
            SpecificationProblem::Syntax(_) => Hint::SpecificationExample,
            SpecificationProblem::Value { .. } | SpecificationProblem::Text { .. } => Hint::SpecificationKeys,
            SpecificationProblem::Size { .. } | SpecificationProblem::Cell { .. } => {
                Hint::plain("leave such cells out of the grid, or change the key")
            }
            SpecificationProblem::TooMany { .. } => {
                Hint::plain("fewer cells and trials first: [refine] then spends more only where the curve is uncertain")
            }
        }
    }
}

/// Why a number is no size.
fn size_words(value: f64) -> String {
    match value {
        value if !value.is_finite() => "has no finite value".into(),
        value if value.round() < 1.0 => format!("is {value:.3}, which is not positive,").replace(".000", ""),
        value => format!("is {value:.3e}, which is too large,"),
    }
}

/// What can be wrong with the file that holds the results of a sweep. [`StoreRemedy`] shows its use.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StoreProblem {
    /// Something other than SQLite.
    #[error("this is not the store of a sweep: it is not an SQLite file")]
    NotDatabase,
    /// Somebody else's SQLite file.
    #[error("this SQLite file was not made by a sweep")]
    Foreign,
    /// Written by a version that lays it out otherwise.
    #[error("the store is of format {found}, and this version reads format {known}")]
    Format {
        /// In the file.
        found: i64,
        /// Here.
        known: i64,
    },
    /// Made for another specification.
    #[error(
        "the store was made for another specification: {key} is {} there and {} here",
        cut(stored, 40),
        cut(given, 40)
    )]
    OtherSpecification {
        /// The first key that differs.
        key: String,
        /// In the store.
        stored: String,
        /// In the specification at hand.
        given: String,
    },
    /// Another process is at work on it.
    #[error("the store is in use by another sweep")]
    InUse,
    /// The log beside it cannot be made.
    #[error("the store was left in the middle of a sweep, and its folder may not be written to")]
    Unfinished,
    /// Its file is another one now, or none.
    #[error("the store was removed or replaced while the sweep ran: its runs are lost")]
    Gone,
    /// It can be read only.
    #[error("the store cannot be written to")]
    ReadOnly,
    /// No space is left.
    #[error("the store cannot grow: {}", cut(.0, LONGEST_REASON))]
    Full(String),
    /// Anything else that SQLite says.
    #[error("{}", cut(.0, LONGEST_REASON))]
    Database(String),
    /// A trial that is not there.
    #[error("there is no run {trial} among the {trials} that are done")]
    NoTrial {
        /// What was asked for.
        trial: u64,
        /// How many there are.
        trials: usize,
    },
    /// Nothing has been trained yet.
    #[error("no run is done yet")]
    Nothing,
}

impl StoreProblem {
    /// A way out.
    pub fn hint(&self) -> Hint {
        match self {
            StoreProblem::NotDatabase | StoreProblem::Foreign => Hint::AnotherStore(StoreRemedy::Untouched),
            StoreProblem::Format { .. } => Hint::AnotherStore(StoreRemedy::ItsVersion),
            StoreProblem::OtherSpecification { .. } => Hint::AnotherStore(StoreRemedy::ItsSpecification),
            StoreProblem::ReadOnly => Hint::AnotherStore(StoreRemedy::Permission),
            StoreProblem::Database(_) => Hint::AnotherStore(StoreRemedy::Rerun),
            StoreProblem::InUse => Hint::WaitForSweep,
            StoreProblem::Nothing => Hint::ResumeSweep,
            StoreProblem::Unfinished => Hint::plain(
                "copy it into a folder you can write to, with the files whose names begin as its does, and read it there",
            ),
            StoreProblem::Gone => Hint::plain("run it again, and leave the file where it is until it ends"),
            StoreProblem::Full(_) => Hint::plain("free some space and run it again: every finished run is kept"),
            StoreProblem::NoTrial { .. } => Hint::plain("the column id of the table trials has their numbers"),
        }
    }
}

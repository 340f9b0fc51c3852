//! What can be wrong with samples and with a recipe: each sentence and its way out, side by side.

use super::hint::Hint;
use super::text::excerpt;

/// What is wrong with samples in memory.
///
/// ```
/// use shallows::error::{DataProblem, Error};
/// use shallows::Data;
///
/// let error = Data::from_rows(&[[f64::NAN]], &[1.0]).unwrap_err();
/// assert!(matches!(error, Error::Data(DataProblem::NotFinite { row: 0, .. })), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DataProblem {
    /// No sample.
    #[error("there are no rows")]
    NoRows,
    /// No input.
    #[error("there is no input column besides the target")]
    NoInputs,
    /// A NaN or an infinity.
    #[error("row {row} (counted from 0), column {}: {value} is not finite", excerpt(column))]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The column's name.
        column: String,
        /// The value.
        value: f64,
    },
    /// A weight that is negative, NaN or infinite.
    #[error("row {row} (counted from 0): the weight {value} is not a finite number ≥ 0")]
    Weight {
        /// The row, from 0.
        row: usize,
        /// The weight.
        value: f64,
    },
    /// Weights that cannot be normalised.
    #[error("the weights sum to {sum}")]
    WeightSum {
        /// Their sum.
        sum: f64,
    },
    /// Two columns with one name.
    #[error("two columns are called {}", excerpt(name))]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// One column in two roles.
    #[error("column {} is both the target and the weight", excerpt(name))]
    TargetIsWeight {
        /// The name.
        name: String,
    },
    /// A column with a role that was to be left out.
    #[error("column {} is the target or the weight, and also to be left out", excerpt(name))]
    DroppedRole {
        /// The name.
        name: String,
    },
    /// Rows are to be left out by a column that has another role.
    #[error("column {} is the target or the weight, and also {role}", excerpt(name))]
    DependentRole {
        /// The name.
        name: String,
        /// What it is also for.
        role: &'static str,
    },
    /// Nothing can be left out whole.
    #[error("the rows to learn from have one value in column {}, {role}", excerpt(name))]
    OneDependence {
        /// The name.
        name: String,
        /// What it is for.
        role: &'static str,
    },
    /// A target without a value.
    #[error("the target {} is missing in every row", excerpt(name))]
    EmptyTarget {
        /// The target's name.
        name: String,
    },
    /// A column whose words have two orders.
    #[error("two orders are given for the words of column {}", excerpt(name))]
    TwoOrders {
        /// The name.
        name: String,
    },
    /// A column whose words have an order and none.
    #[error("the words of column {} are to be ordered, and also categories without an order", excerpt(name))]
    OrderedCategory {
        /// The name.
        name: String,
    },
    /// A target that is to be words.
    #[error("column {} is the target, and also to be words", excerpt(name))]
    WordsOfTarget {
        /// The name.
        name: String,
    },
    /// Words that are no order.
    #[error("an order of words names at least two different words of a column, none of them a gap")]
    WordOrder,
    /// Inputs that say nothing.
    #[error("no usable input column: {words}")]
    UselessInputs {
        /// Why.
        words: String,
    },
    /// More than can be worked with.
    #[error("{rows} rows of {inputs} inputs are more than can be handled (20000 inputs, 4 GiB)")]
    TooManyInputs {
        /// The inputs there would be.
        inputs: usize,
        /// The rows.
        rows: usize,
        /// The column that becomes most inputs, and how many.
        widest: Option<(String, usize)>,
    },
    /// Matrices over pairs of inputs that would not fit.
    #[error("{inputs} inputs are too many for a method that works with all pairs of them (at most 5792)")]
    TooWide {
        /// The inputs.
        inputs: usize,
    },
    /// A number whose square is hardly a double.
    #[error("row {row} (counted from 0), column {}: {value:e} is too large for a fit", excerpt(column))]
    TooLarge {
        /// The row, from 0.
        row: usize,
        /// The column's name.
        column: String,
        /// The value.
        value: f64,
    },
    /// Numbers so close to each other that the squares of their differences vanish.
    #[error("the numbers of column {} differ by {spread:e} at most, too little for a fit", excerpt(column))]
    TooClose {
        /// The column's name.
        column: String,
        /// The largest less the smallest.
        spread: f64,
    },
    /// A single sample.
    #[error("there is only one row to learn from")]
    OneRow,
    /// Nothing to explain.
    #[error("the target {} is {value} in every row", excerpt(name))]
    ConstantTarget {
        /// The target's name.
        name: String,
        /// Its value.
        value: f64,
    },
}

impl DataProblem {
    /// A way out.
    pub fn hint(&self) -> Hint {
        match self {
            DataProblem::TooManyInputs { widest: Some((column, inputs)), .. } => {
                Hint::WideColumn { column: column.clone(), inputs: *inputs }
            }
            DataProblem::DroppedRole { .. } => Hint::KeepColumn,
            DataProblem::EmptyTarget { .. } => Hint::AnotherTarget,
            _ => Hint::plain(self.advice()),
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            DataProblem::TwoOrders { .. } => "give one order for each column",
            DataProblem::OrderedCategory { .. } => "choose one of the two",
            DataProblem::WordsOfTarget { .. } => {
                "a target is numbers: choose another column as target, or for the words"
            }
            DataProblem::WordOrder => "name the words from the lowest up, each once",
            DataProblem::NoRows => "give at least one row",
            DataProblem::NoInputs => "a table needs the target and at least one more column",
            DataProblem::NotFinite { .. } => "replace it by a finite number, or remove the row",
            DataProblem::TooLarge { .. } | DataProblem::TooClose { .. } => {
                "give the column in other units, such as millions or millionths"
            }
            DataProblem::Weight { .. } => "a weight is how many times a row counts: 0 leaves it out",
            DataProblem::WeightSum { .. } => {
                "at least one weight must be positive, and their sum must fit into a double"
            }
            DataProblem::DuplicateName { .. } => "give each column its own name",
            DataProblem::TargetIsWeight { .. } => "choose different columns for the target and the weight",
            DataProblem::DependentRole { .. } => "choose a column of its own, or leave it out",
            DataProblem::OneDependence { .. } => {
                "at least two groups or times are needed, so that one can be judged by others: name another column, or none"
            }
            DataProblem::OneRow => "give at least two rows of positive weight",
            DataProblem::ConstantTarget { .. } => "there is nothing to learn: is this the right target column?",
            DataProblem::UselessInputs { .. } => "a useful column varies and, if it holds words, repeats them",
            DataProblem::TooWide { .. } => {
                "choose the columns that matter, average groups of them, or fit another activation than quadratic"
            }
            _ => "choose the columns that matter, or average groups of them",
        }
    }
}

/// What is wrong with a recipe from a file.
///
/// ```
/// use shallows::error::RecipeProblem;
///
/// let problem = RecipeProblem::RepeatedName { name: "size".into() };
/// assert!(problem.to_string().contains("size"));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecipeProblem {
    /// Two columns or two inputs with one name.
    #[error("two columns or inputs are called {}", excerpt(name))]
    RepeatedName {
        /// The name.
        name: String,
    },
    /// A treatment that contradicts itself.
    #[error("what becomes of column {} contradicts itself", excerpt(name))]
    Step {
        /// The column.
        name: String,
    },
}

//! What to do about an error, as a value: each front end puts it into its own words.
//!
//! Advice that names neither an option nor a command is the same for everybody and stands here as a sentence
//! ([`Hint::Plain`]). Everything else is a value with what has to be said inside: the command says `--target`, the
//! Python package says `target=`, and neither reads the other's words.

use std::borrow::Cow;

/// A way out of an error.
///
/// ```
/// use shallows::error::{Error, Hint};
///
/// let error = Error::MissingInputs { path: "site.csv".into(), expected: 8, missing: vec!["roof".into()] };
/// assert_eq!(error.hint(), Some(Hint::SupplyInput { column: "roof".into() }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Advice that is the same for everybody.
    Plain(Cow<'static, str>),
    /// Take a smaller step, or let it adapt.
    SmallerStep,
    /// Columns are found by name; a constant can take the place of one that is missing.
    SupplyInput {
        /// The first column that is missing.
        column: String,
    },
    /// Take the column as categories, or leave it out.
    TextColumn {
        /// The column.
        column: String,
        /// What the text probably is.
        guess: TextGuess,
    },
    /// Name the texts as some that mean gaps, take the column as categories, or leave it out.
    GapWords {
        /// The column; none for the target, which is neither categories nor can it be left out.
        column: Option<String>,
        /// The texts, all different.
        texts: Vec<String>,
    },
    /// A column of integers that doubles do not hold: leave it out, or write it as text.
    Identifiers {
        /// The column.
        column: String,
    },
    /// A column of which not every cell is a date that means one day: write dates otherwise, or leave it out.
    DateColumn {
        /// The column.
        column: String,
    },
    /// A column that is neither numbers nor words: convert it, or leave it out.
    ConvertColumn {
        /// The column.
        column: String,
    },
    /// A column that alone becomes too many inputs: leave it out, or merge its categories.
    WideColumn {
        /// The column.
        column: String,
        /// The inputs it becomes.
        inputs: usize,
    },
    /// A column cannot be the target or the weight and be dropped too.
    KeepColumn,
    /// Name another column as the target.
    AnotherTarget,
    /// The logarithm of the target needs positive targets.
    PositiveTarget,
    /// Build with Parquet, or convert the table.
    BuildParquet,
    /// Fit with one activation.
    OneActivation,
    /// Columns that the model does not know can be ignored.
    IgnoreExtraColumns,
    /// Give rows with the target.
    ExplainOnRows {
        /// The column that is needed.
        target: String,
    },
    /// Name the format, or end the file in one that says it.
    NameFormat,
    /// Fit with rows set aside for calibration.
    Calibrate,
    /// Fit one infinitely wide network.
    FitWide,
    /// Say which activation the weights belong to.
    NameActivation,
    /// Do not say which activation: the file knows.
    OmitActivation,
    /// What writes a model.
    WriteModel,
    /// What writes a certificate.
    WriteCertificate,
    /// What writes a plan.
    WritePlan,
    /// Make the plan again.
    RenewPlan,
    /// What lists the theorems.
    ListTheorems,
    /// A certificate holds for the table of the fit: the target and the weight are no inputs.
    TableOfFit,
    /// Leave out columns that are no inputs of the teacher.
    TableOfTeacher,
    /// Give a teacher, or its sizes.
    GiveTeacher,
    /// A student has at least one unit.
    WidenStudent,
    /// What makes a quadratic teacher.
    QuadraticTeacher,
    /// Where a whole specification and its keys are shown.
    SpecificationExample,
    /// Where the keys of a specification and their values are listed.
    SpecificationKeys,
    /// Wait for another sweep; a plot can be made meanwhile.
    WaitForSweep,
    /// What resumes a sweep.
    ResumeSweep,
    /// Sweep into another file, or do this first.
    AnotherStore(StoreRemedy),
}

/// What a text in place of a number probably is.
///
/// ```
/// use shallows::error::{CellProblem, Hint, TextGuess};
///
/// let hint = CellProblem::NotANumber { text: "$2".into() }.hint("price");
/// assert_eq!(hint, Hint::TextColumn { column: "price".into(), guess: TextGuess::Currency });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextGuess {
    /// A date or a time.
    Date,
    /// A number with a sign of a currency or of per cent.
    Currency,
    /// A negative number in one of the forms of accounts.
    Negative,
    /// One of several categories.
    Category,
}

/// What can be done about a store besides naming another file.
///
/// ```
/// use shallows::error::{Hint, StoreProblem, StoreRemedy};
///
/// assert_eq!(StoreProblem::Foreign.hint(), Hint::AnotherStore(StoreRemedy::Untouched));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreRemedy {
    /// Nothing: the file is not a store and stays as it is.
    Untouched,
    /// Use the version that made it.
    ItsVersion,
    /// Give the specification it was made for.
    ItsSpecification,
    /// Check who may write there.
    Permission,
    /// Run the sweep again.
    Rerun,
}

impl Hint {
    /// Advice that is the same for everybody.
    pub(crate) fn plain(words: impl Into<Cow<'static, str>>) -> Self {
        Hint::Plain(words.into())
    }

    /// The words, where they are the same for everybody.
    ///
    /// ```
    /// # use shallows::error::Hint;
    /// assert_eq!(Hint::Plain("give at least two rows".into()).shared_words(), Some("give at least two rows"));
    /// assert_eq!(Hint::AnotherTarget.shared_words(), None);
    /// ```
    pub fn shared_words(&self) -> Option<&str> {
        match self {
            Hint::Plain(words) => Some(words),
            _ => None,
        }
    }
}

//! Requests that make no sense together or for the things at hand: each sentence and its way out, side by side.

use std::path::PathBuf;

use super::hint::Hint;
use super::parameter::Parameter;
use super::text::{excerpt, list, shown};

/// What is wrong with a request.
///
/// ```
/// use shallows::error::{Error, RequestProblem};
///
/// let problem = RequestProblem::ModelInputs { expected: 8, found: 7 };
/// assert!(Error::Request(problem).to_string().contains('7'));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RequestProblem {
    /// A second network is only looked for among quadratic ones.
    #[error("a rival is about quadratic networks, not about {activation}")]
    Rival {
        /// φ.
        activation: String,
    },
    /// No theorem about both layers speaks about kinks.
    #[error("a plan for both layers needs a smooth activation, not {activation}")]
    BothLayers {
        /// φ.
        activation: String,
    },
    /// The search for a scale is about starts at f = 0.
    #[error("the search for the smallest output scale needs a start at f = 0")]
    ScaleOfRandomStart,
    /// Two searches, or a search for what is given.
    #[error("a width or a scale can be given or searched for, and only one of them can be searched for")]
    SearchTwice,
    /// A theorem about something else.
    #[error("{} does not apply to {activation} here", excerpt(theorem))]
    Theorem {
        /// What was asked for.
        theorem: String,
        /// φ.
        activation: String,
        /// The theorems that do.
        known: Vec<&'static str>,
    },
    /// A certificate speaks about the columns of the fit.
    #[error("the model has {expected} inputs, but the table has {found}")]
    ModelInputs {
        /// Of the model.
        expected: usize,
        /// Of the table.
        found: usize,
    },
    /// A model of y beside a certificate about ln(y), or the other way round.
    #[error("the certificate is for target scale {certified}, but the model was fitted on {fitted}")]
    OtherScale {
        /// In the certificate.
        certified: &'static str,
        /// In the model.
        fitted: &'static str,
    },
    /// A teacher of other inputs.
    #[error("the teacher has {expected} inputs, but the table has {found} besides its target")]
    TeacherInputs {
        /// Of the teacher.
        expected: usize,
        /// Of the table.
        found: usize,
    },
    /// An option that none of the candidates of an automatic fit can honour.
    #[error("no candidate of the automatic fit honours {option} on this table")]
    NoCandidate {
        /// Which one.
        option: Parameter,
    },
    /// Only networks at their global optimum have a certificate.
    #[error("the fit has no network at its global optimum, and nothing can be proved about another")]
    NothingToCertify,
    /// An infinitely wide network has one coefficient for each different row that it was fitted to.
    #[error("an infinitely wide network of the model was fitted to other rows than these")]
    OtherRows,
    /// Too few rows to learn from or to judge by.
    #[error("holding rows out leaves {train} to learn from and {test} to judge by")]
    Holdout {
        /// Rows to learn from.
        train: usize,
        /// Rows to judge by.
        test: usize,
    },
    /// A share of the rows that leaves too few on one side.
    #[error("{name} keeps {kept} of {rows} rows and sets {aside} aside")]
    SetAside {
        /// Which share.
        name: Parameter,
        /// Rows there are.
        rows: usize,
        /// Rows to learn from.
        kept: usize,
        /// Rows set aside.
        aside: usize,
    },
    /// A share of the groups that leaves too few on one side.
    #[error("{name} keeps {kept} of {groups} groups and sets {aside} aside")]
    SetGroupsAside {
        /// Which share.
        name: Parameter,
        /// Groups there are.
        groups: usize,
        /// Groups to learn from.
        kept: usize,
        /// Groups set aside.
        aside: usize,
    },
    /// A list of held-out rows that parts groups.
    #[error(
        "{}: {groups} {} on both sides, by column {}: {}",
        shown(path),
        if *groups == 1 { "group is" } else { "groups are" },
        excerpt(column),
        examples.join(", ")
    )]
    HoldoutParts {
        /// The file.
        path: PathBuf,
        /// The column of groups.
        column: String,
        /// How many groups.
        groups: usize,
        /// The first of them, in words.
        examples: Vec<String>,
    },
    /// A list of held-out rows that are not later than those that are learned from.
    #[error("{}: row {held} is held out, but row {learned}, which is learned from, is later", shown(path))]
    HoldoutEarlier {
        /// The file.
        path: PathBuf,
        /// A row that is held out.
        held: usize,
        /// A later one that is not.
        learned: usize,
    },
    /// A list of rows that cannot be read.
    #[error("{}: {reason}", shown(path))]
    HoldoutFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A list of rows with something else in it.
    #[error("{} line {line}: {} is not a row number below {rows}", shown(path), excerpt(word))]
    HoldoutRow {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What stands there.
        word: String,
        /// Rows of the table.
        rows: usize,
    },
    /// Intervals are proved for rows that count alike.
    #[error("rows with weights cannot calibrate intervals, which hold for rows that count alike")]
    CalibrationOfWeights,
    /// A name that would promise another format.
    #[error("{}: the report is a page of HTML", shown(path))]
    ReportFormat {
        /// The file.
        path: PathBuf,
    },
    /// Columns that nothing would become of.
    #[error("{} has columns the model does not know: {}", shown(path), list(unknown))]
    UnknownColumns {
        /// The table.
        path: PathBuf,
        /// The columns.
        unknown: Vec<String>,
    },
    /// Only a polynomial explains itself.
    #[error("a network of {kinds} units is explained by rows with the target")]
    ExplainedByRows {
        /// Its activations.
        kinds: String,
        /// The column that is needed.
        target: String,
        /// The table that lacks it, where there is one.
        table: Option<PathBuf>,
    },
    /// A terminal is no place for bytes.
    #[error("a binary format needs a file")]
    BinaryWithoutFile,
    /// A library without ONNX.
    #[error("ONNX is not built in")]
    OnnxNotBuilt,
    /// Ranks before the hidden layer.
    #[error("the model has a network of the ranks of its inputs, which only an ONNX file holds in finite form")]
    RanksInFiniteForm,
    /// A name that does not say how a model is to be written.
    #[error("the ending of {} does not say which format to write", shown(path))]
    ExportFormat {
        /// The file.
        path: PathBuf,
    },
    /// Samples that would not fit into memory, or none at all.
    #[error("cannot make {samples} samples of {inputs} inputs from {units} units")]
    Samples {
        /// n.
        samples: u64,
        /// d.
        inputs: usize,
        /// k.
        units: usize,
    },
    /// No output weights have this name.
    #[error("{} does not name output weights", excerpt(.0))]
    Outputs(String),
    /// No law of inputs has this name.
    #[error("{} is not a law of inputs", excerpt(.0))]
    Design(String),
    /// Nothing to look at.
    #[error("no teacher is given")]
    NoTeacher,
    /// More weights than anybody has.
    #[error("a {who} of {units} units with {inputs} inputs is too large to analyse")]
    TooLarge {
        /// Teacher or student.
        who: &'static str,
        /// m.
        units: usize,
        /// d.
        inputs: usize,
    },
    /// A student of nothing.
    #[error("the student has no units")]
    NoUnits,
    /// No start has this name.
    #[error("{} is not a start", excerpt(.0))]
    Start(String),
    /// Levels or samples beyond all measure.
    #[error("cannot show {levels} levels or draw {samples} samples")]
    Extent {
        /// To be shown.
        levels: usize,
        /// To be drawn.
        samples: u64,
    },
    /// The landscape is that of Σ v(w·x)².
    #[error("{what} must be quadratic without an affine part, not {found}")]
    NotQuadratic {
        /// Which network.
        what: String,
        /// Its activations.
        found: String,
    },
    /// No figure has this name.
    #[error("there is no figure {}", excerpt(name))]
    Figure {
        /// What was asked for.
        name: String,
        /// Those there are.
        known: String,
    },
    /// Nothing to draw.
    #[error("{}: no run is done yet", shown(.0))]
    NoRun(PathBuf),
    /// A rule about verdicts that were not asked for.
    #[error("these runs have no verdict")]
    NoVerdict,
    /// A rule about teachers that are not there.
    #[error("these runs have no quadratic teacher to be compared with")]
    NoQuadraticTeacher,
    /// A rule below what descent was asked for.
    #[error("descent ended at a relative error of {ended:e}: it was not run to {tolerance:e}")]
    Tolerance {
        /// In the specification.
        ended: f64,
        /// Asked for now.
        tolerance: f64,
    },
    /// A rule beyond the iterations that were made.
    #[error("descent ended after {made} iterations: what {within} would have done is not known")]
    Iterations {
        /// In the specification.
        made: usize,
        /// Asked for now.
        within: usize,
    },
    /// Ends that hold no cell.
    #[error("no cell of this sweep lies between {from} and {}", .to.map_or("the end".into(), |to| to.to_string()))]
    NoCell {
        /// The first value.
        from: usize,
        /// The last.
        to: Option<usize>,
    },
    /// An expression that has no value.
    #[error("{0} is not a finite number in any cell of this sweep")]
    NoValue(String),
    /// An axis without extent.
    #[error("{0} has only one value in this sweep")]
    OneValue(&'static str),
    /// One axis for both directions.
    #[error("x and y name the same size")]
    SameAxis,
}

impl RequestProblem {
    /// A way out.
    pub fn hint(&self) -> Hint {
        match self {
            RequestProblem::ModelInputs { .. } => Hint::TableOfFit,
            RequestProblem::TeacherInputs { .. } => Hint::TableOfTeacher,
            RequestProblem::NothingToCertify => {
                Hint::plain("fit a quadratic or an infinitely wide network without naming a method")
            }
            RequestProblem::NoTeacher => Hint::GiveTeacher,
            RequestProblem::NoUnits => Hint::WidenStudent,
            RequestProblem::NotQuadratic { .. } => Hint::QuadraticTeacher,
            RequestProblem::NoRun(_) => Hint::ResumeSweep,
            RequestProblem::Theorem { known, .. } => Hint::plain(format!("one of {}", known.join(", "))),
            RequestProblem::UnknownColumns { .. } => Hint::IgnoreExtraColumns,
            RequestProblem::ExplainedByRows { target, table: Some(table), .. } => {
                Hint::plain(format!("{} has no column {}", shown(table), excerpt(target)))
            }
            RequestProblem::ExplainedByRows { target, table: None, .. } => {
                Hint::ExplainOnRows { target: target.clone() }
            }
            RequestProblem::ExportFormat { .. } => Hint::NameFormat,
            RequestProblem::Figure { known, .. } => Hint::plain(known.clone()),
            RequestProblem::Iterations { made, .. } => {
                Hint::plain(format!("choose at most {made} iterations, or sweep with more of them in [training]"))
            }
            _ => Hint::plain(self.advice()),
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            RequestProblem::Rival { .. } => "choose the activation quadratic",
            RequestProblem::OtherRows => {
                "give the table that the model was fitted to, without the rows that were held out"
            }
            RequestProblem::BothLayers { .. } => {
                "softplus, tanh, … are smooth; the hidden layer of relu can be planned"
            }
            RequestProblem::ScaleOfRandomStart => "leave out the random start",
            RequestProblem::OtherScale { .. } => "is this the model it was made for?",
            RequestProblem::Holdout { .. } | RequestProblem::SetAside { .. } => {
                "at least 2 rows to learn from and at least 1 set aside are needed"
            }
            RequestProblem::SetGroupsAside { .. } => {
                "at least 2 groups to learn from and at least 1 set aside are needed: choose another share, or another column"
            }
            RequestProblem::HoldoutParts { .. } => {
                "list all rows of a group or none, or hold out a share such as 0.2 of the groups"
            }
            RequestProblem::HoldoutEarlier { .. } => {
                "hold out the latest rows, or a share such as 0.2, which takes them"
            }
            RequestProblem::HoldoutFile { .. } => {
                "hold out a share of the rows such as 0.2, or name a file of row numbers"
            }
            RequestProblem::HoldoutRow { .. } => "rows are counted from 0, the first line after the header",
            RequestProblem::ReportFormat { .. } => "end it in .html; a browser prints it to PDF",
            RequestProblem::OnnxNotBuilt => "build with the feature onnx, or choose safetensors",
            RequestProblem::RanksInFiniteForm => {
                "choose onnx, or leave out the width: the model as it is has every format"
            }
            RequestProblem::BinaryWithoutFile => "name a file for it",
            RequestProblem::CalibrationOfWeights => "leave out the weights or the calibration",
            RequestProblem::Samples { .. } => {
                "at least one sample, and at most 2³¹ numbers in the table and in the hidden weights"
            }
            RequestProblem::Outputs(_) => "ones, signs, uniform:LOW:HIGH, or numbers such as 1,-1,0.5",
            RequestProblem::Design(_) => "gaussian, sphere, or a file (.csv, .npy, .parquet) with a covariance matrix",
            RequestProblem::TooLarge { .. } => "at most 2²⁷ weights",
            RequestProblem::Start(_) => "paper, width, trace, spectral, zero, or the file of a model",
            RequestProblem::Extent { .. } => "at most 100000 levels, and between 1 and 10⁸ samples",
            RequestProblem::NoVerdict => "sweep with verdict = true in [training], or choose descent:TOLERANCE",
            RequestProblem::NoQuadraticTeacher => "choose verdict or descent:TOLERANCE",
            RequestProblem::Tolerance { .. } => "choose a larger tolerance, or sweep with a smaller one in [training]",
            RequestProblem::NoCell { .. } => "widen the range, or leave its ends out",
            RequestProblem::NoValue(_) => "choose another expression in n, k and d, such as k*d/n",
            RequestProblem::OneValue(_) => "leave out x and y, or name sizes that vary",
            _ => "leave one of them out",
        }
    }
}

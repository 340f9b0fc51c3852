//! Outputs that would replace a file of the same request, or that cannot be written: each sentence and its way out.

use std::fmt;
use std::path::PathBuf;

use super::hint::Hint;
use super::text::shown;

/// What is wrong with the place of an output.
///
/// ```
/// use shallows::error::{DestinationProblem, Error, FileRole};
/// use shallows::file::Destinations;
///
/// let planned = Destinations::default().reads(FileRole::Table, "t.csv").writes(FileRole::Model, "./t.csv");
/// let Err(Error::Destination(problem)) = planned.check() else { panic!("the model would replace the table") };
/// assert!(matches!(problem, DestinationProblem::Same { output: FileRole::Model, other_is_read: true, .. }));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DestinationProblem {
    /// Two files of one request in one place, at least one of them an output.
    #[error("{}: {output} would replace {other}", shown(path))]
    Same {
        /// The place, as the output names it.
        path: PathBuf,
        /// What was to be written there.
        output: FileRole,
        /// What is there, or was to be written there too.
        other: FileRole,
        /// Whether the other is read rather than written.
        other_is_read: bool,
    },
    /// A file in a folder that is not there.
    #[error("{}: there is no folder {}", shown(path), shown(folder))]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// A folder where a file should be.
    #[error("{}: this is a folder", shown(path))]
    IsFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A file where a folder should be.
    #[error("{}: this is a file, and a folder is needed", shown(path))]
    IsFile {
        /// The file.
        path: PathBuf,
    },
    /// A link to something that is not there.
    #[error("{}: this link leads to a file that is not there", shown(path))]
    BrokenLink {
        /// The link.
        path: PathBuf,
    },
}

impl DestinationProblem {
    /// A way out.
    pub fn hint(&self) -> Hint {
        match self {
            DestinationProblem::Same { output, .. } => Hint::plain(format!("name another file for {output}")),
            DestinationProblem::NoFolder { .. } => Hint::plain("make the folder first, or name another"),
            DestinationProblem::IsFolder { .. } => Hint::plain("name a file in it"),
            DestinationProblem::IsFile { .. } => Hint::plain("name a folder for the figures"),
            DestinationProblem::BrokenLink { .. } => Hint::plain("remove the link, or name another file"),
        }
    }
}

/// What a file holds, as it is called in messages. [`DestinationProblem`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileRole {
    /// Samples, one in each row, that are read.
    Table,
    /// Numbers of the rows that are held out.
    HeldOutRows,
    /// A network with what it needs to predict.
    Model,
    /// A network that data were planted with.
    Teacher,
    /// A network that a descent starts from.
    Start,
    /// What is proved about a network.
    Certificate,
    /// A plan of a proved descent.
    Plan,
    /// A page about a fit.
    Report,
    /// A picture of residuals.
    Residuals,
    /// A picture of proved and observed curves.
    Curves,
    /// A picture.
    Figure,
    /// A folder for pictures and tables.
    Figures,
    /// Predictions for the rows of a table.
    Predictions,
    /// Samples that are written.
    Samples,
    /// A covariance matrix.
    Covariance,
    /// A network that agrees with the first rival on every row.
    Rival,
    /// The network that a rival agrees with.
    FirstRival,
    /// A certificate about rows as they are given.
    DeterminedCertificate,
    /// A model in another format.
    Export,
    /// What a sweep is to do.
    Specification,
    /// What a sweep has found.
    Store,
}

impl FileRole {
    /// With its article.
    pub fn words(self) -> &'static str {
        match self {
            FileRole::Table => "the table",
            FileRole::HeldOutRows => "the list of held-out rows",
            FileRole::Model => "the model",
            FileRole::Teacher => "the teacher",
            FileRole::Start => "the start",
            FileRole::Certificate => "the certificate",
            FileRole::Plan => "the plan",
            FileRole::Report => "the report",
            FileRole::Residuals => "the figure of residuals",
            FileRole::Curves => "the figure of curves",
            FileRole::Figure => "the figure",
            FileRole::Figures => "the figures",
            FileRole::Predictions => "the predictions",
            FileRole::Samples => "the samples",
            FileRole::Covariance => "the covariance matrix",
            FileRole::Rival => "the second network",
            FileRole::FirstRival => "the first network",
            FileRole::DeterminedCertificate => "the certificate about the rows",
            FileRole::Export => "the exported model",
            FileRole::Specification => "the specification",
            FileRole::Store => "the store",
        }
    }

    /// Whether `-` means standard input or output here, rather than a file of that name.
    pub(crate) fn may_be_a_stream(self) -> bool {
        matches!(self, FileRole::Table | FileRole::Predictions | FileRole::Samples | FileRole::Export)
    }
}

impl fmt::Display for FileRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

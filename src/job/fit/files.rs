//! Where the files of a fit go.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::data::{Holdout, Reading};
use crate::draw::check_name;
use crate::error::{Error, RequestProblem, Result};
use crate::file::{Destinations, FileRole};
use crate::job::given::GivenRows;

/// Where the files of a fit go; nothing is written where no path is given.
/// [`FitJob`](crate::job::fit::FitJob) shows its use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FitFiles {
    /// The model.
    pub model: Option<PathBuf>,
    /// The certificate, where there is one.
    pub certificate: Option<PathBuf>,
    /// Observed against predicted values, as SVG or PNG.
    pub residuals: Option<PathBuf>,
    /// A page of HTML about the fit.
    pub report: Option<PathBuf>,
}

impl FitFiles {
    /// Refuse outputs that would replace each other or an input, and names that promise another format.
    pub(super) fn check(&self, rows: &GivenRows, reading: &Reading) -> Result<()> {
        self.report.iter().try_for_each(|path| check_report(path))?;
        self.residuals.iter().try_for_each(|path| check_name(path))?;
        Destinations::default()
            .may_read(FileRole::Table, rows.file())
            .may_read(FileRole::HeldOutRows, reading.holdout.as_ref().and_then(Holdout::file))
            .may_write(FileRole::Model, self.model.as_ref())
            .may_write(FileRole::Certificate, self.certificate.as_ref())
            .may_write(FileRole::Report, self.report.as_ref())
            .may_write(FileRole::Residuals, self.residuals.as_ref())
            .check()
    }
}

/// The model of a fit: as named, or called like the table, in the current folder.
///
/// ```
/// use std::path::Path;
/// use shallows::job::fit::{beside_model, model_path};
///
/// let table = Path::new("data/house.csv");
/// assert_eq!(model_path(table, None), Path::new("house.safetensors"));
/// assert_eq!(model_path(Path::new("house.csv.gz"), None), Path::new("house.safetensors"));
/// // What is written beside the model is called like it.
/// let output = Path::new("b.safetensors");
/// assert_eq!(beside_model(table, Some(output), "certificate.json"), Path::new("b.certificate.json"));
/// ```
pub fn model_path(table: &Path, output: Option<&Path>) -> PathBuf {
    output.map_or_else(|| beside_model(table, None, "safetensors"), Path::to_owned)
}

/// The name of the model with another ending, so that the files of one fit stand together.
/// [`model_path`] shows its use.
pub fn beside_model(table: &Path, output: Option<&Path>, ending: &str) -> PathBuf {
    let model = match output {
        Some(path) if path.extension().is_some_and(|own| own == "safetensors") => path.with_extension(""),
        Some(path) => path.to_owned(),
        None => {
            let stem = stem_of_table(table).filter(|_| table != Path::new("-"));
            PathBuf::from(stem.unwrap_or("model".as_ref()))
        }
    };
    model.with_added_extension(ending)
}

/// The name of a table without its ending, of a compressed text without both.
fn stem_of_table(table: &Path) -> Option<&OsStr> {
    let stem = table.file_stem()?;
    let is_compressed = table.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
    if is_compressed { Path::new(stem).file_stem() } else { Some(stem) }
}

/// Refuse a name that would promise another format.
fn check_report(path: &Path) -> Result<()> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("html" | "htm") => Ok(()),
        _ => Err(Error::Request(RequestProblem::ReportFormat { path: path.to_owned() })),
    }
}

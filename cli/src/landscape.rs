//! `shallows landscape`.

mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use shallows::file::{Destinations, FileRole};
use shallows::job::landscape::{Beginning, LandscapeJob, LandscapeRequest, Origin, named_samples};
use shallows::watch::Watch;

use crate::Common;
use crate::failure::Failure;
use crate::output;

/// Show the whole landscape of a planted quadratic network: every critical level, the barrier, what a start may expect
///
/// The teacher is f*(x) = Σ v_j (w_j·x)² with Gaussian inputs, and the risk of a student is L = ½E(f − f*)². Its critical
/// points come in one family for each set of eigenvectors of M* = W*ᵀ Diag(v*) W*; sets are written by the numbers of the
/// eigenvalues, the largest is 1. Descent from a start below the lowest rank-deficient level ends at the teacher.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows landscape --inputs 3 --width 4 --spectrum 3,2,1
  shallows landscape --inputs 5 --width 400 --start paper -o landscape   a random teacher, and figures
  shallows landscape --teacher teacher.safetensors --start start.safetensors --json

Exit status: 0 done, 2 error")]
pub struct LandscapeArgs {
    /// The model of a quadratic teacher, such as `teach --save-teacher` writes
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["inputs", "width", "spectrum"])]
    teacher: Option<PathBuf>,
    /// d, inputs [default: as many as there are eigenvalues]
    #[arg(long, short = 'd', value_name = "D")]
    inputs: Option<usize>,
    /// m, hidden units of the teacher and the student [default: as many as inputs]
    #[arg(long, short = 'k', value_name = "M")]
    width: Option<usize>,
    /// Eigenvalues of W*ᵀW*, zeros beyond [default: W* has standard normal entries]
    #[arg(long, value_name = "S1,S2,…", value_delimiter = ',', allow_negative_numbers = true)]
    spectrum: Option<Vec<f64>>,
    /// Units of the student, where it is narrower or wider than the teacher; its output weights are 1
    #[arg(long, value_name = "K")]
    student_width: Option<usize>,
    /// Where descent would start: paper (√(m+4d)·[I; 0]), width (√m·[I; 0]), trace (√γ·[I; 0], γ = mean(y)/d), spectral
    /// (½ mean(y(xxᵀ−I)), projected), zero, or the file of a model
    #[arg(long, value_name = "NAME|MODEL", default_value = "trace")]
    start: String,
    /// Rows of the teacher's endless table that the starts trace and spectral look at
    #[arg(long, value_name = "N", default_value = "10000")]
    samples: u64,
    /// Samples to look at instead: CSV, Parquet or NPY, the last column is y; also for slices of the empirical risk
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Levels to show; with more than 20 inputs as many from each end
    #[arg(long, value_name = "N", default_value = "16")]
    levels: usize,
    /// Everything random comes from it
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// A folder for figures, SVG and PNG; created if missing
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// Run the verb.
pub fn run(args: &LandscapeArgs, common: &Common) -> Result<ExitCode, Failure> {
    Destinations::default()
        .may_read(FileRole::Teacher, args.teacher.as_ref())
        .may_read(FileRole::Table, args.data.as_ref())
        .may_fill(FileRole::Figures, args.output.as_ref())
        .check()?;
    let job = LandscapeJob { request: args.request()?, folder: args.output.clone() };
    let outcome = job.run(Watch::silent())?;
    if common.json {
        output::json(&outcome.document())?;
    } else {
        output::bytes(words::words(&outcome).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

impl LandscapeArgs {
    fn request(&self) -> Result<LandscapeRequest, Failure> {
        let teacher = match &self.teacher {
            Some(path) => Origin::read(path)?,
            None => Origin::Drawn { inputs: self.inputs, width: self.width, spectrum: self.spectrum.clone() },
        };
        Ok(LandscapeRequest {
            teacher,
            student_width: self.student_width,
            start: Beginning::read(&self.start)?,
            samples: self.samples,
            data: self.data.as_deref().map(named_samples).transpose()?,
            levels: self.levels,
            seed: self.seed,
        })
    }
}

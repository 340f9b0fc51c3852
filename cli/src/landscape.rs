//! `shallows landscape`.

mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use shallows::job::landscape::{Beginning, LandscapeJob, LandscapeRequest, Origin};
use shallows::watch::Watch;

use crate::GlobalArgs;
use crate::failure::Failure;
use crate::output;

/// Show the whole landscape of a planted quadratic network: every critical level, the barrier, and what is promised for a start
///
/// The teacher is f*(x) = Σ v_l (w_l·x)² with Gaussian inputs, and the risk of a student is L = ½E(f − f*)². Its critical
/// points come in one family for each set of eigenvectors of M* = W*ᵀ Diag(v*) W*; sets are written by the numbers of the
/// eigenvalues, the largest is 1. Descent from a start below the lowest rank-deficient level ends at the teacher.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows landscape --inputs 3 --width 4 --spectrum 3,2,1
  shallows landscape --inputs 5 --width 400 --start paper -o landscape   a random teacher, and figures
  shallows landscape --teacher teacher.safetensors --start start.safetensors --json
  shallows landscape --inputs 3 --spectrum 3,2,1 --certificate start.certificate.json

Exit status: 0 done, 2 error")]
pub struct LandscapeArgs {
    #[arg(long, conflicts_with_all = ["inputs", "width", "spectrum"])]
    teacher: Option<PathBuf>,
    #[arg(long, short = 'd')]
    inputs: Option<usize>,
    #[arg(long, short = 'k')]
    width: Option<usize>,
    #[arg(long, value_delimiter = ',', allow_negative_numbers = true)]
    spectrum: Option<Vec<f64>>,
    #[arg(long)]
    student_width: Option<usize>,
    #[arg(long)]
    start: String,
    #[arg(long)]
    samples: Option<u64>,
    #[arg(long)]
    data: Option<PathBuf>,
    #[arg(long)]
    levels: usize,
    #[arg(long)]
    seed: u64,
    #[arg(long, short)]
    output: Option<PathBuf>,
    #[arg(long)]
    certificate: Option<PathBuf>,
}

/// Run the verb.
pub fn run(args: &LandscapeArgs, common: &GlobalArgs) -> Result<ExitCode, Failure> {
    let (folder, certificate) = (args.output.clone(), args.certificate.clone());
    let job = LandscapeJob { request: args.request()?, folder, certificate };
    let outcome = job.run(Watch::silent())?;
    if common.json {
        output::json(&outcome.document())?;
    } else {
        output::bytes(words::words(&outcome).as_bytes())?;
    }
    if let Some(path) = &outcome.path {
        output::remark(common, &format!("certificate in {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

impl LandscapeArgs {
    fn request(&self) -> Result<LandscapeRequest, Failure> {
        let teacher = match &self.teacher {
            Some(path) => Origin::Given(path.clone().into()),
            None => Origin::Drawn { inputs: self.inputs, width: self.width, spectrum: self.spectrum.clone() },
        };
        Ok(LandscapeRequest {
            teacher,
            student_width: self.student_width,
            start: Beginning::named_or_file(&self.start)?,
            samples: self.samples,
            rows: self.data.clone().map(Into::into),
            target: None,
            levels: self.levels,
            seed: self.seed,
        })
    }
}

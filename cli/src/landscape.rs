//! `shallows landscape`.

mod account;
mod figures;
mod planted;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use shallows::certificate::{Certificate, energy_barrier, safe_start, safe_start_gaussian};
use shallows::landscape::{CriticalPoint, Landscape, Levels};
use shallows::network::{Network, Quadratic};
use shallows::risk::{Objective, PopulationRisk};

use crate::Common;
use crate::failure::Failure;
use crate::output;
use planted::{Planted, Start};

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
    /// A folder for figures, SVG and PNG; it is made if there is none
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// Everything the account and the record speak about.
struct Report<'a> {
    args: &'a LandscapeArgs,
    planted: &'a Planted,
    landscape: &'a Landscape,
    risk: &'a PopulationRisk,
    start: &'a Start,
    /// L(W₀)
    start_risk: f64,
    levels: &'a Levels,
    /// The levels to show, each with its point.
    shown: Vec<CriticalPoint>,
    certificates: Vec<Certificate>,
    figures: Vec<PathBuf>,
    seconds: f64,
}

/// More levels than this are not read by anybody.
const MOST_LEVELS: usize = 100_000;

/// Run the verb.
pub fn run(args: &LandscapeArgs, common: &Common) -> Result<ExitCode, Failure> {
    let since = Instant::now();
    if args.levels > MOST_LEVELS || args.samples == 0 || args.samples > 100_000_000 {
        let message = format!("cannot show {} levels or draw {} samples", args.levels, args.samples);
        return Err(Failure::with_hint(message, "at most 100000 levels, and between 1 and 10⁸ samples"));
    }
    if let Some(folder) = &args.output {
        output::make_folder(folder)?;
    }
    let planted = Planted::new(args)?;
    let start = Start::new(args, &planted)?;
    let M_star = Quadratic::of(&planted.network)?.M;
    let landscape = Landscape::new(&M_star, start.network.v.clone())?;
    let risk = PopulationRisk::of_teacher(&planted.network, start.network.v.clone())?;
    let levels = landscape.levels(args.levels.max(1))?;
    let start_risk = risk.value(start.network.W.as_slice()).objective;
    let mut report = Report {
        args,
        planted: &planted,
        landscape: &landscape,
        risk: &risk,
        start: &start,
        start_risk,
        shown: shown(&landscape, &levels, args.levels),
        levels: &levels,
        certificates: certificates(&planted, &start)?,
        figures: vec![],
        seconds: 0.0,
    };
    if let Some(folder) = &args.output {
        report.figures = figures::draw(&report, folder)?;
    }
    report.seconds = since.elapsed().as_secs_f64();
    if common.json {
        output::json(&account::record(&report))?;
    } else {
        output::bytes(account::words(&report).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The lowest levels; of many inputs also the highest.
fn shown(landscape: &Landscape, levels: &Levels, most: usize) -> Vec<CriticalPoint> {
    match levels {
        Levels::All(levels) => levels.iter().take(most).filter_map(|level| landscape.point_of(level)).collect(),
        Levels::Ends { lowest, highest } => lowest.iter().chain(highest.iter().rev()).cloned().collect(),
    }
}

/// What is proved about this teacher, this start, and teachers like it.
fn certificates(planted: &Planted, start: &Start) -> Result<Vec<Certificate>, Failure> {
    let Network { W, .. } = &planted.network;
    let mut certificates = vec![energy_barrier(&planted.network)?, safe_start(&start.network, &planted.network)?];
    if let Some(gamma) = start.scale.filter(|_| planted.is_gaussian && start.is_fixed) {
        certificates.push(safe_start_gaussian((W.rows(), W.cols()), gamma)?);
    }
    Ok(certificates)
}

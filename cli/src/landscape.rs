//! `shallows landscape`.

mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use shallows::data::{Data, Recipe, Roles, Table};
use shallows::file::{Destinations, FileRole, make_folder};
use shallows::job::landscape::{Answer, Beginning, Origin, Question, quadratic};
use shallows::model::Model;
use shallows::network::Network;

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
    /// A folder for figures, SVG and PNG; it is made if there is none
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// Everything the account and the record speak about.
struct Report<'a> {
    answer: &'a Answer<'a>,
    figures: Vec<PathBuf>,
    seconds: f64,
}

/// Run the verb.
pub fn run(args: &LandscapeArgs, common: &Common) -> Result<ExitCode, Failure> {
    let since = Instant::now();
    Destinations::default()
        .may_read(FileRole::Teacher, args.teacher.as_ref())
        .may_read(FileRole::Table, args.data.as_ref())
        .may_fill(FileRole::Figures, args.output.as_ref())
        .check()?;
    let question = args.question()?;
    question.check()?;
    args.output.iter().try_for_each(|folder| make_folder(folder))?;
    let answer = question.answer()?;
    let mut figures = vec![];
    if let Some(folder) = &args.output {
        for (name, figure) in answer.figures()? {
            figures.extend(figure.save_in(folder, name)?);
        }
    }
    let report = Report { answer: &answer, figures, seconds: since.elapsed().as_secs_f64() };
    if common.json {
        output::json(&words::record(&report))?;
    } else {
        output::bytes(words::words(&report).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

impl LandscapeArgs {
    fn question(&self) -> Result<Question, Failure> {
        let teacher = match &self.teacher {
            Some(path) => Origin::Given(read(path, "the teacher")?),
            None => Origin::Drawn { inputs: self.inputs, width: self.width, spectrum: self.spectrum.clone() },
        };
        Ok(Question {
            teacher,
            student_width: self.student_width,
            start: self.start()?,
            samples: self.samples,
            data: self.data.as_deref().map(samples).transpose()?,
            levels: self.levels,
            seed: self.seed,
        })
    }

    /// A name, or the file of a model.
    fn start(&self) -> Result<Beginning, Failure> {
        let path = Path::new(&self.start);
        if path.extension().is_none() && !path.exists() {
            return Ok(self.start.parse()?);
        }
        Ok(match self.start.parse() {
            Ok(named) => named,
            Err(_) => Beginning::Given { network: read(path, "the start")?, name: path.display().to_string() },
        })
    }
}

fn read(path: &Path, what: &str) -> Result<Network, Failure> {
    Ok(quadratic(&Model::load_quadratic(path)?, &format!("{}: {what}", path.display()))?)
}

/// The table as it is.
fn samples(path: &Path) -> Result<(Data, String), Failure> {
    let table = Table::read(path)?;
    let target = Roles::default().target(&table)?;
    let names = table.names.iter().filter(|name| **name != target).cloned().collect();
    Ok((Recipe::plain(names).data(&table, &target, None, None)?, path.display().to_string()))
}

//! `shallows teach`.

use std::path::{Path, PathBuf};

use clap::Args;
use shallows::activation::Activation;
use shallows::data::teacher::Hidden;
use shallows::job::teach::{DesignSource, TeachJob};

use crate::Common;
use crate::failure::{Failure, parse_named};
use crate::output;
use crate::progress::watched;

/// Make planted data: a teacher network, inputs, noise
///
/// The labels are y = Σ_j v_j φ(w_j·x) + noise. The same seed gives the same bits on any number of threads.
#[derive(Args)]
pub struct TeachArgs {
    /// φ: quadratic, relu, softplus, tanh, …; parameters follow a colon, as in softplus:10
    #[arg(long, short, value_name = "NAME", default_value = "relu", value_parser = parse_named::<Activation>)]
    activation: Activation,
    /// d, inputs per sample
    #[arg(long, short = 'd', value_name = "D", default_value = "10")]
    inputs: usize,
    /// k, hidden units of the teacher
    #[arg(long, short = 'k', value_name = "K", default_value = "5")]
    width: usize,
    /// n, samples to draw
    #[arg(long, short = 'n', value_name = "N", default_value = "1000")]
    samples: u64,
    /// The law of the inputs: gaussian (standard normal), sphere (uniform on the unit sphere), or the file of a
    /// d×d covariance matrix
    #[arg(long, value_name = "NAME|FILE", default_value = "gaussian")]
    design: String,
    /// Standard deviation of the label noise
    #[arg(long, value_name = "S", default_value = "0", allow_negative_numbers = true)]
    noise: f64,
    /// Orthonormal hidden weights (needs K ≤ D) [default: entries N(0, 1/D)]
    #[arg(long, group = "hidden")]
    orthogonal: bool,
    /// Hidden weights of this rank
    #[arg(long, value_name = "R", group = "hidden")]
    rank: Option<usize>,
    /// Eigenvalues of W*ᵀW*
    #[arg(long, value_name = "S1,S2,…", value_delimiter = ',', group = "hidden", allow_negative_numbers = true)]
    spectrum: Option<Vec<f64>>,
    /// Output weights: ones, signs (±1), uniform:LOW:HIGH, or given as V1,V2,…
    #[arg(long, value_name = "WHICH", default_value = "ones", allow_hyphen_values = true)]
    outputs: String,
    /// Everything random comes from it
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// Where to write the samples: CSV, Parquet or NPY by ending; `-` is CSV on standard output
    #[arg(long, short, value_name = "FILE", default_value = "planted.csv")]
    output: PathBuf,
    /// Save the teacher as a model
    #[arg(long, value_name = "FILE")]
    save_teacher: Option<PathBuf>,
}

/// Run the verb.
pub fn run(args: &TeachArgs, common: &Common) -> Result<(), Failure> {
    if common.json && args.output == Path::new("-") {
        return Err(Failure::with_hint(
            "--json and the samples cannot both go to standard output",
            "leave out --json, or write the samples to a file with -o FILE",
        ));
    }
    let job = args.job()?;
    let outcome = watched(common, |watch| job.run(watch))?;
    if common.json {
        return output::json(&outcome.document());
    }
    let into = |path: &Path| if path == Path::new("-") { "standard output".into() } else { path.display().to_string() };
    let (n, d) = (outcome.data.n(), outcome.data.d());
    output::remark(common, &format!("{n} samples of {d} inputs in {}", into(&args.output)));
    if let Some(path) = &outcome.teacher {
        output::remark(common, &format!("the teacher, {} {} units, in {}", args.width, args.activation, into(path)));
    }
    Ok(())
}

impl TeachArgs {
    fn job(&self) -> Result<TeachJob, Failure> {
        Ok(TeachJob {
            activation: self.activation.clone(),
            inputs: self.inputs,
            width: self.width,
            samples: self.samples,
            design: DesignSource::parse(&self.design)?,
            noise: self.noise,
            hidden: match (self.orthogonal, self.rank, &self.spectrum) {
                (true, ..) => Hidden::Orthogonal,
                (_, Some(rank), _) => Hidden::Rank(rank),
                (.., Some(values)) => Hidden::Spectrum(values.clone()),
                _ => Hidden::Gaussian,
            },
            outputs: self.outputs.parse()?,
            seed: self.seed,
            output: Some(self.output.clone()),
            teacher: self.save_teacher.clone(),
        })
    }
}

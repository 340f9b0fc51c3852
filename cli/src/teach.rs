//! `shallows teach`.

use std::path::{Path, PathBuf};

use clap::Args;
use shallows::activation::Activation;
use shallows::data::teacher::Hidden;
use shallows::job::teach::{DesignSource, TeachJob};

use crate::GlobalArgs;
use crate::failure::{Failure, parse_named};
use crate::output;
use crate::progress::watched;

/// Make planted data: a teacher network, inputs, noise
///
/// The labels are y = Σ_l v_l φ(w_l·x) + noise. The same seed gives the same bits on any number of threads.
#[derive(Args)]
pub struct TeachArgs {
    #[arg(long, short, value_parser = parse_named::<Activation>)]
    activation: Activation,
    #[arg(long, short = 'd')]
    inputs: usize,
    #[arg(long, short = 'k')]
    width: usize,
    #[arg(long, short = 'n')]
    samples: u64,
    #[arg(long)]
    design: String,
    #[arg(long, allow_negative_numbers = true)]
    noise: f64,
    #[arg(long, group = "hidden")]
    orthogonal: bool,
    #[arg(long, group = "hidden")]
    rank: Option<usize>,
    #[arg(long, value_delimiter = ',', group = "hidden", allow_negative_numbers = true)]
    spectrum: Option<Vec<f64>>,
    #[arg(long, allow_hyphen_values = true)]
    outputs: String,
    #[arg(long)]
    seed: u64,
    #[arg(long, short)]
    output: PathBuf,
    #[arg(long)]
    save_teacher: Option<PathBuf>,
}

/// Run the verb.
pub fn run(args: &TeachArgs, common: &GlobalArgs) -> Result<(), Failure> {
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

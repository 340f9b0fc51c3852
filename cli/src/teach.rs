//! `shallows teach`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use shallows::activation::Activation;
use shallows::data::teacher::{Design, Hidden, Outputs, Teacher, check_size};
use shallows::data::{Data, Table, write_columns};
use shallows::file::{Destinations, FileRole};
use shallows::job::words;
use shallows::model::Model;

use crate::Common;
use crate::failure::{Failure, parse_named};
use crate::output;

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
    check_size((args.width, args.inputs), args.samples)?;
    if common.json && args.output == Path::new("-") {
        return Err(Failure::with_hint(
            "--json and the samples cannot both go to standard output",
            "leave out --json, or write the samples to a file with -o FILE",
        ));
    }
    Destinations::default()
        .may_read(FileRole::Covariance, names_a_file(&args.design).then_some(&args.design))
        .writes(FileRole::Samples, &args.output)
        .may_write(FileRole::Teacher, args.save_teacher.as_ref())
        .check()?;
    let hidden = match (args.orthogonal, args.rank, &args.spectrum) {
        (true, ..) => Hidden::Orthogonal,
        (_, Some(rank), _) => Hidden::Rank(rank),
        (.., Some(values)) => Hidden::Spectrum(values.clone()),
        _ => Hidden::Gaussian,
    };
    let outputs: Outputs = args.outputs.parse()?;
    let shape = (args.width, args.inputs);
    let mut teacher = Teacher::plant(args.activation.clone(), shape, &hidden, &outputs, args.seed)?;
    teacher.design = parse_design(&args.design)?;
    teacher.noise = args.noise;
    let data = teacher.sample(0..args.samples)?;
    if let Some(path) = &args.save_teacher {
        Model::new(teacher.network, data.names.clone(), data.target.clone(), args.seed)?.save(path)?;
    }
    write_data(&args.output, &data)?;
    if common.json {
        let teacher = args.save_teacher.as_ref().map(|path| json!({ "path": words::path(path) }));
        let data =
            json!({ "path": words::path(&args.output), "rows": data.n(), "inputs": data.d(), "hash": data.hash() });
        return output::json(&json!({
            "data": data, "teacher": teacher, "seed": args.seed, "version": env!("CARGO_PKG_VERSION"),
        }));
    }
    let into = |path: &Path| if path == Path::new("-") { "standard output".into() } else { path.display().to_string() };
    output::remark(common, &format!("{} samples of {} inputs in {}", data.n(), data.d(), into(&args.output)));
    if let Some(path) = &args.save_teacher {
        output::remark(common, &format!("the teacher, {} {} units, in {}", args.width, args.activation, into(path)));
    }
    Ok(())
}

fn write_data(path: &Path, data: &Data) -> Result<(), Failure> {
    let names: Vec<String> = data.names.iter().chain([&data.target]).cloned().collect();
    let columns: Vec<Vec<f64>> = (0..data.d()).map(|j| data.X.column(j)).chain([data.y.clone()]).collect();
    Ok(write_columns(path, &names, &columns)?)
}

/// A law of the inputs has a name without an ending.
fn names_a_file(design: &str) -> bool {
    Path::new(design).extension().is_some()
}

fn parse_design(text: &str) -> Result<Design, Failure> {
    match names_a_file(text) {
        false => Ok(text.parse()?),
        true => Ok(Design::covariance(&Table::read(Path::new(text))?.matrix()?)?),
    }
}

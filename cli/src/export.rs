//! `shallows export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use shallows::activation::Activation;
use shallows::job::export::{ExportFormat, ExportJob, ExportPrecision};

use crate::GlobalArgs;
use crate::failure::{Failure, parse_named};
use crate::output;
use crate::progress::watched;

/// Write a saved network in another format
#[derive(Args)]
pub struct ExportArgs {
    model: PathBuf,
    #[arg(long, short, value_enum)]
    format: Option<Format>,
    #[arg(long, value_enum)]
    precision: Option<Bits>,
    #[arg(long, short, value_parser = parse_named::<Activation>)]
    activation: Option<Activation>,
    #[arg(long, short = 'k')]
    width: Option<usize>,
    #[arg(long)]
    seed: Option<u64>,
    #[arg(long, short)]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Json,
    Onnx,
    Safetensors,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Bits {
    F32,
    F64,
}

/// Run the verb.
pub fn run(args: &ExportArgs, common: &GlobalArgs) -> Result<(), Failure> {
    let outcome = watched(common, |watch| args.job().run(watch))?;
    if let Some(words) = outcome.finite_words() {
        output::remark(common, &words);
    }
    let Some(path) = &outcome.path else { return output::bytes(&outcome.content) };
    output::remark(common, &format!("{} bytes in {}", outcome.content.len(), path.display()));
    if common.json {
        return output::json(&outcome.document());
    }
    Ok(())
}

impl ExportArgs {
    fn job(&self) -> ExportJob {
        ExportJob {
            model: self.model.clone().into(),
            format: self.format.map(|format| match format {
                Format::Json => ExportFormat::Json,
                Format::Onnx => ExportFormat::Onnx,
                Format::Safetensors => ExportFormat::Safetensors,
            }),
            precision: self.precision.map(|bits| match bits {
                Bits::F32 => ExportPrecision::Single,
                Bits::F64 => ExportPrecision::Double,
            }),
            activation: self.activation.clone(),
            width: self.width,
            seed: self.seed,
            output: self.output.clone(),
        }
    }
}

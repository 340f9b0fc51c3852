//! `shallows export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use shallows::activation::Activation;
use shallows::job::export::{ExportFormat, ExportJob};
use shallows::model::onnx::Precision;

use crate::Common;
use crate::failure::{Failure, parse_named};
use crate::output;
use crate::progress::watched;

/// Write a saved network in another format
#[derive(Args)]
pub struct ExportArgs {
    /// A model saved by `fit` or `teach`, or a safetensors file with tensors W and v from elsewhere
    model: PathBuf,
    /// json, onnx or safetensors [default: by the ending of --output, json without one]
    #[arg(long, short, value_enum)]
    format: Option<Format>,
    /// Numbers in an ONNX file
    #[arg(long, value_enum, default_value = "f64")]
    precision: Bits,
    /// The activation, for a file from elsewhere that does not say
    #[arg(long, short, value_name = "NAME", value_parser = parse_named::<Activation>)]
    activation: Option<Activation>,
    /// Where to write [default: JSON on standard output]
    #[arg(long, short, value_name = "FILE")]
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
pub fn run(args: &ExportArgs, common: &Common) -> Result<(), Failure> {
    let outcome = watched(common, |watch| args.job().run(watch))?;
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
            model: self.model.clone(),
            format: self.format.map(|format| match format {
                Format::Json => ExportFormat::Json,
                Format::Onnx => ExportFormat::Onnx,
                Format::Safetensors => ExportFormat::Safetensors,
            }),
            precision: match self.precision {
                Bits::F32 => Precision::F32,
                Bits::F64 => Precision::F64,
            },
            activation: self.activation.clone(),
            output: self.output.clone(),
        }
    }
}

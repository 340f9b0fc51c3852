//! `shallows export`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;
use shallows::activation::Activation;
use shallows::file::{Destinations, FileRole, write_atomically};
use shallows::job::words;
use shallows::model::Model;
use shallows::model::onnx::{Precision, onnx};

use crate::Common;
use crate::failure::{Failure, parse_named};
use crate::output;

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
    let format = args.format()?;
    Destinations::default()
        .reads(FileRole::Model, &args.model)
        .may_write(FileRole::Export, args.output.as_ref())
        .check()?;
    let model = Model::load_with(&args.model, args.activation.clone())?;
    let content = match format {
        Format::Json => format!("{:#}\n", model.to_json()).into_bytes(),
        Format::Onnx if args.precision == Bits::F32 => onnx(&model, Precision::F32)?,
        Format::Onnx => onnx(&model, Precision::F64)?,
        Format::Safetensors => model.to_bytes()?,
    };
    let Some(path) = args.output.as_deref().filter(|path| *path != Path::new("-")) else {
        return output::bytes(&content);
    };
    write_atomically(path, |out| out.write_all(&content))?;
    output::remark(common, &format!("{} bytes in {}", content.len(), path.display()));
    if common.json {
        return output::json(&json!({ "path": words::path(path), "bytes": content.len() }));
    }
    Ok(())
}

impl ExportArgs {
    fn format(&self) -> Result<Format, Failure> {
        let ending = |path: &Path| path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
        match (self.format, &self.output) {
            (None, Some(path)) if path == Path::new("-") => Ok(Format::Json),
            (Some(format), None) if format != Format::Json => {
                Err(Failure::with_hint("a binary format needs a file", "add -o FILE"))
            }
            (Some(format), _) => Ok(format),
            (None, None) => Ok(Format::Json),
            (None, Some(path)) => match ending(path).as_deref() {
                Some("json") => Ok(Format::Json),
                Some("onnx") => Ok(Format::Onnx),
                Some("safetensors") => Ok(Format::Safetensors),
                _ => Err(Failure::with_hint(
                    format!("the ending of {} does not say which format to write", path.display()),
                    "end it in .json, .onnx or .safetensors, or say --format",
                )),
            },
        }
    }
}

//! `shallows predict`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use shallows::data::{Table, write_columns};
use shallows::error::list;
use shallows::fit::Model;

use crate::Common;
use crate::failure::Failure;
use crate::output;

/// Predict with a saved network
///
/// The columns of DATA are matched with the model's inputs by name, in any order; the target may be among them. A
/// table without names (NPY) is matched by position.
#[derive(Args)]
pub struct PredictArgs {
    /// A model saved by `fit` or `teach`
    model: PathBuf,
    /// CSV, Parquet or NPY; `-` reads CSV from standard input
    data: PathBuf,
    /// Where to write the column "prediction": CSV, Parquet or NPY by ending [default: CSV on standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Leave columns aside that the model does not know (its target is always left aside)
    #[arg(long)]
    ignore_extra: bool,
}

/// Run the verb.
pub fn run(args: &PredictArgs, common: &Common) -> Result<(), Failure> {
    if let Some(path) = &args.output {
        output::check_destination(path, &args.data)?;
    }
    let model = Model::load(&args.model)?;
    let table = Table::read(&args.data)?;
    let inputs = table.inputs_for(&model.inputs)?;
    let predictions = model.network.predict(&inputs.X)?;
    let unused: Vec<String> = inputs.ignored.iter().filter(|name| **name != model.target).cloned().collect();
    if !unused.is_empty() && !args.ignore_extra {
        return Err(Failure::with_hint(
            format!("{} has columns the model does not know: {}", args.data.display(), list(&unused)),
            "--ignore-extra leaves them aside",
        ));
    }
    if let Some(at) = predictions.iter().position(|f| !f.is_finite()) {
        return Err(Failure::with_hint(
            format!("the prediction for row {at} is not a finite number"),
            "the inputs of that row are far outside the range the model was fitted on",
        ));
    }
    match args.output.as_deref().filter(|path| *path != Path::new("-")) {
        Some(path) => {
            write_columns(path, &["prediction".to_owned()], &[&predictions])?;
            output::remark(common, &format!("{} predictions in {}", predictions.len(), path.display()));
            if common.json {
                return output::json(&json!({ "rows": predictions.len(), "path": path }));
            }
            Ok(())
        }
        None if common.json => output::json(&json!({ "rows": predictions.len(), "predictions": predictions })),
        None => Ok(write_columns("-".as_ref(), &["prediction".to_owned()], &[&predictions])?),
    }
}

//! `shallows predict`.

use std::path::{Path, PathBuf};

use clap::Args;
use shallows::job::predict::PredictJob;

use crate::Common;
use crate::failure::Failure;
use crate::output;
use crate::progress::watched;

/// Predict with a saved network
///
/// The columns of DATA are found by name, in any order; the target may be among them. A table without names (NPY) is
/// matched by position. Words and gaps become what the fit learned to make of them; what it had not seen is remarked on.
/// Predictions and intervals are in the units of the target, also where its logarithm was fitted.
#[derive(Args)]
pub struct PredictArgs {
    /// A model saved by `fit` or `teach`
    model: PathBuf,
    /// CSV, Parquet or NPY; `-` reads CSV from standard input
    data: PathBuf,
    /// Where to write the column "prediction" (with --interval also "lower" and "upper"): CSV, Parquet or NPY by
    /// ending [default: CSV on standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Leave columns aside that the model does not know (its target is always left aside)
    #[arg(long)]
    ignore_extra: bool,
    /// A column that DATA lacks, with this value in each row
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    fill: Vec<(String, String)>,
    /// Give intervals that are to cover this share of new targets, such as 0.9; what is proved of them is said. The model
    /// must come from an automatic fit of a table of numbers, or from one with --calibrate
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true)]
    interval: Option<f64>,
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("not of the form NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Run the verb.
pub fn run(args: &PredictArgs, common: &Common) -> Result<(), Failure> {
    let outcome = watched(common, |watch| args.job().run(watch))?;
    outcome.remarks.iter().for_each(|words| output::remark(common, words));
    outcome.intervals.iter().for_each(|intervals| output::remark(common, &intervals.statement));
    if let Some(path) = &outcome.path {
        output::remark(common, &format!("{} predictions in {}", outcome.predictions.len(), path.display()));
    }
    match &outcome.path {
        _ if common.json => output::json(&outcome.document()),
        Some(_) => Ok(()),
        None => Ok(outcome.write(Path::new("-"))?),
    }
}

impl PredictArgs {
    fn job(&self) -> PredictJob {
        PredictJob {
            model: self.model.clone(),
            table: self.data.clone(),
            fill: self.fill.clone(),
            ignore_extra: self.ignore_extra,
            interval: self.interval,
            output: self.output.clone(),
        }
    }
}

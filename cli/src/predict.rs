//! `shallows predict`.

use std::path::{Path, PathBuf};

use clap::Args;
use shallows::job::predict::PredictJob;

use crate::GlobalArgs;
use crate::failure::Failure;
use crate::output;
use crate::progress::watched;

/// Predict with a saved network
///
/// The columns of DATA are found by name, in any order; the target may be among them. A table without names (NPY) is
/// matched by position. Words and gaps are treated as in the fit; categories and gaps not seen in training cause a warning.
/// Predictions and intervals are in the units of the target, also where its logarithm was fitted.
#[derive(Args)]
pub struct PredictArgs {
    model: PathBuf,
    data: PathBuf,
    #[arg(long, short)]
    output: Option<PathBuf>,
    #[arg(long)]
    ignore_extra: bool,
    #[arg(long, value_parser = name_and_value)]
    fill: Vec<(String, String)>,
    #[arg(long, allow_negative_numbers = true)]
    interval: Option<f64>,
    #[arg(long)]
    deviation: bool,
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("not of the form NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Run the verb.
pub fn run(args: &PredictArgs, common: &GlobalArgs) -> Result<(), Failure> {
    let outcome = watched(common, |watch| args.job().run(watch))?;
    outcome.remarks.iter().for_each(|words| output::remark(common, words));
    outcome.intervals.iter().for_each(|intervals| output::remark(common, &intervals.statement));
    outcome.deviations.iter().for_each(|(_, statement)| output::remark(common, statement));
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
            model: self.model.clone().into(),
            rows: self.data.clone().into(),
            fill: self.fill.clone(),
            ignore_extra: self.ignore_extra,
            interval: self.interval,
            deviation: self.deviation,
            output: self.output.clone(),
        }
    }
}

//! `shallows predict`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use shallows::data::{Table, write_columns};
use shallows::error::list;
use shallows::file::{Destinations, FileRole};
use shallows::job::words;
use shallows::model::Model;
use shallows::model::check_predictions;

use crate::Common;
use crate::failure::Failure;
use crate::output;

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
    Destinations::default()
        .reads(FileRole::Model, &args.model)
        .reads(FileRole::Table, &args.data)
        .may_write(FileRole::Predictions, args.output.as_ref())
        .check()?;
    let model = Model::load(&args.model)?;
    let mut table = Table::read(&args.data)?;
    for (name, text) in &args.fill {
        table.fill(name, text)?;
    }
    let inputs = model.recipe.inputs(&table)?;
    let predictions = model.predict(&inputs.X)?;
    let unused: Vec<String> = inputs.ignored.iter().filter(|name| **name != model.target).cloned().collect();
    if !unused.is_empty() && !args.ignore_extra {
        return Err(Failure::with_hint(
            format!("{} has columns the model does not know: {}", args.data.display(), list(&unused)),
            "--ignore-extra leaves them aside",
        ));
    }
    check_predictions(&predictions)?;
    let intervals = args.interval.map(|level| model.finite_intervals(&inputs.X, level)).transpose()?;
    inputs.remarks.iter().for_each(|words| output::remark(common, words));
    let mut names = vec!["prediction".to_owned()];
    let mut columns = vec![predictions];
    let mut document = json!({ "rows": columns[0].len(), "remarks": inputs.remarks });
    if let (Some(level), Some(intervals)) = (args.interval, intervals) {
        let (lower, upper) = intervals.into_iter().unzip();
        columns.extend([lower, upper]);
        names.extend(["lower".to_owned(), "upper".to_owned()]);
        let calibration = model.calibration()?;
        let statement = calibration.statement(level);
        document["interval"] =
            json!({ "level": level, "guarantee": calibration.guarantee(level), "statement": statement });
        output::remark(common, &statement);
    }
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    if path == Path::new("-") && common.json {
        let keys = ["predictions", "lower", "upper"];
        keys.iter().zip(&columns).for_each(|(key, column)| document[*key] = json!(column));
        return output::json(&document);
    }
    write_columns(path, &names, &columns)?;
    if path != Path::new("-") {
        output::remark(common, &format!("{} predictions in {}", columns[0].len(), path.display()));
        document["path"] = json!(words::path(path));
        if common.json {
            return output::json(&document);
        }
    }
    Ok(())
}

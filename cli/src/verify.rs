//! `shallows verify`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use shallows::activation::Activation;
use shallows::certificate::Record;
use shallows::data::{Scale, Table};
use shallows::fit::Model;

use crate::Common;
use crate::certify::report;
use crate::failure::Failure;

/// Check a certificate from scratch, trusting nothing in it
///
/// Everything is computed again from the table and the network; any field that comes out differently is refused.
#[derive(Args)]
#[command(after_help = "\
Exit status: 0 the certificate is right and every claim holds, 1 it is right and a claim fails or is undecided,
2 it is refused, or an error")]
pub struct VerifyArgs {
    /// A certificate written by `certify` or `fit`
    certificate: PathBuf,
    /// The table it speaks about
    data: PathBuf,
    /// The model it speaks about, to be compared with the network in the certificate
    model: Option<PathBuf>,
}

/// Run the verb.
pub fn run(args: &VerifyArgs, common: &Common) -> Result<ExitCode, Failure> {
    let record = Record::load(&args.certificate)?;
    let table = Table::read(&args.data)?;
    let data = record.data(&table)?;
    let model =
        args.model.as_ref().map(|path| Model::load(path).or_else(|_| Model::load_with(path, Some(Activation::SQUARE))));
    let model = model.transpose()?;
    if let Some(model) = &model {
        same_scale(&record, model)?;
    }
    record.verify(&data, model.as_ref().map(Model::only).transpose()?)?;
    report(&record, common, json!({ "path": args.certificate }))
}

/// The weights of a network do not say whether it stands for y or for ln(y); a model of ours does.
fn same_scale(record: &Record, model: &Model) -> Result<(), Failure> {
    let certified = record.source().recipe.map_or(Scale::Identity, |recipe| recipe.target_scale());
    let predicted = model.recipe.target_scale();
    if certified == predicted || model.version.is_empty() {
        return Ok(());
    }
    Err(Failure::with_hint(
        format!(
            "the certificate speaks about target scale {}, but the model was fitted on {}",
            certified.name(),
            predicted.name()
        ),
        "is this the model it was made for?",
    ))
}

//! `shallows verify`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use shallows::certificate::Certificate;
use shallows::data::Table;
use shallows::job::words;
use shallows::model::Model;

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
    let record = Certificate::load(&args.certificate)?;
    let table = Table::read(&args.data)?;
    let data = record.data(&table)?;
    match &args.model {
        Some(path) => record.verify_model(&data, &Model::load_quadratic(path)?)?,
        None => record.verify(&data)?,
    };
    report(&record, common, json!({ "path": words::path(&args.certificate) }))
}

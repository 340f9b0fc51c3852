//! `shallows certify`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use shallows::certificate::file::{StoredCheck, StoredJudgement};
use shallows::certificate::{Certificate, Claim, Source, Theorem, Verdict};
use shallows::data::Table;
use shallows::file::{Destinations, FileRole};
use shallows::job::words;
use shallows::model::Model;

use crate::Common;
use crate::failure::Failure;
use crate::output::{self, left_out};
use crate::signs::SignsArg;

/// Prove how far a saved quadratic network is from the best one, or that there is a way down
///
/// The objective is P = ½Σωr² + T·Σ|v|‖w‖² on the rows of DATA, with ω = 1/n or the normalised weights; r is the
/// error of ln(y) for a model fitted with --target-scale log. The best is taken over all quadratic networks of any
/// width with output weights of the given signs.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows certify energy.safetensors energy.csv --certificate energy.certificate.json
  shallows certify foreign.safetensors data.csv --signs positive --no-linear --no-intercept --decay 0.01
  shallows certify stuck.safetensors data.csv --theorem strict-saddle --json

Exit status: 0 every claim holds, 1 a claim fails or is undecided, 2 error")]
pub struct CertifyArgs {
    /// A model saved by `fit` or `teach`, or a safetensors file with tensors W and v from elsewhere
    model: PathBuf,
    /// CSV, Parquet or NPY; `-` reads CSV from standard input
    data: PathBuf,
    /// The column that is predicted [default: the model's, else the last]
    #[arg(long, short, value_name = "NAME")]
    target: Option<String>,
    /// A column of sample weights, each at least 0
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    /// The signs that output weights may have
    #[arg(long, value_enum, default_value = "any")]
    signs: SignsArg,
    /// τ ≥ 0, the weight of the penalty Σ|v|‖w‖² on raw inputs
    #[arg(long, value_name = "T", default_value = "0", allow_negative_numbers = true)]
    decay: f64,
    /// Compete only against networks without a linear part
    #[arg(long)]
    no_linear: bool,
    /// Compete only against networks without an intercept
    #[arg(long)]
    no_intercept: bool,
    /// The relative gap up to which the network counts as optimal
    #[arg(long, value_name = "G", default_value = "1e-6")]
    tolerance: f64,
    /// global-optimum, approximate-minimum, full-rank-stationary, strict-saddle, wide-quadratic or planted-quadratic
    #[arg(long, value_name = "ID", default_value = "global-optimum")]
    theorem: Vec<String>,
    /// Where to write the certificate, for `shallows verify`
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
}

/// Run the verb.
pub fn run(args: &CertifyArgs, common: &Common) -> Result<ExitCode, Failure> {
    Destinations::default()
        .reads(FileRole::Model, &args.model)
        .reads(FileRole::Table, &args.data)
        .may_write(FileRole::Certificate, args.certificate.as_ref())
        .check()?;
    let model = Model::load_quadratic(&args.model)?;
    let table = Table::read(&args.data)?;
    let (data, source) = Source::of_model(&model, &table, args.target.as_deref(), args.weight.as_deref())?;
    let target = source.target.as_ref().unwrap_or(&data.target);
    let theorems = args.theorem.iter().map(|id| id.parse()).collect::<Result<Vec<Theorem>, _>>()?;
    let record =
        Certificate::new(&theorems, model.only()?, &data, &source, &args.claim(data.d()), None, args.tolerance)?;
    if data.n() < table.rows() {
        output::remark(common, &left_out(table.rows() - data.n(), target));
    }
    if let Some(path) = &args.certificate {
        record.save(path)?;
        output::remark(common, &format!("certificate in {}", path.display()));
    }
    let path = args.certificate.as_ref();
    report(&record, common, json!({ "path": path.map(words::path) }))
}

/// The certificates on standard output, the verdict as exit status.
pub fn report(record: &Certificate, common: &Common, certificate: serde_json::Value) -> Result<ExitCode, Failure> {
    if common.json {
        let version = env!("CARGO_PKG_VERSION");
        output::json(&json!({
            "certificates": record.document(), "certificate": certificate, "version": version,
        }))?;
    } else {
        let checks = record.judgements().iter().map(checks);
        let text: String =
            record.statements().iter().zip(checks).map(|(one, checks)| format!("{one}\n{checks}")).collect();
        output::bytes(text.as_bytes())?;
    }
    Ok(if record.verdict() == Verdict::Holds { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The hypotheses of a theorem, a line each; those of global-optimum are in its statement.
fn checks(judgement: &StoredJudgement) -> String {
    if judgement.theorem == Theorem::GlobalOptimum {
        return String::new();
    }
    let line = |check: &StoredCheck| format!("  {:9}  {}\n", check.verdict.to_string(), check.hypothesis);
    judgement.checks.iter().map(line).collect()
}

impl CertifyArgs {
    fn claim(&self, d: usize) -> Claim {
        Claim {
            signs: self.signs.into(),
            decay: self.decay,
            linear: !self.no_linear,
            intercept: !self.no_intercept,
            exponents: vec![0; d],
        }
    }
}

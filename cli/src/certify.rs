//! `shallows certify`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use shallows::certificate::Theorem;
use shallows::job::certify::CertifyJob;

use crate::Common;
use crate::failure::{Failure, parse_named};
use crate::judgements;
use crate::output;
use crate::progress::watched;
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
    #[arg(long, value_name = "ID", default_value = "global-optimum", value_parser = parse_named::<Theorem>)]
    theorem: Vec<Theorem>,
    /// Where to write the certificate, for `shallows verify`
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
}

/// Run the verb.
pub fn run(args: &CertifyArgs, common: &Common) -> Result<ExitCode, Failure> {
    let outcome = watched(common, |watch| args.job().run(watch))?;
    outcome.remark.iter().for_each(|words| output::remark(common, words));
    if let Some(path) = &outcome.path {
        output::remark(common, &format!("certificate in {}", path.display()));
    }
    judgements::tell(&outcome, common)
}

impl CertifyArgs {
    fn job(&self) -> CertifyJob {
        CertifyJob {
            model: self.model.clone(),
            table: self.data.clone(),
            target: self.target.clone(),
            weight: self.weight.clone(),
            signs: self.signs.into(),
            decay: self.decay,
            linear: !self.no_linear,
            intercept: !self.no_intercept,
            tolerance: self.tolerance,
            theorems: self.theorem.clone(),
            certificate: self.certificate.clone(),
        }
    }
}

//! `shallows certify`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use shallows::certificate::Theorem;
use shallows::job::certify::CertifyJob;

use crate::GlobalArgs;
use crate::failure::{Failure, parse_theorem};
use crate::judgements;
use crate::output;
use crate::progress::watched;
use crate::signs::SignsArg;

/// Prove how far a saved network is from the best one, or that there is a way down
///
/// For a quadratic network the objective is P = ½Σωr² + T·Σ|v|‖w‖² on the rows of DATA, with ω = 1/n or the normalised
/// weights; r is the error of ln(y) for a model fitted with --target-scale log. The best network is the best of all
/// quadratic networks of any width with output weights of the given signs. For an infinitely wide network it is
/// P = ½Σωr² + ½ρ‖f − a‖², with the laws and the ρ of the model, and the best one is the best output layer over its hidden
/// layers, on exactly the rows that it was fitted to.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows certify energy.safetensors energy.csv --certificate energy.certificate.json
  shallows certify foreign.safetensors data.csv --signs positive --no-linear --no-intercept --decay 0.01
  shallows certify stuck.safetensors data.csv --theorem strict-saddle --json

Exit status: 0 every claim holds, 1 a claim fails or is undecided, 2 error")]
pub struct CertifyArgs {
    model: PathBuf,
    data: PathBuf,
    #[arg(long, short)]
    target: Option<String>,
    #[arg(long)]
    weight: Option<String>,
    #[arg(long, value_enum)]
    signs: SignsArg,
    #[arg(long, allow_negative_numbers = true)]
    decay: f64,
    #[arg(long)]
    no_linear: bool,
    #[arg(long)]
    no_intercept: bool,
    #[arg(long)]
    tolerance: f64,
    #[arg(long, value_parser = parse_theorem)]
    theorem: Vec<Theorem>,
    #[arg(long)]
    certificate: Option<PathBuf>,
}

/// Run the verb.
pub fn run(args: &CertifyArgs, common: &GlobalArgs) -> Result<ExitCode, Failure> {
    let outcome = watched(common, |watch| args.job().run(watch))?;
    if let Some(path) = &outcome.path {
        output::remark(common, &format!("certificate in {}", path.display()));
    }
    judgements::tell(&outcome, common)
}

impl CertifyArgs {
    fn job(&self) -> CertifyJob {
        CertifyJob {
            model: self.model.clone().into(),
            rows: self.data.clone().into(),
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

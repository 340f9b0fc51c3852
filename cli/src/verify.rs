//! `shallows verify`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use shallows::job::verify::VerifyJob;

use crate::GlobalArgs;
use crate::failure::Failure;
use crate::judgements;
use crate::progress::watched;

/// Check a certificate from scratch, trusting nothing in it
///
/// Every claim is judged from the table, the networks and the proof in the certificate. A certificate of `landscape` is about no table.
/// With MODEL it also says whether the model is what the claims are about, or its members are: where an automatic fit chose an
/// affine function, the certificate is about the quadratic network beside it, and nothing is proved about the model.
#[derive(Args)]
#[command(after_help = "\
Exit status: 0 the certificate is right and every claim holds, 1 it is right, but a claim fails or is undecided,
or the claims are about another network than MODEL, 2 it is refused, or an error")]
pub struct VerifyArgs {
    certificate: PathBuf,
    data: Option<PathBuf>,
    model: Option<PathBuf>,
}

/// Run the verb.
pub fn run(args: &VerifyArgs, common: &GlobalArgs) -> Result<ExitCode, Failure> {
    judgements::tell(&watched(common, |watch| args.job().run(watch))?, common)
}

impl VerifyArgs {
    fn job(&self) -> VerifyJob {
        VerifyJob {
            certificate: self.certificate.clone().into(),
            rows: self.data.clone().map(Into::into),
            model: self.model.clone().map(Into::into),
            ..VerifyJob::default()
        }
    }
}

//! What `certify` and `verify` say about certificates.

use std::process::ExitCode;

use shallows::certificate::Theorem;
use shallows::certificate::file::{CertifiedPart, StoredCheck, StoredClaim};
use shallows::job::certificates::CertificateOutcome;

use crate::GlobalArgs;
use crate::failure::Failure;
use crate::output;

/// The certificates on standard output, the verdict as exit status.
pub fn tell(outcome: &CertificateOutcome, common: &GlobalArgs) -> Result<ExitCode, Failure> {
    if let Some(remark) = &outcome.remark {
        output::remark(common, remark);
    }
    if common.json {
        output::json(&outcome.document())?;
    } else {
        output::bytes(words(outcome).as_bytes())?;
    }
    Ok(if outcome.holds() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn words(outcome: &CertificateOutcome) -> String {
    let certificate = &outcome.certificate;
    let checks = certificate.claims().iter().map(checks);
    let about = outcome.part.and_then(CertifiedPart::words).map(|words| format!("{}\n", output::wrapped(&words, 0)));
    let claims = certificate.statements().into_iter().zip(checks).map(|(one, checks)| format!("{one}\n{checks}"));
    about.into_iter().chain(claims).collect()
}

/// The hypotheses of a theorem, a line each; those about an optimum are in the statement.
fn checks(claim: &StoredClaim) -> String {
    if matches!(claim.theorem, Theorem::GlobalOptimum | Theorem::WideOptimum) {
        return String::new();
    }
    let line = |check: &StoredCheck| format!("  {:9}  {}\n", check.verdict.to_string(), check.hypothesis);
    claim.checks.iter().map(line).collect()
}

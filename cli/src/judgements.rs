//! What `certify` and `verify` say about certificates.

use std::process::ExitCode;

use shallows::certificate::Theorem;
use shallows::certificate::file::{StoredCheck, StoredClaim};
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
    certificate.statements().iter().zip(checks).map(|(one, checks)| format!("{one}\n{checks}")).collect()
}

/// The hypotheses of a theorem, a line each; those about an optimum are in the statement.
fn checks(claim: &StoredClaim) -> String {
    if matches!(claim.theorem, Theorem::GlobalOptimum | Theorem::WideOptimum) {
        return String::new();
    }
    let line = |check: &StoredCheck| format!("  {:9}  {}\n", check.verdict.to_string(), check.hypothesis);
    claim.checks.iter().map(line).collect()
}

//! `shallows-verify CERTIFICATE TABLE`: the checker alone, for those who want to trust nothing else.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::process::ExitCode;

use shallows_verify::{Certificate, CheckedClaim, Error, Verdict, table::Table};

const USAGE: &str = "\
Check a certificate against the table it was issued for, trusting nothing in it

Usage: shallows-verify CERTIFICATE [TABLE]

  CERTIFICATE  a certificate file of format 3, 4 or 5, as `shallows fit` and `shallows certify` write it
  TABLE        the CSV file; not needed where the claims are about no rows

Every claim is judged from the table and from the numbers of its proof. CONTRACT.md says what is claimed and what is
assumed, FORMAT.md what the file holds.

Exit status: 0 every claim is confirmed and holds, 1 one does not, 2 error";

/// A larger certificate is not read.
const MOST_BYTES: u64 = 1 << 28;

fn main() -> ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    let named = |name: &str| arguments.iter().any(|argument| argument == name);
    if named("-h") || named("--help") {
        return said(USAGE, 0);
    }
    if named("-V") || named("--version") {
        return said(concat!("shallows-verify ", env!("CARGO_PKG_VERSION")), 0);
    }
    let (certificate, table) = match &arguments[..] {
        [certificate] => (certificate, None),
        [certificate, table] => (certificate, Some(table)),
        _ => return failed("one certificate and at most one table are needed\nhint: shallows-verify --help"),
    };
    match checked(certificate.as_ref(), table.map(AsRef::as_ref)) {
        Ok((text, true)) => said(&text, 0),
        Ok((text, false)) => said(&text, 1),
        Err(problem) => failed(&problem),
    }
}

/// What was found, in words, and whether every claim holds.
fn checked(certificate: &std::path::Path, table: Option<&std::path::Path>) -> Result<(String, bool), String> {
    let problem = |path: &std::path::Path, problem: String| format!("{}: {problem}", path.display());
    let open = |path: &std::path::Path| File::open(path).map_err(|error| problem(path, error.to_string()));
    let mut text = String::new();
    let read = open(certificate)?.take(MOST_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| problem(certificate, error.to_string()))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(problem(certificate, "the file is too large for a certificate".into()));
    }
    let of_certificate = |error: Error| problem(certificate, error.to_string());
    let proof = Certificate::read(&text).map_err(of_certificate)?;
    let rows = match (table, &proof.rows) {
        (Some(path), Some(_)) => {
            let table = Table::read(BufReader::new(open(path)?)).map_err(|error| problem(path, error.to_string()))?;
            proof.rows_of(&table).map_err(|error| problem(path, error.to_string()))?
        }
        (None, Some(_)) => return Err("the claims are about rows of a table\nhint: name the table, too".into()),
        (_, None) => None,
    };
    let remarks: Vec<String> = rows.iter().flat_map(|rows| rows.remarks.clone()).collect();
    let given = rows.as_ref().map(|rows| rows.rows()).transpose().map_err(of_certificate)?;
    let claims = proof.check(given).map_err(of_certificate)?;
    let holds = claims.iter().all(|claim| claim.verdict() == Verdict::Holds);
    Ok((words(&proof, &remarks, &claims), holds))
}

fn words(proof: &Certificate, remarks: &[String], claims: &[CheckedClaim]) -> String {
    let about = proof.rows.iter().map(|rows| format!("about: {}", rows.words()));
    let remarks = remarks.iter().map(|remark| format!("note: {remark}"));
    let claims = claims.iter().map(|claim| {
        let judgement = &claim.judgement;
        let objection = claim.objection.iter().map(|objection| format!("\n  not confirmed: {objection}"));
        let objection: String = objection.collect();
        format!("{} ({}): {}{objection}", judgement.theorem, claim.verdict(), judgement.statement)
    });
    about.chain(remarks).chain(claims).collect::<Vec<String>>().join("\n")
}

fn said(text: &str, status: u8) -> ExitCode {
    // A closed pipe is the reader's choice.
    let _ = writeln!(std::io::stdout(), "{text}");
    ExitCode::from(status)
}

fn failed(problem: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "error: {problem}");
    ExitCode::from(2)
}

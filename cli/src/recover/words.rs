//! What `recover` says.

use std::fmt::Write as _;

use shallows::certificate::{Theorem, Verdict};
use shallows::job::recover::RecoverOutcome;
use shallows::recover::{Alignment, DRAWS, Evidence, Finding, InputTests, Rank, RecoveredUnit, Recovery, Test};

use crate::output::{self, brief, number, table, wrapped};

/// More units than this are in the record and the model, not in the table.
const MOST_ROWS: usize = 30;

/// Half a screen of words.
pub(super) fn words(outcome: &RecoverOutcome) -> String {
    let mut out = String::new();
    let recovery = &outcome.recovery;
    // Writing to a string cannot fail.
    let mut line = |text: String| writeln!(out, "{text}").unwrap_or_default();
    line(heading(outcome));
    if let Some(tests) = &recovery.tests {
        line(inputs_words(tests, recovery.whitened));
    }
    if let Some(rank) = &recovery.rank {
        line(wrapped(&rank_words(rank), 9));
    }
    if let Some(evidence) = &recovery.evidence {
        line(evidence_words(evidence));
    }
    for warning in &recovery.warnings {
        line(wrapped(&format!("Warning  {warning}"), 9));
    }
    line(String::new());
    line(wrapped(&finding_words(recovery), 2));
    if recovery.finding == Finding::Recovered {
        line(String::new());
        line(unit_table(&recovery.units));
    }
    if let Some(matched) = &outcome.matched {
        line(String::new());
        line(wrapped(&match_words(matched, outcome.is_even()), 2));
    }
    let designed = outcome.certificates.iter().find(|found| found.theorem == Theorem::DesignedLandscape);
    if let Some(certificate) = designed.filter(|found| found.verdict() == Verdict::Holds) {
        let (theorem, statement) = (certificate.theorem, &certificate.statement);
        line(wrapped(&format!("Theory: {theorem} holds with these units as the teacher: {statement}."), 2));
    }
    if let Some(path) = &outcome.saved {
        line(String::new());
        line(format!("Saved {}; `shallows predict {} DATA` applies it", path.display(), path.display()));
    }
    if let Some(path) = &outcome.certificate_path {
        line(format!("Saved {}; `shallows verify {}` checks it", path.display(), path.display()));
    }
    out
}

fn heading(outcome: &RecoverOutcome) -> String {
    let (rows, inputs) = (outcome.recovery.rows, outcome.inputs.len());
    let (target, activation) = (shallows::error::excerpt(&outcome.target), &outcome.activation);
    format!("{rows} rows of {inputs} inputs, target {target}, activation {activation}")
}

fn inputs_words(tests: &InputTests, whitened: bool) -> String {
    let p = |test: Test| if test.p < 1e-4 { "p < 0.0001".into() } else { format!("p = {}", brief(test.p)) };
    let skewness = tests.skewness.map_or("not tested".into(), p);
    let done = if whitened { "; whitened" } else { "; taken as N(0, I)" };
    format!(
        "Inputs   mean 0: {}, covariance I: {}, Gaussian skewness: {skewness}, kurtosis: {}{done}",
        p(tests.mean),
        p(tests.covariance),
        p(tests.kurtosis)
    )
}

fn rank_words(rank: &Rank) -> String {
    let noise = rank.noise.last().copied().unwrap_or(f64::NAN);
    let eigenvalues: Vec<String> = rank.eigenvalues.iter().take(rank.rank + 1).map(|x| brief(*x)).collect();
    format!(
        "Units    {} stand out in the second moments: eigenvalues {}{}, noise up to {} (largest of {DRAWS} draws)",
        rank.rank,
        eigenvalues.join(", "),
        if rank.eigenvalues.len() > rank.rank + 1 { ", …" } else { "" },
        brief(noise)
    )
}

fn evidence_words(evidence: &Evidence) -> String {
    format!(
        "Evidence error on {} held-out rows {} of the spread of y, on the others {}",
        evidence.held_out_rows,
        brief(evidence.held_out_error),
        brief(evidence.training_error)
    )
}

fn finding_words(recovery: &Recovery) -> String {
    match &recovery.finding {
        Finding::Recovered if recovery.evidence.as_ref().is_some_and(|evidence| evidence.is_exact()) => format!(
            "Recovered: {}. The network reproduces the labels of rows it has never seen up to rounding; this is evidence, not proof.",
            output::units(recovery.units.len())
        ),
        Finding::Recovered => format!(
            "Recovered: {}, within the noise (standard deviation {}). The residuals show nothing beyond it; units smaller than about {} (|v|‖w‖) or nearly parallel to others would not be seen. This is evidence, not proof.",
            output::units(recovery.units.len()),
            recovery.evidence.as_ref().map_or("unknown".into(), |evidence| brief(evidence.noise)),
            recovery.evidence.as_ref().map_or("unknown".into(), |evidence| brief(evidence.unseen))
        ),
        Finding::NotRecovered(doubt) => format!("Not recovered: {doubt}."),
        Finding::Refused(refusal) => format!("Refused: {}.", refusal.reason()),
    }
}

fn unit_table(units: &[RecoveredUnit]) -> String {
    let with_bias = units.iter().any(|unit| unit.bias != 0.0);
    let mut header = vec!["  unit", "norm", "±", "output weight", "±", "direction ± (degrees)"];
    if with_bias {
        header.push("bias");
    }
    let row = |(i, unit): (usize, &RecoveredUnit)| {
        let mut cells = vec![
            format!("  {}", i + 1),
            number(unit.norm),
            format!("{:.1e}", unit.norm_error),
            number(unit.output),
            format!("{:.1e}", unit.output_error),
            format!("{:.1e}", unit.direction_error.to_degrees()),
        ];
        if with_bias {
            cells.push(number(unit.bias));
        }
        cells
    };
    let mut text = table(&header, units.iter().enumerate().take(MOST_ROWS).map(row).collect());
    if units.len() > MOST_ROWS {
        write!(text, "\n  … and {} more", units.len() - MOST_ROWS).unwrap_or_default();
    }
    text
}

fn match_words(matched: &Alignment, is_even: bool) -> String {
    let mut text = match &matched.error {
        Ok(error) => format!("Teacher: e = {error:.1e}"),
        Err(reason) => format!("Teacher: no e, because {reason}"),
    };
    write!(
        text,
        ", largest angle {:.1e} degrees, output weights off by {:.1e}",
        matched.largest_angle().to_degrees(),
        matched.output_error
    )
    .unwrap_or_default();
    match matched.flipped() {
        0 => text.push_str(", all signs right"),
        _ if is_even => {}
        wrong => write!(text, ", {wrong} of {} signs wrong", matched.pairs.len()).unwrap_or_default(),
    }
    for (units, what) in [(matched.missing.len(), "missing"), (matched.extra.len(), "too many")] {
        if units > 0 {
            write!(text, ", {} {what}", output::units(units)).unwrap_or_default();
        }
    }
    text.push('.');
    text
}

//! What is proved, and how to get the page again.

use std::fmt::Write;
use std::path::PathBuf;

use shallows::certificate::file::CertifiedPart;
use shallows::certificate::{Theorem, Verdict};
use shallows::draw::escaped;
use shallows::fit::{Outcome, Training};
use shallows::model::Calibration;

use super::{Page, collapsed};

/// What `global-optimum` means.
const QUADRATIC_WORDS: &str = "half the mean of the squared residuals, plus the stated penalty if there is one, cannot be made \
                               smaller on these rows by any quadratic network of the stated kind, however wide, than the bound says.";
/// What `wide-optimum` means.
const WIDE_WORDS: &str = "half the mean of the squared residuals, plus the stated penalty, cannot be made smaller on these rows by any \
                          output layer over the same infinitely wide hidden layers than the bound says. On average over draws no \
                          finite hidden layer of such units has a smaller optimum; about networks whose hidden weights are trained nothing \
                          is claimed.";

impl Page<'_> {
    /// What certificates say, and what they do not; first of all whether they are about the network that was chosen.
    pub(super) fn proof(&self) -> String {
        let outcome = self.outcome;
        let mut out = "<h2>What is proved, and what is not</h2>\n".to_owned();
        let _ = write!(out, "{}{}", self.about(), self.statements());
        let _ = writeln!(
            out,
            "<div class=\"open\">{}Errors on rows that the network has not seen are measured, not bounded: other rows than \
             these, from another time or place, may be predicted worse.</div>",
            self.not_proved()
        );
        let is_enough = |calibration: &Calibration| calibration.is_enough_for(0.9);
        let has_intervals = outcome.model.calibration.as_ref().is_some_and(is_enough);
        if let Some(statement) = has_intervals.then(|| outcome.model.interval_statement(0.9).ok()).flatten() {
            let _ = writeln!(
                out,
                "<p>Prediction intervals (<code>shallows predict --interval 0.9</code>): {}.</p>",
                escaped(&statement)
            );
        }
        out
    }

    /// Which network the claims are about, where it is not the chosen one.
    fn about(&self) -> String {
        let words = match self.outcome.certified_part() {
            None | Some(CertifiedPart::Whole) => return String::new(),
            Some(part @ CertifiedPart::Members(_)) => part.words().unwrap_or_default(),
            Some(CertifiedPart::Nothing) => format!(
                "Nothing is proved about the {} that was chosen. What follows is about the quadratic network that it was compared with.",
                self.chosen()
            ),
        };
        format!("<div class=\"open\">{}</div>\n", escaped(&words))
    }

    fn chosen(&self) -> &'static str {
        match &self.outcome.fit.training {
            Training::Combined(combination) if combination.outcome == Outcome::Affine => "affine function",
            Training::Combined(combination) if combination.outcome == Outcome::Combined => "combination",
            _ => "network",
        }
    }

    /// What is proved, and how to check it.
    fn statements(&self) -> String {
        let outcome = self.outcome;
        let Some(certificate) = &outcome.certificate else {
            return "<div class=\"open\">Nothing is proved about how good this network is on the training rows.</div>\n".into();
        };
        let mut out = String::new();
        for words in certificate.statements() {
            let _ = writeln!(out, "<div class=\"proved\">{}.</div>", collapsed(&words));
        }
        let other_words = [(Theorem::WideOptimum, WIDE_WORDS), (Theorem::GlobalOptimum, QUADRATIC_WORDS)];
        for (theorem, words) in other_words {
            if certificate.verdict_of(theorem) == Some(Verdict::Holds) {
                let _ = writeln!(out, "<p>In other words: {words}</p>");
            }
        }
        let command = format!("shallows verify {} {}", named(&outcome.files.certificate), named(&outcome.table));
        let _ = write!(
            out,
            "<p>The certificate holds everything needed to check this. Nothing in it has to be believed; it is computed again from \
             the table, with proven bounds on every rounding error:</p>\n<pre>{}</pre>\n",
            escaped(&command)
        );
        out
    }

    /// What is not proved about the network itself.
    fn not_proved(&self) -> &'static str {
        match &self.outcome.fit.training {
            Training::Local { .. } => {
                "The network is where a descent method ended; a better one of its shape may exist. "
            }
            _ => "",
        }
    }

    /// The command, and what it depends on.
    pub(super) fn reproduction(&self) -> String {
        let outcome = self.outcome;
        let command: Vec<String> = std::iter::once("shallows".to_owned())
            .chain(std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())))
            .collect();
        let mut facts = format!(
            "<dt>version</dt><dd>{}</dd><dt>seed</dt><dd>{}</dd><dt>time</dt><dd>{:.1} s</dd><dt>fingerprint of the data</dt>\
             <dd>{}</dd><dt>network</dt><dd>{}</dd>",
            env!("CARGO_PKG_VERSION"),
            outcome.request.fit.common().seed,
            outcome.elapsed.as_secs_f64(),
            outcome.data_hash(),
            escaped(&shown_path(&outcome.files.model))
        );
        if let Some(certificate) = &outcome.files.certificate {
            let _ = write!(facts, "<dt>certificate</dt><dd>{}</dd>", escaped(&certificate.to_string_lossy()));
        }
        let timed = if outcome.request.budget.is_some() || outcome.fit.partial {
            " The fit was limited by time, so a repetition may end elsewhere."
        } else {
            ""
        };
        format!(
            "<h2>To reproduce this</h2>\n<pre>{}</pre>\n<p class=\"soft\">The same version, data and seed give the same bits on any \
             number of threads of one machine.{timed}</p>\n<dl>{facts}</dl>\n",
            escaped(&command.join(" "))
        )
    }
}

/// A path that was given, or nothing.
fn shown_path(path: &Option<PathBuf>) -> String {
    path.as_ref().map_or(String::new(), |path| path.to_string_lossy().into_owned())
}

/// A path as a shell takes it.
fn named(path: &Option<PathBuf>) -> String {
    quoted(&shown_path(path))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_as_a_shell_needs_it() {
        assert_eq!(quoted("a-b_1.csv"), "a-b_1.csv");
        assert_eq!(quoted("my data.csv"), "'my data.csv'");
        assert_eq!(quoted("it's $x"), "'it'\\''s $x'");
        assert_eq!(quoted(""), "''");
    }
}

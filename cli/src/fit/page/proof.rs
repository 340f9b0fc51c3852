//! What is proved, and how to get the page again.

use std::fmt::Write;

use shallows::draw::escaped;
use shallows::fit::{Outcome, Training};

use super::{Page, sentence};

impl Page<'_> {
    /// What certificates say, and what they do not.
    pub(super) fn proof(&self) -> String {
        let report = self.report;
        let mut out = "<h2>What is proved, and what is not</h2>\n".to_owned();
        match report.proof {
            Some((record, certificate)) => {
                for words in record.statements() {
                    let _ = writeln!(out, "<div class=\"proved\">{}.</div>", sentence(&words));
                }
                let _ = write!(
                    out,
                    "<p>In other words: L = ½·mean of the squared residuals, plus the stated penalty if there is one, cannot \
                     be made smaller on these rows by any quadratic network of the stated kind, however wide, than the bound says. The certificate \
                     holds everything needed to check this. Nothing in it has to be believed; it is computed again from the \
                     table, with proven bounds on every rounding error:</p>\n<pre>{}</pre>\n",
                    escaped(&format!(
                        "shallows verify {} {}",
                        quoted(&certificate.to_string_lossy()),
                        quoted(&report.args.data.to_string_lossy())
                    ))
                );
            }
            None => {
                out +=
                    "<div class=\"open\">Nothing is proved about how good this network is on the training rows.</div>\n"
            }
        }
        let own = match &report.fit.training {
            Training::Combined(combination) if combination.outcome == Outcome::Combined => {
                "Of the chosen combination nothing is proved; what is said above holds for the quadratic network beside it. "
            }
            Training::Combined(combination) if combination.outcome == Outcome::Affine => {
                "What is said above holds for the quadratic network beside the chosen affine function. "
            }
            Training::Local { .. } => {
                "The network is where a descent method ended; a better one of its shape may exist. "
            }
            _ => "",
        };
        let own =
            if report.proof.is_some() || matches!(report.fit.training, Training::Local { .. }) { own } else { "" };
        let _ = writeln!(
            out,
            "<div class=\"open\">{own}Errors on rows that the network has not seen are measured, not bounded: other rows than \
             these, from another time or place, may be predicted worse.</div>"
        );
        if let Some(calibration) = &self.model.calibration {
            let _ = writeln!(
                out,
                "<p>Prediction intervals (<code>shallows predict --interval 0.9</code>): {}.</p>",
                escaped(&calibration.statement(0.9))
            );
        }
        out
    }

    /// The command, and what it depends on.
    pub(super) fn reproduction(&self) -> String {
        let report = self.report;
        let command: Vec<String> = std::iter::once("shallows".to_owned())
            .chain(std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())))
            .collect();
        let hash = match report.proof {
            Some((record, _)) if report.train.n() == report.data.n() => record.data_hash().to_owned(),
            _ => report.data.hash(),
        };
        let mut facts = format!(
            "<dt>version</dt><dd>{}</dd><dt>seed</dt><dd>{}</dd><dt>time</dt><dd>{:.1} s</dd><dt>fingerprint of the data</dt>\
             <dd>{hash}</dd><dt>network</dt><dd>{}</dd>",
            env!("CARGO_PKG_VERSION"),
            report.args.seed,
            report.elapsed.as_secs_f64(),
            escaped(&report.model.to_string_lossy())
        );
        if let Some((_, certificate)) = report.proof {
            let _ = write!(facts, "<dt>certificate</dt><dd>{}</dd>", escaped(&certificate.to_string_lossy()));
        }
        let timed = if report.args.budget.is_some() || report.fit.partial {
            " The fit was limited by time, so a repetition may end elsewhere."
        } else {
            ""
        };
        format!(
            "<h2>To get this again</h2>\n<pre>{}</pre>\n<p class=\"soft\">The same version, data and seed give the same bits on any \
             number of threads of one machine.{timed}</p>\n<dl>{facts}</dl>\n",
            escaped(&command.join(" "))
        )
    }
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

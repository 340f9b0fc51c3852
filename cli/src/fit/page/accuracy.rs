//! The errors of the network and of what it is compared with.

use std::fmt::Write;

use shallows::certificate::{Theorem, Verdict};
use shallows::draw::escaped;
use shallows::fit::{Combination, Outcome, Training};
use shallows::job::fit::{FitFindings, ModelScores, OutOfFold};

use super::{Page, number, with_minus};
use crate::output::r2_words;

impl Page<'_> {
    pub(super) fn accuracy(&self, findings: &FitFindings) -> String {
        let outcome = self.outcome;
        let out = findings.out_of_fold;
        let mut header = "<th>RMSE</th><th>R²</th>".repeat(1 + usize::from(outcome.test().is_some()));
        let mut groups = format!("<th colspan=\"2\">training ({} rows)</th>", outcome.train().n());
        if let Some(test) = outcome.test() {
            let _ = write!(groups, "<th colspan=\"2\">held out ({} rows)</th>", test.n());
        }
        if out.is_some() {
            groups += "<th>cross-validation</th>";
            header += "<th>RMSE</th>";
        }
        let verdict = outcome.certificate.as_ref().and_then(|record| record.verdict_of(Theorem::GlobalOptimum));
        let proved = verdict == Some(Verdict::Holds);
        let certified = match findings.scores.quadratic {
            Some(_) if proved => {
                " It is proved that no quadratic network of the kind stated below, however wide, has a loss (with its \
                 penalty, where there is one) on the training rows that is lower than that of the quadratic network by more than the gap \
                 stated there."
            }
            _ => "",
        };
        let folds = match &outcome.fit.training {
            Training::Combined(combination) => about_folds(combination),
            _ => String::new(),
        };
        format!(
            "<h2>Accuracy</h2>\n<div class=\"wide\"><table>\n<tr><th></th>{groups}</tr>\n<tr><th>error of</th>{header}</tr>\n{}\
             </table></div>\n<p class=\"soft\">In units of {}.{certified}{folds}</p>\n",
            rows(findings, out),
            escaped(&outcome.samples.data.target)
        )
    }
}

/// A row for each model; that of the network is marked.
fn rows(findings: &FitFindings, out: Option<OutOfFold>) -> String {
    let scores = &findings.scores;
    let mut rows = row("", "linear model", &scores.linear, out.map(|out| Some(out.affine)));
    if let Some(quadratic) = &scores.quadratic {
        rows += &row("", "quadratic network", quadratic, out.map(|out| out.quadratic));
    }
    rows + &row(" class=\"chosen\"", "this network", &scores.network, out.map(|out| Some(out.network)))
}

fn row(class: &str, name: &str, scores: &ModelScores, left_out: Option<Option<f64>>) -> String {
    let mut cells = format!("<td>{name}</td>");
    for (_, scores) in [Some(&scores.train), scores.test.as_ref()].into_iter().flatten() {
        let r2 = with_minus(&r2_words(scores.r2, 4));
        let _ = write!(cells, "<td>{}</td><td>{r2}</td>", number(scores.rmse));
    }
    if let Some(rmse) = left_out {
        let _ = write!(cells, "<td>{}</td>", rmse.map_or("–".into(), number));
    }
    format!("<tr{class}>{cells}</tr>\n")
}

fn about_folds(combination: &Combination) -> String {
    let too_good = match combination.outcome {
        Outcome::Combined => {
            "; the error of the combination is slightly too optimistic there, since its shares were chosen on the same rows"
        }
        _ => "",
    };
    format!(
        " Cross-validation: every row predicted by networks that were not trained on it ({} folds){too_good}.",
        combination.folds
    )
}

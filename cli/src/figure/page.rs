//! All figures on one page of HTML that needs nothing else.

use std::fmt::Write;

use shallows::draw::{Ground, escaped};
use shallows::job::figure::{FigureOutcome, MadeFigure};
use shallows::lab::Extent;
use shallows::lab::studies::StudyFinding;

use super::value_words;
use crate::output::{PAGE_STYLE, brief};

/// The page.
pub fn html(outcome: &FigureOutcome) -> String {
    let made = &outcome.figures;
    let title = "Published experiments on shallow networks, reproduced";
    let runs: usize = made.iter().map(|made| made.runs).sum();
    let kind = match outcome.extent {
        Extent::Quick => {
            "This is the quick version, with few networks for each cell: intervals are wide. `shallows figure --all` makes the \
             full one."
        }
        Extent::Full => "This is the full version.",
    };
    let style = PAGE_STYLE;
    let sections: String = made.iter().map(section).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n\
         <p class=\"soft\">Published experiments on networks with one hidden layer of k units, d inputs and n samples, \
         from {runs} runs</p>\n<p>{}</p>\n{}{}{sections}</main>\n</body>\n</html>\n",
        escaped(kind),
        methods(),
        overview(made)
    )
}

fn methods() -> &'static str {
    "<h2>How to read the numbers</h2>\n<p>A run ends in one of three ways: success, stuck or undecided. <i>By descent</i> it \
     succeeds when ‖f − y‖/‖y‖ falls to the stated tolerance within the stated iterations. <i>After LM</i>, Levenberg–Marquardt in \
     double precision continues from where descent ended, a stand-in for infinite training time: success is a relative error below \
     1e-5, stuck is no slope at an error above 1e-4; what is neither is counted among the runs, not among the \
     successes. Shares have Wilson's 95 % interval. A threshold is where the logistic curve of greatest likelihood passes ½, with a 95 % \
     interval by bootstrap over planted networks; where failures and successes do not overlap, only the gap between them is \
     known and stated. Dashed lines are theory and what was published.</p>\n"
}

/// Every finding that answers to a published number.
fn overview(made: &[MadeFigure]) -> String {
    let mut rows = String::new();
    for made in made {
        for finding in made.drawn.findings.iter().filter(|finding| finding.published.is_some()) {
            let _ = writeln!(
                rows,
                "<tr><td><a href=\"#{0}\">{0}</a></td><td class=\"words\">{1}</td><td>{2}</td><td>{3}</td></tr>",
                made.study.name,
                escaped(&finding.what),
                published(finding),
                value_words(finding)
            );
        }
    }
    format!(
        "<h2>In short</h2>\n<div class=\"wide\"><table>\n<tr><th>figure</th><th class=\"words\">number</th><th>published</th><th>found</th></tr>\n\
         {rows}</table></div>\n"
    )
}

fn published(finding: &StudyFinding) -> String {
    finding.published.map_or("–".into(), brief)
}

fn section(made: &MadeFigure) -> String {
    let study = made.study;
    let [name, shows, source] = [study.name, study.shows, study.source].map(escaped);
    let [was, protocol, reasons] = [study.published, study.protocol, study.reasons].map(escaped);
    let mut rows = String::new();
    for finding in &made.drawn.findings {
        let (what, found) = (escaped(&finding.what), value_words(finding));
        let _ = writeln!(rows, "<tr><td>{what}</td><td>{}</td><td>{found}</td></tr>", published(finding));
    }
    let effort = match made.runs {
        0 => String::new(),
        runs => format!(" {runs} runs."),
    };
    format!(
        "<h2 id=\"{name}\">{name}: {shows}</h2>\n<p><b>Published.</b> {source}: {was}. {protocol}{effort}</p>\n\
         <figure>\n{}<figcaption>{shows}.</figcaption>\n</figure>\n<p><b>Found.</b></p>\n<div class=\"wide\"><table>\n\
         <tr><th>number</th><th>published</th><th>found, 95 % interval</th></tr>\n{rows}</table></div>\n\
         <p><b>Why they differ.</b> {reasons}</p>\n",
        made.drawn.figure.svg(Ground::Page)
    )
}

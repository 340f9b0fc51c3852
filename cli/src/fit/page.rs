//! The report of a fit: one page of HTML that needs nothing else.
//!
//! Everything that comes from the table, the command line or a file name goes through [`escaped`]; figures are inline SVG
//! whose texts are escaped by the library.

mod choice;
pub mod columns;
mod curve;
mod proof;

use std::fmt::Write;
use std::path::Path;

use shallows::certificate::Verdict;
use shallows::data::Data;
use shallows::draw::{Figure, Ground, escaped};
use shallows::file::write_atomically;
use shallows::fit::explain::{Interactions, Term};
use shallows::fit::{Outcome, Scores, Training};
use shallows::model::Model;
use shallows::network::Network;

use super::{Report, residuals, words};
use crate::explain::{heat_map, importance_bars, ranked};
use crate::failure::Failure;
use crate::output::{brief, number};
use choice::{contenders, decision, out_of_fold};
use columns::Summary;

/// What the page shows beside the account.
pub struct Page<'a> {
    pub report: &'a Report<'a>,
    pub model: &'a Model,
    pub columns: &'a [Summary],
    /// About the table, in words.
    pub remarks: &'a [String],
    /// How many rows the table has, with a target or without.
    pub table_rows: usize,
}

/// Shuffles of each column for the importances.
const REPEATS: usize = 5;
/// Bars and terms that are shown.
const MOST_SHOWN: usize = 12;
/// Columns of the table that are described.
const MOST_COLUMNS: usize = 200;

/// Refuse a name that would promise another format.
pub fn check_name(path: &Path) -> Result<(), Failure> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("html" | "htm") => Ok(()),
        _ => Err(Failure::with_hint(
            format!("{}: the report is a page of HTML", path.display()),
            "end it in .html; a browser prints it to PDF",
        )),
    }
}

impl Page<'_> {
    /// Write the page to a file.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        let text = self.html()?;
        write_atomically(path, |out| out.write_all(text.as_bytes()))?;
        Ok(())
    }

    fn html(&self) -> Result<String, Failure> {
        let Report { data, args, .. } = self.report;
        let title = format!("Predicting {}", escaped(&data.target));
        let source = args.data.file_name().map_or("standard input".into(), |name| name.to_string_lossy().into_owned());
        let source = if source == "-" { "standard input".into() } else { escaped(&source) };
        let style = include_str!("page/style.css");
        let sections = [
            self.in_short()?,
            self.data(),
            self.network(),
            self.accuracy()?,
            self.learning_curve()?,
            self.residuals()?,
            self.inputs()?,
            self.proof(),
            self.reproduction(),
        ];
        Ok(format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n\
             <h1>{title}</h1>\n<p class=\"soft\">from {source}, by a one-hidden-layer network</p>\n{}</main>\n</body>\n</html>\n",
            sections.concat()
        ))
    }

    /// The error that says most about new rows, that of the linear model, and where they come from.
    fn headline(&self) -> Result<(f64, f64, &'static str), Failure> {
        let report = self.report;
        let measured = |data: &Data| -> Result<(f64, f64), Failure> {
            Ok((Scores::of(&report.fit.network, data)?.rmse, Scores::of(report.affine, data)?.rmse))
        };
        Ok(match (report.test, out_of_fold(&report.fit.training)) {
            (Some(test), _) => {
                let (rmse, affine) = measured(test)?;
                (rmse, affine, "on held-out rows")
            }
            (None, Some(out)) => (out.network, out.affine, "on rows left out in cross-validation"),
            (None, None) => {
                let (rmse, affine) = measured(report.train)?;
                (rmse, affine, "on the training rows themselves")
            }
        })
    }

    fn in_short(&self) -> Result<String, Failure> {
        let Report { data, test, train, .. } = self.report;
        let (rmse, affine, on) = self.headline()?;
        let judged = test.unwrap_or(train);
        let spread = spread(judged);
        let mut tiles = tile("first", &brief(rmse), &format!("typical error (RMSE) {on}"));
        tiles += &tile("", &brief(affine), "the same of a linear model");
        if spread > 0.0 {
            let share = 100.0 * (1.0 - (rmse / spread).powi(2));
            tiles += &tile("", &format!("{share:.1} %"), "of the variance explained (R²)");
        }
        tiles += &tile("", &data.n().to_string(), "rows with a target");
        let gain = 100.0 * (1.0 - rmse / affine);
        let compared = match gain {
            gain if gain >= 1.0 => format!("{gain:.0} % less than that of a linear model"),
            gain if gain > -1.0 => "about that of a linear model".to_owned(),
            gain => format!("{:.0} % more than that of a linear model", -gain),
        };
        let caution = if on.starts_with("on the training") {
            " Errors on training rows are too good: hold rows out (--holdout 0.2) to see what new rows would give."
        } else {
            ""
        };
        let target = escaped(&data.target);
        Ok(format!(
            "<div class=\"tiles\">{tiles}</div>\n<p>Predictions of {target} are off by {} in the root mean square {on}, {compared}; \
             the values themselves vary by {} (standard deviation).{caution}</p>\n",
            brief(rmse),
            brief(spread)
        ))
    }

    fn data(&self) -> String {
        let Report { data, train, test, .. } = self.report;
        let trained =
            if train.n() == data.n() { "all to train on".into() } else { format!("{} to train on", train.n()) };
        let held = test.map_or(String::new(), |test| format!(", {} held out", test.n()));
        let aside = data.n() - train.n() - test.map_or(0, Data::n);
        let aside = if aside > 0 { format!(", {aside} set aside to calibrate intervals") } else { String::new() };
        let remarks: String = self.remarks.iter().map(|words| format!("<p>{}.</p>\n", escaped(words))).collect();
        let mut rows = String::new();
        for column in self.columns.iter().take(MOST_COLUMNS) {
            let chosen = if column.name == self.report.target { " class=\"chosen\"" } else { "" };
            let cells = column.cells(self.table_rows);
            let described = cells.len() == 3;
            let cell = |(at, cell): (usize, &String)| {
                let span = if described && at == 2 { " colspan=\"3\"" } else { "" };
                format!("<td{span}>{}</td>", escaped(cell))
            };
            let _ = writeln!(rows, "<tr{chosen}>{}</tr>", cells.iter().enumerate().map(cell).collect::<String>());
        }
        let more = self.columns.len().saturating_sub(MOST_COLUMNS);
        let more = if more > 0 { format!(" {more} further columns are not listed.") } else { String::new() };
        let inputs = if data.d() == 1 { "input" } else { "inputs" };
        format!(
            "<h2>The data</h2>\n<p>{} rows with {} {inputs}: {trained}{held}{aside}. The target is {}.</p>\n{remarks}\
             <div class=\"wide\"><table>\n<tr><th>column</th><th>missing</th><th>least</th><th>median</th><th>most</th></tr>\n{rows}\
             </table></div>\n<p class=\"soft\">All {} rows of the table; the target is marked.{more}</p>\n",
            data.n(),
            data.d(),
            escaped(&data.target),
            self.table_rows
        )
    }

    fn network(&self) -> String {
        let report = self.report;
        let mut out = format!("<h2>The network</h2>\n<p>{}.</p>\n", sentence(&words::shape(report.fit)));
        match &report.fit.training {
            Training::Combined(combination) => {
                let _ = write!(out, "<p>{}</p>\n{}", decision(combination), contenders(combination));
            }
            _ => {
                if let Some(words) = words::choice(report) {
                    let _ = writeln!(out, "<p>Chosen: {}.</p>", collapsed(&words));
                }
            }
        }
        let _ = writeln!(out, "<p class=\"soft\">Training: {}.</p>", collapsed(&words::training(report)));
        if report.fit.partial {
            out += "<p>The fit was ended early: not everything that was planned was trained.</p>\n";
        }
        out
    }

    fn accuracy(&self) -> Result<String, Failure> {
        let report = self.report;
        let out = out_of_fold(&report.fit.training);
        let quadratic = words::quadratic_beside(report);
        let mut models: Vec<(&str, &[Network], Option<f64>)> =
            vec![("linear model", report.affine.as_ref(), out.as_ref().map(|out| out.affine))];
        if let Some(network) = quadratic {
            models.push(("quadratic network", network.as_ref(), out.as_ref().and_then(|out| out.quadratic)));
        }
        models.push(("this network", report.fit.network.as_ref(), out.as_ref().map(|out| out.network)));
        let mut header = "<th>RMSE</th><th>R²</th>".repeat(1 + usize::from(report.test.is_some()));
        let mut groups = format!("<th colspan=\"2\">training ({} rows)</th>", report.train.n());
        if let Some(test) = report.test {
            let _ = write!(groups, "<th colspan=\"2\">held out ({} rows)</th>", test.n());
        }
        if out.is_some() {
            groups += "<th>cross-validation</th>";
            header += "<th>RMSE</th>";
        }
        let mut rows = String::new();
        for (name, network, left_out) in models {
            let mut cells = format!("<td>{name}</td>");
            for data in [Some(report.train), report.test].into_iter().flatten() {
                let scores = Scores::of(&network, data)?;
                let r2 = scores.r2.map_or("–".into(), |r2| format!("{r2:.4}"));
                let _ = write!(cells, "<td>{}</td><td>{r2}</td>", number(scores.rmse));
            }
            if out.is_some() {
                let _ = write!(cells, "<td>{}</td>", left_out.map_or("–".into(), number));
            }
            let chosen = if name == "this network" { " class=\"chosen\"" } else { "" };
            let _ = writeln!(rows, "<tr{chosen}>{cells}</tr>");
        }
        let proved = report.proof.is_some_and(|(record, _)| record.verdict() == Verdict::Holds);
        let certified = match quadratic {
            Some(_) if proved => {
                " The quadratic network is at its global optimum: that no other, however wide, has a smaller loss (with its \
                 penalty, where there is one) on the training rows is proved."
            }
            _ => "",
        };
        let folds = match &report.fit.training {
            Training::Combined(combination) => format!(
                " Cross-validation: every row predicted by networks that were not trained on it ({} folds){}.",
                combination.folds,
                if combination.outcome == Outcome::Combined {
                    "; the error of the combination is slightly too good there, since its shares were chosen on the same rows"
                } else {
                    ""
                }
            ),
            _ => String::new(),
        };
        Ok(format!(
            "<h2>Accuracy</h2>\n<div class=\"wide\"><table>\n<tr><th></th>{groups}</tr>\n<tr><th>error of</th>{header}</tr>\n{rows}\
             </table></div>\n<p class=\"soft\">In units of {}.{certified}{folds}</p>\n",
            escaped(&report.data.target)
        ))
    }

    fn learning_curve(&self) -> Result<String, Failure> {
        let Report { fit, train, test, args, .. } = self.report;
        match curve::curve(fit, train, *test, args.seed)? {
            Some(found) => Ok(format!("<h2>Would more rows help?</h2>\n{}", shown(&found.figure, &found.caption))),
            None => Ok(String::new()),
        }
    }

    fn residuals(&self) -> Result<String, Failure> {
        let Report { fit, train, test, .. } = self.report;
        let caption = "Left: points on the dashed line are predicted exactly. Right: what is left; a trend or a funnel would \
                       say that something systematic is missing.";
        Ok(format!(
            "<h2>Predicted and observed</h2>\n{}",
            shown(&residuals::figure(&fit.network, train, *test)?, caption)
        ))
    }

    fn inputs(&self) -> Result<String, Failure> {
        let Report { train, test, args, data, .. } = self.report;
        let found = ranked(self.model, test.unwrap_or(train), REPEATS, args.seed)?;
        let on = if test.is_some() { "held-out" } else { "training" };
        let caption = format!(
            "By how much the error grows when the values of one column are shuffled among the {on} rows, so that they say \
             nothing about the target. A column that others nearly determine cannot be judged alone: shuffling makes rows that \
             never occur, and what two columns share is ascribed to both or to neither."
        );
        let mut out = format!("<h2>What matters</h2>\n{}", shown(&importance_bars(&found, MOST_SHOWN), &caption));
        let Some(network) = self.quadratic() else { return Ok(out) };
        let interactions = Interactions::of(network).with_rows(&train.X)?;
        if interactions.is_affine() {
            return Ok(out);
        }
        let names = self.model.inputs();
        let caption = "The quadratic network is Σ M_ab x_a x_b + b·x + c; shown is M with every input measured in standard \
                       deviations σ. Red pairs raise the prediction when both inputs are on the same side of their mean, blue \
                       pairs lower it; the diagonal holds the squares.";
        let which = if self.report.fit.network.only() == Some(network) {
            "<p>How inputs act together.</p>\n"
        } else {
            "<p>How inputs act together, by the quadratic network beside the chosen one.</p>\n"
        };
        let _ = write!(out, "{which}{}", shown(&heat_map(&interactions, &names, &data.target), caption));
        let terms = interactions.terms();
        let name = |term: &Term| match term.a == term.b {
            true => format!("{}²", names[term.a]),
            false => format!("{} · {}", names[term.a], names[term.b]),
        };
        let mut rows = String::new();
        for term in terms.iter().take(MOST_SHOWN) {
            let scaled = term.scaled.map_or(String::new(), number);
            let _ = writeln!(
                rows,
                "<tr><td>{}</td><td>{}</td><td>{scaled}</td></tr>",
                escaped(&name(term)),
                number(term.coefficient)
            );
        }
        let cancelling = if interactions.cancels(spread(train)) {
            " The largest terms are many times the spread of the target and cancel each other: some inputs nearly determine \
             others, and single coefficients should not be read alone."
        } else {
            ""
        };
        let _ = write!(
            out,
            "<div class=\"wide\"><table>\n<tr><th>term</th><th>coefficient</th><th>× standard deviations</th></tr>\n{rows}\
             </table></div>\n<p class=\"soft\">The strongest of {} terms: in the units of the columns, and in units of the target when each input is \
             measured in its standard deviation.{cancelling}</p>\n",
            terms.len()
        );
        Ok(out)
    }

    /// The quadratic network: the one that was fitted, or the one beside it.
    fn quadratic(&self) -> Option<&Network> {
        match &self.report.fit.training {
            Training::Combined(combination) => combination.quadratic.as_ref().map(|found| &found.network),
            Training::Global(_) => self.report.fit.network.only(),
            Training::Local { .. } => None,
        }
    }
}

fn tile(class: &str, value: &str, meaning: &str) -> String {
    format!("<div class=\"tile {class}\"><b>{value}</b><span>{meaning}</span></div>")
}

fn shown(figure: &Figure, caption: &str) -> String {
    format!("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", figure.svg(Ground::Page), escaped(caption))
}

/// The standard deviation of the target.
fn spread(data: &Data) -> f64 {
    let omega = data.omega();
    let mean: f64 = omega.iter().zip(&data.y).map(|(w, y)| w * y).sum();
    Scores::of_predictions(&vec![mean; data.n()], data).rmse
}

/// Words that were broken for a terminal, on one line and safe.
fn collapsed(words: &str) -> String {
    escaped(&words.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The same, beginning with a capital.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map_or(String::new(), |letter| letter.to_uppercase().collect());
    collapsed(&(first + letters.as_str()))
}

//! The report of a fit: one page of HTML that needs nothing else.
//!
//! Everything that comes from the table, the command line or a file name goes through [`escaped`]; figures are inline SVG
//! whose texts are escaped by the library.

mod accuracy;
mod choice;
mod columns;
mod matters;
mod proof;

use std::fmt::Write;
use std::path::Path;

use shallows::data::Data;
use shallows::draw::{Figure, Ground, escaped};
use shallows::file::write_atomically;
use shallows::fit::Training;
use shallows::job::fit::{FitFindings, FitOutcome, Headline, HeadlineBasis, LearningCurve, residual_figure};

use super::words;
use crate::failure::Failure;
use crate::output::{self, PAGE_STYLE};
use choice::{contenders, decision};

/// What the page shows.
pub struct Page<'a> {
    outcome: &'a FitOutcome,
}

/// Bars and terms that are shown.
const MOST_SHOWN: usize = 12;

impl<'a> Page<'a> {
    /// About this fit.
    pub fn new(outcome: &'a FitOutcome) -> Self {
        Page { outcome }
    }

    /// Write the page to a file.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        let text = self.html()?;
        write_atomically(path, |out| out.write_all(text.as_bytes()))?;
        Ok(())
    }

    fn html(&self) -> Result<String, Failure> {
        let outcome = self.outcome;
        let title = format!("Predicting {}", escaped(&outcome.samples.data.target));
        let name = outcome.table.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy());
        let source = name.filter(|name| name != "-").map_or("standard input".into(), |name| escaped(&name));
        let style = PAGE_STYLE;
        let mut sections = vec![self.data(), self.network(), self.residuals()?, self.proof(), self.reproduction()];
        if let Some(findings) = &outcome.findings {
            sections.insert(0, self.in_short(findings));
            sections.insert(3, self.accuracy(findings));
            sections.insert(4, learning_curve(findings));
            sections.insert(6, self.matters(findings));
        }
        Ok(format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n\
             <h1>{title}</h1>\n<p class=\"soft\">from {source}, by a one-hidden-layer network</p>\n{}</main>\n</body>\n</html>\n",
            sections.concat()
        ))
    }

    fn in_short(&self, findings: &FitFindings) -> String {
        let data = &self.outcome.samples.data;
        let Headline { rmse, linear_rmse, r2, gain, basis } = findings.headline;
        let on = basis_words(basis);
        let mut tiles = tile("first", &brief(rmse), &format!("typical error (RMSE) {on}"));
        tiles += &tile("", &brief(linear_rmse), "the same for a linear model");
        if let Some(r2) = r2 {
            tiles += &tile(
                "",
                &format!("{} %", with_minus(&format!("{:.1}", 100.0 * r2))),
                "of the variance explained (R²)",
            );
        }
        tiles += &tile("", &data.n().to_string(), "rows with a target");
        let compared = match 100.0 * gain {
            gain if gain >= 1.0 => format!("{gain:.0} % less than that of a linear model"),
            gain if gain > -1.0 => "about that of a linear model".to_owned(),
            gain => format!("{:.0} % more than that of a linear model", -gain),
        };
        let caution = match basis {
            HeadlineBasis::Training => {
                " Errors on training rows are too optimistic: hold rows out (--holdout 0.2) to estimate those on new rows."
            }
            _ => "",
        };
        format!(
            "<div class=\"tiles\">{tiles}</div>\n<p>Predictions of {} are off by {} in the root mean square {on}, {compared}; \
             the values themselves vary by {} (standard deviation).{caution}</p>\n",
            escaped(&data.target),
            brief(rmse),
            brief(findings.spread)
        )
    }

    fn data(&self) -> String {
        let (data, train, test) = (&self.outcome.samples.data, self.outcome.train(), self.outcome.test());
        let trained =
            if train.n() == data.n() { "all to train on".into() } else { format!("{} to train on", train.n()) };
        let held = test.map_or(String::new(), |test| format!(", {} held out", test.n()));
        let aside = data.n() - train.n() - test.map_or(0, Data::n);
        let aside = if aside > 0 { format!(", {aside} set aside to calibrate intervals") } else { String::new() };
        let remark = self.outcome.samples.remark();
        let remarks = remark.into_iter().chain(self.outcome.samples.dependence_words());
        let remark: String = remarks.map(|words| format!("<p>{}.</p>\n", sentence(&words))).collect();
        let inputs = if data.d() == 1 { "input" } else { "inputs" };
        format!(
            "<h2>The data</h2>\n<p>{} rows with {} {inputs}: {trained}{held}{aside}. The target is {}.</p>\n{remark}{}",
            data.n(),
            data.d(),
            escaped(&data.target),
            self.columns()
        )
    }

    fn network(&self) -> String {
        let outcome = self.outcome;
        let mut out = format!("<h2>The network</h2>\n<p>{}.</p>\n", sentence(&words::shape(&outcome.fit)));
        match &outcome.fit.training {
            Training::Combined(combination) => {
                let _ = write!(out, "<p>{}</p>\n{}", decision(combination), contenders(combination));
            }
            _ => {
                if let Some(words) = words::choice(outcome) {
                    let _ = writeln!(out, "<p>Chosen: {}.</p>", collapsed(&words));
                }
            }
        }
        let _ = writeln!(out, "<p class=\"soft\">Training: {}.</p>", collapsed(&words::training(outcome)));
        if outcome.fit.partial {
            out += "<p>The fit ended early: not every planned candidate was trained.</p>\n";
        }
        out
    }

    fn residuals(&self) -> Result<String, Failure> {
        let outcome = self.outcome;
        let figure = residual_figure(&outcome.fit.network, outcome.train(), outcome.test())?;
        let caption = "Left: points on the dashed line are predicted exactly. Right: the residuals, by how much what was observed is above what was predicted; a trend or a funnel would \
                       mean that something systematic is missing.";
        Ok(format!("<h2>Predicted and observed</h2>\n{}", shown(&figure, caption)))
    }
}

/// A number in a cell or a sentence of the page.
fn number(x: f64) -> String {
    with_minus(&output::number(x))
}

/// The same in three digits.
fn brief(x: f64) -> String {
    with_minus(&output::brief(x))
}

/// A sign in place of a hyphen.
fn with_minus(number: &str) -> String {
    number.replace('-', "−")
}

fn basis_words(basis: HeadlineBasis) -> &'static str {
    match basis {
        HeadlineBasis::HeldOut => "on held-out rows",
        HeadlineBasis::CrossValidation => "on rows left out in cross-validation",
        HeadlineBasis::Training => "on the training rows themselves",
    }
}

fn learning_curve(findings: &FitFindings) -> String {
    let Some(curve) = &findings.learning_curve else { return String::new() };
    format!("<h2>Would more rows help?</h2>\n{}", shown(&curve.figure(), &curve_caption(curve)))
}

/// What was trained, and what the curve says.
fn curve_caption(curve: &LearningCurve) -> String {
    let judged = match curve.held_out {
        true => format!("the {} held-out rows", curve.judging_rows),
        false => format!("{} rows set aside for this purpose only", curve.judging_rows),
    };
    let models = match (&curve.quadratic, curve.decay) {
        (Some(_), None) => "The linear model and the quadratic network (global optimum, decay by cross-validation) are",
        (Some(_), Some(_)) => {
            "The linear model and the quadratic network (global optimum, with the decay of the fit) are"
        }
        (None, _) => "The linear model is",
    };
    format!(
        "{models} trained on nested random parts of the training rows and judged on {judged}. \
         A curve that still falls at its right end says that more rows would lower the error. The network itself is not \
         trained again on the parts, which would take as long as the fit each time."
    )
}

fn tile(class: &str, value: &str, meaning: &str) -> String {
    format!("<div class=\"tile {class}\"><b>{value}</b><span>{meaning}</span></div>")
}

fn shown(figure: &Figure, caption: &str) -> String {
    format!("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", figure.svg(Ground::Page), escaped(caption))
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

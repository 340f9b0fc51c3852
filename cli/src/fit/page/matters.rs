//! What the network needs of its inputs, and how they act alone and together.

use std::fmt::Write;

use shallows::draw::escaped;
use shallows::fit::explain::{Effects, Interactions, Slope, Term};
use shallows::job::explain::{LayerExplanation, NamedFigure};
use shallows::job::fit::FitFindings;
use shallows::job::importance::interaction_map;

use super::{MOST_SHOWN, Page, brief, number, shown, with_minus};
use crate::explain::layers::{layer_name, layer_words, scale_words, shown_scales};

/// Curves on the page.
const MOST_CURVES: usize = 6;
/// Maps of pairs on the page.
const MOST_MAPS: usize = 2;

impl Page<'_> {
    pub(super) fn matters(&self, findings: &FitFindings) -> String {
        let on = if self.outcome.test().is_some() { "held-out" } else { "training" };
        let caption = format!(
            "How much the error grows when the values of one column are shuffled among the {on} rows, so that they say \
             nothing about the target. A column that others nearly determine cannot be judged alone: shuffling makes rows that \
             never occur, and what two columns share is ascribed to both or to neither."
        );
        let bars = findings.importances.bars(MOST_SHOWN);
        let how = match &findings.interactions {
            Some(found) if found.is_affine() => self.slopes(found),
            Some(found) => self.together(found, findings.training_spread),
            None => self.effects(findings),
        };
        format!("<h2>What matters</h2>\n{}{how}", shown(&bars, &caption))
    }

    /// The network is an affine function.
    fn slopes(&self, interactions: &Interactions) -> String {
        let (slopes, names) = (interactions.slopes(), self.outcome.model.inputs());
        let row = |slope: &Slope| {
            let scaled = slope.scaled.map_or(String::new(), number);
            coefficient_row(&names[slope.a], slope.coefficient, &scaled)
        };
        let rows: String = slopes.iter().take(MOST_SHOWN).map(row).collect();
        format!(
            "<p>The prediction is a sum: each input times its coefficient, and {}.</p>\n{}<p class=\"soft\">{}: in the units of the columns, \
             and in units of the target when each input is measured in its standard deviation.</p>\n",
            number(interactions.form.intercept.unwrap_or(0.0)),
            coefficients("input", &rows),
            strongest(slopes.len(), "inputs")
        )
    }

    /// The network is quadratic.
    fn together(&self, interactions: &Interactions, spread: f64) -> String {
        let outcome = self.outcome;
        let names = outcome.model.inputs();
        let caption = "The network is Σ M_ab x_a x_b + b·x + c; shown is M with every input measured in standard \
                       deviations σ. Red pairs raise the prediction when both inputs are on the same side of their mean, blue \
                       pairs lower it; the diagonal holds the squares. The square of an input that is 0 or 1 is the input, and \
                       two words of one column are never there together: such terms belong to b.";
        let map = interaction_map(interactions, &names, &outcome.samples.data.target);
        let cancelling = if interactions.cancels(spread) {
            " The largest terms are many times the spread of the target and cancel each other: some inputs nearly determine \
             others, and single coefficients should not be read alone."
        } else {
            ""
        };
        let terms = interactions.terms();
        let name = |term: &Term| match term.a == term.b {
            true => format!("{}²", names[term.a]),
            false => format!("{} · {}", names[term.a], names[term.b]),
        };
        let row =
            |term: &Term| coefficient_row(&name(term), term.coefficient, &term.scaled.map_or(String::new(), number));
        let rows: String = terms.iter().take(MOST_SHOWN).map(row).collect();
        format!(
            "<p>How inputs act together.</p>\n{}{}<p class=\"soft\">{}: in the units of the columns, and in units of the target \
             when each input is measured in its standard deviation.{cancelling}</p>\n",
            shown(&map, caption),
            coefficients("term", &rows),
            strongest(terms.len(), "terms")
        )
    }

    /// Any other network: what moving its columns does.
    fn effects(&self, findings: &FitFindings) -> String {
        let Some(effects) = &findings.effects else { return String::new() };
        let mut out = String::from("<p>What each column does to the prediction.</p>\n");
        let figures = findings.effect_figures(&self.outcome.samples.data.target, MOST_CURVES);
        let named = |name: &'static str| figures.iter().filter(move |one| one.name.starts_with(name));
        for NamedFigure { figure, .. } in named("columns") {
            let caption = "The mean prediction as one column is moved in small steps over rows that are there, on one scale; the rows \
                           underneath.";
            out += &shown(figure, caption);
        }
        for NamedFigure { figure, .. } in named("pair-").take(MOST_MAPS) {
            let caption = "Left: the mean prediction over both columns, the rows as points. Right: what the two do together beyond what \
                           each does alone.";
            out += &shown(figure, caption);
        }
        out + &effects_table(effects, findings.layers.as_ref())
    }
}

/// The spread of each effect, beside it what each layer measures the column by.
fn effects_table(effects: &Effects, layers: Option<&LayerExplanation>) -> String {
    let scales = layers.map_or(vec![], shown_scales);
    let laws: String = scales.iter().map(|layer| format!("<th>{}</th>", layer_name(layer.law.name()))).collect();
    let mut rows = String::new();
    for one in effects.columns.iter().take(MOST_SHOWN) {
        let column = &one.grid.column;
        let of_layers = scales.iter().map(|layer| format!("<td>{}</td>", with_minus(&scale_words(layer, column))));
        let cells: String = of_layers.collect();
        let _ = writeln!(rows, "<tr><td>{}</td><td>± {}</td>{cells}</tr>", escaped(column), brief(one.spread));
    }
    let words: String = layers
        .iter()
        .flat_map(|layers| layer_words(layers, &scales))
        .map(|words| format!(" {}", escaped(&words)))
        .collect();
    format!(
        "<div class=\"wide\"><table>\n<tr><th>column</th><th>effect</th>{laws}</tr>\n{rows}</table></div>\n\
         <p class=\"soft\">The effect is the standard deviation of the curve over the rows; the prediction itself varies by ± {}.{words}</p>\n",
        brief(effects.deviation)
    )
}

/// How many are listed, of how many.
fn strongest(all: usize, what: &str) -> String {
    match all > MOST_SHOWN {
        true => format!("The strongest {MOST_SHOWN} of {all} {what}"),
        false => format!("All {what}"),
    }
}

fn coefficients(first: &str, rows: &str) -> String {
    format!(
        "<div class=\"wide\"><table>\n<tr><th>{first}</th><th>coefficient</th><th>× standard deviations</th></tr>\n{rows}\
         </table></div>\n"
    )
}

fn coefficient_row(name: &str, coefficient: f64, scaled: &str) -> String {
    format!("<tr><td>{}</td><td>{}</td><td>{scaled}</td></tr>\n", escaped(name), number(coefficient))
}

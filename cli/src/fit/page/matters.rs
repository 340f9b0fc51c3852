//! What the network needs of its inputs, and how they act together.

use std::fmt::Write;

use shallows::draw::escaped;
use shallows::fit::explain::{Interactions, Term};
use shallows::job::fit::{FitFindings, quadratic};
use shallows::job::importance::interaction_map;

use super::{MOST_SHOWN, Page, shown};
use crate::output::number;

impl Page<'_> {
    pub(super) fn matters(&self, findings: &FitFindings) -> String {
        let on = if self.outcome.test().is_some() { "held-out" } else { "training" };
        let caption = format!(
            "How much the error grows when the values of one column are shuffled among the {on} rows, so that they say \
             nothing about the target. A column that others nearly determine cannot be judged alone: shuffling makes rows that \
             never occur, and what two columns share is ascribed to both or to neither."
        );
        let bars = findings.importances.bars(MOST_SHOWN);
        let together = findings.interactions.as_ref().filter(|interactions| !interactions.is_affine());
        let together = together.map_or(String::new(), |found| self.together(found, findings.training_spread));
        format!("<h2>What matters</h2>\n{}{together}", shown(&bars, &caption))
    }

    fn together(&self, interactions: &Interactions, spread: f64) -> String {
        let outcome = self.outcome;
        let names = outcome.model.inputs();
        let caption = "The quadratic network is Σ M_ab x_a x_b + b·x + c; shown is M with every input measured in standard \
                       deviations σ. Red pairs raise the prediction when both inputs are on the same side of their mean, blue \
                       pairs lower it; the diagonal holds the squares.";
        let own = outcome.fit.network.only().is_some() && outcome.fit.network.only() == quadratic(&outcome.fit);
        let which = match own {
            true => "<p>How inputs act together.</p>\n",
            false => "<p>How inputs act together, by the quadratic network beside the chosen one.</p>\n",
        };
        let map = interaction_map(interactions, &names, &outcome.samples.data.target);
        let cancelling = if interactions.cancels(spread) {
            " The largest terms are many times the spread of the target and cancel each other: some inputs nearly determine \
             others, and single coefficients should not be read alone."
        } else {
            ""
        };
        let terms = interactions.terms();
        format!(
            "{which}{}<div class=\"wide\"><table>\n<tr><th>term</th><th>coefficient</th><th>× standard deviations</th></tr>\n{}\
             </table></div>\n<p class=\"soft\">The strongest of {} terms: in the units of the columns, and in units of the target when each input is \
             measured in its standard deviation.{cancelling}</p>\n",
            shown(&map, caption),
            rows(&terms, &names),
            terms.len()
        )
    }
}

fn rows(terms: &[Term], names: &[String]) -> String {
    let name = |term: &Term| match term.a == term.b {
        true => format!("{}²", names[term.a]),
        false => format!("{} · {}", names[term.a], names[term.b]),
    };
    let mut rows = String::new();
    for term in terms.iter().take(MOST_SHOWN) {
        let (name, scaled) = (escaped(&name(term)), term.scaled.map_or(String::new(), number));
        let _ = writeln!(rows, "<tr><td>{name}</td><td>{}</td><td>{scaled}</td></tr>", number(term.coefficient));
    }
    rows
}

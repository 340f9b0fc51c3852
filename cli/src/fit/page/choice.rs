//! How the automatic fit decided.

use std::fmt::Write;

use shallows::draw::escaped;
use shallows::fit::{Combination, Outcome};

use crate::output::number;

/// What was taken, and why.
pub fn decision(combination: &Combination) -> String {
    let Combination { rmse, outcome, ahead_of_affine, ahead_of_quadratic, folds, compared, .. } = combination;
    let basis = format!("Candidates were compared on {compared} rows by {folds}-fold cross-validation.");
    let ahead = match ahead_of_quadratic {
        Some(ahead) => format!(
            "{ahead_of_affine:.1} standard errors ahead of the linear model and {ahead:.1} ahead of the quadratic network"
        ),
        None => format!("{ahead_of_affine:.1} standard errors ahead of the linear model"),
    };
    let rmse = number(*rmse);
    match outcome {
        Outcome::Affine => format!(
            "{basis} The best combination (RMSE {rmse}) is only {ahead_of_affine:.1} standard errors ahead of the linear model, \
             so the simpler one was taken: an affine function."
        ),
        Outcome::Quadratic => format!(
            "{basis} The best combination (RMSE {rmse}) is {ahead}: not enough to give up the network about which the most can \
             be proved, so the quadratic network was taken."
        ),
        Outcome::Combined => format!(
            "{basis} Taken was the combination with the least error (RMSE {rmse}), which is {ahead}. Its parts stand side by \
             side in one hidden layer."
        ),
    }
}

/// The candidates in a table.
pub fn contenders(combination: &Combination) -> String {
    let mut rows = String::new();
    for contender in &combination.contenders {
        let share = if contender.weight > 0.0 { format!("{:.0} %", 100.0 * contender.weight) } else { "–".into() };
        let _ = writeln!(
            rows,
            "<tr><td>{}</td><td>{}</td><td>{share}</td></tr>",
            escaped(&contender.name),
            number(contender.rmse)
        );
    }
    let chosen = if combination.outcome == Outcome::Combined { " class=\"chosen\"" } else { "" };
    format!(
        "<div class=\"wide\"><table>\n<tr><th>candidate</th><th>RMSE, cross-validated</th><th>share in the combination</th></tr>\n{rows}\
         <tr{chosen}><td>combination</td><td>{}</td><td></td></tr>\n</table></div>\n",
        number(combination.rmse)
    )
}

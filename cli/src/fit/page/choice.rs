//! How the automatic fit decided.

use std::fmt::Write;

use shallows::draw::escaped;
use shallows::fit::{Combination, Contender, Family, Outcome, Preference};
use shallows::job::words::refusal as refusal_words;

use super::number;

/// What was taken, and why.
pub fn decision(combination: &Combination) -> String {
    let Combination { outcome, ahead_of_affine, ahead_of_quadratic, ahead_of_wide, folds, compared, .. } = combination;
    let basis = format!("Candidates were compared on {compared} rows by {folds}-fold cross-validation.");
    let leads = [
        (ahead_of_affine, "linear model"),
        (ahead_of_quadratic, "quadratic network"),
        (ahead_of_wide, "best infinitely wide network"),
    ];
    let leads = leads.map(|(lead, of)| {
        let positive = lead.filter(|lead| lead.standard_errors > 0.0);
        positive.map(|lead| format!("{} ahead of the {of}", lead.words()))
    });
    let is_less = combination.rmse_of(Family::Combination).is_some_and(|combined| combined < combination.rmse);
    let none = if is_less { "ahead on a few rows only" } else { "no better" };
    let only = |lead: &Option<String>| lead.as_ref().map_or(none.into(), |lead| format!("only {lead}"));
    let [of_affine, of_quadratic, of_wide] = leads.each_ref().map(only);
    let ahead = leads.into_iter().flatten().collect::<Vec<_>>().join(" and ");
    let which = if ahead.is_empty() { String::new() } else { format!(", which is {ahead}") };
    let rmse = number(combination.rmse_of(Family::Combination).unwrap_or(f64::NAN));
    let least = "It has the least error, which was preferred.";
    match (combination.prefer, outcome) {
        (Preference::Accuracy, Outcome::Affine) => return format!("{basis} The linear model was chosen. {least}"),
        (Preference::Accuracy, Outcome::Quadratic) => {
            return format!("{basis} The quadratic network was chosen. {least}");
        }
        (Preference::Accuracy, Outcome::Wide) => {
            return format!("{basis} One infinitely wide network was chosen. {least}");
        }
        (Preference::Proof, Outcome::Quadratic | Outcome::Wide) => {
            return format!(
                "{basis} One network with its proof was preferred, and the best such network was chosen, whatever is ahead of it. \
                 The combination with the smallest error has RMSE {rmse}."
            );
        }
        _ => {}
    }
    match outcome {
        Outcome::Affine => format!(
            "{basis} The best combination (RMSE {rmse}) is {of_affine}, so the simpler linear model was chosen: \
             an affine function."
        ),
        Outcome::Quadratic => format!(
            "{basis} The best combination (RMSE {rmse}) is {of_quadratic}: not enough to give up the network about which \
             the most can be proved, so the quadratic network was chosen."
        ),
        Outcome::Wide => format!(
            "{basis} The best combination (RMSE {rmse}) is {of_wide}: not enough to give up one network with its proof, so \
             the best infinitely wide network was chosen."
        ),
        Outcome::Combined => format!(
            "{basis} The combination with the smallest error (RMSE {rmse}) was chosen{which}. Its parts are added \
             up."
        ),
    }
}

/// The candidates in a table, and what was refused.
pub fn contenders(combination: &Combination) -> String {
    let family = match combination.outcome {
        Outcome::Affine => Family::Affine,
        Outcome::Quadratic => Family::Quadratic,
        Outcome::Wide => Family::Wide,
        Outcome::Combined => Family::Combination,
    };
    let of_family = || combination.contenders.iter().filter(|contender| contender.family == family);
    let best = of_family().map(|contender| contender.rmse).fold(f64::INFINITY, f64::min);
    let chosen = |contender: &Contender| {
        if contender.family == family && contender.rmse == best { " class=\"chosen\"" } else { "" }
    };
    let mut rows = String::new();
    for contender in &combination.contenders {
        let share = match contender.weight {
            Some(weight) if weight > 0.0 => format!("{:.0} %", 100.0 * weight),
            Some(_) => "–".into(),
            None => String::new(),
        };
        let (class, name, rmse) = (chosen(contender), escaped(&contender.name), number(contender.rmse));
        let _ = writeln!(rows, "<tr{class}><td>{name}</td><td>{rmse}</td><td>{share}</td></tr>");
    }
    let refused: String =
        combination.refusals.iter().map(|refusal| format!("<p>{}.</p>\n", escaped(&refusal_words(refusal)))).collect();
    format!(
        "<div class=\"wide\"><table>\n<tr><th>candidate</th><th>RMSE, cross-validated</th><th>share in the combination</th></tr>\n{rows}\
         </table></div>\n{refused}"
    )
}

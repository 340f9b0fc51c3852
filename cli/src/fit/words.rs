//! What a person reads about a fit.

use std::fmt::Write;
use std::path::Path;

use shallows::certificate::Certificate;
use shallows::data::{DependenceColumn, TargetScale};
use shallows::error::excerpt;
use shallows::fit::explain::Importance;
use shallows::fit::{Combination, Family, Fit, Lead, Outcome, Preference, Scores, Training, WideTraining};
use shallows::job::fit::{FitFiles, FitFindings, FitOutcome, FoldScores, MeanAndError};
use shallows::job::importance::RankedImportances;
use shallows::job::words::refusal as refusal_words;
use shallows::model::{Calibration, WideMember};
use shallows::network::Network;

use crate::output::{number, r2_words, table, wrapped};

/// Half a screen of words.
pub fn words(outcome: &FitOutcome) -> String {
    let FitOutcome { samples, fit, .. } = outcome;
    let data = &samples.data;
    let mut out = String::new();
    let table_path = outcome.table.as_deref().unwrap_or(Path::new("-"));
    let shown = table_path.display();
    let inputs = if data.d() == 1 { "input" } else { "inputs" };
    let fitted_as = fitted(outcome).map_or(String::new(), |fitted| format!(", fitted as {fitted}"));
    let target = &samples.target;
    let _ =
        writeln!(out, "Data      {shown}: {} rows, {} {inputs}, target \"{target}\"{fitted_as}", data.n(), data.d());
    if !samples.recipe.is_plain() {
        let _ = writeln!(out, "Columns   {}", wrapped(&samples.recipe.summary(), 10));
    }
    if let (Some(column), Some(words)) = (&samples.dependence, samples.dependence_words()) {
        let label = if matches!(column, DependenceColumn::Group(_)) { "Groups" } else { "Time" };
        let _ = writeln!(out, "{label:<10}{}", wrapped(&words, 10));
    }
    let _ = writeln!(out, "Network   {}", shape(fit));
    if fit.partial {
        let _ = writeln!(out, "Partial   {}", what_is_partial(fit));
    }
    if let Some(lines) = choice(outcome) {
        let _ = writeln!(out, "Chosen    {lines}");
        if let Some(fitted) = fitted(outcome) {
            let _ = writeln!(out, "          These are errors of {fitted}.");
        }
    }
    let _ = writeln!(out, "Training  {}, {:.1} s", training(outcome), outcome.elapsed.as_secs_f64());
    let _ = write!(out, "\n{}\n", errors(outcome));
    if let Some(folds) = &outcome.folds {
        let _ = writeln!(out, "\n{}", folds_table(folds));
    }
    if let Some((label, words)) = about_scale(outcome) {
        let _ = write!(out, "\n{label:<10}{}", wrapped(&words, 10));
    }
    if let Some(findings) = &outcome.findings {
        let _ = write!(out, "\n{}", findings_words(findings));
    }
    let is_proved = outcome.certificate.as_ref().is_none_or(Certificate::holds_in_part);
    let _ = writeln!(out, "\n{}{}", if is_proved { "Proved    " } else { "Unproved  " }, proved(outcome));
    out.push_str(&saved_files(outcome));
    out.push_str(&next_commands(outcome, table_path));
    out
}

/// Columns whose importance the words tell.
const MOST_COLUMNS: usize = 5;

/// How the error falls as rows are added, and which columns matter.
fn findings_words(findings: &FitFindings) -> String {
    let mut out = String::new();
    if let Some(curve) = &findings.learning_curve {
        let which = curve.quadratic.as_ref().map(|points| ("the quadratic network", points));
        let (name, points) = which.unwrap_or(("a linear model", &curve.linear));
        if let (Some((few, first)), Some((many, last))) = (points.first(), points.last()) {
            let judged = if curve.held_out { "the held-out rows" } else { "rows set aside" };
            let words = format!(
                "{name} on {judged}: RMSE {} from {few} training rows, {} from {many}",
                number(*first),
                number(*last)
            );
            let _ = writeln!(out, "Learning  {}", wrapped(&words, 10));
        }
    }
    let RankedImportances { found, columns } = &findings.importances;
    let column = |(name, group): (&String, &Importance)| format!("{} by {}", excerpt(name), number(group.increase));
    let most: Vec<String> = columns.iter().zip(&found.groups).take(MOST_COLUMNS).map(column).collect();
    let words = format!("shuffled, these columns raise the RMSE most: {}", most.join(", "));
    let _ = writeln!(out, "Matters   {}", wrapped(&words, 10));
    out
}

fn what_is_partial(fit: &Fit) -> &'static str {
    match &fit.training {
        Training::Combined(_) => "ended early: not every candidate was trained to the end",
        Training::Global(_) => "ended early: the solver did not reach the optimum",
        _ => "interrupted while decays were compared: trained without one fold of the rows",
    }
}

fn saved_files(outcome: &FitOutcome) -> String {
    let FitFiles { model, certificate, residuals, report, .. } = &outcome.files;
    let rows = match rows_in_model(outcome) {
        0 => String::new(),
        rows => format!("   (holds the inputs of {rows} rows of the table)"),
    };
    let mut out = format!("Saved     {}{rows}\n", model.as_deref().unwrap_or(Path::new("-")).display());
    for path in [certificate, residuals, report].into_iter().flatten() {
        let _ = writeln!(out, "          {}", path.display());
    }
    out
}

/// How many rows of the table the model keeps, in its infinitely wide networks or for its intervals.
fn rows_in_model(outcome: &FitOutcome) -> usize {
    let members = outcome.fit.network.wide().iter().map(|member| member.network.alpha.len());
    let intervals = match &outcome.model.calibration {
        Some(Calibration::Jackknife(jackknife, _)) => jackknife.network.alpha.len(),
        Some(Calibration::Forward(forward)) => forward.network.alpha.len(),
        _ => 0,
    };
    members.chain([intervals]).max().unwrap_or(0)
}

fn next_commands(outcome: &FitOutcome, table: &Path) -> String {
    let (path, shown) = (outcome.files.model.as_deref().unwrap_or(Path::new("-")).display(), table.display());
    let mut out = format!("Next      shallows predict {path} NEW.csv        predictions for new rows\n");
    if outcome.model.calibration.as_ref().is_some_and(|calibration| calibration.is_enough_for(0.9)) {
        let _ = writeln!(out, "          shallows predict {path} NEW.csv --interval 0.9");
    }
    if table != Path::new("-") {
        let _ = writeln!(out, "          shallows explain {path} {shown}   what matters");
    }
    let _ = writeln!(out, "          shallows export {path} -o model.onnx   for other programs");
    if let Some(certificate) = &outcome.files.certificate {
        let _ = writeln!(out, "          shallows verify {} {shown}", certificate.display());
    }
    out
}

/// What the network looks like, in a line.
pub fn shape(fit: &Fit) -> String {
    match (fit.network.wide(), fit.network.networks()) {
        ([], networks) => finite_shape(fit, networks),
        (wide, []) => wide_shape(wide),
        (wide, networks) => format!("{}; and {}", wide_shape(wide), finite_shape(fit, networks)),
    }
}

fn wide_shape(wide: &[WideMember]) -> String {
    let one = |member: &WideMember| {
        let WideMember { weight, network } = member;
        let laws: Vec<&str> = network.kernel.layers.iter().map(|layer| layer.law.name()).collect();
        let share = if *weight == 1.0 { String::new() } else { format!(" (weight {weight:.2})") };
        format!("infinitely many units: {}, {} rows of the table{share}", laws.join(" + "), network.alpha.len())
    };
    wide.iter().map(one).collect::<Vec<_>>().join(";\n          ")
}

fn finite_shape(fit: &Fit, networks: &[Network]) -> String {
    let first = &networks[0];
    let affine = match (first.linear.is_some(), first.intercept.is_some()) {
        (true, true) => " and a linear part",
        (true, false) => " and a linear part without intercept",
        (false, true) => " and an intercept",
        (false, false) => "",
    };
    let parameters: usize =
        networks.iter().map(|network| network.parameters(shallows::network::Layers::Both).len()).sum();
    let groups: Vec<String> = networks
        .iter()
        .filter(|network| network.width() > 0)
        .map(|network| {
            let units = if network.width() == 1 { "unit" } else { "units" };
            format!("{} {} {units}", network.width(), network.activation)
        })
        .collect();
    let decay = match &fit.training {
        Training::Combined(_) => String::new(),
        _ => format!(", decay {}", number(fit.decay)),
    };
    match groups.is_empty() {
        true => format!("an affine function: {parameters} parameters"),
        false => format!("{}{affine}: {parameters} parameters{decay}", groups.join(", ")),
    }
}

/// How it was trained, in a line.
pub fn training(outcome: &FitOutcome) -> String {
    match &outcome.fit.training {
        Training::Local { method, trace } => {
            format!("{} {method} iterations; stopped: {}", trace.iterations, trace.reason.words())
        }
        Training::Global(global) => {
            let cross = if global.path.is_empty() { "" } else { "; decay by cross-validation" };
            format!("to the global optimum by {}{cross}", global.solver)
        }
        Training::Wide(_) => "laws of the hidden weights by evidence, the output layer solved".into(),
        Training::Combined(combination) => {
            format!("effort {}, seed {}", combination.effort, outcome.request.fit.common().seed)
        }
    }
}

/// What is proved, and what is not.
fn proved(outcome: &FitOutcome) -> String {
    let statements = outcome.certificate.as_ref().map_or(vec![], |record| record.statements());
    match &outcome.fit.training {
        Training::Combined(combination) => proved_of_choice(outcome, combination, &statements),
        Training::Local { trace, .. } => {
            let gradient = trace.records.last().map_or(f64::NAN, |record| record.gradient);
            format!(
                "nothing about how good this network is: it is where a descent method ended (gradient {}).\n          \
                 Whether a better one of this shape exists is not known.",
                number(gradient)
            )
        }
        Training::Global(_) if outcome.fit.partial => {
            "nothing: the solver was stopped before it reached the optimum.".into()
        }
        Training::Global(_) | Training::Wide(_) if statements.is_empty() => "nothing".into(),
        Training::Global(_) | Training::Wide(_) => listed_of(outcome, &statements),
    }
}

/// What wide-optimum says of finite layers, which the statement about one network does not repeat.
const FINITE_LAYERS: &str = "On average over draws no finite hidden layer of such units has a smaller optimum; about networks whose \
                             hidden weights are trained nothing is claimed.";

/// The statements, and below those about infinitely wide networks what they say of finite layers.
fn listed_of(outcome: &FitOutcome, statements: &[String]) -> String {
    match outcome.fit.network.wide() {
        [] => listed(statements),
        _ => format!("{}\n          {}", listed(statements), wrapped(FINITE_LAYERS, 10)),
    }
}

fn listed(statements: &[String]) -> String {
    statements.iter().map(|words| wrapped(words, 10)).collect::<Vec<_>>().join("\n          ")
}

fn proved_of_choice(outcome: &FitOutcome, combination: &Combination, statements: &[String]) -> String {
    let what = match combination.outcome {
        Outcome::Quadratic | Outcome::Wide if !statements.is_empty() => return listed_of(outcome, statements),
        Outcome::Affine => "affine function",
        Outcome::Quadratic => "quadratic network",
        Outcome::Wide => "infinitely wide network",
        Outcome::Combined => "combination",
    };
    let unproved = format!(
        "Nothing is proved about the {what} itself: its errors on rows it has not seen are measured, not bounded."
    );
    if !outcome.fit.network.wide().is_empty() && !statements.is_empty() {
        let whole = outcome.fit.network.finite().is_none();
        let members = if whole { "every member" } else { "its members that are at a global optimum" };
        return format!(
            "of {members}:\n          {}\n          {}",
            listed_of(outcome, statements),
            wrapped(&unproved, 10)
        );
    }
    let beside = match statements {
        [] if combination.quadratic.is_some() => {
            "nothing about quadratic networks: the solver was stopped before it reached the optimum.".into()
        }
        [] => "nothing about quadratic networks: none was fitted beside it.".into(),
        statements => format!("about the quadratic network beside it, {}.", statements.join("; ")),
    };
    wrapped(&format!("{beside} {unproved}"), 10)
}

/// How the decision was made.
pub fn choice(outcome: &FitOutcome) -> Option<String> {
    match &outcome.fit.training {
        Training::Combined(combination) => Some(combined_choice(combination)),
        Training::Wide(training) => Some(wide_choice(training)),
        _ => single_choice(outcome),
    }
}

fn combined_choice(combination: &Combination) -> String {
    let Combination { contenders, rmse, folds, compared, outcome, .. } = combination;
    let combined = number(combination.rmse_of(Family::Combination).unwrap_or(f64::NAN));
    let only = |ahead: Option<Lead>| match (combination.prefer, ahead.filter(|ahead| ahead.standard_errors > 0.0)) {
        (Preference::Accuracy, _) => "the least error, which was preferred".into(),
        (Preference::Proof, Some(ahead)) => {
            format!("a proof was preferred; the best combination ({combined}) is ahead of it by {}", ahead.words())
        }
        (Preference::Balanced, Some(ahead)) => {
            format!("the best combination ({combined}) is ahead of it by only {}", ahead.words())
        }
        (_, None) if combination.rmse_of(Family::Combination).is_some_and(|combined| combined < *rmse) => {
            format!("the best combination ({combined}) is ahead of it on a few rows only")
        }
        (_, None) => format!("the best combination ({combined}) is no better"),
    };
    let Combination { ahead_of_affine: of_affine, ahead_of_quadratic: of_quadratic, ahead_of_wide: of_wide, .. } =
        *combination;
    let verdict = match outcome {
        Outcome::Affine => format!("the affine model ({}): {}", number(*rmse), only(of_affine)),
        Outcome::Quadratic => format!("the quadratic network ({}): {}", number(*rmse), only(of_quadratic)),
        Outcome::Wide => format!("one infinitely wide network ({}): {}", number(*rmse), only(of_wide)),
        Outcome::Combined => {
            let simpler = [
                ("best infinitely wide network", of_wide),
                ("quadratic network", of_quadratic),
                ("affine model", of_affine),
            ];
            let mut leads = simpler.into_iter().filter_map(|(name, lead)| Some((name, lead?)));
            let ahead = leads.find(|(_, lead)| lead.standard_errors > 0.0);
            let ahead = ahead.map(|(name, lead)| format!(", ahead of the {name} by {}", lead.words()));
            format!("a combination with RMSE {combined}{}", ahead.unwrap_or_default())
        }
    };
    let weight = |weight: Option<f64>| match (outcome, weight) {
        (Outcome::Combined, Some(weight)) if weight > 0.0 => format!("{weight:.2}"),
        (_, None) => String::new(),
        _ => "–".into(),
    };
    let rows = contenders
        .iter()
        .map(|contender| vec![contender.name.clone(), number(contender.rmse), weight(contender.weight)])
        .collect();
    let listed = table(&["candidate", "RMSE", "weight"], rows);
    let listed: Vec<String> = listed.lines().map(|line| format!("        {line}")).collect();
    let how = format!("{verdict}; compared by {folds}-fold cross-validation on {compared} rows:");
    let refused: String = combination
        .refusals
        .iter()
        .map(|refusal| format!("\n          {}", wrapped(&format!("{}.", refusal_words(refusal)), 10)))
        .collect();
    format!("{}\n{}{refused}", wrapped(&how, 10), listed.join("\n"))
}

/// How the sets of layers compared.
fn wide_choice(training: &WideTraining) -> String {
    let WideTraining { set, compared, .. } = training;
    let others: Vec<String> = compared.iter().map(|one| format!("{} {}", one.set.name(), number(one.rmse))).collect();
    let words = format!("the layers {}, from {} sets by the RMSE on rows left out: ", set.name(), compared.len());
    wrapped(&(words + &others.join(", ")), 10)
}

/// How the decays of one network compared.
fn single_choice(outcome: &FitOutcome) -> Option<String> {
    let tried = &outcome.fit.tried;
    let best = tried.iter().min_by(|a, b| a.rmse.total_cmp(&b.rmse))?;
    let others: Vec<String> =
        tried.iter().map(|tried| format!("{} {}", number(tried.decay), number(tried.rmse))).collect();
    let (decay, count, others) = (number(best.decay), tried.len(), others.join(", "));
    Some(format!("decay {decay}, from {count} by cross-validated RMSE:\n          {others}"))
}

fn errors(outcome: &FitOutcome) -> String {
    let scores = &outcome.scores;
    let models = [
        ("linear model", Some(&scores.linear)),
        ("quadratic network", scores.quadratic.as_ref()),
        ("this network", Some(&scores.network)),
    ];
    let known = || models.iter().filter_map(|(name, scores)| scores.map(|scores| (name, scores)));
    let mut rows: Vec<Vec<String>> =
        known().map(|(name, scores)| row(&format!("{name}, training rows"), &scores.train)).collect();
    let held_out = |(name, test)| row(&format!("{name}, held-out rows"), test);
    rows.extend(known().filter_map(|(name, scores)| Some((name, scores.test.as_ref()?))).map(held_out));
    table(&["Error of", "rows", "RMSE", "MAE", "R²"], rows)
}

fn row(name: &str, (rows, scores): &(usize, Scores)) -> Vec<String> {
    vec![name.into(), rows.to_string(), number(scores.rmse), number(scores.mae), r2_words(scores.r2, 5)]
}

/// The scores of each fold, and their mean with its standard error.
fn folds_table(folds: &FoldScores) -> String {
    let part = |(at, scores): (usize, &Scores)| {
        vec![format!("fold {}", at + 1), number(scores.rmse), number(scores.mae), r2_words(scores.r2, 5)]
    };
    let mut rows: Vec<Vec<String>> = folds.parts.iter().enumerate().map(part).collect();
    let words = |of: MeanAndError| format!("{} ± {}", number(of.mean), number(of.standard_error));
    rows.push(vec!["mean ± standard error".into(), words(folds.rmse()), words(folds.mae()), words(folds.r2())]);
    table(&["Cross-validated error", "RMSE", "MAE", "R²"], rows)
}

/// What is fitted, where that is not the target itself.
fn fitted(outcome: &FitOutcome) -> Option<String> {
    (outcome.target_scale() == TargetScale::Log).then(|| excerpt(&outcome.samples.data.target))
}

/// What to know about the scale of the target, or which one to try: a label and words.
fn about_scale(outcome: &FitOutcome) -> Option<(&'static str, String)> {
    let Some(fitted) = fitted(outcome) else {
        let trial = outcome.log_trial.filter(|_| outcome.is_log_better())?;
        let hint = format!(
            "the target is skewed: --target-scale log fits its logarithm, and that predicts better: an affine function has RMSE \
             {} on rows left out, against {} without the logarithm",
            number(trial.log),
            number(trial.identity)
        );
        return Some(("Hint", hint));
    };
    let y = excerpt(&outcome.samples.target);
    let words = format!(
        "every model here is fitted to {fitted}; the errors above are those of exp(f), in the units of {y}. exp(f) \
         estimates the median of {y} rather than its mean."
    );
    Some(("Scale", words))
}

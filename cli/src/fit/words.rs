//! The account of a fit: in words for a person, as a record for a script.

use std::fmt::Write;

use serde_json::{Value, json};

use shallows::data::{Data, TargetScale};
use shallows::fit::{Candidate, Combination, Contender, Fit, Outcome, Scores, Training};
use shallows::job::words;
use shallows::network::Network;

use super::Report;
use crate::failure::Failure;
use crate::output::{number, table, wrapped};

/// Half a screen of words.
pub fn words(report: &Report<'_>) -> Result<String, Failure> {
    let Report { args, data, fit, model, .. } = report;
    let mut out = String::new();
    let shown = args.data.display();
    let inputs = if data.d() == 1 { "input" } else { "inputs" };
    let fitted = report.fitted().map_or(String::new(), |fitted| format!(", fitted as {fitted}"));
    let target = report.target;
    let _ = writeln!(out, "Data      {shown}: {} rows, {} {inputs}, target \"{target}\"{fitted}", data.n(), data.d());
    if !report.recipe.is_plain() {
        let _ = writeln!(out, "Columns   {}", wrapped(&report.recipe.summary(), 10));
    }
    let _ = writeln!(out, "Network   {}", shape(fit));
    if fit.partial {
        let part = match &fit.training {
            Training::Combined(_) => "ended early: not every candidate was trained to the end",
            _ => "interrupted while candidates were compared: trained on three quarters of the rows",
        };
        let _ = writeln!(out, "Partial   {part}");
    }
    if let Some(lines) = choice(report) {
        let _ = writeln!(out, "Chosen    {lines}");
        if let Some(fitted) = report.fitted() {
            let _ = writeln!(out, "          These are errors of {fitted}.");
        }
    }
    let _ = writeln!(out, "Training  {}, {:.1} s", training(report), report.elapsed.as_secs_f64());
    let _ = write!(out, "\n{}\n", errors(report)?);
    if let Some(folds) = report.folds {
        let _ = writeln!(out, "\n{}", folds_table(folds));
    }
    if let Some((label, words)) = report.about_scale() {
        let _ = write!(out, "\n{label:<10}{}", wrapped(&words, 10));
    }
    let _ = writeln!(out, "\nProved    {}", proved(report));
    let path = model.display();
    let _ = writeln!(out, "Saved     {path}");
    if let Some((_, certificate)) = report.proof {
        let _ = writeln!(out, "          {}", certificate.display());
    }
    for path in [&args.residuals, &args.report].into_iter().flatten() {
        let _ = writeln!(out, "          {}", path.display());
    }
    let _ = writeln!(out, "Next      shallows predict {path} NEW.csv        predictions for new rows");
    if report.intervals {
        let _ = writeln!(out, "          shallows predict {path} NEW.csv --interval 0.9");
    }
    if args.data != std::path::Path::new("-") {
        let _ = writeln!(out, "          shallows explain {path} {shown}   what matters");
    }
    let _ = writeln!(out, "          shallows export {path} -o model.onnx   for other programs");
    if let Some((_, certificate)) = report.proof {
        let _ = writeln!(out, "          shallows verify {} {shown}", certificate.display());
    }
    Ok(out)
}

/// What the network looks like, in a line.
pub fn shape(fit: &Fit) -> String {
    let networks = fit.network.networks();
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
pub fn training(report: &Report<'_>) -> String {
    match &report.fit.training {
        Training::Local { method, trace } => {
            format!("{} {method} iterations; stopped: {}", trace.iterations, trace.reason.words())
        }
        Training::Global(global) => {
            let cross = if global.path.is_empty() { "" } else { "; decay by cross-validation" };
            format!("to the global optimum by {}{cross}", global.solver)
        }
        Training::Combined(combination) => format!("effort {}, seed {}", combination.effort, report.args.seed),
    }
}

/// What is proved, and what is not.
fn proved(report: &Report<'_>) -> String {
    let statements = report.proof.map_or(vec![], |(record, _)| record.statements());
    let statements = || statements.iter().map(|words| wrapped(words, 10)).collect::<Vec<_>>().join("\n          ");
    match &report.fit.training {
        Training::Combined(combination) if combination.outcome == Outcome::Quadratic => statements(),
        Training::Combined(combination) => {
            let what = if combination.outcome == Outcome::Affine { "affine function" } else { "combination" };
            let beside = match report.proof {
                Some((record, _)) => format!("of the quadratic network beside it, {}.", record.statements().join("; ")),
                None => "nothing of quadratic networks: the table is too large to fit one beside it.".into(),
            };
            let words = format!(
                "{beside} Of the {what} itself nothing is proved: its errors on rows it has not seen are measured, not \
                 bounded."
            );
            wrapped(&words, 10)
        }
        Training::Local { trace, .. } => {
            let gradient = trace.records.last().map_or(f64::NAN, |record| record.gradient);
            format!(
                "nothing about how good this network is: it is where a descent method ended (gradient {}).\n          \
                 Whether a better one of this shape exists is not known.",
                number(gradient)
            )
        }
        Training::Global(_) if report.proof.is_some() => statements(),
        Training::Global(_) => "nothing".into(),
    }
}

/// How the decision was made.
pub fn choice(report: &Report<'_>) -> Option<String> {
    match &report.fit.training {
        Training::Combined(combination) => Some(combined_choice(combination)),
        _ => single_choice(report),
    }
}

fn combined_choice(combination: &Combination) -> String {
    let Combination { contenders, rmse, folds, compared, outcome, .. } = combination;
    let ahead = combination.ahead_of_quadratic.unwrap_or(0.0);
    let errors = |name: &str| {
        let found = contenders.iter().find(|contender| contender.name.starts_with(name));
        found.map_or(String::new(), |contender| number(contender.rmse))
    };
    let only = |ahead: f64| match ahead > 0.0 {
        true => format!("the best combination ({}) is ahead of it by only {ahead:.1} standard errors", number(*rmse)),
        false => format!("the best combination ({}) is no better", number(*rmse)),
    };
    let verdict = match outcome {
        Outcome::Affine => format!("the affine model ({}): {}", errors("affine"), only(combination.ahead_of_affine)),
        Outcome::Quadratic => format!("the quadratic network ({}): {}", errors("quadratic"), only(ahead)),
        Outcome::Combined => {
            let (of, by) = match combination.ahead_of_quadratic {
                Some(ahead) => ("quadratic network", ahead),
                None => ("affine model", combination.ahead_of_affine),
            };
            format!("a combination with RMSE {}, ahead of the {of} by {by:.1} standard errors", number(*rmse))
        }
    };
    let weight = |weight: f64| match (outcome, weight > 0.0) {
        (Outcome::Combined, true) => format!("{weight:.2}"),
        _ => "–".into(),
    };
    let rows = contenders
        .iter()
        .map(|contender| vec![contender.name.clone(), number(contender.rmse), weight(contender.weight)])
        .collect();
    let listed = table(&["candidate", "RMSE", "weight"], rows);
    let listed: Vec<String> = listed.lines().map(|line| format!("        {line}")).collect();
    let how = format!("{verdict}; compared by {folds}-fold cross-validation on {compared} rows:");
    format!("{}\n{}", wrapped(&how, 10), listed.join("\n"))
}

/// How single networks compared, best decay of each activation.
fn single_choice(report: &Report<'_>) -> Option<String> {
    let candidates = &report.fit.candidates;
    let best = candidates.iter().min_by(|a, b| a.rmse.total_cmp(&b.rmse))?;
    let mut by_activation: Vec<(String, f64)> = vec![];
    for candidate in candidates {
        let name = candidate.activation.to_string();
        match by_activation.iter_mut().find(|(known, _)| *known == name) {
            Some((_, rmse)) => *rmse = rmse.min(candidate.rmse),
            None => by_activation.push((name, candidate.rmse)),
        }
    }
    by_activation.sort_by(|a, b| a.1.total_cmp(&b.1));
    let others: Vec<String> = by_activation.iter().map(|(name, rmse)| format!("{name} {}", number(*rmse))).collect();
    Some(format!(
        "{} with decay {}, from {} candidates by RMSE on a quarter of the training rows:\n          {}",
        best.activation,
        number(best.decay),
        candidates.len(),
        others.join(", ")
    ))
}

fn errors(report: &Report<'_>) -> Result<String, Failure> {
    let network = &report.fit.network;
    let quadratic = quadratic_beside(report);
    let scale = report.scale();
    let mut rows = vec![];
    for (kind, data) in [("training", Some(report.train)), ("held-out", report.test)] {
        let Some(data) = data else { continue };
        rows.push(row(&format!("linear model, {kind} rows"), report.affine, data, scale)?);
        if let Some(quadratic) = quadratic {
            rows.push(row(&format!("quadratic network, {kind} rows"), quadratic, data, scale)?);
        }
        rows.push(row(&format!("this network, {kind} rows"), network, data, scale)?);
    }
    Ok(table(&["Error of", "rows", "RMSE", "MAE", "R²"], rows))
}

/// The scores of each part left out, and their mean with its standard error.
fn folds_table(folds: &[Scores]) -> String {
    let r2 = |r2: Option<f64>| r2.map_or("–".into(), |r2| format!("{r2:.5}"));
    let mut rows: Vec<Vec<String>> = folds
        .iter()
        .enumerate()
        .map(|(at, scores)| vec![format!("part {}", at + 1), number(scores.rmse), number(scores.mae), r2(scores.r2)])
        .collect();
    let spread = |values: Vec<f64>| {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        format!("{} ± {}", number(mean), number((variance / count).sqrt()))
    };
    let of = |score: &dyn Fn(&Scores) -> Option<f64>| spread(folds.iter().filter_map(score).collect());
    rows.push(vec!["mean ± standard error".into(), of(&|s| Some(s.rmse)), of(&|s| Some(s.mae)), of(&|s| s.r2)]);
    table(&["Error on parts left out", "RMSE", "MAE", "R²"], rows)
}

/// The certified network, where something else won.
pub fn quadratic_beside<'a>(report: &Report<'a>) -> Option<&'a Network> {
    match &report.fit.training {
        Training::Combined(combination) if combination.outcome != Outcome::Quadratic => {
            combination.quadratic.as_ref().map(|found| &found.network)
        }
        _ => None,
    }
}

fn row(name: &str, networks: &impl AsRef<[Network]>, data: &Data, scale: TargetScale) -> Result<Vec<String>, Failure> {
    let scores = Scores::in_original_units(networks, data, scale)?;
    let r2 = scores.r2.map_or("–".into(), |r2| format!("{r2:.5}"));
    Ok(vec![name.into(), data.n().to_string(), number(scores.rmse), number(scores.mae), r2])
}

/// One JSON document.
pub fn record(report: &Report<'_>) -> Result<Value, Failure> {
    let Report { args, data, fit, .. } = report;
    let scale = report.scale();
    // Hashing a large table takes a while; where all rows were trained on, the certificate has done it.
    let hash = match report.proof {
        Some((record, _)) if report.train.n() == data.n() => record.data_hash().to_owned(),
        _ => data.hash(),
    };
    let activations: Vec<String> = fit.network.activations().map(ToString::to_string).collect();
    let mut document = json!({
        "data": {
            "path": words::path(&args.data), "rows": data.n(), "inputs": data.d(), "target": report.target, "hash": hash,
            "target_scale": scale, "skewed": report.is_skewed(),
            "columns": report.recipe.summary_json(),
        },
        "model": {
            "path": words::path(report.model), "activation": activations.join("+"), "width": fit.network.width(),
            "decay": fit.decay,
        },
        "train": scores(&fit.network, report.train, scale)?,
        "linear": { "train": scores(report.affine, report.train, scale)? },
        "objective": fit.objective,
        "training": training_record(&fit.training),
        "candidates": candidates(fit),
        "partial": fit.partial,
        "certificate": report.proof.map(|(_, path)| json!({ "path": words::path(path) })),
        "certificates": report.proof.map_or(json!([]), |(record, _)| record.document()),
        "seconds": report.elapsed.as_secs_f64(),
        "seed": args.seed,
        "version": env!("CARGO_PKG_VERSION"),
    });
    for (key, path) in [("report", &args.report), ("residuals", &args.residuals)] {
        if let Some(path) = path {
            document[key] = json!({ "path": words::path(path) });
        }
    }
    if let Some(test) = report.test {
        document["test"] = scores(&fit.network, test, scale)?;
        document["linear"]["test"] = scores(report.affine, test, scale)?;
    }
    if let Some(folds) = report.folds {
        let part = |scores: &Scores| json!({ "rmse": scores.rmse, "mae": scores.mae, "r2": scores.r2 });
        document["folds"] = folds.iter().map(part).collect();
    }
    if let Some(quadratic) = quadratic_beside(report) {
        document["quadratic"] = json!({ "train": scores(quadratic, report.train, scale)? });
        if let Some(test) = report.test {
            document["quadratic"]["test"] = scores(quadratic, test, scale)?;
        }
    }
    Ok(document)
}

fn scores(networks: &impl AsRef<[Network]>, data: &Data, scale: TargetScale) -> Result<Value, Failure> {
    let scores = Scores::in_original_units(networks, data, scale)?;
    Ok(json!({ "rows": data.n(), "rmse": scores.rmse, "mae": scores.mae, "r2": scores.r2 }))
}

fn candidates(fit: &Fit) -> Vec<Value> {
    if let Training::Combined(combination) = &fit.training {
        let contender = |contender: &Contender| json!({ "name": contender.name, "rmse": contender.rmse, "weight": contender.weight });
        return combination.contenders.iter().map(contender).collect();
    }
    let candidate = |candidate: &Candidate| {
        let finite = candidate.rmse.is_finite().then_some(candidate.rmse);
        json!({ "activation": candidate.activation.to_string(), "decay": candidate.decay, "rmse": finite })
    };
    fit.candidates.iter().map(candidate).collect()
}

fn training_record(training: &Training) -> Value {
    match training {
        Training::Local { method, trace } => {
            let last = trace.records.last();
            json!({
                "method": method.name(), "iterations": trace.iterations, "stopped": trace.reason.words(),
                "gradient": last.map(|record| record.gradient),
                "relative_error": last.map(|record| record.relative_error),
            })
        }
        Training::Combined(combination) => {
            let outcome = match combination.outcome {
                Outcome::Affine => "affine",
                Outcome::Quadratic => "quadratic",
                Outcome::Combined => "combined",
            };
            json!({
                "method": "combination", "effort": combination.effort.to_string(), "outcome": outcome, "rmse": combination.rmse, "folds": combination.folds,
                "rows_compared": combination.compared, "standard_errors_ahead_of_affine": combination.ahead_of_affine,
                "standard_errors_ahead_of_quadratic": combination.ahead_of_quadratic,
            })
        }
        Training::Global(global) => {
            let path: Vec<Value> =
                global.path.iter().map(|(decay, rmse)| json!({ "decay": decay, "rmse": rmse })).collect();
            json!({
                "method": "global", "solver": global.solver, "iterations": global.state.iteration,
                "objective": global.state.objective, "estimated_lower_bound": global.state.lower_bound,
                "raw_decay": global.raw_decay, "exponents": global.exponents, "path": path,
            })
        }
    }
}

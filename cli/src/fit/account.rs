//! The account of a fit: in words for a person, as a record for a script.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{Report, Scores, Training};
use crate::failure::Failure;
use crate::output::{number, table, wrapped};

/// Half a screen of words.
pub fn words(report: &Report<'_>) -> Result<String, Failure> {
    let Report { args, data, fit, model, .. } = report;
    let network = &fit.network;
    let mut out = String::new();
    let shown = args.data.display();
    let target = &data.target;
    let inputs = if data.d() == 1 { "input" } else { "inputs" };
    let _ = writeln!(out, "Data      {shown}: {} rows, {} {inputs}, target \"{target}\"", data.n(), data.d());
    let parameters = network.parameters(shallows::network::Layers::Both).len();
    let affine = match (network.linear.is_some(), network.intercept.is_some()) {
        (true, true) => " and a linear part",
        (true, false) => " and a linear part without intercept",
        (false, true) => " and an intercept",
        (false, false) => "",
    };
    let _ = writeln!(
        out,
        "Network   {} {} {}{affine}: {parameters} parameters, decay {}",
        network.width(),
        network.activation,
        if network.width() == 1 { "unit" } else { "units" },
        number(fit.decay)
    );
    if fit.partial {
        let _ = writeln!(
            out,
            "Partial   interrupted while candidates were compared: trained on three quarters of the rows"
        );
    }
    if let Some(line) = choice(report) {
        let _ = writeln!(out, "Chosen    {line}");
    }
    let _ = writeln!(out, "Training  {}, {:.1} s", training(&fit.training), report.elapsed.as_secs_f64());
    let _ = write!(out, "\n{}\n", errors(report)?);
    let _ = writeln!(out, "\nProved    {}", proved(report));
    let path = model.display();
    let _ = writeln!(out, "Saved     {path}");
    if let Some((_, certificate)) = report.proof {
        let _ = writeln!(out, "          {}", certificate.display());
    }
    let _ = writeln!(out, "Next      shallows predict {path} NEW.csv        predictions for new rows");
    let _ = writeln!(out, "          shallows export {path} -o model.onnx   for other programs");
    if let Some((_, certificate)) = report.proof {
        let _ = writeln!(out, "          shallows verify {} {shown}", certificate.display());
    }
    Ok(out)
}

/// How it was trained, in a line.
fn training(training: &Training) -> String {
    match training {
        Training::Local { method, trace } => {
            format!("{} {method} iterations; stopped: {}", trace.iterations, trace.reason.words())
        }
        Training::Global(global) => {
            let cross = if global.path.is_empty() { "" } else { "; decay by cross-validation" };
            format!("to the global optimum by {}{cross}", global.solver)
        }
    }
}

/// What is proved, and what is not.
fn proved(report: &Report<'_>) -> String {
    match (&report.proof, &report.fit.training) {
        (Some((record, _)), _) => {
            let statements = record.statements();
            statements.iter().map(|words| wrapped(words, 10)).collect::<Vec<_>>().join("\n          ")
        }
        (None, Training::Local { trace, .. }) => {
            let gradient = trace.records.last().map_or(f64::NAN, |record| record.gradient);
            format!(
                "nothing about how good this network is: it is where a descent method ended (gradient {}).\n          \
                 Whether a better one of this shape exists is not known.",
                number(gradient)
            )
        }
        (None, Training::Global(_)) => "nothing".into(),
    }
}

/// How the candidates compared, best decay of each activation.
fn choice(report: &Report<'_>) -> Option<String> {
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
    let mut rows = vec![
        row("linear model, training rows", report.train.n(), Scores::of(report.affine, report.train)?),
        row("this network, training rows", report.train.n(), Scores::of(network, report.train)?),
    ];
    if let Some(test) = report.test {
        rows.push(row("linear model, held-out rows", test.n(), Scores::of(report.affine, test)?));
        rows.push(row("this network, held-out rows", test.n(), Scores::of(network, test)?));
    }
    Ok(table(&["Error of", "rows", "RMSE", "MAE", "R²"], rows))
}

fn row(name: &str, rows: usize, scores: Scores) -> Vec<String> {
    let r2 = scores.r2.map_or("–".into(), |r2| format!("{r2:.5}"));
    vec![name.into(), rows.to_string(), number(scores.rmse), number(scores.mae), r2]
}

/// One JSON document.
pub fn record(report: &Report<'_>) -> Result<Value, Failure> {
    let Report { args, data, fit, .. } = report;
    let scores = |network, data: &shallows::data::Data| -> Result<Value, Failure> {
        let scores = Scores::of(network, data)?;
        Ok(json!({ "rows": data.n(), "rmse": scores.rmse, "mae": scores.mae, "r2": scores.r2 }))
    };
    let candidates: Vec<Value> = fit
        .candidates
        .iter()
        .map(|candidate| {
            let finite = candidate.rmse.is_finite().then_some(candidate.rmse);
            json!({
                "activation": candidate.activation.to_string(), "decay": candidate.decay, "rmse": finite,
            })
        })
        .collect();
    // Hashing a large table takes a while; without held-out rows the certificate has done it.
    let hash = match report.proof {
        Some((record, _)) if report.test.is_none() => record.data_hash().to_owned(),
        _ => data.hash(),
    };
    let mut document = json!({
        "data": {
            "path": args.data, "rows": data.n(), "inputs": data.d(), "target": data.target, "hash": hash,
        },
        "model": {
            "path": report.model, "activation": fit.network.activation.to_string(), "width": fit.network.width(),
            "decay": fit.decay,
        },
        "train": scores(&fit.network, report.train)?,
        "linear": { "train": scores(report.affine, report.train)? },
        "objective": fit.objective,
        "training": training_record(&fit.training),
        "candidates": candidates,
        "partial": fit.partial,
        "certificate": report.proof.map(|(_, path)| json!({ "path": path })),
        "certificates": report.proof.map_or(json!([]), |(record, _)| record.certificates()),
        "seconds": report.elapsed.as_secs_f64(),
        "seed": args.seed,
        "version": env!("CARGO_PKG_VERSION"),
    });
    if let Some(test) = report.test {
        document["test"] = scores(&fit.network, test)?;
        document["linear"]["test"] = scores(report.affine, test)?;
    }
    Ok(document)
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

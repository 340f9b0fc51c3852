//! What a script reads about a fit.

use serde_json::{Value, json};

use super::FitOutcome;
use crate::certificate::Certificate;
use crate::data::DependenceColumn;
use crate::fit::{Combination, ComparedSet, Contender, Fit, Global, RefusedCandidate, Scores, Training, TriedDecay};
use crate::job::words;
use crate::optimise::{Method, StopReason, Trace};

impl FitOutcome {
    /// What a script reads: the same from the command and from the Python package.
    pub fn document(&self) -> Value {
        let FitOutcome { fit, certificate, files, scores, .. } = self;
        let (train, test) = scores.network.documents();
        let mut document = json!({
            "data": self.data_document(),
            "model": self.model_document(),
            "train": train,
            "linear": scores.linear.document(),
            "objective": fit.objective,
            "training": training_document(&fit.training),
            "candidates": candidates(fit),
            "partial": fit.partial,
            "certificate": files.certificate.as_ref().map(|path| json!({ "path": words::path(path) })),
            "certificates": certificate.as_ref().map_or(json!([]), Certificate::document),
            "seconds": self.elapsed.as_secs_f64(),
            "seed": self.request.fit.common().seed,
            "version": env!("CARGO_PKG_VERSION"),
        });
        for (key, path) in [("report", &files.report), ("residuals", &files.residuals)] {
            if let Some(path) = path {
                document[key] = json!({ "path": words::path(path) });
            }
        }
        if !fit.network.wide().is_empty() {
            document["wide"] = self.model.laws().into();
        }
        if let Some(test) = test {
            document["test"] = test;
            document["test"]["row_numbers"] = self.samples.held_out.clone().into();
        }
        if let Some(folds) = &self.folds {
            let part = |scores: &Scores| json!({ "rmse": scores.rmse, "mae": scores.mae, "r2": scores.r2 });
            document["folds"] = folds.parts.iter().map(part).collect();
        }
        if let Some(quadratic) = &scores.quadratic {
            document["quadratic"] = quadratic.document();
        }
        if let Some(trial) = &self.log_trial {
            document["log_trial"] =
                json!({ "identity": trial.identity, "log": trial.log, "is_better": self.is_log_better() });
        }
        if let Some(findings) = &self.findings {
            findings.add_to(&mut document);
        }
        document
    }

    fn data_document(&self) -> Value {
        let samples = &self.samples;
        let told = |wanted: bool, what: &str| {
            let column =
                samples.dependence.as_ref().filter(|column| matches!(column, DependenceColumn::Group(_)) == wanted);
            column.map(|column| json!({ "column": column.name(), what: samples.dependence_count() }))
        };
        let (group, time) = (told(true, "groups"), told(false, "times"));
        json!({
            "path": self.table.as_ref().map(words::path), "rows": samples.data.n(), "inputs": samples.data.d(),
            "target": samples.target, "hash": self.data_hash(), "target_scale": self.target_scale().name(),
            "target_centre": self.target_scale().centre(),
            "skewed": self.is_skewed(), "columns": samples.recipe.summary_json(), "group": group, "time": time,
        })
    }

    fn model_document(&self) -> Value {
        let fit = &self.fit;
        json!({
            "path": self.files.model.as_ref().map(words::path), "activation": fit.network.activations().join("+"),
            "width": fit.network.width(), "decay": fit.decay,
        })
    }
}

fn candidates(fit: &Fit) -> Vec<Value> {
    if let Training::Combined(combination) = &fit.training {
        let contender = |contender: &Contender| json!({ "name": contender.name, "rmse": contender.rmse, "weight": contender.weight });
        return combination.contenders.iter().map(contender).collect();
    }
    if let Training::Wide(training) = &fit.training {
        let set = |one: &ComparedSet| json!({ "name": one.set.name(), "rmse": one.rmse });
        return training.compared.iter().map(set).collect();
    }
    let activation = fit.network.activations().join("+");
    let tried = |tried: &TriedDecay| json!({ "activation": activation, "decay": tried.decay, "rmse": tried.rmse });
    fit.tried.iter().map(tried).collect()
}

fn training_document(training: &Training) -> Value {
    match training {
        Training::Local { method, trace } => local(*method, trace),
        Training::Combined(combination) => combined(combination),
        Training::Global(global) => solved(global),
        Training::Wide(training) => {
            json!({ "method": "wide", "set": training.set.name(), "log_evidence": training.log_evidence })
        }
    }
}

fn local(method: Method, trace: &Trace) -> Value {
    let last = trace.records.last();
    json!({
        "method": method.name(), "iterations": trace.iterations, "stopped": trace.reason.words(),
        "converged": !matches!(trace.reason, StopReason::Iterations | StopReason::Time | StopReason::Interrupted),
        "gradient": last.map(|record| record.gradient),
        "relative_error": last.map(|record| record.relative_error),
    })
}

fn combined(combination: &Combination) -> Value {
    let refusal = |refusal: &RefusedCandidate| {
        let RefusedCandidate { name, rmse, training_rmse, affine_rmse } = refusal;
        json!({ "name": name, "rmse": rmse, "training_rmse": training_rmse, "affine_rmse": affine_rmse })
    };
    let refused: Vec<Value> = combination.refusals.iter().map(refusal).collect();
    let Combination { ahead_of_affine, ahead_of_quadratic, ahead_of_wide, .. } = combination;
    json!({
        "method": "combination", "effort": combination.effort.to_string(), "prefer": combination.prefer.to_string(),
        "outcome": combination.outcome.name(),
        "rmse": combination.rmse, "folds": combination.folds, "rows_compared": combination.compared,
        "standard_errors_ahead_of_affine": ahead_of_affine.map(|lead| lead.standard_errors),
        "standard_errors_ahead_of_quadratic": ahead_of_quadratic.map(|lead| lead.standard_errors),
        "standard_errors_ahead_of_wide": ahead_of_wide.map(|lead| lead.standard_errors),
        "refused": refused,
    })
}

fn solved(global: &Global) -> Value {
    let path: Vec<Value> = global.path.iter().map(|(decay, rmse)| json!({ "decay": decay, "rmse": rmse })).collect();
    json!({
        "method": "global", "solver": global.solver, "iterations": global.state.iteration,
        "objective": global.state.objective, "estimated_lower_bound": global.state.lower_bound,
        "raw_decay": global.raw_decay, "exponents": global.exponents, "path": path,
    })
}

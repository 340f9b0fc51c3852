//! How far a job has come, as a document: what a callback of the Python package gets.

use serde_json::{Value, json};

use crate::watch::{Progress, Stage};

/// The document of a report.
///
/// ```
/// use shallows::job::progress::document;
/// use shallows::watch::Progress;
///
/// assert!(document(Progress::Tried { width: 64, holds: true }).to_string().contains("64"));
/// ```
pub fn document(progress: Progress) -> Value {
    match progress {
        Progress::Began(stage) => json!({ "stage": name(stage) }),
        Progress::Counted { stage, done, total } => json!({ "stage": name(stage), "done": done, "total": total }),
        Progress::Solving { iteration, objective, lower_bound } => json!({
            "stage": "solving", "iteration": iteration, "objective": objective, "lower_bound": lower_bound,
            "relative_gap": progress.relative_gap(),
        }),
        Progress::Training { iteration, iterations, objective, gradient } => json!({
            "stage": "training", "iteration": iteration, "iterations": iterations, "objective": objective,
            "gradient": gradient,
        }),
        Progress::Tried { width, holds } => json!({ "stage": "trying", "width": width, "holds": holds }),
        Progress::Started { units, number, error } => {
            json!({ "stage": "start", "units": units, "number": number, "error": error })
        }
        Progress::Swept { done, total, cells_done, cells, successes } => json!({
            "stage": "runs", "done": done, "total": total, "cells_done": cells_done, "cells": cells,
            "successes": successes,
        }),
    }
}

fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Fitting => "fitting",
        Stage::Searching => "searching",
        Stage::Choosing => "choosing",
        Stage::Refitting => "refitting",
        Stage::Scaling => "scaling",
        Stage::Judging => "judging",
        Stage::Inputs => "inputs",
        Stage::Moments => "moments",
        Stage::Errors => "errors",
        Stage::Runs => "runs",
        Stage::Effects => "effects",
    }
}

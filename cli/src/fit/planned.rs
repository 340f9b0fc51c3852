//! `shallows fit --plan`: what was proved beside what is observed.

use std::fmt::Write;
use std::path::{Display, Path};

use shallows::certificate::words::{at_most, rate_words};
use shallows::fit::planned::{BoundedQuantity, PlannedRun};
use shallows::job::execute::{ExecuteJob, ExecuteOutcome};

use crate::GlobalArgs;
use crate::failure::Failure;
use crate::output::{self, brief, number, table};
use crate::progress::watched;

/// Run the plan.
pub fn run(job: ExecuteJob, common: &GlobalArgs) -> Result<(), Failure> {
    let outcome = watched(common, |watch| job.run(watch))?;
    outcome.samples.remark().iter().for_each(|words| output::remark(common, words));
    if common.json {
        output::json(&outcome.document())?
    } else {
        output::bytes(words(&outcome).as_bytes())?
    }
    match outcome.violation() {
        None => Ok(()),
        Some((quantity, iteration)) => Err(Failure::with_hint(
            format!("the bound on the {} was violated at iteration {iteration}: a proof is wrong", quantity.name()),
            "please report this with the table and the plan",
        )),
    }
}

fn words(outcome: &ExecuteOutcome) -> String {
    let ExecuteOutcome { plan, prepared, run, samples, .. } = outcome;
    let mut out = String::new();
    let (shown, data) = (shown_path(outcome.table.as_deref()), &samples.data);
    let _ = writeln!(out, "Data      {shown}: {} rows, {} inputs, target \"{}\"", data.n(), data.d(), samples.target);
    let _ = writeln!(out, "Rows      {}", output::wrapped(&format!("{}.", prepared.frame.words()), 10));
    let _ = writeln!(
        out,
        "Plan      {}, {} units, {} trained, step {}; {} proved again",
        plan.activation,
        plan.width,
        if plan.both_layers { "both layers" } else { "hidden layer" },
        number(plan.step),
        plan.theorem
    );
    let _ = writeln!(
        out,
        "Training  {} iterations ({}), ‖r‖ from {} to {}, {:.1} s",
        run.trace.iterations,
        run.trace.reason.words(),
        number(run.residuals.0),
        number(run.residuals.1),
        outcome.seconds
    );
    if let Some(scores) = &outcome.scores {
        let _ = writeln!(out, "Errors    RMSE {} on the training rows", number(scores.rmse));
    }
    let _ = writeln!(out, "\n{}", comparisons(outcome));
    let verdict = match outcome.violation() {
        Some(_) => "A BOUND WAS VIOLATED",
        None => "every bound held at every iteration",
    };
    let floor = brief(run.floor);
    let _ = writeln!(out, "\nChecked   {verdict} (compared while ‖r‖ > {floor}, which is rounding)");
    out + &saved_words(outcome)
}

fn shown_path(path: Option<&Path>) -> Display<'_> {
    path.unwrap_or(Path::new("-")).display()
}

fn saved_words(outcome: &ExecuteOutcome) -> String {
    let curves = shown_path(outcome.curves_path.as_deref());
    match &outcome.model_path {
        Some(path) => format!("Saved     {}\n          {curves}\n", path.display()),
        None => format!(
            "Saved     {curves}\n          no model: rows were divided by their norms, which a saved network cannot do\n"
        ),
    }
}

/// Each bound beside what was observed.
fn comparisons(outcome: &ExecuteOutcome) -> String {
    let ExecuteOutcome { proven, run, .. } = outcome;
    let last = run.trace.records.last();
    let words = |value: Option<f64>| value.map_or("–".into(), number);
    let row = |name: &str, proved: String, observed: String, share: String| vec![name.into(), proved, observed, share];
    let rows = vec![
        row("rate a step, at most", rate_words(proven.rate), rate_words(run.rate), String::new()),
        row(
            "distance from the start",
            at_most(proven.path),
            words(last.map(|record| record.distance)),
            share(run, BoundedQuantity::Distance),
        ),
        row(
            "length of the path",
            at_most(proven.path),
            words(last.map(|record| record.path)),
            share(run, BoundedQuantity::Path),
        ),
        row(
            "residual after τ steps",
            "rate^τ·‖r₀‖".into(),
            number(run.residuals.1),
            share(run, BoundedQuantity::Residual),
        ),
        row("energy", number(proven.residual), String::new(), share(run, BoundedQuantity::Energy)),
    ];
    table(&["", "proved", "observed", "largest share of the bound"], rows)
}

/// The largest observed share of the bound.
fn share(run: &PlannedRun, quantity: BoundedQuantity) -> String {
    run.comparison(quantity).map_or(String::new(), |comparison| format!("{:.3}", comparison.worst))
}

//! `shallows fit --plan`: execute a plan, and compare what was proved with what is observed.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use shallows::certificate::descent::{DescentPlan, PreparedRows, ProvedStart, Proven};
use shallows::certificate::words::{at_most, rate_words};
use shallows::draw::{Colour, Scale, Series, check_name, lines};
use shallows::file::FileRole;
use shallows::fit::planned::{Run, execute};
use shallows::fit::{Progress, Scores};
use shallows::job::words;
use shallows::model::Model;
use shallows::optimise::Stop;

use super::FitArgs;
use super::samples::Samples;
use crate::Common;
use crate::failure::Failure;
use crate::output::{self, brief, number, table};
use crate::progress::{INTERRUPTED, Line, finish_on_interrupt};

/// Iterations that are not exceeded unless asked for.
const MOST_ITERATIONS: usize = 1_000_000;
/// Points of a curve.
const POINTS: usize = 41;

/// Everything the account speaks about.
struct Executed<'a> {
    args: &'a FitArgs,
    plan: &'a DescentPlan,
    proven: &'a Proven,
    prepared: &'a PreparedRows,
    run: &'a Run,
    samples: &'a Samples,
    model: Option<&'a Path>,
    curves: &'a Path,
    scores: Option<Scores>,
    seconds: f64,
}

/// Run the verb.
pub fn run(args: &FitArgs, path: &Path, common: &Common) -> Result<(), Failure> {
    let start = Instant::now();
    let model_path = args.model_path();
    let curves = args.curves.clone().unwrap_or_else(|| args.beside_model("plan.svg"));
    check_name(&curves)?;
    args.inputs().writes(FileRole::Model, &model_path).writes(FileRole::Curves, &curves).check()?;
    let plan = DescentPlan::load(path)?;
    let samples = args.samples()?;
    samples.remarks.iter().for_each(|words| output::remark(common, words));
    let ProvedStart { network, rows: prepared, proven } = plan.proved_again(&samples.data)?;
    let data = &prepared.distinct.data;
    finish_on_interrupt();
    let line = Line::new(common);
    let iterations =
        args.iterations.unwrap_or_else(|| (plan.iterations.unwrap_or(f64::MAX) as usize).min(MOST_ITERATIONS));
    let goal = plan.tolerance * proven.residual;
    let stop = Stop {
        gradient: 0.0,
        objective: goal * goal / (2.0 * prepared.samples as f64),
        iterations,
        time: args.budget,
        interrupted: Some(&INTERRUPTED),
        ..Stop::default()
    };
    let run = execute(&network, data, plan.layers(), &proven, stop, &mut |record| {
        line.show(Progress::Training { record, iterations });
    });
    line.clear();
    let run = run?;
    let raw = prepared.frame.raw_network(&run.network);
    let named = |network| Model::new(network, samples.recipe.clone(), samples.target.clone(), plan.seed);
    let model = raw.map(named).transpose()?;
    let scores = model.as_ref().map(|model| Scores::of(&model.network, &samples.data)).transpose()?;
    model.iter().try_for_each(|model| model.save(&model_path))?;
    figure(&proven, &run, prepared.samples as f64).save(&curves)?;
    let executed = Executed {
        args,
        plan: &plan,
        proven: &proven,
        prepared: &prepared,
        run: &run,
        samples: &samples,
        model: scores.is_some().then_some(&model_path),
        curves: &curves,
        scores,
        seconds: start.elapsed().as_secs_f64(),
    };
    if common.json {
        output::json(&record(&executed))?
    } else {
        output::bytes(words(&executed).as_bytes())?
    }
    match run.comparisons.iter().find_map(|one| one.violated.map(|iteration| (one.name, iteration))) {
        None => Ok(()),
        Some((name, iteration)) => Err(Failure::with_hint(
            format!("the bound on the {name} was violated at iteration {iteration}: a proof is wrong"),
            "please report this with the table and the plan",
        )),
    }
}

/// ‖r‖ proved and observed, iteration by iteration.
fn figure(proven: &Proven, run: &Run, samples: f64) -> shallows::draw::Figure {
    let records = &run.trace.records;
    let stride = records.len().div_ceil(POINTS).max(1);
    let shown: Vec<_> = records.iter().step_by(stride).chain(records.last()).collect();
    let observed = shown.iter().map(|record| (record.iteration as f64, (2.0 * samples * record.objective).sqrt()));
    let bound = shown.iter().map(|record| {
        let tau = record.iteration as f64;
        (tau, proven.residual * (tau * proven.rate.ln()).exp())
    });
    let series = [
        Series { name: "proved: at most".into(), colour: Colour::ORANGE, points: bound.collect() },
        Series { name: "observed".into(), colour: Colour::BLUE, points: observed.collect() },
    ];
    lines("Proved and observed", ("iteration", "‖r‖"), (Scale::Linear, Scale::Log), &series)
}

fn words(executed: &Executed<'_>) -> String {
    let Executed { args, plan, proven, prepared, run, samples, .. } = executed;
    let mut out = String::new();
    let (shown, data) = (args.data.display(), &samples.data);
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
        executed.seconds
    );
    if let Some(scores) = &executed.scores {
        let _ = writeln!(out, "Errors    RMSE {} on the rows of the training", number(scores.rmse));
    }
    let last = run.trace.records.last();
    let of = |value: Option<f64>| value.map_or("–".into(), number);
    let rows = vec![
        vec!["rate a step, at most".into(), rate_words(proven.rate), rate_words(run.rate), String::new()],
        vec!["distance from the start".into(), at_most(proven.path), of(last.map(|r| r.distance)), share(run, 1)],
        vec!["length of the path".into(), at_most(proven.path), of(last.map(|r| r.path)), share(run, 2)],
        vec!["residual after τ steps".into(), "rate^τ·‖r₀‖".into(), number(run.residuals.1), share(run, 0)],
        vec!["energy".into(), number(proven.residual), String::new(), share(run, 3)],
    ];
    let _ = writeln!(out, "\n{}", table(&["", "proved", "observed", "largest share of the bound"], rows));
    let broken = run.comparisons.iter().any(|one| one.violated.is_some());
    let verdict = if broken { "A BOUND WAS VIOLATED" } else { "every bound held at every iteration" };
    let floor = brief(run.floor);
    let _ = writeln!(out, "\nChecked   {verdict} (compared while ‖r‖ > {floor}, which is rounding)");
    match executed.model {
        Some(path) => {
            let _ = writeln!(out, "Saved     {}", path.display());
            let _ = writeln!(out, "          {}", executed.curves.display());
        }
        None => {
            let _ = writeln!(out, "Saved     {}", executed.curves.display());
            let _ =
                writeln!(out, "          no model: rows were divided by their norms, which a saved network cannot do");
        }
    }
    out
}

fn share(run: &Run, at: usize) -> String {
    format!("{:.3}", run.comparisons[at].worst)
}

fn record(executed: &Executed<'_>) -> Value {
    let Executed { plan, proven, prepared, run, samples, .. } = executed;
    let last = run.trace.records.last();
    let comparisons: Vec<Value> = run
        .comparisons
        .iter()
        .map(|one| json!({ "name": one.name, "worst": one.worst, "violated": one.violated }))
        .collect();
    json!({
        "data": { "rows": samples.data.n(), "inputs": samples.data.d(), "hash": prepared.hash },
        "model": executed.model.map(|path| json!({ "path": words::path(path), "activation": plan.activation, "width": plan.width })),
        "theorem": plan.theorem,
        "proven": proven,
        "observed": {
            "rate": run.rate, "path": last.map(|record| record.path), "distance": last.map(|record| record.distance),
            "residual": run.residuals.1, "iterations": run.trace.iterations, "reason": run.trace.reason.words(),
        },
        "comparisons": comparisons,
        "train": executed.scores.as_ref().map(|scores| json!({ "rmse": scores.rmse, "r2": scores.r2 })),
        "curves": executed.curves, "seconds": executed.seconds, "seed": plan.seed,
        "version": env!("CARGO_PKG_VERSION"),
    })
}

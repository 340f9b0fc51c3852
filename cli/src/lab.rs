//! `shallows lab`: the verbs of experiments together, and single runs of a sweep.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use shallows::job::replay::{ReplayJob, ReplayOutcome};
use shallows::lab::{Replay, TrialOutcome};
use shallows::watch::Watch;

use crate::GlobalArgs;
use crate::failure::Failure;
use crate::figure::{self, FigureArgs};
use crate::output::{self, brief};
use crate::plot::{self, PlotArgs};
use crate::sweep::{self, SweepArgs};

/// Experiments: sweep, plot and figure under one name, and replays of single runs
#[derive(Args)]
#[command(after_help = "`lab sweep`, `lab plot` and `lab figure` are `sweep`, `plot` and `figure`.")]
pub struct LabArgs {
    #[command(subcommand)]
    verb: LabVerb,
}

#[derive(Subcommand)]
enum LabVerb {
    Sweep(SweepArgs),
    Plot(PlotArgs),
    Replay(ReplayArgs),
    Figure(FigureArgs),
}

/// Repeat one run of a sweep from its stored seed, and compare every bit
#[derive(Args)]
#[command(after_help = "\
Every bit agrees with the same version on a processor with the same instructions (AVX-512, AVX2 or neither); elsewhere
results differ by rounding, and the command says so.

Exit status: 0 every bit agrees, 1 something differs, 2 error")]
struct ReplayArgs {
    store: PathBuf,
    trial: u64,
}

/// Run the verb.
pub fn run(args: &LabArgs, common: &GlobalArgs) -> Result<ExitCode, Failure> {
    match &args.verb {
        LabVerb::Sweep(args) => sweep::run(args, common),
        LabVerb::Plot(args) => plot::run(args, common).map(|()| ExitCode::SUCCESS),
        LabVerb::Replay(args) => replay(args, common),
        LabVerb::Figure(args) => figure::run(args, common),
    }
}

fn replay(args: &ReplayArgs, common: &GlobalArgs) -> Result<ExitCode, Failure> {
    let job = ReplayJob { store: args.store.clone(), trial: args.trial };
    let Some(outcome) = job.run(Watch::silent())? else { return Ok(ExitCode::from(1)) };
    if common.json {
        output::json(&outcome.document())?;
    } else {
        output::bytes(words(&outcome).as_bytes())?;
    }
    Ok(if outcome.is_identical() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn words(outcome: &ReplayOutcome) -> String {
    let replay = &outcome.replay;
    let (trial, cell) = (&replay.trial, replay.trial.cell);
    let mut out = format!(
        "Run       {}: n = {}, k = {}, d = {}, network {}, start {}, seed {}\nStored    {}\nReplayed  {}\n",
        trial.id,
        cell.n,
        cell.k,
        cell.d,
        trial.network,
        trial.start,
        trial.seed,
        run_words(&trial.outcome),
        run_words(&replay.outcome)
    );
    out.push_str(&format!("Compared  {}\n", comparison(replay)));
    out
}

fn run_words(outcome: &TrialOutcome) -> String {
    let TrialOutcome { iterations, fingerprint, .. } = outcome;
    let ending = outcome.long_run.as_ref().map_or(String::new(), |run| format!(", {}", run.ending.name()));
    let error = brief(outcome.relative_error);
    format!("relative error {error} after {iterations} iterations{ending}; weights {fingerprint}")
}

fn comparison(replay: &Replay) -> String {
    let Replay { environment, here, differences, .. } = replay;
    if differences.is_empty() {
        return "every bit agrees".to_owned();
    }
    let columns = differences.join(", ");
    if replay.is_comparable() {
        return format!("differs in {columns}: the store was altered, or this processor rounds differently");
    }
    format!(
        "differs in {columns}, as expected: it was made by version {} with {}, and this is version {} with {}",
        environment.version, environment.instructions, here.version, here.instructions
    )
}

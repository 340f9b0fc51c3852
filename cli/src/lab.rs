//! `shallows lab`: single trainings of a sweep.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use shallows::lab::{Record, Replay, Store, reason_name, replay};

use crate::Common;
use crate::failure::Failure;
use crate::output::{self, brief};

/// Look at single trainings of a sweep
#[derive(Args)]
pub struct LabArgs {
    #[command(subcommand)]
    verb: LabVerb,
}

#[derive(Subcommand)]
enum LabVerb {
    /// Do one training of a sweep again from its stored seed, and compare every bit
    #[command(after_help = "\
Every bit agrees with the same version on a processor with the same instructions (AVX-512, AVX2 or neither); elsewhere
results differ by rounding, and the command says so.

Exit status: 0 every bit agrees, 1 something differs, 2 error")]
    Replay {
        /// The store that `sweep` has written
        store: PathBuf,
        /// The number of the training: the column `id` of the table `trials`
        trial: u64,
    },
}

/// Run the verb.
pub fn run(args: &LabArgs, common: &Common) -> Result<ExitCode, Failure> {
    let LabVerb::Replay { store, trial } = &args.verb;
    let replay = replay(&Store::read(store)?, *trial)?;
    if common.json {
        output::json(&record(&replay))?;
    } else {
        output::bytes(words(&replay).as_bytes())?;
    }
    Ok(if replay.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn record(replay: &Replay) -> serde_json::Value {
    let Replay { trial, environment, here, differences, .. } = replay;
    let outcome = |record: &Record| {
        json!({
            "iterations": record.iterations, "reason": reason_name(record.reason),
            "relative_error": record.relative_error, "crossings": record.crossings,
            "verdict": record.verdict.as_ref().map(|verdict| verdict.ending.name()),
            "teacher_error": record.teacher_error, "fingerprint": record.fingerprint,
        })
    };
    json!({
        "trial": trial.id, "n": trial.cell.n, "k": trial.cell.k, "d": trial.cell.d, "network": trial.network,
        "start": trial.start, "seed": trial.seed, "stored": outcome(&trial.record), "replayed": outcome(&replay.record),
        "identical": differences.is_empty(), "differences": differences, "comparable": replay.is_comparable(),
        "instructions": { "stored": environment.instructions, "here": here.instructions },
        "version": here.version,
    })
}

fn words(replay: &Replay) -> String {
    let Replay { trial, environment, here, differences, .. } = replay;
    let cell = trial.cell;
    let outcome = |record: &Record| {
        let verdict = record.verdict.as_ref().map_or(String::new(), |verdict| format!(", {}", verdict.ending.name()));
        let error = brief(record.relative_error);
        format!(
            "relative error {error} after {} iterations{verdict}; weights {}",
            record.iterations, record.fingerprint
        )
    };
    let mut out = format!(
        "Training  {}: n = {}, k = {}, d = {}, network {}, start {}, seed {}\nStored    {}\nReplayed  {}\n",
        trial.id,
        cell.n,
        cell.k,
        cell.d,
        trial.network,
        trial.start,
        trial.seed,
        outcome(&trial.record),
        outcome(&replay.record)
    );
    let verdict = if differences.is_empty() {
        "every bit agrees".to_owned()
    } else if replay.is_comparable() {
        format!("differs in {}: the store was altered, or the processor computes otherwise", differences.join(", "))
    } else {
        format!(
            "differs in {}, as it may: version {} with {} trained it, this is version {} with {}",
            differences.join(", "),
            environment.version,
            environment.instructions,
            here.version,
            here.instructions
        )
    };
    out.push_str(&format!("Compared  {verdict}\n"));
    out
}

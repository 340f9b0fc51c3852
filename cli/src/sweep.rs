//! `shallows sweep`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use shallows::job::sweep::{SweepJob, SweepOutcome};
use shallows::lab::{By, CellCount, Extent, Specification, SweepProgress};

use crate::GlobalArgs;
use crate::failure::Failure;
use crate::output::{self, brief};
use crate::progress::{STATUS_INTERRUPTED, stop_on_interrupt, watched};
use crate::runs::{threshold_words, undecided_words};

/// Train a grid of networks; interruptible and resumable
///
/// The specification says which sizes n, k, d, how many planted networks for each, how they are trained and when a run
/// is a success. Each finished run is stored at once, in an SQLite file: after Ctrl-C, a crash or a power cut, rerun the
/// command to resume.
#[derive(Args)]
#[command(after_help = "\
A specification (the README has all keys under Sweeps):
  seed = 0
  trials = 20              # planted networks for each cell
  [grid]
  n = 100
  k = \"4..=16\"             # or a number, a list [4, 8], a range with a step \"4..=16 step 2\", an expression \"2*d\"
  d = 10
  [student]
  activation = \"softplus:10\"
  [training]
  step = \"fixed\"           # or \"adaptive\"
  eta = 0.05
  iterations = 20000
  [success]
  tolerance = 1e-2         # relative error
  [quick]                  # what is smaller with --quick
  trials = 5

Examples:
  shallows sweep examples/sweeps/quick.toml      into quick.db
  shallows plot quick.db -o quick                figures and tables
  shallows lab replay quick.db 17                one run again, bit for bit

Exit status: 0 complete, 130 interrupted, 2 error")]
pub struct SweepArgs {
    specification: PathBuf,
    #[arg(long)]
    store: Option<PathBuf>,
    #[arg(long)]
    quick: bool,
}

/// Run the verb.
pub fn run(args: &SweepArgs, common: &GlobalArgs) -> Result<ExitCode, Failure> {
    if args.specification == Path::new("-") {
        let message = "a specification is read from a file, not from standard input";
        return Err(Failure::with_hint(message, "save it, say as my.toml: the results then go to my.db"));
    }
    let begun = args.job().begin().map_err(Failure::of_sweep)?;
    if begun.before() > 0 {
        let (before, total, store) = (begun.before(), begun.total(), begun.store_path().display());
        output::remark(common, &format!("{before} of {total} runs are in {store} already"));
    }
    stop_on_interrupt();
    let outcome = watched(common, |watch| begun.run(watch)).map_err(Failure::of_sweep)?;
    if common.json {
        output::json(&outcome.document())?;
    } else {
        output::bytes(words(&outcome).as_bytes())?;
    }
    if outcome.is_complete() {
        return Ok(ExitCode::SUCCESS);
    }
    let (SweepProgress { done, total, .. }, store) = (outcome.progress, outcome.store.display());
    let words = format!("interrupted: {done} of {total} runs are in {store}; rerun the command to resume");
    output::remark(common, &words);
    Ok(ExitCode::from(STATUS_INTERRUPTED))
}

impl SweepArgs {
    fn job(&self) -> SweepJob {
        let extent = if self.quick { Extent::Quick } else { Extent::Full };
        SweepJob { specification: self.specification.clone().into(), extent, store: self.store.clone() }
    }
}

/// Cells that the words list.
const MOST_ROWS: usize = 40;

fn words(outcome: &SweepOutcome) -> String {
    let SweepOutcome { counts, new, store, .. } = outcome;
    let SweepProgress { done, total, .. } = outcome.progress;
    let Specification { name, success, .. } = &outcome.specification;
    let name = if name.is_empty() { String::new() } else { format!("{}: ", output::printable(name)) };
    let mut out = format!(
        "Sweep     {name}{done} of {total} runs in {} cells, {} new in {} s\nSuccess   {}\n",
        counts.len(),
        new,
        brief(outcome.seconds),
        success.words()
    );
    for (line, axis, threshold) in outcome.thresholds() {
        let at = if line.is_empty() { String::new() } else { format!(" at {line}") };
        let half = threshold.map_or("none".into(), |threshold| threshold_words(axis.name(), &threshold));
        out.push_str(&format!("Threshold {half}{at}\n"));
    }
    out.extend(undecided_words(counts));
    out.push('\n');
    out.push_str(&table(counts));
    out.push('\n');
    if counts.len() > MOST_ROWS {
        out.push_str(&format!("  … and {} cells more; `--json` has all\n", counts.len() - MOST_ROWS));
    }
    let store = store.display();
    out.push_str(&format!("\nSaved     {store}\nNext      shallows plot {store} -o FOLDER\n"));
    out
}

fn table(counts: &[CellCount]) -> String {
    let mut header = vec!["n", "k", "d", "runs", "success", "95 % interval", "all starts"];
    let mut rows: Vec<Vec<String>> = counts.iter().take(MOST_ROWS).map(row).collect();
    if undecided_words(counts).is_some() {
        header.push("undecided");
        rows.iter_mut().zip(counts).for_each(|(row, count)| row.push(count.undecided.to_string()));
    }
    output::table(&header, rows)
}

fn row(count: &CellCount) -> Vec<String> {
    let (share, low, high) = count.share(By::Run);
    let (all, networks) = count.all_starts();
    vec![
        count.cell.n.to_string(),
        count.cell.k.to_string(),
        count.cell.d.to_string(),
        count.runs().1.to_string(),
        format!("{share:.2}"),
        format!("{low:.2} – {high:.2}"),
        format!("{all} of {networks}"),
    ]
}

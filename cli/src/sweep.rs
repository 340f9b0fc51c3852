//! `shallows sweep`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};
use shallows::file::{Destinations, FileRole};
use shallows::job::sweep::{Answer, answer};
use shallows::lab::{self, By, CellCount, Progress, Specification, Store, Watch};

use crate::Common;
use crate::failure::Failure;
use crate::output::{self, brief};
use crate::progress::{INTERRUPTED, Line, stop_on_interrupt};

/// Train a grid of networks; can be stopped and goes on where it was
///
/// The specification says which sizes n, k, d, how many planted networks for each, how they are trained and when a training
/// is a success. Every training that has ended is in the store, an SQLite file, at once: after Ctrl-C, a crash or a
/// power cut the same command goes on with the rest.
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

Examples:
  shallows sweep examples/sweeps/quick.toml      into quick.db
  shallows plot quick.db -o quick                figures and tables
  shallows lab replay quick.db 17                one training again, bit for bit

Exit status: 0 complete, 130 interrupted, 2 error")]
pub struct SweepArgs {
    /// A TOML file
    specification: PathBuf,
    /// Where the results are [default: SPECIFICATION with the ending .db, in this folder]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

/// What a shell reports for a program ended by Ctrl-C.
const STATUS_INTERRUPTED: u8 = 130;

/// Run the verb.
pub fn run(args: &SweepArgs, common: &Common) -> Result<ExitCode, Failure> {
    let since = Instant::now();
    if args.specification == Path::new("-") {
        let message = "a specification is read from a file, not from standard input";
        return Err(Failure::with_hint(message, "save it, say as my.toml: the results then go to my.db"));
    }
    let specification = Specification::read(&args.specification)?;
    let path = args.destination();
    Destinations::default()
        .reads(FileRole::Specification, &args.specification)
        .writes(FileRole::Store, &path)
        .check()?;
    let mut store = Store::open(&path, &specification).map_err(Failure::of_sweep)?;
    let before = store.count()?;
    if before > 0 {
        let words = format!("{before} of {} trainings are in {} already", specification.total(), path.display());
        output::remark(common, &words);
    }
    stop_on_interrupt();
    let line = Line::new(common);
    let report = |progress: Progress| line.count(progress.done, progress.total, &state(progress));
    let answer = answer(&mut store, Watch { report: Some(&report), interrupted: &INTERRUPTED });
    line.clear();
    let answer = answer.map_err(Failure::of_sweep)?;
    let progress = answer.progress;
    let report = Report { answer: &answer, seconds: since.elapsed().as_secs_f64() };
    if common.json {
        output::json(&report.record())?;
    } else {
        output::bytes(report.words().as_bytes())?;
    }
    if progress.done < progress.total && INTERRUPTED.load(Ordering::SeqCst) {
        let words = format!(
            "interrupted: {} of {} trainings are in {}; the same command goes on with the rest",
            progress.done,
            progress.total,
            path.display()
        );
        output::remark(common, &words);
        return Ok(ExitCode::from(STATUS_INTERRUPTED));
    }
    Ok(ExitCode::SUCCESS)
}

/// The live summary.
fn state(progress: Progress) -> String {
    let Progress { done, cells_done, cells, successes, .. } = progress;
    format!("{cells_done} of {cells} cells, success {:.0} %", 100.0 * successes as f64 / done.max(1) as f64)
}

impl SweepArgs {
    fn destination(&self) -> PathBuf {
        let stem = self.specification.file_stem().unwrap_or("sweep".as_ref());
        self.store.clone().unwrap_or_else(|| Path::new(stem).with_extension("db"))
    }
}

/// Everything the account and the record speak about.
struct Report<'a> {
    answer: &'a Answer,
    seconds: f64,
}

/// Cells that the account lists.
const MOST_ROWS: usize = 40;

impl Report<'_> {
    fn words(&self) -> String {
        let Answer { counts, new, store, .. } = self.answer;
        let Progress { done, total, .. } = self.answer.progress;
        let Specification { name, success, .. } = &self.answer.specification;
        let name = if name.is_empty() { String::new() } else { format!("{}: ", output::printable(name)) };
        let mut out = format!(
            "Sweep     {name}{done} of {total} trainings in {} cells, {} new in {} s\nSuccess   {}\n",
            counts.len(),
            new,
            brief(self.seconds),
            success.words()
        );
        for (line, axis, threshold) in self.answer.thresholds() {
            let at = if line.is_empty() { String::new() } else { format!(" at {line}") };
            let half = threshold.map_or("none".into(), |threshold| threshold_words(axis.name(), &threshold));
            out.push_str(&format!("Threshold {half}{at}\n"));
        }
        let mut header = vec!["n", "k", "d", "trainings", "success", "95 % interval", "all starts"];
        let mut rows: Vec<Vec<String>> = counts.iter().take(MOST_ROWS).map(row).collect();
        if let Some(words) = undecided_words(counts) {
            out.push_str(&words);
            header.push("undecided");
            rows.iter_mut().zip(counts).for_each(|(row, count)| row.push(count.undecided.to_string()));
        }
        out.push('\n');
        out.push_str(&output::table(&header, rows));
        out.push('\n');
        if counts.len() > MOST_ROWS {
            out.push_str(&format!("  … and {} cells more; `--json` has all\n", counts.len() - MOST_ROWS));
        }
        let store = store.display();
        out.push_str(&format!("\nSaved     {store}\nNext      shallows plot {store} -o FOLDER\n"));
        out
    }

    fn record(&self) -> Value {
        let mut document = self.answer.document();
        document["seconds"] = json!(self.seconds);
        document
    }
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

/// How many trainings are undecided, on a line, where some are.
pub fn undecided_words(counts: &[CellCount]) -> Option<String> {
    let undecided: usize = counts.iter().map(|count| count.undecided).sum();
    let all: usize = counts.iter().map(|count| count.runs().1).sum();
    (undecided > 0).then(|| format!("Undecided {undecided} of {all} trainings, which do not count as successes\n"))
}

/// `k½ = 11.4 [10.9, 11.8]`, and how it was found where that is not the logistic.
pub fn threshold_words(name: &str, threshold: &lab::Threshold) -> String {
    let interval = format!("[{}, {}]", brief(threshold.low), brief(threshold.high));
    let beyond = if threshold.is_beyond { ", beyond the cells of the sweep" } else { "" };
    match threshold.curve {
        lab::logistic::Curve::Separated { .. } => {
            let between = match threshold.low.is_finite() && threshold.high.is_finite() {
                true => ", between cells that all fail and cells that all succeed",
                false => beyond,
            };
            format!("{name}½ in {interval}{between}")
        }
        _ => format!("{name}½ = {} {interval}{beyond}", brief(threshold.half)),
    }
}

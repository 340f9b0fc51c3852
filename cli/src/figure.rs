//! `shallows figure`.

mod page;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};
use shallows::file::write_atomically;
use shallows::lab::figures::{Drawn, Finding, STUDIES, Study, study};
use shallows::lab::{Progress, Specification, Store, Trial, Watch, sweep};

use crate::Common;
use crate::failure::Failure;
use crate::output::{self, brief};
use crate::progress::{INTERRUPTED, Line, stop_on_interrupt};

/// Make a published figure again, with intervals; can be stopped and goes on where it was
///
/// Writes NAME.svg, NAME.png and NAME.csv, and of every sweep behind it the specification and the store, an SQLite file: what
/// was published and what theory says dashed, what is found with its interval. Figures that follow runs on their way
/// (sjl-local, os-path, glm-1, glm-2, glm-3) have a specification, NAME.toml, but no store: interrupted, they begin again.
/// --all makes all of them and a page of HTML that compares them with what was published.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows figure --list
  shallows figure sjl-2a --quick -o figures
  shallows figure --all -o figures

Exit status: 0 complete, 130 interrupted, 2 error")]
pub struct FigureArgs {
    /// The name of the figure; --list has them
    #[arg(required_unless_present_any = ["list", "all"], conflicts_with_all = ["list", "all"])]
    name: Option<String>,
    /// Say which figures there are
    #[arg(long, conflicts_with = "all")]
    list: bool,
    /// Make all of them, and index.html about them
    #[arg(long)]
    all: bool,
    /// Fewer networks and smaller grids: a minute or less for each rather than hours for all
    #[arg(long)]
    quick: bool,
    /// A folder; it is made if there is none [default: figures, or figures-quick]
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// What a shell reports for a program ended by Ctrl-C.
const STATUS_INTERRUPTED: u8 = 130;

/// A study that was made.
struct Made {
    study: &'static Study,
    drawn: Drawn,
    /// Trainings behind it.
    trainings: usize,
    seconds: f64,
    files: Vec<PathBuf>,
}

/// Run the verb.
pub fn run(args: &FigureArgs, common: &Common) -> Result<ExitCode, Failure> {
    if args.list {
        return list(common);
    }
    let studies: Vec<&'static Study> = match &args.name {
        None => STUDIES.iter().collect(),
        Some(name) => vec![study(name).ok_or_else(|| unknown(name))?],
    };
    let folder = args.folder();
    output::make_folder(&folder)?;
    stop_on_interrupt();
    let mut made = Vec::new();
    for study in studies {
        let Some(figure) = make(study, &folder, args.quick, common)? else {
            let words = "interrupted: what is in a store is kept; the same command goes on with the rest";
            output::remark(common, words);
            return Ok(ExitCode::from(STATUS_INTERRUPTED));
        };
        if !common.json {
            output::bytes(words(&figure).as_bytes())?;
        }
        made.push(figure);
    }
    let page = args.all.then(|| folder.join("index.html"));
    if let Some(path) = &page {
        let text = page::html(&made, args.quick);
        write_atomically(path, |out| out.write_all(text.as_bytes()))?;
    }
    if common.json {
        let figures: Vec<Value> = made.iter().map(record).collect();
        let version = env!("CARGO_PKG_VERSION");
        output::json(&json!({ "quick": args.quick, "figures": figures, "page": page, "version": version }))?;
    } else if let Some(path) = page {
        output::bytes(format!("Page      {}\n", path.display()).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

impl FigureArgs {
    /// Stores of the quick and of the full version are not the same, and neither are their folders.
    fn folder(&self) -> PathBuf {
        let usual = if self.quick { "figures-quick" } else { "figures" };
        self.output.clone().unwrap_or_else(|| usual.into())
    }
}

fn unknown(name: &str) -> Failure {
    let names: Vec<&str> = STUDIES.iter().map(|study| study.name).collect();
    Failure::with_hint(format!("there is no figure {}", shallows::error::excerpt(name)), names.join(", "))
}

fn list(common: &Common) -> Result<ExitCode, Failure> {
    if common.json {
        let entry = |study: &Study| {
            let Study { name, source, shows, published, .. } = study;
            json!({ "name": name, "source": source, "shows": shows, "published": published })
        };
        output::json(&STUDIES.iter().map(entry).collect())?;
    } else {
        for Study { name, source, shows, published, .. } in STUDIES {
            output::bytes(format!("{name:<16} {shows}\n{:<16} {source}: {published}\n", "").as_bytes())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Train what is missing, draw, and write; nothing when it was interrupted.
fn make(study: &'static Study, folder: &Path, is_quick: bool, common: &Common) -> Result<Option<Made>, Failure> {
    let since = Instant::now();
    let mut files = Vec::new();
    let mut sweeps: Vec<(Specification, Vec<Trial>)> = Vec::new();
    for specification in study.specifications(is_quick)? {
        let Some(trials) = trained(study, &specification, folder, common, &mut files)? else { return Ok(None) };
        sweeps.push((specification, trials));
    }
    if let Some(settings) = study.settings(is_quick) {
        let path = folder.join(format!("{}.toml", study.name));
        write_atomically(&path, |out| out.write_all(settings.as_bytes()))?;
        files.push(path);
    }
    let line = Line::new(common);
    line.say(&format!("{}: drawing", study.name));
    let report = |progress: Progress| line.count(progress.done, progress.total, study.name);
    let drawn = study.draw(&sweeps, is_quick, Watch { report: Some(&report), interrupted: &INTERRUPTED });
    line.clear();
    let Some(drawn) = drawn? else { return Ok(None) };
    output::save_figure(folder, study.name, &drawn.figure, &mut files)?;
    let path = folder.join(format!("{}.csv", study.name));
    write_atomically(&path, |out| out.write_all(drawn.table.csv().as_bytes()))?;
    files.push(path);
    let trainings = sweeps.iter().map(|(_, trials)| trials.len()).sum::<usize>() + drawn.trainings;
    Ok(Some(Made { study, drawn, trainings, seconds: since.elapsed().as_secs_f64(), files }))
}

/// All trainings of a sweep; nothing when it was interrupted.
fn trained(
    study: &Study,
    specification: &Specification,
    folder: &Path,
    common: &Common,
    files: &mut Vec<PathBuf>,
) -> Result<Option<Vec<Trial>>, Failure> {
    let [text, database] = ["toml", "db"].map(|ending| folder.join(format!("{}.{ending}", specification.name)));
    let mut store = Store::open(&database, specification)?;
    write_atomically(&text, |out| out.write_all(specification.text.as_bytes()))?;
    let line = Line::new(common);
    let report = |progress: Progress| line.count(progress.done, progress.total, study.name);
    let ended = sweep(&mut store, Watch { report: Some(&report), interrupted: &INTERRUPTED });
    line.clear();
    let progress = ended?;
    files.extend([text, database]);
    if progress.done < progress.total && INTERRUPTED.load(Ordering::SeqCst) {
        return Ok(None);
    }
    Ok(Some(store.trials()?))
}

/// `11.2 [10.9, 11.4]`; `between 9 and 11` where it is a gap.
fn value_words(finding: &Finding) -> String {
    let end = |x: f64| if x.is_finite() { brief(x) } else { "none".into() };
    let interval = format!("[{}, {}]", end(finding.low), end(finding.high));
    match finding {
        Finding { is_gap: true, .. } => format!("between {} and {}", end(finding.low), end(finding.high)),
        Finding { low, high, value, .. } if low == high => brief(*value),
        _ => format!("{} {interval}", brief(finding.value)),
    }
}

fn words(made: &Made) -> String {
    let Made { study, drawn, trainings, seconds, files } = made;
    let mut out = format!("Figure    {}: {}\nPublished {}\n", study.name, study.shows, study.published);
    for finding in &drawn.findings {
        out.push_str(&format!("Found     {}: {}\n", finding.what, value_words(finding)));
    }
    let names: Vec<String> =
        files.iter().filter_map(|file| file.file_name().map(|name| name.to_string_lossy().into_owned())).collect();
    out.push_str(&format!("Trainings {trainings}, in {} s\n", brief(*seconds)));
    out.push_str(&format!("Saved     {}\n\n", output::wrapped(&names.join(", "), 10)));
    out
}

fn record(made: &Made) -> Value {
    let finite = |x: f64| Some(x).filter(|x| x.is_finite());
    let finding = |finding: &Finding| {
        json!({
            "what": finding.what, "value": finite(finding.value), "low": finite(finding.low), "high": finite(finding.high),
            "published": finding.published, "gap": finding.is_gap,
        })
    };
    let Made { study, drawn, trainings, seconds, files } = made;
    json!({
        "name": study.name, "source": study.source, "published": study.published,
        "findings": drawn.findings.iter().map(finding).collect::<Vec<_>>(),
        "trainings": trainings, "seconds": seconds, "files": files,
    })
}

//! `shallows figure`.

mod page;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use shallows::file::{Destinations, FileRole, make_folder, write_atomically};
use shallows::job::figure::{Made, list as studies, make, study};
use shallows::job::words;
use shallows::lab::studies::{Finding, STUDIES, Study};
use shallows::lab::{Progress, Watch};

use crate::Common;
use crate::failure::Failure;
use crate::output::{self, brief};
use crate::progress::{INTERRUPTED, Line, stop_on_interrupt};

/// Make a published figure again, with intervals; can be stopped and goes on where it was
///
/// Writes NAME.svg, NAME.png and NAME.csv, and of every sweep behind it the specification and the store, an SQLite file: what
/// was published and what theory says dashed, what is found with its interval. Figures that follow runs on their way
/// (sjl-local, os-path, glm-1, glm-2, glm-3, safe-start, barrier) have a specification, NAME.toml, but no store: interrupted, they begin again.
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

/// Run the verb.
pub fn run(args: &FigureArgs, common: &Common) -> Result<ExitCode, Failure> {
    if args.list {
        return list(common);
    }
    let studies: Vec<&'static Study> = match &args.name {
        None => STUDIES.iter().collect(),
        Some(name) => vec![study(name)?],
    };
    let folder = args.folder();
    Destinations::default().may_fill(FileRole::Figures, Some(&folder)).check()?;
    make_folder(&folder)?;
    stop_on_interrupt();
    let mut made = Vec::new();
    for study in studies {
        let line = Line::new(common);
        let report = |progress: Progress| line.count(progress.done, progress.total, study.name);
        let figure = make(study, &folder, args.quick, Watch { report: Some(&report), interrupted: &INTERRUPTED });
        line.clear();
        let Some(figure) = figure? else {
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
        let figures: Vec<Value> = made.iter().map(Made::document).collect();
        let version = env!("CARGO_PKG_VERSION");
        output::json(
            &json!({ "quick": args.quick, "figures": figures, "page": page.map(words::path), "version": version }),
        )?;
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

fn list(common: &Common) -> Result<ExitCode, Failure> {
    if common.json {
        output::json(&studies())?;
    } else {
        for Study { name, source, shows, published, .. } in STUDIES {
            output::bytes(format!("{name:<16} {shows}\n{:<16} {source}: {published}\n", "").as_bytes())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// `11.2 [10.9, 11.4]`; `between 9 and 11` where it is a gap.
fn value_words(finding: &Finding) -> String {
    let interval = format!("[{}, {}]", brief(finding.low), brief(finding.high));
    match finding {
        Finding { is_gap: true, .. } => format!("between {} and {}", brief(finding.low), brief(finding.high)),
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

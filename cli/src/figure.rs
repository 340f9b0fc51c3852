//! `shallows figure`.

mod page;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use shallows::file::write_atomically;
use shallows::job::figure::{BegunFigures, FigureJob, MadeFigure, list_document, study};
use shallows::lab::Extent;
use shallows::lab::studies::{STUDIES, Study, StudyFinding};
use shallows::watch::Progress;

use crate::GlobalArgs;
use crate::failure::Failure;
use crate::output::{self, brief};
use crate::progress::{ProgressLine, STATUS_INTERRUPTED, stop_on_interrupt, told};
use crate::runs::file_names;

/// Reproduce a published figure, with intervals; interruptible and resumable
///
/// Writes NAME.svg, NAME.png and NAME.csv, and the specification and store (an SQLite file) of every sweep behind them.
/// Published values and theory are drawn dashed, findings with their intervals. Figures that follow individual runs
/// (sjl-local, os-path, glm-1, glm-2, glm-3, safe-start, barrier) have a specification, NAME.toml, but no store: if interrupted, they start over.
/// --all reproduces every figure and writes an HTML page that compares them with the published ones.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows figure --list
  shallows figure sjl-2a --quick -o figures
  shallows figure --all -o figures

Exit status: 0 complete, 130 interrupted, 2 error")]
pub struct FigureArgs {
    #[arg(required_unless_present_any = ["list", "all"], conflicts_with_all = ["list", "all"])]
    name: Option<String>,
    #[arg(long, conflicts_with_all = ["all", "quick", "output"])]
    list: bool,
    #[arg(long)]
    all: bool,
    #[arg(long)]
    quick: bool,
    #[arg(long, short)]
    output: Option<PathBuf>,
}

/// Run the verb.
pub fn run(args: &FigureArgs, common: &GlobalArgs) -> Result<ExitCode, Failure> {
    if args.list {
        return list(common);
    }
    let mut begun = args.job()?.begin()?;
    stop_on_interrupt();
    while let Some(study) = begun.next_study() {
        let Some(figure) = made_next(&mut begun, study, common)? else { break };
        if !common.json {
            output::bytes(words(figure).as_bytes())?;
        }
    }
    let outcome = begun.finish();
    if !outcome.is_complete {
        output::remark(common, "interrupted: what is in a store is kept; rerun the command to resume");
        return Ok(ExitCode::from(STATUS_INTERRUPTED));
    }
    if let Some(path) = &outcome.page {
        let text = page::html(&outcome);
        write_atomically(path, |out| out.write_all(text.as_bytes()))?;
    }
    match &outcome.page {
        _ if common.json => output::json(&outcome.document())?,
        Some(path) => output::bytes(format!("Page      {}\n", path.display()).as_bytes())?,
        None => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// The next figure, with a line of progress that names the study.
fn made_next<'a>(
    begun: &'a mut BegunFigures,
    study: &Study,
    common: &GlobalArgs,
) -> Result<Option<&'a MadeFigure>, Failure> {
    let tell = |line: &ProgressLine, progress: Progress| {
        if let Progress::Swept { done, total, .. } | Progress::Counted { done, total, .. } = progress {
            line.count(done, total, study.name);
        }
    };
    Ok(told(common, &tell, |watch| begun.make_next(watch))?)
}

impl FigureArgs {
    fn job(&self) -> Result<FigureJob, Failure> {
        let studies = match &self.name {
            None => STUDIES.iter().collect(),
            Some(name) => vec![study(name)?],
        };
        let extent = if self.quick { Extent::Quick } else { Extent::Full };
        Ok(FigureJob { studies, folder: self.output.clone(), extent, page: self.all })
    }
}

fn list(common: &GlobalArgs) -> Result<ExitCode, Failure> {
    if common.json {
        output::json(&list_document())?;
    } else {
        for Study { name, source, shows, published, .. } in STUDIES {
            output::bytes(format!("{name:<16} {shows}\n{:<16} {source}: {published}\n", "").as_bytes())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// `11.2 [10.9, 11.4]`; `between 9 and 11` where it is a gap.
fn value_words(finding: &StudyFinding) -> String {
    let interval = format!("[{}, {}]", brief(finding.low), brief(finding.high));
    match finding {
        StudyFinding { is_gap: true, .. } => format!("between {} and {}", brief(finding.low), brief(finding.high)),
        StudyFinding { low, high, value, .. } if low == high => brief(*value),
        _ => format!("{} {interval}", brief(finding.value)),
    }
}

fn words(made: &MadeFigure) -> String {
    let MadeFigure { study, drawn, runs, seconds, files } = made;
    let mut out = format!("Figure    {}: {}\nPublished {}\n", study.name, study.shows, study.published);
    for finding in &drawn.findings {
        out.push_str(&format!("Found     {}: {}\n", finding.what, value_words(finding)));
    }
    out.push_str(&format!("Runs      {runs}, in {} s\n", brief(*seconds)));
    out.push_str(&format!("Saved     {}\n\n", file_names(files)));
    out
}

//! The `shallows` command: one file per verb.

// W, M, … are matrices, as in the library.
#![allow(non_snake_case)]

mod certify;
mod check;
mod explain;
mod export;
mod failure;
#[cfg(feature = "lab")]
mod figure;
mod fit;
mod guide;
mod hints;
mod judgements;
#[cfg(feature = "lab")]
mod lab;
mod landscape;
mod output;
#[cfg(feature = "lab")]
mod plot;
mod predict;
mod progress;
mod recover;
#[cfg(feature = "lab")]
mod runs;
mod signs;
#[cfg(feature = "lab")]
mod sweep;
mod teach;
mod theorems;
mod threads;
mod verify;

use std::process::ExitCode;

use clap::{Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use shallows::job::options;

use failure::Failure;

/// One-hidden-layer neural networks, learned with proof
#[derive(Parser)]
#[command(name = "shallows", version, max_term_width = 110)]
struct Cli {
    #[command(flatten)]
    common: GlobalArgs,
    #[command(subcommand)]
    verb: Verb,
}

/// What every verb understands.
#[derive(Args)]
struct GlobalArgs {
    /// One JSON document on standard output instead of words
    #[arg(long, global = true)]
    json: bool,
    /// No progress and no remarks on standard error
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Threads to use [default: all cores]; results do not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(threads::MOST_THREADS)))]
    threads: Option<u16>,
}

#[derive(Subcommand)]
enum Verb {
    Fit(Box<fit::FitArgs>),
    Predict(predict::PredictArgs),
    Explain(explain::ExplainArgs),
    Check(Box<check::CheckArgs>),
    Landscape(Box<landscape::LandscapeArgs>),
    Recover(Box<recover::RecoverArgs>),
    Certify(certify::CertifyArgs),
    Verify(verify::VerifyArgs),
    Theorems(theorems::TheoremsArgs),
    Teach(teach::TeachArgs),
    #[cfg(feature = "lab")]
    Sweep(sweep::SweepArgs),
    #[cfg(feature = "lab")]
    Plot(plot::PlotArgs),
    #[cfg(feature = "lab")]
    Lab(lab::LabArgs),
    #[cfg(feature = "lab")]
    Figure(figure::FigureArgs),
    Export(export::ExportArgs),
    /// Print completions for a shell, to be sourced by it
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print every option of every verb, as the page docs/options.md
    #[command(hide = true)]
    Options,
}

fn main() -> ExitCode {
    if std::env::args_os().len() == 1 {
        // A closed pipe is nobody's error.
        output::bytes(guide::guide(&command()).as_bytes()).ok();
        return ExitCode::SUCCESS;
    }
    let cli = match command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(refusal) if refusal.use_stderr() => {
            eprintln!("{}", Failure::usage(&refusal));
            return ExitCode::from(2);
        }
        Err(help) => {
            // Help and version; a closed pipe is nobody's error.
            help.print().ok();
            return ExitCode::SUCCESS;
        }
    };
    match run(&cli) {
        Ok(status) => status,
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(2)
        }
    }
}

/// The whole command line.
fn command() -> Command {
    guide::described(Cli::command())
}

fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    progress::catch_interrupts(&cli.common)?;
    threads::start(cli.common.threads)?;
    match &cli.verb {
        Verb::Fit(args) => fit::run(args, &cli.common),
        Verb::Predict(args) => predict::run(args, &cli.common),
        Verb::Explain(args) => explain::run(args, &cli.common),
        Verb::Check(args) => return check::run(args, &cli.common),
        Verb::Landscape(args) => return landscape::run(args, &cli.common),
        Verb::Recover(args) => return recover::run(args, &cli.common),
        Verb::Certify(args) => return certify::run(args, &cli.common),
        Verb::Verify(args) => return verify::run(args, &cli.common),
        #[cfg(feature = "lab")]
        Verb::Sweep(args) => return sweep::run(args, &cli.common),
        #[cfg(feature = "lab")]
        Verb::Plot(args) => plot::run(args, &cli.common),
        #[cfg(feature = "lab")]
        Verb::Lab(args) => return lab::run(args, &cli.common),
        #[cfg(feature = "lab")]
        Verb::Figure(args) => return figure::run(args, &cli.common),
        Verb::Theorems(args) => theorems::run(args, &cli.common),
        Verb::Teach(args) => teach::run(args, &cli.common),
        Verb::Export(args) => export::run(args, &cli.common),
        Verb::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut command(), "shallows", &mut script);
            output::bytes(&script)
        }
        Verb::Options if cli.common.json => output::json(&options::document()),
        Verb::Options => output::bytes(options::markdown().as_bytes()),
    }?;
    Ok(ExitCode::SUCCESS)
}

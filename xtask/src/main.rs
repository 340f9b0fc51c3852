//! The project's chores: `cargo xtask test`, `cargo xtask bench`, `cargo xtask campaign`.

mod bench;
mod campaign;
mod documents;
mod package;
mod python;
mod run;
mod test;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The project's chores.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Run everything that must hold; stop at the first stage that fails
    Test {
        /// Only these stages
        stages: Vec<String>,
        /// Show the stages and do nothing
        #[arg(long)]
        list: bool,
    },
    /// Measure against the tools people would otherwise use, on the same work and the same cores
    Bench {
        /// gradient, lbfgs, activations, quadratic, spectrum, fleet, tables, certificates, zoo, recover, python [default: all]
        name: Option<String>,
        /// Also write the figures to this file
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        /// Smaller work and fewer repetitions
        #[arg(long)]
        quick: bool,
    },
    /// Judge what the checker says of random instances of `global-optimum` in exact arithmetic, of `wide-optimum` in 500 bits
    Campaign {
        /// Instances; about three in five get a bound that can be judged sharply
        #[arg(long, default_value_t = 100_000)]
        count: u64,
        /// The same seed gives the same instances, on any number of threads
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Threads [default: one for each core]
        #[arg(long)]
        threads: Option<u64>,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().chore {
        Chore::Test { list: true, .. } => {
            test::list();
            Ok(())
        }
        Chore::Test { stages, .. } => test::run(&stages),
        Chore::Campaign { count, seed, threads } => campaign::run(count, seed, threads),
        Chore::Bench { name, json, quick } => bench::run(name.as_deref(), json.as_deref(), quick),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

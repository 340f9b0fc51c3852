//! Random instances of `global-optimum`, judged by the checker and then, exactly, by a judge that does not trust it.
//!
//! `cargo xtask campaign --count 1000000` builds and runs it. Instance i of a campaign depends on the seed and on i alone. Exit
//! status 1 where the checker said something wrong; `--only I` shows what it was.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]
#![allow(non_snake_case)]

mod campaign;
mod exact;
mod instance;
mod judge;
mod known;
mod propose;
mod random;
mod solver;
mod sums;

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use campaign::{Tally, one};

/// Instances that a thread takes at a time.
const PORTION: u64 = 64;

struct Arguments {
    count: u64,
    seed: u64,
    threads: usize,
    only: Option<u64>,
}

fn arguments() -> Option<Arguments> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let mut found = Arguments { count: 10_000, seed: 1, threads, only: None };
    let mut words = std::env::args().skip(1);
    while let Some(name) = words.next() {
        let value: u64 = words.next()?.parse().ok()?;
        match name.as_str() {
            "--count" => found.count = value,
            "--seed" => found.seed = value,
            "--threads" => found.threads = (value as usize).max(1),
            "--only" => found.only = Some(value),
            _ => return None,
        }
    }
    Some(found)
}

fn main() -> ExitCode {
    let Some(Arguments { count, seed, threads, only }) = arguments() else {
        eprintln!("usage: campaign [--count N] [--seed S] [--threads T] [--only I]");
        return ExitCode::from(2);
    };
    shallows_verify::matrix::use_threads(1);
    if let Some(index) = only {
        let tally = one(seed, index, true);
        print!("{tally}");
        return if tally.wrong() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let next = AtomicU64::new(0);
    let since = Instant::now();
    let work = || {
        let mut tally = Tally::default();
        loop {
            let start = next.fetch_add(PORTION, Ordering::Relaxed);
            if start >= count {
                return tally;
            }
            (start..count.min(start + PORTION)).for_each(|index| tally.add(one(seed, index, false)));
            let steps = (count / 20).max(PORTION);
            if start / steps != (start + PORTION) / steps {
                eprintln!("{:9} of {count}, {:.0} s", start + PORTION, since.elapsed().as_secs_f64());
            }
        }
    };
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().for_each(|worker| tally.add(worker.join().expect("a thread panicked")));
    });
    print!("{tally}");
    eprintln!("seed {seed}, {threads} threads, {:.0} s", since.elapsed().as_secs_f64());
    if tally.wrong() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

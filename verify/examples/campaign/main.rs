//! Random instances of `global-optimum`, judged by the checker and then, exactly, by a judge that does not trust it; and of
//! `wide-optimum`, judged against the optimum in 500 bits.
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
mod precise;
mod propose;
mod random;
mod solver;
mod sums;
mod wide;

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use campaign::{Tally, one};
use wide::{WideTally, wide_one};

/// What `--theorem` names; both where it is not given.
const THEOREMS: [&str; 2] = ["global-optimum", "wide-optimum"];
/// Instances that a thread takes at a time.
const PORTION: u64 = 64;

struct Arguments {
    count: u64,
    seed: u64,
    threads: usize,
    only: Option<u64>,
    theorem: Option<String>,
}

fn arguments() -> Option<Arguments> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let mut found = Arguments { count: 10_000, seed: 1, threads, only: None, theorem: None };
    let mut words = std::env::args().skip(1);
    while let Some(name) = words.next() {
        let word = words.next()?;
        if name == "--theorem" {
            found.theorem = Some(word).filter(|word| THEOREMS.contains(&word.as_str()));
            found.theorem.as_ref()?;
            continue;
        }
        let value: u64 = word.parse().ok()?;
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
    let Some(arguments) = arguments() else {
        eprintln!("usage: campaign [--theorem NAME] [--count N] [--seed S] [--threads T] [--only I]");
        return ExitCode::from(2);
    };
    shallows_verify::matrix::use_threads(1);
    let Arguments { seed, only, .. } = arguments;
    let is_meant = |theorem: &str| arguments.theorem.as_deref().is_none_or(|meant| meant == theorem);
    let mut wrong = 0;
    if is_meant(THEOREMS[0]) {
        let mut tally = Tally::default();
        run(&arguments, |tally: &mut Tally, index| tally.add(one(seed, index, only.is_some())), &mut |part| {
            tally.add(part)
        });
        print!("{tally}");
        wrong += tally.wrong();
    }
    if is_meant(THEOREMS[1]) {
        let mut tally = WideTally::default();
        run(&arguments, |tally: &mut WideTally, index| tally.add(wide_one(seed, index)), &mut |part| tally.add(part));
        println!("{tally}{:9} wrong", tally.wrong.len());
        wrong += tally.wrong.len();
    }
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Judge all instances, or the only one, on all threads.
fn run<T: Default + Send>(arguments: &Arguments, judge: impl Fn(&mut T, u64) + Sync, gather: &mut dyn FnMut(T)) {
    let Arguments { count, seed, threads, only, .. } = *arguments;
    if let Some(index) = only {
        let mut tally = T::default();
        judge(&mut tally, index);
        return gather(tally);
    }
    let next = AtomicU64::new(0);
    let since = Instant::now();
    let work = || {
        let mut tally = T::default();
        loop {
            let start = next.fetch_add(PORTION, Ordering::Relaxed);
            if start >= count {
                return tally;
            }
            (start..count.min(start + PORTION)).for_each(|index| judge(&mut tally, index));
            let steps = (count / 20).max(PORTION);
            if start / steps != (start + PORTION) / steps {
                eprintln!("{:9} of {count}, {:.0} s", start + PORTION, since.elapsed().as_secs_f64());
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().for_each(|worker| gather(worker.join().expect("a thread panicked")));
    });
    eprintln!("seed {seed}, {threads} threads, {:.0} s", since.elapsed().as_secs_f64());
}

//! Run a small grid of networks, and find the width at which descent begins to succeed.
//!
//! `cargo run --release --example 07_sweep`

use std::path::Path;

use shallows::error::Result;
use shallows::job::sweep::SweepJob;
use shallows::lab::Specification;
use shallows::watch::Watch;

const SPECIFICATION: &str = r#"
trials = 4
[grid]
n = 20
k = "1..=6"
d = 3
[student]
activation = "softplus:10"
[training]
step = "adaptive"
iterations = 500
[success]
tolerance = 1e-2
"#;

fn main() -> Result<()> {
    let specification = Specification::parse(SPECIFICATION, Path::new("example.toml"))?;
    let store = std::env::temp_dir().join(format!("shallows-example-{}.db", std::process::id()));
    let outcome = SweepJob { store: Some(store.clone()), ..SweepJob::new(specification) }.run(Watch::silent())?;
    println!("{} of {} runs, {} succeed", outcome.progress.done, outcome.progress.total, outcome.progress.successes);
    for (line, axis, threshold) in outcome.thresholds() {
        let half = threshold.map(|threshold| threshold.half);
        println!("half of the runs succeed at {} = {half:?} {line}", axis.name());
    }
    assert!(outcome.is_complete());

    // The same sweep again finds every run in its store.
    let again = SweepJob { store: Some(store.clone()), ..SweepJob::new(outcome.specification) }.run(Watch::silent())?;
    assert_eq!(again.new, 0);
    // The example leaves nothing behind.
    let _ = std::fs::remove_file(store);
    Ok(())
}

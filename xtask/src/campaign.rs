//! `cargo xtask campaign`: random instances, judged by the checker and then exactly.

use crate::run::{Result, cargo, command, finish, target};

/// Build the example `campaign` of the checker and run it; the chore fails where the checker said something wrong.
pub fn run(count: u64, seed: u64, threads: Option<u64>) -> Result<()> {
    finish(&mut cargo(["build", "--quiet", "--release", "--package", "shallows-verify", "--example", "campaign"]))?;
    let program = format!("campaign{}", std::env::consts::EXE_SUFFIX);
    let program = target().join("release").join("examples").join(program);
    let mut campaign = command(program, ["--count", &count.to_string(), "--seed", &seed.to_string()]);
    if let Some(threads) = threads {
        campaign.args(["--threads", &threads.to_string()]);
    }
    finish(&mut campaign)
}

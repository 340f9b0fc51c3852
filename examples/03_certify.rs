//! Fit a quadratic network to the global optimum, and prove that no quadratic network of any width does better.
//!
//! `cargo run --release --example 03_certify`

use std::path::Path;

use shallows::certificate::{Claim, Verdict, global_optimum};
use shallows::data::{Data, Table};
use shallows::error::Result;
use shallows::fit::{Quadratic, Scores, Training};

fn main() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/energy.csv");
    let data = Data::from_table(&Table::read(&path)?, None, None)?;
    let fit = Quadratic::new().decay(0.0).fit(&data)?;
    println!("{} units, RMSE {:.8}", fit.network.width().unwrap_or(0), Scores::of(&fit.network, &data)?.rmse);

    let (Training::Global(global), Some(network)) = (&fit.training, fit.network.only()) else {
        panic!("a quadratic network is fitted to the global optimum")
    };
    let judgement = global_optimum(network, &data, &Claim::from(&**global), None, 1e-6)?;
    println!("global-optimum: {}", judgement.verdict());
    let (Some(objective), Some(bound)) = (judgement.fact("objective"), judgement.fact("lower_bound")) else {
        panic!("there is no bound")
    };
    println!("½·mean r² of this network:   at most  {objective:.12}");
    println!("of any quadratic network:    at least {bound:.12}");
    assert_eq!(judgement.verdict(), Verdict::Holds);
    Ok(())
}

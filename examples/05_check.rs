//! Ask before training whether gradient descent must reach zero error on a table, and from which start.
//!
//! `cargo run --release --example 05_check`

use std::path::Path;

use shallows::data::teacher::{Design, Hidden, Outputs, Teacher};
use shallows::data::{Column, Reading, Table};
use shallows::error::Result;
use shallows::job::check::{CheckRequest, Sought};
use shallows::watch::Watch;

fn main() -> Result<()> {
    let mut teacher = Teacher::plant("softplus".parse()?, (5, 20), &Hidden::Gaussian, &Outputs::Ones, 1)?;
    teacher.design = Design::Sphere;
    let data = teacher.sample(0..10)?;
    let columns = (0..data.d()).map(|j| (0..data.n()).map(|i| data.X[(i, j)]).collect()).chain([data.y.clone()]);
    let names = data.names.iter().chain([&data.target]).cloned().collect();
    let columns = columns.map(Column::of_numbers).collect();
    let table = Table::of_columns(Path::new("sphere"), Some(names), columns, data.n())?;

    let request = CheckRequest { width: Some(4), sought: Sought::Scale, ..CheckRequest::default() };
    let outcome = request.run_on(Reading::default().learned(&table)?, Watch::silent())?;
    for judgement in &outcome.judged.certificates {
        println!("{}: {}", judgement.theorem.id(), judgement.verdict());
    }
    let Some(plan) = &outcome.judged.plan else { panic!("four units have a proof at some output scale") };
    println!("{} units, output scale {:.3}, step {:.3e}", plan.width, plan.scale, plan.step);
    println!("‖r‖ falls to {:e} of its start within {} iterations", plan.tolerance, plan.iterations);
    assert!(outcome.is_proved());
    Ok(())
}

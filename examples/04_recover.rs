//! Plant a relu network, look only at its samples, and find its weights.
//!
//! `cargo run --release --example 04_recover`

use shallows::activation::Activation;
use shallows::data::teacher::{Hidden, Outputs, Teacher};
use shallows::error::Result;
use shallows::recover::{Finding, RecoverySettings, align, normalised, recover};
use shallows::watch::Watch;

fn main() -> Result<()> {
    let mut teacher = Teacher::plant(Activation::RELU, (5, 10), &Hidden::Orthogonal, &Outputs::Uniform(1.0, 2.0), 7)?;
    teacher.noise = 0.05;
    let data = teacher.sample(0..5000)?;

    let recovery = recover(&data, &RecoverySettings::new(Activation::RELU), Watch::silent())?;
    match &recovery.finding {
        Finding::Recovered => println!("recovered, evidence {:?}", recovery.evidence),
        Finding::NotRecovered(doubt) => panic!("not recovered: {doubt}"),
        Finding::Refused(refusal) => panic!("refused: {}", refusal.reason()),
    }
    for unit in &recovery.units {
        println!(
            "output weight {:.4} ± {:.4}, direction ± {:.4}",
            unit.output, unit.output_error, unit.direction_error
        );
    }
    let Some(found) = recovery.network.map(normalised) else { panic!("recovered, but without a network") };
    let truth = normalised(teacher.network);
    let matched = align((&found.W, &found.v), (&truth.W, &truth.v))?;
    let angle = matched.largest_angle().to_degrees();
    println!("distance from the teacher: {:?}, largest angle {angle:.2} degrees", matched.error);
    assert!(matched.missing.is_empty() && matched.extra.is_empty() && matched.flipped() == 0);
    assert!(angle < 2.0, "every unit points where the teacher's does");
    Ok(())
}

//! Predict with intervals that are guaranteed to cover nine of ten new rows, and count how many they cover.
//!
//! `cargo run --release --example 08_intervals`

use shallows::data::teacher::{Hidden, Outputs, Teacher};
use shallows::error::Result;
use shallows::fit::affine_fit;
use shallows::model::{Calibration, Model};

fn main() -> Result<()> {
    let mut teacher = Teacher::plant("tanh".parse()?, (3, 5), &Hidden::Orthogonal, &Outputs::Signs, 7)?;
    teacher.noise = 0.1;
    // Rows to learn from, rows to calibrate with, and new rows.
    let (train, scored, new) = (teacher.sample(0..300)?, teacher.sample(300..500)?, teacher.sample(500..1500)?);

    let mut model = Model::new(affine_fit(&train)?, train.names.clone(), train.target.clone(), 7)?;
    model.calibration = Some(Calibration::split(&model.network, &scored)?);
    println!("{}", model.interval_statement(0.9)?);

    let intervals = model.finite_intervals(&new.X, 0.9)?;
    let covered = intervals.iter().zip(&new.y).filter(|((lower, upper), y)| (lower..=upper).contains(y)).count();
    println!("{covered} of {} new rows are covered", new.n());
    assert!(covered > 850, "a share of 0.9 is guaranteed on average");
    Ok(())
}

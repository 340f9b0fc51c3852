//! Fit a network to a table, judge it on held-out rows, save it and use it again.
//!
//! `cargo run --release --example 01_fit`

use std::path::Path;

use shallows::data::{Data, Table};
use shallows::error::Result;
use shallows::fit::{Local, Scores, Training, affine_fit};
use shallows::model::Model;
use shallows::random::{Split, Stream};

fn main() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/energy.csv");
    let data = Data::from_table(&Table::read(&path)?, None, None)?;
    let order = Stream::of_split(1, Split::Holdout).permutation(data.n());
    let (test, train) = (data.select(&order[..150]), data.select(&order[150..]));

    let fit = Local::new("tanh".parse()?).width(12).decay(1e-5).iterations(60).fit(&train)?;
    if let Training::Local { method, trace } = &fit.training {
        println!("{} {method} iterations; stopped: {}", trace.iterations, trace.reason.words());
    }
    let linear = Scores::of(&affine_fit(&train)?, &test)?.rmse;
    let ours = Scores::of(&fit.network, &test)?.rmse;
    println!("linear model, held-out RMSE {linear:.3}");
    println!("this network, held-out RMSE {ours:.3}");
    assert!(ours < 0.5 * linear, "the network halves the error of the linear model");

    let predicted = fit.network.predict(&test.X)?;
    let saved = std::env::temp_dir().join("shallows-example.safetensors");
    Model::new(fit.network, data.names.clone(), data.target.clone(), 0)?.save(&saved)?;
    let model = Model::load(&saved)?;
    println!("the saved network says {:?}", &predicted[..3]);
    assert_eq!(model.network.predict(&test.X)?, predicted, "a saved network predicts the same, to the last bit");
    Ok(())
}

//! Certify a network from elsewhere, save the certificate, and verify it as somebody who has only the file and the rows.
//!
//! `cargo run --release --example 06_verify`

// W is a matrix, as in every formula.
#![allow(non_snake_case)]

use shallows::certificate::{Certificate, Claim, Signs, Source, Theorem, Verdict};
use shallows::data::Data;
use shallows::error::Result;
use shallows::linalg::Matrix;
use shallows::network::Network;

fn main() -> Result<()> {
    // y = 2(x₁ + x₂)² − 3x₂², which the network computes exactly.
    let rows = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, -1.0], [0.5, 1.5]];
    let y = rows.map(|[a, b]: [f64; 2]| 2.0 * (a + b).powi(2) - 3.0 * b * b);
    let data = Data::from_rows(&rows, &y)?;
    let W = Matrix::from_rows(&[[1.0, 1.0], [0.0, 1.0]]);
    let network = Network::new("quadratic".parse()?, W, vec![2.0, -3.0])?;

    let claim = Claim { signs: Signs::Any, decay: 0.0, linear: false, intercept: false, exponents: vec![0; 2] };
    let theorems = [Theorem::GlobalOptimum];
    let certificate = Certificate::new(&theorems, &network, &data, &Source::default(), &claim, None, 1e-6)?;
    let path = std::env::temp_dir().join("shallows-example.certificate.json");
    certificate.save(&path)?;

    let verified = Certificate::load(&path)?.verify(&data)?.require_holds()?;
    println!("{} claims verified: {}", verified.claims().len(), verified.verdict());
    assert_eq!(verified.verdict(), Verdict::Holds);

    let others = Data { y: data.y.iter().map(|y| y + 1.0).collect(), ..data };
    let Err(refusal) = Certificate::load(&path)?.verify(&others) else { panic!("other rows have no certificate") };
    println!("with other targets: {refusal}");
    Ok(())
}

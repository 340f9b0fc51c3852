//! Every theorem in a file: saved, loaded and verified, whatever its verdict; and a forged number is not confirmed.

use crate::support::keep;
use serde_json::{Value, json};
use shallows::activation::Activation;
use shallows::certificate::{Certificate, Claim, Range, Signs, Source, Theorem, Verdict};
use shallows::data::Data;
use shallows::linalg::Matrix;
use shallows::network::Network;

fn square(W: Matrix, v: Vec<f64>) -> Network {
    Network::new(Activation::SQUARE, W, v).unwrap()
}

fn data(X: Matrix, y: Vec<f64>) -> Data {
    let names = (0..X.cols()).map(|j| format!("x{j}")).collect();
    Data::builder(X, y).names(names).build().unwrap()
}

/// Every row e_i twice, with labels one above and one below 4, 1 and 9.
fn axes() -> Data {
    let X = Matrix::from_fn(6, 3, |i, j| f64::from(u8::from(i % 3 == j)));
    data(X, vec![5.0, 2.0, 10.0, 3.0, 0.0, 8.0])
}

fn diagonal(entries: &[f64]) -> Matrix {
    Matrix::from_fn(entries.len(), entries.len(), |i, j| if i == j { entries[i] } else { 0.0 })
}

/// The best network for [`axes`], a saddle, and one with three units of each sign.
fn networks() -> [Network; 3] {
    let best = square(diagonal(&[2.0, 1.0, 3.0]), vec![1.0; 3]);
    let saddle = square(Matrix::from_fn(4, 3, |i, j| if i + j == 0 { 2.0 } else { 0.0 }), vec![1.0; 4]);
    let wide = square(Matrix::zeros(6, 3), vec![1.0, 1.0, 1.0, -1.0, -1.0, -1.0]);
    [best, saddle, wide]
}

/// Of one theorem about a network on rows.
fn certified(theorem: Theorem, network: &Network, data: &Data) -> Certificate {
    let exponents = vec![0; data.d()];
    let claim = Claim { signs: Signs::Any, decay: 0.0, linear: false, intercept: false, exponents };
    Certificate::new(&[theorem], network, data, &Source::default(), &claim, None, 1e-6).unwrap()
}

/// What a stranger with the text of the file finds, and whether all it says is confirmed.
fn verified(text: &str, data: Option<&Data>) -> Option<(Verdict, bool)> {
    let certificate = Certificate::from_json(text.as_bytes()).ok()?;
    let verified = match data {
        Some(data) => certificate.verify(data).ok()?,
        None => certificate.verify_without_rows().ok()?,
    };
    Some((verified.verdict(), verified.claims().iter().all(|claim| claim.objection.is_none())))
}

/// Saved, loaded and verified with this verdict; no forged fact and no forged verdict is confirmed.
fn assert_survives(certificate: &Certificate, data: Option<&Data>, verdict: Verdict) {
    let text = certificate.to_json().unwrap();
    keep(certificate, data);
    assert_eq!(Certificate::from_json(text.as_bytes()).unwrap(), *certificate);
    assert_eq!(verified(&text, data), Some((verdict, true)), "{:?}", certificate.statements());
    let document: Value = serde_json::from_str(&text).unwrap();
    let rejects = |place: &str, forged: Value| {
        let mut other = document.clone();
        *other.pointer_mut(place).unwrap() = forged;
        let found = verified(&other.to_string(), data);
        assert!(found.is_none_or(|(_, confirmed)| !confirmed), "{place}: {found:?}");
    };
    for (at, claim) in certificate.claims().iter().enumerate() {
        // A claimed "undecided" claims nothing.
        for forged in ["holds", "fails"].iter().filter(|word| **word != claim.verdict.to_string()) {
            rejects(&format!("/certificates/{at}/verdict"), json!(forged));
        }
        for (name, value) in &claim.facts.0 {
            // One of the two is stronger, whichever side the fact bounds.
            let stronger = |forged: f64| {
                let mut other = document.clone();
                other["certificates"][at]["facts"][name] = json!(forged);
                verified(&other.to_string(), data).is_none_or(|(_, confirmed)| !confirmed)
            };
            assert!(
                stronger(value - 0.01 * (1.0 + value.abs())) || stronger(value + 0.01 * (1.0 + value.abs())),
                "{name}"
            );
        }
    }
}

#[test]
fn theorems_about_a_network_on_rows_survive_their_files() {
    use Theorem::{
        ApproximateMinimum, FullRankStationary, GlobalOptimum, PlantedQuadratic, StrictSaddle, WideQuadratic,
    };
    use Verdict::{Fails, Holds, Undecided};
    let ([best, saddle, wide], axes) = (networks(), axes());
    let few = data(Matrix::from_rows(&[[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]), vec![1.0, -3.0]);
    for (theorem, network, data, verdict) in [
        (GlobalOptimum, &best, &axes, Holds),
        (GlobalOptimum, &saddle, &axes, Fails),
        (WideQuadratic, &wide, &axes, Holds),
        (WideQuadratic, &best, &axes, Fails),
        (PlantedQuadratic, &wide, &few, Holds),
        (PlantedQuadratic, &wide, &axes, Fails),
        (StrictSaddle, &saddle, &axes, Holds),
        // S = 0 up to nothing: no direction is found, and none is excluded.
        (StrictSaddle, &best, &axes, Undecided),
        (ApproximateMinimum, &best, &axes, Holds),
        (ApproximateMinimum, &saddle, &axes, Undecided),
        (FullRankStationary, &best, &axes, Holds),
        (FullRankStationary, &saddle, &axes, Fails),
    ] {
        assert_survives(&certified(theorem, network, data), Some(data), verdict);
    }
}

#[test]
fn a_planted_network_is_part_of_the_file() {
    let [best, saddle, _] = networks();
    let axes = axes();
    let planted = Certificate::of_planted(&best, &saddle, &axes, &Source::default()).unwrap();
    assert_survives(&planted, Some(&axes), Verdict::Holds);
    let other = square(Matrix::zeros(4, 3), vec![1.0, 1.0, 1.0, -1.0]);
    let planted = Certificate::of_planted(&best, &other, &axes, &Source::default()).unwrap();
    assert_survives(&planted, Some(&axes), Verdict::Fails);
}

#[test]
fn theorems_about_rows_survive_their_files() {
    use Theorem::{Determined, SeparatedData};
    let corners = data(Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), vec![1.0, 2.0, 3.0]);
    assert_survives(
        &Certificate::of_rows(&corners, &Source::default(), false).unwrap(),
        Some(&corners),
        Verdict::Holds,
    );
    // Equal rows have one direction, an input that is a multiple of another is superfluous.
    let equal = data(Matrix::from_fn(8, 2, |i, j| (i as f64 - 3.5).powi(2) * [1.0, 3.0][j]), vec![0.0; 8]);
    let certificate = Certificate::of_rows(&equal, &Source::default(), true).unwrap();
    assert_survives(&certificate, Some(&equal), Verdict::Fails);
    let verdicts = [SeparatedData, Determined].map(|theorem| certificate.verdict_of(theorem));
    assert_eq!(verdicts, [Some(Verdict::Fails); 2]);
    // A row of zeros has no direction; the margin is not a number, and the file is one all the same.
    let zero = data(Matrix::from_rows(&[[1.0, 0.0], [0.0, 0.0]]), vec![1.0, 2.0]);
    assert_survives(&Certificate::of_rows(&zero, &Source::default(), false).unwrap(), Some(&zero), Verdict::Fails);
}

#[test]
fn theorems_about_a_teacher_and_a_start_survive_their_files() {
    let teacher = square(diagonal(&[1.0, 1.0]), vec![1.0; 2]);
    for (scale, verdict) in [(0.9, Verdict::Holds), (3.0, Verdict::Fails)] {
        let start = square(diagonal(&[scale, scale]), vec![1.0; 2]);
        assert_survives(&Certificate::of_start(&start, &teacher, None).unwrap(), None, verdict);
    }
    let flat = square(Matrix::from_rows(&[[1.0, 0.0]]), vec![1.0]);
    let start = square(diagonal(&[0.9, 0.9]), vec![1.0; 2]);
    let certificate = Certificate::of_start(&start, &flat, Some(1.0)).unwrap();
    assert_survives(&certificate, None, Verdict::Fails);
    assert_eq!(certificate.claims().len(), 3);
    for (mu, verdict) in [(0.5, Verdict::Holds), (13.0, Verdict::Fails)] {
        let designed = Certificate::of_designed(&teacher, 0.1, mu, 50.0).unwrap();
        assert_survives(&designed, None, verdict);
    }
}

#[test]
fn theorems_about_numbers_survive_their_files() {
    let range = Range { units: 3, outputs: (1.0, 1.0), sigma_4: 0.2, mu: 0.5, lambda: 10.0 };
    for (epsilon, verdict) in [(1e-6, Verdict::Holds), (1.0, Verdict::Fails)] {
        assert_survives(&Certificate::of_recovery(&range, epsilon, 1e-6).unwrap(), None, verdict);
    }
    for (units, verdict) in [(1_000_000, Verdict::Holds), (4, Verdict::Fails)] {
        let certificate = Certificate::of_gaussian_start((units, 3), units as f64).unwrap();
        assert_survives(&certificate, None, verdict);
    }
}

#[test]
fn a_forged_proof_is_judged_for_what_it_is() {
    let [best, saddle, _] = networks();
    let axes = axes();
    let forged = |certificate: &Certificate, place: &str, value: Value, data: Option<&Data>| {
        let mut document: Value = serde_json::from_str(&certificate.to_json().unwrap()).unwrap();
        *document.pointer_mut(&format!("/certificates/0/proof/{place}")).unwrap() = value;
        verified(&document.to_string(), data)
    };
    let not_confirmed = Some((Verdict::Undecided, false));
    let full_rank = certified(Theorem::FullRankStationary, &best, &axes);
    // σ_min(W)² = 1.
    assert_eq!(forged(&full_rank, "smallest", json!(1.001), Some(&axes)), not_confirmed);
    let minimum = certified(Theorem::ApproximateMinimum, &saddle, &axes);
    // S has the eigenvalue −3, so that no less than 3 will do.
    assert!(!forged(&minimum, "excess", json!(2.99), Some(&axes)).unwrap().1);
    let way = certified(Theorem::StrictSaddle, &saddle, &axes);
    assert_eq!(forged(&way, "down/step", json!(100.0), Some(&axes)), not_confirmed);
    assert_eq!(forged(&way, "down/direction", json!([[1.0]]), Some(&axes)), None);
    let teacher = square(diagonal(&[1.0, 2.0]), vec![1.0; 2]);
    let start = Certificate::of_start(&teacher, &teacher, None).unwrap();
    assert_eq!(forged(&start, "smallest", json!(1.001), None), not_confirmed);
    let range = Range { units: 3, outputs: (1.0, 1.0), sigma_4: 0.2, mu: 0.5, lambda: 10.0 };
    let recovery = Certificate::of_recovery(&range, 1e-6, 1e-6).unwrap();
    assert_eq!(forged(&recovery, "first_delta", json!(1e-4), None), not_confirmed);
    let rows = Certificate::of_rows(&axes, &Source::default(), false).unwrap();
    // Rows 0 and 1 are e₁ and e₂: what is said about them is not true, but rows 0 and 3 are equal and found.
    assert_eq!(forged(&rows, "parallel", json!([0, 1]), Some(&axes)), Some((Verdict::Fails, true)));
}

#[test]
fn a_certificate_without_rows_takes_none_and_one_about_rows_needs_them() {
    let range = Range { units: 3, outputs: (1.0, 1.0), sigma_4: 0.2, mu: 0.5, lambda: 10.0 };
    let recovery = Certificate::of_recovery(&range, 1e-6, 1e-6).unwrap();
    assert!(!recovery.is_about_rows() && recovery.source().unwrap() == Source::default());
    let [best, saddle, _] = networks();
    let optimum = certified(Theorem::GlobalOptimum, &best, &axes());
    let error = optimum.verify_without_rows().unwrap_err();
    assert!(error.to_string().contains("no table is given") && error.hint().is_some(), "{error}");
    let start = Certificate::of_start(&best, &best, None).unwrap();
    assert!(start.verify_network_without_rows(&best).is_ok());
    assert!(start.verify_network_without_rows(&saddle).is_err());
}

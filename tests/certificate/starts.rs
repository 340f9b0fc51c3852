//! What `check` judges about a start, saved, read again and checked; and forged.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use shallows::Watch;
use shallows::certificate::descent::frame::RowScaling;
use shallows::certificate::{Certificate, Theorem, Verdict};
use shallows::data::Table;
use shallows::job::check::{CheckJob, CheckRequest, Sought};

/// Rows with a repetition, an opposite pair, a constant column and labels that differ.
const TABLE: &str = "a,b,c,y\n1,0.2,5,1\n0.1,1,5,-1\n-0.7,0.4,5,0.5\n1,0.2,5,1.5\n0.7,-0.4,5,0.25\n0.3,0.9,5,0.1\n";

fn request(activation: &str, rows: RowScaling) -> CheckRequest {
    let activation = activation.parse().unwrap();
    CheckRequest { activation, rows: Some(rows), width: Some(24), sought: Sought::Scale, ..CheckRequest::default() }
}

/// The file that `check` writes, and the table.
fn written(request: CheckRequest) -> (Value, Table) {
    let folder = tempfile::tempdir().unwrap();
    let [table, certificate] = ["t.csv", "c.json"].map(|name| folder.path().join(name));
    std::fs::write(&table, TABLE).unwrap();
    let job =
        CheckJob { rows: table.clone().into(), request, certificate: Some(certificate.clone()), ..CheckJob::default() };
    let outcome = job.run(Watch::silent()).unwrap();
    assert!(outcome.judged.plan.is_some());
    (serde_json::from_slice(&std::fs::read(&certificate).unwrap()).unwrap(), Table::read(&table).unwrap())
}

fn read(document: &Value) -> Certificate {
    Certificate::from_json(document.to_string().as_bytes()).unwrap()
}

#[test]
fn what_is_judged_about_a_start_is_confirmed_from_its_file_in_every_form() {
    for rows in [RowScaling::Raw, RowScaling::Unit, RowScaling::Scaled] {
        for activation in ["softplus", "tanh", "cos", "relu", "abs"] {
            let (document, table) = written(request(activation, rows));
            let certificate = read(&document);
            let data = certificate.data(&table).unwrap();
            let verified = certificate.verify(&data).unwrap();
            for claim in verified.claims() {
                assert_eq!(claim.objection, None, "{activation} {rows:?} {}", claim.judgement.theorem);
            }
            let main = if ["relu", "abs"].contains(&activation) {
                Theorem::ReluDescentConverges
            } else {
                Theorem::DescentConverges
            };
            assert_eq!(certificate.verdict_of(main), Some(Verdict::Holds), "{activation} {rows:?}");
        }
    }
}

#[test]
fn the_checker_alone_reads_the_same_rows() {
    for rows in [RowScaling::Raw, RowScaling::Unit, RowScaling::Scaled] {
        let (document, _) = written(request("tanh", rows));
        let certificate = shallows_verify::Certificate::read(&document.to_string()).unwrap();
        let table = shallows_verify::table::Table::read(TABLE.as_bytes()).unwrap();
        let found = certificate.rows_of(&table).unwrap().unwrap();
        let claims = certificate.check(Some(found.rows().unwrap())).unwrap();
        assert!(claims.iter().all(|claim| claim.objection.is_none()), "{rows:?}");
    }
}

/// The claim of a theorem in the document.
fn claim<'a>(document: &'a mut Value, theorem: &str) -> &'a mut Value {
    let all = document["certificates"].as_array_mut().unwrap();
    all.iter_mut().find(|claim| claim["theorem"] == theorem).unwrap()
}

/// How a claim is forged.
type Forgery = fn(&mut Value);

#[test]
fn forged_numbers_are_not_confirmed() {
    fn times(place: &mut Value, factor: f64) {
        *place = json!(place.as_f64().unwrap() * factor);
    }
    let smooth: [(&str, Forgery); 7] = [
        ("descent-converges", |one| times(&mut one["proof"]["smallest"], 4.0)),
        ("descent-converges", |one| times(&mut one["facts"]["sigma"], 1.001)),
        ("descent-converges", |one| times(&mut one["facts"]["rate"], 0.999)),
        ("descent-converges", |one| times(&mut one["claim"]["step"], 1.1)),
        ("descent-converges", |one| times(&mut one["claim"]["tolerance"], 1e-3)),
        ("random-features", |one| times(&mut one["proof"]["smallest"], 4.0)),
        ("both-layers-converge", |one| one["verdict"] = json!("fails")),
    ];
    let kinked: [(&str, Forgery); 4] = [
        ("relu-descent-converges", |one| times(&mut one["proof"]["radius"], 0.1)),
        ("relu-descent-converges", |one| times(&mut one["proof"]["spectrum"]["smallest"], 4.0)),
        ("relu-descent-converges", |one| times(&mut one["facts"]["path"], 0.9)),
        ("relu-descent-converges-printed", |one| one["verdict"] = json!("fails")),
    ];
    for (activation, forgeries) in [("softplus", &smooth[..]), ("relu", &kinked[..])] {
        let (document, table) = written(request(activation, RowScaling::Scaled));
        for (at, (theorem, forge)) in forgeries.iter().enumerate() {
            let mut forged = document.clone();
            forge(claim(&mut forged, theorem));
            let certificate = read(&forged);
            let verified = certificate.verify(&certificate.data(&table).unwrap()).unwrap();
            let objects = |found: &&shallows_verify::CheckedClaim| found.objection.is_some();
            let found = verified.claims().iter().find(objects).map(|found| found.judgement.theorem.id());
            assert_eq!(found, Some(*theorem), "{activation}, forgery {at}");
        }
    }
}

#[test]
fn a_forged_form_is_about_other_rows() {
    let (document, table) = written(request("tanh", RowScaling::Scaled));
    let mut forged = document.clone();
    forged["rows"]["form"]["merged"] = json!("equal");
    let certificate = read(&forged);
    assert!(certificate.data(&table).and_then(|data| certificate.verify(&data)).is_err());
    let mut forged = document.clone();
    forged["rows"]["form"]["scaled"]["standardised"]["factor"] = json!(1.0);
    let certificate = read(&forged);
    assert!(certificate.data(&table).and_then(|data| certificate.verify(&data)).is_err());
    let mut forged = document;
    forged["rows"]["form"]["scaled"]["standardised"]["centre"] = json!([1.0]);
    assert!(Certificate::from_json(forged.to_string().as_bytes()).is_err());
}

#[test]
fn a_network_that_is_too_large_for_a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [table, certificate] = ["t.csv", "c.json"].map(|name| folder.path().join(name));
    std::fs::write(&table, "a,y\n1,0\n2,1\n").unwrap();
    let request = CheckRequest { width: Some(1_200_000), rows: Some(RowScaling::Raw), ..CheckRequest::default() };
    let job = CheckJob { rows: table.into(), request, certificate: Some(certificate.clone()), ..CheckJob::default() };
    let refused = job.run(Watch::silent()).map(|_| ()).map_err(|error| error.to_string());
    assert!(refused.is_err_and(|words| words.contains("67108864 bytes")));
    assert!(!certificate.exists());
}

//! Every theorem is saved by a command, and judged alike by `verify` and by the checker alone.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::support::{parsed, shallows, succeeds};
use shallows_verify::table::Table;
use shallows_verify::{Certificate, Theorem, Verdict};
use tempfile::TempDir;

/// A theorem, the command that saves it, the table it is about, and the verdict.
type Case = (Theorem, &'static str, Option<&'static str>, Verdict);

const CASES: [Case; 22] = [
    (Theorem::GlobalOptimum, "certify noisy.safetensors noisy.csv", Some("noisy.csv"), Verdict::Holds),
    (Theorem::WideOptimum, "certify infinite.safetensors noisy.csv", Some("noisy.csv"), Verdict::Holds),
    (
        Theorem::WideQuadratic,
        "certify wide.safetensors few.csv --theorem wide-quadratic",
        Some("few.csv"),
        Verdict::Holds,
    ),
    (
        Theorem::PlantedQuadratic,
        "certify wide.safetensors few.csv --theorem planted-quadratic",
        Some("few.csv"),
        Verdict::Holds,
    ),
    (
        Theorem::StrictSaddle,
        "certify wide.safetensors noisy.csv --theorem strict-saddle",
        Some("noisy.csv"),
        Verdict::Holds,
    ),
    (
        Theorem::ApproximateMinimum,
        "certify noisy.safetensors noisy.csv --theorem approximate-minimum",
        Some("noisy.csv"),
        Verdict::Holds,
    ),
    (
        Theorem::FullRankStationary,
        "certify noisy.safetensors noisy.csv --theorem full-rank-stationary",
        Some("noisy.csv"),
        Verdict::Holds,
    ),
    (Theorem::DescentConverges, "check s.csv --find-scale --theorem descent-converges", Some("s.csv"), Verdict::Holds),
    (
        Theorem::DescentConvergesPrinted,
        "check s.csv --scale 1000 --theorem descent-converges-printed",
        Some("s.csv"),
        Verdict::Holds,
    ),
    (
        Theorem::ReluDescentConverges,
        "check two.csv -a relu -k 400 --scale 10 --rows unit --theorem relu-descent-converges",
        Some("two.csv"),
        Verdict::Holds,
    ),
    (
        Theorem::ReluDescentConvergesPrinted,
        "check two.csv -a relu -k 400 --scale 10 --rows unit --theorem relu-descent-converges-printed",
        Some("two.csv"),
        Verdict::Holds,
    ),
    (
        Theorem::BothLayersConverge,
        "check s.csv --scale 1000 --theorem both-layers-converge",
        Some("s.csv"),
        Verdict::Holds,
    ),
    (Theorem::RandomFeatures, "check s.csv -k 40 --theorem random-features", Some("s.csv"), Verdict::Holds),
    (
        Theorem::WideEnough,
        "check two.csv -k 1000000 --rows unit --theorem wide-enough",
        Some("two.csv"),
        Verdict::Holds,
    ),
    (Theorem::SeparatedData, "check s.csv -a relu --theorem separated-data", Some("s.csv"), Verdict::Holds),
    // Its constant was not published.
    (Theorem::SgdConverges, "check s.csv --theorem sgd-converges", Some("s.csv"), Verdict::Undecided),
    (Theorem::Determined, "check noisy.csv -a quadratic --theorem determined", Some("noisy.csv"), Verdict::Holds),
    (Theorem::EnergyBarrier, "landscape --spectrum 3,2,1", None, Verdict::Holds),
    (Theorem::SafeStart, "landscape --spectrum 3,2,1 --start spectral", None, Verdict::Holds),
    (Theorem::SafeStartGaussian, "landscape -d 3 -k 10000 --start width", None, Verdict::Holds),
    (Theorem::DesignedLandscape, "recover r.csv", None, Verdict::Holds),
    (Theorem::ApproximateRecovery, "recover r.csv", None, Verdict::Holds),
];

fn prepared() -> TempDir {
    let folder = TempDir::new().unwrap();
    for arguments in [
        "teach -a quadratic -d 3 -k 3 -n 100 --noise 0.1 --seed 3 -o noisy.csv",
        "fit noisy.csv -a quadratic --decay 0 -o noisy.safetensors",
        "fit noisy.csv -a wide -o infinite.safetensors",
        "teach -a quadratic -d 3 -k 6 -n 5 --outputs 1,1,1,-1,-1,-1 --seed 3 -o few.csv --save-teacher wide.safetensors",
        "teach -a softplus -d 20 -k 5 -n 8 --design sphere --seed 1 -o s.csv",
        "teach -a relu -d 5 -k 3 -n 600 --orthogonal --seed 1 -o r.csv",
    ] {
        succeeds(&folder, arguments);
    }
    fs::write(folder.path().join("two.csv"), "a,b,y\n1,0,0.1\n0,1,-0.1\n").unwrap();
    folder
}

/// The verdict of the checker alone on one theorem, with nothing in the file that was not confirmed.
fn checked(folder: &TempDir, table: Option<&str>, theorem: Theorem) -> Verdict {
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let certificate = Certificate::read(&read("c.json")).unwrap();
    let table = table.map(|name| Table::read(read(name).as_bytes()).unwrap());
    let rows = table.and_then(|table| certificate.rows_of(&table).unwrap());
    let claims = certificate.check(rows.as_ref().map(|rows| rows.rows().unwrap())).unwrap();
    assert!(claims.iter().all(|claim| claim.objection.is_none()), "{theorem}");
    claims.iter().find(|claim| claim.judgement.theorem == theorem).unwrap().verdict()
}

#[test]
fn every_theorem_can_be_saved_and_verified() {
    let folder = prepared();
    assert_eq!(CASES.map(|(theorem, ..)| theorem), Theorem::ALL);
    for (theorem, command, table, expected) in CASES {
        let made = shallows(&folder, &format!("{command} --certificate c.json"));
        let error = String::from_utf8(made.stderr).unwrap();
        assert!(made.status.code().is_some_and(|code| code < 2), "{command}: {error}");
        let verified = shallows(&folder, &format!("verify c.json {} --json", table.unwrap_or_default()));
        let error = String::from_utf8(verified.stderr).unwrap();
        assert!(verified.status.code().is_some_and(|code| code < 2), "{command}: {error}");
        let document = parsed(&String::from_utf8(verified.stdout).unwrap());
        let claims = document["certificates"].as_array().unwrap();
        let claim = claims.iter().find(|claim| claim["theorem"] == theorem.id()).unwrap();
        assert_eq!(claim["verdict"], expected.to_string(), "{command}");
        assert_eq!(checked(&folder, table, theorem), expected, "{command}");
    }
}

#[test]
fn a_file_holds_what_was_asked_for_and_determined_is_beside_a_start() {
    let folder = prepared();
    let theorems = |file: &str| -> Vec<String> {
        let document = parsed(&fs::read_to_string(folder.path().join(file)).unwrap());
        let claims = document["certificates"].as_array().unwrap().clone();
        claims.iter().map(|claim| claim["theorem"].as_str().unwrap().to_owned()).collect()
    };
    shallows(&folder, "check noisy.csv -a quadratic --theorem determined --certificate one.json");
    assert_eq!(theorems("one.json"), ["determined"]);
    assert!(!folder.path().join("one.determined.json").exists());
    shallows(&folder, "check noisy.csv -a quadratic --certificate both.json");
    assert_eq!(theorems("both.determined.json"), ["determined"]);
    assert!(theorems("both.json").contains(&"descent-converges".to_owned()));
    assert!(!theorems("both.json").contains(&"determined".to_owned()));
    shallows(&folder, "check s.csv --theorem wide-enough --certificate width.json");
    assert_eq!(theorems("width.json"), ["wide-enough"]);
}

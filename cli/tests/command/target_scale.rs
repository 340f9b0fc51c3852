//! `fit --target-scale log` and what follows from it, as a user runs it.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::support::{fails, parsed, shallows, succeeds};
use tempfile::TempDir;

/// Prices exp(1 + 1.5 a − 0.3 b² + a wave), 200 rows.
fn prices() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "a,b,price\n".to_owned();
    for i in 0..200 {
        let (a, b) = (f64::from(i % 17) / 4.0 - 2.0, f64::from(i % 23) / 6.0 - 2.0);
        let y = (1.0 + 1.5 * a - 0.3 * b * b + 0.1 * f64::from(i * i % 101 - 50) / 50.0).exp();
        text += &format!("{a},{b},{y}\n");
    }
    fs::write(folder.path().join("p.csv"), text).unwrap();
    folder
}

#[test]
fn errors_are_in_the_units_of_the_target_on_both_scales() {
    let folder = prices();
    let fit = |options: &str| parsed(&succeeds(&folder, &format!("fit p.csv -a quadratic --decay 0 --json {options}")));
    let (identity, log) = (fit("--holdout 0.2"), fit("--holdout 0.2 --target-scale log"));
    for part in ["train", "test"] {
        let [identity, log] = [&identity, &log].map(|document| document[part]["rmse"].as_f64().unwrap());
        assert!(log < 0.4 * identity, "{part}: {log} and {identity}");
    }
    assert_eq!((&identity["data"]["target_scale"], &log["data"]["target_scale"]), (&"identity".into(), &"log".into()));
    assert_eq!((&log["data"]["target"], &log["data"]["skewed"]), (&"price".into(), &false.into()));
    let folds = fit("--target-scale log --folds 3");
    let (whole, parts) = (folds["train"]["r2"].as_f64().unwrap(), folds["folds"].as_array().unwrap());
    let rmse = folds["train"]["rmse"].as_f64().unwrap();
    assert!(parts.len() == 3 && parts.iter().all(|part| part["r2"].as_f64().unwrap() > whole - 0.05), "{folds}");
    assert!(parts.iter().all(|part| (0.5 * rmse..2.0 * rmse).contains(&part["rmse"].as_f64().unwrap())), "{folds}");
    // The RMSE of the account is that of the predictions.
    let train = fit("--target-scale log")["train"]["rmse"].as_f64().unwrap();
    let predictions: Vec<f64> =
        serde_json::from_value(parsed(&succeeds(&folder, "predict p.safetensors p.csv --json"))["predictions"].clone())
            .unwrap();
    let table = fs::read_to_string(folder.path().join("p.csv")).unwrap();
    let labels = table.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse::<f64>().unwrap());
    let squares: f64 = labels.zip(&predictions).map(|(y, f)| (y - f).powi(2)).sum();
    assert!(predictions.iter().all(|f| *f > 0.0));
    assert!(((squares / 200.0).sqrt() - train).abs() < 1e-9 * train);
}

#[test]
fn the_account_says_what_is_fitted_and_hints_only_where_it_helps() {
    let folder = prices();
    let log = succeeds(&folder, "fit p.csv -a tanh -k 2 --target-scale log");
    assert!(log.contains("target \"price\", fitted as \"ln(price)\"") && log.contains("These are errors of"), "{log}");
    assert!(log.contains("the median of \"price\" rather than its mean") && !log.contains("Hint"), "{log}");
    let identity = succeeds(&folder, "fit p.csv -a quadratic");
    assert!(identity.contains("Hint      the target is skewed: --target-scale log"), "{identity}");
    assert_eq!(parsed(&succeeds(&folder, "fit p.csv -a quadratic --json"))["data"]["skewed"], true);
    let other = succeeds(&folder, "fit p.csv -a quadratic --target a --drop price");
    assert!(!other.contains("Hint") && !other.contains("ln("), "{other}");
}

#[test]
fn a_certificate_of_ln_y_is_verified_and_refused_for_y() {
    let folder = prices();
    let account = succeeds(&folder, "fit p.csv -a quadratic --decay 0 --target-scale log");
    let about = "the natural logarithm of \"price\"";
    assert!(account.contains("natural logarithm") && account.contains("½Σωr²"), "{account}");
    let verified = succeeds(&folder, "verify p.certificate.json p.csv p.safetensors");
    assert!(verified.contains("global-optimum (holds)") && verified.contains(about), "{verified}");
    let certified = succeeds(&folder, "certify p.safetensors p.csv --certificate c.json");
    assert!(certified.contains(about), "{certified}");
    succeeds(&folder, "verify c.json p.csv");

    let path = folder.path().join("p.certificate.json");
    let mut altered = parsed(&fs::read_to_string(&path).unwrap());
    altered["rows"]["target_scale"] = "identity".into();
    fs::write(folder.path().join("altered.json"), altered.to_string()).unwrap();
    assert!(fails(&folder, "verify altered.json p.csv").contains("not the one that the certificate was issued for"));
    altered["rows"]["target_scale"] = "sqrt".into();
    fs::write(folder.path().join("altered.json"), altered.to_string()).unwrap();
    fails(&folder, "verify altered.json p.csv");

    // A model of y is not what a certificate of ln(y) speaks about.
    succeeds(&folder, "fit p.csv -a quadratic --decay 0 -o y.safetensors --certificate y.json");
    assert!(fails(&folder, "verify p.certificate.json p.csv y.safetensors").contains("target scale"));
    assert!(fails(&folder, "verify y.json p.csv p.safetensors").contains("target scale"));
}

#[test]
fn a_target_without_logarithm_is_refused_with_its_place() {
    let folder = prices();
    let path = folder.path().join("p.csv");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text + "1,1,0\n").unwrap();
    let error = fails(&folder, "fit p.csv --target-scale log");
    assert!(error.contains("line 202, column \"price\": 0 has no logarithm") && error.contains("hint: "), "{error}");
    assert!(!folder.path().join("p.safetensors").exists());
    assert_eq!(shallows(&folder, "fit p.csv --target-scale sqrt").status.code(), Some(2));
}

#[test]
fn intervals_are_positive_and_what_overflows_is_refused() {
    let folder = prices();
    succeeds(&folder, "fit p.csv -a quadratic --decay 0 --target-scale log --calibrate 0.3");
    let text = succeeds(&folder, "predict p.safetensors p.csv --interval 0.9");
    for line in text.lines().skip(1) {
        let row: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        assert!(0.0 < row[1] && row[1] < row[0] && row[0] < row[2], "{line}");
    }
    assert!(fails(&folder, "predict p.safetensors p.csv --interval 0.999").contains("too few rows"));
    fs::write(folder.path().join("far.csv"), "a,b\n1,1\n1e5,0\n").unwrap();
    let error = fails(&folder, "predict p.safetensors far.csv");
    assert!(error.contains("the prediction for row 1 is not finite"), "{error}");
}

//! The automatic fit through the command: what it says, its intervals, its time.

#![allow(clippy::unwrap_used)]

use crate::support::{fails, json, repository, succeeds};
use serde_json::Value;
use tempfile::TempDir;

/// A folder with the example's table in it.
fn energy() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(repository().join("examples/data/energy.csv"), folder.path().join("energy.csv")).unwrap();
    folder
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn the_record_shows_candidates_the_certified_network_and_the_errors_of_all() {
    let folder = energy();
    let fit = json(&folder, "fit energy.csv --effort quick --holdout 0.2 --folds 2 --json");
    let weights: f64 = fit["candidates"].as_array().unwrap().iter().filter_map(|c| c["weight"].as_f64()).sum();
    assert!((weights - 1.0).abs() < 1e-9);
    assert_eq!(fit["training"]["outcome"], "wide");
    assert_eq!(fit["certificates"][0]["theorem"], "wide-optimum");
    let rmse = |value: &Value| value["rmse"].as_f64().unwrap();
    let [ours, quadratic, linear] = [&fit["test"], &fit["quadratic"]["test"], &fit["linear"]["test"]].map(rmse);
    assert!(ours < 0.6 * quadratic && quadratic < 0.5 * linear, "{ours} {quadratic} {linear}");
    assert_eq!(fit["certificates"][0]["verdict"], "holds");
    assert_eq!(fit["folds"].as_array().unwrap().len(), 2);
    let verified = succeeds(&folder, "verify energy.certificate.json energy.csv");
    assert!(verified.contains("holds"), "{verified}");
}

#[test]
fn intervals_come_by_themselves_and_say_what_is_proved() {
    let folder = energy();
    succeeds(&folder, "fit energy.csv --effort quick --quiet");
    let answer = json(&folder, "predict energy.safetensors energy.csv --interval 0.9 --json");
    let (low, high) = (numbers(&answer["lower"]), numbers(&answer["upper"]));
    assert!(low.iter().zip(&high).all(|(low, high)| low < high));
    let guarantee = answer["interval"]["guarantee"].as_f64().unwrap();
    assert!((guarantee - 0.8).abs() < 1e-9, "{guarantee}");
    let wider = json(&folder, "predict energy.safetensors energy.csv --interval 0.99 --json");
    assert!(numbers(&wider["upper"]).iter().zip(&high).all(|(wide, high)| wide >= high));
}

#[test]
fn the_next_command_is_one_that_works() {
    let folder = tempfile::tempdir().unwrap();
    for (rows, is_enough) in [(6, false), (30, true)] {
        let lines: Vec<String> = (0..rows).map(|i| format!("{i},{}", (i * i) % 7)).collect();
        std::fs::write(folder.path().join("few.csv"), format!("x,y\n{}\n", lines.join("\n"))).unwrap();
        let told = succeeds(&folder, "fit few.csv --effort quick");
        assert_eq!(told.contains("--interval 0.9"), is_enough, "{rows} rows: {told}");
        if is_enough {
            succeeds(&folder, "predict few.safetensors few.csv --interval 0.9");
        } else {
            fails(&folder, "predict few.safetensors few.csv --interval 0.9");
        }
    }
}

#[test]
fn no_guarantee_is_claimed_where_the_recipe_has_learned_from_all_rows() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<String> = (0..60).map(|i| format!("{},{},{}", ["a", "b"][i % 2], i % 7, (i % 7) * (i % 2))).collect();
    std::fs::write(folder.path().join("words.csv"), format!("word,x,y\n{}\n", rows.join("\n"))).unwrap();
    succeeds(&folder, "fit words.csv --effort quick");
    let answer = json(&folder, "predict words.safetensors words.csv --interval 0.9 --json");
    assert_eq!(answer["interval"]["guarantee"], 0.0);
    assert!(answer["interval"]["statement"].as_str().unwrap().contains("nothing is proved"), "{answer}");
    // Rows that had no part in anything are another matter.
    succeeds(&folder, "fit words.csv --effort quick --calibrate 0.3 -o set-aside.safetensors");
    let answer = json(&folder, "predict set-aside.safetensors words.csv --interval 0.9 --json");
    assert_eq!(answer["interval"]["guarantee"], 0.9);
}

#[test]
fn a_budget_too_short_for_everything_still_gives_a_network_and_its_certificate() {
    let folder = energy();
    let fit = json(&folder, "fit energy.csv --budget 1s --json");
    assert_eq!(fit["training"]["effort"], "quick");
    assert!(fit["train"]["r2"].as_f64().unwrap() > 0.9);
    // Whether a second is enough for the optimum depends on the machine; the bounds do not.
    let [objective, bound] = ["objective", "lower_bound"].map(|key| fit["certificates"][0][key].as_f64().unwrap());
    assert!(0.0 < bound && bound <= objective, "{bound} {objective}");
}

#[test]
fn efforts_budgets_and_folds_that_mean_nothing_are_refused() {
    let folder = energy();
    for (options, said) in [
        ("--effort fast", "quick, normal or best"),
        ("--budget 0s", "a positive number"),
        ("--budget soon", "a positive number"),
        ("--folds 1", "at least 2"),
        ("--folds 100000", "at least 2 and at most"),
    ] {
        let refusal = fails(&folder, &format!("fit energy.csv {options}"));
        assert!(refusal.contains(said), "{options}: {refusal}");
    }
}

#[test]
fn the_record_has_the_rows_held_out_and_the_preference() {
    let folder = energy();
    std::fs::write(folder.path().join("rows.txt"), "3\n700\n11\n").unwrap();
    let fit = json(&folder, "fit energy.csv -a quadratic --decay 0.01 --holdout rows.txt --json");
    let mut rows: Vec<f64> = numbers(&fit["test"]["row_numbers"]);
    rows.sort_by(f64::total_cmp);
    assert_eq!(rows, [3.0, 11.0, 700.0]);
    let chosen = json(&folder, "fit energy.csv --effort quick --prefer accuracy --json");
    assert_eq!(chosen["training"]["prefer"], "accuracy");
    let least = chosen["candidates"].as_array().unwrap().iter().map(|c| c["rmse"].as_f64().unwrap());
    assert_eq!(chosen["training"]["rmse"].as_f64(), least.reduce(f64::min));
    assert!(fails(&folder, "fit energy.csv --prefer speed").contains("balanced, accuracy or proof"));
    assert!(fails(&folder, "fit energy.csv -a tanh --prefer proof").contains("the preference"));
}

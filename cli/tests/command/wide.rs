//! Infinitely wide networks: which layers are compared, and what is proved again later.
#![allow(clippy::unwrap_used)]

use tempfile::TempDir;

use crate::support::{fails, json, succeeds, verdict};

/// A table with a rough and a smooth direction.
fn table() -> TempDir {
    let folder = TempDir::new().unwrap();
    succeeds(&folder, "teach -a tanh -d 2 -k 3 -n 50 --noise 0.1 -o d.csv --save-teacher m.safetensors");
    folder
}

#[test]
fn the_sets_of_layers_that_are_named_are_compared_and_no_others() {
    let folder = table();
    let fitted = json(&folder, "fit d.csv -a wide --layers ranks,rough-erf -o w.safetensors --json");
    let compared: Vec<&str> =
        fitted["candidates"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(compared, ["ranks", "rough-erf"]);
    let wide = &fitted["wide"][0];
    assert_eq!(wide["set"], fitted["training"]["set"]);
    assert!(fitted["training"]["log_evidence"].is_f64() && wide["left_out_error"].is_f64());
    let laws: Vec<&str> =
        wide["layers"].as_array().unwrap().iter().map(|layer| layer["law"].as_str().unwrap()).collect();
    assert_eq!(laws.last(), Some(&"affine"));
    assert!(wide.get("alpha").is_none());
    // The model file says the same, and has the rows besides.
    let exported = json(&folder, "export w.safetensors");
    assert_eq!(exported["wide"][0]["layers"], wide["layers"]);
    assert_eq!(exported["wide"][0]["alpha"].as_array().unwrap().len(), 50);
}

#[test]
fn other_sets_and_other_activations_are_refused() {
    let folder = table();
    let error = fails(&folder, "fit d.csv -a wide --layers rough-tanh");
    assert!(error.contains("rough-relu, rough-erf, rough-mixed, ranks or quadratic, not \"rough-tanh\""), "{error}");
    for activation in ["", "-a tanh", "-a quadratic"] {
        let error = fails(&folder, &format!("fit d.csv {activation} --layers ranks"));
        assert!(error.contains("the set of layers applies only with infinitely wide networks"), "{error}");
    }
}

#[test]
fn an_infinitely_wide_network_is_certified_on_the_rows_of_its_fit() {
    let folder = table();
    let fitted = json(&folder, "fit d.csv -a wide --layers rough-erf -o w.safetensors --json");
    for theorem in ["", "--theorem wide-optimum"] {
        let proved = json(&folder, &format!("certify w.safetensors d.csv {theorem} --certificate c.json --json"));
        assert_eq!(verdict(&proved, "wide-optimum"), "holds");
        assert_eq!(proved["certificates"], fitted["certificates"]);
        assert_eq!(json(&folder, "verify c.json d.csv w.safetensors --json")["verdict"], "holds");
    }
    succeeds(&folder, "teach -a tanh -d 2 -k 3 -n 50 --noise 0.1 --seed 7 -o other.csv");
    let refused = [
        ("certify w.safetensors other.csv", "fitted to other rows than these"),
        ("certify w.safetensors d.csv --decay 0.1", "the decay applies only with networks of finite width"),
        ("certify w.safetensors d.csv --no-linear", "leaving out the linear part applies only"),
        ("certify w.safetensors d.csv --theorem strict-saddle", "strict-saddle"),
        ("certify m.safetensors d.csv --theorem wide-optimum", "infinitely wide for wide-optimum, not tanh"),
    ];
    for (command, words) in refused {
        let error = fails(&folder, command);
        assert!(error.contains(words), "{command}: {error}");
    }
}

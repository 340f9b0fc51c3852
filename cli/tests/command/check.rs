//! `shallows check` and `shallows fit --plan`, by running them.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::support::{fails, parsed, repository, shallows, succeeds, verdict};
use serde_json::Value;
use tempfile::TempDir;

fn sphere(folder: &TempDir, samples: usize) {
    succeeds(
        folder,
        &format!("teach -a softplus --inputs 20 --width 5 --samples {samples} --design sphere --seed 1 -o p.csv"),
    );
}

/// Whatever the exit status says.
fn output(folder: &TempDir, arguments: &str) -> (i32, String) {
    let output = shallows(folder, arguments);
    let words = String::from_utf8(output.stdout).unwrap();
    // Lines are broken where they are full.
    (output.status.code().unwrap(), words.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn a_plan_is_found_saved_executed_and_every_bound_holds() {
    let folder = TempDir::new().unwrap();
    sphere(&folder, 10);
    let checked = parsed(&succeeds(&folder, "check p.csv --width 4 --find-scale --plan plan.json --json"));
    assert_eq!(verdict(&checked, "descent-converges"), "holds");
    assert_eq!(checked["width"], 4);
    let (smallest, planned) = (checked["scale"].as_f64().unwrap(), checked["plan"]["scale"].as_f64().unwrap());
    assert!((planned / smallest - 2.0).abs() < 1e-12);
    let fitted = parsed(&succeeds(&folder, "fit p.csv --plan plan.json --json -o out.safetensors --curves c.svg"));
    assert_eq!(fitted["theorem"], "descent-converges");
    assert!(fitted["comparisons"].as_array().unwrap().iter().all(|one| one["violated"].is_null()), "{fitted}");
    assert!(fitted["observed"]["rate"].as_f64().unwrap() < fitted["proven"]["rate"].as_f64().unwrap());
    assert!(fitted["observed"]["iterations"].as_f64().unwrap() <= checked["plan"]["iterations"].as_f64().unwrap());
    assert!(fs::read_to_string(folder.path().join("c.svg")).unwrap().contains("observed"));
    // The saved network is the trained one: it fits the labels.
    succeeds(&folder, "predict out.safetensors p.csv -o f.csv");
    let column = |file: &str, at: usize| -> Vec<f64> {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        text.lines().skip(1).map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
    };
    let worst =
        column("f.csv", 0).iter().zip(column("p.csv", 20)).fold(0.0_f64, |most, (f, y)| most.max((f - y).abs()));
    assert!(worst < 1e-4, "{worst}");
}

#[test]
fn the_scale_and_the_width_that_were_found_hold_when_asked_for_directly() {
    let folder = TempDir::new().unwrap();
    sphere(&folder, 5);
    let found = parsed(&succeeds(&folder, "check p.csv --width 6 --find-scale --json"));
    let scale = found["scale"].as_f64().unwrap();
    succeeds(&folder, &format!("check p.csv --width 6 --scale {scale}"));
    assert_eq!(output(&folder, &format!("check p.csv --width 6 --scale {}", scale / 1.05)).0, 1);
    let found = parsed(&succeeds(&folder, "check p.csv --find-width --json"));
    let width = found["width"].as_u64().unwrap();
    succeeds(&folder, &format!("check p.csv --width {width}"));
    assert_eq!(output(&folder, &format!("check p.csv --width {}", width / 4 * 2)).0, 1);
}

#[test]
fn both_layers_can_be_planned() {
    let folder = TempDir::new().unwrap();
    sphere(&folder, 8);
    let checked =
        parsed(&succeeds(&folder, "check p.csv --width 8 --find-scale --both-layers --plan plan.json --json"));
    assert_eq!(checked["plan"]["both_layers"], true);
    let fitted = parsed(&succeeds(&folder, "fit p.csv --plan plan.json --json"));
    assert_eq!(fitted["theorem"], "both-layers-converge");
    assert!(fitted["comparisons"].as_array().unwrap().iter().all(|one| one["violated"].is_null()), "{fitted}");
}

#[test]
fn a_plan_for_other_data_or_with_altered_numbers_is_refused() {
    let folder = TempDir::new().unwrap();
    sphere(&folder, 5);
    succeeds(&folder, "check p.csv --width 6 --find-scale --plan plan.json");
    let text = fs::read_to_string(folder.path().join("plan.json")).unwrap();
    let plan = parsed(&text);
    let alter = |change: &dyn Fn(&mut Value)| {
        let mut altered = plan.clone();
        change(&mut altered);
        fs::write(folder.path().join("bad.json"), altered.to_string()).unwrap();
        fails(&folder, "fit p.csv --plan bad.json")
    };
    let times = |value: &Value, factor: f64| Value::from(value.as_f64().unwrap() * factor);
    for field in ["step", "residual", "rate", "path", "slope", "bend"] {
        let message = alter(&|plan| plan["proven"][field] = times(&plan["proven"][field], 0.99));
        assert!(message.contains(field), "{message}");
    }
    // A theorem that was not proved, an end that was not promised, a tolerance that is none.
    assert!(alter(&|plan| plan["theorem"] = "every-network-is-optimal".into()).contains("not a plan"));
    for theorem in ["relu-descent-converges", "both-layers-converge", "global-optimum"] {
        let message = alter(&|plan| plan["theorem"] = theorem.into());
        assert!(message.contains(theorem) && message.contains("descent-converges"), "{message}");
    }
    assert!(alter(&|plan| plan["iterations"] = times(&plan["iterations"], 0.5)).contains("iterations"));
    assert!(alter(&|plan| plan["iterations"] = Value::Null).contains("iterations"));
    assert!(alter(&|plan| plan["tolerance"] = 1e-3.into()).contains("iterations"));
    for tolerance in [0.0, -1.0, 1.0, 1e300] {
        assert!(alter(&|plan| plan["tolerance"] = tolerance.into()).contains("tolerance"));
    }
    assert!(alter(&|plan| plan["scale"] = times(&plan["scale"], 0.2)).contains("refused"));
    assert!(alter(&|plan| plan["seed"] = 5.into()).contains("refused"));
    assert!(alter(&|plan| plan["data"] = "00".into()).contains("other data"));
    assert!(alter(&|plan| plan["width"] = 7.into()).contains("even"));
    assert!(alter(&|plan| plan["width"] = 4_000_000_000_u64.into()).contains("at most"));
    assert!(alter(&|plan| plan["scale"] = Value::Null).contains("not a plan"));
    assert!(alter(&|plan| plan["more"] = 1.into()).contains("not a plan"));
    for text in ["", "{", "[]", "null", "{\"format\":\"shallows plan\"}"] {
        fs::write(folder.path().join("bad.json"), text).unwrap();
        assert!(fails(&folder, "fit p.csv --plan bad.json").contains("not a plan"));
    }
    fs::write(folder.path().join("bad.json"), text.replace("softplus", "nothing")).unwrap();
    fails(&folder, "fit p.csv --plan bad.json");
    assert!(fails(&folder, "fit p.csv --plan plan.json --width 3").contains("--plan"));
    assert!(fails(&folder, "fit p.csv --curves c.svg").contains("--plan"));
}

#[test]
fn equal_rows_with_different_targets_are_named() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("t.csv"), "a,b,y\n1,2,3\n4,5,6\n1,2,4\n0,1,1\n4,5,6\n").unwrap();
    let (_, text) = output(&folder, "check t.csv");
    assert!(text.contains("Zero error is impossible") && text.contains("rows 0 and 2"), "{text}");
    assert!(text.contains("2 of them repeat") && text.contains("1 in the target too"), "{text}");
    let (_, text) = output(&folder, "check t.csv --json");
    let document = parsed(&text);
    assert_eq!(document["repeats"]["conflicts"], parsed("[[0, 2]]"));
    assert_eq!(document["rows"]["distinct"], 3);
}

#[test]
fn opposite_rows_conflict_for_an_even_activation_only() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("t.csv"), "a,b,y\n0.6,0.8,3\n-0.6,-0.8,4\n1,0,1\n").unwrap();
    let text = output(&folder, "check t.csv -a quadratic").1;
    assert!(text.contains("Zero error is impossible"), "{text}");
    assert!(!output(&folder, "check t.csv -a softplus").1.contains("impossible"));
}

#[test]
fn real_tables_give_accounts_with_what_is_wrong_with_them() {
    let folder = TempDir::new().unwrap();
    let table = |name: &str| repository().join("examples/data").join(name).display().to_string();
    let energy = output(&folder, &format!("check {} -a quadratic --rival r.safetensors", table("energy.csv"))).1;
    assert!(energy.contains("rank 7 of 8"), "{energy}");
    assert!(energy.contains("span 28 of 36") && energy.contains("r.first.safetensors"), "{energy}");
    let concrete = output(&folder, &format!("check {}", table("concrete.csv"))).1;
    assert!(concrete.contains("38 of them repeat") && concrete.contains("25 in the target too"), "{concrete}");
    let (status, yacht) = output(&folder, &format!("check {} -a quadratic --theorem determined", table("yacht.csv")));
    assert_eq!(status, 0, "{yacht}");
}

#[test]
fn rivals_agree_on_the_rows_and_differ_at_the_point() {
    let folder = TempDir::new().unwrap();
    succeeds(&folder, "teach -a quadratic --inputs 4 --width 4 --samples 6 --seed 3 -o p.csv");
    let (status, text) = output(&folder, "check p.csv -a quadratic --rival r.safetensors --theorem determined --json");
    assert_eq!(status, 1);
    let document = parsed(&text);
    assert_eq!(document["determined"]["missing"], 4);
    for (model, out) in [("r.safetensors", "second.csv"), ("r.first.safetensors", "first.csv")] {
        succeeds(&folder, &format!("predict {model} p.csv -o {out}"));
    }
    let numbers = |file: &str| -> Vec<f64> {
        fs::read_to_string(folder.path().join(file))
            .unwrap()
            .lines()
            .skip(1)
            .map(|line| line.parse().unwrap())
            .collect()
    };
    let differences: Vec<f64> =
        numbers("first.csv").iter().zip(numbers("second.csv")).map(|(a, b)| (a - b).abs()).collect();
    assert!(differences.iter().all(|difference| *difference < 1e-9), "{differences:?}");
    let point: Vec<String> = document["rival"]["point"].as_array().unwrap().iter().map(Value::to_string).collect();
    fs::write(folder.path().join("point.csv"), format!("x1,x2,x3,x4\n{}\n", point.join(","))).unwrap();
    let names = fs::read_to_string(folder.path().join("p.csv")).unwrap();
    let header: Vec<&str> = names.lines().next().unwrap().split(',').take(4).collect();
    fs::write(folder.path().join("point.csv"), format!("{}\n{}\n", header.join(","), point.join(","))).unwrap();
    let at = |model: &str| {
        succeeds(&folder, &format!("predict {model} point.csv -o at.csv"));
        numbers("at.csv")[0]
    };
    let difference = (at("r.safetensors") - at("r.first.safetensors")).abs();
    let claimed = document["rival"]["difference"].as_f64().unwrap().abs();
    assert!((difference / claimed - 1.0).abs() < 1e-6, "{difference} {claimed}");
}

#[test]
fn the_same_check_gives_the_same_words_on_one_and_two_threads() {
    let folder = TempDir::new().unwrap();
    sphere(&folder, 30);
    let on = |threads: usize| {
        let mut document = parsed(&output(&folder, &format!("check p.csv --find-scale --json --threads {threads}")).1);
        document["seconds"] = Value::Null;
        document
    };
    assert_eq!(on(1), on(2));
}

#[test]
fn bad_requests_get_one_line_and_a_way_out() {
    let folder = TempDir::new().unwrap();
    sphere(&folder, 5);
    let cases = [
        ("check nothing.csv", "nothing.csv"),
        ("check p.csv --width 3", "even"),
        ("check p.csv --width 0", "even"),
        ("check p.csv --width 100000000000", "at most"),
        ("check p.csv --scale 0", "positive"),
        ("check p.csv --scale nan", "positive"),
        ("check p.csv --radius -1 --rows scaled", "radius"),
        ("check p.csv --tolerance 2", "the tolerance"),
        ("check p.csv --rival r.safetensors", "quadratic"),
        ("check p.csv -a relu --both-layers", "smooth"),
        ("check p.csv --find-scale --start random", "a start at f = 0"),
        ("check p.csv --find-width --width 8", "--width"),
        ("check p.csv --theorem nothing", "nothing"),
        ("check p.csv --plan p.csv", "would replace the table"),
        ("check p.csv --plan no/plan.json", "no folder"),
        ("check p.csv -a sofplus", "sofplus"),
    ];
    for (arguments, word) in cases {
        let message = fails(&folder, arguments);
        assert!(message.contains(word), "{arguments}: {message}");
    }
    for (text, name) in [("", "empty"), ("a,y\n", "header"), ("a,y\n1,2\n", "one"), ("a,y\n1,2\n2,2\n", "constant")] {
        fs::write(folder.path().join("bad.csv"), text).unwrap();
        let message = fails(&folder, "check bad.csv");
        assert!(message.starts_with("error: "), "{name}: {message}");
    }
}

#[test]
fn zeros_huge_and_tiny_numbers_are_judged_or_refused_without_a_panic() {
    let folder = TempDir::new().unwrap();
    let tables = [
        "a,b,y\n0,0,1\n1,0,2\n0,1,3\n",
        "a,b,y\n1e200,1,1\n1,1e200,2\n3,4,5\n",
        "a,b,y\n1e-200,1e-200,1\n2e-200,1e-200,2\n1e-300,4e-200,5\n",
        "a,b,y\n1,2,1e300\n2,1,-1e300\n3,4,5\n",
        "a,b,y\n1,1,1e-300\n1,1.0000000000000002,2e-300\n3,4,0\n",
    ];
    for table in tables {
        fs::write(folder.path().join("t.csv"), table).unwrap();
        for flags in ["", "--rows raw", "--rows unit", "-a relu --rows raw", "-a quadratic --rows raw", "--find-scale"]
        {
            let run = shallows(&folder, &format!("check t.csv {flags}"));
            let error = String::from_utf8(run.stderr).unwrap();
            assert!(
                run.status.code().is_some_and(|code| code <= 2) && !error.contains("panicked"),
                "{table} {flags}: {error}"
            );
        }
    }
}

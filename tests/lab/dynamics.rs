//! The figures that follow runs, at small sizes: what they claim, and that their settings are read.

#![cfg(feature = "lab")]
#![allow(clippy::unwrap_used)]

use std::sync::atomic::AtomicBool;

use shallows::lab::Extent;
use shallows::lab::studies::{Drawn, STUDIES, StudyFinding, study};
use shallows::watch::Watch;

const QUIET: Watch<'_> = Watch::silent();

fn drawn(name: &str, settings: &str) -> Drawn {
    study(name).unwrap().draw_from(settings, QUIET).unwrap().unwrap()
}

fn finding<'a>(drawn: &'a Drawn, parts: &[&str]) -> &'a StudyFinding {
    let has = |finding: &&StudyFinding| parts.iter().all(|part| finding.what.contains(part));
    let all: Vec<&str> = drawn.findings.iter().map(|finding| finding.what.as_str()).collect();
    drawn.findings.iter().find(has).unwrap_or_else(|| panic!("{parts:?}: {all:#?}"))
}

/// The values of a column in the rows of this name.
fn column(drawn: &Drawn, reading: &str, name: &str) -> Vec<f64> {
    let at = drawn.table.columns.iter().position(|column| *column == name).unwrap() - 1;
    drawn.table.rows.iter().filter(|(own, _)| own.contains(reading)).map(|(_, row)| row[at]).collect()
}

/// e at the last iteration of each run.
fn last_errors(drawn: &Drawn, reading: &str) -> Vec<f64> {
    let (runs, errors) = (column(drawn, reading, "run"), column(drawn, reading, "e"));
    let is_last = |at: &usize| runs.get(at + 1) != Some(&runs[*at]);
    (0..runs.len()).filter(is_last).map(|at| errors[at]).collect()
}

#[test]
fn population_descent_of_relu_students_ends_at_a_risk_that_d_and_the_wrong_signs_decide() {
    let settings = r#"
        name = "small"
        seed = 0
        [samples]
        inputs = 10
        runs = 1
        batch = 64
        steps = [[0.01, 200]]
        [population]
        inputs = [10, 20]
        starts = 6
        step = 0.5
        iterations = 20000
        gradient = 1e-7
        shown = [[10, 0], [10, 1], [10, 2], [20, 1]]
    "#;
    let drawn = drawn("glm-1", settings);
    for (d, s, wanted) in [(10, 0, 0.0), (10, 1, 0.0374), (10, 2, 0.0707), (20, 1, 0.02255)] {
        let found = finding(&drawn, &[&format!("s = {s} wrong"), &format!("d = {d}")]).value;
        assert!((found - wanted).abs() < 1e-4, "d = {d}, s = {s}: {found}");
    }
    // Random starts end in the same family, and at d = 20 not all of them at zero.
    for d in [10, 20] {
        let off = finding(&drawn, &["largest distance", &format!("d = {d}")]).value;
        assert!(off < 1e-8, "d = {d}: {off}");
    }
    assert!(finding(&drawn, &["above zero", "d = 20"]).value > 0.0);
    // Up to signs every unit was found, if tilted: below 1 − 1/√2 the rows are near to a signed permutation.
    let errors = column(&drawn, "population descent", "e");
    assert!(errors.len() == 12 && errors.iter().all(|e| *e < 0.29), "{errors:?}");
}

#[test]
fn without_centred_labels_the_student_of_degrees_two_and_four_learns_less_from_the_same_samples() {
    let arm = |centred: bool| {
        format!("[[arm]]\ninputs = 10\ncentred = {centred}\nruns = 2\nsteps = [[0.4, 300], [0.1, 100]]\n")
    };
    let settings = format!("name = \"small\"\nseed = 0\nbatch = 1024\npilot = 20000\n{}{}", arm(true), arm(false));
    let drawn = drawn("glm-2", &settings);
    let (centred, raw) = (last_errors(&drawn, "centred"), last_errors(&drawn, "as it is"));
    assert!(centred.len() == 2 && centred.iter().all(|e| *e < 0.05), "{centred:?}");
    assert!(raw.iter().all(|e| *e > 2.0 * centred[0].max(centred[1])), "{raw:?} and {centred:?}");
}

#[test]
fn descent_on_the_designed_objective_finds_the_units_and_by_samples_needs_the_control_variate() {
    let arm = |control: bool| {
        format!(
            "[[samples]]\nlambda = 1\ncontrol = {control}\nbatch = 2048\nruns = 2\n\
             steps = [[0.05, 400], [0.01, 100]]\n"
        )
    };
    let settings = format!(
        "name = \"small\"\nseed = 0\ninputs = 8\nmu = 0.01\npilot = 5000\n\
         [[population]]\nlambda = 1\nruns = 4\nsteps = [[0.08, 1000]]\n{}{}",
        arm(true),
        arm(false)
    );
    let drawn = drawn("glm-3", &settings);
    let exact = last_errors(&drawn, "exactly");
    assert!(exact.len() == 4 && exact.iter().all(|e| *e < 0.01), "{exact:?}");
    // All that degree two leaves of y², 8(½ − 1/2π − ¼ − 1/4π), within a few standard errors.
    let left = finding(&drawn, &["less the fitted polynomial"]).value;
    let expected = 8.0 * (0.25 - 0.75 / std::f64::consts::PI);
    assert!((left / expected - 1.0).abs() < 0.1, "{left} instead of {expected}");
    let (with, without) = (last_errors(&drawn, "control variate"), last_errors(&drawn, "y as it is"));
    assert!(with.iter().all(|e| *e < 0.05), "{with:?}");
    assert!(without.iter().all(|e| *e > 2.0 * with[0].max(with[1])), "{without:?} and {with:?}");
}

#[test]
fn near_a_planted_network_the_loss_falls_at_least_as_fast_as_its_slowest_part() {
    let settings = r#"
        name = "small"
        seed = 0
        activation = "softplus:10"
        networks = 5
        [[size]]
        inputs = 8
        units = 16
        samples_per_input = [1, 2, 4]
        [rate]
        distance = 0.001
        iterations = 20000
        fall = 1e6
        [radius]
        distances = [0.01, 0.1]
        iterations = 4000
        tolerance = 1e-3
    "#;
    let drawn = drawn("sjl-local", settings);
    let (rates, slowest) = (column(&drawn, "rate", "rate"), column(&drawn, "rate", "predicted"));
    assert_eq!(rates.len(), 15);
    for (rate, slowest) in rates.iter().zip(&slowest) {
        assert!(*slowest > 0.0 && *rate > 0.98 * slowest, "{rate} against {slowest}");
    }
    // It falls with n/d at least as fast as d/n, and starts that near are all attracted.
    let exponent = finding(&drawn, &["exponent"]);
    assert!(exponent.low < exponent.value && exponent.high < -0.5, "{exponent:?}");
    assert!(column(&drawn, "attraction", "attracted").iter().all(|is| *is == 1.0));
}

#[test]
fn descent_goes_about_as_far_as_a_linear_network_would_and_that_grows_like_the_root_of_n() {
    let settings = r#"
        name = "small"
        seed = 0
        activation = "softplus"
        samples = [12, 20, 32, 50]
        samples_per_input = 2
        parameters_per_square = 1
        trials = 6
        tolerance = 1e-2
        iterations = 20000
        [sgd]
        step = 0.5
        epochs = 2000
    "#;
    let drawn = drawn("os-path", settings);
    for reading in ["descent", "sgd"] {
        let (distances, paths) = (column(&drawn, reading, "distance"), column(&drawn, reading, "path"));
        assert!(distances.len() == 24 && distances.iter().zip(&paths).all(|(near, long)| long >= near));
        let linear = column(&drawn, reading, "linear_distance");
        let ratios: Vec<f64> = distances.iter().zip(&linear).map(|(distance, linear)| distance / linear).collect();
        assert!(ratios.iter().all(|ratio| (0.6..1.1).contains(ratio)), "{reading}: {ratios:?}");
    }
    for what in ["distance, descent", "path, descent", "distance, SGD"] {
        let exponent = finding(&drawn, &["exponent", what]);
        assert!(exponent.low < 0.5 && 0.5 < exponent.high && exponent.high - exponent.low < 0.5, "{exponent:?}");
    }
    let bounds = column(&drawn, "descent", "path_bound");
    assert!(column(&drawn, "descent", "path").iter().zip(bounds).all(|(path, bound)| *path < bound));
    assert_eq!(finding(&drawn, &["did not reach"]).value, 0.0);
}

#[test]
fn settings_of_runs_are_shorter_in_their_quick_version_and_strange_keys_are_refused() {
    let stopped = AtomicBool::new(true);
    let mut count = 0;
    for study in STUDIES {
        let Some((full, quick)) = study.settings(Extent::Full).unwrap().zip(study.settings(Extent::Quick).unwrap())
        else {
            assert!(study.draw_from("", QUIET).is_err(), "{}", study.name);
            continue;
        };
        count += 1;
        assert!(full != quick && !full.contains("[quick]") && !quick.contains("[quick]"), "{full}\n{quick}");
        assert!(full.contains(&format!("name = \"{}\"", study.name)));
        let error = study.draw_from(&format!("strange = 1\n{full}"), QUIET).err().unwrap();
        assert!(error.to_string().contains("strange"), "{error}");
        // Interrupted, there is nothing to be drawn; this reads both versions.
        let watch = Watch::silent().interruptible(&stopped);
        if study.name != "glm-2" && study.name != "glm-3" {
            assert!(study.draw(&[], Extent::Full, watch).unwrap().is_none());
            assert!(study.draw(&[], Extent::Quick, watch).unwrap().is_none());
        }
    }
    assert_eq!(count, 7);
}

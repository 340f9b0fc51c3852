//! Whatever an automatic fit chooses, its words, its report, its certificate and `verify` are about the same network.

use std::fs;

use crate::support::{fails, json, parsed, repository, shallows, succeeds};
use serde_json::Value;
use shallows::random::{Purpose, Stream};
use tempfile::TempDir;

fn table(name: &str, row: impl Fn(usize, &mut Stream) -> String) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut stream = Stream::new(13, Purpose::Inputs, 0);
    let rows: Vec<String> = (0..160).map(|i| row(i, &mut stream)).collect();
    fs::write(folder.path().join(name), format!("sex,age,pay,y\n{}\n", rows.join("\n"))).unwrap();
    folder
}

/// Words, gaps and numbers, of which y is a noisy sum.
fn sums() -> TempDir {
    table("t.csv", |i, stream| {
        let (sex, age, pay) = (["male", "female", ""][i % 3], stream.normal(), 3.0 + stream.normal());
        format!("{sex},{age},{pay},{}", (i % 3) as f64 + 2.0 * age - pay + 2.0 * stream.normal())
    })
}

/// The same, with a product of two columns.
fn products() -> TempDir {
    table("t.csv", |i, stream| {
        let (sex, age, pay) = (["male", "female", ""][i % 3], stream.normal(), 3.0 + stream.normal());
        format!("{sex},{age},{pay},{}", (i % 3) as f64 * age + 2.0 * age * pay + 0.3 * stream.normal())
    })
}

fn energy() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(repository().join("examples/data/energy.csv"), folder.path().join("t.csv")).unwrap();
    folder
}

fn page(folder: &TempDir) -> String {
    fs::read_to_string(folder.path().join("r.html")).unwrap()
}

/// Exit status, words and document of `verify` with the model.
fn verified(folder: &TempDir) -> (Option<i32>, String, Value) {
    let command = "verify t.certificate.json t.csv t.safetensors";
    let output = shallows(folder, command);
    let document = parsed(&String::from_utf8(shallows(folder, &format!("{command} --json")).stdout).unwrap());
    (output.status.code(), String::from_utf8(output.stdout).unwrap(), document)
}

/// Numbers of a sentence that have a decimal point.
fn decimals(words: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | '-');
    let parts = words.split(|c: char| !is_part(c)).map(|part| part.trim_end_matches(['.', '-', 'e']));
    parts.filter(|part| part.contains('.') && part.parse::<f64>().is_ok()).map(str::to_owned).collect()
}

/// Few digits, and rounded to the safe side of what the file holds.
fn are_readable_bounds(claim: &Value) {
    let statement = claim["statement"].as_str().unwrap();
    for number in decimals(statement) {
        let digits = number.split('e').next().unwrap().replace(['.', '-'], "");
        assert!(digits.trim_matches('0').len() <= 8, "{number} in {statement}");
    }
    let after = |words: &str| -> f64 {
        let rest = statement.split(words).nth(1).unwrap();
        rest.split([' ', ',', ';']).next().unwrap().parse().unwrap()
    };
    let fact = |name: &str| claim["facts"][name].as_f64().unwrap();
    // What was proved is said; the file gives 2⁻⁴⁰ of each bound away.
    const WEAKENED: f64 = 4.0 / (1_u64 << 40) as f64;
    assert!(after("is at most ") >= fact("objective") * (1.0 - WEAKENED), "{statement}");
    assert!(after("at least ") <= fact("lower_bound") * (1.0 + WEAKENED), "{statement}");
    assert!(after("the gap is at most ") >= fact("relative_gap") - WEAKENED, "{statement}");
}

#[test]
fn an_affine_function_is_explained_as_one_and_verify_says_that_nothing_is_proved_about_it() {
    let folder = sums();
    let fit = json(&folder, "fit t.csv --effort quick --report r.html --json");
    assert_eq!(fit["training"]["outcome"], "affine");
    are_readable_bounds(&fit["certificates"][0]);
    let page = page(&folder);
    assert!(page.contains("Nothing is proved about the affine function that was chosen."));
    assert!(page.contains("The prediction is a sum") && !page.contains("Σ M_ab") && !page.contains("²</td>"));
    let (status, words, document) = verified(&folder);
    assert_eq!(status, Some(1), "{words}");
    assert!(words.starts_with("The certificate is about another network than this model"), "{words}");
    assert_eq!((&document["verdict"], &document["part_of_model"]), (&"undecided".into(), &"nothing".into()));
    assert_eq!(document["certificates"][0]["verdict"], "holds");
    // Without the model it is about what it says.
    succeeds(&folder, "verify t.certificate.json t.csv");
}

#[test]
fn a_quadratic_network_has_its_matrix_without_products_that_say_nothing() {
    let folder = products();
    let fit = json(&folder, "fit t.csv -a quadratic --decay 1e-3 --report r.html --json");
    are_readable_bounds(&fit["certificates"][0]);
    let page = page(&folder);
    assert!(page.contains("Σ M_ab") && page.contains("<td>age · pay</td>"));
    for absurd in ["sex=female²", "sex missing²", "sex=female · sex missing", "sex missing · sex=female"] {
        assert!(!page.contains(absurd), "{absurd}");
    }
    let told = succeeds(&folder, "explain t.safetensors t.csv --top 100");
    assert!(told.contains("age · pay") && told.contains("sex=female · age") && told.contains("age²"), "{told}");
    for absurd in ["sex=female²", "sex missing²", "sex=female · sex missing"] {
        assert!(!told.contains(absurd), "{told}");
    }
    let (status, words, document) = verified(&folder);
    assert_eq!((status, &document["part_of_model"]), (Some(0), &"whole".into()), "{words}");
    assert!(words.starts_with("global-optimum (holds)"), "{words}");
}

#[test]
fn an_infinitely_wide_network_is_what_report_and_proof_are_about() {
    let folder = energy();
    let fit = json(&folder, "fit t.csv --effort quick --report r.html --json");
    assert_eq!(fit["training"]["outcome"], "wide");
    are_readable_bounds(&fit["certificates"][0]);
    let page = page(&folder);
    assert!(page.contains("output layer over the same infinitely wide hidden layers"));
    assert!(page.contains("What each column does to the prediction") && page.contains("Shares of the variance"));
    assert!(!page.contains("Σ M_ab") && !page.contains("no quadratic network of the kind"));
    let (status, words, document) = verified(&folder);
    assert_eq!((status, &document["part_of_model"]), (Some(0), &"whole".into()), "{words}");
    // The model of another fit is no part of it.
    succeeds(&folder, "fit t.csv -a quadratic --decay 0.1 -o other.safetensors");
    assert!(fails(&folder, "verify t.certificate.json t.csv other.safetensors").contains("infinitely wide"));
}

#[test]
fn a_share_in_per_cent_is_refused_whatever_the_model() {
    let folder = sums();
    succeeds(&folder, "fit t.csv -a quadratic --decay 1e-3 -o w2.safetensors");
    // The certificate is called like the model.
    assert!(folder.path().join("w2.certificate.json").exists() && !folder.path().join("t.certificate.json").exists());
    let error = fails(&folder, "predict w2.safetensors t.csv --interval 90");
    assert!(error.contains("between 0 and 1, such as 0.9"), "{error}");
    let error = fails(&folder, "predict w2.safetensors t.csv --interval 0.9");
    assert!(
        error.contains("an automatic fit and one infinitely wide network keep") && error.contains("--calibrate 0.2"),
        "{error}"
    );
}

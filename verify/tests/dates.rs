//! Dates against Python's calendar, and recipes with dates, ordered words and words for gaps.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use shallows_verify::Certificate;
use shallows_verify::date::{DateOrder, DatePart, read, written};
use shallows_verify::recipe::{self, Step};
use shallows_verify::table::{Table, TextRules};

/// What `make_dates.py` wrote.
const REFERENCES: &str = include_str!("dates.txt");

fn order(name: &str) -> DateOrder {
    match name {
        "day-first" => DateOrder::DayFirst,
        "month-first" => DateOrder::MonthFirst,
        "none" => DateOrder::Unsaid,
        _ => panic!("{name}"),
    }
}

#[test]
fn dates_and_their_parts_agree_with_another_calendar() {
    let mut count = 0;
    for line in REFERENCES.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        let found = read(parts[0], order(parts[1]));
        let Ok(expected) = parts[2].parse::<i64>() else {
            assert_eq!(found, None, "{line}");
            continue;
        };
        assert_eq!(found, Some(expected), "{line}");
        let numbers: Vec<f64> = parts[3..].iter().map(|text| text.parse().unwrap()).collect();
        let of = |part: DatePart| part.of(expected, 0);
        assert_eq!([of(DatePart::Month), of(DatePart::Weekday), of(DatePart::Hour)], numbers[..], "{line}");
        assert_eq!(of(DatePart::Days), expected as f64 / 86_400e6, "{line}");
        assert_eq!(
            read(&written(expected), DateOrder::DayFirst).unwrap(),
            expected.div_euclid(86_400_000_000) * 86_400_000_000
        );
        count += 1;
    }
    assert!(count > 400, "{count}");
}

/// Every text that is cut or spoiled anywhere is read or refused, and nothing panics.
#[test]
fn no_text_is_too_strange_to_be_refused() {
    for line in REFERENCES.lines() {
        let text = line.split('\t').next().unwrap();
        let letters: Vec<char> = text.chars().collect();
        for at in 0..=letters.len() {
            for strange in ['é', '日', '\u{301}', ':', '+', '-', 'T', '.', '9', ' '] {
                let mut spoiled = letters.clone();
                spoiled.insert(at, strange);
                read(&spoiled.iter().collect::<String>(), DateOrder::MonthFirst);
                if at < letters.len() {
                    spoiled.remove(at + 1);
                }
                read(&spoiled.iter().collect::<String>(), DateOrder::DayFirst);
                read(&spoiled[at..].iter().collect::<String>(), DateOrder::DayFirst);
            }
        }
    }
}

/// A certificate about rows of a table with these steps, target `y`; its claim is about no rows.
fn certificate(version: u64, steps: &Value, gap_words: &[&str], rows: usize) -> shallows_verify::Result<Certificate> {
    let rules = if version < 5 { TextRules::UpTo4 } else { TextRules::Since5 };
    let known = serde_json::from_value::<Vec<Step>>(steps.clone()).unwrap_or_default();
    let inputs: Vec<String> = recipe::input_names(&known, rules);
    let mut described = json!({
        "hash": "0".repeat(64), "count": rows, "table_rows": rows, "inputs": inputs, "target": "y", "target_scale": "identity",
        "weight": null, "recipe": steps, "selected": null, "form": null,
    });
    if !gap_words.is_empty() {
        described["gap_words"] = json!(gap_words);
    }
    let claim = json!({
        "theorem": "wide-quadratic", "claim": {}, "proof": {}, "facts": {}, "verdict": "undecided", "checks": [], "statement": "",
    });
    let document = json!({
        "format": "shallows certificate", "format_version": version, "writer": "", "rows": described, "network": null,
        "teacher": null, "certificates": [claim],
    });
    Certificate::read(&document.to_string())
}

/// The inputs and labels of a table by such steps.
fn rows(version: u64, steps: &Value, gap_words: &[&str], text: &str) -> shallows_verify::Result<(Vec<f64>, Vec<f64>)> {
    let table = Table::read(text.as_bytes())?;
    let read = certificate(version, steps, gap_words, table.rows())?.rows_of(&table)?.unwrap();
    let rows = read.rows()?;
    Ok((rows.inputs().to_vec(), rows.labels().to_vec()))
}

fn date_step(order: &str, origin: i64, parts: &[&str], median: Option<i64>) -> Value {
    let treatment = json!({
        "order": order, "offsets": "never", "origin": origin, "parts": parts, "median": median, "gaps": "shared",
    });
    json!([{ "name": "d", "treatment": { "date": treatment } }])
}

const DAY: i64 = 86_400_000_000;

#[test]
fn dates_ordered_words_and_words_for_gaps_become_the_inputs_that_the_format_says() {
    let parts = ["days", "month", "weekday", "hour"];
    let text = "d,y\n2/1/1970 06:00,1\n-,2\n";
    let (inputs, _) = rows(5, &date_step("month-first", 0, &parts, Some(DAY)), &["-"], text).unwrap();
    assert_eq!(inputs, [31.25, 2.0, 6.0, 6.0, 1.0, 1.0, 4.0, 0.0]);
    let (inputs, _) =
        rows(5, &date_step("day-first", DAY, &["days"], None), &[], "d,y\n2/1/1970,1\n3.1.1970,2\n").unwrap();
    assert_eq!(inputs, [0.0, 1.0]);
    assert!(rows(5, &date_step("day-first", 0, &["days"], None), &[], "d,y\n31/31/1970,1\n").is_err());
    assert!(rows(5, &date_step("day-first", 0, &["days"], None), &[], "d,y\n,1\n2.2.2000,1\n").is_err());
    // Where nobody knows the order, what could be two dates is none.
    let unsaid = date_step("none", 0, &["days"], None);
    let text = "d,y\n13/1/1970,1\n1/13/1970,2\n1970-01-02,3\n2/2/1970,4\n3.1.1970,5\n\"Fri, 2 Jan 1970\",6\n";
    assert_eq!(rows(5, &unsaid, &[], text).unwrap().0, [12.0, 12.0, 1.0, 32.0, 2.0, 1.0]);
    for text in ["d,y\n2/1/1970,1\n", "d,y\n13/1/1970,1\n2/1/1970,2\n", "d,y\n\"Thu, 2 Jan 1970\",1\n"] {
        assert!(rows(5, &unsaid, &[], text).is_err(), "{text}");
    }
    let ordered =
        json!([{ "name": "d", "treatment": { "ordered": { "levels": ["S", "1"], "median": 1, "gaps": "input" } } }]);
    assert_eq!(rows(5, &ordered, &[], "d,y\nS,1\n1.0,2\n,3\n").unwrap().0, [0.0, 0.0, 1.0, 0.0, 1.0, 1.0]);
    assert!(rows(5, &ordered, &[], "d,y\nM,1\n").is_err());
}

fn category(reference: &str, levels: &[&str]) -> Value {
    let treatment = json!({ "reference": reference, "levels": levels, "other": true, "gaps": "never" });
    json!([{ "name": "d", "treatment": { "category": treatment } }])
}

#[test]
fn words_of_a_recipe_are_those_that_cells_can_be() {
    for (reference, level, is_sound) in [
        ("a", "b", true),
        ("1", "2.5", true),
        ("true", "1e15", true),
        ("b", "b", false),
        ("a", "1.0", false),
        ("1.0", "a", false),
        ("a", "True", false),
        ("a", "NA", false),
        ("a", "", false),
        ("a", " b", false),
        ("a", "1000000000000000", false),
    ] {
        for version in [3, 4, 5] {
            assert_eq!(
                certificate(version, &category(reference, &[level]), &[], 2).is_ok(),
                is_sound,
                "{reference} {level}"
            );
        }
    }
    // Digits after a zero are a number in older files.
    assert!(
        certificate(5, &category("a", &["007"]), &[], 2).is_ok()
            && certificate(4, &category("a", &["007"]), &[], 2).is_err()
    );
    let ordered = |levels: &[&str]| json!([{ "name": "d", "treatment": { "ordered": { "levels": levels, "median": null, "gaps": "never" } } }]);
    assert!(
        certificate(5, &ordered(&["S", "1"]), &[], 2).is_ok()
            && certificate(5, &ordered(&["S", "1.0"]), &[], 2).is_err()
    );
}

#[test]
fn all_other_words_have_a_name_that_no_word_has() {
    for (reference, levels, version, name) in [
        ("a", vec!["b"], 4, Some("d=other")),
        ("a", vec!["b"], 5, Some("d=other")),
        ("other", vec!["b"], 4, Some("d=other")),
        ("other", vec!["b"], 5, Some("d=other′")),
        ("a", vec!["other"], 4, None),
        ("a", vec!["other"], 5, Some("d=other′")),
        ("other′", vec!["other", "b"], 5, Some("d=other′′")),
    ] {
        let found = certificate(version, &category(reference, &levels), &[], 2);
        let Some(name) = name else {
            assert!(found.is_err());
            continue;
        };
        assert_eq!(found.unwrap().rows.unwrap().inputs.last().unwrap(), name, "{reference}, format {version}");
    }
    let text = "d,y\nother,1\na,2\nc,3\n";
    assert_eq!(rows(5, &category("a", &["other"]), &[], text).unwrap().0, [1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    // In older files the word is one of all others, unless it is the reference.
    assert_eq!(rows(4, &category("a", &["c"]), &[], text).unwrap().0, [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(rows(4, &category("other", &["a"]), &[], text).unwrap().0, [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    // The inputs of a file have to be called so.
    let renamed = |version: u64, name: &str| {
        let read = certificate(version, &category("other", &["b"]), &[], 2).unwrap();
        let mut document: Value = serde_json::to_value(&read).unwrap();
        document["rows"]["inputs"][1] = json!(name);
        Certificate::read(&document.to_string())
    };
    assert!(renamed(5, "d=other").is_err() && renamed(5, "d=other′").is_ok());
    assert!(renamed(4, "d=other").is_ok() && renamed(4, "d=other′").is_err());
}

#[test]
fn a_short_recipe_of_many_words_does_not_end_the_process() {
    let levels: Vec<String> = (0..200_000).map(|i| format!("w{i}")).collect();
    let levels: Vec<&str> = levels.iter().map(String::as_str).collect();
    let text = "d,y\n".to_owned() + &"a,1\n".repeat(100_000);
    let error = rows(5, &category("a", &levels), &[], &text).unwrap_err().to_string();
    assert!(error.contains("more than can be held"), "{error}");
}

#[test]
fn cells_of_older_formats_mean_what_they_did() {
    let text = "d,y\n7,1\n007,2\n8,3\n";
    assert_eq!(rows(5, &category("7", &["007"]), &[], text).unwrap().0, [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(rows(4, &category("7", &["8"]), &[], text).unwrap().0, [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let number = json!([{ "name": "d", "treatment": { "number": { "median": null, "gaps": "never" } } }]);
    let written = "d,y\n\"$1,000\",true\n12%,false\n007,\"1,000\"\n";
    assert_eq!(rows(5, &number, &[], written).unwrap(), (vec![1000.0, 12.0, 7.0], vec![1.0, 0.0, 1000.0]));
    for text in ["d,y\n\"1,000\",1\n", "d,y\n12%,1\n", "d,y\n1,true\n", "d,y\n1,\"1,000\"\n"] {
        assert!(rows(5, &number, &[], text).is_ok() && rows(4, &number, &[], text).is_err(), "{text}");
    }
    assert_eq!(rows(3, &number, &[], "d,y\n007,08\n").unwrap(), (vec![7.0], vec![8.0]));
    // Gaps may be what kept commas from being decimal.
    let gaps = json!([{ "name": "d", "treatment": { "number": { "median": 0.5, "gaps": "shared" } } }]);
    assert_eq!(rows(5, &gaps, &["."], "d;y\n1,5;1\n.;2\n003;3\n").unwrap().0, [1.5, 0.5, 3.0]);
    assert_eq!(rows(5, &gaps, &["-999"], "d,y\n1.5,1\n-999.0,2\n").unwrap().0, [1.5, 0.5]);
}

#[test]
fn strange_treatments_are_refused() {
    let most = 4_000_000 * DAY;
    for (step, is_sound) in [
        (date_step("day-first", most, &["days"], Some(-most)), true),
        (date_step("day-first", most + DAY, &["days"], None), false),
        (date_step("day-first", i64::MIN, &["days"], None), false),
        (date_step("day-first", 0, &["days"], Some(i64::MIN)), false),
        (date_step("day-first", 1, &["days"], None), false),
        (date_step("day-first", 0, &[], None), false),
        (date_step("day-first", 0, &["hour", "hour"], None), false),
        (date_step("none", 0, &["hour"], None), true),
        (date_step("unsaid", 0, &["hour"], None), false),
    ] {
        assert_eq!(certificate(5, &step, &[], 2).is_ok(), is_sound, "{step}");
        assert!(certificate(4, &step, &[], 2).is_err() && certificate(3, &step, &[], 2).is_err());
    }
    for (offsets, is_sound) in [
        (json!("never"), true),
        (json!("sometimes"), true),
        (json!("always"), true),
        (json!("often"), false),
        (json!(null), false),
    ] {
        let mut step = date_step("none", 0, &["days"], None);
        step[0]["treatment"]["date"]["offsets"] = offsets;
        assert_eq!(certificate(5, &step, &[], 2).is_ok(), is_sound, "{step}");
    }
    for (levels, median, is_sound) in [
        (json!(["a", "b"]), json!(1), true),
        (json!(["a", "b"]), json!(2), false),
        (json!(["a", "a"]), json!(0), false),
        (json!([]), json!(null), false),
    ] {
        let step = json!([{ "name": "d", "treatment": { "ordered": { "levels": levels, "median": median, "gaps": "never" } } }]);
        assert_eq!(certificate(5, &step, &[], 2).is_ok(), is_sound, "{step}");
        assert!(certificate(4, &step, &[], 2).is_err());
    }
    let number = json!([{ "name": "d", "treatment": { "number": { "median": null, "gaps": "never" } } }]);
    assert!(certificate(5, &number, &["-"], 2).is_ok() && certificate(4, &number, &["-"], 2).is_err());
    assert!(certificate(6, &number, &[], 2).is_err());
    // Moments far away, and numbers that are none.
    let far = rows(
        5,
        &date_step("day-first", -most, &["days", "month", "weekday", "hour"], None),
        &[],
        "d,y\n4611686018427387904,1\n",
    );
    assert!(far.is_ok_and(|(inputs, _)| inputs.iter().all(|x| x.is_finite())));
    for text in ["d,y\n9e18,1\n", "d,y\n0.5,1\n", "d,y\n1e300,1\n"] {
        assert!(rows(5, &date_step("day-first", 0, &["days"], None), &[], text).is_err(), "{text}");
    }
}

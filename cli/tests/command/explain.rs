//! `explain`, `fit --residuals` and `fit --report` as a user runs them.

#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::fs;

use crate::support::{fails, json, shallows, succeeds};
use shallows::random::{Purpose, Stream};
use tempfile::TempDir;

fn text(folder: &TempDir, file: &str) -> String {
    fs::read_to_string(folder.path().join(file)).unwrap()
}

/// y = 4·(width in metres)·(height in metres) with columns in millimetres and kilometres, and a column without use.
fn rectangles() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut stream = Stream::new(5, Purpose::Inputs, 0);
    let mut table = "width,height,noise,y\n".to_owned();
    for _ in 0..150 {
        let (a, b, c) = (stream.normal(), stream.normal(), stream.normal());
        writeln!(table, "{},{},{c},{}", 1e3 * a, 1e-3 * b, -4.0 * a * b).unwrap();
    }
    fs::write(folder.path().join("a.csv"), table).unwrap();
    folder
}

#[test]
fn the_planted_pair_comes_first_in_the_units_of_its_columns() {
    let folder = rectangles();
    succeeds(&folder, "fit a.csv -a quadratic --decay 0");
    let document = json(&folder, "explain a.safetensors a.csv --json --top 2");
    let first = &document["interactions"]["terms"][0];
    assert_eq!(first["inputs"], serde_json::json!(["width", "height"]));
    assert!((first["coefficient"].as_f64().unwrap() + 4.0).abs() < 1e-6);
    assert!((-6.0..-2.5).contains(&first["times_deviations"].as_f64().unwrap()));
    assert_eq!(document["interactions"]["M"][0].as_array().unwrap().len(), 3);
    let columns = document["importance"]["columns"].as_array().unwrap();
    assert_eq!(columns[2]["column"], "noise");
    assert!(columns[2]["increase"].as_f64().unwrap().abs() < 1e-6);
    let words = succeeds(&folder, "explain a.safetensors a.csv");
    assert!(words.contains("width · height") && words.contains("× standard deviations"), "{words}");
    let words = succeeds(&folder, "explain a.safetensors");
    assert!(words.contains("depend on the units of the columns"), "{words}");
}

#[test]
fn the_same_seed_gives_the_same_explanation_on_one_and_two_threads() {
    let folder = rectangles();
    succeeds(&folder, "fit a.csv -a tanh -k 3 --decay 1e-3");
    let explain = |rest: &str| succeeds(&folder, &format!("explain a.safetensors a.csv --json {rest}"));
    assert_eq!(explain("--threads 1"), explain("--threads 2"));
    assert_ne!(explain("--seed 1"), explain("--seed 2"));
}

#[test]
fn what_cannot_be_explained_or_drawn_is_refused_with_a_hint() {
    let folder = rectangles();
    succeeds(&folder, "fit a.csv -a tanh -k 2 --decay 1e-3");
    let error = fails(&folder, "explain a.safetensors");
    assert!(error.contains("hint: shallows explain MODEL DATA, with the column \"y\""), "{error}");
    let table = text(&folder, "a.csv").replace(",y\n", ",z\n");
    fs::write(folder.path().join("b.csv"), table).unwrap();
    let error = fails(&folder, "explain a.safetensors b.csv");
    assert!(error.contains("no column \"y\""), "{error}");
    for arguments in [
        "explain a.safetensors a.csv -o heat.pdf",
        "explain a.safetensors a.csv -o a.csv",
        "explain a.safetensors a.csv -o nowhere/heat.svg",
        "explain a.safetensors a.csv --repeats 1",
        "explain a.safetensors a.csv --top 0",
        "explain nothing.safetensors",
        "fit a.csv -a tanh --report report.pdf -o never.safetensors",
        "fit a.csv -a tanh --residuals plot -o never.safetensors",
        "fit a.csv -a tanh --residuals nowhere/plot.svg -o never.safetensors",
    ] {
        let error = fails(&folder, arguments);
        assert!(error.contains("hint: "), "{arguments}: {error}");
    }
    assert!(!folder.path().join("never.safetensors").exists());
}

#[test]
fn figures_are_sound_files() {
    let folder = rectangles();
    succeeds(&folder, "fit a.csv -a quadratic --decay 0 --holdout 0.2 --residuals r.svg");
    succeeds(&folder, "explain a.safetensors a.csv -o heat.svg");
    succeeds(&folder, "explain a.safetensors -o raw.svg");
    succeeds(&folder, "fit a.csv -a relu -k 3 --decay 1e-3 -o relu.safetensors");
    succeeds(&folder, "explain relu.safetensors a.csv -o bars.svg");
    for file in ["r.svg", "heat.svg", "raw.svg", "bars.svg"] {
        roxmltree::Document::parse(&text(&folder, file)).unwrap();
    }
    let residuals = text(&folder, "r.svg");
    assert!(residuals.contains("held-out rows") && residuals.matches("<circle").count() >= 300);
    if cfg!(feature = "png") {
        succeeds(&folder, "explain a.safetensors a.csv -o heat.png");
        let bytes = fs::read(folder.path().join("heat.png")).unwrap();
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.ends_with(b"IEND\xaeB`\x82"));
    }
}

#[test]
fn a_wide_network_says_which_layer_does_how_much_and_draws_what_columns_do() {
    let folder = rectangles();
    succeeds(&folder, "fit a.csv -a wide");
    let document = json(&folder, "explain a.safetensors a.csv --json --repeats 2 --effects curves");
    let shares = document["layers"]["shares"].as_array().unwrap();
    let sum: f64 = shares.iter().map(|part| part["share"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{shares:?}");
    let scales = document["layers"]["scales"][0]["columns"].as_array().unwrap();
    assert_eq!(
        scales.iter().map(|one| one["column"].as_str().unwrap()).collect::<Vec<_>>(),
        ["width", "height", "noise"]
    );
    let pair = &document["effects"]["pairs"][0];
    assert_eq!(pair["columns"], serde_json::json!(["width", "height"]));
    // −4ab with a and b of deviation 1 has a deviation of 4, and nothing else varies.
    let deviation = document["effects"]["deviation"].as_f64().unwrap();
    assert!(pair["strength"].as_f64().unwrap() > 0.5 * deviation, "{pair}");
    let figures = document["figures"].as_array().unwrap();
    assert!(figures.len() >= 5);
    for file in figures.iter().map(|file| file.as_str().unwrap()).filter(|file| file.ends_with(".svg")) {
        roxmltree::Document::parse(&text(&folder, file)).unwrap();
    }
    assert!(
        folder.path().join("curves/column-1-width.svg").exists()
            || folder.path().join("curves/column-1-height.svg").exists()
    );
    let words = succeeds(&folder, "explain a.safetensors a.csv --repeats 2");
    assert!(words.contains("width × height ±") && words.contains("add up to 100 %"), "{words}");
    assert!(words.lines().count() <= 25, "{words}");
    // Its own rows explain it as well, but say nothing about errors.
    let own = json(&folder, "explain a.safetensors --json");
    assert!(own.get("importance").is_none());
    let [with, without] = [&document, &own].map(|one| one["effects"]["deviation"].as_f64().unwrap());
    assert!((with / without - 1.0).abs() < 1e-6, "{with} {without}");
    let table = text(&folder, "a.csv").replace(",y\n", ",z\n");
    fs::write(folder.path().join("unlabelled.csv"), table).unwrap();
    let output = shallows(&folder, "explain a.safetensors unlabelled.csv");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("no column \"y\""));
}

#[test]
fn effects_of_words_and_gaps_are_drawn_and_hostile_names_stay_names() {
    let folder = hostile();
    for fit in ["fit h.csv -a wide", "fit h.csv -a tanh -k 2 --decay 1e-3"] {
        succeeds(&folder, fit);
        let document = json(&folder, "explain h.safetensors h.csv --json --repeats 2 --effects curves");
        let columns = document["effects"]["columns"].as_array().unwrap();
        assert_eq!(columns.len(), 4);
        let city = columns.iter().find(|one| one["column"] == "city").unwrap();
        let places = city["places"].as_array().unwrap();
        assert_eq!(places.len(), 3);
        assert!(places.iter().all(|place| place["rows"] == 40));
        let gaps = columns.iter().find(|one| one["column"] == "gaps").unwrap()["places"].as_array().unwrap();
        assert_eq!(gaps.last().unwrap()["missing"], true);
        for file in document["figures"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()) {
            assert!(file.bytes().all(|c| c.is_ascii_alphanumeric() || b"-./".contains(&c)), "{file}");
            if file.ends_with(".svg") {
                roxmltree::Document::parse(&text(&folder, file)).unwrap();
            }
        }
    }
}

#[test]
fn effects_without_rows_or_without_a_folder_are_refused() {
    let folder = rectangles();
    succeeds(&folder, "fit a.csv -a quadratic --decay 0");
    let error = fails(&folder, "explain a.safetensors --effects curves");
    assert!(error.contains("the folder of effects applies only with rows"), "{error}");
    assert!(!folder.path().join("curves").exists());
    fs::write(folder.path().join("empty.csv"), "width,height,noise,y\n").unwrap();
    fs::write(folder.path().join("gap.csv"), "width,height,noise,y\n1,2,3,4\n1,,3,4\n").unwrap();
    let output = shallows(&folder, "explain a.safetensors gap.csv");
    assert!(String::from_utf8_lossy(&output.stderr).contains("column \"height\": 1 missing"));
    fs::write(folder.path().join("other.csv"), "width,noise,y\n1,3,4\n").unwrap();
    for arguments in ["a.csv --effects a.csv", "empty.csv", "other.csv --effects curves"] {
        let error = fails(&folder, &format!("explain a.safetensors {arguments}"));
        assert!(error.starts_with("error: ") && error.contains("hint: "), "{arguments}: {error}");
        assert!(!folder.path().join("curves").exists());
    }
    fs::write(folder.path().join("one.csv"), "width,height,noise,y\n1,2,3,4\n").unwrap();
    succeeds(&folder, "explain a.safetensors one.csv --effects curves");
}

/// Names and words that would take over a page that trusted them.
fn hostile() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut stream = Stream::new(6, Purpose::Inputs, 0);
    let mut table =
        "<script>alert(1)</script>,\"\"\"><img src=x onerror=alert(2)>\",city,gaps,<b>price</b>\n".to_owned();
    for i in 0..120 {
        let (a, b) = (stream.normal(), stream.normal());
        let city = ["<i>Oslo</i>", "Rome", "</td></table>"][i % 3];
        let gap = if i % 7 == 0 { String::new() } else { (i % 5).to_string() };
        writeln!(table, "{a},{b},{city},{gap},{}", a * b + (i % 3) as f64 + 0.1 * stream.normal()).unwrap();
    }
    fs::write(folder.path().join("h.csv"), table).unwrap();
    folder
}

/// The names of all tags of a page.
fn tags(page: &str) -> Vec<String> {
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '!').collect::<String>();
    page.split('<').skip(1).map(|rest| name(rest.trim_start_matches('/'))).collect()
}

#[test]
fn the_report_needs_nothing_else_and_lets_nothing_in() {
    let folder = hostile();
    let known = "!DOCTYPE html head meta title style body main h1 h2 p div b span table tr th td figure figcaption svg rect \
                 circle polyline text pre code dl dt dd";
    let known: Vec<&str> = known.split_whitespace().collect();
    for options in ["--effort quick --holdout 0.2", "-a quadratic", "-a tanh -k 2 --decay 1e-3 --calibrate 0.2"] {
        let words = succeeds(&folder, &format!("fit h.csv {options} --report r.html"));
        assert!(words.contains("r.html"), "{words}");
        let page = text(&folder, "r.html");
        let strange: Vec<String> = tags(&page).into_iter().filter(|tag| !known.contains(&tag.as_str())).collect();
        assert!(strange.is_empty(), "{strange:?}");
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
        let bare = page.replace("http://www.w3.org/2000/svg", "");
        for reference in ["http:", "https:", "//", "url(", "@import", " src=\"", " href=", " onerror=\""] {
            let shown = bare.replace("&lt;img src=x onerror=", "");
            assert!(!shown.contains(reference), "{reference}");
        }
        for part in ["The data", "The network", "Accuracy", "Predicted and observed", "What matters", "What is proved"]
        {
            assert!(page.contains(&format!("<h2>{part}")), "{options}: {part}");
        }
        for start in page.match_indices("<svg").map(|(at, _)| at) {
            let end = start + page[start..].find("</svg>").unwrap() + "</svg>".len();
            roxmltree::Document::parse(&page[start..end]).unwrap();
        }
        assert!(page.contains("shallows fit h.csv ") && page.contains("<dt>seed</dt><dd>0</dd>"));
        assert_eq!(page.contains("shallows verify"), !options.contains("tanh"));
        // 18 of the 120 rows have a gap.
        assert!(page.contains("<td>gaps</td><td>18</td>"));
    }
}

#[test]
fn the_report_is_named_in_the_record_and_the_same_again() {
    let folder = hostile();
    let command = "fit h.csv -a quadratic --holdout 0.2 --report r.html --residuals r.svg --json";
    let document = json(&folder, command);
    assert_eq!(document["report"]["path"], "r.html");
    assert_eq!(document["residuals"]["path"], "r.svg");
    let without_time = |page: String| {
        let (before, after) = page.split_once("<dt>time</dt>").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        before + after.split_once("</dd>").unwrap().1
    };
    let first = without_time(text(&folder, "r.html"));
    json(&folder, command);
    assert_eq!(first, without_time(text(&folder, "r.html")));
}

#[test]
fn importance_is_that_of_a_column_with_all_its_words() {
    let folder = hostile();
    succeeds(&folder, "fit h.csv -a quadratic");
    let document = json(&folder, "explain h.safetensors h.csv --json");
    let columns: Vec<&str> =
        document["importance"]["columns"].as_array().unwrap().iter().map(|c| c["column"].as_str().unwrap()).collect();
    assert_eq!(columns.len(), 4);
    assert!(columns.contains(&"city") && columns.last() == Some(&"gaps"), "{columns:?}");
    assert!(document["inputs"].as_array().unwrap().len() > 4);
}

#[test]
fn names_do_not_command_the_terminal() {
    let folder = rectangles();
    let table = text(&folder, "a.csv").replacen("width", "wi\u{1b}[31mdth", 1);
    fs::write(folder.path().join("a.csv"), table).unwrap();
    succeeds(&folder, "fit a.csv -a quadratic --decay 0");
    let words = succeeds(&folder, "explain a.safetensors a.csv");
    assert!(words.contains("wi\u{fffd}[31mdth") && !words.contains('\u{1b}'), "{words}");
}

#[test]
fn a_report_of_few_rows_has_no_learning_curve() {
    let folder = rectangles();
    let few: String = text(&folder, "a.csv").lines().take(9).map(|line| format!("{line}\n")).collect();
    fs::write(folder.path().join("few.csv"), few).unwrap();
    let output = shallows(&folder, "fit few.csv -a quadratic --decay 0.1 --report few.html");
    assert!(output.status.success());
    assert!(!text(&folder, "few.html").contains("Would more rows help?"));
}

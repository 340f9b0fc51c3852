//! The command as a user runs it: in an empty folder, through its own binary.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::process::Command;

use crate::support::{fails, repository, shallows, succeeds};
use serde_json::Value;
use tempfile::TempDir;

#[track_caller]
fn succeeds_json(folder: &TempDir, arguments: &str) -> Value {
    serde_json::from_str(&succeeds(folder, arguments)).unwrap()
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn files_in(folder: &TempDir) -> Vec<String> {
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

const TEACH: &str = "teach --activation relu --inputs 10 --width 5 --samples 2000 --noise 0.1 --seed 7 -o planted.csv";

#[test]
fn teach_fit_and_predict_work_together() {
    let folder = folder();
    succeeds(&folder, &format!("{TEACH} --save-teacher teacher.safetensors"));
    let fit = succeeds_json(&folder, "fit planted.csv --activation relu --width 10 --json");
    assert_eq!(fit["data"]["rows"], 2000);
    assert_eq!(fit["data"]["inputs"], 10);
    assert_eq!(fit["model"]["path"], "planted.safetensors");
    assert_eq!(fit["model"]["activation"], "relu");
    assert_eq!(fit["model"]["width"], 10);
    // Noise of deviation 0.1 is the floor; 10 units can express the 5 planted ones.
    let rmse = fit["train"]["rmse"].as_f64().unwrap();
    assert!((0.09..0.15).contains(&rmse), "{rmse}");
    succeeds(&folder, "predict planted.safetensors planted.csv -o out.csv");
    let predictions = numbers(&folder, "out.csv");
    let labels: Vec<f64> = last_column(&folder, "planted.csv");
    let energy: f64 = predictions.iter().zip(&labels).map(|(f, y)| (f - y).powi(2)).sum();
    assert!(((energy / 2000.0).sqrt() / rmse - 1.0).abs() < 1e-9);
}

#[test]
fn the_saved_teacher_predicts_its_own_labels_exactly() {
    let folder = folder();
    succeeds(&folder, "teach -a tanh -d 4 -k 3 -n 50 --seed 3 -o a.csv --save-teacher t.safetensors");
    succeeds(&folder, "predict t.safetensors a.csv -o out.csv");
    assert_eq!(numbers(&folder, "out.csv"), last_column(&folder, "a.csv"));
}

fn numbers(folder: &TempDir, file: &str) -> Vec<f64> {
    last_column(folder, file)
}

fn last_column(folder: &TempDir, file: &str) -> Vec<f64> {
    let text = fs::read_to_string(folder.path().join(file)).unwrap();
    text.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn teach_and_fit_give_the_same_bits_on_one_and_two_threads() {
    let (one, two) = (folder(), folder());
    for (folder, threads) in [(&one, 1), (&two, 2)] {
        succeeds(folder, &format!("{TEACH} --save-teacher teacher.safetensors --threads {threads}"));
        let briefly = "--iterations 40";
        for (activation, model, options) in
            [("relu", "r", briefly), ("tanh", "t", briefly), ("quadratic", "q", ""), ("auto", "a", "")]
        {
            let rest = format!("--threads {threads} -o {model}.safetensors --holdout 0.3");
            succeeds(folder, format!("fit planted.csv -a {activation} -k 8 {options} {rest}").trim());
        }
        succeeds(folder, &format!("predict t.safetensors planted.csv --threads {threads} -o out.npy"));
    }
    let files = files_in(&one);
    assert_eq!(files, files_in(&two));
    for file in files {
        let [a, b] = [&one, &two].map(|folder| fs::read(folder.path().join(&file)).unwrap());
        assert!(a == b, "{file} differs");
    }
}

#[test]
fn the_account_of_energy_names_data_network_errors_and_files() {
    let folder = folder();
    let data = repository().join("examples/data/energy.csv");
    let account = succeeds(&folder, &format!("fit {} -a quadratic --decay 1e-4 --holdout 0.2", data.display()));
    for words in
        ["768 rows, 8 inputs", "quadratic units", "held-out rows", "Proved", "energy.safetensors", "linear model"]
    {
        assert!(account.contains(words), "{words} is missing in\n{account}");
    }
    assert_eq!(files_in(&folder), ["energy.certificate.json", "energy.safetensors"]);
}

#[test]
fn a_fit_without_intercept_linear_part_and_scaling_has_none() {
    let folder = folder();
    succeeds(&folder, "teach -a quadratic -d 4 -k 3 -n 200 --seed 1 -o q.csv");
    let fit = succeeds_json(&folder, "fit q.csv -a quadratic --decay 0 --no-linear --no-intercept --no-scaling --json");
    assert!(fit["train"]["rmse"].as_f64().unwrap() < 1e-5, "{fit}");
    let model = succeeds_json(&folder, "export q.safetensors");
    assert!(model["intercept"].is_null() && model["linear"].is_null(), "{model}");
}

#[test]
fn weights_of_zero_leave_rows_out_and_a_holdout_file_does_too() {
    let folder = folder();
    succeeds(&folder, "teach -a tanh -d 3 -k 2 -n 120 --noise 0.2 --seed 1 -o a.csv");
    let text = fs::read_to_string(folder.path().join("a.csv")).unwrap();
    let weighted: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(at, line)| {
            format!(
                "{},{line}",
                if at == 0 {
                    "w"
                } else if at <= 20 {
                    "0"
                } else {
                    "2"
                }
            )
        })
        .collect();
    fs::write(folder.path().join("w.csv"), weighted.join("\n")).unwrap();
    let rows: Vec<String> = (0..20).map(|row| row.to_string()).collect();
    fs::write(folder.path().join("rows.txt"), rows.join("\n")).unwrap();
    let by_weight = succeeds_json(&folder, "fit w.csv -a tanh -k 4 --decay 1e-3 --weight w --json");
    let by_file = succeeds_json(&folder, "fit a.csv -a tanh -k 4 --decay 1e-3 --holdout rows.txt --json");
    assert_eq!(by_file["test"]["rows"], 20);
    let [a, b] = [&by_weight, &by_file].map(|fit| fit["train"]["rmse"].as_f64().unwrap());
    assert!((a / b - 1.0).abs() < 1e-6, "{a} {b}");
}

#[test]
fn every_method_fits_and_every_format_is_read_and_written() {
    let folder = folder();
    for ending in ["csv", "npy", "parquet"] {
        succeeds(&folder, &format!("teach -a softplus -d 3 -k 2 -n 150 --seed 2 -o s.{ending}"));
        let target = if ending == "npy" { "--target x4" } else { "" };
        succeeds(&folder, &format!("fit s.{ending} {target} -a softplus -k 4 --decay 1e-6 -o {ending}.safetensors"));
        succeeds(&folder, &format!("predict {ending}.safetensors s.csv --ignore-extra -o out.{ending}"));
    }
    for method in ["descent", "sgd", "lbfgs", "newton", "levenberg"] {
        let fit = succeeds_json(&folder, &format!("fit s.csv -a softplus -k 4 --decay 0 -m {method} --json"));
        let r2 = fit["train"]["r2"].as_f64().unwrap();
        assert!(r2 > 0.99, "{method}: {r2}");
    }
}

#[test]
fn exports_open_as_what_they_claim_to_be() {
    let folder = folder();
    succeeds(&folder, "teach -a gelu -d 3 -k 2 -n 5 -o s.csv --save-teacher t.safetensors");
    for arguments in ["-o m.onnx", "-o m32.onnx --precision f32", "-o m.json", "-o copy.safetensors"] {
        succeeds(&folder, &format!("export t.safetensors {arguments}"));
    }
    let json: Value = serde_json::from_slice(&fs::read(folder.path().join("m.json")).unwrap()).unwrap();
    assert_eq!(json["activation"], "gelu");
    let [a, b] = ["t.safetensors", "copy.safetensors"].map(|file| fs::read(folder.path().join(file)).unwrap());
    assert_eq!(a, b);
}

#[test]
fn a_wide_network_is_exported_as_it_is_and_with_finitely_many_units() {
    let folder = folder();
    let rows: String = (0..40).map(|i| format!("{},{},{}\n", i % 7, i % 5, (i % 7) * (i % 5))).collect();
    fs::write(folder.path().join("w.csv"), format!("a,b,y\n{rows}")).unwrap();
    succeeds(&folder, "fit w.csv -a wide -o w.safetensors");
    for file in ["w.json", "copy.safetensors", "w.onnx"] {
        let told = succeeds_json(&folder, &format!("export w.safetensors -o {file} --json --quiet"));
        assert!(told["finite"].is_null(), "{told}");
    }
    let told = succeeds_json(&folder, "export w.safetensors --width 500 --seed 3 -o f.onnx --json --quiet");
    let finite = &told["finite"];
    assert_eq!((&finite["width"], &finite["seed"]), (&500.into(), &3.into()), "{told}");
    let [mean, largest] =
        ["root_mean_square", "largest"].map(|key| finite["relative_difference"][key].as_f64().unwrap());
    assert!(0.0 < mean && mean <= largest && largest < 1.0, "{told}");
    assert!(finite["networks"][0]["objective"].as_f64().unwrap() > 0.0);
}

#[test]
fn completions_and_help_are_printed() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish"] {
        assert!(succeeds(&folder, &format!("completions {shell}")).contains("teach"));
    }
    for verb in ["", "fit", "predict", "teach", "export"] {
        assert!(succeeds(&folder, &format!("{verb} --help")).contains("Usage: shallows"));
    }
}

#[test]
fn the_command_alone_prints_a_guide_and_short_help_is_short() {
    let folder = folder();
    let guide = succeeds(&folder, "");
    for words in ["A first session:", "Tables:", "Proof:", "Theory:", "Experiments:", "shallows VERB -h"] {
        assert!(guide.contains(words), "{words}: {guide}");
    }
    let (short, long) = (succeeds(&folder, "fit -h"), succeeds(&folder, "fit --help"));
    assert!(short.contains("--holdout") && !short.contains("--batch") && !short.contains("Examples:"), "{short}");
    assert!(long.contains("--batch") && long.contains("Examples:"), "{long}");
    assert!(2 * short.lines().count() < long.lines().count());
    for heading in ["Data:", "Model:", "Search:", "Output:", "Plan:"] {
        assert!(long.contains(heading), "{heading}: {long}");
    }
}

#[test]
fn the_reference_page_is_what_the_command_prints() {
    let page = fs::read_to_string(crate::support::repository().join("docs/options.md")).unwrap();
    assert_eq!(succeeds(&folder(), "options"), page);
}

fn write(folder: &TempDir, name: &str, content: &[u8]) {
    fs::write(folder.path().join(name), content).unwrap();
}

#[test]
fn bad_tables_get_one_line_and_status_2() {
    let folder = folder();
    let cases: [(&str, &[u8], &[&str]); 10] = [
        ("empty.csv", b"", &["empty"]),
        ("header.csv", b"a,b,y\n", &[]),
        ("ragged.csv", b"a,b,y\n1,2,3\n4,5\n", &["line 3"]),
        ("text.csv", b"a,age,y\n1,2,3\n4,abc,6\n", &["line 3", "age", "abc"]),
        ("nan.csv", b"a,b,y\n1,2,3\n4,NaN,6\n", &["line 3", "\"b\""]),
        ("inf.csv", b"a,b,y\n1,2,3\n4,inf,6\n", &["line 3", "\"b\""]),
        ("one.csv", b"a,b,y\n1,2,3\n", &[]),
        ("constant.csv", b"a,b,y\n1,2,3\n4,5,3\n6,1,3\n", &["y"]),
        ("blank.csv", b"a,b,y\n1,,3\n4,5,3\n", &["line 2", "\"b\""]),
        ("only.csv", b"y\n1\n2\n", &[]),
    ];
    for (name, content, words) in cases {
        write(&folder, name, content);
        let error = fails(&folder, &format!("fit {name} --missing error"));
        assert!(words.iter().all(|word| error.contains(word)), "{name}: {error}");
        assert!(error.contains("hint: "), "{name}: {error}");
    }
    assert!(files_in(&folder).iter().all(|file| file.ends_with(".csv")), "a failed fit wrote a file");
}

#[test]
fn a_missing_file_and_a_missing_column_are_explained() {
    let folder = folder();
    assert!(fails(&folder, "fit nowhere.csv").contains("nowhere.csv"));
    write(&folder, "a.csv", b"height,weight,age\n1,2,3\n2,3,5\n3,5,1\n");
    let error = fails(&folder, "fit a.csv --target wieght");
    assert!(error.contains("wieght") && error.contains("\"weight\""), "{error}");
    fails(&folder, "fit a.csv --weight nothing");
}

#[test]
fn a_refused_number_is_shown_as_it_was_given() {
    let folder = folder();
    succeeds(&folder, "teach -d 2 -k 2 -n 30 -o a.csv");
    assert!(fails(&folder, "fit a.csv -a tanh --method sgd --step=-0.1").contains("not -0.1\n"));
    assert!(fails(&folder, "fit a.csv -a tanh --method sgd --batch 0").contains("not 0\n"));
}

#[test]
fn bad_options_are_explained() {
    let folder = folder();
    succeeds(&folder, "teach -d 2 -k 2 -n 30 -o a.csv --save-teacher t.safetensors");
    for arguments in [
        "fit a.csv --holdout 1.5",
        "fit a.csv --holdout rows.txt",
        "fit a.csv --decay -1",
        "fit a.csv --decay nan",
        "fit a.csv --step 0.1",
        "fit a.csv -m sgd --step -1",
        "fit a.csv -m lbfgs --batch 3",
        "fit a.csv -a tanh -m descent --step 1e10 --decay 0",
        "teach -o x.csv --save-teacher x.csv",
        "fit a.csv --threads 0",
        "predict t.safetensors",
        "fit a.csv --gradient nan",
        "fit a.csv --iterations 5",
        "fit a.csv -a tanh --effort quick",
        "fit a.csv -m newton",
        "fit a.csv --width 0",
        "fit a.csv --width 99999999999",
        "fit a.csv -o missing/folder/model.safetensors",
        "fit a.csv --holdout 0.99",
        "teach --spectrum 1,2,3 -d 2 -k 2",
        "teach --orthogonal -d 2 -k 3",
        "teach --rank 5 -d 2 -k 3",
        "teach --outputs uniform:2:1",
        "teach --outputs some",
        "teach --noise -1",
        "teach --samples 0",
        "teach --samples 99999999999999",
        "teach --inputs 0",
        "teach --width 0",
        "teach --design cube",
        "teach --design a.csv",
        "export t.safetensors -o model.txt",
        "export t.safetensors --format onnx",
        "predict t.safetensors a.csv -o out.xlsx",
    ] {
        let error = fails(&folder, arguments);
        assert!(!error.contains("panicked"), "{error}");
    }
    assert_eq!(files_in(&folder), ["a.csv", "t.safetensors"]);
}

#[test]
fn unknown_names_are_refused_with_the_known_ones() {
    let folder = folder();
    succeeds(&folder, "teach -d 2 -k 2 -n 30 -o a.csv");
    assert!(fails(&folder, "fit a.csv -a rleu").contains("rleu"));
    assert!(fails(&folder, "fit a.csv -m adam").contains("levenberg"));
    fails(&folder, "fit");
    fails(&folder, "nonsense");
}

#[test]
fn predict_refuses_tables_that_do_not_fit_the_model() {
    let folder = folder();
    succeeds(&folder, "teach -d 3 -k 2 -n 30 -o a.csv --save-teacher t.safetensors");
    write(&folder, "missing.csv", b"x1,x3\n1,2\n");
    assert!(fails(&folder, "predict t.safetensors missing.csv").contains("x2"));
    succeeds(&folder, "teach -d 5 -k 2 -n 30 -o wide.npy");
    let error = fails(&folder, "predict t.safetensors wide.npy");
    assert!(error.contains("expects 3 inputs") && error.contains('6'), "{error}");
    write(&folder, "shuffled.csv", b"extra,x3,x1,x2\n9,3,1,2\n");
    write(&folder, "plain.csv", b"x1,x2,x3\n1,2,3\n");
    assert!(fails(&folder, "predict t.safetensors shuffled.csv").contains("\"extra\""));
    let predict = |name: &str| succeeds(&folder, &format!("predict t.safetensors {name}.csv --ignore-extra"));
    let [a, b] = ["shuffled", "plain"].map(predict);
    assert_eq!(a, b);
}

#[test]
fn every_attack_is_refused_by_the_command_too() {
    let folder = folder();
    succeeds(&folder, "teach -d 3 -k 2 -n 30 -o a.csv --save-teacher t.safetensors");
    let mut attacks = 0;
    for entry in fs::read_dir(repository().join("tests/attacks/models")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "safetensors") {
            fails(&folder, &format!("predict {} a.csv", path.display()));
            attacks += 1;
        }
    }
    assert!(attacks > 5, "only {attacks} hostile models");
}

#[cfg(unix)]
#[test]
fn an_interrupted_fit_saves_what_it_has() {
    let folder = folder();
    succeeds(&folder, "teach -a softplus -d 20 -k 20 -n 20000 --noise 0.5 -o a.csv");
    let mut child = Command::new(env!("CARGO_BIN_EXE_shallows"))
        .args("fit a.csv -a softplus -k 50 --decay 1e-9 -m descent --iterations 100000000 --json".split(' '))
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    let mut text = String::new();
    std::io::Read::read_to_string(child.stdout.as_mut().unwrap(), &mut text).unwrap();
    let fit: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(fit["training"]["stopped"], "interrupted");
    succeeds(&folder, "predict a.safetensors a.csv -o out.csv");
}

#[cfg(unix)]
#[test]
fn a_pipe_behind_a_link_is_written_to() {
    let folder = folder();
    succeeds(&folder, "teach -d 2 -k 2 -n 30 -o a.csv --save-teacher t.safetensors");
    let bytes = shallows(&folder, "export t.safetensors -f safetensors -o /dev/stdout").stdout;
    assert_eq!(bytes, fs::read(folder.path().join("t.safetensors")).unwrap());
}

#[test]
fn the_version_is_that_of_the_command_by_its_name() {
    let expected = format!("shallows {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(succeeds(&folder(), "--version"), expected);
}

#[test]
fn json_on_standard_output_is_one_document() {
    let folder = folder();
    succeeds(&folder, "teach -d 2 -k 2 -n 30 -o a.csv --save-teacher t.safetensors");
    assert_eq!(succeeds_json(&folder, "predict t.safetensors a.csv -o - --json")["rows"], 30);
    fails(&folder, "teach -d 2 -k 2 -n 30 -o - --json");
}

#[test]
fn an_output_that_cannot_be_or_would_replace_the_input_is_refused_before_the_work() {
    let folder = folder();
    succeeds(&folder, "teach -d 2 -k 2 -n 30 -o a.csv --save-teacher t.safetensors");
    let table = fs::read(folder.path().join("a.csv")).unwrap();
    for arguments in ["fit a.csv -o a.csv", "fit a.csv -o ./a.csv", "predict t.safetensors a.csv -o a.csv"] {
        assert!(fails(&folder, arguments).contains("would replace the table"), "{arguments}");
        assert_eq!(fs::read(folder.path().join("a.csv")).unwrap(), table, "{arguments}");
    }
    // The folder is looked at before the table.
    for arguments in ["fit nowhere.csv -o missing/m.safetensors", "fit nowhere.csv -o ."] {
        assert!(fails(&folder, arguments).contains("folder"), "{arguments}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_teach_leaves_no_file_behind() {
    let folder = folder();
    let mut child = Command::new(env!("CARGO_BIN_EXE_shallows"))
        .args("teach -n 2000000 -d 30 -o big.csv".split(' '))
        .current_dir(folder.path())
        .spawn()
        .unwrap();
    // As soon as something is being written.
    let started = std::time::Instant::now();
    while files_in(&folder).is_empty() && started.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(files_in(&folder), Vec::<String>::new());
}

/// Run a line of shell in a folder; `$SHALLOWS` is the binary.
#[cfg(target_os = "linux")]
fn in_shell(folder: &TempDir, line: &str) -> (Option<i32>, String) {
    let mut command = Command::new("bash");
    command.args(["-c", line]).env("SHALLOWS", env!("CARGO_BIN_EXE_shallows")).current_dir(folder.path());
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn a_machine_that_lends_no_threads_is_no_error() {
    let folder = folder();
    succeeds(&folder, "teach -a relu -d 3 -k 2 -n 50 -o t.csv");
    // Only somebody else than root can be refused threads: the program runs as a user with no other process, who may have one besides its own.
    let (status, _) =
        in_shell(&folder, "[ $(id -u) = 0 ] && setpriv --version && cp $SHALLOWS s && chmod 777 . && chmod 755 s");
    if status == Some(0) {
        let as_a_stranger = |command: &str| {
            let limited = format!("ulimit -u 2; exec ./s {command}");
            in_shell(&folder, &format!("setpriv --reuid=54321 --clear-groups bash -c '{limited}'"))
        };
        assert_eq!(as_a_stranger("-q fit t.csv -a quadratic --decay 0"), (Some(0), String::new()));
        let (status, error) = as_a_stranger("--threads 8 predict t.safetensors t.csv");
        assert!(status == Some(2) && error.starts_with("error: cannot start the threads: "), "{error}");
    } else {
        succeeds(&folder, "fit t.csv -a quadratic --decay 0");
    }
    let (status, error) = in_shell(&folder, "RAYON_NUM_THREADS=99999 $SHALLOWS predict t.safetensors t.csv");
    assert!(
        status == Some(2) && error.starts_with("error: RAYON_NUM_THREADS must be a number from 1 to 1024"),
        "{error}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_without_a_line_break_is_one_error_and_little_memory() {
    let folder = folder();
    for command in [
        "ln -s /dev/zero z.csv; ulimit -v 1500000; $SHALLOWS fit z.csv",
        "ulimit -v 1500000; $SHALLOWS fit - < /dev/zero",
    ] {
        let (status, error) = in_shell(&folder, command);
        assert!(status == Some(2) && error.contains(": line 1: this row is longer than 64 MiB\nhint: "), "{error}");
        assert_eq!(error.lines().count(), 2, "{error}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn more_columns_than_can_be_squared_are_no_reason_to_run_out_of_memory() {
    let folder = folder();
    let (rows, inputs) = (30u64, 20_000u64);
    let cell = |i: u64, j: u64| (i * 31 + j * j * 7 + i * j * 13) % 101;
    let line = |cells: &mut dyn Iterator<Item = String>| cells.collect::<Vec<String>>().join(",");
    let header = line(&mut (0..inputs).map(|j| format!("x{j}")).chain(["y".into()]));
    let row = |i: u64| line(&mut (0..inputs).map(|j| cell(i, j).to_string()).chain([(i * i % 17).to_string()]));
    let text: Vec<String> = std::iter::once(header).chain((0..rows).map(row)).collect();
    fs::write(folder.path().join("wide.csv"), text.join("\n")).unwrap();
    let (status, error) = in_shell(&folder, "ulimit -v 2000000; $SHALLOWS -q fit wide.csv --effort quick");
    assert_eq!((status, error.as_str()), (Some(0), ""));
}

#[test]
fn a_table_far_from_zero_has_intervals_and_a_certificate_like_any_other() {
    let folder = folder();
    let row = |i: i32| {
        let (year, x) = (1990 + i % 11, f64::from(i * 37 % 101) / 50.0 - 1.0);
        format!(
            "{year},{x},{}\n",
            1.7e9 + f64::from((year - 1994) * (year - 1994)) + 30.0 * x * x + f64::from(i * 13 % 7)
        )
    };
    let text: String = (0..120).map(row).collect();
    write(&folder, "far.csv", format!("year,x,t\n{text}").as_bytes());
    succeeds(&folder, "fit far.csv --effort quick");
    let text = succeeds(&folder, "predict far.safetensors far.csv --interval 0.9");
    let covered = text.lines().skip(1).zip(0..120).filter(|(line, i)| {
        let numbers: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        let t: f64 = row(*i).trim().rsplit(',').next().unwrap().parse().unwrap();
        numbers[1] <= t && t <= numbers[2] && (numbers[0] - t).abs() < 30.0
    });
    assert!(covered.count() >= 100, "{text}");
    succeeds(&folder, "verify far.certificate.json far.csv");
}

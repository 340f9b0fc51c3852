//! `shallows sweep`, `plot` and `lab replay`, by running them and by killing them.

#![cfg(feature = "lab")]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::support::{fails, repository, shallows, succeeds};
use serde_json::Value;
use shallows::lab::{StoreReader, StoreWriter, Trial};
use shallows::random::{Purpose, Stream};
use tempfile::TempDir;

const SPECIFICATION: &str = r#"
seed = 5
trials = 6
starts = 2
[grid]
n = 40
k = [2, 5, 8, 11]
d = 6
[student]
activation = "softplus:10"
[training]
iterations = 4000
verdict = true
[success]
tolerance = 1e-2
[refine]
axis = "k"
trials = 20
values = "2..=11"
"#;

fn folder_with_specification() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("s.toml"), SPECIFICATION).unwrap();
    folder
}

/// The command where everybody may run it. Another process copies it: a child that another test starts meanwhile would
/// inherit the file that is open here, and a program that is open for writing cannot be run.
#[cfg(unix)]
fn copied_program(folder: &TempDir) -> PathBuf {
    let program = folder.path().join("shallows");
    let copied = Command::new("install").args(["-m", "755", env!("CARGO_BIN_EXE_shallows")]).arg(&program).status();
    assert!(copied.unwrap().success());
    program
}

/// Everything but the times.
fn table(path: &Path) -> Vec<Trial> {
    let trials = StoreReader::open(path).unwrap().trials().unwrap();
    trials.into_iter().map(|trial| Trial { seconds: 0.0, ..trial }).collect()
}

fn start(folder: &TempDir, arguments: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shallows"));
    command.args(arguments.split_whitespace()).current_dir(folder.path());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn killed_at_any_instant_a_sweep_goes_on_and_ends_as_if_it_had_not_been() {
    let kills: usize = std::env::var("SHALLOWS_KILLS").map_or(20, |kills| kills.parse().unwrap());
    let folder = folder_with_specification();
    succeeds(&folder, "sweep s.toml --store whole.db");
    let whole = table(&folder.path().join("whole.db"));
    assert_eq!(whole.len(), (4 * 6 + 20) * 2);
    let path = folder.path().join("s.db");
    let mut stream = Stream::new(1, Purpose::Probe, 0);
    let (mut killed, mut counts) = (0, vec![]);
    while killed < kills {
        let mut child = start(&folder, "sweep s.toml --quiet");
        sleep(Duration::from_micros(stream.below(150_000) as u64));
        if let Some(status) = child.try_wait().unwrap() {
            // Complete before it could be killed: once more from the beginning.
            assert!(status.success());
            assert_eq!(table(&path), whole);
            fs::remove_file(&path).unwrap();
            continue;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
        // What is there is part of the whole, and nothing is there twice.
        if let Ok(store) = StoreReader::open(&path) {
            let kept = store.trials().unwrap();
            counts.push(kept.len());
            assert!(
                kept.iter()
                    .all(|trial| whole.iter().any(|other| other.id == trial.id && other.outcome == trial.outcome))
            );
        }
    }
    succeeds(&folder, "sweep s.toml");
    assert_eq!(table(&path), whole);
    // The kills fell into the middle of the work, not before or after it.
    assert!(counts.iter().filter(|count| (1..whole.len()).contains(count)).count() > kills / 3, "{counts:?}");
}

#[test]
fn threads_make_no_difference_and_two_processes_make_no_second_row() {
    let folder = folder_with_specification();
    succeeds(&folder, "sweep s.toml --store one.db --threads 1");
    succeeds(&folder, "sweep s.toml --store three.db --threads 3");
    let one = table(&folder.path().join("one.db"));
    assert_eq!(one, table(&folder.path().join("three.db")));
    let (first, second) = (start(&folder, "sweep s.toml"), start(&folder, "sweep s.toml"));
    let outputs = [first, second].map(|child| child.wait_with_output().unwrap());
    assert!(outputs.iter().any(|output| output.status.success()));
    for output in outputs.iter().filter(|output| !output.status.success()) {
        let error = String::from_utf8(output.stderr.clone()).unwrap();
        assert!(error.contains("in use by another sweep"), "{error}");
    }
    assert_eq!(table(&folder.path().join("s.db")), one);
}

#[test]
fn the_example_runs_is_drawn_and_replayed() {
    let folder = TempDir::new().unwrap();
    fs::copy(repository().join("examples/sweeps/quick.toml"), folder.path().join("quick.toml")).unwrap();
    let found: Value = serde_json::from_str(&succeeds(&folder, "sweep quick.toml --json")).unwrap();
    assert_eq!(found["trainings"], serde_json::json!({ "done": 180, "total": 180, "new": 180 }));
    assert_eq!(found["thresholds"][0]["axis"], "k");
    let half = found["thresholds"][0]["half"].as_f64().unwrap();
    assert!((7.0..10.0).contains(&half), "{half}");
    let again = succeeds(&folder, "sweep quick.toml");
    assert!(again.contains("180 of 180 runs in") && again.contains(" 0 new"), "{again}");
    let words = succeeds(&folder, "plot quick.db -o out --collapse k*d/n");
    assert!(words.contains("Threshold k½") && words.contains("Collapse  (k*d/n)½"), "{words}");
    for name in ["curves", "map", "collapse", "stopping"] {
        let svg = fs::read_to_string(folder.path().join(format!("out/{name}.svg"))).unwrap();
        assert!(roxmltree::Document::parse(&svg).is_ok() && !svg.contains("NaN"), "{name}");
        if cfg!(feature = "png") {
            assert!(fs::read(folder.path().join(format!("out/{name}.png"))).unwrap().starts_with(b"\x89PNG"), "{name}");
        }
    }
    let cells = fs::read_to_string(folder.path().join("out/cells.csv")).unwrap();
    assert_eq!(cells.lines().count(), 1 + found["cells"].as_array().unwrap().len());
    let verdict: Value =
        serde_json::from_str(&succeeds(&folder, "plot quick.db -o out --success verdict --json")).unwrap();
    assert!(verdict["thresholds"][0]["half"].as_f64().unwrap() <= half);
    for (options, expected) in [
        ("--success descent:1e-2:100000", "descent ended after 3000 iterations"),
        ("--success descent:1e-2:0", "rule of success"),
        ("--success descent:1e-5", "it was not run to 1e-5"),
        ("--collapse k/0", "k/0 is not a finite number in any cell"),
        ("--from 100", "no cell of this sweep lies between 100 and the end"),
        ("--from 8 --to 5", "no cell of this sweep lies between 8 and 5"),
    ] {
        let error = fails(&folder, &format!("plot quick.db -o not {options}"));
        assert!(error.contains(expected) && error.contains("\nhint: "), "{options}: {error}");
    }
    assert!(!folder.path().join("not").exists());
    let words = succeeds(&folder, "plot quick.db -o out --collapse 1/(k-4)");
    assert!(words.contains("Left out  2 cells, where 1/(k-4) is not a finite number"), "{words}");
    let replayed: Value = serde_json::from_str(&succeeds(&folder, "lab replay quick.db 171 --json")).unwrap();
    assert_eq!((&replayed["identical"], &replayed["comparable"]), (&Value::from(true), &Value::from(true)));
    assert!(succeeds(&folder, "lab replay quick.db 3").contains("every bit agrees"));
}

#[test]
fn what_cannot_be_swept_or_drawn_is_refused_in_one_line() {
    let folder = folder_with_specification();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    write("unknown.toml", SPECIFICATION.replace("[student]", "[student]\nwidth = 3"));
    write("empty.toml", SPECIFICATION.replace("[2, 5, 8, 11]", "[]"));
    write("negative.toml", SPECIFICATION.replace("[2, 5, 8, 11]", "-3"));
    write("many.toml", SPECIFICATION.replace("trials = 6", "trials = 1000000000"));
    write("other.toml", SPECIFICATION.replace("seed = 5", "seed = 6"));
    write("broken.toml", "[grid\nn = 3".into());
    write("text.db", "these are no results\n".repeat(50));
    fs::write(folder.path().join("bytes.toml"), [0xff, 0xfe, 0, 1]).unwrap();
    succeeds(&folder, "teach -n 10 -o data.csv");
    write("short.toml", SHORT.into());
    write("gelu.toml", SHORT.replace("softplus:10", "gelu"));
    write("divided.toml", SHORT.replace("k = 3", "k = \"2*d/0\""));
    write("typed.toml", SHORT.replace("trials = 2", "trials = \"two\""));
    succeeds(&folder, "sweep short.toml");
    drop(StoreWriter::open(
        &folder.path().join("s.db"),
        &shallows::lab::Specification::parse(SPECIFICATION, Path::new("")).unwrap(),
    ));
    for (arguments, expected) in [
        ("sweep unknown.toml", "line 10, column 1: unknown field `width`"),
        ("sweep empty.toml", "line 7, column 5: grid.k must be at least one value"),
        ("sweep negative.toml", "line 7, column 5: grid.k must be whole numbers from 1"),
        ("sweep many.toml", "line 3, column 10"),
        ("sweep broken.toml", "line 1"),
        ("sweep bytes.toml", "not text"),
        ("sweep data.csv", "line 1, column"),
        ("sweep missing.toml", "missing.toml"),
        ("sweep gelu.toml", "gelu.toml line 8, column 14: student.activation must be relu, softplus"),
        ("sweep divided.toml", "line 5, column 1: grid.k: \"2*d/0\" has no finite value at n = 20, d = 4"),
        ("sweep typed.toml", "expected a whole number"),
        ("sweep -", "read from a file, not from standard input"),
        ("sweep other.toml --store short.db", "another specification: seed is 0 there and 6 here"),
        ("sweep s.toml --store text.db", "not an SQLite file"),
        ("sweep s.toml --store s.toml", "the store would replace the specification"),
        ("sweep s.toml --store s.toml", "name another file for the store"),
        ("sweep s.toml --store text.db", "with --store FILE"),
        ("plot . -o out", "folder"),
        ("lab replay . 1", "folder"),
        ("lab", "`shallows lab` needs a verb"),
        ("sweep s.toml --threads -1", "as in --OPTION=-1"),
        ("sweep s.toml --threads=-1", "-1 is not in 1..=1024"),
        ("sweep s.toml --store .", "folder"),
        ("sweep s.toml --store no/such/a.db", "no folder"),
        ("plot missing.db -o out", "missing.db"),
        ("plot text.db -o out", "not an SQLite file"),
        ("plot s.db -o out", "no run is done yet"),
        ("plot s.db -o out --collapse k*q", "character 3: there is no \"q\""),
        ("plot s.db -o out --success perhaps", "rule of success"),
        ("plot s.db -o out --x width", "n, k or d"),
        ("lab replay s.db 1", "no run 1 among the 0"),
    ] {
        let error = fails(&folder, arguments);
        assert!(error.contains(expected), "{arguments}: {error}");
        assert!(error.contains("\nhint: "), "{arguments}: {error}");
        let hint = error.split("hint: ").nth(1).unwrap();
        let foreign = if arguments.starts_with("sweep") { "-o " } else { "--store" };
        assert!(!hint.contains(foreign), "{arguments}: {error}");
    }
    assert!(!folder.path().join("out").exists());
    for refused in ["gelu.db", "divided.db", "typed.db"] {
        assert!(!folder.path().join(refused).exists(), "{refused}");
    }
}

/// Without refinement, and done in moments.
const SHORT: &str = r#"
trials = 2
[grid]
n = 20
k = 3
d = 4
[student]
activation = "softplus:10"
[training]
iterations = 50
verdict = true
"#;

#[test]
fn a_refused_sweep_leaves_every_byte_of_a_finished_store() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    write("a.toml", SHORT.into());
    write("b.toml", SHORT.replace("trials = 2", "trials = 3"));
    succeeds(&folder, "sweep a.toml");
    let before = fs::read(folder.path().join("a.db")).unwrap();
    assert_eq!(before[18..20], [1, 1], "finished: without a log");
    let error = fails(&folder, "sweep b.toml --store a.db");
    assert!(error.contains("trials is 2 there and 3 here") && error.contains("--store FILE"), "{error}");
    assert!(fs::read(folder.path().join("a.db")).unwrap() == before);
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn undecided_runs_are_shown_where_there_are_any() {
    let folder = TempDir::new().unwrap();
    let verdict = format!("{SHORT}[success]\nrule = \"verdict\"");
    // More weights than samples: every run comes to zero.
    fs::write(folder.path().join("b.toml"), verdict.replace("k = 3", "k = 12")).unwrap();
    assert!(!succeeds(&folder, "sweep b.toml").contains("ndecided"));
    // Descent leaves the numbers, from where Levenberg–Marquardt comes to nothing.
    let far = verdict.replace("iterations = 50", "iterations = 50\nstep = \"fixed\"\neta = 1e60");
    fs::write(folder.path().join("a.toml"), far).unwrap();
    let words = succeeds(&folder, "sweep a.toml");
    assert!(words.contains("Undecided 2 of 2 runs") && words.contains("   undecided\n"), "{words}");
    let row = words.lines().find(|line| line.trim_start().starts_with("20 ")).unwrap();
    assert!(row.ends_with(" 2"), "{words}");
}

#[cfg(unix)]
#[test]
fn a_store_that_is_deleted_meanwhile_ends_the_sweep_with_an_error() {
    let folder = folder_with_specification();
    let child = start(&folder, "sweep s.toml");
    let path = folder.path().join("s.db");
    while !StoreReader::open(&path).is_ok_and(|store| store.count().unwrap_or(0) > 0) {
        sleep(Duration::from_millis(2));
    }
    fs::remove_file(&path).unwrap();
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("s.db: the store was removed or replaced while the sweep ran"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_store_with_a_log_in_a_folder_that_cannot_be_written_says_so() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.toml"), SHORT).unwrap();
    succeeds(&folder, "sweep a.toml");
    let path = folder.path().join("a.db");
    // The mark of a log, as a killed sweep leaves it.
    let mut bytes = fs::read(&path).unwrap();
    bytes[18..20].copy_from_slice(&[2, 2]);
    fs::write(&path, bytes).unwrap();
    let allow = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let program = copied_program(&folder);
    allow(folder.path(), 0o555);
    let superuser = fs::File::create(folder.path().join("probe")).is_ok();
    for arguments in [["lab", "replay", "a.db", "1"], ["plot", "a.db", "-o", "out"]] {
        let mut command = Command::new(&program);
        command.args(arguments).current_dir(folder.path());
        if superuser {
            // Permissions mean nothing to the superuser: become somebody else.
            command.uid(65534).gid(65534);
        }
        let output = command.output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("left in the middle of a sweep, and its folder may not be written to"), "{error}");
        assert!(error.contains("\nhint: copy it") && !error.contains("--store"), "{error}");
    }
    allow(folder.path(), 0o755);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_huge_run_and_quiet_means_no_remark() {
    let folder = TempDir::new().unwrap();
    let huge = SHORT.replace("n = 20", "n = 20000").replace("k = 3", "k = 1000").replace("d = 4", "d = 30");
    let huge = huge.replace("iterations = 50", "iterations = 1000000000").replace("verdict = true", "");
    fs::write(folder.path().join("a.toml"), huge).unwrap();
    for arguments in ["sweep a.toml --quiet", "sweep a.toml"] {
        fs::remove_file(folder.path().join("a.db")).ok();
        let child = start(&folder, arguments);
        while !folder.path().join("a.db").exists() {
            sleep(Duration::from_millis(2));
        }
        sleep(Duration::from_millis(1000));
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        // It would take days: that it ends is the claim.
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{error}");
        assert_eq!(error.is_empty(), arguments.ends_with("quiet"), "{error}");
        assert!(table(&folder.path().join("a.db")).is_empty());
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing() {
    let folder = folder_with_specification();
    succeeds(&folder, "sweep s.toml --store whole.db");
    // A limit on the size of files fails as a full disk does.
    let script = format!("trap '' XFSZ; ulimit -f 60; exec {} sweep s.toml --quiet", env!("CARGO_BIN_EXE_shallows"));
    let output = Command::new("bash").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("cannot grow") && error.contains("every finished run is kept"), "{error}");
    let kept = table(&folder.path().join("s.db"));
    assert!(!kept.is_empty() && kept.len() < 88, "{}", kept.len());
    succeeds(&folder, "sweep s.toml");
    assert_eq!(table(&folder.path().join("s.db")), table(&folder.path().join("whole.db")));
}

#[cfg(unix)]
#[test]
fn a_store_that_may_not_be_written_is_refused_and_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let folder = folder_with_specification();
    let allow = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let path = folder.path().join("s.db");
    fs::write(folder.path().join("s.toml"), SPECIFICATION.replace("iterations = 4000", "iterations = 10")).unwrap();
    succeeds(&folder, "sweep s.toml");
    let before = fs::read(&path).unwrap();
    let program = copied_program(&folder);
    allow(&path, 0o444);
    let run = |arguments: &str| {
        let mut command = Command::new(&program);
        command.args(arguments.split_whitespace()).current_dir(folder.path());
        if fs::File::options().append(true).open(&path).is_ok() {
            // Permissions mean nothing to the superuser: become somebody else.
            command.uid(65534).gid(65534);
        }
        command.output().unwrap()
    };
    for (mode, expected) in [(0o777, "cannot be written"), (0o555, "ermission")] {
        allow(folder.path(), mode);
        let output = run("sweep s.toml --threads 1");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && error.contains(expected), "{error}");
        assert!(error.contains("\nhint: ") && error.lines().count() == 2, "{error}");
        assert_eq!(run("lab replay s.db 1").status.code(), Some(0));
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    allow(folder.path(), 0o755);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_finished_and_says_how_to_go_on() {
    let folder = folder_with_specification();
    succeeds(&folder, "sweep s.toml --store whole.db");
    let child = start(&folder, "sweep s.toml");
    let path = folder.path().join("s.db");
    let some = || StoreReader::open(&path).is_ok_and(|store| store.count().unwrap_or(0) > 3);
    while !some() {
        sleep(Duration::from_millis(2));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{error}");
    assert!(error.contains("rerun the command to resume"), "{error}");
    assert!(table(&path).len() > 3);
    let output = shallows(&folder, "sweep s.toml");
    assert!(output.status.success());
    assert_eq!(table(&path), table(&folder.path().join("whole.db")));
}

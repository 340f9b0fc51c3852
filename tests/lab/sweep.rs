//! Sweeps: what is planned is done once, and the same whatever happened in between.

#![cfg(feature = "lab")]
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use shallows::error::{Error, SpecificationProblem, StoreProblem};
use shallows::lab::{
    Extent, GridCell, Rule, RunRuling, Specification, StoreReader, StoreWriter, SweepProgress, Symbol, Trial, cells,
    network_seed, replay, sweep,
};
use shallows::watch::{Progress, Watch};
use tempfile::TempDir;

const SMALL: &str = r#"
seed = 3
trials = 4
starts = 2
[grid]
n = 30
k = [3, 6, 9]
d = 5
[student]
activation = "softplus:10"
[training]
iterations = 300
tolerance = 1e-4
verdict = true
[success]
tolerance = 1e-2
[refine]
axis = "k"
trials = 12
values = "3..=9"
"#;

fn parse(text: &str) -> Specification {
    Specification::parse(text, Path::new("test.toml")).unwrap()
}

fn problem(text: &str) -> (usize, usize, SpecificationProblem) {
    match Specification::parse(text, Path::new("test.toml")) {
        Err(Error::Specification { line, column, problem, .. }) => (line, column, *problem),
        other => panic!("{other:?}"),
    }
}

fn run(store: &mut StoreWriter) -> SweepProgress {
    sweep(store, Watch::silent()).unwrap()
}

/// All but the times.
fn timeless(trials: Vec<Trial>) -> Vec<Trial> {
    trials.into_iter().map(|trial| Trial { seconds: 0.0, ..trial }).collect()
}

fn complete(text: &str) -> Vec<Trial> {
    let folder = TempDir::new().unwrap();
    let mut store = StoreWriter::open(&folder.path().join("a.db"), &parse(text)).unwrap();
    let progress = run(&mut store);
    assert_eq!(progress.done, progress.total);
    timeless(store.reader().trials().unwrap())
}

#[test]
fn every_trial_is_there_once_and_refinement_adds_cells() {
    let trials = complete(SMALL);
    let specification = parse(SMALL);
    assert_eq!((trials.len(), specification.total()), ((3 * 4 + 12) * 2, 48));
    assert!(trials.iter().map(|trial| trial.id).eq(1..=48));
    for trial in &trials {
        assert_eq!(trial.seed, network_seed(3, trial.cell, trial.network));
    }
    let counts = cells(&trials, &specification.success, 2);
    assert_eq!(counts.iter().map(|count| count.networks.len()).sum::<usize>(), 3 * 4 + 12);
    let grid = |count: &shallows::lab::CellCount| [3, 6, 9].contains(&count.cell.k);
    assert!(counts.iter().filter(|count| grid(count)).all(|count| count.networks.len() >= 4));
    assert!(counts.iter().any(|count| !grid(count)), "refinement has added cells");
}

#[test]
fn an_interrupted_sweep_resumes_and_ends_as_an_uninterrupted_one() {
    let expected = complete(SMALL);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.db");
    let mut rounds = 0;
    loop {
        let mut store = StoreWriter::open(&path, &parse(SMALL)).unwrap();
        let (interrupted, kept) = (AtomicBool::new(false), AtomicUsize::new(0));
        let report = |_: Progress| {
            if kept.fetch_add(1, Ordering::Relaxed) >= 4 {
                interrupted.store(true, Ordering::Relaxed);
            }
        };
        let progress = sweep(&mut store, Watch::silent().reporting(&report).interruptible(&interrupted)).unwrap();
        assert_eq!(progress.done, store.reader().count().unwrap());
        if progress.done == progress.total {
            assert_eq!(timeless(store.reader().trials().unwrap()), expected);
            break;
        }
        rounds += 1;
    }
    assert!(rounds > 3, "it was interrupted {rounds} times only");
}

#[test]
fn the_table_does_not_depend_on_the_number_of_threads() {
    let with = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| complete(SMALL))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn a_wider_grid_and_more_trials_leave_the_others_as_they_are() {
    let without = SMALL.split("[refine]").next().unwrap();
    let narrow = complete(without);
    let wide = complete(&without.replace("[3, 6, 9]", "[3, 5, 6, 9]").replace("trials = 4", "trials = 5"));
    for trial in narrow {
        let same =
            |other: &&Trial| (other.cell, other.network, other.start) == (trial.cell, trial.network, trial.start);
        assert_eq!(wide.iter().find(same).unwrap().outcome, trial.outcome);
    }
}

#[test]
fn a_replayed_trial_agrees_in_every_bit_and_an_altered_row_does_not() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.db");
    let mut store = StoreWriter::open(&path, &parse(SMALL)).unwrap();
    run(&mut store);
    for id in [1, 17, 48] {
        let again = replay(store.reader(), id, Watch::silent()).unwrap().unwrap();
        assert!(again.is_comparable() && again.differences.is_empty(), "{id}: {:?}", again.differences);
    }
    assert!(matches!(
        replay(store.reader(), 49, Watch::silent()),
        Err(Error::Store { problem: StoreProblem::NoTrial { trial: 49, trials: 48 }, .. })
    ));
    drop(store);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("UPDATE trials SET relative_error = relative_error * (1 + 1e-15) WHERE id = 17", []).unwrap();
    connection.execute("UPDATE trials SET start = 9, seed = seed + 1 WHERE id = 1", []).unwrap();
    drop(connection);
    let store = StoreReader::open(&path).unwrap();
    assert_eq!(replay(&store, 17, Watch::silent()).unwrap().unwrap().differences, ["relative_error"]);
    assert!(replay(&store, 1, Watch::silent()).unwrap().unwrap().differences.contains(&"fingerprint"));
}

#[test]
fn a_store_of_another_specification_is_refused_and_comments_make_no_other() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.db");
    run(&mut StoreWriter::open(&path, &parse(SMALL)).unwrap());
    assert!(StoreWriter::open(&path, &parse(&format!("# A comment\nname = \"x\"\n{SMALL}"))).is_ok());
    let before = std::fs::read(&path).unwrap();
    match StoreWriter::open(&path, &parse(&SMALL.replace("iterations = 300", "iterations = 400"))).err() {
        Some(Error::Store { problem: StoreProblem::OtherSpecification { key, stored, given }, .. }) => {
            assert_eq!((key.as_str(), stored.as_str(), given.as_str()), ("iterations", "300", "400"));
        }
        other => panic!("{other:?}"),
    }
    assert!(std::fs::read(&path).unwrap() == before, "what is refused stays as it is, to the last byte");
}

#[test]
fn a_store_without_a_training_is_taken_over() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.db");
    drop(StoreWriter::open(&path, &parse(SMALL)).unwrap());
    let other = SMALL.replace("seed = 3", "seed = 4");
    let mut store = StoreWriter::open(&path, &parse(&other)).unwrap();
    run(&mut store);
    assert_eq!(timeless(store.reader().trials().unwrap()), complete(&other));
    drop(store);
    assert_eq!(StoreReader::open(&path).unwrap().specification(), &parse(&other));
}

#[cfg(unix)]
#[test]
fn a_store_that_is_removed_or_replaced_meanwhile_is_missed() {
    for replaced in [false, true] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.db");
        let mut store = StoreWriter::open(&path, &parse(SMALL)).unwrap();
        let report = |progress: Progress| {
            if matches!(progress, Progress::Swept { done: 3, .. }) {
                std::fs::remove_file(&path).unwrap();
                if replaced {
                    std::fs::write(&path, "somebody else's").unwrap();
                }
            }
        };
        let found = sweep(&mut store, Watch::silent().reporting(&report));
        assert!(matches!(found, Err(Error::Store { problem: StoreProblem::Gone, .. })), "{found:?}");
    }
}

#[test]
fn two_writers_at_once_are_refused_and_readers_are_not() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.db");
    let store = StoreWriter::open(&path, &parse(SMALL)).unwrap();
    let second = StoreWriter::open(&path, &parse(SMALL)).err();
    assert!(matches!(second, Some(Error::Store { problem: StoreProblem::InUse, .. })), "{second:?}");
    assert_eq!(StoreReader::open(&path).unwrap().count().unwrap(), 0);
    drop(store);
    assert!(StoreWriter::open(&path, &parse(SMALL)).is_ok());
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["a.db"]);
}

#[test]
fn foreign_files_are_refused_and_left_as_they_are() {
    let folder = TempDir::new().unwrap();
    let text = folder.path().join("text.db");
    std::fs::write(&text, "id,name\n1,a\n".repeat(100)).unwrap();
    let foreign = folder.path().join("foreign.db");
    rusqlite::Connection::open(&foreign)
        .unwrap()
        .execute_batch("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)")
        .unwrap();
    let newer = folder.path().join("newer.db");
    drop(StoreWriter::open(&newer, &parse(SMALL)).unwrap());
    rusqlite::Connection::open(&newer).unwrap().pragma_update(None, "user_version", 99).unwrap();
    for (path, expected) in [
        (&text, StoreProblem::NotDatabase),
        (&foreign, StoreProblem::Foreign),
        (&newer, StoreProblem::Format { found: 99, known: 1 }),
    ] {
        let before = std::fs::read(path).unwrap();
        for failure in [StoreWriter::open(path, &parse(SMALL)).err(), StoreReader::open(path).err()] {
            match failure {
                Some(Error::Store { problem, .. }) => assert_eq!(problem, expected),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(std::fs::read(path).unwrap(), before);
    }
    // What a process leaves that was killed before it wrote anything.
    let empty = folder.path().join("empty.db");
    std::fs::write(&empty, "").unwrap();
    assert!(StoreWriter::open(&empty, &parse(SMALL)).is_ok());
    assert!(matches!(StoreReader::open(&folder.path().join("none.db")), Err(Error::Io { .. })));
}

#[test]
fn rules_are_chosen_afterwards() {
    let trials = complete(SMALL);
    let successes = |rule: &str| {
        let rule: Rule = rule.parse().unwrap();
        trials.iter().filter(|trial| rule.judge(&trial.outcome) == RunRuling::Success).count()
    };
    let finer = ["descent:1e-1", "descent:3e-2", "descent:1e-2", "descent:1e-3"].map(successes);
    assert!(finer.is_sorted_by(|a, b| a >= b) && finer[0] > finer[3], "{finer:?}");
    assert!(successes("descent:1e-2:100") < successes("descent:1e-2"));
    assert!(successes("verdict") >= successes("descent:1e-3"));
    for wrong in ["descent", "descent:0.5", "descent:1e-2:x", "verdict:1", "descent:1e-2:1:1", ""] {
        assert!(wrong.parse::<Rule>().is_err(), "{wrong}");
    }
}

#[test]
fn quadratic_students_are_compared_with_their_teacher() {
    let text = |n: usize| {
        format!(
            "trials = 4\n[grid]\nn = {n}\nk = 6\nd = 4\n[teacher]\nhidden = \"gaussian\"\n[student]\nactivation = \
             \"quadratic\"\noutputs = \"ones\"\ntrain = \"hidden\"\n[training]\niterations = 2000\ntolerance = 1e-7\n\
             verdict = true\n[success]\nrule = \"recovers-teacher\""
        )
    };
    let recovered = |n: usize| {
        let rule = parse(&text(n)).success;
        complete(&text(n)).iter().filter(|trial| rule.judge(&trial.outcome) == RunRuling::Success).count()
    };
    // n* = d(d + 1)/2 = 10.
    assert_eq!((recovered(9), recovered(10)), (0, 4));
}

#[test]
fn the_start_of_oymak_and_soltanolkotabi_is_balanced() {
    let text = "trials = 2\n[grid]\nn = 40\nk = [4, 5]\nd = 3\n[data]\ninputs = \"sphere\"\nlabels = \"random\"\n[student]\n\
                activation = \"relu\"\nscale = 1\noutputs = \"os\"\ntrain = \"hidden\"\n[training]\nstep = \"fixed\"\n\
                eta = 0.1\nloss = \"sum\"\niterations = 200\nprecision = \"f32\"";
    let trials = complete(text);
    assert_eq!(trials.len(), 4);
    assert!(trials.iter().all(|trial| trial.outcome.iterations == 200 && trial.outcome.long_run.is_none()));
    // v₀ makes ‖v‖‖W₀‖ of the size of y: the first error is near that of the best, not of another order.
    assert!(trials.iter().all(|trial| trial.outcome.relative_error < 1.2), "{trials:?}");
    // The loss convention: a sum is n times a mean.
    let mean = complete(&text.replace("0.1", "4.0").replace("\"sum\"", "\"mean\""));
    assert_eq!(
        trials.iter().map(|t| &t.outcome).collect::<Vec<_>>(),
        mean.iter().map(|t| &t.outcome).collect::<Vec<_>>()
    );
}

#[test]
fn refusals_point_into_the_file() {
    let at = |from: &str, to: &str| {
        assert!(SMALL.contains(from), "{from}");
        // A derived size cannot be refined along.
        let whole = if to.starts_with("k = \"") && !to.contains("..") && !to.contains("*k") && !to.contains("*q") {
            SMALL.split("[refine]").next().unwrap()
        } else {
            SMALL
        };
        let (line, column, problem) = problem(&whole.replacen(from, to, 1));
        let message = problem.to_string();
        assert!(!["i64", "i128", "Raw", "fleet"].iter().any(|word| message.contains(word)), "{to}: {message}");
        (line, column, message)
    };
    for (from, to, line, column, words) in [
        ("[student]", "[student]\ncolour = 1", 10, 1, "colour"),
        ("seed = 3", "sead = 3", 2, 1, "sead"),
        ("k = [3, 6, 9]", "k = []", 7, 5, "empty"),
        ("k = [3, 6, 9]", "k = \"9..=3\"", 7, 5, "empty"),
        ("k = [3, 6, 9]", "k = [3, -6]", 7, 5, "grid.k"),
        ("k = [3, 6, 9]", "k = 0", 7, 5, "from 1"),
        ("k = [3, 6, 9]", "k = \"2*q\"", 7, 5, "character 3"),
        ("k = [3, 6, 9]", "k = \"2*k\"", 7, 5, "do not depend on it"),
        ("k = [3, 6, 9]", "k = 2.5", 7, 5, "2.5"),
        ("trials = 4", "trials = 1000000000", 3, 10, "6000000024 runs"),
        ("trials = 4", "trials = 0", 3, 10, "from 1"),
        ("trials = 4", "trials = -4", 3, 10, "-4"),
        ("trials = 4", "trials = \"many\"", 3, 10, "invalid type"),
        ("softplus:10", "softplus:x", 10, 14, "student.activation"),
        ("softplus:10", "leaky-relu", 10, 14, "relu"),
        ("softplus:10", "gelu", 10, 14, "must be relu, softplus"),
        ("softplus:10", "sigmoid:2", 10, 14, "must be relu, softplus"),
        ("softplus:10", "cos", 10, 14, "must be relu, softplus"),
        ("softplus:10", "nonsense", 10, 14, "erf or hermite:c0,c1,…, not \"nonsense\""),
        ("[training]", "scale = 1e308\n[training]", 11, 1, "the scale would be 1e308"),
        ("[student]", "[data]\nnoise = 1e308\n[student]", 10, 1, "data.noise must be a number from 0 to 1e100"),
        ("[student]", "[teacher]\noutputs = \"uniform:-1e300:0\"\n[student]", 10, 1, "not -1e300"),
        ("[training]\n", "[training]\neta = 1e300\n", 12, 1, "the step would be 1e300"),
        ("[training]\n", "scale = 1e30\n[training]\nprecision = \"f32\"\n", 11, 1, "0 to 1e15"),
        ("n = 30\nk = [3, 6, 9]", "n = 10000\nk = 2000", 14, 1, "the verdict would hold more"),
        ("k = [3, 6, 9]", "k = \"2*d/0\"", 7, 1, "\"2*d/0\" has no finite value at n = 30, d = 5"),
        ("k = [3, 6, 9]", "k = \"d-10\"", 7, 1, "\"d-10\" is -5, which is not positive, at n = 30, d = 5"),
        ("k = [3, 6, 9]", "k = \"10^(3*d)\"", 7, 1, "is 1.000e15, which is too large, at"),
        ("starts = 2", "starts = 2.5", 4, 10, "expected a whole number"),
        ("starts = 2", "starts = 99999999999999999999", 4, 10, "whole number"),
        ("verdict = true", "verdict = 1", 14, 11, "expected true or false"),
        ("activation = \"softplus:10\"", "activation = 3", 10, 14, "expected a text in quotation marks"),
        ("seed = 3", "seed = 3\nteacher = 5", 3, 11, "the table [teacher]"),
        ("softplus:10", "relu", 14, 11, "kink"),
        ("iterations = 300", "iterations = 300\nstep = \"fixed\"", 13, 8, "eta"),
        ("iterations = 300", "iterations = 300\neta = \"1/(k-6)\"", 13, 1, "k = 3"),
        ("iterations = 300", "iterations = 300\nprecision = \"f16\"", 13, 13, "\"f64\" or \"f32\""),
        ("tolerance = 1e-2", "tolerance = 2e-2", 16, 13, "1e-1, 3e-2"),
        ("tolerance = 1e-2", "tolerance = 1e-5", 16, 13, "training.tolerance"),
        ("tolerance = 1e-2", "rule = \"recovers-teacher\"", 16, 8, "quadratic"),
        ("axis = \"k\"", "axis = \"q\"", 18, 8, "n, k or d"),
        ("[student]", "[teacher]\nhidden = \"orthonormal\"\n[student]", 10, 1, "k = 6"),
        ("[student]", "[teacher]\nhidden = \"rank:4\"\n[student]", 10, 1, "k = 3"),
        ("[student]", "[data]\nlabels = \"random\"\n[teacher]\n[student]", 11, 1, "random"),
        ("n = 30", "n = 30.", 6, 8, "digits"),
        ("n = 30\nk = [3, 6, 9]\nd = 5", "n = 100\nk = 3\nd = 1000000", 5, 1, "numbers"),
    ] {
        let (found_line, found_column, message) = at(from, to);
        assert_eq!((found_line, found_column), (line, column), "{to}: {message}");
        assert!(message.contains(words), "{to}: {message}");
    }
}

#[test]
fn the_total_of_too_many_trials_is_said() {
    match problem(&SMALL.replace("trials = 4", "trials = 1000000000")).2 {
        SpecificationProblem::TooMany { trials, .. } => assert_eq!(trials, (3_000_000_000 + 12) * 2),
        other => panic!("{other:?}"),
    }
    let huge = SMALL.replace("n = 30", "n = \"1..=1000000\"").replace("d = 5", "d = \"1..=1000000\"");
    assert!(matches!(problem(&huge).2, SpecificationProblem::TooMany { .. }));
}

#[test]
fn the_examples_are_specifications_and_sizes_can_be_derived() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/sweeps");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let specification = Specification::read(&path).unwrap();
        assert!(!specification.name.is_empty() && specification.total() > 0, "{path:?}");
        count += 1;
    }
    assert!(count >= 2);
    let derived = parse(SMALL.replace("k = [3, 6, 9]", "k = \"2*d\"").split("[refine]").next().unwrap());
    assert_eq!(derived.cells(), [GridCell { n: 30, k: 10, d: 5 }]);
    assert_eq!(derived.grid.axis(Symbol::N), &shallows::lab::Axis::Values(vec![30]));
}

#[test]
fn the_quick_version_is_a_specification_of_its_own_that_a_store_resumes() {
    let text = format!("{SMALL}\n[quick]\ntrials = 1\ngrid.k = 3\n");
    let full = parse(&text);
    assert_eq!((&full.text, full.total()), (&text, parse(SMALL).total()));
    let quick = full.clone().at_extent(Extent::Quick, Path::new("a.toml")).unwrap();
    assert!(quick.total() < full.total() && quick.cells().len() == 1 && !quick.text.contains("quick"));
    // What a store keeps is the quick text: read again it is the same specification.
    assert_eq!(parse(&quick.text), quick);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.db");
    run(&mut StoreWriter::open(&path, &quick).unwrap());
    assert_eq!(StoreReader::open(&path).unwrap().specification(), &quick);
    assert!(StoreWriter::open(&path, &full).is_err());
    assert!(parse(SMALL).at_extent(Extent::Quick, Path::new("a.toml")).is_err());
}

#[test]
fn what_the_table_of_the_quick_version_says_is_checked_with_the_rest() {
    for (quick, words) in [
        ("strange = 1", "quick.strange must be a key that has a value above"),
        ("trials = 0", "trials must be a whole number"),
        ("grid.k = \"9..=3\"", "the grid is empty"),
        ("grid = 3", "quick.grid must be a table"),
    ] {
        let found = Specification::parse(&format!("{SMALL}\n[quick]\n{quick}\n"), Path::new("a.toml")).err().unwrap();
        assert!(found.to_string().contains(words), "{found}");
    }
}

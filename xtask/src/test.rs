//! `cargo xtask test`: the stages, one after another, until one fails.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use crate::documents;
use crate::package;
use crate::python;
use crate::run::{Result, Runner, cargo, command, files, make_folder, root, run_logged, said, target};

/// Something that must hold.
struct TestStage {
    name: &'static str,
    about: &'static str,
    run: fn(Runner<'_>) -> Result<()>,
}

const STAGES: [TestStage; 10] = [
    TestStage {
        name: "format",
        about: "every file is formatted",
        run: |run| run(&mut cargo(["fmt", "--all", "--check"])),
    },
    TestStage { name: "clippy", about: "no warnings", run: |run| run(&mut clippy(&["--workspace", "--all-targets"])) },
    TestStage {
        name: "clippy-minimal",
        about: "no warnings in library and command without the default features",
        run: |run| run(&mut clippy(&MINIMAL)),
    },
    TestStage {
        name: "tests",
        about: "unit, property, integration and command line tests",
        run: |run| run(tests().args(["--lib", "--bins", "--tests"])),
    },
    TestStage { name: "doctests", about: "the examples in the documentation", run: |run| run(tests().arg("--doc")) },
    TestStage {
        name: "documentation",
        about: "the documentation builds without warnings",
        run: |run| run(cargo(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings")),
    },
    TestStage { name: "examples", about: "every program in examples/ runs", run: examples },
    TestStage { name: "readme", about: "the shell blocks of the README run", run: readme },
    TestStage { name: "exchange", about: "what we write, read by Python packages", run: python_checks },
    TestStage { name: "python", about: "the Python package: types, documentation, tests", run: python_package },
];

/// Named packages only: the Python package would switch the features of the library on again.
const MINIMAL: [&str; 7] =
    ["--package", "shallows", "--package", "shallows-cli", "--lib", "--bins", "--no-default-features"];

/// Print the stages.
pub fn list() {
    STAGES.iter().for_each(|stage| println!("{:16} {}", stage.name, stage.about));
}

/// Run the chosen stages, or all.
pub fn run(chosen: &[String]) -> Result<()> {
    if let Some(unknown) = chosen.iter().find(|name| STAGES.iter().all(|stage| stage.name != name.as_str())) {
        let names: Vec<&str> = STAGES.iter().map(|stage| stage.name).collect();
        return Err(format!("there is no stage {unknown:?}; the stages are {}", names.join(", ")));
    }
    let logs = target().join("xtask");
    make_folder(&logs)?;
    let mut passed = 0;
    for stage in STAGES.iter().filter(|stage| chosen.is_empty() || chosen.iter().any(|name| name == stage.name)) {
        let log = logs.join(format!("{}.log", stage.name));
        fs::write(&log, "").map_err(|error| said(&log, error))?;
        let since = Instant::now();
        let outcome = (stage.run)(&|step| run_logged(step, &log));
        let seconds = since.elapsed().as_secs_f64();
        match outcome {
            Ok(()) => println!("{:16} ok      {seconds:7.1} s", stage.name),
            Err(reason) => {
                print!("{}", fs::read_to_string(&log).unwrap_or_default());
                println!("{:16} FAILED  {seconds:7.1} s", stage.name);
                println!("{passed} passed, 1 failed");
                return Err(format!("stage {}: {reason}", stage.name));
            }
        }
        passed += 1;
    }
    println!("{passed} passed, 0 failed");
    Ok(())
}

/// The tests of all that is Rust alone: what is compiled for Python is tested from there. One choice of packages for all
/// stages, since the features of dependencies, and so what can be shared, depend on it.
fn tests() -> Command {
    cargo(["test", "--workspace", "--exclude", "shallows-python"])
}

fn clippy(scope: &[&str]) -> Command {
    let mut command = cargo(["clippy"]);
    command.args(scope).args(["--", "-D", "warnings"]);
    command
}

fn examples(run: Runner<'_>) -> Result<()> {
    run(&mut cargo(["build", "--examples"]))?;
    for path in files(&root().join("examples"), "", ".rs")? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        run(&mut cargo(["run", "--quiet", "--example", &name]))?;
    }
    Ok(())
}

/// The shell blocks of the README, with the command as the tests have built it.
fn readme(run: Runner<'_>) -> Result<()> {
    let program = built_command(run)?;
    let folder = program.parent().unwrap_or(&program);
    documents::run_blocks(&root().join("README.md"), folder, &target().join("xtask"), run)
}

/// The command, from the choice of packages that the tests have built it for.
fn built_command(run: Runner<'_>) -> Result<PathBuf> {
    run(tests().args(["--quiet", "--no-run", "--test", "command"]))?;
    Ok(target().join("debug").join(format!("shallows{}", std::env::consts::EXE_SUFFIX)))
}

/// Every tests/python/check_*.py, given the target folder, where tests have left their cases.
fn python_checks(run: Runner<'_>) -> Result<()> {
    let folder = root().join("tests").join("python");
    let python = python::environment("test", &folder.join("requirements.txt"), run)?;
    run(&mut cargo(["test", "--quiet", "--test", "fixtures"]))?;
    run(&mut cargo(["test", "--quiet", "--test", "fit", "exports"]))?;
    run(&mut cargo(["test", "--quiet", "--test", "certificate", "saved::"]))?;
    run(&mut cargo(["build", "--quiet", "--package", "shallows-verify"]))?;
    let exact = folder.join("exact");
    for path in files(&exact, "test_", ".py")? {
        python::script(&python, &path, run, &[])?;
    }
    for path in files(&folder, "check_", ".py")? {
        python::script(&python, &path, run, &[&target()])?;
    }
    Ok(())
}

/// The package, built and installed in an environment of its own, against its tests, its stub and its types.
fn python_package(run: Runner<'_>) -> Result<()> {
    let folder = root().join("python");
    let python = python::fresh_environment("package", &folder.join("requirements.txt"), run)?;
    // The profile of the tests: assertions are on, and it is built in half the time.
    package::install(&python, "dev", run)?;
    let program = built_command(run)?;
    run(&mut command(&python, ["-m", "mypy", "python/src/shallows"]))?;
    run(&mut command(&python, ["-m", "mypy.stubtest", "shallows._shallows"]))?;
    // With the examples in the documentation and in the README.
    let tests = ["-m", "pytest", "python/tests", "README.md", "--pyargs", "shallows"];
    run(command(&python, tests).env("SHALLOWS_COMMAND", program))
}

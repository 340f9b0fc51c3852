//! The plan of the house holds: rooms import only from rooms before them, one file names the matrix crate,
//! nothing outside tests unwraps, and every type name means one thing.
//!
//! Code under `#[cfg(test)]` is exempt: a test may look at the whole house. Files are formatted (the format
//! stage of `cargo xtask test` sees to that), so a block ends at the first `}` with the indentation of its start.

#![allow(clippy::unwrap_used)]

mod examples;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use shallows::certificate::Theorem;

/// The rooms from first to last; rooms on one line do not import each other.
const ORDER: [&[&str]; 18] = [
    &["error"],
    &["file", "watch"],
    &["linalg", "random"],
    &["statistics"],
    &["draw"],
    &["activation"],
    &["network"],
    &["data"],
    &["risk"],
    &["spectrum"],
    &["optimise", "convex"],
    &["recover", "fleet", "landscape", "wide"],
    &["model"],
    &["certificate"],
    &["fit"],
    &["lab"],
    &["job"],
    // The crate root declares the rooms and may name any of them.
    &["lib"],
];

/// What finds may be clever, what proves may not depend on it: the room of proofs imports none of these, which come before
/// it, nor `fit`, which comes after.
const NOT_FOR_PROOFS: [&str; 6] = ["optimise", "convex", "recover", "fleet", "landscape", "wide"];

fn level(room: &str) -> Option<usize> {
    ORDER.iter().position(|rooms| rooms.contains(&room))
}

/// What the crate root re-exports, each name with the room that it comes from: `use crate::Fit` is an import from `fit`.
fn re_exports(root: &str) -> BTreeMap<String, String> {
    let mut rooms = BTreeMap::new();
    for item in code(root).split(';') {
        let Some(path) = item.trim().strip_prefix("pub use ") else { continue };
        let path = path.strip_prefix("crate::").unwrap_or(path);
        let (parents, names) = path.rsplit_once("::").unwrap();
        let room = parents.split("::").next().unwrap_or_default();
        for name in names.trim_matches(['{', '}']).split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let name = name.rsplit(" as ").next().unwrap_or(name);
            rooms.insert(name.to_owned(), room.to_owned());
        }
    }
    rooms
}

/// What the crate root re-exports.
fn names_at_the_root() -> BTreeMap<String, String> {
    re_exports(&fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap())
}

/// The code of a file without comments and without what is under `#[cfg(test)]`.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let content = line.trim_start();
        let indentation = &line[..line.len() - content.len()];
        if content == "#[cfg(test)]" {
            let item = lines.by_ref().find(|next| !next.trim_start().starts_with("#["));
            if item.is_some_and(|item| item.ends_with('{')) {
                let end = format!("{indentation}}}");
                lines.by_ref().find(|next| *next == end);
            }
            continue;
        }
        let content = line.split(" // ").next().unwrap_or_default();
        if !content.trim_start().starts_with("//") {
            code.push_str(content);
            code.push('\n');
        }
    }
    code
}

/// The names that follow `crate::`, those of a group `crate::{…}` included.
fn imports(code: &str) -> Vec<String> {
    let identifier = |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.push(identifier(rest));
            continue;
        };
        let mut depth = 0;
        let mut name = String::new();
        for character in group.chars() {
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => names.push(identifier(std::mem::take(&mut name).trim())),
                _ if depth == 0 => name.push(character),
                _ => {}
            }
        }
        names.push(identifier(name.trim()));
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The string literals of some code, as they are written.
fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['"', '\'']) {
        let (before, tail) = (&rest[..at], &rest[at + 1..]);
        if rest[at..].starts_with('\'') {
            // A character may be a quotation mark; a lifetime has no second apostrophe.
            let skipped =
                ["\"'", "\\\"'", "\\''"].iter().find(|quote| tail.starts_with(**quote)).map_or(0, |quote| quote.len());
            rest = &tail[skipped..];
            continue;
        }
        let hashes = before.len() - before.trim_end_matches('#').len();
        let is_raw = before[..before.len() - hashes].ends_with('r');
        let closing = format!("\"{}", "#".repeat(hashes));
        let end = if is_raw { tail.find(&closing) } else { end_of_literal(tail) }.unwrap_or(tail.len());
        found.push(tail[..end].to_owned());
        rest = tail.get(end + 1..).unwrap_or_default();
    }
    found
}

/// The first quotation mark that no backslash stands before.
fn end_of_literal(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, character)| {
        let ends = character == '"' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        ends.then_some(at)
    })
}

/// Whether a text names an option such as `--target`, a command or a document of the repository.
fn speaks_command(text: &str) -> bool {
    let names_option = text.match_indices("--").any(|(at, _)| {
        let starts = !text[..at].ends_with(['-', '!']);
        starts && text[at + 2..].starts_with(|next: char| next.is_ascii_lowercase())
    });
    names_option || text.contains("`shallows ") || (text.contains("README") && !text.ends_with(".md"))
}

/// What is wrong with a file; `path` is relative to src, with slashes.
fn faults(path: &str, text: &str) -> Vec<String> {
    let room = path.split(['/', '.']).next().unwrap_or_default();
    let Some(own_level) = level(room) else {
        return vec![format!("{path}: the room {room} has no place in the order of tests/architecture/main.rs")];
    };
    let code = code(text);
    // From a file of depth m in the tree, m times `super` is the crate.
    let up = "super::".repeat(path.split('/').count());
    let at_the_root = names_at_the_root();
    let imported: Vec<String> = imports(&code.replace(&up, "crate::"))
        .into_iter()
        .map(|name| at_the_root.get(&name).cloned().unwrap_or(name))
        .collect();
    let mut faults = Vec::new();
    for name in &imported {
        let Some(other) = level(name) else {
            faults.push(format!("{path}: {name} is neither a room nor a name at the root"));
            continue;
        };
        if *name != room && other >= own_level && room != "lib" {
            faults.push(format!("{path}: {room} imports from {name}, which does not come before it"));
        }
    }
    if room == "certificate" {
        let found = imported.iter().find(|name| NOT_FOR_PROOFS.contains(&name.as_str()));
        faults.extend(found.map(|name| format!("{path}: the room of proofs imports {name}")));
        let unfit = ["unsafe", "macro_rules"].into_iter().find(|word| code.contains(word));
        faults.extend(unfit.map(|word| format!("{path}: {word} in the room of proofs")));
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if path != "linalg/backend.rs" && code.split(|c| !is_word(c)).any(|word| word == "faer") {
        faults.push(format!("{path}: only linalg/backend.rs names the matrix crate"));
    }
    faults.extend(
        literals(&code)
            .iter()
            .filter(|text| speaks_command(text))
            .map(|text| format!("{path}: \"{text}\" names an option or a command, which only a front end may do")),
    );
    for call in [".unwrap()", ".expect("] {
        if code.contains(call) {
            faults.push(format!("{path}: {call} outside a test"));
        }
    }
    faults
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn no_arrow_points_up_and_nothing_unwraps() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = rust_files(&src);
    assert!(files.len() > 10);
    let mut all = Vec::new();
    for file in files {
        let relative = file.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/");
        all.extend(faults(&relative, &fs::read_to_string(&file).unwrap()));
    }
    assert!(all.is_empty(), "\n{}", all.join("\n"));
}

#[test]
fn a_trait_is_only_what_becomes_different_machine_code() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut traits: Vec<String> = Vec::new();
    for file in rust_files(&src) {
        let code = code(&fs::read_to_string(&file).unwrap());
        let words: Vec<&str> = code.split_whitespace().collect();
        let named = words.windows(2).filter(|pair| pair[0] == "trait");
        traits.extend(named.map(|pair| pair[1].trim_end_matches([':', '{']).to_owned()));
    }
    traits.sort();
    assert_eq!(traits, ["Jet", "LeastSquares", "Objective", "Predict", "Real", "Vector"]);
}

#[test]
fn the_folder_of_theorems_holds_one_file_for_each_and_nothing_else() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/certificate/theorem");
    let found = rust_files(&folder).into_iter().map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned());
    let mut ids: Vec<String> = Theorem::ALL.iter().map(|theorem| theorem.id().replace('-', "_")).collect();
    ids.sort();
    assert_eq!(found.collect::<Vec<_>>(), ids);
    for file in rust_files(&folder) {
        let text = fs::read_to_string(&file).unwrap();
        // What is claimed is written once, in the text of the theorem; the header holds what proves it.
        assert!(!text.contains("//! # Claim"), "{}: the claim twice", file.display());
    }
}

#[test]
fn planted_faults_are_found() {
    for (path, text) in [
        ("certificate/theorem.rs", "use crate::convex::Program;\n"),
        ("certificate/file.rs", "use crate::{data::Data, fit::Fit};\n"),
        ("certificate/file.rs", "use crate::Fit;\n"),
        ("certificate/file.rs", "use crate::{Data, Quadratic};\n"),
        ("certificate/file.rs", "use crate::Cellar;\n"),
        ("network.rs", "fn f() -> crate::Model {\n"),
        ("network.rs", "use super::Data;\n"),
        ("certificate/arithmetic.rs", "unsafe { read() };\n"),
        ("network.rs", "use crate::risk::Value;\n"),
        ("error.rs", "const A: &str = \"name one with --target\";\n"),
        ("error.rs", "const A: (char, &str) = ('\"', \"`shallows fit` writes one\");\n"),
        ("error.rs", "const A: &str = r#\"say \"--drop\"\"#;\n"),
        ("network/block.rs", "fn f() -> crate::fit::Model {\n"),
        ("network.rs", "use super::data::Data;\n"),
        ("network/block.rs", "use super::super::data::Data;\n"),
        ("risk.rs", "use crate::{\n    linalg::{Matrix, dot},\n    optimise::Stop,\n};\n"),
        ("optimise/stop.rs", "use crate::convex::Dual;\n"),
        ("random.rs", "use crate::linalg::dot;\n"),
        ("draw/heat.rs", "use crate::network::Network;\n"),
        ("cellar.rs", "\n"),
        ("cellar/wine.rs", "\n"),
        ("risk.rs", "use faer::Mat;\n"),
        ("risk.rs", "    let x = y.unwrap();\n"),
        ("risk.rs", "#[cfg(test)]\nmod tests {\n    use super::*;\n}\n\nfn f() {\n    y.expect(\"why\");\n}\n"),
    ] {
        assert!(!faults(path, text).is_empty(), "{path}: {text}");
    }
}

#[test]
fn what_is_allowed_is_not_a_fault() {
    for (path, text) in [
        ("risk.rs", "use crate::linalg::{self, Matrix};\nuse crate::network::Network;\n"),
        ("certificate/file.rs", "use crate::{Data, Network};\nfn f() -> crate::Result<()> {\n"),
        ("risk/empirical.rs", "use super::quadratic;\nuse crate::risk::Value;\n"),
        ("network.rs", "//! As in [`crate::risk`].\n/// `x.unwrap()` with faer\nfn f() {} // crate::fit\n"),
        ("network.rs", "#[cfg(test)]\nmod tests {\n    use crate::risk::Value;\n    fn f() { x.unwrap() }\n}\n"),
        ("linalg/backend.rs", "use faer::Mat;\n"),
        ("risk.rs", "let x = y.unwrap_or(0.0).max(my_faer_free(z));\npub(crate) fn f() {}\n"),
        ("lib.rs", "pub use crate::fit::Model;\n"),
    ] {
        assert_eq!(faults(path, text), Vec::<String>::new(), "{path}: {text}");
    }
}

#[test]
fn a_name_at_the_root_belongs_to_the_room_it_comes_from() {
    let root = "pub mod fit;\n\npub use fit::{Automatic, Fit};\npub use job::descent::Descent;\npub use crate::model::Model as M;\n";
    let rooms = [("Automatic", "fit"), ("Descent", "job"), ("Fit", "fit"), ("M", "model")];
    assert_eq!(re_exports(root), rooms.map(|(name, room)| (name.to_owned(), room.to_owned())).into());
}

/// The types in the last column of the table of words in NOTATION.md.
fn dictionary(notation: &str) -> Vec<String> {
    let words = notation.split("\n## Words\n").nth(1).unwrap();
    let rows = words.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| word"));
    let types = |row: &str| {
        let last = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default().to_owned();
        last.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
    };
    rows.flat_map(types).collect()
}

/// A line without its indentation and without `pub`, `pub(…)` and `unsafe`.
fn without_modifiers(line: &str) -> &str {
    let item = line.trim_start();
    let item = match item.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ").map_or(rest, |(_, item)| item),
        None => item.strip_prefix("pub ").unwrap_or(item),
    };
    item.strip_prefix("unsafe ").unwrap_or(item)
}

/// The types that some code defines, associated types of a trait or an `impl` left out.
fn defined_types(code: &str) -> Vec<String> {
    let mut types = Vec::new();
    let mut is_trait_body = false;
    for line in code.lines() {
        let item = without_modifiers(line);
        if line.starts_with(char::is_alphabetic) && !line.starts_with("where") {
            is_trait_body = item.starts_with("trait ") || (item.starts_with("impl") && item.contains(" for "));
        }
        let mut words = item.split(|c: char| !c.is_alphanumeric() && c != '_');
        let is_type = match words.next() {
            Some("struct" | "enum" | "union" | "trait") => true,
            Some("type") => !is_trait_body,
            _ => false,
        };
        types.extend(words.next().filter(|_| is_type).map(str::to_owned));
    }
    types
}

/// Every type that the Rust files of these folders define, with the files that define it.
fn places_of_types(folders: &[&str]) -> BTreeMap<String, Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in folders.iter().flat_map(|folder| rust_files(&root.join(folder))) {
        for name in defined_types(&code(&fs::read_to_string(&file).unwrap())) {
            places.entry(name).or_default().push(file.strip_prefix(root).unwrap().display().to_string());
        }
    }
    places
}

#[test]
fn every_word_of_the_dictionary_is_one_type() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let types = dictionary(&fs::read_to_string(root.join("NOTATION.md")).unwrap());
    assert!(types.len() > 20, "{types:?}");
    let places = places_of_types(&["src", "verify/src"]);
    for name in types {
        assert!(places.contains_key(&name), "NOTATION.md speaks of {name}, which nothing defines");
    }
}

/// Each crate has the `Result` of its own errors, as is usual in Rust; `Model` is what a Python user holds of the library's.
const ONE_IN_EACH_CRATE: [&str; 2] = ["Model", "Result"];

#[test]
fn every_type_name_means_one_thing() {
    let crates = ["src", "cli/src", "xtask/src", "python/rust"];
    let places = places_of_types(&crates);
    assert!(places.len() > 500, "{} types", places.len());
    let is_repeated = |(name, files): &(&String, &Vec<String>)| match ONE_IN_EACH_CRATE.contains(&name.as_str()) {
        true => crates.iter().any(|one| files.iter().filter(|file| file.starts_with(one)).count() > 1),
        false => files.len() > 1,
    };
    let repeated: Vec<_> = places.iter().filter(is_repeated).collect();
    assert!(repeated.is_empty(), "defined more than once: {repeated:#?}");
}

#[test]
fn a_second_type_of_a_name_is_seen_wherever_it_stands() {
    let code = "pub struct Plan<'a> {\n}\npub(in crate::certificate) enum Plan {\n}\nfn f() {\n    struct Plan;\n}\n\
                #[cfg(unix)]\npub(super) type Plan = u8;\nunsafe trait Plan: Copy {\n    type Real;\n}\n\
                impl Plan for u8 {\n    type Real = f64;\n}\n";
    assert_eq!(defined_types(code), ["Plan"; 5]);
}

#[test]
fn cargo_run_runs_the_command_and_nothing_else() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let line = manifest.lines().find(|line| line.starts_with("default-members")).unwrap();
    let members = line.split('"').skip(1).step_by(2).filter(|member| root.join(member).join("src/main.rs").exists());
    assert_eq!(members.collect::<Vec<_>>(), ["cli"]);
}

/// What is true of a file of the checker: `optimum/*` are all files of a folder.
fn is_named(file: &str, names: &str) -> bool {
    names.split_whitespace().any(|name| match name.strip_suffix('*') {
        Some(folder) => file.starts_with(folder),
        None => file == name,
    })
}

#[test]
fn the_contract_of_the_checker_counts_its_lines() {
    /// A change of a few lines need not change the document, a change of its meaning must.
    const PART_THAT_MAY_DIFFER: f64 = 0.02;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("verify");
    let count = |text: &str| code(text).lines().filter(|line| !line.trim().is_empty()).count();
    let files: BTreeMap<String, usize> = rust_files(&root.join("src"))
        .iter()
        .map(|path| {
            let name = path.strip_prefix(root.join("src")).unwrap().with_extension("");
            (name.to_str().unwrap().replace('\\', "/"), count(&fs::read_to_string(path).unwrap()))
        })
        .collect();
    let contract = fs::read_to_string(root.join("CONTRACT.md")).unwrap();
    let rows: Vec<(&str, f64)> = contract
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let [_, _, names, lines, _] = cells[..] else { return None };
            Some((names.split('`').nth(1)?, lines.replace(',', "").parse().ok()?))
        })
        .collect();
    assert_eq!(rows.len(), 7, "{rows:?}");
    let (all, parts) = rows.split_last().unwrap();
    for file in files.keys() {
        let places = parts.iter().filter(|(names, _)| is_named(file, names)).count();
        assert_eq!(places, 1, "{file} stands in {places} rows of CONTRACT.md");
    }
    let sum =
        |names: &str| files.iter().filter(|(file, _)| is_named(file, names)).map(|(_, lines)| *lines).sum::<usize>();
    let total = files.values().sum::<usize>();
    let counted = parts.iter().map(|(names, stated)| (*names, *stated, sum(names))).chain([(all.0, all.1, total)]);
    for (names, stated, found) in counted {
        let off = (stated - found as f64).abs();
        assert!(
            off <= PART_THAT_MAY_DIFFER * found as f64,
            "CONTRACT.md says {stated} lines, but {found} are in {names}"
        );
    }
}

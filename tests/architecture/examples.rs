//! Every public type and function is shown in use: by an example of its own, or by that of another item that it names.

use std::fs;
use std::path::Path;

use super::rust_files;

/// A public type or function: whether a user sees it at the left margin of a file, and its documentation.
struct PublicItem {
    name: String,
    is_in_impl: bool,
    documentation: Vec<String>,
}

/// Everything public in a file but what is hidden from the documentation. What is `pub` can be reached: the compiler warns
/// of anything else.
fn public_items(text: &str) -> Vec<PublicItem> {
    let (mut items, mut documentation, mut is_hidden) = (Vec::new(), Vec::new(), false);
    for line in text.lines() {
        let content = line.trim_start();
        if let Some(words) = content.strip_prefix("///") {
            documentation.push(words.trim().to_owned());
            continue;
        }
        is_hidden |= content.starts_with("#[doc(hidden)]");
        let mut words = content.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        let kinds = ["fn", "struct", "enum", "trait", "type"];
        if content.starts_with("pub ") && words.any(|word| kinds.contains(&word)) && !is_hidden {
            let name = words.next().unwrap_or_default().to_owned();
            let documentation = std::mem::take(&mut documentation);
            items.push(PublicItem { name, is_in_impl: content.len() < line.len(), documentation });
        }
        if !content.starts_with('#') && !line.starts_with(')') && !content.ends_with(',') {
            (documentation, is_hidden) = (Vec::new(), false);
        }
    }
    items
}

/// Whether some Rust in a documentation is compiled.
fn has_example(documentation: &[String]) -> bool {
    let fences = documentation.iter().filter(|line| line.starts_with("```"));
    fences.step_by(2).any(|fence| fence == "```" || fence == "```no_run")
}

/// The item of "[`item`] shows its use.", without the type that a method belongs to.
fn shown_by(documentation: &[String]) -> Option<String> {
    let text = documentation.join(" ");
    let link = text.split(" shows its use.").next().filter(|before| before.len() < text.len())?;
    let label = link.rsplit("[`").next()?.split("`]").next()?;
    label.rsplit("::").next().map(str::to_owned)
}

/// Public items that neither have an example nor name the item whose example shows them.
fn without_example(items: &[PublicItem]) -> Vec<&str> {
    let shown: Vec<&str> =
        items.iter().filter(|item| has_example(&item.documentation)).map(|item| item.name.as_str()).collect();
    let lacks = |item: &&PublicItem| {
        let is_shown = shown_by(&item.documentation).is_some_and(|name| shown.contains(&name.as_str()));
        !item.is_in_impl && !has_example(&item.documentation) && !is_shown
    };
    items.iter().filter(lacks).map(|item| item.name.as_str()).collect()
}

#[test]
fn every_public_type_and_function_is_shown_in_use() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let items: Vec<PublicItem> =
        rust_files(&src).iter().flat_map(|file| public_items(&fs::read_to_string(file).unwrap())).collect();
    assert!(items.iter().filter(|item| !item.is_in_impl).count() > 400);
    assert_eq!(without_example(&items), Vec::<&str>::new(), "no example, and no \"[`…`] shows its use.\"");
}

#[test]
fn a_missing_example_is_found() {
    let text = "/// A.\n///\n/// ```\n/// f();\n/// ```\n#[derive(\n    Clone,\n)]\npub struct A;\n\n/// B.\npub enum B {\n    /// C.\n    \
                C,\n}\n\n/// C. [`A`] shows its use.\npub fn c() {}\n\n/// D. [`B`] shows its use.\npub fn d() {}\n\n\
                /// E.\n///\n/// ```text\n/// x\n/// ```\npub type E = A;\n\n/// F.\n#[doc(hidden)]\npub fn f() {}\n";
    assert_eq!(without_example(&public_items(text)), ["B", "d", "E"]);
}

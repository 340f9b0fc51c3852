//! Hints in the words of the command: options as they are typed, verbs as they are called.

use shallows::error::{Hint, StoreRemedy, TextGuess, cut, excerpt};

/// Characters of a column's name that a hint repeats.
const LONGEST_NAME: usize = 40;
/// Characters of a list of texts that a hint repeats.
const LONGEST_LIST: usize = 160;

/// What the user of the command can do.
pub fn words(hint: &Hint) -> String {
    match hint {
        Hint::Plain(words) => words.to_string(),
        Hint::SupplyInput { column } => {
            let column = typed(column);
            format!("columns are found by name, in any order; `predict --fill {column}=VALUE` supplies a constant")
        }
        Hint::TextColumn { column, guess } => text_column(&typed(column), *guess),
        Hint::GapWords { column, texts } => gap_words(column.as_deref(), texts),
        Hint::Identifiers { column } => {
            let column = typed(column);
            format!(
                "an identifier? --drop {column} leaves the column out; as text it would be a word; otherwise rescale it and store it as \
                 floats"
            )
        }
        Hint::DateColumn { column } => {
            let column = typed(column);
            format!(
                "write dates as 2004-01-31, months as 2004-01; --drop {column} leaves the column out, --dates drop all dates, and --categorical {column} \
                 takes it as categories"
            )
        }
        Hint::ConvertColumn { column } => {
            let column = typed(column);
            format!("turn it into numbers or words, or leave it out: --drop {column}")
        }
        Hint::WideColumn { column, inputs } => {
            let column = typed(column);
            format!("{column} alone becomes {inputs} inputs: leave it out with --drop {column}, or merge its words")
        }
        Hint::ExplainOnRows { target } => format!("shallows explain MODEL DATA, with the column {}", excerpt(target)),
        Hint::AnotherStore(remedy) => another_store(*remedy, ""),
        other => fixed(other).to_owned(),
    }
}

/// The same where `--store` names the file in question.
#[cfg(feature = "lab")]
pub fn words_of_sweep(hint: &Hint) -> String {
    match hint {
        Hint::AnotherStore(remedy) => another_store(*remedy, " with --store FILE"),
        other => words(other),
    }
}

/// Hints without a value in them.
fn fixed(hint: &Hint) -> &'static str {
    match hint {
        Hint::SmallerStep => "give a smaller --step, or leave it out for a step that adapts",
        Hint::KeepColumn => "leave it out of --drop, or name another target or weight",
        Hint::AnotherTarget => "is this the right target column? name another with --target",
        Hint::PositiveTarget => {
            "--target-scale log is for targets that are all positive: leave it out, or remove the row"
        }
        Hint::BuildParquet => "build with --features parquet,compressed, or convert the table to CSV",
        Hint::OneActivation => "fit it with one activation, such as --activation quadratic",
        Hint::IgnoreExtraColumns => "--ignore-extra ignores them",
        Hint::NameFormat => "end it in .json, .onnx or .safetensors, or give --format",
        Hint::FitWide => "fit it with --activation wide",
        Hint::Calibrate => "fit it with --calibrate 0.2: a fifth of the rows then calibrates intervals",
        Hint::NameActivation => "name it with --activation, or save it as \"activation\" in the metadata",
        Hint::OmitActivation => "leave out --activation: the file names it",
        Hint::WriteModel => "a model is the .safetensors file that `shallows fit` writes",
        Hint::WriteCertificate => "`shallows certify MODEL DATA --certificate FILE` writes one",
        Hint::WritePlan => "`shallows check DATA --find-scale --plan FILE` writes one",
        Hint::RenewPlan => "the plan was altered, or made by another version: recreate it with `shallows check`",
        Hint::ListTheorems => "`shallows theorems` lists them",
        Hint::TableOfFit => "a certificate holds for the table of the fit; --target and --weight set columns aside",
        Hint::TableOfTeacher => {
            "leave out columns that are not inputs; `shallows teach` makes tables that fit a teacher"
        }
        Hint::GiveTeacher => "--teacher MODEL, or --inputs D --width M [--spectrum S1,S2,…]",
        Hint::WidenStudent => "--student-width 1 or more",
        Hint::QuadraticTeacher => "`shallows teach --activation quadratic --save-teacher FILE` makes one that is",
        Hint::SpecificationExample => "`shallows sweep --help` shows a whole specification; the README lists every key",
        Hint::SpecificationKeys => "the README lists the keys and their values under Sweeps",
        Hint::WaitForSweep => {
            "wait for the other sweep or stop it: no finished run is lost; `shallows plot` works meanwhile"
        }
        Hint::ResumeSweep => "`shallows sweep SPECIFICATION` resumes it",
        // Those with a value are worded above.
        Hint::Plain(_)
        | Hint::SupplyInput { .. }
        | Hint::ExplainOnRows { .. }
        | Hint::TextColumn { .. }
        | Hint::GapWords { .. }
        | Hint::Identifiers { .. }
        | Hint::DateColumn { .. }
        | Hint::ConvertColumn { .. }
        | Hint::WideColumn { .. }
        | Hint::AnotherStore(_) => "",
    }
}

/// What to do with texts that may mean gaps.
fn gap_words(column: Option<&str>, texts: &[String]) -> String {
    let names = typed_within(&texts.join(","), LONGEST_LIST);
    let question = if texts.len() == 1 { "a gap?" } else { "gaps?" };
    let as_gaps = format!("{question} --gaps {names} takes such cells as gaps");
    match column.map(typed) {
        Some(column) => {
            format!(
                "{as_gaps}; --categorical {column} takes the whole column as categories, --drop {column} leaves it out"
            )
        }
        None => format!("{as_gaps}, and rows without a target are left out"),
    }
}

/// What to do with a column of words.
fn text_column(column: &str, guess: TextGuess) -> String {
    let as_words = format!("--categorical {column} takes the whole column as categories");
    let dropped = format!("--drop {column} leaves it out");
    match guess {
        TextGuess::Date => {
            format!("a date or time? turn it into a number, such as days since a start; {dropped}")
        }
        TextGuess::Currency => format!("leave out the sign; {as_words}, {dropped}"),
        TextGuess::Negative => format!("write negative numbers as -537 or -$537; {dropped}"),
        TextGuess::Category => format!("categories? {as_words}; --gaps names texts that mean a gap; {dropped}"),
    }
}

/// What to do about a store; `option` says how this verb names one.
fn another_store(remedy: StoreRemedy, option: &str) -> String {
    match remedy {
        StoreRemedy::Untouched => format!("name another file{option}; this one is untouched"),
        StoreRemedy::ItsVersion => format!("use the version that made it, or sweep into another file{option}"),
        StoreRemedy::ItsSpecification => {
            format!("give the specification it was made for, or sweep into another file{option}")
        }
        StoreRemedy::Permission => format!("check who may write there, or sweep into another file{option}"),
        StoreRemedy::Rerun => {
            format!("run it again: every finished run is kept; if it persists, sweep into another file{option}")
        }
    }
}

/// A name as it is typed on a command line.
fn typed(name: &str) -> String {
    typed_within(name, LONGEST_NAME)
}

fn typed_within(name: &str, longest: usize) -> String {
    let shown = cut(name, longest);
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | ',');
    if !shown.is_empty() && shown.chars().all(is_plain) { shown } else { format!("\"{shown}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_as_they_are_typed() {
        let hint = |column: &str| words(&Hint::TextColumn { column: column.into(), guess: TextGuess::Category });
        assert!(hint("age").ends_with("--drop age leaves it out"));
        assert!(hint("roof area").ends_with("--drop \"roof area\" leaves it out"));
        assert!(!hint("a\u{1b}\nb").chars().any(char::is_control));
    }

    #[test]
    #[cfg(feature = "lab")]
    fn only_a_sweep_has_an_option_for_another_store() {
        let hint = Hint::AnotherStore(StoreRemedy::Untouched);
        assert!(words_of_sweep(&hint).contains("--store FILE"));
        assert!(!words(&hint).contains("--store"));
        assert_eq!(words_of_sweep(&Hint::AnotherTarget), words(&Hint::AnotherTarget));
    }
}

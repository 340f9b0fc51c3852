//! Hints in the words of the Python package: parameters and functions as they are written there.

use shallows::error::{Hint, StoreRemedy, TextGuess, excerpt};

/// What the user of the package can do.
pub fn words(hint: &Hint) -> String {
    match hint {
        Hint::Plain(words) => words.to_string(),
        Hint::SupplyInput { column } => {
            let column = excerpt(column);
            format!(
                "columns are found by name, in any order; shallows.predict(…, fill={{{column}: value}}) supplies a constant"
            )
        }
        Hint::TextColumn { column, guess } => text_column(&excerpt(column), *guess),
        Hint::GapWords { column, texts } => gap_words(column.as_deref(), texts),
        Hint::Identifiers { column } => {
            let column = excerpt(column);
            format!(
                "an identifier? drop=[{column}] leaves the column out; as text it would be a word; otherwise rescale it and store it as \
                 floats"
            )
        }
        Hint::DateColumn { column } => {
            let column = excerpt(column);
            format!(
                "write dates as 2004-01-31, months as 2004-01, or pass a column of dates; drop=[{column}] leaves the column out, dates=\"drop\" all dates"
            )
        }
        Hint::ConvertColumn { column } => {
            let column = excerpt(column);
            format!("turn it into numbers or words, or leave it out: drop=[{column}]")
        }
        Hint::WideColumn { column, inputs } => {
            let column = excerpt(column);
            format!("{column} alone becomes {inputs} inputs: leave it out with drop=[{column}], or merge its words")
        }
        Hint::ExplainOnRows { target } => {
            format!("give rows with the target {}: as y, or as a column of X", excerpt(target))
        }
        Hint::AnotherStore(remedy) => another_store(*remedy).to_owned(),
        other => fixed(other).to_owned(),
    }
}

/// Hints without a value in them.
fn fixed(hint: &Hint) -> &'static str {
    match hint {
        Hint::SmallerStep => "give a smaller step=, or leave it out for a step that adapts",
        Hint::KeepColumn => "leave it out of drop=, or name another target or weight",
        Hint::AnotherTarget => "is this the right target y?",
        Hint::PositiveTarget => {
            "target_scale=\"log\" is for targets that are all positive: leave it out, or remove the row"
        }
        Hint::BuildParquet => "read the file with pandas or polars and pass the frame",
        Hint::OneActivation => "fit it with one activation, such as QuadraticRegressor or activation=\"softplus\"",
        Hint::IgnoreExtraColumns => "shallows.predict(…, ignore_extra=True) ignores them",
        Hint::NameFormat => "end it in .json, .onnx or .safetensors",
        Hint::FitWide => "fit it with activation=\"wide\"",
        Hint::Calibrate => "fit it with calibrate=0.2: a fifth of the rows then calibrates intervals",
        Hint::NameActivation => "name it with activation=, or save it as \"activation\" in the metadata",
        Hint::OmitActivation => "leave out activation=: the file names it",
        Hint::WriteModel => "a model is the .safetensors file that save() of a network writes",
        Hint::WriteCertificate => "shallows.certify(model, X, y).save(path) writes one",
        Hint::WritePlan => "shallows.check(X, y, find_scale=True).save_plan(path) writes one",
        Hint::RenewPlan => "the plan was altered, or made by another version: recreate it with shallows.check",
        Hint::ListTheorems => "shallows.theorems() lists them",
        Hint::TableOfFit => {
            "a certificate holds for the X and y of the fit: X has the same columns, without the target"
        }
        Hint::TableOfTeacher => "leave out columns that are not inputs; shallows.teach makes tables that fit a teacher",
        Hint::GiveTeacher => "give a teacher, or inputs= and width=, or spectrum=[…]",
        Hint::WidenStudent => "student_width= is 1 or more",
        Hint::QuadraticTeacher => "shallows.teach(activation=\"quadratic\").network is one that is",
        Hint::SpecificationExample | Hint::SpecificationKeys => {
            "help(shallows.sweep) shows a specification; the README lists every key under Sweeps"
        }
        Hint::WaitForSweep => "wait for the other sweep or stop it: no finished run is lost",
        Hint::ResumeSweep => "shallows.sweep with the same store= resumes it",
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
    let names = texts.iter().map(|text| excerpt(text)).collect::<Vec<_>>().join(", ");
    let question = if texts.len() == 1 { "a gap?" } else { "gaps?" };
    let as_gaps = format!("{question} gaps=[{names}] takes such cells as gaps");
    match column.map(excerpt) {
        Some(column) => {
            format!(
                "{as_gaps}; categorical=[{column}] takes the whole column as categories, drop=[{column}] leaves it out"
            )
        }
        None => format!("{as_gaps}, and rows without a target are left out"),
    }
}

/// What to do with a column of words.
fn text_column(column: &str, guess: TextGuess) -> String {
    let as_words = format!("categorical=[{column}] takes the whole column as categories");
    let dropped = format!("drop=[{column}] leaves it out");
    match guess {
        TextGuess::Date => {
            format!("a date or time? turn it into a number, such as days since a start; {dropped}")
        }
        TextGuess::Currency => format!("leave out the sign; {as_words}, {dropped}"),
        TextGuess::Negative => format!("write negative numbers as -537 or -$537; {dropped}"),
        TextGuess::Category => format!("categories? {as_words}; gaps= names texts that mean a gap; {dropped}"),
    }
}

/// What to do about a store.
fn another_store(remedy: StoreRemedy) -> &'static str {
    match remedy {
        StoreRemedy::Untouched => "name another file with store=; this one is untouched",
        StoreRemedy::ItsVersion => "use the version that made it, or sweep into another file with store=",
        StoreRemedy::ItsSpecification => {
            "give the specification it was made for, or sweep into another file with store="
        }
        StoreRemedy::Permission => "check who may write there, or sweep into another file with store=",
        StoreRemedy::Rerun => {
            "run it again: every finished run is kept; if it persists, sweep into another file with store="
        }
    }
}

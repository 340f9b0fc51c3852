//! What a person should know about how a table was understood, in words.

use shallows_verify::date::{DateOrder, read, written};
use shallows_verify::table::is_padded;

use super::column::{Cell, Column, cell_of};
use super::gap_words::infinity;
use super::recipe::{ColumnStep, DatePart, Offsets, Recipe, Roles, Treatment};
use super::table::Table;
use crate::error::excerpt;

/// Remarks about a table from which a recipe was learned.
pub(super) fn notes(table: &Table, roles: &Roles, target: &str, recipe: &Recipe) -> Vec<String> {
    let gaps = gaps_in_words(table, &roles.gap_words);
    // A table that was read could have gaps put into it before.
    let Ok(with_gaps) = table.with_gaps(&roles.gap_words) else { return vec![] };
    let table = with_gaps.as_ref();
    let of_target = table.position(target).ok().and_then(|j| truth_in_words(&table.columns[j], target));
    let of_step = |step: &ColumnStep| {
        let column = &table.columns[table.position(&step.name).ok()?];
        let words: Vec<String> =
            index_in_words(table, step).into_iter().chain(column_in_words(table, column, step, roles)).collect();
        (!words.is_empty()).then(|| format!("column {}: {}", excerpt(&step.name), words.join("; ")))
    };
    let of_columns = recipe.columns().iter().filter_map(of_step);
    table.remarks.iter().cloned().chain(gaps).chain(of_target).chain(of_columns).collect()
}

/// How many cells mean a gap because they were said to. Of several spellings of an infinity those are told that occur.
fn gaps_in_words(table: &Table, gap_words: &[String]) -> Option<String> {
    let count = |word: &str| {
        let gap = cell_of(word);
        let of_column = |column: &Column| (0..table.rows()).filter(|&i| column.cell(i) == gap).count();
        table.columns.iter().map(of_column).sum::<usize>()
    };
    let counts: Vec<(&String, usize)> = gap_words.iter().map(|word| (word, count(word))).collect();
    let is_told = |(word, count): &&(&String, usize)| {
        let Some(same) = infinity(word) else { return true };
        *count > 0 || !counts.iter().any(|(other, _)| other != word && infinity(other).as_ref() == Some(&same))
    };
    let each: Vec<String> =
        counts.iter().filter(is_told).map(|(word, count)| format!("{} {count}", excerpt(word))).collect();
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    let cells = if total == 1 { "1 cell counts as a gap".into() } else { format!("{total} cells count as gaps") };
    let each = if each.is_empty() { String::new() } else { format!(": {}", each.join(", ")) };
    (!gap_words.is_empty()).then(|| format!("{cells} as asked{each}"))
}

fn truth_in_words(column: &Column, target: &str) -> Option<String> {
    let is_truth = column.levels().iter().any(|word| word == "true" || word == "false");
    is_truth.then(|| format!("target {}: true is 1 and false is 0", excerpt(target)))
}

/// That a column which nobody named became an input: what pandas writes before the columns often says nothing.
fn index_in_words(table: &Table, step: &ColumnStep) -> Option<String> {
    let j = table.position(&step.name).ok()?;
    let is_input = !matches!(step.treatment, Treatment::Dropped(_));
    let is_index = table.index.unnamed.contains(&j);
    (is_index && is_input).then(|| "the index of a data frame, an input here: it does more than number the rows".into())
}

/// How a column was understood, where another reader might have understood it otherwise.
fn column_in_words(table: &Table, column: &Column, step: &ColumnStep, roles: &Roles) -> Option<String> {
    let count = |is: &dyn Fn(Cell<'_>) -> bool| (0..table.rows()).filter(|&i| is(column.cell(i))).count();
    let first = |is: &dyn Fn(Cell<'_>) -> bool| {
        let at = (0..table.rows()).find(|&i| is(column.cell(i)));
        excerpt(&at.map_or(String::new(), |i| column.text(i)))
    };
    let is_word = |cell: Cell<'_>| matches!(cell, Cell::Word(_));
    let is_number = |cell: Cell<'_>| matches!(cell, Cell::Number(_));
    let is_zero_first = |cell: Cell<'_>| matches!(cell, Cell::Word(word) if is_padded(word));
    match &step.treatment {
        Treatment::Date { origin, parts, offsets, .. } => {
            let parts = parts_in_words(parts, *origin);
            Some(format!("dates, as {parts}{}", offsets_in_words(*offsets)))
        }
        Treatment::Number { .. } | Treatment::Centred { .. } if count(&is_word) > 0 => {
            Some(format!("{} cells such as {} are read as numbers", count(&is_word), first(&is_word)))
        }
        Treatment::Number { .. } | Treatment::Centred { .. } if are_days_of_digits(table, column) => {
            let day = first(&is_number);
            Some(format!("numbers, not dates, although {day} could be one: write it as 2004-01-31"))
        }
        Treatment::Category { .. } if !roles.categorical.contains(&step.name) && column.has_numbers() => {
            let kept = count(&is_zero_first);
            Some(match kept == count(&is_word) {
                true => format!("words, as {kept} cells such as {} begin with a zero", first(&is_zero_first)),
                false => match count(&is_number) {
                    1 => format!("words, the number {} among them", first(&is_number)),
                    numbers => format!("words, {numbers} numbers such as {} among them", first(&is_number)),
                },
            })
        }
        _ => None,
    }
}

/// What becomes of offsets from UTC; nothing where there are none.
fn offsets_in_words(offsets: Offsets) -> &'static str {
    match offsets {
        Offsets::Never => "",
        Offsets::Always => ", in UTC",
        Offsets::Sometimes => ", in UTC, also those that are without an offset",
    }
}

/// Whether a column of numbers holds days as digits alone, such as 20040131.
fn are_days_of_digits(table: &Table, column: &Column) -> bool {
    let is_day = |i: usize| {
        let digits = column.text(i);
        let date = || Some(format!("{}-{}-{}", digits.get(..4)?, digits.get(4..6)?, digits.get(6..)?));
        digits.len() == 8 && date().is_some_and(|date| read(&date, DateOrder::DayFirst).is_some())
    };
    let mut present = (0..table.rows()).filter(|&i| !column.is_missing(i)).peekable();
    column.has_only_digits() && present.peek().is_some() && present.all(is_day)
}

/// Such as: days since 2004-01-01, month, weekday
fn parts_in_words(parts: &[DatePart], origin: i64) -> String {
    let part = |part: &DatePart| match part {
        DatePart::Days => format!("days since {}", written(origin)),
        DatePart::Month | DatePart::Weekday | DatePart::Hour => part.name().to_owned(),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

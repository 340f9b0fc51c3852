//! The quick version of a specification: what its table `[quick]` replaces.
//!
//! ```toml
//! trials = 50
//!
//! [grid]
//! n = 100
//!
//! [quick]          # the last table of the file; every key must have a value above
//! trials = 10
//! grid.n = 20
//! ```
//!
//! A table replaces key by key, a list of tables element by element, and any other value as a whole. The quick version is a
//! text of its own, in which the values stand in their places and the table is gone, so that a store can keep it.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::SpecificationProblem;

/// How much of an experiment is run.
/// [`Specification::parse`](crate::lab::Specification::parse) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it, as it would be published.
    Full,
    /// The smaller one that its table `[quick]` describes: a minute or less.
    Quick,
}

/// What is wrong, and where.
pub(in crate::lab) type Fault = (Range<usize>, SpecificationProblem);

const KEY: &str = "quick";

/// A specification and what its table `[quick]` replaces.
pub(in crate::lab) struct Versions<'a> {
    /// Without the table.
    pub full: &'a str,
    /// With the values of the table, where there is one.
    pub quick: Option<String>,
}

impl<'a> Versions<'a> {
    /// Both versions of a text. A text that is not TOML has only one, and whoever reads that says so.
    pub(crate) fn of(text: &'a str) -> Result<Self, Fault> {
        let only = Versions { full: text, quick: None };
        let Ok(document) = DeTable::parse(text) else { return Ok(only) };
        let table = document.get_ref();
        let Some((key, quick)) = table.iter().find(|(key, _)| key.get_ref() == KEY) else { return Ok(only) };
        let begin = text[..key.span().start].rfind('\n').map_or(0, |line_end| line_end + 1);
        let DeValue::Table(quick) = quick.get_ref() else {
            return Err(fault(quick.span(), KEY, "a table", text));
        };
        let others = table.iter().filter(|(key, _)| key.get_ref() != KEY);
        if let Some(place) = others.map(|(_, value)| last_place(value)).find(|place| place.start > begin) {
            return Err(fault(place, "[quick]", "the last table", text));
        }
        let mut edits = Vec::new();
        replace_table(KEY, table, quick, text, &mut edits)?;
        edits.sort_by_key(|(place, _): &(Range<usize>, &str)| std::cmp::Reverse(place.start));
        let full = &text[..begin];
        let mut quick = full.to_owned();
        edits.into_iter().for_each(|(place, value)| quick.replace_range(place, value));
        Ok(Versions { full, quick: Some(quick) })
    }
}

type Edits<'a> = Vec<(Range<usize>, &'a str)>;

fn replace_table<'a>(
    path: &str,
    own: &DeTable<'_>,
    quick: &DeTable<'_>,
    text: &'a str,
    edits: &mut Edits<'a>,
) -> Result<(), Fault> {
    for (key, value) in quick {
        let path = format!("{path}.{}", key.get_ref());
        let Some((_, place)) = own.iter().find(|(own, _)| own.get_ref() == key.get_ref()) else {
            let problem = (path, "a key that has a value above".to_owned(), "none".to_owned());
            return Err((key.span(), value_problem(problem)));
        };
        replace_value(&path, place, value, text, edits)?;
    }
    Ok(())
}

fn replace_value<'a>(
    path: &str,
    own: &Spanned<DeValue<'_>>,
    quick: &Spanned<DeValue<'_>>,
    text: &'a str,
    edits: &mut Edits<'a>,
) -> Result<(), Fault> {
    match (own.get_ref(), quick.get_ref()) {
        (DeValue::Table(own), DeValue::Table(quick)) => replace_table(path, own, quick, text, edits),
        (DeValue::Array(parts), DeValue::Array(replaced)) if parts.iter().any(|part| part.get_ref().is_table()) => {
            if parts.len() != replaced.len() {
                return Err(fault(quick.span(), path, &format!("a list of {} tables", parts.len()), text));
            }
            let pairs = parts.iter().zip(replaced);
            pairs.into_iter().try_for_each(|(own, quick)| replace_value(path, own, quick, text, edits))
        }
        (DeValue::Table(_), _) => Err(fault(quick.span(), path, "a table", text)),
        _ => {
            edits.push((own.span(), &text[quick.span()]));
            Ok(())
        }
    }
}

/// Where the last part of a value stands.
fn last_place(value: &Spanned<DeValue<'_>>) -> Range<usize> {
    let later = |a: Range<usize>, b: Range<usize>| if b.start > a.start { b } else { a };
    match value.get_ref() {
        DeValue::Table(table) => table.values().map(last_place).fold(value.span(), later),
        DeValue::Array(parts) => parts.iter().map(last_place).fold(value.span(), later),
        _ => value.span(),
    }
}

fn fault(place: Range<usize>, key: &str, requirement: &str, text: &str) -> Fault {
    let value = text.get(place.clone()).unwrap_or_default().lines().next().unwrap_or_default().to_owned();
    (place, value_problem((key.to_owned(), requirement.to_owned(), value)))
}

fn value_problem((key, requirement, value): (String, String, String)) -> SpecificationProblem {
    SpecificationProblem::Value { key, requirement, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_values_stand_in_the_places_of_the_others_and_the_table_is_gone() {
        let text = "a = 50 # fifty\n[grid]\nn = \"1..=3\"\n[[arm]]\nruns = 5\nsteps = [[1, 2]]\n[[arm]]\nruns = 1\n\n\
                    [quick]\na = 7\ngrid.n = [2]\narm = [{ steps = [[0, 1]] }, {}]\n";
        let versions = Versions::of(text).unwrap();
        let full = text.split("[quick]").next().unwrap();
        assert_eq!(versions.full, full);
        let wanted = full.replace("50", "7").replace("\"1..=3\"", "[2]").replace("[[1, 2]]", "[[0, 1]]");
        assert_eq!(versions.quick.unwrap(), wanted);
        assert!(Versions::of(full).unwrap().quick.is_none());
    }

    #[test]
    fn a_quick_value_needs_a_key_above_and_the_table_comes_last() {
        for (text, key, place) in [
            ("a = 1\n[quick]\nb = 2\n", "quick.b", "b = 2"),
            ("[t]\na = 1\n[quick]\nt.b = 2\n", "quick.t.b", "b = 2"),
            ("a = 1\nquick = 3\n", "quick", "3"),
            ("a = 1\n[quick]\na = 2\n[t]\nb = 1\n", "[quick]", ""),
            ("[[t]]\na = 1\n[quick]\nt = []\n", "quick.t", "[]"),
            ("[t]\na = 1\n[quick]\nt = 3\n", "quick.t", "3"),
        ] {
            let Err((span, SpecificationProblem::Value { key: found, .. })) = Versions::of(text) else {
                panic!("{text}: accepted")
            };
            assert_eq!(found, key, "{text}");
            assert!(place.is_empty() || text[span].starts_with(place.split(' ').next().unwrap()), "{text}");
        }
    }
}

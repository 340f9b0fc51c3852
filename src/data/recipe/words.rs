//! What becomes of a column of words.

use std::collections::BTreeMap;

use super::{Gaps, OmissionReason, Treatment};
use crate::data::column::{Cell, Column, name_of};
use crate::data::table::Table;
use crate::error::{CellProblem, Result};

/// Inputs for words; where they say nothing, where there are none may.
pub(super) fn words(column: &Column, rows: &[usize], has_gaps: bool) -> Treatment {
    match category(column, rows) {
        Treatment::Dropped(_) if has_gaps => Treatment::GapsOnly,
        treatment => treatment,
    }
}

/// An input that is the place of a word in a list.
pub(super) fn ordered(table: &Table, j: usize, rows: &[usize], words: &[String]) -> Result<Treatment> {
    let column = &table.columns[j];
    let place = |i: usize| words.iter().position(|word| *word == column.text(i));
    let strange = (0..table.rows()).filter(|&i| !column.is_missing(i) && place(i).is_none());
    let list = words.join(" < ");
    let problem = |i: usize| CellProblem::NotInOrder { text: column.text(i), list: list.clone() };
    table.cells_error(j, strange, problem).map_or(Ok(()), Err)?;
    let mut places: Vec<usize> = rows.iter().filter_map(|&i| place(i)).collect();
    places.sort_unstable();
    let median = places.get(places.len().saturating_sub(1) / 2).copied();
    Ok(Treatment::Ordered { levels: words.to_vec(), median, gaps: Gaps::Never })
}

/// Inputs for the words that occur in at least max(2, n/200) rows; the others share one, however few they are: that they are like
/// the most frequent word is nothing that the rows say.
fn category(column: &Column, rows: &[usize]) -> Treatment {
    const SHARE: usize = 200;
    let frequent = (rows.len() / SHARE).max(2);
    let mut counts: BTreeMap<Word, usize> = BTreeMap::new();
    let mut present = 0;
    for &i in rows {
        let word = match column.cell(i) {
            Cell::Missing => continue,
            Cell::Number(x) => Word(Some(x), name_of(x)),
            Cell::Word(word) => Word(None, word.to_owned()),
        };
        present += 1;
        *counts.entry(word).or_default() += 1;
    }
    if counts.len() == present && present > 2 {
        return Treatment::Dropped(OmissionReason::AllDifferent);
    }
    let (mut kept, rest): (Vec<_>, Vec<_>) = counts.into_iter().partition(|(_, count)| *count >= frequent);
    let other = !rest.is_empty();
    // The most frequent one, and the first of these in the alphabet.
    let Some(most) = kept.iter().map(|(_, count)| *count).max() else {
        return Treatment::Dropped(OmissionReason::Rare);
    };
    let at = kept.iter().position(|(_, count)| *count == most).unwrap_or(0);
    let reference = kept.remove(at).0.1;
    if kept.is_empty() && !other {
        return Treatment::Dropped(OmissionReason::Rare);
    }
    Treatment::Category {
        reference,
        levels: kept.into_iter().map(|(word, _)| word.1).collect(),
        other,
        gaps: Gaps::Never,
    }
}

/// A word, or a number as one, in the order in which a person would list them.
#[derive(Clone, Debug, PartialEq)]
struct Word(Option<f64>, String);

impl Eq for Word {}

impl PartialOrd for Word {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Word {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        match (self.0, other.0) {
            (Some(x), Some(y)) => x.total_cmp(&y),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => self.1.cmp(&other.1),
        }
    }
}

//! The index of a data frame: names or numbers of its rows, written as the first column.

use std::collections::HashSet;

#[cfg(feature = "arrow")]
use super::column::Column;

/// What an index is called whose file gives it no name.
const NAME: &str = "index";
/// What programs call a column that had no name in the file that they read: pandas, and readr of R.
const STAND_INS: [&str; 2] = ["Unnamed: 0", "...1"];

/// Under which key pandas keeps what it knows about a data frame.
#[cfg(feature = "arrow")]
pub(super) const PANDAS: &str = "pandas";
/// What pandas calls an index without a name in a file that needs one.
#[cfg(feature = "arrow")]
const LEVEL: &str = "__index_level_0__";

/// The columns of a data frame in the order that its text would have: what pandas notes as index comes first. The
/// index without a name is called as in a text.
#[cfg(feature = "arrow")]
pub(super) fn of_frame(
    names: Vec<String>,
    columns: Vec<Column>,
    pandas: Option<&str>,
) -> (Vec<String>, Vec<Column>, Option<usize>) {
    let noted = pandas.map(noted_index).unwrap_or_default();
    let is_index = |name: &String| name == LEVEL || noted.contains(name);
    let pairs = names.into_iter().zip(columns);
    let (index, others): (Vec<_>, Vec<_>) = pairs.partition(|(name, _)| is_index(name));
    let (mut names, columns): (Vec<String>, Vec<Column>) = index.into_iter().chain(others).unzip();
    if let Some(first) = names.first_mut().filter(|first| *first == LEVEL) {
        first.clear();
    }
    let index = named(&mut names);
    (names, columns, index)
}

/// The columns that pandas notes as index.
#[cfg(feature = "arrow")]
fn noted_index(note: &str) -> Vec<String> {
    let note: serde_json::Value = serde_json::from_str(note).unwrap_or_default();
    let columns = note.get("index_columns").and_then(|columns| columns.as_array());
    columns.into_iter().flatten().filter_map(|name| name.as_str().map(|name| name.trim().to_owned())).collect()
}

/// Name the first column, where it has no name, and say where the index is.
pub(super) fn named(names: &mut [String]) -> Option<usize> {
    let (first, others) = names.split_first_mut()?;
    if others.is_empty() {
        return None;
    }
    if first.is_empty() {
        *first = free_name(others);
        return Some(0);
    }
    STAND_INS.contains(&first.as_str()).then_some(0)
}

/// `index`, or `index1`, `index2`, … where a column is called so.
fn free_name(names: &[String]) -> String {
    let names: HashSet<&String> = names.iter().collect();
    let numbered = (1..).map(|number| format!("{NAME}{number}"));
    let mut candidates = [NAME.to_owned()].into_iter().chain(numbered);
    candidates.find(|name| !names.contains(&name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_of_several_columns_may_be_without_a_name() {
        let named = |names: &[&str]| {
            let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            (named(&mut names), names.join(" "))
        };
        assert_eq!(named(&["", "a"]), (Some(0), "index a".into()));
        assert_eq!(named(&["", "index", "index1"]), (Some(0), "index2 index index1".into()));
        assert_eq!(named(&["Unnamed: 0", "a"]), (Some(0), "Unnamed: 0 a".into()));
        assert_eq!(named(&["a", ""]), (None, "a ".into()));
        assert_eq!(named(&[""]), (None, "".into()));
    }
}

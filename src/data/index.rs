//! The index of a data frame: names or numbers of its rows, written as the first columns.

use std::collections::HashSet;

#[cfg(feature = "arrow")]
use super::{column::Column, table::FrameIndex};

/// What an index is called whose file gives it no name.
const NAME: &str = "index";
/// What programs call a column that had no name in the file that they read: pandas, which counts, and readr of R.
const STAND_INS: [&str; 2] = ["Unnamed: ", "..."];

/// Under which key pandas keeps what it knows about a data frame.
#[cfg(feature = "arrow")]
pub(super) const PANDAS: &str = "pandas";
/// What pandas calls parts of an index without a name in a file that needs one: `__index_level_0__`.
#[cfg(feature = "arrow")]
const LEVEL: [&str; 2] = ["__index_level_", "__"];

/// The columns of a data frame in the order that its text would have: what pandas notes as index comes first. An index
/// without a name is called as in a text.
#[cfg(feature = "arrow")]
pub(super) fn of_frame(
    names: Vec<String>,
    columns: Vec<Column>,
    pandas: Option<&str>,
) -> (Vec<String>, Vec<Column>, FrameIndex) {
    let noted = pandas.map(noted_index).unwrap_or_default();
    let is_index = |name: &String| is_level(name) || noted.contains(name);
    let pairs = names.into_iter().zip(columns);
    let (index, others): (Vec<_>, Vec<_>) = pairs.partition(|(name, _)| is_index(name));
    let count = index.len();
    let (mut names, columns): (Vec<String>, Vec<Column>) = index.into_iter().chain(others).unzip();
    names.iter_mut().take_while(|name| is_level(name)).for_each(String::clear);
    let unnamed = named(&mut names);
    let named = (0..count).filter(|at| !unnamed.contains(at)).collect();
    (names, columns, FrameIndex { unnamed, named })
}

#[cfg(feature = "arrow")]
fn is_level(name: &str) -> bool {
    let number = name.strip_prefix(LEVEL[0]).and_then(|rest| rest.strip_suffix(LEVEL[1]));
    number.is_some_and(|number| number.parse::<usize>().is_ok())
}

/// The columns that pandas notes as index.
#[cfg(feature = "arrow")]
fn noted_index(note: &str) -> Vec<String> {
    let note: serde_json::Value = serde_json::from_str(note).unwrap_or_default();
    let columns = note.get("index_columns").and_then(|columns| columns.as_array());
    columns.into_iter().flatten().filter_map(|name| name.as_str().map(|name| name.trim().to_owned())).collect()
}

/// Name the first columns, where they have no names, and say which are an index: those, and after them those with a name that
/// stands in for none. The last column is never one.
pub(super) fn named(names: &mut [String]) -> Vec<usize> {
    let most = names.len().saturating_sub(1);
    let unnamed = names[..most].iter().take_while(|name| name.is_empty()).count();
    for at in 0..unnamed {
        names[at] = free_name(names);
    }
    let stand_ins = names[unnamed..most].iter().take_while(|name| is_stand_in(name)).count();
    (0..unnamed + stand_ins).collect()
}

/// Such as `Unnamed: 0` and, from a file that was read and written twice, `Unnamed: 0.1`.
fn is_stand_in(name: &str) -> bool {
    let is_counted = |rest: &str| !rest.is_empty() && rest.split('.').all(|part| part.parse::<usize>().is_ok());
    STAND_INS.iter().any(|start| name.strip_prefix(start).is_some_and(is_counted))
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

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn the_first_columns_may_be_without_a_name_but_not_the_last() {
        let named = |names: &[&str]| {
            let mut names = owned(names);
            (named(&mut names), names.join(" "))
        };
        assert_eq!(named(&["", "a"]), (vec![0], "index a".into()));
        assert_eq!(named(&["", "index", "index1"]), (vec![0], "index2 index index1".into()));
        assert_eq!(named(&["", "", "index1", "a"]), (vec![0, 1], "index index2 index1 a".into()));
        assert_eq!(named(&["Unnamed: 0", "a"]), (vec![0], "Unnamed: 0 a".into()));
        assert_eq!(named(&["", "Unnamed: 0", "Unnamed: 0.1", "a"]).0, [0, 1, 2]);
        assert_eq!(named(&["...1", "a"]).0, [0]);
        assert_eq!(named(&["Unnamed: 0x", "a"]).0, [0; 0]);
        assert_eq!(named(&["a", "", "Unnamed: 0", "b"]), (vec![], "a  Unnamed: 0 b".into()));
        assert_eq!(named(&["", ""]), (vec![0], "index ".into()));
        assert_eq!(named(&[""]), (vec![], "".into()));
        assert_eq!(named(&[]).0, [0; 0]);
    }

    #[cfg(feature = "arrow")]
    #[test]
    fn what_pandas_notes_as_index_comes_first_whether_it_has_a_name_or_not() {
        let frame = |names: &[&str], note: Option<&str>| {
            let columns = vec![Column::of_numbers(vec![1.0]); names.len()];
            let (names, _, index) = of_frame(owned(names), columns, note);
            (names.join(" "), index.unnamed, index.named)
        };
        let note = |names: &str| format!(r#"{{"index_columns": [{names}]}}"#);
        let levels = note(r#""__index_level_0__", "__index_level_1__""#);
        let found = frame(&["a", "y", "__index_level_0__", "__index_level_1__"], Some(&levels));
        assert_eq!(found, ("index index1 a y".into(), vec![0, 1], vec![]));
        assert_eq!(frame(&["a", "id"], Some(&note(r#""id""#))), ("id a".into(), vec![], vec![0]));
        assert_eq!(frame(&["Unnamed: 0", "a"], None), ("Unnamed: 0 a".into(), vec![0], vec![]));
    }
}

//! Cells of new tables that look otherwise than those of the fit: what is read is said, and what cannot be meant is refused.

use std::path::Path;

use shallows::data::recipe::{DateOrder, Gaps, Treatment};
use shallows::data::{Reading, Roles, Table};
use shallows::error::Error;

fn table(text: &str) -> Table {
    Table::read_csv(text.as_bytes(), Path::new("t.csv")).unwrap()
}

/// A table of one column and a target that counts.
fn column(cells: &[&str]) -> Table {
    let line = |(i, cell): (usize, &&str)| format!("\"{cell}\",{i}\n");
    table(&("c,y\n".to_owned() + &cells.iter().enumerate().map(line).collect::<String>()))
}

/// What is said about a new cell after a fit of these.
fn said(cells: &[&str], new: &str) -> Result<Vec<String>, Error> {
    let recipe = Reading::default().learned(&column(cells))?.recipe;
    recipe.inputs(&column(&[new])).map(|inputs| inputs.remarks)
}

#[test]
fn a_new_date_of_which_day_and_month_could_be_exchanged_is_read_as_the_rows_of_the_fit_were() {
    const ISO: [&str; 3] = ["2004-01-01", "2004-01-02", "2004-02-01"];
    let month_first = said(&["1/31/2004", "2/1/2004", "3/1/2004"], "1/2/2004").unwrap();
    assert_eq!(month_first, ["column \"c\": dates such as \"1/2/2004\" are read with the month first"]);
    let day_first = said(&["31/1/2004", "2/1/2004", "3/1/2004"], "1/2/2004").unwrap();
    assert_eq!(day_first, ["column \"c\": dates such as \"1/2/2004\" are read with the day first"]);
    // Where these do not say it, it is refused.
    let refusal = said(&ISO, "1/2/2004").unwrap_err();
    let expected =
        "\"1/2/2004\" could be two dates: the rows of the fit do not say whether the day or the month comes first";
    assert!(refusal.to_string().contains(expected), "{refusal}");
    for settled in ["2004-03-01", "13/2/2004", "2/13/2004", "1/1/2004", "1.2.2004", "1 Feb 2004"] {
        assert!(said(&ISO, settled).unwrap().is_empty(), "{settled}");
    }
}

#[test]
fn the_order_of_a_column_is_none_where_no_date_shows_it() {
    let order =
        |cells: &[&str]| match &Reading::default().learned(&column(cells)).unwrap().recipe.columns()[0].treatment {
            Treatment::Date { order, .. } => *order,
            other => panic!("{other:?}"),
        };
    assert_eq!(order(&["2004-01-01", "2004-01-02", "2004-02-01"]), DateOrder::Unsaid);
    assert_eq!(order(&["1.2.2004", "1.3.2004", "5.6.2004"]), DateOrder::Unsaid);
    assert_eq!(order(&["13/2/2004", "1/3/2004", "5/6/2004"]), DateOrder::DayFirst);
    assert_eq!(order(&["2/13/2004", "1/3/2004", "5/6/2004"]), DateOrder::MonthFirst);
}

#[test]
fn a_date_in_the_other_order_is_refused_as_one() {
    let refusal = said(&["31/1/2004", "2/1/2004", "3/1/2004"], "1/13/2004").unwrap_err().to_string();
    assert!(refusal.contains("\"1/13/2004\" is no date with the day first, as in the rows of the fit"), "{refusal}");
    let refusal = said(&["1/31/2004", "2/1/2004", "3/1/2004"], "13/1/2004").unwrap_err().to_string();
    assert!(refusal.contains("\"13/1/2004\" is no date with the month first, as in the rows of the fit"), "{refusal}");
}

#[test]
fn offsets_that_the_rows_of_the_fit_did_not_have_are_told() {
    const NEVER: [&str; 2] = ["2004-01-01 01:00", "2004-01-02 01:00"];
    const SOMETIMES: [&str; 2] = ["2004-01-01 01:00", "2004-01-02 01:00Z"];
    const ALWAYS: [&str; 2] = ["2004-01-01 01:00+02", "2004-01-02 01:00Z"];
    let (with, without) = ("2004-01-03 01:00+01:00", "2004-01-03 01:00");
    for (cells, new) in [(NEVER, without), (SOMETIMES, with), (ALWAYS, with)] {
        assert!(said(&cells, new).unwrap().is_empty(), "{cells:?}, {new}");
    }
    for (cells, new, remark) in [
        (NEVER, with, "has an offset from UTC and count in UTC, but the rows of the fit had no offsets"),
        (SOMETIMES, without, "has no offset from UTC and count as UTC"),
        (ALWAYS, without, "has no offset from UTC and count as UTC, but all rows of the fit had one"),
    ] {
        assert_eq!(said(&cells, new).unwrap(), [format!("column \"c\": 1 cell, \"{new}\", {remark}")]);
    }
}

#[test]
fn a_column_of_words_of_which_none_is_known_is_refused() {
    let cells = ["red", "red", "blue", "blue"];
    let recipe = Reading::default().learned(&column(&cells)).unwrap().recipe;
    let refusal = recipe.inputs(&column(&["rouge", "bleu", "rouge"])).unwrap_err().to_string();
    assert!(refusal.contains("3 cells are none of the words of the fit") && refusal.contains("blue"), "{refusal}");
    // One word alone may be new, as any word may.
    assert!(said(&cells, "rouge").unwrap()[0].contains("1 unknown, such as \"rouge\""));
    assert!(recipe.inputs(&column(&["rouge", "rouge"])).is_ok());
    // One word that is known shows that the others are new ones.
    let remarks = recipe.inputs(&column(&["rouge", "blue"])).unwrap().remarks;
    assert!(remarks[0].contains("1 unknown, such as \"rouge\""), "{remarks:?}");
    assert!(recipe.inputs(&column(&["rouge", "", "bleu"])).is_err());
    // Rows held out from a fit may all have words of their own.
    assert_eq!(recipe.data(&column(&["rouge", "bleu"]), "y", None, None).unwrap().X.as_slice(), [0.0, 0.0]);
    // Gaps are no words, and with a level for all others every word has its place.
    let with_gap = Reading::default().learned(&column(&["red", "red", "blue", "blue", ""])).unwrap().recipe;
    assert!(with_gap.inputs(&column(&["", ""])).is_ok());
    let mut many = vec!["red"; 200];
    many.extend(["blue"; 200]);
    many.push("grey");
    let with_other = Reading::default().learned(&column(&many)).unwrap().recipe;
    assert!(with_other.inputs(&column(&["rouge"])).unwrap().remarks[0].contains("taken as \"other\""));
}

#[test]
fn a_word_other_of_its_own_is_not_all_other_words() {
    let mut cells = vec!["red"; 200];
    cells.extend(["other"; 100]);
    cells.push("grey");
    let recipe = Reading::default().learned(&column(&cells)).unwrap().recipe;
    assert_eq!(recipe.input_names(), ["c=other", "c=other′"]);
    let inputs = recipe.inputs(&column(&["red", "other", "grey", "mauve"])).unwrap();
    let rows: Vec<[f64; 2]> = (0..4).map(|i| [inputs.X[(i, 0)], inputs.X[(i, 1)]]).collect();
    assert_eq!(rows, [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]);
    assert!(inputs.remarks[0].contains("taken as \"other′\""), "{:?}", inputs.remarks);
    // Where it is the most frequent word, too.
    let recipe =
        Reading::default().learned(&column(&[&["other"; 200][..], &["red"; 100], &["grey"]].concat())).unwrap();
    assert_eq!(recipe.recipe.input_names(), ["c=red", "c=other′"]);
}

#[test]
fn one_and_nought_are_true_and_false_where_the_rows_of_the_fit_had_these() {
    let recipe = Reading::default().learned(&column(&["true", "true", "false", "false"])).unwrap().recipe;
    let known = recipe.inputs(&column(&["False", "True"])).unwrap();
    let found = recipe.inputs(&column(&["0", "1"])).unwrap();
    assert_eq!([found.X[(0, 0)], found.X[(1, 0)]], [known.X[(0, 0)], known.X[(1, 0)]]);
    assert_eq!(found.remarks, ["column \"c\": 2 cells with 1 or 0 taken as true or false"]);
    assert!(known.remarks.is_empty());
    // Another number is no truth value.
    assert!(recipe.inputs(&column(&["0", "2"])).is_err());
    let of_words = Reading::default().learned(&column(&["yes", "yes", "no", "no"])).unwrap().recipe;
    assert!(of_words.inputs(&column(&["0", "1"])).is_err());
}

#[test]
fn parts_of_an_index_without_names_are_left_out_each_where_it_numbers_the_rows() {
    let text = ",,a,y\n0,5,1,1\n1,5,3,4\n2,6,2,9\n3,6,5,7\n";
    let samples = Reading::default().learned(&table(text)).unwrap();
    // The first numbers the rows, the second does not.
    assert_eq!(samples.recipe.input_names(), ["index1", "a"]);
    assert!(samples.remark().unwrap_or_default().contains("the index of a data frame, an input here"));
    let twice = ",Unnamed: 0,a,y\n0,7,1,1\n1,8,3,4\n2,9,2,9\n";
    assert_eq!(Reading::default().learned(&table(twice)).unwrap().recipe.input_names(), ["a"]);
    // New rows may come without it.
    let recipe = Reading::default().learned(&table(twice)).unwrap().recipe;
    assert!(recipe.inputs(&table("a\n4\n")).unwrap().ignored.is_empty());
    let recipe = Reading::default().learned(&table("a,y\n1,1\n3,4\n2,9\n")).unwrap().recipe;
    let inputs = recipe.inputs(&table(twice)).unwrap();
    assert_eq!((inputs.ignored.as_slice(), inputs.remarks.len()), (&["y".to_owned()][..], 2), "{inputs:?}");
}

#[test]
fn a_time_of_day_is_no_date() {
    const ISO: [&str; 3] = ["2004-01-01", "2004-01-02", "2004-02-01"];
    let refusal = said(&ISO, "12:30").unwrap_err().to_string();
    assert!(refusal.contains("\"12:30\" is not a date"), "{refusal}");
    let refusal = said(&["2004-01-01", "12:30", "2004-02-01", "9:05 pm"], "").unwrap_err().to_string();
    assert!(refusal.contains("2 cells are not dates") && refusal.contains("\"12:30\" (line 3)"), "{refusal}");
    assert!(said(&["12:30", "9:05 pm", "9:07"], "23:59").unwrap().is_empty());
}

#[test]
fn signs_of_new_numbers_are_told() {
    let of_sign = said(&["0.1", "0.2", "0.4"], "12%").unwrap();
    assert_eq!(of_sign, ["column \"c\": cells such as \"12%\" are read as numbers"]);
    assert!(said(&["0.1", "0.2", "0.4"], "12").unwrap().is_empty());
}

#[test]
fn remarks_name_offsets_and_days_written_as_digits() {
    let remark = |cells: &[&str]| Reading::default().learned(&column(cells)).unwrap().remark().unwrap_or_default();
    assert!(remark(&["2004-01-01 01:00", "2004-01-02 01:00"]).ends_with("days since 2004-01-01"));
    assert!(remark(&["2004-01-01 01:00+05", "2004-01-02 01:00Z"]).ends_with(", in UTC"));
    assert!(
        remark(&["2004-01-01 01:00", "2004-01-02 01:00Z"]).ends_with(", in UTC, also those that are without an offset")
    );
    assert!(
        remark(&["20040101", "20040131", "20040201"])
            .contains("numbers, not dates, although \"20040101\" could be one")
    );
    assert!(!remark(&["20040101", "20040131", "20040232"]).contains("dates"));
}

#[test]
fn gaps_in_rows_that_do_not_count_are_gaps_of_the_recipe() {
    let text = "a,w,y\n1,1,1\n2,1,4\n,0,5\n4,1,16\n";
    let roles = Roles { weight: Some("w".into()), ..Roles::default() };
    let samples = Reading { roles, ..Reading::default() }.learned(&table(text)).unwrap();
    assert_eq!(samples.recipe.columns()[0].treatment, Treatment::Number { median: Some(2.0), gaps: Gaps::Shared });
    // Or a certificate about all rows would be about a table that it refuses.
    samples.recipe.refuse_new_gaps(&table(text), None).unwrap();
}

#[test]
fn an_index_that_the_rows_of_the_fit_did_not_have_is_left_aside() {
    let recipe = Reading::default().learned(&table("x,y\n5,1\n3,2\n5,3\n")).unwrap().recipe;
    let mut new = table("index,x\n7,4\n9,2\n");
    // A column that is only called so is unknown.
    assert_eq!(recipe.inputs(&new).unwrap().ignored, ["index"]);
    new.index.unnamed = vec![0];
    let inputs = recipe.inputs(&new).unwrap();
    assert!(inputs.ignored.is_empty() && inputs.remarks[0].contains("index \"index\""), "{inputs:?}");
    assert_eq!([inputs.X[(0, 0)], inputs.X[(1, 0)]], [4.0, 2.0]);
}

#[test]
fn an_index_of_measurements_stays() {
    let inputs = |text: &str| Reading::default().learned(&table(text)).unwrap().recipe.input_names();
    assert_eq!(inputs(",a,y\n0.5,1,1\n1,3,4\n1.5,2,9\n"), ["index", "a"]);
    assert_eq!(inputs(",a,y\n5,1,1\n10,3,4\n15,2,9\n"), ["a"]);
}

#[test]
fn a_last_cell_of_any_blanks_shows_no_names_of_rows_here_as_in_the_checker() {
    let text = "a,y\nu,1,\u{a0}\nv,2,3\nw,3,5\n";
    assert!(Table::read_csv(text.as_bytes(), Path::new("t.csv")).is_err());
    assert!(shallows_verify::table::Table::read(text.as_bytes()).is_err());
}

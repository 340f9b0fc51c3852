//! Cells of new tables that look otherwise than those of the fit: what is read is said, and what cannot be meant is refused.

use std::path::Path;

use shallows::data::recipe::{Gaps, Treatment};
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
fn a_new_date_of_which_day_and_month_could_be_exchanged_is_read_aloud() {
    const ISO: [&str; 3] = ["2004-01-01", "2004-01-02", "2004-02-01"];
    assert_eq!(
        said(&ISO, "1/2/2004").unwrap(),
        ["column \"c\": dates such as \"1/2/2004\" are read with the day first"]
    );
    let month_first = said(&["1/31/2004", "2/1/2004", "3/1/2004"], "1/2/2004").unwrap();
    assert_eq!(month_first, ["column \"c\": dates such as \"1/2/2004\" are read with the month first"]);
    for settled in ["2004-03-01", "13/2/2004", "1/1/2004", "1.2.2004", "1 Feb 2004"] {
        assert!(said(&ISO, settled).unwrap().is_empty(), "{settled}");
    }
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

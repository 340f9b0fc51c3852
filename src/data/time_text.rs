//! The order of the cells of a column of times: numbers, or dates that sort as texts.

use super::column::Cell;
use super::table::Table;
use crate::error::{CellProblem, Result};

/// The rank of the time of each of these rows, which have no gaps, among all their times.
///
/// Numbers are ordered as such. Texts must be dates with the year first, such as 2004-01-31 or 2004-01-31T12:30, all of one
/// form and of one zone: these sort as texts.
pub(super) fn time_order(table: &Table, j: usize, rows: &[usize]) -> Result<Vec<usize>> {
    let column = &table.columns[j];
    let refuse = |i: usize, text: &str| Err(table.cell_error(i, j, CellProblem::NotATime { text: text.to_owned() }));
    let first = rows.iter().find_map(|&i| match column.cell(i) {
        Cell::Word(text) => Some((i, text)),
        _ => None,
    });
    let Some((at, text)) = first else {
        // 0.0 + x turns −0 into 0, which is the same time.
        let numbers: Vec<f64> = rows.iter().map(|&i| 0.0 + column.number(i)).collect();
        return Ok(ranks(&numbers, f64::total_cmp));
    };
    let Some(form) = form_of(text) else { return refuse(at, text) };
    let mut texts = Vec::with_capacity(rows.len());
    for &i in rows {
        match column.cell(i) {
            Cell::Word(text) if form_of(text).as_ref() == Some(&form) => texts.push(text),
            Cell::Word(text) => return refuse(i, text),
            Cell::Number(x) => return refuse(i, &x.to_string()),
            Cell::Missing => return refuse(i, ""),
        }
    }
    Ok(ranks(&texts, |a, b| a.cmp(b)))
}

/// The place of each entry among the different ones.
fn ranks<T>(entries: &[T], compare: impl Fn(&T, &T) -> std::cmp::Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|&a, &b| compare(&entries[a], &entries[b]));
    let (mut ranks, mut rank) = (vec![0; entries.len()], 0);
    for pair in order.windows(2) {
        rank += usize::from(compare(&entries[pair[0]], &entries[pair[1]]).is_ne());
        ranks[pair[1]] = rank;
    }
    ranks
}

/// A date with the year first, every digit a 0, and its zone as it is; `None` of other texts.
fn form_of(text: &str) -> Option<String> {
    const ZONE_LETTERS: [char; 2] = ['Z', 'z'];
    let day = text.get(..10).or(text.get(..7))?;
    let zone_start = text[day.len()..].find(['+', '-']).map_or(text.len(), |at| day.len() + at);
    let (moment, zone) = text.split_at(zone_start);
    let form: String = moment.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let (date, time) = form.split_once(['T', 't', ' ']).unwrap_or((&form, ""));
    let clock = time.trim_end_matches(ZONE_LETTERS);
    let (seconds, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let is_date = ["0000-00", "0000/00", "0000-00-00", "0000/00/00"].contains(&date);
    let is_time = ["", "00:00", "00:00:00"].contains(&seconds) && fraction.chars().all(|c| c == '0');
    (is_date && is_time && is_calendar(moment)).then(|| format!("{form}{zone}"))
}

/// A month from 1 to 12, a day from 1 to 31.
fn is_calendar(text: &str) -> bool {
    let part = |range: std::ops::Range<usize>| text.get(range).map(|part| part.parse::<u32>().unwrap_or(0));
    part(5..7).is_some_and(|month| (1..=12).contains(&month)) && part(8..10).is_none_or(|day| (1..=31).contains(&day))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn order(cells: &[&str]) -> Result<Vec<usize>> {
        let text = format!("t,y\n{}", cells.iter().map(|cell| format!("{cell},1\n")).collect::<String>());
        let table = Table::read_csv(text.as_bytes(), Path::new("t.csv")).unwrap();
        time_order(&table, 0, &(0..cells.len()).collect::<Vec<_>>())
    }

    #[test]
    fn numbers_and_dates_of_one_form_have_an_order() {
        assert_eq!(order(&["10", "9", "-1", "9"]).unwrap(), [2, 1, 0, 1]);
        assert_eq!(order(&["2004-01-31", "2003-12-01", "2004-02-01"]).unwrap(), [1, 0, 2]);
        assert_eq!(order(&["2004-01-31 12:30:00", "2004-01-31 02:30:00"]).unwrap(), [1, 0]);
        assert_eq!(order(&["2004-01-31T12:30:00.5Z", "2004-01-31T12:30:00.4Z"]).unwrap(), [1, 0]);
        assert_eq!(order(&["2004-02", "2004-01"]).unwrap(), [1, 0]);
    }

    #[test]
    fn what_cannot_be_ordered_is_refused() {
        for cells in [
            &["monday", "tuesday"][..],
            &["31.1.2004", "1.2.2004"],
            &["2004-01-31", "2004-1-31"],
            &["2004-01-31", "7"],
            &["7", "2004-01-31"],
            &["2004-13-31", "2004-12-31"],
            &["2004-01-31T12:00+01:00", "2004-01-31T12:00+02:00"],
            &["2004-01-31T12:00Z", "2004-01-31T12:00"],
            &["2004-01-31T12:00:00.5", "2004-01-31T12:00:00.25"],
            &["ä004-01-31", "2004-01-31"],
        ] {
            assert!(order(cells).is_err(), "{cells:?}");
        }
    }
}

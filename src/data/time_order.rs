//! The order of the cells of a column of times: numbers, or dates and times of day in any form that a recipe reads.

use super::recipe::{ColumnKind, Roles, Understood, understood};
use super::table::Table;
use crate::error::{CellProblem, Result};

/// The rank of the time of each of these rows, which have no gaps, among all their times.
pub(super) fn time_order(table: &Table, j: usize, rows: &[usize]) -> Result<Vec<usize>> {
    let Understood { column, kind } = understood(table, &Roles::default(), j)?;
    if kind == ColumnKind::Words {
        let words = (0..table.rows()).filter(|&i| !column.is_missing(i));
        let problem = |i: usize| CellProblem::NotATime { text: column.text(i) };
        return table.cells_error(j, words, problem).map_or_else(|| Ok(vec![0; rows.len()]), Err);
    }
    // 0.0 + x turns −0 into 0, which is the same time.
    let times: Vec<f64> = rows.iter().map(|&i| 0.0 + column.number(i)).collect();
    Ok(ranks(&times))
}

/// The place of each number among the different ones.
fn ranks(numbers: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let (mut ranks, mut rank) = (vec![0; numbers.len()], 0);
    for pair in order.windows(2) {
        rank += usize::from(numbers[pair[0]] != numbers[pair[1]]);
        ranks[pair[1]] = rank;
    }
    ranks
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
    fn numbers_and_dates_have_an_order() {
        assert_eq!(order(&["10", "9", "-1", "9"]).unwrap(), [2, 1, 0, 1]);
        assert_eq!(order(&["0", "-0", "1"]).unwrap(), [0, 0, 1]);
        assert_eq!(order(&["2004-01-31", "2003-12-01", "2004-02-01"]).unwrap(), [1, 0, 2]);
        assert_eq!(order(&["31.1.2004", "1.2.2004"]).unwrap(), [0, 1]);
        assert_eq!(order(&["2004-01-31 12:30:00", "2004-01-31 02:30:00"]).unwrap(), [1, 0]);
        assert_eq!(order(&["2004-01-31T12:00+01:00", "2004-01-31T12:00+02:00"]).unwrap(), [1, 0]);
        assert_eq!(order(&["2004-01-31T12:30:00.5Z", "2004-01-31T12:30:00.25Z"]).unwrap(), [1, 0]);
        assert_eq!(order(&["2004-02", "2004-01"]).unwrap(), [1, 0]);
        assert_eq!(order(&["Feb 1 2004", "31 Jan 2004"]).unwrap(), [1, 0]);
    }

    #[test]
    fn what_cannot_be_ordered_is_refused() {
        for cells in [
            &["monday", "tuesday"][..],
            &["2004-01-31", "7"],
            &["7", "2004-01-31"],
            &["2004-13-31", "2004-12-31"],
            &["1/2/2004", "3/4/2004"],
            &["ä004-01-31", "2004-01-31"],
        ] {
            assert!(order(cells).is_err(), "{cells:?}");
        }
    }
}

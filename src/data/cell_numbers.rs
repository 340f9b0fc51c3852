//! The numbers of a column of which some are written as people write them: 1,000, $1,000, 12%.
//!
//! Such cells are words to the [`Column`], and are numbers here where they can mean nothing else: where all of them have the
//! same unit, and where a comma cannot be decimal.

use shallows_verify::table::{decimal_comma, written_number};

use super::column::Column;
use super::table::Table;
use crate::error::CellProblem;

/// The numbers of a column, NaN in gaps and in cells that are none.
pub(super) struct CellNumbers<'a> {
    column: &'a Column,
    of_levels: Vec<f64>,
    /// For each word whether it would be a number but for its unit.
    other_units: Vec<bool>,
    /// Whether a comma can be nothing but a separator of thousands.
    are_commas_thousands: bool,
}

/// What stands beside the digits of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberUnit {
    Plain,
    Percent,
    Currency(char),
}

impl<'a> CellNumbers<'a> {
    /// Those of column j.
    pub(super) fn new(table: &'a Table, j: usize) -> CellNumbers<'a> {
        let column = &table.columns[j];
        let is_open = table.has_open_commas(j);
        let other_units = other_units(column);
        let number = |(word, other): (&String, &bool)| {
            let number = written_number(word).filter(|_| !(*other || is_open && word.contains(',')));
            number.unwrap_or(f64::NAN)
        };
        let of_levels = column.levels().iter().zip(&other_units).map(number).collect();
        CellNumbers { column, of_levels, other_units, are_commas_thousands: table.has_thousands() }
    }

    /// The same of a target or of weights: 1 for true and 0 for false in a column of nothing else; dates are none.
    pub(super) fn of_role(table: &'a Table, j: usize) -> CellNumbers<'a> {
        let column = &table.columns[j];
        let numbers = CellNumbers::new(table, j);
        let truth = |word: &String| match word.as_str() {
            "true" => Some(1.0),
            "false" => Some(0.0),
            _ => None,
        };
        match column.levels().iter().map(truth).collect::<Option<Vec<f64>>>() {
            Some(of_levels) if !of_levels.is_empty() => CellNumbers { of_levels, ..numbers },
            _ => numbers,
        }
    }

    /// The number in cell i. A date is none.
    pub(super) fn at(&self, i: usize) -> f64 {
        match self.column.word(i) {
            Some(level) => self.of_levels[level],
            None if self.column.are_moments => f64::NAN,
            None => self.column.number(i),
        }
    }

    /// Whether every word is a number.
    pub(super) fn is_whole(&self) -> bool {
        self.of_levels.iter().all(|x| !x.is_nan())
    }

    /// Why a cell that is there is no number.
    pub(super) fn problem(&self, i: usize) -> CellProblem {
        let text = self.column.text(i);
        match self.column.word(i) {
            Some(level) if self.other_units[level] => CellProblem::MixedUnits { text },
            _ if text.parse::<f64>().is_ok_and(|x| !x.is_finite()) => CellProblem::NotFinite { text },
            _ if self.are_commas_thousands && decimal_comma(&text).is_some() => CellProblem::DecimalComma { text },
            _ => CellProblem::NotANumber { text },
        }
    }
}

/// For each word of a column whether it is a number of another unit than the others: per cent and plain numbers differ, and
/// two currencies do. The sign of a currency is often left out.
fn other_units(column: &Column) -> Vec<bool> {
    let units: Vec<Option<NumberUnit>> =
        column.levels().iter().map(|word| written_number(word).map(|_| unit(word))).collect();
    let has_plain = column.has_numbers() || units.contains(&Some(NumberUnit::Plain));
    let currency = units.iter().flatten().find(|unit| matches!(unit, NumberUnit::Currency(_))).copied();
    let differs = |unit: &NumberUnit| match unit {
        NumberUnit::Plain => false,
        NumberUnit::Percent => has_plain || currency.is_some(),
        NumberUnit::Currency(_) => Some(*unit) != currency,
    };
    units.iter().map(|unit| unit.as_ref().is_some_and(differs)).collect()
}

fn unit(word: &str) -> NumberUnit {
    let sign = word.chars().find(|c| matches!(c, '$' | '€' | '£' | '¥' | '%'));
    match sign {
        None => NumberUnit::Plain,
        Some('%') => NumberUnit::Percent,
        Some(sign) => NumberUnit::Currency(sign),
    }
}

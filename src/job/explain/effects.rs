//! What moving columns does to a prediction, told and drawn.

use serde_json::{Value, json};

use crate::draw::{Figure, Response, ResponseAxis, ResponseMap, response_curve, response_map};
use crate::fit::explain::{ColumnEffect, ColumnGrid, Effects, GridPlace, PairEffect, PlaceValue};
use crate::job::words::brief;
use crate::linalg::Matrix;

/// A figure and the name of its files, without their ending. [`ExplainJob`](super::ExplainJob) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedFigure {
    /// Made of letters, digits and hyphens.
    pub name: String,
    /// What is drawn.
    pub figure: Figure,
}

/// Maps of pairs, at most.
const MOST_MAPS: usize = 4;
/// Weaker pairs, as a share of the deviation of f, are not drawn.
const WEAK: f64 = 0.01;
/// Curves in a row of the page that shows all.
const ABREAST: usize = 3;
/// Words at an axis; those with fewer rows are left out of figures.
const MOST_WORDS: usize = 24;
/// Characters of a column in the name of a file.
const LONGEST_NAME: usize = 32;

/// What a script reads.
pub(super) fn document(effects: &Effects, top: usize) -> Value {
    let column = |one: &ColumnEffect| {
        let places = one.grid.places.iter().zip(&one.values).map(|(place, effect)| {
            let mut told = value_of(place);
            (told["rows"], told["effect"]) = (json!(place.rows), json!(effect));
            told
        });
        json!({
            "column": one.grid.column, "spread": one.spread,
            "places": places.collect::<Vec<_>>(),
        })
    };
    let values = |grid: &ColumnGrid| grid.places.iter().map(value_of).collect::<Vec<_>>();
    let rows = |matrix: &Matrix| (0..matrix.rows()).map(|at| matrix.row(at).to_vec()).collect::<Vec<_>>();
    let pair = |pair: &PairEffect| {
        let [a, b] = &pair.grids;
        json!({
            "columns": [a.column, b.column], "strength": pair.strength,
            "places": [values(a), values(b)], "rows": rows(&pair.rows),
            "interaction": rows(&pair.interaction), "effect": rows(&pair.values),
        })
    };
    json!({
        "rows": effects.rows, "level": effects.level, "deviation": effects.deviation,
        "columns": effects.columns.iter().map(column).collect::<Vec<_>>(),
        "pairs": effects.pairs.iter().take(top).map(pair).collect::<Vec<_>>(),
    })
}

fn value_of(place: &GridPlace) -> Value {
    match &place.value {
        PlaceValue::Number(x) => json!({ "value": x }),
        PlaceValue::Word(word) => json!({ "word": word }),
        PlaceValue::Missing => json!({ "missing": true }),
    }
}

/// A page with the curves of the first columns on one scale, then each curve on its own, and the maps of the strongest pairs.
pub(in crate::job) fn figures(effects: &Effects, target: &str, top: usize) -> Vec<NamedFigure> {
    let columns: Vec<&ColumnEffect> = effects.columns.iter().take(top).collect();
    let mut figures: Vec<NamedFigure> = vec![];
    let levels = || columns.iter().flat_map(|one| &one.values).map(|value| effects.level + value);
    let range = (levels().fold(f64::INFINITY, f64::min), levels().fold(f64::NEG_INFINITY, f64::max));
    let abreast = |part: &[&ColumnEffect]| {
        let curves = part.iter().map(|one| response_curve(&response(effects, one, target, Some(range))));
        curves.reduce(Figure::beside)
    };
    let page = columns.chunks(ABREAST).filter_map(abreast).reduce(Figure::above);
    figures.extend(page.map(|figure| NamedFigure { name: "columns".into(), figure }));
    for (at, one) in columns.iter().enumerate() {
        let name = format!("column-{}-{}", at + 1, file_name(&one.grid.column));
        figures.push(NamedFigure { name, figure: response_curve(&response(effects, one, target, None)) });
    }
    let strong = effects.pairs.iter().filter(|pair| pair.strength > WEAK * effects.deviation);
    for (at, pair) in strong.take(MOST_MAPS).enumerate() {
        let [a, b] = pair.grids.each_ref().map(|grid| file_name(&grid.column));
        figures.push(NamedFigure { name: format!("pair-{}-{a}-{b}", at + 1), figure: pair_map(effects, pair, target) });
    }
    figures
}

fn response(effects: &Effects, effect: &ColumnEffect, target: &str, range: Option<(f64, f64)>) -> Response {
    let DrawnPlaces { axis, places, rows } = DrawnPlaces::of(&effect.grid);
    let is_gap = |place: &GridPlace| place.value == PlaceValue::Missing;
    let gap = effect.grid.places.iter().position(is_gap).filter(|_| effect.grid.is_of_numbers());
    Response {
        column: effect.grid.column.clone(),
        target: target.to_owned(),
        places: axis,
        values: places.iter().map(|&place| effects.level + effect.values[place]).collect(),
        level: effects.level,
        missing: gap.map(|place| effects.level + effect.values[place]),
        rows,
        range,
    }
}

/// The prediction over both columns, and beside it what they do together beyond what each does alone.
fn pair_map(effects: &Effects, pair: &PairEffect, target: &str) -> Figure {
    let [a, b] = pair.grids.each_ref().map(DrawnPlaces::of);
    let rows: Vec<(f64, f64)> = a.rows.iter().copied().zip(b.rows.iter().copied()).collect();
    let names = pair.grids.each_ref().map(|grid| grid.column.clone());
    let map = |below: String, values: &Matrix, level: f64| {
        let value = |u: usize, v: usize| level + values[(a.places[u], b.places[v])];
        response_map(&ResponseMap {
            title: format!("{} × {}\n{below}", names[0], names[1]),
            columns: names.clone(),
            axes: [a.axis.clone(), b.axis.clone()],
            values: Matrix::from_fn(a.places.len(), b.places.len(), value),
            middle: level,
            rows: rows.clone(),
        })
    };
    let both = map(format!("predicted {target}"), &pair.values, effects.level);
    let strength = format!("beyond what each does alone: ± {}", brief(pair.strength));
    both.beside(map(strength, &pair.interaction, 0.0))
}

/// What of a grid is drawn: gaps among numbers and rare words are not.
struct DrawnPlaces {
    axis: ResponseAxis,
    /// The places of the axis.
    places: Vec<usize>,
    /// Where the rows are on the axis; NaN for those that are not.
    rows: Vec<f64>,
}

impl DrawnPlaces {
    fn of(grid: &ColumnGrid) -> Self {
        let number = |place: &GridPlace| if let PlaceValue::Number(x) = place.value { Some(x) } else { None };
        if grid.is_of_numbers() {
            let numbers: Vec<f64> = grid.places.iter().filter_map(number).collect();
            let places = (0..numbers.len()).collect();
            return DrawnPlaces { axis: ResponseAxis::Numbers(numbers), places, rows: grid.positions() };
        }
        let mut places: Vec<usize> = (0..grid.places.len()).collect();
        places.sort_by_key(|&place| std::cmp::Reverse(grid.places[place].rows));
        places.truncate(MOST_WORDS);
        places.sort_unstable();
        let word = |&place: &usize| match &grid.places[place].value {
            PlaceValue::Word(word) => word.clone(),
            PlaceValue::Number(_) | PlaceValue::Missing => "(missing)".to_owned(),
        };
        let words = places.iter().map(word).collect();
        let shown = |x: f64| places.iter().position(|&place| place as f64 == x).map_or(f64::NAN, |at| at as f64);
        let rows = grid.positions().into_iter().map(shown).collect();
        DrawnPlaces { axis: ResponseAxis::Words(words), places, rows }
    }
}

/// Letters and digits of a name that every file system takes; the rest are hyphens.
fn file_name(column: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = column.chars().take(LONGEST_NAME).map(plain).collect();
    let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "x".to_owned() } else { parts.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_become_names_of_files() {
        assert_eq!(["a b/c", "../Größe", "<>", ""].map(file_name), ["a-b-c", "gr-e", "x", "x"]);
    }
}

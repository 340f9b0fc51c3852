//! The places that a column is moved between, the steps between them, and where each row stands.
//!
//! The places of numbers are quantiles of the rows, or all values where there are few of them: never beyond the rows. Steps
//! join neighbours. The places of words are the words; steps lead from the most frequent one to each other, so that no order
//! of the words is made up. A gap is a place of its own, one step from the value that stands in for it. A row *belongs* to
//! the steps at one end of which, or between whose ends, it stands.

use std::ops::Range;

use crate::data::recipe::{ColumnStep, Gaps, Treatment, all_others};
use crate::linalg::Matrix;

/// A column with its places. [`Effects`](super::Effects) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnGrid {
    /// The column of the table.
    pub column: String,
    /// The places: rising numbers or words, and a gap last, where the rows have any.
    pub places: Vec<GridPlace>,
    /// The inputs of the network that the column becomes.
    pub(super) inputs: Range<usize>,
    /// Each ends at a place to which no earlier one leads; the first starts at the root.
    pub(super) steps: Vec<GridStep>,
    /// Where each row stands.
    pub(super) standings: Vec<Standing>,
}

/// A place of a column. [`Effects`](super::Effects) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct GridPlace {
    /// What the column says there.
    pub value: PlaceValue,
    /// Rows to which no other place is nearer.
    pub rows: usize,
    /// What the inputs of the column are there.
    pub(super) inputs: Vec<f64>,
}

/// What a column says at a place. [`Effects`](super::Effects) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaceValue {
    /// A number, in units of the column.
    Number(f64),
    /// A word.
    Word(String),
    /// Nothing.
    Missing,
}

/// From one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GridStep {
    pub(super) from: usize,
    pub(super) to: usize,
}

/// At a place, where both are the same, or between two: the share of the way to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Standing {
    pub(super) low: usize,
    pub(super) high: usize,
    pub(super) share: f64,
}

impl Standing {
    fn at(place: usize) -> Self {
        Standing { low: place, high: place, share: 0.0 }
    }

    /// The two places and how much of the row each has.
    pub(super) fn weights(self) -> [(usize, f64); 2] {
        [(self.low, 1.0 - self.share), (self.high, self.share)]
    }

    fn nearest(self) -> usize {
        if self.share < 0.5 { self.low } else { self.high }
    }
}

/// What a column is of which only the gaps count.
const PRESENT: &str = "present";
/// 0/1 inputs above this are 1.
const HALF: f64 = 0.5;

/// What a cell says: a number or one of the words of the column, by their order in the recipe; `None` for a gap.
type CellState<T> = Option<T>;

impl ColumnGrid {
    /// The grid of a column that becomes these inputs, over some rows, with at most so many steps between numbers.
    pub(super) fn new(step: &ColumnStep, inputs: Range<usize>, X: &Matrix, most: usize) -> Self {
        let has_gap_input = |gaps: &Gaps| *gaps == Gaps::Input;
        let row = |i: usize| &X.row(i)[inputs.clone()];
        let n = X.rows();
        let gap_at = |i: usize, at: usize| row(i).get(at).is_some_and(|x| *x > HALF);
        match &step.treatment {
            // The places of ordered words are the numbers of their places in the order.
            Treatment::Number { gaps, .. } | Treatment::Centred { gaps, .. } | Treatment::Ordered { gaps, .. } => {
                let centre = if let Treatment::Centred { centre, .. } = step.treatment { centre } else { 0.0 };
                let states = (0..n).map(|i| (!(has_gap_input(gaps) && gap_at(i, 1))).then(|| row(i)[0])).collect();
                let stand_in = (0..n).find(|&i| has_gap_input(gaps) && gap_at(i, 1)).map(|i| row(i)[0]);
                ColumnGrid::of_numbers(step.name.clone(), inputs, states, (centre, stand_in), most)
            }
            Treatment::Date { parts, gaps, .. } => {
                let is_gap = |i: usize| has_gap_input(gaps) && gap_at(i, parts.len());
                let dates: Vec<&[f64]> = (0..n).map(row).collect();
                ColumnGrid::of_dates(step.name.clone(), inputs.clone(), &dates, is_gap, most)
            }
            Treatment::Category { reference, levels, other, gaps } => {
                let others = all_others(reference, levels);
                let words: Vec<&str> =
                    [reference].into_iter().chain(levels).chain(other.then_some(&others)).map(String::as_str).collect();
                let coded = words.len() - 1;
                let word = |i: usize| row(i)[..coded].iter().position(|x| *x > HALF).map_or(0, |at| at + 1);
                let states = (0..n).map(|i| (!(has_gap_input(gaps) && gap_at(i, coded))).then(|| word(i))).collect();
                ColumnGrid::of_words(step.name.clone(), inputs, &words, states)
            }
            Treatment::GapsOnly | Treatment::Dropped(_) => {
                let states = (0..n).map(|i| (!gap_at(i, 0)).then_some(0)).collect();
                ColumnGrid::of_words(step.name.clone(), inputs, &[PRESENT], states)
            }
        }
    }

    fn of_numbers(
        column: String,
        inputs: Range<usize>,
        states: Vec<CellState<f64>>,
        (centre, stand_in): (f64, Option<f64>),
        most: usize,
    ) -> Self {
        let mut sorted: Vec<f64> = states.iter().flatten().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let nodes = nodes(&sorted, most);
        let with_gap = |x: f64, gap: f64| [x, gap][..inputs.len().min(2)].to_vec();
        let place = |x: &f64| GridPlace { value: PlaceValue::Number(x + centre), rows: 0, inputs: with_gap(*x, 0.0) };
        let mut places: Vec<GridPlace> = nodes.iter().map(place).collect();
        let mut steps: Vec<GridStep> = (1..nodes.len()).map(|to| GridStep { from: to - 1, to }).collect();
        if let Some(value) = stand_in {
            let from = nearest(&nodes, value);
            steps.extend(from.map(|from| GridStep { from, to: nodes.len() }));
            places.push(GridPlace { value: PlaceValue::Missing, rows: 0, inputs: with_gap(value, 1.0) });
        }
        let standing = |state: &CellState<f64>| state.map_or(Standing::at(nodes.len()), |x| standing(&nodes, x));
        let standings = states.iter().map(standing).collect();
        ColumnGrid { column, places, inputs, steps, standings }.counted()
    }

    /// The places of dates are dates of the rows, by their first part; the others come with it.
    fn of_dates(
        column: String,
        inputs: Range<usize>,
        rows: &[&[f64]],
        is_gap: impl Fn(usize) -> bool,
        most: usize,
    ) -> Self {
        let states: Vec<CellState<f64>> = (0..rows.len()).map(|i| (!is_gap(i)).then(|| rows[i][0])).collect();
        let gap = (0..rows.len()).find(|&i| is_gap(i)).map(|i| rows[i].to_vec());
        let mut grid = ColumnGrid::of_numbers(column, inputs, states, (0.0, gap.as_ref().map(|gap| gap[0])), most);
        let dated = |x: f64| (0..rows.len()).find(|&i| !is_gap(i) && rows[i][0] == x).map(|i| rows[i].to_vec());
        for place in &mut grid.places {
            let of_place = match place.value {
                PlaceValue::Number(x) => dated(x),
                PlaceValue::Word(_) | PlaceValue::Missing => gap.clone(),
            };
            place.inputs = of_place.unwrap_or_default();
        }
        grid
    }

    fn of_words(column: String, inputs: Range<usize>, words: &[&str], states: Vec<CellState<usize>>) -> Self {
        let count = |word: Option<usize>| states.iter().filter(|state| **state == word).count();
        let is_there: Vec<usize> = (0..words.len()).filter(|&word| count(Some(word)) > 0).collect();
        let coded = words.len() - 1;
        let code = |at: Option<usize>| (1..=inputs.len()).map(|input| f64::from(u8::from(at == Some(input)))).collect();
        let place = |&word: &usize| GridPlace {
            value: PlaceValue::Word(words[word].to_owned()),
            rows: 0,
            inputs: code(Some(word).filter(|word| *word > 0)),
        };
        let mut places: Vec<GridPlace> = is_there.iter().map(place).collect();
        let has_gaps = count(None) > 0;
        if has_gaps {
            places.push(GridPlace { value: PlaceValue::Missing, rows: 0, inputs: code(Some(coded + 1)) });
        }
        let standing = |state: &CellState<usize>| {
            let place = state.and_then(|word| is_there.iter().position(|there| *there == word));
            Standing::at(place.unwrap_or(is_there.len()))
        };
        let standings = states.iter().map(standing).collect();
        let mut grid = ColumnGrid { column, places, inputs, steps: vec![], standings }.counted();
        // The first of equals.
        let root = (0..grid.places.len()).rev().max_by_key(|&place| grid.places[place].rows);
        let others = (0..grid.places.len()).filter(|place| Some(*place) != root);
        grid.steps = others.filter_map(|to| Some(GridStep { from: root?, to })).collect();
        grid
    }

    fn counted(mut self) -> Self {
        for standing in &self.standings {
            if let Some(place) = self.places.get_mut(standing.nearest()) {
                place.rows += 1;
            }
        }
        self
    }

    /// Whether the places are numbers, a gap aside.
    pub fn is_of_numbers(&self) -> bool {
        self.places.first().is_some_and(|place| matches!(place.value, PlaceValue::Number(_)))
    }

    /// Where each row stands: its number, or the number of the place of its word; NaN for a gap among numbers.
    pub fn positions(&self) -> Vec<f64> {
        let at = |place: usize| match self.places[place].value {
            PlaceValue::Number(x) => x,
            PlaceValue::Missing if self.is_of_numbers() => f64::NAN,
            PlaceValue::Word(_) | PlaceValue::Missing => place as f64,
        };
        let position = |&Standing { low, high, share }: &Standing| match low == high {
            true => at(low),
            false => at(low) + share * (at(high) - at(low)),
        };
        self.standings.iter().map(position).collect()
    }

    /// The steps to which a row belongs.
    pub(super) fn steps_of(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let Standing { low, high, .. } = self.standings[row];
        let is_gap = |place: usize| self.places[place].value == PlaceValue::Missing;
        let belongs = move |step: &GridStep| match (low == high, is_gap(step.to) && self.is_of_numbers()) {
            // Only rows with gaps know what a gap does.
            (_, true) => low == step.to,
            (true, false) => step.from == low || step.to == low,
            (false, false) => step.from == low && step.to == high,
        };
        (0..self.steps.len()).filter(move |&at| belongs(&self.steps[at]))
    }

    /// The ends of the steps to which a row belongs, each once.
    pub(super) fn ends_of(&self, row: usize) -> Vec<usize> {
        let mut ends: Vec<usize> = self
            .steps_of(row)
            .flat_map(|at| {
                let GridStep { from, to } = self.steps[at];
                [from, to]
            })
            .collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// What is told at places, at each row: linear between places.
    pub(super) fn at_rows(&self, told: &[f64]) -> Vec<f64> {
        let at = |standing: &Standing| standing.weights().iter().map(|(place, weight)| weight * told[*place]).sum();
        self.standings.iter().map(at).collect()
    }

    /// Whether a step leads from number to number.
    pub(super) fn is_interval(&self, step: usize) -> bool {
        self.is_of_numbers() && self.places[self.steps[step].to].value != PlaceValue::Missing
    }

    /// How far apart two steps are: neighbouring intervals 1, different words 1.
    pub(super) fn distance(&self, step: usize, other: usize) -> usize {
        match self.is_interval(step) && self.is_interval(other) {
            true => step.abs_diff(other),
            false => usize::from(step != other),
        }
    }
}

/// All values where there are few, otherwise quantiles; each once, the least and the largest among them.
fn nodes(sorted: &[f64], most: usize) -> Vec<f64> {
    let mut distinct = sorted.to_vec();
    distinct.dedup();
    if distinct.len() <= most + 1 {
        return distinct;
    }
    let last = sorted.len() - 1;
    let mut nodes: Vec<f64> = (0..=most).map(|k| sorted[k * last / most]).collect();
    nodes.dedup();
    nodes
}

/// The node nearest to a value; none where there are no nodes.
fn nearest(nodes: &[f64], x: f64) -> Option<usize> {
    (0..nodes.len()).min_by(|&a, &b| (nodes[a] - x).abs().total_cmp(&(nodes[b] - x).abs()))
}

/// Where a number stands among rising ones.
fn standing(nodes: &[f64], x: f64) -> Standing {
    let after = nodes.partition_point(|node| *node < x);
    match (after.checked_sub(1), nodes.get(after)) {
        (Some(low), Some(next)) if *next > x => {
            let share = (x - nodes[low]) / (next - nodes[low]);
            Standing { low, high: after, share }
        }
        (_, Some(_)) => Standing::at(after),
        (low, None) => Standing::at(low.unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(treatment: Treatment, width: usize, rows: &[Vec<f64>], most: usize) -> ColumnGrid {
        let step = ColumnStep { name: "a".into(), treatment };
        ColumnGrid::new(&step, 0..width, &Matrix::from_rows(rows), most)
    }

    fn numbers(gaps: Gaps) -> Treatment {
        Treatment::Number { median: Some(2.0), gaps }
    }

    fn ends(grid: &ColumnGrid) -> Vec<(usize, usize)> {
        grid.steps.iter().map(|step| (step.from, step.to)).collect()
    }

    #[test]
    fn rows_belong_to_the_steps_they_stand_on() {
        let rows: Vec<Vec<f64>> = [0.0, 1.0, 1.5, 4.0].map(|x| vec![x]).to_vec();
        let found = grid(numbers(Gaps::Never), 1, &rows, 3);
        assert_eq!(found.places.len(), 4);
        assert_eq!(found.steps_of(0).collect::<Vec<_>>(), [0]);
        assert_eq!(found.steps_of(1).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(found.ends_of(1), [0, 1, 2]);
        // With fewer places the third row stands between two.
        let coarse = grid(numbers(Gaps::Never), 1, &rows, 1);
        assert_eq!(coarse.places.iter().map(|place| place.inputs[0]).collect::<Vec<_>>(), [0.0, 4.0]);
        assert_eq!(coarse.standings[2], Standing { low: 0, high: 1, share: 0.375 });
        assert_eq!(coarse.at_rows(&[0.0, 8.0]), [0.0, 2.0, 3.0, 8.0]);
    }

    #[test]
    fn a_gap_is_a_place_beside_the_value_that_stands_in_for_it() {
        let rows = [[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [3.0, 0.0]].map(|row| row.to_vec());
        let found = grid(numbers(Gaps::Input), 2, &rows, 5);
        assert_eq!(found.places[3].value, PlaceValue::Missing);
        assert_eq!((ends(&found)[2], found.places[3].inputs.as_slice()), ((1, 3), &[2.0, 1.0][..]));
        assert_eq!(found.steps_of(2).collect::<Vec<_>>(), [2]);
        assert_eq!(found.steps_of(1).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn words_are_one_step_from_the_most_frequent_and_absent_ones_are_no_places() {
        let treatment = Treatment::Category {
            reference: "red".into(),
            levels: vec!["blue".into(), "green".into()],
            other: false,
            gaps: Gaps::Never,
        };
        let rows = [[0.0, 0.0], [0.0, 1.0], [0.0, 1.0]].map(|row| row.to_vec());
        let found = grid(treatment, 2, &rows, 5);
        let words: Vec<&PlaceValue> = found.places.iter().map(|place| &place.value).collect();
        assert_eq!(words, [&PlaceValue::Word("red".into()), &PlaceValue::Word("green".into())]);
        assert_eq!(ends(&found), [(1, 0)]);
        assert_eq!(found.places[1].inputs, [0.0, 1.0]);
        assert_eq!(found.places.iter().map(|place| place.rows).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn places_are_quantiles_and_never_beyond_the_rows() {
        let sorted: Vec<f64> = (0..1001).map(|i| (i as f64 / 100.0).exp()).collect();
        let found = nodes(&sorted, 20);
        assert_eq!((found.len(), found[0], found[20], found[10]), (21, sorted[0], sorted[1000], sorted[500]));
        assert_eq!(nodes(&[], 4), Vec::<f64>::new());
        assert_eq!(nodes(&[2.0, 2.0, 2.0], 4), [2.0]);
        let half_zero: Vec<f64> = [vec![0.0; 50], (1..=50).map(f64::from).collect()].concat();
        assert!(nodes(&half_zero, 10).windows(2).all(|pair| pair[0] < pair[1]));
    }
}

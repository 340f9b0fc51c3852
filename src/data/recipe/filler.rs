//! One column of a table on its way to its inputs.

use std::collections::HashMap;

use shallows_verify::date::{DatePart, written};

use super::new_dates::NewDates;
use super::{ColumnStep, Gaps, Treatment, all_others};
use crate::data::cell_numbers::CellNumbers;
use crate::data::column::{Cell, Column, name_of};
use crate::data::table::Table;
use crate::error::{CellProblem, excerpt};

/// One column on its way.
pub(super) struct Filler<'a> {
    step: &'a ColumnStep,
    column: &'a Column,
    numbers: CellNumbers<'a>,
    /// What each word does.
    slots: HashMap<&'a str, Slot>,
    /// The same by the column's own numbering of its words.
    by_level: Vec<Slot>,
    /// The moments of its words, where it is one of dates.
    dates: Option<NewDates<'a>>,
}

/// What a word does.
#[derive(Clone, Copy, PartialEq)]
enum Slot {
    /// This input is 1.
    Input(usize),
    /// The word for which all inputs are 0.
    Reference,
    /// As all other words.
    Unseen,
}

impl<'a> Filler<'a> {
    pub(super) fn new(step: &'a ColumnStep, table: &'a Table, j: usize) -> Self {
        let column = &table.columns[j];
        let mut slots = HashMap::new();
        if let Treatment::Category { reference, .. } = &step.treatment {
            slots.insert(reference.as_str(), Slot::Reference);
        }
        if let Treatment::Category { levels, .. } | Treatment::Ordered { levels, .. } = &step.treatment {
            slots.extend(levels.iter().enumerate().map(|(at, level)| (level.as_str(), Slot::Input(at))));
        }
        let slot = |word: &String| slots.get(word.as_str()).copied().unwrap_or(Slot::Unseen);
        let by_level = column.levels().iter().map(slot).collect();
        let dates = match step.treatment {
            Treatment::Date { order, offsets, ref parts, .. } => {
                Some(NewDates::new(column, order, offsets, parts[..] == [DatePart::Hour]))
            }
            _ => None,
        };
        Filler { step, column, numbers: CellNumbers::new(table, j), slots, by_level, dates }
    }

    /// What the word in a row does; a gap is the reference.
    fn slot(&self, i: usize) -> Slot {
        match self.column.cell(i) {
            Cell::Missing => Slot::Reference,
            Cell::Number(x) => self.slots.get(name_of(x).as_str()).copied().unwrap_or(Slot::Unseen),
            Cell::Word(_) => self.column.word(i).map_or(Slot::Unseen, |level| self.by_level[level]),
        }
    }

    /// The number in a row, or what stands in its gap.
    fn number(&self, i: usize, median: Option<f64>) -> f64 {
        let x = self.numbers.at(i);
        if x.is_nan() { median.unwrap_or(x) } else { x }
    }

    /// The moment in a row, or what stands in its gap.
    fn moment(&self, i: usize, median: Option<i64>) -> Option<i64> {
        if self.column.is_missing(i) { median } else { self.dates.as_ref()?.moment(i) }
    }

    /// The place of a word in an order, or what stands in its gap.
    fn place(&self, i: usize, median: Option<usize>) -> Option<usize> {
        match self.slot(i) {
            Slot::Input(at) => Some(at),
            Slot::Reference => median,
            Slot::Unseen => None,
        }
    }

    /// Write the inputs of a row, which are 0 before.
    pub(super) fn fill(&self, i: usize, inputs: &mut [f64]) {
        let gaps = match &self.step.treatment {
            Treatment::Number { median, gaps } => {
                inputs[0] = self.number(i, *median);
                *gaps
            }
            Treatment::Centred { centre, median, gaps } => {
                inputs[0] = self.number(i, *median) - centre;
                *gaps
            }
            Treatment::Category { levels, other, gaps, .. } => {
                match self.slot(i) {
                    Slot::Input(at) => inputs[at] = 1.0,
                    Slot::Unseen if *other => inputs[levels.len()] = 1.0,
                    Slot::Unseen | Slot::Reference => {}
                }
                *gaps
            }
            // What is no moment and has no place was refused before.
            Treatment::Date { origin, parts, median, gaps, .. } => {
                let moment = self.moment(i, *median);
                let part = |part: &DatePart| moment.map_or(f64::NAN, |moment| part.of(moment, *origin));
                inputs.iter_mut().zip(parts).for_each(|(input, name)| *input = part(name));
                *gaps
            }
            Treatment::Ordered { median, gaps, .. } => {
                inputs[0] = self.place(i, *median).map_or(f64::NAN, |at| at as f64);
                *gaps
            }
            Treatment::GapsOnly => Gaps::Input,
            Treatment::Dropped(_) => return,
        };
        if gaps == Gaps::Input
            && self.column.is_missing(i)
            && let Some(last) = inputs.last_mut()
        {
            *last = 1.0;
        }
    }

    /// Why a row cannot be filled.
    pub(super) fn problem(&self, i: usize) -> Option<CellProblem> {
        let missing = || self.column.is_missing(i);
        let not_like_training = |kind| CellProblem::NotLikeTraining { text: self.column.text(i), kind };
        match &self.step.treatment {
            Treatment::Number { median, .. } | Treatment::Centred { median, .. } => {
                match (self.numbers.at(i).is_nan(), missing(), median) {
                    (true, true, None) => Some(CellProblem::Missing),
                    (true, false, _) => Some(match self.numbers.problem(i) {
                        CellProblem::NotANumber { .. } | CellProblem::NotFinite { .. } => not_like_training("number"),
                        problem => problem,
                    }),
                    _ => None,
                }
            }
            Treatment::Date { median, .. } => match (self.moment(i, *median), missing()) {
                (None, true) => Some(CellProblem::Missing),
                (None, false) => self.dates.as_ref().map(|dates| dates.problem(i)),
                (Some(_), _) => None,
            },
            Treatment::Ordered { levels, median, .. } => match (self.place(i, *median), missing()) {
                (None, true) => Some(CellProblem::Missing),
                (None, false) => Some(CellProblem::NotInOrder { text: self.column.text(i), list: levels.join(" < ") }),
                (Some(_), _) => None,
            },
            Treatment::Category { .. } | Treatment::GapsOnly | Treatment::Dropped(_) => None,
        }
    }

    /// What stands in gaps that the training rows did not have.
    fn stand_in(&self) -> Option<String> {
        match &self.step.treatment {
            Treatment::Number { median, gaps: Gaps::Never } | Treatment::Centred { median, gaps: Gaps::Never, .. } => {
                median.map(|median| format!("the median {median}"))
            }
            Treatment::Date { median, gaps: Gaps::Never, .. } => {
                median.map(|median| format!("the median {}", written(median)))
            }
            Treatment::Ordered { levels, median, gaps: Gaps::Never } => {
                median.map(|at| format!("the median {}", excerpt(&levels[at])))
            }
            Treatment::Category { reference, gaps: Gaps::Never, .. } => Some(excerpt(reference)),
            _ => None,
        }
    }

    /// What the training rows did not have, in words.
    pub(super) fn remark(&self, rows: impl Iterator<Item = usize> + Clone) -> Option<String> {
        let is_category = matches!(self.step.treatment, Treatment::Category { .. });
        let (mut gaps, mut unseen, mut example) = (0, 0, None);
        for i in rows.clone() {
            if self.column.is_missing(i) {
                gaps += 1;
            } else if is_category && self.slot(i) == Slot::Unseen {
                unseen += 1;
                example = example.or(Some(i));
            }
        }
        let mut parts = Vec::new();
        if let Some(gap) = self.stand_in().filter(|_| gaps > 0) {
            parts.push(format!("{gaps} missing, taken as {gap}"));
        }
        if let (Some(i), Treatment::Category { reference, levels, other, .. }) = (example, &self.step.treatment) {
            let word = excerpt(&self.column.text(i));
            parts.push(match other {
                true => {
                    let others = all_others(reference, levels);
                    format!("{unseen} rare or unknown, such as {word}, taken as {}", excerpt(&others))
                }
                false => format!(
                    "{unseen} unknown, such as {word}, taken as {}, the most frequent word: no word was rare in the rows of the fit",
                    excerpt(reference)
                ),
            });
        }
        parts.extend(self.numbers_in_words());
        parts.extend(self.dates.iter().flat_map(|dates| dates.remarks(rows.clone())));
        (!parts.is_empty()).then(|| format!("column {}: {}", excerpt(&self.step.name), parts.join("; ")))
    }

    /// Whether no word of these rows is known, and nothing was learnt about such words. There are several: one alone may be new, but
    /// several of which none is known are another column, or the same in another code.
    pub(super) fn knows_nothing(&self, rows: impl Iterator<Item = usize>) -> bool {
        if !matches!(self.step.treatment, Treatment::Category { other: false, .. }) {
            return false;
        }
        let mut words = rows.filter(|i| !self.column.is_missing(*i)).peekable();
        let first = words.peek().map(|&i| self.column.text(i));
        let mut is_several = false;
        words.all(|i| {
            is_several |= first.as_ref() != Some(&self.column.text(i));
            self.slot(i) == Slot::Unseen
        }) && is_several
    }

    /// A cell of a column of which nothing is known.
    pub(super) fn unknown_word(&self, i: usize) -> CellProblem {
        let known = match &self.step.treatment {
            Treatment::Category { reference, levels, .. } => [reference].into_iter().chain(levels).cloned().collect(),
            _ => vec![],
        };
        CellProblem::UnknownWord { text: self.column.text(i), known }
    }

    /// That words are read as numbers, in a column of these.
    fn numbers_in_words(&self) -> Option<String> {
        let is_number = matches!(self.step.treatment, Treatment::Number { .. } | Treatment::Centred { .. });
        let written = self.column.levels().first().filter(|_| is_number)?;
        Some(format!("cells such as {} are read as numbers", excerpt(written)))
    }
}

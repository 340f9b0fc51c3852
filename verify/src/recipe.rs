//! How the columns of a table become inputs: FORMAT.md §6.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::date::{self, DAY, DateOrder, DatePart, Offsets};
use crate::error::{Error, Result};
use crate::table::{Cell, Column, Table, TextRules, is_word_of_cell, number_name};

/// What becomes of one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The column.
    pub name: String,
    /// What becomes of it.
    pub treatment: Treatment,
}

/// What can become of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Treatment {
    /// An input as it is.
    Number {
        /// What stands in a gap; without it a gap is an error.
        #[serde(deserialize_with = "Option::deserialize")]
        median: Option<f64>,
        /// Whether there are gaps.
        gaps: Gaps,
    },
    /// The difference of the number, or of what stands in its gap, and a centre, rounded to a double.
    Centred {
        /// The centre.
        centre: f64,
        /// What stands in a gap; without it a gap is an error.
        #[serde(deserialize_with = "Option::deserialize")]
        median: Option<f64>,
        /// Whether there are gaps.
        gaps: Gaps,
    },
    /// A 0/1 input for each word of `levels`.
    Category {
        /// The word for which all of them are 0; a gap counts as this word.
        reference: String,
        /// The other words.
        levels: Vec<String>,
        /// Whether there is an input for all other words.
        other: bool,
        /// Whether there are gaps.
        gaps: Gaps,
    },
    /// Numbers taken from dates or times of day.
    Date {
        /// Whether day or month comes first where neither the year nor a name does.
        order: DateOrder,
        /// Which texts gave an offset from UTC: nothing depends on it.
        offsets: Offsets,
        /// The moment that days are counted from, the beginning of a day.
        origin: i64,
        /// What is taken, an input each.
        parts: Vec<DatePart>,
        /// The moment that stands in a gap; without it a gap is an error.
        #[serde(deserialize_with = "Option::deserialize")]
        median: Option<i64>,
        /// Whether there are gaps.
        gaps: Gaps,
    },
    /// The place of a word in a list, counted from 0.
    Ordered {
        /// The words.
        levels: Vec<String>,
        /// The place that stands in a gap; without it a gap is an error.
        #[serde(deserialize_with = "Option::deserialize")]
        median: Option<usize>,
        /// Whether there are gaps.
        gaps: Gaps,
    },
    /// Only a 0/1 input that says where the gaps are.
    GapsOnly,
    /// Nothing, for a reason that does not matter here.
    Dropped(Reason),
}

/// Why a column is left out, as the file says: nothing depends on it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reason(Box<RawValue>);

impl PartialEq for Reason {
    fn eq(&self, other: &Reason) -> bool {
        self.0.get() == other.0.get()
    }
}

/// Whether a column has gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gaps {
    /// None.
    Never,
    /// An input says where.
    Input,
    /// Some, and no input says where.
    Shared,
}

/// The word for all words that have no input of their own.
const OTHER: &str = "other";

impl Step {
    /// The names of the inputs that the column becomes.
    pub fn inputs(&self, rules: TextRules) -> Vec<String> {
        let name = &self.name;
        let missing = |gaps: &Gaps| (*gaps == Gaps::Input).then(|| format!("{name} missing"));
        match &self.treatment {
            Treatment::Number { gaps, .. } => [name.clone()].into_iter().chain(missing(gaps)).collect(),
            Treatment::Centred { centre, gaps, .. } => {
                [less_centre(name, *centre)].into_iter().chain(missing(gaps)).collect()
            }
            Treatment::Category { reference, levels, other, gaps } => {
                let rest = match rules {
                    TextRules::UpTo4 => OTHER.to_owned(),
                    TextRules::Since5 => all_others(reference, levels),
                };
                let words = levels.iter().chain(other.then_some(&rest));
                words.map(|word| format!("{name}={word}")).chain(missing(gaps)).collect()
            }
            Treatment::Date { origin, parts, gaps, .. } => {
                parts.iter().map(|part| part.input(name, *origin)).chain(missing(gaps)).collect()
            }
            Treatment::Ordered { gaps, .. } => [name.clone()].into_iter().chain(missing(gaps)).collect(),
            Treatment::GapsOnly => missing(&Gaps::Input).into_iter().collect(),
            Treatment::Dropped(_) => vec![],
        }
    }

    /// What is wrong with the numbers and words of the treatment.
    fn problem(&self, rules: TextRules) -> Option<&'static str> {
        /// Beyond this moments are no dates of four-digit years.
        const MOST_DAYS: i64 = 4_000_000;
        let is_moment = |moment: i64| moment.unsigned_abs() <= (MOST_DAYS * DAY).unsigned_abs();
        let of_cells = |words: &[String]| words.iter().all(|word| is_word_of_cell(word, rules));
        match &self.treatment {
            Treatment::Number { median, .. } | Treatment::Centred { median, .. }
                if median.is_some_and(|median| !median.is_finite()) =>
            {
                Some("a median that is not finite")
            }
            Treatment::Centred { centre, .. } => (!centre.is_finite()).then_some("a centre that is not finite"),
            Treatment::Date { origin, parts, median, .. } => {
                let different: HashSet<&str> = parts.iter().map(|part| part.name()).collect();
                if !is_moment(*origin) || origin % DAY != 0 || median.is_some_and(|median| !is_moment(median)) {
                    Some("a moment that is none, or an origin that is not the beginning of a day")
                } else if parts.is_empty() || different.len() != parts.len() {
                    Some("no part of the date, or one twice")
                } else {
                    None
                }
            }
            Treatment::Category { reference, levels, .. } => {
                let is_sound = of_cells(levels) && is_word_of_cell(reference, rules) && !levels.contains(reference);
                (!is_sound).then_some("a word that no cell can be, or the reference among the other words")
            }
            Treatment::Ordered { levels, median, .. } => {
                let different: HashSet<&String> = levels.iter().collect();
                let is_sound = different.len() == levels.len() && median.is_none_or(|at| at < levels.len());
                (!is_sound || levels.is_empty() || !of_cells(levels))
                    .then_some("no word, a word twice, one that no cell can be, or a median beyond the last")
            }
            Treatment::Number { .. } | Treatment::GapsOnly | Treatment::Dropped(_) => None,
        }
    }
}

/// What all words but these are called: a column may have a word `other` of its own.
pub fn all_others(reference: &str, levels: &[String]) -> String {
    let mut name = OTHER.to_owned();
    while reference == name || levels.contains(&name) {
        name.push('′');
    }
    name
}

/// The name of a column less a centre.
pub fn less_centre(name: &str, centre: f64) -> String {
    // −0 is the number 0.
    let sign = if centre < 0.0 { '+' } else { '−' };
    format!("{name} {sign} {}", (centre + 0.0).abs())
}

/// The names of all inputs.
pub fn input_names(steps: &[Step], rules: TextRules) -> Vec<String> {
    steps.iter().flat_map(|step| step.inputs(rules)).collect()
}

/// No column and no input twice; neither the target nor the weights among the inputs.
pub fn check(steps: &[Step], forbidden: &[&str], rules: TextRules) -> Result<()> {
    let wrong = |name: &str, problem: &str| {
        Err(Error::Certificate { place: format!("recipe, column {name:?}"), problem: problem.to_owned() })
    };
    let (mut columns, mut inputs) = (HashSet::new(), HashSet::new());
    for step in steps {
        if !columns.insert(&step.name) || !step.inputs(rules).into_iter().all(|input| inputs.insert(input)) {
            return wrong(&step.name, "a name that is there before");
        }
        if forbidden.contains(&step.name.as_str()) && !step.inputs(rules).is_empty() {
            return wrong(&step.name, "the target or the weights cannot be an input");
        }
        if let Some(problem) = step.problem(rules) {
            return wrong(&step.name, problem);
        }
    }
    if inputs.is_empty() { wrong("", "no column becomes an input") } else { Ok(()) }
}

/// The inputs of the given rows of a table, row after row, and remarks about words that the recipe does not name.
pub fn expand(steps: &[Step], table: &Table, rows: &[usize], rules: TextRules) -> Result<(Vec<f64>, Vec<String>)> {
    let d = input_names(steps, rules).len();
    let (mut X, mut remarks) = (zeros(rows.len(), d)?, vec![]);
    let mut start = 0;
    for step in steps {
        let width = step.inputs(rules).len();
        if width > 0 {
            let filler = Filler::new(step, table.column(&step.name)?, rules);
            for (at, &i) in rows.iter().enumerate() {
                filler.fill(i, &mut X[at * d + start..][..width])?;
            }
            remarks.extend(filler.remark(rows));
        }
        start += width;
    }
    Ok((X, remarks))
}

/// Of so many rows and columns; an error where that is more than the memory has, since a short recipe can name many words.
fn zeros(n: usize, d: usize) -> Result<Vec<f64>> {
    /// 32 GiB.
    const MOST: usize = 1 << 32;
    let count = n.checked_mul(d).filter(|count| *count <= MOST);
    // Tried first: an allocation that fails would end the process.
    let fits = |count: &usize| Vec::<f64>::new().try_reserve_exact(*count).is_ok();
    let problem = || format!("{n} rows of {d} inputs are more than can be held");
    let count = count.filter(fits).ok_or_else(|| Error::Table { place: "rows".into(), problem: problem() })?;
    Ok(vec![0.0; count])
}

/// One column on its way.
struct Filler<'a> {
    step: &'a Step,
    column: &'a Column,
    rules: TextRules,
    /// The input of each word, `None` for the reference.
    places: HashMap<&'a str, Option<usize>>,
}

impl<'a> Filler<'a> {
    fn new(step: &'a Step, column: &'a Column, rules: TextRules) -> Filler<'a> {
        let mut places = HashMap::new();
        if let Treatment::Category { levels, .. } | Treatment::Ordered { levels, .. } = &step.treatment {
            places.extend(levels.iter().enumerate().map(|(at, level)| (level.as_str(), Some(at))));
        }
        if let Treatment::Category { reference, .. } = &step.treatment {
            places.insert(reference, None);
        }
        Filler { step, column, rules, places }
    }

    fn cell(&self, i: usize) -> Cell<'a> {
        self.column.cell(i).under(self.rules)
    }

    fn error(&self, i: usize, problem: &str) -> Error {
        Error::Table { place: format!("row {i}, column {:?}", self.step.name), problem: problem.to_owned() }
    }

    /// The input of a word, `None` inside for the reference; `None` for a word that the recipe does not name.
    fn place(&self, cell: Cell<'_>) -> Option<Option<usize>> {
        match cell {
            Cell::Gap => Some(None),
            Cell::Word(word) => self.places.get(word).copied(),
            Cell::Number(x) => self.places.get(number_name(x).as_str()).copied(),
        }
    }

    /// How many words of these rows count as the reference because the recipe does not name them.
    fn remark(&self, rows: &[usize]) -> Option<String> {
        let Treatment::Category { reference, other: false, .. } = &self.step.treatment else { return None };
        let is_unknown = |i: &&usize| self.place(self.cell(**i)).is_none();
        let count = rows.iter().filter(is_unknown).count();
        let name = &self.step.name;
        (count > 0)
            .then(|| format!("column {name:?}: {count} words that the recipe does not name count as {reference:?}"))
    }

    /// The number in a row, or what stands in its gap.
    fn number(&self, i: usize, median: Option<f64>) -> Result<f64> {
        match (self.column.number(i, self.rules), self.cell(i)) {
            (Some(x), _) => Ok(x),
            (None, Cell::Word(word)) => Err(self.error(i, &format!("{word:?} is not a number"))),
            (None, _) => median.ok_or_else(|| self.error(i, "a gap")),
        }
    }

    /// The moment in a row, or what stands in its gap. Numbers are moments already, of tables that hold dates as such.
    fn moment(&self, i: usize, order: DateOrder, median: Option<i64>) -> Result<i64> {
        match self.cell(i) {
            Cell::Word(word) => {
                date::read(word, order).ok_or_else(|| self.error(i, &format!("{word:?} is not a date")))
            }
            Cell::Gap => median.ok_or_else(|| self.error(i, "a gap")),
            Cell::Number(x) => date::of_number(x).ok_or_else(|| self.error(i, &format!("{x} is not a date"))),
        }
    }

    /// Write the inputs of a row, which are 0 before.
    fn fill(&self, i: usize, out: &mut [f64]) -> Result<()> {
        let cell = self.cell(i);
        let gaps = match &self.step.treatment {
            Treatment::Number { median, gaps } => {
                out[0] = self.number(i, *median)?;
                *gaps
            }
            Treatment::Centred { centre, median, gaps } => {
                out[0] = self.number(i, *median)? - centre;
                *gaps
            }
            Treatment::Category { levels, other, gaps, .. } => {
                match self.place(cell) {
                    Some(Some(at)) => out[at] = 1.0,
                    None if *other => out[levels.len()] = 1.0,
                    Some(None) | None => {}
                }
                *gaps
            }
            Treatment::Date { order, origin, parts, median, gaps, .. } => {
                let moment = self.moment(i, *order, *median)?;
                out.iter_mut().zip(parts).for_each(|(out, part)| *out = part.of(moment, *origin));
                *gaps
            }
            Treatment::Ordered { median, gaps, .. } => {
                let place = if cell == Cell::Gap { *median } else { self.place(cell).flatten() };
                out[0] = place.ok_or_else(|| self.error(i, "a gap, or a word that is not one of the list"))? as f64;
                *gaps
            }
            Treatment::GapsOnly => Gaps::Input,
            Treatment::Dropped(_) => return Ok(()),
        };
        match (cell, gaps, out.last_mut()) {
            (Cell::Gap, Gaps::Never, _) => Err(self.error(i, "a gap, where the certificate's rows had none")),
            (Cell::Gap, Gaps::Input, Some(last)) => {
                *last = 1.0;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

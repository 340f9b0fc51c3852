//! How the columns of a table become inputs: FORMAT.md §6.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::table::{Cell, Column, Table};

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
    /// Only a 0/1 input that says where the gaps are.
    GapsOnly,
    /// Nothing, for a reason that does not matter here.
    Dropped(serde_json::Value),
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
    pub fn inputs(&self) -> Vec<String> {
        let name = &self.name;
        let missing = |gaps: &Gaps| (*gaps == Gaps::Input).then(|| format!("{name} missing"));
        match &self.treatment {
            Treatment::Number { gaps, .. } => [name.clone()].into_iter().chain(missing(gaps)).collect(),
            Treatment::Centred { centre, gaps, .. } => {
                [less_centre(name, *centre)].into_iter().chain(missing(gaps)).collect()
            }
            Treatment::Category { levels, other, gaps, .. } => {
                let words = levels.iter().map(String::as_str).chain(other.then_some(OTHER));
                words.map(|word| format!("{name}={word}")).chain(missing(gaps)).collect()
            }
            Treatment::GapsOnly => missing(&Gaps::Input).into_iter().collect(),
            Treatment::Dropped(_) => vec![],
        }
    }
}

/// The name of a column less a centre.
pub fn less_centre(name: &str, centre: f64) -> String {
    // −0 is the number 0.
    let sign = if centre < 0.0 { '+' } else { '−' };
    format!("{name} {sign} {}", (centre + 0.0).abs())
}

/// The names of all inputs.
pub fn input_names(steps: &[Step]) -> Vec<String> {
    steps.iter().flat_map(Step::inputs).collect()
}

/// No column and no input twice; neither the target nor the weights among the inputs.
pub fn check(steps: &[Step], forbidden: &[&str]) -> Result<()> {
    let wrong = |name: &str, problem: &str| {
        Err(Error::Certificate { place: format!("recipe, column {name:?}"), problem: problem.to_owned() })
    };
    let (mut columns, mut inputs) = (HashSet::new(), HashSet::new());
    for step in steps {
        if !columns.insert(&step.name) || !step.inputs().into_iter().all(|input| inputs.insert(input)) {
            return wrong(&step.name, "a name that is there before");
        }
        if forbidden.contains(&step.name.as_str()) && !step.inputs().is_empty() {
            return wrong(&step.name, "the target or the weights cannot be an input");
        }
        if let Treatment::Number { median, .. } | Treatment::Centred { median, .. } = &step.treatment
            && median.is_some_and(|median| !median.is_finite())
        {
            return wrong(&step.name, "a median that is not finite");
        }
        if let Treatment::Centred { centre, .. } = &step.treatment
            && !centre.is_finite()
        {
            return wrong(&step.name, "a centre that is not finite");
        }
    }
    if inputs.is_empty() { wrong("", "no column becomes an input") } else { Ok(()) }
}

/// The inputs of the given rows of a table, row after row, and remarks about words that the recipe does not name.
pub fn expand(steps: &[Step], table: &Table, rows: &[usize]) -> Result<(Vec<f64>, Vec<String>)> {
    let d = input_names(steps).len();
    let (mut X, mut remarks) = (vec![0.0; rows.len() * d], vec![]);
    let mut start = 0;
    for step in steps {
        let width = step.inputs().len();
        if width > 0 {
            let filler = Filler::new(step, table.column(&step.name)?);
            for (at, &i) in rows.iter().enumerate() {
                filler.fill(i, &mut X[at * d + start..][..width])?;
            }
            remarks.extend(filler.remark(rows));
        }
        start += width;
    }
    Ok((X, remarks))
}

/// One column on its way.
struct Filler<'a> {
    step: &'a Step,
    column: &'a Column,
    /// The input of each word, `None` for the reference.
    places: HashMap<&'a str, Option<usize>>,
}

impl<'a> Filler<'a> {
    fn new(step: &'a Step, column: &'a Column) -> Filler<'a> {
        let mut places = HashMap::new();
        if let Treatment::Category { reference, levels, .. } = &step.treatment {
            places.extend(levels.iter().enumerate().map(|(at, level)| (level.as_str(), Some(at))));
            places.insert(reference, None);
        }
        Filler { step, column, places }
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
        let is_unknown = |i: &&usize| self.place(self.column.cell(**i)).is_none();
        let count = rows.iter().filter(is_unknown).count();
        let name = &self.step.name;
        (count > 0)
            .then(|| format!("column {name:?}: {count} words that the recipe does not name count as {reference:?}"))
    }

    /// The number in a row, or what stands in its gap.
    fn number(&self, i: usize, median: Option<f64>) -> Result<f64> {
        match self.column.cell(i) {
            Cell::Number(x) => Ok(x),
            Cell::Gap => median.ok_or_else(|| self.error(i, "a gap")),
            Cell::Word(word) => Err(self.error(i, &format!("{word:?} is not a number"))),
        }
    }

    /// Write the inputs of a row, which are 0 before.
    fn fill(&self, i: usize, out: &mut [f64]) -> Result<()> {
        let cell = self.column.cell(i);
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

/// The name of a number that serves as a word: the same for 1, 1.0 and 01.
fn number_name(x: f64) -> String {
    const PLAIN: std::ops::Range<f64> = 1e-5..1e15;
    // −0 is the number 0.
    let x = x + 0.0;
    if x == 0.0 || PLAIN.contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
}

//! How the columns of a table become the inputs and the target of a network.
//!
//! | column | becomes |
//! |---|---|
//! | numbers | itself; a gap becomes the median of the training rows |
//! | numbers far from zero | its difference from a round number in their midst, where the model has an affine part |
//! | words | a 0/1 input for each frequent word but the most frequent, and one for all others if there are any |
//! | words with an order | the place of the word in it |
//! | dates | days since the first, and month, weekday and hour where they can say more |
//! | with gaps | also a 0/1 input that says where they are |
//! | constant, a copy of another, without use | nothing |
//!
//! It also says on which scale the target is fitted: as it is, less a centre, or as its logarithm ([`TargetScale`]).
//!
//! A recipe is learned from training rows only ([`Recipe::learn`]), belongs to the model and to its certificates, and is
//! then applied to any table whose columns have the same names ([`Recipe::inputs`], [`Recipe::data`]).

mod apply;
mod centre;
mod column_kind;
mod dates;
mod filler;
mod input_kind;
mod learn;
mod new_dates;
mod ordered;
mod stored;
mod summary;
mod target_scale;
mod words;

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::table::first_repeated;
use crate::error::{DataProblem, Error, RecipeProblem, Result};
pub use apply::{Inputs, NumberInput};
pub(super) use column_kind::{ColumnKind, Understood, understood};
pub use dates::{DateUse, UnknownDateUse};
pub(crate) use input_kind::InputKind;
pub use learn::Roles;
pub use ordered::{UnknownWordOrder, WordOrder};
use shallows_verify::date::DAY;
pub use shallows_verify::date::{DateOrder, DatePart, Offsets};
pub(crate) use shallows_verify::recipe::all_others;
use shallows_verify::recipe::less_centre;
use shallows_verify::table::{TextRules, is_word_of_cell};
pub use target_scale::TargetScale;

/// What becomes of every input column of a table, and of the target.
///
/// ```
/// use std::path::Path;
/// use shallows::data::{Reading, Table};
///
/// let text = "colour,size,y\nred,1,1\nblue,2,2\nred,3,3\nblue,4,5\nred,5,4\n";
/// let table = Table::read_csv(text.as_bytes(), Path::new("paint.csv"))?;
/// let samples = Reading::default().learned(&table)?;
/// assert_eq!(samples.recipe.input_names(), ["colour=blue", "size"]);
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    columns: Vec<ColumnStep>,
    target_scale: TargetScale,
    /// Texts that mean a gap in every column.
    gap_words: Vec<String>,
}

/// What becomes of one column. [`Treatment`] shows its use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnStep {
    /// The column.
    pub name: String,
    /// What becomes of it.
    pub treatment: Treatment,
}

/// What can become of a column.
///
/// ```
/// use std::path::Path;
/// use shallows::Table;
/// use shallows::data::Reading;
/// use shallows::data::recipe::{Gaps, OmissionReason, Treatment};
///
/// let text = "size,same,y\n1,7,1\n2,7,2\n,7,3\n4,7,5\n";
/// let table = Table::read_csv(text.as_bytes(), Path::new("paint.csv"))?;
/// let recipe = Reading::default().learned(&table)?.recipe;
/// // A gap becomes the median, and an input of its own says so; a constant column is left out.
/// let [size, same] = recipe.columns() else { panic!("two columns besides the target") };
/// assert_eq!(size.treatment, Treatment::Number { median: Some(2.0), gaps: Gaps::Input });
/// assert_eq!(same.treatment, Treatment::Dropped(OmissionReason::Constant));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Treatment {
    /// An input as it is.
    Number {
        /// What stands in a gap; without it a gap is an error.
        #[serde(deserialize_with = "Option::deserialize")]
        median: Option<f64>,
        /// Gaps among the training rows.
        gaps: Gaps,
    },
    /// What it differs from a number in the midst of the training rows, which are far from zero.
    Centred {
        /// That number.
        centre: f64,
        /// What stands in a gap, in the column's own units; without it a gap is an error.
        #[serde(deserialize_with = "Option::deserialize")]
        median: Option<f64>,
        /// Gaps among the training rows.
        gaps: Gaps,
    },
    /// A 0/1 input for each word of `levels`.
    Category {
        /// The word for which all of them are 0; a gap counts as this word.
        reference: String,
        /// The other frequent words.
        levels: Vec<String>,
        /// Whether there is an input for all other words, which otherwise count as the reference.
        other: bool,
        /// Gaps among the training rows.
        gaps: Gaps,
    },
    /// Numbers taken from dates or times of day.
    Date {
        /// Whether day or month comes first where a text does not say it.
        order: DateOrder,
        /// Which of the texts, or all of the moments, said how far they are from UTC.
        offsets: Offsets,
        /// What days are counted from, in microseconds since the beginning of 1970-01-01; the beginning of a day.
        origin: i64,
        /// What is taken, an input each.
        parts: Vec<DatePart>,
        /// What stands in a gap; without it a gap is an error.
        #[serde(deserialize_with = "Option::deserialize")]
        median: Option<i64>,
        /// Gaps among the training rows.
        gaps: Gaps,
    },
    /// The place of a word in a list, counted from 0.
    Ordered {
        /// The words.
        levels: Vec<String>,
        /// The place that stands in a gap; without it a gap is an error.
        #[serde(deserialize_with = "Option::deserialize")]
        median: Option<usize>,
        /// Gaps among the training rows.
        gaps: Gaps,
    },
    /// Only a 0/1 input that says where the gaps are: all other cells are equal, or words too rare to learn from.
    GapsOnly,
    /// Nothing.
    Dropped(OmissionReason),
}

/// Whether training rows had gaps in a column. [`Treatment`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gaps {
    /// None.
    Never,
    /// An input says where.
    Input,
    /// In the same rows as in an earlier column, whose input says where.
    Shared,
}

/// Why a column is not used. [`Treatment`] shows its use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OmissionReason {
    /// It was to be left out.
    Asked,
    /// It says which rows belong together.
    Group,
    /// All cells are equal.
    Constant,
    /// All cells are gaps.
    Empty,
    /// Words of which no two are equal: a name or a key.
    AllDifferent,
    /// It is the index of a data frame, and no two cells are equal: it names the rows.
    Index,
    /// No second word is frequent enough to learn from.
    Rare,
    /// Only its gaps might say something, and they are those of an earlier column.
    Gaps,
    /// It says the same as an earlier column.
    SameAs(String),
}

impl From<Vec<String>> for Recipe {
    fn from(names: Vec<String>) -> Self {
        Recipe::plain(names)
    }
}

impl Recipe {
    /// Columns of numbers without gaps, as they are.
    pub fn plain(names: Vec<String>) -> Self {
        let treatment = Treatment::Number { median: None, gaps: Gaps::Never };
        let columns = names.into_iter().map(|name| ColumnStep { name, treatment: treatment.clone() }).collect();
        Recipe { columns, target_scale: TargetScale::Identity, gap_words: vec![] }
    }

    /// The same with the target on a scale.
    pub fn with_target_scale(self, target_scale: TargetScale) -> Self {
        Recipe { target_scale, ..self }
    }

    /// The same without a column that becomes nothing and was given apart from the inputs: nobody looks for it again.
    pub(crate) fn without_column(mut self, name: &str) -> Self {
        self.columns.retain(|step| step.name != name);
        self
    }

    /// The scale on which the target is fitted.
    pub fn target_scale(&self) -> TargetScale {
        self.target_scale
    }

    /// The same with texts that mean a gap in every column.
    pub fn with_gap_words(self, gap_words: Vec<String>) -> Self {
        Recipe { gap_words, ..self }
    }

    /// Texts that mean a gap in every column, besides those that always do.
    pub fn gap_words(&self) -> &[String] {
        &self.gap_words
    }

    /// What becomes of the name of the target: `y`, or `ln(y)`.
    pub fn target_name(&self, target: &str) -> String {
        self.target_scale.target(target, &self.input_names())
    }

    /// Whether the inputs are the columns themselves, but for those left out on request: rows have taught nothing.
    pub fn is_plain(&self) -> bool {
        let plain = |step: &ColumnStep| {
            matches!(
                step.treatment,
                Treatment::Number { gaps: Gaps::Never, .. }
                    | Treatment::Dropped(OmissionReason::Asked | OmissionReason::Group)
            )
        };
        self.gap_words.is_empty() && self.columns.iter().all(plain)
    }

    /// The same but for centres, which change nothing about what a network with an affine part predicts.
    pub fn is_plain_but_for_centres(&self) -> bool {
        let is_centred = |step: &ColumnStep| matches!(step.treatment, Treatment::Centred { gaps: Gaps::Never, .. });
        let columns = self.columns.iter().filter(|step| !is_centred(step)).cloned().collect();
        Recipe { columns, target_scale: self.target_scale, gap_words: self.gap_words.clone() }.is_plain()
    }

    /// What becomes of each column.
    pub fn columns(&self) -> &[ColumnStep] {
        &self.columns
    }

    /// The names of the inputs.
    pub fn input_names(&self) -> Vec<String> {
        self.columns.iter().flat_map(ColumnStep::inputs).collect()
    }

    /// The columns that become inputs, and which: inputs of one column belong together.
    pub fn groups(&self) -> Vec<(&str, Range<usize>)> {
        let mut end = 0;
        let group = |step: &'_ ColumnStep| {
            let start = end;
            end += step.inputs().len();
            start..end
        };
        let ranges: Vec<Range<usize>> = self.columns.iter().map(group).collect();
        let names = self.columns.iter().map(|step| step.name.as_str());
        names.zip(ranges).filter(|(_, inputs)| !inputs.is_empty()).collect()
    }

    /// A recipe from elsewhere: names of columns and inputs that differ, medians that are numbers, at least one input.
    pub fn check(&self) -> Result<()> {
        let refuse = |problem| Err(Error::Recipe(problem));
        if let Some(name) = first_repeated(self.columns.iter().map(|step| &step.name)) {
            return refuse(RecipeProblem::RepeatedName { name: name.clone() });
        }
        for step in &self.columns {
            let sound = match &step.treatment {
                Treatment::Number { median, .. } => median.is_none_or(f64::is_finite),
                Treatment::Centred { centre, median, .. } => centre.is_finite() && median.is_none_or(f64::is_finite),
                Treatment::Category { reference, levels, .. } => {
                    let mut words = HashSet::from([reference]);
                    let are_different = levels.iter().all(|level| words.insert(level));
                    let are_of_cells = words.iter().all(|word| is_word_of_cell(word, TextRules::Since5));
                    are_different && are_of_cells
                }
                Treatment::Date { origin, parts, median, .. } => {
                    let different: HashSet<&str> = parts.iter().map(|part| part.name()).collect();
                    is_moment(*origin)
                        && origin % DAY == 0
                        && median.is_none_or(is_moment)
                        && !parts.is_empty()
                        && different.len() == parts.len()
                }
                Treatment::Ordered { levels, median, .. } => {
                    let different: HashSet<&String> = levels.iter().collect();
                    !levels.is_empty() && different.len() == levels.len() && median.is_none_or(|at| at < levels.len())
                }
                Treatment::GapsOnly | Treatment::Dropped(_) => true,
            };
            if !sound {
                return refuse(RecipeProblem::Step { name: step.name.clone() });
            }
        }
        let inputs = self.input_names();
        if inputs.is_empty() {
            return Err(Error::Data(DataProblem::NoInputs));
        }
        match first_repeated(&inputs) {
            Some(name) => refuse(RecipeProblem::RepeatedName { name: name.clone() }),
            None => Ok(()),
        }
    }
}

impl Treatment {
    /// Whether the column has had the words true and false, and no other.
    pub(crate) fn is_truth(&self) -> bool {
        match self {
            Treatment::Category { reference, levels, other: false, .. } => {
                let words: Vec<&str> = [reference].into_iter().chain(levels).map(String::as_str).collect();
                words == ["true", "false"] || words == ["false", "true"]
            }
            _ => false,
        }
    }
}

/// Whether a number of microseconds is one that a calendar with years of four digits has, as the checker demands.
fn is_moment(moment: i64) -> bool {
    const MOST_DAYS: u64 = 4_000_000;
    moment.unsigned_abs() <= MOST_DAYS * DAY.unsigned_abs()
}

impl ColumnStep {
    /// The names of the inputs that the column becomes.
    fn inputs(&self) -> Vec<String> {
        let name = &self.name;
        let with_gaps = |mut inputs: Vec<String>, gaps: Gaps| {
            inputs.extend((gaps == Gaps::Input).then(|| format!("{name} missing")));
            inputs
        };
        match &self.treatment {
            Treatment::Number { gaps, .. } => with_gaps(vec![name.clone()], *gaps),
            Treatment::Centred { centre, gaps, .. } => with_gaps(vec![less_centre(name, *centre)], *gaps),
            Treatment::Category { reference, levels, other, gaps } => {
                let others = all_others(reference, levels);
                let words = levels.iter().chain(other.then_some(&others));
                with_gaps(words.map(|word| format!("{name}={word}")).collect(), *gaps)
            }
            Treatment::Date { origin, parts, gaps, .. } => {
                with_gaps(parts.iter().map(|part| part.input(name, *origin)).collect(), *gaps)
            }
            Treatment::Ordered { gaps, .. } => with_gaps(vec![name.clone()], *gaps),
            Treatment::GapsOnly => with_gaps(vec![], Gaps::Input),
            Treatment::Dropped(_) => vec![],
        }
    }
}

//! A recipe from training rows.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::centre::far_centre;
use super::column_kind::{ColumnKind, Understood, understood};
use super::dates::{DateUse, date, offsets};
use super::ordered::WordOrder;
use super::words::{ordered, words};
use super::{ColumnStep, Gaps, OmissionReason, Recipe, TargetScale, Treatment};
use crate::data::cell_numbers::CellNumbers;
use crate::data::column::Column;
use crate::data::dependence::DependenceColumn;
use crate::data::table::Table;
use crate::error::{CellProblem, DataProblem, Error, Result};
use crate::linalg::{Matrix, map_tasks};

/// What the columns of a table are for.
///
/// ```
/// use std::path::Path;
/// use shallows::Table;
/// use shallows::data::Roles;
///
/// let table = Table::read_csv("y,a,b\n1,2,3\n4,5,\n".as_bytes(), Path::new("t.csv"))?;
/// // The last column, unless another is named; rows without a target are left out.
/// assert_eq!(Roles::default().target(&table)?, "b");
/// assert_eq!(Roles::default().labelled(&table)?, [0]);
/// assert_eq!(Roles { target: Some("y".into()), ..Roles::default() }.target(&table)?, "y");
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Roles {
    /// The column to predict; the last one unless named.
    pub target: Option<String>,
    /// The column of weights.
    pub weight: Option<String>,
    /// The column that says which rows depend on each other.
    pub dependence: Option<DependenceColumn>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Columns whose numbers are names of categories.
    pub categorical: Vec<String>,
    /// Columns of words that have an order.
    pub ordered: Vec<WordOrder>,
    /// What becomes of columns of dates.
    pub dates: DateUse,
    /// Texts that mean a gap in every column, besides those that always do.
    pub gap_words: Vec<String>,
    /// Refuse gaps instead of filling them.
    pub refuse_gaps: bool,
    /// Keep constant columns: without an intercept or a linear part they are not without effect.
    pub keep_constants: bool,
    /// The scale on which the target is fitted.
    pub target_scale: TargetScale,
    /// Take from numbers far from zero, and from such a target, a number in their midst: for models with an affine part.
    pub centre: bool,
}

impl Roles {
    /// The name of the column to predict; every column with a role is there, and has one.
    pub fn target(&self, table: &Table) -> Result<String> {
        let dependence = self.dependence.as_ref().map(DependenceColumn::name);
        let ordered = self.ordered.iter().map(|order| &order.column);
        for name in self.weight.iter().chain(&self.drop).chain(&self.categorical).chain(ordered) {
            table.position(name)?;
        }
        dependence.map(|name| table.position(name)).transpose()?;
        let takes_part = |name: &String| Some(name) == self.weight.as_ref() || Some(name.as_str()) == dependence;
        let free = |name: &&String| !takes_part(name) && !self.drop.contains(name);
        let target = match &self.target {
            Some(name) => table.names[table.position(name)?].clone(),
            None => table.names.iter().rfind(free).ok_or(Error::Data(DataProblem::NoInputs))?.clone(),
        };
        if Some(&target) == self.weight.as_ref() {
            return Err(Error::Data(DataProblem::TargetIsWeight { name: target }));
        }
        let doubled =
            |column: &&DependenceColumn| column.name() == target || Some(column.name()) == self.weight.as_deref();
        if let Some(column) = self.dependence.as_ref().filter(doubled) {
            let (name, role) = (column.name().to_owned(), column.role());
            return Err(Error::Data(DataProblem::DependentRole { name, role }));
        }
        match self.drop.iter().find(|name| **name == target || Some(*name) == self.weight.as_ref()) {
            Some(name) => Err(Error::Data(DataProblem::DroppedRole { name: name.clone() })),
            None => self.check_words(&target).map(|()| target),
        }
    }

    /// Refuse words of a column that are to be two things at once, and words of the target.
    fn check_words(&self, target: &str) -> Result<()> {
        let mut ordered = HashSet::new();
        let twice = self.ordered.iter().map(|order| &order.column).find(|name| !ordered.insert(*name));
        let both = self.categorical.iter().find(|name| ordered.contains(name));
        let of_target = self.categorical.iter().chain(ordered.iter().copied()).find(|name| *name == target);
        let problem = match (twice, both, of_target) {
            (Some(name), ..) => DataProblem::TwoOrders { name: name.clone() },
            (None, Some(name), _) => DataProblem::OrderedCategory { name: name.clone() },
            (None, None, Some(name)) => DataProblem::WordsOfTarget { name: name.clone() },
            (None, None, None) => return Ok(()),
        };
        Err(Error::Data(problem))
    }

    /// The rows in which the target is there; an error where it is not a number, or when it is nowhere.
    pub fn labelled(&self, table: &Table) -> Result<Vec<usize>> {
        let with_gaps = table.with_gaps(&self.gap_words)?;
        let table = with_gaps.as_ref();
        let target = self.target(table)?;
        let j = table.position(&target)?;
        let rows: Vec<usize> = (0..table.rows()).filter(|&i| !table.columns[j].is_missing(i)).collect();
        table.needed_numbers(j, "the target", Some(&rows))?;
        if rows.is_empty() {
            return Err(Error::Data(DataProblem::EmptyTarget { name: target }));
        }
        Ok(rows)
    }

    /// Whether no number is to be a word or a gap.
    pub fn takes_numbers_as_they_are(&self) -> bool {
        self.categorical.is_empty() && self.ordered.is_empty() && self.gap_words.is_empty()
    }

    /// The words of a column in their order, where one was given.
    pub(super) fn order_of(&self, name: &str) -> Option<&[String]> {
        self.ordered.iter().find(|order| order.column == name).map(|order| order.words.as_slice())
    }

    /// The scale on which these targets are fitted.
    pub(in crate::data) fn learned_scale(&self, targets: impl Iterator<Item = f64> + Clone) -> TargetScale {
        let is_open = self.centre && self.target_scale == TargetScale::Identity;
        let centre = Some(targets).filter(|_| is_open).and_then(far_centre);
        centre.map_or(self.target_scale, TargetScale::Centred)
    }
}

/// More inputs than this are refused: M would have half a billion entries.
const MOST_INPUTS: usize = 20_000;
/// Categories may not blow a table up to more than this.
const MOST_BYTES: usize = 4 << 30;

impl Recipe {
    /// Learn from these rows of a table. Rows of weight 0 are left aside.
    ///
    /// # Errors
    /// If a column is neither one of numbers nor one of words, or if there would be no input or far too many.
    pub fn learn(table: &Table, roles: &Roles, rows: &[usize]) -> Result<Recipe> {
        let with_gaps = table.with_gaps(&roles.gap_words)?;
        let table = with_gaps.as_ref();
        let target = roles.target(table)?;
        let given = rows;
        let rows = counted(table, roles, given)?;
        let taken = |name: &String| *name == target || Some(name) == roles.weight.as_ref();
        let inputs: Vec<usize> = (0..table.names.len()).filter(|&j| !taken(&table.names[j])).collect();
        let examined = map_tasks(inputs.len(), |at| Examined::new(table, roles, (&rows, given), inputs[at]));
        let content = |j: usize, kind| match understood(table, roles, j) {
            Ok(understood) => content(&understood.column, &rows, kind),
            Err(_) => vec![],
        };
        let names = inputs.iter().map(|&j| (j, &table.names[j]));
        let recipe = Recipe::of_examined(names, examined, roles, table.rows(), content)?;
        let labels = CellNumbers::of_role(table, table.position(&target)?);
        Ok(recipe.with_target_scale(roles.learned_scale(rows.iter().map(|&i| labels.at(i)))))
    }

    /// Learn from these rows of an array of finite numbers, without a copy of it: what [`Recipe::learn`] would learn from
    /// a table with these columns. The roles of target and weight are played by nobody.
    pub fn learn_numbers(X: &Matrix, names: &[String], roles: &Roles, rows: &[usize]) -> Result<Recipe> {
        let column = |j: usize| Column::of_numbers(X.column(j));
        let alone = |j: usize| Table::new(Path::new("X"), vec![names[j].clone()], vec![column(j)], X.rows());
        let examined = map_tasks(names.len(), |j| Examined::new(&alone(j)?, roles, (rows, rows), 0));
        let content = |j: usize, kind| content(&column(j), rows, kind);
        Recipe::of_examined(names.iter().enumerate(), examined, roles, X.rows(), content)
    }

    /// Put together what the columns said by themselves; `content` looks at one of them again.
    fn of_examined<'a>(
        names: impl Iterator<Item = (usize, &'a String)> + Clone,
        examined: Vec<Result<Examined>>,
        roles: &Roles,
        rows: usize,
        content: impl Fn(usize, ColumnKind) -> Vec<u64>,
    ) -> Result<Recipe> {
        let mut earlier = Earlier::default();
        let mut columns = Vec::with_capacity(examined.len());
        for ((j, name), examined) in names.clone().zip(examined) {
            let name_of = |place: usize| names.clone().find(|(j, _)| *j == place).map_or("", |(_, name)| name);
            let treatment = earlier.treatment(j, examined?, &content, name_of);
            columns.push(ColumnStep { name: name.clone(), treatment });
        }
        keep_names_apart(&mut columns);
        let recipe = Recipe { columns, target_scale: roles.target_scale, gap_words: roles.gap_words.clone() };
        if recipe.input_names().is_empty()
            && let Some(words) = recipe.dropped_in_words()
        {
            return Err(Error::Data(DataProblem::UselessInputs { words }));
        }
        recipe.check_size(rows)?;
        recipe.check()?;
        Ok(recipe)
    }

    /// Whether so many inputs can be worked with. A plain recipe makes no more of a table than there is.
    pub(super) fn check_size(&self, rows: usize) -> Result<()> {
        let inputs = self.input_names().len();
        let bytes = inputs.saturating_mul(rows).saturating_mul(size_of::<f64>());
        if inputs <= MOST_INPUTS && (bytes <= MOST_BYTES || self.is_plain()) {
            return Ok(());
        }
        let widest = self.columns.iter().max_by_key(|step| step.inputs().len()).filter(|step| step.inputs().len() > 2);
        let widest = widest.map(|step| (step.name.clone(), step.inputs().len()));
        Err(Error::Data(DataProblem::TooManyInputs { inputs, rows, widest }))
    }
}

/// A column less a centre has another name. Where another input has it already, the column stays as it is.
fn keep_names_apart(columns: &mut [ColumnStep]) {
    let names: Vec<String> = columns.iter().flat_map(ColumnStep::inputs).collect();
    for step in columns {
        let is_taken = step.inputs().iter().any(|name| names.iter().filter(|other| *other == name).count() > 1);
        if let Treatment::Centred { median, gaps, .. } = step.treatment
            && is_taken
        {
            step.treatment = Treatment::Number { median, gaps };
        }
    }
}

/// The rows that count.
fn counted(table: &Table, roles: &Roles, rows: &[usize]) -> Result<Vec<usize>> {
    let Some(weight) = &roles.weight else { return Ok(rows.to_vec()) };
    let weights = table.needed_numbers(table.position(weight)?, "a weight", Some(rows))?;
    let counted: Vec<usize> = rows.iter().zip(weights).filter(|(_, w)| *w != 0.0).map(|(row, _)| *row).collect();
    // Weights that are all 0 are refused later, as weights.
    Ok(if counted.is_empty() { rows.to_vec() } else { counted })
}

/// A column seen by itself.
struct Examined {
    treatment: Treatment,
    kind: ColumnKind,
    fingerprint: u64,
    /// Where gaps are; empty when there are none.
    gaps: Vec<bool>,
    /// Whether there is a gap in a row that does not count.
    gaps_besides: bool,
}

impl Examined {
    /// Column j, by the rows that count among those that are given.
    fn new(table: &Table, roles: &Roles, (rows, given): (&[usize], &[usize]), j: usize) -> Result<Examined> {
        let dropped = |reason| Examined::of(Treatment::Dropped(reason), ColumnKind::Numbers, &[]);
        let name = &table.names[j];
        if roles.drop.contains(name) {
            return Ok(dropped(OmissionReason::Asked));
        }
        if roles.dependence.as_ref().is_some_and(|column| *column == DependenceColumn::Group(name.clone())) {
            return Ok(dropped(OmissionReason::Group));
        }
        let Understood { column, kind } = understood(table, roles, j)?;
        if matches!(kind, ColumnKind::Dates(_)) && roles.dates == DateUse::Drop {
            return Ok(dropped(OmissionReason::Asked));
        }
        if roles.refuse_gaps {
            let gaps = (0..table.rows()).filter(|&i| column.is_missing(i));
            table.cells_error(j, gaps, |_| CellProblem::Missing).map_or(Ok(()), Err)?;
        }
        let content = content(&column, rows, kind);
        let mut present = content.iter().filter(|x| **x != GAP);
        let Some(first) = present.next() else { return Ok(dropped(OmissionReason::Empty)) };
        // One row says nothing about whether a column varies.
        let constant = rows.len() > 1 && !roles.keep_constants && present.all(|x| x == first);
        let treatment = match (constant, kind) {
            (true, _) if content.contains(&GAP) => Treatment::GapsOnly,
            (true, _) => Treatment::Dropped(OmissionReason::Constant),
            (false, ColumnKind::Words | ColumnKind::Numbers)
                if table.index.unnamed.contains(&j) && all_differ(&content) && column.has_whole_numbers() =>
            {
                Treatment::Dropped(OmissionReason::Index)
            }
            (false, ColumnKind::Dates(order)) => date(&column, rows, (order, offsets(&table.columns[j])), roles.dates),
            (false, ColumnKind::Numbers) => number(&column, rows, roles.centre),
            (false, ColumnKind::Words) => match roles.order_of(name) {
                Some(words) => ordered(table, j, rows, words)?,
                None => words(&column, rows, content.contains(&GAP)),
            },
        };
        let gaps_besides = rows.len() < given.len() && given.iter().any(|&i| column.is_missing(i));
        Ok(Examined { gaps_besides, ..Examined::of(treatment, kind, &content) })
    }

    fn of(treatment: Treatment, kind: ColumnKind, content: &[u64]) -> Examined {
        const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
        let start = u64::from(kind == ColumnKind::Words);
        let fingerprint = content.iter().fold(start, |sum, x| (sum.rotate_left(5) ^ x).wrapping_mul(MULTIPLIER));
        let gaps = if content.contains(&GAP) { content.iter().map(|x| *x == GAP).collect() } else { vec![] };
        Examined { treatment, kind, fingerprint, gaps, gaps_besides: false }
    }
}

/// What has been seen of earlier columns.
#[derive(Default)]
struct Earlier {
    /// Where they have gaps.
    gaps: HashSet<Vec<bool>>,
    /// Which columns have a fingerprint, and what they hold.
    known: HashMap<u64, Vec<(usize, ColumnKind)>>,
}

impl Earlier {
    fn treatment<'a>(
        &mut self,
        j: usize,
        examined: Examined,
        content: &impl Fn(usize, ColumnKind) -> Vec<u64>,
        name_of: impl Fn(usize) -> &'a str,
    ) -> Treatment {
        let Examined { treatment, kind, fingerprint, gaps, gaps_besides } = examined;
        if matches!(treatment, Treatment::Dropped(_)) {
            return treatment;
        }
        let known = self.known.entry(fingerprint).or_default();
        let same =
            known.iter().find(|(earlier, theirs)| *theirs == kind && content(*earlier, kind) == content(j, kind));
        if let Some((earlier, _)) = same {
            return Treatment::Dropped(OmissionReason::SameAs(name_of(*earlier).to_owned()));
        }
        known.push((j, kind));
        self.with_gaps(treatment, gaps, gaps_besides)
    }

    /// Say where the gaps are, unless an earlier column says it, or there are some in rows alone that do not count.
    fn with_gaps(&mut self, treatment: Treatment, places: Vec<bool>, besides: bool) -> Treatment {
        let any = !places.is_empty();
        let first = any && self.gaps.insert(places);
        let found = if first {
            Gaps::Input
        } else if any || besides {
            Gaps::Shared
        } else {
            Gaps::Never
        };
        match treatment {
            Treatment::Number { median, .. } => Treatment::Number { median, gaps: found },
            Treatment::Centred { centre, median, .. } => Treatment::Centred { centre, median, gaps: found },
            Treatment::Category { reference, levels, other, .. } => {
                Treatment::Category { reference, levels, other, gaps: found }
            }
            Treatment::Date { order, offsets, origin, parts, median, .. } => {
                Treatment::Date { order, offsets, origin, parts, median, gaps: found }
            }
            Treatment::Ordered { levels, median, .. } => Treatment::Ordered { levels, median, gaps: found },
            Treatment::GapsOnly if !first => Treatment::Dropped(OmissionReason::Gaps),
            other => other,
        }
    }
}

/// A gap among the contents of a column: a NaN that no number has, and more than any table has words.
const GAP: u64 = u64::MAX;

/// What tells a column from others.
fn content(column: &Column, rows: &[usize], kind: ColumnKind) -> Vec<u64> {
    match kind {
        ColumnKind::Words => word_content(column, rows),
        ColumnKind::Numbers | ColumnKind::Dates(_) => number_content(column, rows),
    }
}

fn all_differ(content: &[u64]) -> bool {
    let mut seen = HashSet::new();
    content.iter().all(|x| *x == GAP || seen.insert(*x))
}

/// The bits of the numbers; −0 is 0.
fn number_content(column: &Column, rows: &[usize]) -> Vec<u64> {
    let bits = |x: f64| if x.is_nan() { GAP } else { (x + 0.0).to_bits() };
    rows.iter().map(|&i| bits(column.number(i))).collect()
}

/// The words by the order in which they first occur, so that two columns that only name things differently are equal.
fn word_content(column: &Column, rows: &[usize]) -> Vec<u64> {
    let mut codes: HashMap<WordKey, u64> = HashMap::new();
    let mut code = |key: WordKey| {
        let next = codes.len() as u64;
        *codes.entry(key).or_insert(next)
    };
    let content = |&i: &usize| match (column.word(i), column.number(i)) {
        (Some(level), _) => code(WordKey::Word(level)),
        (None, x) if x.is_nan() => GAP,
        (None, x) => code(WordKey::Number((x + 0.0).to_bits())),
    };
    rows.iter().map(content).collect()
}

/// What tells words apart.
#[derive(PartialEq, Eq, Hash)]
enum WordKey {
    Word(usize),
    Number(u64),
}

/// An input that is the number, or its difference from a number in the midst of all.
fn number(column: &Column, rows: &[usize], may_centre: bool) -> Treatment {
    let (median, gaps) = (median(column, rows), Gaps::Never);
    let numbers = rows.iter().map(|&i| column.number(i)).filter(|x| !x.is_nan());
    match Some(numbers).filter(|_| may_centre).and_then(far_centre) {
        Some(centre) => Treatment::Centred { centre, median, gaps },
        None => Treatment::Number { median, gaps },
    }
}

/// The middle of the numbers there are; with two in the middle, the lower one, which has occurred.
fn median(column: &Column, rows: &[usize]) -> Option<f64> {
    let mut numbers: Vec<f64> = rows.iter().map(|&i| column.number(i)).filter(|x| !x.is_nan()).collect();
    let middle = numbers.len().checked_sub(1)? / 2;
    Some(*numbers.select_nth_unstable_by(middle, f64::total_cmp).1)
}

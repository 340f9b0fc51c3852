//! What can stand in an input on any row that a recipe makes.

use super::{Gaps, Recipe, Treatment};

/// Why products of inputs may say nothing of their own: of two inputs of a column that are 0 or 1 one is 0 on every row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum InputKind {
    /// Any number.
    Number,
    /// A number of a column that has an input for its gaps, and what stands there on those rows.
    Filled {
        /// The input that is 1 on these rows.
        gap: usize,
        /// The number.
        value: f64,
    },
    /// 0 or 1, and 1 for one input of its column at most.
    Indicator {
        /// The number of the column.
        column: usize,
    },
}

impl Recipe {
    /// One for each input.
    pub(crate) fn input_kinds(&self) -> Vec<InputKind> {
        let mut kinds: Vec<InputKind> = vec![];
        for (column, step) in self.columns.iter().enumerate() {
            let (first, count) = (kinds.len(), step.inputs().len());
            // What stands in gaps of the inputs that are numbers, and whether an input marks them.
            let (filled, gaps) = match &step.treatment {
                Treatment::Number { median, gaps } => (vec![*median], *gaps),
                Treatment::Centred { centre, median, gaps } => (vec![median.map(|median| median - centre)], *gaps),
                Treatment::Ordered { median, gaps, .. } => (vec![median.map(|place| place as f64)], *gaps),
                Treatment::Date { origin, parts, median, gaps, .. } => {
                    (parts.iter().map(|part| median.map(|moment| part.of(moment, *origin))).collect(), *gaps)
                }
                Treatment::Category { .. } | Treatment::GapsOnly | Treatment::Dropped(_) => (vec![], Gaps::Never),
            };
            let gap = first + filled.len();
            kinds.extend(filled.into_iter().map(|value| match (value, gaps) {
                (Some(value), Gaps::Input) => InputKind::Filled { gap, value },
                _ => InputKind::Number,
            }));
            kinds.resize(first + count, InputKind::Indicator { column });
        }
        kinds
    }
}

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
            let number = match &step.treatment {
                Treatment::Number { median, gaps } => Some((*median, *gaps)),
                Treatment::Centred { centre, median, gaps } => Some((median.map(|median| median - centre), *gaps)),
                Treatment::Category { .. } | Treatment::GapsOnly | Treatment::Dropped(_) => None,
            };
            let leading = number.map(|number| match number {
                (Some(value), Gaps::Input) => InputKind::Filled { gap: first + 1, value },
                _ => InputKind::Number,
            });
            kinds.extend(leading);
            kinds.resize(first + count, InputKind::Indicator { column });
        }
        kinds
    }
}

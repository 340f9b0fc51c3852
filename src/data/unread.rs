//! Cells of files and arrays that cannot be read without loss.
//!
//! A column with such cells is refused where it is used, with their number and the first of them, and nowhere else: one that is left
//! out does no harm.

use crate::error::{CellProblem, ManyCells};

/// The cells of a column that cannot be read; gaps stand in their places.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct UnreadCells {
    pub(super) count: usize,
    /// With their rows.
    pub(super) first: Vec<(usize, CellProblem)>,
}

impl UnreadCells {
    /// One more, in a row after those before.
    pub(super) fn note(&mut self, row: usize, problem: CellProblem) {
        if self.count < ManyCells::EXAMPLES {
            self.first.push((row, problem));
        }
        self.count += 1;
    }
}

//! The grid of a sweep: which (n, k, d) are trained.

use serde::Serialize;

use super::expression::Expression;

/// One of the three sizes.
///
/// ```
/// use shallows::lab::{GridCell, Symbol};
///
/// let cell = GridCell { n: 100, k: 20, d: 10 };
/// assert_eq!(cell.value(Symbol::K), 20);
/// assert_eq!(cell.with(Symbol::N, 50), GridCell { n: 50, k: 20, d: 10 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Symbol {
    /// Samples.
    N,
    /// Hidden units.
    K,
    /// Inputs.
    D,
}

impl Symbol {
    /// All three.
    pub const ALL: [Symbol; 3] = [Symbol::N, Symbol::K, Symbol::D];

    /// The letter.
    pub fn name(self) -> &'static str {
        ["n", "k", "d"][self as usize]
    }

    /// In words.
    pub fn words(self) -> &'static str {
        ["samples n", "hidden units k", "inputs d"][self as usize]
    }

    /// The symbol of a letter.
    pub fn named(name: &str) -> Option<Symbol> {
        Symbol::ALL.into_iter().find(|symbol| symbol.name() == name)
    }
}

/// A point of the grid: n samples, k units, d inputs. [`Symbol`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct GridCell {
    /// Samples.
    pub n: usize,
    /// Hidden units.
    pub k: usize,
    /// Inputs.
    pub d: usize,
}

impl GridCell {
    /// One of its sizes.
    pub fn value(self, symbol: Symbol) -> usize {
        [self.n, self.k, self.d][symbol as usize]
    }

    /// With another size.
    pub fn with(mut self, symbol: Symbol, value: usize) -> GridCell {
        match symbol {
            Symbol::N => self.n = value,
            Symbol::K => self.k = value,
            Symbol::D => self.d = value,
        }
        self
    }
}

/// The values of one size. [`Grid`] shows its use.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Axis {
    /// These, in rising order.
    Values(Vec<usize>),
    /// One for each pair of the others, rounded to the nearest whole number.
    Derived(Expression),
}

/// The values of n, k and d.
///
/// ```
/// use shallows::lab::{Axis, Expression, Grid};
///
/// let grid = Grid {
///     n: Axis::Values(vec![100, 200]),
///     k: Axis::Values(vec![5]),
///     d: Axis::Derived(Expression::parse("2*k")?),
/// };
/// assert_eq!(grid.len(), 2);
/// assert!(grid.cells().iter().all(|cell| cell.d == 10));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Grid {
    /// Samples.
    pub n: Axis,
    /// Hidden units.
    pub k: Axis,
    /// Inputs.
    pub d: Axis,
}

impl Grid {
    /// One of its axes.
    pub fn axis(&self, symbol: Symbol) -> &Axis {
        [&self.n, &self.k, &self.d][symbol as usize]
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        Symbol::ALL.iter().map(|symbol| self.listed(*symbol).len()).fold(1, usize::saturating_mul)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All cells: n changes slowest, then d, then k.
    pub fn cells(&self) -> Vec<GridCell> {
        let mut cells = Vec::with_capacity(self.len());
        for &n in &self.listed(Symbol::N) {
            for &d in &self.listed(Symbol::D) {
                for &k in &self.listed(Symbol::K) {
                    cells.push(self.derived(GridCell { n, k, d }));
                }
            }
        }
        cells
    }

    /// The values that are listed; of a derived axis a placeholder.
    fn listed(&self, symbol: Symbol) -> Vec<usize> {
        match self.axis(symbol) {
            Axis::Values(values) => values.clone(),
            Axis::Derived(_) => vec![0],
        }
    }

    /// The cell with its derived sizes; one that is no number from 1 on becomes 0.
    ///
    /// Up to two sizes are derived, and the second may be derived from the first: two passes see to that.
    pub fn derived(&self, mut cell: GridCell) -> GridCell {
        for _ in 0..2 {
            for symbol in Symbol::ALL {
                if let Axis::Derived(expression) = self.axis(symbol) {
                    let value = expression.at(cell).round();
                    cell = cell.with(symbol, if value >= 1.0 { value.min(1e18) as usize } else { 0 });
                }
            }
        }
        cell
    }

    /// What cells along an axis share: the cell without that size and without derived ones.
    pub(super) fn line(&self, cell: GridCell, axis: Symbol) -> GridCell {
        let varies = |symbol: &Symbol| *symbol == axis || matches!(self.axis(*symbol), Axis::Derived(_));
        Symbol::ALL.into_iter().filter(varies).fold(cell, |line, symbol| line.with(symbol, 0))
    }

    /// Whether a size is derived, in the end, from itself.
    pub(super) fn is_circular(&self, symbol: Symbol) -> bool {
        let parts = |symbol: Symbol| -> Vec<Symbol> {
            match self.axis(symbol) {
                Axis::Values(_) => vec![],
                Axis::Derived(expression) => Symbol::ALL.into_iter().filter(|part| expression.has(*part)).collect(),
            }
        };
        parts(symbol).into_iter().any(|part| {
            part == symbol || parts(part).into_iter().any(|deeper| deeper == symbol || parts(deeper).contains(&symbol))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(values: &[usize]) -> Axis {
        Axis::Values(values.to_vec())
    }

    fn derived(text: &str) -> Axis {
        Axis::Derived(Expression::parse(text).unwrap())
    }

    #[test]
    fn cells_are_listed_and_derived_ones_follow() {
        let grid = Grid { n: values(&[10, 20]), k: values(&[1, 2]), d: values(&[3]) };
        let cells = grid.cells();
        assert_eq!(cells.len(), 4);
        assert_eq!((cells[1], cells[2]), (GridCell { n: 10, k: 2, d: 3 }, GridCell { n: 20, k: 1, d: 3 }));
        let grid = Grid { n: derived("3*k"), k: derived("2*d + 0.4"), d: values(&[3, 5]) };
        assert_eq!(grid.cells(), [GridCell { n: 18, k: 6, d: 3 }, GridCell { n: 30, k: 10, d: 5 }]);
        let grid = Grid { n: values(&[10]), k: derived("n - 20"), d: values(&[3]) };
        assert_eq!(grid.cells()[0].k, 0);
    }

    #[test]
    fn circles_are_seen() {
        let circular = |n, k, d| {
            let grid = Grid { n, k, d };
            Symbol::ALL.map(|symbol| grid.is_circular(symbol))
        };
        assert_eq!(circular(values(&[1]), derived("k"), values(&[1])), [false, true, false]);
        assert_eq!(circular(derived("k"), derived("2*n"), values(&[1])), [true, true, false]);
        assert_eq!(circular(derived("k"), derived("d"), derived("n")), [true; 3]);
        assert_eq!(circular(derived("2*k"), derived("d"), values(&[1])), [false; 3]);
    }
}

//! Files whose decoder is not ours: what they claim is measured by their length, and no panic comes out.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Once;

use crate::error::{Error, Result, TableProblem};

/// Cells that any file may claim: 2 GiB of doubles.
const CELLS_FOR_FREE: u64 = 1 << 28;
/// Cells that each byte of a file may claim beyond that; repeated values compress this well, and far better only
/// when the whole table is constant.
const CELLS_PER_BYTE: u64 = 1 << 10;

/// The cells that a file of so many bytes may hold.
pub(super) fn most_cells(bytes: u64) -> u64 {
    CELLS_FOR_FREE.saturating_add(bytes.saturating_mul(CELLS_PER_BYTE))
}

/// The number of rows, where the file is long enough to mean it.
pub(super) fn plausible_rows(rows: u64, columns: usize, bytes: u64, path: &Path) -> Result<usize> {
    let cells = rows.checked_mul(columns as u64).filter(|cells| *cells <= most_cells(bytes));
    match cells.and_then(|_| usize::try_from(rows).ok()) {
        Some(rows) => Ok(rows),
        None => Err(Error::table(path, TableProblem::Implausible { bytes, rows, columns })),
    }
}

thread_local! {
    static PANICS_ARE_EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// What `act` returns, or `None` if it panics, in which case nothing is printed.
///
/// The process's panic hook is wrapped once; it stays silent only on a thread that is inside this function.
pub(super) fn without_panic<T>(act: impl FnOnce() -> T) -> Option<T> {
    static WRAPPED: Once = Once::new();
    WRAPPED.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !PANICS_ARE_EXPECTED.get() {
                usual(panic);
            }
        }));
    });
    PANICS_ARE_EXPECTED.set(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(act));
    PANICS_ARE_EXPECTED.set(false);
    outcome.ok()
}

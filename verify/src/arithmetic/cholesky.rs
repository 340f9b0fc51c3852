//! Textbook Cholesky for proofs, panel after panel.
//!
//! Entry (i, j) of the factor is A_ij minus Σ_{l<j} L_il L_jl, divided by the pivot or put under a root: the operations
//! of the textbook, the sums in another order, which the theorem behind
//! [`proves_definite`](super::proves_definite) allows. Rows below a panel are independent of each other and
//! share the work of all cores; every sum runs in an order of its own that depends on n alone, so the outcome does not
//! depend on the number of threads. There is no fused multiply-add.

use super::plain_dot;
use crate::matrix::{Matrix, share};

/// Columns of a strip, beside each other.
const WIDTH: usize = 8;
/// Columns of a panel: a multiple of [`WIDTH`].
const PANEL: usize = 8 * WIDTH;
/// Rows that share a pass over the panel.
const ROWS: usize = 4;
/// Rows of a matrix that one thread does alone.
const FEW_ROWS: usize = 300;

/// The factor in the lower triangle; false at a pivot that is not positive and finite.
pub(super) fn completes(L: &mut Matrix) -> bool {
    let n = L.rows();
    (0..n).step_by(PANEL).all(|start| panel(L.as_mut_slice(), n, start))
}

/// Columns start, start + 1, …, start + PANEL − 1 of the factor.
fn panel(L: &mut [f64], n: usize, start: usize) -> bool {
    let width = PANEL.min(n - start);
    let (head, below) = L.split_at_mut((start + width) * n);
    let packed = packed(&head[start * n..], n, start, width);
    let corner = &mut head[start * n..];
    corner.chunks_mut(ROWS * n).for_each(|rows| subtract(rows, n, start, width, &packed));
    for i in 0..width {
        let (above, row) = corner.split_at_mut(i * n);
        if !solve(&mut row[start..start + i + 1], above, n, start, true) {
            return false;
        }
    }
    let corner = &*corner;
    let update = |rows: &mut [f64]| {
        for rows in rows.chunks_mut(ROWS * n) {
            subtract(rows, n, start, width, &packed);
            for row in rows.chunks_exact_mut(n) {
                solve(&mut row[start..start + width], corner, n, start, false);
            }
        }
    };
    // Threads are not worth their start for a small matrix.
    if n <= FEW_ROWS {
        update(below);
    } else {
        share(below.chunks_mut(16 * ROWS * n).collect(), &update);
    }
    true
}

/// The panel's rows left of it, turned into columns and cut into strips of WIDTH: entry (c, l) at strip, l, lane.
fn packed(rows: &[f64], n: usize, start: usize, width: usize) -> Vec<f64> {
    let mut packed = vec![0.0; PANEL * start];
    for c in 0..width {
        let strip = &mut packed[c / WIDTH * WIDTH * start..];
        rows[c * n..c * n + start].iter().enumerate().for_each(|(l, x)| strip[l * WIDTH + c % WIDTH] = *x);
    }
    packed
}

/// Take Σ_{l<start} L_il L_cl from the entries of the panel's columns, for a few rows i.
fn subtract(rows: &mut [f64], n: usize, start: usize, width: usize, packed: &[f64]) {
    for strip in 0..width.div_ceil(WIDTH) {
        let packed = &packed[strip * WIDTH * start..][..WIDTH * start];
        let sums = products(rows, n, packed);
        let (first, last) = (strip * WIDTH, width.min((strip + 1) * WIDTH));
        for (row, sums) in rows.chunks_exact_mut(n).zip(&sums) {
            row[start + first..start + last].iter_mut().zip(sums).for_each(|(entry, sum)| *entry -= sum);
        }
    }
}

/// Σ_l L_il p_l for ROWS rows (or fewer, at the end) and WIDTH columns p.
fn products(rows: &[f64], n: usize, packed: &[f64]) -> [[f64; WIDTH]; ROWS] {
    let strip = packed.as_chunks::<WIDTH>().0;
    let count = strip.len();
    let mut sums = [[0.0; WIDTH]; ROWS];
    for (pair, sums) in rows.chunks(2 * n).zip(sums.chunks_mut(2)) {
        let first = &pair[..count];
        if pair.len() < 2 * n {
            for (factor, p) in first.iter().zip(strip) {
                (0..WIDTH).for_each(|lane| sums[0][lane] += factor * p[lane]);
            }
            continue;
        }
        let second = &pair[n..n + count];
        let (mut a, mut b) = ([0.0; WIDTH], [0.0; WIDTH]);
        for ((f, g), p) in first.iter().zip(second).zip(strip) {
            for lane in 0..WIDTH {
                a[lane] += f * p[lane];
                b[lane] += g * p[lane];
            }
        }
        (sums[0], sums[1]) = (a, b);
    }
    sums
}

/// Forward substitution of one row against the panel's rows above it; on the diagonal the last entry is a pivot.
fn solve(row: &mut [f64], above: &[f64], n: usize, start: usize, diagonal: bool) -> bool {
    let last = row.len() - usize::from(diagonal);
    for c in 0..last {
        let of_c = &above[c * n + start..][..c + 1];
        row[c] = (row[c] - plain_dot(&row[..c], &of_c[..c])) / of_c[c];
    }
    if diagonal {
        let pivot = row[last] - plain_dot(&row[..last], &row[..last]);
        row[last] = pivot.sqrt();
        return pivot > 0.0 && pivot.is_finite();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::use_threads;

    /// BBᵀ/n + I with a B of numbers that follow no pattern.
    fn definite(n: usize) -> Matrix {
        let mut state = 11 + n as u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let entries: Vec<f64> = (0..n * n).map(|_| next()).collect();
        let row = |i: usize| &entries[i * n..(i + 1) * n];
        Matrix::from_fn(n, n, |i, j| plain_dot(row(i), row(j)) / n as f64 + if i == j { 1.0 } else { 0.0 })
    }

    #[test]
    fn the_factor_times_its_transpose_is_the_matrix_at_every_size_around_a_panel() {
        for n in [1, 2, 5, 63, 64, 65, 67, 128, 130, 200, 320] {
            let A = definite(n);
            let mut L = A.clone();
            assert!(completes(&mut L), "{n}");
            for i in 0..n {
                for j in 0..=i {
                    let product = plain_dot(&L.row(i)[..=j], &L.row(j)[..=j]);
                    assert!((product - A[(i, j)]).abs() < 1e-13, "{n}: {i} {j}");
                }
            }
        }
    }

    #[test]
    fn a_single_bad_pivot_anywhere_is_noticed() {
        for n in [1, 66, 140] {
            for at in [0, n / 2, n - 1] {
                for bad in [f64::NAN, f64::INFINITY, -1.0] {
                    let mut A = definite(n);
                    A[(at, at)] = bad;
                    assert!(!completes(&mut A), "{n}: {bad} at {at}");
                }
            }
        }
    }

    #[test]
    fn the_factor_has_the_same_bits_on_one_and_three_threads() {
        let on = |threads: usize| {
            use_threads(threads);
            let mut L = definite(400);
            assert!(completes(&mut L));
            L
        };
        assert_eq!(on(1), on(3));
    }
}

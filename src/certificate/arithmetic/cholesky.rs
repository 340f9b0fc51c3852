//! Textbook Cholesky for proofs, panel after panel.
//!
//! Entry (i, j) of the factor is A_ij minus Σ_{l<j} L_il L_jl, divided by the pivot or put under a root: the operations
//! of the textbook, the sums in another order, which the theorem behind
//! [`proves_definite`](crate::certificate::arithmetic::proves_definite) allows. Rows below a panel are independent of each other and
//! share the work of all cores; every sum runs in an order of its own that depends on n alone, so the outcome does not
//! depend on the number of threads. There is no fused multiply-add.

use rayon::prelude::*;

use super::lanes::WIDTH;
use crate::activation::{Loop, vectorised};
use crate::certificate::arithmetic::plain_dot;
use crate::linalg::Matrix;
use crate::watch::halt::unwind_if_halted;

/// Columns of a panel: a multiple of [`WIDTH`].
const PANEL: usize = 4 * WIDTH;
/// Rows that share a pass over the panel.
const ROWS: usize = 4;

/// The factor in the lower triangle; false at a pivot that is not positive and finite.
pub(in crate::certificate) fn completes(L: &mut Matrix) -> bool {
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
    below.par_chunks_mut(ROWS * n).for_each(|rows| {
        unwind_if_halted();
        subtract(rows, n, start, width, &packed);
        for row in rows.chunks_exact_mut(n) {
            solve(&mut row[start..start + width], corner, n, start, false);
        }
    });
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
    let mut sums = [[0.0; WIDTH]; ROWS];
    for strip in 0..width.div_ceil(WIDTH) {
        let packed = &packed[strip * WIDTH * start..][..WIDTH * start];
        vectorised(Products { rows, n, packed, sums: &mut sums });
        let (first, last) = (strip * WIDTH, width.min((strip + 1) * WIDTH));
        for (row, sums) in rows.chunks_exact_mut(n).zip(&sums) {
            row[start + first..start + last].iter_mut().zip(sums).for_each(|(entry, sum)| *entry -= sum);
        }
    }
}

/// Σ_l L_il p_l for ROWS rows (or fewer, at the end) and WIDTH columns p.
struct Products<'a> {
    rows: &'a [f64],
    n: usize,
    packed: &'a [f64],
    sums: &'a mut [[f64; WIDTH]; ROWS],
}

impl Loop for Products<'_> {
    #[inline(always)]
    fn run(self) {
        let Products { rows, n, packed, sums } = self;
        let strip = packed.as_chunks::<WIDTH>().0;
        *sums = [[0.0; WIDTH]; ROWS];
        let count = strip.len();
        if rows.len() == ROWS * n {
            let [a, b, c, d] = [0, 1, 2, 3].map(|row| &rows[row * n..row * n + count]);
            let mut s = [[0.0; WIDTH]; ROWS];
            for l in 0..count {
                let (p, factors) = (&strip[l], [a[l], b[l], c[l], d[l]]);
                for row in 0..ROWS {
                    for lane in 0..WIDTH {
                        s[row][lane] += factors[row] * p[lane];
                    }
                }
            }
            *sums = s;
            return;
        }
        for (row, s) in rows.chunks_exact(n).zip(sums) {
            for (factor, p) in row[..count].iter().zip(strip) {
                (0..WIDTH).for_each(|lane| s[lane] += factor * p[lane]);
            }
        }
    }
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
    use crate::random::{Purpose, Stream};

    /// BBᵀ/n + I with a random B.
    fn definite(n: usize) -> Matrix {
        let mut stream = Stream::new(11, Purpose::Probe, n as u64);
        let B = Matrix::from_fn(n, n, |_, _| stream.normal());
        let G = B.times(&B.transposed());
        Matrix::from_fn(n, n, |i, j| G[(i, j)] / n as f64 + if i == j { 1.0 } else { 0.0 })
    }

    #[test]
    fn the_factor_times_its_transpose_is_the_matrix_at_every_size_around_a_panel() {
        for n in [1, 2, 5, 63, 64, 65, 67, 128, 130, 200] {
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
            let mut L = definite(300);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| completes(&mut L)));
            L
        };
        assert_eq!(on(1), on(3));
    }
}

//! What a factor in tiles is good for beyond one solution: the determinant, L⁻¹, A⁻¹ or its diagonal, and L⁻¹b for many b.
//!
//! With Y = L⁻¹, block column J of Y follows by forward substitution, Y_IJ = L_II⁻¹(δ_IJ − Σ_{J≤K<I} L_IK Y_KJ), whatever the
//! others are; (A⁻¹)_IJ = Σ_{K≥I} Y_KIᵀ Y_KJ for J ≤ I, and (A⁻¹)_jj is the squared length of column j of Y. Each takes n³/3
//! multiplications and additions, as the factor does. Transposes Y_KJᵀ are kept, since rows are what can be solved in place.

use super::tasks::map_tasks;
use super::tiles::{Factor, SIDE, Tiles, place, span};
use super::{Destination, View, multiply, solve_rows_in_place};
use crate::watch::halt::unwind_if_halted;

/// The transposed tiles Y_KJᵀ, K ≥ J, of each block column J of Y = L⁻¹.
pub(crate) struct InverseFactor {
    n: usize,
    columns: Vec<Vec<Vec<f64>>>,
}

fn view(tile: &[f64], width: usize) -> View<'_> {
    View::new(tile, tile.len() / width, width)
}

impl Factor {
    /// ln det A.
    pub(crate) fn log_determinant(&self) -> f64 {
        let diagonal = |L: &super::Matrix| (0..L.rows()).map(|i| L[(i, i)].ln()).sum::<f64>();
        2.0 * self.diagonals.iter().map(diagonal).sum::<f64>()
    }

    /// L⁻¹.
    pub(crate) fn inverted(&self) -> InverseFactor {
        let (n, count) = (self.below.n, self.diagonals.len());
        // The longest columns come first, so that the threads end together.
        InverseFactor { n, columns: map_tasks(count, |J| self.inverse_column(J)) }
    }

    fn inverse_column(&self, J: usize) -> Vec<Vec<f64>> {
        let (n, width) = (self.below.n, self.diagonals[J].rows());
        let mut column: Vec<Vec<f64>> = vec![];
        for (I, L) in self.diagonals.iter().enumerate().skip(J) {
            unwind_if_halted();
            let height = span(n, I).len();
            let mut tile = vec![0.0; width * height];
            if I == J {
                (0..width).for_each(|at| tile[at * (height + 1)] = 1.0);
            }
            for (K, done) in (J..I).zip(&column) {
                let size = span(n, K).len();
                let lower = view(&self.below.tiles[place(I, K)], size);
                multiply(&mut tile, view(done, size), lower.t(), Destination::Subtract);
            }
            solve_rows_in_place(L, &mut tile);
            column.push(tile);
        }
        column
    }

    /// Replace every row b of a block, n entries each, by L⁻¹b.
    pub(crate) fn solve_lower_in_place(&self, block: &mut [f64]) {
        let n = self.below.n;
        let rows = block.len() / n.max(1);
        let mut parts: Vec<Vec<f64>> = (0..self.diagonals.len())
            .map(|I| block.chunks_exact(n).flat_map(|row| &row[span(n, I)]).copied().collect())
            .collect();
        for (K, L) in self.diagonals.iter().enumerate() {
            let (done, rest) = parts.split_at_mut(K + 1);
            let part = &mut done[K];
            solve_rows_in_place(L, part);
            for (at, other) in rest.iter_mut().enumerate() {
                let lower = view(&self.below.tiles[place(K + 1 + at, K)], L.rows());
                multiply(other, View::new(part, rows, L.rows()), lower.t(), Destination::Subtract);
            }
        }
        for (I, part) in parts.iter().enumerate() {
            let columns = span(n, I);
            let rows = block.chunks_exact_mut(n).zip(part.chunks_exact(columns.len()));
            rows.for_each(|(row, part)| row[columns.clone()].copy_from_slice(part));
        }
    }
}

impl InverseFactor {
    /// The diagonal of A⁻¹.
    pub(crate) fn diagonal_of_inverse(&self) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.n];
        for (J, column) in self.columns.iter().enumerate() {
            let out = &mut diagonal[span(self.n, J)];
            for (K, tile) in (J..).zip(column) {
                let rows = tile.chunks_exact(span(self.n, K).len());
                out.iter_mut().zip(rows).for_each(|(out, row)| *out += super::dot(row, row));
            }
        }
        diagonal
    }

    /// A⁻¹.
    pub(crate) fn inverse(&self) -> Tiles {
        Tiles::from_fn(self.n, |rows, cols, tile| {
            let (I, J) = (rows.start / SIDE, cols.start / SIDE);
            for (at, left) in self.columns[I].iter().enumerate() {
                let size = span(self.n, I + at).len();
                multiply(tile, view(left, size), view(&self.columns[J][I - J + at], size).t(), Destination::Add);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Matrix, gram, invert_positive_definite};
    use crate::random::{Purpose, Stream};

    fn definite(n: usize) -> Matrix {
        let mut stream = Stream::new(5, Purpose::Probe, n as u64);
        gram(&Matrix::from_fn(n + 20, n, |_, _| stream.normal()))
    }

    fn tiled(A: &Matrix) -> Tiles {
        Tiles::from_fn(A.rows(), |rows, cols, tile| {
            let width = cols.len();
            rows.enumerate().for_each(|(at, i)| tile[at * width..][..width].copy_from_slice(&A.row(i)[cols.clone()]));
        })
    }

    fn far(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()))
    }

    #[test]
    fn inverse_diagonal_and_determinant_are_those_of_the_matrix_crate() {
        for n in [1, 100, 128, 300] {
            let A = definite(n);
            let (inverse, log_determinant) = invert_positive_definite(&A).unwrap();
            let factor = tiled(&A).factored().unwrap();
            let size = inverse.as_slice().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            assert!((factor.log_determinant() - log_determinant).abs() < 1e-10 * log_determinant.abs().max(1.0));
            let Y = factor.inverted();
            assert!(far(Y.inverse().to_matrix().as_slice(), inverse.as_slice()) < 1e-9 * size, "n = {n}");
            let diagonal: Vec<f64> = (0..n).map(|i| inverse[(i, i)]).collect();
            assert!(far(&Y.diagonal_of_inverse(), &diagonal) < 1e-9 * size, "n = {n}");
        }
    }

    #[test]
    fn the_half_solution_has_the_length_that_the_inverse_gives() {
        let (n, A) = (290, definite(290));
        let factor = tiled(&A).factored().unwrap();
        let b: Vec<f64> = (0..2 * n).map(|i| (i % 7) as f64 - 3.0).collect();
        let mut half = b.clone();
        factor.solve_lower_in_place(&mut half);
        for (b, half) in b.chunks(n).zip(half.chunks(n)) {
            let mut x = b.to_vec();
            factor.solve_in_place(&mut x);
            let (expected, found) = (crate::linalg::dot(b, &x), crate::linalg::dot(half, half));
            assert!((expected - found).abs() < 1e-9 * expected, "{expected} {found}");
        }
    }

    #[test]
    fn an_inverse_in_tiles_has_the_same_bits_on_any_number_of_threads() {
        let A = definite(400);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| tiled(&A).factored().unwrap().inverted().inverse().to_matrix())
        };
        assert_eq!(on(1), on(3));
    }
}

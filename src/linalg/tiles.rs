//! The lower triangle of a symmetric matrix in square tiles: half the memory, every tile contiguous, and work on tiles
//! that the threads share. The tiles follow from the size alone, and each is written by one task, so that results have
//! the same bits on any number of threads.

use std::ops::Range;

use rayon::prelude::*;

use super::tasks::{for_each_part, map_tasks};
use super::{
    Destination, Matrix, View, add_scaled, dot, factor_positive_definite, for_row_blocks, multiply, solve_lower,
    solve_lower_transposed, solve_rows_in_place,
};
use crate::watch::halt::unwind_if_halted;

/// Rows and columns of a tile: 128 KiB, so that the three tiles of a product share the second-level cache.
pub(crate) const SIDE: usize = 128;

/// The tiles on and below the diagonal; those on it hold both their triangles.
#[derive(Clone)]
pub(crate) struct Tiles {
    pub(super) n: usize,
    /// Tile (I, J), J ≤ I, is at I(I + 1)/2 + J.
    pub(super) tiles: Vec<Vec<f64>>,
}

/// The rows or columns of tile `at`.
pub(super) fn span(n: usize, at: usize) -> Range<usize> {
    at * SIDE..n.min((at + 1) * SIDE)
}

/// Where tile (I, J) is.
pub(super) fn place(I: usize, J: usize) -> usize {
    I * (I + 1) / 2 + J
}

/// All (I, J) with J ≤ I < count, in the order of their places.
fn pairs(count: usize) -> Vec<(usize, usize)> {
    (0..count).flat_map(|I| (0..=I).map(move |J| (I, J))).collect()
}

/// What `each` gives for the rows and columns of every tile of an n×n matrix, in the order of the tiles.
pub(crate) fn over_tiles<T: Send>(n: usize, each: impl Fn(Range<usize>, Range<usize>) -> T + Sync) -> Vec<T> {
    let pairs = pairs(n.div_ceil(SIDE));
    map_tasks(pairs.len(), |at| {
        unwind_if_halted();
        let (I, J) = pairs[at];
        each(span(n, I), span(n, J))
    })
}

impl Tiles {
    /// The tiles that `fill` writes, given their rows and columns.
    pub(crate) fn from_fn(n: usize, fill: impl Fn(Range<usize>, Range<usize>, &mut [f64]) + Sync) -> Self {
        let tiles = over_tiles(n, |rows, cols| {
            let mut tile = vec![0.0; rows.len() * cols.len()];
            fill(rows, cols, &mut tile);
            tile
        });
        Tiles { n, tiles }
    }

    /// Let `each` change every tile.
    pub(crate) fn update(&mut self, each: impl Fn(Range<usize>, Range<usize>, &mut [f64]) + Sync) {
        let n = self.n;
        let pairs = pairs(self.count());
        self.tiles.par_iter_mut().zip(&pairs).for_each(|(tile, &(I, J))| each(span(n, I), span(n, J), tile));
    }

    /// What `each` makes of every tile, in the order of the tiles.
    pub(crate) fn map<T: Send>(&self, each: impl Fn(Range<usize>, Range<usize>, &[f64]) -> T + Sync) -> Vec<T> {
        over_tiles(self.n, |rows, cols| {
            let tile = &self.tiles[place(rows.start / SIDE, cols.start / SIDE)];
            each(rows, cols, tile)
        })
    }

    /// Add a diagonal matrix.
    pub(crate) fn add_to_diagonal(&mut self, diagonal: &[f64]) {
        for K in 0..self.count() {
            let rows = span(self.n, K);
            let (width, tile) = (rows.len(), &mut self.tiles[place(K, K)]);
            rows.enumerate().for_each(|(at, i)| tile[at * (width + 1)] += diagonal[i]);
        }
    }

    /// The diagonal.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        let of_tile = |K: usize| {
            let width = span(self.n, K).len();
            (0..width).map(move |at| self.tiles[place(K, K)][at * (width + 1)])
        };
        (0..self.count()).flat_map(of_tile).collect()
    }

    /// Add the lower triangle of B·Bᵀ.
    pub(crate) fn add_outer_product(&mut self, B: &Matrix) {
        self.update(|rows, cols, tile| multiply(tile, B.view_rows(rows), B.view_rows(cols).t(), Destination::Add));
    }

    /// The whole matrix, exactly symmetric.
    pub(crate) fn to_matrix(&self) -> Matrix {
        let n = self.n;
        let mut matrix = Matrix::zeros(n, n);
        for_row_blocks(matrix.as_mut_slice(), n, |rows, out| {
            for (row, i) in out.chunks_exact_mut(n).zip(rows) {
                let (I, at) = (i / SIDE, i % SIDE);
                for J in 0..self.count() {
                    let (cols, width) = (span(n, J), span(n, I.min(J)).len());
                    let tile = &self.tiles[place(I.max(J), I.min(J))];
                    let out = row[cols.clone()].iter_mut().enumerate();
                    if J < I {
                        out.zip(&tile[at * width..]).for_each(|((_, out), x)| *out = *x);
                    } else if J > I {
                        out.for_each(|(j, out)| *out = tile[j * width + at]);
                    } else {
                        out.for_each(|(j, out)| *out = tile[j.max(at) * width + j.min(at)]);
                    }
                }
            }
        });
        matrix
    }

    /// Replace a positive definite A by L with A = LLᵀ. `None` when A is not numerically positive definite.
    ///
    /// Right-looking: a column of tiles is finished and then subtracted from all tiles to its right.
    pub(crate) fn factored(mut self) -> Option<Factor> {
        let count = self.count();
        let mut diagonals = Vec::with_capacity(count);
        for K in 0..count {
            let size = span(self.n, K).len();
            let diagonal = Matrix::from_vec(size, size, std::mem::take(&mut self.tiles[place(K, K)]));
            let L = factor_positive_definite(&diagonal)?;
            let mut column: Vec<Vec<f64>> =
                (K + 1..count).map(|I| std::mem::take(&mut self.tiles[place(I, K)])).collect();
            column.par_iter_mut().for_each(|tile| solve_rows_in_place(&L, tile));
            let right = pairs(count).split_off(place(K + 1, 0));
            self.tiles[place(K + 1, 0)..].par_iter_mut().zip(&right).filter(|(_, (_, J))| *J > K).for_each(
                |(tile, &(I, J))| {
                    let (rows, cols) = (&column[I - K - 1], &column[J - K - 1]);
                    let view = |tile| View::new(tile, tile.len() / size, size);
                    multiply(tile, view(rows), view(cols).t(), Destination::Subtract);
                },
            );
            diagonals.push(L);
            column.into_iter().enumerate().for_each(|(at, tile)| self.tiles[place(K + 1 + at, K)] = tile);
        }
        Some(Factor { below: self, diagonals })
    }

    fn count(&self) -> usize {
        self.n.div_ceil(SIDE)
    }
}

/// L of A = LLᵀ, in tiles.
#[derive(Clone)]
pub(crate) struct Factor {
    /// The tiles below the diagonal; those on it are empty.
    pub(super) below: Tiles,
    pub(super) diagonals: Vec<Matrix>,
}

impl Factor {
    /// A⁻¹b, written over b.
    pub(crate) fn solve_in_place(&self, b: &mut [f64]) {
        let Tiles { n, tiles } = &self.below;
        for (K, L) in self.diagonals.iter().enumerate() {
            let (done, rest) = b.split_at_mut(span(*n, K).end);
            let part = &mut done[K * SIDE..];
            part.copy_from_slice(&solve_lower(L, part));
            for_each_part(rest, SIDE, &|at, rest| {
                let tile = &tiles[place(K + 1 + at, K)];
                rest.iter_mut().zip(tile.chunks_exact(L.rows())).for_each(|(b, row)| *b -= dot(row, part));
            });
        }
        for (K, L) in self.diagonals.iter().enumerate().rev() {
            let (before, part) = b[..span(*n, K).end].split_at_mut(K * SIDE);
            part.copy_from_slice(&solve_lower_transposed(L, part));
            for_each_part(before, SIDE, &|J, before| {
                let tile = &tiles[place(K, J)];
                tile.chunks_exact(SIDE).zip(&*part).for_each(|(row, x)| add_scaled(before, -x, row));
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{gram, norm};
    use crate::random::{Purpose, Stream};

    fn random(rows: usize, cols: usize, index: u64) -> Matrix {
        let mut stream = Stream::new(5, Purpose::Probe, index);
        Matrix::from_fn(rows, cols, |_, _| stream.normal())
    }

    fn tiled(A: &Matrix) -> Tiles {
        Tiles::from_fn(A.rows(), |rows, cols, tile| {
            let width = cols.len();
            rows.enumerate().for_each(|(at, i)| tile[at * width..][..width].copy_from_slice(&A.row(i)[cols.clone()]));
        })
    }

    #[test]
    fn tiles_give_the_matrix_back() {
        for n in [0, 1, 127, 128, 129, 300] {
            let A = gram(&random(7, n, n as u64));
            assert_eq!(tiled(&A).to_matrix(), A);
            let mut doubled = tiled(&A);
            doubled.add_outer_product(&random(7, n, n as u64).transposed());
            let doubled = doubled.to_matrix();
            let worst =
                doubled.as_slice().iter().zip(A.as_slice()).fold(0.0_f64, |m, (a, b)| m.max((a - 2.0 * b).abs()));
            assert!(worst < 1e-13, "n = {n}: {worst:e}");
        }
    }

    #[test]
    fn the_factor_solves_and_indefinite_matrices_are_refused() {
        for n in [1, 100, 128, 257, 400] {
            let mut A = gram(&random(n + 20, n, n as u64));
            let x = random(n, 1, 9).into_vec();
            let mut b = A.times_vector(&x);
            tiled(&A).factored().unwrap().solve_in_place(&mut b);
            let residual: Vec<f64> = A.times_vector(&b).iter().zip(A.times_vector(&x)).map(|(a, b)| a - b).collect();
            assert!(norm(&residual) < 1e-11 * norm(&x) * n as f64, "n = {n}: {:e}", norm(&residual));
            A[(n - 1, n - 1)] = -1.0;
            assert!(tiled(&A).factored().is_none());
        }
    }

    #[test]
    fn the_factor_has_the_same_bits_on_any_number_of_threads() {
        let A = gram(&random(400, 390, 1));
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut b = vec![1.0; 390];
            pool.install(|| tiled(&A).factored().unwrap().solve_in_place(&mut b));
            b
        };
        assert_eq!(on(1), on(3));
    }
}

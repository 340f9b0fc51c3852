//! A kernel matrix in four bytes an entry, and products of kernel matrices with vectors.
//!
//! κ_ij = D_i c_ij D_j with D_i = √κ_ii, and |c_ij| ≤ 1 because κ is positive semidefinite. What is stored is c_ij in units of
//! 1/(2³¹ − 1), rounded to a whole number: off by 2⁻³² D_iD_j, where an entry rounded to single precision would be off by up to
//! 2⁻²⁵ κ_ij, a hundred times as much for the same memory. Everything is multiplied and added in doubles.
//!
//! A tile on or below the diagonal is read once and used twice, for its rows and, mirrored, for its columns. The tiles of a
//! product are cut into strips of block rows that depend on the number of rows alone; each strip has sums of its own, which are
//! added from first to last: the same bits on any number of threads.
//!
//! **The limit** is the memory: n²/2 entries are read once, 3.2 GB for 40 000 rows, and an entry takes two fused
//! multiply–adds and one conversion, which vector units do faster than memory delivers. A step of conjugate gradients, with
//! its preconditioner, reads 3.8 GB and took 0.15 s of processor time: 26 GB a second. The same product without stored
//! entries ([`kernel_times_vector`]) computes them again each time, tile by tile: 4 s of processor time for five layers.

// A call into code compiled for instructions that the processor has just been found to have; and the loops over indices.
#![allow(unsafe_code, clippy::needless_range_loop)]

use std::ops::Range;

use super::rows::LayerRows;
use super::tile::{add_kernel, kernel_value};
use crate::activation::Instructions;
use crate::activation::arithmetic::fma;
use crate::linalg::{TILE_SIDE as SIDE, add_scaled, map_tasks};
use crate::watch::Watch;
use crate::watch::halt::unwind_if_halted;

/// The unit of what is stored.
const UNITS: f64 = i32::MAX as f64;
/// Numbers of this size are whole, and the last 32 bits of one are those of the whole number that was added to 1.5·2⁵².
const WHOLE: f64 = 6_755_399_441_055_744.0;
/// Entries of a tile.
const AREA: usize = SIDE * SIDE;
/// Strips of a product; each has sums of its own.
const STRIPS: usize = 32;
/// Partial sums of a row; enough to hide the latency of an addition.
const LANES: usize = 32;

/// The lower triangle of a kernel matrix in tiles, those on the diagonal whole; zero beyond the last row.
pub(super) struct CompactTiles {
    n: usize,
    /// √κ_ii; 0 beyond the last row.
    sizes: Vec<f64>,
    /// The tiles of each block row, one after the other.
    blocks: Vec<Vec<i32>>,
}

/// Block rows whose lower triangle is cut into strips of about the same area.
fn strips(count: usize) -> Vec<Range<usize>> {
    let area = |rows: usize| rows * (rows + 1) / 2;
    let end = |strip: usize| (0..=count).find(|rows| area(*rows) * STRIPS >= area(count) * strip).unwrap_or(count);
    (0..STRIPS).map(|strip| end(strip)..end(strip + 1)).filter(|strip| !strip.is_empty()).collect()
}

/// Σ over strips of what `add` adds to sums of the length of a strip's columns, in order; `count` block rows.
fn over_strips(count: usize, add: impl Fn(usize, &mut [[f64; SIDE]]) + Sync) -> Vec<[f64; SIDE]> {
    let strips = strips(count);
    let parts = map_tasks(strips.len(), |at| {
        let mut sums = vec![[0.0; SIDE]; strips[at].end];
        for I in strips[at].clone() {
            unwind_if_halted();
            add(I, &mut sums);
        }
        sums
    });
    let mut total = vec![[0.0; SIDE]; count];
    for part in parts {
        total.iter_mut().zip(&part).for_each(|(total, part)| add_scaled(total, 1.0, part));
    }
    total
}

/// The vector in panels, zero beyond its end.
fn panels(x: impl Iterator<Item = f64>, count: usize) -> Vec<[f64; SIDE]> {
    let mut panels = vec![[0.0; SIDE]; count];
    panels.as_flattened_mut().iter_mut().zip(x).for_each(|(out, x)| *out = x);
    panels
}

/// The kernel values of block row I and panel J ≤ I of the same rows; zero beyond the last.
fn fill_tile(rows: &[LayerRows], I: usize, J: usize, tile: &mut [f64]) {
    let n = rows.first().map_or(0, |layer| layer.n);
    tile.fill(0.0);
    for layer in rows {
        add_kernel(layer, I * SIDE..n.min((I + 1) * SIDE), layer, J, tile, SIDE);
    }
}

impl CompactTiles {
    /// The matrix of these rows; `None` where the watch is over before it is made.
    pub(super) fn new(rows: &[LayerRows], watch: Watch<'_>) -> Option<Self> {
        let n = rows.first().map_or(0, |layer| layer.n);
        let count = n.div_ceil(SIDE);
        let diagonal =
            |i: usize| rows.iter().map(|layer| kernel_value(layer, i, layer, i)).sum::<f64>().max(0.0).sqrt();
        let sizes: Vec<f64> = panels((0..n).map(diagonal), count).into_flattened();
        let inverse = |size: &f64| if 1.0 / size < f64::INFINITY { 1.0 / size } else { 0.0 };
        let inverses: Vec<f64> = sizes.iter().map(inverse).collect();
        let inverses = inverses.as_chunks::<SIDE>().0;
        let blocks = map_tasks(count, |I| {
            let (mut block, mut tile) = (vec![0; (I + 1) * AREA], vec![0.0; AREA]);
            for (J, out) in block.chunks_exact_mut(AREA).enumerate() {
                unwind_if_halted();
                if watch.is_over() {
                    return vec![];
                }
                fill_tile(rows, I, J, &mut tile);
                encode(&tile, &inverses[I], &inverses[J], out);
            }
            block
        });
        blocks.iter().all(|block| !block.is_empty()).then_some(CompactTiles { n, sizes, blocks })
    }

    /// K·x.
    pub(super) fn times_vector(&self, x: &[f64]) -> Vec<f64> {
        let count = self.blocks.len();
        let x = panels(x.iter().zip(&self.sizes).map(|(x, size)| x * size), count);
        let sums = over_strips(count, |I, sums| add_block(&self.blocks[I], &x, sums));
        let entries = sums.as_flattened().iter().zip(&self.sizes);
        entries.take(self.n).map(|(sum, size)| sum * (size / UNITS)).collect()
    }
}

/// K·x with kernel values that are not kept: what a product costs without the memory.
pub(super) fn kernel_times_vector(rows: &[LayerRows], x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let count = n.div_ceil(SIDE);
    let x = panels(x.iter().copied(), count);
    let sums = over_strips(count, |I, sums| {
        let mut tile = vec![0.0; AREA];
        for J in 0..=I {
            fill_tile(rows, I, J, &mut tile);
            let (before, rest) = sums.split_at_mut(I);
            add_product(&tile, (&x[I], &x[J]), &mut rest[0], before.get_mut(J));
        }
    });
    sums.as_flattened()[..n].to_vec()
}

fn encode(tile: &[f64], rows: &[f64; SIDE], columns: &[f64; SIDE], out: &mut [i32]) {
    match Instructions::best() {
        // SAFETY: `best` names instructions that this processor has.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => unsafe { encode_avx512(tile, rows, columns, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => unsafe { encode_avx2(tile, rows, columns, out) },
        _ => encode_body(tile, rows, columns, out),
    }
}

/// Add what the tiles of a block row do to the sums.
fn add_block(block: &[i32], x: &[[f64; SIDE]], sums: &mut [[f64; SIDE]]) {
    match Instructions::best() {
        // SAFETY: `best` names instructions that this processor has.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => unsafe { add_block_avx512(block, x, sums) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => unsafe { add_block_avx2(block, x, sums) },
        _ => add_block_body::<false>(block, x, sums),
    }
}

/// Add what one tile of doubles does to the sums of its rows and, below the diagonal, of its columns.
fn add_product(
    tile: &[f64],
    x: (&[f64; SIDE], &[f64; SIDE]),
    below: &mut [f64; SIDE],
    mirrored: Option<&mut [f64; SIDE]>,
) {
    match Instructions::best() {
        // SAFETY: `best` names instructions that this processor has.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => unsafe { add_product_avx512(tile, x, below, mirrored) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => unsafe { add_product_avx2(tile, x, below, mirrored) },
        _ => add_product_body::<false>(tile, x, below, mirrored),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
fn encode_avx512(tile: &[f64], rows: &[f64; SIDE], columns: &[f64; SIDE], out: &mut [i32]) {
    encode_body(tile, rows, columns, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn encode_avx2(tile: &[f64], rows: &[f64; SIDE], columns: &[f64; SIDE], out: &mut [i32]) {
    encode_body(tile, rows, columns, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
fn add_block_avx512(block: &[i32], x: &[[f64; SIDE]], sums: &mut [[f64; SIDE]]) {
    add_block_body::<true>(block, x, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn add_block_avx2(block: &[i32], x: &[[f64; SIDE]], sums: &mut [[f64; SIDE]]) {
    add_block_body::<true>(block, x, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
fn add_product_avx512(
    tile: &[f64],
    x: (&[f64; SIDE], &[f64; SIDE]),
    below: &mut [f64; SIDE],
    mirrored: Option<&mut [f64; SIDE]>,
) {
    add_product_body::<true>(tile, x, below, mirrored);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn add_product_avx2(
    tile: &[f64],
    x: (&[f64; SIDE], &[f64; SIDE]),
    below: &mut [f64; SIDE],
    mirrored: Option<&mut [f64; SIDE]>,
) {
    add_product_body::<true>(tile, x, below, mirrored);
}

/// c_ij in whole units.
#[inline(always)]
fn encode_body(tile: &[f64], rows: &[f64; SIDE], columns: &[f64; SIDE], out: &mut [i32]) {
    let (tile, out) = (tile.as_chunks::<SIDE>().0, out.as_chunks_mut::<SIDE>().0);
    for i in 0..SIDE {
        let row = rows[i];
        for j in 0..SIDE {
            let c = (tile[i][j] * row) * columns[j];
            let c = if c > 1.0 { 1.0 } else { c };
            let c = if c < -1.0 { -1.0 } else { c };
            out[i][j] = (c * UNITS + WHOLE).to_bits() as i32;
        }
    }
}

#[inline(always)]
fn add_block_body<const FMA: bool>(block: &[i32], x: &[[f64; SIDE]], sums: &mut [[f64; SIDE]]) {
    let (tiles, I) = (block.as_chunks::<AREA>().0, block.len() / AREA - 1);
    let (before, rest) = sums.split_at_mut(I);
    for J in 0..=I {
        let tile = |i: usize, j: usize| f64::from(tiles[J][i * SIDE + j]);
        add_entries::<FMA>(tile, (&x[I], &x[J]), &mut rest[0], before.get_mut(J));
    }
}

#[inline(always)]
fn add_product_body<const FMA: bool>(
    tile: &[f64],
    x: (&[f64; SIDE], &[f64; SIDE]),
    below: &mut [f64; SIDE],
    mirrored: Option<&mut [f64; SIDE]>,
) {
    let tile: &[f64; AREA] = &tile.as_chunks().0[0];
    add_entries::<FMA>(|i, j| tile[i * SIDE + j], x, below, mirrored);
}

#[inline(always)]
fn add_entries<const FMA: bool>(
    entry: impl Fn(usize, usize) -> f64,
    (x_rows, x_columns): (&[f64; SIDE], &[f64; SIDE]),
    below: &mut [f64; SIDE],
    mirrored: Option<&mut [f64; SIDE]>,
) {
    let mut unused = [0.0; SIDE];
    let mirrored = mirrored.unwrap_or(&mut unused);
    // Row after row: the memory is read in order.
    for i in 0..SIDE {
        let (x_row, mut sums) = (x_rows[i], [0.0; LANES]);
        for chunk in 0..SIDE / LANES {
            for lane in 0..LANES {
                let j = chunk * LANES + lane;
                let value = entry(i, j);
                sums[lane] = fma::<FMA>(value, x_columns[j], sums[lane]);
                mirrored[j] = fma::<FMA>(value, x_row, mirrored[j]);
            }
        }
        let mut sum = 0.0;
        for lane in 0..LANES {
            sum += sums[lane];
        }
        below[i] += sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Matrix, norm};
    use crate::random::{Purpose, Stream};
    use crate::wide::{KernelLayer, LayerLaw, WideKernel};

    fn kernel() -> WideKernel {
        let layer = |law, signal| KernelLayer { law, signal, scales: vec![1.5, 3.0, 2.0], bias: 0.7 };
        let affine = KernelLayer { law: LayerLaw::Affine, signal: 0.3, scales: vec![], bias: 0.0 };
        WideKernel { layers: vec![layer(LayerLaw::RoughByInput, 0.5), layer(LayerLaw::Relu, 100.0), affine] }
    }

    fn random(n: usize) -> (Matrix, Vec<f64>) {
        let mut stream = Stream::new(5, Purpose::Probe, n as u64);
        let mut X = Matrix::from_fn(n, 3, |_, _| stream.normal());
        // A row far from all others, whose kernel values are a million times as large.
        X.row_mut(0).fill(1e3);
        (X, (0..n).map(|_| stream.normal()).collect())
    }

    #[test]
    fn products_are_those_of_the_matrix_up_to_what_its_entries_lose() {
        for n in [1, 5, 128, 129, 700] {
            let (X, x) = random(n);
            let (K, rows) = (kernel().matrix(&X), kernel().rows(&X));
            let compact = CompactTiles::new(&rows, Watch::silent()).unwrap().times_vector(&x);
            let streamed = kernel_times_vector(&rows, &x);
            let sizes: Vec<f64> = (0..n).map(|i| K[(i, i)].sqrt()).collect();
            let total: f64 = sizes.iter().zip(&x).map(|(size, x)| size * x.abs()).sum();
            for (i, expected) in K.times_vector(&x).into_iter().enumerate() {
                let scale = sizes[i] * total;
                assert!((streamed[i] - expected).abs() < 1e-14 * scale, "{n}: row {i}");
                assert!((compact[i] - expected).abs() < 2.4e-10 * scale, "{n}: row {i}");
            }
        }
    }

    #[test]
    fn entries_in_single_precision_would_lose_more() {
        let (X, x) = random(600);
        let K = kernel().matrix(&X);
        let single = Matrix::from_fn(600, 600, |i, j| f64::from(K[(i, j)] as f32));
        let compact = CompactTiles::new(&kernel().rows(&X), Watch::silent()).unwrap().times_vector(&x);
        let exact = K.times_vector(&x);
        let far = |product: &[f64]| norm(&exact.iter().zip(product).skip(1).map(|(a, b)| a - b).collect::<Vec<_>>());
        assert!(far(&compact) < 0.1 * far(&single.times_vector(&x)));
    }

    #[test]
    fn products_have_the_same_bits_on_any_number_of_threads() {
        let (X, x) = random(900);
        let rows = kernel().rows(&X);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let K = CompactTiles::new(&rows, Watch::silent()).unwrap();
                (K.times_vector(&x), kernel_times_vector(&rows, &x))
            })
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(3));
    }

    #[test]
    fn strips_cover_every_block_row_once() {
        for count in [0, 1, 2, 31, 32, 33, 313] {
            let rows: Vec<usize> = strips(count).into_iter().flatten().collect();
            assert_eq!(rows, (0..count).collect::<Vec<_>>());
        }
    }
}

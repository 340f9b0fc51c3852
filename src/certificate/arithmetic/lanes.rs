//! The long loops of the proofs, several rows or columns side by side, on the widest vectors the processor has.
//!
//! A loop here does what its scalar counterpart does, operation for operation and in the same order, for [`WIDTH`]
//! independent results at once; lanes never meet. Every operation is an IEEE operation of its own lane, and fused
//! multiply-add is not among the instructions that are enabled, so the bits do not depend on which are taken, and what
//! is proved about [`crate::certificate::arithmetic`] holds here word for word.
//!
//! | here | counterpart |
//! |---|---|
//! | [`LaneSums`] | [`CompensatedSum`] |
//! | [`moments`], [`AffineResiduals`] | [`Monomial::add_to`], one row or one column after another |
//! | [`DotsAndSizes`] | [`dot_and_size`](crate::certificate::arithmetic::dot_and_size) |
//! | [`TimesTriangle`] | [`plain_dot`](crate::certificate::arithmetic::plain_dot) |
//! | [`write_gram`] | Σ (cᵢ zᵢₐ) zᵢᵦ, one row after another |

use crate::activation::{Loop, vectorised};
use crate::certificate::arithmetic::{CompensatedSum, SPLITTER, TINY};
use crate::linalg::Matrix;

/// Results side by side: two vectors of 512 bits, four of 256.
pub(in crate::certificate) const WIDTH: usize = 16;
/// Those of a loop that holds many numbers for each.
pub(in crate::certificate) const HALF: usize = WIDTH / 2;

type Lanes<const N: usize> = [f64; N];

#[inline(always)]
fn each<const N: usize>(f: impl Fn(usize) -> f64) -> Lanes<N> {
    let mut out = [0.0; N];
    for lane in 0..N {
        out[lane] = f(lane);
    }
    out
}

/// N numbers from the start of a slice.
#[inline(always)]
fn load<const N: usize>(from: &[f64]) -> Lanes<N> {
    let mut out = [0.0; N];
    out.copy_from_slice(&from[..N]);
    out
}

/// Rows turned into columns: entry j of row i of `rows` at j·width + i. Rows that are not there are zero.
pub(in crate::certificate) fn transposed(rows: &[f64], d: usize, width: usize, out: &mut Vec<f64>) {
    out.clear();
    out.resize(d * width, 0.0);
    for (i, row) in rows.chunks_exact(d.max(1)).enumerate() {
        row.iter().enumerate().for_each(|(j, x)| out[j * width + i] = *x);
    }
}

/// HALF sums in twice the working precision.
#[derive(Clone, Copy)]
pub(in crate::certificate) struct LaneSums {
    sum: Lanes<HALF>,
    correction: Lanes<HALF>,
    size: Lanes<HALF>,
    underflow: Lanes<HALF>,
    terms: f64,
}

#[inline(always)]
fn two_sums(a: Lanes<HALF>, b: Lanes<HALF>) -> (Lanes<HALF>, Lanes<HALF>) {
    let s = each(|i| a[i] + b[i]);
    let z: Lanes<HALF> = each(|i| s[i] - a[i]);
    (s, each(|i| (a[i] - (s[i] - z[i])) + (b[i] - z[i])))
}

#[inline(always)]
fn two_products(a: Lanes<HALF>, b: Lanes<HALF>) -> (Lanes<HALF>, Lanes<HALF>) {
    let halves = |x: Lanes<HALF>| -> (Lanes<HALF>, Lanes<HALF>) {
        let t: Lanes<HALF> = each(|i| SPLITTER * x[i]);
        let high: Lanes<HALF> = each(|i| t[i] - (t[i] - x[i]));
        (high, each(|i| x[i] - high[i]))
    };
    let p: Lanes<HALF> = each(|i| a[i] * b[i]);
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    (p, each(|i| a2[i] * b2[i] - (((p[i] - a1[i] * b1[i]) - a2[i] * b1[i]) - a1[i] * b2[i])))
}

impl LaneSums {
    #[inline(always)]
    fn zero() -> LaneSums {
        let zero = [0.0; HALF];
        LaneSums { sum: zero, correction: zero, size: zero, underflow: zero, terms: 0.0 }
    }

    #[inline(always)]
    fn add(&mut self, x: Lanes<HALF>) {
        let (sum, lost) = two_sums(self.sum, x);
        self.sum = sum;
        self.correction = each(|i| self.correction[i] + lost[i]);
        self.size = each(|i| self.size[i] + x[i].abs());
        self.terms += 1.0;
    }

    #[inline(always)]
    fn add_products(&mut self, a: Lanes<HALF>, b: Lanes<HALF>) {
        let (products, lost) = two_products(a, b);
        self.add(products);
        self.correction = each(|i| self.correction[i] + lost[i]);
    }

    #[inline(always)]
    fn add_wide_products(&mut self, (a, lost): (Lanes<HALF>, Lanes<HALF>), b: Lanes<HALF>) {
        self.add_products(a, b);
        self.correction = each(|i| self.correction[i] + lost[i] * b[i]);
        self.underflow = each(|i| self.underflow[i] + TINY * (1.0 + b[i].abs()));
    }

    fn lane(&self, i: usize) -> CompensatedSum {
        let LaneSums { sum, correction, size, underflow, terms } = self;
        CompensatedSum { sum: sum[i], correction: correction[i], size: size[i], underflow: underflow[i], terms: *terms }
    }
}

/// w·x and Σ|w_t x_t| for each row w of W, beside each other for WIDTH inputs x, the columns of `X`.
pub(in crate::certificate) struct DotsAndSizes<'a> {
    pub(in crate::certificate) X: &'a [f64],
    pub(in crate::certificate) W: &'a Matrix,
    pub(in crate::certificate) dots: &'a mut [f64],
    pub(in crate::certificate) sizes: &'a mut [f64],
}

impl Loop for DotsAndSizes<'_> {
    #[inline(always)]
    fn run(self) {
        let DotsAndSizes { X, W, dots, sizes } = self;
        let (X, d) = (&X.as_chunks::<WIDTH>().0[..W.cols()], W.cols());
        let whole = d / 4 * 4;
        let results = dots.as_chunks_mut::<WIDTH>().0.iter_mut().zip(sizes.as_chunks_mut::<WIDTH>().0);
        for (l, (dots, sizes)) in results.enumerate() {
            let w = &W.row(l)[..d];
            let (mut partial_dots, mut partial_sizes) = ([[0.0; WIDTH]; 4], [[0.0; WIDTH]; 4]);
            for part in 0..4 {
                let (mut dot, mut size) = ([0.0; WIDTH], [0.0; WIDTH]);
                // The first part takes what four do not divide, too.
                let (mut t, end) = (part, if part == 0 { d } else { whole });
                while t < end {
                    let product: Lanes<WIDTH> = each(|i| w[t] * X[t][i]);
                    dot = each(|i| dot[i] + product[i]);
                    size = each(|i| size[i] + product[i].abs());
                    t += if t < whole { 4 } else { 1 };
                }
                (partial_dots[part], partial_sizes[part]) = (dot, size);
            }
            let total = |p: &[Lanes<WIDTH>; 4]| each(|i| (p[0][i] + p[1][i]) + (p[2][i] + p[3][i]));
            (*dots, *sizes) = (total(&partial_dots), total(&partial_sizes));
        }
    }
}

/// Σ_{l ≤ j} t_jl z_l for each row t of a lower triangle, beside each other for HALF rows z, the columns of `Z`.
pub(in crate::certificate) struct TimesTriangle<'a> {
    pub(in crate::certificate) Z: &'a [f64],
    pub(in crate::certificate) T: &'a Matrix,
    pub(in crate::certificate) out: &'a mut [f64],
}

impl Loop for TimesTriangle<'_> {
    #[inline(always)]
    fn run(self) {
        let TimesTriangle { Z, T, out } = self;
        let Z = Z.as_chunks::<HALF>().0;
        for (j, out) in out.as_chunks_mut::<HALF>().0.iter_mut().enumerate() {
            let (z, t) = (&Z[..=j], &T.row(j)[..=j]);
            let ((z_chunks, z_rest), (t_chunks, t_rest)) = (z.as_chunks::<4>(), t.as_chunks::<4>());
            let mut p = [[0.0; HALF]; 4];
            for (z, t) in z_chunks.iter().zip(t_chunks) {
                for part in 0..4 {
                    p[part] = each(|i| p[part][i] + z[part][i] * t[part]);
                }
            }
            let mut rest = [0.0; HALF];
            for (z, t) in z_rest.iter().zip(t_rest) {
                rest = each(|i| rest[i] + z[i] * t);
            }
            *out = each(|i| ((p[0][i] + p[1][i]) + (p[2][i] + p[3][i])) + rest[i]);
        }
    }
}

/// The upper triangle of Σ cᵢ zᵢzᵢᵀ for the d entries each of a few rows z, every term (cᵢ zᵢₐ) zᵢᵦ added by itself.
pub(in crate::certificate) fn write_gram(out: &mut [f64], d: usize, z: &[f64], c: &[f64]) {
    let stride = d.next_multiple_of(HALF);
    let (mut padded, mut scaled) = (vec![0.0; c.len() * stride], vec![0.0; c.len() * stride]);
    let rows = padded.chunks_exact_mut(stride.max(1)).zip(scaled.chunks_exact_mut(stride.max(1)));
    for ((padded, scaled), (z, c)) in rows.zip(z.chunks_exact(d.max(1)).zip(c)) {
        padded[..d].copy_from_slice(z);
        scaled.iter_mut().zip(z).for_each(|(scaled, z)| *scaled = c * z);
    }
    vectorised(Gram { scaled: &scaled, z: &padded, sizes: (d, stride), out });
}

/// The upper triangle of Σ (cᵢ zᵢₐ) zᵢᵦ, from rows padded to the stride.
struct Gram<'a> {
    scaled: &'a [f64],
    z: &'a [f64],
    sizes: (usize, usize),
    out: &'a mut [f64],
}

impl Loop for Gram<'_> {
    #[inline(always)]
    fn run(self) {
        let Gram { scaled, z, sizes: (d, stride), out } = self;
        /// Rows of the triangle done together.
        const ROWS: usize = 4;
        for a in (0..d).step_by(ROWS) {
            for b in (a / HALF * HALF..d).step_by(HALF) {
                let mut sums = [[0.0; HALF]; ROWS];
                for (scaled, z) in scaled.chunks_exact(stride).zip(z.chunks_exact(stride)) {
                    let (t, z): (Lanes<ROWS>, Lanes<HALF>) = (load(&scaled[a..]), load(&z[b..]));
                    for row in 0..ROWS {
                        sums[row] = each(|i| sums[row][i] + t[row] * z[i]);
                    }
                }
                for (row, sums) in (a..d).zip(&sums) {
                    let width = HALF.min(d - b);
                    out[row * d + b..][..width].copy_from_slice(&sums[..width]);
                }
            }
        }
    }
}

/// Σ tᵢ zᵢⱼ for HALF columns j in each of the `sums`, over rows z of as many numbers.
struct AddMoments<'a> {
    t: &'a [f64],
    z: &'a [f64],
    sums: &'a mut [LaneSums],
}

impl Loop for AddMoments<'_> {
    #[inline(always)]
    fn run(self) {
        let AddMoments { t, z, sums } = self;
        let stride = sums.len() * HALF;
        for (panel, sums) in sums.iter_mut().enumerate() {
            let mut total = *sums;
            for (t, z) in t.iter().zip(z.chunks_exact(stride)) {
                total.add_products([*t; HALF], load(&z[panel * HALF..]));
            }
            *sums = total;
        }
    }
}

/// Σᵢ tᵢ xᵢⱼ for each of the inputs j, over a few rows x of d numbers.
pub(in crate::certificate) fn moments(t: &[f64], rows: &[f64], d: usize, inputs: &[usize]) -> Vec<CompensatedSum> {
    let panels = inputs.len().div_ceil(HALF);
    let mut z = vec![0.0; t.len() * panels * HALF];
    for (z, x) in z.chunks_exact_mut((panels * HALF).max(1)).zip(rows.chunks_exact(d.max(1))) {
        z.iter_mut().zip(inputs).for_each(|(z, &j)| *z = x[j]);
    }
    let mut sums = vec![LaneSums::zero(); panels];
    vectorised(AddMoments { t, z: &z, sums: &mut sums });
    (0..inputs.len()).map(|at| sums[at / HALF].lane(at % HALF)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activation::{Instructions, vectorised_on};
    use crate::certificate::arithmetic::{dot_and_size, plain_dot};
    use crate::random::{Purpose, Stream};

    /// Numbers of many sizes, some of them zero or close to underflow.
    fn numbers(count: usize, index: u64) -> Vec<f64> {
        let mut stream = Stream::new(7, Purpose::Probe, index);
        let number = |stream: &mut Stream| match stream.below(20) {
            0 => 0.0,
            1 => stream.normal() * 1e-160,
            2 => -0.0,
            _ => stream.normal() * 2.0_f64.powi(stream.below(60) as i32 - 30),
        };
        (0..count).map(|_| number(&mut stream)).collect()
    }

    fn matrix(rows: usize, cols: usize, index: u64) -> Matrix {
        Matrix::from_vec(rows, cols, numbers(rows * cols, index))
    }

    fn bits(numbers: &[f64]) -> Vec<u64> {
        numbers.iter().map(|x| x.to_bits()).collect()
    }

    fn parts(sum: &CompensatedSum) -> Vec<u64> {
        bits(&[sum.sum, sum.correction, sum.size, sum.terms, sum.underflow])
    }

    const SIZES: [usize; 9] = [1, 2, 3, 4, 5, 8, 17, 33, 101];

    #[test]
    fn dots_and_sizes_have_the_bits_of_their_counterpart_on_every_path() {
        for (path, d) in Instructions::available().into_iter().flat_map(|path| SIZES.map(|d| (path, d))) {
            let (X, W) = (matrix(WIDTH - d % 3, d, 1), matrix(1 + d / 2, d, 2));
            let mut columns = vec![];
            transposed(X.as_slice(), d, WIDTH, &mut columns);
            let (mut dots, mut sizes) = (vec![0.0; W.rows() * WIDTH], vec![0.0; W.rows() * WIDTH]);
            let work = DotsAndSizes { X: &columns, W: &W, dots: &mut dots, sizes: &mut sizes };
            vectorised_on(path, work);
            for (i, l) in (0..X.rows()).flat_map(|i| (0..W.rows()).map(move |l| (i, l))) {
                let (dot, size) = dot_and_size(W.row(l), X.row(i));
                let found = [dots[l * WIDTH + i], sizes[l * WIDTH + i]];
                assert_eq!(bits(&found), bits(&[dot, size]), "{path:?} {d}");
            }
        }
    }

    #[test]
    fn triangles_have_the_bits_of_their_counterpart_on_every_path() {
        for (path, d) in Instructions::available().into_iter().flat_map(|path| SIZES.map(|d| (path, d))) {
            let (Z, T) = (matrix(HALF - d % 3, d, 3), matrix(d, d, 4));
            let (mut columns, mut out) = (vec![], vec![0.0; d * HALF]);
            transposed(Z.as_slice(), d, HALF, &mut columns);
            vectorised_on(path, TimesTriangle { Z: &columns, T: &T, out: &mut out });
            for (i, j) in (0..Z.rows()).flat_map(|i| (0..d).map(move |j| (i, j))) {
                let wanted = plain_dot(&Z.row(i)[..=j], &T.row(j)[..=j]);
                assert_eq!(out[j * HALF + i].to_bits(), wanted.to_bits(), "{path:?} {d}");
            }
        }
    }

    #[test]
    fn gram_matrices_add_term_after_term_on_every_path() {
        for (path, d) in Instructions::available().into_iter().flat_map(|path| SIZES.map(|d| (path, d))) {
            let (count, stride) = (1 + 63 * (d % 2), d.next_multiple_of(HALF));
            let (Z, c) = (matrix(count, d, 5), numbers(count, 6));
            let at = |i: usize, j: usize| if j < d { Z[(i, j)] } else { 0.0 };
            let padded = Matrix::from_fn(count, stride, at);
            let scaled = Matrix::from_fn(count, stride, |i, j| c[i] * at(i, j));
            let (mut out, mut best) = (vec![0.0; d * d], vec![0.0; d * d]);
            let (scaled, z) = (scaled.as_slice(), padded.as_slice());
            vectorised_on(path, Gram { scaled, z, sizes: (d, stride), out: &mut out });
            write_gram(&mut best, d, Z.as_slice(), &c);
            for (a, b) in (0..d).flat_map(|a| (a..d).map(move |b| (a, b))) {
                let wanted = (0..count).fold(0.0, |sum, i| sum + (c[i] * Z[(i, a)]) * Z[(i, b)]);
                assert_eq!(out[a * d + b].to_bits(), wanted.to_bits(), "{path:?} {d}");
                assert_eq!(best[a * d + b].to_bits(), wanted.to_bits(), "{path:?} {d}");
            }
        }
    }
}

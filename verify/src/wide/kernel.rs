//! Sums Σ_h α_h κ(z_g, z_h) over all groups, with a bound on their errors.
//!
//! # The bound
//! For every layer there are sizes S_g of the groups with |κ(z_g, z_h)| ≤ S_g S_h, and what is computed is off by at most
//! C·u·S_g S_h besides underflow, u = 2⁻⁵³. So Σ_h α_h s κ(z_g, z_h) is off by at most C·u·s·S_g·Σ_h|α_h|S_h: a number for every layer and one for every group,
//! and nothing has to be bounded pair by pair. C below is twice what the count of roundings gives, which covers products of errors (inputs are at most 10⁶, so
//! that Cu ≤ 10⁻⁸) and the rounding of the bound itself.
//!
//! | law | S | C |
//! |---|---|---|
//! | rough-by-input, rough, t3, t5 | 1 | d + 36 |
//! | relu | ‖ã‖ | 6D + 48 |
//! | erf | (1 + 2‖ã‖²)^¼ | 8D + 64 |
//! | quadratic | √3‖ã‖² | 10D + 48 |
//! | affine | (1 + ‖z‖²)^½ | 2D + 8 |
//!
//! D is the number of coordinates: of z, and one more for a bias or a constant. To C comes 2L + 40 for what is the same for all laws: L ≤ 16 layers are added, multiplied by
//! α, and added up, 16 numbers in each of 8 lanes and 3 additions of lanes; the sums of these panels of 128 groups are compensated sums with a bound of their own.
//! What is computed for a pair serves both of its groups, since the bound is the same for both: 16 rows are added up for each column, fewer roundings than those of a panel.
//!
//! # Differences
//! |z_j − z'_j|/ℓ_j is computed as a difference times a rounded inverse: off by 3u of itself. So t = Σ|z_j − z'_j|/ℓ_j is off by
//! (d + 3)u of itself, and b = √(p·Σ((z_j − z'_j)/ℓ_j)²), p = 1, 3, 5, by (d/2 + 6)u. An error η of an argument, relative to it, moves
//!
//! - e^{−t} by η·max te^{−t} ≤ 0.37η,
//! - (1 + b)e^{−b} by η·max b²e^{−b} ≤ 0.55η,
//! - (1 + b + b²/3)e^{−b} by η·max(b² + b³)e^{−b}/3 ≤ 0.61η.
//!
//! The exponential is off by 6u, the polynomial and the products by 6u at most: (0.31d + 3.7 + 12)u for t5, (0.37d + 1.2 + 7)u for rough-by-input, less for the others. Arguments beyond 700
//! count as 700, where each kernel is below 10⁻³⁰⁰; squares that underflow move r by less than 10⁻¹⁵⁰; an overflow is a distance beyond 700. All three are far below u.
//!
//! # Products
//! ã_j = z_j/ℓ_j is off by u, ‖ã‖² by (D + 2)u, ‖ã‖ by (D/2 + 2)u, a direction ã/‖ã‖ by (D/2 + 4)u in each coordinate, and so the cosine c, |c| ≤ 1, by
//! δ = (2D + 8)u. It is then moved to [−1, 1], which brings it nearer to the true one.
//!
//! - *relu.* h(c) = (√(1 − c²) + (π/2 + arcsin c)c)/π has h' = (π − arccos c)/π between 0 and 1, so δ is not magnified. With the arcsine off by 9u, h at the computed c is off by 8u:
//!   the root by 2.5u, the sum with π/2 by 11.6u, the product with c by 13.6u, all by 18.1u, and divided by π 5.8u + 2u. ‖ã‖‖ã'‖ adds (D + 4)u, three products 3u.
//! - *quadratic.* 1 + 2c² by 4δ + 4u; ‖ã‖²‖ã'‖² by 2(D + 2)u, which 1 + 2c² ≤ 3 multiplies; three products 9u. All relative to a third of SS'.
//! - *erf.* c = b·b', b = √2ã/√(1 + 2‖ã‖²), each coordinate off by (D/2 + 5)u: δ = (2D + 10)u. ‖b‖² = 1 − q with q = 1/(1 + 2‖ã‖²), so 1 − |c| ≥ 1 − ½(‖b‖² + ‖b'‖²) = ½(q + q') ≥ m := √(qq') = 1/(SS')².
//!   Where m ≥ 2δ, between c and the computed c the slope of arcsin is at most (m/2)^{−½}, and where m < 2δ, |arcsin ĉ − arcsin c| ≤ 2arcsin√(δ/2) ≤ π√(δ/2) ≤ πδ/√m. So in both cases it is at most πδSS', times 2/π. The
//!   arcsine itself adds 9u·2/π + 2u.
//! - *affine.* Σ of D terms, of total size at most SS' (Cauchy).
//!
//! # Underflow and overflow
//! A row that is not zero and whose ‖ã‖² is not between 2⁻⁹⁰⁰ and 2⁹⁰⁰ has S = NaN, and nothing is said (relu, quadratic); coordinates that are lost beside others in this range do not matter. For erf and affine
//! an overflow makes S infinite or κ NaN, and an underflow loses at most 2⁻¹⁰⁷⁴ for each coordinate of c or z·z'. κ is (factor·factor')·(s·h), s ≤ 2³³³ and |h| ≤ 3, so an underflow of the first product loses at most
//! 2⁻¹⁰⁷⁵·2³³⁵; others lose less. 2⁻⁷⁰⁰Σ|α| for every layer and n·2⁻¹⁰⁶⁰ are added to the bound.

use std::f64::consts::{FRAC_1_PI, FRAC_2_PI, FRAC_PI_2};
use std::ops::Range;

use super::network::{LayerLaw, WideLayer};
use crate::arithmetic::{
    CompensatedSum, Enclosure, TINY, U, add_down, add_up, div_down, larger, mul_up, plain_dot, power_of_two,
};
use crate::elementary::packs::{FARTHEST, PACK, Pack, arcsine, each, exp_of_minus};
use crate::matrix::{BLOCK, Matrix, tree};

/// Packs of columns whose products are added in plain arithmetic, and rows.
const PANEL: usize = 16;
// Blocks of rows of a tree sum are whole packs and no more than a panel.
const _: () = assert!(BLOCK.is_multiple_of(PACK) && BLOCK <= PANEL * PACK);
/// What an underflow in a layer can lose of a kernel value.
const UNDERFLOW: i32 = -700;
/// Squared lengths of directions.
const LEAST_SQUARE: i32 = -900;
const LARGEST_SQUARE: i32 = 900;

/// The kernel of a network between all groups.
pub struct GroupKernel {
    n: usize,
    layers: Vec<LayerRows>,
}

/// The groups as a layer sees them.
struct LayerRows {
    law: LayerLaw,
    signal: f64,
    /// Coordinates of a row.
    dimension: usize,
    /// 1/ℓ, for laws of differences.
    inverse: Vec<f64>,
    /// n×dimension: z, or b whose products are the cosines.
    rows: Vec<f64>,
    /// The same for packs of rows, coordinate after coordinate; zero beyond the last row.
    packs: Vec<Pack>,
    /// What multiplies the function of the cosine; zero beyond the last row.
    factors: Vec<f64>,
    /// S
    sizes: Vec<f64>,
}

impl GroupKernel {
    /// For rows z.
    pub fn new(layers: &[WideLayer], z: &Matrix) -> GroupKernel {
        GroupKernel { n: z.rows(), layers: layers.iter().map(|layer| LayerRows::new(layer, z)).collect() }
    }

    /// Operations of a sweep, about.
    pub fn work(layers: &[WideLayer], n: usize, d: usize) -> f64 {
        /// What an elementary function counts.
        const ELEMENTARY: f64 = 32.0;
        n as f64 * n as f64 * layers.len() as f64 * (d as f64 + ELEMENTARY)
    }

    /// The largest κ(z_g, z_g), from above.
    pub fn largest_diagonal(&self) -> f64 {
        let at = |g: usize| self.layers.iter().fold(0.0, |sum, layer| add_up(sum, layer.diagonal(g)));
        (0..self.n).map(at).fold(0.0, larger)
    }

    /// Σ_h α_h κ(z_g, z_h) for every g.
    pub fn applied(&self, alpha: &[f64]) -> Vec<Enclosure> {
        let mut padded = alpha.to_vec();
        padded.resize(self.n.next_multiple_of(PACK), 0.0);
        let padded = padded.as_chunks::<PACK>().0;
        let totals: Vec<f64> = self.layers.iter().map(|layer| weighted_size(alpha, &layer.sizes)).collect();
        let size = weighted_size(alpha, &vec![1.0; alpha.len()]);
        let count = self.layers.len() as f64;
        let underflow = add_up(mul_up(mul_up(power_of_two(UNDERFLOW), count), size), mul_up(self.n as f64, TINY));
        let common = 2.0 * count + 40.0;
        let error = |g: usize| {
            let layers = self.layers.iter().zip(&totals);
            layers.fold(underflow, |sum, (layer, total)| {
                let relative = mul_up(mul_up((layer.roundings() + common) * U, layer.signal), layer.sizes[g]);
                add_up(sum, mul_up(relative, *total))
            })
        };
        let add = |sums: &mut Vec<CompensatedSum>, mut later: Vec<CompensatedSum>| {
            // Later rows have more columns before them.
            sums.iter().zip(&mut later).for_each(|(sum, later)| later.merge(*sum));
            *sums = later;
        };
        let sums = tree(self.n, &|rows| self.strip(rows, padded), &add);
        let enclosed = |(g, sum): (usize, &CompensatedSum)| {
            let (value, lost) = sum.value();
            let error = add_up(error(g), lost);
            Enclosure { low: add_down(value, -error), high: add_up(value, error) }
        };
        sums.iter().enumerate().map(enclosed).collect()
    }

    /// What the pairs of some rows, which begin with a pack, with each other and with those before add to the sums of both.
    fn strip(&self, rows: Range<usize>, alpha: &[Pack]) -> Vec<CompensatedSum> {
        let mut sums = vec![CompensatedSum::default(); rows.end];
        let before = rows.start / PACK;
        for panel in (0..before).step_by(PANEL) {
            let packs = panel..before.min(panel + PANEL);
            for first in rows.clone().step_by(PANEL) {
                let mut columns = [[0.0; PACK]; PANEL];
                for g in first..rows.end.min(first + PANEL) {
                    sums[g].add(self.panel_sum(g, packs.clone(), alpha, &mut columns));
                }
                let columns = columns.as_flattened()[..packs.len() * PACK].iter();
                sums[packs.start * PACK..].iter_mut().zip(columns).for_each(|(sum, column)| sum.add(*column));
            }
        }
        let own = before..rows.end.div_ceil(PACK);
        for g in rows {
            sums[g].add(self.panel_sum(g, own.clone(), alpha, &mut [[0.0; PACK]; PANEL]));
        }
        sums
    }

    /// Σ α_h κ(z_g, z_h) over some packs, in plain arithmetic; α_g κ(z_g, z_h) is added to each column.
    fn panel_sum(&self, g: usize, packs: Range<usize>, alpha: &[Pack], columns: &mut [Pack; PANEL]) -> f64 {
        let (own, mut sum) = (alpha[g / PACK][g % PACK], [0.0; PACK]);
        for (at, column) in packs.zip(columns) {
            let mut values = [0.0; PACK];
            for layer in &self.layers {
                let layer = layer.values(g, at);
                values = each(|i| values[i] + layer[i]);
            }
            sum = each(|i| sum[i] + alpha[at][i] * values[i]);
            *column = each(|i| column[i] + own * values[i]);
        }
        ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]))
    }
}

/// Σ|a_h|S_h from above.
fn weighted_size(a: &[f64], sizes: &[f64]) -> f64 {
    let mut sum = CompensatedSum::default();
    a.iter().zip(sizes).for_each(|(a, size)| sum.add(mul_up(a.abs(), *size)));
    sum.up()
}

impl LayerRows {
    fn new(layer: &WideLayer, z: &Matrix) -> LayerRows {
        let (law, n) = (layer.law, z.rows());
        let dimension = z.cols() + usize::from(law.has_bias() || law == LayerLaw::Affine);
        let (mut rows, mut factors, mut sizes) = (vec![0.0; n * dimension], vec![], vec![]);
        let mut packs = vec![[0.0; PACK]; n.div_ceil(PACK) * dimension];
        for i in 0..n {
            let row = &mut rows[i * dimension..][..dimension];
            let (factor, size) = coordinates(layer, z.row(i), row);
            factors.push(factor);
            sizes.push(size);
            let pack = &mut packs[i / PACK * dimension..][..dimension];
            pack.iter_mut().zip(row).for_each(|(pack, x)| pack[i % PACK] = *x);
        }
        factors.resize(n.next_multiple_of(PACK), 0.0);
        let inverse = layer.scales.iter().map(|scale| 1.0 / scale).collect();
        LayerRows { law, signal: layer.signal, dimension, inverse, rows, packs, factors, sizes }
    }

    /// C
    fn roundings(&self) -> f64 {
        let dimension = self.dimension as f64;
        match self.law {
            LayerLaw::RoughByInput | LayerLaw::Rough | LayerLaw::T3 | LayerLaw::T5 => dimension + 36.0,
            LayerLaw::Relu => 6.0 * dimension + 48.0,
            LayerLaw::Erf => 8.0 * dimension + 64.0,
            LayerLaw::Quadratic => 10.0 * dimension + 48.0,
            LayerLaw::Affine => 2.0 * dimension + 8.0,
        }
    }

    /// s·κ(z_g, z_g) from above: at most sS², and for erf, since arcsin c ≤ cπ/2, at most sc, 1 − c = 1/S⁴.
    fn diagonal(&self, g: usize) -> f64 {
        let (size, off) = (self.sizes[g], self.roundings() * U);
        let square = mul_up(size, size);
        let value = match self.law {
            LayerLaw::Erf => add_up(add_up(1.0, -div_down(1.0, mul_up(square, square))), off),
            _ => mul_up(square, 1.0 + off),
        };
        mul_up(self.signal, value)
    }

    /// s·κ between group g and a pack of groups.
    #[inline(always)]
    fn values(&self, g: usize, pack: usize) -> Pack {
        let row = &self.rows[g * self.dimension..][..self.dimension];
        let columns = &self.packs[pack * self.dimension..][..self.dimension];
        let values = match self.law {
            LayerLaw::RoughByInput => exp_of_minus(sum_of_differences(row, columns, &self.inverse)),
            LayerLaw::Rough => exp_of_minus(roots(1.0, sum_of_squares(row, columns, &self.inverse))),
            LayerLaw::T3 => {
                let b = roots(3.0, sum_of_squares(row, columns, &self.inverse));
                let tail = exp_of_minus(b);
                each(|i| (1.0 + b[i]) * tail[i])
            }
            LayerLaw::T5 => {
                let b = roots(5.0, sum_of_squares(row, columns, &self.inverse));
                let tail = exp_of_minus(b);
                each(|i| (1.0 + b[i] * (1.0 + b[i] * (1.0 / 3.0))) * tail[i])
            }
            LayerLaw::Relu => {
                let c = cosines(row, columns);
                let angle = arcsine(c);
                each(|i| FRAC_1_PI * (((1.0 - c[i]) * (1.0 + c[i])).sqrt() + (FRAC_PI_2 + angle[i]) * c[i]))
            }
            LayerLaw::Erf => {
                let angle = arcsine(cosines(row, columns));
                each(|i| FRAC_2_PI * angle[i])
            }
            LayerLaw::Quadratic => {
                let c = cosines(row, columns);
                each(|i| 1.0 + 2.0 * c[i] * c[i])
            }
            LayerLaw::Affine => sum_of_products(row, columns),
        };
        let (factor, factors) = (self.factors[g], &self.factors[pack * PACK..][..PACK]);
        each(|i| (factor * factors[i]) * (self.signal * values[i]))
    }
}

/// Write z or b of one row; its factor and S.
fn coordinates(layer: &WideLayer, z: &[f64], out: &mut [f64]) -> (f64, f64) {
    let d = z.len();
    out[..d].copy_from_slice(z);
    if layer.law.is_stationary() {
        return (1.0, 1.0);
    }
    if layer.law == LayerLaw::Affine {
        out[d] = 1.0;
        return (1.0, plain_dot(out, out).sqrt());
    }
    if layer.law.has_bias() {
        out[d] = layer.bias;
    }
    // Before the division: what is no double once it is scaled is not zero.
    let is_zero = out.iter().all(|x| *x == 0.0);
    out.iter_mut().zip(&layer.scales).for_each(|(out, scale)| *out /= scale);
    let square = plain_dot(out, out);
    let in_range = square >= power_of_two(LEAST_SQUARE) && square <= power_of_two(LARGEST_SQUARE);
    if layer.law == LayerLaw::Erf {
        let root = (2.0 / (1.0 + 2.0 * square)).sqrt();
        out.iter_mut().for_each(|out| *out *= root);
        return (1.0, (1.0 + 2.0 * square).sqrt().sqrt());
    }
    if is_zero {
        return (0.0, 0.0);
    }
    let length = square.sqrt();
    out.iter_mut().for_each(|out| *out /= length);
    match layer.law {
        _ if !in_range => (f64::NAN, f64::NAN),
        LayerLaw::Quadratic => (square, 3.0_f64.sqrt() * square),
        _ => (length, length),
    }
}

/// Σ|x_j − z_j|/ℓ_j
#[inline(always)]
fn sum_of_differences(row: &[f64], columns: &[Pack], inverse: &[f64]) -> Pack {
    let mut sum = [0.0; PACK];
    for ((x, z), inverse) in row.iter().zip(columns).zip(inverse) {
        sum = each(|i| sum[i] + (x - z[i]).abs() * inverse);
    }
    sum
}

/// Σ((x_j − z_j)/ℓ_j)²
#[inline(always)]
fn sum_of_squares(row: &[f64], columns: &[Pack], inverse: &[f64]) -> Pack {
    let mut sum = [0.0; PACK];
    for ((x, z), inverse) in row.iter().zip(columns).zip(inverse) {
        let scaled = each(|i| (x - z[i]) * inverse);
        sum = each(|i| sum[i] + scaled[i] * scaled[i]);
    }
    sum
}

/// Σ x_j z_j
#[inline(always)]
fn sum_of_products(row: &[f64], columns: &[Pack]) -> Pack {
    let mut sum = [0.0; PACK];
    for (x, z) in row.iter().zip(columns) {
        sum = each(|i| sum[i] + x * z[i]);
    }
    sum
}

/// √(p·s), at most 700: beyond, kernels of differences are below 10⁻³⁰⁰.
#[inline(always)]
fn roots(p: f64, s: Pack) -> Pack {
    let root = each(|i| (p * s[i]).sqrt());
    each(|i| if root[i] > FARTHEST { FARTHEST } else { root[i] })
}

/// The products, moved to [−1, 1].
#[inline(always)]
fn cosines(row: &[f64], columns: &[Pack]) -> Pack {
    let c = sum_of_products(row, columns);
    let c = each(|i| if c[i] > 1.0 { 1.0 } else { c[i] });
    each(|i| if c[i] < -1.0 { -1.0 } else { c[i] })
}

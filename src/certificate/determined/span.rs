//! What the rows leave open, as far as can be told: an estimate for readers, never for a verdict.
//!
//! The products on the rows, each scaled to length 1, are brought to triangular form by orthogonal transformations, block
//! after block, then with column pivoting: RP = [R₁₁ R₁₂], the rest negligible. Each product beyond the rank is a
//! combination of those before it, and that makes one open direction: its product minus the combination.

use shallows_verify::Monomial;
use shallows_verify::arithmetic::{U, power_of_two};

use super::MOST_FEATURES;
use super::scaled::ScaledRows;
use crate::certificate::Verdict;
use crate::certificate::proposal::determined::ProvedSpan;
use crate::linalg::{Matrix, norm, pivoted_factors, triangular_factor};

/// What quadratic functions the rows can tell apart.
/// [`determined`](fn@crate::certificate::determined) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Whether 1 counts as an input, that is, whether networks may have an affine part.
    pub affine: bool,
    /// D, the dimension of all quadratic functions.
    pub needed: usize,
    /// The rows that differ; without affine part up to sign, and without those that are zero.
    pub distinct: usize,
    /// The dimension of span{xᵢxᵢᵀ}: D where that is proved, else an estimate; beyond D = 5000 an upper bound.
    pub dimension: usize,
    /// How many more rows in general position would close it: D − dimension.
    pub missing: usize,
    /// Directions that the rows do not see, the first of them where there are many.
    pub open: Vec<Direction>,
    /// Exact relations that were found, in words: why something is open.
    pub reasons: Vec<String>,
}

/// A quadratic function that is zero on all rows, up to rounding.
///
/// ```
/// use shallows::Data;
/// use shallows::certificate::determined;
///
/// // Rows on the axes say nothing about the product of the inputs.
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]], &[1.0, 1.0, 4.0])?;
/// let (_, span) = determined(&data, false)?;
/// assert_eq!((span.needed, span.missing), (3, 1));
/// println!("open: {}", span.open[0].form);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    /// N with ⟨N, xᵢxᵢᵀ⟩ ≈ 0; with an affine part x is (1, x), and N has one more row and column, the first.
    pub matrix: Matrix,
    /// Its largest terms, in the names of the columns.
    pub form: String,
}

/// At most so many directions are written down.
const MOST_DIRECTIONS: usize = 20;
/// At most so many terms of a direction are written out.
const MOST_TERMS: usize = 6;
/// Terms below this share of the largest are rounding.
const NEGLIGIBLE_TERM: f64 = 1e-9;

impl Span {
    pub(in crate::certificate) fn new(rows: &ScaledRows, names: &[String], found: &ProvedSpan) -> Span {
        let count = |name: &str| found.judgement.fact(name).unwrap_or(0.0) as usize;
        let (affine, needed, distinct, dimension) = (rows.affine, rows.needed(), count("distinct"), count("rank"));
        let reasons = found.reasons.clone();
        let mut span = Span { affine, needed, distinct, dimension, missing: 0, open: vec![], reasons };
        if found.judgement.verdict() != Verdict::Holds && needed <= MOST_FEATURES {
            let columns = rows.columns();
            let echelon = Echelon::new(rows, &rows.some(most_rows(needed)), &columns, None);
            span.dimension = echelon.rank.min(dimension);
            let open = (echelon.rank..needed).take(MOST_DIRECTIONS);
            span.open = open.filter_map(|at| direction(rows, names, &columns, &echelon, at)).collect();
        }
        span.missing = needed - span.dimension;
        span
    }
}

/// So many rows that D² times them stays bearable, and at least 2D.
pub(in crate::certificate) fn most_rows(D: usize) -> usize {
    const MOST_WORK: f64 = 1e11;
    ((MOST_WORK / (D * D).max(1) as f64) as usize).max(2 * D)
}

/// The products on some rows in triangular form, the independent ones first.
pub(in crate::certificate) struct Echelon {
    /// The columns, the independent ones first.
    order: Vec<usize>,
    pub rank: usize,
    /// Upper trapezoidal, columns in that order.
    R: Matrix,
    /// Column j times scales[j] has length 1.
    scales: Vec<f64>,
    /// The labels in the same coordinates, or nothing.
    labels: Vec<f64>,
}

impl Echelon {
    pub(super) fn new(rows: &ScaledRows, which: &[usize], columns: &[Monomial], labels: Option<&[f64]>) -> Echelon {
        let (n, D) = (which.len(), columns.len());
        let scales: Vec<f64> = columns.iter().map(|column| unit_length(rows, which, *column)).collect();
        let fill = |i: usize, row: &mut [f64]| {
            let x = rows.X.row(which[i]);
            row.iter_mut()
                .zip(columns.iter().zip(&scales))
                .for_each(|(z, (column, scale))| *z = scale * column.value(x));
            if let Some(labels) = labels {
                row[D] = labels[i];
            }
        };
        let triangle = triangle(n, D + usize::from(labels.is_some()), fill);
        let (Q, R, order) = pivoted_factors(&Matrix::from_fn(triangle.rows(), D, |i, j| triangle[(i, j)]));
        let labels = labels.map_or(vec![], |_| Q.transposed().times_vector(&triangle.column(D)));
        let least = (4.0 * n.max(D) as f64 * U).max(LEAST_PIVOT) * R[(0, 0)].abs();
        let rank = (0..R.rows()).take_while(|&i| R[(i, i)].abs() > least).count();
        Echelon { order, rank, R, scales, labels }
    }

    /// x with R₁₁x = b.
    fn solved(&self, mut b: Vec<f64>) -> Vec<f64> {
        for i in (0..self.rank).rev() {
            let rest: f64 = (i + 1..self.rank).map(|j| self.R[(i, j)] * b[j]).sum();
            b[i] = (b[i] - rest) / self.R[(i, i)];
        }
        b
    }

    /// The open direction of the column at this place of the order, as coefficients of the scaled products.
    fn open(&self, at: usize) -> Vec<f64> {
        let mut coefficients = vec![0.0; self.order.len()];
        let solved = self.solved((0..self.rank).map(|i| self.R[(i, at)]).collect());
        coefficients[self.order[at]] = 1.0;
        solved.iter().zip(&self.order).for_each(|(c, &j)| coefficients[j] = -c);
        coefficients
    }

    /// The coefficients of a least-squares fit of the labels by independent products; all open directions.
    pub(super) fn fitted_and_open(&self) -> (Vec<f64>, Vec<Vec<f64>>) {
        let unscaled = |mut c: Vec<f64>| {
            c.iter_mut().zip(&self.scales).for_each(|(c, scale)| *c *= scale);
            c
        };
        let mut fitted = vec![0.0; self.order.len()];
        let solved = self.solved(self.labels[..self.rank].to_vec());
        solved.iter().zip(&self.order).for_each(|(c, &j)| fitted[j] = *c);
        (unscaled(fitted), (self.rank..self.order.len()).map(|at| unscaled(self.open(at))).collect())
    }
}

/// Pivots below this share of the first are rounding.
const LEAST_PIVOT: f64 = 1e-13;

fn unit_length(rows: &ScaledRows, which: &[usize], column: Monomial) -> f64 {
    let values: Vec<f64> = which.iter().map(|&i| column.value(rows.X.row(i))).collect();
    let length = norm(&values);
    if length > 0.0 { 1.0 / length } else { 1.0 }
}

/// R of the rows that `fill` writes, block after block.
fn triangle(n: usize, width: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> Matrix {
    let block = width.max(512);
    let mut R = Matrix::zeros(0, width);
    for start in (0..n).step_by(block) {
        let more = Matrix::from_row_fn(block.min(n - start), width, |i, row| fill(start + i, row));
        let rows = R.rows() + more.rows();
        let mut entries = R.into_vec();
        entries.extend(more.as_slice());
        R = triangular_factor(&Matrix::from_vec(rows, width, entries));
    }
    R
}

/// The open direction at this place in the order, in raw columns, its largest term with coefficient 1.
fn direction(
    rows: &ScaledRows,
    names: &[String],
    columns: &[Monomial],
    echelon: &Echelon,
    at: usize,
) -> Option<Direction> {
    let scaled = echelon.open(at);
    let shifts = &rows.shifts;
    let raw = |j: usize| scaled[j] * echelon.scales[j] * raw_scale(columns[j], shifts);
    let mut terms: Vec<usize> = (0..columns.len()).collect();
    terms.sort_by(|&i, &j| scaled[j].abs().total_cmp(&scaled[i].abs()));
    let (&largest, size) = (terms.first()?, scaled[*terms.first()?].abs());
    let lead = raw(largest);
    let coefficients: Vec<f64> = (0..columns.len()).map(|j| raw(j) / lead).collect();
    terms.retain(|&j| scaled[j].abs() > NEGLIGIBLE_TERM * size);
    let matrix = symmetric(columns, &coefficients, rows.X.cols(), rows.affine);
    let form = form(names, terms.iter().map(|&j| (columns[j], coefficients[j])));
    matrix.as_slice().iter().all(|x| x.is_finite()).then_some(Direction { matrix, form })
}

/// What a column of the scaled inputs is worth in raw ones: x̂_a x̂_b = 2^(h_a + h_b) x_a x_b.
fn raw_scale(column: Monomial, shifts: &[i32]) -> f64 {
    match column {
        Monomial::One => 1.0,
        Monomial::Input(j) => power_of_two(shifts[j]),
        Monomial::Product(a, b) => power_of_two(shifts[a]) * power_of_two(shifts[b]),
    }
}

/// The symmetric matrix of a quadratic form.
pub(in crate::certificate) fn symmetric(columns: &[Monomial], coefficients: &[f64], d: usize, affine: bool) -> Matrix {
    let first = usize::from(affine);
    let mut M = Matrix::zeros(d + first, d + first);
    for (column, c) in columns.iter().zip(coefficients) {
        let (a, b) = match *column {
            Monomial::One => (0, 0),
            Monomial::Input(j) => (0, j + first),
            Monomial::Product(a, b) => (a + first, b + first),
        };
        if a == b {
            M[(a, a)] = *c;
        } else {
            M[(a, b)] = 0.5 * c;
            M[(b, a)] = 0.5 * c;
        }
    }
    M
}

/// X2² − 0.98·X1·X2 + …
fn form(names: &[String], terms: impl ExactSizeIterator<Item = (Monomial, f64)>) -> String {
    let name = |column: Monomial| match column {
        Monomial::One => "1".to_owned(),
        Monomial::Input(j) => names[j].clone(),
        Monomial::Product(a, b) if a == b => format!("{}²", names[a]),
        Monomial::Product(a, b) => format!("{}·{}", names[a], names[b]),
    };
    let more = terms.len() > MOST_TERMS;
    let mut text = String::new();
    for (column, c) in terms.take(MOST_TERMS) {
        text += match (text.is_empty(), c < 0.0) {
            (true, false) => "",
            (true, true) => "−",
            (false, false) => " + ",
            (false, true) => " − ",
        };
        let (size, name) = (three_digits(c.abs()), name(column));
        text += &match (size.as_str(), column) {
            (_, Monomial::One) => size,
            ("1", _) => name,
            _ => format!("{size}·{name}"),
        };
    }
    if more { text + " + …" } else { text }
}

/// A positive number with three digits.
fn three_digits(x: f64) -> String {
    let rounded: f64 = format!("{x:.2e}").parse().unwrap_or(x);
    if (1e-4..1e6).contains(&rounded) { rounded.to_string() } else { format!("{rounded:e}") }
}

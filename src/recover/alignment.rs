//! How far found units are from a teacher's.
//!
//! Units come in no order and, for even activations, without a sign: they are paired by the assignment that makes the
//! sum of |cos(b_i, b*_j)| largest. The error of the whole is that of Ge, Lee and Ma, as corrected,
//!
//! ```text
//! Q = B [B*; N]⁻¹ with rows of length 1,    e = max{ 1 − min_i max_j |Q_ij|,  1 − min_j max_i |Q_ij| },  j ≤ m*,
//! ```
//!
//! B* with rows of length 1 and N an orthonormal basis of what is orthogonal to them, so that what B has outside their
//! span counts. e ≤ ε < 1 − 1/√2 says that the rows of Q are √(2ε)-close to those of a signed permutation. It is blind
//! to signs, which the pairs report; and there is no e where the teacher's units are dependent.

use crate::error::{Error, Result};
use crate::linalg::{Matrix, dot, inverse, norm, right_singular};

/// A unit and the teacher's unit that it stands for. [`align`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The number of the unit.
    pub unit: usize,
    /// The number of the teacher's.
    pub teacher: usize,
    /// Whether b points away from b*: everything below is about −b then.
    pub flipped: bool,
    /// Between ±b and b*, in radians; right for tiny angles too.
    pub angle: f64,
    /// ‖±b − b*‖/‖b*‖.
    pub weight_error: f64,
    /// |a − a*|/|a*|.
    pub output_error: f64,
}

/// Found units beside a teacher's. [`align`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    /// As many as the smaller of the two networks has units, in the teacher's order.
    pub pairs: Vec<Pair>,
    /// Units without a counterpart.
    pub extra: Vec<usize>,
    /// The teacher's units without a counterpart.
    pub missing: Vec<usize>,
    /// e(Q), or why there is none.
    pub error: std::result::Result<f64, Undefined>,
    /// ‖a − a*‖/‖a*‖, with 0 for what is missing on either side.
    pub output_error: f64,
}

impl Alignment {
    /// The largest angle between a unit and its counterpart, in radians.
    pub fn largest_angle(&self) -> f64 {
        self.pairs.iter().fold(0.0, |most, pair| most.max(pair.angle))
    }

    /// Units that point away from their counterparts.
    pub fn flipped(&self) -> usize {
        self.pairs.iter().filter(|pair| pair.flipped).count()
    }
}

/// Why there is no e(Q). [`recovery_error`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undefined {
    /// More units than inputs are always dependent.
    #[error("the teacher has more units than inputs, so that its units are linearly dependent")]
    MoreUnitsThanInputs,
    /// Of lower rank than units.
    #[error("the teacher's units are linearly dependent")]
    Dependent,
    /// A unit or network of nothing.
    #[error("a unit with all weights zero has no direction, and a network without units none at all")]
    NoDirection,
}

/// Align units (rows of B, output weights a) with a teacher's.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::align;
///
/// // The teacher's units in the other order, one of them turned round.
/// let found = Matrix::from_rows(&[[0.0, 1.0], [-1.0, 0.0]]);
/// let matched = align((&found, &[2.0, 1.0]), (&Matrix::identity(2), &[1.0, 2.0]))?;
/// let of_second = matched.pairs.iter().find(|pair| pair.unit == 1).expect("every unit has its like");
/// assert!(of_second.teacher == 0 && of_second.flipped && of_second.angle < 1e-6);
/// assert!(matched.extra.is_empty() && matched.missing.is_empty());
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn align((B, a): (&Matrix, &[f64]), (B_star, a_star): (&Matrix, &[f64])) -> Result<Alignment> {
    if B.cols() != B_star.cols() {
        return Err(Error::Shape { what: "inputs of the units", expected: B_star.cols(), found: B.cols() });
    }
    for (weights, units) in [(a, B), (a_star, B_star)] {
        if weights.len() != units.rows() {
            return Err(Error::Shape { what: "output weights", expected: units.rows(), found: weights.len() });
        }
        if !weights.iter().chain(units.as_slice()).all(|x| x.is_finite()) {
            return Err(Error::NotFinite { what: "the weights to be aligned" });
        }
    }
    let (unit, unit_star) = (unit_rows(B), unit_rows(B_star));
    let overlap = unit.times(&unit_star.transposed());
    let partner = assignment(&Matrix::from_fn(B.rows(), B_star.rows(), |i, j| 1.0 - overlap[(i, j)].abs()));
    let mut pairs: Vec<Pair> = Vec::new();
    for (i, j) in partner.iter().enumerate().filter_map(|(i, j)| Some((i, (*j)?))) {
        let flipped = overlap[(i, j)] < 0.0;
        let sign = if flipped { -1.0 } else { 1.0 };
        pairs.push(Pair {
            unit: i,
            teacher: j,
            flipped,
            angle: 2.0
                * distance(unit.row(i), sign, unit_star.row(j)).atan2(distance(unit.row(i), -sign, unit_star.row(j))),
            weight_error: distance(B.row(i), sign, B_star.row(j)) / norm(B_star.row(j)),
            output_error: (a[i] - a_star[j]).abs() / a_star[j].abs(),
        });
    }
    pairs.sort_by_key(|pair| pair.teacher);
    let extra: Vec<usize> = (0..B.rows()).filter(|i| partner[*i].is_none()).collect();
    let missing: Vec<usize> = (0..B_star.rows()).filter(|j| pairs.iter().all(|pair| pair.teacher != *j)).collect();
    let of_pairs = pairs.iter().map(|pair| a[pair.unit] - a_star[pair.teacher]);
    let alone = extra.iter().map(|&i| a[i]).chain(missing.iter().map(|&j| a_star[j]));
    let difference: Vec<f64> = of_pairs.chain(alone).collect();
    let output_error = norm(&difference) / norm(a_star);
    Ok(Alignment { error: recovery_error(B, B_star), pairs, extra, missing, output_error })
}

/// e(Q) for Q = B [B*; N]⁻¹.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::{Undefined, recovery_error};
///
/// let swapped = Matrix::from_rows(&[[0.0, 1.0], [1.0, 0.0]]);
/// assert!(recovery_error(&swapped, &Matrix::identity(2)).is_ok_and(|error| error < 1e-12));
/// let three = Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]);
/// assert_eq!(recovery_error(&swapped, &three), Err(Undefined::MoreUnitsThanInputs));
/// ```
pub fn recovery_error(B: &Matrix, B_star: &Matrix) -> std::result::Result<f64, Undefined> {
    let (m, d) = (B_star.rows(), B_star.cols());
    let empty = |row: usize, of: &Matrix| of.row(row).iter().all(|x| *x == 0.0);
    if B.rows() == 0 || m == 0 || (0..B.rows()).any(|i| empty(i, B)) || (0..m).any(|j| empty(j, B_star)) {
        return Err(Undefined::NoDirection);
    }
    if m > d {
        return Err(Undefined::MoreUnitsThanInputs);
    }
    let unit_star = unit_rows(B_star);
    let (values, V) = right_singular(&unit_star).ok_or(Undefined::Dependent)?;
    if !(values[m - 1] > d as f64 * f64::EPSILON * values[0]) {
        return Err(Undefined::Dependent);
    }
    // The right singular vectors beyond m span what is orthogonal to the rows.
    let completed = Matrix::from_fn(d, d, |i, j| if i < m { unit_star[(i, j)] } else { V[(j, i)] });
    Ok(error_of(&B.times(&inverse(&completed)), m))
}

/// e(Q), with rows of Q taken at length 1 and maxima over its first m columns.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::error_of;
///
/// // Rows (0.6, 0.8) and (0, 1): the first column is met by 0.6 at best.
/// let Q = Matrix::from_rows(&[[0.6, 0.8], [0.0, 1.0]]);
/// assert!((error_of(&Q, 2) - 0.4).abs() < 1e-12);
/// ```
pub fn error_of(Q: &Matrix, m: usize) -> f64 {
    let deficit = Matrix::from_fn(Q.rows(), m, |i, j| deficit(Q.row(i), j));
    let smallest = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
    let of_rows = (0..Q.rows()).map(|i| smallest(&mut deficit.row(i).iter().copied()));
    let of_columns = (0..m).map(|j| smallest(&mut deficit.column(j).into_iter()));
    of_rows.chain(of_columns).fold(0.0, f64::max)
}

/// 1 − |q_j|/‖q‖, without cancellation: with t² = Σ_{k≠j} (q_k/q_j)² and s = √(1 + t²) it is t²/(s(1 + s)).
fn deficit(q: &[f64], j: usize) -> f64 {
    let square: f64 = q.iter().enumerate().filter(|(k, _)| *k != j).map(|(_, x)| (x / q[j]).powi(2)).sum();
    let s = (1.0 + square).sqrt();
    if square.is_finite() { square / (s * (1.0 + s)) } else { 1.0 }
}

/// The rows at length 1; a row of zeros stays what it is.
pub(super) fn unit_rows(B: &Matrix) -> Matrix {
    Matrix::from_row_fn(B.rows(), B.cols(), |i, out| {
        // Scaled first: the squares of very small or large weights are not numbers.
        let scale = B.row(i).iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if scale > 0.0 {
            out.iter_mut().zip(B.row(i)).for_each(|(out, x)| *out = x / scale);
            let length = norm(out);
            out.iter_mut().for_each(|x| *x /= length);
        }
    })
}

/// ‖sign·b − c‖
fn distance(b: &[f64], sign: f64, c: &[f64]) -> f64 {
    let difference: Vec<f64> = b.iter().zip(c).map(|(b, c)| sign * b - c).collect();
    dot(&difference, &difference).sqrt()
}

/// For each row its column, or none where there are fewer columns: of all one-to-one choices of as many pairs as
/// possible, one of the least total cost. The costs must be finite.
///
/// The Hungarian method: rows enter one after another, each along a shortest path in reduced costs c_ij − u_i − v_j ≥ 0.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::assignment;
///
/// let cost = Matrix::from_rows(&[[1.0, 2.0], [1.0, 5.0]]);
/// // 2 + 1 is less than 1 + 5.
/// assert_eq!(assignment(&cost), [Some(1), Some(0)]);
/// ```
pub fn assignment(cost: &Matrix) -> Vec<Option<usize>> {
    let (rows, columns) = (cost.rows(), cost.cols());
    if rows > columns {
        return inverted(&assignment(&cost.transposed()), rows);
    }
    let (mut u, mut v) = (vec![0.0; rows], vec![0.0; columns]);
    let mut row_of: Vec<Option<usize>> = vec![None; columns];
    for entering in 0..rows {
        // The tree of shortest paths from the entering row: how far each column is, and the column before it.
        let (mut reach, mut before) = (vec![f64::INFINITY; columns], vec![None; columns]);
        let mut settled = vec![false; columns];
        let (mut row, mut last) = (entering, None);
        loop {
            for j in (0..columns).filter(|j| !settled[*j]) {
                let reduced = cost[(row, j)] - u[row] - v[j];
                if reduced < reach[j] {
                    (reach[j], before[j]) = (reduced, last);
                }
            }
            let open = (0..columns).filter(|j| !settled[*j]);
            let Some(next) = open.min_by(|i, j| reach[*i].total_cmp(&reach[*j])) else { break };
            // Shift the potentials so that the nearest column has reduced cost 0.
            let step = reach[next];
            u[entering] += step;
            for j in 0..columns {
                match row_of[j] {
                    Some(i) if settled[j] => (u[i], v[j]) = (u[i] + step, v[j] - step),
                    _ if !settled[j] => reach[j] -= step,
                    _ => {}
                }
            }
            settled[next] = true;
            last = Some(next);
            let Some(matched) = row_of[next] else { break };
            row = matched;
        }
        pass_along(&mut row_of, entering, last, &before);
    }
    inverted(&row_of, rows)
}

/// Along the path that ends in column `last`, every column passes to the row of the column before it.
fn pass_along(row_of: &mut [Option<usize>], entering: usize, mut last: Option<usize>, before: &[Option<usize>]) {
    while let Some(j) = last {
        last = before[j];
        row_of[j] = last.map_or(Some(entering), |before| row_of[before]);
    }
}

/// For each of `count` members its partner, from the member of each partner.
fn inverted(member_of: &[Option<usize>], count: usize) -> Vec<Option<usize>> {
    let mut partner = vec![None; count];
    for (j, i) in member_of.iter().enumerate() {
        if let Some(i) = i {
            partner[*i] = Some(j);
        }
    }
    partner
}

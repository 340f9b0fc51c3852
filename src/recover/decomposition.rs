//! Directions of the units from the moments of degree two and four: the direct route.
//!
//! S = Σ κ_i b_i b_iᵀ and T = Σ λ_i b_i^{⊗4} with independent b_i. The span of the b_i is that of the m largest
//! eigenvectors of S. Within it, where all κ_i have one sign, ±S itself is the matrix that makes the b_i orthogonal: with
//! P S Pᵀ = ±I the vectors P b_i √|κ_i| are orthonormal, the tensor becomes Σ λ_i/κ_i² q_i^{⊗4}, its unfolding has the
//! m eigenmatrices q_i q_iᵀ, or mixtures of them, and an orthogonal matrix that diagonalises all of them at once (Jacobi
//! rotations, Cardoso and Souloumiac 1996) has the q_i as columns.
//!
//! Where the κ_i have both signs, S cannot serve. But every positive definite matrix N in the span of the eigenmatrices is
//! Σ c_i b_i b_iᵀ with all c_i > 0, by Sylvester's law of inertia, and serves as well. N starts as the projection of the
//! identity and climbs along its smallest eigenvalue until it is positive definite.

use super::SymmetricTensor;
use super::alignment::unit_rows;
use crate::linalg::{Matrix, factor_positive_definite, norm, solve_lower, symmetric_eigen};

/// The directions b_i of `count` units as rows of norm one, each up to its sign; `None` where the moments do not hold
/// that many independent ones.
///
/// ```
/// use shallows::linalg::{Matrix, dot};
/// use shallows::recover::{SymmetricTensor, directions};
///
/// // M and T of two units along the axes, with output weights 1 and 2.
/// let second = Matrix::from_rows(&[[1.0, 0.0], [0.0, 2.0]]);
/// let fourth = SymmetricTensor::from_units(&[1.0, 2.0], &Matrix::identity(2));
/// let found = directions(&second, &fourth, 2).expect("two units");
/// assert!((0..2).any(|i| dot(found.row(i), &[1.0, 0.0]).abs() > 1.0 - 1e-9));
/// ```
pub fn directions(second: &Matrix, fourth: &SymmetricTensor, count: usize) -> Option<Matrix> {
    let span = LeadingSpan::of(second, count)?;
    let inside = fourth.in_basis(&span.inward);
    let mut matrices = eigenmatrices(&inside, count)?;
    let outward = if span.one_sign {
        span.outward
    } else {
        let factor = factor_positive_definite(&definite_member(&matrices)?)?;
        matrices = matrices.iter().map(|E| congruent(&factor, E)).collect();
        span.outward.times(&factor)
    };
    let Q = joint_diagonaliser(&mut matrices);
    let B = outward.times(&Q).transposed();
    let has_direction = |i: usize| (f64::MIN_POSITIVE..=f64::MAX).contains(&norm(B.row(i)));
    (0..count).all(has_direction).then(|| unit_rows(&B))
}

/// The numbers of the values, the largest in size first.
pub(super) fn by_size(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[j].abs().total_cmp(&values[i].abs()));
    order
}

/// The eigenvectors of the m eigenvalues of S that are largest in size.
struct LeadingSpan {
    /// |Λ|^{−½} Uᵀ, m×d.
    inward: Matrix,
    /// U |Λ|^½, d×m.
    outward: Matrix,
    /// Whether the eigenvalues have one sign.
    one_sign: bool,
}

impl LeadingSpan {
    fn of(second: &Matrix, count: usize) -> Option<Self> {
        let d = second.rows();
        let (values, vectors) = symmetric_eigen(second)?;
        let mut order = by_size(&values);
        order.truncate(count);
        let smallest = values[*order.last()?].abs();
        if count > d || !(smallest > f64::EPSILON * values[order[0]].abs()) {
            return None;
        }
        let positive = order.iter().filter(|&&i| values[i] > 0.0).count();
        let root = |i: usize| values[order[i]].abs().sqrt();
        Some(LeadingSpan {
            inward: Matrix::from_fn(count, d, |i, a| vectors[(a, order[i])] / root(i)),
            outward: Matrix::from_fn(d, count, |a, i| vectors[(a, order[i])] * root(i)),
            one_sign: positive == 0 || positive == count,
        })
    }
}

/// The eigenmatrices of the unfolded tensor with the `count` eigenvalues that are largest in size, each times its
/// eigenvalue: what is known best counts most.
fn eigenmatrices(tensor: &SymmetricTensor, count: usize) -> Option<Vec<Matrix>> {
    let m = tensor.dimension();
    let (values, vectors) = symmetric_eigen(&tensor.unfolded())?;
    let order = by_size(&values);
    let matrix = |&at: &usize| {
        let mut E = Matrix::zeros(m, m);
        let mut pair = 0;
        for c in 0..m {
            for e in c..m {
                let entry = values[at] * vectors[(pair, at)];
                E[(c, e)] = if c == e { entry } else { entry * std::f64::consts::FRAC_1_SQRT_2 };
                E[(e, c)] = E[(c, e)];
                pair += 1;
            }
        }
        E
    };
    Some(order.iter().take(count).map(matrix).collect())
}

/// L⁻¹ E L⁻ᵀ.
fn congruent(L: &Matrix, E: &Matrix) -> Matrix {
    let half = Matrix::from_rows(&(0..E.cols()).map(|j| solve_lower(L, &E.column(j))).collect::<Vec<_>>());
    Matrix::from_rows(&(0..E.cols()).map(|j| solve_lower(L, &half.column(j))).collect::<Vec<_>>())
}

/// Steps towards a positive definite member of the span before giving up.
const CLIMBS: usize = 500;
/// The smallest eigenvalue of a member that is definite enough, as a share of its largest.
const DEFINITE: f64 = 0.02;

/// A combination of the matrices that is positive definite, if one is found.
fn definite_member(matrices: &[Matrix]) -> Option<Matrix> {
    let m = matrices.first()?.rows();
    let squared = |E: &Matrix| E.as_slice().iter().map(|x| x * x).sum::<f64>();
    let basis: Vec<Matrix> = matrices
        .iter()
        .map(|E| {
            let size = squared(E).sqrt();
            Matrix::from_fn(m, m, |i, j| E[(i, j)] / size)
        })
        .collect();
    let combined =
        |c: &[f64]| Matrix::from_fn(m, m, |i, j| c.iter().zip(&basis).map(|(c, E)| c * E[(i, j)]).sum::<f64>());
    let mut c: Vec<f64> = basis.iter().map(|E| (0..m).map(|i| E[(i, i)]).sum()).collect();
    for climb in 0..CLIMBS {
        let size = norm(&c);
        c.iter_mut().for_each(|c| *c *= (m as f64).sqrt() / size);
        let N = combined(&c);
        let (values, vectors) = symmetric_eigen(&N)?;
        if values[0] > DEFINITE * values[m - 1] {
            return Some(N);
        }
        let lowest = vectors.column(0);
        let step = 1.0 / (1.0 + climb as f64).sqrt();
        for (c, E) in c.iter_mut().zip(&basis) {
            *c += step * (0..m).map(|i| lowest[i] * crate::linalg::dot(E.row(i), &lowest)).sum::<f64>();
        }
    }
    None
}

/// Sweeps of rotations; a dozen are enough for matrices that can be diagonalised together at all.
const SWEEPS: usize = 100;
/// Rotations by less than this change nothing.
const SMALLEST_ROTATION: f64 = 1e-14;

/// The orthogonal Q that makes all QᵀEQ as diagonal as possible; the matrices become QᵀEQ.
fn joint_diagonaliser(matrices: &mut [Matrix]) -> Matrix {
    let m = matrices.first().map_or(0, Matrix::rows);
    let mut Q = Matrix::identity(m);
    for _ in 0..SWEEPS {
        let mut largest = 0.0_f64;
        for p in 0..m {
            for q in p + 1..m {
                let angle = best_angle(matrices, p, q);
                largest = largest.max(angle.abs());
                let (sine, cosine) = angle.sin_cos();
                matrices.iter_mut().for_each(|E| {
                    rotate_columns(E, (p, q), (cosine, sine));
                    rotate_rows(E, (p, q), (cosine, sine));
                });
                rotate_columns(&mut Q, (p, q), (cosine, sine));
            }
        }
        if largest < SMALLEST_ROTATION {
            break;
        }
    }
    Q
}

/// The angle of the rotation of columns p and q that leaves least off the diagonals.
fn best_angle(matrices: &[Matrix], p: usize, q: usize) -> f64 {
    let (mut difference, mut mixed) = (0.0, 0.0);
    for E in matrices {
        let (on, off) = (E[(p, p)] - E[(q, q)], 2.0 * E[(p, q)]);
        difference += on * on - off * off;
        mixed += 2.0 * on * off;
    }
    0.5 * mixed.atan2(difference + difference.hypot(mixed))
}

fn rotate_columns(E: &mut Matrix, (p, q): (usize, usize), (cosine, sine): (f64, f64)) {
    for i in 0..E.rows() {
        let (x, y) = (E[(i, p)], E[(i, q)]);
        E[(i, p)] = cosine * x + sine * y;
        E[(i, q)] = cosine * y - sine * x;
    }
}

fn rotate_rows(E: &mut Matrix, (p, q): (usize, usize), (cosine, sine): (f64, f64)) {
    for j in 0..E.cols() {
        let (x, y) = (E[(p, j)], E[(q, j)]);
        E[(p, j)] = cosine * x + sine * y;
        E[(q, j)] = cosine * y - sine * x;
    }
}

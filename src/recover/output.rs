//! The output weights a and the signs of the units, once their directions are known.
//!
//! y = Σ a_i σ(b_i·x), x ~ N(0, I), ‖b_i‖ = 1, rows of B equal to the b_i up to order and sign. Three ways:
//!
//! | from | what | asks for |
//! |---|---|---|
//! | E yx = σ̂_1 Σ a_i b_i | a > 0 and the signs: Ge, Lee and Ma, Algorithms 1 and 2 | σ̂_1 ≠ 0, a > 0, independent rows |
//! | E y(xxᵀ − I) = √2σ̂_2 M, M = Σ a_i b_i b_iᵀ | a of any sign, not the signs of the b_i | independent b_i b_iᵀ |
//! | the samples | a of any sign, and the signs of the b_i | σ(±b_i·x) independent as functions |
//!
//! How an error in B spreads through the first: with orthonormal b*_i and rows ‖b_i − b*_i‖ ≤ δ, c = B·E yx/σ̂_1 is
//! off by |⟨b_i − b*_i, Σ a_k b*_k⟩| ≤ δ‖a*‖₂ in each entry, and no less in general (their Lemma 2.5 has δ max a*). The
//! least-squares form c = (BBᵀ)⁻¹B·E yx/σ̂_1, which needs no orthogonality, does not share that bound: its error is
//! (BBᵀ)⁻¹B(B* − B)ᵀa*, at most δ‖a*‖₁/σ_min(B).

use crate::activation::{Activation, Symmetry};
use crate::error::{Error, RecoverProblem, Result};
use crate::linalg::{
    Matrix, dot, factor_positive_definite, gram_of_rows, norm, orthogonal_factors, solve_lower, solve_lower_transposed,
};

/// What is known of the rows of B beforehand. [`from_first_moment`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeacherRows {
    /// Orthonormal, up to what is to be estimated: Algorithm 1.
    Orthonormal,
    /// Linearly independent: Algorithm 2.
    Independent,
}

/// Output weights, and the units with their signs. [`from_first_moment`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputLayer {
    /// a.
    pub a: Vec<f64>,
    /// The b_i, in rows.
    pub B: Matrix,
}

/// a = |c| and b_i ← sign(c_i)b_i from E yx: right when the true a are positive.
///
/// c solves Bᵀc = E yx/σ̂_1 in the least-squares sense, or is B·E yx/σ̂_1 for orthonormal rows.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::{TeacherRows, from_first_moment};
///
/// // E yx = ½Σ a_i b_i of relu units: the second unit was found with the wrong sign.
/// let found = Matrix::from_rows(&[[1.0, 0.0], [0.0, -1.0]]);
/// let layer = from_first_moment(&found, TeacherRows::Orthonormal, &[0.5, 1.0], 0.5)?;
/// assert_eq!((layer.a, layer.B.row(1)), (vec![1.0, 2.0], &[0.0, 1.0][..]));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn from_first_moment(B: &Matrix, rows: TeacherRows, mean_yx: &[f64], first: f64) -> Result<OutputLayer> {
    if mean_yx.len() != B.cols() {
        return Err(Error::Shape { what: "entries of the mean of yx", expected: B.cols(), found: mean_yx.len() });
    }
    if first == 0.0 {
        let requirement = "other than 0, or the first moment says nothing";
        return Err(Error::unsuitable("the Hermite coefficient of degree 1", requirement, 0));
    }
    let target: Vec<f64> = mean_yx.iter().map(|x| x / first).collect();
    let c = match rows {
        TeacherRows::Orthonormal => B.times_vector(&target),
        TeacherRows::Independent => combination(B, &target)?,
    };
    if !c.iter().all(|x| x.is_finite()) {
        return Err(Error::NotFinite { what: "the moments" });
    }
    let sign = |i: usize| if c[i] < 0.0 { -1.0 } else { 1.0 };
    let signed = Matrix::from_fn(B.rows(), B.cols(), |i, j| sign(i) * B[(i, j)]);
    Ok(OutputLayer { a: c.iter().map(|c| c.abs()).collect(), B: signed })
}

/// c with Bᵀc nearest to a vector, by a QR factorisation of Bᵀ.
fn combination(B: &Matrix, target: &[f64]) -> Result<Vec<f64>> {
    let (m, d) = (B.rows(), B.cols());
    if m > d {
        return Err(Error::Recover(RecoverProblem::DependentUnits));
    }
    let (Q, R) = orthogonal_factors(&B.transposed());
    // |R_jj| is how far row j is from the span of those before it.
    if (0..m).any(|j| !(R[(j, j)].abs() > d as f64 * f64::EPSILON * norm(B.row(j)))) {
        return Err(Error::Recover(RecoverProblem::DependentUnits));
    }
    Ok(solve_lower_transposed(&R.transposed(), &Q.transposed().times_vector(target)))
}

/// The a, of any sign, that bring Σ a_i b_i b_iᵀ nearest to M: ⟨b_i b_iᵀ, b_j b_jᵀ⟩ = (b_i·b_j)², ⟨b_i b_iᵀ, M⟩ = b_iᵀMb_i.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::from_second_moment;
///
/// let M = Matrix::from_rows(&[[3.0, 0.0], [0.0, -2.0]]);
/// let a = from_second_moment(&Matrix::identity(2), &M)?;
/// assert!((a[0] - 3.0).abs() < 1e-12 && (a[1] + 2.0).abs() < 1e-12);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn from_second_moment(B: &Matrix, M: &Matrix) -> Result<Vec<f64>> {
    let (m, d) = (B.rows(), B.cols());
    for found in [M.rows(), M.cols()] {
        if found != d {
            return Err(Error::Shape { what: "rows and columns of the second moment", expected: d, found });
        }
    }
    let overlap = B.times(&B.transposed());
    let G = Matrix::from_fn(m, m, |i, j| overlap[(i, j)] * overlap[(i, j)]);
    let right: Vec<f64> = (0..m).map(|i| dot(B.row(i), &M.times_vector(B.row(i)))).collect();
    solution(&G, &right, (m + d) as f64 * f64::EPSILON)
}

/// Regression of y on σ(b_i·x) and, where σ is not even, σ(−b_i·x): of the two the one with the larger coefficient is the
/// unit, and a second regression on these alone gives a.
///
/// ```
/// use shallows::data::teacher::{Hidden, Outputs, Teacher};
/// use shallows::recover::from_samples;
///
/// let teacher = Teacher::plant("relu".parse()?, (2, 3), &Hidden::Orthogonal, &Outputs::Given(vec![1.0, 2.0]), 1)?;
/// let data = teacher.sample(0..200)?;
/// let layer = from_samples(&data.X, &data.y, &teacher.network.W, &teacher.network.activation)?;
/// assert!((layer.a[0] - 1.0).abs() < 1e-9 && (layer.a[1] - 2.0).abs() < 1e-9);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn from_samples(X: &Matrix, y: &[f64], B: &Matrix, activation: &Activation) -> Result<OutputLayer> {
    if B.cols() != X.cols() {
        return Err(Error::Shape { what: "inputs of the units", expected: X.cols(), found: B.cols() });
    }
    if y.len() != X.rows() {
        return Err(Error::Shape { what: "labels", expected: X.rows(), found: y.len() });
    }
    // σ(−z) = ±σ(z) tells nothing apart.
    if activation.symmetry() != Symmetry::None {
        return Ok(OutputLayer { a: regressed(X, y, B, activation)?, B: B.clone() });
    }
    let m = B.rows();
    let both = Matrix::from_fn(2 * m, B.cols(), |i, j| if i < m { B[(i, j)] } else { -B[(i - m, j)] });
    let coefficients = regressed(X, y, &both, activation)?;
    let sign = |i: usize| if coefficients[i + m].abs() > coefficients[i].abs() { -1.0 } else { 1.0 };
    let signed = Matrix::from_fn(m, B.cols(), |i, j| sign(i) * B[(i, j)]);
    Ok(OutputLayer { a: regressed(X, y, &signed, activation)?, B: signed })
}

/// The a that bring Σ a_i σ(b_i·x) nearest to y, by the normal equations.
fn regressed(X: &Matrix, y: &[f64], B: &Matrix, activation: &Activation) -> Result<Vec<f64>> {
    let (n, m) = (X.rows(), B.rows());
    let G = gram_of_rows(n, m + 1, |i, out| {
        let z = B.times_vector(X.row(i));
        activation.values(&z, &mut out[..m]);
        out[m] = y[i];
    });
    let right: Vec<f64> = (0..m).map(|j| G[(j, m)]).collect();
    solution(&Matrix::from_fn(m, m, |i, j| G[(i, j)]), &right, (n + m) as f64 * f64::EPSILON)
}

/// x with Gx = b for a positive definite G, scaled to a unit diagonal; `rounding` is the share of a diagonal entry that
/// the sums behind it may be off by, and less than that left over means dependent units.
fn solution(G: &Matrix, b: &[f64], rounding: f64) -> Result<Vec<f64>> {
    let m = G.rows();
    let dependent = || Error::Recover(RecoverProblem::DependentUnits);
    if !G.as_slice().iter().chain(b).all(|x| x.is_finite()) {
        return Err(Error::NotFinite { what: "the moments" });
    }
    if m == 0 {
        return Ok(Vec::new());
    }
    let scale: Vec<f64> = (0..m).map(|i| 1.0 / G[(i, i)].sqrt()).collect();
    if !scale.iter().all(|x| x.is_finite()) {
        return Err(dependent());
    }
    let scaled = Matrix::from_fn(m, m, |i, j| scale[i] * G[(i, j)] * scale[j]);
    let L = factor_positive_definite(&scaled).ok_or_else(dependent)?;
    if (0..m).any(|j| !(L[(j, j)] * L[(j, j)] > rounding)) {
        return Err(dependent());
    }
    let right: Vec<f64> = b.iter().zip(&scale).map(|(b, scale)| b * scale).collect();
    let x = solve_lower_transposed(&L, &solve_lower(&L, &right));
    Ok(x.iter().zip(&scale).map(|(x, scale)| x * scale).collect())
}

//! What an objective needs to know of the teacher: M = Σ a_i b_i b_iᵀ and T = Σ a_i b_i⊗b_i⊗b_i⊗b_i.
//!
//! Of a teacher the tensor is never formed: with C = XB*ᵀ, T(·, x_j, x_j, x_j) is row j of (C∘C∘C Diag(a)) B*. Nor is it of a
//! batch of samples that is used once (`sampled.rs`).

use super::sampled::Sampled;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, dot, symmetric_eigen};
use crate::network::weighted_product;
use crate::recover::SymmetricTensor;

/// M and T of a teacher, or estimates of them.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::designed::Target;
///
/// let target = Target::of_teacher(&[1.0, 4.0], &Matrix::identity(2))?;
/// assert_eq!(target.second().row(1), [0.0, 4.0]);
/// assert_eq!(target.quartic(&[0.0, 1.0]), 4.0);
/// // In white coordinates M is the identity.
/// let (white, whitening) = target.whitened(2)?;
/// assert!((white.second()[(0, 0)] - 1.0).abs() < 1e-12 && white.second()[(0, 1)].abs() < 1e-12);
/// assert_eq!(whitening.matrix().rows(), 2);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    M: Matrix,
    T: Fourth,
}

#[derive(Clone, Debug, PartialEq)]
enum Fourth {
    /// Σ a_i b_i⊗b_i⊗b_i⊗b_i
    Units {
        a: Vec<f64>,
        B: Matrix,
    },
    Tensor(SymmetricTensor),
    Samples(Sampled),
}

impl Target {
    /// Exactly, of the teacher Σ a_i σ(b_i·x), the b_i being the rows of B.
    pub fn of_teacher(a: &[f64], B: &Matrix) -> Result<Self> {
        let (expected, found) = (B.rows(), a.len());
        if expected != found {
            return Err(Error::Shape { what: "output weights of the teacher", expected, found });
        }
        if a.iter().chain(B.as_slice()).any(|x| !x.is_finite()) {
            return Err(Error::NotFinite { what: "the weights of the teacher" });
        }
        let M = weighted_product(B, a, B);
        Ok(Target { M, T: Fourth::Units { a: a.to_vec(), B: B.clone() } })
    }

    /// From estimates: M of E y(xxᵀ − I)/(√2 σ̂_2), T of E y H₄(x)/(√24 σ̂_4).
    pub fn of_moments(M: Matrix, T: SymmetricTensor) -> Result<Self> {
        let expected = T.dimension();
        for (what, found) in [("rows of M", M.rows()), ("columns of M", M.cols())] {
            if expected != found {
                return Err(Error::Shape { what, expected, found });
            }
        }
        if M.as_slice().iter().chain(T.as_slice()).any(|x| !x.is_finite()) {
            return Err(Error::NotFinite { what: "the moments" });
        }
        Ok(Target { M, T: Fourth::Tensor(T) })
    }

    /// From a batch of samples: T is the mean of y H₄(x)/(√24 σ̂_4), used without being formed. From y any polynomial of
    /// degree three may be subtracted first: it leaves the expectation as it is, and most of the variance goes with it.
    pub fn of_samples(M: Matrix, X: Matrix, y: &[f64], sigma_4: f64) -> Result<Self> {
        let expected = X.cols();
        for (what, found) in [("rows of M", M.rows()), ("columns of M", M.cols())] {
            if expected != found {
                return Err(Error::Shape { what, expected, found });
            }
        }
        let scale = 1.0 / (24.0_f64.sqrt() * sigma_4 * X.rows() as f64);
        let weights = y.iter().map(|y| scale * y).collect();
        Ok(Target { M, T: Fourth::Samples(Sampled::new(X, weights)?) })
    }

    /// d
    pub fn inputs(&self) -> usize {
        self.M.rows()
    }

    /// M
    pub fn second(&self) -> &Matrix {
        &self.M
    }

    /// T as a tensor.
    pub fn fourth(&self) -> SymmetricTensor {
        match &self.T {
            Fourth::Units { a, B } => SymmetricTensor::from_units(a, B),
            Fourth::Tensor(T) => T.clone(),
            Fourth::Samples(samples) => samples.tensor(),
        }
    }

    /// T(u, u, u, u).
    pub fn quartic(&self, u: &[f64]) -> f64 {
        dot(u, self.cubes(&Matrix::from_rows(&[u])).as_slice())
    }

    /// Row j is T(·, b_j, b_j, b_j).
    pub(super) fn cubes(&self, B: &Matrix) -> Matrix {
        match &self.T {
            Fourth::Units { a, B: units } => {
                let mut C = B.times(&units.transposed());
                scale_entries(&mut C, |_, i, c| a[i] * c * c * c);
                C.times(units)
            }
            Fourth::Tensor(T) => T.cubes(B),
            Fourth::Samples(samples) => samples.cubes(B),
        }
    }

    /// Row j is T(·, v_j, b_j, b_j).
    pub(super) fn cubes_along(&self, B: &Matrix, V: &Matrix) -> Matrix {
        match &self.T {
            Fourth::Units { a, B: units } => {
                let C = B.times(&units.transposed());
                let mut E = V.times(&units.transposed());
                scale_entries(&mut E, |j, i, e| a[i] * C[(j, i)] * C[(j, i)] * e);
                E.times(units)
            }
            Fourth::Tensor(T) => T.cubes_along(B, V).1,
            Fourth::Samples(samples) => samples.cubes_along(B, V),
        }
    }

    /// T(·, ·, S) for a symmetric S.
    pub(super) fn times_matrix(&self, S: &Matrix) -> Matrix {
        match &self.T {
            Fourth::Units { a, B } => {
                let BS = B.times(S);
                let weights: Vec<f64> = (0..B.rows()).map(|i| a[i] * dot(BS.row(i), B.row(i))).collect();
                weighted_product(B, &weights, B)
            }
            Fourth::Tensor(T) => T.times_matrix(S),
            Fourth::Samples(samples) => samples.times_matrix(S),
        }
    }

    /// ‖T‖_F²
    pub(super) fn fourth_norm_squared(&self) -> f64 {
        match &self.T {
            Fourth::Units { a, B } => {
                let R = B.times(&B.transposed());
                (0..a.len()).map(|i| a[i] * (0..a.len()).map(|k| a[k] * R[(i, k)].powi(4)).sum::<f64>()).sum()
            }
            Fourth::Tensor(T) => T.inner(T),
            Fourth::Samples(samples) => samples.tensor().norm().powi(2),
        }
    }

    /// The target in the coordinates x ↦ Px: P M Pᵀ and T(Pᵀ·, …), P being r×d.
    pub fn in_basis(&self, P: &Matrix) -> Target {
        let T = match &self.T {
            Fourth::Units { a, B } => Fourth::Units { a: a.clone(), B: B.times(&P.transposed()) },
            Fourth::Tensor(T) => Fourth::Tensor(T.in_basis(P)),
            Fourth::Samples(samples) => Fourth::Tensor(samples.tensor().in_basis(P)),
        };
        Target { M: P.times(&self.M).times(&P.transposed()), T }
    }

    /// Coordinates in which M is the identity of its `rank` largest eigenvalues, and the target in them: F becomes G,
    /// with teacher units √a_i Wᵀb_i that are orthonormal and output weights 1/a_i.
    pub fn whitened(&self, rank: usize) -> Result<(Target, TargetWhitening)> {
        let whitening = TargetWhitening::of(&self.M, rank)?;
        Ok((self.in_basis(&whitening.W.transposed()), whitening))
    }
}

fn scale_entries(A: &mut Matrix, entry: impl Fn(usize, usize, f64) -> f64) {
    for j in 0..A.rows() {
        A.row_mut(j).iter_mut().enumerate().for_each(|(i, x)| *x = entry(j, i, *x));
    }
}

/// W (d×r) with WᵀMW = I, its columns along the leading eigenvectors of M. [`Target`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetWhitening {
    W: Matrix,
}

impl TargetWhitening {
    /// Of the `rank` largest eigenvalues of M, which must be positive.
    pub fn of(M: &Matrix, rank: usize) -> Result<Self> {
        let d = M.rows();
        let (values, U) = symmetric_eigen(M).ok_or(Error::NotFinite { what: "the moments" })?;
        if rank == 0 || rank > d || !(values[d - rank] > 0.0) {
            let found = format!("{} positive eigenvalues", values.iter().filter(|value| **value > 0.0).count());
            return Err(Error::unsuitable("M", "of the rank of the teacher", found));
        }
        let W = Matrix::from_fn(d, rank, |i, j| U[(i, d - 1 - j)] / values[d - 1 - j].sqrt());
        Ok(TargetWhitening { W })
    }

    /// W
    pub fn matrix(&self) -> &Matrix {
        &self.W
    }

    /// B = 𝓑Wᵀ, the point of F that the point 𝓑 of the whitened objective stands for.
    pub fn unwhitened(&self, whitened: &Matrix) -> Matrix {
        whitened.times(&self.W.transposed())
    }
}

//! Whitening: x ~ N(μ, Σ) becomes z = L⁻¹(x − μ) ~ N(0, I), Σ = LLᵀ, and weights go back and forth.
//!
//! A unit b·z is w·x + u in raw coordinates with w = L⁻ᵀb and u = −w·μ; the other way b = Lᵀw, and w·x = b·z + w·μ.

use crate::error::{DataProblem, Error, RecoverProblem, Result};
use crate::linalg::{
    Destination, Matrix, add_scaled, dot, for_row_blocks, gram_of_rows, multiply, solve_lower, sum_over_rows,
};

/// The map between raw and whitened inputs.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::Whitening;
///
/// let whitening = Whitening::given(vec![1.0], &Matrix::from_rows(&[[4.0]]))?;
/// // Mean 1 and standard deviation 2 become 0 and 1.
/// assert!((whitening.whitened(&Matrix::from_rows(&[[5.0]]))?[(0, 0)].abs() - 2.0).abs() < 1e-12);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Whitening {
    mean: Vec<f64>,
    /// L, lower triangular.
    factor: Matrix,
    /// L⁻¹.
    inverse: Matrix,
}

impl Whitening {
    /// By the mean and the covariance (1/n)Σ(x − μ̂)(x − μ̂)ᵀ of the rows of X; needs n > d, and inputs of which none is
    /// constant or a linear combination of others.
    pub fn of(X: &Matrix) -> Result<Whitening> {
        let (n, d) = (X.rows(), X.cols());
        if d == 0 {
            return Err(Error::Data(DataProblem::NoInputs));
        }
        if n <= d {
            return Err(problem(RecoverProblem::TooFewRows { rows: n, inputs: d, needed: d + 1 }));
        }
        check_columns(X)?;
        let mean = mean_of_rows(X);
        let mut covariance = gram_of_rows(n, d, |i, out| centre(X.row(i), &mean, out));
        covariance.as_mut_slice().iter_mut().for_each(|x| *x /= n as f64);
        if !covariance.as_slice().iter().all(|x| x.is_finite()) {
            return Err(Error::NotFinite { what: "the second moments of the inputs" });
        }
        // The sums behind an entry may be off by n roundings.
        match factor_or_dependent(&covariance, n as f64 * f64::EPSILON) {
            Ok(factor) => Ok(Whitening::with(mean, factor)),
            Err(column) => Err(problem(RecoverProblem::DependentInput { column })),
        }
    }

    /// By a known mean and covariance.
    pub fn given(mean: Vec<f64>, covariance: &Matrix) -> Result<Whitening> {
        let d = mean.len();
        if d == 0 {
            return Err(Error::Data(DataProblem::NoInputs));
        }
        for found in [covariance.rows(), covariance.cols()] {
            if found != d {
                return Err(Error::Shape { what: "rows and columns of the covariance", expected: d, found });
            }
        }
        if !mean.iter().all(|x| x.is_finite()) {
            return Err(Error::NotFinite { what: "the means of the inputs" });
        }
        let entries = covariance.as_slice();
        let scale = entries.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let asymmetry = |i: usize, j: usize| (covariance[(i, j)] - covariance[(j, i)]).abs();
        let symmetric = (0..d).all(|i| (0..i).all(|j| asymmetry(i, j) <= 1e-12 * scale));
        match factor_or_dependent(covariance, d as f64 * f64::EPSILON) {
            Ok(factor) if symmetric && scale.is_finite() => Ok(Whitening::with(mean, factor)),
            _ => Err(problem(RecoverProblem::Covariance { inputs: d })),
        }
    }

    /// Of inputs that are N(0, I) already.
    pub fn identity(d: usize) -> Whitening {
        Whitening { mean: vec![0.0; d], factor: Matrix::identity(d), inverse: Matrix::identity(d) }
    }

    fn with(mean: Vec<f64>, factor: Matrix) -> Whitening {
        let d = mean.len();
        let unit = |j: usize| (0..d).map(|i| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
        let columns: Vec<Vec<f64>> = (0..d).map(|j| solve_lower(&factor, &unit(j))).collect();
        let inverse = Matrix::from_fn(d, d, |i, j| columns[j][i]);
        Whitening { mean, factor, inverse }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.mean.len()
    }

    /// μ.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// L, lower triangular, with Σ = LLᵀ.
    pub fn factor(&self) -> &Matrix {
        &self.factor
    }

    /// Z, whose rows are L⁻¹(x − μ).
    pub fn whitened(&self, X: &Matrix) -> Result<Matrix> {
        self.check("inputs to be whitened", X.cols())?;
        let d = self.inputs();
        let mut Z = Matrix::zeros(X.rows(), d);
        for_row_blocks(Z.as_mut_slice(), d, |rows, out| {
            let mut centred = vec![0.0; out.len()];
            centred.chunks_exact_mut(d).zip(rows.clone()).for_each(|(row, i)| centre(X.row(i), &self.mean, row));
            let centred = Matrix::from_vec(rows.len(), d, centred);
            multiply(out, centred.view(), self.inverse.view().t(), Destination::Replace);
        });
        Ok(Z)
    }

    /// The units b·z, a b in each row, as w·x + u: the w in rows, and the u.
    pub fn raw_weights(&self, B: &Matrix) -> Result<(Matrix, Vec<f64>)> {
        self.check("inputs of the units", B.cols())?;
        let W = B.times(&self.inverse);
        let bias = (0..W.rows()).map(|j| -dot(W.row(j), &self.mean)).collect();
        Ok((W, bias))
    }

    /// The units w·x, a w in each row, as b·z + u: the b in rows, and the u.
    pub fn whitened_weights(&self, W: &Matrix) -> Result<(Matrix, Vec<f64>)> {
        self.check("inputs of the units", W.cols())?;
        let bias = (0..W.rows()).map(|j| dot(W.row(j), &self.mean)).collect();
        Ok((W.times(&self.factor), bias))
    }

    fn check(&self, what: &'static str, found: usize) -> Result<()> {
        let expected = self.inputs();
        if found == expected { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
    }
}

fn problem(problem: RecoverProblem) -> Error {
    Error::Recover(problem)
}

fn centre(row: &[f64], mean: &[f64], out: &mut [f64]) {
    out.iter_mut().zip(row).zip(mean).for_each(|((out, x), mean)| *out = x - mean);
}

/// Every number finite, no column constant.
fn check_columns(X: &Matrix) -> Result<()> {
    if let Some(at) = X.as_slice().iter().position(|x| !x.is_finite()) {
        let (row, column) = (at / X.cols(), at % X.cols());
        let value = X[(row, column)];
        return Err(Error::Data(DataProblem::NotFinite { row, column: column.to_string(), value }));
    }
    for column in 0..X.cols() {
        let value = X[(0, column)];
        if (1..X.rows()).all(|i| X[(i, column)] == value) {
            return Err(problem(RecoverProblem::ConstantInput { column, value }));
        }
    }
    Ok(())
}

/// The mean of the rows, corrected by the mean of what is left, so that it is right to rounding far from 0 too.
fn mean_of_rows(X: &Matrix) -> Vec<f64> {
    let (n, d) = (X.rows(), X.cols());
    let mean_from = |origin: &[f64]| {
        let sum = sum_over_rows(
            (n, d),
            || vec![0.0; d],
            |sum, rows| {
                for i in rows {
                    sum.iter_mut().zip(X.row(i)).zip(origin).for_each(|((sum, x), origin)| *sum += x - origin);
                }
            },
            |sum, next| add_scaled(sum, 1.0, &next),
        );
        origin.iter().zip(sum).map(|(origin, sum)| origin + sum / n as f64).collect::<Vec<f64>>()
    };
    mean_from(&mean_from(X.row(0)))
}

/// L with Σ = LLᵀ; or the first column of which those before it leave no more than `share` of the variance, 1 − R² =
/// L_jj²/Σ_jj. Row by row: a factorisation that merely fails does not say where.
fn factor_or_dependent(covariance: &Matrix, share: f64) -> std::result::Result<Matrix, usize> {
    let d = covariance.rows();
    let mut L = Matrix::zeros(d, d);
    for j in 0..d {
        for i in 0..j {
            L[(j, i)] = (covariance[(j, i)] - dot(&L.row(i)[..i], &L.row(j)[..i])) / L[(i, i)];
        }
        let left = covariance[(j, j)] - dot(&L.row(j)[..j], &L.row(j)[..j]);
        if !(left > share * covariance[(j, j)]) {
            return Err(j);
        }
        L[(j, j)] = left.sqrt();
    }
    Ok(L)
}

//! A quadratic network as the function it is: f(x) = xᵀMx + bᵀx + c.

use super::Network;
use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::linalg::{Destination, Matrix, dot, multiply, symmetric_eigen};

/// xᵀMx + bᵀx + c with a symmetric M; b and c may be absent.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::network::QuadraticForm;
/// use shallows::{Activation, Network};
///
/// let W = Matrix::from_rows(&[[1.0, 1.0], [1.0, -1.0]]);
/// let form = QuadraticForm::of(&Network::new(Activation::SQUARE, W, vec![1.0, -1.0])?)?;
/// assert_eq!((form.M[(0, 1)], form.M[(0, 0)]), (2.0, 0.0));
/// // The narrowest network of the same function has as many units as M has rank.
/// assert_eq!(form.network()?.width(), 2);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct QuadraticForm {
    /// d×d, symmetric.
    pub M: Matrix,
    /// b.
    pub linear: Option<Vec<f64>>,
    /// c.
    pub intercept: Option<f64>,
}

/// Eigenvalues below this share of the largest are rounding of zero.
const NUMERICAL_ZERO: f64 = 1e-13;

impl QuadraticForm {
    /// The function of a network with φ(z) = z² and no hidden biases: M = Wᵀ Diag(v) W.
    pub fn of(network: &Network) -> Result<Self> {
        if network.activation != Activation::SQUARE || network.bias.is_some() {
            let requirement = "quadratic, without hidden biases";
            return Err(Error::unsuitable("the network", requirement, &network.activation));
        }
        let M = weighted_product(&network.W, &network.v, &network.W);
        Ok(QuadraticForm { M, linear: network.linear.clone(), intercept: network.intercept })
    }

    /// The network with as many units as M has eigenvalues that are not zero: w = √|λ| q, v = sign λ, the
    /// largest first.
    pub fn network(&self) -> Result<Network> {
        let d = self.M.rows();
        let (values, Q) = symmetric_eigen(&self.M).ok_or(Error::NotFinite { what: "the entries of M" })?;
        let mut order: Vec<usize> = (0..d).collect();
        order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()));
        let largest = order.first().map_or(0.0, |&i| values[i].abs());
        order.retain(|&i| values[i].abs() > NUMERICAL_ZERO * largest);
        let W = Matrix::from_fn(order.len(), d, |j, a| values[order[j]].abs().sqrt() * Q[(a, order[j])]);
        let v = order.iter().map(|&i| values[i].signum()).collect();
        let mut network = Network::new(Activation::SQUARE, W, v)?;
        network.linear = self.linear.clone();
        network.intercept = self.intercept;
        network.check()?;
        Ok(network)
    }

    /// The values on some rows of X; `scratch` has room for rows×d.
    pub(crate) fn values(&self, X: &Matrix, rows: std::ops::Range<usize>, scratch: &mut [f64]) -> Vec<f64> {
        let d = X.cols();
        let scratch = &mut scratch[..rows.len() * d];
        multiply(scratch, X.view_rows(rows.clone()), self.M.view(), Destination::Replace);
        let affine = |x: &[f64]| self.intercept.unwrap_or(0.0) + self.linear.as_ref().map_or(0.0, |b| dot(b, x));
        rows.enumerate().map(|(at, i)| dot(&scratch[at * d..][..d], X.row(i)) + affine(X.row(i))).collect()
    }
}

/// Aᵀ Diag(weights) B.
pub(crate) fn weighted_product(A: &Matrix, weights: &[f64], B: &Matrix) -> Matrix {
    let scaled = Matrix::from_fn(A.rows(), A.cols(), |j, a| weights[j] * A[(j, a)]);
    let mut out = Matrix::zeros(A.cols(), B.cols());
    multiply(out.as_mut_slice(), scaled.view().t(), B.view(), Destination::Replace);
    out
}

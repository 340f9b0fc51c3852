//! Networks and rows of the library as the checker takes them.

use shallows_verify::rows::Rows;

use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::network::{Network, Signs};

impl From<&Matrix> for shallows_verify::Matrix {
    fn from(matrix: &Matrix) -> Self {
        shallows_verify::Matrix::from_fn(matrix.rows(), matrix.cols(), |i, j| matrix[(i, j)])
    }
}

impl From<&shallows_verify::Matrix> for Matrix {
    fn from(matrix: &shallows_verify::Matrix) -> Self {
        Matrix::from_vec(matrix.rows(), matrix.cols(), matrix.as_slice().to_vec())
    }
}

impl From<Signs> for shallows_verify::Signs {
    fn from(signs: Signs) -> Self {
        match signs {
            Signs::Any => shallows_verify::Signs::Any,
            Signs::Positive => shallows_verify::Signs::Positive,
            Signs::Negative => shallows_verify::Signs::Negative,
        }
    }
}

/// The network for the checker; both write activations by the same names.
pub(crate) fn for_checker(network: &Network) -> Result<shallows_verify::Network> {
    network.check()?;
    let name = network.activation.to_string();
    let activation =
        name.parse().map_err(|()| Error::unsuitable("the activation", "one that the checker knows", &name))?;
    Ok(shallows_verify::Network {
        activation,
        W: (&network.W).into(),
        v: network.v.clone(),
        bias: network.bias.clone(),
        intercept: network.intercept,
        linear: network.linear.clone(),
    })
}

/// 1 for every row that counts, and 0 for the others.
pub(crate) fn flat_weights(data: &Data) -> Vec<f64> {
    let counts = |i: usize| data.weights.as_ref().is_none_or(|weights| weights[i] > 0.0);
    (0..data.n()).map(|i| f64::from(u8::from(counts(i)))).collect()
}

/// The rows for the checker, without a copy.
pub(crate) fn rows_for_checker(data: &Data) -> Result<Rows<'_>> {
    Ok(Rows::new(data.X.as_slice(), data.d(), &data.y, data.weights.as_deref())?)
}

//! The network f(x) = vᵀφ(Wx + u) + c + bᵀx.

use serde::{Deserialize, Serialize};

use crate::activation::Activation;
use crate::error::{Error, Result, check_finite, check_shape};
use crate::matrix::Matrix;

/// A one-hidden-layer network.
///
/// ```
/// use shallows_verify::{Activation, Matrix, Network};
///
/// let W = Matrix::from_fn(2, 3, |l, j| (l + j) as f64);
/// let network = Network { activation: Activation::SQUARE, W, v: vec![1.0, -1.0], bias: None, intercept: None, linear: None };
/// network.check()?;
/// assert_eq!((network.width(), network.inputs()), (2, 3));
/// # Ok::<(), shallows_verify::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// φ
    pub activation: Activation,
    /// Hidden weights, k×d: row l is unit l.
    pub W: Matrix,
    /// Output weights, k.
    pub v: Vec<f64>,
    /// Hidden biases u, k.
    pub bias: Option<Vec<f64>>,
    /// The intercept c.
    pub intercept: Option<f64>,
    /// The linear part b, d.
    pub linear: Option<Vec<f64>>,
}

/// The signs that output weights may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Signs {
    /// Both.
    Any,
    /// v ≥ 0.
    Positive,
    /// v ≤ 0.
    Negative,
}

impl Network {
    /// The zero function of d inputs: no units, no affine part.
    pub fn zero(d: usize) -> Network {
        let W = Matrix::zeros(0, d);
        Network { activation: Activation::SQUARE, W, v: vec![], bias: None, intercept: None, linear: None }
    }

    /// k, the number of hidden units.
    pub fn width(&self) -> usize {
        self.W.rows()
    }

    /// d, the number of inputs.
    pub fn inputs(&self) -> usize {
        self.W.cols()
    }

    /// Shapes agree and every number is finite.
    pub fn check(&self) -> Result<()> {
        let (k, d) = (self.width(), self.inputs());
        check_shape("output weights of the network", k, self.v.len())?;
        check_shape("hidden biases of the network", k, self.bias.as_ref().map_or(k, Vec::len))?;
        check_shape("linear part of the network", d, self.linear.as_ref().map_or(d, Vec::len))?;
        let affine = self.linear.iter().flatten().chain(&self.intercept);
        let numbers = self.W.as_slice().iter().chain(&self.v).chain(self.bias.iter().flatten()).chain(affine);
        check_finite("the weights of the network", numbers)
    }

    /// φ(z) = z² exactly, and no hidden biases but zeros.
    pub fn check_quadratic(&self) -> Result<()> {
        if self.activation != Activation::SQUARE {
            let found = self.activation.to_string();
            return Err(Error::Unsuitable { what: "the activation", must_be: "quadratic", found });
        }
        match self.bias.iter().flatten().find(|u| **u != 0.0) {
            Some(u) => Err(Error::Unsuitable { what: "every hidden bias", must_be: "zero", found: u.to_string() }),
            None => Ok(()),
        }
    }

    /// Sound, quadratic and with this many inputs.
    pub fn check_kind(&self, inputs: usize) -> Result<()> {
        self.check()?;
        self.check_quadratic()?;
        self.check_inputs(inputs)
    }

    /// As many inputs as the rows have.
    pub fn check_inputs(&self, expected: usize) -> Result<()> {
        check_shape("inputs of the network", expected, self.inputs())
    }

    /// How many output weights are positive, and how many negative.
    pub fn sign_counts(&self) -> [i64; 2] {
        [1.0, -1.0].map(|sign| self.v.iter().filter(|v| sign * **v > 0.0).count() as i64)
    }

    /// How many output weights have a sign that is not allowed.
    pub fn wrong_signs(&self, allowed: Signs) -> i64 {
        let [positive, negative] = self.sign_counts();
        match allowed {
            Signs::Any => 0,
            Signs::Positive => negative,
            Signs::Negative => positive,
        }
    }

    /// The network times ±1.
    pub fn with_sign(&self, sign: f64) -> Network {
        let mut signed = self.clone();
        signed.v.iter_mut().for_each(|v| *v *= sign);
        signed.linear.iter_mut().flatten().for_each(|b| *b *= sign);
        signed.intercept = self.intercept.map(|c| sign * c);
        signed
    }
}

/// A network as a file holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredNetwork {
    activation: String,
    W: Vec<Vec<f64>>,
    #[serde(deserialize_with = "Option::deserialize")]
    u: Option<Vec<f64>>,
    v: Vec<f64>,
    #[serde(deserialize_with = "Option::deserialize")]
    c: Option<f64>,
    #[serde(deserialize_with = "Option::deserialize")]
    b: Option<Vec<f64>>,
}

impl StoredNetwork {
    /// As it is to be stored.
    pub fn new(network: &Network) -> StoredNetwork {
        StoredNetwork {
            activation: network.activation.to_string(),
            W: (0..network.width()).map(|l| network.W.row(l).to_vec()).collect(),
            u: network.bias.clone(),
            v: network.v.clone(),
            c: network.intercept,
            b: network.linear.clone(),
        }
    }

    /// The network; d is told where neither units nor a linear part show it.
    pub fn network(&self, inputs: Option<usize>) -> Result<Network> {
        let wrong = |place: &str, problem: &str| Error::Certificate {
            place: format!("network.{place}"),
            problem: problem.to_owned(),
        };
        let activation: Activation =
            self.activation.parse().map_err(|()| wrong("activation", "not the name of an activation"))?;
        let d = self.W.first().or(self.b.as_ref()).map_or(inputs.unwrap_or(0), Vec::len);
        let W = Matrix::from_rows(&self.W, d).ok_or_else(|| wrong("W", "rows of different lengths"))?;
        let (bias, intercept, linear) = (self.u.clone(), self.c, self.b.clone());
        let network = Network { activation, W, v: self.v.clone(), bias, intercept, linear };
        network.check()?;
        Ok(network)
    }
}

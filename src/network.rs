//! The network f(x) = vᵀ φ(W x + u) + c + bᵀ x.
//!
//! Hidden biases u, the intercept c and the linear part b are each optional. The parameters, or those of
//! one layer, can be laid out in one vector θ = (W row after row | u | v | c | b), which is what the
//! optimisers see: [`Layout`] says where everything is.

mod block;
mod layout;
mod quadratic;
mod sum;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::activation::{Activation, Smooth};
use crate::error::{Error, Result};
use crate::linalg::{self, Matrix, add_scaled, dot};

pub(crate) use block::{Block, Depth};
pub use layout::{Layers, Layout};
pub use quadratic::QuadraticForm;
pub(crate) use quadratic::weighted_product;
pub use sum::NetworkSum;

/// A one-hidden-layer network. The fields are public; [`Network::check`] holds of every network made by
/// this crate, and code that edits fields should keep it so.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::network::Network;
///
/// let network = Network::new("relu".parse()?, Matrix::from_rows(&[[1.0, -1.0], [0.0, 2.0]]), vec![1.0, 0.5])?;
/// let X = Matrix::from_rows(&[[3.0, 1.0], [0.0, 1.0]]);
/// assert_eq!((network.width(), network.inputs()), (2, 2));
/// assert_eq!(network.predict(&X)?, [3.0, 1.0]);
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// φ.
    pub activation: Activation,
    /// Hidden weights, k×d: row j is unit j.
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

/// What gives a number for every row of inputs: a network, a sum of networks, a network of infinite width.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::network::Predict;
/// use shallows::{Activation, Network, Result};
///
/// fn first(f: &impl Predict) -> Result<f64> {
///     Ok(f.predict(&Matrix::from_rows(&[[2.0]]))?[0])
/// }
/// assert_eq!(first(&Network::new(Activation::SQUARE, Matrix::identity(1), vec![3.0])?)?, 12.0);
/// # Ok::<(), shallows::Error>(())
/// ```
pub trait Predict {
    /// f(x_i) for every row of X.
    ///
    /// # Errors
    /// When X does not have the inputs of f.
    fn predict(&self, X: &Matrix) -> Result<Vec<f64>>;
}

impl Predict for Network {
    fn predict(&self, X: &Matrix) -> Result<Vec<f64>> {
        Network::predict(self, X)
    }
}

/// The signs that output weights may have.
///
/// ```
/// use shallows::network::Signs;
///
/// assert_eq!(Signs::Positive.name(), "positive");
/// ```
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

impl Signs {
    /// As in files and options.
    pub fn name(self) -> &'static str {
        match self {
            Signs::Any => "any",
            Signs::Positive => "positive",
            Signs::Negative => "negative",
        }
    }
}

impl Network {
    /// f(x) = vᵀφ(Wx), without biases and affine part.
    pub fn new(activation: Activation, W: Matrix, v: Vec<f64>) -> Result<Self> {
        let network = Network { activation, W, v, bias: None, intercept: None, linear: None };
        network.check()?;
        Ok(network)
    }

    /// The affine function c + bᵀx: a network without hidden units.
    pub fn affine(activation: Activation, intercept: f64, linear: Vec<f64>) -> Self {
        let W = Matrix::zeros(0, linear.len());
        Network { activation, W, v: vec![], bias: None, intercept: Some(intercept), linear: Some(linear) }
    }

    /// Shapes agree and every number is finite.
    pub fn check(&self) -> Result<()> {
        let (k, d) = (self.width(), self.inputs());
        let shape = |what, expected, found| {
            if expected == found { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
        };
        shape("output weights of the network", k, self.v.len())?;
        shape("hidden biases of the network", k, self.bias.as_ref().map_or(k, Vec::len))?;
        shape("linear part of the network", d, self.linear.as_ref().map_or(d, Vec::len))?;
        let mut numbers = self.W.as_slice().iter().chain(&self.v).chain(self.bias.iter().flatten());
        let finite = numbers.all(|x| x.is_finite())
            && self.linear.iter().flatten().all(|x| x.is_finite())
            && self.intercept.is_none_or(f64::is_finite);
        if finite { Ok(()) } else { Err(Error::NotFinite { what: "the weights of the network" }) }
    }

    /// k, the number of hidden units.
    pub fn width(&self) -> usize {
        self.W.rows()
    }

    /// d, the number of inputs.
    pub fn inputs(&self) -> usize {
        self.W.cols()
    }

    /// f(x_i) for every row of X.
    pub fn predict(&self, X: &Matrix) -> Result<Vec<f64>> {
        self.check_inputs(X)?;
        let mut f = vec![0.0; X.rows()];
        linalg::for_row_blocks(&mut f, 1, |rows, out| {
            let mut block = Block::new(self, X, rows.len());
            block.forward(rows, Depth::Values);
            out.copy_from_slice(block.outputs());
        });
        Ok(f)
    }

    /// J·δ: the change of f(x_i) to first order when the parameters move by δ.
    pub fn jacobian_product(&self, layers: Layers, X: &Matrix, direction: &[f64]) -> Result<Vec<f64>> {
        self.check_inputs(X)?;
        let layout = Layout::new(self, layers);
        check_length("direction", layout.len(), direction.len())?;
        let mut product = vec![0.0; X.rows()];
        linalg::for_row_blocks(&mut product, 1, |rows, out| {
            let mut block = Block::new(self, X, rows.len());
            block.forward(rows, Depth::Slopes);
            out.copy_from_slice(block.push_forward(&layout, direction));
        });
        Ok(product)
    }

    /// Jᵀ·s: the gradient in the parameters of Σ s_i f(x_i).
    pub fn jacobian_transpose_product(&self, layers: Layers, X: &Matrix, s: &[f64]) -> Result<Vec<f64>> {
        self.check_inputs(X)?;
        check_length("one number per row", X.rows(), s.len())?;
        let layout = Layout::new(self, layers);
        Ok(linalg::sum_over_rows(
            (X.rows(), layout.len()),
            || vec![0.0; layout.len()],
            |sum, rows| {
                let mut block = Block::new(self, X, rows.len());
                block.forward(rows.clone(), Depth::Slopes);
                block.pull_back(&layout, &s[rows], sum);
            },
            |sum, next| add_scaled(sum, 1.0, &next),
        ))
    }

    /// The trained parameters as one vector.
    pub fn parameters(&self, layers: Layers) -> Vec<f64> {
        let mut theta = Vec::with_capacity(Layout::new(self, layers).len());
        if layers.hidden() {
            theta.extend(self.W.as_slice());
            theta.extend(self.bias.iter().flatten());
        }
        if layers.output() {
            theta.extend(&self.v);
        }
        if layers.affine() {
            theta.extend(self.intercept);
            theta.extend(self.linear.iter().flatten());
        }
        theta
    }

    /// Replace the trained parameters.
    pub fn set_parameters(&mut self, layers: Layers, theta: &[f64]) {
        let layout = Layout::new(self, layers);
        assert_eq!(theta.len(), layout.len(), "one number per trained parameter");
        let copy = |to: &mut [f64], range: &Range<usize>| {
            if !range.is_empty() {
                to.copy_from_slice(&theta[range.clone()]);
            }
        };
        copy(self.W.as_mut_slice(), &layout.W);
        copy(self.bias.as_deref_mut().unwrap_or_default(), &layout.bias);
        copy(&mut self.v, &layout.v);
        copy(self.intercept.as_mut_slice(), &layout.intercept);
        copy(self.linear.as_deref_mut().unwrap_or_default(), &layout.linear);
    }

    /// One network whose output is the sum of two, by putting their units side by side.
    pub fn merge(mut self, other: &Network) -> Result<Self> {
        check_length("inputs of the second network", self.inputs(), other.inputs())?;
        if self.activation != other.activation {
            let (left, right) = (self.activation.to_string(), other.activation.to_string());
            return Err(Error::DifferentActivations { left, right });
        }
        if self.bias.is_some() || other.bias.is_some() {
            let mut bias = self.bias.take().unwrap_or_else(|| vec![0.0; self.width()]);
            bias.extend(other.bias.clone().unwrap_or_else(|| vec![0.0; other.width()]));
            self.bias = Some(bias);
        }
        let (k, d) = (self.width() + other.width(), self.inputs());
        let mut entries = self.W.into_vec();
        entries.extend(other.W.as_slice());
        self.W = Matrix::from_vec(k, d, entries);
        self.v.extend(&other.v);
        self.intercept = sum_of(self.intercept, other.intercept, |a, b| a + b);
        self.linear = sum_of(self.linear, other.linear.clone(), |a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect());
        Ok(self)
    }

    /// The same function without the units that contribute nothing or only a constant.
    ///
    /// A unit with v_j = 0 goes. A unit with w_j = 0 is the constant v_j φ(u_j): it goes into the intercept,
    /// which appears if there was none and the constant is not zero.
    pub fn without_dead_units(&self) -> Self {
        let mut constant = 0.0;
        let mut alive = Vec::new();
        for j in 0..self.width() {
            if self.v[j] == 0.0 {
                continue;
            }
            if self.W.row(j).iter().all(|w| *w == 0.0) {
                let mut phi = [0.0];
                self.activation.values(&[self.bias.as_ref().map_or(0.0, |u| u[j])], &mut phi);
                constant += self.v[j] * phi[0];
            } else {
                alive.push(j);
            }
        }
        let intercept = if constant == 0.0 { self.intercept } else { Some(self.intercept.unwrap_or(0.0) + constant) };
        Network { intercept, ..self.select_units(&alive) }
    }

    /// The network with these of its units, in this order; everything else stays.
    ///
    /// # Panics
    /// If a number is not below the width.
    pub fn select_units(&self, units: &[usize]) -> Self {
        let pick = |from: &Vec<f64>| units.iter().map(|&j| from[j]).collect::<Vec<f64>>();
        Network {
            W: self.W.select_rows(units),
            v: pick(&self.v),
            bias: self.bias.as_ref().map(pick),
            activation: self.activation.clone(),
            intercept: self.intercept,
            linear: self.linear.clone(),
        }
    }

    /// The network g(x) = y₀ + s·f((x − m)/σ): what was trained on standardised data, for raw inputs.
    ///
    /// A shift m ≠ 0 needs somewhere to go: hidden biases, or for a quadratic activation the affine part,
    /// since φ(z − t) = φ(z) − 2αtz + αt² − βt. Parts that are needed and absent are added.
    pub fn unstandardised(&self, scaling: &Standardisation) -> Self {
        let Standardisation { mean, deviation, target_mean, target_deviation } = scaling;
        let mut out = self.clone();
        let mut intercept = 0.0;
        let mut linear = self.linear.clone().unwrap_or_else(|| vec![0.0; self.inputs()]);
        linear.iter_mut().zip(deviation).for_each(|(b, sigma)| *b /= sigma);
        intercept -= dot(&linear, mean);
        let shifted = mean.iter().any(|m| *m != 0.0);
        for j in 0..self.width() {
            let row = out.W.row_mut(j);
            row.iter_mut().zip(deviation).for_each(|(w, sigma)| *w /= sigma);
            let t = dot(row, mean);
            if !shifted {
                continue;
            }
            match (&mut out.bias, &self.activation) {
                (Some(bias), _) => bias[j] -= t,
                (None, Activation::Smooth(Smooth::Quadratic { alpha, beta, .. })) => {
                    let v = self.v[j];
                    add_scaled(&mut linear, -2.0 * alpha * t * v, row);
                    intercept += v * (alpha * t - beta) * t;
                }
                (bias @ None, _) => {
                    let mut added = vec![0.0; self.v.len()];
                    added[j] = -t;
                    *bias = Some(added);
                }
            }
        }
        out.v.iter_mut().for_each(|v| *v *= target_deviation);
        linear.iter_mut().for_each(|b| *b *= target_deviation);
        intercept = target_mean + target_deviation * (self.intercept.unwrap_or(0.0) + intercept);
        out.intercept = (self.intercept.is_some() || intercept != 0.0).then_some(intercept);
        out.linear = (self.linear.is_some() || linear.iter().any(|b| *b != 0.0)).then_some(linear);
        out
    }

    fn check_inputs(&self, X: &Matrix) -> Result<()> {
        check_length("inputs of the network", self.inputs(), X.cols())
    }
}

/// How a table was standardised: x ↦ (x − mean)/deviation, and the same for the target.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::network::Standardisation;
/// use shallows::{Activation, Network};
///
/// // What was learned of (x − 10)/2, as a function of x itself.
/// let scaling = Standardisation { mean: vec![10.0], deviation: vec![2.0], target_mean: 0.0, target_deviation: 1.0 };
/// let network = Network::new(Activation::TANH, Matrix::from_rows(&[[1.0]]), vec![1.0])?;
/// let raw = network.unstandardised(&scaling).predict(&Matrix::from_rows(&[[12.0]]))?[0];
/// assert!((raw - 1.0_f64.tanh()).abs() < 1e-15);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Standardisation {
    /// Of each input.
    pub mean: Vec<f64>,
    /// Of each input; never 0, infinite for an input to be ignored.
    pub deviation: Vec<f64>,
    /// Of the target.
    pub target_mean: f64,
    /// Of the target; never 0.
    pub target_deviation: f64,
}

fn sum_of<T>(left: Option<T>, right: Option<T>, add: impl Fn(T, T) -> T) -> Option<T> {
    match (left, right) {
        (Some(left), Some(right)) => Some(add(left, right)),
        (left, right) => left.or(right),
    }
}

fn check_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
}

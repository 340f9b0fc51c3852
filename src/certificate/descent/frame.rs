//! How the rows of a table are brought into the form that convergence theorems speak about.
//!
//! The theorems train f(x) = vᵀφ(Wx) without biases and affine part. A table whose rows are not unit vectors is standardised
//! and gets a constant input, which does the work of hidden biases.

use serde::{Deserialize, Serialize};
use shallows_verify::form::{Merged, RowForm, Scaled, to_unit};

use crate::activation::Symmetry;
use crate::data::Data;
use crate::data::scaling::{self, Centring};
use crate::error::{Error, Parameter, Requirement, Result};
use crate::linalg::{Matrix, norm};
use crate::network::{Network, Standardisation};

/// What is done with a row x.
///
/// ```
/// use shallows::certificate::descent::frame::RowScaling;
/// use shallows::linalg::Matrix;
///
/// // Unit vectors stay as they are; other rows are scaled.
/// assert_eq!(RowScaling::automatic(&Matrix::identity(2)), RowScaling::Raw);
/// assert_eq!(RowScaling::automatic(&Matrix::from_rows(&[[3.0, 4.0]])), RowScaling::Scaled);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowScaling {
    /// Nothing.
    Raw,
    /// x/‖x‖; a row of zeros stays.
    Unit,
    /// ((x − mean)/deviation, 1) times one factor for all rows, which gives the longest a chosen norm; the target is
    /// standardised too.
    Scaled,
}

/// Rows whose norms are this close to 1 are unit rows that were rounded.
const UNIT: f64 = 1e-9;

impl RowScaling {
    /// Raw where all rows are unit vectors already, scaled otherwise.
    pub fn automatic(X: &Matrix) -> RowScaling {
        let unit = (0..X.rows()).all(|i| (norm(X.row(i)) - 1.0).abs() <= UNIT);
        if unit { RowScaling::Raw } else { RowScaling::Scaled }
    }
}

/// A preparation of rows that was learned from a table.
///
/// ```
/// use shallows::Data;
/// use shallows::certificate::descent::frame::{RowFrame, RowScaling};
///
/// let data = Data::from_rows(&[[3.0, 4.0], [0.0, 2.0]], &[1.0, 2.0])?;
/// let frame = RowFrame::new(RowScaling::Unit, 1.0, &data)?;
/// let rows = frame.apply(&data);
/// assert!((0..2).all(|i| (rows.X.row(i).iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-15));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RowFrame {
    rows: RowScaling,
    scaling: Standardisation,
    /// The norm of the longest row, for scaled rows.
    radius: f64,
    factor: f64,
}

/// The norm of the longest scaled row unless another is asked for. ‖x‖ is the standard deviation of w·x at a standard
/// normal start: where it is small, a smooth φ is nearly a polynomial of low degree there, and the rows of the Jacobian
/// nearly dependent.
pub(crate) const RADIUS: f64 = 20.0;

impl RowFrame {
    /// Learn it from samples; `radius` matters for scaled rows only.
    pub fn new(rows: RowScaling, radius: f64, data: &Data) -> Result<RowFrame> {
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(Error::parameter(Parameter::Radius, Requirement::Positive, radius));
        }
        let scaling = match rows {
            RowScaling::Raw | RowScaling::Unit => scaling::none(data.d()),
            RowScaling::Scaled => scaling::standardisation(data, Centring { inputs: true, target: true })?,
        };
        let mut frame = RowFrame { rows, scaling, radius, factor: 1.0 };
        let longest = |X: &Matrix| (0..X.rows()).map(|i| norm(X.row(i))).fold(0.0, f64::max);
        if rows == RowScaling::Scaled {
            frame.factor = radius / longest(&frame.prepared(&data.X));
        }
        Ok(frame)
    }

    /// The samples as the theorems see them.
    pub fn apply(&self, data: &Data) -> Data {
        let mut framed = data.clone();
        framed.X = self.prepared(&data.X);
        if self.rows == RowScaling::Scaled {
            // A column may have that name already; names of inputs must differ.
            let mut name = String::from("1");
            while data.names.contains(&name) || data.target == name {
                name.push('\'');
            }
            framed.names.push(name);
            let Standardisation { target_mean, target_deviation, .. } = self.scaling;
            framed.y.iter_mut().for_each(|y| *y = (*y - target_mean) / target_deviation);
        }
        framed
    }

    fn prepared(&self, X: &Matrix) -> Matrix {
        let (n, d) = (X.rows(), X.cols());
        match self.rows {
            RowScaling::Raw => X.clone(),
            RowScaling::Unit => Matrix::from_row_fn(n, d, |i, out| {
                out.copy_from_slice(X.row(i));
                to_unit(out);
            }),
            RowScaling::Scaled => Matrix::from_row_fn(n, d + 1, |i, out| {
                let Standardisation { mean, deviation, .. } = &self.scaling;
                for (j, x) in X.row(i).iter().enumerate() {
                    out[j] = (x - mean[j]) / deviation[j] * self.factor;
                }
                out[d] = self.factor;
            }),
        }
    }

    /// A network on prepared rows as one that takes raw rows and gives raw targets; none does for unit rows.
    pub fn raw_network(&self, network: &Network) -> Option<Network> {
        match self.rows {
            RowScaling::Raw => Some(network.clone()),
            RowScaling::Unit => None,
            RowScaling::Scaled => {
                let (k, d) = (network.width(), network.inputs() - 1);
                let mut raw = network.clone();
                raw.W = Matrix::from_fn(k, d, |l, j| network.W[(l, j)] * self.factor);
                raw.bias = Some((0..k).map(|l| network.W[(l, d)] * self.factor).collect());
                Some(raw.unstandardised(&self.scaling))
            }
        }
    }

    /// The same in the words of the checker, where rows that a network with this symmetry does not tell apart are merged.
    pub(crate) fn form(&self, symmetry: Symmetry) -> RowForm {
        let Standardisation { mean, deviation, target_mean, target_deviation } = &self.scaling;
        let scaled = match self.rows {
            RowScaling::Raw => None,
            RowScaling::Unit => Some(Scaled::Unit),
            RowScaling::Scaled => Some(Scaled::Standardised {
                centre: mean.clone(),
                scale: deviation.iter().map(|scale| Some(*scale).filter(|scale| scale.is_finite())).collect(),
                factor: self.factor,
                target_centre: *target_mean,
                target_scale: *target_deviation,
            }),
        };
        let merged = match symmetry {
            Symmetry::None => Merged::Equal,
            Symmetry::Even => Merged::Even,
            Symmetry::Odd => Merged::Odd,
        };
        RowForm { scaled, merged: Some(merged) }
    }

    /// What was done, to follow "the rows are".
    pub fn words(&self) -> String {
        match self.rows {
            RowScaling::Raw => "taken as they are".into(),
            RowScaling::Unit => "divided by their norms".into(),
            RowScaling::Scaled => format!(
                "standardised by columns, given a constant input 1, and all multiplied by {:.4}, so that the longest has \
                 norm {}; the target is standardised",
                self.factor, self.radius
            ),
        }
    }

    /// Which preparation it is.
    pub fn rows(&self) -> RowScaling {
        self.rows
    }

    /// The norm of the longest row, for scaled rows.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// What a residual on prepared rows is in units of the target.
    pub fn target_unit(&self) -> f64 {
        if self.rows == RowScaling::Scaled { self.scaling.target_deviation } else { 1.0 }
    }
}

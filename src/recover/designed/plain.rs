//! f: the plain population risk of a relu student against a relu teacher, as an objective.
//!
//! The closed forms are those of [`crate::risk::population`]; for φ(z) = z² the objective is
//! [`crate::risk::PopulationRisk`], and for any activation on unit rows [`super::SeriesRisk`].

use crate::activation::{Activation, Kinked};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::network::Network;
use crate::risk::population::{relu_population_product, relu_population_risk};
use crate::risk::{Objective, Value};

/// f of relu students with fixed output weights: an objective on W, row after row, of any lengths.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::designed::PlainRisk;
/// use shallows::risk::Objective;
/// use shallows::{Activation, Network};
///
/// let teacher = Network::new(Activation::RELU, Matrix::identity(2), vec![1.0, 1.0])?;
/// let risk = PlainRisk::of_teacher(&teacher, vec![1.0, 1.0])?;
/// assert!(risk.value(&[1.0, 0.0, 0.0, 1.0]).objective.abs() < 1e-12);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlainRisk {
    teacher: Network,
    v: Vec<f64>,
    /// √(E y²)
    label_size: f64,
}

impl PlainRisk {
    /// Against a relu teacher without biases and affine part.
    pub fn of_teacher(teacher: &Network, v: Vec<f64>) -> Result<Self> {
        let silent = Network::new(Activation::Kinked(Kinked::Relu), Matrix::zeros(1, teacher.inputs()), vec![0.0])?;
        let label_size = (2.0 * relu_population_risk(&silent, teacher)?.value).sqrt();
        Network::new(Activation::Kinked(Kinked::Relu), Matrix::zeros(v.len(), teacher.inputs()), v.clone())?;
        Ok(PlainRisk { teacher: teacher.clone(), v, label_size })
    }

    fn student(&self, theta: &[f64]) -> Result<Network> {
        let W = Matrix::from_vec(self.v.len(), self.teacher.inputs(), theta.to_vec());
        Network::new(Activation::Kinked(Kinked::Relu), W, self.v.clone())
    }
}

impl Objective for PlainRisk {
    fn dimension(&self) -> usize {
        self.v.len() * self.teacher.inputs()
    }

    fn value(&self, theta: &[f64]) -> Value {
        self.gradient(theta, &mut vec![0.0; theta.len()])
    }

    /// Where θ is not finite the value is NaN.
    fn gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Value {
        let risk = self.student(theta).and_then(|student| relu_population_risk(&student, &self.teacher));
        let objective = match risk {
            Ok(risk) => {
                gradient.copy_from_slice(risk.gradient_W.as_slice());
                risk.value
            }
            Err(_) => f64::NAN,
        };
        Value { objective, relative_error: (2.0 * objective.max(0.0)).sqrt() / self.label_size }
    }

    fn hessian_product(&self, theta: &[f64], direction: &[f64], product: &mut [f64]) {
        let U = Matrix::from_vec(self.v.len(), self.teacher.inputs(), direction.to_vec());
        match self.student(theta).and_then(|student| relu_population_product(&student, &self.teacher, &U)) {
            Ok(H) => product.copy_from_slice(H.as_slice()),
            Err(_) => product.fill(f64::NAN),
        }
    }
}

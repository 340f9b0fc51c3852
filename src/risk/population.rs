//! The population risk L = ½E r² for inputs x ~ N(0, I), in closed form.
//!
//! For φ(z) = z² the network is xᵀMx with M = Wᵀ Diag(v) W, and with A = M − M*, G = 2A + tr(A)·I, D = Diag(v):
//!
//! ```text
//! L = ‖A‖_F² + ½(tr A)²          ∇_W = 2 D W G
//! along U:  Ȧ = UᵀDW + WᵀDU      H[U] = 2 D U G + 2 D W (2Ȧ + tr(Ȧ)·I)
//! ```
//!
//! Only d×d matrices are formed, whatever the width. Other activations are in `forms.rs`.

mod forms;

pub(crate) use forms::relu_population_product;
pub use forms::{ReluRisk, hermite_population_risk, population_risk, relu_population_risk};

use super::{Objective, Value};
use crate::error::{Error, Result};
use crate::linalg::{Destination, Matrix, View, dot, multiply, norm};
use crate::network::{Network, QuadraticForm, weighted_product};

/// The population risk of f(x) = Σ v_j (w_j·x)² against labels xᵀM*x, as a function of W alone.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::risk::{Objective, PopulationRisk};
///
/// let risk = PopulationRisk::new(Matrix::identity(2), vec![1.0, 1.0])?;
/// // W = I computes the labels; W = 0 leaves all of ½E‖x‖⁴ = 4.
/// assert_eq!(risk.value(&[1.0, 0.0, 0.0, 1.0]).objective, 0.0);
/// assert!((risk.value(&[0.0; 4]).objective - 4.0).abs() < 1e-12);
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PopulationRisk {
    M_star: Matrix,
    v: Vec<f64>,
    /// √(E y²)
    label_size: f64,
}

impl PopulationRisk {
    /// Of students with output weights v against labels xᵀM*x; M* is symmetric.
    pub fn new(M_star: Matrix, v: Vec<f64>) -> Result<Self> {
        let (expected, found) = (M_star.rows(), M_star.cols());
        if expected != found {
            return Err(Error::Shape { what: "columns of M*", expected, found });
        }
        if M_star.as_slice().iter().chain(&v).any(|x| !x.is_finite()) {
            return Err(Error::NotFinite { what: "M* and the output weights" });
        }
        let label_size = (2.0 * risk_of(&M_star)).sqrt();
        Ok(PopulationRisk { M_star, v, label_size })
    }

    /// Against a quadratic teacher without affine part.
    pub fn of_teacher(teacher: &Network, v: Vec<f64>) -> Result<Self> {
        let QuadraticForm { M, linear, intercept } = QuadraticForm::of(teacher)?;
        if linear.iter().flatten().chain(&intercept).any(|x| *x != 0.0) {
            return Err(Error::unsuitable("the affine part of the teacher", "absent", "there"));
        }
        PopulationRisk::new(M, v)
    }

    /// d
    pub fn inputs(&self) -> usize {
        self.M_star.rows()
    }

    /// M*
    pub fn target(&self) -> &Matrix {
        &self.M_star
    }

    /// The output weights.
    pub fn outputs(&self) -> &[f64] {
        &self.v
    }

    fn matrix(&self, theta: &[f64]) -> Matrix {
        Matrix::from_vec(self.v.len(), self.inputs(), theta.to_vec())
    }

    /// A = WᵀDW − M*.
    fn error(&self, W: &Matrix) -> Matrix {
        let mut A = weighted_product(W, &self.v, W);
        A.as_mut_slice().iter_mut().zip(self.M_star.as_slice()).for_each(|(a, m)| *a -= m);
        A
    }

    fn value_at(&self, A: &Matrix) -> Value {
        let objective = risk_of(A);
        let relative_error = (2.0 * objective).sqrt() / self.label_size;
        // Labels that are all zero have no relative error but 0, when they are met.
        let relative_error = if objective == 0.0 { 0.0 } else { relative_error };
        Value { objective, relative_error }
    }

    /// out ← (out +) 2 D W G
    fn write_product(&self, out: &mut [f64], W: View<'_>, G: &Matrix, into: Destination) {
        let d = self.inputs();
        let mut WG = vec![0.0; out.len()];
        multiply(&mut WG, W, G.view(), Destination::Replace);
        for ((out, WG), v) in out.chunks_exact_mut(d.max(1)).zip(WG.chunks_exact(d.max(1))).zip(&self.v) {
            for (out, x) in out.iter_mut().zip(WG) {
                *out = if into == Destination::Add { *out } else { 0.0 } + 2.0 * v * x;
            }
        }
    }
}

impl Objective for PopulationRisk {
    fn dimension(&self) -> usize {
        self.v.len() * self.inputs()
    }

    fn value(&self, theta: &[f64]) -> Value {
        self.value_at(&self.error(&self.matrix(theta)))
    }

    fn gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Value {
        let W = self.matrix(theta);
        let A = self.error(&W);
        self.write_product(gradient, W.view(), &slope(&A), Destination::Replace);
        self.value_at(&A)
    }

    fn hessian_product(&self, theta: &[f64], direction: &[f64], product: &mut [f64]) {
        let (W, U) = (self.matrix(theta), self.matrix(direction));
        let half = weighted_product(&U, &self.v, &W);
        let d = self.inputs();
        let A_dot = Matrix::from_fn(d, d, |a, b| half[(a, b)] + half[(b, a)]);
        self.write_product(product, U.view(), &slope(&self.error(&W)), Destination::Replace);
        self.write_product(product, W.view(), &slope(&A_dot), Destination::Add);
    }
}

fn trace(A: &Matrix) -> f64 {
    (0..A.rows()).map(|i| A[(i, i)]).sum()
}

/// ½E (xᵀAx)² = ‖A‖_F² + ½(tr A)².
pub(crate) fn risk_of(A: &Matrix) -> f64 {
    let (size, trace) = (norm(A.as_slice()), trace(A));
    size * size + 0.5 * trace * trace
}

/// The derivative of [`risk_of`]: 2A + tr(A)·I.
fn slope(A: &Matrix) -> Matrix {
    let trace = trace(A);
    Matrix::from_fn(A.rows(), A.cols(), |i, j| 2.0 * A[(i, j)] + if i == j { trace } else { 0.0 })
}

/// W restricted to a line: the risk of W + tU is a quartic in t, whose coefficients from t⁰ to t⁴ these are.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::risk::PopulationRisk;
/// use shallows::risk::population::along_line;
///
/// // ½E((t² − 1)x²)² = (3/2)(t² − 1)² for the teacher x².
/// let risk = PopulationRisk::new(Matrix::from_rows(&[[1.0]]), vec![1.0])?;
/// let quartic = along_line(&risk, &[0.0], &[1.0]);
/// assert!((quartic[0] - 1.5).abs() < 1e-12 && (quartic[2] + 3.0).abs() < 1e-12 && (quartic[4] - 1.5).abs() < 1e-12);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn along_line(risk: &PopulationRisk, W: &[f64], U: &[f64]) -> [f64; 5] {
    let (W, U) = (risk.matrix(W), risk.matrix(U));
    let d = risk.inputs();
    let A = risk.error(&W);
    let half = weighted_product(&U, &risk.v, &W);
    let B = Matrix::from_fn(d, d, |a, b| half[(a, b)] + half[(b, a)]);
    let C = weighted_product(&U, &risk.v, &U);
    let pair = |P: &Matrix, Q: &Matrix| dot(P.as_slice(), Q.as_slice()) + 0.5 * trace(P) * trace(Q);
    [pair(&A, &A), 2.0 * pair(&A, &B), pair(&B, &B) + 2.0 * pair(&A, &C), 2.0 * pair(&B, &C), pair(&C, &C)]
}

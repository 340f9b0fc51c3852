//! A plane through W = 0, and paths of descent seen in it.
//!
//! On W = aE + bF the network is a²P + abQ + b²R with the quadratic forms P, Q, R of EᵀDE, EᵀDF + FᵀDE, FᵀDF, so every risk
//! of squared error is ½uᵀKu with u = (a², ab, b², −1) and the 4×4 matrix K of mean products of P, Q, R and the label: once
//! K is known, a point of the plane costs nothing, for the population as for samples.

use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, add_scaled, dot, norm, sum_over_rows};
use crate::network::weighted_product;
use crate::random::{Purpose, Stream};
use crate::risk::{Objective, PopulationRisk};
use crate::watch::Watch;

/// Two orthonormal directions of W, m×d each, and the output weights.
#[derive(Clone, Debug)]
pub(crate) struct Plane {
    axes: [Matrix; 2],
    v: Vec<f64>,
}

/// A risk on a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slice {
    products: [[f64; 4]; 4],
}

impl Plane {
    /// Through 0 and two points. Where these lie on one line with 0, the second direction is random.
    pub(crate) fn through(first: &Matrix, second: &Matrix, v: &[f64]) -> Result<Plane> {
        let (m, d) = (first.rows(), first.cols());
        if m * d < 2 {
            return Err(Error::unsuitable("a plane of weights", "in at least two weights", 1));
        }
        let mut stream = Stream::new(0, Purpose::Probe, 6);
        let mut random = || Matrix::from_fn(m, d, |_, _| stream.normal());
        let E = if norm(first.as_slice()) > 0.0 { first.clone() } else { random() };
        let E = scaled(E);
        let mut F = orthogonal_part(second, &E);
        while !(norm(F.as_slice()) > 1e-9 * norm(second.as_slice())) {
            F = orthogonal_part(&random(), &E);
        }
        let F = scaled(orthogonal_part(&F, &E));
        Ok(Plane { axes: [E, F], v: v.to_vec() })
    }

    /// The coordinates of the nearest point of the plane.
    pub(crate) fn coordinates(&self, W: &[f64]) -> (f64, f64) {
        (dot(self.axes[0].as_slice(), W), dot(self.axes[1].as_slice(), W))
    }

    /// The population risk on the plane.
    pub(crate) fn population(&self, risk: &PopulationRisk) -> Slice {
        let [E, F] = &self.axes;
        let cross = weighted_product(E, &self.v, F);
        let d = E.cols();
        let Q = Matrix::from_fn(d, d, |i, j| cross[(i, j)] + cross[(j, i)]);
        let forms = [&weighted_product(E, &self.v, E), &Q, &weighted_product(F, &self.v, F), risk.target()];
        let trace = |A: &Matrix| (0..d).map(|i| A[(i, i)]).sum::<f64>();
        // E(xᵀAx)(xᵀBx) = 2⟨A, B⟩ + tr A tr B
        let pair = |a: usize, b: usize| {
            2.0 * dot(forms[a].as_slice(), forms[b].as_slice()) + trace(forms[a]) * trace(forms[b])
        };
        Slice { products: std::array::from_fn(|a| std::array::from_fn(|b| pair(a, b))) }
    }

    /// The empirical risk on the plane.
    pub(crate) fn empirical(&self, data: &Data) -> Result<Slice> {
        let [E, F] = &self.axes;
        let (expected, found) = (E.cols(), data.d());
        if expected != found {
            return Err(Error::Shape { what: "inputs of the data", expected, found });
        }
        let omega = data.omega();
        let products = sum_over_rows(
            (data.n(), 16),
            || [[0.0; 4]; 4],
            |sum, rows| {
                for i in rows {
                    let (p, q) = (E.times_vector(data.X.row(i)), F.times_vector(data.X.row(i)));
                    let form = |x: &[f64], y: &[f64]| (0..self.v.len()).map(|j| self.v[j] * x[j] * y[j]).sum::<f64>();
                    let u = [form(&p, &p), 2.0 * form(&p, &q), form(&q, &q), data.y[i]];
                    (0..4).for_each(|a| (0..4).for_each(|b| sum[a][b] += omega[i] * u[a] * u[b]));
                }
            },
            |sum, next| (0..4).for_each(|a| (0..4).for_each(|b| sum[a][b] += next[a][b])),
        );
        Ok(Slice { products })
    }
}

impl Slice {
    /// The risk at a point of the plane.
    pub(crate) fn risk(&self, (a, b): (f64, f64)) -> f64 {
        let u = [a * a, a * b, b * b, -1.0];
        let form = |row: usize| u[row] * dot(&self.products[row], &u);
        (0.5 * (0..4).map(form).sum::<f64>()).max(0.0)
    }
}

fn scaled(mut A: Matrix) -> Matrix {
    let length = norm(A.as_slice());
    A.as_mut_slice().iter_mut().for_each(|a| *a /= length);
    A
}

fn orthogonal_part(A: &Matrix, E: &Matrix) -> Matrix {
    let mut rest = A.clone();
    let along = dot(A.as_slice(), E.as_slice());
    add_scaled(rest.as_mut_slice(), -along, E.as_slice());
    rest
}

/// What descent went through.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlicePath {
    /// The risk at every iterate.
    pub risks: Vec<f64>,
    /// The coordinates of every iterate in a plane.
    pub places: Vec<(f64, f64)>,
    /// The last iterate.
    pub end: Vec<f64>,
}

/// Where descent ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PathEnd {
    /// At this risk.
    pub goal: f64,
    /// After so many iterations.
    pub iterations: usize,
}

/// Gradient descent that never rises: a step that would is halved and tried again, others let it grow by a hundredth. Ends at
/// its goal, where no step goes down, or once the watch is over.
pub(crate) fn descent_path(
    risk: &PopulationRisk,
    W: &[f64],
    plane: Option<&Plane>,
    end: PathEnd,
    watch: Watch<'_>,
) -> SlicePath {
    const GROWTH: f64 = 1.01;
    let mut theta = W.to_vec();
    let mut gradient = vec![0.0; theta.len()];
    let mut value = risk.gradient(&theta, &mut gradient).objective;
    let size = risk.target().as_slice().iter().fold(norm(W).powi(2), |most, x| most.max(x.abs()));
    let mut eta = 0.05 / size;
    let mut path = SlicePath::default();
    for _ in 0..=end.iterations {
        path.risks.push(value);
        path.places.extend(plane.map(|plane| plane.coordinates(&theta)));
        if !(value > end.goal) || watch.is_over() {
            break;
        }
        let mut next = theta.clone();
        loop {
            next.copy_from_slice(&theta);
            add_scaled(&mut next, -eta, &gradient);
            if next == theta || risk.value(&next).objective <= value {
                break;
            }
            eta *= 0.5;
        }
        if next == theta {
            break;
        }
        theta.copy_from_slice(&next);
        value = risk.gradient(&theta, &mut gradient).objective;
        eta *= GROWTH;
    }
    path.end = theta;
    path
}

//! An objective on unit rows as one on all rows: the rows are normalised on the way in.
//!
//! With u = w/‖w‖, P = I − uuᵀ and g, H of the objective at u, row by row (H couples the rows):
//!
//! ```text
//! ∇ = Pg/‖w‖        along v:  u̇ = Pv/‖w‖,   (P H[u̇] − (uᵀg)u̇ − (u̇ᵀg)u − (uᵀv/‖w‖) Pg)/‖w‖
//! ```
//!
//! Its stationary points on unit rows are those of the constrained problem, with the curvature of the sphere, and it is
//! constant along every row.

use crate::linalg::{add_scaled, dot, norm};
use crate::risk::{Objective, Value};

/// An objective of θ = (leading parameters, rows), with the rows normalised.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::designed::{Designed, Target, UnitRows};
///
/// let designed = Designed::pairs(Target::of_teacher(&[1.0, 1.0], &Matrix::identity(2))?, 2);
/// let on_spheres = UnitRows::of(&designed, 0, 2);
/// assert_eq!(on_spheres.normalised(&[3.0, 4.0, 0.0, 2.0]), [0.6, 0.8, 0.0, 1.0]);
/// # Ok::<(), shallows::Error>(())
/// ```
pub struct UnitRows<'a> {
    objective: &'a dyn Objective,
    leading: usize,
    inputs: usize,
}

impl<'a> UnitRows<'a> {
    /// The rows have `inputs` entries and come after `leading` other parameters, which are left alone.
    pub fn of(objective: &'a dyn Objective, leading: usize, inputs: usize) -> Self {
        UnitRows { objective, leading, inputs }
    }

    /// θ with its rows normalised; a row of zeros stays (its objective is not defined).
    pub fn normalised(&self, theta: &[f64]) -> Vec<f64> {
        let mut unit = theta.to_vec();
        for row in unit[self.leading..].chunks_exact_mut(self.inputs.max(1)) {
            let length = norm(row);
            row.iter_mut().for_each(|x| *x /= length);
        }
        unit
    }
}

/// x ← x − (uᵀx)u
fn project(x: &mut [f64], u: &[f64]) {
    let along = dot(x, u);
    add_scaled(x, -along, u);
}

impl Objective for UnitRows<'_> {
    fn dimension(&self) -> usize {
        self.objective.dimension()
    }

    fn value(&self, theta: &[f64]) -> Value {
        self.objective.value(&self.normalised(theta))
    }

    fn gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Value {
        let unit = self.normalised(theta);
        let value = self.objective.gradient(&unit, gradient);
        let width = self.inputs.max(1);
        let rows = gradient[self.leading..].chunks_exact_mut(width);
        let vectors = unit[self.leading..].chunks_exact(width).zip(theta[self.leading..].chunks_exact(width));
        for (g, (u, w)) in rows.zip(vectors) {
            project(g, u);
            let length = norm(w);
            g.iter_mut().for_each(|x| *x /= length);
        }
        value
    }

    fn hessian_product(&self, theta: &[f64], direction: &[f64], product: &mut [f64]) {
        let unit = self.normalised(theta);
        let width = self.inputs.max(1);
        let rows = || (self.leading..theta.len()).step_by(width).map(|start| start..start + width);
        let mut unit_dot = direction.to_vec();
        for row in rows() {
            let length = norm(&theta[row.clone()]);
            project(&mut unit_dot[row.clone()], &unit[row.clone()]);
            unit_dot[row].iter_mut().for_each(|x| *x /= length);
        }
        let mut slope = vec![0.0; theta.len()];
        self.objective.gradient(&unit, &mut slope);
        self.objective.hessian_product(&unit, &unit_dot, product);
        for row in rows() {
            let (u, u_dot, length) = (&unit[row.clone()], &unit_dot[row.clone()], norm(&theta[row.clone()]));
            let (g, out) = (&mut slope[row.clone()], &mut product[row.clone()]);
            let (along, turned) = (dot(u, g), dot(u_dot, g));
            project(g, u);
            project(out, u);
            add_scaled(out, -along, u_dot);
            add_scaled(out, -turned, u);
            add_scaled(out, -dot(u, &direction[row]) / length, g);
            out.iter_mut().for_each(|x| *x /= length);
        }
    }
}

//! The global fit of quadratic networks.
//!
//! A network with φ(z) = z² and enough units of each sign is any function xᵀMx + b·x + c, and its weight decay
//! is the nuclear norm of M, so that training is the convex program
//!
//! ```text
//! minimise  ½ Σ ω_i (x_iᵀMx_i + b·x_i + c − y_i)² + τ R(M)
//! ```
//!
//! over symmetric M with R = ‖·‖_*, or over M ⪰ 0 (all output weights positive) with R = tr. Inputs are taken as
//! they are: scaling is the caller's business, conditioning is ours.
//!
//! | solver | when | cost |
//! |---|---|---|
//! | `gram` + normal equations | τ = 0, M symmetric, few products | one pass, then data-free, refined by two more |
//! | `rows` | τ = 0, M symmetric, many products, few rows | one eigendecomposition of size n, repeated on its residual |
//! | `conjugate` | τ = 0, M symmetric, many products and rows | passes of 2nd² flops, whitened and preconditioned |
//! | `gram` + `interior` | τ > 0 or M ⪰ 0, few products | one pass, then data-free, refined by a few more |
//! | `proximal` | τ > 0 or M ⪰ 0, many products | passes of 2nd² flops, one a step |
//!
//! Every solver reports a lower bound from its residual (weak duality) as it goes. Those bounds steer; they are
//! not proofs. Proofs are made by `certificate`, which shares nothing with this room.

mod affine_inverse;
mod conjugate;
mod gram;
mod interior;
mod passes;
mod polish;
mod proximal;
mod rows;

pub(crate) use gram::Reduced;

use crate::data::Data;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::linalg::{Matrix, QuadraticRows, symmetric_eigen};
use crate::network::QuadraticForm;
use crate::watch::{Progress, Watch};

/// Which M compete. [`Program`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cone {
    /// All symmetric ones: output weights of both signs.
    Symmetric,
    /// M ⪰ 0: output weights of one sign.
    Positive,
}

/// What is minimised.
///
/// ```
/// use shallows::convex::{Cone, Limits, Program, solve};
/// use shallows::{Data, Watch};
///
/// // y = −x²: a positive semidefinite M can do no better than 0.
/// let data = Data::from_rows(&[[1.0], [2.0]], &[-1.0, -4.0])?;
/// let minimise = |cone| {
///     let program = Program { data: &data, cone, decay: 1e-6, linear: false, intercept: false };
///     solve(&program, &Limits::default(), Watch::silent())
/// };
/// assert!((minimise(Cone::Symmetric)?.form.M[(0, 0)] + 1.0).abs() < 1e-3);
/// assert!(minimise(Cone::Positive)?.form.M[(0, 0)].abs() < 1e-3);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Program<'a> {
    /// X, y and the weights.
    pub data: &'a Data,
    /// Which M compete.
    pub cone: Cone,
    /// τ.
    pub decay: f64,
    /// Whether b is there.
    pub linear: bool,
    /// Whether c is there.
    pub intercept: bool,
}

/// When to stop. [`Program`] shows its use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The relative gap between objective and lower bound to reach.
    pub gap: f64,
    /// Most iterations of whichever solver runs.
    pub iterations: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { gap: 1e-10, iterations: 5_000 }
    }
}

/// Where a solver is. [`solve`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverState {
    /// Iterations so far.
    pub iteration: usize,
    /// The objective of the iterate.
    pub objective: f64,
    /// Where the optimum is believed to lie at the lowest: by duality for τ > 0, from the size of the gradient in the
    /// solver's metric for τ = 0. An estimate that steers, never a proof.
    pub lower_bound: f64,
}

impl SolverState {
    /// (objective − lower bound)/objective.
    pub fn relative_gap(&self) -> f64 {
        (self.objective - self.lower_bound) / self.objective.abs().max(f64::MIN_POSITIVE)
    }

    fn report_to(&self, watch: Watch<'_>) {
        let SolverState { iteration, objective, lower_bound } = *self;
        watch.report(Progress::Solving { iteration, objective, lower_bound });
    }
}

/// What a solver found. [`solve`] shows its use.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The minimiser.
    pub form: QuadraticForm,
    /// Where the solver ended.
    pub state: SolverState,
    /// Which solver it was.
    pub solver: &'static str,
}

/// Normal equations cost nD² flops once, conjugate gradients 2nd² in every pass. On Gaussian inputs they break even at
/// D = 120 (n = 2 000 and 20 000), and at D = 210 normal equations take 1.9 to 2.5 times as long. The limit is higher than
/// that because their cost does not depend on the conditioning of the inputs.
const MOST_PRODUCTS_LEAST_SQUARES: usize = 300;
/// An interior-point iteration factorises D×D matrices: beyond this, passes over the data are cheaper.
const MOST_PRODUCTS_INTERIOR: usize = 500;

/// Solve the program.
///
/// ```
/// use shallows::convex::{Cone, Limits, Program, solve};
/// use shallows::data::Data;
/// use shallows::watch::Watch;
///
/// // y = x² exactly.
/// let data = Data::from_rows(&[[-2.0], [-1.0], [0.5], [3.0]], &[4.0, 1.0, 0.25, 9.0])?;
/// let program = Program { data: &data, cone: Cone::Symmetric, decay: 0.0, linear: true, intercept: true };
/// let solution = solve(&program, &Limits::default(), Watch::silent())?;
/// assert!((solution.form.M[(0, 0)] - 1.0).abs() < 1e-9);
/// # Ok::<(), shallows::error::Error>(())
/// ```
pub fn solve(program: &Program<'_>, limits: &Limits, watch: Watch<'_>) -> Result<Solution> {
    check(program)?;
    match (is_quick(program), is_least_squares(program)) {
        (true, true) => Reduced::new(program)?.least_squares(program, watch),
        (true, false) if program.decay == 0.0 => interior::solve_whitened(program, limits, watch),
        (true, false) => interior::solve_and_refine(program, limits, watch),
        (false, true) if program.data.n() <= QuadraticRows::MOST_ROWS => rows::solve(program, watch),
        (false, true) => conjugate::solve(program, limits, watch),
        (false, false) => proximal::solve(program, limits, watch),
    }
}

/// Σωr² below this share of Σωy² is rounding of zero: r is where it is below 1e-9 of y.
const ROUNDING_OF_ENERGY: f64 = 1e-18;

/// The smallest τ at which M = 0 is optimal.
///
/// ```
/// use shallows::convex::{Cone, Program, largest_decay};
/// use shallows::Data;
///
/// let data = Data::from_rows(&[[1.0], [2.0]], &[1.0, 4.0])?;
/// let program = Program { data: &data, cone: Cone::Symmetric, decay: 0.0, linear: false, intercept: false };
/// // ‖Σωᵢyᵢxᵢxᵢᵀ‖ = (1 + 16)/2
/// assert!((largest_decay(&program)? - 8.5).abs() < 1e-9);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn largest_decay(program: &Program<'_>) -> Result<f64> {
    check(program)?;
    let passes = passes::Passes::new(program)?;
    let passes::Evaluation { S, energy, .. } = passes.evaluate(&Matrix::zeros(passes.inputs(), passes.inputs()), true);
    let labels: f64 = program.data.omega().iter().zip(&program.data.y).map(|(omega, y)| omega * y * y).sum();
    if energy <= ROUNDING_OF_ENERGY * labels {
        // The affine part alone interpolates.
        return Ok(0.0);
    }
    let (values, _) = symmetric_eigen(&S).ok_or(Error::NotFinite { what: "the products of the inputs" })?;
    let (low, high) = (values[0], values[values.len() - 1]);
    Ok(match program.cone {
        Cone::Symmetric => low.abs().max(high.abs()),
        Cone::Positive => (-low).max(0.0),
    })
}

/// Whether the program is solved by some dozens of steps on small matrices after one pass over the data.
pub(crate) fn is_quick(program: &Program<'_>) -> bool {
    products(program) <= if is_least_squares(program) { MOST_PRODUCTS_LEAST_SQUARES } else { MOST_PRODUCTS_INTERIOR }
}

/// The number of different products of two inputs.
fn products(program: &Program<'_>) -> usize {
    let d = program.data.d();
    d * (d + 1) / 2
}

fn is_least_squares(program: &Program<'_>) -> bool {
    program.decay == 0.0 && program.cone == Cone::Symmetric
}

/// A first-order method takes about so many passes for a solution on a path, and operations for each eigendecomposition per
/// cubed input; the interior-point method so many steps, and operations in each per cubed product.
const PATH_PASSES: f64 = 150.0;
const EIGEN_OPERATIONS: f64 = 30.0;
const PATH_STEPS: f64 = 12.0;
const STEP_OPERATIONS: f64 = 20.0;
/// Passes after which the first-order method is given up, where the other one is possible.
const PATIENCE: usize = 300;

/// The solver of one program for falling decays: what does not depend on the decay is made once, and each solution starts from
/// the one before.
pub(crate) struct PathSolver<'a> {
    program: &'a Program<'a>,
    passes: Option<passes::Passes<'a>>,
    reduced: Option<Reduced>,
    before: Option<Matrix>,
}

impl<'a> PathSolver<'a> {
    /// For the decays of a path; that of the program itself does not count.
    pub(crate) fn new(program: &'a Program<'a>) -> Result<Self> {
        check(program)?;
        let (n, d) = (program.data.n() as f64, program.data.d() as f64);
        let pass = 4.0 * n * d * d + EIGEN_OPERATIONS * d.powi(3);
        let step = STEP_OPERATIONS * (products(program) as f64).powi(3);
        let by_passes = products(program) > MOST_PRODUCTS_INTERIOR || PATH_PASSES * pass < PATH_STEPS * step;
        let passes = by_passes.then(|| passes::Passes::new(program)).transpose()?;
        let reduced = (!by_passes).then(|| Reduced::new(program)).transpose()?;
        Ok(PathSolver { program, passes, reduced, before: None })
    }

    /// The solution for the next decay; `None` where time runs out, or where the solver does not get there. The first one is
    /// given as far as it came, unless time ran out.
    pub(crate) fn solution(&mut self, decay: f64, limits: &Limits, watch: Watch<'_>) -> Result<Option<QuadraticForm>> {
        let watch = watch.quietly();
        let solution = match self.by_passes(decay, limits, watch)? {
            Some(solution) => solution,
            None => {
                let reduced = match self.reduced.take() {
                    Some(reduced) => reduced,
                    None => Reduced::new(self.program)?,
                };
                self.passes = None;
                interior::solve(self.reduced.insert(reduced), self.program.cone, decay, limits, watch)?
            }
        };
        // Smaller decays take longer still.
        let is_reached = solution.state.relative_gap() <= limits.gap;
        if !is_reached && (watch.is_over() || self.before.is_some()) {
            return Ok(None);
        }
        self.before = Some(solution.form.M.clone());
        Ok(Some(solution.form))
    }

    /// `None` where the other method is possible and takes less.
    fn by_passes(&self, decay: f64, limits: &Limits, watch: Watch<'_>) -> Result<Option<Solution>> {
        let Some(passes) = &self.passes else { return Ok(None) };
        let is_alone = products(self.program) > MOST_PRODUCTS_INTERIOR;
        let iterations = if is_alone { limits.iterations } else { PATIENCE };
        let start = self.before.clone().unwrap_or_else(|| Matrix::zeros(passes.inputs(), passes.inputs()));
        let program = Program { decay, ..*self.program };
        let solution = proximal::solve_from(passes, &program, &start, &Limits { iterations, ..*limits }, watch)?;
        let is_enough = is_alone || watch.is_over() || solution.state.relative_gap() <= limits.gap;
        Ok(is_enough.then_some(solution))
    }
}

/// The solution of a program, started from an M that is near it, where the solver can make use of one.
pub(crate) fn solve_near(program: &Program<'_>, M: &Matrix, limits: &Limits, watch: Watch<'_>) -> Result<Solution> {
    if is_quick(program) || is_least_squares(program) {
        return solve(program, limits, watch);
    }
    check(program)?;
    proximal::solve_from(&passes::Passes::new(program)?, program, M, limits, watch)
}

fn check(program: &Program<'_>) -> Result<()> {
    if !(program.decay >= 0.0 && program.decay.is_finite()) {
        return Err(Error::parameter(Parameter::Decay, Requirement::AtLeast(0.0), program.decay));
    }
    program.data.check_square()
}

/// τ R(M); an M outside the cone is not this function's business.
fn penalty(M: &Matrix, cone: Cone, decay: f64) -> f64 {
    match cone {
        _ if decay == 0.0 => 0.0,
        Cone::Positive => decay * (0..M.rows()).map(|a| M[(a, a)]).sum::<f64>(),
        Cone::Symmetric => {
            let values = symmetric_eigen(M).map_or(vec![f64::NAN], |(values, _)| values);
            decay * values.iter().map(|value| value.abs()).sum::<f64>()
        }
    }
}

/// The best lower bound d(sθ) over the scales s for which sθ is feasible, θ = ω∘r the signal of an iterate.
///
/// d(sθ) = s·(E − ⟨S, M⟩) − ½s²E with E = Σ ω r², S = A*(θ) = Σ ω r x xᵀ: because Σω r y = ⟨S, M⟩ − E when r is
/// orthogonal to the affine part. `spectrum` holds the extreme eigenvalues of S.
fn scaled_dual(energy: f64, inner: f64, spectrum: (f64, f64), cone: Cone, decay: f64) -> f64 {
    if energy <= 0.0 || !energy.is_finite() {
        return 0.0;
    }
    let (low, high) = spectrum;
    let best = (energy - inner) / energy;
    let room = |size: f64| if size > 0.0 { decay / size } else { f64::INFINITY };
    let s = match cone {
        Cone::Symmetric => best.clamp(-room(high.abs().max(low.abs())), room(high.abs().max(low.abs()))),
        Cone::Positive => best.clamp(-room(high), room(-low)),
    };
    if s.is_nan() { 0.0 } else { (s * (energy - inner) - 0.5 * s * s * energy).max(0.0) }
}

//! A primal–dual interior-point method for ½mᵀHm − hᵀm + τR(M), with Nesterov–Todd scaling.
//!
//! M = P − N with P, N ⪰ 0 (no N for the positive cone) and R = tr P + tr N. With S = mat(Hm − h) the optimality
//! conditions are Z_P = τI + S, Z_N = τI − S, all four ⪰ 0, PZ_P = NZ_N = 0. A Newton step keeps the scalings
//! W_P = G_PG_Pᵀ, W_N with W Z W = P; eliminating everything but Δm leaves
//!
//! ```text
//! (I + K H) Δm = right side,      K = W_P ⊗ W_P + W_N ⊗ W_N on symmetric matrices,
//! ```
//!
//! which is solved in symmetric form through K = RRᵀ. Conditioning of the data hardly matters: some fifteen steps
//! reach a gap of 1e-6 or 1e-7, where the scalings have eaten up the digits. By then the signs of the eigenvalues of
//! M are known, and `polish` does the rest.

use super::conjugate::whitening;
use super::passes::Passes;
use super::{Cone, Limits, Program, Reduced, Solution, SolverState, penalty, polish, scaled_dual};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::{
    Matrix, add_scaled, dot, factor_positive_definite, inverse, norm, orthogonal_factors, solve_lower,
    solve_lower_transposed, symmetric_eigen,
};
use crate::network::QuadraticForm;
use crate::watch::Watch;

/// One positive semidefinite variable with its dual and the scaling between them.
struct VariablePair {
    P: Matrix,
    Z: Matrix,
    /// +1 where M grows with P, −1 for N.
    sign: f64,
}

/// The scaling of a pair: G with G⁻¹PG⁻ᵀ = GᵀZG = Diag(λ).
struct Scaling {
    G: Matrix,
    lambda: Vec<f64>,
}

/// A direction for one pair.
struct PairDirection {
    P: Matrix,
    Z: Matrix,
}

/// Steps go this share of the way to the boundary.
const TO_BOUNDARY: f64 = 0.98;
/// Steps shorter than this share make no progress.
const SHORTEST: f64 = 1e-8;
/// Expansions around a solution, each from the data.
const REFINEMENTS: usize = 3;
/// More steps than this do not help: twenty or thirty are usual.
const MOST_STEPS: usize = 100;
/// What a solution says it comes from.
const NAME: &str = "interior points";

/// Solve by interior points, without the data.
pub(super) fn solve(reduced: &Reduced, cone: Cone, decay: f64, limits: &Limits, watch: Watch<'_>) -> Result<Solution> {
    let (m, state) = minimiser(reduced, cone, decay, limits, watch)?;
    Ok(Solution { form: reduced.form(&m), state, solver: NAME })
}

/// The same, and what the Gram matrix has lost brought back by a few passes over the data.
pub(super) fn solve_and_refine(program: &Program<'_>, limits: &Limits, watch: Watch<'_>) -> Result<Solution> {
    let Program { cone, decay, .. } = *program;
    let reduced = Reduced::new(program)?;
    let (mut m, mut state) = minimiser(&reduced, cone, decay, limits, watch)?;
    let mut lower_bound = state.lower_bound;
    let mut around = reduced.around(program, &m);
    for _ in 0..REFINEMENTS {
        (state, _) = state_of(&around, cone, decay, &m, state.iteration, &mut lower_bound);
        if state.relative_gap() <= limits.gap || watch.is_over() {
            break;
        }
        let (better, expected) = polished(&around, cone, decay, (m.clone(), state), &mut lower_bound, watch);
        let there = reduced.around(program, &better);
        let (reached, _) = state_of(&there, cone, decay, &better, expected.iteration, &mut lower_bound);
        if !(reached.objective < state.objective) {
            break;
        }
        (m, state, around) = (better, reached, there);
    }
    state.lower_bound = lower_bound.min(state.objective);
    state.report_to(watch);
    Ok(Solution { form: around.form(&m), state, solver: NAME })
}

/// The same for M ⪰ 0 without decay, where the units of the inputs are free and directions in which they do not vary
/// would leave M unbounded: with x̃ = Bᵀx of variance I in fewer dimensions, M = B M̃ Bᵀ.
pub(super) fn solve_whitened(program: &Program<'_>, limits: &Limits, watch: Watch<'_>) -> Result<Solution> {
    let data = program.data;
    let B = whitening(Passes::new(program)?.covariance())?;
    let varying: Vec<usize> = (0..data.d()).filter(|&j| B.column(j).iter().any(|b| *b != 0.0)).collect();
    // Without any such direction a single input of zeros says so.
    let B = Matrix::from_fn(data.d(), varying.len().max(1), |i, j| varying.get(j).map_or(0.0, |&j| B[(i, j)]));
    let names = data.names[..B.cols()].to_vec();
    let white = Data::builder(data.X.times(&B), data.y.clone())
        .names(names)
        .target(data.target.clone())
        .weights(data.weights.clone())
        .build()?;
    let solution = solve_and_refine(&Program { data: &white, ..*program }, limits, watch)?;
    let QuadraticForm { M, linear, intercept } = solution.form;
    // Through factors, so that rounding in B M̃ Bᵀ does not leave the cone.
    let (values, Q) = symmetric_eigen(&M).ok_or(Error::NotFinite { what: "the products of the inputs" })?;
    let F = B.times(&Matrix::from_fn(Q.rows(), Q.cols(), |i, j| values[j].max(0.0).sqrt() * Q[(i, j)]));
    let M = symmetrised(&F.times(&F.transposed()));
    let form = QuadraticForm { M, linear: linear.map(|b| B.times_vector(&b)), intercept };
    Ok(Solution { form, ..solution })
}

/// svec(M) of the minimiser.
fn minimiser(
    reduced: &Reduced,
    cone: Cone,
    decay: f64,
    limits: &Limits,
    watch: Watch<'_>,
) -> Result<(Vec<f64>, SolverState)> {
    let mut lower_bound = 0.0_f64;
    if zero_is_optimal(reduced, cone, decay)? {
        let zero = vec![0.0; reduced.h.len()];
        let (state, _) = state_of(reduced, cone, decay, &zero, 0, &mut lower_bound);
        state.report_to(watch);
        return Ok((zero, state));
    }
    let mut pairs = starting_pairs(reduced, cone, decay);
    let mut best: Option<(Vec<f64>, SolverState)> = None;
    for iteration in 0..MOST_STEPS.min(limits.iterations) {
        let m = current(reduced, &pairs);
        let (state, feasible) = state_of(reduced, cone, decay, &m, iteration, &mut lower_bound);
        state.report_to(watch);
        let improves = best.as_ref().is_none_or(|(_, kept)| state.objective <= kept.objective);
        if improves && feasible {
            best = Some((m.clone(), state));
        }
        let done =
            best.as_ref().is_some_and(|(_, kept)| SolverState { lower_bound, ..*kept }.relative_gap() <= limits.gap);
        if done || watch.is_over() || !step(reduced, decay, &m, &mut pairs) {
            break;
        }
    }
    let (m, mut state) = best.ok_or(Error::NotFinite { what: "the products of the inputs" })?;
    state.lower_bound = lower_bound;
    if state.relative_gap() <= limits.gap {
        return Ok((m, state));
    }
    Ok(polished(reduced, cone, decay, (m, state), &mut lower_bound, watch))
}

/// The best of a point and Newton's steps from there.
fn polished(
    reduced: &Reduced,
    cone: Cone,
    decay: f64,
    (mut m, mut state): (Vec<f64>, SolverState),
    lower_bound: &mut f64,
    watch: Watch<'_>,
) -> (Vec<f64>, SolverState) {
    for next in polish::iterates(reduced, cone, decay, &m) {
        let (better, _) = state_of(reduced, cone, decay, &next, state.iteration + 1, lower_bound);
        better.report_to(watch);
        state.lower_bound = *lower_bound;
        if better.objective <= state.objective {
            (m, state) = (next, better);
        }
    }
    (m, state)
}

/// Whether the gradient at M = 0, which is −mat(h), is one that the penalty or the cone can hold.
fn zero_is_optimal(reduced: &Reduced, cone: Cone, decay: f64) -> Result<bool> {
    let pull =
        symmetric_eigen(&reduced.matrix(&reduced.h)).ok_or(Error::NotFinite { what: "the products of the inputs" })?.0;
    let (low, high) = (pull[0], pull[pull.len() - 1]);
    Ok(match cone {
        Cone::Symmetric => high.max(-low) <= decay,
        Cone::Positive => high <= decay,
    })
}

fn current(reduced: &Reduced, pairs: &[VariablePair]) -> Vec<f64> {
    let d = reduced.inputs();
    let mut M = Matrix::zeros(d, d);
    pairs.iter().for_each(|pair| add_scaled(M.as_mut_slice(), pair.sign, pair.P.as_slice()));
    reduced.vector(&M)
}

/// The objective and the best lower bound at m; in the positive cone every iterate is feasible.
fn state_of(
    reduced: &Reduced,
    cone: Cone,
    decay: f64,
    m: &[f64],
    iteration: usize,
    lower_bound: &mut f64,
) -> (SolverState, bool) {
    let (energy, gradient) = reduced.energy_and_gradient(m);
    let objective = 0.5 * energy + penalty(&reduced.matrix(m), cone, decay);
    if let Some((values, _)) = symmetric_eigen(&reduced.matrix(&gradient)) {
        let spectrum = (values[0], values[values.len() - 1]);
        *lower_bound = lower_bound.max(scaled_dual(energy, dot(m, &gradient), spectrum, cone, decay));
    }
    let state = SolverState { iteration, objective, lower_bound: *lower_bound };
    (state, objective.is_finite())
}

/// Multiples of the identity of the size of the solution and of the gradient.
fn starting_pairs(reduced: &Reduced, cone: Cone, decay: f64) -> Vec<VariablePair> {
    let d = reduced.inputs();
    let curvature = (0..reduced.H.rows()).map(|j| reduced.H[(j, j)]).fold(0.0_f64, f64::max);
    let slope = norm(&reduced.h).max(f64::MIN_POSITIVE);
    let size = if curvature > 0.0 { slope / curvature } else { 1.0 };
    let scaled = |by: f64| Matrix::from_fn(d, d, |i, j| if i == j { by } else { 0.0 });
    let pair = |sign| VariablePair { P: scaled(size), Z: scaled(decay + slope), sign };
    match cone {
        Cone::Symmetric => vec![pair(1.0), pair(-1.0)],
        Cone::Positive => vec![pair(1.0)],
    }
}

/// One predictor–corrector step; false where rounding leaves no progress.
fn step(reduced: &Reduced, decay: f64, m: &[f64], pairs: &mut [VariablePair]) -> bool {
    let d = reduced.inputs();
    let (_, gradient) = reduced.energy_and_gradient(m);
    let S = reduced.matrix(&gradient);
    let scalings: Option<Vec<Scaling>> = pairs.iter().map(scaling_of).collect();
    let Some(scalings) = scalings else { return false };
    let Some(system) = NewtonSystem::new(reduced, &scalings) else { return false };
    // τI ± S − Z: zero once the dual variables are consistent.
    let residuals: Vec<Matrix> = pairs
        .iter()
        .map(|pair| {
            Matrix::from_fn(d, d, |i, j| pair.sign * S[(i, j)] - pair.Z[(i, j)] + if i == j { decay } else { 0.0 })
        })
        .collect();
    let count = (pairs.len() * d) as f64;
    let mu = scalings.iter().flat_map(|scaling| &scaling.lambda).map(|l| l * l).sum::<f64>() / count;
    let affine = directions(reduced, &system, pairs, &scalings, &residuals, &|_, i, j, l: &[f64]| {
        if i == j { -l[i] * l[i] } else { 0.0 }
    });
    let Some(affine) = affine else { return false };
    let t = step_length(pairs, &affine);
    let reached = pairs.iter().zip(&affine).map(|(pair, direction)| {
        let (P, Z) = (moved(&pair.P, t, &direction.P), moved(&pair.Z, t, &direction.Z));
        dot(P.as_slice(), Z.as_slice())
    });
    let centring = (reached.sum::<f64>() / count / mu).clamp(0.0, 1.0).powi(3);
    let corrections: Vec<Matrix> =
        affine.iter().zip(&scalings).map(|(direction, scaling)| correction(direction, scaling)).collect();
    let combined = directions(reduced, &system, pairs, &scalings, &residuals, &|at, i, j, l: &[f64]| {
        (if i == j { centring * mu - l[i] * l[i] } else { 0.0 }) - corrections[at][(i, j)]
    });
    let Some(combined) = combined else { return false };
    let t = step_length(pairs, &combined);
    for (pair, direction) in pairs.iter_mut().zip(&combined) {
        pair.P = moved(&pair.P, t, &direction.P);
        pair.Z = moved(&pair.Z, t, &direction.Z);
    }
    t > SHORTEST && pairs.iter().all(|pair| pair.P.as_slice().iter().chain(pair.Z.as_slice()).all(|x| x.is_finite()))
}

/// Mehrotra's second-order term: the symmetric part of G⁻¹ΔP G⁻ᵀ · GᵀΔZ G.
fn correction(direction: &PairDirection, scaling: &Scaling) -> Matrix {
    let d = scaling.lambda.len();
    let GZG = scaling.G.transposed().times(&direction.Z).times(&scaling.G);
    let inverse = inverse(&scaling.G);
    let P = inverse.times(&direction.P).times(&inverse.transposed());
    let product = P.times(&GZG);
    Matrix::from_fn(d, d, |i, j| 0.5 * (product[(i, j)] + product[(j, i)]))
}

fn scaling_of(pair: &VariablePair) -> Option<Scaling> {
    let L = factor_positive_definite(&pair.P)?;
    let (values, V) = symmetric_eigen(&L.transposed().times(&pair.Z).times(&L))?;
    if values[0] <= 0.0 {
        return None;
    }
    let lambda: Vec<f64> = values.iter().map(|value| value.sqrt()).collect();
    let LV = L.times(&V);
    let G = Matrix::from_fn(LV.rows(), LV.cols(), |i, j| LV[(i, j)] / lambda[j].sqrt());
    Some(Scaling { G, lambda })
}

/// The factorised equations for Δm.
struct NewtonSystem {
    /// R with RRᵀ = K = Σ (G ⊗ G)(G ⊗ G)ᵀ over the pairs, on svec.
    root: Matrix,
    /// Orthonormal columns with root·basisᵀ = (G_P ⊗ G_P, G_N ⊗ G_N); none for a single pair.
    basis: Option<Matrix>,
    /// The Cholesky factor of I + Rᵀ H R.
    inner: Matrix,
}

impl NewtonSystem {
    /// R comes from an orthogonal factorisation: K itself, whose condition is the square, is never formed.
    fn new(reduced: &Reduced, scalings: &[Scaling]) -> Option<Self> {
        let D = reduced.H.rows();
        let (root, basis) = match scalings {
            [only] => (symmetric_square(&only.G), None),
            several => {
                let squares: Vec<Matrix> = several.iter().map(|scaling| symmetric_square(&scaling.G)).collect();
                let stacked = Matrix::from_fn(D * squares.len(), D, |i, j| squares[i / D][(j, i % D)]);
                let (basis, R) = orthogonal_factors(&stacked);
                (R.transposed(), Some(basis))
            }
        };
        let mut inner = root.transposed().times(&reduced.H.times(&root));
        (0..D).for_each(|j| inner[(j, j)] += 1.0);
        let inner = factor_positive_definite(&inner)?;
        Some(NewtonSystem { root, basis, inner })
    }

    /// Δm from (I + K H) Δm = Σ (G ⊗ G) c over the pairs: Δm = R (I + RᵀHR)⁻¹ R⁻¹ Σ (G ⊗ G) c, and R⁻¹ Σ (G ⊗ G) c
    /// is the basis' product with the c.
    fn solve(&self, c: &[f64]) -> Vec<f64> {
        let scaled = match &self.basis {
            None => c.to_vec(),
            Some(basis) => basis.transposed().times_vector(c),
        };
        let inner = solve_lower_transposed(&self.inner, &solve_lower(&self.inner, &scaled));
        self.root.times_vector(&inner)
    }
}

/// The right side of the complementarity equations: of which pair, entry (i, j), and the pair's λ.
type RightSide<'a> = dyn Fn(usize, usize, usize, &[f64]) -> f64 + 'a;

/// The directions of all pairs for a right side given in scaled coordinates.
fn directions(
    reduced: &Reduced,
    system: &NewtonSystem,
    pairs: &[VariablePair],
    scalings: &[Scaling],
    residuals: &[Matrix],
    right: &RightSide<'_>,
) -> Option<Vec<PairDirection>> {
    let d = reduced.inputs();
    // In scaled coordinates: G⁻¹ΔPG⁻ᵀ + GᵀΔZG = R̃, R̃_ij = 2·right_ij/(λ_i + λ_j).
    let targets = scalings.iter().enumerate().map(|(at, Scaling { lambda, .. })| {
        Matrix::from_fn(d, d, |i, j| 2.0 * right(at, i, j, lambda) / (lambda[i] + lambda[j]))
    });
    let targets: Vec<Matrix> = targets.collect();
    let scaled = |scaling: &Scaling, Z: &Matrix| scaling.G.transposed().times(Z).times(&scaling.G);
    let mut c = vec![];
    for at in 0..pairs.len() {
        let mut part = targets[at].clone();
        add_scaled(part.as_mut_slice(), -1.0, scaled(&scalings[at], &residuals[at]).as_slice());
        c.extend(reduced.vector(&symmetrised(&part)).iter().map(|entry| pairs[at].sign * entry));
    }
    let dm = system.solve(&c);
    let dS = reduced.matrix(&reduced.H.times_vector(&dm));
    let mut found: Vec<PairDirection> = (0..pairs.len())
        .map(|at| {
            let mut Z = residuals[at].clone();
            add_scaled(Z.as_mut_slice(), pairs[at].sign, dS.as_slice());
            let mut P = targets[at].clone();
            add_scaled(P.as_mut_slice(), -1.0, scaled(&scalings[at], &Z).as_slice());
            let G = &scalings[at].G;
            PairDirection { P: symmetrised(&G.times(&P).times(&G.transposed())), Z: symmetrised(&Z) }
        })
        .collect();
    reconcile(pairs, scalings, &reduced.matrix(&dm), &mut found)?;
    found.iter().all(|direction| direction.P.as_slice().iter().all(|x| x.is_finite())).then_some(found)
}

/// Rounding makes Σ ±ΔP miss ΔM, and then Z drifts away from τI ± S. The miss goes to the pairs in the proportion in
/// which their rounding errors arise: in the eigenbasis of M, entry (i, j) in proportion to W_ii·W_jj.
fn reconcile(
    pairs: &[VariablePair],
    scalings: &[Scaling],
    dM: &Matrix,
    directions: &mut [PairDirection],
) -> Option<()> {
    let d = dM.rows();
    let (mut M, mut miss) = (Matrix::zeros(d, d), dM.clone());
    for (pair, direction) in pairs.iter().zip(directions.iter()) {
        add_scaled(M.as_mut_slice(), pair.sign, pair.P.as_slice());
        add_scaled(miss.as_mut_slice(), -pair.sign, direction.P.as_slice());
    }
    let (_, Q) = symmetric_eigen(&M)?;
    let miss = Q.transposed().times(&miss).times(&Q);
    let sizes: Vec<Vec<f64>> = scalings
        .iter()
        .map(|scaling| {
            let QG = Q.transposed().times(&scaling.G);
            (0..d).map(|i| dot(QG.row(i), QG.row(i))).collect()
        })
        .collect();
    let total = |i: usize, j: usize| sizes.iter().map(|size| size[i] * size[j]).sum::<f64>();
    for at in 0..pairs.len() {
        let part = Matrix::from_fn(d, d, |i, j| miss[(i, j)] * (sizes[at][i] * sizes[at][j] / total(i, j)));
        let back = symmetrised(&Q.times(&part).times(&Q.transposed()));
        add_scaled(directions[at].P.as_mut_slice(), pairs[at].sign, back.as_slice());
    }
    Some(())
}

fn symmetrised(A: &Matrix) -> Matrix {
    Matrix::from_fn(A.rows(), A.cols(), |i, j| 0.5 * (A[(i, j)] + A[(j, i)]))
}

fn moved(A: &Matrix, t: f64, direction: &Matrix) -> Matrix {
    let mut out = A.clone();
    add_scaled(out.as_mut_slice(), t, direction.as_slice());
    out
}

/// How far all variables may go. One length for all: Z follows S, and S follows M.
fn step_length(pairs: &[VariablePair], directions: &[PairDirection]) -> f64 {
    let lengths = pairs
        .iter()
        .zip(directions)
        .flat_map(|(pair, direction)| [longest(&pair.P, &direction.P), longest(&pair.Z, &direction.Z)]);
    lengths.fold(1.0, f64::min)
}

/// The share of the step that keeps A + t·direction positive definite, with some distance from the boundary.
fn longest(A: &Matrix, direction: &Matrix) -> f64 {
    let Some(L) = factor_positive_definite(A) else { return 0.0 };
    let inverse = inverse(&L);
    let scaled = inverse.times(direction).times(&inverse.transposed());
    let lowest = symmetric_eigen(&symmetrised(&scaled)).map_or(f64::NEG_INFINITY, |(values, _)| values[0]);
    if lowest >= 0.0 { 1.0 } else { (TO_BOUNDARY / -lowest).min(1.0) }
}

/// The matrix of V ↦ W V Wᵀ on svec.
fn symmetric_square(W: &Matrix) -> Matrix {
    let d = W.rows();
    let pairs: Vec<(usize, usize)> = (0..d).flat_map(|a| (0..=a).map(move |b| (a, b))).collect();
    let weight = |a: usize, b: usize| if a == b { std::f64::consts::FRAC_1_SQRT_2 } else { 1.0 };
    Matrix::from_fn(pairs.len(), pairs.len(), |p, q| {
        let ((a, b), (c, e)) = (pairs[p], pairs[q]);
        weight(a, b) * weight(c, e) * (W[(a, c)] * W[(b, e)] + W[(a, e)] * W[(b, c)])
    })
}

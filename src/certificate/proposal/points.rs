//! Dual points worth trying. Nothing here is trusted: the checker proves what a point is good for.
//!
//! The residual of a function gives θ = ωr, projected. A penalty lets it be scaled into the feasible set; without one, and with
//! v ≥ 0, the function is shifted in a direction in which A* grows: by a constant, or by x̂ᵀC⁻¹x̂ with C = Σωx̂x̂ᵀ.

use shallows_verify::Monomial;
use shallows_verify::arithmetic::{U, add_down, add_up, mul_up, norm_up, plain_dot, power_of_two, proves_definite};
use shallows_verify::optimum::basis::{Basis, guessed_cholesky};
use shallows_verify::optimum::dual::{Demand, Dual};
use shallows_verify::optimum::function::QuadraticFunction;
use shallows_verify::rows::ProofRows;
use shallows_verify::{Matrix, Network};

/// A dual point by the function whose residual it is, with the bound that it proves.
pub(super) struct DualPoint {
    pub bound: f64,
    pub function: QuadraticFunction,
    pub scale: f64,
}

/// Functions of x̂ to try: the network, the witness, and zero, whose residual is that of the best unpenalised function.
pub(super) fn functions(
    network: &Network,
    witness: Option<&QuadraticFunction>,
    rows: &ProofRows<'_>,
) -> Vec<QuadraticFunction> {
    let d = rows.d();
    let entry = |a: usize, b: usize| -> f64 {
        network.v.iter().enumerate().map(|(l, v)| v * network.W[(l, a)] * network.W[(l, b)]).sum()
    };
    let own = QuadraticFunction {
        M: (0..d).map(|a| (0..=a).map(|b| entry(a, b)).collect()).collect(),
        b: network.linear.clone().unwrap_or_else(|| vec![0.0; d]),
        c: network.intercept.unwrap_or(0.0),
        low: None,
    };
    let given = [Some(&own), witness].into_iter().flatten().map(|function| in_coordinates(function, rows));
    let sound = given.filter(|function| function.check(d).is_ok());
    sound.chain([QuadraticFunction::zero(d)]).collect()
}

/// A function of x as one of x̂ = (x − m)·2^h.
fn in_coordinates(function: &QuadraticFunction, rows: &ProofRows<'_>) -> QuadraticFunction {
    let QuadraticFunction { M, b, c, .. } = function;
    let (m, h) = (&rows.centre, &rows.shifts);
    let d = b.len();
    let entry = |a: usize, t: usize| if a >= t { M[a][t] } else { M[t][a] };
    let times_centre = |a: usize| (0..d).map(|t| entry(a, t) * m[t]).sum::<f64>();
    let moved: Vec<f64> = (0..d).map(times_centre).collect();
    let scaled = |x: f64, h: i32| x * power_of_two(-(h / 2)) * power_of_two(-(h - h / 2));
    QuadraticFunction {
        M: (0..d).map(|a| (0..=a).map(|t| scaled(scaled(M[a][t], h[a]), h[t])).collect()).collect(),
        b: (0..d).map(|a| scaled(b[a] + 2.0 * moved[a], h[a])).collect(),
        c: c + (0..d).map(|a| m[a] * (b[a] + moved[a])).sum::<f64>(),
        low: None,
    }
}

/// The best proved point of these functions, over all competitors.
pub(super) fn best(
    dual: &Dual<'_>,
    rows: &ProofRows<'_>,
    functions: &[QuadraticFunction],
    sign: f64,
    demand: Demand,
    is_penalised: bool,
) -> Option<DualPoint> {
    let points = functions.iter().filter_map(|function| match demand {
        Demand::Above if !is_penalised => shifted(dual, rows, function, sign),
        Demand::Between if !is_penalised => None,
        _ => scaled(dual, rows, function, sign, demand),
    });
    points.max_by(|a, b| a.bound.total_cmp(&b.bound))
}

/// s = −θᵀ(y − Zβ)/Σ(θᵢ²/ωᵢ) maximises the dual value of sθ.
pub(super) fn best_scale(dual: &Dual<'_>, rows: &ProofRows<'_>, theta: &[f64]) -> Option<f64> {
    let square: f64 = theta.iter().zip(&rows.w).map(|(t, w)| t * t / w * rows.total.high).sum();
    let s = -plain_dot(theta, dual.target()) / square;
    (s.is_finite() && s != 0.0).then_some(s)
}

fn bound_of(dual: &Dual<'_>, theta: &[f64], scale: f64) -> Option<f64> {
    let theta: Vec<f64> = theta.iter().map(|t| scale * t).collect();
    dual.lower_bound(&theta, None, None)
}

/// The largest scale up to the best one that is feasible.
fn scaled(
    dual: &Dual<'_>,
    rows: &ProofRows<'_>,
    function: &QuadraticFunction,
    sign: f64,
    demand: Demand,
) -> Option<DualPoint> {
    let residual = function.residuals(rows, sign);
    let theta = dual.point(&residual, 1.0);
    let s = best_scale(dual, rows, &theta)?;
    let point =
        |scale: f64| bound_of(dual, &theta, scale).map(|bound| DualPoint { bound, function: function.clone(), scale });
    if demand == Demand::None {
        return point(s);
    }
    // θ itself is rounded: a checker that rounds it otherwise, or not at all, must find the point feasible too.
    let roundings = (16 + 2 * rows.d()) as f64 * U;
    let rounded = roundings * rows.weighted_norm(residual);
    let (ball, rho) = (rows.outer_sum(&theta), dual.distance(&theta) + rounded);
    let share = largest_share(&|share| dual.feasible(&ball, share * s, share * s.abs() * rho))?;
    let ladder = [0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-8, 1e-6];
    ladder.into_iter().find_map(|less: f64| point(s * share * (1.0 - less)))
}

/// The largest t ≤ 1 that a monotone test accepts, to thirteen digits.
fn largest_share(accepts: &dyn Fn(f64) -> bool) -> Option<f64> {
    const HALVINGS: usize = 100;
    let mut low = 1.0;
    let mut tries = 0..HALVINGS;
    while !accepts(low) {
        low *= 0.5;
        tries.next()?;
    }
    let mut high = if low == 1.0 { return Some(1.0) } else { 2.0 * low };
    while high - low > 1e-13 * high {
        let middle = 0.5 * (low + high);
        if accepts(middle) { low = middle } else { high = middle }
    }
    Some(low)
}

/// The best point with the smallest shift that makes A* positive definite.
fn shifted(dual: &Dual<'_>, rows: &ProofRows<'_>, function: &QuadraticFunction, sign: f64) -> Option<DualPoint> {
    let d = rows.d();
    let theta = dual.point_of(function, sign, 1.0);
    let one = QuadraticFunction { c: sign, ..QuadraticFunction::zero(d) };
    let points = [Some(one), leverage(rows, sign)].into_iter().flatten().filter_map(|direction| {
        // The residual of a direction is that of the function itself, without the labels.
        let along = plus(function, &direction, 1.0);
        let moved = dual.point_of(&along, sign, 1.0);
        let toward: Vec<f64> = moved.iter().zip(&theta).map(|(moved, theta)| moved - theta).collect();
        let delta = shift(rows, &theta, &toward)?;
        let ladder = [1.0, 1.0 + 1e-10, 1.001, 1.1, 2.0, 10.0];
        ladder.into_iter().find_map(|more| {
            let function = plus(function, &direction, delta * more);
            let theta = dual.point_of(&function, sign, 1.0);
            let scale = best_scale(dual, rows, &theta)?.max(0.0);
            let bound = bound_of(dual, &theta, scale)?;
            Some(DualPoint { bound, function, scale })
        })
    });
    points.max_by(|a, b| a.bound.total_cmp(&b.bound))
}

fn plus(function: &QuadraticFunction, other: &QuadraticFunction, times: f64) -> QuadraticFunction {
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + times * b).collect::<Vec<f64>>();
    QuadraticFunction {
        M: function.M.iter().zip(&other.M).map(|(a, b)| sum(a, b)).collect(),
        b: sum(&function.b, &other.b),
        c: function.c + times * other.c,
        low: function.low.clone(),
    }
}

/// x̂ᵀC⁻¹x̂ with C = Σωx̂x̂ᵀ.
fn leverage(rows: &ProofRows<'_>, sign: f64) -> Option<QuadraticFunction> {
    let d = rows.d();
    let (L, _) = guessed_cholesky(&rows.gram_with(&rows.w), rows.total.high);
    // Column j of L⁻¹.
    let column = |j: usize| {
        let mut z = vec![0.0; d];
        for a in j..d {
            let start = if a == j { 1.0 } else { 0.0 };
            z[a] = (start - plain_dot(&L.row(a)[..a], &z[..a])) / L[(a, a)];
        }
        z
    };
    let inverse: Vec<Vec<f64>> = (0..d).map(column).collect();
    let M = (0..d).map(|a| (0..=a).map(|b| sign * plain_dot(&inverse[a], &inverse[b])).collect()).collect();
    let function = QuadraticFunction { M, ..QuadraticFunction::zero(d) };
    function.check(d).ok().map(|()| function)
}

/// The smallest δ ≥ 0, about, with A*(θ + δ·direction) ≻ 0.
fn shift(rows: &ProofRows<'_>, theta: &[f64], direction: &[f64]) -> Option<f64> {
    let (ball, toward) = (rows.outer_sum(theta), rows.outer_sum(direction));
    let definite = |delta: f64| {
        let sum = |i, j| ball.center[(i, j)] + delta * toward.center[(i, j)];
        proves_definite(&Matrix::from_fn(rows.d(), rows.d(), sum), ball.radius + delta * toward.radius)
    };
    smallest(&definite, theta, direction)
}

/// The smallest δ ≥ 0, about, that a monotone test accepts, up to a large multiple of |θ|/|direction|.
fn smallest(accepts: &dyn Fn(f64) -> bool, theta: &[f64], direction: &[f64]) -> Option<f64> {
    const STEPS: usize = 60;
    if accepts(0.0) {
        return Some(0.0);
    }
    let size = |a: &[f64]| plain_dot(a, a).sqrt();
    let mut high = 16.0 * size(theta) / size(direction);
    if !(high > 0.0 && high.is_finite()) {
        return None;
    }
    let mut tries = 0..10;
    while !accepts(high) {
        high *= 16.0;
        tries.next()?;
    }
    let mut low = 0.0;
    for _ in 0..STEPS {
        let middle = if low == 0.0 { high / 256.0 } else { (low * high).sqrt() };
        if middle < 1e-18 * size(theta) / size(direction) {
            break;
        }
        if accepts(middle) {
            high = middle
        } else {
            low = middle
        }
        if high <= 1.001 * low {
            break;
        }
    }
    Some(high)
}

/// The function less the best combination of these columns in its residual, again and again until only rounding is left.
pub(super) fn refitted(
    function: &QuadraticFunction,
    rows: &ProofRows<'_>,
    columns: &[Monomial],
    sign: f64,
) -> QuadraticFunction {
    const ROUNDS: usize = 4;
    const PASSES: usize = 2;
    let mut function = function.clone();
    if columns.is_empty() {
        return function;
    }
    let basis = Basis::unproved(rows, columns, PASSES);
    for _ in 0..ROUNDS {
        let theta = rows.weighted(&function.residuals(rows, sign));
        let steps = basis.coefficients(rows, &theta);
        let mut next = function.clone();
        for (column, step) in columns.iter().zip(steps) {
            match *column {
                Monomial::One => next.c -= sign * step,
                Monomial::Input(j) => next.b[j] -= sign * step,
                Monomial::Product(..) => {}
            }
        }
        if next.check(rows.d()).is_err() {
            break;
        }
        function = next;
    }
    function
}

/// An η ≥ 0 with A*(θ') between −(τ+η)S² and (τ+η)S², as far as demanded, in the coordinates of the rows.
pub(super) fn excess(
    rows: &ProofRows<'_>,
    theta: &[f64],
    rho: f64,
    (decay, exponents): (f64, &[i32]),
    demand: Demand,
) -> Option<f64> {
    const STEPS: usize = 60;
    let ball = rows.outer_sum(theta);
    let radius = add_up(ball.radius, mul_up(rho, rows.quartic_norm()));
    let unit: Vec<f64> =
        exponents.iter().zip(&rows.shifts).map(|(e, h)| power_of_two(e + h) * power_of_two(e + h)).collect();
    let holds = |eta: f64| {
        let half = |sign: f64| {
            let level = |i: usize| (decay + eta) * unit[i] * (1.0 - 4.0 * f64::EPSILON);
            let entry = |i: usize, j: usize| {
                let a = sign * ball.center[(i, j)];
                if i == j { add_down(a, level(i)) } else { a }
            };
            proves_definite(&Matrix::from_fn(rows.d(), rows.d(), entry), radius)
        };
        half(1.0) && (demand == Demand::Above || half(-1.0))
    };
    if holds(0.0) {
        return Some(0.0);
    }
    let least_unit = unit.iter().copied().fold(f64::INFINITY, f64::min);
    let mut high = 2.0 * add_up(norm_up(ball.center.as_slice().iter().copied()), radius) / least_unit;
    if !(high.is_finite() && holds(high)) {
        return None;
    }
    let mut low = 0.0;
    for _ in 0..STEPS {
        let middle = if low == 0.0 { high / 16.0 } else { 0.5 * (low + high) };
        if holds(middle) {
            high = middle
        } else {
            low = middle
        }
        if high - low <= 0.05 * high {
            break;
        }
    }
    Some(high)
}

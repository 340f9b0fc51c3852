//! A*(θ) = Σ θᵢ x̂ᵢx̂ᵢᵀ with its radius, compared with the exact sum.
//!
//! What the radius holds is of the size of other roundings of a bound, or far below, so that a bound hardly ever shows that a
//! radius is too small. Here it shows in nearly every sum.

use shallows_verify::Rows;
use shallows_verify::rows::ProofRows;

use crate::exact::Dyadic;
use crate::random::Random;
use crate::solver::scaled;

/// Whether the exact sum is within the radius, in the Frobenius norm; nothing where there is no radius.
pub fn is_enclosed(rows: &ProofRows<'_>, theta: &[f64]) -> Option<bool> {
    let ball = rows.outer_sum(theta);
    let d = rows.d();
    if !(ball.radius.is_finite() && ball.center.as_slice().iter().all(|a| a.is_finite())) {
        return None;
    }
    let x: Vec<Vec<Dyadic>> = (0..rows.n()).map(|i| rows.row(i).into_iter().map(Dyadic::from).collect()).collect();
    let theta: Vec<Dyadic> = theta.iter().map(|t| Dyadic::from(*t)).collect();
    let mut square = Dyadic::zero();
    for (a, b) in (0..d).flat_map(|a| (0..d).map(move |b| (a, b))) {
        let terms = x.iter().zip(&theta).map(|(x, t)| &(t * &x[a]) * &x[b]);
        let exact = terms.fold(Dyadic::zero(), |sum, term| &sum + &term);
        square = &square + &(&exact - &Dyadic::from(ball.center[(a, b)])).square();
    }
    Some(square <= Dyadic::from(ball.radius).square())
}

/// A number with all its bits, or with few.
fn factor(random: &mut Random) -> f64 {
    if random.chance(70) { random.unit() } else { random.between(-9, 9) as f64 }
}

/// Rows and a θ that make it hard: sizes near both ends of what doubles hold, splittings that overflow, sums that cancel
/// once or twice over. What came of it, as in [`is_enclosed`].
pub fn is_hard_sum_enclosed(random: &mut Random) -> Option<bool> {
    let (n, d) = (random.between(1, 24) as usize, random.between(1, 3) as usize);
    // θx² is at about 2^goal; spread is how far rows differ.
    let goal = random.pick(&[-1070, -1040, -1015, -970, -500, 0, 0, 0, 500, 960, 1010, 1019]);
    let inputs: Vec<i64> = (0..d).map(|_| random.pick(&[0, 0, 300, -300, 500, -500, -530, 990, -1000])).collect();
    let spread = random.pick(&[0, 3, 30, 120, 300]);
    let X: Vec<f64> = (0..n * d)
        .map(|at| scaled(factor(random), (inputs[at % d] + random.between(-spread / 4, spread / 4)) as i32))
        .map(|x| if x.is_finite() { x } else { 1.0 })
        .collect();
    let home = goal - 2 * inputs[0];
    let mut theta: Vec<f64> = (0..n)
        .map(|_| scaled(factor(random), (home + random.between(-spread, spread)).clamp(-1100, 1023) as i32))
        .map(|t| if t.is_finite() { t } else { 1.0 })
        .collect();
    let y = vec![0.0; n];
    let given = Rows::new(&X, d, &y, None).ok()?;
    let rows = ProofRows::new(given, 1.0).ok()?;
    // One row after another takes away what those before have left, so that little is left of all: a double less of it each time.
    let takers = random.between(0, 2).min(n as i64 - 1) as usize;
    for i in n - takers..n {
        let x = rows.row(i)[0];
        let so_far = ProofRows::new(Rows::new(&X[..i * d], d, &y[..i], None).ok()?, 1.0).ok()?.outer_sum(&theta[..i]);
        let t = -so_far.center[(0, 0)] / x / x;
        theta[i] = if t.is_finite() { t } else { 0.0 };
    }
    let shifts: Vec<i32> = (0..d).map(|_| random.between(-60, 60) as i32).collect();
    let rows = match rows.clone().in_coordinates(&vec![0.0; d], &shifts) {
        Ok(shifted) if random.chance(30) => shifted,
        _ => rows,
    };
    is_enclosed(&rows, &theta)
}

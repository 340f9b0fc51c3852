//! The optimum in floating point, by a barrier method: for proofs to begin with, and for competitors. Nothing rests on it.
//!
//! Over M = P − Q with P, Q ⪰ 0 (Q = 0 for one sign), b and c:
//!
//! ```text
//! ½Σωᵢ(zᵢ·Mzᵢ + b·zᵢ + c − yᵢ)² + Σ_j D_j(P + Q)_jj − μ(log det P + log det Q + log of what is left of each limit)
//! ```
//!
//! for μ → 0, in inputs z = (x − m)·2^(−k) and labels of size one. On its way A + Diag(D) = μP⁻¹: the dual points are feasible.

use shallows_verify::Signs;
use shallows_verify::theorem::global_optimum::Claim;

use crate::judge::Candidate;

/// 2^e, or what of it a double can hold.
pub fn power_of_two(e: i32) -> f64 {
    if e < -1074 {
        0.0
    } else if e > 1023 {
        f64::INFINITY
    } else if e < -1022 {
        f64::from_bits(1 << (e + 1074))
    } else {
        f64::from_bits(((e + 1023) as u64) << 52)
    }
}

/// x·2^e without an overflow on the way.
pub fn scaled(x: f64, e: i32) -> f64 {
    let (mut x, mut e) = (x, e.clamp(-6000, 6000));
    while e != 0 && x != 0.0 && x.is_finite() {
        let step = e.clamp(-1000, 1000);
        x *= power_of_two(step);
        e -= step;
    }
    x
}

/// ⌊log₂|x|⌋, 0 for 0.
pub fn exponent(x: f64) -> i32 {
    let x = x.abs();
    if x == 0.0 || !x.is_finite() {
        return 0;
    }
    let bits = (x.to_bits() >> 52) as i32;
    if bits > 0 { bits - 1023 } else { 63 - x.to_bits().leading_zeros() as i32 - 1074 }
}

/// Rows that count, for the solver and for whoever makes proofs.
pub struct Samples<'a> {
    pub d: usize,
    pub x: Vec<&'a [f64]>,
    pub y: Vec<f64>,
    pub w: Vec<f64>,
}

/// M (in z), b, c and what they are about.
pub struct Solution {
    pub candidate: Candidate,
    /// M, d×d.
    pub M: Vec<Vec<f64>>,
}

#[derive(Clone)]
struct State {
    parts: Vec<Vec<Vec<f64>>>,
    b: Vec<f64>,
    c: f64,
}

struct Problem {
    n: usize,
    d: usize,
    z: Vec<Vec<f64>>,
    y: Vec<f64>,
    omega: Vec<f64>,
    /// 1 and −1 for P and Q; one part without a barrier where M is free.
    signs: Vec<f64>,
    is_free: bool,
    D: Vec<f64>,
    E: Vec<f64>,
    nuclear: Option<f64>,
    linear: Option<Option<f64>>,
    intercept: Option<Option<f64>>,
    /// Whether nothing holds M but the data.
    is_open: bool,
}

const STEPS_FOR_EACH_BARRIER: usize = 12;
const SMALLER_BARRIER: f64 = 0.1;

pub fn solve(samples: &Samples<'_>, claim: &Claim) -> Option<Solution> {
    let (d, n) = (samples.d, samples.y.len());
    if n == 0 {
        return None;
    }
    let sign = if claim.signs == Signs::Negative { -1.0 } else { 1.0 };
    let limit =
        |limit: Option<f64>, y: i32, e: i32| limit.map(|limit| scaled(limit, -y - e)).filter(|limit| *limit < 1e9);
    let largest = samples.w.iter().copied().fold(0.0, f64::max);
    let omega: Vec<f64> = samples.w.iter().map(|w| scaled(*w, -exponent(largest))).collect();
    let total: f64 = omega.iter().sum();
    let omega: Vec<f64> = omega.iter().map(|w| w / total).collect();
    let mean = |values: &dyn Fn(usize) -> f64| {
        let at = values(0);
        at + (0..n).map(|i| omega[i] * (values(i) - at)).sum::<f64>()
    };
    let free_constant = claim.intercept && claim.class.intercept.is_none();
    let free_affine = free_constant && claim.linear && claim.class.linear.is_none();
    let centre: Vec<f64> = (0..d).map(|j| if free_affine { mean(&|i| samples.x[i][j]) } else { 0.0 }).collect();
    if centre.iter().any(|m| !m.is_finite()) {
        return None;
    }
    let y: Vec<f64> = samples.y.iter().map(|y| sign * y).collect();
    let level = if free_constant { mean(&|i| y[i]) } else { 0.0 };
    let counted = |i: usize| omega[i] > 1e-30;
    let size =
        |value: &dyn Fn(usize) -> f64| (0..n).filter(|i| counted(*i)).map(|i| value(i).abs()).fold(0.0, f64::max);
    let k: Vec<i32> = (0..d).map(|j| exponent(size(&|i| samples.x[i][j] - centre[j]))).collect();
    let ky = exponent(size(&|i| y[i] - level));
    let z = samples.x.iter().map(|x| (0..d).map(|j| scaled(x[j] - centre[j], -k[j]).clamp(-1e9, 1e9)).collect());
    let highest = (0..d).map(|j| claim.exponents[j] - k[j]).max()?;
    let E: Vec<f64> = (0..d).map(|j| scaled(1.0, 2 * (claim.exponents[j] - k[j] - highest)).max(1e-200)).collect();
    let tau = scaled(claim.decay, 2 * highest - ky).min(1e9);
    let nuclear = limit(claim.class.nuclear, ky, 2 * highest);
    let linear =
        claim.linear.then(|| limit(claim.class.linear, ky, highest)).filter(|limit| limit.is_none_or(|r| r > 1e-9));
    let intercept =
        claim.intercept.then(|| limit(claim.class.intercept, ky, 0)).filter(|limit| limit.is_none_or(|r| r > 1e-9));
    let is_free = claim.signs == Signs::Any && claim.decay == 0.0 && nuclear.is_none();
    let has_units = nuclear.is_none_or(|limit| limit > 1e-9) && tau < 1e8;
    let signs: Vec<f64> = match claim.signs {
        _ if !has_units => vec![],
        Signs::Any if !is_free => vec![1.0, -1.0],
        _ => vec![1.0],
    };
    let problem = Problem {
        n,
        d,
        z: z.collect(),
        y: y.iter().map(|y| scaled(y - level, -ky).clamp(-1e9, 1e9)).collect(),
        omega,
        signs,
        is_free,
        D: E.iter().map(|e| e * tau).collect(),
        E,
        nuclear: nuclear.filter(|_| has_units),
        linear,
        intercept,
        is_open: !is_free && tau == 0.0 && nuclear.is_none(),
    };
    let state = problem.follow_path()?;
    let back = |x: f64| scaled(x, ky) * sign;
    let mut M = vec![vec![0.0; d]; d];
    let mut units = vec![];
    for (part, sign) in state.parts.iter().zip(&problem.signs) {
        (0..d).for_each(|a| (0..d).for_each(|b| M[a][b] += back(sign * part[a][b])));
        let (values, vectors) = eigen(part);
        let most = values.iter().map(|v| v.abs()).fold(0.0, f64::max);
        for (value, vector) in values.into_iter().zip(vectors) {
            let negligible = if problem.is_free { 0.0 } else { 1e-5 * most.min(1.0) };
            if value.abs() > negligible {
                units.push((vector, back(sign * value)));
            }
        }
    }
    Some(Solution {
        candidate: Candidate {
            units,
            b: state.b.iter().map(|b| back(*b)).collect(),
            c: back(state.c) + sign * level,
            centre,
            shifts: k.iter().map(|k| -k).collect(),
        },
        M,
    })
}

impl Problem {
    fn pairs(&self) -> Vec<(usize, usize)> {
        (0..self.d).flat_map(|b| (0..=b).map(move |a| (a, b))).collect()
    }

    fn size(&self, at: &State) -> f64 {
        at.parts.iter().map(|part| (0..self.d).map(|j| self.E[j] * part[j][j]).sum::<f64>()).sum()
    }

    fn residuals(&self, at: &State) -> Vec<f64> {
        let value = |i: usize| {
            let z = &self.z[i];
            let form = |part: &Vec<Vec<f64>>| -> f64 {
                (0..self.d).map(|a| z[a] * (0..self.d).map(|b| part[a][b] * z[b]).sum::<f64>()).sum()
            };
            let units: f64 = at.parts.iter().zip(&self.signs).map(|(part, sign)| sign * form(part)).sum();
            units + at.b.iter().zip(z).map(|(b, z)| b * z).sum::<f64>() + at.c - self.y[i]
        };
        (0..self.n).map(value).collect()
    }

    fn loss(&self, at: &State, price: f64) -> f64 {
        let loss: f64 = self.residuals(at).iter().zip(&self.omega).map(|(r, w)| 0.5 * w * r * r).sum();
        let paid: f64 =
            at.parts.iter().map(|part| (0..self.d).map(|j| (self.D[j] + price) * part[j][j]).sum::<f64>()).sum();
        loss + if self.is_free { 0.0 } else { paid }
    }

    /// The barrier, infinite outside.
    fn barrier(&self, at: &State) -> f64 {
        let mut sum = 0.0;
        if !self.is_free {
            for part in &at.parts {
                match inverse(part) {
                    Some((_, log_det)) => sum -= log_det,
                    None => return f64::INFINITY,
                }
            }
        }
        let left = [
            self.nuclear.map(|limit| (limit - self.size(at)) / limit),
            self.linear
                .flatten()
                .map(|limit| 1.0 - at.b.iter().zip(&self.E).map(|(b, e)| e * (b / limit) * (b / limit)).sum::<f64>()),
            self.intercept.flatten().map(|limit| 1.0 - (at.c / limit) * (at.c / limit)),
        ];
        for left in left.into_iter().flatten() {
            if !(left > 0.0) {
                return f64::INFINITY;
            }
            sum -= left.ln();
        }
        sum
    }

    fn start(&self) -> State {
        let room = self.nuclear.map_or(1.0, |limit| limit / (4.0 * self.d as f64));
        let diagonal = |j: usize| if self.is_free { 0.0 } else { (0.25_f64).min(room / self.E[j]) };
        let part: Vec<Vec<f64>> =
            (0..self.d).map(|a| (0..self.d).map(|b| if a == b { diagonal(a) } else { 0.0 }).collect()).collect();
        let parts = self.signs.iter().map(|_| part.clone()).collect();
        State { parts, b: vec![0.0; self.d], c: 0.0 }
    }

    fn follow_path(&self) -> Option<State> {
        let mut at = self.start();
        let count = (self.d * self.signs.len() + 4) as f64;
        let precision = if self.is_open { 1e-9 } else { 1e-13 };
        let mut mu = 0.1;
        loop {
            let price = if self.is_open { 1e-3 * mu } else { 0.0 };
            for _ in 0..STEPS_FOR_EACH_BARRIER {
                match self.newton(&at, mu, price) {
                    Some((next, decrement)) => {
                        at = next;
                        if decrement < 1e-3 * mu {
                            break;
                        }
                    }
                    None => break,
                }
            }
            let loss = self.loss(&at, 0.0);
            if !loss.is_finite() {
                return None;
            }
            if mu * count <= precision * loss || mu < 1e-22 {
                return Some(at);
            }
            mu *= SMALLER_BARRIER;
        }
    }

    /// A damped Newton step, and how much it promised.
    fn newton(&self, at: &State, mu: f64, price: f64) -> Option<(State, f64)> {
        let pairs = self.pairs();
        let (units, d) = (pairs.len() * self.signs.len(), self.d);
        let (has_b, has_c) = (self.linear.is_some(), self.intercept.is_some());
        let size = units + if has_b { d } else { 0 } + usize::from(has_c);
        if size == 0 {
            return None;
        }
        let mut H = vec![vec![0.0; size]; size];
        let mut g = vec![0.0; size];
        let r = self.residuals(at);
        let mut a = vec![0.0; size];
        for i in 0..self.n {
            let z = &self.z[i];
            for (s, sign) in self.signs.iter().enumerate() {
                for (at, &(p, q)) in pairs.iter().enumerate() {
                    a[s * pairs.len() + at] = sign * if p == q { z[p] * z[p] } else { 2.0 * z[p] * z[q] };
                }
            }
            if has_b {
                a[units..units + d].copy_from_slice(z);
            }
            if has_c {
                a[size - 1] = 1.0;
            }
            for p in 0..size {
                g[p] += self.omega[i] * a[p] * r[i];
                (0..=p).for_each(|q| H[p][q] += self.omega[i] * a[p] * a[q]);
            }
        }
        let data: Vec<f64> = (0..size).map(|p| H[p][p]).collect();
        if !self.is_free {
            let slack = self.nuclear.map(|limit| limit - self.size(at));
            for (s, part) in at.parts.iter().enumerate() {
                let (inverse, _) = inverse(part)?;
                for (u, &(p, q)) in pairs.iter().enumerate() {
                    let row = s * pairs.len() + u;
                    let twice = if p == q { 1.0 } else { 2.0 };
                    g[row] -= mu * twice * inverse[p][q];
                    if p == q {
                        g[row] += self.D[p] + price + slack.map_or(0.0, |slack| mu * self.E[p] / slack);
                    }
                    for (v, &(k, l)) in pairs[..=u].iter().enumerate() {
                        let other = if k == l { 1.0 } else { 2.0 };
                        let value =
                            0.5 * twice * other * (inverse[p][k] * inverse[q][l] + inverse[p][l] * inverse[q][k]);
                        H[row][s * pairs.len() + v] += mu * value;
                    }
                }
            }
            if let Some(slack) = slack {
                let diagonal = |row: usize| {
                    let (p, q) = pairs[row % pairs.len()];
                    if p == q { self.E[p] / slack } else { 0.0 }
                };
                (0..units).for_each(|p| (0..=p).for_each(|q| H[p][q] += mu * diagonal(p) * diagonal(q)));
            }
        }
        if let Some(limit) = self.linear.flatten() {
            let left = limit * limit - at.b.iter().zip(&self.E).map(|(b, e)| e * b * b).sum::<f64>();
            for p in 0..d {
                g[units + p] += mu * 2.0 * self.E[p] * at.b[p] / left;
                H[units + p][units + p] += mu * 2.0 * self.E[p] / left;
                for q in 0..=p {
                    H[units + p][units + q] += mu * 4.0 * self.E[p] * at.b[p] * self.E[q] * at.b[q] / (left * left);
                }
            }
        }
        if let Some(limit) = self.intercept.flatten() {
            let left = limit * limit - at.c * at.c;
            g[size - 1] += mu * 2.0 * at.c / left;
            H[size - 1][size - 1] += mu * (2.0 / left + 4.0 * at.c * at.c / (left * left));
        }
        // What nothing determines stays where it is.
        (0..size).for_each(|p| H[p][p] += 1e-15 * data[p].max(1e-3 * H[p][p]) + 1e-300);
        let step = solved(&H, &g)?;
        let decrement: f64 = step.iter().zip(&g).map(|(s, g)| s * g).sum();
        let now = self.loss(at, price) + mu * self.barrier(at);
        let mut factor = 1.0;
        for _ in 0..40 {
            let mut next = at.clone();
            for (s, part) in next.parts.iter_mut().enumerate() {
                for (u, &(p, q)) in pairs.iter().enumerate() {
                    part[p][q] -= factor * step[s * pairs.len() + u];
                    part[q][p] = part[p][q];
                }
            }
            if has_b {
                (0..d).for_each(|j| next.b[j] -= factor * step[units + j]);
            }
            if has_c {
                next.c -= factor * step[size - 1];
            }
            let then = self.loss(&next, price) + mu * self.barrier(&next);
            if then <= now + 1e-13 * now.abs() {
                return Some((next, decrement.max(0.0)));
            }
            factor *= 0.5;
        }
        None
    }
}

/// H⁻¹g by Cholesky; the lower triangle is used.
fn solved(H: &[Vec<f64>], g: &[f64]) -> Option<Vec<f64>> {
    let n = g.len();
    // Scaled to a diagonal of ones: the sizes of the variables differ by much.
    let s: Vec<f64> = (0..n).map(|i| 1.0 / H[i][i].sqrt()).collect();
    let mut L = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let mut sum = H[i][j] * s[i] * s[j];
            (0..j).for_each(|k| sum -= L[i][k] * L[j][k]);
            L[i][j] = if i == j { (sum.max(1e-16)).sqrt() } else { sum / L[j][j] };
        }
    }
    let mut x: Vec<f64> = g.iter().zip(&s).map(|(g, s)| g * s).collect();
    for i in 0..n {
        (0..i).for_each(|k| x[i] -= L[i][k] * x[k]);
        x[i] /= L[i][i];
    }
    for i in (0..n).rev() {
        (i + 1..n).for_each(|k| x[i] -= L[k][i] * x[k]);
        x[i] /= L[i][i];
    }
    x.iter_mut().zip(&s).for_each(|(x, s)| *x *= s);
    x.iter().all(|x| x.is_finite()).then_some(x)
}

/// The inverse of a positive definite matrix and the logarithm of its determinant.
fn inverse(A: &[Vec<f64>]) -> Option<(Vec<Vec<f64>>, f64)> {
    let n = A.len();
    let mut L = vec![vec![0.0; n]; n];
    let mut log_det = 0.0;
    for i in 0..n {
        for j in 0..=i {
            let sum = A[i][j] - (0..j).map(|k| L[i][k] * L[j][k]).sum::<f64>();
            if i == j {
                if !(sum > 1e-14 * A[i][i]) || !(sum > 0.0) {
                    return None;
                }
                L[i][i] = sum.sqrt();
                log_det += sum.ln();
            } else {
                L[i][j] = sum / L[j][j];
            }
        }
    }
    let mut inverse = vec![vec![0.0; n]; n];
    for c in 0..n {
        let mut x = vec![0.0; n];
        for i in c..n {
            let known: f64 = (c..i).map(|k| L[i][k] * x[k]).sum();
            x[i] = (if i == c { 1.0 } else { 0.0 } - known) / L[i][i];
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|k| L[k][i] * x[k]).sum();
            x[i] = (x[i] - known) / L[i][i];
        }
        (0..n).for_each(|i| inverse[i][c] = x[i]);
    }
    Some((inverse, log_det))
}

/// Eigenvalues and eigenvectors by Jacobi's rotations.
pub fn eigen(A: &[Vec<f64>]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = A.len();
    let mut A = A.to_vec();
    let mut V: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
    for _ in 0..30 {
        for p in 0..n {
            for q in p + 1..n {
                if A[p][q] == 0.0 {
                    continue;
                }
                let theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (a, b) = (A[k][p], A[k][q]);
                    (A[k][p], A[k][q]) = (c * a - s * b, s * a + c * b);
                }
                for k in 0..n {
                    let (a, b) = (A[p][k], A[q][k]);
                    (A[p][k], A[q][k]) = (c * a - s * b, s * a + c * b);
                }
                for row in V.iter_mut() {
                    let (a, b) = (row[p], row[q]);
                    (row[p], row[q]) = (c * a - s * b, s * a + c * b);
                }
            }
        }
    }
    let values = (0..n).map(|i| A[i][i]).collect();
    let vectors = (0..n).map(|j| (0..n).map(|i| V[i][j]).collect()).collect();
    (values, vectors)
}

//! Instances made from their optimum.
//!
//! Of f* = x·M*x + b*·x + c* and dual values θᵢ = wᵢrᵢ (times Σw those of FORMAT.md), f* is the best of its class where
//!
//! ```text
//! Σθᵢxᵢxᵢᵀ = −Σ_l a_l q_l q_lᵀ     q_l orthogonal, a_l = ±(τ + η) for the units of M*, |a_l| ≤ τ + η for the others (a_l ≤ τ + η for v ≥ 0)
//! Σθᵢxᵢ = −λ b*                    λ = 0 without a limit on b, and Σθᵢ = 0, or of the sign opposite to c* = ±R_c
//! ```
//!
//! These are linear equations in θ. They are solved in whole numbers, with the rows x of small whole numbers; the labels are f* − r.
//! The judge does not trust this: f* is a competitor, and a bound above its P is wrong however f* was found.

use shallows_verify::Signs;
use shallows_verify::theorem::global_optimum::{Claim, Class};

use crate::instance::Data;
use crate::judge::Candidate;
use crate::propose::Idea;
use crate::random::Random;
use crate::solver::{power_of_two, scaled};

/// Orthogonal frames of whole numbers whose vectors have the same length, and its square.
fn frame(random: &mut Random, d: usize) -> (Vec<Vec<i128>>, i128) {
    match d {
        1 => (vec![vec![1]], 1),
        2 => {
            let (p, q) = random.pick(&[(1, 0), (1, 1), (2, 1), (1, -3), (3, 4)]);
            (vec![vec![p, q], vec![-q, p]], p * p + q * q)
        }
        _ => {
            if random.chance(50) {
                (vec![vec![1, 0, 0], vec![0, 1, 0], vec![0, 0, 1]], 1)
            } else {
                (vec![vec![1, 2, 2], vec![2, 1, -2], vec![2, -2, 1]], 9)
            }
        }
    }
}

/// Some solution of K θ = t·common, in whole numbers, with its positive `common`.
fn whole_solution(random: &mut Random, K: &[Vec<i128>], t: &[i128]) -> Option<(Vec<i128>, i128)> {
    let n = K.first()?.len();
    let mut A: Vec<Vec<i128>> = K.iter().zip(t).map(|(row, t)| row.iter().copied().chain([*t]).collect()).collect();
    let mut pivots: Vec<usize> = vec![];
    for column in 0..n {
        let rank = pivots.len();
        let Some(at) = (rank..A.len()).find(|&i| A[i][column] != 0) else { continue };
        A.swap(rank, at);
        for i in (0..A.len()).filter(|&i| i != rank) {
            let (p, q) = (A[rank][column], A[i][column]);
            if q != 0 {
                for j in 0..=n {
                    A[i][j] = p.checked_mul(A[i][j])?.checked_sub(q.checked_mul(A[rank][j])?)?;
                }
                let common = A[i].iter().fold(0, |g, x| gcd(g, *x)).max(1);
                A[i].iter_mut().for_each(|x| *x /= common);
            }
        }
        pivots.push(column);
    }
    if A[pivots.len()..].iter().any(|row| row[n] != 0) {
        return None;
    }
    let common = (0..pivots.len()).try_fold(1_i128, |l, i| lcm(l, A[i][pivots[i]].abs()))?;
    let mut theta = vec![0; n];
    for column in (0..n).filter(|column| !pivots.contains(column)) {
        theta[column] = common.checked_mul(i128::from(random.between(-3, 3)))?;
    }
    for (i, &pivot) in pivots.iter().enumerate() {
        let mut sum = A[i][n].checked_mul(common)?;
        for column in (0..n).filter(|column| !pivots.contains(column)) {
            sum = sum.checked_sub(A[i][column].checked_mul(theta[column])?)?;
        }
        theta[pivot] = sum / A[i][pivot];
    }
    Some((theta, common))
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

fn lcm(a: i128, b: i128) -> Option<i128> {
    (a / gcd(a, b)).checked_mul(b)
}

/// A whole number that is a double.
fn double(x: i128) -> Option<f64> {
    (x.unsigned_abs() < 1 << 53).then_some(x as f64)
}

pub fn known(random: &mut Random) -> Option<(Data, Claim, Idea)> {
    let d = random.pick(&[1, 2, 2, 2, 3, 3]) as usize;
    let signs = random.pick(&[Signs::Any, Signs::Any, Signs::Positive, Signs::Negative]);
    let sign = if signs == Signs::Negative { -1 } else { 1 };
    let (linear, intercept) = (random.chance(40), random.chance(50));
    let limits = if random.chance(50) { [0; 3] } else { [0; 3].map(|_| random.below(3)) };
    let equations = d * (d + 1) / 2 + if linear { d } else { 0 } + usize::from(intercept);
    let spare = i64::from(!random.chance(20));
    let n = equations + random.between(spare, 3) as usize;
    let mut x: Vec<Vec<i128>> = (0..n).map(|_| (0..d).map(|_| i128::from(random.between(-3, 3))).collect()).collect();
    if n > 1 && random.chance(15) {
        x[1] = x[0].clone();
    }
    // Weights are powers of two, and so is what they are divided by: n of the power, or all one.
    let weighted = random.chance(40);
    let w: Vec<i128> = (0..n).map(|_| if weighted { 1 << random.between(0, 3) } else { 1 }).collect();
    let total: i128 = w.iter().sum();
    let (q, square) = frame(random, d);
    let tau = if random.chance(60) { i128::from(random.between(1, 6)) } else { 0 };
    // limits[0]: 0 none, 1 not reached, 2 reached at a price.
    let eta = if limits[0] == 2 { i128::from(random.between(0, 4)) } else { 0 };
    let level = tau + eta;
    let units: Vec<i128> = (0..d)
        .map(|_| if random.chance(60) { if signs == Signs::Any { random.pick(&[1, -1]) } else { 1 } } else { 0 })
        .collect();
    let slopes = |random: &mut Random| -> Vec<i128> {
        let slope = |unit: &i128| match (*unit, signs) {
            (0, Signs::Any) => i128::from(random.between(-(level as i64), level as i64)),
            (0, _) => level - i128::from(random.between(0, 3 + 2 * level as i64)),
            (unit, _) => unit * level,
        };
        units.iter().map(slope).collect()
    };
    let slopes = slopes(random);
    // The limited parts of the affine function: direction of b*, sign of c*, prices.
    let direction = match d {
        1 => vec![1],
        2 => random.pick(&[vec![1, 0], vec![3, 4], vec![-4, 3], vec![0, -1]]),
        _ => random.pick(&[vec![1, 0, 0], vec![1, 2, 2], vec![2, -3, 6], vec![0, 3, -4]]),
    };
    let length = (1..10).find(|l| l * l == direction.iter().map(|p| p * p).sum::<i128>())?;
    let price_of_b = if linear && limits[1] == 2 { i128::from(random.between(0, 3)) } else { 0 };
    let price_of_c = if intercept && limits[2] == 2 { i128::from(random.between(0, 3)) } else { 0 };
    let sign_of_c: i128 = random.pick(&[1, -1]);
    // Everything times Σw and the squared length of the frame, so that the targets are whole.
    let unit = total * square;
    let (mut K, mut t) = (vec![], vec![]);
    for b in 0..d {
        for a in 0..=b {
            K.push(x.iter().map(|x| x[a] * x[b]).collect::<Vec<i128>>());
            t.push(-total * (0..d).map(|l| slopes[l] * q[l][a] * q[l][b]).sum::<i128>());
        }
    }
    if linear {
        for j in 0..d {
            K.push(x.iter().map(|x| x[j]).collect());
            t.push(-unit * price_of_b * direction[j]);
        }
    }
    if intercept {
        K.push(vec![1; n]);
        t.push(-unit * price_of_c * sign_of_c);
    }
    let (theta, common) = whole_solution(random, &K, &t)?;
    // θ = w·r, and the level is square·common times what was chosen.
    let largest = theta.iter().map(|t| t.abs()).max()?.max(1);
    let size = largest / 8 + 1;
    let v: Vec<i128> = units.iter().map(|unit| unit * (1 + size * i128::from(random.between(0, 4)) / 4)).collect();
    let b_size = if linear && (limits[1] != 2 || price_of_b > 0 || random.chance(50)) { 1 + size / 2 } else { 0 };
    let c_size = if intercept { sign_of_c * size } else { 0 };
    let f = |x: &Vec<i128>| -> i128 {
        let units: i128 = (0..d).map(|l| v[l] * (0..d).map(|j| q[l][j] * x[j]).sum::<i128>().pow(2)).sum();
        units + b_size * (0..d).map(|j| direction[j] * x[j]).sum::<i128>() + c_size
    };
    let value = |i: usize| {
        let whole = double(f(&x[i]) * w[i] - theta[i])?;
        Some(whole / w[i] as f64)
    };
    let y: Vec<f64> = (0..n).map(value).collect::<Option<_>>()?;
    // Powers of two for inputs, labels and weights; an offset where nothing sees it.
    let free_affine = linear && intercept && limits[1] == 0 && limits[2] == 0;
    let wide = random.chance(30);
    let k: Vec<i32> =
        (0..d).map(|_| if wide { random.between(-250, 250) } else { random.between(-2, 2) } as i32).collect();
    let ky = if wide { random.between(-200, 200) } else { random.between(-2, 2) } as i32;
    let kw = if wide { random.between(-900, 900) } else { 0 } as i32;
    let e0 = random.between(-20, 20) as i32;
    let offset: Vec<f64> = (0..d)
        .map(|_| if free_affine && random.chance(40) { random.between(-1 << 30, 1 << 30) as f64 } else { 0.0 })
        .collect();
    let X = (0..n * d).map(|at| scaled(x[at / d][at % d] as f64 + offset[at % d], k[at % d])).collect();
    let signed = |x: f64| scaled(x * f64::from(sign), ky);
    let nuclear: i128 = v.iter().map(|v| v.abs() * square).sum();
    let limit = |kind: u64, least: f64, e: i32, random: &mut Random| match kind {
        0 => None,
        1 => Some(scaled(least * random.pick(&[1.0, 1.5, 64.0]), e)),
        _ => Some(scaled(least, e)),
    };
    let class = Class {
        nuclear: limit(limits[0], double(nuclear)?, ky + 2 * e0, random),
        linear: limit(limits[1], double(b_size * length)?, ky + e0, random),
        intercept: limit(limits[2], double(c_size.abs())?, ky, random),
    };
    let decay = double(tau.checked_mul(common)?.checked_mul(square)?)?;
    let claim = Claim {
        signs,
        decay: scaled(decay, ky - 2 * e0),
        linear,
        intercept,
        exponents: k.iter().map(|k| k + e0).collect(),
        tolerance: random.pick(&[1e-6, 0.1, 1e-12, 1e-3]),
        class,
    };
    let w = weighted.then(|| w.iter().map(|w| *w as f64 * power_of_two(kw)).collect());
    let M = |a: usize, b: usize| (0..d).map(|l| v[l] * q[l][a] * q[l][b]).sum::<i128>();
    let M: Vec<Vec<f64>> =
        (0..d).map(|a| (0..d).map(|b| double(M(a, b)).map(signed)).collect::<Option<_>>()).collect::<Option<_>>()?;
    let centre: Vec<f64> = (0..d).map(|j| scaled(offset[j], k[j])).collect();
    let shifts: Vec<i32> = k.iter().map(|k| -k).collect();
    let candidate = Candidate {
        units: (0..d)
            .map(|l| Some((q[l].iter().map(|q| *q as f64).collect(), signed(double(v[l])?))))
            .collect::<Option<_>>()?,
        b: direction.iter().map(|p| double(p * b_size).map(signed)).collect::<Option<_>>()?,
        c: signed(double(c_size)?),
        centre: centre.clone(),
        shifts: shifts.clone(),
    };
    let data = Data { d, X, y: y.into_iter().map(signed).collect(), w };
    Some((data, claim, Idea { M, candidate, centre, shifts, is_known: true }))
}

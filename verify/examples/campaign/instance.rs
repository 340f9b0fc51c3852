//! Random rows and claims: hostile ones of all sizes, offsets, near-collinear and subnormal columns, and mild ones.

use shallows_verify::Signs;
use shallows_verify::theorem::global_optimum::{Claim, Class};

use crate::random::Random;
use crate::solver::{Samples, exponent, scaled};

/// Rows as they are given.
pub struct Data {
    pub d: usize,
    pub X: Vec<f64>,
    pub y: Vec<f64>,
    pub w: Option<Vec<f64>>,
}

impl Data {
    /// The rows that count; none where no weight is positive.
    pub fn samples(&self) -> Samples<'_> {
        let weight = |i: usize| self.w.as_ref().map_or(1.0, |w| w[i]);
        let kept: Vec<usize> = (0..self.y.len()).filter(|&i| weight(i) > 0.0).collect();
        Samples {
            d: self.d,
            x: kept.iter().map(|&i| &self.X[i * self.d..][..self.d]).collect(),
            y: kept.iter().map(|&i| self.y[i]).collect(),
            w: kept.iter().map(|&i| weight(i)).collect(),
        }
    }

    /// The exponent of the largest value of each input, and of the labels.
    pub fn exponents(&self) -> (Vec<i32>, i32) {
        let of = |values: &mut dyn Iterator<Item = f64>| exponent(values.map(f64::abs).fold(0.0, f64::max));
        let inputs = (0..self.d).map(|j| of(&mut (0..self.y.len()).map(|i| self.X[i * self.d + j])));
        (inputs.collect(), of(&mut self.y.iter().copied()))
    }
}

fn hostile_column(random: &mut Random, n: usize, before: &[Vec<f64>]) -> Vec<f64> {
    let kind = random.below(if before.is_empty() { 8 } else { 11 });
    let scale = if random.chance(25) { random.power(150) } else { 1.0 };
    let offset = random.between(1, 2000) as f64 * 2_f64.powi(random.between(0, 20) as i32);
    (0..n)
        .map(|i| match kind {
            0..=2 => random.between(-3, 3) as f64 * scale,
            3 => random.unit() * scale,
            4 => offset + random.between(-4, 4) as f64,
            5 => offset + random.unit(),
            6 => random.between(-9, 9) as f64 * f64::from_bits(1),
            7 => random.unit() * random.power(300),
            8 => before[0][i] * (1.0 + random.between(-2, 2) as f64 * f64::EPSILON),
            9 => 2.0 * before[0][i] + 1.0,
            _ => before[before.len() - 1][i] + random.between(-1, 1) as f64 * f64::EPSILON,
        })
        .collect()
}

fn hostile_weights(random: &mut Random, n: usize) -> Vec<f64> {
    let kind = random.below(4);
    (0..n)
        .map(|_| match kind {
            0 => random.between(0, 4) as f64,
            1 => (1.0 + random.unit().abs()) * random.power(500),
            2 => random.pick(&[9_007_199_254_740_992.0, 1.0, 1.0]),
            _ => random.between(1, 3) as f64 * scaled(1.0, -1074 + random.between(0, 40) as i32),
        })
        .collect()
}

pub fn hostile(random: &mut Random) -> Data {
    let (n, d) = (random.between(1, 8) as usize, random.between(1, 3) as usize);
    let mut columns: Vec<Vec<f64>> = vec![];
    for _ in 0..d {
        let next = hostile_column(random, n, &columns);
        columns.push(next);
    }
    let mut X: Vec<f64> = (0..n).flat_map(|i| columns.iter().map(move |c| c[i])).collect();
    if n > 1 && random.chance(30) {
        X.copy_within(0..d, d);
    }
    X.iter_mut().for_each(|x| *x = if x.is_finite() { *x } else { 1.0 });
    let kind = random.below(6);
    let scale = if random.chance(25) { random.power(250) } else { 1.0 };
    let y = (0..n).map(|i| match kind {
        0 => random.between(-5, 5) as f64 * scale,
        1 => random.unit() * scale,
        2 => 1e9 + random.between(-5, 5) as f64,
        3 => X[i * d] * X[i * d] * 2.0 + random.unit() * 1e-3,
        4 => 3.0 * X[i * d] + random.between(0, 1) as f64,
        _ => random.unit() * random.power(30),
    });
    let y = y.map(|y| if y.abs() < 1e150 { y } else { 1.0 }).collect();
    let w = random.chance(60).then(|| hostile_weights(random, n));
    Data { d, X, y, w }
}

/// More rows than functions, most of the time, and numbers of moderate size.
pub fn mild(random: &mut Random) -> Data {
    let d = random.between(1, 3) as usize;
    let n = random.between(2, 10) as usize;
    let whole = random.chance(30);
    let sizes: Vec<f64> = (0..d).map(|_| random.power(8)).collect();
    let mut X: Vec<f64> =
        (0..n * d).map(|at| sizes[at % d] * if whole { random.between(-4, 4) as f64 } else { random.unit() }).collect();
    if n > 1 && random.chance(15) {
        X.copy_within(0..d, d);
    }
    let (size, offset) = (random.power(8), if random.chance(30) { random.unit() * 20.0 } else { 0.0 });
    let planted = random.chance(50);
    let y = (0..n).map(|i| {
        let x = |j: usize| X[i * d + j] / sizes[j];
        let signal = if planted { x(0) * x(0) - 0.7 * x(d - 1) * x(d - 1) + 0.3 * x(0) } else { 0.0 };
        size * (signal + random.unit() * 0.5 + offset)
    });
    let y = y.collect();
    let w = random.chance(40).then(|| (0..n).map(|_| (1.0 + random.unit().abs()) * random.power(4)).collect());
    Data { d, X, y, w }
}

/// A claim with penalty and limits of the size that matters for these rows.
pub fn claim(random: &mut Random, data: &Data) -> Claim {
    let (inputs, labels) = data.exponents();
    let exponents: Vec<i32> = match random.below(4) {
        0 => vec![0; data.d],
        1 | 2 => inputs.iter().map(|k| (*k).clamp(-300, 300)).collect(),
        _ => inputs.iter().map(|k| (*k + random.between(-4, 4) as i32).clamp(-300, 300)).collect(),
    };
    let highest = exponents.iter().zip(&inputs).map(|(e, k)| e - k).max().unwrap_or(0);
    let penalised = random.chance(55);
    let decay = random.unit().abs() * 2_f64.powi(-(random.between(1, 14) as i32));
    let decay = if penalised { scaled(decay, labels - 2 * highest) } else { 0.0 };
    let limited = random.chance(40);
    let mut limit = |e: i32| {
        let size = if random.chance(15) {
            0.0
        } else {
            let most = random.pick(&[6, 3, 3, 40]);
            random.power(most)
        };
        let size = scaled(size * (1.0 + random.unit().abs()), labels + e);
        (limited && random.chance(50) && size.is_finite()).then_some(size)
    };
    let class = Class { nuclear: limit(2 * highest), linear: limit(highest), intercept: limit(0) };
    Claim {
        signs: random.pick(&[Signs::Any, Signs::Any, Signs::Positive, Signs::Negative]),
        decay: if decay.is_finite() { decay } else { 0.0 },
        linear: random.chance(40),
        intercept: random.chance(50),
        exponents,
        tolerance: random.pick(&[1e-6, 0.1, 1e-12, 1e-3]),
        class,
    }
}

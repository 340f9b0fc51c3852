//! Random instances of `global-optimum` with honest and with damaged proofs, one JSON line for each, for campaign.py to judge in
//! exact arithmetic: `cargo run --release -p shallows-verify --example campaign -- COUNT SEED | python3 verify/examples/campaign.py`.
//!
//! Doubles are written as the whole numbers that their bits are.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(non_snake_case)]

use std::io::Write;

use serde_json::{Value, json};
use shallows_verify::optimum::basis::{Basis, Monomial};
use shallows_verify::rows::ProofRows;
use shallows_verify::theorem::global_optimum::{
    Claim, Class, MeasureProof, Proof, QuadraticFunction, Relation, Span, judge,
};
use shallows_verify::{Matrix, Network, Rows, Signs, StoredNetwork};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    fn between(&mut self, least: i64, most: i64) -> i64 {
        least + self.below((most - least + 1) as u64) as i64
    }
    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * f64::EPSILON - 1.0
    }
    fn power(&mut self, most: i64) -> f64 {
        2_f64.powi(self.between(-most, most) as i32)
    }
}

struct Instance {
    X: Vec<f64>,
    d: usize,
    y: Vec<f64>,
    w: Option<Vec<f64>>,
    /// The size of each input.
    sizes: Vec<f64>,
    size_y: f64,
}

fn column(random: &mut Random, n: usize, before: &[Vec<f64>]) -> Vec<f64> {
    let kind = random.below(if before.is_empty() { 8 } else { 11 });
    let scale = if random.chance(25) { random.power(150) } else { 1.0 };
    let offset = random.between(1, 2000) as f64 * 2_f64.powi(random.between(0, 20) as i32);
    (0..n)
        .map(|i| match kind {
            0..=2 => random.between(-3, 3) as f64 * scale,
            3 => random.unit() * scale,
            4 => offset + random.between(-4, 4) as f64,
            5 => offset + random.unit(),
            6 => random.between(-9, 9) as f64 * 2_f64.powi(-1074),
            7 => random.unit() * random.power(300),
            8 => before[0][i] * (1.0 + random.between(-2, 2) as f64 * f64::EPSILON),
            9 => 2.0 * before[0][i] + 1.0,
            _ => before[before.len() - 1][i] + random.between(-1, 1) as f64 * f64::EPSILON,
        })
        .collect()
}

fn instance(random: &mut Random) -> Instance {
    let (n, d) = (random.between(1, 8) as usize, random.between(1, 3) as usize);
    let mut columns: Vec<Vec<f64>> = vec![];
    for _ in 0..d {
        let next = column(random, n, &columns);
        columns.push(next);
    }
    let mut X: Vec<f64> = (0..n).flat_map(|i| columns.iter().map(move |c| c[i])).collect();
    if n > 1 && random.chance(30) {
        X.copy_within(0..d, d);
    }
    X.iter_mut().for_each(|x| *x = if x.is_finite() { *x } else { 1.0 });
    let kind = random.below(6);
    let scale = if random.chance(25) { random.power(250) } else { 1.0 };
    let y: Vec<f64> = (0..n)
        .map(|i| match kind {
            0 => random.between(-5, 5) as f64 * scale,
            1 => random.unit() * scale,
            2 => 1e9 + random.between(-5, 5) as f64,
            3 => X[i * d] * X[i * d] * 2.0 + random.unit() * 1e-3,
            4 => 3.0 * X[i * d] + random.between(0, 1) as f64,
            _ => random.unit() * random.power(30),
        })
        .map(|y| if y.abs() < 1e150 { y } else { 1.0 })
        .collect();
    let w = random.chance(60).then(|| {
        let kind = random.below(4);
        (0..n)
            .map(|_| match kind {
                0 => random.between(0, 4) as f64,
                1 => (1.0 + random.unit().abs()) * random.power(500),
                2 => {
                    if random.chance(30) {
                        2_f64.powi(53)
                    } else {
                        1.0
                    }
                }
                _ => random.between(1, 3) as f64 * 2_f64.powi(-1074 + random.between(0, 40) as i32),
            })
            .collect()
    });
    let sizes = (0..d).map(|j| (0..n).map(|i| X[i * d + j].abs()).fold(0.0, f64::max)).collect();
    let size_y = y.iter().map(|y: &f64| y.abs()).fold(0.0, f64::max);
    Instance { X, d, y, w, sizes, size_y }
}

fn exponent(x: f64) -> i32 {
    if x > 0.0 { x.log2().floor() as i32 } else { 0 }
}

fn damaged(random: &mut Random, x: f64) -> f64 {
    match random.below(8) {
        0 => x.next_up(),
        1 => x.next_down(),
        2 => x * (1.0 + random.unit() * 1e-12),
        3 => x * (1.0 + random.unit() * 1e-3),
        4 => -x,
        5 => x * random.power(20),
        6 => 0.0,
        _ => x,
    }
}

/// Independent columns, found greedily, all monomials of the wanted kinds first.
fn span(random: &mut Random, rows: &ProofRows<'_>, constant: bool, inputs: bool, products: bool) -> Span {
    let d = rows.d();
    let mut all = vec![];
    all.extend(constant.then_some(Monomial::One));
    all.extend((0..d).filter(|_| inputs).map(Monomial::Input));
    all.extend((0..d).filter(|_| products).flat_map(|b| (0..=b).map(move |a| Monomial::Product(a, b))));
    let passes = random.between(1, 4) as usize;
    let mut columns: Vec<Monomial> = vec![];
    for column in all {
        columns.push(column);
        if Basis::prove(rows, &columns, 4).is_none() {
            columns.pop();
        }
    }
    let mut relations = vec![];
    for input in 1..d {
        relations.push(Relation { input, factor: 1, terms: vec![(0, 2)], constant: 1 });
        relations.push(Relation { input, factor: 1, terms: vec![(input - 1, 1)], constant: 0 });
    }
    for input in 0..d {
        relations.push(Relation {
            input,
            factor: random.between(1, 2),
            terms: vec![],
            constant: random.between(-3, 3),
        });
        relations.push(Relation { input, factor: 1, terms: vec![], constant: 0 });
    }
    let groups = match random.below(4) {
        0 => vec![],
        1 => vec![(0..d).collect()],
        2 => vec![vec![]],
        _ => (0..d).map(|j| vec![j]).collect(),
    };
    if random.chance(10) && !columns.is_empty() {
        let at = random.below(columns.len() as u64) as usize;
        match random.below(3) {
            0 => drop(columns.remove(at)),
            1 => columns.push(columns[at]),
            _ => columns[at] = Monomial::Product(0, d - 1),
        }
    }
    Span { columns, relations, groups, passes }
}

/// Least squares by the columns of a span, as a network in x where the centre is zero.
fn fitted(rows: &ProofRows<'_>, span: &Span) -> Option<Network> {
    let d = rows.d();
    let basis = Basis::prove(rows, &span.columns, span.passes)?;
    let (mut M, mut b, mut c) = (Matrix::zeros(d, d), vec![0.0; d], 0.0);
    let factor = |j: usize| 2_f64.powi(rows.shifts[j]);
    let mut residual = rows.y.clone();
    for _ in 0..3 {
        let beta = basis.coefficients(rows, &rows.weighted(&residual));
        for (column, beta) in span.columns.iter().zip(beta) {
            match *column {
                Monomial::One => c += beta,
                Monomial::Input(j) => b[j] += beta * factor(j),
                Monomial::Product(p, q) => M[(p, q)] += beta * factor(p) * factor(q),
            }
        }
        for (i, r) in residual.iter_mut().enumerate() {
            let x = rows.raw(i);
            let mut f = c;
            for p in 0..d {
                f += b[p] * x[p];
                (p..d).for_each(|q| f += M[(p, q)] * x[p] * x[q]);
            }
            *r = rows.y[i] - f;
        }
    }
    let (mut W, mut v) = (vec![], vec![]);
    for p in 0..d {
        for q in p..d {
            let m = M[(p, q)];
            if m == 0.0 {
                continue;
            }
            let unit = |s: f64, t: f64| {
                (0..d).map(|j| s * f64::from(u8::from(j == p)) + t * f64::from(u8::from(j == q))).collect::<Vec<f64>>()
            };
            if p == q {
                W.push(unit(1.0, 0.0));
                v.push(m);
            } else {
                W.push(unit(1.0, 1.0));
                v.push(0.25 * m);
                W.push(unit(1.0, -1.0));
                v.push(-0.25 * m);
            }
        }
    }
    let linear = b.iter().any(|b| *b != 0.0).then_some(b);
    let intercept = (c != 0.0).then_some(c);
    let network = Network { W: Matrix::from_rows(&W, d)?, v, linear, intercept, ..Network::zero(d) };
    network.check().is_ok().then_some(network)
}

fn random_network(random: &mut Random, claim: &Claim, at: &Instance) -> Network {
    let k = random.below(3) as usize;
    let W = Matrix::from_fn(k, at.d, |_, j| {
        if at.sizes[j] > 0.0 && at.sizes[j] < 1e300 { 1.0 / at.sizes[j].max(1e-300) } else { 0.0 }
    });
    let mut v: Vec<f64> = (0..k).map(|_| random.between(-4, 4) as f64 * at.size_y / 4.0).collect();
    if random.chance(90) {
        v.iter_mut().for_each(|v| match claim.signs {
            Signs::Any => {}
            Signs::Positive => *v = v.abs(),
            Signs::Negative => *v = -v.abs(),
        });
    }
    let intercept = (claim.intercept && random.chance(50)).then_some(at.y[0]);
    let linear = (claim.linear && random.chance(30)).then(|| vec![random.between(-2, 2) as f64; at.d]);
    Network { W, v, intercept, linear, ..Network::zero(at.d) }
}

/// The largest s with |sA| ≤ T, about; for one input nearly exactly.
fn largest_scale(A: &Matrix, T: &[f64], below_only: bool) -> f64 {
    let d = T.len();
    let sized: Vec<f64> = T.iter().map(|t| 1.0 / t.sqrt()).collect();
    let entry = |i: usize, j: usize| A[(i, j)] * sized[i] * sized[j];
    let mut largest: f64 = 0.0;
    for sign in if below_only { vec![-1.0] } else { vec![-1.0, 1.0] } {
        // Power iteration on B + shift.
        let shift: f64 = (0..d).flat_map(|i| (0..d).map(move |j| (i, j))).map(|(i, j)| entry(i, j).abs()).sum();
        let mut x = vec![1.0, 0.7, 0.4][..d].to_vec();
        for _ in 0..2000 {
            let mut z: Vec<f64> =
                (0..d).map(|i| shift * x[i] + sign * (0..d).map(|j| entry(i, j) * x[j]).sum::<f64>()).collect();
            let norm = z.iter().map(|z| z * z).sum::<f64>().sqrt();
            z.iter_mut().for_each(|z| *z /= norm);
            x = z;
        }
        let quotient: f64 = (0..d).map(|i| x[i] * sign * (0..d).map(|j| entry(i, j) * x[j]).sum::<f64>()).sum();
        largest = largest.max(quotient);
    }
    1.0 / largest
}

fn bits(x: f64) -> Value {
    json!(x.to_bits())
}

fn all_bits(x: &[f64]) -> Value {
    Value::from(x.iter().map(|x| x.to_bits()).collect::<Vec<u64>>())
}

fn network_bits(network: &Network) -> Value {
    let W: Vec<Value> = (0..network.width()).map(|l| all_bits(network.W.row(l))).collect();
    let b = network.linear.clone().unwrap_or_else(|| vec![0.0; network.inputs()]);
    json!({"W": W, "v": all_bits(&network.v), "c": bits(network.intercept.unwrap_or(0.0)), "b": all_bits(&b)})
}

fn one(random: &mut Random) -> Option<Value> {
    let at = instance(random);
    let d = at.d;
    let given = Rows::new(&at.X, d, &at.y, at.w.as_deref()).ok()?;
    let signs = [Signs::Any, Signs::Any, Signs::Positive, Signs::Negative][random.below(4) as usize];
    let (linear, intercept) = (random.chance(40), random.chance(50));
    let penalised = random.chance(50);
    let exponents: Vec<i32> = match random.below(3) {
        0 => vec![0; d],
        1 => at.sizes.iter().map(|s| (-exponent(*s)).clamp(-300, 300)).collect(),
        _ => (0..d).map(|_| random.between(-300, 300) as i32).collect(),
    };
    let limit = |random: &mut Random, size: f64| {
        random
            .chance(20)
            .then(|| [0.0, size, size * random.power(10), size * random.power(60)][random.below(4) as usize])
            .filter(|x| x.is_finite())
    };
    let class = Class {
        nuclear: limit(random, at.size_y),
        linear: limit(random, at.size_y),
        intercept: limit(random, at.size_y),
    };
    let tolerance = [1e-6, 0.1, 1e-12, 1e-3][random.below(4) as usize];
    let mut claim = Claim { signs, decay: 0.0, linear, intercept, exponents, tolerance, class };
    let sign = if signs == Signs::Negative { -1.0 } else { 1.0 };
    let unlimited = (intercept && class.intercept.is_none(), linear && class.linear.is_none());
    let centre: Vec<f64> =
        if unlimited == (true, true) && random.chance(50) { given.row(0).to_vec() } else { vec![0.0; d] };
    let shifts: Vec<i32> = match random.below(3) {
        0 => vec![0; d],
        1 => at.sizes.iter().map(|s| (-exponent(*s)).clamp(-1000, 1000)).collect(),
        _ => (0..d).map(|_| random.between(-500, 500) as i32).collect(),
    };
    let plain = ProofRows::new(given, sign).ok()?;
    let rows = match plain.clone().in_coordinates(&centre, &shifts) {
        Ok(rows) => rows,
        Err(_) => return None,
    };
    let free = !penalised || random.chance(15);
    let wants = (unlimited.0, unlimited.1, free);
    let more = (random.chance(10), random.chance(10));
    let chosen = span(random, &rows, wants.0 || more.0, wants.1 || more.1, wants.2);
    let has_span = !chosen.columns.is_empty() || wants.0 || wants.1 || wants.2;
    let mut function = QuadraticFunction::zero(d);
    if random.chance(25) {
        function.c = random.unit() * at.size_y;
        function.M[0][0] = random.unit();
    }
    let mut scale = 1.0;
    let mut excess = 0.0;
    if penalised {
        // A decay for which the dual point is feasible when scaled by about the given number.
        let basis = if has_span { Some(Basis::prove(&rows, &chosen.columns, chosen.passes)?) } else { None };
        let mut theta = rows.weighted(&function.residuals(&rows, sign));
        if let Some(basis) = &basis {
            theta = basis.projected(&rows, &theta);
        }
        let A = rows.outer_sum(&theta).center;
        let T: Vec<f64> = (0..d).map(|j| 4_f64.powi(claim.exponents[j] + shifts[j])).collect();
        let limit = largest_scale(&A, &T, signs != Signs::Any);
        let share = [0.1, 0.5, 0.9, 1.5][random.below(4) as usize];
        claim.decay = if limit.is_finite() && limit > 0.0 { share / limit } else { random.unit().abs() };
        scale = share;
        if !(claim.decay.is_finite()) {
            return None;
        }
        if claim.class.nuclear.is_some() && random.chance(50) {
            excess = claim.decay * random.unit().abs();
            scale *= (claim.decay + excess) / claim.decay;
        }
        scale *= 1.0 + random.between(-12, 12) as f64 * f64::EPSILON;
        scale = scale.min(if random.chance(80) { 1.0 } else { 2.0 });
    }
    if random.chance(15) {
        scale = damaged(random, scale);
    }
    let measure = match random.below(5) {
        0 | 1 => MeasureProof::Objective {},
        2 => MeasureProof::WithoutUnits { span: span(random, &rows, intercept, linear, false) },
        3 => MeasureProof::Rounding { span: span(random, &rows, intercept, false, false) },
        _ => MeasureProof::Least {},
    };
    let best = {
        let span = span(random, &plain, intercept, linear, true);
        fitted(&plain, &span).map(|network| network.with_sign(sign))
    };
    let network = match (&best, random.below(3)) {
        (Some(best), 0 | 1) => best.clone(),
        _ => random_network(random, &claim, &at),
    };
    let improvement = match random.below(3) {
        0 => best,
        1 => Some(random_network(random, &claim, &at)),
        _ => None,
    };
    let proof = Proof {
        centre,
        shifts,
        span: has_span.then_some(chosen),
        free,
        function,
        scale,
        excess,
        measure: measure.clone(),
        improvement: improvement.as_ref().map(StoredNetwork::new),
    };
    let judgement = judge(&network, given, &claim, &proof).ok()?;
    let facts: serde_json::Map<String, Value> =
        judgement.facts.iter().map(|fact| (fact.name.to_owned(), bits(fact.value))).collect();
    let kind = match measure {
        MeasureProof::Objective {} => "objective",
        MeasureProof::WithoutUnits { .. } => "without-units",
        MeasureProof::Rounding { .. } => "rounding",
        MeasureProof::Least {} => "least",
    };
    let limit = |x: Option<f64>| x.map_or(Value::Null, bits);
    Some(json!({
        "d": d, "X": all_bits(&at.X), "y": all_bits(&at.y), "w": at.w.as_ref().map(|w| all_bits(w)),
        "signs": claim.signs, "decay": bits(claim.decay), "linear": linear, "intercept": intercept,
        "e": claim.exponents, "t": bits(tolerance), "free": free, "kind": kind,
        "limits": [limit(class.nuclear), limit(class.linear), limit(class.intercept)],
        "network": network_bits(&network), "improvement": improvement.as_ref().map(network_bits),
        "facts": facts, "verdict": judgement.verdict(), "proof": proof,
    }))
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().unwrap_or(1));
    let (count, seed) = (arguments.next().unwrap_or(1000), arguments.next().unwrap_or(1));
    shallows_verify::matrix::use_threads(1);
    let mut out = std::io::stdout();
    let mut random = Random(seed.wrapping_mul(0x1234_5678_9abc_def1));
    for _ in 0..count {
        if let Some(line) = one(&mut random) {
            // A judge who has seen enough closes the pipe.
            if writeln!(out, "{line}").is_err() {
                return;
            }
        }
    }
}

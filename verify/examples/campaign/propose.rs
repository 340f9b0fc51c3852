//! Honest proofs, as tight as floating point allows, and damaged ones.

use shallows_verify::optimum::basis::Basis;
use shallows_verify::rows::ProofRows;
use shallows_verify::theorem::global_optimum::{Claim, MeasureProof, Proof, QuadraticFunction, Relation, Span};
use shallows_verify::{Matrix, Monomial, Network, Rows, Signs, StoredNetwork};

use crate::instance::Data;
use crate::judge::{Candidate, Instance};
use crate::random::Random;
use crate::solver::{Solution, eigen, scaled, solve};

/// Independent columns, found greedily, of the wanted kinds.
pub fn span(random: &mut Random, rows: &ProofRows<'_>, constant: bool, inputs: bool, products: bool) -> Span {
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
        let factor = random.between(1, 2);
        relations.push(Relation { input, factor, terms: vec![], constant: random.between(-3, 3) });
        relations.push(Relation { input, factor: 1, terms: vec![], constant: 0 });
    }
    let groups = match random.below(4) {
        0 => vec![],
        1 | 2 => vec![(0..d).collect()],
        _ => (0..d).map(|j| vec![j]).collect(),
    };
    Span { columns, relations, groups, passes }
}

/// A function in (x − m)·2^h, written in the coordinates of a proof.
fn in_coordinates(M: &[Vec<f64>], candidate: &Candidate, centre: &[f64], shifts: &[i32]) -> QuadraticFunction {
    let d = centre.len();
    // z = x̂·2^(−a) − δ
    let a: Vec<i32> = (0..d).map(|j| shifts[j] - candidate.shifts[j]).collect();
    let delta: Vec<f64> = (0..d).map(|j| scaled(candidate.centre[j] - centre[j], candidate.shifts[j])).collect();
    let moved = |i: usize| (0..d).map(|j| M[i][j] * delta[j]).sum::<f64>();
    let linear = |j: usize| candidate.b[j] - 2.0 * moved(j);
    let constant = (0..d).map(|j| delta[j] * (moved(j) - candidate.b[j])).sum::<f64>();
    let function = QuadraticFunction {
        M: (0..d).map(|i| (0..=i).map(|j| scaled(M[i][j], -a[i] - a[j])).collect()).collect(),
        b: (0..d).map(|j| scaled(linear(j), -a[j])).collect(),
        c: candidate.c + constant,
        low: None,
    };
    let is_finite = function.M.iter().flatten().chain(&function.b).chain([&function.c]).all(|x| x.is_finite());
    if is_finite { function } else { QuadraticFunction::zero(d) }
}

/// A candidate as a network, where doubles can hold it.
fn network(M: &[Vec<f64>], candidate: &Candidate, claim: &Claim) -> Option<Network> {
    let d = candidate.b.len();
    let function = in_coordinates(M, candidate, &vec![0.0; d], &vec![0; d]);
    let units = candidate.units.iter().filter(|(_, v)| *v != 0.0);
    let W: Vec<Vec<f64>> =
        units.clone().map(|(w, _)| w.iter().zip(&candidate.shifts).map(|(w, h)| scaled(*w, *h)).collect()).collect();
    let v = units.map(|(_, v)| *v).collect();
    let (linear, intercept) = (claim.linear.then_some(function.b), claim.intercept.then_some(function.c));
    let network = Network { W: Matrix::from_rows(&W, d)?, v, linear, intercept, ..Network::zero(d) };
    network.check().is_ok().then_some(network)
}

/// The same function, up to rounding, as a sum of two: a part of each coefficient is in the second.
fn in_two(random: &mut Random, function: QuadraticFunction) -> QuadraticFunction {
    let size = random.pick(&[0, 1, 30, 52, 53, 80, 120]);
    let mut part = |x: &mut f64| {
        let (whole, low) = (*x, scaled(*x * random.unit(), -size));
        *x -= low;
        if x.is_finite() && low.is_finite() {
            // What rounding took from the first is in the second, where that has room for it.
            low + ((whole - *x) - low)
        } else {
            *x = whole;
            0.0
        }
    };
    let mut high = function;
    let low = QuadraticFunction {
        M: high.M.iter_mut().map(|row| row.iter_mut().map(&mut part).collect()).collect(),
        b: high.b.iter_mut().map(&mut part).collect(),
        c: part(&mut high.c),
        low: None,
    };
    QuadraticFunction { low: Some(Box::new(low)), ..high }
}

fn random_network(random: &mut Random, claim: &Claim, data: &Data) -> Network {
    let (inputs, labels) = data.exponents();
    let k = random.below(3) as usize;
    let factors: Vec<f64> = (0..k).map(|_| random.unit()).collect();
    let W = Matrix::from_fn(k, data.d, |l, j| scaled(factors[l], -inputs[j].clamp(-1000, 1000)));
    let mut v: Vec<f64> = (0..k).map(|_| scaled(random.between(-4, 4) as f64 / 4.0, labels)).collect();
    if random.chance(90) {
        v.iter_mut().for_each(|v| match claim.signs {
            Signs::Any => {}
            Signs::Positive => *v = v.abs(),
            Signs::Negative => *v = -v.abs(),
        });
    }
    let intercept = (random.chance(if claim.intercept { 50 } else { 3 })).then_some(data.y[0]);
    let linear = random.chance(if claim.linear { 30 } else { 3 }).then(|| vec![random.between(-2, 2) as f64; data.d]);
    Network { W, v, intercept, linear, ..Network::zero(data.d) }
}

/// A number that is a little, or much, different.
fn damaged(random: &mut Random, x: f64) -> f64 {
    let y = match random.below(8) {
        0 => x.next_up(),
        1 => x.next_down(),
        2 => x * (1.0 + random.unit() * 1e-12),
        3 => x * (1.0 + random.unit() * 1e-3),
        4 => -x,
        5 => x * random.power(20),
        6 => 0.0,
        _ => x * (1.0 + random.unit() * 1e-8),
    };
    if y.is_finite() { y } else { x }
}

fn damage_span(random: &mut Random, span: &mut Span, d: usize) {
    if span.columns.is_empty() {
        span.columns.push(Monomial::Product(0, d - 1));
        return;
    }
    let at = random.below(span.columns.len() as u64) as usize;
    match random.below(4) {
        0 => drop(span.columns.remove(at)),
        1 => span.columns.push(span.columns[at]),
        2 => span.columns[at] = Monomial::Product(0, d - 1),
        _ => span.groups = vec![(0..d).collect()],
    }
}

fn damage(random: &mut Random, proof: &mut Proof, claim: &Claim) {
    let d = proof.centre.len();
    if let Some(low) = &mut proof.function.low
        && random.chance(30)
    {
        low.M.iter_mut().flatten().chain(&mut low.b).for_each(|x| *x = damaged(random, *x));
        return;
    }
    match random.below(7) {
        0 | 1 => proof.scale = damaged(random, proof.scale),
        2 => {
            let i = random.below(d as u64) as usize;
            let j = random.below(i as u64 + 1) as usize;
            proof.function.M[i][j] = damaged(random, proof.function.M[i][j]);
        }
        3 => proof.function.c = damaged(random, proof.function.c),
        4 => proof.function.b.iter_mut().for_each(|b| *b = damaged(random, *b)),
        5 if claim.class.nuclear.is_some() => proof.excess = damaged(random, proof.excess).abs(),
        5 => proof.free = !proof.free,
        _ => match &mut proof.span {
            Some(span) => damage_span(random, span, d),
            None => proof.free = true,
        },
    }
}

/// The point of a proof for scale 1.
pub fn point(rows: &ProofRows<'_>, proof: &Proof, sign: f64) -> Option<Vec<f64>> {
    let theta = rows.weighted(&proof.function.residuals(rows, sign));
    match &proof.span {
        Some(span) => Some(Basis::prove(rows, &span.columns, span.passes)?.projected(rows, &theta)),
        None => Some(theta),
    }
}

/// How far A of the proof's point is from what level 1 allows: the level that it needs, and a margin for rounding.
fn needed_level(rows: &ProofRows<'_>, claim: &Claim, proof: &Proof, sign: f64) -> Option<(f64, f64)> {
    let d = rows.d();
    let theta = point(rows, proof, sign)?;
    let back: Vec<i32> = (0..d).map(|j| -(claim.exponents[j] + proof.shifts[j])).collect();
    let A = rows.outer_sum(&theta).center;
    let B: Vec<Vec<f64>> = (0..d).map(|i| (0..d).map(|j| scaled(A[(i, j)], back[i] + back[j])).collect()).collect();
    let size = |i: usize| rows.row(i).iter().zip(&back).map(|(x, h)| scaled(*x, *h)).map(|x| x * x).sum::<f64>();
    let margin: f64 = theta.iter().enumerate().map(|(i, t)| 3e-14 * t.abs() * size(i)).sum();
    let (values, _) = eigen(&B);
    let one = values.iter().map(|v| -v).fold(0.0, f64::max);
    let both = values.iter().map(|v| v.abs()).fold(0.0, f64::max);
    let level = if claim.signs == Signs::Any { both } else { one };
    (level.is_finite() && margin.is_finite()).then_some((level, margin))
}

/// What a proof is made from.
pub struct Idea {
    pub M: Vec<Vec<f64>>,
    pub candidate: Candidate,
    /// Coordinates that suit it.
    pub centre: Vec<f64>,
    pub shifts: Vec<i32>,
    pub is_known: bool,
}

impl Idea {
    /// From the optimum in floating point.
    pub fn by_solving(data: &Data, claim: &Claim) -> Option<Idea> {
        let Solution { candidate, M, .. } = solve(&data.samples(), claim)?;
        let shifts = data.exponents().0.iter().map(|k| (-k).clamp(-1000, 1000)).collect();
        Some(Idea { M, candidate, centre: vec![0.0; data.d], shifts, is_known: false })
    }
}

/// An instance with a proof, and whether that is damaged; nothing where the rows cannot be read.
pub fn instance(random: &mut Random, data: Data, claim: Claim, idea: Idea) -> Option<(Instance, bool)> {
    let d = data.d;
    let given = Rows::new(&data.X, d, &data.y, data.w.as_deref()).ok()?;
    let sign = if claim.signs == Signs::Negative { -1.0 } else { 1.0 };
    let unlimited = (claim.intercept && claim.class.intercept.is_none(), claim.linear && claim.class.linear.is_none());
    let plain = ProofRows::new(given, sign).ok()?;
    let centre = match random.below(3) {
        _ if unlimited != (true, true) => vec![0.0; d],
        0 => plain.raw(0).to_vec(),
        1 => vec![0.0; d],
        _ => idea.centre.clone(),
    };
    let common = random.between(-60, 60) as i32;
    let shifts: Vec<i32> = match random.below(20) {
        0 => vec![0; d],
        1 => (0..d).map(|j| (idea.shifts[j] + random.between(-60, 60) as i32).clamp(-1000, 1000)).collect(),
        2..=6 => idea.shifts.iter().map(|h| (h + common).clamp(-1000, 1000)).collect(),
        _ => idea.shifts.clone(),
    };
    let tries = [(centre, shifts), (vec![0.0; d], idea.shifts.clone()), (vec![0.0; d], vec![0; d])];
    let (rows, centre, shifts) = tries.into_iter().find_map(|(centre, shifts)| {
        plain.clone().in_coordinates(&centre, &shifts).ok().map(|rows| (rows, centre, shifts))
    })?;
    let any = claim.signs == Signs::Any && claim.decay == 0.0;
    let free = (any && (claim.class.nuclear.is_none() || random.chance(50))) || random.chance(5);
    let chosen = span(random, &rows, unlimited.0, unlimited.1, free);
    let has_span = !chosen.columns.is_empty() || unlimited.0 || unlimited.1 || free;
    let measure = match random.below(7) {
        0 | 1 => MeasureProof::Objective {},
        2 => MeasureProof::WithoutUnits { span: span(random, &rows, claim.intercept, claim.linear, false) },
        3 => MeasureProof::Rounding { span: span(random, &rows, claim.intercept, false, false) },
        4 => MeasureProof::Interpolation { span: span(random, &rows, claim.intercept, claim.linear, false) },
        5 => MeasureProof::LastDigits { span: span(random, &rows, claim.intercept, false, false) },
        _ => MeasureProof::Least {},
    };
    let function = if any && random.chance(10) {
        QuadraticFunction::zero(d)
    } else {
        in_coordinates(&idea.M, &idea.candidate, &centre, &shifts)
    };
    let function = if random.chance(30) { in_two(random, function) } else { function };
    let span = has_span.then_some(chosen);
    let mut proof = Proof { centre, shifts, span, free, function, scale: 1.0, excess: 0.0, measure, improvement: None };
    if !free {
        make_feasible(random, &rows, &claim, &mut proof, sign);
    }
    let is_damaged = random.chance(20);
    if is_damaged {
        damage(random, &mut proof, &claim);
        if random.chance(30) {
            damage(random, &mut proof, &claim);
        }
    }
    let best = network(&idea.M, &idea.candidate, &claim);
    let mut chosen = match (&best, random.below(10)) {
        (Some(best), 0..=7) => best.clone(),
        _ => random_network(random, &claim, &data),
    };
    let amount = random.pick(&[0.0, 0.0, 1e-12, 1e-6, 1e-3, 0.3]);
    chosen.v.iter_mut().for_each(|v| *v *= 1.0 + amount * random.unit());
    let better = match random.below(10) {
        0..=4 => best.map(|best| if random.chance(50) { best.with_sign(1.0 - 1e-13) } else { best }),
        5 => Some(random_network(random, &claim, &data)),
        _ => None,
    };
    proof.improvement = better.as_ref().filter(|network| network.check().is_ok()).map(StoredNetwork::new);
    let Idea { candidate, is_known, .. } = idea;
    let candidates = vec![candidate];
    let Data { X, y, w, .. } = data;
    Some((Instance { d, X, y, w, claim, network: chosen, proof, candidates, is_known }, is_damaged))
}

/// A point that the checker can prove to be feasible, or one at the very edge.
fn make_feasible(random: &mut Random, rows: &ProofRows<'_>, claim: &Claim, proof: &mut Proof, sign: f64) {
    let Some((mut level, mut margin)) = needed_level(rows, claim, proof, sign) else { return };
    let is_open = claim.decay == 0.0 && claim.class.nuclear.is_none();
    // x̂·x̂ more makes A larger, after the projection too.
    for amount in [1e-9, 1e-8, 1e-7, 1e-6, 1e-5] {
        if !(is_open && level + margin > 0.0) {
            break;
        }
        let size = rows.y.iter().map(|y| y.abs()).fold(0.0, f64::max);
        let mut more = proof.function.clone();
        for (j, x) in rows.largest().into_iter().enumerate().filter(|(_, x)| *x > 0.0) {
            more.M[j][j] += sign * amount * size / x / x;
        }
        let was = std::mem::replace(&mut proof.function, more);
        match needed_level(rows, claim, proof, sign) {
            Some((next, _)) if next <= level => (level, margin) = (next, if next == 0.0 { 0.0 } else { margin }),
            _ => {
                proof.function = was;
                break;
            }
        }
    }
    let at_edge = random.chance(12);
    if at_edge {
        margin *= random.pick(&[0.0, 0.01, 0.1, -0.01]);
    }
    let needed = level + margin;
    if claim.class.nuclear.is_some() {
        proof.excess = (needed - claim.decay).max(0.0);
    } else if claim.decay > 0.0 && needed > claim.decay {
        proof.scale = claim.decay / needed;
    }
    if at_edge {
        proof.scale *= 1.0 + random.between(-12, 12) as f64 * f64::EPSILON;
    }
    if !proof.scale.is_finite() || !proof.excess.is_finite() {
        (proof.scale, proof.excess) = (1.0, 0.0);
    }
}

//! Random instances of `wide-optimum`, judged by the checker and then against the optimum in 500 bits.

use std::collections::BTreeMap;
use std::fmt;

use shallows_verify::theorem::wide_optimum::{Claim, LayerLaw, Proof, RankCurve, WideLayer, WideNetwork, judge};
use shallows_verify::{Judgement, Rows, Verdict};

use crate::precise::Precise;
use crate::random::Random;

/// Rows and a claim about them.
#[derive(Clone, Debug)]
pub struct WideInstance {
    pub d: usize,
    pub X: Vec<f64>,
    pub y: Vec<f64>,
    pub weights: Option<Vec<f64>>,
    pub claim: Claim,
    /// How α came about.
    pub source: &'static str,
}

/// What is true of an instance; each number between two, since 500 bits may cancel as well.
pub struct WideTruth {
    pub objective: Between,
    /// P of the best network that was found.
    pub optimum: Between,
    pub measure: Between,
    /// ‖f − f*‖ is at least this.
    pub distance: Precise,
    /// The largest |f − f*| on the rows is at least this.
    pub prediction: Precise,
    /// ½Σω_ge_g² is at least this.
    pub gap: Precise,
    /// Whether the optimum was found to 100 bits.
    pub is_sharp: bool,
}

/// A number that is at least `low` and at most `high`.
pub struct Between {
    pub low: Precise,
    pub high: Precise,
}

/// Numbers by source and verdict, by law and by what could be judged, and what was wrong.
#[derive(Default)]
pub struct WideTally {
    counts: BTreeMap<(&'static str, String), u64>,
    kinds: BTreeMap<String, u64>,
    pub wrong: Vec<String>,
}

impl WideTally {
    pub fn add(&mut self, other: WideTally) {
        other.counts.into_iter().for_each(|(key, count)| *self.counts.entry(key).or_default() += count);
        other.kinds.into_iter().for_each(|(key, count)| *self.kinds.entry(key).or_default() += count);
        self.wrong.extend(other.wrong);
    }

    #[allow(dead_code, reason = "for the tests")]
    pub fn count(&self, source: &str, verdict: &str) -> u64 {
        self.counts.iter().filter(|((s, v), _)| *s == source && v == verdict).map(|(_, count)| *count).sum()
    }
}

impl fmt::Display for WideTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((source, verdict), count) in &self.counts {
            writeln!(f, "{count:9} wide-optimum, coefficients {source}: {verdict}")?;
        }
        self.kinds.iter().try_for_each(|(kind, count)| writeln!(f, "{count:9} {kind}"))?;
        self.wrong.iter().take(10).try_for_each(|wrong| writeln!(f, "WRONG {wrong}"))
    }
}

const LAWS: [LayerLaw; 8] = [
    LayerLaw::RoughByInput,
    LayerLaw::Rough,
    LayerLaw::T3,
    LayerLaw::T5,
    LayerLaw::Relu,
    LayerLaw::Erf,
    LayerLaw::Quadratic,
    LayerLaw::Affine,
];

/// Instance `index` of a campaign.
pub fn wide_one(seed: u64, index: u64) -> WideTally {
    let (instance, problem) = wide_instance(&mut Random::new(seed ^ 0x51de, index));
    let rows = Rows::new(&instance.X, instance.d, &instance.y, instance.weights.as_deref()).expect("rows");
    let mut tally = WideTally::default();
    let judgement = match judge(rows, &instance.claim, &Proof {}) {
        Ok(judgement) => judgement,
        Err(error) => {
            tally.counts.insert((instance.source, format!("refused ({error})")), 1);
            return tally;
        }
    };
    let Some(problem) = problem else {
        tally.wrong.push(format!("{index}: inputs that overflow were judged; {instance:?}"));
        return tally;
    };
    let truth = truth(&problem, &instance.claim.network.alpha);
    tally.counts.insert((instance.source, judgement.verdict().to_string()), 1);
    let fact = |name: &str| judgement.fact(name);
    let kinds = [
        (fact("objective").is_none(), "no objective is stated: nothing to judge"),
        (fact("objective").is_some() && truth.is_sharp, "an objective, and the optimum to 100 bits: judged"),
        (
            fact("objective").is_some() && !truth.is_sharp,
            "an objective, the optimum to fewer bits: judged against a competitor",
        ),
        (fact("lower_bound") > Some(0.0), "a positive lower bound"),
        (fact("relative_gap") < Some(1e-9), "a relative gap below 1e-9"),
    ];
    kinds.into_iter().filter(|(is, _)| *is).for_each(|(_, kind)| {
        tally.kinds.insert(kind.into(), 1);
    });
    if fact("objective").is_some() {
        let laws = instance.claim.network.layers.iter().map(|layer| layer.law);
        laws.for_each(|law| {
            tally.kinds.insert(format!("with a layer {law:?} and an objective"), 1);
        });
    }
    let wrong = mistakes(&judgement, &truth, instance.claim.tolerance);
    tally.wrong.extend(wrong.into_iter().map(|what| format!("{index}: {what}; {instance:?} {:?}", judgement.facts)));
    tally
}

/// What the checker says that is not so.
pub fn mistakes(judgement: &Judgement, truth: &WideTruth, tolerance: f64) -> Vec<&'static str> {
    let at_least = |name: &str, value: &Precise| judgement.fact(name).is_none_or(|fact| Precise::from(fact) >= *value);
    let at_most = |name: &str, value: &Precise| judgement.fact(name).is_none_or(|fact| Precise::from(fact) <= *value);
    let least_gap = not_negative(&truth.objective.low - &truth.optimum.high);
    let largest_gap = &truth.objective.high - &truth.optimum.low;
    let allowed = |measure: &Precise| &Precise::from(tolerance) * measure;
    let claims = [
        (at_least("objective", &truth.objective.low), "objective"),
        (at_most("lower_bound", &truth.optimum.high), "lower_bound"),
        (at_most("measure", &truth.measure.high), "measure"),
        (at_least("relative_gap", &(&least_gap / &truth.measure.high)), "relative_gap"),
        (at_least("norm_distance", &truth.distance), "norm_distance"),
        (at_least("prediction_distance", &truth.prediction), "prediction_distance"),
        (judgement.verdict() != Verdict::Holds || least_gap <= allowed(&truth.measure.high), "holds"),
        // The bound by which it is decided, which is larger than the gap.
        (at_least("relative_gap", &(&truth.gap / &truth.measure.high)), "relative_gap as computed"),
        (judgement.verdict() != Verdict::Holds || truth.gap <= allowed(&truth.measure.high), "holds as computed"),
        (
            judgement.verdict() != Verdict::Fails || !truth.is_sharp || largest_gap > allowed(&truth.measure.low),
            "fails",
        ),
    ];
    claims.into_iter().filter(|(is_true, _)| !is_true).map(|(_, what)| what).collect()
}

/// An instance, and its problem in 500 bits.
///
/// There is none where an input overflows.
fn wide_instance(r: &mut Random) -> (WideInstance, Option<Problem>) {
    if r.chance(1) {
        let instance = vanishing(r);
        let problem = Problem::new(&instance);
        return (instance, Some(problem));
    }
    // Packs of 8 rows and panels of 128 have ends.
    let n = match r.below(2000) {
        0 => 126 + r.below(6) as usize,
        1..100 => 7 + r.below(12) as usize,
        _ => 1 + r.below(6) as usize,
    };
    let d = r.below(4) as usize;
    let coarse = r.chance(50);
    let spread = match r.below(20) {
        0 | 1 => r.power(300),
        2 => r.power(900),
        3 => 2_f64.powi(-1060),
        _ => 1.0,
    };
    let apart = r.chance(8);
    let number = |r: &mut Random| {
        let size = if apart { r.power(700) } else { spread };
        if coarse { r.between(-2, 2) as f64 * 0.5 * size } else { r.unit() * size }
    };
    let mut X: Vec<f64> = (0..n * d).map(|_| number(r)).collect();
    if n > 1 && r.chance(30) {
        align(r, &mut X[..2 * d], d);
    }
    let size = match r.below(12) {
        0 => r.power(400),
        1 => 2_f64.powi(-1060),
        _ => 1.0,
    };
    let mut y: Vec<f64> = match r.below(6) {
        0 => vec![r.unit() * size; n],
        1 => (0..n).map(|_| 1e6 + r.unit()).collect(),
        2 => (0..n).map(|_| 1e15 + r.between(-8, 8) as f64 * 0.125).collect(),
        _ => (0..n).map(|_| r.unit() * size).collect(),
    };
    if r.chance(5) {
        y.iter_mut().for_each(|y| *y *= r.power(300));
    }
    let weights = r.chance(40).then(|| {
        let mut weights: Vec<f64> = (0..n).map(|_| if r.chance(20) { 0.0 } else { r.unit().abs() + 1e-3 }).collect();
        weights[0] = if r.chance(20) { r.power(700) } else { 1.0 };
        weights
    });
    let kept: Vec<usize> = (0..d).filter(|_| r.chance(80)).collect();
    let extreme = r.chance(25);
    let layers = (0..1 + r.below(3)).map(|_| layer(r, kept.len(), extreme)).collect();
    let ranks = r.chance(25).then(|| kept.iter().map(|_| curve(r)).collect());
    let network = WideNetwork {
        ranks,
        mean: kept.iter().map(|_| if r.chance(50) { 0.0 } else { r.unit() * spread }).collect(),
        deviation: kept.iter().map(|_| if r.chance(50) { 1.0 } else { (r.unit().abs() + 0.1) * spread }).collect(),
        kept,
        offset: if r.chance(30) { y[0] } else { y.iter().sum::<f64>() / n as f64 },
        layers,
        alpha: vec![],
    };
    let network = WideNetwork {
        deviation: network.deviation.iter().map(|deviation| deviation.max(f64::MIN_POSITIVE)).collect(),
        offset: if network.offset.is_finite() { network.offset } else { 0.0 },
        ..network
    };
    let decay = match r.below(7) {
        0 => r.power(100),
        1 => 10_f64.powi(r.between(-14, -6) as i32),
        2 => 10_f64.powi(r.between(-307, -100) as i32),
        3 if r.chance(30) => 10_f64.powi(r.between(2, 300) as i32),
        _ => 10_f64.powi(r.between(-5, 1) as i32),
    };
    let tolerance = 10_f64.powi(r.between(-12, -1) as i32);
    let claim = Claim { network, decay, tolerance };
    let mut instance = WideInstance { d, X, y, weights, claim, source: "" };
    let weight = |i: usize| instance.weights.as_ref().map_or(1.0, |weights| weights[i]);
    let rows = (0..n).filter(|i| weight(*i) > 0.0).map(|i| &instance.X[i * d..][..d]);
    if !rows.flat_map(|x| inputs(&instance.claim.network, x)).all(f64::is_finite) {
        return (WideInstance { source: "of inputs that overflow", ..instance }, None);
    }
    let problem = Problem::new(&instance);
    let (source, alpha) = coefficients(r, &problem, decay);
    let is_finite = alpha.iter().all(|alpha| alpha.is_finite());
    instance.claim.network.alpha = if is_finite { alpha } else { vec![0.0; alpha.len()] };
    instance.source = source;
    (instance, Some(problem))
}

/// Inputs that are no doubles once they are scaled, beside large ones, and coefficients that make them count.
fn vanishing(r: &mut Random) -> WideInstance {
    let (n, d) = (2 + r.below(2) as usize, 1 + r.below(2) as usize);
    let (scale, alpha, decay) =
        (1e100, 10_f64.powi(r.between(200, 250) as i32), 10_f64.powi(-r.between(140, 170) as i32));
    let small = r.pick(&[2e-224, 2e-224, 1e-200]);
    let X = (0..n * d).map(|at| if at < d { small * r.unit() } else { 1e202 * r.unit() }).collect();
    let mut y = vec![0.0; n];
    y[0] = decay * alpha * n as f64;
    let layer = WideLayer { law: r.pick(&LAWS[..7]), signal: scale, scales: vec![scale; d], bias: 0.0 };
    let network = WideNetwork {
        kept: (0..d).collect(),
        ranks: None,
        mean: vec![0.0; d],
        deviation: vec![1.0; d],
        offset: 0.0,
        layers: vec![layer],
        alpha: (0..n).map(|g| if g == 0 { alpha } else { 0.0 }).collect(),
    };
    let claim = Claim { network, decay, tolerance: 1e-9 };
    WideInstance { d, X, y, weights: None, claim, source: "of inputs that vanish" }
}

/// Two rows that are nearly parallel, nearly opposite, or nearly equal.
fn align(r: &mut Random, X: &mut [f64], d: usize) {
    let factor = r.pick(&[1.0, -1.0, 2.0, -0.5, 1e3, 1e-200]);
    let (first, second) = X.split_at_mut(d);
    for (to, from) in second.iter_mut().zip(first) {
        let off = r.between(-2, 2) as f64 * 10_f64.powi(-r.between(5, 17) as i32);
        *to = *from * factor * (1.0 + off);
    }
}

/// The best coefficients, rounded, and others.
fn coefficients(r: &mut Random, problem: &Problem, decay: f64) -> (&'static str, Vec<f64>) {
    let count = problem.means.len();
    // Elimination in 500 bits takes long.
    let best: Vec<f64> = match count {
        ..20 => problem.optimum().iter().map(Precise::to_f64).collect(),
        _ => vec![0.0; count],
    };
    let factor = 10_f64.powi(r.between(-18, 2) as i32);
    let largest = best.iter().fold(0.0_f64, |most, alpha| most.max(alpha.abs()));
    match r.below(12) {
        0 => ("zero", vec![0.0; count]),
        1 => ("random", best.iter().map(|_| r.unit()).collect()),
        2 => ("huge", best.iter().map(|_| r.unit() * r.power(900)).collect()),
        3 => ("near", best.iter().map(|alpha| alpha * (1.0 + factor * r.unit())).collect()),
        4 => ("moved", best.iter().map(|alpha| alpha + largest * factor * r.unit()).collect()),
        5 => {
            let by = largest.max(1e-3) * 10_f64.powi(r.between(0, 16) as i32);
            let sign = |g: usize| if g.is_multiple_of(2) { 1.0 } else { -1.0 };
            ("cancelling", best.iter().enumerate().map(|(g, alpha)| alpha + sign(g) * by).collect())
        }
        // e_g = 0 wherever the kernel counts as zero; some are left out.
        6 => {
            let alone = |g: usize| (problem.shares[g].to_f64() * problem.means[g].to_f64()) / decay;
            ("alone", (0..count).map(|g| if r.chance(50) { alone(g) } else { 0.0 }).collect())
        }
        _ => ("best", best),
    }
}

fn layer(r: &mut Random, inputs: usize, extreme: bool) -> WideLayer {
    let law = r.pick(&LAWS);
    let size = |r: &mut Random| match r.below(4) {
        0 if extreme => 10_f64.powi(r.between(-90, 90) as i32),
        1 if extreme => r.pick(&[1e-100, 1.0, 1e100]),
        _ => 10_f64.powf(r.unit()),
    };
    let count = if law == LayerLaw::Affine { 0 } else { inputs };
    let signal = match r.below(4) {
        0 | 1 if extreme => 10_f64.powi(r.between(-90, 90) as i32),
        2 if extreme => r.pick(&[1e-100, 1e100]),
        _ => 10_f64.powf(r.unit()),
    };
    let bias = match r.below(10) {
        0..4 => 0.0,
        4 if extreme => 5e-324,
        _ => size(r),
    };
    WideLayer { law, signal, scales: (0..count).map(|_| size(r)).collect(), bias }
}

fn curve(r: &mut Random) -> RankCurve {
    let mut values: Vec<f64> = (0..1 + r.below(4)).map(|_| r.between(-4, 4) as f64 * 0.25).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let mut ranks: Vec<f64> = values.iter().map(|_| r.unit().abs()).collect();
    ranks.sort_by(f64::total_cmp);
    RankCurve { values, ranks }
}

/// Groups, their shares and means, and the kernel matrix.
struct Problem {
    omega: Vec<Precise>,
    target: Vec<Precise>,
    group: Vec<usize>,
    K: Vec<Vec<Precise>>,
    shares: Vec<Precise>,
    means: Vec<Precise>,
    rho: Precise,
}

fn sum(terms: impl Iterator<Item = Precise>) -> Precise {
    terms.fold(Precise::zero(), |sum, term| &sum + &term)
}

fn dot(a: &[Precise], b: &[Precise]) -> Precise {
    sum(a.iter().zip(b).map(|(a, b)| a * b))
}

/// z(x), by searching the curve from its beginning.
fn inputs(network: &WideNetwork, x: &[f64]) -> Vec<f64> {
    let place = |at: usize, j: usize| {
        let Some(curves) = &network.ranks else { return x[j] };
        let (values, ranks, x) = (&curves[at].values, &curves[at].ranks, x[j]);
        if x <= values[0] {
            return ranks[0];
        }
        for k in 1..values.len() {
            if x == values[k] {
                return ranks[k];
            }
            if x < values[k] {
                return ranks[k - 1] + (x - values[k - 1]) / (values[k] - values[k - 1]) * (ranks[k] - ranks[k - 1]);
            }
        }
        ranks[values.len() - 1]
    };
    let kept = network.kept.iter().enumerate();
    kept.map(|(at, &j)| (place(at, j) - network.mean[at]) / network.deviation[at]).collect()
}

impl Problem {
    fn new(instance: &WideInstance) -> Problem {
        let (network, n) = (&instance.claim.network, instance.y.len());
        let weight = |i: usize| instance.weights.as_ref().map_or(1.0, |weights| weights[i]);
        let counted: Vec<usize> = (0..n).filter(|&i| weight(i) > 0.0).collect();
        let total = sum(counted.iter().map(|&i| Precise::from(weight(i))));
        let omega: Vec<Precise> = counted.iter().map(|&i| &Precise::from(weight(i)) / &total).collect();
        let offset = Precise::from(network.offset);
        let target: Vec<Precise> = counted.iter().map(|&i| &Precise::from(instance.y[i]) - &offset).collect();
        let (mut z, mut group): (Vec<Vec<f64>>, Vec<usize>) = (vec![], vec![]);
        for &i in &counted {
            let inputs = inputs(network, &instance.X[i * instance.d..][..instance.d]);
            let found = z.iter().position(|other| *other == inputs);
            group.push(found.unwrap_or(z.len()));
            if found.is_none() {
                z.push(inputs);
            }
        }
        let of_group = |g: usize| (0..group.len()).filter(|i| group[*i] == g).collect::<Vec<usize>>();
        let groups: Vec<Vec<usize>> = (0..z.len()).map(of_group).collect();
        let shares: Vec<Precise> = groups.iter().map(|rows| sum(rows.iter().map(|&i| omega[i].clone()))).collect();
        let mean = |(rows, share): (&Vec<usize>, &Precise)| &sum(rows.iter().map(|&i| &omega[i] * &target[i])) / share;
        let means = groups.iter().zip(&shares).map(mean).collect();
        let entry = |a: &Vec<f64>, b: &Vec<f64>| sum(network.layers.iter().map(|layer| kernel(layer, a, b)));
        let mut K = vec![vec![Precise::zero(); z.len()]; z.len()];
        for g in 0..z.len() {
            for h in 0..=g {
                K[g][h] = entry(&z[g], &z[h]);
                K[h][g] = K[g][h].clone();
            }
        }
        Problem { omega, target, group, K, shares, means, rho: Precise::from(instance.claim.decay) }
    }

    /// Σ_h α_hκ_gh
    fn values(&self, alpha: &[Precise]) -> Vec<Precise> {
        self.K.iter().map(|row| dot(row, alpha)).collect()
    }

    /// P, known up to 2⁻⁴⁸⁰ of what it would be if nothing cancelled.
    fn objective(&self, alpha: &[Precise]) -> Between {
        let value = |f: Vec<Precise>, alpha: &[Precise], target: &[Precise]| {
            let square = |(i, omega): (usize, &Precise)| {
                let r = &f[self.group[i]] - &target[i];
                omega * &(&r * &r)
            };
            let loss = sum(self.omega.iter().enumerate().map(square));
            (&loss + &(&self.rho * &dot(alpha, &f))).times_power(-1)
        };
        let opposite: Vec<Precise> = self.target.iter().map(|target| -target.abs()).collect();
        let sizes: Vec<Precise> = alpha.iter().map(Precise::abs).collect();
        let slack = value(self.sizes(alpha), &sizes, &opposite).times_power(-480);
        let value = value(self.values(alpha), alpha, &self.target);
        Between { low: not_negative(&value - &slack), high: &value + &slack }
    }

    /// Σ_h |α_h|(κ_gg κ_hh)^½, what Σ_h α_hκ_gh is off by relative to.
    fn sizes(&self, alpha: &[Precise]) -> Vec<Precise> {
        let roots: Vec<Precise> = (0..alpha.len()).map(|g| self.K[g][g].sqrt()).collect();
        let total = sum(roots.iter().zip(alpha).map(|(root, alpha)| (root * alpha).abs()));
        roots.iter().map(|root| root * &total).collect()
    }

    /// P of the best constant.
    fn of_best_constant(&self) -> Between {
        let mean = sum(self.omega.iter().zip(&self.target).map(|(omega, target)| omega * target));
        let half = |of: &dyn Fn(&Precise) -> Precise| {
            let square = |(omega, target): (&Precise, &Precise)| omega * &(&of(target) * &of(target));
            sum(self.omega.iter().zip(&self.target).map(square)).times_power(-1)
        };
        let value = half(&|target| target - &mean);
        let slack = half(&|target| &target.abs() + &mean.abs()).times_power(-480);
        Between { low: not_negative(&value - &slack), high: &value + &slack }
    }

    /// α with (K + ρΩ⁻¹)α = d, by elimination.
    fn optimum(&self) -> Vec<Precise> {
        let n = self.means.len();
        let mut A = self.K.clone();
        let mut b = self.means.clone();
        (0..n).for_each(|g| A[g][g] = &A[g][g] + &(&self.rho / &self.shares[g]));
        for k in 0..n {
            // Beyond the digits: some competitor will do.
            if A[k][k].is_zero() {
                return vec![Precise::zero(); n];
            }
            for i in k + 1..n {
                let factor = &A[i][k] / &A[k][k];
                let pivot = A[k].clone();
                (k..n).for_each(|j| A[i][j] = &A[i][j] - &(&factor * &pivot[j]));
                b[i] = &b[i] - &(&factor * &b[k]);
            }
        }
        for k in (0..n).rev() {
            let rest = sum((k + 1..n).map(|j| &A[k][j] * &b[j]));
            b[k] = &(&b[k] - &rest) / &A[k][k];
        }
        b
    }

    /// ½Σω_ge_g² from below.
    fn gap(&self, alpha: &[Precise]) -> Precise {
        let (f, sizes) = (self.values(alpha), self.sizes(alpha));
        let term = |g: usize| {
            let pull = &(&self.rho * &alpha[g]) / &self.shares[g];
            let e = &(&f[g] - &self.means[g]) + &pull;
            let slack = (&(&sizes[g] + &self.means[g].abs()) + &pull.abs()).times_power(-480);
            let e = not_negative(&e.abs() - &slack);
            &self.shares[g] * &(&e * &e)
        };
        sum((0..f.len()).map(term)).times_power(-1)
    }
}

/// What is below 0 is rounding.
fn not_negative(x: Precise) -> Precise {
    if x.is_negative() { Precise::zero() } else { x }
}

/// What is true of an instance, up to 2⁻⁴⁰⁰ or so.
#[allow(dead_code, reason = "for the tests")]
pub fn wide_truth(instance: &WideInstance) -> WideTruth {
    truth(&Problem::new(instance), &instance.claim.network.alpha)
}

fn truth(problem: &Problem, alpha: &[f64]) -> WideTruth {
    let alpha: Vec<Precise> = alpha.iter().map(|alpha| Precise::from(*alpha)).collect();
    // Of many rows the gap as it is computed is judged alone.
    let best = if alpha.len() < 20 { problem.optimum() } else { alpha.clone() };
    let (objective, optimum) = (problem.objective(&alpha), problem.objective(&best));
    let constant = problem.of_best_constant();
    let larger = |a: Precise, b: &Precise| if a >= *b { a } else { b.clone() };
    let measure = |objective: &Precise, constant: &Precise| {
        let floors = [&Precise::from(1e-22) * constant, Precise::from(1e-290)];
        floors.iter().fold(objective.clone(), larger)
    };
    let difference: Vec<Precise> = alpha.iter().zip(&best).map(|(a, b)| a - b).collect();
    let (values, sizes) = (problem.values(&difference), problem.sizes(&difference));
    let slack = |size: &Precise| size.times_power(-480);
    let absolute: Vec<Precise> = difference.iter().map(Precise::abs).collect();
    let square = &dot(&difference, &values) - &slack(&dot(&absolute, &sizes));
    // The best network that was found is this far from the best one, at most.
    let known = &problem.gap(&best) + &slack(&optimum.high);
    let off = (&known / &problem.rho).sqrt();
    let most = (0..alpha.len()).map(|g| problem.K[g][g].sqrt()).fold(Precise::zero(), |most, next| larger(most, &next));
    let moved = values.iter().zip(&sizes).map(|(value, size)| &value.abs() - &slack(size));
    let prediction = moved.fold(Precise::zero(), |most, next| larger(most, &next));
    WideTruth {
        measure: Between {
            low: measure(&objective.low, &constant.low),
            high: measure(&objective.high, &constant.high),
        },
        distance: not_negative(&not_negative(square).sqrt() - &off),
        prediction: not_negative(&prediction - &(&off * &most)),
        gap: problem.gap(&alpha),
        is_sharp: known.exponent() < optimum.low.exponent() - 100,
        objective,
        optimum,
    }
}

/// s·κ
fn kernel(layer: &WideLayer, z: &[f64], other: &[f64]) -> Precise {
    let quotient = |z: &[f64]| -> Vec<Precise> {
        let scaled = z.iter().zip(&layer.scales).map(|(z, scale)| &Precise::from(*z) / &Precise::from(*scale));
        let bias = matches!(layer.law, LayerLaw::Relu | LayerLaw::Erf).then(|| Precise::from(layer.bias));
        scaled.chain(bias).collect()
    };
    let one = Precise::whole(1);
    let (a, b) = (quotient(z), quotient(other));
    let root = |p: i64| {
        let square = sum(a.iter().zip(&b).map(|(a, b)| &(a - b) * &(a - b)));
        (&Precise::whole(p) * &square).sqrt()
    };
    let products = || (dot(&a, &a), dot(&b, &b), dot(&a, &b));
    let value = match layer.law {
        LayerLaw::RoughByInput => Precise::exp_of_minus(&sum(a.iter().zip(&b).map(|(a, b)| (a - b).abs()))),
        LayerLaw::Rough => Precise::exp_of_minus(&root(1)),
        LayerLaw::T3 => &(&one + &root(3)) * &Precise::exp_of_minus(&root(3)),
        LayerLaw::T5 => {
            let t = root(5);
            let polynomial = &(&one + &t) + &(&(&t * &t) / &Precise::whole(3));
            &polynomial * &Precise::exp_of_minus(&t)
        }
        LayerLaw::Relu => {
            // ‖ã‖‖ã'‖ sin, cos and the angle between: (sin + (π − angle) cos)/π.
            let (aa, bb, ab) = products();
            let length = (&aa * &bb).sqrt();
            if length.is_zero() {
                return Precise::zero();
            }
            let sine = (&(&aa * &bb) - &(&ab * &ab)).sqrt();
            let pi = Precise::pi();
            let angle = Precise::angle(&ab, &sine, &length);
            &(&sine + &(&(&pi - &angle) * &ab)) / &pi
        }
        LayerLaw::Erf => {
            // arcsin(p/r) is the angle whose sine is p/r.
            let (aa, bb, ab) = products();
            let wide = |square: &Precise| &one + &square.times_power(1);
            let product = &wide(&aa) * &wide(&bb);
            let p = ab.times_power(1);
            let cosine = (&product - &(&p * &p)).sqrt();
            &Precise::angle(&cosine, &p, &product.sqrt()).times_power(1) / &Precise::pi()
        }
        LayerLaw::Quadratic => {
            let (aa, bb, ab) = products();
            &(&aa * &bb) + &(&ab * &ab).times_power(1)
        }
        LayerLaw::Affine => {
            &one + &sum(z.iter().zip(other).map(|(z, other)| &Precise::from(*z) * &Precise::from(*other)))
        }
    };
    &Precise::from(layer.signal) * &value
}

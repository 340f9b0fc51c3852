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

/// What is true of an instance.
pub struct WideTruth {
    pub objective: Precise,
    pub optimum: Precise,
    pub measure: Precise,
    /// ‖f − f*‖²
    pub distance: Precise,
    /// The largest |f − f*| on the rows.
    pub prediction: Precise,
    /// Whether the optimum was found to 100 bits.
    pub is_sharp: bool,
}

/// Numbers by verdict and source, and what was wrong.
#[derive(Default)]
pub struct WideTally {
    counts: BTreeMap<(&'static str, String), u64>,
    pub wrong: Vec<String>,
}

impl WideTally {
    pub fn add(&mut self, other: WideTally) {
        other.counts.into_iter().for_each(|(key, count)| *self.counts.entry(key).or_default() += count);
        self.wrong.extend(other.wrong);
    }

    pub fn count(&self, source: &str, verdict: &str) -> u64 {
        self.counts.iter().filter(|((s, v), _)| *s == source && v == verdict).map(|(_, count)| *count).sum()
    }
}

impl fmt::Display for WideTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((source, verdict), count) in &self.counts {
            writeln!(f, "{count:9} wide-optimum, coefficients {source}: {verdict}")?;
        }
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
    let instance = wide_instance(&mut Random::new(seed ^ 0x51de, index));
    let rows = Rows::new(&instance.X, instance.d, &instance.y, instance.weights.as_deref()).expect("rows");
    let mut tally = WideTally::default();
    let judgement = match judge(rows, &instance.claim, &Proof {}) {
        Ok(judgement) => judgement,
        Err(error) => {
            tally.counts.insert((instance.source, format!("refused ({error})")), 1);
            return tally;
        }
    };
    let truth = wide_truth(&instance);
    tally.counts.insert((instance.source, judgement.verdict().to_string()), 1);
    let wrong = mistakes(&judgement, &truth, instance.claim.tolerance);
    tally.wrong.extend(wrong.into_iter().map(|what| format!("{index}: {what}; {instance:?} {:?}", judgement.facts)));
    tally
}

/// What the checker says that is not so.
pub fn mistakes(judgement: &Judgement, truth: &WideTruth, tolerance: f64) -> Vec<&'static str> {
    let at_least = |name: &str, value: &Precise| judgement.fact(name).is_none_or(|fact| Precise::from(fact) >= *value);
    let at_most = |name: &str, value: &Precise| judgement.fact(name).is_none_or(|fact| Precise::from(fact) <= *value);
    let gap = &truth.objective - &truth.optimum;
    let allowed = &Precise::from(tolerance) * &truth.measure;
    let claims = [
        (at_least("objective", &truth.objective), "objective"),
        (at_most("lower_bound", &truth.optimum), "lower_bound"),
        (at_most("measure", &truth.measure), "measure"),
        (at_least("relative_gap", &(&gap / &truth.measure)), "relative_gap"),
        (at_least("norm_distance", &truth.distance.sqrt()), "norm_distance"),
        (at_least("prediction_distance", &truth.prediction), "prediction_distance"),
        (judgement.verdict() != Verdict::Holds || gap <= allowed, "holds"),
        (judgement.verdict() != Verdict::Fails || !truth.is_sharp || gap > allowed, "fails"),
    ];
    claims.into_iter().filter(|(is_true, _)| !is_true).map(|(_, what)| what).collect()
}

fn wide_instance(r: &mut Random) -> WideInstance {
    let (n, d) = (1 + r.below(6) as usize, r.below(4) as usize);
    let coarse = r.chance(50);
    let spread = if r.chance(15) { r.power(300) } else { 1.0 };
    let number = |r: &mut Random| if coarse { r.between(-2, 2) as f64 * 0.5 * spread } else { r.unit() * spread };
    let X = (0..n * d).map(|_| number(r)).collect();
    let y: Vec<f64> = match r.below(4) {
        0 => vec![r.unit(); n],
        1 => (0..n).map(|_| 1e6 + r.unit()).collect(),
        _ => (0..n).map(|_| r.unit()).collect(),
    };
    let weights = r.chance(40).then(|| {
        let mut weights: Vec<f64> = (0..n).map(|_| if r.chance(20) { 0.0 } else { r.unit().abs() + 1e-3 }).collect();
        weights[0] = if r.chance(20) { r.power(200) } else { 1.0 };
        weights
    });
    let kept: Vec<usize> = (0..d).filter(|_| r.chance(80)).collect();
    let extreme = r.chance(20);
    let layers = (0..1 + r.below(3)).map(|_| layer(r, kept.len(), extreme)).collect();
    let ranks = r.chance(25).then(|| kept.iter().map(|_| curve(r)).collect());
    let mut network = WideNetwork {
        ranks,
        mean: kept.iter().map(|_| if r.chance(50) { 0.0 } else { r.unit() * spread }).collect(),
        deviation: kept.iter().map(|_| if r.chance(50) { 1.0 } else { (r.unit().abs() + 0.1) * spread }).collect(),
        kept,
        offset: if r.chance(30) { y[0] } else { y.iter().sum::<f64>() / n as f64 },
        layers,
        alpha: vec![],
    };
    let decay = match r.below(5) {
        0 => r.power(100),
        1 => 10_f64.powi(r.between(-14, -6) as i32),
        _ => 10_f64.powi(r.between(-5, 1) as i32),
    };
    let tolerance = 10_f64.powi(r.between(-12, -1) as i32);
    let claim = Claim { network: network.clone(), decay, tolerance };
    let mut instance = WideInstance { d, X, y, weights, claim, source: "" };
    let best: Vec<f64> = Problem::new(&instance).optimum().iter().map(Precise::to_f64).collect();
    let factor = 10_f64.powi(r.between(-14, -1) as i32);
    let (source, alpha): (_, Vec<f64>) = match r.below(8) {
        0 => ("zero", vec![0.0; best.len()]),
        1 => ("random", best.iter().map(|_| r.unit()).collect()),
        2 => ("huge", best.iter().map(|_| r.unit() * r.power(300)).collect()),
        3 | 4 => ("near", best.iter().map(|alpha| alpha * (1.0 + factor * r.unit())).collect()),
        _ => ("best", best),
    };
    network.alpha = if alpha.iter().all(|alpha| alpha.is_finite()) { alpha } else { vec![0.0; alpha.len()] };
    instance.claim.network = network;
    instance.source = source;
    instance
}

fn layer(r: &mut Random, inputs: usize, extreme: bool) -> WideLayer {
    let law = r.pick(&LAWS);
    let size = |r: &mut Random| match r.below(4) {
        0 if extreme => 10_f64.powi(r.between(-90, 90) as i32),
        1 if extreme => 10_f64.powi(90 * r.between(-1, 1) as i32),
        _ => 10_f64.powf(r.unit()),
    };
    let count = if law == LayerLaw::Affine { 0 } else { inputs };
    let signal = if extreme && r.chance(50) { 10_f64.powi(r.between(-90, 90) as i32) } else { 10_f64.powf(r.unit()) };
    let bias = if r.chance(40) { 0.0 } else { size(r) };
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
        let K = z.iter().map(|a| z.iter().map(|b| entry(a, b)).collect()).collect();
        Problem { omega, target, group, K, shares, means, rho: Precise::from(instance.claim.decay) }
    }

    /// Σ_h α_hκ_gh
    fn values(&self, alpha: &[Precise]) -> Vec<Precise> {
        self.K.iter().map(|row| dot(row, alpha)).collect()
    }

    fn objective(&self, alpha: &[Precise]) -> Precise {
        let f = self.values(alpha);
        let square = |(i, omega): (usize, &Precise)| {
            let r = &f[self.group[i]] - &self.target[i];
            omega * &(&r * &r)
        };
        let loss = sum(self.omega.iter().enumerate().map(square));
        (&loss + &(&self.rho * &dot(alpha, &f))).times_power(-1)
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

    /// ½Σω_ge_g²
    fn gap(&self, alpha: &[Precise]) -> Precise {
        let f = self.values(alpha);
        let term = |g: usize| {
            let e = &(&f[g] - &self.means[g]) + &(&(&self.rho * &alpha[g]) / &self.shares[g]);
            &self.shares[g] * &(&e * &e)
        };
        sum((0..f.len()).map(term)).times_power(-1)
    }
}

/// What is true of an instance, up to 2⁻⁴⁰⁰ or so.
pub fn wide_truth(instance: &WideInstance) -> WideTruth {
    let problem = Problem::new(instance);
    let alpha: Vec<Precise> = instance.claim.network.alpha.iter().map(|alpha| Precise::from(*alpha)).collect();
    let best = problem.optimum();
    let (objective, optimum) = (problem.objective(&alpha), problem.objective(&best));
    let constant = problem.objective(&vec![Precise::zero(); alpha.len()]);
    let floors = [&Precise::from(1e-22) * &constant, Precise::from(1e-290)];
    let larger = |a: Precise, b: &Precise| if a >= *b { a } else { b.clone() };
    let difference: Vec<Precise> = alpha.iter().zip(&best).map(|(a, b)| a - b).collect();
    let values = problem.values(&difference);
    let known = problem.gap(&best);
    WideTruth {
        measure: floors.iter().fold(objective.clone(), larger),
        distance: dot(&difference, &values),
        prediction: values.iter().map(Precise::abs).fold(Precise::zero(), |most, next| larger(most, &next)),
        is_sharp: known.is_zero() || known.exponent() < optimum.exponent() - 100,
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
            // arcsin(p/r) = π/2 − the angle whose cosine is p/r.
            let (aa, bb, ab) = products();
            let wide = |square: &Precise| &one + &square.times_power(1);
            let product = &wide(&aa) * &wide(&bb);
            let p = ab.times_power(1);
            let sine = (&product - &(&p * &p)).sqrt();
            let pi = Precise::pi();
            let angle = Precise::angle(&p, &sine, &product.sqrt());
            &(&pi.times_power(-1) - &angle).times_power(1) / &pi
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

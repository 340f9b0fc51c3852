//! Small instances, competitors found without the library, and objectives in twice the working precision.

use shallows::activation::Activation;
use shallows::certificate::{Certificate, Claim, Judgement, ProvedOptimum, Signs, Witness, prove_optimum};
use shallows::data::Data;
use shallows::linalg::{Matrix, symmetric_eigen};
use shallows::network::Network;
use shallows::random::{Purpose, Stream};
use shallows_verify::theorem::global_optimum::{Class, MeasureProof};

/// high + low with about 106 bits.
#[derive(Clone, Copy, Default)]
pub struct Double(pub f64, pub f64);

impl Double {
    pub fn plus(self, other: Double) -> Double {
        let s = self.0 + other.0;
        let z = s - self.0;
        let e = (self.0 - (s - z)) + (other.0 - z) + self.1 + other.1;
        Double(s + e, e - ((s + e) - s))
    }

    pub fn times(self, other: Double) -> Double {
        let p = self.0 * other.0;
        let e = self.0.mul_add(other.0, -p) + (self.0 * other.1 + self.1 * other.0);
        Double(p + e, e - ((p + e) - p))
    }

    pub fn over(self, by: Double) -> Double {
        let q = self.0 / by.0;
        let rest = self.plus(Double(q, 0.0).times(Double(-by.0, -by.1)));
        Double(q, 0.0).plus(Double((rest.0 + rest.1) / by.0, 0.0))
    }
}

/// P of a network in twice the working precision, from below and from above: a sum of terms of total size A is
/// off by far less than 1e-28·A.
pub fn exact_objective(network: &Network, data: &Data, claim: &Claim) -> (f64, f64) {
    let [low, high] = [-1e-28, 1e-28].map(|error| objective_with(network, data, claim, error));
    (low.next_down(), high.next_up())
}

fn objective_with(network: &Network, data: &Data, claim: &Claim, error: f64) -> f64 {
    let one = |x: f64| Double(x, 0.0);
    let weight = |i: usize| one(data.weights.as_ref().map_or(1.0, |weights| weights[i]));
    let total = (0..data.n()).fold(Double::default(), |total, i| total.plus(weight(i)));
    let mut sum = Double::default();
    for i in 0..data.n() {
        let x = data.X.row(i);
        let mut size = data.y[i].abs() + network.intercept.unwrap_or(0.0).abs();
        let mut r = one(-data.y[i]).plus(one(network.intercept.unwrap_or(0.0)));
        for (b, x) in network.linear.iter().flatten().zip(x) {
            r = r.plus(one(*b).times(one(*x)));
            size += (b * x).abs();
        }
        for (l, v) in network.v.iter().enumerate() {
            let z = network.W.row(l).iter().zip(x).fold(one(0.0), |z, (w, x)| z.plus(one(*w).times(one(*x))));
            r = r.plus(one(*v).times(z.times(z)));
            size += v.abs() * network.W.row(l).iter().zip(x).map(|(w, x)| (w * x).abs()).sum::<f64>().powi(2);
        }
        let r = if r.0 < 0.0 { one(0.0).plus(Double(-r.0, -r.1)) } else { r }.plus(one(error * size));
        let r = if r.0 > 0.0 { r } else { one(0.0) };
        sum = sum.plus(r.times(r).times(weight(i)));
    }
    let sum = sum.over(total);
    let mut penalty = Double::default();
    for (l, v) in network.v.iter().enumerate() {
        for (w, e) in network.W.row(l).iter().zip(&claim.exponents) {
            let w = one(w * 2.0_f64.powi(*e));
            penalty = penalty.plus(w.times(w).times(one(v.abs())));
        }
    }
    let total = sum.times(one(0.5)).plus(penalty.times(one(claim.decay)));
    total.0 + total.1
}

/// The network of S M̃ S-coordinates: units from the eigenvectors of M̃, w = S⁻¹w̃.
pub fn network_of(M: &Matrix, b: &[f64], c: f64, claim: &Claim) -> Network {
    let d = M.rows();
    let (values, Q) = symmetric_eigen(M).unwrap_or_else(|| (vec![0.0; d], Matrix::identity(d)));
    let allowed = |value: f64| match claim.signs {
        Signs::Any => value != 0.0,
        Signs::Positive => value > 0.0,
        Signs::Negative => value < 0.0,
    };
    let kept: Vec<usize> = (0..d).filter(|&l| allowed(values[l])).collect();
    let W = Matrix::from_fn(kept.len(), d, |l, j| Q[(j, kept[l])] * 2.0_f64.powi(-claim.exponents[j]));
    Network {
        activation: Activation::SQUARE,
        W,
        v: kept.iter().map(|&l| values[l]).collect(),
        bias: None,
        intercept: claim.intercept.then_some(c),
        linear: claim.linear.then(|| b.iter().zip(&claim.exponents).map(|(b, e)| b * 2.0_f64.powi(-e)).collect()),
    }
}

/// Degenerate and harmless data by turns.
pub fn random_data(stream: &mut Stream) -> Data {
    let (n, d) = (1 + stream.below(12), 1 + stream.below(4));
    let kinds: Vec<usize> = (0..d).map(|_| stream.below(9)).collect();
    let mut X = Matrix::from_fn(n, d, |_, j| match kinds[j] {
        0 => f64::from(stream.uniform() < 0.5),
        1 => stream.below(4) as f64 - 1.0,
        2 => 1e8 * stream.normal(),
        3 => 1e-8 * stream.normal(),
        4 => 100.0 + stream.normal(),
        5 => 1e60 * stream.normal(),
        6 => 1e-60 * stream.normal(),
        7 => 1e5 + stream.normal(),
        _ => stream.normal(),
    });
    match stream.below(6) {
        0 if d > 1 => (0..n).for_each(|i| X[(i, d - 1)] = 3.0 * X[(i, 0)]),
        1 => (n / 2..n).for_each(|i| {
            let copy = X.row(i - n / 2).to_vec();
            X.row_mut(i).copy_from_slice(&copy);
        }),
        2 => (n / 2..n).for_each(|i| {
            let near: Vec<f64> = X.row(i - n / 2).iter().map(|x| x * (1.0 + 2.0_f64.powi(-30))).collect();
            X.row_mut(i).copy_from_slice(&near);
        }),
        3 => (0..n).for_each(|i| X[(i, d - 1)] = 5.0),
        _ => {}
    }
    let scale = [1.0, 1.0, 1e-6, 1e6, 0.0, 1e-120, 1e120][stream.below(7)];
    let planted: Vec<f64> =
        (0..d).map(|j| stream.normal() / (1e-300 + X.column(j).iter().fold(0.0, |m: f64, x| m.max(x.abs())))).collect();
    let y = (0..n).map(|i| {
        let z: f64 = X.row(i).iter().zip(&planted).map(|(x, w)| x * w).sum();
        scale * (z * z + 0.5 * z + 0.3 * stream.normal())
    });
    let y: Vec<f64> = y.collect();
    let weights = (stream.below(3) == 0).then(|| {
        let mut weights: Vec<f64> = (0..n).map(|_| if stream.below(4) == 0 { 0.0 } else { stream.uniform() }).collect();
        weights[0] += 0.5;
        weights
    });
    let names = (1..=d).map(|j| format!("x{j}")).collect();
    Data::builder(X, y).names(names).weights(weights).build().unwrap()
}

pub fn random_claim(stream: &mut Stream, data: &Data) -> Claim {
    let size: f64 = data.y.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
    let decay = [0.0, 0.0, 1e-6, 1e-2, 1.0][stream.below(5)] * size;
    let balanced = stream.below(2) == 0;
    let exponent = |j: usize| {
        let most = data.X.column(j).iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if balanced && most > 0.0 { most.log2().round() as i32 } else { 0 }
    };
    Claim {
        signs: [Signs::Any, Signs::Positive, Signs::Negative][stream.below(3)],
        decay,
        linear: stream.below(2) == 0,
        intercept: stream.below(2) == 0,
        exponents: (0..data.d()).map(exponent).collect(),
    }
}

/// Accelerated proximal gradient in (M̃, b̃, c), restarted; `steps` of them.
pub fn descent(data: &Data, claim: &Claim, steps: usize) -> Network {
    let (n, d) = (data.n(), data.d());
    let omega = data.omega();
    let X = Matrix::from_fn(n, d, |i, j| data.X[(i, j)] * 2.0_f64.powi(-claim.exponents[j]));
    let sizes: Vec<f64> = (0..n).map(|i| X.row(i).iter().map(|x| x * x).sum()).collect();
    let lipschitz: f64 = (0..n).map(|i| omega[i] * (sizes[i] * sizes[i] + sizes[i] + 1.0)).sum();
    let D = d * d + d + 1;
    let (mut p, mut z, mut momentum) = (vec![0.0; D], vec![0.0; D], 1.0_f64);
    for _ in 0..steps {
        let mut g = vec![0.0; D];
        for i in 0..n {
            let x = X.row(i);
            let quadratic: f64 = (0..d).map(|a| x[a] * (0..d).map(|b| z[a * d + b] * x[b]).sum::<f64>()).sum();
            let linear: f64 = (0..d).map(|a| z[d * d + a] * x[a]).sum();
            let r = omega[i] * (quadratic + linear + z[D - 1] - data.y[i]);
            for a in 0..d {
                (0..d).for_each(|b| g[a * d + b] += r * x[a] * x[b]);
                g[d * d + a] += r * x[a] * f64::from(claim.linear);
            }
            g[D - 1] += r * f64::from(claim.intercept);
        }
        let mut next: Vec<f64> = z.iter().zip(&g).map(|(z, g)| z - g / lipschitz).collect();
        shrink(&mut next[..d * d], d, claim, claim.decay / lipschitz);
        let uphill: f64 = (0..D).map(|a| (z[a] - next[a]) * (next[a] - p[a])).sum();
        let t = if uphill > 0.0 { 1.0 } else { (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) / 2.0 };
        let factor = if uphill > 0.0 { 0.0 } else { (momentum - 1.0) / t };
        z = next.iter().zip(&p).map(|(next, p)| next + factor * (next - p)).collect();
        (p, momentum) = (next, t);
    }
    network_of(&Matrix::from_vec(d, d, p[..d * d].to_vec()), &p[d * d..D - 1], p[D - 1], claim)
}

fn shrink(M: &mut [f64], d: usize, claim: &Claim, by: f64) {
    let A = Matrix::from_fn(d, d, |i, j| 0.5 * (M[i * d + j] + M[j * d + i]));
    let Some((values, Q)) = symmetric_eigen(&A) else { return };
    let shrunk = |value: f64| match claim.signs {
        Signs::Any => value.signum() * (value.abs() - by).max(0.0),
        Signs::Positive => (value - by).max(0.0),
        Signs::Negative => (value + by).min(0.0),
    };
    for i in 0..d {
        for j in 0..d {
            M[i * d + j] = (0..d).map(|l| shrunk(values[l]) * Q[(i, l)] * Q[(j, l)]).sum();
        }
    }
}

/// Least squares in all columns, by a pseudo-inverse that ignores eigenvalues below a share of the largest.
pub fn least_squares(data: &Data, claim: &Claim, share: f64) -> Network {
    let (n, d) = (data.n(), data.d());
    let omega = data.omega();
    let x = |i: usize, j: usize| data.X[(i, j)] * 2.0_f64.powi(-claim.exponents[j]);
    let pairs: Vec<(usize, usize)> = (0..d).flat_map(|a| (a..d).map(move |b| (a, b))).collect();
    let D = pairs.len() + d + 1;
    let column = |i: usize, j: usize| match j {
        _ if j < pairs.len() => x(i, pairs[j].0) * x(i, pairs[j].1),
        _ if j < D - 1 => x(i, j - pairs.len()) * f64::from(claim.linear),
        _ => f64::from(claim.intercept),
    };
    let Z = Matrix::from_fn(n, D, |i, j| omega[i].sqrt() * column(i, j));
    let norms: Vec<f64> = (0..D).map(|j| Z.column(j).iter().map(|z| z * z).sum::<f64>().sqrt().max(1e-300)).collect();
    let Z = Matrix::from_fn(n, D, |i, j| Z[(i, j)] / norms[j]);
    let Some((values, Q)) = symmetric_eigen(&Z.transposed().times(&Z)) else {
        return network_of(&Matrix::zeros(d, d), &vec![0.0; d], 0.0, claim);
    };
    let mut beta = vec![0.0; D];
    for _ in 0..4 {
        let r: Vec<f64> =
            (0..n).map(|i| omega[i].sqrt() * data.y[i] - (0..D).map(|j| Z[(i, j)] * beta[j]).sum::<f64>()).collect();
        let g: Vec<f64> = (0..D).map(|j| (0..n).map(|i| Z[(i, j)] * r[i]).sum()).collect();
        for l in (0..D).filter(|&l| values[l] > share * values[D - 1]) {
            let along: f64 = (0..D).map(|j| Q[(j, l)] * g[j]).sum::<f64>() / values[l];
            (0..D).for_each(|j| beta[j] += along * Q[(j, l)]);
        }
    }
    let beta: Vec<f64> = beta.iter().zip(&norms).map(|(beta, norm)| beta / norm).collect();
    let mut M = Matrix::zeros(d, d);
    for (at, (a, b)) in pairs.iter().enumerate() {
        M[(*a, *b)] += 0.5 * beta[at];
        M[(*b, *a)] += 0.5 * beta[at];
    }
    network_of(&M, &beta[pairs.len()..D - 1], beta[D - 1], claim)
}

pub fn stream(index: u64) -> Stream {
    Stream::new(11, Purpose::Probe, index)
}

/// What was found about a network: typed, where a judgement has names.
#[derive(Debug)]
pub struct Optimum {
    pub judgement: Judgement,
    pub objective: f64,
    pub lower_bound: f64,
    pub relative_gap: f64,
    pub class: Class,
    pub measure: MeasureProof,
    pub improvement: Option<Network>,
}

/// The network against the best one.
pub fn optimum(network: &Network, data: &Data, claim: &Claim, witness: Option<&Witness>, tolerance: f64) -> Optimum {
    let ProvedOptimum { claim, proof, judgement } = prove_optimum(network, data, claim, witness, tolerance).unwrap();
    let fact = |name: &str, otherwise: f64| judgement.fact(name).unwrap_or(otherwise);
    let matrix = |W: &shallows_verify::Matrix| Matrix::from_vec(W.rows(), W.cols(), W.as_slice().to_vec());
    let improvement = proof.improvement.as_ref().map(|stored| {
        let better = stored.network(Some(data.d())).unwrap();
        let (W, v, intercept, linear) = (matrix(&better.W), better.v, better.intercept, better.linear);
        Network { activation: Activation::SQUARE, W, v, bias: None, intercept, linear }
    });
    Optimum {
        objective: fact("objective", f64::INFINITY),
        lower_bound: fact("lower_bound", 0.0),
        relative_gap: fact("relative_gap", f64::INFINITY),
        class: claim.class,
        measure: proof.measure,
        improvement,
        judgement,
    }
}

/// Leave a certificate and its rows for the second checker, which `cargo xtask test exchange` runs.
pub fn keep(certificate: &Certificate, data: Option<&Data>) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificates");
    std::fs::create_dir_all(&folder).unwrap();
    let text = certificate.to_json().unwrap();
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    std::hash::Hash::hash(&text, &mut hasher);
    let theorems: Vec<&str> = certificate.claims().iter().map(|claim| claim.theorem.id()).collect();
    let stem = format!("{}-{:016x}", theorems[0], std::hash::Hasher::finish(&hasher));
    if let Some(data) = data {
        let numbers = |row: &[f64]| row.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(",");
        let weight = |i: usize| data.weights.as_ref().map_or(String::new(), |weights| format!(",{:?}", weights[i]));
        let row = |i: usize| format!("{}{},{:?}\n", numbers(data.X.row(i)), weight(i), data.y[i]);
        let names = data.names.join(",") + if data.weights.is_some() { ",weights" } else { "" };
        let rows: String = (0..data.n()).map(row).collect();
        std::fs::write(folder.join(format!("{stem}.csv")), format!("{names},{}\n{rows}", data.target)).unwrap();
    }
    std::fs::write(folder.join(format!("{stem}.certificate.json")), text).unwrap();
}

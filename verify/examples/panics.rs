//! Hostile subjects, claims and proofs of every theorem: nothing may panic. COUNT SEED.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(non_snake_case)]
use serde_json::{Value, json};
use shallows_verify::{Matrix, Network, Rows, Subject, Theorem};

struct Random(u64);
impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn number(&mut self) -> f64 {
        const NASTY: [f64; 24] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            2.0,
            0.5,
            1e-6,
            0.1,
            3.0,
            5e-324,
            -5e-324,
            2.2e-308,
            1e-300,
            1e-160,
            1e-154,
            1e154,
            1e160,
            1e300,
            1.7e308,
            -1.7e308,
            9007199254740993.0,
            1e-9,
            0.999_999_999_9,
            -1e-200,
        ];
        if self.below(3) == 0 {
            (self.next() >> 11) as f64 * f64::EPSILON - 1.0
        } else {
            NASTY[self.below(if self.0 & 8 == 0 { 9 } else { 24 })]
        }
    }
    fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number()).collect()
    }
    fn length(&mut self, d: usize) -> usize {
        if self.below(12) == 0 { self.below(5) } else { d }
    }
    fn whole(&mut self) -> Value {
        let all: [i64; 14] = [0, 1, 2, 3, 17, 18, 26, 1 << 26, -1, 300, -300, 1000, 1 << 53, i64::MAX];
        json!(all[self.below(14)])
    }
}

fn network(r: &mut Random, d: usize) -> Network {
    let k = r.below(5);
    let kinds = [
        "quadratic",
        "quadratic",
        "quadratic",
        "relu",
        "abs",
        "tanh",
        "softplus:3",
        "sigmoid:1e100",
        "erf",
        "gelu",
        "cos",
        "hermite:1,2,3",
        "leaky-relu:-1",
        "quadratic:1e100,0,1",
    ];
    let mut n = Network {
        W: Matrix::from_vec(k, d, r.numbers(k * d)).unwrap_or_default(),
        v: r.numbers(k),
        ..Network::zero(d)
    };
    if let Ok(activation) = kinds[r.below(kinds.len())].parse() {
        n.activation = activation;
    }
    if r.below(3) == 0 {
        n.v = vec![1.0; k];
    }
    if r.below(4) == 0 {
        n.intercept = Some(r.number());
        n.linear = Some(r.numbers(d));
    }
    if r.below(8) == 0 {
        n.bias = Some(r.numbers(k));
    }
    n
}

fn stored(n: &Network) -> Value {
    let W: Vec<Vec<f64>> = (0..n.width()).map(|l| n.W.row(l).to_vec()).collect();
    json!({"activation": n.activation.to_string(), "W": W, "u": n.bias, "v": n.v, "c": n.intercept, "b": n.linear})
}

fn monomial(r: &mut Random, d: usize) -> Value {
    let (a, b) = (r.below(d + 1), r.below(d + 1));
    [json!([]), json!([a]), json!([a.min(b), a.max(b)]), json!([a, a])][r.below(4)].clone()
}

fn span(r: &mut Random, d: usize) -> Value {
    let columns: Vec<Value> = (0..r.below(6)).map(|_| monomial(r, d)).collect();
    let relations: Vec<Value> = (0..r.below(3)).map(|_| json!({"input": r.below(d + 1), "factor": r.whole(), "terms": [[r.below(d + 1), r.whole()]], "constant": r.whole()})).collect();
    let groups: Vec<Vec<usize>> = (0..r.below(3)).map(|_| (0..r.below(3)).map(|_| r.below(d + 1)).collect()).collect();
    json!({"columns": columns, "relations": relations, "groups": groups, "passes": r.below(10)})
}

fn option(r: &mut Random, value: Value) -> Value {
    if r.below(3) == 0 { Value::Null } else { value }
}

fn spectrum(r: &mut Random, n: usize) -> Value {
    let (largest, inputs) = (json!(r.number()), json!(r.number()));
    let length = r.length(n);
    let direction = json!(r.numbers(length));
    json!({"smallest": r.number(), "largest": option(r, largest), "inputs": option(r, inputs), "direction": option(r, direction)})
}

fn texts(r: &mut Random, theorem: Theorem, n: usize, d: usize, k: usize) -> (Value, Value) {
    let x = |r: &mut Random| json!(r.number());
    let signs = ["any", "positive", "negative"][r.below(3)];
    let descent = json!({"step": r.number(), "tolerance": r.number()});
    let vector = json!(r.numbers(d));
    match theorem {
        Theorem::GlobalOptimum => {
            let limits: Vec<Value> = (0..3)
                .map(|_| {
                    let v = x(r);
                    if r.below(2) == 0 { Value::Null } else { v }
                })
                .collect();
            let exps: Vec<Value> = (0..d).map(|_| r.whole()).collect();
            let shifts: Vec<Value> = (0..d).map(|_| r.whole()).collect();
            let zeros = r.below(2) == 0;
            let s = span(r, d);
            let kind = match r.below(4) {
                0 => json!({"kind": "objective"}),
                1 => json!({"kind": "least"}),
                2 => json!({"kind": "without-units", "span": span(r, d)}),
                _ => json!({"kind": "rounding", "span": span(r, d)}),
            };
            let M: Vec<Vec<f64>> = (0..d).map(|j| r.numbers(j + 1)).collect();
            let other = network(r, d);
            let improvement = stored(&other);
            (
                json!({"signs": signs, "decay": if r.below(2) == 0 { 0.0 } else { r.number() }, "linear": r.below(2) == 0, "intercept": r.below(2) == 0, "exponents": if zeros { json!(vec![0; d]) } else { json!(exps) }, "tolerance": ([0.1, 1e-6, 1e-300, r.number()][r.below(4)]), "class": {"nuclear": limits[0], "linear": limits[1], "intercept": limits[2]}}),
                json!({"centre": if zeros { vec![0.0; d] } else { r.numbers(d) }, "shifts": if zeros { json!(vec![0; d]) } else { json!(shifts) }, "span": option(r, s), "free": r.below(2) == 0, "function": {"M": M, "b": r.numbers(d), "c": r.number()}, "scale": r.number(), "excess": if r.below(2) == 0 { 0.0 } else { r.number() }, "measure": kind, "improvement": option(r, improvement)}),
            )
        }
        Theorem::WideQuadratic => (json!({}), json!({})),
        Theorem::PlantedQuadratic => (json!({"decay": x(r)}), json!({})),
        Theorem::StrictSaddle => {
            let U: Vec<Vec<f64>> = (0..r.length(k)).map(|_| r.numbers(d)).collect();
            let down = json!({"direction": U, "step": r.number()});
            (json!({"decay": x(r)}), json!({"down": option(r, down)}))
        }
        Theorem::ApproximateMinimum => {
            (json!({"signs": signs, "decay": x(r), "size": x(r), "tolerance": x(r)}), json!({"excess": x(r)}))
        }
        Theorem::FullRankStationary => {
            (json!({"decay": x(r), "size": x(r), "tolerance": x(r)}), json!({"smallest": x(r)}))
        }
        Theorem::DescentConverges | Theorem::DescentConvergesPrinted | Theorem::ReluDescentConvergesPrinted => {
            (descent, spectrum(r, n))
        }
        Theorem::ReluDescentConverges | Theorem::BothLayersConverge => {
            let s = spectrum(r, n);
            (descent, json!({"spectrum": s, "radius": x(r)}))
        }
        Theorem::RandomFeatures => {
            let v = json!(r.numbers(n));
            (json!({}), json!({"smallest": x(r), "direction": option(r, v)}))
        }
        Theorem::WideEnough => {
            let v = x(r);
            (
                json!({"activation": (["tanh", "softplus:1e-100", "sigmoid:1e100", "gelu", "relu", "cos", "hermite:0,1,1e100"][r.below(7)]), "width": r.whole(), "step": x(r)}),
                json!({"smallest": x(r), "terms": r.whole(), "inputs": option(r, v)}),
            )
        }
        Theorem::SgdConverges => (json!({"activation": "softplus", "width": r.whole()}), json!({"smallest": x(r)})),
        Theorem::SeparatedData => {
            let p = json!([r.below(n + 1), r.below(n + 1)]);
            (json!({}), json!({"parallel": option(r, p)}))
        }
        Theorem::Determined => {
            let shifts: Vec<Value> = (0..d).map(|_| r.whole()).collect();
            let shifts = if r.below(2) == 0 { json!(vec![0; d]) } else { json!(shifts) };
            let rows = r.whole();
            let independence = json!({"shifts": shifts, "rows": option(r, rows), "passes": r.below(10)});
            let relations: Vec<Value> = (0..r.below(3)).map(|_| json!({"input": r.below(d + 1), "factor": r.number(), "terms": [[r.below(d + 1), r.number()]], "constant": r.number()})).collect();
            let groups: Vec<Vec<usize>> =
                (0..r.below(3)).map(|_| (0..r.below(3)).map(|_| r.below(d + 1)).collect()).collect();
            let vanishing: Vec<Value> = (0..r.below(3)).map(|_| json!({"lead": monomial(r, d), "terms": [[monomial(r, d), r.number(), r.number()], [monomial(r, d), r.number(), r.number()]]})).collect();
            let (a, b) = (network(r, d), network(r, d));
            let rival = json!({"first": stored(&a), "second": stored(&b), "point": vector});
            (
                json!({"affine": r.below(2) == 0}),
                json!({"independence": option(r, independence), "relations": relations, "groups": groups, "vanishing": vanishing, "rival": option(r, rival)}),
            )
        }
        Theorem::EnergyBarrier | Theorem::SafeStart => {
            (json!({}), json!({"smallest": x(r), "vector": option(r, vector)}))
        }
        Theorem::SafeStartGaussian => {
            (json!({"units": r.whole(), "inputs": r.whole(), "gamma": x(r), "deviation": x(r)}), json!({}))
        }
        Theorem::DesignedLandscape => {
            (json!({"fourth_coefficient": x(r), "mu": x(r), "lambda": x(r)}), json!({"smallest": x(r)}))
        }
        Theorem::WideOptimum => {
            let laws = ["rough-by-input", "rough", "t3", "t5", "relu", "erf", "quadratic", "affine", "tanh"];
            let kept = if r.below(6) == 0 { r.below(5) } else { d };
            // Mostly in their ranges, so that there is something to judge.
            let size = |r: &mut Random| {
                let size = r.number().abs();
                if r.below(40) == 0 { size } else { size.clamp(1e-100, 1e100) }
            };
            let fewest = usize::from(r.below(20) > 0);
            let layers: Vec<Value> = (0..fewest + r.below(3))
                .map(|_| {
                    let known = if r.below(40) == 0 { 9 } else { 8 };
                    let law = laws[r.below(known)];
                    let scales: Vec<f64> = if law == "affine" { vec![] } else { (0..kept).map(|_| size(r)).collect() };
                    let bias = if r.below(2) == 0 { 0.0 } else { size(r) };
                    json!({"law": law, "signal": size(r), "scales": scales, "bias": bias})
                })
                .collect();
            let mut curve = || {
                let (values, mut ranks) = ([-1e300, 0.0, 0.5, 1.7e308], r.numbers(4));
                ranks.sort_by(f64::total_cmp);
                json!({"values": values, "ranks": ranks})
            };
            let curves: Vec<Value> = (0..kept).map(|_| curve()).collect();
            let ranks = if r.below(3) == 0 { json!(curves) } else { Value::Null };
            let groups = if r.below(2) == 0 { n } else { 1 + r.below(n) };
            let deviation: Vec<f64> = (0..kept).map(|_| size(r)).collect();
            let network = json!({
                "kept": (0..kept).collect::<Vec<usize>>(), "ranks": ranks, "mean": r.numbers(kept), "deviation": deviation,
                "offset": r.number(), "layers": layers, "alpha": r.numbers(groups),
            });
            (json!({"network": network, "decay": size(r), "tolerance": 0.01}), json!({}))
        }
        Theorem::ApproximateRecovery => (
            json!({"units": r.whole(), "least_output": x(r), "largest_output": x(r), "fourth_coefficient": x(r), "mu": x(r), "lambda": x(r), "gradient": x(r), "curvature": x(r)}),
            json!({"first_delta": x(r)}),
        ),
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().unwrap_or(1));
    let (count, seed) = (arguments.next().unwrap_or(1000), arguments.next().unwrap_or(1));
    let mut r = Random(seed);
    shallows_verify::matrix::use_threads(1);
    let (mut tally, mut odd) = (std::collections::BTreeMap::new(), 0);
    for _ in 0..count {
        let theorem = Theorem::ALL[r.below(Theorem::ALL.len())];
        let (n, d) = (1 + r.below(6), r.below(4));
        let (X, y) = (r.numbers(n * d), r.numbers(n));
        let w = if r.below(2) == 0 { None } else { Some(r.numbers(n).iter().map(|w| w.abs()).collect::<Vec<f64>>()) };
        let Ok(rows) = Rows::new(&X, d, &y, w.as_deref()) else { continue };
        let (network, teacher) = (network(&mut r, d), network(&mut r, d));
        let with_teacher = r.below(4) > 0;
        let (claim, proof) = texts(&mut r, theorem, n, d, network.width());
        let subject = Subject { rows: Some(rows), network: Some(&network), teacher: with_teacher.then_some(&teacher) };
        let (claim, proof) = (claim.to_string(), proof.to_string());
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| theorem.judge(&subject, &claim, &proof)));
        let word = match &found {
            Err(_) => {
                odd += 1;
                println!("PANIC {theorem} {n} {d} X={X:?} y={y:?} w={w:?} {claim} {proof} {network:?} {teacher:?}");
                "panic".to_owned()
            }
            Ok(Err(_)) => "error".to_owned(),
            Ok(Ok(judgement)) => {
                if judgement.facts.iter().any(|fact| !fact.value.is_finite()) {
                    odd += 1;
                    println!("NOT FINITE {theorem} {:?}", judgement.facts);
                }
                judgement.verdict().to_string()
            }
        };
        *tally.entry((theorem.id(), word)).or_insert(0) += 1;
    }
    for ((theorem, word), count) in tally {
        println!("{count:8} {theorem} {word}");
    }
    println!("{odd} odd");
}

//! Theorems about descent on starts where they hold, and where one hypothesis after another is broken.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(non_snake_case)]

use shallows_verify::arithmetic::{proves_above, proves_below};
use shallows_verify::descent::{
    AtStart, BallProof, DescentClaim, Flips, JacobianPart, PowerSeries, SpectrumProof, jacobian_gram, kernel_gram,
    slope_coefficients,
};
use shallows_verify::theorem::{
    both_layers_converge, descent_converges, descent_converges_printed, random_features, relu_descent_converges,
    relu_descent_converges_printed, sgd_converges, wide_enough,
};
use shallows_verify::{Activation, Error, Judgement, Matrix, Network, Rows, Verdict};

/// Numbers that follow no pattern.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let (a, b) = (self.uniform().max(1e-300), self.uniform());
        (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    }
}

/// Rows, labels and perhaps weights.
struct Table {
    X: Vec<f64>,
    d: usize,
    y: Vec<f64>,
    w: Option<Vec<f64>>,
}

impl Table {
    /// Unit rows and labels of about the given size.
    fn random(n: usize, d: usize, size: f64) -> Table {
        let mut noise = Noise(17 + n as u64);
        let mut X = Vec::new();
        for _ in 0..n {
            let row: Vec<f64> = (0..d).map(|_| noise.normal()).collect();
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            X.extend(row.iter().map(|x| x / length));
        }
        Table { X, d, y: (0..n).map(|_| size * noise.normal()).collect(), w: None }
    }

    fn rows(&self) -> Rows<'_> {
        Rows::new(&self.X, self.d, &self.y, self.w.as_deref()).unwrap()
    }
}

fn named(name: &str) -> Activation {
    name.parse().unwrap_or_else(|()| panic!("{name}"))
}

/// W₀ = [W_h; W_h], v = scale·[1; −1]: f = 0.
fn start(activation: &str, k: usize, d: usize, scale: f64) -> Network {
    let mut noise = Noise(5);
    let half: Vec<f64> = (0..k / 2 * d).map(|_| noise.normal()).collect();
    let W = Matrix::from_fn(k, d, |l, j| half[(l % (k / 2)) * d + j]);
    let v = (0..k).map(|l| if l < k / 2 { scale } else { -scale }).collect();
    Network { activation: named(activation), W, v, bias: None, intercept: None, linear: None }
}

/// The last number for which a test passes, of those between 0 and `most` that bisection meets.
fn bisected(most: f64, passes: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, most);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if passes(middle) { low = middle } else { high = middle }
    }
    low
}

/// What a writer finds with an eigensolver, here by bisection.
fn proposed(network: &Network, table: &Table, part: JacobianPart) -> SpectrumProof {
    let ball = jacobian_gram(network, table.rows(), part).unwrap();
    let trace: f64 = (0..ball.center.rows()).map(|i| ball.center[(i, i)]).sum();
    let smallest = bisected(trace, |mu| proves_above(&ball.center, mu, ball.radius));
    let largest = 2.0 * trace - bisected(2.0 * trace, |gap| proves_below(&ball.center, 2.0 * trace - gap, ball.radius));
    SpectrumProof { smallest, largest: Some(largest), inputs: None, direction: None }
}

const TOLERANCE: f64 = 1e-6;

/// A claim and a proof for descent-converges.
fn hidden(network: &Network, table: &Table) -> (DescentClaim, SpectrumProof) {
    let proof = proposed(network, table, JacobianPart::Hidden);
    let at = AtStart::new(network, table.rows(), JacobianPart::Hidden, &proof).unwrap();
    (DescentClaim { step: claimable(descent_converges::step_to_claim(&at)), tolerance: TOLERANCE }, proof)
}

fn claimable(step: f64) -> f64 {
    if step > 0.0 { step } else { 1e-3 }
}

/// The verdict on a hypothesis that has these words in it.
fn verdict_on(judgement: &Judgement, words: &str) -> Verdict {
    let mut found = judgement.checks.iter().filter(|check| check.hypothesis.contains(words));
    found.next().unwrap_or_else(|| panic!("{words}")).verdict()
}

fn all_but(judgement: &Judgement, words: &str) -> bool {
    judgement.checks.iter().all(|check| check.hypothesis.contains(words) || check.verdict() == Verdict::Holds)
}

/// Residuals f − y, and the gradient of ½Σ w r² in W and in v.
fn gradient(network: &Network, rows: Rows) -> (Vec<f64>, Matrix, Vec<f64>) {
    let (k, d) = (network.width(), network.inputs());
    let (mut of_W, mut of_v, mut residuals) = (Matrix::zeros(k, d), vec![0.0; k], Vec::new());
    for i in 0..rows.n() {
        let x = rows.row(i);
        let z: Vec<f64> = (0..k).map(|l| network.W.row(l).iter().zip(x).map(|(w, x)| w * x).sum()).collect();
        let values: Vec<(f64, f64)> = z.iter().map(|z| plain(&network.activation, *z)).collect();
        let r = values.iter().zip(&network.v).map(|(value, v)| value.0 * v).sum::<f64>() - rows.labels()[i];
        let w = rows.weights().map_or(1.0, |w| w[i]);
        for l in 0..k {
            of_v[l] += w * r * values[l].0;
            (0..d).for_each(|j| of_W[(l, j)] += w * r * network.v[l] * values[l].1 * x[j]);
        }
        residuals.push(w.sqrt() * r);
    }
    (residuals, of_W, of_v)
}

/// φ and φ' by the standard library.
fn plain(activation: &Activation, z: f64) -> (f64, f64) {
    match activation {
        Activation::Tanh => (z.tanh(), 1.0 - z.tanh().powi(2)),
        Activation::Softplus { .. } => (z.exp().ln_1p(), 1.0 / (1.0 + (-z).exp())),
        Activation::Relu => (z.max(0.0), if z > 0.0 { 1.0 } else { 0.0 }),
        Activation::Cos => (z.cos(), -z.sin()),
        Activation::Quadratic { .. } => (z * z, 2.0 * z),
        other => panic!("{other}"),
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Run descent and see that the residual falls as was proved, and that the path is no longer.
fn falls_as_proved(mut network: Network, table: &Table, judgement: &Judgement, both: bool) {
    let [step, rate, path] = ["step", "rate", "path"].map(|name| judgement.fact(name).unwrap());
    let (mut before, mut travelled) = (f64::INFINITY, 0.0);
    for _ in 0..200 {
        let (residuals, of_W, of_v) = gradient(&network, table.rows());
        let now = norm(&residuals);
        assert!(now <= rate * before * (1.0 + 1e-9) || now < 1e-10, "{now} after {before}, {rate}");
        before = now;
        for (w, g) in network.W.as_mut_slice().iter_mut().zip(of_W.as_slice()) {
            *w -= step * g;
        }
        if both {
            network.v.iter_mut().zip(&of_v).for_each(|(v, g)| *v -= step * g);
        }
        let of_v = if both { norm(&of_v) } else { 0.0 };
        travelled += step * norm(of_W.as_slice()).hypot(of_v);
    }
    assert!(travelled <= path, "{travelled} of {path}");
}

#[test]
fn descent_converges_holds_and_descent_does() {
    for (activation, scale) in [("tanh", 1.0), ("softplus", 3.0), ("cos", 1.0), ("quadratic", 1.0)] {
        let (network, table) = (start(activation, 400, 3, scale), Table::random(4, 3, 0.1));
        let (claim, proof) = hidden(&network, &table);
        let judgement = descent_converges::judge(&network, table.rows(), &claim, &proof).unwrap();
        assert_eq!(judgement.verdict(), Verdict::Holds, "{activation}: {judgement:?}");
        falls_as_proved(network, &table, &judgement, false);
    }
    for activation in ["sigmoid", "erf", "gelu", "sigmoid:3", "hermite:0,1,0.5"] {
        let (network, table) = (start(activation, 400, 3, 10.0), Table::random(4, 3, 0.05));
        let (claim, proof) = hidden(&network, &table);
        let judgement = descent_converges::judge(&network, table.rows(), &claim, &proof).unwrap();
        assert_eq!(judgement.verdict(), Verdict::Holds, "{activation}: {judgement:?}");
    }
}

#[test]
fn weighted_rows_are_rows_that_are_repeated() {
    // A row of weight 4 is a row of twice the length for the Jacobian; rows of weight 0 do not count.
    let network = start("tanh", 300, 3, 1.0);
    let mut table = Table::random(5, 3, 0.05);
    table.w = Some(vec![1.0, 4.0, 0.0, 0.25, 1.0]);
    let (claim, proof) = hidden(&network, &table);
    let judgement = descent_converges::judge(&network, table.rows(), &claim, &proof).unwrap();
    assert_eq!(judgement.verdict(), Verdict::Holds, "{judgement:?}");
    falls_as_proved(network, &table, &judgement, false);
}

#[test]
fn the_facts_of_two_rows_agree_with_their_closed_form() {
    let (network, table) = (start("tanh", 300, 2, 1.0), Table::random(2, 2, 0.01));
    let (claim, proof) = hidden(&network, &table);
    let judgement = descent_converges::judge(&network, table.rows(), &claim, &proof).unwrap();
    let slopes: Vec<Vec<f64>> = (0..2)
        .map(|i| {
            let x = table.rows().row(i).to_vec();
            (0..300).map(|l| 1.0 - (network.W.row(l)[0] * x[0] + network.W.row(l)[1] * x[1]).tanh().powi(2)).collect()
        })
        .collect();
    let K = |i: usize, j: usize| {
        let inner: f64 = table.rows().row(i).iter().zip(table.rows().row(j)).map(|(a, b)| a * b).sum();
        inner * slopes[i].iter().zip(&slopes[j]).map(|(a, b)| a * b).sum::<f64>()
    };
    let (middle, half) = (0.5 * (K(0, 0) + K(1, 1)), (0.25 * (K(0, 0) - K(1, 1)).powi(2) + K(0, 1).powi(2)).sqrt());
    let [sigma, largest] = [middle - half, middle + half].map(f64::sqrt);
    let [proved, jacobian, residual] = ["sigma", "jacobian_norm", "residual"].map(|name| judgement.fact(name).unwrap());
    assert!(proved <= sigma && proved > sigma * (1.0 - 1e-9), "{proved} {sigma}");
    assert!(jacobian >= largest && jacobian < largest * (1.0 + 1e-9), "{jacobian} {largest}");
    assert!(residual >= norm(&table.y) && residual < norm(&table.y) * (1.0 + 1e-12));
    let iterations = judgement.fact("iterations").unwrap();
    let rate = judgement.fact("rate").unwrap();
    assert!(rate.powf(iterations) <= TOLERANCE * (1.0 + 1e-9) && rate.powf(iterations - 2.0) > TOLERANCE);
}

#[test]
fn the_numbers_of_one_row_are_those_of_the_formulas() {
    // One row: σ₀ = ‖J₀‖, ‖X‖ = 1.
    let (network, table) = (start("tanh", 40, 2, 1.0), Table { y: vec![0.9], ..Table::random(1, 2, 1.0) });
    let (claim, proof) = hidden(&network, &table);
    let judgement = descent_converges::judge(&network, table.rows(), &claim, &proof).unwrap();
    let x = table.rows().row(0).to_vec();
    let square: f64 =
        (0..40).map(|l| (1.0 - (network.W[(l, 0)] * x[0] + network.W[(l, 1)] * x[1]).tanh().powi(2)).powi(2)).sum();
    let (sigma, lipschitz, r) = (square.sqrt(), 4.0 / (3.0 * 3.0_f64.sqrt()), 0.9);
    let beta = sigma * (1.0 + 17.0 / 16.0);
    assert!((2.0 * beta * beta * claim.step - 1.0).abs() < 1e-8);
    let gamma = 1.0 - 0.5 * claim.step * beta * beta - 0.5 * claim.step * lipschitz * r;
    let z = 2.0 * lipschitz * r / (gamma * square);
    let expected = [
        ("decrease", gamma * claim.step * square * (1.0 - z)),
        ("path", sigma / lipschitz * (1.0 - (1.0 - z).sqrt())),
        ("lipschitz", lipschitz),
        ("ratio", 2.0 * lipschitz * r / square),
    ];
    for (name, value) in expected {
        assert!((judgement.fact(name).unwrap() / value - 1.0).abs() < 1e-8, "{name}: {value} {judgement:?}");
    }
}

#[test]
fn each_hypothesis_of_descent_converges_can_be_broken_alone() {
    let judged = |network: &Network, table: &Table, longer: f64| {
        let (mut claim, proof) = hidden(network, table);
        claim.step *= longer;
        descent_converges::judge(network, table.rows(), &claim, &proof).unwrap()
    };
    let table = Table::random(4, 3, 0.1);
    let holds = judged(&start("tanh", 400, 3, 1.0), &table, 1.0);
    assert_eq!(holds.verdict(), Verdict::Holds);
    let cubic = judged(&start("hermite:0,0,0,1", 400, 3, 1.0), &table, 1.0);
    assert_eq!((cubic.verdict(), verdict_on(&cubic, "sup|φ''|")), (Verdict::Fails, Verdict::Fails));
    // Fewer columns than rows.
    let few = judged(&start("tanh", 2, 3, 1e6), &Table::random(7, 3, 1e-9), 1.0);
    assert_eq!(verdict_on(&few, "> 0"), Verdict::Fails);
    // Equal rows: the smallest eigenvalue is 0, which nobody can prove to be positive.
    let mut equal = Table::random(4, 3, 0.1);
    let first = equal.X[..3].to_vec();
    equal.X[3..6].copy_from_slice(&first);
    let equal = judged(&start("tanh", 400, 3, 1.0), &equal, 1.0);
    assert_eq!((equal.verdict(), verdict_on(&equal, "> 0")), (Verdict::Undecided, Verdict::Undecided));
    // Labels far too large, and labels a little too large.
    let ratio = holds.fact("ratio").unwrap();
    let with_labels =
        |factor: f64| Table { y: table.y.iter().map(|y| factor * y).collect(), ..Table::random(4, 3, 0.1) };
    let network = start("tanh", 400, 3, 1.0);
    let labels = with_labels(1e6);
    let far = judged(&network, &labels, 1.0);
    assert_eq!((far.verdict(), verdict_on(&far, "≤ σ₀²")), (Verdict::Fails, Verdict::Fails));
    let near = judged(&network, &with_labels(0.9 / ratio), 1.0);
    assert!(all_but(&near, "≤ γσ₀²") && verdict_on(&near, "≤ γσ₀²") != Verdict::Holds, "{near:?}");
    // A step that is too long by a hair.
    let long = judged(&network, &table, 1.0 + 1e-6);
    assert!(all_but(&long, "η ≤") && verdict_on(&long, "η ≤") != Verdict::Holds, "{long:?}");
}

#[test]
fn forged_numbers_are_never_confirmed() {
    let (network, table) = (start("tanh", 400, 3, 1.0), Table::random(4, 3, 0.1));
    let (claim, proof) = hidden(&network, &table);
    let judged = |proof: &SpectrumProof| descent_converges::judge(&network, table.rows(), &claim, proof).unwrap();
    let honest = judged(&proof);
    let too_large = judged(&SpectrumProof { smallest: proof.smallest * (1.0 + 1e-9), ..proof.clone() });
    assert_eq!((too_large.verdict(), too_large.fact("sigma")), (Verdict::Undecided, Some(0.0)));
    let claimed = |factor: f64| SpectrumProof { largest: proof.largest.map(|l| factor * l), ..proof.clone() };
    let too_small = judged(&claimed(1.0 - 1e-9));
    assert!(too_small.fact("jacobian_norm") > honest.fact("jacobian_norm"));
    let inputs = judged(&SpectrumProof { inputs: Some(0.999), ..proof.clone() });
    assert_eq!(inputs.fact("lipschitz"), honest.fact("lipschitz"));
    // A direction does not prove anything about the other side.
    let direction = SpectrumProof { smallest: 0.0, direction: Some(vec![1.0, -1.0, 0.5, 0.25]), ..proof.clone() };
    assert_eq!(judged(&direction).verdict(), Verdict::Undecided);
    for direction in [vec![0.0; 4], vec![f64::NAN; 4]] {
        let nothing = SpectrumProof { direction: Some(direction), ..proof.clone() };
        assert_eq!(judged(&nothing).verdict(), Verdict::Holds);
    }
    for broken in [
        SpectrumProof { smallest: f64::NAN, ..proof.clone() },
        SpectrumProof { smallest: -1.0, ..proof.clone() },
        SpectrumProof { largest: Some(f64::INFINITY), ..proof.clone() },
    ] {
        let error = descent_converges::judge(&network, table.rows(), &claim, &broken);
        assert!(matches!(error, Err(Error::Range { .. })));
    }
    let short = SpectrumProof { direction: Some(vec![1.0]), ..proof.clone() };
    assert!(matches!(descent_converges::judge(&network, table.rows(), &claim, &short), Err(Error::Shape { .. })));
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let claim = DescentClaim { step, ..claim };
        assert!(matches!(descent_converges::judge(&network, table.rows(), &claim, &proof), Err(Error::Range { .. })));
    }
    let mut biased = network.clone();
    biased.bias = Some(vec![1e-300; 400]);
    assert!(matches!(descent_converges::judge(&biased, table.rows(), &claim, &proof), Err(Error::Unsuitable { .. })));
}

#[test]
fn nearly_equal_rows_seen_through_huge_weights_prove_nothing() {
    // An eigensolver that knows no errors takes the rounding of z for a positive eigenvalue.
    let x = [0.3, -0.5, 0.8];
    let X: Vec<f64> = x.iter().copied().chain(x.iter().map(|x| x * (1.0 + 2.0_f64.powi(-30)))).collect();
    let table = Table { X, d: 3, y: vec![1e-12, -1e-12], w: None };
    let mut network = start("tanh", 50, 3, 1.0);
    for l in 0..50 {
        let row = network.W.row_mut(l);
        let along: f64 = row.iter().zip(&x).map(|(w, x)| w * x).sum();
        let square: f64 = x.iter().map(|x| x * x).sum();
        row.iter_mut().zip(&x).for_each(|(w, x)| *w = 1e11 * (*w - along / square * x) + along / square * x);
    }
    let (claim, proof) = hidden(&network, &table);
    assert!(proof.smallest > 1e-10, "the matrix of rounded slopes is definite: {proof:?}");
    let judgement = descent_converges::judge(&network, table.rows(), &claim, &proof).unwrap();
    assert_eq!((judgement.verdict(), judgement.fact("sigma")), (Verdict::Undecided, Some(0.0)));
}

#[test]
fn a_bound_on_the_inputs_is_confirmed_and_helps() {
    for (n, d) in [(6, 3), (3, 6)] {
        let (network, table) = (start("tanh", 600, d, 1.0), Table::random(n, d, 0.01));
        let (claim, proof) = hidden(&network, &table);
        let lipschitz = |inputs: Option<f64>| {
            let proof = SpectrumProof { inputs, ..proof.clone() };
            descent_converges::judge(&network, table.rows(), &claim, &proof).unwrap().fact("lipschitz").unwrap()
        };
        let frobenius = lipschitz(None);
        let best = n as f64 - bisected(n as f64, |gap| lipschitz(Some(n as f64 - gap)) < frobenius);
        // Unit rows: Lip = M‖X‖.
        let steepest = 4.0 / (3.0 * 3.0_f64.sqrt());
        let iterated = {
            let mut a: Vec<f64> = (0..d).map(|j| 1.0 + j as f64).collect();
            for _ in 0..500 {
                let mut next = vec![0.0; d];
                for x in table.X.chunks(d) {
                    let along: f64 = x.iter().zip(&a).map(|(x, a)| x * a).sum();
                    next.iter_mut().zip(x).for_each(|(next, x)| *next += along * x);
                }
                let length = norm(&next);
                a = next.iter().map(|next| next / length).collect();
            }
            table.X.chunks(d).map(|x| x.iter().zip(&a).map(|(x, a)| x * a).sum::<f64>().powi(2)).sum::<f64>()
        };
        assert!((best / iterated - 1.0).abs() < 1e-9, "{best} {iterated}");
        assert!((lipschitz(Some(best)) / (steepest * iterated.sqrt()) - 1.0).abs() < 1e-8);
    }
}

#[test]
fn the_published_theorem_asks_for_eight_times_as_much() {
    let network = start("tanh", 400, 3, 1.0);
    let judged = |size: f64, longer: f64| {
        let table = Table::random(4, 3, size);
        let proof = proposed(&network, &table, JacobianPart::Hidden);
        let at = AtStart::new(&network, table.rows(), JacobianPart::Hidden, &proof).unwrap();
        let step = longer * descent_converges_printed::step_to_claim(&network, &at);
        let claim = DescentClaim { step, tolerance: TOLERANCE };
        let judgement = descent_converges_printed::judge(&network, table.rows(), &claim, &proof).unwrap();
        (judgement, table)
    };
    let (holds, table) = judged(0.1, 1.0);
    assert_eq!(holds.verdict(), Verdict::Holds, "{holds:?}");
    falls_as_proved(network.clone(), &table, &holds, false);
    let (size, _) = judged(0.5, 1.0);
    assert!(verdict_on(&size, "16·Lip") == Verdict::Fails || verdict_on(&size, "16·Lip") == Verdict::Undecided);
    assert!(all_but(&size, "16·Lip"));
    let (long, _) = judged(0.1, 1.0 + 1e-6);
    assert!(all_but(&long, "η ≤") && long.verdict() != Verdict::Holds);
}

#[test]
fn both_layers_converge_within_a_ball() {
    for activation in ["tanh", "softplus", "quadratic"] {
        let (network, table) = (start(activation, 400, 3, 1.0), Table::random(4, 3, 0.02));
        let spectrum = proposed(&network, &table, JacobianPart::Both);
        let at = AtStart::new(&network, table.rows(), JacobianPart::Both, &spectrum).unwrap();
        let step = descent_converges::step_to_claim(&at);
        let claim = DescentClaim { step, tolerance: TOLERANCE };
        let least = at.residual.high / at.sigma.low;
        let judged = |radius: f64, step: f64| {
            let proof = BallProof { spectrum: spectrum.clone(), radius };
            both_layers_converge::judge(&network, table.rows(), &DescentClaim { step, ..claim }, &proof).unwrap()
        };
        let shares = [1.02, 1.1, 1.25, 1.4, 1.6, 1.9, 2.3, 3.0];
        let radius = shares.map(|share| share * least).into_iter();
        let radius = radius.clone().find(|radius| both_layers_converge::radius_suffices(&network, &at, step, *radius));
        let holds = judged(radius.unwrap(), step);
        assert_eq!(holds.verdict(), Verdict::Holds, "{activation}: {holds:?}");
        falls_as_proved(network.clone(), &table, &holds, true);
        let small = judged(0.9 * least, step);
        assert!(all_but(&small, "≤ ρ") && small.verdict() == Verdict::Undecided, "{small:?}");
        let large = judged(1e6 * least, step);
        assert!(verdict_on(&large, "≤ σ₀²") == Verdict::Undecided && large.verdict() == Verdict::Undecided);
        let long = judged(radius.unwrap(), step * (1.0 + 1e-6));
        assert!(all_but(&long, "η ≤") && long.verdict() == Verdict::Undecided);
    }
    let (network, table) = (start("gelu", 4, 3, 1.0), Table::random(17, 3, 0.02));
    let spectrum = SpectrumProof { smallest: 1.0, largest: None, inputs: None, direction: None };
    let claim = DescentClaim { step: 1e-3, tolerance: TOLERANCE };
    let proof = BallProof { spectrum, radius: 1.0 };
    let few = both_layers_converge::judge(&network, table.rows(), &claim, &proof).unwrap();
    assert_eq!(few.verdict(), Verdict::Fails);
}

#[test]
fn relu_networks_converge_within_a_ball() {
    for activation in ["relu", "leaky-relu", "abs"] {
        let (network, table) = (start(activation, 400, 3, 1.0), Table::random(4, 3, 2e-4));
        let spectrum = proposed(&network, &table, JacobianPart::Hidden);
        let at = AtStart::new(&network, table.rows(), JacobianPart::Hidden, &spectrum).unwrap();
        let flips = Flips::new(&network, table.rows()).unwrap();
        let least = 1.2 * at.residual.high / at.sigma.low;
        let radii = (0..60).map(|at| 1.001 * least * 1.06_f64.powi(at));
        let with_step =
            |radius: f64| relu_descent_converges::step_to_claim(&at, &flips, radius).map(|step| (radius, step));
        let (radius, step) = radii.into_iter().find_map(with_step).unwrap();
        let judged = |radius: f64, step: f64| {
            let (claim, spectrum) = (DescentClaim { step, tolerance: TOLERANCE }, spectrum.clone());
            relu_descent_converges::judge(&network, table.rows(), &claim, &BallProof { spectrum, radius }).unwrap()
        };
        let holds = judged(radius, step);
        assert_eq!(holds.verdict(), Verdict::Holds, "{activation}: {holds:?}");
        if activation == "relu" {
            falls_as_proved(network.clone(), &table, &holds, false);
        }
        for bad in [0.0, 0.9 * least, 1e3 * least] {
            let judgement = judged(bad, 1e-2 * step);
            assert!(all_but(&judgement, "κR") && judgement.verdict() == Verdict::Undecided, "{bad}: {judgement:?}");
        }
        let long = judged(radius, step * (1.0 + 1e-6));
        assert!(all_but(&long, "η ≤") && long.verdict() == Verdict::Undecided);
        let forged = SpectrumProof { smallest: spectrum.smallest * 1.01, ..spectrum.clone() };
        let claim = DescentClaim { step, tolerance: TOLERANCE };
        let proof = BallProof { spectrum: forged, radius };
        let forged = relu_descent_converges::judge(&network, table.rows(), &claim, &proof).unwrap();
        assert_eq!(forged.verdict(), Verdict::Undecided);
    }
    let (network, table) = (start("tanh", 400, 3, 1.0), Table::random(4, 3, 0.002));
    let (claim, spectrum) = hidden(&network, &table);
    let proof = BallProof { spectrum, radius: 0.1 };
    let smooth = relu_descent_converges::judge(&network, table.rows(), &claim, &proof).unwrap();
    assert_eq!((smooth.verdict(), verdict_on(&smooth, "kink")), (Verdict::Fails, Verdict::Fails));
}

#[test]
fn the_published_relu_theorem_holds_for_small_labels() {
    let network = start("relu", 400, 3, 1.0);
    let judged = |size: f64, longer: f64| {
        let table = Table::random(4, 3, size);
        let proof = proposed(&network, &table, JacobianPart::Hidden);
        let at = AtStart::new(&network, table.rows(), JacobianPart::Hidden, &proof).unwrap();
        let step = longer * relu_descent_converges_printed::step_to_claim(&network, &at);
        let claim = DescentClaim { step, tolerance: TOLERANCE };
        (relu_descent_converges_printed::judge(&network, table.rows(), &claim, &proof).unwrap(), table)
    };
    let (holds, table) = judged(1e-4, 1.0);
    assert_eq!(holds.verdict(), Verdict::Holds, "{holds:?}");
    falls_as_proved(network.clone(), &table, &holds, false);
    let (large, _) = judged(0.5, 1.0);
    assert!(all_but(&large, "α/3") && large.verdict() == Verdict::Undecided);
    let (long, _) = judged(1e-4, 1.0 + 1e-6);
    assert!(all_but(&long, "η ≤") && long.verdict() == Verdict::Undecided);
}

#[test]
fn random_features_suffice_or_do_not() {
    let table = Table::random(6, 3, 1.0);
    let judged = |activation: &str, k: usize, forged: f64| {
        let network = start(activation, 2 * k, 3, 1.0);
        // Half of the units: the other half is the same.
        let W = Matrix::from_fn(k, 3, |l, j| network.W[(l, j)]);
        let network = Network { W, v: vec![1.0; k], ..network };
        let SpectrumProof { smallest, .. } = proposed(&network, &table, JacobianPart::Output);
        let proof = random_features::Proof { smallest: forged * smallest, direction: None };
        random_features::judge(&network, table.rows(), &random_features::Claim {}, &proof).unwrap()
    };
    for activation in ["tanh", "relu", "gelu", "cos", "hermite:0.1,0.2,0.3,0.4,0.5"] {
        let holds = judged(activation, 50, 1.0);
        assert_eq!(holds.verdict(), Verdict::Holds, "{activation}");
        assert!(holds.fact("sigma") <= holds.fact("sigma_at_most"));
        assert_eq!(judged(activation, 50, 1.001).verdict(), Verdict::Undecided);
        let few = judged(activation, 5, 1.0);
        assert_eq!((few.verdict(), verdict_on(&few, "units")), (Verdict::Fails, Verdict::Fails));
    }
    // Two equal rows, and the direction that shows it.
    let mut equal = Table::random(6, 3, 1.0);
    let first = equal.X[..3].to_vec();
    equal.X[3..6].copy_from_slice(&first);
    let direction = Some(vec![1.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    let proof = random_features::Proof { smallest: 1e-9, direction };
    let network = start("tanh", 50, 3, 1.0);
    let equal = random_features::judge(&network, equal.rows(), &random_features::Claim {}, &proof).unwrap();
    assert!(equal.verdict() == Verdict::Undecided && equal.fact("sigma_at_most").unwrap() < 1e-5, "{equal:?}");
    // z² has d(d + 1)/2 = 6 features of three inputs, and 7 rows need 7.
    let (network, table) = (start("quadratic", 50, 3, 1.0), Table::random(7, 3, 1.0));
    let proof = random_features::Proof { smallest: 1e-12, direction: None };
    let quadratic = random_features::judge(&network, table.rows(), &random_features::Claim {}, &proof).unwrap();
    assert_eq!(quadratic.verdict(), Verdict::Undecided);
}

/// E φ'(g)h_r(g) by a plain sum.
fn coefficient(activation: &Activation, r: usize) -> f64 {
    let h = 1.0 / 512.0;
    let mut sum = 0.0;
    for j in -8192..=8192 {
        let x = f64::from(j) * h;
        let slope = activation.slope(shallows_verify::arithmetic::Enclosure::exactly(x));
        let (mut before, mut now) = (0.0, 1.0);
        for s in 0..r {
            (before, now) = (now, (x * now - (s as f64).sqrt() * before) / ((s + 1) as f64).sqrt());
        }
        sum += 0.5 * (slope.low + slope.high) * now * (-0.5 * x * x).exp();
    }
    h * sum / std::f64::consts::TAU.sqrt()
}

#[test]
fn hermite_coefficients_agree_with_a_plain_sum_and_are_narrow() {
    let names = [
        "tanh",
        "sigmoid",
        "sigmoid:0.01",
        "sigmoid:40",
        "softplus",
        "softplus:7",
        "erf",
        "gelu",
        "cos",
        "quadratic:2,3,1",
        "hermite:1,0.5,0.25,-3",
    ];
    for name in names {
        let activation = named(name);
        let found = slope_coefficients(&activation, 17).unwrap();
        for (r, a) in found.iter().enumerate() {
            let value = coefficient(&activation, r);
            assert!(a.low <= value + 1e-12 && a.high >= value - 1e-12, "{name} {r}: {a:?} {value}");
            assert!(a.high - a.low <= 1e-7, "{name} {r}: {a:?}");
        }
        // Bessel: Σ a_r² ≤ E φ'(g)².
        let sum: f64 = PowerSeries::below(&found).0.iter().sum();
        assert!(sum <= activation.slope_bound().powi(2));
        assert_eq!(slope_coefficients(&activation, 18), None);
    }
    assert_eq!(slope_coefficients(&Activation::Relu, 3), None);
}

/// A claim of a step that is allowed and a proof with the best eigenvalue.
fn wide(table: &Table, name: &str, width: usize) -> (wide_enough::Claim, wide_enough::Proof) {
    let series = PowerSeries::below(&slope_coefficients(&named(name), 12).unwrap());
    let ball = kernel_gram(table.rows(), &series).unwrap();
    let smallest = bisected(2.0, |mu| proves_above(&ball.center, mu, ball.radius));
    let (n, bound) = (table.y.len() as f64, named(name).slope_bound().max(named(name).curvature_bound()));
    let step = 0.999 * n / (2.0 * bound.powi(2) * norm(&table.y).powi(2) * n);
    (
        wide_enough::Claim { activation: name.into(), width, step },
        wide_enough::Proof { smallest, terms: 12, inputs: None },
    )
}

#[test]
fn a_network_is_wide_enough_or_it_is_not() {
    let table = Table::random(4, 3, 1.0);
    for name in ["softplus", "tanh", "sigmoid", "erf", "gelu", "cos"] {
        let (claim, proof) = wide(&table, name, 2_000_000_000_000);
        let holds = wide_enough::judge(table.rows(), &claim, &proof).unwrap();
        assert_eq!(holds.verdict(), Verdict::Holds, "{name}: {holds:?}");
        let judged = |claim: wide_enough::Claim| wide_enough::judge(table.rows(), &claim, &proof).unwrap();
        let odd = judged(wide_enough::Claim { width: claim.width + 1, ..claim.clone() });
        assert!(all_but(&odd, "even") && odd.verdict() == Verdict::Fails);
        let narrow = judged(wide_enough::Claim { width: 10, ..claim.clone() });
        assert_eq!((narrow.verdict(), verdict_on(&narrow, "√k")), (Verdict::Fails, Verdict::Fails));
        let long = judged(wide_enough::Claim { step: 1e3 * claim.step, ..claim.clone() });
        assert!(all_but(&long, "η ≤") && long.verdict() == Verdict::Fails);
        let forged = wide_enough::Proof { smallest: 1.0001 * proof.smallest, ..proof };
        let forged = wide_enough::judge(table.rows(), &claim, &forged).unwrap();
        assert_eq!((forged.verdict(), verdict_on(&forged, "λ(X) > 0")), (Verdict::Undecided, Verdict::Undecided));
        let needed = holds.fact("width").unwrap();
        let enough = judged(wide_enough::Claim { width: 2 * (0.5001 * needed) as usize, ..claim.clone() });
        assert_eq!(enough.verdict(), Verdict::Holds);
        let short = judged(wide_enough::Claim { width: 2 * (0.4999 * needed) as usize, ..claim });
        assert_ne!(short.verdict(), Verdict::Holds);
    }
    let (claim, proof) = wide(&table, "softplus", 2_000_000_000_000);
    for name in ["relu", "quadratic"] {
        let claim = wide_enough::Claim { activation: name.into(), ..claim.clone() };
        let unbounded = wide_enough::judge(table.rows(), &claim, &proof).unwrap();
        assert_eq!((unbounded.verdict(), verdict_on(&unbounded, "B =")), (Verdict::Fails, Verdict::Fails));
    }
    let long = Table { X: table.X.iter().map(|x| 1.001 * x).collect(), ..Table::random(4, 3, 1.0) };
    let long = wide_enough::judge(long.rows(), &claim, &proof).unwrap();
    assert_eq!((long.verdict(), verdict_on(&long, "unit")), (Verdict::Fails, Verdict::Fails));
    let weighted = Table { w: Some(vec![1.0, 2.0, 1.0, 1.0]), ..Table::random(4, 3, 1.0) };
    assert_eq!(wide_enough::judge(weighted.rows(), &claim, &proof).unwrap().checks[7].verdict(), Verdict::Fails);
    let many = wide_enough::Proof { terms: 18, ..proof };
    assert!(matches!(wide_enough::judge(table.rows(), &claim, &many), Err(Error::Range { .. })));
}

#[test]
fn the_width_of_two_orthogonal_rows_is_that_of_the_formula() {
    let table = Table { X: vec![1.0, 0.0, 0.0, 1.0], d: 2, y: vec![0.3, -0.4], w: None };
    let (claim, mut proof) = wide(&table, "softplus", 2_000_000_000);
    proof.inputs = Some(1.0 + 1e-12);
    let found = wide_enough::judge(table.rows(), &claim, &proof).unwrap();
    // λ(X) = E σ(g)², ‖X‖ = 1, ‖y‖ = ½.
    let lambda: f64 = 0.293_379_035_858;
    assert!((found.fact("eigenvalue").unwrap() - lambda).abs() < 1e-6, "{found:?}");
    let lambda = found.fact("eigenvalue").unwrap();
    let first = (32.0 * 3.0 * 2.0_f64.sqrt() / lambda).powi(2);
    assert!((found.fact("width").unwrap() / first - 1.0).abs() < 1e-7, "{found:?}");
    assert!((found.fact("probability").unwrap() - (0.5 - (-1.0_f64).exp())).abs() < 1e-7);
    assert!((found.fact("decrease").unwrap() / (claim.step * lambda * 0.25 / 32.0) - 1.0).abs() < 1e-9);
}

#[test]
fn the_kernel_of_erf_is_below_its_closed_form() {
    // Σ_ij = ρ(4/π)/√(9 − 4ρ²), of which some terms are taken.
    let table = Table::random(5, 3, 1.0);
    let ball =
        kernel_gram(table.rows(), &PowerSeries::below(&slope_coefficients(&Activation::Erf, 17).unwrap())).unwrap();
    for i in 0..5 {
        for j in 0..5 {
            let rho: f64 = table.X[3 * i..][..3].iter().zip(&table.X[3 * j..][..3]).map(|(a, b)| a * b).sum();
            let closed = rho * 4.0 / std::f64::consts::PI / (9.0 - 4.0 * rho * rho).sqrt();
            assert!((ball.center[(i, j)] - closed).abs() < 1e-3, "{i} {j}");
            assert!(i != j || ball.center[(i, i)] < closed);
        }
    }
}

#[test]
fn stochastic_descent_is_never_decided_but_can_fail() {
    let table = Table::random(5, 3, 1.0);
    let ball = kernel_gram(table.rows(), &PowerSeries::square()).unwrap();
    let smallest = bisected(1.0, |mu| proves_above(&ball.center, mu, ball.radius));
    let judged = |table: &Table, name: &str, smallest: f64| {
        let claim = sgd_converges::Claim { activation: name.into(), width: 1000 };
        sgd_converges::judge(table.rows(), &claim, &sgd_converges::Proof { smallest }).unwrap()
    };
    for name in ["softplus", "gelu", "cos"] {
        let open = judged(&table, name, smallest);
        assert!(all_but(&open, "constant c") && open.verdict() == Verdict::Undecided, "{open:?}");
        assert!((open.fact("sigma_khatri_rao").unwrap() / smallest.sqrt() - 1.0).abs() < 1e-12);
        assert_eq!(verdict_on(&judged(&table, name, 1.001 * smallest), "σ_min"), Verdict::Undecided);
        // Seven rows of three inputs have six products.
        assert_eq!(judged(&Table::random(7, 3, 1.0), name, smallest).verdict(), Verdict::Fails);
    }
    for name in ["tanh", "sigmoid:3", "erf"] {
        let even = judged(&table, name, smallest);
        assert_eq!((even.verdict(), verdict_on(&even, "μ_φ")), (Verdict::Fails, Verdict::Fails));
    }
    assert_eq!(judged(&table, "relu", smallest).verdict(), Verdict::Fails);
}

#[test]
fn keys_that_are_missing_or_unknown_are_refused() {
    let text = r#"{"smallest": 0.5, "largest": null, "inputs": 2, "direction": null}"#;
    assert!(serde_json::from_str::<SpectrumProof>(text).is_ok());
    assert!(serde_json::from_str::<SpectrumProof>(r#"{"smallest": 0.5, "largest": null, "inputs": 2}"#).is_err());
    assert!(serde_json::from_str::<SpectrumProof>(&text.replace("inputs", "input")).is_err());
    assert!(serde_json::from_str::<SpectrumProof>(&text.replace("{", r#"{"smallest": 0.5, "#)).is_err());
    assert!(serde_json::from_str::<random_features::Claim>(r#"{"k": 1}"#).is_err());
    assert!(serde_json::from_str::<random_features::Claim>("{}").is_ok());
}

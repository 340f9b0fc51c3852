//! Saddles and minima of quadratic networks on data: ways down, and what is proved about a point.

#![allow(non_snake_case, clippy::unwrap_used)]

use crate::references::{matrix, vector, vectors};
use crate::support::exact_objective;
use shallows::activation::Activation;
use shallows::certificate::Competitors;
use shallows::certificate::*;
use shallows::data::Data;
use shallows::linalg::{Matrix, add_scaled, dot, norm, symmetric_eigen};
use shallows::network::{Layers, Network};
use shallows::optimise::{GradientDescent, Monitor, Newton, Stop, StopReason, descent, newton};
use shallows::random::{Purpose, Stream};
use shallows::risk::{Decay, EmpiricalRisk, Escape, Objective, Outlook, Quartic, escape};

fn square(W: Matrix, v: Vec<f64>) -> Network {
    Network::new(Activation::SQUARE, W, v).unwrap()
}

fn data(X: Matrix, y: Vec<f64>, weights: Option<Vec<f64>>) -> Data {
    let names = (0..X.cols()).map(|j| format!("x{j}")).collect();
    Data::builder(X, y).names(names).weights(weights).build().unwrap()
}

/// The rows e₁, e₂, e₃ with labels 4, 1, 9: everything is exact.
fn axes() -> Data {
    data(Matrix::identity(3), vec![4.0, 1.0, 9.0], None)
}

/// Every row of [`axes`] twice, one label above and one below: the same minimum, which does not fit exactly.
fn doubled_axes() -> Data {
    let X = Matrix::from_fn(6, 3, |i, j| f64::from(u8::from(i % 3 == j)));
    data(X, vec![5.0, 2.0, 10.0, 3.0, 0.0, 8.0], None)
}

fn rows_of(rows: &[[f64; 3]]) -> Matrix {
    Matrix::from_rows(rows)
}

/// The minimiser for the rows of [`axes`] with one unit, padded: a stationary point, exactly.
fn padded() -> Network {
    square(rows_of(&[[2.0, 0.0, 0.0], [0.0; 3], [0.0; 3], [0.0; 3]]), vec![1.0; 4])
}

fn minimum() -> Network {
    square(rows_of(&[[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]]), vec![1.0; 3])
}

fn dense_hessian(risk: &EmpiricalRisk<'_>, theta: &[f64]) -> Matrix {
    let p = theta.len();
    let column = |j: usize| {
        let (mut unit, mut product) = (vec![0.0; p], vec![0.0; p]);
        unit[j] = 1.0;
        risk.hessian_product(theta, &unit, &mut product);
        product
    };
    Matrix::from_rows(&(0..p).map(column).collect::<Vec<_>>())
}

#[test]
fn the_saddle_at_zero_of_the_reference_has_the_reference_curvature() {
    let vectors = vectors();
    let case = &vectors["quad_empirical"];
    let data = data(matrix(&case["X"]), vector(&case["y"]), None);
    let network = square(Matrix::zeros(6, 3), vector(&case["v"]));
    let (S, _) = symmetric_eigen(&matrix(&case["at_W0_S"])).unwrap();
    let Outlook::Down(Escape { curvature, eigenvalue, .. }) = escape(&network, &data, 0.0).unwrap() else { panic!() };
    let expected = case["at_W0_min_curvature_unit_U"].as_f64().unwrap();
    assert!((eigenvalue - S[0]).abs() < 1e-12 && (curvature - expected).abs() < 1e-12, "{curvature}");
    let certificate = strict_saddle(&network, &data, 0.0, None).unwrap();
    assert_eq!(certificate.verdict(), Verdict::Holds);
    let proved = certificate.fact("curvature").unwrap();
    assert!(proved < 0.0 && (proved - expected).abs() < 1e-12, "{proved}");
    assert!(certificate.fact("gradient").unwrap() < 1e-150);
}

#[test]
fn the_quartic_is_the_objective_along_the_line_and_its_minimiser_the_best_step() {
    let mut stream = Stream::new(5, Purpose::Probe, 0);
    for case in 0..200 {
        let (data, network, decay) = random_problem(&mut stream, case);
        let (k, d) = (network.width(), network.inputs());
        let W = Matrix::from_fn(k, d, |_, _| stream.normal());
        let network = square(W, network.v);
        let U = Matrix::from_fn(k, d, |_, _| stream.normal());
        let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::Path(decay)).unwrap();
        let at = |t: f64| {
            let mut theta = network.parameters(Layers::Hidden);
            add_scaled(&mut theta, t, U.as_slice());
            risk.value(&theta).objective
        };
        let quartic = Quartic::along(&network, &data, decay, &U).unwrap();
        for t in [-2.0, -0.3, 0.0, 0.7, 1.9] {
            let difference = (quartic.0[0] + quartic.change(t) - at(t)).abs();
            assert!(difference < 1e-11 * at(t).max(at(0.0)), "{case}: {difference:e}");
        }
        let best = at(quartic.minimiser());
        let least = (-4000..=4000).map(|t| at(f64::from(t) / 1000.0)).fold(f64::INFINITY, f64::min);
        assert!(best <= least * (1.0 + 1e-12), "{case}: {best} above {least}");
    }
}

#[test]
fn degenerate_quartics_have_the_right_minimiser() {
    assert_eq!(Quartic([1.0, 0.0, 0.0, 0.0, 0.0]).minimiser(), 0.0);
    assert_eq!(Quartic([1.0, -2.0, 1.0, 0.0, 0.0]).minimiser(), 1.0);
    assert_eq!(Quartic([0.0, 0.0, -2.0, 0.0, 1.0]).minimiser().abs(), 1.0);
    assert_eq!(Quartic([0.0, f64::NAN, -2.0, 0.0, 1.0]).minimiser(), 0.0);
}

/// Small data of any kind, a network with output weights of mixed or one sign, and a decay.
fn random_problem(stream: &mut Stream, case: usize) -> (Data, Network, f64) {
    let d = 2 + stream.below(3);
    let n = 4 + stream.below(9);
    let X = Matrix::from_fn(n, d, |_, _| stream.normal());
    let y: Vec<f64> = (0..n).map(|i| X[(i, 0)] * X[(i, 1)] + X[(i, d - 1)].powi(2) + stream.normal()).collect();
    let weights = (case % 4 == 1).then(|| (0..n).map(|i| if i == 2 { 0.0 } else { 0.2 + stream.uniform() }).collect());
    let v = match case % 3 {
        0 => (0..2 * d + 1).map(|j| (0.5 + stream.uniform()) * if j % 2 == 0 { 1.0 } else { -1.0 }).collect(),
        1 => (0..d + 1).map(|_| 0.5 + stream.uniform()).collect(),
        _ => (0..d + 1).map(|_| -0.5 - stream.uniform()).collect::<Vec<f64>>(),
    };
    let decay = [0.0, 0.05][stream.below(2)];
    (data(X, y, weights), square(Matrix::zeros(v.len(), d), v), decay)
}

/// A minimiser of the network of the first r units, padded with zeros; r = 0 is W = 0.
fn padded_minimiser(data: &Data, network: &Network, decay: f64, r: usize, stream: &mut Stream) -> Network {
    let d = network.inputs();
    let mut whole = network.clone();
    if r == 0 {
        return whole;
    }
    let narrow = square(Matrix::from_fn(r, d, |_, _| stream.normal()), network.v[..r].to_vec());
    let risk = EmpiricalRisk::new(data, &narrow, Layers::Hidden, Decay::Path(decay)).unwrap();
    let mut monitor = Monitor::new(Stop { gradient: 1e-13, iterations: 500, ..Stop::default() });
    let theta = newton(&risk, narrow.parameters(Layers::Hidden), &Newton::default(), &mut monitor);
    whole.W.as_mut_slice()[..r * d].copy_from_slice(&theta);
    whole
}

/// The same function and another stationary point: √|D|W rotated among the units of each sign. No row stays zero.
fn rotated(network: &Network, stream: &mut Stream) -> Network {
    let mut other = network.clone();
    for sign in [1.0, -1.0] {
        let units: Vec<usize> = (0..network.width()).filter(|&j| sign * network.v[j] > 0.0).collect();
        let m = units.len();
        if m == 0 {
            continue;
        }
        let A = Matrix::from_fn(m, m, |_, _| stream.normal());
        let (_, Q) = symmetric_eigen(&Matrix::from_fn(m, m, |i, j| A[(i, j)] + A[(j, i)])).unwrap();
        for (i, &to) in units.iter().enumerate() {
            let mut row = vec![0.0; network.inputs()];
            for (j, &from) in units.iter().enumerate() {
                let factor = Q[(i, j)] * (network.v[from] / network.v[to]).sqrt();
                add_scaled(&mut row, factor, network.W.row(from));
            }
            other.W.row_mut(to).copy_from_slice(&row);
        }
    }
    other
}

#[test]
fn a_thousand_saddles_have_the_way_down_that_is_claimed() {
    let mut stream = Stream::new(1, Purpose::Start, 0);
    let (mut saddles, mut lowest, mut proved, mut minima) = (0, 0, 0, 0);
    let mut ranks = [0; 4];
    let mut worst = 0.0_f64;
    for case in 0.. {
        if saddles == 1000 {
            break;
        }
        let (data, network, decay) = random_problem(&mut stream, case);
        let r = stream.below(network.inputs());
        let network = padded_minimiser(&data, &network, decay, r, &mut stream);
        let network = if case % 2 == 0 { rotated(&network, &mut stream) } else { network };
        let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::Path(decay)).unwrap();
        let theta = network.parameters(Layers::Hidden);
        let mut gradient = theta.clone();
        let before = risk.gradient(&theta, &mut gradient).objective;
        if norm(&gradient) > 1e-9 * (1.0 + before) {
            continue;
        }
        let H = dense_hessian(&risk, &theta);
        let (values, _) = symmetric_eigen(&H).unwrap();
        let size = values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let Outlook::Down(Escape { U, curvature, .. }) = escape(&network, &data, decay).unwrap() else {
            // What is not a saddle of S is a minimum: the Hessian has no way down either.
            assert!(values[0] > -1e-7 * size, "{case}: {} of {size}", values[0]);
            minima += 1;
            continue;
        };
        if curvature > -1e-9 * size {
            continue;
        }
        let form = dot(U.as_slice(), &H.times_vector(U.as_slice()));
        assert!((form - curvature).abs() < 1e-10 * size, "{case}: {form} is claimed to be {curvature}");
        let t = Quartic::along(&network, &data, decay, &U).unwrap().minimiser();
        let mut next = theta.clone();
        add_scaled(&mut next, t, U.as_slice());
        let after = risk.value(&next).objective;
        assert!(after < before, "{case}: {before} to {after}");
        let certificate = strict_saddle(&network, &data, decay, None).unwrap();
        assert_ne!(certificate.verdict(), Verdict::Fails, "{case}");
        if certificate.verdict() == Verdict::Holds {
            proved += 1;
            let (c, decrease) = (certificate.fact("curvature").unwrap(), certificate.fact("decrease").unwrap());
            assert!(c >= form - 1e-9 * size && c < 0.0, "{case}: {c} for {form}");
            let [(from, _), (_, to)] = [&network, &risk.network_at(&next)].map(|network| {
                let exponents = vec![0; data.d()];
                let claim = Claim { signs: Signs::Any, decay, linear: false, intercept: false, exponents };
                exact_objective(network, &data, &claim)
            });
            // W + tU was rounded, and t is not quite that of the certificate.
            let slack = 1e-14 * (size + 1.0) + 1e-8 * decrease;
            assert!(from - to >= decrease - slack, "{case}: {decrease} of {}, beside {size}", from - to);
            worst = worst.max((decrease - (from - to)) / (size + 1.0));
            let (estimate, bound) = (norm(&gradient), certificate.fact("gradient").unwrap());
            assert!(estimate <= bound + 1e-13 * size, "{case}: {estimate:e} above {bound:e}, beside {size}");
        }
        saddles += 1;
        ranks[r] += 1;
        lowest += usize::from(curvature <= values[0] + 1e-6 * values[0].abs());
    }
    println!(
        "{saddles} saddles (units in use: {ranks:?}), besides {minima} minima: the direction is the lowest in {lowest}, \
         proved in {proved}; a proved decrease is at most {worst:e} of the Hessian above the rounded step's"
    );
    assert!(proved >= 990 && ranks[0] > 100 && ranks[1] > 100, "{proved}, {ranks:?}");
}

#[test]
fn off_stationarity_the_curvature_is_that_of_the_whole_form() {
    let mut stream = Stream::new(9, Purpose::Start, 0);
    let mut down = 0;
    for case in 0..300 {
        let (data, network, decay) = random_problem(&mut stream, case);
        let W = Matrix::from_fn(network.width(), network.inputs(), |_, _| 0.3 * stream.normal());
        let network = square(W, network.v);
        let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::Path(decay)).unwrap();
        let theta = network.parameters(Layers::Hidden);
        let H = dense_hessian(&risk, &theta);
        if let Outlook::Down(Escape { U, curvature, .. }) = escape(&network, &data, decay).unwrap() {
            let form = dot(U.as_slice(), &H.times_vector(U.as_slice()));
            assert!((form - curvature).abs() < 1e-10 * norm(H.as_slice()) && form < 0.0, "{case}");
            down += 1;
        }
    }
    assert!(down > 100, "{down}");
}

#[test]
fn where_there_is_no_way_down_it_is_said_why() {
    assert_eq!(escape(&minimum(), &axes(), 0.0).unwrap(), Outlook::Optimal);
    // One unit for two inputs, at its minimum: S has a negative eigenvalue, but the unit is in use.
    let X = Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0]]);
    let corners = data(X, vec![1.0, 4.0, 5.0, 5.0], None);
    let narrow = square(Matrix::from_rows(&[[0.0, 2.0]]), vec![1.0]);
    let risk = EmpiricalRisk::new(&corners, &narrow, Layers::Hidden, Decay::None).unwrap();
    let theta = newton(&risk, vec![0.1, 2.0], &Newton::default(), &mut Monitor::new(Stop::default()));
    let outlook = escape(&risk.network_at(&theta), &corners, 0.0).unwrap();
    assert_eq!(outlook, Outlook::Blocked { units: 1, needed: 2 });
    let negative = square(Matrix::zeros(4, 3), vec![-1.0; 4]);
    assert_eq!(escape(&negative, &axes(), 0.0).unwrap(), Outlook::Optimal);
    let tanh = Network::new("tanh".parse().unwrap(), Matrix::zeros(4, 3), vec![1.0; 4]).unwrap();
    assert!(escape(&tanh, &axes(), 0.0).is_err());
    assert!(escape(&square(Matrix::zeros(4, 2), vec![1.0; 4]), &axes(), 0.0).is_err());
}

#[test]
fn descent_stays_at_an_exact_saddle_and_newton_leaves_along_the_known_direction() {
    let data = axes();
    for network in [padded(), square(Matrix::zeros(4, 3), vec![1.0; 4])] {
        let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::None).unwrap();
        let start = network.parameters(Layers::Hidden);
        let stop = Stop { gradient: 1e-11, ..Stop::default() };
        let stuck = descent(&risk, start.clone(), &GradientDescent::default(), &mut Monitor::new(stop));
        assert_eq!(stuck, start);
        let step = risk.known_escape(&start, 1e-8).unwrap();
        let mut moved = start.clone();
        add_scaled(&mut moved, 1.0, &step);
        // The first step of newton is that very step.
        let first = newton(&risk, start.clone(), &Newton::default(), &mut Monitor::new(Stop { iterations: 1, ..stop }));
        assert_eq!(first, moved);
        let mut monitor = Monitor::new(stop);
        let end = newton(&risk, start, &Newton::default(), &mut monitor);
        assert!(risk.value(&end).objective < 1e-20, "{:e}", risk.value(&end).objective);
        assert_eq!(monitor.into_trace().reason, StopReason::Gradient);
    }
}

#[test]
fn strict_saddle_holds_at_saddles_and_breaks_at_each_hypothesis() {
    let data = axes();
    let certificate = strict_saddle(&padded(), &data, 0.0, None).unwrap();
    assert_eq!(certificate.verdict(), Verdict::Holds, "{certificate:?}");
    // −2·λ_min(S) = 6, and the unit that moves reaches 9.
    assert!((certificate.fact("curvature").unwrap() + 6.0).abs() < 1e-12);
    assert!((certificate.fact("decrease").unwrap() - 13.5).abs() < 1e-10);
    // With decay S has to be beyond τ.
    assert_eq!(
        strict_saddle(&square(Matrix::zeros(4, 3), vec![1.0; 4]), &data, 2.9, None).unwrap().verdict(),
        Verdict::Holds
    );
    let beyond = strict_saddle(&square(Matrix::zeros(4, 3), vec![1.0; 4]), &data, 3.1, None).unwrap();
    assert_eq!(beyond.checks[0].verdict(), Verdict::Fails);
    // A direction that does not lead down refutes nothing: another may.
    let along = Matrix::from_fn(4, 3, |i, j| f64::from(u8::from(i == 0 && j == 0)));
    let certificate = strict_saddle(&padded(), &data, 0.0, Some(&along)).unwrap();
    assert_eq!(certificate.checks[0].verdict(), Verdict::Undecided);
    // Where S − τ and S + τ say that none leads down, a direction does not change that.
    let beyond = strict_saddle(&square(Matrix::zeros(4, 3), vec![1.0; 4]), &data, 3.1, Some(&along)).unwrap();
    assert_eq!(beyond.verdict(), Verdict::Fails);
    // Curvature of −1e-12 beside numbers of size 1: negative for certain, but what a step gains drowns in rounding.
    let network = square(Matrix::from_rows(&[[0.1, 0.37], [0.1, 0.37]]), vec![1.0; 2]);
    let X = Matrix::from_rows(&[[0.7, 0.3], [0.7, -0.3]]);
    let f = network.predict(&X).unwrap();
    let close = self::data(X, vec![f[0] - 1.0, f[1] + 1.0 + 4e-12], None);
    let U = Matrix::from_rows(&[[0.6, 0.0], [-0.6, 0.0]]);
    let certificate = strict_saddle(&network, &close, 0.0, Some(&U)).unwrap();
    let verdicts: Vec<Verdict> = certificate.checks.iter().map(Check::verdict).collect();
    assert_eq!(verdicts, [Verdict::Holds, Verdict::Undecided], "{certificate:?}");
    assert!(strict_saddle(&network, &close, 0.0, Some(&Matrix::zeros(3, 2))).is_err());
    assert!(strict_saddle(&network, &close, f64::NAN, None).is_err());
}

#[test]
fn near_zero_curvature_is_never_called_negative_when_integers_say_otherwise() {
    let mut stream = Stream::new(2, Purpose::Probe, 7);
    let (mut held, mut open) = (0, 0);
    for case in 0..4000 {
        let (n, d, k) = (4, 2, 3);
        let mut whole = |most: usize| stream.below(2 * most + 1) as f64 - most as f64;
        let mut X = Matrix::from_fn(n, d, |_, _| whole(31));
        X.row_mut(n - 1).copy_from_slice(&[1.0, 0.0]);
        let W = Matrix::from_fn(k, d, |_, _| whole(31));
        let mut U = Matrix::from_fn(k, d, |_, j| if j == 0 { whole(1) } else { whole(15) });
        U[(0, 0)] = 1.0;
        let v: Vec<f64> = vec![1.0, [1.0, -1.0][case % 2], 2.0];
        let mut y: Vec<f64> = (0..n).map(|_| whole(1000)).collect();
        // The last label makes the sum as small as it can be, up to a few units.
        let (_, slope) = exact_curvature(&X, &y, &W, &v, &U);
        y[n - 1] = 0.0;
        let (rest, _) = exact_curvature(&X, &y, &W, &v, &U);
        if slope == 0 || (rest / slope).abs() > 1 << 52 {
            continue;
        }
        y[n - 1] = (rest / slope) as f64 + whole(2);
        let (sum, _) = exact_curvature(&X, &y, &W, &v, &U);
        let scale = 2.0_f64.powi(stream.below(60) as i32 - 30);
        let U = Matrix::from_fn(k, d, |i, j| scale * U[(i, j)]);
        let certificate = strict_saddle(&square(W, v), &data(X, y, None), 0.0, Some(&U)).unwrap();
        match certificate.checks[0].verdict() {
            Verdict::Holds => {
                assert!(sum < 0, "{case}: {sum}");
                held += 1;
            }
            // No curvature is negative then, so not that along U either.
            Verdict::Fails => assert!(sum >= 0, "{case}: {sum}"),
            Verdict::Undecided => open += 1,
        }
    }
    println!("{held} held, {open} were left open");
    assert!(held > 50 && open > 50, "{held}, {open}");
}

/// Σ(rᵢpᵢ + 2qᵢ²) and −pₙ, which is its slope in the last label, in integers.
fn exact_curvature(X: &Matrix, y: &[f64], W: &Matrix, v: &[f64], U: &Matrix) -> (i128, i128) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| *a as i128 * *b as i128).sum::<i128>();
    let (mut sum, mut last) = (0, 0);
    for i in 0..X.rows() {
        let (mut r, mut p, mut q) = (-(y[i] as i128), 0, 0);
        for j in 0..W.rows() {
            let (z, s, v) = (dot(W.row(j), X.row(i)), dot(U.row(j), X.row(i)), v[j] as i128);
            r += v * z * z;
            p += v * s * s;
            q += v * z * s;
        }
        sum += r * p + 2 * q * q;
        last = p;
    }
    (sum, last)
}

fn competitors(signs: Signs, size: f64) -> Competitors {
    Competitors { signs, size: Some(size) }
}

#[test]
fn approximate_minimum_holds_at_minima_and_breaks_at_each_hypothesis() {
    let data = doubled_axes();
    for signs in [Signs::Any, Signs::Positive] {
        let certificate = approximate_minimum(&minimum(), &data, 0.0, competitors(signs, 14.0), 1e-6).unwrap();
        assert_eq!(certificate.verdict(), Verdict::Holds, "{certificate:?}");
        assert!(certificate.fact("bound").unwrap() < 1e-11);
        assert_eq!(certificate.fact("planted_bound").unwrap(), 0.5 * certificate.fact("bound").unwrap());
    }
    // What fits exactly cannot be lowered by more than nothing, and a bound above that is no news.
    let exact = approximate_minimum(&minimum(), &axes(), 0.0, competitors(Signs::Any, 14.0), 1e-6).unwrap();
    assert_eq!(exact.checks[1].verdict(), Verdict::Undecided, "{exact:?}");
    let wrong = approximate_minimum(&minimum(), &data, 0.0, competitors(Signs::Negative, 0.0), 1e-6).unwrap();
    assert_eq!((wrong.checks[0].verdict(), wrong.checks[1].verdict()), (Verdict::Fails, Verdict::Holds));
    let far = approximate_minimum(&padded(), &axes(), 0.0, competitors(Signs::Positive, 14.0), 1e-6).unwrap();
    assert_eq!(far.checks[0].verdict(), Verdict::Holds);
    assert_ne!(far.checks[1].verdict(), Verdict::Holds);
    // σ = 3 and ‖M̂‖_* ≤ 14, where the truth is 41/3.
    assert!((far.fact("bound").unwrap() - 42.0).abs() < 2.0, "{far:?}");
    assert!(approximate_minimum(&padded(), &data, 0.0, competitors(Signs::Any, -1.0), 1e-6).is_err());
    assert!(approximate_minimum(&padded(), &data, 0.0, competitors(Signs::Any, 1.0), 0.0).is_err());
}

#[test]
fn no_competitor_beats_the_bound_of_approximate_minimum_or_full_rank_stationary() {
    let mut stream = Stream::new(3, Purpose::Probe, 1);
    let mut tightest = 0.0_f64;
    for case in 0..300 {
        let (data, network, decay) = random_problem(&mut stream, case);
        let W = Matrix::from_fn(network.width(), network.inputs(), |_, _| stream.normal());
        let network = square(W, network.v);
        let signs = [Signs::Any, Signs::Positive, Signs::Negative][stream.below(3)];
        let R = 3.0 * stream.uniform();
        let bounds = [
            approximate_minimum(&network, &data, decay, competitors(signs, R), 0.1).unwrap().fact("bound"),
            full_rank_stationary(&network, &data, decay, Some(R), 0.1)
                .ok()
                .filter(|certificate| certificate.checks[..3].iter().all(|check| check.verdict() == Verdict::Holds))
                .and_then(|certificate| certificate.fact("bound")),
        ];
        let objective = |network: &Network| {
            let risk = EmpiricalRisk::new(&data, network, Layers::Hidden, Decay::Path(decay)).unwrap();
            risk.value(&network.parameters(Layers::Hidden)).objective
        };
        for _ in 0..20 {
            let competitor = random_competitor(&mut stream, signs, R, network.inputs());
            let gain = objective(&network) - objective(&competitor);
            for bound in bounds.into_iter().flatten() {
                assert!(gain <= bound + 1e-12 * bound.abs(), "{case}: {gain} against {bound}");
                tightest = tightest.max(if bound > 0.0 { gain / bound } else { 0.0 });
            }
        }
    }
    println!("largest gain / bound: {tightest}");
}

/// A network of nuclear norm R at most, orthogonal units.
fn random_competitor(stream: &mut Stream, signs: Signs, R: f64, d: usize) -> Network {
    let A = Matrix::from_fn(d, d, |_, _| stream.normal());
    let (_, Q) = symmetric_eigen(&Matrix::from_fn(d, d, |i, j| A[(i, j)] + A[(j, i)])).unwrap();
    let shares: Vec<f64> = (0..d).map(|_| stream.uniform()).collect();
    let total: f64 = shares.iter().sum();
    let sign = |stream: &mut Stream| match signs {
        Signs::Any => stream.sign(),
        Signs::Positive => 1.0,
        Signs::Negative => -1.0,
    };
    let v = (0..d).map(|_| sign(stream)).collect();
    square(Matrix::from_fn(d, d, |i, j| (R * shares[i] / total).sqrt() * Q[(j, i)]), v)
}

#[test]
fn full_rank_stationary_holds_at_minima_and_breaks_at_each_hypothesis() {
    let (data, size) = (doubled_axes(), Some(14.0));
    let verdicts = |network: &Network, decay: f64, size| {
        let certificate = full_rank_stationary(network, &data, decay, size, 1e-6).unwrap();
        certificate.checks.iter().map(Check::verdict).collect::<Vec<_>>()
    };
    let certificate = full_rank_stationary(&minimum(), &data, 0.0, size, 1e-6).unwrap();
    assert_eq!(certificate.verdict(), Verdict::Holds, "{certificate:?}");
    let least = certificate.fact("least_singular_value").unwrap();
    assert!((0.99..=1.0).contains(&least), "{least}");
    use Verdict::{Fails, Holds, Undecided};
    // Too few units that are not zero; the point is stationary.
    assert_eq!(verdicts(&padded(), 0.0, Some(0.0))[1..3], [Fails, Undecided]);
    // Three units in a plane, at the exact labels of that plane.
    let mut flat = minimum();
    flat.W = rows_of(&[[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [2.0, 1.0, 0.0]]);
    flat.v = vec![1.0; 4];
    flat.W.row_mut(2).copy_from_slice(&[1.0, 1.0, 0.0]);
    assert_eq!(verdicts(&flat, 0.0, size)[..3], [Holds, Holds, Undecided]);
    // A gradient.
    let mut steep = minimum();
    steep.W[(0, 0)] = 2.1;
    let found = verdicts(&steep, 0.0, size);
    assert!(found[..3].iter().all(|verdict| *verdict == Holds) && found[3] != Holds, "{found:?}");
    // Decay and both signs.
    let mut mixed = minimum();
    mixed.v[1] = -1.0;
    assert_eq!(verdicts(&mixed, 0.1, size)[..3], [Fails, Holds, Holds]);
    assert_eq!(verdicts(&mixed, 0.0, size)[..3], [Holds, Holds, Holds]);
    // One sign with decay, at its minimum: M_ii = y_i − 3τ.
    let mut shrunk = minimum();
    shrunk.W = Matrix::from_fn(3, 3, |i, j| if i == j { ([4.0, 1.0, 9.0][i] - 0.3_f64).sqrt() } else { 0.0 });
    assert_eq!(verdicts(&shrunk, 0.1, size), [Holds; 4]);
}

#[test]
fn planted_quadratic_holds_for_independent_rows_and_breaks_at_each_hypothesis() {
    let mut stream = Stream::new(4, Purpose::Inputs, 0);
    let X = Matrix::from_fn(6, 3, |_, _| stream.normal());
    let y: Vec<f64> = (0..6).map(|_| stream.normal()).collect();
    let v = vec![1.0, 2.0, 1.0, -1.0, -0.5, -1.0];
    let network = square(Matrix::zeros(6, 3), v.clone());
    let verdicts = |network: &Network, data: &Data, decay: f64| {
        let certificate = planted_quadratic(network, data, decay).unwrap();
        certificate.checks.iter().map(Check::verdict).collect::<Vec<_>>()
    };
    use Verdict::{Fails, Holds, Undecided};
    let full = data(X.clone(), y.clone(), None);
    assert_eq!(verdicts(&network, &full, 0.0), [Holds; 5]);
    assert_eq!(verdicts(&network, &full, 0.1), [Fails, Holds, Holds, Holds, Holds]);
    let with = |at: usize| square(Matrix::zeros(6, 3), (0..6).map(|j| if j == at { 0.0 } else { v[j] }).collect());
    assert_eq!(verdicts(&with(0), &full, 0.0), [Holds, Fails, Holds, Holds, Holds]);
    assert_eq!(verdicts(&with(4), &full, 0.0), [Holds, Holds, Fails, Holds, Holds]);
    // A row that is minus another: no labels tell them apart.
    let mut twice = full.clone();
    let negated: Vec<f64> = X.row(0).iter().map(|x| -x).collect();
    twice.X.row_mut(5).copy_from_slice(&negated);
    assert_eq!(verdicts(&network, &twice, 0.0), [Holds, Holds, Holds, Fails, Fails]);
    // Rows in a plane, all different: 4 > 3 products. Not told from near-dependence.
    let flat = data(Matrix::from_fn(4, 3, |i, j| if j == 2 { 0.0 } else { X[(i, j)] }), y[..4].to_vec(), None);
    assert_eq!(verdicts(&network, &flat, 0.0), [Holds, Holds, Holds, Holds, Undecided]);
    // Seven rows are too many, unless one of them does not count.
    let more = Matrix::from_fn(7, 3, |i, j| if i < 6 { X[(i, j)] } else { 1.0 });
    let labels: Vec<f64> = (0..7).map(f64::from).collect();
    assert_eq!(verdicts(&network, &data(more.clone(), labels.clone(), None), 0.0)[3], Fails);
    // A weight that is no double once it is divided by the sum still counts.
    let faint = (0..7).map(|i| if i < 6 { 1e300 } else { 1e-300 }).collect();
    assert_eq!(verdicts(&network, &data(more.clone(), labels.clone(), Some(faint)), 0.0)[3], Fails);
    let weights = (0..7).map(|i| f64::from(i % 7).min(1.0)).collect();
    assert_eq!(verdicts(&network, &data(more, labels, Some(weights)), 0.0)[0..3], [Holds; 3]);
}

#[test]
fn planted_labels_are_fitted_at_every_local_minimum_of_one_sign() {
    let mut stream = Stream::new(6, Purpose::Inputs, 0);
    let X = Matrix::from_fn(12, 2, |_, _| stream.normal());
    let planted = square(Matrix::from_fn(2, 2, |_, _| stream.normal()), vec![1.0, 0.5]);
    let y = planted.predict(&X).unwrap();
    let data = data(X, y, None);
    let network = square(Matrix::zeros(3, 2), vec![1.0, 2.0, 0.0]);
    let verdicts = |planted: &Network, network: &Network, decay: f64| {
        let certificate = planted_quadratic_by(planted, network, &data, decay).unwrap();
        certificate.checks.iter().map(Check::verdict).collect::<Vec<_>>()
    };
    use Verdict::{Fails, Holds};
    assert_eq!(verdicts(&planted, &network, 0.0), [Holds; 4]);
    let loss = planted_quadratic_by(&planted, &network, &data, 0.0).unwrap().fact("loss").unwrap();
    assert!(loss < 1e-28, "{loss:e}");
    // As promised: twenty local minima.
    for _ in 0..20 {
        let start = square(Matrix::from_fn(3, 2, |_, _| stream.normal()), network.v.clone());
        let risk = EmpiricalRisk::new(&data, &start, Layers::Hidden, Decay::None).unwrap();
        let mut monitor = Monitor::new(Stop { gradient: 1e-12, ..Stop::default() });
        let end = newton(&risk, start.parameters(Layers::Hidden), &Newton::default(), &mut monitor);
        assert!(risk.value(&end).objective < 1e-18);
    }
    assert_eq!(verdicts(&planted, &network, 0.1)[0], Fails);
    let mixed = square(planted.W.clone(), vec![1.0, -0.5]);
    assert_eq!(verdicts(&mixed, &network, 0.0), [Holds, Fails, Holds, Holds]);
    for v in [vec![1.0, 0.0, 0.0], vec![1.0, 2.0, -1.0], vec![-1.0, -2.0, -1.0]] {
        assert_eq!(verdicts(&planted, &square(Matrix::zeros(3, 2), v), 0.0), [Holds, Holds, Fails, Holds]);
    }
    let mut shifted = planted.clone();
    shifted.intercept = Some(0.1);
    assert_eq!(verdicts(&shifted, &network, 0.0), [Holds, Holds, Holds, Fails]);
}

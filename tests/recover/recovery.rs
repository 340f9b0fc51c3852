//! Recovering planted weights: where theory says it works, and every way in which its assumptions can be wrong.

#![allow(non_snake_case, clippy::unwrap_used)]

use shallows::activation::Activation;
use shallows::data::Data;
use shallows::data::teacher::{Design, Teacher};
use shallows::linalg::{Matrix, norm, orthonormal_columns};
use shallows::network::Network;
use shallows::random::{Purpose, Stream};
use shallows::recover::{
    Alignment, Doubt, Finding, Law, Parts, Recovery, RecoverySettings, Refusal, Warning, align, normalised, recover,
};
use shallows::watch::Watch;

fn settings(activation: &Activation) -> RecoverySettings {
    let activation = activation.clone();
    RecoverySettings { activation, units: None, law: Law::Tested, parts: Parts::default(), seed: 0 }
}

fn recovered(data: &Data, settings: &RecoverySettings) -> Recovery {
    recover(data, settings, Watch::silent()).unwrap()
}

/// m unit rows: orthonormal, or those plus half as much Gaussian noise.
fn rows((d, m): (usize, usize), orthogonal: bool, stream: &mut Stream) -> Matrix {
    let Q = orthonormal_columns(&Matrix::from_fn(d, d, |_, _| stream.normal()));
    let mut B = Matrix::from_fn(m, d, |i, j| Q[(j, i)]);
    if !orthogonal {
        for i in 0..m {
            B.row_mut(i).iter_mut().for_each(|b| *b += 0.5 * stream.normal() / (d as f64).sqrt());
            let length = norm(B.row(i));
            B.row_mut(i).iter_mut().for_each(|b| *b /= length);
        }
    }
    B
}

/// A teacher with unit rows and output weights in [1, 2], with signs where asked for.
fn teacher(activation: &Activation, shape: (usize, usize), orthogonal: bool, signs: bool, seed: u64) -> Teacher {
    let mut stream = Stream::new(seed, Purpose::Teacher, 7);
    let W = rows(shape, orthogonal, &mut stream);
    let v = (0..shape.1).map(|_| (1.0 + stream.uniform()) * if signs { stream.sign() } else { 1.0 }).collect();
    let network = Network::new(activation.clone(), W, v).unwrap();
    Teacher { network, design: Design::Gaussian, noise: 0.0, seed }
}

fn compared(found: &Recovery, teacher: &Network) -> Alignment {
    let (found, teacher) = (normalised(found.network.clone().unwrap()), normalised(teacher.clone()));
    align((&found.W, &found.v), (&teacher.W, &teacher.v)).unwrap()
}

/// e < 1e-8, all signs and output weights right, and said to be recovered exactly.
fn is_exact(found: &Recovery, teacher: &Network, is_even: bool) -> bool {
    let matched = compared(found, teacher);
    found.finding == Finding::Recovered
        && found.evidence.as_ref().unwrap().is_exact()
        && *matched.error.as_ref().unwrap() < 1e-8
        && matched.output_error < 1e-8
        && matched.extra.is_empty()
        && matched.missing.is_empty()
        && (is_even || matched.pairs.iter().all(|pair| !pair.flipped))
}

/// How many of ten teachers are recovered exactly, without being told the number of units.
fn exactly(activation: &Activation, shape: (usize, usize), orthogonal: bool, signs: bool, n: u64) -> usize {
    let is_even = activation.symmetry() == shallows::activation::Symmetry::Even;
    let one = |seed: &u64| {
        let teacher = teacher(activation, shape, orthogonal, signs, *seed);
        let found = recovered(&teacher.sample(0..n).unwrap(), &settings(activation));
        // What is not recovered must not be called so.
        let exact = is_exact(&found, &teacher.network, is_even);
        assert_eq!(exact, found.finding == Finding::Recovered, "seed {seed}: {:?}", found.finding);
        exact
    };
    (0..10).filter(one).count()
}

#[test]
fn relu_teachers_are_recovered_exactly() {
    for (shape, orthogonal, n) in
        [((5, 5), true, 1000), ((10, 10), true, 3000), ((10, 5), false, 1000), ((20, 10), false, 3000)]
    {
        let found = exactly(&Activation::RELU, shape, orthogonal, false, n);
        assert!(found >= 9, "{shape:?} n = {n}: {found} of 10");
    }
}

#[test]
fn twenty_relu_units_on_twenty_inputs_are_recovered_exactly() {
    let found = exactly(&Activation::RELU, (20, 20), true, false, 10_000);
    assert!(found >= 9, "{found} of 10");
}

#[test]
fn output_weights_of_both_signs_are_recovered_exactly() {
    let found = exactly(&Activation::RELU, (10, 5), false, true, 3000);
    assert!(found >= 9, "{found} of 10");
}

#[test]
fn other_activations_with_an_even_part_are_recovered_exactly() {
    let hermite = Activation::hermite_series(vec![0.2, 0.5, 0.6, 0.3, 0.4]).unwrap();
    let softplus = |sharpness| Activation::softplus(sharpness).unwrap();
    let leaky = Activation::leaky_relu(0.2).unwrap();
    for activation in [softplus(1.0), softplus(5.0), Activation::ABS, Activation::GELU, Activation::COS, leaky, hermite]
    {
        let found = exactly(&activation, (6, 3), false, false, 4000);
        assert!(found >= 9, "{activation}: {found} of 10");
    }
}

#[test]
fn units_of_other_lengths_are_recovered_exactly_where_lengths_matter() {
    for activation in [Activation::softplus(1.0).unwrap(), Activation::GELU] {
        let mut planted = teacher(&activation, (6, 3), false, false, 3);
        for (j, length) in [0.7, 1.0, 1.8].into_iter().enumerate() {
            planted.network.W.row_mut(j).iter_mut().for_each(|w| *w *= length);
        }
        let found = recovered(&planted.sample(0..6000).unwrap(), &settings(&activation));
        assert!(is_exact(&found, &planted.network, false), "{activation}: {:?}", found.finding);
    }
}

#[test]
fn activations_without_an_even_part_are_refused_with_the_reason() {
    // erf plus linear is odd as well: Σ c_r h_r with odd r alone stands for it.
    let odd = Activation::hermite_series(vec![0.0, 1.7, 0.0, 0.4]).unwrap();
    for activation in [Activation::TANH, Activation::ERF, odd] {
        let planted = teacher(&activation, (4, 2), true, false, 0);
        let found = recovered(&planted.sample(0..1000).unwrap(), &settings(&activation));
        assert_eq!(found.finding, Finding::Refused(Refusal::Odd), "{activation}");
        assert!(found.network.is_none());
    }
    let square = teacher(&Activation::SQUARE, (4, 2), true, false, 0);
    let found = recovered(&square.sample(0..1000).unwrap(), &settings(&Activation::SQUARE));
    assert_eq!(found.finding, Finding::Refused(Refusal::Quadratic));
}

/// Root mean square error of the weights a_i b_i relative to their size.
fn weight_error(found: &Recovery, teacher: &Network) -> f64 {
    let matched = compared(found, teacher);
    let square = |pair: &shallows::recover::Pair| pair.angle.powi(2) + pair.output_error.powi(2);
    (matched.pairs.iter().map(square).sum::<f64>() / matched.pairs.len() as f64).sqrt()
}

#[test]
fn with_label_noise_the_error_falls_like_one_over_the_root_of_n() {
    let sizes = [1000_u64, 4000, 16_000];
    let mut points = vec![];
    for n in sizes {
        let mut squares = 0.0;
        let seeds = 0..10;
        for seed in seeds.clone() {
            let mut planted = teacher(&Activation::RELU, (5, 3), false, false, seed);
            let clean = planted.sample(0..20_000).unwrap().y;
            let mean = clean.iter().sum::<f64>() / clean.len() as f64;
            let spread = (clean.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / clean.len() as f64).sqrt();
            planted.noise = 0.1 * spread;
            let found = recovered(&planted.sample(0..n).unwrap(), &settings(&Activation::RELU));
            assert_eq!(found.finding, Finding::Recovered, "n = {n}, seed {seed}");
            let noise = found.evidence.as_ref().unwrap().noise;
            assert!((noise / planted.noise - 1.0).abs() < 0.1, "n = {n}: noise {noise} for {}", planted.noise);
            squares += weight_error(&found, &planted.network).powi(2);
        }
        points.push(((n as f64).ln(), 0.5 * (squares / seeds.count() as f64).ln()));
    }
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let slope = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>()
        / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>();
    println!("slope {slope:.3}, errors {:?}", points.iter().map(|p| p.1.exp()).collect::<Vec<f64>>());
    // Ten teachers leave a standard deviation of about 0.03.
    assert!((slope + 0.5).abs() < 0.08, "slope {slope}: {points:?}");
}

#[test]
fn standard_errors_are_those_of_repeated_experiments() {
    // The error of an output weight in units of its standard error has variance 1.
    let (mut squares, mut angles, mut count) = (0.0, 0.0, 0.0);
    for seed in 0..40 {
        let mut planted = teacher(&Activation::RELU, (5, 3), false, false, 1);
        planted.noise = 0.3;
        planted.seed = 1000 + seed;
        let found = recovered(&planted.sample(0..3000).unwrap(), &settings(&Activation::RELU));
        assert_eq!(found.finding, Finding::Recovered);
        for pair in compared(&found, &planted.network).pairs {
            let unit = &found.units[pair.unit];
            let off = unit.output - planted.network.v[pair.teacher];
            squares += (off / unit.output_error).powi(2);
            angles += (pair.angle / unit.direction_error).powi(2);
            count += 1.0;
        }
    }
    // 120 squares: standard deviation of their mean about 0.13 (less for angles, which average four directions).
    assert!((squares / count - 1.0_f64).abs() < 0.5, "output weights: {}", squares / count);
    assert!((angles / count - 1.0_f64).abs() < 0.4, "directions: {}", angles / count);
}

#[test]
fn correlated_and_shifted_inputs_are_whitened_and_mapped_back() {
    let planted = teacher(&Activation::RELU, (6, 3), false, false, 2);
    let correlation = Matrix::from_fn(6, 6, |i, j| 0.8_f64.powi((i as i32 - j as i32).abs()));
    let law = Teacher { design: Design::covariance(&correlation).unwrap(), ..planted.clone() };
    let mut data = law.sample(0..4000).unwrap();
    for i in 0..data.n() {
        data.X.row_mut(i).iter_mut().enumerate().for_each(|(j, x)| *x += 0.2 * j as f64);
    }
    data.y = planted.network.predict(&data.X).unwrap();
    let found = recovered(&data, &settings(&Activation::RELU));
    assert!(found.whitened && is_exact(&found, &planted.network, false), "{:?}", found.finding);
}

#[test]
fn correlated_inputs_taken_as_they_are_are_warned_about() {
    let planted = teacher(&Activation::RELU, (6, 3), false, false, 2);
    let correlation = Matrix::from_fn(6, 6, |i, j| 0.9_f64.powi((i as i32 - j as i32).abs()));
    let law = Teacher { design: Design::covariance(&correlation).unwrap(), ..planted.clone() };
    let data = law.sample(0..4000).unwrap();
    let found = recovered(&data, &RecoverySettings { law: Law::Standard, ..settings(&Activation::RELU) });
    assert!(matches!(&found.warnings[..], [Warning::NotStandard(_), ..]), "{:?}", found.warnings);
    // Held-out rows decide: recovered only if it is the teacher.
    let is_teacher = is_exact(&found, &planted.network, false);
    assert_eq!(found.finding == Finding::Recovered, is_teacher, "{:?}", found.finding);
}

fn uniform_inputs(network: &Network, n: usize, noise: f64) -> Data {
    let mut stream = Stream::new(5, Purpose::Inputs, 0);
    let X = Matrix::from_fn(n, network.inputs(), |_, _| 3.4 * stream.uniform() - 1.7);
    let y = network.predict(&X).unwrap().iter().map(|y| y + noise * stream.normal()).collect();
    Data::builder(X, y).names((0..network.inputs()).map(|j| format!("x{j}")).collect()).build().unwrap()
}

#[test]
fn uniform_inputs_are_warned_about() {
    let planted = teacher(&Activation::RELU, (6, 3), false, false, 4).network;
    for noise in [0.0, 0.2] {
        let found = recovered(&uniform_inputs(&planted, 4000, noise), &settings(&Activation::RELU));
        assert!(
            found.warnings.iter().any(|warning| matches!(warning, Warning::NotGaussian(_))),
            "{:?}",
            found.warnings
        );
        if found.finding == Finding::Recovered {
            let matched = compared(&found, &planted);
            assert!(*matched.error.as_ref().unwrap() < 0.01 && matched.extra.is_empty(), "{matched:?}");
        }
    }
}

#[test]
fn too_few_samples_are_not_enough() {
    let planted = teacher(&Activation::RELU, (10, 5), false, false, 0);
    let found = recovered(&planted.sample(0..60).unwrap(), &settings(&Activation::RELU));
    assert!(matches!(found.finding, Finding::NotRecovered(Doubt::FewRows { .. })), "{:?}", found.finding);
    // Enough to try, hardly enough to find: never wrong weights.
    let mut missed = 0;
    for seed in 0..10 {
        let planted = teacher(&Activation::RELU, (10, 10), false, false, seed);
        let found = recovered(&planted.sample(0..150).unwrap(), &settings(&Activation::RELU));
        if found.finding == Finding::Recovered {
            assert!(is_exact(&found, &planted.network, false), "seed {seed}");
        } else {
            missed += 1;
        }
    }
    assert!(missed >= 5, "150 rows for 100 weights were enough in {} of 10: a harder case is needed", 10 - missed);
}

#[test]
fn noise_alone_has_no_units() {
    let mut planted = teacher(&Activation::RELU, (6, 1), true, false, 0);
    planted.network.v = vec![1e-12];
    planted.noise = 1.0;
    let mut seen = 0;
    for seed in 0..20 {
        planted.seed = seed;
        let found = recovered(&planted.sample(0..2000).unwrap(), &settings(&Activation::RELU));
        assert_ne!(found.finding, Finding::Recovered, "seed {seed}");
        seen += found.rank.unwrap().rank;
    }
    // A level of 1 in 100.
    assert!(seen <= 2, "{seen} units seen in 20 tables of noise");
}

#[test]
fn more_units_than_inputs_are_not_recovered() {
    let mut stream = Stream::new(3, Purpose::Teacher, 0);
    let W = Matrix::from_fn(9, 5, |_, _| stream.normal());
    let planted = Teacher {
        network: Network::new(Activation::RELU, W, vec![1.0; 9]).unwrap(),
        design: Design::Gaussian,
        noise: 0.0,
        seed: 3,
    };
    let data = planted.sample(0..5000).unwrap();
    assert!(matches!(recovered(&data, &settings(&Activation::RELU)).finding, Finding::NotRecovered(_)));
    let asked = RecoverySettings { units: Some(9), ..settings(&Activation::RELU) };
    let doubt = Doubt::TooManyUnits { units: 9, inputs: 5 };
    assert_eq!(recovered(&data, &asked).finding, Finding::NotRecovered(doubt));
}

/// y = Σ c_i relu(w_i·x) for Gaussian x, with rows of a 3×5 orthonormal matrix to choose from.
fn sum_of(terms: &[(f64, usize, f64)], noise: f64) -> (Data, Network) {
    let B = rows((5, 3), true, &mut Stream::new(8, Purpose::Teacher, 0));
    let W = Matrix::from_fn(terms.len(), 5, |i, j| terms[i].2 * B[(terms[i].1, j)]);
    let network = Network::new(Activation::RELU, W, terms.iter().map(|term| term.0).collect()).unwrap();
    let planted = Teacher { network: network.clone(), design: Design::Gaussian, noise, seed: 8 };
    (planted.sample(0..3000).unwrap(), network)
}

#[test]
fn duplicate_units_are_found_as_one_and_cannot_be_told_apart() {
    let (data, _) = sum_of(&[(1.0, 0, 1.0), (2.0, 0, 1.0), (1.5, 1, 1.0)], 0.0);
    let found = recovered(&data, &settings(&Activation::RELU));
    assert_eq!((&found.finding, found.units.len()), (&Finding::Recovered, 2));
    assert!((found.units[0].output - 3.0).abs() < 1e-10, "{:?}", found.units);
    let asked = recovered(&data, &RecoverySettings { units: Some(3), ..settings(&Activation::RELU) });
    assert!(matches!(asked.finding, Finding::NotRecovered(_)), "{:?}", asked.finding);
    assert!(asked.warnings.contains(&Warning::OtherRank { wanted: 3, seen: 2 }), "{:?}", asked.warnings);
}

#[test]
fn two_units_that_cancel_do_not_pass_for_something_else() {
    // 2relu(z) − 2relu(−z) = 2z: no even moment shows it.
    for noise in [0.0, 0.1] {
        let (data, network) = sum_of(&[(2.0, 0, 1.0), (-2.0, 0, -1.0), (1.5, 1, 1.0)], noise);
        let found = recovered(&data, &settings(&Activation::RELU));
        if found.finding == Finding::Recovered {
            // Two opposite units are a linear function, which hides the signs of the others: the function is what is found.
            assert!(found.warnings.contains(&Warning::SignsHidden), "{:?}", found.warnings);
            let X = &sum_of(&[(1.0, 0, 1.0)], 0.0).0.X;
            let (f, truth) = (found.network.unwrap().predict(X).unwrap(), network.predict(X).unwrap());
            let off: Vec<f64> = f.iter().zip(&truth).map(|(f, y)| f - y).collect();
            assert!(norm(&off) < 0.03 * norm(&truth), "{}", norm(&off) / norm(&truth));
        } else {
            assert!(matches!(found.finding, Finding::NotRecovered(_)));
        }
    }
}

#[test]
fn a_unit_too_many_or_too_few_is_not_supported() {
    let planted = teacher(&Activation::RELU, (6, 3), false, false, 6);
    for noise in [0.0, 0.2] {
        let data = Teacher { noise, ..planted.clone() }.sample(0..4000).unwrap();
        for units in [2, 4] {
            let found = recovered(&data, &RecoverySettings { units: Some(units), ..settings(&Activation::RELU) });
            assert!(matches!(found.finding, Finding::NotRecovered(_)), "{units} units, noise {noise}");
            assert!(found.warnings.contains(&Warning::OtherRank { wanted: units, seen: 3 }), "{:?}", found.warnings);
        }
    }
}

#[test]
fn another_activation_is_not_supported() {
    let planted = teacher(&Activation::softplus(1.0).unwrap(), (6, 3), false, false, 1);
    let found = recovered(&planted.sample(0..4000).unwrap(), &settings(&Activation::RELU));
    assert!(matches!(found.finding, Finding::NotRecovered(_)), "{:?}", found.finding);
}

#[test]
fn repeated_rows_are_not_taken_for_held_out_ones() {
    let planted = teacher(&Activation::RELU, (8, 6), false, false, 0);
    let few = planted.sample(0..90).unwrap();
    let repeated: Vec<usize> = (0..900).map(|i| i % 90).collect();
    let found = recovered(&few.select(&repeated), &settings(&Activation::RELU));
    assert!(found.warnings.contains(&Warning::RepeatedRows(810)), "{:?}", found.warnings);
    if found.finding == Finding::Recovered {
        assert!(is_exact(&found, &planted.network, false));
    }
}

#[test]
fn biases_and_affine_parts_are_found_where_they_are_looked_for() {
    let mut planted = teacher(&Activation::RELU, (6, 3), true, false, 5);
    planted.network.bias = Some(vec![0.5, -0.4, 0.1]);
    let with_biases =
        RecoverySettings { parts: Parts { biases: true, ..Parts::default() }, ..settings(&Activation::RELU) };
    let found = recovered(&planted.sample(0..6000).unwrap(), &with_biases);
    assert!(is_exact(&found, &planted.network, false), "{:?}", found.finding);
    let mut biases: Vec<f64> = found.units.iter().map(|unit| unit.bias).collect();
    biases.sort_by(f64::total_cmp);
    assert!([-0.4, 0.1, 0.5].iter().zip(&biases).all(|(a, b)| (a - b).abs() < 1e-8), "{biases:?}");

    planted.network.bias = None;
    planted.network.intercept = Some(2.5);
    let data = planted.sample(0..3000).unwrap();
    assert!(matches!(recovered(&data, &settings(&Activation::RELU)).finding, Finding::NotRecovered(_)));
    let parts = Parts { intercept: true, ..Parts::default() };
    let found = recovered(&data, &RecoverySettings { parts, ..settings(&Activation::RELU) });
    assert!(is_exact(&found, &planted.network, false), "{:?}", found.finding);
    assert!((found.network.unwrap().intercept.unwrap() - 2.5).abs() < 1e-8);
}

#[test]
fn a_linear_part_hides_the_signs_of_relu_but_not_of_nothing() {
    let parts = Parts { intercept: true, linear: true, biases: false };
    let linear: Vec<f64> = (0..6).map(|j| 0.3 * f64::from(j) - 0.5).collect();
    for (activation, hidden) in [(Activation::RELU, true), (Activation::ABS, false)] {
        let mut planted = teacher(&activation, (6, 3), false, false, 5);
        (planted.network.intercept, planted.network.linear) = (Some(1.0), Some(linear.clone()));
        let found = recovered(&planted.sample(0..4000).unwrap(), &RecoverySettings { parts, ..settings(&activation) });
        // Up to signs, of which e does not speak.
        assert!(is_exact(&found, &planted.network, true), "{activation}: {:?}", found.finding);
        assert_eq!(found.warnings.contains(&Warning::SignsHidden), hidden, "{activation}");
        if !hidden {
            let there = found.network.unwrap().linear.unwrap();
            assert!(there.iter().zip(&linear).all(|(a, b)| (a - b).abs() < 1e-8), "{there:?}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let mut planted = teacher(&Activation::RELU, (8, 4), false, false, 9);
    planted.noise = 0.1;
    let data = planted.sample(0..3000).unwrap();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| recovered(&data, &settings(&Activation::RELU)));
        (found.network.unwrap(), found.units, found.rank)
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn an_interrupted_search_says_so() {
    let flag = std::sync::atomic::AtomicBool::new(true);
    let planted = teacher(&Activation::RELU, (8, 4), false, false, 9);
    let (data, watch) = (planted.sample(0..3000).unwrap(), Watch::silent().interruptible(&flag));
    let found = recover(&data, &settings(&Activation::RELU), watch).unwrap();
    assert_eq!(found.finding, Finding::NotRecovered(Doubt::Interrupted));
}

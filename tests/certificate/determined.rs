//! Rows that determine a quadratic network: verdicts against exact ranks, and rivals that are what they claim to be.

#![allow(non_snake_case, clippy::unwrap_used)]

use std::path::Path;

use crate::exact_rank::{features, proves_full_rank};
use serde_json::Value;
use shallows::activation::Activation;
use shallows::certificate::{Check, Judgement, Rival, Signs, Span, Verdict, determined, rival};
use shallows::data::teacher::{Hidden, Outputs, Teacher};
use shallows::data::{Data, Table};
use shallows::linalg::Matrix;
use shallows::network::Network;
use shallows::random::{Purpose, Stream};

fn stream(index: u64) -> Stream {
    Stream::new(21, Purpose::Probe, index)
}

fn data(X: Matrix) -> Data {
    let names = (1..=X.cols()).map(|j| format!("X{j}")).collect();
    let y = (0..X.rows()).map(|i| X[(i, 0)] * X[(i, 0)] - 0.5).collect();
    Data::builder(X, y).names(names).build().unwrap()
}

fn gaussian(n: usize, d: usize) -> Matrix {
    let mut stream = stream(0);
    Matrix::from_fn(n, d, |_, _| stream.normal())
}

/// Column j, replaced.
fn with_column(mut X: Matrix, j: usize, value: impl Fn(usize, &Matrix) -> f64) -> Matrix {
    let column: Vec<f64> = (0..X.rows()).map(|i| value(i, &X)).collect();
    column.iter().enumerate().for_each(|(i, x)| X[(i, j)] = *x);
    X
}

fn verdicts(certificate: &Judgement) -> Vec<Verdict> {
    certificate.checks.iter().map(Check::verdict).collect()
}

/// Open directions vanish on the rows, up to rounding of their terms.
fn assert_open(data: &Data, span: &Span) {
    let first = usize::from(span.affine);
    for direction in &span.open {
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for i in 0..data.n() {
            let x: Vec<f64> = vec![1.0; first].into_iter().chain(data.X.row(i).iter().copied()).collect();
            let pairs = (0..x.len()).flat_map(|a| (0..x.len()).map(move |b| (a, b)));
            let terms: Vec<f64> = pairs.map(|(a, b)| direction.matrix[(a, b)] * x[a] * x[b]).collect();
            worst = worst.max(terms.iter().sum::<f64>().abs());
            largest = largest.max(terms.iter().map(|term| term.abs()).sum());
        }
        assert!(worst <= 1e-10 * largest, "{}: {worst:e} of {largest:e}", direction.form);
    }
}

#[test]
fn the_reference_rows_span_four_of_six_dimensions() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/references/vectors.json");
    let all: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let case = &all["span"];
    let X: Vec<Vec<f64>> = serde_json::from_value(case["X"].clone()).unwrap();
    let data = data(Matrix::from_rows(&X));
    let (certificate, span) = determined(&data, false).unwrap();
    assert_eq!((span.dimension as u64, span.needed as u64), (4, case["n_star"].as_u64().unwrap()));
    assert_eq!(Some(span.dimension as u64), case["rank"].as_u64());
    assert_eq!((span.missing, span.open.len(), span.distinct), (2, 2, 4));
    assert_eq!(certificate.verdict() == Verdict::Holds, case["spans"].as_bool().unwrap());
    assert_eq!(verdicts(&certificate), [Verdict::Fails, Verdict::Holds, Verdict::Fails]);
    assert_eq!(certificate.checks[0].margin, -2.0);
    assert_open(&data, &span);
}

#[test]
fn as_many_rows_as_numbers_determine_and_one_fewer_does_not() {
    for (d, affine, needed) in [(1, false, 1), (1, true, 3), (4, false, 10), (4, true, 15), (7, false, 28)] {
        let (certificate, span) = determined(&data(gaussian(needed, d)), affine).unwrap();
        assert_eq!(verdicts(&certificate), [Verdict::Holds; 3], "{d} {affine}");
        assert_eq!((span.dimension, span.needed, span.missing, span.open.len()), (needed, needed, 0, 0));
        if needed > 1 {
            let data = data(gaussian(needed - 1, d));
            let (certificate, span) = determined(&data, affine).unwrap();
            assert_eq!([0, 2].map(|at| certificate.checks[at].verdict()), [Verdict::Fails; 2], "{d} {affine}");
            assert_eq!((span.dimension, span.missing, span.open.len()), (needed - 1, 1, 1));
            assert_open(&data, &span);
        }
    }
}

#[test]
fn rows_that_differ_in_sign_or_are_zero_or_weigh_nothing_do_not_count() {
    let half = gaussian(9, 4);
    let mirrored = Matrix::from_fn(20, 4, |i, j| {
        if i < 9 {
            half[(i, j)]
        } else if i < 18 {
            -half[(i - 9, j)]
        } else {
            0.0
        }
    });
    let (certificate, span) = determined(&data(mirrored.clone()), false).unwrap();
    assert_eq!((span.distinct, span.dimension), (9, 9));
    assert_eq!(verdicts(&certificate), [Verdict::Fails, Verdict::Holds, Verdict::Fails]);
    // (1, x), (1, −x) and (1, 0) are three different rows.
    assert_eq!(determined(&data(mirrored), true).unwrap().1.distinct, 19);
    let mut weighted = data(gaussian(12, 4));
    weighted.weights = Some((0..12).map(|i| if i < 9 { 1e-200 } else { 0.0 }).collect());
    assert_eq!(determined(&weighted, false).unwrap().1.distinct, 9);
    weighted.weights = Some((0..12).map(|i| 10.0_f64.powi(i * 20)).collect());
    assert_eq!(determined(&weighted, false).unwrap().0.verdict(), Verdict::Holds);
    weighted.weights = Some(vec![0.0; 12]);
    assert!(determined(&weighted, false).is_err());
}

#[test]
fn every_exact_relation_alone_refutes() {
    let X = || gaussian(40, 4);
    let both = [false, true];
    let rounded = |X: Matrix, j: usize| with_column(X, j, |i, X| (X[(i, j)] * 64.0).round() / 64.0);
    let whole = || with_column(rounded(rounded(X(), 0), 1), 3, |i, X| X[(i, 0)] + 2.0 * X[(i, 1)]);
    let cases: Vec<(&str, Matrix, &[bool], f64)> = vec![
        ("zero", with_column(X(), 1, |_, _| 0.0), &both[..1], 4.0),
        ("equal", with_column(X(), 2, |i, X| X[(i, 0)]), &both[..1], 4.0),
        ("opposite", with_column(X(), 2, |i, X| -X[(i, 0)]), &both, 0.0),
        ("a power of two", with_column(X(), 3, |i, X| X[(i, 1)] * 2.0_f64.powi(-90)), &both, 0.0),
        (
            "three sevenths",
            with_column(with_column(X(), 0, |i, _| 7.0 * i as f64), 3, |i, _| 3.0 * i as f64),
            &both,
            0.0,
        ),
        ("two constants", with_column(with_column(X(), 0, |_, _| 0.1), 3, |_, _| 0.7), &both, 0.0),
        ("a whole combination", whole(), &both, 0.0),
        (
            "exclusive",
            {
                let X = with_column(X(), 0, |i, X| if i % 3 == 0 { X[(i, 0)] } else { 0.0 });
                with_column(X, 1, |i, X| if i % 3 == 1 { X[(i, 1)] } else { 0.0 })
            },
            &both,
            1.0,
        ),
        ("constant", with_column(X(), 1, |_, _| 3.7), &both[1..], 5.0),
        ("two values", with_column(X(), 1, |i, _| if i % 3 == 0 { 0.1 } else { -0.7 }), &both[1..], 1.0),
        (
            "zero and one beside a constant",
            { with_column(with_column(X(), 1, |i, _| f64::from(i % 3 == 0)), 2, |_, _| 5.0) },
            &both[..1],
            1.0,
        ),
        (
            "two columns of one magnitude",
            {
                let X = with_column(X(), 1, |i, _| if i % 3 == 0 { 0.1 } else { -0.1 });
                with_column(X, 2, |i, _| if i % 5 == 0 { 0.7 } else { -0.7 })
            },
            &both[..1],
            1.0,
        ),
    ];
    for (what, X, modes, deficit) in cases {
        for affine in modes {
            let data = data(X.clone());
            let (certificate, span) = determined(&data, *affine).unwrap();
            assert_eq!(verdicts(&certificate), [Verdict::Holds, Verdict::Fails, Verdict::Fails], "{what} {affine}");
            assert!(deficit == 0.0 || certificate.checks[1].margin == -deficit, "{what}: {:?}", certificate.checks[1]);
            assert!(span.missing as f64 >= deficit && !span.open.is_empty(), "{what}");
            assert!(!proves_full_rank(&features(&data.X, *affine)), "{what}");
            assert_open(&data, &span);
        }
    }
    // One column of one magnitude, or of two values without a constant, leaves nothing open.
    let one = with_column(X(), 1, |i, _| if i % 3 == 0 { 0.1 } else { -0.1 });
    assert_eq!(determined(&data(one), false).unwrap().0.verdict(), Verdict::Holds);
    let two = with_column(X(), 1, |i, _| f64::from(i % 3 == 0));
    assert_eq!(determined(&data(two), false).unwrap().0.verdict(), Verdict::Holds);
}

#[test]
fn groups_of_columns_with_few_joint_values_refute() {
    // Two columns of three values each, six joint values: 1, a, b, a², ab, b² are fewer independent than six on five.
    let values = [(0.1, 0.3), (0.1, 0.5), (0.7, 0.3), (0.7, 0.9), (0.2, 0.5)];
    let X = with_column(gaussian(40, 3), 0, |i, _| values[i % 5].0);
    let X = with_column(X, 1, |i, _| values[i % 5].1);
    let (certificate, span) = determined(&data(X), true).unwrap();
    assert_eq!(verdicts(&certificate), [Verdict::Holds, Verdict::Fails, Verdict::Fails]);
    assert!(span.reasons[0].contains("5 joint values"), "{:?}", span.reasons);
    assert_eq!(span.missing, 1);
}

#[test]
fn near_dependence_beyond_doubles_is_undecided_and_reported_as_an_estimate() {
    // x₃² = x₁² + x₂² up to rounding: no relation can be verified, none can be excluded.
    let X = with_column(gaussian(40, 3), 2, |i, X| (X[(i, 0)].powi(2) + X[(i, 1)].powi(2)).sqrt());
    let data = data(X);
    let (certificate, span) = determined(&data, false).unwrap();
    assert_eq!(verdicts(&certificate), [Verdict::Holds, Verdict::Holds, Verdict::Undecided]);
    assert_eq!((span.dimension, span.missing), (5, 1));
    let form = &span.open[0].form;
    assert!(["X1²", "X2²", "X3²"].iter().all(|term| form.contains(term)) && form.matches('·').count() == 0, "{form}");
    assert_open(&data, &span);
}

#[test]
fn near_dependence_within_doubles_is_proved_in_a_better_basis() {
    let mut stream = stream(7);
    let noise: Vec<f64> = (0..40).map(|_| 1e-9 * stream.normal()).collect();
    let X = with_column(gaussian(40, 3), 2, |i, X| (X[(i, 0)].powi(2) + X[(i, 1)].powi(2)).sqrt() + noise[i]);
    let data = data(X);
    let (certificate, span) = determined(&data, false).unwrap();
    assert_eq!((certificate.verdict(), span.missing), (Verdict::Holds, 0));
    assert!(proves_full_rank(&features(&data.X, false)));
}

/// Rows with an exact relation that is too intricate to be found, or nearly so.
fn near_boundary(stream: &mut Stream) -> (Data, bool) {
    let affine = stream.below(2) == 0;
    let d = 3 + stream.below(2);
    let n = crate::exact_rank::count(d, affine) + stream.below(8);
    let mut X = Matrix::from_fn(n, d, |_, _| stream.below(201) as f64 - 100.0);
    let kind = stream.below(6);
    for i in 0..n {
        let [a, b] = [X[(i, 0)], X[(i, 1)]];
        X[(i, 2)] = match kind {
            // Coefficients beyond those that are looked for.
            0 => 2_097_169.0 * a - 1_048_583.0 * b,
            1 => {
                X[(i, 0)] = a * a - b * b;
                X[(i, 1)] = 2.0 * a * b;
                a * a + b * b
            }
            2 if affine => a * a - 3.0 * b,
            // Relations that are found, unless they are disturbed.
            3 => 2.0 * a - 3.0 * b,
            4 => f64::from(i % 3 == 0),
            _ => X[(i, 2)],
        };
    }
    let size = [0.0, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17][stream.below(10)];
    for _ in 0..stream.below(2 * n) {
        let (i, j) = (stream.below(n), stream.below(d));
        X[(i, j)] *= 1.0 + size * stream.normal();
    }
    for j in 0..d {
        let scale = 2.0_f64.powi(stream.below(80) as i32 - 40);
        (0..n).for_each(|i| X[(i, j)] *= scale);
    }
    (data(X), affine)
}

#[test]
fn holds_and_fails_are_never_said_wrongly_near_the_boundary() {
    let mut counts = [0; 3];
    for index in 0..4000 {
        let (data, affine) = near_boundary(&mut stream(1000 + index));
        let (certificate, span) = determined(&data, affine).unwrap();
        let full = proves_full_rank(&features(&data.X, affine));
        match certificate.verdict() {
            Verdict::Holds => assert!(full, "{index}: {data:?}"),
            Verdict::Fails => assert!(!full, "{index}: {data:?}"),
            Verdict::Undecided => {}
        }
        assert_eq!(span.missing, span.needed - span.dimension);
        counts[certificate.verdict() as usize] += 1;
    }
    println!("holds, undecided, fails: {counts:?}");
    assert!(counts.iter().all(|count| *count > 100), "the test does not bite: {counts:?}");
}

/// Everything a rival says, checked by evaluation.
fn assert_rival(data: &Data, rival: &Rival) {
    let values = |network: &Network, X: &Matrix| network.predict(X).unwrap();
    let (first, second) = (values(&rival.first, &data.X), values(&rival.second, &data.X));
    let size = first.iter().fold(0.0_f64, |most, f| most.max(f.abs()));
    let worst = first.iter().zip(&second).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    // Plain evaluation has rounding errors of its own.
    assert!(worst <= rival.on_rows + 1e-9 * size, "{worst:e} {:e}", rival.on_rows);
    let there = Matrix::from_rows(std::slice::from_ref(&rival.point));
    let [first, second] = [&rival.first, &rival.second].map(|network| values(network, &there)[0]);
    let found = second - first;
    assert!((found - rival.difference).abs() <= 1e-6 * found.abs() && found != 0.0, "{found} {}", rival.difference);
    assert!(rival.on_rows <= 1e-9 * rival.difference.abs());
    if rival.signs == Signs::Positive {
        assert!(rival.first.v.iter().chain(&rival.second.v).all(|v| *v >= 0.0));
    }
}

fn teacher(d: usize, n: u64) -> (Teacher, Data) {
    let hidden = Hidden::Spectrum((1..=d).map(|s| s as f64).collect());
    let teacher = Teacher::plant(Activation::SQUARE, (d + 1, d), &hidden, &Outputs::Ones, 3).unwrap();
    let data = teacher.sample(0..n).unwrap();
    (teacher, data)
}

#[test]
fn planted_networks_have_rivals_below_the_critical_number_of_rows_and_none_above() {
    for (d, n) in [(2, 2), (5, 9), (5, 14), (8, 30)] {
        let (teacher, data) = teacher(d, n);
        let (certificate, span) = determined(&data, false).unwrap();
        assert_eq!(certificate.verdict(), Verdict::Fails);
        let found = rival(&data, &span, None, Signs::Any).unwrap().unwrap();
        assert_rival(&data, &found);
        assert!(found.error < 1e-10, "the least-norm network interpolates: {}", found.error);
        let planted = rival(&data, &span, Some(&teacher.network), Signs::Positive).unwrap().unwrap();
        assert_rival(&data, &planted);
        assert_eq!((planted.signs, &planted.first), (Signs::Positive, &teacher.network));
    }
    let (teacher, data) = teacher(5, 15);
    let (certificate, span) = determined(&data, false).unwrap();
    assert_eq!(certificate.verdict(), Verdict::Holds);
    assert_eq!(rival(&data, &span, Some(&teacher.network), Signs::Any).unwrap(), None);
}

#[test]
fn the_risk_of_a_rival_agrees_with_samples() {
    let (teacher, _) = teacher(4, 6);
    for affine in [false, true] {
        let data = teacher.sample(0..6).unwrap();
        let span = determined(&data, affine).unwrap().1;
        let found = rival(&data, &span, Some(&teacher.network), Signs::Any).unwrap().unwrap();
        assert_rival(&data, &found);
        let fresh = teacher.sample(1000..401_000).unwrap();
        let [f, g] = [&found.first, &found.second].map(|network| network.predict(&fresh.X).unwrap());
        let mean = f.iter().zip(&g).map(|(f, g)| 0.5 * (f - g).powi(2)).sum::<f64>() / f.len() as f64;
        assert!((mean / found.risk - 1.0).abs() < 0.03, "{mean} {}", found.risk);
    }
}

#[test]
fn with_positive_weights_a_strict_span_need_not_leave_a_rival() {
    // Corollary 2.7 (b) asks for no rank of M*; here M* = 0, and v ≥ 0 on e₁, e₂ forces M = 0.
    let mut data = data(Matrix::identity(2));
    data.y = vec![0.0; 2];
    let (certificate, span) = determined(&data, false).unwrap();
    assert_eq!(certificate.verdict(), Verdict::Fails);
    assert_eq!(span.open[0].form, "X1·X2");
    let zero = Network::new(Activation::SQUARE, Matrix::zeros(2, 2), vec![1.0; 2]).unwrap();
    assert_eq!(rival(&data, &span, Some(&zero), Signs::Positive).unwrap(), None);
    let any = rival(&data, &span, Some(&zero), Signs::Any).unwrap().unwrap();
    assert_rival(&data, &any);
    assert_eq!(any.signs, Signs::Any);
    // With rank M* = d there is one with v ≥ 0.
    let full = Network::new(Activation::SQUARE, Matrix::identity(2), vec![1.0; 2]).unwrap();
    assert_rival(&data, &rival(&data, &span, Some(&full), Signs::Positive).unwrap().unwrap());
}

#[test]
fn rows_on_a_sphere_leave_the_sphere_itself_open() {
    let X = gaussian(60, 3);
    let unit = Matrix::from_fn(60, 3, |i, j| X[(i, j)] / X.row(i).iter().map(|x| x * x).sum::<f64>().sqrt());
    let data = data(unit);
    assert_eq!(determined(&data, false).unwrap().0.verdict(), Verdict::Holds);
    let (certificate, span) = determined(&data, true).unwrap();
    assert_eq!(certificate.verdict(), Verdict::Undecided);
    assert_eq!(span.missing, 1);
    assert_rival(&data, &rival(&data, &span, None, Signs::Any).unwrap().unwrap());
}

#[test]
fn tables_of_the_world_are_judged_and_what_is_open_has_a_rival() {
    for (file, missing) in [("yacht.csv", [0; 2]), ("energy.csv", [1; 2]), ("concrete.csv", [0; 2])] {
        let table = Table::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(file)).unwrap();
        let data = Data::from_table(&table, None, None).unwrap();
        for (affine, least) in [false, true].into_iter().zip(missing) {
            let (certificate, span) = determined(&data, affine).unwrap();
            assert_eq!(certificate.verdict() == Verdict::Holds, span.missing == 0, "{file} {affine}");
            assert!((span.missing > 0) == (least > 0), "{file} {affine}: {}", span.missing);
            assert_eq!(certificate.verdict() == Verdict::Holds, proves_full_rank(&features(&data.X, affine)));
            assert_open(&data, &span);
            let found = rival(&data, &span, None, Signs::Any).unwrap();
            assert_eq!(found.is_some(), span.missing > 0, "{file} {affine}");
            if let Some(rival) = found {
                assert_rival(&data, &rival);
            }
        }
    }
}

#[test]
fn a_span_of_other_data_or_an_impossible_wish_is_an_error() {
    let span = determined(&data(gaussian(3, 3)), false).unwrap().1;
    assert!(rival(&data(gaussian(3, 2)), &span, None, Signs::Any).is_err());
    assert!(rival(&data(gaussian(3, 3)), &span, None, Signs::Negative).is_err());
    let relu = Network::new("relu".parse().unwrap(), Matrix::identity(3), vec![1.0; 3]).unwrap();
    assert!(rival(&data(gaussian(3, 3)), &span, Some(&relu), Signs::Any).is_err());
    let narrow = Network::new(Activation::SQUARE, Matrix::identity(2), vec![1.0; 2]).unwrap();
    assert!(rival(&data(gaussian(3, 3)), &span, Some(&narrow), Signs::Any).is_err());
    // Directions of other rows are no directions here: no rival rather than a false one.
    assert_eq!(rival(&data(with_column(gaussian(9, 3), 0, |i, _| i as f64)), &span, None, Signs::Any).unwrap(), None);
}

#[test]
fn too_many_products_are_left_to_counting() {
    let (certificate, span) = determined(&data(gaussian(20, 120)), false).unwrap();
    assert_eq!(certificate.verdict(), Verdict::Fails);
    assert_eq!((span.needed, span.missing, span.open.len()), (7260, 7240, 0));
    let (certificate, _) = determined(&data(gaussian(7300, 120)), false).unwrap();
    assert_eq!(certificate.verdict(), Verdict::Undecided);
    assert!(certificate.statement.contains("7260"), "{}", certificate.statement);
}

#[test]
fn five_thousand_rows_of_fifty_inputs_are_judged() {
    for n in [5000, 600] {
        let data = data(gaussian(n, 50));
        let (certificate, span) = determined(&data, false).unwrap();
        assert_eq!(certificate.verdict() == Verdict::Holds, n >= span.needed);
        let found = rival(&data, &span, None, Signs::Any).unwrap();
        assert_eq!(found.is_some(), n < span.needed);
    }
}

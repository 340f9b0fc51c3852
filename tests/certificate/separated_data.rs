//! Separated rows: each hypothesis broken by itself, and distances against exact ones.

#![allow(non_snake_case, clippy::unwrap_used)]

use shallows::certificate::{Check, Judgement, Verdict, separated_data};
use shallows::data::Data;
use shallows::linalg::{Matrix, symmetric_eigenvalues};
use shallows::random::{Purpose, Stream};

use Verdict::{Fails, Holds, Undecided};

fn stream(index: u64) -> Stream {
    Stream::new(22, Purpose::Probe, index)
}

fn data(X: Matrix) -> Data {
    let names = (1..=X.cols()).map(|j| format!("X{j}")).collect();
    Data::builder(X.clone(), vec![0.0; X.rows()]).names(names).build().unwrap()
}

fn certified(rows: &[Vec<f64>]) -> Judgement {
    separated_data(&data(Matrix::from_rows(rows))).unwrap()
}

fn verdicts(certificate: &Judgement) -> Vec<Verdict> {
    certificate.checks.iter().map(Check::verdict).collect()
}

fn gaussian(n: usize, d: usize) -> Vec<Vec<f64>> {
    let mut stream = stream(0);
    (0..n).map(|_| (0..d).map(|_| stream.normal()).collect()).collect()
}

#[test]
fn each_hypothesis_can_break_alone() {
    let good = gaussian(8, 3);
    assert_eq!(verdicts(&certified(&good)), [Holds; 4]);
    let one = certified(&good[..1]);
    assert_eq!(verdicts(&one), [Fails, Holds, Undecided, Undecided]);
    let with = |row: Vec<f64>| certified(&[good.clone(), vec![row]].concat());
    assert_eq!(verdicts(&with(vec![0.0, -0.0, 0.0])), [Holds, Fails, Undecided, Undecided]);
    for factor in [1.0, -1.0, 4.0, -0.125, 2.0_f64.powi(-300)] {
        let certificate = with(good[5].iter().map(|x| factor * x).collect());
        assert_eq!(verdicts(&certificate), [Holds, Holds, Fails, Undecided], "{factor}");
        assert!(certificate.statement.contains("rows 5 and 8"), "{}", certificate.statement);
        assert!(certificate.facts.is_empty());
    }
    let thirds = certified(&[vec![3.0, 6.0, 9.0], vec![1.0, 0.0, 0.0], vec![7.0, 14.0, 21.0]]);
    assert_eq!(verdicts(&thirds), [Holds, Holds, Fails, Undecided]);
    // One tenth is not a double: these are nearly, not exactly, multiples.
    let near = with(good[5].iter().map(|x| 0.1 * x).collect());
    assert_eq!(verdicts(&near), [Holds, Holds, Undecided, Undecided]);
    let line = certified(&[vec![3.0], vec![7.0]]);
    assert_eq!(verdicts(&line), [Holds, Holds, Fails, Undecided]);
}

#[test]
fn a_row_counts_however_small_its_weight() {
    let mut data = data(Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]]));
    // The third is 10⁻⁶⁰⁰ of the sum, which no double is.
    data.weights = Some(vec![1e300, 1.0, 1e-300]);
    assert_eq!(verdicts(&separated_data(&data).unwrap()), [Holds, Holds, Fails, Undecided]);
}

#[test]
fn rows_of_weight_zero_do_not_count() {
    let mut data = data(Matrix::from_rows(&[[1.0, 0.0], [0.0, 0.0], [2.0, 0.0], [1.0, 1.0]]));
    data.weights = Some(vec![1.0, 0.0, 0.0, 3.0]);
    let certificate = separated_data(&data).unwrap();
    assert_eq!(certificate.verdict(), Holds);
    assert!(certificate.statement.contains("0 and 3"), "{}", certificate.statement);
}

#[test]
fn the_bound_is_below_the_kernel_of_relu() {
    for (n, d) in [(2, 2), (6, 3), (20, 5), (40, 3)] {
        let rows = gaussian(n, d);
        let certificate = certified(&rows);
        let unit: Vec<Vec<f64>> = rows
            .iter()
            .map(|row| {
                let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
                row.iter().map(|x| x / norm).collect()
            })
            .collect();
        let kernel = Matrix::from_fn(n, n, |i, j| {
            let rho: f64 = unit[i].iter().zip(&unit[j]).map(|(a, b)| a * b).sum::<f64>().clamp(-1.0, 1.0);
            if i == j { 0.5 } else { rho * (std::f64::consts::PI - rho.acos()) / std::f64::consts::TAU }
        });
        let least = symmetric_eigenvalues(&kernel).unwrap()[0];
        let bound = certificate.fact("eigenvalue").unwrap();
        assert!(bound > 0.0 && bound <= least, "{n} {d}: {bound} {least}");
        let separation = certificate.fact("separation").unwrap();
        assert!((bound * 100.0 * (n * n) as f64 / separation - 1.0).abs() < 1e-14);
    }
}

/// δ of two whole vectors up to sign, from their exact cross product: δ = 2 sin(θ/2).
fn exact_distance(a: &[i128], b: &[i128]) -> f64 {
    let square = |x: &[i128]| x.iter().map(|x| x * x).sum::<i128>() as f64;
    let pairs = (0..a.len()).flat_map(|s| (0..s).map(move |t| (s, t)));
    let cross: f64 = pairs.map(|(s, t)| ((a[s] * b[t] - a[t] * b[s]) as f64).powi(2)).sum();
    let sine = cross.sqrt() / (square(a).sqrt() * square(b).sqrt());
    2.0 * (0.5 * sine.min(1.0).asin()).sin()
}

#[test]
fn the_separation_encloses_the_exact_one_for_rows_as_near_as_doubles_go() {
    let (mut decided, mut open) = (0, 0);
    for index in 0..3000 {
        let mut stream = stream(100 + index);
        let d = 2 + stream.below(5);
        let integer = |stream: &mut Stream, most: usize| stream.below(2 * most + 1) as i128 - most as i128;
        let mut a: Vec<i128> = (0..d).map(|_| integer(&mut stream, 1 << 52)).collect();
        a[0] |= 1;
        let sign = if stream.below(2) == 0 { 1 } else { -1 };
        let near = 1 << stream.below(50);
        let b: Vec<i128> = a.iter().map(|x| sign * (x + integer(&mut stream, near)) / 2).collect();
        let scales = [0, 1].map(|_| 2.0_f64.powi(stream.below(600) as i32 - 300));
        let floats = |x: &[i128], scale: f64| x.iter().map(|x| *x as f64 * scale).collect::<Vec<f64>>();
        let certificate = certified(&[floats(&a, scales[0]), floats(&b, scales[1])]);
        let (exact, check) = (exact_distance(&a, &b), &certificate.checks[3]);
        let [low, high] = [check.margin - check.error, check.margin + check.error];
        let slack = 1e-13 * exact + 1e-300;
        assert!(low <= exact + slack && exact - slack <= high, "{index}: {low:e} {exact:e} {high:e}");
        match certificate.verdict() {
            Holds => assert!(exact > 0.0 && certificate.fact("separation").unwrap() <= exact + slack),
            Fails => assert!(exact == 0.0),
            Undecided => open += 1,
        }
        decided += u32::from(certificate.verdict() == Holds);
    }
    println!("{decided} decided, {open} open");
    assert!(decided > 1500 && open > 20, "{decided} {open}");
}

#[test]
fn extreme_rows_are_decided_or_left_open_but_never_wrongly() {
    let tiny = 2.0_f64.powi(-1074);
    assert_eq!(certified(&[vec![tiny, 0.0], vec![0.0, 1e308]]).verdict(), Holds);
    assert_eq!(certified(&[vec![1e308, 1e308], vec![1e308, -1e308]]).verdict(), Holds);
    // A multiple, and no product of the two loses a bit, however small one of them is.
    assert_eq!(certified(&[vec![tiny, tiny], vec![1e300, 1e300]]).verdict(), Fails);
    assert_eq!(certified(&[vec![tiny, tiny], vec![tiny, tiny]]).verdict(), Fails);
    assert_eq!(certified(&[vec![1.0, 1e-200], vec![1.0, 0.0]]).verdict(), Undecided);
}

//! Small random programs of every class, degenerate ones among them, with our solutions: written under
//! target/tmp/convex for tests/python/check_convex.py, which solves them by other means.

#![allow(non_snake_case, clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use shallows::convex::{Cone, Limits, Program, Solution, largest_decay, solve};
use shallows::data::Data;
use shallows::linalg::{Matrix, symmetric_eigen};
use shallows::random::{Purpose, Stream};
use shallows::watch::Watch;

const CASES: u64 = 200;
const CLASSES: [(&str, Cone, bool); 4] = [
    ("symmetric-decay", Cone::Symmetric, true),
    ("positive-decay", Cone::Positive, true),
    ("positive", Cone::Positive, false),
    ("symmetric", Cone::Symmetric, false),
];

/// A program with its data.
struct Case {
    data: Data,
    cone: Cone,
    decay: f64,
    linear: bool,
    intercept: bool,
}

impl Case {
    fn program(&self) -> Program<'_> {
        let Case { data, cone, decay, linear, intercept } = self;
        Program { data, cone: *cone, decay: *decay, linear: *linear, intercept: *intercept }
    }

    /// ½Σωy², the objective of M = 0.
    fn scale(&self) -> f64 {
        self.data.omega().iter().zip(&self.data.y).map(|(w, y)| 0.5 * w * y * y).sum()
    }

    /// ½Σωr² + τR(M), term by term.
    fn objective(&self, solution: &Solution) -> f64 {
        let form = &solution.form;
        let fitted = |x: &[f64]| {
            let Mx = form.M.times_vector(x);
            let slopes = form.linear.as_ref().map_or(0.0, |b| b.iter().zip(x).map(|(b, x)| b * x).sum());
            x.iter().zip(&Mx).map(|(a, b)| a * b).sum::<f64>() + slopes + form.intercept.unwrap_or(0.0)
        };
        let squares = self.data.omega().into_iter().enumerate().map(|(i, w)| {
            let r = fitted(self.data.X.row(i)) - self.data.y[i];
            w * r * r
        });
        let values = symmetric_eigen(&form.M).unwrap().0;
        0.5 * squares.sum::<f64>() + self.decay * values.iter().map(|value| value.abs()).sum::<f64>()
    }
}

/// Case number `at` of a class: every feature below is a digit of `at` or a coin of its stream.
fn case(class: usize, at: u64) -> Case {
    let (_, cone, decayed) = CLASSES[class];
    let mut stream = Stream::new(at, Purpose::Inputs, class as u64);
    let (linear, intercept) = (at & 1 == 1, at & 2 == 2);
    let d = 1 + stream.below(5);
    let n = match at % 5 {
        0 => 1 + stream.below(3),
        1 => 1 + stream.below(d * (d + 1) / 2),
        _ => 1 + stream.below(30),
    };
    let X = inputs(n, d, at, &mut stream);
    let y = labels(&X, at, &mut stream);
    let weights = match at % 3 {
        0 => None,
        1 => Some((0..n).map(|_| 0.05 + stream.uniform()).collect()),
        // The first weighs something, so that the sum is positive.
        _ => Some(
            (0..n)
                .map(|i| if i > 0 && stream.uniform() < 0.4 { 0.0 } else { 10.0 * stream.uniform() + 1e-3 })
                .collect(),
        ),
    };
    let names = (1..=d).map(|j| format!("x{j}")).collect();
    let data = Data::builder(X, y).names(names).weights(weights).build().unwrap();
    let mut case = Case { data, cone, decay: 0.0, linear, intercept };
    if decayed {
        let most = largest_decay(&case.program()).unwrap();
        // From a millionth of the largest useful decay to ten times as much.
        let share = 10f64.powf(1.0 - 7.0 * stream.uniform());
        case.decay = share * if most > 0.0 { most } else { 1.0 };
    }
    case
}

/// Gaussian inputs, most of them spoiled in one way or another.
fn inputs(n: usize, d: usize, at: u64, stream: &mut Stream) -> Matrix {
    let mut X = Matrix::from_fn(n, d, |_, _| stream.normal());
    let last = d - 1;
    for i in 0..n {
        match at / 4 % 10 {
            0 => X[(i, last)] = X[(i, 0)],
            1 => X[(i, last)] = (0..last).map(|j| X[(i, j)]).sum(),
            2 => X[(i, last)] = 1.0,
            3 => X[(i, last)] = f64::from(X[(i, last)] > 0.0),
            4 => (0..d).for_each(|j| X[(i, j)] = f64::from(X[(i, j)] > 0.0)),
            5 => X[(i, last)] = 0.0,
            6 => (0..d).for_each(|j| X[(i, j)] += 10.0),
            _ => {}
        }
    }
    if at / 40 % 2 == 1 {
        // Between 1e-3 and 1e3, column by column.
        let scales: Vec<f64> = (0..d).map(|_| 10f64.powf(6.0 * stream.uniform() - 3.0)).collect();
        X = Matrix::from_fn(n, d, |i, j| scales[j] * X[(i, j)]);
    }
    if at.is_multiple_of(7) && n > 1 {
        (0..d).for_each(|j| X[(n - 1, j)] = X[(0, j)]);
    }
    X
}

/// Noise, a quadratic function of either sign with and without noise, or nothing; of various sizes.
fn labels(X: &Matrix, at: u64, stream: &mut Stream) -> Vec<f64> {
    let kind = at % 11;
    let size = [1.0, 1.0, 1e-3, 1e3][stream.below(4)];
    let direction: Vec<f64> = (0..X.cols()).map(|_| stream.normal()).collect();
    let square = |i: usize| X.row(i).iter().zip(&direction).map(|(x, w)| x * w).sum::<f64>().powi(2);
    let noise = if kind.is_multiple_of(2) { 0.3 } else { 0.0 };
    let y = |i: usize| match kind {
        0 => 0.0,
        1..=3 => stream.normal(),
        4..=6 => square(i) + noise * stream.normal(),
        7 => -square(i) + noise * stream.normal(),
        8 => 3.0,
        _ => square(i) - 2.0 * X[(i, 0)] + 1.0 + noise * stream.normal(),
    };
    (0..X.rows()).map(y).map(|y| size * y).collect()
}

fn written(case: &Case, solution: &Solution) -> Value {
    let rows = |A: &Matrix| (0..A.rows()).map(|i| A.row(i).to_vec()).collect::<Vec<_>>();
    json!({
        "X": rows(&case.data.X), "y": case.data.y, "weights": case.data.weights, "decay": case.decay,
        "linear": case.linear, "intercept": case.intercept,
        "objective": solution.state.objective, "lower_bound": solution.state.lower_bound,
        "M": rows(&solution.form.M), "b": solution.form.linear, "c": solution.form.intercept,
    })
}

fn solved(case: &Case) -> Solution {
    solve(&case.program(), &Limits::default(), Watch::silent()).unwrap()
}

/// What a solution says of itself, recomputed from M, b and c.
fn check(case: &Case, solution: &Solution, about: &str) {
    let (found, said) = (case.objective(solution), solution.state.objective);
    assert!((found - said).abs() <= 1e-9 * found + 1e-12 * case.scale(), "{about}: {found:e}, but said {said:e}");
    assert!(found <= (1.0 + 1e-9) * case.scale(), "{about}: {found:e} is worse than M = 0");
    let values = symmetric_eigen(&solution.form.M).unwrap().0;
    let positive = case.cone == Cone::Symmetric || values[0] >= -1e-9 * values[values.len() - 1];
    assert!(positive, "{about}: not positive: {values:?}");
}

#[test]
fn small_programs_are_written_for_other_solvers_to_check() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("convex");
    fs::create_dir_all(&folder).unwrap();
    for (class, (name, cone, _)) in CLASSES.into_iter().enumerate() {
        let mut cases = vec![];
        for at in 0..CASES {
            let case = case(class, at);
            let solution = solved(&case);
            check(&case, &solution, &format!("{name} {at}"));
            cases.push(written(&case, &solution));
        }
        let text = json!({ "class": name, "positive": cone == Cone::Positive, "cases": cases }).to_string();
        fs::write(folder.join(format!("{name}.json")), text).unwrap();
    }
}

/// 20 samples of three Gaussian inputs, and an indefinite target.
fn three_inputs() -> (Matrix, Vec<f64>) {
    let mut stream = Stream::new(3, Purpose::Inputs, 0);
    let X = Matrix::from_fn(20, 3, |_, _| stream.normal());
    let y = (0..20).map(|i| X[(i, 0)].powi(2) - 0.3 * X[(i, 1)].powi(2) + 0.1 * stream.normal()).collect();
    (X, y)
}

fn case_of(X: Matrix, y: Vec<f64>, cone: Cone, decay: f64, affine: bool) -> Case {
    let names = (1..=X.cols()).map(|j| format!("x{j}")).collect();
    let data = Data::builder(X, y).names(names).build().unwrap();
    Case { data, cone, decay, linear: affine, intercept: affine }
}

fn agree(a: f64, b: f64, about: &str) {
    assert!((a / b - 1.0).abs() < 1e-8, "{about}: {a:e} {b:e}");
}

#[test]
fn a_constant_input_changes_nothing_although_its_mean_is_rounded() {
    let (X, y) = three_inputs();
    let wide = Matrix::from_fn(20, 4, |i, j| if j < 3 { X[(i, j)] } else { 0.1 });
    for (_, cone, decayed) in CLASSES {
        let decay = if decayed { 0.01 } else { 0.0 };
        let narrow = solved(&case_of(X.clone(), y.clone(), cone, decay, true));
        let case = case_of(wide.clone(), y.clone(), cone, decay, true);
        let found = solved(&case);
        check(&case, &found, "constant");
        agree(found.state.objective, narrow.state.objective, "constant");
    }
}

#[test]
fn a_repeated_input_changes_no_least_error() {
    let (X, y) = three_inputs();
    let wide = Matrix::from_fn(20, 4, |i, j| X[(i, j % 3)] * if j == 3 { 100.0 } else { 1.0 });
    for cone in [Cone::Symmetric, Cone::Positive] {
        for affine in [true, false] {
            let narrow = solved(&case_of(X.clone(), y.clone(), cone, 0.0, affine));
            let case = case_of(wide.clone(), y.clone(), cone, 0.0, affine);
            let found = solved(&case);
            check(&case, &found, "repeated");
            agree(found.state.objective, narrow.state.objective, "repeated");
        }
    }
}

#[test]
fn an_input_that_others_determine_changes_no_least_error() {
    const POSITIVE: usize = 2;
    let mut compared = 0;
    // Of these the last input repeats the first, or is the sum of all others.
    for at in (0..2000).filter(|at| at / 4 % 10 < 2) {
        let case = case(POSITIVE, at);
        let (n, d) = (case.data.n(), case.data.d());
        if d == 1 {
            continue;
        }
        let X = Matrix::from_fn(n, d - 1, |i, j| case.data.X[(i, j)]);
        let Data { y, names, target, weights, .. } = case.data.clone();
        let data = Data::builder(X, y).names(names[..d - 1].to_vec()).target(target).weights(weights).build().unwrap();
        let narrow = solved(&Case { data, ..case }).state.objective;
        let case = self::case(POSITIVE, at);
        let wide = solved(&case).state.objective;
        assert!((wide - narrow).abs() <= 1e-6 * narrow.max(1e-3 * case.scale()), "{at}: {wide:e} {narrow:e}");
        compared += 1;
    }
    assert!(compared > 200);
}

#[test]
fn the_square_of_a_binary_input_adds_nothing_to_an_affine_function() {
    let (X, y) = three_inputs();
    // Numbers that are not whole, so that the affine part explains the square only up to rounding.
    let binary = Matrix::from_fn(20, 1, |i, _| if X[(i, 0)] > 0.0 { 123.4 } else { 0.7 });
    let mean = |high: bool| {
        let chosen: Vec<f64> = (0..20).filter(|&i| (X[(i, 0)] > 0.0) == high).map(|i| y[i]).collect();
        chosen.iter().sum::<f64>() / chosen.len() as f64
    };
    let squares = (0..20).map(|i| (y[i] - mean(X[(i, 0)] > 0.0)).powi(2)).sum::<f64>();
    for (_, cone, decayed) in CLASSES {
        let case = case_of(binary.clone(), y.clone(), cone, if decayed { 1e-3 } else { 0.0 }, true);
        let found = solved(&case);
        check(&case, &found, "binary");
        agree(found.state.objective, squares / 40.0, "binary");
    }
}

#[test]
fn nothing_to_explain_or_too_large_a_decay_gives_exactly_zero() {
    let (X, y) = three_inputs();
    for (_, cone, decayed) in CLASSES {
        let silent = case_of(X.clone(), vec![0.0; 20], cone, if decayed { 0.1 } else { 0.0 }, true);
        let found = solved(&silent);
        assert_eq!(found.state.objective, 0.0);
        assert!(found.form.M.as_slice().iter().all(|m| *m == 0.0));
        let mut case = case_of(X.clone(), y.clone(), cone, 0.0, false);
        case.decay = 1.001 * largest_decay(&case.program()).unwrap();
        assert!(solved(&case).form.M.as_slice().iter().all(|m| *m == 0.0));
    }
}

/// Inputs for the solvers that pass over the data: too many for a Gram matrix of their products.
fn many_inputs(n: usize, spoiled: &str, label: f64) -> Data {
    let d = 33;
    let mut stream = Stream::new(5, Purpose::Inputs, 0);
    let X = Matrix::from_fn(n, d, |i, j| match spoiled {
        "zero" => 0.0,
        "constant" => 0.1 * (j + 1) as f64,
        "binary" => f64::from(stream.normal() > 0.0),
        "graded" => 10f64.powf(j as f64 / 8.0 - 2.0) * stream.normal(),
        _ if i > 0 && j == d - 1 => 0.3,
        _ => stream.normal(),
    });
    let y = (0..n).map(|_| label * (1.0 + stream.normal())).collect();
    Data::builder(X, y).names((0..d).map(|j| format!("x{j}")).collect()).build().unwrap()
}

#[test]
fn degenerate_programs_with_many_inputs_are_solved() {
    let limits = Limits { gap: 1e-6, iterations: 30, ..Limits::default() };
    for spoiled in ["zero", "constant", "binary", "graded", "gaussian"] {
        for (n, label) in [(1, 1.0), (2, 1.0), (40, 1.0), (40, 0.0)] {
            for (name, cone, decayed) in CLASSES {
                for affine in [true, false] {
                    let data = many_inputs(n, spoiled, label);
                    let mut case = Case { data, cone, decay: 0.0, linear: affine, intercept: affine };
                    case.decay = if decayed { 0.1 * largest_decay(&case.program()).unwrap() } else { 0.0 };
                    let about = format!("{spoiled} {n} {label} {name} {affine}");
                    let solution = solve(&case.program(), &limits, Watch::silent());
                    check(&case, &solution.unwrap_or_else(|error| panic!("{about}: {error}")), &about);
                }
            }
        }
    }
}

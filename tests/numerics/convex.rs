//! The global fit of quadratic networks: exact facts, closed gaps, and solvers that agree.

#![allow(non_snake_case, clippy::unwrap_used)]

use shallows::convex::{Cone, Limits, Program, Solution, largest_decay, solve};
use shallows::data::teacher::{Hidden, Outputs, Teacher};
use shallows::data::{Data, Table};
use shallows::linalg::{Matrix, norm};
use shallows::watch::Watch;

fn public(name: &str) -> Data {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/data/{name}.csv"));
    Data::from_table(&Table::read(&path).unwrap(), None, None).unwrap()
}

/// Columns divided by powers of two near their deviation, as `fit` does it.
fn scaled(data: &Data) -> Data {
    let size = |column: &[f64]| {
        let mean = column.iter().sum::<f64>() / column.len() as f64;
        let deviation = (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / column.len() as f64).sqrt();
        deviation.log2().round().exp2()
    };
    let sizes: Vec<f64> = (0..data.d()).map(|j| size(&data.X.column(j))).collect();
    let target = size(&data.y);
    let X = Matrix::from_fn(data.n(), data.d(), |i, j| data.X[(i, j)] / sizes[j]);
    let y = data.y.iter().map(|y| y / target).collect();
    Data::builder(X, y)
        .names(data.names.clone())
        .target(data.target.clone())
        .weights(data.weights.clone())
        .build()
        .unwrap()
}

fn program(data: &Data, cone: Cone, decay: f64) -> Program<'_> {
    Program { data, cone, decay, linear: true, intercept: true }
}

fn solved(program: &Program<'_>) -> Solution {
    solve(program, &Limits::default(), Watch::silent()).unwrap()
}

fn rmse(solution: &Solution, data: &Data) -> f64 {
    let f = solution.form.network().unwrap().predict(&data.X).unwrap();
    (f.iter().zip(&data.y).map(|(f, y)| (f - y).powi(2)).sum::<f64>() / data.n() as f64).sqrt()
}

#[test]
fn the_least_squares_fit_of_public_data_has_the_exact_error() {
    for (name, exact) in [("energy", 0.71630953), ("yacht", 3.9949815), ("concrete", 7.2670211)] {
        let raw = public(name);
        let data = scaled(&raw);
        let solution = solved(&program(&data, Cone::Symmetric, 0.0));
        let target = raw.y[0] / data.y[0];
        let found = target * rmse(&solution, &data);
        println!("{name} {found:.10} {}", solution.solver);
        assert!((found / exact - 1.0).abs() < 1e-8, "{name}: {found} {exact}");
    }
}

#[test]
fn nist_pontius_is_reproduced_to_nine_digits() {
    let raw = public("pontius");
    let data = scaled(&raw);
    let (x, y) = (raw.X[(0, 0)] / data.X[(0, 0)], raw.y[0] / data.y[0]);
    let form = solved(&program(&data, Cone::Symmetric, 0.0)).form;
    let found = [form.intercept.unwrap() * y, form.linear.unwrap()[0] * y / x, form.M[(0, 0)] * y / (x * x)];
    let certified = [0.673565789473684E-03, 0.732059160401003E-06, -0.316081871345029E-14];
    for (found, certified) in found.iter().zip(certified) {
        println!("{found:e} {certified:e} {:e}", (found / certified - 1.0).abs());
        assert!((found / certified - 1.0).abs() < 1e-9, "{found:e} {certified:e}");
    }
}

#[test]
fn the_gap_closes_on_public_data_along_the_path() {
    for name in ["energy", "yacht", "concrete", "pontius"] {
        let data = scaled(&public(name));
        for cone in [Cone::Symmetric, Cone::Positive] {
            let most = largest_decay(&program(&data, cone, 0.0)).unwrap();
            for power in 0..=8 {
                let decay = most * 10f64.powi(-power);
                let solution = solved(&program(&data, cone, decay));
                println!(
                    "{name} {cone:?} {decay:e} gap {:e} its {}",
                    solution.state.relative_gap(),
                    solution.state.iteration
                );
                assert!(solution.state.relative_gap() < 1e-8, "{name} {cone:?} {decay:e}: {:?}", solution.state);
            }
        }
    }
}

#[test]
fn proximal_gradient_and_interior_points_agree() {
    let mut teacher =
        Teacher::plant("quadratic".parse().unwrap(), (5, 33), &Hidden::Gaussian, &Outputs::Signs, 1).unwrap();
    teacher.noise = 0.3;
    let data = teacher.sample(0..3000).unwrap();
    // 33 inputs make 561 products: just beyond the interior-point limit.
    let wide =
        solve(&program(&data, Cone::Symmetric, 0.05), &Limits { gap: 1e-8, ..Limits::default() }, Watch::silent())
            .unwrap();
    assert_eq!(wide.solver, "proximal gradient");
    println!("{:?}", wide.state);
    assert!(wide.state.relative_gap() <= 1e-8);
    let few: Vec<usize> = (0..31).collect();
    let X = Matrix::from_fn(data.n(), 31, |i, j| data.X[(i, few[j])]);
    let part = Data::builder(X, data.y.clone()).names(data.names[..31].to_vec()).build().unwrap();
    let interior = solved(&program(&part, Cone::Symmetric, 0.05));
    println!("{:?}", interior.state);
    assert_eq!(interior.solver, "interior points");
    assert!(interior.state.relative_gap() < 1e-9 && interior.state.objective >= wide.state.lower_bound);
}

#[test]
fn conjugate_gradients_and_normal_equations_agree() {
    let mut teacher =
        Teacher::plant("quadratic".parse().unwrap(), (5, 25), &Hidden::Gaussian, &Outputs::Signs, 1).unwrap();
    teacher.noise = 0.3;
    let data = teacher.sample(0..4000).unwrap();
    let solution = solved(&program(&data, Cone::Symmetric, 0.0));
    assert_eq!(solution.solver, "conjugate gradients");
    let M = &solution.form.M;
    let truth = shallows::network::QuadraticForm::of(&teacher.network).unwrap().M;
    let miss: Vec<f64> = M.as_slice().iter().zip(truth.as_slice()).map(|(a, b)| a - b).collect();
    println!("{} its, distance {}", solution.state.iteration, norm(&miss));
    assert!(norm(&miss) < 0.2);
}

#[test]
fn passes_over_the_data_give_the_same_bits_on_any_number_of_threads() {
    let mut teacher =
        Teacher::plant("quadratic".parse().unwrap(), (5, 150), &Hidden::Gaussian, &Outputs::Signs, 1).unwrap();
    teacher.noise = 0.3;
    let data = teacher.sample(0..3000).unwrap();
    let limits = Limits { iterations: 5, ..Limits::default() };
    for decay in [0.0, 0.1] {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| solve(&program(&data, Cone::Symmetric, decay), &limits, Watch::silent()).unwrap().form)
        };
        assert!(on(1) == on(2) && on(1) == on(5));
    }
}

#[test]
fn inputs_that_cannot_be_squared_are_refused_before_a_matrix_is_made() {
    let d = 100_000;
    let X = Matrix::from_fn(2, d, |i, j| ((i + 1) * j % 7) as f64);
    let data = Data::builder(X, vec![1.0, 2.0]).build().unwrap();
    for cone in [Cone::Symmetric, Cone::Positive] {
        let refused = solve(&program(&data, cone, 0.0), &Limits::default(), Watch::silent());
        assert!(refused.is_err_and(|error| error.to_string().starts_with("100000 inputs are too many")));
        assert!(largest_decay(&program(&data, cone, 0.0)).is_err());
    }
}

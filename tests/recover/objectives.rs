//! The designed objectives are what their formulas say: against reference vectors, Taylor's theorem, closed forms and
//! drawn data.

#![allow(non_snake_case, clippy::unwrap_used)]

use crate::references::{matrix, vector, vectors};
use crate::support::*;
use shallows::linalg::{Matrix, dot, norm};
use shallows::network::Network;
use shallows::recover::SymmetricTensor;
use shallows::recover::designed::*;
use shallows::risk::Objective;
use shallows::risk::population::{hermite_population_risk, relu_population_risk};

fn assert_all_close(found: &[f64], wanted: &[f64], relative: f64) {
    assert_eq!(found.len(), wanted.len());
    let scale = norm(wanted);
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() <= relative * scale, "{found} instead of {wanted}");
    }
}

#[test]
fn hermite_features_are_contractions_of_the_hermite_tensor() {
    let reference = &vectors()["glm_features"];
    let [x, v, w] = ["x", "v", "w"].map(|name| vector(&reference[name]));
    let mut H = SymmetricTensor::zeros(3);
    add_hermite(&mut H, 1.0, &x);
    let flat = vector(&reference["H4_tensor_flat"]);
    for (at, wanted) in flat.iter().enumerate() {
        let found = H.entry(at / 27, at / 9 % 3, at / 3 % 3, at % 3);
        assert!((found - wanted).abs() <= 1e-10 * norm(&flat), "{at}: {found} instead of {wanted}");
    }
    let number = |name: &str| reference[name].as_f64().unwrap();
    let vvww = dot(&v, &H.square(&v, &w));
    assert_all_close(
        &[vvww, 0.5 * vvww, H.quartic(&v) / 24.0, dot(&v, &H.pair(&w, &w).times_vector(&v))],
        &[number("H4_vvww"), number("phi_vw"), number("varphi_v"), number("H4_vvww")],
        1e-12,
    );
}

#[test]
fn G_has_the_reference_value_gradient_and_hessian_product_in_both_forms() {
    let reference = &vectors()["glm_G"];
    let (a, B_star) = (vector(&reference["astar"]), matrix(&reference["Bstar_orthonormal"]));
    let (B, V) = (matrix(&reference["B"]), matrix(&reference["V"]));
    let sigma = RELU.hermite(5);
    let (mu, lambda) = (reference["mu"].as_f64().unwrap(), reference["lambda"].as_f64().unwrap());
    let teacher = Target::of_teacher(&a, &B_star).unwrap();
    let moments = Target::of_moments(teacher.second().clone(), SymmetricTensor::from_units(&a, &B_star)).unwrap();
    for target in [teacher, moments] {
        let G = Designed::orthonormal(target, 3, sigma[4], mu, lambda).unwrap();
        let (mut gradient, mut product) = (vec![0.0; 9], vec![0.0; 9]);
        let value = G.gradient(B.as_slice(), &mut gradient).objective;
        G.hessian_product(B.as_slice(), V.as_slice(), &mut product);
        assert_all_close(&[value], &[reference["G"].as_f64().unwrap()], 1e-12);
        assert_all_close(&gradient, matrix(&reference["grad"]).as_slice(), 1e-12);
        assert_all_close(&product, matrix(&reference["hvp"]).as_slice(), 1e-12);
    }
    let norms: Vec<f64> = a.iter().map(|a| minimal_row_norm(*a, sigma[4], mu, lambda)).collect();
    assert_all_close(&norms, &vector(&reference["local_min_row_scale_D"]), 1e-13);
}

#[test]
fn F_has_the_reference_value_and_gradient_in_both_forms_and_its_minimiser_reads_as_the_teacher() {
    let reference = &vectors()["glm_F"];
    let (a, B_star) = (vector(&reference["astar"]), matrix(&reference["Bstar_unit_rows"]));
    let B = matrix(&reference["B"]);
    let sigma = RELU.hermite(5);
    let (mu, lambda) = (reference["mu"].as_f64().unwrap(), reference["lambda"].as_f64().unwrap());
    let teacher = Target::of_teacher(&a, &B_star).unwrap();
    assert_all_close(teacher.second().as_slice(), matrix(&reference["M"]).as_slice(), 1e-13);
    // The raw moments of the reference, normalised as Target::of_moments asks for.
    let mut M = matrix(&reference["population_M2=E[y(xx^T-I)]"]);
    M.as_mut_slice().iter_mut().for_each(|m| *m /= 2.0_f64.sqrt() * sigma[2]);
    let flat = vector(&reference["population_T4_flat"]);
    let mut T = SymmetricTensor::zeros(3);
    for b in 0..3 {
        let pairs: Vec<(usize, usize)> = (b..3).flat_map(|c| (c..3).map(move |e| (c, e))).collect();
        for (a, row) in T.group_mut(b).chunks_exact_mut(pairs.len()).enumerate() {
            row.iter_mut().zip(&pairs).for_each(|(t, &(c, e))| *t = flat[27 * a + 9 * b + 3 * c + e]);
        }
    }
    T.scale(1.0 / (24.0_f64.sqrt() * sigma[4]));
    let moments = Target::of_moments(M, T).unwrap();
    let minimiser = matrix(&reference["minimiser_B"]);
    for target in [teacher, moments] {
        let F = Designed::general(target, 3, sigma[4], mu, lambda).unwrap();
        let mut gradient = vec![0.0; 9];
        let value = F.gradient(B.as_slice(), &mut gradient).objective;
        assert_all_close(&[value], &[reference["F"].as_f64().unwrap()], 1e-9);
        assert_all_close(&gradient, matrix(&reference["grad"]).as_slice(), 1e-9);
        F.gradient(minimiser.as_slice(), &mut gradient);
        assert!(norm(&gradient) < 1e-8, "{:e}", norm(&gradient));
    }
    let units = read_general(&minimiser, sigma[4], mu, lambda).unwrap();
    assert!(worst_row(&units.B, &B_star) < 1e-9);
    let sorted = |a: &[f64]| {
        let mut a = a.to_vec();
        a.sort_by(f64::total_cmp);
        a
    };
    assert_all_close(&sorted(&units.a), &sorted(&a), 1e-9);
}

#[test]
fn the_plain_risk_has_the_reference_value_and_gradient() {
    let reference = &vectors()["relu_population_risk"];
    let teacher = Network::new(RELU, matrix(&reference["teacher_W"]), vector(&reference["teacher_a"])).unwrap();
    let f = PlainRisk::of_teacher(&teacher, vector(&reference["student_a"])).unwrap();
    let mut gradient = vec![0.0; 8];
    let value = f.gradient(matrix(&reference["student_W"]).as_slice(), &mut gradient);
    assert_all_close(&[value.objective], &[reference["risk_half"].as_f64().unwrap()], 1e-12);
    assert_all_close(&gradient, matrix(&reference["grad_student_W"]).as_slice(), 1e-12);
    // Relative to a student that is silent, the error is 1.
    assert!((f.value(&[0.0; 8]).relative_error - 1.0).abs() < 1e-14);
}

/// Every objective of a target, by name, with the length of what comes before its rows.
fn objectives(target: &Target, m: usize) -> Vec<(&'static str, usize, Box<dyn Objective>)> {
    let (sigma, d) = (RELU.hermite(5), target.inputs());
    let signed: Vec<f64> = (0..m).map(|j| if j % 2 == 0 { 1.3 } else { -0.7 }).collect();
    let halves = [normal_matrix(d, d, 3), normal_matrix(d, d, 4)]
        .map(|A| Matrix::from_fn(d, d, |i, j| 0.5 * (A[(i, j)] + A[(j, i)])));
    let F = Designed::general(target.clone(), m, sigma[4], 0.1, 0.8).unwrap();
    let from_halves = Designed::general_from_halves(target.clone(), m, sigma[4], (0.1, 0.8), halves).unwrap();
    let G = Designed::orthonormal(target.clone(), m, sigma[4], 0.1, 0.8).unwrap();
    let fixed = Matching::with_outputs(target.clone(), signed, sigma[2], sigma[4]).unwrap();
    let free = Matching::with_free_outputs(target.clone(), m, sigma[2], sigma[4]).unwrap();
    vec![
        ("P'", 0, Box::new(Designed::pairs(target.clone(), m)) as Box<dyn Objective>),
        ("G", 0, Box::new(G)),
        ("F", 0, Box::new(F.clone())),
        ("F from halves", 0, Box::new(from_halves)),
        ("F with shrinkage", 0, Box::new(F.with_shrinkage(0.3).unwrap())),
        ("f' of B", 0, Box::new(fixed)),
        ("f' of (a, B)", m, Box::new(free)),
    ]
}

#[test]
fn every_gradient_and_hessian_product_leaves_a_taylor_error_of_second_order() {
    let (d, m) = (5, 3);
    let (a, B_star) = (outputs(4, 1), independent_rows(4, d, 1));
    let exact = Target::of_teacher(&a, &B_star).unwrap();
    let tensor = Target::of_moments(exact.second().clone(), exact.fourth()).unwrap();
    for target in [exact, tensor] {
        for (name, leading, objective) in objectives(&target, m) {
            let theta = normal_matrix(1, leading + m * d, 5).into_vec();
            assert_taylor(name, objective.as_ref(), &theta);
            assert_taylor(&format!("{name} on unit rows"), &UnitRows::of(objective.as_ref(), leading, d), &theta);
        }
    }
    let teacher = Network::new(RELU, B_star, a).unwrap();
    let f = PlainRisk::of_teacher(&teacher, vec![1.0, -0.5, 2.0]).unwrap();
    let theta = normal_matrix(1, m * d, 5).into_vec();
    assert_taylor("f", &f, &theta);
    assert_taylor("f on unit rows", &UnitRows::of(&f, 0, d), &theta);
}

#[test]
fn the_plain_risk_of_any_activation_is_its_hermite_sum_and_nearly_the_closed_form_of_relu() {
    let (d, v) = (4, vec![1.0, -0.5, 0.7]);
    let (a, B_star) = (outputs(3, 7), independent_rows(3, d, 7));
    let B = unit_rows(&normal_matrix(3, d, 16));
    for name in ["softplus", "tanh", "cos", "relu"] {
        let activation: shallows::activation::Activation = name.parse().unwrap();
        let network = |W: &Matrix, v: &[f64]| Network::new(activation.clone(), W.clone(), v.to_vec()).unwrap();
        let f = SeriesRisk::of_teacher(&network(&B_star, &a), v.clone(), 60).unwrap();
        let wanted = hermite_population_risk(&network(&B, &v), &network(&B_star, &a), 60).unwrap();
        assert_all_close(&[f.value(B.as_slice()).objective], &[wanted], 1e-12);
        assert_taylor(name, &UnitRows::of(&f, 0, d), normal_matrix(3, d, 17).as_slice());
        assert!(SeriesRisk::of_teacher(&network(&normal_matrix(3, d, 18), &a), v.clone(), 60).is_err());
    }
    let teacher = Network::new(RELU, B_star, a).unwrap();
    let closed = PlainRisk::of_teacher(&teacher, v.clone()).unwrap();
    // What is cut off falls like count^{−3/2}.
    let cut = |count: usize| {
        let sum = SeriesRisk::of_teacher(&teacher, v.clone(), count).unwrap();
        closed.value(B.as_slice()).objective - sum.value(B.as_slice()).objective
    };
    let order = (cut(50) / cut(200)).log2() / 2.0;
    assert!(cut(200) > 0.0 && (order - 1.5).abs() < 0.1, "{order}");
}

#[test]
fn at_parallel_units_the_hessian_of_the_plain_risk_is_that_of_one_unit() {
    // Units that move together with output weights 0.6 and 0.4 are one unit with output weight 1.
    let teacher = Network::new(RELU, Matrix::identity(3), vec![1.0, 2.0, 0.5]).unwrap();
    let f = PlainRisk::of_teacher(&teacher, vec![0.6, 0.4]).unwrap();
    let one = PlainRisk::of_teacher(&teacher, vec![1.0]).unwrap();
    let (w, u) = ([0.3, -0.5, 0.8], [0.2, 0.1, -0.4]);
    let (mut pair, mut alone) = ([0.0; 6], [0.0; 3]);
    f.hessian_product(&[w, w].concat(), &[u, u].concat(), &mut pair);
    one.hessian_product(&w, &u, &mut alone);
    for (at, product) in pair.iter().enumerate() {
        let share = if at < 3 { 0.6 } else { 0.4 };
        assert!((product - share * alone[at % 3]).abs() < 1e-14);
    }
}

#[test]
fn on_exact_moments_both_forms_of_every_objective_agree() {
    let (d, m) = (6, 4);
    let exact = Target::of_teacher(&outputs(5, 2), &independent_rows(5, d, 2)).unwrap();
    let tensor = Target::of_moments(exact.second().clone(), exact.fourth()).unwrap();
    for ((name, leading, left), (_, _, right)) in objectives(&exact, m).into_iter().zip(objectives(&tensor, m)) {
        let (theta, V) = (normal_matrix(1, leading + m * d, 6).into_vec(), normal_matrix(1, leading + m * d, 7));
        let results = |objective: &dyn Objective| {
            let (mut gradient, mut product) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
            let value = objective.gradient(&theta, &mut gradient).objective;
            objective.hessian_product(&theta, V.as_slice(), &mut product);
            [vec![value], gradient, product].concat()
        };
        println!("{name}");
        assert_all_close(&results(left.as_ref()), &results(right.as_ref()), 1e-12);
    }
}

#[test]
fn f_prime_is_the_population_risk_of_a_student_with_two_hermite_terms_up_to_a_constant() {
    let d = 4;
    let (a, B_star) = (outputs(3, 3), independent_rows(3, d, 3));
    let sigma = RELU.hermite(5);
    let teacher = Network::new(RELU, B_star.clone(), a.clone()).unwrap();
    let two_terms = shallows::activation::Activation::Smooth(shallows::activation::Smooth::Hermite {
        coefficients: vec![0.0, 0.0, sigma[2], 0.0, sigma[4]],
    });
    let v = vec![0.8, -0.3, 1.5, 0.2];
    let target = Target::of_teacher(&a, &B_star).unwrap();
    let prime = Matching::with_outputs(target, v.clone(), sigma[2], sigma[4]).unwrap();
    let gap = |index: u64| {
        let B = unit_rows(&normal_matrix(4, d, index));
        let student = Network::new(two_terms.clone(), B.clone(), v.clone()).unwrap();
        // Beyond order 4 only the teacher has terms.
        hermite_population_risk(&student, &teacher, 5).unwrap() - prime.value(B.as_slice()).objective
    };
    let constant: f64 = {
        let s: f64 = a.iter().sum();
        let mean: Vec<f64> = B_star.transposed().times_vector(&a);
        0.5 * (sigma[0] * sigma[0] * s * s + sigma[1] * sigma[1] * dot(&mean, &mean))
    };
    for index in 10..15 {
        assert!((gap(index) - constant).abs() < 1e-13, "{} instead of {constant}", gap(index));
    }
}

#[test]
fn a_teacher_of_the_two_forms_has_no_f_prime_and_no_plain_risk_against_itself() {
    let (a, B_star) = (outputs(3, 4), independent_rows(3, 5, 4));
    let sigma = RELU.hermite(5);
    let target = Target::of_teacher(&a, &B_star).unwrap();
    let free = Matching::with_free_outputs(target, 3, sigma[2], sigma[4]).unwrap();
    let theta = [a.clone(), B_star.as_slice().to_vec()].concat();
    let mut gradient = vec![0.0; theta.len()];
    assert!(free.gradient(&theta, &mut gradient).objective.abs() < 1e-15);
    assert!(norm(&gradient) < 1e-15);
    let teacher = Network::new(RELU, B_star.clone(), a.clone()).unwrap();
    let plain = PlainRisk::of_teacher(&teacher, a).unwrap();
    assert_eq!(plain.value(B_star.as_slice()).objective, relu_population_risk(&teacher, &teacher).unwrap().value);
    assert!(plain.value(B_star.as_slice()).objective.abs() < 1e-14);
}

/// The mean of some numbers and its standard error.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

#[test]
fn on_drawn_data_G_and_F_from_halves_average_to_their_population_forms_and_plugged_in_F_does_not() {
    let (d, m, n, batches) = (3, 3, 200, 2000);
    let (a, B_star) = (vec![1.0, 1.5, 2.0], independent_rows(m, d, 5));
    let sigma = RELU.hermite(5);
    let (mu, lambda) = (largest_mu(&a), smallest_lambda_general(&a, sigma[4]));
    let B = unit_rows(&normal_matrix(m, d, 8));
    let exact = Target::of_teacher(&a, &B_star).unwrap();
    let population = [
        Designed::orthonormal(exact.clone(), m, sigma[4], mu, lambda).unwrap(),
        Designed::general(exact, m, sigma[4], mu, lambda).unwrap(),
    ]
    .map(|objective| objective.value(B.as_slice()).objective);
    let mut found: [Vec<f64>; 3] = Default::default();
    for batch in 0..batches {
        let (X, y) = drawn(&a, &B_star, n, batch);
        let (first, second): (Vec<usize>, Vec<usize>) = (0..n).partition(|i| i % 2 == 0);
        let half = |rows: &[usize]| {
            let y: Vec<f64> = rows.iter().map(|i| y[*i]).collect();
            moments(&X.select_rows(rows), &y, &sigma)
        };
        let ((M_1, mut T), (M_2, T_2)) = (half(&first), half(&second));
        T.add_scaled(1.0, &T_2);
        T.scale(0.5);
        let M = Matrix::from_fn(d, d, |i, j| 0.5 * (M_1[(i, j)] + M_2[(i, j)]));
        let target = Target::of_moments(M, T).unwrap();
        let G = Designed::orthonormal(target.clone(), m, sigma[4], mu, lambda).unwrap();
        let F = Designed::general(target.clone(), m, sigma[4], mu, lambda).unwrap();
        let halves = Designed::general_from_halves(target, m, sigma[4], (mu, lambda), [M_1, M_2]).unwrap();
        for (found, objective) in found.iter_mut().zip([G, halves, F]) {
            found.push(objective.value(B.as_slice()).objective);
        }
    }
    let distances: Vec<f64> = found
        .iter()
        .zip([population[0], population[1], population[1]])
        .map(|(found, wanted)| {
            let (mean, error) = mean_and_error(found);
            println!("{mean} ± {error}, population {wanted}");
            (mean - wanted) / error
        })
        .collect();
    assert!(distances[0].abs() < 4.0 && distances[1].abs() < 4.0, "{distances:?}");
    assert!(distances[2] > 8.0, "{distances:?}");
}

#[test]
fn samples_used_without_their_tensor_give_what_the_tensor_gives() {
    let (d, m) = (4, 3);
    let (a, B_star) = (outputs(m, 3), independent_rows(m, d, 7));
    let sigma = RELU.hermite(5);
    let (X, y) = drawn(&a, &B_star, 700, 1);
    let (M, T) = moments(&X, &y, &sigma);
    let by_samples = Target::of_samples(M.clone(), X, &y, sigma[4]).unwrap();
    assert_all_close(by_samples.fourth().as_slice(), T.as_slice(), 1e-12);
    let by_tensor = Target::of_moments(M, T).unwrap();
    let theta = |leading: usize| normal_matrix(1, leading + m * d, 9).into_vec();
    for ((_, leading, one), (_, _, other)) in objectives(&by_samples, m).iter().zip(&objectives(&by_tensor, m)) {
        let (theta, along) = (theta(*leading), normal_matrix(1, leading + m * d, 10).into_vec());
        let read = |objective: &dyn Objective| {
            let (mut gradient, mut product) = (vec![0.0; theta.len()], vec![0.0; theta.len()]);
            let value = objective.gradient(&theta, &mut gradient).objective;
            objective.hessian_product(&theta, &along, &mut product);
            (vec![value], gradient, product)
        };
        let (found, wanted) = (read(one.as_ref()), read(other.as_ref()));
        assert_all_close(&found.0, &wanted.0, 1e-11);
        assert_all_close(&found.1, &wanted.1, 1e-11);
        assert_all_close(&found.2, &wanted.2, 1e-11);
    }
}

#[test]
fn on_more_data_every_form_comes_nearer_to_its_population_form() {
    let (d, m) = (3, 2);
    let (a, B_star) = (vec![1.0, 2.0], independent_rows(m, d, 6));
    let sigma = RELU.hermite(5);
    let exact = Target::of_teacher(&a, &B_star).unwrap();
    let theta = |leading: usize| normal_matrix(1, leading + m * d, 9).into_vec();
    let population: Vec<f64> =
        objectives(&exact, m).iter().map(|(_, leading, f)| f.value(&theta(*leading)).objective).collect();
    // Root mean square errors of twenty data sets each.
    let errors = |n: usize| {
        let mut errors = vec![0.0; population.len()];
        for data in 0..20 {
            let (X, y) = drawn(&a, &B_star, n, 5000 + data);
            let (M, T) = moments(&X, &y, &sigma);
            let target = Target::of_moments(M, T).unwrap();
            for ((error, (_, leading, f)), wanted) in errors.iter_mut().zip(objectives(&target, m)).zip(&population) {
                *error += (f.value(&theta(leading)).objective - wanted).powi(2) / 20.0;
            }
        }
        errors.iter().map(|error: &f64| error.sqrt()).collect::<Vec<f64>>()
    };
    let (few, many) = (errors(1000), errors(16_000));
    for ((few, many), (name, _, _)) in few.iter().zip(&many).zip(objectives(&exact, m)) {
        println!("{name}: {few:.2e} to {many:.2e}");
        assert!(*many < 0.5 * few, "{name}: {few} to {many} with sixteen times the data");
    }
}

#[test]
fn what_cannot_be_an_objective_is_refused() {
    let (a, B) = (vec![1.0, 2.0], Matrix::identity(2));
    let target = Target::of_teacher(&a, &B).unwrap();
    assert!(Target::of_teacher(&a[..1], &B).is_err());
    assert!(Target::of_teacher(&[f64::NAN, 1.0], &B).is_err());
    assert!(Target::of_moments(Matrix::identity(3), SymmetricTensor::zeros(2)).is_err());
    assert!(Designed::orthonormal(target.clone(), 2, 0.0, 0.1, 1.0).is_err());
    assert!(Designed::orthonormal(target.clone(), 2, 0.1, 0.0, 1.0).is_err());
    assert!(Designed::general(target.clone(), 2, 0.1, 0.1, f64::NAN).is_err());
    let three = [Matrix::identity(3), Matrix::identity(3)];
    assert!(Designed::general_from_halves(target.clone(), 2, 0.1, (0.1, 1.0), three).is_err());
    assert!(target.whitened(3).is_err() && target.whitened(0).is_err());
    let indefinite = Target::of_teacher(&[1.0, -2.0], &B).unwrap();
    assert!(indefinite.whitened(2).is_err() && indefinite.whitened(1).is_ok());
    assert!(read_general(&Matrix::zeros(2, 2), 0.1, 0.1, 1.0).is_err());
    assert!(read_general(&Matrix::zeros(3, 2), 0.1, 0.1, 1.0).is_err());
    let tanh = shallows::activation::Activation::Smooth(shallows::activation::Smooth::Tanh);
    assert!(PlainRisk::of_teacher(&Network::new(tanh, B, a).unwrap(), vec![1.0]).is_err());
}

//! The landscape of planted quadratic networks: what is listed is all there is, and no promise is broken.

#![allow(non_snake_case, clippy::unwrap_used)]

use crate::support::normal_matrix;
use shallows::activation::Activation;
use shallows::certificate::{Check, Judgement, Verdict, energy_barrier, safe_start, safe_start_gaussian};
use shallows::data::teacher::{Hidden, Outputs, Teacher};
use shallows::landscape::{
    CriticalPoint, Landscape, Levels, moment_matrix, paper_scale, scaled_identity, spectral_start, trace_scale,
};
use shallows::linalg::{
    Matrix, add_scaled, dot, gram, norm, orthonormal_columns, solve_positive_definite, symmetric_eigenvalues,
};
use shallows::network::Network;
use shallows::optimise::{GradientDescent, Monitor, Newton, Stop, descent, newton};
use shallows::random::{Purpose, Stream};
use shallows::risk::{Objective, PopulationRisk};

use Verdict::{Fails, Holds, Undecided};

fn squares(W: Matrix, v: Vec<f64>) -> Network {
    Network::new(Activation::SQUARE, W, v).unwrap()
}

fn ones(W: Matrix) -> Network {
    let m = W.rows();
    squares(W, vec![1.0; m])
}

/// Q Diag(s) Qᵀ with random Q.
fn with_spectrum(s: &[f64], index: u64) -> Matrix {
    let d = s.len();
    let Q = orthonormal_columns(&normal_matrix(62, d, d, index));
    let scaled = Matrix::from_fn(d, d, |i, j| Q[(i, j)] * s[j]);
    let M = scaled.times(&Q.transposed());
    Matrix::from_fn(d, d, |i, j| 0.5 * (M[(i, j)] + M[(j, i)]))
}

fn spectrum(d: usize, index: u64) -> Vec<f64> {
    let mut stream = Stream::new(63, Purpose::Probe, index);
    (0..d).map(|_| 0.1 + 3.0 * stream.uniform()).collect()
}

fn points(landscape: &Landscape) -> Vec<CriticalPoint> {
    match landscape.levels(50).unwrap() {
        Levels::All(levels) => {
            let found: Vec<_> = levels.iter().map(|level| landscape.point_of(level).unwrap()).collect();
            for (point, level) in found.iter().zip(&levels) {
                assert!((point.level - level.level).abs() <= 1e-13 * (1.0 + level.level));
            }
            found
        }
        Levels::Ends { lowest, highest } => lowest.into_iter().chain(highest).collect(),
    }
}

fn hessian(risk: &PopulationRisk, W: &[f64]) -> Matrix {
    let n = W.len();
    let columns: Vec<Vec<f64>> = (0..n)
        .map(|j| {
            let (mut unit, mut product) = (vec![0.0; n], vec![0.0; n]);
            unit[j] = 1.0;
            risk.hessian_product(W, &unit, &mut product);
            product
        })
        .collect();
    let H = Matrix::from_rows(&columns);
    Matrix::from_fn(n, n, |i, j| 0.5 * (H[(i, j)] + H[(j, i)]))
}

/// Gradient, level, and with output weights 1 the index, the extreme eigenvalue and the direction.
fn check_points(M_star: &Matrix, v: &[f64], scale: f64) -> usize {
    let landscape = Landscape::new(M_star, v.to_vec()).unwrap();
    let risk = PopulationRisk::new(M_star.clone(), v.to_vec()).unwrap();
    let all = points(&landscape);
    for point in &all {
        let W = landscape.representative(point);
        let mut gradient = vec![0.0; W.as_slice().len()];
        let value = risk.gradient(W.as_slice(), &mut gradient).objective;
        assert!(norm(&gradient) < 1e-10 * scale.powf(1.5), "{point:?}: {}", norm(&gradient));
        assert!((value - point.level).abs() < 1e-11 * scale * scale, "{point:?}: {value}");
        let values = symmetric_eigenvalues(&hessian(&risk, W.as_slice())).unwrap();
        let negative = values.iter().filter(|value| **value < -1e-9 * scale).count() as u64;
        if let Some(index) = point.index {
            assert_eq!(index, negative, "{point:?}: {values:?}");
        }
        if let Some(curvature) = point.curvature {
            assert!((curvature - values[0].min(0.0)).abs() < 1e-9 * scale, "{point:?}: {values:?}");
            let escape = landscape.escape(point);
            assert_eq!(escape.is_some(), negative > 0);
            if let Some(U) = escape {
                let mut product = vec![0.0; gradient.len()];
                risk.hessian_product(W.as_slice(), U.as_slice(), &mut product);
                assert!((dot(&product, U.as_slice()) - curvature).abs() < 1e-9 * scale);
                assert!((norm(U.as_slice()) - 1.0).abs() < 1e-12);
            }
        }
    }
    all.len()
}

#[test]
fn every_listed_point_is_critical_and_has_its_level_and_index() {
    for d in 1..=6_usize {
        for (at, m) in [d.saturating_sub(2), d - 1, d, d + 1].into_iter().filter(|m| *m > 0).enumerate() {
            let index = (10 * d + at) as u64;
            let count = check_points(&with_spectrum(&spectrum(d, index), index), &vec![1.0; m], 4.0);
            let choose = |k: usize| (0..k).fold(1, |product, i| product * (d - i) / (i + 1));
            assert_eq!(count, (0..=d.min(m)).map(choose).sum::<usize>(), "d = {d}, m = {m}");
        }
    }
}

#[test]
fn degenerate_and_indefinite_spectra_and_signs_are_handled() {
    // Counts of equal eigenvalues: 3·2 and, of those, t = 0 with the zero inside does not occur.
    assert_eq!(check_points(&with_spectrum(&[2.0, 2.0, 0.5], 1), &[1.0; 4], 3.0), 6);
    assert_eq!(check_points(&with_spectrum(&[1.0; 4], 2), &[1.0; 5], 3.0), 5);
    assert_eq!(check_points(&with_spectrum(&[2.0, 1.0, 0.0], 3), &[1.0; 3], 3.0), 7);
    assert_eq!(check_points(&with_spectrum(&[0.0, 0.0], 4), &[1.0; 3], 1.0), 1);
    for index in 5..15 {
        let mut s = spectrum(4, index);
        s[1] *= -1.0;
        s[3] *= -0.5;
        check_points(&with_spectrum(&s, index), &[1.0; 5], 4.0);
        check_points(&with_spectrum(&s, index), &[1.0, -1.0, 0.5, -2.0, 1.0, -1.0], 4.0);
        check_points(&with_spectrum(&spectrum(4, index), index), &[1.0, -1.0, 2.0, 0.5], 4.0);
    }
    let indefinite = Landscape::new(&with_spectrum(&[2.0, -1.0], 1), vec![1.0; 3]).unwrap();
    assert!(indefinite.barrier().is_none() && indefinite.barriers().is_none());
    let signed = Landscape::new(&with_spectrum(&[2.0, 1.0], 1), vec![1.0, 1.0, -1.0]).unwrap();
    assert!(signed.barrier().is_none() && points(&signed).iter().all(|point| point.index.is_none()));
    let copies: f64 =
        points(&Landscape::of_spectrum(&[2.0, 2.0, 1.0, 1.0, 1.0], 5).unwrap()).iter().map(|p| p.copies).sum();
    assert_eq!(copies, 32.0);
}

/// Levenberg–Marquardt on ∇L = 0, which is drawn to saddles as much as to minima.
fn stationary_point(risk: &PopulationRisk, mut W: Vec<f64>) -> Option<Vec<f64>> {
    let n = W.len();
    let gradient = |W: &[f64]| {
        let mut g = vec![0.0; n];
        risk.gradient(W, &mut g);
        g
    };
    let mut damping = 1.0;
    let mut g = gradient(&W);
    for _ in 0..300 {
        if norm(&g) < 1e-11 {
            return Some(W);
        }
        let H = hessian(risk, &W);
        let mut normal = gram(&H);
        (0..n).for_each(|i| normal[(i, i)] += damping * norm(&g).min(1.0));
        let step = solve_positive_definite(&normal, &H.times_vector(&g));
        let next = step.map(|step| {
            let mut next = W.clone();
            add_scaled(&mut next, -1.0, &step);
            next
        });
        match next.map(|next| (gradient(&next), next)).filter(|(there, _)| norm(there) < norm(&g)) {
            Some((there, next)) => {
                (g, W) = (there, next);
                damping = (0.2 * damping).max(1e-9);
            }
            None => damping *= 4.0,
        }
    }
    None
}

#[test]
fn a_thousand_searches_for_stationary_points_find_no_level_that_is_not_listed() {
    let (mut found, mut saddles) = (0, 0);
    for search in 0..1000 {
        let d = 1 + search as usize % 4;
        let m = d - (search as usize / 4) % 2 * usize::from(d > 1) + (search as usize / 8) % 2;
        let M_star = with_spectrum(&spectrum(d, search / 20), search / 20);
        let landscape = Landscape::new(&M_star, vec![1.0; m]).unwrap();
        let risk = PopulationRisk::new(M_star, vec![1.0; m]).unwrap();
        let Some(W) = stationary_point(&risk, normal_matrix(62, m, d, 5000 + search).into_vec()) else { continue };
        found += 1;
        let level = risk.value(&W).objective;
        let nearest = points(&landscape).iter().map(|point| (point.level - level).abs()).fold(f64::MAX, f64::min);
        assert!(nearest < 1e-8, "search {search}: a stationary point at {level}");
        saddles += usize::from(level > 1e-8);
    }
    println!("{found} of 1000 searches ended at a stationary point, {saddles} of them above 0");
    assert!(found > 700 && saddles > 200, "{found} {saddles}");
}

#[test]
fn no_rank_deficient_network_lies_below_the_barrier_and_some_attain_it() {
    for trial in 0..60 {
        let d = 1 + trial as usize % 5;
        let M_star = with_spectrum(&spectrum(d, 100 + trial), 100 + trial);
        let landscape = Landscape::new(&M_star, vec![1.0; d]).unwrap();
        let barriers = landscape.barriers().unwrap();
        assert!((barriers[d - 1] / landscape.barrier().unwrap() - 1.0).abs() < 1e-12 && barriers[d] == 0.0);
        for r in 0..d {
            // W of rank at most r is, up to rotation, a network of width r.
            let risk = PopulationRisk::new(M_star.clone(), vec![1.0; r]).unwrap();
            let mut least = f64::INFINITY;
            for start in 0..3_u64 {
                let mut monitor = Monitor::new(Stop { gradient: 1e-11, iterations: 500, ..Stop::default() });
                let W = normal_matrix(62, r, d, 9000 + 10 * trial + start).into_vec();
                let W = if r == 0 { W } else { newton(&risk, W, &Newton::default(), &mut monitor) };
                let value = risk.value(&W).objective;
                assert!(value >= barriers[r] * (1.0 - 1e-12), "{value} below {}", barriers[r]);
                least = least.min(value);
            }
            assert!(least <= barriers[r] * (1.0 + 1e-9), "{least} {}", barriers[r]);
        }
        let certified = energy_barrier(&ones(spectral_start(&M_star, d).unwrap())).unwrap();
        let [low, high] = ["barrier", "barrier_high"].map(|name| certified.fact(name).unwrap());
        let barrier = landscape.barrier().unwrap();
        assert_eq!(certified.verdict(), Holds);
        assert!(low <= barrier * (1.0 + 1e-13) && high >= barrier * (1.0 - 1e-13) && high / low < 1.0 + 1e-9);
    }
}

#[test]
fn the_barrier_of_the_exact_vector() {
    let vectors = crate::references::vectors();
    let json = &vectors["quad_population"];
    let W_star = crate::references::matrix(&json["Wstar"]);
    let landscape = Landscape::new(&gram(&W_star), vec![1.0; 5]).unwrap();
    let expected = json["barrier_exact_half"].as_f64().unwrap();
    assert!((landscape.barrier().unwrap() / expected - 1.0).abs() < 1e-12);
    for (r, value) in json["best_rank_r_paper000"].as_object().unwrap() {
        let found = 2.0 * landscape.barriers().unwrap()[r.parse::<usize>().unwrap()];
        assert!((found / value.as_f64().unwrap() - 1.0).abs() < 1e-12, "{r}");
    }
    let certified = energy_barrier(&ones(W_star)).unwrap();
    assert!(certified.fact("barrier").unwrap() <= expected && expected <= certified.fact("barrier_high").unwrap());
}

/// A random teacher and a start whose risk is about `share` of the barrier.
fn teacher_and_start(trial: u64, share: f64) -> (Matrix, Matrix, f64) {
    let d = 1 + trial as usize % 3;
    let m = d + (trial as usize / 3) % 3;
    let W_star = normal_matrix(62, m, d, 20_000 + trial);
    let landscape = Landscape::new(&gram(&W_star), vec![1.0; m]).unwrap();
    let barrier = landscape.barrier().unwrap();
    let risk = PopulationRisk::new(gram(&W_star), vec![1.0; m]).unwrap();
    let noise = normal_matrix(62, m, d, 40_000 + trial);
    let at = |t: f64| Matrix::from_fn(m, d, |i, j| W_star[(i, j)] + t * noise[(i, j)]);
    let (mut low, mut high) = (0.0, 1.0);
    while risk.value(at(high).as_slice()).objective < share * barrier {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if risk.value(at(middle).as_slice()).objective < share * barrier { low = middle } else { high = middle }
    }
    let W = at(low);
    (W_star, W, barrier)
}

#[test]
fn a_thousand_safe_starts_descend_to_the_truth_and_unsafe_ones_get_no_promise() {
    for trial in 0..1000 {
        let (W_star, W, barrier) = teacher_and_start(trial, 0.98);
        let certificate = safe_start(&ones(W.clone()), &ones(W_star.clone())).unwrap();
        assert_eq!(certificate.verdict(), Holds, "{trial}: {certificate:?}");
        let risk = PopulationRisk::new(gram(&W_star), vec![1.0; W.rows()]).unwrap();
        let goal = 1e-6 * barrier;
        let stop = Stop { gradient: 0.0, objective: goal, iterations: 1_000_000, ..Stop::default() };
        let mut monitor = Monitor::new(stop);
        let end = descent(&risk, W.into_vec(), &GradientDescent::default(), &mut monitor);
        assert!(risk.value(&end).objective <= goal, "{trial}: {}", risk.value(&end).objective / barrier);
    }
    for trial in 0..200 {
        let (W_star, W, _) = teacher_and_start(trial, 1.02);
        let certificate = safe_start(&ones(W), &ones(W_star)).unwrap();
        assert!(certificate.verdict() == Fails && certificate.statement.contains("no promise"), "{certificate:?}");
    }
}

fn verdicts(certificate: &Judgement) -> Vec<Verdict> {
    certificate.checks.iter().map(Check::verdict).collect()
}

#[test]
fn each_hypothesis_of_the_energy_barrier_breaks_it() {
    let W = normal_matrix(62, 5, 3, 1);
    assert_eq!(verdicts(&energy_barrier(&ones(W.clone())).unwrap()), [Holds; 4]);
    let weighted = squares(W.clone(), vec![1.0, 1.0, 1.0 + f64::EPSILON, 1.0, 1.0]);
    assert_eq!(verdicts(&energy_barrier(&weighted).unwrap()), [Fails, Holds, Holds, Holds]);
    let mut affine = ones(W.clone());
    affine.intercept = Some(1e-300);
    assert_eq!(verdicts(&energy_barrier(&affine).unwrap()), [Holds, Fails, Holds, Holds]);
    assert_eq!(verdicts(&energy_barrier(&ones(normal_matrix(62, 2, 3, 1))).unwrap())[2..], [Fails, Fails]);
    let singular = Matrix::from_fn(5, 3, |i, j| if j == 2 { W[(i, 0)] - 2.0 * W[(i, 1)] } else { W[(i, j)] });
    assert_eq!(verdicts(&energy_barrier(&ones(singular)).unwrap()), [Holds, Holds, Holds, Undecided]);
    let tiny = Matrix::from_fn(5, 3, |i, j| W[(i, j)] * if j == 1 { 1e-9 } else { 1.0 });
    assert_eq!(energy_barrier(&ones(tiny)).unwrap().checks[3].verdict(), Undecided);
    let huge = Matrix::from_fn(5, 3, |i, j| W[(i, j)] * 1e160);
    assert_ne!(energy_barrier(&ones(huge)).unwrap().verdict(), Holds);
    let relu = Network::new("relu".parse().unwrap(), W, vec![1.0; 5]).unwrap();
    assert!(energy_barrier(&relu).is_err());
}

#[test]
fn each_hypothesis_of_a_safe_start_breaks_it() {
    let W = normal_matrix(62, 5, 3, 2);
    let teacher = ones(W.clone());
    assert_eq!(verdicts(&safe_start(&teacher, &teacher).unwrap()), [Holds; 8]);
    let mut affine = teacher.clone();
    affine.linear = Some(vec![0.0, 1.0, 0.0]);
    let weighted = squares(W.clone(), vec![1.0, 1.0, 1.0, 1.0, -1.0]);
    let failing = |start: &Network, teacher: &Network| -> Vec<usize> {
        let all = verdicts(&safe_start(start, teacher).unwrap());
        (0..8).filter(|&at| all[at] != Holds).collect()
    };
    assert_eq!(failing(&teacher, &weighted), [0]);
    assert_eq!(failing(&teacher, &affine), [1]);
    let narrow = ones(normal_matrix(62, 2, 3, 1));
    assert_eq!(failing(&narrow, &narrow), [2, 3, 6, 7]);
    assert_eq!(failing(&weighted, &teacher), [4]);
    assert_eq!(failing(&affine, &teacher), [5]);
    assert_eq!(failing(&narrow, &teacher), [6, 7]);
    assert_eq!(failing(&ones(Matrix::zeros(5, 3)), &teacher), [7]);
    // At the barrier itself: neither proved nor refuted, never proved.
    let landscape = Landscape::new(&gram(&W), vec![1.0; 5]).unwrap();
    let saddle = landscape.critical_point(&[0, 1]).unwrap();
    let at_barrier = ones(landscape.representative(&saddle));
    assert_ne!(safe_start(&at_barrier, &teacher).unwrap().checks[7].verdict(), Holds);
    assert!(safe_start(&ones(normal_matrix(62, 5, 4, 1)), &teacher).is_err());
    // A wider student is as good.
    let padded = Matrix::from_fn(9, 3, |i, j| if i < 5 { W[(i, j)] } else { 0.0 });
    assert_eq!(verdicts(&safe_start(&ones(padded), &teacher).unwrap()), [Holds; 8]);
}

#[test]
fn promises_about_random_teachers_are_kept_and_break_with_their_hypotheses() {
    let certificate = safe_start_gaussian((2000, 4), 2000.0).unwrap();
    assert_eq!(verdicts(&certificate), [Holds; 4], "{certificate:?}");
    let promised = certificate.fact("probability").unwrap();
    let safe = (0..200).filter(|trial| {
        let teacher = ones(normal_matrix(62, 2000, 4, 70_000 + trial));
        safe_start(&ones(scaled_identity((2000, 4), 2000.0)), &teacher).unwrap().verdict() == Holds
    });
    assert!(safe.count() as f64 >= 200.0 * promised - 5.0 * 50_f64.sqrt());
    let paper = safe_start_gaussian((1_000_000, 100), paper_scale((1_000_000, 100))).unwrap();
    assert!(paper.verdict() == Holds && paper.fact("probability").unwrap() > 0.99, "{paper:?}");
    assert_eq!(verdicts(&safe_start_gaussian((3, 4), 3.0).unwrap())[..2], [Fails, Fails]);
    assert_eq!(verdicts(&safe_start_gaussian((9, 4), 9.0).unwrap())[..2], [Holds, Fails]);
    assert_eq!(verdicts(&safe_start_gaussian((100, 4), 100.0).unwrap()), [Holds, Holds, Fails, Holds]);
    assert_eq!(safe_start_gaussian((2000, 4), 0.0).unwrap().verdict(), Fails);
    assert!(safe_start_gaussian((0, 4), 1.0).is_err() && safe_start_gaussian((5, 4), f64::NAN).is_err());
    assert!(safe_start_gaussian((5, 4), -1.0).is_err());
}

#[test]
fn starts_from_labels_come_close_to_the_truth() {
    let hidden = Hidden::Spectrum(vec![3.0, 2.0, 1.0]);
    let teacher = Teacher::plant(Activation::SQUARE, (4, 3), &hidden, &Outputs::Ones, 3).unwrap();
    let data = teacher.sample(0..200_000).unwrap();
    assert!((trace_scale(&data) - 2.0).abs() < 0.05);
    let (M, M_star) = (moment_matrix(&data), gram(&teacher.network.W));
    let off: Vec<f64> = M.as_slice().iter().zip(M_star.as_slice()).map(|(a, b)| a - b).collect();
    assert!(norm(&off) < 0.3, "{off:?}");
    let start = spectral_start(&M, 4).unwrap();
    assert_eq!(safe_start(&ones(start), &teacher.network).unwrap().verdict(), Holds);
    let negative = spectral_start(&Matrix::from_rows(&[[1.0, 0.0], [0.0, -2.0]]), 3).unwrap();
    assert!((gram(&negative)[(0, 0)] - 1.0).abs() < 1e-14 && gram(&negative)[(1, 1)] == 0.0);
}

#[test]
fn best_first_search_finds_the_ends_of_the_list() {
    for (trial, m) in [(1, 12), (2, 7), (3, 3)] {
        let mut s = spectrum(12, 300 + trial);
        (s[3], s[4], s[7]) = (s[5], s[5], 0.0);
        let small = Landscape::of_spectrum(&s, m).unwrap();
        let all = points(&small);
        let large: Vec<f64> = s.iter().copied().chain([0.0; 9]).collect();
        // Zero eigenvalues change levels through |S| alone; compare with a list of the same 21 by brute force below 2^21.
        let landscape = Landscape::of_spectrum(&large, m).unwrap();
        let Levels::Ends { lowest, highest } = landscape.levels(40).unwrap() else { panic!() };
        assert!(lowest.windows(2).all(|pair| pair[0].level <= pair[1].level * (1.0 + 1e-14)));
        assert!(highest.windows(2).all(|pair| pair[0].level >= pair[1].level * (1.0 - 1e-14)));
        assert!(lowest.iter().chain(&highest).all(|point| point.subset.len() <= m && point.level >= 0.0));
        assert!((highest[0].level / all.last().unwrap().level - 1.0).abs() < 1e-13);
        let mut brute = Vec::new();
        let s = landscape.spectrum();
        let ties: usize = (1..21).filter(|&i| s[i - 1] == s[i]).map(|i| 1 << (i - 1)).sum();
        for mask in (0..1_usize << 21).filter(|mask| mask.count_ones() as usize <= m && (mask >> 1) & ties & !mask == 0)
        {
            let subset: Vec<usize> = (0..21).filter(|i| mask >> i & 1 == 1).collect();
            brute.extend(landscape.critical_point(&subset).map(|point| point.level));
        }
        brute.sort_by(f64::total_cmp);
        for (at, point) in lowest.iter().enumerate() {
            assert!((point.level - brute[at]).abs() < 1e-12, "{at}: {} {}", point.level, brute[at]);
        }
        for (point, expected) in highest.iter().zip(brute.iter().rev()) {
            assert!((point.level - expected).abs() < 1e-11, "{} {expected}", point.level);
        }
    }
}

#[test]
fn a_million_levels_are_listed_and_a_thousand_inputs_have_a_proved_barrier() {
    let landscape = Landscape::of_spectrum(&spectrum(20, 400), 25).unwrap();
    let Levels::All(levels) = landscape.levels(10).unwrap() else { panic!() };
    assert_eq!(levels.len(), 1 << 20);
    let teacher = ones(normal_matrix(62, 1500, 1000, 7));
    let certificate = energy_barrier(&teacher).unwrap();
    assert_eq!(certificate.verdict(), Holds);
    let landscape = Landscape::new(&gram(&teacher.W), vec![1.0; 1500]).unwrap();
    let expected = landscape.barrier().unwrap();
    let fact = |name| certificate.fact(name).unwrap();
    assert!(fact("barrier") <= expected * (1.0 + 1e-9) && expected <= fact("barrier_high") * (1.0 + 1e-9));
    let Levels::Ends { lowest, highest } = landscape.levels(20).unwrap() else { panic!() };
    assert_eq!((lowest.len(), highest.len()), (20, 20));
}

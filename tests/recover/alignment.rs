//! Alignment with a teacher: the best pairs, angles down to nothing, e(Q) as corrected, and what has no counterpart.

#![allow(non_snake_case, clippy::unwrap_used)]

use crate::references::{matrix, vectors};
use shallows::linalg::{Matrix, dot, norm, orthonormal_columns};
use shallows::random::{Purpose, Stream};
use shallows::recover::{Undefined, align, assignment, error_of, recovery_error};

fn random(rows: usize, cols: usize, index: u64) -> Matrix {
    let mut stream = Stream::new(72, Purpose::Teacher, index);
    Matrix::from_fn(rows, cols, |_, _| stream.normal())
}

fn unit_rows(rows: usize, cols: usize, index: u64) -> Matrix {
    let B = random(rows, cols, index);
    Matrix::from_fn(rows, cols, |i, j| B[(i, j)] / norm(B.row(i)))
}

/// Every order of 0..n.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let insert = |order: &Vec<usize>, at: usize| {
        let mut longer = order.clone();
        longer.insert(at, n - 1);
        longer
    };
    orders(n - 1).iter().flat_map(|order| (0..n).map(move |at| insert(order, at))).collect()
}

#[test]
fn the_assignment_costs_no_more_than_any_other() {
    for (at, (rows, columns)) in [(1, 1), (3, 3), (6, 6), (3, 5), (5, 3), (2, 6)].into_iter().enumerate() {
        for trial in 0..20 {
            let cost = random(rows, columns, 100 * at as u64 + trial);
            let partner = assignment(&cost);
            let pairs: Vec<(usize, usize)> = partner.iter().enumerate().filter_map(|(i, j)| Some((i, (*j)?))).collect();
            let mut taken: Vec<usize> = pairs.iter().map(|pair| pair.1).collect();
            taken.sort_unstable();
            taken.dedup();
            assert_eq!((pairs.len(), taken.len()), (rows.min(columns), rows.min(columns)));
            let found: f64 = pairs.iter().map(|pair| cost[*pair]).sum();
            let of_order = |order: &Vec<usize>| -> f64 {
                (0..rows.min(columns))
                    .map(|k| if rows <= columns { cost[(k, order[k])] } else { cost[(order[k], k)] })
                    .sum()
            };
            let best = orders(rows.max(columns)).iter().map(of_order).fold(f64::INFINITY, f64::min);
            assert!((found - best).abs() < 1e-12, "{rows}×{columns}: {found} is not {best}");
        }
    }
}

#[test]
fn the_assignment_of_a_shuffled_diagonal_is_the_shuffle() {
    let order = Stream::new(72, Purpose::Shuffle, 0).permutation(200);
    let cost = Matrix::from_fn(200, 200, |i, j| if order[i] == j { 0.0 } else { 1.0 });
    assert_eq!(assignment(&cost), order.iter().map(|j| Some(*j)).collect::<Vec<_>>());
}

#[test]
fn units_in_another_order_and_with_other_signs_are_found_again() {
    let (B_star, a_star) = (unit_rows(5, 8, 1), [1.0, 2.0, 0.5, -1.5, 3.0]);
    let order = [3, 0, 4, 1, 2];
    let signs = [1.0, -1.0, -1.0, 1.0, 1.0];
    let B = Matrix::from_fn(5, 8, |i, j| signs[i] * B_star[(order[i], j)]);
    let a: Vec<f64> = order.iter().map(|&j| a_star[j]).collect();
    let found = align((&B, &a), (&B_star, &a_star)).unwrap();
    for pair in &found.pairs {
        assert_eq!((order[pair.unit], pair.flipped), (pair.teacher, signs[pair.unit] < 0.0));
        assert_eq!([pair.angle, pair.weight_error, pair.output_error], [0.0; 3]);
    }
    assert_eq!(found.pairs.iter().map(|pair| pair.teacher).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert!(found.error.unwrap() < 1e-28 && found.output_error == 0.0);
    assert!(found.extra.is_empty() && found.missing.is_empty());
}

#[test]
fn angles_and_errors_are_right_from_one_radian_down_to_1e_15() {
    for angle in [1.0, 1e-3, 1e-8, 1e-12, 1e-15_f64] {
        let B_star = Matrix::identity(3);
        let B = Matrix::from_rows(&[[-angle.cos(), -angle.sin(), 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]]);
        let found = align((&B, &[1.0, 1.0, 0.75]), (&B_star, &[1.0, 1.0, 1.0])).unwrap();
        let pair = found.pairs[0];
        assert!(pair.flipped && (pair.angle / angle - 1.0).abs() < 1e-12, "{pair:?}");
        assert!((pair.weight_error / (2.0 * (0.5 * angle).sin()) - 1.0).abs() < 1e-12);
        // 1 − cos = 2 sin²(angle/2)
        let e = 2.0 * (0.5 * angle).sin().powi(2);
        assert!((found.error.unwrap() / e - 1.0).abs() < 1e-12, "{angle}");
        assert_eq!((found.pairs[1].angle, found.pairs[1].weight_error), (0.0, 1.0));
        assert_eq!((found.pairs[2].output_error, found.output_error), (0.25, 0.25 / 3.0_f64.sqrt()));
    }
}

#[test]
fn the_error_is_the_maximum_of_the_reference_not_the_printed_minimum() {
    let reference = &vectors()["eQ"];
    let Q = matrix(&reference["Q"]);
    let expected = reference["correct_max"].as_f64().unwrap();
    assert!((error_of(&Q, 3) - expected).abs() < 1e-14);
    // The same from rows: B = Q B*.
    let B_star = unit_rows(3, 3, 2);
    assert!((recovery_error(&Q.times(&B_star), &B_star).unwrap() - expected).abs() < 1e-12);
    // Two copies of one unit are no recovery of two.
    let twice = Matrix::from_rows(&[[1.0, 0.0], [1.0, 0.0]]);
    assert_eq!(recovery_error(&twice, &Matrix::identity(2)), Ok(1.0));
}

#[test]
fn what_lies_outside_the_span_of_fewer_units_than_inputs_counts() {
    let B_star = unit_rows(2, 5, 3);
    let mut outside = random(1, 5, 4).into_vec();
    let Q = orthonormal_columns(&B_star.transposed());
    for column in [Q.column(0), Q.column(1)] {
        let along = dot(&outside, &column);
        outside.iter_mut().zip(&column).for_each(|(x, c)| *x -= along * c);
    }
    let length = norm(&outside);
    let B = Matrix::from_fn(2, 5, |i, j| B_star[(i, j)] + if i == 0 { 0.5 * outside[j] / length } else { 0.0 });
    let expected = 1.0 - 1.0 / 1.25_f64.sqrt();
    assert!((recovery_error(&B, &B_star).unwrap() - expected).abs() < 1e-13);
    // Neither the length of the teacher's rows nor that of ours matters.
    let scaled = Matrix::from_fn(2, 5, |i, j| [3.0, 0.01][i] * B_star[(i, j)]);
    let ours = Matrix::from_fn(2, 5, |i, j| [0.2, 40.0][i] * B[(i, j)]);
    assert!((recovery_error(&ours, &scaled).unwrap() - expected).abs() < 1e-13);
}

#[test]
fn a_small_error_means_rows_near_a_signed_permutation() {
    let mut seen = 0;
    for trial in 0..200 {
        let noise = random(4, 4, 500 + trial);
        let size = 0.3 * (trial as f64 / 200.0);
        let order = Stream::new(72, Purpose::Shuffle, trial).permutation(4);
        let mut Q = Matrix::from_fn(4, 4, |i, j| size * noise[(i, j)] + if order[i] == j { 1.0 } else { 0.0 });
        (0..4).for_each(|i| {
            let length = norm(Q.row(i));
            Q.row_mut(i).iter_mut().for_each(|x| *x /= length);
        });
        let e = error_of(&Q, 4);
        if e >= 1.0 - 0.5_f64.sqrt() {
            continue;
        }
        seen += 1;
        let largest = |i: usize| (0..4).max_by(|a, b| Q[(i, *a)].abs().total_cmp(&Q[(i, *b)].abs())).unwrap();
        let mut columns: Vec<usize> = (0..4).map(largest).collect();
        for (i, &j) in columns.iter().enumerate() {
            let unit = |k: usize| if k == j { Q[(i, j)].signum() } else { 0.0 };
            let distance = norm(&(0..4).map(|k| Q[(i, k)] - unit(k)).collect::<Vec<_>>());
            assert!(distance <= (2.0 * e).sqrt() + 1e-12, "{distance} for {e}");
        }
        columns.sort_unstable();
        assert_eq!(columns, [0, 1, 2, 3]);
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn dependent_teachers_have_angles_but_no_error() {
    let B_star = Matrix::from_rows(&[[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let a = [1.0; 3];
    let found = align((&B_star, &a), (&B_star, &a)).unwrap();
    assert_eq!(found.error, Err(Undefined::Dependent));
    assert!(found.pairs.len() == 3 && found.pairs.iter().all(|pair| pair.angle == 0.0));
    let wide = unit_rows(4, 3, 5);
    assert_eq!(recovery_error(&wide, &wide), Err(Undefined::MoreUnitsThanInputs));
    assert_eq!(recovery_error(&Matrix::zeros(1, 3), &Matrix::identity(3)), Err(Undefined::NoDirection));
    assert_eq!(recovery_error(&Matrix::zeros(0, 3), &Matrix::identity(3)), Err(Undefined::NoDirection));
}

#[test]
fn units_too_many_and_too_few_are_listed() {
    let B_star = Matrix::identity(4);
    let a_star = [1.0, 1.0, 1.0, 1.0];
    let three = B_star.select_rows(&[2, 0, 3]);
    let few = align((&three, &a_star[..3]), (&B_star, &a_star)).unwrap();
    assert_eq!((few.missing.as_slice(), few.extra.as_slice()), ([1].as_slice(), [].as_slice()));
    assert_eq!((few.error, few.output_error), (Ok(1.0), 0.5));
    let many = align((&B_star, &a_star), (&three, &a_star[..3])).unwrap();
    assert_eq!((many.extra.as_slice(), many.missing.as_slice()), ([1].as_slice(), [].as_slice()));
    assert_eq!(many.pairs.len(), 3);
}

#[test]
fn shapes_that_differ_and_nan_are_errors() {
    let B = Matrix::identity(3);
    let a = [1.0; 3];
    assert!(align((&B, &a), (&Matrix::identity(4), &[1.0; 4])).is_err());
    assert!(align((&B, &a[..2]), (&B, &a)).is_err());
    assert!(align((&B, &[1.0, f64::NAN, 1.0]), (&B, &a)).is_err());
    assert!(align((&Matrix::from_fn(3, 3, |_, _| f64::INFINITY), &a), (&B, &a)).is_err());
}

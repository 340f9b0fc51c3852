//! Contractions against the sums of their definitions.

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod exactly {
    use crate::linalg::norm;
    use crate::random::{Purpose, Stream};
    use crate::recover::tensor::*;

    fn random_matrix(rows: usize, cols: usize, index: u64) -> Matrix {
        let mut stream = Stream::new(8, Purpose::Probe, index);
        Matrix::from_fn(rows, cols, |_, _| stream.normal())
    }

    fn random_tensor(d: usize) -> SymmetricTensor {
        let mut tensor = SymmetricTensor::zeros(d);
        Stream::new(9, Purpose::Probe, d as u64).fill_normal(tensor.as_mut_slice());
        tensor
    }

    /// Σ over all d⁴ index tuples, by definition.
    fn brute(tensor: &SymmetricTensor, factor: impl Fn(usize, usize, usize, usize) -> f64) -> f64 {
        let all = 0..tensor.dimension();
        let mut sum = 0.0;
        for i in all.clone() {
            for j in all.clone() {
                for k in all.clone() {
                    for l in all.clone() {
                        sum += tensor.entry(i, j, k, l) * factor(i, j, k, l);
                    }
                }
            }
        }
        sum
    }

    fn assert_close(found: f64, wanted: f64, scale: f64) {
        assert!((found - wanted).abs() <= 1e-12 * scale, "{found} instead of {wanted}");
    }

    #[test]
    fn the_layout_is_groups_by_b_of_rows_a_and_pairs_of_the_tail() {
        for d in [0, 1, 2, 5, 7] {
            let mut tensor = SymmetricTensor::zeros(d);
            assert_eq!(tensor.as_slice().len(), d * (d + 1) * (d + 2) * (d + 3) / 24);
            let code = |a: usize, b: usize, c: usize, e: usize| (a + 10 * b + 100 * c + 1000 * e) as f64;
            for b in 0..d {
                let tail: Vec<(usize, usize)> = (b..d).flat_map(|c| (c..d).map(move |e| (c, e))).collect();
                assert_eq!(tail.len(), tensor.tail(b));
                let rows = tensor.group_mut(b).chunks_exact_mut(tail.len());
                assert_eq!(rows.len(), b + 1);
                rows.enumerate()
                    .for_each(|(a, row)| row.iter_mut().zip(&tail).for_each(|(t, &(c, e))| *t = code(a, b, c, e)));
            }
            for [i, j, k, l] in
                [[0, 1, 2, 3], [0, 0, 1, 4], [2, 2, 2, 2], [1, 3, 3, 3]].into_iter().filter(|at| at[3] < d)
            {
                for order in [[i, j, k, l], [l, k, j, i], [k, i, l, j], [j, l, i, k]] {
                    assert_eq!(tensor.entry(order[0], order[1], order[2], order[3]), code(i, j, k, l));
                }
            }
        }
    }

    #[test]
    fn units_add_up_to_their_fourth_powers() {
        let (a, B) = ([0.5, -1.5, 2.0], random_matrix(3, 5, 0));
        let tensor = SymmetricTensor::from_units(&a, &B);
        for [i, j, k, l] in [[0, 1, 2, 3], [4, 4, 0, 1], [2, 2, 2, 2], [3, 1, 1, 3], [4, 4, 4, 0]] {
            let wanted: f64 = (0..3).map(|u| a[u] * B[(u, i)] * B[(u, j)] * B[(u, k)] * B[(u, l)]).sum();
            assert_close(tensor.entry(i, j, k, l), wanted, 10.0);
        }
        let u = random_matrix(1, 5, 1).into_vec();
        let wanted: f64 = (0..3).map(|i| a[i] * dot(B.row(i), &u).powi(4)).sum();
        assert_close(tensor.quartic(&u), wanted, 100.0);
    }

    #[test]
    fn every_contraction_is_the_sum_of_its_definition() {
        for d in [1, 2, 4, 6] {
            let tensor = random_tensor(d);
            let (B, V) = (random_matrix(3, d, 2), random_matrix(3, d, 3));
            let (u, v) = (B.row(0), V.row(0));
            let scale = 100.0 * (d * d) as f64;
            assert_close(tensor.quartic(u), brute(&tensor, |i, j, k, l| u[i] * u[j] * u[k] * u[l]), scale);
            let at = |p: usize, i: usize| if p == i { 1.0 } else { 0.0 };
            let square = tensor.square(u, v);
            let (cubes, along) = tensor.cubes_along(&B, &V);
            assert!(
                cubes.as_slice().iter().zip(tensor.cubes(&B).as_slice()).all(|(a, b)| (a - b).abs() < 1e-12 * scale)
            );
            let plane = tensor.pair(u, v);
            let mut S = random_matrix(d, d, 4);
            S = Matrix::from_fn(d, d, |i, j| S[(i, j)] + S[(j, i)]);
            let N = tensor.times_matrix(&S);
            for p in 0..d {
                assert_close(square[p], brute(&tensor, |i, j, k, l| at(p, i) * u[j] * v[k] * v[l]), scale);
                for row in 0..3 {
                    let (u, v) = (B.row(row), V.row(row));
                    assert_close(cubes[(row, p)], brute(&tensor, |i, j, k, l| at(p, i) * u[j] * u[k] * u[l]), scale);
                    assert_close(along[(row, p)], brute(&tensor, |i, j, k, l| at(p, i) * v[j] * u[k] * u[l]), scale);
                }
                for q in 0..d {
                    let wanted = brute(&tensor, |i, j, k, l| at(p, i) * at(q, j) * u[k] * v[l]);
                    assert_close(plane[(p, q)], wanted, scale);
                    let wanted = brute(&tensor, |i, j, k, l| at(p, i) * at(q, j) * S[(k, l)]);
                    assert_close(N[(p, q)], wanted, scale);
                }
            }
        }
    }

    #[test]
    fn norms_and_unfoldings_agree_with_the_definition() {
        let (tensor, other) = (random_tensor(5), SymmetricTensor::from_units(&[1.0, -2.0], &random_matrix(2, 5, 5)));
        assert_close(tensor.norm().powi(2), brute(&tensor, |i, j, k, l| tensor.entry(i, j, k, l)), 1e3);
        assert_close(tensor.inner(&other), brute(&tensor, |i, j, k, l| other.entry(i, j, k, l)), 1e3);
        let mut sum = tensor.clone();
        sum.scale(3.0);
        sum.add_scaled(-2.0, &other);
        assert_close(sum.entry(4, 0, 2, 2), 3.0 * tensor.entry(0, 2, 2, 4) - 2.0 * other.entry(2, 4, 2, 0), 10.0);
        let U = tensor.unfolded();
        assert_close(norm(U.as_slice()), tensor.norm(), 100.0);
        let S = random_matrix(5, 5, 6);
        let svec = |S: &Matrix| -> Vec<f64> {
            let root = |i: usize, j: usize| if i == j { 1.0 } else { 2.0_f64.sqrt() };
            (0..5).flat_map(|i| (i..5).map(move |j| root(i, j) * 0.5 * (S[(i, j)] + S[(j, i)]))).collect()
        };
        let symmetric = Matrix::from_fn(5, 5, |i, j| 0.5 * (S[(i, j)] + S[(j, i)]));
        let wanted = svec(&tensor.times_matrix(&symmetric));
        U.times_vector(&svec(&S)).iter().zip(wanted).for_each(|(found, wanted)| assert_close(*found, wanted, 100.0));
    }

    #[test]
    fn a_change_of_basis_is_the_contraction_with_its_rows() {
        for (d, r) in [(5, 3), (3, 3), (4, 6), (2, 1)] {
            let (tensor, P) = (random_tensor(d), random_matrix(r, d, 7));
            let changed = tensor.in_basis(&P);
            assert_eq!(changed.dimension(), r);
            for [p, q, s, t] in [[0, 0, 0, 0], [0, 1, 2, 2], [2, 0, 1, 0], [5, 3, 1, 4]] {
                if [p, q, s, t].iter().all(|index| *index < r) {
                    let wanted = brute(&tensor, |i, j, k, l| P[(p, i)] * P[(q, j)] * P[(s, k)] * P[(t, l)]);
                    assert_close(changed.entry(p, q, s, t), wanted, 1e3);
                }
            }
            // Of units, it is the tensor of the units in the new coordinates.
            let (a, B) = ([1.0, -0.5], random_matrix(2, d, 8));
            let mut gap = SymmetricTensor::from_units(&a, &B).in_basis(&P);
            gap.add_scaled(-1.0, &SymmetricTensor::from_units(&a, &B.times(&P.transposed())));
            assert!(gap.norm() < 1e-10, "{:e}", gap.norm());
        }
    }

    #[test]
    fn contractions_have_the_same_bits_on_any_number_of_threads() {
        let (tensor, B, V) = (random_tensor(30), random_matrix(4, 30, 9), random_matrix(4, 30, 10));
        assert!(tensor.tasks().len() > 2);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let S = crate::linalg::gram(&B);
                (tensor.times_matrix(&S), tensor.cubes(&B), tensor.cubes_along(&B, &V), tensor.in_basis(&B))
            })
        };
        assert_eq!(on(1), on(3));
    }
}

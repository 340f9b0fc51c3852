//! The affine model by ridge regression, its ridge chosen by leave-one-out error.
//!
//! With √ω∘X = USVᵀ on the centred table, the fit is f = ȳ + U S²/(S²+λ) Uᵀ√ω y (up to √ω), and the residual of row i
//! when it is left out is r_i/(1 − h_i), h_i = ω_i + Σ_j u_ij² s_j²/(s_j²+λ). Both are what U does not reach and a sum with
//! λ/(s_j²+λ) in the place of s_j²/(s_j²+λ), so that nothing cancels where a row nearly decides its own fit.
//!
//! Of rows in groups, groups are left out: √ω r of the rows G is then (1 − H_GG)⁻¹ times what it is, H = WDWᵀ with W = (√ω, U)
//! and D = Diag(1, s²/(s²+λ)); for groups larger than the rank of W that is 1 + W_G(D⁻¹ − W_GᵀW_G)⁻¹W_Gᵀ times.
//! Rows in time are judged by fits to earlier blocks.

use crate::activation::Activation;
use crate::data::dependence::{rows_by_number, time_blocks};
use crate::data::{Data, Dependence};
use crate::linalg::{self, Matrix};
use crate::network::Network;

/// Ridges compared, as shares of the mean squared singular value.
const RIDGES: [f64; 15] = [0.0, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 10.0, 100.0, 1000.0];
/// Singular values below this share of the largest are zero.
const NUMERICAL_ZERO: f64 = 1e-7;
/// Blocks of time; the first is never judged.
const TIME_BLOCKS: usize = 6;

/// Fit; `None` when the table is not finite.
pub(super) fn ridge(table: &Data) -> Option<Network> {
    best_of(table, &RIDGES).map(|(network, _)| network)
}

/// The best fit, and the residuals of the fits without row i, or without what depends on it: of the rows that are left out.
fn best_of(table: &Data, ridges: &[f64]) -> Option<(Network, Vec<f64>)> {
    let decomposed = Decomposed::of(table)?;
    let (left_out, omega) = match table.dependence.as_ref().filter(|dependence| dependence.count() > 1) {
        None => (ridges.iter().map(|ridge| decomposed.without_rows(*ridge)).collect(), decomposed.omega.clone()),
        Some(Dependence::Groups(groups)) => {
            (decomposed.without_groups(&rows_by_number(groups), ridges), decomposed.omega.clone())
        }
        Some(Dependence::Times(times)) => forward(table, times, ridges)?,
    };
    let error = |left_out: &[f64]| left_out.iter().zip(&omega).map(|(r, omega)| omega * r * r).sum::<f64>();
    let mut best: Option<(f64, f64, Vec<f64>)> = None;
    for (&ridge, left_out) in ridges.iter().zip(left_out) {
        let error = error(&left_out);
        if error.is_finite() && best.as_ref().is_none_or(|(least, ..)| error < *least) {
            best = Some((error, ridge, left_out));
        }
    }
    // Where no ridge can be judged, as of one row, nothing is learnt but the mean.
    let (_, ridge, left_out) = best.or_else(|| Some((f64::INFINITY, *ridges.last()?, vec![])))?;
    Some((Network::affine(Activation::SQUARE, 0.0, decomposed.slopes(ridge)), left_out))
}

/// √ω∘X = USVᵀ, where S is not zero.
struct Decomposed<'a> {
    table: &'a Data,
    omega: Vec<f64>,
    root: Vec<f64>,
    A: Matrix,
    /// A column for each singular value.
    U: Matrix,
    squares: Vec<f64>,
    /// Uᵀ√ω y
    projected: Vec<f64>,
    /// √ω y less what U reaches of it.
    unreached: Vec<f64>,
}

impl<'a> Decomposed<'a> {
    fn of(table: &'a Data) -> Option<Self> {
        let (n, d) = (table.n(), table.d());
        let omega = table.omega();
        let root: Vec<f64> = omega.iter().map(|omega| omega.sqrt()).collect();
        let A = Matrix::from_fn(n, d, |i, j| root[i] * table.X[(i, j)]);
        let wide = d > n;
        let (all, Q) = linalg::symmetric_eigen(&if wide { linalg::gram(&A.transposed()) } else { linalg::gram(&A) })?;
        let largest = all.last().copied().unwrap_or(0.0);
        let kept: Vec<usize> = (0..all.len()).filter(|&j| all[j] > NUMERICAL_ZERO.powi(2) * largest).collect();
        let squares: Vec<f64> = kept.iter().map(|&j| all[j]).collect();
        let basis = Matrix::from_fn(Q.rows(), kept.len(), |i, j| Q[(i, kept[j])]);
        // V = AᵀU/S.
        let U = if wide { basis } else { scaled_columns(&A.times(&basis), &squares) };
        let labels: Vec<f64> = root.iter().zip(&table.y).map(|(root, y)| root * y).collect();
        let projected = U.transposed().times_vector(&labels);
        let unreached = labels.iter().zip(U.times_vector(&projected)).map(|(y, reached)| y - reached).collect();
        Some(Decomposed { table, omega, root, A, U, squares, projected, unreached })
    }

    /// λ, from its share of the mean squared singular value.
    fn lambda(&self, ridge: f64) -> f64 {
        ridge * (self.squares.iter().sum::<f64>() / self.table.d() as f64)
    }

    fn shrink(&self, ridge: f64) -> Vec<f64> {
        let lambda = self.lambda(ridge);
        self.squares.iter().map(|s| s / (s + lambda)).collect()
    }

    fn slopes(&self, ridge: f64) -> Vec<f64> {
        let lambda = self.lambda(ridge);
        let weights: Vec<f64> = self.projected.iter().zip(&self.squares).map(|(p, s)| p / (s + lambda)).collect();
        self.A.transposed().times_vector(&self.U.times_vector(&weights))
    }

    /// f(x_i) − y_i of the fit to all rows.
    fn residual(&self, i: usize, fitted: &[f64]) -> f64 {
        linalg::dot(self.U.row(i), fitted) / self.root[i].max(f64::MIN_POSITIVE) - self.table.y[i]
    }

    fn fitted(&self, shrink: &[f64]) -> Vec<f64> {
        self.projected.iter().zip(shrink).map(|(p, shrink)| p * shrink).collect()
    }

    fn without_rows(&self, ridge: f64) -> Vec<f64> {
        /// What U does not reach of a row is rounding of nothing below this.
        const ROUNDING: f64 = 1e-13;
        let lambda = self.lambda(ridge);
        let left: Vec<f64> = self.squares.iter().map(|s| lambda / (s + lambda)).collect();
        let missed: Vec<f64> = self.projected.iter().zip(&left).map(|(p, left)| p * left).collect();
        let row = |i: usize| {
            let u = self.U.row(i);
            let unreached = 1.0 - self.omega[i] - linalg::dot(u, u);
            let shrunk: f64 = u.iter().zip(&left).map(|(u, left)| u * u * left).sum();
            let (is_reached, root) = (unreached < ROUNDING, self.root[i].max(f64::MIN_POSITIVE));
            let (more, rest) = if is_reached { (0.0, 0.0) } else { (unreached, self.unreached[i]) };
            // A row that decides its own fit says nothing about the ridge.
            let free = more + shrunk;
            if free > 0.0 { -(rest + linalg::dot(u, &missed)) / (free * root) } else { f64::INFINITY }
        };
        (0..self.table.n()).map(row).collect()
    }

    /// For each ridge, the residuals of all rows without their groups.
    fn without_groups(&self, groups: &[Vec<usize>], ridges: &[f64]) -> Vec<Vec<f64>> {
        let shrinks: Vec<Vec<f64>> = ridges.iter().map(|ridge| self.shrink(*ridge)).collect();
        let mut left_out = vec![vec![0.0; self.table.n()]; ridges.len()];
        for rows in groups {
            let part = |i: usize, j: usize| if j == 0 { self.root[rows[i]] } else { self.U[(rows[i], j - 1)] };
            let W = Matrix::from_fn(rows.len(), self.squares.len() + 1, part);
            let product = (W.rows() > W.cols()).then(|| linalg::gram(&W));
            for (shrink, left_out) in shrinks.iter().zip(&mut left_out) {
                let fitted = self.fitted(shrink);
                let scaled: Vec<f64> = rows.iter().map(|&i| self.root[i] * self.residual(i, &fitted)).collect();
                let D: Vec<f64> = std::iter::once(1.0).chain(shrink.iter().copied()).collect();
                let solved = without_block(&W, &D, product.as_ref(), &scaled);
                for (at, &i) in rows.iter().enumerate() {
                    // A group that decides its own fit says nothing about the ridge.
                    let infinite = || f64::INFINITY;
                    left_out[i] =
                        solved.as_ref().map_or_else(infinite, |r| r[at] / self.root[i].max(f64::MIN_POSITIVE));
                }
            }
        }
        left_out
    }
}

/// (1 − WDWᵀ)⁻¹ρ, with WᵀW where it is the smaller matrix; `None` where that is not definite.
fn without_block(W: &Matrix, D: &[f64], product: Option<&Matrix>, scaled: &[f64]) -> Option<Vec<f64>> {
    match product {
        None => {
            let H = |i: usize, j: usize| (0..D.len()).map(|k| W[(i, k)] * D[k] * W[(j, k)]).sum::<f64>();
            let identity = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
            linalg::solve_positive_definite(
                &Matrix::from_fn(W.rows(), W.rows(), |i, j| identity(i, j) - H(i, j)),
                scaled,
            )
        }
        Some(product) => {
            let inverse = |i: usize, j: usize| if i == j { 1.0 / D[i] } else { 0.0 };
            let block = Matrix::from_fn(D.len(), D.len(), |i, j| inverse(i, j) - product[(i, j)]);
            let inner = linalg::solve_positive_definite(&block, &W.transposed().times_vector(scaled))?;
            Some(W.times_vector(&inner).iter().zip(scaled).map(|(more, r)| r + more).collect())
        }
    }
}

/// For each ridge, the residuals of the rows of each block of time but the first by the fit to all earlier blocks; and their ω.
fn forward(table: &Data, times: &[usize], ridges: &[f64]) -> Option<(Vec<Vec<f64>>, Vec<f64>)> {
    let counts = |i: usize| table.weights.as_ref().is_none_or(|weights| weights[i] > 0.0);
    let blocks = time_blocks(times, counts, TIME_BLOCKS);
    let (mut left_out, mut judged) = (vec![vec![]; ridges.len()], vec![]);
    for block in 1..=blocks.iter().copied().max()? {
        let rows =
            |wanted: &dyn Fn(usize) -> bool| (0..table.n()).filter(|&i| wanted(blocks[i])).collect::<Vec<usize>>();
        let (earlier, now) = (rows(&|one| one < block), rows(&|one| one == block));
        let (centred, means, target_mean) = centred(&table.select(&earlier));
        let decomposed = Decomposed::of(&centred)?;
        for (ridge, left_out) in ridges.iter().zip(&mut left_out) {
            let slopes = decomposed.slopes(*ridge);
            let error = |&i: &usize| {
                let f: f64 = table.X.row(i).iter().zip(&means).zip(&slopes).map(|((x, mean), b)| (x - mean) * b).sum();
                target_mean + f - table.y[i]
            };
            left_out.extend(now.iter().map(error));
        }
        judged.extend(now);
    }
    Some((left_out, table.select(&judged).omega()))
}

/// A table less the means of its columns and its target, and these.
fn centred(table: &Data) -> (Data, Vec<f64>, f64) {
    let omega = table.omega();
    let mean = |values: &[f64]| linalg::dot(values, &omega);
    let means: Vec<f64> = (0..table.d()).map(|j| mean(&table.X.column(j))).collect();
    let target_mean = mean(&table.y);
    let X = Matrix::from_fn(table.n(), table.d(), |i, j| table.X[(i, j)] - means[j]);
    let y = table.y.iter().map(|y| y - target_mean).collect();
    (Data { X, y, ..table.clone() }, means, target_mean)
}

fn scaled_columns(A: &Matrix, squares: &[f64]) -> Matrix {
    Matrix::from_fn(A.rows(), A.cols(), |i, j| A[(i, j)] / squares[j].sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    fn table(n: usize, d: usize) -> Data {
        let mut stream = Stream::new(8, Purpose::Probe, 4);
        let mut X = Matrix::from_fn(n, d, |_, _| stream.normal());
        // Centred, as the standardised tables are that this is made for.
        for j in 0..d {
            let mean = X.column(j).iter().sum::<f64>() / n as f64;
            (0..n).for_each(|i| X[(i, j)] -= mean);
        }
        let mut y: Vec<f64> = (0..n).map(|i| 2.0 * X[(i, 0)] + stream.normal()).collect();
        let mean = y.iter().sum::<f64>() / n as f64;
        y.iter_mut().for_each(|y| *y -= mean);
        Data::builder(X, y).names((0..d).map(|j| format!("x{j}")).collect()).build().unwrap()
    }

    #[test]
    fn many_rows_give_nearly_the_least_squares_fit() {
        let fitted = ridge(&table(500, 3)).unwrap();
        let b = fitted.linear.unwrap();
        assert!((b[0] - 2.0).abs() < 0.2 && b[1].abs() < 0.2, "{b:?}");
    }

    #[test]
    fn with_more_columns_than_rows_labels_of_pure_noise_are_predicted_by_their_mean() {
        let mut table = table(30, 100);
        let mut stream = Stream::new(8, Purpose::Probe, 6);
        table.y = (0..30).map(|_| stream.normal()).collect();
        let mean = table.y.iter().sum::<f64>() / 30.0;
        table.y.iter_mut().for_each(|y| *y -= mean);
        let (_, left_out) = best_of(&table, &RIDGES).unwrap();
        let square = |r: &[f64]| r.iter().map(|r| r * r).sum::<f64>() / 30.0;
        // The mean itself, left out, is wrong by 30/29 of the deviation.
        assert!(square(&left_out) < 1.08 * square(&table.y));
    }

    #[test]
    fn residuals_of_rows_left_out_are_those_of_fits_without_the_row() {
        let table = table(40, 3);
        let (_, left_out) = best_of(&table, &[0.0]).unwrap();
        let least_squares = crate::fit::affine_fit(&table.select(&(1..40).collect::<Vec<_>>())).unwrap();
        let r = least_squares.predict(&table.select(&[0]).X).unwrap()[0] - table.y[0];
        assert!((r - left_out[0]).abs() < 1e-12, "{r} {}", left_out[0]);
    }

    /// The residuals of the rows of a part by the ridge fit to others, its ridge a share of the same λ.
    fn by_others(table: &Data, others: &[usize], part: &[usize], lambda: f64) -> Vec<f64> {
        let (centred, means, target_mean) = centred(&table.select(others));
        let mut decomposed = Decomposed::of(&centred).unwrap();
        // ω of all rows, as the fit to all of them has it.
        let share = others.len() as f64 / table.n() as f64;
        decomposed.squares.iter_mut().for_each(|s| *s *= share);
        let mean_square = decomposed.squares.iter().sum::<f64>() / table.d() as f64;
        let shrink = decomposed.shrink(lambda / mean_square);
        let unshrunk = decomposed.slopes(0.0);
        assert_eq!(shrink.len(), unshrunk.len());
        let projected: Vec<f64> = decomposed
            .projected
            .iter()
            .zip(&decomposed.squares)
            .zip(&shrink)
            .map(|((p, s), shrink)| p * shrink / (s / share))
            .collect();
        let slopes = decomposed.A.transposed().times_vector(&decomposed.U.times_vector(&projected));
        let f =
            |&i: &usize| target_mean + (0..table.d()).map(|j| (table.X[(i, j)] - means[j]) * slopes[j]).sum::<f64>();
        part.iter().map(|i| f(i) - table.y[*i]).collect()
    }

    #[test]
    fn residuals_of_groups_left_out_are_those_of_fits_without_the_group_be_it_small_or_large() {
        let table = table(60, 4);
        // A group of 30 rows, more than the five numbers of the fit, and groups of three.
        let groups: Vec<usize> = (0..60).map(|i| if i < 30 { 0 } else { i / 3 }).collect();
        let table = Data { dependence: Some(Dependence::Groups(groups.clone())), ..table };
        for ridge in [0.0, 0.1, 10.0] {
            let (_, left_out) = best_of(&table, &[ridge]).unwrap();
            let lambda = Decomposed::of(&table).unwrap().lambda(ridge);
            for rows in rows_by_number(&groups) {
                let others: Vec<usize> = (0..60).filter(|i| !rows.contains(i)).collect();
                for (i, r) in rows.iter().zip(by_others(&table, &others, &rows, lambda)) {
                    assert!((r - left_out[*i]).abs() < 1e-9, "ridge {ridge}, row {i}: {r} {}", left_out[*i]);
                }
            }
        }
    }

    #[test]
    fn rows_in_time_are_judged_by_earlier_rows_alone() {
        let table = table(60, 3);
        let table = Data { dependence: Some(Dependence::Times((0..60).collect())), ..table };
        let (_, left_out) = best_of(&table, &[0.0]).unwrap();
        assert_eq!(left_out.len(), 50);
        let before: Vec<usize> = (0..20).collect();
        let fit = crate::fit::affine_fit(&table.select(&before)).unwrap();
        let r = fit.predict(&table.select(&[20]).X).unwrap()[0] - table.y[20];
        assert!((r - left_out[10]).abs() < 1e-10, "{r} {}", left_out[10]);
        // What comes later changes nothing.
        let mut other = table.clone();
        other.y[59] += 100.0;
        assert_eq!(best_of(&other, &[0.0]).unwrap().1[..49], left_out[..49]);
    }

    #[test]
    fn one_group_is_no_group() {
        let plain = table(40, 3);
        let grouped = Data { dependence: Some(Dependence::Groups(vec![7; 40])), ..plain.clone() };
        assert_eq!(best_of(&plain, &RIDGES).unwrap().1, best_of(&grouped, &RIDGES).unwrap().1);
    }
}

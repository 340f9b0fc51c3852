//! How many units the moments of degree two show: a sequential test with a bootstrap of the noise.
//!
//! The matrix Ŝ of second moments is Σ κ_i b_i b_iᵀ + noise, and the noise is linear in the residual e of the regression
//! it comes from. Multiplying each residual by a random sign draws another noise of the same size and shape (the wild
//! bootstrap), whatever the law of e given x. For r = 0, 1, … the test asks whether the eigenvalues beyond the r largest
//! could be noise: whether the largest of them is below the largest eigenvalue, in size, of at least one of the
//! [`DRAWS`] drawn noises, restricted to the complement of the first r eigenvectors. The first r that passes is the rank.
//! A matrix of rank r is taken for one of higher rank with probability about 1/([`DRAWS`] + 1); a unit whose eigenvalue
//! drowns in the noise is not seen.

use super::decomposition::by_size;
use super::evidence::Left;
use super::regression::{Regression, feature_count, symmetric_from_features, write_features};
use crate::error::Result;
use crate::linalg::{self, Destination, Matrix, View, add_scaled, multiply, norm, spectral_norm, symmetric_eigen};
use crate::random::{Purpose, Stream};

/// Noises drawn: the test has level 1/(99 + 1).
pub const DRAWS: usize = 99;

/// The spectrum of Ŝ and what of it is not noise. [`rank`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Rank {
    /// The number of eigenvalues that stand out.
    pub rank: usize,
    /// The eigenvalues of Ŝ, the largest in size first.
    pub eigenvalues: Vec<f64>,
    /// For r = 0, …, rank (below d): the largest drawn noise beyond the first r eigenvectors.
    pub noise: Vec<f64>,
}

/// The rank of E[y(xxᵀ − I)], from the regression of y on these rows.
///
/// ```
/// use shallows::data::teacher::{Hidden, Outputs, Teacher};
/// use shallows::recover::{Regression, rank};
///
/// let teacher = Teacher::plant("relu".parse()?, (2, 4), &Hidden::Orthogonal, &Outputs::Ones, 1)?;
/// let data = teacher.sample(0..4000)?;
/// let regression = Regression::of(&data.X, &data.y)?;
/// let found = rank(&data.X, &data.y, &regression, 1).expect("enough rows");
/// assert_eq!(found.rank, 2);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn rank(X: &Matrix, y: &[f64], regression: &Regression, seed: u64) -> Option<Rank> {
    let d = X.cols();
    let (values, vectors) = symmetric_eigen(&regression.second())?;
    let order = by_size(&values);
    let eigenvalues: Vec<f64> = order.iter().map(|&i| values[i]).collect();
    let noises: Vec<Matrix> =
        drawn_noises(X, y, regression, seed).iter().map(|noise| symmetric_from_features(d, noise)).collect();
    let mut noise = vec![];
    for r in 0..d {
        let rest = Matrix::from_fn(d, d - r, |a, i| vectors[(a, order[r + i])]);
        let largest = largest_inside(&noises, &rest)?;
        noise.push(largest);
        if eigenvalues[r].abs() <= largest {
            return Some(Rank { rank: r, eigenvalues, noise });
        }
    }
    Some(Rank { rank: d, eigenvalues, noise })
}

/// The largest eigenvalue, in size, of any of the noises restricted to the span of these columns.
fn largest_inside(noises: &[Matrix], columns: &Matrix) -> Option<f64> {
    let rows = columns.transposed();
    let mut largest = 0.0_f64;
    for N in noises {
        let values = linalg::symmetric_eigenvalues(&rows.times(N).times(columns))?;
        largest = values.iter().fold(largest, |most, value| most.max(value.abs()));
    }
    Some(largest)
}

/// The linear and the quadratic part of y by regression, as shares of the largest that random signs make of its residuals.
pub(super) fn structure(X: &Matrix, y: &[f64], seed: u64) -> Result<Left> {
    let d = X.cols();
    let regression = Regression::of(X, y)?;
    let (mut linear, mut quadratic) = (0.0_f64, 0.0_f64);
    for noise in drawn_noises(X, y, &regression, seed) {
        linear = linear.max(norm(&noise[1..=d]));
        quadratic = quadratic.max(spectral_norm(&symmetric_from_features(d, &noise)));
    }
    Ok(Left { linear: norm(regression.linear()) / linear, quadratic: spectral_norm(&regression.second()) / quadratic })
}

/// What the coefficients would be if the residuals, with random signs, were all there is.
fn drawn_noises(X: &Matrix, y: &[f64], regression: &Regression, seed: u64) -> Vec<Vec<f64>> {
    let residuals = regression.residuals(X, y);
    let (n, d) = (X.rows(), X.cols());
    let p = feature_count(d);
    // In-sample residuals are too small by this factor, on average.
    let correction = (n as f64 / (n - p) as f64).sqrt();
    let sums = linalg::sum_over_rows(
        (n, (p + linalg::BLOCK_ROWS) * DRAWS),
        || vec![0.0; p * DRAWS],
        |sums, rows| {
            let mut stream = Stream::new(seed, Purpose::Bootstrap, (rows.start / linalg::BLOCK_ROWS) as u64);
            let mut features = vec![0.0; rows.len() * p];
            let mut signed = vec![0.0; rows.len() * DRAWS];
            for (at, i) in rows.clone().enumerate() {
                write_features(X.row(i), &mut features[at * p..][..p]);
                signed[at * DRAWS..][..DRAWS].iter_mut().for_each(|out| *out = residuals[i] * stream.sign());
            }
            let features = View::new(&features, rows.len(), p);
            multiply(sums, features.t(), View::new(&signed, rows.len(), DRAWS), Destination::Add);
        },
        |sums, next| add_scaled(sums, 1.0, &next),
    );
    let draw = |draw: usize| {
        let right: Vec<f64> = (0..p).map(|j| sums[j * DRAWS + draw] * correction / n as f64).collect();
        regression.solve(&right)
    };
    (0..DRAWS).map(draw).collect()
}

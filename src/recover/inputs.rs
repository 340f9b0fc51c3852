//! Are the inputs what the theory asks for? Four tests of x ~ N(0, I).
//!
//! | part of the claim | statistic | its law when x ~ N(0, I) |
//! |---|---|---|
//! | E x = 0 | Hotelling's T² = n x̄ᵀS⁻¹x̄ | T²(n−d)/(d(n−1)) ~ F(d, n−d), exactly |
//! | Cov x = I | likelihood ratio u = ν(tr S − ln det S − d), ν = n−1 | gamma with the exact mean and variance of u |
//! | no skewness | Mardia's b₁ = Σ_abc (mean of z_a z_b z_c)² | (n/6)k b₁ ~ χ² with d(d+1)(d+2)/6 degrees; k makes the mean exact |
//! | kurtosis of a Gaussian | Mardia's b₂ = mean of ‖z‖⁴ | normal with the exact mean and variance of b₂ |
//!
//! S is the unbiased covariance and z the inputs whitened by their own mean and covariance (1/n), so that the last two
//! do not depend on mean and covariance: they test whether x is Gaussian at all. The first two only say whether the
//! inputs must be whitened.
//!
//! The moments of u: with A = νS Wishart, E ln det A = Σ_{j<d} ψ((ν−j)/2) + d ln 2, Var ln det A = Σ ψ'((ν−j)/2),
//! Var tr A = 2νd and Cov(tr A, ln det A) = 2d, so
//!
//! ```text
//! E u = ν(d ln(ν/2) − Σ ψ((ν−j)/2)),    Var u = ν² Σ ψ'((ν−j)/2) − 2νd.
//! ```
//!
//! Unlike the χ² law with Bartlett's factor this stays right when d is a sizeable part of n. Those of b₁ and b₂ are
//! Mardia's (1970, 1974): E b₁ = d(d+2)((n+1)(d+1) − 6)/((n+1)(n+3)), E b₂ = d(d+2)(n−1)/(n+1), Var b₂ =
//! 8d(d+2)(n−3)(n−d−1)(n−d+1)/((n+1)²(n+3)(n+5)).
//!
//! # Limits
//!
//! A test can refute the claim, never prove it: any law with the first four moments of a Gaussian passes. The laws of b₁ and b₂ are approximations that reject a little too
//! often in small samples: of Gaussian inputs with n between 5d and 50d about 7 in 100 at a level of 5 %, 2 in 100 at
//! 1 %. Decide at a small level. b₁ costs nd³/3 multiplications and is left out beyond [`MOST_SKEWNESS_INPUTS`] inputs.

use super::whitening::Whitening;
use crate::error::{DataProblem, Error, RecoverProblem, Result};
use crate::linalg::{Matrix, View, add_lower_product, add_scaled, dot, norm, solve_lower, sum_over_rows};
use crate::statistics::tails;

/// Beyond, the third moments are too many.
pub const MOST_SKEWNESS_INPUTS: usize = 100;

/// A statistic and how often it would be as extreme if the hypothesis held. [`input_tests`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// T², u, b₁ or b₂.
    pub statistic: f64,
    /// The probability of a value at least as extreme.
    pub p: f64,
}

/// What the inputs look like beside N(0, I). [`input_tests`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct InputTests {
    /// Rows.
    pub n: usize,
    /// Inputs.
    pub d: usize,
    /// E x = 0.
    pub mean: Test,
    /// Cov x = I.
    pub covariance: Test,
    /// No skewness; `None` beyond [`MOST_SKEWNESS_INPUTS`] inputs.
    pub skewness: Option<Test>,
    /// The kurtosis of a Gaussian.
    pub kurtosis: Test,
}

impl Test {
    /// Whether the hypothesis is rejected at this level; NaN rejects.
    pub fn rejects(&self, level: f64) -> bool {
        !(self.p >= level)
    }
}

impl InputTests {
    /// Whether nothing at this level speaks against x ~ N(μ, Σ) for some μ and Σ. A test that was left out says nothing.
    pub fn gaussian(&self, level: f64) -> bool {
        !self.kurtosis.rejects(level) && !self.skewness.is_some_and(|test| test.rejects(level))
    }

    /// Whether nothing at this level speaks against μ = 0 and Σ = I either.
    pub fn standard(&self, level: f64) -> bool {
        self.gaussian(level) && !self.mean.rejects(level) && !self.covariance.rejects(level)
    }

    /// What is rejected at this level, in words.
    pub fn objections(&self, level: f64) -> Vec<&'static str> {
        let skewness = self.skewness.is_some_and(|test| test.rejects(level));
        [
            (self.mean.rejects(level), "the means of the inputs are not 0"),
            (self.covariance.rejects(level), "the covariance of the inputs is not the identity"),
            (skewness, "the inputs are skewed, as Gaussians are not"),
            (self.kurtosis.rejects(level), "the tails of the inputs are not those of a Gaussian"),
        ]
        .into_iter()
        .filter_map(|(rejected, words)| rejected.then_some(words))
        .collect()
    }
}

/// Test the rows of X; needs n ≥ max(d + 2, 4), and inputs of which none is constant or a combination of others.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::random::{Purpose, Stream};
/// use shallows::recover::input_tests;
///
/// let mut stream = Stream::new(1, Purpose::Inputs, 0);
/// let gaussian = Matrix::from_fn(2000, 2, |_, _| stream.normal());
/// assert!(input_tests(&gaussian)?.standard(1e-3));
/// // Signs have the right mean and covariance, but not the right tails.
/// let signs = Matrix::from_fn(2000, 2, |_, _| stream.sign());
/// assert!(!input_tests(&signs)?.gaussian(1e-3));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn input_tests(X: &Matrix) -> Result<InputTests> {
    let (n, d) = (X.rows(), X.cols());
    if d == 0 {
        return Err(Error::Data(DataProblem::NoInputs));
    }
    let needed = (d + 2).max(4);
    if n < needed {
        return Err(Error::Recover(RecoverProblem::TooFewRows { rows: n, inputs: d, needed }));
    }
    let whitening = Whitening::of(X)?;
    let moments = moments(&whitening.whitened(X)?);
    Ok(InputTests {
        n,
        d,
        mean: mean_test(&whitening, n as f64),
        covariance: covariance_test(&whitening, n as f64),
        skewness: moments.skewness.map(|b1| skewness_test(b1, n as f64, d as f64)),
        kurtosis: kurtosis_test(moments.kurtosis, n as f64, d as f64),
    })
}

fn mean_test(whitening: &Whitening, n: f64) -> Test {
    let d = whitening.inputs() as f64;
    // The factor is that of the biased covariance, (n − 1)/n times S.
    let whitened = norm(&solve_lower(whitening.factor(), whitening.mean()));
    let statistic = (n - 1.0) * whitened * whitened;
    let p = tails::fisher(statistic * (n - d) / (d * (n - 1.0)), d, n - d);
    Test { statistic, p }
}

fn covariance_test(whitening: &Whitening, n: f64) -> Test {
    let (L, d) = (whitening.factor(), whitening.inputs());
    let nu = n - 1.0;
    let unbiased = n / nu;
    let trace = unbiased * dot(L.as_slice(), L.as_slice());
    let log_determinant = (0..d).map(|j| (unbiased * L[(j, j)] * L[(j, j)]).ln()).sum::<f64>();
    let statistic = nu * (trace - log_determinant - d as f64);
    let halves = (0..d).map(|j| 0.5 * (nu - j as f64));
    let mean = nu * halves.clone().map(|half| (0.5 * nu).ln() - tails::digamma(half)).sum::<f64>();
    let variance = nu * halves.map(|half| nu * tails::trigamma(half) - 2.0).sum::<f64>();
    let p = tails::gamma(statistic * mean / variance, mean * mean / variance);
    Test { statistic, p }
}

fn skewness_test(b1: f64, n: f64, d: f64) -> Test {
    let correction = (d + 1.0) * (n + 1.0) * (n + 3.0) / (n * ((n + 1.0) * (d + 1.0) - 6.0));
    let freedom = d * (d + 1.0) * (d + 2.0) / 6.0;
    Test { statistic: b1, p: tails::chi_squared(n / 6.0 * correction * b1, freedom) }
}

fn kurtosis_test(b2: f64, n: f64, d: f64) -> Test {
    let mean = d * (d + 2.0) * (n - 1.0) / (n + 1.0);
    let variance = 8.0 * d * (d + 2.0) * (n - 3.0) * (n - d - 1.0) * (n - d + 1.0)
        / ((n + 1.0) * (n + 1.0) * (n + 3.0) * (n + 5.0));
    Test { statistic: b2, p: tails::normal_two_sided((b2 - mean) / variance.sqrt()) }
}

/// Mardia's b₁ and b₂.
struct MardiaMoments {
    skewness: Option<f64>,
    kurtosis: f64,
}

/// Of whitened inputs, in one pass.
fn moments(Z: &Matrix) -> MardiaMoments {
    let (n, d) = (Z.rows(), Z.cols());
    let third = d <= MOST_SKEWNESS_INPUTS;
    let tensor = if third { offsets(d).1 } else { 0 };
    let (sums, fourth) = sum_over_rows(
        (n, tensor + 1),
        || (vec![0.0; tensor], 0.0),
        |(sums, fourth), rows| {
            *fourth += rows.clone().map(|i| dot(Z.row(i), Z.row(i)).powi(2)).sum::<f64>();
            if third {
                add_third_moments(sums, &Z.as_slice()[rows.start * d..rows.end * d], d);
            }
        },
        |(sums, fourth), (next, next_fourth)| {
            add_scaled(sums, 1.0, &next);
            *fourth += next_fourth;
        },
    );
    let n = n as f64;
    MardiaMoments { skewness: third.then(|| squared_sum(&sums, d) / (n * n)), kurtosis: fourth / n }
}

/// Where the slice T_a = (Σ z_a z_b z_c)_{b,c ≥ a}, a square of size d − a, begins for each a; and the length of all.
fn offsets(d: usize) -> (Vec<usize>, usize) {
    let mut end = 0;
    let starts = (0..d).map(|a| {
        let start = end;
        end += (d - a) * (d - a);
        start
    });
    (starts.collect(), end)
}

/// Add the third moments of some rows: the lower triangle of T_a for every a, so every a ≤ b ≤ c once.
fn add_third_moments(sums: &mut [f64], rows: &[f64], d: usize) {
    let n = rows.len() / d;
    for (a, start) in offsets(d).0.into_iter().enumerate() {
        let width = d - a;
        let part: Vec<f64> = rows.chunks_exact(d).flat_map(|z| &z[a..]).copied().collect();
        let scaled: Vec<f64> = part.chunks_exact(width).flat_map(|z| z.iter().map(|x| z[0] * x)).collect();
        let sum = &mut sums[start..start + width * width];
        add_lower_product(sum, View::new(&part, n, width).t(), View::new(&scaled, n, width));
    }
}

/// Σ over all a, b, c of the squares, each a ≤ b ≤ c as often as it has orders.
fn squared_sum(sums: &[f64], d: usize) -> f64 {
    let mut total = 0.0;
    for (a, start) in offsets(d).0.into_iter().enumerate() {
        let width = d - a;
        for c in 0..width {
            for b in 0..=c {
                let orders = match (b == 0, b == c) {
                    (true, true) => 1.0,
                    (false, false) => 6.0,
                    _ => 3.0,
                };
                total += orders * sums[start + c * width + b].powi(2);
            }
        }
    }
    total
}

//! Combining candidates by their out-of-fold residuals.

use crate::linalg::{self, Matrix};

/// Candidates stacked at most: all subsets are tried.
pub(super) const MOST_CANDIDATES: usize = 12;

/// Σ ω a b, the second moment of two residuals.
pub(super) fn moment(omega: &[f64], a: &[f64], b: &[f64]) -> f64 {
    omega.iter().zip(a.iter().zip(b)).map(|(omega, (a, b))| omega * a * b).sum()
}

/// The weights w ≥ 0, Σw = 1, that minimise wᵀSw.
///
/// On each subset the minimiser is S⁻¹1/(1ᵀS⁻¹1); the best of those that are nowhere negative is the solution.
pub(super) fn weights(S: &Matrix) -> Vec<f64> {
    let m = S.rows();
    assert!(m <= MOST_CANDIDATES, "few candidates");
    // No system is definite with a candidate that is never wrong: it needs no other.
    if let Some(exact) = (0..m).find(|&a| S[(a, a)] == 0.0) {
        return (0..m).map(|a| f64::from(a == exact)).collect();
    }
    let mut best: (f64, Vec<f64>) = (f64::INFINITY, vec![]);
    for subset in 1_u32..1 << m {
        let members: Vec<usize> = (0..m).filter(|a| subset >> a & 1 == 1).collect();
        let block = Matrix::from_fn(members.len(), members.len(), |a, b| S[(members[a], members[b])]);
        let Some(solution) = linalg::solve_positive_definite(&block, &vec![1.0; members.len()]) else { continue };
        let sum: f64 = solution.iter().sum();
        if !(sum > 0.0) || solution.iter().any(|w| *w < 0.0) {
            continue;
        }
        if 1.0 / sum < best.0 {
            let mut w = vec![0.0; m];
            members.iter().zip(&solution).for_each(|(&a, x)| w[a] = x / sum);
            best = (1.0 / sum, w);
        }
    }
    best.1
}

/// How far a model is ahead of a simpler one, by their errors on the same rows.
/// [`Combination`](crate::fit::Combination) shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// Its mean squared error is lower by this many standard errors over rows, where no difference counts more than the
    /// largest one beyond the fiftieth of the rows with the largest.
    pub standard_errors: f64,
    /// Its RMSE is lower by this share.
    pub lower: f64,
}

/// Of so many rows one has its difference cut off; one row in any case.
const ROWS_OF_A_CUT: usize = 50;

impl Lead {
    /// Of the model with residuals `better` over the one with residuals `base`.
    pub(super) fn over(base: &[f64], better: &[f64], omega: &[f64]) -> Self {
        let mut gain: Vec<f64> = base.iter().zip(better).map(|(a, b)| a * a - b * b).collect();
        cut(&mut gain);
        let rmse = |r: &[f64]| moment(omega, r, r).sqrt();
        Lead { standard_errors: advantage(&gain, omega), lower: 1.0 - rmse(better) / rmse(base) }
    }

    /// In words.
    pub fn words(&self) -> String {
        format!("{:.1} standard errors", self.standard_errors)
    }
}

/// Make the largest numbers, one of fifty, no larger than the next.
fn cut(gain: &mut [f64]) {
    let mut sizes: Vec<f64> = gain.iter().map(|g| g.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let count = gain.len().div_ceil(ROWS_OF_A_CUT);
    let most = gain.len().checked_sub(count + 1).map_or(0.0, |at| sizes[at]);
    gain.iter_mut().for_each(|g| *g = g.clamp(-most, most));
}

/// The mean of differences in standard errors over rows.
fn advantage(gain: &[f64], omega: &[f64]) -> f64 {
    let mean: f64 = gain.iter().zip(omega).map(|(g, omega)| omega * g).sum();
    // The variance of a weighted mean of independent rows.
    let variance: f64 = gain.iter().zip(omega).map(|(g, omega)| (omega * (g - mean)).powi(2)).sum();
    if variance > 0.0 { mean / variance.sqrt() } else { mean.signum() * f64::from(mean != 0.0) * f64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    fn value(S: &Matrix, w: &[f64]) -> f64 {
        linalg::dot(w, &S.times_vector(w))
    }

    #[test]
    fn no_point_of_the_simplex_is_better() {
        let mut stream = Stream::new(9, Purpose::Probe, 5);
        for _ in 0..50 {
            let A = Matrix::from_fn(7, 5, |_, _| stream.normal());
            let S = linalg::gram(&A);
            let best = weights(&S);
            assert!((best.iter().sum::<f64>() - 1.0).abs() < 1e-12 && best.iter().all(|w| *w >= 0.0));
            for _ in 0..200 {
                let raw: Vec<f64> = (0..5).map(|_| -stream.uniform().max(1e-12).ln()).collect();
                let sum: f64 = raw.iter().sum();
                let w: Vec<f64> = raw.iter().map(|x| x / sum).collect();
                assert!(value(&S, &w) >= value(&S, &best) * (1.0 - 1e-12));
            }
        }
    }

    #[test]
    fn a_candidate_that_is_never_wrong_gets_all_the_weight() {
        assert_eq!(weights(&Matrix::from_rows(&[[2.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 3.0]])), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn an_equal_candidate_is_no_standard_error_ahead() {
        let omega = vec![0.2; 5];
        let lead = |base: &[f64], better: &[f64]| Lead::over(base, better, &omega);
        let equal = lead(&[1.0, -2.0, 3.0, 1.0, 2.0], &[-1.0, 2.0, 3.0, 1.0, 2.0]);
        assert_eq!((equal.standard_errors, equal.lower), (0.0, 0.0));
        assert!(lead(&[1.0, -2.0, 3.0, 1.0, 2.0], &[0.5, 1.0, 1.0, 0.5, 0.5]).standard_errors > 1.0);
    }

    #[test]
    fn one_row_decides_in_neither_direction() {
        let omega = vec![0.01; 100];
        let base: Vec<f64> = (0..100).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let better: Vec<f64> = base.iter().enumerate().map(|(i, r)| (0.1 + 0.002 * i as f64) * r).collect();
        for (row, other) in [(100.0, 0.1), (1.0, 1e6)] {
            let (mut base, mut better) = (base.clone(), better.clone());
            (base[7], better[7]) = (row, other);
            assert!(Lead::over(&base, &better, &omega).standard_errors > 10.0);
            assert!(Lead::over(&better, &base, &omega).standard_errors < -10.0);
        }
    }

    #[test]
    fn a_lead_has_the_spread_of_a_standard_normal_number_where_nothing_is_better() {
        let mut stream = Stream::new(10, Purpose::Probe, 5);
        let omega = vec![1.0 / 60.0; 60];
        let mut residuals = || (0..60).map(|_| stream.normal().powi(3)).collect::<Vec<f64>>();
        let draws: Vec<f64> =
            (0..2000).map(|_| Lead::over(&residuals(), &residuals(), &omega).standard_errors).collect();
        let square = draws.iter().map(|z| z * z).sum::<f64>() / 2000.0;
        assert!((square - 1.0).abs() < 0.1, "{square}");
    }
}

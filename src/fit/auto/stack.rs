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

/// By how many standard errors over rows the squared errors of `better` are below those of `base`.
pub(super) fn advantage(base: &[f64], better: &[f64], omega: &[f64]) -> f64 {
    let gain: Vec<f64> = base.iter().zip(better).map(|(a, b)| a * a - b * b).collect();
    let mean: f64 = gain.iter().zip(omega).map(|(g, omega)| omega * g).sum();
    // The variance of a weighted mean of independent rows.
    let variance: f64 = gain.iter().zip(omega).map(|(g, omega)| (omega * (g - mean)).powi(2)).sum();
    if variance > 0.0 { mean / variance.sqrt() } else { 0.0 }
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
        let omega = vec![0.25; 4];
        assert_eq!(advantage(&[1.0, -2.0, 3.0, 1.0], &[-1.0, 2.0, 3.0, 1.0], &omega), 0.0);
        assert!(advantage(&[1.0, -2.0, 3.0, 1.0], &[0.5, 1.0, 1.0, 0.5], &omega) > 1.0);
    }
}

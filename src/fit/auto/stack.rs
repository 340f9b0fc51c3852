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
    /// Its mean squared error is lower by this many standard errors over rows.
    pub standard_errors: f64,
    /// The same for the ranks of the differences of squared errors (Wilcoxon's signed ranks), which one row cannot decide.
    pub ranks: f64,
    /// Its RMSE is lower by this share.
    pub lower: f64,
}

/// By this share an RMSE must be lower for ranks to count.
pub(super) const CLEARLY_LOWER: f64 = 0.05;

impl Lead {
    /// Of the model with residuals `better` over the one with residuals `base`.
    pub(super) fn over(base: &[f64], better: &[f64], omega: &[f64]) -> Self {
        let gain: Vec<f64> = base.iter().zip(better).map(|(a, b)| a * a - b * b).collect();
        let rmse = |r: &[f64]| moment(omega, r, r).sqrt();
        let lower = 1.0 - rmse(better) / rmse(base);
        Lead { standard_errors: advantage(&gain, omega), ranks: rank_advantage(&gain, omega), lower }
    }

    /// Whether it is ahead by this much: in the mean of squared errors, or by ranks and a clearly lower RMSE.
    pub(super) fn is_clear(&self, enough: f64) -> bool {
        self.standard_errors >= enough || (self.ranks >= enough && self.lower >= CLEARLY_LOWER)
    }

    /// In words, by the larger of the two.
    pub fn words(&self) -> String {
        match self.ranks > self.standard_errors && self.lower >= CLEARLY_LOWER {
            true => format!("{:.1} standard errors by ranks", self.ranks),
            false => format!("{:.1} standard errors", self.standard_errors),
        }
    }
}

/// The mean of differences in standard errors over rows.
fn advantage(gain: &[f64], omega: &[f64]) -> f64 {
    let mean: f64 = gain.iter().zip(omega).map(|(g, omega)| omega * g).sum();
    // The variance of a weighted mean of independent rows.
    let variance: f64 = gain.iter().zip(omega).map(|(g, omega)| (omega * (g - mean)).powi(2)).sum();
    if variance > 0.0 { mean / variance.sqrt() } else { 0.0 }
}

/// Σ ω s q/√(Σ ω² q²): s the signs of the differences, q the ranks of their sizes; equal sizes share their mean rank.
fn rank_advantage(gain: &[f64], omega: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..gain.len()).filter(|&i| gain[i] != 0.0).collect();
    order.sort_by(|&a, &b| gain[a].abs().total_cmp(&gain[b].abs()));
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut start = 0;
    while start < order.len() {
        let size = gain[order[start]].abs();
        let end = start + order[start..].iter().take_while(|&&i| gain[i].abs() == size).count();
        let rank = 0.5 * (start + 1 + end) as f64;
        for &i in &order[start..end] {
            sum += omega[i] * gain[i].signum() * rank;
            squares += (omega[i] * rank).powi(2);
        }
        start = end;
    }
    if squares > 0.0 { sum / squares.sqrt() } else { 0.0 }
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
        let lead = |base: &[f64], better: &[f64]| Lead::over(base, better, &omega);
        let equal = lead(&[1.0, -2.0, 3.0, 1.0], &[-1.0, 2.0, 3.0, 1.0]);
        assert_eq!((equal.standard_errors, equal.ranks, equal.lower), (0.0, 0.0, 0.0));
        assert!(lead(&[1.0, -2.0, 3.0, 1.0], &[0.5, 1.0, 1.0, 0.5]).standard_errors > 1.0);
    }

    #[test]
    fn one_row_that_dominates_the_squares_does_not_hide_a_better_model() {
        let omega = vec![0.01; 100];
        let mut base: Vec<f64> = (0..100).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        base[7] = 100.0;
        let better: Vec<f64> = base.iter().map(|r| 0.1 * r).collect();
        let lead = Lead::over(&base, &better, &omega);
        assert!(lead.standard_errors < 1.1 && lead.is_clear(2.5), "{lead:?}");
        // Better on most rows, but worse in the mean square: not ahead.
        let mut worse = better.clone();
        worse[7] = 120.0;
        assert!(!Lead::over(&base, &worse, &omega).is_clear(2.5));
    }

    #[test]
    fn ranks_have_the_spread_of_a_standard_normal_number_where_nothing_is_better() {
        let mut stream = Stream::new(10, Purpose::Probe, 5);
        let omega = vec![1.0 / 60.0; 60];
        let draws: Vec<f64> = (0..2000)
            .map(|_| rank_advantage(&(0..60).map(|_| stream.normal().powi(3)).collect::<Vec<_>>(), &omega))
            .collect();
        let square = draws.iter().map(|z| z * z).sum::<f64>() / 2000.0;
        assert!((square - 1.0).abs() < 0.1, "{square}");
    }
}

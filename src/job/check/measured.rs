//! The numbers of the rows and the activation that the theorems are made of, for readers: estimates, no verdict uses them.

use super::CheckOutcome;
use crate::data::{Data, Distinct};
use crate::linalg::Matrix;
use crate::spectrum::{self, Case, InputSpectrum};

/// Rows up to which σ_min(X∗X) is worth its time.
const MOST_ROWS: usize = 2000;

/// The numbers of the rows and the activation that the theorems are made of; estimates.
///
/// ```
/// use shallows::Data;
/// use shallows::Watch;
/// use shallows::data::Samples;
/// use shallows::job::check::CheckRequest;
///
/// let data = Data::from_rows(&[[1.0, 0.2], [0.1, 1.0], [1.0, 0.2]], &[1.0, -1.0, 3.0])?;
/// let outcome = CheckRequest::default().run_on(Samples::of_data(data), Watch::silent())?;
/// let measured = outcome.measured();
/// assert!(measured.kappa.is_some_and(f64::is_finite));
/// // Two of three rows are equal and miss their mean target by 1 each: √(2/3).
/// assert_eq!((measured.repeats.rows, measured.repeats.identical), (1, 0));
/// assert!((measured.repeats.unavoidable_rmse - (2.0_f64 / 3.0).sqrt()).abs() < 1e-12);
/// assert_eq!(measured.nearest.as_ref().map(|nearest| nearest.rows), Some((0, 1)));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CheckMeasurements {
    /// Of the inputs as they were given.
    pub inputs: Option<InputSpectrum>,
    /// σ_max(X) of the distinct rows in form.
    pub sigma_max: Option<f64>,
    /// σ_min(X) of the distinct rows in form.
    pub sigma_min: Option<f64>,
    /// σ_min(X∗X) of the distinct rows in form, where it is quickly found.
    pub khatri_rao: Option<f64>,
    /// κ(X) = √(d/n)·σ_max(X)/σ_min(X∗X)² of the distinct rows in form, Oymak and Soltanolkotabi (2019), (2.2).
    pub kappa: Option<f64>,
    /// The nearest distinct rows in form.
    pub nearest: Option<NearestPair>,
    /// E φ'(g)
    pub average_slope: f64,
    /// E φ''(g)
    pub average_curvature: f64,
    /// Of Assumption 2.3 of Soltanolkotabi, Javanmard and Lee (2019).
    pub curvature_case: Case,
    /// What equal rows do.
    pub repeats: RepeatCounts,
}

/// Two rows of a table that are nearest to each other. [`CheckMeasurements`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPair {
    /// Their numbers in the table, from 0.
    pub rows: (usize, usize),
    /// How far they are apart.
    pub distance: f64,
    /// Whether that is so when the sign of one is turned.
    pub opposite: bool,
}

/// What equal rows do. [`CheckMeasurements`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepeatCounts {
    /// Rows that repeat an earlier one in every input.
    pub rows: usize,
    /// Those of them that repeat the target of one too.
    pub identical: usize,
    /// No function of these inputs has a smaller root mean square error, in units of the target.
    pub unavoidable_rmse: f64,
}

impl CheckMeasurements {
    pub(super) fn new(outcome: &CheckOutcome) -> Self {
        let activation = &outcome.request.activation;
        let Distinct { data: distinct, firsts, .. } = &outcome.prepared.distinct;
        let X = &distinct.X;
        let singular_values = spectrum::inputs(X).map_or(vec![], |inputs| inputs.singular_values);
        let (sigma_max, sigma_min) = (singular_values.first().copied(), singular_values.last().copied());
        let khatri_rao = khatri_rao(X);
        let shape = (X.cols() as f64 / X.rows() as f64).sqrt();
        let nearest = spectrum::separation(X).map(|found| NearestPair {
            rows: (firsts[found.pair.0], firsts[found.pair.1]),
            distance: found.distance,
            opposite: found.opposite,
        });
        CheckMeasurements {
            inputs: spectrum::inputs(&outcome.samples.data.X),
            sigma_max,
            sigma_min,
            khatri_rao,
            kappa: sigma_max.zip(khatri_rao).map(|(largest, smallest)| shape * largest / (smallest * smallest)),
            nearest,
            average_slope: spectrum::average_slope(activation, 1.0),
            average_curvature: spectrum::average_curvature(activation, 1.0),
            curvature_case: spectrum::curvature_case(activation),
            repeats: RepeatCounts::new(outcome),
        }
    }
}

/// σ_min(X∗X); rows with more products than dimensions are dependent.
fn khatri_rao(X: &Matrix) -> Option<f64> {
    match (X.rows(), X.cols()) {
        (n, d) if n > d * (d + 1) / 2 => Some(0.0),
        (n, _) if n > MOST_ROWS => None,
        _ => spectrum::khatri_rao_smallest(X, 2),
    }
}

impl RepeatCounts {
    fn new(outcome: &CheckOutcome) -> Self {
        let data = &outcome.samples.data;
        let Distinct { repeated, within, .. } = &outcome.prepared.distinct;
        let total = data.weights.as_ref().map_or(data.n() as f64, |weights| weights.iter().sum());
        RepeatCounts {
            rows: repeated.iter().map(|group| group.len() - 1).sum(),
            identical: repeated.iter().map(|group| group.len() - different_targets(data, group)).sum(),
            unavoidable_rmse: (within / total).sqrt() * outcome.prepared.frame.target_unit(),
        }
    }
}

/// How many different targets some rows have.
fn different_targets(data: &Data, rows: &[usize]) -> usize {
    // 0.0 + y turns −0 into 0, which is the same number.
    let mut found: Vec<u64> = rows.iter().map(|&i| (0.0 + data.y[i]).to_bits()).collect();
    found.sort_unstable();
    found.dedup();
    found.len()
}

//! The columns of X, and the Khatri–Rao products of its rows.

use super::extremes;
use crate::linalg::{Destination, Matrix, Tiles, multiply, norm, right_singular};

/// What the columns of X span. [`inputs`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct InputSpectrum {
    /// Of X as given, descending; min(n, d) of them.
    pub singular_values: Vec<f64>,
    /// The number of independent columns: how many singular values of X, with its columns scaled to unit length, exceed
    /// max(n, d)·2⁻⁵² times the largest. Scaled, so that the unit a column is measured in does not matter.
    pub rank: usize,
    /// c with Xc = 0 up to rounding, d − rank of them. Each has an entry of its own where the others are 0, and its
    /// largest entry is 1.
    pub dependencies: Vec<Vec<f64>>,
}

/// Singular values, rank and linear dependencies of the columns of X; `None` when X is not finite.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::spectrum::inputs;
///
/// // The second column is twice the first.
/// let found = inputs(&Matrix::from_rows(&[[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])).expect("finite");
/// assert_eq!((found.rank, found.dependencies.len()), (1, 1));
/// ```
pub fn inputs(X: &Matrix) -> Option<InputSpectrum> {
    let (n, d) = (X.rows(), X.cols());
    let (mut singular_values, _) = right_singular(X)?;
    singular_values.truncate(n.min(d));
    let lengths: Vec<f64> = (0..d).map(|j| norm(&X.column(j))).collect();
    // A column of zeros stays what it is.
    let scale: Vec<f64> = lengths.iter().map(|length| if *length > 0.0 { 1.0 / length } else { 1.0 }).collect();
    let (scaled_values, V) = right_singular(&Matrix::from_fn(n, d, |i, j| X[(i, j)] * scale[j]))?;
    let floor = n.max(d) as f64 * f64::EPSILON * scaled_values.first().copied().unwrap_or(0.0);
    let rank = scaled_values.iter().filter(|value| **value > floor).count();
    let mut null = Matrix::from_fn(d - rank, d, |i, j| V[(j, rank + i)]);
    eliminate(&mut null);
    let dependencies = (0..d - rank).map(|i| readable(null.row(i), &scale)).collect();
    Some(InputSpectrum { singular_values, rank, dependencies })
}

/// Gauss–Jordan elimination with complete pivoting: afterwards each row has a 1 where all others have a 0.
fn eliminate(null: &mut Matrix) {
    let (m, d) = (null.rows(), null.cols());
    for step in 0..m {
        let entries = (step..m).flat_map(|i| (0..d).map(move |j| (i, j)));
        let size = |at: &(usize, usize)| null[*at].abs();
        let Some((row, pivot)) = entries.max_by(|a, b| size(a).total_cmp(&size(b))) else { return };
        let lead: Vec<f64> = null.row(row).iter().map(|x| x / null[(row, pivot)]).collect();
        let other = null.row(step).to_vec();
        null.row_mut(row).copy_from_slice(&other);
        null.row_mut(step).copy_from_slice(&lead);
        for i in (0..m).filter(|i| *i != step) {
            let factor = null[(i, pivot)];
            null.row_mut(i).iter_mut().zip(&lead).for_each(|(x, lead)| *x -= factor * lead);
            null[(i, pivot)] = 0.0;
        }
    }
}

/// A null vector of scaled columns in the units of the columns, its largest entry 1, without what is only rounding.
fn readable(row: &[f64], scale: &[f64]) -> Vec<f64> {
    /// Entries of the null vectors of scaled columns that are smaller than this are noise.
    const NOISE: f64 = 1e-9;
    let kept = row.iter().zip(scale).map(|(x, scale)| if x.abs() > NOISE { x * scale } else { 0.0 });
    let mut vector: Vec<f64> = kept.collect();
    let largest = vector.iter().fold(0.0_f64, |most, x| if x.abs() > most.abs() { *x } else { most });
    vector.iter_mut().for_each(|x| *x /= largest);
    vector
}

/// (XXᵀ)^{∘r} = X^{*r}(X^{*r})ᵀ, the Gram matrix of the r-fold Khatri–Rao products of the rows, exactly symmetric.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::spectrum::khatri_rao_gram;
///
/// let X = Matrix::from_rows(&[[1.0, 2.0], [3.0, 0.0]]);
/// // (x₁·x₂)² = 9
/// assert_eq!(khatri_rao_gram(&X, 2)[(0, 1)], 9.0);
/// ```
pub fn khatri_rao_gram(X: &Matrix, power: u32) -> Matrix {
    let power = i32::try_from(power).unwrap_or(i32::MAX);
    let tiles = Tiles::from_fn(X.rows(), |rows, cols, tile| {
        multiply(tile, X.view_rows(rows), X.view_rows(cols).t(), Destination::Replace);
        tile.iter_mut().for_each(|x| *x = x.powi(power));
    });
    tiles.to_matrix()
}

/// σ_min(X^{*r}) of the n×d^r Khatri–Rao product: the root of the smallest eigenvalue of [`khatri_rao_gram`], 0 where that
/// is not positive. `None` when it is not finite, or X is empty.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::spectrum::khatri_rao_smallest;
///
/// // A row and its negative have the same products.
/// let smallest = khatri_rao_smallest(&Matrix::from_rows(&[[1.0, 2.0], [-1.0, -2.0]]), 2).expect("finite");
/// assert!(smallest.abs() < 1e-6);
/// ```
pub fn khatri_rao_smallest(X: &Matrix, power: u32) -> Option<f64> {
    Some(extremes(&khatri_rao_gram(X, power))?.smallest.max(0.0).sqrt())
}

/// κ(X) = √(d/n)·‖X‖/σ_min²(X*X), Oymak and Soltanolkotabi (2020), (2.2); infinite where X*X has dependent rows, which it
/// must for n > d(d+1)/2. `None` when X is empty or not finite.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::spectrum::kappa;
///
/// assert!(kappa(&Matrix::identity(2)).is_some_and(|kappa| kappa.is_finite()));
/// // A row and its negative have the same products: nothing is known then.
/// assert_eq!(kappa(&Matrix::from_rows(&[[1.0, 2.0], [-1.0, -2.0]])), Some(f64::INFINITY));
/// ```
pub fn kappa(X: &Matrix) -> Option<f64> {
    let (n, d) = (X.rows(), X.cols());
    let (singular_values, _) = right_singular(X)?;
    let spectrum = extremes(&khatri_rao_gram(X, 2))?;
    let rounding = n as f64 * f64::EPSILON * spectrum.largest;
    if n > d * (d + 1) / 2 || !(spectrum.smallest > rounding) {
        return Some(f64::INFINITY);
    }
    Some((d as f64 / n as f64).sqrt() * singular_values.first()? / spectrum.smallest)
}

//! The samples as the search sees them.

use super::Whitening;
use crate::data::Data;
use crate::error::Result;
use crate::linalg::{Matrix, solve_lower};
use crate::random::{Split, Stream};

/// One row in this many is held out, within limits.
pub(super) const HELD_OUT_SHARE: usize = 10;
pub(super) const FEWEST_HELD_OUT: usize = 30;
const MOST_HELD_OUT: usize = 10_000;

/// The samples in coordinates in which the inputs have covariance I, split into rows to learn from and rows held out.
pub(super) struct RecoveryFrame {
    pub whitening: Whitening,
    /// L⁻¹x: the mean is left where it is, so that units without bias stay without.
    pub all: Data,
    pub training: Data,
    pub held_out: Data,
    /// L⁻¹(x − μ) of the training rows.
    pub centred: Matrix,
    /// L⁻¹μ
    pub mean: Vec<f64>,
}

impl RecoveryFrame {
    pub(super) fn new(data: &Data, firsts: &[usize], whitening: &Whitening, seed: u64) -> Result<Self> {
        let data = data.select(firsts);
        let Z = whitening.whitened(&data.X)?;
        let d = data.d();
        let mean = solve_lower(whitening.factor(), whitening.mean());
        let shifted = Matrix::from_row_fn(Z.rows(), d, |i, out| {
            out.iter_mut().zip(Z.row(i)).zip(&mean).for_each(|((out, z), mean)| *out = z + mean);
        });
        let mut order = Stream::of_split(seed, Split::Recovery).permutation(data.n());
        let share = (data.n() / HELD_OUT_SHARE).clamp(FEWEST_HELD_OUT, MOST_HELD_OUT);
        let mut training = order.split_off(share);
        order.sort_unstable();
        training.sort_unstable();
        let all = Data { X: shifted, weights: None, ..data };
        Ok(RecoveryFrame {
            whitening: whitening.clone(),
            training: all.select(&training),
            held_out: all.select(&order),
            centred: Z.select_rows(&training),
            mean,
            all,
        })
    }
}

//! A wide network taken apart: what each layer adds, and the rows that it was fitted to.
//!
//! κ is a sum over layers and f is linear in κ, so f = mean + Σ_ℓ f_ℓ with f_ℓ(x) = Σ_g α_g s_ℓκ_ℓ(z, z_g): the coefficients
//! of all layers are the same.

use super::inputs::RankCurve;
use super::law::{WideKernel, block_of_kernel};
use super::network::WideNetwork;
use crate::linalg::{Matrix, dot, for_row_blocks};

/// New rows whose kernel values are held at a time.
const ROWS_AT_ONCE: usize = 128;

impl WideNetwork {
    /// f_ℓ of raw rows for every layer, in the order of the kernel; f is their sum and the mean of the target.
    ///
    /// # Panics
    /// When there are fewer columns than inputs.
    pub fn by_layer(&self, X: &Matrix) -> Vec<Vec<f64>> {
        let Z = self.transform.applied(X);
        let n = self.alpha.len();
        let of_layer = |kernel: WideKernel| {
            let (rows, centres) = (kernel.rows(&Z), kernel.rows(&self.centres));
            let mut out = vec![0.0; Z.rows()];
            for_row_blocks(&mut out, 1, |block, out| {
                for start in block.clone().step_by(ROWS_AT_ONCE) {
                    let end = block.end.min(start + ROWS_AT_ONCE);
                    let mut values = vec![0.0; (end - start) * n];
                    block_of_kernel(&rows, start..end, &centres, &mut values);
                    let sums = values.chunks_exact(n).map(|values| dot(values, &self.alpha));
                    out[start - block.start..end - block.start].iter_mut().zip(sums).for_each(|(out, f)| *out = f);
                }
            });
            out
        };
        self.kernel.layers.iter().map(|layer| of_layer(WideKernel { layers: vec![layer.clone()] })).collect()
    }

    /// The distinct rows that the network was fitted to, in raw inputs and up to rounding; inputs that did not vary are 0,
    /// since the network does not see them.
    pub fn raw_centres(&self) -> Matrix {
        let transform = &self.transform;
        Matrix::from_row_fn(self.centres.rows(), transform.inputs, |g, out| {
            for (at, (&input, z)) in transform.kept.iter().zip(self.centres.row(g)).enumerate() {
                let x = transform.mean[at] + z * transform.deviation[at];
                out[input] = transform.ranks.as_ref().map_or(x, |curves| value_of_rank(&curves[at], x));
            }
        })
    }
}

/// The value that has this rank.
fn value_of_rank(curve: &RankCurve, rank: f64) -> f64 {
    let RankCurve { values, ranks } = curve;
    let after = ranks.partition_point(|known| *known < rank).clamp(1, ranks.len().max(2) - 1);
    let (Some(low), Some(high)) = (values.get(after - 1), values.get(after)) else { return values[0] };
    let share = (rank - ranks[after - 1]) / (ranks[after] - ranks[after - 1]);
    low + if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 } * (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::random::{Purpose, Stream};
    use crate::watch::Watch;
    use crate::wide::LayerSet;

    #[test]
    fn layers_add_up_to_the_network_and_its_rows_come_back() {
        let mut stream = Stream::new(3, Purpose::Probe, 0);
        // The second column does not vary; the third has repeated values.
        let X = Matrix::from_fn(70, 3, |i, j| [stream.normal() * 50.0 + 7.0, 4.0, (i % 5) as f64][j]);
        let y = (0..70).map(|i| 9.0 + X[(i, 0)] * 0.1 * X[(i, 2)]).collect();
        let data = Data::builder(X.clone(), y).build().unwrap();
        for set in LayerSet::ALL {
            let network = WideNetwork::fitted(&data, &data.columns, set, 0, Watch::silent()).unwrap();
            let parts = network.by_layer(&X);
            assert_eq!(parts.len(), network.kernel.layers.len());
            // Both are sums of n terms of size |α_g|κ at most, which may cancel.
            let kernel = network.kernel.diagonal(&network.centres).into_iter().fold(0.0, f64::max);
            let size = kernel * network.alpha.iter().map(|alpha| alpha.abs()).sum::<f64>();
            for (i, f) in network.predict(&X).into_iter().enumerate() {
                let sum = network.target_mean + parts.iter().map(|part| part[i]).sum::<f64>();
                assert!((sum - f).abs() <= 1e-13 * size + 1e-12, "{set:?} {sum} {f}");
            }
            let rows = network.raw_centres();
            assert_eq!(rows.rows(), 70);
            for i in 0..70 {
                assert!((rows[(i, 0)] - X[(i, 0)]).abs() < 1e-9 && (rows[(i, 2)] - X[(i, 2)]).abs() < 1e-12, "{set:?}");
                assert_eq!(rows[(i, 1)], 0.0);
            }
        }
    }
}

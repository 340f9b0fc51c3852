//! The rows of a table as a layer sees them.
//!
//! Kernels of differences need z = x/ℓ. All others are S(x)S(x')h(c) with c = b(x)·b(x'), where with ã = (x/ℓ, β):
//!
//! | layer | b | S | h(c) | m |
//! |---|---|---|---|---|
//! | relu | ã/‖ã‖ | ‖ã‖ | (√(1−c²) + (π − arccos c)c)/π | 1 |
//! | erf | √2 ã/√(1+2‖ã‖²) | 1 | (2/π) arcsin c | 0 |
//! | quadratic, β = 0 | ã/‖ã‖ | ‖ã‖² | 1 + 2c² | 2 |
//! | affine | (x, 1) | 1 | c | |
//!
//! S is homogeneous of degree m in ã (for erf the root in b takes the place of S), and so with e = ½(mh − ch')
//!
//! ```text
//! ∂(SS'h)/∂ ln ℓ_l = −2SS'[h' b_l b'_l + e(b_l² + b'_l²)].
//! ```
//!
//! The bias is an input of scale 1/β.

use super::law::{KernelLayer, LayerLaw};
use crate::linalg::{Matrix, TILE_SIDE, dot};

/// The coordinates of n rows: row after row, and in panels of [`TILE_SIDE`] rows, input after input.
pub(super) struct LayerRows {
    pub(super) law: LayerLaw,
    pub(super) signal: f64,
    pub(super) n: usize,
    /// Coordinates of a row.
    pub(super) dimension: usize,
    /// n×dimension.
    pub(super) rows: Vec<f64>,
    /// For each panel, dimension×[`TILE_SIDE`]; zero beyond the last row.
    pub(super) panels: Vec<f64>,
    /// S of every row of every panel; zero beyond the last row.
    pub(super) sizes: Vec<f64>,
}

impl LayerRows {
    pub(super) fn new(layer: &KernelLayer, X: &Matrix) -> Self {
        let law = layer.law;
        assert!(!law.has_scales() || layer.scales.len() == X.cols(), "one scale for every input");
        let dimension = X.cols() + usize::from(law.has_bias() || law == LayerLaw::Affine);
        let n = X.rows();
        let count = n.div_ceil(TILE_SIDE);
        let (mut rows, mut sizes) = (vec![0.0; n * dimension], vec![0.0; count * TILE_SIDE]);
        let inverse: Vec<f64> = layer.scales.iter().map(|scale| 1.0 / scale).collect();
        let mut panels = vec![0.0; count * dimension * TILE_SIDE];
        for i in 0..n {
            let row = &mut rows[i * dimension..(i + 1) * dimension];
            sizes[i] = coordinates(layer, &inverse, X.row(i), row);
            let panel = &mut panels[i / TILE_SIDE * dimension * TILE_SIDE..];
            row.iter().enumerate().for_each(|(l, x)| panel[l * TILE_SIDE + i % TILE_SIDE] = *x);
        }
        LayerRows { law, signal: layer.signal, n, dimension, rows, panels, sizes }
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.dimension..(i + 1) * self.dimension]
    }

    pub(super) fn panel(&self, at: usize) -> &[[f64; TILE_SIDE]] {
        let length = self.dimension * TILE_SIDE;
        self.panels[at * length..(at + 1) * length].as_chunks().0
    }
}

/// Write b (or z) of one row, and return S.
fn coordinates(layer: &KernelLayer, inverse: &[f64], x: &[f64], out: &mut [f64]) -> f64 {
    let d = x.len();
    if layer.law == LayerLaw::Affine {
        out[..d].copy_from_slice(x);
        out[d] = 1.0;
        return 1.0;
    }
    out.iter_mut().zip(x.iter().zip(inverse)).for_each(|(out, (x, inverse))| *out = x * inverse);
    if layer.law.has_bias() {
        out[d] = layer.bias;
    }
    if layer.law.is_stationary() {
        return 1.0;
    }
    let square = dot(out, out);
    let (size, factor) = match layer.law {
        LayerLaw::Erf => (1.0, (2.0 / (1.0 + 2.0 * square)).sqrt()),
        LayerLaw::Quadratic => (square, 1.0 / square.sqrt().max(f64::MIN_POSITIVE)),
        _ => (square.sqrt(), 1.0 / square.sqrt().max(f64::MIN_POSITIVE)),
    };
    out.iter_mut().for_each(|out| *out *= factor);
    size
}

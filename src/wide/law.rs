//! Layers of infinitely many units: an activation, the law of the hidden weights, and the kernel of the two.

use super::rows::LayerRows;
use super::tile::{add_kernel, kernel_value};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, TILE_SIDE, Tiles, dot, for_row_blocks, over_tiles};

/// An activation and a law of hidden weights, up to its scales.
///
/// ```
/// use shallows::wide::{KernelLayer, LayerLaw};
///
/// // E relu relu of 45° in the plane, times 2: (sin 45° + cos 45°·¾π)/π.
/// let relu = KernelLayer { law: LayerLaw::Relu, signal: 1.0, scales: vec![1.0, 1.0], bias: 0.0 };
/// let c = std::f64::consts::FRAC_1_SQRT_2;
/// let expected = c * (1.0 / std::f64::consts::PI + 0.75);
/// assert!((relu.value(&[1.0, 0.0], &[c, c]) - expected).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum LayerLaw {
    /// √2 cos(w·x + u), the w_j independent Cauchy: rough along every input, as trees are.
    RoughByInput = 0,
    /// √2 cos(w·x + u), w multivariate Cauchy: rough in every direction.
    Rough = 1,
    /// √2 cos(w·x + u), w multivariate t with 3 degrees of freedom: once differentiable.
    T3 = 2,
    /// √2 cos(w·x + u), w multivariate t with 5 degrees of freedom: twice differentiable.
    T5 = 3,
    /// √2 relu(w·x + u), w and u normal.
    Relu = 4,
    /// erf(w·x + u), w and u normal.
    Erf = 5,
    /// (w·x)², w normal.
    Quadratic = 6,
    /// c + b·x, c and b standard normal.
    Affine = 7,
}

impl LayerLaw {
    /// All of them.
    pub const ALL: [LayerLaw; 8] = [
        LayerLaw::RoughByInput,
        LayerLaw::Rough,
        LayerLaw::T3,
        LayerLaw::T5,
        LayerLaw::Relu,
        LayerLaw::Erf,
        LayerLaw::Quadratic,
        LayerLaw::Affine,
    ];

    /// The law of this name.
    pub fn from_name(name: &str) -> Option<LayerLaw> {
        LayerLaw::ALL.into_iter().find(|law| law.name() == name)
    }

    /// As in model files.
    pub fn name(self) -> &'static str {
        match self {
            LayerLaw::RoughByInput => "rough-by-input",
            LayerLaw::Rough => "rough",
            LayerLaw::T3 => "t3",
            LayerLaw::T5 => "t5",
            LayerLaw::Relu => "relu",
            LayerLaw::Erf => "erf",
            LayerLaw::Quadratic => "quadratic",
            LayerLaw::Affine => "affine",
        }
    }

    /// Whether the hidden units have a bias whose spread β matters.
    pub fn has_bias(self) -> bool {
        matches!(self, LayerLaw::Relu | LayerLaw::Erf)
    }

    /// Whether every input has a scale.
    pub fn has_scales(self) -> bool {
        self != LayerLaw::Affine
    }

    /// Whether the kernel depends on x − x' alone.
    pub(super) fn is_stationary(self) -> bool {
        (self as u8) <= LayerLaw::T5 as u8
    }
}

/// One layer with its scales: s·κ. [`LayerLaw`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelLayer {
    /// What is drawn.
    pub law: LayerLaw,
    /// s, the variance of the output weights.
    pub signal: f64,
    /// ℓ_j of every input; empty for the affine layer.
    pub scales: Vec<f64>,
    /// β, where the law has a bias.
    pub bias: f64,
}

impl KernelLayer {
    /// s·κ(x, x').
    ///
    /// # Panics
    /// When the numbers of inputs and scales differ.
    pub fn value(&self, x: &[f64], other: &[f64]) -> f64 {
        let rows = |x: &[f64]| LayerRows::new(self, &Matrix::from_rows(&[x]));
        kernel_value(&rows(x), 0, &rows(other), 0)
    }

    /// The rows of Z as the kernel sees them, and the S of each, as in `rows.rs`.
    #[cfg(feature = "onnx")]
    pub(crate) fn coordinates(&self, Z: &Matrix) -> (Matrix, Vec<f64>) {
        let LayerRows { n, dimension, rows, sizes, law, .. } = LayerRows::new(self, Z);
        let sizes = if law.is_stationary() { vec![1.0; n] } else { sizes[..n].to_vec() };
        (Matrix::from_vec(n, dimension, rows), sizes)
    }
}

/// The kernel of a network: the sum of those of its layers.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::wide::{KernelLayer, LayerLaw, WideKernel};
///
/// let rough = KernelLayer { law: LayerLaw::RoughByInput, signal: 2.0, scales: vec![1.0], bias: 0.0 };
/// let affine = KernelLayer { law: LayerLaw::Affine, signal: 0.5, scales: vec![], bias: 0.0 };
/// let K = WideKernel { layers: vec![rough, affine] }.matrix(&Matrix::from_rows(&[[0.0], [1.0]]));
/// assert_eq!((K[(0, 0)], K[(1, 1)]), (2.5, 3.0));
/// assert!((K[(1, 0)] - (2.0 * (-1.0_f64).exp() + 0.5)).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WideKernel {
    /// The layers.
    pub layers: Vec<KernelLayer>,
}

impl WideKernel {
    /// κ(x_i, x_j) for all rows of X, exactly symmetric.
    pub fn matrix(&self, X: &Matrix) -> Matrix {
        self.tiles(&self.rows(X)).to_matrix()
    }

    /// A sum of some entries on and below the diagonal, tile by tile and without keeping them: what a measurement of the
    /// inner loops asks for.
    #[doc(hidden)]
    pub fn swept(&self, X: &Matrix) -> f64 {
        let rows = self.rows(X);
        let sums = over_tiles(X.rows(), |block, cols| {
            let (width, mut tile) = (cols.len(), vec![0.0; block.len() * cols.len()]);
            rows.iter().for_each(|layer| {
                add_kernel(layer, block.clone(), layer, cols.start / TILE_SIDE, &mut tile, width);
            });
            tile.iter().step_by(width + 1).sum::<f64>()
        });
        sums.iter().sum()
    }

    /// κ(x_i, z_j) for all rows of X and of Z.
    pub fn between(&self, X: &Matrix, Z: &Matrix) -> Matrix {
        let (rows, columns) = (self.rows(X), self.rows(Z));
        let mut out = Matrix::zeros(X.rows(), Z.rows());
        for_row_blocks(out.as_mut_slice(), Z.rows(), |block, out| block_of_kernel(&rows, block, &columns, out));
        out
    }

    /// Σ_j α_j κ(x_i, z_j) for all rows of X, without a matrix of all of them.
    pub(super) fn predictions(&self, X: &Matrix, Z: &Matrix, alpha: &[f64]) -> Vec<f64> {
        let (rows, columns) = (self.rows(X), self.rows(Z));
        let mut out = vec![0.0; X.rows()];
        for_row_blocks(&mut out, 1, |block, out| {
            let mut values = vec![0.0; block.len() * alpha.len()];
            block_of_kernel(&rows, block, &columns, &mut values);
            out.iter_mut().zip(values.chunks_exact(alpha.len())).for_each(|(out, values)| *out = dot(values, alpha));
        });
        out
    }

    /// κ(x_i, x_i) for all rows of X.
    pub fn diagonal(&self, X: &Matrix) -> Vec<f64> {
        let rows = self.rows(X);
        (0..X.rows()).map(|i| rows.iter().map(|layer| kernel_value(layer, i, layer, i)).sum()).collect()
    }

    /// At least one layer, each with a positive variance and a positive scale for every input that it sees.
    pub(super) fn check(&self, inputs: usize) -> Result<()> {
        let positive = |x: &f64| *x > 0.0 && x.is_finite();
        for layer in &self.layers {
            let (expected, found) = (if layer.law.has_scales() { inputs } else { 0 }, layer.scales.len());
            if expected != found {
                return Err(Error::Shape { what: "scales of a wide layer", expected, found });
            }
            let sound =
                positive(&layer.signal) && layer.scales.iter().all(positive) && layer.bias.abs() < f64::INFINITY;
            if !sound {
                return Err(Error::unsuitable("a wide layer", "positive numbers", layer.law.name()));
            }
        }
        match self.layers.is_empty() {
            true => Err(Error::unsuitable("a wide network", "at least one layer", "none")),
            false => Ok(()),
        }
    }

    /// The rows of X as each layer sees them.
    pub(super) fn rows(&self, X: &Matrix) -> Vec<LayerRows> {
        self.layers.iter().map(|layer| LayerRows::new(layer, X)).collect()
    }

    /// The kernel matrix in tiles.
    pub(super) fn tiles(&self, rows: &[LayerRows]) -> Tiles {
        let n = rows.first().map_or(0, |layer| layer.n);
        Tiles::from_fn(n, |block, cols, tile| {
            let width = cols.len();
            rows.iter().for_each(|layer| add_kernel(layer, block.clone(), layer, cols.start / TILE_SIDE, tile, width));
        })
    }
}

/// κ between some rows and all columns, row after row; `out` must be zero.
pub(super) fn block_of_kernel(
    rows: &[LayerRows],
    block: std::ops::Range<usize>,
    columns: &[LayerRows],
    out: &mut [f64],
) {
    let n = columns.first().map_or(0, |layer| layer.n);
    for panel in 0..n.div_ceil(TILE_SIDE) {
        for (rows, columns) in rows.iter().zip(columns) {
            add_kernel(rows, block.clone(), columns, panel, &mut out[panel * TILE_SIDE..], n);
        }
    }
}

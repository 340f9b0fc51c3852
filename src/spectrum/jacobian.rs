//! JJᵀ, the Gram matrix of the gradients of f(x_1), …, f(x_n) in the trained parameters.
//!
//! ```text
//! hidden   (Φ'D²Φ'ᵀ) ∘ (XXᵀ), XXᵀ + 11ᵀ with hidden biases      Φ' = φ'(XWᵀ + 1uᵀ), D = diag(v)
//! output   ΦΦᵀ                                                    Φ  = φ(XWᵀ + 1uᵀ)
//! affine   11ᵀ with an intercept, XXᵀ with a linear part
//! ```
//!
//! Φ and Φ' exist for some hundred hidden units at a time: the memory does not grow with k.

use std::ops::Range;

use crate::linalg::{Destination, Matrix, Tiles, for_row_blocks, multiply};
use crate::network::{Layers, Layout, Network};

/// Hidden units at a time.
const UNITS: usize = 512;

/// J Jᵀ for the parameters of the given layers, exactly symmetric.
///
/// # Panics
/// When X does not have one column for each input of the network.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::network::Layers;
/// use shallows::spectrum::jacobian_gram;
/// use shallows::{Activation, Network};
///
/// // f(x) = (wx)² at w = 1: ∂f/∂w = 2x².
/// let network = Network::new(Activation::SQUARE, Matrix::identity(1), vec![1.0])?;
/// let G = jacobian_gram(&network, &Matrix::from_rows(&[[1.0], [2.0]]), Layers::Hidden);
/// assert_eq!((G[(0, 0)], G[(0, 1)]), (4.0, 16.0));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn jacobian_gram(network: &Network, X: &Matrix, layers: Layers) -> Matrix {
    assert_eq!(X.cols(), network.inputs(), "one column for each input of the network");
    let layout = Layout::new(network, layers);
    let mut tiles = Tiles::from_fn(X.rows(), |_, _, _| {});
    if layers.hidden() {
        for_unit_blocks(network, X, JacobianFactor::Slopes, |slopes| tiles.add_outer_product(slopes));
        let biased = if network.bias.is_some() { 1.0 } else { 0.0 };
        tiles.update(|rows, cols, tile| {
            let products = products(X, rows, cols);
            tile.iter_mut().zip(products).for_each(|(out, product)| *out *= product + biased);
        });
    }
    if layers.output() {
        for_unit_blocks(network, X, JacobianFactor::Values, |values| tiles.add_outer_product(values));
    }
    let intercept = layout.intercept.len() as f64;
    if !layout.linear.is_empty() || intercept > 0.0 {
        let linear = if layout.linear.is_empty() { 0.0 } else { 1.0 };
        tiles.update(|rows, cols, tile| {
            let products = products(X, rows, cols);
            tile.iter_mut().zip(products).for_each(|(out, product)| *out += linear * product + intercept);
        });
    }
    tiles.to_matrix()
}

/// XXᵀ on one tile.
fn products(X: &Matrix, rows: Range<usize>, cols: Range<usize>) -> Vec<f64> {
    let mut products = vec![0.0; rows.len() * cols.len()];
    multiply(&mut products, X.view_rows(rows), X.view_rows(cols).t(), Destination::Replace);
    products
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum JacobianFactor {
    /// Φ
    Values,
    /// Φ'D
    Slopes,
}

/// Calls `each` with Φ or Φ'D for some units after others.
fn for_unit_blocks(network: &Network, X: &Matrix, part: JacobianFactor, mut each: impl FnMut(&Matrix)) {
    let k = network.width();
    for start in (0..k).step_by(UNITS) {
        let units = start..k.min(start + UNITS);
        let width = units.len();
        let mut block = Matrix::zeros(X.rows(), width);
        for_row_blocks(block.as_mut_slice(), width, |rows, out| {
            let mut z = vec![0.0; out.len()];
            multiply(&mut z, X.view_rows(rows), network.W.view_rows(units.clone()).t(), Destination::Replace);
            if let Some(bias) = &network.bias {
                let bias = &bias[units.clone()];
                z.chunks_exact_mut(width).for_each(|z| z.iter_mut().zip(bias).for_each(|(z, u)| *z += u));
            }
            if part == JacobianFactor::Values {
                network.activation.values(&z, out);
                return;
            }
            let mut unused = vec![0.0; z.len()];
            network.activation.slopes(&z, &mut unused, out);
            let v = &network.v[units.clone()];
            out.chunks_exact_mut(width).for_each(|out| out.iter_mut().zip(v).for_each(|(out, v)| *out *= v));
        });
        each(&block);
    }
}

//! Which layers are trained, and where their parameters lie in θ.

use std::ops::Range;

use super::Network;

/// Which layers are trained: the hidden one owns W and u, the output one v, c and b.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::network::Layers;
/// use shallows::{Activation, Network};
///
/// let network = Network::new(Activation::TANH, Matrix::identity(2), vec![3.0, 1.0])?;
/// assert_eq!(network.parameters(Layers::Hidden), [1.0, 0.0, 0.0, 1.0]);
/// assert_eq!(network.parameters(Layers::Output), [3.0, 1.0]);
/// assert_eq!(network.parameters(Layers::Both).len(), 6);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layers {
    /// W and u move, v, c and b stay.
    Hidden,
    /// W, u, c and b move, only v stays.
    HiddenAndAffine,
    /// v, c and b move, W and u stay.
    Output,
    /// Everything moves.
    Both,
}

/// Where the trained parameters lie in θ; an untrained or absent part has an empty range.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::network::{Layers, Layout};
/// use shallows::{Activation, Network};
///
/// let network = Network::new(Activation::TANH, Matrix::identity(2), vec![3.0, 1.0])?;
/// let layout = Layout::new(&network, Layers::Both);
/// assert_eq!((layout.W, layout.v, layout.bias.is_empty()), (0..4, 4..6, true));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// W, row after row.
    pub W: Range<usize>,
    /// u.
    pub bias: Range<usize>,
    /// v.
    pub v: Range<usize>,
    /// c.
    pub intercept: Range<usize>,
    /// b.
    pub linear: Range<usize>,
}

impl Layers {
    /// Whether W and u are trained.
    pub fn hidden(self) -> bool {
        self != Layers::Output
    }

    /// Whether v is trained.
    pub fn output(self) -> bool {
        matches!(self, Layers::Output | Layers::Both)
    }

    /// Whether c and b are trained.
    pub fn affine(self) -> bool {
        self != Layers::Hidden
    }
}

impl Layout {
    /// The layout of the given layers of a network.
    pub fn new(network: &Network, layers: Layers) -> Self {
        let (hidden, affine) = (layers.hidden(), layers.affine());
        let (k, d) = (network.width(), network.inputs());
        let mut end = 0;
        let mut next = |present: bool, length: usize| {
            let start = end;
            end += if present { length } else { 0 };
            start..end
        };
        Layout {
            W: next(hidden, k * d),
            bias: next(hidden && network.bias.is_some(), k),
            v: next(layers.output(), k),
            intercept: next(affine && network.intercept.is_some(), 1),
            linear: next(affine && network.linear.is_some(), d),
        }
    }

    /// The number of trained parameters.
    pub fn len(&self) -> usize {
        self.linear.end
    }

    /// True when nothing is trained.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

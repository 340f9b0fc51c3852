//! What a trained network says about its inputs.
//!
//! | file | what is told |
//! |---|---|
//! | `quadratic` | the coefficients of a quadratic function, in units that can be compared |
//! | `shuffles` | how much the error grows when a column is shuffled |
//! | `scales`, `shares` | of a wide network: how far a column must move to matter to a layer; which layer does how much |
//! | `effects`, `pairs` | of any network: what moving one column does, or two together, on average over rows that are there |
//! | `grid` | the places that a column is moved between |

mod effects;
mod grid;
mod pairs;
mod quadratic;
mod scales;
mod shares;
mod shuffles;

pub use effects::{ColumnEffect, Effects};
pub use grid::{ColumnGrid, GridPlace, PlaceValue};
pub use pairs::PairEffect;
pub use quadratic::{Interactions, Slope, Spread, Term, Unit};
pub use scales::{ColumnScale, LayerScales, ScaleUnit};
pub use shares::{VariancePart, VarianceShares};
pub use shuffles::{Importance, Importances, importances};

use crate::linalg::Matrix;
use crate::model::Function;
use crate::network::NetworkSum;
use crate::random::{Purpose, Stream};

/// Hidden units that a prediction costs; a value of a kernel costs about what a unit costs.
fn units(f: &Function) -> usize {
    let finite = f.finite().map_or(0, NetworkSum::width);
    let wide: usize =
        f.wide().iter().map(|member| member.network.kernel.layers.len() * member.network.alpha.len()).sum();
    (finite + wide).max(1)
}

/// So many rows, in their order, where there are more; always the same for a seed.
pub(crate) fn sampled_rows(X: &Matrix, most: usize, seed: u64) -> Option<Matrix> {
    (X.rows() > most).then(|| {
        let mut rows = Stream::new(seed, Purpose::Shuffle, 0).permutation(X.rows());
        rows.truncate(most);
        rows.sort_unstable();
        X.select_rows(&rows)
    })
}

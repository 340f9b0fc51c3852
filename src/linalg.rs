//! Dense matrices.
//!
//! | file | what is there |
//! |---|---|
//! | `matrix.rs` | the type [`Matrix`] |
//! | `vectors.rs` | products and norms of slices |
//! | `backend.rs` | products and factorisations by the matrix crate, which no other file names |
//! | `factorisations.rs` | Gram matrices, pseudo-inverses, norms, triangular systems |
//! | `tasks.rs` | tasks that the threads share |
//! | `rows.rs` | loops over blocks of rows |
//! | `quadratic_rows.rs` | least squares with more products of inputs than rows |
//! | `tiles.rs`, `tile_inverse.rs` | large symmetric matrices, tile by tile; their inverses |
//!
//! A [`Matrix`] is row-major, so that a sample or a hidden unit is one contiguous slice. Products and
//! factorisations run on one thread; parallelism is over blocks of rows, through `sum_over_rows` and
//! `for_row_blocks`, and results have the same bits on any number of threads. Large symmetric matrices are made and
//! factored tile by tile instead, with the same promise. Threads that were told so leave these loops when nobody waits for
//! them any more ([`halt`](crate::watch::halt)).

mod backend;
mod factorisations;
mod matrix;
mod quadratic_rows;
mod rows;
mod tasks;
mod tile_inverse;
mod tiles;
mod vectors;

pub(crate) use backend::Destination;
pub(crate) use backend::View;
pub(crate) use backend::solve_rows_in_place;
pub(crate) use backend::{add_lower_product, times_lower};
pub(crate) use backend::{
    factor_positive_definite, inverse, invert_positive_definite, multiply, pivoted_factors, triangular_factor,
};
pub use backend::{orthogonal_factors, solve_positive_definite, symmetric_eigen, symmetric_eigenvalues};
pub use factorisations::{gram, orthonormal_columns};
pub(crate) use factorisations::{
    gram_of_rows, pseudo_inverse, right_singular, solve_lower, solve_lower_transposed, spectral_norm,
};
pub(crate) use factorisations::{gram_unless, square_fits};
pub use matrix::Matrix;
pub(crate) use quadratic_rows::{QuadraticRows, QuadraticStep};
pub(crate) use rows::{BLOCK_ROWS, sum_over_rows_into};
pub(crate) use rows::{for_row_blocks, sum_over_rows, values_of_rows};
pub(crate) use tasks::{map_in_order, map_tasks, try_map_tasks};
pub(crate) use tiles::{Factor, SIDE as TILE_SIDE, Tiles, over_tiles};
pub use vectors::{add_scaled, dot, norm};

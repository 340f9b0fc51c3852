//! How far the rows of a table are from each other and from each other's opposites.

use crate::linalg::{Destination, Matrix, dot, multiply, over_tiles};

/// δ(X) = min over pairs of min(|x_i − x_j|, |x_i + x_j|), and where it is attained.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::spectrum::separation;
///
/// let found = separation(&Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5]])).unwrap();
/// assert_eq!((found.distance, found.pair, found.opposite), (0.5, (0, 2), true));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// δ
    pub distance: f64,
    /// i < j; of several closest pairs, one that does not depend on the number of threads.
    pub pair: (usize, usize),
    /// Whether the rows are close to opposite rather than to equal.
    pub opposite: bool,
}

/// The separation of the rows of X; `None` with fewer than two rows or numbers that are not finite.
///
/// |x_i ∓ x_j|² = |x_i|² + |x_j|² ∓ 2x_i·x_j has lost its digits where rows nearly meet, so that it only tells which pairs
/// are worth a look: those get their distance from the differences of the entries.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::spectrum::separation;
///
/// // Nearly opposite rows count as close.
/// let found = separation(&Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.1]])).expect("three rows");
/// assert!(found.opposite);
/// assert!(separation(&Matrix::from_rows(&[[1.0]])).is_none());
/// ```
pub fn separation(X: &Matrix) -> Option<Separation> {
    let (n, d) = (X.rows(), X.cols());
    if n < 2 || X.as_slice().iter().any(|x| !x.is_finite()) {
        return None;
    }
    let squares: Vec<f64> = (0..n).map(|i| dot(X.row(i), X.row(i))).collect();
    // Twice the rounding errors of three sums of d products each.
    let slack = 4.0 * (d + 4) as f64 * f64::EPSILON;
    let closest = over_tiles(n, |rows, cols| {
        let mut products = vec![0.0; rows.len() * cols.len()];
        multiply(&mut products, X.view_rows(rows.clone()), X.view_rows(cols.clone()).t(), Destination::Replace);
        let mut best = None;
        let mut limit = f64::INFINITY;
        for (i, products) in rows.zip(products.chunks_exact(cols.len())) {
            for (j, product) in cols.clone().zip(products).take_while(|(j, _)| *j < i) {
                let both = squares[i] + squares[j];
                // Written so that an overflow is looked at too.
                if !(both - 2.0 * product.abs() - slack * both >= limit) {
                    let found = between(X, j, i);
                    if best.is_none_or(|best: Separation| found.distance < best.distance) {
                        limit = found.distance * found.distance;
                        best = Some(found);
                    }
                }
            }
        }
        best
    });
    closest.into_iter().flatten().reduce(|best, next| if next.distance < best.distance { next } else { best })
}

fn between(X: &Matrix, i: usize, j: usize) -> Separation {
    let distance = |sign: f64| {
        let squares = X.row(i).iter().zip(X.row(j)).map(|(x, y)| (x - sign * y).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let (equal, opposite) = (distance(1.0), distance(-1.0));
    Separation { distance: equal.min(opposite), pair: (i, j), opposite: opposite < equal }
}

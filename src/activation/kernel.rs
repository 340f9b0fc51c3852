//! Kernels: E φ(x·w)φ(y·w) and E φ'(x·w)φ'(y·w) for unit x, y and standard normal w.
//!
//! Both depend on ρ = x·y alone. With θ the angle between x and y:
//!
//! | φ | E φφ | E φ'φ' |
//! |---|---|---|
//! | relu | R = (sin θ + ρ(π − θ))/(2π) | R' = (π − θ)/(2π) |
//! | abs | 4R − ρ | 4R' − 1 |
//! | leaky-relu | sρ + (1 − s)²R | s + (1 − s)²R' |
//! | αz² + βz + γ | (α + γ)² + β²ρ + 2α²ρ² | β² + 4α²ρ |
//! | erf | (2/π) asin(2ρ/3) | (4/π)/√(9 − 4ρ²) |
//! | cos | e⁻¹ cosh ρ | e⁻¹ sinh ρ |
//! | any | Σ_r φ̂_r² ρ^r | Σ_r rφ̂_r² ρ^{r−1} |
//!
//! The last row is finite for Hermite sums. Cut short it is a lower bound in the order of positive semidefinite
//! matrices: the kernel matrix minus that of a partial sum is positive semidefinite.
//!
//! Next to ρ = ±1 the angle must not come from arccos ρ, which loses half the digits: it is the arcsine of a chord.
//! Half way to there arccos loses nothing, and matrices take their ρ from a product of matrices, tile by tile.

use std::f64::consts::{E, FRAC_PI_2, PI};
use std::ops::Range;

use super::arcs::ARCSINE;
use super::{Activation, Kinked, Smooth};
use crate::linalg::{Destination, Matrix, Tiles, dot, multiply};

/// How two unit vectors lie to each other.
///
/// ```
/// use shallows::activation::Correlation;
///
/// let between = Correlation::of(&[1.0, 0.0], &[0.0, 1.0]);
/// assert_eq!(between.rho(), 0.0);
/// assert!((between.angle() - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// ρ = cos θ
    rho: f64,
    /// θ
    angle: f64,
    /// π − θ, accurate relative to itself.
    supplement: f64,
}

impl Correlation {
    /// Of a vector with itself.
    pub const SAME: Correlation = Correlation { rho: 1.0, angle: 0.0, supplement: PI };

    /// Of two unit vectors.
    ///
    /// # Panics
    /// When they differ in length.
    pub fn of(x: &[f64], y: &[f64]) -> Self {
        Self::with_product(dot(x, y), x, y)
    }

    /// Of two unit vectors whose product ρ is known up to rounding.
    fn with_product(rho: f64, x: &[f64], y: &[f64]) -> Self {
        if rho.abs() <= FAR_FROM_PARALLEL {
            let [past_right] = arcsines(&[rho]);
            return Correlation { rho, angle: FRAC_PI_2 - past_right, supplement: FRAC_PI_2 + past_right };
        }
        let chord = |sign: f64| x.iter().zip(y).map(|(x, y)| (x - sign * y).powi(2)).sum::<f64>().sqrt();
        let arc = |chord: f64| 2.0 * (0.5 * chord).min(1.0).asin();
        if rho > 0.0 {
            let angle = arc(chord(1.0));
            let rho = if angle == 0.0 { 1.0 } else { rho.min(1.0) };
            Correlation { rho, angle, supplement: PI - angle }
        } else {
            let supplement = arc(chord(-1.0));
            let rho = if supplement == 0.0 { -1.0 } else { rho.max(-1.0) };
            Correlation { rho, angle: PI - supplement, supplement }
        }
    }

    /// Of two vectors at the angle θ, 0 ≤ θ ≤ π.
    pub fn at_angle(angle: f64) -> Self {
        Correlation { rho: angle.cos(), angle, supplement: PI - angle }
    }

    /// ρ
    pub fn rho(&self) -> f64 {
        self.rho
    }

    /// θ
    pub fn angle(&self) -> f64 {
        self.angle
    }
}

/// Up to this |ρ| the condition number of arccos is below 1.2, and [`arcsines`] are good.
const FAR_FROM_PARALLEL: f64 = 0.5;

/// asin x for |x| ≤ ½ within 1.1 units in the last place; elsewhere finite, and meaningless. Several at a time and without
/// branches, so that they become vector instructions.
#[inline(always)]
fn arcsines<const N: usize>(x: &[f64; N]) -> [f64; N] {
    let z = x.map(|x| x * x);
    let mut sums = [0.0; N];
    for c in ARCSINE.iter().rev() {
        for lane in 0..N {
            sums[lane] = sums[lane] * z[lane] + c;
        }
    }
    std::array::from_fn(|lane| x[lane] + x[lane] * z[lane] * sums[lane])
}

/// The kernels of one activation.
///
/// ```
/// use shallows::activation::{Activation, Correlation};
///
/// // E relu(g)relu(h) of standard normal g, h with correlation ρ: ½ at ρ = 1, 1/(2π) at ρ = 0.
/// let kernel = Activation::RELU.kernel().expect("relu has closed forms");
/// let value = |angle| kernel.value(Correlation::at_angle(angle));
/// assert!((value(0.0) - 0.5).abs() < 1e-15);
/// assert!((value(std::f64::consts::FRAC_PI_2) - 0.5 / std::f64::consts::PI).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel(KernelForm);

#[derive(Clone, Debug, PartialEq)]
enum KernelForm {
    /// line·z + hinge·relu(z)
    Hinge {
        line: f64,
        hinge: f64,
    },
    Erf,
    Cos,
    /// φ̂_r²
    Series(Vec<f64>),
}

impl Activation {
    /// The kernels in closed form; none is known for softplus, sigmoid, tanh and gelu.
    pub fn kernel(&self) -> Option<Kernel> {
        let form = match self {
            Activation::Kinked(Kinked::Relu) => KernelForm::Hinge { line: 0.0, hinge: 1.0 },
            Activation::Kinked(Kinked::Abs) => KernelForm::Hinge { line: -1.0, hinge: 2.0 },
            Activation::Kinked(Kinked::LeakyRelu { slope }) => KernelForm::Hinge { line: *slope, hinge: 1.0 - slope },
            Activation::Smooth(smooth) => match smooth {
                Smooth::Quadratic { alpha, beta, gamma } => {
                    KernelForm::Series(vec![(alpha + gamma).powi(2), beta * beta, 2.0 * alpha * alpha])
                }
                Smooth::Hermite { coefficients } => KernelForm::Series(coefficients.iter().map(|c| c * c).collect()),
                Smooth::Erf => KernelForm::Erf,
                Smooth::Cos => KernelForm::Cos,
                Smooth::Softplus { .. } | Smooth::Sigmoid { .. } | Smooth::Tanh | Smooth::Gelu => return None,
            },
        };
        Some(Kernel(form))
    }

    /// The kernels from φ̂_0, …, φ̂_{order−1}: never above the true ones in the order of positive semidefinite matrices.
    pub fn kernel_series(&self, order: usize) -> Kernel {
        Kernel(KernelForm::Series(self.hermite(order).iter().map(|c| c * c).collect()))
    }
}

impl Kernel {
    /// E φ(x·w)φ(y·w).
    pub fn value(&self, between: Correlation) -> f64 {
        let rho = between.rho;
        match &self.0 {
            KernelForm::Hinge { line, hinge } => {
                let relu = (between.sine() + rho * between.supplement) / (2.0 * PI);
                // E z·relu is ρ/2, and E z·z is ρ.
                line * (line + hinge) * rho + hinge * hinge * relu
            }
            KernelForm::Erf => 2.0 / PI * (2.0 * rho / 3.0).asin(),
            KernelForm::Cos => rho.cosh() / E,
            KernelForm::Series(squares) => squares.iter().rev().fold(0.0, |sum, square| sum * rho + square),
        }
    }

    /// E φ'(x·w)φ'(y·w).
    pub fn slope(&self, between: Correlation) -> f64 {
        let rho = between.rho;
        match &self.0 {
            KernelForm::Hinge { line, hinge } => {
                line * (line + hinge) + hinge * hinge * between.supplement / (2.0 * PI)
            }
            KernelForm::Erf => 4.0 / PI / (9.0 - 4.0 * rho * rho).sqrt(),
            KernelForm::Cos => rho.sinh() / E,
            KernelForm::Series(squares) => {
                let terms = squares.iter().enumerate().skip(1).rev();
                terms.fold(0.0, |sum, (r, square)| sum * rho + r as f64 * square)
            }
        }
    }

    /// Σ̃(X)_ij = E φ(x_i·w)φ(x_j·w) for the unit rows of X.
    pub fn values(&self, X: &Matrix) -> Matrix {
        match &self.0 {
            KernelForm::Hinge { line, hinge } => hinge_matrix(X, |rho, sine, supplement| {
                line * (line + hinge) * rho + hinge * hinge * (sine + rho * supplement) / (2.0 * PI)
            }),
            KernelForm::Series(squares) => series_matrix(X, &PowerSeries::new(squares.clone())),
            _ => closed_matrix(X, |between| self.value(between)),
        }
    }

    /// Σ(X)_ij = x_i·x_j E φ'(x_i·w)φ'(x_j·w) for the unit rows of X.
    pub fn slopes(&self, X: &Matrix) -> Matrix {
        match &self.0 {
            KernelForm::Hinge { line, hinge } => hinge_matrix(X, |rho, _, supplement| {
                rho * (line * (line + hinge) + hinge * hinge * supplement / (2.0 * PI))
            }),
            // ρ Σ_r rφ̂_r² ρ^{r−1}
            KernelForm::Series(squares) => {
                let weighted = squares.iter().enumerate().map(|(r, square)| r as f64 * square);
                series_matrix(X, &PowerSeries::new(weighted.collect()))
            }
            _ => closed_matrix(X, |between| between.rho * self.slope(between)),
        }
    }
}

impl Correlation {
    fn sine(&self) -> f64 {
        self.angle.min(self.supplement).sin()
    }
}

/// The products of the rows of X that belong to a tile.
fn products(X: &Matrix, rows: Range<usize>, cols: Range<usize>, tile: &mut [f64]) {
    multiply(tile, X.view_rows(rows), X.view_rows(cols).t(), Destination::Replace);
}

/// The matrix of f over all pairs of rows, exactly symmetric.
fn closed_matrix(X: &Matrix, f: impl Fn(Correlation) -> f64 + Sync) -> Matrix {
    let tiles = Tiles::from_fn(X.rows(), |rows, cols, tile| {
        products(X, rows.clone(), cols.clone(), tile);
        for (i, out) in rows.zip(tile.chunks_exact_mut(cols.len())) {
            for (j, out) in cols.clone().zip(out).take_while(|(j, _)| *j <= i) {
                let same = i == j;
                *out = f(if same { Correlation::SAME } else { Correlation::with_product(*out, X.row(i), X.row(j)) });
            }
        }
    });
    tiles.to_matrix()
}

/// The matrix of f(ρ, sin θ, π − θ) over all pairs of rows, exactly symmetric.
fn hinge_matrix(X: &Matrix, f: impl Fn(f64, f64, f64) -> f64 + Sync) -> Matrix {
    let tiles = Tiles::from_fn(X.rows(), |rows, cols, tile| {
        products(X, rows.clone(), cols.clone(), tile);
        let mut rho = vec![0.0; cols.len()];
        let far = |rho: f64, past_right: f64| f(rho, (1.0 - rho * rho).max(0.0).sqrt(), FRAC_PI_2 + past_right);
        for (i, out) in rows.zip(tile.chunks_exact_mut(cols.len())) {
            rho.copy_from_slice(out);
            let (blocks, rest) = out.as_chunks_mut::<LANES>();
            for block in blocks {
                let past_right = arcsines(block);
                (0..LANES).for_each(|lane| block[lane] = far(block[lane], past_right[lane]));
            }
            rest.iter_mut().for_each(|out| *out = far(*out, arcsines(&[*out])[0]));
            for (j, (out, rho)) in cols.clone().zip(out.iter_mut().zip(&rho)) {
                if !(rho.abs() <= FAR_FROM_PARALLEL) {
                    let between =
                        if i == j { Correlation::SAME } else { Correlation::with_product(*rho, X.row(i), X.row(j)) };
                    *out = f(between.rho, between.sine(), between.supplement);
                }
            }
        }
    });
    tiles.to_matrix()
}

/// The matrix of Σ_r c_r ρ^r over all pairs of rows, exactly symmetric.
fn series_matrix(X: &Matrix, series: &PowerSeries) -> Matrix {
    let tiles = Tiles::from_fn(X.rows(), |rows, cols, tile| {
        products(X, rows.clone(), cols.clone(), tile);
        if rows == cols {
            (0..rows.len()).for_each(|at| tile[at * (rows.len() + 1)] = 1.0);
        }
        series.apply(tile);
    });
    tiles.to_matrix()
}

/// Σ_r c_r ρ^r with c_r ≥ 0, for many ρ at a time.
struct PowerSeries {
    coefficients: Vec<f64>,
    /// How many terms matter for |ρ| up to b/BUCKETS, b = 0, …, BUCKETS.
    lengths: Vec<usize>,
}

/// Numbers evaluated together: enough to hide the latency of Horner's rule.
const LANES: usize = 16;
const BUCKETS: usize = 64;
/// Terms that together are less than this part of the sum at ρ = 1 are left to rounding, which takes 64 times as much.
const NEGLIGIBLE: f64 = f64::EPSILON / 128.0;

impl PowerSeries {
    fn new(coefficients: Vec<f64>) -> Self {
        let floor = NEGLIGIBLE * coefficients.iter().sum::<f64>();
        let length = |bucket: usize| {
            let rho = bucket as f64 / BUCKETS as f64;
            let terms: Vec<f64> = coefficients
                .iter()
                .scan(1.0, |power, c| {
                    let term = c * *power;
                    *power *= rho;
                    Some(term)
                })
                .collect();
            let mut rest = 0.0;
            let kept = terms.iter().rposition(|term| {
                rest += term;
                rest > floor
            });
            kept.map_or(0, |last| last + 1)
        };
        PowerSeries { lengths: (0..=BUCKETS).map(length).collect(), coefficients }
    }

    /// ρ ← Σ_r c_r ρ^r for every ρ, which is first moved into [−1, 1].
    fn apply(&self, rho: &mut [f64]) {
        let (blocks, rest) = rho.as_chunks_mut::<LANES>();
        blocks.iter_mut().for_each(|block| *block = self.at(block));
        let mut last = [0.0; LANES];
        last[..rest.len()].copy_from_slice(rest);
        rest.copy_from_slice(&self.at(&last)[..rest.len()]);
    }

    fn at(&self, rho: &[f64; LANES]) -> [f64; LANES] {
        let rho = rho.map(|rho| rho.clamp(-1.0, 1.0));
        let most = rho.iter().fold(0.0_f64, |most, rho| most.max(rho.abs()));
        let length = self.lengths[((most * BUCKETS as f64).ceil() as usize).min(BUCKETS)];
        let mut sums = [0.0; LANES];
        for c in self.coefficients[..length].iter().rev() {
            for lane in 0..LANES {
                sums[lane] = sums[lane] * rho[lane] + c;
            }
        }
        sums
    }
}

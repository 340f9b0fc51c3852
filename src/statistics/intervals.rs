//! Numbers with their 95 % intervals: shares, means, slopes.

/// A number with its interval: value, low, high. [`mean`] shows its use.
pub type Interval = (f64, f64, f64);

/// The quantile of the standard normal law that leaves 2.5 % on either side.
const Z: f64 = 1.959_963_984_540_054;

/// Wilson's 95 % interval for the probability behind so many successes among so many trials; [0, 1] without trials.
///
/// ```
/// use shallows::statistics::intervals::wilson;
///
/// // No success in ten trials does not mean that there is none.
/// let (low, high) = wilson(0, 10);
/// assert!(low.abs() < 1e-12 && 0.2 < high && high < 0.35);
/// ```
pub fn wilson(successes: usize, trials: usize) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let (m, z2) = (trials as f64, Z * Z);
    let p = successes as f64 / m;
    let centre = (p + z2 / (2.0 * m)) / (1.0 + z2 / m);
    let reach = Z / (1.0 + z2 / m) * (p * (1.0 - p) / m + z2 / (4.0 * m * m)).sqrt();
    // At the ends the formula is exact, its rounding is not.
    let low = if successes == 0 { 0.0 } else { (centre - reach).max(0.0) };
    let high = if successes == trials { 1.0 } else { (centre + reach).min(1.0) };
    (low, high)
}

/// The quantile of Student's law that leaves 2.5 % on either side.
fn student(freedom: usize) -> f64 {
    const FIRST: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    match freedom {
        0 => f64::INFINITY,
        1..=10 => FIRST[freedom - 1],
        // The first terms of the expansion in 1/ν around the normal quantile: right to 1e-3 here.
        _ => 1.95996 + 2.37227 / freedom as f64 + 2.82250 / (freedom * freedom) as f64,
    }
}

/// The mean with Student's 95 % interval; of one value there is none.
///
/// ```
/// use shallows::statistics::intervals::mean;
///
/// let (middle, low, high) = mean(&[1.0, 2.0, 3.0]);
/// // Student's quantile with two degrees of freedom is 4.303.
/// assert!(middle == 2.0 && (high - 2.0 - 4.303 / 3.0_f64.sqrt()).abs() < 1e-3 && low < 0.0);
/// ```
pub fn mean(values: &[f64]) -> Interval {
    let n = values.len();
    let mean = values.iter().sum::<f64>() / n as f64;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n.max(2) - 1) as f64;
    let reach = student(n.max(1) - 1) * (variance / n as f64).sqrt();
    if n < 2 { (mean, f64::NAN, f64::NAN) } else { (mean, mean - reach, mean + reach) }
}

/// The geometric mean, likewise.
///
/// ```
/// use shallows::statistics::intervals::geometric_mean;
///
/// assert!((geometric_mean(&[1.0, 4.0]).0 - 2.0).abs() < 1e-12);
/// ```
pub fn geometric_mean(values: &[f64]) -> Interval {
    let (middle, low, high) = mean(&values.iter().map(|x| x.ln()).collect::<Vec<f64>>());
    (middle.exp(), low.exp(), high.exp())
}

/// The slope of the straight line of least squares through points, with Student's 95 % interval.
///
/// ```
/// use shallows::statistics::intervals::{exponent, slope};
///
/// assert!((slope(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]).0 - 2.0).abs() < 1e-12);
/// // y = x² has the exponent 2.
/// assert!((exponent(&[(1.0, 1.0), (2.0, 4.0), (4.0, 16.0)]).0 - 2.0).abs() < 1e-12);
/// ```
pub fn slope(points: &[(f64, f64)]) -> Interval {
    let n = points.len() as f64;
    let (x_mean, y_mean) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let spread: f64 = points.iter().map(|(x, _)| (x - x_mean).powi(2)).sum();
    let slope = points.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum::<f64>() / spread;
    let rest: f64 = points.iter().map(|(x, y)| (y - y_mean - slope * (x - x_mean)).powi(2)).sum();
    let freedom = points.len().saturating_sub(2);
    let reach = student(freedom) * (rest / freedom as f64 / spread).sqrt();
    (slope, slope - reach, slope + reach)
}

/// The exponent p of y ∝ x^p. [`slope`] shows its use.
pub fn exponent(points: &[(f64, f64)]) -> Interval {
    slope(&points.iter().map(|(x, y)| (x.ln(), y.ln())).collect::<Vec<_>>())
}

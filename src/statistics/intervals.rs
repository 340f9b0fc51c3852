//! Numbers with their 95 % intervals: shares, means, slopes.

/// A number with its interval: value, low, high.
pub type Interval = (f64, f64, f64);

/// The quantile of the standard normal law that leaves 2.5 % on either side.
const Z: f64 = 1.959_963_984_540_054;

/// Wilson's 95 % interval for the probability behind so many successes among so many trials; [0, 1] without trials.
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
pub fn mean(values: &[f64]) -> Interval {
    let n = values.len();
    let mean = values.iter().sum::<f64>() / n as f64;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n.max(2) - 1) as f64;
    let reach = student(n.max(1) - 1) * (variance / n as f64).sqrt();
    if n < 2 { (mean, f64::NAN, f64::NAN) } else { (mean, mean - reach, mean + reach) }
}

/// The geometric mean, likewise.
pub fn geometric_mean(values: &[f64]) -> Interval {
    let (middle, low, high) = mean(&values.iter().map(|x| x.ln()).collect::<Vec<f64>>());
    (middle.exp(), low.exp(), high.exp())
}

/// The slope of the straight line of least squares through points, with Student's 95 % interval.
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

/// The exponent p of y ∝ x^p.
pub fn exponent(points: &[(f64, f64)]) -> Interval {
    slope(&points.iter().map(|(x, y)| (x.ln(), y.ln())).collect::<Vec<_>>())
}

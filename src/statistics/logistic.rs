//! The logistic curve of greatest likelihood, p(x) = 1/(1 + exp(−s(x − x½))), and a bootstrap interval of x½.

use crate::random::{Purpose, Stream};

/// Trials at one value of x: of each group (a planted network) the successes and the trials. [`fit`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Where.
    pub x: f64,
    /// Groups of trials that may depend on each other.
    pub groups: Vec<(usize, usize)>,
}

/// The curve behind samples. [`fit`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curve {
    /// p(x) = 1/(1 + exp(−slope·(x − half))).
    Fitted {
        /// x½.
        half: f64,
        /// Positive where success becomes likelier with x.
        slope: f64,
    },
    /// Failures on one side, successes on the other, at most one x with both: the likelihood has no maximum, and x½ is
    /// only known to lie between the last x where all is on one side and the first where all is on the other. An end
    /// that the samples do not reach is infinite.
    Separated {
        /// x½ by straight lines between these; infinite where the samples end before half of them change sides.
        half: f64,
        /// The last.
        from: f64,
        /// The first.
        to: f64,
        /// Whether success is on the right.
        rising: bool,
    },
    /// All trials succeed or all fail, or they do not depend on x: there is no threshold.
    Flat,
}

impl Curve {
    /// x½.
    pub fn half(&self) -> Option<f64> {
        match self {
            Curve::Fitted { half, .. } | Curve::Separated { half, .. } => Some(*half),
            Curve::Flat => None,
        }
    }

    /// p(x) of a fitted curve.
    pub fn at(&self, x: f64) -> Option<f64> {
        match self {
            Curve::Fitted { half, slope } => Some(1.0 / (1.0 + (-slope * (x - half)).exp())),
            Curve::Separated { .. } | Curve::Flat => None,
        }
    }
}

/// Successes and trials at one x, as numbers.
type SuccessCount = (f64, f64, f64);

/// The curve of greatest likelihood.
///
/// ```
/// use shallows::statistics::logistic::{Sample, bootstrap, fit};
///
/// // Successes out of 20 rise from none to all around x = 3.
/// let sample = |(x, wins)| Sample { x, groups: (0..20).map(|i| (usize::from(i < wins), 1)).collect() };
/// let samples = [(1.0, 0), (2.0, 4), (3.0, 10), (4.0, 16), (5.0, 20)].map(sample);
/// let half = fit(&samples).half().expect("a threshold");
/// assert!((half - 3.0).abs() < 0.1);
/// let (low, high) = bootstrap(&samples, 200, 1).expect("an interval");
/// assert!(low < half && half < high);
/// ```
pub fn fit(samples: &[Sample]) -> Curve {
    let mut points: Vec<SuccessCount> = samples.iter().map(|sample| summed(sample.x, &sample.groups)).collect();
    points.retain(|(_, _, m)| *m > 0.0);
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    fit_points(&points)
}

fn summed(x: f64, groups: &[(usize, usize)]) -> SuccessCount {
    let (s, m) = groups.iter().fold((0, 0), |(s, m), (successes, trials)| (s + successes, m + trials));
    (x, s as f64, m as f64)
}

/// Points in rising order of x.
fn fit_points(points: &[SuccessCount]) -> Curve {
    let all: f64 = points.iter().map(|(_, _, m)| m).sum();
    let successes: f64 = points.iter().map(|(_, s, _)| s).sum();
    if successes == 0.0 || successes == all || points.first().map(|p| p.0) == points.last().map(|p| p.0) {
        return Curve::Flat;
    }
    separated(points, true).or_else(|| separated(points, false)).unwrap_or_else(|| newton(points, all))
}

/// Failures before successes (rising) or the other way round, with at most one x that has both.
fn separated(points: &[SuccessCount], rising: bool) -> Option<Curve> {
    let left = |(_, s, m): &SuccessCount| if rising { m - s } else { *s };
    let right = |(_, s, m): &SuccessCount| if rising { *s } else { m - s };
    let last = points.iter().rfind(|point| left(point) > 0.0)?.0;
    let first = points.iter().find(|point| right(point) > 0.0)?.0;
    if last > first {
        return None;
    }
    if last < first {
        return Some(Curve::Separated { half: 0.5 * (last + first), from: last, to: first, rising });
    }
    // Both at one x: its neighbours are pure.
    let share = points.iter().find(|point| point.0 == last).map(|point| right(point) / point.2)?;
    let from = points.iter().rfind(|point| point.0 < last).map_or(f64::NEG_INFINITY, |point| point.0);
    let to = points.iter().find(|point| point.0 > last).map_or(f64::INFINITY, |point| point.0);
    let half = match share {
        _ if share < 0.5 && to.is_finite() => last + (to - last) * (0.5 - share) / (1.0 - share),
        _ if share < 0.5 => to,
        _ if share > 0.5 && from.is_finite() => last - (last - from) * (share - 0.5) / share,
        _ if share > 0.5 => from,
        _ => last,
    };
    Some(Curve::Separated { half, from, to, rising })
}

/// Steps of Newton's method: six or so are needed, more for curves that are nearly separated.
const STEPS: usize = 200;

/// Newton's method with halved steps on the concave log-likelihood, in standardised x.
fn newton(points: &[SuccessCount], all: f64) -> Curve {
    let mean = points.iter().map(|(x, _, m)| m * x).sum::<f64>() / all;
    let deviation = (points.iter().map(|(x, _, m)| m * (x - mean).powi(2)).sum::<f64>() / all).sqrt();
    let points: Vec<SuccessCount> = points.iter().map(|(x, s, m)| ((x - mean) / deviation, *s, *m)).collect();
    let (mut a, mut b) = (0.0, 0.0);
    let mut value = log_likelihood(&points, a, b);
    for _ in 0..STEPS {
        let (mut ga, mut gb, mut haa, mut hab, mut hbb) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (u, s, m) in &points {
            let p = 1.0 / (1.0 + (-(a + b * u)).exp());
            let (residual, weight) = (s - m * p, m * p * (1.0 - p));
            ga += residual;
            gb += residual * u;
            haa += weight;
            hab += weight * u;
            hbb += weight * u * u;
        }
        let determinant = haa * hbb - hab * hab;
        let (da, db) = ((hbb * ga - hab * gb) / determinant, (haa * gb - hab * ga) / determinant);
        if !(da.is_finite() && db.is_finite()) {
            break;
        }
        let mut step = 1.0;
        let mut next = log_likelihood(&points, a + da, b + db);
        while next < value && step > 1e-10 {
            step *= 0.5;
            next = log_likelihood(&points, a + step * da, b + step * db);
        }
        (a, b) = (a + step * da, b + step * db);
        let gained = next - value;
        value = next;
        if gained <= 1e-14 * value.abs() {
            break;
        }
    }
    if b == 0.0 { Curve::Flat } else { Curve::Fitted { half: mean - deviation * a / b, slope: b / deviation } }
}

/// Σ s ln p + (m − s) ln(1 − p), without overflow.
fn log_likelihood(points: &[SuccessCount], a: f64, b: f64) -> f64 {
    let softplus = |z: f64| z.max(0.0) + (-z.abs()).exp().ln_1p();
    points.iter().map(|(u, s, m)| -s * softplus(-(a + b * u)) - (m - s) * softplus(a + b * u)).sum()
}

/// Resamples of a bootstrap.
pub const RESAMPLES: usize = 1000;

/// The 95 % interval of x½ of a fitted curve, by the percentiles of x½ in samples drawn again.
///
/// Where every group is one trial, trials are drawn from the fitted curve; where groups are larger (several starts of one
/// network), whole groups are drawn, with replacement, among those of the same x. A resample without a threshold counts
/// as one beyond all x, so that an end may be infinite. `None` unless the curve is fitted. [`fit`] shows its use.
pub fn bootstrap(samples: &[Sample], resamples: usize, seed: u64) -> Option<(f64, f64)> {
    let Curve::Fitted { slope, .. } = fit(samples) else { return None };
    let curve = fit(samples);
    let single = samples.iter().all(|sample| sample.groups.iter().all(|(_, trials)| *trials <= 1));
    let mut samples: Vec<&Sample> = samples.iter().filter(|sample| !sample.groups.is_empty()).collect();
    samples.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mut halves: Vec<f64> = (0..resamples)
        .map(|resample| {
            let mut stream = Stream::new(seed, Purpose::Bootstrap, resample as u64);
            let points: Vec<SuccessCount> = samples
                .iter()
                .map(|sample| {
                    let p = curve.at(sample.x).unwrap_or(0.5);
                    if single { drawn_trials(sample, p, &mut stream) } else { drawn_groups(sample, &mut stream) }
                })
                .collect();
            let successes: f64 = points.iter().map(|(_, s, _)| s).sum();
            // Nothing but successes: the threshold of a rising curve lies before all x.
            let outside = if (successes > 0.0) == (slope > 0.0) { f64::NEG_INFINITY } else { f64::INFINITY };
            fit_points(&points).half().unwrap_or(outside)
        })
        .collect();
    halves.sort_by(f64::total_cmp);
    let at = |share: f64| halves.get((share * (halves.len() as f64 - 1.0)).round() as usize).copied();
    Some((at(0.025)?, at(0.975)?))
}

fn drawn_trials(sample: &Sample, p: f64, stream: &mut Stream) -> SuccessCount {
    let (x, _, m) = summed(sample.x, &sample.groups);
    let s = (0..m as usize).filter(|_| stream.uniform() < p).count();
    (x, s as f64, m)
}

fn drawn_groups(sample: &Sample, stream: &mut Stream) -> SuccessCount {
    let groups: Vec<(usize, usize)> =
        sample.groups.iter().map(|_| sample.groups[stream.below(sample.groups.len())]).collect();
    summed(sample.x, &groups)
}

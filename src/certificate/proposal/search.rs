//! The smallest width, or the smallest output scale, for which convergence can be proved.

use shallows_verify::descent::{DescentClaim, Flips, JacobianPart};
use shallows_verify::theorem::descent_converges as smooth;
use shallows_verify::theorem::relu_descent_converges as kinked;

use super::descent::{CheckedStart, TOLERANCE, usable_step};
use crate::activation::Activation;
use crate::certificate::convert::{for_checker, rows_for_checker};
use crate::certificate::descent::Start;
use crate::certificate::descent::promises;
use crate::certificate::theorem::relu_descent_converges::radius_and_step;
use crate::data::Data;
use crate::error::Result;
use crate::linalg::norm;
use crate::network::{Layers, Network};
use crate::watch::{Progress, Watch};

/// Where to search: what a start may be like, and the rows it must fit. [`DescentPlan`](crate::certificate::descent::DescentPlan)
/// shows its use.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// φ.
    pub activation: &'a Activation,
    /// Distinct rows.
    pub data: &'a Data,
    /// How the start is chosen.
    pub start: Start,
    /// Of the start.
    pub seed: u64,
}

/// A search ends when its bounds are this close.
const CLOSE: f64 = 1.02;
/// n·k beyond which a width is not tried.
const MOST_VALUES: usize = 400_000_000;
/// The largest width tried.
const MOST_UNITS: usize = 1 << 23;
/// Doublings of the scale before giving up.
const DOUBLINGS: i32 = 200;

impl Search<'_> {
    /// ‖y‖/√(kn): the published output scale.
    pub fn published_scale(&self, width: usize) -> f64 {
        let weights = self.data.weights.clone().unwrap_or_else(|| vec![1.0; self.data.n()]);
        let n: f64 = weights.iter().sum();
        let labels: Vec<f64> = self.data.y.iter().zip(&weights).map(|(y, w)| y * w.sqrt()).collect();
        let labels = norm(&labels);
        // Labels that are all zero would make a network that is not there.
        if labels > 0.0 { labels / (width as f64 * n).sqrt() } else { 1.0 }
    }

    /// The network at the start.
    pub fn network(&self, width: usize, scale: f64) -> Result<Network> {
        self.start.network(self.activation, width, self.data.d(), scale, self.seed)
    }
}

/// The smallest even width, to 2 %, at which training the hidden layer from the published output scale is proved to
/// reach zero error; `None` when none is found below the largest that is tried. The condition is not monotone in the
/// width: a smaller one may exist.
///
/// `watch` hears of every width tried and whether it will do; when it is over, the smallest width found so far is returned.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Search, find_width};
/// use shallows::{Activation, Data, Watch};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[1.0, -1.0])?;
/// let search = Search { activation: &Activation::TANH, data: &data, start: Start::Antisymmetric, seed: 1 };
/// let width = find_width(&search, Watch::silent())?.expect("two rows are few");
/// assert_eq!(width % 2, 0);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn find_width(search: &Search<'_>, watch: Watch<'_>) -> Result<Option<usize>> {
    let holds = |width: usize| -> Result<bool> {
        let network = search.network(width, search.published_scale(width))?;
        let found = promises::guarantee(&network, search.data, Layers::Hidden)?.proven.is_some();
        watch.report(Progress::Tried { width, holds: found });
        Ok(found)
    };
    let most = (MOST_VALUES / search.data.n().max(1)).min(MOST_UNITS);
    let mut low = 0;
    // With fewer parameters than rows the Jacobian is singular.
    let mut high = 2 * search.data.n().div_ceil(2 * search.data.d()).max(1);
    while !holds(high)? {
        (low, high) = (high, 2 * high);
        if high > most || watch.is_over() {
            return Ok(None);
        }
    }
    while high > 2 + low && high as f64 > CLOSE * low as f64 && !watch.is_over() {
        let middle = (low + (high - low) / 2) & !1;
        if middle <= low {
            break;
        }
        if holds(middle)? { high = middle } else { low = middle }
    }
    Ok(Some(high))
}

/// The smallest output scale, to 2 %, at which training the hidden layer at this width is proved to reach zero error,
/// from the antisymmetric start; `None` when the Jacobian cannot be proved to have full rank.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Search, find_scale, promises};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[1.0, -1.0])?;
/// let search = Search { activation: &Activation::TANH, data: &data, start: Start::Antisymmetric, seed: 1 };
/// let scale = find_scale(&search, 8)?.expect("the Jacobian has full rank");
/// assert!(promises(&search.network(8, scale)?, &data)?.hidden.is_some());
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn find_scale(search: &Search<'_>, width: usize) -> Result<Option<f64>> {
    let network = for_checker(&search.network(width, 1.0)?)?;
    let rows = rows_for_checker(search.data)?;
    let at = CheckedStart::new(&network, rows, JacobianPart::Hidden)?.proposed(JacobianPart::Hidden)?.at;
    if !(at.sigma.low > 0.0) || search.start != Start::Antisymmetric {
        return Ok(None);
    }
    let flips = matches!(search.activation, Activation::Kinked(_)).then(|| Flips::new(&network, rows)).transpose()?;
    // f = 0 at the start: output weights c times as large are a residual c times as small, in other units.
    let holds = |c: f64| {
        let mut at = at;
        at.residual = (1.0 / c) * at.residual;
        let claim = |step: f64| DescentClaim { step, tolerance: TOLERANCE };
        let found = match &flips {
            Some(flips) => {
                let (radius, step) = radius_and_step(&at, flips);
                kinked::guarantee_at(&at, flips, &claim(step), radius)
            }
            None => smooth::guarantee_at(&network, &at, &claim(usable_step(smooth::step_to_claim(&at)))),
        };
        found.is_ok_and(|found| found.proven.is_some_and(|proven| proven.rate() < 1.0))
    };
    let first = search.published_scale(width);
    let scale = |power: i32| first * 2.0_f64.powi(power);
    // Upwards from a scale that does not do, or downwards from one that does.
    let (mut low, mut high) = if holds(first) {
        let Some(power) = (1..=DOUBLINGS).find(|power| !holds(scale(-power))) else {
            return Ok(Some(scale(-DOUBLINGS)));
        };
        (scale(-power), scale(1 - power))
    } else {
        let Some(power) = (1..=DOUBLINGS).find(|power| holds(scale(*power))) else { return Ok(None) };
        (scale(power - 1), scale(power))
    };
    while high > CLOSE * low {
        let middle = (low * high).sqrt();
        if holds(middle) { high = middle } else { low = middle }
    }
    Ok(Some(high))
}

//! The learning curve: how the error falls as rows are added.

use serde_json::{Value, json};

use crate::data::dependence::rows_by_number;
use crate::data::split::{Aside, deal};
use crate::data::{Data, Dependence};
use crate::draw::{Colour, Figure, Scale, Series, lines};
use crate::error::Result;
use crate::fit::{self, Fit, Quadratic, Scores, Training};
use crate::random::{Split, Stream};
use crate::watch::Watch;

/// Errors of models that were trained on nested parts of the rows, each with the number of rows.
/// [`FitFindings`](crate::job::fit::FitFindings) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct LearningCurve {
    /// Of the affine function.
    pub linear: Vec<(usize, f64)>,
    /// Of the quadratic network; `None` where it would take too long.
    pub quadratic: Option<Vec<(usize, f64)>>,
    /// Of the network itself on all rows, where rows were held out.
    pub network: Option<(usize, f64)>,
    /// Rows that the errors are measured on.
    pub judging_rows: usize,
    /// Whether these are the held-out rows; otherwise they were set aside for this purpose only.
    pub held_out: bool,
    /// The decay of the quadratic network, where it was not chosen each time.
    pub decay: Option<f64>,
}

/// How many numbers of rows are tried.
const POINTS: usize = 7;
/// Rows beyond which the curve does not go.
const MOST_ROWS: usize = 20_000;
/// Fewer rows to judge by, or to begin with, would show noise.
const FEWEST_ROWS: usize = 10;
/// Where rows × (parameters)² is more, the quadratic network has the decay of the fit, …
const MOST_CHOOSING: f64 = 3e8;
/// … and where it is more than this, it is left out.
const MOST_WORK: f64 = 5e10;
/// Errors that differ by more than this factor are drawn on a logarithmic scale.
const WIDE_RANGE: f64 = 6.0;

impl LearningCurve {
    /// The affine model and the quadratic network on nested sets of rows. `None` where there are too few rows.
    pub(super) fn new(
        fit: &Fit,
        train: &Data,
        test: Option<&Data>,
        seed: u64,
        watch: Watch<'_>,
    ) -> Result<Option<LearningCurve>> {
        let Some((mut order, aside)) = order_and_aside(train, test.is_none(), seed) else { return Ok(None) };
        let set_aside = aside.map(|aside| train.select(&aside));
        let Some(judge) = test.or(set_aside.as_ref()).filter(|judge| judge.n() >= FEWEST_ROWS) else { return Ok(None) };
        order.truncate(MOST_ROWS);
        let fewest = FEWEST_ROWS.max(train.d() + 2);
        if order.len() < 2 * fewest {
            return Ok(None);
        }
        let d = train.d() as f64;
        let work = order.len() as f64 * ((d + 1.0) * (d + 2.0) / 2.0).powi(2);
        let decay = quadratic_decay(fit).filter(|_| work > MOST_CHOOSING);
        let with_quadratic = work <= MOST_CHOOSING || (work <= MOST_WORK && decay.is_some());
        let mut curve = LearningCurve {
            linear: vec![],
            quadratic: with_quadratic.then(Vec::new),
            network: None,
            judging_rows: judge.n(),
            held_out: test.is_some(),
            decay: decay.filter(|_| with_quadratic),
        };
        for count in sizes(fewest, order.len()) {
            curve.measure(&train.select(&order[..count]), judge, seed, watch)?;
        }
        if test.is_some() && order.len() == train.n() {
            curve.network = Some((train.n(), Scores::of(&fit.network, judge)?.rmse));
        }
        Ok(Some(curve))
    }

    /// One more number of rows.
    fn measure(&mut self, rows: &Data, judge: &Data, seed: u64, watch: Watch<'_>) -> Result<()> {
        // A part of the rows may have one and the same target.
        if rows.check_fittable().is_err() {
            return Ok(());
        }
        self.linear.push((rows.n(), Scores::of(&fit::affine_fit(rows)?, judge)?.rmse));
        if let Some(quadratic) = &mut self.quadratic {
            let request = Quadratic { decay: self.decay, ..Quadratic::new().seed(seed) };
            let found = fit::fit(rows, &request.into(), watch.quietly())?.network;
            quadratic.push((rows.n(), Scores::of(&found, judge)?.rmse));
        }
        Ok(())
    }

    /// The curve, drawn.
    pub fn figure(&self) -> Figure {
        let series = |name: &str, colour, points: &[(usize, f64)]| Series {
            name: name.into(),
            colour,
            points: points.iter().map(|(rows, rmse)| (*rows as f64, *rmse)).collect(),
        };
        let mut all = vec![series("linear model", Colour::GREY, &self.linear)];
        all.extend(self.quadratic.iter().map(|points| series("quadratic network", Colour::BLUE, points)));
        all.extend(self.network.iter().map(|point| series("this network", Colour::ORANGE, &[*point])));
        let values = || all.iter().flat_map(|series| &series.points).map(|(_, rmse)| *rmse);
        let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        let upright = if most > WIDE_RANGE * least && least > 0.0 { Scale::Log } else { Scale::Linear };
        let judged = if self.held_out { "RMSE on the held-out rows" } else { "RMSE on the rows set aside" };
        lines("Error against the number of training rows", ("training rows", judged), (Scale::Log, upright), &all)
    }

    /// What a script reads.
    pub fn document(&self) -> Value {
        let points = |points: &Vec<(usize, f64)>| -> Vec<Value> {
            points.iter().map(|(rows, rmse)| json!({ "rows": rows, "rmse": rmse })).collect()
        };
        json!({
            "linear": points(&self.linear),
            "quadratic": self.quadratic.as_ref().map(points),
            "network": self.network.map(|(rows, rmse)| json!({ "rows": rows, "rmse": rmse })),
            "judging_rows": self.judging_rows,
            "held_out": self.held_out,
            "decay": self.decay,
        })
    }
}

/// The order in which rows are added, and the rows set aside where that is wanted; `None` where none can be. Groups are set aside
/// whole; of rows in time the latest are, and rows are added backwards from there.
fn order_and_aside(train: &Data, wants_aside: bool, seed: u64) -> Option<(Vec<usize>, Option<Vec<usize>>)> {
    const ASIDE: f64 = 0.2;
    let permutation = |n: usize| Stream::of_split(seed, Split::LearningCurve).permutation(n);
    let Some(dependence) = train.dependence.as_ref().filter(|dependence| dependence.count() > 1) else {
        let mut order = permutation(train.n());
        let aside = wants_aside.then(|| order.split_off(train.n() - train.n() / 5));
        return Some((order, aside));
    };
    let all: Vec<usize> = (0..train.n()).collect();
    let (kept, aside) = match wants_aside {
        true => {
            deal((&all, Some(dependence)), ASIDE, seed, Aside::Holdout).ok().map(|(kept, aside)| (kept, Some(aside)))?
        }
        false => (all, None),
    };
    let order = match dependence.select(&kept) {
        Dependence::Groups(groups) => {
            let members = rows_by_number(&groups);
            let rows = permutation(members.len()).into_iter().flat_map(|group| &members[group]).map(|&at| kept[at]);
            rows.collect()
        }
        Dependence::Times(times) => {
            let mut places: Vec<usize> = (0..kept.len()).collect();
            places.sort_by_key(|&at| std::cmp::Reverse(times[at]));
            places.into_iter().map(|at| kept[at]).collect()
        }
    };
    Some((order, aside))
}

/// From the fewest to all, in equal ratios.
fn sizes(fewest: usize, all: usize) -> Vec<usize> {
    let ratio = (all as f64 / fewest as f64).powf(1.0 / (POINTS - 1) as f64);
    let mut sizes: Vec<usize> = (0..POINTS).map(|i| (fewest as f64 * ratio.powi(i as i32)).round() as usize).collect();
    sizes[POINTS - 1] = all;
    sizes.dedup();
    sizes
}

/// The decay of a quadratic network that was fitted.
fn quadratic_decay(fit: &Fit) -> Option<f64> {
    match &fit.training {
        Training::Global(_) => Some(fit.decay),
        Training::Combined(combination) => combination.quadratic.as_ref().map(|found| found.decay),
        Training::Local { .. } | Training::Wide(_) => None,
    }
}

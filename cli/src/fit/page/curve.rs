//! The learning curve: how the error falls as rows are added.

use shallows::data::Data;
use shallows::draw::{Colour, Figure, Scale, Series, lines};
use shallows::fit::{Fit, Options, Scores, Training, affine_fit};
use shallows::random::{Purpose, Stream};

use crate::failure::Failure;
use crate::progress::INTERRUPTED;

/// The curve and what it shows, in words.
pub struct Curve {
    pub figure: Figure,
    pub caption: String,
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
/// The order in which rows are added; the splits of `fit` have other numbers.
const ORDER: u64 = 5;

/// The affine model and the quadratic network on nested sets of rows. `None` where there are too few rows.
pub fn curve(fit: &Fit, train: &Data, test: Option<&Data>, seed: u64) -> Result<Option<Curve>, Failure> {
    let mut order = Stream::new(seed, Purpose::Split, ORDER).permutation(train.n());
    let set_aside = test.is_none().then(|| {
        let aside = order.split_off(train.n() - train.n() / 5);
        train.select(&aside)
    });
    let Some(judge) = test.or(set_aside.as_ref()).filter(|judge| judge.n() >= FEWEST_ROWS) else { return Ok(None) };
    order.truncate(MOST_ROWS);
    let fewest = FEWEST_ROWS.max(train.d() + 2);
    if order.len() < 2 * fewest {
        return Ok(None);
    }
    let d = train.d() as f64;
    let work = order.len() as f64 * ((d + 1.0) * (d + 2.0) / 2.0).powi(2);
    let decay = decay(&fit.training, fit.decay).filter(|_| work > MOST_CHOOSING);
    let with_quadratic = work <= MOST_CHOOSING || (work <= MOST_WORK && decay.is_some());
    let options = Options {
        decay,
        activation: Some(shallows::activation::Activation::SQUARE),
        seed,
        interrupted: Some(&INTERRUPTED),
        ..Options::default()
    };
    let (mut affine, mut quadratic) = (vec![], vec![]);
    for count in sizes(fewest, order.len()) {
        let rows = train.select(&order[..count]);
        // A part of the rows may have one and the same target.
        if rows.check_fittable().is_err() {
            continue;
        }
        affine.push((count as f64, Scores::of(&affine_fit(&rows)?, judge)?.rmse));
        if with_quadratic {
            let found = shallows::fit::fit(&rows, &options, &|_| {})?.network;
            quadratic.push((count as f64, Scores::of(&found, judge)?.rmse));
        }
    }
    let series = |name: &str, colour, points| Series { name: name.into(), colour, points };
    let mut all = vec![series("linear model", Colour::GREY, affine)];
    if with_quadratic {
        all.push(series("quadratic network", Colour::BLUE, quadratic));
    }
    if test.is_some() && order.len() == train.n() {
        let here = (train.n() as f64, Scores::of(&fit.network, judge)?.rmse);
        all.push(series("this network", Colour::ORANGE, vec![here]));
    }
    let values = || all.iter().flat_map(|series| &series.points).map(|(_, rmse)| *rmse);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let upright = if most > 6.0 * least && least > 0.0 { Scale::Log } else { Scale::Linear };
    let judged = if test.is_some() { "RMSE on the held-out rows" } else { "RMSE on the rows set aside" };
    let figure =
        lines("Error against the number of training rows", ("training rows", judged), (Scale::Log, upright), &all);
    Ok(Some(Curve { figure, caption: caption(judge.n(), test.is_some(), with_quadratic.then_some(decay)) }))
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
fn decay(training: &Training, decay: f64) -> Option<f64> {
    match training {
        Training::Global(_) => Some(decay),
        Training::Combined(combination) => combination.quadratic.as_ref().map(|found| found.decay),
        Training::Local { .. } => None,
    }
}

/// What was trained, and what the curve says; `quadratic` holds the decay, where it was not chosen each time.
fn caption(judge: usize, held_out: bool, quadratic: Option<Option<f64>>) -> String {
    let judged = if held_out {
        format!("the {judge} held-out rows")
    } else {
        format!("{judge} rows set aside for this purpose only")
    };
    let models = match quadratic {
        Some(None) => "The linear model and the quadratic network (global optimum, decay by cross-validation) are",
        Some(Some(_)) => "The linear model and the quadratic network (global optimum, with the decay of the fit) are",
        None => "The linear model is",
    };
    format!(
        "{models} trained on nested random parts of the training rows and judged on {judged}. \
         A curve that still falls at its right end says that more rows would lower the error. The network itself is not \
         trained again on the parts, which would take as long as the fit each time."
    )
}

//! Curves through points.

use super::axis::{AxisFrame, DrawnAxis, Scale, label_width};
use super::{Anchor, Colour, Figure, TITLE};

/// One curve. [`lines`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is.
    pub name: String,
    /// Its colour.
    pub colour: Colour,
    /// Its points, from left to right; those that are not finite are left out.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 380.0;
/// Points of longer curves are not marked.
const MOST_MARKS: usize = 60;

/// Curves in one plot; captions are those of x and y.
///
/// ```
/// use shallows::draw::{Colour, Ground, Scale, Series, lines};
///
/// let points = (0..10).map(|i| (i as f64, 0.5_f64.powi(i))).collect();
/// let loss = Series { name: "loss".into(), colour: Colour::BLUE, points };
/// let figure = lines("A run", ("iteration", "loss"), (Scale::Linear, Scale::Log), &[loss]);
/// assert!(figure.svg(Ground::White).contains("iteration"));
/// ```
pub fn lines(title: &str, captions: (&str, &str), scales: (Scale, Scale), series: &[Series]) -> Figure {
    let mut figure = Figure::new(WIDTH, HEIGHT, title);
    let shown = |&&(x, y): &&(f64, f64)| scales.0.shows(x) && scales.1.shows(y);
    let points = || series.iter().flat_map(|series| &series.points).filter(shown);
    let x = DrawnAxis::around(points().map(|(x, _)| *x), scales.0);
    let y = DrawnAxis::around(points().map(|(_, y)| *y), scales.1);
    let left = 38.0 + label_width(&y);
    let top = 58.0;
    let frame = AxisFrame { left, top, width: WIDTH - left - 24.0, height: HEIGHT - top - 48.0, x, y };
    figure.text((left, 20.0), title, TITLE, Anchor::Start);
    let entries: Vec<(&str, Colour)> = series.iter().map(|series| (series.name.as_str(), series.colour)).collect();
    figure.legend((left, 42.0), &entries);
    frame.draw(&mut figure, captions.0, captions.1);
    for series in series {
        let path: Vec<(f64, f64)> = series.points.iter().filter(shown).map(|(x, y)| frame.at(*x, *y)).collect();
        if path.len() <= MOST_MARKS {
            path.iter().for_each(|place| figure.circle(*place, 3.4, series.colour, 1.0));
        }
        figure.line(path, series.colour, 2.0);
    }
    figure
}

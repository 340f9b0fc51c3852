//! Scatter plots.

use super::axis::{AxisFrame, DrawnAxis, Scale, label_width};
use super::{Anchor, Colour, Figure, TITLE};

/// Points of one colour. [`scatter`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloud {
    /// What they are.
    pub name: String,
    /// Their colour.
    pub colour: Colour,
    /// Where they are; points that are not finite are left out.
    pub points: Vec<(f64, f64)>,
}

/// A line to compare points with. [`scatter`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// y = x.
    Diagonal,
    /// y = 0.
    Zero,
}

/// One plot. [`scatter`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel<'a> {
    /// Above the plot.
    pub title: &'a str,
    /// What x is.
    pub x: &'a str,
    /// What y is.
    pub y: &'a str,
    /// The points, the last on top.
    pub clouds: Vec<Cloud>,
    /// The line.
    pub reference: Reference,
}

const WIDTH: f64 = 450.0;
const HEIGHT: f64 = 370.0;

/// Plots side by side.
///
/// ```
/// use shallows::draw::{Cloud, Colour, Ground, Panel, Reference, scatter};
///
/// let cloud = Cloud { name: "test".into(), colour: Colour::BLUE, points: vec![(1.0, 1.1), (2.0, 1.9)] };
/// let panel = Panel { title: "Fit", x: "label", y: "prediction", clouds: vec![cloud], reference: Reference::Diagonal };
/// assert!(scatter(&[panel]).svg(Ground::White).contains("prediction"));
/// ```
pub fn scatter(panels: &[Panel<'_>]) -> Figure {
    panels.iter().map(one).reduce(Figure::beside).unwrap_or_default()
}

fn one(panel: &Panel<'_>) -> Figure {
    let mut figure = Figure::new(WIDTH, HEIGHT, panel.title);
    let points = || panel.clouds.iter().flat_map(|cloud| &cloud.points).filter(|(x, y)| (x + y).is_finite());
    let both = panel.reference == Reference::Diagonal;
    let x = DrawnAxis::around(points().map(|(x, _)| *x), Scale::Linear);
    let y = DrawnAxis::around(points().map(|(_, y)| *y).chain((!both).then_some(0.0)), Scale::Linear);
    let left = 38.0 + label_width(&y);
    let top = 58.0;
    let frame = AxisFrame { left, top, width: WIDTH - left - 24.0, height: HEIGHT - top - 48.0, x, y };
    figure.text((left, 20.0), panel.title, TITLE, Anchor::Start);
    let entries: Vec<(&str, Colour)> = panel.clouds.iter().map(|cloud| (cloud.name.as_str(), cloud.colour)).collect();
    figure.legend((left, 42.0), &entries);
    frame.draw(&mut figure, panel.x, panel.y);
    // Fewer points can be larger and darker.
    let count = points().count() as f64;
    let (radius, opacity) =
        ((9.0 / (count + 1.0).powf(0.2)).clamp(1.6, 3.2), (14.0 / (count + 1.0).sqrt()).clamp(0.45, 0.85));
    for cloud in &panel.clouds {
        for (x, y) in cloud.points.iter().filter(|(x, y)| (x + y).is_finite()) {
            figure.circle(frame.at(*x, *y), radius, cloud.colour, opacity);
        }
    }
    let (from, to) = frame.x.ends();
    let line = match panel.reference {
        Reference::Zero => Some(((from, 0.0), (to, 0.0))),
        Reference::Diagonal => {
            let (least, most) = frame.y.ends();
            let (from, to) = (from.max(least), to.min(most));
            (from < to).then_some(((from, from), (to, to)))
        }
    };
    if let Some((start, end)) = line {
        figure.dashed_line(vec![frame.at(start.0, start.1), frame.at(end.0, end.1)], Colour::Soft, 1.2);
    }
    figure
}

//! Levels as rungs, in columns: a diagram of energies.

use std::collections::BTreeSet;

use super::axis::{AxisFrame, DrawnAxis, Scale, label_width};
use super::{Anchor, Colour, Figure, LABEL, TICK, TITLE, short_number};

/// One level. [`ladder`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    /// The number of its column.
    pub column: usize,
    /// How high it is; at least 0.
    pub level: f64,
    /// What stands beside it.
    pub label: String,
}

const WIDTH: f64 = 700.0;
const HEIGHT: f64 = 470.0;
/// The strip for levels of 0, which have no place on a logarithmic axis.
const GROUND: f64 = 34.0;
/// Labels are written beside rungs in columns of at most so many, …
const MOST_LABELS: usize = 8;
/// … while there are at most so many columns.
const MOST_LABELLED: usize = 10;

/// Rungs on a logarithmic axis, those of 0 in a strip of their own; the lowest of a column is orange. `line` is a level
/// with a name, dashed through all columns.
///
/// ```
/// use shallows::draw::{Ground, Rung, ladder};
///
/// let rung = |column, level: f64| Rung { column, level, label: level.to_string() };
/// let figure = ladder("Levels", ("rank", "risk"), 2, &[rung(0, 4.0), rung(1, 1.0)], Some((1.5, "the barrier")));
/// assert!(figure.svg(Ground::White).contains("the barrier"));
/// ```
pub fn ladder(
    title: &str,
    captions: (&str, &str),
    columns: usize,
    rungs: &[Rung],
    line: Option<(f64, &str)>,
) -> Figure {
    let mut figure = Figure::new(WIDTH, HEIGHT, title);
    let shown = |level: &f64| Scale::Log.shows(*level);
    let y =
        DrawnAxis::around(rungs.iter().map(|rung| rung.level).chain(line.map(|line| line.0)).filter(shown), Scale::Log);
    let mut x = DrawnAxis::around([-0.5, columns.max(1) as f64 - 0.5], Scale::Linear);
    x.ticks = (0..columns).step_by(columns.div_ceil(24).max(1)).map(|at| (at as f64, at.to_string())).collect();
    let (left, top) = (38.0 + label_width(&y), 62.0);
    let frame = AxisFrame { left, top, width: WIDTH - left - 24.0, height: HEIGHT - top - 48.0 - GROUND, x, y };
    figure.text((left, 20.0), title, TITLE, Anchor::Start);
    figure.legend((left, 42.0), &[("critical level", Colour::BLUE), ("the lowest of its column", Colour::ORANGE)]);
    draw_axes(&mut figure, &frame, captions);
    let half = (0.27 * frame.width / columns.max(1) as f64).min(60.0);
    for column in 0..columns {
        let rungs: Vec<&Rung> = rungs.iter().filter(|rung| rung.column == column).collect();
        let labelled = columns <= MOST_LABELLED && rungs.len() <= MOST_LABELS;
        draw_column(&mut figure, &frame, half, &rungs, labelled);
    }
    if let Some((level, name)) = line.filter(|line| shown(&line.0)) {
        let height = frame.at(0.0, level).1;
        figure.dashed_line(vec![(left, height), (left + frame.width, height)], Colour::Ink, 1.6);
        figure.text((left + 6.0, height - 5.0), format!("{name} {}", short_number(level)), LABEL, Anchor::Start);
    }
    figure
}

fn draw_axes(figure: &mut Figure, frame: &AxisFrame, captions: (&str, &str)) {
    let (bottom, right) = (frame.top + frame.height, frame.left + frame.width);
    for (value, label) in &frame.y.ticks {
        let y = frame.at(0.0, *value).1;
        figure.line(vec![(frame.left, y), (right, y)], Colour::Faint, 1.0);
        figure.coloured_text((frame.left - 6.0, y + 4.0), label.clone(), TICK, Anchor::End, Colour::Soft);
    }
    let ground = bottom + GROUND;
    figure.dashed_line(vec![(frame.left, bottom + 6.0), (right, bottom + 6.0)], Colour::Faint, 1.0);
    figure.coloured_text((frame.left - 6.0, ground - 6.0), "0", TICK, Anchor::End, Colour::Soft);
    figure.line(vec![(frame.left, frame.top), (frame.left, ground), (right, ground)], Colour::Soft, 1.0);
    for (value, label) in &frame.x.ticks {
        let x = frame.at(*value, 1.0).0;
        figure.coloured_text((x, ground + 16.0), label.clone(), TICK, Anchor::Middle, Colour::Soft);
    }
    figure.text((frame.left + frame.width / 2.0, ground + 36.0), captions.0, LABEL, Anchor::Middle);
    let across = frame.left - 16.0 - label_width(&frame.y);
    figure.upward_text((across, frame.top + frame.height / 2.0), captions.1, LABEL, Anchor::Middle, Colour::Ink);
}

fn draw_column(figure: &mut Figure, frame: &AxisFrame, half: f64, rungs: &[&Rung], labelled: bool) {
    let lowest = rungs.iter().map(|rung| rung.level).fold(f64::INFINITY, f64::min);
    // Rungs that fall on one line of dots are drawn once.
    let mut drawn = BTreeSet::new();
    let mut last_label = f64::INFINITY;
    let mut ordered: Vec<&&Rung> =
        rungs.iter().filter(|rung| rung.level == 0.0 || Scale::Log.shows(rung.level)).collect();
    ordered.sort_by(|a, b| a.level.total_cmp(&b.level));
    for rung in ordered {
        let x = frame.at(rung.column as f64, 1.0).0;
        let y = if rung.level == 0.0 { frame.top + frame.height + GROUND - 10.0 } else { frame.at(0.0, rung.level).1 };
        if !drawn.insert((2.0 * y).round() as i64) {
            continue;
        }
        let (colour, width) = if rung.level == lowest { (Colour::ORANGE, 3.0) } else { (Colour::BLUE, 1.6) };
        figure.line(vec![(x - half, y), (x + half, y)], colour, width);
        if labelled && last_label - y > 12.0 {
            figure.coloured_text((x + half + 4.0, y - 3.0), rung.label.clone(), 10.0, Anchor::Start, Colour::Soft);
            last_label = y;
        }
    }
}

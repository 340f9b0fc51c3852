//! Lines of equal value of a function of two variables, with points and paths on top.

use std::collections::BTreeMap;

use super::axis::{AxisFrame, DrawnAxis, label_width};
use super::lines::Series;
use super::{Anchor, Colour, Figure, TICK, TITLE, short_number, shortened, text_width};
use crate::linalg::Matrix;

/// Values on a grid: entry (i, j) belongs to the i-th of equally spaced y and the j-th x, from the least.
/// [`contours`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// From where to where x goes.
    pub x: (f64, f64),
    /// From where to where y goes.
    pub y: (f64, f64),
    /// At least 2×2; cells with a value that is not finite are left out.
    pub values: Matrix,
}

/// A point with a name. [`contours`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// What it is.
    pub name: String,
    /// Where it is.
    pub at: (f64, f64),
}

const SIDE: f64 = 520.0;
const LEGEND: f64 = 150.0;

/// Contours at the given values; those of `special` are thick and orange, and have a name.
///
/// ```
/// use shallows::draw::{Field, Ground, Mark, contours};
/// use shallows::linalg::Matrix;
///
/// // x² + y² on [−1, 1]², with the unit circle named.
/// let at = |i: usize| i as f64 / 10.0 - 1.0;
/// let values = Matrix::from_fn(21, 21, |i, j| at(i).powi(2) + at(j).powi(2));
/// let field = Field { x: (-1.0, 1.0), y: (-1.0, 1.0), values };
/// let centre = Mark { name: "minimum".into(), at: (0.0, 0.0) };
/// let figure = contours("A bowl", ("x", "y"), &field, &[0.25, 0.5], Some((1.0, "the circle")), (&[centre], &[]));
/// assert!(figure.svg(Ground::White).contains("the circle"));
/// ```
pub fn contours(
    title: &str,
    captions: (&str, &str),
    field: &Field,
    levels: &[f64],
    special: Option<(f64, &str)>,
    (marks, paths): (&[Mark], &[Series]),
) -> Figure {
    let (x, y) = (DrawnAxis::between(field.x), DrawnAxis::between(field.y));
    // One unit is as long upwards as it is sideways, as far as the page allows.
    let ratio = ((field.y.1 - field.y.0) / (field.x.1 - field.x.0)).clamp(0.6, 1.3);
    let ratio = if ratio.is_finite() { ratio } else { 1.0 };
    let (left, top) = (38.0 + label_width(&y), 58.0);
    let frame = AxisFrame { left, top, width: SIDE, height: SIDE * ratio, x, y };
    let mut figure = Figure::new(left + SIDE + LEGEND, top + frame.height + 48.0, title);
    figure.text((left, 20.0), title, TITLE, Anchor::Start);
    let entries: Vec<(&str, Colour)> = paths.iter().map(|path| (path.name.as_str(), path.colour)).collect();
    figure.legend((left, 42.0), &entries);
    frame.draw(&mut figure, captions.0, captions.1);
    draw_levels(&mut figure, &frame, field, levels, special);
    let room = -1e-9..=1.0 + 1e-9;
    let inside = |x: f64, y: f64| room.contains(&frame.x.share(x)) && room.contains(&frame.y.share(y));
    let marks: Vec<&Mark> = marks.iter().filter(|mark| inside(mark.at.0, mark.at.1)).collect();
    marks.iter().for_each(|mark| draw_name(&mut figure, &frame, mark));
    for path in paths {
        let points: Vec<(f64, f64)> =
            path.points.iter().filter(|(x, y)| inside(*x, *y)).map(|(x, y)| frame.at(*x, *y)).collect();
        if let Some(first) = points.first() {
            figure.circle(*first, 4.0, path.colour, 1.0);
        }
        figure.line(points, path.colour, 2.2);
    }
    for mark in marks {
        let place = frame.at(mark.at.0, mark.at.1);
        figure.circle(place, 5.0, Colour::Rgb(255, 255, 255), 1.0);
        figure.circle(place, 3.6, Colour::Rgb(20, 20, 20), 1.0);
    }
    figure
}

/// The contours and what they stand for.
fn draw_levels(figure: &mut Figure, frame: &AxisFrame, field: &Field, levels: &[f64], special: Option<(f64, &str)>) {
    for (at, level) in levels.iter().enumerate() {
        let colour = sequential(at as f64 / (levels.len().max(2) - 1) as f64);
        draw_level(figure, frame, field, *level, (colour, 1.2));
        legend_line(figure, frame, at + 1, (colour, 1.2), &short_number(*level));
    }
    figure.coloured_text(
        (frame.left + SIDE + 14.0, frame.top + 8.0),
        "value on a line",
        TICK,
        Anchor::Start,
        Colour::Soft,
    );
    if let Some((level, name)) = special {
        draw_level(figure, frame, field, level, (Colour::ORANGE, 2.6));
        legend_line(figure, frame, levels.len() + 2, (Colour::ORANGE, 2.6), name);
        legend_line(figure, frame, levels.len() + 3, (Colour::Rgb(255, 255, 255), 0.0), &short_number(level));
    }
}

fn draw_name(figure: &mut Figure, frame: &AxisFrame, mark: &Mark) {
    let (x, y) = frame.at(mark.at.0, mark.at.1);
    let name = shortened(&mark.name, 30);
    let width = text_width(&name, TICK);
    // To the left where there is no room on the right.
    let fits = x + 9.0 + width < frame.left + frame.width;
    let start = if fits { x + 8.0 } else { x - 8.0 - width };
    figure.rectangle((start - 2.0, y - 17.0), (width, 14.0), Colour::Rgb(255, 255, 255));
    let (place, anchor) = if fits { (x + 8.0, Anchor::Start) } else { (x - 8.0, Anchor::End) };
    figure.coloured_text((place, y - 6.0), name, TICK, anchor, Colour::Rgb(20, 20, 20));
}

fn legend_line(figure: &mut Figure, frame: &AxisFrame, row: usize, (colour, width): (Colour, f64), name: &str) {
    let (x, y) = (frame.left + frame.width + 14.0, frame.top + 8.0 + 17.0 * row as f64);
    figure.line(vec![(x, y - 4.0), (x + 22.0, y - 4.0)], colour, width.max(0.1));
    figure.coloured_text((x + 28.0, y), shortened(name, 18), TICK, Anchor::Start, Colour::Soft);
}

fn draw_level(figure: &mut Figure, frame: &AxisFrame, field: &Field, level: f64, (colour, width): (Colour, f64)) {
    let (rows, cols) = (field.values.rows(), field.values.cols());
    let place = |&(i, j): &(f64, f64)| {
        let along = |(from, to): (f64, f64), share: f64| from + (to - from) * share;
        frame.at(along(field.x, j / (cols - 1) as f64), along(field.y, i / (rows - 1) as f64))
    };
    for line in isolines(&field.values, level) {
        figure.line(line.iter().map(place).collect(), colour, width);
    }
}

/// An edge of the grid: from (i, j) to the right, or upwards.
type GridEdge = (usize, usize, bool);

/// Where the linear interpolation along edges has the value, joined to lines; points are (row, column).
fn isolines(values: &Matrix, level: f64) -> Vec<Vec<(f64, f64)>> {
    let mut neighbours: BTreeMap<GridEdge, Vec<GridEdge>> = BTreeMap::new();
    for i in 0..values.rows().saturating_sub(1) {
        for j in 0..values.cols().saturating_sub(1) {
            for (from, to) in segments(values, level, i, j) {
                neighbours.entry(from).or_default().push(to);
                neighbours.entry(to).or_default().push(from);
            }
        }
    }
    let mut lines = Vec::new();
    // Open lines from their ends first, then what is left, which is closed.
    for open in [true, false] {
        let starts: Vec<GridEdge> =
            neighbours.iter().filter(|(_, next)| !open || next.len() == 1).map(|(at, _)| *at).collect();
        for start in starts {
            let mut line = vec![start];
            let mut at = start;
            while let Some(next) = neighbours.get_mut(&at).and_then(Vec::pop) {
                if let Some(back) = neighbours.get_mut(&next)
                    && let Some(place) = back.iter().position(|edge| *edge == at)
                {
                    back.swap_remove(place);
                }
                line.push(next);
                at = next;
            }
            if line.len() > 1 {
                lines.push(line.iter().map(|edge| crossing(values, level, *edge)).collect());
            }
        }
    }
    lines
}

/// The pieces of a line within one cell; of two ways through a saddle the mean of the corners decides.
fn segments(values: &Matrix, level: f64, i: usize, j: usize) -> Vec<(GridEdge, GridEdge)> {
    let corners = [values[(i, j)], values[(i, j + 1)], values[(i + 1, j + 1)], values[(i + 1, j)]];
    if corners.iter().any(|x| !x.is_finite()) {
        return vec![];
    }
    let edges: [GridEdge; 4] = [(i, j, true), (i, j + 1, false), (i + 1, j, true), (i, j, false)];
    let above = corners.map(|x| x >= level);
    let crossed: Vec<GridEdge> = (0..4).filter(|&at| above[at] != above[(at + 1) % 4]).map(|at| edges[at]).collect();
    match crossed[..] {
        [a, b] => vec![(a, b)],
        [a, b, c, d] => {
            let middle = corners.iter().map(|x| 0.25 * x).sum::<f64>() >= level;
            // Edges a, b meet at the corner after the first, which is cut off unless it is joined to the middle.
            if middle == above[1] { vec![(a, d), (b, c)] } else { vec![(a, b), (c, d)] }
        }
        _ => vec![],
    }
}

fn crossing(values: &Matrix, level: f64, (i, j, right): GridEdge) -> (f64, f64) {
    let (from, to) = (values[(i, j)], if right { values[(i, j + 1)] } else { values[(i + 1, j)] });
    let share = ((level - from) / (to - from)).clamp(0.0, 1.0);
    let share = if share.is_finite() { share } else { 0.5 };
    if right { (i as f64, j as f64 + share) } else { (i as f64 + share, j as f64) }
}

/// From dark violet to green, lightness rising: told apart without telling hues apart.
fn sequential(share: f64) -> Colour {
    const STOPS: [[f64; 3]; 5] =
        [[68.0, 1.0, 84.0], [59.0, 82.0, 139.0], [33.0, 145.0, 140.0], [94.0, 190.0, 98.0], [165.0, 200.0, 60.0]];
    let place = share.clamp(0.0, 1.0) * 4.0;
    let at = (place.floor() as usize).min(3);
    let mix = |c: usize| (STOPS[at][c] + (place - at as f64) * (STOPS[at + 1][c] - STOPS[at][c])).round() as u8;
    Colour::Rgb(mix(0), mix(1), mix(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_one_closed_line_on_the_circle() {
        let values = Matrix::from_fn(41, 41, |i, j| {
            let (x, y) = (i as f64 / 20.0 - 1.0, j as f64 / 20.0 - 1.0);
            x * x + y * y
        });
        let lines = isolines(&values, 0.49);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        for (i, j) in &lines[0] {
            let radius = (i / 20.0 - 1.0).hypot(j / 20.0 - 1.0);
            assert!((radius - 0.7).abs() < 2e-3, "{radius}");
        }
        assert!(isolines(&values, 5.0).is_empty());
    }

    #[test]
    fn a_plane_is_cut_in_one_open_line_and_a_saddle_in_two_that_do_not_cross() {
        let plane = Matrix::from_fn(5, 7, |i, _| i as f64);
        let lines = isolines(&plane, 1.5);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].len() == 7 && lines[0].iter().all(|(i, _)| *i == 1.5));
        let saddle = Matrix::from_fn(2, 2, |i, j| if i == j { 1.0 } else { -1.0 });
        assert_eq!(isolines(&saddle, 0.1).len(), 2);
        let gap = Matrix::from_fn(3, 3, |i, j| if i == 1 && j == 1 { f64::NAN } else { i as f64 });
        assert!(isolines(&gap, 0.5).is_empty());
    }
}

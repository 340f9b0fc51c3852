//! A map of shares between 0 and 1 over a grid, with a colour bar and curves on top.

use super::curves::{LEADING, LegendKey, draw_keys, packed};
use super::{Anchor, Colour, Figure, LABEL, Series, TICK, TITLE, short_number, text_width};

/// Numbers are written into the cells of maps with at most so many columns.
const MOST_WITH_NUMBERS: usize = 14;

/// Shares over a grid: `values[row][column]` belongs to `ys[row]` and `xs[column]`, which rise; `None` where nothing is
/// known. Curves are in the units of the axes, dashed, and cut at the edge and where a coordinate is NaN.
///
/// ```
/// use shallows::draw::{Ground, grid_map};
///
/// let values = [vec![Some(0.0), Some(0.5)], vec![Some(1.0), None]];
/// let figure = grid_map("Success", ("n/d", "k/d"), (&[1.0, 2.0], &[0.5, 1.0]), &values, &[]);
/// assert!(figure.svg(Ground::White).contains("Success"));
/// ```
pub fn grid_map(
    title: &str,
    captions: (&str, &str),
    (xs, ys): (&[f64], &[f64]),
    values: &[Vec<Option<f64>>],
    curves: &[Series],
) -> Figure {
    let cell = (560.0 / xs.len().max(1) as f64).min(420.0 / ys.len().max(1) as f64).clamp(8.0, 48.0);
    let (width, height) = (cell * xs.len() as f64, cell * ys.len() as f64);
    let widest = ys.iter().map(|y| text_width(&short_number(*y), TICK)).fold(0.0, f64::max);
    let left = 46.0 + widest;
    let heading = if title.contains('\n') { 42.0 } else { 24.0 };
    let bar = left + width + 22.0;
    let keys = curves.iter().map(|curve| LegendKey { label: &curve.name, colour: curve.colour, dashed: true });
    let keys = packed(keys.map(|key| (key.width(), key)), bar + 80.0 - left);
    let top = heading + 14.0 + LEADING * keys.len() as f64;
    let lines = title.lines().map(|line| text_width(line, TITLE)).fold(0.0, f64::max);
    let page = (bar + 80.0).max(left + lines + 16.0);
    let mut figure = Figure::new(page, top + height.max(120.0) + 50.0, title);
    figure.heading(left, title);
    for (at, row) in keys.iter().enumerate() {
        draw_keys(&mut figure, (left, heading + 2.0 + LEADING * (at as f64 + 1.0)), row);
    }
    draw_cells(&mut figure, (left, top + height), cell, values);
    labels(&mut figure, (left, top + height), cell, (xs, ys));
    figure.text((left + width / 2.0, top + height + 36.0), captions.0, LABEL, Anchor::Middle);
    figure.upward_text((left - 16.0 - widest, top + height / 2.0), captions.1, LABEL, Anchor::Middle, Colour::Ink);
    for curve in curves {
        draw_curve(&mut figure, (left, top + height), cell, (xs, ys), curve);
    }
    if xs.len() <= MOST_WITH_NUMBERS && cell >= 24.0 {
        numbers(&mut figure, (left, top + height), cell, values);
    }
    colour_bar(&mut figure, (bar, top), height.clamp(120.0, 300.0));
    figure
}

fn draw_cells(figure: &mut Figure, (left, bottom): (f64, f64), cell: f64, values: &[Vec<Option<f64>>]) {
    for (row, line) in values.iter().enumerate() {
        for (column, value) in line.iter().enumerate() {
            let at = (left + cell * column as f64, bottom - cell * (row as f64 + 1.0));
            let colour = value.map_or(Colour::Rgb(225, 225, 225), sequential);
            // A little less than the cell, so that neighbours stay apart.
            figure.rectangle(at, (cell - 0.6, cell - 0.6), colour);
        }
    }
}

fn draw_curve(figure: &mut Figure, (left, bottom): (f64, f64), cell: f64, (xs, ys): (&[f64], &[f64]), curve: &Series) {
    let inside = |(x, y): &(f64, f64)| Some((position(xs, *x)?, position(ys, *y)?));
    let places: Vec<Option<(f64, f64)>> = curve.points.iter().map(inside).collect();
    for piece in places.split(Option::is_none) {
        let piece: Vec<(f64, f64)> = piece.iter().flatten().copied().collect();
        let path = match piece[..] {
            // Across its cell.
            [(x, y)] => vec![(x, y - 0.5), (x, y + 0.5)],
            _ => piece,
        };
        let path: Vec<(f64, f64)> = path.iter().map(|(x, y)| (left + cell * x, bottom - cell * y)).collect();
        figure.line(path.clone(), Colour::Rgb(255, 255, 255), 3.6);
        figure.dashed_line(path, curve.colour, 2.0);
    }
}

fn numbers(figure: &mut Figure, (left, bottom): (f64, f64), cell: f64, values: &[Vec<Option<f64>>]) {
    for (row, line) in values.iter().enumerate() {
        for (column, value) in line.iter().enumerate().filter_map(|(column, value)| Some((column, (*value)?))) {
            let place = (left + cell * (column as f64 + 0.5), bottom - cell * (row as f64 + 0.5) + 3.5);
            figure.coloured_text(place, format!("{value:.2}"), 10.0, Anchor::Middle, readable_on(value));
        }
    }
}

/// Ticks below and to the left, as many as can be read.
fn labels(figure: &mut Figure, (left, bottom): (f64, f64), cell: f64, (xs, ys): (&[f64], &[f64])) {
    let widest = xs.iter().map(|x| text_width(&short_number(*x), TICK)).fold(0.0, f64::max);
    let every = ((widest + 4.0) / cell).ceil().max(1.0) as usize;
    for (at, x) in xs.iter().enumerate().step_by(every) {
        let middle = left + cell * (at as f64 + 0.5);
        figure.coloured_text((middle, bottom + 15.0), short_number(*x), TICK, Anchor::Middle, Colour::Soft);
    }
    let every = (14.0 / cell).ceil().max(1.0) as usize;
    for (at, y) in ys.iter().enumerate().step_by(every) {
        let middle = bottom - cell * (at as f64 + 0.5) + 4.0;
        figure.coloured_text((left - 6.0, middle), short_number(*y), TICK, Anchor::End, Colour::Soft);
    }
}

/// Where a value lies in units of cells, the middle of the first being ½; `None` outside.
fn position(values: &[f64], x: f64) -> Option<f64> {
    let (first, last) = (*values.first()?, *values.last()?);
    let after = values.iter().position(|value| *value >= x);
    match after {
        Some(0) => {
            let step = values.get(1).map_or(1.0, |next| next - first);
            Some(0.5 - (first - x) / step).filter(|place| *place >= 0.0)
        }
        Some(at) => Some(at as f64 - 0.5 + (x - values[at - 1]) / (values[at] - values[at - 1])),
        None => {
            let step = values.len().checked_sub(2).map_or(1.0, |at| last - values[at]);
            let count = values.len() as f64;
            Some(count - 0.5 + (x - last) / step).filter(|place| *place <= count)
        }
    }
}

fn colour_bar(figure: &mut Figure, (x, y): (f64, f64), height: f64) {
    const WIDTH: f64 = 14.0;
    const STEPS: usize = 100;
    let step = height / STEPS as f64;
    for i in 0..STEPS {
        let value = 1.0 - (i as f64 + 0.5) / STEPS as f64;
        // Overlapping a little, so that no seams are seen.
        figure.rectangle((x, y + step * i as f64), (WIDTH, step + 0.4), sequential(value));
    }
    for share in [1.0, 0.75, 0.5, 0.25, 0.0] {
        let at = y + height * (1.0 - share);
        figure.line(vec![(x + WIDTH, at), (x + WIDTH + 4.0, at)], Colour::Soft, 1.0);
        figure.coloured_text((x + WIDTH + 8.0, at + 4.0), short_number(share), TICK, Anchor::Start, Colour::Soft);
    }
}

/// From dark violet over green to yellow: rising in lightness, so also for those who do not see colours.
pub(crate) fn sequential(share: f64) -> Colour {
    const STOPS: [[f64; 3]; 5] =
        [[68.0, 1.0, 84.0], [59.0, 82.0, 139.0], [33.0, 145.0, 140.0], [94.0, 201.0, 98.0], [253.0, 231.0, 37.0]];
    let place = 4.0 * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let at = (place.floor() as usize).min(STOPS.len() - 2);
    let between = place - at as f64;
    let mix = |c: usize| (STOPS[at][c] + between * (STOPS[at + 1][c] - STOPS[at][c])).round() as u8;
    Colour::Rgb(mix(0), mix(1), mix(2))
}

fn readable_on(share: f64) -> Colour {
    if share > 0.6 { Colour::Rgb(30, 30, 30) } else { Colour::Rgb(255, 255, 255) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lie_between_the_middles_of_cells_and_not_outside() {
        let values = [2.0, 4.0, 8.0];
        for (x, place) in [(2.0, 0.5), (3.0, 1.0), (4.0, 1.5), (6.0, 2.0), (8.0, 2.5), (1.0, 0.0), (10.0, 3.0)] {
            assert_eq!(position(&values, x), Some(place), "{x}");
        }
        assert_eq!((position(&values, 0.9), position(&values, 10.1), position(&[], 1.0)), (None, None, None));
        assert_eq!(position(&[5.0], 5.0), Some(0.5));
    }

    #[test]
    fn lightness_rises_with_the_share() {
        let light = |share: f64| match sequential(share) {
            Colour::Rgb(r, g, b) => 0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b),
            _ => f64::NAN,
        };
        assert!((0..20).all(|i| light(i as f64 / 20.0) < light((i + 1) as f64 / 20.0)));
        assert_eq!(sequential(f64::NAN), sequential(0.0));
    }
}

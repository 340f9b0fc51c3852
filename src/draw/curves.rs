//! Points with intervals, curves beside them, and upright lines to compare with.

use super::axis::{AxisFrame, DrawnAxis, Scale, label_width};
use super::{Anchor, Colour, Figure, LONGEST_ENTRY, TICK, shortened, text_width};

/// A measured value with its interval. [`measured`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Where.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Points of one kind, and a curve that belongs to them. [`measured`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurements {
    /// What they are.
    pub name: String,
    /// Their colour.
    pub colour: Colour,
    /// The points; those that are not finite are left out. Intervals with an end that the axis cannot show, such as ∞, go
    /// to its edge and have no cap there.
    pub marks: Vec<Measured>,
    /// The curve, from left to right; empty for none.
    pub curve: Vec<(f64, f64)>,
    /// Dashed for theory and what others have published.
    pub dashed: bool,
}

/// An upright line. [`measured`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Upright {
    /// Where.
    pub x: f64,
    /// Its interval, as a shade.
    pub span: Option<(f64, f64)>,
    /// What it is; a line without a label is not explained.
    pub label: String,
    /// Its colour.
    pub colour: Colour,
    /// Dashed for theory and what others have published.
    pub dashed: bool,
}

const WIDTH: f64 = 640.0;
/// The height of the plot itself.
const PLOT: f64 = 310.0;
/// The length of the piece of line in a legend.
const KEY: f64 = 22.0;
/// Between the lines of a legend.
pub(super) const LEADING: f64 = 17.0;
/// The width of a legend.
const ROOM: f64 = WIDTH - 90.0;

/// Points with error bars in one plot; what follows a line break in the title is set smaller; y is shown at least
/// over the range.
///
/// ```
/// use shallows::draw::{Colour, Ground, Measured, Measurements, Scale, Upright, measured};
///
/// let marks = vec![Measured { x: 1.0, y: 0.5, low: 0.4, high: 0.6 }, Measured { x: 2.0, y: 0.9, low: 0.8, high: 1.0 }];
/// let kind = Measurements { name: "success".into(), colour: Colour::BLUE, marks, curve: vec![], dashed: false };
/// let line = Upright { x: 1.5, span: None, label: "theory".into(), colour: Colour::Ink, dashed: true };
/// let figure = measured("A threshold", ("n/d", "share"), (Scale::Linear, Scale::Linear), Some((0.0, 1.0)), &[kind], &[line]);
/// assert!(figure.svg(Ground::White).contains("theory"));
/// ```
pub fn measured(
    title: &str,
    captions: (&str, &str),
    scales: (Scale, Scale),
    range: Option<(f64, f64)>,
    kinds: &[Measurements],
    uprights: &[Upright],
) -> Figure {
    let rows = legend_rows(kinds);
    let heading = if title.contains('\n') { 42.0 } else { 24.0 };
    let keys = key_rows(kinds, uprights);
    let room = LEADING * (rows.len() + keys.len()) as f64;
    let top = heading + 14.0 + room;
    let mut figure = Figure::new(WIDTH, PLOT + top + 48.0, title);
    let marks = || kinds.iter().flat_map(|kind| &kind.marks).filter(|mark| scales.0.shows(mark.x));
    let shown = |&&(x, y): &&(f64, f64)| scales.0.shows(x) && scales.1.shows(y);
    let points = || kinds.iter().flat_map(|kind| &kind.curve).filter(shown);
    let lines = uprights.iter().map(|upright| upright.x);
    let x = DrawnAxis::around(marks().map(|mark| mark.x).chain(points().map(|(x, _)| *x)).chain(lines), scales.0);
    let ends = range.into_iter().flat_map(|(low, high)| [low, high]);
    let values = marks().flat_map(|mark| [mark.y, mark.low, mark.high]).chain(points().map(|(_, y)| *y));
    let y = DrawnAxis::around(values.chain(ends), scales.1);
    let left = 38.0 + label_width(&y);
    let frame = AxisFrame { left, top, width: WIDTH - left - 24.0, height: PLOT, x, y };
    let below = figure.heading(left, title);
    for (at, row) in rows.iter().enumerate() {
        figure.legend((left, below + LEADING * (at as f64 + 1.0)), row);
    }
    for (at, row) in keys.iter().enumerate() {
        draw_keys(&mut figure, (left, below + LEADING * ((rows.len() + at) as f64 + 1.0)), row);
    }
    draw_shades(&mut figure, &frame, uprights);
    frame.draw(&mut figure, captions.0, captions.1);
    kinds.iter().for_each(|kind| draw_kind(&mut figure, &frame, kind, scales));
    draw_uprights(&mut figure, &frame, uprights);
    figure
}

fn draw_kind(figure: &mut Figure, frame: &AxisFrame, kind: &Measurements, scales: (Scale, Scale)) {
    let shown = |x: f64, y: f64| scales.0.shows(x) && scales.1.shows(y);
    let path = kind.curve.iter().filter(|(x, y)| shown(*x, *y)).map(|(x, y)| frame.at(*x, *y)).collect();
    if kind.dashed {
        figure.dashed_line(path, kind.colour, 2.0);
    } else {
        figure.line(path, kind.colour, 2.0);
    }
    let marks = kind.marks.iter().filter(|mark| shown(mark.x, mark.y));
    marks.for_each(|mark| draw_mark(figure, frame, mark, scales.1, kind.colour));
}

/// The entries of a legend, as many in a row as fit.
fn legend_rows(kinds: &[Measurements]) -> Vec<Vec<(&str, Colour)>> {
    let named = kinds.iter().filter(|kind| !kind.name.is_empty() && !kind.dashed && !kind.marks.is_empty());
    let entries = named.map(|kind| (13.0 + text_width(&shortened(&kind.name, LONGEST_ENTRY), TICK) + 16.0, kind));
    packed(entries, ROOM)
        .into_iter()
        .map(|row| row.iter().map(|kind| (kind.name.as_str(), kind.colour)).collect())
        .collect()
}

/// A piece of line in a legend, and what it means.
pub(super) struct LegendKey<'a> {
    pub label: &'a str,
    pub colour: Colour,
    pub dashed: bool,
}

/// The lines that are explained, as many in a row as fit.
fn key_rows<'a>(kinds: &'a [Measurements], uprights: &'a [Upright]) -> Vec<Vec<LegendKey<'a>>> {
    let bare = kinds.iter().filter(|kind| kind.dashed || kind.marks.is_empty());
    let curves = bare.map(|kind| LegendKey { label: &kind.name, colour: kind.colour, dashed: kind.dashed });
    let key =
        |upright: &'a Upright| LegendKey { label: &upright.label, colour: upright.colour, dashed: upright.dashed };
    let keys = curves.chain(uprights.iter().map(key)).filter(|key| !key.label.is_empty());
    packed(keys.map(|key| (key.width(), key)), ROOM)
}

impl LegendKey<'_> {
    pub(super) fn width(&self) -> f64 {
        KEY + 7.0 + text_width(&shortened(self.label, LONGEST_ENTRY), TICK) + 16.0
    }
}

/// Entries of known widths in rows of a width.
pub(super) fn packed<T>(entries: impl Iterator<Item = (f64, T)>, room: f64) -> Vec<Vec<T>> {
    let mut rows: Vec<Vec<T>> = Vec::new();
    let mut used = f64::INFINITY;
    for (width, entry) in entries {
        if used + width > room {
            rows.push(vec![]);
            used = 0.0;
        }
        used += width;
        if let Some(row) = rows.last_mut() {
            row.push(entry);
        }
    }
    rows
}

/// Pieces of lines and what they mean, from left to right.
pub(super) fn draw_keys(figure: &mut Figure, (mut x, y): (f64, f64), row: &[LegendKey<'_>]) {
    for key in row {
        let path = vec![(x, y - 4.0), (x + KEY, y - 4.0)];
        if key.dashed {
            figure.dashed_line(path, key.colour, 2.0);
        } else {
            figure.line(path, key.colour, 2.0);
        }
        let label = shortened(key.label, LONGEST_ENTRY);
        figure.coloured_text((x + KEY + 7.0, y), label, TICK, Anchor::Start, Colour::Soft);
        x += key.width();
    }
}

fn draw_mark(figure: &mut Figure, frame: &AxisFrame, mark: &Measured, scale: Scale, colour: Colour) {
    const HALF_CAP: f64 = 3.0;
    let (x, y) = frame.at(mark.x, mark.y);
    for (end, edge) in [(mark.low, frame.top + frame.height), (mark.high, frame.top)] {
        if scale.shows(end) {
            let y = frame.at(mark.x, end).1;
            figure.line(vec![(x - HALF_CAP, y), (x + HALF_CAP, y)], colour, 1.2);
        }
        if !end.is_nan() {
            let end = if scale.shows(end) { frame.at(mark.x, end).1 } else { edge };
            figure.line(vec![(x, y), (x, end)], colour, 1.2);
        }
    }
    figure.circle((x, y), 3.4, colour, 1.0);
}

fn draw_shades(figure: &mut Figure, frame: &AxisFrame, uprights: &[Upright]) {
    let (from, to) = frame.x.ends();
    for (low, high) in uprights.iter().filter_map(|upright| upright.span) {
        let (low, high) = (low.max(from), high.min(to));
        if low < high {
            let (left, right) = (frame.at(low, 0.0).0, frame.at(high, 0.0).0);
            figure.rectangle((left, frame.top), (right - left, frame.height), Colour::Faint);
        }
    }
}

/// Lines over the whole height.
fn draw_uprights(figure: &mut Figure, frame: &AxisFrame, uprights: &[Upright]) {
    let (from, to) = frame.x.ends();
    let bottom = frame.top + frame.height;
    for upright in uprights.iter().filter(|upright| upright.x.is_finite() && upright.x >= from && upright.x <= to) {
        let x = frame.left + frame.width * frame.x.share(upright.x);
        let path = vec![(x, frame.top), (x, bottom)];
        if upright.dashed {
            figure.dashed_line(path, upright.colour, 1.6);
        } else {
            figure.line(path, upright.colour, 1.2);
        }
    }
}

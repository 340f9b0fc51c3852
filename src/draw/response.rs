//! What a prediction does as one column moves, or two: curves, bars of words and maps, with the rows underneath.

use std::collections::BTreeMap;

use super::axis::{AxisFrame, DrawnAxis, Scale, label_width};
use super::heat::diverging;
use super::{Anchor, Colour, Figure, LABEL, TICK, TITLE, short_number, shortened, text_width};
use crate::linalg::Matrix;

/// The places of a column. [`response_curve`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub enum ResponseAxis {
    /// Rising numbers.
    Numbers(Vec<f64>),
    /// Words; rows stand at their numbers, from 0.
    Words(Vec<String>),
}

/// What a prediction does along one column. [`response_curve`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The column.
    pub column: String,
    /// What is predicted.
    pub target: String,
    /// Where the column was put.
    pub places: ResponseAxis,
    /// The prediction at each place.
    pub values: Vec<f64>,
    /// The mean prediction.
    pub level: f64,
    /// The prediction where the column has a gap.
    pub missing: Option<f64>,
    /// Where the rows are; those that are not finite are left out.
    pub rows: Vec<f64>,
    /// From where to where predictions are shown at least.
    pub range: Option<(f64, f64)>,
}

/// What a prediction does along two columns. [`response_map`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseMap {
    /// Above the map; what follows a line break is set smaller.
    pub title: String,
    /// The columns, the first to the right and the second upwards.
    pub columns: [String; 2],
    /// Where they were put.
    pub axes: [ResponseAxis; 2],
    /// The prediction at each place of the first and of the second column.
    pub values: Matrix,
    /// The value that is white.
    pub middle: f64,
    /// Where the rows are.
    pub rows: Vec<(f64, f64)>,
}

const WIDTH: f64 = 460.0;
const PLOT: f64 = 230.0;
/// The side of a map.
const SIDE: f64 = 330.0;
/// How much of the height the rows take.
const ROWS: f64 = 0.18;
/// Bars of rows below a curve.
const BINS: usize = 40;
/// Pieces of the side of a map, about.
const PIECES: f64 = 44.0;
/// Points of a map.
const MOST_POINTS: usize = 1500;
/// Characters of a word at an axis.
const LONGEST_WORD: usize = 18;
const LONGEST_TITLE: usize = 52;
const ROWS_COLOUR: Colour = Colour::Rgb(205, 208, 214);

impl ResponseAxis {
    fn len(&self) -> usize {
        match self {
            ResponseAxis::Numbers(numbers) => numbers.len(),
            ResponseAxis::Words(words) => words.len(),
        }
    }

    fn words(&self) -> Option<Vec<String>> {
        match self {
            ResponseAxis::Numbers(_) => None,
            ResponseAxis::Words(words) => Some(words.iter().map(|word| shortened(word, LONGEST_WORD)).collect()),
        }
    }

    fn drawn(&self) -> DrawnAxis {
        match (self, self.words()) {
            (_, Some(words)) => DrawnAxis::of_words(&words),
            (ResponseAxis::Numbers(numbers), _) => DrawnAxis::around(numbers.iter().copied(), Scale::Linear),
            (ResponseAxis::Words(_), None) => DrawnAxis::of_words(&[]),
        }
    }

    /// Where each place is on the axis.
    fn positions(&self) -> Vec<f64> {
        match self {
            ResponseAxis::Numbers(numbers) => numbers.clone(),
            ResponseAxis::Words(words) => (0..words.len()).map(|at| at as f64).collect(),
        }
    }

    /// The pieces that a map is painted in: from where to where, and between which places how far.
    fn pieces(&self) -> Vec<MapPiece> {
        match self {
            ResponseAxis::Numbers(numbers) if numbers.len() > 1 => {
                let reach = numbers[numbers.len() - 1] - numbers[0];
                let interval = |low: usize| {
                    let length = numbers[low + 1] - numbers[low];
                    let count = (PIECES * length / reach).ceil().clamp(1.0, PIECES);
                    (0..count as usize).map(move |part| {
                        let along = |part: f64| numbers[low] + length * part / count;
                        let (part, high) = (part as f64, low + 1);
                        MapPiece { from: along(part), to: along(part + 1.0), low, high, share: (part + 0.5) / count }
                    })
                };
                (0..numbers.len() - 1).flat_map(interval).collect()
            }
            _ => {
                let piece =
                    |(at, x): (usize, f64)| MapPiece { from: x - 0.5, to: x + 0.5, low: at, high: at, share: 0.0 };
                self.positions().into_iter().enumerate().map(piece).collect()
            }
        }
    }

    /// The first places of the bands of the axis on which a row stands: two where it stands on a border.
    fn bands(&self, x: f64) -> Vec<usize> {
        match self {
            ResponseAxis::Numbers(numbers) if numbers.len() > 1 => {
                (0..numbers.len() - 1).filter(|&low| numbers[low] <= x && x <= numbers[low + 1]).collect()
            }
            _ => self.positions().iter().position(|at| *at == x).into_iter().collect(),
        }
    }
}

/// A stretch of an axis of a map.
#[derive(Clone, Copy)]
struct MapPiece {
    from: f64,
    to: f64,
    low: usize,
    high: usize,
    share: f64,
}

/// A curve over numbers, or bars over words, with the rows as grey bars below and the mean prediction as a dashed line.
///
/// ```
/// use shallows::draw::{Ground, Response, ResponseAxis, response_curve};
///
/// let response = Response {
///     column: "age".into(),
///     target: "price".into(),
///     places: ResponseAxis::Numbers(vec![0.0, 5.0, 10.0]),
///     values: vec![9.0, 6.0, 5.0],
///     level: 6.5,
///     missing: None,
///     rows: vec![0.0, 1.0, 1.0, 5.0, 10.0],
///     range: None,
/// };
/// assert!(response_curve(&response).svg(Ground::White).contains("price"));
/// let words = ResponseAxis::Words(vec!["red".into(), "blue".into(), "green".into()]);
/// let words = Response { places: words, rows: vec![0.0, 0.0, 1.0, 2.0], ..response };
/// assert!(response_curve(&words).svg(Ground::White).contains("green"));
/// ```
pub fn response_curve(response: &Response) -> Figure {
    let Response { column, target, places, values, level, missing, rows, range } = response;
    let top = 50.0;
    let shown = values.iter().copied().chain([*level]).chain(*missing).chain(range.iter().flat_map(|(a, b)| [*a, *b]));
    let shown: Vec<f64> = shown.filter(|x| x.is_finite()).collect();
    let (least, most) =
        shown.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| (least.min(*x), most.max(*x)));
    // The rows have the lowest part of the plot to themselves.
    let floor = if least < most { least - (most - least) * ROWS / (1.0 - ROWS) } else { least };
    let (x, y) = (places.drawn(), DrawnAxis::around(shown.into_iter().chain([floor]), Scale::Linear));
    let left = 38.0 + label_width(&y);
    let labels = UprightLabels::of(places, (WIDTH - left - 24.0) / places.len().max(1) as f64);
    let frame = AxisFrame { left, top, width: WIDTH - left - 24.0, height: PLOT, x, y };
    let mut figure =
        Figure::new(WIDTH, top + PLOT + 48.0 + labels.depth, &format!("{column}: what it does to {target}"));
    figure.text((left, 20.0), shortened(column, LONGEST_TITLE), TITLE, Anchor::Start);
    response_legend(&mut figure, (left, 40.0), *missing);
    draw_rows(&mut figure, &frame, places, rows);
    draw_frame(&mut figure, frame, labels, (column, &format!("predicted {target}")), |figure, frame| {
        let (start, end) = frame.x.ends();
        let line = |value: f64| vec![frame.at(start, value), frame.at(end, value)];
        figure.dashed_line(line(*level), Colour::Soft, 1.2);
        if let Some(missing) = missing.filter(|x| x.is_finite()) {
            figure.dashed_line(line(missing), Colour::ORANGE, 2.0);
        }
        let points: Vec<(f64, f64)> =
            places.positions().into_iter().zip(values.iter().copied()).filter(|(_, y)| y.is_finite()).collect();
        match places {
            ResponseAxis::Numbers(_) => {
                figure.line(points.iter().map(|(x, y)| frame.at(*x, *y)).collect(), Colour::BLUE, 2.2);
                points.iter().for_each(|(x, y)| figure.circle(frame.at(*x, *y), 2.4, Colour::BLUE, 1.0));
            }
            ResponseAxis::Words(_) => points.iter().for_each(|(x, y)| {
                let ((from, a), (to, b)) = (frame.at(x - 0.28, *y), frame.at(x + 0.28, *level));
                let colour = if y < level { Colour::ORANGE } else { Colour::BLUE };
                figure.rectangle((from, a.min(b)), (to - from, (a - b).abs().max(1.5)), colour);
            }),
        }
    });
    figure
}

/// What the marks of a curve mean.
fn response_legend(figure: &mut Figure, (mut x, y): (f64, f64), missing: Option<f64>) {
    let dashes = [("mean prediction", Colour::Soft)].into_iter().chain(missing.map(|_| ("missing", Colour::ORANGE)));
    for (name, colour) in dashes {
        figure.dashed_line(vec![(x, y - 4.0), (x + 20.0, y - 4.0)], colour, 1.6);
        figure.coloured_text((x + 26.0, y), name, TICK, Anchor::Start, Colour::Soft);
        x += 26.0 + text_width(name, TICK) + 14.0;
    }
    figure.rectangle((x, y - 9.0), (9.0, 9.0), ROWS_COLOUR);
    figure.coloured_text((x + 14.0, y), "rows", TICK, Anchor::Start, Colour::Soft);
}

/// Grey bars for the rows, the highest as high as there is room: at the values where there are few, else over ranges.
fn draw_rows(figure: &mut Figure, frame: &AxisFrame, places: &ResponseAxis, rows: &[f64]) {
    let band = frame.width / places.len().max(1) as f64;
    let mut sorted: Vec<f64> = rows.iter().copied().filter(|x| x.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let mut values = sorted.clone();
    values.dedup();
    let is_apart = |pair: &[f64]| (frame.x.share(pair[1]) - frame.x.share(pair[0])) * BINS as f64 > 1.0;
    let values = if values.windows(2).all(is_apart) { values.len() } else { usize::MAX };
    let (width, bars): (f64, Vec<(f64, usize)>) = match (places, values) {
        (ResponseAxis::Words(_), _) | (_, ..=BINS) => {
            let width = if matches!(places, ResponseAxis::Words(_)) { 0.56 * band } else { frame.width / BINS as f64 };
            (width, sorted.chunk_by(|a, b| a == b).map(|equal| (frame.x.share(equal[0]), equal.len())).collect())
        }
        _ => {
            let bin = |x: f64| ((frame.x.share(x) * BINS as f64) as usize).min(BINS - 1);
            let middle = |x: f64| (bin(x) as f64 + 0.5) / BINS as f64;
            let bars = sorted.chunk_by(|a, b| bin(*a) == bin(*b)).map(|within| (middle(within[0]), within.len()));
            (frame.width / BINS as f64, bars.collect())
        }
    };
    let most = bars.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1) as f64;
    for (share, count) in bars {
        // Few rows are seen too.
        let height = (0.92 * ROWS * frame.height * count as f64 / most).max(1.2);
        let place = (frame.left + frame.width * share - 0.46 * width, frame.top + frame.height - height);
        figure.rectangle(place, (0.92 * width, height), ROWS_COLOUR);
    }
}

/// Words at the axis below that have no room side by side.
struct UprightLabels {
    words: Vec<String>,
    depth: f64,
}

impl UprightLabels {
    fn of(places: &ResponseAxis, room: f64) -> Self {
        let words = places.words().unwrap_or_default();
        let widest = words.iter().map(|word| text_width(word, TICK)).fold(0.0, f64::max);
        match widest + 6.0 > room {
            true => UprightLabels { words, depth: (widest - 8.0).max(0.0) },
            false => UprightLabels { words: vec![], depth: 0.0 },
        }
    }
}

/// Grid, ticks and captions, below or above what `content` draws; words that need it stand upright.
fn draw_frame(
    figure: &mut Figure,
    mut frame: AxisFrame,
    labels: UprightLabels,
    (x, y): (&str, &str),
    content: impl FnOnce(&mut Figure, &AxisFrame),
) {
    if !labels.words.is_empty() {
        frame.x.ticks.iter_mut().for_each(|(_, label)| label.clear());
    }
    frame.draw(figure, "", y);
    let bottom = frame.top + frame.height;
    for (at, word) in labels.words.iter().enumerate() {
        let place = (frame.at(at as f64, 0.0).0 + 4.0, bottom + 6.0);
        figure.upward_text(place, word.clone(), TICK, Anchor::End, Colour::Soft);
    }
    let caption = shortened(x, (frame.width / 7.0) as usize);
    let middle = frame.left + frame.width / 2.0;
    figure.text((middle, bottom + 35.0 + labels.depth), caption, LABEL, Anchor::Middle);
    content(figure, &frame);
}

/// A map over two columns, white at its middle, with the rows as points; blank where no row is near.
///
/// ```
/// use shallows::draw::{Ground, ResponseAxis, ResponseMap, response_map};
/// use shallows::linalg::Matrix;
///
/// let map = ResponseMap {
///     title: "size and colour".into(),
///     columns: ["size".into(), "colour".into()],
///     axes: [ResponseAxis::Numbers(vec![1.0, 2.0, 4.0]), ResponseAxis::Words(vec!["red".into(), "blue".into()])],
///     values: Matrix::from_rows(&[[1.0, 2.0], [2.0, 4.0], [3.0, 9.0]]),
///     middle: 3.0,
///     rows: vec![(1.5, 0.0), (1.5, 1.0), (3.0, 1.0)],
/// };
/// assert!(response_map(&map).svg(Ground::White).contains("blue"));
/// ```
pub fn response_map(map: &ResponseMap) -> Figure {
    let ResponseMap { title, columns, axes, middle, rows, .. } = map;
    let ends = |axis: &ResponseAxis| match axis {
        ResponseAxis::Numbers(numbers) if numbers.len() > 1 => {
            DrawnAxis::between((numbers[0], numbers[numbers.len() - 1]))
        }
        _ => axis.drawn(),
    };
    let (x, y) = (ends(&axes[0]), ends(&axes[1]));
    let left = 38.0 + label_width(&y);
    let labels = UprightLabels::of(&axes[0], SIDE / axes[0].len().max(1) as f64);
    let top = 54.0;
    let frame = AxisFrame { left, top, width: SIDE, height: SIDE, x, y };
    let mut figure = Figure::new(left + SIDE + 92.0, top + SIDE + 48.0 + labels.depth, title);
    figure.heading(left, title);
    let painted = painted(map);
    let largest = painted.iter().map(|(.., x)| (x - middle).abs()).filter(|x| x.is_finite()).fold(0.0, f64::max);
    let shown = painted.iter().fold((*middle, *middle), |(least, most), (.., x)| (least.min(*x), most.max(*x)));
    for (a, b, value) in painted {
        let ((x, low), (right, high)) = (frame.at(a.from, b.from), frame.at(a.to, b.to));
        // Overlapping a little, so that no seams are seen.
        figure.rectangle((x, high), (right - x + 0.35, low - high + 0.35), diverging(value - middle, largest));
    }
    draw_map_bar(&mut figure, (left + SIDE + 18.0, top), (*middle, largest), shown);
    draw_frame(&mut figure, frame, labels, (&columns[0], &columns[1]), |figure, frame| {
        for ((x, y), count) in distinct_points(axes, rows) {
            let radius = (1.5 * (count as f64).powf(0.3)).min(5.0);
            let place = frame.at(x, y);
            figure.circle(place, radius + 0.5, Colour::Rgb(255, 255, 255), 0.5);
            figure.circle(place, radius, Colour::Rgb(30, 30, 30), 0.55);
        }
    });
    figure
}

/// The pieces of a map with rows on their bands, and the value in the middle of each.
fn painted(map: &ResponseMap) -> Vec<(MapPiece, MapPiece, f64)> {
    let [a, b] = &map.axes;
    let mut has_rows = vec![vec![false; b.len().max(1)]; a.len().max(1)];
    for (x, y) in &map.rows {
        for low in a.bands(*x) {
            b.bands(*y).into_iter().for_each(|other| has_rows[low][other] = true);
        }
    }
    let mut painted = vec![];
    for one in a.pieces() {
        for other in b.pieces() {
            if has_rows[one.low][other.low] {
                let at = |u: usize| {
                    map.values[(u, other.low)] * (1.0 - other.share) + map.values[(u, other.high)] * other.share
                };
                let value = at(one.low) * (1.0 - one.share) + at(one.high) * one.share;
                painted.push((one, other, value));
            }
        }
    }
    painted
}

/// Points that are told apart and how many rows each is; where an axis has words, rows are spread over the band of theirs.
fn distinct_points(axes: &[ResponseAxis; 2], rows: &[(f64, f64)]) -> Vec<((f64, f64), usize)> {
    /// Steps by this share of a band fill it evenly, however many there are.
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let every = rows.len().div_ceil(MOST_POINTS).max(1);
    let is_of_words = |axis: &ResponseAxis| matches!(axis, ResponseAxis::Words(_));
    let spread = |at: usize, factor: f64| 0.7 * ((at as f64 * GOLDEN * factor).fract() - 0.5);
    let mut points: BTreeMap<(u64, u64), ((f64, f64), usize)> = BTreeMap::new();
    for (at, (x, y)) in rows.iter().enumerate().step_by(every).filter(|(_, (x, y))| (x + y).is_finite()) {
        let x = if is_of_words(&axes[0]) { x + spread(at, 1.0) } else { *x };
        let y = if is_of_words(&axes[1]) { y + spread(at, std::f64::consts::SQRT_2) } else { *y };
        points.entry((x.to_bits(), y.to_bits())).or_insert(((x, y), 0)).1 += 1;
    }
    points.into_values().collect()
}

/// What the colours mean, as far as they occur.
fn draw_map_bar(figure: &mut Figure, (x, y): (f64, f64), (middle, largest): (f64, f64), (least, most): (f64, f64)) {
    const WIDTH: f64 = 14.0;
    const HEIGHT: f64 = 240.0;
    const STEPS: usize = 100;
    let step = HEIGHT / STEPS as f64;
    for i in 0..STEPS {
        let value = most - (most - least) * (i as f64 + 0.5) / STEPS as f64;
        figure.rectangle((x, y + step * i as f64), (WIDTH, step + 0.4), diverging(value - middle, largest));
    }
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let y = y + HEIGHT * share;
        figure.line(vec![(x + WIDTH, y), (x + WIDTH + 4.0, y)], Colour::Soft, 1.0);
        let label = short_number(most - share * (most - least));
        figure.coloured_text((x + WIDTH + 8.0, y + 4.0), label, TICK, Anchor::Start, Colour::Soft);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(rows: Vec<(f64, f64)>) -> ResponseMap {
        ResponseMap {
            title: "a map".into(),
            columns: ["a".into(), "b".into()],
            axes: [ResponseAxis::Numbers(vec![0.0, 1.0, 3.0]), ResponseAxis::Words(vec!["u".into(), "v".into()])],
            values: Matrix::from_rows(&[[0.0, 10.0], [1.0, 11.0], [3.0, 13.0]]),
            middle: 5.0,
            rows,
        }
    }

    #[test]
    fn only_bands_with_rows_are_painted_and_values_are_linear_between_places() {
        let found = painted(&map(vec![(2.0, 1.0)]));
        let third = found.len();
        assert!(third > 10);
        for (a, b, value) in found {
            assert!(a.from >= 1.0 && a.to <= 3.0 + 1e-12 && (b.from, b.to) == (0.5, 1.5));
            assert!((value - (10.0 + 0.5 * (a.from + a.to))).abs() < 1e-12);
        }
        // A row on a border paints both sides.
        assert!(painted(&map(vec![(1.0, 0.0)])).len() > third);
        assert!(painted(&map(vec![])).is_empty());
    }

    #[test]
    fn equal_rows_are_one_larger_point_and_words_spread_theirs() {
        let numbers = [ResponseAxis::Numbers(vec![0.0, 1.0]), ResponseAxis::Numbers(vec![0.0, 1.0])];
        let rows = [(0.5, 0.5), (0.5, 0.5), (f64::NAN, 0.5)];
        assert_eq!(distinct_points(&numbers, &rows), [((0.5, 0.5), 2)]);
        let found = distinct_points(&map(vec![]).axes, &[(0.5, 1.0); 9]);
        assert_eq!(found.len(), 9);
        assert!(found.iter().all(|((_, y), _)| (0.5..1.5).contains(y)));
    }
}

//! Figures: heat maps, maps of shares over grids, bars, scatter plots, lines, points with intervals, contours, ladders of
//! levels, and what columns do with the rows underneath, as SVG and as PNG.
//!
//! A [`Figure`] is a list of shapes on a page of a given size. The plots append shapes to it; `draw/svg.rs` writes the
//! list as text and `draw/png.rs` paints the same list, so both show the same. Names come from tables and are not
//! trusted: they are shortened to fit, and neither `<` nor a control character reaches the file as such.

mod axis;
mod bars;
mod contour;
mod curves;
mod grid;
mod heat;
mod ladder;
mod lines;
#[cfg(feature = "png")]
mod png;
mod response;
mod scatter;
mod svg;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::file::write_atomically;

pub use axis::Scale;
pub use bars::{Bar, bars};
pub use contour::{Field, Mark, contours};
pub use curves::{Measured, Measurements, Upright, measured};
pub use grid::grid_map;
#[cfg(feature = "lab")]
pub(crate) use grid::sequential;
pub(crate) use heat::MOST_COLUMNS;
pub use heat::heat_map;
pub use ladder::{Rung, ladder};
pub use lines::{Series, lines};
pub use response::{Response, ResponseAxis, ResponseMap, response_curve, response_map};
pub use scatter::{Cloud, Panel, Reference, scatter};
pub use svg::{Ground, escaped};

/// Shapes on a page.
///
/// ```
/// use shallows::draw::{Bar, Ground, bars};
///
/// let bar = |name: &str, value| Bar { name: name.into(), value, error: None };
/// let figure = bars("What matters", "loss of R²", &[bar("size", 0.6), bar("colour", 0.1)]);
/// let svg = figure.svg(Ground::White);
/// assert!(svg.starts_with("<svg") && svg.contains("colour"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    width: f64,
    height: f64,
    /// What the figure shows, for those who cannot see it.
    title: String,
    shapes: Vec<Shape>,
}

/// What a page holds. Lengths are in pixels, y points down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Rectangle { x: f64, y: f64, width: f64, height: f64, fill: Colour },
    Circle { x: f64, y: f64, radius: f64, fill: Colour, opacity: f64 },
    Line { points: Vec<(f64, f64)>, stroke: Colour, width: f64, dashed: bool },
    Text { x: f64, y: f64, text: String, size: f64, anchor: Anchor, upward: bool, fill: Colour },
}

/// Which end of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Anchor {
    Start,
    Middle,
    End,
}

/// A colour. [`lines`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Colour {
    /// That of the text around the figure.
    Ink,
    /// The same, fainter: captions of axes.
    Soft,
    /// Fainter still: grids.
    Faint,
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

impl Colour {
    /// For the first kind of marks.
    pub const BLUE: Colour = Colour::Rgb(47, 115, 184);
    /// For the second.
    pub const ORANGE: Colour = Colour::Rgb(222, 116, 22);
    /// For the third.
    pub const GREEN: Colour = Colour::Rgb(46, 139, 87);
    /// For what was published.
    pub const PURPLE: Colour = Colour::Rgb(170, 51, 119);
    /// For what the others are compared with.
    pub const GREY: Colour = Colour::Rgb(135, 140, 150);

    /// How much of the ink is there.
    fn opacity(self) -> f64 {
        match self {
            Colour::Soft => 0.72,
            Colour::Faint => 0.16,
            Colour::Ink | Colour::Rgb(..) => 1.0,
        }
    }
}

/// The sizes of texts.
const TITLE: f64 = 14.0;
const LABEL: f64 = 12.0;
const TICK: f64 = 11.0;
/// Characters of an entry of a legend.
const LONGEST_ENTRY: usize = 64;

impl Figure {
    fn new(width: f64, height: f64, title: &str) -> Self {
        Figure { width, height, title: title.replace('\n', ": "), shapes: vec![] }
    }

    fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: Colour) {
        self.shapes.push(Shape::Rectangle { x, y, width, height, fill });
    }

    fn circle(&mut self, (x, y): (f64, f64), radius: f64, fill: Colour, opacity: f64) {
        self.shapes.push(Shape::Circle { x, y, radius, fill, opacity });
    }

    fn line(&mut self, points: Vec<(f64, f64)>, stroke: Colour, width: f64) {
        self.shapes.push(Shape::Line { points, stroke, width, dashed: false });
    }

    fn dashed_line(&mut self, points: Vec<(f64, f64)>, stroke: Colour, width: f64) {
        self.shapes.push(Shape::Line { points, stroke, width, dashed: true });
    }

    fn text(&mut self, at: (f64, f64), text: impl Into<String>, size: f64, anchor: Anchor) {
        self.coloured_text(at, text, size, anchor, Colour::Ink);
    }

    fn coloured_text(&mut self, (x, y): (f64, f64), text: impl Into<String>, size: f64, anchor: Anchor, fill: Colour) {
        self.shapes.push(Shape::Text { x, y, text: text.into(), size, anchor, upward: false, fill });
    }

    fn upward_text(&mut self, (x, y): (f64, f64), text: impl Into<String>, size: f64, anchor: Anchor, fill: Colour) {
        self.shapes.push(Shape::Text { x, y, text: text.into(), size, anchor, upward: true, fill });
    }

    /// A title and, after its first line break, a smaller line below it; returns where the room below begins.
    fn heading(&mut self, left: f64, title: &str) -> f64 {
        let (title, below) = title.split_once('\n').map_or((title, None), |(title, below)| (title, Some(below)));
        self.text((left, 20.0), shortened(title, 80), TITLE, Anchor::Start);
        let Some(below) = below else { return 24.0 };
        self.coloured_text((left, 38.0), shortened(below, 100), LABEL, Anchor::Start, Colour::Soft);
        42.0
    }

    /// Marks and what they mean, from left to right.
    fn legend(&mut self, (mut x, y): (f64, f64), entries: &[(&str, Colour)]) {
        for (name, colour) in entries {
            self.circle((x + 4.0, y - 4.0), 4.0, *colour, 1.0);
            let name = shortened(name, LONGEST_ENTRY);
            let width = text_width(&name, TICK);
            self.coloured_text((x + 13.0, y), name, TICK, Anchor::Start, Colour::Soft);
            x += 13.0 + width + 16.0;
        }
    }

    /// Put another figure to the right of this one.
    pub(crate) fn beside(self, other: Figure) -> Figure {
        let (width, height) = (self.width + other.width, self.height.max(other.height));
        let right = self.width;
        Figure { width, height, ..self.with(other, (right, 0.0)) }
    }

    /// Put another figure below this one.
    pub fn above(self, other: Figure) -> Figure {
        let (width, height) = (self.width.max(other.width), self.height + other.height);
        let down = self.height;
        Figure { width, height, ..self.with(other, (0.0, down)) }
    }

    /// With the shapes of another figure, moved.
    fn with(mut self, mut other: Figure, (right, down): (f64, f64)) -> Figure {
        for shape in &mut other.shapes {
            match shape {
                Shape::Rectangle { x, y, .. } | Shape::Circle { x, y, .. } | Shape::Text { x, y, .. } => {
                    (*x, *y) = (*x + right, *y + down);
                }
                Shape::Line { points, .. } => {
                    points.iter_mut().for_each(|point| *point = (point.0 + right, point.1 + down));
                }
            }
        }
        self.shapes.append(&mut other.shapes);
        self.title = format!("{}; {}", self.title, other.title);
        self
    }

    /// As SVG.
    pub fn svg(&self, ground: Ground) -> String {
        svg::svg(self, ground)
    }

    /// Write it into a folder under this name, as SVG and, where that is built in, as PNG; the files that were written.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn save_in(&self, folder: &Path, name: &str) -> Result<Vec<PathBuf>> {
        let save = |file: String| {
            let path = folder.join(file);
            self.save(&path).map(|()| path)
        };
        file_names(name).into_iter().map(save).collect()
    }

    /// As PNG, with twice as many dots as the figure has pixels, on white.
    #[cfg(feature = "png")]
    pub fn png(&self) -> Result<Vec<u8>> {
        png::png(self)
    }

    /// Write to a file, as SVG or PNG by its ending; a file of that name is replaced.
    pub fn save(&self, path: &Path) -> Result<()> {
        let bytes = match FigureFormat::of(path)? {
            FigureFormat::Svg => self.svg(Ground::White).into_bytes(),
            #[cfg(feature = "png")]
            FigureFormat::Png => self.png()?,
        };
        write_atomically(path, |out| out.write_all(&bytes))
    }
}

/// What a file name says about the file.
enum FigureFormat {
    Svg,
    #[cfg(feature = "png")]
    Png,
}

impl FigureFormat {
    fn of(path: &Path) -> Result<FigureFormat> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("svg") => Ok(FigureFormat::Svg),
            #[cfg(feature = "png")]
            Some("png") => Ok(FigureFormat::Png),
            #[cfg(not(feature = "png"))]
            Some("png") => Err(Error::FigureFormat { path: path.to_owned(), built: false }),
            _ => Err(Error::FigureFormat { path: path.to_owned(), built: true }),
        }
    }
}

/// The files of a figure of this name, in every format that is built in.
pub(crate) fn file_names(name: &str) -> Vec<String> {
    let endings: &[&str] = if cfg!(feature = "png") { &["svg", "png"] } else { &["svg"] };
    endings.iter().map(|ending| format!("{name}.{ending}")).collect()
}

/// Refuse a name that [`Figure::save`] would refuse, before the work is done.
pub(crate) fn check_name(path: &Path) -> Result<()> {
    FigureFormat::of(path).map(|_| ())
}

/// The name with at most so many characters, on one line; at least 2 are asked for.
fn shortened(name: &str, most: usize) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    if name.chars().count() <= most {
        return name.chars().map(visible).collect();
    }
    name.chars().take(most - 1).map(visible).chain(['…']).collect()
}

/// About how wide a text is: an upper estimate for common fonts, since SVG viewers bring their own.
fn text_width(text: &str, size: f64) -> f64 {
    let width = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | ' ' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '—' => 0.95,
        c if c.is_ascii_uppercase() => 0.72,
        c if c.is_ascii() => 0.62,
        c if c < '\u{1100}' => 0.68,
        _ => 1.0,
    };
    size * text.chars().map(width).sum::<f64>()
}

/// A number in few characters.
pub(crate) fn short_number(x: f64) -> String {
    let magnitude = x.abs();
    let minus = |text: String| text.replace('-', "−").replace("inf", "∞");
    if x == 0.0 || !x.is_finite() {
        return minus(format!("{}", x + 0.0));
    }
    if (1e-3..1e5).contains(&magnitude) {
        let decimals = (2 - magnitude.log10().floor() as i32).max(0) as usize;
        let text = format!("{x:.decimals$}");
        let trimmed = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        return minus(trimmed.to_owned());
    }
    minus(format!("{x:.1e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_no_idle_zeros() {
        let shown = [0.0, -0.0, 1.0, -2.5, 1234.5, 0.012345, 1e-7, 3e9].map(short_number);
        assert_eq!(shown, ["0", "0", "1", "−2.5", "1234", "0.0123", "1.0e−7", "3.0e9"]);
    }

    #[test]
    fn names_keep_their_characters_not_their_bytes_and_no_control_codes() {
        assert_eq!(shortened("größe", 5), "größe");
        assert_eq!(shortened("größenordnung", 5), "größ…");
        assert_eq!(shortened("a\u{1b}[31mb\n", 20), "a\u{fffd}[31mb\u{fffd}");
    }

    #[test]
    fn only_endings_that_can_be_written_are_accepted() {
        assert!(check_name(Path::new("a/b.SVG")).is_ok());
        assert_eq!(check_name(Path::new("b.png")).is_ok(), cfg!(feature = "png"));
        assert!(check_name(Path::new("b.pdf")).is_err() && check_name(Path::new("svg")).is_err());
    }
}

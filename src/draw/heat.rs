//! The heat map of a symmetric matrix, with a colour bar.

use super::{Anchor, Colour, Figure, TICK, TITLE, short_number, shortened, text_width};
use crate::linalg::Matrix;

/// A map of more columns could not be read: of larger matrices, show the part that matters.
pub(crate) const MOST_COLUMNS: usize = 60;

const LONGEST_NAME: usize = 26;
/// Numbers are written into the cells of maps with at most so many columns.
const MOST_WITH_NUMBERS: usize = 10;

/// Blue for negative, white for zero, red for positive entries, on one scale; the legend says what they are.
///
/// ```
/// use shallows::draw::{Ground, heat_map};
/// use shallows::linalg::Matrix;
///
/// let names = ["size".to_owned(), "age".to_owned()];
/// let M = Matrix::from_rows(&[[1.0, -0.5], [-0.5, 0.0]]);
/// assert!(heat_map("Interactions", "M", &names, &M).svg(Ground::White).contains("age"));
/// ```
pub fn heat_map(title: &str, legend: &str, names: &[String], M: &Matrix) -> Figure {
    let d = M.rows();
    let cell = (600.0 / d.max(1) as f64).clamp(15.0, 54.0);
    let size = (0.7 * cell).clamp(10.0, 12.0);
    let names: Vec<String> = names.iter().map(|name| shortened(name, LONGEST_NAME)).collect();
    let widest = names.iter().map(|name| text_width(name, size)).fold(0.0, f64::max);
    let side = cell * d as f64;
    let (left, top) = (16.0 + widest + 8.0, 56.0);
    let upright = widest > cell - 6.0;
    let below = if upright { widest + 14.0 } else { 26.0 };
    let largest = M.as_slice().iter().map(|x| x.abs()).filter(|x| x.is_finite()).fold(0.0, f64::max);
    let bar = ColourBar { x: left + side + 22.0, y: top, height: side.clamp(120.0, 300.0), largest };
    let width = (bar.x + 100.0).max(16.0 + text_width(title, TITLE).max(text_width(legend, TICK)) + 16.0);
    let mut figure = Figure::new(width, top + (side + below).max(bar.height + 20.0), title);
    figure.text((16.0, 20.0), title, TITLE, Anchor::Start);
    figure.coloured_text((16.0, 40.0), legend, TICK, Anchor::Start, Colour::Soft);
    for (a, name) in names.iter().enumerate() {
        let middle = (a as f64 + 0.5) * cell;
        figure.text((left - 6.0, top + middle + 0.35 * size), name.clone(), size, Anchor::End);
        if upright {
            let at = (left + middle + 0.35 * size, top + side + 6.0);
            figure.upward_text(at, name.clone(), size, Anchor::End, Colour::Ink);
        } else {
            figure.text((left + middle, top + side + 16.0), name.clone(), size, Anchor::Middle);
        }
    }
    draw_entries(&mut figure, (left, top), cell, M, largest);
    bar.draw(&mut figure);
    figure
}

fn draw_entries(figure: &mut Figure, (left, top): (f64, f64), cell: f64, M: &Matrix, largest: f64) {
    let d = M.rows();
    for a in 0..d {
        for b in 0..d {
            let at = (left + b as f64 * cell, top + a as f64 * cell);
            let colour = diverging(M[(a, b)], largest);
            // A little less than the cell, so that neighbours stay apart.
            figure.rectangle(at, (cell - 1.0, cell - 1.0), colour);
            if d <= MOST_WITH_NUMBERS {
                let place = (at.0 + 0.5 * cell, at.1 + 0.5 * cell + 3.5);
                let text = entry(M[(a, b)], largest);
                figure.coloured_text(place, text, 10.0, Anchor::Middle, readable_on(colour));
            }
        }
    }
}

/// What the colours mean.
struct ColourBar {
    x: f64,
    y: f64,
    height: f64,
    largest: f64,
}

impl ColourBar {
    fn draw(&self, figure: &mut Figure) {
        const WIDTH: f64 = 14.0;
        const STEPS: usize = 100;
        let step = self.height / STEPS as f64;
        for i in 0..STEPS {
            let value = 1.0 - (2 * i + 1) as f64 / STEPS as f64;
            // Overlapping a little, so that no seams are seen.
            figure.rectangle((self.x, self.y + step * i as f64), (WIDTH, step + 0.4), diverging(value, 1.0));
        }
        for share in [1.0, 0.5, 0.0, -0.5, -1.0] {
            let y = self.y + self.height * (1.0 - share) / 2.0;
            figure.line(vec![(self.x + WIDTH, y), (self.x + WIDTH + 4.0, y)], Colour::Soft, 1.0);
            let label = short_number(share * self.largest);
            figure.coloured_text((self.x + WIDTH + 8.0, y + 4.0), label, TICK, Anchor::Start, Colour::Soft);
        }
    }
}

/// From blue over white to red.
pub(super) fn diverging(value: f64, largest: f64) -> Colour {
    const STOPS: [[f64; 3]; 5] = [
        [33.0, 102.0, 172.0],
        [146.0, 197.0, 222.0],
        [247.0, 247.0, 247.0],
        [244.0, 165.0, 130.0],
        [178.0, 24.0, 43.0],
    ];
    let share = if largest > 0.0 && value.is_finite() { (value / largest).clamp(-1.0, 1.0) } else { 0.0 };
    let place = 2.0 * (share + 1.0);
    let at = (place.floor() as usize).min(STOPS.len() - 2);
    let between = place - at as f64;
    let mix = |c: usize| (STOPS[at][c] + between * (STOPS[at + 1][c] - STOPS[at][c])).round() as u8;
    Colour::Rgb(mix(0), mix(1), mix(2))
}

/// Black or white, whichever is seen better.
fn readable_on(colour: Colour) -> Colour {
    let Colour::Rgb(r, g, b) = colour else { return Colour::Ink };
    let light = 0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b);
    if light > 140.0 { Colour::Rgb(30, 30, 30) } else { Colour::Rgb(255, 255, 255) }
}

/// A number that fits into a cell, with as many decimals as the largest needs for three digits.
fn entry(x: f64, largest: f64) -> String {
    let text = if (1e-3..1e5).contains(&largest) {
        let decimals = (2 - largest.log10().floor() as i32).max(0) as usize;
        format!("{x:.decimals$}")
    } else {
        format!("{x:.0e}")
    };
    let zero = !text.contains(|c: char| ('1'..='9').contains(&c));
    if zero { "0".into() } else { text.replace('-', "−") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_rounded_alike_and_small_ones_are_zero() {
        assert_eq!([1933.4, -22.4, -0.3, 4e-16].map(|x| entry(x, 1933.4)), ["1933", "−22", "0", "0"]);
        assert_eq!([0.5, -0.123].map(|x| entry(x, 0.5)), ["0.500", "−0.123"]);
    }

    #[test]
    fn zero_is_the_neutral_colour_and_opposite_signs_are_opposite_in_hue() {
        assert_eq!(diverging(0.0, 3.0), Colour::Rgb(247, 247, 247));
        assert_eq!(diverging(f64::NAN, 3.0), diverging(0.0, 3.0));
        let (Colour::Rgb(r, _, b), Colour::Rgb(s, _, c)) = (diverging(3.0, 3.0), diverging(-3.0, 3.0)) else {
            panic!()
        };
        assert!(r > b && s < c);
        assert_eq!(diverging(1e300, 1e300), diverging(1.0, 1.0));
    }
}

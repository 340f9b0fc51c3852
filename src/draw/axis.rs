//! Axes: ticks at round numbers, a grid, and where a value lies on the page.

use super::{Anchor, Colour, Figure, LABEL, TICK, shortened};

/// How values become lengths. [`lines`](crate::draw::lines) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// In proportion.
    Linear,
    /// By their logarithm; values that are not positive are left out.
    Log,
}

impl Scale {
    /// Whether a value has a place.
    pub(super) fn shows(self, x: f64) -> bool {
        x.is_finite() && (self == Scale::Linear || x > 1e-300)
    }
}

/// From where to where an axis goes, and where its ticks are.
pub(super) struct DrawnAxis {
    scale: Scale,
    from: f64,
    to: f64,
    pub ticks: Vec<(f64, String)>,
}

/// About how many ticks an axis has.
const TICKS: f64 = 6.0;

impl DrawnAxis {
    /// An axis that shows these values with some room; those that are not finite are overlooked.
    pub(super) fn around(values: impl IntoIterator<Item = f64>, scale: Scale) -> Self {
        let ends = values.into_iter().filter(|x| scale.shows(*x)).fold(None, |ends: Option<(f64, f64)>, x| {
            Some(ends.map_or((x, x), |(least, most)| (least.min(x), most.max(x))))
        });
        match scale {
            Scale::Linear => DrawnAxis::linear(ends.unwrap_or((0.0, 1.0))),
            Scale::Log => DrawnAxis::logarithmic(ends.unwrap_or((1.0, 10.0))),
        }
    }

    fn linear((least, most): (f64, f64)) -> Self {
        const ROOM: f64 = 0.04;
        // Halved before the difference is taken, since that of the largest numbers would overflow.
        let half = (most / 2.0 - least / 2.0).max(1e-9 * least.abs().max(most.abs())).max(1e-300);
        let middle = least / 2.0 + most / 2.0;
        let reach = half * (1.0 + 2.0 * ROOM);
        let (from, to) = (middle - reach, middle + reach);
        let step = round_step(2.0 * (reach / TICKS));
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let largest = from.abs().max(to.abs());
        let label = |x: f64| {
            let plain = largest < 1e5 && step >= 1e-4;
            let text = if plain { format!("{x:.decimals$}") } else { format!("{x:.*e}", digits(largest, step)) };
            text.replace('-', "−")
        };
        let (first, last) = ((from / step).ceil(), (to / step).floor());
        let count = (last - first).max(0.0) as usize + 1;
        let ticks = (0..count.min(20)).map(|i| (first + i as f64) * step).map(|x| (x, label(x + 0.0))).collect();
        DrawnAxis { scale: Scale::Linear, from, to, ticks }
    }

    /// An axis with a band of width 1 for every word, the middle of the first at 0.
    pub(super) fn of_words(words: &[String]) -> Self {
        let ticks = words.iter().enumerate().map(|(at, word)| (at as f64, word.clone())).collect();
        DrawnAxis { scale: Scale::Linear, from: -0.5, to: words.len() as f64 - 0.5, ticks }
    }

    /// An axis that ends where the values end: the room that axes leave is taken off first.
    pub(super) fn between((from, to): (f64, f64)) -> Self {
        const WITH_ROOM: f64 = 1.08;
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from) / WITH_ROOM);
        DrawnAxis::around([middle - half, middle + half], Scale::Linear)
    }

    fn logarithmic((least, most): (f64, f64)) -> Self {
        const ROOM: f64 = 1.08;
        let (from, to) = (least / ROOM, (most * ROOM).min(f64::MAX));
        let (first, last) = (from.log10().floor() as i32, to.log10().ceil() as i32);
        let factors: &[f64] = if (to / from).log10() < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = ((last - first) / 8 + 1) as usize;
        let decades = (first..=last).step_by(every);
        let ticks = decades.flat_map(|e| factors.iter().map(move |f| f * 10f64.powi(e)));
        let ticks = ticks.filter(|x| (from..=to).contains(x)).map(|x| (x, super::short_number(x))).collect();
        DrawnAxis { scale: Scale::Log, from, to, ticks }
    }

    /// Where a value lies between the two ends, from 0 to 1.
    pub(super) fn share(&self, x: f64) -> f64 {
        match self.scale {
            Scale::Linear => (x / 2.0 - self.from / 2.0) / (self.to / 2.0 - self.from / 2.0),
            Scale::Log => (x.ln() - self.from.ln()) / (self.to.ln() - self.from.ln()),
        }
    }

    /// The two ends.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.from, self.to)
    }
}

/// Digits after the first that tell ticks of this step apart.
fn digits(largest: f64, step: f64) -> usize {
    (largest.log10().floor() - step.log10().floor()).clamp(0.0, 12.0) as usize
}

/// The least of 1, 2, 5 times a power of ten that is at least x > 0.
fn round_step(x: f64) -> f64 {
    let power = 10f64.powi(x.log10().floor() as i32);
    [1.0, 2.0, 5.0].map(|factor| factor * power).into_iter().find(|step| *step >= 0.999 * x).unwrap_or(10.0 * power)
}

/// The rectangle of a plot.
pub(super) struct AxisFrame {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
    pub x: DrawnAxis,
    pub y: DrawnAxis,
}

impl AxisFrame {
    /// Where a point lies on the page.
    pub(super) fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (self.left + self.width * self.x.share(x), self.top + self.height * (1.0 - self.y.share(y)))
    }

    /// Grid, ticks and captions.
    pub(super) fn draw(&self, figure: &mut Figure, x_caption: &str, y_caption: &str) {
        let (right, bottom) = (self.left + self.width, self.top + self.height);
        let mut free = f64::NEG_INFINITY;
        for (value, label) in &self.x.ticks {
            let x = self.left + self.width * self.x.share(*value);
            figure.line(vec![(x, self.top), (x, bottom)], Colour::Faint, 1.0);
            let half = super::text_width(label, TICK) / 2.0;
            if x - half > free {
                figure.coloured_text((x, bottom + 16.0), label.clone(), TICK, Anchor::Middle, Colour::Soft);
                free = x + half + 4.0;
            }
        }
        for (value, label) in &self.y.ticks {
            let y = self.top + self.height * (1.0 - self.y.share(*value));
            figure.line(vec![(self.left, y), (right, y)], Colour::Faint, 1.0);
            figure.coloured_text((self.left - 6.0, y + 4.0), label.clone(), TICK, Anchor::End, Colour::Soft);
        }
        figure.line(vec![(self.left, self.top), (self.left, bottom), (right, bottom)], Colour::Soft, 1.0);
        let x_caption = shortened(x_caption, (self.width / 7.0) as usize);
        figure.text((self.left + self.width / 2.0, bottom + 35.0), x_caption, LABEL, Anchor::Middle);
        let y_caption = shortened(y_caption, (self.height / 7.0) as usize);
        let across = self.left - 10.0 - self.label_width() - 6.0;
        figure.upward_text((across, self.top + self.height / 2.0), y_caption, LABEL, Anchor::Middle, Colour::Ink);
    }

    fn label_width(&self) -> f64 {
        label_width(&self.y)
    }
}

/// The room that the labels of an upright axis need.
pub(super) fn label_width(axis: &DrawnAxis) -> f64 {
    axis.ticks.iter().map(|(_, label)| super::text_width(label, TICK)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64], scale: Scale) -> Vec<String> {
        DrawnAxis::around(values.iter().copied(), scale).ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(labels(&[0.0, 10.0], Scale::Linear), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(&[-0.13, 0.21], Scale::Linear), ["−0.1", "0.0", "0.1", "0.2"]);
        assert_eq!(labels(&[20.0, 700.0], Scale::Log), ["20", "50", "100", "200", "500"]);
    }

    #[test]
    fn every_range_has_an_axis() {
        for values in [
            &[][..],
            &[3.0],
            &[0.0],
            &[f64::NAN, f64::INFINITY],
            &[-1e308, 1e308],
            &[1e-308, 2e-308],
            &[7e9, 7e9 + 1.0],
        ] {
            for scale in [Scale::Linear, Scale::Log] {
                let axis = DrawnAxis::around(values.iter().copied(), scale);
                assert!(axis.ticks.len() < 40, "{values:?}");
                for x in values.iter().filter(|x| scale.shows(**x)) {
                    assert!((0.0..=1.0).contains(&axis.share(*x)), "{values:?}: {}", axis.share(*x));
                }
            }
        }
    }
}

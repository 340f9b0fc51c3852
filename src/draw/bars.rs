//! Bars with names, for sizes that are compared.

use super::{Anchor, Colour, Figure, LABEL, TICK, TITLE, short_number, shortened, text_width};

/// One bar. [`Figure`](crate::draw::Figure) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it stands for.
    pub name: String,
    /// Its length; bars of negative length go to the left.
    pub value: f64,
    /// The standard error of the length, where there is one.
    pub error: Option<f64>,
}

const HEIGHT: f64 = 24.0;
const WIDTH: f64 = 420.0;
const LONGEST_NAME: usize = 34;

/// Horizontal bars, one below the other in the order given; the caption says what their length is.
///
/// ```
/// use shallows::draw::{Bar, Ground, bars};
///
/// let bar = Bar { name: "size".into(), value: 0.6, error: Some(0.05) };
/// assert!(bars("What matters", "loss of R²", &[bar]).svg(Ground::Page).contains("What matters"));
/// ```
pub fn bars(title: &str, caption: &str, bars: &[Bar]) -> Figure {
    let names: Vec<String> = bars.iter().map(|bar| shortened(&bar.name, LONGEST_NAME)).collect();
    let ends = |bar: &Bar| {
        let error = bar.error.unwrap_or(0.0);
        [bar.value - error, bar.value + error].map(|end| if end.is_finite() { end } else { 0.0 })
    };
    let least = bars.iter().flat_map(ends).fold(0.0, f64::min);
    let most = bars.iter().flat_map(ends).fold(0.0, f64::max);
    let span = if most > least { most - least } else { 1.0 };
    let labels: Vec<String> = bars.iter().map(label).collect();
    let widest = |texts: &[String], size: f64| texts.iter().map(|text| text_width(text, size)).fold(0.0, f64::max);
    let label_width = widest(&labels, TICK);
    // Labels stand outside the bars, on the side to which these point.
    let room = if least < 0.0 { label_width + 8.0 } else { 0.0 };
    let left = 16.0 + widest(&names, LABEL) + 8.0 + room;
    let total = (left + WIDTH + 12.0 + label_width + 12.0)
        .max(text_width(title, TITLE) + 32.0)
        .max(text_width(caption, TICK) + 32.0);
    let top = 36.0;
    let mut figure = Figure::new(total, top + HEIGHT * bars.len() as f64 + 34.0, title);
    figure.text((16.0, 20.0), title, TITLE, Anchor::Start);
    let at = |value: f64| left + WIDTH * ((value - least) / span).clamp(0.0, 1.0);
    let (zero, bottom) = (at(0.0), top + HEIGHT * bars.len() as f64);
    for (row, (bar, (name, label))) in bars.iter().zip(names.iter().zip(&labels)).enumerate() {
        let y = top + HEIGHT * row as f64;
        let middle = y + HEIGHT / 2.0;
        figure.text((left - room - 8.0, middle + 4.0), name.clone(), LABEL, Anchor::End);
        let [from, to] = ends(bar).map(at);
        let end = at(if bar.value.is_finite() { bar.value } else { 0.0 });
        let colour = if bar.value < 0.0 { Colour::ORANGE } else { Colour::BLUE };
        figure.rectangle((zero.min(end), y + 4.0), ((end - zero).abs().max(0.5), HEIGHT - 8.0), colour);
        if bar.error.is_some_and(|error| error > 0.0) {
            figure.line(vec![(from, middle), (to, middle)], Colour::Ink, 1.4);
            [from, to]
                .into_iter()
                .for_each(|x| figure.line(vec![(x, middle - 4.0), (x, middle + 4.0)], Colour::Ink, 1.4));
        }
        let (x, anchor) = if bar.value < 0.0 { (from - 6.0, Anchor::End) } else { (to.max(end) + 6.0, Anchor::Start) };
        figure.coloured_text((x, middle + 4.0), label.clone(), TICK, anchor, Colour::Soft);
    }
    figure.line(vec![(zero, top), (zero, bottom)], Colour::Soft, 1.0);
    figure.coloured_text((16.0, bottom + 22.0), caption, TICK, Anchor::Start, Colour::Soft);
    figure
}

fn label(bar: &Bar) -> String {
    match bar.error {
        Some(error) if error > 0.0 && (1e-3..1e5).contains(&bar.value.abs()) => {
            // As many decimals as two digits of the error need.
            let decimals = (1 - error.log10().floor() as i32).clamp(0, 6) as usize;
            format!("{:.decimals$} ± {error:.decimals$}", bar.value).replace('-', "−")
        }
        Some(error) => format!("{} ± {}", short_number(bar.value), short_number(error)),
        None => short_number(bar.value),
    }
}

//! Shapes as SVG.

use std::fmt::Write;

use super::{Anchor, Colour, Figure, Shape};

/// What is behind a figure. [`Figure`](crate::draw::Figure) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// A white page, for a file of its own.
    White,
    /// Nothing: the figure is part of a page of HTML and takes the colour of its text.
    Page,
}

/// Text between tags or quotes: no character of it means anything to XML or HTML, and none is forbidden there.
///
/// ```
/// use shallows::draw::escaped;
///
/// assert_eq!(escaped("a < b & c"), "a &lt; b &amp; c");
/// ```
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            // Control characters, and those that XML 1.0 leaves out.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The document; a piece of HTML on [`Ground::Page`].
pub(super) fn svg(figure: &Figure, ground: Ground) -> String {
    let (width, height) = (figure.width, figure.height);
    let title = escaped(&figure.title);
    let size = format!(r#"viewBox="0 0 {} {}""#, short(width), short(height));
    let font = r#"font-family="'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif""#;
    let mut out = match ground {
        Ground::White => format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" {size} {font} color="#1c1e21" role="img"><title>{title}</title><rect width="100%" height="100%" fill="#fff"/>"##,
            short(width),
            short(height)
        ),
        Ground::Page => format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" {size} style="width:100%;max-width:{}px" {font} role="img"><title>{title}</title>"#,
            short(width)
        ),
    };
    out.push('\n');
    figure.shapes.iter().for_each(|shape| write_shape(&mut out, shape));
    out.push_str("</svg>\n");
    out
}

fn write_shape(out: &mut String, shape: &Shape) {
    // Writing to a string cannot fail.
    let _ = match shape {
        Shape::Rectangle { x, y, width, height, fill } => writeln!(
            out,
            r#"<rect x="{}" y="{}" width="{}" height="{}"{}/>"#,
            short(*x),
            short(*y),
            short(*width),
            short(*height),
            paint("fill", *fill, 1.0)
        ),
        Shape::Circle { x, y, radius, fill, opacity } => writeln!(
            out,
            r#"<circle cx="{}" cy="{}" r="{}"{}/>"#,
            short(*x),
            short(*y),
            short(*radius),
            paint("fill", *fill, *opacity)
        ),
        Shape::Line { points, stroke, width, dashed } => {
            let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", short(*x), short(*y))).collect();
            let dashes = if *dashed { r#" stroke-dasharray="5 4""# } else { "" };
            let (points, paint, width) = (points.join(" "), paint("stroke", *stroke, 1.0), short(*width));
            writeln!(out, r#"<polyline points="{points}" fill="none"{paint} stroke-width="{width}"{dashes}/>"#)
        }
        Shape::Text { x, y, text, size, anchor, upward, fill } => {
            let anchor = anchor_attribute(*anchor);
            let (x, y) = (short(*x), short(*y));
            let turned = if *upward { format!(r#" transform="rotate(-90 {x} {y})""#) } else { String::new() };
            writeln!(
                out,
                r#"<text x="{x}" y="{y}" font-size="{}"{anchor}{turned}{}>{}</text>"#,
                short(*size),
                paint("fill", *fill, 1.0),
                escaped(text)
            )
        }
    };
}

fn anchor_attribute(anchor: Anchor) -> &'static str {
    match anchor {
        Anchor::Start => "",
        Anchor::Middle => r#" text-anchor="middle""#,
        Anchor::End => r#" text-anchor="end""#,
    }
}

fn paint(what: &str, colour: Colour, opacity: f64) -> String {
    let opacity = opacity * colour.opacity();
    let faint = if opacity < 1.0 { format!(r#" {what}-opacity="{}""#, short(opacity)) } else { String::new() };
    match colour {
        Colour::Rgb(r, g, b) => format!(r##" {what}="#{r:02x}{g:02x}{b:02x}"{faint}"##),
        Colour::Ink | Colour::Soft | Colour::Faint => format!(r#" {what}="currentColor"{faint}"#),
    }
}

/// Two decimals are finer than a screen shows.
fn short(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_means_anything_to_html() {
        let text = escaped("</title><script>alert('x')</script>&amp;\"\u{0}\u{1b}\u{ffff}");
        assert!(!text.contains(['<', '>', '"', '\'', '\u{0}', '\u{1b}', '\u{ffff}']), "{text}");
        assert!(text.contains("&amp;amp;"));
    }
}

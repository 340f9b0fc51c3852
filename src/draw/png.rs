//! Shapes as PNG, painted by tiny-skia; texts in a font that comes with the crate, so that a figure has the same dots on
//! every machine. Characters that the font does not have are shown as boxes.

use tiny_skia::{Color, FillRule, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform};
use ttf_parser::{Face, OutlineBuilder};

use super::{Anchor, Colour, Figure, Shape};
use crate::error::{Error, Result};

static FONT: &[u8] = include_bytes!("font/DejaVuSans-subset.ttf");

/// Dots for each pixel of the figure.
const DOTS: f32 = 2.0;
/// The ink on white paper.
const INK: (u8, u8, u8) = (28, 30, 33);

pub(super) fn png(figure: &Figure) -> Result<Vec<u8>> {
    let dots = |length: f64| (length as f32 * DOTS).ceil() as u32;
    let too_large = || Error::Figure { width: figure.width, height: figure.height };
    let mut canvas = Pixmap::new(dots(figure.width), dots(figure.height)).ok_or_else(too_large)?;
    canvas.fill(Color::WHITE);
    let face = Face::parse(FONT, 0).map_err(|_| too_large())?;
    figure.shapes.iter().for_each(|shape| draw(&mut canvas, shape, &face));
    canvas.encode_png().map_err(|_| too_large())
}

/// Shapes of no extent are left out.
fn draw(canvas: &mut Pixmap, shape: &Shape, face: &Face<'_>) {
    let scale = Transform::from_scale(DOTS, DOTS);
    match shape {
        Shape::Rectangle { x, y, width, height, fill } => {
            if let Some(area) = Rect::from_xywh(*x as f32, *y as f32, *width as f32, *height as f32) {
                canvas.fill_rect(area, &paint(*fill, 1.0), scale, None);
            }
        }
        Shape::Circle { x, y, radius, fill, opacity } => {
            if let Some(path) = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32) {
                canvas.fill_path(&path, &paint(*fill, *opacity), FillRule::Winding, scale, None);
            }
        }
        Shape::Line { points, stroke, width, dashed } => {
            let mut path = PathBuilder::new();
            for (at, (x, y)) in points.iter().enumerate() {
                if at == 0 { path.move_to(*x as f32, *y as f32) } else { path.line_to(*x as f32, *y as f32) }
            }
            let dash = dashed.then(|| StrokeDash::new(vec![5.0, 4.0], 0.0)).flatten();
            let pen = Stroke { width: *width as f32, dash, ..Stroke::default() };
            if let Some(path) = path.finish() {
                canvas.stroke_path(&path, &paint(*stroke, 1.0), &pen, scale, None);
            }
        }
        Shape::Text { x, y, text, size, anchor, upward, fill } => {
            let turn = if *upward { -90.0 } else { 0.0 };
            let place = scale.pre_translate(*x as f32, *y as f32).pre_rotate(turn);
            if let Some(path) = outline(text, *size as f32, *anchor, face) {
                canvas.fill_path(&path, &paint(*fill, 1.0), FillRule::Winding, place, None);
            }
        }
    }
}

fn paint(colour: Colour, opacity: f64) -> Paint<'static> {
    let (r, g, b) = match colour {
        Colour::Rgb(r, g, b) => (r, g, b),
        Colour::Ink | Colour::Soft | Colour::Faint => INK,
    };
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, (255.0 * opacity * colour.opacity()).round() as u8);
    paint
}

/// The outlines of a text whose anchor is at the origin.
fn outline(text: &str, size: f32, anchor: Anchor, face: &Face<'_>) -> Option<Path> {
    let scale = size / f32::from(face.units_per_em());
    let mut glyphs = Glyphs { path: PathBuilder::new(), scale, shift: 0.0 };
    for c in text.chars() {
        let glyph = face.glyph_index(c).unwrap_or_default();
        face.outline_glyph(glyph, &mut glyphs);
        glyphs.shift += scale * f32::from(face.glyph_hor_advance(glyph).unwrap_or_default());
    }
    let back = match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -glyphs.shift / 2.0,
        Anchor::End => -glyphs.shift,
    };
    glyphs.path.finish()?.transform(Transform::from_translate(back, 0.0))
}

/// Outlines one after another; in the font y points up.
struct Glyphs {
    path: PathBuilder,
    scale: f32,
    shift: f32,
}

impl Glyphs {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.shift + self.scale * x, -self.scale * y)
    }
}

impl OutlineBuilder for Glyphs {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_every_character_that_figures_use() {
        let face = Face::parse(FONT, 0).unwrap();
        for c in ('!'..='~').chain("äßéñąΣσφτωжЯ−·×±²≤≥→…–“”″′½∞√".chars()) {
            assert!(face.glyph_index(c).is_some(), "{c}");
        }
    }

    #[test]
    fn an_anchor_moves_a_text_by_its_own_width() {
        let face = Face::parse(FONT, 0).unwrap();
        let left = |anchor| outline("mean", 10.0, anchor, &face).unwrap().bounds();
        let (start, middle, end) = (left(Anchor::Start), left(Anchor::Middle), left(Anchor::End));
        assert!(start.left() >= 0.0 && end.right() <= 0.0);
        assert!((middle.left() + middle.right()).abs() < 1.0);
        assert!((start.left() - 2.0 * middle.left() + end.left()).abs() < 1e-3);
    }
}

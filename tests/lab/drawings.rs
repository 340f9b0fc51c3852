//! Figures are sound files whatever the names and numbers in them.

#![allow(clippy::unwrap_used, non_snake_case)]

use shallows::draw::{
    Bar, Cloud, Colour, Field, Figure, Ground, Mark, Measured, Measurements, Panel, Reference, Rung, Scale, Series,
    Upright, bars, contours, grid_map, heat_map, ladder, lines, measured, scatter,
};
use shallows::linalg::Matrix;

/// Names that would break a careless writer.
const HOSTILE: [&str; 6] =
    ["</svg><script>alert(1)</script>", "a\" onload=\"x", "&lt;&amp", "\u{1b}[31m\u{0}", "é漢字Ω", ""];

fn names(d: usize) -> Vec<String> {
    (0..d).map(|a| format!("{}{a}", HOSTILE[a % HOSTILE.len()])).collect()
}

fn figures() -> Vec<Figure> {
    let mut all = Vec::new();
    for (x, low) in [(f64::NAN, 0.0), (3.0, f64::NEG_INFINITY), (7.0, 0.1)] {
        let marks = vec![Measured { x, y: 0.5, low, high: 0.8 }, Measured { x: 9.0, y: f64::NAN, low: 0.0, high: 1.0 }];
        let kind = |name: &&str| Measurements {
            name: (*name).to_owned(),
            colour: Colour::BLUE,
            marks: marks.clone(),
            curve: vec![(1.0, 0.1), (f64::INFINITY, 0.2), (5.0, 0.9)],
            dashed: name.len().is_multiple_of(2),
        };
        let kinds: Vec<Measurements> = HOSTILE.iter().map(kind).collect();
        let span = Some((f64::NEG_INFINITY, x));
        let label = HOSTILE[0].to_owned();
        let upright = Upright { x, span, label, colour: Colour::Ink, dashed: true };
        let scales = (Scale::Log, Scale::Linear);
        all.push(measured("<b>title\n<i>below", (HOSTILE[1], "y"), scales, Some((0.0, 1.0)), &kinds, &[upright]));
        let curve =
            Series { name: HOSTILE[0].into(), colour: Colour::GREY, points: vec![(x, x), (2.0, 4.0), (1e9, 0.0)] };
        let values = [vec![Some(0.3), None, Some(f64::NAN)], vec![Some(1.0), Some(0.0), None]];
        all.push(grid_map("<b>title", (HOSTILE[1], "y"), (&[1.0, 2.0, 4.0], &[3.0, 9.0]), &values, &[curve]));
        all.push(grid_map("", ("x", "y"), (&[], &[]), &[], &[]));
    }
    for d in [0, 1, 2, 8, 35, 60] {
        let M = Matrix::from_fn(d, d, |a, b| ((a * b) as f64 * 0.7).sin());
        all.push(heat_map("<b>title", "what it is & more", &names(d), &M));
        let one = |(a, name): (usize, String)| Bar { name, value: (a as f64).cos(), error: Some(0.1) };
        all.push(bars("t<", "c<", &names(d).into_iter().enumerate().map(one).collect::<Vec<_>>()));
    }
    let strange = [0.0, -1e308, 1e308, f64::NAN, f64::INFINITY, 1e-308];
    let points: Vec<(f64, f64)> = strange.iter().flat_map(|x| strange.iter().map(|y| (*x, *y))).collect();
    for reference in [Reference::Diagonal, Reference::Zero] {
        for points in [points.clone(), vec![], vec![(1.0, 1.0)]] {
            let cloud = Cloud { name: HOSTILE[0].into(), colour: Colour::BLUE, points };
            let panel = Panel { title: HOSTILE[0], x: HOSTILE[1], y: HOSTILE[3], clouds: vec![cloud], reference };
            all.push(scatter(&[panel.clone(), panel]));
        }
    }
    for scale in [Scale::Linear, Scale::Log] {
        let series = Series { name: HOSTILE[0].into(), colour: Colour::ORANGE, points: points.clone() };
        all.push(lines("t", (HOSTILE[0], HOSTILE[1]), (scale, scale), &[series]));
    }
    let rungs: Vec<Rung> =
        strange.iter().map(|level| Rung { column: 1, level: level.abs(), label: HOSTILE[0].into() }).collect();
    for columns in [0, 1, 3] {
        all.push(ladder(HOSTILE[0], (HOSTILE[1], HOSTILE[2]), columns, &rungs, Some((1.0, HOSTILE[0]))));
    }
    let mark = Mark { name: HOSTILE[0].into(), at: (0.5, 0.5) };
    let path = Series { name: HOSTILE[1].into(), colour: Colour::BLUE, points: points.clone() };
    for values in [Matrix::from_fn(9, 9, |i, j| (i * j) as f64), Matrix::from_fn(6, 6, |i, _| strange[i])] {
        let field = Field { x: (0.0, 1.0), y: (-1.0, 1.0), values };
        let levels = [3.0, 1e307, f64::NAN];
        all.push(contours(
            "<t>",
            ("<x>", "<y>"),
            &field,
            &levels,
            Some((5.0, HOSTILE[0])),
            (std::slice::from_ref(&mark), std::slice::from_ref(&path)),
        ));
    }
    all.push(bars("strange", "", &strange.map(|value| Bar { name: "x".into(), value, error: Some(value) })));
    all.push(heat_map("strange", "", &names(2), &Matrix::from_rows(&[[f64::NAN, 1e308], [f64::INFINITY, -1e308]])));
    all
}

#[test]
fn svg_is_well_formed_and_holds_no_element_of_a_name() {
    for figure in figures() {
        for ground in [Ground::White, Ground::Page] {
            let text = figure.svg(ground);
            let document = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            for node in document.descendants().filter(roxmltree::Node::is_element) {
                let known = ["svg", "title", "rect", "circle", "polyline", "text"];
                assert!(known.contains(&node.tag_name().name()), "{:?}", node.tag_name());
                assert!(node.attributes().all(|attribute| !attribute.name().starts_with("on")));
                for attribute in node.attributes().filter(|attribute| attribute.name() != "style") {
                    let value = attribute.value();
                    assert!(!value.contains("NaN") && !value.contains("inf"), "{}={value}", attribute.name());
                }
            }
        }
    }
}

#[test]
fn names_are_shown_as_they_are() {
    let figure = heat_map("t", "l", &["<i>&".to_owned(), "b".to_owned()], &Matrix::identity(2));
    let text = figure.svg(Ground::White);
    let document = roxmltree::Document::parse(&text).unwrap();
    let elements = document.descendants().filter(roxmltree::Node::is_element);
    let shown = elements.filter(|node| node.text() == Some("<i>&")).count();
    assert_eq!(shown, 2, "once for the row and once for the column");
}

#[test]
fn names_of_forty_columns_neither_overlap_nor_leave_the_page() {
    let names: Vec<String> = (0..40).map(|a| format!("a rather long column name {a}")).collect();
    let text = heat_map("t", "l", &names, &Matrix::identity(40)).svg(Ground::White);
    let document = roxmltree::Document::parse(&text).unwrap();
    let number = |node: &roxmltree::Node<'_, '_>, name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let page = document.root_element();
    let labels: Vec<_> = document
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")))
        .filter(|node| node.text().unwrap().starts_with("a rather"))
        .collect();
    assert_eq!(labels.len(), 80);
    for node in &labels {
        assert!(number(node, "x") < number(&page, "width") && number(node, "y") < number(&page, "height"));
    }
    let rows: Vec<_> = labels.iter().filter(|node| node.attribute("transform").is_none()).collect();
    for pair in rows.windows(2) {
        let apart = number(pair[1], "y") - number(pair[0], "y");
        assert!(apart >= number(pair[0], "font-size"), "{apart}");
    }
}

#[cfg(feature = "png")]
#[test]
fn png_decodes_to_a_page_of_twice_the_size_that_is_not_blank() {
    for figure in figures() {
        let text = figure.svg(Ground::White);
        let document = roxmltree::Document::parse(&text).unwrap();
        let width: f64 = document.root_element().attribute("width").unwrap().parse().unwrap();
        let page = tiny_skia::Pixmap::decode_png(&figure.png().unwrap()).unwrap();
        assert_eq!(f64::from(page.width()), (2.0 * width).ceil());
        let first = page.pixels()[0];
        assert!(page.pixels().iter().any(|dot| *dot != first));
    }
}

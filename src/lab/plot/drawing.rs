//! The figures of a sweep.

use std::collections::{BTreeMap, BTreeSet};

use super::Plot;
use crate::draw::{Colour, Figure, Measured, Measurements, Scale, Series, Upright, grid_map, measured, sequential};
use crate::lab::studies::{fitted, mark, upright};
use crate::lab::{By, CellCount, Line, Symbol, Threshold, thresholds_by_rule};

/// Curves that can be told apart in one figure.
const MOST_CURVES: usize = 8;

/// Draw everything there is, each figure with its name.
pub(super) fn figures(plot: &Plot<'_>) -> Vec<(String, Figure)> {
    let (Some(x), y) = plot.axes else { return vec![] };
    let mut drawn = vec![("curves".to_owned(), curves(plot, x))];
    if let Some(y) = y {
        drawn.extend(maps(plot, x, y));
        drawn.push(("collapse".into(), collapse(plot)));
    }
    drawn.push(("stopping".into(), stopping(plot, x)));
    drawn
}

fn titled(plot: &Plot<'_>, what: &str) -> String {
    let name = plot.name();
    if name.is_empty() { what.to_owned() } else { format!("{name}\n{what}") }
}

fn success_caption(plot: &Plot<'_>) -> &'static str {
    match plot.by {
        By::Run => "share of runs that succeed",
        By::Network => "share of networks, all starts succeed",
    }
}

/// Evenly chosen, the first and the last among them.
fn chosen<T>(all: &[T], most: usize) -> Vec<&T> {
    if all.len() <= most {
        return all.iter().collect();
    }
    (0..most).map(|at| &all[at * (all.len() - 1) / (most - 1)]).collect()
}

/// How much of it is shown, where that is not all.
fn of_all(shown: usize, all: usize) -> String {
    if shown < all { format!(", {shown} of {all} lines") } else { String::new() }
}

/// One colour for a single curve, a sequence for a family.
fn colour(at: usize, of: usize) -> Colour {
    if of == 1 { Colour::BLUE } else { sequential(0.86 * at as f64 / (of - 1) as f64) }
}

fn curves(plot: &Plot<'_>, x: Symbol) -> Figure {
    let lines = chosen(&plot.lines, MOST_CURVES);
    let one = |(at, (line, threshold)): (usize, &&(Line, Option<Threshold>))| {
        let place = |count: &CellCount| count.cell.value(x) as f64;
        let ends = (line.counts.first().map_or(0.0, place), line.counts.last().map_or(0.0, place));
        Measurements {
            name: line.name(),
            colour: colour(at, lines.len()),
            marks: line.counts.iter().map(|count| mark(place(count), count, plot.by)).collect(),
            curve: threshold.map_or(vec![], |threshold| fitted(&threshold, ends.0, ends.1)),
            dashed: false,
        }
    };
    let kinds: Vec<Measurements> = lines.iter().enumerate().map(one).collect();
    let uprights: Vec<Upright> = match lines[..] {
        [(_, Some(threshold))] if !threshold.is_beyond => {
            vec![upright(&format!("{}½", x.name()), threshold, Colour::Ink)]
        }
        _ => vec![],
    };
    let title = titled(plot, &format!("{}{}", plot.rule.words(), of_all(lines.len(), plot.lines.len())));
    let captions = (x.words(), success_caption(plot));
    measured(&title, captions, (Scale::Linear, Scale::Linear), Some((0.0, 1.0)), &kinds, &uprights)
}

/// A map over two sizes for each value of the third.
fn maps(plot: &Plot<'_>, x: Symbol, y: Symbol) -> Vec<(String, Figure)> {
    let third = Symbol::ALL.into_iter().find(|symbol| *symbol != x && *symbol != y).unwrap_or(Symbol::N);
    let values = |symbol: Symbol| -> Vec<usize> {
        plot.counts.iter().map(|count| count.cell.value(symbol)).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let (xs, ys, thirds) = (values(x), values(y), values(third));
    let shares: BTreeMap<(usize, usize, usize), f64> = plot
        .counts
        .iter()
        .map(|count| {
            let value = |symbol| count.cell.value(symbol);
            ((value(third), value(y), value(x)), count.share(plot.by).0)
        })
        .collect();
    let numbers = |values: &[usize]| values.iter().map(|x| *x as f64).collect::<Vec<f64>>();
    let map = |fixed: usize| {
        let row = |y: &usize| xs.iter().map(|x| shares.get(&(fixed, *y, *x)).copied()).collect();
        let rows: Vec<Vec<Option<f64>>> = ys.iter().map(row).collect();
        let what = format!("{}, {} = {fixed}", plot.rule.words(), third.name());
        grid_map(
            &titled(plot, &what),
            (x.words(), y.words()),
            (&numbers(&xs), &numbers(&ys)),
            &rows,
            &halves(plot, fixed, y, third),
        )
    };
    let name = |fixed: usize| {
        if thirds.len() == 1 { "map".to_owned() } else { format!("map-{}{fixed}", third.name()) }
    };
    // Where all three are tied together a map would be a diagonal.
    let full = |fixed: &&usize| shares.keys().filter(|key| key.0 == **fixed).count() > xs.len().max(ys.len());
    thirds.iter().filter(full).map(|fixed| (name(*fixed), map(*fixed))).collect()
}

/// The line of thresholds on a map.
fn halves(plot: &Plot<'_>, fixed: usize, y: Symbol, third: Symbol) -> Vec<Series> {
    let here = plot.lines.iter().filter(|(line, _)| line.shared.value(third) == fixed);
    let place = |(line, found): &(Line, Option<Threshold>)| {
        let inside = found.filter(|found| !found.is_beyond);
        (inside.map_or(f64::NAN, |found| found.half), line.shared.value(y) as f64)
    };
    let points: Vec<(f64, f64)> = here.map(place).collect();
    if points.iter().all(|(x, _)| x.is_nan()) {
        return vec![];
    }
    vec![Series { name: "half of them succeed".into(), colour: Colour::Rgb(200, 30, 30), points }]
}

fn collapse(plot: &Plot<'_>) -> Figure {
    let lines = chosen(&plot.lines, MOST_CURVES);
    let on = |count: &CellCount| plot.expression.at(count.cell);
    let mut kinds: Vec<Measurements> = lines
        .iter()
        .enumerate()
        .map(|(at, (line, _))| Measurements {
            name: line.name(),
            colour: colour(at, lines.len()),
            marks: line.counts.iter().map(|count| mark(on(count), count, plot.by)).collect(),
            curve: vec![],
            dashed: false,
        })
        .collect();
    let name = plot.expression.to_string();
    let xs: Vec<f64> = plot.shown().map(on).filter(|x| x.is_finite()).collect();
    let (from, to) = (xs.iter().copied().fold(f64::INFINITY, f64::min), xs.iter().copied().fold(0.0, f64::max));
    let mut uprights = vec![];
    if let Some(threshold) = plot.collapse.as_ref().filter(|threshold| !threshold.is_beyond) {
        let line = upright(&format!("({name})½"), threshold, Colour::Ink);
        let (curve, name) = (fitted(threshold, from, to), format!("all cells: {}", line.label));
        kinds.push(Measurements { name, colour: Colour::Ink, marks: vec![], curve, dashed: false });
        uprights.push(Upright { label: String::new(), ..line });
    }
    let shown = of_all(lines.len(), plot.lines.len());
    let title = titled(plot, &format!("{}, against {name}{shown}", plot.rule.words()));
    measured(
        &title,
        (&name, success_caption(plot)),
        (Scale::Linear, Scale::Linear),
        Some((0.0, 1.0)),
        &kinds,
        &uprights,
    )
}

/// The threshold of one line as a function of tolerance and iterations.
fn stopping(plot: &Plot<'_>, x: Symbol) -> Figure {
    let middle = plot.lines.get(plot.lines.len() / 2).map(|(line, _)| (line.shared, line.name()));
    let all = thresholds_by_rule(plot.specification, plot.trials, x, plot.by);
    let values = || plot.counts.iter().map(|count| count.cell.value(x) as f64);
    let ends = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let mut by_tolerance: BTreeMap<u64, Vec<Measured>> = BTreeMap::new();
    for found in all.iter().filter(|found| middle.as_ref().is_some_and(|(shared, _)| *shared == found.shared)) {
        let Some(threshold) = found.threshold.as_ref().filter(|threshold| !threshold.is_beyond) else { continue };
        let (x, y) = (found.within as f64, threshold.half);
        // Positive numbers are ordered as their bits are.
        let marks = by_tolerance.entry(found.tolerance.to_bits()).or_default();
        // What lies beyond the cells is not told apart.
        let low = if threshold.low < ends.0 { f64::NEG_INFINITY } else { threshold.low };
        let high = if threshold.high > ends.1 { f64::INFINITY } else { threshold.high };
        marks.push(Measured { x, y, low, high });
    }
    let of = by_tolerance.len();
    let kind = |(at, (bits, marks)): (usize, (u64, Vec<Measured>))| Measurements {
        name: format!("{:e}", f64::from_bits(bits)),
        colour: colour(at, of),
        curve: marks.iter().map(|mark| (mark.x, mark.y)).collect(),
        marks,
        dashed: false,
    };
    let kinds: Vec<Measurements> = by_tolerance.into_iter().rev().enumerate().map(kind).collect();
    let line = middle.map(|(_, name)| name).filter(|name| !name.is_empty());
    let at = line.map_or(String::new(), |name| format!(" at {name}"));
    let title = titled(plot, &format!("threshold by stopping rule{at}"));
    let caption = format!("{} at which half succeed", x.name());
    measured(
        &title,
        ("iterations of descent; colour: relative error", &caption),
        (Scale::Log, Scale::Linear),
        Some(ends).filter(|_| !kinds.is_empty()),
        &kinds,
        &[],
    )
}

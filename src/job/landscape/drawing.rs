//! The figures of a landscape.

use super::LandscapeOutcome;
use crate::draw::{Colour, Field, Figure, Mark, Rung, Scale, Series, contours, ladder, lines};
use crate::error::Result;
use crate::job::words::brief;
use crate::landscape::{CriticalPoint, Levels, PathEnd, Plane, Slice, SlicePath, descent_path};
use crate::linalg::Matrix;
use crate::risk::Objective;
use crate::risk::population::along_line;
use crate::watch::Watch;

/// Points of a slice along each axis.
const GRID: usize = 321;
/// Contours of a slice.
const CONTOURS: usize = 11;
/// Multiplications spent on a path of descent, about.
const PATH_WORK: f64 = 2e9;
/// Descent is followed down to this share of the barrier, or of the risk of W = 0.
const GOAL: f64 = 1e-8;
/// How far the unsafe start stands from the saddle, as a share of the way to the minimum.
const NEARBY: f64 = 1e-4;

/// Draw everything there is.
pub(super) fn figures(report: &LandscapeOutcome, watch: Watch<'_>) -> Result<Vec<(&'static str, Figure)>> {
    let mut drawn = vec![("levels", level_diagram(report))];
    let Some(scene) = Scene::new(report, watch) else { return Ok(drawn) };
    drawn.push(("line", scene.line()));
    let plane = Plane::through(&scene.truth, &scene.saddle, report.landscape.outputs()).ok();
    let paths = scene.paths(plane.as_ref());
    drawn.push(("descent", scene.descent(&paths)));
    if let Some(plane) = plane {
        let slice = plane.population(&report.risk);
        drawn.push(("slice", scene.slice(&plane, &slice, &paths, "The population risk")));
        if let Some((data, _)) = &report.data {
            let title = format!("The risk on {} samples", data.n());
            // Paths and barrier belong to the population.
            drawn.push(("slice-data", scene.slice(&plane, &plane.empirical(data)?, &[], &title)));
        }
    }
    Ok(drawn)
}

fn level_diagram(report: &LandscapeOutcome) -> Figure {
    let label = |index: Option<u64>| index.map_or(String::new(), |index| format!("index {index}"));
    let of_point =
        |point: &CriticalPoint| Rung { column: point.subset.len(), level: point.level, label: label(point.index) };
    let (rungs, part): (Vec<Rung>, &str) = match &report.levels {
        Levels::All(levels) if levels.len() <= 4096 => (
            levels.iter().filter_map(|level| report.landscape.point_of(level)).map(|point| of_point(&point)).collect(),
            "",
        ),
        // Labels would not be seen among so many.
        Levels::All(levels) => {
            let rung = |mask: u32, level| Rung { column: mask.count_ones() as usize, level, label: String::new() };
            (levels.iter().map(|level| rung(level.mask, level.level)).collect(), "")
        }
        Levels::Ends { lowest, highest } => {
            // The least of every rank is a critical level too.
            let least = report.landscape.barriers().unwrap_or_default().into_iter().enumerate();
            let least = least.map(|(column, level)| Rung { column, level, label: String::new() });
            (
                lowest.iter().chain(highest).map(of_point).chain(least).collect(),
                " (the ends, and the least of each rank)",
            )
        }
    };
    let columns = report.landscape.inputs().min(report.landscape.width()) + 1;
    let barrier = report.landscape.barrier().filter(|barrier| *barrier > 0.0);
    let title = format!("Critical levels by rank{part}");
    ladder(&title, ("rank of W", "risk L"), columns, &rungs, barrier.map(|barrier| (barrier, "barrier")))
}

/// Critical points to look at, and starts.
struct Scene<'a> {
    report: &'a LandscapeOutcome,
    watch: Watch<'a>,
    /// The lowest critical point: the teacher, where the student can be it.
    truth: Matrix,
    truth_name: String,
    /// The student can be the teacher, and there is a barrier around it.
    has_safe_starts: bool,
    /// The saddle next to it: the lowest of smaller rank.
    saddle: Matrix,
    saddle_name: String,
    /// A risk to compare others with.
    unit: f64,
}

/// One run of descent.
struct DrawnRun {
    name: &'static str,
    colour: Colour,
    path: SlicePath,
}

impl<'a> Scene<'a> {
    /// `None` when W = 0 is the only critical point.
    fn new(report: &'a LandscapeOutcome, watch: Watch<'a>) -> Option<Scene<'a>> {
        let landscape = &report.landscape;
        let points: Vec<CriticalPoint> = match &report.levels {
            Levels::All(levels) => levels.iter().take(64).filter_map(|level| landscape.point_of(level)).collect(),
            Levels::Ends { lowest, .. } => lowest.clone(),
        };
        let truth = points.first().filter(|point| !point.subset.is_empty())?;
        let smaller = || points.iter().skip(1).filter(|point| point.subset.len() < truth.subset.len());
        let none = || landscape.critical_point(&[]);
        let saddle = smaller().find(|point| !point.subset.is_empty()).cloned().or_else(none)?;
        let unit = landscape.barrier().filter(|barrier| *barrier > 0.0);
        let unit = unit.or_else(|| none().map(|point| point.level)).unwrap_or(1.0);
        let reached = truth.level <= 1e-12 * unit;
        let barrier = landscape.barrier().is_some_and(|barrier| barrier > 0.0);
        Some(Scene {
            report,
            watch: watch.quietly(),
            truth_name: if reached { "teacher".into() } else { format!("minimum, L = {}", brief(truth.level)) },
            has_safe_starts: reached && barrier,
            truth: landscape.representative(truth),
            saddle_name: if saddle.subset.is_empty() {
                "W = 0".into()
            } else {
                format!("saddle, L = {}", brief(saddle.level))
            },
            saddle: landscape.representative(&saddle),
            unit,
        })
    }

    /// From the asked start, from a point below the barrier, and from next to the saddle.
    fn paths(&self, plane: Option<&Plane>) -> Vec<DrawnRun> {
        let (m, d) = (self.truth.rows() as f64, self.truth.cols() as f64);
        let iterations = ((PATH_WORK / (6.0 * m * d * d)) as usize).clamp(40, 4000);
        let end = PathEnd { goal: GOAL * self.unit, iterations };
        let run = |name, colour, W: &Matrix| {
            let path = descent_path(&self.report.risk, W.as_slice(), plane, end, self.watch);
            DrawnRun { name, colour, path }
        };
        let mix = |share: f64| {
            let (from, to) = (self.saddle.as_slice(), self.truth.as_slice());
            let entries = from.iter().zip(to).map(|(a, b)| a + share * (b - a)).collect();
            Matrix::from_vec(self.truth.rows(), self.truth.cols(), entries)
        };
        let mut runs = vec![run("from next to the saddle", Colour::BLUE, &mix(NEARBY))];
        if self.has_safe_starts {
            runs.push(run("from a safe start", Colour::GREEN, &self.safe()));
        }
        runs.push(run("from the given start", Colour::Rgb(150, 60, 150), &self.report.start.network.W));
        runs
    }

    /// The teacher, longer by as much as 0.9 of the barrier allows.
    fn safe(&self) -> Matrix {
        let at = |t: f64| Matrix::from_fn(self.truth.rows(), self.truth.cols(), |i, j| (1.0 + t) * self.truth[(i, j)]);
        let below = |t: f64| self.report.risk.value(at(t).as_slice()).objective < 0.9 * self.unit;
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if below(middle) { low = middle } else { high = middle }
        }
        at(low)
    }

    fn slice(&self, plane: &Plane, slice: &Slice, runs: &[DrawnRun], what: &str) -> Figure {
        let (truth, saddle) = (plane.coordinates(self.truth.as_slice()), plane.coordinates(self.saddle.as_slice()));
        let field = field(truth, saddle, slice);
        let mut marks =
            vec![Mark { name: "W = 0".into(), at: (0.0, 0.0) }, Mark { name: self.truth_name.clone(), at: truth }];
        if saddle != (0.0, 0.0) {
            marks.push(Mark { name: self.saddle_name.clone(), at: saddle });
        }
        // Only what lies in the plane is shown in it: a projection could cross contours upwards.
        let population = plane.population(&self.report.risk);
        let inside = |run: &&DrawnRun| {
            let pairs = run.path.places.iter().zip(&run.path.risks).step_by(7);
            pairs.into_iter().all(|(place, risk)| (population.risk(*place) - risk).abs() <= 0.02 * (risk + self.unit))
        };
        let series: Vec<Series> = runs.iter().filter(inside).map(|run| seen(run, &run.path.places)).collect();
        let title = format!("{what} on the plane of 0, a minimum and a saddle");
        let barrier =
            self.report.landscape.barrier().filter(|barrier| *barrier > 0.0).map(|barrier| (barrier, "barrier"));
        let captions = ("towards the minimum", "across, towards the saddle");
        contours(&title, captions, &field, &contour_levels(&field), barrier, (&marks, &series))
    }

    fn line(&self) -> Figure {
        const POINTS: usize = 161;
        let zero = Matrix::zeros(self.truth.rows(), self.truth.cols());
        let series = |name: &str, colour, from: &Matrix, to: &Matrix| {
            let mut U = to.clone();
            U.as_mut_slice().iter_mut().zip(from.as_slice()).for_each(|(u, w)| *u -= w);
            let quartic = along_line(&self.report.risk, from.as_slice(), U.as_slice());
            let at = |i: usize| -0.25 + 1.5 * i as f64 / (POINTS - 1) as f64;
            let risk = |t: f64| quartic.iter().rev().fold(0.0, |sum, c| sum * t + c).max(0.0);
            let points = (0..POINTS).map(|i| (at(i), risk(at(i)))).collect();
            Series { name: name.into(), colour, points }
        };
        let mut all = vec![series("from W = 0 to the minimum", Colour::BLUE, &zero, &self.truth)];
        if self.saddle != zero {
            all.push(series("from the saddle to the minimum", Colour::ORANGE, &self.saddle, &self.truth));
            all.push(series("from W = 0 to the saddle", Colour::GREEN, &zero, &self.saddle));
        }
        let captions = ("share of the way", "risk L");
        lines("Risk along straight lines between critical points", captions, (Scale::Linear, Scale::Linear), &all)
    }

    fn descent(&self, runs: &[DrawnRun]) -> Figure {
        let risks = |run: &DrawnRun| -> Vec<(f64, f64)> {
            run.path.risks.iter().enumerate().map(|(at, risk)| (at as f64, *risk)).collect()
        };
        let mut all: Vec<Series> = runs.iter().map(|run| seen(run, &risks(run))).collect();
        let longest = runs.iter().map(|run| run.path.risks.len()).max().unwrap_or(1) as f64 - 1.0;
        if let Some(barrier) = self.report.landscape.barrier().filter(|barrier| *barrier > 0.0) {
            let steps = (0..=100).map(|i| (longest * f64::from(i) / 100.0, barrier)).collect();
            // Below the curves, since a plateau may lie on it.
            all.insert(0, Series { name: "barrier".into(), colour: Colour::ORANGE, points: steps });
        }
        lines("Gradient descent on the population risk", ("iteration", "risk L"), (Scale::Linear, Scale::Log), &all)
    }
}

/// A run as a curve of at most a thousand points.
fn seen(run: &DrawnRun, points: &[(f64, f64)]) -> Series {
    let every = points.len().div_ceil(1000).max(1);
    let points = points.iter().enumerate().filter(|(at, _)| at % every == 0 || at + 1 == points.len());
    Series { name: run.name.into(), colour: run.colour, points: points.map(|(_, point)| *point).collect() }
}

/// Around the three points, with room; around two of them where 0 is far away.
fn field(truth: (f64, f64), saddle: (f64, f64), slice: &Slice) -> Field {
    const FAR: f64 = 5.0;
    let apart = (truth.0 - saddle.0).hypot(truth.1 - saddle.1);
    let far = truth.0.hypot(truth.1) > FAR * apart && apart > 0.0;
    // Next to the teacher the valley runs across: narrower sideways, it is seen better.
    let (origin, sideways, upwards) = if far { (truth, 0.25, 0.6) } else { ((0.0, 0.0), 0.35, 0.35) };
    let ends = |a: f64, b: f64, c: f64| (a.min(b).min(c), a.max(b).max(c));
    let ((left, right), (low, high)) = (ends(truth.0, saddle.0, origin.0), ends(truth.1, saddle.1, origin.1));
    let reach = (right - left).max(high - low);
    let middle = (0.5 * (left + right), 0.5 * (low + high));
    let half = (0.5 * (right - left) + sideways * reach, (0.5 * (high - low) + upwards * reach).max(0.55 * reach));
    let (x, y) = ((middle.0 - half.0, middle.0 + half.0), (middle.1 - half.1, middle.1 + half.1));
    let along = |(from, to): (f64, f64), at: usize| from + (to - from) * at as f64 / (GRID - 1) as f64;
    Field { x, y, values: Matrix::from_fn(GRID, GRID, |i, j| slice.risk((along(x, j), along(y, i)))) }
}

/// Equal steps of the fourth root: the risk is a quartic, so that lines are about as far apart everywhere.
fn contour_levels(field: &Field) -> Vec<f64> {
    let roots = |pick: fn(f64, f64) -> f64, start: f64| {
        field.values.as_slice().iter().fold(start, |m, x| pick(m, *x)).powf(0.25)
    };
    let (least, most) = (roots(f64::min, f64::INFINITY), roots(f64::max, 0.0));
    // The lowest of all would be drawn where the grid no longer sees the valley.
    (2..=CONTOURS + 1).map(|i| (least + (most - least) * i as f64 / (CONTOURS + 2) as f64).powi(4)).collect()
}

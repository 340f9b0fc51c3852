//! Ge, Lee and Ma, Figure 1: a relu student of a relu teacher, on fresh samples and on the population.

use serde::Deserialize;

use super::fresh_samples::{self, Observation, Schedule};
use super::study_runs::{Meter, Runs, marked, settings, trajectory};
use super::threshold_marks::dashed_curve;
use super::{Drawn, Study, StudyFinding, StudyLayout, StudyTable};
use crate::draw::{Colour, Measured, Scale, measured};
use crate::error::Result;
use crate::linalg::{Matrix, try_map_tasks};
use crate::network::{Layers, Network};
use crate::optimise::{GradientDescent, Lbfgs, Monitor, Step, Stop, descent, lbfgs};
use crate::recover::designed::PlainRisk;
use crate::recover::{align, error_of};
use crate::risk::Objective;
use crate::statistics::intervals::mean;
use crate::statistics::intervals::wilson;
use crate::watch::Watch;

pub(super) const STUDY: Study = Study {
    name: "glm-1",
    source: "Ge, Lee and Ma, Figure 1",
    shows: "a relu student of a relu teacher: on fresh samples, and where descent on the exact population risk ends",
    published: "none of five runs reaches zero risk (d = 50, batch 256)",
    protocol: "x ~ N(0, I), B* = I, a* = 1, a = 1 fixed, B₀ with entries N(0, 1/d); steps of 0.01 of the mean of r² for 10000 \
               iterations, then a quarter every 5000, down to 6e-10 (the quick version has two runs and stops at 6e-4). Beside it \
               descent on the population risk in closed form, from several starts.",
    reasons: "Found as published. What stops the runs on samples is mostly their shrinking step: descent on the population risk \
              itself, without samples, goes an order of magnitude lower, and there it ends, not at zero. Its ends are a quantised family: \
              every unit of the teacher is found up to its sign and a small tilt, s of them with the wrong sign, and the risk depends on d and s alone. \
              relu(z) and relu(−z) differ by z only, and tilted together the other units make up for a linear part; e does not see signs. So the \
              local minima that the publication conjectures are there and can be counted.",
    layout: StudyLayout::Runs(Runs { text: include_str!("glm-1.toml"), draw }),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Glm1Settings {
    #[serde(rename = "name")]
    _name: String,
    seed: u64,
    samples: FreshSamples,
    population: Population,
}

/// Stochastic gradient descent on fresh samples.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FreshSamples {
    inputs: usize,
    runs: u64,
    batch: usize,
    steps: Schedule,
}

/// Descent on the population risk.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Population {
    inputs: Vec<usize>,
    starts: u64,
    step: f64,
    iterations: usize,
    gradient: f64,
    /// (d, s) whose risk is among the findings.
    shown: Vec<(usize, usize)>,
}

/// Below, a run has reached the teacher.
const REACHED: f64 = 1e-3;
const COLOURS: [Colour; 3] = [Colour::GREEN, Colour::ORANGE, Colour::BLUE];

/// E r² of Ge, Lee and Ma, who have no ½.
fn risk(objective: &PlainRisk, B: &Matrix) -> f64 {
    2.0 * objective.value(B.as_slice()).objective.max(0.0)
}

fn plain(d: usize) -> Result<PlainRisk> {
    PlainRisk::of_teacher(&fresh_samples::teacher(d, 0)?.network, vec![1.0; d])
}

/// Where a descent on the population ended: units of the wrong sign, the risk, e.
pub(super) struct DescentEnd {
    pub wrong: usize,
    pub risk: f64,
    pub error: f64,
}

fn read(objective: &PlainRisk, B: &Matrix) -> Result<DescentEnd> {
    let d = B.cols();
    let (units, teacher, ones) = (B, Matrix::identity(d), vec![1.0; d]);
    let alignment = align((units, &ones), (&teacher, &ones))?;
    let wrong = alignment.pairs.iter().filter(|pair| pair.flipped).count();
    Ok(DescentEnd { wrong, risk: risk(objective, B), error: error_of(B, d) })
}

/// Descent on the exact population risk from N(0, 1/d).
fn population_end(d: usize, seed: u64, start: u64, population: &Population, meter: &Meter<'_>) -> Result<DescentEnd> {
    let objective = plain(d)?;
    let stop = Stop { gradient: population.gradient, iterations: population.iterations, ..Stop::default() };
    let options = GradientDescent { step: Step::Adaptive(population.step) };
    let theta = fresh_samples::start(d, seed, start).into_vec();
    let end = descent(&objective, theta, &options, &mut Monitor::new(stop).watched(meter.watch()));
    meter.add(weight(d));
    read(&objective, &Matrix::from_vec(d, d, end))
}

/// The stationary point with these signs: reached from diag(±1), whose symmetry descent keeps.
fn family(d: usize, wrong: usize, meter: &Meter<'_>) -> Result<f64> {
    let objective = plain(d)?;
    let sign = |i: usize| if i < wrong { -1.0 } else { 1.0 };
    let start = Matrix::from_fn(d, d, |i, j| if i == j { sign(i) } else { 0.0 });
    let stop = Stop { gradient: 1e-9, iterations: 2000, ..Stop::default() };
    let end = lbfgs(&objective, start.into_vec(), &Lbfgs::default(), &mut Monitor::new(stop).watched(meter.watch()));
    Ok(risk(&objective, &Matrix::from_vec(d, d, end)))
}

/// About how long a descent takes, in iterations on samples.
fn weight(d: usize) -> usize {
    8 * d * d
}

fn sample_run(samples: &FreshSamples, seed: u64, run: u64, meter: &Meter<'_>) -> Result<Vec<Observation>> {
    let d = samples.inputs;
    let teacher = fresh_samples::teacher(d, seed + 1 + run)?;
    let objective = plain(d)?;
    let student = Network::new(teacher.network.activation.clone(), fresh_samples::start(d, seed, run), vec![1.0; d])?;
    let mut observations = Vec::new();
    let slope = |t: usize, B: &Matrix| {
        let mut student = student.clone();
        student.set_parameters(Layers::Hidden, B.as_slice());
        fresh_samples::batch_slope(&teacher, &student, samples.batch, t)
    };
    let observe = |t: usize, B: &Matrix| {
        observations.push(Observation { iteration: t, objective: risk(&objective, B), error: error_of(B, d) });
        true
    };
    fresh_samples::follow(student.W.clone(), &samples.steps, meter, slope, |_| (), observe)?;
    Ok(observations)
}

/// The figure.
fn draw(text: &str, watch: Watch<'_>) -> Result<Drawn> {
    let Glm1Settings { seed, samples, population, .. } = settings(text)?;
    let sampled = samples.runs as usize * fresh_samples::length(&samples.steps);
    let descents: usize = population.inputs.iter().map(|d| population.starts as usize * weight(*d)).sum();
    let meter = Meter::new(watch, sampled + descents);
    let runs: Vec<Vec<Observation>> =
        try_map_tasks(samples.runs as usize, |run| sample_run(&samples, seed, run as u64, &meter))?;
    let mut ends: Vec<(usize, Vec<DescentEnd>, Vec<f64>)> = Vec::new();
    for d in population.inputs.iter().copied() {
        let found: Vec<DescentEnd> = try_map_tasks(population.starts as usize, |start| {
            population_end(d, seed, start as u64, &population, &meter)
        })?;
        let listed = population.shown.iter().filter(|(inputs, _)| *inputs == d).map(|(_, wrong)| *wrong);
        let most = found.iter().map(|end| end.wrong).chain(listed).max().unwrap_or(0);
        let levels = try_map_tasks(most + 1, |wrong| family(d, wrong, &meter))?;
        ends.push((d, found, levels));
    }
    let made = runs.len() + ends.iter().map(|(_, found, _)| found.len()).sum::<usize>();
    let (table, findings) = (table(&samples, &runs, &ends), findings(&samples, &population, &runs, &ends));
    Ok(Drawn { figure: figure(&samples, &runs, &ends), table, findings, runs: made })
}

type Ends = [(usize, Vec<DescentEnd>, Vec<f64>)];

fn figure(samples: &FreshSamples, runs: &[Vec<Observation>], ends: &Ends) -> crate::draw::Figure {
    let d = samples.inputs;
    let curve = |what: fn(&Observation) -> f64, name: &str| {
        let one = |(run, observations): (usize, &Vec<Observation>)| {
            trajectory(
                name,
                run,
                Colour::BLUE,
                observations.iter().map(|seen| (seen.iteration as f64, what(seen))).collect(),
            )
        };
        runs.iter().enumerate().map(one).collect::<Vec<_>>()
    };
    let last = fresh_samples::length(&samples.steps) as f64;
    let mut risks =
        curve(|seen| seen.objective, &format!("{} runs on fresh samples, batch {}", runs.len(), samples.batch));
    if let Some((_, found, _)) = ends.iter().find(|(inputs, _, _)| *inputs == d) {
        for (at, end) in found.iter().enumerate() {
            let name = if at == 0 { "where exact population descent ends" } else { "" };
            risks.push(dashed_curve(name, vec![(1.0, end.risk), (last, end.risk)], Colour::ORANGE));
        }
    }
    let errors = curve(|seen| seen.error, "");
    let title =
        format!("relu student, relu teacher: the risk does not reach zero\nd = {d}, B* = I, a* = 1, as published");
    let scales = (Scale::Log, Scale::Log);
    let first = measured(&title, ("iteration", "risk E r²"), scales, None, &risks, &[]);
    let title = "The error of the units on the same runs\n0 is recovery up to signs";
    let second = measured(title, ("iteration", "e"), (Scale::Log, Scale::Linear), Some((0.0, 1.0)), &errors, &[]);
    first.above(second).above(ends_figure(ends))
}

/// Where descent on the population ends, by the number of wrong signs.
fn ends_figure(ends: &Ends) -> crate::draw::Figure {
    let mut kinds = Vec::new();
    for ((d, found, levels), colour) in ends.iter().zip(COLOURS) {
        let mark = |end: &DescentEnd| Measured { x: end.wrong as f64, y: end.risk, low: f64::NAN, high: f64::NAN };
        kinds.push(marked(&format!("d = {d}, {} starts", found.len()), colour, found.iter().map(mark).collect()));
        let curve = levels.iter().enumerate().map(|(wrong, level)| (wrong as f64, *level)).collect();
        kinds.push(dashed_curve(&format!("d = {d}, from diag(±1)"), curve, colour));
    }
    let title =
        "Where exact population descent ends\nevery unit found up to sign and tilt, s of them with the wrong sign";
    let captions = ("units with the wrong sign, s", "risk E r²");
    measured(title, captions, (Scale::Linear, Scale::Linear), Some((0.0, 0.0)), &kinds, &[])
}

fn table(samples: &FreshSamples, runs: &[Vec<Observation>], ends: &Ends) -> StudyTable {
    let columns = vec!["reading", "d", "run", "iteration", "wrong_signs", "risk", "e"];
    let mut rows = Vec::new();
    for (run, observations) in runs.iter().enumerate() {
        for Observation { iteration, objective: risk, error } in observations {
            let numbers = vec![samples.inputs as f64, run as f64, *iteration as f64, f64::NAN, *risk, *error];
            rows.push(("fresh samples".to_owned(), numbers));
        }
    }
    for (d, found, levels) in ends {
        for (start, DescentEnd { wrong, risk, error }) in found.iter().enumerate() {
            let numbers = vec![*d as f64, start as f64, f64::NAN, *wrong as f64, *risk, *error];
            rows.push(("population descent".to_owned(), numbers));
        }
        for (wrong, risk) in levels.iter().enumerate() {
            let numbers = vec![*d as f64, f64::NAN, f64::NAN, wrong as f64, *risk, f64::NAN];
            rows.push(("from diag(±1)".to_owned(), numbers));
        }
    }
    StudyTable { columns, rows }
}

fn findings(
    samples: &FreshSamples,
    population: &Population,
    runs: &[Vec<Observation>],
    ends: &Ends,
) -> Vec<StudyFinding> {
    let last: Vec<&Observation> = runs.iter().filter_map(|observations| observations.last()).collect();
    let reached = last.iter().filter(|seen| seen.objective < REACHED).count();
    let (low, high) = wilson(reached, last.len());
    let d = samples.inputs;
    let what = format!("share of {} runs on samples that reach the teacher, d = {d}", last.len());
    let share = reached as f64 / last.len().max(1) as f64;
    let mut findings = vec![StudyFinding::within(what, (share, low, high)).against(0.0)];
    let mean_of = |what: fn(&Observation) -> f64| mean(&last.iter().map(|seen| what(seen)).collect::<Vec<f64>>());
    findings
        .push(StudyFinding::within(format!("risk E r² where they end, d = {d}, mean"), mean_of(|seen| seen.objective)));
    findings.push(StudyFinding::within(format!("e where they end, d = {d}, mean"), mean_of(|seen| seen.error)));
    for (d, found, levels) in ends {
        let stuck = found.iter().filter(|end| end.risk > REACHED).count();
        let (low, high) = wilson(stuck, found.len());
        let share = stuck as f64 / found.len().max(1) as f64;
        let what = format!("share of population descents that end above zero, d = {d}");
        findings.push(StudyFinding::within(what, (share, low, high)));
        let off = |end: &DescentEnd| levels.get(end.wrong).map_or(f64::INFINITY, |level| (end.risk - level).abs());
        let what = format!("largest distance of such an end from the risk of its (d, s), d = {d}");
        findings.push(StudyFinding::exact(what, found.iter().map(off).fold(0.0, f64::max)));
        for (_, wrong) in population.shown.iter().filter(|(inputs, _)| inputs == d) {
            let level = levels.get(*wrong).copied().unwrap_or(f64::NAN);
            findings.push(StudyFinding::exact(format!("risk E r² with s = {wrong} wrong signs, d = {d}"), level));
        }
    }
    findings
}

//! Oymak and Soltanolkotabi, Corollary 2.2 and Theorem 2.6: how far descent and stochastic descent go, against √n.

use serde::Deserialize;

use super::super::grid::GridCell;
use super::super::protocol::network_seed;
use super::study_runs::{Meter, Runs, mark, marked, settings};
use super::threshold_marks::dashed_curve;
use super::{Drawn, Study, StudyFinding, StudyLayout, StudyTable};
use crate::activation::Activation;
use crate::data::Data;
use crate::data::teacher::{Design, Hidden, Outputs, Teacher};
use crate::draw::{Colour, Measured, Scale, measured};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, dot, norm, solve_positive_definite, try_map_tasks};
use crate::network::{Layers, Network};
use crate::optimise::{
    GradientDescent, Monitor, SampleSource, Sgd, Step, Stop, TraceRow, descent, sgd, theoretical_step,
};
use crate::random::{Purpose, Stream};
use crate::risk::{Decay, EmpiricalRisk};
use crate::spectrum::{average_curvature, jacobian_gram, khatri_rao_smallest};
use crate::statistics::intervals::{exponent, geometric_mean, mean};
use crate::watch::Watch;

pub(super) const STUDY: Study = Study {
    name: "os-path",
    source: "Oymak and Soltanolkotabi, Corollary 2.2 and Theorem 2.6 (no figure there)",
    shows: "distance from the start and length of the path over n, descent and stochastic descent, softplus on the sphere",
    published: "‖W − W₀‖ ≤ c√n for kd ≥ Cn², by descent and with high probability by SGD; c and C not given",
    protocol: "x on the unit sphere, y ~ N(0, 1), n = 2d, kd = n², v = ±‖y‖/√(kn) fixed, W₀ ~ N(0, 1); descent with \
               the step n/(2‖y‖²‖X‖²) of the corollary, SGD on single samples with the step n/(2‖y‖²), both to relative error 1e-3.",
    reasons: "Both go as far as the linearised network would, ‖J₀⁺r₀‖, and that is of the order √n as stated, a few times less than the bound \
              of Theorem 2.1, which pays for the worst direction. Descent goes there nearly straight. SGD ends as near, but its path \
              is longer: the publication bounds its distance alone. Its step there is smaller than ours by about 1e-4 \
              and would take that much longer; samples are visited in a new random order in every epoch rather than drawn independently.",
    layout: StudyLayout::Runs(Runs { text: include_str!("os-path.toml"), draw }),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OsPathSettings {
    #[serde(rename = "name")]
    _name: String,
    seed: u64,
    activation: String,
    /// n
    samples: Vec<usize>,
    /// n/d
    samples_per_input: f64,
    /// kd/n²
    parameters_per_square: f64,
    trials: usize,
    /// Runs end at this relative error.
    tolerance: f64,
    /// Of descent.
    iterations: usize,
    sgd: Stochastic,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stochastic {
    /// η of single samples, as a share of n/‖y‖².
    step: f64,
    epochs: usize,
}

/// One problem, and how far each way went.
struct PathLengths {
    n: usize,
    descent: TraceRow,
    sgd: TraceRow,
    /// ‖J₀⁺r₀‖, the distance if f were linear in W.
    linear: f64,
    /// The bound of Theorem 2.1 on the path of descent.
    bound: f64,
}

impl OsPathSettings {
    fn sizes(&self, n: usize) -> GridCell {
        let d = (n as f64 / self.samples_per_input).round() as usize;
        let k = (self.parameters_per_square * (n * n) as f64 / d as f64 / 2.0).round() as usize * 2;
        GridCell { n, k, d }
    }

    fn problem(&self, cell: GridCell, seed: u64) -> Result<(Data, Network)> {
        let GridCell { n, k, d } = cell;
        let activation: Activation = self.activation.parse()?;
        let mut inputs = Teacher::plant(activation.clone(), (1, d), &Hidden::Gaussian, &Outputs::Ones, seed)?;
        inputs.design = Design::Sphere;
        let mut data = inputs.sample(0..n as u64)?;
        data.y = (0..n as u64).map(|i| Stream::new(seed, Purpose::Noise, i).normal()).collect();
        let size = norm(&data.y) / ((k * n) as f64).sqrt();
        let v = (0..k).map(|j| if j < k / 2 { size } else { -size }).collect();
        let mut weights = Stream::new(seed, Purpose::Start, 0);
        let network = Network::new(activation, Matrix::from_fn(k, d, |_, _| weights.normal()), v)?;
        Ok((data, network))
    }

    fn path_lengths(&self, n: usize, trial: usize, meter: &Meter<'_>) -> Result<PathLengths> {
        let cell = self.sizes(n);
        let seed = network_seed(self.seed, cell, trial);
        let (data, network) = self.problem(cell, seed)?;
        let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::None)?;
        let stop = |iterations| Stop { gradient: 0.0, relative_error: self.tolerance, iterations, ..Stop::default() };
        let mut monitor = Monitor::new(stop(self.iterations)).watched(meter.watch());
        let step = Step::Fixed(theoretical_step(&network, &data, Layers::Hidden)?);
        descent(&risk, network.parameters(Layers::Hidden), &GradientDescent { step }, &mut monitor);
        let by_descent = last(monitor)?;
        meter.add(n);
        let mut monitor = Monitor::new(stop(self.sgd.epochs * n)).watched(meter.watch());
        let options = Sgd { step: self.sgd.step * n as f64 / dot(&data.y, &data.y), batch: 1, seed, ..Sgd::default() };
        sgd(SampleSource::Data(&data), &network, (Layers::Hidden, Decay::None), &options, &mut monitor)?;
        let by_sgd = last(monitor)?;
        meter.add(n);
        let r: Vec<f64> = network.predict(&data.X)?.iter().zip(&data.y).map(|(f, y)| f - y).collect();
        let K = jacobian_gram(&network, &data.X, Layers::Hidden);
        let linear = solve_positive_definite(&K, &r).map_or(f64::NAN, |solved| dot(&r, &solved).sqrt());
        let smallest = khatri_rao_smallest(&data.X, 2).unwrap_or(f64::NAN);
        let mu = average_curvature(&network.activation, 1.0);
        let bound = 32.0_f64.sqrt() / mu * (n as f64).sqrt() / norm(&data.y) * norm(&r) / smallest;
        Ok(PathLengths { n, descent: by_descent, sgd: by_sgd, linear, bound })
    }
}

fn last(monitor: Monitor<'_>) -> Result<TraceRow> {
    monitor.into_trace().records.last().copied().ok_or(Error::NotFinite { what: "the loss" })
}

/// What is drawn.
#[derive(Clone, Copy)]
struct LengthReading {
    name: &'static str,
    colour: Colour,
    read: fn(&PathLengths) -> f64,
    /// The exponent in n, where one was published.
    published: Option<f64>,
}

const WAYS: [LengthReading; 4] = [
    LengthReading {
        name: "distance, descent",
        colour: Colour::BLUE,
        read: |found| found.descent.distance,
        published: Some(0.5),
    },
    LengthReading {
        name: "path, descent",
        colour: Colour::GREEN,
        read: |found| found.descent.path,
        published: Some(0.5),
    },
    LengthReading {
        name: "distance, SGD",
        colour: Colour::ORANGE,
        read: |found| found.sgd.distance,
        published: Some(0.5),
    },
    LengthReading { name: "path, SGD", colour: Colour::GREY, read: |found| found.sgd.path, published: None },
];

/// Marks stand a little beside each other, so that none hides another.
const BESIDE: [f64; 4] = [0.985, 1.0, 1.015, 1.0];

/// The figure.
fn draw(text: &str, watch: Watch<'_>) -> Result<Drawn> {
    let settings: OsPathSettings = settings(text)?;
    // The longest first.
    let all: Vec<(usize, usize)> =
        settings.samples.iter().rev().flat_map(|n| (0..settings.trials).map(move |trial| (*n, trial))).collect();
    let meter = Meter::new(watch, all.iter().map(|(n, _)| 2 * n).sum());
    let mut found: Vec<PathLengths> =
        try_map_tasks(all.len(), |at| settings.path_lengths(all[at].0, all[at].1, &meter))?;
    found.sort_by_key(|found| found.n);
    let runs = 2 * found.len();
    Ok(Drawn {
        figure: figure(&settings, &found),
        table: table(&settings, &found),
        findings: findings(&settings, &found),
        runs,
    })
}

fn lengths_at(found: &[PathLengths], n: usize, read: fn(&PathLengths) -> f64) -> Vec<f64> {
    found.iter().filter(|found| found.n == n).map(read).collect()
}

fn figure(settings: &OsPathSettings, found: &[PathLengths]) -> crate::draw::Figure {
    let curve = |read: fn(&PathLengths) -> f64| -> Vec<(f64, f64)> {
        settings.samples.iter().map(|n| (*n as f64, geometric_mean(&lengths_at(found, *n, read)).0)).collect()
    };
    let mut kinds = Vec::new();
    for (beside, LengthReading { name, colour, read, .. }) in BESIDE.into_iter().zip(WAYS) {
        let one = |n: &usize| mark(beside * *n as f64, geometric_mean(&lengths_at(found, *n, read)));
        let marks: Vec<Measured> = settings.samples.iter().map(one).collect();
        let points: Vec<(f64, f64)> = found.iter().map(|found| (found.n as f64, read(found))).collect();
        let (p, low, high) = exponent(&points);
        kinds.push(marked(&format!("{name}: n^{p:.2} [{low:.2}, {high:.2}]"), colour, marks));
    }
    kinds.push(dashed_curve("distance if f were linear, ‖J₀⁺r₀‖", curve(|found| found.linear), Colour::Ink));
    kinds.push(dashed_curve("bound of Theorem 2.1 on the path of descent", curve(|found| found.bound), Colour::GREEN));
    if let (Some(first), Some(last)) = (settings.samples.first(), settings.samples.last()) {
        let (from, to) = (*first as f64, *last as f64);
        let level = 1.9 * geometric_mean(&lengths_at(found, *first, |found| found.descent.distance)).0;
        let line = vec![(from, level), (to, level * (to / from).sqrt())];
        kinds.push(dashed_curve("promised: c√n, c not given", line, Colour::PURPLE));
    }
    let OsPathSettings { samples_per_input: ratio, parameters_per_square: share, tolerance, .. } = settings;
    let below =
        format!("softplus on the sphere, n/d = {ratio}, kd/n² = {share}, W trained to relative error {tolerance:e}");
    let title = format!("How far descent goes\n{below}");
    measured(&title, ("samples n", "‖W − W₀‖ and length of the path"), (Scale::Log, Scale::Log), None, &kinds, &[])
}

fn table(settings: &OsPathSettings, found: &[PathLengths]) -> StudyTable {
    let columns = vec![
        "reading",
        "n",
        "k",
        "d",
        "iterations",
        "relative_error",
        "distance",
        "path",
        "linear_distance",
        "path_bound",
    ];
    let mut rows = Vec::new();
    for PathLengths { n, descent, sgd, linear, bound } in found {
        let GridCell { k, d, .. } = settings.sizes(*n);
        for (name, record) in [("descent", descent), ("sgd", sgd)] {
            let TraceRow { iteration, relative_error, distance, path, .. } = record;
            let sizes = [*n, k, d, *iteration].map(|x| x as f64);
            let numbers = sizes.into_iter().chain([*relative_error, *distance, *path, *linear, *bound]);
            rows.push((name.to_owned(), numbers.collect()));
        }
    }
    StudyTable { columns, rows }
}

fn findings(settings: &OsPathSettings, found: &[PathLengths]) -> Vec<StudyFinding> {
    let mut findings = Vec::new();
    for LengthReading { name, read, published, .. } in WAYS {
        let points: Vec<(f64, f64)> = found.iter().map(|found| (found.n as f64, read(found))).collect();
        let exponent = StudyFinding::within(format!("exponent in n of {name}"), exponent(&points));
        findings.push(StudyFinding { published, ..exponent });
    }
    let largest = settings.samples.last().copied().unwrap_or(0);
    for LengthReading { name, read, .. } in WAYS {
        let scaled: Vec<f64> = lengths_at(found, largest, read).iter().map(|x| x / (largest as f64).sqrt()).collect();
        findings.push(StudyFinding::within(format!("{name} over √n at n = {largest}, mean"), mean(&scaled)));
    }
    let share = |read: fn(&PathLengths) -> f64| mean(&lengths_at(found, largest, read));
    let what = format!("path of descent over its bound at n = {largest}, mean");
    findings.push(StudyFinding::within(what, share(|found| found.descent.path / found.bound)));
    let what = format!("distance of descent over ‖J₀⁺r₀‖ at n = {largest}, mean");
    findings.push(StudyFinding::within(what, share(|found| found.descent.distance / found.linear)));
    let open = found
        .iter()
        .filter(|found| [found.descent, found.sgd].iter().any(|record| !(record.relative_error <= settings.tolerance)));
    findings.push(StudyFinding::exact("problems on which a run did not reach the tolerance", open.count() as f64));
    findings
}

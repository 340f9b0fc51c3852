//! Soltanolkotabi, Javanmard and Lee, Theorem 2.5: the rate near a planted network, and from how far it attracts.
//!
//! Near θ* = (v*, W*) descent with step α multiplies the residual by I − αK, K = J*J*ᵀ/n, so that L falls by (1 − αλ)² at least,
//! λ the least of the min(n, k(d + 1)) eigenvalues of K that are not zero. The theorem promises 1 − cαd/n with a c that it
//! does not name.

use serde::Deserialize;

use super::super::grid::GridCell;
use super::super::protocol::network_seed;
use super::super::threshold::{Threshold, threshold};
use super::study_runs::{Meter, Runs, mark, marked, settings};
use super::threshold_marks::{dashed, dashed_curve};
use super::{Drawn, Study, StudyFinding, StudyLayout, StudyTable};
use crate::activation::Activation;
use crate::data::Data;
use crate::data::teacher::{Hidden, Outputs, Teacher};
use crate::draw::{Colour, Figure, Measured, Scale, Upright, measured};
use crate::error::{Error, Result};
use crate::linalg::{norm, symmetric_eigenvalues, try_map_tasks};
use crate::network::{Layers, Network};
use crate::optimise::{GradientDescent, Monitor, Step, Stop, descent};
use crate::random::{Purpose, Stream};
use crate::risk::{Decay, EmpiricalRisk, Objective};
use crate::spectrum::jacobian_gram;
use crate::statistics::intervals::{exponent, geometric_mean};
use crate::statistics::logistic::{Curve, Sample};
use crate::watch::Watch;

pub(super) const STUDY: Study = Study {
    name: "sjl-local",
    source: "Soltanolkotabi, Javanmard and Lee, Theorem 2.5 (no figure there)",
    shows: "rate of descent near a planted softplus network and from how far it attracts, over n/d, both layers trained",
    published: "L_τ ≤ (1 − cαd/n)^τ L₀ from within C·d^2.5/(n^1.5 k), for k ≥ d and n ≤ c₀d²; c, C and c₀ not given",
    protocol: "x ~ N(0, I), softplus(10z)/10, W* with entries N(0, 1/d), v* = 1. Rate: from W* + 0.01‖W*‖U and v* moved in \
               proportion, step 1/λ_max(J*J*ᵀ/n), until L has fallen by 1e8 or the iterations are used up. Attraction: from further \
               away along the same directions, adaptive steps, relative error 1e-3.",
    reasons: "The theorem is about the order and leaves its constants open, so its lines are drawn through one of our points. \
              The rate of the slowest part is 2λ_min(J*J*ᵀ/n), dashed; the mean rate over a run lies above it. At sizes that \
              can be trained it falls faster than d/n, for the theorem wants n small against d²: with d = 30 the exponent is nearer to −1 \
              than with d = 10, and c, which the theorem keeps fixed, falls less. The slowest part all but stops at n = k(d + 1), as many \
              samples as parameters, and returns beyond; marks there are means over as many iterations as were made. The region of \
              attraction is larger than the theorem's by far: with n well below the parameters every distance that was tried is within \
              it, as networks that interpolate are everywhere; near n = k(d + 1) it has a radius, which includes what the iterations did not suffice for.",
    layout: StudyLayout::Runs(Runs { text: include_str!("sjl-local.toml"), draw }),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SjlLocalSettings {
    #[serde(rename = "name")]
    _name: String,
    seed: u64,
    activation: String,
    networks: usize,
    size: Vec<Size>,
    rate: Rate,
    radius: Radius,
}

/// d and k, and the n/d at which they are looked at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Size {
    inputs: usize,
    units: usize,
    samples_per_input: Vec<f64>,
}

impl Size {
    fn samples(&self, ratio: f64) -> usize {
        (ratio * self.inputs as f64).round() as usize
    }

    /// k(d + 1)
    fn parameters(&self) -> usize {
        self.units * (self.inputs + 1)
    }

    fn name(&self) -> String {
        format!("d = {}, k = {}", self.inputs, self.units)
    }
}

/// From near by, with the step 1/λ_max(K).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rate {
    /// ‖W₀ − W*‖/‖W*‖
    distance: f64,
    iterations: usize,
    /// The loss falls by this factor.
    fall: f64,
}

/// From further and further away, with adaptive steps.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Radius {
    distances: Vec<f64>,
    iterations: usize,
    /// Attracted is a start whose relative error falls to this.
    tolerance: f64,
}

/// What was found of one planted network.
struct NetworkFinding {
    /// −ln(L_T/L_0)/(αT)
    rate: f64,
    /// 2λ
    predicted: f64,
    /// Which of the distances are attracted.
    attracted: Vec<bool>,
}

impl SjlLocalSettings {
    fn network_finding(&self, size: &Size, ratio: f64, network: usize, meter: &Meter<'_>) -> Result<NetworkFinding> {
        let (n, k, d) = (size.samples(ratio), size.units, size.inputs);
        let seed = network_seed(self.seed, GridCell { n, k, d }, network);
        let teacher = Teacher::plant(self.activation.parse()?, (k, d), &Hidden::Gaussian, &Outputs::Ones, seed)?;
        let data = teacher.sample(0..n as u64)?;
        let K = jacobian_gram(&teacher.network, &data.X, Layers::Both);
        let values = symmetric_eigenvalues(&K).ok_or(Error::NotFinite { what: "the Jacobian" })?;
        let at = |from_top: usize| values[n - from_top] / n as f64;
        let (largest, least) = (at(1), at(n.min(size.parameters())));
        let rate = self.rate_of(&teacher.network, &data, 1.0 / largest, seed, meter)?;
        meter.add(1);
        let mut attracted = Vec::new();
        for distance in &self.radius.distances {
            attracted.push(self.is_attracted(&teacher.network, &data, *distance, seed, meter)?);
            meter.add(1);
        }
        Ok(NetworkFinding { rate, predicted: 2.0 * least, attracted })
    }

    fn rate_of(&self, planted: &Network, data: &Data, step: f64, seed: u64, meter: &Meter<'_>) -> Result<f64> {
        let start = displaced(planted, self.rate.distance, seed);
        let risk = EmpiricalRisk::new(data, planted, Layers::Both, Decay::None)?;
        let before = risk.value(&start).objective;
        let stop = Stop {
            gradient: 0.0,
            objective: before / self.rate.fall,
            iterations: self.rate.iterations,
            ..Stop::default()
        };
        let mut monitor = Monitor::new(stop).watched(meter.watch());
        descent(&risk, start, &GradientDescent { step: Step::Fixed(step) }, &mut monitor);
        let trace = monitor.into_trace();
        let after = trace.records.last().map_or(f64::NAN, |record| record.objective);
        Ok((before / after).ln() / (step * trace.iterations as f64))
    }

    fn is_attracted(
        &self,
        planted: &Network,
        data: &Data,
        distance: f64,
        seed: u64,
        meter: &Meter<'_>,
    ) -> Result<bool> {
        let start = displaced(planted, distance, seed);
        let risk = EmpiricalRisk::new(data, planted, Layers::Both, Decay::None)?;
        let Radius { iterations, tolerance, .. } = self.radius;
        let stop = Stop { gradient: 0.0, relative_error: tolerance, iterations, ..Stop::default() };
        let end = descent(&risk, start, &GradientDescent::default(), &mut Monitor::new(stop).watched(meter.watch()));
        Ok(risk.value(&end).relative_error <= tolerance)
    }
}

/// W* + ρU with ‖U‖_F = 1, ρ = distance·‖W*‖_F, and v* ± ρ/√k: the proportion of (2.4) and (2.5).
fn displaced(planted: &Network, distance: f64, seed: u64) -> Vec<f64> {
    let mut network = planted.clone();
    let size = distance * norm(planted.W.as_slice());
    let mut direction = vec![0.0; planted.W.as_slice().len()];
    Stream::new(seed, Purpose::Start, 0).fill_normal(&mut direction);
    let length = norm(&direction);
    let weights = network.W.as_mut_slice().iter_mut().zip(&direction);
    weights.for_each(|(w, u)| *w += size * u / length);
    let mut signs = Stream::new(seed, Purpose::Start, 1);
    let shift = size / (planted.width() as f64).sqrt();
    network.v.iter_mut().for_each(|v| *v += shift * signs.sign());
    network.parameters(Layers::Both)
}

/// Of each n/d of a size, what was found of its networks.
struct SizeLine<'a> {
    size: &'a Size,
    by_ratio: Vec<(f64, Vec<NetworkFinding>)>,
    colour: Colour,
}

const COLOURS: [Colour; 3] = [Colour::BLUE, Colour::ORANGE, Colour::GREEN];

/// The figure.
fn draw(text: &str, watch: Watch<'_>) -> Result<Drawn> {
    let settings: SjlLocalSettings = settings(text)?;
    settings.activation.parse::<Activation>()?;
    let cells: usize = settings.size.iter().map(|size| size.samples_per_input.len()).sum();
    let runs = cells * settings.networks * (1 + settings.radius.distances.len());
    let meter = Meter::new(watch, runs);
    let mut lines = Vec::new();
    for (size, colour) in settings.size.iter().zip(COLOURS) {
        let ratios = &size.samples_per_input;
        let networks = |at: usize| {
            let one = |network| settings.network_finding(size, ratios[at], network, &meter);
            Ok((ratios[at], try_map_tasks(settings.networks, one)?))
        };
        let by_ratio = try_map_tasks(ratios.len(), networks)?;
        lines.push(SizeLine { size, by_ratio, colour });
    }
    let figure = rate_figure(&lines).above(radius_figure(&settings, &lines));
    Ok(Drawn { figure, table: table(&settings, &lines), findings: findings(&settings, &lines), runs })
}

fn rates(found: &[NetworkFinding]) -> Vec<f64> {
    found.iter().map(|found| found.rate).collect()
}

fn predictions(found: &[NetworkFinding]) -> Vec<f64> {
    found.iter().map(|found| found.predicted).collect()
}

/// The distance, as a share of ‖W*‖, from which half of the starts are attracted; by its logarithm.
fn radius(settings: &SjlLocalSettings, found: &[NetworkFinding]) -> Option<Threshold> {
    let sample = |(at, distance): (usize, &f64)| Sample {
        x: distance.log2(),
        groups: found.iter().map(|found| (usize::from(found.attracted[at]), 1)).collect(),
    };
    let samples: Vec<Sample> = settings.radius.distances.iter().enumerate().map(sample).collect();
    threshold(&samples, settings.seed).filter(|half| !half.is_beyond && half.high.is_finite())
}

/// c·x^p through a point.
fn power_line(from: (f64, f64), to: f64, power: f64) -> Vec<(f64, f64)> {
    let at = |x: f64| (x, from.1 * (x / from.0).powf(power));
    vec![at(from.0), at(to)]
}

/// n = k(d + 1) of each size.
fn parameter_counts(lines: &[SizeLine<'_>]) -> Vec<Upright> {
    let last = |line: &SizeLine<'_>| line.by_ratio.iter().map(|(x, _)| *x).fold(0.0, f64::max);
    let count = |line: &SizeLine<'_>| {
        let whole = line.size.parameters() as f64 / line.size.inputs as f64;
        (last(line) > whole).then(|| dashed(whole, &format!("n = k(d + 1), d = {}", line.size.inputs), Colour::Ink))
    };
    lines.iter().filter_map(count).collect()
}

fn rate_figure(lines: &[SizeLine<'_>]) -> Figure {
    let mut kinds = Vec::new();
    let mut promised = Vec::new();
    for SizeLine { size, by_ratio, colour } in lines {
        let marks = |values: fn(&[NetworkFinding]) -> Vec<f64>| -> Vec<Measured> {
            by_ratio.iter().map(|(x, found)| mark(*x, geometric_mean(&values(found)))).collect()
        };
        let (measured_rates, predicted) = (marks(rates), marks(predictions));
        if let (Some(first), Some(last)) = (measured_rates.first(), measured_rates.last()) {
            promised = power_line((first.x, first.y), last.x.max(3.0 * first.x), -1.0);
        }
        kinds.push(marked(&format!("measured, {}", size.name()), *colour, measured_rates));
        let curve = predicted.iter().map(|mark| (mark.x, mark.y)).collect();
        kinds.push(dashed_curve(&format!("slowest part, d = {}", size.inputs), curve, *colour));
    }
    kinds.push(dashed_curve("promised: c·d/n, c not given", promised, Colour::PURPLE));
    let title = "Linear rate of the loss near a planted network\nsoftplus(10z)/10, both layers trained";
    let captions = ("samples over inputs, n/d", "rate of ln L over the step α");
    measured(title, captions, (Scale::Log, Scale::Log), None, &kinds, &parameter_counts(lines))
}

fn radius_figure(settings: &SjlLocalSettings, lines: &[SizeLine<'_>]) -> Figure {
    let (least, most) = ends(&settings.radius.distances);
    let mut kinds = Vec::new();
    let (mut everywhere, mut promised) = (Vec::new(), Vec::new());
    for SizeLine { size, by_ratio, colour } in lines {
        let mut marks = Vec::new();
        for (x, found) in by_ratio {
            match radius(settings, found) {
                Some(half) => marks.push(radius_mark(*x, &half)),
                None if is_attracted_everywhere(found) => {
                    everywhere.push(Measured { x: *x, y: most, low: f64::NAN, high: f64::NAN });
                }
                None => {}
            }
        }
        if let (Some(first), Some(last), true) = (marks.first(), marks.last(), promised.is_empty()) {
            promised = power_line((first.x, first.y), last.x.max(1.5 * first.x), -1.5);
        }
        if !marks.is_empty() {
            kinds.push(marked(&format!("half are attracted, {}", size.name()), *colour, marks));
        }
    }
    kinds.push(marked("at least half, at every distance that was tried", Colour::GREY, everywhere));
    kinds.push(dashed_curve("promised: C·(d/n)^1.5, C not given", promised, Colour::PURPLE));
    let title = "How far does the planted network attract?\nstarts at W* + ρU and v* ± ρ/√k, adaptive steps";
    let captions = ("samples over inputs, n/d", "ρ/‖W*‖");
    let scales = (Scale::Log, Scale::Log);
    measured(title, captions, scales, Some((least, most)), &kinds, &parameter_counts(lines))
}

/// Whether at least half of the networks attract from every distance.
fn is_attracted_everywhere(found: &[NetworkFinding]) -> bool {
    let distances = found.first().map_or(0, |found| found.attracted.len());
    let share = |at: usize| found.iter().filter(|found| found.attracted[at]).count();
    (0..distances).all(|at| 2 * share(at) >= found.len())
}

fn ends(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, 0.0), |(least, most), x| (least.min(*x), most.max(*x)))
}

fn radius_mark(x: f64, half: &Threshold) -> Measured {
    Measured { x, y: half.half.exp2(), low: half.low.exp2(), high: half.high.exp2() }
}

fn table(settings: &SjlLocalSettings, lines: &[SizeLine<'_>]) -> StudyTable {
    let columns = vec!["reading", "n", "k", "d", "network", "distance", "rate", "predicted", "attracted"];
    let mut rows = Vec::new();
    for SizeLine { size, by_ratio, .. } in lines {
        for (ratio, found) in by_ratio {
            for (network, NetworkFinding { rate, predicted, attracted }) in found.iter().enumerate() {
                let sizes = [size.samples(*ratio), size.units, size.inputs, network].map(|x| x as f64);
                let row = |numbers: [f64; 4]| sizes.into_iter().chain(numbers).collect();
                rows.push(("rate".to_owned(), row([settings.rate.distance, *rate, *predicted, f64::NAN])));
                for (distance, is) in settings.radius.distances.iter().zip(attracted) {
                    let numbers = [*distance, f64::NAN, f64::NAN, f64::from(u8::from(*is))];
                    rows.push(("attraction".to_owned(), row(numbers)));
                }
            }
        }
    }
    StudyTable { columns, rows }
}

fn findings(settings: &SjlLocalSettings, lines: &[SizeLine<'_>]) -> Vec<StudyFinding> {
    let mut findings = Vec::new();
    for SizeLine { size, by_ratio, .. } in lines {
        // The theorem speaks of n that are small against the parameters.
        let few = 0.25 * size.parameters() as f64 / size.inputs as f64;
        let low = || by_ratio.iter().filter(|(x, _)| *x <= few);
        let points: Vec<(f64, f64)> =
            low().flat_map(|(x, found)| found.iter().map(move |found| (*x, found.rate))).collect();
        let what = format!("exponent in n/d of the rate, n ≤ k(d + 1)/4, {}", size.name());
        findings.push(StudyFinding::within(what, exponent(&points)).against(-1.0));
        for (x, found) in low() {
            let scaled: Vec<f64> = rates(found).iter().map(|rate| rate * x).collect();
            let what = format!("c of the rate cαd/n, n/d = {x}, {}, mean", size.name());
            findings.push(StudyFinding::within(what, geometric_mean(&scaled)));
        }
        for (x, found) in by_ratio {
            let Some(half) = radius(settings, found) else { continue };
            let Measured { y, low, high, .. } = radius_mark(*x, &half);
            let is_gap = matches!(half.curve, Curve::Separated { .. });
            let what = format!("ρ/‖W*‖ at which half are attracted, n/d = {x}, {}", size.name());
            findings.push(StudyFinding { is_gap, ..StudyFinding::within(what, (y, low, high)) });
        }
    }
    findings
}

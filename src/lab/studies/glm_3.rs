//! Ge, Lee and Ma, Figure 3: descent on G, exactly and by fresh samples, with and without a control variate.

use serde::Deserialize;

use super::fresh_samples::{self, Observation, Schedule};
use super::study_runs::{Meter, Runs, settings, trajectory};
use super::{Drawn, Study, StudyFinding, StudyLayout, StudyTable};
use crate::activation::{Activation, Kinked};
use crate::draw::{Colour, Figure, Measurements, Scale, measured};
use crate::error::Result;
use crate::linalg::{Matrix, try_map_tasks};
use crate::recover::designed::{Designed, Target, minimal_row_norm};
use crate::recover::{Regression, error_of};
use crate::risk::Objective;
use crate::statistics::intervals::geometric_mean;
use crate::statistics::intervals::wilson;
use crate::watch::Watch;

pub(super) const STUDY: Study = Study {
    name: "glm-3",
    source: "Ge, Lee and Ma, Figure 3",
    shows: "descent on G, exactly and on fresh samples, with and without a control variate",
    published: "G and e go to zero, e up and down on the way (d = 50, batch 262144)",
    protocol: "B* = I, a* = 1, μ = 0.01. Exactly: λ = 1 with step 0.08, and λ = 100, as the theory asks for, with step 0.0008. On samples: \
               λ = 1, batch 32768, steps 0.02, 0.005 and 0.001 over 2500 iterations, from y its polynomial of degree two \
               subtracted, which was fitted to a pilot sample; and the same without. The quick version has d = 20.",
    reasons: "The gradient of G averages y times polynomials of degree four, and nearly all of y² is in its degrees 0 to 2, \
              which contribute nothing but noise. Subtracting them leaves every expectation as it is and makes the variance of y some 700 \
              times smaller at d = 50: an eighth of the published batch is then enough, and without it the same batch and steps are not: \
              that run is drawn until it diverges. \
              e rises on the way as published; saddles at which two rows share a unit would explain it. λ = 1 is above \
              4√6|σ̂₄| = 0.8, which suffices; λ = 100 only makes the descent stiff.",
    layout: StudyLayout::Runs(Runs { text: include_str!("glm-3.toml"), draw }),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Glm3Settings {
    #[serde(rename = "name")]
    _name: String,
    seed: u64,
    inputs: usize,
    mu: f64,
    /// Samples to which the polynomial of degree two is fitted.
    pilot: u64,
    population: Vec<ExactArm>,
    samples: Vec<SampleArm>,
}

/// Descent on G itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExactArm {
    lambda: f64,
    runs: u64,
    steps: Schedule,
}

/// Stochastic descent on G.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SampleArm {
    lambda: f64,
    control: bool,
    batch: usize,
    runs: u64,
    steps: Schedule,
}

/// Runs of one kind.
struct RunKind {
    name: String,
    colour: Colour,
    is_exact: bool,
    /// Whether what was published answers to it.
    is_published: bool,
    runs: Vec<Vec<Observation>>,
}

/// A run has found the units.
const FOUND: f64 = 0.01;
/// A run whose objective is so many times that of its start has diverged.
const DIVERGED: f64 = 10.0;
/// What is less is not drawn.
const LEAST_EXCESS: f64 = 1e-8;
const EXACT: [Colour; 2] = [Colour::BLUE, Colour::GREY];
const SAMPLED: [Colour; 3] = [Colour::GREEN, Colour::ORANGE, Colour::GREY];

impl Glm3Settings {
    fn sigma_4(&self) -> f64 {
        Activation::Kinked(Kinked::Relu).hermite(5)[4]
    }

    fn objective(&self, target: Target, lambda: f64) -> Result<Designed> {
        Designed::orthonormal(target, self.inputs, self.sigma_4(), self.mu, lambda)
    }

    fn exact(&self, lambda: f64) -> Result<Designed> {
        let target = Target::of_teacher(&vec![1.0; self.inputs], &Matrix::identity(self.inputs))?;
        self.objective(target, lambda)
    }

    /// The run of a kind from a start, by the slope that is given.
    fn follow(
        &self,
        (lambda, steps): (f64, &Schedule),
        run: u64,
        meter: &Meter<'_>,
        slope: impl FnMut(usize, &Matrix) -> Result<Vec<f64>>,
    ) -> Result<Vec<Observation>> {
        let d = self.inputs;
        let exact = self.exact(lambda)?;
        let length = minimal_row_norm(1.0, self.sigma_4(), self.mu, lambda);
        let minimum = Matrix::from_fn(d, d, |i, j| if i == j { length } else { 0.0 });
        let least = exact.value(minimum.as_slice()).objective;
        let mut start = fresh_samples::start(d, self.seed, run);
        fresh_samples::normalise(start.as_mut_slice(), d);
        let mut observations = Vec::new();
        let observe = |t: usize, B: &Matrix| {
            let excess = exact.value(B.as_slice()).objective - least;
            observations.push(Observation { iteration: t, objective: excess, error: error_of(B, d) });
            // A run that diverges ends: NaN is not below either.
            observations.first().is_some_and(|first: &Observation| excess < DIVERGED * first.objective)
        };
        fresh_samples::follow(start, steps, meter, slope, |_| (), observe)?;
        Ok(observations)
    }

    fn exact_run(&self, arm: &ExactArm, run: u64, meter: &Meter<'_>) -> Result<Vec<Observation>> {
        let objective = self.exact(arm.lambda)?;
        let slope = |_: usize, B: &Matrix| Ok(gradient(&objective, B));
        self.follow((arm.lambda, &arm.steps), run, meter, slope)
    }

    fn sample_run(&self, arm: &SampleArm, pilot: &Regression, run: u64, meter: &Meter<'_>) -> Result<Vec<Observation>> {
        let teacher = fresh_samples::teacher(self.inputs, self.seed + 1 + run)?;
        let slope = |t: usize, B: &Matrix| {
            let first = (t * arm.batch) as u64;
            let batch = teacher.sample(first..first + arm.batch as u64)?;
            let y = if arm.control { pilot.residuals(&batch.X, &batch.y) } else { batch.y };
            // G needs no second moments.
            let target = Target::of_samples(Matrix::identity(self.inputs), batch.X, &y, self.sigma_4())?;
            Ok(gradient(&self.objective(target, arm.lambda)?, B))
        };
        self.follow((arm.lambda, &arm.steps), run, meter, slope)
    }
}

fn gradient(objective: &Designed, B: &Matrix) -> Vec<f64> {
    let mut out = vec![0.0; B.as_slice().len()];
    objective.gradient(B.as_slice(), &mut out);
    out
}

/// The figure.
fn draw(text: &str, watch: Watch<'_>) -> Result<Drawn> {
    let settings: Glm3Settings = settings(text)?;
    let exact = settings.population.iter().map(|part| part.runs as usize * fresh_samples::length(&part.steps));
    let sampled = settings.samples.iter().map(|arm| arm.runs as usize * fresh_samples::length(&arm.steps));
    let meter = Meter::new(watch, exact.chain(sampled).sum());
    let pilot = fresh_samples::teacher(settings.inputs, settings.seed)?.sample(0..settings.pilot)?;
    let fitted = Regression::of(&pilot.X, &pilot.y)?;
    let mean_square = |y: &[f64]| y.iter().map(|y| y * y).sum::<f64>() / y.len() as f64;
    let sizes = [mean_square(&pilot.y), mean_square(&fitted.residuals(&pilot.X, &pilot.y))];
    drop(pilot);
    let mut kinds = Vec::new();
    for (part, colour) in settings.population.iter().zip(EXACT) {
        let runs = try_map_tasks(part.runs as usize, |run| settings.exact_run(part, run as u64, &meter))?;
        let name = format!("exactly, λ = {}", part.lambda);
        kinds.push(RunKind { name, colour, is_exact: true, is_published: true, runs });
    }
    for (arm, colour) in settings.samples.iter().zip(SAMPLED) {
        let runs = try_map_tasks(arm.runs as usize, |run| settings.sample_run(arm, &fitted, run as u64, &meter))?;
        let labels = if arm.control { "control variate" } else { "y as it is" };
        let name = format!("samples, {labels}, λ = {}, batch {}", arm.lambda, arm.batch);
        kinds.push(RunKind { name, colour, is_exact: false, is_published: arm.control, runs });
    }
    let runs = kinds.iter().map(|kind| kind.runs.len()).sum();
    let findings = findings(&kinds, sizes);
    Ok(Drawn { figure: figure(&settings, &kinds), table: table(&settings, &kinds), findings, runs })
}

fn figure(settings: &Glm3Settings, kinds: &[RunKind]) -> Figure {
    let curves = |what: fn(&Observation) -> f64| {
        let mut all: Vec<Measurements> = Vec::new();
        for kind in kinds {
            for (run, observations) in kind.runs.iter().enumerate() {
                let curve = observations.iter().map(|seen| (seen.iteration as f64, what(seen))).collect();
                all.push(trajectory(&kind.name, run, kind.colour, curve));
            }
        }
        all
    };
    let scales = (Scale::Log, Scale::Log);
    let title = format!("Descent on G: the objective\nd = {}, B* = I, a* = 1, μ = {}", settings.inputs, settings.mu);
    let shown = |seen: &Observation| if seen.objective > LEAST_EXCESS { seen.objective } else { f64::NAN };
    let first = measured(&title, ("iteration", "G less its minimum"), scales, None, &curves(shown), &[]);
    let title = "The error of the units goes up and down, and to zero\n0 is recovery up to signs";
    let scales = (Scale::Log, Scale::Linear);
    let second = measured(title, ("iteration", "e"), scales, Some((0.0, 1.0)), &curves(|seen| seen.error), &[]);
    first.above(second)
}

fn table(settings: &Glm3Settings, kinds: &[RunKind]) -> StudyTable {
    let columns = vec!["reading", "d", "run", "iteration", "excess", "e"];
    let mut rows = Vec::new();
    for kind in kinds {
        for (run, observations) in kind.runs.iter().enumerate() {
            for Observation { iteration, objective: excess, error } in observations {
                rows.push((
                    kind.name.clone(),
                    vec![settings.inputs as f64, run as f64, *iteration as f64, *excess, *error],
                ));
            }
        }
    }
    StudyTable { columns, rows }
}

/// How much e rises in all on its way, beyond what it fell to before.
fn rise(observations: &[Observation]) -> f64 {
    let mut least = f64::INFINITY;
    let mut most: f64 = 0.0;
    for Observation { error, .. } in observations {
        least = least.min(*error);
        most = most.max(error - least);
    }
    most
}

fn findings(kinds: &[RunKind], [raw, rest]: [f64; 2]) -> Vec<StudyFinding> {
    let mut findings = Vec::new();
    for kind in kinds {
        let last: Vec<f64> =
            kind.runs.iter().filter_map(|observations| observations.last()).map(|seen| seen.error).collect();
        if last.is_empty() {
            continue;
        }
        let name = &kind.name;
        let found = last.iter().filter(|error| **error < FOUND).count();
        let (low, high) = wilson(found, last.len());
        let share = (found as f64 / last.len() as f64, low, high);
        let what = format!("share of {} runs that end with e < {FOUND}, {name}", last.len());
        let share = StudyFinding::within(what, share);
        findings.push(if kind.is_published { share.against(1.0) } else { share });
        let first = |observations: &Vec<Observation>| {
            observations.iter().find(|seen| seen.error < FOUND).map(|seen| seen.iteration as f64)
        };
        let reached: Vec<f64> = kind.runs.iter().filter_map(first).collect();
        if reached.len() == last.len() {
            findings.push(StudyFinding::within(
                format!("iterations to e < {FOUND}, {name}, mean"),
                geometric_mean(&reached),
            ));
        }
        if !kind.is_exact {
            findings.push(StudyFinding::within(format!("e at the end, {name}, mean"), geometric_mean(&last)));
        }
        let most = kind.runs.iter().map(|observations| rise(observations)).fold(0.0, f64::max);
        findings.push(StudyFinding::exact(format!("largest rise of e on the way, {name}, of all runs"), most));
    }
    findings.push(StudyFinding::exact("mean of y² over the pilot", raw));
    findings.push(StudyFinding::exact("the same less the fitted polynomial of degree two", rest));
    findings
}

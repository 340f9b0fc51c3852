//! Ge, Lee and Ma, Figure 2: a student with the activation σ̂_2h_2 + σ̂_4h_4 of a relu teacher, labels centred or not.

use serde::Deserialize;

use super::fresh_samples::{self, Observation, Schedule};
use super::study_runs::{Meter, Runs, settings, trajectory};
use super::{Drawn, Study, StudyFinding, StudyLayout, StudyTable};
use crate::activation::{Activation, Kinked, Smooth};
use crate::draw::{Colour, Figure, Measurements, Scale, measured};
use crate::error::Result;
use crate::linalg::{Matrix, try_map_tasks};
use crate::network::{Layers, Network};
use crate::recover::designed::{Matching, Target};
use crate::recover::error_of;
use crate::risk::Objective;
use crate::statistics::intervals::geometric_mean;
use crate::watch::Watch;

pub(super) const STUDY: Study = Study {
    name: "glm-2",
    source: "Ge, Lee and Ma, Figure 2",
    shows: "a student with σ̂₂h₂ + σ̂₄h₄ of a relu teacher on fresh samples, labels centred or not",
    published: "e and the excess risk go to zero (d = 50, batch 8192)",
    protocol: "B* = I, a* = 1, a = 1 fixed, rows of B of length 1; labels centred by the mean of a pilot sample: steps 0.4, 0.1 and 0.02 of \
               the mean of r² over 2500 iterations. Labels as they are: step 0.05 over 22000 iterations (d = 50) and 20000 (d = 20); \
               1000 and 2000 in the quick version.",
    reasons: "The publication does not say that labels are centred, and with batches of 8192 it matters. The student has mean \
              zero, so that the mean of y, 0.4·d, stays in the residual: it changes no expectation, but at d = 50 it makes the \
              square of the residual 25 times larger, and with it the noise of the gradient, which is \
              larger than the signal of degree four; so its steps have to be shorter too. With fewer inputs the noise is smaller.",
    layout: StudyLayout::Runs(Runs { text: include_str!("glm-2.toml"), draw }),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Glm2Settings {
    #[serde(rename = "name")]
    _name: String,
    seed: u64,
    batch: usize,
    /// Samples from which the mean of y is taken.
    pilot: u64,
    arm: Vec<LabelArm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LabelArm {
    inputs: usize,
    centred: bool,
    runs: u64,
    steps: Schedule,
}

impl LabelArm {
    fn name(&self) -> String {
        format!("y {}, d = {}", if self.centred { "centred" } else { "as it is" }, self.inputs)
    }
}

const COLOURS: [Colour; 4] = [Colour::BLUE, Colour::ORANGE, Colour::GREEN, Colour::GREY];

/// What is added to the labels of an arm: minus the mean of the pilot's, or nothing.
fn shift(settings: &Glm2Settings, arm: &LabelArm) -> Result<Option<f64>> {
    if !arm.centred {
        return Ok(None);
    }
    let pilot = fresh_samples::teacher(arm.inputs, settings.seed)?.sample(0..settings.pilot)?;
    Ok(Some(-pilot.y.iter().sum::<f64>() / pilot.y.len() as f64))
}

fn run(
    settings: &Glm2Settings,
    (arm, shift): (&LabelArm, Option<f64>),
    run: u64,
    meter: &Meter<'_>,
) -> Result<Vec<Observation>> {
    let d = arm.inputs;
    let mut teacher = fresh_samples::teacher(d, settings.seed + 1 + run)?;
    teacher.network.intercept = shift;
    let sigma = Activation::Kinked(Kinked::Relu).hermite(5);
    let activation = Activation::Smooth(Smooth::Hermite { coefficients: vec![0.0, 0.0, sigma[2], 0.0, sigma[4]] });
    let mut start = fresh_samples::start(d, settings.seed, run);
    fresh_samples::normalise(start.as_mut_slice(), d);
    let student = Network::new(activation, start, vec![1.0; d])?;
    let target = Target::of_teacher(&vec![1.0; d], &Matrix::identity(d))?;
    let excess = Matching::with_outputs(target, vec![1.0; d], sigma[2], sigma[4])?;
    let mut observations = Vec::new();
    let slope = |t: usize, B: &Matrix| {
        let mut student = student.clone();
        student.set_parameters(Layers::Hidden, B.as_slice());
        fresh_samples::batch_slope(&teacher, &student, settings.batch, t)
    };
    let after = |B: &mut Matrix| fresh_samples::normalise(B.as_mut_slice(), d);
    let observe = |t: usize, B: &Matrix| {
        observations.push(Observation {
            iteration: t,
            objective: 2.0 * excess.value(B.as_slice()).objective,
            error: error_of(B, d),
        });
        true
    };
    fresh_samples::follow(student.W.clone(), &arm.steps, meter, slope, after, observe)?;
    Ok(observations)
}

/// The figure.
fn draw(text: &str, watch: Watch<'_>) -> Result<Drawn> {
    let settings: Glm2Settings = settings(text)?;
    let total = settings.arm.iter().map(|arm| arm.runs as usize * fresh_samples::length(&arm.steps)).sum();
    let meter = Meter::new(watch, total);
    let shifts: Vec<Option<f64>> = settings.arm.iter().map(|arm| shift(&settings, arm)).collect::<Result<_>>()?;
    let arms = || settings.arm.iter().zip(shifts.iter().copied());
    let all: Vec<((&LabelArm, Option<f64>), u64)> =
        arms().flat_map(|(arm, shift)| (0..arm.runs).map(move |run| ((arm, shift), run))).collect();
    let runs: Vec<Vec<Observation>> = try_map_tasks(all.len(), |at| run(&settings, all[at].0, all[at].1, &meter))?;
    let mut rest = runs.as_slice();
    let by_arm: Vec<(&LabelArm, &[Vec<Observation>])> = settings
        .arm
        .iter()
        .map(|arm| {
            let (own, others) = rest.split_at(arm.runs as usize);
            rest = others;
            (arm, own)
        })
        .collect();
    Ok(Drawn { figure: figure(&by_arm), table: table(&by_arm), findings: findings(&by_arm), runs: runs.len() })
}

fn figure(arms: &[(&LabelArm, &[Vec<Observation>])]) -> Figure {
    let curves = |what: fn(&Observation) -> f64| {
        let mut kinds: Vec<Measurements> = Vec::new();
        for ((arm, runs), colour) in arms.iter().zip(COLOURS) {
            for (run, observations) in runs.iter().enumerate() {
                let curve = observations.iter().map(|seen| (seen.iteration as f64, what(seen))).collect();
                kinds.push(trajectory(&arm.name(), run, colour, curve));
            }
        }
        kinds
    };
    let title = "Student with c₂h₂ + c₄h₄, relu teacher: the risk\nfresh samples, unit rows, less the least value";
    let scales = (Scale::Log, Scale::Log);
    let first =
        measured(title, ("iteration", "excess of the risk E r²"), scales, None, &curves(|seen| seen.objective), &[]);
    let title = "The error of the units\n0 is recovery up to signs";
    let second = measured(title, ("iteration", "e"), scales, None, &curves(|seen| seen.error), &[]);
    first.above(second)
}

fn table(arms: &[(&LabelArm, &[Vec<Observation>])]) -> StudyTable {
    let columns = vec!["reading", "d", "run", "iteration", "excess_risk", "e"];
    let mut rows = Vec::new();
    for (arm, runs) in arms {
        for (run, observations) in runs.iter().enumerate() {
            for Observation { iteration, objective: excess, error } in observations {
                rows.push((arm.name(), vec![arm.inputs as f64, run as f64, *iteration as f64, *excess, *error]));
            }
        }
    }
    StudyTable { columns, rows }
}

fn findings(arms: &[(&LabelArm, &[Vec<Observation>])]) -> Vec<StudyFinding> {
    let mut findings = Vec::new();
    for (arm, runs) in arms {
        let last: Vec<&Observation> = runs.iter().filter_map(|observations| observations.last()).collect();
        let Some(iterations) = last.first().map(|seen| seen.iteration) else { continue };
        let mean_of =
            |what: fn(&Observation) -> f64| geometric_mean(&last.iter().map(|seen| what(seen)).collect::<Vec<f64>>());
        let (name, count) = (arm.name(), last.len());
        let what = format!("e after {iterations} iterations, {name}, mean of {count}");
        let error = StudyFinding::within(what, mean_of(|seen| seen.error));
        findings.push(if arm.centred { error.against(0.0) } else { error });
        findings
            .push(StudyFinding::within(format!("excess of the risk there, {name}"), mean_of(|seen| seen.objective)));
    }
    findings
}

//! Ge, Lee and Ma, Figure 2: a student with the activation σ̂_2h_2 + σ̂_4h_4 of a relu teacher, labels centred or not.

use rayon::prelude::*;
use serde::Deserialize;

use super::fresh_samples::{self, Schedule};
use super::study_runs::{Meter, Runs, settings, trajectory};
use super::{Drawn, Study, StudyFinding, StudyLayout, Table};
use crate::activation::{Activation, Kinked, Smooth};
use crate::draw::{Colour, Figure, Measurements, Scale, measured};
use crate::error::Result;
use crate::linalg::Matrix;
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
struct StudySettings {
    #[serde(rename = "name")]
    _name: String,
    seed: u64,
    batch: usize,
    /// Samples from which the mean of y is taken.
    pilot: u64,
    arm: Vec<Arm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arm {
    inputs: usize,
    centred: bool,
    runs: u64,
    steps: Schedule,
}

impl Arm {
    fn name(&self) -> String {
        format!("y {}, d = {}", if self.centred { "centred" } else { "as it is" }, self.inputs)
    }
}

const COLOURS: [Colour; 4] = [Colour::BLUE, Colour::ORANGE, Colour::GREEN, Colour::GREY];

/// An iteration that was looked at: what E r² exceeds its least value by, and e.
type Look = (usize, f64, f64);

/// What is added to the labels of an arm: minus the mean of the pilot's, or nothing.
fn shift(of: &StudySettings, arm: &Arm) -> Result<Option<f64>> {
    if !arm.centred {
        return Ok(None);
    }
    let pilot = fresh_samples::teacher(arm.inputs, of.seed)?.sample(0..of.pilot)?;
    Ok(Some(-pilot.y.iter().sum::<f64>() / pilot.y.len() as f64))
}

fn run(of: &StudySettings, (arm, shift): (&Arm, Option<f64>), run: u64, meter: &Meter<'_>) -> Result<Vec<Look>> {
    let d = arm.inputs;
    let mut teacher = fresh_samples::teacher(d, of.seed + 1 + run)?;
    teacher.network.intercept = shift;
    let sigma = Activation::Kinked(Kinked::Relu).hermite(5);
    let activation = Activation::Smooth(Smooth::Hermite { coefficients: vec![0.0, 0.0, sigma[2], 0.0, sigma[4]] });
    let mut start = fresh_samples::start(d, of.seed, run);
    fresh_samples::normalise(start.as_mut_slice(), d);
    let student = Network::new(activation, start, vec![1.0; d])?;
    let target = Target::of_teacher(&vec![1.0; d], &Matrix::identity(d))?;
    let excess = Matching::with_outputs(target, vec![1.0; d], sigma[2], sigma[4])?;
    let mut looks = Vec::new();
    let slope = |t: usize, B: &Matrix| {
        let mut student = student.clone();
        student.set_parameters(Layers::Hidden, B.as_slice());
        fresh_samples::batch_slope(&teacher, &student, of.batch, t)
    };
    let after = |B: &mut Matrix| fresh_samples::normalise(B.as_mut_slice(), d);
    let look = |t: usize, B: &Matrix| {
        looks.push((t, 2.0 * excess.value(B.as_slice()).objective, error_of(B, d)));
        true
    };
    fresh_samples::follow(student.W.clone(), &arm.steps, meter, slope, after, look)?;
    Ok(looks)
}

/// The figure.
fn draw(text: &str, watch: Watch<'_>) -> Result<Drawn> {
    let of: StudySettings = settings(text)?;
    let total = of.arm.iter().map(|arm| arm.runs as usize * fresh_samples::length(&arm.steps)).sum();
    let meter = Meter::new(watch, total);
    let shifts: Vec<Option<f64>> = of.arm.iter().map(|arm| shift(&of, arm)).collect::<Result<_>>()?;
    let arms = || of.arm.iter().zip(shifts.iter().copied());
    let all: Vec<((&Arm, Option<f64>), u64)> =
        arms().flat_map(|(arm, shift)| (0..arm.runs).map(move |run| ((arm, shift), run))).collect();
    let runs: Vec<Vec<Look>> =
        all.par_iter().map(|(arm, number)| run(&of, *arm, *number, &meter)).collect::<Result<_>>()?;
    let mut rest = runs.as_slice();
    let by_arm: Vec<(&Arm, &[Vec<Look>])> = of
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

fn figure(arms: &[(&Arm, &[Vec<Look>])]) -> Figure {
    let curves = |what: fn(&Look) -> f64| {
        let mut kinds: Vec<Measurements> = Vec::new();
        for ((arm, runs), colour) in arms.iter().zip(COLOURS) {
            for (run, looks) in runs.iter().enumerate() {
                let curve = looks.iter().map(|look| (look.0 as f64, what(look))).collect();
                kinds.push(trajectory(&arm.name(), run, colour, curve));
            }
        }
        kinds
    };
    let title = "Student with c₂h₂ + c₄h₄, relu teacher: the risk\nfresh samples, unit rows, less the least value";
    let scales = (Scale::Log, Scale::Log);
    let first = measured(title, ("iteration", "excess of the risk E r²"), scales, None, &curves(|look| look.1), &[]);
    let title = "The error of the units\n0 is recovery up to signs";
    let second = measured(title, ("iteration", "e"), scales, None, &curves(|look| look.2), &[]);
    first.above(second)
}

fn table(arms: &[(&Arm, &[Vec<Look>])]) -> Table {
    let columns = vec!["reading", "d", "run", "iteration", "excess_risk", "e"];
    let mut rows = Vec::new();
    for (arm, runs) in arms {
        for (run, looks) in runs.iter().enumerate() {
            for (t, excess, error) in looks {
                rows.push((arm.name(), vec![arm.inputs as f64, run as f64, *t as f64, *excess, *error]));
            }
        }
    }
    Table { columns, rows }
}

fn findings(arms: &[(&Arm, &[Vec<Look>])]) -> Vec<StudyFinding> {
    let mut findings = Vec::new();
    for (arm, runs) in arms {
        let last: Vec<&Look> = runs.iter().filter_map(|looks| looks.last()).collect();
        let Some(iterations) = last.first().map(|look| look.0) else { continue };
        let of = |what: fn(&Look) -> f64| geometric_mean(&last.iter().map(|look| what(look)).collect::<Vec<f64>>());
        let (name, count) = (arm.name(), last.len());
        let what = format!("e after {iterations} iterations, {name}, mean of {count}");
        let error = StudyFinding::within(what, of(|look| look.2));
        findings.push(if arm.centred { error.against(0.0) } else { error });
        findings.push(StudyFinding::within(format!("excess of the risk there, {name}"), of(|look| look.1)));
    }
    findings
}

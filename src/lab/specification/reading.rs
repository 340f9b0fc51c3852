//! From the text to a specification that can be swept; every refusal points into the text.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use toml::{Spanned, Value};

use super::super::expression::Expression;
use super::super::grid::{Axis, Grid, Symbol};
use super::super::protocol::{Labels, Planted, StepRule};
use super::super::protocol::{planted_hidden, planted_outputs};
use super::super::rule::{Rule, TEACHER_TOLERANCE, rungs};
use super::raw::{Raw, RawData, RawRefine, RawSuccess, RawTeacher, RawTraining};
use super::values::{
    INPUTS, LABELS, LOSSES, Names, NumberRange, PRECISIONS, RULES, RuleName, START_OUTPUTS, STEPS, TRAIN, in_words,
    range, real,
};
use super::{MOST_TRIALS, Refine, Specification};
use crate::activation::Activation;
use crate::data::teacher::{Hidden, Outputs};
use crate::error::{Error, Result, SpecificationProblem};
use crate::fleet::{TRAINABLE, is_trainable};
use crate::optimise::LADDER;

/// The text and the name of its file.
pub(super) struct SpecificationText<'a> {
    pub text: &'a str,
    pub path: &'a Path,
}

/// The most values of one axis, and the largest of them.
const MOST_VALUES: i64 = 1_000_000;
/// The most values along an axis that is refined.
const MOST_REFINED: usize = 10_000;
const MOST_ITERATIONS: i64 = 1_000_000_000_000;

impl SpecificationText<'_> {
    pub(super) fn specification(&self) -> Result<Specification> {
        let raw: Raw = toml::from_str(self.text).map_err(|error| {
            let message = in_words(&error.message().replace('\n', ": "));
            self.refuse(error.span().unwrap_or(0..0), SpecificationProblem::Syntax(message))
        })?;
        let mut specification = self.without_rules(&raw)?;
        self.check_training(&specification, &raw.training)?;
        let none = RawSuccess::default();
        let success = raw.success.as_ref().unwrap_or(&none);
        specification.success = self.success(success, &specification)?;
        specification.refine =
            raw.refine.as_ref().map(|refine| self.refine(refine, &specification.grid)).transpose()?;
        self.check_size(&specification, raw.trials.map_or(raw.grid.span(), |trials| trials.span()))?;
        self.check_magnitudes(&specification, &raw.grid.span())?;
        self.check_cells(&specification, &raw.grid.span())?;
        Ok(specification)
    }

    /// All but the rule of success and the refinement, which depend on the rest.
    fn without_rules(&self, raw: &Raw) -> Result<Specification> {
        let number = |key, place: &Option<Spanned<i64>>, range, default| match place {
            Some(place) => self.whole(key, place, range),
            None => Ok(default),
        };
        let trials = number("trials", &raw.trials, 1..=MOST_TRIALS as i64 * 1000, 50)?;
        let starts = number("starts", &raw.starts, 1..=MOST_TRIALS as i64 * 1000, 1)?;
        let (student, training) = (raw.student.get_ref(), raw.training.get_ref());
        let activation = self.trained_activation(&student.activation)?;
        let nothing = RawData::default();
        let data = raw.data.as_ref().unwrap_or(&nothing);
        Ok(Specification {
            name: raw.name.clone().unwrap_or_default(),
            seed: number("seed", &raw.seed, 0..=i64::MAX, 0)? as u64,
            trials,
            starts,
            grid: self.grid(raw.grid.get_ref())?,
            inputs: self.named("data.inputs", data.inputs.as_ref(), INPUTS)?,
            labels: self.labels(data, raw.teacher.as_ref(), &activation)?,
            noise: self.number("data.noise", data.noise.as_ref(), NumberRange::NotNegative, 0.0)?,
            activation,
            scale: self.expression("student.scale", student.scale.as_ref(), "1/sqrt(d)")?,
            outputs: self.named("student.outputs", student.outputs.as_ref(), START_OUTPUTS)?,
            trains_outputs: self.named("student.train", student.train.as_ref(), TRAIN)?,
            step: StepRule {
                adaptive: self.named("training.step", training.step.as_ref(), STEPS)?,
                eta: self.expression("training.eta", training.eta.as_ref(), "1")?,
                sum: self.named("training.loss", training.loss.as_ref(), LOSSES)?,
            },
            iterations: self.whole("training.iterations", &training.iterations, 1..=MOST_ITERATIONS)?,
            tolerance: self.number("training.tolerance", training.tolerance.as_ref(), NumberRange::UpToOne, 0.0)?,
            precision: self.named("training.precision", training.precision.as_ref(), PRECISIONS)?,
            verdict: training.verdict.as_ref().is_some_and(|verdict| *verdict.get_ref()),
            success: Rule::LongRun,
            refine: None,
            text: self.text.to_owned(),
        })
    }

    /// A fixed step needs its length, and a long run an activation without a kink.
    fn check_training(&self, specification: &Specification, raw: &Spanned<RawTraining>) -> Result<()> {
        let training = raw.get_ref();
        if !specification.step.adaptive && training.eta.is_none() {
            let place = training.step.as_ref().map_or(raw.span(), |step| step.span());
            return Err(self.value(place, "training.eta", "given for a fixed step", "missing"));
        }
        match (&specification.activation, &training.verdict) {
            (Activation::Kinked(_), Some(place)) if specification.verdict => {
                Err(self.value(place.span(), "training.verdict", "false for an activation with a kink", "true"))
            }
            _ => Ok(()),
        }
    }

    /// Line and column as editors count.
    pub(super) fn refuse(&self, span: Range<usize>, problem: SpecificationProblem) -> Error {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Error::Specification { path: self.path.to_owned(), line, column, problem: Box::new(problem) }
    }

    pub(super) fn value(
        &self,
        span: Range<usize>,
        key: &str,
        requirement: impl Into<String>,
        value: impl ToString,
    ) -> Error {
        let (key, requirement, value) = (key.to_owned(), requirement.into(), value.to_string());
        self.refuse(span, SpecificationProblem::Value { key, requirement, value })
    }

    /// What another reader said, at its place in the file.
    fn text(&self, span: Range<usize>, key: &str, error: &Error) -> Error {
        let hint = error.hint();
        let reason = match hint.as_ref().and_then(|hint| hint.shared_words()) {
            Some(hint) => format!("{error} ({hint})"),
            None => error.to_string(),
        };
        self.refuse(span, SpecificationProblem::Text { key: key.to_owned(), reason })
    }

    fn whole(&self, key: &str, place: &Spanned<i64>, range: std::ops::RangeInclusive<i64>) -> Result<usize> {
        let value = *place.get_ref();
        if range.contains(&value) {
            return Ok(value as usize);
        }
        let requirement = format!("a whole number from {} to {}", range.start(), range.end());
        Err(self.value(place.span(), key, requirement, value))
    }

    fn number(&self, key: &str, place: Option<&Spanned<Value>>, range: NumberRange, default: f64) -> Result<f64> {
        let Some(place) = place else { return Ok(default) };
        real(place.get_ref())
            .filter(|x| range.contains(*x))
            .ok_or_else(|| self.value(place.span(), key, range.words(), place.get_ref()))
    }

    fn named<T: Clone>(&self, key: &str, place: Option<&Spanned<String>>, names: Names<T>) -> Result<T> {
        let Some(place) = place else { return Ok(names[0].1.clone()) };
        let found = names.iter().find(|(name, _)| name == place.get_ref()).map(|(_, value)| value.clone());
        found.ok_or_else(|| {
            let known: Vec<String> = names.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            self.value(place.span(), key, known.join(" or "), format!("\"{}\"", place.get_ref()))
        })
    }

    /// φ of the student, which the fleet must be able to train.
    fn trained_activation(&self, place: &Spanned<String>) -> Result<Activation> {
        const KEY: &str = "student.activation";
        let untrainable = || self.value(place.span(), KEY, TRAINABLE, format!("\"{}\"", place.get_ref()));
        match place.get_ref().parse() {
            Ok(activation) if is_trainable(&activation) => Ok(activation),
            Ok(_) | Err(Error::UnknownActivation { .. }) => Err(untrainable()),
            Err(error) => Err(self.text(place.span(), KEY, &error)),
        }
    }

    fn activation(&self, key: &str, place: &Spanned<String>) -> Result<Activation> {
        place.get_ref().parse().map_err(|error| self.text(place.span(), key, &error))
    }

    /// A number or an expression.
    fn expression(&self, key: &str, place: Option<&Spanned<Value>>, default: &str) -> Result<Expression> {
        let Some(place) = place else { return Expression::parse(default) };
        match place.get_ref() {
            Value::String(text) => Expression::parse(text).map_err(|error| self.text(place.span(), key, &error)),
            value => match real(value) {
                Some(number) => Ok(number.into()),
                None => Err(self.value(place.span(), key, "a number or an expression in quotation marks", value)),
            },
        }
    }

    fn grid(&self, raw: &super::raw::RawGrid) -> Result<Grid> {
        let grid =
            Grid { n: self.axis("grid.n", &raw.n)?, k: self.axis("grid.k", &raw.k)?, d: self.axis("grid.d", &raw.d)? };
        for (symbol, place) in Symbol::ALL.into_iter().zip([&raw.n, &raw.k, &raw.d]) {
            if grid.is_circular(symbol) {
                let key = format!("grid.{}", symbol.name());
                return Err(self.value(
                    place.span(),
                    &key,
                    "derived from sizes that do not depend on it",
                    place.get_ref(),
                ));
            }
        }
        Ok(grid)
    }

    fn axis(&self, key: &str, place: &Spanned<Value>) -> Result<Axis> {
        let allowed = format!("whole numbers from 1 to {MOST_VALUES}");
        let wrong = || self.value(place.span(), key, allowed.clone(), place.get_ref());
        let one = |value: i64| (1..=MOST_VALUES).contains(&value).then_some(value as usize).ok_or_else(wrong);
        match place.get_ref() {
            Value::Integer(value) => Ok(Axis::Values(vec![one(*value)?])),
            Value::Array(values) => {
                let values: Result<BTreeSet<usize>> =
                    values.iter().map(|value| one(value.as_integer().unwrap_or_default())).collect();
                self.listed(key, place, values?)
            }
            Value::String(text) if text.contains("..") => {
                let requirement = "a range such as \"1..=25\" or \"10..=100 step 10\"";
                let (first, last, step) =
                    range(text).ok_or_else(|| self.value(place.span(), key, requirement, place.get_ref()))?;
                let (first, last) = (one(first)?, if last < first { 0 } else { one(last)? });
                self.listed(key, place, (first..=last).step_by(step).collect())
            }
            Value::String(text) => {
                Expression::parse(text).map(Axis::Derived).map_err(|error| self.text(place.span(), key, &error))
            }
            _ => Err(wrong()),
        }
    }

    fn listed(&self, key: &str, place: &Spanned<Value>, values: BTreeSet<usize>) -> Result<Axis> {
        if values.is_empty() {
            return Err(self.value(
                place.span(),
                key,
                "at least one value",
                format!("{}: the grid is empty", place.get_ref()),
            ));
        }
        Ok(Axis::Values(values.into_iter().collect()))
    }

    fn labels(&self, data: &RawData, teacher: Option<&Spanned<RawTeacher>>, student: &Activation) -> Result<Labels> {
        if !self.named("data.labels", data.labels.as_ref(), LABELS)? {
            if let Some(teacher) = teacher {
                return Err(self.value(teacher.span(), "[teacher]", "left out where labels are random", "there"));
            }
            return Ok(Labels::Random);
        }
        let default = RawTeacher::default();
        let teacher = teacher.map_or(&default, |teacher| teacher.get_ref());
        let activation = teacher.activation.as_ref().map(|place| self.activation("teacher.activation", place));
        let hidden = teacher.hidden.as_ref().map(|place| {
            planted_hidden(place.get_ref()).map_err(|error| self.text(place.span(), "teacher.hidden", &error))
        });
        let outputs = teacher.outputs.as_ref().map(|place| {
            let wrong =
                || self.value(place.span(), "teacher.outputs", "ones, signs or uniform:LOW:HIGH", place.get_ref());
            planted_outputs(place.get_ref()).ok_or_else(wrong)
        });
        Ok(Labels::Planted(Planted {
            activation: activation.transpose()?.unwrap_or_else(|| student.clone()),
            width: self.expression("teacher.width", teacher.width.as_ref(), "k")?,
            hidden: hidden.transpose()?.unwrap_or(Hidden::Gaussian),
            outputs: outputs.transpose()?.unwrap_or(Outputs::Ones),
        }))
    }

    fn success(&self, raw: &RawSuccess, specification: &Specification) -> Result<Rule> {
        // The finest rung that descent does not stop before, or a hundredth.
        let reached = LADDER.into_iter().rfind(|rung| *rung >= specification.tolerance);
        let default = if specification.tolerance > 0.0 { reached.unwrap_or(LADDER[0]) } else { 1e-2 };
        let tolerance = raw.tolerance.as_ref();
        let name = self.named("success.rule", raw.rule.as_ref(), RULES)?;
        let place = || raw.rule.as_ref().map_or(0..0, |rule| rule.span());
        match name {
            RuleName::LongRun if !specification.verdict => {
                Err(self.value(place(), "success.rule", "descent unless training.verdict is true", "\"verdict\""))
            }
            RuleName::LongRun => Ok(Rule::LongRun),
            RuleName::RecoversTeacher => {
                let quadratic = |labels: &Labels| matches!(labels, Labels::Planted(planted) if planted.activation == Activation::SQUARE);
                if specification.activation != Activation::SQUARE || !quadratic(&specification.labels) {
                    let requirement = "descent or verdict unless student and teacher are quadratic";
                    return Err(self.value(place(), "success.rule", requirement, "\"recovers-teacher\""));
                }
                let range = NumberRange::UpToOne;
                let tolerance = self.number("success.tolerance", tolerance, range, TEACHER_TOLERANCE)?;
                Ok(Rule::RecoversTeacher { tolerance })
            }
            RuleName::Descent => {
                let value = self.number("success.tolerance", tolerance, NumberRange::UpToOne, default)?;
                if !(Rule::is_recorded(value) && value >= specification.tolerance) {
                    let requirement = format!("one of {}, and not below training.tolerance", rungs());
                    let span = tolerance.map_or(0..0, |place| place.span());
                    return Err(self.value(span, "success.tolerance", requirement, format!("{value:e}")));
                }
                let most = specification.iterations as i64;
                let within = raw.within.as_ref().map(|place| self.whole("success.within", place, 1..=most));
                let within = within.transpose()?.unwrap_or(specification.iterations);
                Ok(Rule::Descent { tolerance: value, within })
            }
        }
    }

    fn refine(&self, raw: &RawRefine, grid: &Grid) -> Result<Refine> {
        let wrong =
            || self.value(raw.axis.span(), "refine.axis", "n, k or d, and listed in the grid", raw.axis.get_ref());
        let axis = Symbol::named(raw.axis.get_ref()).ok_or_else(wrong)?;
        let Axis::Values(own) = grid.axis(axis) else { return Err(wrong()) };
        let values = match &raw.values {
            None => own.clone(),
            Some(place) => match self.axis("refine.values", place)? {
                Axis::Values(values) => values,
                Axis::Derived(_) => {
                    return Err(self.value(place.span(), "refine.values", "a list or a range", place.get_ref()));
                }
            },
        };
        if values.len().max(own.len()) > MOST_REFINED {
            let place = raw.values.as_ref().map_or(raw.axis.span(), |place| place.span());
            return Err(self.value(place, "refine.values", format!("at most {MOST_REFINED} values"), values.len()));
        }
        let trials = self.whole("refine.trials", &raw.trials, 1..=MOST_TRIALS as i64 * 1000)?;
        Ok(Refine { axis, trials, values })
    }
}

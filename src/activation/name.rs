//! The names of activations: what `Display` prints, `FromStr` reads back exactly. Constructors check parameters.

use std::fmt;
use std::str::FromStr;

use super::series::MAX_COEFFICIENTS;
use super::{Activation, Kinked, Smooth};
use crate::error::{Error, Parameter, Requirement, Result, excerpt};

/// The slope of `leaky-relu` when none is given.
pub(super) const DEFAULT_SLOPE: f64 = 0.01;
/// The least and the largest magnitude of a parameter: φ'' of a sigmoid multiplies by the square of its sharpness, and
/// that must neither overflow nor vanish.
const MAGNITUDES: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

impl Activation {
    /// The names there are, with their parameters.
    pub const NAMES: &[&str] = &[
        "quadratic",
        "quadratic:α,β,γ",
        "relu",
        "leaky-relu",
        "leaky-relu:SLOPE",
        "abs",
        "softplus",
        "softplus:SHARPNESS",
        "sigmoid",
        "sigmoid:SHARPNESS",
        "tanh",
        "erf",
        "gelu",
        "cos",
        "hermite:c0,c1,…",
    ];

    /// αz² + βz + γ with α ≠ 0.
    pub fn quadratic(alpha: f64, beta: f64, gamma: f64) -> Result<Self> {
        let alpha = nonzero(Parameter::SquareCoefficient, alpha)?;
        let beta = coefficient(Parameter::LinearCoefficient, beta)?;
        let gamma = coefficient(Parameter::ConstantCoefficient, gamma)?;
        Ok(Activation::Smooth(Smooth::Quadratic { alpha, beta, gamma }))
    }

    /// log(1 + e^{bz})/b.
    pub fn softplus(sharpness: f64) -> Result<Self> {
        Ok(Activation::Smooth(Smooth::Softplus { sharpness: positive(Parameter::Sharpness, sharpness)? }))
    }

    /// 1/(1 + e^{−bz}).
    pub fn sigmoid(sharpness: f64) -> Result<Self> {
        Ok(Activation::Smooth(Smooth::Sigmoid { sharpness: positive(Parameter::Sharpness, sharpness)? }))
    }

    /// z for z > 0, slope·z otherwise.
    pub fn leaky_relu(slope: f64) -> Result<Self> {
        Ok(Activation::Kinked(Kinked::LeakyRelu { slope: coefficient(Parameter::Slope, slope)? }))
    }

    /// Σ_r c_r h_r(z).
    pub fn hermite_series(coefficients: Vec<f64>) -> Result<Self> {
        if !(1..=MAX_COEFFICIENTS).contains(&coefficients.len()) {
            let requirement = Requirement::CountBetween(1, MAX_COEFFICIENTS);
            return Err(Error::parameter(Parameter::HermiteLength, requirement, coefficients.len()));
        }
        for &c in &coefficients {
            coefficient(Parameter::HermiteCoefficient, c)?;
        }
        Ok(Activation::Smooth(Smooth::Hermite { coefficients }))
    }
}

fn positive(name: Parameter, value: f64) -> Result<f64> {
    if MAGNITUDES.contains(&value) {
        return Ok(value);
    }
    Err(Error::parameter(name, Requirement::FromTo(*MAGNITUDES.start(), *MAGNITUDES.end()), number(value)))
}

fn nonzero(name: Parameter, value: f64) -> Result<f64> {
    if MAGNITUDES.contains(&value.abs()) {
        return Ok(value);
    }
    Err(Error::parameter(name, magnitude(false), number(value)))
}

fn coefficient(name: Parameter, value: f64) -> Result<f64> {
    if value == 0.0 || MAGNITUDES.contains(&value.abs()) {
        return Ok(value);
    }
    Err(Error::parameter(name, magnitude(true), number(value)))
}

fn magnitude(or_zero: bool) -> Requirement {
    Requirement::Magnitude { least: *MAGNITUDES.start(), most: *MAGNITUDES.end(), or_zero }
}

/// The shortest text that reads back as the same number.
fn number(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

fn list(values: &[f64]) -> String {
    values.iter().map(|&value| number(value)).collect::<Vec<_>>().join(",")
}

impl fmt::Display for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Activation::Smooth(smooth) => smooth.fmt(f),
            Activation::Kinked(kinked) => kinked.fmt(f),
        }
    }
}

impl fmt::Display for Smooth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Smooth::Quadratic { alpha: 1.0, beta: 0.0, gamma: 0.0 } => f.write_str("quadratic"),
            Smooth::Quadratic { alpha, beta, gamma } => write!(f, "quadratic:{}", list(&[*alpha, *beta, *gamma])),
            Smooth::Softplus { sharpness: 1.0 } => f.write_str("softplus"),
            Smooth::Softplus { sharpness } => write!(f, "softplus:{}", number(*sharpness)),
            Smooth::Sigmoid { sharpness: 1.0 } => f.write_str("sigmoid"),
            Smooth::Sigmoid { sharpness } => write!(f, "sigmoid:{}", number(*sharpness)),
            Smooth::Tanh => f.write_str("tanh"),
            Smooth::Erf => f.write_str("erf"),
            Smooth::Gelu => f.write_str("gelu"),
            Smooth::Cos => f.write_str("cos"),
            Smooth::Hermite { coefficients } => write!(f, "hermite:{}", list(coefficients)),
        }
    }
}

impl fmt::Display for Kinked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kinked::Relu => f.write_str("relu"),
            Kinked::LeakyRelu { slope } if *slope == DEFAULT_SLOPE => f.write_str("leaky-relu"),
            Kinked::LeakyRelu { slope } => write!(f, "leaky-relu:{}", number(*slope)),
            Kinked::Abs => f.write_str("abs"),
        }
    }
}

impl FromStr for Activation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let Some((name, parameters)) = text.split_once(':') else { return plain(text) };
        match name {
            "quadratic" => match numbers(Parameter::QuadraticCoefficients, parameters)?[..] {
                [alpha, beta, gamma] => Activation::quadratic(alpha, beta, gamma),
                _ => Err(not_numbers(Parameter::QuadraticCoefficients, 3, parameters)),
            },
            "softplus" => Activation::softplus(single(Parameter::Sharpness, parameters)?),
            "sigmoid" => Activation::sigmoid(single(Parameter::Sharpness, parameters)?),
            "leaky-relu" => Activation::leaky_relu(single(Parameter::Slope, parameters)?),
            "hermite" => Activation::hermite_series(numbers(Parameter::HermiteCoefficient, parameters)?),
            _ => Err(unknown(text)),
        }
    }
}

fn plain(name: &str) -> Result<Activation> {
    match name {
        "quadratic" => Ok(Activation::SQUARE),
        "relu" => Ok(Activation::RELU),
        "leaky-relu" => Activation::leaky_relu(DEFAULT_SLOPE),
        "abs" => Ok(Activation::ABS),
        "softplus" => Activation::softplus(1.0),
        "sigmoid" => Activation::sigmoid(1.0),
        "tanh" => Ok(Activation::TANH),
        "erf" => Ok(Activation::ERF),
        "gelu" => Ok(Activation::GELU),
        "cos" => Ok(Activation::COS),
        _ => Err(unknown(name)),
    }
}

fn unknown(name: &str) -> Error {
    Error::UnknownActivation { name: name.into(), known: Activation::NAMES.join(", ") }
}

fn not_numbers(name: Parameter, count: usize, given: &str) -> Error {
    Error::parameter(name, Requirement::Numbers(count), excerpt(given))
}

fn numbers(name: Parameter, text: &str) -> Result<Vec<f64>> {
    let read = |part: &str| part.trim().parse::<f64>().ok();
    text.split(',').map(|part| read(part).ok_or_else(|| not_numbers(name, 1, part))).collect()
}

fn single(name: Parameter, text: &str) -> Result<f64> {
    match numbers(name, text)?[..] {
        [value] => Ok(value),
        _ => Err(not_numbers(name, 1, text)),
    }
}

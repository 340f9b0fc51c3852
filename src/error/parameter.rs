//! Numbers and names that a caller gives, and what they must be: each named once, each range worded once.

use std::fmt;

/// A number or a name that a caller gives.
///
/// ```
/// use shallows::error::Parameter;
///
/// assert_eq!(Parameter::Decay.to_string(), "the decay");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Parameter {
    /// k.
    Width,
    /// d.
    Inputs,
    /// k of a start whose units come in pairs.
    StartWidth,
    /// k of a teacher with orthogonal rows.
    OrthogonalWidth,
    /// k, where it counts units.
    Units,
    /// k × d.
    HiddenWeights,
    /// k × (d + 2).
    Parameters,
    /// τ of the penalty.
    Decay,
    /// η.
    Step,
    /// Samples in one step.
    Batch,
    /// ε, of whatever is asked for.
    Tolerance,
    /// The relative gap up to which a network counts as optimal.
    GapTolerance,
    /// Where a certificate goes.
    CertificateFile,
    /// The norm of the gradient at which a run stops.
    Gradient,
    /// The signs of output weights.
    Signs,
    /// Parts of a cross-validation.
    Folds,
    /// Shuffles of each input.
    Repeats,
    /// The seed of the shuffles.
    ShuffleSeed,
    /// Where curves of effects go.
    EffectsFolder,
    /// The seed of units drawn from the laws of a wide network.
    UnitSeed,
    /// The share of targets that intervals are meant to cover.
    Level,
    /// The share of rows held out.
    Holdout,
    /// The share of rows for calibration.
    Calibration,
    /// How long an automatic fit works.
    Effort,
    /// What an automatic fit takes.
    Preference,
    /// Layers of an infinitely wide network that are tried together.
    LayerSet,
    /// The optimiser.
    Method,
    /// Iterations at most.
    Iterations,
    /// The largest decay within one standard error of the best.
    OneStandardError,
    /// The linear part b·x.
    Linear,
    /// The intercept c.
    Intercept,
    /// The standardisation of the table.
    Scaling,
    /// The norm of the longest row.
    Radius,
    /// An intercept and a linear part of a quadratic network.
    Affine,
    /// Rows of a teacher that a start looks at.
    StartSamples,
    /// Of the numbers in an exported file.
    Precision,
    /// The factor of the output weights of a start.
    OutputScale,
    /// The standard deviation of the noise of a teacher.
    Noise,
    /// The rank of a teacher.
    Rank,
    /// How many eigenvalues a teacher has.
    SpectrumLength,
    /// An eigenvalue of a teacher.
    Eigenvalue,
    /// The hidden layer of planted networks.
    PlantedHidden,
    /// When a trial succeeds.
    SuccessRule,
    /// An axis of a plot.
    Axis,
    /// Of softplus and sigmoid.
    Sharpness,
    /// Of leaky-relu.
    Slope,
    /// α of αz² + βz + γ.
    SquareCoefficient,
    /// β of αz² + βz + γ.
    LinearCoefficient,
    /// γ of αz² + βz + γ.
    ConstantCoefficient,
    /// α, β and γ together.
    QuadraticCoefficients,
    /// A coefficient of a Hermite series.
    HermiteCoefficient,
    /// How many there are.
    HermiteLength,
    /// An exponent of two that scales an input.
    Exponent,
    /// R of a bounded class of networks.
    CompetitorSize,
    /// γ of a start √γ·[I; 0].
    Gamma,
    /// The fourth Hermite coefficient of φ.
    FourthCoefficient,
    /// μ of a designed objective.
    Mu,
    /// λ of a designed objective.
    Lambda,
    /// δ of a designed objective.
    Delta,
    /// A bound on the entries of a gradient.
    Epsilon,
    /// A bound on negative curvature.
    Tau,
}

impl Parameter {
    /// What it is called in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Parameter::Width => "the width",
            Parameter::Inputs => "the number of inputs",
            Parameter::StartWidth => "the width of a start",
            Parameter::OrthogonalWidth => "the width of an orthogonal teacher",
            Parameter::Units => "the number of units",
            Parameter::HiddenWeights => "the number of hidden weights",
            Parameter::Parameters => "width × (inputs + 2)",
            Parameter::Decay => "the decay",
            Parameter::Step => "the step",
            Parameter::Batch => "the batch",
            Parameter::Tolerance => "the tolerance",
            Parameter::GapTolerance => "the tolerance of the certificate",
            Parameter::CertificateFile => "the file of the certificate",
            Parameter::Gradient => "the gradient to stop at",
            Parameter::Signs => "the signs",
            Parameter::Folds => "the number of folds",
            Parameter::Repeats => "the number of repeats",
            Parameter::ShuffleSeed => "the seed of the shuffles",
            Parameter::EffectsFolder => "the folder of effects",
            Parameter::UnitSeed => "the seed of the units",
            Parameter::Level => "the level of the intervals",
            Parameter::Holdout => "the share of rows held out",
            Parameter::Calibration => "the share of rows for calibration",
            Parameter::Effort => "the effort",
            Parameter::Preference => "the preference",
            Parameter::LayerSet => "the set of layers",
            Parameter::Method => "the method",
            Parameter::Iterations => "the number of iterations",
            Parameter::OneStandardError => "the rule of one standard error",
            Parameter::Linear => "leaving out the linear part",
            Parameter::Intercept => "leaving out the intercept",
            Parameter::Scaling => "leaving the table unscaled",
            Parameter::Radius => "the radius",
            Parameter::Affine => "the affine part",
            Parameter::StartSamples => "the number of samples for the start",
            Parameter::Precision => "the precision",
            Parameter::OutputScale => "the output scale",
            Parameter::Noise => "the noise",
            Parameter::Rank => "the rank",
            Parameter::SpectrumLength => "the number of eigenvalues in the spectrum",
            Parameter::Eigenvalue => "every eigenvalue of the spectrum",
            Parameter::PlantedHidden => "hidden",
            Parameter::SuccessRule => "the rule of success",
            Parameter::Axis => "an axis",
            Parameter::Sharpness => "the sharpness",
            Parameter::Slope => "the slope",
            Parameter::SquareCoefficient => "the coefficient of z²",
            Parameter::LinearCoefficient => "the coefficient of z",
            Parameter::ConstantCoefficient => "the constant coefficient",
            Parameter::QuadraticCoefficients => "the coefficients of the quadratic",
            Parameter::HermiteCoefficient => "a Hermite coefficient",
            Parameter::HermiteLength => "the number of Hermite coefficients",
            Parameter::Exponent => "an exponent of the scaling",
            Parameter::CompetitorSize => "the size of the competitors",
            Parameter::Gamma => "γ",
            Parameter::FourthCoefficient => "σ̂_4",
            Parameter::Mu => "μ",
            Parameter::Lambda => "λ",
            Parameter::Delta => "δ",
            Parameter::Epsilon => "ε",
            Parameter::Tau => "τ",
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// What a parameter must be; each number that is compared must be finite too.
///
/// ```
/// use shallows::error::Requirement;
///
/// assert_eq!(Requirement::AtLeast(0.0).to_string(), "a finite number of at least 0");
/// assert_eq!(Requirement::OneOf(&["n", "k", "d"]).to_string(), "n, k or d");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Requirement {
    /// Neither a NaN nor an infinity.
    Finite,
    /// From here on.
    AtLeast(f64),
    /// Above zero.
    Positive,
    /// Between these, both excluded.
    Between(f64, f64),
    /// Between 0 and 1, both excluded, with an example.
    ShareSuchAs(f64),
    /// Above the first, up to the second.
    AboveUpTo(f64, f64),
    /// From the first to the second.
    FromTo(f64, f64),
    /// Between these in magnitude, or perhaps zero.
    Magnitude {
        /// The smallest.
        least: f64,
        /// The largest.
        most: f64,
        /// Whether 0 will do too.
        or_zero: bool,
    },
    /// A whole number from here on.
    CountFrom(usize),
    /// A whole number up to this.
    CountUpTo(usize),
    /// A whole number between these, both included.
    CountBetween(usize, usize),
    /// An even number, positive.
    Even,
    /// So many numbers with commas between them.
    Numbers(usize),
    /// One of these names.
    OneOf(&'static [&'static str]),
    /// Not given, unless one of these is chosen.
    OnlyWith(&'static [&'static str]),
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Requirement::Finite => f.write_str("a finite number"),
            Requirement::AtLeast(least) => write!(f, "a finite number of at least {least}"),
            Requirement::Positive => f.write_str("a positive number"),
            Requirement::Between(low, high) => write!(f, "between {low} and {high}"),
            Requirement::ShareSuchAs(example) => write!(f, "between 0 and 1, such as {example}"),
            Requirement::AboveUpTo(low, high) => write!(f, "above {low} and at most {high}"),
            Requirement::FromTo(low, high) => write!(f, "from {low} to {high}"),
            Requirement::Magnitude { least, most, or_zero } => {
                write!(f, "{}of magnitude {least:e} to {most:e}", if or_zero { "zero or " } else { "" })
            }
            Requirement::CountFrom(least) => write!(f, "at least {least}"),
            Requirement::CountUpTo(most) => write!(f, "at most {most}"),
            Requirement::CountBetween(least, most) => write!(f, "at least {least} and at most {most}"),
            Requirement::Even => f.write_str("even and at least 2"),
            Requirement::Numbers(1) => f.write_str("one number"),
            Requirement::Numbers(count) => write!(f, "{count} numbers, with commas between them"),
            Requirement::OneOf(names) => f.write_str(&alternatives(names)),
            Requirement::OnlyWith(names) => write!(f, "given only with {}", alternatives(names)),
        }
    }
}

impl Requirement {
    /// What is wrong with a value, after the name of the parameter.
    pub(super) fn refusal(&self, value: &str) -> String {
        match self {
            Requirement::OnlyWith(names) => format!("applies only with {}", alternatives(names)),
            _ => format!("must be {self}, not {value}"),
        }
    }
}

/// a, b or c
fn alternatives(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn a_refusal_is_one_sentence() {
        let refusal = |requirement, value| Error::parameter(Parameter::Step, requirement, value).to_string();
        assert_eq!(refusal(Requirement::Positive, -1.0), "the step must be a positive number, not -1");
        assert_eq!(refusal(Requirement::AboveUpTo(0.0, 1.0), 2.0), "the step must be above 0 and at most 1, not 2");
        assert_eq!(
            refusal(Requirement::OnlyWith(&["descent", "sgd"]), 0.1),
            "the step applies only with descent or sgd"
        );
        let magnitude = Requirement::Magnitude { least: 1e-100, most: 1e100, or_zero: true };
        assert_eq!(magnitude.to_string(), "zero or of magnitude 1e-100 to 1e100");
        assert_eq!(Requirement::OneOf(&["quick"]).to_string(), "quick");
    }
}

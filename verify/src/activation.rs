//! Activations: their names, and enclosures of φ and φ'.

use std::fmt;
use std::str::FromStr;

/// An activation function.
///
/// ```
/// use shallows_verify::Activation;
///
/// let softplus: Activation = "softplus:2".parse().map_err(|()| "not a name")?;
/// assert_eq!(softplus, Activation::Softplus { sharpness: 2.0 });
/// assert_eq!(softplus.to_string(), "softplus:2");
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Activation {
    /// αz² + βz + γ
    Quadratic {
        /// α
        alpha: f64,
        /// β
        beta: f64,
        /// γ
        gamma: f64,
    },
    /// log(1 + e^{bz})/b
    Softplus {
        /// b
        sharpness: f64,
    },
    /// 1/(1 + e^{−bz})
    Sigmoid {
        /// b
        sharpness: f64,
    },
    /// tanh z
    Tanh,
    /// erf z
    Erf,
    /// zΦ(z)
    Gelu,
    /// cos z
    Cos,
    /// Σ_r c_r h_r(z), h_r the normalised Hermite polynomials; at most 64 of them
    Hermite {
        /// c_0, c_1, …
        coefficients: Vec<f64>,
    },
    /// max(z, 0)
    Relu,
    /// z for z > 0, slope·z otherwise
    LeakyRelu {
        /// For z ≤ 0.
        slope: f64,
    },
    /// |z|
    Abs,
}

/// The slope of `leaky-relu` when none is given.
const DEFAULT_SLOPE: f64 = 0.01;
/// Most coefficients of a Hermite series.
const MOST_COEFFICIENTS: usize = 64;
/// The least and the largest magnitude of a parameter.
const MAGNITUDES: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

impl Activation {
    /// z²
    pub const SQUARE: Activation = Activation::Quadratic { alpha: 1.0, beta: 0.0, gamma: 0.0 };
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
            Activation::Quadratic { alpha: 1.0, beta: 0.0, gamma: 0.0 } => f.write_str("quadratic"),
            Activation::Quadratic { alpha, beta, gamma } => write!(f, "quadratic:{}", list(&[*alpha, *beta, *gamma])),
            Activation::Softplus { sharpness: 1.0 } => f.write_str("softplus"),
            Activation::Softplus { sharpness } => write!(f, "softplus:{}", number(*sharpness)),
            Activation::Sigmoid { sharpness: 1.0 } => f.write_str("sigmoid"),
            Activation::Sigmoid { sharpness } => write!(f, "sigmoid:{}", number(*sharpness)),
            Activation::Tanh => f.write_str("tanh"),
            Activation::Erf => f.write_str("erf"),
            Activation::Gelu => f.write_str("gelu"),
            Activation::Cos => f.write_str("cos"),
            Activation::Hermite { coefficients } => write!(f, "hermite:{}", list(coefficients)),
            Activation::Relu => f.write_str("relu"),
            Activation::LeakyRelu { slope } if *slope == DEFAULT_SLOPE => f.write_str("leaky-relu"),
            Activation::LeakyRelu { slope } => write!(f, "leaky-relu:{}", number(*slope)),
            Activation::Abs => f.write_str("abs"),
        }
    }
}

impl FromStr for Activation {
    type Err = ();

    fn from_str(text: &str) -> Result<Activation, ()> {
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let numbers = |rest: &str| rest.split(',').map(|x| x.parse::<f64>().map_err(|_| ())).collect::<Result<Vec<f64>, ()>>();
        let parameters = rest.map(numbers).transpose()?;
        let sound = |x: &f64| *x == 0.0 || MAGNITUDES.contains(&x.abs());
        if !parameters.iter().flatten().all(sound) {
            return Err(());
        }
        match (name, parameters.as_deref()) {
            ("quadratic", None) => Ok(Activation::SQUARE),
            ("quadratic", Some(&[alpha, beta, gamma])) if alpha != 0.0 => Ok(Activation::Quadratic { alpha, beta, gamma }),
            ("softplus", None) => Ok(Activation::Softplus { sharpness: 1.0 }),
            ("softplus", Some(&[sharpness])) if sharpness > 0.0 => Ok(Activation::Softplus { sharpness }),
            ("sigmoid", None) => Ok(Activation::Sigmoid { sharpness: 1.0 }),
            ("sigmoid", Some(&[sharpness])) if sharpness > 0.0 => Ok(Activation::Sigmoid { sharpness }),
            ("tanh", None) => Ok(Activation::Tanh),
            ("erf", None) => Ok(Activation::Erf),
            ("gelu", None) => Ok(Activation::Gelu),
            ("cos", None) => Ok(Activation::Cos),
            ("relu", None) => Ok(Activation::Relu),
            ("leaky-relu", None) => Ok(Activation::LeakyRelu { slope: DEFAULT_SLOPE }),
            ("leaky-relu", Some(&[slope])) => Ok(Activation::LeakyRelu { slope }),
            ("abs", None) => Ok(Activation::Abs),
            ("hermite", Some(coefficients)) if coefficients.len() <= MOST_COEFFICIENTS => {
                Ok(Activation::Hermite { coefficients: coefficients.to_vec() })
            }
            _ => Err(()),
        }
    }
}

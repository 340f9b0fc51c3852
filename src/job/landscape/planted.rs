//! The teacher and the start that are asked for.

use super::{Beginning, LandscapeRequest, Origin, read_quadratic};
use crate::activation::Activation;
use crate::data::Data;
use crate::data::teacher::{Design, Hidden, Outputs, Teacher};
use crate::error::{Error, RequestProblem, Result};
use crate::job::words::number;
use crate::landscape::{moment_matrix, paper_scale, scaled_identity, spectral_start, trace_scale};
use crate::linalg::Matrix;
use crate::model::Model;
use crate::network::Network;
use crate::random::{Purpose, Stream};

/// More weights than this are refused rather than left to exhaust the memory.
const MOST_WEIGHTS: u128 = 1 << 27;

/// The teacher. [`LandscapeJob`](crate::job::landscape::LandscapeJob) shows its use.
#[derive(Clone, Debug)]
pub struct PlantedTeacher {
    /// f*
    pub network: Network,
    /// W* was drawn with standard normal entries.
    pub is_gaussian: bool,
}

impl PlantedTeacher {
    /// The teacher that is asked for.
    pub(super) fn new(request: &LandscapeRequest) -> Result<PlantedTeacher> {
        let (inputs, width, spectrum) = match &request.teacher {
            Origin::Given(model) => {
                return Ok(PlantedTeacher { network: read_quadratic(model, "the teacher")?, is_gaussian: false });
            }
            Origin::Drawn { inputs, width, spectrum } => (*inputs, *width, spectrum),
        };
        let values = spectrum.as_ref().map(Vec::len);
        let d = inputs.or(values).ok_or(Error::Request(RequestProblem::NoTeacher))?;
        let m = width.unwrap_or(d);
        check_size("teacher", m, d)?;
        // M* is d×d.
        check_size("teacher", d, d)?;
        let hidden = match spectrum {
            Some(values) => Hidden::Spectrum(values.clone()),
            None => {
                let mut stream = Stream::new(request.seed, Purpose::Teacher, 0);
                Hidden::Given(Matrix::from_fn(m, d, |_, _| stream.normal()))
            }
        };
        let teacher = Teacher::plant(Activation::SQUARE, (m, d), &hidden, &Outputs::Ones, request.seed)?;
        Ok(PlantedTeacher { network: teacher.network, is_gaussian: spectrum.is_none() })
    }

    /// The samples that starts look at: those that were given, or rows of the teacher.
    fn with_samples<R>(
        &self,
        request: &LandscapeRequest,
        given: Option<&(Data, String)>,
        f: impl FnOnce(&Data) -> Result<R>,
    ) -> Result<R> {
        if let Some((data, _)) = given {
            return f(data);
        }
        let (network, seed) = (self.network.clone(), request.seed);
        f(&Teacher { network, design: Design::Gaussian, noise: 0.0, seed }.sample(0..request.samples())?)
    }
}

/// Where descent starts. [`LandscapeJob`](crate::job::landscape::LandscapeJob) shows its use.
#[derive(Clone, Debug)]
pub struct ChosenStart {
    /// W₀ and the output weights of the student.
    pub network: Network,
    /// What was done, in words.
    pub about: String,
    /// γ, of a start √γ·[I; 0].
    pub scale: Option<f64>,
    /// γ does not depend on the teacher.
    pub is_fixed: bool,
}

impl ChosenStart {
    /// The start that is asked for; rows that were given come with what they are called.
    pub(super) fn new(
        request: &LandscapeRequest,
        planted: &PlantedTeacher,
        given: Option<&(Data, String)>,
    ) -> Result<ChosenStart> {
        let d = planted.network.inputs();
        let v = match request.student_width {
            Some(0) => return Err(Error::Request(RequestProblem::NoUnits)),
            Some(k) => {
                check_size("student", k, d)?;
                vec![1.0; k]
            }
            None => planted.network.v.clone(),
        };
        let shape = (v.len(), d);
        let with = |W: Matrix| Network::new(Activation::SQUARE, W, v.clone());
        let identity = |gamma: f64, is_fixed: bool, about: String| -> Result<ChosenStart> {
            Ok(ChosenStart { network: with(scaled_identity(shape, gamma))?, about, scale: Some(gamma), is_fixed })
        };
        let seen = |data: &Data| match given {
            Some((_, name)) => format!("the {} rows of {name}", data.n()),
            None => format!("{} rows drawn from the teacher", data.n()),
        };
        let other = |network: Network, about: String| ChosenStart { network, about, scale: None, is_fixed: false };
        match &request.start {
            Beginning::Paper => {
                identity(paper_scale(shape), true, format!("√γ·[I; 0], γ = m + 4d = {}", paper_scale(shape)))
            }
            Beginning::Width => identity(shape.0 as f64, true, format!("√γ·[I; 0], γ = m = {}", shape.0)),
            Beginning::Trace => planted.with_samples(request, given, |data| {
                let gamma = trace_scale(data);
                let about = format!("√γ·[I; 0], γ = mean(y)/d = {}, from {}", number(gamma), seen(data));
                identity(gamma, false, about)
            }),
            Beginning::Spectral => planted.with_samples(request, given, |data| {
                let W = spectral_start(&moment_matrix(data), shape.0)?;
                let about = format!("½ mean(y(xxᵀ − I)) made positive semidefinite, from {}", seen(data));
                Ok(other(with(W)?, about))
            }),
            Beginning::Zero => Ok(other(with(Matrix::zeros(shape.0, d))?, "W = 0".into())),
            Beginning::Given { model, name } => {
                let network = read_quadratic(model, "the start")?;
                let (expected, found) = (d, network.inputs());
                if expected != found {
                    return Err(Error::Shape { what: "inputs of the start", expected, found });
                }
                Ok(other(network, format!("the weights of {name}")))
            }
        }
    }
}

fn check_size(who: &'static str, units: usize, inputs: usize) -> Result<()> {
    if (units as u128) * (inputs as u128) <= MOST_WEIGHTS {
        return Ok(());
    }
    Err(Error::Request(RequestProblem::TooLarge { who, units, inputs }))
}

/// The one quadratic network, without biases and affine part, of a model; `what` is what errors call it.
///
/// ```
/// use shallows::data::Recipe;
/// use shallows::job::landscape::quadratic;
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Model, Network};
///
/// let model = |activation| {
///     let network = Network::new(activation, Matrix::identity(1), vec![1.0])?;
///     Model::new(network, Recipe::plain(vec!["x".into()]), "y".into(), 0)
/// };
/// assert!(quadratic(&model(Activation::SQUARE)?, "the teacher").is_ok());
/// assert!(quadratic(&model(Activation::RELU)?, "the teacher").is_err());
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn quadratic(model: &Model, what: &str) -> Result<Network> {
    let networks = model.network.networks();
    let bare = |network: &Network| {
        let mut numbers =
            network.bias.iter().flatten().chain(network.linear.iter().flatten()).chain(&network.intercept);
        numbers.all(|x| *x == 0.0)
    };
    match networks {
        [network] if model.network.wide().is_empty() && network.activation == Activation::SQUARE && bare(network) => {
            Network::new(Activation::SQUARE, network.W.clone(), network.v.clone())
        }
        _ => {
            let (what, found) = (what.to_owned(), model.network.activations().join(" + "));
            Err(Error::Request(RequestProblem::NotQuadratic { what, found }))
        }
    }
}

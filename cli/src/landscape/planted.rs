//! The teacher and the start that a command line asks for.

use std::path::Path;

use shallows::activation::Activation;
use shallows::data::teacher::{Design, Hidden, Outputs, Teacher};
use shallows::data::{Data, Recipe, Roles, Table};
use shallows::error::{Error, excerpt};
use shallows::fit::Model;
use shallows::landscape::{moment_matrix, paper_scale, scaled_identity, spectral_start, trace_scale};
use shallows::linalg::Matrix;
use shallows::network::Network;
use shallows::random::{Purpose, Stream};

use super::LandscapeArgs;
use crate::failure::Failure;
use crate::output::number;

/// More weights than this are refused rather than left to exhaust the memory.
const MOST_WEIGHTS: u128 = 1 << 27;

/// The teacher.
pub struct Planted {
    pub network: Network,
    /// W* was drawn with standard normal entries.
    pub is_gaussian: bool,
}

impl Planted {
    pub fn new(args: &LandscapeArgs) -> Result<Planted, Failure> {
        if let Some(path) = &args.teacher {
            return Ok(Planted { network: quadratic(path, "the teacher")?, is_gaussian: false });
        }
        let values = args.spectrum.as_ref().map(Vec::len);
        let Some(d) = args.inputs.or(values) else {
            return Err(Failure::with_hint(
                "there is no teacher to look at",
                "--teacher MODEL, or --inputs D --width M [--spectrum S1,S2,…]",
            ));
        };
        let m = args.width.unwrap_or(d);
        if (m as u128) * (d as u128) > MOST_WEIGHTS || (d as u128) * (d as u128) > MOST_WEIGHTS {
            let message = format!("a teacher of {m} units with {d} inputs is too large to look at");
            return Err(Failure::with_hint(message, "at most 2²⁷ weights"));
        }
        let hidden = match &args.spectrum {
            Some(values) => Hidden::Spectrum(values.clone()),
            None => {
                let mut stream = Stream::new(args.seed, Purpose::Teacher, 0);
                Hidden::Given(Matrix::from_fn(m, d, |_, _| stream.normal()))
            }
        };
        let teacher = Teacher::plant(Activation::SQUARE, (m, d), &hidden, &Outputs::Ones, args.seed)?;
        Ok(Planted { network: teacher.network, is_gaussian: args.spectrum.is_none() })
    }

    /// The samples that starts look at: those of the file, or rows of the teacher.
    pub fn samples(&self, args: &LandscapeArgs) -> Result<Data, Failure> {
        if let Some(path) = &args.data {
            return self.read(path);
        }
        let teacher = Teacher { network: self.network.clone(), design: Design::Gaussian, noise: 0.0, seed: args.seed };
        Ok(teacher.sample(0..args.samples)?)
    }

    fn read(&self, path: &Path) -> Result<Data, Failure> {
        let table = Table::read(path)?;
        let target = Roles::default().target(&table)?;
        let names = table.names.iter().filter(|name| **name != target).cloned().collect();
        let data = Recipe::plain(names).data(&table, &target, None, None)?;
        let (expected, found) = (self.network.inputs(), data.d());
        if expected == found {
            return Ok(data);
        }
        let message = format!("the teacher has {expected} inputs, but the table has {found} besides its last column");
        Err(Failure::with_hint(message, "`shallows teach` makes tables that fit a teacher"))
    }
}

/// Where descent starts.
pub struct Start {
    pub network: Network,
    /// What was done, in words.
    pub about: String,
    /// γ, of a start √γ·[I; 0].
    pub scale: Option<f64>,
    /// γ does not depend on the teacher.
    pub is_fixed: bool,
}

impl Start {
    pub fn new(args: &LandscapeArgs, planted: &Planted) -> Result<Start, Failure> {
        let d = planted.network.inputs();
        let v = match args.student_width {
            Some(0) => return Err(Failure::with_hint("a student without units", "--student-width 1 or more")),
            Some(k) if (k as u128) * (d as u128) > MOST_WEIGHTS => {
                let message = format!("a student of {k} units with {d} inputs is too large to look at");
                return Err(Failure::with_hint(message, "at most 2²⁷ weights"));
            }
            Some(k) => vec![1.0; k],
            None => planted.network.v.clone(),
        };
        let shape = (v.len(), d);
        let with = |W: Matrix| Network::new(Activation::SQUARE, W, v.clone());
        let identity = |gamma: f64, is_fixed: bool, about: String| -> Result<Start, Failure> {
            Ok(Start { network: with(scaled_identity(shape, gamma))?, about, scale: Some(gamma), is_fixed })
        };
        let seen = |data: &Data| match &args.data {
            Some(path) => format!("the {} rows of {}", data.n(), path.display()),
            None => format!("{} rows drawn from the teacher", data.n()),
        };
        match args.start.as_str() {
            "paper" => identity(paper_scale(shape), true, format!("√γ·[I; 0], γ = m + 4d = {}", paper_scale(shape))),
            "width" => identity(shape.0 as f64, true, format!("√γ·[I; 0], γ = m = {}", shape.0)),
            "trace" => {
                let data = planted.samples(args)?;
                let gamma = trace_scale(&data);
                let about = format!("√γ·[I; 0], γ = mean(y)/d = {}, from {}", number(gamma), seen(&data));
                identity(gamma, false, about)
            }
            "spectral" => {
                let data = planted.samples(args)?;
                let W = spectral_start(&moment_matrix(&data), shape.0)?;
                let about = format!("½ mean(y(xxᵀ − I)) made positive semidefinite, from {}", seen(&data));
                Ok(Start { network: with(W)?, about, scale: None, is_fixed: false })
            }
            "zero" => {
                let network = with(Matrix::zeros(shape.0, d))?;
                Ok(Start { network, about: "W = 0".into(), scale: None, is_fixed: false })
            }
            file => Start::from_file(file, d),
        }
    }

    fn from_file(file: &str, d: usize) -> Result<Start, Failure> {
        let path = Path::new(file);
        if path.extension().is_none() && !path.exists() {
            let message = format!("{} is not a start", excerpt(file));
            return Err(Failure::with_hint(message, "paper, width, trace, spectral, zero, or the file of a model"));
        }
        let network = quadratic(path, "the start")?;
        let (expected, found) = (d, network.inputs());
        if expected != found {
            return Err(Error::Shape { what: "inputs of the start", expected, found }.into());
        }
        Ok(Start { network, about: format!("the weights of {}", path.display()), scale: None, is_fixed: false })
    }
}

/// The one quadratic network, without biases and affine part, in a file.
fn quadratic(path: &Path, what: &str) -> Result<Network, Failure> {
    let model = Model::load(path).or_else(|error| match error {
        error @ Error::Io { .. } => Err(error),
        error => Model::load_with(path, Some(Activation::SQUARE)).map_err(|_| error),
    })?;
    let networks = model.network.networks();
    let bare = |network: &Network| {
        let mut numbers =
            network.bias.iter().flatten().chain(network.linear.iter().flatten()).chain(&network.intercept);
        numbers.all(|x| *x == 0.0)
    };
    match networks {
        [network] if network.activation == Activation::SQUARE && bare(network) => {
            Ok(Network::new(Activation::SQUARE, network.W.clone(), network.v.clone())?)
        }
        _ => {
            let kinds: Vec<String> = networks.iter().map(|network| network.activation.to_string()).collect();
            let message = format!(
                "{}: {what} is not quadratic without an affine part, but {}",
                path.display(),
                kinds.join(" + ")
            );
            Err(Failure::with_hint(
                message,
                "`shallows teach --activation quadratic --save-teacher FILE` makes one that is",
            ))
        }
    }
}

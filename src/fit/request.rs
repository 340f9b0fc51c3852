//! What to fit and how: one type for each way, so that an option that does not apply cannot be given.
//!
//! | request | what is left open is chosen by |
//! |---|---|
//! | [`Automatic`] | cross-validation over all candidates, which further options narrow |
//! | [`Quadratic`] | cross-validation along a path of decays; the fit is the global optimum |
//! | [`Wide`] | evidence and the error on rows left out; the output layer is the global optimum |
//! | [`Local`] | cross-validation over a few decays; width and method by rule |
//!
//! [`Options`](super::Options) is the bag in which a command line brings them; it becomes a [`Request`] or is refused.

use super::Fit;
use super::auto::{Effort, Preference};
use crate::activation::Activation;
use crate::data::Data;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::network::Signs;
use crate::optimise::Method;
use crate::watch::Watch;
use crate::wide::LayerSet;

/// A fit of one of four kinds.
///
/// ```
/// use shallows::fit::{Local, Quadratic, Request};
///
/// let request = Request::from(Quadratic::new().decay(0.01));
/// assert!(request.check().is_ok());
/// let impossible = Request::from(Local::new("tanh".parse()?).width(0));
/// assert!(impossible.check().is_err());
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Candidates from affine to very wide, compared and combined.
    Automatic(Automatic),
    /// A quadratic network at its global optimum.
    Quadratic(Quadratic),
    /// An infinitely wide network, its output layer at the global optimum.
    Wide(Wide),
    /// One network of one activation, by a descent method from a random start.
    Local(Local),
}

/// What all requests have in common.
///
/// ```
/// use shallows::fit::{Common, Quadratic};
///
/// let common = Common { intercept: false, ..Common::default() };
/// let request = Quadratic { common, ..Quadratic::new() };
/// assert!(request.common.linear && !request.common.intercept);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Common {
    /// The seed of everything random.
    pub seed: u64,
    /// Include bᵀx.
    pub linear: bool,
    /// Include c.
    pub intercept: bool,
    /// Standardise the table before training.
    pub scaling: bool,
    /// Take samples that occur several times as one of their joint weight, so that weights and repeats are the same thing:
    /// see [`Data::merged`].
    pub merge_repeats: bool,
}

impl Default for Common {
    fn default() -> Self {
        Common { seed: 0, linear: true, intercept: true, scaling: true, merge_repeats: false }
    }
}

/// The automatic fit. What is given beyond the effort narrows its candidates to those that honour it.
///
/// ```
/// use shallows::data::Data;
/// use shallows::fit::{Automatic, Effort};
/// use shallows::linalg::Matrix;
///
/// let X = Matrix::from_fn(60, 1, |i, _| i as f64 / 10.0);
/// let y = (0..60).map(|i| 3.0 * i as f64 + if i % 2 == 0 { 0.5 } else { -0.5 }).collect();
/// let data = Data::builder(X, y).build()?;
/// let fit = Automatic::new().effort(Effort::Quick).fit(&data)?;
/// assert_eq!(fit.network.inputs(), 1);
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Automatic {
    /// What all requests have in common.
    pub common: Common,
    /// How much work it is worth.
    pub effort: Effort,
    /// What it takes of the candidates.
    pub prefer: Preference,
    /// For the quadratic network, choose the largest decay within one standard error of the best.
    pub one_standard_error: bool,
    /// k: leaves the quadratic network, the one candidate of a fixed width.
    pub width: Option<usize>,
    /// The optimiser: leaves the candidates that are trained by it.
    pub method: Option<Method>,
    /// τ: leaves the candidates with one decay, at this decay.
    pub decay: Option<f64>,
    /// The signs that output weights may have: one sign leaves the quadratic network.
    pub signs: Signs,
}

/// A quadratic network at its global optimum.
///
/// ```
/// use shallows::data::Data;
/// use shallows::fit::Quadratic;
///
/// let data = Data::from_rows(&[[0.2, 1.0], [0.5, -1.0], [1.5, 0.3], [0.9, 2.0]], &[1.0, 0.3, 2.2, 4.1])?;
/// let fit = Quadratic::new().decay(0.01).fit(&data)?;
/// assert!(fit.certifiable().is_some());
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Quadratic {
    /// What all requests have in common.
    pub common: Common,
    /// k; `None` for the rank of the solution.
    pub width: Option<usize>,
    /// τ of τ‖M‖_* (as τΣ|v_j|‖w_j‖²), on the table divided by powers of two near the standard deviations; `None` for
    /// the choice by cross-validation.
    pub decay: Option<f64>,
    /// Choose the largest decay within one standard error of the best.
    pub one_standard_error: bool,
    /// The signs that output weights may have.
    pub signs: Signs,
}

/// An infinitely wide network: its laws of hidden weights by evidence, its output layer at the global optimum.
///
/// ```
/// use shallows::Data;
/// use shallows::fit::Wide;
/// use shallows::linalg::Matrix;
///
/// let x: Vec<[f64; 1]> = (0..40).map(|i| [i as f64 / 5.0]).collect();
/// let y: Vec<f64> = x.iter().map(|x| x[0].sin()).collect();
/// let fit = Wide::new().fit(&Data::from_rows(&x, &y)?)?;
/// assert!((fit.network.predict(&Matrix::from_rows(&[[1.5]]))?[0] - 1.5_f64.sin()).abs() < 0.02);
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Wide {
    /// What all requests have in common; a wide network is always standardised and always has an affine part.
    pub common: Common,
    /// The sets of layers that are compared by the error on rows left out.
    pub sets: Vec<LayerSet>,
}

/// One network of one activation, by a descent method from a random start.
///
/// ```
/// use shallows::fit::{Descending, Local};
///
/// let request = Local::new("softplus".parse()?).width(8).decay(1e-3).by(Descending::Lbfgs).iterations(50);
/// assert_eq!(request.width, Some(8));
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// What all requests have in common.
    pub common: Common,
    /// φ.
    pub activation: Activation,
    /// k; `None` for a rule by the size of the table.
    pub width: Option<usize>,
    /// τ of (τ/2)(‖W‖² + ‖v‖²) on the standardised table, for quadratic networks of τΣ|v_j|‖w_j‖²; `None` for the choice
    /// by cross-validation.
    pub decay: Option<f64>,
    /// The optimiser with what only it needs; `None` for a rule by the size of the table.
    pub method: Option<Descending>,
    /// Iterations of the final run; `None` for the method's own default.
    pub iterations: Option<usize>,
    /// The final run ends when its gradient (on the standardised table) is this small.
    pub gradient: f64,
}

/// An optimiser with the options that are its own. [`Local`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Descending {
    /// Gradient descent.
    Descent {
        /// A fixed step; `None` for an adaptive one.
        step: Option<f64>,
    },
    /// Stochastic gradient descent.
    Sgd {
        /// `None` for the default.
        step: Option<f64>,
        /// Samples per step; `None` for the default.
        batch: Option<usize>,
    },
    /// Limited-memory BFGS.
    Lbfgs,
    /// Trust-region Newton.
    Newton,
    /// Levenberg–Marquardt.
    Levenberg,
}

impl Descending {
    /// Its name.
    pub fn method(self) -> Method {
        match self {
            Descending::Descent { .. } => Method::Descent,
            Descending::Sgd { .. } => Method::Sgd,
            Descending::Lbfgs => Method::Lbfgs,
            Descending::Newton => Method::Newton,
            Descending::Levenberg => Method::Levenberg,
        }
    }

    fn check(self) -> Result<()> {
        let (step, batch) = match self {
            Descending::Descent { step } => (step, None),
            Descending::Sgd { step, batch } => (step, batch),
            Descending::Lbfgs | Descending::Newton | Descending::Levenberg => (None, None),
        };
        if let Some(step) = step.filter(|step| !(*step > 0.0 && step.is_finite())) {
            return Err(Error::parameter(Parameter::Step, Requirement::Positive, step));
        }
        match batch {
            Some(0) => Err(Error::parameter(Parameter::Batch, Requirement::CountFrom(1), 0)),
            _ => Ok(()),
        }
    }
}

impl From<Method> for Descending {
    /// With its defaults.
    fn from(method: Method) -> Self {
        match method {
            Method::Descent => Descending::Descent { step: None },
            Method::Sgd => Descending::Sgd { step: None, batch: None },
            Method::Lbfgs => Descending::Lbfgs,
            Method::Newton => Descending::Newton,
            Method::Levenberg => Descending::Levenberg,
        }
    }
}

/// The gradient at which a run ends unless another is given.
pub const USUAL_GRADIENT: f64 = 1e-7;

impl Default for Automatic {
    fn default() -> Self {
        Automatic {
            common: Common::default(),
            effort: Effort::default(),
            prefer: Preference::default(),
            one_standard_error: false,
            width: None,
            method: None,
            decay: None,
            signs: Signs::Any,
        }
    }
}

impl Automatic {
    /// Everything is chosen from the data.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with this effort.
    pub fn effort(self, effort: Effort) -> Self {
        Automatic { effort, ..self }
    }

    /// The same with this seed.
    pub fn seed(self, seed: u64) -> Self {
        Automatic { common: Common { seed, ..self.common }, ..self }
    }

    /// Fit, while nobody watches.
    pub fn fit(&self, data: &Data) -> Result<Fit> {
        super::fit(data, &self.clone().into(), Watch::silent())
    }

    /// The request for the candidate that is a quadratic network.
    pub(super) fn quadratic(&self) -> Quadratic {
        let Automatic { common, one_standard_error, width, decay, signs, .. } = *self;
        Quadratic { common, width, decay, one_standard_error, signs }
    }
}

impl Default for Quadratic {
    fn default() -> Self {
        Quadratic { common: Common::default(), width: None, decay: None, one_standard_error: false, signs: Signs::Any }
    }
}

impl Quadratic {
    /// With as many units as the solution needs, and a decay by cross-validation.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with this decay.
    pub fn decay(self, decay: f64) -> Self {
        Quadratic { decay: Some(decay), ..self }
    }

    /// The same with this width.
    pub fn width(self, width: usize) -> Self {
        Quadratic { width: Some(width), ..self }
    }

    /// The same with output weights of these signs.
    pub fn signs(self, signs: Signs) -> Self {
        Quadratic { signs, ..self }
    }

    /// The same with this seed.
    pub fn seed(self, seed: u64) -> Self {
        Quadratic { common: Common { seed, ..self.common }, ..self }
    }

    /// Fit, while nobody watches.
    pub fn fit(&self, data: &Data) -> Result<Fit> {
        super::fit(data, &self.clone().into(), Watch::silent())
    }
}

impl Default for Wide {
    fn default() -> Self {
        Wide { common: Common::default(), sets: LayerSet::ALL.to_vec() }
    }
}

impl Wide {
    /// All sets of layers are compared.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with these sets of layers.
    pub fn sets(self, sets: &[LayerSet]) -> Self {
        Wide { sets: sets.to_vec(), ..self }
    }

    /// The same with this seed.
    pub fn seed(self, seed: u64) -> Self {
        Wide { common: Common { seed, ..self.common }, ..self }
    }

    /// Fit, while nobody watches.
    pub fn fit(&self, data: &Data) -> Result<Fit> {
        super::fit(data, &self.clone().into(), Watch::silent())
    }
}

impl Local {
    /// Of this activation; width, decay and method are chosen from the data.
    pub fn new(activation: Activation) -> Self {
        let common = Common::default();
        Local { common, activation, width: None, decay: None, method: None, iterations: None, gradient: USUAL_GRADIENT }
    }

    /// The same with this width.
    pub fn width(self, width: usize) -> Self {
        Local { width: Some(width), ..self }
    }

    /// The same with this decay.
    pub fn decay(self, decay: f64) -> Self {
        Local { decay: Some(decay), ..self }
    }

    /// The same by this optimiser.
    pub fn by(self, method: Descending) -> Self {
        Local { method: Some(method), ..self }
    }

    /// The same with at most this many iterations.
    pub fn iterations(self, iterations: usize) -> Self {
        Local { iterations: Some(iterations), ..self }
    }

    /// The same with this seed.
    pub fn seed(self, seed: u64) -> Self {
        Local { common: Common { seed, ..self.common }, ..self }
    }

    /// Fit, while nobody watches.
    pub fn fit(&self, data: &Data) -> Result<Fit> {
        super::fit(data, &self.clone().into(), Watch::silent())
    }
}

impl From<Automatic> for Request {
    fn from(request: Automatic) -> Self {
        Request::Automatic(request)
    }
}

impl From<Quadratic> for Request {
    fn from(request: Quadratic) -> Self {
        Request::Quadratic(request)
    }
}

impl From<Wide> for Request {
    fn from(request: Wide) -> Self {
        Request::Wide(request)
    }
}

impl From<Local> for Request {
    fn from(request: Local) -> Self {
        Request::Local(request)
    }
}

impl Default for Request {
    fn default() -> Self {
        Automatic::default().into()
    }
}

impl Request {
    /// What all requests have in common.
    pub fn common(&self) -> &Common {
        match self {
            Request::Automatic(request) => &request.common,
            Request::Quadratic(request) => &request.common,
            Request::Wide(request) => &request.common,
            Request::Local(request) => &request.common,
        }
    }

    /// Whether c and b are free, so that constant inputs have no effect.
    pub fn is_affine_free(&self) -> bool {
        let Common { linear, intercept, .. } = self.common();
        *linear && *intercept
    }

    /// Whether shifted inputs and a shifted target lead to the same function: the affine part is free, and what is not
    /// quadratic is standardised and has biases.
    pub fn is_shift_free(&self) -> bool {
        self.is_affine_free() && self.common().scaling
    }

    /// Whether it can lead to a network at a global optimum, which is what certificates speak about. Where it can, the
    /// table may still be too large for one.
    ///
    /// ```
    /// use shallows::fit::{Local, Quadratic, Request};
    ///
    /// assert!(Request::from(Quadratic::new()).is_certifiable());
    /// assert!(!Request::from(Local::new("tanh".parse()?)).is_certifiable());
    /// # Ok::<(), shallows::error::Error>(())
    /// ```
    pub fn is_certifiable(&self) -> bool {
        match self {
            Request::Automatic(request) => request.method.is_none(),
            Request::Quadratic(_) | Request::Wide(_) => true,
            Request::Local(_) => false,
        }
    }

    /// Every number is in its range.
    pub fn check(&self) -> Result<()> {
        let (width, decay) = match self {
            Request::Automatic(request) => (request.width, request.decay),
            Request::Quadratic(request) => (request.width, request.decay),
            Request::Wide(_) => (None, None),
            Request::Local(request) => (request.width, request.decay),
        };
        if let Some(decay) = decay.filter(|decay| !(*decay >= 0.0 && decay.is_finite())) {
            return Err(Error::parameter(Parameter::Decay, Requirement::AtLeast(0.0), decay));
        }
        if width == Some(0) {
            return Err(Error::parameter(Parameter::Width, Requirement::CountFrom(1), 0));
        }
        if matches!(self, Request::Wide(Wide { sets, .. }) if sets.is_empty()) {
            return Err(Error::parameter(Parameter::LayerSet, Requirement::OneOf(&LayerSet::NAMES), "none"));
        }
        let Request::Local(Local { gradient, method, .. }) = self else { return Ok(()) };
        if gradient.is_nan() || *gradient < 0.0 {
            return Err(Error::parameter(Parameter::Gradient, Requirement::AtLeast(0.0), gradient));
        }
        method.map_or(Ok(()), Descending::check)
    }
}

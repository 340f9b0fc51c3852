//! The options of a fit as a command line or a dictionary brings them: a bag that becomes a typed request, or is refused.

use std::fmt;
use std::str::FromStr;

use super::auto::{Effort, Preference};
use super::request::{Automatic, Common, Descending, Local, Quadratic, Request, USUAL_GRADIENT, Wide};
use crate::activation::Activation;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::model::WIDE;
use crate::network::Signs;
use crate::optimise::Method;
use crate::wide::LayerSet;

/// What was said about a fit; `None` where nothing was said.
///
/// ```
/// use shallows::fit::{Options, Request};
///
/// let given = Options { activation: Some("quadratic".parse()?), decay: Some(0.01), ..Options::default() };
/// assert!(matches!(given.request()?, Request::Quadratic(_)));
/// // The automatic fit takes no iterations: it says so instead of ignoring them.
/// let refused = Options { iterations: Some(5), ..Options::default() };
/// assert!(refused.request().is_err());
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// What all requests have in common.
    pub common: Common,
    /// φ, or an infinitely wide layer; `None` for the automatic fit.
    pub activation: Option<GivenActivation>,
    /// The sets of layers of an infinitely wide network that are compared; `None` for all.
    pub sets: Option<Vec<LayerSet>>,
    /// k.
    pub width: Option<usize>,
    /// The optimiser; `None` fits quadratic networks to the global optimum.
    pub method: Option<Method>,
    /// τ.
    pub decay: Option<f64>,
    /// Choose the largest decay within one standard error of the best.
    pub one_standard_error: bool,
    /// The signs that output weights may have.
    pub signs: Option<Signs>,
    /// Iterations of the final run.
    pub iterations: Option<usize>,
    /// The fixed step of descent, or the step of sgd.
    pub step: Option<f64>,
    /// Samples per step of sgd.
    pub batch: Option<usize>,
    /// The final run ends when its gradient is this small.
    pub gradient: Option<f64>,
    /// How much work an automatic fit is worth.
    pub effort: Option<Effort>,
    /// What an automatic fit takes of its candidates.
    pub prefer: Option<Preference>,
}

/// What `--activation` names: an activation of finite networks, or an infinitely wide layer.
///
/// ```
/// use shallows::fit::GivenActivation;
///
/// assert_eq!("wide".parse::<GivenActivation>()?, GivenActivation::Wide);
/// assert_eq!("tanh".parse::<GivenActivation>()?.to_string(), "tanh");
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum GivenActivation {
    /// φ.
    Finite(Activation),
    /// Infinitely many units, their laws by evidence.
    Wide,
}

impl fmt::Display for GivenActivation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GivenActivation::Finite(activation) => activation.fmt(f),
            GivenActivation::Wide => f.write_str(WIDE),
        }
    }
}

impl FromStr for GivenActivation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text == WIDE {
            true => Ok(GivenActivation::Wide),
            false => text.parse().map(GivenActivation::Finite),
        }
    }
}

impl From<Activation> for GivenActivation {
    fn from(activation: Activation) -> Self {
        GivenActivation::Finite(activation)
    }
}

const DESCENT: Requirement = Requirement::OnlyWith(&["a network trained by descent from a random start"]);
const AUTOMATIC: Requirement = Requirement::OnlyWith(&["the automatic fit"]);
const COMPARED: Requirement = Requirement::OnlyWith(&["an automatic fit that has several candidates to compare"]);
const GLOBAL: Requirement = Requirement::OnlyWith(&["the global fit of a quadratic network"]);
const INFINITE: Requirement = Requirement::OnlyWith(&["infinitely wide networks"]);
const FINITE: Requirement = Requirement::OnlyWith(&["networks of finite width"]);
const CHOSEN_DECAY: Requirement = Requirement::OnlyWith(&["a decay that is chosen for a quadratic network"]);

impl Options {
    /// The request they make; an option that does not apply is refused by its name.
    pub fn request(&self) -> Result<Request> {
        if self.activation != Some(GivenActivation::Wide) {
            refuse(self.sets.as_ref().map(|sets| sets.len()), Parameter::LayerSet, INFINITE)?;
        }
        let request = match &self.activation {
            None => self.automatic()?.into(),
            Some(GivenActivation::Wide) => self.wide()?.into(),
            Some(GivenActivation::Finite(Activation::SQUARE)) if self.method.is_none() => self.quadratic()?.into(),
            Some(GivenActivation::Finite(activation)) => self.local(activation)?.into(),
        };
        Request::check(&request)?;
        Ok(request)
    }

    fn automatic(&self) -> Result<Automatic> {
        self.refuse_what_descent_takes(DESCENT)?;
        let Options { common, width, method, decay, one_standard_error, .. } = *self;
        if one_standard_error && (decay.is_some() || method.is_some()) {
            return Err(Error::parameter(Parameter::OneStandardError, CHOSEN_DECAY, true));
        }
        let (signs, effort) = (self.signs.unwrap_or(Signs::Any), self.effort.unwrap_or_default());
        let prefer = self.prefer.unwrap_or_default();
        let request = Automatic { common, effort, prefer, one_standard_error, width, method, decay, signs };
        if request.is_quadratic_alone() {
            refuse(self.effort, Parameter::Effort, COMPARED)?;
            refuse(self.prefer, Parameter::Preference, COMPARED)?;
        }
        Ok(request)
    }

    fn quadratic(&self) -> Result<Quadratic> {
        self.refuse_what_descent_takes(DESCENT)?;
        self.refuse_what_the_automatic_fit_takes()?;
        let Options { common, width, decay, one_standard_error, .. } = *self;
        if one_standard_error && decay.is_some() {
            return Err(Error::parameter(Parameter::OneStandardError, CHOSEN_DECAY, true));
        }
        Ok(Quadratic { common, width, decay, one_standard_error, signs: self.signs.unwrap_or(Signs::Any) })
    }

    fn wide(&self) -> Result<Wide> {
        self.refuse_what_descent_takes(DESCENT)?;
        refuse(self.method, Parameter::Method, DESCENT)?;
        self.refuse_what_the_automatic_fit_takes()?;
        refuse(self.signs.map(Signs::name), Parameter::Signs, GLOBAL)?;
        refuse(self.one_standard_error.then_some(true), Parameter::OneStandardError, CHOSEN_DECAY)?;
        refuse(self.width, Parameter::Width, FINITE)?;
        refuse(self.decay, Parameter::Decay, FINITE)?;
        let Common { linear, intercept, scaling, .. } = self.common;
        for (name, is_on) in
            [(Parameter::Linear, linear), (Parameter::Intercept, intercept), (Parameter::Scaling, scaling)]
        {
            refuse((!is_on).then_some(false), name, FINITE)?;
        }
        let sets = self.sets.clone().unwrap_or_else(|| LayerSet::ALL.to_vec());
        Ok(Wide { common: self.common, sets })
    }

    fn local(&self, activation: &Activation) -> Result<Local> {
        self.refuse_what_the_automatic_fit_takes()?;
        refuse(self.signs.map(Signs::name), Parameter::Signs, GLOBAL)?;
        refuse(self.one_standard_error.then_some(true), Parameter::OneStandardError, CHOSEN_DECAY)?;
        let (step, batch) = (self.step, self.batch);
        let method = match self.method {
            Some(Method::Descent) => Some(Descending::Descent { step }),
            Some(Method::Sgd) => Some(Descending::Sgd { step, batch }),
            other => {
                refuse(step, Parameter::Step, Requirement::OnlyWith(&["descent", "sgd"]))?;
                other.map(Descending::from)
            }
        };
        if self.method != Some(Method::Sgd) {
            refuse(batch, Parameter::Batch, Requirement::OnlyWith(&["sgd"]))?;
        }
        let Options { common, width, decay, iterations, .. } = *self;
        let (activation, gradient) = (activation.clone(), self.gradient.unwrap_or(USUAL_GRADIENT));
        Ok(Local { common, activation, width, decay, method, iterations, gradient })
    }

    /// The options of the automatic fit, which nothing else takes.
    fn refuse_what_the_automatic_fit_takes(&self) -> Result<()> {
        refuse(self.effort, Parameter::Effort, AUTOMATIC)?;
        refuse(self.prefer, Parameter::Preference, AUTOMATIC)
    }

    /// The options of a run by descent, which nothing else takes.
    fn refuse_what_descent_takes(&self, requirement: Requirement) -> Result<()> {
        refuse(self.iterations, Parameter::Iterations, requirement)?;
        refuse(self.gradient, Parameter::Gradient, requirement)?;
        refuse(self.step, Parameter::Step, Requirement::OnlyWith(&["descent", "sgd"]))?;
        refuse(self.batch, Parameter::Batch, Requirement::OnlyWith(&["sgd"]))
    }
}

/// What was given must not be.
fn refuse<T: ToString>(given: Option<T>, name: Parameter, requirement: Requirement) -> Result<()> {
    given.map_or(Ok(()), |value| Err(Error::parameter(name, requirement, value.to_string())))
}

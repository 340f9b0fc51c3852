//! Optimisers: descent, sgd, lbfgs, newton, levenberg; stopping rules and traces.
//!
//! Every optimiser is a function from a starting point to an end point. What happens on the way goes
//! through a [`Monitor`], which holds the [`Stop`] rules, writes the [`Trace`] and reports progress.

mod bounded;
mod descent;
mod lbfgs;
mod levenberg;
mod newton;
mod sgd;
mod stop;
mod trace;

use std::fmt;
use std::str::FromStr;

pub(crate) use bounded::{BoundedSearch, bounded_lbfgs};
pub(crate) use descent::GROWTH;
pub use descent::{GradientDescent, Step, descent, theoretical_step};
pub use lbfgs::{Lbfgs, lbfgs};
pub use levenberg::{Levenberg, SystemForm, levenberg};
pub use newton::{Newton, newton};
pub use sgd::{SampleSource, Sgd, sgd};
pub use stop::{Stop, StopReason};
pub use trace::{Crossing, LADDER, Monitor, Trace, TraceRow};

use crate::error::{Error, Parameter, Requirement, Result, excerpt};

/// The optimisers by name.
///
/// ```
/// use shallows::optimise::Method;
///
/// assert_eq!("lbfgs".parse::<Method>()?, Method::Lbfgs);
/// assert_eq!(Method::Newton.name(), "newton");
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Gradient descent.
    Descent,
    /// Stochastic gradient descent.
    Sgd,
    /// Limited-memory BFGS.
    Lbfgs,
    /// Trust-region Newton; leaves saddles.
    Newton,
    /// Levenberg–Marquardt.
    Levenberg,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 5] = [Method::Descent, Method::Sgd, Method::Lbfgs, Method::Newton, Method::Levenberg];

    /// As in `--method`.
    pub fn name(self) -> &'static str {
        match self {
            Method::Descent => "descent",
            Method::Sgd => "sgd",
            Method::Lbfgs => "lbfgs",
            Method::Newton => "newton",
            Method::Levenberg => "levenberg",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        let found = Method::ALL.into_iter().find(|method| method.name() == name);
        let requirement = Requirement::OneOf(&["descent", "sgd", "lbfgs", "newton", "levenberg"]);
        found.ok_or_else(|| Error::parameter(Parameter::Method, requirement, excerpt(name)))
    }
}

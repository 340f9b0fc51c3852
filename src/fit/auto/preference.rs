//! What an automatic fit is for: errors, proofs, or both.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Parameter, Requirement};

/// What an automatic fit takes, of the candidates that it has compared.
///
/// ```
/// use shallows::fit::{Automatic, Effort, Outcome, Preference, Training};
/// use shallows::Data;
///
/// // A noisy line: an affine function would do, but no theorem speaks about it.
/// let rows: Vec<[f64; 1]> = (0..60).map(|i| [i as f64 / 10.0]).collect();
/// let y: Vec<f64> = (0..60).map(|i| 3.0 * i as f64 + if i % 3 == 0 { 0.5 } else { -0.5 }).collect();
/// let request = Automatic { prefer: Preference::Proof, ..Automatic::new().effort(Effort::Quick) };
/// let fit = request.fit(&Data::from_rows(&rows, &y)?)?;
/// let Training::Combined(decision) = &fit.training else { panic!("an automatic fit compares candidates") };
/// assert!(matches!(decision.outcome, Outcome::Quadratic | Outcome::Wide));
/// assert!("balanced".parse::<Preference>()? == Preference::default());
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preference {
    /// The simplest model that nothing is clearly ahead of.
    #[default]
    Balanced,
    /// The least cross-validated error, by however little.
    Accuracy,
    /// One network at a proved global optimum, whatever else is ahead of it.
    Proof,
}

impl Preference {
    const NAMES: [(&str, Preference); 3] =
        [("balanced", Preference::Balanced), ("accuracy", Preference::Accuracy), ("proof", Preference::Proof)];
}

impl fmt::Display for Preference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Preference::NAMES.iter().find(|(_, one)| one == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl FromStr for Preference {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let known = Preference::NAMES.iter().find(|(name, _)| *name == text).map(|(_, one)| *one);
        let requirement = Requirement::OneOf(&["balanced", "accuracy", "proof"]);
        known.ok_or_else(|| Error::parameter(Parameter::Preference, requirement, text))
    }
}

//! The specification of a sweep: a TOML file.
//!
//! ```toml
//! name = "planted softplus"       # for people
//! seed = 0                        # everything random comes from it
//! trials = 50                     # planted networks for each cell
//! starts = 1                      # starts for each network
//!
//! [grid]                          # a number, a list, a range "1..=25" or "10..=100 step 10", or an expression "2*d"
//! n = 100
//! k = "4..=20"
//! d = 10
//!
//! [data]
//! inputs = "gaussian"             # or "sphere"
//! labels = "planted"              # or "random": y ~ N(0, 1)
//! noise = 0.0                     # standard deviation of the label noise
//!
//! [teacher]                       # of planted labels
//! activation = "softplus:10"      # the student's unless said
//! width = "k"                     # a number or an expression
//! hidden = "gaussian"             # entries N(0, 1/d); "orthonormal"; "rank:2"
//! outputs = "ones"                # "signs"; "uniform:1:2"
//!
//! [student]
//! activation = "softplus:10"
//! scale = "1/sqrt(d)"             # standard deviation of the entries of W₀
//! outputs = "signs"               # v₀: ±1; "ones"; "os": ±‖y‖/√(kn), balanced
//! train = "both"                  # W and v; "hidden": W
//!
//! [training]
//! step = "fixed"                  # or "adaptive": grows while the loss falls, halved when it would rise
//! eta = 0.05                      # a number or an expression
//! loss = "mean"                   # η belongs to (1/2n)Σr²; "sum": to ½Σr²
//! iterations = 20000
//! tolerance = 0                   # descent ends at this relative error; 0 for never
//! precision = "f64"               # or "f32"
//! verdict = true                  # Levenberg–Marquardt continues from there
//!
//! [success]
//! rule = "descent"                # "verdict"; "recovers-teacher"
//! tolerance = 1e-2                # a rung of the ladder
//! within = 20000
//!
//! [refine]                        # more networks where the curve is uncertain
//! axis = "k"
//! trials = 500                    # in all
//! values = "1..=30"               # cells that may be added; those of the grid unless said
//!
//! [quick]                         # what is smaller in the quick version; comes last
//! trials = 10
//! grid.k = "6..=14 step 2"
//! ```

mod checks;
mod quick;
mod raw;
mod reading;
mod values;

use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::expression::Expression;
use super::grid::{Grid, GridCell, Symbol};
use super::protocol::{Labels, StartOutputs, StepRule, as_text, design_name, precision_name};
use super::rule::Rule;
use crate::activation::Activation;
use crate::data::teacher::Design;
use crate::error::{Error, Result, SpecificationProblem};
use crate::file::read_at_most;
use crate::fleet::Precision;

pub use quick::Extent;
pub(super) use quick::Versions;

/// A sweep: a grid of sizes, and how networks of each are planted, started, trained and judged.
/// [`Specification::parse`] shows its use.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Specification {
    /// For people.
    #[serde(skip)]
    pub name: String,
    /// Everything random comes from it.
    pub seed: u64,
    /// Planted networks for each cell.
    pub trials: usize,
    /// Starts for each planted network.
    pub starts: usize,
    /// The sizes.
    pub grid: Grid,
    /// The law of x.
    #[serde(serialize_with = "design_name")]
    pub inputs: Design,
    /// The law of y.
    pub labels: Labels,
    /// Standard deviation of the label noise.
    pub noise: f64,
    /// φ of the student.
    #[serde(serialize_with = "as_text")]
    pub activation: Activation,
    /// Standard deviation of the entries of W₀.
    pub scale: Expression,
    /// v₀.
    pub outputs: StartOutputs,
    /// Whether v is trained besides W.
    pub trains_outputs: bool,
    /// The step of descent.
    pub step: StepRule,
    /// The most steps of descent.
    pub iterations: usize,
    /// The relative error at which descent ends.
    pub tolerance: f64,
    /// Of descent.
    #[serde(serialize_with = "precision_name")]
    pub precision: Precision,
    /// Whether Levenberg–Marquardt continues from the end of descent.
    pub verdict: bool,
    /// What counts as a success.
    pub success: Rule,
    /// Where more networks are planted.
    pub refine: Option<Refine>,
    /// The file it was read from, word for word.
    #[serde(skip)]
    pub text: String,
}

/// More planted networks, where the success probability along one axis is uncertain. [`Specification::parse`] shows its use.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refine {
    /// The axis.
    pub axis: Symbol,
    /// Networks in all.
    pub trials: usize,
    /// Values of the axis at which networks may be planted, beyond those of the grid.
    pub values: Vec<usize>,
}

/// A specification is a page or two.
const MOST_BYTES: u64 = 1 << 20;
/// Runs of a sweep: three hours of them, if each took a millisecond.
pub(super) const MOST_TRIALS: u128 = 10_000_000;

impl Specification {
    /// Read a file.
    pub fn read(path: &Path) -> Result<Self> {
        let refuse = |reason: &str| {
            let problem = Box::new(SpecificationProblem::Syntax(reason.to_owned()));
            Error::Specification { path: path.to_owned(), line: 1, column: 1, problem }
        };
        let bytes = read_at_most(path, MOST_BYTES)?.ok_or_else(|| refuse("the file is longer than a megabyte"))?;
        let text = String::from_utf8(bytes).map_err(|_| refuse("the file is not text"))?;
        Specification::parse(&text, path)
    }

    /// Read a text; the path is for messages. What its table `[quick]` says is checked too.
    ///
    /// ```
    /// use shallows::lab::{Extent, Specification};
    /// use std::path::Path;
    ///
    /// let text = "
    ///     trials = 20
    ///     [grid]
    ///     n = 60
    ///     k = \"4..=16 step 2\"
    ///     d = 8
    ///     [student]
    ///     activation = \"softplus:10\"
    ///     [training]
    ///     step = \"adaptive\"
    ///     iterations = 3000
    ///     [quick]
    ///     trials = 5
    /// ";
    /// let path = Path::new("mine.toml");
    /// let full = Specification::parse(text, path)?;
    /// assert_eq!(full.total(), 7 * 20);
    /// assert_eq!(full.at_extent(Extent::Quick, path)?.total(), 7 * 5);
    /// # Ok::<(), shallows::error::Error>(())
    /// ```
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        let reading = reading::SpecificationText { text, path };
        let versions = Versions::of(text).map_err(|(place, problem)| reading.refuse(place, problem))?;
        let full = reading::SpecificationText { text: versions.full, path }.specification()?;
        if let Some(text) = &versions.quick {
            reading::SpecificationText { text, path }.specification()?;
        }
        Ok(Specification { text: text.to_owned(), ..full })
    }

    /// This one, or its quick version; the path is for messages.
    ///
    /// # Errors
    /// When a quick version is asked for and there is no table `[quick]`.
    pub fn at_extent(self, extent: Extent, path: &Path) -> Result<Self> {
        let reading = reading::SpecificationText { text: &self.text, path };
        match (extent, Versions::of(&self.text).map_err(|(place, problem)| reading.refuse(place, problem))?.quick) {
            (Extent::Full, _) => Ok(self),
            (Extent::Quick, Some(text)) => Specification::parse(&text, path),
            (Extent::Quick, None) => Err(reading.value(0..0, "[quick]", "given for a quick version", "missing")),
        }
    }

    /// Runs of the whole sweep, those of the refinement included.
    pub fn total(&self) -> usize {
        let refined = self.refine.as_ref().map_or(0, |refine| refine.trials);
        (self.grid.len() * self.trials + refined) * self.starts
    }

    /// The cells of the grid.
    pub fn cells(&self) -> Vec<GridCell> {
        self.grid.cells()
    }

    /// What determines the runs, whatever the layout and the comments of the file.
    pub(super) fn canonical(&self) -> Result<Value> {
        serde_json::to_value(self).map_err(|_| Error::NotFinite { what: "the numbers of the specification" })
    }
}

/// The first key whose values differ, with both values.
pub(super) fn difference(key: &str, stored: &Value, given: &Value) -> Option<(String, String, String)> {
    match (stored, given) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            keys.into_iter().find_map(|part| {
                let path = if key.is_empty() { part.clone() } else { format!("{key}.{part}") };
                difference(&path, a.get(part).unwrap_or(&Value::Null), b.get(part).unwrap_or(&Value::Null))
            })
        }
        _ => (stored != given).then(|| (key.to_owned(), stored.to_string(), given.to_string())),
    }
}

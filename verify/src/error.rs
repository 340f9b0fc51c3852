//! What can be wrong with what is to be checked.

use std::fmt;

/// What every fallible function here returns.
pub type Result<T> = std::result::Result<T, Error>;

/// A certificate, a table or a network that cannot be judged. That a claim is not proved is no error but a verdict.
///
/// ```
/// use shallows_verify::Error;
///
/// let error = Error::Shape { what: "inputs of the network", expected: 3, found: 2 };
/// assert_eq!(error.to_string(), "inputs of the network: 3 expected, 2 found");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// Numbers that do not fit together.
    Shape {
        /// Of what.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// NaN or an infinity where a number must be.
    NotFinite {
        /// Where.
        what: &'static str,
    },
    /// A number out of its range.
    Range {
        /// Which.
        what: &'static str,
        /// The least that is allowed.
        least: f64,
        /// The most that is allowed.
        most: f64,
        /// What it is.
        found: f64,
    },
    /// Something that the theorem is not about.
    Unsuitable {
        /// What it is about.
        what: &'static str,
        /// What that must be.
        must_be: &'static str,
        /// What it is.
        found: String,
    },
    /// No row has a positive weight.
    NoRows,
    /// The theorem is about something that the certificate does not have.
    Absent {
        /// What.
        what: &'static str,
    },
    /// A certificate of an earlier or later format.
    OtherFormat {
        /// Which.
        version: u64,
    },
    /// The certificate cannot be read.
    Certificate {
        /// Where in the file.
        place: String,
        /// What is wrong there.
        problem: String,
    },
    /// The table cannot be read, or not by the recipe of the certificate.
    Table {
        /// Where in the table.
        place: String,
        /// What is wrong there.
        problem: String,
    },
    /// The table is not the one that the certificate was issued for.
    OtherRows {
        /// The fingerprint in the certificate.
        expected: String,
        /// That of the given rows.
        found: String,
    },
}

/// As many as there should be.
pub(crate) fn check_shape(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
}

/// Numbers, all of them.
pub(crate) fn check_finite<'a>(what: &'static str, numbers: impl IntoIterator<Item = &'a f64>) -> Result<()> {
    if numbers.into_iter().all(|x| x.is_finite()) { Ok(()) } else { Err(Error::NotFinite { what }) }
}

/// A number in its range.
pub(crate) fn check_range(what: &'static str, found: f64, least: f64, most: f64) -> Result<()> {
    if found >= least && found <= most { Ok(()) } else { Err(Error::Range { what, least, most, found }) }
}

/// Finite and at least 0.
pub(crate) fn check_not_negative(what: &'static str, found: f64) -> Result<()> {
    check_range(what, found, 0.0, f64::MAX)
}

/// A text from a file for one line of a message: not too long, without control characters.
fn cut(text: &str) -> String {
    const LONGEST: usize = 160;
    let mut line: String = text.chars().take(LONGEST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Shape { what, expected, found } => write!(f, "{what}: {expected} expected, {found} found"),
            Error::NotFinite { what } => write!(f, "{what}: every number must be finite"),
            Error::Range { what, least, most, found } => {
                write!(f, "{what} must be at least {least:e} and at most {most:e}, not {found:e}")
            }
            Error::Unsuitable { what, must_be, found } => write!(f, "{what} must be {must_be}, not {found}"),
            Error::NoRows => f.write_str("no row has a positive weight"),
            Error::Absent { what } => write!(f, "the theorem is about a {what}, and the certificate has none"),
            Error::OtherFormat { version: version @ 1..=2 } => write!(
                f,
                "a certificate of format {version}, which carries no proof: only the program that wrote it could compute it \
                 again"
            ),
            Error::OtherFormat { version } => {
                write!(f, "a certificate of format {version}, which is newer than this checker")
            }
            Error::Certificate { place, problem } => write!(f, "the certificate, {place}: {}", cut(problem)),
            Error::Table { place, problem } => write!(f, "the table, {}: {}", cut(place), cut(problem)),
            Error::OtherRows { expected, found } => write!(
                f,
                "the table is not the one that the certificate was issued for: the rows have the fingerprint {found}, \
                 not {expected}"
            ),
        }
    }
}

impl std::error::Error for Error {}

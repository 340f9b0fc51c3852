//! One error type for the whole library: the values inside, the sentence written once, and a way out.

use std::path::PathBuf;

/// The result of everything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong. `Display` is one sentence; [`Error::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be opened, read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Two things that must agree in size do not.
    #[error("{what}: expected {expected}, found {found}")]
    Shape {
        /// What was being matched, in words.
        what: &'static str,
        /// The size that was needed.
        expected: usize,
        /// The size that was given.
        found: usize,
    },
    /// A NaN or an infinity where a number is needed.
    #[error("{what} must be finite, but hold a NaN or an infinity")]
    NotFinite {
        /// What was looked at, in the plural.
        what: &'static str,
    },
    /// Two networks that cannot be put side by side in one hidden layer.
    #[error("a {left} network and a {right} network do not merge into one")]
    DifferentActivations {
        /// Of the first.
        left: String,
        /// Of the second.
        right: String,
    },
    /// A number outside its allowed range.
    #[error("{name} must be {requirement}, not {value}")]
    Parameter {
        /// The parameter as the user knows it.
        name: &'static str,
        /// What it must be, in words.
        requirement: &'static str,
        /// What it was.
        value: String,
    },
    /// An activation that does not exist.
    #[error("there is no activation called \"{name}\"")]
    UnknownActivation {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
}

impl Error {
    /// A way out, where one is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::UnknownActivation { known, .. } => Some(format!("one of {known}")),
            _ => None,
        }
    }
}

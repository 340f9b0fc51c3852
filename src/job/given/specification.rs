//! The specification of a sweep, in a file or in memory.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::lab::{Extent, Specification};

/// What errors call a specification that is in no file.
const NAME: &str = "specification";

/// What a sweep is to do. [`SweepJob`](crate::job::sweep::SweepJob) shows its use.
#[derive(Clone, Debug)]
pub enum GivenSpecification {
    /// In a TOML file.
    File(PathBuf),
    /// The text of such a file.
    Text(String),
    /// In memory.
    Memory(Box<Specification>),
}

impl From<PathBuf> for GivenSpecification {
    fn from(path: PathBuf) -> Self {
        GivenSpecification::File(path)
    }
}

impl From<Specification> for GivenSpecification {
    fn from(specification: Specification) -> Self {
        GivenSpecification::Memory(Box::new(specification))
    }
}

impl GivenSpecification {
    /// Its file, where it is in one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            GivenSpecification::File(path) => Some(path),
            GivenSpecification::Text(_) | GivenSpecification::Memory(_) => None,
        }
    }

    /// All of it, or its quick version.
    pub fn load(self, extent: Extent) -> Result<Specification> {
        let name = self.file().unwrap_or(Path::new(NAME)).to_owned();
        let specification = match self {
            GivenSpecification::File(path) => Specification::read(&path)?,
            GivenSpecification::Text(text) => Specification::parse(&text, &name)?,
            GivenSpecification::Memory(specification) => *specification,
        };
        specification.at_extent(extent, &name)
    }
}

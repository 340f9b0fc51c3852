//! Outputs are planned before work begins: no file that is read or written may be replaced by another output.
//!
//! Paths are compared as the system resolves them: through links, relative folders and `..`; of a file that is not there yet
//! the folder is resolved and the name is taken as it is. Devices and pipes may be named twice, because nothing is lost there.
//!
//! ```
//! use shallows::file::{Destinations, FileRole};
//!
//! let planned = Destinations::default().reads(FileRole::Table, "table.csv").writes(FileRole::Model, "./table.csv");
//! assert!(planned.check().is_err());
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use super::folder_of;
use crate::error::{DestinationProblem, Error, FileRole, Result};

/// Everything that a piece of work reads and writes.
/// [`DestinationProblem`](crate::error::DestinationProblem) shows its use.
#[derive(Clone, Debug, Default)]
pub struct Destinations {
    inputs: Vec<(FileRole, PathBuf)>,
    outputs: Vec<(FileRole, PathBuf)>,
    folders: Vec<(FileRole, PathBuf)>,
    /// Files in these folders, which need not be there yet.
    filled: Vec<(FileRole, PathBuf)>,
}

impl Destinations {
    /// A file that is read.
    pub fn reads(self, role: FileRole, path: impl AsRef<Path>) -> Self {
        self.may_read(role, Some(path))
    }

    /// A file that is read, where one is named.
    pub fn may_read(mut self, role: FileRole, path: Option<impl AsRef<Path>>) -> Self {
        self.inputs.extend(named(role, path));
        self
    }

    /// A file that is written.
    pub fn writes(self, role: FileRole, path: impl AsRef<Path>) -> Self {
        self.may_write(role, Some(path))
    }

    /// A file that is written, where one is named.
    pub fn may_write(mut self, role: FileRole, path: Option<impl AsRef<Path>>) -> Self {
        self.outputs.extend(named(role, path));
        self
    }

    /// A folder that files are written into, where one is named; it need not be there yet.
    pub fn may_fill(mut self, role: FileRole, folder: Option<impl AsRef<Path>>) -> Self {
        self.folders.extend(named(role, folder));
        self
    }

    /// The same, where the names of the files are known.
    pub fn may_fill_with<N: AsRef<Path>>(
        mut self,
        role: FileRole,
        folder: Option<impl AsRef<Path>>,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        let Some(folder) = folder else { return self };
        self.filled.extend(names.into_iter().map(|name| (role, folder.as_ref().join(name))));
        self.may_fill(role, Some(folder))
    }

    /// Refuse an output that would replace an input or another output, or that could not be written where it is to be.
    pub fn check(&self) -> Result<()> {
        self.folders.iter().try_for_each(|(_, folder)| check_folder(folder))?;
        let inputs: Vec<_> = self.inputs.iter().map(|(role, path)| (*role, resolved(path))).collect();
        let mut written: Vec<(FileRole, PathBuf)> = vec![];
        self.outputs.iter().try_for_each(|(_, path)| check_file(path))?;
        for (role, path) in self.outputs.iter().chain(&self.filled).filter(|(_, path)| !is_special(path)) {
            let place = resolved(path);
            let same = |(_, other): &&(FileRole, PathBuf)| *other == place;
            let problem = |other: FileRole, other_is_read| {
                let (path, output) = (path.clone(), *role);
                Error::Destination(DestinationProblem::Same { path, output, other, other_is_read })
            };
            if let Some((other, _)) = inputs.iter().find(same) {
                return Err(problem(*other, true));
            }
            if let Some((other, _)) = written.iter().find(same) {
                return Err(problem(*other, false));
            }
            written.push((*role, place));
        }
        Ok(())
    }
}

/// Make a folder for several files, or say that it cannot be.
///
/// ```
/// use shallows::file::make_folder;
///
/// let folder = tempfile::tempdir().unwrap();
/// make_folder(&folder.path().join("a/b"))?;
/// std::fs::write(folder.path().join("file"), "").unwrap();
/// assert!(make_folder(&folder.path().join("file")).is_err());
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn make_folder(folder: &Path) -> Result<()> {
    check_folder(folder)?;
    fs::create_dir_all(folder).map_err(|source| Error::io(folder, source))
}

/// Nothing where no path is given, or where it means a stream.
fn named(role: FileRole, path: Option<impl AsRef<Path>>) -> Option<(FileRole, PathBuf)> {
    let path = path?.as_ref().to_owned();
    (!(role.may_be_a_stream() && path == Path::new("-"))).then_some((role, path))
}

/// A device or a pipe.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

fn check_file(path: &Path) -> Result<()> {
    let problem = if path.is_dir() {
        DestinationProblem::IsFolder { path: path.to_owned() }
    } else if !folder_of(path).is_dir() {
        DestinationProblem::NoFolder { path: path.to_owned(), folder: folder_of(path) }
    } else if path.is_symlink() && !path.exists() {
        DestinationProblem::BrokenLink { path: path.to_owned() }
    } else {
        return Ok(());
    };
    Err(Error::Destination(problem))
}

fn check_folder(folder: &Path) -> Result<()> {
    let is_file = folder.exists() && !folder.is_dir();
    if is_file { Err(Error::Destination(DestinationProblem::IsFile { path: folder.to_owned() })) } else { Ok(()) }
}

/// The path without links and detours; of a file that is not there its folder so, and the name as it is.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    let folder = folder_of(path).canonicalize().unwrap_or_else(|_| folder_of(path));
    path.file_name().map_or(folder.clone(), |name| folder.join(name))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn problem(planned: &Destinations) -> DestinationProblem {
        match planned.check() {
            Err(Error::Destination(problem)) => problem,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_output_that_is_an_input_or_another_output_is_refused_before_it_exists() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("table.csv"), "x,y\n").unwrap();
        fs::create_dir(at("sub")).unwrap();
        let planned = Destinations::default().reads(FileRole::Table, at("table.csv"));
        planned
            .clone()
            .writes(FileRole::Model, at("model"))
            .writes(FileRole::Certificate, at("other"))
            .check()
            .unwrap();
        for name in ["table.csv", "sub/../table.csv", "./table.csv"] {
            let found = problem(&planned.clone().writes(FileRole::Model, at(name)));
            assert!(matches!(found, DestinationProblem::Same { other: FileRole::Table, other_is_read: true, .. }));
        }
        for name in ["new", "sub/../new"] {
            let both = planned.clone().writes(FileRole::Model, at("new")).writes(FileRole::Report, at(name));
            let words = problem(&both).to_string();
            assert!(words.ends_with("new: the report would replace the model"), "{words}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_those_that_lead_nowhere_refused() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("real"), "x").unwrap();
        symlink(at("real"), at("link")).unwrap();
        symlink(folder.path(), at("loop")).unwrap();
        symlink(at("nothing"), at("broken")).unwrap();
        for (input, output) in [("real", "link"), ("link", "real"), ("real", "loop/real"), ("real", "loop/loop/link")] {
            let planned =
                Destinations::default().reads(FileRole::Model, at(input)).writes(FileRole::Export, at(output));
            assert!(matches!(problem(&planned), DestinationProblem::Same { .. }), "{input} {output}");
        }
        let two = Destinations::default().writes(FileRole::Model, at("new")).writes(FileRole::Report, at("loop/new"));
        assert!(matches!(problem(&two), DestinationProblem::Same { .. }));
        let broken = Destinations::default().writes(FileRole::Model, at("broken"));
        assert!(matches!(problem(&broken), DestinationProblem::BrokenLink { .. }));
    }

    #[test]
    fn folders_must_be_there_for_files_and_must_not_be_files_themselves() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "x").unwrap();
        let plan = Destinations::default;
        let found = problem(&plan().writes(FileRole::Model, at("no/such/file")));
        assert!(matches!(found, DestinationProblem::NoFolder { .. }));
        assert!(matches!(problem(&plan().writes(FileRole::Model, folder.path())), DestinationProblem::IsFolder { .. }));
        assert!(matches!(
            problem(&plan().may_fill(FileRole::Figures, Some(at("file")))),
            DestinationProblem::IsFile { .. }
        ));
        plan().may_fill(FileRole::Figures, Some(at("new/folder"))).check().unwrap();
    }

    #[test]
    fn an_input_in_a_folder_that_is_filled_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("levels.svg");
        fs::write(&input, "x").unwrap();
        let planned = Destinations::default().reads(FileRole::Start, &input);
        let filled = |name: &str| planned.clone().may_fill_with(FileRole::Figures, Some(folder.path()), [name]);
        filled("line.svg").check().unwrap();
        let words = problem(&filled("levels.svg")).to_string();
        assert!(words.ends_with("levels.svg: the figures would replace the start"), "{words}");
    }

    #[cfg(unix)]
    #[test]
    fn streams_and_devices_may_be_named_twice() {
        let planned = Destinations::default()
            .reads(FileRole::Table, "-")
            .writes(FileRole::Samples, "-")
            .writes(FileRole::Model, "/dev/null")
            .writes(FileRole::Certificate, "/dev/null");
        planned.check().unwrap();
    }
}

//! One process at a time writes to a store.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result, StoreProblem};

/// The right to write, which ends with the process, however that ends. The file stays where a process was killed, and is
/// of no meaning without somebody who holds it.
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
}

/// Others may be taking a lock away while we take it.
const ATTEMPTS: usize = 100;

impl Lock {
    /// Take it, or say that somebody has it.
    pub(super) fn take(store: &Path) -> Result<Lock> {
        let mut name = store.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        let in_use = || Error::Store { path: store.to_owned(), problem: StoreProblem::InUse };
        for _ in 0..ATTEMPTS {
            let opened = File::options().create(true).truncate(false).write(true).open(&path);
            let file = opened.map_err(|source| Error::io(store, source))?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => return Ok(Lock { path, _file: file }),
                // The one who held it has just removed its file: ours has no name.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(in_use()),
                Err(TryLockError::Error(source)) => return Err(Error::io(&path, source)),
            }
        }
        Err(in_use())
    }
}

impl Drop for Lock {
    /// Removed while it is held, so that nobody holds a file of this name twice.
    fn drop(&mut self) {
        fs::remove_file(&self.path).ok();
    }
}

/// Whether the file still has this name.
fn is_at(file: &File, path: &Path) -> bool {
    let own = file.metadata().ok().map(|metadata| identity_of(&metadata));
    own.is_some() && own == identity(path)
}

/// What tells a file from all others, whatever it is called; nothing where there is none of this name.
pub(super) fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|metadata| identity_of(&metadata))
}

/// Device and number; zeros on systems where an open file cannot be removed.
pub(super) type Identity = (u64, u64);

#[cfg(unix)]
fn identity_of(metadata: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// That there is a file is enough.
#[cfg(not(unix))]
fn identity_of(_: &fs::Metadata) -> Identity {
    (0, 0)
}

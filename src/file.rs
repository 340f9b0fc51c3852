//! Files are written whole or not at all, and read up to a limit.
//!
//! The bytes go into a temporary file in the same folder, reach the disk, and take the final name in one
//! step. Whoever reads that name sees the old file or the new one, never half of it, whatever happens in between.
//!
//! [`Destinations`] compares, before work begins, all files that it will read and write.

mod destinations;

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::{Builder, NamedTempFile};

pub use crate::error::FileRole;
use crate::error::{Error, Result};
pub use destinations::{Destinations, make_folder};

/// The bytes of a file; `None` when there are more than `most`.
pub(crate) fn read_at_most(path: &Path, most: u64) -> Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    read.map_err(|source| Error::io(path, source))?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

/// Write a file through `write`; on any failure the file is as it was before.
///
/// A symbolic link keeps pointing where it did, and the file behind it is replaced. A file that exists keeps
/// its permissions. What is not a regular file (a pipe, `/dev/null`) is written to directly.
///
/// ```
/// use shallows::file::write_atomically;
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("notes.txt");
/// write_atomically(&path, |file| file.write_all(b"whole"))?;
/// // A failure half way leaves the old file as it was.
/// let failure = write_atomically(&path, |file| {
///     file.write_all(b"ha")?;
///     Err(std::io::Error::other("power cut"))
/// });
/// assert!(failure.is_err());
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "whole");
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> Result<()> {
    attempt(path, write).map_err(|source| Error::io(path, source))
}

fn attempt(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<()> {
    let existing = fs::metadata(path).ok();
    if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        let mut device = BufWriter::new(File::options().write(true).open(path)?);
        write(&mut device)?;
        return device.flush();
    }
    // Only now: the link /dev/stdout may lead to a pipe, which has no name of its own.
    let target = if path.is_symlink() { fs::canonicalize(path)? } else { path.to_owned() };
    let folder = folder_of(&target);
    let temporary = temporary_in(&folder)?;
    let _unfinished = Unfinished::new(temporary.path());
    let mut writer = BufWriter::new(temporary.as_file());
    write(&mut writer)?;
    writer.flush()?;
    drop(writer);
    if let Some(metadata) = existing {
        temporary.as_file().set_permissions(metadata.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(&target).map_err(|failure| failure.error)?;
    sync_folder(&folder);
    Ok(())
}

/// The temporary files that are being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Remove the temporary files that are being written: for a program about to be ended by a signal.
///
/// ```
/// // Where nothing is being written, nothing is removed.
/// shallows::file::remove_unfinished();
/// ```
pub fn remove_unfinished() {
    if let Ok(paths) = UNFINISHED.lock() {
        paths.iter().for_each(|path| {
            fs::remove_file(path).ok();
        });
    }
}

/// An entry in the list of temporary files.
struct Unfinished(PathBuf);

impl Unfinished {
    fn new(path: &Path) -> Self {
        if let Ok(mut paths) = UNFINISHED.lock() {
            paths.push(path.to_owned());
        }
        Unfinished(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Ok(mut paths) = UNFINISHED.lock() {
            paths.retain(|path| *path != self.0);
        }
    }
}

/// The folder of a file; that of a bare name is the current one.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// A temporary file that others may read as the user's settings say, not only its owner.
fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".shallows-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Make the new name itself last through a power cut. Not every file system can; the file is whole either way.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        folder.sync_all().ok();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        write_atomically(&path, |out| out.write_all(b"old")).unwrap();
        let failure = write_atomically(&path, |out| {
            out.write_all(b"half of the n")?;
            Err(io::Error::other("power cut"))
        });
        assert!(failure.unwrap_err().to_string().ends_with("power cut"));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_and_a_folder_as_the_file_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().join("no/such/file"), folder.path().to_owned()] {
            let failure = write_atomically(&path, |out| out.write_all(b"x"));
            assert!(matches!(failure, Err(Error::Io { .. })));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_survive_and_devices_stay_devices() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, b"old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        write_atomically(&link, |out| out.write_all(b"new")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        write_atomically(Path::new("/dev/null"), |out| out.write_all(b"x")).unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        symlink(folder.path().join("nowhere"), folder.path().join("dangling")).unwrap();
        assert!(write_atomically(&folder.path().join("dangling"), |out| out.write_all(b"x")).is_err());
    }
}

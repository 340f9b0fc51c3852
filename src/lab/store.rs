//! The results of a sweep: one SQLite file.
//!
//! | table | what is there |
//! |---|---|
//! | `specification` | the file word for word, and what of it determines the runs |
//! | `environment` | version, threads and instructions of each process that worked on it |
//! | `ladder` | the tolerances behind `crossing_1` … `crossing_8` |
//! | `trials` | one row for each run that has ended, written in a transaction of its own |
//!
//! A row is there or not: a run that was killed, interrupted or could not be written is not done, and is done when the
//! sweep resumes. One process at a time writes ([`StoreWriter`]), which a lock on a file beside the store sees to; the
//! lock goes with the process, however that ends. Others may read meanwhile ([`StoreReader`]).
//!
//! | file | what is there |
//! |---|---|
//! | `store.rs` | reading |
//! | `store/writer.rs` | beginning, resuming and writing |
//! | `store/columns.rs` | a run as a row |

mod columns;
mod writer;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::specification::Specification;
use super::trial::Trial;
use crate::activation::Instructions;
use crate::error::{Error, Result, StoreProblem};
use columns::TrialColumns;

pub use writer::StoreWriter;

/// "SHLW": what SQLite's `application_id` is for.
const APPLICATION: i64 = 0x5348_4c57;
/// The layout of the tables.
const FORMAT: i64 = 1;
/// Readers hold the file for moments only.
const PATIENCE: Duration = Duration::from_secs(10);

const SCHEMA: &str = "
CREATE TABLE specification (text TEXT NOT NULL, canonical TEXT NOT NULL) STRICT;
CREATE TABLE environment (
    id INTEGER PRIMARY KEY, version TEXT NOT NULL, threads INTEGER NOT NULL, instructions TEXT NOT NULL
) STRICT;
CREATE TABLE ladder (rung INTEGER PRIMARY KEY, tolerance REAL NOT NULL) STRICT;
CREATE TABLE trials (
    id INTEGER PRIMARY KEY, n INTEGER NOT NULL, k INTEGER NOT NULL, d INTEGER NOT NULL,
    network INTEGER NOT NULL, start INTEGER NOT NULL, seed INTEGER NOT NULL,
    iterations INTEGER NOT NULL, reason TEXT NOT NULL, objective REAL, relative_error REAL,
    crossing_1 INTEGER, crossing_2 INTEGER, crossing_3 INTEGER, crossing_4 INTEGER,
    crossing_5 INTEGER, crossing_6 INTEGER, crossing_7 INTEGER, crossing_8 INTEGER,
    verdict TEXT, verdict_error REAL, verdict_gradient REAL, verdict_iterations INTEGER,
    teacher_error REAL, fingerprint TEXT NOT NULL, seconds REAL NOT NULL,
    environment INTEGER NOT NULL REFERENCES environment (id),
    UNIQUE (n, k, d, network, start)
) STRICT;
";

/// The results of a sweep, to be looked at. [`sweep`](crate::lab::sweep) shows its use.
pub struct StoreReader {
    connection: Connection,
    path: PathBuf,
    specification: Specification,
}

/// Who made a run.
///
/// ```
/// use shallows::lab::Environment;
///
/// let here = Environment::here();
/// assert!(here.threads >= 1 && !here.version.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Environment {
    /// Of this crate.
    pub version: String,
    /// How many worked at once.
    pub threads: usize,
    /// The SIMD instructions of the runs.
    pub instructions: String,
}

impl Environment {
    /// That of this process.
    pub fn here() -> Self {
        Environment {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            threads: rayon::current_num_threads(),
            instructions: match Instructions::best() {
                Instructions::Avx512 => "avx512",
                Instructions::Avx2 => "avx2",
                Instructions::Portable => "portable",
            }
            .to_owned(),
        }
    }
}

impl StoreReader {
    /// Look at a store, also while a sweep writes to it.
    pub fn open(path: &Path) -> Result<Self> {
        let said = |error: rusqlite::Error| match error.sqlite_error_code() {
            // Of a file that can be opened: the log that belongs to it cannot be made beside it.
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                Error::Store { path: path.to_owned(), problem: StoreProblem::Unfinished }
            }
            _ => database_error(path, error),
        };
        std::fs::File::open(path).map_err(|source| Error::io(path, source))?;
        if path.is_dir() {
            return Err(Error::io(path, std::io::ErrorKind::IsADirectory.into()));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(said)?;
        connection.busy_timeout(PATIENCE).map_err(said)?;
        connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(())).map_err(said)?;
        check_kind(&connection, path)?;
        let (text, _) = specification_of(&connection).map_err(said)?;
        let specification = Specification::parse(&text, path)?;
        Ok(StoreReader { connection, path: path.to_owned(), specification })
    }

    /// The specification it was made for.
    pub fn specification(&self) -> &Specification {
        &self.specification
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All runs that have ended, in the order of their numbers.
    pub fn trials(&self) -> Result<Vec<Trial>> {
        let query = || -> rusqlite::Result<Vec<Trial>> {
            let mut statement = self.connection.prepare("SELECT * FROM trials ORDER BY id")?;
            let columns = TrialColumns::of(&statement)?;
            statement.query_map([], |row| columns.trial(row))?.collect()
        };
        query().map_err(|error| database_error(&self.path, error))
    }

    /// One run, and who made it.
    pub fn trial(&self, id: u64) -> Result<(Trial, Environment)> {
        let query = || -> rusqlite::Result<(Trial, i64)> {
            let mut statement = self.connection.prepare("SELECT * FROM trials WHERE id = ?1")?;
            let columns = TrialColumns::of(&statement)?;
            statement.query_row([id as i64], |row| Ok((columns.trial(row)?, row.get("environment")?)))
        };
        let of_database = |error| database_error(&self.path, error);
        match query() {
            Ok((trial, environment)) => Ok((trial, self.environment(environment).map_err(of_database)?)),
            Err(rusqlite::Error::QueryReturnedNoRows) => {
                let problem = StoreProblem::NoTrial { trial: id, trials: self.count()? };
                Err(Error::Store { path: self.path.clone(), problem })
            }
            Err(error) => Err(of_database(error)),
        }
    }

    fn environment(&self, id: i64) -> rusqlite::Result<Environment> {
        self.connection.query_row("SELECT * FROM environment WHERE id = ?1", [id], |row| {
            let (version, threads) = (row.get("version")?, row.get("threads")?);
            Ok(Environment { version, threads, instructions: row.get("instructions")? })
        })
    }

    /// How many runs have ended.
    pub fn count(&self) -> Result<usize> {
        count(&self.connection).map_err(|error| database_error(&self.path, error))
    }
}

fn check_kind(connection: &Connection, path: &Path) -> Result<()> {
    let refuse = |problem| Err(Error::Store { path: path.to_owned(), problem });
    let pragma = |name: &str| -> Result<i64> {
        let value = connection.pragma_query_value(None, name, |row| row.get(0));
        value.map_err(|error| database_error(path, error))
    };
    if pragma("application_id")? != APPLICATION {
        return refuse(StoreProblem::Foreign);
    }
    match pragma("user_version")? {
        FORMAT => Ok(()),
        found => refuse(StoreProblem::Format { found, known: FORMAT }),
    }
}

fn count(connection: &Connection) -> rusqlite::Result<usize> {
    connection.query_row("SELECT count(*) FROM trials", [], |row| row.get(0))
}

fn specification_of(connection: &Connection) -> rusqlite::Result<(String, String)> {
    connection.query_row("SELECT text, canonical FROM specification", [], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// What SQLite says, in our words where we have them.
fn database_error(path: &Path, error: rusqlite::Error) -> Error {
    let message = error.to_string();
    let problem = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreProblem::NotDatabase,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreProblem::InUse,
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => StoreProblem::ReadOnly,
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => StoreProblem::Full(message),
        _ => StoreProblem::Database(message),
    };
    Error::Store { path: path.to_owned(), problem }
}

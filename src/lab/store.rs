//! The results of a sweep: one SQLite file.
//!
//! | table | what is there |
//! |---|---|
//! | `specification` | the file word for word, and what of it determines the trainings |
//! | `environment` | version, threads and instructions of each process that worked on it |
//! | `ladder` | the tolerances behind `crossing_1` … `crossing_8` |
//! | `trials` | one row for each training that has ended, written in a transaction of its own |
//!
//! A row is there or not: a training that was killed, interrupted or could not be written is not done, and is done when
//! the sweep goes on. One process at a time writes, which a lock on a file beside the store sees to; the lock goes with
//! the process, however that ends. Others may read meanwhile.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Row, params};
use serde_json::Value;

use super::grid::Cell;
use super::lock::{Identity, Lock, identity};
use super::record::{Record, Trial, VerdictRecord, ending_named, reason_name, reason_named};
use super::specification::{Specification, difference};
use crate::activation::Path as Instructions;
use crate::error::{Error, Result, StoreProblem};
use crate::optimise::LADDER;

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

/// The columns of `trials`, in the order of [`read_trial`]; the environment comes last.
const COLUMNS: &str = "id, n, k, d, network, start, seed, iterations, reason, objective, relative_error, \
    crossing_1, crossing_2, crossing_3, crossing_4, crossing_5, crossing_6, crossing_7, crossing_8, \
    verdict, verdict_error, verdict_gradient, verdict_iterations, teacher_error, fingerprint, seconds, environment";

/// The file that holds the results of a sweep.
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// Which file that was when it was opened.
    place: Option<Identity>,
    specification: Specification,
    /// Of this process, where it writes.
    environment: i64,
    _lock: Option<Lock>,
}

/// Who trained.
#[derive(Clone, Debug, PartialEq)]
pub struct Environment {
    /// Of this crate.
    pub version: String,
    /// How many worked at once.
    pub threads: usize,
    /// The SIMD path of the trainings.
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

impl Store {
    /// Begin a store, or go on with one that was made for the same specification. One without a training is begun anew.
    ///
    /// # Errors
    /// When another process writes to it, when it is somebody else's file, when it holds trainings of another
    /// specification, when it cannot be written. What is there stays as it is.
    pub fn open(path: &Path, specification: &Specification) -> Result<Self> {
        let refuse = |problem| Error::Store { path: path.to_owned(), problem };
        let said = |error| database_error(path, error);
        if path.is_dir() {
            return Err(Error::io(path, std::io::ErrorKind::IsADirectory.into()));
        }
        let lock = Lock::take(path)?;
        // Looked at and compared first: what is refused stays as it is.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags).map_err(said)?;
        connection.busy_timeout(PATIENCE).map_err(said)?;
        let is_new = is_empty(&connection).map_err(said)?;
        if !is_new {
            check_kind(&connection, path)?;
        }
        if connection.is_readonly("main").map_err(said)? {
            return Err(refuse(StoreProblem::ReadOnly));
        }
        let trials = if is_new { 0 } else { count(&connection).map_err(said)? };
        if trials > 0 {
            compare(&connection, specification, path)?;
        }
        connection.pragma_update(None, "journal_mode", "WAL").map_err(said)?;
        connection.pragma_update(None, "synchronous", "NORMAL").map_err(said)?;
        if trials == 0 {
            // Nothing is lost where nothing was trained, whatever it was made for.
            begin(&mut connection, specification, path, is_new)?;
        }
        let environment = enter(&connection).map_err(said)?;
        let (specification, place) = (specification.clone(), identity(path));
        Ok(Store { connection, path: path.to_owned(), place, specification, environment, _lock: Some(lock) })
    }

    /// Look at a store, also while a sweep writes to it.
    pub fn read(path: &Path) -> Result<Self> {
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
        let place = identity(path);
        Ok(Store { connection, path: path.to_owned(), place, specification, environment: 0, _lock: None })
    }

    /// The specification it was made for.
    pub fn specification(&self) -> &Specification {
        &self.specification
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All trainings that have ended, in the order of their numbers.
    pub fn trials(&self) -> Result<Vec<Trial>> {
        let query = || -> rusqlite::Result<Vec<Trial>> {
            let mut statement = self.connection.prepare(&format!("SELECT {COLUMNS} FROM trials ORDER BY id"))?;
            statement.query_map([], read_trial)?.collect()
        };
        query().map_err(|error| database_error(&self.path, error))
    }

    /// One training, and who did it.
    pub fn trial(&self, id: u64) -> Result<(Trial, Environment)> {
        let refuse = |problem| Error::Store { path: self.path.clone(), problem };
        let sql = format!(
            "SELECT {COLUMNS}, version, threads, instructions FROM trials JOIN environment e ON e.id = environment \
             WHERE trials.id = ?1"
        );
        let sql = sql.replacen("SELECT id", "SELECT trials.id", 1);
        let read = |row: &Row<'_>| {
            let environment = Environment { version: row.get(27)?, threads: row.get(28)?, instructions: row.get(29)? };
            Ok((read_trial(row)?, environment))
        };
        match self.connection.query_row(&sql, [id as i64], read) {
            Ok(found) => Ok(found),
            Err(rusqlite::Error::QueryReturnedNoRows) => {
                let trials = self.count()?;
                Err(refuse(StoreProblem::NoTrial { trial: id, trials }))
            }
            Err(error) => Err(database_error(&self.path, error)),
        }
    }

    /// How many trainings have ended.
    pub fn count(&self) -> Result<usize> {
        count(&self.connection).map_err(|error| database_error(&self.path, error))
    }

    /// Whether what is written to it can still be found under its name.
    pub(super) fn check_place(&self) -> Result<()> {
        if self.place.is_some() && identity(&self.path) == self.place {
            return Ok(());
        }
        Err(Error::Store { path: self.path.clone(), problem: StoreProblem::Gone })
    }

    /// Keep a training that has ended: when this returns it is in the file.
    pub(super) fn keep(&self, trial: &Trial) -> Result<()> {
        self.check_place()?;
        self.insert(trial).map_err(|error| database_error(&self.path, error))
    }

    fn insert(&self, trial: &Trial) -> rusqlite::Result<()> {
        let places: Vec<String> = (1..=27).map(|place| format!("?{place}")).collect();
        let sql = format!("INSERT INTO trials ({COLUMNS}) VALUES ({})", places.join(", "));
        let Trial { id, cell, network, start, seed, record, seconds } = trial;
        let [c1, c2, c3, c4, c5, c6, c7, c8] = record.crossings;
        let verdict = record.verdict.as_ref();
        // Outside of an explicit transaction, a statement is one.
        self.connection.prepare_cached(&sql)?.execute(params![
            *id as i64,
            cell.n,
            cell.k,
            cell.d,
            network,
            start,
            *seed as i64,
            record.iterations,
            reason_name(record.reason),
            record.objective,
            record.relative_error,
            c1,
            c2,
            c3,
            c4,
            c5,
            c6,
            c7,
            c8,
            verdict.map(|verdict| verdict.ending.name()),
            verdict.map(|verdict| verdict.relative_error),
            verdict.map(|verdict| verdict.scaled_gradient),
            verdict.map(|verdict| verdict.iterations),
            record.teacher_error,
            record.fingerprint,
            seconds,
            self.environment,
        ])?;
        Ok(())
    }
}

impl Drop for Store {
    /// One file is left, without its log beside it, which can be read where nothing can be written.
    fn drop(&mut self) {
        if self._lock.is_some() {
            // A reader may be in the way: then the log stays, and nothing is lost.
            self.connection.busy_timeout(Duration::ZERO).ok();
            self.connection.pragma_update(None, "journal_mode", "DELETE").ok();
        }
    }
}

/// A file that was just made, perhaps by a process that was killed before it wrote the tables.
fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    Ok(application == 0 && tables == 0)
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

/// Refuse a store that was made for another specification.
fn compare(connection: &Connection, specification: &Specification, path: &Path) -> Result<()> {
    let refuse = |problem| Error::Store { path: path.to_owned(), problem };
    let (text, canonical) = specification_of(connection).map_err(|error| database_error(path, error))?;
    let damaged = || refuse(StoreProblem::Database("the stored specification cannot be read".into()));
    let stored: Value = serde_json::from_str(&canonical).map_err(|_| damaged())?;
    // Numbers may look different after a round trip through text; values that are read again do not.
    let again = Specification::parse(&text, path).and_then(|stored| stored.canonical());
    let given = specification.canonical()?;
    if again.map_or(true, |again| again != given)
        && let Some((key, stored, given)) = difference("", &stored, &given)
    {
        return Err(refuse(StoreProblem::OtherSpecification { key, stored, given }));
    }
    Ok(())
}

/// Tables, specification and the mark that the file is ours: all of it or nothing.
fn begin(connection: &mut Connection, specification: &Specification, path: &Path, is_new: bool) -> Result<()> {
    let canonical = specification.canonical()?.to_string();
    let write = |connection: &mut Connection| -> rusqlite::Result<()> {
        let transaction = connection.transaction()?;
        if is_new {
            transaction.execute_batch(SCHEMA)?;
        } else {
            transaction.execute_batch("DELETE FROM specification; DELETE FROM environment; DELETE FROM ladder")?;
        }
        transaction.execute("INSERT INTO specification VALUES (?1, ?2)", params![specification.text, canonical])?;
        for (rung, tolerance) in LADDER.iter().enumerate() {
            transaction.execute("INSERT INTO ladder VALUES (?1, ?2)", params![rung + 1, tolerance])?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
        transaction.commit()
    };
    write(connection).map_err(|error| database_error(path, error))
}

fn specification_of(connection: &Connection) -> rusqlite::Result<(String, String)> {
    connection.query_row("SELECT text, canonical FROM specification", [], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// The number of this environment, entered if it is new.
fn enter(connection: &Connection) -> rusqlite::Result<i64> {
    let Environment { version, threads, instructions } = Environment::here();
    let find = "SELECT id FROM environment WHERE version = ?1 AND threads = ?2 AND instructions = ?3";
    match connection.query_row(find, params![version, threads, instructions], |row| row.get(0)) {
        Err(rusqlite::Error::QueryReturnedNoRows) => {
            let insert = "INSERT INTO environment (version, threads, instructions) VALUES (?1, ?2, ?3)";
            connection.execute(insert, params![version, threads, instructions])?;
            Ok(connection.last_insert_rowid())
        }
        found => found,
    }
}

fn read_trial(row: &Row<'_>) -> rusqlite::Result<Trial> {
    // SQLite keeps NaN as nothing.
    let real = |at: usize| -> rusqlite::Result<f64> { Ok(row.get::<_, Option<f64>>(at)?.unwrap_or(f64::NAN)) };
    let unknown = |at: usize, text: String| {
        rusqlite::Error::FromSqlConversionFailure(
            at,
            rusqlite::types::Type::Text,
            format!("{text:?} means nothing").into(),
        )
    };
    let mut crossings = [None; LADDER.len()];
    for (rung, crossing) in crossings.iter_mut().enumerate() {
        *crossing = row.get(11 + rung)?;
    }
    let reason: String = row.get(8)?;
    let verdict = match row.get::<_, Option<String>>(19)? {
        None => None,
        Some(name) => Some(VerdictRecord {
            ending: ending_named(&name).ok_or_else(|| unknown(19, name))?,
            relative_error: real(20)?,
            scaled_gradient: real(21)?,
            iterations: row.get(22)?,
        }),
    };
    Ok(Trial {
        id: row.get::<_, i64>(0)? as u64,
        cell: Cell { n: row.get(1)?, k: row.get(2)?, d: row.get(3)? },
        network: row.get(4)?,
        start: row.get(5)?,
        seed: row.get::<_, i64>(6)? as u64,
        record: Record {
            crossings,
            iterations: row.get(7)?,
            reason: reason_named(&reason).ok_or_else(|| unknown(8, reason))?,
            objective: real(9)?,
            relative_error: real(10)?,
            verdict,
            teacher_error: row.get(23)?,
            fingerprint: row.get(24)?,
        },
        seconds: real(25)?,
    })
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

//! A store that a sweep writes to: one process at a time.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};
use serde_json::Value;

use super::columns::insert;
use super::{APPLICATION, Environment, FORMAT, PATIENCE, SCHEMA, StoreReader};
use super::{check_kind, count, database_error, specification_of};
use crate::error::{Error, Result, StoreProblem};
use crate::lab::lock::{Identity, Lock, identity};
use crate::lab::specification::{Specification, difference};
use crate::lab::trial::Trial;
use crate::optimise::LADDER;

/// The results of a sweep, to be added to. [`sweep`](crate::lab::sweep) shows its use.
pub struct StoreWriter {
    reader: StoreReader,
    /// Which file that was when it was opened.
    place: Option<Identity>,
    /// The number of the environment of this process.
    environment: i64,
    /// Held until the file is closed: dropped after the connection.
    _lock: Lock,
}

impl StoreWriter {
    /// Begin a store, or resume one that was made for the same specification. One without a run is begun anew.
    ///
    /// # Errors
    /// When another process writes to it, when it is somebody else's file, when it holds runs of another
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
            // Nothing is lost where nothing was run, whatever it was made for.
            begin(&mut connection, specification, path, is_new)?;
        }
        let environment = enter(&connection).map_err(said)?;
        let reader = StoreReader { connection, path: path.to_owned(), specification: specification.clone() };
        Ok(StoreWriter { reader, place: identity(path), environment, _lock: lock })
    }

    /// What has been written.
    pub fn reader(&self) -> &StoreReader {
        &self.reader
    }

    /// Whether what is written to it can still be found under its name.
    pub(in crate::lab) fn check_place(&self) -> Result<()> {
        if self.place.is_some() && identity(&self.reader.path) == self.place {
            return Ok(());
        }
        Err(Error::Store { path: self.reader.path.clone(), problem: StoreProblem::Gone })
    }

    /// Keep a run that has ended: when this returns it is in the file.
    pub(in crate::lab) fn keep(&self, trial: &Trial) -> Result<()> {
        self.check_place()?;
        let StoreReader { connection, path, .. } = &self.reader;
        insert(connection, trial, self.environment).map_err(|error| database_error(path, error))
    }
}

impl Drop for StoreWriter {
    /// One file is left, without its log beside it, which can be read where nothing can be written.
    fn drop(&mut self) {
        // A reader may be in the way: then the log stays, and nothing is lost.
        self.reader.connection.busy_timeout(Duration::ZERO).ok();
        self.reader.connection.pragma_update(None, "journal_mode", "DELETE").ok();
    }
}

/// A file that was just made, perhaps by a process that was killed before it wrote the tables.
fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    Ok(application == 0 && tables == 0)
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

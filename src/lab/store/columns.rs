//! A run as a row of the table `trials`: every column by its name.

use rusqlite::types::Type;
use rusqlite::{Connection, Row, Statement, ToSql};

use crate::lab::grid::GridCell;
use crate::lab::trial::{LongRunSummary, Trial, TrialOutcome, ending_named, reason_name, reason_named};
use crate::optimise::LADDER;

/// The first iterations at which the rungs of the ladder were reached.
const CROSSINGS: [&str; LADDER.len()] =
    ["crossing_1", "crossing_2", "crossing_3", "crossing_4", "crossing_5", "crossing_6", "crossing_7", "crossing_8"];

/// Where the columns stand in the rows of a statement.
pub(super) struct TrialColumns {
    id: usize,
    sizes: [usize; 3],
    network: usize,
    start: usize,
    seed: usize,
    iterations: usize,
    reason: usize,
    objective: usize,
    relative_error: usize,
    crossings: [usize; LADDER.len()],
    ending: usize,
    long_run_error: usize,
    long_run_gradient: usize,
    long_run_iterations: usize,
    teacher_error: usize,
    fingerprint: usize,
    seconds: usize,
}

impl TrialColumns {
    pub(super) fn of(statement: &Statement<'_>) -> rusqlite::Result<Self> {
        let place = |name: &str| statement.column_index(name);
        let mut crossings = [0; LADDER.len()];
        for (crossing, name) in crossings.iter_mut().zip(CROSSINGS) {
            *crossing = place(name)?;
        }
        Ok(TrialColumns {
            id: place("id")?,
            sizes: [place("n")?, place("k")?, place("d")?],
            network: place("network")?,
            start: place("start")?,
            seed: place("seed")?,
            iterations: place("iterations")?,
            reason: place("reason")?,
            objective: place("objective")?,
            relative_error: place("relative_error")?,
            crossings,
            ending: place("verdict")?,
            long_run_error: place("verdict_error")?,
            long_run_gradient: place("verdict_gradient")?,
            long_run_iterations: place("verdict_iterations")?,
            teacher_error: place("teacher_error")?,
            fingerprint: place("fingerprint")?,
            seconds: place("seconds")?,
        })
    }

    pub(super) fn trial(&self, row: &Row<'_>) -> rusqlite::Result<Trial> {
        let [n, k, d] = self.sizes;
        Ok(Trial {
            id: row.get::<_, i64>(self.id)? as u64,
            cell: GridCell { n: row.get(n)?, k: row.get(k)?, d: row.get(d)? },
            network: row.get(self.network)?,
            start: row.get(self.start)?,
            seed: row.get::<_, i64>(self.seed)? as u64,
            outcome: self.outcome(row)?,
            seconds: real(row, self.seconds)?,
        })
    }

    fn outcome(&self, row: &Row<'_>) -> rusqlite::Result<TrialOutcome> {
        let mut crossings = [None; LADDER.len()];
        for (crossing, place) in crossings.iter_mut().zip(self.crossings) {
            *crossing = row.get(place)?;
        }
        let reason: String = row.get(self.reason)?;
        Ok(TrialOutcome {
            crossings,
            iterations: row.get(self.iterations)?,
            reason: reason_named(&reason).ok_or_else(|| unknown(self.reason, &reason))?,
            objective: real(row, self.objective)?,
            relative_error: real(row, self.relative_error)?,
            long_run: self.long_run(row)?,
            teacher_error: row.get(self.teacher_error)?,
            fingerprint: row.get(self.fingerprint)?,
        })
    }

    fn long_run(&self, row: &Row<'_>) -> rusqlite::Result<Option<LongRunSummary>> {
        let Some(name) = row.get::<_, Option<String>>(self.ending)? else { return Ok(None) };
        Ok(Some(LongRunSummary {
            ending: ending_named(&name).ok_or_else(|| unknown(self.ending, &name))?,
            relative_error: real(row, self.long_run_error)?,
            scaled_gradient: real(row, self.long_run_gradient)?,
            iterations: row.get(self.long_run_iterations)?,
        }))
    }
}

/// SQLite keeps NaN as nothing.
fn real(row: &Row<'_>, place: usize) -> rusqlite::Result<f64> {
    Ok(row.get::<_, Option<f64>>(place)?.unwrap_or(f64::NAN))
}

fn unknown(place: usize, text: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(place, Type::Text, format!("{text:?} means nothing").into())
}

/// Add a row. Outside of an explicit transaction, a statement is one.
pub(super) fn insert(connection: &Connection, trial: &Trial, environment: i64) -> rusqlite::Result<()> {
    let Trial { id, cell, network, start, seed, outcome, seconds } = trial;
    let long_run = outcome.long_run.as_ref();
    let (id, seed, reason) = (*id as i64, *seed as i64, reason_name(outcome.reason));
    let ending = long_run.map(|long_run| long_run.ending.name());
    let long_run_error = long_run.map(|long_run| long_run.relative_error);
    let long_run_gradient = long_run.map(|long_run| long_run.scaled_gradient);
    let long_run_iterations = long_run.map(|long_run| long_run.iterations);
    let mut values: Vec<(&str, &dyn ToSql)> = vec![
        ("id", &id),
        ("n", &cell.n),
        ("k", &cell.k),
        ("d", &cell.d),
        ("network", network),
        ("start", start),
        ("seed", &seed),
        ("iterations", &outcome.iterations),
        ("reason", &reason),
        ("objective", &outcome.objective),
        ("relative_error", &outcome.relative_error),
        ("verdict", &ending),
        ("verdict_error", &long_run_error),
        ("verdict_gradient", &long_run_gradient),
        ("verdict_iterations", &long_run_iterations),
        ("teacher_error", &outcome.teacher_error),
        ("fingerprint", &outcome.fingerprint),
        ("seconds", seconds),
        ("environment", &environment),
    ];
    values.extend(CROSSINGS.into_iter().zip(&outcome.crossings).map(|(name, value)| (name, value as &dyn ToSql)));
    let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    let sql = format!("INSERT INTO trials ({}) VALUES (?{})", names.join(", "), ", ?".repeat(names.len() - 1));
    let values: Vec<&dyn ToSql> = values.into_iter().map(|(_, value)| value).collect();
    connection.prepare_cached(&sql)?.execute(&values[..])?;
    Ok(())
}

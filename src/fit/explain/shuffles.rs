//! **Importance.** Of any network: by how much the RMSE grows when the inputs that come from one column are shuffled
//! among the rows, all in the same order, which leaves their distribution as it is and takes away what they say about the
//! target (L. Breiman, Random forests, Machine Learning 45 (2001) 5–32). Columns that say the same share their
//! importance, and on the rows of the fit it tells what the network uses, not what would help it on others.

use std::ops::Range;

use super::units;
use crate::data::Data;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::fit::Scores;
use crate::linalg::{Matrix, try_map_tasks};
use crate::model::Function;
use crate::random::{Purpose, Stream};

/// What shuffling the inputs of each group does to the error. [`importances`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Importances {
    /// The RMSE on the rows as they are.
    pub rmse: f64,
    /// The standard deviation of the target on them.
    pub target_deviation: f64,
    /// How many rows were used.
    pub rows: usize,
    /// How often each group was shuffled.
    pub repeats: usize,
    /// In the order of the groups.
    pub groups: Vec<Importance>,
}

/// What shuffling one group does. [`importances`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Importance {
    /// The mean increase of the RMSE.
    pub increase: f64,
    /// The standard error of that mean.
    pub standard_error: f64,
}

/// More rows than this say nothing new.
const MOST_ROWS: usize = 10_000;
/// Fewer would say too little, however wide the network.
const FEWEST_ROWS: usize = 500;
/// Multiplications that are worth it: half a minute of one core.
const MOST_WORK: usize = 500_000_000_000;

/// How much the error of a network grows when groups of inputs are shuffled.
///
/// ```
/// use shallows::Data;
/// use shallows::fit::affine_fit;
/// use shallows::fit::explain::importances;
///
/// // The label is the first input; the second is noise.
/// let rows: Vec<[f64; 2]> = (0..40).map(|i| [i as f64, (i * i % 7) as f64]).collect();
/// let y: Vec<f64> = rows.iter().map(|row| row[0]).collect();
/// let data = Data::from_rows(&rows, &y)?;
/// let found = importances(&affine_fit(&data)?.into(), &data, &[0..1, 1..2], 5, 1)?;
/// assert!(found.groups[0].increase > 5.0 && found.groups[1].increase < 1e-6);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn importances(
    f: &Function,
    data: &Data,
    groups: &[Range<usize>],
    repeats: usize,
    seed: u64,
) -> Result<Importances> {
    if repeats < 2 {
        return Err(Error::parameter(Parameter::Repeats, Requirement::CountFrom(2), repeats));
    }
    let work = groups.len().saturating_mul(repeats).saturating_mul(units(f)).saturating_mul(f.inputs().max(1));
    let most = (MOST_WORK / work.max(1)).clamp(FEWEST_ROWS, MOST_ROWS);
    let sample = (data.n() > most).then(|| {
        let mut rows = Stream::new(seed, Purpose::Shuffle, 0).permutation(data.n());
        rows.truncate(most);
        rows.sort_unstable();
        data.select(&rows)
    });
    let data = sample.as_ref().unwrap_or(data);
    let rmse = Scores::of(f, data)?.rmse;
    let mean = data.omega().iter().zip(&data.y).map(|(omega, y)| omega * y).sum();
    let target_deviation = Scores::of_predictions(&vec![mean; data.n()], data).rmse;
    let jobs: Vec<(usize, usize)> = (0..groups.len()).flat_map(|g| (0..repeats).map(move |r| (g, r))).collect();
    let shuffled = |&(g, r): &(usize, usize)| {
        let index = 1 + (g * repeats + r) as u64;
        let order = Stream::new(seed, Purpose::Shuffle, index).permutation(data.n());
        let X =
            Matrix::from_fn(data.n(), data.d(), |i, a| data.X[(if groups[g].contains(&a) { order[i] } else { i }, a)]);
        let f = f.predict(&X)?;
        Ok(Scores::of_predictions(&f, data).rmse - rmse)
    };
    let increases = try_map_tasks(jobs.len(), |at| shuffled(&jobs[at]))?;
    let groups = increases.chunks(repeats).map(importance).collect();
    Ok(Importances { rmse, target_deviation, rows: data.n(), repeats, groups })
}

fn importance(increases: &[f64]) -> Importance {
    let m = increases.len() as f64;
    let mean = increases.iter().sum::<f64>() / m;
    let variance = increases.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (m - 1.0);
    Importance { increase: mean, standard_error: (variance / m).sqrt() }
}

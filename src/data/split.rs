//! Rows set aside by chance: to judge a fit by, or to calibrate its intervals.

use crate::error::{Error, Parameter, RequestProblem, Requirement, Result};
use crate::random::{self, Stream};

/// Rows to keep and rows set aside, both in the order of the table.
pub(crate) type SplitRows = (Vec<usize>, Vec<usize>);

/// What rows are set aside for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aside {
    /// To judge the fit.
    Holdout,
    /// To calibrate its intervals.
    Calibration,
}

/// Set this share of the rows aside.
pub(crate) fn deal(rows: &[usize], share: f64, seed: u64, aside: Aside) -> Result<SplitRows> {
    let (name, split) = match aside {
        Aside::Holdout => (Parameter::Holdout, random::Split::Holdout),
        Aside::Calibration => (Parameter::Calibration, random::Split::Calibration),
    };
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::parameter(name, Requirement::ShareSuchAs(0.2), share));
    }
    let count = (share * rows.len() as f64).round() as usize;
    let order = Stream::of_split(seed, split).permutation(rows.len());
    let mut chosen = vec![false; rows.len()];
    order[..count].iter().for_each(|&at| chosen[at] = true);
    let pick =
        |wanted: bool| rows.iter().zip(&chosen).filter(|(_, chosen)| **chosen == wanted).map(|(row, _)| *row).collect();
    let (kept, aside): SplitRows = (pick(false), pick(true));
    if kept.len() < 2 || aside.is_empty() {
        let (rows, kept, aside) = (rows.len(), kept.len(), aside.len());
        return Err(Error::Request(RequestProblem::SetAside { name, rows, kept, aside }));
    }
    Ok((kept, aside))
}

//! Rows set aside by chance: to judge a fit by, or to calibrate its intervals.

use crate::error::{Error, Result};
use crate::random::{Purpose, Stream};

/// Rows to keep and rows set aside, both in the order of the table.
pub type Split = (Vec<usize>, Vec<usize>);

/// What rows are set aside for; the splits that fits make by themselves are 0 and 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aside {
    /// To judge the fit.
    Holdout = 1,
    /// To calibrate its intervals.
    Calibration = 3,
}

/// Set this share of the rows aside.
pub fn deal(rows: &[usize], share: f64, seed: u64, aside: Aside) -> Result<Split> {
    let name = match aside {
        Aside::Holdout => "the share of rows held out",
        Aside::Calibration => "the share of rows for calibration",
    };
    if !(share > 0.0 && share < 1.0) {
        let requirement = "between 0 and 1, such as 0.2";
        return Err(Error::Parameter { name, requirement, value: share.to_string() });
    }
    let count = (share * rows.len() as f64).round() as usize;
    let order = Stream::new(seed, Purpose::Split, aside as u64).permutation(rows.len());
    let mut chosen = vec![false; rows.len()];
    order[..count].iter().for_each(|&at| chosen[at] = true);
    let pick =
        |wanted: bool| rows.iter().zip(&chosen).filter(|(_, chosen)| **chosen == wanted).map(|(row, _)| *row).collect();
    let (kept, aside): Split = (pick(false), pick(true));
    if kept.len() < 2 || aside.is_empty() {
        let requirement = "such that at least 2 rows are kept and at least 1 is set aside";
        return Err(Error::Parameter { name, requirement, value: format!("{share} of {} rows", rows.len()) });
    }
    Ok((kept, aside))
}

//! Rows set aside by chance: to judge a fit by, or to calibrate its intervals. Of rows in groups, groups are set aside; of rows
//! in time, the latest.

use super::dependence::{Dependence, rows_by_number};
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

impl Aside {
    fn parameter(self) -> Parameter {
        match self {
            Aside::Holdout => Parameter::Holdout,
            Aside::Calibration => Parameter::Calibration,
        }
    }

    fn split(self) -> random::Split {
        match self {
            Aside::Holdout => random::Split::Holdout,
            Aside::Calibration => random::Split::Calibration,
        }
    }
}

/// Set this share of the rows aside; the numbers of the dependence are those of all rows.
///
/// Of groups it is the share of their number, whatever their sizes are: which ones are set aside must not depend on what is
/// in them, or they would not be exchangeable with a new one.
pub(crate) fn deal(
    (rows, dependence): (&[usize], Option<&Dependence>),
    share: f64,
    seed: u64,
    aside: Aside,
) -> Result<SplitRows> {
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::parameter(aside.parameter(), Requirement::ShareSuchAs(0.2), share));
    }
    let chosen = match dependence.map(|dependence| dependence.select(rows)) {
        None => drawn(rows.len(), share, seed, aside),
        Some(Dependence::Groups(groups)) => drawn_groups(&groups, share, seed, aside)?,
        Some(Dependence::Times(times)) => latest(&times, share),
    };
    let pick =
        |wanted: bool| rows.iter().zip(&chosen).filter(|(_, chosen)| **chosen == wanted).map(|(row, _)| *row).collect();
    let (kept, set_aside): SplitRows = (pick(false), pick(true));
    if kept.len() < 2 || set_aside.is_empty() {
        let (name, rows, kept, aside) = (aside.parameter(), rows.len(), kept.len(), set_aside.len());
        return Err(Error::Request(RequestProblem::SetAside { name, rows, kept, aside }));
    }
    Ok((kept, set_aside))
}

/// This share of n, by chance.
fn drawn(n: usize, share: f64, seed: u64, aside: Aside) -> Vec<bool> {
    let count = (share * n as f64).round() as usize;
    let order = Stream::of_split(seed, aside.split()).permutation(n);
    let mut chosen = vec![false; n];
    order[..count].iter().for_each(|&at| chosen[at] = true);
    chosen
}

/// The rows of this share of the groups, by chance.
fn drawn_groups(groups: &[usize], share: f64, seed: u64, aside: Aside) -> Result<Vec<bool>> {
    let members = rows_by_number(groups);
    let of_group = drawn(members.len(), share, seed, aside);
    let count = of_group.iter().filter(|chosen| **chosen).count();
    if count == 0 || members.len() - count < 2 {
        let (name, groups, kept) = (aside.parameter(), members.len(), members.len() - count);
        return Err(Error::Request(RequestProblem::SetGroupsAside { name, groups, kept, aside: count }));
    }
    let mut chosen = vec![false; groups.len()];
    members
        .iter()
        .zip(&of_group)
        .filter(|(_, chosen)| **chosen)
        .flat_map(|(rows, _)| rows)
        .for_each(|&at| chosen[at] = true);
    Ok(chosen)
}

/// The latest rows, as near to this share as rows of one time on one side allow.
fn latest(times: &[usize], share: f64) -> Vec<bool> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let wanted = (1.0 - share) * times.len() as f64;
    // The places at which a new time begins.
    let starts = (1..sorted.len()).filter(|&at| sorted[at - 1] < sorted[at]);
    let distance = |at: usize| (at as f64 - wanted).abs();
    let cut = starts.min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
    let first = cut.map_or(usize::MAX, |at| sorted[at]);
    times.iter().map(|time| *time >= first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_set_aside_whole_and_by_their_number() {
        let groups: Vec<usize> = (0..100).map(|i| if i < 50 { 0 } else { i % 10 + 1 }).collect();
        let dependence = Dependence::Groups(groups.clone());
        let rows: Vec<usize> = (0..100).collect();
        let (kept, aside) = deal((&rows, Some(&dependence)), 0.3, 4, Aside::Holdout).unwrap();
        let of = |rows: &[usize]| rows.iter().map(|&i| groups[i]).collect::<std::collections::BTreeSet<usize>>();
        assert!(of(&kept).is_disjoint(&of(&aside)));
        assert_eq!(of(&aside).len(), 3);
        let few = Dependence::Groups((0..100).map(|i| i % 2).collect());
        assert!(deal((&rows, Some(&few)), 0.5, 4, Aside::Holdout).is_err());
    }

    #[test]
    fn the_latest_rows_are_set_aside_and_ties_stay_together() {
        let times: Vec<usize> = (0..20).rev().map(|i| i / 3).collect();
        let rows: Vec<usize> = (0..20).collect();
        let (kept, aside) = deal((&rows, Some(&Dependence::Times(times.clone()))), 0.2, 0, Aside::Holdout).unwrap();
        let first = aside.iter().map(|&i| times[i]).min().unwrap();
        assert!(kept.iter().all(|&i| times[i] < first));
        assert_eq!(aside.len(), 5);
        // The rows that calibrate are the latest of the rest.
        let (rest, scored) =
            deal((&kept, Some(&Dependence::Times(times.clone()))), 0.2, 0, Aside::Calibration).unwrap();
        assert!(rest.iter().all(|&i| scored.iter().all(|&j| times[i] < times[j])));
        assert!(deal((&rows, Some(&Dependence::Times(vec![3; 20]))), 0.2, 0, Aside::Holdout).is_err());
    }
}

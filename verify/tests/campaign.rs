//! A small campaign: the checker against a judge in exact arithmetic. `cargo xtask campaign` runs large ones.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, non_snake_case)]

#[path = "../examples/campaign/campaign.rs"]
mod campaign;
#[path = "../examples/campaign/exact.rs"]
mod exact;
#[path = "../examples/campaign/instance.rs"]
mod instance;
#[path = "../examples/campaign/judge.rs"]
mod judge;
#[path = "../examples/campaign/known.rs"]
mod known;
#[path = "../examples/campaign/propose.rs"]
mod propose;
#[path = "../examples/campaign/random.rs"]
mod random;
#[path = "../examples/campaign/solver.rs"]
mod solver;
#[path = "../examples/campaign/sums.rs"]
mod sums;

use campaign::{Tally, one, one_with};

const SEED: u64 = 7;

fn all(count: u64, each: impl Fn(u64) -> Tally) -> Tally {
    shallows_verify::matrix::use_threads(1);
    let mut tally = Tally::default();
    (0..count).for_each(|index| tally.add(each(index)));
    tally
}

#[test]
fn no_bound_and_no_verdict_is_on_the_wrong_side_of_the_exact_optimum() {
    let tally = all(4000, |index| one(SEED, index, false));
    let (judged, made) = tally.judged();
    assert_eq!(tally.wrong(), 0, "{tally}");
    assert!(2 * judged > made, "{tally}");
    assert!(tally.sums() > made, "{tally}");
}

#[test]
fn a_bound_that_is_too_large_by_a_billionth_is_noticed_nearly_as_often_as_bounds_are_that_close() {
    let tally = all(1000, |index| one_with(SEED, index, false, 1.0 + 1e-9));
    let (judged, _) = tally.judged();
    assert!(10 * tally.wrong() as u64 > 7 * judged, "{tally}");
}

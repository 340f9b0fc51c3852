//! `wide-optimum` against optima in 500 bits, and its hypotheses one by one.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, non_snake_case, dead_code)]

#[path = "../examples/campaign/precise.rs"]
mod precise;
#[path = "../examples/campaign/random.rs"]
mod random;
#[path = "../examples/campaign/wide.rs"]
mod wide;

use wide::{WideTally, wide_one};

#[test]
fn no_bound_and_no_verdict_is_on_the_wrong_side_of_the_optimum() {
    let mut tally = WideTally::default();
    (0..3000).for_each(|index| tally.add(wide_one(7, index)));
    assert!(tally.wrong.is_empty(), "{tally}");
    let held = tally.count("best", "holds");
    println!("{tally}");
    assert!(2 * held > tally.count("best", "undecided"), "{tally}");
    assert!(tally.count("zero", "fails") > 20, "{tally}");
}

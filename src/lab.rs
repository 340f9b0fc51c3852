//! Sweeps: grids of runs that lose nothing when killed, and what can be read off them.
//!
//! A [`Specification`] (a TOML file) says which sizes (n, k, d), how many planted networks for each, how they are
//! started, trained and judged. [`sweep`] makes the runs that are not yet in a store (one SQLite file: [`StoreWriter`],
//! [`StoreReader`]); [`replay`] makes one run again from its stored seed. What counts as a success is a [`Rule`] chosen
//! afterwards, from the first crossings of a ladder of tolerances, the long run of Levenberg–Marquardt and the distance to
//! the teacher. [`cells`] counts successes with Wilson intervals, [`threshold`] fits a logistic curve and bootstraps its
//! middle.
//!
//! | file | what is there |
//! |---|---|
//! | `specification.rs` | the file: its keys, its quick version, and refusals that point into it |
//! | `grid.rs`, `expression.rs` | n, k, d; expressions such as `k*d/n` |
//! | `protocol.rs` | sizes and a seed → samples, start, run |
//! | `schedule.rs` | which runs, in which order; refinement |
//! | `sweep.rs` | making them |
//! | `store.rs`, `lock.rs`, `trial.rs` | what is kept of them, and where |
//! | `replay.rs` | one of them again |
//! | `rule.rs` | what counts as a success |
//! | `counts.rs`, `threshold.rs` | successes by cell, thresholds |
//! | `plot.rs` | figures and tables of any sweep |
//! | `studies.rs` | the published figures, one file per study |

mod counts;
pub mod expression;
mod grid;
mod lock;
pub mod plot;
mod protocol;
mod replay;
mod rule;
mod schedule;
mod specification;
mod store;
pub mod studies;
mod sweep;
mod threshold;
mod trial;

pub(crate) use counts::varying;
pub use counts::{By, CellCount, cells};
pub use expression::Expression;
pub use grid::{Axis, Grid, GridCell, Symbol};
pub use protocol::{Labels, Planted, StartOutputs, StepRule, network_seed};
pub use replay::{Replay, replay};
pub use rule::{Rule, RunRuling};
pub use specification::{Extent, Refine, Specification};
pub use store::{Environment, StoreReader, StoreWriter};
pub use sweep::{SweepProgress, sweep};
pub(crate) use threshold::sample;
pub use threshold::{ByRule, Line, Threshold, lines, threshold, thresholds_by_rule};
pub(crate) use trial::reason_name;
pub use trial::{LongRunSummary, Trial, TrialOutcome};

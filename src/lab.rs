//! Sweeps: grids of trainings that lose nothing when killed, and what can be read off them.
//!
//! A [`Specification`] (a TOML file) says which sizes (n, k, d), how many planted networks for each, how they are
//! started, trained and judged. [`sweep`] trains what is not yet in a [`Store`] (one SQLite file); [`replay`] does one
//! training again from its stored seed. What counts as a success is a [`Rule`] chosen afterwards, from the first
//! crossings of a ladder of tolerances, the verdict of Levenberg–Marquardt and the distance to the teacher.
//! [`cells`] counts successes with Wilson intervals, [`threshold`] fits a logistic curve and bootstraps its middle.
//!
//! | file | what is there |
//! |---|---|
//! | `specification.rs` | the file: its keys, and refusals that point into it |
//! | `grid.rs`, `expression.rs` | n, k, d; expressions such as `k*d/n` |
//! | `protocol.rs` | sizes and a seed → samples, start, training |
//! | `plan.rs` | which trainings, in which order; refinement |
//! | `sweep.rs` | running them |
//! | `store.rs`, `lock.rs`, `record.rs` | what is kept of them, and where |
//! | `replay.rs` | one of them again |
//! | `rule.rs` | what counts as a success |
//! | `statistics.rs`, `logistic.rs`, `threshold.rs` | intervals, curves, thresholds |
//! | `plot.rs` | figures and tables of any sweep |
//! | `studies.rs` | the published figures, one file per study |

pub mod expression;
mod grid;
mod lock;
pub mod logistic;
mod plan;
pub mod plot;
mod protocol;
mod record;
mod replay;
mod rule;
mod specification;
pub mod statistics;
mod store;
pub mod studies;
mod sweep;
mod threshold;

pub use expression::Expression;
pub use grid::{Axis, Cell, Grid, Symbol};
pub use protocol::{Inputs, Labels, Planted, PlantedHidden, PlantedOutputs, StartOutputs, StepRule, network_seed};
pub use record::{Record, Trial, VerdictRecord, reason_name};
pub use replay::{Replay, replay};
pub use rule::{Judgement, Rule};
pub use specification::{Refine, Specification};
pub use statistics::{By, CellCount, cells, varying};
pub use store::{Environment, Store};
pub use sweep::{Progress, Watch, sweep};
pub use threshold::{ByRule, Line, Threshold, lines, sample, threshold, thresholds_by_rule};

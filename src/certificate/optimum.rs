//! What `global-optimum` stands on: the objective from both sides, and lower bounds by duality.

pub(super) mod basis;
pub(super) mod dependence;
pub(super) mod dual;
pub(super) mod measure;
pub(super) mod primal;

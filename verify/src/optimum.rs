//! Objectives of quadratic networks and lower bounds for all of them: what `global-optimum` is made of.

pub mod basis;
pub mod dual;
pub mod function;
pub mod measure;
pub mod span;

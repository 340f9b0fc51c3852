//! Checks certificates about one-hidden-layer networks, trusting nothing in them.
//!
//! CONTRACT.md says what is claimed and what is assumed, FORMAT.md what a certificate file holds.

#![forbid(unsafe_code)]
// W, X, M, … are matrices in every formula.
#![allow(non_snake_case)]

mod activation;
pub mod arithmetic;
pub mod certificate;
pub mod date;
pub mod descent;
pub mod determined;
pub mod elementary;
mod error;
pub mod form;
mod judgement;
pub mod landscape;
pub mod matrix;
mod monomial;
mod network;
pub mod optimum;
pub mod recipe;
mod relation;
pub mod residuals;
pub mod rows;
pub mod table;
pub mod theorem;
pub mod wide;
pub mod words;

pub use activation::Activation;
pub use certificate::{Certificate, CheckedClaim, Objection, Subject};
pub use error::{Error, Result};
pub use judgement::{Check, Fact, Judgement, Side, Verdict};
pub use matrix::Matrix;
pub use monomial::Monomial;
pub use network::{Network, Signs, StoredNetwork};
pub use relation::Relation;
pub use rows::Rows;
pub use theorem::Theorem;

//! One-hidden-layer neural networks, learned with proof.
//!
//! The model is
//!
//! ```text
//! f(x) = vᵀ φ(W x + u) + c + bᵀ x        W: k×d,  v, u: k,  b: d
//! ```
//!
//! and the loss of n samples is L = (1/2n) Σ rᵢ², rᵢ = f(xᵢ) − yᵢ. Hidden biases u and the affine
//! part c + bᵀx are optional: off in planted theory, on for tables.
//!
//! The promise: nothing is claimed that has not been proved.
//!
//! # The fifteen names at the root
//!
//! Fit a quadratic network to its global optimum, prove it, let a stranger check the proof, and ask what is promised about
//! gradient descent before a single step:
//!
//! ```
//! use shallows::{Certificate, Data, Descent, Quadratic};
//!
//! # fn main() -> shallows::Result<()> {
//! # let folder = std::env::temp_dir().join(format!("shallows-front-page-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # std::env::set_current_dir(&folder).unwrap();
//! let data = Data::from_rows(&[[0.2, 1.0], [0.5, -1.0], [1.5, 0.3], [0.9, 2.0]], &[1.0, 0.3, 2.2, 4.1])?;
//!
//! let fit = Quadratic::new().decay(0.01).fit(&data)?;
//! let proof = fit.certify(&data)?;
//! println!("{:.6} ≤ any quadratic network; ours {:.6}", proof.lower_bound, proof.objective);
//! proof.save("fit.certificate.json")?;
//!
//! Certificate::load("fit.certificate.json")?.verify(&data)?.require_holds()?;
//!
//! let promise = Descent::new("softplus").width(64).check(&data)?;
//! if let Some(plan) = promise.plan() {
//!     println!("zero error in {} steps", plan.iterations)
//! }
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(())
//! # }
//! ```
//!
//! # Rooms
//!
//! The rooms, each importing only from those above it:
//!
//! | room | what lives there |
//! |---|---|
//! | [`error`], [`mod@file`] | one error type, with a way out; files written whole or not at all |
//! | [`watch`] | progress, interruption and deadline of long work |
//! | [`linalg`], [`random`] | matrices and ordered parallel sums; counter-based random streams |
//! | [`statistics`] | tails of laws, intervals, logistic curves |
//! | [`draw`] | heat maps, bars, scatter plots, lines, contours and ladders as SVG and PNG |
//! | [`activation`] | φ, φ', φ'', their bounds, Hermite coefficients, closed-form kernels |
//! | [`network`] | W, v and the optional parts; forward and Jacobian products |
//! | [`data`] | tables from files, planted data from a teacher |
//! | [`risk`] | the empirical loss, and the population risk in closed form: value, gradient, Hessian products |
//! | [`spectrum`] | extreme eigenpairs, kernels, Khatri–Rao and Jacobian spectra: estimates |
//! | [`convex`] | the global fit of quadratic networks: program, solvers, lower bounds that steer |
//! | [`optimise`] | descent, sgd, lbfgs, newton, levenberg; stopping rules and traces |
//! | [`fleet`] | thousands of small runs at once, for phase diagrams |
//! | [`landscape`] | critical levels and barriers of quadratic networks, and starts below them |
//! | [`recover`] | the weights of a planted network from samples: moments, designed objectives, decomposition, refinement |
//! | [`wide`] | infinitely wide networks: laws of hidden weights, their kernels, evidence, the exact output layer |
//! | [`model`] | a network with its columns: files, ONNX, predictions and intervals |
//! | [`certificate`] | what can be proved about a network: lower bounds, verdicts, certificate files |
//! | [`fit`] | the front door: data in, trained network out |
//! | `lab` | sweeps over grids of runs: specification, store, thresholds, replay, published figures (feature `lab`) |
//! | [`job`] | one type for each verb: a request, its run, and what came of it as one document for all who tell it |

// W, X, M, … are matrices in every formula this crate implements.
#![allow(non_snake_case)]
// What is `pub` is what a user sees: tests/architecture/examples.rs asks for an example of each.
#![warn(unreachable_pub)]

pub mod activation;
pub mod certificate;
pub mod convex;
pub mod data;
pub mod draw;
pub mod error;
pub mod file;
pub mod fit;
pub mod fleet;
pub mod job;
#[cfg(feature = "lab")]
pub mod lab;
pub mod landscape;
pub mod linalg;
pub mod model;
pub mod network;
pub mod optimise;
pub mod random;
pub mod recover;
pub mod risk;
pub mod spectrum;
pub mod statistics;
pub mod watch;
pub mod wide;

pub use activation::Activation;
pub use certificate::{Certificate, Verdict};
pub use data::{Data, Table};
pub use error::{Error, Result};
pub use fit::{Automatic, Fit, Local, Quadratic};
pub use job::descent::Descent;
pub use model::Model;
pub use network::Network;
pub use watch::Watch;

/// The Rust of the README, compiled and run as an example of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! How far a quadratic network is from the best one: the search for a proof, and the checker's word on it.

use serde::{Deserialize, Serialize};
use shallows_verify::optimum::dual::Class;
use shallows_verify::theorem::global_optimum as checker;

use super::strict_saddle::check_decay;
use crate::certificate::convert::{for_checker, rows_for_checker};
use crate::certificate::file::ProvedClaim;
pub use crate::certificate::proposal::optimum::ProvedOptimum;
use crate::certificate::proposal::optimum::prove;
use crate::certificate::{Judgement, Signs};
use crate::data::Data;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::network::Network;

/// What is minimised, and over which networks. [`global_optimum`] shows its use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Of the output weights.
    pub signs: Signs,
    /// τ.
    pub decay: f64,
    /// Whether a linear part is allowed.
    pub linear: bool,
    /// Whether an intercept is allowed.
    pub intercept: bool,
    /// e: the penalty is τΣ|v_l|‖S w_l‖², S = Diag(2^e). Zeros for the raw inputs.
    pub exponents: Vec<i32>,
}

/// A quadratic function x·Mx + b·x + c, whose residual gives a dual point.
///
/// ```
/// use shallows::certificate::{Claim, Signs, Verdict, Witness, global_optimum};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Data, Network};
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0]], &[0.01, 3.0, 12.0])?;
/// let network = Network::new(Activation::SQUARE, Matrix::from_rows(&[[1.0]]), vec![3.0])?;
/// let claim = Claim { signs: Signs::Any, decay: 0.0, linear: false, intercept: false, exponents: vec![0] };
/// // Any witness is allowed: a bad one proves less, never something false.
/// let witness = Witness { M: vec![vec![3.0]], b: vec![0.0], c: 0.0 };
/// let judgement = global_optimum(&network, &data, &claim, Some(&witness), 1e-3)?;
/// assert_eq!(judgement.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// d×d, by rows.
    pub M: Vec<Vec<f64>>,
    /// d.
    pub b: Vec<f64>,
    /// c.
    pub c: f64,
}

/// Prove, refute or leave open that a network is within `tolerance` of the best. The facts of the judgement are `objective`,
/// `lower_bound`, `measure` (what the gap is relative to) and `relative_gap`.
///
/// ```
/// use shallows::certificate::{Claim, Signs, Verdict, global_optimum};
/// use shallows::data::Data;
/// use shallows::linalg::Matrix;
/// use shallows::network::Network;
///
/// // Two rows, two labels for one of them: the best is their mean, and leaves ½·(½)²·⅔.
/// let X = Matrix::from_rows(&[[1.0], [1.0], [2.0]]);
/// let data = Data::builder(X, vec![0.5, 1.5, 4.0]).build()?;
/// let network = Network::new("quadratic".parse()?, Matrix::from_rows(&[[1.0]]), vec![1.0])?;
/// let claim = Claim { signs: Signs::Any, decay: 0.0, linear: false, intercept: false, exponents: vec![0] };
///
/// let judgement = global_optimum(&network, &data, &claim, None, 1e-6)?;
/// assert_eq!(judgement.verdict(), Verdict::Holds);
/// let [bound, objective] = ["lower_bound", "objective"].map(|name| judgement.fact(name));
/// assert!(bound <= Some(0.25 / 3.0) && Some(0.25 / 3.0) <= objective);
/// # Ok::<(), shallows::error::Error>(())
/// ```
pub fn global_optimum(
    network: &Network,
    data: &Data,
    claim: &Claim,
    witness: Option<&Witness>,
    tolerance: f64,
) -> Result<Judgement> {
    prove_optimum(network, data, claim, witness, tolerance).map(|proved| proved.judgement)
}

/// The same with the claim, the class of competitors in it, and the proof, as the checker takes them.
///
/// ```
/// use shallows::certificate::{Claim, Signs, prove_optimum};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Data, Network};
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0]], &[0.01, 3.0, 12.0])?;
/// let network = Network::new(Activation::SQUARE, Matrix::from_rows(&[[1.0]]), vec![3.0])?;
/// let claim = Claim { signs: Signs::Any, decay: 0.0, linear: false, intercept: false, exponents: vec![0] };
/// let proved = prove_optimum(&network, &data, &claim, None, 1e-3)?;
/// // Nobody is left out of the comparison.
/// assert!(proved.claim.class.nuclear.is_none() && proved.proof.free);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn prove_optimum(
    network: &Network,
    data: &Data,
    claim: &Claim,
    witness: Option<&Witness>,
    tolerance: f64,
) -> Result<ProvedOptimum> {
    check_tolerance(tolerance)?;
    check_decay(claim.decay)?;
    data.check_square()?;
    let Claim { signs, decay, linear, intercept, exponents } = claim.clone();
    let (signs, class) = (signs.into(), Class::default());
    let claim = checker::Claim { signs, decay, linear, intercept, exponents, tolerance, class };
    let witness = witness.map(|witness| witness.function(data.d())).transpose()?;
    prove(&for_checker(network)?, rows_for_checker(data)?, claim, witness.as_ref())
}

/// The claim for a file.
pub(in crate::certificate) fn claimed(
    network: &Network,
    data: &Data,
    claim: &Claim,
    witness: Option<&Witness>,
    tolerance: f64,
) -> Result<ProvedClaim> {
    let ProvedOptimum { claim, proof, judgement } = prove_optimum(network, data, claim, witness, tolerance)?;
    ProvedClaim::new(&claim, &proof, judgement)
}

impl Witness {
    fn function(&self, d: usize) -> Result<checker::QuadraticFunction> {
        let Witness { M, b, c } = self;
        let shape = |what, expected, found| {
            if expected == found { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
        };
        shape("rows of the witness M", d, M.len())?;
        M.iter().try_for_each(|row| shape("columns of the witness M", d, row.len()))?;
        shape("linear part of the witness", d, b.len())?;
        let M = M.iter().enumerate().map(|(a, row)| row[..=a].to_vec()).collect();
        let function = checker::QuadraticFunction { M, b: b.clone(), c: *c, low: None };
        function.check(d)?;
        Ok(function)
    }
}

/// As every theorem with a tolerance wants it.
pub(crate) fn check_tolerance(tolerance: f64) -> Result<()> {
    if tolerance > 0.0 && tolerance <= checker::LARGEST_TOLERANCE {
        return Ok(());
    }
    let requirement = Requirement::AboveUpTo(0.0, checker::LARGEST_TOLERANCE);
    Err(Error::parameter(Parameter::Tolerance, requirement, tolerance))
}

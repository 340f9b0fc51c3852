//! `wide-optimum`: the claim that a fitted network makes about itself, judged on its rows.

pub use shallows_verify::theorem::wide_optimum::Claim as WideClaim;
use shallows_verify::theorem::wide_optimum::{Proof, judge};

use crate::certificate::Judgement;
use crate::certificate::convert::rows_for_checker;
use crate::certificate::file::ProvedClaim;
use crate::data::Data;
use crate::error::Result;

/// How far an infinitely wide network is from the best one of its laws.
///
/// ```
/// use shallows::certificate::{Verdict, wide_optimum};
/// use shallows::wide::{LayerSet, WideNetwork};
/// use shallows::{Data, Watch};
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0], [4.0]], &[0.0, 1.0, 4.0, 2.0])?;
/// let network = WideNetwork::fitted(&data, &data.columns, LayerSet::RoughRelu, 0, Watch::silent()).expect("definite");
/// let claim = network.claim(&data, 1e-9).expect("these are its rows");
/// let judgement = wide_optimum(&claim, &data)?;
/// assert_eq!(judgement.verdict(), Verdict::Holds);
/// assert!(judgement.fact("lower_bound") <= judgement.fact("objective"));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn wide_optimum(claim: &WideClaim, data: &Data) -> Result<Judgement> {
    claimed(claim, data).map(ProvedClaim::into_judgement)
}

pub(crate) fn claimed(claim: &WideClaim, data: &Data) -> Result<ProvedClaim> {
    let judgement = judge(rows_for_checker(data)?, claim, &Proof {})?;
    ProvedClaim::new(claim, &Proof {}, judgement)
}

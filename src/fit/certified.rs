//! What is claimed about a fit: the one place where a fit meets the room of proofs.

use super::{Fit, Global};
use crate::certificate::{Certificate, Claim, Source, Theorem, Witness};
use crate::data::Data;
use crate::error::Result;

impl From<&Global> for Claim {
    fn from(global: &Global) -> Self {
        let Global { signs, raw_decay, linear, intercept, exponents, .. } = global;
        Claim { signs: *signs, decay: *raw_decay, linear: *linear, intercept: *intercept, exponents: exponents.clone() }
    }
}

impl Fit {
    /// What can be proved about it, from scratch: that of its quadratic network, where it has one at the global optimum.
    /// A network narrower than the solution of the program needs the solution as witness; otherwise its own residual says
    /// as much.
    pub fn certified(&self, data: &Data, source: &Source, tolerance: f64) -> Result<Option<Certificate>> {
        let Some((network, global)) = self.certifiable() else { return Ok(None) };
        let (d, solution) = (data.d(), &global.solution);
        let narrow = network.width() < solution.network()?.width();
        let witness = narrow.then(|| Witness {
            M: (0..d).map(|a| solution.M.row(a).to_vec()).collect(),
            b: solution.linear.clone().unwrap_or_else(|| vec![0.0; d]),
            c: solution.intercept.unwrap_or(0.0),
        });
        let claim = Claim::from(global);
        Certificate::new(&[Theorem::GlobalOptimum], network, data, source, &claim, witness.as_ref(), tolerance)
            .map(Some)
    }
}

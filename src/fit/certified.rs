//! What is claimed about a fit: the one place where a fit meets the room of proofs.

use std::path::Path;

use super::{Family, Fit, Global, Outcome, Training};
use crate::certificate::{Certificate, Claim, Source, Theorem, Verdict, Witness};
use crate::data::Data;
use crate::error::{Error, RequestProblem, Result};

/// The relative gap up to which a network counts as optimal, unless another is asked for.
pub(crate) const USUAL_TOLERANCE: f64 = 1e-6;

/// How far, at most, a network is from the best one of its kind: two proved numbers, and the certificate that carries them.
///
/// ```
/// use shallows::{Data, Quadratic};
///
/// let data = Data::from_rows(&[[0.2, 1.0], [0.5, -1.0], [1.5, 0.3], [0.9, 2.0]], &[1.0, 0.3, 2.2, 4.1])?;
/// let proof = Quadratic::new().decay(0.01).fit(&data)?.certify(&data)?;
/// assert!(proof.lower_bound <= proof.objective);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OptimumProof {
    /// The objective of the network is at most this.
    pub objective: f64,
    /// No network of its kind, of any width, has a lower objective than this; −∞ where nothing could be proved.
    pub lower_bound: f64,
    certificate: Certificate,
}

impl OptimumProof {
    /// Whether the gap is proved to be within the tolerance.
    pub fn verdict(&self) -> Verdict {
        self.certificate.verdict()
    }

    /// What the file holds.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// Write the certificate to a file; never half of it.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.certificate.save(path)
    }
}

impl From<&Global> for Claim {
    fn from(global: &Global) -> Self {
        let Global { signs, raw_decay, linear, intercept, exponents, .. } = global;
        Claim { signs: *signs, decay: *raw_decay, linear: *linear, intercept: *intercept, exponents: exponents.clone() }
    }
}

impl Fit {
    /// Prove how far, at most, its network is from the best one of its kind on the data that it was fitted to.
    ///
    /// # Errors
    /// Where it has no infinitely wide and no quadratic network at its global optimum: nothing can be proved about others.
    pub fn certify(&self, data: &Data) -> Result<OptimumProof> {
        let certificate = self.certified(data, &Source::default(), USUAL_TOLERANCE)?;
        let certificate = certificate.ok_or(Error::Request(RequestProblem::NothingToCertify))?;
        Ok(OptimumProof {
            objective: certificate.objective().unwrap_or(f64::INFINITY),
            lower_bound: certificate.lower_bound().unwrap_or(f64::NEG_INFINITY),
            certificate,
        })
    }

    /// What can be proved about it, from scratch: about every infinitely wide network that it has, and about its quadratic
    /// network, where that is a part of it or stands beside what has no wide networks.
    pub fn certified(&self, data: &Data, source: &Source, tolerance: f64) -> Result<Option<Certificate>> {
        let is_part = match &self.training {
            Training::Combined(combination) => {
                let quadratic = combination.contenders.iter().find(|contender| contender.family == Family::Quadratic);
                let weight = quadratic.and_then(|contender| contender.weight).unwrap_or(0.0);
                combination.outcome == Outcome::Combined && weight > 0.0
            }
            _ => false,
        };
        let wide = self.network.wide();
        let quadratic = self.certifiable().filter(|_| wide.is_empty() || is_part);
        let d = data.d();
        let parts = quadratic.map(|(network, global)| {
            // A network narrower than the solution of the program needs the solution as witness; otherwise its own
            // residual says as much.
            let solution = &global.solution;
            let narrow = network.width() < solution.network()?.width();
            let witness = narrow.then(|| Witness {
                M: (0..d).map(|a| solution.M.row(a).to_vec()).collect(),
                b: solution.linear.clone().unwrap_or_else(|| vec![0.0; d]),
                c: solution.intercept.unwrap_or(0.0),
            });
            Ok::<_, Error>((network, Claim::from(global), witness))
        });
        let parts = parts.transpose()?;
        let beside = parts.as_ref().map(|(network, claim, witness)| (*network, claim, witness.as_ref()));
        match (wide.is_empty(), beside) {
            (false, beside) => Certificate::of_wide(wide, data, source, tolerance, beside),
            (true, Some((network, claim, witness))) => {
                Certificate::new(&[Theorem::GlobalOptimum], network, data, source, claim, witness, tolerance).map(Some)
            }
            (true, None) => Ok(None),
        }
    }
}

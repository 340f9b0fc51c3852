//! The designed objective F has no minima but the teacher: the search for a bound on σ_min(W*ᵀ), and the checker's word on it.

use shallows_verify::Matrix;
use shallows_verify::theorem::designed_landscape::{Claim, Proof, judge};

use crate::certificate::Judgement;
use crate::certificate::convert::for_checker;
use crate::certificate::file::ProvedClaim;
use crate::certificate::proposal::landscape::smallest_square;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::network::Network;

/// Apply the theorem to the units of a teacher and the parameters of F.
///
/// ```
/// use shallows::certificate::{Verdict, designed_landscape};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Network};
///
/// let teacher = Network::new(Activation::RELU, Matrix::identity(3), vec![1.0; 3])?;
/// assert_eq!(designed_landscape(&teacher, 0.1, 0.5, 50.0)?.verdict(), Verdict::Holds);
/// // The theorem asks for μ < 12.
/// assert_eq!(designed_landscape(&teacher, 0.1, 13.0, 50.0)?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn designed_landscape(teacher: &Network, sigma_4: f64, mu: f64, lambda: f64) -> Result<Judgement> {
    claimed(teacher, sigma_4, mu, lambda).map(ProvedClaim::into_judgement)
}

/// The claim for a file.
pub(in crate::certificate) fn claimed(teacher: &Network, sigma_4: f64, mu: f64, lambda: f64) -> Result<ProvedClaim> {
    let parameters = [(Parameter::FourthCoefficient, sigma_4), (Parameter::Mu, mu), (Parameter::Lambda, lambda)];
    if let Some((name, value)) = parameters.iter().find(|(_, value)| !value.is_finite()) {
        return Err(Error::parameter(*name, Requirement::Finite, *value));
    }
    let teacher = for_checker(teacher)?;
    let claim = Claim { fourth_coefficient: sigma_4, mu, lambda };
    let units = Matrix::from_fn(teacher.inputs(), teacher.width(), |j, l| teacher.W[(l, j)]);
    let proof = Proof { smallest: smallest_square(&units).smallest };
    let judgement = judge(&teacher, &claim, &proof)?;
    ProvedClaim::new(&claim, &proof, judgement)
}

//! Everything that theory promises for a start, before a single step is taken.

use shallows_verify::descent::{Flips, JacobianPart};

use super::plan::Proven;
use crate::activation::Activation;
use crate::certificate::convert::{for_checker, rows_for_checker};
use crate::certificate::file::ProvedClaim;
use crate::certificate::proposal::descent::{CheckedStart, ProvedGuarantee, TOLERANCE};
use crate::certificate::proposal::kernel;
use crate::certificate::theorem::{
    Guarantee, both_layers_converge, descent_converges, descent_converges_printed, random_features,
    relu_descent_converges, relu_descent_converges_printed,
};
use crate::certificate::{Judgement, Theorem};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::network::{Layers, Network};

/// The theorems that speak about a start, applied to it. [`promises`] shows its use.
#[derive(Clone, Debug)]
pub struct Promises {
    /// In the order of the catalogue.
    pub judgements: Vec<Judgement>,
    /// What is proved about training the hidden layer, if anything is.
    pub hidden: Option<(Theorem, Proven)>,
    /// What is proved about training both layers, if anything is.
    pub both: Option<(Theorem, Proven)>,
    /// The judgements with their proofs.
    pub(crate) claims: Vec<ProvedClaim>,
}

/// Apply every theorem about starts that speaks about this activation.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Theorem, promises};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], &[0.1, -0.1, 0.0])?;
/// let start = Start::Antisymmetric.network(&Activation::TANH, 400, 2, 1.0, 1)?;
///
/// let promises = promises(&start, &data)?;
/// let (theorem, proven) = promises.hidden.expect("wide enough for three rows");
/// assert_eq!(theorem, Theorem::DescentConverges);
/// assert!(proven.rate < 1.0 && proven.iterations(1e-6).is_some());
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn promises(network: &Network, data: &Data) -> Result<Promises> {
    promised(network, data, TOLERANCE)
}

/// The same; what counts as done is ‖r‖ ≤ tolerance·‖r₀‖.
pub(crate) fn promised(network: &Network, data: &Data, tolerance: f64) -> Result<Promises> {
    let (checked, rows) = (for_checker(network)?, rows_for_checker(data)?);
    let start = CheckedStart::new(&checked, rows, JacobianPart::Both)?;
    let spectrum = start.proposed(JacobianPart::Hidden)?;
    let features = random_features::proved(&start)?;
    if let Activation::Kinked(_) = network.activation {
        let flips = Flips::new(&checked, rows)?;
        let ours = relu_descent_converges::proved(&spectrum, &flips, tolerance)?;
        let hidden = named(&ours);
        let printed = relu_descent_converges_printed::proved(&start, &spectrum, &flips, tolerance)?;
        return Ok(Promises::new(vec![ours.claim, printed, features], hidden, None));
    }
    let ours = descent_converges::proved(&start, &spectrum, tolerance)?;
    let printed = descent_converges_printed::proved(&start, &spectrum, tolerance)?;
    let both = both_layers_converge::proved(&start, &start.proposed(JacobianPart::Both)?, tolerance)?;
    let (hidden, both_proven) = (named(&ours), named(&both));
    let wide = kernel::wide_enough(&network.activation, rows, network.width())?;
    let sgd = kernel::sgd_converges(&network.activation, rows, network.width())?;
    Ok(Promises::new(vec![ours.claim, printed, both.claim, features, wide, sgd], hidden, both_proven))
}

impl Promises {
    fn new(claims: Vec<ProvedClaim>, hidden: Option<(Theorem, Proven)>, both: Option<(Theorem, Proven)>) -> Promises {
        let judgements = claims.iter().map(|claim| claim.judgement().clone()).collect();
        Promises { judgements, hidden, both, claims }
    }
}

fn named(found: &ProvedGuarantee) -> Option<(Theorem, Proven)> {
    found.guarantee.proven.map(|proven| (found.guarantee.judgement.theorem, proven))
}

/// The theorem about training the hidden layer, or both layers, of this network.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Verdict, guarantee};
/// use shallows::network::Layers;
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[0.001, -0.001])?;
/// let start = Start::Antisymmetric.network(&Activation::RELU, 400, 2, 1.0, 1)?;
/// let guarantee = guarantee(&start, &data, Layers::Hidden)?;
/// assert_eq!(guarantee.judgement.verdict(), Verdict::Holds);
/// assert!(guarantee.proven.is_some());
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn guarantee(network: &Network, data: &Data, layers: Layers) -> Result<Guarantee> {
    match (layers, &network.activation) {
        (Layers::Both, _) => both_layers_converge::both_layers_converge(network, data),
        (Layers::Hidden, Activation::Kinked(_)) => relu_descent_converges::relu_descent_converges(network, data),
        (Layers::Hidden, Activation::Smooth(_)) => descent_converges::descent_converges(network, data),
        (Layers::HiddenAndAffine | Layers::Output, _) => {
            Err(Error::unsuitable("the trained part", "the hidden layer or both layers", format!("{layers:?}")))
        }
    }
}

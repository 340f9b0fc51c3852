//! Everything that theory promises for a start, before a single step is taken.

use super::flips::Flips;
use super::jacobian::{AtStart, JacobianPart, at_start, check_start};
use super::plan::Proven;
use super::units::curvature_bound;
use crate::activation::Activation;
use crate::certificate::theorem::descent_converges::{self, Guarantee};
use crate::certificate::theorem::{
    descent_converges_printed, relu_descent_converges, relu_descent_converges_printed, sgd_converges, wide_enough,
};
use crate::certificate::{Judgement, Theorem, both_layers_converge, random_features};
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
    check_start(network, data)?;
    let at = at_start(network, data, JacobianPart::Hidden);
    let named = |guarantee: &Guarantee| guarantee.proven.map(|proven| (guarantee.judgement.theorem, proven));
    let features = random_features(network, data)?;
    if let Activation::Kinked(_) = network.activation {
        let flips = Flips::new(network, data);
        let ours = relu_descent_converges::sharp(&at, &flips);
        let hidden = named(&ours);
        let printed = relu_descent_converges_printed::printed(network, &at, &flips);
        return Ok(Promises { judgements: vec![ours.judgement, printed, features], hidden, both: None });
    }
    let curvature = curvature_bound(&network.activation);
    let ours = descent_converges::sharp(Theorem::DescentConverges, &at, curvature);
    let printed = descent_converges_printed::printed(&at, curvature);
    let both = both_layers_converge(network, data)?;
    let (hidden, both_proven) = (named(&ours), named(&both));
    let wide = wide_enough::judged(&network.activation, data, network.width(), at.inputs);
    let sgd = sgd_converges::judged(&network.activation, data, network.width(), at.inputs);
    let judgements = vec![ours.judgement, printed, both.judgement, features, wide, sgd];
    Ok(Promises { judgements, hidden, both: both_proven })
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
        (Layers::Both, _) => both_layers_converge(network, data),
        (Layers::Hidden, Activation::Kinked(_)) => relu_descent_converges::relu_descent_converges(network, data),
        (Layers::Hidden, Activation::Smooth(_)) => descent_converges::descent_converges(network, data),
        (Layers::HiddenAndAffine | Layers::Output, _) => {
            Err(Error::unsuitable("the trained part", "the hidden layer or both layers", format!("{layers:?}")))
        }
    }
}

/// What is proved about training the hidden layer, for bounds at hand.
pub(in crate::certificate) fn hidden(activation: &Activation, at: &AtStart, flips: Option<&Flips>) -> Option<Proven> {
    match flips {
        Some(flips) => relu_descent_converges::sharp(at, flips).proven,
        None => descent_converges::sharp(Theorem::DescentConverges, at, curvature_bound(activation)).proven,
    }
}

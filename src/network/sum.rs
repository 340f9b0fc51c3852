//! A sum of networks over the same inputs: one hidden layer with several activations.

use super::{Network, Predict, check_length};
use crate::activation::Activation;
use crate::error::Result;
use crate::linalg::{Matrix, add_scaled};

/// f = Σ_g f_g with at most one network for each activation; the affine part belongs to the first.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::network::NetworkSum;
/// use shallows::{Activation, Network};
///
/// let network = |activation, v| Network::new(activation, Matrix::identity(1), vec![v]);
/// let sum = NetworkSum::new(vec![network(Activation::SQUARE, 1.0)?, network(Activation::ABS, 2.0)?])?;
/// assert_eq!(sum.predict(&Matrix::from_rows(&[[-3.0]]))?, [15.0]);
/// assert_eq!(sum.activations().count(), 2);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkSum {
    networks: Vec<Network>,
}

impl NetworkSum {
    /// Σ_g s_g f_g, with the units of one activation side by side and the affine parts added up.
    ///
    /// # Panics
    /// Without terms: the number of inputs would be unknown.
    pub fn weighted<'a>(terms: impl IntoIterator<Item = (f64, &'a Network)>) -> Result<Self> {
        let mut networks: Vec<Network> = vec![];
        for (factor, network) in terms {
            let mut term = network.clone();
            term.v.iter_mut().for_each(|v| *v *= factor);
            term.intercept = term.intercept.map(|c| c * factor);
            term.linear.iter_mut().flatten().for_each(|b| *b *= factor);
            match networks.iter_mut().find(|known| known.activation == term.activation) {
                Some(known) => *known = known.clone().merge(&term)?,
                None => networks.push(term),
            }
        }
        NetworkSum::new(networks)
    }

    /// The sum of networks with different activations.
    ///
    /// # Panics
    /// Without networks, or when two have the same activation.
    pub fn new(mut networks: Vec<Network>) -> Result<Self> {
        let repeated = |(g, network): (usize, &Network)| {
            networks[..g].iter().any(|earlier| earlier.activation == network.activation)
        };
        assert!(!networks.iter().enumerate().any(repeated), "one network for each activation");
        let [first, others @ ..] = networks.as_mut_slice() else { panic!("a sum of at least one network") };
        for other in others {
            check_length("inputs of a network in a sum", first.inputs(), other.inputs())?;
            let affine = Network {
                intercept: other.intercept.take(),
                linear: other.linear.take(),
                ..Network::affine(first.activation.clone(), 0.0, vec![0.0; first.inputs()])
            };
            *first = first.clone().merge(&affine)?;
        }
        let sum = NetworkSum { networks };
        sum.check()?;
        Ok(sum)
    }

    /// The networks, the one with the affine part first.
    pub fn networks(&self) -> &[Network] {
        &self.networks
    }

    /// The network, where there is only one.
    pub fn only(&self) -> Option<&Network> {
        if let [network] = self.networks.as_slice() { Some(network) } else { None }
    }

    /// Every network is sound.
    pub fn check(&self) -> Result<()> {
        self.networks.iter().try_for_each(Network::check)
    }

    /// The number of hidden units.
    pub fn width(&self) -> usize {
        self.networks.iter().map(Network::width).sum()
    }

    /// d, the number of inputs.
    pub fn inputs(&self) -> usize {
        self.networks[0].inputs()
    }

    /// The activations, in the order of the networks.
    pub fn activations(&self) -> impl Iterator<Item = &Activation> {
        self.networks.iter().map(|network| &network.activation)
    }

    /// f(x_i) for every row of X.
    pub fn predict(&self, X: &Matrix) -> Result<Vec<f64>> {
        let mut f = self.networks[0].predict(X)?;
        for network in &self.networks[1..] {
            add_scaled(&mut f, 1.0, &network.predict(X)?);
        }
        Ok(f)
    }
}

impl Predict for NetworkSum {
    fn predict(&self, X: &Matrix) -> Result<Vec<f64>> {
        NetworkSum::predict(self, X)
    }
}

impl From<Network> for NetworkSum {
    fn from(network: Network) -> Self {
        NetworkSum { networks: vec![network] }
    }
}

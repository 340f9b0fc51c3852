//! What a model computes: networks of finite and of infinite width over the same inputs, added up.

use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, add_scaled};
use crate::network::{Network, NetworkSum, Predict};
use crate::wide::WideNetwork;

/// The activation that wide networks go by.
pub const WIDE: &str = "wide";

/// f = Σ_g f_g + Σ_m w_m f_m: a sum of finite networks, and wide networks with their weights; at least one of all.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::model::{Function, WideMember};
/// use shallows::wide::{LayerSet, WideNetwork};
/// use shallows::{Data, Network, Watch};
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0], [4.0]], &[0.0, 1.0, 4.0, 2.0])?;
/// let wide = WideNetwork::fitted(&data, &data.columns, LayerSet::RoughRelu, 0, Watch::silent()).expect("definite");
/// let half = Network::affine("relu".parse()?, 1.0, vec![0.0]);
/// let sum = Function::combined(Some(half.into()), vec![WideMember { weight: 0.5, network: wide.clone() }])?;
/// let x = Matrix::from_rows(&[[3.0]]);
/// assert_eq!(sum.predict(&x)?, [1.0 + 0.5 * wide.predict(&x)[0]]);
/// assert_eq!(sum.width(), None);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    finite: Option<NetworkSum>,
    wide: Vec<WideMember>,
}

/// A wide network and what it is multiplied by. [`Function`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct WideMember {
    /// The factor.
    pub weight: f64,
    /// The network.
    pub network: WideNetwork,
}

impl Function {
    /// The sum of these networks.
    ///
    /// # Errors
    /// Where there is none, or their inputs differ, or one is not sound.
    pub fn combined(finite: Option<NetworkSum>, wide: Vec<WideMember>) -> Result<Self> {
        let function = Function { finite, wide };
        function.check()?;
        Ok(function)
    }

    /// The finite networks.
    pub fn finite(&self) -> Option<&NetworkSum> {
        self.finite.as_ref()
    }

    /// The finite networks, one for each activation.
    pub fn networks(&self) -> &[Network] {
        self.finite.as_ref().map_or(&[], NetworkSum::networks)
    }

    /// The wide networks.
    pub fn wide(&self) -> &[WideMember] {
        &self.wide
    }

    /// The finite network, where there is only one and nothing else.
    pub fn only(&self) -> Option<&Network> {
        self.finite.as_ref().filter(|_| self.wide.is_empty()).and_then(NetworkSum::only)
    }

    /// The wide network, where there is only one and nothing else.
    pub fn only_wide(&self) -> Option<&WideNetwork> {
        match (self.finite.is_none(), self.wide.as_slice()) {
            (true, [WideMember { weight, network }]) if *weight == 1.0 => Some(network),
            _ => None,
        }
    }

    /// Every network is sound, there is at least one, and all have the same inputs.
    ///
    /// # Errors
    /// Where that is not so.
    pub fn check(&self) -> Result<()> {
        let finite = self.finite.as_ref().map(NetworkSum::inputs);
        let mut inputs = finite.into_iter().chain(self.wide.iter().map(|member| member.network.inputs()));
        let Some(expected) = inputs.next() else {
            return Err(Error::unsuitable("a function", "at least one network", "none"));
        };
        if let Some(found) = inputs.find(|inputs| *inputs != expected) {
            return Err(Error::Shape { what: "inputs of a network in a sum", expected, found });
        }
        self.finite.as_ref().map_or(Ok(()), NetworkSum::check)?;
        if self.wide.iter().any(|member| !member.weight.is_finite()) {
            return Err(Error::NotFinite { what: "the weights of a combination" });
        }
        self.wide.iter().try_for_each(|member| member.network.check())
    }

    /// The number of hidden units; `None` for infinitely many.
    pub fn width(&self) -> Option<usize> {
        self.finite.as_ref().filter(|_| self.wide.is_empty()).map(NetworkSum::width)
    }

    /// d, the number of inputs.
    pub fn inputs(&self) -> usize {
        match &self.finite {
            Some(finite) => finite.inputs(),
            None => self.wide.first().map_or(0, |member| member.network.inputs()),
        }
    }

    /// The activations of the finite networks in their order, and `wide` after them where there are wide ones.
    pub fn activations(&self) -> Vec<String> {
        let finite = self.finite.iter().flat_map(NetworkSum::activations).map(Activation::to_string);
        finite.chain((!self.wide.is_empty()).then(|| WIDE.to_owned())).collect()
    }

    /// f(x_i) for every row of X.
    ///
    /// # Errors
    /// When X does not have the inputs of the function.
    pub fn predict(&self, X: &Matrix) -> Result<Vec<f64>> {
        let mut f = match &self.finite {
            Some(finite) => finite.predict(X)?,
            None => vec![0.0; X.rows()],
        };
        for WideMember { weight, network } in &self.wide {
            add_scaled(&mut f, *weight, &Predict::predict(network, X)?);
        }
        Ok(f)
    }
}

impl Predict for Function {
    fn predict(&self, X: &Matrix) -> Result<Vec<f64>> {
        Function::predict(self, X)
    }
}

impl From<NetworkSum> for Function {
    fn from(finite: NetworkSum) -> Self {
        Function { finite: Some(finite), wide: vec![] }
    }
}

impl From<Network> for Function {
    fn from(network: Network) -> Self {
        NetworkSum::from(network).into()
    }
}

impl From<WideNetwork> for Function {
    fn from(network: WideNetwork) -> Self {
        Function { finite: None, wide: vec![WideMember { weight: 1.0, network }] }
    }
}

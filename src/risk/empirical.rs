//! The empirical loss L = ½ Σ ω_i r_i² of a network, with weight decay, and its derivatives.
//!
//! ω_i = 1/n, or the sample weights divided by their sum. With s = ω∘r the gradient is Jᵀs; the
//! Gauss–Newton product is Jᵀ(ω∘Jδ); the Hessian product adds the curvature of the activations
//! (see the block's formulas). For φ(z) = z² and more units than inputs everything goes through
//! M = Wᵀ Diag(v) W instead, at a cost that does not depend on the width.

use super::quadratic;
use super::{Escape, LeastSquares, Objective, Outlook, Quartic, Value, escape};
use crate::activation::Activation;
use crate::data::Data;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::linalg::{self, Matrix, add_scaled, dot};
use crate::network::{Block, Depth, Layers, Layout, Network};
use crate::watch::Watch;
use std::sync::Mutex;

/// The penalty on the weights. Biases and the affine part are never penalised.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::network::Layers;
/// use shallows::risk::{Decay, EmpiricalRisk, Objective};
/// use shallows::{Data, Network};
///
/// // f(x) = 2x² fits exactly: what is left is the penalty.
/// let data = Data::from_rows(&[[1.0]], &[2.0])?;
/// let network = Network::new("quadratic".parse()?, Matrix::from_rows(&[[1.0]]), vec![2.0])?;
/// let value = |layers, decay| {
///     let risk = EmpiricalRisk::new(&data, &network, layers, decay)?;
///     Ok::<f64, shallows::Error>(risk.value(&network.parameters(layers)).objective)
/// };
/// assert_eq!(value(Layers::Both, Decay::None)?, 0.0);
/// // (τ/2)(‖W‖² + ‖v‖²) and τΣ|v_l|‖w_l‖²
/// assert!((value(Layers::Both, Decay::Weights(0.1))? - 0.25).abs() < 1e-15);
/// assert!((value(Layers::Hidden, Decay::Path(0.1))? - 0.2).abs() < 1e-15);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decay {
    /// None.
    None,
    /// (τ/2)(‖W‖_F² + ‖v‖²).
    Weights(f64),
    /// τ Σ_j |v_j|‖w_j‖², which for z² is τ‖M‖_* at balanced weights. Only while v is not trained.
    Path(f64),
}

/// The loss of a network on data as a function of its trained parameters.
///
/// ```
/// use shallows::data::Data;
/// use shallows::linalg::Matrix;
/// use shallows::network::{Layers, Network};
/// use shallows::risk::{Decay, EmpiricalRisk, Objective};
///
/// // f(x) = (2x)² at x = 1, where the label is 1: the loss is ½·3².
/// let data = Data::from_rows(&[[1.0]], &[1.0])?;
/// let network = Network::new("quadratic".parse()?, Matrix::from_rows(&[[2.0]]), vec![1.0])?;
/// let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::None)?;
/// let mut gradient = [0.0];
/// let value = risk.gradient(&network.parameters(Layers::Hidden), &mut gradient);
/// assert_eq!((value.objective, gradient), (4.5, [12.0]));
/// # Ok::<(), shallows::error::Error>(())
/// ```
pub struct EmpiricalRisk<'a> {
    data: &'a Data,
    network: Network,
    layers: Layers,
    layout: Layout,
    omega: Vec<f64>,
    ridge: Vec<f64>,
    decay: Decay,
    /// The penalty on what is not trained.
    constant: f64,
    label_energy: f64,
    watch: Watch<'a>,
}

impl<'a> EmpiricalRisk<'a> {
    /// The risk of networks that share everything with `network` but the trained layers.
    pub fn new(data: &'a Data, network: &Network, layers: Layers, decay: Decay) -> Result<Self> {
        if data.d() != network.inputs() {
            let (expected, found) = (network.inputs(), data.d());
            return Err(Error::Shape { what: "inputs of the network", expected, found });
        }
        let layout = Layout::new(network, layers);
        let (ridge, constant) = ridge_of(network, layers, &layout, decay)?;
        let omega = data.omega();
        let label_energy = omega.iter().zip(&data.y).map(|(w, y)| w * y * y).sum();
        Ok(EmpiricalRisk {
            data,
            network: network.clone(),
            layers,
            layout,
            omega,
            ridge,
            decay,
            constant,
            label_energy,
            watch: Watch::silent(),
        })
    }

    /// Once somebody sets this flag, evaluations end soon and what they return means nothing: look at it afterwards.
    pub(crate) fn watched(self, watch: Watch<'a>) -> Self {
        EmpiricalRisk { watch, ..self }
    }

    fn is_interrupted(&self) -> bool {
        self.watch.is_over()
    }

    /// The network with these trained parameters.
    pub fn network_at(&self, theta: &[f64]) -> Network {
        let mut network = self.network.clone();
        network.set_parameters(self.layers, theta);
        network
    }

    /// Where the trained parameters lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The Gauss–Newton matrix Jᵀ Diag(ω) J (plus decay) times `direction`.
    pub fn gauss_newton_product(&self, theta: &[f64], direction: &[f64], product: &mut [f64]) {
        let network = self.network_at(theta);
        let sum = self.sum_blocks(&network, |block, sum, rows| {
            block.forward(rows.clone(), Depth::Slopes);
            let mut s_dot = block.push_forward(&self.layout, direction).to_vec();
            s_dot.iter_mut().zip(&self.omega[rows]).for_each(|(s, omega)| *s *= omega);
            block.pull_back(&self.layout, &s_dot, &mut sum.gradient);
        });
        product.copy_from_slice(&sum.gradient);
        self.add_ridge_product(direction, product);
    }

    /// True where the loss goes through M: z² without hidden biases, and more units than inputs.
    fn through_m(&self) -> bool {
        self.network.activation == Activation::SQUARE
            && self.network.bias.is_none()
            && self.network.width() > self.network.inputs()
    }

    fn value_of(&self, energy: f64, theta: &[f64]) -> Value {
        let penalty = 0.5 * theta.iter().zip(&self.ridge).map(|(t, tau)| tau * t * t).sum::<f64>();
        let relative_error = if self.label_energy > 0.0 { (energy / self.label_energy).sqrt() } else { energy.sqrt() };
        Value { objective: 0.5 * energy + penalty + self.constant, relative_error }
    }

    fn add_ridge_product(&self, direction: &[f64], product: &mut [f64]) {
        for ((p, tau), delta) in product.iter_mut().zip(&self.ridge).zip(direction) {
            *p += tau * delta;
        }
    }

    /// r∘ω of the rows last evaluated, and Σ ω r².
    fn signal(&self, block: &Block<'_>, rows: std::ops::Range<usize>) -> (Vec<f64>, f64) {
        let mut energy = 0.0;
        let signal = block.outputs().iter().zip(&self.data.y[rows.clone()]).zip(&self.omega[rows]);
        let signal = signal.map(|((f, y), omega)| {
            let r = f - y;
            energy += omega * r * r;
            omega * r
        });
        (signal.collect(), energy)
    }

    fn sum_blocks(
        &self,
        network: &Network,
        add: impl Fn(&mut Block<'_>, &mut Sum, std::ops::Range<usize>) + Sync,
    ) -> Sum {
        let most_rows = self.data.n().min(linalg::BLOCK_ROWS);
        // As many blocks of buffers as threads, not as many as partial sums: they are larger than the sums.
        let idle: Mutex<Vec<Block<'_>>> = Mutex::new(vec![]);
        let taken = || idle.lock().map_or(None, |mut idle| idle.pop());
        linalg::sum_over_rows(
            (self.data.n(), self.layout.len()),
            || Sum::zeros(self.layout.len()),
            |sum, rows| {
                if self.is_interrupted() {
                    return;
                }
                let mut block = taken().unwrap_or_else(|| Block::new(network, &self.data.X, most_rows));
                add(&mut block, sum, rows);
                if let Ok(mut idle) = idle.lock() {
                    idle.push(block);
                }
            },
            |sum, next| sum.add(&next),
        )
    }
}

impl Objective for EmpiricalRisk<'_> {
    fn dimension(&self) -> usize {
        self.layout.len()
    }

    fn value(&self, theta: &[f64]) -> Value {
        let network = self.network_at(theta);
        let energy = if self.through_m() {
            quadratic::energy(self.data, &self.omega, &network)
        } else {
            let sum = self.sum_blocks(&network, |block, sum, rows| {
                block.forward(rows.clone(), Depth::Values);
                sum.energy += self.signal(block, rows).1;
            });
            sum.energy
        };
        self.value_of(energy, theta)
    }

    fn gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Value {
        let network = self.network_at(theta);
        let energy = if self.through_m() {
            quadratic::gradient(self.data, &self.omega, &network, &self.layout, gradient)
        } else {
            let sum = self.sum_blocks(&network, |block, sum, rows| {
                block.forward(rows.clone(), Depth::Slopes);
                let (s, energy) = self.signal(block, rows);
                block.pull_back(&self.layout, &s, &mut sum.gradient);
                sum.energy += energy;
            });
            gradient.copy_from_slice(&sum.gradient);
            sum.energy
        };
        self.add_ridge_product(theta, gradient);
        self.value_of(energy, theta)
    }

    fn hessian_product(&self, theta: &[f64], direction: &[f64], product: &mut [f64]) {
        let network = self.network_at(theta);
        if self.through_m() {
            quadratic::hessian_product(self.data, &self.omega, &network, &self.layout, direction, product);
        } else {
            let sum = self.sum_blocks(&network, |block, sum, rows| {
                block.forward(rows.clone(), Depth::Curvatures);
                let (s, _) = self.signal(block, rows.clone());
                let mut s_dot = block.push_forward(&self.layout, direction).to_vec();
                s_dot.iter_mut().zip(&self.omega[rows]).for_each(|(s, omega)| *s *= omega);
                block.pull_back_curved(&self.layout, direction, &s, &s_dot, &mut sum.gradient);
            });
            product.copy_from_slice(&sum.gradient);
        }
        self.add_ridge_product(direction, product);
    }

    /// Of quadratic networks with fixed output weights, whose escape directions are known in closed form.
    fn known_escape(&self, theta: &[f64], curvature_tolerance: f64) -> Option<Vec<f64>> {
        let tau = match self.decay {
            Decay::None => 0.0,
            Decay::Path(tau) => tau,
            Decay::Weights(_) => return None,
        };
        if self.layout.W.is_empty() || self.layers.output() {
            return None;
        }
        let network = self.network_at(theta);
        let Outlook::Down(Escape { U, curvature, eigenvalue }) = escape(&network, self.data, tau).ok()? else {
            return None;
        };
        // Two curvatures the Hessian has for certain, for its size.
        let largest = network.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let size = dot(network.W.as_slice(), network.W.as_slice());
        let radial = Quartic::along(&network, self.data, tau, &network.W).ok()?.0[2];
        let scale = (2.0 * largest * eigenvalue.abs()).max(if size > 0.0 { 2.0 * radial / size } else { 0.0 });
        if !(curvature < -curvature_tolerance * scale) {
            return None;
        }
        let t = Quartic::along(&network, self.data, tau, &U).ok()?.minimiser();
        let mut step = vec![0.0; theta.len()];
        add_scaled(&mut step[self.layout.W.clone()], t, U.as_slice());
        (t != 0.0).then_some(step)
    }
}

impl LeastSquares for EmpiricalRisk<'_> {
    fn linearised(&self, theta: &[f64]) -> (Vec<f64>, Matrix) {
        let network = self.network_at(theta);
        let (n, p) = (self.data.n(), self.layout.len());
        let roots: Vec<f64> = self.omega.iter().map(|omega| omega.sqrt()).collect();
        let mut rho = vec![0.0; n];
        linalg::for_row_blocks(&mut rho, 1, |rows, out| {
            if self.is_interrupted() {
                return;
            }
            let mut block = Block::new(&network, &self.data.X, rows.len());
            block.forward(rows.clone(), Depth::Values);
            for (at, i) in rows.enumerate() {
                out[at] = roots[i] * (block.outputs()[at] - self.data.y[i]);
            }
        });
        let mut J = Matrix::zeros(n, p);
        linalg::for_row_blocks(J.as_mut_slice(), p, |rows, out| {
            if self.is_interrupted() {
                return;
            }
            let mut block = Block::new(&network, &self.data.X, rows.len());
            block.forward(rows.clone(), Depth::Slopes);
            block.write_jacobian(&self.layout, &roots[rows], out);
        });
        (rho, J)
    }

    fn ridge(&self) -> &[f64] {
        &self.ridge
    }
}

/// A partial sum over blocks of rows.
struct Sum {
    /// Σ ω r².
    energy: f64,
    /// Of whatever is being accumulated, one entry per trained parameter.
    gradient: Vec<f64>,
}

impl Sum {
    fn zeros(length: usize) -> Self {
        Sum { energy: 0.0, gradient: vec![0.0; length] }
    }

    fn add(&mut self, next: &Sum) {
        self.energy += next.energy;
        add_scaled(&mut self.gradient, 1.0, &next.gradient);
    }
}

/// The τ_j of the penalty ½Σ τ_j θ_j² on the trained parameters, and the penalty on the others.
fn ridge_of(network: &Network, layers: Layers, layout: &Layout, decay: Decay) -> Result<(Vec<f64>, f64)> {
    let mut ridge = vec![0.0; layout.len()];
    let (W, v) = (network.W.as_slice(), &network.v);
    let mut constant = 0.0;
    let tau = match decay {
        Decay::None => return Ok((ridge, 0.0)),
        Decay::Weights(tau) | Decay::Path(tau) => tau,
    };
    if !(tau >= 0.0 && tau.is_finite()) {
        return Err(Error::parameter(Parameter::Decay, Requirement::AtLeast(0.0), tau));
    }
    match (decay, layers) {
        (Decay::Path(_), _) if !layers.output() => {
            let d = network.inputs();
            for (j, v) in v.iter().enumerate() {
                ridge[layout.W.start + j * d..][..d].fill(2.0 * tau * v.abs());
            }
        }
        (Decay::Path(_), _) => {
            return Err(Error::unsuitable(
                "the layers trained with decay Σ|v_j|‖w_j‖²",
                "without the output weights (the penalty has a kink where one changes sign)",
                format!("{layers:?}"),
            ));
        }
        _ => {
            ridge[layout.W.clone()].fill(tau);
            ridge[layout.v.clone()].fill(tau);
            constant += if layout.W.is_empty() { 0.5 * tau * dot(W, W) } else { 0.0 };
            constant += if layout.v.is_empty() { 0.5 * tau * dot(v, v) } else { 0.0 };
        }
    }
    Ok((ridge, constant))
}

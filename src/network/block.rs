//! One block of rows on its way through a network: forward, and the two Jacobian products.
//!
//! With Z = XWᵀ + 1uᵀ, Φ = φ(Z) and Φ' = φ'(Z) of the block (rows×k),
//!
//! ```text
//! f    = Φ v + c + X b
//! J δ  = (Φ' ∘ (XUᵀ + 1u̇ᵀ)) v + Φ q + ċ + X ḃ                     δ = (U, u̇, q, ċ, ḃ)
//! Jᵀ s = ( Gᵀ X,  Gᵀ 1,  Φᵀ s,  1ᵀ s,  Xᵀ s ),   G = Φ' ∘ (s vᵀ)
//! ```
//!
//! Buffers stay in the second-level cache and are reused from block to block.

use std::ops::Range;

use super::{Layout, Network};
use crate::linalg::{Into, Matrix, View, add_scaled, dot, multiply};

/// How many derivatives of φ the forward pass prepares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Depth {
    /// φ
    Values,
    /// φ, φ'
    Slopes,
    /// φ, φ', φ''
    Curvatures,
}

/// Buffers for up to `capacity` rows.
pub(crate) struct Block<'a> {
    network: &'a Network,
    X: &'a Matrix,
    rows: Range<usize>,
    /// Z, then free for the tangents.
    z: Vec<f64>,
    pub(crate) phi: Vec<f64>,
    pub(crate) slope: Vec<f64>,
    pub(crate) curvature: Vec<f64>,
    f: Vec<f64>,
    tangent: Vec<f64>,
}

impl<'a> Block<'a> {
    pub(crate) fn new(network: &'a Network, X: &'a Matrix, capacity: usize) -> Self {
        let size = capacity * network.width();
        Block {
            network,
            X,
            rows: 0..0,
            z: vec![0.0; size],
            phi: vec![0.0; size],
            slope: Vec::new(),
            curvature: Vec::new(),
            f: vec![0.0; capacity],
            tangent: vec![0.0; capacity],
        }
    }

    /// Evaluate the network on these rows.
    pub(crate) fn forward(&mut self, rows: Range<usize>, depth: Depth) {
        let k = self.network.width();
        let size = rows.len() * k;
        self.rows = rows;
        if depth >= Depth::Slopes {
            self.slope.resize(self.z.len().max(size), 0.0);
        }
        if depth >= Depth::Curvatures {
            self.curvature.resize(self.z.len().max(size), 0.0);
        }
        project(&mut self.z[..size], self.X, self.rows.clone(), &self.network.W, self.network.bias.as_deref());
        let (z, phi) = (&self.z[..size], &mut self.phi[..size]);
        let activation = &self.network.activation;
        match depth {
            Depth::Values => activation.values(z, phi),
            Depth::Slopes => activation.slopes(z, phi, &mut self.slope[..size]),
            Depth::Curvatures => {
                activation.curvatures(z, phi, &mut self.slope[..size], &mut self.curvature[..size]);
            }
        }
        let Network { v, intercept, linear, .. } = self.network;
        for (at, i) in self.rows.clone().enumerate() {
            let affine = intercept.unwrap_or(0.0) + linear.as_ref().map_or(0.0, |b| dot(b, self.X.row(i)));
            self.f[at] = dot(&self.phi[at * k..][..k], v) + affine;
        }
    }

    /// f of the rows last evaluated.
    pub(crate) fn outputs(&self) -> &[f64] {
        &self.f[..self.rows.len()]
    }

    /// J δ for the rows last evaluated. Leaves Q = XUᵀ + 1u̇ᵀ in [`Block::pushed`].
    pub(crate) fn push_forward(&mut self, layout: &Layout, direction: &[f64]) -> &[f64] {
        let (k, size) = (self.network.width(), self.rows.len() * self.network.width());
        let [U, bias, q, intercept, linear] = [&layout.W, &layout.bias, &layout.v, &layout.intercept, &layout.linear]
            .map(|part| &direction[part.clone()]);
        if !U.is_empty() {
            let d = self.network.inputs();
            let offset = if bias.is_empty() { None } else { Some(bias) };
            project_with(&mut self.z[..size], self.X, self.rows.clone(), View::new(U, k, d), offset);
        }
        for (at, i) in self.rows.clone().enumerate() {
            let span = at * k..(at + 1) * k;
            let mut change = intercept.first().copied().unwrap_or(0.0);
            if !U.is_empty() {
                let (Q, slope) = (&self.z[span.clone()], &self.slope[span.clone()]);
                change += Q.iter().zip(slope).zip(&self.network.v).map(|((q, s), v)| q * s * v).sum::<f64>();
            }
            if !q.is_empty() {
                change += dot(&self.phi[span], q);
            }
            if !linear.is_empty() {
                change += dot(self.X.row(i), linear);
            }
            self.tangent[at] = change;
        }
        &self.tangent[..self.rows.len()]
    }

    /// Q of the last [`Block::push_forward`], rows×k.
    pub(crate) fn pushed(&self) -> &[f64] {
        &self.z[..self.rows.len() * self.network.width()]
    }

    /// Add Jᵀ s of the rows last evaluated to `sum`.
    pub(crate) fn pull_back(&mut self, layout: &Layout, s: &[f64], sum: &mut [f64]) {
        let k = self.network.width();
        if !layout.v.is_empty() {
            for (at, s) in s.iter().enumerate() {
                add_scaled(&mut sum[layout.v.clone()], *s, &self.phi[at * k..][..k]);
            }
        }
        self.pull_back_affine(layout, s, sum);
        if !layout.W.is_empty() {
            for (at, s) in s.iter().enumerate() {
                let span = at * k..(at + 1) * k;
                let pairs = self.z[span.clone()].iter_mut().zip(&self.slope[span]).zip(&self.network.v);
                pairs.for_each(|((g, slope), v)| *g = slope * v * s);
            }
            self.pull_back_hidden(layout, sum);
        }
    }

    /// Add (Gᵀ X, Gᵀ 1) to `sum`, where G (rows×k) has been written by [`Block::hidden_signal`].
    pub(crate) fn pull_back_hidden(&mut self, layout: &Layout, sum: &mut [f64]) {
        let k = self.network.width();
        let G = &self.z[..self.rows.len() * k];
        if !layout.bias.is_empty() && k > 0 {
            G.chunks_exact(k).for_each(|row| add_scaled(&mut sum[layout.bias.clone()], 1.0, row));
        }
        let block = self.X.view_rows(self.rows.clone());
        multiply(&mut sum[layout.W.clone()], View::new(G, self.rows.len(), k).t(), block, Into::Add);
    }

    /// The buffer that [`Block::pull_back_hidden`] reads, with φ' and φ'' beside it.
    pub(crate) fn hidden_signal(&mut self) -> (&mut [f64], &[f64], &[f64]) {
        let size = self.rows.len() * self.network.width();
        (&mut self.z[..size], &self.slope[..size], &self.curvature[..size])
    }

    fn pull_back_affine(&self, layout: &Layout, s: &[f64], sum: &mut [f64]) {
        if let Some(at) = layout.intercept.clone().next() {
            sum[at] += s.iter().sum::<f64>();
        }
        if !layout.linear.is_empty() {
            for (s, i) in s.iter().zip(self.rows.clone()) {
                add_scaled(&mut sum[layout.linear.clone()], *s, self.X.row(i));
            }
        }
    }
}

/// out ← XWᵀ + 1uᵀ on some rows.
fn project(out: &mut [f64], X: &Matrix, rows: Range<usize>, W: &Matrix, bias: Option<&[f64]>) {
    project_with(out, X, rows, W.view(), bias);
}

fn project_with(out: &mut [f64], X: &Matrix, rows: Range<usize>, W: View<'_>, bias: Option<&[f64]>) {
    let into = match bias {
        Some(bias) if !bias.is_empty() => {
            out.chunks_exact_mut(bias.len()).for_each(|row| row.copy_from_slice(bias));
            Into::Add
        }
        _ => Into::Replace,
    };
    multiply(out, X.view_rows(rows), W.t(), into);
}

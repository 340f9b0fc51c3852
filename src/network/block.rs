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
use crate::linalg::{Destination, Matrix, View, add_scaled, dot, multiply};

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
    /// Z, and after a product Q or G.
    z: Vec<f64>,
    phi: Vec<f64>,
    slope: Vec<f64>,
    curvature: Vec<f64>,
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

    /// J δ for the rows last evaluated. Z gives way to Q = XUᵀ + 1u̇ᵀ.
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

    /// Add Jᵀ s of the rows last evaluated to `sum`. Z gives way to G.
    pub(crate) fn pull_back(&mut self, layout: &Layout, s: &[f64], sum: &mut [f64]) {
        self.pull_back_output(layout, s, sum);
        if !layout.W.is_empty() {
            let k = self.network.width();
            for (at, s) in s.iter().enumerate() {
                let span = at * k..(at + 1) * k;
                let signal = self.z[span.clone()].iter_mut().zip(&self.slope[span]).zip(&self.network.v);
                signal.for_each(|((g, slope), v)| *g = slope * v * s);
            }
            self.pull_back_hidden(layout, sum);
        }
    }

    /// Add the second derivative of Σ ½ω_i r_i² along δ to `sum`, given s = ω∘r and ṡ = ω∘ṙ, ṙ = Jδ.
    ///
    /// To be called after [`Block::push_forward`] of δ = (U, u̇, q, ċ, ḃ), at depth `Curvatures`:
    /// H_v = (Φ'∘Q)ᵀ s + Φᵀ ṡ, and H_W = Gᵀ X with G = (Φ''∘Q∘1vᵀ + Φ'∘1qᵀ)∘s1ᵀ + Φ'∘(ṡ vᵀ).
    pub(crate) fn pull_back_curved(
        &mut self,
        layout: &Layout,
        direction: &[f64],
        s: &[f64],
        s_dot: &[f64],
        sum: &mut [f64],
    ) {
        self.pull_back_output(layout, s_dot, sum);
        if layout.W.is_empty() {
            return;
        }
        let k = self.network.width();
        let q = &direction[layout.v.clone()];
        for at in 0..s.len() {
            let span = at * k..(at + 1) * k;
            let (Q, slope, curvature) = (&mut self.z[span.clone()], &self.slope[span.clone()], &self.curvature[span]);
            if !q.is_empty() {
                let H_v = &mut sum[layout.v.clone()];
                (0..k).for_each(|j| H_v[j] += slope[j] * Q[j] * s[at]);
            }
            for j in 0..k {
                let v = self.network.v[j];
                let q = q.get(j).copied().unwrap_or(0.0);
                Q[j] = (curvature[j] * Q[j] * v + slope[j] * q) * s[at] + slope[j] * v * s_dot[at];
            }
        }
        self.pull_back_hidden(layout, sum);
    }

    /// Write the rows of J for the rows last evaluated, each scaled by its entry of `scale`.
    pub(crate) fn write_jacobian(&self, layout: &Layout, scale: &[f64], out: &mut [f64]) {
        let (k, d) = (self.network.width(), self.network.inputs());
        for (at, (row, i)) in out.chunks_exact_mut(layout.len()).zip(self.rows.clone()).enumerate() {
            let (x, span) = (self.X.row(i), at * k..(at + 1) * k);
            if !layout.W.is_empty() {
                for j in 0..k {
                    let s = scale[at] * self.network.v[j] * self.slope[span.start + j];
                    row[layout.W.start + j * d..][..d].iter_mut().zip(x).for_each(|(out, x)| *out = s * x);
                    if !layout.bias.is_empty() {
                        row[layout.bias.start + j] = s;
                    }
                }
            }
            let scaled_copy = |out: &mut [f64], from: &[f64]| {
                out.iter_mut().zip(from).for_each(|(out, from)| *out = scale[at] * from);
            };
            scaled_copy(&mut row[layout.v.clone()], &self.phi[span]);
            scaled_copy(&mut row[layout.intercept.clone()], &[1.0]);
            scaled_copy(&mut row[layout.linear.clone()], x);
        }
    }

    /// Add (Gᵀ X, Gᵀ 1) to `sum`; G (rows×k) stands in the buffer of Z.
    fn pull_back_hidden(&self, layout: &Layout, sum: &mut [f64]) {
        let k = self.network.width();
        let G = &self.z[..self.rows.len() * k];
        if !layout.bias.is_empty() {
            G.chunks_exact(k).for_each(|row| add_scaled(&mut sum[layout.bias.clone()], 1.0, row));
        }
        let block = self.X.view_rows(self.rows.clone());
        multiply(&mut sum[layout.W.clone()], View::new(G, self.rows.len(), k).t(), block, Destination::Add);
    }

    /// Add (Φᵀ s, 1ᵀ s, Xᵀ s) to `sum`.
    fn pull_back_output(&self, layout: &Layout, s: &[f64], sum: &mut [f64]) {
        let k = self.network.width();
        if !layout.v.is_empty() {
            for (at, s) in s.iter().enumerate() {
                add_scaled(&mut sum[layout.v.clone()], *s, &self.phi[at * k..][..k]);
            }
        }
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
            Destination::Add
        }
        _ => Destination::Replace,
    };
    multiply(out, X.view_rows(rows), W.t(), into);
}

//! φ from operators that every runtime has, in both precisions, without overflow on the way.
//!
//! ```text
//! softplus_b(z) = max(z, 0) + log1p(e^{−b|z|})/b         log1p(t) = t·log(u)/(u − 1), u = 1 + t;  t where u = 1
//! sigmoid_b(z)  = 1/(1 + e^{−bz})                        e^{…} = ∞ gives 0
//! erf(z)        = z P(z²) for |z| < 1,  sign(z)(1 − erfc|z|) beyond
//! gelu(z)       = max(z, 0) − |z| erfc(|z|/√2)/2         never a difference of nearly equal numbers
//! erfc(a)       = e^{−a²} Q(t)/(1 + 2a),  t = (a − 7/2)/(a + 7/2),  a ≥ 0
//! Σ c_r h_r(z)  = β₀,  β_r = c_r + z β_{r+1}/√(r+1) − √((r+1)/(r+2)) β_{r+2}        (Clenshaw)
//! ```
//!
//! P and Q are Chebyshev interpolants of erf(√q)/√q on [0, 1] and of (1 + 2a) e^{a²} erfc(a) on all of a ≥ 0,
//! computed with fifty digits and expanded in powers; what they leave out is below 3e−17. The sums of the
//! absolute coefficients are below 1.8, so Horner's rule adds no more than a few roundings.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use super::graph::{Graph, GraphEdge};
use crate::activation::{Activation, Kinked, Smooth};

/// P, from the constant term up.
const ERF_NEAR: [f64; 12] = [
    FRAC_2_SQRT_PI,
    -0.37612638903183543,
    0.1128379167094513,
    -0.026866170643256995,
    0.005223977607269946,
    -0.0008548325982543225,
    0.00012055295112667001,
    -1.4924740785377576e-05,
    1.6447471190594618e-06,
    -1.6208829856810202e-07,
    1.3721520406351094e-08,
    -7.798543850549947e-10,
];

/// Q, from the constant term up.
const ERFC_FAR: [f64; 24] = [
    1.2423492448711544,
    -0.1400091801376197,
    -0.010555596332221669,
    0.09751909515328706,
    -0.11508959816003075,
    0.08798315382403678,
    -0.04882332583088402,
    0.019099330953271165,
    -0.004215019879774186,
    -0.0003022679534333239,
    0.0005643842668705102,
    -0.00012151212091980101,
    -4.278173995954e-05,
    2.4260300984917994e-05,
    2.327330953779145e-06,
    -3.8140125844906927e-06,
    -4.3092373983169846e-08,
    6.014823849950395e-07,
    -8.611571571111118e-09,
    -9.640042531443578e-08,
    6.651894382364617e-10,
    1.3624442778699877e-08,
    6.040390099366404e-11,
    -1.1656687889201343e-09,
];
/// The a at which the variable of Q is 0.
const ERFC_MIDDLE: f64 = 3.5;

impl Graph {
    /// φ(z).
    pub(super) fn activation(&mut self, activation: &Activation, z: &GraphEdge) -> GraphEdge {
        match activation {
            Activation::Smooth(smooth) => self.smooth(smooth, z),
            Activation::Kinked(Kinked::Relu) => self.node("Relu", &[z]),
            Activation::Kinked(Kinked::Abs) => self.node("Abs", &[z]),
            Activation::Kinked(Kinked::LeakyRelu { slope }) => {
                let positive = self.node("Relu", &[z]);
                let opposite = self.node("Neg", &[z]);
                let negative = self.node("Relu", &[&opposite]);
                let negative = self.scaled(&negative, *slope);
                self.node("Sub", &[&positive, &negative])
            }
        }
    }

    fn smooth(&mut self, smooth: &Smooth, z: &GraphEdge) -> GraphEdge {
        match smooth {
            Smooth::Quadratic { alpha, beta, gamma } => self.polynomial(&[*gamma, *beta, *alpha], z),
            Smooth::Softplus { sharpness } => self.softplus(z, *sharpness),
            Smooth::Sigmoid { sharpness } => {
                let exponent = self.scaled(z, -sharpness);
                let t = self.node("Exp", &[&exponent]);
                let u = self.shifted(&t, 1.0);
                self.node("Reciprocal", &[&u])
            }
            Smooth::Tanh => self.node("Tanh", &[z]),
            Smooth::Erf => self.erf(z),
            Smooth::Gelu => self.gelu(z),
            Smooth::Cos => self.node("Cos", &[z]),
            Smooth::Hermite { coefficients } => self.hermite(coefficients, z),
        }
    }

    fn softplus(&mut self, z: &GraphEdge, sharpness: f64) -> GraphEdge {
        let positive = self.node("Relu", &[z]);
        let size = self.node("Abs", &[z]);
        let exponent = self.scaled(&size, -sharpness);
        let t = self.node("Exp", &[&exponent]);
        let rest = self.log1p(&t);
        let b = self.number(sharpness);
        let rest = self.node("Div", &[&rest, &b]);
        self.node("Add", &[&positive, &rest])
    }

    /// log(1 + t) for t ≥ 0: the rounding of u = 1 + t cancels in log(u)/(u − 1).
    fn log1p(&mut self, t: &GraphEdge) -> GraphEdge {
        let one = self.number(1.0);
        let u = self.node("Add", &[t, &one]);
        let log = self.node("Log", &[&u]);
        let rounded = self.node("Sub", &[&u, &one]);
        let ratio = self.node("Div", &[&log, &rounded]);
        let far = self.node("Mul", &[t, &ratio]);
        let tiny = self.node("Equal", &[&u, &one]);
        self.node("Where", &[&tiny, t, &far])
    }

    fn erf(&mut self, z: &GraphEdge) -> GraphEdge {
        let square = self.node("Mul", &[z, z]);
        let near = self.polynomial(&ERF_NEAR, &square);
        let near = self.node("Mul", &[z, &near]);
        let size = self.node("Abs", &[z]);
        let one = self.number(1.0);
        let tail = self.erfc(&size);
        let far = self.node("Sub", &[&one, &tail]);
        let sign = self.node("Sign", &[z]);
        let far = self.node("Mul", &[&sign, &far]);
        let is_near = self.node("Less", &[&size, &one]);
        self.node("Where", &[&is_near, &near, &far])
    }

    fn gelu(&mut self, z: &GraphEdge) -> GraphEdge {
        let positive = self.node("Relu", &[z]);
        let size = self.node("Abs", &[z]);
        let a = self.scaled(&size, FRAC_1_SQRT_2);
        let tail = self.erfc(&a);
        let tail = self.scaled(&tail, 0.5);
        let tail = self.node("Mul", &[&size, &tail]);
        self.node("Sub", &[&positive, &tail])
    }

    /// erfc(a) for a ≥ 0, to full relative precision.
    fn erfc(&mut self, a: &GraphEdge) -> GraphEdge {
        let below = self.shifted(a, -ERFC_MIDDLE);
        let above = self.shifted(a, ERFC_MIDDLE);
        let t = self.node("Div", &[&below, &above]);
        let Q = self.polynomial(&ERFC_FAR, &t);
        let twice = self.scaled(a, 2.0);
        let denominator = self.shifted(&twice, 1.0);
        let scaled = self.node("Div", &[&Q, &denominator]);
        let square = self.node("Mul", &[a, a]);
        let exponent = self.node("Neg", &[&square]);
        let gauss = self.node("Exp", &[&exponent]);
        self.node("Mul", &[&gauss, &scaled])
    }

    fn hermite(&mut self, coefficients: &[f64], z: &GraphEdge) -> GraphEdge {
        let mut next: Option<GraphEdge> = None; // β_{r+1}
        let mut second: Option<GraphEdge> = None; // β_{r+2}
        for (r, c) in coefficients.iter().enumerate().rev() {
            let c = self.number(*c);
            let r = r as f64;
            let mut beta = match &next {
                Some(next) => {
                    let slope = self.scaled(z, 1.0 / (r + 1.0).sqrt());
                    let product = self.node("Mul", &[&slope, next]);
                    self.node("Add", &[&product, &c])
                }
                // The highest coefficient still has to take the shape of z.
                None => {
                    let zeros = self.node("Sub", &[z, z]);
                    self.node("Add", &[&zeros, &c])
                }
            };
            if let Some(second) = &second {
                let second = self.scaled(second, ((r + 1.0) / (r + 2.0)).sqrt());
                beta = self.node("Sub", &[&beta, &second]);
            }
            second = next.replace(beta);
        }
        next.unwrap_or_else(|| self.node("Sub", &[z, z]))
    }

    /// Σ c_i x^i by Horner's rule.
    pub(super) fn polynomial(&mut self, coefficients: &[f64], x: &GraphEdge) -> GraphEdge {
        let mut rest = coefficients.iter().rev();
        let highest = rest.next().copied().unwrap_or(0.0);
        let mut sum = self.scaled(x, highest);
        for (at, c) in rest.enumerate() {
            if at > 0 {
                sum = self.node("Mul", &[&sum, x]);
            }
            sum = self.shifted(&sum, *c);
        }
        sum
    }

    pub(super) fn scaled(&mut self, x: &GraphEdge, factor: f64) -> GraphEdge {
        let factor = self.number(factor);
        self.node("Mul", &[x, &factor])
    }

    pub(super) fn shifted(&mut self, x: &GraphEdge, by: f64) -> GraphEdge {
        let by = self.number(by);
        self.node("Add", &[x, &by])
    }
}

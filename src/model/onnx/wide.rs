//! Infinitely wide networks as operators.
//!
//! What belongs to a row (N×k) is in double precision; kernel values between rows and centres (N×n) are in that of the
//! network. Differences are added up input by input, so that nothing is larger than N×n:
//!
//! ```text
//! rank(x)   = r_1 + Σ_i (r_{i+1} − r_i) min(max((x − v_i)/(v_{i+1} − v_i), 0), 1)
//! f(x)      = mean + Σ_ℓ S_ℓ(z) Σ_g κ_ℓ(z, z_g) s_ℓ S_ℓ(z_g) α_g                  S = 1 for differences
//! asin c    = sign(c) a(|c|),  a = r + r q A(q) up to ½ with r = |c|, q = c²;  π/2 − 2(…) beyond with q = (1 − |c|)/2, r = √q
//! ```
//!
//! A is the polynomial of `activation/arcs.rs`. The affine layer is one linear function.

use std::f64::consts::{FRAC_1_PI, FRAC_2_PI, FRAC_PI_2, PI};

use super::graph::{Graph, GraphEdge};
use crate::activation::arcs::ARCSINE;
use crate::linalg::Matrix;
use crate::wide::{InputTransform, KernelLayer, LayerLaw, RankCurve, WideNetwork};

impl Graph {
    /// The inputs of the kernel, N×k doubles, from those of the model; `None` where nothing is kept.
    pub(super) fn transformed(&mut self, inputs: &GraphEdge, transform: &InputTransform) -> Option<GraphEdge> {
        let InputTransform { kept, ranks, mean, deviation, .. } = transform;
        let count = kept.len();
        if count == 0 {
            return None;
        }
        let mut z = self.chosen_columns(inputs, kept);
        if let Some(curves) = ranks {
            let columns = self.columns(&z, count);
            let ranks: Vec<GraphEdge> = columns.iter().zip(curves).map(|(x, curve)| self.rank(x, curve)).collect();
            z = self.side_by_side(&ranks);
        }
        let mean = self.doubles(&[count], mean);
        let deviation = self.doubles(&[count], deviation);
        let z = self.node("Sub", &[&z, &mean]);
        Some(self.node("Div", &[&z, &deviation]))
    }

    /// The ranks of a column.
    fn rank(&mut self, x: &GraphEdge, curve: &RankCurve) -> GraphEdge {
        let RankCurve { values, ranks } = curve;
        let steps = values.len() - 1;
        let differences = |numbers: &[f64]| numbers.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
        let first = self.doubles(&[1], &ranks[..1]);
        if steps == 0 {
            let zeros = self.node("Sub", &[x, x]);
            return self.node("Add", &[&zeros, &first]);
        }
        let lower = self.doubles(&[steps], &values[..steps]);
        let lengths = self.doubles(&[steps], &differences(values));
        let heights = self.doubles(&[steps, 1], &differences(ranks));
        let beyond = self.node("Sub", &[x, &lower]);
        let share = self.node("Div", &[&beyond, &lengths]);
        let (zero, one) = (self.doubles(&[], &[0.0]), self.doubles(&[], &[1.0]));
        let share = self.node("Clip", &[&share, &zero, &one]);
        let risen = self.node("MatMul", &[&share, &heights]);
        self.node("Add", &[&risen, &first])
    }

    /// The terms of weight·f that depend on the row, N×1 each, and the constant.
    pub(super) fn wide(&mut self, z: Option<&GraphEdge>, network: &WideNetwork, weight: f64) -> (Vec<GraphEdge>, f64) {
        let Some(z) = z else {
            let anywhere = network.predict(&Matrix::zeros(1, network.inputs()));
            return (vec![], weight * anywhere[0]);
        };
        let mut constant = weight * network.target_mean;
        let mut terms = vec![];
        for layer in &network.kernel.layers {
            let (rows, sizes) = layer.coordinates(&network.centres);
            // What h is divided by is here, and not in the graph: see `product`.
            let factor = match layer.law {
                LayerLaw::Relu => FRAC_1_PI,
                LayerLaw::Erf => FRAC_2_PI,
                _ => 1.0,
            };
            let factor = weight * layer.signal * factor;
            let coefficients: Vec<f64> =
                network.alpha.iter().zip(&sizes).map(|(alpha, size)| factor * size * alpha).collect();
            terms.push(match layer.law {
                LayerLaw::Affine => {
                    constant += coefficients.iter().sum::<f64>();
                    let slope = network.centres.transposed().times_vector(&coefficients);
                    let slope = self.doubles(&[slope.len()], &slope);
                    let sum = self.linear(z, &slope);
                    self.in_precision(&sum)
                }
                LayerLaw::RoughByInput | LayerLaw::Rough | LayerLaw::T3 | LayerLaw::T5 => {
                    let kappa = self.of_differences(z, layer, &rows);
                    self.weighted(&kappa, &coefficients)
                }
                LayerLaw::Relu | LayerLaw::Erf | LayerLaw::Quadratic => {
                    let (kappa, size) = self.of_products(z, layer, &rows);
                    let sum = self.weighted(&kappa, &coefficients);
                    match size {
                        Some(size) => self.node("Mul", &[&sum, &size]),
                        None => sum,
                    }
                }
            });
        }
        (terms, constant)
    }

    /// The kernel values of every row times the coefficients.
    fn weighted(&mut self, kappa: &GraphEdge, coefficients: &[f64]) -> GraphEdge {
        let coefficients = self.tensor(&format!("alpha_{}", self.tensors.len()), &[coefficients.len()], coefficients);
        self.product(kappa, &coefficients)
    }

    /// z/ℓ, doubles.
    fn scaled_inputs(&mut self, z: &GraphEdge, layer: &KernelLayer) -> GraphEdge {
        let inverse: Vec<f64> = layer.scales.iter().map(|scale| 1.0 / scale).collect();
        let inverse = self.doubles(&[inverse.len()], &inverse);
        self.node("Mul", &[z, &inverse])
    }

    /// κ of the differences of rows and centres, N×n.
    fn of_differences(&mut self, z: &GraphEdge, layer: &KernelLayer, centres: &Matrix) -> GraphEdge {
        let scaled = self.scaled_inputs(z, layer);
        let scaled = self.in_precision(&scaled);
        let columns = self.columns(&scaled, centres.cols());
        let mut terms = vec![];
        for (l, x) in columns.iter().enumerate() {
            let name = format!("centres_{}", self.tensors.len());
            let centres = self.tensor(&name, &[centres.rows()], &centres.column(l));
            let difference = self.node("Sub", &[x, &centres]);
            let term = match layer.law {
                LayerLaw::RoughByInput => self.node("Abs", &[&difference]),
                _ => self.node("Mul", &[&difference, &difference]),
            };
            // At once, so that no more than two of them are held.
            let sum = match terms.pop() {
                Some(sum) => self.node("Add", &[&sum, &term]),
                None => term,
            };
            terms.push(sum);
        }
        let s = self.side_by_side(&terms);
        let (distance, factor) = match layer.law {
            LayerLaw::RoughByInput => (s, None),
            LayerLaw::Rough => (self.node("Sqrt", &[&s]), None),
            LayerLaw::T3 => {
                let s = self.scaled(&s, 3.0);
                let a = self.node("Sqrt", &[&s]);
                let factor = self.shifted(&a, 1.0);
                (a, Some(factor))
            }
            _ => {
                let five = self.scaled(&s, 5.0);
                let a = self.node("Sqrt", &[&five]);
                let factor = self.shifted(&a, 1.0);
                let square = self.scaled(&s, 5.0 / 3.0);
                let factor = self.node("Add", &[&factor, &square]);
                (a, Some(factor))
            }
        };
        let exponent = self.node("Neg", &[&distance]);
        let tail = self.node("Exp", &[&exponent]);
        match factor {
            Some(factor) => self.node("Mul", &[&factor, &tail]),
            None => tail,
        }
    }

    /// h(c) between rows and centres but for its factor, N×n, and S of the rows, N×1, where it is not 1.
    fn of_products(&mut self, z: &GraphEdge, layer: &KernelLayer, centres: &Matrix) -> (GraphEdge, Option<GraphEdge>) {
        let mut a = self.scaled_inputs(z, layer);
        if layer.law.has_bias() {
            // β in every row, as many as there are.
            let sums = self.row_sums(&a);
            let zeros = self.node("Sub", &[&sums, &sums]);
            let bias = self.doubles(&[], &[layer.bias]);
            let bias = self.node("Add", &[&zeros, &bias]);
            a = self.side_by_side(&[a, bias]);
        }
        let squares = self.node("Mul", &[&a, &a]);
        let square = self.row_sums(&squares);
        let (divisor, size) = match layer.law {
            LayerLaw::Erf => {
                // √2 ã/√(1 + 2‖ã‖²) = ã/√(½ + ‖ã‖²)
                let half = self.doubles(&[], &[0.5]);
                let sum = self.node("Add", &[&square, &half]);
                (self.node("Sqrt", &[&sum]), None)
            }
            law => {
                let length = self.node("Sqrt", &[&square]);
                let least = self.doubles(&[], &[f64::MIN_POSITIVE]);
                let divisor = self.node("Max", &[&length, &least]);
                (divisor, Some(if law == LayerLaw::Quadratic { square } else { length }))
            }
        };
        let b = self.node("Div", &[&a, &divisor]);
        let b = self.in_precision(&b);
        let name = format!("centres_{}", self.tensors.len());
        let centres = self.tensor(&name, &[centres.cols(), centres.rows()], centres.transposed().as_slice());
        let c = self.node("MatMul", &[&b, &centres]);
        let h = match layer.law {
            LayerLaw::Relu => self.relu_kernel(&c),
            LayerLaw::Erf => {
                let c = self.cosine(&c);
                self.arcsine(&c)
            }
            _ => {
                let square = self.node("Mul", &[&c, &c]);
                let twice = self.scaled(&square, 2.0);
                self.shifted(&twice, 1.0)
            }
        };
        (h, size.map(|size| self.in_precision(&size)))
    }

    /// √(1−c²) + (π − arccos c)c.
    fn relu_kernel(&mut self, c: &GraphEdge) -> GraphEdge {
        let c = self.cosine(c);
        let opposite = self.node("Neg", &[&c]);
        let (below, above) = (self.shifted(&opposite, 1.0), self.shifted(&c, 1.0));
        let square = self.node("Mul", &[&below, &above]);
        let sine = self.node("Sqrt", &[&square]);
        let (arc, beyond) = self.reduced_arc(&c);
        // The angle between x and −x', at most a right one for c < 0.
        let twice = self.scaled(&arc, 2.0);
        let opposite = self.node("Neg", &[&arc]);
        let rest = self.shifted(&opposite, FRAC_PI_2);
        let acute = self.node("Where", &[&beyond, &twice, &rest]);
        let obtuse = self.node("Neg", &[&acute]);
        let obtuse = self.shifted(&obtuse, PI);
        let zero = self.number(0.0);
        let is_negative = self.node("Less", &[&c, &zero]);
        let angle = self.node("Where", &[&is_negative, &acute, &obtuse]);
        let product = self.node("Mul", &[&angle, &c]);
        self.node("Add", &[&product, &sine])
    }

    /// c, which rounding may have moved past ±1.
    fn cosine(&mut self, c: &GraphEdge) -> GraphEdge {
        let (least, most) = (self.number(-1.0), self.number(1.0));
        self.node("Clip", &[c, &least, &most])
    }

    /// asin c for |c| ≤ 1.
    fn arcsine(&mut self, c: &GraphEdge) -> GraphEdge {
        let (arc, beyond) = self.reduced_arc(c);
        let twice = self.scaled(&arc, -2.0);
        let rest = self.shifted(&twice, FRAC_PI_2);
        let size = self.node("Where", &[&beyond, &rest, &arc]);
        let sign = self.node("Sign", &[c]);
        self.node("Mul", &[&sign, &size])
    }

    /// asin |c| up to ½, asin √((1 − |c|)/2) beyond; and where it is beyond.
    fn reduced_arc(&mut self, c: &GraphEdge) -> (GraphEdge, GraphEdge) {
        let size = self.node("Abs", &[c]);
        let half = self.number(0.5);
        let beyond = self.node("Greater", &[&size, &half]);
        let scaled = self.scaled(&size, -0.5);
        let rest = self.shifted(&scaled, 0.5);
        let square = self.node("Mul", &[&size, &size]);
        let square = self.node("Where", &[&beyond, &rest, &square]);
        let root = self.node("Sqrt", &[&square]);
        let root = self.node("Where", &[&beyond, &root, &size]);
        let polynomial = self.polynomial(&ARCSINE, &square);
        let product = self.node("Mul", &[&root, &square]);
        let correction = self.node("Mul", &[&product, &polynomial]);
        (self.node("Add", &[&root, &correction]), beyond)
    }
}

//! **Interactions.** A network of quadratic units is the function f(x) = xᵀMx + bᵀx + c with M = Σ v_j w_j w_jᵀ: the
//! coefficient of x_a² is M_aa, that of x_a x_b is 2M_ab, in units of the target for each unit of the columns. Raw
//! coefficients depend on these units. With rows at hand, columns are measured in standard deviations from their means,
//! x = μ + Sz with S = Diag(σ), and the function is zᵀ(SMS)z + (S(b + 2Mμ))ᵀz + f(μ): its coefficients are in units of the
//! target and can be compared.
//!
//! **Inputs that are 0 or 1.** On every row x_a² = x_a, x_a x_b = 0 for two words of one column, and where a number has an
//! input for its gaps, x_a x_b = (what stands in a gap)·x_b. Such terms are added to the linear part, which changes no
//! prediction: M keeps what inputs do together.

use crate::activation::{Activation, Smooth};
use crate::data::recipe::InputKind;
use crate::data::{Recipe, scaling};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, add_scaled, dot, symmetric_eigen};
use crate::model::Function;
use crate::network::{Network, QuadraticForm};

/// A quadratic function, seen from the rows of a table where there are some.
///
/// ```
/// use shallows::fit::explain::Interactions;
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Network};
///
/// // (x₁ + x₂)² − (x₁ − x₂)² = 4x₁x₂: one term is left.
/// let W = Matrix::from_rows(&[[1.0, 1.0], [1.0, -1.0]]);
/// let interactions = Interactions::of(&Network::new(Activation::SQUARE, W, vec![1.0, -1.0])?.into());
/// let largest = &interactions.terms()[0];
/// assert_eq!((largest.a, largest.b, largest.coefficient), (0, 1, 4.0));
/// // In its own directions it is 2((x₁ + x₂)/√2)² − 2((x₁ − x₂)/√2)².
/// assert!((interactions.units()?[0].eigenvalue.abs() - 2.0).abs() < 1e-12);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Interactions {
    /// M, b and c in the units of the columns.
    pub form: QuadraticForm,
    /// Whether this is the whole network; otherwise units of other activations come on top.
    pub whole: bool,
    /// Mean and standard deviation of each input; none without rows.
    pub spread: Option<Spread>,
}

/// Where the values of each input lie. [`Interactions`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// μ.
    pub mean: Vec<f64>,
    /// σ, 0 for an input that does not vary.
    pub deviation: Vec<f64>,
}

/// The term of x_a x_b, or of x_a² where both are the same. [`Interactions`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// The first input.
    pub a: usize,
    /// The second, or the first again.
    pub b: usize,
    /// 2M_ab, or M_aa.
    pub coefficient: f64,
    /// The coefficient times σ_a σ_b, in units of the target.
    pub scaled: Option<f64>,
}

/// The term of one input alone. [`Interactions`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The input.
    pub a: usize,
    /// b_a.
    pub coefficient: f64,
    /// ((b + 2Mμ)_a) σ_a: what one standard deviation is worth at the mean of all inputs.
    pub scaled: Option<f64>,
}

/// A hidden unit in its own direction: an eigenvector of M, of SMS with rows. [`Interactions`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// The eigenvalue.
    pub eigenvalue: f64,
    /// Of length 1.
    pub direction: Vec<f64>,
}

/// Eigenvalues below this share of the largest are rounding of zero.
const NUMERICAL_ZERO: f64 = 1e-12;

impl Interactions {
    /// The quadratic and affine parts of a function; wide networks are no polynomials.
    pub fn of(f: &Function) -> Interactions {
        let d = f.inputs();
        let mut form = QuadraticForm { M: Matrix::zeros(d, d), linear: Some(vec![0.0; d]), intercept: Some(0.0) };
        let mut whole = f.wide().is_empty();
        for network in f.networks() {
            whole &= add_polynomial(&mut form, network);
        }
        Interactions { form, whole, spread: None }
    }

    /// The same function of the rows that a recipe makes, without products that say nothing of their own: squares of 0/1
    /// inputs, and products of inputs of one column.
    ///
    /// ```
    /// use std::path::Path;
    /// use shallows::data::{Reading, Table};
    /// use shallows::fit::explain::Interactions;
    /// use shallows::linalg::Matrix;
    /// use shallows::{Activation, Network};
    ///
    /// let text = "colour,y\nred,1\nred,1\nred,3\nblue,5\nblue,4\ngreen,2\ngreen,2\n";
    /// let recipe = Reading::default().learned(&Table::read_csv(text.as_bytes(), Path::new("paint.csv"))?)?.recipe;
    /// assert_eq!(recipe.input_names(), ["colour=blue", "colour=green"]);
    /// // (x₁ + x₂)² = x₁² + 2x₁x₂ + x₂², but no paint is blue and green.
    /// let network = Network::new(Activation::SQUARE, Matrix::from_rows(&[[1.0, 1.0]]), vec![1.0])?;
    /// let interactions = Interactions::of(&network.into()).folded(&recipe)?;
    /// assert!(interactions.is_affine());
    /// assert_eq!(interactions.form.linear, Some(vec![1.0, 1.0]));
    /// # Ok::<(), shallows::Error>(())
    /// ```
    pub fn folded(mut self, recipe: &Recipe) -> Result<Interactions> {
        let kinds = recipe.input_kinds();
        self.check_inputs(kinds.len())?;
        self.fold(&kinds);
        Ok(self)
    }

    fn check_inputs(&self, found: usize) -> Result<()> {
        let expected = self.form.M.rows();
        let problem = Error::Shape { what: "inputs of the network", expected, found };
        if found == expected { Ok(()) } else { Err(problem) }
    }

    /// x_a² = x_a where x_a is 0 or 1, x_a x_b = 0 for two of one column, x_a x_b = value·x_b for a number and its gaps.
    fn fold(&mut self, kinds: &[InputKind]) {
        let QuadraticForm { M, linear: Some(linear), .. } = &mut self.form else { return };
        for (a, kind) in kinds.iter().enumerate() {
            match *kind {
                InputKind::Number => {}
                InputKind::Filled { gap, value } => {
                    linear[gap] += 2.0 * value * M[(a, gap)];
                    (M[(a, gap)], M[(gap, a)]) = (0.0, 0.0);
                }
                InputKind::Indicator { .. } => {
                    linear[a] += M[(a, a)];
                    let exclusive = (0..kinds.len()).filter(|&b| kinds[b] == *kind);
                    exclusive.for_each(|b| M[(a, b)] = 0.0);
                }
            }
        }
    }

    /// The same, seen from the rows of a table. Numbers that are 0 or 1 in all of them count as such.
    pub fn with_rows(mut self, X: &Matrix) -> Result<Interactions> {
        let (n, d) = (X.rows(), X.cols());
        self.check_inputs(d)?;
        self.fold(&kinds_in_rows(X));
        let omega = vec![1.0 / n as f64; n];
        let columns = scaling::locations_and_scales(X.as_slice(), d, &omega, true);
        let varies = |a: usize| (1..n).any(|i| X[(i, a)] != X[(0, a)]);
        let deviation = (0..d).map(|a| if varies(a) && columns[a].1.is_finite() { columns[a].1 } else { 0.0 });
        let deviation = deviation.collect();
        self.spread = Some(Spread { mean: columns.iter().map(|(mean, _)| *mean).collect(), deviation });
        Ok(self)
    }

    /// Whether there is no term but those of single inputs.
    pub fn is_affine(&self) -> bool {
        self.form.M.as_slice().iter().all(|x| *x == 0.0)
    }

    /// SMS with rows, else M.
    pub fn comparable(&self) -> Matrix {
        let M = &self.form.M;
        match &self.spread {
            Some(Spread { deviation, .. }) => {
                Matrix::from_fn(M.rows(), M.cols(), |a, b| deviation[a] * M[(a, b)] * deviation[b])
            }
            None => M.clone(),
        }
    }

    /// The terms of two inputs, the strongest first: by what they are worth in standard deviations, by their
    /// coefficients without rows. Terms that are exactly zero are left out.
    pub fn terms(&self) -> Vec<Term> {
        let d = self.form.M.rows();
        let comparable = self.comparable();
        let mut terms: Vec<Term> = (0..d)
            .flat_map(|a| (a..d).map(move |b| (a, b)))
            .map(|(a, b)| {
                let factor = if a == b { 1.0 } else { 2.0 };
                let scaled = self.spread.as_ref().map(|_| factor * comparable[(a, b)]);
                Term { a, b, coefficient: factor * self.form.M[(a, b)], scaled }
            })
            .filter(|term| term.coefficient != 0.0)
            .collect();
        terms.sort_by(|one, other| {
            strength(other.scaled, other.coefficient).total_cmp(&strength(one.scaled, one.coefficient))
        });
        terms
    }

    /// The terms of single inputs, the strongest first, those that are exactly zero left out.
    pub fn slopes(&self) -> Vec<Slope> {
        let QuadraticForm { M, linear, .. } = &self.form;
        let linear = linear.as_deref().unwrap_or_default();
        let scaled = |a: usize| {
            let Spread { mean, deviation } = self.spread.as_ref()?;
            Some((linear[a] + 2.0 * dot(M.row(a), mean)) * deviation[a])
        };
        let mut slopes: Vec<Slope> =
            (0..linear.len()).map(|a| Slope { a, coefficient: linear[a], scaled: scaled(a) }).collect();
        slopes.retain(|slope| slope.coefficient != 0.0 || slope.scaled.is_some_and(|scaled| scaled != 0.0));
        slopes.sort_by(|one, other| {
            strength(other.scaled, other.coefficient).total_cmp(&strength(one.scaled, one.coefficient))
        });
        slopes
    }

    /// Whether terms are so much larger than the spread of the target that they must cancel each other: inputs that
    /// nearly determine others do that, and single coefficients then mean little.
    pub fn cancels(&self, target_deviation: f64) -> bool {
        const MANY_TIMES: f64 = 10.0;
        let largest = self.terms().first().and_then(|term| term.scaled).unwrap_or(0.0);
        largest.abs() > MANY_TIMES * target_deviation
    }

    /// The units of the network in their own directions, the largest eigenvalue first.
    pub fn units(&self) -> Result<Vec<Unit>> {
        let comparable = self.comparable();
        let (values, Q) = symmetric_eigen(&comparable).ok_or(Error::NotFinite { what: "the entries of M" })?;
        let largest = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
        let mut order: Vec<usize> = (0..values.len()).filter(|&j| values[j].abs() > NUMERICAL_ZERO * largest).collect();
        order.sort_by(|&i, &j| values[j].abs().total_cmp(&values[i].abs()));
        let unit = |j: usize| {
            let direction = Q.column(j);
            // A direction and its opposite are the same unit: the leading input is counted as positive.
            let leading = direction.iter().copied().max_by(|x, y| x.abs().total_cmp(&y.abs())).unwrap_or(1.0);
            let direction = direction.into_iter().map(|x| x * leading.signum()).collect();
            Unit { eigenvalue: values[j], direction }
        };
        Ok(order.into_iter().map(unit).collect())
    }
}

/// Inputs that are 0 or 1 in all of these rows, and both in some, each as a column of its own.
fn kinds_in_rows(X: &Matrix) -> Vec<InputKind> {
    let kind = |column: usize| {
        let is = |value: f64| (0..X.rows()).any(|i| X[(i, column)] == value);
        let is_binary = is(0.0) && is(1.0) && (0..X.rows()).all(|i| [0.0, 1.0].contains(&X[(i, column)]));
        if is_binary { InputKind::Indicator { column } } else { InputKind::Number }
    };
    (0..X.cols()).map(kind).collect()
}

fn strength(scaled: Option<f64>, coefficient: f64) -> f64 {
    scaled.unwrap_or(coefficient).abs()
}

/// Add what is quadratic in a network: all but units of other activations. Whether that was everything.
///
/// φ(w·x + u) with φ(z) = αz² + βz + γ is α(w·x)² + (2αu + β) w·x + αu² + βu + γ.
fn add_polynomial(form: &mut QuadraticForm, network: &Network) -> bool {
    let QuadraticForm { M, linear, intercept } = form;
    let (Some(linear), Some(intercept)) = (linear, intercept) else { return false };
    *intercept += network.intercept.unwrap_or(0.0);
    if let Some(b) = &network.linear {
        add_scaled(linear, 1.0, b);
    }
    let Activation::Smooth(Smooth::Quadratic { alpha, beta, gamma }) = network.activation else {
        return network.width() == 0;
    };
    let factors: Vec<f64> = network.v.iter().map(|v| alpha * v).collect();
    add_scaled(M.as_mut_slice(), 1.0, crate::network::weighted_product(&network.W, &factors, &network.W).as_slice());
    for (j, v) in network.v.iter().enumerate() {
        let u = network.bias.as_ref().map_or(0.0, |u| u[j]);
        add_scaled(linear, v * (2.0 * alpha * u + beta), network.W.row(j));
        *intercept += v * ((alpha * u + beta) * u + gamma);
    }
    true
}

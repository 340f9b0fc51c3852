//! Planted data: a teacher network, the law of its inputs, label noise.
//!
//! A teacher is an endless table. Its row i is drawn from streams that belong to (seed, i) alone, so any
//! range of rows can be had, in any order, on any number of threads, always with the same bits.

use std::ops::Range;
use std::str::FromStr;

use super::Data;
use crate::activation::Activation;
use crate::error::{Error, Parameter, RequestProblem, Requirement, Result};
use crate::linalg::{self, Matrix, norm, orthonormal_columns, symmetric_eigen};
use crate::network::Network;
use crate::random::{Purpose, Stream};

/// The law of the inputs.
///
/// ```
/// use shallows::data::teacher::{Design, Hidden, Outputs, Teacher};
///
/// let mut teacher = Teacher::plant("relu".parse()?, (2, 3), &Hidden::Gaussian, &Outputs::Signs, 1)?;
/// teacher.design = Design::Sphere;
/// let data = teacher.sample(0..10)?;
/// let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
/// assert!((0..10).all(|i| (norm(data.X.row(i)) - 1.0).abs() < 1e-12));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Design {
    /// x ~ N(0, I).
    Gaussian,
    /// x uniform on the unit sphere.
    Sphere,
    /// x ~ N(0, Σ), held as Σ^½.
    Covariance(Matrix),
}

impl Design {
    /// x ~ N(0, Σ) for a symmetric positive semidefinite Σ.
    pub fn covariance(sigma: &Matrix) -> Result<Self> {
        let d = sigma.rows();
        if sigma.cols() != d {
            return Err(Error::Shape { what: "columns of the covariance", expected: d, found: sigma.cols() });
        }
        let scale = sigma.as_slice().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let tolerance = 1e-12 * scale;
        let asymmetric = (0..d).any(|i| (0..i).any(|j| (sigma[(i, j)] - sigma[(j, i)]).abs() > tolerance));
        let eigen = if scale.is_finite() { symmetric_eigen(sigma) } else { None };
        match eigen {
            Some((values, Q)) if !asymmetric && values[0] >= -tolerance => {
                let roots: Vec<f64> = values.iter().map(|value| value.max(0.0).sqrt()).collect();
                let half = Matrix::from_fn(d, d, |i, j| Q[(i, j)] * roots[j]);
                Ok(Design::Covariance(half.times(&Q.transposed())))
            }
            _ => Err(Error::unsuitable(
                "the covariance",
                "a symmetric positive semidefinite matrix of finite numbers",
                format!("a {d}×{d} matrix that is not"),
            )),
        }
    }
}

/// The hidden weights W* to plant. A rank is a number; whoever plants networks of many sizes may have an expression for it.
/// [`Teacher`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub enum Hidden<Rank = usize> {
    /// Entries N(0, 1/d).
    Gaussian,
    /// Orthonormal rows; needs k ≤ d.
    Orthogonal,
    /// A product of two Gaussian factors, so of this rank, with rows of mean square norm 1.
    Rank(Rank),
    /// W*ᵀW* has these eigenvalues, and zeros beyond; directions uniformly random.
    Spectrum(Vec<f64>),
    /// These weights.
    Given(Matrix),
}

impl<Rank> Hidden<Rank> {
    /// The same with the number that the rank stands for.
    pub fn with_rank(&self, number: impl Fn(&Rank) -> usize) -> Hidden {
        match self {
            Hidden::Gaussian => Hidden::Gaussian,
            Hidden::Orthogonal => Hidden::Orthogonal,
            Hidden::Rank(rank) => Hidden::Rank(number(rank)),
            Hidden::Spectrum(values) => Hidden::Spectrum(values.clone()),
            Hidden::Given(W) => Hidden::Given(W.clone()),
        }
    }
}

/// The output weights v* to plant. [`Teacher`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub enum Outputs {
    /// All ones.
    Ones,
    /// ±1 with equal probability.
    Signs,
    /// Uniform between two numbers.
    Uniform(f64, f64),
    /// These weights.
    Given(Vec<f64>),
}

impl FromStr for Outputs {
    type Err = Error;

    /// ones, signs, uniform:LOW:HIGH, or numbers such as 1,-1,0.5
    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::Request(RequestProblem::Outputs(text.to_owned()));
        let numbers = |text: &str, between: char| -> Result<Vec<f64>> {
            text.split(between).map(|part| part.trim().parse().map_err(|_| wrong())).collect()
        };
        match text.split_once(':') {
            Some(("uniform", range)) => match numbers(range, ':')?[..] {
                [low, high] => Ok(Outputs::Uniform(low, high)),
                _ => Err(wrong()),
            },
            Some(_) => Err(wrong()),
            None if text == "ones" => Ok(Outputs::Ones),
            None if text == "signs" => Ok(Outputs::Signs),
            None => Ok(Outputs::Given(numbers(text, ',')?)),
        }
    }
}

impl FromStr for Design {
    type Err = Error;

    /// gaussian or sphere
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "gaussian" => Ok(Design::Gaussian),
            "sphere" => Ok(Design::Sphere),
            _ => Err(Error::Request(RequestProblem::Design(text.to_owned()))),
        }
    }
}

/// More numbers than this are refused rather than left to exhaust the memory.
const MOST_NUMBERS: u128 = 1 << 31;

/// Refuse shapes (k, d) and numbers of samples that would not fit into memory.
///
/// ```
/// use shallows::data::teacher::check_size;
///
/// assert!(check_size((100, 100), 1_000_000).is_ok());
/// assert!(check_size((100, 100), u64::MAX).is_err());
/// ```
pub fn check_size((units, inputs): (usize, usize), samples: u64) -> Result<()> {
    let numbers = |rows: u128| rows * (inputs as u128 + 1);
    if samples == 0 || numbers(samples.into()).max(numbers(units as u128)) > MOST_NUMBERS {
        return Err(Error::Request(RequestProblem::Samples { samples, inputs, units }));
    }
    Ok(())
}

/// A planted network with the law of its data.
///
/// ```
/// use shallows::data::teacher::{Hidden, Outputs, Teacher};
///
/// let teacher = Teacher::plant("relu".parse()?, (3, 5), &Hidden::Orthogonal, &Outputs::Ones, 7)?;
/// let data = teacher.sample(0..100)?;
/// assert_eq!(teacher.network.predict(&data.X)?, data.y);
/// assert_eq!(teacher.sample(50..100)?.y, data.y[50..]);
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Teacher {
    /// f*, without biases and affine part unless set by hand.
    pub network: Network,
    /// The law of x.
    pub design: Design,
    /// Standard deviation of the label noise.
    pub noise: f64,
    /// The seed of everything random.
    pub seed: u64,
}

impl Teacher {
    /// Plant a network of the given shape. Inputs are Gaussian and labels noiseless until set otherwise.
    pub fn plant(
        activation: Activation,
        (k, d): (usize, usize),
        hidden: &Hidden,
        outputs: &Outputs,
        seed: u64,
    ) -> Result<Self> {
        if k == 0 || d == 0 {
            let name = if k == 0 { Parameter::Width } else { Parameter::Inputs };
            return Err(Error::parameter(name, Requirement::CountFrom(1), 0));
        }
        let W = planted_hidden(hidden, k, d, &mut Stream::new(seed, Purpose::Teacher, 0))?;
        let v = planted_outputs(outputs, k, &mut Stream::new(seed, Purpose::Teacher, 1))?;
        let network = Network::new(activation, W, v)?;
        Ok(Teacher { network, design: Design::Gaussian, noise: 0.0, seed })
    }

    /// These rows of the endless table.
    pub fn sample(&self, rows: Range<u64>) -> Result<Data> {
        if !(self.noise >= 0.0 && self.noise.is_finite()) {
            return Err(Error::parameter(Parameter::Noise, Requirement::AtLeast(0.0), self.noise));
        }
        let d = self.network.inputs();
        if let Design::Covariance(half) = &self.design
            && half.rows() != d
        {
            return Err(Error::Shape { what: "size of the covariance", expected: d, found: half.rows() });
        }
        let n = (rows.end.saturating_sub(rows.start)) as usize;
        let mut X = Matrix::zeros(n, d);
        linalg::for_row_blocks(X.as_mut_slice(), d, |block, out| {
            for (x, i) in out.chunks_exact_mut(d).zip(block) {
                self.draw_input(rows.start + i as u64, x);
            }
        });
        let mut y = self.network.predict(&X)?;
        if self.noise > 0.0 {
            linalg::for_row_blocks(&mut y, 1, |block, out| {
                for (y, i) in out.iter_mut().zip(block) {
                    *y += self.noise * Stream::new(self.seed, Purpose::Noise, rows.start + i as u64).normal();
                }
            });
        }
        let names = (1..=d).map(|j| format!("x{j}")).collect();
        Data::builder(X, y).names(names).build()
    }

    fn draw_input(&self, row: u64, x: &mut [f64]) {
        let mut stream = Stream::new(self.seed, Purpose::Inputs, row);
        stream.fill_normal(x);
        match &self.design {
            Design::Gaussian => {}
            Design::Sphere => {
                while norm(x) == 0.0 {
                    stream.fill_normal(x);
                }
                let length = norm(x);
                x.iter_mut().for_each(|x| *x /= length);
            }
            Design::Covariance(half) => x.copy_from_slice(&half.times_vector(x)),
        }
    }
}

fn planted_hidden(hidden: &Hidden, k: usize, d: usize, stream: &mut Stream) -> Result<Matrix> {
    let mut gaussian = |rows, cols| Matrix::from_fn(rows, cols, |_, _| stream.normal());
    let parameter = |name, requirement, value: String| Err(Error::parameter(name, requirement, value));
    let up_to_both = Requirement::CountBetween(1, k.min(d));
    match hidden {
        Hidden::Gaussian => Ok(scaled(gaussian(k, d), 1.0 / (d as f64).sqrt())),
        Hidden::Orthogonal if k > d => {
            parameter(Parameter::OrthogonalWidth, Requirement::CountBetween(1, d), k.to_string())
        }
        Hidden::Orthogonal => Ok(orthonormal_columns(&gaussian(d, k)).transposed()),
        Hidden::Rank(rank) if *rank == 0 || *rank > k.min(d) => {
            parameter(Parameter::Rank, up_to_both, rank.to_string())
        }
        Hidden::Rank(rank) => {
            let product = gaussian(k, *rank).times(&gaussian(*rank, d));
            Ok(scaled(product, 1.0 / (*rank as f64 * d as f64).sqrt()))
        }
        Hidden::Spectrum(values) if values.is_empty() || values.len() > k.min(d) => {
            parameter(Parameter::SpectrumLength, up_to_both, values.len().to_string())
        }
        Hidden::Spectrum(values) if values.iter().any(|s| !(*s >= 0.0 && s.is_finite())) => {
            parameter(Parameter::Eigenvalue, Requirement::AtLeast(0.0), format!("{values:?}"))
        }
        Hidden::Spectrum(values) => {
            let left = orthonormal_columns(&gaussian(k, values.len()));
            let right = orthonormal_columns(&gaussian(d, values.len()));
            let roots: Vec<f64> = values.iter().map(|s| s.sqrt()).collect();
            let left = Matrix::from_fn(k, values.len(), |i, j| left[(i, j)] * roots[j]);
            Ok(left.times(&right.transposed()))
        }
        Hidden::Given(W) if (W.rows(), W.cols()) != (k, d) => {
            Err(Error::unsuitable("the hidden weights", "width×inputs", format!("{}×{}", W.rows(), W.cols())))
        }
        Hidden::Given(W) => Ok(W.clone()),
    }
}

fn planted_outputs(outputs: &Outputs, k: usize, stream: &mut Stream) -> Result<Vec<f64>> {
    match outputs {
        Outputs::Ones => Ok(vec![1.0; k]),
        Outputs::Signs => Ok((0..k).map(|_| stream.sign()).collect()),
        Outputs::Uniform(low, high) if low <= high && (high - low).is_finite() => {
            Ok((0..k).map(|_| low + (high - low) * stream.uniform()).collect())
        }
        Outputs::Uniform(low, high) => Err(Error::unsuitable(
            "the range of output weights",
            "LOW:HIGH with LOW ≤ HIGH, both finite",
            format!("{low}:{high}"),
        )),
        Outputs::Given(v) if v.len() == k => Ok(v.clone()),
        Outputs::Given(v) => Err(Error::Shape { what: "output weights of the teacher", expected: k, found: v.len() }),
    }
}

fn scaled(mut A: Matrix, by: f64) -> Matrix {
    A.as_mut_slice().iter_mut().for_each(|a| *a *= by);
    A
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{dot, gram};

    fn plant(hidden: Hidden, k: usize, d: usize) -> Teacher {
        Teacher::plant(Activation::SQUARE, (k, d), &hidden, &Outputs::Ones, 5).unwrap()
    }

    #[test]
    fn the_spectrum_asked_for_is_the_spectrum_planted() {
        let teacher = plant(Hidden::Spectrum(vec![4.0, 1.0, 0.25]), 6, 5);
        let (values, _) = symmetric_eigen(&gram(&teacher.network.W)).unwrap();
        for (found, asked) in values.iter().zip([0.0, 0.0, 0.25, 1.0, 4.0]) {
            assert!((found - asked).abs() < 1e-13, "{values:?}");
        }
    }

    #[test]
    fn an_orthogonal_teacher_has_orthonormal_rows() {
        let W = plant(Hidden::Orthogonal, 4, 7).network.W;
        let G = gram(&W.transposed());
        assert!((0..16).all(|at| (G.as_slice()[at] - Matrix::identity(4).as_slice()[at]).abs() < 1e-14));
    }

    #[test]
    fn a_rank_two_teacher_has_two_nonzero_eigenvalues() {
        let (values, _) = symmetric_eigen(&gram(&plant(Hidden::Rank(2), 6, 5).network.W)).unwrap();
        assert!(values[2].abs() < 1e-14 && values[3] > 1e-3, "{values:?}");
    }

    #[test]
    fn rows_do_not_depend_on_the_range_they_are_asked_in() {
        let mut teacher = plant(Hidden::Gaussian, 3, 4);
        teacher.noise = 0.5;
        let whole = teacher.sample(0..700).unwrap();
        let part = teacher.sample(300..310).unwrap();
        assert_eq!(whole.X.row(305), part.X.row(5));
        assert_eq!(whole.y[300..310], part.y);
    }

    #[test]
    fn inputs_have_the_covariance_asked_for() {
        let sigma = Matrix::from_rows(&[[2.0, 0.6, 0.0], [0.6, 1.0, -0.3], [0.0, -0.3, 0.5]]);
        let mut teacher = plant(Hidden::Gaussian, 2, 3);
        teacher.design = Design::covariance(&sigma).unwrap();
        let n = 100_000;
        let G = gram(&teacher.sample(0..n).unwrap().X);
        for at in 0..9 {
            let found = G.as_slice()[at] / n as f64;
            // Var(x_a x_b) ≤ 2·2² here: five standard errors.
            assert!((found - sigma.as_slice()[at]).abs() < 5.0 * (8.0 / n as f64).sqrt(), "entry {at}: {found}");
        }
    }

    #[test]
    fn a_covariance_with_a_negative_eigenvalue_is_refused() {
        let sigma = Matrix::from_rows(&[[1.0, 2.0], [2.0, 1.0]]);
        assert!(Design::covariance(&sigma).is_err());
    }

    #[test]
    fn sphere_inputs_have_unit_length_and_no_direction() {
        let mut teacher = plant(Hidden::Gaussian, 2, 3);
        teacher.design = Design::Sphere;
        let X = teacher.sample(0..20_000).unwrap().X;
        assert!((0..X.rows()).all(|i| (norm(X.row(i)) - 1.0).abs() < 1e-15));
        let ones = vec![1.0 / 20_000.0; 20_000];
        let mean = (0..3).map(|j| dot(&X.column(j), &ones)).fold(0.0_f64, |most, m| most.max(m.abs()));
        assert!(mean < 5.0 * (1.0_f64 / 3.0 / 20_000.0).sqrt(), "{mean}");
    }

    #[test]
    fn noise_has_the_deviation_asked_for() {
        let mut teacher = plant(Hidden::Gaussian, 2, 3);
        let clean = teacher.sample(0..50_000).unwrap();
        teacher.noise = 0.3;
        let noisy = teacher.sample(0..50_000).unwrap();
        let variance = clean.y.iter().zip(&noisy.y).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 50_000.0;
        assert!((variance / 0.09 - 1.0).abs() < 5.0 * (2.0_f64 / 50_000.0).sqrt(), "{variance}");
    }
}

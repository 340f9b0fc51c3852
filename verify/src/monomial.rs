//! The functions of the inputs that quadratic functions are made of.

use serde::{Deserialize, Serialize};

/// A function of the inputs: 1, x_j or x_a x_b with a ≤ b. In a file `[]`, `[j]`, `[a, b]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<usize>", into = "Vec<usize>")]
pub enum Monomial {
    /// 1
    One,
    /// x_j
    Input(usize),
    /// x_a x_b, a ≤ b
    Product(usize, usize),
}

impl Monomial {
    /// 1 and the inputs, if they are among them, and all products of two inputs.
    pub fn all(d: usize, affine: bool) -> Vec<Monomial> {
        let mut all = if affine { vec![Monomial::One] } else { vec![] };
        all.extend((0..if affine { d } else { 0 }).map(Monomial::Input));
        all.extend((0..d).flat_map(|a| (a..d).map(move |b| Monomial::Product(a, b))));
        all
    }

    /// The inputs whose product it is.
    pub fn inputs(self) -> impl Iterator<Item = usize> {
        let (first, second) = match self {
            Monomial::One => (None, None),
            Monomial::Input(j) => (Some(j), None),
            Monomial::Product(a, b) => (Some(a), Some(b)),
        };
        first.into_iter().chain(second)
    }

    /// Whether every input that occurs passes a test.
    pub fn is_inside(self, contains: impl Fn(usize) -> bool) -> bool {
        self.inputs().all(contains)
    }

    /// Its value at x.
    pub fn value(self, x: &[f64]) -> f64 {
        self.inputs().fold(1.0, |product, j| product * x[j])
    }
}

impl TryFrom<Vec<usize>> for Monomial {
    type Error = &'static str;

    fn try_from(inputs: Vec<usize>) -> Result<Monomial, &'static str> {
        match inputs[..] {
            [] => Ok(Monomial::One),
            [j] => Ok(Monomial::Input(j)),
            [a, b] if a <= b => Ok(Monomial::Product(a, b)),
            _ => Err("a monomial is [], [j] or [a, b] with a ≤ b"),
        }
    }
}

impl From<Monomial> for Vec<usize> {
    fn from(monomial: Monomial) -> Vec<usize> {
        monomial.inputs().collect()
    }
}

//! Exact numbers and exact least squares.
//!
//! A double is a whole number times a power of two, and so are sums and products of doubles. Weights are divided by their sum
//! nowhere: every objective is multiplied by twice that sum instead. What is left of divisions is the one by a determinant at the
//! end of an elimination, and that is written as a quotient.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

use dashu_int::IBig;

/// m·2^e with an odd m, or 0·2^0.
#[derive(Clone, Debug, PartialEq)]
pub struct Dyadic {
    m: IBig,
    e: i64,
}

impl Dyadic {
    fn new(m: IBig, e: i64) -> Dyadic {
        match m.trailing_zeros() {
            None => Dyadic { m, e: 0 },
            Some(0) => Dyadic { m, e },
            Some(zeros) => Dyadic { m: m >> zeros, e: e + zeros as i64 },
        }
    }

    pub fn zero() -> Dyadic {
        Dyadic { m: IBig::ZERO, e: 0 }
    }

    pub fn one() -> Dyadic {
        Dyadic { m: IBig::ONE, e: 0 }
    }

    /// A double, which must be finite.
    pub fn from(x: f64) -> Dyadic {
        assert!(x.is_finite(), "{x} is no number");
        let bits = x.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i64, (bits & ((1 << 52) - 1)) as i64);
        let (m, e) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        Dyadic::new(IBig::from(if x.is_sign_negative() { -m } else { m }), e)
    }

    /// 2^e
    pub fn power(e: i64) -> Dyadic {
        Dyadic { m: IBig::ONE, e }
    }

    pub fn is_zero(&self) -> bool {
        self.m.is_zero()
    }

    /// −1, 0 or 1.
    pub fn sign(&self) -> i32 {
        self.m.cmp(&IBig::ZERO) as i32
    }

    pub fn square(&self) -> Dyadic {
        self * self
    }

    pub fn abs(&self) -> Dyadic {
        if self.sign() < 0 { -self } else { self.clone() }
    }

    /// self/by, which must be a dyadic number.
    fn divided(&self, by: &Dyadic) -> Dyadic {
        Dyadic::new(&self.m / &by.m, self.e - by.e)
    }
}

impl<'a> Mul<&'a Dyadic> for &Dyadic {
    type Output = Dyadic;
    fn mul(self, other: &'a Dyadic) -> Dyadic {
        if self.is_zero() || other.is_zero() {
            return Dyadic::zero();
        }
        Dyadic { m: &self.m * &other.m, e: self.e + other.e }
    }
}

impl<'a> Add<&'a Dyadic> for &Dyadic {
    type Output = Dyadic;
    fn add(self, other: &'a Dyadic) -> Dyadic {
        if self.is_zero() {
            return other.clone();
        }
        match self.e.cmp(&other.e) {
            _ if other.is_zero() => self.clone(),
            Ordering::Equal => Dyadic::new(&self.m + &other.m, self.e),
            Ordering::Less => Dyadic { m: &self.m + (&other.m << (other.e - self.e) as usize), e: self.e },
            Ordering::Greater => Dyadic { m: (&self.m << (self.e - other.e) as usize) + &other.m, e: other.e },
        }
    }
}

impl Neg for &Dyadic {
    type Output = Dyadic;
    fn neg(self) -> Dyadic {
        Dyadic { m: -&self.m, e: self.e }
    }
}

impl<'a> Sub<&'a Dyadic> for &Dyadic {
    type Output = Dyadic;
    fn sub(self, other: &'a Dyadic) -> Dyadic {
        self + &-other
    }
}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Dyadic) -> Option<Ordering> {
        Some((self - other).sign().cmp(&0))
    }
}

/// Σ aᵢbᵢ
pub fn dot<'a>(pairs: impl IntoIterator<Item = (&'a Dyadic, &'a Dyadic)>) -> Dyadic {
    pairs.into_iter().fold(Dyadic::zero(), |sum, (a, b)| &sum + &(a * b))
}

/// num/den with den > 0.
#[derive(Clone, Debug)]
pub struct Quotient {
    pub num: Dyadic,
    pub den: Dyadic,
}

impl Quotient {
    pub fn whole(num: Dyadic) -> Quotient {
        Quotient { num, den: Dyadic::one() }
    }

    pub fn plus(&self, other: &Dyadic) -> Quotient {
        Quotient { num: &self.num + &(other * &self.den), den: self.den.clone() }
    }

    pub fn minus(&self, other: &Quotient) -> Quotient {
        Quotient { num: &(&self.num * &other.den) - &(&other.num * &self.den), den: &self.den * &other.den }
    }

    pub fn times(&self, factor: &Dyadic) -> Quotient {
        Quotient { num: &self.num * factor, den: self.den.clone() }
    }
}

impl PartialEq for Quotient {
    fn eq(&self, other: &Quotient) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Quotient {
    fn partial_cmp(&self, other: &Quotient) -> Option<Ordering> {
        (&self.num * &other.den).partial_cmp(&(&other.num * &self.den))
    }
}

/// The least value of a quadratic function, and where it is.
pub struct LeastSquares {
    pub value: Quotient,
    /// Coefficients times `common`.
    pub coefficients: Vec<Dyadic>,
    /// A positive number.
    pub common: Dyadic,
}

/// The least Σᵢ wᵢ(Σₗ βₗzₗᵢ − yᵢ)² + 2Σₗ qₗβₗ over β, w > 0.
///
/// Columns that depend on those before them get β = 0: without q that costs nothing.
///
/// Bareiss' elimination of ((G, g), (gᵀ, Σwy²)), G = ZᵀWZ, g = ZᵀWy − q: every entry is a minor, so that divisions come out even, and
/// what is left in the corner, over the last pivot, is Σwy² − gᵀG⁻¹g.
pub fn least_squares(columns: &[Vec<Dyadic>], q: &[Dyadic], w: &[Dyadic], y: &[Dyadic]) -> LeastSquares {
    let D = columns.len();
    let weighted: Vec<Vec<Dyadic>> = columns.iter().map(|z| w.iter().zip(z).map(|(w, z)| w * z).collect()).collect();
    let weighted_y: Vec<Dyadic> = w.iter().zip(y).map(|(w, y)| w * y).collect();
    // Upper triangle with the right side as the last column.
    let mut A: Vec<Vec<Dyadic>> = (0..D)
        .map(|i| {
            let gram = (i..D).map(|j| dot(weighted[i].iter().zip(&columns[j])));
            gram.chain([&dot(weighted[i].iter().zip(y)) - &q[i]]).collect()
        })
        .collect();
    A.push(vec![dot(weighted_y.iter().zip(y))]);
    let mut last = Dyadic::one();
    let mut pivots = vec![];
    for k in 0..D {
        let (done, rest) = A.split_at_mut(k + 1);
        let row = &done[k];
        if row[0].is_zero() {
            continue;
        }
        for (i, below) in rest.iter_mut().enumerate() {
            let factor = &row[i + 1];
            for (j, a) in below.iter_mut().enumerate() {
                *a = (&(&row[0] * &*a) - &(factor * &row[i + 1 + j])).divided(&last);
            }
        }
        last = row[0].clone();
        pivots.push(k);
    }
    // Cramer: every βₗ times the last pivot is a determinant.
    let mut coefficients = vec![Dyadic::zero(); D];
    for &k in pivots.iter().rev() {
        let row = &A[k];
        let right = &row[D - k] * &last;
        let known = dot((k + 1..D).map(|j| (&row[j - k], &coefficients[j])));
        coefficients[k] = (&right - &known).divided(&row[0]);
    }
    LeastSquares { value: Quotient { num: A[D][0].clone(), den: last.clone() }, coefficients, common: last }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(list: &[f64]) -> Vec<Dyadic> {
        list.iter().map(|x| Dyadic::from(*x)).collect()
    }

    #[test]
    fn doubles_of_every_size_are_exact() {
        for x in [5e-324, -1e-310, 0.1, 1.0, -3.0, 1e300, f64::MAX] {
            let twice = &Dyadic::from(x) + &Dyadic::from(x);
            assert_eq!(twice, &Dyadic::from(x) * &Dyadic::from(2.0));
            assert_eq!((&twice - &Dyadic::from(x)).partial_cmp(&Dyadic::from(x)), Some(Ordering::Equal));
        }
        assert!(Dyadic::from(0.1) > Dyadic::from(0.1_f64.next_down()));
        assert!(&Dyadic::from(1e300) + &Dyadic::from(5e-324) > Dyadic::from(1e300));
    }

    #[test]
    fn least_squares_are_those_of_the_textbook() {
        // 1, 2, 4 at 0, 1, 2: the line 5/6 + 3x/2 leaves 1/6. The third column is the sum of the others.
        let columns = [vec![1.0; 3], vec![0.0, 1.0, 2.0], vec![1.0, 2.0, 3.0]].map(|z| numbers(&z));
        let (w, y) = (numbers(&[1.0; 3]), numbers(&[1.0, 2.0, 4.0]));
        let best = least_squares(&columns, &vec![Dyadic::zero(); 3], &w, &y);
        assert_eq!(best.value, Quotient { num: Dyadic::from(1.0), den: Dyadic::from(6.0) });
        let six = &Dyadic::from(6.0) * &best.coefficients[0];
        assert_eq!(six, &Dyadic::from(5.0) * &best.common);
        // (β − 1)² + (β − 3)² + 2·2β: β = 1 and 4 + 4.
        let best = least_squares(&[numbers(&[1.0; 2])], &numbers(&[2.0]), &numbers(&[1.0; 2]), &numbers(&[1.0, 3.0]));
        assert_eq!(best.value, Quotient::whole(Dyadic::from(8.0)));
        assert_eq!(best.coefficients[0], best.common);
    }
}

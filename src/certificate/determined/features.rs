//! The products of two inputs on the rows: xᵀMx is linear in them, and M is determined if and only if they are
//! independent.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::arithmetic::rows::ProofRows;
use crate::certificate::optimum::basis::Monomial;
use crate::data::Data;
use crate::error::Result;

pub(in crate::certificate) struct ProofFeatures<'a> {
    /// Columns of size about 1, every row of weight 1.
    pub rows: ProofRows<'a>,
    /// Whether 1 counts as an input.
    pub affine: bool,
}

impl<'a> ProofFeatures<'a> {
    /// On the rows of positive weight.
    pub(crate) fn new(data: &'a Data, affine: bool) -> Result<ProofFeatures<'a>> {
        let mut rows = ProofRows::new(data, 1.0).balanced();
        rows.check()?;
        // Which rows count matters here, not how much.
        rows.w.fill(1.0);
        rows.total = Enclosure::exactly(rows.n() as f64);
        Ok(ProofFeatures { rows, affine })
    }

    /// D.
    pub(crate) fn needed(&self) -> usize {
        dimension(self.rows.d(), self.affine)
    }

    /// 1 and the inputs, if they are among them, and all products of two inputs.
    pub(crate) fn columns(&self) -> Vec<Monomial> {
        let d = self.rows.d();
        let mut columns = if self.affine { vec![Monomial::One] } else { vec![] };
        columns.extend((0..if self.affine { d } else { 0 }).map(Monomial::Input));
        columns.extend((0..d).flat_map(|a| (a..d).map(move |b| Monomial::Product(a, b))));
        columns
    }

    /// The rows that differ; without affine part up to their sign, and without those that are zero.
    pub(crate) fn distinct(&self) -> usize {
        let X = &self.rows.X;
        let sign = |i: usize| {
            let first = X.row(i).iter().find(|x| **x != 0.0).copied().unwrap_or(0.0);
            if self.affine {
                1.0
            } else if first == 0.0 {
                0.0
            } else {
                first.signum()
            }
        };
        let signs: Vec<f64> = (0..X.rows()).map(sign).collect();
        let mut order: Vec<usize> = (0..X.rows()).filter(|&i| signs[i] != 0.0).collect();
        let compare = |a: &usize, b: &usize| {
            let pairs = X.row(*a).iter().zip(X.row(*b));
            let mut orders =
                pairs.map(|(x, y)| (signs[*a] * x).partial_cmp(&(signs[*b] * y)).unwrap_or(Ordering::Equal));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        order.sort_unstable_by(compare);
        order.dedup_by(|a, b| compare(a, b).is_eq());
        order.len()
    }

    /// At most so many rows, evenly spaced. What is independent on some rows is so on all.
    pub(crate) fn some_rows(&self, most: usize) -> ProofRows<'_> {
        let (n, rows) = (self.rows.n(), &self.rows);
        let count = most.min(n);
        let X = if count == n {
            Cow::Borrowed(&*rows.X)
        } else {
            let which: Vec<usize> = (0..count).map(|at| at * n / count).collect();
            Cow::Owned(rows.X.select_rows(&which))
        };
        ProofRows {
            X,
            y: vec![],
            w: vec![1.0; count],
            total: Enclosure::exactly(count as f64),
            shifts: rows.shifts.clone(),
        }
    }
}

/// Of the quadratic functions of d inputs.
pub(in crate::certificate) fn dimension(d: usize, affine: bool) -> usize {
    let inputs = d + usize::from(affine);
    inputs * (inputs + 1) / 2
}

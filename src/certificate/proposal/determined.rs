//! Proofs that rows determine a quadratic network, or that they do not.
//!
//! Independence is tried on a few rows, on all, and in a better basis. **Columns**: one that is exactly a combination of columns
//! before it (zero, a multiple of one of them, constant where 1 counts as an input, or a combination with small whole
//! coefficients) takes all its products with it. **Products**: x_a x_b = 0 in every row; a column of two values α, β has
//! (x − α)(x − β) = 0, a relation between x², x and 1 where there is a 1 (or a constant column in its place); where there is
//! none, two columns of one magnitude each have proportional squares. **Groups**: columns of few joint values. **Functions**: an
//! open direction whose coefficients are nearly whole may vanish exactly. The checker verifies all of it without rounding.

use shallows_verify::Monomial;
use shallows_verify::arithmetic::equal_products;
use shallows_verify::determined::dimension;
use shallows_verify::rows::{ProofRows, Rows};
use shallows_verify::theorem::determined::{Claim, Independence, Proof, Relation, Vanishing, judge};
use shallows_verify::{Judgement, Verdict};

use super::coordinates::coordinates;
use super::spans::{MOST_WORK, columns, dependent_inputs, most_superfluous, nearly_whole};
use crate::certificate::determined::{MOST_FEATURES, Span};
use crate::error::Result;

/// So many rows for each product are tried before all.
const ROWS_PER_FEATURE: usize = 2;
/// Beyond n·D² of this independence is not tried.
const MOST_WORK_FOR_ALL: f64 = 1e12;
/// Beyond this no better basis is looked for.
const MOST_WORK_FOR_A_BASIS: f64 = 4e9;
/// How often a basis is orthonormalised, from the cheapest on.
const PASSES: [usize; 3] = [1, 2, 4];

/// A proof, what the checker says about it, and what was found in words.
pub(in crate::certificate) struct ProvedSpan {
    pub proof: Proof,
    pub judgement: Judgement,
    pub reasons: Vec<String>,
}

/// The search for a proof on rows.
pub(in crate::certificate) struct SpanSearch<'a> {
    rows: Rows<'a>,
    claim: Claim,
    names: &'a [String],
    /// Of the proof, in which every column has a size of about 1; weights do not matter here, but for which rows count.
    scaled: ProofRows<'a>,
    /// D
    needed: usize,
    distinct: usize,
}

/// Nothing is proved by it.
fn nothing() -> Proof {
    Proof { independence: None, relations: vec![], groups: vec![], vanishing: vec![], rival: None }
}

impl<'a> SpanSearch<'a> {
    /// `rows` have weights, or none; `flat` are the same rows with weights 1, or 0 where they do not count.
    pub(in crate::certificate) fn new(
        rows: Rows<'a>,
        flat: Rows<'a>,
        affine: bool,
        names: &'a [String],
    ) -> Result<SpanSearch<'a>> {
        let scaled = coordinates(flat, 1.0, false)?;
        let inputs: Vec<usize> = (0..rows.d()).collect();
        let (needed, distinct) = (dimension(rows.d(), affine), scaled.joint_values(&inputs, !affine, usize::MAX));
        Ok(SpanSearch { rows, claim: Claim { affine }, names, scaled, needed, distinct })
    }

    /// The first proof that decides; one that decides nothing where none does.
    pub(in crate::certificate) fn prove(&self) -> Result<ProvedSpan> {
        let provable = self.distinct >= self.needed && self.needed <= MOST_FEATURES;
        if provable && let Some(found) = self.first_holding(self.direct_attempts())? {
            return Ok(found);
        }
        let (proof, reasons) = self.of_columns();
        let found = self.judged(proof, reasons)?;
        if found.judgement.verdict() != Verdict::Undecided || !provable {
            return Ok(found);
        }
        if let Some(found) = self.first_holding(self.attempts_in_a_basis())? {
            return Ok(found);
        }
        match self.of_groups() {
            Some((proof, reason)) => self.judged(proof, vec![reason]),
            None => Ok(found),
        }
    }

    /// What the open directions of a span refute where nothing else decided.
    pub(in crate::certificate) fn refute_by(&self, span: &Span) -> Result<Option<ProvedSpan>> {
        let vanishing = whole_functions(span);
        if vanishing.is_empty() {
            return Ok(None);
        }
        let reasons = span.open.iter().map(|direction| format!("{} is zero in every row", direction.form));
        let found = self.judged(Proof { vanishing, ..nothing() }, reasons.collect())?;
        Ok(Some(found).filter(|found| found.judgement.verdict() == Verdict::Fails))
    }

    fn judged(&self, proof: Proof, reasons: Vec<String>) -> Result<ProvedSpan> {
        let judgement = judge(self.rows, &self.claim, &proof)?;
        Ok(ProvedSpan { proof, judgement, reasons })
    }

    fn first_holding(&self, attempts: Vec<(usize, usize)>) -> Result<Option<ProvedSpan>> {
        for (rows, passes) in attempts {
            let rows = Some(rows).filter(|rows| *rows < self.scaled.n());
            let independence = Some(Independence { shifts: self.scaled.shifts.clone(), rows, passes });
            let found = self.judged(Proof { independence, ..nothing() }, vec![])?;
            if found.judgement.verdict() == Verdict::Holds {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Numbers of rows and of passes.
    fn direct_attempts(&self) -> Vec<(usize, usize)> {
        let (n, few) = (self.scaled.n(), ROWS_PER_FEATURE * self.needed);
        let bearable = |rows: &usize| *rows as f64 * (self.needed as f64).powi(2) <= MOST_WORK_FOR_ALL;
        let rows = if few < n { vec![few, n] } else { vec![n] };
        rows.into_iter().filter(bearable).map(|rows| (rows, 0)).collect()
    }

    fn attempts_in_a_basis(&self) -> Vec<(usize, usize)> {
        let most = (MOST_WORK_FOR_A_BASIS / (self.needed as f64).powi(2)) as usize;
        let rows = most.min(self.scaled.n());
        if rows < self.needed { vec![] } else { PASSES.map(|passes| (rows, passes)).to_vec() }
    }

    /// Relations of single columns and of products of two.
    fn of_columns(&self) -> (Proof, Vec<String>) {
        let mut found = ColumnRelations { rows: &self.scaled, affine: self.claim.affine, words: vec![] };
        let relations = found.relations(self.names);
        let kept: Vec<usize> =
            (0..self.rows.d()).filter(|j| relations.iter().all(|relation| relation.input != *j)).collect();
        let vanishing = found.vanishing(self.names, &kept);
        (Proof { relations, vanishing, ..nothing() }, found.words)
    }

    /// The group of columns with too few joint values that leaves the most open.
    fn of_groups(&self) -> Option<(Proof, String)> {
        let (d, affine) = (self.rows.d(), self.claim.affine);
        if self.scaled.n() as f64 * (d as f64).powi(3) > MOST_WORK {
            return None;
        }
        let inputs: Vec<usize> = (0..d).collect();
        let (group, values) = most_superfluous(&self.scaled, &inputs, &columns(d, affine, affine, true))?;
        let list: Vec<&str> = group.iter().map(|&j| self.names[j].as_str()).collect();
        let (list, count, present) = (list.join(", "), values.len(), dimension(group.len(), affine));
        let reason = format!("{list} take only {count} joint values, and have {present} products");
        Some((Proof { groups: vec![group], ..nothing() }, reason))
    }
}

/// Exact relations of columns on rows, with what is to be said about them.
struct ColumnRelations<'a> {
    rows: &'a ProofRows<'a>,
    affine: bool,
    words: Vec<String>,
}

impl ColumnRelations<'_> {
    fn x(&self, i: usize, j: usize) -> f64 {
        self.rows.raw(i)[j]
    }

    fn all(&self, holds: impl Fn(usize) -> bool) -> bool {
        (0..self.rows.n()).all(holds)
    }

    /// Columns that are combinations of columns before them.
    fn relations(&mut self, names: &[String]) -> Vec<Relation> {
        let d = self.rows.d();
        let small = self.rows.n() as f64 * (d as f64).powi(2) <= MOST_WORK;
        let combinations = if small { dependent_inputs(self.rows, self.affine) } else { vec![] };
        let (mut kept, mut relations): (Vec<usize>, Vec<Relation>) = (vec![], vec![]);
        for j in 0..d {
            let relation =
                |factor: f64, terms: Vec<(usize, f64)>, constant: f64| Relation { input: j, factor, terms, constant };
            let first = self.x(0, j);
            let name = &names[j];
            let (found, reason) = if self.all(|i| self.x(i, j) == 0.0) {
                (relation(1.0, vec![], 0.0), format!("{name} is zero in every row"))
            } else if self.affine && self.all(|i| self.x(i, j) == first) {
                (relation(1.0, vec![], first), format!("{name} is constant"))
            } else if let Some((l, z, x)) = kept.iter().find_map(|&l| self.multiple(j, l)) {
                (relation(z, vec![(l, x)], 0.0), format!("{name} is exactly a multiple of {}", names[l]))
            } else if let Some(whole) = combinations.iter().find(|relation| relation.input == j) {
                let terms = whole.terms.iter().map(|(l, p)| (*l, *p as f64)).collect();
                let words = format!("{name} is exactly a combination of columns before it");
                (relation(whole.factor as f64, terms, whole.constant as f64), words)
            } else {
                kept.push(j);
                continue;
            };
            relations.push(found);
            self.words.push(reason);
        }
        relations
    }

    /// l, z and x with z·x_j = x·x_l in every row; x_l is not zero in all of them.
    fn multiple(&self, j: usize, l: usize) -> Option<(usize, f64, f64)> {
        let first = (0..self.rows.n()).find(|&i| self.x(i, l) != 0.0)?;
        let (x, z) = (self.x(first, j), self.x(first, l));
        self.all(|i| equal_products((self.x(i, j), z), (self.x(i, l), x))).then_some((l, z, x))
    }

    /// Products of columns that are zero, or follow from others.
    fn vanishing(&mut self, names: &[String], kept: &[usize]) -> Vec<Vanishing> {
        let mut functions = Vec::new();
        for (a, b) in self.exclusive_pairs(kept) {
            self.words.push(format!("{}·{} is zero in every row", names[a], names[b]));
            let lead = Monomial::Product(a, b);
            functions.push(Vanishing { lead, terms: vec![(lead, 1.0, 1.0)] });
        }
        let unit = kept.iter().copied().find(|&j| !self.affine && self.all(|i| self.x(i, j) == self.x(0, j)));
        if self.affine || unit.is_some() {
            for &j in kept.iter().filter(|j| Some(**j) != unit) {
                let Some(function) = self.of_two_values(j, unit) else { continue };
                self.words.push(format!("{0} has only two values, so {0}² follows from {0}", names[j]));
                functions.push(function);
            }
            return functions;
        }
        let magnitude = |j: usize| self.x(0, j).abs();
        let of_one = |j: &usize| self.all(|i| self.x(i, *j).abs() == magnitude(*j));
        let of_one: Vec<usize> = kept.iter().copied().filter(of_one).collect();
        let Some((&first, others)) = of_one.split_first() else { return functions };
        for &j in others {
            let (lead, square, m, m_j) =
                (Monomial::Product(j, j), Monomial::Product(first, first), magnitude(first), magnitude(j));
            functions.push(Vanishing { lead, terms: vec![(lead, m, m), (square, -m_j, m_j)] });
        }
        self.words.extend(
            others.iter().map(|j| format!("{} has only one magnitude, and so has a column before it", names[*j])),
        );
        functions
    }

    /// (x_j − α)(x_j − β) = 0 for a column of two values, written with 1, or with a constant column in its place.
    fn of_two_values(&self, j: usize, unit: Option<usize>) -> Option<Vanishing> {
        let alpha = self.x(0, j);
        let beta = (0..self.rows.n()).map(|i| self.x(i, j)).find(|x| *x != alpha).unwrap_or(alpha);
        if !self.all(|i| self.x(i, j) == alpha || self.x(i, j) == beta) {
            return None;
        }
        let lead = Monomial::Product(j, j);
        let terms = match unit {
            None => [
                (lead, 1.0, 1.0),
                (Monomial::Input(j), -1.0, alpha),
                (Monomial::Input(j), -1.0, beta),
                (Monomial::One, alpha, beta),
            ],
            Some(u) => {
                let (c, both) = (self.x(0, u), Monomial::Product(j.min(u), j.max(u)));
                [(lead, c, c), (both, -c, alpha), (both, -c, beta), (Monomial::Product(u, u), alpha, beta)]
            }
        };
        let terms = terms.into_iter().filter(|(_, p, q)| *p != 0.0 && *q != 0.0).collect();
        Some(Vanishing { lead, terms })
    }

    /// Pairs of columns of which one is zero in every row.
    fn exclusive_pairs(&self, columns: &[usize]) -> Vec<(usize, usize)> {
        let words = self.rows.n().div_ceil(64);
        let nonzero = |j: usize| {
            let mut bits = vec![0_u64; words];
            (0..self.rows.n()).filter(|&i| self.x(i, j) != 0.0).for_each(|i| bits[i / 64] |= 1 << (i % 64));
            bits
        };
        let sparse: Vec<(usize, Vec<u64>)> = columns.iter().map(|&j| (j, nonzero(j))).collect();
        let mut pairs = Vec::new();
        for (at, (a, left)) in sparse.iter().enumerate() {
            let apart = |right: &[u64]| left.iter().zip(right).all(|(left, right)| left & right == 0);
            pairs.extend(sparse[at + 1..].iter().filter(|(_, right)| apart(right)).map(|(b, _)| (*a, *b)));
        }
        pairs
    }
}

/// The open directions with nearly whole coefficients, as functions that vanish, each with a monomial that no other has.
fn whole_functions(span: &Span) -> Vec<Vanishing> {
    let first = usize::from(span.affine);
    let monomial = |a: usize, b: usize| match (a.checked_sub(first), b.checked_sub(first)) {
        (Some(a), Some(b)) => Monomial::Product(a, b),
        (None, Some(j)) => Monomial::Input(j),
        _ => Monomial::One,
    };
    let functions = span.open.iter().filter_map(|direction| {
        let N = &direction.matrix;
        let pairs = (0..N.rows()).flat_map(|a| (a..N.rows()).map(move |b| (a, b)));
        let terms = pairs.map(|(a, b)| (monomial(a, b), if a == b { N[(a, a)] } else { 2.0 * N[(a, b)] }));
        let terms: Vec<(Monomial, f64)> = terms.filter(|(_, c)| *c != 0.0).collect();
        let (_, whole) = nearly_whole(&terms.iter().map(|(_, c)| *c).collect::<Vec<f64>>())?;
        let terms = terms.into_iter().zip(whole).map(|((z, _), p)| (z, p, 1.0));
        Some(terms.filter(|(_, p, _)| *p != 0.0).collect::<Vec<(Monomial, f64, f64)>>())
    });
    let functions: Vec<Vec<(Monomial, f64, f64)>> = functions.collect();
    let own = |at: usize, z: Monomial| {
        let others = functions.iter().enumerate().filter(|(other, _)| *other != at);
        others.flat_map(|(_, terms)| terms).all(|(other, ..)| *other != z)
    };
    let with_lead = |(at, terms): (usize, &Vec<(Monomial, f64, f64)>)| {
        let lead = terms.iter().map(|(z, ..)| *z).find(|z| own(at, *z))?;
        Some(Vanishing { lead, terms: terms.clone() })
    };
    functions.iter().enumerate().filter_map(with_lead).collect()
}

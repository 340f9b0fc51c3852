//! Rows that determine a quadratic network.
//!
//! # Proof
//! xᵀMx is linear in M, so two M agree on the rows exactly if their difference is orthogonal to every xᵢxᵢᵀ: M is determined
//! if and only if these span all symmetric matrices, of dimension D. That is so when the D products x_a x_b (with an affine
//! part also 1 and x_a: the rows are then (1, x)) are independent on the rows. W is determined up to what leaves
//! Σ v_l w_l w_lᵀ unchanged.

use crate::certificate::determined::features::ProofFeatures;
use crate::certificate::determined::relations::{self, Relations};
use crate::certificate::determined::{MOST_FEATURES, Span, proof};
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::data::Data;
use crate::error::Result;

/// Prove, refute or leave open that the rows determine a quadratic network, and say what they leave open.
///
/// ```
/// use shallows::certificate::{Verdict, determined};
/// use shallows::data::Data;
/// use shallows::linalg::Matrix;
///
/// // Three numbers make a symmetric 2×2 matrix; the third row tells x·y apart from x² and y².
/// let rows = |rows: &[[f64; 2]]| {
///     let names = vec!["a".into(), "b".into()];
///     Data::builder(Matrix::from_rows(rows), vec![0.0; rows.len()]).names(names).build()
/// };
/// let (judgement, _) = determined(&rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])?, false)?;
/// assert_eq!(judgement.verdict(), Verdict::Holds);
/// let (judgement, span) = determined(&rows(&[[1.0, 0.0], [0.0, 1.0]])?, false)?;
/// assert_eq!((judgement.verdict(), span.missing), (Verdict::Fails, 1));
/// # Ok::<(), shallows::error::Error>(())
/// ```
pub fn determined(data: &Data, affine: bool) -> Result<(Judgement, Span)> {
    let features = ProofFeatures::new(data, affine)?;
    let finding = ProvenSpan::new(&features, &data.names);
    let span =
        Span::new(&features, &data.names, finding.distinct, finding.rank_at_most(), finding.eigenvalue.is_some());
    let checks = finding.checks();
    let statement = |verdict| finding.statement(verdict, &features, &span);
    Ok((Judgement::new(Theorem::Determined, checks, finding.facts(), statement), span))
}

/// What is proved.
struct ProvenSpan {
    needed: usize,
    distinct: usize,
    relations: Relations,
    /// A proven positive lower bound.
    eigenvalue: Option<f64>,
}

impl ProvenSpan {
    fn new(features: &ProofFeatures<'_>, names: &[String]) -> ProvenSpan {
        let (needed, distinct) = (features.needed(), features.distinct());
        let provable = distinct >= needed && needed <= MOST_FEATURES;
        let mut finding = ProvenSpan { needed, distinct, relations: Relations::default(), eigenvalue: None };
        if provable {
            finding.eigenvalue = proof::direct(features);
        }
        if finding.eigenvalue.is_none() {
            finding.relations = relations::of_columns(features, names);
        }
        let open = |finding: &ProvenSpan| provable && finding.eigenvalue.is_none() && finding.relations.deficit == 0;
        if open(&finding) {
            finding.eigenvalue = proof::in_a_better_basis(features);
        }
        if open(&finding) {
            finding.relations = relations::of_groups(features, names);
        }
        finding
    }

    fn rank_at_most(&self) -> usize {
        self.distinct.min(self.needed - self.relations.deficit)
    }

    fn checks(&self) -> Vec<Check> {
        let [rows, relations, rank] = [0, 1, 2].map(|at| Theorem::Determined.text().hypotheses[at]);
        let needed = self.needed as f64;
        let rank = match self.eigenvalue {
            Some(_) => Check::count(rank, 0),
            None => Check::between(rank, -needed, self.rank_at_most() as f64 - needed),
        };
        let relations = Check::count(relations, -(self.relations.deficit as i64));
        vec![Check::count(rows, self.distinct as i64 - self.needed as i64), relations, rank]
    }

    fn facts(&self) -> Vec<Fact> {
        let fact = |name, value, about: &'static str| {
        let side = if about.contains("at least") { Side::AtLeast } else { Side::AtMost };
        Fact { name, value, side, about }
    };
        let mut facts = vec![
            fact("needed", self.needed as f64, "D, the dimension of all quadratic functions, exactly"),
            fact("distinct", self.distinct as f64, "the rows that differ by more than their sign, exactly"),
            fact("rank", self.rank_at_most() as f64, "the dimension of the span, from above"),
        ];
        facts.extend(self.eigenvalue.map(|value| {
            let about = "the least eigenvalue of the Gram matrix of the products, each scaled by a power of two to a \
                         length of about 1, from below";
            fact("least_eigenvalue", value, about)
        }));
        facts
    }

    fn statement(&self, verdict: Verdict, features: &ProofFeatures<'_>, span: &Span) -> String {
        let (needed, n) = (self.needed, features.rows.n());
        let networks = if features.affine { "quadratic networks with affine part" } else { "quadratic networks" };
        if verdict == Verdict::Holds {
            return format!(
                "any two {networks} that agree on these {n} rows are the same function: the {needed} products are \
                 independent there"
            );
        }
        let strict = format!("two {networks} can agree on these {n} rows and differ elsewhere");
        if self.distinct < needed {
            let distinct = self.distinct;
            return format!("{strict}: such a function has {needed} numbers, and only {distinct} rows differ");
        }
        if let Some(reason) = self.relations.words.first() {
            let more = self.relations.words.len() - 1;
            let more = if more > 0 { format!(", and {more} more exact relations") } else { String::new() };
            return format!("{strict}: {reason}{more}");
        }
        if needed > MOST_FEATURES {
            return format!("neither proved nor refuted: {needed} products are more than the {MOST_FEATURES} tried");
        }
        let (dimension, missing) = (span.dimension, span.missing);
        format!(
            "neither proved nor refuted: the span has about {dimension} of {needed} dimensions (an estimate); {missing} \
             more generic rows would close it"
        )
    }
}

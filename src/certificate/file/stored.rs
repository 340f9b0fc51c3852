//! The parts of a certificate file.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::compare::refuse_unless;
use super::{Source, problem};
use crate::activation::Activation;
use crate::certificate::words::{no_less, no_more, rounded_up};
use crate::certificate::{Check, Claim, Class, Judgement, Optimum, Theorem, Verdict};
use crate::data::{Data, Recipe};
use crate::error::{CertificatePart, CertificateProblem, Error, Result, excerpt};
use crate::linalg::Matrix;
use crate::network::Network;

/// One judgement as a file holds it, with what it says in words. It is what the file says: [`super::Certificate::verify`]
/// computes it again.
///
/// ```
/// use shallows::{Data, Quadratic, Verdict};
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0]], &[0.0, 3.0, 12.0])?;
/// let proof = Quadratic::new().decay(0.01).fit(&data)?.certify(&data)?;
/// let judgement = &proof.certificate().judgements()[0];
/// assert_eq!(judgement.verdict, Verdict::Holds);
/// assert!(judgement.lower_bound <= judgement.objective);
/// assert!(judgement.checks.iter().all(|check| check.margin >= check.error));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredJudgement {
    /// The theorem.
    pub theorem: Theorem,
    /// The worst verdict of its checks.
    pub verdict: Verdict,
    /// What it says, in one sentence.
    pub statement: String,
    /// At least P of the network; of `global-optimum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<f64>,
    /// At most P of every competitor; of `global-optimum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<f64>,
    /// The gap between the two, relative to what the sentence names; of `global-optimum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative_gap: Option<f64>,
    /// Who the competitors are; of `global-optimum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<StoredClass>,
    /// The hypotheses, measured.
    pub checks: Vec<StoredCheck>,
    /// What was proved in numbers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, f64>,
    /// The witness of `strict-saddle`, by rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Vec<Vec<f64>>>,
    /// A better network, where the given one is not the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub improvement: Option<Improvement>,
}

/// A hypothesis as a file holds it. [`StoredJudgement`] shows its use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredCheck {
    /// In our notation.
    pub hypothesis: String,
    /// Signed slack: at least 0 when the hypothesis is true.
    pub margin: f64,
    /// A proven bound on the error of the margin; 0 for counts.
    pub error: f64,
    /// What follows from the two.
    pub verdict: Verdict,
}

/// The competitors of `global-optimum`; `None` is no limit. [`StoredJudgement`] shows its use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredClass {
    /// In words.
    pub words: String,
    /// Whether there are limits.
    pub bounded: bool,
    /// On Σ|v_l|‖S w_l‖².
    pub nuclear: Option<f64>,
    /// On ‖S b‖.
    pub linear: Option<f64>,
    /// On |c|.
    pub intercept: Option<f64>,
}

/// A network that is provably better. [`StoredJudgement`] shows its use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Improvement {
    /// At least its P.
    pub objective: f64,
    network: Weights,
}

/// The rows that the claims are about, by their hash, and how a table becomes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RowsDescription {
    pub hash: String,
    rows: usize,
    inputs: Vec<String>,
    pub recipe: Recipe,
    pub target: String,
    pub weight: Option<String>,
    pub selected: Option<Vec<usize>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Weights {
    W: Vec<Vec<f64>>,
    v: Vec<f64>,
    u: Option<Vec<f64>>,
    c: Option<f64>,
    b: Option<Vec<f64>>,
}

/// What a statement is about.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    pub rows: usize,
    /// What is fitted, where it is not the target itself.
    pub target: Option<&'a str>,
}

impl StoredJudgement {
    pub(super) fn new(judgement: &Judgement, claim: &Claim, about: About<'_>) -> Result<StoredJudgement> {
        let optimum = judgement.optimum.as_ref();
        let finite = |what, numbers: &[f64]| {
            let sound = numbers.iter().all(|x| x.is_finite());
            if sound { Ok(()) } else { Err(problem(CertificateProblem::NotFinite { what })) }
        };
        if let Some(Optimum { objective, lower_bound, relative_gap, .. }) = optimum {
            finite("the objective or its lower bound", &[*objective, *lower_bound, *relative_gap])?;
        }
        judgement.checks.iter().try_for_each(|check| finite("a margin", &[check.margin, check.error]))?;
        let improvement = optimum.and_then(|optimum| optimum.improvement.as_ref());
        Ok(StoredJudgement {
            theorem: judgement.theorem,
            verdict: judgement.verdict(),
            statement: statement(judgement, claim, about),
            objective: optimum.map(|optimum| optimum.objective),
            lower_bound: optimum.map(|optimum| optimum.lower_bound),
            relative_gap: optimum.map(|optimum| optimum.relative_gap),
            class: optimum.map(|optimum| StoredClass::new(&optimum.class, claim)),
            checks: judgement.checks.iter().map(StoredCheck::new).collect(),
            facts: finite_facts(judgement),
            direction: judgement.direction.as_ref().map(|U| (0..U.rows()).map(|j| U.row(j).to_vec()).collect()),
            improvement: improvement
                .map(|(network, objective)| Improvement { objective: *objective, network: Weights::new(network) }),
        })
    }

    /// The witness as a matrix with d columns.
    pub(super) fn witness(&self, d: usize) -> Result<Option<Matrix>> {
        let Some(rows) = &self.direction else { return Ok(None) };
        match rows.iter().find(|row| row.len() != d) {
            Some(row) => Err(Error::Shape { what: "columns of the direction", expected: d, found: row.len() }),
            None => Ok(Some(Matrix::from_vec(rows.len(), d, rows.concat()))),
        }
    }
}

/// JSON has no infinity; what is infinite was not proved.
fn finite_facts(judgement: &Judgement) -> BTreeMap<String, f64> {
    let facts = judgement.facts.iter().filter(|fact| fact.value.is_finite());
    facts.map(|fact| (fact.name.to_owned(), fact.value)).collect()
}

/// Digits of a gap in words.
const GAP_DIGITS: usize = 2;

/// What a judgement says, in one sentence.
fn statement(judgement: &Judgement, claim: &Claim, about: About<'_>) -> String {
    let Some(optimum) = &judgement.optimum else { return judgement.statement.clone() };
    let class = optimum.class.words(claim);
    let penalty =
        if claim.decay == 0.0 { String::new() } else { format!(" + {:e}·Σ|v_l|‖S w_l‖²", claim.decay) };
    let better = optimum.improvement.as_ref();
    let better =
        better.map_or(String::new(), |(_, better)| format!("; a network with at most {} was found", no_less(*better)));
    let rows = about.rows;
    let target = about
        .target
        .map_or(String::new(), |target| format!(", with the target {} (rounded to doubles),", excerpt(target)));
    let (objective, bound) = (no_less(optimum.objective), no_more(optimum.lower_bound));
    let (gap, measure) = (rounded_up(optimum.relative_gap, GAP_DIGITS), optimum.measure.words(claim));
    format!(
        "on these {rows} rows{target} ½Σωr²{penalty} of the network is at most {objective}, and at least {bound} for \
         {class}; the gap is at most {gap} of {measure}{better}"
    )
}

impl StoredCheck {
    fn new(check: &Check) -> StoredCheck {
        let Check { hypothesis, margin, error } = check.clone();
        StoredCheck { hypothesis, margin, error, verdict: check.verdict() }
    }
}

impl StoredClass {
    fn new(class: &Class, claim: &Claim) -> StoredClass {
        let words = class.words(claim);
        match *class {
            Class::All => StoredClass { words, bounded: false, nuclear: None, linear: None, intercept: None },
            Class::Bounded { nuclear, linear, intercept } => {
                StoredClass { words, bounded: true, nuclear, linear, intercept }
            }
        }
    }
}

impl RowsDescription {
    /// Of samples that came about in this way; the recipe must give the inputs that are there.
    pub(super) fn new(data: &Data, source: &Source) -> Result<RowsDescription> {
        let recipe = source.recipe.clone().unwrap_or_else(|| Recipe::plain(data.names.clone()));
        let (names, selected) = (recipe.input_names(), source.rows.as_ref().map_or(data.n(), Vec::len));
        refuse_unless(names == data.names, (CertificatePart::Rows, "recipe"), &names, "one that gives other inputs")?;
        refuse_unless(
            selected == data.n(),
            (CertificatePart::Rows, "selected"),
            &selected,
            &format!("{} rows", data.n()),
        )?;
        // "These 768 rows" must not be one row 768 times.
        let repeated = source.rows.as_deref().and_then(first_repeated);
        let place = (CertificatePart::Rows, "selected");
        refuse_unless(repeated.is_none(), place, &repeated, "every row once")?;
        let target = source.target.clone().unwrap_or_else(|| data.target.clone());
        let fitted = recipe.target_name(&target);
        refuse_unless(
            fitted == data.target,
            (CertificatePart::Rows, "target"),
            &fitted,
            &format!("{:?}", data.target),
        )?;
        Ok(RowsDescription {
            hash: data.hash(),
            rows: data.n(),
            inputs: data.names.clone(),
            recipe,
            target,
            weight: source.weight.clone(),
            selected: source.rows.clone(),
        })
    }
}

/// A row that is there before.
fn first_repeated(rows: &[usize]) -> Option<usize> {
    let mut seen = HashSet::with_capacity(rows.len());
    rows.iter().copied().find(|row| !seen.insert(*row))
}

impl Weights {
    pub(super) fn new(network: &Network) -> Weights {
        Weights {
            W: (0..network.width()).map(|l| network.W.row(l).to_vec()).collect(),
            v: network.v.clone(),
            u: network.bias.clone(),
            c: network.intercept,
            b: network.linear.clone(),
        }
    }

    pub(super) fn network(&self, d: usize) -> Result<Network> {
        let Weights { W, v, u, c, b } = self.clone();
        if let Some(row) = W.iter().find(|row| row.len() != d) {
            return Err(Error::Shape { what: "columns of W in the certificate", expected: d, found: row.len() });
        }
        let W = Matrix::from_vec(W.len(), d, W.concat());
        let network = Network { activation: Activation::SQUARE, W, v, bias: u, intercept: c, linear: b };
        network.check()?;
        Ok(network)
    }
}

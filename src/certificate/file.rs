//! A certificate in a file: JSON that a person can read and a stranger can check.
//!
//! The file carries claims and the numbers that prove them, in the format that the checker specifies. Nothing in it is believed:
//! [`Certificate::verify`] hands it to the checker with the rows, and the checker judges every claim from the proof it
//! carries. Who wrote the file, and in which words, does not matter. A file is not trusted: its size is limited, unknown, missing and
//! repeated fields are refused.

mod compared;
mod earlier;
mod source;

use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use shallows_verify::certificate::{Facts, RowsDescription};
use shallows_verify::form::{OwnedRows, RowForm};
use shallows_verify::{CheckedClaim, Judgement, Side, StoredNetwork};

pub use compared::{CertifiedMembers, CertifiedPart};
pub use earlier::EarlierCertificate;
pub use shallows_verify::certificate::{StoredCheck, StoredClaim};
pub use source::{Source, check_inputs};

use super::convert::{for_checker, rows_for_checker};
use super::theorem::WideClaim;
use super::{Theorem, Verdict};
use crate::data::{Data, Recipe, Table, TargetScale};
use crate::error::{CertificateProblem, Error, Result};
use crate::file::{read_at_most, write_atomically};
use crate::linalg::Matrix;
use crate::model::Model;
use crate::network::Network;

/// A larger file is not read.
const MOST_BYTES: u64 = 1 << 28;
/// Bounds in a file are weaker than what was proved by this share, so that checkers with other rounding agree: 2⁻⁴⁰.
const WEAKENED: f64 = 1.0 / (1_u64 << 40) as f64;

/// Claims about one network on one set of rows, each with its proof, as a file holds them.
///
/// ```
/// use shallows::{Certificate, Data, Quadratic};
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0]], &[0.0, 3.0, 12.0])?;
/// let proof = Quadratic::new().decay(0.01).fit(&data)?.certify(&data)?;
/// let text = proof.certificate().to_json()?;
///
/// let certificate = Certificate::from_json(text.as_bytes())?;
/// assert!(certificate.lower_bound() <= certificate.objective());
/// certificate.verify(&data)?.require_holds()?;
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Certificate {
    stored: shallows_verify::Certificate,
}

/// One claim with its proof and what the checker says about it, on its way into a file.
#[derive(Clone, Debug)]
pub(crate) struct ProvedClaim {
    claim: Box<RawValue>,
    proof: Box<RawValue>,
    judgement: Judgement,
}

impl ProvedClaim {
    pub(crate) fn new(claim: &impl Serialize, proof: &impl Serialize, judgement: Judgement) -> Result<ProvedClaim> {
        let raw = |json: serde_json::Result<Box<RawValue>>| {
            json.map_err(|error| problem(CertificateProblem::NotCertificate { reason: error.to_string() }))
        };
        let claim = raw(serde_json::value::to_raw_value(claim))?;
        let proof = raw(serde_json::value::to_raw_value(proof))?;
        Ok(ProvedClaim { claim, proof, judgement })
    }

    /// What it says.
    pub(crate) fn judgement(&self) -> &Judgement {
        &self.judgement
    }

    /// What it says, without the proof.
    pub(crate) fn into_judgement(self) -> Judgement {
        self.judgement
    }

    fn stored(self, about: Option<&RowsDescription>) -> StoredClaim {
        let ProvedClaim { claim, proof, judgement } = self;
        StoredClaim {
            theorem: judgement.theorem,
            claim,
            proof,
            facts: weakened(&judgement),
            verdict: judgement.verdict(),
            checks: stored_checks(&judgement),
            statement: sentence(&judgement, about),
        }
    }
}

fn stored_checks(judgement: &Judgement) -> Vec<StoredCheck> {
    let stored = |check: &shallows_verify::Check| {
        // JSON has no NaN: such a margin says as much as one of 0 ± 1.
        let known = check.margin.is_finite() && check.error.is_finite();
        let (margin, error) = if known { (check.margin, check.error) } else { (0.0, 1.0) };
        StoredCheck { hypothesis: check.hypothesis.clone(), margin, error, verdict: check.verdict() }
    };
    judgement.checks.iter().map(stored).collect()
}

/// What a judgement says, after what it is about.
fn sentence(judgement: &Judgement, about: Option<&RowsDescription>) -> String {
    let about = about.map_or(String::new(), |rows| format!("{}: ", rows.words()));
    format!("{about}{}", judgement.statement)
}

/// Facts for a file: a little weaker than what was proved.
fn weakened(judgement: &Judgement) -> Facts {
    let weaker = |value: f64, side: Side| match side {
        Side::AtLeast => (value - WEAKENED * value.abs()).next_down(),
        Side::AtMost => (value + WEAKENED * value.abs()).next_up(),
        Side::Exactly => value,
    };
    let exact_zero = |value: f64| value == 0.0;
    let facts = judgement.facts.iter().filter(|fact| fact.value.is_finite()).map(|fact| {
        // Nothing is below zero where a bound is zero.
        let value = if exact_zero(fact.value) { 0.0 } else { weaker(fact.value, fact.side) };
        (fact.name.to_owned(), value)
    });
    let mut facts: Vec<(String, f64)> = facts.filter(|(_, value)| value.is_finite()).collect();
    let named = |name: &str| facts.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
    // Where the gap is the difference of two bounds, that between the numbers in the file is what a reader can recompute.
    // That of a wide network is a sum of squares, known more closely than either bound.
    let is_difference = judgement.theorem == Theorem::GlobalOptimum;
    if let (true, Some(objective), Some(bound), Some(measure)) =
        (is_difference, named("objective"), named("lower_bound"), named("measure"))
    {
        let gap = ((objective - bound).next_up() / measure).next_up();
        facts.iter_mut().filter(|(name, _)| name == "relative_gap").for_each(|(_, value)| *value = value.max(gap));
    }
    Facts(facts)
}

/// What the checker said about every claim. [`Certificate`] shows its use.
#[derive(Clone, Debug)]
pub struct Verified {
    claims: Vec<CheckedClaim>,
}

impl Verified {
    /// The worst verdict.
    pub fn verdict(&self) -> Verdict {
        self.claims.iter().map(CheckedClaim::verdict).max().unwrap_or(Verdict::Undecided)
    }

    /// One for each claim of the certificate, by the checker.
    pub fn claims(&self) -> &[CheckedClaim] {
        &self.claims
    }

    /// An error where the file says more than its proofs give.
    pub fn require_confirmed(self) -> Result<Verified> {
        let exaggerated = self.claims.iter().find_map(|claim| Some((claim, claim.objection.as_ref()?)));
        match exaggerated {
            Some((claim, objection)) => {
                let (theorem, objection) = (claim.judgement.theorem.id(), objection.to_string());
                Err(problem(CertificateProblem::NotConfirmed { theorem, objection }))
            }
            None => Ok(self),
        }
    }

    /// An error unless every claim holds. That a certificate is right does not mean that what was claimed is proved.
    pub fn require_holds(self) -> Result<Verified> {
        let verified = self.require_confirmed()?;
        match verified.claims.iter().find(|claim| claim.verdict() != Verdict::Holds) {
            Some(claim) => {
                let (theorem, verdict) = (claim.judgement.theorem.id(), claim.verdict().to_string());
                Err(problem(CertificateProblem::NotProved { theorem, verdict }))
            }
            None => Ok(verified),
        }
    }
}

impl Certificate {
    /// Of claims about a network on rows, with their proofs.
    pub(crate) fn of_claims(
        claims: Vec<ProvedClaim>,
        network: Option<&Network>,
        teacher: Option<&Network>,
        rows: Option<(&Data, &Source)>,
    ) -> Result<Certificate> {
        let stored = |network: &Network| Ok::<StoredNetwork, Error>(StoredNetwork::new(&for_checker(network)?));
        let rows = rows.map(|(data, source)| described(data, source)).transpose()?;
        let claims = claims.into_iter().map(|claim| claim.stored(rows.as_ref())).collect();
        let writer = format!("shallows {}", env!("CARGO_PKG_VERSION"));
        let network = network.map(stored).transpose()?;
        let teacher = teacher.map(stored).transpose()?;
        let stored = shallows_verify::Certificate::new(writer, rows, network, teacher, claims);
        stored.check_contents()?;
        Ok(Certificate { stored })
    }

    /// The fingerprint of the rows it is about, as [`Data::hash`] gives it; empty where it is about none.
    pub fn data_hash(&self) -> &str {
        self.stored.rows.as_ref().map_or("", |rows| &rows.hash)
    }

    /// The worst verdict of its claims, as the file says.
    pub fn verdict(&self) -> Verdict {
        self.claims().iter().map(|claim| claim.verdict).max().unwrap_or(Verdict::Undecided)
    }

    /// The verdict of one theorem, as the file says.
    pub fn verdict_of(&self, theorem: Theorem) -> Option<Verdict> {
        self.claims().iter().find(|claim| claim.theorem == theorem).map(|claim| claim.verdict)
    }

    /// Its claims, as the file says.
    pub fn claims(&self) -> &[StoredClaim] {
        &self.stored.claims
    }

    fn fact(&self, name: &str) -> Option<f64> {
        let optimum = self.claims().iter().find(|claim| is_about_optimum(claim))?;
        optimum.facts.0.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// At least P of the network, as the file says; `None` without a claim about an optimum.
    pub fn objective(&self) -> Option<f64> {
        self.fact("objective")
    }

    /// At most P of every competitor, as the file says; `None` without a claim about an optimum.
    pub fn lower_bound(&self) -> Option<f64> {
        self.fact("lower_bound")
    }

    /// The gap between the two, relative to what the sentence names; `None` without a claim about an optimum.
    pub fn relative_gap(&self) -> Option<f64> {
        self.fact("relative_gap")
    }

    /// The relative gap up to which a network counts as optimal; `None` without a claim about an
    /// optimum.
    pub fn tolerance(&self) -> Option<f64> {
        let optimum = self.claims().iter().find(|claim| is_about_optimum(claim))?;
        optimum_claim(optimum).map(|claim| claim.tolerance).or_else(|| wide_claim(optimum).map(|claim| claim.tolerance))
    }

    /// Whether one of its claims holds.
    pub fn holds_in_part(&self) -> bool {
        self.claims().iter().any(|claim| claim.verdict == Verdict::Holds)
    }

    /// One sentence for each claim; of one that is undecided or fails it says that it is not proved, and why.
    pub fn statements(&self) -> Vec<String> {
        let words = |one: &StoredClaim| match one.verdict {
            Verdict::Holds => format!("{} (holds): {}", one.theorem, one.statement),
            verdict => format!("{} (not proved, {verdict}): {}", one.theorem, one.statement),
        };
        self.claims().iter().map(words).collect()
    }

    /// The claims as scripts read them.
    pub fn document(&self) -> Value {
        self.claims().iter().map(claim_document).collect()
    }

    /// The column to predict; none where it is about no rows.
    pub fn target(&self) -> Option<&str> {
        self.stored.rows.as_ref().map(|rows| rows.target.as_str())
    }

    /// Which rows and columns of the table were used.
    pub fn source(&self) -> Result<Source> {
        let Some(rows) = &self.stored.rows else { return Ok(Source::default()) };
        let columns = value(&rows.recipe)?;
        let scale = match rows.target_scale {
            shallows_verify::certificate::TargetScale::Identity => TargetScale::Identity,
            shallows_verify::certificate::TargetScale::Centred(centre) => TargetScale::Centred(centre),
            shallows_verify::certificate::TargetScale::Log => TargetScale::Log,
        };
        let recipe: Recipe = serde_json::from_value(columns).map_err(|error| not_certificate(&error))?;
        Ok(Source {
            weight: rows.weight.clone(),
            rows: rows.selected.clone(),
            table_rows: Some(rows.table_rows),
            recipe: Some(recipe.with_target_scale(scale).with_gap_words(rows.gap_words.clone())),
            target: Some(rows.target.clone()),
            form: rows.form.clone(),
        })
    }

    /// The samples it is about: its recipe, never learned anew, applied to its rows of the table by the checker.
    pub fn data(&self, table: &Table) -> Result<Data> {
        Ok(self.data_and_remarks(table)?.0)
    }

    /// The same, and what the checker remarks on words that the recipe does not name.
    pub(crate) fn data_and_remarks(&self, table: &Table) -> Result<(Data, Vec<String>)> {
        let (recipe, described) = self.recipe_for(table)?;
        // Our reading says best what is wrong with a table.
        recipe.refuse_new_gaps(table, described.selected.as_deref())?;
        let data = recipe.data(table, &described.target, described.weight.as_deref(), described.selected.as_deref())?;
        let is_read_alike = recipe.is_plain() && !self.uses_words(table);
        let read = if is_read_alike || !table.named { None } else { self.stored.rows_of(&table.for_checker()?)? };
        let Some(read) = read else { return Ok((self.in_form(data)?, vec![])) };
        let OwnedRows { X, d, y, weights } = read.rows;
        let data = Data::builder(Matrix::from_vec(y.len(), d, X), y).names(described.inputs.clone());
        Ok((data.target(described.fitted()).weights(weights).build()?, read.remarks))
    }

    /// The samples of a table that nobody else needs: where all of its rows are used as they are, it is not held twice.
    pub(crate) fn data_of(&self, table: Table) -> Result<(Data, Vec<String>)> {
        let (recipe, described) = self.recipe_for(&table)?;
        if !recipe.is_plain() || described.selected.is_some() || self.uses_words(&table) {
            return self.data_and_remarks(&table);
        }
        recipe.refuse_new_gaps(&table, None)?;
        Ok((self.in_form(recipe.data_of(table, &described.target, described.weight.as_deref())?)?, vec![]))
    }

    /// The recipe and what else is known of the rows; an error where the table has not as many.
    fn recipe_for(&self, table: &Table) -> Result<(Recipe, &RowsDescription)> {
        let (Some(recipe), Some(described)) = (self.source()?.recipe, &self.stored.rows) else {
            return Err(problem(CertificateProblem::NoRows));
        };
        recipe.check()?;
        let (expected, found) = (described.table_rows, table.rows());
        if expected != found {
            return Err(other_table(expected, found));
        }
        Ok((recipe, described))
    }

    /// Whether a column of the table that counts has words: how those are read depends on the format.
    fn uses_words(&self, table: &Table) -> bool {
        let Some(rows) = &self.stored.rows else { return false };
        let columns = rows.recipe.iter().map(|step| step.name.as_str());
        table.has_words(&columns.chain([rows.target.as_str()]).chain(rows.weight.as_deref()).collect())
    }

    /// Samples that its recipe gave, in the form that it is about.
    pub(crate) fn in_form(&self, data: Data) -> Result<Data> {
        let Some(RowsDescription { form: Some(form), inputs, .. }) = &self.stored.rows else { return Ok(data) };
        let Data { X, y, weights, target, .. } = data;
        let rows = OwnedRows { d: X.cols(), X: X.as_slice().to_vec(), y, weights };
        let OwnedRows { X, d, y, weights } = form.apply(rows)?;
        Data::builder(Matrix::from_vec(y.len(), d, X), y).names(inputs.clone()).target(target).weights(weights).build()
    }

    /// Let the checker judge every claim from the proof it carries.
    ///
    /// `data` are the samples it is about, such as [`Certificate::data`] takes from a table.
    pub fn verify(&self, data: &Data) -> Result<Verified> {
        let rows = self.stored.rows.is_some().then(|| rows_for_checker(data)).transpose()?;
        // The checker sees numbers; samples in memory have names of their own.
        let is_other = |rows: &&RowsDescription| rows.inputs != data.names || rows.fitted() != data.target;
        if let Some(described) = self.stored.rows.as_ref().filter(is_other) {
            let (expected, found) = (described.hash.clone(), data.hash());
            return Err(problem(CertificateProblem::Checker(shallows_verify::Error::OtherRows { expected, found })));
        }
        let claims = self.stored.check(rows).map_err(|error| problem(CertificateProblem::Checker(error)))?;
        Ok(Verified { claims })
    }

    /// Judge claims that are about no rows.
    pub fn verify_without_rows(&self) -> Result<Verified> {
        if self.is_about_rows() {
            return Err(problem(CertificateProblem::AboutRows));
        }
        Ok(Verified { claims: self.stored.check(None)? })
    }

    /// The same with the checker's own words, numbers and verdicts in the place of those in the file.
    pub(crate) fn told_by_checker(mut self, verified: &Verified) -> Certificate {
        let about = self.stored.rows.as_ref();
        for (stored, checked) in self.stored.claims.iter_mut().zip(&verified.claims) {
            let objection = checked.objection.iter().map(|objection| format!("; not confirmed: {objection}"));
            stored.statement = sentence(&checked.judgement, about) + &objection.collect::<String>();
            stored.checks = stored_checks(&checked.judgement);
            stored.facts = weakened(&checked.judgement);
            stored.verdict = checked.verdict();
        }
        self
    }

    /// Whether it is about rows of a table.
    pub fn is_about_rows(&self) -> bool {
        self.stored.rows.is_some()
    }

    /// Judge claims that are about no rows, and refuse any other network than this.
    pub fn verify_network_without_rows(&self, network: &Network) -> Result<Verified> {
        self.compare_network(network)?;
        self.verify_without_rows()
    }

    /// The same, and refuse any other network than this.
    pub fn verify_network(&self, data: &Data, network: &Network) -> Result<Verified> {
        self.compare_network(network)?;
        self.verify(data)
    }

    /// The same with a model at hand. The weights of a network do not say what its inputs are, which column it predicts,
    /// or whether it stands for y or for ln(y); a model of ours does.
    pub fn verify_model(&self, data: &Data, model: &Model) -> Result<Verified> {
        match self.certified_part(data, model)? {
            CertifiedPart::Whole | CertifiedPart::Members(_) => self.verify(data),
            CertifiedPart::Nothing => Err(self.other_model(model)),
        }
    }

    /// The text of the file.
    pub fn to_json(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(&self.stored).map_err(|error| not_certificate(&error))?;
        Ok(text + "\n")
    }

    /// Read a certificate from the text of a file.
    pub fn from_json(text: &[u8]) -> Result<Certificate> {
        let text = std::str::from_utf8(text).map_err(|error| not_certificate(&error))?;
        Ok(Certificate { stored: shallows_verify::Certificate::read(text)? })
    }

    /// Write the certificate to a file; never half of it.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let text = self.to_json()?;
        write_atomically(path.as_ref(), |file| file.write_all(text.as_bytes()))
    }

    /// Read a certificate from a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Certificate> {
        let path = path.as_ref();
        let certificate = match read_at_most(path, MOST_BYTES)? {
            Some(text) => Certificate::from_json(&text),
            None => Err(problem(CertificateProblem::TooLarge { most: MOST_BYTES })),
        };
        certificate.map_err(|error| match error {
            Error::Certificate { problem, .. } => Error::Certificate { path: Some(path.into()), problem },
            other => other,
        })
    }
}

impl PartialEq for Certificate {
    fn eq(&self, other: &Certificate) -> bool {
        let [ours, theirs] = [self, other].map(|certificate| serde_json::to_string(&certificate.stored).ok());
        ours.is_some() && ours == theirs
    }
}

/// A claim as scripts read it; facts about an optimum, and the class of `global-optimum`, stand beside the verdict.
fn claim_document(claim: &StoredClaim) -> Value {
    let facts: Map<String, Value> = claim.facts.0.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let mut document = json!({
        "theorem": claim.theorem, "verdict": claim.verdict, "statement": claim.statement, "checks": claim.checks,
        "facts": facts,
    });
    if is_about_optimum(claim)
        && let Some(document) = document.as_object_mut()
    {
        document.extend(facts);
        if claim.theorem == Theorem::GlobalOptimum {
            document.insert("class".into(), optimum_class(claim));
        }
    }
    document
}

/// A table of so many rows, where the certificate is about one of another number.
pub(crate) fn other_table(expected: usize, found: usize) -> Error {
    problem(CertificateProblem::Checker(shallows_verify::Error::Shape { what: "rows of the table", expected, found }))
}

fn is_about_optimum(claim: &StoredClaim) -> bool {
    matches!(claim.theorem, Theorem::GlobalOptimum | Theorem::WideOptimum)
}

fn wide_claim(claim: &StoredClaim) -> Option<WideClaim> {
    (claim.theorem == Theorem::WideOptimum).then(|| serde_json::from_str(claim.claim.get()).ok())?
}

fn optimum_claim(claim: &StoredClaim) -> Option<shallows_verify::theorem::global_optimum::Claim> {
    serde_json::from_str(claim.claim.get()).ok()
}

/// The competitors of `global-optimum`.
fn optimum_class(claim: &StoredClaim) -> Value {
    let Some(claim) = optimum_claim(claim) else { return Value::Null };
    let class = claim.class;
    let bounded = [class.nuclear, class.linear, class.intercept].iter().any(Option::is_some);
    json!({
        "words": claim.words(), "bounded": bounded, "nuclear": class.nuclear, "linear": class.linear,
        "intercept": class.intercept,
    })
}

/// Which rows and columns samples came from; the recipe must give the inputs that are there.
fn described(data: &Data, source: &Source) -> Result<RowsDescription> {
    let recipe = source.recipe.clone().unwrap_or_else(|| Recipe::plain(data.names.clone()));
    let target = source.target.clone().unwrap_or_else(|| data.target.clone());
    let (names, form) = (recipe.input_names(), source.form.clone());
    let added = form.as_ref().map_or(0, RowForm::added);
    let merged = form.as_ref().is_some_and(|form| form.merged.is_some());
    let fits =
        data.names.starts_with(&names) && data.d() == names.len() + added && recipe.target_name(&target) == data.target;
    if !fits || !merged && source.rows.as_ref().is_some_and(|rows| rows.len() != data.n()) {
        return Err(problem(CertificateProblem::OtherSource));
    }
    let scale = match recipe.target_scale() {
        TargetScale::Identity => shallows_verify::certificate::TargetScale::Identity,
        TargetScale::Centred(centre) => shallows_verify::certificate::TargetScale::Centred(centre),
        TargetScale::Log => shallows_verify::certificate::TargetScale::Log,
    };
    let gap_words = recipe.gap_words().to_vec();
    let recipe = recipe.with_target_scale(TargetScale::Identity).with_gap_words(vec![]);
    let last = source.rows.iter().flatten().max().map_or(data.n(), |last| last + 1);
    let table_rows = source.table_rows.unwrap_or(last);
    Ok(RowsDescription {
        hash: data.hash(),
        count: if merged { source.rows.as_ref().map_or(table_rows, Vec::len) } else { data.n() },
        table_rows,
        inputs: data.names.clone(),
        target,
        target_scale: scale,
        weight: source.weight.clone().or((data.weights.is_some() && !merged).then(|| WEIGHTS.to_owned())),
        recipe: serde_json::from_value(value(&recipe)?).map_err(|error| not_certificate(&error))?,
        gap_words,
        selected: source.rows.clone(),
        form,
    })
}

/// The name of weights that belong to no table.
const WEIGHTS: &str = "weights";

fn problem(problem: CertificateProblem) -> Error {
    Error::Certificate { path: None, problem }
}

fn not_certificate(error: &impl ToString) -> Error {
    problem(CertificateProblem::NotCertificate { reason: error.to_string() })
}

/// A part of a certificate as a document.
fn value(part: &impl Serialize) -> Result<Value> {
    serde_json::to_value(part).map_err(|error| not_certificate(&error))
}

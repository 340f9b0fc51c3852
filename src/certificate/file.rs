//! A certificate in a file: JSON that a person can read and a stranger can check.
//!
//! A record holds the claim, what was found, the network, and the fingerprint of the data. It holds nothing that
//! [`Record::verify`] believes: from network, claim, tolerance and witness everything is computed again on the given
//! data, and every field must come out equal. The computation has the same bits on every machine, so equality is not
//! too much to ask. A file is not trusted: its size is limited, unknown, missing and repeated fields are refused.

mod source;
mod stored;

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub use source::{Source, check_inputs};
use stored::{About, Description, Entry, Weights};

use crate::certificate::{
    Certificate, Claim, Competitors, Quadratic, Verdict, approximate_minimum, full_rank_stationary,
};
use crate::certificate::{global_optimum, planted_quadratic, strict_saddle, wide_quadratic};
use crate::data::{Data, Table, TargetScale};
use crate::error::{CertificateProblem, Error, RequestProblem, Result};
use crate::file::{read_at_most, write_atomically};
use crate::linalg::Matrix;
use crate::model::Model;
use crate::network::Network;

const FORMAT: &str = "shallows certificate";
const FORMAT_VERSION: u64 = 2;
/// A larger file is not read.
const MOST_BYTES: u64 = 1 << 28;

/// Certificates for one network on one set of rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    format: String,
    format_version: u64,
    /// Of this crate.
    version: String,
    certificates: Vec<Entry>,
    claim: Claim,
    tolerance: f64,
    data: Description,
    network: Weights,
    witness: Option<Quadratic>,
    /// The SHA-256 of everything before it, so that damage is seen also where it would change nothing that is proved.
    digest: String,
}

impl Record {
    /// Apply these theorems to a network and write down what comes out.
    pub fn new(
        theorems: &[&str],
        network: &Network,
        data: &Data,
        source: &Source,
        claim: &Claim,
        witness: Option<&Quadratic>,
        tolerance: f64,
    ) -> Result<Record> {
        let subject = Subject { network, claim, witness, tolerance, scale: source.scale() };
        let theorems: Vec<(&str, Option<Matrix>)> = theorems.iter().map(|id| (*id, None)).collect();
        // The fingerprint is work for one thread only.
        let (data, certificates) =
            rayon::join(|| Description::new(data, source), || subject.certificates(&theorems, data));
        subject.record(data?, certificates?)
    }

    /// The fingerprint of the rows it speaks about, as [`Data::hash`] gives it.
    pub fn data_hash(&self) -> &str {
        &self.data.hash
    }

    /// The worst verdict of its certificates.
    pub fn verdict(&self) -> Verdict {
        self.certificates.iter().map(|entry| entry.verdict).max().unwrap_or(Verdict::Undecided)
    }

    /// One sentence for each certificate.
    pub fn statements(&self) -> Vec<String> {
        self.certificates
            .iter()
            .map(|entry| format!("{} ({}): {}", entry.theorem, entry.verdict, entry.statement))
            .collect()
    }

    /// The certificates as scripts read them.
    pub fn certificates(&self) -> Value {
        serde_json::to_value(&self.certificates).unwrap_or_default()
    }

    /// The column to predict.
    pub fn target(&self) -> &str {
        &self.data.target
    }

    /// Which rows and columns of the table were used.
    pub fn source(&self) -> Source {
        let Description { weight, selected, recipe, target, .. } = self.data.clone();
        Source { weight, rows: selected, recipe: Some(recipe), target: Some(target) }
    }

    /// The samples it speaks about: its recipe, never learned anew, applied to its rows of the table.
    pub fn data(&self, table: &Table) -> Result<Data> {
        let Description { recipe, target, weight, selected, .. } = &self.data;
        recipe.check()?;
        recipe.data(table, target, weight.as_deref(), selected.as_deref())
    }

    /// Compute everything again and refuse if anything differs. `network` is the model at hand, if there is one.
    ///
    /// `data` are the samples it speaks about, such as [`Record::data`] takes from a table.
    pub fn verify(&self, data: &Data, network: Option<&Network>) -> Result<Verdict> {
        // The data first: computing on the wrong rows would blame the wrong field.
        let description = Description::new(data, &self.source())?;
        compare("data", &value(&self.data)?, &value(&description)?)?;
        if let Some(network) = network {
            compare("network", &value(&self.network)?, &value(&Weights::new(network))?)?;
        }
        let weighted = data.weights.is_some();
        refuse_unless(weighted == self.data.weight.is_some(), "data.weight", &self.data.weight, "otherwise")?;
        let theorem = |entry: &'_ Entry| Ok((entry.theorem.clone(), entry.direction(data.d())?));
        let theorems = self.certificates.iter().map(theorem).collect::<Result<Vec<_>>>()?;
        let theorems: Vec<(&str, Option<Matrix>)> = theorems.iter().map(|(id, U)| (id.as_str(), U.clone())).collect();
        let network = self.network.network(data.d())?;
        let (claim, witness, tolerance) = (&self.claim, self.witness.as_ref(), self.tolerance);
        let scale = self.data.recipe.target_scale();
        let subject = Subject { network: &network, claim, witness, tolerance, scale };
        let again = subject.record(description, subject.certificates(&theorems, data)?)?;
        compare("", &value(self)?, &value(&again)?)?;
        refuse_unless(!theorems.is_empty(), "certificates", &"empty", "at least one")?;
        Ok(again.verdict())
    }

    /// Verify with a model at hand. The weights of a network do not say what its inputs are, which column it predicts, or
    /// whether it stands for y or for ln(y); a model of ours does.
    pub fn verify_model(&self, data: &Data, model: &Model) -> Result<Verdict> {
        if !model.is_foreign() {
            self.check_recipe(model)?;
        }
        self.verify(data, Some(model.only()?))
    }

    /// That a model of ours is the function that is spoken about.
    fn check_recipe(&self, model: &Model) -> Result<()> {
        let (certified, fitted) = (self.data.recipe.target_scale(), model.recipe.target_scale());
        if certified != fitted {
            let (certified, fitted) = (certified.name(), fitted.name());
            return Err(Error::Request(RequestProblem::OtherScale { certified, fitted }));
        }
        let other = |(field, stored, found)| problem(CertificateProblem::OtherModel { field, stored, found });
        let recipes = [value(&self.data.recipe)?, value(&model.recipe)?];
        let targets = [value(&self.data.target)?, value(&model.target)?];
        let parts = [("recipe", recipes), ("target", targets)];
        let difference = parts.iter().find_map(|(place, [stored, found])| first_difference(place, stored, found));
        difference.map_or(Ok(()), |difference| Err(other(difference)))
    }

    /// The text of the file.
    pub fn to_json(&self) -> Result<String> {
        Ok(format!("{:#}\n", value(self)?))
    }

    /// Read a record from the text of a file.
    pub fn from_json(text: &[u8]) -> Result<Record> {
        /// The two fields that every format has.
        #[derive(Deserialize)]
        struct Header {
            format: String,
            format_version: u64,
        }
        let not = |reason: String| problem(CertificateProblem::NotCertificate { reason });
        let header: Header = serde_json::from_slice(text).map_err(|error| not(error.to_string()))?;
        if header.format != FORMAT {
            return Err(not(format!("its format is {:?}", header.format)));
        }
        if header.format_version != FORMAT_VERSION {
            let (found, known) = (header.format_version, FORMAT_VERSION);
            return Err(problem(CertificateProblem::Format { found, known }));
        }
        serde_json::from_slice(text).map_err(|error| not(error.to_string()))
    }

    /// Write the record to a file; never half of it.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let text = self.to_json()?;
        write_atomically(path.as_ref(), |file| file.write_all(text.as_bytes()))
    }

    /// Read a record from a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Record> {
        let path = path.as_ref();
        let record = match read_at_most(path, MOST_BYTES)? {
            Some(text) => Record::from_json(&text),
            None => Err(problem(CertificateProblem::TooLarge { most: MOST_BYTES })),
        };
        record.map_err(|error| match error {
            Error::Certificate { problem, .. } => Error::Certificate { path: Some(path.into()), problem },
            other => other,
        })
    }
}

/// What is certified, and on which terms.
struct Subject<'a> {
    network: &'a Network,
    claim: &'a Claim,
    witness: Option<&'a Quadratic>,
    tolerance: f64,
    /// Of the target.
    scale: TargetScale,
}

impl Subject<'_> {
    /// One for each theorem; a direction is a witness of `strict-saddle`, looked for where there is none.
    fn certificates(&self, theorems: &[(&str, Option<Matrix>)], data: &Data) -> Result<Vec<Entry>> {
        let (claim, scale) = (self.claim, self.scale);
        let about = About { rows: data.n(), target: (scale != TargetScale::Identity).then_some(data.target.as_str()) };
        let certify = |(id, direction): &(&str, Option<Matrix>)| self.certificate(id, direction.as_ref(), data);
        theorems.iter().map(|theorem| Entry::new(&certify(theorem)?, claim, about)).collect()
    }

    fn certificate(&self, id: &str, direction: Option<&Matrix>, data: &Data) -> Result<Certificate> {
        let Subject { network, claim, witness, tolerance, .. } = *self;
        let plain = || self.plain_decay();
        match id {
            "global-optimum" => global_optimum(network, data, claim, witness, tolerance),
            "wide-quadratic" => wide_quadratic(network),
            "planted-quadratic" => planted_quadratic(network, data, plain()?),
            "strict-saddle" => strict_saddle(network, data, plain()?, direction),
            "approximate-minimum" => {
                let competitors = Competitors { signs: claim.signs, size: None };
                approximate_minimum(network, data, plain()?, competitors, tolerance)
            }
            "full-rank-stationary" => full_rank_stationary(network, data, plain()?, None, tolerance),
            name => Err(problem(CertificateProblem::UnknownTheorem { name: name.to_owned() })),
        }
    }

    /// τ of the penalty τΣ|v_l|‖w_l‖², which is not that of scaled inputs.
    fn plain_decay(&self) -> Result<f64> {
        let Claim { decay, exponents, .. } = self.claim;
        match exponents.iter().find(|e| **e != 0 && *decay != 0.0) {
            Some(e) => Err(Error::unsuitable("an exponent of the scaling", "0 for this theorem", e)),
            None => Ok(*decay),
        }
    }

    fn record(&self, data: Description, certificates: Vec<Entry>) -> Result<Record> {
        let mut record = Record {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            version: env!("CARGO_PKG_VERSION").into(),
            certificates,
            claim: self.claim.clone(),
            tolerance: self.tolerance,
            data,
            network: Weights::new(self.network),
            witness: self.witness.cloned(),
            digest: String::new(),
        };
        let hash = Sha256::digest(value(&record)?.to_string());
        record.digest = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(record)
    }
}

fn problem(problem: CertificateProblem) -> Error {
    Error::Certificate { path: None, problem }
}

fn value(part: &impl Serialize) -> Result<Value> {
    serde_json::to_value(part)
        .map_err(|error| problem(CertificateProblem::NotCertificate { reason: error.to_string() }))
}

fn refuse_unless(sound: bool, field: &str, stored: &impl std::fmt::Debug, found: &str) -> Result<()> {
    let mismatch =
        || CertificateProblem::Mismatch { field: field.into(), stored: format!("{stored:?}"), found: found.into() };
    if sound { Ok(()) } else { Err(problem(mismatch())) }
}

/// Equal, or an error that names the first place where they differ.
fn compare(place: &str, stored: &Value, found: &Value) -> Result<()> {
    match first_difference(place, stored, found) {
        None => Ok(()),
        Some((field, stored, found)) => Err(problem(CertificateProblem::Mismatch { field, stored, found })),
    }
}

/// The first place where two documents differ, and what stands there in each.
fn first_difference(place: &str, stored: &Value, found: &Value) -> Option<(String, String, String)> {
    let below = |key: &str| if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
    match (stored, found) {
        (Value::Object(left), Value::Object(right)) => left.keys().chain(right.keys()).find_map(|key| {
            let part = |of: &serde_json::Map<String, Value>| of.get(key).cloned().unwrap_or_default();
            first_difference(&below(key), &part(left), &part(right))
        }),
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let mut pairs = left.iter().zip(right).enumerate();
            pairs.find_map(|(at, (left, right))| first_difference(&format!("{place}[{at}]"), left, right))
        }
        _ if stored == found => None,
        _ => Some((place.to_owned(), stored.to_string(), found.to_string())),
    }
}

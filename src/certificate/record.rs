//! A certificate in a file: JSON that a person can read and a stranger can check.
//!
//! A record holds the claim, what was found, the network, and the fingerprint of the data. It holds nothing that
//! [`Record::verify`] believes: from network, claim, tolerance and witness everything is computed again on the given
//! data, and every field must come out equal. The computation has the same bits on every machine, so equality is not
//! too much to ask. A file is not trusted: its size is limited, unknown, missing and repeated fields are refused.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Certificate, Check, Claim, Class, Optimum, Quadratic, Verdict};
use super::{global_optimum::global_optimum, wide_quadratic::wide_quadratic};
use crate::activation::Activation;
use crate::data::Data;
use crate::error::{CertificateProblem, Error, Result};
use crate::file::write_atomically;
use crate::linalg::Matrix;
use crate::network::Network;

const FORMAT: &str = "shallows certificate";
const FORMAT_VERSION: u64 = 1;
/// A larger file is not read.
const MOST_BYTES: u64 = 1 << 28;

/// Which rows and columns of a table were used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The column of weights, if there was one.
    pub weight: Option<String>,
    /// The rows that were used, counted from 0, in this order; all when `None`.
    pub rows: Option<Vec<usize>>,
}

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

/// One certificate, with what it says in words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    theorem: String,
    verdict: Verdict,
    statement: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    objective: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_bound: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relative_gap: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<StoredClass>,
    checks: Vec<StoredCheck>,
    #[serde(skip_serializing_if = "Option::is_none")]
    improvement: Option<Improvement>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredCheck {
    hypothesis: String,
    margin: f64,
    error: f64,
    verdict: Verdict,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredClass {
    words: String,
    bounded: bool,
    nuclear: Option<f64>,
    linear: Option<f64>,
    intercept: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Improvement {
    objective: f64,
    network: Weights,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    hash: String,
    rows: usize,
    inputs: Vec<String>,
    target: String,
    weight: Option<String>,
    selected: Option<Vec<usize>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Weights {
    W: Vec<Vec<f64>>,
    v: Vec<f64>,
    u: Option<Vec<f64>>,
    c: Option<f64>,
    b: Option<Vec<f64>>,
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
        let certify = |id: &&str| match *id {
            "global-optimum" => global_optimum(network, data, claim, witness, tolerance),
            "wide-quadratic" => wide_quadratic(network),
            name => Err(problem(CertificateProblem::UnknownTheorem { name: name.to_owned() })),
        };
        let certificates = theorems.iter().map(|id| Entry::new(&certify(id)?, claim, data.n()));
        let mut record = Record {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            version: env!("CARGO_PKG_VERSION").into(),
            certificates: certificates.collect::<Result<_>>()?,
            claim: claim.clone(),
            tolerance,
            data: Description::new(data, source),
            network: Weights::new(network),
            witness: witness.cloned(),
            digest: String::new(),
        };
        let hash = Sha256::digest(value(&record)?.to_string());
        record.digest = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(record)
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
        Source { weight: self.data.weight.clone(), rows: self.data.selected.clone() }
    }

    /// Compute everything again and refuse if anything differs. `network` is the model at hand, if there is one.
    ///
    /// `data` are all rows of the table; the record says which of them it speaks about.
    pub fn verify(&self, data: &Data, network: Option<&Network>) -> Result<Verdict> {
        let selected = match &self.data.selected {
            Some(rows) => {
                let beyond = rows.iter().find(|row| **row >= data.n());
                refuse_unless(beyond.is_none(), "data.selected", &beyond, &format!("below {}", data.n()))?;
                Some(data.select(rows))
            }
            None => None,
        };
        let data = selected.as_ref().unwrap_or(data);
        // The data first: computing on the wrong rows would blame the wrong field.
        compare("data", &value(&self.data)?, &value(&Description::new(data, &self.source()))?)?;
        if let Some(network) = network {
            compare("network", &value(&self.network)?, &value(&Weights::new(network))?)?;
        }
        let weighted = data.weights.is_some();
        refuse_unless(weighted == self.data.weight.is_some(), "data.weight", &self.data.weight, "otherwise")?;
        let theorems: Vec<&str> = self.certificates.iter().map(|entry| entry.theorem.as_str()).collect();
        let network = self.network.network(data.d())?;
        let (source, witness) = (self.source(), self.witness.as_ref());
        let again = Record::new(&theorems, &network, data, &source, &self.claim, witness, self.tolerance)?;
        compare("", &value(self)?, &value(&again)?)?;
        refuse_unless(!theorems.is_empty(), "certificates", &"empty", "at least one")?;
        Ok(again.verdict())
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
        let mut text = Vec::new();
        let read = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut text));
        read.map_err(|source| Error::io(path, source))?;
        let record = if text.len() as u64 > MOST_BYTES {
            Err(problem(CertificateProblem::TooLarge { most: MOST_BYTES }))
        } else {
            Record::from_json(&text)
        };
        record.map_err(|error| match error {
            Error::Certificate { problem, .. } => Error::Certificate { path: Some(path.into()), problem },
            other => other,
        })
    }
}

impl Entry {
    fn new(certificate: &Certificate, claim: &Claim, rows: usize) -> Result<Entry> {
        let optimum = certificate.optimum.as_ref();
        let finite = |what, numbers: &[f64]| {
            let sound = numbers.iter().all(|x| x.is_finite());
            if sound { Ok(()) } else { Err(problem(CertificateProblem::NotFinite { what })) }
        };
        if let Some(Optimum { objective, lower_bound, relative_gap, .. }) = optimum {
            finite("the objective or its lower bound", &[*objective, *lower_bound, *relative_gap])?;
        }
        certificate.checks.iter().try_for_each(|check| finite("a margin", &[check.margin, check.error]))?;
        let improvement = optimum.and_then(|optimum| optimum.improvement.as_ref());
        Ok(Entry {
            theorem: certificate.theorem.into(),
            verdict: certificate.verdict(),
            statement: statement(certificate, claim, rows),
            objective: optimum.map(|optimum| optimum.objective),
            lower_bound: optimum.map(|optimum| optimum.lower_bound),
            relative_gap: optimum.map(|optimum| optimum.relative_gap),
            class: optimum.map(|optimum| StoredClass::new(&optimum.class, claim)),
            checks: certificate.checks.iter().map(StoredCheck::new).collect(),
            improvement: improvement
                .map(|(network, objective)| Improvement { objective: *objective, network: Weights::new(network) }),
        })
    }
}

/// What a certificate says, in one sentence.
fn statement(certificate: &Certificate, claim: &Claim, rows: usize) -> String {
    let verdict = certificate.verdict();
    let Some(Optimum { objective, lower_bound, relative_gap, class, improvement }) = &certificate.optimum else {
        return match verdict {
            Verdict::Holds => "with these output weights every local minimum in W is global".into(),
            _ => "the theorem does not apply: too few output weights of one sign".into(),
        };
    };
    let class = class.words(claim);
    let penalty =
        if claim.decay == 0.0 { String::new() } else { format!(" + {:e}·Σ|v_l|‖S w_l‖²", claim.decay) };
    let better = improvement
        .as_ref()
        .map_or(String::new(), |(_, better)| format!("; a network with at most {better:e} was found"));
    format!(
        "on these {rows} rows ½Σωr²{penalty} of the network is at most {objective:e}, and at least {lower_bound:e} for \
         {class}; the relative gap is at most {relative_gap:.1e}{better}"
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

impl Description {
    fn new(data: &Data, source: &Source) -> Description {
        Description {
            hash: data.hash(),
            rows: data.n(),
            inputs: data.names.clone(),
            target: data.target.clone(),
            weight: source.weight.clone(),
            selected: source.rows.clone(),
        }
    }
}

impl Weights {
    fn new(network: &Network) -> Weights {
        Weights {
            W: (0..network.width()).map(|l| network.W.row(l).to_vec()).collect(),
            v: network.v.clone(),
            u: network.bias.clone(),
            c: network.intercept,
            b: network.linear.clone(),
        }
    }

    fn network(&self, d: usize) -> Result<Network> {
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
    let below = |key: &str| if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
    match (stored, found) {
        (Value::Object(left), Value::Object(right)) => {
            for key in left.keys().chain(right.keys()) {
                let part = |of: &serde_json::Map<String, Value>| of.get(key).cloned().unwrap_or_default();
                compare(&below(key), &part(left), &part(right))?;
            }
            Ok(())
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let mut pairs = left.iter().zip(right).enumerate();
            pairs.try_for_each(|(at, (left, right))| compare(&format!("{place}[{at}]"), left, right))
        }
        _ if stored == found => Ok(()),
        _ => Err(problem(CertificateProblem::Mismatch {
            field: place.to_owned(),
            stored: stored.to_string(),
            found: found.to_string(),
        })),
    }
}

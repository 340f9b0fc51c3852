//! A certificate in a file: JSON that a person can read and a stranger can check.
//!
//! A certificate holds the claim, what was found, the network, and the fingerprint of the data. It holds nothing that
//! [`Certificate::verify`] believes: from network, claim, tolerance and witness everything is computed again on the given
//! data, and every field must come out equal. The computation has the same bits on every machine, so equality is not
//! too much to ask. A file is not trusted: its size is limited, unknown, missing and repeated fields are refused.

mod compare;
mod source;
mod stored;

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub use source::{Source, check_inputs};
pub use stored::{Improvement, StoredCheck, StoredClass, StoredJudgement};

use compare::{compare, first_difference, refuse_unless, value};
use stored::{About, RowsDescription, Weights};

use super::{Claim, Competitors, Judgement, Theorem, Verdict, Witness};
use super::{
    approximate_minimum, full_rank_stationary, global_optimum, planted_quadratic, strict_saddle, wide_quadratic,
};
use crate::data::{Data, Table, TargetScale};
use crate::error::{CertificatePart, CertificateProblem, Error, RequestProblem, Result};
use crate::file::{read_at_most, write_atomically};
use crate::linalg::Matrix;
use crate::model::Model;
use crate::network::Network;

const FORMAT: &str = "shallows certificate";
const FORMAT_VERSION: u64 = 2;
/// A larger file is not read.
const MOST_BYTES: u64 = 1 << 28;

/// Claims about one network on one set of rows, each a judgement, as a file holds them.
///
/// ```
/// use shallows::certificate::{Certificate, Claim, Signs, Source, Theorem};
/// use shallows::data::Data;
/// use shallows::linalg::Matrix;
/// use shallows::network::Network;
///
/// let X = Matrix::from_rows(&[[0.0], [1.0], [2.0]]);
/// let data = Data::builder(X, vec![0.0, 3.0, 12.0]).build()?;
/// let network = Network::new("quadratic".parse()?, Matrix::from_rows(&[[1.0]]), vec![3.0])?;
/// let claim = Claim { signs: Signs::Any, decay: 0.0, linear: false, intercept: false, exponents: vec![0] };
///
/// let theorems = [Theorem::GlobalOptimum];
/// let certificate = Certificate::new(&theorems, &network, &data, &Source::default(), &claim, None, 1e-6)?;
/// assert!(certificate.lower_bound() <= certificate.objective());
/// certificate.verify(&data)?.require_holds()?;
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    format: String,
    format_version: u64,
    /// Of this crate.
    version: String,
    #[serde(rename = "certificates")]
    judgements: Vec<StoredJudgement>,
    claim: Claim,
    tolerance: f64,
    data: RowsDescription,
    network: Weights,
    witness: Option<Witness>,
    /// The SHA-256 of everything before it, so that damage is seen also where it would change nothing that is proved.
    digest: String,
}

/// What came out when a certificate was computed again, and nothing differed. [`Certificate`] shows its use.
#[derive(Clone, Debug)]
pub struct Verified {
    judgements: Vec<Judgement>,
}

impl Verified {
    /// The worst verdict.
    pub fn verdict(&self) -> Verdict {
        self.judgements.iter().map(Judgement::verdict).max().unwrap_or(Verdict::Undecided)
    }

    /// One for each theorem of the certificate, computed from scratch.
    pub fn judgements(&self) -> &[Judgement] {
        &self.judgements
    }

    /// An error unless every claim holds. That a certificate is right does not mean that what was claimed is proved.
    pub fn require_holds(self) -> Result<Verified> {
        let open = self.judgements.iter().find(|judgement| judgement.verdict() != Verdict::Holds);
        let Some(judgement) = open else { return Ok(self) };
        let (theorem, verdict) = (judgement.theorem.id(), judgement.verdict().to_string());
        Err(problem(CertificateProblem::NotProved { theorem, verdict }))
    }
}

impl Certificate {
    /// Apply these theorems to a network and write down what comes out.
    pub fn new(
        theorems: &[Theorem],
        network: &Network,
        data: &Data,
        source: &Source,
        claim: &Claim,
        witness: Option<&Witness>,
        tolerance: f64,
    ) -> Result<Certificate> {
        let subject = Subject { network, claim, witness, tolerance, scale: source.scale() };
        let theorems: Vec<(Theorem, Option<Matrix>)> = theorems.iter().map(|theorem| (*theorem, None)).collect();
        // The fingerprint is work for one thread only.
        let (description, judgements) =
            rayon::join(|| RowsDescription::new(data, source), || subject.judgements(&theorems, data));
        subject.certificate(data, description?, &judgements?)
    }

    /// The fingerprint of the rows it speaks about, as [`Data::hash`] gives it.
    pub fn data_hash(&self) -> &str {
        &self.data.hash
    }

    /// The worst verdict of its judgements, as the file says.
    pub fn verdict(&self) -> Verdict {
        self.judgements.iter().map(|judgement| judgement.verdict).max().unwrap_or(Verdict::Undecided)
    }

    /// Its judgements, as the file says.
    pub fn judgements(&self) -> &[StoredJudgement] {
        &self.judgements
    }

    /// The verdict of a theorem, as the file says; `None` where the certificate does not speak of it.
    pub fn verdict_of(&self, theorem: Theorem) -> Option<Verdict> {
        self.judgements.iter().find(|judgement| judgement.theorem == theorem).map(|judgement| judgement.verdict)
    }

    /// At least P of the network, as the file says; `None` without `global-optimum`.
    pub fn objective(&self) -> Option<f64> {
        self.judgements.iter().find_map(|judgement| judgement.objective)
    }

    /// At most P of every competitor, as the file says; `None` without `global-optimum`.
    pub fn lower_bound(&self) -> Option<f64> {
        self.judgements.iter().find_map(|judgement| judgement.lower_bound)
    }

    /// The gap between the two, relative to what the sentence names; `None` without `global-optimum`.
    pub fn relative_gap(&self) -> Option<f64> {
        self.judgements.iter().find_map(|judgement| judgement.relative_gap)
    }

    /// The relative gap up to which a network counts as optimal.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// One sentence for each judgement.
    pub fn statements(&self) -> Vec<String> {
        let words = |one: &StoredJudgement| format!("{} ({}): {}", one.theorem, one.verdict, one.statement);
        self.judgements.iter().map(words).collect()
    }

    /// The judgements as scripts read them.
    pub fn document(&self) -> Value {
        serde_json::to_value(&self.judgements).unwrap_or_default()
    }

    /// The column to predict.
    pub fn target(&self) -> &str {
        &self.data.target
    }

    /// Which rows and columns of the table were used.
    pub fn source(&self) -> Source {
        let RowsDescription { weight, selected, recipe, target, .. } = self.data.clone();
        Source { weight, rows: selected, recipe: Some(recipe), target: Some(target) }
    }

    /// The samples it speaks about: its recipe, never learned anew, applied to its rows of the table.
    pub fn data(&self, table: &Table) -> Result<Data> {
        let RowsDescription { recipe, target, weight, selected, .. } = &self.data;
        recipe.check()?;
        recipe.data(table, target, weight.as_deref(), selected.as_deref())
    }

    /// Compute everything again and refuse if anything differs.
    ///
    /// `data` are the samples it speaks about, such as [`Certificate::data`] takes from a table.
    pub fn verify(&self, data: &Data) -> Result<Verified> {
        self.verified(data, None)
    }

    /// The same, and refuse any other network than this.
    pub fn verify_network(&self, data: &Data, network: &Network) -> Result<Verified> {
        self.verified(data, Some(network))
    }

    /// The same with a model at hand. The weights of a network do not say what its inputs are, which column it predicts,
    /// or whether it stands for y or for ln(y); a model of ours does.
    pub fn verify_model(&self, data: &Data, model: &Model) -> Result<Verified> {
        if !model.is_foreign() {
            self.check_recipe(model)?;
        }
        self.verified(data, Some(model.only()?))
    }

    fn verified(&self, data: &Data, network: Option<&Network>) -> Result<Verified> {
        // The data first: computing on the wrong rows would blame the wrong field.
        let description = RowsDescription::new(data, &self.source())?;
        compare(CertificatePart::Rows, &value(&self.data)?, &value(&description)?)?;
        if let Some(network) = network {
            compare(CertificatePart::Network, &value(&self.network)?, &value(&Weights::new(network))?)?;
        }
        let weighted = data.weights.is_some();
        let place = (CertificatePart::Rows, "weight");
        refuse_unless(weighted == self.data.weight.is_some(), place, &self.data.weight, "otherwise")?;
        let theorem = |one: &StoredJudgement| Ok((one.theorem, one.witness(data.d())?));
        let theorems = self.judgements.iter().map(theorem).collect::<Result<Vec<_>>>()?;
        let network = self.network.network(data.d())?;
        let (claim, witness, tolerance) = (&self.claim, self.witness.as_ref(), self.tolerance);
        let scale = self.data.recipe.target_scale();
        let subject = Subject { network: &network, claim, witness, tolerance, scale };
        let judgements = subject.judgements(&theorems, data)?;
        let again = subject.certificate(data, description, &judgements)?;
        compare(CertificatePart::Version, &value(&self.version)?, &value(&again.version)?)?;
        compare(CertificatePart::Contents, &value(self)?, &value(&again)?)?;
        let place = (CertificatePart::Contents, "certificates");
        refuse_unless(!theorems.is_empty(), place, &"empty", "at least one")?;
        Ok(Verified { judgements })
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

    /// Read a certificate from the text of a file.
    pub fn from_json(text: &[u8]) -> Result<Certificate> {
        /// The two fields that every format has.
        #[derive(Deserialize)]
        struct FormatHeader {
            format: String,
            format_version: u64,
        }
        let not = |reason: String| problem(CertificateProblem::NotCertificate { reason });
        let header: FormatHeader = serde_json::from_slice(text).map_err(|error| not(error.to_string()))?;
        if header.format != FORMAT {
            return Err(not(format!("its format is {:?}", header.format)));
        }
        if header.format_version != FORMAT_VERSION {
            let (found, known) = (header.format_version, FORMAT_VERSION);
            return Err(problem(CertificateProblem::Format { found, known }));
        }
        serde_json::from_slice(text).map_err(|error| not(error.to_string()))
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

/// What is certified, and on which terms.
struct Subject<'a> {
    network: &'a Network,
    claim: &'a Claim,
    witness: Option<&'a Witness>,
    tolerance: f64,
    /// Of the target.
    scale: TargetScale,
}

impl Subject<'_> {
    /// One for each theorem; a direction is a witness of `strict-saddle`, looked for where there is none.
    fn judgements(&self, theorems: &[(Theorem, Option<Matrix>)], data: &Data) -> Result<Vec<Judgement>> {
        theorems.iter().map(|(theorem, direction)| self.judgement(*theorem, direction.as_ref(), data)).collect()
    }

    fn judgement(&self, theorem: Theorem, direction: Option<&Matrix>, data: &Data) -> Result<Judgement> {
        let Subject { network, claim, witness, tolerance, .. } = *self;
        let plain = || self.plain_decay();
        match theorem {
            Theorem::GlobalOptimum => global_optimum(network, data, claim, witness, tolerance),
            Theorem::WideQuadratic => wide_quadratic(network),
            Theorem::PlantedQuadratic => planted_quadratic(network, data, plain()?),
            Theorem::StrictSaddle => strict_saddle(network, data, plain()?, direction),
            Theorem::ApproximateMinimum => {
                let competitors = Competitors { signs: claim.signs, size: None };
                approximate_minimum(network, data, plain()?, competitors, tolerance)
            }
            Theorem::FullRankStationary => full_rank_stationary(network, data, plain()?, None, tolerance),
            // Theorems that are not about one network on given rows.
            other => Err(problem(CertificateProblem::NotInFiles { theorem: other.id() })),
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

    fn certificate(&self, data: &Data, description: RowsDescription, judgements: &[Judgement]) -> Result<Certificate> {
        let about =
            About { rows: data.n(), target: (self.scale != TargetScale::Identity).then_some(data.target.as_str()) };
        let stored = |judgement| StoredJudgement::new(judgement, self.claim, about);
        let mut certificate = Certificate {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            version: env!("CARGO_PKG_VERSION").into(),
            judgements: judgements.iter().map(stored).collect::<Result<_>>()?,
            claim: self.claim.clone(),
            tolerance: self.tolerance,
            data: description,
            network: Weights::new(self.network),
            witness: self.witness.cloned(),
            digest: String::new(),
        };
        let hash = Sha256::digest(value(&certificate)?.to_string());
        certificate.digest = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(certificate)
    }
}

fn problem(problem: CertificateProblem) -> Error {
    Error::Certificate { path: None, problem }
}

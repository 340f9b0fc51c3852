//! The certificate file, and its check: FORMAT.md.

use std::collections::HashSet;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::elementary::ln_nearest;
use crate::error::{Error, Result};
use crate::form::{OwnedRows, RowForm};
use crate::judgement::{Judgement, Side, Verdict};
use crate::network::{Network, StoredNetwork};
use crate::recipe::{self, Step, Treatment};
use crate::rows::Rows;
use crate::table::{Cell, Table, TextRules};
use crate::theorem::Theorem;

/// What every certificate says it is.
pub const FORMAT: &str = "shallows certificate";
/// The version of the format that is written.
pub const FORMAT_VERSION: u64 = 5;
/// The first version that carries proofs.
const FIRST_WITH_PROOFS: u64 = 3;
/// The first version in which columns and targets may be less a centre.
const FIRST_WITH_CENTRES: u64 = 4;
/// The first version with dates, ordered words and words that mean a gap.
const FIRST_WITH_DATES: u64 = 5;

/// Each claim may take as long as the longest proof does, so that there is a limit to how many there are.
const MOST_CLAIMS: usize = 100;

/// Claims about networks and rows, with their proofs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    format: String,
    format_version: u64,
    /// The program that wrote the file.
    pub writer: String,
    /// The rows that the claims are about.
    #[serde(deserialize_with = "Option::deserialize")]
    pub rows: Option<RowsDescription>,
    /// The network.
    #[serde(deserialize_with = "Option::deserialize")]
    pub network: Option<StoredNetwork>,
    /// The planted network.
    #[serde(deserialize_with = "Option::deserialize")]
    pub teacher: Option<StoredNetwork>,
    /// The claims.
    #[serde(rename = "certificates")]
    pub claims: Vec<StoredClaim>,
}

/// Which rows and columns of a table the claims are about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowsDescription {
    /// The fingerprint.
    pub hash: String,
    /// n
    pub count: usize,
    /// The number of rows of the table.
    pub table_rows: usize,
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// The column of the target.
    pub target: String,
    /// What is fitted: the target, or its logarithm.
    pub target_scale: TargetScale,
    /// The column of the weights.
    #[serde(deserialize_with = "Option::deserialize")]
    pub weight: Option<String>,
    /// How columns become inputs.
    pub recipe: Vec<Step>,
    /// Words and numbers that mean a gap, besides those that always do; not there where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gap_words: Vec<String>,
    /// The rows that are used; all when `None`.
    #[serde(deserialize_with = "Option::deserialize")]
    pub selected: Option<Vec<usize>>,
    /// What is done to them; nothing when `None`.
    #[serde(deserialize_with = "Option::deserialize")]
    pub form: Option<RowForm>,
}

/// The scale on which a target is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetScale {
    /// As it is.
    Identity,
    /// Its difference from this centre, rounded to a double.
    Centred(f64),
    /// Its natural logarithm, rounded to a double.
    Log,
}

/// One claim as a file holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredClaim {
    /// The theorem.
    pub theorem: Theorem,
    /// What exactly is claimed, in the words of the theorem's section of FORMAT.md.
    pub claim: Box<RawValue>,
    /// The numbers that prove it.
    pub proof: Box<RawValue>,
    /// Bounds, by name.
    pub facts: Facts,
    /// The claimed verdict.
    pub verdict: Verdict,
    /// The hypotheses as the writer measured them; for people.
    pub checks: Vec<StoredCheck>,
    /// A sentence; for people.
    pub statement: String,
}

/// A hypothesis as the writer measured it; for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredCheck {
    /// In words.
    pub hypothesis: String,
    /// Signed slack: at least 0 when the hypothesis is true.
    pub margin: f64,
    /// A proven bound on the error of the margin.
    pub error: f64,
    /// What follows from the two.
    pub verdict: Verdict,
}

/// Names with numbers, none of them twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts(pub Vec<(String, f64)>);

/// The rows of a table that a certificate is about, and what is to be said about how they came about.
#[derive(Clone, Debug)]
pub struct ReadRows {
    /// The rows, in their form.
    pub rows: OwnedRows,
    /// Words that the recipe does not name.
    pub remarks: Vec<String>,
}

/// What came of checking one claim.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedClaim {
    /// The checker's own judgement.
    pub judgement: Judgement,
    /// Where the file says more than was proved.
    pub objection: Option<Objection>,
}

/// A claim of the file that was not confirmed.
#[derive(Clone, Debug, PartialEq)]
pub enum Objection {
    /// Another verdict.
    Verdict {
        /// In the file.
        claimed: Verdict,
        /// The checker's.
        found: Verdict,
    },
    /// A bound that does not follow.
    Bound {
        /// Its name.
        name: String,
        /// In the file.
        claimed: f64,
        /// What was proved, if anything.
        proved: Option<f64>,
    },
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objection::Verdict { claimed, found } => {
                write!(f, "the certificate says \"{claimed}\", but what it carries shows \"{found}\"")
            }
            Objection::Bound { name, claimed, proved: Some(proved) } => {
                write!(f, "the certificate says {name} = {claimed:e}, but only {proved:e} is proved by what it carries")
            }
            Objection::Bound { name, claimed, proved: None } => {
                write!(f, "the certificate says {name} = {claimed:e}, about which nothing is proved")
            }
        }
    }
}

impl CheckedClaim {
    /// The checker's verdict; what the file exaggerates is not proved.
    pub fn verdict(&self) -> Verdict {
        let found = self.judgement.verdict();
        if self.objection.is_some() { found.max(Verdict::Undecided) } else { found }
    }
}

impl Certificate {
    /// Of these claims.
    pub fn new(
        writer: String,
        rows: Option<RowsDescription>,
        network: Option<StoredNetwork>,
        teacher: Option<StoredNetwork>,
        claims: Vec<StoredClaim>,
    ) -> Certificate {
        Certificate { format: FORMAT.into(), format_version: FORMAT_VERSION, writer, rows, network, teacher, claims }
    }

    /// Read a file of this format; older ones are named as what they are.
    pub fn read(text: &str) -> Result<Certificate> {
        let wrong = |place: &str, problem: String| Error::Certificate { place: place.to_owned(), problem };
        let header: Header =
            serde_json::from_str(text).map_err(|error| wrong("header", format!("not a certificate: {error}")))?;
        if header.format != FORMAT {
            let found: String = header.format.chars().take(40).collect();
            return Err(wrong("format", format!("{found:?} is not {FORMAT:?}")));
        }
        if !(FIRST_WITH_PROOFS..=FORMAT_VERSION).contains(&header.format_version) {
            return Err(Error::OtherFormat { version: header.format_version });
        }
        let certificate: Certificate =
            serde_json::from_str(text).map_err(|error| wrong("contents", error.to_string()))?;
        certificate.check_contents()?;
        Ok(certificate)
    }

    /// What must be true of every file, whatever the table: rows named once, inputs that the recipe gives, a claim.
    pub fn check_contents(&self) -> Result<()> {
        let wrong = |place: &str, problem: &str| {
            Err(Error::Certificate { place: place.to_owned(), problem: problem.to_owned() })
        };
        if !(1..=MOST_CLAIMS).contains(&self.claims.len()) {
            return wrong("certificates", &format!("there must be at least 1 and at most {MOST_CLAIMS}"));
        }
        let Some(rows) = &self.rows else { return Ok(()) };
        let mut seen = HashSet::new();
        let selected = rows.selected.as_deref();
        if let Some(row) = selected.into_iter().flatten().find(|row| !seen.insert(**row) || **row >= rows.table_rows) {
            return wrong("rows.selected", &format!("row {row} is there twice, or not in the table"));
        }
        if selected.map_or(rows.table_rows, <[usize]>::len) != rows.count {
            return wrong("rows.count", "not the number of rows in use");
        }
        if self.format_version < FIRST_WITH_CENTRES && rows.has_centres() {
            return wrong("rows", "files of this version have no centres");
        }
        if self.format_version < FIRST_WITH_DATES && rows.has_dates() {
            return wrong(
                "rows",
                "files of this version have no dates, no ordered words and no further words for gaps",
            );
        }
        if let TargetScale::Centred(centre) = rows.target_scale
            && !centre.is_finite()
        {
            return wrong("rows.target_scale", "a centre that is not finite");
        }
        let forbidden: Vec<&str> = [rows.target.as_str()].into_iter().chain(rows.weight.as_deref()).collect();
        recipe::check(&rows.recipe, &forbidden, self.text_rules())?;
        let names = recipe::input_names(&rows.recipe, self.text_rules());
        rows.form.as_ref().map_or(Ok(()), |form| form.check(names.len()))?;
        let added = rows.form.as_ref().map_or(0, RowForm::added);
        if !rows.inputs.starts_with(&names) || rows.inputs.len() != names.len() + added {
            return wrong("rows.inputs", "not those that the recipe and the form give");
        }
        Ok(())
    }

    /// The rows of a table that the claims are about; an error where they are about others, `None` where about none.
    pub fn rows_of(&self, table: &Table) -> Result<Option<ReadRows>> {
        self.rows.as_ref().map(|rows| rows.read(table, self.text_rules())).transpose()
    }

    fn text_rules(&self) -> TextRules {
        if self.format_version < FIRST_WITH_DATES { TextRules::UpTo4 } else { TextRules::Since5 }
    }

    /// Judge every claim from the rows, the networks and the proofs.
    pub fn check(&self, rows: Option<Rows<'_>>) -> Result<Vec<CheckedClaim>> {
        let (rows, described) = match (rows, &self.rows) {
            (Some(rows), Some(described)) => (Some(rows), described),
            (None, None) => return self.claims.iter().map(|claim| self.judge(claim, None)).collect(),
            (Some(_), None) | (None, Some(_)) => {
                let problem = "given where the claims are about none, or not given where they are about some";
                return Err(Error::Certificate { place: "rows".into(), problem: problem.into() });
            }
        };
        if let Some(rows) = &rows {
            described.compare(rows)?;
        }
        self.claims.iter().map(|claim| self.judge(claim, rows)).collect()
    }

    fn judge(&self, claim: &StoredClaim, rows: Option<Rows<'_>>) -> Result<CheckedClaim> {
        let d = rows.map(|rows| rows.d());
        let [network, teacher] = [&self.network, &self.teacher].map(|stored| stored.as_ref().map(|one| one.network(d)));
        let (network, teacher) = (network.transpose()?, teacher.transpose()?);
        let subject = Subject { rows, network: network.as_ref(), teacher: teacher.as_ref() };
        let judgement = claim.theorem.judge(&subject, claim.claim.get(), claim.proof.get())?;
        let objection = objection(claim, &judgement);
        Ok(CheckedClaim { judgement, objection })
    }
}

/// What a theorem may be about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Rows.
    pub rows: Option<Rows<'a>>,
    /// A network.
    pub network: Option<&'a Network>,
    /// A planted network.
    pub teacher: Option<&'a Network>,
}

impl<'a> Subject<'a> {
    /// The rows, which the theorem needs.
    pub fn rows(&self) -> Result<Rows<'a>> {
        self.rows.ok_or(Error::Absent { what: "rows" })
    }

    /// The network, which the theorem needs.
    pub fn network(&self) -> Result<&'a Network> {
        self.network.ok_or(Error::Absent { what: "network" })
    }

    /// The planted network, which the theorem needs.
    pub fn teacher(&self) -> Result<&'a Network> {
        self.teacher.ok_or(Error::Absent { what: "teacher" })
    }
}

/// What the file says beyond what was proved.
fn objection(claim: &StoredClaim, judgement: &Judgement) -> Option<Objection> {
    let (claimed, found) = (claim.verdict, judgement.verdict());
    // A claimed `undecided` claims nothing.
    if claimed != Verdict::Undecided && claimed != found {
        return Some(Objection::Verdict { claimed, found });
    }
    claim.facts.0.iter().find_map(|(name, claimed)| {
        let fact = judgement.facts.iter().find(|fact| fact.name == name);
        let follows = fact.is_some_and(|fact| match fact.side {
            Side::AtLeast => *claimed <= fact.value,
            Side::AtMost => *claimed >= fact.value,
            Side::Exactly => *claimed == fact.value,
        });
        let bound = || Objection::Bound { name: name.clone(), claimed: *claimed, proved: fact.map(|fact| fact.value) };
        (!follows).then(bound)
    })
}

/// What every version of the format begins with.
#[derive(Deserialize)]
struct Header {
    format: String,
    format_version: u64,
}

impl RowsDescription {
    /// What is fitted: the target, or what the scale makes of it by a name that no input has.
    pub fn fitted(&self) -> String {
        let mut name = match self.target_scale {
            TargetScale::Identity => return self.target.clone(),
            TargetScale::Centred(centre) => recipe::less_centre(&self.target, centre),
            TargetScale::Log => format!("ln({})", self.target),
        };
        while self.inputs.contains(&name) {
            name.push('′');
        }
        name
    }

    /// Whether anything is less a centre.
    fn has_centres(&self) -> bool {
        let is_centred = |step: &Step| matches!(step.treatment, Treatment::Centred { .. });
        matches!(self.target_scale, TargetScale::Centred(_)) || self.recipe.iter().any(is_centred)
    }

    /// Whether a column is one of dates or ordered words, or further words mean a gap.
    fn has_dates(&self) -> bool {
        let is_new = |step: &Step| matches!(step.treatment, Treatment::Date { .. } | Treatment::Ordered { .. });
        !self.gap_words.is_empty() || self.recipe.iter().any(is_new)
    }

    /// The target on its scale.
    fn labels(&self, table: &Table, rows: &[usize], rules: TextRules) -> Result<Vec<f64>> {
        let y = numbers(table, &self.target, rows, rules)?;
        match self.target_scale {
            TargetScale::Identity => Ok(y),
            TargetScale::Centred(centre) => Ok(y.into_iter().map(|y| y - centre).collect()),
            TargetScale::Log => {
                if let Some(at) = y.iter().position(|y| !(*y > 0.0)) {
                    let place = format!("row {}, column {:?}", rows[at], self.target);
                    return Err(Error::Table { place, problem: "a target without a logarithm".into() });
                }
                Ok(y.into_iter().map(ln_nearest).collect())
            }
        }
    }

    /// The rows of a table by the recipe.
    fn read(&self, table: &Table, rules: TextRules) -> Result<ReadRows> {
        if table.rows() != self.table_rows {
            return Err(Error::Shape { what: "rows of the table", expected: self.table_rows, found: table.rows() });
        }
        let with_gaps = (!self.gap_words.is_empty()).then(|| table.with_gaps(&self.gap_words)).transpose()?;
        let table = with_gaps.as_ref().unwrap_or(table);
        let rows = self.selected.clone().unwrap_or_else(|| (0..self.table_rows).collect());
        let y = self.labels(table, &rows, rules)?;
        let weights = self.weight.as_ref().map(|name| numbers(table, name, &rows, rules)).transpose()?;
        let (X, remarks) = recipe::expand(&self.recipe, table, &rows, rules)?;
        let rows = OwnedRows { X, d: recipe::input_names(&self.recipe, rules).len(), y, weights };
        let rows = match &self.form {
            Some(form) => form.apply(rows)?,
            None => rows,
        };
        Ok(ReadRows { rows, remarks })
    }

    /// The fingerprint of rows under these names.
    pub fn fingerprint(&self, rows: &Rows<'_>) -> String {
        let mut hash = Sha256::new();
        hash.update(b"shallows data 1\n");
        [rows.n(), rows.d()].iter().for_each(|count| hash.update((*count as u64).to_le_bytes()));
        for name in self.inputs.iter().chain([&self.fitted()]) {
            hash.update((name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
        }
        let mut add = |numbers: &[f64]| {
            // −0 + 0 = +0, and every other number stays as it is.
            let bytes = |some: &[f64]| some.iter().flat_map(|x| (x + 0.0).to_bits().to_le_bytes()).collect::<Vec<u8>>();
            numbers.chunks(1 << 12).for_each(|some| hash.update(bytes(some)));
        };
        add(rows.inputs());
        add(rows.labels());
        hash.update([u8::from(rows.weights().is_some())]);
        let mut add = |numbers: &[f64]| numbers.iter().for_each(|x| hash.update((x + 0.0).to_bits().to_le_bytes()));
        add(rows.weights().unwrap_or_default());
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// An error unless these are the rows.
    fn compare(&self, rows: &Rows<'_>) -> Result<()> {
        let is_merged = self.form.as_ref().is_some_and(|form| form.merged.is_some());
        let expected = (if is_merged { rows.n() } else { self.count }, self.inputs.len());
        let found = (rows.n(), rows.d());
        if expected != found {
            let problem =
                format!("{} rows of {} inputs, but {} of {} are given", expected.0, expected.1, found.0, found.1);
            return Err(Error::Certificate { place: "rows".into(), problem });
        }
        let found = self.fingerprint(rows);
        if found == self.hash { Ok(()) } else { Err(Error::OtherRows { expected: self.hash.clone(), found }) }
    }

    /// What the claims are about, in words: rows, inputs, target, weights.
    pub fn words(&self) -> String {
        let rows = match &self.selected {
            Some(_) => format!("{} of the {} rows of the table", self.count, self.table_rows),
            None => format!("all {} rows of the table", self.count),
        };
        let inputs = self.inputs.len();
        let (scale, centre) = match self.target_scale {
            TargetScale::Identity => ("", String::new()),
            TargetScale::Centred(centre) => ("", format!(" less {centre}")),
            TargetScale::Log => ("the natural logarithm of ", String::new()),
        };
        let weights = self.weight.as_ref().map_or(String::new(), |name| format!(", weighted by {name:?}"));
        let form = self.form.as_ref().map_or(String::new(), |form| format!(", rows {}", form.words()));
        format!(
            "{scale}{:?}{centre} on {rows}, from {inputs} input{}{weights}{form}",
            self.target,
            if inputs == 1 { "" } else { "s" }
        )
    }
}

impl ReadRows {
    /// For the proofs.
    pub fn rows(&self) -> Result<Rows<'_>> {
        let OwnedRows { X, d, y, weights } = &self.rows;
        Rows::new(X, *d, y, weights.as_deref())
    }
}

/// The numbers of a column in some rows, since format 5 also 1 for true and 0 for false; gaps and other words are errors.
fn numbers(table: &Table, name: &str, rows: &[usize], rules: TextRules) -> Result<Vec<f64>> {
    let column = table.column(name)?;
    let number = |&i: &usize| match (column.cell(i), rules) {
        (Cell::Word("true"), TextRules::Since5) => Ok(1.0),
        (Cell::Word("false"), TextRules::Since5) => Ok(0.0),
        _ => column
            .number(i, rules)
            .ok_or_else(|| Error::Table { place: format!("row {i}, column {name:?}"), problem: "not a number".into() }),
    };
    rows.iter().map(number).collect()
}

impl Serialize for Facts {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Facts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Facts, D::Error> {
        deserializer.deserialize_map(NamedNumbers)
    }
}

struct NamedNumbers;

impl<'de> Visitor<'de> for NamedNumbers {
    type Value = Facts;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("numbers with names")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Facts, A::Error> {
        let (mut facts, mut seen) = (vec![], HashSet::new());
        while let Some((name, value)) = map.next_entry::<String, f64>()? {
            if !seen.insert(name.clone()) {
                return Err(serde::de::Error::custom(format!("{name:?} is there twice")));
            }
            facts.push((name, value));
        }
        Ok(Facts(facts))
    }
}

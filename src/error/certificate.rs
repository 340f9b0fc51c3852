//! What can be wrong with a certificate file: each sentence and its way out, side by side.

use super::hint::Hint;
use super::text::{cut, excerpt};

/// Characters of a reader's complaint or of a value that a message shows.
const LONGEST_REASON: usize = 80;
/// Characters of what the checker says that a message shows: a hash and what was found instead, but no list of names.
const LONGEST_REPLY: usize = 300;

/// The way out where the rows are others.
const SAME_ROWS: &str = "certificates hold for exactly the rows they were made for: give that very table";

/// The way out where the model is another.
const SAME_MODEL: &str = "certificates hold for exactly the network they were made for: give that very model";

/// What can be wrong with a certificate file.
///
/// ```
/// use shallows::error::Error;
/// use shallows::{Data, Quadratic};
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0]], &[0.0, 3.0, 12.0])?;
/// let proof = Quadratic::new().decay(0.01).fit(&data)?.certify(&data)?;
///
/// let others = Data::from_rows(&[[0.0], [1.0], [2.5]], &[0.0, 3.0, 12.0])?;
/// assert!(matches!(proof.certificate().verify(&others), Err(Error::Certificate { .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CertificateProblem {
    /// More than we are willing to read.
    #[error("more than {most} bytes, the most that a certificate may have")]
    TooLarge {
        /// The limit.
        most: u64,
    },
    /// Not JSON, or not with exactly the fields of a certificate.
    #[error("not a certificate: {}", cut(reason, LONGEST_REASON))]
    NotCertificate {
        /// What the reader stumbled over.
        reason: String,
    },
    /// Written in a format that carries no proof, or in one that is newer.
    #[error("a certificate in format {found}{}", if *found < 3 { ", which carries no proof" } else { ", which is newer than this version" })]
    Format {
        /// Of the file.
        found: u64,
    },
    /// The checker cannot read it, or not with what is given.
    #[error("{}", cut(&.0.to_string(), LONGEST_REPLY))]
    Checker(shallows_verify::Error),
    /// The file states more than its proof gives.
    #[error("{theorem} is not confirmed: {objection}")]
    NotConfirmed {
        /// Its id.
        theorem: &'static str,
        /// What is not.
        objection: String,
    },
    /// A certificate that is about no rows.
    #[error("the certificate is about no rows of a table")]
    NoRows,
    /// A certificate that is about rows, which are not given.
    #[error("the certificate is about rows of a table, and no table is given")]
    AboutRows,
    /// Samples that did not come from the columns and rows that are named.
    #[error("the samples did not come from the columns and rows that are named")]
    OtherSource,
    /// A theorem that does not speak about one network on given rows.
    #[error("{theorem} is not about a network and rows, so a certificate of a model cannot hold it")]
    NotInFiles {
        /// Its id.
        theorem: &'static str,
    },
    /// The certificate is right, but says that a claim is not proved.
    #[error("the certificate is right, but {theorem} is not proved: {verdict}")]
    NotProved {
        /// Its id.
        theorem: &'static str,
        /// What came out instead.
        verdict: String,
    },
    /// The model reads other columns, treats them otherwise, or predicts another one.
    #[error(
        "refused: {field} is {} in the certificate, but {} in the model",
        cut(stored, LONGEST_REASON),
        cut(found, LONGEST_REASON)
    )]
    OtherModel {
        /// The place in the certificate.
        field: String,
        /// What stands there.
        stored: String,
        /// What stands in the model.
        found: String,
    },
    /// Other columns were named than those it speaks about.
    #[error("its {what} is {}, not {}", stored.as_deref().map_or("none".into(), excerpt), excerpt(found))]
    Subject {
        /// Target or weight.
        what: &'static str,
        /// Of the certificate, if there is one.
        stored: Option<String>,
        /// As named.
        found: String,
    },
    /// The objective or its bounds overflowed, and JSON has no infinity.
    #[error("{what} is not a finite number, so there is nothing to write down")]
    NotFinite {
        /// Which number.
        what: &'static str,
    },
}

impl CertificateProblem {
    /// A way out.
    pub fn hint(&self) -> Hint {
        match self {
            CertificateProblem::TooLarge { .. } | CertificateProblem::NotCertificate { .. } => Hint::WriteCertificate,
            CertificateProblem::NotInFiles { .. } => Hint::ListTheorems,
            _ => Hint::plain(self.advice()),
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            CertificateProblem::Format { .. } => "certify again: the network and the rows are all it takes",
            CertificateProblem::Checker(
                shallows_verify::Error::OtherRows { .. }
                | shallows_verify::Error::Shape { what: "rows" | "rows of the table" | "inputs", .. },
            ) => SAME_ROWS,
            CertificateProblem::Checker(_) | CertificateProblem::NotConfirmed { .. } => {
                "the certificate was altered or damaged: certify again"
            }
            CertificateProblem::NoRows => "verify it without a table",
            CertificateProblem::AboutRows | CertificateProblem::OtherSource => SAME_ROWS,
            CertificateProblem::Subject { .. } => SAME_ROWS,
            CertificateProblem::OtherModel { .. } => SAME_MODEL,
            CertificateProblem::NotProved { .. } => {
                "what is not proved may still be true: its checks say what is missing"
            }
            CertificateProblem::NotFinite { .. } => "inputs, labels or weights are too large to be squared",
            CertificateProblem::TooLarge { .. }
            | CertificateProblem::NotCertificate { .. }
            | CertificateProblem::NotInFiles { .. } => "certify again",
        }
    }
}

//! Rows that determine a quadratic network: the search for a proof or for exact relations, and the checker's word on them.

use shallows_verify::theorem::determined::Claim;

use crate::certificate::Judgement;
use crate::certificate::Verdict;
use crate::certificate::convert::{flat_weights, rows_for_checker};
use crate::certificate::determined::{ScaledRows, Span};
use crate::certificate::file::ProvedClaim;
use crate::certificate::proposal::determined::{ProvedSpan, SpanSearch};
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
    claimed(data, affine).map(|(claim, span)| (claim.into_judgement(), span))
}

/// The claim for a file, and what is left open.
pub(in crate::certificate) fn claimed(data: &Data, affine: bool) -> Result<(ProvedClaim, Span)> {
    let rows = rows_for_checker(data)?;
    let weights = flat_weights(data);
    let flat = shallows_verify::Rows::new(data.X.as_slice(), data.d(), &data.y, Some(&weights))?;
    let search = SpanSearch::new(rows, flat, affine, &data.names)?;
    let mut found = search.prove()?;
    let scaled = ScaledRows::new(flat, affine)?;
    let mut span = Span::new(&scaled, &data.names, &found);
    if found.judgement.verdict() == Verdict::Undecided
        && let Some(refuted) = search.refute_by(&span)?
    {
        found = refuted;
        span = Span::new(&scaled, &data.names, &found);
    }
    let ProvedSpan { proof, judgement, .. } = found;
    Ok((ProvedClaim::new(&Claim { affine }, &proof, judgement)?, span))
}

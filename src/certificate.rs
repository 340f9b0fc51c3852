//! What can be proved about a network, and nothing else.
//!
//! A theorem is a function from what it speaks about to a [`Judgement`]: its hypotheses one by one, each with the
//! measured margin and a proven bound on the error of that margin. This room sees only the network, the data and the
//! claim. It believes no solver, and shares no numerical shortcut with one: the sums and factorisations that decide a
//! verdict are its own plain loops, with directed rounding, and give the same bits on every machine; `arithmetic` names the
//! three ingredients that are not. Eigenvalues of `spectrum` and directions of `risk::escape` propose what is then proved or
//! not. A [`Certificate`] holds judgements about one network in a file, and
//! [`Certificate::verify`] computes all of them again; [`promises()`] is what can be said before training.
//!
//! | file or folder | holds | decides |
//! |---|---|---|
//! | `theorem/` | one file for each theorem: its text, its function, and its proof in the header | yes |
//! | `arithmetic/` | floating point with proofs: directed rounding, sums, factorisations, enclosures, rows | yes |
//! | `descent/` | proved numbers at a start, plans and the form of their rows | yes |
//! | `determined/` | independence of products; spans and rivals, which only tell | in part |
//! | `proposal/` | dual points, better networks, widths and scales to try | never |
//! | `file/` | the certificate in a file, and its verification | by equality |
//! | `words`, `document` | bounds in few digits, judgements in JSON | never |

mod convert;
pub mod descent;
pub mod determined;
pub mod file;
pub mod proposal;
mod saved;
pub mod theorem;

pub use crate::network::Signs;
pub use descent::{Promises, guarantee, promises};
pub use determined::{Direction, Rival, Span, rival};
pub use file::{Certificate, Source};
pub use proposal::search::{Search, find_scale, find_width};
pub(crate) use saved::rows_claims;
pub use shallows_verify::matrix::use_threads as use_checker_threads;
pub use shallows_verify::words;
pub use shallows_verify::{Check, Fact, Judgement, Side, Theorem, Verdict};
pub use theorem::*;

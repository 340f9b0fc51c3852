//! Words that have an order.

use std::fmt;
use std::str::FromStr;

use crate::data::column::{Cell, cell_of, name_of};
use crate::error::{DataProblem, Error};

/// The words of a column in their order.
///
/// ```
/// use shallows::data::recipe::WordOrder;
///
/// let order: WordOrder = "size=S<M<L".parse()?;
/// assert_eq!((order.column.as_str(), order.words), ("size", ["S", "M", "L"].map(str::to_owned).to_vec()));
/// assert!("size=S".parse::<WordOrder>().is_err() && "size=S<S".parse::<WordOrder>().is_err());
/// # Ok::<(), shallows::data::recipe::UnknownWordOrder>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordOrder {
    /// The column.
    pub column: String,
    /// Its words, the lowest first.
    pub words: Vec<String>,
}

impl WordOrder {
    /// Of words as a file holds them: at least two, none of them twice.
    pub fn new(
        column: String,
        words: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<WordOrder, UnknownWordOrder> {
        let word = |text: &str| match cell_of(text) {
            Cell::Missing => None,
            Cell::Number(x) => Some(name_of(x)),
            Cell::Word(word) => Some(word.to_owned()),
        };
        let words: Option<Vec<String>> = words.into_iter().map(|text| word(text.as_ref())).collect();
        let words =
            words.filter(|words| words.len() > 1 && !(1..words.len()).any(|at| words[..at].contains(&words[at])));
        words.map(|words| WordOrder { column, words }).ok_or(UnknownWordOrder)
    }
}

impl FromStr for WordOrder {
    type Err = UnknownWordOrder;

    /// `size=S<M<L`
    fn from_str(text: &str) -> Result<Self, UnknownWordOrder> {
        let (column, words) = text.split_once('=').ok_or(UnknownWordOrder)?;
        WordOrder::new(column.trim().to_owned(), words.split('<'))
    }
}

/// Not a column with at least two different words in their order. [`WordOrder`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownWordOrder;

impl fmt::Display for UnknownWordOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a column with its words in order, such as size=small<medium<large (each word once, none of them a gap)")
    }
}

impl std::error::Error for UnknownWordOrder {}

impl From<UnknownWordOrder> for Error {
    fn from(_: UnknownWordOrder) -> Error {
        Error::Data(DataProblem::WordOrder)
    }
}

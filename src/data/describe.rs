//! What the columns of a table hold, one summary each.

use std::collections::HashMap;

use super::column::Cell;
use super::table::Table;

/// What one column holds. [`ColumnContent`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSummary {
    /// Of the column.
    pub name: String,
    /// Gaps in it.
    pub missing: usize,
    /// Cells of a file that cannot be read, which are not missing.
    pub unread: usize,
    /// Its other cells.
    pub content: ColumnContent,
}

/// What the cells of a column are.
///
/// ```
/// use std::path::Path;
/// use shallows::Table;
/// use shallows::data::ColumnContent;
///
/// let table = Table::read_csv("colour,y\nred,1\n,2\nred,9\n".as_bytes(), Path::new("paint.csv"))?;
/// let [colour, y] = &table.summaries()[..] else { panic!("two columns") };
/// assert_eq!((colour.name.as_str(), colour.missing), ("colour", 1));
/// assert_eq!(y.content, ColumnContent::Numbers { least: 1.0, median: 2.0, most: 9.0 });
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnContent {
    /// All of them, but for gaps.
    Numbers {
        /// The smallest.
        least: f64,
        /// Half of them are at most this.
        median: f64,
        /// The largest.
        most: f64,
    },
    /// Some or all of them.
    Words {
        /// How many different ones.
        different: usize,
        /// The most frequent.
        frequent: String,
        /// How often that occurs.
        count: usize,
    },
    /// Nothing but gaps.
    Nothing,
}

impl Table {
    /// What every column holds, as it is in the file.
    pub fn summaries(&self) -> Vec<ColumnSummary> {
        self.names.iter().enumerate().map(|(j, name)| self.summary(j, name)).collect()
    }

    fn summary(&self, j: usize, name: &str) -> ColumnSummary {
        let column = &self.columns[j];
        let (mut numbers, mut missing) = (vec![], 0);
        let mut words: HashMap<String, usize> = HashMap::new();
        for i in 0..self.rows() {
            match column.cell(i) {
                Cell::Missing => missing += 1,
                Cell::Number(x) => numbers.push(x),
                Cell::Word(word) => *words.entry(word.to_owned()).or_default() += 1,
            }
        }
        let most_frequent = words.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
        let content = match most_frequent {
            Some((word, count)) => {
                ColumnContent::Words { different: words.len(), frequent: word.clone(), count: *count }
            }
            None if numbers.is_empty() => ColumnContent::Nothing,
            None => {
                numbers.sort_by(f64::total_cmp);
                let m = numbers.len();
                let median = numbers[(m - 1) / 2] / 2.0 + numbers[m / 2] / 2.0;
                ColumnContent::Numbers { least: numbers[0], median, most: numbers[m - 1] }
            }
        };
        let unread = column.unread.count;
        ColumnSummary { name: name.to_owned(), missing: missing - unread, unread, content }
    }
}

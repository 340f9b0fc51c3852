//! What the columns of a table hold, in a line each.

use std::collections::HashMap;

use shallows::data::{Cell, Table};

use crate::output::{number, without_idle_zeros};

/// One column.
pub struct Summary {
    pub name: String,
    pub missing: usize,
    pub content: Content,
}

/// What its cells are.
pub enum Content {
    /// All of them, but for gaps.
    Numbers {
        least: f64,
        median: f64,
        most: f64,
    },
    /// Some or all of them: how many different ones, and the most frequent with its count.
    Words {
        different: usize,
        frequent: String,
        count: usize,
    },
    Nothing,
}

impl Summary {
    /// Of every column of a table, as it is in the file.
    pub fn of(table: &Table) -> Vec<Summary> {
        table.names.iter().enumerate().map(|(j, name)| Summary::of_column(table, j, name)).collect()
    }

    fn of_column(table: &Table, j: usize, name: &str) -> Summary {
        let column = &table.columns[j];
        let (mut numbers, mut missing) = (vec![], 0);
        let mut words: HashMap<String, usize> = HashMap::new();
        for i in 0..table.rows() {
            match column.cell(i) {
                Cell::Missing => missing += 1,
                Cell::Number(x) => numbers.push(x),
                Cell::Word(word) => *words.entry(word.to_owned()).or_default() += 1,
            }
        }
        let most_frequent = words.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
        let content = match most_frequent {
            Some((word, count)) => Content::Words { different: words.len(), frequent: word.clone(), count: *count },
            None if numbers.is_empty() => Content::Nothing,
            None => {
                numbers.sort_by(f64::total_cmp);
                let m = numbers.len();
                let median = numbers[(m - 1) / 2] / 2.0 + numbers[m / 2] / 2.0;
                Content::Numbers { least: numbers[0], median, most: numbers[m - 1] }
            }
        };
        Summary { name: name.to_owned(), missing, content }
    }

    /// Name, gaps, least, median, most; words are described in place of the numbers.
    pub fn cells(&self, rows: usize) -> Vec<String> {
        let mut cells = vec![self.name.clone(), self.missing.to_string()];
        match &self.content {
            Content::Numbers { least, median, most } => cells.extend([*least, *median, *most].map(short)),
            Content::Words { different, frequent, count } => {
                let share = 100.0 * *count as f64 / rows.max(1) as f64;
                cells.push(format!("{different} different words, most often “{frequent}” ({share:.0} %)"));
            }
            Content::Nothing => cells.push("no values".into()),
        }
        cells
    }
}

/// Whole numbers as they are, others with five digits at most.
fn short(x: f64) -> String {
    const EXACT: f64 = 1e9;
    if x.fract() == 0.0 && x.abs() < EXACT { format!("{x:.0}") } else { without_idle_zeros(number(x)) }
}

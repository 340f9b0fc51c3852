//! Which rows are kept out of the training.

use std::path::PathBuf;

use shallows::random::{Purpose, Stream};

use crate::failure::Failure;

/// As given to `--holdout`.
pub enum Holdout {
    /// This share of the rows, drawn from the seed.
    Share(f64),
    /// The rows listed in this file.
    File(PathBuf),
}

impl Holdout {
    /// A number is a share, anything else a file.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        match text.parse::<f64>() {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(Holdout::Share(share)),
            Ok(share) => Err(Failure::with_hint(
                format!("--holdout must be between 0 and 1, not {share}"),
                "0.2 keeps a fifth of the rows out of the training",
            )),
            Err(_) => Ok(Holdout::File(text.into())),
        }
    }

    /// The rows to train on and the rows held out, both in the order of the table.
    pub fn rows(&self, n: usize, seed: u64) -> Result<(Vec<usize>, Vec<usize>), Failure> {
        let mut held = vec![false; n];
        match self {
            Holdout::Share(share) => {
                let count = (share * n as f64).round() as usize;
                // The library's own choice of candidates uses split 0.
                let order = Stream::new(seed, Purpose::Split, 1).permutation(n);
                order[..count].iter().for_each(|&row| held[row] = true);
            }
            Holdout::File(path) => {
                let shown = path.display();
                let text = std::fs::read_to_string(path).map_err(|source| {
                    Failure::with_hint(format!("{shown}: {source}"), "--holdout takes a share such as 0.2, or a file")
                })?;
                for (at, word) in
                    text.lines().enumerate().flat_map(|(at, line)| line.split_whitespace().map(move |word| (at, word)))
                {
                    let row = word.parse::<usize>().ok().filter(|row| *row < n).ok_or_else(|| {
                        let word = shallows::error::excerpt(word);
                        Failure::with_hint(
                            format!("{shown} line {}: {word} is not a row number below {n}", at + 1),
                            "rows are counted from 0, the first line after the header",
                        )
                    })?;
                    held[row] = true;
                }
            }
        }
        let (test, train): (Vec<usize>, Vec<usize>) = (0..n).partition(|&row| held[row]);
        if train.len() < 2 || test.is_empty() {
            return Err(Failure::with_hint(
                format!("--holdout leaves {} rows to train on and {} to judge by", train.len(), test.len()),
                "both are needed: at least 2 and 1",
            ));
        }
        Ok((train, test))
    }
}

//! Which rows are kept out of the training.

use std::path::{Path, PathBuf};

use shallows::data::split::{Aside, Split, deal};

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
    pub fn parse(text: &str) -> Self {
        text.parse().map_or_else(|_| Holdout::File(text.into()), Holdout::Share)
    }

    /// The file of row numbers, where it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Holdout::Share(_) => None,
            Holdout::File(path) => Some(path),
        }
    }

    /// The rows to train on and the rows held out, as positions in `labelled`, the rows of the table with a target.
    pub fn rows(&self, labelled: &[usize], n: usize, seed: u64) -> Result<Split, Failure> {
        let positions: Vec<usize> = (0..labelled.len()).collect();
        let (train, test) = match self {
            Holdout::Share(share) => deal(&positions, *share, seed, Aside::Holdout)?,
            Holdout::File(path) => {
                let mut held = vec![false; n];
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
                positions.into_iter().partition(|&at| !held[labelled[at]])
            }
        };
        if train.len() < 2 || test.is_empty() {
            return Err(Failure::with_hint(
                format!("--holdout leaves {} rows to train on and {} to judge by", train.len(), test.len()),
                "both are needed: at least 2 and 1",
            ));
        }
        Ok((train, test))
    }
}

//! Which rows are kept out of the training.

use std::path::PathBuf;

use shallows::random::{Purpose, Stream};

use crate::failure::Failure;

/// Rows to keep and rows set aside, both in the order of the table.
type Split = (Vec<usize>, Vec<usize>);

/// The splits of the rows by chance: the library's own are 0 and 2.
const HOLDOUT: u64 = 1;
const CALIBRATION: u64 = 3;

/// Set this share of the rows aside.
fn deal(rows: &[usize], share: f64, seed: u64, split: u64) -> Split {
    let count = (share * rows.len() as f64).round() as usize;
    let order = Stream::new(seed, Purpose::Split, split).permutation(rows.len());
    let mut aside = vec![false; rows.len()];
    order[..count].iter().for_each(|&at| aside[at] = true);
    let pick =
        |wanted: bool| rows.iter().zip(&aside).filter(|(_, aside)| **aside == wanted).map(|(row, _)| *row).collect();
    (pick(false), pick(true))
}

/// The rows to train on and those that calibrate prediction intervals.
pub fn calibration(rows: &[usize], share: f64, seed: u64) -> Result<Split, Failure> {
    if !(share > 0.0 && share < 1.0) {
        return Err(Failure::with_hint(
            format!("--calibrate must be between 0 and 1, not {share}"),
            "0.2 keeps a fifth of the rows out of the training, to calibrate intervals",
        ));
    }
    let (train, scored) = deal(rows, share, seed, CALIBRATION);
    if train.len() < 2 || scored.is_empty() {
        return Err(Failure::with_hint(
            format!("--calibrate leaves {} rows to train on and {} to calibrate with", train.len(), scored.len()),
            "both are needed: at least 2 and 1",
        ));
    }
    Ok((train, scored))
}

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

    /// The rows to train on and the rows held out, as positions in `labelled`, the rows of the table with a target.
    pub fn rows(&self, labelled: &[usize], n: usize, seed: u64) -> Result<Split, Failure> {
        let positions: Vec<usize> = (0..labelled.len()).collect();
        let (train, test) = match self {
            Holdout::Share(share) => deal(&positions, *share, seed, HOLDOUT),
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

//! From the file to the samples: which columns, which rows, and what becomes of them.

use shallows::data::split::{Aside, deal};
use shallows::data::{Data, Recipe, Roles, Table};

use super::holdout::Holdout;
use super::page::columns::Summary;
use super::{FitArgs, Missing};
use crate::failure::Failure;
use crate::output::left_out;

/// The samples of a table, and how they came about.
pub struct Samples {
    pub data: Data,
    /// The column to predict.
    pub target: String,
    pub recipe: Recipe,
    /// In the numbering of `data`.
    pub rows: Rows,
    /// The rows of the table that are trained on; all when `None`.
    pub used: Option<Vec<usize>>,
    /// What is worth knowing about the table, in words.
    pub remarks: Vec<String>,
    /// What the columns of the table hold, where there is to be a report.
    pub columns: Vec<Summary>,
    /// Rows of the table, with a target or without.
    pub table_rows: usize,
}

/// Which rows are used for what; all of them for the training where no list is given.
pub struct Rows {
    pub train: Option<Vec<usize>>,
    pub test: Option<Vec<usize>>,
    pub scored: Option<Vec<usize>>,
}

impl FitArgs {
    /// Read the table, deal its rows out, and learn the recipe from those of the training.
    pub fn samples(&self) -> Result<Samples, Failure> {
        let table = Table::read(&self.data)?;
        let roles = self.roles();
        let target = roles.target(&table)?;
        let labelled = roles.labelled(&table)?;
        let mut remarks = vec![];
        if labelled.len() < table.rows() {
            remarks.push(left_out(table.rows() - labelled.len(), &target));
        }
        let rows = self.rows(&labelled, table.rows())?;
        let training: Option<Vec<usize>> =
            rows.train.as_ref().map(|train| train.iter().map(|&at| labelled[at]).collect());
        let recipe = Recipe::learn(&table, &roles, training.as_ref().unwrap_or(&labelled))?;
        let labelled = (labelled.len() < table.rows()).then_some(labelled);
        let data = recipe.data(&table, &target, self.weight.as_deref(), labelled.as_deref())?;
        // The table is gone when this returns: large ones would not fit twice.
        let columns = if self.report.is_some() { Summary::of(&table) } else { vec![] };
        let (used, table_rows) = (training.or(labelled), table.rows());
        Ok(Samples { data, target, recipe, rows, used, remarks, columns, table_rows })
    }

    fn roles(&self) -> Roles {
        Roles {
            target: self.target.clone(),
            weight: self.weight.clone(),
            drop: self.drop.clone(),
            categorical: self.categorical.clone(),
            refuse_gaps: self.missing == Missing::Error,
            keep_constants: self.no_linear || self.no_intercept,
            target_scale: self.target_scale.into(),
        }
    }

    /// Deal the rows with a target out; rows of a hold-out file are numbered as in the table.
    fn rows(&self, labelled: &[usize], all: usize) -> Result<Rows, Failure> {
        let split = self.holdout.as_deref().map(Holdout::parse);
        let n = labelled.len();
        let split = split.map(|split| split.rows(labelled, all, self.seed)).transpose()?;
        let (mut train, test) = split.map_or((None, None), |(train, test)| (Some(train), Some(test)));
        let mut scored = None;
        if let Some(share) = self.calibrate {
            if self.weight.is_some() {
                return Err(Failure::with_hint(
                    "--calibrate does not go with --weight: intervals hold for rows that count alike",
                    "leave one of them out",
                ));
            }
            let rows = train.unwrap_or_else(|| (0..n).collect());
            let (rest, aside) = deal(&rows, share, self.seed, Aside::Calibration)?;
            (train, scored) = (Some(rest), Some(aside));
        }
        Ok(Rows { train, test, scored })
    }
}

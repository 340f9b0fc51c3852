//! What cannot be trained is refused before anything is: too many runs, too large numbers, cells without a size.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::grid::GridCell;
use super::super::protocol::{Labels, short};
use super::reading::SpecificationText;
use super::{MOST_TRIALS, Specification};
use crate::data::teacher::Outputs;
use crate::error::{Result, SpecificationProblem};

/// Where the activation of a planted network is usually evaluated.
const USUAL: [f64; 5] = [-10.0, -1.0, 0.0, 1.0, 10.0];

impl SpecificationText<'_> {
    pub(super) fn check_size(&self, specification: &Specification, span: Range<usize>) -> Result<()> {
        let refined = specification.refine.as_ref().map_or(0, |refine| refine.trials) as u128;
        let Specification { trials: networks, starts, .. } = *specification;
        let cells = specification.grid.len();
        let networks_in_all = (cells as u128).saturating_mul(networks as u128).saturating_add(refined);
        let trials = networks_in_all.saturating_mul(starts as u128);
        if trials <= MOST_TRIALS {
            return Ok(());
        }
        let problem = SpecificationProblem::TooMany { cells, networks, starts, trials, most: MOST_TRIALS };
        Err(self.refuse(span, problem))
    }

    pub(super) fn check_cells(&self, specification: &Specification, span: &Range<usize>) -> Result<()> {
        let mut cells = specification.cells();
        if let Some(refine) = &specification.refine {
            let grid = &specification.grid;
            let lines: BTreeSet<_> = cells.iter().map(|cell| grid.line(*cell, refine.axis)).collect();
            let values = &refine.values;
            let added = |line: GridCell| values.iter().map(move |value| grid.derived(line.with(refine.axis, *value)));
            cells.extend(lines.into_iter().flat_map(added));
        }
        for cell in cells {
            if let Some(problem) = specification.size_refusal(cell) {
                let key = if let SpecificationProblem::Size { key, .. } = &problem { key.as_str() } else { "" };
                return Err(self.refuse(self.find(key).unwrap_or(span.clone()), problem));
            }
            if let Some((key, reason)) = specification.refusal(cell) {
                let problem = SpecificationProblem::Cell { key: key.into(), n: cell.n, k: cell.k, d: cell.d, reason };
                return Err(self.refuse(self.find(key).unwrap_or(span.clone()), problem));
            }
        }
        Ok(())
    }

    /// Numbers so large that no run could begin.
    pub(super) fn check_magnitudes(&self, specification: &Specification, span: &Range<usize>) -> Result<()> {
        let largest = specification.largest();
        let refuse = |key: &str, requirement: String, value: f64| {
            Err(self.value(self.find(key).unwrap_or(span.clone()), key, requirement, short(value)))
        };
        if specification.noise > largest {
            return refuse("data.noise", format!("a number from 0 to {largest:e}"), specification.noise);
        }
        let Labels::Planted(planted) = &specification.labels else { return Ok(()) };
        if let Outputs::Uniform(low, high) = planted.outputs
            && low.abs().max(high.abs()) > largest
        {
            let far = if low.abs() > high.abs() { low } else { high };
            return refuse("teacher.outputs", format!("between −{largest:e} and {largest:e}"), far);
        }
        let mut phi = [0.0; USUAL.len()];
        planted.activation.values(&USUAL, &mut phi);
        let most = phi.into_iter().fold(0.0_f64, |most, phi| most.max(phi.abs()));
        if !(most <= largest) {
            let requirement = format!("one whose values at −10 to 10 are at most {largest:e}");
            return refuse("teacher.activation", requirement, most);
        }
        Ok(())
    }

    /// Where a key stands, by its name.
    fn find(&self, key: &str) -> Option<Range<usize>> {
        let (table, name) = key.split_once('.')?;
        let start = self.text.find(&format!("[{table}]"))?;
        let mut at = start;
        for line in self.text[start..].split_inclusive('\n') {
            if line.trim_start().strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('=')) {
                let indentation = line.len() - line.trim_start().len();
                return Some(at + indentation..at + line.len());
            }
            at += line.len();
        }
        None
    }
}

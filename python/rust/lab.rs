//! `sweep`, its plots, and `figure`.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use serde::Deserialize;
use shallows::error::{Error, Parameter, Requirement};
use shallows::job::figure::{FigureJob, list_document, study};
use shallows::job::plot::PlotJob;
use shallows::job::sweep::SweepJob;
use shallows::lab::plot::PlotView;
use shallows::lab::{Expression, Extent, Rule, Specification, Symbol};

use crate::documents::{dictionary, settings_of};
use crate::drawing::Drawing;
use crate::failure::exception;
use crate::run::{InterruptManner, run};

/// Make the runs of a sweep that are missing in a store, and count.
#[pyfunction]
pub fn sweep<'py>(
    py: Python<'py>,
    text: &str,
    name: PathBuf,
    store: PathBuf,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let account = run(py, InterruptManner::Orderly, progress.as_ref(), |watch| {
        let specification = Specification::parse(text, &name)?;
        Ok(SweepJob { specification, store }.run(watch)?.document())
    })?;
    dictionary(py, &account)
}

/// What the options of `plot` say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlotSettings {
    x: Option<String>,
    y: Option<String>,
    start: usize,
    stop: Option<usize>,
    collapse: String,
    success: Option<String>,
    all_starts: bool,
}

impl PlotSettings {
    fn view(&self) -> shallows::error::Result<PlotView> {
        let size = |name: &Option<String>| match name {
            None => Ok(None),
            Some(name) => Symbol::named(name).map(Some).ok_or_else(|| Error::Parameter {
                name: Parameter::Axis,
                requirement: Requirement::OneOf(&["n", "k", "d"]),
                value: name.clone(),
            }),
        };
        Ok(PlotView {
            x: size(&self.x)?,
            y: size(&self.y)?,
            from: self.start,
            to: self.stop,
            collapse: Expression::parse(&self.collapse)?,
            success: self.success.as_deref().map(str::parse::<Rule>).transpose()?,
            all_starts: self.all_starts,
        })
    }
}

/// Draw what a sweep has found.
#[pyfunction]
pub fn plot(py: Python<'_>, store: PathBuf, settings: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Drawing)>> {
    let sight: PlotSettings = settings_of(settings)?;
    let outcome = run(py, InterruptManner::Orderly, None, |watch| {
        PlotJob { store, view: sight.view()?, folder: None }.run(watch)
    })?;
    Ok(outcome.figures.into_iter().map(|(name, figure)| (name, Drawing::of(figure))).collect())
}

/// The published figures: name, source, what is shown and what was published of each.
#[pyfunction]
pub fn studies(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    dictionary(py, &list_document())
}

/// Reproduce a published figure: the account, the figure, its numbers as CSV.
#[pyfunction]
pub fn figure<'py>(
    py: Python<'py>,
    name: &str,
    folder: PathBuf,
    quick: bool,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Drawing, String)> {
    let study = study(name).map_err(exception)?;
    let made = run(py, InterruptManner::Orderly, progress.as_ref(), |watch| {
        let extent = if quick { Extent::Quick } else { Extent::Full };
        FigureJob { study, folder, extent }.run(watch)
    })?;
    let made = made.ok_or_else(|| pyo3::exceptions::PyKeyboardInterrupt::new_err("the figure is not finished"))?;
    let account = dictionary(py, &made.document())?;
    Ok((account, Drawing::of(made.drawn.figure), made.drawn.table.csv()))
}

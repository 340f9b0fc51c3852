//! `sweep`, its plots and its single runs, and `figure`.

use std::path::PathBuf;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use serde::Deserialize;
use shallows::error::{Error, Parameter, Requirement};
use shallows::job::figure::{FigureJob, list_document, study};
use shallows::job::given::GivenSpecification;
use shallows::job::plot::PlotJob;
use shallows::job::replay::ReplayJob;
use shallows::job::sweep::SweepJob;
use shallows::lab::plot::PlotView;
use shallows::lab::{Expression, Extent, Rule, Symbol};

use crate::documents::{dictionary, settings_of};
use crate::drawing::Drawing;
use crate::failure::exception;
use crate::run::{InterruptManner, run};

/// The text of a specification, or its file.
#[derive(FromPyObject)]
pub enum SpecificationOrPath {
    Text(String),
    File(PathBuf),
}

impl SpecificationOrPath {
    /// As the jobs of the library take it.
    fn given(self) -> GivenSpecification {
        match self {
            SpecificationOrPath::Text(text) => GivenSpecification::Text(text),
            SpecificationOrPath::File(path) => path.into(),
        }
    }
}

/// Make the runs of a sweep that are missing in a store, and count.
#[pyfunction]
pub fn sweep<'py>(
    py: Python<'py>,
    specification: SpecificationOrPath,
    store: Option<PathBuf>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let account = run(py, InterruptManner::Orderly, progress.as_ref(), |watch| {
        let job = SweepJob { store, ..SweepJob::new(specification.given()) };
        Ok(job.run(watch)?.document())
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

/// What the command prints with `--json`, and figures by name.
type Plotted<'py> = (Bound<'py, PyAny>, Vec<(String, Drawing)>);

/// Draw what a sweep has found.
#[pyfunction]
pub fn plot<'py>(
    py: Python<'py>,
    store: PathBuf,
    folder: Option<PathBuf>,
    settings: &Bound<'_, PyDict>,
) -> PyResult<Plotted<'py>> {
    let sight: PlotSettings = settings_of(settings)?;
    let outcome =
        run(py, InterruptManner::Orderly, None, |watch| PlotJob { store, view: sight.view()?, folder }.run(watch))?;
    let document = dictionary(py, &outcome.document())?;
    Ok((document, outcome.figures.into_iter().map(|(name, figure)| (name, Drawing::of(figure))).collect()))
}

/// Repeat one run of a sweep, and compare every bit.
#[pyfunction]
pub fn replay(py: Python<'_>, store: PathBuf, trial: u64) -> PyResult<Bound<'_, PyAny>> {
    let outcome = run(py, InterruptManner::Orderly, None, |watch| ReplayJob { store, trial }.run(watch))?;
    let outcome = outcome.ok_or_else(|| PyKeyboardInterrupt::new_err("the run is not finished"))?;
    dictionary(py, &outcome.document())
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
    let mut made = run(py, InterruptManner::Orderly, progress.as_ref(), |watch| {
        let extent = if quick { Extent::Quick } else { Extent::Full };
        FigureJob { studies: vec![study], folder: Some(folder), extent, page: false }.run(watch)
    })?;
    let made = made.figures.pop().ok_or_else(|| PyKeyboardInterrupt::new_err("the figure is not finished"))?;
    let account = dictionary(py, &made.document())?;
    Ok((account, Drawing::of(made.drawn.figure), made.drawn.table.csv()))
}

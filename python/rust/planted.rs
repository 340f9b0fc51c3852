//! `teach`, `recover` and `landscape`.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use serde::Deserialize;
use serde_json::{Value, json};
use shallows::activation::Activation;
use shallows::data::teacher::{Design, Hidden, Teacher, check_size};
use shallows::error::Result;
use shallows::job::landscape::{Beginning, LandscapeRequest, Origin, quadratic};
use shallows::job::recover::RecoverJob;
use shallows::linalg::Matrix;
use shallows::model::Model as Fitted;
use shallows::recover::{Law, Parts, RecoverySettings};
use shallows::watch::{Progress, Stage, Watch};

use crate::arrays::rows;
use crate::documents::{dictionary, settings_of};
use crate::drawing::Drawing;
use crate::failure::exception;
use crate::model::Model;
use crate::run::{Ending, run};
use crate::samples::{Given, Samples};

/// What the options of `teach` say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lesson {
    activation: String,
    inputs: usize,
    width: usize,
    samples: u64,
    design: String,
    noise: f64,
    orthogonal: bool,
    rank: Option<usize>,
    spectrum: Option<Vec<f64>>,
    outputs: String,
    seed: u64,
}

impl Lesson {
    fn hidden(&self) -> Hidden {
        match (self.orthogonal, self.rank, &self.spectrum) {
            (true, ..) => Hidden::Orthogonal,
            (_, Some(rank), _) => Hidden::Rank(rank),
            (.., Some(values)) => Hidden::Spectrum(values.clone()),
            _ => Hidden::Gaussian,
        }
    }
}

/// Inputs, labels, the fingerprint of both, the teacher.
type Taught<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, String, Model);

/// Planted data.
#[pyfunction]
pub fn teach<'py>(
    py: Python<'py>,
    settings: &Bound<'_, PyDict>,
    covariance: Option<PyReadonlyArray2<'py, f64>>,
) -> PyResult<Taught<'py>> {
    let lesson: Lesson = settings_of(settings)?;
    let covariance = match &covariance {
        Some(sigma) => Some(Matrix::from_vec(sigma.shape()[0], sigma.shape()[1], rows(sigma)?.0.to_vec())),
        None => None,
    };
    let (data, hash, model) = run(py, Ending::Sudden, None, |_, _| {
        let shape = (lesson.width, lesson.inputs);
        check_size(shape, lesson.samples)?;
        let activation: Activation = lesson.activation.parse()?;
        let mut teacher = Teacher::plant(activation, shape, &lesson.hidden(), &lesson.outputs.parse()?, lesson.seed)?;
        teacher.design = match &covariance {
            Some(sigma) => Design::covariance(sigma)?,
            None => lesson.design.parse()?,
        };
        teacher.noise = lesson.noise;
        let data = teacher.sample(0..lesson.samples)?;
        let model = Fitted::new(teacher.network, data.names.clone(), data.target.clone(), lesson.seed)?;
        let hash = data.hash();
        Ok((data, hash, model))
    })?;
    let shape = [data.n(), data.d()];
    let X = PyArray1::from_slice(py, data.X.as_slice()).reshape(shape)?;
    Ok((X, PyArray1::from_vec(py, data.y), hash, Model::of(model)))
}

/// What the options of `recover` say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sought {
    activation: String,
    units: Option<usize>,
    inputs: Inputs,
    biases: bool,
    intercept: bool,
    linear: bool,
    seed: u64,
    drop: Vec<String>,
}

/// What the inputs are taken for.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Inputs {
    Auto,
    Standard,
    Whiten,
}

/// The weights of the planted network behind samples: the account, and the network that the held-out rows support.
#[pyfunction]
pub fn recover<'py>(
    py: Python<'py>,
    samples: Given<'py>,
    teacher: Option<&Model>,
    settings: &Bound<'_, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Option<Model>)> {
    let sought: Sought = settings_of(settings)?;
    let samples = samples.samples()?;
    let teacher = teacher.map(|teacher| teacher.inner().only()).transpose().map_err(exception)?;
    let (account, model) = run(py, Ending::Sudden, progress.as_ref(), |flag, report| {
        let settings = RecoverySettings {
            activation: sought.activation.parse()?,
            units: sought.units,
            law: match sought.inputs {
                Inputs::Auto => Law::Tested,
                Inputs::Standard => Law::Standard,
                Inputs::Whiten => Law::Whitened,
            },
            parts: Parts { biases: sought.biases, intercept: sought.intercept, linear: sought.linear },
            seed: sought.seed,
        };
        samples.unchanged(&sought.drop, |data| {
            let listen = |progress| report(progress_of(progress));
            let watch = Watch::silent().reporting(&listen).interruptible(flag);
            let outcome = RecoverJob::of(settings).run_on(data, teacher, watch)?;
            Ok((outcome.document(), outcome.model()?))
        })
    })?;
    Ok((dictionary(py, &account)?, model.map(Model::of)))
}

fn progress_of(progress: Progress) -> Value {
    match progress {
        Progress::Began(Stage::Inputs) => json!({ "stage": "inputs" }),
        Progress::Began(Stage::Moments) => json!({ "stage": "moments" }),
        Progress::Began(_) => json!({ "stage": "errors" }),
        Progress::Started { units, number, error } => {
            json!({ "stage": "start", "units": units, "number": number, "error": error })
        }
        _ => json!({}),
    }
}

/// What the options of `landscape` say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct View {
    inputs: Option<usize>,
    width: Option<usize>,
    spectrum: Option<Vec<f64>>,
    student_width: Option<usize>,
    start: String,
    samples: u64,
    levels: usize,
    seed: u64,
}

/// An account, and figures by name.
type Seen<'py> = (Bound<'py, PyAny>, Vec<(String, Drawing)>);

/// The landscape of a planted quadratic network: the account, and where wanted the figures.
#[pyfunction]
pub fn landscape<'py>(
    py: Python<'py>,
    teacher: Option<&Model>,
    start: Option<&Model>,
    samples: Option<Given<'py>>,
    settings: &Bound<'_, PyDict>,
    draws: bool,
) -> PyResult<Seen<'py>> {
    let view: View = settings_of(settings)?;
    let samples = samples.as_ref().map(Given::samples).transpose()?;
    let (teacher, start) = (teacher.map(Model::inner), start.map(Model::inner));
    let (account, figures) = run(py, Ending::Sudden, None, |_, _| {
        let request = request(view, teacher, start, samples)?;
        let outcome = request.run(Watch::silent())?;
        let figures = if draws { outcome.figures(Watch::silent())? } else { vec![] };
        Ok((outcome.document(), figures))
    })?;
    let figures = figures.into_iter().map(|(name, figure)| (name.to_owned(), Drawing::of(figure)));
    Ok((dictionary(py, &account)?, figures.collect()))
}

fn request(
    view: View,
    teacher: Option<&Fitted>,
    start: Option<&Fitted>,
    samples: Option<Samples>,
) -> Result<LandscapeRequest> {
    let View { inputs, width, spectrum, student_width, samples: count, levels, seed, .. } = view;
    let named = |samples: Samples| {
        let name = samples.name();
        samples.unchanged(&[], |data| Ok((data.clone(), name)))
    };
    Ok(LandscapeRequest {
        teacher: match teacher {
            Some(model) => Origin::Given(quadratic(model, "the teacher")?),
            None => Origin::Drawn { inputs, width, spectrum },
        },
        student_width,
        start: match start {
            Some(model) => Beginning::Given { network: quadratic(model, "the start")?, name: view.start },
            None => view.start.parse()?,
        },
        samples: count,
        data: samples.map(named).transpose()?,
        levels,
        seed,
    })
}

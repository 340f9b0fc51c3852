//! `teach`, `recover` and `landscape`.

use std::path::PathBuf;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use serde::Deserialize;
use shallows::data::Data;
use shallows::data::teacher::{Design, Hidden};
use shallows::error::Result;
use shallows::job;
use shallows::job::given::GivenModel;
use shallows::job::landscape::{Beginning, LandscapeJob, LandscapeRequest, Origin};
use shallows::job::recover::RecoverJob;
use shallows::job::teach::{DesignSource, TeachJob};
use shallows::linalg::Matrix;
use shallows::recover::{Law, Parts, RecoverySettings};

use crate::arrays::{matrix, vector};
use crate::certificate::CertificateFile;
use crate::documents::{dictionary, settings_of};
use crate::drawing::Drawing;
use crate::failure::exception;
use crate::model::{Model, ModelOrPath};
use crate::run::{InterruptManner, run};
use crate::samples::{GivenSamples, RowsWithRoles};

/// What the options of `teach` say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TeachSettings {
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

impl TeachSettings {
    fn job(&self, covariance: Option<&Matrix>) -> Result<TeachJob> {
        Ok(TeachJob {
            activation: self.activation.parse()?,
            inputs: self.inputs,
            width: self.width,
            samples: self.samples,
            design: match covariance {
                Some(sigma) => DesignSource::Known(Design::covariance(sigma)?),
                None => DesignSource::parse(&self.design)?,
            },
            noise: self.noise,
            hidden: self.hidden(),
            outputs: self.outputs.parse()?,
            seed: self.seed,
            output: None,
            teacher: None,
        })
    }

    fn hidden(&self) -> Hidden {
        match (self.orthogonal, self.rank, &self.spectrum) {
            (true, ..) => Hidden::Orthogonal,
            (_, Some(rank), _) => Hidden::Rank(rank),
            (.., Some(values)) => Hidden::Spectrum(values.clone()),
            _ => Hidden::Gaussian,
        }
    }
}

/// Inputs, labels, the teacher, what the command prints with `--json`.
type Taught<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, Model, Bound<'py, PyAny>);

/// Planted data.
#[pyfunction]
pub fn teach<'py>(
    py: Python<'py>,
    settings: &Bound<'_, PyDict>,
    covariance: Option<PyReadonlyArray2<'py, f64>>,
) -> PyResult<Taught<'py>> {
    let lesson: TeachSettings = settings_of(settings)?;
    let covariance = covariance.as_ref().map(matrix).transpose()?;
    let outcome = run(py, InterruptManner::Sudden, None, |watch| lesson.job(covariance.as_ref())?.run(watch))?;
    let document = dictionary(py, &outcome.document())?;
    let (data, model) = (outcome.data, outcome.model);
    let X = PyArray1::from_slice(py, data.X.as_slice()).reshape([data.n(), data.d()])?;
    Ok((X, PyArray1::from_vec(py, data.y), Model::of(model), document))
}

/// Write samples to a file.
#[pyfunction]
pub fn write_samples(
    path: PathBuf,
    X: PyReadonlyArray2<'_, f64>,
    y: PyReadonlyArray1<'_, f64>,
    names: Vec<String>,
    target: String,
) -> PyResult<()> {
    let data = Data::builder(matrix(&X)?, vector(&y)).names(names).target(target).build();
    data.and_then(|data| job::teach::write_samples(&path, &data)).map_err(exception)
}

/// What the options of `recover` say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecoverSettings {
    activation: String,
    units: Option<usize>,
    inputs: LawSetting,
    biases: bool,
    intercept: bool,
    linear: bool,
    seed: u64,
    drop: Vec<String>,
    certificate: Option<PathBuf>,
}

/// What the inputs are taken for.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum LawSetting {
    Auto,
    Standard,
    Whiten,
}

impl RecoverSettings {
    fn job(&self, samples: RowsWithRoles, teacher: Option<GivenModel>) -> Result<RecoverJob> {
        let settings = RecoverySettings {
            activation: self.activation.parse()?,
            units: self.units,
            law: match self.inputs {
                LawSetting::Auto => Law::Tested,
                LawSetting::Standard => Law::Standard,
                LawSetting::Whiten => Law::Whitened,
            },
            parts: Parts { biases: self.biases, intercept: self.intercept, linear: self.linear },
            seed: self.seed,
        };
        let roles = samples.roles(self.drop.clone(), vec![]);
        let certificate = self.certificate.clone();
        Ok(RecoverJob { rows: samples.rows, roles, teacher, settings, output: None, certificate })
    }
}

/// The weights of the planted network behind samples: the account, and the network that the held-out rows support.
#[pyfunction]
pub fn recover<'py>(
    py: Python<'py>,
    samples: GivenSamples<'py>,
    teacher: Option<ModelOrPath<'py>>,
    settings: &Bound<'_, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Option<Model>)> {
    let sought: RecoverSettings = settings_of(settings)?;
    let (samples, teacher) = (samples.samples()?, teacher.map(ModelOrPath::given));
    let (account, model) = run(py, InterruptManner::Sudden, progress.as_ref(), |watch| {
        let outcome = sought.job(samples, teacher)?.run(watch)?;
        Ok((outcome.document(), outcome.model()?))
    })?;
    Ok((dictionary(py, &account)?, model.map(Model::of)))
}

/// Whether a start of `landscape` is taken for the file of a model.
#[pyfunction]
pub fn is_file_of_start(text: &str) -> bool {
    Beginning::named_or_file(text).is_ok_and(|start| start.file().is_some())
}

/// What the options of `landscape` say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LandscapeSettings {
    inputs: Option<usize>,
    width: Option<usize>,
    spectrum: Option<Vec<f64>>,
    student_width: Option<usize>,
    start: String,
    samples: Option<u64>,
    levels: usize,
    seed: u64,
}

/// An account, figures by name, and what is proved.
type Seen<'py> = (Bound<'py, PyAny>, Vec<(String, Drawing)>, CertificateFile);

/// The landscape of a planted quadratic network: the account, and where wanted the figures.
#[pyfunction]
pub fn landscape<'py>(
    py: Python<'py>,
    teacher: Option<ModelOrPath<'py>>,
    start: Option<ModelOrPath<'py>>,
    samples: Option<GivenSamples<'py>>,
    settings: &Bound<'_, PyDict>,
    draws: bool,
) -> PyResult<Seen<'py>> {
    let view: LandscapeSettings = settings_of(settings)?;
    let samples = samples.map(GivenSamples::samples).transpose()?;
    let (teacher, start) = (teacher.map(ModelOrPath::given), start.map(ModelOrPath::given));
    let (account, figures, certificate) = run(py, InterruptManner::Sudden, None, |watch| {
        let job = LandscapeJob { request: view.request(teacher, start, samples)?, folder: None, certificate: None };
        let outcome = job.run(watch)?;
        let figures = if draws { outcome.figures(watch)? } else { vec![] };
        Ok((outcome.document(), figures, outcome.certificate))
    })?;
    let figures = figures.into_iter().map(|(name, figure)| (name.to_owned(), Drawing::of(figure)));
    Ok((dictionary(py, &account)?, figures.collect(), CertificateFile::of(certificate)))
}

impl LandscapeSettings {
    fn request(
        self,
        teacher: Option<GivenModel>,
        start: Option<GivenModel>,
        samples: Option<RowsWithRoles>,
    ) -> Result<LandscapeRequest> {
        let LandscapeSettings { inputs, width, spectrum, student_width, samples: count, levels, seed, .. } = self;
        let (rows, target) = samples.map_or((None, None), |samples| (Some(samples.rows), samples.target));
        Ok(LandscapeRequest {
            teacher: teacher.map_or(Origin::Drawn { inputs, width, spectrum }, Origin::Given),
            student_width,
            start: match start {
                Some(model) => Beginning::Given { model, name: self.start },
                None => self.start.parse()?,
            },
            samples: count,
            rows,
            target,
            levels,
            seed,
        })
    }
}

//! `teach`: samples of a planted network.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::words;
use crate::activation::{Activation, Kinked};
use crate::data::teacher::{Design, Hidden, Outputs, Teacher, check_size};
use crate::data::{Data, Table, write_columns};
use crate::error::Result;
use crate::file::{Destinations, FileRole};
use crate::model::Model;
use crate::watch::Watch;

/// What is asked for. The labels are y = Σ_l v_l φ(w_l·x) + noise.
///
/// ```
/// use shallows::job::teach::TeachJob;
/// use shallows::Watch;
///
/// let job = TeachJob { inputs: 5, width: 3, samples: 10, ..TeachJob::default() };
/// let outcome = job.run(Watch::silent())?;
/// assert_eq!((outcome.data.n(), outcome.data.d(), outcome.model.network.width()), (10, 5, Some(3)));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TeachJob {
    /// φ.
    pub activation: Activation,
    /// d.
    pub inputs: usize,
    /// k.
    pub width: usize,
    /// n.
    pub samples: u64,
    /// The law of the inputs.
    pub design: DesignSource,
    /// The standard deviation of the label noise.
    pub noise: f64,
    /// How the hidden weights are drawn.
    pub hidden: Hidden,
    /// How the output weights are drawn.
    pub outputs: Outputs,
    /// Everything random comes from it.
    pub seed: u64,
    /// Where to write the samples; `-` is CSV on standard output, and nothing is written when `None`.
    pub output: Option<PathBuf>,
    /// Where to save the teacher.
    pub teacher: Option<PathBuf>,
}

/// Where the law of the inputs comes from.
///
/// ```
/// use shallows::data::teacher::Design;
/// use shallows::job::teach::{DesignSource, TeachJob};
/// use shallows::Watch;
///
/// let design = DesignSource::Known(Design::Sphere);
/// let outcome = TeachJob { inputs: 2, width: 1, samples: 1, design, ..TeachJob::default() }.run(Watch::silent())?;
/// let norm = outcome.data.X.row(0).iter().map(|x| x * x).sum::<f64>().sqrt();
/// assert!((norm - 1.0).abs() < 1e-12);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum DesignSource {
    /// It is given.
    Known(Design),
    /// N(0, Σ), with Σ from this file.
    Covariance(PathBuf),
}

/// What came of it. [`TeachJob`] shows its use.
#[derive(Clone, Debug)]
pub struct TeachOutcome {
    /// The samples.
    pub data: Data,
    /// The teacher.
    pub model: Model,
    /// Where the samples are.
    pub path: Option<PathBuf>,
    /// Where the teacher is.
    pub teacher: Option<PathBuf>,
    /// Everything random came from it.
    pub seed: u64,
}

impl Default for TeachJob {
    fn default() -> Self {
        TeachJob {
            activation: Activation::Kinked(Kinked::Relu),
            inputs: 10,
            width: 5,
            samples: 1000,
            design: DesignSource::Known(Design::Gaussian),
            noise: 0.0,
            hidden: Hidden::Gaussian,
            outputs: Outputs::Ones,
            seed: 0,
            output: None,
            teacher: None,
        }
    }
}

impl DesignSource {
    /// The name of a law; with an ending, the file of a covariance matrix.
    pub fn parse(text: &str) -> Result<Self> {
        match Path::new(text).extension() {
            None => Ok(DesignSource::Known(text.parse()?)),
            Some(_) => Ok(DesignSource::Covariance(text.into())),
        }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            DesignSource::Known(_) => None,
            DesignSource::Covariance(path) => Some(path),
        }
    }

    fn design(&self) -> Result<Design> {
        match self {
            DesignSource::Known(design) => Ok(design.clone()),
            DesignSource::Covariance(path) => Design::covariance(&Table::read(path)?.matrix()?),
        }
    }
}

impl TeachJob {
    /// Plant a network, draw samples, and write what is to be written.
    pub fn run(&self, _watch: Watch<'_>) -> Result<TeachOutcome> {
        check_size((self.width, self.inputs), self.samples)?;
        Destinations::default()
            .may_read(FileRole::Covariance, self.design.file())
            .may_write(FileRole::Samples, self.output.as_ref())
            .may_write(FileRole::Teacher, self.teacher.as_ref())
            .check()?;
        let shape = (self.width, self.inputs);
        let mut teacher = Teacher::plant(self.activation.clone(), shape, &self.hidden, &self.outputs, self.seed)?;
        teacher.design = self.design.design()?;
        teacher.noise = self.noise;
        let data = teacher.sample(0..self.samples)?;
        let model = Model::new(teacher.network, data.names.clone(), data.target.clone(), self.seed)?;
        self.teacher.iter().try_for_each(|path| model.save(path))?;
        self.output.iter().try_for_each(|path| write_samples(path, &data))?;
        Ok(TeachOutcome { data, model, path: self.output.clone(), teacher: self.teacher.clone(), seed: self.seed })
    }
}

/// Write samples with the names of their columns, the target last: CSV, Parquet or NPY by ending; `-` is CSV on standard output.
///
/// ```
/// use shallows::Data;
/// use shallows::job::teach::write_samples;
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("t.csv");
/// write_samples(&path, &Data::from_rows(&[[0.5, 2.0]], &[1.0])?)?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap().lines().next(), Some("x1,x2,y"));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn write_samples(path: &Path, data: &Data) -> Result<()> {
    let names: Vec<String> = data.names.iter().chain([&data.target]).cloned().collect();
    let columns: Vec<Vec<f64>> = (0..data.d()).map(|j| data.X.column(j)).chain([data.y.clone()]).collect();
    write_columns(path, &names, &columns)
}

impl TeachOutcome {
    /// What a script reads.
    pub fn document(&self) -> Value {
        let TeachOutcome { data, path, teacher, seed, .. } = self;
        json!({
            "data": {
                "path": path.as_ref().map(words::path), "rows": data.n(), "inputs": data.d(), "hash": data.hash(),
            },
            "teacher": teacher.as_ref().map(|path| json!({ "path": words::path(path) })),
            "seed": seed,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

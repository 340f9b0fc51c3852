//! What can be wrong with a model file: each sentence and its way out, side by side.

use super::hint::Hint;
use super::text::{cut, excerpt};

/// Characters of a reader's complaint that a message shows.
const LONGEST_REASON: usize = 80;

/// What can be wrong with a model file.
///
/// ```
/// use shallows::error::{Error, ModelProblem};
/// use shallows::Model;
///
/// assert!(matches!(Model::from_bytes(&[]), Err(Error::Model { problem: ModelProblem::Empty, .. })));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelProblem {
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// Not the format at all, or a broken header.
    #[error("not a safetensors file: {}", cut(reason, LONGEST_REASON))]
    NotSafetensors {
        /// What the reader stumbled over.
        reason: String,
    },
    /// More than we are willing to read.
    #[error("{bytes} bytes are more than a model file may have ({most})")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The limit.
        most: u64,
    },
    /// The weights end before, or continue after, the place the header gives.
    #[error("the header announces {expected} bytes of weights, but {found} follow it")]
    Length {
        /// By the header.
        expected: u64,
        /// In the file, counted up to one too many.
        found: u64,
    },
    /// A tensor that every model has.
    #[error("there is no tensor {}", excerpt(name))]
    MissingTensor {
        /// The one.
        name: String,
    },
    /// A tensor we have no use for, so that ignoring it could change the function.
    #[error("the tensor {} is not part of a one-hidden-layer model", excerpt(name))]
    UnknownTensor {
        /// The one.
        name: String,
    },
    /// Neither f64 nor f32.
    #[error("the tensor {} holds {found}, not f64 or f32", excerpt(name))]
    TensorType {
        /// The tensor.
        name: String,
        /// The type by the header.
        found: String,
    },
    /// Tensors that do not belong together.
    #[error("the tensor {} has the shape {found:?}, expected {expected}", excerpt(name))]
    TensorShape {
        /// The tensor.
        name: String,
        /// In words.
        expected: String,
        /// By the header.
        found: Vec<usize>,
    },
    /// A NaN or an infinity among the weights.
    #[error("the tensor {} holds a NaN or an infinity", excerpt(name))]
    NotFinite {
        /// The tensor.
        name: String,
    },
    /// Weights alone.
    #[error("the file does not say which activation its weights belong to")]
    NoActivation,
    /// An activation we do not have.
    #[error("the activation {} is not one we know", excerpt(text))]
    Activation {
        /// As the file has it.
        text: String,
    },
    /// The file says one thing and the caller another.
    #[error("the weights belong to the activation {}, not to {}", excerpt(file), excerpt(given))]
    OtherActivation {
        /// In the file.
        file: String,
        /// By the caller.
        given: String,
    },
    /// The future.
    #[error("the file has format {found}, this version reads up to {known}")]
    Format {
        /// In the file.
        found: u64,
        /// Ours.
        known: u64,
    },
    /// The metadata are not what we write.
    #[error("its metadata cannot be read: {}", cut(reason, LONGEST_REASON))]
    Metadata {
        /// What the reader stumbled over.
        reason: String,
    },
    /// Scores that are not absolute values, or no scores, or a single fold.
    #[error("its calibration is invalid: scores are numbers of at least 0, and folds are two or more")]
    Calibration,
    /// A network of one activation is needed.
    #[error("its hidden units have several activations: {activations}")]
    SeveralActivations {
        /// Their names.
        activations: String,
    },
    /// Weights are asked of a network that has infinitely many.
    #[error("it has infinitely wide layers, which have laws in place of weights")]
    InfinitelyWide,
    /// Intervals are asked of a model that cannot give them.
    #[error(
        "it was not calibrated, so it gives no prediction intervals: an automatic fit and one infinitely wide network keep what they \
         rest on, where there are rows and time enough; other fits only where rows are set aside"
    )]
    NotCalibrated,
    /// A posterior deviation is asked of a model that has none.
    #[error("it is not one infinitely wide network, so it has no posterior deviation")]
    NoDeviation,
    /// A recipe that contradicts itself.
    #[error("its recipe cannot be applied: {}", cut(reason, LONGEST_REASON))]
    Recipe {
        /// What is wrong with it.
        reason: String,
    },
    /// Not one name per input.
    #[error("it names {names} inputs, but W has {inputs} columns")]
    NameCount {
        /// Names given.
        names: usize,
        /// d.
        inputs: usize,
    },
    /// Two columns with one name.
    #[error("two of its columns are called {}", excerpt(name))]
    RepeatedName {
        /// The name.
        name: String,
    },
}

impl ModelProblem {
    pub(super) fn hint(&self) -> Hint {
        match self {
            ModelProblem::Empty | ModelProblem::NotSafetensors { .. } | ModelProblem::Metadata { .. } => {
                Hint::WriteModel
            }
            ModelProblem::SeveralActivations { .. } | ModelProblem::InfinitelyWide => Hint::OneActivation,
            ModelProblem::NotCalibrated => Hint::Calibrate,
            ModelProblem::NoDeviation => Hint::FitWide,
            ModelProblem::NoActivation => Hint::NameActivation,
            ModelProblem::OtherActivation { .. } => Hint::OmitActivation,
            _ => Hint::plain(self.advice()),
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            ModelProblem::MissingTensor { .. }
            | ModelProblem::UnknownTensor { .. }
            | ModelProblem::TensorShape { .. } => {
                "the tensors are W (k×d), v (k) and, where there are any, u (k), c (1), b (d)"
            }
            ModelProblem::TensorType { .. } => "convert it to f64 or f32 before saving",
            ModelProblem::NotFinite { .. } => "the run that wrote it has diverged",
            ModelProblem::Activation { .. } => "it may have been written by a newer version",
            ModelProblem::Format { .. } => "use the version that wrote it, or a newer one",
            ModelProblem::Recipe { .. } | ModelProblem::NameCount { .. } | ModelProblem::RepeatedName { .. } => {
                "every column and every input needs its own name"
            }
            _ => "the file seems damaged: copy it again",
        }
    }
}

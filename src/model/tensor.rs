//! One tensor of a model file.

use safetensors::Dtype;
use safetensors::tensor::TensorInfo;

use super::file::FileResult;
use crate::error::ModelProblem;

/// A tensor whose place in the file has been checked by the header's reader.
pub(super) struct Tensor<'a> {
    pub name: String,
    pub info: &'a TensorInfo,
    /// Of all tensors.
    pub weights: &'a [u8],
}

impl Tensor<'_> {
    /// The numbers of a vector of this length; a row or a column of a matrix will do.
    pub(super) fn vector(&self, length: usize) -> FileResult<Vec<f64>> {
        let fits = match self.info.shape.as_slice() {
            [] => length == 1,
            [one] => *one == length,
            [row, column] => (*row == 1 && *column == length) || (*row == length && *column == 1),
            _ => false,
        };
        if fits { self.numbers() } else { Err(self.wrong_shape(format!("[{length}]"))) }
    }

    /// Its numbers, all finite.
    pub(super) fn numbers(&self) -> FileResult<Vec<f64>> {
        let (start, end) = self.info.data_offsets;
        let bytes = self.weights.get(start..end).unwrap_or_default();
        let numbers: Vec<f64> = match self.info.dtype {
            Dtype::F64 => bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect(),
            Dtype::F32 => bytes.as_chunks().0.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes))).collect(),
            other => return Err(ModelProblem::TensorType { name: self.name.clone(), found: other.to_string() }),
        };
        let finite = numbers.iter().all(|x| x.is_finite());
        if finite { Ok(numbers) } else { Err(ModelProblem::NotFinite { name: self.name.clone() }) }
    }

    /// It should have had another shape.
    pub(super) fn wrong_shape(&self, expected: String) -> ModelProblem {
        let found = self.info.shape.iter().copied().take(8).collect();
        ModelProblem::TensorShape { name: self.name.clone(), expected, found }
    }
}

//! A safetensors file before anything in it is interpreted: its header, and as many bytes as that claims.

use std::io::{self, Read};

use safetensors::tensor::Metadata;

use super::file::FileResult;
use crate::error::ModelProblem;

/// A larger file is not read: half a billion weights are no one-hidden-layer model of a table.
pub(super) const MOST_BYTES: u64 = 4 << 30;
/// The longest header that the safetensors format allows.
const MOST_HEADER_BYTES: u64 = 100_000_000;
/// The header and the bytes of the weights, as far as the header claims them and not further.
pub(super) fn parts(mut file: impl Read) -> io::Result<FileResult<(Metadata, Vec<u8>)>> {
    let up_to = |file: &mut dyn Read, most: u64| -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let prefix = up_to(&mut file, 8)?;
    let Some(length) = prefix.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)) else {
        let problem = not_safetensors("it is shorter than the length of a header");
        return Ok(Err(if prefix.is_empty() { ModelProblem::Empty } else { problem }));
    };
    if length > MOST_HEADER_BYTES {
        return Ok(Err(not_safetensors("the first eight bytes are not the length of a header")));
    }
    let header = up_to(&mut file, length)?;
    if (header.len() as u64) < length {
        return Ok(Err(not_safetensors("the header is cut off")));
    }
    let metadata: Metadata = match serde_json::from_slice(&header) {
        Ok(metadata) => metadata,
        Err(error) => return Ok(Err(not_safetensors(error))),
    };
    let expected = metadata.data_len() as u64;
    if expected > MOST_BYTES {
        return Ok(Err(ModelProblem::TooLarge { bytes: expected, most: MOST_BYTES }));
    }
    let weights = up_to(&mut file, expected + 1)?;
    let found = weights.len() as u64;
    Ok(if found == expected { Ok((metadata, weights)) } else { Err(ModelProblem::Length { expected, found }) })
}

pub(super) fn not_safetensors(reason: impl ToString) -> ModelProblem {
    ModelProblem::NotSafetensors { reason: reason.to_string() }
}

//! NPY: one NumPy array in a file.
//!
//! The format is ten bytes, a Python dictionary of three known keys, and the numbers. The dictionary is parsed
//! strictly here, because what it claims is checked against the length of the file, without overflow and before
//! anything is allocated; a general parser of Python literals would have to be trusted with hostile text.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use rayon::prelude::*;

use super::column::Column;
use super::number::{exact, exact_signed};
use super::table::Table;
use super::unread::UnreadCells;
use crate::error::{CellProblem, Error, Result, TableProblem};

const MAGIC: &[u8] = b"\x93NUMPY";
/// NumPy itself refuses longer headers unless told to trust the file.
const LONGEST_HEADER: usize = 10_000;

/// What the dictionary says.
#[derive(Debug, PartialEq)]
struct NpyHeader {
    kind: String,
    column_major: bool,
    shape: Vec<u64>,
}

/// Read a table from an NPY file.
pub(super) fn read(file: File, path: &Path) -> Result<Table> {
    let bytes = file.metadata().map_err(|source| Error::io(path, source))?.len();
    if bytes == 0 {
        return Err(Error::table(path, TableProblem::Empty));
    }
    let mut input = BufReader::new(file);
    let (text, start) = header_text(&mut input, path)?;
    let header = parse_header(&text).ok_or_else(|| damaged(path, "the header is not one that NumPy writes"))?;
    let entry = Entry::of(&header.kind)
        .ok_or_else(|| Error::table(path, TableProblem::EntryKind { kind: header.kind.clone() }))?;
    let [rows, cols] = header.shape[..] else {
        return Err(Error::table(path, TableProblem::Dimensions { dimensions: header.shape.len() }));
    };
    let claimed = rows.checked_mul(cols).and_then(|count| count.checked_mul(entry.bytes as u64));
    if claimed != Some(bytes.saturating_sub(start)) {
        let reason = format!("the header promises {rows}×{cols} numbers, the file holds {bytes} bytes");
        return Err(damaged(path, &reason));
    }
    if rows == 0 || cols == 0 {
        return Err(Error::table(path, TableProblem::NoRows));
    }
    // Both fit: their product times the entry size is the length of a file.
    let (rows, cols) = (rows as usize, cols as usize);
    let columns = read_entries(&mut input, path, &entry, rows, cols, header.column_major)?;
    let columns =
        columns.into_iter().map(|(numbers, unread)| Column::of_numbers(numbers).with_unread(unread)).collect();
    let names = (1..=cols).map(|j| format!("x{j}")).collect();
    Ok(Table::new(path, names, columns, rows)?.without_names())
}

fn damaged(path: &Path, reason: &str) -> Error {
    Error::table(path, TableProblem::Damaged { format: "NPY", reason: reason.to_owned() })
}

/// Fill a buffer, or say that the file ends too early.
fn fill(input: &mut impl Read, buffer: &mut [u8], path: &Path) -> Result<()> {
    input.read_exact(buffer).map_err(|source| match source.kind() {
        std::io::ErrorKind::UnexpectedEof => damaged(path, "the file ends too early"),
        _ => Error::io(path, source),
    })
}

/// The dictionary as text, and where the numbers start.
fn header_text(input: &mut impl Read, path: &Path) -> Result<(String, u64)> {
    let mut start = [0; 8];
    fill(input, &mut start, path)?;
    if start[..6] != *MAGIC {
        return Err(damaged(path, "the first bytes are not those of NumPy"));
    }
    let length_bytes = match start[6] {
        1 => 2,
        2 | 3 => 4,
        version => return Err(damaged(path, &format!("version {version} is unknown"))),
    };
    let mut length = [0; 4];
    fill(input, &mut length[..length_bytes], path)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST_HEADER {
        return Err(damaged(path, &format!("a header of {length} bytes is too long")));
    }
    let mut text = vec![0; length];
    fill(input, &mut text, path)?;
    let text = String::from_utf8(text).map_err(|_| damaged(path, "the header is not text"))?;
    Ok((text, (8 + length_bytes + length) as u64))
}

/// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`, the keys in any order.
fn parse_header(text: &str) -> Option<NpyHeader> {
    let mut rest = text.trim().strip_prefix('{')?;
    let (mut kind, mut column_major, mut shape) = (None, None, None);
    loop {
        rest = rest.trim_start();
        if let Some(end) = rest.strip_prefix('}') {
            let header = NpyHeader { kind: kind?, column_major: column_major?, shape: shape? };
            return end.trim().is_empty().then_some(header);
        }
        let (key, after) = quoted(rest)?;
        let value = after.trim_start().strip_prefix(':')?.trim_start();
        rest = match key {
            "descr" => entry_kind(value, &mut kind)?,
            "fortran_order" => boolean(value, &mut column_major)?,
            "shape" => tuple(value, &mut shape)?,
            _ => return None,
        };
        rest = rest.trim_start();
        rest = rest.strip_prefix(',').or_else(|| rest.starts_with('}').then_some(rest))?;
    }
}

/// A Python string without escapes, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let mark = text.chars().next().filter(|mark| matches!(mark, '\'' | '"'))?;
    text[1..].split_once(mark)
}

/// The name of a type. A list describes records; it is kept as text, to be refused by name.
fn entry_kind<'a>(text: &'a str, kind: &mut Option<String>) -> Option<&'a str> {
    if text.starts_with('[') {
        let (list, rest) = text.split_at(text.rfind(']')? + 1);
        *kind = Some(list.to_owned());
        return Some(rest);
    }
    let (name, rest) = quoted(text)?;
    *kind = Some(name.to_owned());
    Some(rest)
}

fn boolean<'a>(text: &'a str, value: &mut Option<bool>) -> Option<&'a str> {
    let (found, rest) = match text.strip_prefix("True") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix("False")?),
    };
    *value = Some(found);
    Some(rest)
}

/// `(3, 4)`, `(3,)` or `()`.
fn tuple<'a>(text: &'a str, value: &mut Option<Vec<u64>>) -> Option<&'a str> {
    let (inside, rest) = text.strip_prefix('(')?.split_once(')')?;
    let inside = inside.trim();
    let inside = inside.strip_suffix(',').unwrap_or(inside);
    let sizes = if inside.is_empty() { Vec::new() } else { inside.split(',').collect() };
    *value = Some(sizes.into_iter().map(|size| size.trim().parse().ok()).collect::<Option<Vec<u64>>>()?);
    Some(rest)
}

/// How one number is stored.
struct Entry {
    bytes: usize,
    decode: Decode,
    big_endian: bool,
}

/// Turns stored numbers into doubles, and says which cannot be one.
type Decode = fn(stored: &[u8], big_endian: bool, numbers: &mut [f64]) -> Vec<(usize, CellProblem)>;

impl Entry {
    /// The numbers we convert without loss, by NumPy's name.
    fn of(kind: &str) -> Option<Entry> {
        let (order, name) = kind.split_at_checked(1)?;
        let big_endian = match order {
            "<" | "|" | "=" => false,
            ">" => true,
            _ => return None,
        };
        let (bytes, decode): (usize, Decode) = match name {
            "f8" => (8, |s, big, out| decode(s, big, out, |b| Ok(f64::from_le_bytes(b)))),
            "f4" => (4, |s, big, out| decode(s, big, out, |b| Ok(f64::from(f32::from_le_bytes(b))))),
            "i8" => (8, |s, big, out| decode(s, big, out, |b| exact_signed(i64::from_le_bytes(b)))),
            "u8" => (8, |s, big, out| decode(s, big, out, |b| exact(u64::from_le_bytes(b)))),
            "i4" => (4, |s, big, out| decode(s, big, out, |b| Ok(f64::from(i32::from_le_bytes(b))))),
            "u4" => (4, |s, big, out| decode(s, big, out, |b| Ok(f64::from(u32::from_le_bytes(b))))),
            "i2" => (2, |s, big, out| decode(s, big, out, |b| Ok(f64::from(i16::from_le_bytes(b))))),
            "u2" => (2, |s, big, out| decode(s, big, out, |b| Ok(f64::from(u16::from_le_bytes(b))))),
            "i1" => (1, |s, big, out| decode(s, big, out, |b| Ok(f64::from(i8::from_le_bytes(b))))),
            "u1" => (1, |s, big, out| decode(s, big, out, |[b]| Ok(f64::from(b)))),
            "b1" => (1, |s, big, out| decode(s, big, out, |[b]| Ok(if b == 0 { 0.0 } else { 1.0 }))),
            _ => return None,
        };
        Some(Entry { bytes, decode, big_endian })
    }
}

/// `number` of every B bytes, little-endian; NaN for those that have none.
fn decode<const B: usize>(
    stored: &[u8],
    big_endian: bool,
    numbers: &mut [f64],
    number: impl Fn([u8; B]) -> std::result::Result<f64, CellProblem>,
) -> Vec<(usize, CellProblem)> {
    let mut problems = vec![];
    for (at, (bytes, out)) in stored.as_chunks().0.iter().zip(numbers).enumerate() {
        let mut bytes = *bytes;
        if big_endian {
            bytes.reverse();
        }
        *out = number(bytes).unwrap_or_else(|problem| {
            problems.push((at, problem));
            f64::NAN
        });
    }
    problems
}

/// The numbers, in the order of the file, put where they belong, and for each column what cannot be read.
fn read_entries(
    input: &mut impl Read,
    path: &Path,
    entry: &Entry,
    rows: usize,
    cols: usize,
    column_major: bool,
) -> Result<Vec<(Vec<f64>, UnreadCells)>> {
    const ENTRIES_AT_ONCE: usize = 1 << 17;
    const ENTRIES_PER_TASK: usize = 1 << 13;
    let place = |at: usize| if column_major { (at % rows, at / rows) } else { (at / cols, at % cols) };
    let mut columns = vec![vec![0.0; rows]; cols];
    let mut unread = vec![UnreadCells::default(); cols];
    let count = rows * cols;
    let mut buffer = vec![0; ENTRIES_AT_ONCE.min(count) * entry.bytes];
    let mut numbers = vec![0.0; ENTRIES_AT_ONCE.min(count)];
    for start in (0..count).step_by(ENTRIES_AT_ONCE) {
        let some = ENTRIES_AT_ONCE.min(count - start);
        let (stored, numbers) = (&mut buffer[..some * entry.bytes], &mut numbers[..some]);
        fill(input, stored, path)?;
        let tasks = numbers.par_chunks_mut(ENTRIES_PER_TASK).zip(stored.par_chunks(ENTRIES_PER_TASK * entry.bytes));
        let decoded = tasks.map(|(numbers, stored)| (entry.decode)(stored, entry.big_endian, numbers));
        let problems: Vec<Vec<(usize, CellProblem)>> = decoded.collect();
        for (task, problems) in problems.into_iter().enumerate() {
            for (at, problem) in problems {
                let (i, j) = place(start + task * ENTRIES_PER_TASK + at);
                unread[j].note(i, problem);
            }
        }
        if column_major {
            (start..).zip(numbers).for_each(|(at, number)| columns[at / rows][at % rows] = *number);
        } else {
            columns.par_iter_mut().enumerate().for_each(|(j, column)| {
                let first = (j + cols - start % cols) % cols;
                let these = numbers.iter().skip(first).step_by(cols);
                these.zip(&mut column[(start + first) / cols..]).for_each(|(number, out)| *out = *number);
            });
        }
    }
    Ok(columns.into_iter().zip(unread).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_headers_that_numpy_writes_are_read() {
        let header = |text: &str| parse_header(text).map(|header| (header.kind, header.column_major, header.shape));
        let good = Some(("<f8".to_owned(), false, vec![3, 4]));
        assert_eq!(header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n"), good);
        assert_eq!(header("{\"shape\":(3,4),\"fortran_order\":False,\"descr\":\"<f8\"}"), good);
        assert_eq!(header("{'descr': '<f8', 'fortran_order': True, 'shape': (), }").map(|it| it.2), Some(vec![]));
        assert_eq!(header("{'descr': '<f8', 'fortran_order': True, 'shape': (5,), }").map(|it| it.2), Some(vec![5]));
        for bad in [
            "",
            "{",
            "{'descr': '<f8', 'shape': (3, 4), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, -4), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 99999999999999999999), }",
            "{'descr': '<f8', 'fortran_order': 0, 'shape': (3, 4), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } x",
            "{'descr' '<f8', 'fortran_order': False, 'shape': (3, 4), }",
            "{'descr': '<f8' 'fortran_order': False, 'shape': (3, 4), }",
        ] {
            assert_eq!(header(bad), None, "{bad}");
        }
    }
}

//! Compressed text, Feather and Parquet as other programs write them, cut off and damaged.

use std::fs;
use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use shallows::data::{Cell, Table};

use super::{refused, refused_bytes};

const STEP: usize = 7;
const ROWS: usize = 40;

/// The bytes of a file that the tests of `data` read, and how its name ends.
fn fixture(name: &str) -> (Vec<u8>, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats");
    let ending = name.split_once('.').map(|(_, ending)| format!(".{ending}")).expect("an ending");
    (fs::read(folder.join(name)).expect("a fixture"), ending)
}

/// A file with this ending.
fn file(ending: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(format!("t{ending}"));
    (folder, path)
}

#[test]
fn what_is_cut_off_is_refused() {
    let compressed = ["text.csv.gz", "text.csv.zst"];
    let columns = ["pandas.feather", "pandas-zstd.feather", "polars.arrow", "polars-category.arrow", "polars.parquet"];
    for name in columns {
        let (bytes, ending) = fixture(name);
        (0..bytes.len()).step_by(STEP).for_each(|length| drop(refused_bytes(&ending, &bytes[..length])));
    }
    for name in compressed {
        let (bytes, ending) = fixture(name);
        let (_folder, path) = file(&ending);
        for length in (0..bytes.len()).step_by(STEP) {
            fs::write(&path, &bytes[..length]).expect("writing");
            // Between two parts a compressed text may end.
            match Table::read(&path) {
                Ok(table) => assert!(table.rows() < ROWS, "{name}"),
                Err(_) => drop(refused(&path)),
            }
        }
    }
}

#[test]
fn damaged_bytes_never_cause_a_panic() {
    const ATTACKS: usize = 600;
    for name in [
        "pandas.feather",
        "polars.arrow",
        "polars-category.arrow",
        "types.feather",
        "types.parquet",
        "text.csv.gz",
        "text.csv.zst",
    ] {
        let (bytes, ending) = fixture(name);
        let (_folder, path) = file(&ending);
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(bytes.len() as u64);
        for _ in 0..ATTACKS {
            let mut broken = bytes.clone();
            for _ in 0..random.random_range(1..4) {
                let at = random.random_range(0..broken.len());
                broken[at] =
                    if random.random() { random.random() } else { broken[at] ^ (1 << random.random_range(0..8)) };
            }
            fs::write(&path, &broken).expect("writing");
            if let Ok(table) = Table::read(&path) {
                let mut cells = table.columns.iter().flat_map(|column| (0..table.rows()).map(|i| column.cell(i)));
                assert!(cells.all(|cell| !matches!(cell, Cell::Number(x) if !x.is_finite())), "{name}");
            }
        }
    }
}

#[test]
fn files_that_are_not_what_their_names_say_are_refused_in_words() {
    let (stream, _) = fixture("stream.arrow");
    let (first, _) = fixture("first.feather");
    let (text, _) = fixture("plain.csv");
    for (ending, bytes, sentence, hint) in [
        (".arrow", &stream, ": this is a stream of Arrow, not a file", "read_ipc_stream"),
        (".feather", &first, ": this is the first version of Feather, which is no longer written", "write_feather"),
        (
            ".feather",
            &text,
            ": not a sound Feather file: the first bytes are not those of Arrow",
            "write the file again",
        ),
        (".csv.gz", &text, ": not a sound gzip file: the first bytes are not those of gzip", "write the file again"),
        (".txt.zst", &text, ": not a sound Zstandard file: the first bytes are not those of Zstandard", "again"),
        (".csv", &fixture("text.csv.gz").0, ": this is not text but gzip", ".csv.gz"),
        (".csv", &fixture("polars.parquet").0, ": this is not text but Parquet", ".parquet"),
        (".csv.gz", &vec![], ": the file is empty", "line of names"),
        (".feather", &vec![], ": the file is empty", "line of names"),
        (".parquet.gz", &text, ": \".parquet.gz\" is not a kind of table", "decompress it first"),
        (".json", &text, ": \".json\" is not a kind of table", "read_json"),
    ] {
        let (_folder, path) = file(ending);
        fs::write(&path, bytes).expect("writing");
        let error = refused(&path);
        assert!(error.to_string().ends_with(sentence), "{ending}: {error}");
        assert!(format!("{:?}", error.hint()).contains(hint), "{ending}: {:?}", error.hint());
    }
}

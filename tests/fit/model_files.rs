//! Model files come back with the same bits, hostile ones are refused, and exports say what the model says.

// W and X are matrices in every formula; a test that cannot continue shall stop.
#![allow(non_snake_case, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use shallows::activation::Activation;
use shallows::data::{Recipe, TargetScale};
use shallows::error::{Error, ModelProblem};
use shallows::linalg::Matrix;
use shallows::model::onnx::{GraphPrecision, onnx};
use shallows::model::{Calibration, Function, Model};
use shallows::network::{Network, NetworkSum};
use shallows::random::{Purpose, Stream};

/// Which parts a network of the tests has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Parts {
    /// W and v.
    Plain,
    /// W, v, u, c and b.
    Full,
    /// W and v positive, for inputs that drive every unit far to the left.
    Tail,
    /// c and b, no hidden unit.
    Affine,
}

const ALL_PARTS: [Parts; 4] = [Parts::Plain, Parts::Full, Parts::Tail, Parts::Affine];

fn model(activation: Activation, parts: Parts, seed: u64) -> Model {
    let (k, d) = (if parts == Parts::Affine { 0 } else { 6 }, 4);
    let mut stream = Stream::new(seed, Purpose::Teacher, 0);
    let mut draw = |n: usize| -> Vec<f64> {
        let raw: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        if parts == Parts::Tail { raw.iter().map(|x| x.abs()).collect() } else { raw }
    };
    let W = Matrix::from_vec(k, d, draw(k * d).iter().map(|w| w / 2.0).collect());
    let mut network = Network::new(activation, W, draw(k)).unwrap();
    if parts == Parts::Full {
        network.bias = Some(draw(k));
    }
    if matches!(parts, Parts::Full | Parts::Affine) {
        network.intercept = Some(draw(1)[0]);
        network.linear = Some(draw(d));
    }
    let names: Vec<String> = (1..=d).map(|i| format!("column {i}, \"quoted\" and\nbroken")).collect();
    Model::new(network, names, "Zielgröße".into(), u64::MAX - seed).unwrap()
}

fn small_model() -> Model {
    model("tanh".parse().unwrap(), Parts::Full, 3)
}

/// The only network of a model, with a change.
fn changed(model: &Model, change: impl FnOnce(&mut Network)) -> Function {
    let mut network = model.only().unwrap().clone();
    change(&mut network);
    network.into()
}

/// Two activations and a calibration by three folds, or by scores alone.
fn mixed_model(cross: bool) -> Model {
    let [tanh, relu] =
        ["tanh", "relu"].map(|name| model(name.parse().unwrap(), Parts::Full, 3).only().unwrap().clone());
    let mut mixed = small_model();
    let sum = NetworkSum::new(vec![tanh.clone(), relu]).unwrap();
    mixed.network = sum.clone().into();
    let fold = |at: usize| (if at == 1 { sum.clone() } else { tanh.clone().into() }, vec![0.5; 2 + at]);
    let folds = Calibration::Cross((0..3).map(fold).collect());
    mixed.calibration = Some(if cross { folds } else { Calibration::Split(vec![0.25, 0.0, 3.0]) });
    mixed
}

#[test]
fn several_activations_and_calibrations_come_back_bit_for_bit() {
    for cross in [false, true] {
        let mixed = mixed_model(cross);
        let bytes = mixed.to_bytes().unwrap();
        assert_eq!(Model::from_bytes(&bytes).unwrap(), mixed);
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("\"W.tanh\"") && text.contains("\"u.relu\"") && text.contains("\"c\""));
        assert_eq!(text.contains("fold2.W.relu"), cross);
        for length in 0..bytes.len() {
            assert_well_said(&Model::from_bytes(&bytes[..length]).unwrap_err(), &format!("cut at {length}"));
        }
        assert!(matches!(mixed.only(), Err(Error::Model { problem: ModelProblem::SeveralActivations { .. }, .. })));
    }
    let back = mixed_model(true).to_json();
    assert_eq!(back["groups"][1]["activation"], "relu");
    assert_eq!((back["width"].as_u64(), back["c"].is_number()), (Some(12), true));
}

/// A bounded network fitted to ln y, so that its exponential is finite for any input.
fn log_model() -> Model {
    let mut model = small_model();
    model.network = changed(&model, |network| network.linear = None);
    model.recipe = model.recipe.with_target_scale(TargetScale::Log);
    model.calibration = Some(Calibration::Split(vec![0.25, 0.0, 3.0]));
    model
}

#[test]
fn a_model_of_ln_y_comes_back_and_predicts_y() {
    let model = log_model();
    let bytes = model.to_bytes().unwrap();
    assert_eq!(Model::from_bytes(&bytes).unwrap(), model);
    let X = inputs(Parts::Full, 4);
    let f = model.network.predict(&X).unwrap();
    let predictions = model.predict(&X).unwrap();
    assert!(f.iter().zip(&predictions).all(|(f, y)| *y == f.exp()));
    let intervals = model.intervals(&X, 0.5).unwrap();
    assert!(predictions.iter().zip(&intervals).all(|(y, (lower, upper))| 0.0 < *lower && lower < y && y < upper));
    let json = model.to_json();
    assert_eq!((&json["target_scale"], &json["target"]), (&"log".into(), &"Zielgröße".into()));
    assert!(json["formula"].as_str().unwrap().contains("exp("));
    // Altered metadata of the same length, so that only it is at fault.
    for (old, new) in [("log", "lag"), ("target_scale", "target_scare"), ("columns", "columms")] {
        let (old, new) = (format!("{old}\\\""), format!("{new}\\\""));
        let at = bytes.windows(old.len()).position(|window| window == old.as_bytes()).unwrap();
        let mut altered = bytes.clone();
        altered[at..at + new.len()].copy_from_slice(new.as_bytes());
        let error = Model::from_bytes(&altered).unwrap_err();
        assert!(matches!(error, Error::Model { problem: ModelProblem::Metadata { .. }, .. }), "{error}");
        assert_well_said(&error, &new);
    }
    for length in 0..bytes.len() {
        assert_well_said(&Model::from_bytes(&bytes[..length]).unwrap_err(), &format!("cut at {length}"));
    }
}

#[test]
fn a_calibration_that_is_none_is_not_written() {
    let tanh: NetworkSum = small_model().only().unwrap().clone().into();
    for calibration in [
        Calibration::Split(vec![]),
        Calibration::Split(vec![1.0, -1.0]),
        Calibration::Split(vec![f64::INFINITY]),
        Calibration::Cross(vec![(tanh.clone(), vec![1.0])]),
        Calibration::Cross(vec![(tanh.clone(), vec![1.0]), (tanh.clone(), vec![])]),
    ] {
        let broken = Model { calibration: Some(calibration), ..small_model() };
        assert!(matches!(broken.to_bytes(), Err(Error::Model { problem: ModelProblem::Calibration, .. })));
    }
}

/// One line, not too long, with a way out.
fn assert_well_said(error: &Error, what: &str) {
    let said = error.to_string();
    assert!(!said.is_empty() && said.chars().all(|c| !c.is_control()), "{what}: {said:?}");
    assert!(said.chars().count() < 400, "{what}: {said}");
    if matches!(error, Error::Model { .. }) {
        assert!(error.hint().is_some(), "{what}: no hint for {said}");
    }
}

#[test]
fn a_saved_model_comes_back_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    for activation in Activation::examples() {
        for parts in ALL_PARTS {
            let model = model(activation.clone(), parts, 7);
            let path = folder.path().join("model.safetensors");
            model.save(&path).unwrap();
            assert_eq!(Model::load(&path).unwrap(), model, "{activation} {parts:?}");
            assert_eq!(Model::load_with(&path, Some(activation.clone())).unwrap(), model);
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left behind");
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    let first = small_model().to_bytes().unwrap();
    assert!((0..20).all(|_| small_model().to_bytes().unwrap() == first));
}

#[test]
fn a_model_that_is_not_sound_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let mut broken = small_model();
    broken.network = changed(&broken, |network| network.v[0] = f64::NAN);
    assert!(matches!(broken.save(&path), Err(Error::NotFinite { .. })));
    let mut broken = small_model();
    broken.recipe = Recipe::plain(vec!["a".into(), "b".into(), "a".into(), "c".into()]);
    assert!(matches!(broken.save(&path), Err(Error::Model { problem: ModelProblem::Recipe { .. }, .. })));
    assert!(!path.exists());
    assert!(matches!(small_model().save(folder.path().join("none/model")), Err(Error::Io { .. })));
}

#[test]
fn json_has_every_number_to_the_last_bit() {
    let model = small_model();
    let text = serde_json::to_string_pretty(&model.to_json()).unwrap();
    let back: serde_json::Value = serde_json::from_str(&text).unwrap();
    let numbers = |value: &serde_json::Value| serde_json::from_value::<Vec<f64>>(value.clone()).unwrap();
    let rows: Vec<f64> = back["W"].as_array().unwrap().iter().flat_map(numbers).collect();
    let network = model.only().unwrap();
    assert_eq!(rows, network.W.as_slice());
    assert_eq!(numbers(&back["v"]), network.v);
    assert_eq!(Some(numbers(&back["u"])), network.bias);
    assert_eq!(Some(numbers(&back["b"])), network.linear);
    assert_eq!(back["c"].as_f64(), network.intercept);
    assert_eq!(back["seed"].as_u64(), Some(model.seed));
    assert_eq!(back["activation"], "tanh");
    assert_eq!(back["width"], 6);
}

/// A file as another tool would write it.
fn foreign(metadata: &str, tensors: &[(&str, &str, &[usize], &[f64])]) -> Vec<u8> {
    let mut header = metadata.to_string();
    let mut data = Vec::new();
    for (name, dtype, shape, numbers) in tensors {
        let start = data.len();
        match *dtype {
            "F32" => data.extend(numbers.iter().flat_map(|x| (*x as f32).to_le_bytes())),
            _ => data.extend(numbers.iter().flat_map(|x| x.to_le_bytes())),
        }
        let comma = if header.is_empty() { "" } else { "," };
        let end = data.len();
        header += &format!(
            "{comma}\"{name}\":{{\"dtype\":\"{dtype}\",\"shape\":{shape:?},\"data_offsets\":[{start},{end}]}}"
        );
    }
    let header = format!("{{{header}}}");
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat()
}

#[test]
fn a_foreign_file_with_w_and_v_is_a_model_once_its_activation_is_known() {
    let relu: Activation = "relu".parse().unwrap();
    let (W, v): (&[f64], &[f64]) = (&[1.0, 2.0, 3.0, 4.0, 5.0, 6.5], &[1.0, -1.0]);
    for dtype in ["F32", "F64"] {
        for v_shape in [&[2][..], &[1, 2], &[2, 1]] {
            let tensors = [("W", dtype, &[2, 3][..], W), ("v", dtype, v_shape, v)];
            let silent = foreign("", &tensors);
            let read = Model::from_bytes_with(&silent, Some(relu.clone())).unwrap();
            assert_eq!(read.only().unwrap().W.as_slice(), W);
            assert_eq!(read.only().unwrap().v, v);
            assert_eq!((read.inputs().join(" ").as_str(), read.target.as_str()), ("x1 x2 x3", "y"));
            let refused = Model::from_bytes(&silent);
            assert!(matches!(refused, Err(Error::Model { problem: ModelProblem::NoActivation, .. })));

            let labelled = foreign(r#""__metadata__":{"activation":"relu"}"#, &tensors);
            assert_eq!(Model::from_bytes(&labelled).unwrap(), read);
            let other = Model::from_bytes_with(&labelled, Some("tanh".parse().unwrap()));
            assert!(matches!(other, Err(Error::Model { problem: ModelProblem::OtherActivation { .. }, .. })));
        }
    }
}

fn attacks() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attacks/models")
}

#[test]
fn every_hostile_file_is_refused_for_its_reason() {
    let expected = fs::read_to_string(attacks().join("expected.tsv")).unwrap();
    let mut tried = 0;
    for line in expected.lines() {
        let (name, reason) = line.split_once('\t').unwrap();
        let error = Model::load(attacks().join(name)).unwrap_err();
        assert_well_said(&error, name);
        assert!(error.to_string().contains(reason), "{name}: {error} does not say {reason:?}");
        let bytes = fs::read(attacks().join(name)).unwrap();
        assert_well_said(&Model::from_bytes(&bytes).unwrap_err(), name);
        assert_well_said(&Model::from_bytes_with(&bytes, Some(Activation::SQUARE)).unwrap_err(), name);
        tried += 1;
    }
    let files = fs::read_dir(attacks()).unwrap().filter_map(|entry| entry.ok());
    let hostile = files.filter(|entry| entry.path().extension().is_some_and(|end| end == "safetensors")).count();
    assert_eq!(tried, hostile, "every file in the folder has its line in expected.tsv");
}

#[test]
fn folders_missing_files_and_endless_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_path_buf(), folder.path().join("missing"), "/dev/zero".into(), "/dev/null".into()] {
        assert_well_said(&Model::load(&path).unwrap_err(), &path.display().to_string());
    }
}

#[test]
fn a_file_too_large_to_read_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sparse.safetensors");
    fs::File::create(&path).unwrap().set_len(5 << 30).unwrap();
    let error = Model::load(&path).unwrap_err();
    assert!(matches!(error, Error::Model { problem: ModelProblem::TooLarge { .. }, .. }), "{error}");
}

#[test]
fn a_file_cut_at_any_length_is_refused() {
    let bytes = small_model().to_bytes().unwrap();
    for length in 0..bytes.len() {
        assert_well_said(&Model::from_bytes(&bytes[..length]).unwrap_err(), &format!("cut at {length}"));
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(Model::from_bytes(&longer).is_err());
}

#[test]
fn damaged_bytes_give_an_error_or_a_sound_model_and_never_a_panic() {
    let files =
        [small_model(), mixed_model(false), mixed_model(true), log_model()].map(|model| model.to_bytes().unwrap());
    let mut stream = Stream::new(11, Purpose::Probe, 0);
    let mut sound = 0;
    for at in 0..20_000 {
        let bytes = &files[at % files.len()];
        let mut damaged = bytes.clone();
        // Most damage to the header, where the structure is.
        let most = if stream.uniform() < 0.8 { bytes.len() / 2 } else { bytes.len() };
        for _ in 0..1 + stream.below(3) {
            damaged[stream.below(most)] = stream.below(256) as u8;
        }
        match Model::from_bytes(&damaged) {
            Ok(model) => {
                model.check().unwrap();
                sound += 1;
            }
            Err(error) => assert_well_said(&error, "damaged"),
        }
    }
    assert!((1..20_000).contains(&sound), "{sound} of 20000");
}

#[test]
fn weights_too_large_for_single_precision_are_not_exported_as_infinities() {
    let mut model = small_model();
    model.network = changed(&model, |network| network.v[0] = 1e300);
    assert!(matches!(onnx(&model, GraphPrecision::F32), Err(Error::Precision { .. })));
    assert!(onnx(&model, GraphPrecision::F64).is_ok());
}

/// Inputs near 0, ordinary, and large; all of them numbers that single precision has.
fn inputs(parts: Parts, d: usize) -> Matrix {
    let mut stream = Stream::new(5, Purpose::Inputs, 0);
    let scales = [0.0, 1e-6, 1e-3, 0.3, 1.0, 1.0, 1.0, 3.0, 10.0, 50.0, 1e3];
    let rows: Vec<Vec<f64>> = (0..20 * scales.len())
        .map(|i| {
            let scale = scales[i % scales.len()];
            (0..d)
                .map(|_| match parts {
                    Parts::Tail => f64::from((-scale * stream.uniform()) as f32),
                    _ => f64::from((scale * stream.normal()) as f32),
                })
                .collect()
        })
        .collect();
    Matrix::from_rows(&rows)
}

/// What an error is to be measured against: the sizes of all terms, with that of the z_j as φ' magnifies them.
pub(crate) fn term_sizes(network: &Network, X: &Matrix) -> Vec<f64> {
    let sizes = |x: &[f64]| -> f64 {
        let mut total = network.intercept.unwrap_or(0.0).abs();
        total += network.linear.iter().flat_map(|b| b.iter().zip(x)).map(|(b, x)| (b * x).abs()).sum::<f64>();
        for j in 0..network.width() {
            let bias = network.bias.as_ref().map_or(0.0, |u| u[j]);
            let terms = || network.W.row(j).iter().zip(x).map(|(w, x)| w * x);
            let (mut phi, mut slope) = ([0.0], [0.0]);
            network.activation.slopes(&[terms().sum::<f64>() + bias], &mut phi, &mut slope);
            let spread = terms().map(f64::abs).sum::<f64>() + bias.abs();
            total += network.v[j].abs() * (phi[0].abs() + slope[0].abs() * spread);
        }
        total
    };
    (0..X.rows()).map(|i| sizes(X.row(i))).collect()
}

pub(crate) fn write_npy(path: PathBuf, shape: &[u64], numbers: &[f64]) {
    use npyz::WriterBuilder;
    let file = std::io::BufWriter::new(fs::File::create(path).unwrap());
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(shape).writer(file).begin_nd().unwrap();
    writer.extend(numbers.iter().copied()).unwrap();
    writer.finish().unwrap();
}

/// The cases that tests/python/check_exports.py looks at, under target/tmp/exports.
#[test]
fn exports_for_other_tools_hold_the_model_that_was_written() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exports");
    let _ = fs::remove_dir_all(&folder);
    for (at, activation) in Activation::examples().into_iter().enumerate() {
        for parts in ALL_PARTS {
            let model = model(activation.clone(), parts, 100 + at as u64);
            write_case(&folder.join(format!("{at:02}-{parts:?}").to_lowercase()), &model, parts);
        }
    }
    write_case(&folder.join("several"), &mixed_model(true), Parts::Full);
    write_case(&folder.join("logarithm"), &log_model(), Parts::Full);
}

fn write_case(case: &Path, model: &Model, parts: Parts) {
    fs::create_dir_all(case).unwrap();
    let X = inputs(parts, model.network.inputs());
    fs::write(case.join("f32.onnx"), onnx(model, GraphPrecision::F32).unwrap()).unwrap();
    fs::write(case.join("f64.onnx"), onnx(model, GraphPrecision::F64).unwrap()).unwrap();
    model.save(case.join("model.safetensors")).unwrap();
    let read = Model::load(case.join("model.safetensors")).unwrap();
    let bits = |model: &Model| model.predict(&X).unwrap().into_iter().map(f64::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(&read), bits(model), "{}", case.display());
    assert_eq!(read.to_json(), model.to_json(), "{}", case.display());
    fs::write(case.join("model.json"), model.to_json().to_string()).unwrap();
    let n = X.rows() as u64;
    let mut sizes = vec![0.0; X.rows()];
    for network in model.network.networks() {
        sizes.iter_mut().zip(term_sizes(network, &X)).for_each(|(sum, size)| *sum += size);
    }
    let columns = model.recipe.columns().iter().enumerate();
    let columns = columns.map(|(j, step)| json!({ "name": step.name, "values": X.column(j) })).collect::<Vec<_>>();
    fs::write(case.join("columns.json"), json!(columns).to_string()).unwrap();
    let expected = model.predict(&X).unwrap();
    if model.recipe.target_scale() == TargetScale::Log {
        // exp magnifies an error of f by exp f, and adds its own.
        sizes.iter_mut().zip(&expected).for_each(|(size, y)| *size = y * (1.0 + *size));
    }
    write_npy(case.join("expected.npy"), &[n], &expected);
    write_npy(case.join("sizes.npy"), &[n], &sizes);
}

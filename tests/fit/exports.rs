//! Exported graphs of whole tables and of wide networks, written for tests/python/check_exports.py, and the finite forms of wide networks.

// A test that cannot continue shall stop.
#![allow(non_snake_case, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use shallows::data::recipe::{DateUse, Gaps, OmissionReason, Treatment};
use shallows::data::{Reading, Recipe, Roles, Samples, Table, TargetScale};
use shallows::linalg::Matrix;
use shallows::model::onnx::{GraphPrecision, finite_onnx, onnx};
use shallows::model::{FiniteForm, Function, Model, WideMember};
use shallows::network::{Network, NetworkSum};
use shallows::random::{Purpose, Stream};
use shallows::wide::{KernelLayer, LayerLaw, LayerSet, WideKernel, WideNetwork};
use shallows::{Data, Watch};

use crate::model_files::{term_sizes, write_npy};

/// Columns as a file has them; those that the recipe takes as numbers are fed as numbers.
type Cells = Vec<(&'static str, Vec<String>)>;

fn table_of(cells: &Cells) -> Table {
    let mut text = cells.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(",") + "\n";
    for i in 0..cells[0].1.len() {
        text += &(cells.iter().map(|(_, column)| column[i].as_str()).collect::<Vec<_>>().join(",") + "\n");
    }
    Table::read_csv(text.as_bytes(), Path::new("houses.csv")).unwrap()
}

/// Every kind of column, some of them with names that a graph has for itself.
fn houses(rows: usize, new: bool, skewed: bool) -> Cells {
    let mut stream = Stream::new(if new { 4 } else { 3 }, Purpose::Inputs, 0);
    let mut draw = |cell: &mut dyn FnMut(usize, &mut Stream) -> String| -> Vec<String> {
        (0..rows).map(|i| cell(i, &mut stream)).collect()
    };
    let gap = ["", "NA", "nan", "?"];
    let one_of = |words: &[&str], stream: &mut Stream| words[stream.below(words.len())].to_owned();
    let mut cells: Cells = vec![
        ("W", draw(&mut |i, stream| if i % 7 == 3 { String::new() } else { format!("{:.3}", stream.normal()) })),
        ("year", draw(&mut |_, stream| format!("{:.2}", 1990.0 + 4.0 * stream.uniform()))),
        (
            "colour",
            draw(&mut |i, stream| match (i % 9, new) {
                (4, _) => gap[i % 4].to_owned(),
                (5, true) => "unheard of".to_owned(),
                (6, false) => format!("rare{i}"),
                _ => one_of(&["red", "green", "blue"], stream),
            }),
        ),
        (
            "storeys",
            draw(&mut |i, stream| {
                let storeys = one_of(&["1", "2", "3"], stream);
                if new && i % 4 == 0 { storeys + ".0" } else { storeys }
            }),
        ),
        (
            "garden",
            draw(&mut |i, stream| {
                let garden = one_of(&["true", "false"], stream);
                if new && i % 3 == 0 { garden.to_uppercase() } else { garden }
            }),
        ),
        ("note", draw(&mut |i, _| if i % 5 == 1 { String::new() } else { "x".to_owned() })),
        (
            "sub_3",
            draw(&mut |i, stream| match (new, i % 6) {
                (true, 2) => String::new(),
                (true, 4) => "-999".to_owned(),
                _ => format!("{:.4}", stream.uniform()),
            }),
        ),
        ("same", vec!["7".to_owned(); rows]),
        ("sold", (0..rows).map(|i| sold(i, new)).collect()),
        ("condition", (0..rows).map(|i| ["poor", "fair", "good", ""][(i * i + 1) % 7 % 4].to_owned()).collect()),
    ];
    let price = |i: usize, stream: &mut Stream| {
        let f = 3.0 * (i as f64).sin() + stream.normal();
        if skewed { (0.5 * f).exp() } else { 1000.0 + f }
    };
    let y = (0..rows).map(|i| format!("{:.3}", price(i, &mut stream))).collect();
    cells.push(("price", y));
    cells
}

/// When a house was sold, near the ends of months, years and centuries in new rows.
fn sold(i: usize, new: bool) -> String {
    const EDGES: [&str; 6] = [
        "2000-02-29 23:59:59.999999",
        "2000-03-01",
        "1900-02-28 12:00",
        "1900-03-01 00:00:00.000001",
        "1999-12-31 23:59",
        "2100-03-01",
    ];
    match (EDGES.get(i), i % 13) {
        (Some(edge), _) if new => (*edge).to_owned(),
        (_, 4) => String::new(),
        _ => format!("{}-{:02}-{:02} {:02}:{:02}", 1998 + i % 5, 1 + 7 * i % 12, 1 + 11 * i % 28, i % 24, 7 * i % 60),
    }
}

fn reading(target_scale: TargetScale, centre: bool) -> Reading {
    let ordered = vec!["condition=poor<fair<good".parse().unwrap()];
    let (categorical, gap_words) = (vec!["storeys".into()], vec!["-999".into()]);
    let dates = DateUse::Parts;
    let roles = Roles { categorical, ordered, dates, gap_words, target_scale, centre, ..Roles::default() };
    Reading { roles, ..Reading::default() }
}

fn samples(target_scale: TargetScale) -> Samples {
    reading(target_scale, true).learned(&table_of(&houses(90, false, target_scale == TargetScale::Log))).unwrap()
}

fn fitted(data: &Data, set: LayerSet) -> WideNetwork {
    WideNetwork::fitted(data, &data.columns, set, 0, Watch::silent()).unwrap()
}

/// A finite network of these inputs.
fn finite(d: usize) -> Network {
    let mut stream = Stream::new(9, Purpose::Teacher, 0);
    let W = Matrix::from_fn(5, d, |_, _| 0.2 * stream.normal());
    let mut network = Network::new("tanh".parse().unwrap(), W, vec![1.0, -2.0, 0.5, 1.5, -1.0]).unwrap();
    network.bias = Some(vec![0.1; 5]);
    network.linear = Some((0..d).map(|j| 0.01 * j as f64).collect());
    network.intercept = Some(0.25);
    network
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The columns of a table as a graph takes them.
fn fed(recipe: &Recipe, cells: &Cells) -> Value {
    let mut columns = vec![];
    for step in recipe.columns() {
        let (_, values) = cells.iter().find(|(name, _)| *name == step.name).unwrap();
        let number = |text: &String| text.parse::<f64>().map_or(Value::Null, Value::from);
        let values: Vec<Value> = match step.treatment {
            Treatment::Number { .. } | Treatment::Centred { .. } => values.iter().map(number).collect(),
            Treatment::Category { .. } | Treatment::GapsOnly | Treatment::Ordered { .. } => {
                values.iter().map(|text| json!(text)).collect()
            }
            Treatment::Date { order, .. } => values
                .iter()
                .map(|text| shallows_verify::date::read(text, order).map_or(Value::Null, Value::from))
                .collect(),
            Treatment::Dropped(_) => continue,
        };
        columns.push(json!({ "name": step.name, "values": values }));
    }
    json!(columns)
}

/// The sizes of all terms that a wide network adds up.
fn kernel_sizes(network: &WideNetwork, Z: &Matrix) -> Vec<f64> {
    let root = |diagonal: Vec<f64>| diagonal.into_iter().map(f64::sqrt).collect::<Vec<f64>>();
    let centres = root(network.kernel.diagonal(&network.centres));
    let total: f64 = network.alpha.iter().zip(&centres).map(|(alpha, size)| alpha.abs() * size).sum();
    root(network.kernel.diagonal(Z)).iter().map(|size| network.target_mean.abs() + size * total).collect()
}

/// z = (x − mean)/deviation, ranks before where there are any; what the library does, without it.
fn transformed(network: &WideNetwork, X: &Matrix) -> Matrix {
    let transform = &network.transform;
    Matrix::from_fn(X.rows(), transform.kept.len(), |i, at| {
        let x = X[(i, transform.kept[at])];
        let x = transform.ranks.as_ref().map_or(x, |curves| {
            let (values, ranks) = (&curves[at].values, &curves[at].ranks);
            match values.iter().position(|value| *value >= x) {
                None => ranks[ranks.len() - 1],
                Some(0) => ranks[0],
                Some(after) => {
                    let share = (x - values[after - 1]) / (values[after] - values[after - 1]);
                    ranks[after - 1] + share * (ranks[after] - ranks[after - 1])
                }
            }
        });
        (x - transform.mean[at]) / transform.deviation[at]
    })
}

fn function_sizes(function: &Function, X: &Matrix) -> Vec<f64> {
    let mut sizes = vec![0.0; X.rows()];
    let mut add =
        |weight: f64, terms: Vec<f64>| sizes.iter_mut().zip(terms).for_each(|(sum, size)| *sum += weight.abs() * size);
    function.networks().iter().for_each(|network| add(1.0, term_sizes(network, X)));
    for WideMember { weight, network } in function.wide() {
        add(*weight, kernel_sizes(network, &transformed(network, X)));
    }
    sizes
}

/// Write what Python looks at: the files, the columns, the predictions and what their errors are measured against.
fn write_case(case: &Path, model: &Model, columns: &Value, f: &[f64], mut sizes: Vec<f64>, form: Option<&FiniteForm>) {
    fs::create_dir_all(case).unwrap();
    for (precision, file) in [(GraphPrecision::F32, "f32.onnx"), (GraphPrecision::F64, "f64.onnx")] {
        let bytes = form.map_or_else(|| onnx(model, precision), |form| finite_onnx(model, form, precision)).unwrap();
        fs::write(case.join(file), bytes).unwrap();
    }
    let scale = model.recipe.target_scale();
    let expected: Vec<f64> = f.iter().map(|f| scale.original(*f)).collect();
    if scale == TargetScale::Log {
        sizes.iter_mut().zip(&expected).for_each(|(size, y)| *size = y * (1.0 + *size));
    }
    fs::write(case.join("columns.json"), columns.to_string()).unwrap();
    let n = [f.len() as u64];
    write_npy(case.join("expected.npy"), &n, &expected);
    write_npy(case.join("sizes.npy"), &n, &sizes);
    let document = form.and_then(|form| form.model(model));
    if document.is_some() || form.is_none() {
        let model = document.as_ref().unwrap_or(model);
        model.save(case.join("model.safetensors")).unwrap();
        fs::write(case.join("model.json"), model.to_json().to_string()).unwrap();
        let read = Model::load(case.join("model.safetensors")).unwrap();
        assert_eq!(read.to_json(), model.to_json(), "{}", case.display());
    }
}

/// A case of new rows of the houses.
fn write_houses(case: &str, function: Function, samples: &Samples, form: Option<usize>) {
    let (recipe, cells) = (samples.recipe.clone(), houses(60, true, false));
    let X = recipe.inputs(&table_of(&cells)).unwrap().X;
    let model = Model::new(function, recipe, "price".into(), 5).unwrap();
    let columns = fed(&model.recipe, &cells);
    let case = &folder("exports-of-tables").join(case);
    match form {
        None => {
            let f = model.network.predict(&X).unwrap();
            write_case(case, &model, &columns, &f, function_sizes(&model.network, &X), None);
        }
        Some(width) => {
            let form = FiniteForm::drawn(&model, width, 1).unwrap();
            let mut sizes =
                form.network.iter().flat_map(NetworkSum::networks).fold(vec![0.0; X.rows()], |sum, network| {
                    sum.iter().zip(term_sizes(network, &X)).map(|(sum, size)| sum + size).collect::<Vec<f64>>()
                });
            for ranked in &form.ranked {
                // Ranks are within two deviations of their mean.
                let network = &ranked.network.networks()[0];
                let spread = |unit: usize| 4.0 * network.W.row(unit).iter().map(|w| w.abs()).sum::<f64>() + 7.0;
                let units: f64 = (0..network.width()).map(|unit| network.v[unit].abs() * spread(unit)).sum();
                let affine: f64 = network.linear.iter().flatten().map(|b| 4.0 * b.abs()).sum();
                sizes.iter_mut().for_each(|sum| *sum += units + affine + network.intercept.unwrap_or(0.0).abs());
            }
            write_case(case, &model, &columns, &form.predict(&X).unwrap(), sizes, Some(&form));
        }
    }
}

/// The cases of tests/python/check_exports.py with columns of every kind and wide networks.
#[test]
fn exports_for_other_tools_take_the_columns_of_a_table() {
    let _ = fs::remove_dir_all(folder("exports-of-tables"));
    let samples = samples(TargetScale::Identity);
    let kinds = |recipe: &Recipe| recipe.columns().iter().map(|step| step.treatment.clone()).collect::<Vec<_>>();
    let found = kinds(&samples.recipe);
    assert!(matches!(found[0], Treatment::Number { median: Some(_), gaps: Gaps::Input }), "{:?}", found[0]);
    assert!(matches!(found[1], Treatment::Centred { gaps: Gaps::Never, .. }), "{:?}", found[1]);
    assert!(matches!(found[2], Treatment::Category { other: true, gaps: Gaps::Input, .. }), "{:?}", found[2]);
    assert!(matches!(found[5], Treatment::GapsOnly), "{:?}", found[5]);
    assert!(matches!(found[7], Treatment::Dropped(OmissionReason::Constant)), "{:?}", found[7]);
    assert!(matches!(&found[8], Treatment::Date { parts, .. } if parts.len() == 4), "{:?}", found[8]);
    assert!(matches!(found[9], Treatment::Ordered { median: Some(_), .. }), "{:?}", found[9]);
    assert!(matches!(samples.recipe.target_scale(), TargetScale::Centred(_)));
    let d = samples.data.d();
    write_houses("finite", finite(d).into(), &samples, None);
    let wide = fitted(&samples.data, LayerSet::RoughMixed);
    let ranks = fitted(&samples.data, LayerSet::Ranks);
    assert!(ranks.transform.ranks.is_some());
    write_houses("ranks", ranks.clone().into(), &samples, None);
    let members = || {
        let network = |weight, network: &WideNetwork| WideMember { weight, network: network.clone() };
        vec![network(0.4, &wide), network(0.25, &ranks), network(-0.1, &wide)]
    };
    let sum = || Function::combined(Some(finite(d).into()), members()).unwrap();
    write_houses("combination", sum(), &samples, None);
    write_houses("finite-form", wide.clone().into(), &samples, Some(80));
    write_houses("finite-form-of-ranks", ranks.clone().into(), &samples, Some(60));
    write_houses("finite-form-of-a-combination", sum(), &samples, Some(90));
    let logarithm = self::samples(TargetScale::Log);
    let network = fitted(&logarithm.data, LayerSet::RoughErf);
    write_houses("logarithm", network.clone().into(), &logarithm, None);
    write_houses("finite-form-logarithm", network.into(), &logarithm, Some(70));
}

/// Numbers without a recipe, one network for every law, one input and several, and rows that predictions would refuse.
#[test]
fn exports_for_other_tools_have_every_law() {
    let _ = fs::remove_dir_all(folder("exports-of-laws"));
    for law in LayerLaw::ALL {
        for (d, bias) in [(1, 0.7), (3, 0.7), (3, 0.0)] {
            if bias > 0.0 || law.has_bias() {
                write_law(law, d, bias);
            }
        }
    }
}

fn write_law(law: LayerLaw, d: usize, bias: f64) {
    let mut stream = Stream::new(8, Purpose::Inputs, d as u64);
    let X = Matrix::from_fn(40, d, |_, _| stream.normal());
    let y = (0..40).map(|i| X[(i, 0)] * X[(i, d / 2)] + X[(i, d - 1)]).collect();
    let names: Vec<String> = ["a", "prediction", ""].iter().take(d).map(|name| (*name).to_owned()).collect();
    let data = Data::builder(X, y).build().unwrap();
    let mut network = fitted(&data, LayerSet::RoughRelu);
    // So that a row of zeros is a zero vector of the kernel.
    network.transform.mean = vec![0.0; d];
    network.transform.deviation = vec![1.7; d];
    network.centres.row_mut(7).fill(0.0);
    network.alpha = (0..network.alpha.len()).map(|_| stream.normal()).collect();
    let scales = if law.has_scales() { [0.5, 2.0, 1.3][..d].to_vec() } else { vec![] };
    network.kernel = WideKernel { layers: vec![KernelLayer { law, signal: 0.8, scales, bias }] };
    let mut rows: Vec<Vec<f64>> = vec![];
    for size in [0.0, 1e-8, 0.1, 1.0, 1.0, 1.0, 10.0, 1e4] {
        rows.extend((0..4).map(|_| (0..d).map(|_| size * stream.normal()).collect()));
    }
    rows.extend((0..10).map(|g| network.centres.row(g).iter().map(|z| 1.7 * z).collect()));
    let X = Matrix::from_rows(&rows);
    let model = Model::new(network, names.clone(), "y".into(), 1).unwrap();
    let mut f = model.network.predict(&X).unwrap();
    let sizes = function_sizes(&model.network, &X);
    // An input without a name has one in the graph.
    let name = |j: usize| if names[j].is_empty() { "column" } else { names[j].as_str() };
    let mut fed: Vec<Value> = (0..d).map(|j| json!({ "name": name(j), "values": X.column(j) })).collect();
    // Gaps that nothing fills, and what is no number: NaN, never a number.
    for (row, column, value) in [(3, 0, Value::Null), (9, d - 1, Value::Null), (12, d / 2, json!("Infinity"))] {
        fed[column]["values"][row] = value;
        f[row] = f64::NAN;
    }
    let case = folder("exports-of-laws").join(format!("{}-{d}-{bias}", law.name()));
    write_case(&case, &model, &json!(fed), &f, sizes, None);
}

/// A wide network with every layer, on inputs far from zero, and the model of it.
fn wide_model(set: LayerSet) -> (Data, Model) {
    let mut stream = Stream::new(12, Purpose::Inputs, 0);
    let X = Matrix::from_fn(60, 2, |_, j| 50.0 * j as f64 + 3.0 * stream.normal());
    let y = (0..60).map(|i| (X[(i, 0)] / 2.0).sin() + 0.1 * (X[(i, 1)] - 50.0) + 0.1 * stream.normal()).collect();
    let data = Data::builder(X, y).build().unwrap();
    let model = Model::new(fitted(&data, set), data.names.clone(), "y".into(), 3).unwrap();
    (data, model)
}

#[test]
fn a_finite_form_comes_closer_with_more_units_and_folds_its_inputs_exactly() {
    let (data, model) = wide_model(LayerSet::RoughMixed);
    let mean_error = |width: usize| {
        (0..4).map(|seed| FiniteForm::drawn(&model, width, seed).unwrap().difference().0).sum::<f64>() / 4.0
    };
    // In the end as one over the root of the width; rough layers need many units before.
    let errors = [100, 1000, 10_000, 100_000].map(mean_error);
    assert!(errors.windows(2).all(|pair| pair[1] < pair[0]) && errors[3] < 0.4 * errors[2], "{errors:?}");
    let form = FiniteForm::drawn(&model, 200, 7).unwrap();
    assert_eq!(form.width(), 200);
    assert_eq!(form, FiniteForm::drawn(&model, 200, 7).unwrap());
    assert_ne!(form, FiniteForm::drawn(&model, 200, 8).unwrap());
    let finite = form.model(&model).unwrap();
    let (f, wide) = (finite.predict(&data.X).unwrap(), model.predict(&data.X).unwrap());
    let square: f64 = f.iter().zip(&wide).map(|(f, wide)| (f - wide).powi(2)).sum();
    let (root_mean_square, largest) = form.difference();
    // The inputs of the centres are standardised; those of the weights are not.
    assert!(((square / 60.0).sqrt() - root_mean_square).abs() < 1e-6 * root_mean_square, "{root_mean_square}");
    assert!(f.iter().zip(&wide).all(|(f, wide)| (f - wide).abs() < largest * (1.0 + 1e-6)));
}

#[test]
fn the_same_units_are_drawn_on_any_number_of_threads() {
    let (_, model) = wide_model(LayerSet::RoughErf);
    let drawn = |threads: usize, width: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| FiniteForm::drawn(&model, width, 4).unwrap().model(&model).unwrap().to_bytes().unwrap())
    };
    assert!(drawn(1, 30) == drawn(4, 30));
    assert!(drawn(1, 300) == drawn(4, 300));
}

#[test]
fn a_width_that_cannot_be_is_refused_in_a_line() {
    let (_, model) = wide_model(LayerSet::RoughMixed);
    for width in [0, 3, usize::MAX, 1 << 40] {
        let error = FiniteForm::drawn(&model, width, 0).unwrap_err().to_string();
        assert!(error.starts_with("the width must be at least 4 and at most") && !error.contains('\n'), "{error}");
    }
    assert_eq!(
        FiniteForm::drawn(&model, 4, 0).unwrap().members[0].units.iter().map(|(_, units)| *units).max(),
        Some(1)
    );
    let finite = Model::new(finite(2), vec!["a".to_owned(), "b".to_owned()], "y".into(), 0).unwrap();
    let error = FiniteForm::drawn(&finite, 10, 0).unwrap_err().to_string();
    assert_eq!(error, "the width applies only with infinitely wide networks");
    let (_, ranked) = wide_model(LayerSet::Ranks);
    let form = FiniteForm::drawn(&ranked, 10, 0).unwrap();
    assert!(form.model(&ranked).is_none() && !form.ranked.is_empty());
}

#[test]
fn damaged_files_of_wide_networks_give_an_error_or_a_model_that_is_exported() {
    let files = [LayerSet::RoughMixed, LayerSet::Ranks].map(|set| wide_model(set).1.to_bytes().unwrap());
    for bytes in &files {
        for length in (0..bytes.len()).step_by(97) {
            let error = Model::from_bytes(&bytes[..length]).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
        }
    }
    let mut stream = Stream::new(31, Purpose::Probe, 0);
    let mut sound = 0;
    for at in 0..3000 {
        let mut damaged = files[at % 2].clone();
        // Half of the damage to the header, where the structure is.
        let most = if at % 4 < 2 { 2000 } else { damaged.len() };
        for _ in 0..1 + stream.below(3) {
            damaged[stream.below(most)] = stream.below(256) as u8;
        }
        let Ok(model) = Model::from_bytes(&damaged) else { continue };
        sound += 1;
        let one_line = |error: String| assert!(!error.contains('\n'), "{error}");
        for precision in [GraphPrecision::F32, GraphPrecision::F64] {
            onnx(&model, precision)
                .map_or_else(|error| one_line(error.to_string()), |bytes| assert!(!bytes.is_empty()));
        }
        match FiniteForm::drawn(&model, 12, 0) {
            Err(error) => one_line(error.to_string()),
            Ok(form) => assert_eq!(form.predict(&Matrix::from_rows(&[[0.0, 50.0]])).unwrap().len(), 1),
        }
    }
    assert!((100..3000).contains(&sound), "{sound} of 3000");
}

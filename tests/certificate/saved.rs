//! Every theorem in a file: saved, loaded and verified, whatever its verdict; and a forged number is not confirmed.

mod wide;

use std::fs;
use std::path::Path;

use crate::support::keep;
use serde_json::{Value, json};
use shallows::activation::Activation;
use shallows::certificate::descent::frame::RowScaling;
use shallows::certificate::{Certificate, Claim, Judgement, Range, Signs, Source, Theorem, Verdict, wide_enough};
use shallows::data::{Data, Reading, Roles, Samples, TargetScale};
use shallows::fit::Request;
use shallows::job::check::{CheckOutcome, CheckRequest, Sought};
use shallows::job::fit::{FitFiles, FitJob, FitRequest};
use shallows::job::verify::VerifyJob;
use shallows::linalg::Matrix;
use shallows::network::Network;
use shallows::{Quadratic, Watch};

fn square(W: Matrix, v: Vec<f64>) -> Network {
    Network::new(Activation::SQUARE, W, v).unwrap()
}

fn data(X: Matrix, y: Vec<f64>) -> Data {
    let names = (0..X.cols()).map(|j| format!("x{j}")).collect();
    Data::builder(X, y).names(names).build().unwrap()
}

/// Every row e_i twice, with labels one above and one below 4, 1 and 9.
fn axes() -> Data {
    let X = Matrix::from_fn(6, 3, |i, j| f64::from(u8::from(i % 3 == j)));
    data(X, vec![5.0, 2.0, 10.0, 3.0, 0.0, 8.0])
}

fn diagonal(entries: &[f64]) -> Matrix {
    Matrix::from_fn(entries.len(), entries.len(), |i, j| if i == j { entries[i] } else { 0.0 })
}

/// The best network for [`axes`], a saddle, and one with three units of each sign.
fn networks() -> [Network; 3] {
    let best = square(diagonal(&[2.0, 1.0, 3.0]), vec![1.0; 3]);
    let saddle = square(Matrix::from_fn(4, 3, |i, j| if i + j == 0 { 2.0 } else { 0.0 }), vec![1.0; 4]);
    let wide = square(Matrix::zeros(6, 3), vec![1.0, 1.0, 1.0, -1.0, -1.0, -1.0]);
    [best, saddle, wide]
}

/// Of one theorem about a network on rows.
fn certified(theorem: Theorem, network: &Network, data: &Data) -> Certificate {
    let exponents = vec![0; data.d()];
    let claim = Claim { signs: Signs::Any, decay: 0.0, linear: false, intercept: false, exponents };
    Certificate::new(&[theorem], network, data, &Source::default(), &claim, None, 1e-6).unwrap()
}

/// What a stranger with the text of the file finds, and whether all it says is confirmed.
fn verified(text: &str, data: Option<&Data>) -> Option<(Verdict, bool)> {
    let certificate = Certificate::from_json(text.as_bytes()).ok()?;
    let verified = match data {
        Some(data) => certificate.verify(data).ok()?,
        None => certificate.verify_without_rows().ok()?,
    };
    Some((verified.verdict(), verified.claims().iter().all(|claim| claim.objection.is_none())))
}

/// Left for the second checker, and judged by ours.
fn assert_survives(certificate: &Certificate, data: Option<&Data>, verdict: Verdict) {
    keep(certificate, data);
    assert_judged(certificate, data, verdict);
}

/// Saved, loaded and verified with this verdict; no forged fact and no forged verdict is confirmed.
fn assert_judged(certificate: &Certificate, data: Option<&Data>, verdict: Verdict) {
    let text = certificate.to_json().unwrap();
    assert_eq!(Certificate::from_json(text.as_bytes()).unwrap(), *certificate);
    assert_eq!(verified(&text, data), Some((verdict, true)), "{:?}", certificate.statements());
    let document: Value = serde_json::from_str(&text).unwrap();
    let rejects = |place: &str, forged: Value| {
        let mut other = document.clone();
        *other.pointer_mut(place).unwrap() = forged;
        let found = verified(&other.to_string(), data);
        assert!(found.is_none_or(|(_, confirmed)| !confirmed), "{place}: {found:?}");
    };
    for (at, claim) in certificate.claims().iter().enumerate() {
        // A claimed "undecided" claims nothing.
        for forged in ["holds", "fails"].iter().filter(|word| **word != claim.verdict.to_string()) {
            rejects(&format!("/certificates/{at}/verdict"), json!(forged));
        }
        for (name, value) in &claim.facts.0 {
            // One of the two is stronger, whichever side the fact bounds.
            let stronger = |forged: f64| {
                let mut other = document.clone();
                other["certificates"][at]["facts"][name] = json!(forged);
                verified(&other.to_string(), data).is_none_or(|(_, confirmed)| !confirmed)
            };
            assert!(
                stronger(value - 0.01 * (1.0 + value.abs())) || stronger(value + 0.01 * (1.0 + value.abs())),
                "{name}"
            );
        }
    }
}

#[test]
fn theorems_about_a_network_on_rows_survive_their_files() {
    use Theorem::{
        ApproximateMinimum, FullRankStationary, GlobalOptimum, PlantedQuadratic, StrictSaddle, WideQuadratic,
    };
    use Verdict::{Fails, Holds, Undecided};
    let ([best, saddle, wide], axes) = (networks(), axes());
    let few = data(Matrix::from_rows(&[[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]), vec![1.0, -3.0]);
    for (theorem, network, data, verdict) in [
        (GlobalOptimum, &best, &axes, Holds),
        (GlobalOptimum, &saddle, &axes, Fails),
        (WideQuadratic, &wide, &axes, Holds),
        (WideQuadratic, &best, &axes, Fails),
        (PlantedQuadratic, &wide, &few, Holds),
        (PlantedQuadratic, &wide, &axes, Fails),
        (StrictSaddle, &saddle, &axes, Holds),
        // S = 0 up to nothing: no direction is found, and none is excluded.
        (StrictSaddle, &best, &axes, Undecided),
        (ApproximateMinimum, &best, &axes, Holds),
        (ApproximateMinimum, &saddle, &axes, Undecided),
        (FullRankStationary, &best, &axes, Holds),
        (FullRankStationary, &saddle, &axes, Fails),
    ] {
        assert_survives(&certified(theorem, network, data), Some(data), verdict);
    }
}

#[test]
fn a_planted_network_is_part_of_the_file() {
    let [best, saddle, _] = networks();
    let axes = axes();
    let planted = Certificate::of_planted(&best, &saddle, &axes, &Source::default()).unwrap();
    assert_survives(&planted, Some(&axes), Verdict::Holds);
    let other = square(Matrix::zeros(4, 3), vec![1.0, 1.0, 1.0, -1.0]);
    let planted = Certificate::of_planted(&best, &other, &axes, &Source::default()).unwrap();
    assert_survives(&planted, Some(&axes), Verdict::Fails);
}

#[test]
fn theorems_about_rows_survive_their_files() {
    use Theorem::{Determined, SeparatedData};
    let corners = data(Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), vec![1.0, 2.0, 3.0]);
    assert_survives(
        &Certificate::of_rows(&corners, &Source::default(), false).unwrap(),
        Some(&corners),
        Verdict::Holds,
    );
    // Equal rows have one direction, an input that is a multiple of another is superfluous.
    let equal = data(Matrix::from_fn(8, 2, |i, j| (i as f64 - 3.5).powi(2) * [1.0, 3.0][j]), vec![0.0; 8]);
    let certificate = Certificate::of_rows(&equal, &Source::default(), true).unwrap();
    assert_survives(&certificate, Some(&equal), Verdict::Fails);
    let verdicts = [SeparatedData, Determined].map(|theorem| certificate.verdict_of(theorem));
    assert_eq!(verdicts, [Some(Verdict::Fails); 2]);
    // A row of zeros has no direction; the margin is not a number, and the file is one all the same.
    let zero = data(Matrix::from_rows(&[[1.0, 0.0], [0.0, 0.0]]), vec![1.0, 2.0]);
    assert_survives(&Certificate::of_rows(&zero, &Source::default(), false).unwrap(), Some(&zero), Verdict::Fails);
}

#[test]
fn theorems_about_a_teacher_and_a_start_survive_their_files() {
    let teacher = square(diagonal(&[1.0, 1.0]), vec![1.0; 2]);
    for (scale, verdict) in [(0.9, Verdict::Holds), (3.0, Verdict::Fails)] {
        let start = square(diagonal(&[scale, scale]), vec![1.0; 2]);
        assert_survives(&Certificate::of_start(&start, &teacher, None).unwrap(), None, verdict);
    }
    let flat = square(Matrix::from_rows(&[[1.0, 0.0]]), vec![1.0]);
    let start = square(diagonal(&[0.9, 0.9]), vec![1.0; 2]);
    let certificate = Certificate::of_start(&start, &flat, Some(1.0)).unwrap();
    assert_survives(&certificate, None, Verdict::Fails);
    assert_eq!(certificate.claims().len(), 3);
    for (mu, verdict) in [(0.5, Verdict::Holds), (13.0, Verdict::Fails)] {
        let designed = Certificate::of_designed(&teacher, 0.1, mu, 50.0).unwrap();
        assert_survives(&designed, None, verdict);
    }
}

#[test]
fn theorems_about_numbers_survive_their_files() {
    let range = Range { units: 3, outputs: (1.0, 1.0), sigma_4: 0.2, mu: 0.5, lambda: 10.0 };
    for (epsilon, verdict) in [(1e-6, Verdict::Holds), (1.0, Verdict::Fails)] {
        assert_survives(&Certificate::of_recovery(&range, epsilon, 1e-6).unwrap(), None, verdict);
    }
    for (units, verdict) in [(1_000_000, Verdict::Holds), (4, Verdict::Fails)] {
        let certificate = Certificate::of_gaussian_start((units, 3), units as f64).unwrap();
        assert_survives(&certificate, None, verdict);
    }
}

/// What is proved about a start of four units, or of as many as are needed; the rows that it is about are in a form.
fn started(activation: &str, rows: RowScaling, table: &Data, sought: Sought) -> CheckOutcome {
    let activation: Activation = activation.parse().unwrap();
    let request = CheckRequest { activation, rows: Some(rows), width: Some(4), sought, ..CheckRequest::default() };
    let weight = table.weights.as_ref().map(|_| "weights".to_owned());
    let samples = Samples { weight, ..Samples::of_data(table.clone()) };
    request.run_on(samples, Watch::silent()).unwrap()
}

/// The certificate of a start, left with its table and judged with the rows in form.
fn assert_start_survives(outcome: &CheckOutcome, table: &Data) -> Certificate {
    let (certificate, rows) = (outcome.certificate().unwrap().unwrap(), &outcome.prepared.distinct.data);
    keep(&certificate, Some(table));
    assert_judged(&certificate, Some(rows), certificate.verify(rows).unwrap().verdict());
    certificate
}

/// Rows with equal and opposite ones among them, none of them zero.
fn crossing() -> Data {
    let X = Matrix::from_rows(&[[3.0, 4.0], [-0.3, 1.0], [-3.0, -4.0], [0.5, 0.2], [-0.3, 1.0]]);
    data(X, vec![1.0, -0.5, 0.25, 2.0, -0.7])
}

#[test]
fn theorems_about_a_start_survive_their_files_in_every_form() {
    use RowScaling::{Raw, Scaled, Unit};
    let crossing = crossing();
    for (activation, rows) in [
        ("softplus", Unit),
        ("softplus:4", Unit),
        ("softplus", Scaled),
        ("sigmoid:2", Unit),
        ("tanh", Unit),
        ("tanh", Scaled),
        ("erf", Unit),
        ("gelu", Unit),
        ("cos", Unit),
        ("cos", Raw),
        ("hermite:0,1,0.25", Unit),
        ("quadratic", Scaled),
        ("relu", Unit),
        ("relu", Scaled),
        ("leaky-relu:0.1", Raw),
        ("abs", Unit),
    ] {
        assert_start_survives(&started(activation, rows, &crossing, Sought::Nothing), &crossing);
    }
    let weighted = Data { weights: Some(vec![1.0, 2.0, 0.5, 0.0, 0.25]), ..crossing };
    for (activation, rows) in [("softplus", Unit), ("tanh", Unit), ("cos", Scaled), ("relu", Raw)] {
        assert_start_survives(&started(activation, rows, &weighted, Sought::Nothing), &weighted);
    }
    // At a scale that is searched for, descent is proved to converge.
    let apart = data(Matrix::from_rows(&[[1.0, 0.0], [0.6, 0.8], [-0.8, 0.6]]), vec![1.0, -0.5, 0.25]);
    for (activation, theorem) in [("softplus", Theorem::DescentConverges), ("relu", Theorem::ReluDescentConverges)] {
        let certificate = assert_start_survives(&started(activation, Raw, &apart, Sought::Scale), &apart);
        assert_eq!(certificate.verdict_of(theorem), Some(Verdict::Holds), "{activation}");
    }
}

/// The same certificate, with what a network of another width is proved to do.
fn with_width(certificate: &Certificate, width: usize, judged: &Judgement) -> Certificate {
    let mut document: Value = serde_json::from_str(&certificate.to_json().unwrap()).unwrap();
    let claims = document["certificates"].as_array_mut().unwrap();
    claims.retain(|claim| claim["theorem"] == "wide-enough");
    claims[0]["claim"]["width"] = json!(width);
    claims[0]["verdict"] = json!(judged.verdict().to_string());
    claims[0]["facts"] = judged.facts.iter().map(|fact| (fact.name.to_string(), json!(fact.value))).collect();
    Certificate::from_json(document.to_string().as_bytes()).unwrap()
}

#[test]
fn a_width_that_no_file_holds_is_proved_to_be_enough() {
    let table = data(Matrix::from_rows(&[[3.0, 4.0], [1.0, 0.0], [-0.5, 0.7]]), vec![1.0, -0.5, 0.25]);
    for activation in ["softplus", "softplus:4", "sigmoid", "tanh", "erf", "gelu", "cos"] {
        let outcome = started(activation, RowScaling::Unit, &table, Sought::Nothing);
        let (certificate, rows) = (outcome.certificate().unwrap().unwrap(), &outcome.prepared.distinct.data);
        for (width, verdict) in [(100_000_000_000_000, Verdict::Holds), (1001, Verdict::Fails)] {
            let judged = wide_enough(&outcome.request.activation, rows, width).unwrap();
            let wide = with_width(&certificate, width, &judged);
            keep(&wide, Some(&table));
            assert_judged(&wide, Some(rows), verdict);
        }
    }
}

/// The certificate of a fit to a table, left with that table for the second checker, and verified from the two files.
fn fitted(name: &str, table: &str, fit: impl Into<Request>, roles: Roles) -> Value {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificates");
    fs::create_dir_all(&folder).unwrap();
    let [rows, certificate] = ["csv", "certificate.json"].map(|ending| folder.join(format!("fitted-{name}.{ending}")));
    fs::write(&rows, table).unwrap();
    let files = FitFiles { certificate: Some(certificate.clone()), ..FitFiles::default() };
    let (reading, request) =
        (Reading { roles, ..Reading::default() }, FitRequest { fit: fit.into(), ..FitRequest::default() });
    FitJob { rows: rows.clone().into(), reading, request, files }.run(Watch::silent()).unwrap();
    let job = VerifyJob { certificate: certificate.clone().into(), rows: Some(rows.into()), ..VerifyJob::default() };
    let outcome = job.run(Watch::silent()).unwrap();
    assert_eq!(outcome.verdict, Verdict::Holds, "{name}: {:?}", outcome.certificate.statements());
    serde_json::from_str(&fs::read_to_string(certificate).unwrap()).unwrap()
}

/// Rows of a year, a number, a word, a weight and seconds since 1970; `cell` may replace one.
fn years(cell: impl Fn(usize, &str, String) -> String) -> String {
    let row = |i: usize| {
        let (year, x) = (1990 + i * 8 % 21, (i * 5 % 13) as f64 / 4.0 - 1.5);
        let far = year as f64 - 2000.0;
        let y = 1.7e9 + x * x + 0.125 * far * far - 0.5 * far + (i * 11 % 8) as f64 / 8.0;
        let word = ["oak", "elm", "ash"][i % 3];
        let cells =
            [("year", format!("{year}")), ("x", format!("{x}")), ("tree", word.into()), ("w", format!("{}", i % 4))];
        let cells = cells.into_iter().chain([("y", format!("{y:?}"))]);
        cells.map(|(name, text)| cell(i, name, text)).collect::<Vec<_>>().join(",") + "\n"
    };
    "year,x,tree,w,y\n".to_owned() + &(0..24).map(row).collect::<String>()
}

fn roles(drop: &[&str]) -> Roles {
    Roles { drop: drop.iter().map(|name| (*name).to_owned()).collect(), ..Roles::default() }
}

#[test]
fn fits_to_columns_and_targets_far_from_zero_survive_their_files() {
    let plain = || years(|_, _, text| text);
    let rows = |document: &Value| document["rows"].clone();
    let far = rows(&fitted("far", &plain(), Quadratic::new(), roles(&["tree", "w"])));
    assert_eq!(far["inputs"], json!(["year − 2000", "x"]));
    assert_eq!(far["recipe"][0]["treatment"]["centred"]["centre"], json!(2000.0));
    assert!(far["target_scale"]["centred"].as_f64().is_some_and(|centre| (centre - 1.7e9).abs() < 20.0), "{far}");
    let negative = years(|_, name, text| if name == "x" || name == "tree" { text } else { format!("-{text}") });
    let negative = rows(&fitted("negative", &negative, Quadratic::new(), roles(&["tree", "w"])));
    assert_eq!(negative["inputs"][0], "year + 2000");
    let gaps =
        years(|i, name, text| if (i, name) == (3, "year") || (i % 5, name) == (1, "x") { String::new() } else { text });
    let gaps = rows(&fitted("gaps", &gaps, Quadratic::new(), roles(&["w"])));
    assert_eq!(gaps["inputs"][1], "year missing");
    let weighted = Roles { weight: Some("w".into()), ..roles(&["tree"]) };
    // A row of weight 0 does not say what is far.
    let aside = years(|i, name, text| if (i, name) == (4, "year") { "3".into() } else { text });
    let aside = rows(&fitted("weighted", &aside, Quadratic::new(), weighted));
    assert_eq!(aside["inputs"][0], "year − 2000");
    // A name that is taken is not taken twice.
    let taken = plain().replacen("year,x", "year,year − 2000", 1);
    let taken = rows(&fitted("taken", &taken, Quadratic::new(), roles(&["tree", "w"])));
    assert_eq!(taken["inputs"], json!(["year", "year − 2000"]));
    fitted("one-sign", &plain(), Quadratic::new().signs(Signs::Positive).decay(1e-3), roles(&["tree", "w"]));
    fitted("without-decay", &plain(), Quadratic::new().decay(0.0), roles(&["w"]));
    // Logarithms are the nearest doubles, and columns of such a fit are centred as well.
    let positive = years(|i, name, text| if name == "y" { format!("{}", 3 + i * i) } else { text });
    let log = Roles { target_scale: TargetScale::Log, ..roles(&["tree", "w"]) };
    let log = rows(&fitted("log", &positive, Quadratic::new().decay(1e-3), log));
    assert_eq!((&log["target_scale"], &log["inputs"][0]), (&json!("log"), &json!("year − 2000")));
}

/// Dates, ordered words, words for gaps, codes with zeros, numbers with signs, and a target of truth values.
fn as_it_comes() -> String {
    let row = |i: usize| {
        let (size, zip) = (["S", "M", "L"][i * i % 3], ["00012", "01234", "123"][i % 3]);
        let day = format!("{}/{}/2004", 1 + i % 12, 1 + 7 * i % 28);
        let price = if i % 7 == 3 { "n.a.".to_owned() } else { format!("\"$1,{:03}\"", i * i % 911) };
        let share = if i % 9 == 4 { "-".to_owned() } else { format!("{}%", 3 * i % 17) };
        format!("{day} {}:30,{size},{zip},{price},{share},{}\n", i % 24, if i * i % 5 < 2 { "True" } else { "False" })
    };
    "day,size,zip,price,share,y\n".to_owned() + &(0..40).map(row).collect::<String>()
}

#[test]
fn fits_to_tables_as_they_come_survive_their_files() {
    let order: shallows::data::recipe::WordOrder = "size=S<M<L".parse().unwrap();
    let gap_words = vec!["n.a.".to_owned(), "-".to_owned()];
    let dates = shallows::data::recipe::DateUse::Parts;
    let roles = Roles { ordered: vec![order], gap_words, dates, ..Roles::default() };
    let document = fitted("as-it-comes", &as_it_comes(), Quadratic::new().decay(1e-3), roles);
    let rows = &document["rows"];
    assert_eq!(rows["gap_words"], json!(["n.a.", "-"]));
    let inputs = json!([
        "day − 2004-01-01",
        "day month",
        "day weekday",
        "day hour",
        "size",
        "zip=123",
        "zip=01234",
        "price",
        "price missing",
        "share",
        "share missing"
    ]);
    assert_eq!(rows["inputs"], inputs);
    // The checker alone makes the same rows of the same file.
    let checked = |document: &Value, table: &str| {
        let certificate = shallows_verify::Certificate::read(&document.to_string())?;
        let table = shallows_verify::table::Table::read(table.as_bytes())?;
        let rows = certificate.rows_of(&table)?.unwrap();
        certificate.check(Some(rows.rows()?))
    };
    let claims = checked(&document, &as_it_comes()).unwrap();
    assert!(claims.iter().all(|claim| claim.verdict() == Verdict::Holds), "{claims:?}");
    for (old, new) in [("$1,016", "$1,017"), ("True", "False"), (",M,", ",XL,"), ("/2004", "/2005"), ("01234", "1234")]
    {
        assert!(as_it_comes().contains(old), "{old}");
        assert!(checked(&document, &as_it_comes().replacen(old, new, 1)).is_err(), "{new}");
    }
    // Files of older formats have none of this.
    for version in [3, 4] {
        let mut older = document.clone();
        older["format_version"] = json!(version);
        assert!(shallows_verify::Certificate::read(&older.to_string()).is_err(), "{version}");
    }
}

#[test]
fn a_file_of_format_3_has_no_centres() {
    let document = fitted("format", &years(|_, _, text| text), Quadratic::new(), roles(&["tree", "w"]));
    let read = |change: &dyn Fn(&mut Value)| {
        let mut other = document.clone();
        change(&mut other);
        Certificate::from_json(other.to_string().as_bytes())
    };
    assert!(read(&|_| {}).is_ok());
    assert!(read(&|other| other["format_version"] = json!(3)).is_err());
    assert!(read(&|other| other["rows"]["recipe"][0]["treatment"]["centred"]["centre"] = json!(2001.0)).is_err());
    assert!(read(&|other| other["rows"]["inputs"][0] = json!("year")).is_err());
}

#[test]
fn fits_with_dependent_products_and_fits_that_interpolate_survive_their_files() {
    // c is a + b/3 up to rounding: products of inputs are dependent or not, as rounding will have it.
    let near = |i: usize| ((i * 7 % 13) as f64 / 4.0 - 1.5, (i * 5 % 11) as f64 / 4.0 - 1.25);
    let row = |i: usize| {
        let (a, b) = near(i);
        format!("{a:?},{b:?},{:?},{:?}\n", a + b / 3.0, a * a - b + (i * 3 % 8) as f64 / 8.0)
    };
    let dependent = "a,b,c,y\n".to_owned() + &(0..12).map(row).collect::<String>();
    let document = fitted("dependent", &dependent, Quadratic::new().decay(0.0), Roles::default());
    let (claim, proof) = (&document["certificates"][0]["claim"], &document["certificates"][0]["proof"]);
    assert!(claim["class"]["nuclear"].is_number() && proof["function"]["low"].is_object(), "{claim} {proof}");
    // As many rows as a quadratic function of two inputs has coefficients.
    let row = |i: usize| format!("{},{},{}\n", i, i * i % 7, [4, -1, 3, 8, 0, 5][i]);
    let interpolated = "a,b,y\n".to_owned() + &(0..6).map(row).collect::<String>();
    let document = fitted("interpolating", &interpolated, Quadratic::new().decay(0.0), Roles::default());
    assert_eq!(document["certificates"][0]["proof"]["measure"]["kind"], "interpolation");
    // An affine target, up to its last digits.
    let row = |i: usize| {
        let (a, b) = near(i);
        let (a, b) = (a * 0.3, b * 0.7);
        format!("{a:?},{b:?},{:?}\n", 3.0 + 2.0 * a - 0.7 * b)
    };
    let affine = "a,b,y\n".to_owned() + &(0..12).map(row).collect::<String>();
    let document = fitted("affine", &affine, Quadratic::new().decay(0.0), Roles::default());
    assert_eq!(document["certificates"][0]["proof"]["measure"]["kind"], "last-digits");
}

#[test]
fn a_forged_proof_is_judged_for_what_it_is() {
    let [best, saddle, _] = networks();
    let axes = axes();
    let forged = |certificate: &Certificate, place: &str, value: Value, data: Option<&Data>| {
        let mut document: Value = serde_json::from_str(&certificate.to_json().unwrap()).unwrap();
        *document.pointer_mut(&format!("/certificates/0/proof/{place}")).unwrap() = value;
        verified(&document.to_string(), data)
    };
    let not_confirmed = Some((Verdict::Undecided, false));
    let full_rank = certified(Theorem::FullRankStationary, &best, &axes);
    // σ_min(W)² = 1.
    assert_eq!(forged(&full_rank, "smallest", json!(1.001), Some(&axes)), not_confirmed);
    let minimum = certified(Theorem::ApproximateMinimum, &saddle, &axes);
    // S has the eigenvalue −3, so that no less than 3 will do.
    assert!(!forged(&minimum, "excess", json!(2.99), Some(&axes)).unwrap().1);
    let way = certified(Theorem::StrictSaddle, &saddle, &axes);
    assert_eq!(forged(&way, "down/step", json!(100.0), Some(&axes)), not_confirmed);
    assert_eq!(forged(&way, "down/direction", json!([[1.0]]), Some(&axes)), None);
    let teacher = square(diagonal(&[1.0, 2.0]), vec![1.0; 2]);
    let start = Certificate::of_start(&teacher, &teacher, None).unwrap();
    assert_eq!(forged(&start, "smallest", json!(1.001), None), not_confirmed);
    let range = Range { units: 3, outputs: (1.0, 1.0), sigma_4: 0.2, mu: 0.5, lambda: 10.0 };
    let recovery = Certificate::of_recovery(&range, 1e-6, 1e-6).unwrap();
    assert_eq!(forged(&recovery, "first_delta", json!(1e-4), None), not_confirmed);
    let rows = Certificate::of_rows(&axes, &Source::default(), false).unwrap();
    // Rows 0 and 1 are e₁ and e₂: what is said about them is not true, but rows 0 and 3 are equal and found.
    assert_eq!(forged(&rows, "parallel", json!([0, 1]), Some(&axes)), Some((Verdict::Fails, true)));
}

#[test]
fn a_certificate_without_rows_takes_none_and_one_about_rows_needs_them() {
    let range = Range { units: 3, outputs: (1.0, 1.0), sigma_4: 0.2, mu: 0.5, lambda: 10.0 };
    let recovery = Certificate::of_recovery(&range, 1e-6, 1e-6).unwrap();
    assert!(!recovery.is_about_rows() && recovery.source().unwrap() == Source::default());
    let [best, saddle, _] = networks();
    let optimum = certified(Theorem::GlobalOptimum, &best, &axes());
    let error = optimum.verify_without_rows().unwrap_err();
    assert!(error.to_string().contains("no table is given") && error.hint().is_some(), "{error}");
    let start = Certificate::of_start(&best, &best, None).unwrap();
    assert!(start.verify_network_without_rows(&best).is_ok());
    assert!(start.verify_network_without_rows(&saddle).is_err());
}

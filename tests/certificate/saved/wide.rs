//! `wide-optimum` in a file: fits to small tables of every kind, and networks at, near and far from their optimum.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use shallows::Watch;
use shallows::certificate::file::{CertifiedMembers, CertifiedPart};
use shallows::certificate::{Certificate, Source, Theorem, Verdict};
use shallows::data::{Data, Reading, Roles, TargetScale};
use shallows::fit::Wide;
use shallows::job::fit::{FitFiles, FitJob, FitRequest};
use shallows::job::verify::VerifyJob;
use shallows::linalg::Matrix;
use shallows::model::{Function, Model, WideMember};
use shallows::network::Network;
use shallows::random::{Purpose, Stream};
use shallows::wide::LayerSet;
use shallows_verify::theorem::wide_optimum::{Claim, LayerLaw, Proof, RankCurve, WideLayer, WideNetwork, judge};
use shallows_verify::{Judgement, Rows, Side};

use super::{assert_survives, data, fitted, verified, years};

/// Fifteen rows of [`years`], which a second checker judges in exact arithmetic.
fn few(table: &str) -> String {
    table.lines().take(16).map(|line| line.to_owned() + "\n").collect()
}

fn roles(drop: &[&str]) -> Roles {
    Roles { drop: drop.iter().map(|name| (*name).to_owned()).collect(), ..Roles::default() }
}

fn wide_claims(document: &Value) -> usize {
    let claims = document["certificates"].as_array().unwrap();
    claims.iter().filter(|claim| claim["theorem"] == "wide-optimum").count()
}

#[test]
fn fits_of_wide_networks_to_tables_of_every_kind_survive_their_files() {
    let plain = || few(&years(|_, _, text| text));
    let one = |name: &str, table: &str, set: LayerSet, roles: Roles| {
        let document = fitted(&format!("wide-{name}"), table, Wide::new().sets(&[set]), roles);
        assert_eq!(wide_claims(&document), 1, "{name}");
        document
    };
    let words = one("words", &plain(), LayerSet::RoughRelu, roles(&["w"]));
    assert!(words["rows"]["recipe"].as_array().unwrap().iter().any(|step| step["treatment"]["category"].is_object()));
    let ranks = one("ranks", &plain(), LayerSet::Ranks, roles(&["tree", "w"]));
    assert!(ranks["certificates"][0]["claim"]["network"]["ranks"].is_array());
    let gaps = few(&years(|i, name, text| if (i % 5, name) == (1, "x") { String::new() } else { text }));
    one("gaps", &gaps, LayerSet::RoughErf, roles(&["w", "tree"]));
    let weighted = Roles { weight: Some("w".into()), ..roles(&["tree"]) };
    one("weights", &plain(), LayerSet::RoughErf, weighted.clone());
    // Rows repeat, with other labels and weights.
    let repeated = few(&years(|i, name, text| match name {
        "year" => format!("{}", 1990 + i % 4),
        "x" => format!("{}", (i % 3) as f64 * 0.5),
        _ => text,
    }));
    let document = one("repeated", &repeated, LayerSet::RoughMixed, weighted);
    assert!(document["certificates"][0]["claim"]["network"]["alpha"].as_array().unwrap().len() < 12);
    let positive = few(&years(|i, name, text| if name == "y" { format!("{}", 3 + i * i) } else { text }));
    let log = Roles { target_scale: TargetScale::Log, ..roles(&["tree", "w"]) };
    assert_eq!(one("log", &positive, LayerSet::QuadraticAlone, log)["rows"]["target_scale"], "log");
}

#[test]
fn a_file_has_a_claim_for_every_wide_network() {
    let table = few(&years(|_, _, text| text));
    let claim = |set: LayerSet| {
        let document = fitted("wide-member", &table, Wide::new().sets(&[set]), roles(&["tree", "w"]));
        (document["certificates"][0].clone(), document)
    };
    let ((first, _), (second, mut document)) = (claim(LayerSet::RoughRelu), claim(LayerSet::QuadraticAlone));
    document["certificates"] = json!([first, second]);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificates");
    std::fs::write(folder.join("fitted-wide-several.csv"), &table).unwrap();
    std::fs::write(folder.join("fitted-wide-several.certificate.json"), document.to_string()).unwrap();
    let certificate = Certificate::from_json(document.to_string().as_bytes()).unwrap();
    assert_eq!(certificate.claims().len(), 2);
}

/// A file with this claim alone, and what the checker says of it.
fn certified(data: &Data, claim: &Claim) -> (Certificate, Verdict) {
    let rows = Rows::new(data.X.as_slice(), data.d(), &data.y, data.weights.as_deref()).unwrap();
    let judged = judge(rows, claim, &Proof {}).unwrap();
    let certificate = Certificate::of_rows(data, &Source::default(), false).unwrap();
    let mut document: Value = serde_json::from_str(&certificate.to_json().unwrap()).unwrap();
    document["certificates"] = json!([{
        "theorem": Theorem::WideOptimum, "claim": claim, "proof": {}, "facts": facts(&judged),
        "verdict": judged.verdict(), "checks": [], "statement": "",
    }]);
    (Certificate::from_json(document.to_string().as_bytes()).unwrap(), judged.verdict())
}

/// As a writer weakens them.
fn facts(judged: &Judgement) -> Value {
    let weaker = |value: f64, side: Side| {
        let part = value.abs() / (1_u64 << 40) as f64;
        if side == Side::AtMost { (value + part).next_up() } else { (value - part).next_down() }
    };
    let weakened = judged.facts.iter().map(|fact| (fact.name.to_owned(), weaker(fact.value, fact.side)));
    weakened.filter(|(_, value)| value.is_finite()).map(|(name, value)| (name, json!(value))).collect()
}

fn layer(law: LayerLaw, inputs: usize, stream: &mut Stream) -> WideLayer {
    let count = if law == LayerLaw::Affine { 0 } else { inputs };
    let mut size = || 2_f64.powf(stream.normal());
    WideLayer { law, signal: size(), scales: (0..count).map(|_| size()).collect(), bias: size() }
}

/// Near the optimum, by descent in one coefficient after the other: the gap is a parabola in each.
fn improved(data: &Data, mut claim: Claim) -> Claim {
    let rows = Rows::new(data.X.as_slice(), data.d(), &data.y, data.weights.as_deref()).unwrap();
    let gap = |claim: &Claim| {
        let judged = judge(rows, claim, &Proof {}).unwrap();
        judged.fact("relative_gap").unwrap_or(f64::INFINITY) * judged.fact("objective").unwrap_or(1.0)
    };
    let mut step = 1.0;
    while step > 1e-7 {
        for at in 0..claim.network.alpha.len() {
            let alpha = claim.network.alpha[at];
            let tried = [-step, 0.0, step].map(|by| {
                claim.network.alpha[at] = alpha + by;
                gap(&claim)
            });
            let bend = tried[0] + tried[2] - 2.0 * tried[1];
            let by = if bend > 0.0 { 0.5 * step * (tried[0] - tried[2]) / bend } else { 0.0 };
            claim.network.alpha[at] = alpha + by;
        }
        step *= 0.9;
    }
    claim
}

const LAWS: [LayerLaw; 8] = [
    LayerLaw::RoughByInput,
    LayerLaw::Rough,
    LayerLaw::T3,
    LayerLaw::T5,
    LayerLaw::Relu,
    LayerLaw::Erf,
    LayerLaw::Quadratic,
    LayerLaw::Affine,
];

#[test]
fn networks_at_near_and_far_from_their_optimum_survive_their_files() {
    let mut verdicts = vec![];
    for (case, law) in LAWS.into_iter().enumerate() {
        let mut stream = Stream::new(5, Purpose::Inputs, case as u64);
        // Rows 4 and 5 repeat rows 0 and 1, and row 2 has no weight.
        let X = Matrix::from_fn(6, 2, |i, j| (((i % 4) * 7 + j * 5) % 11) as f64 / 4.0 - 1.0);
        let y = (0..6).map(|_| stream.normal()).collect();
        let weights = (case % 2 == 1).then(|| vec![1.0, 2.0, 0.0, 0.5, 1.0, 0.25]);
        let rows = Data { weights, ..data(X, y) };
        let groups = if rows.weights.is_some() { 3 } else { 4 };
        let curve = || RankCurve { values: vec![-1.0, 0.25, 1.5], ranks: vec![0.125, 0.5, 0.875] };
        let network = WideNetwork {
            kept: vec![0, 1],
            ranks: (case % 3 == 2).then(|| vec![curve(), curve()]),
            mean: vec![0.25, -0.125],
            deviation: vec![0.75, 1.5],
            offset: 0.5,
            layers: vec![layer(law, 2, &mut stream), layer(LayerLaw::Affine, 2, &mut stream)],
            alpha: vec![0.0; groups],
        };
        let claim = |alpha: Vec<f64>, tolerance: f64| {
            let network = WideNetwork { alpha, ..network.clone() };
            Claim { network, decay: 1.0, tolerance }
        };
        let best = improved(&rows, claim(vec![0.0; groups], 1e-9)).network.alpha;
        let moved: Vec<f64> = best.iter().map(|alpha| alpha * 1.01).collect();
        for claim in [claim(best.clone(), 1e-9), claim(moved, 0.1), claim(best.iter().map(|a| 2.0 * a).collect(), 1e-6)]
        {
            let (certificate, verdict) = certified(&rows, &claim);
            assert_survives(&certificate, Some(&rows), verdict);
            verdicts.push(verdict);
        }
    }
    let count = |verdict| verdicts.iter().filter(|found| **found == verdict).count();
    assert!(count(Verdict::Holds) >= 14 && count(Verdict::Fails) >= 8, "{verdicts:?}");
}

#[test]
fn one_row_and_a_constant_target_survive_their_files() {
    let rough = |alpha: Vec<f64>, offset: f64| WideNetwork {
        kept: vec![0],
        ranks: None,
        mean: vec![0.0],
        deviation: vec![1.0],
        offset,
        layers: vec![WideLayer { law: LayerLaw::Rough, signal: 1.0, scales: vec![1.0], bias: 0.0 }],
        alpha,
    };
    let single = data(Matrix::from_rows(&[[3.0]]), vec![6.0]);
    for (alpha, verdict) in [(1.0, Verdict::Holds), (1.1, Verdict::Fails)] {
        let claim = Claim { network: rough(vec![alpha], 4.0), decay: 1.0, tolerance: 1e-9 };
        let (certificate, found) = certified(&single, &claim);
        assert_eq!(found, verdict);
        assert_survives(&certificate, Some(&single), verdict);
    }
    let constant = data(Matrix::from_rows(&[[3.0], [1.0], [2.0]]), vec![7.0; 3]);
    let claim = Claim { network: rough(vec![0.0; 3], 7.0), decay: 1e-300, tolerance: 1e-9 };
    let (certificate, found) = certified(&constant, &claim);
    assert_eq!(found, Verdict::Holds);
    assert_survives(&certificate, Some(&constant), found);
    // No number of the claim may be changed for one that says more.
    let forged = |place: &str, value: Value| {
        let mut document: Value = serde_json::from_str(&certificate.to_json().unwrap()).unwrap();
        *document.pointer_mut(&format!("/certificates/0/{place}")).unwrap() = value;
        verified(&document.to_string(), Some(&constant)).is_some_and(|(_, confirmed)| confirmed)
    };
    assert!(forged("claim/tolerance", json!(0.1)));
    for (place, value) in [
        ("claim/network/offset", json!(7.5)),
        ("claim/network/alpha/0", json!(1e-3)),
        ("claim/network/alpha", json!([0.0, 0.0])),
        ("claim/network/layers/0/law", json!("affine")),
        ("claim/network/layers/0/signal", json!(-1.0)),
        ("claim/network/layers/0/scales/0", json!(0.0)),
        ("claim/network/kept", json!([1])),
        ("claim/network/ranks", json!([{ "values": [2.0, 1.0], "ranks": [0.0, 1.0] }])),
        ("claim/decay", json!(0.0)),
        ("claim/tolerance", json!(0.2)),
    ] {
        assert!(!forged(place, value.clone()), "{place}: {value}");
    }
}

/// A file with a fitted network and the certificate that belongs to it, and the table.
fn model_and_certificate(table: &str) -> (Model, PathBuf, PathBuf) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let [rows, model, certificate] =
        ["csv", "safetensors", "json"].map(|ending| folder.join(format!("wide-model.{ending}")));
    std::fs::write(&rows, table).unwrap();
    let fit = Wide::new().sets(&[LayerSet::RoughErf]);
    let files = FitFiles { model: Some(model.clone()), certificate: Some(certificate.clone()), ..FitFiles::default() };
    let reading = Reading { roles: roles(&["tree", "w"]), ..Reading::default() };
    let request = FitRequest { fit: fit.into(), ..FitRequest::default() };
    FitJob { rows: rows.clone().into(), reading, request, files }.run(Watch::silent()).unwrap();
    (Model::load(model).unwrap(), rows, certificate)
}

/// What is changed in a network of a model, in words, and the change.
type Forgery<'a> = (&'a str, &'a dyn Fn(&mut WideMember));

#[test]
fn a_certificate_is_about_all_of_a_model_of_one_wide_network() {
    let (model, rows, certificate) = model_and_certificate(&few(&years(|_, _, text| text)));
    let verify = |model: Model| {
        let (certificate, rows) = (certificate.clone().into(), Some(rows.clone().into()));
        VerifyJob { certificate, rows, model: Some(model.into()), ..VerifyJob::default() }.run(Watch::silent())
    };
    assert_eq!(verify(model.clone()).unwrap().verdict, Verdict::Holds);
    let forged = |change: &dyn Fn(&mut WideMember)| {
        let mut member = model.network.wide()[0].clone();
        change(&mut member);
        let network = Function::combined(None, vec![member]).unwrap();
        verify(Model { network, ..model.clone() })
    };
    assert!(forged(&|_| {}).is_ok());
    // A centre that is no row, the same coefficients for other rows, another function of it, other laws, another decay.
    let forgeries: [Forgery<'_>; 9] = [
        ("centre", &|member| member.network.centres[(2, 0)] += 1e-9),
        ("order", &|member| member.network.alpha.reverse()),
        ("swap", &|member| member.network.alpha.swap(0, 1)),
        ("coefficient", &|member| member.network.alpha[0] = member.network.alpha[0].next_up()),
        ("weight", &|member| member.weight = 0.5),
        ("noise", &|member| member.network.noise *= 2.0),
        ("mean", &|member| member.network.target_mean += 1.0),
        ("scale", &|member| member.network.kernel.layers[0].scales[0] *= 2.0),
        ("input", &|member| member.network.transform.mean[0] += 1e-9),
    ];
    for (name, change) in forgeries {
        let error = forged(change).unwrap_err().to_string();
        assert!(error.contains("in the certificate, but"), "{name}: {error}");
    }
    // A centre twice, with half of its coefficient each, is the same function, but no group of rows.
    let twice = forged(&|member| {
        let network = &mut member.network;
        let mut centres: Vec<Vec<f64>> = (0..network.centres.rows()).map(|g| network.centres.row(g).to_vec()).collect();
        centres.push(centres[0].clone());
        network.centres = Matrix::from_rows(&centres);
        network.weights.push(1.0);
        network.alpha[0] *= 0.5;
        network.alpha.push(network.alpha[0]);
    });
    assert!(twice.is_err());
    let log = Model { recipe: model.recipe.clone().with_target_scale(TargetScale::Log), ..model.clone() };
    assert!(verify(log.clone()).is_err());
    // A model that does not say which version made it is looked at no less closely.
    assert!(verify(Model { version: String::new(), ..log }).is_err());
    assert!(verify(Model { target: "x".into(), version: String::new(), ..model.clone() }).is_err());
    // In a combination every network has its claim; how they are combined is a part of none, and that is said.
    let member = model.network.wide()[0].clone();
    let affine = Network::affine("relu".parse().unwrap(), 1.0, vec![0.0; model.network.inputs()]);
    let sum = Function::combined(Some(affine.into()), vec![WideMember { weight: 0.5, ..member.clone() }]).unwrap();
    let outcome = verify(Model { network: sum, ..model.clone() }).unwrap();
    assert_eq!(outcome.part, Some(CertifiedPart::Members(CertifiedMembers::Wide)));
    assert!(outcome.part.unwrap().words().unwrap().contains("not about how its parts are combined"));
    let both = Function::combined(None, vec![member.clone(), WideMember { weight: 0.5, ..member }]).unwrap();
    assert!(verify(Model { network: both, ..model }).unwrap_err().to_string().contains("2 infinitely wide"));
}

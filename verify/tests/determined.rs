//! Theorems about rows alone: determined and separated-data.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(non_snake_case)]

mod exact;

use exact::{Numbers, floats, rank_and_kernel};
use shallows_verify::theorem::determined::{Claim, Independence, Monomial, Proof, Relation, Rival, Vanishing, judge};
use shallows_verify::theorem::separated_data;
use shallows_verify::{Activation, Judgement, Matrix, Network, Result, Rows, StoredNetwork, Verdict};

fn nothing() -> Proof {
    Proof { independence: None, relations: vec![], groups: vec![], vanishing: vec![], rival: None }
}

fn independent(d: usize, rows: Option<usize>, passes: usize) -> Proof {
    Proof { independence: Some(Independence { shifts: vec![0; d], rows, passes }), ..nothing() }
}

fn monomials(d: usize, affine: bool) -> Vec<Monomial> {
    let mut all = if affine { vec![Monomial::One] } else { vec![] };
    all.extend((0..d).filter(|_| affine).map(Monomial::Input));
    all.extend((0..d).flat_map(|a| (a..d).map(move |b| Monomial::Product(a, b))));
    all
}

fn products(X: &[i64], d: usize, affine: bool) -> Vec<Vec<i128>> {
    let value = |z: &Monomial, x: &[i64]| match *z {
        Monomial::One => 1,
        Monomial::Input(j) => i128::from(x[j]),
        Monomial::Product(a, b) => i128::from(x[a] * x[b]),
    };
    X.chunks(d).map(|x| monomials(d, affine).iter().map(|z| value(z, x)).collect()).collect()
}

fn judged(X: &[i64], d: usize, affine: bool, proof: &Proof) -> Result<Judgement> {
    let (X, y) = (floats(X), vec![0.0; X.len() / d]);
    judge(Rows::new(&X, d, &y, None)?, &Claim { affine }, proof)
}

#[test]
fn independence_is_proved_exactly_where_the_rank_is_full() {
    let mut numbers = Numbers::new(2);
    let mut seen = [0; 2];
    for _ in 0..3000 {
        let (d, affine) = (1 + numbers.below(3), numbers.next(1) > 0);
        let D = monomials(d, affine).len();
        let n = 1 + numbers.below(D + 5);
        let X = numbers.list(n * d, 3);
        let (rank, _) = rank_and_kernel(&products(&X, d, affine), D);
        for passes in [0, 1, 3] {
            let judgement = judged(&X, d, affine, &independent(d, None, passes)).unwrap();
            assert_eq!(judgement.verdict() == Verdict::Holds, rank == D, "{X:?} {passes}");
            assert!(judgement.verdict() != Verdict::Fails || rank < D);
            assert!(judgement.fact("rank").unwrap() >= rank as f64);
        }
        seen[usize::from(rank == D)] += 1;
    }
    assert!(seen.iter().all(|count| *count > 300), "{seen:?}");
}

#[test]
fn a_function_that_vanishes_on_the_rows_refutes_and_one_that_nearly_does_not() {
    let mut numbers = Numbers::new(4);
    let mut refuted = 0;
    for _ in 0..3000 {
        let (d, affine) = (2 + numbers.below(2), numbers.next(1) > 0);
        let columns = monomials(d, affine);
        let n = columns.len() + numbers.below(3);
        let X = numbers.list(n * d, 1);
        let (rank, kernel) = rank_and_kernel(&products(&X, d, affine), columns.len());
        let function = |coefficients: &[i128], lead: usize| {
            let terms = columns.iter().zip(coefficients).filter(|(_, c)| **c != 0);
            Vanishing { lead: columns[lead], terms: terms.map(|(z, c)| (*z, *c as f64, 1.0)).collect() }
        };
        // The free column of each stands in no other.
        let free: Vec<usize> = (0..kernel.len())
            .map(|at| {
                let only = |j: &usize| kernel.iter().enumerate().all(|(other, x)| (x[*j] != 0) == (other == at));
                (0..columns.len()).rev().find(only).unwrap()
            })
            .collect();
        let vanishing: Vec<Vanishing> = kernel.iter().zip(&free).map(|(x, lead)| function(x, *lead)).collect();
        let judgement = judged(&X, d, affine, &Proof { vanishing: vanishing.clone(), ..nothing() }).unwrap();
        // Every dimension that is missing is accounted for.
        assert!(judgement.fact("rank").unwrap() == (rank as f64).min(judgement.fact("distinct").unwrap()));
        assert_eq!(judgement.verdict() == Verdict::Fails, rank < columns.len());
        refuted += usize::from(rank < columns.len());
        let Some(first) = vanishing.first() else { continue };
        let mut forged = first.clone();
        forged.terms[0].1 *= 1.0 + f64::EPSILON;
        let zero = |terms: &[(Monomial, f64, f64)]| {
            let at = |z: Monomial, x: &[i64]| match z {
                Monomial::One => 1,
                Monomial::Input(j) => x[j],
                Monomial::Product(a, b) => x[a] * x[b],
            };
            X.chunks(d).all(|x| at(terms[0].0, x) == 0)
        };
        let judgement = judged(&X, d, affine, &Proof { vanishing: vec![forged.clone()], ..nothing() }).unwrap();
        let counts = judgement.fact("distinct").unwrap() < columns.len() as f64;
        assert_eq!(judgement.verdict() == Verdict::Fails, counts || zero(&forged.terms));
    }
    assert!(refuted > 500, "{refuted}");
}

/// A column that is a combination of those before it, constant, or takes few values.
fn structured(numbers: &mut Numbers, n: usize, d: usize) -> Vec<i64> {
    let mut X = numbers.list(n * d, 2);
    for j in 0..d {
        let kind = numbers.below(6);
        let (p, q, l) = (numbers.next(2), numbers.next(2), numbers.below(j.max(1)));
        for i in 0..n {
            X[i * d + j] = match kind {
                0 => p,
                1 if j > 0 => p * X[i * d + l] + q,
                2 => X[i * d + j].signum().max(0),
                3 if j > 0 && X[i * d + l] != 0 => 0,
                4 => {
                    if X[i * d + j] > 0 {
                        p
                    } else {
                        q
                    }
                }
                _ => X[i * d + j],
            };
        }
    }
    X
}

#[test]
fn whatever_relations_groups_and_functions_are_shown_the_rank_is_not_below_the_exact_one() {
    let mut numbers = Numbers::new(6);
    let (mut judgements, mut sharp) = (0, 0);
    for _ in 0..6000 {
        let (d, affine) = (2 + numbers.below(3), numbers.next(1) > 0);
        let columns = monomials(d, affine);
        let n = columns.len() + numbers.below(8);
        let X = structured(&mut numbers, n, d);
        let relations: Vec<Relation> = (0..d)
            .flat_map(|j| {
                let l = numbers.below(j.max(1));
                let (p, q) = (numbers.next(2) as f64, if affine { numbers.next(2) as f64 } else { 0.0 });
                let terms = if j > 0 && numbers.next(1) > 0 { vec![(l, p)] } else { vec![] };
                (numbers.next(1) > 0).then_some(Relation { input: j, factor: 1.0, terms, constant: q })
            })
            .collect();
        let mut groups = vec![vec![], vec![]];
        let related = |j: usize| relations.iter().any(|relation| relation.input == j);
        for j in (0..d).filter(|j| !related(*j)) {
            match numbers.below(3) {
                2 => {}
                at => groups[at].push(j),
            }
        }
        groups.retain(|group: &Vec<usize>| !group.is_empty());
        // Products that may be zero, and squares of inputs of two values.
        let mut vanishing = vec![];
        for a in (0..d).filter(|j| !related(*j)) {
            let grouped = |j: usize| groups.iter().position(|group| group.contains(&j));
            for b in (a..d).filter(|j| !related(*j)) {
                if grouped(a).is_some() && grouped(a) == grouped(b) {
                    continue;
                }
                let (p, q) = (numbers.next(2) as f64, numbers.next(2) as f64);
                let lead = Monomial::Product(a, b);
                let mut terms = vec![(lead, 1.0, 1.0)];
                if a == b && affine {
                    terms.extend([(Monomial::Input(a), -p, 1.0), (Monomial::Input(a), -q, 1.0), (Monomial::One, p, q)]);
                }
                terms.retain(|(_, p, q)| *p != 0.0 && *q != 0.0);
                vanishing.push(Vanishing { lead, terms });
            }
        }
        let proof = Proof { relations, groups, vanishing, ..nothing() };
        // Some proofs are refused; what is judged is never wrong.
        let Ok(judgement) = judged(&X, d, affine, &proof) else { continue };
        let (rank, _) = rank_and_kernel(&products(&X, d, affine), columns.len());
        let claimed = judgement.fact("rank").unwrap() as usize;
        assert!(claimed >= rank, "{X:?} {proof:?}: {claimed} < {rank}");
        judgements += 1;
        sharp += usize::from(claimed == rank && rank < columns.len());
    }
    assert!(judgements > 3000 && sharp > 100, "{judgements} {sharp}");
}

#[test]
fn true_relations_and_groups_refute() {
    let full = [[1, 2], [2, 3], [3, 5], [1, -1], [2, 1], [0, 1], [1, 0]];
    // x₂ = 2x₀ − x₁, and x₃ takes two values.
    let X: Vec<i64> = full.iter().enumerate().flat_map(|(i, [a, b])| [*a, *b, 2 * a - b, i as i64 % 2]).collect();
    let X: Vec<i64> = [X.clone(), X.iter().map(|x| x * 3 + 1).collect(), X.iter().map(|x| 2 - x).collect()].concat();
    let relation = Relation { input: 2, factor: 1.0, terms: vec![(0, 2.0), (1, -1.0)], constant: 0.0 };
    let judge = |proof: &Proof| judged(&X, 4, true, proof);
    let refuted = judge(&Proof { relations: vec![relation.clone()], ..nothing() }).unwrap();
    assert_eq!(
        (refuted.verdict(), refuted.fact("needed"), refuted.fact("rank")),
        (Verdict::Fails, Some(15.0), Some(10.0))
    );
    let wrong = Relation { terms: vec![(0, 2.0), (1, -1.0 - f64::EPSILON)], ..relation.clone() };
    assert_eq!(judge(&Proof { relations: vec![wrong], ..nothing() }).unwrap().verdict(), Verdict::Undecided);
    for bad in [
        Relation { input: 4, ..relation.clone() },
        Relation { factor: 0.0, ..relation.clone() },
        Relation { terms: vec![(2, 1.0)], ..relation.clone() },
        Relation { terms: vec![(3, 1.0)], ..relation.clone() },
    ] {
        assert!(judge(&Proof { relations: vec![bad], ..nothing() }).is_err());
    }
    let group = |groups: Vec<Vec<usize>>| judge(&Proof { groups, ..nothing() });
    // The last input takes five values over the three copies: 1, x and x² are not too many.
    assert_eq!(group(vec![vec![3]]).unwrap().verdict(), Verdict::Undecided);
    assert!(
        group(vec![vec![3], vec![3]]).is_err() && group(vec![vec![7]]).is_err() && group(vec![vec![3, 3]]).is_err()
    );
    let two: Vec<i64> = (0..7).flat_map(|i| [i, i % 2]).collect();
    let refuted = judged(&two, 2, true, &Proof { groups: vec![vec![1]], ..nothing() }).unwrap();
    assert_eq!((refuted.verdict(), refuted.fact("rank")), (Verdict::Fails, Some(5.0)));
}

fn quadratic(W: &[[f64; 2]], v: &[f64]) -> Network {
    Network { W: Matrix::from_fn(W.len(), 2, |l, j| W[l][j]), v: v.to_vec(), ..Network::zero(2) }
}

fn written(W: &[[f64; 2]], v: &[f64]) -> StoredNetwork {
    StoredNetwork::new(&quadratic(W, v))
}

#[test]
fn a_second_network_with_the_same_values_refutes() {
    // x² + y² and (x + y)² agree where xy = 0, and so do their halves.
    let rival = Rival {
        first: written(&[[1.0, 0.0], [0.0, 1.0]], &[1.0, 1.0]),
        second: written(&[[1.0, 1.0]], &[1.0]),
        point: vec![1.0, 1.0],
    };
    let judge = |X: &[f64], rival: &Rival| {
        let y = vec![0.0; X.len() / 2];
        judge(Rows::new(X, 2, &y, None)?, &Claim { affine: false }, &Proof { rival: Some(rival.clone()), ..nothing() })
    };
    let axes = [1.0, 0.0, 0.1, 0.0, 0.0, 0.3, 0.0, 0.7];
    assert_eq!(judge(&axes, &rival).unwrap().verdict(), Verdict::Fails);
    let near = [1.0, 0.0, 0.1, 0.0, 0.0, 0.3, 1e-20, 0.7];
    assert_eq!(judge(&near, &rival).unwrap().verdict(), Verdict::Undecided, "nearly the same values are not the same");
    let same = Rival { second: rival.first.clone(), ..rival.clone() };
    assert_eq!(judge(&axes, &same).unwrap().verdict(), Verdict::Undecided, "the same function");
    let elsewhere = Rival { point: vec![1.0, 0.0], ..rival.clone() };
    assert_eq!(judge(&axes, &elsewhere).unwrap().verdict(), Verdict::Undecided, "no difference there");
    let lifted = Rival {
        second: StoredNetwork::new(&Network { intercept: Some(1.0), ..quadratic(&[[1.0, 1.0]], &[1.0]) }),
        ..rival.clone()
    };
    assert!(judge(&axes, &lifted).is_err(), "no affine part is allowed");
    let relu = Rival {
        first: StoredNetwork::new(&Network {
            activation: Activation::Relu,
            ..quadratic(&[[1.0, 0.0], [0.0, 1.0]], &[1.0, 1.0])
        }),
        ..rival
    };
    assert!(judge(&axes, &relu).is_err());
}

#[test]
fn nearly_dependent_products_are_proved_in_a_better_basis_only() {
    // Inputs far from zero: 1, x, x² are nearly dependent.
    let X: Vec<f64> = (0..40).map(|i| 1e5 + f64::from(i * i % 37)).collect();
    let y = vec![0.0; X.len()];
    let verdict = |passes: usize| {
        let independence = Some(Independence { shifts: vec![-16], rows: None, passes });
        let rows = Rows::new(&X, 1, &y, None).unwrap();
        judge(rows, &Claim { affine: true }, &Proof { independence, ..nothing() }).unwrap().verdict()
    };
    assert_eq!(verdict(0), Verdict::Undecided);
    assert_eq!(verdict(3), Verdict::Holds);
}

#[test]
fn some_rows_are_enough_and_what_is_named_must_be_there() {
    let X: Vec<i64> = (0..30).flat_map(|i| [i % 7 - 3, i % 5 - 2]).collect();
    let verdict = |proof: &Proof| judged(&X, 2, true, proof).map(|judgement| judgement.verdict());
    assert_eq!(verdict(&independent(2, Some(10), 0)), Ok(Verdict::Holds));
    assert_eq!(verdict(&independent(2, Some(5), 0)), Ok(Verdict::Undecided), "too few for six products");
    assert!(verdict(&independent(2, Some(31), 0)).is_err() && verdict(&independent(2, Some(0), 0)).is_err());
    assert!(verdict(&independent(3, None, 0)).is_err() && verdict(&independent(2, None, 9)).is_err());
    let shifted = Independence { shifts: vec![-1070, 0], rows: None, passes: 0 };
    assert!(verdict(&Proof { independence: Some(shifted), ..nothing() }).is_err());
}

#[test]
fn proofs_are_read_as_they_are_written() {
    let text = r#"{"independence": {"shifts": [0, 1], "rows": null, "passes": 2},
        "relations": [{"input": 1, "factor": 2, "terms": [[0, 3]], "constant": 0}], "groups": [[0]],
        "vanishing": [{"lead": [0, 1], "terms": [[[0, 1], 1, 1], [[0], 2, 3], [[], 1, 4]]}], "rival": null}"#;
    let proof: Proof = serde_json::from_str(text).unwrap();
    assert_eq!(proof.vanishing[0].terms[2], (Monomial::One, 1.0, 4.0));
    let again: Proof = serde_json::from_str(&serde_json::to_string(&proof).unwrap()).unwrap();
    assert_eq!(proof, again);
    for forged in [
        text.replace("\"rival\"", "\"rivals\""),
        text.replace("[0, 1], 1, 1", "[1, 0], 1, 1"),
        text.replace("\"rows\": null, ", ""),
        text.replace(", \"rival\": null", ""),
        text.replace("\"rival\": null", "\"rival\": null, \"rival\": null"),
    ] {
        assert!(serde_json::from_str::<Proof>(&forged).is_err());
    }
}

#[test]
fn separation_agrees_with_whole_numbers() {
    use separated_data::{Claim, Proof, judge};
    let mut numbers = Numbers::new(8);
    let mut seen = [0; 2];
    for _ in 0..4000 {
        let (d, n) = (1 + numbers.below(3), 1 + numbers.below(4));
        let X = numbers.list(n * d, 4);
        let rows: Vec<&[i64]> = X.chunks(d).collect();
        let dot = |a: &[i64], b: &[i64]| -> i64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let pairs = || (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let is_parallel = |(i, j): (usize, usize)| norm(rows[i]) * norm(rows[j]) == dot(rows[i], rows[j]).pow(2);
        let parallel = pairs().any(is_parallel);
        let zero = rows.iter().any(|x| norm(x) == 0);
        let (F, y) = (floats(&X), vec![0.0; n]);
        let judgement = judge(Rows::new(&F, d, &y, None).unwrap(), &Claim {}, &Proof { parallel: None }).unwrap();
        let verdict = if n < 2 || zero || parallel { Verdict::Fails } else { Verdict::Holds };
        assert_eq!(judgement.verdict(), verdict, "{X:?}");
        seen[usize::from(verdict == Verdict::Holds)] += 1;
        if verdict == Verdict::Holds {
            // δ² = 2 − 2|cos|
            let cosine = |(i, j): (usize, usize)| {
                (dot(rows[i], rows[j]) as f64).abs() / ((norm(rows[i]) * norm(rows[j])) as f64).sqrt()
            };
            let delta = (2.0 - 2.0 * pairs().map(cosine).fold(0.0, f64::max)).sqrt();
            let low = judgement.fact("separation").unwrap();
            assert!((low - delta).abs() < 1e-12, "{low} {delta}");
            assert!(judgement.fact("eigenvalue").unwrap() <= low / (100 * n * n) as f64);
        }
    }
    assert!(seen.iter().all(|count| *count > 500), "{seen:?}");
}

fn norm(x: &[i64]) -> i64 {
    x.iter().map(|x| x * x).sum()
}

#[test]
fn a_pair_that_is_named_is_looked_at_and_a_wrong_one_refutes_nothing() {
    use separated_data::{Claim, Proof, judge};
    let X = [1.0, 2.0, 2.0, 4.0, 1.0, 0.0, 0.0, 0.0];
    let verdict = |weights: &[f64], parallel| {
        judge(Rows::new(&X, 2, &[0.0; 4], Some(weights)).unwrap(), &Claim {}, &Proof { parallel })
            .map(|found| found.verdict())
    };
    let three = [1.0, 1.0, 1.0, 0.0];
    assert_eq!(verdict(&three, Some([0, 1])), Ok(Verdict::Fails));
    assert_eq!(verdict(&[1.0, 0.0, 1.0, 0.0], Some([0, 2])), Ok(Verdict::Holds), "they are not parallel");
    assert_eq!(verdict(&[1.0, 0.0, 1.0, 0.0], Some([0, 0])), Ok(Verdict::Holds), "one row");
    assert!(verdict(&three, Some([0, 3])).is_err() && verdict(&three, Some([0, 9])).is_err());
    assert_eq!(verdict(&[1.0; 4], None), Ok(Verdict::Fails), "a zero row");
    // Directions that doubles cannot tell apart.
    let near = [1.0, 1.0, 1.0, 1.0 + f64::EPSILON];
    let judgement = judge(Rows::new(&near, 2, &[0.0; 2], None).unwrap(), &Claim {}, &Proof { parallel: None }).unwrap();
    assert_eq!(judgement.verdict(), Verdict::Undecided);
}

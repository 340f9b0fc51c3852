//! Recipes: learned from training rows only, applied by name, the same for ever after.

// X is a matrix, as in the library; a test that cannot continue shall stop.
#![allow(non_snake_case, clippy::unwrap_used)]

use std::path::Path;

use shallows::data::recipe::{Gaps, OmissionReason, Treatment};
use shallows::data::{Cell, Data, Reading, Recipe, Roles, Table, TargetScale};
use shallows::error::{Error, Hint};
use shallows::linalg::Matrix;
use shallows::random::{Purpose, Split, Stream};

fn table(text: &str) -> Table {
    Table::read_csv(text.as_bytes(), Path::new("t.csv")).unwrap()
}

/// Learned from all rows, with the last column as target.
fn learned(text: &str) -> Recipe {
    let table = table(text);
    Recipe::learn(&table, &Roles::default(), &(0..table.rows()).collect::<Vec<_>>()).unwrap()
}

fn treatment<'a>(recipe: &'a Recipe, name: &str) -> &'a Treatment {
    &recipe.columns().iter().find(|step| step.name == name).unwrap().treatment
}

#[test]
fn a_table_of_numbers_is_left_as_it_is() {
    let text = "b,a,y\n-0.0,3,1\n2.5,1e300,2\n1e-320,4,5\n";
    let recipe = learned(text);
    assert!(recipe.is_plain());
    let data = Data::from_table(&table(text), None, None).unwrap();
    let bits: Vec<u64> = data.X.as_slice().iter().map(|x| x.to_bits()).collect();
    assert_eq!(bits, [-0.0, 3.0, 2.5, 1e300, 1e-320, 4.0].map(f64::to_bits));
    assert_eq!((data.names, data.target.as_str()), (vec!["b".to_owned(), "a".to_owned()], "y"));
    assert_eq!(recipe.summary(), "2 columns: 2 numbers");
}

#[test]
fn energy_has_all_its_columns() {
    let table = Table::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/energy.csv")).unwrap();
    let recipe = Recipe::learn(&table, &Roles::default(), &(0..table.rows()).collect::<Vec<_>>()).unwrap();
    assert!(recipe.is_plain() && recipe.columns().len() == 8);
}

#[test]
fn words_become_indicators_without_the_most_frequent() {
    let text = "c,y\nred,1\nblue,2\nred,3\ngreen,4\nblue,5\nred,6\n,7\nteal,8\nazure,9\n";
    let recipe = learned(text);
    assert_eq!(recipe.input_names(), ["c=blue", "c=other", "c missing"]);
    let data = Data::from_table(&table(text), None, None).unwrap();
    let rows = [
        [0.0, 0.0, 0.0], // red
        [1.0, 0.0, 0.0], // blue
        [0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0], // green is rare, and so are teal and azure
        [1.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0], // missing
        [0.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
    ];
    assert_eq!(data.X, Matrix::from_rows(&rows));
    assert_eq!(recipe.summary(), "1 column: 1 category (3 levels), gaps in 1; 3 inputs");
}

#[test]
fn a_word_that_is_other_stands_for_all_others() {
    let recipe = learned("c,y\na,1\na,2\na,3\nother,4\nother,5\nb,6\nb,7\nb,3\n");
    assert_eq!(recipe.input_names(), ["c=b", "c=other"]);
    // A single rare row stands apart from the most frequent word, too.
    let recipe = learned("c,y\na,1\na,2\na,3\nb,4\nb,5\nc,6\n");
    assert_eq!(recipe.input_names(), ["c=b", "c=other"]);
    let inputs = recipe.inputs(&table("c\na\nc\nb\n")).unwrap();
    assert_eq!(inputs.X.as_slice(), [0.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
    assert_eq!(inputs.remarks, ["column \"c\": 1 rare or unknown, such as \"c\", taken as \"other\""]);
}

#[test]
fn gaps_become_the_median_and_say_so_once() {
    let text = "a,b,c,d,y\n1,,5,1,1\n2,7,,2,2\n,9,,3,3\n10,9,6,4,4\n,8,,5,5\n";
    let recipe = learned(text);
    let number = |name: &str| match treatment(&recipe, name) {
        Treatment::Number { median, gaps } => (median.unwrap(), *gaps),
        other => panic!("{other:?}"),
    };
    assert_eq!([number("a"), number("b")], [(2.0, Gaps::Input), (8.0, Gaps::Input)]);
    assert_eq!([number("c"), number("d")], [(5.0, Gaps::Input), (3.0, Gaps::Never)]);
    let shared = learned("a,b,y\n1,4,1\n,,2\n3,9,3\n7,2,4\n");
    assert_eq!(shared.input_names(), ["a", "a missing", "b"]);
    assert!(matches!(treatment(&shared, "b"), Treatment::Number { gaps: Gaps::Shared, .. }));
    // A column of one number and gaps only says where the gaps are.
    let only = learned("a,b,y\n5,1,1\n,2,2\n5,3,3\n");
    assert_eq!(
        (only.input_names(), treatment(&only, "a")),
        (vec!["a missing".into(), "b".into()], &Treatment::GapsOnly)
    );
    // So does one of names.
    let cabins = learned("cabin,b,y\nC85,1,1\n,2,2\nE46,3,3\n,7,4\nB2,1,5\n");
    assert_eq!(cabins.input_names(), ["cabin missing", "b"]);
    assert_eq!(cabins.summary(), "2 columns: 1 number, 1 by the gaps alone, gaps in 1");
}

#[test]
fn columns_without_use_are_dropped_with_the_reason() {
    let text = "one,key,empty,n,copy,w,code,rare,y\n\
        5,Ann,,1,1.0,x,10,p,1\n5,Bob,NA,2,2.0,z,30,p,2\n5,Cid,?,3,3,x,10,p,5\n5,Dot,,4,4.00,z,30,q,6\n";
    let table = table(text);
    let roles = Roles { categorical: vec!["code".into()], ..Roles::default() };
    let recipe = Recipe::learn(&table, &roles, &[0, 1, 2, 3]).unwrap();
    let reason = |name: &str| match treatment(&recipe, name) {
        Treatment::Dropped(reason) => Some(reason.clone()),
        _ => None,
    };
    assert_eq!(reason("one"), Some(OmissionReason::Constant));
    assert_eq!(reason("key"), Some(OmissionReason::AllDifferent));
    assert_eq!(reason("empty"), Some(OmissionReason::Empty));
    assert_eq!(reason("copy"), Some(OmissionReason::SameAs("n".into())));
    // Codes and words that name the same things are one column.
    assert_eq!(reason("code"), Some(OmissionReason::SameAs("w".into())));
    assert_eq!(recipe.input_names(), ["n", "w=z", "rare=other"]);
    let summary = recipe.summary_json();
    assert_eq!((&summary["numbers"], &summary["inputs"], &summary["plain"]), (&1.into(), &3.into(), &false.into()));
    assert_eq!(summary["dropped"].as_array().unwrap().len(), 5);
    // Without an intercept a constant is not without effect.
    let kept = Roles { keep_constants: true, ..roles };
    assert_eq!(Recipe::learn(&table, &kept, &[0, 1, 2, 3]).unwrap().input_names(), ["one", "n", "w=z", "rare=other"]);
}

#[test]
fn only_training_rows_and_rows_that_count_teach() {
    let text = "a,c,w,y\n1,x,1,1\n2,z,1,2\n3,x,2,3\n4,z,1,4\n900,q,1,5\n,q,0,6\n";
    let table = table(text);
    let roles = Roles { weight: Some("w".into()), ..Roles::default() };
    let some = Recipe::learn(&table, &roles, &[0, 1, 2, 3]).unwrap();
    assert_eq!(some.input_names(), ["a", "c=z"]);
    assert!(matches!(treatment(&some, "a"), Treatment::Number { median: Some(2.0), gaps: Gaps::Never }));
    let without_last = Recipe::learn(&table, &roles, &[0, 1, 2, 3, 5]).unwrap();
    // Of a row that does not count it is known that it has a gap, or certificates about all rows would refuse it.
    assert!(matches!(treatment(&without_last, "a"), Treatment::Number { median: Some(2.0), gaps: Gaps::Shared }));
    assert_eq!(
        (treatment(&without_last, "c"), without_last.input_names()),
        (treatment(&some, "c"), some.input_names())
    );
    let data = some.data(&table, "y", Some("w"), None).unwrap();
    assert_eq!(data.X.row(5), [2.0, 0.0]);
    assert_eq!(data.weights.unwrap()[2], 2.0);
    assert!(matches!(some.data(&table, "y", None, Some(&[6])), Err(Error::NoRow { row: 6, rows: 6, .. })));
}

#[test]
fn a_recipe_survives_json_and_knows_when_it_was_altered() {
    let recipe = learned("a,c,k,y\n1.1,x,q,1\n,z,r,2\n0.3,x,s,3\n7,z,t,4\n");
    let text = serde_json::to_string(&recipe).unwrap();
    assert_eq!(serde_json::from_str::<Recipe>(&text).unwrap(), recipe);
    for (old, new) in [
        ("\"median\"", "\"mean\""),
        ("{\"median\":1.1,", "{"),
        ("\"name\":\"a\"", "\"name\":\"a\",\"more\":1"),
        ("\"gaps\":\"input\"", "\"gaps\":\"some\""),
        ("\"number\"", "\"logarithm\""),
        ("\"other\":false", "\"other\":0"),
    ] {
        let altered = text.replacen(old, new, 1);
        assert_ne!(altered, text, "{old}");
        assert!(serde_json::from_str::<Recipe>(&altered).is_err(), "{altered}");
    }
    for (old, new) in [("\"name\":\"c\"", "\"name\":\"a\""), ("\"levels\":[\"z\"]", "\"levels\":[\"x\"]")] {
        let altered: Recipe = serde_json::from_str(&text.replacen(old, new, 1)).unwrap();
        assert!(altered.check().is_err(), "{new}");
    }
}

#[test]
fn the_scale_of_the_target_is_kept_and_strange_ones_are_refused() {
    let identity = learned("a,y\n1,1\n2,2\n4,3\n");
    let log = identity.clone().with_target_scale(TargetScale::Log);
    let text = serde_json::to_string(&log).unwrap();
    assert!(text.ends_with(",\"target_scale\":\"log\"}"), "{text}");
    assert_eq!(serde_json::from_str::<Recipe>(&text).unwrap(), log);
    // A recipe of an older file is the list alone.
    let list = serde_json::to_string(&identity).unwrap();
    assert!(list.starts_with('['));
    assert_eq!(serde_json::from_str::<Recipe>(&list).unwrap(), identity);
    for (old, new) in [
        ("\"log\"", "\"ln\""),
        ("\"log\"", "null"),
        ("\"log\"", "{\"log\":1}"),
        ("\"log\"", "\"log\",\"target_scale\":\"log\""),
        ("\"log\"", "\"log\",\"base\":10"),
        (",\"target_scale\":\"log\"", ""),
        ("\"columns\"", "\"column\""),
    ] {
        let altered = text.replacen(old, new, 1);
        assert_ne!(altered, text, "{old}");
        assert!(serde_json::from_str::<Recipe>(&altered).is_err(), "{altered}");
    }
    assert!(["7", "null", "\"log\"", "{}"].iter().all(|text| serde_json::from_str::<Recipe>(text).is_err()));
}

#[test]
fn a_logarithm_is_called_one_and_needs_a_positive_target() {
    let text = "a,ln(y),y\n1,5,1\n2,4,2.5\n4,6,1e-320\n";
    let log = learned(text).with_target_scale(TargetScale::Log);
    let data = log.data(&table(text), "y", None, None).unwrap();
    assert_eq!((data.target.as_str(), data.y[0]), ("ln(y)′", 0.0));
    assert!(data.y.iter().zip([1.0_f64, 2.5, 1e-320]).all(|(ln, y)| (ln.exp() / y - 1.0).abs() < 1e-3));
    for value in ["0", "-0.0", "-3"] {
        let negative = table(&format!("{text}7,7,{value}\n"));
        let error = log.data(&negative, "y", None, None).unwrap_err();
        let said = error.to_string();
        assert!(said.contains("line 5") && said.contains("\"y\"") && said.contains("logarithm"), "{said}");
        assert_eq!(error.hint(), Some(Hint::PositiveTarget));
        assert!(log.data(&negative, "y", None, Some(&[0, 1])).is_ok());
    }
}

/// A random table of numbers, words and gaps, with a header.
fn random_table(seed: u64, rows: usize) -> Vec<Vec<String>> {
    let mut stream = Stream::new(seed, Purpose::Probe, 0);
    let words = ["red", "blue", "green", "7", "true", ""];
    (0..rows)
        .map(|i| {
            let word = words[stream.below(words.len()).min(stream.below(words.len()))];
            let number = if stream.uniform() < 0.2 { "NA".into() } else { format!("{:.3}", stream.normal()) };
            vec![number, word.into(), stream.below(4).to_string(), format!("{:.2}", stream.normal() + i as f64)]
        })
        .collect()
}

fn text_of(header: &[&str], rows: &[Vec<String>]) -> String {
    let lines = rows.iter().map(|row| row.join(";") + "\n").collect::<String>();
    format!("{}\n{lines}", header.join(";"))
}

#[test]
fn the_order_of_rows_and_columns_does_not_matter() {
    let roles = Roles { categorical: vec!["word".into(), "code".into()], ..Roles::default() };
    let roles = Roles { target: Some("y".into()), ..roles };
    for seed in 0..50 {
        let rows = random_table(seed, 40);
        let table = table(&text_of(&["x", "word", "code", "y"], &rows));
        let all: Vec<usize> = (0..40).collect();
        let recipe = Recipe::learn(&table, &roles, &all).unwrap();
        let data = recipe.data(&table, "y", None, None).unwrap();
        let indicator = |j: usize| data.X.column(j).iter().all(|x| *x == 0.0 || *x == 1.0);
        assert!(data.names.iter().enumerate().all(|(j, name)| name == "x" || indicator(j)), "{:?}", data.names);

        let order = Stream::of_split(seed, Split::Recovery).permutation(40);
        let turned: Vec<Vec<String>> =
            order.iter().map(|&i| [3, 2, 0, 1].iter().map(|&j| rows[i][j].clone()).collect()).collect();
        let turned = self::table(&text_of(&["y", "code", "x", "word"], &turned));
        assert_eq!(recipe.data(&turned, "y", None, None).unwrap(), data.select(&order), "seed {seed}");
        let again = Recipe::learn(&turned, &roles, &all).unwrap();
        let sorted = |recipe: &Recipe| {
            let mut names = recipe.input_names();
            names.sort();
            names
        };
        assert_eq!(sorted(&again), sorted(&recipe));
        assert_eq!(recipe.inputs(&turned).unwrap().X, data.select(&order).X);
    }
}

#[test]
fn cells_that_mean_a_gap_are_gaps() {
    let table = table("a,b\n1,x\n,\nNA,N/A\nnull,None\n?,#N/A\nnan,NaN\n");
    for i in 1..6 {
        assert_eq!([table.columns[0].cell(i), table.columns[1].cell(i)], [Cell::Missing; 2], "row {i}");
    }
}

#[test]
fn thousands_of_levels_stay_within_bounds() {
    // Every word of a column has at least 1/200 of the rows, so that no column becomes more than 200 inputs.
    let line = |i: usize| format!("w{},{},{}\n", i % 900, i % 7, i % 11);
    let recipe = learned(&("a,b,y\n".to_owned() + &(0..9000).map(line).collect::<String>()));
    assert_eq!(treatment(&recipe, "a"), &Treatment::Dropped(OmissionReason::Rare));
    let line = |i: usize| format!("w{},{},{}\n", i % 150, i % 7, i % 11);
    let recipe = learned(&("a,b,y\n".to_owned() + &(0..9000).map(line).collect::<String>()));
    assert_eq!(recipe.input_names().len(), 150);
}

#[test]
fn columns_and_targets_far_from_zero_are_less_a_centre_where_that_is_asked_for() {
    let text: String = (0..30).map(|i| format!("{},{},{}\n", 1990 + i % 9, i * i % 7, 1_700_000_000 + i)).collect();
    let table = Table::read_csv(format!("year,x,t\n{text}").as_bytes(), Path::new("far.csv")).unwrap();
    let plain = Reading::default().learned(&table).unwrap();
    assert_eq!(plain.recipe.input_names(), ["year", "x"]);
    let roles = Roles { centre: true, ..Roles::default() };
    let centred = Reading { roles, ..Reading::default() }.learned(&table).unwrap();
    assert_eq!(centred.recipe.input_names(), ["year − 1994", "x"]);
    assert_eq!(centred.recipe.summary(), "2 columns: 2 numbers (1 less a centre)");
    let scale = centred.recipe.target_scale();
    for i in 0..30 {
        assert_eq!(centred.data.X[(i, 0)], plain.data.X[(i, 0)] - 1994.0);
        assert_eq!(scale.original(centred.data.y[i]), plain.data.y[i]);
        assert!(centred.data.y[i].abs() < 30.0);
    }
    // What a file holds is the same recipe again.
    let read: Recipe = serde_json::from_str(&serde_json::to_string(&centred.recipe).unwrap()).unwrap();
    assert_eq!(read, centred.recipe);
}

//! Tables as pandas and R write them: dates, codes, numbers with signs, words that mean a gap, orders, indices.

use std::path::Path;

use shallows::data::recipe::{DateOrder, DatePart, DateUse, Gaps, OmissionReason, Treatment, WordOrder};
use shallows::data::{Column, Reading, Recipe, Roles, Samples, Table};
use shallows::error::{Error, Hint, TextGuess};

fn table(text: &str) -> Table {
    Table::read_csv(text.as_bytes(), Path::new("t.csv")).unwrap()
}

fn samples(text: &str, roles: Roles) -> Result<Samples, Error> {
    Reading { roles, ..Reading::default() }.learned(&table(text))
}

fn learned(text: &str) -> Samples {
    samples(text, Roles::default()).unwrap()
}

fn refusal(text: &str, roles: Roles) -> String {
    samples(text, roles).unwrap_err().to_string()
}

fn treatment<'a>(recipe: &'a Recipe, name: &str) -> &'a Treatment {
    &recipe.columns().iter().find(|step| step.name == name).unwrap().treatment
}

/// A table of one column and a target that counts.
fn column<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let line = |(i, cell): (usize, &str)| format!("\"{cell}\",{i}\n");
    "c,y\n".to_owned() + &cells.into_iter().enumerate().map(line).collect::<String>()
}

#[test]
fn dates_in_every_common_form_become_days_since_the_first() {
    for (cells, names) in [
        (["2004-01-01", "2004-01-02", "2004-02-01"], "c − 2004-01-01"),
        (["1.1.2004", "2.1.2004", "1.2.2004"], "c − 2004-01-01"),
        (["1/1/2004", "2/1/2004", "21/2/2004"], "c − 2004-01-01"),
        (["1/31/2004", "2/1/2004", "3/1/2004"], "c − 2004-01-31"),
        (["Jan 1 2000", "Jan 2 2000", "Feb 1 2000"], "c − 2000-01-01"),
        (["1 January 2000", "2 January 2000", "1 February 2000"], "c − 2000-01-01"),
        (["2004-Q1", "2004-Q2", "2005-Q1"], "c − 2004-01-01"),
        (["2004-01-01T00:00:00Z", "2004-01-02T00:00:00Z", "2004-02-01T00:00:00Z"], "c − 2004-01-01"),
    ] {
        let found = learned(&column(cells));
        assert_eq!(found.data.names, [names], "{cells:?}");
        assert!(found.data.X[(0, 0)] == 0.0 && found.data.X[(1, 0)] >= 1.0, "{cells:?}");
        assert!(found.remark().unwrap().contains("dates, as days since"), "{:?}", found.remark());
    }
    let order = |cells: [&str; 3]| match treatment(&learned(&column(cells)).recipe, "c") {
        Treatment::Date { order, .. } => *order,
        other => panic!("{other:?}"),
    };
    assert_eq!(order(["1/1/2004", "2/1/2004", "21/2/2004"]), DateOrder::DayFirst);
    assert_eq!(order(["1/31/2004", "2/1/2004", "3/1/2004"]), DateOrder::MonthFirst);
}

#[test]
fn an_all_different_date_is_no_key() {
    let days: Vec<String> = (1..=28).map(|day| format!("2004-02-{day:02}")).collect();
    let recipe = learned(&column(days.iter().map(String::as_str))).recipe;
    assert_eq!(recipe.input_names()[0], "c − 2004-02-01");
    assert_eq!(recipe.summary(), "1 column: 1 date; 2 inputs");
}

#[test]
fn parts_of_dates_are_inputs_where_they_can_say_more() {
    let names = |cells: &[String], dates| {
        let roles = Roles { dates, ..Roles::default() };
        let recipe = samples(&column(cells.iter().map(String::as_str)), roles).unwrap().recipe;
        match treatment(&recipe, "c") {
            Treatment::Date { parts, .. } => parts.clone(),
            Treatment::Dropped(OmissionReason::Asked) => vec![],
            other => panic!("{other:?}"),
        }
    };
    let days: Vec<String> = (0..60).map(|i| format!("2004-{:02}-{:02}", 1 + i / 28, 1 + i % 28)).collect();
    let months: Vec<String> = (0..60).map(|i| format!("{}-{:02}-01", 2000 + i / 12, 1 + i % 12)).collect();
    let hours: Vec<String> = (0..60).map(|i| format!("2004-01-{:02} {:02}:00", 1 + i / 24, i % 24)).collect();
    let clocks: Vec<String> = (0..60).map(|i| format!("{:02}:30", i % 24)).collect();
    use DatePart::{Days, Hour, Month, Weekday};
    assert_eq!(names(&days, DateUse::Auto), [Days, Weekday]);
    assert_eq!(names(&months, DateUse::Auto), [Days, Month]);
    assert_eq!(names(&hours, DateUse::Auto), [Days, Hour]);
    assert_eq!(names(&clocks, DateUse::Auto), [Hour]);
    assert_eq!(names(&days, DateUse::Parts), [Days, Month, Weekday]);
    assert_eq!(names(&hours, DateUse::Number), [Days]);
    let year = learned(&column(days.iter().map(String::as_str)));
    // 2004-01-01 was a Thursday.
    assert_eq!(year.data.X.row(0), [0.0, 3.0]);
    let with_other = "c,x,y\n2004-01-01,1,1\n2004-01-03,2,2\n2004-01-04,4,3\n";
    let dropped = samples(with_other, Roles { dates: DateUse::Drop, ..Roles::default() }).unwrap();
    assert_eq!(dropped.data.names, ["x"]);
}

#[test]
fn dates_that_could_be_two_are_refused_with_the_rule_that_would_decide() {
    let said = refusal(&column(["1/2/2004", "3/4/2004", "5/5/2004", "6/7/2004"]), Roles::default());
    assert!(said.contains("3 cells could be two dates each") && said.contains("no day is above 12"), "{said}");
    assert!(said.contains("\"1/2/2004\" (line 2)"), "{said}");
    let said = refusal(&column(["13-11-12", "14-10-12"]), Roles::default());
    assert!(said.contains("a year of two digits could come first or last"), "{said}");
    // Harmless where both are the same.
    assert_eq!(learned(&column(["5/5/2004", "6/6/2004", "7/7/2004"])).data.names, ["c − 2004-05-05"]);
    let said = refusal(&column(["31/12/2004", "12/31/2004", "30/11/2004"]), Roles::default());
    assert!(said.contains("\"12/31/2004\" is not a date that can be read"), "{said}");
    let hint = samples(&column(["1/2/2004", "3/4/2004"]), Roles::default()).unwrap_err().hint();
    assert_eq!(hint, Some(shallows::error::Hint::DateColumn { column: "c".into() }));
}

#[test]
fn gaps_among_dates_become_the_median_and_new_rows_are_read_alike() {
    let found = learned("d,y\n1/31/2004,1\n,2\n2/10/2004,3\n2/20/2004,4\n");
    assert_eq!(found.data.names, ["d − 2004-01-31", "d missing"]);
    assert_eq!(found.data.X.row(1), [10.0, 1.0]);
    let inputs = found.recipe.inputs(&table("d\n2/1/2004\n2004-02-02 12:00\n")).unwrap();
    assert_eq!([inputs.X[(0, 0)], inputs.X[(1, 0)]], [1.0, 2.5]);
    let said = found.recipe.inputs(&table("d\nnever\n5\n")).unwrap_err().to_string();
    assert!(said.contains("2 cells are not what the model was fitted on, such as \"never\" (line 2)"), "{said}");
    // What a file holds is the same recipe again.
    let text = serde_json::to_string(&found.recipe).unwrap();
    assert_eq!(serde_json::from_str::<Recipe>(&text).unwrap(), found.recipe);
    for (old, new) in [("\"days\"", "\"weeks\""), ("month-first", "american"), ("\"origin\":1", "\"origin\":1.5")] {
        assert!(text.contains(old), "{text}");
        assert!(serde_json::from_str::<Recipe>(&text.replacen(old, new, 1)).is_err(), "{new}");
    }
    for (old, new) in [("\"origin\":1", "\"origin\":2"), ("[\"days\"]", "[]"), ("[\"days\"]", "[\"days\",\"days\"]")] {
        let altered: Recipe = serde_json::from_str(&text.replacen(old, new, 1)).unwrap();
        assert!(altered.check().is_err(), "{new}");
    }
}

#[test]
fn columns_of_moments_are_dates_whatever_the_file_called_them() {
    const DAY: f64 = 86_400e6;
    let moments = Column::of_moments((0..30).map(|i| (12_418.0 + f64::from(i)) * DAY).collect());
    let y = Column::of_numbers((0..30).map(f64::from).collect());
    let columns = vec![moments.clone(), y];
    let table = Table::of_columns(Path::new("m"), Some(vec!["d".into(), "y".into()]), columns, 30).unwrap();
    let found = Reading::default().learned(&table).unwrap();
    assert_eq!(found.data.names, ["d − 2004-01-01", "d weekday"]);
    // The same dates as texts are read alike.
    assert_eq!(found.recipe.inputs(&self::table("d\n2004-01-02\n")).unwrap().X.row(0), found.data.X.row(1));
    let roles = Roles { target: Some("d".into()), ..Roles::default() };
    let said = Reading { roles, ..Reading::default() }.learned(&table).unwrap_err().to_string();
    assert!(said.contains("not numbers, as the target has to be") && said.contains("2004-01-01"), "{said}");
}

#[test]
fn an_infinite_moment_is_neither_a_date_nor_a_gap() {
    let moments =
        Column::of_moments((0..30).map(|i| if i == 7 { f64::INFINITY } else { f64::from(i) * 1e12 }).collect());
    let y = Column::of_numbers((0..30).map(f64::from).collect());
    let table = Table::of_columns(Path::new("m"), Some(vec!["d".into(), "y".into()]), vec![moments, y], 30).unwrap();
    let said = Reading::default().learned(&table).unwrap_err().to_string();
    assert!(said.contains("row 7 (counted from 0), column \"d\": \"inf\" is not a finite number"), "{said}");
    let recipe = learned(&column(["2004-01-01", "2004-01-02", "2004-01-05"])).recipe;
    let of_model =
        Table::of_columns(Path::new("m"), Some(vec!["c".into()]), vec![Column::of_moments(vec![f64::INFINITY])], 1);
    assert!(recipe.inputs(&of_model.unwrap()).is_err());
    let roles = Roles { gap_words: vec!["inf".into()], ..Roles::default() };
    let found = Reading { roles, ..Reading::default() }.learned(&table).unwrap();
    assert!(found.data.names.contains(&"d missing".to_owned()), "{:?}", found.data.names);
}

#[test]
fn a_column_of_words_with_some_numeric_codes_is_words() {
    let tyres = ["185/80R13", "205/60R15", "145", "185/80R13", "175/70R13", "145", "205/60R15", "175/70R13"];
    let found = learned(&column(tyres));
    assert!(matches!(treatment(&found.recipe, "c"), Treatment::Category { .. }));
    assert!(found.remark().unwrap().contains("words, 2 numbers such as \"145\" among them"), "{:?}", found.remark());
    // Few different values are categories even if most of them are numbers.
    let grades = ["K", "1", "2", "3", "4"].repeat(5);
    assert!(matches!(treatment(&learned(&column(grades)).recipe, "c"), Treatment::Category { .. }));
    let measured: Vec<String> = (0..30).map(|i| if i % 3 == 0 { "<5".into() } else { format!("{i}") }).collect();
    let said = refusal(&column(measured.iter().map(String::as_str)), Roles::default());
    assert!(said.contains("10 cells are not numbers, such as \"<5\" (line 2)"), "{said}");
}

#[test]
fn a_number_with_a_plus_is_the_last_of_several_categories() {
    let mut children = ["0", "1", "2"].repeat(40);
    children.push("3+");
    let found = learned(&column(children.iter().copied()));
    assert!(matches!(treatment(&found.recipe, "c"), Treatment::Category { .. }));
    assert!(found.remark().unwrap().contains("numbers such as \"0\" among them"), "{:?}", found.remark());
    assert!(matches!(treatment(&learned(&column(["3+", "2+", "2+", "3+"])).recipe, "c"), Treatment::Category { .. }));
    // An age is a number, and 85+ in it a mistake for a person to mend; so is what is no plain number beside a plus.
    let ages: Vec<String> = (0..200).map(|i| if i % 85 == 84 { "85+".into() } else { (i % 85).to_string() }).collect();
    assert!(refusal(&column(ages.iter().map(String::as_str)), Roles::default()).contains("\"85+\""));
    children[7] = "1 5";
    assert!(refusal(&column(children), Roles::default()).contains("\"1 5\" (line 9)"));
}

#[test]
fn one_stray_word_in_a_thousand_numbers_is_refused_with_its_place() {
    let mut cells: Vec<String> = (0..1000).map(|i| format!("{}.5", i % 500)).collect();
    cells[500] = "unknown".into();
    let text = column(cells.iter().map(String::as_str));
    let error = samples(&text, Roles::default()).unwrap_err();
    assert_eq!(error.to_string(), "t.csv line 502, column \"c\": \"unknown\" is not a number");
    let hint = Hint::GapWords { column: Some("c".into()), texts: vec!["unknown".into()] };
    assert_eq!(error.hint(), Some(hint));
    // A sign for nothing makes no column words, however few values there are.
    let said = refusal(&column(["1", "2", "-", "1", "2", "-", "."]), Roles::default());
    assert_eq!(
        said,
        "t.csv, column \"c\": 3 cells are not numbers, such as \"-\" (line 4), \"-\" (line 7), \".\" (line 8)"
    );
}

/// What may be done about a column of numbers with these cells among them.
fn hint_for(cells: &[&str]) -> Option<Hint> {
    let numbers: Vec<String> = (0..200).map(|i| i.to_string()).collect();
    let text = column(numbers.iter().map(String::as_str).chain(cells.iter().copied()));
    samples(&text, Roles::default()).unwrap_err().hint()
}

#[test]
fn all_texts_that_would_have_to_be_gaps_are_named_together() {
    let gaps = |texts: &[&str]| {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        Some(Hint::GapWords { column: Some("c".into()), texts })
    };
    assert_eq!(hint_for(&["-", ".", "-", "unknown"]), gaps(&["-", ".", "unknown"]));
    assert_eq!(hint_for(&["inf", "-inf", "inf", "NaT"]), gaps(&["inf", "-inf", "NaT"]));
    // Gaps alone would not help.
    assert_eq!(hint_for(&["-", "broken"]), hint_for(&["broken"]));
    // A target is neither categories nor left out.
    let error = samples("a,y\n1,1\n2,-\n3,.\n4,2\n", Roles::default()).unwrap_err();
    assert_eq!(error.hint(), Some(Hint::GapWords { column: None, texts: vec!["-".into(), ".".into()] }));
}

#[test]
fn negative_numbers_of_accounts_are_neither_dates_nor_categories() {
    let guess = |guess| Some(Hint::TextColumn { column: "c".into(), guess });
    for text in ["$-537", "1935-", "($537)", "(5)"] {
        assert_eq!(hint_for(&[text]), guess(TextGuess::Negative), "{text}");
    }
    assert_eq!(hint_for(&["2024-02-30"]), guess(TextGuess::Date));
    assert_eq!(hint_for(&["$1.2.3"]), guess(TextGuess::Currency));
}

#[test]
fn a_decimal_comma_where_commas_separate_cells_is_named_as_one() {
    let error = samples("a,y\n\"1,0\",1\n\"1,1\",2\n\"2,5\",4\n", Roles::default()).unwrap_err();
    assert!(error.to_string().contains("3 cells are not numbers, such as \"1,0\""), "{error}");
    let words = error.hint().and_then(|hint| hint.shared_words().map(str::to_owned)).unwrap();
    assert!(words.contains("a comma is decimal only where commas do not separate cells"), "{words}");
}

#[test]
fn leading_zeros_keep_a_column_words() {
    let zips = ["00012", "01234", "12345", "00012", "01234", "12345", "00012", "12"];
    let found = learned(&column(zips));
    assert_eq!(found.data.names, ["c=12345", "c=01234", "c=other"]);
    // 12 is not 00012.
    assert_eq!(found.data.X.row(7), [0.0, 0.0, 1.0]);
    assert_eq!(found.data.X.row(0), [0.0; 3]);
    assert!(found.remark().unwrap().contains("\"00012\" begin with a zero"), "{:?}", found.remark());
    // Neither 0 nor 0.5 has a leading zero, and a column of decimals is one of numbers.
    assert_eq!(learned(&column(["0", "0.5", "1", "2"])).data.X.column(0), [0.0, 0.5, 1.0, 2.0]);
    assert_eq!(learned(&column(["007", "0.5", "1", "2"])).data.X.column(0), [7.0, 0.5, 1.0, 2.0]);
    assert_eq!(samples("x,y\n1,007\n2,008\n3,5\n", Roles::default()).unwrap().data.y, [7.0, 8.0, 5.0]);
}

#[test]
fn numbers_with_separators_and_signs_are_numbers_where_the_whole_column_says_so() {
    let numbers = |cells: &[&str]| learned(&column(cells.iter().copied())).data.X.column(0);
    assert_eq!(numbers(&["1,000", "2,500", "300"]), [1000.0, 2500.0, 300.0]);
    assert_eq!(numbers(&["$1,000", "$2.50", "-$3"]), [1000.0, 2.5, -3.0]);
    assert_eq!(numbers(&["12%", "7.5 %", "1%"]), [12.0, 7.5, 1.0]);
    assert_eq!(learned("x,y\n1,\"$1,000\"\n2,\"$2,000\"\n3,\"$4,000\"\n").data.y, [1000.0, 2000.0, 4000.0]);
    // Per cent among plain numbers and two currencies could mean two things.
    let said = refusal(&column(["12%", "0.5", "0.7"]), Roles::default());
    assert!(said.contains("\"12%\" has another unit"), "{said}");
    assert!(refusal(&column(["$5", "€6", "$7"]), Roles::default()).contains("\"€6\" has another unit"));
    // Between semicolons a comma may be decimal.
    let said = refusal("a;y\n1,234;1\n2,345;2\n3,456;3\n", Roles::default());
    assert!(said.contains("3 cells are not numbers, such as \"1,234\" (line 2)"), "{said}");
    let shown = samples("a;b;y\n1,234;0.5;1\n2,345;0.7;2\n3,456;0.9;3\n", Roles::default()).unwrap();
    assert_eq!(shown.data.X.column(0), [1234.0, 2345.0, 3456.0]);
    let decimal = samples("a;b;y\n1,234;0,5;1\n2,345;0,7;2\n3,456;0,9;3\n", Roles::default()).unwrap();
    assert_eq!(decimal.data.X.column(0), [1.234, 2.345, 3.456]);
    // A model of numbers reads them however they are written.
    let recipe = learned(&column(["1000", "2500", "300"])).recipe;
    assert_eq!(recipe.inputs(&table("c\n\"$1,000\"\n")).unwrap().X.as_slice(), [1000.0]);
}

#[test]
fn gaps_on_request_are_counted_and_belong_to_the_recipe() {
    let text = "a,b,y\n1,x,1\ninf,-,2\n-,x,3\n4,.,4\n5,z,.\n6,z,6\n5,z,7\n";
    let said = refusal(text, Roles::default());
    assert!(said.contains("the target") && said.contains("\".\""), "{said}");
    let gap_words: Vec<String> = ["inf", "-", "."].map(str::to_owned).to_vec();
    let roles = Roles { gap_words, ..Roles::default() };
    let found = samples(text, roles).unwrap();
    assert_eq!(found.data.y, [1.0, 2.0, 3.0, 4.0, 6.0, 7.0]);
    assert_eq!(found.data.names, ["a", "a missing", "b=z", "b missing"]);
    let remark = found.remark().unwrap();
    assert_eq!(remark, "5 cells count as gaps as asked: \"inf\" 1, \"-\" 2, \".\" 2; 1 row without \"y\" left out");
    // New rows know them, too, and files do.
    let read: Recipe = serde_json::from_str(&serde_json::to_string(&found.recipe).unwrap()).unwrap();
    assert_eq!(read, found.recipe);
    assert_eq!(read.inputs(&table("a,b\n-,.\n")).unwrap().X.row(0), [4.0, 1.0, 0.0, 1.0]);
    // Numbers can mean a gap.
    let roles = Roles { gap_words: vec!["-999".into()], ..Roles::default() };
    let found = samples("a,y\n1,1\n-999.0,2\n3,3\n", roles).unwrap();
    assert!(matches!(treatment(&found.recipe, "a"), Treatment::Number { median: Some(1.0), gaps: Gaps::Input }));
    // Decimal commas are seen once what is in their way is gone.
    let roles = Roles { gap_words: vec!["-".into()], ..Roles::default() };
    assert_eq!(samples("a;y\n1,5;1\n-;2\n3,25;3\n", roles).unwrap().data.X.column(0), [1.5, 1.5, 3.25]);
}

#[test]
fn decimal_commas_are_seen_beside_words_that_mean_a_gap() {
    let first = |text: &str, gaps: &[&str]| {
        let roles = Roles { gap_words: gaps.iter().map(|gap| (*gap).to_owned()).collect(), ..Roles::default() };
        samples(text, roles).map(|found| (0..2).map(|i| found.data.X[(i, 0)]).collect::<Vec<f64>>())
    };
    let rows = |a: [&str; 3], b: [&str; 3]| {
        let lines: Vec<String> = (0..3).map(|i| format!("{};{};{i}\n", a[i], b[i])).collect();
        format!("a;b;y\n{}", lines.concat())
    };
    let open = ["1,234", "2,750", "3,125"];
    // Thousands or thousandths: nobody knows, unless another column does.
    assert!(first(&rows(open, ["1", "2", "4"]), &[]).is_err());
    assert_eq!(first(&rows(open, ["1,5", "2", "4"]), &[]).unwrap(), [1.234, 2.75]);
    assert_eq!(first(&rows(open, ["1.5", "2", "4"]), &[]).unwrap(), [1234.0, 2750.0]);
    let gaps = ["1,234", "2,750", "k.A."];
    assert_eq!(first(&rows(gaps, ["1,5", "2", "4"]), &["k.A."]).unwrap(), [1.234, 2.75]);
    let codes = ["1,234", "2,750", "-99,9"];
    assert_eq!(first(&rows(codes, ["1,5", "2", "4"]), &["-99,9"]).unwrap(), [1.234, 2.75]);
    // Not both in one table.
    let said = first(&rows(["3,433,047", "671,590", "12,345"], ["0,3", "0,5", "1"]), &[]).unwrap_err().to_string();
    assert!(said.contains("is not a number") || said.contains("are not numbers"), "{said}");
}

#[test]
fn true_and_false_are_a_target() {
    for words in [["True", "False"], ["TRUE", "FALSE"], ["true", "false"]] {
        let [yes, no] = words;
        let found = learned(&format!("x,y\n1,{yes}\n2,{no}\n3,{yes}\n4,\n"));
        assert_eq!(found.data.y, [1.0, 0.0, 1.0]);
        assert!(found.remark().unwrap().contains("true is 1 and false is 0"));
    }
    let said = refusal("x,y\n1,True\n2,maybe\n3,False\n", Roles::default());
    assert!(said.contains("3 cells are not numbers, as the target has to be"), "{said}");
}

#[test]
fn rare_words_are_never_merged_into_the_most_frequent_one() {
    // The target is additive in the words, and "Fiji" is not like "Lebanon".
    let cells = ["Lebanon", "Lebanon", "Lebanon", "Lebanon", "Peru", "Peru", "Peru", "Fiji"];
    let found = learned(&column(cells));
    assert_eq!(found.data.names, ["c=Peru", "c=other"]);
    assert_eq!(found.data.X.row(7), [0.0, 1.0]);
    // A word that is not known is like those, too; without any, it is said what it counts as.
    let inputs = found.recipe.inputs(&table("c\nTonga\n")).unwrap();
    assert_eq!(inputs.X.as_slice(), [0.0, 1.0]);
    let without = learned(&column(cells[..7].iter().copied())).recipe.inputs(&table("c\nTonga\nPeru\n")).unwrap();
    assert_eq!(without.X.as_slice(), [0.0, 1.0]);
    assert!(
        without.remarks[0].contains("taken as \"Lebanon\", the most frequent word: no word was rare"),
        "{:?}",
        without.remarks
    );
    // Words that are all different stay dropped.
    assert!(samples("c,x,y\na,1,1\nb,2,2\nd,4,3\n", Roles::default()).unwrap().data.names == ["x"]);
}

#[test]
fn ordered_words_become_their_places() {
    let order: WordOrder = "size=small<medium<large".parse().unwrap();
    let roles = Roles { ordered: vec![order], ..Roles::default() };
    let text = "size,y\nsmall,1\nlarge,2\nmedium,3\n,4\nlarge,5\n";
    let found = samples(text, roles.clone()).unwrap();
    assert_eq!(found.data.names, ["size", "size missing"]);
    assert_eq!(found.data.X.column(0), [0.0, 2.0, 1.0, 1.0, 2.0]);
    let said = refusal(&text.replace("large", "huge"), roles);
    assert!(said.contains("2 cells are none of small < medium < large, such as \"huge\" (line 3)"), "{said}");
    assert!(found.recipe.inputs(&table("size\nhuge\n")).unwrap_err().to_string().contains("is none of small"));
    for text in ["size", "size=a", "size=a<a", "size=a<", "size=a<NA"] {
        assert!(text.parse::<WordOrder>().is_err(), "{text}");
    }
}

#[test]
fn an_index_that_names_rows_is_dropped_and_another_one_stays() {
    let indexed = |text: &str| {
        let mut table = table(text);
        table.index.unnamed = vec![0];
        Reading::default().learned(&table).unwrap().recipe
    };
    let dropped = Treatment::Dropped(OmissionReason::Index);
    assert_eq!(treatment(&indexed("index,x,y\n0,5,1\n1,3,2\n2,5,3\n"), "index"), &dropped);
    assert_eq!(treatment(&indexed("index,x,y\nb,5,1\na,3,2\nc,5,3\n"), "index"), &dropped);
    assert_eq!(indexed("index,x,y\n1,5,1\n1,3,2\n2,5,3\n").input_names(), ["index", "x"]);
    // Days name rows, and say when.
    assert_eq!(indexed("index,y\n2004-01-01,1\n2004-01-02,2\n2004-01-04,3\n").input_names(), ["index − 2004-01-01"]);
    let summary = indexed("index,x,y\n0,5,1\n1,3,2\n2,5,3\n").summary();
    assert_eq!(summary, "1 column: 1 number; dropped: \"index\" (it names the rows)");
}

#[test]
fn every_refusal_counts_the_cells_and_shows_three() {
    let numbers: Vec<String> = (0..60).map(|i| format!("{i}.25")).collect();
    let strange = ["abc", "n.k.", "x"];
    let cells = (0..60).map(|i| if i % 20 == 3 { strange[i / 20] } else { numbers[i].as_str() });
    assert_eq!(
        refusal(&column(cells), Roles::default()),
        "t.csv, column \"c\": 3 cells are not numbers, such as \"abc\" (line 5), \"n.k.\" (line 25), \"x\" (line 45)"
    );
    assert_eq!(
        refusal("a,y\n1,1\n,2\n,3\n4,4\n,5\n,6\n", Roles { refuse_gaps: true, ..Roles::default() }),
        "t.csv, column \"a\": 4 values are missing, such as line 3, line 4, line 6"
    );
    let infinite = refusal("a,y\n1,1\ninf,2\n-Inf,3\n4,4\n", Roles::default());
    assert_eq!(
        infinite,
        "t.csv, column \"a\": 2 cells are not finite numbers, such as \"inf\" (line 3), \"-Inf\" (line 4)"
    );
}

//! Dates against Python's calendar, and recipes with dates, ordered words and words for gaps.
#![allow(clippy::unwrap_used)]

use shallows_verify::date::{DateOrder, DatePart, read, written};

/// What `make_dates.py` wrote.
const REFERENCES: &str = include_str!("dates.txt");

fn order(name: &str) -> DateOrder {
    match name {
        "day-first" => DateOrder::DayFirst,
        "month-first" => DateOrder::MonthFirst,
        _ => panic!("{name}"),
    }
}

#[test]
fn dates_and_their_parts_agree_with_another_calendar() {
    let mut count = 0;
    for line in REFERENCES.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        let found = read(parts[0], order(parts[1]));
        let Ok(expected) = parts[2].parse::<i64>() else {
            assert_eq!(found, None, "{line}");
            continue;
        };
        assert_eq!(found, Some(expected), "{line}");
        let numbers: Vec<f64> = parts[3..].iter().map(|text| text.parse().unwrap()).collect();
        let of = |part: DatePart| part.of(expected, 0);
        assert_eq!([of(DatePart::Month), of(DatePart::Weekday), of(DatePart::Hour)], numbers[..], "{line}");
        assert_eq!(of(DatePart::Days), expected as f64 / 86_400e6, "{line}");
        assert_eq!(
            read(&written(expected), DateOrder::DayFirst).unwrap(),
            expected.div_euclid(86_400_000_000) * 86_400_000_000
        );
        count += 1;
    }
    assert!(count > 400, "{count}");
}

/// Every text that is cut or spoiled anywhere is read or refused, and nothing panics.
#[test]
fn no_text_is_too_strange_to_be_refused() {
    for line in REFERENCES.lines() {
        let text = line.split('\t').next().unwrap();
        let letters: Vec<char> = text.chars().collect();
        for at in 0..=letters.len() {
            for strange in ['é', '日', '\u{301}', ':', '+', '-', 'T', '.', '9', ' '] {
                let mut spoiled = letters.clone();
                spoiled.insert(at, strange);
                read(&spoiled.iter().collect::<String>(), DateOrder::MonthFirst);
                if at < letters.len() {
                    spoiled.remove(at + 1);
                }
                read(&spoiled.iter().collect::<String>(), DateOrder::DayFirst);
                read(&spoiled[at..].iter().collect::<String>(), DateOrder::DayFirst);
            }
        }
    }
}

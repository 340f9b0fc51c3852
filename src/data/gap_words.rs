//! Texts that mean a gap, as a person names them.

use super::column::name_of;

/// The same, and for each text that spells an infinity the word that one of an array or a data frame is: `inf` for `Infinity`.
pub(super) fn with_infinities(texts: &[String]) -> Vec<String> {
    let mut all = texts.to_vec();
    for word in texts.iter().filter_map(|text| infinity(text)) {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all
}

/// The word for an infinity that a text spells.
pub(super) fn infinity(text: &str) -> Option<String> {
    let text = text.trim();
    let is_spelt = !text.contains(|c: char| c.is_ascii_digit());
    text.parse::<f64>().ok().filter(|x| x.is_infinite() && is_spelt).map(name_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_infinity_stands_for_its_word() {
        let words = |texts: &[&str]| with_infinities(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(words(&["Infinity", "-", "-INF"]), ["Infinity", "-", "-INF", "inf", "-inf"]);
        assert_eq!(words(&["inf", "+inf", "1e999"]), ["inf", "+inf", "1e999"]);
    }
}

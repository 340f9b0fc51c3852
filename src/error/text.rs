//! Foreign text inside our sentences: whatever a file or a name contains, a message stays one short line.

use std::path::Path;

/// Characters of foreign text that a message shows.
const LONGEST_EXCERPT: usize = 40;
/// Characters of another library's reason, or of a long list, that a message shows.
pub(super) const LONGEST_REASON: usize = 120;
/// Names that a message lists.
const LONGEST_LIST: usize = 8;

/// A text in quotation marks, cut to 40 characters, with control characters escaped.
///
/// ```
/// use shallows::error::excerpt;
///
/// assert_eq!(excerpt("two\nlines"), "\"two\\nlines\"");
/// assert!(excerpt(&"a".repeat(100)).chars().count() < 50);
/// ```
pub fn excerpt(text: &str) -> String {
    format!("\"{}\"", cut(text, LONGEST_EXCERPT))
}

/// A text cut to so many characters, with control characters escaped.
///
/// ```
/// use shallows::error::cut;
///
/// assert_eq!(cut("short", 10), "short");
/// assert!(cut(&"a".repeat(100), 10).chars().count() <= 11);
/// ```
pub fn cut(text: &str, most: usize) -> String {
    let mut characters = text.chars();
    let head: String = characters.by_ref().take(most).flat_map(visible).collect();
    let dots = if characters.next().is_some() { "…" } else { "" };
    head + dots
}

/// Names in quotation marks with commas between them, the first eight.
pub(crate) fn list(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(LONGEST_LIST).map(|name| excerpt(name)).collect();
    if names.len() > LONGEST_LIST {
        shown.push(format!("and {} more", names.len() - LONGEST_LIST));
    }
    shown.join(", ")
}

/// A path as the user wrote it, with control characters escaped; `-` is standard input.
pub(crate) fn shown(path: &Path) -> String {
    if path == Path::new("-") {
        return "standard input".to_owned();
    }
    path.to_string_lossy().chars().flat_map(visible).collect()
}

/// A character, or its escape where it would break the line or reorder it on a terminal.
fn visible(character: char) -> Vec<char> {
    let reorders = matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
    if character.is_control() || reorders { character.escape_default().collect() } else { vec![character] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_short_line_whatever_the_text() {
        assert_eq!(excerpt("age"), "\"age\"");
        assert_eq!(excerpt("a\nb\u{1b}[31m"), "\"a\\nb\\u{1b}[31m\"");
        assert_eq!(excerpt("\u{202e}evil"), "\"\\u{202e}evil\"");
        assert_eq!(excerpt(&"x".repeat(1000)).chars().count(), 43);
        assert_eq!(excerpt(&"é".repeat(40)).chars().count(), 42);
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let names: Vec<String> = (1..=20).map(|j| format!("x{j}")).collect();
        assert!(list(&names).ends_with("\"x8\", and 12 more"));
        assert_eq!(list(&names[..2]), "\"x1\", \"x2\"");
    }
}

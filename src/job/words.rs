//! Numbers and paths in sentences and documents.

use std::path::Path;

/// A path as text; what is not Unicode in it is replaced.
pub fn path(path: impl AsRef<Path>) -> String {
    path.as_ref().to_string_lossy().into_owned()
}

/// Five significant digits, in plain notation where that is short.
pub fn number(x: f64) -> String {
    const DIGITS: i32 = 5;
    let magnitude = x.abs();
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    if (1e-3..1e6).contains(&magnitude) {
        let decimals = (DIGITS - 1 - magnitude.log10().floor() as i32).max(0) as usize;
        format!("{x:.decimals$}")
    } else {
        format!("{x:.4e}")
    }
}

/// Three significant digits, without idle zeros.
pub fn brief(x: f64) -> String {
    const DIGITS: i32 = 3;
    let magnitude = x.abs();
    if x == 0.0 || !x.is_finite() {
        return format!("{x}").replace("inf", "∞");
    }
    if !(1e-3..1e6).contains(&magnitude) {
        return format!("{x:.2e}");
    }
    let decimals = (DIGITS - 1 - magnitude.log10().floor() as i32).max(0) as usize;
    without_idle_zeros(format!("{x:.decimals$}"))
}

/// A number in plain notation without zeros at its end.
pub fn without_idle_zeros(text: String) -> String {
    if text.contains('.') && !text.contains('e') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

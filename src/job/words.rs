//! Numbers and paths in sentences and documents.

use std::path::Path;
use std::time::Duration;

use crate::fit::RefusedCandidate;

/// A path as text; what is not Unicode in it is replaced.
///
/// ```
/// assert_eq!(shallows::job::words::path("a/b.csv"), "a/b.csv");
/// ```
pub fn path(path: impl AsRef<Path>) -> String {
    path.as_ref().to_string_lossy().into_owned()
}

/// A positive number of seconds, or a time such as `60s`, `5m` or `2h`.
///
/// ```
/// use std::time::Duration;
/// use shallows::job::words::parse_duration;
///
/// assert_eq!(parse_duration("5m"), Some(Duration::from_secs(300)));
/// assert_eq!((parse_duration("0"), parse_duration("soon")), (None, None));
/// ```
pub fn parse_duration(text: &str) -> Option<Duration> {
    let (digits, unit) = match text.strip_suffix(['s', 'm', 'h']) {
        Some(digits) => (digits, &text[digits.len()..]),
        None => (text, "s"),
    };
    let seconds = match unit {
        "h" => 3600.0,
        "m" => 60.0,
        _ => 1.0,
    };
    let given = digits.trim().parse::<f64>().ok().filter(|number| *number > 0.0);
    given.and_then(|number| Duration::try_from_secs_f64(number * seconds).ok())
}

/// Five significant digits, in plain notation where that is short.
///
/// ```
/// use shallows::job::words::{brief, number};
///
/// assert_eq!((number(0.1 + 0.2), brief(0.1 + 0.2)), ("0.30000".into(), "0.3".into()));
/// assert_eq!((number(1234.5678), brief(1234.5678)), ("1234.6".into(), "1235".into()));
/// ```
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

/// Three significant digits, without idle zeros. [`number`] shows its use.
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

/// Why a candidate was refused, as part of an account. [`number`] shows the numbers in it.
///
/// ```
/// use shallows::fit::RefusedCandidate;
/// use shallows::job::words::refusal;
///
/// let one = RefusedCandidate { name: "a network".into(), rmse: 1.0, training_rmse: 11.2, affine_rmse: None };
/// assert!(refusal(&one).ends_with("RMSE 11.200 on the rows it was trained on, but 1.0000 by cross-validation"));
/// let beside = RefusedCandidate { rmse: 9.0, affine_rmse: Some(2.0), ..one };
/// assert!(refusal(&beside).ends_with("11.200 on the rows it was trained on, but an affine function has 2.0000 there"));
/// ```
pub fn refusal(refused: &RefusedCandidate) -> String {
    let RefusedCandidate { name, rmse, training_rmse, affine_rmse } = refused;
    let training = number(*training_rmse);
    let other = match affine_rmse {
        Some(affine) => format!("an affine function has {} there", number(*affine)),
        None => format!("{} by cross-validation", number(*rmse)),
    };
    format!("refused: {name}, since its network has RMSE {training} on the rows it was trained on, but {other}")
}

/// A number in plain notation without zeros at its end.
///
/// ```
/// assert_eq!(shallows::job::words::without_idle_zeros("1.500".into()), "1.5");
/// ```
pub fn without_idle_zeros(text: String) -> String {
    if text.contains('.') && !text.contains('e') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

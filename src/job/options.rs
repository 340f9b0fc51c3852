//! Every option of every verb, written once: name, meaning, values, default, the name in Python.
//!
//! The command takes its help, headings and defaults from here; the reference page is written from here ([`markdown`]); the
//! Python package is compared with it by a test ([`document`]).
//!
//! | file | verbs |
//! |---|---|
//! | `tables.rs` | fit, predict, explain, export |
//! | `proof.rs` | check, certify, verify, theorems |
//! | `theory.rs` | teach, landscape, recover |
//! | `experiments.rs` | sweep, plot, figure, lab replay |

mod experiments;
mod proof;
mod tables;
mod theory;

use std::fmt::Write;

use serde_json::{Value, json};

/// One option or argument of a verb.
///
/// ```
/// use shallows::job::options::{Heading, VERBS};
///
/// let fit = VERBS.iter().find(|verb| verb.verb == "fit").expect("there is a fit");
/// let activation = fit.options.iter().find(|option| option.name == "activation").expect("with an activation");
/// assert!(activation.often && matches!(activation.heading, Heading::Model));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionText {
    /// As the command spells it after `--`; of an argument without `--` its name in small letters.
    pub name: &'static str,
    /// Whether it stands without `--`, by its place.
    pub positional: bool,
    /// What it does, in a line.
    pub meaning: &'static str,
    /// More about it, for the long help and the reference.
    pub more: &'static str,
    /// What stands for its value in the help; empty for a switch.
    pub value: &'static str,
    /// What is taken when it is not given.
    pub default: Option<&'static str>,
    /// The values that are allowed, in words; empty where the meaning says it.
    pub range: &'static str,
    /// The heading in the help.
    pub heading: Heading,
    /// Whether the short help shows it.
    pub often: bool,
    /// The parameter of the Python package; `None` where it has none.
    pub python: Option<&'static str>,
    /// Where that parameter has another default, and why.
    pub python_default: Option<PythonDefault>,
}

/// A default of the Python package that is not the command's.
///
/// ```
/// use shallows::job::options::VERBS;
///
/// let fit = VERBS.iter().find(|verb| verb.verb == "fit").expect("there is a fit");
/// let merging = fit.options.iter().find(|option| option.name == "merge-repeats").expect("which merges repeats");
/// assert_eq!(merging.python_default.expect("for scikit-learn").value, "True");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PythonDefault {
    /// As Python spells it.
    pub value: &'static str,
    /// Why it differs.
    pub reason: &'static str,
}

/// What options are about, in the order of the help. [`OptionText`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    /// Without a heading.
    Arguments,
    /// Rows and columns.
    Data,
    /// The network.
    Model,
    /// How it is found.
    Search,
    /// What is to be proved.
    Proof,
    /// What is written.
    Output,
    /// A plan of a proved descent.
    Plan,
}

impl Heading {
    /// As the help prints it; `None` for arguments.
    pub fn words(self) -> Option<&'static str> {
        match self {
            Heading::Arguments => None,
            Heading::Data => Some("Data"),
            Heading::Model => Some("Model"),
            Heading::Search => Some("Search"),
            Heading::Proof => Some("Proof"),
            Heading::Output => Some("Output"),
            Heading::Plan => Some("Plan"),
        }
    }
}

/// A verb and its options, the most used first under each heading. [`OptionText`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerbOptions {
    /// The verb, or the words that lead to it.
    pub verb: &'static str,
    /// Its options.
    pub options: &'static [OptionText],
}

/// All verbs that have options.
pub static VERBS: &[VerbOptions] = &[
    VerbOptions { verb: "fit", options: tables::FIT },
    VerbOptions { verb: "predict", options: tables::PREDICT },
    VerbOptions { verb: "explain", options: tables::EXPLAIN },
    VerbOptions { verb: "export", options: tables::EXPORT },
    VerbOptions { verb: "check", options: proof::CHECK },
    VerbOptions { verb: "certify", options: proof::CERTIFY },
    VerbOptions { verb: "verify", options: proof::VERIFY },
    VerbOptions { verb: "theorems", options: proof::THEOREMS },
    VerbOptions { verb: "teach", options: theory::TEACH },
    VerbOptions { verb: "landscape", options: theory::LANDSCAPE },
    VerbOptions { verb: "recover", options: theory::RECOVER },
    VerbOptions { verb: "sweep", options: experiments::SWEEP },
    VerbOptions { verb: "plot", options: experiments::PLOT },
    VerbOptions { verb: "figure", options: experiments::FIGURE },
    VerbOptions { verb: "lab replay", options: experiments::REPLAY },
];

/// An argument that stands by its place.
const fn argument(name: &'static str, value: &'static str, meaning: &'static str) -> OptionText {
    OptionText { positional: true, heading: Heading::Arguments, often: true, ..option(name, value, meaning) }
}

/// An option with a value.
const fn option(name: &'static str, value: &'static str, meaning: &'static str) -> OptionText {
    OptionText {
        name,
        positional: false,
        meaning,
        more: "",
        value,
        default: None,
        range: "",
        heading: Heading::Data,
        often: false,
        python: None,
        python_default: None,
    }
}

/// An option without a value.
const fn switch(name: &'static str, meaning: &'static str) -> OptionText {
    option(name, "", meaning)
}

impl OptionText {
    /// More about it.
    const fn more(self, more: &'static str) -> Self {
        OptionText { more, ..self }
    }

    /// What is taken when it is not given.
    const fn default(self, default: &'static str) -> Self {
        OptionText { default: Some(default), ..self }
    }

    /// The values that are allowed.
    const fn range(self, range: &'static str) -> Self {
        OptionText { range, ..self }
    }

    /// Its heading.
    const fn about(self, heading: Heading) -> Self {
        OptionText { heading, ..self }
    }

    /// Shown by the short help too.
    const fn often(self) -> Self {
        OptionText { often: true, ..self }
    }

    /// The parameter of the Python package.
    const fn python(self, python: &'static str) -> Self {
        OptionText { python: Some(python), ..self }
    }

    /// Another default in the Python package, and why.
    const fn differs_in_python(self, value: &'static str, reason: &'static str) -> Self {
        OptionText { python_default: Some(PythonDefault { value, reason }), ..self }
    }

    /// The parameter of the Python package, as the reference page tells it.
    fn python_words(&self) -> String {
        match (self.python, self.python_default) {
            (None, _) => String::new(),
            (Some(name), None) => format!("`{name}`"),
            (Some(name), Some(PythonDefault { value, reason })) => format!("`{name}`, by default `{value}`: {reason}"),
        }
    }

    /// Meaning and more, as the long help prints them.
    pub fn long_meaning(&self) -> String {
        match self.more {
            "" => self.meaning.to_owned(),
            more => format!("{}. {more}", self.meaning),
        }
    }

    fn document(&self) -> Value {
        json!({
            "name": self.name, "positional": self.positional, "meaning": self.long_meaning(), "value": self.value,
            "default": self.default, "range": self.range, "heading": self.heading.words(), "python": self.python,
            "python_default": self.python_default.map(|other| other.value),
        })
    }
}

/// All options, as scripts read them.
///
/// ```
/// let document = shallows::job::options::document();
/// assert!(document.to_string().contains("activation"));
/// ```
pub fn document() -> Value {
    let verb = |verb: &VerbOptions| {
        let options: Vec<Value> = verb.options.iter().map(OptionText::document).collect();
        (verb.verb.to_owned(), Value::from(options))
    };
    Value::Object(VERBS.iter().map(verb).collect())
}

/// The reference page `docs/options.md`.
///
/// ```
/// assert!(shallows::job::options::markdown().contains("--activation"));
/// ```
pub fn markdown() -> String {
    let mut page = String::from(
        "# Options\n\nEvery option of every verb with its default and the parameter of the Python package. \
         The page is generated; a test compares it with the table it is made from.\n",
    );
    for VerbOptions { verb, options } in VERBS {
        let _ = write!(page, "\n## {verb}\n\n| option | meaning | default | in Python |\n|---|---|---|---|\n");
        for option in *options {
            let name = match (option.positional, option.value) {
                (true, value) => format!("`{value}`"),
                (false, "") => format!("`--{}`", option.name),
                (false, value) => format!("`--{} {value}`", option.name),
            };
            let range = if option.range.is_empty() { String::new() } else { format!(" ({})", option.range) };
            let default = option.default.map_or(String::new(), |default| format!("`{default}`"));
            let row = [name, option.long_meaning() + &range, default, option.python_words()]
                .map(|cell| cell.replace('|', "\\|"));
            let _ = writeln!(page, "| {} |", row.join(" | "));
        }
    }
    page
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::certificate::descent::frame::RADIUS;
    use crate::fit::{Effort, USUAL_GRADIENT, USUAL_TOLERANCE};
    use crate::job::check::CheckRequest;
    use crate::job::explain::{self, ExplainJob};
    use crate::job::export::ExportPrecision;
    use crate::job::landscape::{self, LandscapeRequest, Origin};

    #[test]
    fn no_option_of_a_verb_is_written_twice_and_every_one_says_what_it_does() {
        for VerbOptions { verb, options } in VERBS {
            for (at, option) in options.iter().enumerate() {
                assert!(options[..at].iter().all(|other| other.name != option.name), "{verb} {}", option.name);
                assert!(!option.meaning.is_empty() && !option.meaning.ends_with('.'), "{verb} {}", option.name);
                assert!(option.meaning.chars().count() <= 110, "{verb} {}: too long for a line", option.name);
            }
        }
    }

    /// What the table says is taken when an option is not given, also where only its meaning tells.
    fn default_of(verb: &str, name: &str) -> &'static str {
        let verb = VERBS.iter().find(|known| known.verb == verb).unwrap();
        let option = verb.options.iter().find(|option| option.name == name).unwrap();
        let told = || option.meaning.split_once("[default: ").unwrap().1.trim_end_matches(']');
        option.default.unwrap_or_else(told)
    }

    fn number_of(verb: &str, name: &str) -> f64 {
        default_of(verb, name).parse().unwrap()
    }

    #[test]
    fn jobs_begin_with_the_defaults_of_the_table() {
        let check = CheckRequest::default();
        assert_eq!(check.activation.to_string(), default_of("check", "activation"));
        assert_eq!(check.tolerance, number_of("check", "tolerance"));
        assert_eq!(RADIUS, number_of("check", "radius"));
        assert_eq!(USUAL_TOLERANCE, number_of("fit", "tolerance"));
        assert_eq!(USUAL_GRADIENT, number_of("fit", "gradient"));
        assert_eq!(Effort::default().to_string(), default_of("fit", "effort"));
        assert_eq!(ExplainJob::default().top as f64, number_of("explain", "top"));
        assert_eq!(explain::REPEATS as f64, number_of("explain", "repeats"));
        assert_eq!(ExportPrecision::default().name(), default_of("export", "precision"));
        let teacher = Origin::Drawn { inputs: Some(2), width: None, spectrum: None };
        let landscape = LandscapeRequest::new(teacher);
        assert_eq!(landscape.start.name(), default_of("landscape", "start"));
        assert_eq!(landscape.levels as f64, number_of("landscape", "levels"));
        assert_eq!(landscape::SAMPLES as f64, number_of("landscape", "samples"));
    }

    #[cfg(feature = "lab")]
    #[test]
    fn plots_begin_with_the_defaults_of_the_table() {
        let view = crate::lab::plot::PlotView::default();
        assert_eq!(view.from as f64, number_of("plot", "from"));
        assert_eq!(view.collapse, crate::lab::Expression::parse(default_of("plot", "collapse")).unwrap());
    }

    #[test]
    fn the_reference_page_is_up_to_date() {
        let page = include_str!("../../docs/options.md");
        assert_eq!(page, markdown(), "write it anew: shallows options > docs/options.md");
    }
}

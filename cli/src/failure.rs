//! What the user sees when something goes wrong: one line, and a hint where there is a way out.

use std::fmt;
use std::io;
use std::str::FromStr;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use shallows::certificate::{Theorem, theorem_named};
use shallows::error::Error;

use crate::hints;

/// A failed command.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    closed_pipe: bool,
}

impl Failure {
    /// With a way out.
    pub fn with_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure { message: message.into(), hint: Some(hint.into()), closed_pipe: false }
    }

    /// A command line that makes no sense, in one line.
    pub fn usage(refusal: &clap::Error) -> Self {
        let text = refusal.render().to_string();
        if refusal.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            return Failure::incomplete(&text);
        }
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.next().unwrap_or_default().trim_start_matches("error: ");
        // A list of missing arguments continues on the following lines.
        let rest: Vec<&str> =
            lines.clone().take_while(|line| line.starts_with('<') || line.starts_with("--")).collect();
        let message = [&[first], rest.as_slice()].concat().join(" ");
        let tip = lines.find_map(|line| line.strip_prefix("tip: ").map(str::to_owned));
        let tip = match refusal.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(argument)) if is_negative_number(argument) => {
                Some(format!("a value that begins with - follows an equals sign, as in --OPTION={argument}"))
            }
            _ => tip,
        };
        Failure::with_hint(
            message,
            tip.unwrap_or_else(|| "`shallows --help` and `shallows VERB --help` list the options".into()),
        )
    }

    /// A command line that ends where a verb should be: clap shows its help instead.
    fn incomplete(help: &str) -> Self {
        let usage = help.lines().find_map(|line| line.trim().strip_prefix("Usage: ")).unwrap_or("shallows");
        let words: Vec<&str> = usage.split(' ').take_while(|word| !word.starts_with(['[', '<'])).collect();
        let command = words.join(" ");
        let message = format!("`{command}` needs a verb");
        Failure::with_hint(message, format!("`{command} --help` lists them; usage: {usage}"))
    }

    /// A failed sweep, whose store is named with an option.
    #[cfg(feature = "lab")]
    pub fn of_sweep(error: Error) -> Self {
        let hint = error.hint().map(|hint| hints::words_of_sweep(&hint));
        Failure { hint, ..Failure::from(error) }
    }

    /// The threads could not be started.
    pub fn threads(source: &dyn std::error::Error) -> Self {
        Failure::with_hint(format!("cannot start the threads: {source}"), "ask for fewer with --threads")
    }

    /// Standard output was closed by the reader (`| head`): no error.
    pub fn is_closed_pipe(&self) -> bool {
        self.closed_pipe
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let closed_pipe = matches!(&error, Error::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe);
        Failure { message: error.to_string(), hint: error.hint().map(|hint| hints::words(&hint)), closed_pipe }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let closed_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        Failure { message: format!("cannot write to standard output: {error}"), hint: None, closed_pipe }
    }
}

/// `-1`, which reads as an option.
fn is_negative_number(argument: &str) -> bool {
    argument.starts_with('-') && argument.parse::<f64>().is_ok()
}

/// A value with a name, such as an activation; the refusal says which names there are.
pub fn parse_named<T: FromStr<Err = Error>>(text: &str) -> Result<T, String> {
    text.parse().map_err(in_one_line)
}

/// A theorem by its name, or what is wrong with it and what to do about it.
pub fn parse_theorem(id: &str) -> Result<Theorem, String> {
    theorem_named(id).map_err(in_one_line)
}

fn in_one_line(error: Error) -> String {
    match error.hint() {
        Some(hint) => format!("{error} ({})", hints::words(&hint)),
        None => error.to_string(),
    }
}

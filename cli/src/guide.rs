//! The door: the short guide, related verbs together, and every option as the library describes it.

use std::fmt::Write;

use clap::{Arg, Command};
use shallows::job::options::{OptionText, VERBS, VerbOptions};

/// Related verbs.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Tables", &["fit", "predict", "explain", "export"]),
    ("Proof", &["check", "certify", "verify", "theorems"]),
    ("Theory", &["teach", "landscape", "recover"]),
    ("Experiments", &["sweep", "plot", "figure", "lab"]),
    ("Shell", &["completions"]),
];

const FIRST_SESSION: &str = "\
A first session:
  shallows fit examples/data/energy.csv         fit a network, save energy.safetensors
  shallows predict energy.safetensors new.csv   predictions as CSV on standard output
  shallows explain energy.safetensors examples/data/energy.csv
  shallows export energy.safetensors -o energy.onnx";

/// The command with its verbs in groups and its options described.
pub fn described(mut command: Command) -> Command {
    command = with_options(command);
    // Without the feature `lab` there is no such verb, and clap panics on one that is missing.
    if command.find_subcommand("lab").is_some() {
        command = command.mut_subcommand("lab", with_options);
    }
    let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    for verb in verbs {
        command = command.mut_subcommand(verb, with_examples);
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}\nOptions:\n{{options}}{{after-help}}",
        groups(&command)
    );
    command
        .help_template(template)
        .after_help(
            "`shallows VERB -h` lists the most used options of a verb, `shallows VERB --help` explains all of them.",
        )
        .after_long_help(format!("{FIRST_SESSION}\n\nExit status: 0 done, 1 a claim fails or is undecided, 2 error"))
}

/// What `shallows` alone prints.
pub fn guide(command: &Command) -> String {
    let about = command.get_about().map_or(String::new(), ToString::to_string);
    format!(
        "{about}\n\n{FIRST_SESSION}\n\n{}\n`shallows VERB -h` lists the most used options of a verb, `shallows --help` says more.\n",
        groups(command)
    )
}

/// The verbs of a command with their options described.
fn with_options(mut command: Command) -> Command {
    let describe = |verb: Command, (order, option): (usize, &OptionText)| {
        verb.mut_arg(id(option), |argument| argument_of(argument, option, order))
    };
    for VerbOptions { verb, options } in VERBS {
        let name = last_word(verb);
        if command.find_subcommand(name).is_some() {
            command = command.mut_subcommand(name, |verb| options.iter().enumerate().fold(verb, describe));
        }
    }
    command
}

/// The name of a verb among those beside it.
fn last_word(verb: &str) -> &str {
    verb.rsplit(' ').next().unwrap_or(verb)
}

/// Examples are for the long help.
fn with_examples(verb: Command) -> Command {
    let name = verb.get_name().to_owned();
    let Some(examples) = verb.get_after_help().cloned() else { return verb };
    verb.after_long_help(examples).after_help(format!("`shallows {name} --help` explains every option, with examples."))
}

/// The name of an option inside the parser.
fn id(option: &OptionText) -> String {
    option.name.replace('-', "_")
}

fn argument_of(argument: Arg, option: &OptionText, order: usize) -> Arg {
    let range = if option.range.is_empty() { String::new() } else { format!(" ({})", option.range) };
    let mut argument = argument
        .help(format!("{}{range}", option.meaning))
        .long_help(format!("{}{range}", option.long_meaning()))
        .help_heading(option.heading.words())
        .hide_short_help(!option.often)
        .display_order(order);
    if !option.value.is_empty() {
        argument = argument.value_name(option.value);
    }
    match option.default {
        Some(default) => argument.required(false).default_value(default),
        None => argument,
    }
}

/// The verbs of this build under their headings, each with its line.
fn groups(command: &Command) -> String {
    let mut out = String::new();
    for (group, names) in GROUPS {
        let verbs: Vec<&Command> = names.iter().filter_map(|name| command.find_subcommand(name)).collect();
        if verbs.is_empty() {
            continue;
        }
        let _ = writeln!(out, "{group}:");
        for verb in verbs {
            let about = verb.get_about().map_or(String::new(), ToString::to_string);
            let _ = writeln!(out, "  {:<12} {about}", verb.get_name());
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    /// What every verb has.
    const COMMON: [&str; 4] = ["help", "json", "quiet", "threads"];
    /// What a build without the feature `lab` lacks.
    const LAB: [&str; 4] = ["sweep", "plot", "figure", "lab"];

    #[test]
    fn the_library_describes_every_flag_and_no_other() {
        let command = described(Cli::command());
        let lab = command.find_subcommand("lab").into_iter().flat_map(Command::get_subcommands);
        let alone =
            |verb: &&Command| !verb.is_hide_set() && !verb.has_subcommands() && verb.get_name() != "completions";
        for verb in command.get_subcommands().filter(alone).chain(lab) {
            let known = VERBS.iter().find(|known| last_word(known.verb) == verb.get_name()).unwrap();
            let own = |name: &&str| !COMMON.contains(name);
            let mut flags: Vec<&str> = verb.get_arguments().map(|flag| flag.get_id().as_str()).filter(own).collect();
            let mut described: Vec<String> = known.options.iter().map(id).collect();
            flags.sort_unstable();
            described.sort_unstable();
            assert_eq!(flags, described, "{}", verb.get_name());
            for option in known.options {
                let flag = verb.get_arguments().find(|flag| flag.get_id().as_str() == id(option)).unwrap();
                assert!(
                    flag.get_help().is_some_and(|help| help.to_string().starts_with(option.meaning)),
                    "{}",
                    option.name
                );
                assert_eq!(flag.is_positional(), option.positional, "{} {}", known.verb, option.name);
                assert!(option.positional || flag.get_long() == Some(option.name), "{}", option.name);
                assert_eq!(flag.get_action().takes_values(), !option.value.is_empty(), "{}", option.name);
            }
        }
    }

    #[test]
    fn every_verb_is_in_one_group() {
        let command = Cli::command();
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let groups = GROUPS.iter().filter(|(_, verbs)| verbs.contains(&verb.get_name())).count();
            assert_eq!(groups, 1, "{}", verb.get_name());
        }
    }

    #[test]
    fn the_parser_agrees_with_itself() {
        described(Cli::command()).debug_assert();
    }

    #[test]
    fn a_command_without_the_verbs_of_the_lab_describes_the_others() {
        let whole = Cli::command();
        let left = whole.get_subcommands().filter(|verb| !LAB.contains(&verb.get_name())).cloned();
        let command = described(Command::new("shallows").subcommands(left));
        let guide = guide(&command);
        let help = command.clone().render_long_help().to_string();
        for text in [&guide, &help] {
            assert!(text.contains("\n  fit  ") && text.contains("\n  landscape  "), "{text}");
            assert!(!text.contains("Experiments"), "{text}");
            assert!(LAB.iter().all(|verb| !text.contains(&format!("\n  {verb}  "))), "{text}");
        }
    }
}

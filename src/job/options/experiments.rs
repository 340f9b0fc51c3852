//! Options of `sweep`, `plot`, `figure` and `lab replay`.

use super::{Heading, OptionText, argument, option, switch};

pub(super) const SWEEP: &[OptionText] = &[
    argument("specification", "SPECIFICATION", "A TOML file").python("specification"),
    option("store", "FILE", "Where the results are [default: SPECIFICATION with .db, in the current folder]")
        .about(Heading::Output)
        .often()
        .python("store"),
    switch("quick", "The smaller sweep of the table [quick], into SPECIFICATION-quick.db")
        .about(Heading::Search)
        .often(),
];

pub(super) const PLOT: &[OptionText] = &[
    argument("store", "STORE", "The store that `sweep` has written").python("store"),
    option("output", "FOLDER", "A folder for figures and tables; created if missing")
        .about(Heading::Output)
        .often()
        .python("folder"),
    option("x", "SIZE", "The size along which success is followed: n, k or d")
        .more("By default that of [refine], or that with most values")
        .often()
        .python("x"),
    option("y", "SIZE", "The other size of the map [default: that with most values besides the horizontal one]")
        .often()
        .python("y"),
    option("from", "VALUE", "Curves and thresholds begin at this horizontal value, where success is not monotone")
        .default("1")
        .python("start"),
    option("to", "VALUE", "Curves and thresholds end at this horizontal value").python("stop"),
    option("collapse", "EXPRESSION", "An expression in n, k, d on which all cells are to lie on one curve")
        .more("Numbers, + - * / ^, sqrt and parentheses")
        .default("k*d/n")
        .often()
        .python("collapse"),
    option("success", "RULE", "What counts as a success [default: the rule of the specification]")
        .more("verdict, descent:TOLERANCE[:ITERATIONS] or recovers-teacher[:TOLERANCE]")
        .often()
        .python("success"),
    switch("all-starts", "Count planted networks whose every start succeeds, as some papers do, rather than runs")
        .python("all_starts"),
];

pub(super) const FIGURE: &[OptionText] = &[
    argument("name", "NAME", "The name of the figure, as the list of all figures has it").python("name"),
    switch("list", "List the figures").about(Heading::Search).often(),
    switch("all", "Make all of them, and index.html about them").about(Heading::Search).often(),
    switch("quick", "Fewer networks and smaller grids: a minute or less for each rather than hours for all")
        .about(Heading::Search)
        .often()
        .python("quick")
        .differs_in_python("True", "a call in a notebook should not take hours unless asked to"),
    option("output", "FOLDER", "A folder; created if missing [default: figures, or figures-quick]")
        .about(Heading::Output)
        .often()
        .python("folder"),
];

pub(super) const REPLAY: &[OptionText] = &[
    argument("store", "STORE", "The store that `sweep` has written").python("store"),
    argument("trial", "NUMBER", "The number of the run: the column `id` of the table `trials`").python("trial"),
];

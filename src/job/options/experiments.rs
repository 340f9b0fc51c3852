//! Options of `sweep`, `plot`, `figure` and `lab replay`.

use super::{Heading, OptionText, argument, option, switch};

pub(super) const SWEEP: &[OptionText] = &[
    argument("specification", "SPECIFICATION", "A TOML file").python("specification"),
    option("store", "FILE", "Where the results are stored [default: SPECIFICATION with .db, in the current folder]")
        .about(Heading::Output)
        .often()
        .python("store"),
    switch("quick", "Run the smaller sweep of the table [quick], into SPECIFICATION-quick.db")
        .about(Heading::Search)
        .often(),
];

pub(super) const PLOT: &[OptionText] = &[
    argument("store", "STORE", "A store written by `sweep`").python("store"),
    option("output", "FOLDER", "A folder for figures and tables; created if missing")
        .about(Heading::Output)
        .often()
        .python("folder"),
    option("x", "SIZE", "The horizontal size: n, k or d")
        .more("Default: the axis of [refine], else the size with the most values")
        .often()
        .python("x"),
    option("y", "SIZE", "The vertical size of the map [default: of the other sizes, the one with the most values]")
        .often()
        .python("y"),
    option("from", "VALUE", "Start curves and thresholds at this value of x, if success is not monotone below it")
        .default("1")
        .python("start"),
    option("to", "VALUE", "End curves and thresholds at this value of x").python("stop"),
    option("collapse", "EXPRESSION", "An expression in n, k, d; plotted against it, all cells should lie on one curve")
        .more("Numbers, + - * / ^, sqrt and parentheses")
        .default("k*d/n")
        .often()
        .python("collapse"),
    option("success", "RULE", "What counts as a success [default: the rule of the specification]")
        .more("verdict, descent:TOLERANCE[:ITERATIONS] or recovers-teacher[:TOLERANCE]")
        .often()
        .python("success"),
    switch("all-starts", "Count planted networks for which every start succeeds, as some papers do, instead of runs")
        .python("all_starts"),
];

pub(super) const FIGURE: &[OptionText] = &[
    argument("name", "NAME", "The name of a figure, from the list").python("name"),
    switch("list", "List the figures").about(Heading::Search).often(),
    switch("all", "Reproduce every figure, with an index.html").about(Heading::Search).often(),
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
    argument("store", "STORE", "A store written by `sweep`").python("store"),
    argument("trial", "NUMBER", "The number of the run: the column `id` of the table `trials`").python("trial"),
];

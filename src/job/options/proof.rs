//! Options of `check`, `certify`, `verify` and `theorems`.

use super::{Heading, OptionText, argument, option, switch};

const TABLE: &str = "CSV (also .csv.gz, .csv.zst), Parquet, Feather or NPY; `-` reads CSV from standard input";

pub(super) const CHECK: &[OptionText] = &[
    argument("data", "DATA", TABLE).python("X"),
    option("target", "NAME", "The column that would be predicted [default: the last]").often().python("y"),
    option("drop", "COLUMN", "A column to leave out; may be repeated").python("drop"),
    option("categorical", "COLUMN", "A column whose numbers are names of categories; may be repeated")
        .python("categorical"),
    option("ordered", "COLUMN=W1<W2", "A column of words that have an order, with the words from the lowest up; may be repeated")
        .more("It becomes the place of the word, 0, 1, …; a word that is not in the list is refused. Quote it for the shell")
        .python("ordered"),
    option("dates", "auto|number|parts|drop", "What becomes of columns of dates and times")
        .more(
            "number: days since the first date. parts: also month, weekday and hour, where they vary. auto: the month where the dates \
             span two years, the weekday where they span two weeks and a quarter of the days in between occur, the hour where times \
             of day vary. Dates are written as 2004-01-31, 31.1.2004, 1/31/2004, 31 Jan 2004, 2004-Q1, with a time and an offset or \
             without; whether day or month comes first is decided by a day above 12, and refused where nothing decides it",
        )
        .default("auto")
        .python("dates"),
    option("gaps", "TEXTS", "Further texts that mean a gap in every column, with commas between them, such as inf,-,.,unknown")
        .more("How many cells they are is told. They are kept with the model and its certificate")
        .python("gaps"),
    option("rows", "auto|raw|unit|scaled", "How the rows are prepared")
        .more(
            "raw: nothing; unit: divided by their norms; scaled: standardised by columns, a constant input, one common factor; \
             auto: raw where all rows are unit vectors, else scaled",
        )
        .default("auto")
        .python("rows"),
    option("radius", "R", "The norm of the longest row after scaling [default: 20]")
        .more(
            "A larger radius makes a smooth φ more curved over the rows: more is provable, at a larger output scale. Refused where \
             rows are not scaled",
        )
        .range("positive")
        .python("radius"),
    option("activation", "NAME", "φ, as for `fit`").default("softplus").about(Heading::Model).often().python("activation"),
    option("width", "K", "k, hidden units, an even number [default: four hidden weights for each row]")
        .about(Heading::Model)
        .often()
        .python("width"),
    option("scale", "C", "The size of the output weights [default: ‖y‖/√(kn), as published]")
        .about(Heading::Model)
        .python("scale"),
    option("start", "antisymmetric|random", "How the start is drawn")
        .more("antisymmetric: pairs of equal units with opposite outputs, so that f starts at 0")
        .default("antisymmetric")
        .about(Heading::Model)
        .python("start"),
    option("seed", "N", "Seed of the start").default("0").about(Heading::Model).python("seed"),
    switch("affine", "For quadratic networks: with an intercept and a linear part")
        .more("Refused for other activations")
        .about(Heading::Model)
        .python("affine"),
    switch("find-scale", "Search for the smallest output scale that is proved to reach zero error at this width")
        .more("The plan uses twice that scale, for a faster rate")
        .about(Heading::Proof)
        .often()
        .python("find_scale"),
    switch("find-width", "Search for the smallest width that is proved to reach zero error at the published scale")
        .about(Heading::Proof)
        .often()
        .python("find_width"),
    option("theorem", "ID", "A theorem to check; may be repeated").about(Heading::Proof).python("theorems"),
    option("rival", "FILE", "Where to write a second quadratic network that agrees with a first on every row")
        .more(
            "For quadratic networks that the rows do not determine. The first is written beside it, with .first before the \
             ending",
        )
        .about(Heading::Proof)
        .python("rival"),
    option("certificate", "FILE", "Where to write what was judged, with the proofs, for `verify`")
        .more(
            "Of the theorems that are asked for, or of all. The network at the start is part of the file, which may have 64 MB. `determined` is about \
             the rows as they are: beside others it gets a file of its own, with .determined before the ending",
        )
        .about(Heading::Proof)
        .python("certificate"),
    option("plan", "FILE", "Where to write the plan, which a fit can execute").about(Heading::Plan).often(),
    switch("both-layers", "Plan a run on both layers instead of the hidden one")
        .about(Heading::Plan)
        .python("both_layers"),
    option("tolerance", "E", "The plan is done when ‖r‖ has fallen to this fraction of its start")
        .default("1e-6")
        .range("between 0 and 1")
        .about(Heading::Plan)
        .python("tolerance"),
];

pub(super) const CERTIFY: &[OptionText] = &[
    argument("model", "MODEL", "A model saved by `fit` or `teach`, or a safetensors file with tensors W and v")
        .python("model"),
    argument("data", "DATA", TABLE).python("X"),
    option("target", "NAME", "The column that is predicted [default: the model's, else the last]").often().python("y"),
    option("weight", "COLUMN", "A column of sample weights").range("each at least 0").python("sample_weight"),
    option("theorem", "ID", "What is to be proved; may be repeated")
        .more(
            "global-optimum, approximate-minimum, full-rank-stationary, strict-saddle, wide-quadratic, planted-quadratic, \
             determined or separated-data; wide-optimum, and nothing else, of a model with infinitely wide networks \
             [default: wide-optimum for such a model, else global-optimum]",
        )
        .about(Heading::Proof)
        .often()
        .python("theorems"),
    option("decay", "T", "τ, the weight of the penalty Σ|v|‖w‖² on raw inputs")
        .default("0")
        .range("at least 0")
        .about(Heading::Proof)
        .often()
        .python("decay"),
    option("signs", "any|positive|negative", "Allowed signs of the output weights of competitors")
        .default("any")
        .about(Heading::Proof)
        .python("signs"),
    switch("no-linear", "Compete only against networks without a linear part").about(Heading::Proof).python("linear"),
    switch("no-intercept", "Compete only against networks without an intercept")
        .about(Heading::Proof)
        .python("intercept"),
    option("tolerance", "G", "The relative gap up to which the network counts as optimal")
        .default("1e-6")
        .about(Heading::Proof)
        .python("tolerance"),
    option("certificate", "FILE", "Where to write the certificate, which anybody can verify").about(Heading::Output).often(),
];

pub(super) const VERIFY: &[OptionText] = &[
    argument(
        "certificate",
        "CERTIFICATE",
        "A certificate written by `certify`, `fit`, `check`, `landscape` or `recover`",
    )
    .python("certificate"),
    argument("data", "DATA", "The table it was issued for; none where it is about none").python("X"),
    argument("model", "MODEL", "The model, to compare with the network in the certificate").python("model"),
];

pub(super) const THEOREMS: &[OptionText] = &[
    argument("id", "ID", "Only this one").python("id"),
    switch("markdown", "Write them as the file THEOREMS.md").about(Heading::Output).often(),
];

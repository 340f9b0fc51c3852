//! Options of `fit`, `predict`, `explain` and `export`.

use super::{Heading, OptionText, argument, option, switch};

const TABLE: &str = "CSV (also .csv.gz, .csv.zst), Parquet, Feather or NPY; `-` reads CSV from standard input";

pub(super) const FIT: &[OptionText] = &[
    argument("data", "DATA", TABLE).python("X"),
    option("target", "NAME", "The column to predict [default: the last]").often().python("y"),
    option("holdout", "FRACTION|FILE", "Rows to test the fit on: a share such as 0.2, or a file of row numbers")
        .more("Rows are counted from 0, the first line after the header. Held-out rows take no part in the fit")
        .often()
        .python("holdout"),
    option("drop", "COLUMN", "A column to leave out; may be repeated").often().python("drop"),
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
    option("weight", "COLUMN", "A column of sample weights").range("each at least 0").python("sample_weight"),
    option("group", "COLUMN", "Rows with one value here belong together: a patient, a machine, a site")
        .more(
            "Such rows stay in one fold and on one side of a hold-out, and intervals are for a row of a new group. A share to hold \
             out or to calibrate is one of the groups. The column is no input and may be missing at prediction; gaps in it are refused",
        )
        .python("groups"),
    option("time", "COLUMN", "Train on the past and judge on the future, by this column of numbers or dates")
        .more(
            "The hold-out is the latest share and calibration the latest rows before it; candidates are compared by blocks of time, each \
             predicted from all earlier ones. The column stays an input unless dropped. \
             Not together with a group",
        )
        .python("time"),
    option("missing", "fill|error", "What to do with gaps: fill them, or refuse them")
        .more(
            "Gaps are empty cells, NA, N/A, n/a, #N/A, NaN, nan, NULL, null, None and ?. They are filled with the median or the \
             most frequent word of the training rows, and an extra input marks them",
        )
        .default("fill")
        .python("missing"),
    option("target-scale", "identity|log", "What is fitted: the target, or its logarithm")
        .more(
            "The logarithm suits a positive and skewed target. Predictions, intervals and errors are in the units of y in both \
             cases; exp of the fit to ln(y) estimates the median of y rather than its mean",
        )
        .default("identity")
        .python("target_scale"),
    option("calibrate", "FRACTION", "A share of the rows set aside to calibrate prediction intervals")
        .more("The intervals then come with a guarantee")
        .range("between 0 and 1")
        .python("calibrate"),
    option("folds", "K", "Also report cross-validated errors, from K fits; takes about K times as long")
        .range("at least 2")
        .python("folds"),
    switch("merge-repeats", "Merge duplicate rows, adding their weights")
        .more("A repeated row and a row of twice the weight then mean the same, and no row is both trained on and left out")
        .python("merge_repeats")
        .differs_in_python("True", "scikit-learn requires that repeating a row and doubling its weight be the same"),
    option("activation", "NAME", "φ: auto, wide, quadratic, relu, leaky-relu, softplus, sigmoid, tanh, erf, gelu, abs, cos, hermite")
        .more(
            "Parameters follow a colon, as in softplus:10. auto compares an affine model, the certified quadratic network, \
             infinitely wide networks, and relu, cos, tanh and softplus networks by their errors on rows left out, and combines \
             the best; a given width, method, decay or signs, or a part left out, keeps only the candidates that can honour it. \
             wide is an infinitely wide network, the laws of its hidden weights by evidence and its output layer at the global \
             optimum, with a certificate",
        )
        .default("auto")
        .about(Heading::Model)
        .often()
        .python("activation"),
    option("layers", "SETS", "The sets of layers of an infinitely wide network that are compared [default: all]")
        .more(
            "Names with commas between them: rough-relu, rough-erf, rough-mixed, ranks, quadratic. The one that predicts rows \
             left out best is taken. Only for the activation wide",
        )
        .about(Heading::Model)
        .python("sets"),
    option("width", "K", "k, hidden units [default: chosen from the data]")
        .more("The default is the rank of M for quadratic networks, and 6 to 40 units, depending on the size of the table, for others")
        .range("at least 1")
        .about(Heading::Model)
        .often()
        .python("width"),
    option("decay", "auto|T", "τ, the weight of the penalty; auto decides by cross-validation")
        .more(
            "Adds τ‖M‖_* (τ·tr M where all output weights have one sign; M = Σ v_l w_l w_lᵀ) to the loss ½·mean r² of a quadratic network, and \
             (τ/2)(‖W‖² + ‖v‖²) to that of others, on the scaled table",
        )
        .default("auto")
        .range("at least 0")
        .about(Heading::Model)
        .often()
        .python("decay"),
    switch("one-standard-error", "With an automatic decay, take the largest τ within one standard error of the best")
        .more("For quadratic networks")
        .about(Heading::Model)
        .python("one_standard_error"),
    option("signs", "any|positive|negative", "The signs of output weights of a quadratic network [default: any]")
        .about(Heading::Model)
        .python("signs")
        .differs_in_python("any", "only QuadraticRegressor has it, where it always applies"),
    switch("no-linear", "Leave out the linear part b·x").about(Heading::Model).python("linear"),
    switch("no-intercept", "Leave out the intercept c").about(Heading::Model).python("intercept"),
    switch("no-scaling", "Train on the raw numbers, so that τ has its literal meaning")
        .about(Heading::Model)
        .python("scaling"),
    option("effort", "EFFORT", "How much work the automatic fit does: quick, normal or best [default: normal]")
        .more(
            "Their times are about 1 : 5 : 15. Refused where there is nothing to compare: with an activation, a width, \
             one sign, or a part left out",
        )
        .about(Heading::Search)
        .often()
        .python("effort"),
    option("prefer", "WHAT", "What the automatic fit takes: balanced, accuracy or proof [default: balanced]")
        .more(
            "balanced: the affine model or the quadratic network if the combination is less than one standard error ahead of it; \
             otherwise the best single model, unless the combination is two ahead of that. accuracy: the least cross-validated error, by however little. proof: of the \
             networks at a global optimum that is certified the one of the least cross-validated error, even where the affine model or \
             the combination is ahead of it. Refused where there is nothing to compare, as the effort",
        )
        .about(Heading::Search)
        .often()
        .python("prefer"),
    option("budget", "TIME", "Stop after about this long and keep the best model so far: 60s, 5m, 2h")
        .more(
            "Reading the file, proofs and intervals are in it. A first model is finished even if that takes longer. Without a budget \
             the result depends on the seed alone",
        )
        .about(Heading::Search)
        .often()
        .python("budget"),
    option("seed", "N", "Seed of all random numbers")
        .default("0")
        .about(Heading::Search)
        .often()
        .python("random_state"),
    option("method", "NAME", "auto, descent, sgd, lbfgs, newton or levenberg")
        .more(
            "auto: the global optimum of quadratic networks, levenberg for other smooth activations and moderate sizes, lbfgs \
             otherwise",
        )
        .default("auto")
        .about(Heading::Search)
        .python("method"),
    option("iterations", "N", "Maximum number of iterations [default: depends on the method]")
        .more(
            "300 for levenberg and newton, 2000 for lbfgs, 20000 for descent, 50000 for sgd. For a given activation other than \
             quadratic, or with a method; the automatic fit refuses it",
        )
        .about(Heading::Search)
        .python("iterations"),
    option("step", "S", "The step of sgd [default: 0.05], or a fixed step for descent [default: adaptive]")
        .more("An adaptive step never leads uphill")
        .range("positive")
        .about(Heading::Search)
        .python("step"),
    option("batch", "N", "Samples per step of sgd [default: 32]")
        .range("at least 1")
        .about(Heading::Search)
        .python("batch"),
    option("gradient", "G", "Stop when the gradient, on the standardised table, is this small [default: 1e-7]")
        .range("at least 0")
        .about(Heading::Search)
        .python("gradient"),
    option("output", "MODEL", "Where to save the network [default: DATA with .safetensors, in the current folder]")
        .more(
            "Of an infinitely wide network the file holds the inputs of the rows that it was fitted to, and for intervals that come by \
             themselves those of up to 3000 rows",
        )
        .about(Heading::Output)
        .often(),
    option("report", "FILE.html", "Where to write a page about the fit: data, candidates, accuracy, figures, proof")
        .about(Heading::Output)
        .often(),
    option("certificate", "FILE", "Where to save the certificate [default: the model with .certificate.json]")
        .more(
            "Written where a quadratic or an infinitely wide network was fitted to its global optimum. Refused where none can \
             be: with another activation, or with a method",
        )
        .about(Heading::Output),
    switch("findings", "Also find how the error falls as rows are added, and which columns matter")
        .more("A report has both in any case")
        .about(Heading::Output)
        .python("findings"),
    option("residuals", "FILE", "Where to draw observed values and residuals against predictions, as SVG or PNG")
        .about(Heading::Output),
    option("tolerance", "G", "The relative gap up to which a network counts as optimal [default: 1e-6]")
        .more("Refused where nothing can be certified: with an activation other than quadratic or wide, or with a method")
        .about(Heading::Output)
        .python("tolerance"),
    option("plan", "FILE", "Execute a plan written by `check`, and compare every proved bound with the run")
        .more("Gradient descent from the start of the plan")
        .about(Heading::Plan)
        .python("plan"),
    option("curves", "FILE", "Where to draw proved and observed residuals [default: the model with .plan.svg]")
        .more("SVG or PNG by ending")
        .about(Heading::Plan),
];

pub(super) const PREDICT: &[OptionText] = &[
    argument("model", "MODEL", "A model saved by `fit` or `teach`").python("model"),
    argument("data", "DATA", TABLE).python("X"),
    option("output", "FILE", "Where to write the predictions [default: CSV on standard output]")
        .more("The column \"prediction\", with intervals also \"lower\" and \"upper\", with deviations also \"deviation\": CSV, Parquet or NPY by ending")
        .about(Heading::Output)
        .often(),
    option("interval", "LEVEL", "Also give intervals that cover this share of new targets, such as 0.9")
        .more(
            "The coverage that is proved is reported, and where nothing is proved why. The model must come from an automatic fit \
             or be infinitely wide, or its fit must have set rows aside to calibrate",
        )
        .range("between 0 and 1")
        .about(Heading::Output)
        .often()
        .python("coverage"),
    switch("deviation", "Also give the posterior standard deviation of every prediction")
        .more("For one infinitely wide network: of f under its laws and its noise; no coverage is proved of it")
        .about(Heading::Output)
        .often()
        .python("deviation"),
    switch("ignore-extra", "Ignore columns that the model does not know; its target is always ignored")
        .often()
        .python("ignore_extra"),
    option("fill", "NAME=VALUE", "A value for every row of a column that DATA lacks; may be repeated").often().python("fill"),
];

pub(super) const EXPLAIN: &[OptionText] = &[
    argument("model", "MODEL", "A model saved by `fit` or `teach`").python("model"),
    argument("data", "DATA", "Rows with the model's inputs, and with its target for importances")
        .more("CSV, Parquet, Feather or NPY. Needed for networks that are neither quadratic nor infinitely wide; these keep their rows")
        .python("X"),
    option("output", "FILE", "Where to draw the matrix of a quadratic network, or the importances of another")
        .more("SVG or PNG by ending")
        .about(Heading::Output)
        .often(),
    option("effects", "FOLDER", "Where to draw what each column does to the prediction, and the strongest pairs")
        .more(
            "Curves for numbers and bars for words, over the rows of DATA and with the rows below them, all on one page and one by \
             one; maps of pairs, and beside each what the two do together beyond what each does alone. SVG and PNG",
        )
        .about(Heading::Output)
        .often(),
    option("top", "N", "How many terms, units, columns and pairs to list, and columns to draw")
        .default("10")
        .range("at least 1")
        .about(Heading::Output)
        .often()
        .python("top"),
    option("repeats", "N", "How often each column is shuffled [default: 10]")
        .more("Refused without rows that have the target")
        .range("at least 2")
        .about(Heading::Search)
        .python("repeats"),
    option("seed", "N", "Seed of the shuffles [default: 0]")
        .more("Refused without rows that have the target")
        .about(Heading::Search)
        .python("seed"),
];

pub(super) const EXPORT: &[OptionText] = &[
    argument("model", "MODEL", "A model saved by `fit` or `teach`, or a safetensors file with tensors W and v")
        .python("model"),
    option("output", "FILE", "Where to write [default: JSON on standard output]")
        .about(Heading::Output)
        .often()
        .python("path"),
    option("format", "FORMAT", "json, onnx or safetensors [default: by the ending of the output, else json]")
        .about(Heading::Output)
        .often()
        .python("format"),
    option("precision", "f32|f64", "Numbers of the network in an ONNX file [default: f64]")
        .more(
            "An ONNX graph takes the columns of a table by their names, each as a list of N: numbers as doubles in both \
             precisions, with NaN for a gap, words as strings, with the empty string for a gap, dates as doubles, microseconds since the beginning of 1970; a column of which only the gaps \
             count is one of words. Predictions are doubles too. The recipe is in the graph, except for its words: where predict refuses a row, the \
             prediction is NaN, and unknown words are taken as predict takes them without a remark. Refused for other \
             formats, whose numbers are exact",
        )
        .about(Heading::Output)
        .often()
        .python("precision"),
    option("activation", "NAME", "The activation, for a file from elsewhere that does not say")
        .about(Heading::Model)
        .often()
        .python("activation"),
    option("width", "M", "Replace infinitely wide networks by finite ones with M units drawn from their laws")
        .more(
            "The output layer is solved exactly; how far that moves predictions at the rows of the fit is told. Where the \
             model sees ranks of its inputs, only an ONNX file holds the result. Without it a file holds the infinitely wide \
             network itself, with rows of the table",
        )
        .range("at least one for each layer")
        .about(Heading::Model)
        .often()
        .python("width"),
    option("seed", "N", "Seed of these units [default: that of the model]")
        .more("Refused without a width")
        .about(Heading::Model)
        .python("seed"),
];

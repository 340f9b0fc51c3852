//! Options of `teach`, `landscape` and `recover`.

use super::{Heading, OptionText, argument, option, switch};

pub(super) const TEACH: &[OptionText] = &[
    option("samples", "N", "n, samples to draw").default("1000").often().python("samples"),
    option("design", "NAME|FILE", "Distribution of the inputs: gaussian, sphere, or the file of a covariance matrix")
        .more("gaussian is standard normal, sphere uniform on the unit sphere; the matrix is d×d")
        .default("gaussian")
        .often()
        .python("design"),
    option("noise", "S", "Standard deviation of the label noise")
        .default("0")
        .range("at least 0")
        .often()
        .python("noise"),
    option("seed", "N", "Seed of all random numbers").default("0").often().python("seed"),
    option("activation", "NAME", "φ: quadratic, relu, softplus, tanh, …")
        .more("Parameters follow a colon, as in softplus:10")
        .default("relu")
        .about(Heading::Model)
        .often()
        .python("activation"),
    option("inputs", "D", "d, inputs per sample").default("10").about(Heading::Model).often().python("inputs"),
    option("width", "K", "k, hidden units of the teacher").default("5").about(Heading::Model).often().python("width"),
    switch("orthogonal", "Orthonormal hidden weights, which needs K ≤ D [default: entries N(0, 1/D)]")
        .about(Heading::Model)
        .python("orthogonal"),
    option("rank", "R", "Hidden weights of this rank").about(Heading::Model).python("rank"),
    option("spectrum", "S1,S2,…", "Eigenvalues of W*ᵀW*").about(Heading::Model).python("spectrum"),
    option("outputs", "WHICH", "Output weights: ones, signs (±1), uniform:LOW:HIGH, or given as V1,V2,…")
        .default("ones")
        .about(Heading::Model)
        .python("outputs"),
    option("output", "FILE", "Where to write the samples: CSV, Parquet or NPY by ending; `-` is standard output")
        .default("planted.csv")
        .about(Heading::Output)
        .often(),
    option("save-teacher", "FILE", "Where to save the teacher as a model").about(Heading::Output).often(),
];

pub(super) const LANDSCAPE: &[OptionText] = &[
    option("teacher", "MODEL", "The model of a quadratic teacher, as saved with planted data")
        .about(Heading::Model)
        .often()
        .python("teacher"),
    option("inputs", "D", "d, inputs [default: as many as there are eigenvalues]")
        .about(Heading::Model)
        .often()
        .python("inputs"),
    option("width", "M", "m, hidden units of the teacher and the student [default: as many as inputs]")
        .about(Heading::Model)
        .often()
        .python("width"),
    option("spectrum", "S1,S2,…", "Eigenvalues of W*ᵀW*, zeros beyond [default: W* has standard normal entries]")
        .about(Heading::Model)
        .often()
        .python("spectrum"),
    option("student-width", "K", "Units of the student, where it is narrower or wider than the teacher")
        .more("Its output weights are 1")
        .about(Heading::Model)
        .python("student_width"),
    option("start", "NAME|MODEL", "Where descent would start: paper, width, trace, spectral, zero, or a model")
        .more(
            "paper: √(m+4d)·[I; 0]; width: √m·[I; 0]; trace: √γ·[I; 0] with γ = mean(y)/d; spectral: ½ mean(y(xxᵀ−I)), projected; m is the width of the student",
        )
        .default("trace")
        .about(Heading::Search)
        .often()
        .python("start"),
    option("samples", "N", "Samples drawn for the starts trace and spectral [default: 10000]")
        .more("Refused for other starts, and where data are given")
        .about(Heading::Search)
        .python("samples"),
    option("data", "FILE", "Samples to use instead of drawn ones; the last column is y")
        .more("CSV, Parquet, Feather or NPY; also for slices of the empirical risk")
        .about(Heading::Search)
        .python("X"),
    option("seed", "N", "Seed of all random numbers").default("0").about(Heading::Search).python("seed"),
    option("levels", "N", "Levels to show; with more than 20 inputs as many from each end")
        .default("16")
        .about(Heading::Output)
        .python("levels"),
    option("output", "FOLDER", "A folder for figures, SVG and PNG; created if missing").about(Heading::Output).often(),
    option("certificate", "FILE", "Where to write what is proved about teacher and start, which anybody can verify")
        .about(Heading::Output)
        .often(),
];

pub(super) const RECOVER: &[OptionText] = &[
    argument("data", "DATA", "CSV (also .csv.gz, .csv.zst), Parquet, Feather or NPY; `-` reads CSV from standard input").python("X"),
    option("target", "NAME", "The column with the labels [default: the last]").often().python("y"),
    option("drop", "COLUMN", "A column to leave out; may be repeated").python("drop"),
    option("activation", "NAME", "φ, as for `fit`: relu, softplus, gelu, abs, leaky-relu:0.1, cos, …")
        .default("relu")
        .about(Heading::Model)
        .often()
        .python("activation"),
    option("units", "auto|M", "Hidden units: a number, or auto for as many as stand out in the second moments")
        .default("auto")
        .about(Heading::Model)
        .often()
        .python("units"),
    option("inputs", "auto|standard|whiten", "The assumed distribution of the inputs")
        .more(
            "standard: N(0, I); whiten: N(μ, Σ) with the mean and covariance of the rows; auto: standard unless a test at level \
             0.001 rejects it",
        )
        .default("auto")
        .about(Heading::Model)
        .python("inputs"),
    switch("biases", "The units have biases: φ(w·x + u)").about(Heading::Model).python("biases"),
    switch("intercept", "The network has an intercept").about(Heading::Model).python("intercept"),
    switch("linear", "The network has a linear part")
        .more("The signs of relu and similar units are then a convention")
        .about(Heading::Model)
        .python("linear"),
    option("seed", "N", "Seed of the held-out rows and of all other random numbers")
        .default("0")
        .about(Heading::Search)
        .python("seed"),
    option("teacher", "MODEL", "The model of the planted network, for comparison")
        .more("`teach` can save one beside its samples")
        .about(Heading::Output)
        .often()
        .python("teacher"),
    option("output", "MODEL", "Where to write the recovered network [default: DATA with .recovered.safetensors]")
        .more("In the current folder")
        .about(Heading::Output)
        .often(),
    option("certificate", "FILE", "Where to write what is proved about the objective F of the recovered units")
        .more("designed-landscape and approximate-recovery; about relu, leaky relu and abs units without biases, with v > 0")
        .about(Heading::Output)
        .often()
        .python("certificate"),
];

//! Samples to learn from: inputs, a target, perhaps weights; and the fingerprint that certificates carry.

use std::ops::Range;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::dependence::Dependence;
use super::reading::Reading;
use super::recipe::Roles;
use super::table::{Table, first_repeated};
use crate::error::{DataProblem, Error, Result};
use crate::linalg::{self, Matrix};

/// n samples of d inputs and one target, all finite.
///
/// ```
/// use shallows::data::Data;
///
/// let data = Data::from_rows(&[[1.0], [2.0], [4.0]], &[1.0, 4.0, 16.0])?;
/// assert_eq!(data.select(&[2, 0]).y, [16.0, 1.0]);
/// assert!(Data::from_rows(&[[f64::NAN]], &[1.0]).is_err());
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// The inputs, n×d, a sample in each row.
    pub X: Matrix,
    /// The target of each sample.
    pub y: Vec<f64>,
    /// The names of the inputs.
    pub names: Vec<String>,
    /// The name of the target.
    pub target: String,
    /// How much each sample counts; `None` when all count the same.
    pub weights: Option<Vec<f64>>,
    /// The inputs of each column of the table, in order: the 0/1 inputs of words belong together.
    pub columns: Vec<Range<usize>>,
    /// Which samples depend on each other, so that they are left out together; `None` when each stands for itself.
    pub dependence: Option<Dependence>,
}

/// Samples to be: names and weights can be added to inputs and targets.
///
/// ```
/// use shallows::Data;
/// use shallows::linalg::Matrix;
///
/// let X = Matrix::from_rows(&[[1.0], [2.0]]);
/// let data = Data::builder(X, vec![3.0, 5.0]).names(vec!["size".into()]).target("price").weights(Some(vec![1.0, 3.0]));
/// let data = data.build()?;
/// assert_eq!((data.names[0].as_str(), data.target.as_str()), ("size", "price"));
/// assert_eq!(data.omega(), [0.25, 0.75]);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DataBuilder {
    X: Matrix,
    y: Vec<f64>,
    names: Option<Vec<String>>,
    target: String,
    weights: Option<Vec<f64>>,
    columns: Option<Vec<Range<usize>>>,
    dependence: Option<Dependence>,
}

impl DataBuilder {
    /// The names of the inputs; x1, x2, … where none are given.
    pub fn names(self, names: Vec<String>) -> Self {
        DataBuilder { names: Some(names), ..self }
    }

    /// The name of the target; y where none is given.
    pub fn target(self, target: impl Into<String>) -> Self {
        DataBuilder { target: target.into(), ..self }
    }

    /// How much each sample counts; all count the same where no weights are given.
    pub fn weights(self, weights: Option<Vec<f64>>) -> Self {
        DataBuilder { weights, ..self }
    }

    /// The inputs of each column of the table, in order; every input is a column of its own where nothing is said.
    pub fn columns(self, columns: Vec<Range<usize>>) -> Self {
        DataBuilder { columns: Some(columns), ..self }
    }

    /// Which samples depend on each other; each stands for itself where nothing is said.
    pub fn dependence(self, dependence: Option<Dependence>) -> Self {
        DataBuilder { dependence, ..self }
    }

    /// The samples: equal numbers of rows, at least one, with at least one input; names that differ; finite values;
    /// weights ≥ 0 with a positive finite sum.
    ///
    /// # Errors
    /// Where that is not so.
    pub fn build(self) -> Result<Data> {
        let DataBuilder { X, y, names, target, weights, columns, dependence } = self;
        let names = names.unwrap_or_else(|| (1..=X.cols()).map(|j| format!("x{j}")).collect());
        let columns = columns.unwrap_or_else(|| (0..X.cols()).map(|j| j..j + 1).collect());
        let data = Data { X, y, names, target, weights, columns, dependence };
        data.check()?;
        Ok(data)
    }
}

/// The first bytes of what [`Data::hash`] hashes, changed whenever the rest of the layout changes.
const HASH_LAYOUT: &[u8] = b"shallows data 1\n";

impl Data {
    /// Samples from arrays, a sample in each row. The inputs are called x1, x2, …, the target y.
    ///
    /// ```
    /// use shallows::data::Data;
    ///
    /// let data = Data::from_rows(&[[0.2, 1.0], [0.5, -1.0], [1.5, 0.3]], &[1.0, 0.3, 2.2])?;
    /// assert_eq!((data.n(), data.d()), (3, 2));
    /// assert_eq!(data.names, ["x1", "x2"]);
    /// # Ok::<(), shallows::error::Error>(())
    /// ```
    pub fn from_rows<const D: usize>(rows: &[[f64; D]], y: &[f64]) -> Result<Data> {
        let X = Matrix::from_vec(rows.len(), D, rows.as_flattened().to_vec());
        Data::builder(X, y.to_vec()).build()
    }

    /// Samples from a matrix, with names and weights where there are any.
    ///
    /// ```
    /// use shallows::data::Data;
    /// use shallows::linalg::Matrix;
    ///
    /// let X = Matrix::from_rows(&[[0.2, 1.0], [0.5, -1.0]]);
    /// let data = Data::builder(X, vec![1.0, 0.3]).target("price").weights(Some(vec![1.0, 3.0])).build()?;
    /// assert_eq!(data.omega(), [0.25, 0.75]);
    /// # Ok::<(), shallows::error::Error>(())
    /// ```
    pub fn builder(X: Matrix, y: Vec<f64>) -> DataBuilder {
        DataBuilder { X, y, names: None, target: "y".into(), weights: None, columns: None, dependence: None }
    }

    /// Samples from all rows of a table, by a recipe learned from them. The target is the last column unless named.
    pub fn from_table(table: &Table, target: Option<&str>, weight: Option<&str>) -> Result<Data> {
        let [target, weight] = [target, weight].map(|name| name.map(str::to_owned));
        let roles = Roles { target, weight, ..Roles::default() };
        let samples = Reading { roles, ..Reading::default() }.learned(table)?;
        Ok(samples.data)
    }

    /// The number of samples.
    pub fn n(&self) -> usize {
        self.X.rows()
    }

    /// The number of inputs.
    pub fn d(&self) -> usize {
        self.X.cols()
    }

    /// The samples with these numbers, in this order.
    ///
    /// # Panics
    /// If a number is not below n.
    pub fn select(&self, rows: &[usize]) -> Data {
        let picked = |values: &Vec<f64>| rows.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        Data {
            X: self.X.select_rows(rows),
            y: picked(&self.y),
            names: self.names.clone(),
            target: self.target.clone(),
            weights: self.weights.as_ref().map(picked),
            columns: self.columns.clone(),
            dependence: self.dependence.as_ref().map(|dependence| dependence.select(rows)),
        }
    }

    /// ωᵢ = wᵢ/Σw, or 1/n without weights. NaN when a selection holds weights of zero only.
    pub fn omega(&self) -> Vec<f64> {
        match &self.weights {
            Some(w) => {
                let sum: f64 = w.iter().sum();
                w.iter().map(|w| w / sum).collect()
            }
            None => vec![1.0 / self.n() as f64; self.n()],
        }
    }

    /// Whether there is something to learn: two rows of positive weight, and a target that varies on them.
    pub fn check_fittable(&self) -> Result<()> {
        let counts = |i: &usize| self.weights.as_ref().is_none_or(|w| w[*i] > 0.0);
        let mut targets = (0..self.n()).filter(counts).map(|i| self.y[i]);
        let (Some(first), Some(second)) = (targets.next(), targets.next()) else {
            return Err(Error::Data(DataProblem::OneRow));
        };
        if first == second && targets.all(|y| y == first) {
            let problem = DataProblem::ConstantTarget { name: self.target.clone(), value: first };
            return Err(Error::Data(problem));
        }
        Ok(())
    }

    /// Whether sums of squares of the inputs and of the target are far from the ends of the doubles.
    pub(crate) fn check_sizes(&self) -> Result<()> {
        const MOST: f64 = 1e140;
        const LEAST_SPREAD: f64 = 1e-140;
        let (mut least, mut most) = (vec![f64::INFINITY; self.d()], vec![f64::NEG_INFINITY; self.d()]);
        for i in 0..self.n() {
            for (j, x) in self.X.row(i).iter().enumerate() {
                (least[j], most[j]) = (least[j].min(*x), most[j].max(*x));
            }
        }
        let of_target = self.y.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), y| (a.min(*y), b.max(*y)));
        let ends = least.into_iter().zip(most).chain([of_target]);
        for (j, ((least, most), column)) in ends.zip(self.names.iter().chain([&self.target])).enumerate() {
            let (column, spread) = (column.clone(), most - least);
            if most.max(-least) > MOST {
                let value = |i: usize| if j < self.d() { self.X[(i, j)] } else { self.y[i] };
                let row = (0..self.n()).find(|&i| value(i).abs() > MOST).unwrap_or(0);
                return Err(Error::Data(DataProblem::TooLarge { row, column, value: value(row) }));
            }
            if spread > 0.0 && spread < LEAST_SPREAD {
                return Err(Error::Data(DataProblem::TooClose { column, spread }));
            }
        }
        Ok(())
    }

    /// Whether matrices with a row and a column for each input can be worked with.
    pub(crate) fn check_square(&self) -> Result<()> {
        let inputs = self.d();
        if linalg::square_fits(inputs) { Ok(()) } else { Err(Error::Data(DataProblem::TooWide { inputs })) }
    }

    /// The SHA-256 of the samples, in hexadecimal: equal for the same samples from any kind of file.
    ///
    /// Hashed is: the tag `shallows data 1` and a line feed; n and d; the names of the inputs, then that of the
    /// target, each as its length in bytes and its UTF-8 bytes; X row after row; y; a byte that is 1 with weights and
    /// 0 without; the weights. Counts and lengths are 64-bit, numbers the bits of a double, all little-endian, with −0
    /// written as +0, because the two are the same number.
    pub fn hash(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(HASH_LAYOUT);
        for count in [self.n(), self.d()] {
            hash.update((count as u64).to_le_bytes());
        }
        for name in self.names.iter().chain([&self.target]) {
            hash.update((name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
        }
        add_numbers(&mut hash, self.X.as_slice());
        add_numbers(&mut hash, &self.y);
        hash.update([u8::from(self.weights.is_some())]);
        add_numbers(&mut hash, self.weights.as_deref().unwrap_or_default());
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn check(&self) -> Result<()> {
        self.check_shapes()?;
        self.check_values()?;
        self.check_weights()
    }

    fn check_shapes(&self) -> Result<()> {
        let (n, d) = (self.n(), self.d());
        if d == 0 {
            return Err(Error::Data(DataProblem::NoInputs));
        }
        if n == 0 {
            return Err(Error::Data(DataProblem::NoRows));
        }
        let weights = self.weights.as_ref().map_or(n, Vec::len);
        let numbered = self.dependence.as_ref().map_or(n, |dependence| dependence.numbers().len());
        let rows = [("targets", n, self.y.len()), ("weights", n, weights), ("groups or times", n, numbered)];
        let pairs = rows.into_iter().chain([("names of inputs", d, self.names.len())]);
        for (what, expected, found) in pairs {
            if expected != found {
                return Err(Error::Shape { what, expected, found });
            }
        }
        let starts = std::iter::once(0).chain(self.columns.iter().map(|inputs| inputs.end));
        let whole = self.columns.iter().zip(starts).all(|(inputs, start)| inputs.start == start && inputs.end > start);
        let found = self.columns.last().map_or(0, |inputs| inputs.end);
        if !whole || found != d {
            return Err(Error::Shape { what: "inputs in the columns", expected: d, found });
        }
        match first_repeated(self.names.iter().chain([&self.target])) {
            Some(name) => Err(Error::Data(DataProblem::DuplicateName { name: name.clone() })),
            None => Ok(()),
        }
    }

    fn check_values(&self) -> Result<()> {
        let refuse = |row, column: &String, value| {
            Err(Error::Data(DataProblem::NotFinite { row, column: column.clone(), value }))
        };
        if let Some(at) = first_not_finite(self.X.as_slice()) {
            return refuse(at / self.d(), &self.names[at % self.d()], self.X.as_slice()[at]);
        }
        match first_not_finite(&self.y) {
            Some(row) => refuse(row, &self.target, self.y[row]),
            None => Ok(()),
        }
    }

    fn check_weights(&self) -> Result<()> {
        let Some(weights) = &self.weights else { return Ok(()) };
        if let Some(row) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
            return Err(Error::Data(DataProblem::Weight { row, value: weights[row] }));
        }
        let sum: f64 = weights.iter().sum();
        let sound = sum.is_finite() && sum > 0.0;
        if sound { Ok(()) } else { Err(Error::Data(DataProblem::WeightSum { sum })) }
    }
}

/// Where the first number is that is not finite.
fn first_not_finite(numbers: &[f64]) -> Option<usize> {
    const NUMBERS_PER_TASK: usize = 1 << 14;
    let first = |some: &[f64]| some.iter().position(|x| !x.is_finite());
    let tasks = numbers.par_chunks(NUMBERS_PER_TASK).enumerate();
    tasks.find_map_first(|(task, some)| Some(task * NUMBERS_PER_TASK + first(some)?))
}

/// The bits of numbers, in blocks, since hashing eight bytes at a time is slow.
fn add_numbers(hash: &mut Sha256, numbers: &[f64]) {
    const NUMBERS_AT_ONCE: usize = 1 << 10;
    let mut bytes = [[0; 8]; NUMBERS_AT_ONCE];
    for some in numbers.chunks(NUMBERS_AT_ONCE) {
        // −0 + 0 = +0, and every other number stays as it is.
        bytes.iter_mut().zip(some).for_each(|(bytes, x)| *bytes = (x + 0.0).to_bits().to_le_bytes());
        hash.update(bytes[..some.len()].as_flattened());
    }
}

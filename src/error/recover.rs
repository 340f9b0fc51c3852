//! Why weights cannot be looked for in given samples: each sentence and its way out, side by side.

use super::hint::Hint;

/// What keeps weights from being recovered.
///
/// ```
/// use shallows::error::RecoverProblem;
///
/// let problem = RecoverProblem::TooFewRows { rows: 5, inputs: 10, needed: 20 };
/// assert!(problem.to_string().contains("20"));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecoverProblem {
    /// Fewer rows than polynomials of degree two.
    #[error("{rows} rows cannot determine the {needed} coefficients of a polynomial of degree 2")]
    FewRowsForProducts {
        /// There are.
        rows: usize,
        /// More than these are needed.
        needed: usize,
    },
    /// The polynomials of degree two are linearly dependent on the rows.
    #[error("the inputs and their products are linearly dependent on these rows")]
    DependentProducts,
    /// Too few samples for a covariance and its tests.
    #[error("{rows} rows of {inputs} inputs are too few to test their distribution: {needed} are needed")]
    TooFewRows {
        /// The rows there are.
        rows: usize,
        /// The inputs.
        inputs: usize,
        /// The fewest rows that do.
        needed: usize,
    },
    /// An input that does not vary.
    #[error("input {column} (counted from 0) is {value} in every row: it is not Gaussian")]
    ConstantInput {
        /// The column, from 0.
        column: usize,
        /// Its value.
        value: f64,
    },
    /// An input that the inputs before it determine.
    #[error("input {column} (counted from 0) is a linear combination of those before it, up to rounding")]
    DependentInput {
        /// The column, from 0.
        column: usize,
    },
    /// A matrix that is not a covariance.
    #[error("the covariance is not a symmetric positive definite {inputs}×{inputs} matrix of finite numbers")]
    Covariance {
        /// The inputs.
        inputs: usize,
    },
    /// Units that are not independent.
    #[error("the units found are not independent, up to rounding: their output weights are not determined")]
    DependentUnits,
}

impl RecoverProblem {
    /// A way out.
    pub fn hint(&self) -> Hint {
        Hint::plain(match self {
            RecoverProblem::FewRowsForProducts { .. } => "several times as many rows as coefficients are needed",
            RecoverProblem::DependentProducts => "leave out constant, repeated and discrete columns",
            RecoverProblem::TooFewRows { .. } => "give more rows, or fewer inputs",
            RecoverProblem::ConstantInput { .. } => "leave the column out: its weights cannot be seen",
            RecoverProblem::DependentInput { .. } => "leave the column out: only sums of weights can be seen",
            RecoverProblem::Covariance { .. } => "give the covariance of the inputs, or none to have it estimated",
            RecoverProblem::DependentUnits => "ask for fewer units, or give more rows",
        })
    }
}

//! Why nothing can be recovered from some samples: each sentence and its way out, side by side.

/// Why nothing can be recovered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecoverProblem {
    /// Fewer rows than polynomials of degree two.
    #[error("{rows} rows cannot determine the {needed} coefficients of a polynomial of degree 2")]
    FewRows {
        /// There are.
        rows: usize,
        /// More than these are needed.
        needed: usize,
    },
    /// The polynomials of degree two are linearly dependent on the rows.
    #[error("the inputs and their products are linearly dependent on these rows")]
    DependentProducts,
}

impl RecoverProblem {
    /// A way out.
    pub fn hint(&self) -> &'static str {
        match self {
            RecoverProblem::FewRows { .. } => "several times as many rows as coefficients are needed",
            RecoverProblem::DependentProducts => "leave out constant, repeated and discrete columns",
        }
    }
}

//! What is promised about gradient descent, for callers with samples in memory: [`CheckRequest`] in a few words.

use super::check::{CheckOutcome, CheckRequest};
use crate::certificate::Judgement;
use crate::certificate::descent::plan::DescentPlan;
use crate::data::{Data, Samples};
use crate::error::Result;
use crate::watch::Watch;

/// Gradient descent from a random start, judged before any step is taken.
///
/// ```
/// use shallows::{Data, Descent};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.6, 0.8], [-0.6, 0.8]], &[0.1, -0.2, 0.1])?;
/// let promise = Descent::new("softplus").width(2000).check(&data)?;
/// match promise.plan() {
///     Some(plan) => println!("done after {} steps of {:e}", plan.iterations, plan.step),
///     None => println!("convergence is not proved at this width"),
/// }
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Descent {
    activation: String,
    request: CheckRequest,
}

/// What theory promises about a start. [`Descent`] shows its use.
#[derive(Clone, Debug)]
pub struct Promise {
    outcome: CheckOutcome,
}

impl Descent {
    /// With this activation, by its name; a name that is none is refused by [`Descent::check`].
    pub fn new(activation: impl Into<String>) -> Self {
        Descent { activation: activation.into(), request: CheckRequest::default() }
    }

    /// With this many hidden units.
    pub fn width(mut self, width: usize) -> Self {
        self.request.width = Some(width);
        self
    }

    /// With ±scale as output weights.
    pub fn scale(mut self, scale: f64) -> Self {
        self.request.scale = Some(scale);
        self
    }

    /// From the start of this seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.request.seed = seed;
        self
    }

    /// What theory promises on these samples, before any training.
    pub fn check(&self, data: &Data) -> Result<Promise> {
        let request = CheckRequest { activation: self.activation.parse()?, ..self.request.clone() };
        let outcome = request.run_on(Samples::of_data(data.clone()), Watch::silent())?;
        Ok(Promise { outcome })
    }
}

impl Promise {
    /// A start, a step and a proved rate; `None` where convergence is not proved.
    pub fn plan(&self) -> Option<&DescentPlan> {
        self.outcome.judged.plan.as_ref()
    }

    /// What each theorem says about the start.
    pub fn judgements(&self) -> &[Judgement] {
        &self.outcome.judged.certificates
    }

    /// Everything that was found out.
    pub fn outcome(&self) -> &CheckOutcome {
        &self.outcome
    }
}

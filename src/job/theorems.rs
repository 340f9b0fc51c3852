//! `theorems`: the catalogue of what can be proved.

use serde_json::{Value, json};

use crate::certificate::{NotCertifiable, Theorem, not_certifiable, theorem_named};
use crate::error::Result;
use crate::watch::Watch;

/// What is asked for.
///
/// ```
/// use shallows::Watch;
/// use shallows::job::theorems::TheoremsJob;
///
/// let job = TheoremsJob { id: Some("wide-quadratic".into()) };
/// let outcome = job.run(Watch::silent())?;
/// assert_eq!(outcome.document()["theorems"][0]["id"], "wide-quadratic");
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TheoremsJob {
    /// Only this one; all when `None`.
    pub id: Option<String>,
}

/// What came of it. [`TheoremsJob`] shows its use.
#[derive(Clone, Debug)]
pub struct TheoremsOutcome {
    /// The theorems that were asked for.
    pub theorems: Vec<Theorem>,
    /// Published claims that cannot be certified; only with all theorems.
    pub not_certifiable: Option<Vec<NotCertifiable>>,
}

impl TheoremsJob {
    /// Look them up.
    pub fn run(&self, _watch: Watch<'_>) -> Result<TheoremsOutcome> {
        let Some(id) = &self.id else {
            let theorems = Theorem::ALL.to_vec();
            return Ok(TheoremsOutcome { theorems, not_certifiable: Some(not_certifiable()) });
        };
        Ok(TheoremsOutcome { theorems: vec![theorem_named(id)?], not_certifiable: None })
    }
}

impl TheoremsOutcome {
    /// What a script reads.
    pub fn document(&self) -> Value {
        let theorem = |theorem: &Theorem| {
            let theorem = theorem.text();
            json!({
                "id": theorem.id, "title": theorem.title, "claim": theorem.claim, "hypotheses": theorem.hypotheses,
                "evidence": theorem.evidence, "limits": theorem.limits, "source": theorem.source,
            })
        };
        let mut document = json!({ "theorems": self.theorems.iter().map(theorem).collect::<Vec<_>>() });
        if let Some(others) = &self.not_certifiable {
            let other =
                |one: &NotCertifiable| json!({ "title": one.title, "reason": one.reason, "source": one.source });
            document["not_certifiable"] = others.iter().map(other).collect();
        }
        document
    }
}

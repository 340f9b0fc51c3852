//! A certificate as scripts read it.

use serde_json::{Map, Value, json};

use super::{Check, Judgement};

impl Judgement {
    /// `theorem`, `verdict`, `statement`, `checks[]` and `facts`; non-finite numbers become null.
    pub fn document(&self) -> Value {
        let check = |check: &Check| {
            json!({
                "hypothesis": check.hypothesis, "margin": check.margin, "error": check.error,
                "verdict": check.verdict(),
            })
        };
        let facts: Map<String, Value> = self.facts.iter().map(|fact| (fact.name.into(), json!(fact.value))).collect();
        json!({
            "theorem": self.theorem, "verdict": self.verdict(), "statement": self.statement,
            "checks": self.checks.iter().map(check).collect::<Vec<_>>(), "facts": facts,
        })
    }
}

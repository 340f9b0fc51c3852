//! `shallows theorems`.

use clap::Args;
use serde_json::json;
use shallows::certificate::{NotCertifiable, Theorem, TheoremText, markdown, not_certifiable};

use crate::Common;
use crate::failure::Failure;
use crate::output;

/// List what can be proved: claims, hypotheses, evidence, limits, sources
#[derive(Args)]
pub struct TheoremsArgs {
    /// Only this one
    id: Option<String>,
    /// As the file THEOREMS.md
    #[arg(long)]
    markdown: bool,
}

/// Run the verb.
pub fn run(args: &TheoremsArgs, common: &Common) -> Result<(), Failure> {
    if args.markdown {
        return output::bytes(markdown().as_bytes());
    }
    let all = Theorem::ALL.map(Theorem::text);
    let chosen: Vec<&TheoremText> =
        all.into_iter().filter(|theorem| args.id.as_ref().is_none_or(|id| theorem.id == id)).collect();
    if chosen.is_empty() {
        let known: Vec<&str> = all.iter().map(|theorem| theorem.id).collect();
        let asked = args.id.as_deref().unwrap_or_default();
        let message = format!("there is no theorem called {}", shallows::error::excerpt(asked));
        return Err(Failure::with_hint(message, format!("one of {}", known.join(", "))));
    }
    if common.json {
        let record = |theorem: &&TheoremText| {
            json!({
                "id": theorem.id, "title": theorem.title, "claim": theorem.claim, "hypotheses": theorem.hypotheses,
                "evidence": theorem.evidence, "limits": theorem.limits, "source": theorem.source,
            })
        };
        let other = |one: &NotCertifiable| json!({ "title": one.title, "reason": one.reason, "source": one.source });
        let mut document = json!({ "theorems": chosen.iter().map(record).collect::<Vec<_>>() });
        if args.id.is_none() {
            document["not_certifiable"] = not_certifiable().iter().map(other).collect();
        }
        return output::json(&document);
    }
    let words = chosen.iter().map(|theorem| {
        let hypotheses: String = theorem.hypotheses.iter().map(|one| format!("\n  - {one}")).collect();
        let TheoremText { id, title, claim, evidence, limits, source, .. } = theorem;
        format!(
            "{id}: {title}\n\n  Claim: {claim}\n  Hypotheses:{hypotheses}\n  Evidence: {evidence}\n  Limits: {limits}\n  Source: {source}\n"
        )
    });
    let mut text = words.collect::<Vec<_>>().join("\n");
    if args.id.is_none() {
        text += "\nNot certifiable as published:\n";
        for NotCertifiable { title, reason, source } in not_certifiable() {
            text += &format!("\n  {title}\n    {reason}\n    {source}\n");
        }
    }
    output::bytes(text.as_bytes())
}

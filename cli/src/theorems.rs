//! `shallows theorems`.

use clap::Args;
use shallows::certificate::{NotCertifiable, Theorem, TheoremText, markdown};
use shallows::job::theorems::{TheoremsJob, TheoremsOutcome};

use crate::GlobalArgs;
use crate::failure::Failure;
use crate::output;
use crate::progress::watched;

/// List what can be proved: claims, hypotheses, evidence, limits, sources
#[derive(Args)]
pub struct TheoremsArgs {
    id: Option<String>,
    #[arg(long, conflicts_with = "id")]
    markdown: bool,
}

/// Run the verb.
pub fn run(args: &TheoremsArgs, common: &GlobalArgs) -> Result<(), Failure> {
    if args.markdown {
        return output::bytes(markdown().as_bytes());
    }
    let outcome = watched(common, |watch| TheoremsJob { id: args.id.clone() }.run(watch))?;
    if common.json {
        return output::json(&outcome.document());
    }
    output::bytes(words(&outcome).as_bytes())
}

fn words(outcome: &TheoremsOutcome) -> String {
    let theorem = |theorem: &Theorem| {
        let theorem = theorem.text();
        let hypotheses: String = theorem.hypotheses.iter().map(|one| format!("\n  - {one}")).collect();
        let TheoremText { id, title, claim, evidence, limits, source, .. } = theorem;
        format!(
            "{id}: {title}\n\n  Claim: {claim}\n  Hypotheses:{hypotheses}\n  Evidence: {evidence}\n  Limits: {limits}\n  Source: {source}\n"
        )
    };
    let mut text = outcome.theorems.iter().map(theorem).collect::<Vec<_>>().join("\n");
    if let Some(others) = &outcome.not_certifiable {
        text += "\nNot certifiable as published:\n";
        for NotCertifiable { title, reason, source } in others {
            text += &format!("\n  {title}\n    {reason}\n    {source}\n");
        }
    }
    text
}

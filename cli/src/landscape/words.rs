//! What `landscape` says.

use std::fmt::Write;

use shallows::certificate::{Check, Judgement, Theorem, Verdict};
use shallows::job::landscape::{Beginning, LandscapeOutcome};
use shallows::landscape::{CriticalPoint, Levels};

use crate::output::{self, brief, number, wrapped};

/// Eigenvalues that are written out; the rest is counted.
const SPECTRUM_SHOWN: usize = 12;
/// Members of a set that are written out.
const MEMBERS_SHOWN: usize = 10;
/// Ranks in the table of barriers.
const RANKS_SHOWN: usize = 12;

/// What a person reads.
pub fn words(report: &LandscapeOutcome) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "Teacher   {}", wrapped(&about_teacher(report), 10));
    let _ = writeln!(out, "Student   {}", wrapped(&about_student(report), 10));
    let _ = writeln!(out, "Levels    {}\n", wrapped(&about_levels(report), 10));
    let header = ["set", "rank", "level", "index", "most negative curvature"];
    let _ = writeln!(out, "{}\n", output::table(&header, report.shown.iter().map(level_row).collect()));
    let _ = writeln!(out, "Barrier   {}", wrapped(&about_barrier(report), 10));
    if let Some(barriers) = report.landscape.barriers() {
        let first = barriers.len().saturating_sub(RANKS_SHOWN);
        let rows = barriers.iter().enumerate().skip(first).map(|(r, least)| vec![r.to_string(), number(*least)]);
        let _ = writeln!(out, "\n{}", output::table(&["rank at most", "least risk"], rows.collect()));
    }
    let _ = writeln!(out, "\nStart     {}", wrapped(&about_start(report), 10));
    let _ = writeln!(out, "Promise   {}\n", wrapped(&about_promise(report), 10));
    report.certificates.iter().for_each(|certificate| judgement(&mut out, certificate));
    if !report.files.is_empty() {
        let names: Vec<String> = report.files.iter().map(|path| path.display().to_string()).collect();
        let _ = writeln!(out, "Figures   {}", wrapped(&names.join(", "), 10));
    }
    let _ = writeln!(out, "\n{:.1} s", report.seconds);
    out
}

fn about_teacher(report: &LandscapeOutcome) -> String {
    let network = &report.planted.network;
    let spectrum = report.landscape.spectrum();
    let shown: Vec<String> = spectrum.iter().take(SPECTRUM_SHOWN).map(|s| brief(*s)).collect();
    let more = spectrum.len().saturating_sub(SPECTRUM_SHOWN);
    let last = spectrum.last().map_or(String::new(), |s| brief(*s));
    let rest = if more > 0 { format!(", … ({more} more, the last {last})") } else { String::new() };
    let drawn = if report.planted.is_gaussian { "; W* has standard normal entries" } else { "" };
    let (m, d) = (network.width(), network.inputs());
    format!("{}, {d} inputs, x ~ N(0, I){drawn}; eigenvalues of M*: {}{rest}", output::units(m), shown.join(", "))
}

fn about_student(report: &LandscapeOutcome) -> String {
    let v = report.landscape.outputs();
    let (positive, negative) = (v.iter().filter(|v| **v > 0.0).count(), v.iter().filter(|v| **v < 0.0).count());
    let kind = if v.iter().all(|v| *v == 1.0) {
        "all output weights 1".into()
    } else {
        format!(
            "{positive} positive and {negative} negative output weights, so that the index is not known in closed form"
        )
    };
    format!("{}, {kind}; the risk is L = ½E(f − f*)²", output::units(v.len()))
}

fn about_levels(report: &LandscapeOutcome) -> String {
    let shown = report.shown.len();
    let families = "one for each set of eigenvectors that a critical W can span";
    match &report.levels {
        Levels::All(levels) if levels.len() == shown => format!("{shown} critical levels, {families}"),
        Levels::All(levels) => format!("{} critical levels, {families}; the {shown} lowest:", levels.len()),
        Levels::Ends { lowest, highest } => {
            format!("{families}; the {} lowest, then the {} highest:", lowest.len(), highest.len())
        }
    }
}

fn level_row(point: &CriticalPoint) -> Vec<String> {
    let copies = if point.copies > 1.0 { format!(" ×{}", brief(point.copies)) } else { String::new() };
    let unknown = || "–".to_owned();
    vec![
        format!("{}{copies}", set(&point.subset)),
        point.subset.len().to_string(),
        number(point.level),
        point.index.map_or_else(unknown, |index| index.to_string()),
        point.curvature.map_or_else(unknown, number),
    ]
}

/// {1, 2, 5}, with runs of three and more as 1–4.
fn set(subset: &[usize]) -> String {
    let mut parts: Vec<String> = subset
        .chunk_by(|a, b| a + 1 == *b)
        .flat_map(|run| match run {
            [first, _, .., last] => vec![format!("{}–{}", first + 1, last + 1)],
            few => few.iter().map(|i| (i + 1).to_string()).collect(),
        })
        .collect();
    if parts.len() > MEMBERS_SHOWN {
        parts.truncate(MEMBERS_SHOWN);
        parts.push("…".into());
    }
    if parts.is_empty() { "none".into() } else { parts.join(" ") }
}

fn about_barrier(report: &LandscapeOutcome) -> String {
    let (m, d) = (report.landscape.width(), report.landscape.inputs());
    let least = report.landscape.barriers().and_then(|barriers| barriers.last().copied());
    match (report.landscape.barrier(), least) {
        (None, _) if !report.landscape.is_semidefinite() => {
            "none is claimed: M* has negative eigenvalues, which output weights of 1 cannot reach".into()
        }
        (None, _) => "none is claimed: that needs output weights of 1".into(),
        (Some(0.0), _) => {
            format!("0: M* is singular, so the teacher itself has a rank below {d}, and there is nothing to separate")
        }
        (Some(barrier), Some(least)) if m < d => format!(
            "{}: every W of rank below {d} has at least this risk; with {m} units the least is {}, and the teacher is out of \
             reach",
            number(barrier),
            number(least)
        ),
        (Some(barrier), _) => {
            format!("{}: every W of rank below {d} has at least this risk, and some W attains it", number(barrier))
        }
    }
}

fn about_start(report: &LandscapeOutcome) -> String {
    let risk = report.start_risk;
    let shown = |level: Option<f64>| level.map_or("none".into(), number);
    let place = match (&report.levels, report.landscape.barrier()) {
        (Levels::All(_), _) => {
            let (below, above) = report.neighbours();
            format!("the nearest critical levels are {} and {}", shown(below), shown(above))
        }
        (_, Some(barrier)) if risk < barrier => "below the barrier".into(),
        _ => "not below a barrier".into(),
    };
    format!("{}; L(W₀) = {}, {place}", report.start.about, number(risk))
}

fn about_promise(report: &LandscapeOutcome) -> String {
    let own = if report.is_safe() {
        "the start is below the barrier: descent on L that never rises and ends at stationary points ends at the teacher \
         (proved)"
    } else {
        "no promise: the start is not proved to be below the barrier. Descent may pass close to a saddle, and linger \
         there"
    };
    let drawn = match report.judgement(Theorem::SafeStartGaussian) {
        Some(one) if one.verdict() == Verdict::Holds => {
            format!(". For a random teacher of this size (proved): {}", one.statement)
        }
        Some(one) => format!(". {}", one.statement),
        None => String::new(),
    };
    let estimated = if report.start.scale.is_some() && !report.start.is_fixed
        || matches!(report.request.start, Beginning::Spectral)
    {
        ". The promise is about this W₀ and needs the teacher: samples alone give an estimate, not a proof"
    } else {
        ""
    };
    format!("{own}{drawn}{estimated}")
}

fn judgement(out: &mut String, certificate: &Judgement) {
    let _ = writeln!(out, "{}: {}", certificate.theorem, certificate.verdict());
    let _ = writeln!(out, "  {}", wrapped(&certificate.statement, 2));
    let failing = certificate.checks.iter().filter(|check| check.verdict() != Verdict::Holds);
    for Check { hypothesis, margin, .. } in failing {
        let _ = writeln!(out, "  not proved: {hypothesis} (margin {})", brief(*margin));
    }
}

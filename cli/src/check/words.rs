//! What a person reads about a check.

use std::fmt::Write;

use shallows::certificate::descent::{DescentPlan, Start};
use shallows::certificate::words::{at_least, at_most, rate_words};
use shallows::certificate::{Check, Judgement, Rival, Span, Verdict};
use shallows::data::Distinct;
use shallows::job::check::{CheckMeasurements, CheckOutcome, RepeatCounts, Searched};
use shallows::spectrum::Case;

use super::CheckArgs;
use crate::output::{brief, number, printable, wrapped};

/// Pairs, directions and dependencies that are shown; the rest is counted.
const SHOWN: usize = 3;
/// Takes away what five digits can add.
const ROUNDED_DOWN: f64 = 0.9999;
/// More iterations are not run by anybody.
const MANY: f64 = 1e8;

/// What a person reads.
pub fn words(args: &CheckArgs, outcome: &CheckOutcome) -> String {
    let mut out = String::new();
    let CheckOutcome { prepared, judged, .. } = outcome;
    let data = &outcome.samples.data;
    let (shown, target) = (args.data.display(), printable(&data.target));
    let _ = writeln!(out, "Data      {shown}: {} rows, {} inputs, target \"{target}\"", data.n(), data.d());
    let _ = writeln!(out, "Rows      {}", wrapped(&format!("{}.", prepared.frame.words()), 10));
    for words in repeats(outcome).into_iter().chain(about_inputs(outcome)) {
        let _ = writeln!(out, "          {}", wrapped(&words, 10));
    }
    let _ = writeln!(out, "Spectrum  {}", wrapped(&spectrum_words(outcome.measured()), 10));
    let _ = writeln!(out, "Network   {}", wrapped(&network(outcome), 10));
    let _ = writeln!(out, "          {}", wrapped(&activation_words(outcome.measured()), 10));
    if let Some(words) = searched(outcome) {
        let _ = writeln!(out, "Search    {}", wrapped(&words, 10));
    }
    out.push('\n');
    judged.certificates.iter().for_each(|certificate| judgement(&mut out, certificate));
    if judged.certificates.iter().any(|certificate| certificate.verdict() == Verdict::Fails) {
        let words =
            "A theorem that fails has a hypothesis that is false here, and says nothing: training may still succeed.";
        let _ = writeln!(out, "{words}");
    }
    if let Some(span) = &judged.span {
        let _ = writeln!(out, "\nSpan      {}", wrapped(&about_span(span), 10));
    }
    if let Some(words) = judged.rival.as_ref().map(|rival| about_rival(outcome, rival)) {
        let _ = writeln!(out, "Rival     {}", wrapped(&words, 10));
    } else if args.rival.is_some() {
        let _ = writeln!(out, "Rival     none: no second network was found that agrees on every row");
    }
    match &judged.plan {
        Some(plan) => plan_lines(&mut out, args, plan),
        None => {
            let _ = writeln!(out, "\nPlan      {}", wrapped(&no_plan(args), 10));
        }
    }
    if let Some(path) = &outcome.files.certificate {
        let (data, path) = (args.data.display(), path.display());
        let _ = writeln!(out, "\nProofs    saved in {path}; next: shallows verify {path} {data}");
        if let Some(path) = outcome.files.determined.as_ref().map(|path| path.display()) {
            let _ = writeln!(out, "          determined, about the rows as they are: shallows verify {path} {data}");
        }
    }
    let _ = writeln!(out, "\n{:.1} s", outcome.seconds());
    out
}

/// What equal rows do.
fn repeats(outcome: &CheckOutcome) -> Vec<String> {
    let Distinct { repeated, conflicts, data, .. } = &outcome.prepared.distinct;
    if repeated.is_empty() {
        return vec![];
    }
    let RepeatCounts { rows, identical, unavoidable_rmse } = outcome.measured().repeats;
    let mut words = vec![format!(
        "{rows} of them repeat an earlier one in every input (such as rows {} and {}, counted from 0), {identical} in the \
         target too. Each group is taken as one row with the mean target and the weight of all, which gives the same \
         gradients. {} distinct rows are left.",
        repeated[0][0],
        repeated[0][1],
        data.n()
    )];
    if let Some((first, second)) = conflicts.first() {
        words.push(format!(
            "Zero error is impossible: {} groups of equal rows have different targets, such as rows {first} and {second} \
             ({} and {}). No function of these inputs has a root mean square error below {}; what is said below is about \
             the error above that.",
            conflicts.len(),
            number(outcome.samples.data.y[*first]),
            number(outcome.samples.data.y[*second]),
            number(ROUNDED_DOWN * unavoidable_rmse)
        ));
    }
    words
}

/// Rank, dependent columns, nearest rows.
fn about_inputs(outcome: &CheckOutcome) -> Vec<String> {
    let data = &outcome.samples.data;
    let CheckMeasurements { inputs, nearest, .. } = outcome.measured();
    let mut words = vec![];
    // Fewer rows than columns are dependent in any table.
    let telling = inputs.as_ref().filter(|inputs| data.n() >= data.d() && !inputs.dependencies.is_empty());
    if let Some(inputs) = telling {
        let shown: Vec<String> =
            inputs.dependencies.iter().take(SHOWN).map(|null| dependency(null, &data.names)).collect();
        words.push(format!(
            "The inputs have rank {} of {}: {} = 0 up to rounding. A column that follows from others can be left out \
             with --drop.",
            inputs.rank,
            data.d(),
            shown.join("; ")
        ));
    }
    if let Some(nearest) = nearest {
        let kind = if nearest.opposite { " when the sign of one is turned" } else { "" };
        let ((first, second), distance) = (nearest.rows, brief(nearest.distance));
        words.push(format!("The nearest distinct rows are {first} and {second}, {distance} apart{kind}."));
    }
    words
}

/// The numbers of the rows that the theorems are made of; estimates.
fn spectrum_words(measured: &CheckMeasurements) -> String {
    let CheckMeasurements { sigma_max, sigma_min, khatri_rao, kappa, .. } = *measured;
    let shown = |value: Option<f64>| value.map_or("unknown".into(), brief);
    let mut words = format!("σ_max(X) {}, σ_min(X) {}", shown(sigma_max), shown(sigma_min));
    if let Some(smallest) = khatri_rao {
        let _ = write!(words, ", σ_min(X∗X) {}, κ(X) {}", brief(smallest), shown(kappa));
    }
    words
}

/// Average slope and curvature, Assumption 2.3 of Soltanolkotabi, Javanmard and Lee (2019).
fn activation_words(measured: &CheckMeasurements) -> String {
    let case = match measured.curvature_case {
        Case::Curved => "curved on average at every scale, case (a)",
        Case::Flat => "flat on average at every scale, case (b)",
        Case::Neither => "neither case (a) nor (b)",
    };
    format!(
        "E φ'(g) = {}, E φ''(g) = {}: {case} of Assumption 2.3 of Soltanolkotabi, Javanmard and Lee (2019)",
        brief(measured.average_slope),
        brief(measured.average_curvature)
    )
}

/// Σ c_j·name_j
fn dependency(null: &[f64], names: &[String]) -> String {
    let mut out = String::new();
    for (c, name) in null.iter().zip(names).filter(|(c, _)| **c != 0.0) {
        let sign = if *c < 0.0 { "− " } else { "+ " };
        let size = if c.abs() == 1.0 { String::new() } else { format!("{}·", brief(c.abs())) };
        let sign = if out.is_empty() { sign.trim_start_matches("+ ") } else { sign };
        let _ = write!(out, "{}{sign}{size}{}", if out.is_empty() { "" } else { " " }, printable(name));
    }
    out
}

fn network(outcome: &CheckOutcome) -> String {
    let request = &outcome.request;
    let origin = match (request.scale, outcome.searched) {
        (Some(_), _) => "as asked for",
        (None, Searched::Scale(Some(_))) => "twice the smallest with a proof",
        _ => "the published scale ‖y‖/√(kn)",
    };
    format!(
        "{}, {} units, output weights ±{} ({origin}), {} start, seed {}",
        request.activation,
        outcome.width,
        number(outcome.scale),
        match request.start {
            Start::Antisymmetric => "antisymmetric",
            Start::Random => "random",
        },
        request.seed
    )
}

fn searched(outcome: &CheckOutcome) -> Option<String> {
    Some(match outcome.searched {
        Searched::Nothing => return None,
        Searched::Width(found) if outcome.interrupted => {
            let far = found.map_or("no width with a proof".into(), |width| format!("a proof at {width} units"));
            format!("interrupted; {far} so far")
        }
        Searched::Width(Some(width)) => {
            format!("the smallest width with a proof at the published scale is {width}, to 2 %")
        }
        Searched::Width(None) => {
            "no width that was tried has a proof at the published scale; --find-scale needs far fewer units".into()
        }
        Searched::Scale(Some(scale)) => {
            format!("the smallest output scale with a proof at {} units is {}, to 2 %", outcome.width, number(scale))
        }
        Searched::Scale(None) => {
            "no output scale has a proof: the Jacobian at the start cannot be proved to have full rank (beyond 5000 \
             distinct rows it is not looked at); more units (--width), longer rows (--radius) or another activation \
             (-a tanh, -a relu) may do, unless rows are nearly equal"
                .into()
        }
    })
}

/// A theorem, its verdict, and each hypothesis with its margin.
fn judgement(out: &mut String, certificate: &Judgement) {
    let head = format!("{:<31}{:<11}", certificate.theorem, certificate.verdict().to_string());
    let _ = writeln!(out, "{head}{}", wrapped(&certificate.statement, 42));
    for check in &certificate.checks {
        let Check { hypothesis, margin, error } = check;
        let margin = match (margin.is_nan(), *error == 0.0) {
            (true, _) => "margin unknown".into(),
            (false, true) => format!("margin {}", brief(*margin)),
            (false, false) => format!("margin {} ± {}", brief(*margin), brief(*error)),
        };
        let verdict = check.verdict().to_string();
        let _ = writeln!(out, "    {verdict:<10} {hypothesis}   ({margin})");
    }
}

fn about_span(span: &Span) -> String {
    let kind = if span.affine { "with" } else { "without" };
    let mut words = format!(
        "the products of the inputs ({kind} an affine part) span {} of {} dimensions on {} distinct rows",
        span.dimension, span.needed, span.distinct
    );
    if span.missing > 0 {
        let open: Vec<&str> = span.open.iter().take(SHOWN).map(|direction| direction.form.as_str()).collect();
        let _ = write!(
            words,
            "; {} more generic rows would close it. Left open, because zero on every row: {}",
            span.missing,
            open.join("; ")
        );
    }
    words
}

fn about_rival(outcome: &CheckOutcome, rival: &Rival) -> String {
    let data = &outcome.samples.data;
    let shown = |j: usize| format!("{} = {}", printable(&data.names[j]), brief(rival.point[j]));
    let point: Vec<String> = rival.telling_coordinates(&data.X).into_iter().map(shown).collect();
    let rest = if point.len() < rival.point.len() { ", all else 0" } else { "" };
    let files =
        outcome.files.rivals.as_ref().map_or(String::new(), |[second, first]| {
            format!("; saved as {} and {}", first.display(), second.display())
        });
    format!(
        "two quadratic networks that differ by at most {} on every row differ by {} at {}{rest}{files}",
        at_most(rival.on_rows),
        at_least(rival.difference.abs()),
        point.join(", ")
    )
}

fn plan_lines(out: &mut String, args: &CheckArgs, plan: &DescentPlan) {
    let iterations = plan.iterations.number().map_or("no number of iterations is certain".into(), |iterations| {
        let many = if iterations > MANY { ", more than can be run: some rows are nearly equal" } else { "" };
        format!("at most {} iterations until ‖r‖ ≤ {:e}·‖r₀‖{many}", brief(iterations), plan.tolerance)
    });
    let proven = &plan.proven;
    let _ = writeln!(
        out,
        "\nPlan      gradient descent on {} with step {} on (1/2n)Σr²",
        if plan.both_layers { "both layers" } else { "the hidden layer" },
        number(plan.step)
    );
    let _ = writeln!(
        out,
        "          proved: rate {} a step, path at most {}",
        rate_words(proven.rate),
        at_most(proven.path)
    );
    let _ = writeln!(out, "          {iterations}");
    match &args.plan {
        Some(path) => {
            let (data, path) = (args.data.display(), path.display());
            let _ = writeln!(out, "          saved in {path}; next: shallows fit {data} --plan {path}");
        }
        None => {
            let _ = writeln!(out, "          --plan FILE saves it, for `shallows fit --plan`");
        }
    }
}

fn no_plan(args: &CheckArgs) -> String {
    let other =
        if args.find_scale { "try --width, --radius or -a" } else { "--find-scale finds an output scale that has one" };
    format!("none: convergence is not proved for this start; {other}")
}

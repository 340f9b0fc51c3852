//! What the layers of infinitely wide networks do, in words: for `explain` and for the report of a fit.

use std::collections::BTreeSet;

use shallows::fit::explain::{LayerScales, ScaleUnit, VariancePart};
use shallows::job::explain::LayerExplanation;

use crate::output::brief;

/// The scales of the wide network with the largest weight.
pub fn shown_scales(layers: &LayerExplanation) -> Vec<&LayerScales> {
    let member = leading_network(layers);
    layers.scales.iter().filter(|layer| Some(layer.member) == member).collect()
}

/// The first of equals.
fn leading_network(layers: &LayerExplanation) -> Option<usize> {
    let all = layers.scales.iter().rev();
    all.max_by(|one, other| one.weight.abs().total_cmp(&other.weight.abs())).map(|layer| layer.member)
}

pub fn layer_name(law: &str) -> String {
    law.replace('-', " ")
}

/// The scale of a column in a layer.
pub fn scale_words(layer: &LayerScales, column: &str) -> String {
    match layer.columns.iter().find(|one| one.column == column) {
        None => "constant".to_owned(),
        Some(one) if !one.has_influence => "no influence".to_owned(),
        Some(one) => {
            let scale = match one.unit {
                ScaleUnit::Column => brief(one.scale),
                ScaleUnit::Rows => format!("{} %", brief(100.0 * one.scale)),
                ScaleUnit::Deviations => format!("{} σ", brief(one.scale)),
            };
            format!("{scale} → {}", brief(one.swing))
        }
    }
}

/// What the layers do, and what their scales mean.
pub fn layer_words(layers: &LayerExplanation, scales: &[&LayerScales]) -> Vec<String> {
    let share = |part: &VariancePart| {
        let share = part.share.map_or("–".to_owned(), |share| format!("{:.1} %", 100.0 * share).replace('-', "−"));
        format!("{} {share}", layer_name(&part.name))
    };
    let members: BTreeSet<Option<usize>> = layers.shares.parts.iter().map(|part| part.member).collect();
    let of_member = |member: &Option<usize>| {
        let parts = layers.shares.parts.iter().filter(|part| part.member == *member);
        let shares = parts.map(share).collect::<Vec<_>>().join(", ");
        match (member, members.len()) {
            (_, 1) => shares,
            (Some(at), _) => format!("network {}: {shares}", at + 1),
            (None, _) => shares,
        }
    };
    let shares: Vec<String> = members.iter().map(of_member).collect();
    let negative = layers.shares.parts.iter().any(|part| part.share.is_some_and(|share| share < 0.0));
    let negative = if negative { ", less than none for a layer that works against the others" } else { "" };
    let varies = layers.shares.parts.iter().any(|part| part.share.is_some());
    let mut words = vec![match varies {
        true => {
            format!("Shares of the variance of f by layer, which add up to 100 %{negative}: {}.", shares.join("; "))
        }
        false => "f does not vary over these rows: no layer has a share of its variance.".to_owned(),
    }];
    if !scales.is_empty() {
        let others = layers.scales.iter().any(|layer| Some(layer.member) != leading_network(layers));
        let which = match (others, leading_network(layers)) {
            (true, Some(at)) => format!(" of network {}, which has the largest weight", at + 1),
            _ => String::new(),
        };
        let deviations = " (σ: of words, in deviations of their 0/1 inputs)";
        let deviations = if uses(scales, ScaleUnit::Deviations) { deviations } else { "" };
        let ranks = " (%: by rank, in parts of the rows)";
        let ranks = if uses(scales, ScaleUnit::Rows) { ranks } else { "" };
        words.push(format!(
            "Under each layer{which}, scale → swing. The scale is what the layer measures the column by, in units of the \
             column{ranks}{deviations}: over one scale a layer rough by input forgets 63 %. The swing is by how much the layer \
             could move f from the lowest to the highest value of the column before it saw the target; below a hundredth of \
             the target's deviation there is no influence."
        ));
    }
    words
}

fn uses(scales: &[&LayerScales], unit: ScaleUnit) -> bool {
    scales.iter().flat_map(|layer| &layer.columns).any(|one| one.unit == unit)
}

//! A recipe in a line.

use serde_json::{Value, json};

use super::{ColumnStep, Gaps, OmissionReason, Recipe, Treatment};
use crate::error::excerpt;

/// Dropped columns that a line names.
const NAMED: usize = 6;

impl Recipe {
    /// Such as: `8 columns: 6 numbers, 2 categories (5 + 3 levels), gaps in 1; 13 inputs; dropped: id (all different)`.
    pub fn summary(&self) -> String {
        let used: Vec<&ColumnStep> = self.columns.iter().filter(|step| !step.inputs().is_empty()).collect();
        let plural = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        let (categories, gaps) = (self.categories(), self.with_gaps());
        let mut parts = vec![];
        if self.numbers() > 0 {
            let centred = used.iter().filter(|step| matches!(step.treatment, Treatment::Centred { .. })).count();
            let words = if centred > 0 { format!(" ({centred} less a centre)") } else { String::new() };
            parts.push(plural(self.numbers(), "number", "numbers") + &words);
        }
        if !categories.is_empty() {
            let levels: Vec<String> = categories.iter().map(|(_, levels)| levels.to_string()).collect();
            parts.push(format!(
                "{} ({} levels)",
                plural(categories.len(), "category", "categories"),
                levels.join(" + ")
            ));
        }
        let dates = self.with(|treatment| matches!(treatment, Treatment::Date { .. })).len();
        let ordered = self.with(|treatment| matches!(treatment, Treatment::Ordered { .. })).len();
        if dates > 0 {
            parts.push(plural(dates, "date", "dates"));
        }
        if ordered > 0 {
            parts.push(plural(ordered, "ordered category", "ordered categories"));
        }
        let only_gaps = used.len() - self.numbers() - categories.len() - dates - ordered;
        if only_gaps > 0 {
            parts.push(format!("{only_gaps} by the gaps alone"));
        }
        let mut line = format!("{}: {}", plural(used.len(), "column", "columns"), parts.join(", "));
        if !gaps.is_empty() {
            line += &format!(", gaps in {}", gaps.len());
        }
        let inputs = self.input_names().len();
        if inputs != used.len() {
            line += &format!("; {inputs} inputs");
        }
        if let Some(words) = self.dropped_in_words() {
            line += &format!("; dropped: {words}");
        }
        line
    }

    /// The columns that are not used, and why.
    pub(super) fn dropped_in_words(&self) -> Option<String> {
        let dropped = self.dropped();
        let named = dropped.iter().take(NAMED).map(|(name, reason)| format!("{} ({reason})", excerpt(name)));
        let words = named.collect::<Vec<_>>().join(", ");
        let more = dropped.len().saturating_sub(NAMED);
        match (dropped.is_empty(), more) {
            (true, _) => None,
            (_, 0) => Some(words),
            _ => Some(format!("{words} and {more} more")),
        }
    }

    /// The same for scripts.
    pub fn summary_json(&self) -> Value {
        let categories = self.categories();
        let category = |(name, levels): &(&str, usize)| json!({ "name": name, "levels": levels });
        let dropped = |(name, reason): &(&str, String)| json!({ "name": name, "reason": reason });
        json!({
            "numbers": self.numbers(),
            "categories": categories.iter().map(category).collect::<Vec<_>>(),
            "dates": self.with(|treatment| matches!(treatment, Treatment::Date { .. })),
            "ordered": self.with(|treatment| matches!(treatment, Treatment::Ordered { .. })),
            "gap_words": self.gap_words,
            "gaps": self.with_gaps(),
            "dropped": self.dropped().iter().map(dropped).collect::<Vec<_>>(),
            "inputs": self.input_names().len(),
            "plain": self.is_plain(),
        })
    }

    /// The columns with such a treatment.
    fn with(&self, is: fn(&Treatment) -> bool) -> Vec<&str> {
        self.columns.iter().filter(|step| is(&step.treatment)).map(|step| step.name.as_str()).collect()
    }

    fn numbers(&self) -> usize {
        self.columns
            .iter()
            .filter(|step| matches!(step.treatment, Treatment::Number { .. } | Treatment::Centred { .. }))
            .count()
    }

    /// The categories and how many levels each has, the reference and "other" included.
    fn categories(&self) -> Vec<(&str, usize)> {
        let levels = |step: &ColumnStep| match &step.treatment {
            Treatment::Category { levels, other, .. } => Some(1 + levels.len() + usize::from(*other)),
            _ => None,
        };
        self.columns.iter().filter_map(|step| Some((step.name.as_str(), levels(step)?))).collect()
    }

    fn with_gaps(&self) -> Vec<&str> {
        let gaps = |step: &&ColumnStep| match &step.treatment {
            Treatment::Number { gaps, .. }
            | Treatment::Centred { gaps, .. }
            | Treatment::Category { gaps, .. }
            | Treatment::Date { gaps, .. }
            | Treatment::Ordered { gaps, .. } => *gaps != Gaps::Never,
            Treatment::GapsOnly => true,
            Treatment::Dropped(_) => false,
        };
        self.columns.iter().filter(gaps).map(|step| step.name.as_str()).collect()
    }

    fn dropped(&self) -> Vec<(&str, String)> {
        let reason = |step: &ColumnStep| match &step.treatment {
            Treatment::Dropped(reason) => Some(reason.words()),
            _ => None,
        };
        self.columns.iter().filter_map(|step| Some((step.name.as_str(), reason(step)?))).collect()
    }
}

impl OmissionReason {
    /// In a word or two.
    pub fn words(&self) -> String {
        match self {
            OmissionReason::Asked => "asked".into(),
            OmissionReason::Group => "group".into(),
            OmissionReason::Constant => "constant".into(),
            OmissionReason::Empty => "all missing".into(),
            OmissionReason::AllDifferent => "all different".into(),
            OmissionReason::Index => "it names the rows".into(),
            OmissionReason::Rare => "too few frequent words".into(),
            OmissionReason::Gaps => "gaps as before".into(),
            OmissionReason::SameAs(name) => format!("same as {name}"),
        }
    }
}

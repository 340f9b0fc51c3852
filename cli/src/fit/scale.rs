//! `--target-scale`, and what the account says about it.

use clap::ValueEnum;
use shallows::data::TargetScale;
use shallows::error::excerpt;

use super::Report;

/// What is fitted, as it is typed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TargetScaleName {
    /// y
    Identity,
    /// ln(y)
    Log,
}

impl From<TargetScaleName> for TargetScale {
    fn from(scale: TargetScaleName) -> Self {
        match scale {
            TargetScaleName::Identity => TargetScale::Identity,
            TargetScaleName::Log => TargetScale::Log,
        }
    }
}

impl Report<'_> {
    /// Of the target.
    pub fn scale(&self) -> TargetScale {
        self.recipe.target_scale()
    }

    /// What is fitted, where that is not the target itself.
    pub fn fitted(&self) -> Option<String> {
        (self.scale() != TargetScale::Identity).then(|| excerpt(&self.data.target))
    }

    /// Whether the logarithm of the target is worth a try.
    pub fn is_skewed(&self) -> bool {
        self.scale() == TargetScale::Identity && TargetScale::is_log_worth_a_try(&self.train.y)
    }

    /// What to know about the scale of the target, or which one to try: a label and words.
    pub fn about_scale(&self) -> Option<(&'static str, String)> {
        let Some(fitted) = self.fitted() else {
            let hint = "the target is skewed: --target-scale log fits its logarithm, which may predict better";
            return self.is_skewed().then(|| ("Hint", hint.into()));
        };
        let y = excerpt(self.target);
        let words = format!(
            "every model here is fitted to {fitted}; the errors above are those of exp(f), in the units of {y}. exp(f) \
             estimates the median of {y} rather than its mean."
        );
        Some(("Scale", words))
    }
}

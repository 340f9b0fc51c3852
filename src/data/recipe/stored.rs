//! A recipe in JSON: the list of its columns, or `{"columns": […], "target_scale": "log", "gap_words": ["-"]}` where the target
//! is not fitted as it is, or where further texts mean a gap. Older files have the list alone.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{ColumnStep, Recipe, TargetScale};

/// The second form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scaled<Columns> {
    columns: Columns,
    target_scale: TargetScale,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    gap_words: Vec<String>,
}

impl Serialize for Recipe {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.target_scale == TargetScale::Identity && self.gap_words.is_empty() {
            return self.columns.serialize(serializer);
        }
        let (target_scale, gap_words) = (self.target_scale, self.gap_words.clone());
        Scaled { columns: &self.columns, target_scale, gap_words }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Recipe {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EitherForm)
    }
}

struct EitherForm;

impl<'de> Visitor<'de> for EitherForm {
    type Value = Recipe;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of columns, or columns with the scale of the target")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Recipe, A::Error> {
        let columns = Vec::<ColumnStep>::deserialize(SeqAccessDeserializer::new(list))?;
        Ok(Recipe { columns, target_scale: TargetScale::Identity, gap_words: vec![] })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Recipe, A::Error> {
        let Scaled { columns, target_scale, gap_words } = Scaled::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Recipe { columns, target_scale, gap_words })
    }
}

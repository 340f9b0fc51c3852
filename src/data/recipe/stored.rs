//! A recipe in JSON: the list of its columns, or `{"columns": […], "target_scale": "log"}` where the target is not fitted
//! as it is. Older files have the list alone.

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
}

impl Serialize for Recipe {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.target_scale {
            TargetScale::Identity => self.columns.serialize(serializer),
            target_scale => Scaled { columns: &self.columns, target_scale }.serialize(serializer),
        }
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
        Ok(Recipe { columns, target_scale: TargetScale::Identity })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Recipe, A::Error> {
        let Scaled { columns, target_scale } = Scaled::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Recipe { columns, target_scale })
    }
}

//! Documents across the boundary: settings come as dictionaries, accounts go as dictionaries, both through serde.

use std::fmt::{self, Display};

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};
use serde::de::value::{SeqDeserializer, StringDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess, Unexpected, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::Value;
use shallows::job::theorems::TheoremsJob;
use shallows::job::words::parse_duration;
use shallows::watch::Watch;

use crate::failure::exception;

/// Every option of every verb, with the parameter that it has here.
#[pyfunction]
pub fn options(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    dictionary(py, &shallows::job::options::document())
}

/// The theorems, or one of them.
#[pyfunction]
#[pyo3(signature = (id=None))]
pub fn theorems(py: Python<'_>, id: Option<String>) -> PyResult<Bound<'_, PyAny>> {
    let outcome = TheoremsJob { id }.run(Watch::silent()).map_err(exception)?;
    dictionary(py, &outcome.document())
}

/// A JSON document as dictionaries, lists and numbers.
pub fn dictionary<'py>(py: Python<'py>, document: &Value) -> PyResult<Bound<'py, PyAny>> {
    match document {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(truth) => truth.into_bound_py_any(py),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(whole), _) => whole.into_bound_py_any(py),
            (_, Some(whole)) => whole.into_bound_py_any(py),
            _ => number.as_f64().into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(entries) => {
            let list = PyList::empty(py);
            entries.iter().try_for_each(|entry| list.append(dictionary(py, entry)?))?;
            Ok(list.into_any())
        }
        Value::Object(entries) => {
            let dict = PyDict::new(py);
            entries.iter().try_for_each(|(key, entry)| dict.set_item(key, dictionary(py, entry)?))?;
            Ok(dict.into_any())
        }
    }
}

/// Settings from a dictionary. What cannot be one is refused under its key.
pub fn settings_of<T: DeserializeOwned>(given: &Bound<'_, PyDict>) -> PyResult<T> {
    T::deserialize(PythonValue(given.clone().into_any())).map_err(|refusal| match refusal {
        SettingRefusal::Kind(words) => PyTypeError::new_err(words),
        SettingRefusal::Value(words) => PyValueError::new_err(words),
    })
}

/// A time that a setting gives in words, such as `5m`, or in seconds.
pub struct Duration(pub std::time::Duration);

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let refused = || {
            let wanted = "a positive number of seconds or a time such as 60s, 5m or 2h";
            serde::de::Error::custom(format_args!("must be {wanted}, not {text}"))
        };
        parse_duration(&text).map(Duration).ok_or_else(refused)
    }
}

/// Why a setting is none.
#[derive(Debug)]
enum SettingRefusal {
    /// It is of another type.
    Kind(String),
    Value(String),
}

impl SettingRefusal {
    fn under(self, key: &str) -> Self {
        match self {
            SettingRefusal::Kind(words) => SettingRefusal::Kind(format!("{key} {words}")),
            SettingRefusal::Value(words) => SettingRefusal::Value(format!("{key} {words}")),
        }
    }
}

impl Display for SettingRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (SettingRefusal::Kind(words) | SettingRefusal::Value(words)) = self;
        f.write_str(words)
    }
}

impl std::error::Error for SettingRefusal {}

impl serde::de::Error for SettingRefusal {
    fn custom<T: Display>(words: T) -> Self {
        SettingRefusal::Value(words.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        SettingRefusal::Kind(format!("must be {expected}, not {found}"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let words = match expected {
            [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
            _ => expected.concat(),
        };
        SettingRefusal::Value(format!("must be {words}, not {variant}"))
    }
}

/// A Python object that serde reads. Numbers of NumPy count as numbers.
struct PythonValue<'py>(Bound<'py, PyAny>);

impl PythonValue<'_> {
    /// For what is not of the kind that is expected.
    fn refused(&self, expected: &str) -> SettingRefusal {
        let found = self.0.repr().map_or_else(|_| "what it is".into(), |words| words.to_string());
        SettingRefusal::Kind(format!("must be {expected}, not {found}"))
    }

    /// For a number that is not of the kind that is expected; a number nevertheless.
    fn refused_number(&self, expected: &str) -> SettingRefusal {
        match self.refused(expected) {
            SettingRefusal::Kind(words) if self.0.extract::<f64>().is_ok() && !self.is_truth_or_text() => {
                SettingRefusal::Value(words)
            }
            refusal => refusal,
        }
    }

    fn is_truth_or_text(&self) -> bool {
        self.0.is_instance_of::<PyBool>() || self.0.is_instance_of::<PyString>()
    }

    fn whole<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingRefusal> {
        match self.0.extract() {
            Ok(number) if !self.is_truth_or_text() => visitor.visit_u64(number),
            _ => Err(self.refused_number("a whole number of at least 0 (and below 2⁶⁴)")),
        }
    }
}

impl<'de> Deserializer<'de> for PythonValue<'_> {
    type Error = SettingRefusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingRefusal> {
        let object = &self.0;
        if let Ok(text) = object.cast::<PyString>() {
            visitor.visit_string(text.to_string())
        } else if let Ok(entries) = object.cast::<PyDict>() {
            visitor.visit_map(SettingEntries { entries: entries.iter().collect::<Vec<_>>().into_iter(), current: None })
        } else {
            Err(self.refused("a text or a dictionary"))
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingRefusal> {
        if self.0.is_none() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingRefusal> {
        visitor.visit_bool(self.0.extract().map_err(|_| self.refused("True or False"))?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingRefusal> {
        visitor.visit_string(self.0.extract().map_err(|_| self.refused("a text"))?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingRefusal> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingRefusal> {
        let entries: Vec<Bound<'_, PyAny>> = self.0.extract().map_err(|_| self.refused("a list"))?;
        visitor.visit_seq(SeqDeserializer::new(entries.into_iter().map(PythonValue)))
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingRefusal> {
        self.whole(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SettingRefusal> {
        match self.0.extract() {
            Ok(number) if !self.is_truth_or_text() => visitor.visit_f64(number),
            _ => Err(self.refused("a number")),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SettingRefusal> {
        let text: String = self.0.extract().map_err(|_| self.refused("a text"))?;
        let text: StringDeserializer<SettingRefusal> = text.into_deserializer();
        visitor.visit_enum(text)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 u32 f32 char bytes byte_buf unit unit_struct newtype_struct tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, SettingRefusal> for PythonValue<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// What a dictionary holds.
struct SettingEntries<'py> {
    entries: std::vec::IntoIter<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    current: Option<(String, PythonValue<'py>)>,
}

impl<'de> MapAccess<'de> for SettingEntries<'_> {
    type Error = SettingRefusal;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, SettingRefusal> {
        let Some((key, entry)) = self.entries.next() else { return Ok(None) };
        let key = PythonValue(key);
        let name: String = key.0.extract().map_err(|_| key.refused("a text"))?;
        self.current = Some((name, PythonValue(entry)));
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, SettingRefusal> {
        match self.current.take() {
            Some((key, entry)) => seed.deserialize(entry).map_err(|refusal| refusal.under(&key)),
            None => Err(serde::de::Error::custom("a value without a key")),
        }
    }
}

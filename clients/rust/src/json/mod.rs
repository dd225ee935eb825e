//! JSON values, as the protocol uses them: strict reading, exact numbers, bounded depth.

mod compare;
mod convert;
mod fault;
mod number;
mod read;
mod write;

pub use convert::ConvertError;
pub(crate) use fault::check;
pub use number::Number;
pub(crate) use read::from_bytes;
pub use read::{ParseError, MAX_DEPTH};

use std::collections::BTreeMap;
use std::ops::Index;

/// The members of a JSON object, by name.
pub type Object = BTreeMap<String, Value>;

/// A JSON value.
///
/// Numbers keep their text, so integers of 64 bits are exact. A missing member is [`Value::Null`] when it is read with an
/// index:
///
/// ```
/// use appinitializers::{object, Value};
///
/// let value: Value = r#"{"port": 8080, "hosts": ["a", "b"]}"#.parse()?;
/// assert_eq!(value["port"].as_u64(), Some(8080));
/// assert_eq!(value["hosts"][1], "b");
/// assert!(value["nothing"].is_null());
/// assert_eq!(value, object! { "port": 8080, "hosts": ["a", "b"] });
/// assert_eq!(value.to_string(), r#"{"hosts":["a","b"],"port":8080}"#);
/// # Ok::<(), appinitializers::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, with its exact text.
    Number(Number),
    /// Text.
    String(String),
    /// A list.
    Array(Vec<Value>),
    /// An object; the order of its members isn't kept.
    Object(Object),
}

static NULL: Value = Value::Null;

impl Value {
    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, if it is an integer in the range of an `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// The number, if it is an integer in the range of a `u64`.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// The number, rounded to an `f64`.
    pub fn as_f64(&self) -> Option<f64> {
        Some(self.as_number()?.as_f64())
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, if it is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The members, if it is an object.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The member `name`, if it is an object that has it.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object()?.get(name)
    }

    /// Takes the member `name` out of an object, or null.
    pub(crate) fn take(&mut self, name: &str) -> Value {
        match self {
            Value::Object(members) => members.remove(name).unwrap_or(Value::Null),
            _ => Value::Null,
        }
    }

    /// Whether its braces and brackets are nested more than `levels` deep.
    pub(crate) fn is_deeper_than(&self, levels: usize) -> bool {
        match self {
            Value::Array(elements) => {
                levels == 0 || elements.iter().any(|each| each.is_deeper_than(levels - 1))
            }
            Value::Object(members) => {
                levels == 0 || members.values().any(|each| each.is_deeper_than(levels - 1))
            }
            _ => false,
        }
    }
}

/// The default value is `null`.
impl Default for Value {
    fn default() -> Value {
        Value::Null
    }
}

/// The member with this name, or null.
impl Index<&str> for Value {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        self.get(name).unwrap_or(&NULL)
    }
}

/// The element at this position, or null.
impl Index<usize> for Value {
    type Output = Value;

    fn index(&self, position: usize) -> &Value {
        self.as_array()
            .and_then(|elements| elements.get(position))
            .unwrap_or(&NULL)
    }
}

/// Makes an [`Object`] of names and values; each value is anything that converts to a [`Value`].
///
/// ```
/// use appinitializers::{object, Value};
///
/// let address = object! { "host": "localhost", "port": 8080, "tags": vec!["a", "b"], "tls": object! { "on": false } };
/// assert_eq!(Value::from(address)["tls"]["on"], false);
/// ```
#[macro_export]
macro_rules! object {
    ($($name:literal : $value:expr),* $(,)?) => {{
        #[allow(unused_mut)]
        let mut members = $crate::Object::new();
        $(members.insert(::std::string::String::from($name), $crate::Value::from($value));)*
        members
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_of_what_is_missing_are_null() {
        let value = Value::from(object! { "a": [1] });
        assert!(value["b"].is_null());
        assert!(value["a"][1].is_null());
        assert!(value["a"]["b"]["c"].is_null());
        assert!(value[0].is_null());
        assert_eq!(value["a"][0], 1);
    }

    #[test]
    fn depth_counts_braces_and_brackets() {
        let value: Value = r#"{"a":[{"b":1}]}"#.parse().unwrap();
        assert!(value.is_deeper_than(2));
        assert!(!value.is_deeper_than(3));
        assert!(!Value::from(1).is_deeper_than(0));
    }

    #[test]
    fn an_empty_object_and_a_trailing_comma_are_accepted_by_the_macro() {
        assert_eq!(object! {}, Object::new());
        assert_eq!(object! { "a": 1, }.len(), 1);
    }
}

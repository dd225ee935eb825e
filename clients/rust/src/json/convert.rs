//! Conversions from and to the types of Rust.

use super::{Number, Object, Value};
use std::collections::BTreeMap;
use std::fmt;

/// A JSON value is of another kind than the one asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertError {
    expected: &'static str,
    found: &'static str,
}

impl ConvertError {
    fn new(expected: &'static str, found: &Value) -> ConvertError {
        let found = match found {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "another number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        ConvertError { expected, found }
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

impl std::error::Error for ConvertError {}

macro_rules! convert_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Value {
            fn from(value: $integer) -> Value {
                Value::Number(value.into())
            }
        }

        impl TryFrom<&Value> for $integer {
            type Error = ConvertError;

            fn try_from(value: &Value) -> Result<$integer, ConvertError> {
                let signed = value.as_i64().and_then(|number| number.try_into().ok());
                signed
                    .or_else(|| value.as_u64().and_then(|number| number.try_into().ok()))
                    .ok_or_else(|| ConvertError::new(concat!("an integer in the range of ", stringify!($integer)), value))
            }
        }
    )*};
}

convert_integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

/// JSON has neither NaN nor infinities: an output with such a number fails its run, and a request with one isn't sent.
impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Number(Number::of_any(value))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::String(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::String(value)
    }
}

impl From<&String> for Value {
    fn from(value: &String) -> Value {
        Value::String(value.clone())
    }
}

impl From<Object> for Value {
    fn from(value: Object) -> Value {
        Value::Object(value)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(elements: Vec<T>) -> Value {
        elements.into_iter().collect()
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(elements: [T; N]) -> Value {
        elements.into_iter().collect()
    }
}

/// The value of `Some`, or null.
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Value {
        Value::Array(elements.into_iter().map(Into::into).collect())
    }
}

macro_rules! convert_to {
    ($($kind:ty, $expected:literal, $value:ident => $found:expr;)*) => {$(
        impl<'a> TryFrom<&'a Value> for $kind {
            type Error = ConvertError;

            fn try_from($value: &'a Value) -> Result<$kind, ConvertError> {
                $found.ok_or_else(|| ConvertError::new($expected, $value))
            }
        }
    )*};
}

convert_to! {
    f64, "a number", value => value.as_f64();
    bool, "a boolean", value => value.as_bool();
    &'a str, "a string", value => value.as_str();
    String, "a string", value => value.as_str().map(str::to_owned);
    &'a [Value], "an array", value => value.as_array();
    &'a Object, "an object", value => value.as_object();
}

impl<'a, T: TryFrom<&'a Value, Error = ConvertError>> TryFrom<&'a Value> for Vec<T> {
    type Error = ConvertError;

    fn try_from(value: &'a Value) -> Result<Vec<T>, ConvertError> {
        <&[Value]>::try_from(value)?
            .iter()
            .map(T::try_from)
            .collect()
    }
}

impl<'a, T: TryFrom<&'a Value, Error = ConvertError>> TryFrom<&'a Value> for BTreeMap<String, T> {
    type Error = ConvertError;

    fn try_from(value: &'a Value) -> Result<BTreeMap<String, T>, ConvertError> {
        <&Object>::try_from(value)?
            .iter()
            .map(|(name, value)| Ok((name.clone(), T::try_from(value)?)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_converted_to_maps() {
        let value = Value::from(crate::object! { "Dune": 10.5, "Emma": 7 });
        let map = BTreeMap::<String, f64>::try_from(&value).unwrap();
        assert_eq!(
            map,
            BTreeMap::from([("Dune".to_owned(), 10.5), ("Emma".to_owned(), 7.0)])
        );
        let error = BTreeMap::<String, bool>::try_from(&value).unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected a boolean, found another number"
        );
    }

    #[test]
    fn integers_are_converted_if_they_fit() {
        assert_eq!(u16::try_from(&Value::from(8080)), Ok(8080));
        assert_eq!(u64::try_from(&Value::from(u64::MAX)), Ok(u64::MAX));
        assert_eq!(i64::try_from(&Value::from(i64::MIN)), Ok(i64::MIN));
        let error = u16::try_from(&Value::from(65536)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected an integer in the range of u16, found another number"
        );
        assert!(u16::try_from(&Value::from(1.5)).is_err());
        assert!(u16::try_from(&Value::from("1")).is_err());
    }

    #[test]
    fn other_kinds_are_converted() {
        let value = Value::from(vec!["a", "b"]);
        assert_eq!(Vec::<String>::try_from(&value).unwrap(), ["a", "b"]);
        assert_eq!(Vec::<&str>::try_from(&value).unwrap(), ["a", "b"]);
        assert!(Vec::<u64>::try_from(&value).is_err());
        assert_eq!(f64::try_from(&Value::from(3)), Ok(3.0));
        assert_eq!(bool::try_from(&Value::from(true)), Ok(true));
        assert_eq!(
            <&str>::try_from(&Value::Null).unwrap_err().to_string(),
            "expected a string, found null"
        );
    }

    #[test]
    fn none_becomes_null_and_nan_does_not() {
        let nan = Value::from(f64::NAN);
        assert!(!nan.is_null() && nan.as_f64().unwrap().is_nan());
        assert_eq!(nan.to_string(), "null", "the text of a value is JSON");
        assert!(Value::from(None::<i64>).is_null());
        assert_eq!(Value::from(Some(1)), 1);
    }
}

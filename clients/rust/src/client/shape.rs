//! Shapes of the protocol: JSON objects whose members have methods.

use crate::Value;
use std::time::{Duration, SystemTime};

/// Makes types that keep their object. A member without a method can be read by its name.
macro_rules! shapes {
    ($($(#[$about:meta])* $name:ident;)*) => {$(
        $(#[$about])*
        ///
        /// The members that have no method are read by their names in the protocol, with an index.
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name(crate::Value);

        impl $name {
            pub(crate) fn new(value: crate::Value) -> $name {
                $name(value)
            }

            /// Returns all members, as in the protocol.
            pub fn as_value(&self) -> &crate::Value {
                &self.0
            }
        }

        /// The member with this name, or null.
        impl std::ops::Index<&str> for $name {
            type Output = crate::Value;

            fn index(&self, name: &str) -> &crate::Value {
                &self.0[name]
            }
        }
    )*};
}
pub(super) use shapes;

/// Returns a text, empty if it is missing.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns a word; it is unknown if it is missing.
pub(super) fn word<'a, W: From<&'a str>>(value: &'a Value) -> W {
    value.as_str().unwrap_or("unknown").into()
}

/// Returns a word that may be missing.
pub(super) fn optional_word<'a, W: From<&'a str>>(value: &'a Value) -> Option<W> {
    value.as_str().map(W::from)
}

/// Returns the elements of an array; none if it is missing.
pub(super) fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

pub(super) fn texts(value: &Value) -> Vec<String> {
    elements(value)
        .filter_map(|each| each.as_str().map(str::to_owned))
        .collect()
}

/// Returns the shapes of an array; none if it is missing.
pub(super) fn each<S>(value: &Value, shape: fn(Value) -> S) -> Vec<S> {
    elements(value).cloned().map(shape).collect()
}

/// Returns a time, which the protocol counts in seconds since 1970.
pub(super) fn time(value: &Value) -> Option<SystemTime> {
    let seconds = value
        .as_f64()
        .filter(|seconds| (0.0..1e12).contains(seconds))?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs_f64(seconds))
}

/// Returns a shape that may be missing.
pub(super) fn optional<S>(value: &Value, shape: fn(Value) -> S) -> Option<S> {
    (!value.is_null()).then(|| shape(value.clone()))
}

//! The output of a run, for its dependents.

use crate::{json, Value};
use serde::Serialize;

/// The maximum nesting depth of an output.
const DEEPEST: usize = 29;

/// The output of a run: a JSON value for the initializers that depend on it, or nothing.
///
/// A handler returns anything that converts to it, i.e. any type that serde can serialize. A value that serializes to null, e.g. `()` or
/// `None`, is no output.
///
/// ```
/// use appinitializers::{json, Output};
///
/// #[derive(serde::Serialize)]
/// struct Address {
///     host: String,
///     port: u16,
/// }
///
/// let nothing = Output::from(());
/// let port = Output::from(8080);
/// let address = Output::from(Address { host: "localhost".into(), port: 8080 });
/// let same = Output::from(json!({ "host": "localhost", "port": 8080 }));
/// let password = Output::secret("hunter2");
/// assert_eq!(address, same);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    value: Result<Value, String>,
    secret: bool,
}

impl Output {
    /// Creates an output that the supervisor never shows and never logs.
    pub fn secret(value: impl Serialize) -> Output {
        Output {
            secret: true,
            ..Output::from(value)
        }
    }

    /// Returns the result for a run's answer.
    pub(crate) fn result(self) -> Result<Value, String> {
        let refuse = |why: &str| format!("cannot hand over the output: {why}");
        let value = self.value.map_err(|why| refuse(&why))?;
        if json::is_deeper_than(&value, DEEPEST) {
            let why = format!("it is nested more than {DEEPEST} levels deep; use fewer levels");
            return Err(refuse(&why));
        }
        Ok(match (value, self.secret) {
            (Value::Null, _) => json!({}),
            (value, false) => json!({ "output": value }),
            (value, true) => json!({ "output": value, "secret": true }),
        })
    }
}

/// Nothing.
impl Default for Output {
    fn default() -> Output {
        Output::from(())
    }
}

impl<T: Serialize> From<T> for Output {
    fn from(value: T) -> Output {
        Output {
            value: serde_json::to_value(value).map_err(|error| error.to_string()),
            secret: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn an_output_is_a_member_of_the_result() {
        assert_eq!(Output::from(8080).result(), Ok(json!({ "output": 8080 })));
        let exact = json!({ "output": [u64::MAX, i64::MIN, 0.1] });
        assert_eq!(Output::from((u64::MAX, i64::MIN, 0.1)).result(), Ok(exact));
        assert_eq!(
            Output::secret("x").result(),
            Ok(json!({ "output": "x", "secret": true }))
        );
    }

    #[test]
    fn null_is_no_output() {
        for nothing in [
            Output::default(),
            ().into(),
            None::<i64>.into(),
            Output::secret(Value::Null),
        ] {
            assert_eq!(nothing.result(), Ok(json!({})));
        }
    }

    #[test]
    fn an_output_that_is_not_json_is_refused() {
        assert_eq!(
            Output::from(BTreeMap::from([((1, 2), 3)])).result(),
            Err("cannot hand over the output: key must be a string".into())
        );
        assert!(Output::secret(u128::MAX).result().is_err());
    }

    #[test]
    fn an_output_that_is_too_deep_is_refused() {
        let nested = |levels| (0..levels).fold(json!(1), |value, _| json!([value]));
        assert!(Output::from(nested(29)).result().is_ok());
        assert!(Output::from(nested(30))
            .result()
            .unwrap_err()
            .contains("29 levels"));
    }
}

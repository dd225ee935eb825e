//! What a run hands over to its dependents.

use crate::{Object, Value};

/// How deep an output may be nested.
const DEEPEST: usize = 29;

/// The output of a run: a JSON value for the initializers that depend on it, or nothing.
///
/// A handler returns anything that converts to it: `()` for nothing, or what converts to a [`Value`].
///
/// ```
/// use appinitializers::{object, Output};
///
/// let nothing = Output::from(());
/// let port = Output::from(8080);
/// let address = Output::from(object! { "host": "localhost", "port": 8080 });
/// let password = Output::secret("hunter2");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    value: Option<Value>,
    secret: bool,
}

impl Output {
    /// An output that the supervisor never shows and never logs.
    pub fn secret(value: impl Into<Value>) -> Output {
        Output {
            value: Some(value.into()),
            secret: true,
        }
    }

    /// The result of a run's answer.
    pub(crate) fn result(self) -> Result<Object, String> {
        let mut result = Object::new();
        if let Some(value) = self.value {
            if value.is_deeper_than(DEEPEST) {
                return Err(format!("cannot hand over an output that is nested more than {DEEPEST} levels deep: use fewer levels"));
            }
            value
                .check()
                .map_err(|why| format!("cannot hand over the output: {why}"))?;
            result.insert("output".into(), value);
            if self.secret {
                result.insert("secret".into(), true.into());
            }
        }
        Ok(result)
    }
}

impl From<()> for Output {
    fn from((): ()) -> Output {
        Output::default()
    }
}

impl<T: Into<Value>> From<T> for Output {
    fn from(value: T) -> Output {
        Output {
            value: Some(value.into()),
            secret: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object;

    #[test]
    fn an_output_is_a_member_of_the_result() {
        assert_eq!(Output::from(()).result(), Ok(object! {}));
        assert_eq!(Output::from(8080).result(), Ok(object! { "output": 8080 }));
        assert_eq!(
            Output::from(None::<i64>).result(),
            Ok(object! { "output": Value::Null })
        );
        assert_eq!(
            Output::secret("x").result(),
            Ok(object! { "output": "x", "secret": true })
        );
    }

    #[test]
    fn an_output_that_is_not_json_is_refused() {
        assert_eq!(
            Output::from(object! { "a": [f64::NAN] }).result(),
            Err("cannot hand over the output: at .a[0]: NaN isn't JSON".into())
        );
        assert!(Output::secret(f64::INFINITY).result().is_err());
    }

    #[test]
    fn an_output_that_is_too_deep_is_refused() {
        let nested = |levels| (0..levels).fold(Value::from(1), |value, _| Value::from(vec![value]));
        assert!(Output::from(nested(29)).result().is_ok());
        assert!(Output::from(nested(30))
            .result()
            .unwrap_err()
            .contains("29 levels"));
    }
}

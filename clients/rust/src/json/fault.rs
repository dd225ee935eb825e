//! Finds what JSON doesn't have in a value that is to be sent.

use super::{Object, Value};

/// Where in the members a value isn't JSON, and why, e.g. `at .a[0]: NaN isn't JSON`.
pub(crate) fn check(members: &Object) -> Result<(), String> {
    tell(find_in(members))
}

impl Value {
    /// Where it isn't JSON, and why.
    pub(crate) fn check(&self) -> Result<(), String> {
        tell(find(self))
    }
}

/// A number that JSON doesn't have, and the path to it.
type Fault = (String, f64);

fn tell(fault: Option<Fault>) -> Result<(), String> {
    match fault {
        None => Ok(()),
        Some((path, number)) if path.is_empty() => Err(format!("{number} isn't JSON")),
        Some((path, number)) => Err(format!("at {path}: {number} isn't JSON")),
    }
}

fn find(value: &Value) -> Option<Fault> {
    match value {
        Value::Number(number) => (!number.is_json()).then(|| (String::new(), number.as_f64())),
        Value::Array(elements) => elements.iter().enumerate().find_map(|(position, each)| {
            find(each).map(|(path, number)| (format!("[{position}]{path}"), number))
        }),
        Value::Object(members) => find_in(members),
        _ => None,
    }
}

fn find_in(members: &Object) -> Option<Fault> {
    members
        .iter()
        .find_map(|(name, each)| find(each).map(|(path, number)| (member(name) + &path, number)))
}

/// The step to a member: `.name`, or `["other name"]`.
fn member(name: &str) -> String {
    let is_plain = |each: char| each.is_alphanumeric() || each == '_';
    match !name.is_empty() && name.chars().all(is_plain) {
        true => format!(".{name}"),
        false => format!("[{}]", Value::from(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object;

    #[test]
    fn what_is_not_json_is_found_with_its_place() {
        let wrong = Value::from(object! { "a": vec![f64::NAN], "b": 1 });
        assert_eq!(wrong.check().unwrap_err(), "at .a[0]: NaN isn't JSON");
        let wrong = object! { "a b": object! { "漢字": f64::NEG_INFINITY } };
        assert_eq!(
            check(&wrong).unwrap_err(),
            r#"at ["a b"].漢字: -inf isn't JSON"#
        );
        let wrong = Value::from(f64::INFINITY);
        assert_eq!(wrong.check().unwrap_err(), "inf isn't JSON");
    }

    #[test]
    fn what_was_read_is_json() {
        let value: Value = r#"{"a":[null,true,"NaN",-1e400,0.5]}"#.parse().unwrap();
        assert_eq!(value.check(), Ok(()));
    }
}

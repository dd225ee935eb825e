//! Checks two rules of the protocol that serde_json doesn't: a name occurs once in its object, and values have at most 32 levels.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::collections::HashSet;
use std::fmt;

/// The maximum number of levels in a member of a message: a message has 32, with its own braces.
const DEEPEST: usize = 31;

/// Reads a member of a message.
pub(crate) fn read(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str::<Unique>(text)?;
    let value = serde_json::from_str(text)?;
    match is_deeper_than(&value, DEEPEST) {
        true => Err(Error::custom("it is nested too deeply")),
        false => Ok(value),
    }
}

/// Returns whether braces and brackets are nested more than `levels` deep.
pub(crate) fn is_deeper_than(value: &Value, levels: usize) -> bool {
    let is_deeper = |each: &Value| levels == 0 || is_deeper_than(each, levels - 1);
    match value {
        Value::Array(elements) => levels == 0 || elements.iter().any(is_deeper),
        Value::Object(members) => levels == 0 || members.values().any(is_deeper),
        _ => false,
    }
}

/// Takes the member `name` out of an object. Returns null if there is none.
pub(crate) fn take(value: &mut Value, name: &str) -> Value {
    value.get_mut(name).map(Value::take).unwrap_or_default()
}

/// Any JSON in which no object has a name twice; serde_json would use the last one.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unique, D::Error> {
        deserializer.deserialize_any(Unique)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Unique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Unique, A::Error> {
        while elements.next_element::<Unique>()?.is_some() {}
        Ok(Unique)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Unique, A::Error> {
        let mut names = HashSet::new();
        while let Some((name, Unique)) = members.next_entry::<String, Unique>()? {
            if !names.insert(name) {
                return Err(Error::custom("a name occurs twice in its object"));
            }
        }
        Ok(Unique)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(text: &str) -> String {
        match read(text) {
            Ok(value) => panic!("{text} was read as {value}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn values_of_every_kind_are_read() {
        let text = r#" {"a":[null,true,-1,18446744073709551615,2.5,"\u00e9\ud83d\ude00"],"":{}} "#;
        let value = json!({ "a": [null, true, -1, u64::MAX, 2.5, "é😀"], "": {} });
        assert_eq!(read(text).unwrap(), value);
        let exact = "0.30000000000000004";
        assert_eq!(read(exact).unwrap().to_string(), exact);
    }

    #[test]
    fn a_name_that_occurs_twice_is_refused_even_if_it_is_escaped() {
        for text in [r#"{"a":1,"\u0061":2}"#, r#"[{"b":{"a":1,"c":2,"a":1}}]"#] {
            let why = refused(text);
            assert!(why.contains("a name occurs twice in its object"), "{why}");
        }
        assert!(read(r#"{"a":{"a":1},"b":[{"a":1},{"a":1}]}"#).is_ok());
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(read(&nested(31)).is_ok());
        assert!(refused(&nested(32)).contains("nested too deeply"));
        refused(&"{\"a\":".repeat(1_000_000));
        let value = json!({ "a": [{ "b": 1 }] });
        assert!(is_deeper_than(&value, 2) && !is_deeper_than(&value, 3));
    }

    #[test]
    fn what_json_does_not_allow_is_refused() {
        for text in [
            "",
            "[1,]",
            "{'a':1}",
            "// no\n1",
            "\u{feff}1",
            "1 2",
            "01",
            "NaN",
            "1e999",
            "\"\n\"",
            r#""\ud800""#,
            r#""\ud800\u0041""#,
            r#""\udc00""#,
        ] {
            refused(text);
        }
    }

    #[test]
    fn a_member_is_taken_out_of_an_object() {
        let mut value = json!({ "a": 1 });
        assert_eq!(
            (take(&mut value, "a"), take(&mut value, "b")),
            (json!(1), Value::Null)
        );
        assert_eq!(take(&mut Value::Null, "a"), Value::Null);
    }
}

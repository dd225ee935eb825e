//! Writes JSON, without white space.

use super::Value;
use std::fmt::{self, Display, Formatter, Write};

/// The value as JSON, on one line.
impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::String(text) => write_string(f, text),
            Value::Array(elements) => {
                f.write_char('[')?;
                for (position, element) in elements.iter().enumerate() {
                    write_comma(f, position)?;
                    write!(f, "{element}")?;
                }
                f.write_char(']')
            }
            Value::Object(members) => {
                f.write_char('{')?;
                for (position, (name, value)) in members.iter().enumerate() {
                    write_comma(f, position)?;
                    write_string(f, name)?;
                    write!(f, ":{value}")?;
                }
                f.write_char('}')
            }
        }
    }
}

fn write_comma(f: &mut Formatter<'_>, position: usize) -> fmt::Result {
    match position {
        0 => Ok(()),
        _ => f.write_char(','),
    }
}

fn write_string(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    let mut plain = 0;
    for (position, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        f.write_str(&text[plain..position])?;
        plain = position + 1;
        match byte {
            b'"' => f.write_str("\\\"")?,
            b'\\' => f.write_str("\\\\")?,
            b'\n' => f.write_str("\\n")?,
            b'\r' => f.write_str("\\r")?,
            b'\t' => f.write_str("\\t")?,
            _ => write!(f, "\\u{byte:04x}")?,
        }
    }
    f.write_str(&text[plain..])?;
    f.write_char('"')
}

#[cfg(test)]
mod tests {
    use crate::{object, Value};

    #[test]
    fn what_is_written_is_read_again() {
        let value = Value::from(object! {
            "text": "\"quotes\" \\ / \n\r\t\u{0}\u{1f}\u{7f} é 😀 \u{2028}", "é\n": vec![1, -2], "empty": Value::Array(vec![]),
            "none": Value::Null, "yes": true, "most": u64::MAX, "half": 0.5, "object": object! {},
        });
        assert_eq!(value.to_string().parse::<Value>(), Ok(value));
    }

    #[test]
    fn control_characters_are_escaped_and_other_text_is_not() {
        assert_eq!(
            Value::from("\u{0}\u{1b}é\"\\").to_string(),
            r#""\u0000\u001bé\"\\""#
        );
    }

    #[test]
    fn no_white_space_is_written() {
        assert_eq!(
            Value::from(object! { "a": [1, 2], "b": object! { "c": Value::Null } }).to_string(),
            r#"{"a":[1,2],"b":{"c":null}}"#
        );
    }
}

//! Reads JSON strictly: exactly RFC 8259, no duplicate names, bounded depth.

use super::{Number, Object, Value};
use std::fmt;
use std::str::FromStr;

/// How deep braces and brackets may be nested in a text that is read.
pub const MAX_DEPTH: usize = 512;

/// Why a text isn't JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    reason: &'static str,
    offset: usize,
}

impl ParseError {
    /// The position of the error, in bytes from the start.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cannot read the JSON: {}, at byte {}",
            self.reason, self.offset
        )
    }
}

impl std::error::Error for ParseError {}

/// Reads one JSON value; only white space may surround it.
impl FromStr for Value {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Value, ParseError> {
        let mut reader = Reader { text, at: 0 };
        reader.skip_space();
        let value = reader.value(MAX_DEPTH)?;
        reader.skip_space();
        match reader.peek() {
            None => Ok(value),
            Some(_) => reader.fail("nothing may follow the value"),
        }
    }
}

/// Reads one JSON value from bytes, which must be UTF-8.
pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Value, ParseError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.parse(),
        Err(error) => Err(ParseError {
            reason: "it isn't UTF-8",
            offset: error.valid_up_to(),
        }),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn fail<T>(&self, reason: &'static str) -> Result<T, ParseError> {
        Err(ParseError {
            reason,
            offset: self.at,
        })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, levels: usize) -> Result<Value, ParseError> {
        match self.peek() {
            Some(b'{') => self.object(levels).map(Value::Object),
            Some(b'[') => self.array(levels).map(Value::Array),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(_) => self.fail("a value is expected"),
            None => self.fail("it ends too early"),
        }
    }

    fn word(&mut self, word: &'static str, value: Value) -> Result<Value, ParseError> {
        if !self.text[self.at..].starts_with(word) {
            return self.fail("a value is expected");
        }
        self.at += word.len();
        Ok(value)
    }

    fn descend(&mut self, levels: usize) -> Result<usize, ParseError> {
        match levels.checked_sub(1) {
            Some(left) => {
                self.at += 1;
                self.skip_space();
                Ok(left)
            }
            None => self.fail("it is nested too deep"),
        }
    }

    /// After an element: whether another one follows.
    fn goes_on(&mut self, end: u8) -> Result<bool, ParseError> {
        self.skip_space();
        if self.take(end) {
            return Ok(false);
        }
        if !self.take(b',') {
            return self.fail("a comma or the end of the list is expected");
        }
        self.skip_space();
        if self.peek() == Some(end) {
            return self.fail("a trailing comma is not allowed");
        }
        Ok(true)
    }

    fn array(&mut self, levels: usize) -> Result<Vec<Value>, ParseError> {
        let levels = self.descend(levels)?;
        let mut elements = Vec::new();
        if self.take(b']') {
            return Ok(elements);
        }
        loop {
            elements.push(self.value(levels)?);
            if !self.goes_on(b']')? {
                return Ok(elements);
            }
        }
    }

    fn object(&mut self, levels: usize) -> Result<Object, ParseError> {
        let levels = self.descend(levels)?;
        let mut members = Object::new();
        if self.take(b'}') {
            return Ok(members);
        }
        loop {
            if self.peek() != Some(b'"') {
                return self.fail("a name is expected");
            }
            let start = self.at;
            let name = self.string()?;
            self.skip_space();
            if !self.take(b':') {
                return self.fail("a colon is expected");
            }
            self.skip_space();
            if members.insert(name, self.value(levels)?).is_some() {
                return Err(ParseError {
                    reason: "this name occurs twice in its object",
                    offset: start,
                });
            }
            if !self.goes_on(b'}')? {
                return Ok(members);
            }
        }
    }

    fn number(&mut self) -> Result<Number, ParseError> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(Number::from_text(&self.text[start..self.at]))
    }

    fn digits(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            return self.fail("a digit is expected");
        }
        Ok(())
    }

    fn string(&mut self) -> Result<String, ParseError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let start = self.at;
            while matches!(self.peek(), Some(byte) if byte >= 0x20 && byte != b'"' && byte != b'\\')
            {
                self.at += 1;
            }
            text.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    self.at += 1;
                    text.push(self.escape()?);
                }
                Some(_) => return self.fail("control characters in strings must be escaped"),
                None => return self.fail("it ends too early"),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ParseError> {
        let plain = match self.peek() {
            Some(b'u') => {
                self.at += 1;
                return self.unicode();
            }
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            _ => return self.fail("this escape is unknown"),
        };
        self.at += 1;
        Ok(plain)
    }

    fn unicode(&mut self) -> Result<char, ParseError> {
        let first = self.hexadecimal()?;
        let mut code = first;
        if (0xD800..0xDC00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let second = self.hexadecimal()?;
            if (0xDC00..0xE000).contains(&second) {
                code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            }
        }
        match char::from_u32(code) {
            Some(character) => Ok(character),
            None => self.fail("this surrogate has no partner"),
        }
    }

    fn hexadecimal(&mut self) -> Result<u32, ParseError> {
        let mut code = 0;
        for _ in 0..4 {
            match self.peek().and_then(|byte| char::from(byte).to_digit(16)) {
                Some(digit) => code = code * 16 + digit,
                None => return self.fail("four hexadecimal digits are expected"),
            }
            self.at += 1;
        }
        Ok(code)
    }
}

#[cfg(test)]
mod tests;

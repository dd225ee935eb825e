//! Numbers that keep their text.

use std::fmt;

/// A JSON number. It keeps its text, so nothing is lost when it is passed on.
///
/// Two numbers are equal if they have the same value: `1` equals `1.0`.
///
/// [`Value::from`](crate::Value) also accepts an `f64` that JSON doesn't have, i.e. NaN and the infinities. It is an error to
/// send that.
#[derive(Clone, Debug)]
pub struct Number(Box<str>);

impl Number {
    /// The number with this text, which follows the grammar of JSON.
    pub(super) fn from_text(text: &str) -> Number {
        Number(text.into())
    }

    /// The number with this value, unless it is infinite or not a number.
    pub fn from_f64(value: f64) -> Option<Number> {
        value.is_finite().then(|| Number::of_any(value))
    }

    /// The number with this value, which JSON may not have.
    pub(super) fn of_any(value: f64) -> Number {
        Number(format!("{value:?}").into())
    }

    /// Whether JSON has it: the texts of NaN and the infinities end with a letter.
    pub(super) fn is_json(&self) -> bool {
        !self.0.ends_with(|end: char| end.is_ascii_alphabetic())
    }

    /// Its value, if it is an integer in the range of an `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// Its value, if it is an integer in the range of a `u64`.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// Its value, rounded to the nearest `f64`; infinite if it is too large for one.
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }

    fn as_i128(&self) -> Option<i128> {
        self.0.parse().ok()
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        if self.0 == other.0 {
            return true;
        }
        match (self.as_i128(), other.as_i128()) {
            (Some(one), Some(two)) => one == two,
            _ => self.as_f64() == other.as_f64(),
        }
    }
}

/// The text of the number, as JSON; `null` for what JSON doesn't have.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_json() { &self.0 } else { "null" })
    }
}

macro_rules! from_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Number {
            fn from(value: $integer) -> Number {
                Number(value.to_string().into())
            }
        }
    )*};
}

from_integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_64_bits_are_exact() {
        for value in [i64::MIN, -1, 0, 9_007_199_254_740_993, i64::MAX] {
            assert_eq!(Number::from(value).as_i64(), Some(value));
        }
        assert_eq!(Number::from(u64::MAX).as_u64(), Some(u64::MAX));
        assert_eq!(Number::from(u64::MAX).as_i64(), None);
        assert_ne!(
            Number::from(9_007_199_254_740_993_i64),
            Number::from(9_007_199_254_740_992_i64)
        );
    }

    #[test]
    fn fractions_keep_their_shortest_text() {
        assert_eq!(Number::from_f64(0.1).unwrap().to_string(), "0.1");
        assert_eq!(Number::from_f64(1e300).unwrap().to_string(), "1e300");
        assert_eq!(Number::from_f64(2.0).unwrap().to_string(), "2.0");
        assert!(Number::from_f64(f64::NAN).is_none());
        assert!(Number::from_f64(f64::INFINITY).is_none());
    }

    #[test]
    fn equality_is_of_the_value() {
        assert_eq!(Number::from_text("1"), Number::from_text("1.0"));
        assert_eq!(Number::from_text("-0"), Number::from_text("0.0"));
        assert_ne!(Number::from_text("1"), Number::from_text("2"));
        assert_eq!(Number::from_text("1e400"), Number::from_text("1e400"));
        assert_eq!(Number::from_text("2.50").as_i64(), None);
    }
}

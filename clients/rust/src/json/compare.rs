//! Comparisons with the types of Rust.

use super::{Object, Value};

impl PartialEq<str> for Value {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for Value {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<bool> for Value {
    fn eq(&self, other: &bool) -> bool {
        self.as_bool() == Some(*other)
    }
}

impl PartialEq<Object> for Value {
    fn eq(&self, other: &Object) -> bool {
        self.as_object() == Some(other)
    }
}

macro_rules! compare_numbers {
    ($($number:ty)*) => {$(
        impl PartialEq<$number> for Value {
            fn eq(&self, other: &$number) -> bool {
                self.as_number().is_some() && Value::from(*other).eq(self)
            }
        }
    )*};
}

compare_numbers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f64);

#[cfg(test)]
mod tests {
    use crate::{object, Value};

    #[test]
    fn values_equal_what_they_hold() {
        assert_eq!(Value::from("a"), "a");
        assert_eq!(Value::from(1), 1);
        assert_eq!(Value::from(0.5), 0.5);
        assert_eq!(Value::from(true), true);
        assert_eq!(Value::from(object! { "a": 1 }), object! { "a": 1 });
        assert_ne!(Value::from("1"), 1);
        assert_ne!(Value::Null, f64::NAN);
        assert_ne!(Value::from(1), true);
    }
}

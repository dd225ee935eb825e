use super::*;
use crate::object;

fn read(text: &str) -> Value {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused(text: &str) -> ParseError {
    match text.parse::<Value>() {
        Ok(value) => panic!("{text} was read as {value}"),
        Err(error) => error,
    }
}

#[test]
fn values_of_every_kind_are_read() {
    assert_eq!(read(" null "), Value::Null);
    assert_eq!(read("true"), true);
    assert_eq!(read("false"), false);
    assert_eq!(read("[ ]"), Value::Array(vec![]));
    assert_eq!(read("{ }"), Value::Object(Object::new()));
    assert_eq!(read("\t{ \"a\" : [ 1 , \"x\" ] }\r\n")["a"][1], "x");
    assert_eq!(
        read(r#"{"a":{"b":null}}"#),
        Value::from(object! { "a": object! { "b": Value::Null } })
    );
}

#[test]
fn numbers_keep_their_text() {
    for text in [
        "0",
        "-0",
        "9007199254740993",
        "18446744073709551615",
        "2.50",
        "1e400",
        "-1.5E+3",
        "1e-7",
    ] {
        assert_eq!(read(text).to_string(), text);
    }
    assert_eq!(read("-9223372036854775808").as_i64(), Some(i64::MIN));
}

#[test]
fn malformed_numbers_are_refused() {
    for text in [
        "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "Infinity", "--1", "1_000",
    ] {
        refused(text);
    }
}

#[test]
fn escapes_are_read() {
    assert_eq!(
        read(r#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#),
        "\"\\/\u{8}\u{c}\n\r\té😀"
    );
    assert_eq!(read("\"é😀\u{7f}\""), "é😀\u{7f}");
    assert_eq!(read(r#""\u0000""#), "\0");
}

#[test]
fn malformed_strings_are_refused() {
    for text in [
        "\"",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\n\"",
        "\"\\ud800\"",
        "\"\\ud800\\u0041\"",
        "\"\\udc00\"",
        "'a'",
        "\"\\ud800\\ud800\"",
    ] {
        refused(text);
    }
}

#[test]
fn what_json_does_not_allow_is_refused() {
    for text in [
        "",
        " ",
        "{",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "{\"a\":1,}",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "[1 2]",
        "{\"a\":1 \"b\":2}",
        "1 2",
        "nul",
        "truex",
        "[,1]",
        "// no\n1",
        "\u{feff}1",
        "]",
        "tru",
        "\u{a0}1",
    ] {
        refused(text);
    }
}

#[test]
fn a_name_that_occurs_twice_is_refused_even_if_it_is_escaped() {
    let error = refused(r#"{"a":1,"\u0061":2}"#);
    assert_eq!(error.offset(), 7);
    assert_eq!(
        error.to_string(),
        "cannot read the JSON: this name occurs twice in its object, at byte 7"
    );
}

#[test]
fn depth_is_bounded() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    read(&nested(MAX_DEPTH));
    refused(&nested(MAX_DEPTH + 1));
    refused(&"[".repeat(1_000_000));
    refused(&"{\"a\":".repeat(1_000_000));
}

#[test]
fn bytes_that_are_not_utf8_are_refused() {
    assert_eq!(from_bytes(b"\"a\xff\"").unwrap_err().offset(), 2);
    assert!(from_bytes(b"\"\xc0\x80\"").is_err());
    assert!(from_bytes(b"\"\xed\xa0\x80\"").is_err());
    assert_eq!(from_bytes(b"1").unwrap(), 1);
}

#[test]
fn whatever_is_cut_or_changed_is_read_or_refused_and_never_panics() {
    let text = r#"{"a":[1,-2.5e3,"\u00e9\ud83d\ude00é😀\n",true,false,null,{"b":{}}]}"#.as_bytes();
    for end in 0..text.len() {
        assert!(from_bytes(&text[..end]).is_err());
        for byte in [0, b'"', b'\\', b'{', b']', b'9', 0xff, 0xc3] {
            let mut changed = text.to_vec();
            changed[end] = byte;
            let _ = from_bytes(&changed);
        }
    }
}

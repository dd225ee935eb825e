//! Messages: JSON-RPC 2.0, in both directions.

use crate::{json, Error, ErrorKind, Result, Value};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::fmt;

/// The code of a cancelled run's answer.
pub(crate) const CANCELLED: i64 = -32008;
/// The code of a failed run's answer.
pub(crate) const FAILED: i64 = 1;
/// The code for a request with a method that this crate doesn't know.
pub(crate) const UNKNOWN_METHOD: i64 = -32601;
/// The code for a request whose params are wrong.
pub(crate) const INVALID_PARAMS: i64 = -32602;

/// A message from the supervisor.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// The answer to the request `id`; null if it answers no request.
    Answer { id: Value, outcome: Result<Value> },
    /// A request, which must be answered with the same `id`.
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    /// A request whose params can't be read, and why: it must be refused, and the connection continues.
    Unreadable { id: Value, why: String },
    /// A notification.
    Notification { method: String, params: Value },
}

/// The members of a message. `params`, `result` and `error` are text at first: if one of them can't be read, only its request fails. E.g.
/// another worker's output, which is an input here, may have a number that no `f64` can hold.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Reads a member that may be null. A missing one is `None`.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> std::result::Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl Incoming {
    /// Reads the payload of a frame.
    pub fn read(payload: &[u8]) -> Result<Incoming> {
        let text = std::str::from_utf8(payload).map_err(malformed)?;
        let message: Message<'_> = serde_json::from_str(text).map_err(malformed)?;
        let params = message
            .params
            .map_or(Ok(Value::Null), |params| json::read(params.get()));
        let id = match (message.method, message.id) {
            (Some(method), Some(id)) => {
                return Ok(match params {
                    Ok(params) => Incoming::Request { id, method, params },
                    Err(error) => Incoming::Unreadable {
                        id,
                        why: format!("cannot read the params of {method}: {error}"),
                    },
                })
            }
            (Some(method), None) => {
                let params = params.map_err(malformed)?;
                return Ok(Incoming::Notification { method, params });
            }
            (None, None) => return Err(malformed("it has neither a method nor an id")),
            (None, Some(id)) => id,
        };
        let outcome = match (message.result, message.error) {
            (Some(result), None) => json::read(result.get()).map_err(malformed),
            (None, Some(error)) => Err(json::read(error.get())
                .map_or_else(malformed, |mut error| Error::from_answer(&mut error))),
            _ => return Err(malformed("it needs either a result or an error")),
        };
        Ok(Incoming::Answer { id, outcome })
    }
}

fn malformed(why: impl fmt::Display) -> Error {
    let message = format!("the supervisor sent a malformed message: {why}");
    Error::new(ErrorKind::Protocol, message)
}

/// A request.
pub(crate) fn request(id: i64, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// A notification.
pub(crate) fn notification(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

/// Returns the successful answer to a request.
pub(crate) fn result(id: &Value, result: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()
}

/// Returns the answer to a request with an error.
pub(crate) fn failure(id: &Value, code: i64, message: &str) -> String {
    let error = json!({ "code": code, "message": message });
    json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Incoming {
        Incoming::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn messages_are_told_apart() {
        assert!(
            matches!(read(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), Incoming::Answer { id, outcome: Ok(_) } if id == 1)
        );
        assert!(
            matches!(read(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32007,"message":"x"}}"#),
            Incoming::Answer { id: Value::Null, outcome: Err(error) } if error.code() == Some(-32007))
        );
        assert!(
            matches!(read(r#"{"jsonrpc":"2.0","id":"run-1","method":"run","params":{"run":1}}"#),
            Incoming::Request { id, method, params } if id == "run-1" && method == "run" && params["run"] == 1)
        );
        assert!(
            matches!(read(r#"{"jsonrpc":"2.0","method":"event","new":[1]}"#),
            Incoming::Notification { method, params: Value::Null } if method == "event")
        );
        assert!(matches!(
            read(r#"{"jsonrpc":"2.0","id":1,"result":null}"#),
            Incoming::Answer {
                outcome: Ok(Value::Null),
                ..
            }
        ));
    }

    #[test]
    fn what_is_no_message_breaks_the_protocol() {
        for text in [
            "",
            "1",
            "[]",
            "{}",
            r#"{"id":1}"#,
            r#"{"id":1,"result":1,"error":{}}"#,
            r#"{"result":{}}"#,
            r#"{"method":1}"#,
            r#"{"id":1,"id":1,"result":{}}"#,
            r#"{"method":"event","params":{"topic":"x","topic":"y"}}"#,
        ] {
            assert_eq!(
                Incoming::read(text.as_bytes()).unwrap_err().kind(),
                ErrorKind::Protocol,
                "{text}"
            );
        }
    }

    #[test]
    fn what_cannot_be_read_in_a_request_or_an_answer_is_the_fault_of_that_one_only() {
        let run = r#"{"id":"run-1","method":"run","params":{"inputs":{"a":1e999}}}"#;
        match read(run) {
            Incoming::Unreadable { id, why } => {
                assert_eq!(id, "run-1");
                assert!(why.starts_with("cannot read the params of run: number out of range"));
            }
            other => panic!("{other:?}"),
        }
        match read(r#"{"id":1,"result":{"a":1,"a":2}}"#) {
            Incoming::Answer { id, outcome } => {
                assert_eq!(id, 1);
                assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Protocol);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn messages_are_written_on_one_line() {
        assert_eq!(
            request(7, "wait", &json!({ "pass": 1 })),
            r#"{"id":7,"jsonrpc":"2.0","method":"wait","params":{"pass":1}}"#
        );
        assert_eq!(
            failure(&"run-1".into(), 1, "é"),
            r#"{"error":{"code":1,"message":"é"},"id":"run-1","jsonrpc":"2.0"}"#
        );
    }
}

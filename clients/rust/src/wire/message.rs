//! Messages: JSON-RPC 2.0, in both directions.

use crate::{json, object, Error, ErrorKind, Object, Result, Value};

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
    /// The answer to the request `id`; null if it belongs to none.
    Answer { id: Value, outcome: Result<Value> },
    /// A request, which must be answered with the same `id`.
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    /// A notification.
    Notification { method: String, params: Value },
}

impl Incoming {
    /// Reads the payload of a frame.
    pub fn read(payload: &[u8]) -> Result<Incoming> {
        let broken = |why: String| {
            Error::new(
                ErrorKind::Protocol,
                format!("the supervisor sent a malformed message: {why}"),
            )
        };
        let mut message = json::from_bytes(payload).map_err(|error| broken(error.to_string()))?;
        let id = message.get("id").is_some().then(|| message.take("id"));
        let params = message.take("params");
        match (message.take("method"), id) {
            (Value::String(method), Some(id)) => Ok(Incoming::Request { id, method, params }),
            (Value::String(method), None) => Ok(Incoming::Notification { method, params }),
            (_, None) => Err(broken("it has neither a method nor an id".into())),
            (_, Some(id)) => match (
                message.get("result").is_some(),
                message.get("error").is_some(),
            ) {
                (true, false) => Ok(Incoming::Answer {
                    id,
                    outcome: Ok(message.take("result")),
                }),
                (false, true) => Ok(Incoming::Answer {
                    id,
                    outcome: Err(Error::from_answer(&mut message.take("error"))),
                }),
                _ => Err(broken("it needs either a result or an error".into())),
            },
        }
    }
}

/// A request.
pub(crate) fn request(id: i64, method: &str, params: Object) -> String {
    write(object! { "id": id, "method": method, "params": params })
}

/// A notification.
pub(crate) fn notification(method: &str, params: Object) -> String {
    write(object! { "method": method, "params": params })
}

/// The answer to a request, with success.
pub(crate) fn result(id: &Value, result: Object) -> String {
    write(object! { "id": id.clone(), "result": result })
}

/// The answer to a request, with an error.
pub(crate) fn failure(id: &Value, code: i64, message: &str) -> String {
    write(object! { "id": id.clone(), "error": object! { "code": code, "message": message } })
}

fn write(mut message: Object) -> String {
    message.insert("jsonrpc".into(), "2.0".into());
    Value::from(message).to_string()
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
        ] {
            assert_eq!(
                Incoming::read(text.as_bytes()).unwrap_err().kind(),
                ErrorKind::Protocol,
                "{text}"
            );
        }
    }

    #[test]
    fn messages_are_written_on_one_line() {
        assert_eq!(
            request(7, "wait", object! { "pass": 1 }),
            r#"{"id":7,"jsonrpc":"2.0","method":"wait","params":{"pass":1}}"#
        );
        assert_eq!(
            failure(&"run-1".into(), 1, "é"),
            r#"{"error":{"code":1,"message":"é"},"id":"run-1","jsonrpc":"2.0"}"#
        );
    }
}

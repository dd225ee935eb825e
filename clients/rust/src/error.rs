//! The errors of this crate.

use crate::{json, Value};
use std::sync::Arc;
use std::{fmt, io};

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// What a handler may fail with: any error, or a text.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a request, a connection or a worker failed.
///
/// The text of the error is for people. Programs decide by [`kind`](Error::kind), or by the [`code`](Error::code) and
/// [`word`](Error::word) of the protocol.
///
/// ```
/// use appinitializers::{Client, ErrorKind};
///
/// let error = Client::builder().path("/nowhere/initd.sock").connect_timeout(std::time::Duration::ZERO).connect().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::NoSupervisor);
/// ```
#[derive(Clone)]
pub struct Error(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    message: String,
    code: Option<i64>,
    data: Value,
}

/// The kinds of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No supervisor answers at the socket.
    NoSupervisor,
    /// The connection ended before the answer arrived. The request may or may not have been carried out.
    ConnectionLost,
    /// The peer isn't `initd`: the first byte of a frame isn't 0.
    NotInitd,
    /// The peer broke the protocol.
    Protocol,
    /// A message is larger than the supervisor accepts. No part of the request was sent.
    TooLarge,
    /// The time for a wait or for an answer has passed (`timeout`, −32003).
    Timeout,
    /// An argument is wrong, as found by this crate or by the supervisor (−32600, −32601, −32602).
    InvalidInput,
    /// The supervisor speaks other versions of the protocol (`unsupportedProtocol`, −32001).
    UnsupportedProtocol,
    /// The name has a live provider, or conflicts with the manifest (`nameConflict`, −32002).
    NameConflict,
    /// No initializer has this name (`unknownInitializer`, −32004).
    UnknownInitializer,
    /// Permission denied, by the supervisor (`notPermitted`, −32005) or by the socket's mode.
    NotPermitted,
    /// The supervisor shuts down (`shuttingDown`, −32006).
    ShuttingDown,
    /// A limit of the supervisor is exceeded (`limitExceeded`, −32007).
    LimitExceeded,
    /// An initializer doesn't run, so it can't be cancelled, or never runs, so it can't run again (`notRunning`, −32009).
    NotRunning,
    /// An initializer runs in active passes, and the app is inactive (`inactive`, −32010).
    Inactive,
    /// The configuration that was read again has mistakes, and nothing has changed (`invalidManifest`, −32011).
    InvalidManifest,
    /// The configuration can't be read again, and nothing has changed (`unreadableManifest`, −32012).
    UnreadableManifest,
    /// The supervisor refused for another reason, e.g. an internal error (−32603).
    Refused,
    /// The system has no thread or no descriptor left.
    System,
    /// The program has stopped the worker or the iterator.
    Stopped,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error(Arc::new(Inner {
            kind,
            message: message.into(),
            code: None,
            data: Value::Null,
        }))
    }

    /// Creates an error that an error of the system caused; its text follows the message.
    pub(crate) fn of_system(
        kind: ErrorKind,
        message: impl fmt::Display,
        source: io::Error,
    ) -> Error {
        Error::new(kind, format!("{message}: {source}"))
    }

    pub(crate) fn no_thread(error: io::Error) -> Error {
        Error::of_system(ErrorKind::System, "cannot start a thread", error)
    }

    pub(crate) fn cannot_send(error: io::Error) -> Error {
        let message = "cannot send to the supervisor";
        Error::of_system(ErrorKind::ConnectionLost, message, error)
    }

    /// Creates the error of an answer.
    pub(crate) fn from_answer(error: &mut Value) -> Error {
        let (code, message) = match (error["code"].as_i64(), error["message"].as_str()) {
            (Some(code), Some(message)) => (code, message.to_owned()),
            _ => {
                return Error::new(
                    ErrorKind::Protocol,
                    "cannot read an answer: its error has no code and message",
                )
            }
        };
        Error(Arc::new(Inner {
            kind: ErrorKind::of_code(code),
            message,
            code: Some(code),
            data: json::take(error, "data"),
        }))
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the code of the protocol, if the supervisor sent this error.
    pub fn code(&self) -> Option<i64> {
        self.0.code
    }

    /// Returns the error's name in the protocol (`data.code`), if the supervisor sent one, e.g. `"nameConflict"`.
    pub fn word(&self) -> Option<&str> {
        self.0.data["code"].as_str()
    }

    /// Returns the member `data` of the supervisor's error, or null. A wait that timed out has the Status there, in `status`.
    pub fn data(&self) -> &Value {
        &self.0.data
    }

    /// Returns whether the error may be temporary, so it is worth connecting again.
    pub(crate) fn is_passing(&self) -> bool {
        use ErrorKind::*;
        match self.kind() {
            NoSupervisor | ConnectionLost | ShuttingDown | Timeout | System => true,
            LimitExceeded => self.0.data["limit"] == "connections",
            _ => false,
        }
    }

    /// Returns the same after a loss, when another program may have the socket for a while.
    pub(crate) fn passes_after_loss(&self) -> bool {
        self.is_passing() || self.is_of_stranger()
    }

    /// Whether the peer doesn't speak as a supervisor does.
    pub(crate) fn is_of_stranger(&self) -> bool {
        matches!(self.kind(), ErrorKind::NotInitd | ErrorKind::Protocol)
    }
}

impl ErrorKind {
    fn of_code(code: i64) -> ErrorKind {
        match code {
            -32700 => ErrorKind::Protocol,
            -32602..=-32600 => ErrorKind::InvalidInput,
            -32001 => ErrorKind::UnsupportedProtocol,
            -32002 => ErrorKind::NameConflict,
            -32003 => ErrorKind::Timeout,
            -32004 => ErrorKind::UnknownInitializer,
            -32005 => ErrorKind::NotPermitted,
            -32006 => ErrorKind::ShuttingDown,
            -32007 => ErrorKind::LimitExceeded,
            -32009 => ErrorKind::NotRunning,
            -32010 => ErrorKind::Inactive,
            -32011 => ErrorKind::InvalidManifest,
            -32012 => ErrorKind::UnreadableManifest,
            _ => ErrorKind::Refused,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

/// Writes the text, so that `fn main() -> appinitializers::Result<()>` ends with a sentence. `{:#?}` shows the members.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return fmt::Display::fmt(self, f);
        }
        let mut shown = f.debug_struct("Error");
        shown
            .field("kind", &self.0.kind)
            .field("message", &self.0.message);
        if let Some(code) = self.0.code {
            shown.field("code", &code).field("word", &self.word());
        }
        shown.finish()
    }
}

/// An error has no source: its text is complete.
impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_s_error_has_its_code_word_and_data() {
        let data = json!({ "code": "limitExceeded", "limit": "connections" });
        let error =
            Error::from_answer(&mut json!({ "code": -32007, "message": "too many", "data": data }));
        assert_eq!(
            (error.kind(), error.code(), error.word()),
            (
                ErrorKind::LimitExceeded,
                Some(-32007),
                Some("limitExceeded")
            )
        );
        assert_eq!(error.data()["limit"], "connections");
        assert_eq!(error.to_string(), "too many");
        assert!(error.is_passing());
    }

    #[test]
    fn main_shows_a_sentence() {
        let error = Error::new(ErrorKind::Timeout, "timed out after 30 s");
        assert_eq!(format!("Error: {error:?}"), "Error: timed out after 30 s");
        assert!(format!("{error:#?}").contains("kind: Timeout"));
    }

    #[test]
    fn an_unknown_code_is_a_refusal_and_keeps_its_code() {
        let error = Error::from_answer(&mut json!({ "code": -1, "message": "no" }));
        assert_eq!(
            (error.kind(), error.code(), error.word()),
            (ErrorKind::Refused, Some(-1), None)
        );
        assert!(!error.is_passing());
    }

    #[test]
    fn the_cause_is_in_the_text_and_nowhere_else() {
        let cause = io::Error::from(io::ErrorKind::PermissionDenied);
        let text = cause.to_string();
        let error = Error::of_system(ErrorKind::NotPermitted, "cannot connect", cause);
        let chain: Vec<String> =
            std::iter::successors(Some(&error as &dyn std::error::Error), |each| each.source())
                .map(ToString::to_string)
                .collect();
        assert_eq!(chain.join(": ").matches(&text).count(), 1, "{chain:?}");
    }

    #[test]
    fn an_error_without_code_or_message_breaks_the_protocol() {
        for mut wrong in [
            Value::Null,
            json!({ "code": 1.5, "message": "x" }),
            json!({ "code": 1 }),
        ] {
            assert_eq!(Error::from_answer(&mut wrong).kind(), ErrorKind::Protocol);
        }
    }
}

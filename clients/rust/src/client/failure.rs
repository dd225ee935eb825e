//! Why something has failed.

use super::shape::{optional, shapes, text, texts, word};
use crate::wire::seconds;
use crate::{CauseKind, FailureCode};
use std::fmt;
use std::time::Duration;

shapes! {
    /// Why a pass failed, and which initializer caused it. Its text is the message.
    Failure;
    /// How a run failed, or how a process ended. Its text is for people: `exit status 3`.
    Cause;
}

impl Failure {
    /// What kind of failure it is.
    pub fn code(&self) -> FailureCode {
        word(&self["code"])
    }

    /// The initializer that caused it.
    pub fn initializer(&self) -> &str {
        text(&self["initializer"])
    }

    /// The dependency that isn't declared.
    pub fn dependency(&self) -> Option<&str> {
        self["dependency"].as_str()
    }

    /// The names of a circle of dependencies; the first one is also the last one.
    pub fn cycle(&self) -> Vec<String> {
        texts(&self["cycle"])
    }

    /// How its run failed.
    pub fn cause(&self) -> Option<Cause> {
        optional(&self["cause"], Cause::new)
    }

    /// What has happened, for people.
    pub fn message(&self) -> &str {
        text(&self["message"])
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.message())
    }
}

impl Cause {
    /// What kind of cause it is.
    pub fn kind(&self) -> CauseKind {
        word(&self["kind"])
    }

    /// The message of an error, or why a program can't be started.
    pub fn message(&self) -> Option<&str> {
        self["message"].as_str()
    }

    /// The exit status.
    pub fn status(&self) -> Option<i64> {
        self["status"].as_i64()
    }

    /// The signal that ended it, e.g. `SIGKILL`.
    pub fn signal(&self) -> Option<&str> {
        self["signal"].as_str()
    }

    /// The time that it had.
    pub fn after(&self) -> Option<Duration> {
        seconds::read(&self["after"])
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.message(), self.status(), self.signal(), self.after()) {
            (Some(message), ..) => f.write_str(message),
            (_, Some(status), ..) => write!(f, "exit status {status}"),
            (_, _, Some(signal), _) => f.write_str(signal),
            (.., Some(after)) => write!(f, "{} after {after:?}", self.kind()),
            _ => write!(f, "{}", self.kind()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn a_failure_has_its_cause() {
        let cause = json!({ "kind": "exit", "status": 3 });
        let failure = Failure::new(json!({
            "code": "initializerFailed", "initializer": "a", "cause": cause, "message": "a failed: exit status 3",
        }));
        assert_eq!(failure.code(), FailureCode::InitializerFailed);
        assert_eq!((failure.initializer(), failure.dependency()), ("a", None));
        let cause = failure.cause().unwrap();
        assert_eq!((cause.kind(), cause.status()), (CauseKind::Exit, Some(3)));
        assert_eq!(
            format!("{failure}, {cause}"),
            "a failed: exit status 3, exit status 3"
        );
        let late = Cause::new(json!({ "kind": "timeout", "after": 1.5 }));
        assert_eq!(late.to_string(), "timeout after 1.5s");
        let new = Cause::new(json!({ "kind": "tide", "height": 3 }));
        assert_eq!(
            (new.to_string().as_str(), &new["height"]),
            ("tide", &3.into())
        );
    }
}

//! Why something has failed.

use super::shape::{each, optional, shapes, text, texts, word};
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

    /// All failures of a pass that kept going after its first one, that one included; else none.
    pub fn errors(&self) -> Vec<Failure> {
        each(&self["errors"], Failure::new)
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

    /// Who has cancelled it.
    pub fn user(&self) -> Option<&str> {
        self["user"].as_str()
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(message) = self.message() {
            f.write_str(message)
        } else if let Some(status) = self.status() {
            write!(f, "exit status {status}")
        } else if let Some(signal) = self.signal() {
            f.write_str(signal)
        } else if let Some(user) = self.user() {
            write!(f, "cancelled by {user}")
        } else if let Some(after) = self.after() {
            write!(f, "{} after {after:?}", self.kind())
        } else {
            write!(f, "{}", self.kind())
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
        assert!(failure.errors().is_empty());
        let errors = json!([{ "message": "a failed" }, { "message": "b failed" }]);
        let several = Failure::new(json!({ "message": "a failed", "errors": errors }));
        assert_eq!(several.errors()[1].message(), "b failed");
        let late = Cause::new(json!({ "kind": "timeout", "after": 1.5 }));
        assert_eq!(late.to_string(), "timeout after 1.5s");
        let cancelled = Cause::new(json!({ "kind": "operator", "user": "ops" }));
        assert_eq!(cancelled.to_string(), "cancelled by ops");
        let new = Cause::new(json!({ "kind": "tide", "height": 3 }));
        assert_eq!(
            (new.to_string().as_str(), &new["height"]),
            ("tide", &3.into())
        );
    }
}

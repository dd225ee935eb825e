//! The reasons of failures.

use super::shape::{each, optional, shapes, text, texts, word};
use crate::wire::seconds;
use crate::{CauseKind, FailureCode};
use std::fmt;
use std::time::Duration;

shapes! {
    /// The reason why a pass failed, and the initializer that caused it. `Display` writes the message.
    Failure;
    /// The reason why a run failed, or a process ended. `Display` writes a text for people: `exit status 3`.
    Cause;
}

impl Failure {
    /// Returns the kind of the failure.
    pub fn code(&self) -> FailureCode {
        word(&self["code"])
    }

    /// Returns the initializer that caused it.
    pub fn initializer(&self) -> &str {
        text(&self["initializer"])
    }

    /// Returns the dependency that isn't declared.
    pub fn dependency(&self) -> Option<&str> {
        self["dependency"].as_str()
    }

    /// Returns the names of a dependency cycle; the first one is repeated at the end.
    pub fn cycle(&self) -> Vec<String> {
        texts(&self["cycle"])
    }

    /// Returns the cause of the failed run.
    pub fn cause(&self) -> Option<Cause> {
        optional(&self["cause"], Cause::new)
    }

    /// Returns all failures of a pass that kept going after its first one, including the first one; otherwise an empty list.
    pub fn errors(&self) -> Vec<Failure> {
        each(&self["errors"], Failure::new)
    }

    /// Returns the message for people.
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
    /// Returns the kind of the cause.
    pub fn kind(&self) -> CauseKind {
        word(&self["kind"])
    }

    /// Returns the message of an error, or why a program can't be started.
    pub fn message(&self) -> Option<&str> {
        self["message"].as_str()
    }

    /// Returns the exit status.
    pub fn status(&self) -> Option<i64> {
        self["status"].as_i64()
    }

    /// Returns the signal that ended the process, e.g. `SIGKILL`.
    pub fn signal(&self) -> Option<&str> {
        self["signal"].as_str()
    }

    /// Returns the timeout that has passed.
    pub fn after(&self) -> Option<Duration> {
        seconds::read(&self["after"])
    }

    /// Returns the user that has cancelled the run.
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

//! The reasons of failures.

use super::shapes::{Cause, Failure};
use std::fmt;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.message)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(message) = &self.message {
            f.write_str(message)
        } else if let Some(status) = self.status {
            write!(f, "exit status {status}")
        } else if let Some(signal) = &self.signal {
            f.write_str(signal)
        } else if let Some(user) = &self.user {
            write!(f, "cancelled by {user}")
        } else if let Some(after) = self.after {
            write!(f, "{} after {after:?}", self.kind)
        } else {
            write!(f, "{}", self.kind)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CauseKind, FailureCode};

    fn failure(text: &str) -> Failure {
        serde_json::from_str(text).unwrap()
    }

    fn cause(text: &str) -> Cause {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_failure_has_its_cause() {
        let failure = failure(
            r#"{"code":"initializerFailed","initializer":"a","cause":{"kind":"exit","status":3},"message":"a failed: exit status 3"}"#,
        );
        assert_eq!(failure.code, FailureCode::InitializerFailed);
        assert_eq!(
            (failure.initializer.as_str(), &failure.dependency),
            ("a", &None)
        );
        assert!(failure.errors.is_empty());
        let cause = failure.cause.as_ref().unwrap();
        assert_eq!((&cause.kind, cause.status), (&CauseKind::Exit, Some(3)));
        assert_eq!(
            format!("{failure}, {cause}"),
            "a failed: exit status 3, exit status 3"
        );
    }

    #[test]
    fn a_pass_that_kept_going_has_several_failures() {
        let several = failure(
            r#"{"message":"a failed","errors":[{"message":"a failed"},{"message":"b failed"}]}"#,
        );
        assert_eq!(several.errors[1].message, "b failed");
    }

    #[test]
    fn a_cause_is_shown_for_people() {
        for (text, shown) in [
            (r#"{"kind":"timeout","after":1.5}"#, "timeout after 1.5s"),
            (r#"{"kind":"operator","user":"ops"}"#, "cancelled by ops"),
            (r#"{"kind":"signal","signal":"SIGKILL"}"#, "SIGKILL"),
            (r#"{"kind":"tide","height":3}"#, "tide"),
        ] {
            assert_eq!(cause(text).to_string(), shown);
        }
    }
}

//! What the supervisor says about its state.

use crate::Value;
use std::fmt;
use std::ops::Index;

/// The state of a phase, of both together, or the outcome of a wait.
#[derive(Clone, Debug, PartialEq)]
pub struct State(Value);

impl State {
    pub(crate) fn new(value: Value) -> State {
        State(value)
    }

    /// The word of the protocol: `pending`, `complete`, `failed`, `cancelled`, or one of a later version.
    pub fn word(&self) -> &str {
        self.0["state"].as_str().unwrap_or("unknown")
    }

    /// Whether it hasn't ended, or was cancelled and waits for the next pass.
    pub fn is_pending(&self) -> bool {
        self.word() == "pending"
    }

    /// Whether everything has completed.
    pub fn is_complete(&self) -> bool {
        self.word() == "complete"
    }

    /// Whether something has failed; [`error`](State::error) says what.
    pub fn is_failed(&self) -> bool {
        self.word() == "failed"
    }

    /// Whether it was cancelled. Only a wait for a pass or for an initializer ends so.
    pub fn is_cancelled(&self) -> bool {
        self.word() == "cancelled"
    }

    /// The number of the phase's newest pass, if there has been one. The composite state has none.
    pub fn pass(&self) -> Option<u64> {
        self.0["pass"].as_u64()
    }

    /// Why it failed, for people.
    pub fn error(&self) -> Option<&str> {
        self.0["error"]["message"].as_str()
    }

    /// All members, as in the protocol; `error` has the initializer and the cause.
    pub fn as_value(&self) -> &Value {
        &self.0
    }
}

/// The word, and the error if there is one: `failed: favorites failed: HTTP 503`.
impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self.error() {
            Some(error) => write!(f, ": {error}"),
            None => Ok(()),
        }
    }
}

/// The complete state of the supervisor at one moment.
///
/// The members that have no method here are read by their names in the protocol: `status["concurrency"]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Status(Value);

impl Status {
    pub(crate) fn new(value: Value) -> Status {
        Status(value)
    }

    /// The number of the last event; 0 before the first.
    pub fn seq(&self) -> u64 {
        self.0["seq"].as_u64().unwrap_or(0)
    }

    /// Identifies one execution of a supervisor. If it differs, passes and runs count from 1 again.
    pub fn instance(&self) -> &str {
        self.0["instance"].as_str().unwrap_or("")
    }

    /// Whether the app is active.
    pub fn is_active(&self) -> bool {
        self.0["lifecycle"] == "active"
    }

    /// The state of launch.
    pub fn launch(&self) -> State {
        State(self.0["launch"].clone())
    }

    /// The state of active.
    pub fn active(&self) -> State {
        State(self.0["active"].clone())
    }

    /// The state of both: failed if either is, complete if both are, else pending.
    pub fn composite(&self) -> State {
        State(self.0["composite"].clone())
    }

    /// The initializers, in the order of registration, with their members as in the protocol.
    pub fn initializers(&self) -> &[Value] {
        self.0["initializers"].as_array().unwrap_or(&[])
    }

    /// The initializer with this name.
    pub fn initializer(&self, name: &str) -> Option<&Value> {
        self.initializers().iter().find(|each| each["name"] == name)
    }

    /// All members, as in the protocol.
    pub fn as_value(&self) -> &Value {
        &self.0
    }
}

/// The member with this name, or null.
impl Index<&str> for Status {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        &self.0[name]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object;

    #[test]
    fn a_state_shows_its_word_and_error() {
        let state = State::new(object! { "state": "failed", "pass": 3, "error": object! { "message": "a failed: no" } }.into());
        assert_eq!(
            (state.to_string().as_str(), state.pass()),
            ("failed: a failed: no", Some(3))
        );
        assert!(
            state.is_failed()
                && !state.is_complete()
                && !state.is_pending()
                && !state.is_cancelled()
        );
    }

    #[test]
    fn unknown_words_and_missing_members_are_accepted() {
        assert_eq!(
            State::new(object! { "state": "paused" }.into()).to_string(),
            "paused"
        );
        let empty = Status::new(Value::Null);
        assert_eq!(
            (
                empty.seq(),
                empty.instance(),
                empty.is_active(),
                empty.initializers().len()
            ),
            (0, "", false, 0)
        );
        assert_eq!(empty.launch().word(), "unknown");
    }

    #[test]
    fn a_status_finds_initializers_by_name() {
        let status = Status::new(
            object! { "initializers": [object! { "name": "a", "status": "idle" }] }.into(),
        );
        assert_eq!(status.initializer("a").unwrap()["status"], "idle");
        assert!(status.initializer("b").is_none());
    }
}

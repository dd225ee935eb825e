//! The supervisor's reports about its state.

use super::failure::Failure;
use super::parts::{InitializerStatus, ProcessStatus, WorkerStatus};
use super::shape::{each, optional, shapes, text, texts, time, word};
use crate::wire::seconds;
use crate::StateKind;
use std::fmt;
use std::time::{Duration, SystemTime};

shapes! {
    /// The state of a phase, of both together, or the outcome of a wait.
    State;
    /// The complete state of the supervisor at one moment.
    Status;
}

impl State {
    /// Returns the kind of the state.
    pub fn kind(&self) -> StateKind {
        word(&self["state"])
    }

    /// Returns whether the phase hasn't ended, or was cancelled and waits for the next pass.
    pub fn is_pending(&self) -> bool {
        self["state"] == "pending"
    }

    /// Returns whether the phase has completed.
    pub fn is_complete(&self) -> bool {
        self["state"] == "complete"
    }

    /// Returns whether the phase has failed; [`error`](State::error) says why.
    pub fn is_failed(&self) -> bool {
        self["state"] == "failed"
    }

    /// Returns whether the phase was cancelled. Only a wait for a pass or for an initializer ends so.
    pub fn is_cancelled(&self) -> bool {
        self["state"] == "cancelled"
    }

    /// Returns the number of the phase's newest pass, if there has been one. The composite state has none.
    pub fn pass(&self) -> Option<u64> {
        self["pass"].as_u64()
    }

    /// Returns why the phase failed.
    pub fn error(&self) -> Option<Failure> {
        optional(&self["error"], Failure::new)
    }
}

/// Writes the state, and the error if there is one: `failed: favorites failed: HTTP 503`.
impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)?;
        match self.error() {
            Some(error) => write!(f, ": {error}"),
            None => Ok(()),
        }
    }
}

impl Status {
    /// Returns the number of the last event; 0 before the first.
    pub fn seq(&self) -> u64 {
        self["seq"].as_u64().unwrap_or(0)
    }

    /// Identifies one execution of a supervisor. If it differs, passes and runs count from 1 again.
    pub fn instance(&self) -> &str {
        text(&self["instance"])
    }

    /// Whether the app is active.
    pub fn is_active(&self) -> bool {
        self["lifecycle"] == "active"
    }

    /// Returns the state of launch.
    pub fn launch(&self) -> State {
        State(self["launch"].clone())
    }

    /// Returns the state of active.
    pub fn active(&self) -> State {
        State(self["active"].clone())
    }

    /// Returns the state of both phases: failed if one has failed, complete if both are, otherwise pending.
    pub fn composite(&self) -> State {
        State(self["composite"].clone())
    }

    /// Returns the time at which the status was read.
    pub fn time(&self) -> Option<SystemTime> {
        time(&self["time"])
    }

    /// Returns the time since the supervisor's start.
    pub fn uptime(&self) -> Option<Duration> {
        seconds::read(&self["uptime"])
    }

    /// How many connections get events; `None` from a supervisor that doesn't tell.
    pub fn subscribers(&self) -> Option<u64> {
        self["subscribers"].as_u64()
    }

    /// How many connections hold the app active.
    pub fn holds(&self) -> u64 {
        self["holds"].as_u64().unwrap_or(0)
    }

    /// Returns the initializers, in the order of registration; a copy.
    pub fn initializers(&self) -> Vec<InitializerStatus> {
        each(&self["initializers"], InitializerStatus::new)
    }

    /// Returns the initializer with this name.
    pub fn initializer(&self, name: &str) -> Option<InitializerStatus> {
        let mut initializers = self["initializers"].as_array()?.iter();
        let found = initializers.find(|each| each["name"] == name)?;
        Some(InitializerStatus::new(found.clone()))
    }

    /// Returns the connections that provide initializers, oldest first.
    pub fn workers(&self) -> Vec<WorkerStatus> {
        each(&self["workers"], WorkerStatus::new)
    }

    /// Returns the processes that the supervisor keeps running, in the manifest's order.
    pub fn processes(&self) -> Vec<ProcessStatus> {
        each(&self["processes"], ProcessStatus::new)
    }

    /// Returns problems of the supervisor itself, for people.
    pub fn warnings(&self) -> Vec<String> {
        texts(&self["warnings"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{json, InitializerState, Value};

    #[test]
    fn a_state_shows_its_word_and_error() {
        let state = State::new(
            json!({ "state": "failed", "pass": 3, "error": { "message": "a failed: no" } }),
        );
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
            State::new(json!({ "state": "paused" })).to_string(),
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
        assert_eq!(empty.launch().kind(), StateKind::from("unknown"));
    }

    #[test]
    fn a_status_finds_initializers_by_name() {
        let status = Status::new(json!({ "initializers": [{ "name": "a", "status": "idle" }] }));
        assert_eq!(
            status.initializer("a").unwrap().state(),
            InitializerState::Idle
        );
        assert!(status.initializer("b").is_none());
    }
}

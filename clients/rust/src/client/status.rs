//! What programs ask about a state or a status.

use super::shapes::{InitializerStatus, State, StateChange, Status};
use crate::{Lifecycle, StateKind};
use std::fmt;

impl State {
    /// Returns whether the phase hasn't ended, or was cancelled and waits for the next pass.
    pub fn is_pending(&self) -> bool {
        self.kind == StateKind::Pending
    }

    /// Returns whether the phase has completed.
    pub fn is_complete(&self) -> bool {
        self.kind == StateKind::Complete
    }

    /// Returns whether the phase has failed; [`error`](State::error) says why.
    pub fn is_failed(&self) -> bool {
        self.kind == StateKind::Failed
    }

    /// Returns whether the phase was cancelled. Only a wait for a pass or for an initializer ends so.
    pub fn is_cancelled(&self) -> bool {
        self.kind == StateKind::Cancelled
    }
}

/// Writes the state, and the error if there is one: `failed: favorites failed: HTTP 503`.
impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        match &self.error {
            Some(error) => write!(f, ": {error}"),
            None => Ok(()),
        }
    }
}

impl Status {
    /// Returns whether the app is active.
    pub fn is_active(&self) -> bool {
        self.lifecycle == Lifecycle::Active
    }

    /// Returns the initializer with this name.
    pub fn initializer(&self, name: &str) -> Option<&InitializerStatus> {
        self.initializers.iter().find(|each| each.name == name)
    }
}

impl StateChange {
    /// Returns whether the app is active.
    pub fn is_active(&self) -> bool {
        self.lifecycle == Lifecycle::Active
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InitializerState, Phase, Priority, Provider};
    use std::time::{Duration, SystemTime};

    fn state(text: &str) -> State {
        serde_json::from_str(text).unwrap()
    }

    fn status(text: &str) -> Status {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_state_shows_its_word_and_error() {
        let state = state(r#"{"state":"failed","pass":3,"error":{"message":"a failed: no"}}"#);
        assert_eq!(
            (state.to_string().as_str(), state.pass),
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
        assert_eq!(state(r#"{"state":"paused"}"#).to_string(), "paused");
        let empty = status("{}");
        assert_eq!(empty, Status::default());
        assert_eq!(
            (empty.seq, empty.instance.as_str(), empty.is_active()),
            (0, "", false)
        );
        assert_eq!(empty.launch.kind, StateKind::from("unknown"));
    }

    #[test]
    fn a_status_finds_initializers_by_name() {
        let status = status(r#"{"initializers":[{"name":"a","status":"idle"}]}"#);
        assert_eq!(
            status.initializer("a").unwrap().state,
            InitializerState::Idle
        );
        assert!(status.initializer("b").is_none());
    }

    #[test]
    fn an_initializer_has_its_members() {
        let status = status(
            r#"{"fence":42,"groups":[{"name":"heavy","places":2}],"inFlight":[{"pass":2,"phase":"active","opened":1.5}],
            "initializers":[{"name":"favorites","priority":"appActive","dependencies":["migrate"],"provider":"worker","available":true,
            "status":"running","run":7,"attempt":2,"attempts":3,"pass":2,"phase":"active","started":1763672399.5,"tide":"high",
            "progress":{"fraction":0.5,"message":"half"},"error":{"code":"initializerFailed","message":"favorites failed"},
            "again":{"reason":"dependency","initializer":"migrate","message":"it has run"},"group":"heavy","stale":true,
            "once":{"release":"v7","fence":42,"message":"host-b has run it"}}]}"#,
        );
        assert_eq!((status.fence, status.groups[0].places), (Some(42), 2));
        assert_eq!(status.in_flight[0].phase, Phase::Active);
        let initializer = status.initializer("favorites").unwrap();
        assert_eq!(initializer.priority, Priority::AppActive);
        assert_eq!(initializer.dependencies, ["migrate"]);
        assert_eq!(initializer.provider, Provider::Worker);
        assert!(initializer.available && initializer.stale && !initializer.changed);
        assert_eq!(initializer.state, InitializerState::Running);
        assert_eq!((initializer.run, initializer.pass), (Some(7), Some(2)));
        assert_eq!(
            (initializer.attempt, initializer.attempts),
            (Some(2), Some(3))
        );
        assert_eq!(initializer.phase, Some(Phase::Active));
        let started = SystemTime::UNIX_EPOCH + Duration::from_millis(1_763_672_399_500);
        assert_eq!(initializer.started, Some(started));
        let progress = initializer.progress.as_ref().unwrap();
        assert_eq!(
            (progress.fraction, progress.message.as_deref()),
            (Some(0.5), Some("half"))
        );
        let error = initializer.error.as_ref().unwrap();
        assert_eq!(error.message, "favorites failed");
        let again = initializer.again.as_ref().unwrap();
        assert_eq!(
            (again.reason.as_str(), again.initializer.as_deref()),
            ("dependency", Some("migrate"))
        );
        let once = initializer.once.as_ref().unwrap();
        assert_eq!((once.release.as_str(), once.fence), ("v7", Some(42)));
        assert_eq!(once.message.as_deref(), Some("host-b has run it"));
    }

    #[test]
    fn a_missing_member_is_none() {
        let status = status(r#"{"initializers":[{"name":"a","status":"ebb"}]}"#);
        let initializer = &status.initializers[0];
        assert_eq!(initializer.state, InitializerState::Other("ebb".into()));
        assert_eq!((initializer.run, &initializer.phase), (None, &None));
        assert_eq!((initializer.started, initializer.duration), (None, None));
        assert!(initializer.error.is_none() && initializer.blocked_by.is_none());
    }

    #[test]
    fn a_worker_and_a_process_have_their_members() {
        let status = status(
            r#"{"workers":[{"client":"shelf","pid":4720,"initializers":["a"]}],"processes":[{"name":"shelf","restarts":1,
            "lastExit":{"kind":"signal","signal":"SIGKILL"},"nextStart":1,"givenUp":false,"skipped":{"reason":"requested","message":"no"}}]}"#,
        );
        let (worker, process) = (&status.workers[0], &status.processes[0]);
        assert_eq!((worker.client.as_str(), worker.pid), ("shelf", Some(4720)));
        assert_eq!(worker.initializers, ["a"]);
        assert_eq!(
            (process.name.as_str(), process.pid, process.restarts),
            ("shelf", None, 1)
        );
        assert_eq!(process.last_exit.as_ref().unwrap().to_string(), "SIGKILL");
        assert_eq!(process.skipped.as_ref().unwrap().reason, "requested");
        assert!(process.next_start.is_some() && process.uptime.is_none() && !process.given_up);
    }
}

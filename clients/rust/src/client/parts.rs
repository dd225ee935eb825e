//! The parts of a status: initializers, workers and processes.

use super::failure::{Cause, Failure};
use super::shape::{optional, optional_word, shapes, text, texts, time, word};
use crate::wire::seconds;
use crate::{InitializerState, Phase, Priority, Provider};
use std::time::{Duration, SystemTime};

shapes! {
    /// An initializer with its last run.
    InitializerStatus;
    /// A connection that provides initializers.
    WorkerStatus;
    /// A process that the supervisor keeps running.
    ProcessStatus;
}

impl InitializerStatus {
    /// Its name.
    pub fn name(&self) -> &str {
        text(&self["name"])
    }

    /// Returns the phase that runs the initializer.
    pub fn priority(&self) -> Priority {
        word(&self["priority"])
    }

    /// Returns the initializers that must be complete before this one.
    pub fn dependencies(&self) -> Vec<String> {
        texts(&self["dependencies"])
    }

    /// Returns the kind of its provider.
    pub fn provider(&self) -> Provider {
        word(&self["provider"])
    }

    /// Returns whether the initializer can run now: whether its worker is connected.
    pub fn is_available(&self) -> bool {
        self["available"] == true
    }

    /// Returns the initializer's current state, or its last outcome (`status` in the protocol).
    pub fn state(&self) -> InitializerState {
        word(&self["status"])
    }

    /// Returns whether the initializer is complete, but a dependency has run since then.
    pub fn is_stale(&self) -> bool {
        self["stale"] == true
    }

    /// Returns the initializer whose failure prevented or stopped it.
    pub fn blocked_by(&self) -> Option<&str> {
        self["blockedBy"].as_str()
    }

    /// Returns the number of the initializer's last run.
    pub fn run(&self) -> Option<u64> {
        self["run"].as_u64()
    }

    /// Returns the number of that run's attempt in its pass, from 1.
    pub fn attempt(&self) -> Option<u64> {
        self["attempt"].as_u64()
    }

    /// Returns how many attempts the initializer has, if more than one.
    pub fn attempts(&self) -> Option<u64> {
        self["attempts"].as_u64()
    }

    /// Returns the pass of that run.
    pub fn pass(&self) -> Option<u64> {
        self["pass"].as_u64()
    }

    /// Returns the phase of that pass.
    pub fn phase(&self) -> Option<Phase> {
        optional_word(&self["phase"])
    }

    /// Returns the start of that run.
    pub fn started(&self) -> Option<SystemTime> {
        time(&self["started"])
    }

    /// Returns the duration of that run, once it has ended.
    pub fn duration(&self) -> Option<Duration> {
        seconds::read(&self["duration"])
    }

    /// Returns the process id of its command, while that runs.
    pub fn pid(&self) -> Option<u32> {
        self["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok())
    }

    /// Returns the start of the next attempt, while the initializer waits for it.
    pub fn next_attempt(&self) -> Option<SystemTime> {
        time(&self["nextAttempt"])
    }

    /// Returns the last progress of that run, from 0 to 1.
    pub fn progress(&self) -> Option<f64> {
        self["progress"]["fraction"].as_f64()
    }

    /// Returns the last message of that run.
    pub fn message(&self) -> Option<&str> {
        self["progress"]["message"].as_str()
    }

    /// Why the last attempt failed.
    pub fn error(&self) -> Option<Failure> {
        optional(&self["error"], Failure::new)
    }
}

impl WorkerStatus {
    /// Returns the name of the client.
    pub fn client(&self) -> &str {
        text(&self["client"])
    }

    /// Returns the process id of the client, if it is known.
    pub fn pid(&self) -> Option<u32> {
        self["pid"].as_u64()?.try_into().ok()
    }

    /// Returns the names of the initializers that it provides.
    pub fn initializers(&self) -> Vec<String> {
        texts(&self["initializers"])
    }
}

impl ProcessStatus {
    /// Returns the name of the process in the manifest.
    pub fn name(&self) -> &str {
        text(&self["name"])
    }

    /// Returns the process id, while the process runs.
    pub fn pid(&self) -> Option<u32> {
        self["pid"].as_u64()?.try_into().ok()
    }

    /// Returns the time since the last start, while the process runs.
    pub fn uptime(&self) -> Option<Duration> {
        seconds::read(&self["uptime"])
    }

    /// Returns how often the process was restarted.
    pub fn restarts(&self) -> u64 {
        self["restarts"].as_u64().unwrap_or(0)
    }

    /// Returns the cause of the last exit, even if the status was 0, or why the process couldn't be started.
    pub fn last_exit(&self) -> Option<Cause> {
        optional(&self["lastExit"], Cause::new)
    }

    /// Returns the time of the next restart.
    pub fn next_start(&self) -> Option<SystemTime> {
        time(&self["nextStart"])
    }

    /// Returns whether the process exited too often, and isn't restarted before the next `launch` or `activate`.
    pub fn is_given_up(&self) -> bool {
        self["givenUp"] == true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    fn read(text: &str) -> Value {
        text.parse().unwrap()
    }

    #[test]
    fn an_initializer_has_its_members_and_those_of_later_versions() {
        let initializer = InitializerStatus::new(read(
            r#"{"name":"favorites","priority":"appActive","dependencies":["migrate"],"provider":"worker","available":true,
            "status":"running","run":7,"attempt":2,"attempts":3,"pass":2,"phase":"active","started":1763672399.5,"tide":"high",
            "progress":{"fraction":0.5,"message":"half"},"error":{"code":"initializerFailed","message":"favorites failed"}}"#,
        ));
        assert_eq!(initializer.name(), "favorites");
        assert_eq!(initializer.priority(), Priority::AppActive);
        assert_eq!(initializer.dependencies(), ["migrate"]);
        assert_eq!(initializer.provider(), Provider::Worker);
        assert!(initializer.is_available());
        assert_eq!(initializer.state(), InitializerState::Running);
        assert_eq!((initializer.run(), initializer.pass()), (Some(7), Some(2)));
        assert_eq!(
            (initializer.attempt(), initializer.attempts()),
            (Some(2), Some(3))
        );
        assert_eq!(initializer.phase(), Some(Phase::Active));
        let started = SystemTime::UNIX_EPOCH + Duration::from_millis(1_763_672_399_500);
        assert_eq!(initializer.started(), Some(started));
        assert_eq!(
            (initializer.progress(), initializer.message()),
            (Some(0.5), Some("half"))
        );
        assert_eq!(initializer.error().unwrap().message(), "favorites failed");
        assert_eq!(initializer["tide"], "high");
    }

    #[test]
    fn what_is_missing_is_none() {
        let initializer = InitializerStatus::new(read(r#"{"name":"a","status":"ebb"}"#));
        assert_eq!(initializer.state(), InitializerState::Other("ebb".into()));
        assert_eq!(
            (initializer.run(), initializer.phase(), initializer.error()),
            (None, None, None)
        );
        assert_eq!(
            (initializer.started(), initializer.duration()),
            (None, None)
        );
        assert_eq!(initializer.blocked_by(), None);
    }

    #[test]
    fn a_worker_and_a_process_have_their_members() {
        let worker = WorkerStatus::new(read(
            r#"{"client":"shelf","pid":4720,"initializers":["a"]}"#,
        ));
        assert_eq!((worker.client(), worker.pid()), ("shelf", Some(4720)));
        assert_eq!(worker.initializers(), ["a"]);
        let process = ProcessStatus::new(read(
            r#"{"name":"shelf","restarts":1,"lastExit":{"kind":"signal","signal":"SIGKILL"},"nextStart":1,"givenUp":false}"#,
        ));
        assert_eq!(
            (process.name(), process.pid(), process.restarts()),
            ("shelf", None, 1)
        );
        assert_eq!(process.last_exit().unwrap().to_string(), "SIGKILL");
        assert!(
            process.next_start().is_some() && process.uptime().is_none() && !process.is_given_up()
        );
    }
}

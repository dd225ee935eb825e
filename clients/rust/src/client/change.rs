//! The changes since a snapshot.

use super::parts::{InitializerStatus, ProcessStatus, WorkerStatus};
use super::record::LogLine;
use super::shape::{shapes, text, texts, time, word};
use super::status::State;
use crate::{PassStatus, Phase, Topic, Value};
use std::time::SystemTime;

/// A change, which belongs to one [topic](Topic). [`as_value`](Change::as_value) has all members, as in the protocol.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// A state has changed, or the lifecycle.
    State(StateChange),
    /// An initializer has changed, has reported progress, or was removed.
    Initializer(InitializerChange),
    /// A pass has started or ended.
    Pass(PassChange),
    /// A worker has come, changed its names, or gone.
    Worker(WorkerChange),
    /// A process of the supervisor was started, has exited, or isn't restarted any more.
    Process(ProcessChange),
    /// A line of output.
    Log(LogLine),
    /// A change that this version of the crate doesn't know.
    Other(Value),
}

shapes! {
    /// The states at one time, and the changed ones among them.
    StateChange;
    /// A change of an initializer.
    InitializerChange;
    /// The start or the end of a pass.
    PassChange;
    /// A change of a worker.
    WorkerChange;
    /// A change of a process.
    ProcessChange;
}

impl Change {
    pub(crate) fn new(value: Value) -> Change {
        match value["topic"].as_str() {
            Some("state") => Change::State(StateChange::new(value)),
            Some("initializer") => Change::Initializer(InitializerChange::new(value)),
            Some("pass") => Change::Pass(PassChange::new(value)),
            Some("worker") if value["process"].is_null() => {
                Change::Worker(WorkerChange::new(value))
            }
            Some("worker") => Change::Process(ProcessChange::new(value)),
            Some("log") => Change::Log(LogLine::new(value)),
            _ => Change::Other(value),
        }
    }

    /// Returns the topic in the protocol's words: `state`, `initializer`, `pass`, `worker`, `log`, or one of a later version.
    pub fn topic(&self) -> &str {
        text(&self.as_value()["topic"])
    }

    /// Its number. Gaps are events of other topics.
    pub fn seq(&self) -> u64 {
        self.as_value()["seq"].as_u64().unwrap_or(0)
    }

    /// Returns the time of the change.
    pub fn time(&self) -> Option<SystemTime> {
        time(&self.as_value()["time"])
    }

    /// Returns all members, as in the protocol.
    pub fn as_value(&self) -> &Value {
        match self {
            Change::State(change) => change.as_value(),
            Change::Initializer(change) => change.as_value(),
            Change::Pass(change) => change.as_value(),
            Change::Worker(change) => change.as_value(),
            Change::Process(change) => change.as_value(),
            Change::Log(line) => line.as_value(),
            Change::Other(value) => value,
        }
    }
}

impl StateChange {
    /// Returns the changed states.
    pub fn changed(&self) -> Vec<Topic> {
        let topics = texts(&self["changed"]);
        topics.iter().map(|topic| topic.as_str().into()).collect()
    }

    /// Whether the app is active.
    pub fn is_active(&self) -> bool {
        self["lifecycle"] == "active"
    }

    /// Returns the state of launch.
    pub fn launch(&self) -> State {
        State::new(self["launch"].clone())
    }

    /// Returns the state of active.
    pub fn active(&self) -> State {
        State::new(self["active"].clone())
    }

    /// Returns the state of both phases.
    pub fn composite(&self) -> State {
        State::new(self["composite"].clone())
    }
}

impl InitializerChange {
    /// Returns the current status of the initializer, or the last status before it was removed.
    pub fn initializer(&self) -> InitializerStatus {
        InitializerStatus::new(self["initializer"].clone())
    }

    /// Returns whether the initializer was removed.
    pub fn is_removed(&self) -> bool {
        self["removed"] == true
    }
}

impl PassChange {
    /// Returns the number of the pass.
    pub fn pass(&self) -> u64 {
        self["pass"].as_u64().unwrap_or(0)
    }

    /// Its phase.
    pub fn phase(&self) -> Phase {
        word(&self["phase"])
    }

    /// Returns the new status of the pass.
    pub fn status(&self) -> PassStatus {
        word(&self["status"])
    }
}

impl WorkerChange {
    /// Returns the worker, with the names that it provides, or has provided.
    pub fn worker(&self) -> WorkerStatus {
        WorkerStatus::new(self["worker"].clone())
    }

    /// Returns whether the worker is connected. A worker that is connected without names isn't a worker any more.
    pub fn is_connected(&self) -> bool {
        self["connected"] == true
    }
}

impl ProcessChange {
    /// Returns the current status of the process.
    pub fn process(&self) -> ProcessStatus {
        ProcessStatus::new(self["process"].clone())
    }

    /// Returns whether a reload has removed the process; then this is its last status.
    pub fn is_removed(&self) -> bool {
        self["removed"] == true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InitializerState;

    macro_rules! read {
        ($kind:ident, $text:literal) => {
            match Change::new($text.parse().unwrap()) {
                Change::$kind(change) => change,
                other => panic!("{other:?}"),
            }
        };
    }

    #[test]
    fn a_change_has_the_type_of_its_topic() {
        let change = read!(
            State,
            r#"{"topic":"state","changed":["active","tide"],"lifecycle":"active","active":{"state":"failed"}}"#
        );
        assert_eq!(change.changed(), [Topic::Active, Topic::from("tide")]);
        assert!(change.is_active() && change.active().is_failed());
        let change = read!(
            Initializer,
            r#"{"topic":"initializer","initializer":{"name":"a","status":"idle"},"removed":true}"#
        );
        assert_eq!(change.initializer().state(), InitializerState::Idle);
        assert!(change.is_removed());
        let change = read!(
            Pass,
            r#"{"topic":"pass","pass":2,"phase":"active","status":"started"}"#
        );
        assert_eq!((change.pass(), change.phase()), (2, Phase::Active));
        assert_eq!(change.status(), PassStatus::Started);
    }

    #[test]
    fn a_worker_and_a_process_have_the_same_topic() {
        let change = read!(
            Worker,
            r#"{"topic":"worker","worker":{"client":"w"},"connected":true}"#
        );
        assert!(change.worker().client() == "w" && change.is_connected());
        let change = read!(
            Process,
            r#"{"topic":"worker","process":{"name":"p","restarts":2}}"#
        );
        assert_eq!(change.process().name(), "p");
    }

    #[test]
    fn what_is_unknown_is_kept() {
        let line = read!(Log, r#"{"topic":"log","line":"x","new":1}"#);
        assert_eq!((line.line(), &line["new"]), ("x", &1.into()));
        let change =
            Change::new(r#"{"topic":"tide","seq":8,"time":2,"height":3}"#.parse().unwrap());
        assert_eq!((change.topic(), change.seq()), ("tide", 8));
        assert!(change.time().is_some());
        assert!(matches!(change, Change::Other(value) if value["height"] == 3));
    }
}

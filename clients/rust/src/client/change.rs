//! The changes since a snapshot.

use super::shapes::*;
use crate::wire::seconds;
use crate::Value;
use serde::Deserialize;
use std::time::SystemTime;

/// A change, which belongs to one [topic](crate::Topic).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)] // A pattern can't look into a box.
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
    /// A change that this version of the crate doesn't know, with all members as in the protocol.
    Other(Value),
}

impl Change {
    pub(crate) fn new(value: Value) -> Change {
        let known = match value["topic"].as_str() {
            Some("state") => read(&value).map(Change::State),
            Some("initializer") => read(&value).map(Change::Initializer),
            Some("pass") => read(&value).map(Change::Pass),
            Some("worker") if value["process"].is_null() => read(&value).map(Change::Worker),
            Some("worker") => read(&value).map(Change::Process),
            Some("log") => read(&value).map(Change::Log),
            _ => None,
        };
        known.unwrap_or(Change::Other(value))
    }

    /// Returns the topic in the protocol's words: `state`, `initializer`, `pass`, `worker`, `log`, or one of a later version.
    pub fn topic(&self) -> &str {
        match self {
            Change::State(_) => "state",
            Change::Initializer(_) => "initializer",
            Change::Pass(_) => "pass",
            Change::Worker(_) | Change::Process(_) => "worker",
            Change::Log(_) => "log",
            Change::Other(value) => value["topic"].as_str().unwrap_or_default(),
        }
    }

    /// Returns the number of the event. Gaps are events of other topics.
    pub fn seq(&self) -> u64 {
        self.stamp().0.unwrap_or(0)
    }

    /// Returns the time of the change.
    pub fn time(&self) -> Option<SystemTime> {
        self.stamp().1
    }

    fn stamp(&self) -> (Option<u64>, Option<SystemTime>) {
        match self {
            Change::State(change) => (change.seq, change.time),
            Change::Initializer(change) => (change.seq, change.time),
            Change::Pass(change) => (change.seq, change.time),
            Change::Worker(change) => (change.seq, change.time),
            Change::Process(change) => (change.seq, change.time),
            Change::Log(line) => (line.seq, line.time),
            Change::Other(value) => (
                value["seq"].as_u64(),
                value["time"].as_f64().and_then(seconds::moment),
            ),
        }
    }
}

/// Reads a change. Returns none if a later version of the protocol has changed a member's type.
fn read<'a, T: Deserialize<'a>>(value: &'a Value) -> Option<T> {
    T::deserialize(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InitializerState, PassStatus, Phase, Topic};

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
        assert_eq!(change.changed, [Topic::Active, Topic::from("tide")]);
        assert!(change.is_active() && change.active.is_failed());
        let change = read!(
            Initializer,
            r#"{"topic":"initializer","initializer":{"name":"a","status":"idle"},"removed":true}"#
        );
        assert_eq!(change.initializer.state, InitializerState::Idle);
        assert!(change.removed);
        let change = read!(
            Pass,
            r#"{"topic":"pass","pass":2,"phase":"active","status":"started"}"#
        );
        assert_eq!((change.pass, &change.phase), (2, &Phase::Active));
        assert_eq!(change.status, PassStatus::Started);
    }

    #[test]
    fn a_worker_and_a_process_have_the_same_topic() {
        let change = read!(
            Worker,
            r#"{"topic":"worker","worker":{"client":"w"},"connected":true}"#
        );
        assert!(change.worker.client == "w" && change.connected);
        let change = read!(
            Process,
            r#"{"topic":"worker","process":{"name":"p","restarts":2}}"#
        );
        assert_eq!(change.process.name, "p");
    }

    #[test]
    fn what_is_unknown_is_kept() {
        let line = read!(Log, r#"{"topic":"log","seq":8,"line":"x","new":1}"#);
        assert_eq!((line.line.as_str(), line.seq), ("x", Some(8)));
        let other = read!(
            Other,
            r#"{"topic":"pass","seq":8,"pass":"a text in a later version"}"#
        );
        assert_eq!(other["seq"], 8);
        let change =
            Change::new(r#"{"topic":"tide","seq":8,"time":2,"height":3}"#.parse().unwrap());
        assert_eq!((change.topic(), change.seq()), ("tide", 8));
        assert!(change.time().is_some());
        assert!(matches!(change, Change::Other(value) if value["height"] == 3));
    }
}

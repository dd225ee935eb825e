//! Topics, and the events that belong to them.

use crate::wire::message::Incoming;
use crate::{Error, ErrorKind, Result, Status, Value};
use std::ops::Index;
use std::str::FromStr;

/// A topic of [events](crate::Client::subscribe).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Topic {
    /// The state of launch.
    Launch,
    /// The state of active.
    Active,
    /// The state of both together.
    Composite,
    /// Whether the app is active.
    Lifecycle,
    /// Changes and progress of initializers.
    Initializer,
    /// Starts and ends of passes.
    Pass,
    /// Workers that come and go.
    Worker,
    /// Output of commands.
    Log,
}

impl Topic {
    /// Its word in the protocol.
    pub fn word(self) -> &'static str {
        match self {
            Topic::Launch => "launch",
            Topic::Active => "active",
            Topic::Composite => "composite",
            Topic::Lifecycle => "lifecycle",
            Topic::Initializer => "initializer",
            Topic::Pass => "pass",
            Topic::Worker => "worker",
            Topic::Log => "log",
        }
    }
}

/// The topic of a word of the protocol.
impl FromStr for Topic {
    type Err = Error;

    fn from_str(word: &str) -> Result<Topic> {
        use Topic::*;
        [
            Launch,
            Active,
            Composite,
            Lifecycle,
            Initializer,
            Pass,
            Worker,
            Log,
        ]
        .into_iter()
        .find(|topic| topic.word() == word)
        .ok_or_else(|| Error::new(ErrorKind::InvalidInput, format!("unknown topic \"{word}\"")))
    }
}

/// What a subscriber gets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The complete state: replace what you have collected. It comes first, after [`Lagged`](Event::Lagged), and after each
    /// reconnect. If its [`instance`](Status::instance) has changed, passes and runs count from 1 again.
    Snapshot(Status),
    /// Something has changed since the snapshot.
    Change(Change),
    /// This many events were dropped, because they were read too slowly. A snapshot follows.
    Lagged(u64),
    /// The supervisor has shut down. If the iteration goes on, it waits for the next supervisor.
    Shutdown,
    /// The connection was lost. If the iteration goes on, it connects again; a snapshot follows.
    Lost(Error),
}

/// A change, as the protocol describes it. Its members are read by their names: `change["pass"]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Change(Value);

impl Change {
    /// What kind of event it is: `state`, `initializer`, `pass`, `worker`, `log`, or a word of a later version.
    pub fn topic(&self) -> &str {
        self.0["topic"].as_str().unwrap_or("unknown")
    }

    /// Its number. Gaps are events of other topics.
    pub fn seq(&self) -> u64 {
        self.0["seq"].as_u64().unwrap_or(0)
    }

    /// All members, as in the protocol.
    pub fn as_value(&self) -> &Value {
        &self.0
    }
}

/// The member with this name, or null.
impl Index<&str> for Change {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        &self.0[name]
    }
}

impl Event {
    pub(crate) fn read(message: Incoming) -> Option<Event> {
        let mut params = match message {
            Incoming::Notification { method, params } if method == "event" => params,
            _ => return None,
        };
        Some(match params["topic"].as_str() {
            Some("snapshot") => Event::Snapshot(Status::new(params.take("snapshot"))),
            Some("lagged") => Event::Lagged(params["dropped"].as_u64().unwrap_or(0)),
            Some("shutdown") => Event::Shutdown,
            _ => Event::Change(Change(params)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_read_from_its_word() {
        assert_eq!("composite".parse::<Topic>().unwrap(), Topic::Composite);
        assert_eq!("log".parse::<Topic>().unwrap().word(), "log");
        assert_eq!(
            "tide".parse::<Topic>().unwrap_err().kind(),
            ErrorKind::InvalidInput
        );
    }
}

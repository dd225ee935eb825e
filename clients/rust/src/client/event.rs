//! What a subscriber gets.

use super::answer;
use crate::wire::message::Incoming;
use crate::{json, Change, Error, Result, Status};

/// What a subscriber gets.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)] // A pattern can't look into a box.
pub enum Event {
    /// The complete state: replace everything that you have collected. A snapshot comes first, after [`Lagged`](Event::Lagged), and after
    /// each reconnect. If its [`instance`](Status#structfield.instance) has changed, passes and runs count from 1 again.
    Snapshot(Status),
    /// A change since the snapshot.
    Change(Change),
    /// This many events were dropped, because the program read them too slowly. A snapshot follows.
    Lagged(u64),
    /// The supervisor has shut down. If the iteration continues, it waits for the next supervisor.
    Shutdown,
    /// The connection was lost. If the iteration continues, it connects again; a snapshot follows.
    Lost(Error),
}

impl Event {
    pub(crate) fn read(message: Incoming) -> Option<Result<Event>> {
        let mut params = match message {
            Incoming::Notification { method, params } if method == "event" => params,
            _ => return None,
        };
        Some(Ok(match params["topic"].as_str() {
            Some("snapshot") => {
                let snapshot = json::take(&mut params, "snapshot");
                return Some(answer("subscribe", snapshot).map(Event::Snapshot));
            }
            Some("lagged") => Event::Lagged(params["dropped"].as_u64().unwrap_or(0)),
            Some("shutdown") => Event::Shutdown,
            _ => Event::Change(Change::new(params)),
        }))
    }
}

//! A subscription: an iterator of events.

use crate::wire::backoff::{self, Backoff};
use crate::wire::message::Incoming;
use crate::wire::session::{Session, Target};
use crate::{object, Error, ErrorKind, Event, Result, Stopper, Topic, Value};
use std::net::Shutdown;
use std::time::{Duration, Instant};
use std::{fmt, mem};

/// A subscription: a blocking iterator of [`Event`]s, made by [`Client::subscribe`](crate::Client::subscribe).
///
/// The first event is a snapshot. If the connection is lost, it connects again and begins with a new snapshot. It ends when
/// it is [stopped](Events::stopper), or after an error that doesn't pass by itself.
///
/// It reads its socket only when it is asked for an event. A slow reader costs no memory here: the supervisor drops events
/// and reports how many.
pub struct Events {
    target: Target,
    topics: Value,
    stopper: Stopper,
    backoff: Backoff,
    phase: Phase,
}

enum Phase {
    Open(Session),
    Lost(Error),
    Over,
}

impl Events {
    pub(crate) fn begin(
        session: Session,
        target: Target,
        topics: impl IntoIterator<Item = Topic>,
        stopper: Stopper,
    ) -> Result<Events> {
        let topics = topics.into_iter().map(Topic::word).collect();
        let phase = Phase::Open(subscribe(session, &topics, &stopper)?);
        Ok(Events {
            target,
            topics,
            stopper,
            backoff: Backoff::new(backoff::FIRST),
            phase,
        })
    }

    /// Stops the iterator from another thread.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// The next event, or `None` if there is none within this time. After the end it is an error of the kind
    /// [`ErrorKind::Stopped`].
    pub fn next_timeout(&mut self, timeout: Duration) -> Result<Option<Event>> {
        match self.advance(Instant::now().checked_add(timeout)) {
            Some(event) => event.map(Some),
            None if matches!(self.phase, Phase::Over) => {
                Err(Error::new(ErrorKind::Stopped, "the subscription has ended"))
            }
            None => Ok(None),
        }
    }

    /// The next event; `None` at the deadline or at the end.
    fn advance(&mut self, deadline: Option<Instant>) -> Option<Result<Event>> {
        loop {
            match mem::replace(&mut self.phase, Phase::Over) {
                _ if self.stopper.is_stopped() => return None,
                Phase::Over => return None,
                Phase::Open(mut session) => match session.next(deadline) {
                    Ok(None) => {
                        self.phase = Phase::Open(session);
                        return None;
                    }
                    Ok(Some(message)) => {
                        self.phase = Phase::Open(session);
                        if let Some(event) = Event::read(message) {
                            return Some(Ok(event));
                        }
                    }
                    Err(_) if self.stopper.is_stopped() => return None,
                    Err(error) => {
                        self.backoff = Backoff::new(backoff::FIRST);
                        self.phase = Phase::Lost(error.clone());
                        return Some(Ok(Event::Lost(error)));
                    }
                },
                Phase::Lost(error) => {
                    let left =
                        deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
                    if left == Some(Duration::ZERO) {
                        self.phase = Phase::Lost(error);
                        return None;
                    }
                    if self.backoff.pause(&self.target.path, &error, &self.stopper) {
                        return None;
                    }
                    let session = Session::open(&self.target, &self.stopper);
                    match session
                        .and_then(|session| subscribe(session, &self.topics, &self.stopper))
                    {
                        Ok(session) => self.phase = Phase::Open(session),
                        Err(error) if error.is_passing() => self.phase = Phase::Lost(error),
                        Err(error) if error.kind() == ErrorKind::Stopped => return None,
                        Err(error) => return Some(Err(error)),
                    }
                }
            }
        }
    }
}

/// Blocks until the next event.
impl Iterator for Events {
    type Item = Result<Event>;

    fn next(&mut self) -> Option<Result<Event>> {
        self.advance(None)
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("topics", &self.topics)
            .finish_non_exhaustive()
    }
}

/// Subscribes; the snapshot becomes the first message.
fn subscribe(mut session: Session, topics: &Value, stopper: &Stopper) -> Result<Session> {
    let mut result = session.call("subscribe", object! { "topics": topics.clone() }, stopper)?;
    let snapshot = object! { "topic": "snapshot", "snapshot": result.take("snapshot") };
    session.put_first(Incoming::Notification {
        method: "event".into(),
        params: snapshot.into(),
    });
    let stream = session.stream.clone();
    stopper.on_stop(move || drop(stream.shutdown(Shutdown::Both)));
    Ok(session)
}

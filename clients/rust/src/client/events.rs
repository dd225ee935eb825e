//! A subscription: an iterator of events.

use crate::wire::message::Incoming;
use crate::wire::session::{Session, Target};
use crate::wire::waiting::Waiting;
use crate::{json, Error, ErrorKind, Event, Result, Stopper, Topic, Value};
use std::net::Shutdown;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{fmt, mem, thread};

/// A subscription: a blocking iterator of [`Event`]s, made by [`Client::subscribe`](crate::Client::subscribe).
///
/// The first event is a snapshot. If the connection is lost, it connects again and begins with a new snapshot. The iteration ends when it
/// is [stopped](Events::stopper), or after an error that another attempt can't avoid.
///
/// The iterator reads its socket only when it is asked for an event. A slow reader costs no memory here: the supervisor drops events
/// and reports how many.
pub struct Events {
    target: Target,
    topics: Value,
    stopper: Stopper,
    phase: Phase,
}

enum Phase {
    Open(Session),
    Lost(Error),
    Connecting(Receiver<Result<Session>>),
    Over,
}

impl Events {
    pub(crate) fn begin(
        target: Target,
        limit: Duration,
        topics: impl IntoIterator<Item = Topic>,
    ) -> Result<Events> {
        let topics = topics
            .into_iter()
            .map(|topic| Value::from(topic.as_str()))
            .collect();
        let stopper = Stopper::default();
        let session = connect(&target, &topics, &stopper, limit, None)?;
        Ok(Events {
            target,
            topics,
            stopper,
            phase: Phase::Open(session),
        })
    }

    /// Stops the iterator from another thread.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Returns the next event, or `None` if none comes within this time. After the end it is an error of the kind
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

    /// Returns the next event; `None` at the deadline or at the end.
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
                    Ok(Some(message)) => match Event::read(message) {
                        Some(Err(error)) => {
                            self.stopper.stop(); // Closes the connection.
                            return Some(Err(error));
                        }
                        event => {
                            self.phase = Phase::Open(session);
                            if event.is_some() {
                                return event;
                            }
                        }
                    },
                    Err(_) if self.stopper.is_stopped() => return None,
                    Err(error) => {
                        self.phase = Phase::Lost(error.clone());
                        return Some(Ok(Event::Lost(error)));
                    }
                },
                Phase::Lost(error) => match self.reconnect(error) {
                    Ok(session) => self.phase = Phase::Connecting(session),
                    Err(error) => return Some(Err(error)),
                },
                Phase::Connecting(session) => {
                    let outcome = match deadline {
                        None => session.recv().ok(),
                        Some(deadline) => {
                            let left = deadline.saturating_duration_since(Instant::now());
                            match session.recv_timeout(left) {
                                Err(RecvTimeoutError::Timeout) => {
                                    self.phase = Phase::Connecting(session);
                                    return None;
                                }
                                outcome => outcome.ok(),
                            }
                        }
                    };
                    match outcome? {
                        Ok(session) => self.phase = Phase::Open(session),
                        Err(error) if error.kind() == ErrorKind::Stopped => return None,
                        Err(error) => return Some(Err(error)),
                    }
                }
            }
        }
    }

    /// Connects again in a thread, so a deadline of the reader doesn't interrupt it.
    fn reconnect(&self, lost: Error) -> Result<Receiver<Result<Session>>> {
        let (sender, session) = mpsc::channel();
        let (target, topics, stopper) = (
            self.target.clone(),
            self.topics.clone(),
            self.stopper.clone(),
        );
        let connect = move || {
            sender.send(connect(
                &target,
                &topics,
                &stopper,
                Duration::MAX,
                Some(lost),
            ))
        };
        thread::Builder::new()
            .name("appinitializers-events".into())
            .spawn(connect)
            .map_err(Error::no_thread)?;
        Ok(session)
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.stopper.stop(); // Ends the thread that connects again.
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

fn connect(
    target: &Target,
    topics: &Value,
    stopper: &Stopper,
    limit: Duration,
    lost: Option<Error>,
) -> Result<Session> {
    let subscribed =
        |waiting: &mut Waiting<'_>| subscribe(Session::open(waiting)?, topics, waiting);
    let passes = match lost {
        Some(_) => Error::passes_after_loss,
        None => Error::is_passing,
    };
    let session = Waiting::new(target, stopper, limit).until(lost, subscribed, passes)?;
    let stream = session.stream.clone();
    stopper.on_stop(move || drop(stream.shutdown(Shutdown::Both)));
    Ok(session)
}

/// Subscribes; the snapshot becomes the first message.
fn subscribe(mut session: Session, topics: &Value, waiting: &mut Waiting<'_>) -> Result<Session> {
    let mut result = session.call("subscribe", &json!({ "topics": topics }), waiting)?;
    let snapshot = json!({ "topic": "snapshot", "snapshot": json::take(&mut result, "snapshot") });
    session.put_first(Incoming::Notification {
        method: "event".into(),
        params: snapshot,
    });
    Ok(session)
}

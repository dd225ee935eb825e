//! A connection: one socket, one thread that reads it, and requests in both directions from any thread.

use crate::sync::lock;
use crate::wire::frame;
use crate::wire::message::{self, Incoming};
use crate::wire::session::Session;
use crate::{Error, ErrorKind, Result, Value};
use std::collections::HashMap;
use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The sending side, shared by all threads.
pub(crate) struct Link {
    stream: Arc<UnixStream>,
    frame_limit: usize,
    sending: Mutex<()>,
    state: Mutex<State>,
}

struct State {
    last_id: i64,
    open: HashMap<i64, Sender<Result<Value>>>,
    ended: Option<Error>,
}

impl Link {
    /// Sends a request and waits for its result, for at most `limit`.
    pub fn request(&self, method: &str, params: &Value, limit: Option<Duration>) -> Result<Value> {
        self.begin(method, params)?.wait(limit)
    }

    /// Sends a request; its result can be waited for later.
    pub fn begin<'a>(&'a self, method: &'a str, params: &Value) -> Result<Pending<'a>> {
        let (sender, answer) = mpsc::channel();
        let id = {
            let mut state = lock(&self.state);
            if let Some(reason) = &state.ended {
                return Err(reason.clone());
            }
            state.last_id += 1;
            let id = state.last_id;
            state.open.insert(id, sender);
            id
        };
        let pending = Pending {
            link: self,
            id,
            method,
            answer,
        };
        self.send(&message::request(id, method, params))?;
        Ok(pending)
    }

    /// Sends a notification.
    pub fn notify(&self, method: &str, params: &Value) -> Result<()> {
        self.send(&message::notification(method, params))
    }

    /// Answers a request of the supervisor with success.
    pub fn answer(&self, id: &Value, result: &Value) -> Result<()> {
        self.send(&message::result(id, result))
    }

    /// Answers a request of the supervisor with an error.
    pub fn refuse(&self, id: &Value, code: i64, message: &str) -> Result<()> {
        self.send(&message::failure(id, code, message))
    }

    /// Whether the connection has ended.
    pub fn has_ended(&self) -> bool {
        lock(&self.state).ended.is_some()
    }

    /// Ends the connection, and with it its thread.
    pub fn shut(&self) {
        let _ = self.stream.shutdown(Shutdown::Both); // The connection may have ended already.
    }

    fn send(&self, message: &str) -> Result<()> {
        let frame = frame::encode(message, self.frame_limit)?;
        let _sending = lock(&self.sending);
        (&*self.stream).write_all(&frame).map_err(|error| {
            self.shut(); // A part of the frame may have been sent.
            Error::cannot_send(error)
        })
    }

    fn settle(&self, id: &Value, outcome: Result<Value>) {
        let asked = id
            .as_i64()
            .and_then(|id| lock(&self.state).open.remove(&id));
        if let Some(asked) = asked {
            let _ = asked.send(outcome); // The caller may have given up.
        }
    }

    fn end(&self, reason: Error) {
        self.shut(); // Shuts the socket down first, so a blocked sender continues.
        let mut state = lock(&self.state);
        for (_, asked) in state.open.drain() {
            let _ = asked.send(Err(reason.clone()));
        }
        state.ended = Some(reason);
    }
}

/// A request that was sent.
pub(crate) struct Pending<'a> {
    link: &'a Link,
    id: i64,
    method: &'a str,
    answer: Receiver<Result<Value>>,
}

impl Pending<'_> {
    /// Waits for the result, for at most `limit`.
    pub fn wait(self, limit: Option<Duration>) -> Result<Value> {
        let answer = match limit {
            None => self
                .answer
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
            Some(limit) => self.answer.recv_timeout(limit),
        };
        answer.unwrap_or_else(|error| {
            Err(match error {
                RecvTimeoutError::Disconnected => {
                    Error::new(ErrorKind::ConnectionLost, "the connection was lost")
                }
                RecvTimeoutError::Timeout => Error::new(
                    ErrorKind::Timeout,
                    format!("timed out: {} wasn't answered", self.method),
                ),
            })
        })
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        lock(&self.link.state).open.remove(&self.id);
    }
}

/// Handles messages that the supervisor sends unasked, on the thread that reads. It must not wait for an answer there.
pub(crate) trait Handler: Send + 'static {
    /// Handles a request or a notification.
    fn handle(&mut self, link: &Arc<Link>, message: Incoming);
    /// Handles the end of the connection; no other call follows.
    fn end(&mut self, reason: Error);
}

/// Owns the thread that reads. The connection ends when this is dropped.
pub(crate) struct Connection {
    pub link: Arc<Link>,
    reader: Option<JoinHandle<()>>,
}

impl Connection {
    /// Goes on with a session; messages that it has kept are handled first.
    pub fn start(session: Session, mut handler: impl Handler) -> Result<Connection> {
        let link = Arc::new(Link {
            stream: session.stream.clone(),
            frame_limit: session.frame_limit,
            sending: Mutex::new(()),
            state: Mutex::new(State {
                last_id: session.last_id(),
                open: HashMap::new(),
                ended: None,
            }),
        });
        let shared = link.clone();
        let read = move || {
            let reason = read(session, &shared, &mut handler);
            shared.end(reason.clone());
            handler.end(reason);
        };
        let reader = thread::Builder::new()
            .name("appinitializers".into())
            .spawn(read);
        Ok(Connection {
            link,
            reader: Some(reader.map_err(Error::no_thread)?),
        })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.link.shut();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

fn read(mut session: Session, link: &Arc<Link>, handler: &mut impl Handler) -> Error {
    loop {
        match session.next(None) {
            Ok(Some(Incoming::Answer { id, outcome })) => link.settle(&id, outcome),
            Ok(Some(Incoming::Unreadable { id, why })) => {
                let _ = link.refuse(&id, message::INVALID_PARAMS, &why);
            }
            Ok(Some(message)) => handler.handle(link, message),
            Ok(None) => (),
            Err(reason) => return reason,
        }
    }
}

//! A session: a socket after `hello`, used by one thread, which reads as it asks.

use crate::log::Log;
use crate::wire::frame::{self, FrameReader};
use crate::wire::message::{self, Incoming};
use crate::wire::path;
use crate::wire::waiting::{Waiting, SLICE};
use crate::{json, Error, ErrorKind, Result, Value};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The supervisor to connect to, the client that connects, and its log.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub path: PathBuf,
    pub name: String,
    pub version: String,
    pub log: Log,
}

pub(crate) struct Session {
    pub stream: Arc<UnixStream>,
    pub frame_limit: usize,
    frames: FrameReader,
    waiting: VecDeque<Incoming>,
    complaint: Option<Error>,
    last_id: i64,
}

impl Session {
    /// Connects and says hello.
    pub fn open(waiting: &mut Waiting<'_>) -> Result<Session> {
        let target = waiting.target;
        path::check(&target.path)?;
        let mut session = Session::new(waiting.dial()?);
        let client = json!({ "name": target.name, "version": target.version });
        let params = json!({ "protocol": 1, "client": client });
        let hello = session.call("hello", &params, waiting)?;
        match hello["limits"]["frameBytes"].as_u64() {
            Some(limit) => session.frame_limit = limit.try_into().unwrap_or(usize::MAX),
            None => {
                return Err(Error::new(
                    ErrorKind::Protocol,
                    "cannot read the answer to hello: it has no limits.frameBytes",
                ))
            }
        }
        Ok(session)
    }

    fn new(stream: UnixStream) -> Session {
        Session {
            stream: Arc::new(stream),
            frame_limit: frame::HELLO_LIMIT,
            frames: FrameReader::default(),
            waiting: VecDeque::new(),
            complaint: None,
            last_id: 0,
        }
    }

    /// Sends a request and waits for its result. Other messages are kept for [`next`](Session::next).
    pub fn call(
        &mut self,
        method: &str,
        params: &Value,
        waiting: &mut Waiting<'_>,
    ) -> Result<Value> {
        self.last_id += 1;
        let request = message::request(self.last_id, method, params);
        let frame = frame::encode(&request, self.frame_limit)?;
        let deadline = waiting.deadline();
        let what = format!("answer {method}");
        let _ = self.stream.set_write_timeout(Some(SLICE));
        let mut rest = &*frame;
        while !rest.is_empty() {
            match (&*self.stream).write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if is_passing(&error) => waiting.check(Some(deadline), &what)?,
                Err(error) => {
                    // The supervisor may have sent the reason before it closed.
                    let why = self.drain(deadline);
                    return Err(why.unwrap_or_else(|| Error::cannot_send(error)));
                }
            }
        }
        let _ = self.stream.set_write_timeout(None);
        loop {
            match self.receive(Some(deadline.min(Instant::now() + SLICE)))? {
                Some(Incoming::Answer { id, outcome }) if id == self.last_id => return outcome,
                Some(Incoming::Answer { .. }) | None => (),
                Some(other) => self.waiting.push_back(other),
            }
            waiting.check(Some(deadline), &what)?;
        }
    }

    /// Returns the id of the last request.
    pub fn last_id(&self) -> i64 {
        self.last_id
    }

    /// Lets `message` be the next message.
    pub fn put_first(&mut self, message: Incoming) {
        self.waiting.push_front(message);
    }

    /// Returns the next message, or `None` at the deadline.
    pub fn next(&mut self, deadline: Option<Instant>) -> Result<Option<Incoming>> {
        match self.waiting.pop_front() {
            Some(message) => Ok(Some(message)),
            None => self.receive(deadline),
        }
    }

    fn receive(&mut self, deadline: Option<Instant>) -> Result<Option<Incoming>> {
        loop {
            if let Some(payload) = self.frames.next()? {
                match Incoming::read(payload)? {
                    Incoming::Answer {
                        id: Value::Null,
                        outcome,
                    } => self.complaint = outcome.err(),
                    message => return Ok(Some(message)),
                }
                continue;
            }
            let left =
                match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                    Some(Duration::ZERO) => return Ok(None),
                    left => left,
                };
            let _ = self
                .stream
                .set_read_timeout(left.map(|left| left.max(Duration::from_millis(1))));
            match self.frames.fill(&*self.stream) {
                Ok(0) => return Err(self.end()),
                Ok(_) => (),
                Err(error) if is_passing(&error) => (),
                Err(error) => {
                    let message = "the connection was lost";
                    let lost = Error::of_system(ErrorKind::ConnectionLost, message, error);
                    return Err(self.complaint.take().unwrap_or(lost));
                }
            }
        }
    }

    /// Why the stream has ended.
    fn end(&mut self) -> Error {
        let message = match self.frames.is_between_frames() {
            true => "the supervisor closed the connection",
            false => "the supervisor closed the connection in the middle of a message",
        };
        self.complaint
            .take()
            .unwrap_or_else(|| Error::new(ErrorKind::ConnectionLost, message))
    }

    fn drain(&mut self, deadline: Instant) -> Option<Error> {
        loop {
            match self.receive(Some(deadline)) {
                Ok(Some(_)) => (),
                Ok(None) => return None,
                Err(error) => return Some(error),
            }
        }
    }
}

/// Whether a call of the system is only to be repeated.
fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::*;
    matches!(error.kind(), Interrupted | WouldBlock | TimedOut)
}

//! A session: a socket after `hello`, used by one thread, which reads as it asks.

use crate::wire::frame::{self, FrameReader};
use crate::wire::message::{self, Incoming};
use crate::wire::path;
use crate::{object, Error, ErrorKind, Object, Result, Stopper, Value};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the supervisor may take to answer `hello`, `subscribe` and `register`.
pub(crate) const HANDSHAKE: Duration = Duration::from_secs(10);

/// How often a handshake looks whether it was stopped.
const SLICE: Duration = Duration::from_millis(50);

/// Which supervisor, and who connects to it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub path: PathBuf,
    pub name: String,
    pub version: String,
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
    pub fn open(target: &Target, stopper: &Stopper) -> Result<Session> {
        path::check(&target.path)?;
        let stream = UnixStream::connect(&target.path).map_err(|error| {
            let kind = match error.kind() {
                io::ErrorKind::PermissionDenied => ErrorKind::NotPermitted,
                _ => ErrorKind::NoSupervisor,
            };
            Error::of_system(
                kind,
                format_args!("cannot connect to {}", target.path.display()),
                error,
            )
        })?;
        let mut session = Session::new(stream);
        let client = object! { "name": target.name.as_str(), "version": target.version.as_str() };
        let hello = session.call(
            "hello",
            object! { "protocol": 1, "client": client },
            stopper,
        )?;
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

    /// Sends a request and waits for its result, for at most [`HANDSHAKE`]. Other messages are kept for [`next`](Session::next).
    pub fn call(&mut self, method: &str, params: Object, stopper: &Stopper) -> Result<Value> {
        self.last_id += 1;
        let frame = frame::encode(
            &message::request(self.last_id, method, params),
            self.frame_limit,
        )?;
        let deadline = Instant::now() + HANDSHAKE;
        let _ = self.stream.set_write_timeout(Some(HANDSHAKE));
        if let Err(error) = (&*self.stream).write_all(&frame) {
            // The supervisor may have said why before it closed.
            let lost = Error::of_system(
                ErrorKind::ConnectionLost,
                "cannot send to the supervisor",
                error,
            );
            return Err(self.drain(deadline).unwrap_or(lost));
        }
        let _ = self.stream.set_write_timeout(None);
        loop {
            let until = stopper.shorten(deadline);
            match self.receive(Some(until.min(Instant::now() + SLICE)))? {
                Some(Incoming::Answer { id, outcome }) if id == self.last_id => return outcome,
                Some(Incoming::Answer { .. }) => (),
                Some(other) => self.waiting.push_back(other),
                None if Instant::now() < until => (),
                None if stopper.is_stopped() => {
                    return Err(Error::new(
                        ErrorKind::Stopped,
                        format!("stopped before {method} was answered"),
                    ))
                }
                None => {
                    let message = format!(
                        "timed out: the supervisor didn't answer {method} within {} s",
                        HANDSHAKE.as_secs()
                    );
                    return Err(Error::new(ErrorKind::Timeout, message));
                }
            }
        }
    }

    /// The id of the last request.
    pub fn last_id(&self) -> i64 {
        self.last_id
    }

    /// Lets `message` be the next one.
    pub fn put_first(&mut self, message: Incoming) {
        self.waiting.push_front(message);
    }

    /// The next message, or `None` at the deadline.
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
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted
                    | io::ErrorKind::WouldBlock
                    | io::ErrorKind::TimedOut => (),
                    _ => {
                        let lost = || {
                            Error::of_system(
                                ErrorKind::ConnectionLost,
                                "the connection was lost",
                                error,
                            )
                        };
                        return Err(self.complaint.take().unwrap_or_else(lost));
                    }
                },
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

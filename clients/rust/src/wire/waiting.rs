//! A wait for a supervisor: attempts to connect, until one succeeds.

use crate::wire::backoff::Backoff;
use crate::wire::session::Target;
use crate::{Error, ErrorKind, Result, Stopper};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{io, path, thread};

/// How long the supervisor may take to answer a request of a handshake, and how long a single attempt may take to connect.
pub(crate) const HANDSHAKE: Duration = Duration::from_secs(10);

/// How often a blocking function checks whether it was stopped.
pub(crate) const SLICE: Duration = Duration::from_millis(50);

const TELL_AFTER: Duration = Duration::from_secs(1);

/// Lasts for a limit, until it is stopped, or until an error comes that waiting doesn't cure. The log gets one line about it: after a
/// second, or when the peer is another program.
pub(crate) struct Waiting<'a> {
    pub target: &'a Target,
    stopper: &'a Stopper,
    began: Instant,
    end: Option<Instant>,
    is_single: bool,
    has_told: bool,
    has_told_of_stranger: bool,
    backoff: Backoff,
}

impl<'a> Waiting<'a> {
    /// Creates a wait of at most `limit`. With zero, it is one attempt.
    pub fn new(target: &'a Target, stopper: &'a Stopper, limit: Duration) -> Waiting<'a> {
        let began = Instant::now();
        let longest = if limit.is_zero() { HANDSHAKE } else { limit };
        Waiting {
            target,
            stopper,
            began,
            end: began.checked_add(longest),
            is_single: limit.is_zero(),
            has_told: false,
            has_told_of_stranger: false,
            backoff: Backoff::default(),
        }
    }

    /// Repeats `attempt` until it succeeds, or fails with an error that another attempt can't avoid. After a loss, it begins with a pause.
    pub fn until<T>(
        mut self,
        lost: Option<Error>,
        mut attempt: impl FnMut(&mut Waiting<'a>) -> Result<T>,
        mut passes: impl FnMut(&Error) -> bool,
    ) -> Result<T> {
        let mut reason = lost;
        loop {
            if let Some(error) = reason {
                self.pause(error)?;
            }
            if self.stopper.is_stopped() {
                return Err(stopped());
            }
            match attempt(&mut self) {
                Err(error) if !self.is_single && passes(&error) => reason = Some(error),
                outcome => return outcome,
            }
        }
    }

    /// Returns the deadline for the answer to a request that is sent now.
    pub fn deadline(&self) -> Instant {
        let deadline = Instant::now() + HANDSHAKE;
        self.end.map_or(deadline, |end| deadline.min(end))
    }

    /// Checks a blocking function; call it in each slice. Returns an error at the deadline, or soon after a stop.
    pub fn check(&mut self, deadline: Option<Instant>, what: &str) -> Result<()> {
        let now = Instant::now();
        if self
            .stopper
            .shorten(deadline)
            .map_or(false, |until| until <= now)
        {
            return Err(match self.stopper.is_stopped() {
                true => stopped(),
                false => Error::new(
                    ErrorKind::NoSupervisor,
                    format!("the supervisor at {} didn't {what} in time", self.path()),
                ),
            });
        }
        self.tell(|| format!("it doesn't {what}"));
        Ok(())
    }

    /// Connects. It has a thread, because connecting blocks if the supervisor is stopped and the socket's queue is full.
    pub fn dial(&mut self) -> Result<UnixStream> {
        let path = self.target.path.clone();
        let (sender, dialled) = mpsc::channel();
        thread::Builder::new()
            .name("appinitializers-connect".into())
            .spawn(move || sender.send(UnixStream::connect(path)))
            .map_err(Error::no_thread)?;
        loop {
            match dialled.recv_timeout(SLICE) {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => return Err(self.no_supervisor(error)),
                Err(RecvTimeoutError::Timeout) => self.check(self.end, "accept the connection")?,
                Err(RecvTimeoutError::Disconnected) => return Err(stopped()),
            }
        }
    }

    fn no_supervisor(&self, error: io::Error) -> Error {
        let (kind, remedy) = match error.kind() {
            io::ErrorKind::PermissionDenied => (
                ErrorKind::NotPermitted,
                "; run as the supervisor's user, or see initd --socket-mode",
            ),
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => (
                ErrorKind::NoSupervisor,
                "; start one with initd, or give the path of its socket",
            ),
            _ => (ErrorKind::NoSupervisor, ""),
        };
        let message = format!("cannot connect to {}: {error}{remedy}", self.path());
        Error::new(kind, message)
    }

    /// Pauses because of `error`, which is the result at the end of the wait.
    fn pause(&mut self, error: Error) -> Result<()> {
        let next = Instant::now() + self.backoff.next_pause();
        let until = self.end.map_or(next, |end| next.min(end));
        if error.is_of_stranger() && !self.has_told_of_stranger {
            self.has_told_of_stranger = true;
            self.say(&error.to_string());
        }
        loop {
            self.tell(|| error.to_string());
            let now = Instant::now();
            if now >= until {
                break;
            }
            let told = if self.has_told {
                until
            } else {
                self.began + TELL_AFTER
            };
            if self.stopper.wait(until.min(told) - now) {
                return Err(stopped());
            }
        }
        match self.end {
            Some(end) if end <= until => Err(error),
            _ => Ok(()),
        }
    }

    fn tell(&mut self, what: impl FnOnce() -> String) {
        if !self.has_told && self.began.elapsed() >= TELL_AFTER {
            self.say(&what());
        }
    }

    fn say(&mut self, what: &str) {
        self.has_told = true;
        let path = self.path();
        self.target
            .log
            .line(format_args!("waiting for the supervisor at {path}: {what}"));
    }

    fn path(&self) -> path::Display<'a> {
        self.target.path.display()
    }
}

fn stopped() -> Error {
    Error::new(
        ErrorKind::Stopped,
        "stopped while waiting for the supervisor",
    )
}

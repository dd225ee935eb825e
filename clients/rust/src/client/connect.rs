//! The connection of a client, which its threads share.

use super::Shared;
use crate::sync::{lock, wait_while};
use crate::wire::connection::{Connection, Handler, Link};
use crate::wire::message::{self, Incoming};
use crate::wire::session::Session;
use crate::wire::waiting::{Waiting, HANDSHAKE};
use crate::{Error, ErrorKind, Result, Stopper};
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

#[derive(Default)]
pub(super) struct Current {
    connection: Option<Connection>,
    is_connecting: bool,
}

impl Shared {
    /// Returns the connection; a new connection, if the last one has ended. One thread connects for all threads that wait; each keeps its
    /// own limit.
    pub fn link(&self) -> Result<Arc<Link>> {
        let began = Instant::now();
        let mut current = lock(&self.current);
        loop {
            match &current.connection {
                Some(connection) if !connection.link.has_ended() => {
                    return Ok(connection.link.clone())
                }
                _ if !current.is_connecting => break,
                _ => current = self.wait_for_other(current, began)?,
            }
        }
        current.is_connecting = true;
        let former = current.connection.take();
        drop(current);
        drop(former); // Dropping it waits for its thread.
        let connection = self.connect(began);
        let mut current = lock(&self.current);
        current.is_connecting = false;
        self.changed.notify_all();
        let connection = current.connection.insert(connection?);
        Ok(connection.link.clone())
    }

    fn connect(&self, began: Instant) -> Result<Connection> {
        let stopper = Stopper::default();
        let left = self.connect_timeout.saturating_sub(began.elapsed());
        let waiting = Waiting::new(&self.target, &stopper, left);
        let session = waiting.until(None, Session::open, Error::is_passing)?;
        Connection::start(session, Deaf)
    }

    /// Waits for the thread that connects.
    fn wait_for_other<'a>(
        &self,
        current: MutexGuard<'a, Current>,
        began: Instant,
    ) -> Result<MutexGuard<'a, Current>> {
        let limit = match self.connect_timeout {
            Duration::ZERO => HANDSHAKE,
            timeout => timeout,
        };
        let left = limit.saturating_sub(began.elapsed());
        let (current, is_done) = wait_while(&self.changed, current, Some(left), |current| {
            current.is_connecting
        });
        match is_done {
            true => Ok(current),
            false => Err(Error::new(
                ErrorKind::NoSupervisor,
                format!("cannot connect to {} in time", self.target.path.display()),
            )),
        }
    }
}

/// The handler of a client, which needs no messages of the supervisor.
struct Deaf;

impl Handler for Deaf {
    fn handle(&mut self, link: &Arc<Link>, message: Incoming) {
        if let Incoming::Request { id, method, .. } = message {
            let _ = link.refuse(
                &id,
                message::UNKNOWN_METHOD,
                &format!("unknown method \"{method}\""),
            );
        }
    }

    fn end(&mut self, _: Error) {}
}

//! A hold: the app stays active as long as a guard exists.

use super::member;
use crate::sync::{lock, wait_while};
use crate::wire::frame;
use crate::wire::message::{self, Incoming};
use crate::wire::session::{Session, Target};
use crate::wire::waiting::Waiting;
use crate::{json, Error, ErrorKind, Result, State, Stopper};
use std::fmt;
use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long the end of a hold waits for the supervisor's answer.
const FAREWELL: Duration = Duration::from_secs(1);

const RELEASE: i64 = i64::MAX;

/// Keeps the app active until it is dropped; made by [`Client::hold`](crate::Client::hold).
///
/// A hold has a connection of its own, and a thread that takes the hold again if the connection is lost, so the next supervisor is
/// activated too. If the supervisor refuses that permanently, e.g. with permission denied, the log says so. Dropping it waits for the
/// supervisor's answer, for at most a second. `deactivate` ends all holds, including this one.
#[must_use = "the hold ends when this is dropped"]
pub struct Hold {
    state: State,
    shared: Arc<Shared>,
    keeper: Option<JoinHandle<()>>,
}

struct Shared {
    target: Target,
    stopper: Stopper,
    held: Mutex<Held>,
    changed: Condvar,
}

#[derive(Default)]
struct Held {
    stream: Option<Arc<UnixStream>>,
    released: bool,
}

impl Hold {
    pub(crate) fn begin(target: Target, connect_timeout: Duration) -> Result<Hold> {
        let shared = Arc::new(Shared {
            target,
            stopper: Stopper::default(),
            held: Mutex::default(),
            changed: Condvar::new(),
        });
        let session =
            shared
                .waiting(connect_timeout)
                .until(None, Session::open, Error::is_passing)?;
        // `activate` isn't sent twice, because the first one may have been carried out.
        let (session, state) = shared.take(session, &mut shared.waiting(Duration::ZERO))?;
        let keeping = shared.clone();
        let keeper = thread::Builder::new()
            .name("appinitializers-hold".into())
            .spawn(move || keeping.keep(session));
        Ok(Hold {
            state,
            shared,
            keeper: Some(keeper.map_err(Error::no_thread)?),
        })
    }

    /// Returns the state of active when the hold began, with the number of its pass.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Ends the hold, like dropping it.
    pub fn release(self) {}
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.shared.stopper.stop();
        self.shared.release();
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hold")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl Shared {
    fn waiting(&self, limit: Duration) -> Waiting<'_> {
        Waiting::new(&self.target, &self.stopper, limit)
    }

    /// Takes the hold on a new connection.
    fn take(&self, mut session: Session, waiting: &mut Waiting<'_>) -> Result<(Session, State)> {
        let mut result = session.call("activate", &json!({ "hold": true }), waiting)?;
        lock(&self.held).stream = Some(session.stream.clone());
        Ok((session, member("activate", &mut result, "active")?))
    }

    /// Runs the thread: reads until the connection ends, and takes the hold again unless the guard was dropped.
    fn keep(&self, mut session: Session) {
        // The guard may have been dropped before this thread has begun, and waits for the answer on the first connection.
        loop {
            let lost = self.read(session);
            self.forget();
            let again = self.waiting(Duration::MAX).until(
                Some(lost),
                |waiting| Session::open(waiting).and_then(|session| self.take(session, waiting)),
                Error::passes_after_loss,
            );
            session = match again {
                Ok((session, _)) => session,
                Err(error) if error.kind() == ErrorKind::Stopped => return,
                Err(error) => {
                    let path = self.target.path.display();
                    let log = &self.target.log;
                    return log.line(format_args!("lost the hold at {path}: {error}"));
                }
            };
            if self.stopper.is_stopped() {
                break;
            }
        }
        self.forget(); // The guard may not have seen this connection.
    }

    fn forget(&self) {
        lock(&self.held).stream = None;
        self.changed.notify_all();
    }

    fn read(&self, mut session: Session) -> Error {
        loop {
            match session.next(None) {
                Ok(Some(Incoming::Answer { id, .. })) if id.as_i64() == Some(RELEASE) => {
                    lock(&self.held).released = true;
                    self.changed.notify_all();
                }
                Ok(_) => (),
                Err(reason) => return reason,
            }
        }
    }

    fn release(&self) {
        let held = lock(&self.held);
        let stream = match &held.stream {
            Some(stream) => stream.clone(),
            None => return,
        };
        if let Ok(frame) = frame::encode(
            &message::request(RELEASE, "release", &json!({})),
            frame::HELLO_LIMIT,
        ) {
            let _ = stream.set_write_timeout(Some(FAREWELL));
            if (&*stream).write_all(&frame).is_ok() {
                drop(wait_while(&self.changed, held, Some(FAREWELL), |held| {
                    !held.released && held.stream.is_some()
                }));
            }
        }
        let _ = stream.shutdown(Shutdown::Both);
    }
}

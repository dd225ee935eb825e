//! The life of a worker: it registers, runs until the connection is lost or it is stopped, and leaves.

use super::runs::Runs;
use super::{Worker, WorkerEvent};
use crate::log::Log;
use crate::wire::connection::{Connection, Link};
use crate::wire::session::{Session, Target};
use crate::wire::waiting::Waiting;
use crate::{json, CancelReason, Error, ErrorKind, Result, Stopper, Value};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How long the end of a worker waits for the answer to `unregister`.
const FAREWELL: Duration = Duration::from_secs(1);

impl Worker {
    pub(super) fn serve(&self, target: &Target, runs: &Arc<Runs>) -> Result<()> {
        let mut lost = None;
        loop {
            let was_registered = lost.is_some();
            let limit = match was_registered {
                true => Duration::MAX,
                false => self.connect_timeout,
            };
            let waiting = Waiting::new(target, &self.stopper, limit);
            let registered = waiting.until(
                lost,
                |waiting| self.register(waiting, runs),
                |error| self.is_passing(error, was_registered),
            );
            let connection = match registered {
                Err(error) if error.kind() == ErrorKind::Stopped => return Ok(()),
                registered => registered?,
            };
            let reason = match runs.wait_for_end(&self.stopper) {
                Some(reason) => reason,
                None => return self.leave(&connection, runs, &target.log),
            };
            self.observer.tell(WorkerEvent::Lost(reason.clone()));
            runs.cancel_all(CancelReason::Lost, false);
            self.wait_for_runs(runs, &target.log);
            lost = Some(reason);
        }
    }

    fn is_passing(&self, error: &Error, was_registered: bool) -> bool {
        let is_passing = error.is_passing() || was_registered && passes_after_loss(error);
        if is_passing {
            self.observer.tell(WorkerEvent::Waiting(error.clone()));
        }
        is_passing
    }

    fn register(&self, waiting: &mut Waiting<'_>, runs: &Arc<Runs>) -> Result<Connection> {
        let mut session = Session::open(waiting)?;
        let declared: Vec<_> = self.initializers.iter().map(|(each, _)| each).collect();
        session.call("register", &json!({ "initializers": declared }), waiting)?;
        runs.begin();
        self.observer.tell(WorkerEvent::Registered); // Before the first run, which the connection's thread starts.
        Connection::start(session, runs.clone())
    }

    /// Unregisters, cancels the runs and waits for them. The answers come after `unregister`, so the supervisor expects them.
    fn leave(&self, connection: &Connection, runs: &Runs, log: &Log) -> Result<()> {
        let names: Value = self
            .initializers
            .iter()
            .map(|(initializer, _)| initializer.name())
            .collect();
        let left = self.grace_left();
        let has_left = shut_after(left, connection.link.clone())?;
        let unregistered = connection
            .link
            .begin("unregister", &json!({ "names": names }));
        runs.cancel_all(CancelReason::Unregistered, true);
        let _ = unregistered.and_then(|answer| answer.wait(Some(left.min(FAREWELL)))); // The end of the connection does the same.
        self.wait_for_runs(runs, log);
        has_left.stop();
        Ok(())
    }

    /// Returns the rest of the cancel grace, after a stop.
    fn grace_left(&self) -> Duration {
        let passed = self.stopper.since().map(|since| since.elapsed());
        self.cancel_grace.saturating_sub(passed.unwrap_or_default())
    }

    fn wait_for_runs(&self, runs: &Runs, log: &Log) {
        let names = runs.wait_until_idle(&self.stopper, || self.grace_left());
        if !names.is_empty() {
            log.line(format_args!(
                "stopped, although these runs go on: {}",
                names.join(", ")
            ));
        }
    }
}

/// Ends a connection after this time, so a supervisor that has stopped reading can't delay the worker's end. Nothing happens if the result
/// is stopped before.
fn shut_after(time: Duration, link: Arc<Link>) -> Result<Stopper> {
    let stopper = Stopper::default();
    let stopped = stopper.clone();
    let shut = move || {
        if !stopped.wait(time) {
            link.shut();
        }
    };
    thread::Builder::new()
        .name("appinitializers-end".into())
        .spawn(shut)
        .map_err(Error::no_thread)?;
    Ok(stopper)
}

/// Returns whether a worker that was registered before may be accepted again, e.g. when the supervisor has noticed that its old connection
/// has ended.
fn passes_after_loss(error: &Error) -> bool {
    let is_refusal = matches!(error.kind(), ErrorKind::NameConflict | ErrorKind::Refused);
    is_refusal || error.passes_after_loss()
}

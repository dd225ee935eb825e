//! A worker: handlers that the supervisor runs when their turn comes.

mod cancel;
mod initializer;
mod observer;
mod output;
mod run;
mod runs;

pub use cancel::{CancelToken, Cancelled};
pub use initializer::{Initializer, Priority, Retry};
pub use observer::WorkerEvent;
pub use output::Output;
pub use run::Run;

use crate::wire::backoff::{self, Backoff};
use crate::wire::connection::Connection;
use crate::wire::path;
use crate::wire::session::{Session, Target};
use crate::{object, BoxError, Error, ErrorKind, Result, Stopper, Value};
use observer::Observer;
use runs::{Function, Runs};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, result};

/// How long the end of a worker waits for the answer to `unregister`.
const FAREWELL: Duration = Duration::from_secs(1);

/// A worker: initializers with handlers, which the supervisor runs when their turn comes.
///
/// Each run has a thread of its own, so a handler may block. The run succeeds if the handler returns `Ok`, with the value as
/// its [`Output`]. It fails with the message of the error that the handler returns, or of its panic.
///
/// When a run is cancelled, [`Run::is_cancelled`], [`Run::check`], [`Run::sleep`] and the [`CancelToken`](crate::CancelToken)
/// tell the handler, which must return soon: nothing new starts in its place before. Whatever it then returns, the run is
/// answered as cancelled.
///
/// If the connection is lost, the worker cancels its runs, waits until they have stopped, and registers again as soon as a
/// supervisor answers.
///
/// ```no_run
/// use appinitializers::{object, Initializer, Priority, Worker};
/// use std::time::Duration;
///
/// Worker::new("shelf-worker")
///     .initializer("catalogue", |run| {
///         for number in 0..100 {
///             run.sleep(Duration::from_millis(10))?;
///             run.report(f64::from(number) / 100.0, format!("{number} titles"));
///         }
///         Ok(object! { "titles": 100 })
///     })
///     .initializer(Initializer::new("favorites").priority(Priority::AppActive).depends_on("catalogue"), |run| {
///         println!("{} has {}", run.initializer(), run.inputs().unwrap()["catalogue"]);
///         Ok(())
///     })
///     .run()?;
/// # Ok::<(), appinitializers::Error>(())
/// ```
///
/// An `async fn` isn't a handler, and is refused by the compiler; block on it in a closure instead.
///
/// ```compile_fail
/// async fn catalogue(_: &appinitializers::Run) -> Result<(), appinitializers::BoxError> {
///     Ok(())
/// }
/// appinitializers::Worker::new("shelf-worker").initializer("catalogue", catalogue);
/// ```
pub struct Worker {
    path: Option<PathBuf>,
    name: String,
    version: String,
    initializers: Vec<(Initializer, Function)>,
    observer: Observer,
    stopper: Stopper,
    stop_timeout: Option<Duration>,
    first_pause: Duration,
}

impl Worker {
    /// A worker with this name, which the status, events and logs show.
    pub fn new(name: impl Into<String>) -> Worker {
        Worker {
            path: None,
            name: name.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            initializers: Vec::new(),
            observer: Observer::new(|_| ()),
            stopper: Stopper::default(),
            stop_timeout: None,
            first_pause: backoff::FIRST,
        }
    }

    /// The path of the supervisor's socket, instead of the [default path](crate::default_path).
    pub fn path(mut self, path: impl Into<PathBuf>) -> Worker {
        self.path = Some(path.into());
        self
    }

    /// The worker's version.
    pub fn version(mut self, version: impl Into<String>) -> Worker {
        self.version = version.into();
        self
    }

    /// Declares an initializer, by its name or by an [`Initializer`], with its handler.
    pub fn initializer<F, O>(mut self, initializer: impl Into<Initializer>, handler: F) -> Worker
    where
        F: Fn(&Run) -> result::Result<O, BoxError> + Send + Sync + 'static,
        O: Into<Output>,
    {
        self.initializers.push((
            initializer.into(),
            Arc::new(move |run| handler(run).map(Into::into)),
        ));
        self
    }

    /// Calls `observer` with what the worker does and sees, from any of its threads. It must return soon.
    pub fn observe(mut self, observer: impl Fn(&WorkerEvent) + Send + Sync + 'static) -> Worker {
        self.observer = Observer::new(observer);
        self
    }

    /// How long a stop waits for handlers that go on although their run was cancelled. Without it, it waits until they return.
    pub fn stop_timeout(mut self, timeout: Duration) -> Worker {
        self.stop_timeout = Some(timeout);
        self
    }

    /// The first pause before it connects again, 50 ms by default. The pauses double up to a second.
    pub fn reconnect_after(mut self, pause: Duration) -> Worker {
        self.first_pause = pause;
        self
    }

    /// Stops the worker from another thread: [`run`](Worker::run) then unregisters, cancels the runs, waits for them, and
    /// returns.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Connects, registers and runs until it is [stopped](Worker::stopper).
    ///
    /// It waits for a supervisor that isn't up yet, and says so on standard error after one second. It is an error if the
    /// supervisor refuses the first registration, e.g. with [`ErrorKind::NameConflict`]; if it doesn't permit one; or if runs
    /// haven't ended when the [stop timeout](Worker::stop_timeout) has passed ([`ErrorKind::Timeout`]).
    pub fn run(self) -> Result<()> {
        let mut functions = HashMap::new();
        for (initializer, function) in &self.initializers {
            if functions
                .insert(initializer.name().to_owned(), function.clone())
                .is_some()
            {
                let message = format!(
                    "two initializers are named \"{}\"; rename one of them",
                    initializer.name()
                );
                return Err(Error::new(ErrorKind::InvalidInput, message));
            }
        }
        let path = self.path.clone().map_or_else(path::default_path, Ok)?;
        let target = Target {
            path,
            name: self.name.clone(),
            version: self.version.clone(),
        };
        let runs = Arc::new(Runs::new(functions, self.observer.clone()));
        let waking = runs.clone();
        self.stopper.on_stop(move || waking.wake());
        let outcome = self.serve(&target, &runs);
        self.stopper.on_stop(|| ());
        outcome
    }

    fn serve(&self, target: &Target, runs: &Arc<Runs>) -> Result<()> {
        let mut backoff = Backoff::new(self.first_pause);
        let mut was_registered = false;
        while !self.stopper.is_stopped() {
            let reason = match self.register(target, runs) {
                Ok(connection) => {
                    was_registered = true;
                    let lost = match runs.wait_for_end(&self.stopper) {
                        None => return self.leave(&connection, runs),
                        Some(lost) => lost,
                    };
                    self.observer.tell(WorkerEvent::Lost(lost.clone()));
                    runs.cancel_all("lost", false);
                    self.wait_for_runs(runs)?;
                    backoff = Backoff::new(self.first_pause);
                    lost
                }
                Err(error) if error.kind() == ErrorKind::Stopped => break,
                Err(error) if error.is_passing() || was_registered && may_pass_later(&error) => {
                    self.observer.tell(WorkerEvent::Waiting(error.clone()));
                    error
                }
                Err(error) => return Err(error),
            };
            backoff.pause(&target.path, &reason, &self.stopper);
        }
        Ok(())
    }

    fn register(&self, target: &Target, runs: &Arc<Runs>) -> Result<Connection> {
        let mut session = Session::open(target, &self.stopper)?;
        let shapes: Value = self
            .initializers
            .iter()
            .map(|(initializer, _)| initializer.shape())
            .collect();
        session.call(
            "register",
            object! { "initializers": shapes },
            &self.stopper,
        )?;
        runs.begin();
        self.observer.tell(WorkerEvent::Registered); // Before the first run, which the connection's thread starts.
        Connection::start(session, runs.clone())
    }

    /// Unregisters, cancels the runs and waits for them. The answers come after `unregister`, so the supervisor expects them.
    fn leave(&self, connection: &Connection, runs: &Runs) -> Result<()> {
        let names: Value = self
            .initializers
            .iter()
            .map(|(initializer, _)| initializer.name())
            .collect();
        let unregistered = connection
            .link
            .begin("unregister", object! { "names": names });
        runs.cancel_all("unregistered", true);
        let ended = self.wait_for_runs(runs);
        let _ = unregistered.and_then(|answer| answer.wait(Some(FAREWELL))); // The end of the connection does the same.
        ended
    }

    fn wait_for_runs(&self, runs: &Runs) -> Result<()> {
        match &*runs.wait_until_idle(&self.stopper, self.stop_timeout) {
            [] => Ok(()),
            names => {
                let message = format!(
                    "stopped, but these runs haven't ended in time: {}",
                    names.join(", ")
                );
                Err(Error::new(ErrorKind::Timeout, message))
            }
        }
    }
}

/// Whether a worker that was registered before may be accepted again, e.g. when the supervisor has noticed the end of its old
/// connection.
fn may_pass_later(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NameConflict
            | ErrorKind::LimitExceeded
            | ErrorKind::NotInitd
            | ErrorKind::Protocol
            | ErrorKind::Refused
    )
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self
            .initializers
            .iter()
            .map(|(initializer, _)| initializer.name())
            .collect();
        f.debug_struct("Worker")
            .field("name", &self.name)
            .field("initializers", &names)
            .finish_non_exhaustive()
    }
}

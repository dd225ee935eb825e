//! A worker: handlers that the supervisor runs when their turn comes.

mod cancel;
mod check;
mod initializer;
mod observer;
mod output;
mod run;
mod runs;
mod serve;

pub use cancel::{CancelToken, Cancelled};
pub use initializer::{Initializer, Retry};
pub use observer::WorkerEvent;
pub use output::Output;
pub use run::Run;

use crate::log::Log;
use crate::wire::path;
use crate::wire::session::Target;
use crate::{BoxError, Result, Stopper};
use observer::Observer;
use runs::{Function, Runs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, result};

/// The default of [`Worker::cancel_grace`]: less than the 5 s after which the supervisor gives up on a run.
const CANCEL_GRACE: Duration = Duration::from_millis(4500);

/// A worker: initializers with handlers, which the supervisor runs when their turn comes.
///
/// Each run has a thread of its own, so a handler may block. The run succeeds if the handler returns `Ok`, with the value as
/// its [`Output`]. It fails with the message of the error that the handler returns, or of its panic.
///
/// When a run is cancelled, [`Run::is_cancelled`], [`Run::check`], [`Run::sleep`] and the [`CancelToken`](crate::CancelToken) notify the
/// handler, which must return soon: no new run starts in its place before. Whatever the handler then returns, the run is answered as
/// cancelled.
///
/// If the connection is lost, the worker cancels its runs, waits until they have stopped, and registers again as soon as a
/// supervisor answers.
///
/// ```no_run
/// use appinitializers::{json, Initializer, Priority, Worker};
/// use std::time::Duration;
///
/// Worker::new("shelf-worker")
///     .initializer("catalogue", |run| {
///         for number in 0..100 {
///             run.sleep(Duration::from_millis(10))?;
///             run.report(f64::from(number) / 100.0, format!("{number} titles"));
///         }
///         Ok(json!({ "titles": 100 }))
///     })
///     .initializer(Initializer::new("favorites").priority(Priority::AppActive).depends_on("catalogue"), |run| {
///         println!("{} has {}", run.initializer(), run.inputs()["catalogue"]);
///         Ok(())
///     })
///     .run_until_signal()?;
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
    connect_timeout: Duration,
    cancel_grace: Duration,
    log: Log,
}

impl Worker {
    /// Creates a worker with this name, which the status, events and logs show.
    pub fn new(name: impl Into<String>) -> Worker {
        Worker {
            path: None,
            name: name.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            initializers: Vec::new(),
            observer: Observer::new(|_| ()),
            stopper: Stopper::default(),
            connect_timeout: Duration::MAX,
            cancel_grace: CANCEL_GRACE,
            log: Log::default(),
        }
    }

    /// Sets the path of the supervisor's socket, instead of the [default path](crate::default_path).
    pub fn path(mut self, path: impl Into<PathBuf>) -> Worker {
        self.path = Some(path.into());
        self
    }

    /// Sets the worker's version.
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

    /// Calls `observer` with each [`WorkerEvent`], from any of the worker's threads. It must return soon.
    pub fn observe(mut self, observer: impl Fn(&WorkerEvent) + Send + Sync + 'static) -> Worker {
        self.observer = Observer::new(observer);
        self
    }

    /// Sets how long the worker waits at the start for a supervisor that isn't up yet. By default it waits until it is stopped. With zero,
    /// it makes one attempt. After a loss, it tries again without a limit.
    pub fn connect_timeout(mut self, timeout: Duration) -> Worker {
        self.connect_timeout = timeout;
        self
    }

    /// Sets how long a stop waits for handlers that continue although their runs were cancelled, 4.5 s by default.
    pub fn cancel_grace(mut self, grace: Duration) -> Worker {
        self.cancel_grace = grace;
        self
    }

    /// Calls `log` with each line for people that would otherwise be on standard error, from any thread. It must return soon.
    pub fn log(mut self, log: impl Fn(&str) + Send + Sync + 'static) -> Worker {
        self.log = Log::new(log);
        self
    }

    /// Stops the worker from another thread.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// [Runs](Worker::run) until the first SIGTERM or SIGINT, like a program that is only a worker. A second signal ends the
    /// process at once.
    pub fn run_until_signal(self) -> Result<()> {
        let _signals = self.stopper.stop_on_signals()?;
        self.run()
    }

    /// Connects, registers and runs until it is [stopped](Worker::stopper). Then it unregisters, cancels its runs, and answers each run
    /// that stops. After the [cancel grace](Worker::cancel_grace) it disconnects and returns, even if a handler continues; the supervisor
    /// counts that run as lost.
    ///
    /// The worker waits for a supervisor that isn't up yet, and writes a line to standard error after one second. Before it connects, it
    /// returns an error of the kind [`InvalidInput`](crate::ErrorKind::InvalidInput) if the worker has no initializers, or a declaration is
    /// invalid, e.g. its name. It also returns an error if the supervisor refuses the first registration, e.g. with
    /// [`NameConflict`](crate::ErrorKind::NameConflict); if it doesn't permit a registration; or if the
    /// [`connect_timeout`](Worker::connect_timeout) has passed.
    pub fn run(self) -> Result<()> {
        let declared = self.initializers.iter();
        check::check(&self.name, declared.clone().map(|(each, _)| each))?;
        let functions = declared
            .map(|(each, function)| (each.name().to_owned(), function.clone()))
            .collect();
        let path = self.path.clone().map_or_else(path::default_path, Ok)?;
        let target = Target {
            path,
            name: self.name.clone(),
            version: self.version.clone(),
            log: self.log.clone(),
        };
        let runs = Arc::new(Runs::new(
            functions,
            self.observer.clone(),
            self.log.clone(),
        ));
        let waking = runs.clone();
        self.stopper.on_stop(move || waking.wake());
        let outcome = self.serve(&target, &runs);
        self.stopper.on_stop(|| ());
        outcome
    }
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

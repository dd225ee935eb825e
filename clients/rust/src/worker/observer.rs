//! The events that a worker reports.

use crate::{CancelReason, Error};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

/// An event of a [`Worker`](crate::Worker), for logs and metrics.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WorkerEvent {
    /// The initializers are registered.
    Registered,
    /// The connection was lost. The worker cancels its runs, and connects again when they have stopped.
    Lost(Error),
    /// The worker couldn't register; it tries again after a pause.
    Waiting(Error),
    /// A run begins.
    Started {
        /// The name of the run's initializer.
        initializer: String,
        /// Its number.
        run: u64,
        /// The number of the attempt.
        attempt: u64,
    },
    /// A run was told to stop.
    Cancelled {
        /// The name of the run's initializer.
        initializer: String,
        /// Its number.
        run: u64,
        /// Why.
        reason: CancelReason,
    },
    /// A run has ended, and its answer was sent.
    Answered {
        /// The name of the run's initializer.
        initializer: String,
        /// Its number.
        run: u64,
    },
}

#[derive(Clone)]
pub(crate) struct Observer(Arc<dyn Fn(&WorkerEvent) + Send + Sync>);

impl Observer {
    pub fn new(function: impl Fn(&WorkerEvent) + Send + Sync + 'static) -> Observer {
        Observer(Arc::new(function))
    }

    /// A panic of the observer must not stop the worker.
    pub fn tell(&self, event: WorkerEvent) {
        let _ = panic::catch_unwind(AssertUnwindSafe(|| (self.0)(&event)));
    }
}

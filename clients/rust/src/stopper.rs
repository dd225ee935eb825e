//! Stops something that blocks, from another thread.

use crate::sync::{lock, wait_while};
use crate::{Result, Signals};
use std::fmt;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// How long a handshake may still take after a stop.
const HANDSHAKE_GRACE: Duration = Duration::from_millis(500);

/// Stops a [`Worker`](crate::Worker) or an iterator of [`Events`](crate::Events) from another thread, or at a signal.
///
/// A stopper can be cloned. To stop twice is no error.
#[derive(Clone, Default)]
pub struct Stopper(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    since: Option<Instant>,
    hook: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl Stopper {
    /// Asks the worker or iteration to stop, and returns at once.
    pub fn stop(&self) {
        let hook = {
            let mut state = lock(&self.0.state);
            state.since.get_or_insert_with(Instant::now);
            self.0.changed.notify_all();
            state.hook.clone()
        };
        if let Some(hook) = hook {
            hook(); // Without the lock: it may take others.
        }
    }

    /// Returns whether a stop was requested.
    pub fn is_stopped(&self) -> bool {
        self.since().is_some()
    }

    pub(crate) fn since(&self) -> Option<Instant> {
        lock(&self.0.state).since
    }

    /// Waits for this time, or until the stop. Returns whether it was stopped.
    pub fn wait(&self, timeout: Duration) -> bool {
        wait_while(
            &self.0.changed,
            lock(&self.0.state),
            Some(timeout),
            |state| state.since.is_none(),
        )
        .0
        .since
        .is_some()
    }

    /// Stops at SIGTERM or SIGINT, until the result is dropped. A second signal ends the process at once, as if
    /// nothing handled it. A signal that was ignored stays so.
    ///
    /// ```no_run
    /// use appinitializers::{Client, Topic};
    ///
    /// let events = Client::connect()?.subscribe([Topic::Pass])?;
    /// let _signals = events.stopper().stop_on_signals()?;
    /// for event in events {
    ///     println!("{:?}", event?);
    /// }
    /// # Ok::<(), appinitializers::Error>(())
    /// ```
    pub fn stop_on_signals(&self) -> Result<Signals> {
        Signals::new(self.clone())
    }

    /// Calls `hook` at the stop, or now if that has been; it replaces the hook before it.
    pub(crate) fn on_stop(&self, hook: impl Fn() + Send + Sync + 'static) {
        let hook = Arc::new(hook);
        let stopped = {
            let mut state = lock(&self.0.state);
            state.hook = Some(hook.clone());
            state.since.is_some()
        };
        if stopped {
            hook();
        }
    }

    /// Returns the deadline of a handshake, which is shortened by a stop.
    pub(crate) fn shorten(&self, deadline: Option<Instant>) -> Option<Instant> {
        let nearer = self.since().map(|since| since + HANDSHAKE_GRACE);
        deadline.into_iter().chain(nearer).min()
    }

    pub(crate) fn is(&self, other: &Stopper) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopper")
            .field("is_stopped", &self.is_stopped())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn a_stop_ends_a_wait() {
        let stopper = Stopper::default();
        let other = stopper.clone();
        let waiting = thread::spawn(move || other.wait(Duration::from_secs(3600)));
        stopper.stop();
        assert!(waiting.join().unwrap());
        assert!(stopper.wait(Duration::from_secs(3600)));
    }

    #[test]
    fn a_wait_without_a_stop_ends_too() {
        assert!(!Stopper::default().wait(Duration::from_millis(1)));
    }

    #[test]
    fn the_hook_is_called_even_if_it_comes_after_the_stop() {
        let calls = Arc::new(AtomicUsize::new(0));
        let hook = |calls: &Arc<AtomicUsize>| {
            let calls = calls.clone();
            move || {
                calls.fetch_add(1, Ordering::SeqCst);
            }
        };
        let stopper = Stopper::default();
        stopper.on_stop(hook(&calls));
        assert_eq!(calls.load(Ordering::SeqCst), 0);
        stopper.stop();
        assert_eq!(calls.load(Ordering::SeqCst), 1);
        stopper.on_stop(hook(&calls));
        assert_eq!(calls.load(Ordering::SeqCst), 2);
    }
}

//! Stops something that blocks, from another thread.

use crate::sync::lock;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// How long a handshake may still take after a stop.
const HANDSHAKE_GRACE: Duration = Duration::from_millis(500);

/// Stops a [`Worker`](crate::Worker) or an iterator of [`Events`](crate::Events) from another thread, e.g. from a signal
/// handler's thread.
///
/// It can be cloned. To stop twice is no error.
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
    /// Asks it to stop, and returns at once.
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

    /// Whether it was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.since().is_some()
    }

    pub(crate) fn since(&self) -> Option<Instant> {
        lock(&self.0.state).since
    }

    /// Waits this long, or until the stop. Returns whether it was stopped.
    pub(crate) fn wait(&self, duration: Duration) -> bool {
        let state = lock(&self.0.state);
        let waited = self
            .0
            .changed
            .wait_timeout_while(state, duration, |state| state.since.is_none());
        waited
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .0
            .since
            .is_some()
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

    /// The deadline of a handshake, which a stop brings nearer.
    pub(crate) fn shorten(&self, deadline: Instant) -> Instant {
        self.since()
            .map_or(deadline, |since| deadline.min(since + HANDSHAKE_GRACE))
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

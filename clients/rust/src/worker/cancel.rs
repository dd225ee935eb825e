//! The cancellation of a run.

use crate::sync::{lock, wait_while};
use crate::CancelReason;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Tells work that its run was cancelled. A clone can be given to other threads.
#[derive(Clone, Default)]
pub struct CancelToken(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    reason: Option<CancelReason>,
    ended: bool,
}

impl CancelToken {
    /// Whether the run was cancelled.
    pub fn is_cancelled(&self) -> bool {
        lock(&self.0.state).reason.is_some()
    }

    /// Why the run was cancelled.
    pub fn reason(&self) -> Option<CancelReason> {
        lock(&self.0.state).reason.clone()
    }

    /// Waits for this time, or until the run is cancelled. Returns whether it was cancelled.
    pub fn wait(&self, timeout: Duration) -> bool {
        wait_while(
            &self.0.changed,
            lock(&self.0.state),
            Some(timeout),
            |state| state.reason.is_none(),
        )
        .0
        .reason
        .is_some()
    }

    /// Returns an error if the run was cancelled.
    pub fn check(&self) -> Result<(), Cancelled> {
        match self.reason() {
            Some(reason) => Err(Cancelled { reason }),
            None => Ok(()),
        }
    }

    /// Whether a cancellation still has an effect.
    pub(crate) fn is_open(&self) -> bool {
        let state = lock(&self.0.state);
        !state.ended && state.reason.is_none()
    }

    /// Cancels the run, unless it has ended or was cancelled before.
    pub(crate) fn cancel(&self, reason: CancelReason) {
        let mut state = lock(&self.0.state);
        if !state.ended && state.reason.is_none() {
            state.reason = Some(reason);
            self.0.changed.notify_all();
        }
    }

    /// Records that the work has ended: a later cancellation has no effect. Returns whether it was cancelled before.
    pub(crate) fn end(&self) -> bool {
        let mut state = lock(&self.0.state);
        state.ended = true;
        state.reason.is_some()
    }
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelToken")
            .field("reason", &self.reason())
            .finish()
    }
}

/// The run was cancelled. A handler passes it on with `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancelled {
    reason: CancelReason,
}

impl Cancelled {
    /// Returns the reason, as in [`CancelToken::reason`].
    pub fn reason(&self) -> &CancelReason {
        &self.reason
    }
}

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cancelled: {}", self.reason)
    }
}

impl std::error::Error for Cancelled {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn the_first_reason_counts_and_ends_a_wait() {
        let token = CancelToken::default();
        let other = token.clone();
        let waiting = thread::spawn(move || other.wait(Duration::from_secs(3600)));
        assert!(token.check().is_ok());
        token.cancel(CancelReason::Timeout);
        token.cancel(CancelReason::Lost);
        assert!(!token.is_open());
        assert!(waiting.join().unwrap());
        assert_eq!(token.check().unwrap_err().reason(), &CancelReason::Timeout);
    }

    #[test]
    fn a_wait_without_cancellation_ends_after_its_time() {
        assert!(!CancelToken::default().wait(Duration::from_millis(1)));
    }

    #[test]
    fn nothing_is_cancelled_after_the_end() {
        let token = CancelToken::default();
        assert!(token.is_open());
        assert!(!token.end());
        assert!(!token.is_open());
        token.cancel(CancelReason::Timeout);
        assert!(!token.is_cancelled());
    }
}

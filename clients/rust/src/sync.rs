//! Locks that a panic of another thread doesn't spoil: their data is consistent between any two statements.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until `condition` is false, or for `limit`, if there is one. Returns whether it is false.
pub(crate) fn wait_while<'a, T>(
    changed: &Condvar,
    guard: MutexGuard<'a, T>,
    limit: Option<Duration>,
    condition: impl FnMut(&mut T) -> bool,
) -> (MutexGuard<'a, T>, bool) {
    match limit {
        None => (
            changed
                .wait_while(guard, condition)
                .unwrap_or_else(PoisonError::into_inner),
            true,
        ),
        Some(limit) => {
            let (guard, result) = changed
                .wait_timeout_while(guard, limit, condition)
                .unwrap_or_else(PoisonError::into_inner);
            (guard, !result.timed_out())
        }
    }
}

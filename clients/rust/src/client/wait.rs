//! The targets of a wait.

use crate::wire::seconds;
use crate::{json, Value};
use std::time::Duration;

/// What a [`wait`](crate::Client::wait) waits for.
///
/// ```
/// use appinitializers::Wait;
/// use std::time::Duration;
///
/// Wait::ready().timeout(Duration::from_secs(30));
/// Wait::initializer("catalogue").appear();
/// ```
#[derive(Clone, Debug)]
pub struct Wait {
    pub(crate) params: Value,
    pub(crate) limit: Option<Duration>,
}

impl Wait {
    fn of(member: &str, value: impl Into<Value>) -> Wait {
        Wait {
            params: json!({ member: value.into() }),
            limit: None,
        }
    }

    /// Waits until everything is complete while the app is active (without an active phase: until launch is), or something has failed.
    pub fn ready() -> Wait {
        Wait::of("for", "ready")
    }

    /// Waits until launch isn't pending.
    pub fn launch() -> Wait {
        Wait::of("for", "launch")
    }

    /// Waits until active isn't pending. To wait for an activation of your own, use [`Wait::pass`].
    pub fn active() -> Wait {
        Wait::of("for", "active")
    }

    /// Waits until launch and active together aren't pending.
    pub fn composite() -> Wait {
        Wait::of("for", "composite")
    }

    /// Waits until this initializer has an outcome.
    pub fn initializer(name: impl AsRef<str>) -> Wait {
        Wait::of("initializer", name.as_ref())
    }

    /// Waits until this pass has ended.
    pub fn pass(number: u64) -> Wait {
        Wait::of("pass", number)
    }

    /// Bounds the wait. Without it, the wait may last indefinitely.
    pub fn timeout(mut self, timeout: Duration) -> Wait {
        self.params["timeout"] = seconds::write(timeout).into();
        self.limit = Some(timeout);
        self
    }

    /// Accepts the name of an initializer that isn't declared yet.
    pub fn appear(mut self) -> Wait {
        self.params["appear"] = true.into();
        self
    }
}

//! What to wait for.

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

    /// Until everything is complete while the app is active, or something has failed.
    pub fn ready() -> Wait {
        Wait::of("for", "ready")
    }

    /// Until launch isn't pending.
    pub fn launch() -> Wait {
        Wait::of("for", "launch")
    }

    /// Until active isn't pending. To wait for an activation of your own, use [`Wait::pass`].
    pub fn active() -> Wait {
        Wait::of("for", "active")
    }

    /// Until launch and active together aren't pending.
    pub fn composite() -> Wait {
        Wait::of("for", "composite")
    }

    /// Until this initializer has an outcome.
    pub fn initializer(name: impl AsRef<str>) -> Wait {
        Wait::of("initializer", name.as_ref())
    }

    /// Until this pass has ended.
    pub fn pass(number: u64) -> Wait {
        Wait::of("pass", number)
    }

    /// For at most this long. Without it, the wait may last indefinitely.
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

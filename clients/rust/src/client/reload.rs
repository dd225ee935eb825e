//! The options of a reload of the supervisor's configuration.

use crate::{json, Value};

/// Options of a [reload](crate::Client::reload).
///
/// ```
/// use appinitializers::Reload;
///
/// Reload::new().dry_run();
/// Reload::new().with_dependents();
/// ```
#[derive(Clone, Debug)]
pub struct Reload {
    pub(crate) params: Value,
}

impl Reload {
    /// Creates a reload that applies the differences. Dependents of initializers that run again become stale.
    pub fn new() -> Reload {
        Reload { params: json!({}) }
    }

    /// Makes the reload change nothing: the result says what would change.
    pub fn dry_run(mut self) -> Reload {
        self.params["dryRun"] = true.into();
        self
    }

    /// Also runs the dependents of initializers that run again.
    pub fn with_dependents(mut self) -> Reload {
        self.params["withDependents"] = true.into();
        self
    }
}

impl Default for Reload {
    fn default() -> Reload {
        Reload::new()
    }
}

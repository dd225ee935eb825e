//! A reload of the supervisor's configuration, and the resulting changes.

use super::shape::{each, shapes, text, texts};
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

shapes! {
    /// The differences between the previous configuration and the configuration that was read: names of initializers, and of processes that
    /// the supervisor keeps running.
    Reloaded;
    /// An initializer or a process that differs.
    Redefined;
}

impl Reloaded {
    /// Returns the added names.
    pub fn added(&self) -> Vec<String> {
        texts(&self["added"])
    }

    /// Returns the initializers and processes whose work differs.
    pub fn changed(&self) -> Vec<Redefined> {
        each(&self["changed"], Redefined::new)
    }

    /// Returns the removed names.
    pub fn removed(&self) -> Vec<String> {
        texts(&self["removed"])
    }

    /// Returns the number of unchanged names.
    pub fn unchanged(&self) -> u64 {
        self["unchanged"].as_u64().unwrap_or(0)
    }

    /// Returns the unchanged initializers with a changed setting that takes effect at the next run, e.g. the timeout.
    pub fn from_next_run(&self) -> Vec<Redefined> {
        each(&self["fromNextRun"], Redefined::new)
    }

    /// Returns the settings of the supervisor that differ, in the manifest's words.
    pub fn settings(&self) -> Vec<String> {
        texts(&self["settings"])
    }
}

impl Redefined {
    /// The name.
    pub fn name(&self) -> &str {
        text(&self["name"])
    }

    /// Returns the keys that differ, in the manifest's words.
    pub fn keys(&self) -> Vec<String> {
        texts(&self["keys"])
    }
}

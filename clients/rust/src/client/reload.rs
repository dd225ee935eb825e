//! A reload of the supervisor's configuration, and what it has changed.

use super::shape::{each, shapes, text, texts};
use crate::{json, Value};

/// How to [reload](crate::Client::reload) the configuration.
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
    /// Applies what differs. What depends on something that runs again is stale.
    pub fn new() -> Reload {
        Reload { params: json!({}) }
    }

    /// Changes nothing: the result says what would change.
    pub fn dry_run(mut self) -> Reload {
        self.params["dryRun"] = true.into();
        self
    }

    /// Also runs what depends on something that runs again.
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
    /// What differs between the configuration before and the one that was read: names of initializers, and of processes that the
    /// supervisor keeps running.
    Reloaded;
    /// An initializer or a process that differs.
    Redefined;
}

impl Reloaded {
    /// The new ones.
    pub fn added(&self) -> Vec<String> {
        texts(&self["added"])
    }

    /// Those whose work differs.
    pub fn changed(&self) -> Vec<Redefined> {
        each(&self["changed"], Redefined::new)
    }

    /// Those that are gone.
    pub fn removed(&self) -> Vec<String> {
        texts(&self["removed"])
    }

    /// How many others there are.
    pub fn unchanged(&self) -> u64 {
        self["unchanged"].as_u64().unwrap_or(0)
    }

    /// The unchanged ones with a changed setting that takes effect at the next run, e.g. the timeout.
    pub fn from_next_run(&self) -> Vec<Redefined> {
        each(&self["fromNextRun"], Redefined::new)
    }

    /// The settings of the supervisor that differ, in the manifest's words.
    pub fn settings(&self) -> Vec<String> {
        texts(&self["settings"])
    }
}

impl Redefined {
    /// The name.
    pub fn name(&self) -> &str {
        text(&self["name"])
    }

    /// The keys that differ, in the manifest's words.
    pub fn keys(&self) -> Vec<String> {
        texts(&self["keys"])
    }
}

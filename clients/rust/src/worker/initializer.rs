//! The declaration of an initializer.

use crate::wire::seconds;
use crate::Priority;
use serde::Serialize;
use std::time::Duration;

/// The declaration of an initializer: its name, and its attributes for the supervisor.
///
/// An attribute that is left out comes from the supervisor's manifest, if that declares the name; otherwise from the defaults: launch, no
/// dependencies, no timeout, one attempt.
///
/// ```
/// use appinitializers::{Initializer, Priority, Retry};
/// use std::time::Duration;
///
/// Initializer::new("favorites")
///     .priority(Priority::AppActive)
///     .depends_on("catalogue")
///     .timeout(Duration::from_secs(30))
///     .retry(Retry::attempts(3).delay(Duration::from_millis(500)));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Initializer {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) priority: Option<Priority>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) dependencies: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) retry: Option<Retry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_process: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    optional: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

impl Initializer {
    /// Declares an initializer with this name: 1 to 128 ASCII letters, digits and `. _ : / @ + -`, beginning with a letter or digit.
    pub fn new(name: impl Into<String>) -> Initializer {
        Initializer {
            name: name.into(),
            priority: None,
            dependencies: None,
            timeout: None,
            retry: None,
            per_process: None,
            optional: None,
            description: None,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the phase that runs the initializer.
    pub fn priority(mut self, priority: Priority) -> Initializer {
        self.priority = Some(priority);
        self
    }

    /// Adds an initializer that must be complete before; for several, call it several times.
    pub fn depends_on(self, name: impl Into<String>) -> Initializer {
        self.depends_on_all([name])
    }

    /// Initializers that must be complete before. An empty list means that there are none, even if the manifest declares some.
    pub fn depends_on_all<T: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = T>,
    ) -> Initializer {
        self.dependencies
            .get_or_insert_with(Vec::new)
            .extend(names.into_iter().map(Into::into));
        self
    }

    /// How long an attempt may take.
    pub fn timeout(mut self, timeout: Duration) -> Initializer {
        self.timeout = Some(seconds::write(timeout));
        self
    }

    /// Sets how a failed run is retried.
    pub fn retry(mut self, retry: Retry) -> Initializer {
        self.retry = Some(retry);
        self
    }

    /// Sets whether the effect is only in this process's memory: then the initializer runs again when another process takes over the name.
    pub fn per_process(mut self, per_process: bool) -> Initializer {
        self.per_process = Some(per_process);
        self
    }

    /// Sets whether a pass may complete although the initializer has failed.
    pub fn optional(mut self, optional: bool) -> Initializer {
        self.optional = Some(optional);
        self
    }

    /// Sets the description of the initializer, for people.
    pub fn description(mut self, text: impl Into<String>) -> Initializer {
        self.description = Some(text.into());
        self
    }
}

impl From<&str> for Initializer {
    fn from(name: &str) -> Initializer {
        Initializer::new(name)
    }
}

impl From<String> for Initializer {
    fn from(name: String) -> Initializer {
        Initializer::new(name)
    }
}

/// The retry policy for failed runs. An attribute that is left out has the supervisor's default.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) attempts: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) factor: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_delay: Option<f64>,
}

impl Retry {
    /// Creates a policy with this many attempts, including the first one.
    pub fn attempts(attempts: u32) -> Retry {
        Retry {
            attempts: Some(attempts),
            ..Retry::default()
        }
    }

    /// Sets the delay after the first attempt; 1 s by default.
    pub fn delay(mut self, delay: Duration) -> Retry {
        self.delay = Some(seconds::write(delay));
        self
    }

    /// Sets the factor by which each delay is longer than the delay before; 2 by default, at least 1.
    pub fn factor(mut self, factor: f64) -> Retry {
        self.factor = Some(factor);
        self
    }

    /// Sets the longest delay; 30 s by default.
    pub fn max_delay(mut self, delay: Duration) -> Retry {
        self.max_delay = Some(seconds::write(delay));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn only_what_was_given_is_declared() {
        assert_eq!(json!(Initializer::new("a")), json!({ "name": "a" }));
        assert_eq!(
            json!(Initializer::from("a").depends_on_all([""; 0])),
            json!({ "name": "a", "dependencies": [] })
        );
        assert_eq!(json!(Retry::default()), json!({}));
    }

    #[test]
    fn everything_can_be_declared() {
        let retry = Retry::attempts(3)
            .delay(Duration::from_millis(500))
            .factor(1.5)
            .max_delay(Duration::from_secs(2));
        let full = Initializer::new("a")
            .priority(Priority::AppActive)
            .depends_on("b")
            .depends_on_all(["c", "d"])
            .timeout(Duration::from_secs(3))
            .retry(retry)
            .per_process(true)
            .optional(false)
            .description("everything");
        let expected = json!({
            "name": "a", "priority": "appActive", "dependencies": ["b", "c", "d"], "timeout": 3.0,
            "retry": { "attempts": 3, "delay": 0.5, "factor": 1.5, "maxDelay": 2.0 },
            "perProcess": true, "optional": false, "description": "everything",
        });
        assert_eq!(json!(full), expected);
    }
}

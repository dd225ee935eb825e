//! The declaration of an initializer.

use crate::wire::seconds;
use crate::{object, Object, Priority, Value};
use std::time::Duration;

/// The declaration of an initializer: its name, and what the supervisor must know about it.
///
/// What is left out comes from the supervisor's manifest, if that declares the name; otherwise from the defaults: launch, no
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
#[derive(Clone, Debug, PartialEq)]
pub struct Initializer {
    name: String,
    members: Object,
}

impl Initializer {
    /// The initializer with this name: 1 to 128 ASCII letters, digits and `. _ : / @ + -`, beginning with a letter or digit.
    pub fn new(name: impl Into<String>) -> Initializer {
        let name = name.into();
        Initializer {
            members: object! { "name": &name },
            name,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// When it runs.
    pub fn priority(self, priority: Priority) -> Initializer {
        self.with("priority", priority.as_str())
    }

    /// An initializer that must be complete before; for several, call it several times.
    pub fn depends_on(self, name: impl Into<String>) -> Initializer {
        self.depends_on_all([name.into()])
    }

    /// Initializers that must be complete before. An empty list says that there are none, even if the manifest says otherwise.
    pub fn depends_on_all<T: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = T>,
    ) -> Initializer {
        let dependencies = self
            .members
            .entry("dependencies".into())
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(dependencies) = dependencies {
            dependencies.extend(names.into_iter().map(|name| Value::String(name.into())));
        }
        self
    }

    /// How long an attempt may take.
    pub fn timeout(self, timeout: Duration) -> Initializer {
        self.with("timeout", seconds::write(timeout))
    }

    /// What happens when it fails.
    pub fn retry(self, retry: Retry) -> Initializer {
        self.with("retry", retry.0)
    }

    /// Whether its effect is only in this process's memory: it runs again when another process takes over the name.
    pub fn per_process(self, per_process: bool) -> Initializer {
        self.with("perProcess", per_process)
    }

    /// Whether a pass may complete although it has failed.
    pub fn optional(self, optional: bool) -> Initializer {
        self.with("optional", optional)
    }

    /// What it does, for people.
    pub fn description(self, text: impl Into<String>) -> Initializer {
        self.with("description", text.into())
    }

    fn with(mut self, member: &str, value: impl Into<Value>) -> Initializer {
        self.members.insert(member.into(), value.into());
        self
    }

    pub(crate) fn shape(&self) -> Value {
        self.members.clone().into()
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

/// How a failed run is retried. What is left out is the supervisor's default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Retry(Object);

impl Retry {
    /// This many attempts, the first one included.
    pub fn attempts(attempts: u32) -> Retry {
        Retry(object! { "attempts": attempts })
    }

    /// The delay after the first attempt; 1 s by default.
    pub fn delay(self, delay: Duration) -> Retry {
        self.with("delay", seconds::write(delay))
    }

    /// By how much each delay is longer than the one before; 2 by default, at least 1.
    pub fn factor(self, factor: f64) -> Retry {
        self.with("factor", factor.into())
    }

    /// The longest delay; 30 s by default.
    pub fn max_delay(self, delay: Duration) -> Retry {
        self.with("maxDelay", seconds::write(delay))
    }

    fn with(mut self, member: &str, value: Value) -> Retry {
        self.0.insert(member.into(), value);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_given_is_declared() {
        assert_eq!(Initializer::new("a").shape().to_string(), r#"{"name":"a"}"#);
        assert_eq!(
            Initializer::from("a")
                .depends_on_all([""; 0])
                .shape()
                .to_string(),
            r#"{"dependencies":[],"name":"a"}"#
        );
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
        let expected = object! {
            "name": "a", "priority": "appActive", "dependencies": ["b", "c", "d"], "timeout": 3,
            "retry": object! { "attempts": 3, "delay": 0.5, "factor": 1.5, "maxDelay": 2 },
            "perProcess": true, "optional": false, "description": "everything",
        };
        assert_eq!(full.shape(), Value::from(expected));
    }
}

//! A run of an initializer, as its handler sees it.

use crate::log::Log;
use crate::wire::connection::Link;
use crate::wire::seconds;
use crate::{json, BoxError, CancelToken, Cancelled, Map, Phase, Value};
use serde::Deserialize;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

/// A run: one attempt to execute an initializer. A handler gets it from the [`Worker`](crate::Worker).
pub struct Run {
    number: u64,
    initializer: String,
    params: Value,
    inputs: Map<String, Value>,
    token: CancelToken,
    link: Arc<Link>,
    log: Log,
    has_told_of_nan: AtomicBool,
    has_told_of_extension: AtomicBool,
}

impl Run {
    /// Creates the run that the params of a request describe.
    pub(crate) fn new(mut params: Value, link: Arc<Link>, log: Log) -> Option<Run> {
        let number = params["run"].as_u64()?;
        let initializer = params["initializer"].as_str()?.to_owned();
        let inputs = match json::take(&mut params, "inputs") {
            Value::Object(inputs) => inputs,
            _ => Map::new(),
        };
        Some(Run {
            number,
            initializer,
            params,
            inputs,
            token: CancelToken::default(),
            link,
            log,
            has_told_of_nan: AtomicBool::default(),
            has_told_of_extension: AtomicBool::default(),
        })
    }

    /// Returns the number of the run, which isn't used again while the supervisor runs.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the name of the run's initializer.
    pub fn initializer(&self) -> &str {
        &self.initializer
    }

    /// Returns the number of the run's pass.
    pub fn pass(&self) -> u64 {
        self.params["pass"].as_u64().unwrap_or(0)
    }

    /// Returns the phase of the run's pass.
    pub fn phase(&self) -> Phase {
        self.params["phase"].as_str().unwrap_or("unknown").into()
    }

    /// Returns the number of the attempt in its pass, from 1.
    pub fn attempt(&self) -> u64 {
        self.params["attempt"].as_u64().unwrap_or(1)
    }

    /// Returns how long the run may take, if its initializer has a timeout.
    pub fn timeout(&self) -> Option<Duration> {
        seconds::read(&self.params["timeout"])
    }

    /// Returns the fencing token, if its initializer runs once for a release. Pass it to the database, which can then refuse a late
    /// writer.
    pub fn fence(&self) -> Option<u64> {
        self.params["fence"].as_u64()
    }

    /// Returns the W3C trace context of the run, for the headers of requests.
    pub fn traceparent(&self) -> Option<&str> {
        self.params["traceparent"].as_str()
    }

    /// Returns the outputs of its dependencies, by name. A dependency without an output isn't there.
    pub fn inputs(&self) -> &Map<String, Value> {
        &self.inputs
    }

    /// Returns the output of a dependency, as any type that serde can deserialize. It is an error if `name` is no dependency or has no
    /// output, or if its output doesn't fit the type. The error doesn't show the output, because it may be secret.
    ///
    /// ```no_run
    /// #[derive(serde::Deserialize)]
    /// struct Address<'a> {
    ///     host: &'a str,
    ///     port: u16,
    /// }
    ///
    /// # fn handler(run: &appinitializers::Run) -> Result<(), appinitializers::BoxError> {
    /// let port: u16 = run.input("pick-port")?;
    /// let address: Address = run.input("address")?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn input<'a, T: Deserialize<'a>>(&'a self, name: &str) -> Result<T, BoxError> {
        let refuse = |why: String| format!("cannot use the output of {name}: {why}").into();
        match self.inputs.get(name) {
            Some(input) => T::deserialize(input).map_err(|error| refuse(misfit(input, &error))),
            None => Err(refuse(format!(
                "it is no dependency of {}, or has no output; see depends_on, and the value of its handler",
                self.initializer
            ))),
        }
    }

    /// Returns whether the run was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Returns an error if the run was cancelled: `run.check()?` between two steps ends a handler.
    pub fn check(&self) -> Result<(), Cancelled> {
        self.token.check()
    }

    /// Sleeps; when the run is cancelled, it returns an error at once.
    pub fn sleep(&self, duration: Duration) -> Result<(), Cancelled> {
        self.token.wait(duration);
        self.check()
    }

    /// Reports the cancellation; can be used on other threads.
    pub fn cancel_token(&self) -> CancelToken {
        self.token.clone()
    }

    /// Reports progress, from 0 to 1. A fraction outside of that is reported as 0 or 1. NaN isn't reported; the [log](crate::Worker::log)
    /// says so once for a run.
    pub fn progress(&self, fraction: f64) {
        self.tell(self.of_fraction(fraction));
    }

    /// Reports what the run does, for people.
    pub fn message(&self, message: impl AsRef<str>) {
        self.tell(json!({ "message": message.as_ref() }));
    }

    /// Reports [progress](Run::progress) and a message together.
    pub fn report(&self, fraction: f64, message: impl AsRef<str>) {
        let mut report = self.of_fraction(fraction);
        report["message"] = message.as_ref().into();
        self.tell(report);
    }

    /// Moves the run's deadline to this time from now. It has no effect on a run without a timeout. Zero is ignored; the
    /// [log](crate::Worker::log) says so once for a run.
    pub fn extend(&self, duration: Duration) {
        if duration.is_zero() {
            let why = "the extension is zero; give the time from now to the new deadline";
            return self.ignore(&self.has_told_of_extension, why);
        }
        self.tell(json!({ "extend": seconds::write(duration) }));
    }

    fn of_fraction(&self, fraction: f64) -> Value {
        if fraction.is_nan() {
            let why = "the progress is NaN; report a fraction from 0 to 1";
            self.ignore(&self.has_told_of_nan, why);
            return json!({});
        }
        json!({ "fraction": fraction.clamp(0.0, 1.0) })
    }

    /// Says once that a report is ignored.
    fn ignore(&self, has_told: &AtomicBool, why: &str) {
        if !has_told.swap(true, Ordering::Relaxed) {
            let (name, number) = (&self.initializer, self.number);
            self.log.line(format_args!(
                "ignored a report of {name} in run {number}: {why}"
            ));
        }
    }

    fn tell(&self, mut report: Value) {
        if report == json!({}) || self.is_cancelled() {
            return;
        }
        report["run"] = self.number.into();
        let _ = self.link.notify("progress", &report); // A loss of the connection cancels the run.
    }

    pub(crate) fn link(&self) -> &Link {
        &self.link
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("number", &self.number)
            .field("initializer", &self.initializer)
            .finish_non_exhaustive()
    }
}

/// Explains why an input doesn't fit a type. It shows no value, because an input may be secret and messages of runs are logged.
fn misfit(input: &Value, error: &serde_json::Error) -> String {
    let kind = match input {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    let text = error.to_string();
    let reason = match text.rsplit_once(", expected ") {
        Some((_, expected)) => format!("expected {expected}"),
        None if text.starts_with("missing field ") => text,
        None => return format!("it is {kind} that doesn't fit its type"),
    };
    format!("it is {kind} that doesn't fit: {reason}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::IpAddr;

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Address {
        host: IpAddr,
        port: u16,
    }

    fn why<'a, T: Deserialize<'a> + fmt::Debug>(input: &'a Value) -> String {
        misfit(input, &T::deserialize(input).unwrap_err())
    }

    #[test]
    fn a_misfit_is_explained_without_the_value() {
        let expected = "it is a string that doesn't fit: expected u16";
        assert_eq!(why::<u16>(&json!("hunter2")), expected);
        assert_eq!(why::<u16>(&json!("a, expected hunter2")), expected);
        let expected = "it is a number that doesn't fit: expected u16";
        assert_eq!(why::<u16>(&json!(65536)), expected);
        let expected = "it is an object that doesn't fit: missing field `port`";
        assert_eq!(why::<Address>(&json!({ "host": "::1" })), expected);
        let expected = "it is an object that doesn't fit: expected u16";
        let address = json!({ "host": "::1", "port": "hunter2" });
        assert_eq!(why::<Address>(&address), expected);
        let address = json!({ "host": "hunter2", "port": 1 });
        assert!(!why::<Address>(&address).contains("hunter2"));
    }
}

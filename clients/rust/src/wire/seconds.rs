//! Durations and times, which are numbers of seconds in the protocol.

use crate::Value;
use serde::{Deserialize, Deserializer};
use std::time::{Duration, SystemTime};

/// Every duration of the protocol is less than 10⁹ s.
const LONGEST: f64 = 999_999_999.0;

pub(crate) fn write(duration: Duration) -> f64 {
    duration.as_secs_f64().min(LONGEST)
}

pub(crate) fn read(value: &Value) -> Option<Duration> {
    value.as_f64().and_then(duration)
}

/// Returns a duration, or none if the number isn't one.
fn duration(seconds: f64) -> Option<Duration> {
    (0.0..1e9)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

/// Returns the time that is so many seconds after 1970, or none if this system can't represent it.
pub(crate) fn moment(seconds: f64) -> Option<SystemTime> {
    let since = (0.0..1e12)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))?;
    SystemTime::UNIX_EPOCH.checked_add(since)
}

/// Deserializes a time.
pub(crate) fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SystemTime>, D::Error> {
    Ok(Option::deserialize(from)?.and_then(moment))
}

/// Deserializes a duration that may be missing.
pub(crate) fn optional<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    Ok(Option::deserialize(from)?.and_then(duration))
}

/// Deserializes a duration.
pub(crate) fn required<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    optional(from).map(Option::unwrap_or_default)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_seconds_below_the_limit() {
        assert_eq!(write(Duration::from_millis(1500)), 1.5);
        assert_eq!(write(Duration::MAX), 999_999_999.0);
        assert_eq!(read(&Value::from(1.5)), Some(Duration::from_millis(1500)));
        for wrong in [
            Value::from(-1),
            Value::from(1e300),
            Value::Null,
            Value::from("1"),
        ] {
            assert_eq!(read(&wrong), None);
        }
    }
}

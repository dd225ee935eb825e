//! Durations, which are numbers of seconds in the protocol.

use crate::Value;
use std::time::Duration;

/// Every duration of the protocol is less than 10⁹ s.
const LONGEST: f64 = 999_999_999.0;

pub(crate) fn write(duration: Duration) -> f64 {
    duration.as_secs_f64().min(LONGEST)
}

pub(crate) fn read(value: &Value) -> Option<Duration> {
    let seconds = value.as_f64()?;
    (0.0..1e9)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
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

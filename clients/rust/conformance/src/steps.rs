//! The steps of a run.

use appinitializers::{json, BoxError, Output, Run, Value};
use std::thread;
use std::time::Duration;

/// Performs the steps in order. After a cancellation, no further step begins, except one that ignores it.
pub fn perform(run: &Run, steps: &[Value]) -> Result<Output, BoxError> {
    let mut output = Output::default();
    let mut grace = Duration::ZERO;
    for (position, step) in steps.iter().enumerate() {
        if position > 0 && grace.is_zero() {
            run.check()?;
        }
        match (step["progress"].as_f64(), step["message"].as_str()) {
            (Some(fraction), Some(message)) => run.report(fraction, message),
            (Some(fraction), None) => run.progress(fraction),
            (None, Some(message)) => run.message(message),
            (None, None) => (),
        }
        if let Some(duration) = seconds(step, "extend") {
            run.extend(duration);
        }
        if let Some(duration) = seconds(step, "sleep") {
            sleep(run, duration, grace);
        }
        if let Some(duration) = seconds(step, "block") {
            thread::sleep(duration);
        }
        if let Some(value) = step.get("output") {
            output = if step["secret"] == true {
                Output::secret(value.clone())
            } else {
                value.clone().into()
            };
        }
        if step["echoInputs"] == true {
            output = run.inputs().clone().into();
        }
        if step["echoFence"] == true {
            output = json!({ "fence": run.fence() }).into();
        }
        if let Some(message) = step["fail"].as_str() {
            return Err(message.into());
        }
        grace = seconds(step, "ignoreCancelFor").unwrap_or(Duration::ZERO);
    }
    Ok(output)
}

/// Sleeps until the run is cancelled, and then for `grace` at most.
fn sleep(run: &Run, duration: Duration, grace: Duration) {
    let began = std::time::Instant::now();
    if run.cancel_token().wait(duration) {
        thread::sleep(duration.saturating_sub(began.elapsed()).min(grace));
    }
}

fn seconds(step: &Value, name: &str) -> Option<Duration> {
    step[name]
        .as_f64()
        .map(|seconds| Duration::from_secs_f64(seconds.max(0.0)))
}

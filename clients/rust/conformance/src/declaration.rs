//! The declaration of an initializer, from its members in `register`.

use appinitializers::{BoxError, Initializer, Retry, Value};
use std::time::Duration;

pub fn read(declaration: &Value) -> Result<Initializer, BoxError> {
    let mut initializer = Initializer::new(
        declaration["name"]
            .as_str()
            .ok_or("an initializer has no name")?,
    );
    if let Some(priority) = declaration["priority"].as_str() {
        initializer = initializer.priority(priority.into());
    }
    if let Some(dependencies) = declaration["dependencies"].as_array() {
        initializer = initializer.depends_on_all(dependencies.iter().filter_map(Value::as_str));
    }
    if let Some(timeout) = declaration["timeout"].as_f64() {
        initializer = initializer.timeout(Duration::from_secs_f64(timeout));
    }
    if let Some(retry) = declaration.get("retry") {
        initializer = initializer.retry(retry_policy(retry)?);
    }
    if let Some(per_process) = declaration["perProcess"].as_bool() {
        initializer = initializer.per_process(per_process);
    }
    if let Some(optional) = declaration["optional"].as_bool() {
        initializer = initializer.optional(optional);
    }
    if let Some(text) = declaration["description"].as_str() {
        initializer = initializer.description(text);
    }
    Ok(initializer)
}

fn retry_policy(retry: &Value) -> Result<Retry, BoxError> {
    let mut policy = match retry["attempts"].as_u64() {
        Some(attempts) => Retry::attempts(attempts.try_into()?),
        None => Retry::default(),
    };
    if let Some(delay) = retry["delay"].as_f64() {
        policy = policy.delay(Duration::from_secs_f64(delay));
    }
    if let Some(factor) = retry["factor"].as_f64() {
        policy = policy.factor(factor);
    }
    if let Some(delay) = retry["maxDelay"].as_f64() {
        policy = policy.max_delay(Duration::from_secs_f64(delay));
    }
    Ok(policy)
}

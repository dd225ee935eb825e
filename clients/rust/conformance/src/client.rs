//! The client's side of the subject: a subscription, and calls.

use crate::line;
use appinitializers::{BoxError, Client, Error, Event, Value, Wait};
use std::thread;
use std::time::Duration;

/// Subscribes, and reports each event.
pub fn subscribe(topics: &[Value], tells_loss: bool) {
    if let Err(error) = follow(topics, tells_loss) {
        eprintln!("subject: cannot go on with the subscription: {error}");
    }
}

fn follow(topics: &[Value], tells_loss: bool) -> Result<(), BoxError> {
    let topics = topics
        .iter()
        .map(|topic| topic.as_str().unwrap_or("").into());
    for event in client()?.subscribe(topics)? {
        match event? {
            Event::Snapshot(status) => line(format!("snapshot {}", status.instance)),
            Event::Change(change) => line(format!("event {}", change.topic())),
            Event::Lagged(dropped) => line(format!("lagged {dropped}")),
            Event::Shutdown => line("event shutdown"),
            Event::Lost(_) if tells_loss => line("lost"),
            _ => (),
        }
    }
    Ok(())
}

/// Sends the requests in order, and reports each answer.
pub fn call(calls: &[Value]) {
    if calls.is_empty() {
        return;
    }
    match client() {
        Ok(client) => calls.iter().for_each(|call| perform(&client, call)),
        Err(error) => eprintln!("subject: {error}"),
    }
}

fn client() -> Result<Client, Error> {
    Client::builder()
        .name("subject")
        .connect_timeout(Duration::MAX)
        .build()
}

fn perform(client: &Client, call: &Value) {
    let (name, result) = if let Some(duration) = seconds(call, "hold") {
        ("hold", hold(client, duration).map(|()| "ended".into()))
    } else if call["status"] == true {
        let lifecycle = client.status().map(|status| status.lifecycle.to_string());
        ("status", lifecycle)
    } else if call["activate"] == true {
        (
            "activate",
            client
                .activate()
                .map(|state| state.pass.unwrap_or(0).to_string()),
        )
    } else if call["deactivate"] == true {
        ("deactivate", client.deactivate().map(|_| String::new()))
    } else {
        (
            "wait",
            client.wait(wait(call)).map(|state| state.kind.to_string()),
        )
    };
    match result {
        Ok(text) => line(format!("call {name} {text}").trim_end()),
        Err(error) => {
            eprintln!("subject: {name}: {error}");
            line(
                format!(
                    "call {name} refused {} {}",
                    error.code().unwrap_or(0),
                    error.word().unwrap_or("")
                )
                .trim_end(),
            );
        }
    }
}

fn hold(client: &Client, duration: Duration) -> Result<(), Error> {
    let _hold = client.hold()?;
    line("call hold begun");
    thread::sleep(duration);
    Ok(())
}

fn wait(call: &Value) -> Wait {
    let wait = match (call["waitFor"].as_str(), call["wait"].as_str()) {
        (Some(name), _) => Wait::initializer(name),
        (_, Some("launch")) => Wait::launch(),
        (_, Some("active")) => Wait::active(),
        (_, Some("composite")) => Wait::composite(),
        _ => Wait::ready(),
    };
    match seconds(call, "timeout") {
        Some(timeout) => wait.timeout(timeout),
        None => wait,
    }
}

fn seconds(call: &Value, name: &str) -> Option<Duration> {
    call[name].as_f64().map(Duration::from_secs_f64)
}

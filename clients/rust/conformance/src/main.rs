//! The subject of the conformance scenarios: a worker that performs the steps in its argument, and reports each event in a line on standard
//! output.

mod client;
mod declaration;
mod steps;

use appinitializers::{BoxError, Stopper, Value, Worker, WorkerEvent};
use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Once;
use std::time::Duration;
use std::{env, io, thread};

/// With SIGTERM, the whole program must end within two seconds.
const CANCEL_GRACE: Duration = Duration::from_millis(1500);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("subject: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), BoxError> {
    let stopper = Stopper::default();
    let _signals = stopper.stop_on_signals()?;
    let config: Value = env::args().nth(1).ok_or("usage: subject JSON")?.parse()?;
    let declarations = elements(&config["initializers"]);
    if let Some(topics) = config["subscribe"].as_array() {
        let topics = topics.to_vec();
        let tells_loss = declarations.is_empty(); // Otherwise the worker tells.
        thread::spawn(move || client::subscribe(&topics, tells_loss));
    }
    let calls = elements(&config["calls"]).to_vec();
    if declarations.is_empty() {
        thread::spawn(move || client::call(&calls));
        stopper.wait(Duration::MAX);
        return Ok(());
    }
    let first = Once::new();
    let mut worker = Worker::new(config["client"].as_str().unwrap_or("subject"))
        .cancel_grace(CANCEL_GRACE)
        .observe(move |event| {
            report(event);
            if let WorkerEvent::Registered = event {
                let calls = calls.clone();
                first.call_once(|| drop(thread::spawn(move || client::call(&calls))));
            }
        });
    for declaration in declarations {
        let steps = elements(&declaration["steps"]).to_vec();
        let initializer = declaration::read(declaration)?;
        worker = worker.initializer(initializer, move |run| steps::perform(run, &steps));
    }
    Ok(worker.run_until_signal()?)
}

fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn report(event: &WorkerEvent) {
    match event {
        WorkerEvent::Registered => line("connected"),
        WorkerEvent::Lost(error) => {
            eprintln!("subject: {error}");
            line("lost");
        }
        WorkerEvent::Waiting(error) => eprintln!("subject: cannot register yet: {error}"),
        WorkerEvent::Started {
            initializer,
            run,
            attempt,
        } => line(format!("run {initializer} {run} {attempt}")),
        WorkerEvent::Cancelled {
            initializer,
            run,
            reason,
        } => line(format!("cancel {initializer} {run} {reason}")),
        WorkerEvent::Answered { initializer, run } => line(format!("done {initializer} {run}")),
        other => eprintln!("subject: {other:?}"),
    }
}

/// Writes a line to standard output, and flushes it at once. The reader may be gone.
fn line(text: impl Display) {
    let mut output = io::stdout().lock();
    let _ = output
        .write_all(format!("{text}\n").as_bytes())
        .and_then(|()| output.flush());
}

//! The subject of the conformance scenarios: a worker that performs the steps that its argument describes, and reports each
//! thing that it sees in a line on standard output.

mod signals;
mod steps;

use appinitializers::{BoxError, Initializer, Priority, Retry, Value, Worker, WorkerEvent};
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;
use std::{env, io, thread};

/// With SIGTERM, the whole program must end within two seconds.
const STOP_TIMEOUT: Duration = Duration::from_millis(1300);

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
    signals::block(); // Before there are threads, which inherit it.
    let config: Value = env::args().nth(1).ok_or("usage: subject JSON")?.parse()?;
    let mut worker = Worker::new(config["client"].as_str().unwrap_or("subject")).stop_timeout(STOP_TIMEOUT).observe(report);
    for declaration in config["initializers"].as_array().ok_or("the JSON has no list \"initializers\"")? {
        let steps = declaration["steps"].as_array().unwrap_or(&[]).to_vec();
        worker = worker.initializer(initializer(declaration)?, move |run| steps::perform(run, &steps));
    }
    let stopper = worker.stopper();
    let signalled = stopper.clone();
    thread::spawn(move || {
        signals::wait();
        signalled.stop();
    });
    match worker.run() {
        Err(error) if stopper.is_stopped() => eprintln!("subject: {error}"),
        outcome => outcome?,
    }
    Ok(())
}

fn report(event: &WorkerEvent) {
    match event {
        WorkerEvent::Registered => line("connected".into()),
        WorkerEvent::Lost(error) => {
            eprintln!("subject: {error}");
            line("lost".into());
        }
        WorkerEvent::Waiting(error) => eprintln!("subject: cannot register yet: {error}"),
        WorkerEvent::Started { initializer, run, attempt } => line(format!("run {initializer} {run} {attempt}")),
        WorkerEvent::Cancelled { initializer, run, reason } => line(format!("cancel {initializer} {run} {reason}")),
        WorkerEvent::Answered { initializer, run } => line(format!("done {initializer} {run}")),
        other => eprintln!("subject: {other:?}"),
    }
}

/// A line of standard output, written and flushed at once. Nobody may read it any more.
fn line(text: String) {
    let mut output = io::stdout().lock();
    let _ = output.write_all(format!("{text}\n").as_bytes()).and_then(|()| output.flush());
}

fn initializer(declaration: &Value) -> Result<Initializer, BoxError> {
    let mut initializer = Initializer::new(declaration["name"].as_str().ok_or("an initializer has no name")?);
    match declaration["priority"].as_str() {
        None => (),
        Some("appLaunch") => initializer = initializer.priority(Priority::AppLaunch),
        Some("appActive") => initializer = initializer.priority(Priority::AppActive),
        Some(other) => return Err(format!("unknown priority \"{other}\"").into()),
    }
    if let Some(dependencies) = declaration.get("dependencies") {
        initializer = initializer.depends_on_all(Vec::<String>::try_from(dependencies)?);
    }
    if let Some(timeout) = declaration["timeout"].as_f64() {
        initializer = initializer.timeout(Duration::from_secs_f64(timeout));
    }
    if let Some(retry) = declaration.get("retry") {
        initializer = initializer.retry(retry_policy(retry)?);
    }
    if declaration["perProcess"] == true {
        initializer = initializer.per_process();
    }
    if declaration["optional"] == true {
        initializer = initializer.optional();
    }
    if let Some(text) = declaration["description"].as_str() {
        initializer = initializer.description(text);
    }
    Ok(initializer)
}

fn retry_policy(retry: &Value) -> Result<Retry, BoxError> {
    let mut policy = Retry::attempts(u32::try_from(&retry["attempts"])?);
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

//! The runs of a worker: each in a thread of its own, each answered once.

use crate::log::Log;
use crate::sync::{lock, wait_while};
use crate::wire::connection::{Handler, Link};
use crate::wire::message::{self, Incoming};
use crate::worker::observer::{Observer, WorkerEvent};
use crate::{
    BoxError, CancelReason, CancelToken, Error, ErrorKind, Output, Result, Run, Stopper, Value,
};
use std::any::Any;
use std::collections::HashMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use std::{result, thread};

/// The longest message of a failed run that is sent; the supervisor shows only a part of it.
const LONGEST_MESSAGE: usize = 4096;

pub(crate) type Function = Arc<dyn Fn(&Run) -> result::Result<Output, BoxError> + Send + Sync>;

pub(crate) struct Runs {
    functions: HashMap<String, Function>,
    observer: Observer,
    log: Log,
    state: Mutex<State>,
    changed: Condvar,
    /// Held while an answer is sent and reported: its report comes before those of the runs that the answer allows to begin.
    reporting: Mutex<()>,
    /// Held while a cancellation is reported and carried out: it is reported once, and after the start.
    cancelling: Mutex<()>,
}

#[derive(Default)]
struct State {
    open: HashMap<u64, (String, CancelToken)>,
    lost: Option<Error>,
    leaving: bool,
}

impl Runs {
    pub fn new(functions: HashMap<String, Function>, observer: Observer, log: Log) -> Runs {
        Runs {
            functions,
            observer,
            log,
            state: Mutex::default(),
            changed: Condvar::new(),
            reporting: Mutex::new(()),
            cancelling: Mutex::new(()),
        }
    }

    /// Begins a new connection.
    pub fn begin(&self) {
        lock(&self.state).lost = None;
    }

    /// Looks again whether the worker was stopped.
    pub fn wake(&self) {
        drop(lock(&self.state));
        self.changed.notify_all();
    }

    /// Waits until the connection is lost, and returns the reason, or until the stop.
    pub fn wait_for_end(&self, stopper: &Stopper) -> Option<Error> {
        let (state, _) = wait_while(&self.changed, lock(&self.state), None, |state| {
            state.lost.is_none() && !stopper.is_stopped()
        });
        match stopper.is_stopped() {
            true => None,
            false => state.lost.clone(),
        }
    }

    /// Waits until all runs have ended; after a stop only for the remaining time. Returns the names of the runs that haven't ended.
    pub fn wait_until_idle(&self, stopper: &Stopper, left: impl Fn() -> Duration) -> Vec<String> {
        let mut state = lock(&self.state);
        loop {
            let is_stopped = stopper.is_stopped();
            let limit = is_stopped.then(&left);
            let waits =
                |state: &mut State| !state.open.is_empty() && stopper.is_stopped() == is_stopped;
            let in_time;
            (state, in_time) = wait_while(&self.changed, state, limit, waits);
            if state.open.is_empty() || !in_time {
                return state.open.values().map(|(name, _)| name.clone()).collect();
            }
        }
    }

    /// Cancels all runs, and also later runs if the worker leaves.
    pub fn cancel_all(&self, reason: CancelReason, leaving: bool) {
        let open: Vec<u64> = {
            let mut state = lock(&self.state);
            state.leaving = leaving;
            state.open.keys().copied().collect()
        };
        for number in open {
            self.cancel(number, reason.clone());
        }
    }

    fn cancel(&self, number: u64, reason: CancelReason) {
        let _cancelling = lock(&self.cancelling);
        let open = lock(&self.state).open.get(&number).cloned();
        if let Some((initializer, token)) = open.filter(|(_, token)| token.is_open()) {
            self.observer.tell(WorkerEvent::Cancelled {
                initializer,
                run: number,
                reason: reason.clone(),
            });
            token.cancel(reason);
        }
    }

    fn start(self: &Arc<Self>, id: Value, params: Value, link: &Arc<Link>) {
        let refuse = |why: String| drop(link.refuse(&id, message::INVALID_PARAMS, &why));
        let run = match Run::new(params, link.clone(), self.log.clone()) {
            Some(run) => run,
            None => return refuse("cannot run: run and initializer must be given".into()),
        };
        let function = match self.functions.get(run.initializer()) {
            Some(function) => function.clone(),
            None => {
                return refuse(format!(
                    "cannot run {}: this worker doesn't provide it",
                    run.initializer()
                ))
            }
        };
        let (number, initializer) = (run.number(), run.initializer().to_owned());
        let leaving = {
            let mut state = lock(&self.state);
            state
                .open
                .insert(number, (initializer.clone(), run.cancel_token()));
            state.leaving
        };
        if leaving {
            self.cancel(number, CancelReason::Unregistered);
        }
        let (runs, own_id) = (self.clone(), id.clone());
        let thread = thread::Builder::new()
            .name(format!("run-{number}"))
            .spawn(move || runs.execute(&own_id, &function, &run));
        if let Err(error) = thread {
            let _ = link.refuse(
                &id,
                message::FAILED,
                &format!("cannot start a thread: {error}"),
            );
            self.remove(number);
        }
    }

    /// Executes a run in its thread.
    fn execute(&self, id: &Value, function: &Function, run: &Run) {
        let outcome = match self.begins(run) {
            true => call(function, run),
            false => Ok(Output::default()),
        };
        let cancelled = {
            let _cancelling = lock(&self.cancelling);
            run.cancel_token().end()
        };
        let _reporting = lock(&self.reporting);
        let answered = match (cancelled, outcome.and_then(Output::result)) {
            (true, _) => run.link().refuse(id, message::CANCELLED, "cancelled"),
            (false, Ok(result)) => answer(run.link(), id, &result),
            (false, Err(why)) => run.link().refuse(id, message::FAILED, cut(&why)),
        };
        if answered.is_ok() {
            let initializer = run.initializer().into();
            self.observer.tell(WorkerEvent::Answered {
                initializer,
                run: run.number(),
            });
        }
        self.remove(run.number());
    }

    /// Reports the start of a run, unless it has been cancelled already.
    fn begins(&self, run: &Run) -> bool {
        let _reporting = lock(&self.reporting);
        let _cancelling = lock(&self.cancelling);
        let begins = !run.is_cancelled();
        if begins {
            let (initializer, attempt) = (run.initializer().into(), run.attempt());
            self.observer.tell(WorkerEvent::Started {
                initializer,
                run: run.number(),
                attempt,
            });
        }
        begins
    }

    fn remove(&self, number: u64) {
        lock(&self.state).open.remove(&number);
        self.changed.notify_all();
    }
}

impl Handler for Arc<Runs> {
    fn handle(&mut self, link: &Arc<Link>, message: Incoming) {
        match message {
            Incoming::Request { id, method, params } if method == "run" => {
                self.start(id, params, link)
            }
            Incoming::Request { id, method, .. } => {
                drop(link.refuse(
                    &id,
                    message::UNKNOWN_METHOD,
                    &format!("unknown method \"{method}\""),
                ));
            }
            Incoming::Notification { method, params } if method == "cancel" => {
                if let Some(number) = params["run"].as_u64() {
                    let reason = params["reason"].as_str().unwrap_or("unknown");
                    self.cancel(number, reason.into());
                }
            }
            _ => (),
        }
    }

    fn end(&mut self, reason: Error) {
        lock(&self.state).lost = Some(reason);
        self.changed.notify_all();
    }
}

fn answer(link: &Link, id: &Value, result: &Value) -> Result<()> {
    match link.answer(id, result) {
        Err(error) if error.kind() == ErrorKind::TooLarge => {
            let why = format!("cannot hand over the output: {error}. An output has at most 64 KiB as JSON (outputBytes), unless the supervisor has another limit; hand over e.g. the path of a file");
            link.refuse(id, message::FAILED, &why)
        }
        answered => answered,
    }
}

fn call(function: &Function, run: &Run) -> result::Result<Output, String> {
    match panic::catch_unwind(AssertUnwindSafe(|| function(run))) {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(error)) => Err(or_default(
            error.to_string(),
            "the handler failed without a message",
        )),
        Err(panic) => Err(or_default(panic_message(&*panic), "the handler panicked")),
    }
}

fn or_default(message: String, default: &str) -> String {
    match message.trim().is_empty() {
        true => default.into(),
        false => message,
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}

/// Returns the start of a message, at most [`LONGEST_MESSAGE`] bytes.
fn cut(message: &str) -> &str {
    let mut end = LONGEST_MESSAGE.min(message.len());
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    &message[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut_between_two_characters() {
        assert_eq!(cut("short"), "short");
        let long = format!("x{}", "é".repeat(LONGEST_MESSAGE));
        assert_eq!(cut(&long).len(), LONGEST_MESSAGE - 1);
    }
}

//! A client: one method for each request of the protocol.

mod builder;
mod change;
mod connect;
mod event;
mod events;
mod failure;
mod hold;
mod record;
mod reload;
mod shapes;
mod status;
mod wait;

pub use builder::ClientBuilder;
pub use change::Change;
pub use event::Event;
pub use events::Events;
pub use hold::Hold;
pub use reload::Reload;
pub use shapes::*;
pub use wait::Wait;

use crate::wire::session::Target;
use crate::{json, Error, ErrorKind, Result, Topic, Value};
use connect::Current;
use serde::{de::DeserializeOwned, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// How much later than its timeout the answer to a wait may arrive.
const MARGIN: Duration = Duration::from_secs(5);

/// A client of a supervisor.
///
/// Several threads may call its methods at once; a clone shares the connection. If the connection is lost, open
/// requests fail with [`ErrorKind::ConnectionLost`](crate::ErrorKind::ConnectionLost), and the next request connects again.
///
/// ```no_run
/// use appinitializers::{Client, Wait};
/// use std::time::Duration;
///
/// let client = Client::connect()?;
/// client.activate()?;
/// let state = client.wait(Wait::ready().timeout(Duration::from_secs(30)))?;
/// println!("{state}");
/// # Ok::<(), appinitializers::Error>(())
/// ```
#[derive(Clone)]
pub struct Client(Arc<Shared>);

struct Shared {
    target: Target,
    connect_timeout: Duration,
    current: Mutex<Current>,
    changed: Condvar,
}

impl Client {
    /// Connects to the supervisor at the [default path](crate::default_path).
    ///
    /// The client waits up to 30 seconds for a supervisor that isn't up yet, and writes a line to standard error after one second.
    pub fn connect() -> Result<Client> {
        Client::builder().connect()
    }

    /// Connects to the supervisor at this path, like [`connect`](Client::connect).
    pub fn connect_to(path: impl Into<PathBuf>) -> Result<Client> {
        Client::builder().path(path).connect()
    }

    /// Options for the connection.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// Sends `params`, an object, and returns the same object from the supervisor.
    pub fn ping(&self, params: impl Serialize) -> Result<Value> {
        self.request("ping", params)
    }

    /// Returns the complete state of the supervisor at one time.
    pub fn status(&self) -> Result<Status> {
        answer("status", self.request("status", json!({}))?)
    }

    /// Starts the launch pass, joins the running one, or retries a failed one. Returns the state of launch, with the number
    /// of the pass, without waiting for the pass.
    pub fn launch(&self) -> Result<State> {
        self.ask("launch", json!({}), "launch")
    }

    /// Makes the app active, and starts an active pass. Returns the state of active, with the number of the pass, without
    /// waiting for the pass.
    pub fn activate(&self) -> Result<State> {
        self.ask("activate", json!({}), "active")
    }

    /// Keeps the app active until the guard is dropped.
    ///
    /// ```no_run
    /// # let client = appinitializers::Client::connect()?;
    /// {
    ///     let _active = client.hold()?;
    ///     // The app is active here, whatever other holds end.
    /// }
    /// # Ok::<(), appinitializers::Error>(())
    /// ```
    pub fn hold(&self) -> Result<Hold> {
        Hold::begin(self.0.target.clone(), self.0.connect_timeout)
    }

    /// Makes the app inactive, and cancels the active pass. Ends all holds. Returns the names of the cancelled initializers.
    pub fn deactivate(&self) -> Result<Vec<String>> {
        self.ask("deactivate", json!({}), "cancelled")
    }

    /// Deactivates like [`deactivate`](Client::deactivate), and returns when the cancelled runs have stopped.
    pub fn deactivate_and_wait(&self) -> Result<Vec<String>> {
        self.ask("deactivate", json!({ "wait": true }), "cancelled")
    }

    /// Waits for a state, an initializer or a pass. `failed` and `cancelled` are results, not errors.
    ///
    /// After the timeout, returns an error of the kind [`ErrorKind::Timeout`](crate::ErrorKind::Timeout), with the Status in its
    /// [`data`](crate::Error::data).
    pub fn wait(&self, wait: Wait) -> Result<State> {
        let limit = wait.limit.and_then(|limit| limit.checked_add(MARGIN));
        answer("wait", self.send("wait", &wait.params, limit)?)
    }

    /// Subscribes to the events of these topics, which follow a snapshot. Each subscription has a connection of its own.
    ///
    /// ```no_run
    /// use appinitializers::{Change, Client, Event, Topic};
    ///
    /// for event in Client::connect()?.subscribe([Topic::Pass, Topic::Lifecycle])? {
    ///     match event? {
    ///         Event::Snapshot(status) => println!("now {}", status.composite),
    ///         Event::Change(Change::Pass(change)) => println!("pass {} {}", change.pass, change.status),
    ///         Event::Shutdown => break,
    ///         _ => (),
    ///     }
    /// }
    /// # Ok::<(), appinitializers::Error>(())
    /// ```
    pub fn subscribe(&self, topics: impl IntoIterator<Item = Topic>) -> Result<Events> {
        Events::begin(self.0.target.clone(), self.0.connect_timeout, topics)
    }

    /// Returns the last lines of output of commands, oldest first: of one initializer, or of all.
    pub fn logs(&self, initializer: Option<&str>, limit: usize) -> Result<Vec<LogLine>> {
        let mut params = json!({ "limit": limit });
        if let Some(name) = initializer {
            params["initializer"] = name.into();
        }
        let pages: Vec<Vec<LogLine>> = self.pages("logs", params, "lines")?;
        Ok(pages.into_iter().rev().flatten().collect())
    }

    /// Returns the last passes with their runs, the newest last. [`request`](Client::request) takes the other params of `history`.
    pub fn history(&self, limit: usize) -> Result<Vec<PassRecord>> {
        let pages = self.pages("history", json!({ "limit": limit }), "passes")?;
        Ok(record::passes(pages))
    }

    /// Requests all pages of an answer, the newest first. Returns a member of each.
    fn pages<T: DeserializeOwned + Default>(
        &self,
        method: &str,
        mut params: Value,
        name: &str,
    ) -> Result<Vec<T>> {
        let mut pages = Vec::new();
        loop {
            let mut page = self.request(method, &params)?;
            pages.push(member(method, &mut page, name)?);
            if page["more"] != true {
                return Ok(pages);
            }
            params["before"] = json::take(&mut page, "before");
        }
    }

    /// Runs initializers again, all or none. Returns the numbers of the passes without waiting for them: use [`Wait::pass`]. Their
    /// dependents then become stale.
    ///
    /// Returns an error of the kind [`ErrorKind::Inactive`](crate::ErrorKind::Inactive) if an initializer is active and the app isn't, and
    /// of the kind [`ErrorKind::NotRunning`](crate::ErrorKind::NotRunning) if `--only` or `--skip` leaves an initializer out.
    pub fn rerun<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<Vec<u64>> {
        self.run_again(names, false)
    }

    /// Runs initializers again like [`rerun`](Client::rerun), and also their direct and indirect dependents.
    pub fn rerun_with_dependents<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<u64>> {
        self.run_again(names, true)
    }

    fn run_again<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
        with_dependents: bool,
    ) -> Result<Vec<u64>> {
        let names: Value = names.into_iter().collect();
        let params = json!({ "initializers": names, "withDependents": with_dependents });
        self.ask("rerun", params, "passes")
    }

    /// Cancels the runs of initializers, as their timeouts would, all or none: each run has failed, and isn't retried. Returns their
    /// names once the runs have stopped.
    ///
    /// Returns an error of the kind [`ErrorKind::NotRunning`](crate::ErrorKind::NotRunning) if an initializer neither runs nor waits for
    /// its next attempt.
    pub fn cancel<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<Vec<String>> {
        let names: Value = names.into_iter().collect();
        self.ask("cancelRun", json!({ "initializers": names }), "cancelled")
    }

    /// Removes initializers that have no live provider, all or none.
    pub fn unregister<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let names: Value = names.into_iter().collect();
        self.request("unregister", json!({ "names": names }))
            .map(drop)
    }

    /// Makes the supervisor read its configuration again, and apply the differences. Returns the differences without waiting for the
    /// passes.
    ///
    /// Returns an error if nothing has changed because of mistakes: of the kind
    /// [`ErrorKind::InvalidManifest`](crate::ErrorKind::InvalidManifest), whose [`data`](crate::Error::data) has `findings`, or
    /// [`ErrorKind::UnreadableManifest`](crate::ErrorKind::UnreadableManifest).
    pub fn reload(&self, reload: Reload) -> Result<Reloaded> {
        answer("reload", self.request("reload", reload.params)?)
    }

    /// Shuts the supervisor down. It answers before it has ended.
    pub fn shutdown(&self) -> Result<()> {
        self.request("shutdown", json!({})).map(drop)
    }

    /// Sends any request of the protocol, and returns its result. `params` is an object, e.g. `json!({ "limit": 3 })`.
    pub fn request(&self, method: &str, params: impl Serialize) -> Result<Value> {
        let params = serde_json::to_value(params).map_err(|why| {
            let message = format!("cannot send {method}: {why}");
            Error::new(ErrorKind::InvalidInput, message)
        })?;
        self.send(method, &params, None)
    }

    /// Sends a request, and returns a member of its result.
    fn ask<T: DeserializeOwned + Default>(
        &self,
        method: &str,
        params: Value,
        name: &str,
    ) -> Result<T> {
        member(method, &mut self.request(method, params)?, name)
    }

    fn send(&self, method: &str, params: &Value, limit: Option<Duration>) -> Result<Value> {
        self.0.link()?.request(method, params, limit)
    }
}

/// Reads the result of a request.
fn answer<T: DeserializeOwned>(method: &str, result: Value) -> Result<T> {
    serde_json::from_value(result).map_err(|why| {
        let message = format!("cannot read the answer to {method}: {why}");
        Error::new(ErrorKind::Protocol, message)
    })
}

/// Reads a member of the result of a request. A missing member has its default value.
fn member<T: DeserializeOwned + Default>(
    method: &str,
    result: &mut Value,
    name: &str,
) -> Result<T> {
    match json::take(result, name) {
        Value::Null => Ok(T::default()),
        value => answer(method, value),
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("path", &self.0.target.path)
            .finish_non_exhaustive()
    }
}

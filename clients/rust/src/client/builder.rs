//! Options of a client.

use super::{Client, Current, Shared};
use crate::log::Log;
use crate::wire::path;
use crate::wire::session::Target;
use crate::Result;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// The default of [`ClientBuilder::connect_timeout`].
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// Options of a [`Client`].
#[derive(Clone, Debug)]
pub struct ClientBuilder {
    path: Option<PathBuf>,
    name: String,
    version: String,
    connect_timeout: Duration,
    log: Log,
}

impl Default for ClientBuilder {
    fn default() -> ClientBuilder {
        ClientBuilder {
            path: None,
            name: program_name().unwrap_or_else(|| "rust".into()),
            version: env!("CARGO_PKG_VERSION").into(),
            connect_timeout: CONNECT_TIMEOUT,
            log: Log::default(),
        }
    }
}

impl ClientBuilder {
    /// Sets the path of the supervisor's socket.
    pub fn path(mut self, path: impl Into<PathBuf>) -> ClientBuilder {
        self.path = Some(path.into());
        self
    }

    /// Sets the client's name, which the status, events and logs show; by default that of the program.
    pub fn name(mut self, name: impl Into<String>) -> ClientBuilder {
        self.name = name.into();
        self
    }

    /// Sets the client's version.
    pub fn version(mut self, version: impl Into<String>) -> ClientBuilder {
        self.version = version.into();
        self
    }

    /// Sets how long a request, a hold or a subscription waits for a supervisor that isn't up yet; 30 s by default. With zero, it makes
    /// one attempt. After a loss, a hold and a subscription try again without a limit.
    pub fn connect_timeout(mut self, timeout: Duration) -> ClientBuilder {
        self.connect_timeout = timeout;
        self
    }

    /// Calls `log` with each line for people that would otherwise be on standard error, from any thread. It must return soon.
    pub fn log(mut self, log: impl Fn(&str) + Send + Sync + 'static) -> ClientBuilder {
        self.log = Log::new(log);
        self
    }

    /// Makes the client, and connects.
    pub fn connect(self) -> Result<Client> {
        let client = self.build()?;
        client.0.link()?;
        Ok(client)
    }

    /// Makes the client, which connects with its first request.
    pub fn build(self) -> Result<Client> {
        let path = self.path.map_or_else(path::default_path, Ok)?;
        let target = Target {
            path,
            name: self.name,
            version: self.version,
            log: self.log,
        };
        let shared = Shared {
            target,
            connect_timeout: self.connect_timeout,
            current: Mutex::new(Current::default()),
            changed: Condvar::new(),
        };
        Ok(Client(Arc::new(shared)))
    }
}

/// Returns the base name of the path that the program was started with.
fn program_name() -> Option<String> {
    let path = env::args_os().next()?;
    let name = Path::new(&path).file_name()?;
    Some(name.to_string_lossy().into_owned())
}

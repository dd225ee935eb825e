#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]
#![deny(missing_docs)]
#![warn(rust_2018_idioms)]

mod client;
mod error;
mod json;
mod log;
mod signals;
mod stopper;
mod sync;
mod wire;
mod words;
mod worker;

pub use client::{
    Again, Cause, Change, Client, ClientBuilder, Event, Events, Failure, Finding, Group, Hold,
    InitializerChange, InitializerStatus, LogLine, Once, PassChange, PassInFlight, PassRecord,
    ProcessChange, ProcessStatus, Progress, Redefined, Reload, Reloaded, RunRecord, Skipped, State,
    StateChange, Status, Wait, WorkerChange, WorkerStatus,
};
pub use error::{BoxError, Error, ErrorKind, Result};
pub use serde_json::{json, Map, Value};
pub use signals::Signals;
pub use stopper::Stopper;
pub use wire::path::default_path;
pub use words::{
    CancelReason, CauseKind, FailureCode, InitializerState, Lifecycle, Outcome, PassStatus, Phase,
    Priority, Provider, StateKind, Stream, Topic,
};
pub use worker::{CancelToken, Cancelled, Initializer, Output, Retry, Run, Worker, WorkerEvent};

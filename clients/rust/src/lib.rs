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
mod worker;

pub use client::{Change, Client, ClientBuilder, Event, Events, Hold, State, Status, Topic, Wait};
pub use error::{BoxError, Error, ErrorKind, Result};
pub use json::{ConvertError, Number, Object, ParseError, Value, MAX_DEPTH};
pub use signals::Signals;
pub use stopper::Stopper;
pub use wire::path::default_path;
pub use worker::{
    CancelToken, Cancelled, Initializer, Output, Priority, Retry, Run, Worker, WorkerEvent,
};

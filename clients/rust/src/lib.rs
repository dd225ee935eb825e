#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![warn(rust_2018_idioms)]

mod backoff;
mod cancel;
mod client;
mod connection;
mod error;
mod event;
mod events;
mod frame;
mod hold;
mod initializer;
mod json;
mod message;
mod observer;
mod output;
mod path;
mod run;
mod runs;
mod seconds;
mod session;
mod status;
mod stopper;
mod sync;
mod wait;
mod worker;

pub use cancel::{CancelToken, Cancelled};
pub use client::{Client, ClientBuilder, PATIENCE};
pub use error::{BoxError, Error, ErrorKind, Result};
pub use event::{Change, Event, Topic};
pub use events::Events;
pub use hold::Hold;
pub use initializer::{Initializer, Priority, Retry};
pub use json::{ConvertError, Number, Object, ParseError, Value, MAX_DEPTH};
pub use observer::WorkerEvent;
pub use output::Output;
pub use path::default_path;
pub use run::Run;
pub use status::{State, Status};
pub use stopper::Stopper;
pub use wait::Wait;
pub use worker::Worker;

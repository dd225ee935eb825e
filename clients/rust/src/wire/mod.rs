//! The communication over the socket, from bytes to requests.

pub(crate) mod backoff;
pub(crate) mod connection;
pub(crate) mod frame;
pub(crate) mod message;
pub(crate) mod path;
pub(crate) mod seconds;
pub(crate) mod session;
pub(crate) mod waiting;

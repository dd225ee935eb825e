//! The log of a client or a worker: standard error, or a function.

use std::fmt;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

/// The default is standard error, if anybody reads it.
#[derive(Clone, Default)]
pub(crate) struct Log(Option<Arc<Function>>);

type Function = dyn Fn(&str) + Send + Sync;

impl Log {
    pub fn new(function: impl Fn(&str) + Send + Sync + 'static) -> Log {
        Log(Some(Arc::new(function)))
    }

    /// A panic of the function must not stop the thread that logs.
    pub fn line(&self, text: fmt::Arguments<'_>) {
        match &self.0 {
            Some(function) => {
                let _ = panic::catch_unwind(AssertUnwindSafe(|| function(&text.to_string())));
            }
            None => {
                let _ = io::stderr().write_all(format!("appinitializers: {text}\n").as_bytes());
            }
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "a function"
        } else {
            "standard error"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_function_does_no_harm() {
        Log::new(|_| panic!("of the log")).line(format_args!("a line"));
    }
}

//! SIGTERM and SIGINT, for which the standard library has nothing. All unsafe code of the crate is in this file.
//!
//! The handler writes a byte into a socket, and a thread that reads it stops the worker or the iterator. Both last as long as the process:
//! even when the former actions are restored, a handler may still be running on another thread.

#![allow(unsafe_code)]

use crate::sync::lock;
use crate::{Error, ErrorKind, Result, Stopper};
use std::io::{self, Read};
use std::os::raw::{c_int, c_void};
use std::os::unix::io::IntoRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::Mutex;
use std::{ptr, thread};

const SIGINT: c_int = 2;
const SIGTERM: c_int = 15;
const DEFAULT: usize = 0;
const IGNORED: usize = 1;

/// A `struct sigaction`, which is only kept and given back. The struct is larger than that of any system.
#[repr(C, align(16))]
struct Action([u64; 64]);

extern "C" {
    fn signal(number: c_int, handler: usize) -> usize;
    fn sigaction(number: c_int, new: *const Action, former: *mut Action) -> c_int;
    fn write(descriptor: c_int, bytes: *const c_void, count: usize) -> isize;
    fn raise(number: c_int) -> c_int;
}

static STATE: Mutex<State> = Mutex::new(State {
    stoppers: Vec::new(),
    former: Vec::new(),
});
static SOCKET: AtomicI32 = AtomicI32::new(-1);
static CAME: AtomicBool = AtomicBool::new(false);

struct State {
    stoppers: Vec<Stopper>,
    former: Vec<(c_int, Action)>,
}

/// Handles SIGTERM and SIGINT until it is dropped; made by [`Stopper::stop_on_signals`].
#[must_use = "the signals are handled until this is dropped"]
#[derive(Debug)]
pub struct Signals(Stopper);

impl Signals {
    pub(crate) fn new(stopper: Stopper) -> Result<Signals> {
        let mut state = lock(&STATE);
        if state.stoppers.is_empty() {
            start().map_err(|error| {
                Error::of_system(ErrorKind::System, "cannot handle signals", error)
            })?;
            CAME.store(false, Ordering::SeqCst);
            state.former = [SIGINT, SIGTERM].into_iter().filter_map(catch).collect();
        }
        state.stoppers.push(stopper.clone());
        if CAME.load(Ordering::SeqCst) {
            stopper.stop(); // Another worker of this process has handled the signal before.
        }
        Ok(Signals(stopper))
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        let mut state = lock(&STATE);
        if let Some(place) = state.stoppers.iter().position(|each| each.is(&self.0)) {
            state.stoppers.swap_remove(place);
        }
        if state.stoppers.is_empty() {
            for (number, former) in state.former.drain(..) {
                // SAFETY: `former` is what sigaction has written for this signal.
                unsafe { sigaction(number, &former, ptr::null_mut()) };
            }
        }
    }
}

/// Makes the socket and the thread, once.
fn start() -> io::Result<()> {
    if SOCKET.load(Ordering::SeqCst) >= 0 {
        return Ok(());
    }
    let (reader, writer) = UnixStream::pair()?;
    thread::Builder::new()
        .name("appinitializers-signals".into())
        .spawn(|| stop_all(reader))?;
    SOCKET.store(writer.into_raw_fd(), Ordering::SeqCst);
    Ok(())
}

/// The thread.
fn stop_all(mut reader: UnixStream) {
    while reader.read_exact(&mut [0]).is_ok() {
        let stoppers = lock(&STATE).stoppers.clone();
        stoppers.iter().for_each(Stopper::stop);
    }
}

/// Handles a signal from now on. Returns the former action of the signal; none if it was ignored, e.g. by nohup, and remains ignored.
fn catch(number: c_int) -> Option<(c_int, Action)> {
    let mut former = Action([0; 64]);
    // SAFETY: `former` has enough space, and sigaction fills it. The handler calls only functions that are allowed in handlers.
    unsafe {
        sigaction(number, ptr::null(), &mut former);
        if signal(number, handle as *const () as usize) == IGNORED {
            sigaction(number, &former, ptr::null_mut());
            return None;
        }
    }
    Some((number, former))
}

/// Stops at the first signal. The second signal ends the process as if it had no handler: the signal comes again when this returns.
extern "C" fn handle(number: c_int) {
    // SAFETY: write, signal and raise are async-signal-safe, and the byte is valid for the call. At most one byte is written, so the socket
    // has space: write neither blocks nor changes errno.
    unsafe {
        if CAME.swap(true, Ordering::SeqCst) {
            signal(number, DEFAULT);
            raise(number);
        } else {
            write(SOCKET.load(Ordering::SeqCst), [0_u8].as_ptr().cast(), 1);
        }
    }
}

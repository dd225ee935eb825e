//! SIGTERM and SIGINT, which the standard library doesn't handle: all threads block them, and one waits for them.

use std::mem::MaybeUninit;
use std::os::raw::c_int;
use std::ptr;

/// At least as large as `sigset_t` on any Linux.
#[repr(C)]
struct SignalSet([u64; 16]);

extern "C" {
    fn sigemptyset(set: *mut SignalSet) -> c_int;
    fn sigaddset(set: *mut SignalSet, signal: c_int) -> c_int;
    fn pthread_sigmask(how: c_int, set: *const SignalSet, former: *mut SignalSet) -> c_int;
    fn sigwait(set: *const SignalSet, signal: *mut c_int) -> c_int;
}

const SIG_BLOCK: c_int = 0;
const SIGINT: c_int = 2;
const SIGTERM: c_int = 15;

fn signals() -> SignalSet {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset initializes the set, which sigaddset then changes.
    unsafe {
        sigemptyset(set.as_mut_ptr());
        sigaddset(set.as_mut_ptr(), SIGINT);
        sigaddset(set.as_mut_ptr(), SIGTERM);
        set.assume_init()
    }
}

/// Blocks the signals in this thread and in those that it starts.
pub fn block() {
    // SAFETY: the set is initialized, and the former one isn't asked for.
    unsafe { pthread_sigmask(SIG_BLOCK, &signals(), ptr::null_mut()) };
}

/// Waits for one of the signals.
pub fn wait() {
    let mut signal = 0;
    // SAFETY: both pointers are valid for the call.
    unsafe { sigwait(&signals(), &mut signal) };
}
